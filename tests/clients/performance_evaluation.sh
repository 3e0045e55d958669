# HBase's own PerformanceEvaluation and what can be read from its output. Sourced by `run`.

PE_CLIENTS=4

# performance_evaluation LOG TEST [OPTION...]: false unless every client finished its part without an error.
performance_evaluation() {
  local log=$1 name=$2 finished
  shift 2
  tool org.apache.hadoop.hbase.PerformanceEvaluation --nomapred --latency --presplit=$PE_CLIENTS "$@" "$name" $PE_CLIENTS > "$log" 2>&1 ||
    { echo "$name failed: $(grep -m1 -E 'Exception|Error' "$log")"; return 1; }
  finished=$(grep -c 'Finished TestClient-' "$log")
  [ "$finished" = $PE_CLIENTS ] || { echo "$name: $finished of $PE_CLIENTS clients finished, see $log"; return 1; }
  ! grep -qE ' (ERROR|FATAL) ' "$log" || { echo "$name: $(grep -m1 -E ' (ERROR|FATAL) ' "$log")"; return 1; }
}

# performance_figures LOG [PART]: PART is the share of its rows that the test was told to do (--sampleRate), which its
# output leaves out. Prints "operations seconds ops/s mean p50 p99 p99.9 max", latencies in
# microseconds: the mean over the clients of their own figures, for max the largest.
performance_figures() {
  awk -v part="${2:-1}" '
    /Latency \(us\) : mean=/ {
      clients++
      sub(/.*mean=/, "mean=")
      n = split($0, parts, /, */)
      for (i = 1; i <= n; i++) { split(parts[i], kv, "="); sum[kv[1]] += kv[2]; if (kv[1] == "max" && kv[2] > max) max = kv[2] }
    }
    /Finished TestClient-/ { sub(/.* over /, ""); operations += $1 }
    /Summary of timings/ { sub(/.*\[/, ""); sub(/\].*/, ""); n = split($0, t, /, */); for (i = 1; i <= n; i++) if (t[i] > ms) ms = t[i] }
    END {
      if (!clients || !ms) exit 1
      operations *= part
      printf "%d %.1f %.0f %.0f %.0f %.0f %.0f %.0f\n", operations, ms / 1000, operations * 1000 / ms, sum["mean"] / clients,
        sum["50th"] / clients, sum["99th"] / clients, sum["99.9th"] / clients, max
    }' "$1"
}
