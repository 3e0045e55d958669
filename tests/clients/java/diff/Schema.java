import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.KeepDeletedCells;
import org.apache.hadoop.hbase.MemoryCompactionPolicy;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.io.compress.Compression;
import org.apache.hadoop.hbase.io.encoding.DataBlockEncoding;
import org.apache.hadoop.hbase.regionserver.BloomType;
import org.apache.hadoop.hbase.util.Bytes;

/** A table, drawn at random: its families, and the few rows and qualifiers that all its operations share. */
final class Schema {
  /** Far from both ends of the timestamps in use: those in the past have expired, those in the future have not. */
  static final int TTL_S = 30 * 24 * 3600;
  static final int LONGEST_ROW = Short.MAX_VALUE;
  private static final String ENGINE = "hbase.hstore.engine.class", ENGINES = "org.apache.hadoop.hbase.regionserver.", STRIPES = "hbase.store.stripe.";
  /** So many files there never are: no compaction is due by their number. */
  private static final String MANY = "1000";

  final long seed;
  final int number;
  final List<Family> families = new ArrayList<>();
  final byte[][] rows;
  final byte[][] qualifiers;
  final byte[][] splits;
  /** Which timestamps are in use. */
  final boolean past, future, serverTime;
  final boolean newVersionBehavior, emptyQualifier;
  final boolean familyMarkers;
  /**
   * Whether markers of columns and the other cells of the empty qualifier have timestamps of their own. A reader of HBase
   * that leaves a marker there seeks to the key of the same timestamp and the next type; when there is such a cell, it
   * never returns (KeyValueHeap.generalizedSeek). It leaves markers where they expire or count as versions.
   */
  final boolean apart;
  /** Whether edits may skip the log; then everything is flushed before a server is killed. */
  final boolean weakDurability;
  /** One operation in so many is a flush. */
  final int flushEvery;
  /**
   * Whether what is written is put into flat segments after a few operations, and these are compacted in memory. A segment whose
   * timestamps are all outside of a time range is not read; under NEW_VERSION_BEHAVIOR it is seen then where segments end.
   */
  private boolean flushesInMemory;
  /**
   * Whether families may be EAGER or ADAPTIVE. These leave out of memory, whenever they come to it, what a marker hides, with the markers
   * below it, and what is more than the versions. Who reads cells below markers (a raw scan, a filter with a hint) would see when that
   * was, and a time range which versions are left, of those that have expired too; and of a memstore that has nothing left no file is
   * written. So these tables keep all versions, nobody reads them so or counts their files, and what becomes of deleted cells does not
   * change.
   */
  private boolean leavesOutInMemory;
  /** Whether regions are divided and merged. */
  private final boolean moves;
  /**
   * Whether compactions write what reads of the present do not need to files of their own. Not of MOB files: HBase forgets no marker at
   * the end of a row there, and so leaves out what it does not hide.
   */
  private final boolean keepsHistoryApart;
  /** Whether files are of times, or of stripes. Not with MOB files, whose stores HBase lays out in one way. */
  private final boolean dateTiered, striped;

  Schema(long seed, int number) {
    this.seed = seed;
    this.number = number;
    Draw draw = new Draw(seed, number, -1);
    int time = draw.weighted(40, 25, 35);
    past = time != 1;
    future = time != 0;
    serverTime = draw.percent(50);
    weakDurability = draw.percent(30);
    newVersionBehavior = draw.percent(15);
    // HBase counts wrongly, or fails, where NEW_VERSION_BEHAVIOR meets the empty qualifier.
    emptyQualifier = (!newVersionBehavior || KeptOut.NEW_VERSION_EMPTY_QUALIFIER.isIn()) && draw.percent(50);
    apart = emptyQualifier && draw.percent(60) && !KeptOut.ENDLESS_SEEK.isIn();
    familyMarkers = draw.percent(85) && (!emptyQualifier || KeptOut.FAMILY_MARKER_LEAPT.isIn() || KeptOut.ENDLESS_SEEK.isIn());
    flushEvery = draw.of(15, 40, 100, 400);
    for (int i = 0, n = draw.between(1, 3); i < n; i++) families.add(new Family(draw, "abc".substring(i, i + 1), newVersionBehavior, mayLeaveMarkers()));
    rows = rows(draw);
    qualifiers = qualifiers(draw, emptyQualifier);
    splits = splits(draw);
    drawMobFiles(new Draw(seed, number, -2));
    drawInMemoryCompaction(new Draw(seed, number, -3));
    moves = new Draw(seed, number, -4).percent(40);
    Draw layout = new Draw(seed, number, -6);
    dateTiered = layout.percent(20) && !hasMobFiles();
    striped = KeptOut.STRIPED_STORES.isIn() && layout.percent(50) && !dateTiered && !hasMobFiles();
    keepsHistoryApart = !dateTiered && !striped && new Draw(seed, number, -5).percent(35) && !newVersionBehavior && !hasMobFiles();
  }

  /** As drawMobFiles. */
  private void drawInMemoryCompaction(Draw draw) {
    flushesInMemory = draw.percent(60) && !newVersionBehavior;
    leavesOutInMemory = flushesInMemory && draw.percent(50);
    for (Family family : families) {
      family.policy = policy(draw);
      if (!leavesOutInMemory) continue;
      family.versions = Integer.MAX_VALUE;
      family.minVersions = 0;
    }
  }

  MemoryCompactionPolicy policy(Draw draw) {
    MemoryCompactionPolicy any = draw.of(MemoryCompactionPolicy.values()), leavesAll = draw.of(MemoryCompactionPolicy.NONE, MemoryCompactionPolicy.BASIC);
    return leavesOutInMemory ? any : leavesAll;
  }

  /** From a source of its own: what else a seed draws does not depend on it. */
  private void drawMobFiles(Draw draw) {
    if (!draw.percent(25)) return;
    for (Family family : families) if (draw.percent(60)) family.mobThreshold = draw.of(Family.MOB_THRESHOLDS);
  }

  /** Whether its regions are divided and merged. */
  boolean moves() { return moves; }

  boolean keepsHistoryApart() { return keepsHistoryApart; }

  /** Whether there may be more regions than one. */
  boolean hasRegions() { return moves || splits != null; }

  boolean flushesInMemory() { return flushesInMemory; }

  boolean leavesOutInMemory() { return leavesOutInMemory; }

  /** Whether some values are in files of their own; filters see then what stands for them. */
  boolean hasMobFiles() { return families.stream().anyMatch(Family::hasMobFiles); }

  boolean hasMobFiles(byte[] family) { return families.stream().anyMatch(each -> each.hasMobFiles() && Bytes.equals(each.name, family)); }

  private static byte[][] rows(Draw draw) {
    List<byte[]> rows = new ArrayList<>(List.of(Draw.bytes("a"), Draw.bytes("ab"), Draw.bytes("b")));
    byte[][] more = {{0}, {0, 0}, {(byte) 0xff}, {(byte) 0xff, 0}, Draw.bytes("row"), Draw.bytes("abc"), {'b', 0}, Draw.filled(300, (byte) 'b')};
    for (byte[] row : more) if (draw.percent(40)) rows.add(row);
    if (draw.percent(10)) rows.add(Draw.filled(LONGEST_ROW, (byte) 'c'));
    return rows.toArray(new byte[0][]);
  }

  private static byte[][] qualifiers(Draw draw, boolean empty) {
    List<byte[]> all = new ArrayList<>(List.of(Draw.bytes("q")));
    if (empty) all.add(new byte[0]);
    byte[][] more = {{0}, {(byte) 0xff}, Draw.bytes("q1"), Draw.bytes("qq"), Draw.bytes("x"), Draw.filled(200, (byte) 'q')};
    for (byte[] qualifier : more) if (draw.percent(35)) all.add(qualifier);
    return all.toArray(new byte[0][]);
  }

  private static byte[][] splits(Draw draw) {
    return switch (draw.weighted(60, 25, 15)) {
      case 0 -> null;
      case 1 -> new byte[][] {Draw.bytes("b")};
      default -> new byte[][] {Draw.bytes("ab"), Draw.bytes("b")};
    };
  }

  /** Whether readers of HBase may come to leave a marker before the end of its column; see `apart`. */
  boolean mayLeaveMarkers() { return !emptyQualifier || apart || KeptOut.ENDLESS_SEEK.isIn(); }

  byte[] family(Draw draw) { return families.get(draw.below(families.size())).name; }

  TableDescriptor descriptor(TableName table, boolean finback) {
    // Blocks smaller than HBase advises, so that small tables have many.
    TableDescriptorBuilder builder = TableDescriptorBuilder.newBuilder(table).setValue("hbase.table.sanity.checks", "false");
    if (flushesInMemory) builder.setValue("hbase.memstore.inmemoryflush.threshold.factor", "0.00001");
    // None is compacted but when the test says so.
    if (dateTiered) builder.setValue(ENGINE, ENGINES + "DateTieredStoreEngine").setValue("hbase.hstore.compaction.date.tiered.incoming.window.min", MANY);
    if (striped) {
      builder.setValue(ENGINE, ENGINES + "StripeStoreEngine").setValue(STRIPES + "initialStripeCount", "3");
      builder.setValue(STRIPES + "compaction.minFiles", MANY).setValue(STRIPES + "compaction.minFilesL0", MANY);
    }
    if (keepsHistoryApart) builder.setValue("hbase.enable.historical.compaction.files", "true");
    for (Family family : families) builder.setColumnFamily(family.descriptor(finback));
    return builder.build();
  }

  String text() {
    StringBuilder text = new StringBuilder("rows");
    for (byte[] row : rows) text.append(' ').append(Answer.bytes(row));
    text.append("\nqualifiers");
    for (byte[] qualifier : qualifiers) text.append(" '").append(Answer.bytes(qualifier)).append('\'');
    text.append("\nsplits");
    if (splits != null) for (byte[] split : splits) text.append(' ').append(Answer.bytes(split));
    if (dateTiered) text.append("\ndate-tiered");
    if (striped) text.append("\nstriped");
    if (keepsHistoryApart) text.append("\nhistory is kept apart");
    for (Family family : families) text.append('\n').append(family.descriptor(true));
    return text.toString();
  }

  /** A column family's attributes. */
  static final class Family {
    static final Compression.Algorithm[] HBASE_COMPRESSIONS = {Compression.Algorithm.NONE, Compression.Algorithm.GZ};
    static final Compression.Algorithm[] FINBACK_COMPRESSIONS = {Compression.Algorithm.NONE, Compression.Algorithm.GZ, Compression.Algorithm.SNAPPY, Compression.Algorithm.LZ4, Compression.Algorithm.ZSTD};

    /** Below, among and above the lengths of values. */
    static final Long[] MOB_THRESHOLDS = {0L, 1L, 2L, 3L, 7L, 8L, 100L};

    final byte[] name;
    /** Above how many bytes values are in MOB files; null: none is. */
    private Long mobThreshold;
    private MemoryCompactionPolicy policy;
    private final boolean newVersionBehavior;
    private int versions, minVersions;
    private final int ttl, blockSize;
    private final KeepDeletedCells keepDeletedCells;
    private final BloomType bloom;
    private final DataBlockEncoding encoding;
    private final Compression.Algorithm hbaseCompression, finbackCompression;

    Family(Draw draw, String name, boolean newVersionBehavior, boolean mayLeaveMarkers) {
      this.newVersionBehavior = newVersionBehavior;
      this.name = Draw.bytes(name);
      versions = draw.of(1, 1, 2, 3, 5, Integer.MAX_VALUE);
      minVersions = draw.percent(30) ? Math.min(versions, draw.between(1, 2)) : 0;
      // Where both limit versions, HBase does not leave a named column: see KeptOut.NEW_VERSION_NAMED_COLUMNS.
      boolean mayExpire = !newVersionBehavior || minVersions == 0 || KeptOut.NEW_VERSION_NAMED_COLUMNS.isIn();
      ttl = mayLeaveMarkers && draw.percent(25) && mayExpire ? TTL_S : HConstants.FOREVER;
      // Together with NEW_VERSION_BEHAVIOR, HBase's compactions drop cells that can be seen.
      keepDeletedCells = !mayLeaveMarkers || newVersionBehavior && !KeptOut.NEW_VERSION_KEEP_DELETED.isIn() ? KeepDeletedCells.FALSE : draw.of(KeepDeletedCells.FALSE, KeepDeletedCells.FALSE, KeepDeletedCells.TRUE, KeepDeletedCells.TTL);
      bloom = draw.of(BloomType.values());
      encoding = draw.of(DataBlockEncoding.NONE, DataBlockEncoding.PREFIX, DataBlockEncoding.DIFF, DataBlockEncoding.FAST_DIFF, DataBlockEncoding.ROW_INDEX_V1);
      blockSize = draw.of(64, 256, 1024, 65536);
      hbaseCompression = draw.of(HBASE_COMPRESSIONS);
      finbackCompression = draw.of(FINBACK_COMPRESSIONS);
    }

    boolean hasMobFiles() { return mobThreshold != null; }

    /** See KeptOut.ROWCOL_SEEK. */
    static BloomType bloom(BloomType drawn, boolean finback) { return drawn == BloomType.ROWCOL && !finback && !KeptOut.ROWCOL_SEEK.isIn() ? BloomType.ROW : drawn; }

    /** HBase has the compressions that need no native code; what is in the cells does not depend on it. */
    ColumnFamilyDescriptor descriptor(boolean finback) {
      ColumnFamilyDescriptorBuilder builder = ColumnFamilyDescriptorBuilder.newBuilder(name)
        .setMaxVersions(versions).setMinVersions(minVersions).setTimeToLive(ttl).setKeepDeletedCells(keepDeletedCells)
        .setNewVersionBehavior(newVersionBehavior).setBloomFilterType(bloom(bloom, finback)).setDataBlockEncoding(encoding)
        .setBlocksize(blockSize).setCompressionType(finback ? finbackCompression : hbaseCompression).setInMemoryCompaction(policy);
      if (hasMobFiles()) builder.setMobEnabled(true).setMobThreshold(mobThreshold);
      if (bloom == BloomType.ROWPREFIX_FIXED_LENGTH) builder.setConfiguration("RowPrefixBloomFilter.prefix_length", "1");
      return builder.build();
    }
  }
}
