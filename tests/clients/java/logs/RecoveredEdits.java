import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.PrivateCellUtil;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.regionserver.ChunkCreator;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.apache.hadoop.hbase.regionserver.HRegionFileSystem;
import org.apache.hadoop.hbase.regionserver.MemStoreLAB;
import org.apache.hadoop.hbase.regionserver.Region;
import org.apache.hadoop.hbase.regionserver.RegionScanner;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.util.CommonFSUtils;
import org.apache.hadoop.hbase.util.FSTableDescriptors;
import org.apache.hadoop.hbase.wal.WAL;
import org.apache.hadoop.hbase.wal.WALFactory;
import org.apache.hadoop.hbase.wal.WALKeyImpl;
import org.apache.hadoop.hbase.wal.WALSplitUtil;

/**
 * Reads recovered edits that Finback wrote with HBase's reader: each region's must be what the logs have of it, entry by entry.
 * Then HBase's regions replay them, and have what a scan of Finback had.
 *
 *   RecoveredEdits [DIRECTORY KIND]...
 *
 * A directory is one of a server that got the cells of CompressedLogs and was killed: `written.scan` in it has the scan, `split`
 * what the example split_logs of finback-wal printed. The edits are gone afterwards.
 */
public final class RecoveredEdits {
  private final Configuration conf;
  private final Path root, table;
  private final FileSystem fs;
  private final String kind;
  /** The last sequence id of each region, by its directory. */
  private final Map<Path, Long> last = new TreeMap<>();
  private long files, entries;

  private RecoveredEdits(String directory, String kind) throws IOException {
    this.kind = kind;
    conf = CompressedLogs.configuration(kind);
    root = new Path(new java.io.File(directory).getCanonicalFile().toURI());
    table = CommonFSUtils.getTableDir(root, CompressedLogs.TABLE);
    conf.set(HConstants.HBASE_DIR, root.toString());
    conf.set(WALFactory.WAL_PROVIDER, "filesystem");
    conf.setBoolean(CommonFSUtils.UNSAFE_STREAM_CAPABILITY_ENFORCE, false);
    fs = FileSystem.get(root.toUri(), conf);
  }

  public static void main(String[] args) throws Exception {
    ChunkCreator.initialize(MemStoreLAB.CHUNK_SIZE_DEFAULT, false, 0, 0, 0, null, MemStoreLAB.INDEX_CHUNK_SIZE_PERCENTAGE_DEFAULT);
    long files = 0, entries = 0, cells = 0;
    try {
      for (int i = 0; i < args.length; i += 2) {
        RecoveredEdits edits = new RecoveredEdits(args[i], args[i + 1]);
        edits.check();
        int replayed = edits.replay();
        System.out.printf("%-11s %d entries in %d recovered edits as in the logs, replayed to %d cells%n", edits.kind, edits.entries, edits.files, replayed);
        files += edits.files;
        entries += edits.entries;
        cells += replayed;
      }
    } catch (Throwable failure) {
      System.out.println("FAIL " + failure);
      failure.printStackTrace();
      // HBase's threads would keep the process.
      System.exit(1);
    }
    System.out.printf("%d kinds of logs; %d entries in %d recovered edits as in the logs, replayed to %d cells%n", args.length / 2, entries, files, cells);
    System.exit(args.length > 0 ? 0 : 1);
  }

  private void check() throws IOException {
    Map<Path, List<String>> wanted = new TreeMap<>();
    for (String log : Files.readAllLines(Paths.get(root.toUri().getPath(), "split"))) {
      for (WAL.Entry e : entries(new Path(new Path(root, "oldWALs"), log))) {
        if (!e.getEdit().isMetaEdit()) wanted.computeIfAbsent(regionDir(e.getKey()), dir -> new ArrayList<>()).add(described(e));
      }
    }
    for (Path dir : wanted.keySet()) same(wanted.get(dir), edits(dir), kind + ", " + dir);
    long regions = wanted.keySet().stream().filter(dir -> dir.getParent().equals(table)).count();
    need(regions == 3, kind + ": " + regions + " regions of the table have edits");
    need(files > 2 * regions, kind + ": only " + files + " recovered edits, too few for several of a region");
  }

  /** What a region has, in the order in which HBase replays it. */
  private List<String> edits(Path dir) throws IOException {
    List<String> edits = new ArrayList<>();
    long id = -1;
    for (Path file : WALSplitUtil.getSplitEditFilesSorted(fs, dir)) {
      need(CompressedLogs.header(Paths.get(file.toUri()), kind), file + " is not compressed as " + kind + " says");
      for (WAL.Entry e : entries(file)) {
        need(regionDir(e.getKey()).equals(dir), file + " has an entry of another region: " + e.getKey());
        need(e.getKey().getSequenceId() > id, file + " has " + e.getKey().getSequenceId() + " behind " + id);
        id = e.getKey().getSequenceId();
        if (!e.getEdit().isMetaEdit()) edits.add(described(e));
      }
      need(file.getName().equals(String.format("%019d", id)), file + " ends with " + id);
      files++;
    }
    last.put(dir, id);
    entries += edits.size();
    return edits;
  }

  private List<WAL.Entry> entries(Path file) throws IOException {
    List<WAL.Entry> entries = new ArrayList<>();
    try (WAL.Reader reader = WALFactory.createReader(fs, file, conf)) {
      for (WAL.Entry e; (e = reader.next()) != null;) entries.add(e);
    }
    return entries;
  }

  private Path regionDir(WALKeyImpl key) {
    return new Path(CommonFSUtils.getTableDir(root, key.getTableName()), Bytes.toString(key.getEncodedRegionName()));
  }

  private static String described(WAL.Entry e) {
    WALKeyImpl key = e.getKey();
    StringBuilder text = new StringBuilder("id " + key.getSequenceId() + " of " + key.getWriteTime() + ", nonce " + key.getNonceGroup() + "/" + key.getNonce());
    for (Cell c : e.getEdit().getCells()) {
      text.append("; ").append(CompressedLogs.line(c)).append(" tags: ").append(Bytes.toStringBinary(PrivateCellUtil.cloneTags(c)));
    }
    return text.toString();
  }

  private static void same(List<String> wanted, List<String> found, String where) {
    for (int i = 0; i < Math.min(wanted.size(), found.size()); i++) {
      need(wanted.get(i).equals(found.get(i)), where + ", entry " + i + ": the log has " + shown(wanted.get(i)) + " / the edits have " + shown(found.get(i)));
    }
    need(wanted.size() == found.size(), where + ": the logs have " + wanted.size() + " entries, the edits " + found.size());
  }

  private static String shown(String entry) {
    return entry.substring(0, Math.min(200, entry.length()));
  }

  private static void need(boolean fact, String what) {
    if (!fact) throw new AssertionError(what);
  }

  /** Opens the regions of the table, with what they replay as their only cells. How many a scan finds. */
  private int replay() throws IOException {
    TableDescriptor descriptor = FSTableDescriptors.getTableDescriptorFromFs(fs, table);
    WALFactory logs = new WALFactory(conf, "localhost,1," + System.currentTimeMillis());
    List<String> found = new ArrayList<>();
    for (Path dir : last.keySet()) {
      if (!dir.getParent().equals(table)) continue;
      RegionInfo info = HRegionFileSystem.loadRegionInfoFileContent(fs, dir);
      HRegion region = HRegion.openHRegion(root, info, descriptor, logs.getWAL(info), conf);
      need(region.getOpenSeqNum() > last.get(dir), kind + ": " + region + " begins with " + region.getOpenSeqNum() + ", its edits end with " + last.get(dir));
      need(WALSplitUtil.getSplitEditFilesSorted(fs, dir).isEmpty(), kind + ": HBase leaves edits in " + dir);
      scan(region, found);
      region.close();
    }
    logs.close();
    CompressedLogs.same(Files.readAllLines(Paths.get(root.toUri().getPath(), "written.scan")), found, kind + ": a replay by HBase");
    return found.size();
  }

  private static void scan(Region region, List<String> found) throws IOException {
    try (RegionScanner scanner = region.getScanner(new Scan())) {
      List<Cell> cells = new ArrayList<>();
      for (boolean more = true; more; cells.clear()) {
        more = scanner.next(cells);
        for (Cell c : cells) found.add(CompressedLogs.line(c));
      }
    }
  }
}
