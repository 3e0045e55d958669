package org.apache.hadoop.hbase.regionserver;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.io.hfile.CacheConfig;
import org.apache.hadoop.hbase.io.hfile.HFile;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.util.CommonFSUtils;
import org.apache.hadoop.hbase.util.FSTableDescriptors;
import org.apache.hadoop.hbase.wal.WALFactory;

/**
 * A table with HBase's StripeStoreEngine whose files Finback and HBase write in turn, in one directory.
 *
 *   Stripes client DIRECTORY ROUND    writes a round to a server, after a look at what earlier rounds left
 *   Stripes region DIRECTORY ROUND    the same, to regions that HBase itself opens, with no server there
 *
 * Round 0 makes the table. Everything is read back before and after a round, and the stripes that HBase's engine sees must
 * be those that the files speak of. Of two families one is flushed into stripes, the other one into level 0; of two
 * regions the second one stays empty in round 0, so that who writes round 1 makes its stripes.
 */
public final class Stripes {
  private static final TableName TABLE = TableName.valueOf("striped");
  private static final byte[] Q = Bytes.toBytes("q");
  private static final String[] FAMILIES = {"into_stripes", "into_level_0"};
  private static final int STRIPES = 3, ROWS = 1500, BATCHES = 3, LIMIT_S = 300;

  private final Configuration conf = HBaseConfiguration.create();
  private final FileSystem fs;
  private final Path root;

  private Stripes(String directory) throws IOException {
    root = new Path(new java.io.File(directory).getCanonicalFile().toURI());
    conf.set(HConstants.HBASE_DIR, root.toString());
    conf.set(WALFactory.WAL_PROVIDER, "filesystem");
    conf.setBoolean(CommonFSUtils.UNSAFE_STREAM_CAPABILITY_ENFORCE, false);
    fs = FileSystem.get(root.toUri(), conf);
  }

  public static void main(String[] args) throws Exception {
    Stripes stripes = new Stripes(args[1]);
    int round = Integer.parseInt(args[2]);
    try {
      if (args[0].equals("client")) stripes.client(round);
      else stripes.regions(round);
    } catch (Throwable failure) {
      System.out.println("FAIL " + failure);
      failure.printStackTrace();
      // HBase's threads would keep the process.
      System.exit(1);
    }
    System.exit(0);
  }

  // What is written.

  private static String row(int region, int i) {
    return String.format("%c%05d", "mn".charAt(region), i);
  }

  /** The rows of a batch with their values; nothing for one that is deleted. */
  private static Map<String, String> batch(int round, int batch) {
    Map<String, String> rows = new TreeMap<>();
    for (int region = 0; region < (round == 0 ? 1 : 2); region++) {
      for (int i = batch; i < ROWS; i += round + 1) {
        String row = row(region, i);
        rows.put(row, i % 11 == round + batch ? null : row + "/" + round + "/" + batch + "x".repeat(50));
      }
    }
    return rows;
  }

  /** What is there after so many rounds. */
  private static Map<String, String> after(int rounds) {
    Map<String, String> all = new TreeMap<>();
    for (int round = 0; round < rounds; round++) {
      for (int batch = 0; batch < BATCHES; batch++) all.putAll(batch(round, batch));
    }
    all.values().removeIf(value -> value == null);
    return all;
  }

  private static List<Mutation> mutations(Map<String, String> rows) {
    List<Mutation> mutations = new ArrayList<>();
    rows.forEach((row, value) -> {
      if (value == null) {
        mutations.add(new Delete(Bytes.toBytes(row)));
        return;
      }
      Put put = new Put(Bytes.toBytes(row));
      for (String family : FAMILIES) put.addColumn(Bytes.toBytes(family), Q, Bytes.toBytes(value));
      mutations.add(put);
    });
    return mutations;
  }

  // Through a server.

  private void client(int round) throws Exception {
    try (Connection c = ConnectionFactory.createConnection(conf); Admin admin = c.getAdmin(); Table table = c.getTable(TABLE)) {
      if (round == 0) create(admin);
      expect(after(round), scan(table), "before round " + round);
      for (int batch = 0; batch < BATCHES; batch++) {
        table.batch(mutations(batch(round, batch)), null);
        // the flush of a table asks for no compaction
        for (RegionInfo region : admin.getRegions(TABLE)) admin.flushRegion(region.getRegionName());
        // The last one leaves level 0 as it is.
        if (batch + 1 < BATCHES) settle(admin);
      }
      expect(after(round + 1), scan(table), "after round " + round);
      if (round > 0) {
        admin.majorCompact(TABLE);
        settle(admin);
        expect(after(round + 1), scan(table), "after a major compaction");
      }
      System.out.println(after(round + 1).size() + " rows after round " + round);
    }
  }

  private void create(Admin admin) throws IOException {
    TableDescriptorBuilder table = TableDescriptorBuilder.newBuilder(TABLE)
      .setValue("hbase.hstore.engine.class", StripeStoreEngine.class.getName())
      .setValue("hbase.store.stripe.initialStripeCount", "" + STRIPES)
      .setValue("hbase.store.stripe.compaction.minFilesL0", "2")
      .setValue("hbase.store.stripe.sizeToSplit", "150000");
    for (String family : FAMILIES) {
      table.setColumnFamily(ColumnFamilyDescriptorBuilder.newBuilder(Bytes.toBytes(family))
        .setConfiguration("hbase.store.stripe.compaction.flushToL0", "" + family.equals("into_level_0")).build());
    }
    admin.createTable(table.build(), new byte[][] {Bytes.toBytes("n")});
  }

  /** Waits until level 0 is in stripes and nothing is compacted any more. */
  private void settle(Admin admin) throws Exception {
    for (int look = 0; look < LIMIT_S * 20; look++) {
      boolean settled = admin.getCompactionState(TABLE).toString().equals("NONE");
      for (Path region : regionDirs()) {
        for (String family : FAMILIES) settled &= filesOf(region, family).level0 < 2;
      }
      if (settled) return;
      Thread.sleep(50);
    }
    throw new AssertionError("level 0 stays as it is");
  }

  private static Map<String, String> scan(Table table) throws IOException {
    Map<String, String> found = new TreeMap<>();
    try (ResultScanner scanner = table.getScanner(new Scan())) {
      for (Result result : scanner) add(found, result.listCells());
    }
    return found;
  }

  /** Notes a row, whose families must agree. */
  private static void add(Map<String, String> found, List<Cell> cells) {
    if (cells.isEmpty()) return;
    String row = Bytes.toString(CellUtil.cloneRow(cells.get(0))), value = Bytes.toString(CellUtil.cloneValue(cells.get(0)));
    if (cells.size() != FAMILIES.length || !CellUtil.matchingValue(cells.get(0), cells.get(1))) value = "BAD " + cells;
    if (found.put(row, value) != null) throw new AssertionError("twice: " + row);
  }

  private static void expect(Map<String, String> wanted, Map<String, String> found, String when) {
    if (wanted.equals(found)) return;
    TreeSet<String> rows = new TreeSet<>(wanted.keySet());
    rows.addAll(found.keySet());
    rows.removeIf(row -> java.util.Objects.equals(wanted.get(row), found.get(row)));
    String row = rows.first();
    throw new AssertionError(when + ": " + rows.size() + " rows differ, the first is " + row + ": wanted "
      + wanted.get(row) + ", found " + found.get(row));
  }

  // By HBase itself.

  private void regions(int round) throws Exception {
    ChunkCreator.initialize(MemStoreLAB.CHUNK_SIZE_DEFAULT, false, 0, 0, 0, null, MemStoreLAB.INDEX_CHUNK_SIZE_PERCENTAGE_DEFAULT);
    TableDescriptor table = FSTableDescriptors.getTableDescriptorFromFs(fs, CommonFSUtils.getTableDir(root, TABLE));
    List<HRegion> regions = new ArrayList<>();
    WALFactory logs = new WALFactory(conf, "localhost,1," + System.currentTimeMillis());
    for (Path dir : regionDirs()) {
      RegionInfo info = HRegionFileSystem.loadRegionInfoFileContent(fs, dir);
      regions.add(HRegion.openHRegion(root, info, table, logs.getWAL(info), conf));
    }
    checkStripes(regions, "before round " + round, round == 1 ? 1 : 0);
    expect(after(round), scan(regions), "before round " + round);
    for (int batch = 0; batch < BATCHES; batch++) {
      for (HRegion region : regions) {
        for (Mutation mutation : mutations(batch(round, batch))) {
          if (!region.getRegionInfo().containsRow(mutation.getRow())) continue;
          if (mutation instanceof Put) region.put((Put) mutation);
          else region.delete((Delete) mutation);
        }
        region.flush(true);
        if (batch + 1 < BATCHES) region.compact(false);
      }
    }
    expect(after(round + 1), scan(regions), "after round " + round);
    checkStripes(regions, "after round " + round, -1);
    for (HRegion region : regions) region.close();
    logs.close();
    System.out.println(after(round + 1).size() + " rows after round " + round);
  }

  private static Map<String, String> scan(List<HRegion> regions) throws IOException {
    Map<String, String> found = new TreeMap<>();
    for (HRegion region : regions) {
      try (RegionScanner scanner = region.getScanner(new Scan())) {
        List<Cell> cells = new ArrayList<>();
        for (boolean more = true; more; cells.clear()) {
          more = scanner.next(cells);
          add(found, cells);
        }
      }
    }
    return found;
  }

  /**
   * What the engine sees must be what the files speak of: one that finds stripes to contradict each other takes them all for
   * level 0. leastOfLevel0: so many files of it there must be at least; less than 0 after HBase has compacted, which keeps the
   * old files in the directory until the region closes.
   */
  private void checkStripes(List<HRegion> regions, String when, int leastOfLevel0) throws IOException {
    boolean byFinback = leastOfLevel0 >= 0;
    int striped = 0, level0 = 0;
    for (HRegion region : regions) {
      for (String family : FAMILIES) {
        HStore store = region.getStore(Bytes.toBytes(family));
        StripeStoreFileManager seen = (StripeStoreFileManager) store.getStoreEngine().getStoreFileManager();
        Files files = filesOf(region.getRegionFileSystem().getRegionDir(), family);
        String what = when + ", " + region.getRegionInfo().getEncodedName() + "/" + family + ": HBase sees " + seen.getStripeCount()
          + " stripes and " + seen.getLevel0Files().size() + " files of level 0; the files say " + files;
        System.out.println(what);
        boolean same = !byFinback || (seen.getStripeCount() == files.stripes.size() && seen.getLevel0Files().size() == files.level0);
        boolean empty = byFinback && store.getStorefilesCount() == 0;
        if (!same || (!empty && seen.getStripeCount() < STRIPES)) throw new AssertionError(what);
        striped += seen.getStripeCount();
        level0 += seen.getLevel0Files().size();
      }
    }
    if (striped == 0 || level0 < leastOfLevel0) throw new AssertionError(when + ": stripes and level 0 were to be tried, both");
  }

  // In the directory.

  /** What the files of a store say. */
  private static final class Files {
    private final TreeSet<String> stripes = new TreeSet<>();
    private int level0;

    @Override
    public String toString() {
      return stripes + " and " + level0;
    }
  }

  private List<Path> regionDirs() throws IOException {
    List<Path> dirs = new ArrayList<>();
    for (FileStatus status : fs.listStatus(CommonFSUtils.getTableDir(root, TABLE))) {
      if (status.getPath().getName().matches("[0-9a-f]{32}")) dirs.add(status.getPath());
    }
    Collections.sort(dirs);
    return dirs;
  }

  private Files filesOf(Path region, String family) throws IOException {
    Files files = new Files();
    Path dir = new Path(region, family);
    for (FileStatus status : fs.exists(dir) ? fs.listStatus(dir) : new FileStatus[0]) {
      if (!status.getPath().getName().matches("[0-9a-f]{32}")) continue;
      try (HFile.Reader reader = HFile.createReader(fs, status.getPath(), new CacheConfig(conf), true, conf)) {
        byte[] start = reader.getHFileInfo().get(StripeStoreFileManager.STRIPE_START_KEY);
        byte[] end = reader.getHFileInfo().get(StripeStoreFileManager.STRIPE_END_KEY);
        if (start == null) files.level0++;
        else files.stripes.add("[" + Bytes.toString(start) + "," + Bytes.toString(end) + ")");
      } catch (IOException failure) {
        // It may have been compacted away meanwhile; HBase's reader calls that corrupt.
        if (fs.exists(status.getPath())) throw failure;
      }
    }
    return files;
  }
}
