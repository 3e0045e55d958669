import java.io.IOException;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.KeepDeletedCells;
import org.apache.hadoop.hbase.MemoryCompactionPolicy;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.io.compress.Compression;
import org.apache.hadoop.hbase.io.encoding.DataBlockEncoding;
import org.apache.hadoop.hbase.regionserver.BloomType;

/**
 * What an administrator does. Whatever a flush or a compaction drops can be seen by later reads, so both servers must
 * do it at the same point: every event that may flush begins with a flush, and ends when no compaction is under way. The
 * answer is all that the table then holds, so that a cell that only one of the two has dropped shows there and then.
 */
final class Events {
  private static final int COMPACT_EVERY = 150, ALTER_EVERY = 1200, DISABLE_EVERY = 3000, TRUNCATE_EVERY = 4000, MOVE_EVERY = 500;
  /** What a region's name may begin at: it has a row of hbase:meta to itself, with more in it. */
  private static final int LONGEST_START = 300;

  private Events() {}

  /** An event in place of an operation, or null, which is much more often. */
  static Operation draw(Draw draw, Schema schema) {
    if (schema.moves()) {
      // From a source of its own: what else is drawn does not depend on it.
      Draw moves = draw.beside();
      if (moves.below(MOVE_EVERY) == 0) return moves.percent(60) ? divide(moves.row(schema), schema) : merge(moves, schema);
    }
    if (draw.below(schema.flushEvery) == 0) return flush(schema);
    if (draw.below(COMPACT_EVERY) == 0) return majorCompaction(schema);
    if (draw.below(ALTER_EVERY) == 0) return alter(draw, schema);
    if (draw.below(DISABLE_EVERY) == 0) return disableAndEnable(schema);
    if (draw.below(TRUNCATE_EVERY) == 0) return truncate();
    return null;
  }

  private static String contents(Target t, Schema schema) throws IOException { return schema.leavesOutInMemory() ? t.visibleContents() : t.contents(); }

  static Operation flush(Schema schema) {
    return Operation.of("flush", () -> "", t -> {
      t.flushAndSettle();
      return contents(t, schema);
    });
  }

  private static Operation majorCompaction(Schema schema) {
    return Operation.of("majorCompaction", () -> "", t -> {
      t.flushAndSettle();
      t.compact(true);
      return contents(t, schema);
    });
  }

  private static Operation disableAndEnable(Schema schema) {
    return Operation.of("disableAndEnable", () -> "", t -> {
      t.flushAndSettle();
      t.admin.disableTable(t.name);
      t.admin.enableTable(t.name);
      t.compact(false);
      return contents(t, schema);
    });
  }

  private static Operation divide(byte[] row, Schema schema) {
    return Operation.of("divide", () -> Answer.bytes(row), t -> {
      t.flushAndSettle();
      if (row.length <= LONGEST_START) t.divide(row);
      return contents(t, schema);
    });
  }

  private static Operation merge(Draw draw, Schema schema) {
    int drawn = draw.below(schema.rows.length);
    return Operation.of("merge", () -> "of the regions, from the one of number " + drawn, t -> {
      t.flushAndSettle();
      t.merge(drawn);
      return contents(t, schema);
    });
  }

  private static Operation truncate() {
    return Operation.of("truncate", () -> "", t -> {
      t.admin.disableTable(t.name);
      t.admin.truncateTable(t.name, true);
      t.regionsHaveChanged();
      return "done";
    });
  }

  /** See Schema.Family. */
  private static boolean mayExpire(ColumnFamilyDescriptor family) {
    return !family.isNewVersionBehavior() || family.getMinVersions() == 0 || KeptOut.NEW_VERSION_NAMED_COLUMNS.isIn();
  }

  /** Changes one attribute of a family, and often one more. */
  private static Operation alter(Draw draw, Schema schema) {
    byte[] family = schema.family(draw);
    // What HBase has defects with, see Schema, comes last.
    int attribute = draw.below(!schema.mayLeaveMarkers() ? 4 : schema.newVersionBehavior && !KeptOut.NEW_VERSION_KEEP_DELETED.isIn() ? 5 : 6);
    int drawn = draw.of(1, 2, 3, 6), versions = schema.leavesOutInMemory() ? Integer.MAX_VALUE : drawn;
    boolean forever = draw.coin();
    KeepDeletedCells keep = draw.of(KeepDeletedCells.values());
    DataBlockEncoding encoding = draw.of(DataBlockEncoding.NONE, DataBlockEncoding.PREFIX, DataBlockEncoding.DIFF, DataBlockEncoding.FAST_DIFF, DataBlockEncoding.ROW_INDEX_V1);
    BloomType bloom = draw.of(BloomType.NONE, BloomType.ROW, BloomType.ROWCOL);
    int blockSize = draw.of(64, 512, 65536);
    Addition addition = Addition.of(draw, schema, family);
    String text = Answer.bytes(family) + " " + switch (attribute) {
      case 0 -> "VERSIONS " + versions;
      case 4 -> "TTL " + (forever ? "FOREVER" : Schema.TTL_S);
      case 1 -> "DATA_BLOCK_ENCODING " + encoding;
      case 2 -> "BLOOMFILTER " + bloom;
      case 3 -> "BLOCKSIZE " + blockSize;
      default -> "KEEP_DELETED_CELLS " + keep;
    } + addition.text;
    return Operation.of("alter", () -> text, t -> {
      t.flushAndSettle();
      ColumnFamilyDescriptor old = t.admin.getDescriptor(t.name).getColumnFamily(family);
      ColumnFamilyDescriptorBuilder builder = ColumnFamilyDescriptorBuilder.newBuilder(old);
      switch (attribute) {
        case 0 -> builder.setMaxVersions(Math.max(versions, old.getMinVersions()));
        case 4 -> builder.setTimeToLive(forever || !mayExpire(old) ? HConstants.FOREVER : Schema.TTL_S);
        case 1 -> builder.setDataBlockEncoding(encoding);
        case 2 -> builder.setBloomFilterType(Schema.Family.bloom(bloom, t.server.isFinback()));
        case 3 -> builder.setBlocksize(blockSize);
        default -> builder.setKeepDeletedCells(schema.leavesOutInMemory() ? old.getKeepDeletedCells() : keep);
      }
      addition.change.of(builder, t.server.isFinback());
      t.admin.modifyTable(TableDescriptorBuilder.newBuilder(t.admin.getDescriptor(t.name)).modifyColumnFamily(builder.build()).build());
      t.compact(false);
      return contents(t, schema);
    });
  }

  /** What else an alteration changes: nothing, or an attribute that is drawn after all others, so that these are what they were without it. */
  private record Addition(String text, Change change) {
    private interface Change {
      void of(ColumnFamilyDescriptorBuilder builder, boolean finback);
    }

    static Addition of(Draw draw, Schema schema, byte[] name) {
      int kind = draw.below(6), minVersions = draw.between(0, 2);
      Compression.Algorithm hbase = draw.of(Schema.Family.HBASE_COMPRESSIONS), finback = draw.of(Schema.Family.FINBACK_COMPRESSIONS);
      MemoryCompactionPolicy policy = schema.policy(draw);
      long mobThreshold = draw.of(Schema.Family.MOB_THRESHOLDS);
      // Of a family that shall have no MOB files any more HBase gives what stands for its values.
      if (schema.hasMobFiles(name) && kind >= 3) return new Addition(", MOB_THRESHOLD " + mobThreshold, (family, here) -> family.setMobThreshold(mobThreshold));
      return switch (kind) {
        case 0 -> new Addition(", MIN_VERSIONS " + minVersions, (family, here) -> {
          ColumnFamilyDescriptor now = family.build();
          // See mayExpire.
          boolean counts = now.isNewVersionBehavior() && now.getTimeToLive() != HConstants.FOREVER && !KeptOut.NEW_VERSION_NAMED_COLUMNS.isIn();
          family.setMinVersions(counts || schema.leavesOutInMemory() ? 0 : Math.min(minVersions, now.getMaxVersions()));
        });
        case 1 -> new Addition(", COMPRESSION " + hbase + " or " + finback, (family, here) -> family.setCompressionType(here ? finback : hbase));
        case 2 -> new Addition(", IN_MEMORY_COMPACTION " + policy, (family, here) -> family.setInMemoryCompaction(policy));
        default -> new Addition("", (family, here) -> {});
      };
    }
  }
}
