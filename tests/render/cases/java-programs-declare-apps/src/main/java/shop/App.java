package shop;

import com.pulumi.Context;
import com.pulumi.Pulumi;
import com.pulumi.core.Output;
import com.pulumi.core.TypeShape;
import com.pulumi.kubernetes.apps.v1.Deployment;
import com.pulumi.kubernetes.apps.v1.DeploymentArgs;
import com.pulumi.kubernetes.apps.v1.inputs.DeploymentSpecArgs;
import com.pulumi.kubernetes.core.v1.ConfigMapArgs;
import com.pulumi.kubernetes.core.v1.Namespace;
import com.pulumi.kubernetes.core.v1.NamespaceArgs;
import com.pulumi.kubernetes.core.v1.Secret;
import com.pulumi.kubernetes.core.v1.SecretArgs;
import com.pulumi.kubernetes.core.v1.Service;
import com.pulumi.kubernetes.core.v1.ServiceArgs;
import com.pulumi.kubernetes.core.v1.inputs.ContainerArgs;
import com.pulumi.kubernetes.core.v1.inputs.ContainerPortArgs;
import com.pulumi.kubernetes.core.v1.inputs.EnvVarArgs;
import com.pulumi.kubernetes.core.v1.inputs.PodSpecArgs;
import com.pulumi.kubernetes.core.v1.inputs.PodTemplateSpecArgs;
import com.pulumi.kubernetes.core.v1.inputs.ServicePortArgs;
import com.pulumi.kubernetes.core.v1.inputs.ServiceSpecArgs;
import com.pulumi.kubernetes.meta.v1.inputs.LabelSelectorArgs;
import com.pulumi.kubernetes.meta.v1.inputs.ObjectMetaArgs;
import com.pulumi.resources.ComponentResourceOptions;
import com.pulumi.resources.CustomResourceOptions;
import com.pulumi.resources.ResourceTransformation;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** What programs do: apps from a list, a component, a chart, secrets, values of other objects. */
public class App {
  public static void main(String[] args) {
    Pulumi.run(App::stack);
  }

  private static void stack(Context ctx) {
    var shops = ctx.config().getObject("apps", TypeShape.list(Shop.class)).orElseThrow();
    var namespace =
        new Namespace(
            "shop",
            NamespaceArgs.builder().metadata(ObjectMetaArgs.builder().name("shop").build()).build());
    for (var shop : shops) {
      ctx.export(shop.name, declare(namespace, shop));
    }
    var password = ctx.config().requireSecret("password");
    new Secret(
        "login",
        SecretArgs.builder()
            .stringData(
                Output.tuple(password, Output.format("db://%s@host", password))
                    .applyValue(both -> Map.of("password", both.t1, "url", both.t2)))
            .build());
    var pair =
        new Pair(
            "pair",
            ComponentResourceOptions.builder().resourceTransformations(App::labelled).build());
    new Chart(
        "chart",
        new Chart.Args(
            "./charts/web",
            "shop",
            pair.name.applyValue(name -> Map.of("replicas", 2, "config", Map.of("name", name)))),
        ComponentResourceOptions.builder().dependsOn(namespace).build());
  }

  private static Optional<ResourceTransformation.Result> labelled(ResourceTransformation.Args args) {
    if (!(args.args() instanceof ConfigMapArgs)) {
      return Optional.empty();
    }
    var given = (ConfigMapArgs) args.args();
    var data = given.data().orElseThrow();
    return Optional.of(
        new ResourceTransformation.Result(
            ConfigMapArgs.builder(given)
                .data(data.applyValue(map -> Map.of("side", map.get("side") + ", transformed")))
                .build(),
            args.options()));
  }

  private static Output<String> declare(Namespace namespace, Shop shop) {
    var labels = Map.of("app", shop.name);
    var metadata =
        ObjectMetaArgs.builder()
            .namespace(namespace.metadata().applyValue(m -> m.name().orElseThrow()))
            .labels(labels)
            .build();
    List<EnvVarArgs> env =
        shop.env == null
            ? List.of()
            : shop.env.entrySet().stream()
                .sorted(Map.Entry.comparingByKey(Comparator.naturalOrder()))
                .map(e -> EnvVarArgs.builder().name(e.getKey()).value(e.getValue()).build())
                .toList();
    var deployment =
        new Deployment(
            shop.name,
            DeploymentArgs.builder()
                .metadata(metadata)
                .spec(
                    DeploymentSpecArgs.builder()
                        .replicas(shop.replicas)
                        .selector(LabelSelectorArgs.builder().matchLabels(labels).build())
                        .template(
                            PodTemplateSpecArgs.builder()
                                .metadata(ObjectMetaArgs.builder().labels(labels).build())
                                .spec(
                                    PodSpecArgs.builder()
                                        .containers(
                                            ContainerArgs.builder()
                                                .name("app")
                                                .image(shop.image)
                                                .env(env)
                                                .ports(
                                                    ContainerPortArgs.builder()
                                                        .containerPort(8080)
                                                        .build())
                                                .build())
                                        .build())
                                .build())
                        .build())
                .build(),
            CustomResourceOptions.builder()
                .protect(true)
                .ignoreChanges("spec.replicas", "spec.template.spec.containers[*].image")
                .build());
    var service =
        new Service(
            shop.name,
            ServiceArgs.builder()
                .metadata(metadata)
                .spec(
                    ServiceSpecArgs.builder()
                        .selector(
                            deployment
                                .spec()
                                .applyValue(
                                    spec ->
                                        spec.template().metadata().orElseThrow().labels()))
                        .ports(ServicePortArgs.builder().port(80).targetPort(8080).build())
                        .build())
                .build(),
            CustomResourceOptions.builder().dependsOn(deployment).build());
    // What only the cluster knows reaches no object here, but the program may look at it.
    return service
        .status()
        .applyValue(
            status ->
                status.flatMap(s -> s.loadBalancer()).map(l -> l.ingress().size()).orElse(0) + "");
  }
}
