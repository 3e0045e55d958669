package org.apache.hadoop.hbase;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.RegionInfoBuilder;
import org.apache.hadoop.hbase.client.RegionLocator;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.apache.hadoop.hbase.regionserver.HRegionServer;
import org.apache.hadoop.hbase.regionserver.RSRpcServices;
import org.apache.hadoop.hbase.util.JVMClusterUtil.RegionServerThread;
import org.junit.AssumptionViolatedException;
import org.mockito.Mockito;

/** Stand-ins for the objects of a mini cluster: of the cluster itself, its region servers and their regions. */
final class ClusterStandIn {
  /** What a stand-in answers; SKIP for what no client can know. */
  interface Answers {
    Object to(String method, Object[] arguments) throws Throwable;
  }

  static final Object SKIP = new Object();
  private static final int LOCATION_POLLS = 600, LOCATION_POLL_MS = 100;

  private final HBaseTestingUtility utility;

  ClusterStandIn(HBaseTestingUtility utility) {
    this.utility = utility;
  }

  /** An instance of a class of the server whose methods give these answers, and otherwise skip the test. */
  static <T> T standIn(Class<T> type, String name, Answers answers) {
    return Mockito.mock(type, invocation -> {
      String method = invocation.getMethod().getName();
      switch (method) {
        case "toString": return name;
        case "hashCode": return name.hashCode();
        case "equals": return invocation.getArguments()[0] == invocation.getMock();
        default:
          Object answer = answers.to(method, invocation.getArguments());
          if (answer == SKIP) throw new AssumptionViolatedException("needs in-process cluster: " + type.getSimpleName() + "." + method);
          return answer;
      }
    });
  }

  MiniHBaseCluster cluster() {
    return standIn(MiniHBaseCluster.class, "external cluster", (method, arguments) -> {
      switch (method) {
        case "getConf":
        case "getConfiguration": return utility.getConfiguration();
        case "getClusterMetrics":
        case "getInitialClusterMetrics": return admin().getClusterMetrics();
        case "getNumLiveRegionServers": return servers().size();
        case "waitForActiveAndReadyMaster": return true;
        case "getMaster": return arguments.length == 0 ? new MasterStandIn(utility, this).master() : SKIP;
        case "getRegionServerThreads":
        case "getLiveRegionServerThreads": return threads();
        case "getRegionServer":
          return server(arguments[0] instanceof ServerName ? (ServerName) arguments[0] : servers().get((Integer) arguments[0]));
        case "getServerWith": return serverWith((byte[]) arguments[0]);
        case "getServerWithMeta": return servers().indexOf(locate(RegionInfoBuilder.FIRST_META_REGIONINFO));
        case "getServerHoldingMeta": return locate(RegionInfoBuilder.FIRST_META_REGIONINFO);
        case "getServerHoldingRegion": return serverHolding((TableName) arguments[0], (byte[]) arguments[1]);
        case "getRegions":
        case "findRegionsForTable":
          return regions(arguments[0] instanceof TableName ? (TableName) arguments[0] : TableName.valueOf((byte[]) arguments[0]));
        case "flushcache":
          ExternalCluster.flush(utility, arguments.length > 0 ? (TableName) arguments[0] : null);
          return null;
        case "compact":
          ExternalCluster.compact(utility, arguments.length > 1 ? (TableName) arguments[0] : null, (Boolean) arguments[arguments.length - 1]);
          return null;
        case "shutdown":
        case "close":
        case "waitUntilShutDown":
        case "join": return null;
        default: return SKIP;
      }
    });
  }

  /** The server of the first region of a table, once there is one. */
  HRegionServer firstServer(TableName table) throws Exception {
    List<RegionInfo> regions = admin().getRegions(table);
    if (regions.isEmpty()) return null;
    for (int i = 0; i < LOCATION_POLLS; i++) {
      ServerName server = locate(regions.get(0));
      if (server != null) return server(server);
      Thread.sleep(LOCATION_POLL_MS);
    }
    throw new IOException("no server for " + regions.get(0));
  }

  /** All regions of all tables, and of hbase:meta. */
  List<RegionInfo> allRegions() throws IOException {
    List<RegionInfo> all = new ArrayList<>();
    for (TableName table : admin().listTableNames()) all.addAll(admin().getRegions(table));
    all.add(RegionInfoBuilder.FIRST_META_REGIONINFO);
    return all;
  }

  ServerName locate(RegionInfo region) throws IOException {
    try (RegionLocator locator = utility.getConnection().getRegionLocator(region.getTable())) {
      for (HRegionLocation location : locator.getRegionLocations(region.getStartKey(), true)) {
        if (location != null && location.getRegion().getReplicaId() == region.getReplicaId()) return location.getServerName();
      }
    }
    return null;
  }

  private Admin admin() throws IOException {
    return utility.getAdmin();
  }

  private List<ServerName> servers() throws IOException {
    List<ServerName> servers = new ArrayList<>(admin().getRegionServers());
    Collections.sort(servers);
    return servers;
  }

  private List<RegionServerThread> threads() throws IOException {
    List<RegionServerThread> threads = new ArrayList<>();
    for (ServerName name : servers()) {
      HRegionServer server = server(name);
      threads.add(standIn(RegionServerThread.class, "thread of " + name, (method, arguments) ->
        method.equals("getRegionServer") ? server : method.equals("getName") ? name.toString() : SKIP));
    }
    return threads;
  }

  private int serverWith(byte[] regionName) throws IOException {
    for (RegionInfo region : allRegions()) {
      if (Arrays.equals(region.getRegionName(), regionName)) return servers().indexOf(locate(region));
    }
    return -1;
  }

  private ServerName serverHolding(TableName table, byte[] regionName) throws IOException {
    for (HRegionLocation location : utility.getConnection().getRegionLocator(table).getAllRegionLocations()) {
      if (Arrays.equals(location.getRegion().getRegionName(), regionName)) return location.getServerName();
    }
    return null;
  }

  /** With their replicas, as a mini cluster counts them. */
  private List<HRegion> regions(TableName table) throws IOException {
    List<HRegion> regions = new ArrayList<>();
    try (RegionLocator locator = utility.getConnection().getRegionLocator(table)) {
      locator.clearRegionLocationCache();
      for (HRegionLocation location : locator.getAllRegionLocations()) regions.add(region(location.getRegion()));
    }
    return regions;
  }

  private HRegionServer server(ServerName name) {
    return standIn(HRegionServer.class, "external " + name, (method, arguments) -> {
      switch (method) {
        case "getServerName": return name;
        case "isOnline":
        case "isAlive": return true;
        case "isStopped":
        case "isAborted":
        case "isStopping": return false;
        case "getConfiguration": return utility.getConfiguration();
        case "getNumberOfOnlineRegions": return admin().getRegions(name).size();
        case "getRegions": {
          List<HRegion> regions = new ArrayList<>();
          for (RegionInfo region : admin().getRegions(name)) {
            if (arguments.length == 0 || region.getTable().equals(arguments[0])) regions.add(region(region));
          }
          return regions;
        }
        case "getOnlineRegion":
        case "getRegion":
        case "getRegionByEncodedName":
          for (RegionInfo region : admin().getRegions(name)) {
            if (arguments[0] instanceof byte[] ? Arrays.equals(region.getRegionName(), (byte[]) arguments[0])
              : region.getEncodedName().equals(arguments[0])) return region(region);
          }
          return null;
        // open scanners cannot be counted from outside: taken as closed
        case "getRSRpcServices":
          return standIn(RSRpcServices.class, "external calls of " + name, (call, ignored) -> call.equals("getScannersCount") ? 0 : SKIP);
        default: return SKIP;
      }
    });
  }

  private HRegion region(RegionInfo region) {
    return standIn(HRegion.class, region.getRegionNameAsString(), (method, arguments) -> {
      Admin admin = admin();
      byte[] name = region.getRegionName();
      switch (method) {
        case "getRegionInfo": return region;
        case "getTableDescriptor": return admin.getDescriptor(region.getTable());
        case "waitForFlushesAndCompactions":
        case "waitForFlushes": return null;
        case "isClosed":
        case "isClosing": return false;
        case "isAvailable": return true;
        case "flushcache":
        case "flush":
          admin.flushRegion(name);
          return null;
        case "compact":
          if ((Boolean) arguments[0]) admin.majorCompactRegion(name);
          else admin.compactRegion(name);
          ExternalCluster.awaitCompaction(() -> admin.getCompactionStateForRegion(name));
          return null;
        default: return SKIP;
      }
    });
  }
}
