# The server under test: started on free ports and a directory of its own, or, with HOST, ZKPORT, MASTERPORT and
# RSPORT set by the caller, one that runs already. Sourced by `run`.

SERVER_START_LIMIT_S=300
SERVER_STOP_LIMIT_S=120
SERVER_PID=

external_server() { [ -n "${HOST:-}" ]; }

# finback_binary: prints the path, builds it first if nobody named one.
finback_binary() {
  if [ -z "${FINBACK:-}" ]; then
    FINBACK="${CARGO_TARGET_DIR:-$ROOT/target}/release/finback"
    (cd "$ROOT" && cargo build --release --quiet --package finback) >&2 || return 1
  fi
  echo "$FINBACK"
}

# run_example CRATE NAME [ARGUMENT...]: an example, built with the server's package beside it, so that it takes what is built already.
run_example() {
  local crate=$1 name=$2
  (cd "$ROOT" && cargo build -q --release --locked -p finback -p "$crate" --example "$name") || return 1
  "${CARGO_TARGET_DIR:-$ROOT/target}/release/examples/$name" "${@:3}"
}

# server_start DATA LOG [NAME=VALUE...]: returns when it serves; sets SERVER_PID, ZKPORT, MASTERPORT, RSPORT.
server_start() {
  local data=$1 log=$2 i setting settings=()
  shift 2
  for setting in hbase.zookeeper.property.clientPort=0 hbase.master.port=0 hbase.regionserver.port=0 \
    hbase.master.info.port=0 hbase.regionserver.info.port=0 "$@"; do
    settings+=(-D "$setting")
  done
  mkdir -p "$data"
  rm -f "$data/ports"
  "$FINBACK" server --data "$data" "${settings[@]}" >> "$log" 2>&1 &
  SERVER_PID=$!
  for ((i = 0; i < SERVER_START_LIMIT_S * 20; i++)); do
    [ -s "$data/ports" ] && break
    kill -0 "$SERVER_PID" 2> /dev/null || break
    sleep 0.05
  done
  if [ ! -s "$data/ports" ]; then
    echo "the server did not start; the end of $log:"
    tail -5 "$log"
    server_kill
    return 1
  fi
  ZKPORT=$(server_port hbase.zookeeper.property.clientPort "$data")
  MASTERPORT=$(server_port hbase.master.port "$data")
  RSPORT=$(server_port hbase.regionserver.port "$data")
}

server_port() { sed -n "s/^$1=//p" "$2/ports"; }

# The settings that give a second start the ports of the first. Nobody needs its pages again, whose usual ports may be taken.
server_same_ports() {
  echo "hbase.zookeeper.property.clientPort=$ZKPORT hbase.master.port=$MASTERPORT hbase.regionserver.port=$RSPORT" \
    "hbase.master.info.port=0 hbase.regionserver.info.port=0"
}

# server_stop: SIGTERM; false when it does not end in time or ends in error (143: a JVM's way to end on SIGTERM).
server_stop() {
  local i status pid=$SERVER_PID
  [ -n "$pid" ] || return 0
  SERVER_PID=
  kill -TERM "$pid" 2> /dev/null
  for ((i = 0; i < SERVER_STOP_LIMIT_S * 10; i++)); do
    kill -0 "$pid" 2> /dev/null || break
    sleep 0.1
  done
  if kill -0 "$pid" 2> /dev/null; then
    echo "the server (pid $pid) did not stop within $SERVER_STOP_LIMIT_S s of SIGTERM"
    kill -KILL "$pid"
    wait "$pid" 2> /dev/null
    return 1
  fi
  status=0
  wait "$pid" || status=$?
  [ "$status" = 0 ] || [ "$status" = 143 ] || { echo "the server ended with status $status"; return 1; }
}

# server_kill: SIGKILL.
server_kill() {
  [ -n "$SERVER_PID" ] || return 0
  kill -KILL "$SERVER_PID" 2> /dev/null
  wait "$SERVER_PID" 2> /dev/null
  SERVER_PID=
}
