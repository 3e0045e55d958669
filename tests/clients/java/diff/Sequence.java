import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/** Numbers of operations of one table, in a file that a replay reads; what they are follows for the reader. */
record Sequence(long seed, int table, List<Integer> operations) {
  /** Stands in the list for a restart of both servers. */
  static final int STOPPED = -1, KILLED = -2;

  void write(Path file, Difference found) throws IOException {
    Schema schema = new Schema(seed, table);
    StringBuilder text = new StringBuilder("replay " + seed + " " + table + " ");
    text.append(operations.stream().map(String::valueOf).collect(Collectors.joining(","))).append(' ').append(KeptOut.in()).append("\n\n");
    text.append(schema.text()).append("\n\n");
    for (int number : operations) text.append(number).append(' ').append(text(schema, number)).append('\n');
    Files.writeString(file, text.append('\n').append(found).toString());
  }

  private static String text(Schema schema, int number) throws IOException {
    return number == STOPPED ? "restart" : number == KILLED ? "kill and restart" : Run.Drawn.of(schema, number).operation().text();
  }

  /** What is drawn by these numbers depends on which defects are let in: those that were when it was written. */
  static Sequence read(Path file) throws IOException {
    try (var lines = Files.lines(file)) {
      String[] words = lines.findFirst().orElseThrow().split(" ");
      KeptOut.letIn(words.length > 4 ? words[4] : "");
      return new Sequence(Long.parseLong(words[1]), Integer.parseInt(words[2]), Arrays.stream(words[3].split(",")).map(Integer::valueOf).toList());
    }
  }
}
