import java.util.List;
import org.apache.hadoop.hbase.ClusterMetrics;
import org.apache.hadoop.hbase.HRegionLocation;
import org.apache.hadoop.hbase.NamespaceDescriptor;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.*;

/**
 * What the checks ask of a client, in the words of HBase's API. One implementation goes through the synchronous API,
 * one through the asynchronous API, so that every check runs through both.
 */
interface Api extends AutoCloseable {
  void createNamespace(NamespaceDescriptor n) throws Exception;
  void modifyNamespace(NamespaceDescriptor n) throws Exception;
  void deleteNamespace(String name) throws Exception;
  NamespaceDescriptor namespace(String name) throws Exception;
  List<String> namespaces() throws Exception;

  void create(TableDescriptor t, byte[]... splits) throws Exception;
  void modify(TableDescriptor t) throws Exception;
  void drop(TableName t) throws Exception;
  void enable(TableName t) throws Exception;
  void disable(TableName t) throws Exception;
  /** False where the client has no such call: before 2.6. */
  boolean truncateRegion(byte[] region) throws Exception;
  void truncate(TableName t, boolean preserveSplits) throws Exception;
  void addFamily(TableName t, ColumnFamilyDescriptor f) throws Exception;
  void modifyFamily(TableName t, ColumnFamilyDescriptor f) throws Exception;
  void deleteFamily(TableName t, byte[] family) throws Exception;
  boolean tableExists(TableName t) throws Exception;
  boolean enabled(TableName t) throws Exception;
  boolean disabled(TableName t) throws Exception;
  boolean available(TableName t) throws Exception;
  TableDescriptor describe(TableName t) throws Exception;
  List<TableName> tables() throws Exception;
  List<TableName> tables(String regex, boolean system) throws Exception;
  List<TableDescriptor> descriptors() throws Exception;
  List<TableName> tablesOf(String namespace) throws Exception;
  void flush(TableName t) throws Exception;
  void flushRegion(byte[] regionName) throws Exception;
  /** At a row, or, without one, where the server likes it; returns when the daughters are there. */
  void split(byte[] regionName, byte[] row) throws Exception;
  void merge(List<byte[]> encodedNames) throws Exception;
  List<RegionInfo> regions(TableName t) throws Exception;
  List<HRegionLocation> locations(TableName t) throws Exception;
  HRegionLocation locate(TableName t, byte[] row) throws Exception;
  ClusterMetrics metrics() throws Exception;

  Result get(TableName t, Get g) throws Exception;
  List<Result> gets(TableName t, List<Get> g) throws Exception;
  boolean exists(TableName t, Get g) throws Exception;
  List<Boolean> existsEach(TableName t, List<Get> g) throws Exception;
  void put(TableName t, Put p) throws Exception;
  void puts(TableName t, List<Put> p) throws Exception;
  void delete(TableName t, Delete d) throws Exception;
  void deletes(TableName t, List<Delete> d) throws Exception;
  Result increment(TableName t, Increment i) throws Exception;
  Result append(TableName t, Append a) throws Exception;
  Result mutateRow(TableName t, RowMutations m) throws Exception;
  CheckAndMutateResult checkAndMutate(TableName t, CheckAndMutate c) throws Exception;
  List<CheckAndMutateResult> checkAndMutateEach(TableName t, List<CheckAndMutate> c) throws Exception;

  /** One entry per action, in order: a Result, null, or the Throwable that the action ended with. */
  Object[] batch(TableName t, List<? extends Row> actions) throws Exception;

  /** Everything the scan returns, as the scanner returned it (partial results are not glued together). */
  List<Result> scan(TableName t, Scan s) throws Exception;

  ResultScanner scanner(TableName t, Scan s) throws Exception;

  /** Writes through a BufferedMutator and waits until all is written. */
  void buffered(TableName t, List<Mutation> m) throws Exception;

  @Override
  void close() throws Exception;
}
