package org.apache.hadoop.hbase;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.CompactionState;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.regionserver.HRegionServer;
import org.apache.hadoop.hbase.replication.ReplicationPeerDescription;
import org.junit.AssumptionViolatedException;

/**
 * What the rewritten HBaseTestingUtility calls instead of starting a mini cluster: the cluster that runs already, emptied.
 * System properties: external.host, external.zookeeper (port), external.root (URI of the server's root directory, or empty).
 */
public final class ExternalCluster {
  private static final String HOST = System.getProperty("external.host", "127.0.0.1");
  private static final String ZOOKEEPER_PORT = System.getProperty("external.zookeeper", "2181");
  private static final String ROOT = System.getProperty("external.root", "");
  private static final int EMPTYING_LIMIT_S = 180;
  private static final int COMPACTION_BEGIN_MS = 1000, COMPACTION_POLL_MS = 250, COMPACTION_POLLS = 720;
  /** Settings of clients and of the place where a test runs; all others are a server's. */
  private static final Pattern NOT_OF_A_SERVER = Pattern.compile(
    "hbase\\.client\\..*|hbase\\.rpc\\..*|hbase\\.ipc\\.(client|thread).*|hbase\\.zookeeper.*|hbase\\.masters"
      + "|fs\\.default.*|original\\..*|mapred.*|.*(test\\.|tmp\\.dir|rootdir|log\\.dir).*");

  /** Set when the class asked for a cluster; without that it is a plain unit test. */
  public static volatile boolean asked;
  /** Settings of a server that the class put in its configuration before it asked. */
  public static final Map<String, String> wanted = new TreeMap<>();

  private static HBaseCluster distributed;

  private ExternalCluster() {}

  /** Ends the test as one whose assumption does not hold. */
  public static void unsupported(String what) {
    throw new AssumptionViolatedException("needs in-process cluster: " + what);
  }

  public static boolean hasRootDir() {
    return !asked || !ROOT.isEmpty();
  }

  public static Path rootDir() {
    if (ROOT.isEmpty()) unsupported("the server's root directory");
    return new Path(ROOT);
  }

  public static MiniHBaseCluster start(HBaseTestingUtility utility, StartMiniClusterOption option) {
    Configuration conf = utility.getConfiguration();
    note(conf, option);
    asked = true;
    point(conf);
    Configuration own = HBaseConfiguration.create();
    point(own);
    own.setInt("hbase.client.retries.number", 10);
    try (Connection connection = ConnectionFactory.createConnection(own); Admin admin = connection.getAdmin()) {
      empty(admin);
      ServerName master = admin.getMaster();
      conf.set(HConstants.MASTER_ADDRS_KEY, master.getHostname() + ":" + master.getPort());
    } catch (IOException thrown) {
      throw new IllegalStateException("cannot use the cluster at " + HOST + ":" + ZOOKEEPER_PORT, thrown);
    }
    utility.setHBaseCluster(null);
    return mini(utility);
  }

  public static synchronized void stop(HBaseTestingUtility utility) {
    attempt("close the connection", utility::closeConnection);
    if (distributed != null) attempt("close the cluster's connection", distributed::close);
    distributed = null;
    if (utility.zooKeeperWatcher != null) {
      utility.zooKeeperWatcher.close();
      utility.zooKeeperWatcher = null;
    }
    utility.setHBaseCluster(null);
  }

  /** A MiniHBaseCluster on which works what a client can find out or bring about; anything else skips the test. */
  public static MiniHBaseCluster mini(HBaseTestingUtility utility) {
    return asked ? new ClusterStandIn(utility).cluster() : null;
  }

  /** For tests that want no more than any cluster has; one, as it has a connection, and some ask for it very often. */
  public static synchronized HBaseCluster cluster(HBaseTestingUtility utility) {
    try {
      if (distributed == null) distributed = new DistributedHBaseCluster(new Configuration(utility.getConfiguration()), null);
      return distributed;
    } catch (IOException thrown) {
      throw new IllegalStateException(thrown);
    }
  }

  public static HRegionServer firstServer(HBaseTestingUtility utility, TableName table) throws Exception {
    return new ClusterStandIn(utility).firstServer(table);
  }

  /** Flushes a table, or, without one, all. */
  public static void flush(HBaseTestingUtility utility, TableName table) throws IOException {
    for (TableName each : enabled(utility.getAdmin(), table)) utility.getAdmin().flush(each);
  }

  /** Compacts a table, or, without one, all, and waits until nothing is compacted any more. */
  public static void compact(HBaseTestingUtility utility, TableName table, boolean major) throws Exception {
    Admin admin = utility.getAdmin();
    for (TableName each : enabled(admin, table)) {
      if (major) admin.majorCompact(each);
      else admin.compact(each);
      awaitCompaction(() -> admin.getCompactionState(each));
    }
  }

  interface StateOfCompaction {
    CompactionState get() throws IOException;
  }

  static void awaitCompaction(StateOfCompaction state) throws Exception {
    // it begins some time after it was asked for
    Thread.sleep(COMPACTION_BEGIN_MS);
    for (int i = 0; i < COMPACTION_POLLS && state.get() != CompactionState.NONE; i++) Thread.sleep(COMPACTION_POLL_MS);
  }

  private static List<TableName> enabled(Admin admin, TableName table) throws IOException {
    List<TableName> enabled = new ArrayList<>();
    for (TableName each : table != null ? List.of(table) : List.of(admin.listTableNames())) {
      if (admin.isTableEnabled(each)) enabled.add(each);
    }
    return enabled;
  }

  /** Drops all tables, snapshots, namespaces and peers, and puts the switches back. */
  private static void empty(Admin admin) {
    attempt("recommission", () -> {
      for (ServerName server : admin.listDecommissionedRegionServers()) admin.recommissionRegionServer(server, null);
    });
    attempt("snapshots", () -> {
      if (!admin.listSnapshots().isEmpty()) admin.deleteSnapshots(Pattern.compile(".*"));
    });
    attempt("tables", () -> {
      TableName[] tables = admin.listTableNames();
      forEach(tables, "disable", table -> admin.isTableDisabled(table) ? null : admin.disableTableAsync(table));
      forEach(tables, "delete", admin::deleteTableAsync);
    });
    attempt("replicas of hbase:meta", () -> {
      TableDescriptor meta = admin.getDescriptor(TableName.META_TABLE_NAME);
      if (meta.getRegionReplication() > 1) admin.modifyTable(TableDescriptorBuilder.newBuilder(meta).setRegionReplication(1).build());
    });
    attempt("namespaces", () -> {
      for (NamespaceDescriptor namespace : admin.listNamespaceDescriptors()) {
        String name = namespace.getName();
        if (!name.equals("default") && !name.equals("hbase")) attempt("namespace " + name, () -> admin.deleteNamespace(name));
      }
    });
    attempt("peers", () -> {
      for (ReplicationPeerDescription peer : admin.listReplicationPeers()) admin.removeReplicationPeer(peer.getPeerId());
    });
    attempt("balancer", () -> admin.balancerSwitch(true, false));
    attempt("split switch", () -> admin.splitSwitch(true, false));
    attempt("merge switch", () -> admin.mergeSwitch(true, false));
  }

  private interface Begin {
    Future<Void> on(TableName table) throws Exception;
  }

  /** Begins with all of the tables, then waits for each. */
  private static void forEach(TableName[] tables, String what, Begin begin) {
    List<Future<Void>> begun = new ArrayList<>();
    for (TableName table : tables) {
      attempt(what + " " + table, () -> {
        Future<Void> one = begin.on(table);
        if (one != null) begun.add(one);
      });
    }
    for (Future<Void> one : begun) attempt(what, () -> one.get(EMPTYING_LIMIT_S, TimeUnit.SECONDS));
  }

  private interface Attempt {
    void run() throws Exception;
  }

  /** What a cluster cannot do is not what is tested here. */
  private static void attempt(String what, Attempt attempt) {
    try {
      attempt.run();
    } catch (Exception thrown) {
      System.err.println("emptying the cluster: " + what + ": " + thrown);
    }
  }

  private static void point(Configuration conf) {
    conf.set(HConstants.ZOOKEEPER_QUORUM, HOST);
    conf.set(HConstants.ZOOKEEPER_CLIENT_PORT, ZOOKEEPER_PORT);
    conf.set(HConstants.ZOOKEEPER_ZNODE_PARENT, "/hbase");
    if (!ROOT.isEmpty()) conf.set(HConstants.HBASE_DIR, ROOT);
  }

  private static void note(Configuration conf, StartMiniClusterOption option) {
    Configuration base = new HBaseTestingUtility().getConfiguration();
    for (Map.Entry<String, String> entry : conf) {
      String name = entry.getKey(), value = conf.getRaw(name);
      if (value != null && !value.equals(base.getRaw(name)) && !NOT_OF_A_SERVER.matcher(name).matches()) wanted.put(name, value);
    }
    if (option.getNumRegionServers() > 1) wanted.put("(region servers)", "" + option.getNumRegionServers());
    if (option.getNumMasters() > 1) wanted.put("(masters)", "" + option.getNumMasters());
    if (option.getMasterClass() != null) wanted.put("(master class)", option.getMasterClass().getName());
    if (option.getRsClass() != null) wanted.put("(region server class)", option.getRsClass().getName());
  }
}
