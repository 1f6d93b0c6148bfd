import * as pulumi from "@pulumi/pulumi";
import * as k8s from "@pulumi/kubernetes";

const context = (name: string, namespace?: string) => ({ name, context: { cluster: "east", user: "me", namespace } });
const kubeconfig = pulumi.secret(JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    "current-context": "team",
    clusters: [{ name: "east", cluster: { server: "https://east.example.com" } }],
    contexts: [context("team", "team-a"), context("other", "team-b"), context("none")],
}));

for (const [name, more] of Object.entries({
    current: {},
    named: { context: "other" },
    own: { namespace: "own" },
    none: { context: "none" },
})) {
    const provider = new k8s.Provider(name, { kubeconfig, ...more });
    new k8s.core.v1.ServiceAccount(name, {}, { provider });
    new k8s.yaml.v2.ConfigGroup(name, {
        objs: [{ apiVersion: "v1", kind: "ServiceAccount", metadata: { name: `${name}-of-a-group` } }],
    }, { provider });
}
