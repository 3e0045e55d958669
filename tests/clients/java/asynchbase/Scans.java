import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntPredicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.hbase.async.BinaryComparator;
import org.hbase.async.BinaryPrefixComparator;
import org.hbase.async.BitComparator;
import org.hbase.async.ColumnPaginationFilter;
import org.hbase.async.ColumnPrefixFilter;
import org.hbase.async.ColumnRangeFilter;
import org.hbase.async.CompareFilter.CompareOp;
import org.hbase.async.DependentColumnFilter;
import org.hbase.async.FamilyFilter;
import org.hbase.async.FilterList;
import org.hbase.async.FirstKeyOnlyFilter;
import org.hbase.async.FuzzyRowFilter;
import org.hbase.async.KeyOnlyFilter;
import org.hbase.async.KeyRegexpFilter;
import org.hbase.async.KeyValue;
import org.hbase.async.MultipleColumnPrefixFilter;
import org.hbase.async.NoSuchColumnFamilyException;
import org.hbase.async.QualifierFilter;
import org.hbase.async.RegexStringComparator;
import org.hbase.async.RemoteException;
import org.hbase.async.RowFilter;
import org.hbase.async.ScanFilter;
import org.hbase.async.Scanner;
import org.hbase.async.SubstringComparator;
import org.hbase.async.TimestampsFilter;
import org.hbase.async.ValueFilter;

/** Scans over the rows that {@link PointOperations} wrote: f:number and f:parity of each, in three regions. */
final class Scans {
  private final Asynchbase suite;

  Scans(Asynchbase suite) {
    this.suite = suite;
  }

  void run() throws Exception {
    suite.check("a scan of three regions", () -> numbers(scanner(), i -> true));
    suite.check("with a limit of bytes", () -> {
      Scanner scanner = scanner();
      scanner.setMaxNumBytes(5_000);
      numbers(scanner, i -> true);
    });
    suite.check("backwards", this::backwards);
    suite.check("few cells at a time", this::fewCells);
    suite.check("versions and time ranges", this::versions);
    suite.check("columns of several families", this::families);
    suite.check("a scan that is closed early, and a family that there is not", this::endings);
    filter("rows by an expression", new KeyRegexpFilter("row-0[135]...$"), i -> i / 1000 % 2 == 1);
    filter("rows up to one", new RowFilter(CompareOp.LESS_OR_EQUAL, new BinaryComparator(Asynchbase.b(Asynchbase.row(2500)))), i -> i <= 2500);
    filter("rows by a prefix", new RowFilter(CompareOp.EQUAL, new BinaryPrefixComparator(Asynchbase.b("row-021"))), i -> i / 100 == 21);
    filter("rows by a part", new RowFilter(CompareOp.EQUAL, new SubstringComparator("77")), i -> Asynchbase.row(i).contains("77"));
    filter("rows, fuzzy", new FuzzyRowFilter(new FuzzyRowFilter.FuzzyFilterPair(Asynchbase.b("row-0?3?5"), new byte[] {0, 0, 0, 0, 0, 1, 0, 1, 0})),
      i -> i / 100 % 10 == 3 && i % 10 == 5);
    filter("values", new ValueFilter(CompareOp.EQUAL, new RegexStringComparator("^(odd|4[0-9]*1)$")), i -> i % 2 == 1);
    filter("values by bits", new FilterList(List.of(new ColumnPrefixFilter("number"),
      new ValueFilter(CompareOp.EQUAL, new BitComparator(Asynchbase.b("1234"), BitComparator.BitwiseOp.XOR)))), i -> i >= 1000 && i != 1234);
    filter("one of several columns", new MultipleColumnPrefixFilter(new String[] {"nobodys", "num"}), i -> true);
    filter("columns of a range", new ColumnRangeFilter("a", true, "number", true), i -> true);
    filter("columns by page", new ColumnPaginationFilter(1, 0), i -> true);
    filter("columns by name", new QualifierFilter(CompareOp.NOT_EQUAL, new BinaryComparator(Asynchbase.b("parity"))), i -> true);
    filter("families", new FamilyFilter(CompareOp.EQUAL, new BinaryComparator(Asynchbase.b("f"))), i -> true);
    filter("first cells", new FirstKeyOnlyFilter(), i -> true);
    filter("timestamps", new TimestampsFilter(7L, 1000L), i -> true);
    suite.check("filter: columns that depend on another", this::dependentColumns);
    filter("all of several, one of several", new FilterList(List.of(
      new FilterList(List.of(new KeyRegexpFilter(".*1$"), new KeyRegexpFilter(".*8$")), FilterList.Operator.MUST_PASS_ONE),
      new RowFilter(CompareOp.GREATER, new BinaryComparator(Asynchbase.b(Asynchbase.row(3990)))))), i -> i > 3990 && (i % 10 == 1 || i % 10 == 8));
    suite.check("filter: keys alone", this::keysAlone);
  }

  private Scanner scanner() {
    Scanner scanner = suite.client.newScanner(Asynchbase.TABLE);
    scanner.setFamily("f");
    scanner.setStartKey("row-");
    scanner.setStopKey("row-99999");
    return scanner;
  }

  private void filter(String name, ScanFilter filter, IntPredicate wanted) throws Exception {
    suite.check("filter: " + name, () -> {
      Scanner scanner = scanner();
      scanner.setFilter(filter);
      numbers(scanner, wanted);
    });
  }

  /** The rows are those wanted, in order, and none comes twice; so are their numbers, where those come. */
  private void numbers(Scanner scanner, IntPredicate wanted) throws Exception {
    List<Integer> expected = IntStream.range(0, PointOperations.ROWS).filter(wanted).boxed().collect(Collectors.toList());
    List<Integer> found = new ArrayList<>();
    for (ArrayList<KeyValue> row : rows(scanner)) {
      found.add(Integer.parseInt(Asynchbase.s(row.get(0).key()).substring(4)));
      for (KeyValue cell : row) {
        if (Asynchbase.s(cell.qualifier()).equals("number")) Asynchbase.expect(found.get(found.size() - 1), Asynchbase.s(cell.value()));
      }
    }
    if (!expected.equals(found)) {
      throw new AssertionError(found.size() + " rows " + found.stream().limit(10).toList() + ", not " + expected.size() + " " + expected.stream().limit(10).toList());
    }
  }

  private static List<ArrayList<KeyValue>> rows(Scanner scanner) throws Exception {
    List<ArrayList<KeyValue>> rows = new ArrayList<>();
    for (ArrayList<ArrayList<KeyValue>> some; (some = Asynchbase.await(scanner.nextRows(300))) != null; ) rows.addAll(some);
    return rows;
  }

  private void backwards() throws Exception {
    Scanner scanner = suite.client.newScanner(Asynchbase.TABLE);
    scanner.setReversed(true);
    scanner.setStartKey(Asynchbase.row(4500));
    scanner.setStopKey(Asynchbase.row(1500));
    scanner.setFamily("f");
    scanner.setQualifier("number");
    int next = 4500;
    for (ArrayList<KeyValue> row : rows(scanner)) Asynchbase.expect(next--, Asynchbase.s(row.get(0).value()));
    Asynchbase.expect(1500, next);
  }

  /** One cell in each row of a reply: a row comes in two parts. */
  private void fewCells() throws Exception {
    Scanner scanner = scanner();
    scanner.setStopKey(Asynchbase.row(300));
    scanner.setMaxNumKeyValues(1);
    int parts = 0;
    for (ArrayList<KeyValue> row : rows(scanner)) {
      Asynchbase.expect(1, row.size());
      Asynchbase.expect(Asynchbase.row(parts / 2) + (parts % 2 == 0 ? " number" : " parity"), Asynchbase.s(row.get(0).key()) + " " + Asynchbase.s(row.get(0).qualifier()));
      parts++;
    }
    Asynchbase.expect(600, parts);
  }

  private void versions() throws Exception {
    Scanner scanner = suite.client.newScanner(Asynchbase.TABLE);
    scanner.setStartKey("versions");
    scanner.setFamily("f");
    scanner.setMaxVersions(3);
    scanner.setTimeRange(3, 7);
    List<ArrayList<KeyValue>> rows = rows(scanner);
    Asynchbase.expect(1, rows.size());
    Asynchbase.expect("q=at 6 q=at 5 q=at 4 ", PointOperations.text(rows.get(0)));
  }

  private void families() throws Exception {
    Scanner scanner = suite.client.newScanner(Asynchbase.TABLE);
    scanner.setStartKey("counters");
    scanner.setStopKey("counters\0");
    scanner.setFamilies(new byte[][] {Asynchbase.b("f"), Asynchbase.b("g")}, new byte[][][] {{Asynchbase.b("x")}, null});
    String found = rows(scanner).get(0).stream().map(c -> Asynchbase.s(c.family()) + ":" + Asynchbase.s(c.qualifier())).collect(Collectors.joining(" "));
    Asynchbase.expect("f:x g:x g:y", found);
  }

  private void endings() throws Exception {
    Scanner scanner = scanner();
    Asynchbase.expect(10, Asynchbase.await(scanner.nextRows(10)).size());
    Asynchbase.await(scanner.close());
    Scanner bad = scanner();
    bad.setFamily("nobodys");
    Asynchbase.refused(NoSuchColumnFamilyException.class, bad.nextRows());
  }

  /** It looks at whole rows: not together with a limit of cells for a row, which asynchbase has set unless told otherwise. */
  private void dependentColumns() throws Exception {
    ScanFilter filter = new DependentColumnFilter(Asynchbase.b("f"), Asynchbase.b("parity"), false, CompareOp.EQUAL,
      new BinaryComparator(Asynchbase.b("even")));
    Scanner cut = scanner();
    cut.setFilter(filter);
    Asynchbase.refused(RemoteException.class, cut.nextRows());
    Scanner whole = scanner();
    whole.setFilter(filter);
    whole.setMaxNumKeyValues(-1);
    numbers(whole, i -> i % 2 == 0);
  }

  private void keysAlone() throws Exception {
    Scanner scanner = scanner();
    scanner.setFilter(new KeyOnlyFilter(true));
    List<ArrayList<KeyValue>> rows = rows(scanner);
    Asynchbase.expect(PointOperations.ROWS, rows.size());
    Asynchbase.expect("[0, 0, 0, 4]", Arrays.toString(rows.get(1234).get(0).value()));
  }
}
