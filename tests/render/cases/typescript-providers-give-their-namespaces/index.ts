import * as pulumi from "@pulumi/pulumi";
import * as k8s from "@pulumi/kubernetes";

const renderYamlToDirectory = new pulumi.Config("kubernetes").get("renderYamlToDirectory");
const provider = new k8s.Provider("team", { namespace: "team", renderYamlToDirectory });

class Pair extends pulumi.ComponentResource {
    constructor(name: string, opts?: pulumi.ComponentResourceOptions) {
        super("example:index:Pair", name, {}, opts);
        const left = new k8s.core.v1.ConfigMap(`${name}-left`, { data: { a: "1" } }, { parent: this });
        new k8s.core.v1.ConfigMap(`${name}-right`, {
            data: { left: left.metadata.name },
            immutable: true,
        }, { parent: this, dependsOn: [left], deleteBeforeReplace: true });
    }
}

new Pair("theirs", { provider });
new Pair("ours");
new k8s.apiextensions.CustomResource("widget", {
    apiVersion: "example.com/v1alpha1",
    kind: "Widget",
    metadata: { annotations: { "example.com/size": "3" } },
    spec: { deep: [[1, 2], [{ three: 3.5 }]], empty: {}, none: undefined, nil: null },
}, { provider });
