"use strict";

const k8s = require("@pulumi/kubernetes");
const pulumi = require("@pulumi/pulumi");

// By the time that a part is read, one before it may have changed it.
const labels = { app: "web" };
const name = pulumi.output("web").apply((text) => {
    labels.late = "yes";
    return text;
});
const service = new k8s.core.v1.Service("service", {
    metadata: { name, labels, annotations: { first: "yes", second: pulumi.output("yes") } },
    spec: { selector: labels },
});

// Each part is read once.
let port = 8000;
const next = (port_) => ({ name: port_, get containerPort() { return port++; } });

class Container {
    #secrets = 1;
    image = "nginx:1.27";
    command = Object.assign(["nginx"], { ignored: true });
    args = [undefined, null, , "-g"].slice(3);
    stdin = undefined;
    constructor(ports) { this.ports = ports; }
    get name() { return "of the prototype"; }
}
// A part that is in two places is in both.
const shared = { matchLabels: { app: service.metadata.name, since: Promise.resolve("now") } };
const container = Object.assign(new Container([next(pulumi.output("http")), next("admin"), next(Promise.resolve("dns"))]));
Object.defineProperty(container, "name", { value: "web", enumerable: true });
Object.defineProperty(container, "hidden", { value: "yes", enumerable: false });
const bare = Object.assign(Object.create(null), { app: "web", since: "now" });
new k8s.apps.v1.Deployment("deployment", {
    metadata: { name: "web" },
    spec: {
        replicas: pulumi.output({ inner: [pulumi.output(2)] }).inner[0],
        selector: shared,
        template: { metadata: { labels: bare }, spec: { containers: [container] } },
    },
}, { dependsOn: service });

// What an output becomes may have outputs in it.
new k8s.core.v1.ConfigMap("nested", {
    metadata: { name: "nested" },
    data: pulumi.output("a").apply((a) => ({
        a,
        b: pulumi.output("b"),
        c: Promise.resolve(pulumi.output("c")),
        none: undefined,
        of: service.metadata.name,
    })),
    binaryData: undefined,
});
new k8s.core.v1.Secret("secret", {
    metadata: { name: "secret", annotations: pulumi.output({}) },
    stringData: { list: pulumi.all(["x", pulumi.output("y")]).apply((list) => list.join()), plain: "z" },
});
new k8s.apiextensions.CustomResource("own", {
    apiVersion: "example.com/v1",
    kind: "Own",
    metadata: { name: "own" },
    spec: {
        sparse: [1, , undefined, null, pulumi.output(undefined), Promise.resolve(undefined), [], {}],
        numbers: [0, -0, 1e21, 1.5, pulumi.output(-0)],
        deep: [[[[pulumi.output([[1]])]]]],
        "": "no name",
        resources: [service.kind, service.metadata.labels],
        text: new String("").length,
        exports: { ...bare },
    },
});
