import java.io.FileOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.apache.hadoop.hbase.ExternalCluster;
import org.junit.AssumptionViolatedException;
import org.junit.runner.Description;
import org.junit.runner.JUnitCore;
import org.junit.runner.Request;
import org.junit.runner.manipulation.Filter;
import org.junit.runner.notification.Failure;
import org.junit.runner.notification.RunListener;

/**
 * Runs one of HBase's JUnit classes: RunClass CLASS[#METHOD] RESULTS. For each method a line is added to the file RESULTS:
 * STATE, class, method, milliseconds, message, with tabs between. STATE is PASS, FAIL, SKIP (an assumption did not hold:
 * mostly what can only be seen inside the server's process), IGNORED; START tells what was under way when a JVM had to be
 * killed. The last line tells whether the class asked for a cluster, and for which settings of a server.
 */
public final class RunClass extends RunListener {
  private static final int MESSAGE_LIMIT = 400, CAUSE_LIMIT = 200;

  private final String className;
  private final PrintStream results;
  private final Map<String, Long> begun = new HashMap<>();
  private final Set<String> told = new HashSet<>();

  private RunClass(String className, PrintStream results) {
    this.className = className;
    this.results = results;
  }

  public static void main(String[] args) throws Exception {
    String[] name = args[0].split("#", 2);
    PrintStream results = new PrintStream(new FileOutputStream(args[1], true), true, StandardCharsets.UTF_8);
    Request request = Request.aClass(Class.forName(name[0]));
    if (name.length == 2) request = request.filterWith(new OneMethod(name[1]));
    JUnitCore core = new JUnitCore();
    core.addListener(new RunClass(name[0], results));
    core.run(request);
    results.println((ExternalCluster.asked ? "CLUSTER" : "UNIT") + "\t" + name[0] + "\t-\t0\t" + ExternalCluster.wanted);
    results.close();
    System.out.flush();
    // threads that a test has left behind would keep the process
    Runtime.getRuntime().halt(0);
  }

  @Override
  public synchronized void testStarted(Description test) {
    begun.put(method(test), System.currentTimeMillis());
    told.remove(method(test));
    tell("START", test, "");
  }

  @Override
  public synchronized void testFailure(Failure failure) {
    if (!told.add(method(failure.getDescription()))) return;
    if (isAssumption(failure.getException())) {
      tell("SKIP", failure.getDescription(), message(failure.getException()));
      return;
    }
    tell("FAIL", failure.getDescription(), message(failure.getException()));
    System.err.println("FAILURE " + failure.getDescription() + "\n" + failure.getTrace());
  }

  @Override
  public synchronized void testAssumptionFailure(Failure failure) {
    if (told.add(method(failure.getDescription()))) tell("SKIP", failure.getDescription(), message(failure.getException()));
  }

  @Override
  public synchronized void testIgnored(Description test) {
    tell("IGNORED", test, "");
  }

  @Override
  public synchronized void testFinished(Description test) {
    if (told.add(method(test))) tell("PASS", test, "");
  }

  private void tell(String state, Description test, String message) {
    long from = begun.getOrDefault(method(test), System.currentTimeMillis());
    results.println(String.join("\t", state, className, method(test), Long.toString(System.currentTimeMillis() - from), message));
  }

  private static String method(Description test) {
    return test.getMethodName() == null ? "(class)" : test.getMethodName();
  }

  private static boolean isAssumption(Throwable thrown) {
    for (Throwable cause = thrown; cause != null; cause = cause.getCause()) {
      if (cause instanceof AssumptionViolatedException || cause instanceof org.junit.internal.AssumptionViolatedException) return true;
    }
    return false;
  }

  /** What was thrown, with its causes and the line of the test, on one line. */
  private static String message(Throwable thrown) {
    StringBuilder message = new StringBuilder();
    for (Throwable cause = thrown; cause != null && message.length() < MESSAGE_LIMIT; cause = cause.getCause()) {
      if (message.length() > 0) message.append(" <- ");
      message.append(cause.getClass().getSimpleName());
      if (cause.getMessage() != null) message.append(": ").append(cause.getMessage(), 0, Math.min(CAUSE_LIMIT, cause.getMessage().length()));
    }
    for (StackTraceElement at : thrown.getStackTrace()) {
      if (at.getClassName().startsWith("org.apache.hadoop.hbase") && at.getClassName().contains("Test")) {
        message.append(" @").append(at.getFileName()).append(':').append(at.getLineNumber());
        break;
      }
    }
    return message.toString().replaceAll("[\\t\\r\\n]+", " ");
  }

  /** The method of that name, with all its parameters. */
  private static final class OneMethod extends Filter {
    private final String name;

    OneMethod(String name) {
      this.name = name;
    }

    @Override
    public boolean shouldRun(Description test) {
      if (test.isTest()) return test.getMethodName().equals(name) || test.getMethodName().startsWith(name + "[");
      return test.getChildren().stream().anyMatch(this::shouldRun);
    }

    @Override
    public String describe() {
      return name;
    }
  }
}
