// What `pulumi package add` generates calls this constructor with the same arguments.
import * as pulumi from "@pulumi/pulumi";

class PulumiPlugin extends pulumi.ComponentResource {
    constructor(name: string, args: pulumi.Inputs) {
        super("argocd-cmp:index:PulumiPlugin", name, args, {}, true);
    }
}

new PulumiPlugin("plugin", {
    image: "registry.example.com/plugin@sha256:" + "0".repeat(64),
    volumes: [{ name: "ca", mountPth: "/etc/ca", source: { configMap: { name: "ca" } } }],
});
