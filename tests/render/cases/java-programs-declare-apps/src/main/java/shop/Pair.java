package shop;

import com.pulumi.core.Output;
import com.pulumi.kubernetes.core.v1.ConfigMap;
import com.pulumi.kubernetes.core.v1.ConfigMapArgs;
import com.pulumi.kubernetes.meta.v1.inputs.ObjectMetaArgs;
import com.pulumi.resources.ComponentResource;
import com.pulumi.resources.ComponentResourceOptions;
import com.pulumi.resources.CustomResourceOptions;
import java.util.Map;

/** Two objects, of which the second takes from the first. */
public class Pair extends ComponentResource {
  public final Output<String> name;

  public Pair(String name, ComponentResourceOptions options) {
    super("example:index:Pair", name, options);
    var child = CustomResourceOptions.builder().parent(this);
    var left =
        new ConfigMap(
            name + "-left",
            ConfigMapArgs.builder().data(Map.of("side", "left")).build(),
            child.build());
    this.name = left.metadata().applyValue(metadata -> metadata.name().orElseThrow());
    new ConfigMap(
        name + "-right",
        ConfigMapArgs.builder()
            .metadata(
                ObjectMetaArgs.builder()
                    .annotations(this.name.applyValue(left_ -> Map.of("left", left_ + "!")))
                    .build())
            .data(left.data())
            .immutable(true)
            .build(),
        CustomResourceOptions.builder().parent(this).dependsOn(left).build());
    registerOutputs(Map.of("name", this.name));
  }
}
