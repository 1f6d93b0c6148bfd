"use strict";

const k8s = require("@pulumi/kubernetes");
const settings = require("@pulumi/pulumi/runtime/settings");

// Stands in for a connection that breaks: the SDK then ends quietly, with exit status 0.
const monitor = settings.getMonitor();
const register = monitor.registerResource.bind(monitor);
monitor.registerResource = (request, callback) =>
    request.getName() === "second" ? setImmediate(callback, { code: 14 }) : register(request, callback);

new k8s.core.v1.ConfigMap("first", { data: {} });
new k8s.core.v1.ConfigMap("second", { data: {} });
