import java.util.Map;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.KeepDeletedCells;
import org.apache.hadoop.hbase.MemoryCompactionPolicy;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.*;
import org.apache.hadoop.hbase.regionserver.BloomType;
import org.apache.hadoop.hbase.util.Bytes;

/** Every attribute of a descriptor comes back as it was given, whether or not the server acts on it. */
final class SchemaChecks extends Checks {
  SchemaChecks(Api api, String tag) { super(api, tag); }

  private static ColumnFamilyDescriptor unusualFamily() throws Exception {
    return ColumnFamilyDescriptorBuilder.newBuilder(A).setMaxVersions(9).setMinVersions(2).setTimeToLive(86_401)
      .setBlocksize(32 * 1024).setBloomFilterType(BloomType.ROWCOL).setBlockCacheEnabled(false).setInMemory(true)
      .setKeepDeletedCells(KeepDeletedCells.TTL).setCacheDataOnWrite(true).setCacheIndexesOnWrite(true)
      .setCacheBloomsOnWrite(true).setEvictBlocksOnClose(true).setPrefetchBlocksOnOpen(true)
      .setCompressTags(false).setScope(HConstants.REPLICATION_SCOPE_GLOBAL).setDFSReplication((short) 2)
      .setInMemoryCompaction(MemoryCompactionPolicy.EAGER).setMobThreshold(123_456)
      .setConfiguration("hbase.hstore.blockingStoreFiles", "33").setValue("MY_OWN", "kept").build();
  }

  private static TableDescriptor unusual(TableName t) throws Exception {
    return TableDescriptorBuilder.newBuilder(t).setColumnFamily(unusualFamily())
      .setColumnFamily(ColumnFamilyDescriptorBuilder.newBuilder(B).setBloomFilterType(BloomType.NONE).build())
      .setMaxFileSize(3L << 30).setMemStoreFlushSize(64L << 20).setDurability(Durability.ASYNC_WAL)
      .setCompactionEnabled(false).setSplitEnabled(false).setMergeEnabled(false).setNormalizationEnabled(true)
      .setPriority(42).setFlushPolicyClassName("org.apache.hadoop.hbase.regionserver.FlushAllStoresPolicy")
      .setRegionSplitPolicyClassName("org.apache.hadoop.hbase.regionserver.DisabledRegionSplitPolicy")
      .setValue("hbase.hregion.scan.loadColumnFamiliesOnDemand", "true").setValue("OWNED_BY", "a \u00e9 test").build();
  }

  /** Everything of `sent` is in `got`; a server may add attributes of its own. */
  private static void keeps(TableDescriptor sent, TableDescriptor got) {
    keeps("table", sent.getValues(), got.getValues());
    eq(sent.getColumnFamilyCount(), got.getColumnFamilyCount());
    for (ColumnFamilyDescriptor f : sent.getColumnFamilies()) {
      ColumnFamilyDescriptor g = got.getColumnFamily(f.getName());
      yes(g != null, "family " + f.getNameAsString() + " is missing");
      keeps(f.getNameAsString(), f.getValues(), g.getValues());
      for (Map.Entry<String, String> e : f.getConfiguration().entrySet()) {
        eq(e.getKey() + "=" + e.getValue(), e.getKey() + "=" + g.getConfigurationValue(e.getKey()));
      }
    }
  }

  private static void keeps(String of, Map<Bytes, Bytes> sent, Map<Bytes, Bytes> got) {
    for (Map.Entry<Bytes, Bytes> e : sent.entrySet()) {
      eq(of + " " + e.getKey() + "=" + e.getValue(), of + " " + e.getKey() + "=" + got.get(e.getKey()));
    }
  }

  public void attributes_survive_create() throws Exception {
    TableName t = name("attributes");
    discard(t);
    api.create(unusual(t));
    keeps(unusual(t), api.describe(t));
    discard(t);
  }

  public void attributes_survive_modify() throws Exception {
    TableName t = fresh("altered", new String[] {"a", "b"});
    api.put(t, put("r", "a", "q", "v"));
    api.modify(unusual(t));
    keeps(unusual(t), api.describe(t));
    eq("r/a:q=v", text(api.get(t, get("r"))));
    discard(t);
  }

  public void a_read_only_table_takes_no_write() throws Exception {
    TableName t = fresh("readonly", new String[] {"a"});
    api.put(t, put("r", "a", "q", "v"));
    api.modify(TableDescriptorBuilder.newBuilder(api.describe(t)).setReadOnly(true).build());
    fails(java.io.IOException.class, () -> api.put(t, put("r", "a", "q", "w")));
    eq("r/a:q=v", text(api.get(t, get("r"))));
    discard(t);
  }

  public void a_larger_number_of_versions_counts_from_the_change_on() throws Exception {
    TableName t = name("versions");
    discard(t);
    api.create(table(t, "a").build());
    api.modifyFamily(t, ColumnFamilyDescriptorBuilder.newBuilder(A).setMaxVersions(2).build());
    for (int i = 1; i <= 3; i++) api.put(t, put("r", "a", "q", i, "v" + i));
    eq("r/a:q=v3 r/a:q=v2", text(api.get(t, get("r").readAllVersions())));
    discard(t);
  }
}
