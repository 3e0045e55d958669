# A real HBase, standalone: one JVM with a master, a region server and a ZooKeeper, on the local file system. Sourced by `run`.
# Needs HERE and java.sh.

HBASE_START_LIMIT_S=300
HBASE_START_TRIES=3
# What it says when somebody has taken a port between our choice and its use, and the status of hbase_start_once then.
HBASE_PORT_IS_TAKEN='Address already in use|BindException|Could not start ZK at requested port'
HBASE_PORT_STATUS=3
HBASE_PID=

# A port of the loopback address that is free.
free_port() { python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }

# hbase_start DATA LOG [NAME=VALUE...]: returns when it serves; sets HBASE_PID and HBASE_ZKPORT. DATA is new: where a port was taken,
# it is made again.
hbase_start() {
  local try status
  for ((try = 0; try < HBASE_START_TRIES; try++)); do
    status=0
    hbase_start_once "$@" || status=$?
    [ "$status" = "$HBASE_PORT_STATUS" ] || break
    echo "a port of HBase was taken"
    [ "$((try + 1))" = "$HBASE_START_TRIES" ] || rm -rf "$1"
  done
  return "$status"
}

hbase_start_once() {
  local data=$1 log=$2 cp i setting master regionserver taken=
  shift 2
  cp=$(class_path server) || return 1
  HBASE_ZKPORT=$(free_port) master=$(free_port) regionserver=$(free_port)
  mkdir -p "$data/conf" "$data/tmp"
  {
    echo '<?xml version="1.0"?><configuration>'
    # On a busy machine a session of ZooKeeper ends easily, and with it the server. Procedures need not wait for company.
    for setting in hbase.rootdir="file://$data/root" hbase.tmp.dir="$data/tmp" hadoop.tmp.dir="$data/tmp" \
      hbase.unsafe.stream.capability.enforce=false hbase.zookeeper.quorum=127.0.0.1 \
      hbase.zookeeper.property.clientPort="$HBASE_ZKPORT" hbase.zookeeper.property.dataDir="$data/zk" \
      hbase.master.port="$master" hbase.regionserver.port="$regionserver" \
      hbase.master.info.port=-1 hbase.regionserver.info.port=-1 \
      hbase.master.ipc.address=127.0.0.1 hbase.regionserver.ipc.address=127.0.0.1 \
      hbase.master.hostname=localhost hbase.regionserver.hostname=localhost hbase.unsafe.regionserver.hostname=localhost \
      hbase.zookeeper.property.tickTime=10000 zookeeper.session.timeout.localHBaseCluster=180000 \
      hbase.procedure.remote.dispatcher.delay.msec=5 hbase.assignment.dispatch.wait.msec=5 "$@"; do
      echo "<property><name>${setting%%=*}</name><value>${setting#*=}</value></property>"
    done
    echo '</configuration>'
  } > "$data/conf/hbase-site.xml"
  cat > "$data/conf/log4j.properties" <<LOG4J
log4j.rootLogger=WARN,file
log4j.logger.org.apache.hadoop.hbase.master.HMaster=INFO
log4j.appender.file=org.apache.log4j.FileAppender
log4j.appender.file.File=$data/hbase.log
log4j.appender.file.layout=org.apache.log4j.PatternLayout
log4j.appender.file.layout.ConversionPattern=%d{ISO8601} %-5p [%t] %c{2}: %m%n
LOG4J
  java "${JVM_OPENS[@]}" -Xmx768m -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -Djava.net.preferIPv4Stack=true \
    -Djava.io.tmpdir="$data/tmp" -Dhbase.log.dir="$data" -cp "$data/conf:$cp" org.apache.hadoop.hbase.master.HMaster start \
    > "$log" 2>&1 &
  HBASE_PID=$!
  for ((i = 0; i < HBASE_START_LIMIT_S * 4; i++)); do
    grep -qs 'Master has completed initialization' "$data/hbase.log" && return 0
    kill -0 "$HBASE_PID" 2> /dev/null || break
    sleep 0.25
  done
  # Not looked for before it is over: what it gets over is no reason to end it.
  ! grep -qsE "$HBASE_PORT_IS_TAKEN" "$log" "$data/hbase.log" || taken=1
  echo "HBase did not start; the end of $log:"
  tail -5 "$log"
  hbase_kill
  [ -z "$taken" ] || return "$HBASE_PORT_STATUS"
  return 1
}

# SIGKILL: its data is of no use any more.
hbase_kill() {
  local pid=$HBASE_PID
  [ -n "$pid" ] || return 0
  HBASE_PID=
  kill -KILL "$pid" 2> /dev/null
  wait "$pid" 2> /dev/null
}
