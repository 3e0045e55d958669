import com.stumbleupon.async.Deferred;
import java.io.File;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.hbase.async.HBaseClient;

/**
 * Everything that asynchbase can ask a server for.
 *
 * <p>Arguments: ZOOKEEPER_HOST:PORT CLASSPATH_OF_THE_ADMINISTRATION. asynchbase has no calls of administration: TableAdmin does
 * that with HBase's client, in a class loader of its own, for both need other versions of the same libraries.
 */
public final class Asynchbase {
  static final String TABLE = "asynchbase";
  /** The bounds between its regions. */
  static final String[] SPLITS = {"row-02000", "row-04000"};
  private static final long PATIENCE_MS = 120_000;

  final HBaseClient client;
  private final ClassLoader administration;
  private int passed;

  private Asynchbase(HBaseClient client, ClassLoader administration) {
    this.client = client;
    this.administration = administration;
  }

  interface Check {
    void run() throws Exception;
  }

  public static void main(String[] args) throws Exception {
    List<URL> urls = new ArrayList<>();
    for (String entry : args[1].split(":")) urls.add(new File(entry).toURI().toURL());
    ClassLoader own = new URLClassLoader(urls.toArray(new URL[0]), ClassLoader.getPlatformClassLoader());
    HBaseClient client = new HBaseClient(args[0]);
    client.setFlushInterval((short) 20);
    Asynchbase suite = new Asynchbase(client, own);
    int status = 1;
    try {
      suite.administer("create", TABLE, "f/5,g", SPLITS[0], SPLITS[1]);
      new PointOperations(suite).run();
      new Scans(suite).run();
      new MovingRegions(suite).run();
      await(client.shutdown());
      System.out.println(suite.passed + " checks");
      status = 0;
    } catch (Throwable failure) {
      System.out.println("FAIL " + failure.getMessage());
      failure.printStackTrace();
    }
    // the client's threads would keep a failed run alive
    System.exit(status);
  }

  void check(String name, Check check) throws Exception {
    try {
      check.run();
    } catch (Throwable failure) {
      throw new AssertionError(name + ": " + failure, failure);
    }
    passed++;
    System.out.println("PASS " + name);
  }

  void administer(String... args) throws Exception {
    Thread thread = Thread.currentThread();
    ClassLoader before = thread.getContextClassLoader();
    thread.setContextClassLoader(administration);
    try {
      administration.loadClass("TableAdmin").getMethod("main", String[].class).invoke(null, (Object) args);
    } finally {
      thread.setContextClassLoader(before);
    }
  }

  static <T> T await(Deferred<T> deferred) throws Exception {
    return deferred.join(PATIENCE_MS);
  }

  static void refused(Class<? extends Exception> wanted, Deferred<?> deferred) throws Exception {
    try {
      await(deferred);
    } catch (Exception found) {
      for (Throwable cause = found; cause != null; cause = cause.getCause()) if (wanted.isInstance(cause)) return;
      throw new AssertionError("not " + wanted.getSimpleName() + " but " + found, found);
    }
    throw new AssertionError("no " + wanted.getSimpleName());
  }

  static void expect(Object wanted, Object found) {
    if (!String.valueOf(wanted).equals(String.valueOf(found))) throw new AssertionError("found " + found + ", not " + wanted);
  }

  static byte[] b(String text) {
    return text.getBytes(StandardCharsets.ISO_8859_1);
  }

  static String s(byte[] bytes) {
    return new String(bytes, StandardCharsets.ISO_8859_1);
  }

  static String row(int number) {
    return String.format("row-%05d", number);
  }
}
