# Tables with MOB files, written by Finback and by HBase in turn. Sourced by `run`.

# A client makes the tables and tries all that a client can have done to them; SIGKILL; HBase's readers find each value where its
# reference says; HBase's regions write a round; a client writes another, and HBase's readers look once more. What is expected of
# the first round and of a MOB file that is lost, a real HBase does too, and is asked first with SIZE=full; but for the compaction of
# MOB files by themselves, which it must refuse. SIGKILL and the later rounds are Finback's alone.
step_mob() {
  local data="$DATA/mob" hbase="$DATA/mob-hbase" cp out ttl=hbase.master.hfilecleaner.ttl=1
  cp=$(class_path tools) && out=$(classes "$HERE/java/mob" "$cp") || return 1
  cp="$out:$cp"
  mob() { jvm "$(client_conf WARN):$cp" org.apache.hadoop.hbase.regionserver.Mob "$@"; }
  mob_offline() { ZKPORT=1 mob "$@"; }
  (
    # Those that run already are not this step's to end.
    SERVER_PID= HBASE_PID=
    trap 'server_kill; hbase_kill' EXIT
    unset ZKPORT MASTERPORT RSPORT
    # What is expected of the tables is expected of HBase: asked where there is time for it.
    if [ "${SIZE:-ci}" = full ]; then
      hbase_start "$hbase" "$LOGS/mob-hbase.log" $ttl || exit 1
      echo "== HBase"
      ZKPORT=$HBASE_ZKPORT mob client "$hbase/root" 0 hbase || exit 1
      mob_offline lose "$hbase/root" || exit 1
      ZKPORT=$HBASE_ZKPORT mob lost "$hbase/root" || exit 1
      hbase_kill
      mob_offline files "$hbase/root" || exit 1
    fi
    echo "== Finback"
    server_start "$data" "$LOGS/mob-server.log" $ttl || exit 1
    mob client "$data" 0 finback || exit 1
    server_kill
    mob_offline files "$data" || exit 1
    mob_offline lose "$data" || exit 1
    server_start "$data" "$LOGS/mob-server.log" $ttl || exit 1
    mob again "$data" || exit 1
    mob lost "$data" || exit 1
    server_stop || exit 1
    mob_offline regions "$data" 1 || exit 1
    mob_offline files "$data" || exit 1
    server_start "$data" "$LOGS/mob-server.log" $ttl || exit 1
    mob client "$data" 2 finback || exit 1
    server_stop || exit 1
    mob_offline files "$data" || exit 1
  )
}
