import * as k8s from "@pulumi/kubernetes";

const replicas: number = "three";
new k8s.core.v1.ConfigMap("settings", { data: { replicas: `${replicas}` } });
