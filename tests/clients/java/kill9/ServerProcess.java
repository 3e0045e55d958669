import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** The server under test as a child process: started, killed without mercy, started again on the same data. */
final class ServerProcess {
  private static final long START_LIMIT_MS = 120_000;

  private final List<String> command;
  private final Path portsFile;
  private final File log;
  private Process process;

  ServerProcess(List<String> command, Path data, File log) {
    this.command = command;
    this.portsFile = data.resolve("ports");
    this.log = log;
  }

  /** Returns when the server says that it is ready; answers with the milliseconds that took. */
  long start() throws Exception {
    Files.deleteIfExists(portsFile);
    long from = System.nanoTime();
    process = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(ProcessBuilder.Redirect.appendTo(log)).start();
    while (!Files.exists(portsFile)) {
      if (!process.isAlive()) throw new IOException("the server ended with " + process.exitValue() + ", see " + log);
      if (System.nanoTime() - from > START_LIMIT_MS * 1_000_000) throw new IOException("the server is not ready, see " + log);
      Thread.sleep(5);
    }
    return (System.nanoTime() - from) / 1_000_000;
  }

  /** SIGKILL. */
  void kill() throws Exception {
    process.destroyForcibly().waitFor();
  }

  /** SIGTERM; answers with the exit status. */
  int stop() throws Exception {
    process.destroy();
    if (!process.waitFor(60, TimeUnit.SECONDS)) {
      process.destroyForcibly();
      throw new IOException("the server did not stop within 60 s of SIGTERM");
    }
    return process.exitValue();
  }

  boolean alive() { return process != null && process.isAlive(); }
}
