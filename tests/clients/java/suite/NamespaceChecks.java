import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.NamespaceDescriptor;
import org.apache.hadoop.hbase.NamespaceExistException;
import org.apache.hadoop.hbase.NamespaceNotFoundException;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Get;

/** Namespaces. */
final class NamespaceChecks extends Checks {
  NamespaceChecks(Api api, String tag) { super(api, tag); }

  private String fresh(String short_) throws Exception {
    String n = "ns_" + tag + "_" + short_;
    if (api.namespaces().contains(n)) {
      for (TableName t : api.tablesOf(n)) discard(t);
      api.deleteNamespace(n);
    }
    return n;
  }

  public void create_list_describe_modify_delete() throws Exception {
    String n = fresh("life");
    api.createNamespace(NamespaceDescriptor.create(n).addConfiguration("color", "blue").build());
    has(api.namespaces(), n);
    eq("blue", api.namespace(n).getConfigurationValue("color"));
    api.modifyNamespace(NamespaceDescriptor.create(n).addConfiguration("color", "red").build());
    eq("red", api.namespace(n).getConfigurationValue("color"));
    api.deleteNamespace(n);
    hasNot(api.namespaces(), n);
    fails(NamespaceNotFoundException.class, () -> api.namespace(n));
  }

  public void the_two_of_the_system_are_there_and_stay() throws Exception {
    has(api.namespaces(), "default");
    has(api.namespaces(), "hbase");
    fails(DoNotRetryIOException.class, () -> api.deleteNamespace("default"));
    fails(DoNotRetryIOException.class, () -> api.deleteNamespace("hbase"));
  }

  public void one_with_a_table_is_not_deleted() throws Exception {
    String n = fresh("full");
    api.createNamespace(NamespaceDescriptor.create(n).build());
    TableName t = TableName.valueOf(n, "t");
    api.create(table(t, "a").build());
    fails(DoNotRetryIOException.class, () -> api.deleteNamespace(n));
    eq("[" + t + "]", api.tablesOf(n).toString());
    api.put(t, put("r", "a", "q", "v"));
    eq("r/a:q=v", text(api.get(t, new Get(b("r")))));
    discard(t);
    api.deleteNamespace(n);
  }

  public void the_same_name_twice_is_refused() throws Exception {
    String n = fresh("twice");
    api.createNamespace(NamespaceDescriptor.create(n).build());
    fails(NamespaceExistException.class, () -> api.createNamespace(NamespaceDescriptor.create(n).build()));
    api.deleteNamespace(n);
  }

  public void an_unknown_one_is_reported() throws Exception {
    String n = fresh("unknown");
    fails(NamespaceNotFoundException.class, () -> api.deleteNamespace(n));
    fails(NamespaceNotFoundException.class, () -> api.modifyNamespace(NamespaceDescriptor.create(n).build()));
    fails(NamespaceNotFoundException.class, () -> api.create(table(TableName.valueOf(n, "t"), "a").build()));
  }
}
