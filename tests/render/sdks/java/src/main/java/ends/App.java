package ends;

import com.pulumi.Context;
import com.pulumi.Pulumi;
import com.pulumi.core.Output;
import com.pulumi.kubernetes.core.v1.ConfigMap;
import com.pulumi.kubernetes.core.v1.ConfigMapArgs;
import com.pulumi.kubernetes.core.v1.Service;
import com.pulumi.kubernetes.core.v1.ServiceArgs;
import com.pulumi.resources.CustomResource;
import com.pulumi.resources.ResourceArgs;
import java.util.Map;

/** Ends in the way that its configuration names. */
public class App {
  public static void main(String[] args) {
    Pulumi.run(App::stack);
  }

  private static void stack(Context ctx) {
    var first = new ConfigMap("first");
    switch (ctx.config().require("end")) {
      case "after callbacks" ->
          later(first, () -> later(new ConfigMap("second"), () -> new ConfigMap("third")));
      case "exit" -> System.exit(0);
      case "exit in a callback" -> later(first, () -> System.exit(0));
      case "exit in a thread" -> {
        new Thread(() -> System.exit(0)).start();
        later(first, () -> new ConfigMap("second"));
      }
      case "halt" -> Runtime.getRuntime().halt(0);
      case "exception" -> throw new IllegalStateException("no such colour: blue");
      case "exception in a callback" ->
          later(
              first,
              () -> {
                throw new IllegalArgumentException("no such size: 7");
              });
      case "logged" -> ctx.log().error("the zone has no name");
      case "bucket" -> new CustomResource("aws:s3/bucket:Bucket", "b", ResourceArgs.Empty, null) {};
      case "secret" -> holds(Output.ofSecret("hunter2-hunter2"));
      case "live value" ->
          holds(
              new Service("web", ServiceArgs.Empty)
                  .spec()
                  .applyValue(spec -> spec.clusterIP().orElseThrow()));
      default -> throw new IllegalArgumentException("no such end");
    }
  }

  private static void holds(Output<String> value) {
    var data = value.applyValue(text -> Map.of("value", text));
    new ConfigMap("holder", ConfigMapArgs.builder().data(data).build());
  }

  private static void later(ConfigMap after, Runnable what) {
    after
        .id()
        .applyValue(
            id -> {
              try {
                Thread.sleep(300);
              } catch (InterruptedException error) {
                throw new IllegalStateException(error);
              }
              what.run();
              return "";
            });
  }
}
