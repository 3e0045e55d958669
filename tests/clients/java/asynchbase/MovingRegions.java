import com.stumbleupon.async.Deferred;
import com.stumbleupon.async.TimeoutException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.hbase.async.AtomicIncrementRequest;
import org.hbase.async.Bytes;
import org.hbase.async.KeyValue;
import org.hbase.async.NonRecoverableException;
import org.hbase.async.PutRequest;
import org.hbase.async.Scanner;

/** Regions are divided, merged, closed and opened again under a client that writes, counts and scans: it finds them again. */
final class MovingRegions {
  private static final int COUNTERS = 60;
  private static final long LOST_SCAN_MS = 10_000, STANDSTILL_MS = 180_000;
  /** Rounds, and scans, that asynchbase may give up in a row: while a table is disabled it does not wait for ever. */
  private static final int GIVEN_UP = 10;

  private final Asynchbase suite;
  private final AtomicBoolean ended = new AtomicBoolean();
  private final AtomicReference<Throwable> failure = new AtomicReference<>();
  private final List<String> written = Collections.synchronizedList(new ArrayList<>());
  private volatile int rounds, scans;
  /** Of scans, in a row. */
  private int givenUp;

  MovingRegions(Asynchbase suite) {
    this.suite = suite;
  }

  void run() throws Exception {
    suite.check("regions that move under writers and scanners", this::move);
  }

  private void move() throws Exception {
    Thread writer = start(this::write), scanner = start(this::scan);
    suite.administer("flush", Asynchbase.TABLE);
    suite.administer("split", Asynchbase.TABLE, Asynchbase.row(1000));
    suite.administer("split", Asynchbase.TABLE, Asynchbase.row(5000));
    suite.administer("reopen", Asynchbase.TABLE);
    suite.administer("merge", Asynchbase.TABLE);
    int seen = rounds, seenScans = scans;
    for (long limit = System.currentTimeMillis() + STANDSTILL_MS; (rounds < seen + 2 || scans == seenScans) && failure.get() == null; ) {
      if (System.currentTimeMillis() > limit) throw new AssertionError("standstill after round " + seen + ", scan " + seenScans);
      Thread.sleep(20);
    }
    ended.set(true);
    writer.join(STANDSTILL_MS);
    scanner.join(STANDSTILL_MS);
    if (failure.get() != null) throw new AssertionError(failure.get());
    if (writer.isAlive() || scanner.isAlive()) throw new AssertionError("a thread hangs");
    if (scans == 0) throw new AssertionError("no scan came to its end");
    verify();
  }

  private Thread start(Asynchbase.Check work) {
    Thread thread = new Thread(() -> {
      try {
        while (!ended.get()) work.run();
      } catch (Throwable thrown) {
        failure.compareAndSet(null, thrown);
      }
    });
    thread.start();
    return thread;
  }

  private static String counter(int i) {
    return Asynchbase.row(i * 100) + "-counter";
  }

  /** A round, which is done again until none of it is given up, so that all its rows are there. */
  private void write() throws Exception {
    int round = rounds;
    for (int i = 1; ; i++) {
      NonRecoverableException gaveUp = write(round);
      if (gaveUp == null) break;
      if (i == GIVEN_UP) throw gaveUp;
    }
    for (int i = 0; i < COUNTERS; i++) written.add(counter(i) + "-" + round);
    rounds = round + 1;
  }

  /** Every counter once, and a row of its own beside each; why some were given up, when all are over. */
  private NonRecoverableException write(int round) throws Exception {
    List<Deferred<?>> all = new ArrayList<>();
    for (int i = 0; i < COUNTERS; i++) {
      all.add(suite.client.atomicIncrement(new AtomicIncrementRequest(Asynchbase.TABLE, counter(i), "g", "count", 1)));
      all.add(suite.client.put(new PutRequest(Asynchbase.TABLE, counter(i) + "-" + round, "g", "round", Integer.toString(round))));
    }
    NonRecoverableException gaveUp = null;
    for (Deferred<?> each : all) {
      try {
        Asynchbase.await(each);
      } catch (NonRecoverableException e) {
        if (!isGivenUp(e)) throw e;
        gaveUp = e;
      }
    }
    return gaveUp;
  }

  /** It has tried too often; what a server refuses for good has classes of its own. */
  private static boolean isGivenUp(NonRecoverableException e) {
    return e.getClass() == NonRecoverableException.class && String.valueOf(e.getMessage()).contains("Too many attempts");
  }

  /**
   * No row of those that stand still is missing or comes again later, whatever becomes of the regions in between. asynchbase now and
   * then loses a scan whose region goes, and waits forever (with HBase too): that scan is given up.
   *
   * <p>Where it calls a scanner again whose region has gone it begins anew, as with HBase, at the last row that it has given. Rows that
   * come with the opening of a scanner, which those of its time did not, it does not count as given: then it begins anew where it had
   * opened, at their first row or, since it may take the row of a key for given, at their second.
   */
  private void scan() throws Exception {
    Scanner scanner = suite.client.newScanner(Asynchbase.TABLE);
    scanner.setFamily("f");
    scanner.setQualifier("number");
    scanner.setStartKey("row-");
    scanner.setStopKey("row-99999");
    int next = 0, begun = 0;
    try {
      for (ArrayList<ArrayList<KeyValue>> rows; (rows = scanner.nextRows(150).join(LOST_SCAN_MS)) != null; ) {
        int first = Integer.parseInt(Asynchbase.s(rows.get(0).get(0).value()));
        if (first < next && (first == next - 1 || first == begun || first == begun + 1)) next = first;
        begun = next;
        for (ArrayList<KeyValue> row : rows) Asynchbase.expect(next++, Asynchbase.s(row.get(0).value()));
      }
    } catch (TimeoutException lost) {
      return;
    } catch (NonRecoverableException e) {
      if (!isGivenUp(e) || ++givenUp == GIVEN_UP) throw e;
      return;
    }
    givenUp = 0;
    Asynchbase.expect(PointOperations.ROWS, next);
    scans++;
  }

  private void verify() throws Exception {
    Scanner scanner = suite.client.newScanner(Asynchbase.TABLE);
    scanner.setFamily("g");
    scanner.setStartKey("row-");
    scanner.setStopKey("row-99999");
    List<String> found = new ArrayList<>();
    int counters = 0;
    for (ArrayList<ArrayList<KeyValue>> rows; (rows = Asynchbase.await(scanner.nextRows())) != null; ) {
      for (ArrayList<KeyValue> row : rows) {
        KeyValue cell = row.get(0);
        if (Asynchbase.s(cell.qualifier()).equals("round")) {
          found.add(Asynchbase.s(cell.key()));
        } else {
          // an increment that is sent again, for want of an answer, may count twice: asynchbase sends no nonces
          if (Bytes.getLong(cell.value()) < rounds) throw new AssertionError(Asynchbase.s(cell.key()) + " is " + Bytes.getLong(cell.value()) + " after " + rounds);
          counters++;
        }
      }
    }
    Collections.sort(written);
    Asynchbase.expect(written, found);
    Asynchbase.expect(COUNTERS, counters);
  }
}
