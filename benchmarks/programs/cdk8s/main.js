// The guestbook of `examples` in cdk8s, written to stdout.

"use strict";

const { ApiObject, App, Chart } = require("cdk8s");

const labels = { app: "guestbook-ui" };
const app = new App();
const chart = new Chart(app, "guestbook");
const container = {
    name: "guestbook-ui",
    image: "gcr.io/google-samples/gb-frontend:v5",
    ports: [{ containerPort: 80 }],
};
new ApiObject(chart, "deployment", {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "guestbook-ui" },
    spec: {
        replicas: 1,
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers: [container] } },
    },
});
new ApiObject(chart, "service", {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: "guestbook-ui" },
    spec: { selector: labels, ports: [{ port: 80, targetPort: 80 }] },
});
process.stdout.write(app.synthYaml());
