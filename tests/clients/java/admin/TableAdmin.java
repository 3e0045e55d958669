import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.util.Bytes;

/** create TABLE FAMILY [SPLIT_KEY...] replaces a table by an empty one; flush TABLE writes what is in memory to files. */
public final class TableAdmin {
  public static void main(String[] args) throws Exception {
    TableName table = TableName.valueOf(args[1]);
    try (Connection c = ConnectionFactory.createConnection(HBaseConfiguration.create()); Admin admin = c.getAdmin()) {
      if (args[0].equals("flush")) admin.flush(table);
      else if (args[0].equals("create")) create(admin, table, args);
      else throw new IllegalArgumentException(args[0]);
    }
  }

  private static void create(Admin admin, TableName table, String[] args) throws Exception {
    if (admin.tableExists(table)) {
      if (admin.isTableEnabled(table)) admin.disableTable(table);
      admin.deleteTable(table);
    }
    byte[][] splits = new byte[args.length - 3][];
    for (int i = 0; i < splits.length; i++) splits[i] = Bytes.toBytes(args[i + 3]);
    TableDescriptorBuilder t = TableDescriptorBuilder.newBuilder(table).setColumnFamily(ColumnFamilyDescriptorBuilder.of(args[2]));
    admin.createTable(t.build(), splits.length == 0 ? null : splits);
  }
}
