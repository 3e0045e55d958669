package org.apache.hadoop.hbase.regionserver;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.NotServingRegionException;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.CompactType;
import org.apache.hadoop.hbase.client.CompactionState;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.io.compress.Compression;
import org.apache.hadoop.hbase.io.encoding.DataBlockEncoding;
import org.apache.hadoop.hbase.mob.MobConstants;
import org.apache.hadoop.hbase.util.Bytes;

/** The tables as a client of a server has them. */
final class MobClient implements AutoCloseable {
  static final TableName TABLE = TableName.valueOf("mob");
  /** Its snapshot becomes the clone; then it is dropped. */
  private static final TableName SNAPPED = TableName.valueOf("mob_snapped");
  static final TableName CLONE = TableName.valueOf("mob_cloned");
  static final List<TableName> TABLES = List.of(TABLE, CLONE);
  /** Of this one a MOB file is lost. */
  static final TableName LOSING = TableName.valueOf("mob_losing");
  static final byte[] LOSING_FAMILY = Bytes.toBytes("m");
  private static final String[] LOSING_ROWS = {"a", "b"};
  private static final int LOSING_BYTES = 2000;
  private static final String SNAPSHOT = "of-mob";
  private static final int LIMIT_S = 300;

  private final Connection connection = ConnectionFactory.createConnection(HBaseConfiguration.create());
  private final Admin admin = connection.getAdmin();
  private boolean isHBase;

  MobClient() throws IOException {}

  /** Round 0, which makes the tables. */
  void first(boolean isHBase) throws Exception {
    this.isHBase = isHBase;
    admin.createTable(descriptor(TABLE), new byte[][] {Values.row(Values.ROWS / 2)});
    admin.createTable(descriptor(SNAPPED));
    for (TableName table : List.of(TABLE, SNAPPED)) {
      write(table, 0);
      verify(table, 1, "written");
      references(table, "written");
    }
    admin.compact(TABLE);
    settle(TABLE);
    verify(TABLE, 1, "compacted");
    split();
    if (isHBase) {
      // Seen with the daughters of a split: not each region writes its values anew at once.
      admin.majorCompact(TABLE);
      settle(TABLE);
    } else {
      rewrite(TABLE, CompactType.NORMAL, "compacted by a user");
    }
    verify(TABLE, 1, "compacted by a user");
    compactMobFiles();
    verify(TABLE, 1, "with its MOB files compacted");
    makeClone();
    makeLosing();
  }

  /** HBase's master takes the region that stands for the MOB files for one that it does not serve (HBASE-23571). */
  private void compactMobFiles() throws Exception {
    if (!isHBase) {
      rewrite(TABLE, CompactType.MOB, "with its MOB files compacted");
      return;
    }
    try {
      admin.majorCompact(TABLE, CompactType.MOB);
    } catch (NotServingRegionException refusal) {
      settle(TABLE, CompactType.MOB);
      return;
    }
    throw new AssertionError("HBase compacts MOB files by themselves");
  }

  /** All values in MOB files are written anew: no reference names a file that one named before. */
  private void rewrite(TableName table, CompactType type, String when) throws Exception {
    settle(table);
    Set<String> before = references(table, "not yet " + when);
    admin.majorCompact(table, type);
    settle(table, type);
    Set<String> after = references(table, when);
    Values.need(Collections.disjoint(before, after), table + ", " + when + ": of the MOB files " + before + " some are among " + after);
  }

  /** Daughters have references to halves of files that have references to values. */
  private void split() throws Exception {
    admin.compactionSwitch(false, new ArrayList<>());
    RegionInfo first = admin.getRegions(TABLE).get(0);
    admin.splitRegionAsync(first.getRegionName(), Values.row(Values.ROWS / 4)).get();
    verify(TABLE, 1, "split");
    references(TABLE, "split");
    admin.compactionSwitch(true, new ArrayList<>());
  }

  private void makeClone() throws Exception {
    admin.snapshot(SNAPSHOT, SNAPPED);
    admin.cloneSnapshot(SNAPSHOT, CLONE);
    verify(CLONE, 1, "cloned");
    admin.disableTable(SNAPPED);
    admin.deleteTable(SNAPPED);
    clean();
    verify(CLONE, 1, "without the table that it was made of");
    admin.deleteSnapshot(SNAPSHOT);
    clean();
    verify(CLONE, 1, "without the snapshot");
    references(CLONE, "without the snapshot");
  }

  /** HBase's cleaners often say that they were not done, while something else is under way. */
  private void clean() throws Exception {
    for (int look = 0; look < 20; look++) {
      if (admin.runCleanerChore()) return;
      Thread.sleep(100);
    }
    Values.need(isHBase, "the archive is not cleaned");
  }

  /** Two rows whose values are in a MOB file each. */
  private void makeLosing() throws IOException {
    admin.createTable(TableDescriptorBuilder.newBuilder(LOSING)
      .setColumnFamily(ColumnFamilyDescriptorBuilder.newBuilder(LOSING_FAMILY).setMobEnabled(true).setMobThreshold(LOSING_BYTES - 1).build()).build());
    try (Table table = connection.getTable(LOSING)) {
      for (String row : LOSING_ROWS) {
        table.put(new Put(Bytes.toBytes(row)).addColumn(LOSING_FAMILY, Values.QUALIFIER, losingValue(row)));
        admin.flush(LOSING);
      }
    }
  }

  private static byte[] losingValue(String row) { return Bytes.toBytes(row.repeat(LOSING_BYTES)); }

  /** After the server was killed and has come back. */
  void again() throws Exception {
    for (TableName table : TABLES) {
      verify(table, 1, "after SIGKILL");
      references(table, "after SIGKILL");
    }
  }

  /** A MOB file was removed: one of the rows has its value, and the other one none. */
  void lost() throws IOException {
    try (Table table = connection.getTable(LOSING)) {
      int failed = 0;
      for (String row : LOSING_ROWS) {
        byte[] value = losingValue(row);
        Get get = new Get(Bytes.toBytes(row));
        boolean fails = fails(() -> Values.need(Bytes.equals(value, table.get(get).value()), "another value of " + row));
        if (fails) failed++;
        byte[] orEmpty = table.get(get.setAttribute(MobConstants.EMPTY_VALUE_ON_MOBCELL_MISS, Bytes.toBytes(true))).value();
        Values.need(Bytes.equals(fails ? new byte[0] : value, orEmpty), "not an empty value, or the value, of " + row);
      }
      Values.need(failed == 1, failed + " of the rows cannot be read");
      Values.need(fails(() -> scanAll(table, new Scan())), "a scan passes over a value that is lost");
      Scan orEmpty = new Scan();
      orEmpty.setAttribute(MobConstants.EMPTY_VALUE_ON_MOBCELL_MISS, Bytes.toBytes(true));
      List<Cell> cells = scanAll(table, orEmpty);
      Values.need(cells.size() == LOSING_ROWS.length && cells.stream().filter(cell -> cell.getValueLength() == 0).count() == 1, "a scan finds " + cells);
    }
  }

  private interface Read {
    void run() throws IOException;
  }

  private static boolean fails(Read read) throws IOException {
    try {
      read.run();
      return false;
    } catch (DoNotRetryIOException expected) {
      return true;
    }
  }

  /** A later round. */
  void later(int round) throws Exception {
    for (TableName table : TABLES) {
      verify(table, round, "before round " + round);
      references(table, "before round " + round);
      write(table, round);
      verify(table, round + 1, "after round " + round);
      admin.flush(table);
      admin.compact(table);
      settle(table);
      verify(table, round + 1, "compacted");
      rewrite(table, CompactType.NORMAL, "compacted by a user");
      clean();
      verify(table, round + 1, "compacted by a user");
      references(table, "compacted by a user");
    }
  }

  private static TableDescriptor descriptor(TableName name) {
    TableDescriptorBuilder table = TableDescriptorBuilder.newBuilder(name);
    for (Values.Family family : Values.FAMILIES) {
      ColumnFamilyDescriptorBuilder builder = ColumnFamilyDescriptorBuilder.newBuilder(family.bytes()).setMaxVersions(Values.VERSIONS);
      if (family.hasMobFiles()) builder.setMobEnabled(true).setMobThreshold(family.threshold());
      if (family.name().equals("listed")) builder.setConfiguration("hbase.store.file-tracker.impl", "FILE");
      if (family.name().equals("packed")) builder.setCompressionType(Compression.Algorithm.GZ).setDataBlockEncoding(DataBlockEncoding.FAST_DIFF);
      table.setColumnFamily(builder.build());
    }
    return table.build();
  }

  /** All values go to files, and what is deleted stays in the log. */
  private void write(TableName name, int round) throws IOException {
    try (Table table = connection.getTable(name)) {
      for (int batch = 0; batch < Values.BATCHES; batch++) {
        for (int row = 0; row < Values.ROWS; row++) table.put(Values.put(round, batch, row));
        admin.flush(name);
      }
      List<Delete> deletes = new ArrayList<>();
      for (int row = 0; row < Values.ROWS; row++) {
        Delete delete = Values.delete(round, row);
        if (delete != null) deletes.add(delete);
      }
      table.delete(deletes);
    }
  }

  private void verify(TableName name, int rounds, String when) throws IOException {
    String what = name + ", " + when;
    try (Table table = connection.getTable(name)) {
      List<String> found = new ArrayList<>();
      for (Cell cell : scanAll(table, new Scan().readAllVersions())) Values.add(found, cell, what);
      Values.expect(Values.keys(rounds, false), found, what);
      found.clear();
      for (Cell cell : scanAll(table, new Scan().setReversed(true))) Values.add(found, cell, what + ", backward");
      Values.expect(Values.keys(rounds, true), found, what + ", backward");
      for (int row = 0; row < Values.ROWS; row++) {
        found.clear();
        Result result = table.get(new Get(Values.row(row)).readAllVersions());
        if (!result.isEmpty()) for (Cell cell : result.rawCells()) Values.add(found, cell, what + ", a get");
        String prefix = Bytes.toString(Values.row(row)) + "/";
        Values.expect(Values.keys(rounds, false).stream().filter(key -> key.startsWith(prefix)).toList(), found, what + ", a get of " + prefix);
      }
    }
  }

  /** With the attribute for it, what stands in the store files is given: the length of a value and the name of its file. Those names. */
  private Set<String> references(TableName name, String when) throws IOException {
    Scan scan = new Scan().readAllVersions();
    scan.setAttribute(MobConstants.MOB_SCAN_RAW, Bytes.toBytes(true));
    Set<String> files = new TreeSet<>();
    try (Table table = connection.getTable(name)) {
      for (Cell cell : scanAll(table, scan)) {
        byte[] value = CellUtil.cloneValue(cell), wanted = Values.valueOf(cell);
        String what = name + ", " + when + ": " + Values.key(cell);
        if (!Values.isLarge(cell)) {
          Values.need(Bytes.equals(wanted, value), what + " has another value");
          continue;
        }
        Values.need(value.length > Bytes.SIZEOF_INT && Bytes.toInt(value) == wanted.length, what + " tells another length than " + wanted.length);
        String file = Bytes.toString(value, Bytes.SIZEOF_INT, value.length - Bytes.SIZEOF_INT);
        Values.need(file.matches(MobFiles.NAME), what + " is in a file called " + file);
        files.add(file);
      }
    }
    Values.need(!files.isEmpty(), name + ", " + when + ": no value is in a MOB file");
    return files;
  }

  private static List<Cell> scanAll(Table table, Scan scan) throws IOException {
    List<Cell> cells = new ArrayList<>();
    try (ResultScanner scanner = table.getScanner(scan)) {
      for (Result result : scanner) cells.addAll(List.of(result.rawCells()));
    } catch (java.io.UncheckedIOException inIteration) {
      throw inIteration.getCause();
    }
    return cells;
  }

  private void settle(TableName table) throws Exception { settle(table, CompactType.NORMAL); }

  /** Waits until nothing is compacted any more. */
  private void settle(TableName table, CompactType type) throws Exception {
    for (int look = 0; look < LIMIT_S * 20; look++) {
      if (admin.getCompactionState(table, type) == CompactionState.NONE) return;
      Thread.sleep(50);
    }
    throw new AssertionError("a compaction of " + table + " does not end");
  }

  /** Notes which regions there are: the directories of those that were split stay for a while. */
  void noteRegions(Path file) throws IOException {
    List<String> lines = new ArrayList<>();
    for (TableName table : TABLES) {
      for (RegionInfo region : admin.getRegions(table)) lines.add(table + "\t" + region.getEncodedName());
    }
    Files.write(file, lines);
  }

  @Override
  public void close() throws IOException {
    admin.close();
    connection.close();
  }
}
