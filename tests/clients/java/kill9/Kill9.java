import java.io.File;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.CallQueueTooBigException;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.*;
import org.apache.hadoop.hbase.ipc.CallTimeoutException;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * Kills the server with SIGKILL at random moments under concurrent puts, multi-puts, deletes, checkAndPuts, increments
 * and appends, starts it again on the same data, and compares what is there with what was acknowledged.
 *
 *   Kill9 data=DIR zk=PORT rounds=N retries=off|on seed=S durability=NAME log=FILE -- COMMAND...
 *
 * An operation without an answer may have happened or not, once. With retries=off no client ever sends an operation
 * twice. With retries=on increments and appends are sent again by the client until they are answered, under the same
 * nonce, over the server's death: they must still happen once. Prints a line per round; exits with 1 when anything is
 * lost, doubled or made up.
 */
public final class Kill9 {
  private static final TableName TABLE = TableName.valueOf("kill9");
  private static final int WORKERS_OF_A_KIND = 2;
  /** How long a round may take to its first answers, on a machine that has little time for it. */
  private static final long FIRST_ANSWERS_LIMIT_MS = 120_000;

  private final Map<String, String> options = new HashMap<>();
  private final List<Worker> workers = new ArrayList<>();
  private final List<String> wrong = Collections.synchronizedList(new ArrayList<>());
  private volatile boolean stop, killed;
  private volatile long flushes;
  private ServerProcess server;
  private Random random;

  public static void main(String[] args) throws Exception {
    System.exit(new Kill9().run(args) ? 0 : 1);
  }

  private boolean run(String[] args) throws Exception {
    List<String> all = Arrays.asList(args);
    for (String a : all.subList(0, all.indexOf("--"))) options.put(a.substring(0, a.indexOf('=')), a.substring(a.indexOf('=') + 1));
    server = new ServerProcess(all.subList(all.indexOf("--") + 1, all.size()), Path.of(options.get("data")), new File(options.get("log")));
    long seed = Long.parseLong(options.getOrDefault("seed", String.valueOf(System.nanoTime() % 1_000_000)));
    System.out.println("seed=" + seed);
    random = new Random(seed);
    Worker.durability = Durability.valueOf(options.getOrDefault("durability", "USE_DEFAULT"));
    for (int i = 0; i < WORKERS_OF_A_KIND; i++) {
      workers.addAll(Arrays.asList(new Worker.Puts("put" + i), new Worker.MultiPuts("multi" + i), new Worker.Deletes("del" + i),
        new Worker.CheckAndPuts("cas" + i), new Worker.Increments("inc" + i), new Worker.Appends("app" + i)));
    }
    try {
      return rounds(Integer.parseInt(options.getOrDefault("rounds", "4")));
    } finally {
      if (server.alive()) server.kill();
    }
  }

  private boolean rounds(int rounds) throws Exception {
    server.start();
    try (Connection c = ConnectionFactory.createConnection(patient()); Admin admin = c.getAdmin()) {
      byte[][] splits = {Bytes.toBytes("counter"), Bytes.toBytes("inc1"), Bytes.toBytes("put")};
      admin.createTable(TableDescriptorBuilder.newBuilder(TABLE).setColumnFamily(
        ColumnFamilyDescriptorBuilder.newBuilder(Worker.F).setMaxVersions(3).build()).build(), splits);
    }
    for (int round = 1; round <= rounds; round++) {
      round(round);
      for (String w : wrong) System.out.println("WRONG " + w);
      if (!wrong.isEmpty()) return false;
    }
    int status = server.stop();
    long acknowledged = Worker.Increments.sharedAcknowledged.get();
    for (Worker w : workers) acknowledged += w.expected.count();
    System.out.println(rounds + " rounds, " + acknowledged + " acknowledged operations, " + flushes
      + " flushes, nothing lost, nothing twice; the last server stopped with status " + status);
    if (flushes == 0) System.out.println("WRONG no flush ever succeeded");
    return flushes > 0 && (status == 0 || status == 143);
  }

  private void round(int round) throws Exception {
    stop = killed = false;
    long before = acknowledged();
    List<Thread> threads = new ArrayList<>();
    long life = 200 + random.nextInt(2300), restart;
    try (Connection once = ConnectionFactory.createConnection(impatient());
         Connection again = options.getOrDefault("retries", "off").equals("on") ? ConnectionFactory.createConnection(patient()) : null) {
      for (Worker w : workers) {
        boolean counts = w instanceof Worker.Increments || w instanceof Worker.Appends;
        threads.add(start(() -> work(w, counts && again != null ? again : once)));
      }
      threads.add(start(this::flush));
      awaitFirstAnswers(before, round == 1);
      Thread.sleep(life);
      killed = true;
      server.kill();
      restart = server.start();
      stop = true;
      for (Thread t : threads) t.join();
    }
    long acknowledged = acknowledged() - before, doubts = 0;
    for (Worker w : workers) doubts += w.expected.doubts();
    if (acknowledged == 0) wrong.add("round " + round + ": nothing was acknowledged");
    long rows = verify();
    System.out.printf("round %d: killed %d ms after its first answers, ready again after %d ms, %d acknowledged, %d in doubt, %d rows, %s%n", round, life,
      restart, acknowledged, doubts, rows, wrong.isEmpty() ? "ok" : "WRONG");
  }

  /** Returns when something of this round is acknowledged and, where that is asked for, a flush has succeeded; or too late for both. */
  private void awaitFirstAnswers(long before, boolean andFlush) throws Exception {
    long limit = System.nanoTime() + FIRST_ANSWERS_LIMIT_MS * 1_000_000;
    while ((acknowledged() == before || andFlush && flushes == 0) && wrong.isEmpty() && System.nanoTime() < limit) Thread.sleep(5);
  }

  private long acknowledged() {
    long sum = 0;
    for (Worker w : workers) sum += w.expected.count();
    return sum;
  }

  private interface Job {
    void run() throws Exception;
  }

  private Thread start(Job job) {
    Thread t = new Thread(() -> {
      try {
        job.run();
      } catch (Exception e) {
        wrong.add(e.toString());
        e.printStackTrace();
      }
    });
    t.start();
    return t;
  }

  /** Ends with the first operation that fails. A wrong answer, or none for as long as the client waits, is a finding. */
  private void work(Worker w, Connection c) throws Exception {
    try (Table t = c.getTable(TABLE)) {
      while (!stop) w.step(t);
    } catch (Worker.Violation e) {
      throw e;
    } catch (Exception e) {
      for (Throwable x = e; x != null; x = x.getCause()) {
        if (x instanceof CallTimeoutException && !(x instanceof CallQueueTooBigException)) throw e;
      }
      System.err.println(w.prefix + " ended with " + String.valueOf(e).replace('\n', ' '));
    }
  }

  /** Until the kill. Has a connection of its own: HBase 2.5's Admin.flush divides by the number of retries. */
  private void flush() throws Exception {
    Random own = new Random();
    Configuration conf = impatient();
    conf.set("hbase.client.retries.number", "2");
    try (Connection c = ConnectionFactory.createConnection(conf); Admin admin = c.getAdmin()) {
      while (!killed) {
        Thread.sleep(100 + own.nextInt(600));
        try {
          admin.flush(TABLE);
          flushes++;
        } catch (java.io.IOException e) {
          System.err.println("a flush ended with " + String.valueOf(e).replace('\n', ' '));
        }
      }
    }
  }

  /** Reads everything with every version and compares it; answers with the number of rows. */
  private long verify() throws Exception {
    Map<String, Map<String, String>> found = new HashMap<>();
    for (Worker w : workers) found.put(w.prefix, new HashMap<>());
    long rows = 0, shared = 0;
    try (Connection c = ConnectionFactory.createConnection(patient()); Table t = c.getTable(TABLE);
         ResultScanner s = t.getScanner(new Scan().readAllVersions().setCaching(1000))) {
      for (Result r; (r = s.next()) != null; rows++) {
        String row = Bytes.toString(r.getRow());
        if (row.equals(Worker.Increments.SHARED)) {
          shared = Bytes.toLong(r.value());
          continue;
        }
        Worker w = owner(row);
        if (w == null || !w.expected.wrote(row)) wrong.add(row + " is there, and nobody wrote it");
        else if (w.oneVersion(row) && r.size() != 1) wrong.add(row + " is there " + r.size() + " times");
        if (w != null && found.get(w.prefix).put(row, w.decode(r.value())) != null) wrong.add(row + " came twice in one scan");
      }
    }
    for (Worker w : workers) wrong.addAll(w.expected.settle(found.get(w.prefix)));
    long low = Worker.Increments.sharedAcknowledged.get(), high = low + Worker.Increments.sharedUnanswered.get();
    if (shared < low || shared > high) wrong.add("shared counter is " + shared + ", should be " + low + " to " + high);
    Worker.Increments.sharedAcknowledged.set(shared); // what was in doubt is settled now
    Worker.Increments.sharedUnanswered.set(0);
    return rows;
  }

  private Worker owner(String row) {
    for (Worker w : workers) if (row.startsWith(w.prefix + "-")) return w;
    return null;
  }

  private Configuration base() {
    Configuration c = HBaseConfiguration.create();
    c.set("hbase.zookeeper.quorum", "127.0.0.1");
    c.set("hbase.zookeeper.property.clientPort", options.get("zk"));
    c.set("hbase.rpc.timeout", "30000");
    c.set("hbase.client.pause", "50");
    return c;
  }

  /** Never sends anything twice. */
  private Configuration impatient() {
    Configuration c = base();
    c.set("hbase.client.retries.number", "0");
    return c;
  }

  private Configuration patient() {
    Configuration c = base();
    c.set("hbase.client.retries.number", "40");
    c.set("hbase.client.operation.timeout", "120000");
    c.set("zookeeper.recovery.retry", "10");
    return c;
  }
}
