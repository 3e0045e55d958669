import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.hbase.ClusterStatus;
import org.apache.hadoop.hbase.HColumnDescriptor;
import org.apache.hadoop.hbase.HRegionInfo;
import org.apache.hadoop.hbase.HRegionLocation;
import org.apache.hadoop.hbase.HTableDescriptor;
import org.apache.hadoop.hbase.NamespaceDescriptor;
import org.apache.hadoop.hbase.NamespaceNotFoundException;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hadoop.hbase.TableExistsException;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.TableNotFoundException;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.RegionLocator;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.regionserver.BloomType;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.util.Pair;

/** Tables, families, namespaces, regions, the cluster. */
final class OldAdministration {
  private static final int PATIENCE_MS = 120_000, POLL_MS = 100;

  private final OldClient client;
  private final Admin admin;
  private final TableName name;

  OldAdministration(OldClient client, TableName name) throws Exception {
    this.client = client;
    this.admin = client.admin;
    this.name = name;
    client.check("create, describe, list", this::create);
    client.check("states of a table", this::states);
    client.check("families", this::families);
    client.check("attributes of a table", this::attributes);
    client.check("namespaces", this::namespaces);
    client.check("regions and where they are", this::regions);
    client.check("flush and compactions of regions", this::compactions);
    client.check("unassign, assign, move", this::moves);
    if (!client.before2) client.check("split and merge", this::splitAndMerge);
    client.check("truncate", this::truncate);
    client.check("the cluster", this::cluster);
    client.check("switches", this::switches);
    client.check("drop", this::drop);
  }

  private void create() throws Exception {
    client.create(name);
    OldClient.same(true, admin.tableExists(name));
    HTableDescriptor found = new HTableDescriptor(admin.getTableDescriptor(name));
    OldClient.same(2, found.getFamilies().size());
    OldClient.same(5, found.getFamily(OldClient.F).getMaxVersions());
    OldClient.same(1, admin.listTables("old_admin.*").length);
    OldClient.same(1, admin.listTableNames("old_admin.*").length);
    OldClient.refused(TableExistsException.class, () -> client.create(name));
    OldClient.refused(TableNotFoundException.class, () -> admin.getTableDescriptor(TableName.valueOf("nobody")));
  }

  private void states() throws Exception {
    OldClient.same(true, admin.isTableAvailable(name));
    OldClient.same(true, admin.isTableEnabled(name));
    OldClient.same(false, admin.isTableDisabled(name));
    admin.disableTable(name);
    OldClient.same(false, admin.isTableEnabled(name));
    OldClient.same(true, admin.isTableDisabled(name));
    admin.enableTable(name);
    OldClient.same(true, admin.isTableEnabled(name));
    OldClient.same(true, admin.isTableAvailable(name));
  }

  private void families() throws Exception {
    admin.addColumn(name, new HColumnDescriptor("h").setBloomFilterType(BloomType.ROWCOL));
    altered();
    admin.modifyColumn(name, new HColumnDescriptor("h").setTimeToLive(1000));
    altered();
    OldClient.same(1000, new HTableDescriptor(admin.getTableDescriptor(name)).getFamily(OldClient.bytes("h")).getTimeToLive());
    admin.deleteColumn(name, OldClient.bytes("h"));
    altered();
    OldClient.same(2, new HTableDescriptor(admin.getTableDescriptor(name)).getFamilies().size());
  }

  private void altered() throws Exception {
    await("alteration", () -> {
      Pair<Integer, Integer> status = admin.getAlterStatus(name);
      return status.getFirst() == 0;
    });
  }

  private void attributes() throws Exception {
    HTableDescriptor descriptor = new HTableDescriptor(admin.getTableDescriptor(name));
    descriptor.setMaxFileSize(1L << 30);
    descriptor.setValue("owner", "old");
    admin.modifyTable(name, descriptor);
    altered();
    HTableDescriptor found = new HTableDescriptor(admin.getTableDescriptor(name));
    OldClient.same(1L << 30, found.getMaxFileSize());
    OldClient.same("old", found.getValue("owner"));
  }

  private void namespaces() throws Exception {
    TableName inside = TableName.valueOf("old_ns:t");
    client.drop(inside);
    for (NamespaceDescriptor each : admin.listNamespaceDescriptors()) if (each.getName().equals("old_ns")) admin.deleteNamespace("old_ns");
    admin.createNamespace(NamespaceDescriptor.create("old_ns").addConfiguration("k", "v").build());
    // older clients do not wait
    await("namespace", () -> "v".equals(configurationOf("old_ns")));
    admin.modifyNamespace(NamespaceDescriptor.create("old_ns").addConfiguration("k", "w").build());
    await("change of the namespace", () -> "w".equals(configurationOf("old_ns")));
    HTableDescriptor descriptor = new HTableDescriptor(inside);
    descriptor.addFamily(new HColumnDescriptor("f"));
    admin.createTable(descriptor);
    OldClient.same(1, admin.listTableNamesByNamespace("old_ns").length);
    client.drop(inside);
    admin.deleteNamespace("old_ns");
    await("end of the namespace", () -> configurationOf("old_ns") == null);
  }

  /** Null where there is no such namespace. */
  private String configurationOf(String namespace) throws Exception {
    try {
      return admin.getNamespaceDescriptor(namespace).getConfigurationValue("k");
    } catch (NamespaceNotFoundException thrown) {
      return null;
    }
  }

  private void regions() throws Exception {
    OldClient.same(3, admin.getTableRegions(name).size());
    try (RegionLocator locator = client.connection.getRegionLocator(name)) {
      OldClient.same(3, locator.getAllRegionLocations().size());
      HRegionLocation middle = locator.getRegionLocation(OldClient.row(400), true);
      OldClient.same(OldClient.SPLITS[0], middle.getRegionInfo().getStartKey());
      OldClient.same(3, locator.getStartEndKeys().getFirst().length);
      int here = 0;
      for (HRegionInfo each : admin.getOnlineRegions(middle.getServerName())) here += each.getTable().equals(name) ? 1 : 0;
      OldClient.same(3, here);
    }
  }

  private void compactions() throws Exception {
    try (Table table = client.connection.getTable(name)) {
      for (int i = 0; i < 1000; i += 10) table.put(new Put(OldClient.row(i)).addColumn(OldClient.F, OldClient.G, OldClient.row(i)));
    }
    byte[] region = admin.getTableRegions(name).get(0).getRegionName();
    admin.flushRegion(region);
    admin.compactRegion(region);
    admin.majorCompactRegion(region, OldClient.F);
    admin.flush(name);
    admin.compact(name, OldClient.F);
    admin.majorCompact(name);
    await("compaction", () -> admin.getCompactionState(name).toString().equals("NONE"));
    await("compaction of a region", () -> admin.getCompactionStateForRegion(region).toString().equals("NONE"));
  }

  private void moves() throws Exception {
    HRegionInfo region = admin.getTableRegions(name).get(1);
    admin.unassign(region.getRegionName(), true);
    admin.assign(region.getRegionName());
    readable(400);
    ServerName server = admin.getClusterStatus().getServers().iterator().next();
    admin.move(region.getEncodedNameAsBytes(), Bytes.toBytes(server.getServerName()));
    readable(400);
  }

  private void readable(int row) throws Exception {
    try (Table table = client.connection.getTable(name)) {
      OldClient.same(OldClient.row(row), table.get(new Get(OldClient.row(row))).value());
    }
  }

  private int rows() throws Exception {
    int rows = 0;
    try (Table table = client.connection.getTable(name); ResultScanner scanner = table.getScanner(new Scan())) {
      for (Result ignored : scanner) rows++;
    }
    return rows;
  }

  private void splitAndMerge() throws Exception {
    admin.split(name, OldClient.row(400));
    await("split", () -> onlineRegions().size() == 4);
    OldClient.same(100, rows());
    List<HRegionInfo> regions = onlineRegions();
    admin.mergeRegions(regions.get(0).getEncodedNameAsBytes(), regions.get(1).getEncodedNameAsBytes(), true);
    await("merge", () -> onlineRegions().size() == 3);
    OldClient.same(100, rows());
  }

  private List<HRegionInfo> onlineRegions() throws Exception {
    List<HRegionInfo> regions = new ArrayList<>();
    for (HRegionInfo each : admin.getTableRegions(name)) if (!each.isOffline() && !each.isSplit()) regions.add(each);
    return regions;
  }

  private void truncate() throws Exception {
    OldClient.same(100, rows());
    admin.disableTable(name);
    admin.truncateTable(name, true);
    OldClient.same(0, rows());
    OldClient.same(3, admin.getTableRegions(name).size());
  }

  private void cluster() throws Exception {
    ClusterStatus status = admin.getClusterStatus();
    OldClient.same(1, status.getServersSize());
    OldClient.same(0, status.getDeadServers());
    OldClient.same(true, status.getMaster() != null && status.getClusterId() != null && status.getHBaseVersion() != null);
    ServerName server = status.getServers().iterator().next();
    OldClient.same(true, status.getLoad(server).getNumberOfRegions() > 0);
    OldClient.same(true, status.getLoad(server).getRegionsLoad().size() > 0);
    admin.rollWALWriter(server);
    admin.updateConfiguration(server);
    admin.getMasterCoprocessors();
  }

  private void switches() throws Exception {
    boolean balancer = admin.isBalancerEnabled();
    OldClient.same(balancer, admin.setBalancerRunning(!balancer, true));
    OldClient.same(!balancer, admin.setBalancerRunning(balancer, true));
    admin.balancer();
    boolean janitor = admin.isCatalogJanitorEnabled();
    OldClient.same(janitor, admin.enableCatalogJanitor(janitor));
    admin.runCatalogScan();
    boolean normalizer = admin.isNormalizerEnabled();
    OldClient.same(normalizer, admin.setNormalizerRunning(normalizer));
    admin.normalize();
  }

  private void drop() throws Exception {
    client.drop(name);
    OldClient.same(false, admin.tableExists(name));
    OldClient.refused(TableNotFoundException.class, () -> admin.disableTable(name));
    try (Table table = client.connection.getTable(name)) {
      OldClient.refused(TableNotFoundException.class, () -> table.get(new Get(OldClient.row(1))));
    }
  }

  private interface Condition {
    boolean holds() throws Exception;
  }

  private static void await(String what, Condition condition) throws Exception {
    for (int waited = 0; !condition.holds(); waited += POLL_MS) {
      if (waited > PATIENCE_MS) throw new AssertionError("no " + what + " within " + PATIENCE_MS + " ms");
      Thread.sleep(POLL_MS);
    }
  }
}
