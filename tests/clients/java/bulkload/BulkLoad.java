import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.io.hfile.CacheConfig;
import org.apache.hadoop.hbase.io.hfile.HFile;
import org.apache.hadoop.hbase.io.hfile.HFileContextBuilder;
import org.apache.hadoop.hbase.tool.BulkLoadHFiles;
import org.apache.hadoop.hbase.tool.BulkLoadHFilesTool;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * Files that HBase's own HFile.Writer wrote, loaded by HBase's own BulkLoadHFilesTool: two families, three regions, one file in
 * its region, one across two of them, and one with other versions of cells that there are.
 *
 * <p>Arguments: DIRECTORY ROWS. Prints what it found, or fails.
 */
public final class BulkLoad {
  private static final TableName TABLE = TableName.valueOf("bulkloaded");
  private static final byte[] QUALIFIER = Bytes.toBytes("q");
  private static final long TIME = 1000;

  private final Configuration conf = HBaseConfiguration.create();
  private final FileSystem files = FileSystem.getLocal(conf);
  private final int rows;

  private BulkLoad(int rows) throws Exception {
    this.rows = rows;
  }

  public static void main(String[] args) throws Exception {
    new BulkLoad(Integer.parseInt(args[1])).run(new Path(new java.io.File(args[0]).getAbsoluteFile().toURI()));
  }

  private void run(Path directory) throws Exception {
    files.delete(directory, true);
    try (Connection c = ConnectionFactory.createConnection(conf); Admin admin = c.getAdmin(); Table table = c.getTable(TABLE)) {
      create(admin);
      // Newer than the files, though written before: by its timestamp. And as old as they are: the file comes later, and wins.
      table.put(new Put(row(1)).addColumn(family("a"), QUALIFIER, TIME + 1, Bytes.toBytes("newer")));
      table.put(new Put(row(2)).addColumn(family("a"), QUALIFIER, TIME, Bytes.toBytes("before")));
      write(directory, "a", 0, rows / 4);
      write(directory, "a", rows / 4, rows);
      write(directory, "b", 0, rows);
      Map<?, ?> loaded = load(directory, false);
      table.put(new Put(row(3)).addColumn(family("a"), QUALIFIER, TIME, Bytes.toBytes("after")));
      check(table, "loaded");
      expect(0, filesLeft(directory), "files that were moved stay");
      admin.flush(TABLE);
      admin.majorCompact(TABLE);
      check(table, "compacting");
      write(directory, "b", 0, rows / 4);
      load(directory, true);
      expect(1, filesLeft(directory), "a file that was copied");
      check(table, "loaded again, as a copy");
      refuse(directory);
      check(table, "after a refusal");
      System.out.println(rows + " rows in 2 families, " + loaded.size() + " files loaded");
    }
  }

  private void create(Admin admin) throws Exception {
    if (admin.tableExists(TABLE)) {
      admin.disableTable(TABLE);
      admin.deleteTable(TABLE);
    }
    TableDescriptorBuilder t = TableDescriptorBuilder.newBuilder(TABLE);
    for (String name : new String[] {"a", "b"}) t.setColumnFamily(ColumnFamilyDescriptorBuilder.of(name));
    admin.createTable(t.build(), new byte[][] {row(rows / 3), row(rows / 2)});
  }

  private Map<?, ?> load(Path directory, boolean copy) throws Exception {
    Configuration own = new Configuration(conf);
    own.setBoolean(BulkLoadHFiles.ALWAYS_COPY_FILES, copy);
    return new BulkLoadHFilesTool(own).bulkLoad(TABLE, directory);
  }

  /** A family that the table does not have: the tool finds that out before it asks the server. */
  private void refuse(Path directory) throws Exception {
    Path other = new Path(directory, "other");
    write(other, "nobodys", 0, 1);
    try {
      load(other, false);
    } catch (java.io.IOException refused) {
      return;
    }
    throw new AssertionError("a family that there is not was loaded");
  }

  private void write(Path directory, String family, int from, int to) throws Exception {
    Path path = new Path(new Path(directory, family), family + from);
    HFile.Writer writer = HFile.getWriterFactory(conf, new CacheConfig(conf)).withPath(files, path)
      .withFileContext(new HFileContextBuilder().withBlockSize(4096).build()).create();
    for (int i = from; i < to; i++) writer.append(new KeyValue(row(i), family(family), QUALIFIER, TIME, value(family, i)));
    writer.close();
  }

  private int filesLeft(Path directory) throws Exception {
    int left = 0;
    for (String family : new String[] {"a", "b"}) {
      Path path = new Path(directory, family);
      if (files.exists(path)) for (var file : files.listStatus(path)) left += file.isFile() ? 1 : 0;
    }
    return left;
  }

  private void check(Table table, String what) throws Exception {
    Map<Integer, String> others = new LinkedHashMap<>();
    others.put(1, "newer");
    others.put(3, "after");
    int n = 0;
    try (ResultScanner scanner = table.getScanner(new Scan())) {
      for (Result result : scanner) {
        expect(Bytes.toString(row(n)), Bytes.toString(result.getRow()), what);
        for (String family : new String[] {"a", "b"}) {
          String wanted = family.equals("a") ? others.get(n) : null;
          if (wanted == null) wanted = Bytes.toString(value(family, n));
          expect(wanted, Bytes.toString(result.getValue(family(family), QUALIFIER)), what + ": row " + n);
        }
        n++;
      }
    }
    expect(rows, n, what + ": rows");
    Result one = table.get(new Get(row(rows - 1)));
    expect(TIME, one.rawCells()[0].getTimestamp(), what + ": a get");
  }

  private static void expect(Object wanted, Object found, String what) {
    if (!String.valueOf(wanted).equals(String.valueOf(found))) throw new AssertionError(what + ": " + found + ", not " + wanted);
  }

  private static byte[] row(int number) {
    return Bytes.toBytes(String.format("row-%08d", number));
  }

  private static byte[] family(String name) {
    return Bytes.toBytes(name);
  }

  private static byte[] value(String family, int number) {
    return Bytes.toBytes(family + " of " + number);
  }
}
