package org.apache.hadoop.hbase.regionserver;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.HBaseTestingUtility;
import org.apache.hadoop.hbase.regionserver.compactions.CompactionRequestImpl;
import org.apache.hadoop.hbase.regionserver.compactions.DateTieredCompactionPolicy;
import org.apache.hadoop.hbase.regionserver.compactions.DateTieredCompactionRequest;
import org.apache.hadoop.hbase.regionserver.compactions.ExploringCompactionPolicy;
import org.apache.hadoop.hbase.regionserver.compactions.RatioBasedCompactionPolicy;
import org.apache.hadoop.hbase.regionserver.compactions.SortedCompactionPolicy;
import org.apache.hadoop.hbase.util.EnvironmentEdgeManager;
import org.apache.hadoop.hbase.util.ManualEnvironmentEdge;

/**
 * Stores drawn at random, and which of their files HBase's own policies choose: a line of JSON for each. The argument says how many.
 * What is not drawn: a window of now for which one file is enough (HBase compacts that file again and again; with its ratio-based policy
 * it may fail), and windows by the thousand (which Finback does not cut a store into).
 */
public final class CompactionChoices {
  /** What the names of the settings drawn begin with. */
  private static final String SETTINGS = "hbase.hstore.compaction.", TIERED = "date.tiered.", OLDEST = TIERED + "max.storefile.age.millis";

  private final Random random;
  private final Map<String, Object> settings = new LinkedHashMap<>();
  private long now, ttl, period;
  private int blocking;

  private CompactionChoices(long seed) { random = new Random(seed); }

  public static void main(String[] args) throws Exception {
    Configuration plain = HBaseConfiguration.create();
    HBaseTestingUtility utility = new HBaseTestingUtility(plain);
    for (long seed = 1, last = Long.parseLong(args[0]); seed <= last; seed++) System.out.println(new CompactionChoices(seed).line(plain, utility));
  }

  private boolean percent(int share) { return random.nextInt(100) < share; }

  private long between(long least, long most) { return least + (long) (random.nextDouble() * (most - least + 1)); }

  private void set(String name, Object value) { settings.put(name, value); }

  private String drawPolicy() {
    if (percent(15)) return "Exploring";
    if (percent(15)) return "RatioBased";
    set(TIERED + "base.window.millis", between(10, 60));
    set(TIERED + "windows.per.tier", between(1, 5));
    if (percent(50)) set(OLDEST, between(0, 5000));
    if (percent(40)) set(TIERED + "max.tier.age.millis", between(0, 2000));
    set(TIERED + "incoming.window.min", between(2, 6));
    set(TIERED + "single.output.for.minor.compaction", percent(50));
    if (percent(40)) set(TIERED + "window.policy.class", RatioBasedCompactionPolicy.class.getName());
    return "DateTiered";
  }

  private String line(Configuration plain, HBaseTestingUtility utility) throws Exception {
    String policy = drawPolicy();
    set("min", between(1, 5));
    set("max", between(3, 12));
    set("ratio", new double[] {1.2, 1.2, 0.5, 3.0}[random.nextInt(4)]);
    set("min.size", percent(50) ? 0 : between(0, 100));
    if (percent(25)) set("max.size", between(50, 1000));
    period = percent(50) ? 0 : between(1, 3000);
    blocking = (int) between(3, 20);
    now = percent(5) ? between(0, 20) : between(1, 6000);
    ttl = percent(70) ? Long.MAX_VALUE : between(1, 4000);
    boolean major = percent(15);
    List<HStoreFile> files = new ArrayList<>();
    StringBuilder drawn = new StringBuilder();
    for (int i = 0, n = random.nextInt(DrawnFile.MOST + 1); i < n; i++) files.add(file(utility, i, drawn));
    ManualEnvironmentEdge clock = new ManualEnvironmentEdge();
    clock.setValue(now);
    EnvironmentEdgeManager.injectEdge(clock);
    String chosen = chosen(policy(policy, plain), files, major);
    EnvironmentEdgeManager.reset();
    StringBuilder text = new StringBuilder("{\"policy\":\"" + policy + "\",\"settings\":{");
    String comma = "";
    for (Map.Entry<String, Object> setting : settings.entrySet()) {
      text.append(comma).append('"').append(setting.getKey()).append("\":\"").append(setting.getValue()).append('"');
      comma = ",";
    }
    text.append("},\"period\":").append(period).append(",\"blocking\":").append(blocking).append(",\"now\":").append(now).append(",\"ttl\":").append(ttl == Long.MAX_VALUE ? null : ttl);
    return text.append(",\"asked\":").append(major).append(",\"files\":[").append(drawn).append("],\"chosen\":").append(chosen).append('}').toString();
  }

  /** With timestamps, unless age has a limit: HBase would go back to the beginning of time for them, window by window. */
  private HStoreFile file(HBaseTestingUtility utility, int number, StringBuilder drawn) throws Exception {
    long size = percent(50) ? between(1, 20) : between(1, 500);
    boolean reference = percent(1), bulkLoaded = percent(5), isMajor = percent(40), says = !settings.containsKey(OLDEST) || percent(95);
    // Mostly in the order of their age, as they come.
    long newest = percent(85) ? Math.max(0, Math.min(now, now * (number + 1) / DrawnFile.MOST + between(-40, 40))) : between(0, now + 200);
    long oldest = percent(60) ? newest : newest - between(0, 300), written = Math.max(0, now - between(0, 4000));
    DrawnFile file = new DrawnFile(utility, number, size, reference, bulkLoaded);
    file.setIsMajor(isMajor);
    file.modificationTime = written;
    if (says) file.setTimeRangeTracker(TimeRangeTracker.create(TimeRangeTracker.Type.NON_SYNC, oldest, newest));
    drawn.append(number == 0 ? "" : ",").append("{\"size\":" + size + ",\"written\":" + written + (says ? ",\"times\":[" + oldest + "," + newest + "]" : "")
      + (isMajor ? ",\"major\":true" : "") + (bulkLoaded ? ",\"bulk\":true" : "") + (reference ? ",\"reference\":true" : "") + "}");
    return file;
  }

  private SortedCompactionPolicy policy(String name, Configuration plain) throws Exception {
    Configuration conf = new Configuration(plain);
    settings.forEach((setting, value) -> conf.set(SETTINGS + setting, value.toString()));
    conf.setLong("hbase.hregion.majorcompaction", period);
    conf.setFloat("hbase.hregion.majorcompaction.jitter", 0);
    StoreConfigInformation store = new DrawnStore(ttl, blocking);
    return switch (name) {
      case "DateTiered" -> new DateTieredCompactionPolicy(conf, store);
      case "RatioBased" -> new RatioBasedCompactionPolicy(conf, store);
      default -> new ExploringCompactionPolicy(conf, store);
    };
  }

  /** As a store goes about it: where nothing says that something is to be done, only who asks gets a choice. */
  private String chosen(SortedCompactionPolicy policy, List<HStoreFile> files, boolean major) throws Exception {
    CompactionRequestImpl request = policy.selectCompaction(files, new ArrayList<>(), major, false, major);
    if (request.getFiles().isEmpty()) return "null";
    List<Integer> numbers = new ArrayList<>();
    for (HStoreFile file : request.getFiles()) numbers.add(files.indexOf(file));
    String boundaries = request instanceof DateTieredCompactionRequest tiered ? tiered.getBoundaries().toString().replace(" ", "") : "null";
    return "{\"files\":" + numbers.toString().replace(" ", "") + ",\"major\":" + request.isMajor() + ",\"boundaries\":" + boundaries + "}";
  }
}
