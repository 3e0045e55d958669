import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.CompareOperator;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.AsyncConnection;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.filter.BinaryComparator;
import org.apache.hadoop.hbase.filter.FilterList;
import org.apache.hadoop.hbase.filter.RegexStringComparator;
import org.apache.hadoop.hbase.filter.ValueFilter;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * Scans whose filter rejects every row but the last, for much longer than client and server wait for each other: they go on, and
 * find that row. By the synchronous and the asynchronous client, with whole and with partial results, and with cursors.
 *
 * <p>Arguments: SECONDS TIMEOUT_MS. A scan is to take so long, with the client's timeouts at TIMEOUT_MS. Prints what each scan took.
 */
public final class RejectingFilter {
  private static final TableName TABLE = TableName.valueOf("rejecting_filter");
  private static final byte[] FAMILY = Bytes.toBytes("f");
  private static final byte[] LAST = Bytes.toBytes("z");
  private static final byte[] WANTED = Bytes.toBytes("wanted");
  private static final int VALUE_BYTES = 1000;
  private static final int ROWS_OF_REQUEST = 500;
  /** Expressions that no value matches: about half a millisecond for a row. */
  private static final int EXPRESSIONS = 40;
  /** How often the cost of a row is measured by the first few: on a starved machine some scans take much longer than others. */
  private static final int MEASUREMENTS = 3;
  /** How often a scan that timed out is tried again, and after what time: without heartbeats every one times out. */
  private static final int TRIES = 5, BETWEEN_MS = 2000;

  private final Configuration conf = HBaseConfiguration.create();
  private final long wantedMs;
  private final int timeoutMs;
  private int rows;
  private double msOfRow = Double.MAX_VALUE;

  private RejectingFilter(long wantedMs, int timeoutMs) {
    this.wantedMs = wantedMs;
    this.timeoutMs = timeoutMs;
    conf.setInt(HConstants.HBASE_RPC_TIMEOUT_KEY, timeoutMs);
    conf.setInt(HConstants.HBASE_RPC_READ_TIMEOUT_KEY, timeoutMs);
    conf.setInt(HConstants.HBASE_CLIENT_SCANNER_TIMEOUT_PERIOD, timeoutMs);
    // A heartbeat that does not come is an error, and not tried again.
    conf.setInt(HConstants.HBASE_CLIENT_RETRIES_NUMBER, 0);
  }

  public static void main(String[] args) throws Exception {
    new RejectingFilter(Long.parseLong(args[0]) * 1000, Integer.parseInt(args[1])).run();
  }

  private interface Find {
    byte[] run() throws Exception;
  }

  private void run() throws Exception {
    Configuration patient = HBaseConfiguration.create();
    try (Connection patiently = ConnectionFactory.createConnection(patient); Admin admin = patiently.getAdmin();
        Table filled = patiently.getTable(TABLE); Connection c = ConnectionFactory.createConnection(conf);
        AsyncConnection async = ConnectionFactory.createAsyncConnection(conf).get(); Table table = c.getTable(TABLE)) {
      admin.createTable(TableDescriptorBuilder.newBuilder(TABLE)
          .setColumnFamily(ColumnFamilyDescriptorBuilder.of(FAMILY)).build());
      filled.put(new Put(LAST).addColumn(FAMILY, FAMILY, WANTED));
      fill(filled);
      // What both look up and connect to before their first scan is not to count.
      Find warmUp = () -> {
        async.getTable(TABLE).scanAll(new Scan().setLimit(1)).get();
        return first(table, new Scan().setLimit(1));
      };
      takesLong("whole rows", filled, warmUp, () -> first(table, scan()));
      takesLong("partial results", filled, warmUp, () -> first(table, scan().setAllowPartialResults(true)));
      takesLong("cursors", filled, warmUp, () -> behindCursors(table));
      takesLong("asynchronously", filled, warmUp, () -> async.getTable(TABLE).scanAll(scan()).get().get(0).getRow());
    }
  }

  /** Rows, until a scan of them takes as long as wanted. */
  private void fill(Table table) throws Exception {
    while (rows == 0 || msOfRow * rows < wantedMs) {
      // First a few, then as many as the time of these says, with some more.
      int more = rows == 0 ? ROWS_OF_REQUEST : (int) (1.1 * wantedMs / msOfRow) - rows + 1;
      for (int end = rows + more; rows < end;) {
        put(table);
      }
      for (int i = rows == ROWS_OF_REQUEST ? MEASUREMENTS : 1; i > 0; i--) {
        long begin = System.nanoTime();
        first(table, scan());
        msOfRow = Math.min(msOfRow, (System.nanoTime() - begin) / 1e6 / rows);
      }
    }
    System.out.printf("%d rows, of which the filter looks at %.0f in a second%n", rows, 1000 / msOfRow);
  }

  private void put(Table table) throws IOException {
    List<Put> puts = new ArrayList<>();
    for (int i = 0; i < ROWS_OF_REQUEST; i++) {
      byte[] value = new byte[VALUE_BYTES];
      for (int at = 0; at < value.length; at++) {
        value[at] = (byte) ('a' + ThreadLocalRandom.current().nextInt(3));
      }
      puts.add(new Put(Bytes.toBytes(String.format("%09d", rows++))).addColumn(FAMILY, FAMILY, value));
    }
    table.put(puts);
  }

  /** What looks for "wanted" in each value, and for much else first, so that the server is busy with it. */
  private static Scan scan() {
    FilterList any = new FilterList(FilterList.Operator.MUST_PASS_ONE);
    for (int i = 0; i < EXPRESSIONS; i++) {
      any.addFilter(new ValueFilter(CompareOperator.EQUAL, new RegexStringComparator("(a|b|c|ab|bc|ca)*unwanted" + i)));
    }
    any.addFilter(new ValueFilter(CompareOperator.EQUAL, new BinaryComparator(WANTED)));
    return new Scan().setFilter(any);
  }

  private byte[] first(Table table, Scan scan) throws IOException {
    byte[] row = null;
    try (ResultScanner scanner = table.getScanner(scan)) {
      for (Result result : scanner) {
        if (row != null) {
          throw new IOException("another row: " + result);
        }
        row = result.getRow();
      }
    }
    return row;
  }

  private byte[] behindCursors(Table table) throws IOException {
    int cursors = 0;
    byte[] row = null;
    byte[] before = new byte[0];
    try (ResultScanner scanner = table.getScanner(scan().setNeedCursorResult(true))) {
      for (Result result; (result = scanner.next()) != null;) {
        if (!result.isCursor()) {
          row = result.getRow();
          continue;
        }
        cursors++;
        byte[] at = result.getCursor().getRow();
        if (Bytes.compareTo(at, before) < 0) {
          throw new IOException("a cursor goes back to " + Bytes.toString(at));
        }
        before = at;
      }
    }
    if (cursors == 0) {
      throw new IOException("no cursor came");
    }
    return row;
  }

  private void takesLong(String how, Table filled, Find warmUp, Find find) throws Exception {
    for (int left = TRIES - 1; ; left--) {
      long begin;
      byte[] row;
      try {
        warmUp.run();
        begin = System.nanoTime();
        row = find.run();
      } catch (Exception e) {
        if (left == 0 || !isTimeout(e)) {
          throw e;
        }
        System.out.println(how + ": again after " + e);
        Thread.sleep(BETWEEN_MS);
        continue;
      }
      long ms = (System.nanoTime() - begin) / 1_000_000;
      if (!Bytes.equals(row, LAST)) {
        throw new IOException(how + ": found " + Bytes.toStringBinary(row));
      }
      if (ms >= 2L * timeoutMs) {
        System.out.printf("%s: the last row after %.1f s, with timeouts of %.1f s%n", how, ms / 1e3, timeoutMs / 1e3);
        return;
      }
      if (left == 0) {
        throw new IOException(how + ": " + ms + " ms are no test of " + timeoutMs + " ms");
      }
      // The machine was slower when the cost of a row was measured.
      msOfRow = (double) ms / rows;
      fill(filled);
    }
  }

  /** Whether it is what it all comes from: clients call each last try a timeout. */
  private static boolean isTimeout(Throwable thrown) {
    Throwable root = thrown;
    while (root.getCause() != null) root = root.getCause();
    return root.getClass().getSimpleName().contains("Timeout");
  }
}
