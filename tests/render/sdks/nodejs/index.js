const k8s = require("@pulumi/kubernetes");
const pulumi = require("@pulumi/pulumi");

const config = new pulumi.Config();
const labels = { app: "web" };
const deployment = new k8s.apps.v1.Deployment("web", {
    spec: {
        replicas: 2,
        selector: { matchLabels: labels },
        template: {
            metadata: { labels },
            spec: { containers: [{ name: "web", image: "nginx" }] },
        },
    },
});
const service = new k8s.core.v1.Service("web", {
    spec: { selector: labels, ports: [{ port: 80 }] },
});
new k8s.core.v1.Secret(
    "token",
    { stringData: { token: config.requireSecret("token"), of: deployment.metadata.name } },
    { dependsOn: [service] },
);
// Read by a function of the provider.
new k8s.yaml.ConfigGroup("settings", {
    yaml: ['{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "s"}}'],
});
exports.address = service.status.loadBalancer.ingress[0].ip;
