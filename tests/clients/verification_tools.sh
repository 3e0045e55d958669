# HBase's tools that check what they have written. Sourced by `run`.

LOCAL_MAPREDUCE=("-Dmapreduce.framework.name=local" "-Dfs.defaultFS=file:///" "-Dhadoop.tmp.dir=$WORK/tmp/mr" "-Dmapreduce.cluster.local.dir=$WORK/tmp/mr/local"
  "-Dmapreduce.jobtracker.staging.root.dir=$WORK/tmp/mr/staging" "-Dhbase.fs.tmp.dir=$WORK/tmp/mr/hbase" -Dmapreduce.client.completion.pollinterval=100
  -Dmapreduce.local.map.tasks.maximum=2)

# load_test LOG OPTION...: one run of LoadTestTool that finds no key wrong.
load_test() {
  local log=$1
  shift
  tool org.apache.hadoop.hbase.util.LoadTestTool "$@" > "$log" 2>&1 && ! grep -qE 'Failed to [a-z]+ keys: [1-9]' "$log" ||
    { echo "LoadTestTool $* failed, see $log"; return 1; }
}

# Updates (increments, appends, deletes, mutations) of every key, each checked, while other clients read and write whole rows of
# a second table, which nobody may ever see by half. The rows are written slowly: their tool takes a minute, whatever it is told.
step_updates() {
  local acid table=(-tn load_test_updates -num_keys "$((LTT_KEYS / 4))" -families a,b)
  tool org.apache.hadoop.hbase.AcidGuaranteesTestTool -millis 20000 -numWriters 4 -numGetters 2 -numScanners 2 -numUniqueRows 3 > "$LOGS/acid.log" 2>&1 &
  acid=$!
  load_test "$LOGS/updates-write.log" "${table[@]}" -deferredlogflush -write 3:128:4 &&
    load_test "$LOGS/updates-update.log" "${table[@]}" -skip_init -update 60:4:1 &&
    load_test "$LOGS/updates-read.log" "${table[@]}" -skip_init -read 100:4 || { wait $acid; return 1; }
  wait $acid || { echo "AcidGuaranteesTestTool failed, see $LOGS/acid.log"; return 1; }
  echo "$((LTT_KEYS / 4)) keys updated; rows verified whole: $(sed -n 's/.*verified \([0-9]*\) rows.*/\1/p' "$LOGS/acid.log" | awk '{ n += $1 } END { print n + 0 }')"
}

# A list of which every node refers to one that was written long before; the server is killed and started again while it grows
# and while it is verified. No node may be missing, none be there that was not written.
step_linkedlist() {
  local data="$DATA/linkedlist" log="$LOGS/linkedlist-tool.log" kills=0 pause=1 job found
  rm -rf "$WORK/tmp/mr"
  (
    trap server_kill EXIT
    unset ZKPORT MASTERPORT RSPORT
    server_start "$data" "$LOGS/linkedlist-server.log" || exit 1
    # without asking how large regions are, which a client tries once only
    tool org.apache.hadoop.hbase.test.IntegrationTestBigLinkedList "${LOCAL_MAPREDUCE[@]}" -Dhbase.regionsizecalculator.enable=false \
      -Dhbase.client.retries.number=60 -Dzookeeper.recovery.retry=120 Loop 2 2 "$LIST_NODES" "$WORK/tmp/mr/list" 2 1000 25 > "$log" 2>&1 &
    job=$!
    # the first kill comes soon after nodes do, so that the job is not over before; then one every few seconds
    for ((i = 0; i < 3000; i++)); do grep -q 'Running job' "$log" && break; kill -0 "$job" 2> /dev/null || break; sleep 0.1; done
    while sleep "$pause" && kill -0 "$job" 2> /dev/null; do
      server_kill
      kills=$((kills + 1))
      # shellcheck disable=SC2046
      server_start "$data" "$LOGS/linkedlist-server.log" $(server_same_ports) || { kill "$job"; exit 1; }
      [ "$kills" -lt 8 ] || break
      pause=$((2 + RANDOM % 3))
    done
    wait "$job" || { echo "after $kills kills the list is not whole, see $log"; exit 1; }
    found=$(grep -oE 'REFERENCED=[0-9]+' "$log" | tail -1)
    echo "$found nodes after $kills kills"
    [ "$found" = "REFERENCED=$((LIST_NODES * 4))" ] && [ "$kills" -gt 0 ]
  )
}

# Every region and every server answers, writes included; every znode that a client may read is there.
step_canary() {
  local mode log said=
  table_admin create canaried f m || return 1
  for mode in '-writeSniffing' '-regionserver' '-zookeeper'; do
    log="$LOGS/canary$mode.log"
    tool org.apache.hadoop.hbase.tool.CanaryTool -t 600000 "$mode" > "$log" 2>&1 || { echo "Canary $mode failed, see $log"; return 1; }
    said+=" $mode: $(grep -cE 'Read from|Write to' "$log")"
    grep -qE 'Read from' "$log" && ! grep -qE ' ERROR ' "$log" || { echo "Canary $mode: $(grep -m1 -E ' ERROR ' "$log")"; return 1; }
  done
  echo "answers:$said"
}
