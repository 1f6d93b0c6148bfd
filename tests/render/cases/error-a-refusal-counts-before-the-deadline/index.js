const k8s = require("@pulumi/kubernetes");

new k8s.helm.v3.Release("web", { chart: "./chart" });
setTimeout(() => {}, 120_000);
