package org.apache.hadoop.hbase.regionserver;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellComparator;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.KeyValueUtil;
import org.apache.hadoop.hbase.PrivateCellUtil;
import org.apache.hadoop.hbase.fs.HFileSystem;
import org.apache.hadoop.hbase.io.hfile.CacheConfig;
import org.apache.hadoop.hbase.io.hfile.ChecksumUtil;
import org.apache.hadoop.hbase.io.hfile.HFile;
import org.apache.hadoop.hbase.io.hfile.HFileScanner;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.wal.AbstractFSWALProvider;
import org.apache.hadoop.hbase.wal.WAL;
import org.apache.hadoop.hbase.wal.WALFactory;

/**
 * Reads every store file and every write-ahead log below a directory with HBase's own readers, and fails when one of
 * them cannot be read to its end or says something wrong about itself.
 *
 *   FileCheck DIRECTORY [MIN_HFILE_CELLS [MIN_WAL_CELLS]]
 *
 * HBase's printer leaves block checksums to HDFS; this reads as a region server does, with HBase's own checksums on.
 */
public final class FileCheck {
  private static final int SEEKS_PER_FILE = 200;

  private final Configuration conf = HBaseConfiguration.create();
  private long hfiles, hfileCells, wals, walEntries, walCells, bad;

  public static void main(String[] args) throws Exception {
    FileCheck check = new FileCheck();
    check.conf.set(FileSystem.FS_DEFAULT_NAME_KEY, "file:///");
    ChecksumUtil.generateExceptionForChecksumFailureForTest(true);
    check.all(args[0]);
    System.out.printf("%d HFiles with %d cells, %d WALs with %d entries and %d cells, %d bad%n", check.hfiles, check.hfileCells,
      check.wals, check.walEntries, check.walCells, check.bad);
    boolean enough = check.hfileCells >= minimum(args, 1) && check.walCells >= minimum(args, 2);
    if (!enough) System.out.println("BAD  fewer cells than expected");
    System.exit(check.bad == 0 && enough ? 0 : 1);
  }

  private static long minimum(String[] args, int at) {
    return args.length > at ? Long.parseLong(args[at]) : 0;
  }

  private void all(String directory) throws IOException {
    List<java.nio.file.Path> files;
    try (Stream<java.nio.file.Path> walk = Files.walk(Paths.get(directory))) {
      files = walk.filter(Files::isRegularFile).sorted().collect(Collectors.toList());
    }
    for (java.nio.file.Path f : files) {
      String path = f.toAbsolutePath().toString(), name = f.getFileName().toString();
      if (name.startsWith(".") || path.contains("/.tmp/")) continue;
      if (path.contains("/WALs/") || path.contains("/oldWALs/")) one(path, () -> wal(new Path("file://" + path)));
      else if (name.matches("[0-9a-f]{32}(_SeqId_[0-9]+_)?")) one(path, () -> hfile(new Path("file://" + path)));
    }
  }

  private interface Read {
    String file() throws Exception;
  }

  private void one(String path, Read read) {
    try {
      System.out.println("ok   " + path + " " + read.file());
    } catch (Throwable t) {
      bad++;
      System.out.println("BAD  " + path + " " + t);
      t.printStackTrace();
    }
  }

  private static void need(boolean fact, String what) {
    if (!fact) throw new IllegalStateException(what);
  }

  private String hfile(Path p) throws Exception {
    HStoreFile store = new HStoreFile(new HFileSystem(conf, true), p, conf, new CacheConfig(conf), BloomType.ROWCOL, true);
    store.initReader();
    HFile.Reader reader = store.getReader().getHFileReader();
    CellComparator order = reader.getComparator();
    List<Cell> sample = new ArrayList<>();
    long n = scan(reader, order, sample);
    need(n == reader.getEntries(), "scanned " + n + " cells, the trailer says " + reader.getEntries());
    need(n == 0 || reader.midKey().isPresent(), "no middle key");
    for (Cell c : sample) seek(reader, order, c);
    long failures = HFile.getAndResetChecksumFailuresCount();
    String about = String.format("%d cells, sequence id %d, %s, bloom %s", n, store.getReader().getSequenceID(),
      reader.getFileContext().getChecksumType(), store.getReader().getBloomFilterType());
    store.closeStoreFile(false);
    need(failures == 0, failures + " block checksums are wrong");
    hfiles++;
    hfileCells += n;
    return about;
  }

  /** Every cell in order, between the keys that the file calls its first and last; collects cells to look up. */
  private long scan(HFile.Reader reader, CellComparator order, List<Cell> sample) throws IOException {
    HFileScanner s = reader.getScanner(conf, false, true, false);
    long n = 0, every = Math.max(1, reader.getEntries() / SEEKS_PER_FILE);
    KeyValue last = null;
    for (boolean more = s.seekTo(); more; more = s.next(), n++) {
      KeyValue c = KeyValueUtil.copyToNewKeyValue(s.getCell());
      c.setSequenceId(s.getCell().getSequenceId());
      if (last == null) need(order.compareRows(c, reader.getFirstKey().get()) >= 0, "the first key is " + c);
      else ordered(order, last, c);
      if (n % every == 0) {
        KeyValue key = KeyValueUtil.copyToNewKeyValue(c);
        key.setSequenceId(0); // the index holds none
        sample.add(key);
      }
      last = c;
    }
    need(last == null || PrivateCellUtil.compareKeyIgnoresMvcc(order, last, reader.getLastKey().get()) == 0, "the last key is " + last);
    return n;
  }

  private static void ordered(CellComparator order, KeyValue a, KeyValue b) {
    int d = PrivateCellUtil.compareKeyIgnoresMvcc(order, a, b);
    need(d < 0 || d == 0 && a.getSequenceId() >= b.getSequenceId(), a + " stands before " + b);
  }

  private void seek(HFile.Reader reader, CellComparator order, Cell c) throws IOException {
    HFileScanner s = reader.getScanner(conf, false, true, false);
    int at = s.seekTo(c);
    need(at == 0 || at == HConstants.INDEX_KEY_MAGIC, "a seek to " + c + " says " + at);
    need(PrivateCellUtil.compareKeyIgnoresMvcc(order, s.getCell(), c) == 0, "a seek to " + c + " finds " + s.getCell());
  }

  /** Every entry; within a region, sequence ids must grow. Empty logs of a process that never wrote are fine. */
  private String wal(Path p) throws Exception {
    FileSystem fs = p.getFileSystem(conf);
    Map<String, Long> lastOfRegion = new HashMap<>();
    long entries = 0, cells = 0;
    try (WAL.Reader reader = WALFactory.createReader(fs, p, conf)) {
      for (WAL.Entry e; (e = reader.next()) != null; entries++) {
        String region = Bytes.toString(e.getKey().getEncodedRegionName());
        long id = e.getKey().getSequenceId();
        Long before = lastOfRegion.put(region, id);
        need(before == null || before < id, "region " + region + ": sequence id " + id + " after " + before);
        need(e.getKey().getWriteTime() > 0, "no write time in entry " + entries);
        cells += e.getEdit().size();
      }
    }
    wals++;
    walEntries += entries;
    walCells += cells;
    return entries + " entries, " + cells + " cells, " + lastOfRegion.size() + " regions" + (AbstractFSWALProvider.isMetaFile(p) ? ", meta" : "");
  }
}
