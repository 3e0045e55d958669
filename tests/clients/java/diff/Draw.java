import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * Random choices of one operation. Each operation has a source of its own, made from the seed, the table and its number,
 * so that it is the same whichever operations go before it: that is what lets a sequence be replayed in part.
 */
final class Draw {
  /** 2100-01-01: whatever is written there, no time to live ends within the life of this test. */
  static final long FUTURE_MS = 4_102_444_800_000L;
  /** Explicit timestamps are this many, from 0 and from FUTURE_MS on: few, so that they collide. */
  static final int TIMESTAMPS = 10;
  /** A time to live that no cell of the past outlives, and none of now. */
  static final long FOR_DECADES_MS = 4_000_000_000_000L;

  private final SplittableRandom random;
  private boolean mayUseServerTime = true;
  private boolean usedServerTime;
  private boolean hidesAllVersions;

  private final long[] seeds;

  Draw(long... seeds) {
    this.seeds = seeds;
    long mixed = 0x9E3779B97F4A7C15L;
    for (long seed : seeds) mixed = new SplittableRandom(mixed ^ seed * 0xD1342543DE82EF95L).nextLong();
    random = new SplittableRandom(mixed);
  }

  /** Another source, which takes nothing from this one. */
  Draw beside() {
    long[] more = Arrays.copyOf(seeds, seeds.length + 1);
    more[seeds.length] = 1;
    return new Draw(more);
  }

  int below(int bound) { return random.nextInt(bound); }

  int between(int from, int to) { return from + below(to - from + 1); }

  boolean percent(int of100) { return below(100) < of100; }

  boolean coin() { return random.nextBoolean(); }

  @SafeVarargs
  final <T> T of(T... all) { return all[below(all.length)]; }

  /** A number of a kind, each as often as its weight says. */
  int weighted(int... weights) {
    int at = below(Arrays.stream(weights).sum());
    for (int i = 0;; i++) {
      at -= weights[i];
      if (at < 0) return i;
    }
  }

  // --- Bytes ---

  byte[] row(Schema schema) { return of(schema.rows); }

  /** A row that is there, or a neighbour of one, or none. */
  byte[] bound(Schema schema) {
    return switch (weighted(70, 15, 10, 5)) {
      case 0 -> row(schema);
      case 1 -> {
        byte[] row = row(schema);
        yield row.length < Schema.LONGEST_ROW ? Bytes.add(row, new byte[1]) : row;
      }
      case 2 -> new byte[] {(byte) below(256)};
      default -> new byte[0];
    };
  }

  byte[] qualifier(Schema schema) { return of(schema.qualifiers); }

  byte[] value() {
    return switch (weighted(25, 30, 10, 5, 5, 25)) {
      case 0 -> Bytes.toBytes((long) between(-3, 100));
      case 1 -> bytes("v" + below(5));
      case 2 -> new byte[0];
      case 3 -> new byte[] {(byte) below(256), (byte) 0xff, 0};
      case 4 -> filled(between(40, 300), (byte) ('a' + below(3)));
      default -> bytes(of("abc", "abd", "b", "1", "10"));
    };
  }

  static byte[] bytes(String text) { return text.getBytes(StandardCharsets.UTF_8); }

  static byte[] filled(int length, byte with) {
    byte[] all = new byte[length];
    Arrays.fill(all, with);
    return all;
  }

  // --- Times ---

  /** Forbids the server's time for the rest of this operation. */
  void withoutServerTime() { mayUseServerTime = false; }

  /**
   * Whether a mutation leaves its timestamp to the server: one of an operation at most, as two could share a millisecond
   * on one server and not on the other.
   */
  boolean serverTime(Schema schema) {
    if (!schema.serverTime || !mayUseServerTime || !percent(20)) return false;
    mayUseServerTime = false;
    usedServerTime = true;
    return true;
  }

  /** Notes that the server will use its time whatever the client says. */
  void serverTimeIsUsed() { usedServerTime = true; }

  boolean usedServerTime() { return usedServerTime; }

  /** Whether a marker of this operation may hide all versions: see KeptOut.NEW_VERSION_MARKERS. */
  boolean mayHideAllVersions(Schema schema) {
    boolean may = !hidesAllVersions || !schema.newVersionBehavior || KeptOut.NEW_VERSION_MARKERS.isIn();
    hidesAllVersions = true;
    return may;
  }

  long timestamp(Schema schema) {
    int number = below(TIMESTAMPS);
    return schema.future && (!schema.past || coin()) ? FUTURE_MS + number : number;
  }

  /** From inclusive, to exclusive; never an edge near to now. */
  long[] timeRange(Schema schema) {
    long a = timestamp(schema), b = timestamp(schema);
    return switch (weighted(60, 20, 20)) {
      case 0 -> new long[] {Math.min(a, b), Math.max(a, b) + below(2)};
      case 1 -> new long[] {0, a};
      default -> new long[] {a, Long.MAX_VALUE};
    };
  }

  /**
   * The own time to live of cells whose timestamp may be the server's: over already, or not over for decades, wherever the
   * timestamp is.
   */
  long cellTtl() {
    long forDecades = of(FOR_DECADES_MS, 1_000_000_000_000_000L);
    return usedServerTime || coin() ? forDecades : of(1L, 1000L);
  }
}
