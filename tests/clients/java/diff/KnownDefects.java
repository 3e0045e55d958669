import java.util.List;

/** HBase's own defects, each as narrow as it can be told; docs/compatibility.md lists them. */
final class KnownDefects {
  /** What HBase answers, and what the operation must have for it. */
  private record Defect(String name, String answer, String... operation) {
    boolean explains(Difference difference) {
      if (!difference.hbase().contains(answer) || difference.finback().contains("Exception")) return false;
      for (String part : operation) if (!difference.text().contains(part)) return false;
      return true;
    }
  }

  private static final List<Defect> ALL = List.of(
    new Defect("reversed scans cannot leave out families", "Reverse scan with loading CFs on demand is not supported", " reversed", " filter "),
    new Defect("PrefixFilter before the first row", "Index 0 out of bounds for length 0", "PrefixFilter"),
    new Defect("NO_OP fails in some filters", "Unknown Compare op NO_OP", "NO_OP"),
    new Defect("MultiRowRangeFilter without a row", "Filter$ReturnCode.ordinal()\" because", "MultiRowRangeFilter"),
    new Defect("MultiRowRangeFilter without a row", "startRow's length must be less", "Scan", "MultiRowRangeFilter"),
    new Defect("MultiRowRangeFilter without a row", "OutOfOrderScannerNextException", "Scan", "MultiRowRangeFilter"));

  private KnownDefects() {}

  /** The name of the defect that explains a difference, or null. */
  static String explain(Difference difference) {
    for (Defect defect : ALL) if (defect.explains(difference)) return defect.name;
    return null;
  }
}
