import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.*;
import org.apache.hadoop.hbase.ipc.CallTimeoutException;

/** Every exception that there is, in the midst of a scan: it fails, or gives every row once. */
public final class ScanRefusalChecks extends ErrorChecks {
  /** The scanner is gone: another one is opened behind the last row. */
  private static final List<String> OPENED_AGAIN = Arrays.asList("NotServingRegionException", "RegionServerStoppedException",
    "RegionServerAbortedException", "UnknownScannerException", "ScannerResetException", "OutOfOrderScannerNextException", MOVED);

  private static final int[] TIMEOUTS_MS = {1500, 3000, 6000, 12_000, 20_000};

  ScanRefusalChecks(Api api, String tag, Proxy proxy, Clients clients, Configuration conf) { super(api, tag, proxy, clients, conf); }

  private TableName rows() throws Exception {
    TableName t = shared();
    List<Put> puts = new ArrayList<>();
    for (int i = 0; i < 9; i++) puts.add(put("r" + i, "a", "q", "v"));
    api.puts(t, puts);
    return t;
  }

  private List<Result> all(Api client) throws Exception {
    return client.scan(shared(), new Scan().withStartRow(b("r")).setCaching(2));
  }

  private void givesEveryRow() throws Exception { givesEveryRow(api); }
  private void givesEveryRow(Api client) throws Exception { eq("r0 r1 r2 r3 r4 r5 r6 r7 r8", rows(all(client))); }
  private int opened() throws Exception { return proxy.count("Scan/open", first(shared())); }

  private String words(String e) throws Exception {
    if (!e.equals(MOVED)) return ErrorChecks.message(e);
    return Proxy.FRONT + " " + api.locate(shared(), b("r")).getPort() + " 17 1000000";
  }

  public void a_scanner_that_cannot_be_opened_yet() throws Exception {
    String region = first(rows());
    List<String> again = new ArrayList<>(SENT_AGAIN_ELSEWHERE);
    again.addAll(SENT_AGAIN);
    givesEveryRow();
    each(again, e -> {
      proxy.refuse(2, "Scan/open", region, e, message(e));
      givesEveryRow();
      eq(SENT_AGAIN_ELSEWHERE.contains(e), lookups() > 0);
    });
  }

  public void a_scanner_that_is_refused_for_good() throws Exception {
    String region = first(rows());
    // to a synchronous client of 2.x, and ScannerResetException to an asynchronous one, these say: open another
    each(gaveUp("UnknownScannerException", "ScannerResetException", "LeaseException", "OutOfOrderScannerNextException"), e -> {
      proxy.refuse(1, "Scan/open", region, e, "words");
      refused(e, true, () -> all(api));
      eq(1, opened());
    });
  }

  public void a_scanner_that_is_gone_is_opened_again_behind_the_last_row() throws Exception {
    rows();
    givesEveryRow();
    List<String> gone = new ArrayList<>(OPENED_AGAIN);
    if (!isAsync()) gone.add("LeaseException");
    else gone.add("RegionOpeningException");
    each(gone, e -> {
      givesEveryRow();
      int usual = opened();
      proxy.forget();
      proxy.refuse(1, "Scan/next", "*", e, words(e));
      givesEveryRow();
      eq(usual + 1, opened());
    });
  }

  public void a_call_of_a_scanner_is_sent_again() throws Exception {
    rows();
    List<String> again = new ArrayList<>(SENT_AGAIN_ELSEWHERE);
    again.addAll(SENT_AGAIN);
    again.removeAll(OPENED_AGAIN);
    again.remove("RegionOpeningException");
    each(again, e -> {
      givesEveryRow();
      int usual = opened(), calls = proxy.count("Scan/next", "*");
      proxy.forget();
      proxy.refuse(1, "Scan/next", "*", e, words(e));
      givesEveryRow();
      eq(usual, opened());
      eq(calls + 1, proxy.count("Scan/next", "*"));
    });
  }

  public void a_scan_that_is_refused_for_good_fails() throws Exception {
    rows();
    each(gaveUp("UnknownScannerException", "ScannerResetException", "LeaseException", "OutOfOrderScannerNextException"), e -> {
      proxy.refuse(1, "Scan/next", "*", e, "words");
      refused(e, true, () -> all(api));
    });
  }

  public void a_lost_lease_of_an_asynchronous_client_fails() throws Exception {
    if (!isAsync()) return;
    rows();
    proxy.forget();
    proxy.refuse(1, "Scan/next", "*", "LeaseException", "words");
    refused("LeaseException", true, () -> all(api));
  }

  /**
   * The scanner has gone on meanwhile: the server answers the repeated call with OutOfOrderScannerNextException. An
   * asynchronous client waits for the whole scan timeout, and repeats nothing.
   */
  public void a_reply_that_is_lost_costs_no_row() throws Exception {
    rows();
    for (int i = 0; ; i++) {
      try {
        loseAReply(TIMEOUTS_MS[i]);
        return;
      } catch (Exception e) {
        // on a starved machine a reply that is not lost may come too late; a row that is lost or comes twice is an error at once
        if (i == TIMEOUTS_MS.length - 1) throw e;
        System.err.println("again, for with a timeout of " + TIMEOUTS_MS[i] + " ms: " + e);
      }
    }
  }

  private void loseAReply(int timeoutMs) throws Exception {
    String timeout = isAsync() ? "hbase.client.scanner.timeout.period" : "hbase.rpc.read.timeout";
    try (Api client = client(timeout, "" + timeoutMs)) {
      proxy.forget();
      givesEveryRow(client);
      proxy.forget();
      proxy.loseReplies(1, "Scan/next", "*");
      if (isAsync()) {
        fails(CallTimeoutException.class, () -> all(client));
        return;
      }
      givesEveryRow(client);
      if (opened() != 2) throw new IllegalStateException("opened " + opened() + " times");
    }
  }

  public void a_synchronous_client_takes_one_wrong_number_in_a_row() throws Exception {
    if (isAsync()) return;
    String region = first(rows());
    proxy.forget();
    proxy.refuse(2, "Scan/open", region, "OutOfOrderScannerNextException", "words");
    fails(DoNotRetryIOException.class, () -> all(api));
    eq(2, opened());
  }
}
