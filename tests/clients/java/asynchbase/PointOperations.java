import com.stumbleupon.async.Deferred;
import com.stumbleupon.async.TimeoutException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.hbase.async.AppendRequest;
import org.hbase.async.AtomicIncrementRequest;
import org.hbase.async.Bytes;
import org.hbase.async.ColumnPrefixFilter;
import org.hbase.async.DeleteRequest;
import org.hbase.async.GetRequest;
import org.hbase.async.GetResultOrException;
import org.hbase.async.HBaseClient;
import org.hbase.async.HBaseException;
import org.hbase.async.KeyValue;
import org.hbase.async.MultiColumnAtomicIncrementRequest;
import org.hbase.async.NoSuchColumnFamilyException;
import org.hbase.async.PutRequest;
import org.hbase.async.RegionLocation;
import org.hbase.async.TableNotFoundException;

/** What happens to one row, alone and in batches. */
final class PointOperations {
  private static final long LOST_FLUSH_MS = 10_000;
  static final int ROWS = 6000;

  private final Asynchbase suite;
  private final HBaseClient client;

  PointOperations(Asynchbase suite) {
    this.suite = suite;
    this.client = suite.client;
  }

  void run() throws Exception {
    suite.check("tables and families that there are, and that there are not", this::existence);
    suite.check("where regions are", this::locations);
    suite.check("puts in batches", this::puts);
    suite.check("puts alone: columns, timestamps, a large value", this::singlePuts);
    suite.check("gets: columns, versions, time ranges, filters", this::gets);
    suite.check("gets in a batch, of which one fails", this::batchOfGets);
    suite.check("deletes", this::deletes);
    suite.check("increments", this::increments);
    suite.check("compareAndSet and atomicCreate", this::compareAndSet);
    suite.check("appends", this::appends);
    suite.check("a family that there is not fails its own edit alone", this::oneBadEdit);
  }

  private void existence() throws Exception {
    Asynchbase.await(client.ensureTableExists(Asynchbase.TABLE));
    Asynchbase.await(client.ensureTableFamilyExists(Asynchbase.TABLE, "f"));
    // Where hbase:meta has another table before it, asynchbase looks again and again, and gives up (as with HBase 2).
    Asynchbase.refused(HBaseException.class, client.ensureTableExists("nobodys"));
    Asynchbase.refused(TableNotFoundException.class, client.ensureTableExists("a table before all others"));
    Asynchbase.refused(NoSuchColumnFamilyException.class, client.ensureTableFamilyExists(Asynchbase.TABLE, "nobodys"));
    Asynchbase.refused(HBaseException.class, client.get(new GetRequest("nobodys", "row")));
  }

  private void locations() throws Exception {
    List<String> bounds = new ArrayList<>();
    for (RegionLocation region : Asynchbase.await(client.locateRegions(Asynchbase.TABLE))) {
      bounds.add(Asynchbase.s(region.startKey()) + ".." + Asynchbase.s(region.stopKey()));
      if (region.getPort() <= 0) throw new AssertionError("no port: " + region);
    }
    String[] splits = Asynchbase.SPLITS;
    Asynchbase.expect(List.of(".." + splits[0], splits[0] + ".." + splits[1], splits[1] + ".."), bounds);
    Asynchbase.await(client.prefetchMeta(Asynchbase.TABLE));
  }

  private void puts() throws Exception {
    List<Deferred<Object>> all = new ArrayList<>();
    for (int i = 0; i < ROWS; i++) {
      byte[][] qualifiers = {Asynchbase.b("number"), Asynchbase.b("parity")};
      byte[][] values = {Asynchbase.b(Integer.toString(i)), Asynchbase.b(i % 2 == 0 ? "even" : "odd")};
      all.add(client.put(new PutRequest(Asynchbase.b(Asynchbase.TABLE), Asynchbase.b(Asynchbase.row(i)), Asynchbase.b("f"), qualifiers, values, 1000)));
    }
    flush();
    Asynchbase.await(Deferred.group(all));
    for (int i : new int[] {0, 1999, 2000, 3999, 4000, ROWS - 1}) Asynchbase.expect(Integer.toString(i), value(Asynchbase.row(i), "number"));
  }

  private void singlePuts() throws Exception {
    byte[] large = new byte[3 << 20];
    for (int i = 0; i < large.length; i++) large[i] = (byte) (i * 31 >> 3);
    PutRequest put = new PutRequest(Asynchbase.TABLE, "large", "g", "q", "");
    Asynchbase.await(client.put(put));
    put = new PutRequest(Asynchbase.b(Asynchbase.TABLE), Asynchbase.b("large"), Asynchbase.b("g"), Asynchbase.b("q"), large);
    put.setBufferable(false);
    Asynchbase.await(client.put(put));
    if (!Arrays.equals(large, cells(get("large")).get(0).value())) throw new AssertionError("another value of 3 MiB came back");
    for (long time = 1; time <= 7; time++) {
      put = new PutRequest(Asynchbase.b(Asynchbase.TABLE), Asynchbase.b("versions"), Asynchbase.b("f"), Asynchbase.b("q"), Asynchbase.b("at " + time), time);
      put.setBufferable(time % 2 == 0);
      put.setDurable(time % 3 == 0);
      Asynchbase.await(client.put(put));
    }
    byte[] odd = {0, (byte) 0xff, 1};
    Asynchbase.await(client.put(new PutRequest(Asynchbase.b(Asynchbase.TABLE), odd, Asynchbase.b("g"), odd, odd)));
    Asynchbase.expect(Arrays.toString(odd), Arrays.toString(cells(new GetRequest(Asynchbase.b(Asynchbase.TABLE), odd)).get(0).qualifier()));
  }

  private void gets() throws Exception {
    Asynchbase.expect("[]", cells(get("nobodys row")));
    Asynchbase.expect("number=7 parity=odd ", text(cells(get(Asynchbase.row(7)))));
    Asynchbase.expect("parity=odd ", text(cells(get(Asynchbase.row(7)).family("f").qualifiers(new byte[][] {Asynchbase.b("parity"), Asynchbase.b("x")}))));
    Asynchbase.expect("[]", cells(get(Asynchbase.row(7)).family("g")));
    Asynchbase.expect("q=at 7 ", text(cells(get("versions"))));
    // the family keeps five
    Asynchbase.expect("q=at 7 q=at 6 q=at 5 q=at 4 q=at 3 ", text(cells(get("versions").maxVersions(100))));
    Asynchbase.expect("q=at 5 q=at 4 ", text(cells(get("versions").maxVersions(2).setTimeRange(3, 6))));
    Asynchbase.expect("number=8 ", text(cells(get(Asynchbase.row(8)).setFilter(new ColumnPrefixFilter("num")))));
    Asynchbase.expect(1000, cells(get(Asynchbase.row(8))).get(0).timestamp());
    Asynchbase.refused(NoSuchColumnFamilyException.class, client.get(get(Asynchbase.row(8)).family("nobodys")));
  }

  private void batchOfGets() throws Exception {
    List<GetRequest> requests = new ArrayList<>();
    for (int i = 0; i < 2000; i++) requests.add(get(Asynchbase.row(i * 3)));
    requests.add(get(Asynchbase.row(1)).family("nobodys"));
    requests.add(get("nobodys row"));
    List<GetResultOrException> results = Asynchbase.await(client.get(requests));
    Asynchbase.expect(requests.size(), results.size());
    for (int i = 0; i < 2000; i++) Asynchbase.expect("number=" + i * 3, text(results.get(i).getCells()).split(" ")[0]);
    if (!(results.get(2000).getException() instanceof NoSuchColumnFamilyException)) throw new AssertionError("answer " + results.get(2000));
    Asynchbase.expect("[]", results.get(2001).getCells());
  }

  private void deletes() throws Exception {
    for (String qualifier : "a b c d".split(" ")) {
      for (long time = 1; time <= 3; time++) {
        byte[] value = Asynchbase.b(Long.toString(time));
        Asynchbase.await(client.put(new PutRequest(Asynchbase.b(Asynchbase.TABLE), Asynchbase.b("deletes"), Asynchbase.b("f"), Asynchbase.b(qualifier), value, time)));
      }
    }
    GetRequest all = get("deletes").maxVersions(5);
    byte[] table = Asynchbase.b(Asynchbase.TABLE), row = Asynchbase.b("deletes"), f = Asynchbase.b("f");
    DeleteRequest one = new DeleteRequest(table, row, f, Asynchbase.b("a"), 2);
    one.setDeleteAtTimestampOnly(true);
    Asynchbase.await(client.delete(one));
    Asynchbase.await(client.delete(new DeleteRequest(table, row, f, Asynchbase.b("b"), 2)));
    Asynchbase.await(client.delete(new DeleteRequest(table, row, f, new byte[][] {Asynchbase.b("c"), Asynchbase.b("nobodys")})));
    Asynchbase.expect("a=3 a=1 b=3 d=3 d=2 d=1 ", text(cells(all)));
    Asynchbase.await(client.delete(new DeleteRequest(table, row, f, 2)));
    Asynchbase.expect("a=3 b=3 d=3 ", text(cells(all)));
    Asynchbase.await(client.put(new PutRequest(table, row, Asynchbase.b("g"), Asynchbase.b("q"), Asynchbase.b("v"))));
    Asynchbase.await(client.delete(new DeleteRequest(table, row, f)));
    Asynchbase.expect("q=v ", text(cells(all)));
    Asynchbase.await(client.delete(new DeleteRequest(table, row)));
    Asynchbase.expect("[]", cells(all));
  }

  /**
   * asynchbase now and then forgets who waits for a flush, though all that it was to send is answered, which is waited for in any case:
   * the flush alone is not waited for without end.
   */
  private void flush() throws Exception {
    try {
      client.flush().join(LOST_FLUSH_MS);
    } catch (TimeoutException lost) {
      System.err.println("a flush did not end");
    }
  }

  private void increments() throws Exception {
    int each = 500;
    List<Deferred<Long>> singles = new ArrayList<>();
    List<Deferred<Map<byte[], Long>>> multiples = new ArrayList<>();
    byte[] table = Asynchbase.b(Asynchbase.TABLE), row = Asynchbase.b("counters"), f = Asynchbase.b("f");
    byte[][] columns = {Asynchbase.b("x"), Asynchbase.b("y")};
    for (int i = 0; i < each; i++) {
      singles.add(client.atomicIncrement(new AtomicIncrementRequest(table, row, f, Asynchbase.b("direct"), 2)));
      singles.add(client.bufferAtomicIncrement(new AtomicIncrementRequest(table, row, f, Asynchbase.b("buffered"), 3)));
      multiples.add(client.atomicIncrement(new MultiColumnAtomicIncrementRequest(table, row, f, columns, new long[] {1, -1})));
      multiples.add(client.bufferMultiColumnAtomicIncrement(new MultiColumnAtomicIncrementRequest(table, row, Asynchbase.b("g"), columns, new long[] {5, 7})));
    }
    flush();
    Asynchbase.await(Deferred.group(singles));
    Asynchbase.await(Deferred.group(multiples));
    StringBuilder found = new StringBuilder();
    for (KeyValue cell : cells(get("counters"))) found.append(Asynchbase.s(cell.qualifier())).append('=').append(Bytes.getLong(cell.value())).append(' ');
    Asynchbase.expect("buffered=" + 3 * each + " direct=" + 2 * each + " x=" + each + " y=" + -each + " x=" + 5 * each + " y=" + 7 * each + " ", found);
    Asynchbase.expect(1001, Asynchbase.await(client.atomicIncrement(new AtomicIncrementRequest(table, row, f, Asynchbase.b("direct"), 1), false)));
  }

  private void compareAndSet() throws Exception {
    Asynchbase.expect(true, Asynchbase.await(client.atomicCreate(set("first"))));
    Asynchbase.expect(false, Asynchbase.await(client.atomicCreate(set("again"))));
    Asynchbase.expect(false, Asynchbase.await(client.compareAndSet(set("wrong"), "something else")));
    Asynchbase.expect(true, Asynchbase.await(client.compareAndSet(set("second"), "first")));
    Asynchbase.expect("second", value("compared", "q"));
    // of many that all expect the same, one wins
    List<Deferred<Boolean>> all = new ArrayList<>();
    for (int i = 0; i < 50; i++) all.add(client.compareAndSet(set("winner " + i), "second"));
    long winners = Asynchbase.await(Deferred.group(all)).stream().filter(won -> won).count();
    Asynchbase.expect(1, winners);
  }

  private void appends() throws Exception {
    List<Deferred<Object>> all = new ArrayList<>();
    for (int i = 0; i < 200; i++) all.add(client.append(new AppendRequest(Asynchbase.TABLE, "appended", "f", "q", "ab")));
    flush();
    Asynchbase.await(Deferred.group(all));
    Asynchbase.expect("ab".repeat(200), value("appended", "q"));
    AppendRequest request = new AppendRequest(Asynchbase.TABLE, "appended", "f", "q", "!");
    request.setBufferable(false);
    request.returnResult(true);
    KeyValue result = (KeyValue) Asynchbase.await(client.append(request));
    Asynchbase.expect("ab".repeat(200) + "!", Asynchbase.s(result.value()));
  }

  private void oneBadEdit() throws Exception {
    Deferred<Object> before = client.put(new PutRequest(Asynchbase.TABLE, "good before", "f", "q", "v"));
    Deferred<Object> bad = client.put(new PutRequest(Asynchbase.TABLE, "good in between", "nobodys", "q", "v"));
    Deferred<Object> after = client.put(new PutRequest(Asynchbase.TABLE, "good last", "f", "q", "v"));
    client.flush();
    Asynchbase.await(before);
    Asynchbase.await(after);
    Asynchbase.refused(NoSuchColumnFamilyException.class, bad);
    Asynchbase.expect("v", value("good before", "q"));
    Asynchbase.expect("v", value("good last", "q"));
  }

  // ---------------------------------------------------------------------------------------------------------------

  private static GetRequest get(String row) {
    return new GetRequest(Asynchbase.TABLE, row);
  }

  private static PutRequest set(String value) {
    return new PutRequest(Asynchbase.TABLE, "compared", "f", "q", value);
  }

  private List<KeyValue> cells(GetRequest get) throws Exception {
    return Asynchbase.await(client.get(get));
  }

  private String value(String row, String qualifier) throws Exception {
    return Asynchbase.s(cells(get(row).family("f").qualifier(qualifier)).get(0).value());
  }

  static String text(List<KeyValue> cells) {
    StringBuilder text = new StringBuilder();
    for (KeyValue cell : cells) text.append(Asynchbase.s(cell.qualifier())).append('=').append(Asynchbase.s(cell.value())).append(' ');
    return text.toString();
  }
}
