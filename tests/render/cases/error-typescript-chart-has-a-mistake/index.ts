import * as k8s from "@pulumi/kubernetes";

new k8s.helm.v3.Chart("web", { path: "./chart" });
