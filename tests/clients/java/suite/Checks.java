import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.*;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * A group of checks: every public method without parameters is one, and passes when it returns. Results are compared as
 * text, `row/family:qualifier=value`, so that a failure says what came and what should have.
 */
abstract class Checks {
  static final byte[] A = b("a"), B = b("b"), Q = b("q");

  final Api api;
  /** Makes table names of this run differ from those of other runs against the same server. */
  final String tag;

  Checks(Api api, String tag) {
    this.api = api;
    this.tag = tag;
  }

  interface Action {
    void run() throws Exception;
  }

  static byte[] b(String s) { return s.getBytes(StandardCharsets.ISO_8859_1); }
  static String s(byte[] b) { return new String(b, StandardCharsets.ISO_8859_1); }
  static Put put(String row, String family, String qualifier, String value) {
    return new Put(b(row)).addColumn(b(family), b(qualifier), b(value));
  }
  static Put put(String row, String family, String qualifier, long ts, String value) {
    return new Put(b(row)).addColumn(b(family), b(qualifier), ts, b(value));
  }
  static Get get(String row) { return new Get(b(row)); }

  static String text(Cell c) {
    return s(CellUtil.cloneRow(c)) + "/" + s(CellUtil.cloneFamily(c)) + ":" + s(CellUtil.cloneQualifier(c)) + "="
      + s(CellUtil.cloneValue(c));
  }

  static String text(Result r) {
    List<String> cells = new ArrayList<>();
    if (r != null && !r.isEmpty()) for (Cell c : r.rawCells()) cells.add(text(c));
    return String.join(" ", cells);
  }

  static String text(List<Result> all) {
    List<String> rows = new ArrayList<>();
    for (Result r : all) rows.add(text(r));
    return String.join(", ", rows);
  }

  /** With timestamps and types. */
  static String stamped(List<Result> all) {
    List<String> cells = new ArrayList<>();
    for (Result r : all) {
      if (!r.isEmpty()) for (Cell c : r.rawCells()) cells.add(text(c) + "@" + c.getTimestamp() + c.getType());
      cells.add("|");
    }
    return String.join(" ", cells);
  }

  /** The rows only. */
  static String rows(List<Result> all) {
    List<String> rows = new ArrayList<>();
    for (Result r : all) rows.add(s(r.getRow()));
    return String.join(" ", rows);
  }

  static void eq(Object expected, Object got) {
    if (!Objects.equals(expected, got)) throw new AssertionError("expected <" + cut(expected) + "> got <" + cut(got) + ">");
  }

  private static String cut(Object o) {
    String s = String.valueOf(o);
    return s.length() <= 600 ? s : s.substring(0, 600) + "... (" + s.length() + " characters)";
  }

  static void yes(boolean fact, String what) {
    if (!fact) throw new AssertionError(what);
  }

  static void has(Collection<?> all, Object one) { yes(all.contains(one), all + " lacks " + one); }
  static void hasNot(Collection<?> all, Object one) { yes(!all.contains(one), all + " has " + one); }

  /** The action must end with this exception, or with one that carries it as a cause. */
  static Throwable fails(Class<? extends Throwable> kind, Action action) throws Exception {
    try {
      action.run();
    } catch (Exception e) {
      Throwable found = find(kind, e);
      if (found != null) return found;
      throw new AssertionError("expected " + kind.getSimpleName() + " got " + e, e);
    }
    throw new AssertionError("expected " + kind.getSimpleName() + ", but it succeeded");
  }

  static Throwable find(Class<? extends Throwable> kind, Throwable e) {
    for (Throwable t = e; t != null; t = t.getCause()) {
      if (kind.isInstance(t)) return t;
      if (t instanceof RetriesExhaustedWithDetailsException) {
        for (Throwable c : ((RetriesExhaustedWithDetailsException) t).getCauses()) {
          Throwable found = find(kind, c);
          if (found != null) return found;
        }
      }
    }
    return null;
  }

  TableName name(String short_) { return TableName.valueOf("suite_" + tag + "_" + short_); }

  static TableDescriptorBuilder table(TableName t, String... families) {
    TableDescriptorBuilder d = TableDescriptorBuilder.newBuilder(t);
    for (String f : families) d.setColumnFamily(ColumnFamilyDescriptorBuilder.of(f));
    return d;
  }

  /** A fresh table with these families, five versions each. */
  TableName fresh(String short_, String[] families, String... splits) throws Exception {
    TableName t = name(short_);
    discard(t);
    TableDescriptorBuilder d = TableDescriptorBuilder.newBuilder(t);
    for (String f : families) d.setColumnFamily(ColumnFamilyDescriptorBuilder.newBuilder(b(f)).setMaxVersions(5).build());
    byte[][] keys = new byte[splits.length][];
    for (int i = 0; i < splits.length; i++) keys[i] = b(splits[i]);
    api.create(d.build(), keys);
    return t;
  }

  void discard(TableName t) throws Exception {
    if (!api.tableExists(t)) return;
    if (!api.disabled(t)) api.disable(t);
    api.drop(t);
  }

  private TableName shared;

  /** A table with families a and b that the checks of this group share; each uses rows of its own. */
  TableName shared() throws Exception {
    if (shared == null) shared = fresh(getClass().getSimpleName(), new String[] {"a", "b"});
    return shared;
  }

  void finish() throws Exception {
    if (shared != null) discard(shared);
  }

  static int compare(byte[] x, byte[] y) { return Bytes.compareTo(x, y); }
}
