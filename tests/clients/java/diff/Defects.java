import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.hadoop.hbase.CompareOperator;
import org.apache.hadoop.hbase.MemoryCompactionPolicy;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.filter.BinaryComparator;
import org.apache.hadoop.hbase.filter.ColumnCountGetFilter;
import org.apache.hadoop.hbase.filter.ColumnPaginationFilter;
import org.apache.hadoop.hbase.filter.MultiRowRangeFilter;
import org.apache.hadoop.hbase.filter.MultiRowRangeFilter.RowRange;
import org.apache.hadoop.hbase.filter.PrefixFilter;
import org.apache.hadoop.hbase.filter.RowFilter;
import org.apache.hadoop.hbase.filter.WhileMatchFilter;
import org.apache.hadoop.hbase.util.Bytes;

/** HBase's own defects that no seed meets, each by a sequence of its own; docs/compatibility.md says what they are. */
final class Defects {
  private static final byte[] FAMILY = Draw.bytes("f"), OTHER = Draw.bytes("g"), QUALIFIER = Draw.bytes("q"), VALUE = Draw.bytes("v"), NONE = new byte[0];
  private static final int TTL_S = 3600;
  /** The one in which HBase never answers. */
  private static final String ENDLESS = "endless-seek";

  private Defects() {}

  /** One table, what is written to it, and a question that the two servers answer otherwise. */
  private record Sequence(ColumnFamilyDescriptorBuilder family, Map<String, String> settings, byte[][] splits, Operation.Body writes, Operation.Body question) {
    Sequence(ColumnFamilyDescriptorBuilder family, Operation.Body writes, Operation.Body question) { this(family, Map.of(), null, writes, question); }

    String answer(Server server, String name) {
      try (Target target = new Target(server, TableName.valueOf("defect_" + name.replace('-', '_')))) {
        TableDescriptorBuilder table = TableDescriptorBuilder.newBuilder(target.name).setValue("hbase.table.sanity.checks", "false")
          .setColumnFamily(family.build()).setColumnFamily(ColumnFamilyDescriptorBuilder.of(OTHER));
        settings.forEach(table::setValue);
        target.admin.createTable(table.build(), splits);
        writes.run(target);
        return question.run(target);
      } catch (Exception thrown) {
        return Answer.thrown(thrown);
      }
    }
  }

  /** Shows those of a list, divided by commas, or all; whether HBase has all of them, and Finback none. */
  static boolean show(String list, Server hbase, Server finback) throws IOException {
    Map<String, Sequence> all = all();
    List<String> names = list.equals("all") ? new ArrayList<>(all.keySet()) : Arrays.asList(list.split(","));
    for (String name : names) if (!all.containsKey(name)) throw new IllegalArgumentException("no defect " + name + " has a sequence; there are: " + String.join(" ", all.keySet()));
    int shown = 0;
    for (String name : names) {
      String here = all.get(name).answer(finback, name), there = all.get(name).answer(hbase, name);
      boolean differ = !here.equals(there) && !here.contains("Exception") && there.contains("Exception") == name.equals(ENDLESS);
      if (differ) shown++;
      System.out.printf("%s %s%n%s", differ ? "shown" : "NOT SHOWN", name, Difference.sides(there, here));
    }
    System.out.printf("%d of %d defects of HBase shown%n", shown, names.size());
    return shown == names.size();
  }

  private static Map<String, Sequence> all() throws IOException {
    Map<String, Sequence> all = new TreeMap<>();
    all.put("prefix-ends-in-ff", new Sequence(family(), rows("a", "a\u00ffb", "b"), scan(new Scan().setReversed(true).setFilter(new PrefixFilter(latin("a\u00ff"))))));
    all.put("last-range-open", new Sequence(family(), rows("a", "b", "c", "d"),
      scan(new Scan().setReversed(true).setFilter(new MultiRowRangeFilter(new ArrayList<>(List.of(new RowRange("a", true, "b", true), new RowRange("d", true, "", false))))))));
    all.put("page-beyond-int", new Sequence(family(), target -> {
      target.table.put(new Put(latin("a")).addColumn(FAMILY, latin("q1"), VALUE).addColumn(FAMILY, latin("q2"), VALUE));
      return "";
    }, scan(new Scan().setFilter(new ColumnPaginationFilter(Integer.MAX_VALUE, 1)))));
    all.put("ttl-overflow", new Sequence(family(), target -> {
      target.table.put(new Put(latin("a")).addColumn(FAMILY, QUALIFIER, VALUE).setTTL(Long.MAX_VALUE - 1));
      return "";
    }, scan(new Scan())));
    all.put("twice-at-once", new Sequence(family().setInMemoryCompaction(MemoryCompactionPolicy.BASIC), Map.of("hbase.memstore.inmemoryflush.threshold.factor", "0.00001"), null,
      Defects::writeTwiceAtOnce, Defects::countSeconds));
    all.put("column-count-scan", new Sequence(family().setBlocksize(64), Defects::writeColumns, scan(new Scan().setFilter(new ColumnCountGetFilter(2)))));
    all.put("filter-done-at-switch", new Sequence(family().setBlocksize(64), Map.of(), new byte[][] {latin("b")}, Defects::writeBlocks, Defects::scanWhile));
    all.put(ENDLESS, new Sequence(family(), Defects::writeExpired, scan(new Scan())));
    return all;
  }

  private static byte[] latin(String text) { return text.getBytes(java.nio.charset.StandardCharsets.ISO_8859_1); }

  private static ColumnFamilyDescriptorBuilder family() { return ColumnFamilyDescriptorBuilder.newBuilder(FAMILY); }

  private static Operation.Body rows(String... rows) {
    return target -> {
      for (String row : rows) target.table.put(new Put(latin(row)).addColumn(FAMILY, QUALIFIER, 1, VALUE));
      return "";
    };
  }

  /** Each server's client changes what it sends: a copy. */
  private static Operation.Body scan(Scan scan) { return target -> Reads.run(target.table, new Scan(scan)); }

  /** Puts of two values to one column at one time; some come just before memory is flushed into a segment, and some fall apart there. */
  private static String writeTwiceAtOnce(Target target) throws IOException {
    for (int i = 0; i < 100; i++) {
      byte[] first = Draw.filled(i * 20, (byte) '1'), second = Draw.bytes("second");
      target.table.put(new Put(Bytes.toBytes(i)).addColumn(FAMILY, QUALIFIER, 1, first).addColumn(FAMILY, QUALIFIER, 1, second));
    }
    return "";
  }

  private static String countSeconds(Target target) throws IOException {
    String answer = Reads.run(target.table, new Scan());
    return "the second counts in " + answer.lines().filter(line -> line.endsWith("=second")).count() + " of 100 rows";
  }

  /** The third column of a row is as far as a scan goes with single reads of four blocks. */
  private static String writeColumns(Target target) throws IOException {
    Put put = new Put(latin("a"));
    for (int i = 0; i < 5; i++) put.addColumn(FAMILY, latin("q" + i), 1, Draw.filled(80, (byte) 'v'));
    target.table.put(put);
    target.table.put(new Put(latin("b")).addColumn(OTHER, QUALIFIER, 1, VALUE));
    return "";
  }

  /** Ten rows in each of two regions, each in a block of its own. */
  private static String writeBlocks(Target target) throws Exception {
    for (String region : List.of("a", "b")) {
      for (int i = 0; i < 10; i++) target.table.put(new Put(latin(region + i)).addColumn(FAMILY, QUALIFIER, 1, Draw.filled(100, (byte) 'v')));
    }
    target.flush();
    return "";
  }

  /** How many rows of the second region come after as many of the first as a filter lets pass: at one of these reads change. */
  private static String scanWhile(Target target) throws IOException {
    StringBuilder text = new StringBuilder();
    for (int i = 1; i < 10; i++) {
      String end = "a" + i;
      // of the first region those below the end, and of the second all
      var below = new WhileMatchFilter(new org.apache.hadoop.hbase.filter.FilterList(org.apache.hadoop.hbase.filter.FilterList.Operator.MUST_PASS_ONE,
        new RowFilter(CompareOperator.LESS, new BinaryComparator(latin(end))), new RowFilter(CompareOperator.GREATER_OR_EQUAL, new BinaryComparator(latin("b")))));
      String answer = Reads.run(target.table, new Scan().setFilter(below));
      text.append("below ").append(end).append(": ").append(answer.lines().filter(line -> line.startsWith("b")).count()).append(" rows of the second region\n");
    }
    return text.toString();
  }

  /**
   * Two files, since a flush leaves out what is hidden: a cell in the column of the empty qualifier, and a
   * marker that hides it. Each has a cell that will not expire too, or nobody would look into the file.
   */
  private static String writeExpired(Target target) throws IOException {
    target.table.put(new Put(latin("a")).addColumn(FAMILY, QUALIFIER, VALUE));
    target.table.put(new Put(latin("a")).addColumn(FAMILY, NONE, 5, VALUE));
    target.flush();
    target.table.delete(new Delete(latin("a")).addColumn(FAMILY, NONE, 5));
    target.table.put(new Put(latin("b")).addColumn(FAMILY, QUALIFIER, VALUE));
    target.flush();
    target.admin.modifyColumnFamily(target.name, family().setTimeToLive(TTL_S).build());
    return "";
  }
}
