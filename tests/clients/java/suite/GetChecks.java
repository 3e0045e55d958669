import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.*;

/** Gets and existence. */
final class GetChecks extends Checks {
  GetChecks(Api api, String tag) { super(api, tag); }

  private TableName filled(String row) throws Exception {
    TableName t = shared();
    for (int ts = 10; ts <= 50; ts += 10) {
      for (String q : new String[] {"p", "q"}) api.put(t, put(row, "a", q, ts, q + ts));
    }
    api.put(t, put(row, "b", "x", 30, "x30"));
    return t;
  }

  public void the_newest_version_of_every_column() throws Exception {
    eq("newest/a:p=p50 newest/a:q=q50 newest/b:x=x30", text(api.get(filled("newest"), get("newest"))));
  }

  public void one_family_one_column_and_both() throws Exception {
    TableName t = filled("some");
    eq("some/b:x=x30", text(api.get(t, get("some").addFamily(B))));
    eq("some/a:q=q50", text(api.get(t, get("some").addColumn(A, Q))));
    eq("some/a:q=q50 some/b:x=x30", text(api.get(t, get("some").addColumn(A, Q).addFamily(B))));
    eq("", text(api.get(t, get("some").addColumn(A, b("none")))));
  }

  public void versions() throws Exception {
    TableName t = filled("versions");
    Get g = get("versions").addColumn(A, Q);
    eq("versions/a:q=q50 versions/a:q=q40", text(api.get(t, new Get(g).readVersions(2))));
    eq(5, api.get(t, new Get(g).readAllVersions()).size());
    api.put(t, put("versions", "a", "q", 60, "q60"));
    eq(5, api.get(t, new Get(g).readAllVersions()).size());
  }

  public void a_time_range_and_a_timestamp() throws Exception {
    TableName t = filled("times");
    eq("times/a:q=q30 times/a:q=q20", text(api.get(t, get("times").addColumn(A, Q).setTimeRange(20, 40).readAllVersions())));
    eq("times/a:p=p20 times/a:q=q20", text(api.get(t, get("times").setTimestamp(20))));
    eq("times/a:q=q20 times/b:x=x30", text(api.get(t, get("times").addColumn(A, Q).addFamily(B)
      .setColumnFamilyTimeRange(A, 20, 21).setColumnFamilyTimeRange(B, 30, 31))));
  }

  public void a_page_of_columns() throws Exception {
    TableName t = shared();
    Put p = new Put(b("page"));
    for (char c = 'a'; c <= 'j'; c++) p.addColumn(A, b("" + c), b("v" + c));
    api.put(t, p);
    eq("page/a:c=vc page/a:d=vd page/a:e=ve",
      text(api.get(t, get("page").setRowOffsetPerColumnFamily(2).setMaxResultsPerColumnFamily(3))));
  }

  public void a_row_that_is_not_there_is_an_empty_result() throws Exception {
    yes(api.get(shared(), get("nobody")).isEmpty(), "not empty");
  }

  public void a_list_answers_in_its_order() throws Exception {
    TableName t = shared();
    api.put(t, put("list1", "a", "q", "v1"));
    api.put(t, put("list3", "a", "q", "v3"));
    List<Get> gets = Arrays.asList(get("list3"), get("list2"), get("list1"));
    eq("list3/a:q=v3, , list1/a:q=v1", text(api.gets(t, gets)));
    eq("[true, false, true]", api.existsEach(t, gets).toString());
  }

  public void a_list_over_many_regions() throws Exception {
    TableName t = fresh("gets", new String[] {"a"}, "e", "j", "o", "t");
    String[] rows = "a c e g i k m o q s u w y".split(" ");
    for (String row : rows) api.put(t, put(row, "a", "q", row));
    List<Get> gets = Arrays.stream("y a o e j u c".split(" ")).map(Checks::get).collect(Collectors.toList());
    eq("y/a:q=y, a/a:q=a, o/a:q=o, e/a:q=e, , u/a:q=u, c/a:q=c", text(api.gets(t, gets)));
    discard(t);
  }

  public void existence_of_a_row_and_of_a_column() throws Exception {
    TableName t = filled("there");
    yes(api.exists(t, get("there")), "row is not there");
    yes(api.exists(t, get("there").addColumn(A, Q)), "column is not there");
    yes(!api.exists(t, get("there").addColumn(A, b("no"))), "no such column");
    yes(!api.exists(t, get("not_there")), "no such row");
    yes(api.get(t, get("there").setCheckExistenceOnly(true)).getExists(), "existence only");
  }

  public void an_empty_qualifier_and_an_empty_value() throws Exception {
    TableName t = shared();
    api.put(t, put("empty", "a", "", ""));
    Result r = api.get(t, get("empty"));
    eq("empty/a:=", text(r));
    eq("empty/a:=", text(api.get(t, get("empty").addColumn(A, b("")))));
  }

  public void bytes_of_every_kind_in_rows_qualifiers_and_values() throws Exception {
    TableName t = fresh("bytes", new String[] {"a"}, "\u0000\u0001", ",", "\u00ff");
    String[] rows = {"\u0000", "\u0000\u0000", "\u0000\u0001", "\u0001,\u0000", ",", ",,,", "a,b,c.d", "\u00ff", "\u00ff\u00ff",
      "\u00ff\u00ff\u0000"};
    for (String row : rows) api.put(t, put(row, "a", row + "\u0000", row + "\u00ff"));
    for (String row : rows) eq(row + "/a:" + row + "\u0000=" + row + "\u00ff", text(api.get(t, get(row))));
    List<Result> all = api.scan(t, new Scan());
    eq(String.join(" ", rows), rows(all));
    eq("\u00ff\u00ff\u0000 \u00ff\u00ff \u00ff", rows(api.scan(t, new Scan().setReversed(true).setLimit(3))));
    eq(", ,,,", rows(api.scan(t, new Scan().withStartRow(b(",")).withStopRow(b(",,,"), true))));
    discard(t);
  }
}
