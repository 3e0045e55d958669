import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.*;

/** Scans over a table of four regions: rows r00 to r29, every row with a:q, every third with b:x. */
final class ScanChecks extends Checks {
  private static final int ROWS = 30;
  private TableName table;

  ScanChecks(Api api, String tag) { super(api, tag); }

  private static String row(int i) { return String.format("r%02d", i); }

  /** `r05 r06 r07` for (5, 7), downwards when the first is the larger. */
  private static String range(int from, int to) {
    List<String> rows = new ArrayList<>();
    for (int i = from;; i += from <= to ? 1 : -1) {
      rows.add(row(i));
      if (i == to) return String.join(" ", rows);
    }
  }

  private TableName table() throws Exception {
    if (table != null) return table;
    table = fresh("scan", new String[] {"a", "b"}, "r08", "r16", "r24");
    List<Put> puts = new ArrayList<>();
    for (int i = 0; i < ROWS; i++) {
      puts.add(put(row(i), "a", "q", 10, "old" + i));
      if (i % 3 == 0) puts.add(put(row(i), "b", "x", 30, "x" + i));
    }
    api.puts(table, puts);
    api.flush(table); // half of what is read is in files, half in memory
    puts.clear();
    for (int i = 0; i < ROWS; i++) puts.add(put(row(i), "a", "q", 20, "new" + i));
    api.puts(table, puts);
    return table;
  }

  @Override
  void finish() throws Exception {
    if (table != null) discard(table);
  }

  private void expect(String rows, Scan s) throws Exception { eq(rows, rows(api.scan(table(), s))); }
  private static Scan from(int i) { return new Scan().withStartRow(b(row(i))); }

  public void everything_forward_and_reversed() throws Exception {
    expect(range(0, 29), new Scan());
    expect(range(29, 0), new Scan().setReversed(true));
  }

  public void start_and_stop_inclusive_and_exclusive() throws Exception {
    expect(range(5, 18), from(5).withStopRow(b("r19")));
    expect(range(5, 19), from(5).withStopRow(b("r19"), true));
    expect(range(6, 18), new Scan().withStartRow(b("r05"), false).withStopRow(b("r19")));
    expect(range(7, 9), new Scan().withStartRow(b("r06z")).withStopRow(b("r09z")));
    expect("", from(29).withStartRow(b("r29"), false));
    expect("r08", from(8).withStopRow(b("r08"), true));
  }

  public void start_and_stop_reversed() throws Exception {
    expect(range(19, 6), from(19).withStopRow(b("r05")).setReversed(true));
    expect(range(19, 5), from(19).withStopRow(b("r05"), true).setReversed(true));
    expect(range(18, 6), new Scan().withStartRow(b("r19"), false).withStopRow(b("r05")).setReversed(true));
    expect(range(16, 0), from(16).setReversed(true));
    expect(range(15, 0), new Scan().withStartRow(b("r16"), false).setReversed(true));
    expect(range(29, 24), new Scan().withStartRow(b("zzz")).withStopRow(b("r23")).setReversed(true));
  }

  public void a_prefix() throws Exception {
    expect(range(10, 19), new Scan().setStartStopRowForPrefixScan(b("r1")));
  }

  public void a_limit() throws Exception {
    expect(range(0, 9), new Scan().setLimit(10));
    expect(range(20, 11), from(20).setReversed(true).setLimit(10));
    expect("r00", new Scan().setOneRowLimit());
    expect(range(0, 29), new Scan().setLimit(1000));
  }

  public void every_size_of_batch_of_rows() throws Exception {
    for (int caching : new int[] {1, 3, 7, 30, 1000}) {
      expect(range(0, 29), new Scan().setCaching(caching));
      expect(range(29, 0), new Scan().setCaching(caching).setReversed(true));
    }
  }

  public void both_ways_of_reading() throws Exception {
    expect(range(0, 29), new Scan().setReadType(Scan.ReadType.PREAD).setCacheBlocks(false));
    expect(range(0, 29), new Scan().setReadType(Scan.ReadType.STREAM));
    expect(range(0, 29), new Scan().setIsolationLevel(IsolationLevel.READ_UNCOMMITTED));
    expect(range(0, 29), new Scan().setAsyncPrefetch(true).setCaching(2));
  }

  public void columns_and_families() throws Exception {
    eq("r03/b:x=x3, r06/b:x=x6", text(api.scan(table(), from(1).withStopRow(b("r08")).addFamily(B))));
    eq("r03/a:q=new3 r03/b:x=x3, r04/a:q=new4", text(api.scan(table(), from(3).addColumn(A, Q).addFamily(B).setLimit(2))));
    expect("", new Scan().addColumn(A, b("none")));
  }

  public void versions_and_time_ranges() throws Exception {
    eq("r01/a:q=new1 r01/a:q=old1", text(api.scan(table(), from(1).readAllVersions().setOneRowLimit())));
    eq("r01/a:q=old1", text(api.scan(table(), from(1).setTimeRange(0, 20).setOneRowLimit())));
    eq("r01/a:q=old1", text(api.scan(table(), from(1).setTimestamp(10).setOneRowLimit())));
    expect("", new Scan().setTimeRange(21, 30));
    eq("r00/b:x=x0", text(api.scan(table(), new Scan().addFamily(B).setColumnFamilyTimeRange(B, 30, 31).setOneRowLimit())));
  }

  public void a_page_of_columns_in_every_row() throws Exception {
    eq("r00/a:q=new0", text(api.scan(table(), new Scan().addFamily(A).readAllVersions().setMaxResultsPerColumnFamily(1).setOneRowLimit())));
  }

  public void a_scanner_closed_early_and_many_open_at_once() throws Exception {
    List<ResultScanner> open = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      ResultScanner s = api.scanner(table(), from(i).setCaching(2));
      eq(row(i), s(s.next().getRow()));
      open.add(s);
    }
    for (int i = 0; i < 20; i++) eq(row(i + 1), s(open.get(i).next().getRow()));
    for (ResultScanner s : open) s.close();
    expect(range(0, 29), new Scan());
  }

  /** Ten rows of 40 cells of 1 KB. */
  private TableName wide() throws Exception {
    TableName t = name("wide");
    if (api.tableExists(t)) return t;
    fresh("wide", new String[] {"a"}, "w5");
    for (int r = 0; r < 10; r++) {
      Put p = new Put(b("w" + r));
      for (int q = 0; q < 40; q++) p.addColumn(A, b(String.format("q%02d", q)), new byte[1024]);
      api.put(t, p);
    }
    return t;
  }

  private static void cellsInOrder(int rows, int cellsPerRow, List<Result> parts) {
    int n = 0;
    for (Result r : parts) {
      for (org.apache.hadoop.hbase.Cell c : r.rawCells()) {
        eq(String.format("w%d/a:q%02d", n / cellsPerRow, n % cellsPerRow), text(c).substring(0, 8));
        n++;
      }
    }
    eq(rows * cellsPerRow, n);
  }

  public void wide_rows_in_batches_of_cells() throws Exception {
    List<Result> parts = api.scan(wide(), new Scan().setBatch(7));
    cellsInOrder(10, 40, parts);
    eq(60, parts.size()); // 40 cells in parts of 7: five full ones and one of five
    for (int i = 0; i < parts.size(); i++) eq(i % 6 == 5 ? 5 : 7, parts.get(i).size());
  }

  public void wide_rows_in_partial_results() throws Exception {
    List<Result> parts = api.scan(wide(), new Scan().setAllowPartialResults(true).setMaxResultSize(10_000));
    cellsInOrder(10, 40, parts);
    yes(parts.size() > 20, "rows of 40 KB came in " + parts.size() + " parts of at most 10 KB");
    yes(parts.get(0).mayHaveMoreCellsInRow(), "the first part does not say that more follows");
  }

  public void wide_rows_are_glued_together_when_partials_are_not_wanted() throws Exception {
    List<Result> whole = api.scan(wide(), new Scan().setMaxResultSize(10_000));
    cellsInOrder(10, 40, whole);
    eq(10, whole.size());
  }

  public void wide_rows_reversed_and_cut_by_size() throws Exception {
    List<Result> whole = api.scan(wide(), new Scan().setMaxResultSize(10_000).setReversed(true));
    eq("w9 w8 w7 w6 w5 w4 w3 w2 w1 w0", rows(whole));
    for (Result r : whole) eq(40, r.size());
    discard(wide()); // the last of the wide checks by name
  }

  public void what_is_written_later_is_not_seen_by_an_open_scanner_of_a_region() throws Exception {
    TableName t = fresh("snapshot", new String[] {"a"});
    for (int i = 0; i < 10; i++) api.put(t, put(row(i), "a", "q", "before"));
    try (ResultScanner s = api.scanner(t, new Scan().setCaching(2).setReadType(Scan.ReadType.STREAM))) {
      s.next();
      for (int i = 0; i < 10; i++) api.put(t, put(row(i), "a", "q", "after"));
      api.flush(t);
      for (Result r; (r = s.next()) != null;) eq("before", s(r.value()));
    }
    discard(t);
  }

  public void a_scan_of_an_empty_table() throws Exception {
    TableName t = fresh("empty", new String[] {"a"}, "m");
    eq("", rows(api.scan(t, new Scan())));
    eq("", rows(api.scan(t, new Scan().setReversed(true))));
    discard(t);
  }
}
