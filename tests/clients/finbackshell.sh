# finback shell beside HBase's shell, and at a terminal. Sourced by `run`. Needs HERE, WORK, LOGS, java.sh, server.sh and shared_hbase.

# HBase's shell runs the statements against a real HBase; what it prints, finback shell must print, against that HBase and
# against this server.
step_finbackshell() {
  local status=0 here="${HOST:-127.0.0.1}:$ZKPORT" part
  command -v tmux > /dev/null || { echo "tmux is missing (Debian: apt install tmux)"; return 1; }
  python3 "$HERE/finbackshell/at_a_terminal.py" "$FINBACK" "$here" "$WORK/tmp" || return 1
  external_server && return 0
  shared_hbase && hbases_shell > "$LOGS/hbases-shell.out" 2> "$LOGS/hbases-shell.err" || return 1
  for part in "127.0.0.1:$HBASE_ZKPORT" "$here"; do
    python3 "$HERE/finbackshell/compare.py" "$HERE/finbackshell/statements.txt" "$LOGS/hbases-shell.out" "$FINBACK" "$part" || status=1
  done
  return $status
}

hbases_shell() {
  local cp ruby
  cp=$(class_path shell) && ruby=$(shell_ruby "$cp") || return 1
  TZ=UTC ZKPORT=$HBASE_ZKPORT STATEMENTS="$HERE/finbackshell/statements.txt" \
    jvm_with "-XX:TieredStopAtLevel=1 --add-opens java.base/java.io=ALL-UNNAMED --add-opens java.base/java.security=ALL-UNNAMED
    --add-opens java.base/javax.crypto=ALL-UNNAMED -Dhbase.ruby.sources=$ruby" \
    "$(ZKPORT=$HBASE_ZKPORT client_conf ERROR):$ruby:$cp" org.jruby.JarBootstrapMain -n "$HERE/finbackshell/each.rb"
}
