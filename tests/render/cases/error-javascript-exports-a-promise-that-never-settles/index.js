"use strict";
const k8s = require("@pulumi/kubernetes");

module.exports = async () => {
    new k8s.core.v1.ConfigMap("first", { data: {} });
    await new Promise(() => {});
    new k8s.core.v1.ConfigMap("second", { data: {} });
};
