// The guestbook's front end: a Deployment and the Service in front of it.

import * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";

const config = new pulumi.Config();
const labels = { app: "guestbook-ui" };

const deployment = new k8s.apps.v1.Deployment("guestbook-ui", {
    spec: {
        replicas: config.getNumber("replicas") ?? 1,
        selector: { matchLabels: labels },
        template: {
            metadata: { labels },
            spec: {
                containers: [
                    {
                        name: "guestbook-ui",
                        image: "gcr.io/google-samples/gb-frontend:v5",
                        ports: [{ containerPort: 80 }],
                    },
                ],
            },
        },
    },
});

const guestbook = new k8s.core.v1.Service("guestbook-ui", {
    spec: {
        selector: labels,
        ports: [{ port: 80, targetPort: 80 }],
    },
});

export const service = guestbook.metadata.name;
