import java.util.Arrays;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * HBase's defects that what is drawn keeps out of the way of, because HBase would hang, its client would try for ever, or
 * all later answers would differ. `--with-defect NAME` lets one in, to be seen; docs/compatibility.md says what each is.
 */
enum KeptOut {
  /** PrefixFilter with more bytes than some rows have. */
  LONG_PREFIX,
  /** FuzzyRowFilter in a reversed scan: where a row equals the bound that it looks for, it looks for it for ever. */
  FUZZY_REVERSED,
  /** LongComparator and BinaryComponentComparator on what is shorter than they expect. */
  SHORT_VALUE,
  /** A condition of the operator NO_OP. */
  NO_OP_CONDITION,
  /** A marker that is left where a cell follows that has the next type and the same timestamp, see Schema.apart. */
  ENDLESS_SEEK,
  /** A marker of a family below cells without a qualifier, in the same block of a file. */
  FAMILY_MARKER_LEAPT,
  /** Filters that count columns, where there is one without a qualifier. */
  COUNTED_EMPTY_QUALIFIER,
  /** An offset in families, where some families are loaded on demand. */
  OFFSET_ON_DEMAND,
  /** A scan that may go on with other reads of files while families are loaded on demand. */
  ROW_LOST_ON_DEMAND,
  /** A scan that may go on with other reads of files, where a filter may end it in one region and not in the next. */
  FILTER_DONE_AT_SWITCH,
  /** A column that is named, in files with Bloom filters of columns: only Finback's have them. */
  ROWCOL_SEEK,
  /** Scan.setBatch or partial results together with Scan.setLimit. */
  BATCH_WITH_LIMIT,
  /** ColumnCountGetFilter in a reversed scan, or one whose replies may end within a row. */
  COLUMN_COUNT_SCAN,
  /** SingleColumnValueExcludeFilter that leaves out rows without its column, by other versions than the newest or within a list. */
  EXCLUDE_IF_MISSING,
  /** Cells of one key and different values in one operation, where a flush in memory may come between them. */
  TWICE_AT_ONCE,
  /** A cell in a MOB file that has expired, above one of the same key. */
  EXPIRED_TWIN,
  /** A time range of a family, where its history is in files of its own. */
  HISTORY_OF_FAMILY,
  /** Stores with stripes. */
  STRIPED_STORES,
  /** NEW_VERSION_BEHAVIOR and a column of the empty qualifier. */
  NEW_VERSION_EMPTY_QUALIFIER,
  /** NEW_VERSION_BEHAVIOR and a filter that leaves columns, in a read of named columns. */
  NEW_VERSION_NAMED_COLUMNS,
  /** NEW_VERSION_BEHAVIOR and several markers of one operation that hide all versions. */
  NEW_VERSION_MARKERS,
  /** NEW_VERSION_BEHAVIOR and KEEP_DELETED_CELLS. */
  NEW_VERSION_KEEP_DELETED;

  private static final Set<KeptOut> IN = EnumSet.noneOf(KeptOut.class);

  boolean isIn() { return IN.contains(this); }

  private String written() { return name().toLowerCase(Locale.ROOT).replace('_', '-'); }

  /** Lets in those of a list, divided by commas, and no others. */
  static void letIn(String list) {
    IN.clear();
    for (String name : list.split(",")) {
      if (name.isEmpty()) continue;
      IN.add(Arrays.stream(values()).filter(each -> each.written().equals(name)).findAny().orElseThrow(() -> new IllegalArgumentException(
        "no defect " + name + " is kept out; there are: " + Arrays.stream(values()).map(KeptOut::written).collect(Collectors.joining(" ")))));
    }
  }

  /** Those that are in, as letIn() takes them. */
  static String in() { return IN.stream().map(KeptOut::written).collect(Collectors.joining(",")); }
}
