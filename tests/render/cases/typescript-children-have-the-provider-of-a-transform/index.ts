import * as pulumi from "@pulumi/pulumi";
import * as k8s from "@pulumi/kubernetes";

// The SDK of the program does not know what a transform makes of a parent; the engine does.
const renderYamlToDirectory = new pulumi.Config("kubernetes").get("renderYamlToDirectory");
const provider = new k8s.Provider("team", { namespace: "team", renderYamlToDirectory });
const given: pulumi.ResourceTransform = ({ name, props, opts }) =>
    name.startsWith("parent") ? { props, opts: { ...opts, provider } } : undefined;

const parent = new k8s.core.v1.ServiceAccount("parent", {}, { transforms: [given] });
const child = new k8s.core.v1.ServiceAccount("child", {}, { parent });
new k8s.rbac.v1.Role("grandchild", { rules: [] }, { parent: child });

class Component extends pulumi.ComponentResource {
    constructor(name: string, opts?: pulumi.ComponentResourceOptions) {
        super("example:index:Component", name, {}, opts);
        new k8s.core.v1.ServiceAccount(`of-${name}`, {}, { parent: this });
        this.registerOutputs();
    }
}

new Component("component", { parent });
new Component("parent-component", { transforms: [given] });
