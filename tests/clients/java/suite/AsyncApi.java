import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.ClusterMetrics;
import org.apache.hadoop.hbase.HRegionLocation;
import org.apache.hadoop.hbase.NamespaceDescriptor;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.*;

/** The checks' view of AsyncConnection, AsyncAdmin and AsyncTable. */
final class AsyncApi implements Api {
  /** Longer than any client timeout that the suite sets: a future that is still open then was forgotten. */
  private static final long FORGOTTEN_SECONDS = 180;

  private final AsyncConnection connection;
  private final AsyncAdmin admin;

  AsyncApi(Configuration conf) throws Exception {
    connection = await(ConnectionFactory.createAsyncConnection(conf));
    admin = connection.getAdmin();
  }

  private static <T> T await(CompletableFuture<T> f) throws Exception {
    try {
      return f.get(FORGOTTEN_SECONDS, TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof Exception) throw (Exception) e.getCause();
      throw e;
    }
  }

  private AsyncTable<AdvancedScanResultConsumer> on(TableName t) {
    return connection.getTable(t);
  }

  public void createNamespace(NamespaceDescriptor n) throws Exception { await(admin.createNamespace(n)); }
  public void modifyNamespace(NamespaceDescriptor n) throws Exception { await(admin.modifyNamespace(n)); }
  public void deleteNamespace(String name) throws Exception { await(admin.deleteNamespace(name)); }
  public NamespaceDescriptor namespace(String name) throws Exception { return await(admin.getNamespaceDescriptor(name)); }

  public List<String> namespaces() throws Exception {
    List<String> names = new ArrayList<>();
    for (NamespaceDescriptor n : await(admin.listNamespaceDescriptors())) names.add(n.getName());
    return names;
  }

  public void create(TableDescriptor t, byte[]... splits) throws Exception {
    await(splits.length == 0 ? admin.createTable(t) : admin.createTable(t, splits));
  }

  public void modify(TableDescriptor t) throws Exception { await(admin.modifyTable(t)); }
  public void drop(TableName t) throws Exception { await(admin.deleteTable(t)); }
  public void enable(TableName t) throws Exception { await(admin.enableTable(t)); }
  public void disable(TableName t) throws Exception { await(admin.disableTable(t)); }
  public boolean truncateRegion(byte[] region) throws Exception {
    try {
      await((CompletableFuture<?>) AsyncAdmin.class.getMethod("truncateRegion", byte[].class).invoke(admin, region));
      return true;
    } catch (NoSuchMethodException e) {
      return false;
    }
  }

  public void truncate(TableName t, boolean preserveSplits) throws Exception { await(admin.truncateTable(t, preserveSplits)); }
  public void addFamily(TableName t, ColumnFamilyDescriptor f) throws Exception { await(admin.addColumnFamily(t, f)); }
  public void modifyFamily(TableName t, ColumnFamilyDescriptor f) throws Exception { await(admin.modifyColumnFamily(t, f)); }
  public void deleteFamily(TableName t, byte[] family) throws Exception { await(admin.deleteColumnFamily(t, family)); }
  public boolean tableExists(TableName t) throws Exception { return await(admin.tableExists(t)); }
  public boolean enabled(TableName t) throws Exception { return await(admin.isTableEnabled(t)); }
  public boolean disabled(TableName t) throws Exception { return await(admin.isTableDisabled(t)); }
  public boolean available(TableName t) throws Exception { return await(admin.isTableAvailable(t)); }
  public TableDescriptor describe(TableName t) throws Exception { return await(admin.getDescriptor(t)); }
  public List<TableName> tables() throws Exception { return await(admin.listTableNames()); }

  public List<TableName> tables(String regex, boolean system) throws Exception {
    return await(admin.listTableNames(Pattern.compile(regex), system));
  }

  public List<TableDescriptor> descriptors() throws Exception { return await(admin.listTableDescriptors()); }
  public List<TableName> tablesOf(String namespace) throws Exception { return await(admin.listTableNamesByNamespace(namespace)); }
  public void flush(TableName t) throws Exception { await(admin.flush(t)); }
  public void flushRegion(byte[] regionName) throws Exception { await(admin.flushRegion(regionName)); }
  public void split(byte[] regionName, byte[] row) throws Exception { await(row == null ? admin.splitRegion(regionName) : admin.splitRegion(regionName, row)); }
  public void merge(List<byte[]> encodedNames) throws Exception { await(admin.mergeRegions(encodedNames, false)); }
  public List<RegionInfo> regions(TableName t) throws Exception { return await(admin.getRegions(t)); }

  public List<HRegionLocation> locations(TableName t) throws Exception {
    return await(connection.getRegionLocator(t).getAllRegionLocations());
  }

  public HRegionLocation locate(TableName t, byte[] row) throws Exception {
    return await(connection.getRegionLocator(t).getRegionLocation(row, true));
  }

  public ClusterMetrics metrics() throws Exception { return await(admin.getClusterMetrics()); }
  public Result get(TableName t, Get g) throws Exception { return await(on(t).get(g)); }
  public List<Result> gets(TableName t, List<Get> g) throws Exception { return await(on(t).getAll(g)); }
  public boolean exists(TableName t, Get g) throws Exception { return await(on(t).exists(g)); }
  public List<Boolean> existsEach(TableName t, List<Get> g) throws Exception { return await(on(t).existsAll(g)); }
  public void put(TableName t, Put p) throws Exception { await(on(t).put(p)); }
  public void puts(TableName t, List<Put> p) throws Exception { await(on(t).putAll(p)); }
  public void delete(TableName t, Delete d) throws Exception { await(on(t).delete(d)); }
  public void deletes(TableName t, List<Delete> d) throws Exception { await(on(t).deleteAll(d)); }
  public Result increment(TableName t, Increment i) throws Exception { return await(on(t).increment(i)); }
  public Result append(TableName t, Append a) throws Exception { return await(on(t).append(a)); }
  public Result mutateRow(TableName t, RowMutations m) throws Exception { return await(on(t).mutateRow(m)); }
  public CheckAndMutateResult checkAndMutate(TableName t, CheckAndMutate c) throws Exception { return await(on(t).checkAndMutate(c)); }

  public List<CheckAndMutateResult> checkAndMutateEach(TableName t, List<CheckAndMutate> c) throws Exception {
    return await(on(t).checkAndMutateAll(c));
  }

  public Object[] batch(TableName t, List<? extends Row> actions) throws Exception {
    List<CompletableFuture<Object>> futures = on(t).batch(actions);
    Object[] results = new Object[futures.size()];
    for (int i = 0; i < results.length; i++) {
      try {
        results[i] = await(futures.get(i));
      } catch (Exception e) {
        results[i] = e;
      }
    }
    return results;
  }

  public List<Result> scan(TableName t, Scan s) throws Exception {
    List<Result> all = new ArrayList<>();
    try (ResultScanner scanner = scanner(t, s)) {
      for (Result r; (r = scanner.next()) != null;) all.add(r);
    }
    // scanAll is another path through the client: both must say the same
    List<Result> again = await(on(t).scanAll(new Scan(s)));
    if (!Checks.stamped(all).equals(Checks.stamped(again))) {
      throw new AssertionError("scanner: " + Checks.stamped(all) + "; scanAll: " + Checks.stamped(again));
    }
    return all;
  }

  public ResultScanner scanner(TableName t, Scan s) { return on(t).getScanner(s); }

  public void buffered(TableName t, List<Mutation> m) throws Exception {
    try (AsyncBufferedMutator b = connection.getBufferedMutator(t)) {
      List<CompletableFuture<Void>> futures = new ArrayList<>();
      for (Mutation x : m) futures.add(b.mutate(x));
      b.flush();
      await(CompletableFuture.allOf(futures.toArray(new CompletableFuture<?>[0])));
    }
  }

  public void close() throws Exception { connection.close(); }
}
