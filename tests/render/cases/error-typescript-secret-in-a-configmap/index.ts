import * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";

interface Greeting {
    text: pulumi.Input<string>;
}

const greeting: Greeting = { text: pulumi.secret("hunter2-hunter2") };

new k8s.core.v1.ConfigMap("settings", { data: { greeting: greeting.text } });
