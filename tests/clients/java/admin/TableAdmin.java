import java.io.IOException;
import java.util.List;
import java.util.concurrent.ExecutionException;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.RegionLocator;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.exceptions.MergeRegionException;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * create TABLE FAMILY[/VERSIONS][,...] [SPLIT_KEY...] replaces a table by an empty one; flush TABLE writes what is in memory to
 * files; split TABLE ROW divides the region of the row, there; reopen TABLE closes its regions and opens them again; merge TABLE
 * makes one region of its first two.
 */
public final class TableAdmin {
  private static final int MERGE_LIMIT_MS = 120_000, MERGE_PAUSE_MS = 100;

  public static void main(String[] args) throws Exception {
    TableName table = TableName.valueOf(args[1]);
    try (Connection c = ConnectionFactory.createConnection(HBaseConfiguration.create()); Admin admin = c.getAdmin()) {
      switch (args[0]) {
        case "flush" -> admin.flush(table);
        case "create" -> create(admin, table, args);
        case "split" -> split(c, admin, table, Bytes.toBytes(args[2]));
        case "reopen" -> {
          admin.disableTable(table);
          admin.enableTable(table);
        }
        case "merge" -> merge(admin, table);
        default -> throw new IllegalArgumentException(args[0]);
      }
    }
  }

  private static void split(Connection c, Admin admin, TableName table, byte[] row) throws Exception {
    try (RegionLocator locator = c.getRegionLocator(table)) {
      admin.splitRegionAsync(locator.getRegionLocation(row, true).getRegion().getRegionName(), row).get();
    }
  }

  /** Refused while a region has references to files of the one that it comes of: until a compaction, which may take its time. */
  private static void merge(Admin admin, TableName table) throws Exception {
    for (long limit = System.nanoTime() + MERGE_LIMIT_MS * 1_000_000L; ; Thread.sleep(MERGE_PAUSE_MS)) {
      List<RegionInfo> regions = admin.getRegions(table);
      try {
        admin.mergeRegionsAsync(new byte[][] {regions.get(0).getRegionName(), regions.get(1).getRegionName()}, false).get();
        return;
      } catch (IOException | ExecutionException e) {
        Throwable cause = e;
        while (cause != null && !(cause instanceof MergeRegionException)) cause = cause.getCause();
        if (cause == null || System.nanoTime() > limit) throw e;
      }
    }
  }

  private static void create(Admin admin, TableName table, String[] args) throws Exception {
    if (admin.tableExists(table)) {
      if (admin.isTableEnabled(table)) admin.disableTable(table);
      admin.deleteTable(table);
    }
    byte[][] splits = new byte[args.length - 3][];
    for (int i = 0; i < splits.length; i++) splits[i] = Bytes.toBytes(args[i + 3]);
    TableDescriptorBuilder t = TableDescriptorBuilder.newBuilder(table);
    for (String family : args[2].split(",")) {
      String[] parts = family.split("/");
      ColumnFamilyDescriptorBuilder f = ColumnFamilyDescriptorBuilder.newBuilder(Bytes.toBytes(parts[0]));
      if (parts.length > 1) f.setMaxVersions(Integer.parseInt(parts[1]));
      t.setColumnFamily(f.build());
    }
    admin.createTable(t.build(), splits.length == 0 ? null : splits);
  }
}
