package org.apache.hadoop.hbase.regionserver;

import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.TreeSet;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.KeyValueUtil;
import org.apache.hadoop.hbase.PrivateCellUtil;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.fs.HFileSystem;
import org.apache.hadoop.hbase.io.compress.Compression;
import org.apache.hadoop.hbase.io.hfile.CacheConfig;
import org.apache.hadoop.hbase.io.hfile.ChecksumUtil;
import org.apache.hadoop.hbase.io.hfile.HFile;
import org.apache.hadoop.hbase.io.hfile.HFileScanner;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.util.ChecksumType;

/**
 * Reads HFiles of every kind with HBase's own reader, checksums on, and compares every cell with what was written; seeks
 * to cells, and asks the Bloom filters.
 *
 *   HFileCombinations DIRECTORY LIST [CLASS]    a directory as the example write_combinations of finback-hfile fills it, and in it
 *                                               a list of files; the class reads ZSTD
 */
public final class HFileCombinations {
  /** What may be wrong of a hundred answers: chunks are tiny, the rate that was asked for is one. */
  private static final int MAX_FALSE_PERCENT = 10;
  /** Each reads a block, which may be a long one. */
  private static final int MAX_SEEKS = 700;
  /** Before the checksums of a block: how many bytes they are of, which follows, is not looked at. */
  private static final int HEADER_BYTES = 25;

  private final Configuration conf = HBaseConfiguration.create();
  private final Map<String, List<KeyValue>> expected = new HashMap<>();
  private long files, cells, seeks, asked, absent, falsely;

  public static void main(String[] args) throws Exception {
    HFileCombinations all = new HFileCombinations();
    all.conf.set(FileSystem.FS_DEFAULT_NAME_KEY, "file:///");
    all.conf.set("hbase.io.compress.zstd.codec", args.length > 2 ? args[2] : "ZstandardStreams");
    Compression.Algorithm.ZSTD.reload(all.conf);
    ChecksumUtil.generateExceptionForChecksumFailureForTest(true);
    int bad = 0;
    for (String line : Files.readAllLines(Paths.get(args[0], args[1]))) {
      String[] of = line.split("\t");
      try {
        all.file(new Path("file://" + Paths.get(of[0]).toAbsolutePath()), of[1], of[2], of[3], of[4], all.cellsOf(args[0], of[5]),
          Integer.parseInt(of[6]), Integer.parseInt(of[7]));
      } catch (Throwable t) {
        if (bad++ < 20) System.out.println("BAD  " + line + " " + start(t.toString()));
      }
    }
    boolean good = bad == 0 && all.files > 0 && all.absent > 0 && all.falsely * 100 <= all.absent * MAX_FALSE_PERCENT;
    System.out.printf("%d files, %d cells, %d seeks, %d questions to Bloom filters, %d of %d absent ones answered wrongly, %d bad%n",
      all.files, all.cells, all.seeks, all.asked, all.falsely, all.absent, bad);
    System.exit(good ? 0 : 1);
  }

  private static void need(boolean fact, String what) {
    if (!fact) throw new IllegalStateException(what);
  }

  private List<KeyValue> cellsOf(String directory, String name) throws Exception {
    List<KeyValue> known = expected.get(name);
    if (known != null) return known;
    List<KeyValue> read = new ArrayList<>();
    for (String line : Files.readAllLines(Paths.get(directory, name))) {
      String[] of = line.split("\t");
      byte[] bytes = Bytes.fromHex(of[0]);
      KeyValue cell = new KeyValue(bytes, 0, bytes.length); // told no length, it takes the cell to end before its tags
      cell.setSequenceId(Long.parseLong(of[1]));
      read.add(cell);
    }
    expected.put(name, read);
    return read;
  }

  private void file(Path path, String encoding, String codec, String bloom, String checksum, List<KeyValue> wanted, int levels, int above)
    throws Exception {
    BloomType type = BloomType.valueOf(bloom);
    HStoreFile store = new HStoreFile(new HFileSystem(conf, true), path, conf, new CacheConfig(conf), type, true);
    store.initReader();
    StoreFileReader reader = store.getReader();
    HFile.Reader file = reader.getHFileReader();
    need(file.getDataBlockEncoding().name().equals(encoding), "the encoding is " + file.getDataBlockEncoding());
    need(file.getTrailer().getCompressionCodec().name().equals(codec), "the codec is " + file.getTrailer().getCompressionCodec());
    need(file.getTrailer().getNumDataIndexLevels() >= levels, file.getTrailer().getNumDataIndexLevels() + " levels of index");
    // the reader tells of its own setting for checksums only
    byte[] header = firstHeader(path);
    ChecksumType written = ChecksumType.codeToType(header[24]);
    need(written.getName().equals(checksum), "checksums are " + written);
    need(Bytes.toInt(header, 12) > above, "the first block has only " + Bytes.toInt(header, 12) + " bytes");
    need(reader.getBloomFilterType() == type, "the Bloom filter is " + reader.getBloomFilterType());
    need(file.getEntries() == wanted.size(), "the trailer counts " + file.getEntries());
    compare(file, wanted);
    for (int i = 0; i < wanted.size(); i += Math.max(7, wanted.size() / MAX_SEEKS)) seek(file, wanted.get(i));
    if (type != BloomType.NONE) ask(reader, type, wanted);
    store.closeStoreFile(false);
    need(HFile.getAndResetChecksumFailuresCount() == 0, "block checksums are wrong");
    files++;
  }

  /** Of the first block: its type, bytes as stored and (at 12) before compression, the block before it, and (at 24) the checksums. */
  private static byte[] firstHeader(Path path) throws Exception {
    try (InputStream in = Files.newInputStream(Paths.get(path.toUri()))) {
      return in.readNBytes(HEADER_BYTES);
    }
  }

  private void compare(HFile.Reader file, List<KeyValue> wanted) throws Exception {
    HFileScanner scanner = file.getScanner(conf, false, true, false);
    int at = 0;
    for (boolean more = scanner.seekTo(); more; more = scanner.next(), at++) {
      need(at < wanted.size(), "more cells than were written");
      Cell found = scanner.getCell();
      KeyValue cell = wanted.get(at);
      boolean same = CellUtil.equals(found, cell) && CellUtil.matchingValue(found, cell)
        && Bytes.equals(PrivateCellUtil.cloneTags(found), PrivateCellUtil.cloneTags(cell))
        && found.getTypeByte() == cell.getTypeByte() && found.getSequenceId() == cell.getSequenceId();
      if (!same) throw new IllegalStateException("cell " + at + " is " + shown(found) + " instead of " + shown(cell));
      cells++;
    }
    need(at == wanted.size(), at + " cells instead of " + wanted.size());
  }

  private static String shown(Cell cell) {
    return cell + " of value " + start(Bytes.toStringBinary(CellUtil.cloneValue(cell))) + " and tags "
      + Bytes.toStringBinary(PrivateCellUtil.cloneTags(cell));
  }

  /** Values may be of a megabyte. */
  private static String start(String text) {
    return text.substring(0, Math.min(1000, text.length()));
  }

  private void seek(HFile.Reader file, KeyValue cell) throws Exception {
    KeyValue key = KeyValueUtil.copyToNewKeyValue(cell);
    key.setSequenceId(0); // the index holds none
    HFileScanner scanner = file.getScanner(conf, false, true, false);
    int at = scanner.seekTo(key);
    need(at == 0 || at == HConstants.INDEX_KEY_MAGIC, "a seek to " + cell + " says " + at);
    need(CellUtil.equals(scanner.getCell(), cell), "a seek to " + cell + " finds " + scanner.getCell());
    seeks++;
  }

  private void ask(StoreFileReader reader, BloomType type, List<KeyValue> wanted) {
    reader.loadBloomfilter();
    for (int i = 0; i < wanted.size(); i += 5) {
      KeyValue cell = wanted.get(i);
      byte[] row = CellUtil.cloneRow(cell), qualifier = CellUtil.cloneQualifier(cell);
      // markers of a whole family are in a column without a name: a question for another column of the row need not find them
      need(passes(reader, type, row, qualifier), "the Bloom filter does not know " + cell);
      absent(reader, type, Bytes.toBytes("no" + Bytes.toString(row).substring(3)));
      // the filter of columns is asked for the column without a name too: it would hold the markers of the family
      if (type == BloomType.ROWCOL && wanted.stream().noneMatch(c -> CellUtil.matchingRows(c, cell) && c.getQualifierLength() == 0)) {
        absent(reader, type, row);
      }
      if (cell.getTypeByte() == KeyValue.Type.DeleteFamily.getCode()) {
        need(reader.passesDeleteFamilyBloomFilter(row, 0, row.length), "no marker of a family is known in " + cell);
      }
    }
  }

  private void absent(StoreFileReader reader, BloomType type, byte[] row) {
    absent++;
    if (passes(reader, type, row, Bytes.toBytes("absent"))) falsely++;
  }

  private boolean passes(StoreFileReader reader, BloomType type, byte[] row, byte[] qualifier) {
    NavigableSet<byte[]> columns = new TreeSet<>(Bytes.BYTES_COMPARATOR);
    if (type == BloomType.ROWCOL) columns.add(qualifier);
    asked++;
    return reader.passesBloomFilter(new Scan(new Get(row)), columns);
  }
}
