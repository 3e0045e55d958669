package org.apache.hadoop.hbase;

import static org.apache.hadoop.hbase.ClusterStandIn.SKIP;
import static org.apache.hadoop.hbase.ClusterStandIn.standIn;

import java.io.IOException;
import java.util.Arrays;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableState;
import org.apache.hadoop.hbase.master.HMaster;
import org.apache.hadoop.hbase.master.MasterFileSystem;
import org.apache.hadoop.hbase.master.RegionState;
import org.apache.hadoop.hbase.master.TableStateManager;
import org.apache.hadoop.hbase.master.assignment.AssignmentManager;
import org.apache.hadoop.hbase.master.assignment.RegionStateNode;
import org.apache.hadoop.hbase.master.assignment.RegionStates;
import org.apache.hadoop.hbase.master.cleaner.HFileCleaner;
import org.apache.hadoop.hbase.master.janitor.CatalogJanitor;
import org.apache.hadoop.hbase.util.Bytes;

/** Stand-ins for the master of a mini cluster and for what it keeps: answered from hbase:meta and by Admin's calls. */
final class MasterStandIn {
  private final HBaseTestingUtility utility;
  private final ClusterStandIn cluster;

  MasterStandIn(HBaseTestingUtility utility, ClusterStandIn cluster) {
    this.utility = utility;
    this.cluster = cluster;
  }

  HMaster master() {
    return standIn(HMaster.class, "external master", (method, arguments) -> {
      Admin admin = utility.getAdmin();
      switch (method) {
        case "getServerName": return admin.getMaster();
        case "isInitialized":
        case "isActiveMaster":
        case "isOnline": return true;
        case "isStopped":
        case "isAborted":
        case "isInMaintenanceMode": return false;
        case "getConfiguration": return utility.getConfiguration();
        case "getConnection": return utility.getConnection();
        case "getZooKeeper": return utility.getZooKeeperWatcher();
        case "getClusterMetrics":
        case "getClusterMetricsWithoutCoprocessor": return admin.getClusterMetrics();
        case "getMasterFileSystem": return fileSystem();
        case "getTableDescriptors": return descriptors(admin);
        case "getTableStateManager": return tableStates();
        case "getAssignmentManager": return assignment(admin);
        case "getHFileCleaner": return cleaner(admin);
        case "getCatalogJanitor": return janitor(admin);
        default: return SKIP;
      }
    });
  }

  private MasterFileSystem fileSystem() {
    return standIn(MasterFileSystem.class, "external file system", (method, arguments) -> {
      switch (method) {
        case "getRootDir": return ExternalCluster.rootDir();
        case "getFileSystem": return ExternalCluster.rootDir().getFileSystem(utility.getConfiguration());
        default: return SKIP;
      }
    });
  }

  private static TableDescriptors descriptors(Admin admin) {
    return standIn(TableDescriptors.class, "external table descriptors", (method, arguments) -> {
      switch (method) {
        case "get": return admin.getDescriptor((TableName) arguments[0]);
        case "exists": return admin.tableExists((TableName) arguments[0]);
        default: return SKIP;
      }
    });
  }

  private TableStateManager tableStates() {
    return standIn(TableStateManager.class, "external table states", (method, arguments) -> {
      TableState state = MetaTableAccessor.getTableState(utility.getConnection(), (TableName) arguments[0]);
      switch (method) {
        case "isTablePresent": return state != null;
        case "getTableState": return state;
        case "isTableState": return state != null && state.isInStates(asked(arguments));
        default: return SKIP;
      }
    });
  }

  /** The states that follow a table, as an array or one by one. */
  private static TableState.State[] asked(Object[] arguments) {
    if (arguments[1] instanceof Object[]) return (TableState.State[]) arguments[1];
    return Arrays.copyOfRange(arguments, 1, arguments.length, TableState.State[].class);
  }

  private AssignmentManager assignment(Admin admin) {
    RegionStates states = standIn(RegionStates.class, "external region states", (method, arguments) -> {
      switch (method) {
        case "getRegionsOfTable": return arguments.length == 1 ? admin.getRegions((TableName) arguments[0]) : SKIP;
        case "getRegionServerOfRegion": {
          RegionState state = inMeta((RegionInfo) arguments[0]);
          return state == null ? null : state.getServerName();
        }
        case "getRegionState": return arguments[0] instanceof RegionInfo ? inMeta((RegionInfo) arguments[0]) : named(arguments[0]);
        case "isRegionOnline": {
          RegionState state = inMeta((RegionInfo) arguments[0]);
          return state != null && state.isOpened();
        }
        case "getRegionStateNode": return stateNode((RegionInfo) arguments[0]);
        default: return SKIP;
      }
    });
    return standIn(AssignmentManager.class, "external assignment", (method, arguments) -> method.equals("getRegionStates") ? states : SKIP);
  }

  private RegionState named(Object encodedName) throws IOException {
    for (RegionInfo region : cluster.allRegions()) if (region.getEncodedName().equals(encodedName)) return inMeta(region);
    return null;
  }

  private RegionStateNode stateNode(RegionInfo region) {
    return standIn(RegionStateNode.class, "external state of " + region, (method, arguments) -> {
      RegionState state = inMeta(region);
      switch (method) {
        case "getRegionInfo": return region;
        case "isInTransition": return state != null && !state.isOpened() && !state.isClosed() && !state.isSplit() && !state.isMerged();
        case "getState": return state == null ? null : state.getState();
        case "getRegionLocation": return state == null ? null : state.getServerName();
        case "isInState": return state != null && Arrays.asList(arguments).contains(state.getState());
        default: return SKIP;
      }
    });
  }

  /** info:state and the server of a region. */
  private RegionState inMeta(RegionInfo region) throws IOException {
    byte[] family = HConstants.CATALOG_FAMILY;
    try (Table meta = utility.getConnection().getTable(TableName.META_TABLE_NAME)) {
      Result row = meta.get(new Get(region.getRegionName()).addFamily(family));
      byte[] state = row.getValue(family, HConstants.STATE_QUALIFIER);
      if (state == null) return null;
      byte[] name = row.getValue(family, HConstants.SERVERNAME_QUALIFIER);
      byte[] address = row.getValue(family, HConstants.SERVER_QUALIFIER), startCode = row.getValue(family, HConstants.STARTCODE_QUALIFIER);
      ServerName server = null;
      if (name != null) server = ServerName.parseServerName(Bytes.toString(name));
      else if (address != null && startCode != null) server = ServerName.valueOf(Bytes.toString(address), Bytes.toLong(startCode));
      return new RegionState(region, RegionState.State.valueOf(Bytes.toString(state)), server);
    }
  }

  private static HFileCleaner cleaner(Admin admin) {
    return standIn(HFileCleaner.class, "external cleaner", (method, arguments) -> {
      switch (method) {
        case "choreForTesting":
        case "chore":
          admin.runCleanerChore();
          return null;
        case "runCleaner":
          admin.runCleanerChore();
          return true;
        default: return SKIP;
      }
    });
  }

  private static CatalogJanitor janitor(Admin admin) {
    return standIn(CatalogJanitor.class, "external janitor", (method, arguments) -> {
      switch (method) {
        case "choreForTesting":
          admin.runCatalogJanitor();
          return null;
        case "scan": return admin.runCatalogJanitor();
        default: return SKIP;
      }
    });
  }
}
