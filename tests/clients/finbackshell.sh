# finback shell beside HBase's shell, and at a terminal. Sourced by `run`. Needs HERE, WORK, LOGS, DATA, java.sh, server.sh and shared_hbase.

# HBase's shell runs the statements against a real HBase; what it prints, finback shell must print, against that HBase and
# against this server. What this server has not got is only asked of HBase: it stands at the end.
# A region server that is recommissioned within milliseconds may stay decommissioned in HBase's master (one in some fifty tries), which
# then makes no table any more: hence the second in between.
step_finbackshell() {
  local status=0 asked here="${HOST:-127.0.0.1}:$ZKPORT" shared="$WORK/tmp/statements.txt" all="$WORK/tmp/all_statements.txt"
  command -v tmux > /dev/null || { echo "tmux is missing (Debian: apt install tmux)"; return 1; }
  python3 "$HERE/finbackshell/at_a_terminal.py" "$FINBACK" "$here" "$WORK/tmp" || return 1
  external_server && return 0
  cat "$HERE"/finbackshell/{statements,administration}.txt > "$shared"
  cat "$shared" "$HERE/finbackshell/what_this_server_has_not.txt" > "$all"
  # This server is asked while HBase starts and answers.
  finbacks_answers "$shared" "$here" > "$LOGS/finbackshell-here.json" &
  asked=$!
  hbases_answers "$all" || { hbase_left_a_lock && hbases_answers "$all"; } || { wait "$asked"; return 1; }
  beside_hbases "$all" hbase || status=1
  wait "$asked" && beside_hbases "$shared" here || status=1
  return $status
}

# hbases_answers STATEMENTS: what both shells print against a real HBase.
hbases_answers() {
  shared_hbase && hbases_shell "$1" > "$LOGS/hbases-shell.out" 2> "$LOGS/hbases-shell.err" &&
    finbacks_answers "$1" "127.0.0.1:$HBASE_ZKPORT" > "$LOGS/finbackshell-hbase.json"
}

# HBase now and then leaves a table locked behind a snapshot (seen once in some forty runs), and nothing is done to it any more.
# Whether that is what happened; if so, it is gone.
hbase_left_a_lock() {
  grep -qs 'Could not acquire shared lock on table' "$LOGS"/hbases-shell.{out,err} "$DATA/hbase/hbase.log" || return 1
  echo "again, with a new HBase"
  hbase_kill
  rm -rf "$DATA/hbase"
}

# finbacks_answers STATEMENTS ZOOKEEPER
finbacks_answers() {
  timeout --kill-after=10 900 python3 "$HERE/finbackshell/answers.py" "$1" "$FINBACK" "$2"
}

# beside_hbases STATEMENTS WHOSE_ANSWERS
beside_hbases() {
  python3 "$HERE/finbackshell/compare.py" "$1" "$LOGS/hbases-shell.out" "$LOGS/finbackshell-$2.json"
}

# hbases_shell STATEMENTS
hbases_shell() {
  local cp ruby
  cp=$(class_path shell) && ruby=$(shell_ruby "$cp") || return 1
  TZ=UTC ZKPORT=$HBASE_ZKPORT STATEMENTS="$1" \
    jvm_with "--add-opens java.base/java.io=ALL-UNNAMED --add-opens java.base/java.security=ALL-UNNAMED
    --add-opens java.base/javax.crypto=ALL-UNNAMED -Dhbase.ruby.sources=$ruby" \
    "$(ZKPORT=$HBASE_ZKPORT client_conf ERROR):$ruby:$cp" org.jruby.JarBootstrapMain -n "$HERE/finbackshell/each.rb"
}
