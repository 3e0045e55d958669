import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.hadoop.hbase.client.*;
import org.apache.hadoop.hbase.util.Bytes;

/** One kind of operation, in a loop, on rows of its own, until something fails or the round ends. */
abstract class Worker {
  static final byte[] F = Bytes.toBytes("f"), Q = Bytes.toBytes("q");

  /** What plain puts ask for. SKIP_WAL must make a run fail: it shows that the test notices what is lost. */
  static Durability durability = Durability.USE_DEFAULT;

  final String prefix;
  final Expected expected = new Expected();
  long n;

  Worker(String prefix) { this.prefix = prefix; }

  /** One operation. An exception means that its outcome is unknown, and has been noted as such. */
  abstract void step(Table t) throws Exception;

  /** The value of a row of this worker, from the cell's bytes. */
  String decode(byte[] value) { return Bytes.toString(value); }

  /** Whether a row can only ever have had one version. */
  boolean oneVersion(String row) { return true; }

  String next() { return String.format("%s-%08d", prefix, n++); }

  static Put put(String row, String value) { return new Put(Bytes.toBytes(row)).addColumn(F, Q, Bytes.toBytes(value)); }

  interface Call {
    void run() throws Exception;
  }

  void attempt(String row, String value, Call call) throws Exception {
    try {
      call.run();
    } catch (Exception e) {
      expected.unanswered(row, value);
      throw e;
    }
    expected.acknowledged(row, value);
  }

  static final class Puts extends Worker {
    Puts(String prefix) { super(prefix); }

    void step(Table t) throws Exception {
      String row = next(), value = "put " + row;
      attempt(row, value, () -> t.put(put(row, value).setDurability(durability)));
    }
  }

  static final class MultiPuts extends Worker {
    private static final int ROWS = 20;

    MultiPuts(String prefix) { super(prefix); }

    void step(Table t) throws Exception {
      List<Put> puts = new ArrayList<>();
      List<String> rows = new ArrayList<>();
      for (int i = 0; i < ROWS; i++) {
        rows.add(next());
        puts.add(put(rows.get(i), "multi " + rows.get(i)));
      }
      Object[] answers = new Object[ROWS];
      Exception failed = null;
      try {
        t.batch(puts, answers);
      } catch (Exception e) {
        failed = e;
      }
      for (int i = 0; i < ROWS; i++) {
        if (answers[i] instanceof Result) expected.acknowledged(rows.get(i), "multi " + rows.get(i));
        else expected.unanswered(rows.get(i), "multi " + rows.get(i));
      }
      if (failed != null) throw failed;
    }
  }

  static final class Deletes extends Worker {
    Deletes(String prefix) { super(prefix); }

    void step(Table t) throws Exception {
      String row = next(), value = "to be deleted " + row;
      attempt(row, value, () -> t.put(put(row, value)));
      attempt(row, null, () -> t.delete(new Delete(Bytes.toBytes(row))));
    }
  }

  /** A chain: every value is put only if the one before it is there. The condition must never fail. */
  static final class CheckAndPuts extends Worker {
    CheckAndPuts(String prefix) { super(prefix); }

    boolean oneVersion(String row) { return false; }

    void step(Table t) throws Exception {
      String row = prefix + "-chain", was = expected.value(row), value = "link " + n++;
      CheckAndMutate.Builder c = CheckAndMutate.newBuilder(Bytes.toBytes(row));
      if (was == null) c.ifNotExists(F, Q);
      else c.ifEquals(F, Q, Bytes.toBytes(was));
      attempt(row, value, () -> {
        if (!t.checkAndMutate(c.build(put(row, value))).isSuccess()) throw new Violation(row + " was not " + was);
      });
    }
  }

  static final class Increments extends Worker {
    static final String SHARED = "counter-shared";
    /** Over all workers of this kind. */
    static final AtomicLong sharedAcknowledged = new AtomicLong(), sharedUnanswered = new AtomicLong();

    Increments(String prefix) { super(prefix); }

    boolean oneVersion(String row) { return false; }
    String decode(byte[] value) { return String.valueOf(Bytes.toLong(value)); }

    void step(Table t) throws Exception {
      String row = prefix + "-counter", was = expected.value(row), value = String.valueOf(was == null ? 1 : Long.parseLong(was) + 1);
      attempt(row, value, () -> {
        String got = String.valueOf(t.incrementColumnValue(Bytes.toBytes(row), F, Q, 1));
        if (!got.equals(value)) throw new Violation(row + " counted to " + got + " instead of " + value);
      });
      try {
        t.incrementColumnValue(Bytes.toBytes(SHARED), F, Q, 1);
      } catch (Exception e) {
        sharedUnanswered.incrementAndGet();
        throw e;
      }
      sharedAcknowledged.incrementAndGet();
    }
  }

  static final class Appends extends Worker {
    private static final int PER_ROW = 200;

    Appends(String prefix) { super(prefix); }

    boolean oneVersion(String row) { return false; }

    void step(Table t) throws Exception {
      String row = String.format("%s-%06d", prefix, n / PER_ROW), piece = "<" + n++ + ">", was = expected.value(row);
      String value = (was == null ? "" : was) + piece;
      attempt(row, value, () -> t.append(new Append(Bytes.toBytes(row)).addColumn(F, Q, Bytes.toBytes(piece))));
    }
  }

  /** The server answered, and the answer is wrong. */
  static final class Violation extends Exception {
    Violation(String what) { super(what); }
  }
}
