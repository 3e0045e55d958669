import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;

/** Stops and starts both servers, or kills them. */
final class Restart {
  private final Server hbase, finback;
  private final ExecutorService threads;

  Restart(Server hbase, Server finback, ExecutorService threads) {
    this.hbase = hbase;
    this.finback = finback;
    this.threads = threads;
  }

  /**
   * What was written without the log is flushed before. Afterwards everything is: a server may flush what it replays,
   * or keep it in memory, and a later read could tell.
   */
  void restart(boolean kill, List<Run> tables) throws Exception {
    for (Run table : tables) {
      if (table.schema.weakDurability) table.settle();
      table.close();
    }
    CompletableFuture<Void> other = CompletableFuture.runAsync(() -> Diff.quietly(() -> restart(finback, kill)), threads);
    restart(hbase, kill);
    other.get();
    for (Run table : tables) {
      table.connect();
      table.awaitRegions();
      table.settle();
    }
  }

  private static void restart(Server server, boolean kill) throws Exception {
    if (kill) server.kill();
    else server.stop();
    server.start();
  }
}
