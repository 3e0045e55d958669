import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.util.Map;
import java.util.TreeMap;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.mapreduce.CellCounter;
import org.apache.hadoop.hbase.mapreduce.CopyTable;
import org.apache.hadoop.hbase.mapreduce.Export;
import org.apache.hadoop.hbase.mapreduce.HashTable;
import org.apache.hadoop.hbase.mapreduce.Import;
import org.apache.hadoop.hbase.mapreduce.RowCounter;
import org.apache.hadoop.hbase.mapreduce.SyncTable;
import org.apache.hadoop.hbase.mapreduce.WALPlayer;
import org.apache.hadoop.hbase.mapreduce.replication.VerifyReplication;
import org.apache.hadoop.hbase.tool.BulkLoadHFilesTool;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.zookeeper.ZKConfig;
import org.apache.hadoop.mapreduce.Counters;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.util.Tool;
import org.apache.hadoop.util.ToolRunner;

/**
 * The jobs of hbase-mapreduce, in Hadoop's local runner: what they count is what was written, and what they copy is the same, cell
 * by cell, delete markers included.
 *
 * <p>Arguments: DIRECTORY ROWS [DIRECTORY_OF_THE_SERVER]. The last one lets WALPlayer read the server's logs.
 */
public final class MapReduceJobs {
  private static final String SOURCE = "mr_source";
  /** More than any cell has. */
  private static final String VERSIONS = "10";

  private final Configuration conf;
  private final Connection connection;
  private final Path directory;
  private SampleTable source;
  private String wanted;

  private MapReduceJobs(Configuration conf, Connection connection, Path directory) {
    this.conf = conf;
    this.connection = connection;
    this.directory = directory;
  }

  public static void main(String[] args) throws Exception {
    Path directory = new Path(new java.io.File(args[0]).getAbsoluteFile().toURI());
    Configuration conf = HBaseConfiguration.create();
    conf.set("mapreduce.framework.name", "local");
    conf.set("hadoop.tmp.dir", directory + "/tmp");
    conf.set("mapreduce.cluster.local.dir", directory.toUri().getPath() + "/local");
    conf.set("mapreduce.jobtracker.staging.root.dir", directory + "/staging");
    conf.set("hbase.fs.tmp.dir", directory + "/hbase-staging");
    conf.setInt("mapreduce.local.map.tasks.maximum", 2);
    // how often a job is asked whether it has ended: every 5 s, by default
    conf.setInt("mapreduce.client.completion.pollinterval", 50);
    FileSystem.getLocal(conf).delete(directory, true);
    try (Connection connection = ConnectionFactory.createConnection(conf)) {
      new MapReduceJobs(conf, connection, directory).run(Integer.parseInt(args[1]), args.length > 2 ? args[2] : null);
    }
  }

  private void run(int rows, String server) throws Exception {
    source = new SampleTable(connection, SOURCE);
    source.fill(rows);
    wanted = SampleTable.digest(connection, source.name, SampleTable.everything());
    expect(source.rawCells, Integer.parseInt(wanted.split(" ")[0]), "cells of a raw scan");
    rowCounter();
    cellCounter();
    exportAndImport();
    copyTable();
    verifyReplication();
    syncTable();
    new TableToFiles(conf, connection, directory).run(source);
    if (server != null) walPlayer(server);
    System.out.println(source.rows + " rows, " + source.rawCells + " cells, through " + jobs + " jobs");
  }

  private void rowCounter() throws Exception {
    expect(source.rows, count(RowCounter.createSubmittableJob(configuration(), args(SOURCE)), ROWS), "RowCounter");
    // One range over a border of regions: the first byte of 256 rows is each value once.
    String range = "--range=P,b";
    long inRange = 0;
    for (int i = 0; i < source.rows + source.hiddenRows; i++) {
      int first = SampleTable.row(i)[0];
      if (i % 100 != 99 && first >= 'P' && first < 'b') inRange++;
    }
    expect(inRange, count(RowCounter.createSubmittableJob(configuration(), args(SOURCE, range)), ROWS), "RowCounter " + range);
    Counters raw = counters(RowCounter.createSubmittableJob(configuration(), args(SOURCE, "--countDeleteMarkers")));
    expect(source.rows + source.hiddenRows, of(raw, ROWS), "RowCounter of a raw scan");
    expect(2L * source.hiddenRows, of(raw, ROW_COUNTER + "DELETE_FAMILY"), "RowCounter: markers of families");
  }

  private void cellCounter() throws Exception {
    Path report = new Path(directory, "cells");
    Counters counters = counters(CellCounter.createSubmittableJob(configuration(), args(SOURCE, report.toString(), ",")));
    String group = "org.apache.hadoop.hbase.mapreduce.CellCounter$CellCounterMapper$Counters:";
    expect(source.rows, of(counters, group + "ROWS"), "CellCounter: rows");
    expect(source.cells, of(counters, group + "CELLS"), "CellCounter: cells");
    Map<String, Long> found = report(report);
    expect((long) source.rows, found.get("Total ROWS"), "CellCounter: rows of the report");
    expect((long) source.rows, found.get("a,versioned"), "CellCounter: rows with a:versioned");
    expect(2L, found.get(Bytes.toStringBinary(SampleTable.row(3)) + ",a,versioned_Versions"), "CellCounter: versions beside a marker");
  }

  private Map<String, Long> report(Path path) throws Exception {
    Map<String, Long> found = new TreeMap<>();
    FileSystem files = FileSystem.getLocal(conf);
    for (FileStatus file : files.listStatus(path, p -> p.getName().startsWith("part-"))) {
      try (BufferedReader lines = new BufferedReader(new InputStreamReader(files.open(file.getPath())))) {
        for (String line; (line = lines.readLine()) != null; ) {
          int tab = line.lastIndexOf('\t');
          found.put(line.substring(0, tab), Long.parseLong(line.substring(tab + 1)));
        }
      }
    }
    return found;
  }

  /** Written to a table by puts and deletes; and as files, which are loaded. */
  private void exportAndImport() throws Exception {
    Path exported = new Path(directory, "exported");
    Configuration raw = configuration();
    raw.setBoolean("hbase.mapreduce.include.deleted.rows", true);
    raw.setInt("hbase.export.scanner.batch", 3);
    counters(Export.createSubmittableJob(raw, args(SOURCE, exported.toString(), VERSIONS)));
    TableName imported = SampleTable.create(connection, "mr_imported");
    counters(Import.createSubmittableJob(configuration(), args("mr_imported", exported.toString())));
    same(imported, "Import");
    TableName loaded = SampleTable.create(connection, "mr_loaded");
    Path files = new Path(directory, "mr_loaded");
    Configuration own = configuration();
    own.set("import.bulk.output", files.toString());
    counters(Import.createSubmittableJob(own, args("mr_loaded", exported.toString())));
    if (new BulkLoadHFilesTool(configuration()).bulkLoad(loaded, files).isEmpty()) throw new AssertionError("no file in " + files);
    same(loaded, "Import as files");
  }

  private void copyTable() throws Exception {
    TableName copied = SampleTable.create(connection, "mr_copied");
    tool(new CopyTable(), "--all.cells", "--versions=" + VERSIONS, "--new.name=mr_copied", SOURCE);
    same(copied, "CopyTable");
    // What a plain scan of some rows, of one family and of one of its versions sees, into a family of another name, as files.
    TableName renamed = SampleTable.create(connection, "mr_renamed", "a2");
    tool(new CopyTable(), "--bulkload", "--families=a:a2", "--startrow=P", "--stoprow=b", "--starttime=2000", "--endtime=3001",
      "--new.name=mr_renamed", SOURCE);
    Scan part = new Scan().addFamily(SampleTable.A).withStartRow(Bytes.toBytes("P")).withStopRow(Bytes.toBytes("b")).setTimeRange(2000, 3001);
    String[] original = SampleTable.digest(connection, source.name, part).split(" ");
    String[] found = SampleTable.digest(connection, renamed, new Scan()).split(" ");
    expect(original[0], found[0], "CopyTable of a part: cells");
  }

  /** A row that is different, one that is missing, one that there is only in the copy. */
  private void verifyReplication() throws Exception {
    String[] arguments = args("--versions=" + VERSIONS, "--peerTableName=mr_copied", ZKConfig.getZooKeeperClusterKey(conf), SOURCE);
    Counters counters = counters(new VerifyReplication().createSubmittableJob(configuration(), arguments));
    expect(source.rows, of(counters, VERIFIER + "GOODROWS"), "VerifyReplication: good rows");
    expect(0, of(counters, VERIFIER + "BADROWS"), "VerifyReplication: bad rows");
    try (Table copy = connection.getTable(TableName.valueOf("mr_copied"))) {
      copy.put(new Put(SampleTable.row(11)).addColumn(SampleTable.A, Bytes.toBytes("versioned"), 3000, Bytes.toBytes("another")));
      copy.delete(new Delete(SampleTable.row(12)));
      copy.put(new Put(Bytes.toBytes("Nobody has it")).addColumn(SampleTable.A, Bytes.toBytes("q"), 1000, Bytes.toBytes("v")));
    }
    counters = counters(new VerifyReplication().createSubmittableJob(configuration(), arguments));
    expect(source.rows - 2, of(counters, VERIFIER + "GOODROWS"), "VerifyReplication: good rows of an altered copy");
    expect(1, of(counters, VERIFIER + "CONTENT_DIFFERENT_ROWS"), "VerifyReplication: different rows");
    expect(1, of(counters, VERIFIER + "ONLY_IN_SOURCE_TABLE_ROWS"), "VerifyReplication: missing rows");
    expect(1, of(counters, VERIFIER + "ONLY_IN_PEER_TABLE_ROWS"), "VerifyReplication: rows too many");
  }

  /** A copy that lacks the rows from "b" on, has one too many and another value in one: hashes of ranges find them, and they are mended. */
  private void syncTable() throws Exception {
    TableName synced = SampleTable.create(connection, "mr_synced");
    tool(new CopyTable(), "--stoprow=b", "--new.name=mr_synced", SOURCE);
    try (Table table = connection.getTable(synced)) {
      table.put(new Put(SampleTable.row(1)).addColumn(SampleTable.A, Bytes.toBytes("versioned"), 3000, Bytes.toBytes("another")));
      table.put(new Put(Bytes.toBytes("Nobody has it")).addColumn(SampleTable.A, Bytes.toBytes("q"), 1000, Bytes.toBytes("v")));
    }
    String hashes = new Path(directory, "hashes").toString();
    tool(new HashTable(configuration()), "--batchsize=8000", "--numhashfiles=2", SOURCE, hashes);
    String before = SampleTable.digest(connection, synced, new Scan());
    tool(new SyncTable(configuration()), "--dryrun=true", hashes, SOURCE, "mr_synced");
    expect(before, SampleTable.digest(connection, synced, new Scan()), "SyncTable --dryrun");
    tool(new SyncTable(configuration()), hashes, SOURCE, "mr_synced");
    expect(SampleTable.digest(connection, source.name, new Scan()), SampleTable.digest(connection, synced, new Scan()), "SyncTable");
    System.out.println("ok   HashTable and SyncTable");
  }

  /** All of one table's edits out of the server's logs, into another table. */
  private void walPlayer(String server) throws Exception {
    try (Admin admin = connection.getAdmin()) {
      for (ServerName s : admin.getRegionServers()) admin.rollWALWriter(s);
    }
    TableName played = SampleTable.create(connection, "mr_played");
    TableName logged = TableName.valueOf("mr_imported");
    // A log that goes to the archive after the job has listed it is looked for there.
    conf.set("hbase.rootdir", "file://" + server);
    tool(new WALPlayer(), "file://" + server + "/WALs,file://" + server + "/oldWALs", logged.getNameAsString(), "mr_played");
    same(played, "WALPlayer");
  }

  // ---------------------------------------------------------------------------------------------------------------

  private static final String ROW_COUNTER = "org.apache.hadoop.hbase.mapreduce.RowCounter$RowCounterMapper$Counters:";
  private static final String ROWS = ROW_COUNTER + "ROWS";
  private static final String VERIFIER = "org.apache.hadoop.hbase.mapreduce.replication.VerifyReplication$Verifier$Counters:";

  private int jobs;

  private Configuration configuration() {
    return new Configuration(conf);
  }

  private static String[] args(String... args) {
    return args;
  }

  private Counters counters(Job job) throws Exception {
    jobs++;
    if (!job.waitForCompletion(false)) throw new AssertionError(job.getJobName() + " failed");
    return job.getCounters();
  }

  private long count(Job job, String counter) throws Exception {
    return of(counters(job), counter);
  }

  /** COUNTER is the name of its enum, a colon, its own. */
  private static long of(Counters counters, String counter) {
    int colon = counter.indexOf(':');
    return counters.findCounter(counter.substring(0, colon), counter.substring(colon + 1)).getValue();
  }

  private void tool(Tool tool, String... args) throws Exception {
    jobs++;
    int status = ToolRunner.run(configuration(), tool, args);
    if (status != 0) throw new AssertionError(tool.getClass().getSimpleName() + " ended with " + status);
  }

  private void same(TableName table, String what) throws Exception {
    expect(wanted, SampleTable.digest(connection, table, SampleTable.everything()), what);
    System.out.println("ok   " + what);
  }

  static void expect(Object wanted, Object found, String what) {
    if (!String.valueOf(wanted).equals(String.valueOf(found))) throw new AssertionError(what + ": " + found + ", not " + wanted);
  }
}
