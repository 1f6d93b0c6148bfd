import * as k8s from "@pulumi/kubernetes";

const settings = new k8s.core.v1.ConfigMap("settings", { data: {} });
settings.metadata.name.apply(async (name) => {
    throw new Error(`no such shop: ${name}`);
});
