# `finback pe`, every command, against this server and a real HBase; and its rows beside those of HBase's tool. Sourced by `run`.
# Needs java.sh, server.sh and hbase.sh.

LOAD_ROWS=60
LOAD_CLIENTS=2

# In an order in which each finds what it needs.
LOAD_COMMANDS="sequentialWrite randomWrite asyncSequentialWrite asyncRandomWrite sequentialRead randomRead asyncSequentialRead
  asyncRandomRead scan asyncScan randomSeekScan scanRange10 scanRange100 scanRange1000 scanRange10000 filterScan increment append
  checkAndMutate checkAndPut checkAndDelete metaWrite metaRandomRead cleanMeta randomDelete sequentialDelete
  ycsbLoad workloadA workloadB workloadC workloadD workloadE workloadF"

# load_pe PORT ARGUMENT...: against the cluster whose ZooKeeper is there.
load_pe() {
  local port=$1
  shift
  "$FINBACK" pe -q -D hbase.zookeeper.property.clientPort="$port" "$@"
}

# load_every_command PORT: each a little. Prints a JSON object for each.
load_every_command() {
  local port=$1 command given clients
  for command in $LOAD_COMMANDS; do
    given=(--rows=$LOAD_ROWS) clients=$LOAD_CLIENTS
    case $command in
      sequentialWrite) given+=(--presplit=3) ;;
      randomRead) given+=(--multiGet=7 --rate=2000) ;;
      randomWrite) given+=(--autoFlush=true --multiPut=7) ;;
      asyncRandomRead) given+=(--distribution=zipfian) ;;
      asyncScan) given+=(--filterAll) ;;
      filterScan) given=(--rows=2) ;;
      metaWrite | metaRandomRead | cleanMeta) given=(--rows=20) clients=1 ;;
      ycsb* | workload*) given=(-p recordcount=200 -p operationcount=200 -p dataintegrity=true -p fieldcount=3) ;;
    esac
    load_pe "$port" --json=- "${given[@]}" "$command" "$clients" || { echo "$command against the cluster at $port failed" >&2; return 1; }
  done
}

# load_check FILE: what the commands have told.
load_check() {
  python3 - "$1" "$LOAD_CLIENTS" <<'PYTHON'
import json, sys
clients = int(sys.argv[2])
text, at, decoder, wrong, told = open(sys.argv[1]).read(), 0, json.JSONDecoder(), [], 0
while text[at:].strip():
    at += len(text[at:]) - len(text[at:].lstrip())
    run, at = decoder.raw_decode(text, at)
    told += 1
    command = run["command"]
    latencies = sum(kind["count"] for kind in run["latencies"].values())
    # clients that work on the same rows may find them changed; an asyncScan here filters all out
    may_miss = command in ("asyncScan", "checkAndDelete")
    finds = command not in ("asyncScan", "filterScan")
    # of its last list, which is not full, each client has no latency
    unmeasured = run["operations"] - latencies
    if run["error"] or run["interrupted"] or not run["operations"] or unmeasured not in (0, clients):
        wrong.append((command, "operations", run["operations"], run["error"]))
    if run["rows_missing"] and not may_miss:
        wrong.append((command, "missing", run["rows_missing"]))
    if finds and not run["rows"]:
        wrong.append((command, "rows", run["rows"]))
print(f"{told} commands, {len(wrong)} wrong", *wrong)
sys.exit(bool(wrong) or told == 0)
PYTHON
}

# load_rows TABLE: rows, columns and shape of values, as a scan shows them.
load_rows() {
  "$FINBACK" shell -n -D hbase.zookeeper.property.clientPort="$ZKPORT" -e "scan '$1'" |
    sed -nE 's/^ *([0-9]{26}) +column=([^,]*), timestamp=[^,]*, value=(.*)$/\1 \2 \3/p' |
    awk '{ whole = length($3) == 40; for (i = 1; i <= 40; i += 8) { g = substr($3, i, 8); c = substr(g, 1, 1)
           gsub(c, "", g); whole = whole && g == "" && c ~ /[A-Z]/ } print $1, $2, whole ? "letters" : $3 }'
}

# HBase's tool and ours write the same rows, and each reads what the other has written.
load_beside_hbase() {
  local options=(--nomapred --rows=150 --presplit=2 --families=2 --columns=2 --valueSize=40) ours theirs
  load_pe "$ZKPORT" "${options[@]}" --table=pe_ours sequentialWrite 2 > /dev/null || return 1
  tool org.apache.hadoop.hbase.PerformanceEvaluation "${options[@]}" --table=pe_theirs sequentialWrite 2 > "$LOGS/load-java.log" 2>&1 ||
    { echo "HBase's tool failed, see $LOGS/load-java.log"; return 1; }
  ours=$(load_rows pe_ours) theirs=$(load_rows pe_theirs)
  [ "$(wc -l <<< "$ours")" = 1200 ] || { echo "$(wc -l <<< "$ours") cells of ours: $(head -3 <<< "$ours")"; return 1; }
  [ "$ours" = "$theirs" ] || { echo "rows differ:"; diff <(echo "$ours") <(echo "$theirs") | head -5; return 1; }
  load_pe "$ZKPORT" "${options[@]}" --table=pe_theirs --json=- randomRead 2 > "$LOGS/load-theirs.json" || return 1
  load_check "$LOGS/load-theirs.json" || { echo "ours does not find all rows of theirs"; return 1; }
  # every hundredth of its scans says what it has found
  tool org.apache.hadoop.hbase.PerformanceEvaluation "${options[@]}" --table=pe_ours scanRange10 2 > "$LOGS/load-java.log" 2>&1 ||
    { echo "HBase's tool failed, see $LOGS/load-java.log"; return 1; }
  grep -qE 'returned ([1-9]|10) rows' "$LOGS/load-java.log" || { echo "theirs does not find rows of ours, see $LOGS/load-java.log"; return 1; }
}
