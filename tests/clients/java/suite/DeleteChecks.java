import java.util.Arrays;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.*;

/** The four kinds of delete, before and after a flush. */
final class DeleteChecks extends Checks {
  DeleteChecks(Api api, String tag) { super(api, tag); }

  private TableName filled(String row) throws Exception {
    TableName t = shared();
    for (int ts = 10; ts <= 30; ts += 10) {
      for (String q : new String[] {"p", "q"}) api.put(t, put(row, "a", q, ts, q + ts));
      api.put(t, put(row, "b", "x", ts, "x" + ts));
    }
    return t;
  }

  /** The versions of one row, as family:qualifier=value, before and after a flush: both must be the same. */
  private void left(String expected, TableName t, String row) throws Exception {
    for (boolean flushed : new boolean[] {false, true}) {
      if (flushed) api.flush(t);
      eq(expected, text(api.get(t, get(row).readAllVersions())).replace(row + "/", ""));
    }
  }

  public void one_version() throws Exception {
    TableName t = filled("version");
    api.delete(t, new Delete(b("version")).addColumn(A, Q, 20));
    left("a:p=p30 a:p=p20 a:p=p10 a:q=q30 a:q=q10 b:x=x30 b:x=x20 b:x=x10", t, "version");
  }

  public void the_newest_version() throws Exception {
    TableName t = filled("newest");
    api.delete(t, new Delete(b("newest")).addColumn(A, Q));
    left("a:p=p30 a:p=p20 a:p=p10 a:q=q20 a:q=q10 b:x=x30 b:x=x20 b:x=x10", t, "newest");
  }

  public void a_column_up_to_a_time() throws Exception {
    TableName t = filled("column");
    api.delete(t, new Delete(b("column")).addColumns(A, Q, 20));
    left("a:p=p30 a:p=p20 a:p=p10 a:q=q30 b:x=x30 b:x=x20 b:x=x10", t, "column");
  }

  public void a_whole_column() throws Exception {
    TableName t = filled("columns");
    api.delete(t, new Delete(b("columns")).addColumns(A, Q));
    left("a:p=p30 a:p=p20 a:p=p10 b:x=x30 b:x=x20 b:x=x10", t, "columns");
  }

  public void a_family_up_to_a_time() throws Exception {
    TableName t = filled("family");
    api.delete(t, new Delete(b("family")).addFamily(A, 20));
    left("a:p=p30 a:q=q30 b:x=x30 b:x=x20 b:x=x10", t, "family");
  }

  public void one_version_of_a_family() throws Exception {
    TableName t = filled("familyversion");
    api.delete(t, new Delete(b("familyversion")).addFamilyVersion(A, 20));
    left("a:p=p30 a:p=p10 a:q=q30 a:q=q10 b:x=x30 b:x=x20 b:x=x10", t, "familyversion");
  }

  public void a_row() throws Exception {
    TableName t = filled("row");
    api.delete(t, new Delete(b("row")));
    left("", t, "row");
    yes(!api.exists(t, get("row")), "exists");
  }

  public void a_delete_hides_an_older_put_that_comes_later() throws Exception {
    TableName t = shared();
    api.delete(t, new Delete(b("late")).addColumns(A, Q, 100));
    api.put(t, put("late", "a", "q", 50, "hidden"));
    left("", t, "late");
    api.put(t, put("late", "a", "q", 101, "seen"));
    left("a:q=seen", t, "late");
  }

  public void a_list() throws Exception {
    TableName t = filled("list1");
    filled("list2");
    api.deletes(t, Arrays.asList(new Delete(b("list1")).addFamily(A), new Delete(b("list2"))));
    left("b:x=x30 b:x=x20 b:x=x10", t, "list1");
    left("", t, "list2");
  }

  public void deleting_nothing_is_no_error() throws Exception {
    TableName t = shared();
    api.delete(t, new Delete(b("never")));
    api.delete(t, new Delete(b("never")).addColumn(A, Q));
    left("", t, "never");
  }

  public void a_raw_scan_shows_the_markers() throws Exception {
    TableName t = fresh("raw", new String[] {"a"});
    api.put(t, put("r", "a", "q", 10, "v"));
    api.delete(t, new Delete(b("r")).addColumns(A, Q, 20));
    eq("", stamped(api.scan(t, new Scan())));
    eq("r/a:q=@20DeleteColumn r/a:q=v@10Put |", stamped(api.scan(t, new Scan().setRaw(true).readAllVersions())));
    discard(t);
  }
}
