# HBase's printers beside ours, on HBase's golden files and on files of ours. Sourced by `run`.

# What differs from run to run in HBase: identities of objects, and percentiles of samples drawn at random.
printed_alike() {
  sed -E 's/(CellComparatorImpl|MetaCellComparator)@[0-9a-f]+/\1/' \
    | grep -vE '^ +(mean|stddev|median) = |^ +[0-9.]+% <= '
}

# printer_job NUMBER hfile|wal ARGUMENT...: a line for the program that runs HBase's printers.
printer_job() {
  local number=$1 printer=$2
  shift 2
  { printf '%s\t%s' "$printer" "$DATA/printers/hbase.$number"; printf '\t%s' "$@"; printf '\n'; } >> "$DATA/printers/jobs"
}

# printer_jobs HFILES WALS: every file with every option that prints something of its own.
printer_jobs() {
  local number=0 file option
  rm -f "$DATA/printers/jobs"
  while read -r file; do
    for option in -m -b -h -d -vpk; do printer_job $((number += 1)) hfile "$option" -f "$file"; done
  done < "$1"
  while read -r file; do
    for option in -p -jp -k; do printer_job $((number += 1)) wal "$option" "$file"; done
  done < "$2"
}

# Runs the jobs again with our printers. HBase refuses Zstandard, for which it has no native library, and the headers of an empty file.
printers_compared() {
  local number=0 compared=0 refused=0 printer out arguments
  while IFS=$'\t' read -r printer out arguments; do
    number=$((number + 1))
    if ! grep -q '^.*exit 0$' <(tail -n 1 "$out"); then
      refused=$((refused + 1))
      continue
    fi
    IFS=$'\t' read -r -a arguments <<< "$arguments"
    sed '$ s/exit 0$//' "$out" | printed_alike > "$out.theirs"
    TZ=UTC "$FINBACK" "$printer" "${arguments[@]}" 2> "$out.err" | printed_alike > "$out.ours"
    # The file that HBase's output was kept in ends with a line; ours does where HBase's did.
    if ! diff -q <(cat "$out.theirs") <(cat "$out.ours") > /dev/null && ! diff -q <(cat "$out.theirs") <(cat "$out.ours"; echo) > /dev/null; then
      echo "WRONG finback $printer ${arguments[*]}"
      diff "$out.theirs" "$out.ours" | head -5
      cat "$out.err"
      return 1
    fi
    compared=$((compared + 1))
  done < "$DATA/printers/jobs"
  [ "$compared" -gt $((refused * 4)) ] || { echo "WRONG HBase's printer refused $refused of $number runs"; return 1; }
  echo "$compared outputs of HBase's printers are ours; $refused that HBase refuses"
}

step_printers() {
  local cp out file dir="$DATA/printers" golden="$ROOT/fixtures/hbase-2.5.11"
  cp=$(class_path tools) && out=$(classes "$HERE/java/printers" "$cp") || return 1
  mkdir -p "$dir/hfiles"
  run_example finback-hfile write_combinations "$dir/hfiles" 53 || return 1
  (
    trap server_kill EXIT
    unset ZKPORT MASTERPORT RSPORT
    # As a killed server leaves them: files of a flush, a plain log and a compressed one.
    for compressed in false true; do
      server_start "$dir/data-$compressed" "$LOGS/printers-server.log" \
        "hbase.regionserver.wal.enablecompression=$compressed" || exit 1
      performance_evaluation "$LOGS/printers-pe.log" sequentialWrite --rows=500 || exit 1
      table_admin flush TestTable || exit 1
      performance_evaluation "$LOGS/printers-pe.log" increment --rows=100 || exit 1
      server_kill
    done
  ) || return 1
  {
    find "$golden/hfiles" -type f
    find "$dir/hfiles" "$dir"/data-*/data -type f -regextype posix-extended -regex '.*/[0-9a-f]{32}'
  } | sort > "$dir/list.hfiles"
  find "$golden/wals" "$dir"/data-*/WALs -type f -size +0 | sort > "$dir/list.wals"
  printer_jobs "$dir/list.hfiles" "$dir/list.wals"
  jvm "$(ZKPORT=1 client_conf FATAL):$out:$cp" Printers "$dir/jobs" || return 1
  printers_compared || return 1
  "$FINBACK" wal --verify "$dir"/data-*/WALs > "$dir/wal-verify" || [ $? = 3 ] || { cat "$dir/wal-verify"; return 1; }
  for file in "$dir"/data-*; do "$FINBACK" check "$file" || return 1; done
  "$FINBACK" hfile --verify "$dir"
}
