import javassist.CannotCompileException;
import javassist.ClassPool;
import javassist.CtClass;
import javassist.CtMethod;
import javassist.NotFoundException;

/**
 * Rewrites classes of HBase's published tests jars so that starting a mini cluster means "use the cluster that runs
 * already": RewriteTestUtility DIRECTORY. The directory goes before HBase's jars on the class path.
 */
public final class RewriteTestUtility {
  private static final String CLUSTER = "org.apache.hadoop.hbase.ExternalCluster";
  private static final String OPTION = "Lorg/apache/hadoop/hbase/StartMiniClusterOption;";
  private static final String TABLE = "Lorg/apache/hadoop/hbase/TableName;";

  private final CtClass rewritten;

  private RewriteTestUtility(String className) throws NotFoundException {
    rewritten = ClassPool.getDefault().get(className);
  }

  public static void main(String[] args) throws Exception {
    String directory = args[0];
    RewriteTestUtility utility = new RewriteTestUtility("org.apache.hadoop.hbase.HBaseTestingUtility");
    for (String start : new String[] { "startMiniCluster", "startMiniHBaseCluster" }) utility.body(start, OPTION, "return CLUSTER.start(this, $1);");
    for (String stop : new String[] { "shutdownMiniCluster", "shutdownMiniHBaseCluster", "killMiniHBaseCluster" }) utility.body(stop, "", "CLUSTER.stop(this);");
    for (String mini : new String[] { "getMiniHBaseCluster", "getHBaseCluster" }) utility.body(mini, "", "return CLUSTER.mini(this);");
    utility.body("getHBaseClusterInterface", "", "return CLUSTER.cluster(this);");
    utility.body("startMiniDFSCluster", "I[Ljava/lang/String;[Ljava/lang/String;", "return null;");
    utility.body("shutdownMiniDFSCluster", "", "return;");
    utility.body("restartHBaseCluster", OPTION, "CLUSTER.unsupported(\"restartHBaseCluster\");");
    utility.body("getDFSCluster", "", "CLUSTER.unsupported(\"getDFSCluster\"); return null;");
    utility.body("expireMasterSession", "", "CLUSTER.unsupported(\"expireMasterSession\");");
    utility.body("expireRegionServerSession", "I", "CLUSTER.unsupported(\"expireRegionServerSession\");");
    utility.body("flush", "", "CLUSTER.flush(this, null);");
    utility.body("flush", TABLE, "CLUSTER.flush(this, $1);");
    utility.body("compact", "Z", "CLUSTER.compact(this, null, $1);");
    utility.body("compact", TABLE + "Z", "CLUSTER.compact(this, $1, $2);");
    utility.body("getRSForFirstRegionInTable", null, "return CLUSTER.firstServer(this, $1);");
    for (String ensure : new String[] { "ensureSomeRegionServersAvailable", "ensureSomeNonStoppedRegionServersAvailable" }) utility.body(ensure, "I", "return false;");
    utility.first("getDefaultRootDirPath", "if (CLUSTER.asked) return CLUSTER.rootDir();");
    utility.write(directory);

    // removes the archive of the server between tests: only where its files are at hand
    RewriteTestUtility snapshots = new RewriteTestUtility("org.apache.hadoop.hbase.snapshot.SnapshotTestingUtils");
    snapshots.first("deleteArchiveDirectory", "if (!CLUSTER.hasRootDir()) return;");
    snapshots.write(directory);

    RewriteTestUtility zooKeeper = new RewriteTestUtility("org.apache.hadoop.hbase.HBaseZKTestingUtility");
    zooKeeper.body("startMiniZKCluster", "I[I", "return null;");
    zooKeeper.body("shutdownMiniZKCluster", "", "return;");
    zooKeeper.write(directory);
  }

  /** Replaces the body of the methods of that name, of those with these parameters if some are given. */
  private void body(String name, String parameters, String body) throws CannotCompileException {
    int found = 0;
    for (CtMethod method : rewritten.getDeclaredMethods()) {
      if (!method.getName().equals(name) || parameters != null && !method.getSignature().startsWith("(" + parameters + ")")) continue;
      method.setBody("{" + body.replace("CLUSTER", CLUSTER) + "}");
      found++;
    }
    if (found == 0) throw new IllegalStateException(rewritten.getName() + " has no " + name + "(" + parameters + ")");
  }

  /** Puts a statement before the bodies of the methods of that name. */
  private void first(String name, String statement) throws Exception {
    for (CtMethod method : rewritten.getDeclaredMethods(name)) method.insertBefore("{ " + statement.replace("CLUSTER", CLUSTER) + " }");
  }

  private void write(String directory) throws Exception {
    rewritten.writeFile(directory);
  }
}
