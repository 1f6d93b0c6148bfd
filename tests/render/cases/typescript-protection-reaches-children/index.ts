import * as pulumi from "@pulumi/pulumi";
import * as k8s from "@pulumi/kubernetes";

class Store extends pulumi.ComponentResource {
    constructor(name: string, opts?: pulumi.ComponentResourceOptions) {
        super("example:index:Store", name, {}, opts);
        const inherits = new k8s.core.v1.ConfigMap(`${name}-inherits`, {}, { parent: this });
        new k8s.core.v1.ConfigMap(`${name}-below`, {}, { parent: inherits });
        new k8s.core.v1.ConfigMap(`${name}-says-no`, {}, {
            parent: this, protect: false, retainOnDelete: false,
        });
        new k8s.yaml.v2.ConfigGroup(`${name}-text`, {
            yaml: `{apiVersion: v1, kind: ConfigMap, metadata: {name: ${name}-text}}`,
        }, { parent: this });
    }
}

new Store("protected", { protect: true });
new Store("retained", { retainOnDelete: true });
const changed = new Store("transformed", {
    transforms: [args => ({ props: args.props, opts: { ...args.opts, retainOnDelete: true } })],
});
new k8s.core.v1.ConfigMap("goes-with-another", {}, { deletedWith: changed });
