import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.hadoop.hbase.CompareOperator;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.*;
import org.apache.hadoop.hbase.filter.Filter;
import org.apache.hadoop.hbase.filter.FilterList;
import org.apache.hadoop.hbase.filter.SingleColumnValueFilter;
import org.apache.hadoop.hbase.util.Bytes;

/** Increment, append, checkAndMutate, RowMutations: read and write of one row in one step. */
final class AtomicChecks extends Checks {
  AtomicChecks(Api api, String tag) { super(api, tag); }

  private boolean check(CheckAndMutate c) throws Exception { return api.checkAndMutate(shared(), c).isSuccess(); }
  private String value(String row) throws Exception { return s(api.get(shared(), get(row).addColumn(A, Q)).value()); }

  public void increment_answers_with_the_new_values() throws Exception {
    TableName t = shared();
    Result r = api.increment(t, new Increment(b("inc")).addColumn(A, Q, 5).addColumn(B, Q, 7));
    eq(5L, Bytes.toLong(r.getValue(A, Q)));
    eq(7L, Bytes.toLong(r.getValue(B, Q)));
    r = api.increment(t, new Increment(b("inc")).addColumn(A, Q, -15));
    eq(-10L, Bytes.toLong(r.getValue(A, Q)));
    eq(-10L, Bytes.toLong(api.get(t, get("inc")).getValue(A, Q)));
    eq(1, r.size());
  }

  public void increment_can_be_silent() throws Exception {
    TableName t = shared();
    Result r = api.increment(t, new Increment(b("quiet")).addColumn(A, Q, 3).setReturnResults(false));
    yes(r == null || r.isEmpty(), "a silent increment answered " + r);
    eq(3L, Bytes.toLong(api.get(t, get("quiet")).value()));
  }

  public void increment_of_what_is_no_number_is_refused() throws Exception {
    TableName t = shared();
    api.put(t, put("text", "a", "q", "abc"));
    fails(DoNotRetryIOException.class, () -> api.increment(t, new Increment(b("text")).addColumn(A, Q, 1)));
    eq("abc", value("text"));
  }

  public void concurrent_increments_all_count() throws Exception {
    TableName t = shared();
    List<Thread> threads = new ArrayList<>();
    List<Throwable> errors = java.util.Collections.synchronizedList(new ArrayList<>());
    for (int i = 0; i < 8; i++) {
      Thread th = new Thread(() -> {
        try {
          for (int n = 0; n < 100; n++) api.increment(t, new Increment(b("race")).addColumn(A, Q, 1));
        } catch (Exception e) {
          errors.add(e);
        }
      });
      th.start();
      threads.add(th);
    }
    for (Thread th : threads) th.join();
    eq("[]", errors.toString());
    eq(800L, Bytes.toLong(api.get(t, get("race")).value()));
  }

  public void append_to_something_and_to_nothing() throws Exception {
    TableName t = shared();
    eq("app/a:q=ab", text(api.append(t, new Append(b("app")).addColumn(A, Q, b("ab")))));
    eq("app/a:q=abcd app/b:q=x", text(api.append(t, new Append(b("app")).addColumn(A, Q, b("cd")).addColumn(B, Q, b("x")))));
    Result r = api.append(t, new Append(b("app")).addColumn(A, Q, b("ef")).setReturnResults(false));
    yes(r == null || r.isEmpty(), "a silent append answered " + r);
    eq("app/a:q=abcdef app/b:q=x", text(api.get(t, get("app"))));
  }

  public void check_equal_then_put_or_not() throws Exception {
    api.put(shared(), put("eq", "a", "q", "1"));
    yes(check(CheckAndMutate.newBuilder(b("eq")).ifEquals(A, Q, b("1")).build(put("eq", "a", "q", "2"))), "1 is 1");
    yes(!check(CheckAndMutate.newBuilder(b("eq")).ifEquals(A, Q, b("1")).build(put("eq", "a", "q", "3"))), "2 is not 1");
    eq("2", value("eq"));
  }

  /** HBase compares the given value with the cell's: `5 GREATER than what is there`. */
  public void check_with_every_comparison() throws Exception {
    api.put(shared(), put("cmp", "a", "q", "5"));
    Object[][] cases = {{CompareOperator.EQUAL, false, true, false}, {CompareOperator.NOT_EQUAL, true, false, true},
      {CompareOperator.LESS, true, false, false}, {CompareOperator.LESS_OR_EQUAL, true, true, false},
      {CompareOperator.GREATER, false, false, true}, {CompareOperator.GREATER_OR_EQUAL, false, true, true}};
    for (Object[] c : cases) {
      for (int i = 0; i < 3; i++) {
        String given = String.valueOf(4 + i);
        boolean done = check(CheckAndMutate.newBuilder(b("cmp")).ifMatches(A, Q, (CompareOperator) c[0], b(given))
          .build(put("cmp", "b", "done", "x")));
        eq(given + " " + c[0] + " 5: " + c[1 + i], given + " " + c[0] + " 5: " + done);
      }
    }
  }

  public void check_that_nothing_is_there() throws Exception {
    yes(check(CheckAndMutate.newBuilder(b("none")).ifNotExists(A, Q).build(put("none", "a", "q", "first"))), "first");
    yes(!check(CheckAndMutate.newBuilder(b("none")).ifNotExists(A, Q).build(put("none", "a", "q", "second"))), "second");
    eq("first", value("none"));
  }

  public void check_then_delete_increment_append() throws Exception {
    TableName t = shared();
    api.put(t, put("then", "a", "q", "go"));
    CheckAndMutateResult r = api.checkAndMutate(t, CheckAndMutate.newBuilder(b("then")).ifEquals(A, Q, b("go"))
      .build(new Increment(b("then")).addColumn(B, b("n"), 4)));
    yes(r.isSuccess(), "increment");
    eq(4L, Bytes.toLong(r.getResult().value()));
    r = api.checkAndMutate(t, CheckAndMutate.newBuilder(b("then")).ifEquals(A, Q, b("go")).build(new Append(b("then")).addColumn(B, b("s"), b("tail"))));
    yes(r.isSuccess(), "append");
    eq("then/b:s=tail", text(r.getResult()));
    yes(check(CheckAndMutate.newBuilder(b("then")).ifEquals(A, Q, b("go")).build(new Delete(b("then")))), "delete");
    yes(!api.exists(t, get("then")), "still there");
  }

  public void check_then_several_mutations_of_the_row() throws Exception {
    TableName t = shared();
    api.put(t, put("rows", "a", "q", "go"));
    RowMutations m = new RowMutations(b("rows"));
    m.add(put("rows", "a", "p", "1"));
    m.add(put("rows", "b", "p", "2"));
    m.add(new Delete(b("rows")).addColumns(A, Q));
    yes(check(CheckAndMutate.newBuilder(b("rows")).ifEquals(A, Q, b("go")).build(m)), "first");
    eq("rows/a:p=1 rows/b:p=2", text(api.get(t, get("rows"))));
    yes(!check(CheckAndMutate.newBuilder(b("rows")).ifEquals(A, Q, b("go")).build(m)), "again");
  }

  public void check_with_a_filter() throws Exception {
    TableName t = shared();
    api.put(t, new Put(b("flt")).addColumn(A, b("x"), b("1")).addColumn(A, b("y"), b("2")));
    Filter both = new FilterList(new SingleColumnValueFilter(A, b("x"), CompareOperator.EQUAL, b("1")),
      new SingleColumnValueFilter(A, b("y"), CompareOperator.EQUAL, b("2")));
    yes(check(CheckAndMutate.newBuilder(b("flt")).ifMatches(both).build(put("flt", "a", "y", "3"))), "both match");
    yes(!check(CheckAndMutate.newBuilder(b("flt")).ifMatches(both).build(put("flt", "a", "y", "4"))), "y has changed");
    eq("flt/a:x=1 flt/a:y=3", text(api.get(t, get("flt"))));
  }

  public void check_of_an_old_version_by_time_range() throws Exception {
    TableName t = shared();
    api.put(t, put("time", "a", "q", 10, "old"));
    api.put(t, put("time", "a", "q", 20, "new"));
    CheckAndMutate.Builder c = CheckAndMutate.newBuilder(b("time")).ifEquals(A, Q, b("old"));
    yes(!check(c.build(put("time", "b", "q", "x"))), "the newest is not old");
    yes(check(c.timeRange(org.apache.hadoop.hbase.io.TimeRange.between(0, 15)).build(put("time", "b", "q", "x"))), "the one of then is");
  }

  public void checks_in_a_list() throws Exception {
    TableName t = shared();
    api.put(t, put("list1", "a", "q", "1"));
    api.put(t, put("list2", "a", "q", "2"));
    List<CheckAndMutateResult> all = api.checkAndMutateEach(t, Arrays.asList(
      CheckAndMutate.newBuilder(b("list1")).ifEquals(A, Q, b("1")).build(put("list1", "a", "q", "one")),
      CheckAndMutate.newBuilder(b("list2")).ifEquals(A, Q, b("1")).build(put("list2", "a", "q", "two")),
      CheckAndMutate.newBuilder(b("list3")).ifNotExists(A, Q).build(new Increment(b("list3")).addColumn(A, Q, 9))));
    yes(all.get(0).isSuccess() && !all.get(1).isSuccess() && all.get(2).isSuccess(), "results " + all);
    eq("one 2", value("list1") + " " + value("list2"));
    eq(9L, Bytes.toLong(all.get(2).getResult().value()));
  }

  public void check_equal_to_null_means_no_value() throws Exception {
    api.put(shared(), put("null", "a", "q", ""));
    yes(check(CheckAndMutate.newBuilder(b("null")).ifEquals(A, Q, null).build(put("null", "a", "q", "x"))), "an empty value equals null");
    yes(!check(CheckAndMutate.newBuilder(b("null")).ifEquals(A, Q, null).build(put("null", "a", "q", "y"))), "x does not");
  }

  public void row_mutations_are_all_or_nothing() throws Exception {
    TableName t = shared();
    RowMutations m = new RowMutations(b("all"));
    m.add(put("all", "a", "q", "1"));
    m.add(put("all", "b", "q", "2"));
    api.mutateRow(t, m);
    eq("all/a:q=1 all/b:q=2", text(api.get(t, get("all"))));
    RowMutations bad = new RowMutations(b("all"));
    bad.add(put("all", "a", "q", "3"));
    bad.add(put("all", "nope", "q", "4"));
    fails(java.io.IOException.class, () -> api.mutateRow(t, bad));
    eq("all/a:q=1 all/b:q=2", text(api.get(t, get("all"))));
  }

  public void row_mutations_with_increment_and_append() throws Exception {
    TableName t = shared();
    RowMutations m = new RowMutations(b("mix"));
    m.add((Mutation) new Increment(b("mix")).addColumn(A, b("n"), 2));
    m.add((Mutation) new Append(b("mix")).addColumn(A, b("s"), b("x")));
    m.add((Mutation) put("mix", "b", "q", "v"));
    Result r = api.mutateRow(t, m);
    eq(2L, Bytes.toLong(r.getValue(A, b("n"))));
    eq("x", s(r.getValue(A, b("s"))));
    eq("v", s(api.get(t, get("mix")).getValue(B, Q)));
  }
}
