package org.apache.hadoop.hbase.regionserver;

import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Collectors;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.CellComparatorImpl;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.HBaseTestingUtility;
import org.apache.hadoop.hbase.regionserver.compactions.StripeCompactionPolicy;
import org.apache.hadoop.hbase.regionserver.compactions.StripeCompactionPolicy.StripeCompactionRequest;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.util.EnvironmentEdgeManager;
import org.apache.hadoop.hbase.util.ManualEnvironmentEdge;

/**
 * Stores with stripes drawn at random, which stripes HBase finds in them, and which files its policy chooses: a line of JSON for each.
 * The argument says how many. Not drawn: compactions of one file, of which there is no end.
 */
public final class StripeChoices {
  private static final String OF_STRIPES = "hbase.store.stripe.", OF_STORES = "hbase.hstore.compaction.";

  private final Random random;
  private final Map<String, Object> settings = new LinkedHashMap<>();

  private StripeChoices(long seed) { random = new Random(seed); }

  public static void main(String[] args) throws Exception {
    Configuration plain = HBaseConfiguration.create();
    HBaseTestingUtility utility = new HBaseTestingUtility(plain);
    for (long seed = 1, last = Long.parseLong(args[0]); seed <= last; seed++) System.out.println(new StripeChoices(seed).line(plain, utility));
  }

  private boolean percent(int share) { return random.nextInt(100) < share; }

  private int between(int least, int most) { return least + random.nextInt(most - least + 1); }

  private void drawSettings() {
    settings.put(OF_STRIPES + "compaction.minFilesL0", between(1, 5));
    settings.put(OF_STRIPES + "compaction.flushToL0", percent(50));
    if (percent(70)) settings.put(OF_STRIPES + "compaction.minFiles", between(2, 5));
    if (percent(70)) settings.put(OF_STRIPES + "compaction.maxFiles", between(3, 10));
    settings.put(OF_STRIPES + "initialStripeCount", between(1, 4));
    settings.put(OF_STRIPES + "sizeToSplit", between(20, 2000));
    settings.put(OF_STRIPES + "splitPartCount", new double[] {2, 2, 3, 1.5, 0.5}[random.nextInt(5)]);
    settings.put(OF_STORES + "min", between(2, 5));
    settings.put(OF_STORES + "max", between(3, 12));
    settings.put(OF_STORES + "ratio", new double[] {1.2, 1.2, 0.5, 3.0}[random.nextInt(4)]);
    settings.put(OF_STORES + "min.size", percent(50) ? 0 : between(0, 100));
    if (percent(25)) settings.put(OF_STORES + "max.size", between(50, 1000));
  }

  private String line(Configuration plain, HBaseTestingUtility utility) throws Exception {
    drawSettings();
    Configuration conf = new Configuration(plain);
    settings.forEach((name, value) -> conf.set(name, value.toString()));
    int now = between(100, 4000);
    long ttl = percent(60) ? Long.MAX_VALUE : between(1, 4000);
    List<String> bounds = new ArrayList<>(List.of(""));
    for (char row = 'b'; percent(60) && row < 'y'; row += between(1, 5)) bounds.add(String.valueOf(row));
    bounds.add("");
    boolean striped = percent(85);
    List<HStoreFile> files = new ArrayList<>();
    StringBuilder drawn = new StringBuilder();
    for (int i = 0, n = between(0, DrawnFile.MOST); i < n; i++) files.add(file(utility, i, striped ? bounds : null, now, drawn));
    DrawnStore store = new DrawnStore(ttl, 16);
    StripeStoreConfig config = new StripeStoreConfig(conf, store);
    StripeStoreFileManager stripes = new StripeStoreFileManager(CellComparatorImpl.COMPARATOR, conf, config);
    stripes.loadFiles(files);
    ManualEnvironmentEdge clock = new ManualEnvironmentEdge();
    clock.setValue(now);
    EnvironmentEdgeManager.injectEdge(clock);
    StripeCompactionRequest chosen = new StripeCompactionPolicy(conf, store, config).selectCompaction(stripes, new ArrayList<>(), false);
    EnvironmentEdgeManager.reset();
    String set = settings.entrySet().stream().map(each -> "\"" + each.getKey() + "\":\"" + each.getValue() + "\"").collect(Collectors.joining(","));
    return "{\"settings\":{" + set + "},\"now\":" + now + ",\"ttl\":" + (ttl == Long.MAX_VALUE ? null : ttl) + ",\"files\":[" + drawn + "],\"level0\":"
      + numbers(files, stripes.getLevel0Files()) + ",\"stripes\":" + stripes.getStripes().stream().map(each -> numbers(files, each)).collect(Collectors.joining(",", "[", "]"))
      + ",\"chosen\":" + text(files, chosen) + "}";
  }

  private HStoreFile file(HBaseTestingUtility utility, int number, List<String> bounds, int now, StringBuilder drawn) throws Exception {
    int size = percent(60) ? between(1, 20) : between(1, 500), cells = between(1, 1000), stripe = bounds == null || percent(25) ? -1 : random.nextInt(bounds.size() - 1);
    int newest = percent(50) ? now - between(0, 50) : between(0, now);
    DrawnFile file = new DrawnFile(utility, number, size, percent(1), false);
    file.setEntries(cells);
    file.setTimeRangeTracker(TimeRangeTracker.create(TimeRangeTracker.Type.NON_SYNC, Math.max(0, newest - 5), newest));
    String rows = "";
    if (stripe >= 0) {
      // Sometimes of a stripe that was cut since, or of none that there could be.
      String start = bounds.get(stripe), end = bounds.get(percent(95) ? stripe + 1 : between(0, bounds.size() - 1));
      file.setMetadataValue(StripeStoreFileManager.STRIPE_START_KEY, Bytes.toBytes(start));
      file.setMetadataValue(StripeStoreFileManager.STRIPE_END_KEY, Bytes.toBytes(end));
      rows = ",\"rows\":[\"" + start + "\",\"" + end + "\"]";
    }
    drawn.append(number == 0 ? "" : ",").append("{\"size\":" + size + ",\"cells\":" + cells + ",\"newest\":" + newest + rows + (file.isReference() ? ",\"reference\":true" : "") + "}");
    return file;
  }

  private static String numbers(List<HStoreFile> files, Iterable<HStoreFile> some) {
    List<Integer> numbers = new ArrayList<>();
    for (HStoreFile file : some) numbers.add(files.indexOf(file));
    return numbers.toString().replace(" ", "");
  }

  private static String text(List<HStoreFile> files, StripeCompactionRequest chosen) throws Exception {
    if (chosen == null) return null;
    List<Integer> numbers = new ArrayList<>();
    for (HStoreFile file : chosen.getRequest().getFiles()) numbers.add(files.indexOf(file));
    numbers.sort(null);
    byte[] from = of(chosen, "majorRangeFromRow"), to = of(chosen, "majorRangeToRow");
    String whole = from == null ? null : "[" + row(from) + "," + row(to) + "]";
    String cut;
    if (chosen.getClass().getSimpleName().startsWith("Split")) {
      byte[] start = of(chosen, "startRow"), end = of(chosen, "endRow");
      int pieces = of(chosen, "targetCount");
      long cells = of(chosen, "targetKvs");
      cut = "\"cells\":[" + row(start) + "," + row(end) + "," + pieces + "," + cells + "]";
    } else {
      List<byte[]> boundaries = of(chosen, "targetBoundaries");
      cut = "\"rows\":[" + boundaries.stream().map(StripeChoices::row).collect(Collectors.joining(",")) + "]";
    }
    return "{\"files\":" + numbers.toString().replace(" ", "") + "," + cut + ",\"whole\":" + whole + "}";
  }

  private static String row(byte[] row) { return "\"" + Bytes.toString(row) + "\""; }

  /** A field of a request, which is for HBase's own eyes. */
  @SuppressWarnings("unchecked")
  private static <T> T of(StripeCompactionRequest chosen, String name) throws Exception {
    Class<?> type = name.startsWith("major") ? chosen.getClass().getSuperclass() : chosen.getClass();
    Field field = type.getDeclaredField(name);
    field.setAccessible(true);
    return (T) field.get(chosen);
  }
}
