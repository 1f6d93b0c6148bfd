"use strict";
const pulumi = require("@pulumi/pulumi");
const k8s = require("@pulumi/kubernetes");

const config = new pulumi.Config();
const names = (config.get("names") || "one,two").split(",");
const namespaces = names.map((name) => new k8s.core.v1.Namespace(name, { metadata: { name } }));
namespaces.forEach((namespace, n) => {
    new k8s.core.v1.ResourceQuota(`quota-${n}`, {
        metadata: { namespace: namespace.metadata.name },
        spec: { hard: { pods: 10 * (n + 1), "limits.cpu": "4" } },
    });
});
exports.namespaces = namespaces.map((namespace) => namespace.metadata.name);
