import * as pulumi from "@pulumi/pulumi";
import * as k8s from "@pulumi/kubernetes";

// A transform gets an output of what is secret, and of what its own resource has from another one.
const say = (value: unknown) => (pulumi.Output.isInstance(value) ? "output" : typeof value);
const adds = (more: (data: any) => object): pulumi.ResourceTransform => ({ props, opts }) => ({
    props: { ...props, stringData: pulumi.output(props.stringData).apply((data) => ({ ...data, ...more(data) })) },
    opts,
});

new k8s.core.v1.Secret("login", {
    metadata: { name: "login" },
    stringData: { user: "shop", password: pulumi.secret("battery-staple-77") },
}, { transforms: [adds((data) => ({ address: `${data.user}:${data.password}@db` })), adds(() => ({ last: "yes" }))] });

const base = new k8s.core.v1.ConfigMap("base", { metadata: { name: "base" }, data: { a: "1" } });
new k8s.core.v1.ConfigMap("seen", {
    metadata: { name: "seen" },
    data: { base: base.metadata.name, plain: "1" },
}, {
    transforms: [
        ({ props, opts }) => ({ props: { ...props, metadata: { name: "seen", labels: { data: say(props.data), metadata: say(props.metadata) } } }, opts }),
        ({ props, opts }) => ({ props: { ...props, data: { ...props.data, then: say(props.data) } }, opts }),
    ],
});
