import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Notes that the Pulumi SDK itself ends the process, as it does once a program is at its end. */
public final class RendererEnd {
  private static final String END = "com.pulumi.internal.PulumiInternal.run";

  /** Is called before the program, with the name of the file whose existence is the note. */
  public static void premain(String note) {
    Runtime.getRuntime().addShutdownHook(new Thread(() -> write(Path.of(note))));
  }

  private static void write(Path note) {
    if (Thread.getAllStackTraces().values().stream().anyMatch(RendererEnd::isEnd)) {
      try {
        Files.createFile(note);
      } catch (IOException error) {
        throw new UncheckedIOException(error);
      }
    }
  }

  /** Whether a thread waits for this hook, and the SDK has called `System.exit` in it. */
  private static boolean isEnd(StackTraceElement[] trace) {
    boolean waits = false;
    for (int i = 0; i + 1 < trace.length; i++) {
      waits |= trace[i].getClassName().equals("java.lang.ApplicationShutdownHooks");
      if (name(trace[i]).equals("java.lang.System.exit")) {
        return waits && name(trace[i + 1]).equals(END);
      }
    }
    return false;
  }

  private static String name(StackTraceElement frame) {
    return frame.getClassName() + "." + frame.getMethodName();
  }
}
