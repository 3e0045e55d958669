import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.KeepDeletedCells;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Row;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.io.compress.Compression;
import org.apache.hadoop.hbase.io.encoding.DataBlockEncoding;
import org.apache.hadoop.hbase.regionserver.BloomType;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * Rows with binary keys over three regions, two families, several versions, values of up to 40 KB, and three kinds of delete
 * markers, one of which hides a row. What a reader must find is counted while they are written.
 */
final class SampleTable {
  static final byte[] A = Bytes.toBytes("a");
  static final byte[] B = Bytes.toBytes("b");
  private static final byte[] VERSIONED = Bytes.toBytes("versioned");
  private static final int LARGE = 40_000;
  private static final byte[][] SPLITS = {{0x55}, {(byte) 0xaa, 0}};

  private final Connection connection;
  final TableName name;
  /** Rows that a scan sees, those that only a raw scan sees, and cells: as a scan of all versions sees them, and a raw one. */
  int rows, hiddenRows, cells, rawCells;

  SampleTable(Connection connection, String name) {
    this.connection = connection;
    this.name = TableName.valueOf(name);
  }

  /** Families a and b, unless others are named. */
  static TableName create(Connection connection, String name, String... families) throws Exception {
    TableName table = TableName.valueOf(name);
    try (Admin admin = connection.getAdmin()) {
      if (admin.tableExists(table)) {
        if (admin.isTableEnabled(table)) admin.disableTable(table);
        admin.deleteTable(table);
      }
      TableDescriptorBuilder t = TableDescriptorBuilder.newBuilder(table);
      for (String family : families.length == 0 ? new String[] {"a", "b"} : families) {
        ColumnFamilyDescriptorBuilder f = ColumnFamilyDescriptorBuilder.newBuilder(Bytes.toBytes(family)).setMaxVersions(5)
          // a flush drops nothing: a raw scan finds all that was written
          .setKeepDeletedCells(KeepDeletedCells.TRUE);
        // so that HFileOutputFormat2 has something to carry over
        if (family.equals("b")) {
          f.setCompressionType(Compression.Algorithm.GZ).setDataBlockEncoding(DataBlockEncoding.FAST_DIFF).setBloomFilterType(BloomType.ROWCOL);
        }
        t.setColumnFamily(f.build());
      }
      admin.createTable(t.build(), SPLITS);
    }
    return table;
  }

  void fill(int wanted) throws Exception {
    create(connection, name.getNameAsString());
    try (Table table = connection.getTable(name); Admin admin = connection.getAdmin()) {
      List<Row> batch = new ArrayList<>();
      for (int i = 0; i < wanted; i++) {
        addRow(batch, i);
        if (batch.size() > 200) send(table, batch);
        if (i == wanted / 2) {
          send(table, batch);
          admin.flush(name);
        }
      }
      send(table, batch);
    }
  }

  /** The order of a batch is not the order in which its parts happen: every one has timestamps of its own. */
  private void addRow(List<Row> batch, int i) {
    byte[] row = row(i);
    Put put = new Put(row);
    for (long time = 1000; time <= 3000; time += 1000) put.addColumn(A, VERSIONED, time, Bytes.toBytes(i + " at " + time));
    put.addColumn(A, Bytes.toBytes("filler"), 1000, new byte[i % 200]);
    int columns = i % 4;
    for (int c = 0; c < columns; c++) put.addColumn(B, Bytes.toBytes("c" + c), 1000, Bytes.toBytes(i * 31L + c));
    boolean large = i % 50 == 7;
    if (large) put.addColumn(B, Bytes.toBytes("large"), 1000, largeValue(i));
    int written = 4 + columns + (large ? 1 : 0);
    batch.add(put);
    rawCells += written;
    Delete delete = new Delete(row);
    if (i % 100 == 99) {
      delete.addFamily(A, 9000).addFamily(B, 9000);
      written = 0;
    } else if (i % 10 == 3) {
      delete.addColumn(A, VERSIONED, 2000);
      written--;
    } else if (i % 25 == 0) {
      delete.addColumns(A, VERSIONED, 2000);
      written -= 2;
    }
    if (!delete.isEmpty()) batch.add(delete);
    rawCells += delete.size();
    cells += written;
    if (written > 0) rows++;
    else hiddenRows++;
  }

  private static void send(Table table, List<Row> batch) throws Exception {
    table.batch(batch, new Object[batch.size()]);
    batch.clear();
  }

  /** Spread over all first bytes; with zeros and bytes over 0x7f in it. */
  static byte[] row(int i) {
    return Bytes.add(new byte[] {(byte) (i * 37), 0}, Bytes.toBytes(String.format("row-%06d", i)), new byte[] {(byte) 0xff});
  }

  private static byte[] largeValue(int i) {
    byte[] value = new byte[LARGE];
    Arrays.fill(value, (byte) i);
    for (int k = 0; k < LARGE; k += 97) value[k] = (byte) (k * i);
    return value;
  }

  static Scan everything() {
    return new Scan().setRaw(true).readAllVersions().setCaching(200);
  }

  static Scan allVersions() {
    return new Scan().readAllVersions().setCaching(200);
  }

  /** How many cells there are, and a digest of all that they are, in their order. */
  static String digest(Connection connection, TableName name, Scan scan) throws Exception {
    MessageDigest digest = MessageDigest.getInstance("SHA-256");
    long n = 0;
    try (Table table = connection.getTable(name); ResultScanner scanner = table.getScanner(scan)) {
      for (Result result : scanner) {
        for (Cell cell : result.rawCells()) {
          n++;
          for (byte[] part : new byte[][] {CellUtil.cloneRow(cell), CellUtil.cloneFamily(cell), CellUtil.cloneQualifier(cell),
            CellUtil.cloneValue(cell)}) {
            digest.update(ByteBuffer.allocate(4).putInt(part.length).array());
            digest.update(part);
          }
          digest.update(ByteBuffer.allocate(9).putLong(cell.getTimestamp()).put(cell.getType().getCode()).array());
        }
      }
    }
    return n + " cells " + new BigInteger(1, digest.digest()).toString(16);
  }
}
