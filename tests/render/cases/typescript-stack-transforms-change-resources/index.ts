import * as pulumi from "@pulumi/pulumi";
import * as k8s from "@pulumi/kubernetes";

pulumi.runtime.registerResourceTransform(async (args) => {
    if (args.type !== "kubernetes:apps/v1:Deployment") {
        return undefined;
    }
    args.props.spec.template.spec.imagePullSecrets = [{ name: "registry" }];
    return { props: args.props, opts: pulumi.mergeOptions(args.opts, { protect: true }) };
});

const labels = { app: "web" };
new k8s.apps.v1.Deployment("web", {
    spec: {
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers: [{ name: "web", image: "web" }] } },
    },
});
new k8s.core.v1.ServiceAccount("account");
