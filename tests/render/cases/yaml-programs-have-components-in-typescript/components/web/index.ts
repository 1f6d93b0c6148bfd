import * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";

export interface ApplicationArgs {
    image: pulumi.Input<string>;
    replicas?: pulumi.Input<number>;
    password?: pulumi.Input<string>;
    settings?: pulumi.Input<{ [key: string]: pulumi.Input<string> }>;
}

/** A web server with its settings and its address. */
export class Application extends pulumi.ComponentResource {
    public readonly address: pulumi.Output<string>;
    public readonly image: pulumi.Output<string>;

    constructor(name: string, args: ApplicationArgs, opts?: pulumi.ComponentResourceOptions) {
        super("web:index:Application", name, args, opts);
        const below = { parent: this };
        const labels = { app: name, stack: pulumi.getStack() };
        const settings = new k8s.core.v1.ConfigMap(`${name}-settings`, { data: args.settings ?? {} }, below);
        const login = new k8s.core.v1.Secret(
            `${name}-login`,
            { stringData: { password: args.password ?? "" } },
            below,
        );
        new k8s.apps.v1.Deployment(
            name,
            {
                spec: {
                    replicas: args.replicas ?? 1,
                    selector: { matchLabels: labels },
                    template: {
                        metadata: { labels },
                        spec: {
                            containers: [
                                {
                                    name: "web",
                                    image: args.image,
                                    envFrom: [
                                        { configMapRef: { name: settings.metadata.name } },
                                        { secretRef: { name: login.metadata.name } },
                                    ],
                                },
                            ],
                        },
                    },
                },
            },
            below,
        );
        const service = new k8s.core.v1.Service(name, { spec: { selector: labels, ports: [{ port: 80 }] } }, below);
        this.address = pulumi.interpolate`http://${service.metadata.name}`;
        this.image = pulumi.output(args.image);
        this.registerOutputs({ address: this.address, image: this.image });
    }
}
