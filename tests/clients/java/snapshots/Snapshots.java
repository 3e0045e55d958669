import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.SnapshotDescription;
import org.apache.hadoop.hbase.client.SnapshotType;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.TableSnapshotScanner;
import org.apache.hadoop.hbase.snapshot.SnapshotInfo;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * take: snapshots of a table in use, of the same after a split, of the same disabled, and of a clone of the first; then the table
 * is dropped and the archive cleaned. read ROOT: HBase's SnapshotInfo misses no file of them, and HBase's regions over their
 * files have all rows. clone SNAPSHOT TABLE ROWS: a table of a snapshot has so many rows. count TABLE ROWS: so has a table.
 */
public final class Snapshots {
  private static final TableName TABLE = TableName.valueOf("snapped");
  private static final TableName CLONE = TableName.valueOf("cloned");
  private static final byte[][] FAMILIES = {Bytes.toBytes("f"), Bytes.toBytes("g"), Bytes.toBytes("m")};
  /** Of the last family: what has more bytes than "value 1" is in MOB files. */
  private static final long MOB_THRESHOLD = 7;
  private static final int FLUSHED = 3000;
  private static final int ONLINE = 3500;
  private static final int ALL = 4000;

  /** The snapshots, and how many rows each has. */
  private record Taken(String name, int rows) {}

  private static final List<Taken> TAKEN =
    List.of(new Taken("online", ONLINE), new Taken("split", ALL), new Taken("offline", ALL), new Taken("of-clone", ONLINE + 1));

  public static void main(String[] args) throws Exception {
    switch (args[0]) {
      case "take" -> take();
      case "read" -> read(args[1]);
      case "count" -> {
        try (Connection c = ConnectionFactory.createConnection(HBaseConfiguration.create())) {
          count(c, TableName.valueOf(args[1]), Integer.parseInt(args[2]));
        }
      }
      case "clone" -> cloneOf(args[1], TableName.valueOf(args[2]), Integer.parseInt(args[3]));
      default -> throw new IllegalArgumentException(args[0]);
    }
  }

  private static void take() throws Exception {
    try (Connection c = ConnectionFactory.createConnection(HBaseConfiguration.create()); Admin admin = c.getAdmin()) {
      TableDescriptorBuilder table = TableDescriptorBuilder.newBuilder(TABLE);
      for (byte[] family : FAMILIES) {
        ColumnFamilyDescriptorBuilder described = ColumnFamilyDescriptorBuilder.newBuilder(family);
        if (family == FAMILIES[FAMILIES.length - 1]) described.setMobEnabled(true).setMobThreshold(MOB_THRESHOLD);
        table.setColumnFamily(described.build());
      }
      admin.createTable(table.build(), new byte[][] {row(1000), row(2000)});
      put(c, TABLE, 0, FLUSHED);
      admin.flush(TABLE);
      put(c, TABLE, FLUSHED, ONLINE);
      admin.snapshot("online", TABLE);
      put(c, TABLE, ONLINE, ALL);
      admin.compactionSwitch(false, new ArrayList<>());
      RegionInfo first = admin.getRegions(TABLE).get(0);
      admin.splitRegionAsync(first.getRegionName(), row(500)).get();
      admin.snapshot("split", TABLE);
      admin.disableTable(TABLE);
      admin.snapshot(new SnapshotDescription("offline", TABLE, SnapshotType.DISABLED));
      admin.cloneSnapshot("online", CLONE);
      put(c, CLONE, ALL, ALL + 1);
      admin.snapshot("of-clone", CLONE);
      admin.deleteTable(TABLE);
      check(admin.runCleanerChore(), "the archive is not cleaned");
      // these stay in the log, which a crash has read again
      put(c, CLONE, ALL + 1, ALL + 100);
      admin.disableTable(CLONE);
      admin.restoreSnapshot("of-clone");
      admin.enableTable(CLONE);
      check(admin.runCleanerChore(), "the archive is not cleaned");
      count(c, CLONE, ONLINE + 1);
      check(admin.listSnapshots().size() == TAKEN.size(), "other snapshots: " + admin.listSnapshots());
    }
  }

  private static void read(String root) throws Exception {
    Configuration conf = HBaseConfiguration.create();
    conf.set("hbase.rootdir", root);
    for (SnapshotDescription snapshot : SnapshotInfo.getSnapshotList(conf)) {
      SnapshotInfo.SnapshotStats stats = SnapshotInfo.getSnapshotStats(conf, snapshot);
      boolean missesNone = !stats.isSnapshotCorrupted() && stats.getMissingStoreFilesCount() == 0;
      check(missesNone == seesMobFiles(snapshot.getName()), snapshot + " misses " + stats.getMissingStoreFilesCount() + " files");
      check(stats.getStoreFilesCount() > 0, snapshot + " has no files");
      System.out.println(snapshot.getName() + ": " + stats.getStoreFilesCount() + " files");
    }
    for (Taken taken : TAKEN) {
      Path restored = new Path("file://" + System.getProperty("java.io.tmpdir") + "/restored-" + UUID.randomUUID());
      byte[][] families = seesMobFiles(taken.name) ? FAMILIES : Arrays.copyOf(FAMILIES, FAMILIES.length - 1);
      Scan scan = new Scan();
      for (byte[] family : families) scan.addFamily(family);
      try (ResultScanner scanner = new TableSnapshotScanner(conf, new Path(root), restored, taken.name, scan)) {
        verify(scanner, taken.name, taken.rows, families);
      }
    }
    System.out.println(TAKEN.size() + " snapshots read");
  }

  /** HBase does not know a link to a MOB file, as clones have it, for one, if the file's name tells its region; of such it takes no snapshot. */
  private static boolean seesMobFiles(String snapshot) { return !snapshot.equals("of-clone"); }

  private static void cloneOf(String snapshot, TableName table, int rows) throws Exception {
    try (Connection c = ConnectionFactory.createConnection(HBaseConfiguration.create()); Admin admin = c.getAdmin()) {
      admin.cloneSnapshot(snapshot, table);
      count(c, table, rows);
      admin.majorCompact(table);
      admin.deleteSnapshot(snapshot);
      check(admin.runCleanerChore(), "the archive is not cleaned");
      count(c, table, rows);
    }
  }

  private static byte[] row(int i) {
    return Bytes.toBytes(String.format("%05d", i));
  }

  private static void put(Connection c, TableName name, int from, int to) throws Exception {
    List<Put> puts = new ArrayList<>();
    for (int i = from; i < to; i++) {
      Put put = new Put(row(i));
      for (byte[] family : FAMILIES) put.addColumn(family, Bytes.toBytes("q"), Bytes.toBytes("value " + i));
      puts.add(put);
    }
    try (Table table = c.getTable(name)) {
      table.put(puts);
    }
  }

  private static void count(Connection c, TableName name, int rows) throws Exception {
    try (Table table = c.getTable(name); ResultScanner scanner = table.getScanner(new Scan())) {
      verify(scanner, name.getNameAsString(), rows, FAMILIES);
    }
  }

  /** Each row once, in order, with all that was put. */
  private static void verify(ResultScanner scanner, String name, int rows, byte[][] families) throws Exception {
    int found = 0;
    byte[] before = new byte[0];
    for (Result result = scanner.next(); result != null; result = scanner.next(), found++) {
      check(Bytes.compareTo(before, result.getRow()) < 0, name + " has a row twice: " + Bytes.toString(result.getRow()));
      before = result.getRow();
      String value = "value " + Integer.parseInt(Bytes.toString(before));
      for (byte[] family : families) {
        check(value.equals(Bytes.toString(result.getValue(family, Bytes.toBytes("q")))), name + " has another value: " + result);
      }
    }
    check(found == rows, name + " has " + found + " rows, not " + rows);
  }

  private static void check(boolean is, String message) {
    if (!is) throw new AssertionError(message);
  }
}
