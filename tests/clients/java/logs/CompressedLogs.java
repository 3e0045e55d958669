import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.PrivateCellUtil;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.io.compress.Compression;
import org.apache.hadoop.hbase.shaded.protobuf.generated.WALProtos.WALHeader;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.wal.WAL;
import org.apache.hadoop.hbase.wal.WALFactory;
import org.apache.hadoop.hbase.wal.WALPrettyPrinter;

/**
 * Writes cells to a server, and finds them in its write-ahead logs with HBase's reader and HBase's printer.
 *
 *   CompressedLogs write EXPECTED                        EXPECTED.scan gets what a scan finds then
 *   CompressedLogs check [EXPECTED DIRECTORY KIND]...    KIND: plain, or dict, gz, snappy, lz4, zstd, zstd-chunks
 */
public final class CompressedLogs {
  static final TableName TABLE = TableName.valueOf("compressed_logs");
  private static final byte[][] FAMILIES = { Bytes.toBytes("f"), Bytes.toBytes("a-longer-family") };
  private static final int ROUNDS = 40, BATCH = 40;
  /** Half of the large value is more than two chunks of any codec. */
  private static final int LARGE_BYTES = 1 << 20;

  public static void main(String[] args) throws Exception {
    if (args[0].equals("write")) write(Paths.get(args[1]));
    else for (int i = 1; i < args.length; i += 3) check(Paths.get(args[i]), Paths.get(args[i + 1]), args[i + 2]);
  }

  // Every run writes the same.
  private static void write(Path expected) throws Exception {
    Random random = new Random(7);
    List<String> lines = new ArrayList<>(), scanned = new ArrayList<>();
    try (Connection connection = ConnectionFactory.createConnection(); Admin admin = connection.getAdmin()) {
      TableDescriptorBuilder table = TableDescriptorBuilder.newBuilder(TABLE);
      for (byte[] family : FAMILIES) table.setColumnFamily(ColumnFamilyDescriptorBuilder.of(family));
      admin.createTable(table.build(), new byte[][] { Bytes.toBytes("row-3"), Bytes.toBytes("row-6") });
      try (Table t = connection.getTable(TABLE)) {
        for (int round = 0; round < ROUNDS; round++) {
          List<Mutation> batch = new ArrayList<>();
          for (int i = 0; i < BATCH; i++) batch.add(mutation(random, 1000L * round + i));
          if (round == ROUNDS / 2) batch.add(BATCH / 2, large(1000L * round));
          for (Mutation m : batch) for (List<Cell> cells : m.getFamilyCellMap().values()) for (Cell c : cells) lines.add(line(c));
          t.batch(batch, new Object[batch.size()]);
        }
        try (ResultScanner scanner = t.getScanner(new Scan())) {
          for (Result row : scanner) for (Cell c : row.listCells()) scanned.add(line(c));
        }
      }
    }
    need(scanned.size() > 1000, "a scan finds only " + scanned.size() + " cells");
    Files.write(expected, lines);
    Files.write(Paths.get(expected + ".scan"), scanned);
    System.out.println(lines.size() + " cells written, a scan finds " + scanned.size());
  }

  private static Mutation mutation(Random random, long at) {
    byte[] row = Bytes.toBytes("row-" + random.nextInt(300)), family = FAMILIES[random.nextInt(2)];
    if (random.nextInt(12) == 0) {
      Delete delete = new Delete(row);
      switch (random.nextInt(4)) {
        case 0: return delete.addFamily(family, at);
        case 1: return delete.addFamilyVersion(family, at);
        case 2: return delete.addColumns(family, qualifier(random), at);
        default: return delete.addColumn(family, qualifier(random), at);
      }
    }
    Put put = new Put(row);
    // a cell's time to live is a tag; some are the same
    if (random.nextInt(3) == 0) put.setTTL(100_000_000L + random.nextInt(20));
    for (int i = random.nextInt(3); i >= 0; i--) put.addColumn(FAMILIES[random.nextInt(2)], qualifier(random), at, value(random));
    return put;
  }

  /** In a row that has nothing else: a value of which the first half cannot be compressed, and the second repeats. */
  private static Put large(long at) {
    byte[] value = new byte[LARGE_BYTES], noise = new byte[LARGE_BYTES / 2];
    for (int i = 0; i < value.length; i++) value[i] = (byte) ('a' + i % 23);
    new Random(8).nextBytes(noise);
    System.arraycopy(noise, 0, value, 0, noise.length);
    return new Put(Bytes.toBytes("row-large")).addColumn(FAMILIES[0], Bytes.toBytes("large"), at, value);
  }

  /** More than a dictionary of qualifiers has room for; sometimes none. */
  private static byte[] qualifier(Random random) {
    int n = random.nextInt(200);
    return n == 0 ? new byte[0] : Bytes.toBytes("qualifier-" + n);
  }

  private static byte[] value(Random random) {
    byte[] value = new byte[new int[] { 0, 1, 20, 300, 10_000 }[random.nextInt(49) / 12]];
    if (random.nextBoolean()) random.nextBytes(value);
    return value;
  }

  /** A cell as the printer prints it, but for tags: the server makes them. */
  static String line(Cell c) {
    return "row=" + Bytes.toStringBinary(CellUtil.cloneRow(c)) + ", column=" + Bytes.toStringBinary(CellUtil.cloneFamily(c)) + ":"
      + Bytes.toStringBinary(CellUtil.cloneQualifier(c)) + ", timestamp=" + c.getTimestamp() + ", type=" + c.getType() + " value: "
      + Bytes.toStringBinary(CellUtil.cloneValue(c));
  }

  /** For files of a kind, until it is asked for another one: the codec of Zstandard is one for the process. */
  static Configuration configuration(String kind) {
    Configuration conf = HBaseConfiguration.create();
    conf.set(FileSystem.FS_DEFAULT_NAME_KEY, "file:///");
    boolean chunks = kind.equals("zstd-chunks");
    conf.set("hbase.io.compress.zstd.codec", chunks ? "org.apache.hadoop.hbase.io.compress.zstd.ZstdCodec" : ZstandardStreams.class.getName());
    Compression.Algorithm.ZSTD.reload(conf);
    return conf;
  }

  private static void check(Path expected, Path directory, String kind) throws Exception {
    Configuration conf = configuration(kind);
    List<String> wanted = Files.readAllLines(expected), read = new ArrayList<>(), printed = new ArrayList<>();
    long logs = 0, bytes = 0, tagged = 0, large = 0;
    List<Path> files;
    try (Stream<Path> walk = Files.walk(directory)) {
      files = walk.filter(Files::isRegularFile).filter(f -> f.toString().matches(".*/(WALs|oldWALs)/.*") && !f.getFileName().toString().startsWith("."))
        .sorted().collect(Collectors.toList());
    }
    for (Path file : files) {
      need(header(file, kind), file + " is not compressed as " + kind + " says");
      org.apache.hadoop.fs.Path path = new org.apache.hadoop.fs.Path("file://" + file.toAbsolutePath());
      try (WAL.Reader reader = WALFactory.createReader(path.getFileSystem(conf), path, conf)) {
        for (WAL.Entry e; (e = reader.next()) != null;) {
          if (!e.getKey().getTableName().equals(TABLE) || e.getEdit().isMetaEdit()) continue;
          need(e.getKey().getExtendedAttributes().isEmpty(), "attributes in " + e.getKey());
          for (Cell c : e.getEdit().getCells()) {
            read.add(line(c));
            if (PrivateCellUtil.getTags(c).size() > 0) tagged++;
            if (c.getValueLength() == LARGE_BYTES) large++;
          }
        }
      }
      printed.addAll(print(conf, path));
      logs++;
      bytes += Files.size(file);
    }
    same(wanted, read, "the reader");
    same(wanted, printed, "the printer");
    need(tagged > 100, "only " + tagged + " cells have tags");
    need(large == 1, large + " cells have a large value");
    System.out.printf("%-11s %d logs of %d bytes: %d cells read and printed as written, %d with tags%n", kind, logs, bytes, read.size(), tagged);
  }

  static boolean header(Path file, String kind) throws IOException {
    try (InputStream in = Files.newInputStream(file)) {
      new DataInputStream(in).readFully(new byte[4]);
      WALHeader header = WALHeader.parseDelimitedFrom(in);
      boolean values = kind.matches("gz|snappy|lz4|zstd(-chunks)?");
      return header.getHasCompression() == !kind.equals("plain") && header.getHasTagCompression() == (values || kind.equals("dict"))
        && header.getHasValueCompression() == values
        && (!values || Compression.Algorithm.values()[header.getValueCompressionAlgorithm()].getName().equals(kind.replace("-chunks", "")));
    }
  }

  /** The cells of the table that HBase's printer prints. */
  private static List<String> print(Configuration conf, org.apache.hadoop.fs.Path path) throws IOException {
    ByteArrayOutputStream text = new ByteArrayOutputStream();
    try (PrintStream out = new PrintStream(text, false, "UTF-8")) {
      new WALPrettyPrinter(true, false, -1, Collections.singleton(TABLE.getNameAsString()), null, null, null, false, false, out).processFile(conf, path);
    }
    List<String> cells = new ArrayList<>();
    String cell = null;
    for (String line : text.toString("UTF-8").split("\n")) {
      if (line.startsWith("row=")) cell = line;
      else if (line.startsWith("    value: ") && !cell.contains(", column=METAFAMILY:")) cells.add(cell + " " + line.trim());
    }
    return cells;
  }

  static void same(List<String> wanted, List<String> found, String who) {
    List<String> missing = difference(wanted, found), extra = difference(found, wanted);
    need(missing.isEmpty() && extra.isEmpty(), who + " misses " + missing.size() + " cells, has " + extra.size() + " others: " + first(missing) + " / " + first(extra));
  }

  private static String first(List<String> lines) {
    return lines.isEmpty() ? "" : lines.get(0).substring(0, Math.min(200, lines.get(0).length()));
  }

  private static List<String> difference(List<String> a, List<String> b) {
    Map<String, Integer> count = new HashMap<>();
    for (String line : b) count.merge(line.trim(), 1, Integer::sum);
    List<String> left = new ArrayList<>();
    for (String line : a) if (count.merge(line.trim(), -1, Integer::sum) < 0) left.add(line);
    return left;
  }

  private static void need(boolean fact, String what) {
    if (fact) return;
    System.out.println("BAD  " + what);
    System.exit(1);
  }
}
