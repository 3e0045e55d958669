import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.hbase.CompareOperator;
import org.apache.hadoop.hbase.client.CheckAndMutate;
import org.apache.hadoop.hbase.client.CheckAndMutateResult;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.RetriesExhaustedWithDetailsException;
import org.apache.hadoop.hbase.client.Row;
import org.apache.hadoop.hbase.client.RowMutations;
import org.apache.hadoop.hbase.client.Scan;

/** One operation of a client at random. */
final class Operations {
  private static final int SLOTS_OF_BATCH = 6;

  private final Draw draw;
  private final Schema schema;
  private final Writes writes;
  private final Reads reads;
  private final Filters filters;

  private Operations(Draw draw, Schema schema) {
    this.draw = draw;
    this.schema = schema;
    writes = new Writes(draw, schema);
    reads = new Reads(draw, schema);
    filters = new Filters(draw, schema, false);
  }

  static Operation draw(Draw draw, Schema schema) throws IOException { return new Operations(draw, schema).one(); }

  private Operation one() throws IOException {
    byte[] row = draw.row(schema);
    return switch (draw.weighted(22, 14, 5, 5, 8, 5, 7, 4, 15, 15)) {
      case 0 -> {
        Put put = writes.put(row);
        yield Operation.of("put", () -> Writes.text(put), t -> {
          t.table.put(put);
          return "done";
        });
      }
      case 1 -> {
        Delete delete = writes.delete(row);
        yield Operation.of("delete", () -> Writes.text(delete), t -> {
          t.table.delete(delete);
          return "done";
        });
      }
      case 2 -> {
        var increment = writes.increment(row);
        yield Operation.of("increment", () -> Writes.text(increment), t -> Answer.result(t.table.increment(increment)));
      }
      case 3 -> {
        var append = writes.append(row);
        yield Operation.of("append", () -> Writes.text(append), t -> Answer.result(t.table.append(append)));
      }
      case 4 -> {
        CheckAndMutate check = check(row);
        yield Operation.of("checkAndMutate", () -> text(check), t -> Answer.element(t.table.checkAndMutate(check)));
      }
      case 5 -> {
        RowMutations group = writes.rowMutations(row);
        yield Operation.of("mutateRow", () -> Writes.text(group), t -> Answer.result(t.table.mutateRow(group)));
      }
      case 6 -> batch();
      case 7 -> lists();
      case 8 -> {
        Get get = reads.get();
        if (draw.percent(10)) yield Operation.of("exists", () -> Reads.text(get), t -> String.valueOf(t.table.exists(get)));
        yield Operation.of("get", () -> Reads.text(get), t -> Answer.result(t.table.get(get)));
      }
      default -> {
        Scan scan = reads.scan();
        yield Operation.of("scan", () -> Reads.text(scan), t -> Reads.run(t.table, scan));
      }
    };
  }

  // --- checkAndMutate ---

  private CheckAndMutate check(byte[] row) throws IOException {
    CheckAndMutate.Builder builder = CheckAndMutate.newBuilder(row);
    byte[] family = schema.family(draw), qualifier = draw.qualifier(schema);
    switch (draw.below(5)) {
      case 0 -> builder.ifNotExists(family, qualifier);
      case 1 -> builder.ifEquals(family, qualifier, draw.value());
      case 2, 3 -> {
        CompareOperator operator = filters.operator();
        // No condition: HBase fails with an IOException, which its clients try again and again.
        builder.ifMatches(family, qualifier, operator == CompareOperator.NO_OP && !KeptOut.NO_OP_CONDITION.isIn() ? CompareOperator.EQUAL : operator, draw.percent(90) ? draw.value() : null);
      }
      default -> builder.ifMatches(filters.filter());
    }
    if (draw.percent(20)) {
      long[] range = draw.timeRange(schema);
      builder.timeRange(org.apache.hadoop.hbase.io.TimeRange.between(range[0], range[1]));
    }
    return switch (draw.weighted(40, 25, 10, 10, 15)) {
      case 0 -> builder.build(writes.put(row));
      case 1 -> builder.build(writes.delete(row));
      case 2 -> builder.build(writes.increment(row));
      case 3 -> builder.build(writes.append(row));
      default -> builder.build(writes.rowMutations(row));
    };
  }

  private static String text(CheckAndMutate check) {
    return Answer.bytes(check.getRow()) + " if " + (check.hasFilter() ? "filter " + Filters.text(check.getFilter())
      : Answer.bytes(check.getFamily()) + ":" + Answer.bytes(check.getQualifier()) + " " + check.getCompareOp() + " "
        + (check.getValue() == null ? "null" : Answer.bytes(check.getValue())))
      + " times " + Reads.times(check.getTimeRange()) + " then " + Writes.text(check.getAction());
  }

  // --- Several at once ---

  /** What a batch may hold of one row and column that takes the server's time is one put or delete, or increments and appends. */
  private Operation batch() throws IOException {
    boolean counters = draw.coin();
    if (counters) draw.withoutServerTime();
    List<Row> actions = new ArrayList<>();
    for (int i = 0, n = draw.between(1, SLOTS_OF_BATCH); i < n; i++) actions.add(action(counters));
    return Operation.of("batch", () -> texts(actions), t -> {
      Object[] results = new Object[actions.size()];
      try {
        t.table.batch(actions, results);
      } catch (RetriesExhaustedWithDetailsException inResults) {
        // each is in its place of the results
      }
      return Answer.elements(java.util.Arrays.asList(results));
    });
  }

  private Row action(boolean counters) throws IOException {
    byte[] row = draw.row(schema);
    return switch (counters ? draw.weighted(30, 15, 15, 15, 15, 10, 0) : draw.weighted(45, 20, 20, 0, 0, 10, 5)) {
      case 0 -> writes.put(row);
      case 1 -> writes.delete(row);
      case 2 -> reads.get();
      // One at most: each has the server's time of its own, and two may share a millisecond, or not.
      case 3 -> draw.usedServerTime() ? writes.put(row) : writes.increment(row);
      case 4 -> draw.usedServerTime() ? writes.put(row) : writes.append(row);
      case 5 -> plainRowMutations(row);
      default -> plainCheck(row);
    };
  }

  private RowMutations plainRowMutations(byte[] row) throws IOException {
    List<Mutation> all = new ArrayList<>();
    for (int i = 0, n = draw.between(1, 3); i < n; i++) all.add(draw.coin() ? writes.put(row) : writes.delete(row));
    return new RowMutations(row).add(all);
  }

  private CheckAndMutate plainCheck(byte[] row) throws IOException {
    return CheckAndMutate.newBuilder(row).ifEquals(schema.family(draw), draw.qualifier(schema), draw.value()).build(writes.put(row));
  }

  private Operation lists() throws IOException {
    int n = draw.between(1, SLOTS_OF_BATCH);
    return switch (draw.below(5)) {
      case 0 -> {
        List<Put> puts = new ArrayList<>();
        for (int i = 0; i < n; i++) puts.add(writes.put(draw.row(schema)));
        yield Operation.of("puts", () -> texts(puts), t -> {
          t.table.put(puts);
          return "done";
        });
      }
      case 1 -> {
        List<Delete> deletes = new ArrayList<>();
        for (int i = 0; i < n; i++) deletes.add(writes.delete(draw.row(schema)));
        yield Operation.of("deletes", () -> texts(deletes), t -> {
          t.table.delete(new ArrayList<>(deletes));
          return "done";
        });
      }
      case 2 -> {
        List<Get> gets = gets(n);
        yield Operation.of("gets", () -> texts(gets), t -> Answer.elements(List.of((Object[]) t.table.get(gets))));
      }
      case 3 -> {
        List<Get> gets = gets(n);
        yield Operation.of("existences", () -> texts(gets), t -> java.util.Arrays.toString(t.table.exists(gets)));
      }
      default -> {
        List<CheckAndMutate> checks = new ArrayList<>();
        for (int i = 0; i < n; i++) checks.add(plainCheck(draw.row(schema)));
        yield Operation.of("checks", () -> texts(checks), t -> {
          List<CheckAndMutateResult> results = t.table.checkAndMutate(checks);
          return Answer.elements(results);
        });
      }
    };
  }

  private List<Get> gets(int n) throws IOException {
    List<Get> gets = new ArrayList<>();
    for (int i = 0; i < n; i++) gets.add(reads.get());
    return gets;
  }

  private static String texts(List<?> all) {
    StringBuilder text = new StringBuilder();
    for (Object each : all) text.append("\n  ").append(each instanceof Get get ? Reads.text(get) : each instanceof CheckAndMutate check ? "check " + text(check) : Writes.text(each));
    return text.toString();
  }
}
