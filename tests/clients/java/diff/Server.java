import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;

/** One of the two servers, a child process, and the connection of a stock client to it. */
abstract class Server {
  private static final int START_LIMIT_S = 600;
  private static final int STOP_LIMIT_S = 120;

  final String name;
  final Path data;
  final File log;
  private Process process;
  private Connection connection;

  Server(String name, Path work) throws IOException {
    this.name = name;
    data = Files.createDirectories(work.resolve(name));
    log = work.resolve(name + ".log").toFile();
  }

  /** What starts it on the ports that it had before, if it was started before. */
  abstract List<String> command() throws IOException;

  abstract int zooKeeperPort() throws IOException;

  /** Whether it serves, as far as can be seen from outside. */
  abstract boolean isUp();

  abstract boolean isFinback();

  void start() throws Exception {
    beforeStart();
    process = new ProcessBuilder(command()).directory(data.toFile()).redirectErrorStream(true).redirectOutput(ProcessBuilder.Redirect.appendTo(log)).start();
    long limit = System.nanoTime() + TimeUnit.SECONDS.toNanos(START_LIMIT_S);
    while (!isUp()) {
      if (!process.isAlive()) throw new IOException(name + " ended with " + process.exitValue() + ", see " + log);
      if (System.nanoTime() > limit) throw new IOException(name + " is not ready after " + START_LIMIT_S + " s, see " + log);
      Thread.sleep(100);
    }
    connection = ConnectionFactory.createConnection(configuration());
  }

  /** Takes away what would make isUp() speak of an earlier start. */
  void beforeStart() throws IOException {}

  private Configuration configuration() throws IOException {
    Configuration conf = HBaseConfiguration.create();
    conf.set("hbase.zookeeper.quorum", "127.0.0.1");
    conf.setInt("hbase.zookeeper.property.clientPort", zooKeeperPort());
    // HBase answers its own defects with exceptions that a client takes for passing troubles.
    conf.setInt("hbase.client.retries.number", 4);
    conf.setInt("hbase.client.pause", 10);
    conf.setInt("hbase.rpc.timeout", 30_000);
    conf.setInt("hbase.client.operation.timeout", 40_000);
    conf.setInt("hbase.client.scanner.timeout.period", 30_000);
    return conf;
  }

  Connection connection() { return connection; }

  /** SIGKILL. */
  void kill() throws Exception {
    disconnect();
    if (process != null) process.destroyForcibly().waitFor();
  }

  /** SIGTERM, and SIGKILL when that takes too long. */
  void stop() throws Exception {
    disconnect();
    if (process == null || !process.isAlive()) return;
    process.destroy();
    if (!process.waitFor(STOP_LIMIT_S, TimeUnit.SECONDS)) {
      kill();
      throw new IOException(name + " did not stop within " + STOP_LIMIT_S + " s of SIGTERM");
    }
  }

  private void disconnect() throws IOException {
    if (connection != null) connection.close();
    connection = null;
  }
}
