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
    Put big = new Put(b("big")).addColumn(A, Q, bytes(MIB + MIB / 2));
    try (Api patient = client("hbase.client.retries.number", "30")) {
      patient.get(t, get("r"));
      api.put(t, big);
      String words = fails(RegionTooBusyException.class, () -> impatient().put(t, put("r", "a", "q", "v"))).getMessage();
      yes(words.contains("Over memstore limit="), words);
      proxy.forget();
      patient.put(t, put("r", "a", "q", "v"));
      yes(proxy.count("Mutate", first(t)) > 1, "the put was not refused");
      eq(0, lookups());
      eq("r/a:q=v", text(patient.get(t, get("r"))));
    }
    discard(t);
  }

  /** The asynchronous client renews the lease of a scanner whose results are not taken. */
  public void a_scanner_whose_lease_is_over() throws Exception {
    TableName t = rows("lease");
    proxy.forget();
    try (ResultScanner scanner = oneByOne(api, t); ResultScanner other = oneByOne(impatient(), t)) {
      List<Result> all = new ArrayList<>(Arrays.asList(scanner.next(), scanner.next()));
      other.next();
      Thread.sleep(LEASE_MS + LOOK_MS + LEASE_MS / 2);
      for (Result r; (r = scanner.next()) != null;) all.add(r);
      eq("r0 r1 r2 r3 r4 r5 r6 r7 r8", rows(all));
      eq(isAsync() ? 2 : 3, proxy.count("Scan/open", first(t)));
      eq(isAsync(), proxy.count("Scan/renew", "*") > 0);
      if (!isAsync()) fails(UnknownScannerException.class, other::next);
    }
    discard(t);
  }

  private static ResultScanner oneByOne(Api client, TableName t) throws Exception {
    return client.scanner(t, new Scan().setCaching(1).setMaxResultSize(1));
  }

  public void a_scanner_whose_lease_is_renewed() throws Exception {
    TableName t = rows("renewed");
    proxy.forget();
    try (ResultScanner scanner = oneByOne(api, t)) {
      List<Result> all = new ArrayList<>();
      all.add(scanner.next());
      for (int i = 0; i < 8; i++) {
        Thread.sleep(LEASE_MS / 5);
        scanner.renewLease();
      }
      for (Result r; (r = scanner.next()) != null;) all.add(r);
      eq("r0 r1 r2 r3 r4 r5 r6 r7 r8", rows(all));
    }
    eq(1, proxy.count("Scan/open", first(t)));
    discard(t);
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
