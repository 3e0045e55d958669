import java.io.IOException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.RegionLocator;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.io.ImmutableBytesWritable;
import org.apache.hadoop.hbase.mapreduce.HFileOutputFormat2;
import org.apache.hadoop.hbase.mapreduce.TableMapReduceUtil;
import org.apache.hadoop.hbase.mapreduce.TableMapper;
import org.apache.hadoop.hbase.tool.BulkLoadHFilesTool;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.lib.output.FileOutputFormat;

/** A job as users write them: a mapper over a table whose puts HFileOutputFormat2 sorts into files for the regions of another. */
final class TableToFiles {
  private static final String TARGET = "mr_inverted";

  private final Configuration conf;
  private final Connection connection;
  private final Path output;

  TableToFiles(Configuration conf, Connection connection, Path directory) {
    this.conf = new Configuration(conf);
    this.connection = connection;
    this.output = new Path(directory, TARGET);
  }

  /** Every row under its key read backwards, so that all mappers write for all regions. */
  public static final class Inverter extends TableMapper<ImmutableBytesWritable, Put> {
    @Override
    protected void map(ImmutableBytesWritable key, Result row, Context context) throws IOException, InterruptedException {
      byte[] inverted = inverted(row.getRow());
      Put put = new Put(inverted);
      for (Cell cell : row.rawCells()) {
        put.addColumn(CellUtil.cloneFamily(cell), CellUtil.cloneQualifier(cell), cell.getTimestamp(), CellUtil.cloneValue(cell));
      }
      context.write(new ImmutableBytesWritable(inverted), put);
    }
  }

  static byte[] inverted(byte[] key) {
    byte[] inverted = new byte[key.length];
    for (int i = 0; i < key.length; i++) inverted[i] = (byte) ~key[i];
    return inverted;
  }

  void run(SampleTable source) throws Exception {
    TableName target = SampleTable.create(connection, TARGET);
    Job job = Job.getInstance(conf, TARGET);
    TableMapReduceUtil.initTableMapperJob(source.name.getNameAsString(), SampleTable.allVersions(), Inverter.class, ImmutableBytesWritable.class, Put.class, job, false);
    try (Table table = connection.getTable(target); RegionLocator regions = connection.getRegionLocator(target)) {
      HFileOutputFormat2.configureIncrementalLoad(job, table.getDescriptor(), regions);
    }
    FileOutputFormat.setOutputPath(job, output);
    if (!job.waitForCompletion(false)) throw new AssertionError("the job with HFileOutputFormat2 failed");
    int files = files();
    if (files < 4) throw new AssertionError("HFileOutputFormat2 made " + files + " files for two families and three regions");
    // A region that is divided between the job and the load: its files are cut.
    try (Admin admin = connection.getAdmin()) {
      admin.splitRegionAsync(admin.getRegions(target).get(0).getRegionName(), new byte[] {0x20}).get();
    }
    int loaded = new BulkLoadHFilesTool(conf).bulkLoad(target, output).size();
    if (loaded <= files) throw new AssertionError(loaded + " files loaded of " + files + ", of which some had to be cut");
    check(source, target);
  }

  private int files() throws IOException {
    FileSystem files = FileSystem.getLocal(conf);
    int n = 0;
    for (String family : new String[] {"a", "b"}) {
      for (FileStatus file : files.listStatus(new Path(output, family))) n += file.isFile() ? 1 : 0;
    }
    return n;
  }

  private void check(SampleTable source, TableName target) throws Exception {
    String[] found = SampleTable.digest(connection, target, SampleTable.allVersions()).split(" ");
    MapReduceJobs.expect(source.cells, found[0], "HFileOutputFormat2: cells");
    Scan scan = SampleTable.allVersions();
    try (Table from = connection.getTable(source.name); Table to = connection.getTable(target); var rows = from.getScanner(scan)) {
      for (Result row : rows) {
        Result other = to.get(new Get(inverted(row.getRow())).readAllVersions());
        MapReduceJobs.expect(cells(row), cells(other), "HFileOutputFormat2: " + Bytes.toStringBinary(row.getRow()));
      }
    }
    System.out.println("ok   HFileOutputFormat2 and bulk load");
  }

  private static String cells(Result row) {
    StringBuilder cells = new StringBuilder();
    for (Cell cell : row.rawCells()) {
      cells.append(Bytes.toString(CellUtil.cloneFamily(cell))).append(':').append(Bytes.toString(CellUtil.cloneQualifier(cell))).append('/')
        .append(cell.getTimestamp()).append('=').append(Bytes.toStringBinary(CellUtil.cloneValue(cell))).append(' ');
    }
    return cells.toString();
  }
}
