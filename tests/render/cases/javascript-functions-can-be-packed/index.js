"use strict";

const k8s = require("@pulumi/kubernetes");
const pulumi = require("@pulumi/pulumi");

const answer = 42;
new k8s.core.v1.ConfigMap("code", {
    data: {
        "answer.js": pulumi.runtime.serializeFunction(() => answer).then((packed) => packed.text),
    },
});
new k8s.core.v1.ConfigMap("seldom-used", {
    data: {
        automation: pulumi.automation.LocalWorkspace.name,
        paths: pulumi.runtime.computeCodePaths().catch((error) => error.message),
    },
});
