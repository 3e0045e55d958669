import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;

/** Replays a sequence, and makes it shorter while it still shows a difference. */
final class Shrink {
  private static final int MOST_TRIALS = 250;

  private final Server hbase, finback;
  private final ExecutorService threads;
  private final Restart restart;
  private int tables, trials;
  private Difference last;

  Shrink(Server hbase, Server finback, ExecutorService threads, Restart restart) {
    this.hbase = hbase;
    this.finback = finback;
    this.threads = threads;
    this.restart = restart;
  }

  /** Whether both servers agree on the sequence of a file. */
  boolean replay(Path file) throws Exception {
    Difference found = trial(Sequence.read(file));
    System.out.println(found == null ? "no difference" : found);
    return found == null;
  }

  /** Writes the shortest sequence found beside the file; whether the difference has gone. */
  boolean shrink(Path file) throws Exception {
    Sequence sequence = Sequence.read(file);
    trials = 0;
    last = null;
    List<Integer> numbers = new ArrayList<>(sequence.operations());
    if (!shows(sequence, numbers)) {
      System.out.println(file + ": the difference did not come again");
      return true;
    }
    Schema schema = new Schema(sequence.seed(), sequence.table());
    List<Integer> writes = new ArrayList<>();
    for (int number : numbers) if (number < 0 || number == last.operation() || !Run.READS.contains(Run.Drawn.of(schema, number).operation().kind())) writes.add(number);
    if (shows(sequence, writes)) numbers = writes;
    List<Integer> up = new ArrayList<>(numbers.subList(0, numbers.indexOf(last.operation()) + 1));
    for (int size = Math.max(1, up.size() / 2); size >= 1 && trials < MOST_TRIALS; size /= 2) {
      for (int from = Math.max(0, up.size() - 1 - size); up.size() > 1 && trials < MOST_TRIALS; from -= size) {
        List<Integer> fewer = new ArrayList<>(up);
        fewer.subList(Math.max(0, from), Math.min(from + size, up.size() - 1)).clear();
        if (fewer.size() < up.size() && shows(sequence, fewer)) up = new ArrayList<>(fewer.subList(0, fewer.indexOf(last.operation()) + 1));
        if (from <= 0) break;
      }
    }
    Path shorter = file.resolveSibling(file.getFileName().toString().replace(".txt", "-short.txt"));
    new Sequence(sequence.seed(), sequence.table(), up).write(shorter, last);
    System.out.println(shorter + ": " + up.size() + " of " + sequence.operations().size() + " operations");
    return false;
  }

  private boolean shows(Sequence sequence, List<Integer> numbers) throws Exception {
    trials++;
    Difference found = trial(new Sequence(sequence.seed(), sequence.table(), numbers));
    if (found != null) last = found;
    return found != null;
  }

  private Difference trial(Sequence sequence) throws Exception {
    Schema schema = new Schema(sequence.seed(), sequence.table());
    try (Run run = new Run(schema, "replay_" + System.nanoTime() + "_" + tables++, hbase, finback, threads)) {
      for (int number : sequence.operations()) {
        if (number < 0) {
          restart.restart(number == Sequence.KILLED, List.of(run));
          continue;
        }
        Difference found = run.step(number);
        if (found != null && KnownDefects.explain(found) == null) {
          run.drop();
          return found;
        }
      }
      run.drop();
      return null;
    }
  }
}
