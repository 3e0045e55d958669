import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hbase.RegionMetrics;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.CompactionState;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.util.Bytes;

/** One table on one server: what an operation is sent to. */
final class Target implements AutoCloseable {
  private static final int COMPACTION_LIMIT_MS = 120_000, OPENING_LIMIT_MS = 180_000, MOVING_LIMIT_MS = 120_000;
  private static final List<String> NOBODY_YET = List.of("NotServingRegionException", "RegionOpeningException", "ServerNotRunningYetException",
    "PleaseHoldException", "ConnectionClosedException", "java.net.");

  final Server server;
  final TableName name;
  final Table table;
  final Admin admin;
  private List<RegionInfo> regions;

  Target(Server server, TableName name) throws IOException {
    this.server = server;
    this.name = name;
    table = server.connection().getTable(name);
    admin = server.connection().getAdmin();
  }

  void create(Schema schema) throws IOException {
    admin.createTable(schema.descriptor(name, server.isFinback()), schema.splits);
  }

  void drop() throws IOException {
    if (admin.isTableEnabled(name)) admin.disableTable(name);
    admin.deleteTable(name);
  }

  private List<RegionInfo> regions() throws IOException {
    if (regions == null) {
      regions = admin.getRegions(name);
      regions.sort((a, b) -> Bytes.compareTo(a.getStartKey(), b.getStartKey()));
    }
    return regions;
  }

  /** Other regions have taken the place of the ones that were known. */
  void regionsHaveChanged() { regions = null; }

  /** Returns when all regions answer. After a start they may be opened later than the server says that it serves. */
  void awaitRegions() throws Exception {
    long limit = System.nanoTime() + OPENING_LIMIT_MS * 1_000_000L;
    for (; ; Thread.sleep(100)) {
      try {
        if (admin.isTableDisabled(name) || admin.isTableAvailable(name) && answer()) return;
        if (System.nanoTime() > limit) throw new IOException("regions do not answer after " + OPENING_LIMIT_MS + " ms");
      } catch (IOException e) {
        if (System.nanoTime() > limit) throw e;
      }
    }
  }

  /** Whether all regions do. An exception is an answer too, unless it says that there is nobody yet. */
  private boolean answer() throws IOException {
    for (RegionInfo region : regions()) {
      byte[] start = region.getStartKey();
      try {
        table.exists(new Get(start.length == 0 ? new byte[1] : start));
      } catch (IOException e) {
        if (NOBODY_YET.stream().anyMatch(Answer.thrown(e)::contains)) return false;
      }
    }
    return true;
  }

  /** Divides the region of a row there, unless it begins with it, and waits until each half has files of its own. */
  void divide(byte[] row) throws Exception {
    RegionInfo region = regions().stream().filter(each -> each.containsRow(row)).findAny().orElseThrow();
    if (!Bytes.equals(region.getStartKey(), row)) move(() -> admin.splitRegionAsync(region.getRegionName(), row));
  }

  /** Merges two neighbours, if there are two; the first is the one of that number, as far as there are so many. */
  void merge(int number) throws Exception {
    List<RegionInfo> all = regions();
    if (all.size() < 2) return;
    int first = number % (all.size() - 1);
    move(() -> admin.mergeRegionsAsync(new byte[][] {all.get(first).getRegionName(), all.get(first + 1).getRegionName()}, false));
  }

  private interface Move {
    Future<Void> begin() throws IOException;
  }

  /** Tried again as long as a region still has something of an earlier one, which a server notices now and then. */
  private void move(Move move) throws Exception {
    long limit = System.nanoTime() + MOVING_LIMIT_MS * 1_000_000L;
    for (; ; Thread.sleep(200)) {
      try {
        admin.runCatalogJanitor();
        move.begin().get(MOVING_LIMIT_MS, TimeUnit.MILLISECONDS);
        break;
      } catch (IOException | ExecutionException notYet) {
        if (System.nanoTime() > limit) throw notYet;
      }
    }
    regionsHaveChanged();
    awaitRegions();
    compact(false);
  }

  void flush() throws IOException {
    for (RegionInfo region : regions()) admin.flushRegion(region.getRegionName());
  }

  /** Asks for a compaction and returns when there is none to be done any more, neither asked for nor by policy. */
  void compact(boolean major) throws Exception {
    for (RegionInfo region : regions()) {
      if (major) admin.majorCompactRegion(region.getRegionName());
      else admin.compactRegion(region.getRegionName());
    }
    long limit = System.nanoTime() + COMPACTION_LIMIT_MS * 1_000_000L;
    for (RegionInfo region : regions()) {
      while (admin.getCompactionStateForRegion(region.getRegionName()) != CompactionState.NONE) {
        if (System.nanoTime() > limit) throw new IOException("a compaction is not over after " + COMPACTION_LIMIT_MS + " ms");
        Thread.sleep(3);
      }
    }
  }

  private static final String CONTENTS = "store files";

  /** Whether an answer is that of contents(). */
  static boolean areContents(String answer) { return answer.startsWith(CONTENTS); }

  /** Store files of each region, and every cell that is in them, hidden or not. */
  String contents() throws IOException {
    List<RegionMetrics> all = new ArrayList<>();
    for (ServerName each : admin.getRegionServers()) all.addAll(admin.getRegionMetrics(each, name));
    all.sort((a, b) -> Bytes.compareTo(a.getRegionName(), b.getRegionName()));
    StringBuilder text = new StringBuilder(CONTENTS);
    for (RegionMetrics region : all) text.append(' ').append(region.getStoreFileCount());
    return text.append('\n').append(Reads.run(table, new Scan().setRaw(true).readAllVersions())).toString();
  }

  /** All that a client sees of the table. */
  String visibleContents() throws IOException { return Reads.run(table, new Scan().readAllVersions()); }

  /** Flushes, and waits for the compaction that the new files may give reason for. */
  void flushAndSettle() throws Exception {
    flush();
    compact(false);
  }

  @Override
  public void close() throws IOException {
    table.close();
    admin.close();
  }
}
