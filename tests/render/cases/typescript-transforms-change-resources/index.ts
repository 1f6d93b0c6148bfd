import * as pulumi from "@pulumi/pulumi";
import * as k8s from "@pulumi/kubernetes";

pulumi.runtime.registerStackTransformation(({ props, opts, type }) => {
    if (type.startsWith("kubernetes:")) {
        props.metadata = { ...props.metadata, labels: { ...props.metadata?.labels, owner: "platform" } };
    }
    return { props, opts };
});

const labels = { app: "web" };
new k8s.apps.v1.Deployment("web", {
    spec: {
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers: [{ name: "web", image: "web" }] } },
    },
}, {
    transforms: [({ props, opts }) => ({ props: { ...props, spec: { ...props.spec, replicas: 5 } }, opts })],
    transformations: [({ props, opts }) => ({ props: { ...props, metadata: { ...props.metadata, name: "renamed" } }, opts })],
});
new k8s.core.v1.ServiceAccount("account");
