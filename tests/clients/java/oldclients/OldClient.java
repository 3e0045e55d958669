import java.io.IOException;
import java.util.Arrays;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.HColumnDescriptor;
import org.apache.hadoop.hbase.HTableDescriptor;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * What every client since HBase 1.4 can do, in the words that all of them know: compiled anew for each release.
 *
 * <p>Argument: whether the release is older than 2.0. Those divide and merge regions by calls that a server of 2.x does not have.
 */
public final class OldClient {
  static final byte[] F = Bytes.toBytes("f"), G = Bytes.toBytes("g");
  static final byte[][] SPLITS = {Bytes.toBytes("row-300"), Bytes.toBytes("row-600")};

  final Connection connection;
  final Admin admin;
  final boolean before2;
  private int passed, failed;

  interface Check {
    void run() throws Exception;
  }

  private OldClient(Connection connection, Admin admin, boolean before2) {
    this.connection = connection;
    this.admin = admin;
    this.before2 = before2;
  }

  public static void main(String[] args) throws Exception {
    try (Connection connection = ConnectionFactory.createConnection(HBaseConfiguration.create()); Admin admin = connection.getAdmin()) {
      OldClient client = new OldClient(connection, admin, Boolean.parseBoolean(args[0]));
      client.run("data", OldData::new);
      client.run("administration", OldAdministration::new);
      System.out.println(client.passed + " checks passed, " + client.failed + " failed");
      System.exit(client.failed == 0 ? 0 : 1);
    }
  }

  interface Group {
    Object of(OldClient client, TableName table) throws Exception;
  }

  private void run(String name, Group group) {
    TableName table = TableName.valueOf("old_" + name);
    try {
      drop(table);
      group.of(this, table);
      drop(table);
    } catch (Exception thrown) {
      failed++;
      System.out.println("FAIL " + name + " " + thrown);
      thrown.printStackTrace();
    }
  }

  void check(String name, Check check) {
    try {
      check.run();
      passed++;
      System.out.println("PASS " + name);
    } catch (Throwable thrown) {
      failed++;
      System.out.println("FAIL " + name + " " + thrown);
      thrown.printStackTrace();
    }
  }

  void drop(TableName table) throws IOException {
    if (!admin.tableExists(table)) return;
    if (admin.isTableEnabled(table)) admin.disableTable(table);
    admin.deleteTable(table);
  }

  /** Families f, of which five versions are kept, and g; three regions. */
  HTableDescriptor create(TableName table) throws IOException {
    HTableDescriptor descriptor = new HTableDescriptor(table);
    descriptor.addFamily(new HColumnDescriptor(F).setMaxVersions(5));
    descriptor.addFamily(new HColumnDescriptor(G));
    admin.createTable(descriptor, SPLITS);
    return descriptor;
  }

  static byte[] bytes(String text) {
    return Bytes.toBytes(text);
  }

  static byte[] row(int number) {
    return Bytes.toBytes(String.format("row-%03d", number));
  }

  static void same(Object wanted, Object found) {
    boolean equal = wanted instanceof byte[] ? Arrays.equals((byte[]) wanted, (byte[]) found) : wanted.equals(found);
    if (!equal) throw new AssertionError("expected " + text(wanted) + ", found " + text(found));
  }

  private static String text(Object value) {
    return value instanceof byte[] ? Bytes.toStringBinary((byte[]) value) : String.valueOf(value);
  }

  static void refused(Class<? extends Throwable> wanted, Check check) throws Exception {
    try {
      check.run();
    } catch (Throwable thrown) {
      for (Throwable cause = thrown; cause != null; cause = cause.getCause()) if (wanted.isInstance(cause)) return;
      throw new AssertionError("expected " + wanted.getSimpleName(), thrown);
    }
    throw new AssertionError("expected " + wanted.getSimpleName());
  }
}
