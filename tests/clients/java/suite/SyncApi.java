import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.ClusterMetrics;
import org.apache.hadoop.hbase.HRegionLocation;
import org.apache.hadoop.hbase.NamespaceDescriptor;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.*;

/** The checks' view of Connection, Admin and Table. */
final class SyncApi implements Api {
  private final Connection connection;
  private final Admin admin;

  SyncApi(Configuration conf) throws Exception {
    connection = ConnectionFactory.createConnection(conf);
    admin = connection.getAdmin();
  }

  private interface Use<R> {
    R of(Table t) throws Exception;
  }

  private <R> R on(TableName name, Use<R> use) throws Exception {
    try (Table t = connection.getTable(name)) {
      return use.of(t);
    }
  }

  public void createNamespace(NamespaceDescriptor n) throws Exception { admin.createNamespace(n); }
  public void modifyNamespace(NamespaceDescriptor n) throws Exception { admin.modifyNamespace(n); }
  public void deleteNamespace(String name) throws Exception { admin.deleteNamespace(name); }
  public NamespaceDescriptor namespace(String name) throws Exception { return admin.getNamespaceDescriptor(name); }

  public List<String> namespaces() throws Exception {
    List<String> names = new ArrayList<>();
    for (NamespaceDescriptor n : admin.listNamespaceDescriptors()) names.add(n.getName());
    return names;
  }

  public void create(TableDescriptor t, byte[]... splits) throws Exception {
    if (splits.length == 0) admin.createTable(t);
    else admin.createTable(t, splits);
  }

  public void modify(TableDescriptor t) throws Exception { admin.modifyTable(t); }
  public void drop(TableName t) throws Exception { admin.deleteTable(t); }
  public void enable(TableName t) throws Exception { admin.enableTable(t); }
  public void disable(TableName t) throws Exception { admin.disableTable(t); }
  public boolean truncateRegion(byte[] region) throws Exception {
    try {
      Admin.class.getMethod("truncateRegion", byte[].class).invoke(admin, region);
      return true;
    } catch (NoSuchMethodException e) {
      return false;
    }
  }

  public void truncate(TableName t, boolean preserveSplits) throws Exception { admin.truncateTable(t, preserveSplits); }
  public void addFamily(TableName t, ColumnFamilyDescriptor f) throws Exception { admin.addColumnFamily(t, f); }
  public void modifyFamily(TableName t, ColumnFamilyDescriptor f) throws Exception { admin.modifyColumnFamily(t, f); }
  public void deleteFamily(TableName t, byte[] family) throws Exception { admin.deleteColumnFamily(t, family); }
  public boolean tableExists(TableName t) throws Exception { return admin.tableExists(t); }
  public boolean enabled(TableName t) throws Exception { return admin.isTableEnabled(t); }
  public boolean disabled(TableName t) throws Exception { return admin.isTableDisabled(t); }
  public boolean available(TableName t) throws Exception { return admin.isTableAvailable(t); }
  public TableDescriptor describe(TableName t) throws Exception { return admin.getDescriptor(t); }
  public List<TableName> tables() throws Exception { return Arrays.asList(admin.listTableNames()); }

  public List<TableName> tables(String regex, boolean system) throws Exception {
    return Arrays.asList(admin.listTableNames(Pattern.compile(regex), system));
  }

  public List<TableDescriptor> descriptors() throws Exception { return admin.listTableDescriptors(); }
  public List<TableName> tablesOf(String namespace) throws Exception { return Arrays.asList(admin.listTableNamesByNamespace(namespace)); }
  public void flush(TableName t) throws Exception { admin.flush(t); }
  public void flushRegion(byte[] regionName) throws Exception { admin.flushRegion(regionName); }
  public void split(byte[] regionName, byte[] row) throws Exception {
    (row == null ? admin.splitRegionAsync(regionName) : admin.splitRegionAsync(regionName, row)).get(60, TimeUnit.SECONDS);
  }
  public void merge(List<byte[]> encodedNames) throws Exception {
    admin.mergeRegionsAsync(encodedNames.toArray(new byte[0][]), false).get(60, TimeUnit.SECONDS);
  }
  public List<RegionInfo> regions(TableName t) throws Exception { return admin.getRegions(t); }

  public List<HRegionLocation> locations(TableName t) throws Exception {
    try (RegionLocator l = connection.getRegionLocator(t)) {
      return l.getAllRegionLocations();
    }
  }

  public HRegionLocation locate(TableName t, byte[] row) throws Exception {
    try (RegionLocator l = connection.getRegionLocator(t)) {
      return l.getRegionLocation(row, true);
    }
  }

  public ClusterMetrics metrics() throws Exception { return admin.getClusterMetrics(); }
  public Result get(TableName n, Get g) throws Exception { return on(n, t -> t.get(g)); }
  public List<Result> gets(TableName n, List<Get> g) throws Exception { return on(n, t -> Arrays.asList(t.get(g))); }
  public boolean exists(TableName n, Get g) throws Exception { return on(n, t -> t.exists(g)); }

  public List<Boolean> existsEach(TableName n, List<Get> g) throws Exception {
    return on(n, t -> {
      List<Boolean> all = new ArrayList<>();
      for (boolean b : t.exists(g)) all.add(b);
      return all;
    });
  }

  public void put(TableName n, Put p) throws Exception { on(n, t -> { t.put(p); return null; }); }
  public void puts(TableName n, List<Put> p) throws Exception { on(n, t -> { t.put(p); return null; }); }
  public void delete(TableName n, Delete d) throws Exception { on(n, t -> { t.delete(d); return null; }); }

  public void deletes(TableName n, List<Delete> d) throws Exception {
    on(n, t -> { t.delete(new ArrayList<>(d)); return null; }); // the 2.x client empties the list it is given
  }

  public Result increment(TableName n, Increment i) throws Exception { return on(n, t -> t.increment(i)); }
  public Result append(TableName n, Append a) throws Exception { return on(n, t -> t.append(a)); }
  public Result mutateRow(TableName n, RowMutations m) throws Exception { return on(n, t -> t.mutateRow(m)); }
  public CheckAndMutateResult checkAndMutate(TableName n, CheckAndMutate c) throws Exception { return on(n, t -> t.checkAndMutate(c)); }

  public List<CheckAndMutateResult> checkAndMutateEach(TableName n, List<CheckAndMutate> c) throws Exception {
    return on(n, t -> t.checkAndMutate(c));
  }

  public Object[] batch(TableName n, List<? extends Row> actions) throws Exception {
    return on(n, t -> {
      Object[] results = new Object[actions.size()];
      try {
        t.batch(actions, results);
      } catch (RetriesExhaustedException e) {
        // some action failed: its Throwable stands in `results`
      }
      return results;
    });
  }

  public List<Result> scan(TableName n, Scan s) throws Exception {
    try (ResultScanner scanner = scanner(n, s)) {
      List<Result> all = new ArrayList<>();
      for (Result r; (r = scanner.next()) != null;) all.add(r);
      return all;
    }
  }

  public ResultScanner scanner(TableName n, Scan s) throws Exception { return on(n, t -> t.getScanner(s)); }

  public void buffered(TableName n, List<Mutation> m) throws Exception {
    try (BufferedMutator b = connection.getBufferedMutator(n)) {
      for (Mutation x : m) b.mutate(x);
    }
  }

  public void close() throws Exception {
    admin.close();
    connection.close();
  }
}
