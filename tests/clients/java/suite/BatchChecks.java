import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.*;
import org.apache.hadoop.hbase.regionserver.NoSuchColumnFamilyException;
import org.apache.hadoop.hbase.util.Bytes;

/** Many actions in one call. */
final class BatchChecks extends Checks {
  private static final int BUFFERED_ROWS = 20_000;

  BatchChecks(Api api, String tag) { super(api, tag); }

  public void mixed_actions_over_regions_answer_in_order() throws Exception {
    TableName t = fresh("mixed", new String[] {"a"}, "h", "p");
    for (String row : new String[] {"get", "del"}) api.put(t, put(row, "a", "q", "old"));
    api.put(t, new Put(b("inc")).addColumn(A, Q, Bytes.toBytes(41L)));
    RowMutations both = new RowMutations(b("zrm"));
    both.add(put("zrm", "a", "one", "1"));
    both.add(put("zrm", "a", "two", "2"));
    Object[] r = api.batch(t, Arrays.asList(get("get"), put("put", "a", "q", "new"), new Delete(b("del")),
      new Increment(b("inc")).addColumn(A, Q, 1), new Append(b("get2")).addColumn(A, Q, b("tail")), both, get("nobody")));
    eq("get/a:q=old", text((Result) r[0]));
    eq("", text((Result) r[1]));
    eq("", text((Result) r[2]));
    eq(42L, Bytes.toLong(((Result) r[3]).value()));
    eq("get2/a:q=tail", text((Result) r[4]));
    eq("", text((Result) r[6]));
    eq("get get2 inc put zrm", rows(api.scan(t, new Scan())));
    eq("zrm/a:one=1 zrm/a:two=2", text(api.get(t, get("zrm"))));
    discard(t);
  }

  public void one_bad_action_does_not_stop_the_others() throws Exception {
    TableName t = fresh("partly", new String[] {"a"}, "m");
    Object[] r = api.batch(t, Arrays.asList(put("b", "a", "q", "1"), put("c", "nope", "q", "2"), put("x", "a", "q", "3"),
      get("y").addFamily(b("nope")), get("b")));
    eq("", text((Result) r[0]));
    yes(find(NoSuchColumnFamilyException.class, (Throwable) r[1]) != null, "put into no family: " + r[1]);
    eq("", text((Result) r[2]));
    yes(find(NoSuchColumnFamilyException.class, (Throwable) r[3]) != null, "get of no family: " + r[3]);
    yes(r[4] instanceof Result, "get after errors: " + r[4]);
    eq("b x", rows(api.scan(t, new Scan())));
    discard(t);
  }

  public void a_list_of_puts_with_a_bad_one_is_reported() throws Exception {
    TableName t = shared();
    fails(NoSuchColumnFamilyException.class, () -> api.puts(t, Arrays.asList(put("ok", "a", "q", "1"), put("bad", "nope", "q", "2"))));
    eq("ok/a:q=1", text(api.get(t, get("ok"))));
    eq("", text(api.get(t, get("bad"))));
  }

  public void a_thousand_puts_then_as_many_gets() throws Exception {
    TableName t = fresh("thousand", new String[] {"a"}, "r0250", "r0500", "r0750");
    List<Put> puts = new ArrayList<>();
    List<Get> gets = new ArrayList<>();
    for (int i = 0; i < 1000; i++) {
      String row = String.format("r%04d", i);
      puts.add(put(row, "a", "q", "v" + i));
      gets.add(get(row));
    }
    api.puts(t, puts);
    List<Result> all = api.gets(t, gets);
    for (int i = 0; i < 1000; i++) eq("v" + i, s(all.get(i).value()));
    discard(t);
  }

  public void a_buffered_mutator_loses_nothing() throws Exception {
    TableName t = fresh("buffered", new String[] {"a"}, "r05", "r10", "r15");
    List<Mutation> m = new ArrayList<>();
    for (int i = 0; i < BUFFERED_ROWS; i++) m.add(put(String.format("r%05d", i), "a", "q", "value-" + i));
    api.buffered(t, m);
    int i = 0;
    try (ResultScanner s = api.scanner(t, new Scan().setCaching(500))) {
      for (Result r; (r = s.next()) != null; i++) eq(String.format("r%05d/a:q=value-%d", i, i), text(r));
    }
    eq(BUFFERED_ROWS, i);
    discard(t);
  }

  public void the_same_row_many_times_in_one_call() throws Exception {
    TableName t = shared();
    List<Row> m = new ArrayList<>();
    for (int i = 0; i < 50; i++) m.add(new Increment(b("same")).addColumn(A, Q, 1));
    for (Object o : api.batch(t, m)) yes(o instanceof Result, "not a result: " + o);
    eq(50L, Bytes.toLong(api.get(t, get("same")).value()));
  }
}
