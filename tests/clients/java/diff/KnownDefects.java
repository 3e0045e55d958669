import java.util.Iterator;
import java.util.List;
import java.util.regex.Pattern;

/** HBase's own defects, each as narrow as it can be told; docs/compatibility.md lists them. */
final class KnownDefects {
  /** What a client makes of an answer that it repeats, other than that answer. */
  private static final List<Repeated> REPEATED = List.of(
    // The scanner had gone on to the row that failed.
    new Repeated("OutOfOrderScannerNextException", "Scan"),
    // It looks for the region once more, by a key that is longer than the longest row; where a batch does, nobody is told.
    new Repeated("startRow's length must be less", ""),
    new Repeated("time out before the actionsInProgress changed to zero", "(" + Schema.LONGEST_ROW + " bytes"));
  /** The one failure that Finback may have when HBase has failed with all of a batch. */
  private static final Pattern NOT_A_COUNTER = Pattern.compile("(org\\.apache\\.hadoop\\.hbase\\.DoNotRetryIOException: )+Field is not a long, it's \\d+ bytes wide");

  private record Repeated(String answer, String operation) {
    boolean explains(Difference difference) { return difference.hbase().contains(answer) && difference.text().contains(operation); }
  }

  /** What HBase answers, whether clients repeat that, and what the operation must have for it. */
  private record Defect(String name, String answer, boolean repeated, String... operation) {
    boolean explains(Difference difference) {
      if (!difference.hbase().contains(answer) && !(repeated && REPEATED.stream().anyMatch(r -> r.explains(difference)))) return false;
      String finback = difference.text().contains("Increment ") ? NOT_A_COUNTER.matcher(difference.finback()).replaceAll("") : difference.finback();
      if (finback.contains("Exception")) return false;
      for (String part : operation) if (!difference.text().contains(part)) return false;
      return true;
    }
  }

  private static final List<Defect> ALL = List.of(
    new Defect("reversed scans cannot leave out families", "Reverse scan with loading CFs on demand is not supported", false, " reversed", " filter "),
    new Defect("PrefixFilter before the first row", "Index 0 out of bounds for length 0", false, "PrefixFilter"),
    new Defect("NO_OP fails in some filters", "Unknown Compare op NO_OP", true, "NO_OP"),
    new Defect("MultiRowRangeFilter without a row", "Filter$ReturnCode.ordinal()\" because", true, "MultiRowRangeFilter"),
    new Defect("FuzzyRowFilter without a hint", "Cell.getRowLength()\" because \"r\" is null", true, "MUST_PASS_ALL", "FuzzyRowFilter"));

  /**
   * Another answer of a scan, and no failure: of what operations. `ends`: HBase's ends before Finback's; otherwise rows are missing in
   * HBase's, and what is left is the same.
   */
  private record Silent(String name, boolean ends, Pattern operation) {
    boolean explains(Difference difference) {
      String hbase = difference.hbase(), finback = difference.finback();
      if (!difference.text().startsWith("Scan") || (hbase + finback).contains("Exception")) return false;
      if (!operation.matcher(difference.text()).find()) return false;
      return ends ? hbase.equals("no rows") || finback.startsWith(hbase) : isPart(hbase, finback);
    }

    /** Whether all lines of an answer are in the other one, in their order. */
    private static boolean isPart(String part, String whole) {
      if (part.equals("no rows")) return true;
      Iterator<String> lines = whole.lines().iterator();
      return part.lines().allMatch(wanted -> {
        while (lines.hasNext()) if (lines.next().equals(wanted)) return true;
        return false;
      });
    }
  }

  private static final List<Silent> SILENT = List.of(
    new Silent("MultiRowRangeFilter without a row", false, Pattern.compile("(Skip|WhileMatch)\\[MUST_PASS_ONE\\[MultiRowRangeFilter, ")),
    new Silent("WhileMatchFilter asked about rows left out", true,
      Pattern.compile("MUST_PASS_ALL\\[.*WhileMatch\\[.*[\\[ ](RowFilter|PrefixFilter|RandomRowFilter|InclusiveStopFilter)")));

  private KnownDefects() {}

  /** The name of the defect that explains a difference, or null. */
  static String explain(Difference difference) {
    for (Defect defect : ALL) if (defect.explains(difference)) return defect.name;
    for (Silent defect : SILENT) if (defect.explains(difference)) return defect.name;
    return null;
  }
}
