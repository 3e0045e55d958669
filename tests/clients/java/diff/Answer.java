import java.util.List;
import java.util.regex.Pattern;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.client.CheckAndMutateResult;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.RetriesExhaustedException;
import org.apache.hadoop.hbase.client.RetriesExhaustedWithDetailsException;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.ipc.RemoteException;

/** What a server answered, as text that is the same when the answers are. */
final class Answer {
  /** Timestamps within this of now were given by a server. */
  private static final long SERVER_TIME_MS = 24 * 3600 * 1000L;
  private static final int LONGEST_BYTES = 60;
  private static final Pattern REGION = Pattern.compile("[^\\s,'\"]+,[^,]*,\\d+\\.[0-9a-f]{32}\\.?");
  private static final Pattern PLACE = Pattern.compile("(localhost|127\\.0\\.0\\.1|[\\w.-]+)(/[\\d.]+)?[:,]\\d+(,\\d+)?");

  private Answer() {}

  static String result(Result result) {
    if (result == null) return "null";
    if (result.getExists() != null) return "exists " + result.getExists();
    StringBuilder text = new StringBuilder();
    if (result.isEmpty()) text.append("nothing");
    else for (Cell cell : result.rawCells()) text.append(text.length() == 0 ? "" : "\n").append(cell(cell));
    if (result.isStale()) text.append(" (stale)");
    return text.toString();
  }

  static String results(List<Result> results) {
    StringBuilder text = new StringBuilder();
    for (Result result : results) {
      if (text.length() > 0) text.append('\n');
      text.append(result(result));
      text.append("\n--");
    }
    return text.length() == 0 ? "no rows" : text.toString();
  }

  static String cell(Cell cell) {
    return bytes(CellUtil.cloneRow(cell)) + "/" + bytes(CellUtil.cloneFamily(cell)) + ":" + bytes(CellUtil.cloneQualifier(cell)) + "/"
      + time(cell.getTimestamp()) + "/" + KeyValue.Type.codeToType(cell.getTypeByte()) + "=" + bytes(CellUtil.cloneValue(cell))
      + (cell.getTagsLength() == 0 ? "" : " tags " + cell.getTagsLength());
  }

  /** A timestamp; what the server's clock gave is just that, as the two clocks differ. */
  static String time(long timestamp) {
    if (Math.abs(timestamp - System.currentTimeMillis()) < SERVER_TIME_MS) return "now";
    if (timestamp >= Draw.FUTURE_MS && timestamp < Draw.FUTURE_MS + 1_000_000) return "F+" + (timestamp - Draw.FUTURE_MS);
    return Long.toString(timestamp);
  }

  static String bytes(byte[] bytes) {
    if (bytes.length <= LONGEST_BYTES) return Bytes.toStringBinary(bytes);
    return Bytes.toStringBinary(bytes, 0, 8) + "...(" + bytes.length + " bytes, hash " + Bytes.hashCode(bytes) + ")";
  }

  /** An element of a batch's results. */
  static String element(Object element) {
    if (element instanceof Throwable thrown) return thrown(thrown);
    if (element instanceof CheckAndMutateResult checked) {
      return "success " + checked.isSuccess() + (checked.getResult() == null ? "" : " " + result(checked.getResult()));
    }
    if (element instanceof Result result) return result(result);
    return String.valueOf(element);
  }

  static String elements(Iterable<?> elements) {
    StringBuilder text = new StringBuilder();
    for (Object element : elements) text.append(text.length() == 0 ? "" : "\n").append("* ").append(element(element));
    return text.toString();
  }

  /** The exception's class and the first line of what it says, without what names a server or a region. */
  static String thrown(Throwable thrown) {
    if (thrown instanceof RetriesExhaustedWithDetailsException details) {
      StringBuilder text = new StringBuilder("several:");
      for (Throwable cause : details.getCauses()) text.append("\n  ").append(thrown(cause));
      return text.toString();
    }
    if (thrown instanceof RemoteException remote) thrown = remote.unwrapRemoteException();
    if (thrown instanceof RetriesExhaustedException && thrown.getCause() != null) return "retries exhausted: " + thrown(thrown.getCause());
    String message = thrown.getMessage() == null ? "" : thrown.getMessage();
    message = message.lines().findFirst().orElse("");
    message = PLACE.matcher(REGION.matcher(message).replaceAll("<region>")).replaceAll("<server>");
    return thrown.getClass().getName() + ": " + message;
  }
}
