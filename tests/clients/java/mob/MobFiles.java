package org.apache.hadoop.hbase.regionserver;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.KeyValueUtil;
import org.apache.hadoop.hbase.PrivateCellUtil;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.io.hfile.CacheConfig;
import org.apache.hadoop.hbase.io.hfile.HFile;
import org.apache.hadoop.hbase.io.hfile.HFilePrettyPrinter;
import org.apache.hadoop.hbase.io.hfile.HFileScanner;
import org.apache.hadoop.hbase.mob.MobUtils;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.util.HFileArchiveUtil;

/**
 * Store files and MOB files as HBase's own reader has them: each reference leads to the value of its key, and the store file
 * names exactly the MOB files that it refers to.
 */
final class MobFiles implements AutoCloseable {
  /** Of a MOB file: the first row of its region, the day of its newest cell, what makes it unique, and the region. */
  static final String NAME = "[0-9a-f]{32}[0-9]{8}[0-9a-f]{32}_[0-9a-f]{32}";
  private static final String STORE_FILE = "[0-9a-f]{32}";
  /** What HBase's printer says of a MOB file that is nowhere. */
  private static final String MISSING = "is missing";

  private final Configuration conf;
  private final FileSystem fs;
  private final Path root;
  private final Map<Path, HFile.Reader> mobFiles = new HashMap<>();
  private int storeFiles, references, mobCells;

  MobFiles(Configuration conf, FileSystem fs, Path root) {
    this.conf = conf;
    this.fs = fs;
    this.root = root;
  }

  private interface Visit {
    void cell(KeyValue cell) throws IOException;
  }

  private HFile.Reader open(Path file) throws IOException { return HFile.createReader(fs, file, new CacheConfig(conf), true, conf); }

  /** How many cells there are. */
  private long read(HFile.Reader reader, Visit visit) throws IOException {
    HFileScanner scanner = reader.getScanner(conf, false, true, false);
    long cells = 0;
    for (boolean more = scanner.seekTo(); more; more = scanner.next(), cells++) visit.cell(KeyValueUtil.copyToNewKeyValue(scanner.getCell()));
    return cells;
  }

  /** All store files of a region that are there themselves. */
  void region(Path region) throws IOException {
    for (Values.Family family : Values.FAMILIES) {
      Path store = new Path(region, family.name());
      for (FileStatus status : fs.exists(store) ? fs.listStatus(store) : new FileStatus[0]) {
        if (status.isFile() && status.getPath().getName().matches(STORE_FILE)) storeFile(status.getPath(), family);
      }
    }
  }

  private void storeFile(Path file, Values.Family family) throws IOException {
    storeFiles++;
    Set<String> referred = new TreeSet<>();
    long[] ofThis = {0};
    try (HFile.Reader reader = open(file)) {
      read(reader, cell -> {
        boolean isReference = MobUtils.isMobReferenceCell(cell);
        boolean isPut = cell.getTypeByte() == KeyValue.Type.Put.getCode();
        Values.need(isReference == (isPut && Values.isLarge(cell)), file + ": " + cell + " is a reference: " + isReference);
        if (isReference) {
          ofThis[0]++;
          referred.add(follow(file, cell));
        } else if (isPut) {
          Values.need(Bytes.equals(CellUtil.cloneValue(cell), Values.valueOf(cell)), file + ": " + cell + " has another value");
        }
      });
      byte[] named = reader.getHFileInfo().get(HStoreFile.MOB_FILE_REFS), counted = reader.getHFileInfo().get(HStoreFile.MOB_CELLS_COUNT);
      if (family.hasMobFiles()) {
        Values.need(named != null, file + " does not say to which MOB files it refers");
        Set<String> names = new TreeSet<>();
        MobUtils.deserializeMobFileRefs(named).build().forEach((table, name) -> names.add(table + "/" + name));
        Values.need(names.equals(referred), file + " names " + names + " and refers to " + referred);
        Values.need(counted == null || Bytes.toLong(counted) == ofThis[0], file + " has " + ofThis[0] + " references, and says another number");
      } else {
        Values.need(named == null || named.length <= 1, file + " is of a family without MOB files");
      }
    }
    references += ofThis[0];
    printed(file);
  }

  /** The MOB file of a reference, which has the same key with its value: table and name. */
  private String follow(Path file, KeyValue reference) throws IOException {
    TableName table = MobUtils.getTableName(reference).orElseThrow(() -> new AssertionError(file + ": " + reference + " names no table"));
    String name = MobUtils.getMobFileName(reference), family = Bytes.toString(CellUtil.cloneFamily(reference));
    Path served = new Path(new Path(MobUtils.getMobRegionPath(root, table), family), name);
    Path archived = new Path(HFileArchiveUtil.getStoreArchivePath(conf, table, MobUtils.getMobRegionInfo(table).getEncodedName(), family), name);
    Path mobFile = fs.exists(served) ? served : archived;
    Values.need(fs.exists(mobFile), file + ": " + reference + " is in " + name + ", which is nowhere");
    HFile.Reader reader = mobFiles.get(mobFile);
    if (reader == null) mobFiles.put(mobFile, reader = open(mobFile));
    HFileScanner scanner = reader.getScanner(conf, false, true, false);
    KeyValue key = KeyValueUtil.copyToNewKeyValue(reference);
    key.setSequenceId(0); // the index holds none
    int at = scanner.seekTo(key);
    Values.need(at == 0 || at == HConstants.INDEX_KEY_MAGIC, mobFile + " has no " + reference);
    KeyValue found = KeyValueUtil.copyToNewKeyValue(scanner.getCell());
    Values.need(PrivateCellUtil.compareKeyIgnoresMvcc(reader.getComparator(), found, key) == 0, mobFile + " has " + found + ", not " + reference);
    byte[] value = CellUtil.cloneValue(found);
    Values.need(MobUtils.getMobValueLength(reference) == value.length, file + ": " + reference + " tells another length than " + value.length);
    Values.need(Bytes.equals(value, Values.valueOf(reference)), mobFile + ": " + found + " has another value");
    return table + "/" + name;
  }

  private void printed(Path file) {
    String text = print(file);
    Values.need(!text.contains("mob reference") && !text.contains(MISSING), "HBase's printer on " + file + ": " + text);
  }

  /** Of the store files of a table exactly one leads to a MOB file that is nowhere. */
  void missing(Path table, byte[] family) throws IOException {
    int missing = 0;
    for (FileStatus region : fs.listStatus(table)) {
      Path store = new Path(region.getPath(), Bytes.toString(family));
      for (FileStatus status : region.isDirectory() && fs.exists(store) ? fs.listStatus(store) : new FileStatus[0]) {
        if (status.isFile() && status.getPath().getName().matches(STORE_FILE) && print(status.getPath()).contains(MISSING)) missing++;
      }
    }
    Values.need(missing == 1, "HBase's printer misses a MOB file of " + missing + " store files of " + table);
  }

  /** What HBase's printer says of a store file; what it finds wrong with references goes to the standard error, whatever its streams are. */
  private String print(Path file) {
    ByteArrayOutputStream said = new ByteArrayOutputStream();
    PrintStream stream = new PrintStream(said, true), standardError = System.err;
    HFilePrettyPrinter printer = new HFilePrettyPrinter(new Configuration(conf));
    printer.setPrintStreams(stream, stream);
    int status;
    System.setErr(stream);
    try {
      status = printer.run(new String[] {"-i", "-f", file.toString()});
    } finally {
      System.setErr(standardError);
    }
    Values.need(status == 0, "HBase's printer on " + file + " ends with " + status + ": " + said);
    return said.toString();
  }

  /** All MOB files of a table, read to their ends. */
  void table(TableName table) throws IOException {
    for (Values.Family family : Values.FAMILIES) {
      Path dir = new Path(MobUtils.getMobRegionPath(root, table), family.name());
      if (!fs.exists(dir)) continue;
      Values.need(family.hasMobFiles(), dir + " is of a family without MOB files");
      for (FileStatus status : fs.listStatus(dir)) {
        // A clone has links to those of others.
        if (status.isFile() && status.getLen() > 0) mobFile(status.getPath(), family);
      }
    }
  }

  private void mobFile(Path file, Values.Family family) throws IOException {
    Values.need(file.getName().matches(NAME), file + " is no name of a MOB file");
    try (HFile.Reader reader = open(file)) {
      long cells = read(reader, cell -> {
        Values.need(!MobUtils.isMobReferenceCell(cell), file + " has a reference: " + cell);
        Values.need(cell.getValueLength() > family.threshold(), file + " has a small value: " + cell);
        Values.need(Bytes.equals(CellUtil.cloneValue(cell), Values.valueOf(cell)), file + ": " + cell + " has another value");
      });
      byte[] counted = reader.getHFileInfo().get(HStoreFile.MOB_CELLS_COUNT);
      Values.need(cells > 0 && cells == reader.getEntries(), file + " has " + cells + " cells, and says " + reader.getEntries());
      Values.need(counted != null && Bytes.toLong(counted) == cells, file + " has " + cells + " cells, and says another number of MOB cells");
      mobCells += cells;
    }
  }

  /** Fails when there was nothing to be seen. */
  void finish() {
    Values.need(references > 0 && mobCells > 0, "no references, or no cells in MOB files");
    System.out.println(storeFiles + " store files with " + references + " references, " + mobCells + " cells in MOB files");
  }

  @Override
  public void close() throws IOException {
    for (HFile.Reader reader : mobFiles.values()) reader.close();
  }
}
