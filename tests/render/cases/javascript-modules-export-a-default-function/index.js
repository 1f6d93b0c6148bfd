import * as pulumi from "@pulumi/pulumi";
import * as k8s from "@pulumi/kubernetes";
import { labels } from "./labels.js";

const { readFile } = await import("node:fs/promises");
const page = await readFile(new URL("./page.html", import.meta.url), "utf8");

export default async function () {
    const settings = new k8s.core.v1.ConfigMap("page", {
        metadata: { labels: labels("page") },
        data: { "index.html": page },
    });
    return { name: settings.metadata.name, stack: pulumi.getStack() };
}
