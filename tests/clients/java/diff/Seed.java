import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;

/**
 * All operations of a seed: divided among tables, each with its own thread and its own sequence, so that a table's
 * answers do not depend on the others. In the middle both servers are restarted.
 */
final class Seed {
  private static final int PROGRESS_S = 10;
  /** A table with so many differences has been seen enough. */
  private static final int MOST_DIFFERENCES = 3;

  private final long seed;
  private final int operations, tables;
  private final Server hbase, finback;
  private final ExecutorService threads;
  private final Restart restart;
  private final Path work;
  private final AtomicLong done = new AtomicLong();
  private final List<Difference> differences = Collections.synchronizedList(new ArrayList<>());
  private final Map<String, Met> known = new ConcurrentHashMap<>();
  private final List<Path> sequences = Collections.synchronizedList(new ArrayList<>());
  private long begun, seconds;

  Seed(long seed, int operations, int tables, Server hbase, Server finback, ExecutorService threads, Restart restart, Path work) {
    this.seed = seed;
    this.operations = operations;
    this.tables = tables;
    this.hbase = hbase;
    this.finback = finback;
    this.threads = threads;
    this.restart = restart;
    this.work = work;
  }

  void run() throws Exception {
    begun = System.nanoTime();
    List<Worker> workers = new ArrayList<>();
    for (int i = 0; i < tables; i++) workers.add(new Worker(i));
    int each = operations / tables;
    boolean kill = seed % 2 == 0;
    leg(workers, 0, each / 2);
    // A server that searches for ever does not stop.
    if (KeptOut.in().isEmpty()) {
      restart.restart(kill, workers.stream().map(w -> w.run).toList());
      for (Worker worker : workers) worker.sinceCreation.add(kill ? Sequence.KILLED : Sequence.STOPPED);
    }
    leg(workers, each / 2, each);
    all(workers, Worker::end);
    seconds = Math.max(1, (System.nanoTime() - begun) / 1_000_000_000);
  }

  private void leg(List<Worker> workers, int from, int to) throws Exception {
    all(workers, worker -> worker.leg(from, to));
  }

  private interface Part {
    void of(Worker worker) throws Exception;
  }

  private void all(List<Worker> workers, Part part) throws Exception {
    CompletableFuture<?>[] parts = workers.stream().map(w -> CompletableFuture.runAsync(() -> Diff.quietly(() -> part.of(w)), threads)).toArray(CompletableFuture[]::new);
    CompletableFuture<Void> together = CompletableFuture.allOf(parts);
    while (true) {
      try {
        together.get(PROGRESS_S, TimeUnit.SECONDS);
        return;
      } catch (TimeoutException stillAtWork) {
        long elapsed = Math.max(1, (System.nanoTime() - begun) / 1_000_000_000);
        System.out.printf("seed %d: %d of %d operations, %d a second, %d differences%n", seed, done.get(), operations, done.get() / elapsed, differences.size());
      }
    }
  }

  long done() { return done.get(); }

  List<Difference> differences() { return differences; }

  List<Path> sequences() { return sequences; }

  String summary() {
    return done.get() + " operations, " + differences.size() + " differences" + (known.isEmpty() ? "" : ", defects of HBase " + known) + ", " + seconds + " s, " + done.get() / seconds + " a second";
  }

  /** How often a defect was met, and the lowest number that an operation had that met it. */
  private record Met(int times, int first) {
    Met and(Met other) { return new Met(times + other.times, Math.min(first, other.first)); }

    @Override
    public String toString() { return times + " from operation " + first; }
  }

  /** One table. */
  private final class Worker {
    private final Schema schema;
    private int generation, found;
    private Run run;
    private final List<Integer> sinceCreation = new ArrayList<>();

    Worker(int table) throws Exception {
      schema = new Schema(seed, table);
      run = create();
    }

    private Run create() throws Exception {
      sinceCreation.clear();
      return new Run(schema, "s" + seed + KeptOut.in().replace('-', '_') + "_" + schema.number + "_" + generation++, hbase, finback, threads);
    }

    void leg(int from, int to) throws Exception {
      for (int number = from; number < to && found < MOST_DIFFERENCES; number++) {
        sinceCreation.add(number);
        Difference difference = run.step(number);
        done.incrementAndGet();
        if (difference == null) continue;
        String known = KnownDefects.explain(difference);
        if (known == null) note(difference);
        else explained(known, difference);
      }
    }

    /**
     * What HBase did not do, and Finback did, would show in all that follows; and a scan that fails other than by an
     * IOException stays open in HBase for a minute, in which flushes and compactions keep what it might read.
     */
    private void explained(String defect, Difference difference) throws Exception {
      known.merge(defect, new Met(1, difference.operation()), Met::and);
      beginAnew();
    }

    private void beginAnew() throws Exception {
      end();
      run = create();
    }

    /** What comes after a difference could be due to it: the table begins anew. One in which HBase still searches cannot be dropped. */
    private void note(Difference difference) throws Exception {
      found++;
      differences.add(difference);
      System.out.println(difference);
      Path file = Files.createDirectories(work.resolve("differences")).resolve(seed + "-" + schema.number + "-" + difference.operation() + ".txt");
      new Sequence(seed, schema.number, List.copyOf(sinceCreation)).write(file, difference);
      sequences.add(file);
      if (difference.hbase().contains("TimeoutException")) {
        run.close();
        run = create();
      } else beginAnew();
    }

    void end() throws Exception {
      run.drop();
      run.close();
    }
  }
}
