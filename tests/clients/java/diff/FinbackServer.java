import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The server under test, on free ports. */
final class FinbackServer extends Server {
  private static final List<String> PORTS = List.of("hbase.zookeeper.property.clientPort", "hbase.master.port", "hbase.regionserver.port");

  private final String binary;
  private final List<String> settings;
  private final Path portsFile;
  private List<String> ports = List.of("0", "0", "0");

  FinbackServer(Path work, String binary, List<String> settings) throws IOException {
    super("finback", work);
    this.binary = binary;
    this.settings = settings;
    portsFile = data.resolve("ports");
  }

  @Override
  boolean isFinback() { return true; }

  @Override
  List<String> command() {
    List<String> command = new ArrayList<>(List.of(binary, "server", "--data", data.toString()));
    List<String> all = new ArrayList<>(settings);
    for (int i = 0; i < PORTS.size(); i++) all.add(PORTS.get(i) + "=" + ports.get(i));
    for (String setting : all) command.addAll(List.of("-D", setting));
    return command;
  }

  @Override
  void beforeStart() throws IOException { Files.deleteIfExists(portsFile); }

  @Override
  boolean isUp() { return Files.exists(portsFile); }

  @Override
  int zooKeeperPort() throws IOException {
    List<String> found = new ArrayList<>();
    for (String port : PORTS) {
      String line = Files.readAllLines(portsFile).stream().filter(l -> l.startsWith(port + "=")).findFirst().orElseThrow();
      found.add(line.substring(port.length() + 1));
    }
    ports = found;
    return Integer.parseInt(found.get(0));
  }
}
