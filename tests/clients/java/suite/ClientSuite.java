import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.HBaseConfiguration;

/**
 * Runs the checks against a server, through a stock HBase client.
 *
 *   ClientSuite host=H zk=PORT master=PORT rs=PORT [registry=zk,master,rpc-master,rpc-rs] [api=sync,async]
 *               [groups=Table,Scan,...] [only=TEXT] [codec=CLASS] [compressor=CLASS] [control=PORT]
 *
 * With `control`, the checks of exceptions instead, of a server behind a proxy (Proxy.java) that is controlled there.
 * Prints `PASS name` or `FAIL name: reason` for each, and exits with 1 when any failed. The name of a check is
 * api/registry/Group.method. The ZooKeeper port given to a client whose registry is not ZooKeeper's is one on which
 * nobody listens, so that such a client proves that it needs none.
 */
public final class ClientSuite {
  private static final String DEAD_PORT = "1";
  private static final String CLIENT = "org.apache.hadoop.hbase.client.";

  private final Map<String, String> options = new TreeMap<>();
  private int passed, failed;

  public static void main(String[] args) throws Exception {
    ClientSuite suite = new ClientSuite();
    for (String a : args) suite.options.put(a.substring(0, a.indexOf('=')), a.substring(a.indexOf('=') + 1));
    for (String registry : suite.list("registry", "zk")) {
      for (String api : suite.list("api", "sync,async")) suite.run(registry, api);
    }
    System.out.println(suite.passed + " passed, " + suite.failed + " failed");
    System.exit(suite.failed == 0 && suite.passed > 0 ? 0 : 1);
  }

  private List<String> list(String key, String otherwise) {
    return Arrays.asList(options.getOrDefault(key, otherwise).split(","));
  }

  static Configuration configuration(Map<String, String> o, String registry) {
    Configuration c = HBaseConfiguration.create();
    String host = o.getOrDefault("host", "127.0.0.1"), zk = DEAD_PORT;
    switch (registry) {
      case "zk":
        c.set("hbase.client.registry.impl", CLIENT + "ZKConnectionRegistry");
        zk = o.get("zk");
        break;
      case "master":
        c.set("hbase.client.registry.impl", CLIENT + "MasterRegistry");
        c.set("hbase.masters", host + ":" + o.get("master"));
        break;
      case "rpc-master":
      case "rpc-rs":
        c.set("hbase.client.registry.impl", CLIENT + "RpcConnectionRegistry");
        c.set("hbase.client.bootstrap.servers", host + ":" + o.get(registry.substring(4)));
        break;
      default:
        throw new IllegalArgumentException("registry " + registry);
    }
    c.set("hbase.zookeeper.quorum", host);
    c.set("hbase.zookeeper.property.clientPort", zk);
    c.set("zookeeper.recovery.retry", "0");
    c.set("hbase.client.retries.number", "8");
    c.set("hbase.client.pause", "50");
    c.set("hbase.rpc.timeout", "20000");
    c.set("hbase.client.operation.timeout", "60000");
    c.set("hbase.client.meta.operation.timeout", "60000");
    c.set("hbase.client.keyvalue.maxsize", "0"); // the server must enforce its own limit
    if (o.containsKey("codec")) c.set("hbase.client.rpc.codec", "org.apache.hadoop.hbase.codec." + o.get("codec"));
    if (o.containsKey("compressor")) c.set("hbase.client.rpc.compressor", "org.apache.hadoop.io.compress." + o.get("compressor"));
    return c;
  }

  private void run(String registry, String kind) throws Exception {
    Configuration conf = configuration(options, registry);
    String tag = kind + "_" + registry.replace('-', '_');
    boolean errors = options.containsKey("control");
    if (errors) ErrorChecks.configure(conf);
    try (Api api = open(kind, conf)) {
      List<Checks> groups = errors ? errorGroups(api, tag, kind, conf) : Arrays.asList(new RegistryChecks(api, tag), new NamespaceChecks(api, tag),
        new TableChecks(api, tag), new DivisionChecks(api, tag), new SchemaChecks(api, tag), new GetChecks(api, tag), new DeleteChecks(api, tag),
        new ScanChecks(api, tag), new FilterChecks(api, tag), new BatchChecks(api, tag), new AtomicChecks(api, tag),
        new WriteChecks(api, tag), new LimitChecks(api, tag), new ClusterChecks(api, tag));
      List<String> wanted = list("groups", "");
      for (Checks g : groups) {
        String group = g.getClass().getSimpleName().replace("Checks", "");
        if (!wanted.contains("") && !wanted.contains(group)) continue;
        run(kind + "/" + registry + "/" + group, g);
      }
    }
  }

  private static Api open(String kind, Configuration conf) throws Exception {
    return kind.equals("sync") ? new SyncApi(conf) : new AsyncApi(conf);
  }

  private List<Checks> errorGroups(Api api, String tag, String kind, Configuration conf) throws Exception {
    Proxy proxy = new Proxy(Integer.parseInt(options.get("control")));
    ErrorChecks.Clients clients = c -> open(kind, c);
    return Arrays.asList(new RefusalChecks(api, tag, proxy, clients, conf), new ScanRefusalChecks(api, tag, proxy, clients, conf),
      new SituationChecks(api, tag, proxy, clients, conf), new QueueChecks(api, tag, proxy, clients, conf));
  }

  private void run(String prefix, Checks group) throws Exception {
    Method[] methods = group.getClass().getDeclaredMethods();
    Arrays.sort(methods, Comparator.comparing(Method::getName));
    for (Method m : methods) {
      String name = prefix + "." + m.getName();
      boolean check = Modifier.isPublic(m.getModifiers()) && m.getParameterCount() == 0 && !m.isSynthetic();
      if (check && name.contains(options.getOrDefault("only", ""))) one(name, group, m);
    }
    try {
      group.finish();
    } catch (Exception e) {
      report(prefix + ".finish", e, 0);
    }
  }

  private void one(String name, Checks group, Method m) throws Exception {
    long start = System.nanoTime();
    Throwable why = null;
    try {
      m.invoke(group);
    } catch (InvocationTargetException e) {
      why = e.getCause();
    }
    report(name, why, (System.nanoTime() - start) / 1_000_000);
  }

  private void report(String name, Throwable why, long ms) {
    if (why == null) {
      passed++;
      System.out.println("PASS " + name + " " + ms + " ms");
      return;
    }
    failed++;
    System.out.println("FAIL " + name + ": " + firstLine(why));
    System.err.println("--- " + name);
    why.printStackTrace();
  }

  private static String firstLine(Throwable why) {
    String text = String.valueOf(why).replace('\n', ' ');
    return text.length() <= 400 ? text : text.substring(0, 400) + "...";
  }
}
