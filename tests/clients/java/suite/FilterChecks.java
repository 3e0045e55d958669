import java.util.Arrays;
import org.apache.hadoop.hbase.CompareOperator;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.*;
import org.apache.hadoop.hbase.filter.*;

/** Filters of HBase's own, in scans and gets. */
final class FilterChecks extends Checks {
  private TableName table;

  FilterChecks(Api api, String tag) { super(api, tag); }

  /** Rows f0..f9 in two regions; a:c1, a:c2, a:c3, with value = the row's digit in c1, `even` or `odd` in c2. */
  private TableName table() throws Exception {
    if (table != null) return table;
    table = fresh("filter", new String[] {"a", "b"}, "f5");
    for (int i = 0; i < 10; i++) {
      api.put(table, new Put(b("f" + i)).addColumn(A, b("c1"), b("" + i)).addColumn(A, b("c2"), b(i % 2 == 0 ? "even" : "odd"))
        .addColumn(A, b("c3"), b("third")));
    }
    api.put(table, put("g0", "b", "only", "here"));
    return table;
  }

  @Override
  void finish() throws Exception {
    if (table != null) discard(table);
  }

  private void expect(String rows, Filter f) throws Exception { eq(rows, rows(api.scan(table(), new Scan().setFilter(f)))); }

  private static SingleColumnValueFilter value(String qualifier, CompareOperator op, String value) {
    return new SingleColumnValueFilter(A, b(qualifier), op, b(value));
  }

  public void a_prefix_of_the_row() throws Exception { expect("g0", new PrefixFilter(b("g"))); }

  public void a_page_of_rows_per_region() throws Exception {
    eq("f0 f1 f2", rows(api.scan(table(), new Scan().setFilter(new PageFilter(3)).setLimit(3))));
    eq("f7 f6", rows(api.scan(table(), new Scan().withStartRow(b("f7")).withStopRow(b("f5")).setReversed(true).setFilter(new PageFilter(5)))));
  }

  public void the_row_compared() throws Exception {
    expect("f3", new RowFilter(CompareOperator.EQUAL, new BinaryComparator(b("f3"))));
    expect("f8 f9 g0", new RowFilter(CompareOperator.GREATER, new BinaryComparator(b("f7"))));
    expect("f1 f7", new RowFilter(CompareOperator.EQUAL, new RegexStringComparator("^f[17]$")));
    expect("g0", new RowFilter(CompareOperator.NOT_EQUAL, new SubstringComparator("F")));
  }

  public void the_first_cell_of_each_row_without_its_value() throws Exception {
    eq("f0/a:c1=0, f1/a:c1=1", text(api.scan(table(), new Scan().setFilter(new FirstKeyOnlyFilter()).setLimit(2))));
    eq("f0/a:c1=, f1/a:c1=", text(api.scan(table(),
      new Scan().setFilter(new FilterList(new FirstKeyOnlyFilter(), new KeyOnlyFilter())).setLimit(2))));
    byte[] length = api.scan(table(), new Scan().setFilter(new KeyOnlyFilter(true)).setOneRowLimit()).get(0).value();
    eq("[0, 0, 0, 1]", Arrays.toString(length));
  }

  public void the_value_of_one_column() throws Exception {
    expect("f0 f2 f4 f6 f8 g0", value("c2", CompareOperator.EQUAL, "even"));
    SingleColumnValueFilter f = value("c2", CompareOperator.EQUAL, "even");
    f.setFilterIfMissing(true);
    expect("f0 f2 f4 f6 f8", f);
    expect("f8 f9 g0", value("c1", CompareOperator.GREATER_OR_EQUAL, "8"));
  }

  public void pages_of_columns() throws Exception {
    eq("f0/a:c2=even f0/a:c3=third, f1/a:c2=odd f1/a:c3=third",
      text(api.scan(table(), new Scan().addFamily(A).setFilter(new ColumnPaginationFilter(2, 1)).setLimit(2))));
    eq("f0/a:c1=0 f0/a:c2=even", text(api.get(table(), get("f0").setFilter(new ColumnPaginationFilter(2, 0)))));
  }

  public void qualifiers_families_and_values() throws Exception {
    eq("f0/a:c2=even", text(api.get(table(), get("f0").setFilter(new QualifierFilter(CompareOperator.EQUAL, new BinaryComparator(b("c2")))))));
    eq("g0/b:only=here", text(api.scan(table(), new Scan().setFilter(new FamilyFilter(CompareOperator.EQUAL, new BinaryComparator(B))))));
    eq("f1/a:c2=odd", text(api.get(table(), get("f1").setFilter(new ValueFilter(CompareOperator.EQUAL, new BinaryComparator(b("odd")))))));
    eq("f0/a:c1=0 f0/a:c2=even", text(api.get(table(), get("f0").setFilter(new ColumnRangeFilter(b("c1"), true, b("c3"), false)))));
    eq("f0/a:c3=third", text(api.get(table(), get("f0").setFilter(new ColumnPrefixFilter(b("c3"))))));
  }

  public void all_of_and_one_of() throws Exception {
    expect("f6 f8", new FilterList(FilterList.Operator.MUST_PASS_ALL, new PrefixFilter(b("f")),
      value("c1", CompareOperator.GREATER, "5"), value("c2", CompareOperator.EQUAL, "even")));
    expect("f1 g0", new FilterList(FilterList.Operator.MUST_PASS_ONE, new PrefixFilter(b("g")),
      new RowFilter(CompareOperator.EQUAL, new BinaryComparator(b("f1")))));
  }

  public void ranges_skips_and_stops() throws Exception {
    expect("f2 f3 f7", new MultiRowRangeFilter(Arrays.asList(new MultiRowRangeFilter.RowRange("f2", true, "f4", false),
      new MultiRowRangeFilter.RowRange("f7", true, "f7", true))));
    expect("f0 f1 f2", new InclusiveStopFilter(b("f2")));
    expect("f0 f1 f2", new WhileMatchFilter(new RowFilter(CompareOperator.LESS, new BinaryComparator(b("f3")))));
    expect("f1 f3 f5 f7 f9 g0", new SkipFilter(new ValueFilter(CompareOperator.NOT_EQUAL, new BinaryComparator(b("even")))));
  }

  public void a_filter_that_nothing_passes_and_one_that_everything_passes() throws Exception {
    expect("", new PrefixFilter(b("nothing")));
    expect("f0 f1 f2 f3 f4 f5 f6 f7 f8 f9 g0", new RandomRowFilter(2f));
  }
}
