import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * The same random operations and administrator's events, through the same stock client, to a real HBase and to Finback:
 * every answer must be the same. Arguments are NAME=VALUE, see `tests/clients/diff`.
 */
public final class Diff {
  private final Map<String, String> arguments = new LinkedHashMap<>();
  private final Path work;
  private final Server finback;
  private final List<Server> started = new CopyOnWriteArrayList<>();
  private Server hbase;
  private long done, differences;
  private final ExecutorService threads = Executors.newCachedThreadPool(r -> {
    Thread thread = new Thread(r);
    thread.setDaemon(true);
    return thread;
  });

  private Diff(String[] args) throws Exception {
    for (String arg : args) arguments.put(arg.substring(0, arg.indexOf('=')), arg.substring(arg.indexOf('=') + 1));
    work = Files.createDirectories(Path.of(arguments.get("work")));
    List<String> settings = new ArrayList<>(List.of("hbase.wal.hsync=false", "hbase.hregion.majorcompaction=0"));
    if (arguments.containsKey("set")) settings.addAll(List.of(arguments.get("set").split(",")));
    finback = new FinbackServer(work, arguments.get("finback"), settings);
    started.add(finback);
  }

  public static void main(String[] args) throws Exception {
    System.exit(new Diff(args).run() ? 0 : 1);
  }

  private boolean run() throws Exception {
    Runtime.getRuntime().addShutdownHook(new Thread(this::end));
    long from = System.nanoTime();
    // First, and at once: it takes ports that are free, and might take those that HBase is to have.
    finback.start();
    hbase = new HBaseServer(work, arguments.get("hbase"), List.of(arguments.get("jvm").split(" ")));
    started.add(hbase);
    hbase.start();
    System.out.printf("both servers are up after %d s%n", (System.nanoTime() - from) / 1_000_000_000);
    if (arguments.containsKey("defects")) return Defects.show(arguments.get("defects"), hbase, finback);
    Restart restart = new Restart(hbase, finback, threads);
    Shrink shrink = new Shrink(hbase, finback, threads, restart);
    if (arguments.containsKey("replay")) {
      boolean same = true;
      for (String file : arguments.get("replay").split(",")) {
        same &= arguments.containsKey("shrink") ? shrink.shrink(Path.of(file)) : shrink.replay(Path.of(file));
      }
      return same;
    }
    int failed = 0;
    for (String defect : arguments.getOrDefault("with", "").split(",")) {
      KeptOut.letIn(defect);
      if (!defect.isEmpty()) System.out.println("with " + defect);
      failed += seeds(restart, shrink);
    }
    System.out.printf("%d operations, %d differences, in %d s%n", done, differences, (System.nanoTime() - from) / 1_000_000_000);
    return failed == 0;
  }

  /** Runs all seeds; gives back how many showed differences. */
  private int seeds(Restart restart, Shrink shrink) throws Exception {
    String[] seeds = arguments.get("seeds").split("\\.\\.");
    int operations = Integer.parseInt(arguments.get("ops")), tables = Integer.parseInt(arguments.get("tables"));
    int failed = 0;
    for (long seed = Long.parseLong(seeds[0]), last = Long.parseLong(seeds[seeds.length - 1]); seed <= last; seed++) {
      Seed one = new Seed(seed, operations, tables, hbase, finback, threads, restart, work);
      one.run();
      done += one.done();
      differences += one.differences().size();
      if (!one.differences().isEmpty()) failed++;
      if (arguments.containsKey("shrink")) for (Path sequence : one.sequences()) shrink.shrink(sequence);
      System.out.printf("seed %d: %s%n", seed, one.summary());
    }
    return failed;
  }

  private void end() {
    for (Server server : started) quietly(server::kill);
  }

  interface Action {
    void run() throws Exception;
  }

  static void quietly(Action action) {
    try {
      action.run();
    } catch (Exception thrown) {
      throw new IllegalStateException(thrown);
    }
  }
}
