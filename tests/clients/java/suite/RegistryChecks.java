import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.*;

/** The least that shows a connection to serve: cluster, tables, cells. Run through every registry. */
final class RegistryChecks extends Checks {
  RegistryChecks(Api api, String tag) { super(api, tag); }

  public void a_table_is_made_written_read_and_dropped() throws Exception {
    TableName t = fresh("registry", new String[] {"a"}, "m");
    for (String row : new String[] {"b", "m", "z"}) api.put(t, put(row, "a", "q", "v" + row));
    eq("m/a:q=vm", text(api.get(t, get("m"))));
    eq("b/a:q=vb, m/a:q=vm, z/a:q=vz", text(api.scan(t, new Scan())));
    api.delete(t, new Delete(b("m")));
    eq("b z", rows(api.scan(t, new Scan())));
    discard(t);
    yes(!api.tableExists(t), "dropped table still exists");
  }

  public void the_cluster_answers() throws Exception {
    yes(!api.metrics().getLiveServerMetrics().isEmpty(), "no live server");
    has(api.namespaces(), "default");
  }
}
