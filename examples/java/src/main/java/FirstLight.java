import java.nio.charset.StandardCharsets;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.*;

public class FirstLight {
  static byte[] b(String s) { return s.getBytes(StandardCharsets.UTF_8); }

  public static void main(String[] args) throws Exception {
    var name = TableName.valueOf("first_light");
    try (var connection = ConnectionFactory.createConnection(HBaseConfiguration.create());
         var admin = connection.getAdmin(); var table = connection.getTable(name)) {
      if (!admin.tableExists(name)) {
        admin.createTable(TableDescriptorBuilder.newBuilder(name).setColumnFamily(ColumnFamilyDescriptorBuilder.of("f")).build());
      }
      table.put(new Put(b("row")).addColumn(b("f"), b("q"), b("hello")));
      System.out.println(new String(table.get(new Get(b("row"))).getValue(b("f"), b("q")), StandardCharsets.UTF_8));
    }
  }
}
