package org.apache.hadoop.hbase.regionserver;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * What is written, and what must be there: in each round every row gets three versions in each family, then some rows lose the
 * last one, and some the others. A value follows from its key.
 */
final class Values {
  static final byte[] QUALIFIER = Bytes.toBytes("q");
  static final int ROWS = 40, BATCHES = 3;
  /** All versions of three rounds. */
  static final int VERSIONS = 3 * BATCHES;

  /** A family, and the bytes above which its values are in MOB files: none's, if that is negative. In the order of their names. */
  record Family(String name, int threshold) {
    boolean hasMobFiles() { return threshold >= 0; }

    byte[] bytes() { return Bytes.toBytes(name); }
  }

  static final List<Family> FAMILIES =
    List.of(new Family("listed", 100), new Family("none", 1000), new Family("packed", 1000), new Family("plain", -1));

  /** Below each threshold, at it and above. */
  private static final int[] LENGTHS = {0, 10, 100, 101, 999, 1000, 1001, 5000, 100_000};
  private static final int LARGE_ROW = 7, LARGE_BYTES = 3 << 20;

  private Values() {}

  static Family family(Cell cell) {
    String name = Bytes.toString(CellUtil.cloneFamily(cell));
    return FAMILIES.stream().filter(family -> family.name.equals(name)).findAny().orElseThrow();
  }

  static byte[] row(int number) { return Bytes.toBytes(String.format("%03d", number)); }

  static int length(int row, long timestamp) {
    boolean isLarge = row == LARGE_ROW && timestamp % BATCHES == 2;
    return isLarge ? LARGE_BYTES : LENGTHS[(int) ((row + 4 * timestamp) % LENGTHS.length)];
  }

  static byte[] value(int row, Family family, long timestamp) {
    byte[] value = new byte[length(row, timestamp)];
    new Random((row + family.name + timestamp).hashCode()).nextBytes(value);
    return value;
  }

  /** The value that belongs to a cell's key. */
  static byte[] valueOf(Cell cell) {
    return value(Integer.parseInt(Bytes.toString(CellUtil.cloneRow(cell))), family(cell), cell.getTimestamp());
  }

  /** Whether the value of a cell's key is to be in a MOB file. */
  static boolean isLarge(Cell cell) {
    return family(cell).hasMobFiles() && valueOf(cell).length > family(cell).threshold;
  }

  static String key(int row, Family family, long timestamp) { return Bytes.toString(row(row)) + "/" + family.name + "/" + timestamp; }

  static String key(Cell cell) { return Bytes.toString(CellUtil.cloneRow(cell)) + "/" + family(cell).name + "/" + cell.getTimestamp(); }

  // What is written.

  static Put put(int round, int batch, int row) {
    long timestamp = (long) BATCHES * round + batch + 1;
    Put put = new Put(row(row));
    for (Family family : FAMILIES) put.addColumn(family.bytes(), QUALIFIER, timestamp, value(row, family, timestamp));
    return put;
  }

  /** What goes away of a row at the end of a round; null, if nothing does. */
  static Delete delete(int round, int row) {
    long last = (long) BATCHES * (round + 1);
    if (losesOthers(row)) return new Delete(row(row), last - 1);
    if (!losesLast(row)) return null;
    Delete delete = new Delete(row(row));
    for (Family family : FAMILIES) delete.addColumn(family.bytes(), QUALIFIER, last);
    return delete;
  }

  private static boolean losesLast(int row) { return row % 10 == 3; }

  private static boolean losesOthers(int row) { return row % 10 == 5; }

  // What must be there.

  /** The timestamps of a row after so many rounds, newest first. */
  static TreeSet<Long> timestamps(int row, int rounds) {
    TreeSet<Long> times = new TreeSet<>(Comparator.reverseOrder());
    for (int round = 0; round < rounds; round++) {
      long last = (long) BATCHES * (round + 1);
      for (int batch = 0; batch < BATCHES; batch++) times.add(last - batch);
      if (losesLast(row)) times.remove(last);
      if (losesOthers(row)) times.removeIf(time -> time < last);
    }
    return times;
  }

  /** The keys of all cells after so many rounds, in their order, or of the newest of each row, from the last row on. */
  static List<String> keys(int rounds, boolean newestBackward) {
    List<String> keys = new ArrayList<>();
    for (int i = 0; i < ROWS; i++) {
      int row = newestBackward ? ROWS - 1 - i : i;
      for (Family family : FAMILIES) {
        for (long time : timestamps(row, rounds)) {
          keys.add(key(row, family, time));
          if (newestBackward) break;
        }
      }
    }
    return keys;
  }

  /** Notes the key of a cell, which must have the value that belongs to it. */
  static void add(List<String> found, Cell cell, String when) {
    if (!CellUtil.matchingValue(cell, valueCell(cell))) {
      throw new AssertionError(when + ": " + key(cell) + " has another value, of " + cell.getValueLength() + " bytes");
    }
    found.add(key(cell));
  }

  private static Cell valueCell(Cell cell) {
    return new org.apache.hadoop.hbase.KeyValue(CellUtil.cloneRow(cell), CellUtil.cloneFamily(cell), QUALIFIER, cell.getTimestamp(), valueOf(cell));
  }

  static void expect(List<String> wanted, List<String> found, String when) {
    for (int i = 0; i < Math.min(wanted.size(), found.size()); i++) {
      if (!wanted.get(i).equals(found.get(i))) throw new AssertionError(when + ": cell " + i + " is " + found.get(i) + ", not " + wanted.get(i));
    }
    if (wanted.size() != found.size()) throw new AssertionError(when + ": " + found.size() + " cells, not " + wanted.size());
  }

  static void need(boolean fact, String what) {
    if (!fact) throw new AssertionError(what);
  }
}
