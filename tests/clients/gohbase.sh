# gohbase, HBase's client in Go. Sourced by `run`.

GO_WANTED=1.25 # what gohbase says in its go.mod; a Go of 1.21 and later fetches that one by itself

# gohbase_program: builds it, prints its path. Status 77: it cannot be built here, and the reason is printed instead.
gohbase_program() {
  local out="$WORK/gohbase" log="$LOGS/gohbase-build.log" version
  command -v go > /dev/null || { echo "there is no Go (wanted: $GO_WANTED, https://go.dev/dl)"; return 77; }
  version=$(go env GOVERSION)
  [ "$(printf '%s\n' go1.21 "$version" | sort -V | head -1)" = go1.21 ] || { echo "Go is too old: $version, wanted: $GO_WANTED"; return 77; }
  (cd "$HERE/go" && go mod download) > "$log" 2>&1 ||
    { echo "the modules in tests/clients/go/go.mod are not to be had: $(tail -1 "$log")"; return 77; }
  (cd "$HERE/go" && go build -o "$out" .) > "$log" 2>&1 || { echo "it does not build: $(head -3 "$log")"; return 1; }
  echo "$out"
}

# HBase's client divides and merges regions under it.
step_gohbase() {
  local program administration="$WORK/tmp/administer" status=0
  program=$(gohbase_program) || status=$?
  [ "$status" = 0 ] || { echo "$program"; return "$status"; }
  class_path client 2.5.11 > /dev/null || return 1
  {
    echo '#!/usr/bin/env bash'
    declare -p HERE WORK LOGS HOST ZKPORT 2> /dev/null
    echo ". $(printf %q "$HERE/java.sh")"
    echo 'table_admin "$@"'
  } > "$administration"
  chmod +x "$administration"
  timeout --kill-after=10 900 "$program" "${HOST:-127.0.0.1}:$ZKPORT" "$administration"
}
