import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.hbase.ClusterMetrics;
import org.apache.hadoop.hbase.HRegionLocation;
import org.apache.hadoop.hbase.ServerMetrics;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.UserMetrics;
import org.apache.hadoop.hbase.client.*;
import org.apache.hadoop.hbase.filter.PrefixFilter;

/** What the cluster says about itself, and its own tables. */
final class ClusterChecks extends Checks {
  ClusterChecks(Api api, String tag) { super(api, tag); }

  public void metrics_name_master_servers_and_version() throws Exception {
    ClusterMetrics m = api.metrics();
    yes(m.getHBaseVersion() != null && !m.getHBaseVersion().isEmpty(), "no version");
    yes(m.getClusterId() != null && !m.getClusterId().isEmpty(), "no cluster id");
    yes(m.getMasterName().getPort() > 0, "no master");
    yes(!m.getLiveServerMetrics().isEmpty(), "no live server");
    eq("[]", m.getDeadServerNames().toString());
  }

  /** Of this user: rows read, mutations, rows dropped by filters, as its server last reported. */
  private long[] counts() throws Exception {
    long[] all = new long[3];
    for (ServerMetrics server : api.metrics().getLiveServerMetrics().values()) {
      UserMetrics user = server.getUserMetrics().get(b(System.getProperty("user.name")));
      if (user == null) continue;
      for (UserMetrics.ClientMetrics client : user.getClientMetrics().values()) {
        all[0] += client.getReadRequestsCount();
        all[1] += client.getWriteRequestsCount();
        all[2] += client.getFilteredReadRequestsCount();
      }
    }
    return all;
  }

  public void servers_tell_what_each_user_asks_for() throws Exception {
    TableName t = fresh("counted", new String[] {"a"});
    long[] before = counts();
    List<Put> puts = new ArrayList<>();
    for (int i = 0; i < 20; i++) puts.add(put("r" + i, "a", "q", "v"));
    api.puts(t, puts);
    eq(1, api.scan(t, new Scan().setFilter(new PrefixFilter(b("r7")))).size());
    eq("r5/a:q=v", text(api.get(t, get("r5"))));
    long[] after = before;
    // a report may come between the writes and the reads
    for (int i = 0; i < 600 && (after[1] < before[1] + 20 || after[0] < before[0] + 2); i++) {
      Thread.sleep(100);
      after = counts();
    }
    yes(after[1] >= before[1] + 20, "written: " + (after[1] - before[1]));
    yes(after[0] >= before[0] + 2, "read: " + (after[0] - before[0]));
    discard(t);
  }

  public void locations_are_servers_that_live() throws Exception {
    TableName t = shared();
    for (HRegionLocation l : api.locations(t)) has(api.metrics().getLiveServerMetrics().keySet(), l.getServerName());
    eq(1, api.regions(t).size());
    eq(api.regions(t).get(0).getEncodedName(), api.locate(t, b("x")).getRegion().getEncodedName());
  }

  public void meta_is_a_table_with_a_row_for_every_region() throws Exception {
    TableName t = fresh("in_meta", new String[] {"a"}, "h", "p");
    // hbase:meta orders by table, then start key, then id: a row to seek to has two commas
    Scan ofTable = new Scan().addFamily(b("info")).withStartRow(b(t.getNameAsString() + ",,")).withStopRow(b(t.getNameAsString() + " ,,"));
    List<String> regions = new ArrayList<>(), expected = new ArrayList<>();
    for (Result r : api.scan(TableName.META_TABLE_NAME, ofTable)) {
      RegionInfo info = RegionInfo.parseFromOrNull(r.getValue(b("info"), b("regioninfo")));
      yes(info != null, "no region info in " + s(r.getRow()));
      eq(s(info.getRegionName()), s(r.getRow()));
      eq("OPEN", s(r.getValue(b("info"), b("state"))));
      yes(r.getValue(b("info"), b("server")) != null, "no server in " + s(r.getRow()));
      eq(8, r.getValue(b("info"), b("serverstartcode")).length);
      regions.add(info.getEncodedName());
    }
    for (RegionInfo i : api.regions(t)) expected.add(i.getEncodedName());
    eq(expected, regions);
    yes(!api.get(TableName.META_TABLE_NAME, new Get(b(t.getNameAsString())).addColumn(b("table"), b("state"))).isEmpty(), "no state");
    discard(t);
    eq("", rows(api.scan(TableName.META_TABLE_NAME, ofTable)));
  }

  public void meta_can_be_scanned_backwards() throws Exception {
    String forward = rows(api.scan(TableName.META_TABLE_NAME, new Scan().addFamily(b("info"))));
    List<Result> back = api.scan(TableName.META_TABLE_NAME, new Scan().addFamily(b("info")).setReversed(true));
    java.util.Collections.reverse(back);
    eq(forward, rows(back));
    has(api.tables("hbase:meta", true), TableName.META_TABLE_NAME);
    eq("info", s(api.describe(TableName.META_TABLE_NAME).getColumnFamily(b("info")).getName()));
  }

  public void namespace_is_a_table_with_a_row_for_every_namespace() throws Exception {
    TableName t = TableName.valueOf("hbase:namespace");
    String rows = " " + rows(api.scan(t, new Scan().addFamily(b("info")))) + " ";
    yes(rows.contains(" default ") && rows.contains(" hbase "), "rows of hbase:namespace:" + rows);
    yes(api.enabled(t), "hbase:namespace is not enabled");
  }
}
