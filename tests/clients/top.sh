# finback top, at a terminal: keys in, screen out. Sourced by `run`. Needs HERE, LOGS, DATA, server.sh and shared_hbase.

# Against this server, against a real HBase, and against a server that goes away: side by side, since all of them mostly wait.
step_top() {
  local status=0 part parts=(here) pids=()
  command -v tmux > /dev/null || { echo "tmux is missing (Debian: apt install tmux)"; return 1; }
  if ! external_server; then
    shared_hbase || return 1
    parts=(goes_away hbase here)
  fi
  for part in "${parts[@]}"; do
    top_"$part" > "$LOGS/top-$part.log" 2>&1 &
    pids+=($!)
  done
  for part in "${pids[@]}"; do wait "$part" || status=1; done
  for part in "${parts[@]}"; do sed "s/\$/ ($part)/" "$LOGS/top-$part.log"; done
  return $status
}

top_here() { python3 "$HERE/top/check.py" "$FINBACK" "${HOST:-127.0.0.1}:$ZKPORT" "$WORK/tmp"; }
top_hbase() { python3 "$HERE/top/check.py" "$FINBACK" "127.0.0.1:$HBASE_ZKPORT" "$WORK/tmp"; }

top_goes_away() {
  unset ZKPORT MASTERPORT RSPORT
  trap server_kill EXIT
  server_start "$DATA/top" "$LOGS/top-server.log" || exit 1
  settings=()
  for setting in $(server_same_ports); do settings+=(-D "$setting"); done
  python3 "$HERE/top/goes_away.py" "$FINBACK" "127.0.0.1:$ZKPORT" "$WORK/tmp" "$SERVER_PID" "$DATA/top" \
    "$LOGS/top-server.log" "${settings[@]}"
}
