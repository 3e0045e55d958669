import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.HRegionLocation;
import org.apache.hadoop.hbase.InvalidFamilyOperationException;
import org.apache.hadoop.hbase.TableExistsException;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.TableNotDisabledException;
import org.apache.hadoop.hbase.TableNotEnabledException;
import org.apache.hadoop.hbase.TableNotFoundException;
import org.apache.hadoop.hbase.client.*;
import org.apache.hadoop.hbase.regionserver.NoSuchColumnFamilyException;

/** The life of a table. */
final class TableChecks extends Checks {
  TableChecks(Api api, String tag) { super(api, tag); }

  private List<String> ranges(TableName t) throws Exception {
    List<String> ranges = new ArrayList<>();
    for (RegionInfo r : api.regions(t)) ranges.add(s(r.getStartKey()) + ".." + s(r.getEndKey()));
    return ranges;
  }

  public void create_with_split_keys_makes_these_regions() throws Exception {
    TableName t = fresh("split", new String[] {"a"}, "g", "p");
    eq("[..g, g..p, p..]", ranges(t).toString());
    List<HRegionLocation> where = api.locations(t);
    eq(3, where.size());
    for (HRegionLocation l : where) yes(l.getServerName() != null && l.getServerName().getPort() > 0, "no server: " + l);
    eq("g", s(api.locate(t, b("h")).getRegion().getStartKey()));
    eq("p", s(api.locate(t, b("p")).getRegion().getStartKey()));
    yes(api.available(t), "not available");
    discard(t);
  }

  public void listing_finds_it_by_name_pattern_and_namespace() throws Exception {
    TableName t = fresh("listed", new String[] {"a", "b"});
    has(api.tables(), t);
    eq("[" + t + "]", api.tables(".*" + tag + "_list.d", false).toString());
    has(api.tablesOf("default"), t);
    has(api.tables("hbase:.*", true), TableName.META_TABLE_NAME);
    hasNot(api.tables("hbase:.*", false), TableName.META_TABLE_NAME);
    List<TableName> described = new ArrayList<>();
    for (TableDescriptor d : api.descriptors()) described.add(d.getTableName());
    has(described, t);
    eq("[a, b]", names(api.describe(t)).toString());
    discard(t);
    hasNot(api.tables(), t);
  }

  private static List<String> names(TableDescriptor d) {
    List<String> names = new ArrayList<>();
    for (byte[] n : d.getColumnFamilyNames()) names.add(s(n));
    return names;
  }

  public void enable_and_disable() throws Exception {
    TableName t = fresh("switch", new String[] {"a"});
    yes(api.enabled(t) && !api.disabled(t), "not enabled after create");
    api.put(t, put("r", "a", "q", "v"));
    fails(TableNotDisabledException.class, () -> api.enable(t));
    api.disable(t);
    yes(api.disabled(t) && !api.enabled(t), "not disabled");
    fails(TableNotEnabledException.class, () -> api.disable(t));
    api.enable(t);
    eq("r/a:q=v", text(api.get(t, get("r"))));
    discard(t);
  }

  public void a_disabled_one_answers_no_read_and_takes_no_write() throws Exception {
    TableName t = fresh("off", new String[] {"a"});
    api.put(t, put("r", "a", "q", "v"));
    api.disable(t);
    fails(TableNotEnabledException.class, () -> api.get(t, get("r")));
    fails(TableNotEnabledException.class, () -> api.put(t, put("r", "a", "q", "w")));
    discard(t);
  }

  public void truncate_keeps_or_forgets_the_splits() throws Exception {
    TableName t = fresh("cut", new String[] {"a"}, "m");
    for (String row : new String[] {"b", "x"}) api.put(t, put(row, "a", "q", "v"));
    api.flush(t);
    fails(TableNotDisabledException.class, () -> api.truncate(t, true));
    api.disable(t);
    api.truncate(t, true);
    yes(api.enabled(t), "not enabled after truncate");
    eq("", rows(api.scan(t, new Scan())));
    eq("[..m, m..]", ranges(t).toString());
    api.put(t, put("x", "a", "q", "again"));
    eq("x/a:q=again", text(api.scan(t, new Scan())));
    api.disable(t);
    api.truncate(t, false);
    eq("", rows(api.scan(t, new Scan())));
    eq("[..]", ranges(t).toString());
    discard(t);
  }

  public void deleting_needs_it_disabled_and_forgets_the_cells() throws Exception {
    TableName t = fresh("gone", new String[] {"a"});
    api.put(t, put("r", "a", "q", "v"));
    fails(TableNotDisabledException.class, () -> api.drop(t));
    api.disable(t);
    api.drop(t);
    yes(!api.tableExists(t), "exists after delete");
    fails(TableNotFoundException.class, () -> api.describe(t));
    fresh("gone", new String[] {"a"});
    eq("", text(api.get(t, get("r"))));
    discard(t);
  }

  public void families_are_added_changed_and_deleted() throws Exception {
    TableName t = fresh("families", new String[] {"a"});
    api.put(t, put("r", "a", "q", "v"));
    api.addFamily(t, ColumnFamilyDescriptorBuilder.of("b"));
    eq("[a, b]", names(api.describe(t)).toString());
    api.put(t, put("r", "b", "q", "w"));
    eq("r/a:q=v r/b:q=w", text(api.get(t, get("r"))));
    api.modifyFamily(t, ColumnFamilyDescriptorBuilder.newBuilder(B).setMaxVersions(7).build());
    eq(7, api.describe(t).getColumnFamily(B).getMaxVersions());
    eq("r/a:q=v r/b:q=w", text(api.get(t, get("r"))));
    api.deleteFamily(t, B);
    eq("[a]", names(api.describe(t)).toString());
    eq("r/a:q=v", text(api.get(t, get("r"))));
    fails(NoSuchColumnFamilyException.class, () -> api.put(t, put("r", "b", "q", "x")));
    fails(InvalidFamilyOperationException.class, () -> api.addFamily(t, ColumnFamilyDescriptorBuilder.of("a")));
    fails(InvalidFamilyOperationException.class, () -> api.modifyFamily(t, ColumnFamilyDescriptorBuilder.of("b")));
    fails(InvalidFamilyOperationException.class, () -> api.deleteFamily(t, B));
    fails(InvalidFamilyOperationException.class, () -> api.deleteFamily(t, A));
    discard(t);
  }

  public void a_family_deleted_and_added_again_is_empty() throws Exception {
    TableName t = fresh("reborn", new String[] {"a", "b"});
    api.put(t, put("flushed", "b", "q", "v"));
    api.flush(t);
    api.put(t, put("in_memory", "b", "q", "v"));
    api.deleteFamily(t, B);
    api.addFamily(t, ColumnFamilyDescriptorBuilder.of("b"));
    eq("", text(api.scan(t, new Scan())));
    discard(t);
  }

  public void creating_twice_is_refused() throws Exception {
    TableName t = fresh("twice", new String[] {"a"});
    fails(TableExistsException.class, () -> api.create(table(t, "a").build()));
    discard(t);
  }

  public void an_unknown_one_is_reported_by_every_call() throws Exception {
    TableName t = name("never_made");
    yes(!api.tableExists(t), "exists");
    fails(TableNotFoundException.class, () -> api.describe(t));
    fails(TableNotFoundException.class, () -> api.enable(t));
    fails(TableNotFoundException.class, () -> api.disable(t));
    fails(TableNotFoundException.class, () -> api.drop(t));
    fails(TableNotFoundException.class, () -> api.truncate(t, false));
    fails(TableNotFoundException.class, () -> api.addFamily(t, ColumnFamilyDescriptorBuilder.of("b")));
    fails(TableNotFoundException.class, () -> api.modify(table(t, "a").build()));
    fails(TableNotFoundException.class, () -> api.flush(t));
    fails(TableNotFoundException.class, () -> api.get(t, get("r")));
    fails(TableNotFoundException.class, () -> api.put(t, put("r", "a", "q", "v")));
    fails(TableNotFoundException.class, () -> api.scan(t, new Scan()));
  }

  public void an_unreasonable_schema_is_refused() throws Exception {
    TableName t = name("senseless");
    fails(DoNotRetryIOException.class, () -> api.create(table(t).build()));
    fails(DoNotRetryIOException.class, () -> api.create(table(t, "a").setMaxFileSize(1024).build()));
    fails(DoNotRetryIOException.class, () -> api.create(table(t, "a").setMemStoreFlushSize(1024).build()));
    fails(DoNotRetryIOException.class, () -> api.create(TableDescriptorBuilder.newBuilder(t)
      .setColumnFamily(ColumnFamilyDescriptorBuilder.newBuilder(A).setBlocksize(100).build()).build()));
    yes(!api.tableExists(t), "a refused table exists");
  }
}
