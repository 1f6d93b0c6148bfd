import * as k8s from "@pulumi/kubernetes";

new k8s.kustomize.v2.Directory("shop", { directory: "./app/overlay" });
new k8s.kustomize.v2.Directory("base", { directory: "./app/base", namespace: "plain" });
