package guestbook;

import com.pulumi.Context;
import com.pulumi.Pulumi;
import com.pulumi.kubernetes.apps.v1.Deployment;
import com.pulumi.kubernetes.apps.v1.DeploymentArgs;
import com.pulumi.kubernetes.apps.v1.inputs.DeploymentSpecArgs;
import com.pulumi.kubernetes.core.v1.Service;
import com.pulumi.kubernetes.core.v1.ServiceArgs;
import com.pulumi.kubernetes.core.v1.inputs.ContainerArgs;
import com.pulumi.kubernetes.core.v1.inputs.ContainerPortArgs;
import com.pulumi.kubernetes.core.v1.inputs.PodSpecArgs;
import com.pulumi.kubernetes.core.v1.inputs.PodTemplateSpecArgs;
import com.pulumi.kubernetes.core.v1.inputs.ServicePortArgs;
import com.pulumi.kubernetes.core.v1.inputs.ServiceSpecArgs;
import com.pulumi.kubernetes.meta.v1.inputs.LabelSelectorArgs;
import com.pulumi.kubernetes.meta.v1.inputs.ObjectMetaArgs;
import java.util.Map;

/** The guestbook's front end: a Deployment and the Service in front of it. */
public class App {
  public static void main(String[] args) {
    Pulumi.run(App::stack);
  }

  private static void stack(Context ctx) {
    var replicas = ctx.config().getInteger("replicas").orElse(1);
    var labels = Map.of("app", "guestbook-ui");
    var container =
        ContainerArgs.builder()
            .name("guestbook-ui")
            .image("gcr.io/google-samples/gb-frontend:v5")
            .ports(ContainerPortArgs.builder().containerPort(80).build())
            .build();

    new Deployment(
        "guestbook-ui",
        DeploymentArgs.builder()
            .spec(
                DeploymentSpecArgs.builder()
                    .replicas(replicas)
                    .selector(LabelSelectorArgs.builder().matchLabels(labels).build())
                    .template(
                        PodTemplateSpecArgs.builder()
                            .metadata(ObjectMetaArgs.builder().labels(labels).build())
                            .spec(PodSpecArgs.builder().containers(container).build())
                            .build())
                    .build())
            .build());

    var service =
        new Service(
            "guestbook-ui",
            ServiceArgs.builder()
                .spec(
                    ServiceSpecArgs.builder()
                        .selector(labels)
                        .ports(ServicePortArgs.builder().port(80).targetPort(80).build())
                        .build())
                .build());

    ctx.export("service", service.metadata().applyValue(metadata -> metadata.name().orElse("")));
  }
}
