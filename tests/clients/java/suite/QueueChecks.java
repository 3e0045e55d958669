import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.CallQueueTooBigException;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.UnknownScannerException;
import org.apache.hadoop.hbase.client.*;
import org.apache.hadoop.hbase.exceptions.ScannerResetException;

/**
 * More calls at a time than may wait: those beyond are refused, and sent again by a patient client. The server of step_errors lets
 * four of a kind wait, and carries out one long scan at a time.
 */
final class QueueChecks extends ErrorChecks {
  private static final int THREADS = 24, READERS = 2, WRITES = 20, ROWS = 4000, ROUNDS = 20;

  QueueChecks(Api api, String tag, Proxy proxy, Clients clients, Configuration conf) { super(api, tag, proxy, clients, conf); }

  interface Work {
    void of(int thread) throws Exception;
  }

  private static void together(Work work) throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(THREADS);
    List<CompletableFuture<Void>> all = new ArrayList<>();
    for (int i = 0; i < THREADS; i++) {
      int thread = i;
      all.add(CompletableFuture.runAsync(() -> {
        try {
          work.of(thread);
        } catch (Exception e) {
          throw new IllegalStateException(e);
        }
      }, threads));
    }
    threads.shutdown();
    for (CompletableFuture<Void> one : all) one.get(300, TimeUnit.SECONDS);
  }

  /** Counts in `refused` what the queue has no place for. */
  private static void count(AtomicInteger refused, Action call) throws Exception {
    try {
      call.run();
    } catch (Exception e) {
      if (find(CallQueueTooBigException.class, e) != null) refused.incrementAndGet();
      // a scanner that nobody comes back to in time is closed: its lease is short, and an impatient client does not open another
      else if (find(UnknownScannerException.class, e) == null && find(ScannerResetException.class, e) == null) throw e;
    }
  }

  private static Put write(int round, int thread, int i) { return put(String.format("w%02d.%02d.%02d", round, thread, i), "a", "q", "v"); }

  public void more_writes_than_may_wait() throws Exception {
    TableName t = fresh("writes", new String[] {"a"});
    Api impatient = impatient();
    impatient.get(t, get("r"));
    AtomicInteger refused = new AtomicInteger();
    int rounds = 0;
    // on a machine that does one thing after the other no queue comes to be
    while (refused.get() == 0 && rounds < ROUNDS) {
      int round = rounds++;
      together(thread -> {
        for (int i = 0; i < WRITES; i++) {
          Put put = write(round, thread, i);
          count(refused, () -> impatient.put(t, put));
        }
      });
    }
    yes(refused.get() > 0, "no write was refused");
    eq(rounds * THREADS * WRITES - refused.get(), api.scan(t, new Scan()).size());
    try (Api patient = client("hbase.client.retries.number", "40")) {
      patient.get(t, get("r"));
      proxy.forget();
      int more = 0;
      while (proxy.count("Mutate", first(t)) <= more * THREADS * WRITES && more < ROUNDS) {
        int round = more++;
        together(thread -> {
          for (int i = 0; i < WRITES; i++) patient.put(t, write(round, thread, i));
        });
      }
      yes(proxy.count("Mutate", first(t)) > more * THREADS * WRITES, "no write was sent again");
      eq(0, lookups());
      rounds = Math.max(rounds, more);
    }
    int found = api.scan(t, new Scan()).size();
    yes(found <= rounds * THREADS * WRITES && found >= THREADS * WRITES, found + " rows");
    discard(t);
  }

  public void more_long_scans_than_may_wait() throws Exception {
    TableName t = fresh("scans", new String[] {"a"});
    List<Put> puts = new ArrayList<>();
    for (int i = 0; i < ROWS; i++) puts.add(put(String.format("r%04d", i), "a", "q", "v"));
    api.puts(t, puts);
    // the synchronous client writes into a Scan where it goes on, so that each has its own
    Supplier<Scan> scan = () -> new Scan().setCaching(ROWS / 4);
    AtomicInteger refused = new AtomicInteger();
    Api impatient = impatient();
    impatient.get(t, get("r"));
    for (int round = 0; refused.get() == 0 && round < ROUNDS; round++) {
      together(thread -> {
        if (thread >= READERS) count(refused, () -> impatient.scan(t, scan.get()));
        // reads of a row have a queue of their own; so few at a time always have a place in it
        else for (int i = 0; i < 150; i++) eq("r0007/a:q=v", text(impatient.get(t, get("r0007"))));
      });
    }
    yes(refused.get() > 0, "no scan was refused");
    try (Api patient = client("hbase.client.retries.number", "40")) {
      together(thread -> eq(ROWS, patient.scan(t, scan.get()).size()));
    }
    discard(t);
  }
}
