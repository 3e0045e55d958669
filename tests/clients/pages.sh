# The web page, in Chromium. Sourced by `run`.

# Prints where it is. Status 77: there is none, and the reason is printed instead.
chromium_program() {
  local name
  for name in chromium chromium-browser google-chrome; do
    command -v "$name" && return
  done
  echo "there is no Chromium (Debian: apt install chromium)"
  return 77
}

step_pages() {
  local program port out="$WORK/pages" status=0
  program=$(chromium_program) || status=$?
  [ "$status" = 0 ] || { echo "$program"; return "$status"; }
  port=$(server_port hbase.master.info.port "$DATA/server")
  mkdir -p "$out"
  timeout --kill-after=10 600 python3 "$HERE/pages/look.py" "$program" "$port" "$out" \
    "$FINBACK" shell -n -D "hbase.zookeeper.quorum=127.0.0.1" -D "hbase.zookeeper.property.clientPort=$ZKPORT"
}
