import * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";

class Shop extends pulumi.ComponentResource {
  constructor(name: string, opts?: pulumi.ComponentResourceOptions) {
    super("case:index:Shop", name, {}, opts);
    const ignoreChanges = ['data["b.c"]', "data.a"];
    new k8s.core.v1.ConfigMap(`${name}-settings`, { data: { a: "1", "b.c": "2" } }, { parent: this, ignoreChanges });
  }
}

new Shop("shop");
const labels = { app: "web" };
const web = new k8s.apps.v1.Deployment("web", {
  spec: {
    replicas: 2,
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: { containers: [{ name: "web", image: "web:1" }] } },
  },
}, { ignoreChanges: ["spec.template.spec.containers[*].image"] });
new k8s.autoscaling.v2.HorizontalPodAutoscaler("web", {
  spec: { maxReplicas: 4, scaleTargetRef: { apiVersion: web.apiVersion, kind: web.kind, name: web.metadata.name } },
});
