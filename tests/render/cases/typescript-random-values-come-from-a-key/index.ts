import * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";

class RandomPassword extends pulumi.CustomResource {
  public readonly result!: pulumi.Output<string>;

  constructor(name: string, args: pulumi.Inputs, opts?: pulumi.CustomResourceOptions) {
    const outputs = { result: undefined, bcryptHash: undefined };
    const marked = { additionalSecretOutputs: ["bcryptHash", "result"] };
    super(
      "random:index/randomPassword:RandomPassword",
      name,
      { ...args, ...outputs },
      pulumi.mergeOptions(opts, marked),
    );
  }
}

class RandomInteger extends pulumi.CustomResource {
  public readonly result!: pulumi.Output<number>;

  constructor(name: string, args: pulumi.Inputs) {
    super("random:index/randomInteger:RandomInteger", name, { ...args, result: undefined });
  }
}

class Store extends pulumi.ComponentResource {
  constructor(name: string) {
    super("example:index:Store", name);
    const password = new RandomPassword(`${name}-password`, { length: 20 }, { parent: this });
    const keepers = { of: password.result };
    const derived = new RandomPassword(`${name}-derived`, { length: 12, keepers }, { parent: this });
    new k8s.core.v1.Secret(
      name,
      {
        metadata: { name },
        stringData: {
          url: pulumi.interpolate`postgres://app:${password.result}@db`,
          derived: derived.result,
        },
      },
      { parent: this },
    );
  }
}

const password = new RandomPassword("password", { length: 16, minSpecial: 2 });
const port = new RandomInteger("port", { min: 30000, max: 32767 });
new Store("store");
new k8s.core.v1.Secret("login", {
  metadata: { name: "login" },
  stringData: { password: password.result },
});
new k8s.core.v1.Service("web", {
  spec: { type: "NodePort", ports: [{ port: 80, nodePort: port.result }] },
});
