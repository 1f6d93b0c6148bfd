import * as pulumi from "@pulumi/pulumi";
import * as k8s from "@pulumi/kubernetes";

const lookedUp = async (name: string): Promise<Record<string, string>> => {
    await new Promise((resolve) => setTimeout(resolve, 20));
    return { name };
};

export = async () => {
    const data = await lookedUp("first");
    const first = new k8s.core.v1.ConfigMap("first", { data });
    new k8s.core.v1.ConfigMap("second", { data: lookedUp("second") });
    setTimeout(() => new k8s.core.v1.ConfigMap("late", { data: { a: "1" } }), 30);
    return { name: first.metadata.name, nested: { data: first.data } };
};
