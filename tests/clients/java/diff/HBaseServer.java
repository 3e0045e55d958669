import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A real HBase, standalone: one JVM with a master, a region server and a ZooKeeper, on the local file system. */
final class HBaseServer extends Server {
  private static final String INITIALIZED = "Master has completed initialization";

  private final String classPath;
  private final List<String> options;
  private final int zooKeeper = freePort(), master = freePort(), regionServer = freePort();
  private final Path hbaseLog;

  /** `options`: what a JVM needs to run HBase. */
  HBaseServer(Path work, String classPath, List<String> options) throws IOException {
    super("hbase", work);
    this.classPath = classPath;
    this.options = options;
    hbaseLog = data.resolve("hbase.log");
    Path conf = Files.createDirectories(data.resolve("conf"));
    Files.createDirectories(data.resolve("tmp"));
    Files.writeString(conf.resolve("hbase-site.xml"), site());
    Files.writeString(conf.resolve("log4j.properties"), """
      log4j.rootLogger=WARN,file
      log4j.logger.org.apache.hadoop.hbase.master.HMaster=INFO
      log4j.appender.file=org.apache.log4j.FileAppender
      log4j.appender.file.File=%s
      log4j.appender.file.layout=org.apache.log4j.PatternLayout
      log4j.appender.file.layout.ConversionPattern=%%d{ISO8601} %%-5p [%%t] %%c{2}: %%m%%n
      """.formatted(hbaseLog));
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  private String site() {
    Map<String, Object> all = new LinkedHashMap<>();
    all.put("hbase.rootdir", "file://" + data.resolve("root"));
    all.put("hbase.tmp.dir", data.resolve("tmp"));
    all.put("hadoop.tmp.dir", data.resolve("tmp"));
    all.put("hbase.unsafe.stream.capability.enforce", false);
    all.put("hbase.zookeeper.quorum", "127.0.0.1");
    all.put("hbase.zookeeper.property.clientPort", zooKeeper);
    all.put("hbase.zookeeper.property.dataDir", data.resolve("zk"));
    all.put("hbase.master.port", master);
    all.put("hbase.regionserver.port", regionServer);
    all.put("hbase.master.info.port", -1);
    all.put("hbase.regionserver.info.port", -1);
    for (String role : List.of("master", "regionserver")) {
      all.put("hbase." + role + ".ipc.address", "127.0.0.1");
      all.put("hbase." + role + ".hostname", "localhost");
    }
    all.put("hbase.unsafe.regionserver.hostname", "localhost");
    // On a busy machine a session of ZooKeeper ends easily, and with it the server.
    all.put("hbase.zookeeper.property.tickTime", 10_000);
    all.put("zookeeper.session.timeout.localHBaseCluster", 180_000);
    // Answers must not depend on when something happens by itself.
    all.put("hbase.hregion.majorcompaction", 0);
    all.put("hbase.regionserver.optionalcacheflushinterval", 0);
    // What two regions were merged of is gone, and the region may be divided, when the files are that were compacted.
    all.put("hbase.hfile.compaction.discharger.interval", 500);
    // Many small tables on few cores: no waiting for more to do.
    all.put("hbase.procedure.remote.dispatcher.delay.msec", 5);
    all.put("hbase.assignment.dispatch.wait.msec", 5);
    all.put("hbase.regionserver.handler.count", 12);
    all.put("hbase.hstore.blockingStoreFiles", 1000);
    StringBuilder xml = new StringBuilder("<?xml version=\"1.0\"?>\n<configuration>\n");
    all.forEach((name, value) -> xml.append("  <property><name>").append(name).append("</name><value>").append(value).append("</value></property>\n"));
    return xml.append("</configuration>\n").toString();
  }

  @Override
  boolean isFinback() { return false; }

  @Override
  List<String> command() {
    List<String> command = new ArrayList<>(List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString()));
    command.addAll(options);
    // It is started anew for every seed: it must be quick soon rather than very quick.
    command.addAll(List.of("-Xmx768m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Djava.net.preferIPv4Stack=true", "-Djava.io.tmpdir=" + data.resolve("tmp"),
      "-Dhbase.log.dir=" + data, "-cp", data.resolve("conf") + ":" + classPath, "org.apache.hadoop.hbase.master.HMaster", "start"));
    return command;
  }

  @Override
  void beforeStart() throws IOException {
    if (Files.exists(hbaseLog)) Files.move(hbaseLog, data.resolve("hbase-" + System.nanoTime() + ".log"));
  }

  @Override
  int zooKeeperPort() { return zooKeeper; }

  @Override
  boolean isUp() {
    try (Socket z = new Socket("127.0.0.1", zooKeeper); Socket r = new Socket("127.0.0.1", regionServer)) {
      return Files.exists(hbaseLog) && Files.readString(hbaseLog).contains(INITIALIZED);
    } catch (IOException notYet) {
      return false;
    }
  }
}
