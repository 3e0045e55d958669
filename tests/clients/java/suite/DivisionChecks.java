import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.*;
import org.apache.hadoop.hbase.exceptions.MergeRegionException;

/** Splits and merges of regions: what was there before is there after, and clients find it. */
final class DivisionChecks extends Checks {
  private static final int ROWS = 400, LIMIT_MS = 180_000, PAUSE_MS = 100;

  DivisionChecks(Api api, String tag) { super(api, tag); }

  public void a_region_is_split_at_a_row_written_to_and_merged_again() throws Exception {
    TableName t = filled("split", table(name("split"), "a"));
    String before = text(api.scan(t, new Scan()));
    api.split(only(t).getRegionName(), b("r0100"));
    List<RegionInfo> daughters = api.regions(t);
    eq(2, daughters.size());
    eq("r0100", s(daughters.get(0).getEndKey()));
    eq("r0100", s(daughters.get(1).getStartKey()));
    eq(before, text(api.scan(t, new Scan())));
    List<Result> backward = api.scan(t, new Scan().setReversed(true));
    java.util.Collections.reverse(backward);
    eq(before, text(backward));
    eq("r0099/a:q=v0099", text(api.get(t, get("r0099"))));
    eq("r0100/a:q=v0100", text(api.get(t, get("r0100"))));
    api.put(t, put("r0099x", "a", "q", "below"));
    api.put(t, put("r0100", "a", "q", "above"));
    api.flush(t);
    String divided = text(api.scan(t, new Scan()));
    yes(divided.contains("r0099x/a:q=below, r0100/a:q=above"), "what was written after the split");
    // once the daughters have files of their own
    until("a merge", () -> {
      try {
        api.merge(List.of(daughters.get(0).getEncodedNameAsBytes(), daughters.get(1).getEncodedNameAsBytes()));
        return true;
      } catch (Exception e) {
        if (find(MergeRegionException.class, e) == null) throw e;
        return false;
      }
    });
    only(t);
    eq(divided, text(api.scan(t, new Scan())));
    api.put(t, put("r0500", "a", "q", "merged"));
    eq("r0500/a:q=merged", text(api.get(t, get("r0500"))));
    discard(t);
  }

  public void rows_of_a_prefix_stay_together_where_the_table_says_so() throws Exception {
    String restriction = "hbase.regionserver.region.split_restriction.";
    TableName t = filled("restricted", table(name("restricted"), "a").setValue(restriction + "type", "KeyPrefix").setValue(restriction + "prefix_length", "3"));
    api.split(only(t).getRegionName(), b("r0123"));
    eq("r01", s(api.regions(t).get(1).getStartKey()));
    discard(t);
  }

  public void a_region_is_truncated_and_its_neighbour_is_not() throws Exception {
    TableName t = fresh("truncated", new String[] {"a"}, "m");
    api.puts(t, List.of(put("a", "a", "q", "v"), put("x", "a", "q", "v")));
    api.flush(t);
    api.put(t, put("b", "a", "q", "v"));
    if (api.truncateRegion(api.regions(t).get(0).getRegionName())) {
      eq("x", rows(api.scan(t, new Scan())));
      eq(2, api.regions(t).size());
      api.put(t, put("c", "a", "q", "new"));
      eq("c x", rows(api.scan(t, new Scan())));
    }
    discard(t);
  }

  public void a_row_to_split_at_is_found_where_none_is_named() throws Exception {
    TableDescriptorBuilder d = TableDescriptorBuilder.newBuilder(name("middle"));
    d.setColumnFamily(ColumnFamilyDescriptorBuilder.newBuilder(A).setBlocksize(1024).build());
    TableName t = filled("middle", d);
    String before = text(api.scan(t, new Scan()));
    api.split(only(t).getRegionName(), null);
    List<RegionInfo> daughters = api.regions(t);
    eq(2, daughters.size());
    String middle = s(daughters.get(0).getEndKey());
    // of the rows that are in a file
    yes(middle.compareTo("r0050") > 0 && middle.compareTo("r0150") < 0, "split at " + middle);
    eq(before, text(api.scan(t, new Scan())));
    discard(t);
  }

  public void a_region_that_has_grown_is_split_by_itself() throws Exception {
    TableDescriptorBuilder d = TableDescriptorBuilder.newBuilder(name("grown"));
    d.setColumnFamily(ColumnFamilyDescriptorBuilder.newBuilder(A).setBlocksize(1024).build());
    d.setValue("hbase.increasing.policy.initial.size", "10000");
    TableName t = filled("grown", d);
    String before = text(api.scan(t, new Scan()));
    api.flush(t);
    until("a split", () -> api.regions(t).size() == 2);
    eq(before, text(api.scan(t, new Scan())));
    discard(t);
  }

  public void what_makes_no_sense_is_refused() throws Exception {
    TableName t = fresh("refused", new String[] {"a"}, "h", "p");
    byte[] second = api.regions(t).get(1).getRegionName();
    String outside = fails(DoNotRetryIOException.class, () -> api.split(second, b("z"))).getMessage();
    yes(outside.contains("Split row is not inside region key range"), outside);
    List<byte[]> apart = List.of(api.regions(t).get(0).getEncodedNameAsBytes(), api.regions(t).get(2).getEncodedNameAsBytes());
    fails(MergeRegionException.class, () -> api.merge(apart));
    eq(3, api.regions(t).size());
    discard(t);
  }

  /** A new table of one region with some rows, half of them in a file. */
  private TableName filled(String short_, TableDescriptorBuilder d) throws Exception {
    TableName t = name(short_);
    discard(t);
    api.create(d.build());
    List<Put> puts = new ArrayList<>();
    for (int i = 0; i < ROWS; i++) {
      puts.add(put(String.format("r%04d", i), "a", "q", String.format("v%04d", i)));
      if (puts.size() == ROWS / 2) {
        api.puts(t, puts);
        puts.clear();
        if (i < ROWS / 2) api.flush(t);
      }
    }
    return t;
  }

  private RegionInfo only(TableName t) throws Exception {
    List<RegionInfo> regions = api.regions(t);
    eq(1, regions.size());
    return regions.get(0);
  }

  private interface Fact {
    boolean holds() throws Exception;
  }

  private static void until(String what, Fact fact) throws Exception {
    long end = System.nanoTime() + LIMIT_MS * 1_000_000L;
    while (!fact.holds()) {
      yes(System.nanoTime() < end, "no " + what + " within " + LIMIT_MS + " ms");
      Thread.sleep(PAUSE_MS);
    }
  }
}
