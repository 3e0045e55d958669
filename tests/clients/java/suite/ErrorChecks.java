import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.*;
import org.apache.hadoop.hbase.ipc.RemoteWithExtrasException;
import org.apache.hadoop.hbase.util.VersionInfo;

/** Checks of what a client does about an exception; the server is behind a proxy that sees every call. */
abstract class ErrorChecks extends Checks {
  /** The client drops what it knows of the region's place, asks hbase:meta and sends the call again. */
  static final List<String> SENT_AGAIN_ELSEWHERE = Arrays.asList("IOException", "NotServingRegionException", "RegionOpeningException",
    "WrongRegionException", "RegionServerStoppedException", "RegionServerAbortedException", "ServerNotRunningYetException",
    "PleaseHoldException", "MasterNotRunningException", "RegionOfflineException", "TimeoutIOException", "ClockOutOfSyncException",
    "ConnectionClosedException", "CallTimeoutException");
  /** The client waits, and sends the call again to the same server. */
  static final List<String> SENT_AGAIN = Arrays.asList("RegionTooBusyException", "CallQueueTooBigException", "CallDroppedException",
    "RpcThrottlingException", "MultiActionResultTooLarge");
  /** The message names the server to go to. */
  static final String MOVED = "RegionMovedException";
  /** The clients' jars lack them: servers say them to each other, or to a client that wants Kerberos. */
  static final List<String> UNKNOWN_TO_CLIENTS = Arrays.asList("YouAreDeadException", "DecommissionedHostRejectedException", "SecurityNotEnabledException");

  /** A check that fails after so long is tried again: leases of scanners are short here, and end when the machine stalls. */
  private static final int STALL_MS = 1000, TRIES = 3;

  static final int PAUSE_MS = 5, OVERLOADED_PAUSE_MS = 50;

  /** How to make another client like the one under test, with other settings. */
  interface Clients {
    Api open(Configuration conf) throws Exception;
  }

  final Proxy proxy;
  private final Clients clients;
  private final Configuration conf;
  private Api impatient;

  ErrorChecks(Api api, String tag, Proxy proxy, Clients clients, Configuration conf) {
    super(api, tag);
    this.proxy = proxy;
    this.clients = clients;
    this.conf = conf;
  }

  static void configure(Configuration c) {
    c.setInt("hbase.client.pause", PAUSE_MS);
    c.setInt("hbase.client.pause.server.overloaded", OVERLOADED_PAUSE_MS);
    c.setInt("hbase.ipc.client.failed.servers.expiry", 0); // a connection that was ended may be made again at once
  }

  Api client(String... settings) throws Exception {
    Configuration c = new Configuration(conf);
    for (int i = 0; i < settings.length; i += 2) c.set(settings[i], settings[i + 1]);
    return clients.open(c);
  }

  /** A client that never sends anything a second time, so that an exception gets through to the caller. */
  Api impatient() throws Exception {
    if (impatient == null) impatient = client("hbase.client.retries.number", "0");
    return impatient;
  }

  @Override
  void finish() throws Exception {
    proxy.forget();
    if (impatient != null) impatient.close();
    super.finish();
  }

  /** Those after which the client gives up: all but the others, and but some which are a scanner's. */
  List<String> gaveUp(String... ofScanners) throws Exception {
    List<String> rest = new ArrayList<>(proxy.classes());
    rest.removeAll(SENT_AGAIN_ELSEWHERE);
    rest.removeAll(SENT_AGAIN);
    rest.removeAll(UNKNOWN_TO_CLIENTS);
    rest.remove(MOVED);
    rest.removeAll(Arrays.asList(ofScanners));
    yes(rest.size() > 25, "only " + rest);
    return rest;
  }

  /** The message of an exception, in the proxy's words. */
  static String message(String exception) { return exception.equals("RpcThrottlingException") ? "10" : "words"; }

  interface Check {
    void of(String exception) throws Exception;
  }

  /** Every exception, whatever the others do: a failure names all that were wrong. */
  void each(List<String> exceptions, Check check) throws Exception {
    List<String> wrong = new ArrayList<>();
    for (String e : exceptions) {
      Throwable failed = null;
      for (int i = 0; i == 0 || failed != null && i < TRIES; i++) {
        proxy.forget();
        long start = System.nanoTime();
        try {
          check.of(e);
          failed = null;
        } catch (Exception | AssertionError x) {
          failed = x;
          long ms = (System.nanoTime() - start) / 1_000_000;
          if (ms < STALL_MS) break;
          System.err.println(e + " failed after " + ms + " ms: " + x);
        }
      }
      if (failed != null) wrong.add(e + ": " + failed);
    }
    proxy.forget();
    yes(wrong.isEmpty(), String.join("; ", wrong));
  }

  /** Part of each request for the first region of a table. */
  static String first(TableName t) { return t + ",,1"; }

  /** How often hbase:meta was asked for a region. */
  int lookups() throws Exception { return proxy.count("Scan/open", "hbase:meta,"); }

  /** The action fails with this exception, which the server said is final, or not. */
  RemoteWithExtrasException refused(String exception, boolean isFinal, Action action) throws Exception {
    try {
      action.run();
    } catch (Exception e) {
      RemoteWithExtrasException remote = (RemoteWithExtrasException) find(RemoteWithExtrasException.class, e);
      yes(remote != null, "nothing that the server said in " + e);
      eq(exception, remote.getClassName().replaceAll(".*\\.", ""));
      eq(isFinal, remote.isDoNotRetry());
      boolean found = false;
      for (Throwable t = e; t != null; t = t.getCause()) found |= t.getClass().getSimpleName().equals(exception);
      yes(found || UNKNOWN_TO_CLIENTS.contains(exception), "the client made " + e + " of " + exception);
      return remote;
    }
    throw new AssertionError("expected " + exception + ", but it succeeded");
  }

  /** Whether the client under test is of this version or later. */
  static boolean isClient(int major, int minor) {
    String[] v = VersionInfo.getVersion().split("[.-]");
    int x = Integer.parseInt(v[0]), y = Integer.parseInt(v[1]);
    return x > major || x == major && y >= minor;
  }

  /** Whether the calls go the way of the asynchronous client, as all do in 3.0. */
  boolean isAsync() { return api instanceof AsyncApi || isClient(3, 0); }

  static long elapsedMs(Action action) throws Exception {
    long start = System.nanoTime();
    action.run();
    return (System.nanoTime() - start) / 1_000_000;
  }
}
