package org.apache.hadoop.hbase.regionserver;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.mob.MobFileCache;
import org.apache.hadoop.hbase.mob.MobUtils;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.util.CommonFSUtils;
import org.apache.hadoop.hbase.util.FSTableDescriptors;
import org.apache.hadoop.hbase.wal.WALFactory;

/**
 * Tables with MOB files, which Finback and HBase write in turn, in one directory.
 *
 *   Mob client DIRECTORY ROUND SERVER   writes a round to a server, `hbase` or `finback`, after a look at what earlier rounds left;
 *                                       round 0 makes the tables
 *   Mob lose DIRECTORY                  removes a MOB file that nobody has read yet, and has HBase's printer find that
 *   Mob lost DIRECTORY                  to a server: what was in that file is lost, and nothing else
 *   Mob again DIRECTORY                 to a server, after round 0 and a SIGKILL: all is there
 *   Mob files DIRECTORY                 by HBase's reader of HFiles: references and MOB files fit
 *   Mob regions DIRECTORY ROUND         writes a round to regions that HBase itself opens, with no server there
 */
public final class Mob {
  private final Configuration conf = HBaseConfiguration.create();
  private final FileSystem fs;
  private final Path root;
  private final java.nio.file.Path noted;

  private Mob(String directory) throws IOException {
    root = new Path(new java.io.File(directory).getCanonicalFile().toURI());
    noted = Paths.get(directory + ".regions");
    conf.set(HConstants.HBASE_DIR, root.toString());
    conf.set(WALFactory.WAL_PROVIDER, "filesystem");
    conf.setBoolean(CommonFSUtils.UNSAFE_STREAM_CAPABILITY_ENFORCE, false);
    fs = FileSystem.get(root.toUri(), conf);
  }

  public static void main(String[] args) throws Exception {
    Mob mob = new Mob(args[1]);
    try {
      switch (args[0]) {
        case "client" -> mob.client(Integer.parseInt(args[2]), args[3].equals("hbase"));
        case "lose" -> mob.lose();
        case "lost" -> mob.lost();
        case "again" -> mob.again();
        case "files" -> mob.files();
        case "regions" -> mob.regions(Integer.parseInt(args[2]));
        default -> throw new IllegalArgumentException(args[0]);
      }
    } catch (Throwable failure) {
      System.out.println("FAIL " + failure);
      failure.printStackTrace();
      // HBase's threads would keep the process.
      System.exit(1);
    }
    System.exit(0);
  }

  private void client(int round, boolean isHBase) throws Exception {
    try (MobClient client = new MobClient()) {
      if (round == 0) client.first(isHBase);
      else client.later(round);
      client.noteRegions(noted);
    }
    System.out.println("round " + round + " through a server");
  }

  private void again() throws Exception {
    try (MobClient client = new MobClient()) {
      client.again();
    }
  }

  private void lost() throws Exception {
    try (MobClient client = new MobClient()) {
      client.lost();
    }
  }

  private void lose() throws IOException {
    Path dir = new Path(MobUtils.getMobRegionPath(root, MobClient.LOSING), Bytes.toString(MobClient.LOSING_FAMILY));
    FileStatus[] files = fs.listStatus(dir);
    Values.need(files.length == 2, files.length + " MOB files in " + dir);
    Values.need(fs.delete(files[0].getPath(), false), files[0].getPath() + " stays");
    try (MobFiles looked = new MobFiles(conf, fs, root)) {
      looked.missing(CommonFSUtils.getTableDir(root, MobClient.LOSING), MobClient.LOSING_FAMILY);
    }
  }

  /** The regions that there were at the end of the last round of a client, and their tables. */
  private Map<Path, TableName> noted() throws IOException {
    Map<Path, TableName> regions = new LinkedHashMap<>();
    for (String line : Files.readAllLines(noted)) {
      String[] words = line.split("\t");
      TableName table = TableName.valueOf(words[0]);
      regions.put(new Path(CommonFSUtils.getTableDir(root, table), words[1]), table);
    }
    return regions;
  }

  private void files() throws IOException {
    try (MobFiles files = new MobFiles(conf, fs, root)) {
      for (Path region : noted().keySet()) files.region(region);
      for (TableName table : MobClient.TABLES) files.table(table);
      files.finish();
    }
  }

  // By HBase itself.

  private void regions(int round) throws Exception {
    ChunkCreator.initialize(MemStoreLAB.CHUNK_SIZE_DEFAULT, false, 0, 0, 0, null, MemStoreLAB.INDEX_CHUNK_SIZE_PERCENTAGE_DEFAULT);
    WALFactory logs = new WALFactory(conf, "localhost,1," + System.currentTimeMillis());
    Map<TableName, List<HRegion>> tables = new LinkedHashMap<>();
    for (Map.Entry<Path, TableName> region : noted().entrySet()) {
      tables.computeIfAbsent(region.getValue(), table -> new ArrayList<>()).add(open(region.getKey(), region.getValue(), logs));
    }
    for (Map.Entry<TableName, List<HRegion>> table : tables.entrySet()) {
      List<HRegion> regions = table.getValue();
      regions.sort((a, b) -> Bytes.compareTo(a.getRegionInfo().getStartKey(), b.getRegionInfo().getStartKey()));
      verify(regions, round, table.getKey() + ", before round " + round);
      for (HRegion region : regions) write(region, round);
      verify(regions, round + 1, table.getKey() + ", after round " + round);
      for (HRegion region : regions) region.compact(true);
      verify(regions, round + 1, table.getKey() + ", compacted");
      for (HRegion region : regions) region.close();
    }
    logs.close();
    System.out.println("round " + round + " by HBase's regions");
  }

  /** A region outside of a server has no cache of MOB files, and reads none without. */
  private HRegion open(Path directory, TableName table, WALFactory logs) throws IOException {
    Path tableDir = CommonFSUtils.getTableDir(root, table);
    RegionInfo info = HRegionFileSystem.loadRegionInfoFileContent(fs, directory);
    TableDescriptor descriptor = FSTableDescriptors.getTableDescriptorFromFs(fs, tableDir);
    HRegion region = HRegion.newHRegion(tableDir, logs.getWAL(info), fs, conf, info, descriptor, null);
    region.setMobFileCache(new MobFileCache(conf));
    region.initialize();
    return region;
  }

  private static void write(HRegion region, int round) throws IOException {
    for (int batch = 0; batch < Values.BATCHES; batch++) {
      for (int row = 0; row < Values.ROWS; row++) {
        if (region.getRegionInfo().containsRow(Values.row(row))) region.put(Values.put(round, batch, row));
      }
      region.flush(true);
    }
    for (int row = 0; row < Values.ROWS; row++) {
      Delete delete = Values.delete(round, row);
      if (delete != null && region.getRegionInfo().containsRow(Values.row(row))) region.delete(delete);
    }
  }

  private static void verify(List<HRegion> regions, int rounds, String when) throws IOException {
    List<String> found = new ArrayList<>();
    for (HRegion region : regions) {
      try (RegionScanner scanner = region.getScanner(new Scan().readAllVersions())) {
        List<Cell> cells = new ArrayList<>();
        for (boolean more = true; more; cells.clear()) {
          more = scanner.next(cells);
          for (Cell cell : cells) Values.add(found, cell, when);
        }
      }
    }
    Values.expect(Values.keys(rounds, false), found, when);
  }
}
