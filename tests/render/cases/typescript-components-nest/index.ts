import * as pulumi from "@pulumi/pulumi";
import * as k8s from "@pulumi/kubernetes";

interface DatabaseArgs {
    namespace: pulumi.Input<string>;
    version?: pulumi.Input<string>;
    storage: pulumi.Input<string>;
}

class Database extends pulumi.ComponentResource {
    public readonly host: pulumi.Output<string>;

    constructor(name: string, args: DatabaseArgs, opts?: pulumi.ComponentResourceOptions) {
        super("shop:index:Database", name, args, opts);
        const labels = { app: name };
        const service = new k8s.core.v1.Service(name, {
            metadata: { namespace: args.namespace },
            spec: { clusterIP: "None", ports: [{ port: 5432 }], selector: labels },
        }, { parent: this });
        new k8s.apps.v1.StatefulSet(name, {
            metadata: { namespace: args.namespace },
            spec: {
                serviceName: service.metadata.name,
                selector: { matchLabels: labels },
                template: {
                    metadata: { labels },
                    spec: {
                        containers: [{
                            name: "postgres",
                            image: pulumi.interpolate`postgres:${args.version ?? "17"}`,
                            env: [{ name: "PGDATA", value: "/data/pg" }],
                            volumeMounts: [{ name: "data", mountPath: "/data" }],
                        }],
                    },
                },
                volumeClaimTemplates: [{
                    metadata: { name: "data" },
                    spec: {
                        accessModes: ["ReadWriteOnce"],
                        resources: { requests: { storage: args.storage } },
                    },
                }],
            },
        }, { parent: this, dependsOn: service, ignoreChanges: ["spec.replicas"] });
        this.host = pulumi.interpolate`${service.metadata.name}.${service.metadata.namespace}.svc`;
        this.registerOutputs({ host: this.host });
    }
}

class Shop extends pulumi.ComponentResource {
    public readonly url: pulumi.Output<string>;

    constructor(name: string, opts?: pulumi.ComponentResourceOptions) {
        super("shop:index:Shop", name, {}, opts);
        const namespace = new k8s.core.v1.Namespace(name, { metadata: { name } }, { parent: this });
        const databases = ["orders", "stock"].map((database) => new Database(`${name}-${database}`, {
            namespace: namespace.metadata.name,
            storage: database === "orders" ? "10Gi" : "1Gi",
        }, { parent: this }));
        const hosts = pulumi.all(databases.map((database) => database.host));
        new k8s.core.v1.ConfigMap(`${name}-databases`, {
            metadata: { namespace: namespace.metadata.name },
            data: {
                hosts: hosts.apply((all) => all.join(",")),
                json: pulumi.jsonStringify({ hosts, count: databases.length }),
                first: pulumi.output(databases).apply((all) => all[0].host),
                concat: pulumi.concat("postgres://", databases[1].host, ":", 5432),
            },
        }, { parent: this });
        this.url = pulumi.interpolate`https://${namespace.metadata.name}.example.com`;
        this.registerOutputs();
    }
}

export const url = new Shop("shop").url;
