# How Java programs are found, compiled and run here. Sourced by `run` and by benches/hbase/run.
# Needs HERE (this directory), WORK (target/clients) and, for clients, the ports of a server (server.sh).

CLIENT_VERSIONS="2.5.11 2.6.4 3.0.0-beta-1"
OLD_CLIENT_VERSIONS="1.7.2 2.4.18"

# What HBase needs opened on Java 17; the same list as HBase's own start script has.
JVM_OPENS=(
  -Dorg.apache.hbase.thirdparty.io.netty.tryReflectionSetAccessible=true
  --add-modules jdk.unsupported
  --add-opens java.base/java.nio=ALL-UNNAMED
  --add-opens java.base/sun.nio.ch=ALL-UNNAMED
  --add-opens java.base/java.lang=ALL-UNNAMED
  --add-opens java.base/jdk.internal.ref=ALL-UNNAMED
  --add-opens java.base/java.lang.reflect=ALL-UNNAMED
  --add-opens java.base/java.util=ALL-UNNAMED
  --add-opens java.base/java.util.concurrent=ALL-UNNAMED
  --add-exports java.base/jdk.internal.misc=ALL-UNNAMED
  --add-exports java.security.jgss/sun.security.krb5=ALL-UNNAMED
)

# class_path client VERSION | class_path tools: resolved by Maven once per pom.xml, then kept.
class_path() {
  local pom="$HERE/maven/$1/pom.xml" kept
  kept="$WORK/classpath-$1-${2:-own}-$(cksum < "$pom" | cut -d' ' -f1)"
  if [ ! -s "$kept" ]; then
    mvn -q -B -f "$pom" ${2:+-Dhbase.version="$2"} dependency:build-classpath -Dmdep.outputFile="$kept.$BASHPID" \
      > "$kept.log" 2>&1 || { echo "Maven cannot resolve $pom:"; tail -5 "$kept.log"; return 1; } >&2
    mv "$kept.$BASHPID" "$kept"
  fi
  cat "$kept"
}

# classes SOURCE_DIRECTORY CLASSPATH: compiles once per content, prints the directory of the classes. Of two that do so at once
# one was in vain.
classes() {
  local out
  out="$WORK/classes/$(cat "$1"/*.java <(echo "$1 $2") | cksum | cut -d' ' -f1)"
  if [ ! -d "$out" ]; then
    rm -rf "$out.$BASHPID"
    mkdir -p "$out.$BASHPID"
    javac -nowarn -Xlint:none -d "$out.$BASHPID" -cp "$2" "$1"/*.java >&2 || return 1
    mv -T "$out.$BASHPID" "$out" 2> /dev/null || { [ -d "$out" ] && rm -rf "$out.$BASHPID"; } || return 1
  fi
  echo "$out"
}

# client_conf LEVEL: a configuration directory for a client of the server at ZKPORT; prints it.
client_conf() {
  local dir="$WORK/conf-${ZKPORT:-none}-$1"
  mkdir -p "$dir"
  cat > "$dir/hbase-site.xml" <<XML
<?xml version="1.0"?>
<configuration>
  <property><name>hbase.zookeeper.quorum</name><value>${HOST:-127.0.0.1}</value></property>
  <property><name>hbase.zookeeper.property.clientPort</name><value>${ZKPORT:-1}</value></property>
  <property><name>hbase.tmp.dir</name><value>$WORK/tmp</value></property>
  <property><name>hadoop.tmp.dir</name><value>$WORK/tmp</value></property>
  <property><name>fs.defaultFS</name><value>file:///</value></property>
</configuration>
XML
  cat > "$dir/log4j.properties" <<LOG
log4j.rootLogger=$1,e
log4j.appender.e=org.apache.log4j.ConsoleAppender
log4j.appender.e.target=System.err
log4j.appender.e.layout=org.apache.log4j.PatternLayout
log4j.appender.e.layout.ConversionPattern=%d{ISO8601} %-5p [%t] %c{2}: %m%n
log4j.logger.org.apache.zookeeper=WARN
log4j.logger.org.apache.hadoop.metrics2=ERROR
log4j.logger.org.apache.hadoop.util.NativeCodeLoader=ERROR
LOG
  echo "$dir"
}

# jvm CLASSPATH MAIN ARGUMENTS...: JVM_LIMIT_S seconds at most, so that a server that hangs is a failure, not a wait.
jvm() { jvm_with '' "$@"; }

# Programs that run for seconds, several on two processors: threads that collect, and a second compiler, cost more than they bring.
JVM_FOR_SECONDS=(-XX:+UseSerialGC -XX:TieredStopAtLevel=1)

# jvm_with OPTIONS CLASSPATH MAIN ARGUMENTS...: with more options of the JVM, divided by white space.
jvm_with() {
  local options cp=$2
  read -r -d '' -a options <<< "$1"
  shift 2
  timeout --foreground --kill-after=10 "${JVM_LIMIT_S:-900}" java "${JVM_OPENS[@]}" "${JVM_FOR_SECONDS[@]}" "${options[@]}" -Xmx"${CLIENT_HEAP:-1g}" -Djava.net.preferIPv4Stack=true -Djava.io.tmpdir="$WORK/tmp" \
    -Dtest.build.data.basedirectory="$WORK/tmp" -cp "$cp" "$@"
}

# tool MAIN ARGUMENTS...: one of HBase's own tools, as a client of the server.
tool() {
  local cp
  cp=$(class_path tools) || return 1
  (cd "$WORK/tmp" && jvm "$(client_conf INFO):$cp" "$@")
}

# table_admin create TABLE FAMILY [SPLIT_KEY...] | table_admin flush TABLE
table_admin() {
  local cp out
  cp=$(class_path client 2.5.11) && out=$(classes "$HERE/java/admin" "$cp") || return 1
  jvm "$(client_conf WARN):$out:$cp" TableAdmin "$@"
}
