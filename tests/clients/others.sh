# Clients other than those that have steps of their own: older releases of HBase's client, its gateways (REST, and both of Thrift)
# with their clients, a client in Python, and one of ZooKeeper. Sourced by `run`.

GATEWAY_START_LIMIT_S=240
# The second interface of Thrift is asked in Java: happybase has only the first.
PYTHON_CLIENTS=(happybase==1.3.0 hbase-driver==1.1.1 kazoo==2.11.0)

# old_client VERSION: what that release can do; compiled for it.
old_client() {
  local cp out before2=false
  [ "${1%%.*}" != 1 ] || before2=true
  cp=$(class_path client "$1") && out=$(classes "$HERE/java/oldclients" "$cp") || return 1
  JVM_LIMIT_S=300 jvm "$(client_conf WARN):$out:$cp" OldClient $before2
}

# python_client SCRIPT ARGUMENTS...: with the clients from PyPI, kept under target/clients.
python_client() {
  local packages="$WORK/python-clients"
  if [ ! -d "$packages" ]; then
    rm -rf "$packages.tmp"
    python3 -m pip install --quiet --disable-pip-version-check --root-user-action=ignore --target "$packages.tmp" "${PYTHON_CLIENTS[@]}" >&2 &&
      mv "$packages.tmp" "$packages" || { echo "pip cannot install ${PYTHON_CLIENTS[*]}"; return 1; }
  fi
  PYTHONDONTWRITEBYTECODE=1 PYTHONPATH="$packages" timeout --kill-after=10 400 python3 "$HERE/python/$1" "${@:2}"
}

# free_ports N: numbers of ports that nobody listens on now.
free_ports() {
  python3 -c 'import socket, sys
held = [socket.create_server(("127.0.0.1", 0)) for _ in range(int(sys.argv[1]))]
print(*(s.getsockname()[1] for s in held))' "$1"
}

# gateway NAME CLASS ARGUMENTS...: starts one; it is stopped with the subshell that has the trap.
gateway() {
  local cp
  cp=$(class_path gateways) || return 1
  java "${JVM_OPENS[@]}" "${JVM_FOR_SECONDS[@]}" -Xmx512m -Djava.net.preferIPv4Stack=true -Djava.io.tmpdir="$WORK/tmp" -cp "$(client_conf WARN):$cp" \
    "${@:2}" start > "$LOGS/others-$1.log" 2>&1 &
  gateways+=($!)
}

# await_port PORT: until somebody listens there.
await_port() {
  local i
  for ((i = 0; i < GATEWAY_START_LIMIT_S * 10; i++)); do
    (: < "/dev/tcp/127.0.0.1/$1") 2> /dev/null && return
    sleep 0.1
  done
  echo "nobody listens on port $1 after $GATEWAY_START_LIMIT_S s"
  return 1
}

step_others() (
  gateways=() failed=0
  trap 'kill "${gateways[@]}" 2> /dev/null' EXIT
  part() {
    echo "== $1"
    "${@:2}" || failed=$((failed + 1))
  }
  read -r rest rest_ui thrift thrift2 < <(free_ports 4) && cp=$(class_path gateways) && out=$(classes "$HERE/java/thrift2" "$cp") || exit 1
  gateway rest org.apache.hadoop.hbase.rest.RESTServer -p "$rest" --infoport "$rest_ui" || exit 1
  gateway thrift org.apache.hadoop.hbase.thrift.ThriftServer -p "$thrift" --infoport -1 || exit 1
  gateway thrift2 org.apache.hadoop.hbase.thrift2.ThriftServer -p "$thrift2" --infoport -1 || exit 1
  for version in $OLD_CLIENTS; do part "hbase-client $version" old_client "$version"; done
  part hbase-driver python_client native.py "${HOST:-127.0.0.1}:$ZKPORT"
  part kazoo python_client zookeeper.py "${HOST:-127.0.0.1}:$ZKPORT"
  await_port "$rest" && part REST python_client rest.py "http://127.0.0.1:$rest" || failed=$((failed + 1))
  await_port "$thrift" && part Thrift python_client thrift.py 127.0.0.1 "$thrift" || failed=$((failed + 1))
  await_port "$thrift2" && part "Thrift 2" jvm "$out:$cp" Thrift2 127.0.0.1 "$thrift2" || failed=$((failed + 1))
  echo "hbase-client $OLD_CLIENTS; hbase-driver; kazoo; REST; Thrift"
  [ "$failed" = 0 ]
)
