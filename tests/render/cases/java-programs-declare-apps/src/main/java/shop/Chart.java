package shop;

import com.pulumi.core.Output;
import com.pulumi.core.annotations.Import;
import com.pulumi.resources.ComponentResource;
import com.pulumi.resources.ComponentResourceOptions;
import com.pulumi.resources.ResourceArgs;
import java.util.Map;

/** helm.v4.Chart, as a generated SDK has it. */
public class Chart extends ComponentResource {
  public Chart(String name, Args args, ComponentResourceOptions options) {
    super("kubernetes:helm.sh/v4:Chart", name, args, options, true);
  }

  public static final class Args extends ResourceArgs {
    @Import private final Output<String> chart;
    @Import private final Output<String> namespace;
    @Import private final Output<Map<String, Object>> values;

    public Args(String chart, String namespace, Output<Map<String, Object>> values) {
      this.chart = Output.of(chart);
      this.namespace = Output.of(namespace);
      this.values = values;
    }
  }
}
