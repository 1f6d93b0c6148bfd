import * as k8s from "@pulumi/kubernetes";

const v3 = new k8s.helm.v3.Chart("three", {
    path: "./charts/web",
    namespace: "three",
    values: { replicas: 3, config: { a: 1 } },
    transformations: [(obj) => {
        if (obj.kind === "Service") {
            obj.metadata.annotations = { changed: "yes" };
        }
    }],
});
new k8s.helm.v4.Chart("four", {
    chart: "./charts/web",
    namespace: "four",
    values: { image: { tag: "4" } },
    skipCrds: true,
}, { dependsOn: v3 });
new k8s.yaml.ConfigFile("file", {
    file: "./manifests/app.yaml",
    transformations: [(obj) => { obj.metadata.namespace = "file"; }],
});
const group = new k8s.yaml.ConfigGroup("group", {
    yaml: ["apiVersion: v1\nkind: Namespace\nmetadata: {name: from-text}\n"],
    objs: [{ apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "from-object" } }],
});
new k8s.yaml.v2.ConfigGroup("group-two", { files: ["./manifests/*.yaml"] }, { dependsOn: group.ready });
