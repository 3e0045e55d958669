package org.apache.hadoop.hbase.regionserver;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.HBaseTestingUtility;
import org.apache.hadoop.hbase.io.TimeRange;

/** A store file that only says what it is. */
final class DrawnFile extends MockHStoreFile {
  /** Of a store. */
  static final int MOST = 14;

  /** HBase asks whether files are there, and no more. */
  private static final java.nio.file.Path DIRECTORY;

  static {
    try {
      DIRECTORY = Files.createTempDirectory("choices");
      DIRECTORY.toFile().deleteOnExit();
      for (int i = 0; i < MOST; i++) Files.createFile(path(i)).toFile().deleteOnExit();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private final boolean bulkLoaded;

  /** The file of this number, which is its sequence id. */
  DrawnFile(HBaseTestingUtility utility, int number, long length, boolean reference, boolean bulkLoaded) throws IOException {
    super(utility, new Path(path(number).toString()), length, 0, reference, number);
    this.bulkLoaded = bulkLoaded;
  }

  private static java.nio.file.Path path(int number) { return DIRECTORY.resolve(String.format("%032x", number)); }

  @Override
  public StoreFileReader getReader() {
    StoreFileReader reader = super.getReader();
    // Without one, whatever it is, the highest timestamp is not said.
    if (timeRangeTracker != null) reader.timeRange = TimeRange.allTime();
    return reader;
  }

  @Override
  public boolean isBulkLoadResult() { return bulkLoaded; }
}
