import * as k8s from "@pulumi/kubernetes";

const release = new k8s.helm.v3.Release("web", { chart: "./chart" });
const service = new k8s.core.v1.Service("web", {
    metadata: { namespace: release.status.namespace },
    spec: { ports: [{ port: 80 }] },
});
export const address = service.status.loadBalancer.ingress[0].ip;
