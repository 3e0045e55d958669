import java.util.ArrayList;
import java.util.List;

/** Two answers that should be the same. */
record Difference(long seed, int table, int operation, String kind, String text, String hbase, String finback) {
  private static final int MOST_LINES = 30;

  @Override
  public String toString() {
    return "DIFFERENCE seed " + seed + " table " + table + " operation " + operation + "\n  " + text + "\n" + sides(hbase, finback);
  }

  /** Two answers, one below the other. */
  static String sides(String hbase, String finback) { return lines("hbase  ", hbase, finback) + lines("finback", finback, hbase); }

  /** The answer, with a mark at lines that the other answer does not have. */
  private static String lines(String name, String answer, String other) {
    List<String> others = new ArrayList<>(other.lines().toList());
    StringBuilder text = new StringBuilder();
    int count = 0;
    for (String line : answer.lines().toList()) {
      boolean same = others.remove(line);
      if (count++ < MOST_LINES || !same) text.append("  ").append(name).append(same ? "   " : " ! ").append(line).append('\n');
    }
    return text.toString();
  }
}
