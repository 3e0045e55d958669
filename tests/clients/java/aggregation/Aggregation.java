import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.*;
import org.apache.hadoop.hbase.client.coprocessor.AggregationClient;
import org.apache.hadoop.hbase.client.coprocessor.BigDecimalColumnInterpreter;
import org.apache.hadoop.hbase.client.coprocessor.DoubleColumnInterpreter;
import org.apache.hadoop.hbase.client.coprocessor.LongColumnInterpreter;
import org.apache.hadoop.hbase.coprocessor.ColumnInterpreter;
import org.apache.hadoop.hbase.util.Bytes;

/** HBase's AggregationClient with each of HBase's interpreters, over a table of several regions. */
public final class Aggregation {
  private static final TableName TABLE = TableName.valueOf("aggregation");
  private static final byte[] FAMILY = Bytes.toBytes("f"), LONG = Bytes.toBytes("l"), DOUBLE = Bytes.toBytes("d"), DECIMAL = Bytes.toBytes("b");
  private static final int ROWS = 100;
  private static int checks;

  public static void main(String[] args) throws Throwable {
    Configuration conf = HBaseConfiguration.create();
    try (Connection connection = ConnectionFactory.createConnection(conf); Admin admin = connection.getAdmin(); Table table = connection.getTable(TABLE)) {
      admin.createTable(TableDescriptorBuilder.newBuilder(TABLE).setCoprocessor("org.apache.hadoop.hbase.coprocessor.AggregateImplementation")
        .setColumnFamily(ColumnFamilyDescriptorBuilder.of(FAMILY)).build(), new byte[][] {row(20), row(70)});
      List<Put> puts = new ArrayList<>();
      for (int i = 0; i < ROWS; i++) {
        puts.add(new Put(row(i)).addColumn(FAMILY, LONG, Bytes.toBytes((long) i)).addColumn(FAMILY, DOUBLE, Bytes.toBytes(i / 4.0))
          .addColumn(FAMILY, DECIMAL, Bytes.toBytes(BigDecimal.valueOf(i, 1).subtract(BigDecimal.ONE))));
      }
      table.put(puts);
      try (AggregationClient client = new AggregationClient(conf)) {
        // 0 to 99
        all(table, client, LONG, new LongColumnInterpreter(), 0L, 99L, 4950L, 49.5, 28.86607004772212);
        // a quarter of these
        all(table, client, DOUBLE, new DoubleColumnInterpreter(), 0.0, 24.75, 1237.5, 12.375, 7.21651751193053);
        // a tenth of these, less one; squares are rounded to cents
        all(table, client, DECIMAL, new BigDecimalColumnInterpreter(), new BigDecimal("-1.00"), new BigDecimal("8.90"), new BigDecimal("395.00"), 3.95, 2.886607004772212);
      }
      admin.disableTable(TABLE);
      admin.deleteTable(TABLE);
    }
    System.out.println(checks + " passed, 0 failed");
  }

  private static void eq(Object wanted, Object got) {
    if (!wanted.equals(got)) throw new AssertionError("wanted " + wanted + ", got " + got);
    checks++;
  }

  private static void near(double wanted, double got) {
    if (Math.abs(wanted - got) > 1e-4) throw new AssertionError("wanted " + wanted + ", got " + got);
    checks++;
  }

  private static byte[] row(int i) { return Bytes.toBytes(String.format("r%03d", i)); }

  private static <R, S, P extends com.google.protobuf.Message, Q extends com.google.protobuf.Message,
    T extends com.google.protobuf.Message> void all(Table table, AggregationClient client, byte[] column,
      ColumnInterpreter<R, S, P, Q, T> interpreter, R min, R max, S sum, double mean, double deviation) throws Throwable {
    Scan scan = new Scan().addColumn(FAMILY, column);
    eq(min, client.min(table, interpreter, scan));
    eq(max, client.max(table, interpreter, scan));
    eq(sum, client.sum(table, interpreter, scan));
    eq((long) ROWS, client.rowCount(table, interpreter, scan));
    near(mean, client.avg(table, interpreter, scan));
    near(deviation, client.std(table, interpreter, scan));
  }
}
