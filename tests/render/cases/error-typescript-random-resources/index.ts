import * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";

class Foreign extends pulumi.CustomResource {
  public readonly result!: pulumi.Output<string>;
}

const password = new Foreign("random:index/randomPassword:RandomPassword", "password", {
  length: 16,
  result: undefined,
});
new Foreign("docker:index/image:Image", "web", { imageName: "web" });
new k8s.core.v1.Secret("login", { stringData: { password: password.result } });
