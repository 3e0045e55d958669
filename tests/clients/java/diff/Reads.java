import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.IsolationLevel;
import org.apache.hadoop.hbase.client.Query;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.io.TimeRange;
import org.apache.hadoop.hbase.util.Bytes;

/** Gets and scans at random. */
final class Reads {
  /** More results of a scan than any of these tables can have. */
  private static final int MOST_RESULTS = 20_000;

  private final Draw draw;
  private final Schema schema;

  Reads(Draw draw, Schema schema) {
    this.draw = draw;
    this.schema = schema;
  }

  Get get() throws IOException {
    Get get = new Get(draw.row(schema));
    for (int i = 0, n = draw.weighted(40, 40, 20); i < n; i++) {
      if (draw.percent(30)) get.addFamily(schema.family(draw));
      else get.addColumn(schema.family(draw), draw.qualifier(schema));
    }
    if (draw.percent(50)) get.readVersions(versions());
    if (draw.percent(30)) {
      long[] range = draw.timeRange(schema);
      get.setTimeRange(range[0], range[1]);
    }
    common(get);
    if (draw.percent(10)) get.setMaxResultsPerColumnFamily(draw.between(1, 3));
    if (draw.percent(10)) get.setRowOffsetPerColumnFamily(draw.between(0, 3));
    loadAll(get, get.getRowOffsetPerColumnFamily());
    if (draw.percent(8)) get.setCheckExistenceOnly(true);
    if (draw.percent(20)) get.setCacheBlocks(false);
    return get;
  }

  private int versions() { return draw.of(1, 2, 3, Integer.MAX_VALUE, Integer.MAX_VALUE); }

  private void common(Query query) {
    if (draw.percent(10)) {
      long[] range = draw.timeRange(schema);
      byte[] family = schema.family(draw);
      if (!schema.keepsHistoryApart() || KeptOut.HISTORY_OF_FAMILY.isIn()) query.setColumnFamilyTimeRange(family, range[0], range[1]);
    }
    if (draw.percent(35) && mayFilter(query)) query.setFilter(new Filters(draw, schema, query instanceof Scan scan && scan.isReversed()).filter());
    if (draw.percent(5)) query.setIsolationLevel(IsolationLevel.READ_UNCOMMITTED);
    if (draw.percent(10)) query.setLoadColumnFamiliesOnDemand(draw.coin());
  }

  /** HBase does not leave a named column where versions go by the order of writing. */
  private boolean mayFilter(Query query) {
    if (!schema.newVersionBehavior || KeptOut.NEW_VERSION_NAMED_COLUMNS.isIn()) return true;
    var columns = query instanceof Get get ? get.getFamilyMap() : ((Scan) query).getFamilyMap();
    return columns.values().stream().allMatch(qualifiers -> qualifiers == null);
  }

  /** When an offset leaves nothing of the families that a filter needs, HBase leaves out the others, which it would load then. */
  private static void loadAll(Query query, int offset) {
    if (query.getFilter() != null && offset > 0 && !KeptOut.OFFSET_ON_DEMAND.isIn()) query.setLoadColumnFamiliesOnDemand(false);
  }

  /** Nothing that ends a reply within a row: with it HBase ends a region where it would end a family. */
  private static void wholeReplies(Scan scan) {
    if (!scan.hasFilter() || !Filters.text(scan.getFilter()).contains("ColumnCountGetFilter") || KeptOut.COLUMN_COUNT_SCAN.isIn()) return;
    if (scan.getBatch() > 0) scan.setBatch(-1);
    scan.setAllowPartialResults(false).setMaxResultSize(-1);
    if (scan.getReadType() == Scan.ReadType.DEFAULT) scan.setReadType(Scan.ReadType.STREAM);
  }

  /** A scan that has read some blocks goes on as a stream, unless it was one from the beginning; its reply ends there. */
  private void stream(Scan scan) throws IOException {
    if (!scan.hasFilter() || scan.getReadType() != Scan.ReadType.DEFAULT) return;
    boolean mayLose = !KeptOut.ROW_LOST_ON_DEMAND.isIn() && mayLoseRow(scan);
    boolean mayEnd = !KeptOut.FILTER_DONE_AT_SWITCH.isIn() && schema.hasRegions() && Filters.mayEnd(scan.getFilter());
    if (mayLose || mayEnd) scan.setReadType(Scan.ReadType.STREAM);
  }

  private boolean mayLoseRow(Scan scan) throws IOException {
    if (scan.getFilter().hasFilterRow() || Boolean.FALSE.equals(scan.getLoadColumnFamiliesOnDemandValue())) return false;
    for (Schema.Family family : schema.families) {
      boolean isRead = !scan.hasFamilies() || scan.getFamilyMap().containsKey(family.name);
      if (isRead && !scan.getFilter().isFamilyEssential(family.name)) return true;
    }
    return false;
  }

  Scan scan() throws IOException {
    Scan scan = new Scan();
    boolean raw = draw.percent(12);
    if (raw) scan.setRaw(true);
    if (draw.percent(25)) scan.setReversed(true);
    range(scan);
    for (int i = 0, n = raw && draw.percent(95) ? 0 : draw.weighted(50, 30, 20); i < n; i++) {
      if (draw.percent(50)) scan.addFamily(schema.family(draw));
      else scan.addColumn(schema.family(draw), draw.qualifier(schema));
    }
    if (raw && !schema.mayLeaveMarkers()) {
      // Nothing that would make HBase leave a marker before the end of its column.
      delivery(scan.readAllVersions());
      return scan.setRaw(!schema.leavesOutInMemory());
    }
    if (draw.percent(60)) scan.readVersions(versions());
    if (draw.percent(30)) {
      long[] range = draw.timeRange(schema);
      scan.setTimeRange(range[0], range[1]);
    }
    common(scan);
    // There the filter's versions count markers too, and HBase may look for ever for what follows one.
    if (raw && scan.isReversed() && scan.hasFilter() && schema.emptyQualifier && !KeptOut.ENDLESS_SEEK.isIn()) scan.readAllVersions();
    delivery(scan);
    // As late as this, for the sake of what else a seed draws.
    return scan.setRaw(scan.isRaw() && !schema.leavesOutInMemory());
  }

  private void range(Scan scan) {
    byte[] a = draw.bound(schema), b = draw.bound(schema);
    int wanted = draw.weighted(25, 25, 50);
    if (wanted == 0) return;
    boolean ordered = Bytes.compareTo(a, b) <= 0 != scan.isReversed() || draw.percent(5);
    if (a.length == 0 || wanted == 1) scan.withStartRow(a, draw.percent(75));
    else scan.withStartRow(ordered ? a : b, draw.percent(75)).withStopRow(ordered ? b : a, draw.percent(40));
  }

  private void delivery(Scan scan) throws IOException {
    if (draw.percent(25)) scan.setCaching(draw.of(1, 2, 3, 100));
    if (draw.percent(15)) scan.setLimit(draw.between(1, 5));
    // With a limit the client counts rows by a flag that HBase also sets on a batch, or a piece, which ends with its row.
    if ((scan.getLimit() < 0 || KeptOut.BATCH_WITH_LIMIT.isIn()) && draw.percent(12) && !(scan.hasFilter() && scan.getFilter().hasFilterRow())) scan.setBatch(draw.between(1, 4));
    if (draw.percent(10) && (scan.getLimit() < 0 || KeptOut.BATCH_WITH_LIMIT.isIn())) scan.setAllowPartialResults(true);
    if (draw.percent(10)) scan.setMaxResultSize(draw.of(1L, 100L, 1000L));
    if (draw.percent(10)) scan.setMaxResultsPerColumnFamily(draw.between(1, 3));
    if (draw.percent(10)) scan.setRowOffsetPerColumnFamily(draw.between(0, 3));
    loadAll(scan, scan.getRowOffsetPerColumnFamily());
    if (draw.percent(20)) scan.setCacheBlocks(false);
    if (draw.percent(20)) scan.setReadType(draw.of(Scan.ReadType.values()));
    stream(scan);
    wholeReplies(scan);
    if (scan.getBatch() < 0 && draw.percent(5)) scan.setOneRowLimit();
    if (draw.percent(5)) scan.setAsyncPrefetch(true);
  }

  /**
   * All results; pieces of a row, whose size is the server's own choice, are put together. Whether a batch is the last of
   * its row is not compared: HBase says no when what is left of the row turns out to be nothing.
   */
  static String run(Table table, Scan scan) throws IOException {
    List<Result> results = new ArrayList<>();
    boolean pieces = scan.getAllowPartialResults();
    try (ResultScanner scanner = table.getScanner(scan)) {
      for (Result result; (result = scanner.next()) != null && results.size() < MOST_RESULTS;) results.add(result);
    }
    return pieces ? together(results) : Answer.results(results);
  }

  private static String together(List<Result> results) {
    StringBuilder text = new StringBuilder("pieces of rows");
    for (Result result : results) text.append('\n').append(Answer.result(result));
    return text.toString();
  }

  static String text(Get get) {
    return text(get, get.getMaxVersions(), get.getTimeRange(), get.getFamilyMap()).insert(0, "Get " + Answer.bytes(get.getRow()))
      .append(page(get.getRowOffsetPerColumnFamily(), get.getMaxResultsPerColumnFamily())).append(get.isCheckExistenceOnly() ? " existence" : "").toString();
  }

  static String text(Scan scan) {
    return text(scan, scan.getMaxVersions(), scan.getTimeRange(), scan.getFamilyMap())
      .insert(0, "Scan" + (scan.includeStartRow() ? " [" : " (") + Answer.bytes(scan.getStartRow()) + " " + Answer.bytes(scan.getStopRow())
        + (scan.includeStopRow() ? "]" : ")") + (scan.isRaw() ? " raw" : "") + (scan.isReversed() ? " reversed" : ""))
      .append(page(scan.getRowOffsetPerColumnFamily(), scan.getMaxResultsPerColumnFamily()))
      .append(" limit ").append(scan.getLimit()).append(" batch ").append(scan.getBatch()).append(" caching ").append(scan.getCaching())
      .append(scan.getAllowPartialResults() ? " partial" : "").append(" size ").append(scan.getMaxResultSize()).append(' ').append(scan.getReadType()).toString();
  }

  private static StringBuilder text(Query query, int versions, TimeRange times, Map<byte[], NavigableSet<byte[]>> columns) {
    StringBuilder text = new StringBuilder();
    columns.forEach((family, qualifiers) -> {
      if (qualifiers == null) text.append(' ').append(Answer.bytes(family));
      else qualifiers.forEach(qualifier -> text.append(' ').append(Answer.bytes(family)).append(':').append(Answer.bytes(qualifier)));
    });
    text.append(" versions ").append(versions == Integer.MAX_VALUE ? "all" : versions);
    if (!times.isAllTime()) text.append(" times ").append(times(times));
    query.getColumnFamilyTimeRange().forEach((family, range) -> text.append(" times of ").append(Answer.bytes(family)).append(' ').append(times(range)));
    if (query.getFilter() != null) text.append(" filter ").append(Filters.text(query.getFilter()));
    if (query.getLoadColumnFamiliesOnDemandValue() != null) text.append(" on demand ").append(query.getLoadColumnFamiliesOnDemandValue());
    if (query.getIsolationLevel() != IsolationLevel.READ_COMMITTED) text.append(' ').append(query.getIsolationLevel());
    return text;
  }

  static String times(TimeRange range) { return "[" + Answer.time(range.getMin()) + " " + (range.getMax() == Long.MAX_VALUE ? "" : Answer.time(range.getMax())) + ")"; }

  private static String page(int offset, int limit) { return (offset == 0 ? "" : " offset of family " + offset) + (limit < 0 ? "" : " limit of family " + limit); }
}
