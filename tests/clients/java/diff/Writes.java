import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellBuilderFactory;
import org.apache.hadoop.hbase.CellBuilderType;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.client.Append;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Durability;
import org.apache.hadoop.hbase.client.Increment;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.RowMutations;
import org.apache.hadoop.hbase.util.Bytes;

/** Mutations at random. */
final class Writes {
  private final Draw draw;
  private final Schema schema;
  /** Of the cells that this operation puts, by their keys. */
  private final Map<String, byte[]> values = new HashMap<>();
  private Optional<Long> firstTtl;

  Writes(Draw draw, Schema schema) {
    this.draw = draw;
    this.schema = schema;
  }

  Put put(byte[] row) {
    boolean serverTime = draw.serverTime(schema);
    Put put = new Put(row);
    for (int i = 0, n = draw.weighted(0, 60, 25, 10, 5); i < n; i++) {
      byte[] family = schema.family(draw), qualifier = draw.qualifier(schema), value = draw.value();
      long timestamp = serverTime ? HConstants.LATEST_TIMESTAMP : timestamp(qualifier, 0);
      put.addColumn(family, qualifier, timestamp, alike(row, family, qualifier, timestamp, value));
    }
    Optional<Long> ttl = draw.percent(8) ? Optional.of(cellTtl()) : Optional.empty();
    alike(ttl).ifPresent(put::setTTL);
    return weaken(put);
  }

  private long cellTtl() {
    long drawn = draw.cellTtl();
    return schema.hasMobFiles() && !KeptOut.EXPIRED_TWIN.isIn() ? Draw.FOR_DECADES_MS : drawn;
  }

  /** See KeptOut.TWICE_AT_ONCE. */
  private boolean mayDiffer() { return !schema.flushesInMemory() || KeptOut.TWICE_AT_ONCE.isIn(); }

  private byte[] alike(byte[] row, byte[] family, byte[] qualifier, long timestamp, byte[] drawn) {
    if (mayDiffer()) return drawn;
    return values.computeIfAbsent(Bytes.toStringBinary(row) + "/" + Bytes.toStringBinary(family) + ":" + Bytes.toStringBinary(qualifier) + "/" + timestamp, key -> drawn);
  }

  private Optional<Long> alike(Optional<Long> ttl) {
    if (mayDiffer()) return ttl;
    // Long enough for one that has the server's time.
    if (firstTtl == null) firstTtl = ttl.map(drawn -> Draw.FOR_DECADES_MS);
    return firstTtl;
  }

  private <M extends Mutation> M weaken(M mutation) {
    if (draw.percent(70)) return mutation;
    if (schema.weakDurability) mutation.setDurability(draw.of(Durability.SKIP_WAL, Durability.ASYNC_WAL));
    else mutation.setDurability(draw.of(Durability.SYNC_WAL, Durability.FSYNC_WAL));
    return mutation;
  }

  Delete delete(byte[] row) {
    boolean serverTime = draw.serverTime(schema);
    if (schema.familyMarkers && draw.percent(10) && draw.mayHideAllVersions(schema)) return weaken(serverTime ? new Delete(row) : new Delete(row, timestamp(HConstants.EMPTY_BYTE_ARRAY, 0)));
    Delete delete = new Delete(row);
    for (int i = 0, n = draw.weighted(0, 70, 20, 10); i < n; i++) addMarker(delete, serverTime);
    return weaken(delete);
  }

  private void addMarker(Delete delete, boolean serverTime) {
    byte[] family = schema.family(draw), qualifier = draw.qualifier(schema);
    int kind = schema.familyMarkers ? draw.weighted(20, 30, 35, 15) : draw.weighted(0, 50, 50);
    boolean ofAllVersions = kind <= 1;
    switch (ofAllVersions && !draw.mayHideAllVersions(schema) ? 2 : kind) {
      case 0 -> delete.addFamily(family, serverTime ? HConstants.LATEST_TIMESTAMP : timestamp(HConstants.EMPTY_BYTE_ARRAY, 0));
      case 1 -> delete.addColumns(family, qualifier, serverTime && !isApart(qualifier) ? HConstants.LATEST_TIMESTAMP : timestamp(qualifier, 1));
      // With the server's time the marker gets the timestamp of what it finds.
      case 2 -> delete.addColumn(family, qualifier, serverTime && !isApart(qualifier) ? HConstants.LATEST_TIMESTAMP : timestamp(qualifier, 1));
      // HBase takes "now" for a version to delete from a family, which is there by accident only.
      default -> delete.addFamilyVersion(family, timestamp(HConstants.EMPTY_BYTE_ARRAY, 0));
    }
  }

  private boolean isApart(byte[] qualifier) { return schema.apart && qualifier.length == 0; }

  /** `side` is 1 for markers of columns, and 0 for all other cells. */
  private long timestamp(byte[] qualifier, int side) {
    long timestamp = draw.timestamp(schema);
    return isApart(qualifier) ? timestamp / 2 * 2 + side : timestamp;
  }

  /** A column to be read and written anew: the new cell's timestamp follows from the old one's. */
  private byte[] counter() {
    byte[] qualifier = draw.qualifier(schema);
    return isApart(qualifier) ? Draw.bytes("q") : qualifier;
  }

  Increment increment(byte[] row) throws IOException {
    draw.serverTimeIsUsed();
    Increment increment = new Increment(row);
    for (int i = 0, n = draw.weighted(0, 75, 25); i < n; i++) {
      byte[] family = schema.family(draw), qualifier = counter();
      long amount = draw.of(1L, 1L, 5L, -2L, 0L, Long.MAX_VALUE);
      if (!mayDiffer() && increment.has(family, qualifier)) continue;
      if (draw.percent(80)) increment.addColumn(family, qualifier, amount);
      else increment.add(cell(row, family, qualifier, draw.timestamp(schema), Bytes.toBytes(amount)));
    }
    if (draw.percent(10)) {
      long[] range = draw.timeRange(schema);
      increment.setTimeRange(range[0], range[1]);
    }
    if (draw.percent(8)) increment.setTTL(cellTtl());
    return weaken(increment.setReturnResults(draw.percent(85)));
  }

  Append append(byte[] row) throws IOException {
    draw.serverTimeIsUsed();
    Append append = new Append(row);
    for (int i = 0, n = draw.weighted(0, 75, 25); i < n; i++) {
      byte[] family = schema.family(draw), qualifier = counter(), value = draw.percent(90) ? Draw.bytes("+") : new byte[0];
      if (!mayDiffer() && append.has(family, qualifier)) continue;
      if (draw.percent(80)) append.addColumn(family, qualifier, value);
      else append.add(cell(row, family, qualifier, draw.timestamp(schema), value));
    }
    if (draw.percent(10)) {
      long[] range = draw.timeRange(schema);
      append.setTimeRange(range[0], range[1]);
    }
    if (draw.percent(8)) append.setTTL(cellTtl());
    return weaken(append.setReturnResults(draw.percent(85)));
  }

  private static Cell cell(byte[] row, byte[] family, byte[] qualifier, long timestamp, byte[] value) {
    return CellBuilderFactory.create(CellBuilderType.DEEP_COPY).setRow(row).setFamily(family).setQualifier(qualifier)
      .setTimestamp(timestamp).setType(Cell.Type.Put).setValue(value).build();
  }

  /** Puts and deletes; sometimes also increments and appends, which then are the only ones to take the server's time. */
  RowMutations rowMutations(byte[] row) throws IOException {
    // What they write has the key of a cell that is put beside them, if that one has a timestamp of the future.
    boolean counters = draw.percent(20) && mayDiffer();
    if (counters) draw.withoutServerTime();
    List<Mutation> all = new ArrayList<>();
    for (int i = 0, n = draw.between(1, 4); i < n; i++) {
      all.add(switch (counters ? draw.weighted(40, 20, 20, 20) : draw.weighted(65, 35)) {
        case 0 -> put(row);
        case 1 -> delete(row);
        case 2 -> increment(row);
        default -> append(row);
      });
    }
    return new RowMutations(row).add(all);
  }

  static String text(Object mutation) {
    if (mutation instanceof RowMutations group) {
      StringBuilder text = new StringBuilder("RowMutations");
      for (Mutation each : group.getMutations()) text.append("\n    ").append(text(each));
      return text.toString();
    }
    return mutation instanceof Mutation one ? mutationText(one) : String.valueOf(mutation);
  }

  private static String mutationText(Mutation mutation) {
    StringBuilder text = new StringBuilder(mutation.getClass().getSimpleName()).append(' ').append(Answer.bytes(mutation.getRow()));
    mutation.getFamilyCellMap().values().forEach(cells -> cells.forEach(cell -> text.append(' ').append(cellText(cell))));
    if (mutation.getFamilyCellMap().isEmpty()) text.append(" all families ").append(timeText(mutation.getTimestamp()));
    if (mutation.getTTL() != Long.MAX_VALUE) text.append(" ttl ").append(mutation.getTTL());
    if (mutation instanceof Increment increment) text.append(" times ").append(Reads.times(increment.getTimeRange())).append(" results ").append(increment.isReturnResults());
    if (mutation instanceof Append append) text.append(" times ").append(Reads.times(append.getTimeRange())).append(" results ").append(append.isReturnResults());
    return text.append(' ').append(mutation.getDurability()).toString();
  }

  private static String cellText(Cell cell) {
    String[] parts = Answer.cell(cell).split("/", 2);
    return cell.getTimestamp() == HConstants.LATEST_TIMESTAMP ? parts[1].replace(Long.toString(Long.MAX_VALUE), "LATEST") : parts[1];
  }

  static String timeText(long timestamp) { return timestamp == HConstants.LATEST_TIMESTAMP ? "LATEST" : Answer.time(timestamp); }
}
