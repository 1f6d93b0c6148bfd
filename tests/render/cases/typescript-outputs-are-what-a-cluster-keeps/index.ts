import * as pulumi from "@pulumi/pulumi";
import * as k8s from "@pulumi/kubernetes";

const login = new k8s.core.v1.Secret("login", {
    metadata: { name: "login" },
    stringData: { user: "shop", password: pulumi.secret("battery-staple-77") },
    data: { user: "b3RoZXI=", salt: "c2FsdA==" },
});
new k8s.core.v1.Secret("copy", { metadata: { name: "copy", namespace: "other" }, data: login.data });

const none = null as unknown as string;
const settings = new k8s.core.v1.ConfigMap("settings", {
    metadata: { name: "settings", labels: { app: "shop", none } },
    data: { level: "info", none },
});
new k8s.core.v1.ConfigMap("seen", {
    metadata: { name: "seen" },
    data: {
        keys: pulumi.unsecret(login.data).apply((data) => Object.keys(data).sort().join()),
        settings: settings.data.apply((data) => JSON.stringify(data)),
        labels: settings.metadata.labels.apply((labels) => JSON.stringify(labels)),
    },
});
