import * as pulumi from "@pulumi/pulumi";
import * as k8s from "@pulumi/kubernetes";

interface Tenant {
    name: string;
    quota?: { cpu: number; memory: string };
    admins: string[];
}

const config = new pulumi.Config();
const tenants = config.requireObject<Tenant[]>("tenants");
const token = config.requireSecret("token");

for (const tenant of tenants) {
    const namespace = new k8s.core.v1.Namespace(tenant.name, {
        metadata: { name: tenant.name, labels: { stack: pulumi.getStack() } },
    });
    const metadata = { namespace: namespace.metadata.name };
    if (tenant.quota) {
        new k8s.core.v1.ResourceQuota(tenant.name, { metadata, spec: { hard: { cpu: `${tenant.quota.cpu}`, memory: tenant.quota.memory } } });
    }
    new k8s.rbac.v1.RoleBinding(`${tenant.name}-admins`, {
        metadata: { ...metadata, name: "admins" },
        roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "admin" },
        subjects: tenant.admins.map((name) => ({ kind: "User", name })),
    });
    new k8s.core.v1.Secret(`${tenant.name}-token`, {
        metadata,
        stringData: { token, config: pulumi.jsonStringify({ tenant: tenant.name, token }) },
    });
}
new k8s.core.v1.ConfigMap("limits", {
    data: {
        ratio: `${config.requireNumber("ratio")}`,
        debug: `${config.requireBoolean("debug")}`,
        mode: config.require<"on" | "off">("mode"),
    },
});
