import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.hbase.CompareOperator;
import org.apache.hadoop.hbase.filter.*;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.util.Pair;

/** HBase's filters and comparators at random. */
final class Filters {
  private static final int DEEPEST = 3;

  private final Draw draw;
  private final Schema schema;

  private final boolean reversed;

  /** `reversed`: for rows in descending order. */
  Filters(Draw draw, Schema schema, boolean reversed) {
    this.draw = draw;
    this.schema = schema;
    this.reversed = reversed;
  }

  Filter filter() { return filter(0); }

  private Filter filter(int depth) {
    int nested = depth < DEEPEST ? 1 : 0;
    return switch (draw.weighted(60, 20 * nested, 10 * nested, 5)) {
      case 0 -> draw.percent(55) ? ofCells(depth) : ofRows();
      case 1 -> list(depth);
      case 2 -> draw.coin() ? new SkipFilter(filter(depth + 1)) : new WhileMatchFilter(filter(depth + 1));
      default -> new FilterList(draw.of(FilterList.Operator.values()));
    };
  }

  private Filter list(int depth) {
    List<Filter> all = new ArrayList<>();
    for (int i = 0, n = draw.between(1, 3); i < n; i++) all.add(filter(depth + 1));
    return new FilterList(draw.of(FilterList.Operator.values()), all);
  }

  private Filter ofCells(int depth) {
    Filter drawn = anyOfCells(depth);
    return mayCompareValues() || !comparesValues(drawn) ? drawn : new QualifierFilter(CompareOperator.NOT_EQUAL, new BinaryComparator(draw.qualifier(schema)));
  }

  /** Not values that are in MOB files: filters see the length and the name of the file, which no two servers choose alike. */
  private boolean mayCompareValues() { return !schema.hasMobFiles(); }

  private static boolean comparesValues(Filter filter) {
    return filter instanceof ValueFilter || filter instanceof ColumnValueFilter || filter instanceof SingleColumnValueFilter
      || filter instanceof DependentColumnFilter dependent && dependent.getComparator() != null;
  }

  private Filter anyOfCells(int depth) {
    byte[] family = schema.family(draw), qualifier = draw.qualifier(schema);
    return switch (draw.below(16)) {
      case 0 -> new FamilyFilter(operator(), comparator(family));
      case 1 -> new QualifierFilter(operator(), comparator(qualifier));
      case 2 -> new ValueFilter(operator(), comparator(draw.value()));
      case 3 -> new DependentColumnFilter(family, qualifier, draw.coin());
      case 4 -> new DependentColumnFilter(family, qualifier, draw.coin(), operator(), comparator(draw.value()));
      case 5 -> singleColumn(new SingleColumnValueFilter(family, qualifier, operator(), comparator(draw.value())), depth);
      case 6 -> singleColumn(new SingleColumnValueExcludeFilter(family, qualifier, operator(), comparator(draw.value())), depth);
      case 7 -> new ColumnValueFilter(family, qualifier, operator(), comparator(draw.value()));
      case 8 -> new ColumnPrefixFilter(draw.percent(70) ? Draw.bytes("q") : qualifier);
      case 9 -> new MultipleColumnPrefixFilter(draw.coin() ? new byte[][] {qualifier} : new byte[][] {Draw.bytes("q"), Draw.bytes("x")});
      case 10 -> new ColumnRangeFilter(draw.percent(20) ? null : qualifier, draw.coin(), draw.percent(20) ? null : draw.qualifier(schema), draw.coin());
      case 11 -> !mayCount() ? new ColumnPrefixFilter(qualifier) : draw.coin() ? new ColumnPaginationFilter(draw.between(1, 3), draw.between(0, 2)) : new ColumnPaginationFilter(draw.between(1, 3), qualifier);
      case 12 -> mayCount() && (!reversed || KeptOut.COLUMN_COUNT_SCAN.isIn()) ? new ColumnCountGetFilter(draw.between(1, 3)) : new FirstKeyOnlyFilter();
      case 13 -> new FirstKeyOnlyFilter();
      // With the length as value it would be that of what stands there.
      case 14 -> new KeyOnlyFilter(draw.coin() && mayCompareValues());
      default -> timestamps();
    };
  }

  /** Not a column without a qualifier: how many cells of it a filter sees depends on the blocks of HBase's files. */
  private boolean mayCount() { return !schema.emptyQualifier || KeptOut.COUNTED_EMPTY_QUALIFIER.isIn(); }

  /**
   * Not "if missing" for one that excludes its column after that has passed at first (an older version may match, or others of a
   * list have theirs behind it): HBase then loads the other families, and forgets to ask the filter about the row.
   */
  private Filter singleColumn(SingleColumnValueFilter filter, int depth) {
    boolean mayBeMissing = !(filter instanceof SingleColumnValueExcludeFilter) || KeptOut.EXCLUDE_IF_MISSING.isIn();
    filter.setFilterIfMissing(mayBeMissing && draw.coin());
    filter.setLatestVersionOnly(draw.coin());
    if (!mayBeMissing && depth == 0) filter.setFilterIfMissing(filter.getLatestVersionOnly());
    return filter;
  }

  private Filter timestamps() {
    List<Long> all = new ArrayList<>();
    for (int i = 0, n = draw.between(0, 4); i < n; i++) all.add(draw.timestamp(schema));
    // With a hint HBase goes to a timestamp past the markers above it, and sees what they hide.
    boolean canHint = draw.coin() && !schema.leavesOutInMemory();
    return new TimestampsFilter(all, canHint);
  }

  private Filter ofRows() {
    byte[] row = draw.row(schema);
    return switch (draw.below(8)) {
      case 0 -> new RowFilter(operator(), comparator(row));
      // One byte: HBase compares as many bytes as the prefix has, also where the row has less.
      case 1 -> new PrefixFilter(KeptOut.LONG_PREFIX.isIn() ? row : Bytes.head(row, 1));
      case 2 -> new InclusiveStopFilter(row);
      case 3 -> new PageFilter(draw.between(1, 4));
      case 4 -> new RandomRowFilter(draw.of(-1f, 2f));
      case 5 -> reversed && !KeptOut.FUZZY_REVERSED.isIn() ? new InclusiveStopFilter(row) : new FuzzyRowFilter(List.of(fuzzy(), fuzzy()));
      case 6 -> new MultiRowRangeFilter(new ArrayList<>(List.of(range(), range())));
      default -> new FirstKeyOnlyFilter();
    };
  }

  private Pair<byte[], byte[]> fuzzy() {
    byte[] row = draw.row(schema);
    if (row.length > 10) row = Bytes.head(row, 3);
    byte[] mask = new byte[row.length];
    for (int i = 0; i < mask.length; i++) mask[i] = (byte) draw.below(2);
    return new Pair<>(row.clone(), mask);
  }

  private MultiRowRangeFilter.RowRange range() {
    byte[] a = draw.row(schema), b = draw.row(schema);
    boolean ordered = Bytes.compareTo(a, b) < 0;
    return new MultiRowRangeFilter.RowRange(ordered ? a : b, true, ordered ? b : a, true);
  }

  CompareOperator operator() { return draw.of(CompareOperator.values()); }

  ByteArrayComparable comparator(byte[] with) {
    // No LongComparator and BinaryComponentComparator: what is shorter than they expect makes HBase fail with an
    // IOException, and clients try that again and again.
    if (KeptOut.SHORT_VALUE.isIn()) return draw.coin() ? new LongComparator(7) : new BinaryComponentComparator(with, 2);
    return switch (draw.weighted(40, 15, 8, 8, 8, 8)) {
      case 0 -> new BinaryComparator(with);
      case 1 -> new BinaryPrefixComparator(with.length > 1 ? Bytes.head(with, with.length - draw.below(2)) : with);
      case 2 -> new SubstringComparator(draw.of("a", "Q", "1", "v"));
      case 3 -> new RegexStringComparator(draw.of("^a", "b.?$", "[qv]1?", "^$", "(a|v)"));
      case 4 -> new BitComparator(with, draw.of(BitComparator.BitwiseOp.values()));
      default -> new NullComparator();
    };
  }

  /** Whether a filter may say that nothing that follows can pass. */
  static boolean mayEnd(Filter filter) {
    if (filter instanceof FilterList list) return list.getFilters().stream().anyMatch(Filters::mayEnd);
    if (filter instanceof SkipFilter skip) return mayEnd(skip.getFilter());
    return filter instanceof WhileMatchFilter || filter instanceof PageFilter || filter instanceof PrefixFilter || filter instanceof InclusiveStopFilter
      || filter instanceof MultiRowRangeFilter || filter instanceof FuzzyRowFilter || filter instanceof ColumnCountGetFilter;
  }

  /** A filter with all that HBase's own text leaves out: its comparators' settings, in HBase's messages for them. */
  static String text(Filter filter) {
    if (filter instanceof FilterList list) return list.getOperator() + list.getFilters().stream().map(Filters::text).toList().toString();
    if (filter instanceof SkipFilter skip) return "Skip[" + text(skip.getFilter()) + "]";
    if (filter instanceof WhileMatchFilter match) return "WhileMatch[" + text(match.getFilter()) + "]";
    String text = filter.toString();
    if (filter instanceof CompareFilter compare && compare.getComparator() != null) text += " " + compare.getComparator().getClass().getSimpleName();
    if (filter instanceof SingleColumnValueFilter single) {
      text += " " + single.getComparator().getClass().getSimpleName() + (single.getFilterIfMissing() ? " if missing" : "") + (single.getLatestVersionOnly() ? " latest" : "");
    }
    if (filter instanceof DependentColumnFilter dependent) text += dependent.dropDependentColumn() ? " drop" : "";
    return text;
  }
}
