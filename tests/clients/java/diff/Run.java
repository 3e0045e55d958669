import java.io.IOException;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import org.apache.hadoop.hbase.TableName;

/** One table on both servers, and operations sent to both at once, one after the other. */
final class Run implements AutoCloseable {
  /** So that no two of the server's timestamps in a table are the same; increments may run ahead of the clock by some. */
  private static final long SERVER_TIME_GAP_NS = 10_000_000;

  /** Times that an operation is sent to HBase whose region is being opened, and the time between. */
  private static final int MOST_TRIALS = 30, TRIAL_MS = 1000;

  /** How long a compaction may be chosen by HBase before it says that one is under way. */
  private static final int CHOOSING_MS = 1000;

  /** Operations that change one row at most, and so nothing when they fail. */
  private static final Set<String> OF_ONE_ROW = Set.of("put", "delete", "increment", "append", "checkAndMutate", "mutateRow", "get", "exists", "scan");

  /** Operations that change nothing. */
  static final Set<String> READS = Set.of("get", "gets", "scan", "exists", "existences");

  final Schema schema;
  private final TableName name;
  private final Server hbaseServer, finbackServer;
  private final ExecutorService finbackThread;
  private Target hbase, finback;
  private long serverTimeUsed;

  Run(Schema schema, String name, Server hbase, Server finback, ExecutorService finbackThread) throws Exception {
    this.schema = schema;
    this.name = TableName.valueOf(name);
    hbaseServer = hbase;
    finbackServer = finback;
    this.finbackThread = finbackThread;
    connect();
    both(t -> {
      t.create(schema);
      return "done";
    });
  }

  void connect() throws IOException {
    hbase = new Target(hbaseServer, name);
    finback = new Target(finbackServer, name);
  }

  /** Does operation `number`; a difference, or null. */
  Difference step(int number) throws Exception {
    Drawn one = Drawn.of(schema, number), other = Drawn.of(schema, number);
    if (one.usesServerTime()) pause();
    String[] answers = both(one.operation(), other.operation());
    // HBase may open regions some time after it was started, later than its client is patient.
    for (int i = 0; i < MOST_TRIALS && answers[0].contains("RegionOpeningException") && OF_ONE_ROW.contains(one.operation().kind()); i++) {
      Thread.sleep(TRIAL_MS);
      answers[0] = answer(Drawn.of(schema, number).operation(), hbase);
    }
    // What an event leaves behind is compared when all is at rest: HBase may have said so too early.
    if (!answers[0].equals(answers[1]) && Target.areContents(answers[0]) && Target.areContents(answers[1])) {
      Thread.sleep(CHOOSING_MS);
      answers = both(Events.flush(schema), Events.flush(schema));
    }
    if (one.usesServerTime()) serverTimeUsed = System.nanoTime();
    if (answers[0].equals(answers[1])) return null;
    // Drawn again: a client changes what it sends.
    return new Difference(schema.seed, schema.number, number, one.operation().kind(), Drawn.of(schema, number).operation().text(), answers[0], answers[1]);
  }

  private void pause() throws InterruptedException {
    long left = SERVER_TIME_GAP_NS - (System.nanoTime() - serverTimeUsed);
    if (left > 0) Thread.sleep(left / 1_000_000 + 1);
  }

  /** Waits until all regions of both answer. */
  void awaitRegions() throws Exception {
    both(t -> {
      t.awaitRegions();
      return "done";
    });
  }

  /** Flushes both, and waits for what compactions follow. */
  void settle() throws Exception {
    both(Events.flush(schema), Events.flush(schema));
  }

  private void both(Operation.Body body) throws Exception {
    String[] answers = both(Operation.of("", () -> "", body), Operation.of("", () -> "", body));
    for (String answer : answers) if (!answer.equals("done")) throw new IOException(answer);
  }

  /** The answers of HBase and Finback. Each has an operation of its own: clients change what they send. */
  private String[] both(Operation forHBase, Operation forFinback) throws Exception {
    CompletableFuture<String> finbackAnswer = CompletableFuture.supplyAsync(() -> answer(forFinback, finback), finbackThread);
    String hbaseAnswer = answer(forHBase, hbase);
    return new String[] {hbaseAnswer, finbackAnswer.get()};
  }

  private static String answer(Operation operation, Target target) {
    try {
      return operation.run(target);
    } catch (Exception thrown) {
      return Answer.thrown(thrown);
    }
  }

  void drop() throws Exception {
    both(t -> {
      t.drop();
      return "done";
    });
  }

  @Override
  public void close() throws IOException {
    hbase.close();
    finback.close();
  }

  /** An operation and whether the server's clock takes part in it. */
  record Drawn(Operation operation, boolean usesServerTime) {
    static Drawn of(Schema schema, int number) throws IOException {
      Draw draw = new Draw(schema.seed, schema.number, number);
      Operation event = Events.draw(draw, schema);
      if (event != null) return new Drawn(event, false);
      return new Drawn(Operations.draw(draw, schema), draw.usedServerTime());
    }
  }
}
