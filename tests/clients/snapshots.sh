# Snapshots as HBase's tools see them. Sourced by `run`.

# HBase's SnapshotInfo and HBase's regions read what the server has taken; HBase's ExportSnapshot carries it to a second server,
# which makes a table of it. A table that was restored stays so after SIGKILL. Files stay in the archive no longer than something needs them.
step_snapshots() {
  local cp out first="$DATA/snapshots-1" second="$DATA/snapshots-2" ttl=hbase.master.hfilecleaner.ttl=1
  cp=$(class_path tools) && out=$(classes "$HERE/java/snapshots" "$cp") || return 1
  (
    trap server_kill EXIT
    unset ZKPORT MASTERPORT RSPORT
    server_start "$first" "$LOGS/snapshots-server-1.log" $ttl || exit 1
    jvm "$(client_conf WARN):$out:$cp" Snapshots take || exit 1
    server_kill
    server_start "$first" "$LOGS/snapshots-server-1.log" $ttl || exit 1
    jvm "$(client_conf WARN):$out:$cp" Snapshots count cloned 3501 || exit 1
    jvm "$(client_conf WARN):$out:$cp" Snapshots read "file://$first" || exit 1
    server_stop || exit 1
    server_start "$second" "$LOGS/snapshots-server-2.log" $ttl || exit 1
    # a local file system has no checksums that its copies could be compared by
    for name in online split; do
      tool org.apache.hadoop.hbase.snapshot.ExportSnapshot "${LOCAL_MAPREDUCE[@]}" -snapshot $name -copy-from "file://$first" \
        -copy-to "file://$second" -mappers 1 -no-checksum-verify > "$LOGS/snapshots-export-$name.log" 2>&1 || { echo "ExportSnapshot failed, see $LOGS/snapshots-export-$name.log"; exit 1; }
    done
    jvm "$(client_conf WARN):$out:$cp" Snapshots clone online one 3500 || exit 1
    jvm "$(client_conf WARN):$out:$cp" Snapshots clone split two 4000 || exit 1
    server_stop || exit 1
    echo "4 snapshots read by HBase, 2 exported by HBase and cloned"
  )
}
