import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/**
 * What one worker knows about its own rows: the value that was acknowledged last (null: deleted), and for an operation
 * whose answer never came, the values before and after it. One thread uses it at a time.
 */
final class Expected {
  private final Map<String, String> known = new HashMap<>();
  private final Map<String, Set<String>> doubtful = new HashMap<>();
  /** Written by the one thread, and read by who waits for it. */
  private volatile long acknowledged;

  /** The server said yes. */
  void acknowledged(String row, String value) {
    known.put(row, value);
    acknowledged++;
  }

  /** No answer: the row now has its old value or this one. */
  void unanswered(String row, String value) {
    doubtful.computeIfAbsent(row, r -> new HashSet<>(Arrays.asList(known.get(r)))).add(value);
  }

  String value(String row) { return known.get(row); }
  boolean wrote(String row) { return known.containsKey(row) || doubtful.containsKey(row); }
  long count() { return acknowledged; }
  int doubts() { return doubtful.size(); }

  /** Compares with what a scan found, says what is wrong, and settles the doubts by what is there now. */
  List<String> settle(Map<String, String> found) {
    List<String> wrong = new ArrayList<>();
    for (Map.Entry<String, String> e : known.entrySet()) {
      String row = e.getKey(), got = found.get(row);
      if (!doubtful.containsKey(row) && !Objects.equals(e.getValue(), got)) {
        wrong.add(row + ": acknowledged " + tail(e.getValue()) + ", found " + tail(got));
      }
    }
    for (Map.Entry<String, Set<String>> e : doubtful.entrySet()) {
      String got = found.get(e.getKey());
      if (!e.getValue().contains(got)) wrong.add(e.getKey() + ": one of " + e.getValue() + " expected, found " + tail(got));
      known.put(e.getKey(), got);
    }
    doubtful.clear();
    return wrong;
  }

  private static String tail(String s) {
    return s == null || s.length() <= 60 ? s : "..." + s.substring(s.length() - 60) + " (" + s.length() + ")";
  }
}
