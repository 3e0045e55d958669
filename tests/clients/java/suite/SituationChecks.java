import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.NotServingRegionException;
import org.apache.hadoop.hbase.RegionTooBusyException;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.TableNotEnabledException;
import org.apache.hadoop.hbase.TableNotFoundException;
import org.apache.hadoop.hbase.UnknownScannerException;
import org.apache.hadoop.hbase.client.*;
import org.apache.hadoop.hbase.client.backoff.ClientBackoffPolicy;
import org.apache.hadoop.hbase.client.backoff.ServerStatistics;
import org.apache.hadoop.hbase.exceptions.FailedSanityCheckException;
import org.apache.hadoop.hbase.exceptions.RequestTooBigException;

/** What brings the server to its exceptions. Its limits are those of step_errors: an impatient client meets the exception, a patient one gets over it. */
public final class SituationChecks extends ErrorChecks {
  /** hbase.client.scanner.timeout.period of the server. */
  private static final int LEASE_MS = 1500;
  /** How often the server looks for leases that are over. */
  private static final int LOOK_MS = 1000;
  /** What a client that keeps a scanner's lease is busy with is quicker than that, unless the machine has no time for it. */
  private static final int STALL_MS = 500;
  /** How often something is tried that a stall may spoil, and how long a lease that is over may last. */
  private static final int TRIES = 10, LATEST_LOOK_MS = 60_000;
  private static final int MIB = 1 << 20;

  SituationChecks(Api api, String tag, Proxy proxy, Clients clients, Configuration conf) { super(api, tag, proxy, clients, conf); }

  private static byte[] bytes(int size) {
    byte[] b = new byte[size];
    new Random(size).nextBytes(b);
    return b;
  }

  private TableName rows(String name) throws Exception {
    TableName t = fresh(name, new String[] {"a"});
    List<Put> puts = new ArrayList<>();
    for (int i = 0; i < 9; i++) puts.add(put("r" + i, "a", "q", "v"));
    api.puts(t, puts);
    return t;
  }

  public void a_region_that_was_split() throws Exception {
    TableName t = rows("split");
    byte[] region = api.regions(t).get(0).getRegionName();
    eq("r7/a:q=v", text(impatient().get(t, get("r7"))));
    try (Api admin = client()) {
      admin.split(region, b("r5"));
    }
    proxy.forget();
    fails(NotServingRegionException.class, () -> impatient().get(t, get("r7")));
    eq("r7/a:q=v", text(api.get(t, get("r7"))));
    api.puts(t, Arrays.asList(put("r1", "a", "q", "w"), put("r7", "a", "q", "w")));
    eq("r1/a:q=w, r7/a:q=w", text(api.gets(t, Arrays.asList(get("r1"), get("r7")))));
    yes(lookups() > 0, "hbase:meta was not asked");
    discard(t);
  }

  public void a_region_that_is_split_in_the_midst_of_a_scan() throws Exception {
    TableName t = rows("splitscan");
    try (Api admin = client(); ResultScanner scanner = oneByOne(api, t)) {
      List<Result> all = new ArrayList<>();
      all.add(scanner.next());
      admin.split(admin.regions(t).get(0).getRegionName(), b("r5"));
      for (Result r; (r = scanner.next()) != null;) all.add(r);
      eq("r0 r1 r2 r3 r4 r5 r6 r7 r8", rows(all));
    }
    discard(t);
  }

  public void a_table_that_was_disabled_dropped_and_made_again() throws Exception {
    TableName t = rows("again");
    eq("r7/a:q=v", text(impatient().get(t, get("r7"))));
    try (Api admin = client()) {
      admin.disable(t);
      fails(NotServingRegionException.class, () -> impatient().get(t, get("r7")));
      fails(TableNotEnabledException.class, () -> api.get(t, get("r7")));
      admin.drop(t);
      fails(TableNotFoundException.class, () -> api.get(t, get("r7")));
      admin.create(table(t, "a").build());
      eq("", text(api.get(t, get("r7"))));
      api.put(t, put("r7", "a", "q", "new"));
      eq("r7/a:q=new", text(api.get(t, get("r7"))));
    }
    discard(t);
  }

  /** Its flush waits for a compaction that does not come, so that its memory stays full for hbase.hstore.blockingWaitTime. */
  public void a_region_whose_memory_is_full() throws Exception {
    TableName t = name("busy");
    discard(t);
    api.create(table(t, "a").setMemStoreFlushSize(MIB).setValue("hbase.hstore.blockingStoreFiles", "1")
      .setValue("hbase.hstore.compaction.min", "100").build());
    for (int i = 0; i < 3; i++) {
      api.put(t, put("file" + i, "a", "q", "v"));
      api.flush(t);
    }
    impatient().get(t, get("r"));
    try (Api patient = client("hbase.client.retries.number", "60", "hbase.client.operation.timeout", "120000")) {
      patient.get(t, get("r"));
      // on a starved machine the wait may be over before the puts come
      boolean refused = false;
      for (int i = 0; i < TRIES && !refused; i++) refused = areRefusedWhileItIsFull(t, patient);
      yes(refused, "the puts were not refused");
      eq("r/a:q=v", text(patient.get(t, get("r"))));
    }
    discard(t);
  }

  /** Whether both the impatient client's put and the patient one's came while the memory was full. */
  private boolean areRefusedWhileItIsFull(TableName t, Api patient) throws Exception {
    api.put(t, new Put(b("big")).addColumn(A, Q, bytes(MIB + MIB / 2)));
    try {
      impatient().put(t, put("r", "a", "q", "v"));
      return false;
    } catch (Exception e) {
      Throwable busy = find(RegionTooBusyException.class, e);
      if (busy == null) throw e;
      yes(busy.getMessage().contains("Over memstore limit="), busy.getMessage());
    }
    proxy.forget();
    patient.put(t, put("r", "a", "q", "v"));
    eq(0, lookups());
    return proxy.count("Mutate", first(t)) > 1;
  }

  /** The asynchronous client renews the lease of a scanner whose results are not taken. */
  public void a_scanner_whose_lease_is_over() throws Exception {
    TableName t = rows("lease");
    int idleMs = LEASE_MS + LOOK_MS + LEASE_MS / 2;
    boolean shown = false;
    if (isAsync()) {
      for (int i = 0; i < TRIES && !shown; i++) shown = isKeptByItself(t, idleMs);
      yes(shown, "stalls only");
    } else {
      for (; idleMs < LATEST_LOOK_MS && !shown; idleMs *= 2) shown = isOpenedAgain(t, idleMs);
      yes(shown, "a scanner was still there after " + idleMs / 2 + " ms");
    }
    discard(t);
  }

  /** False if the server has not yet looked: on a starved machine that may take longer. */
  private boolean isOpenedAgain(TableName t, int idleMs) throws Exception {
    proxy.forget();
    try (ResultScanner scanner = oneByOne(api, t); ResultScanner other = oneByOne(impatient(), t)) {
      List<Result> all = new ArrayList<>(Arrays.asList(scanner.next(), scanner.next()));
      other.next();
      int opened = proxy.count("Scan/open", first(t));
      Thread.sleep(idleMs);
      try {
        other.next();
        return false;
      } catch (Exception e) {
        if (find(UnknownScannerException.class, e) == null) throw e;
      }
      // its lease was over before that of the other
      for (Result r; (r = scanner.next()) != null;) all.add(r);
      eq("r0 r1 r2 r3 r4 r5 r6 r7 r8", rows(all));
      yes(proxy.count("Scan/open", first(t)) > opened, "the scanner was not opened again");
      eq(0, proxy.count("Scan/renew", "*"));
    }
    return true;
  }

  /** False if a stall may be the reason why the lease was over nevertheless. */
  private boolean isKeptByItself(TableName t, int idleMs) throws Exception {
    proxy.forget();
    Stalls stalls = new Stalls();
    try (ResultScanner scanner = oneByOne(api, t); ResultScanner other = oneByOne(impatient(), t)) {
      List<Result> all = new ArrayList<>(Arrays.asList(scanner.next(), scanner.next()));
      other.next();
      stalls.look();
      for (int i = 0; i < idleMs; i += LEASE_MS / 5) pause(t, stalls);
      for (Result r; (r = scanner.next()) != null; stalls.look()) all.add(r);
      eq("r0 r1 r2 r3 r4 r5 r6 r7 r8", rows(all));
    }
    int opened = proxy.count("Scan/open", first(t)), renewed = proxy.count("Scan/renew", "*");
    boolean kept = opened == 2 && renewed > 0;
    yes(kept || stalls.longestMs > STALL_MS, opened + " opened, " + renewed + " renewed");
    return kept;
  }

  /** The longest time between two answers. */
  private static final class Stalls {
    private long last = System.nanoTime(), longestMs;

    void look() {
      long now = System.nanoTime();
      longestMs = Math.max(longestMs, (now - last) / 1_000_000);
      last = now;
    }
  }

  /** Part of a lease, and a read that shows whether there was a stall: in the client, the proxy or the server. */
  private void pause(TableName t, Stalls stalls) throws Exception {
    Thread.sleep(LEASE_MS / 5);
    api.get(t, get("r0"));
    stalls.look();
  }

  private static ResultScanner oneByOne(Api client, TableName t) throws Exception {
    return client.scanner(t, new Scan().setCaching(1).setMaxResultSize(1));
  }

  public void a_scanner_whose_lease_is_renewed() throws Exception {
    TableName t = rows("renewed");
    boolean shown = false;
    for (int i = 0; i < TRIES && !shown; i++) shown = isKeptByRenewal(t);
    yes(shown, "stalls only");
    discard(t);
  }

  /** False if a stall may be the reason why the lease was over nevertheless. */
  private boolean isKeptByRenewal(TableName t) throws Exception {
    proxy.forget();
    Stalls stalls = new Stalls();
    try (ResultScanner scanner = oneByOne(api, t)) {
      List<Result> all = new ArrayList<>();
      all.add(scanner.next());
      stalls.look();
      for (int i = 0; i < 8; i++) {
        pause(t, stalls);
        scanner.renewLease();
        stalls.look();
      }
      for (Result r; (r = scanner.next()) != null; stalls.look()) all.add(r);
      eq("r0 r1 r2 r3 r4 r5 r6 r7 r8", rows(all));
    }
    int opened = proxy.count("Scan/open", first(t));
    yes(opened == 1 || stalls.longestMs > STALL_MS, opened + " opened");
    return opened == 1;
  }

  public void a_row_that_is_too_big_for_a_get() throws Exception {
    TableName t = fresh("bigrow", new String[] {"a"});
    Put row = new Put(b("r"));
    for (int i = 0; i < 4; i++) row.addColumn(A, b("q" + i), bytes(100_000));
    api.put(t, row);
    proxy.forget();
    fails(RowTooBigException.class, () -> api.get(t, get("r")));
    eq(1, proxy.count("Get", first(t)));
    eq(1, api.get(t, get("r").addColumn(A, b("q1"))).size());
    int cells = 0;
    for (Result r : api.scan(t, new Scan().setAllowPartialResults(true).setMaxResultSize(1))) cells += r.size();
    eq(4, cells);
    discard(t);
  }

  public void a_request_that_is_too_big() throws Exception {
    TableName t = shared();
    api.put(t, put("r", "a", "q", "v"));
    proxy.forget();
    fails(RequestTooBigException.class, () -> api.put(t, new Put(b("big")).addColumn(A, Q, bytes(4 * MIB))));
    eq(1, proxy.count("Mutate", first(t)));
    eq("r/a:q=v", text(api.get(t, get("r"))));
    eq("", text(api.get(t, get("big"))));
  }

  public void a_reply_that_would_be_too_big() throws Exception {
    TableName t = fresh("bigreply", new String[] {"a"});
    List<Get> gets = new ArrayList<>();
    for (int i = 0; i < 80; i++) {
      api.put(t, new Put(b("r" + i)).addColumn(A, Q, bytes(100_000 + i)));
      gets.add(get("r" + i));
    }
    proxy.forget();
    List<Result> all = api.gets(t, gets);
    for (int i = 0; i < 80; i++) yes(Arrays.equals(bytes(100_000 + i), all.get(i).value()), "row " + i);
    yes(proxy.count("Multi", first(t)) > 1, "one reply had them all");
    eq(0, lookups());
    discard(t);
  }

  /** Notes what the client knows of a region when it sends a batch. */
  public static final class Told implements ClientBackoffPolicy {
    static volatile int memstorePercent;

    public Told(Configuration conf) {}

    public long getBackoffTime(ServerName server, byte[] region, ServerStatistics of) {
      ServerStatistics.RegionStatistics known = of == null ? null : of.getStatsForRegion(region);
      memstorePercent = known == null ? -1 : known.getMemStoreLoadPercent();
      return 0;
    }
  }

  public void a_client_that_slows_down_by_itself_is_told_how_full_the_memory_is() throws Exception {
    TableName t = name("told");
    discard(t);
    api.create(table(t, "a").setMemStoreFlushSize(2 * MIB).setValue("hbase.client.backpressure.enabled", "true").build());
    try (Api client = client("hbase.client.backpressure.enabled", "true", "hbase.client.statistics.backoff-policy", Told.class.getName())) {
      List<Put> half = Arrays.asList(new Put(b("a")).addColumn(A, Q, bytes(MIB / 2)), new Put(b("b")).addColumn(A, Q, bytes(MIB / 2)));
      client.puts(t, half);
      eq(-1, Told.memstorePercent);
      client.puts(t, Arrays.asList(put("r", "a", "q", "v"), put("s", "a", "q", "v")));
      yes(Told.memstorePercent >= 50 && Told.memstorePercent < 60, Told.memstorePercent + " %");
    }
    discard(t);
  }

  public void a_timestamp_that_is_too_new() throws Exception {
    TableName t = shared();
    long tomorrow = System.currentTimeMillis() + 86_400_000;
    proxy.forget();
    fails(FailedSanityCheckException.class, () -> api.put(t, put("new", "a", "q", tomorrow, "v")));
    eq(1, proxy.count("Mutate", first(t)));
    Object[] each = api.batch(t, Arrays.asList(put("new", "a", "q", tomorrow, "v"), put("old", "a", "q", 5, "v")));
    yes(find(FailedSanityCheckException.class, (Throwable) each[0]) != null, "" + each[0]);
    yes(each[1] instanceof Result, "" + each[1]);
    eq("", text(api.get(t, get("new"))));
  }
}
