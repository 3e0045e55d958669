import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.hadoop.hbase.thrift2.generated.TColumnFamilyDescriptor;
import org.apache.hadoop.hbase.thrift2.generated.TColumnIncrement;
import org.apache.hadoop.hbase.thrift2.generated.TColumnValue;
import org.apache.hadoop.hbase.thrift2.generated.TAppend;
import org.apache.hadoop.hbase.thrift2.generated.TDelete;
import org.apache.hadoop.hbase.thrift2.generated.TGet;
import org.apache.hadoop.hbase.thrift2.generated.THBaseService;
import org.apache.hadoop.hbase.thrift2.generated.TIncrement;
import org.apache.hadoop.hbase.thrift2.generated.TNamespaceDescriptor;
import org.apache.hadoop.hbase.thrift2.generated.TPut;
import org.apache.hadoop.hbase.thrift2.generated.TResult;
import org.apache.hadoop.hbase.thrift2.generated.TScan;
import org.apache.hadoop.hbase.thrift2.generated.TTableDescriptor;
import org.apache.hadoop.hbase.thrift2.generated.TTableName;
import org.apache.thrift.protocol.TBinaryProtocol;
import org.apache.thrift.transport.TSocket;

/** HBase's Thrift gateway, the second interface: HOST PORT. */
public final class Thrift2 {
  private static final int ROWS = 200, TIMEOUT_MS = 120_000;

  private final THBaseService.Client client;
  private final ByteBuffer table = bytes("thrift2_table");
  private final TTableName name = new TTableName(table);
  private int passed, failed;

  private interface Check {
    void run() throws Exception;
  }

  private Thrift2(THBaseService.Client client) {
    this.client = client;
  }

  public static void main(String[] args) throws Exception {
    TSocket socket = new TSocket(args[0], Integer.parseInt(args[1]));
    socket.setTimeout(TIMEOUT_MS);
    socket.open();
    Thrift2 checks = new Thrift2(new THBaseService.Client(new TBinaryProtocol(socket)));
    checks.run();
    System.out.println(checks.passed + " checks passed, " + checks.failed + " failed");
    System.exit(checks.failed == 0 ? 0 : 1);
  }

  private void run() {
    check("a table is made", this::create);
    check("rows", this::rows);
    check("counters, conditions", this::counters);
    check("scans", this::scans);
    check("deletes", this::deletes);
    check("namespaces", this::namespaces);
    check("the table is dropped", this::drop);
  }

  private void check(String what, Check check) {
    try {
      check.run();
      passed++;
      System.out.println("PASS " + what);
    } catch (Throwable thrown) {
      failed++;
      System.out.println("FAIL " + what + " " + thrown);
      thrown.printStackTrace();
    }
  }

  private void create() throws Exception {
    if (client.tableExists(name)) drop();
    TTableDescriptor descriptor = new TTableDescriptor(name);
    descriptor.setColumns(Arrays.asList(new TColumnFamilyDescriptor(bytes("f")).setMaxVersions(3)));
    client.createTable(descriptor, Arrays.asList(bytes("row-050"), bytes("row-150")));
    same(3, client.getAllRegionLocations(table).size());
    same(3, client.getTableDescriptor(name).getColumns().get(0).getMaxVersions());
    same(true, client.isTableEnabled(name));
  }

  private void rows() throws Exception {
    List<TPut> puts = new ArrayList<>();
    for (int i = 0; i < ROWS; i++) puts.add(put(row(i), "q", "v" + i));
    client.putMultiple(table, puts);
    same("v7", value(client.get(table, new TGet(bytes(row(7))))));
    same(true, client.exists(table, new TGet(bytes(row(7)))));
    List<TResult> several = client.getMultiple(table, Arrays.asList(new TGet(bytes(row(1))), new TGet(bytes("nobody"))));
    same(0, several.get(1).getColumnValuesSize());
  }

  private void counters() throws Exception {
    TIncrement increment = new TIncrement(bytes("n"), Arrays.asList(new TColumnIncrement(bytes("f"), bytes("n")).setAmount(5)));
    client.increment(table, increment);
    byte[] sum = client.increment(table, increment).getColumnValues().get(0).getValue();
    same(10L, ByteBuffer.wrap(sum).getLong());
    client.append(table, new TAppend(bytes("n"), Arrays.asList(column("a", "x"))));
    TGet appended = new TGet(bytes("n"));
    appended.addToColumns(new org.apache.hadoop.hbase.thrift2.generated.TColumn(bytes("f")).setQualifier(bytes("a")));
    same("x", value(client.get(table, appended)));
    same(true, client.checkAndPut(table, bytes("n"), bytes("f"), bytes("c"), null, put("n", "c", "1")));
    same(false, client.checkAndPut(table, bytes("n"), bytes("f"), bytes("c"), null, put("n", "c", "2")));
    same(true, client.checkAndDelete(table, bytes("n"), bytes("f"), bytes("c"), bytes("1"), new TDelete(bytes("n"))));
  }

  private void scans() throws Exception {
    TScan scan = new TScan();
    scan.setStartRow(bytes("row-"));
    int scanner = client.openScanner(table, scan), found = 0;
    for (List<TResult> page; !(page = client.getScannerRows(scanner, 30)).isEmpty(); found += page.size());
    client.closeScanner(scanner);
    same(ROWS, found);
    scan.setStartRow(bytes(row(ROWS))).setReversed(true);
    same("v199", value(client.getScannerResults(table, scan, 2).get(0)));
    TScan filtered = new TScan();
    filtered.setFilterString(bytes("PrefixFilter('row-12')"));
    same(10, client.getScannerResults(table, filtered, 100).size());
  }

  private void deletes() throws Exception {
    client.deleteSingle(table, new TDelete(bytes(row(1))));
    client.deleteMultiple(table, new ArrayList<>(Arrays.asList(new TDelete(bytes(row(2))), new TDelete(bytes(row(3))))));
    for (int i = 1; i < 4; i++) same(false, client.exists(table, new TGet(bytes(row(i)))));
  }

  private void namespaces() throws Exception {
    client.createNamespace(new TNamespaceDescriptor("thrift2_ns"));
    same("thrift2_ns", client.getNamespaceDescriptor("thrift2_ns").getName());
    client.deleteNamespace("thrift2_ns");
  }

  private void drop() throws Exception {
    client.disableTable(name);
    client.deleteTable(name);
    same(false, client.tableExists(name));
  }

  private static String row(int number) {
    return String.format("row-%03d", number);
  }

  private static TColumnValue column(String qualifier, String value) {
    return new TColumnValue(bytes("f"), bytes(qualifier), bytes(value));
  }

  private static TPut put(String row, String qualifier, String value) {
    return new TPut(bytes(row), Arrays.asList(column(qualifier, value)));
  }

  private static String value(TResult result) {
    return new String(result.getColumnValues().get(0).getValue(), StandardCharsets.UTF_8);
  }

  private static ByteBuffer bytes(String text) {
    return ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
  }

  private static void same(Object wanted, Object found) {
    if (!wanted.equals(found)) throw new AssertionError("expected " + wanted + ", found " + found);
  }
}
