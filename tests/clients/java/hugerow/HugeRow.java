import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.CompactionState;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.RowTooBigException;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * Rows of so many MiB: written, scanned in parts and in batches, compacted, scanned again, by a client that never holds more
 * than a few cells.
 *
 * <p>Arguments: MIB WHOLE CELL_BYTES..., a row for each size of cells. WHOLE is {@code refused} if a row does not fit into the
 * server's memory, and is asked for as a whole nevertheless; {@code unasked} if it might. Prints what each part took, or fails.
 */
public final class HugeRow {
  private static final TableName TABLE = TableName.valueOf("huge_row");
  private static final byte[] FAMILY = Bytes.toBytes("f");
  private static final byte[] BEFORE = Bytes.toBytes("a");
  private static final byte[] AFTER = Bytes.toBytes("z");
  /** Lengths, row, family, qualifier, timestamp and type of a cell here. */
  private static final int AROUND_VALUE = 8 + 2 + 5 + 1 + 1 + 8 + 8 + 1;

  private final List<Row> rows = new ArrayList<>();
  private boolean isRefusedWhole;
  private Table table;

  public static void main(String[] args) throws Exception {
    HugeRow huge = new HugeRow();
    long bytes = Long.parseLong(args[0]) << 20;
    huge.isRefusedWhole = args[1].equals("refused");
    for (int i = 2; i < args.length; i++) {
      huge.rows.add(new Row("huge" + i, Integer.parseInt(args[i]), bytes));
    }
    huge.run();
  }

  private void run() throws Exception {
    Configuration conf = HBaseConfiguration.create();
    try (Connection c = ConnectionFactory.createConnection(conf); Admin admin = c.getAdmin(); Table t = c.getTable(TABLE)) {
      table = t;
      admin.createTable(TableDescriptorBuilder.newBuilder(TABLE)
          .setColumnFamily(ColumnFamilyDescriptorBuilder.of(FAMILY)).build());
      table.put(new Put(BEFORE).addColumn(FAMILY, BEFORE, BEFORE));
      table.put(new Put(AFTER).addColumn(FAMILY, AFTER, AFTER));
      for (Row row : rows) {
        timed("written: " + row, () -> write(row));
        scans(row);
      }
      timed("compacted", () -> compact(admin));
      for (Row row : rows) {
        scans(row);
        timed("found at its end: " + row, () -> lastCell(row));
        if (isRefusedWhole) {
          isRefused(row);
        }
      }
      neighboursAreThere();
    }
  }

  private void scans(Row row) throws Exception {
    timed("scanned in parts: " + row, () -> scan(row, row.scan().setAllowPartialResults(true)));
    timed("scanned in batches: " + row, () -> scan(row, row.scan().setBatch(row.batch())));
  }

  private void write(Row row) throws IOException {
    List<Put> puts = new ArrayList<>();
    for (long index = 0; index < row.cells; index++) {
      puts.add(new Put(row.key).addColumn(FAMILY, Bytes.toBytes(index), row.value(index)));
      if (puts.size() == row.cellsOfRequest()) {
        table.put(puts);
        puts.clear();
      }
    }
    table.put(puts);
  }

  private void scan(Row row, Scan scan) throws IOException {
    long next = 0;
    try (ResultScanner scanner = table.getScanner(scan)) {
      for (Result result; (result = scanner.next()) != null;) {
        for (Cell cell : result.rawCells()) {
          row.check(cell, next++);
        }
      }
    }
    if (next != row.cells) {
      throw new IOException(row + ": " + next + " cells were found");
    }
  }

  /** A read of one cell at the end of the row. */
  private void lastCell(Row row) throws IOException {
    long last = row.cells - 1;
    Result result = table.get(new Get(row.key).addColumn(FAMILY, Bytes.toBytes(last)));
    row.check(result.rawCells()[0], last);
    result = table.get(new Get(row.key).setMaxResultsPerColumnFamily(1).setRowOffsetPerColumnFamily((int) last));
    row.check(result.rawCells()[0], last);
  }

  /** A row that the server cannot hold is refused as a whole, in HBase's way. */
  private void isRefused(Row row) throws Exception {
    timed("refused as a whole: " + row, () -> {
      try {
        table.get(new Get(row.key));
      } catch (RowTooBigException refused) {
        return;
      }
      throw new IOException(row + " came as a whole");
    });
  }

  private void compact(Admin admin) throws Exception {
    admin.flush(TABLE);
    admin.majorCompact(TABLE);
    do {
      Thread.sleep(100);
    } while (admin.getCompactionState(TABLE) != CompactionState.NONE);
  }

  /** A scan of all rows has the neighbours before and after the huge ones. */
  private void neighboursAreThere() throws IOException {
    List<String> wanted = new ArrayList<>(List.of("a1"));
    rows.forEach(row -> wanted.add(Bytes.toString(row.key) + 1));
    wanted.add("z1");
    List<String> found = new ArrayList<>();
    try (ResultScanner scanner = table.getScanner(new Scan().setMaxResultsPerColumnFamily(1))) {
      for (Result result : scanner) {
        found.add(Bytes.toString(result.getRow()) + result.size());
      }
    }
    if (!found.equals(wanted)) {
      throw new IOException("rows: " + found);
    }
  }

  private interface Part {
    void run() throws Exception;
  }

  private static void timed(String what, Part part) throws Exception {
    long begin = System.nanoTime();
    part.run();
    System.out.printf("%s in %.1f s%n", what, (System.nanoTime() - begin) / 1e9);
  }

  private static final class Row {
    private final byte[] key;
    private final int cellBytes;
    private final long cells;

    Row(String key, int cellBytes, long bytes) {
      this.key = Bytes.toBytes(key);
      this.cellBytes = cellBytes;
      this.cells = bytes / cellBytes;
    }

    Scan scan() {
      return new Scan().withStartRow(key).withStopRow(key, true);
    }

    int batch() {
      return Math.max(1, (1 << 20) / cellBytes);
    }

    int cellsOfRequest() {
      return Math.max(1, (256 << 10) / cellBytes);
    }

    /** Bytes of which each tells the place where it stands. */
    byte[] value(long index) {
      byte[] value = new byte[cellBytes - AROUND_VALUE];
      for (int i = 0; i < value.length; i++) {
        value[i] = byteAt(index, i);
      }
      return value;
    }

    void check(Cell cell, long index) throws IOException {
      boolean same = CellUtil.matchingRows(cell, key) && Bytes.toLong(CellUtil.cloneQualifier(cell)) == index
          && cell.getValueLength() == cellBytes - AROUND_VALUE;
      byte[] bytes = cell.getValueArray();
      for (int i = 0; same && i < cell.getValueLength(); i++) {
        same = bytes[cell.getValueOffset() + i] == byteAt(index, i);
      }
      if (!same) {
        throw new IOException(this + ": instead of cell " + index + " there is " + cell);
      }
    }

    private static byte byteAt(long index, int place) {
      return (byte) (index * 31 + place * 7 + (place >> 8));
    }

    @Override
    public String toString() {
      return cells + " cells of " + cellBytes + " bytes";
    }
  }
}
