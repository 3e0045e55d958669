import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.net.Socket;
import java.util.Arrays;
import java.util.List;

/** The proxy between this client and the server, which refuses what it is told to: examples/refusing_proxy of finback-rpc. */
final class Proxy implements AutoCloseable {
  /** The address that the server says it has, and another one of the same server. */
  static final String FRONT = "127.0.0.2", OTHER_FRONT = "127.0.0.3";

  private final Socket socket;
  private final PrintWriter out;
  private final BufferedReader in;

  Proxy(int controlPort) throws IOException {
    socket = new Socket("127.0.0.1", controlPort);
    out = new PrintWriter(socket.getOutputStream(), true);
    in = new BufferedReader(new InputStreamReader(socket.getInputStream()));
  }

  private String say(String line) throws IOException {
    out.println(line);
    String answer = in.readLine();
    if (answer == null || answer.startsWith("what ")) throw new IOException("the proxy does not understand " + line);
    return answer;
  }

  /** The next calls of the method in whose request `needle` is are answered with this exception, by its simple name. */
  void refuse(int times, String method, String needle, String exception, String message) throws IOException {
    say("refuse " + times + " " + method + " " + needle + " " + exception + " " + message);
  }

  /** The same for each action of a Multi. */
  void refuseActions(int times, String needle, String exception, String message) throws IOException {
    say("refuse-actions " + times + " Multi " + needle + " " + exception + " " + message);
  }

  /** The same for each region's part of a Multi. */
  void refuseRegions(int times, String needle, String exception, String message) throws IOException {
    say("refuse-regions " + times + " Multi " + needle + " " + exception + " " + message);
  }

  /** They are carried out, but their replies do not come. */
  void loseReplies(int times, String method, String needle) throws IOException { say("lose " + times + " " + method + " " + needle); }

  /** They end the connection. */
  void hangUp(int times, String method, String needle) throws IOException { say("hang-up " + times + " " + method + " " + needle); }

  /** How many such calls came since `forget`. */
  int count(String method, String needle) throws IOException { return Integer.parseInt(say("count " + method + " " + needle)); }

  int count(String method, String needle, String address) throws IOException {
    return Integer.parseInt(say("count " + method + " " + needle + " " + address));
  }

  void forget() throws IOException { say("forget"); }

  List<String> classes() throws IOException { return Arrays.asList(say("classes").split(" ")); }

  public void close() throws IOException { socket.close(); }
}
