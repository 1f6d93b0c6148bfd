import * as pulumi from "@pulumi/pulumi";
import * as k8s from "@pulumi/kubernetes";

interface App {
    name: string;
    image: string;
    port: number;
    replicas?: number;
}

const apps: App[] = [
    { name: "shop", image: "shop:2", port: 8080, replicas: 3 },
    { name: "search", image: "search:7", port: 9000 },
];

export const services: pulumi.Output<string>[] = [];
for (const { name, image, port, replicas } of apps) {
    const labels = { app: name };
    const deployment = new k8s.apps.v1.Deployment(name, {
        spec: {
            replicas,
            selector: { matchLabels: labels },
            template: {
                metadata: { labels },
                spec: {
                    containers: [{
                        name,
                        image,
                        ports: [{ containerPort: port, name: "http" }],
                        resources: { requests: { cpu: "100m", memory: "64Mi" } },
                        livenessProbe: { httpGet: { path: "/healthz", port: "http" } },
                    }],
                },
            },
        },
    });
    const service = new k8s.core.v1.Service(name, {
        metadata: { labels: deployment.spec.template.metadata.labels },
        spec: { ports: [{ port: 80, targetPort: "http" }], selector: labels },
    });
    services.push(pulumi.interpolate`http://${service.metadata.name}:${service.spec.ports[0].port}`);
}
