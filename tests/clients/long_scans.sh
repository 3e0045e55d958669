# Rows and scans that are longer than memory and patience. Sourced by `run`.

# What the process may have above what it has when idle.
HUGE_ROW_RISE_MIB=64
# The status that says that it was more.
HUGE_ROW_TOO_HIGH=3
# The settings with which that holds also where such a row is asked for as a whole, for cells of up to 1 MiB.
HUGE_ROW_SETTINGS=(finback.memory.limit=40m hbase.regionserver.global.memstore.size=20m hfile.block.cache.size=6m)
# The largest cells, to whose length the limit counts its four bytes, need room for requests and replies of their size.
LARGEST_CELL=10485756
LARGEST_CELL_SETTINGS=(finback.memory.limit=100m hbase.regionserver.global.memstore.size=16m hfile.block.cache.size=8m)

step_hugerow() {
  local cell
  for cell in 1024 1048576 "$LARGEST_CELL"; do
    huge_row unasked "$cell" || return 1
  done
  huge_row refused 1024 "${HUGE_ROW_SETTINGS[@]}" &&
    huge_row refused 1048576 "${HUGE_ROW_SETTINGS[@]}" &&
    huge_row refused "$LARGEST_CELL" "${LARGEST_CELL_SETTINGS[@]}"
}

# huge_row WHOLE CELL_BYTES SETTING...: a row of such cells, by which the memory of a server with these settings rises by no
# more than HUGE_ROW_RISE_MIB. WHOLE: `refused` if it is asked for as a whole, or `unasked`. What rises by more is tried once again:
# on a starved machine memory may be given back late.
huge_row() {
  local status=0
  huge_row_once "$@" || status=$?
  [ "$status" = "$HUGE_ROW_TOO_HIGH" ] || return "$status"
  huge_row_once "$@"
}

huge_row_once() {
  local whole=$1 cell=$2 cp out
  shift 2
  cp=$(class_path client 2.5.11) && out=$(classes "$HERE/java/hugerow" "$cp") || return 1
  (
    trap server_kill EXIT
    unset ZKPORT MASTERPORT RSPORT
    rm -rf "$DATA/hugerow"
    server_start "$DATA/hugerow" "$LOGS/hugerow-server.log" "$@" || exit 1
    settled_memory
    idle=$(resident_mb VmRSS)
    # the highest so far is forgotten
    echo 5 > "/proc/$SERVER_PID/clear_refs"
    jvm "$(client_conf ERROR):$out:$cp" HugeRow "$HUGE_ROW_MIB" "$whole" "$cell" || exit 1
    highest=$(resident_mb VmHWM)
    server_stop || exit 1
    rm -rf "$DATA/hugerow"
    echo "$HUGE_ROW_MIB MiB in a row, cells of $cell bytes, ${*:-default settings}: $((highest - idle)) MiB above $idle MiB"
    [ $((highest - idle)) -le "$HUGE_ROW_RISE_MIB" ] || exit "$HUGE_ROW_TOO_HIGH"
  )
}

# Returns when what the server has is the same as a second ago, at most half a minute later.
settled_memory() {
  local i before now
  before=$(resident_kb VmRSS)
  for ((i = 0; i < 30; i++)); do
    sleep 1
    now=$(resident_kb VmRSS)
    [ $((now - before)) -gt 256 ] || [ $((before - now)) -gt 256 ] || return 0
    before=$now
  done
}

resident_kb() { awk -v which="$1:" '$1 == which { print $2 }' "/proc/$SERVER_PID/status"; }
resident_mb() { awk -v which="$1:" '$1 == which { printf "%.0f", $2 / 1024 }' "/proc/$SERVER_PID/status"; }

step_rejecting() {
  local cp out
  cp=$(class_path client 2.5.11) && out=$(classes "$HERE/java/rejectingfilter" "$cp") || return 1
  jvm "$(client_conf WARN):$out:$cp" RejectingFilter "$REJECTING_S" "$REJECTING_TIMEOUT_MS"
}
