import static java.util.Arrays.asList;

import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Append;
import org.apache.hadoop.hbase.client.BufferedMutator;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Durability;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Increment;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Row;
import org.apache.hadoop.hbase.client.RowMutations;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.filter.CompareFilter.CompareOp;
import org.apache.hadoop.hbase.filter.ColumnPrefixFilter;
import org.apache.hadoop.hbase.filter.FilterList;
import org.apache.hadoop.hbase.filter.FirstKeyOnlyFilter;
import org.apache.hadoop.hbase.filter.KeyOnlyFilter;
import org.apache.hadoop.hbase.filter.PageFilter;
import org.apache.hadoop.hbase.filter.PrefixFilter;
import org.apache.hadoop.hbase.filter.RegexStringComparator;
import org.apache.hadoop.hbase.filter.RowFilter;
import org.apache.hadoop.hbase.filter.SingleColumnValueFilter;
import org.apache.hadoop.hbase.regionserver.NoSuchColumnFamilyException;
import org.apache.hadoop.hbase.util.Bytes;

/** Every operation on a table, by a thousand rows in three regions. */
final class OldData {
  private static final byte[] F = OldClient.F, G = OldClient.G, Q = OldClient.bytes("q"), N = OldClient.bytes("n");
  private static final int ROWS = 1000;

  private final OldClient client;
  private final TableName name;
  private final Table table;

  OldData(OldClient client, TableName name) throws Exception {
    this.client = client;
    this.name = name;
    client.create(name);
    try (Table open = client.connection.getTable(name)) {
      table = open;
      client.check("rows by a BufferedMutator", this::fill);
      client.check("get, exists, several gets", this::gets);
      client.check("versions, times, kinds of delete", this::versions);
      client.check("increment and append", this::counters);
      client.check("checkAndPut, checkAndDelete, checkAndMutate", this::conditions);
      client.check("mutateRow", this::mutateRow);
      client.check("batch of all kinds", this::batch);
      client.check("scans", this::scans);
      client.check("reversed and small scans", this::otherScans);
      client.check("partial results and batches of columns", this::largeRow);
      client.check("filters", this::filters);
      client.check("durabilities", this::durabilities);
      client.check("a family that is not there", this::noSuchFamily);
      client.check("after a flush and a compaction", this::files);
    }
  }

  private void fill() throws Exception {
    try (BufferedMutator mutator = client.connection.getBufferedMutator(name)) {
      for (int i = 0; i < ROWS; i++) {
        mutator.mutate(new Put(OldClient.row(i)).addColumn(F, Q, Bytes.toBytes(i)).addColumn(G, N, OldClient.bytes("n" + i % 10)));
      }
    }
  }

  private void gets() throws Exception {
    OldClient.same(Bytes.toBytes(7), table.get(new Get(OldClient.row(7))).getValue(F, Q));
    OldClient.same(false, table.exists(new Get(OldClient.row(7)).addColumn(F, N)));
    OldClient.same(true, table.exists(new Get(OldClient.row(7)).addColumn(G, N)));
    OldClient.same(true, table.get(new Get(OldClient.bytes("nobody"))).isEmpty());
    List<Get> gets = new ArrayList<>();
    for (int i = 0; i < ROWS; i += 3) gets.add(new Get(OldClient.row(i)).addFamily(F));
    Result[] found = table.get(gets);
    for (int i = 0; i < found.length; i++) OldClient.same(Bytes.toBytes(3 * i), found[i].value());
    boolean[] there = client.before2 ? existsAll(gets) : null;
    if (there != null) for (boolean each : there) OldClient.same(true, each);
  }

  /** Named differently in 2.x, where this name goes. */
  private boolean[] existsAll(List<Get> gets) throws Exception {
    return (boolean[]) Table.class.getMethod("existsAll", List.class).invoke(table, gets);
  }

  private void versions() throws Exception {
    byte[] row = OldClient.bytes("versions");
    for (long time = 1; time <= 7; time++) table.put(new Put(row, time).addColumn(F, Q, Bytes.toBytes(time)));
    Get all = new Get(row).setMaxVersions();
    OldClient.same(5, table.get(all).size());
    OldClient.same(2, table.get(new Get(row).setMaxVersions(2)).size());
    OldClient.same(Bytes.toBytes(4L), table.get(new Get(row).setTimeStamp(4)).value());
    OldClient.same(2, table.get(new Get(row).setTimeRange(4, 6).setMaxVersions()).size());
    table.delete(new Delete(row).addColumn(F, Q));
    OldClient.same(Bytes.toBytes(6L), table.get(new Get(row)).value());
    table.delete(new Delete(row).addColumn(F, Q, 5));
    table.delete(new Delete(row).addColumns(F, Q, 3));
    OldClient.same(2, table.get(all).size());
    table.delete(new Delete(row).addFamily(F));
    OldClient.same(true, table.get(all).isEmpty());
    // the client takes out of the list what is done
    table.delete(new ArrayList<>(asList(new Delete(OldClient.row(0)), new Delete(OldClient.row(999)))));
    OldClient.same(false, table.exists(new Get(OldClient.row(999))));
    table.put(asList(new Put(OldClient.row(0)).addColumn(F, Q, Bytes.toBytes(0)), new Put(OldClient.row(999)).addColumn(F, Q, Bytes.toBytes(999))));
  }

  private void counters() throws Exception {
    byte[] row = OldClient.bytes("counter");
    OldClient.same(3L, table.incrementColumnValue(row, F, N, 3));
    OldClient.same(1L, table.incrementColumnValue(row, F, N, -2, Durability.SKIP_WAL));
    Result both = table.increment(new Increment(row).addColumn(F, N, 4).addColumn(G, N, 1));
    OldClient.same(5L, Bytes.toLong(both.getValue(F, N)));
    OldClient.same(1L, Bytes.toLong(both.getValue(G, N)));
    table.append(new Append(row).add(F, Q, OldClient.bytes("ab")));
    OldClient.same(OldClient.bytes("abcd"), table.append(new Append(row).add(F, Q, OldClient.bytes("cd"))).getValue(F, Q));
    table.delete(new Delete(row));
  }

  private void conditions() throws Exception {
    byte[] row = OldClient.bytes("condition"), one = OldClient.bytes("1"), two = OldClient.bytes("2");
    Put put = new Put(row).addColumn(F, Q, one);
    OldClient.same(true, table.checkAndPut(row, F, Q, null, put));
    OldClient.same(false, table.checkAndPut(row, F, Q, null, put));
    OldClient.same(true, table.checkAndPut(row, F, Q, CompareOp.LESS, OldClient.bytes("0"), new Put(row).addColumn(F, Q, two)));
    RowMutations mutations = new RowMutations(row);
    mutations.add(new Put(row).addColumn(F, N, one));
    mutations.add(new Delete(row).addColumns(F, Q));
    OldClient.same(false, table.checkAndMutate(row, F, Q, CompareOp.EQUAL, one, mutations));
    OldClient.same(true, table.checkAndMutate(row, F, Q, CompareOp.EQUAL, two, mutations));
    OldClient.same(false, table.exists(new Get(row).addColumn(F, Q)));
    OldClient.same(false, table.checkAndDelete(row, F, N, two, new Delete(row)));
    OldClient.same(true, table.checkAndDelete(row, F, N, one, new Delete(row)));
    OldClient.same(false, table.exists(new Get(row)));
  }

  private void mutateRow() throws Exception {
    byte[] row = OldClient.bytes("mutations");
    table.put(new Put(row).addColumn(F, Q, Q));
    RowMutations mutations = new RowMutations(row);
    mutations.add(new Put(row).addColumn(F, N, N));
    mutations.add(new Delete(row).addColumns(F, Q));
    table.mutateRow(mutations);
    OldClient.same(1, table.get(new Get(row)).size());
    table.delete(new Delete(row));
  }

  private void batch() throws Exception {
    byte[] row = OldClient.bytes("batch"), other = OldClient.row(500);
    RowMutations mutations = new RowMutations(OldClient.bytes("batch-mutations"));
    mutations.add(new Put(mutations.getRow()).addColumn(F, Q, Q));
    List<Row> actions = asList(new Put(row).addColumn(F, Q, Q), new Get(other), new Increment(OldClient.bytes("batch-n")).addColumn(F, N, 2),
      new Append(OldClient.bytes("batch-a")).add(F, Q, Q), mutations, new Delete(OldClient.bytes("nobody")), new Put(OldClient.row(1)).addColumn(OldClient.bytes("none"), Q, Q));
    Object[] results = new Object[actions.size()];
    OldClient.refused(NoSuchColumnFamilyException.class, () -> {
      try {
        table.batch(actions, results);
      } catch (org.apache.hadoop.hbase.client.RetriesExhaustedWithDetailsException thrown) {
        OldClient.same(1, thrown.getNumExceptions());
        throw thrown.getCause(0) instanceof Exception ? (Exception) thrown.getCause(0) : thrown;
      }
    });
    OldClient.same(Bytes.toBytes(500), ((Result) results[1]).getValue(F, Q));
    OldClient.same(2L, Bytes.toLong(((Result) results[2]).value()));
    OldClient.same(true, results[6] instanceof Throwable);
    for (String each : new String[] {"batch", "batch-n", "batch-a", "batch-mutations"}) {
      OldClient.same(true, table.exists(new Get(OldClient.bytes(each))));
      table.delete(new Delete(OldClient.bytes(each)));
    }
  }

  private int count(Scan scan) throws Exception {
    int rows = 0;
    try (ResultScanner scanner = table.getScanner(scan)) {
      for (Result each : scanner) rows += each.isEmpty() ? 0 : 1;
    }
    return rows;
  }

  private void scans() throws Exception {
    OldClient.same(ROWS, count(new Scan()));
    OldClient.same(ROWS, count(new Scan().setCaching(7).addColumn(F, Q)));
    OldClient.same(ROWS - 2, count(new Scan().addFamily(G).setMaxResultSize(300)));
    OldClient.same(200, count(new Scan().setStartRow(OldClient.row(200)).setStopRow(OldClient.row(400))));
    OldClient.same(201, count(new Scan().withStartRow(OldClient.row(200)).withStopRow(OldClient.row(400), true)));
    OldClient.same(10, count(new Scan().setLimit(10)));
    OldClient.same(ROWS, count(new Scan().setRaw(true).setMaxVersions().setStartRow(OldClient.bytes("row-")).setStopRow(OldClient.bytes("row-z"))));
  }

  private void otherScans() throws Exception {
    try (ResultScanner scanner = table.getScanner(new Scan().setReversed(true).setStartRow(OldClient.row(700)).setStopRow(OldClient.row(250)))) {
      int expected = 700;
      for (Result each : scanner) OldClient.same(OldClient.row(expected--), each.getRow());
      OldClient.same(250, expected);
    }
    OldClient.same(ROWS, count(new Scan().setReversed(true).setCaching(100)));
    OldClient.same(600, count(new Scan().setSmall(true).setCaching(50).setStartRow(OldClient.row(100)).setStopRow(OldClient.row(700))));
    OldClient.same(100, count(new Scan().setSmall(true).setReversed(true).setStartRow(OldClient.row(350)).setStopRow(OldClient.row(250))));
  }

  private void largeRow() throws Exception {
    byte[] row = OldClient.bytes("large");
    Put put = new Put(row);
    for (int i = 0; i < 100; i++) put.addColumn(F, OldClient.row(i), new byte[1000]);
    table.put(put);
    Scan scan = new Scan().setStartRow(row).setStopRow(OldClient.bytes("largf")).setMaxResultSize(5000);
    try (ResultScanner scanner = table.getScanner(scan)) {
      OldClient.same(100, scanner.next().size());
    }
    int parts = 0, cells = 0;
    try (ResultScanner scanner = table.getScanner(new Scan(scan).setAllowPartialResults(true))) {
      for (Result each : scanner) {
        parts++;
        cells += each.size();
      }
    }
    OldClient.same(100, cells);
    OldClient.same(true, parts > 10);
    OldClient.same(15, count(new Scan().setStartRow(row).setStopRow(OldClient.bytes("largf")).setBatch(7)));
    OldClient.same(4, table.get(limited(row)).size());
    table.delete(new Delete(row));
  }

  private static Get limited(byte[] row) {
    Get get = new Get(row);
    get.setMaxResultsPerColumnFamily(4);
    get.setRowOffsetPerColumnFamily(10);
    return get;
  }

  private void filters() throws Exception {
    OldClient.same(100, count(new Scan().setFilter(new PrefixFilter(OldClient.bytes("row-4")))));
    OldClient.same(10, count(new Scan().setFilter(new RowFilter(CompareOp.EQUAL, new RegexStringComparator("row-12.")))));
    OldClient.same(ROWS / 10, count(new Scan().setFilter(lastDigit())));
    OldClient.same(ROWS, count(new Scan().setFilter(new FilterList(new FirstKeyOnlyFilter(), new KeyOnlyFilter()))));
    OldClient.same(ROWS - 2, count(new Scan().setFilter(new ColumnPrefixFilter(N))));
    OldClient.same(5, count(new Scan().setStartRow(OldClient.row(100)).setStopRow(OldClient.row(200)).setFilter(new PageFilter(5))));
  }

  private static SingleColumnValueFilter lastDigit() {
    SingleColumnValueFilter filter = new SingleColumnValueFilter(G, N, CompareOp.EQUAL, OldClient.bytes("n5"));
    filter.setFilterIfMissing(true);
    return filter;
  }

  private void durabilities() throws Exception {
    for (Durability durability : Durability.values()) {
      Put put = new Put(OldClient.bytes("durability"));
      put.setDurability(durability);
      put.setTTL(1_000_000);
      table.put(put.addColumn(F, Q, OldClient.bytes(durability.name())));
      OldClient.same(OldClient.bytes(durability.name()), table.get(new Get(put.getRow())).value());
    }
    table.delete(new Delete(OldClient.bytes("durability")));
  }

  private void noSuchFamily() throws Exception {
    OldClient.refused(NoSuchColumnFamilyException.class, () -> table.get(new Get(OldClient.row(1)).addFamily(OldClient.bytes("none"))));
    OldClient.refused(NoSuchColumnFamilyException.class, () -> count(new Scan().addFamily(OldClient.bytes("none"))));
  }

  private void files() throws Exception {
    client.admin.flush(name);
    client.admin.majorCompact(name);
    OldClient.same(ROWS, count(new Scan()));
    Result row = table.get(new Get(OldClient.row(123)));
    for (Cell cell : row.rawCells()) OldClient.same(OldClient.row(123), CellUtil.cloneRow(cell));
  }
}
