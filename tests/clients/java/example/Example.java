import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.*;
import static org.apache.hadoop.hbase.util.Bytes.toBytes;

public class Example {
  public static void main(String[] args) throws Exception {
    var conf = HBaseConfiguration.create(); // finds a server on this machine at HBase's usual ports
    if (args.length > 0) conf.set("hbase.zookeeper.property.clientPort", args[0]);
    try (var connection = ConnectionFactory.createConnection(conf); var admin = connection.getAdmin()) {
      var name = TableName.valueOf("greetings");
      if (!admin.tableExists(name)) admin.createTable(TableDescriptorBuilder.newBuilder(name).setColumnFamily(ColumnFamilyDescriptorBuilder.of("f")).build());
      try (var table = connection.getTable(name)) {
        table.put(new Put(toBytes("world")).addColumn(toBytes("f"), toBytes("q"), toBytes("Hello from Finback")));
        System.out.println(new String(table.get(new Get(toBytes("world"))).value()));
      }
    }
  }
}
