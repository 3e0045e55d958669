//! The report as JSON.

use super::{OperationLatencies, QUANTILES, Report};
use hdrhistogram::Histogram;
use serde_json::{Map, Value, json};
use std::time::{Duration, UNIX_EPOCH};

impl Report {
    /// The report as JSON: one object, times in the units that its names say.
    pub fn to_json(&self) -> Value {
        let (options, total) = (&self.options, &self.total);
        let began = self.began.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis() as u64);
        let operations: Map<String, Value> =
            self.latencies().map(|operation| (operation.name.to_owned(), of_operation(&operation))).collect();
        let samples: Vec<Value> = self
            .samples
            .iter()
            .map(|sample| {
                let [p50, p99, p999, max] = sample.latencies.map(micros);
                json!({
                    "at_s": sample.at, "seconds": sample.seconds, "operations": sample.operations,
                    "per_second": sample.per_second, "p50_us": p50, "p99_us": p99, "p99.9_us": p999, "max_us": max,
                })
            })
            .collect();
        let clients: Vec<Value> =
            self.clients.iter().map(|(rows, took)| json!({ "rows": rows, "ms": ms(*took) })).collect();
        json!({
            "command": options.command.name,
            "table": options.table(),
            "began_ms": began,
            "clients": options.clients,
            "connections": self.connections,
            "threads": self.workers,
            "seed": self.seed,
            "loop": if options.rate.is_some() { "open" } else { "closed" },
            "rate_per_second": options.rate.map(|rate| rate.per_second),
            "arrivals": options.rate.map(|_| if options.poisson { "poisson" } else { "even" }),
            "seconds": self.took.as_secs_f64(),
            "operations": total.operations,
            "operations_per_second": self.per_second(total.operations),
            "operations_not_begun": options.rate.map(|_| self.not_begun.operations),
            "not_begun_longest_wait_ms": options.rate.map(|_| ms(self.not_begun.longest_wait)),
            "rows": total.rows,
            "rows_per_second": self.per_second(total.rows),
            "rows_missing": total.missing,
            "rows_stale": total.stale,
            "bytes": total.bytes,
            "bytes_per_second": self.per_second(total.bytes),
            "over_latency_threshold": options.latency_threshold.map(|_| total.over_threshold),
            "cpu_seconds": self.cpu.as_secs_f64(),
            "cpu_us_per_operation": self.cpu_of_operation().as_secs_f64() * 1e6,
            "interrupted": self.interrupted,
            "error": self.error.as_ref().map(ToString::to_string),
            "latencies": operations,
            "value_sizes": total.value_sizes.as_ref().filter(|sizes| !sizes.is_empty()).map(of_sizes),
            "client_times": clients,
            "samples": samples,
        })
    }
}

fn of_operation(operation: &OperationLatencies<'_>) -> Value {
    let mut object = of_times(operation.from_due);
    if let (Some(object), Some(from_begin)) = (object.as_object_mut(), operation.from_begin) {
        object.insert("from_begin".to_owned(), of_times(from_begin));
    }
    object
}

fn of_times(times: &Histogram<u64>) -> Value {
    let mut object = Map::new();
    object.insert("count".to_owned(), times.len().into());
    object.insert("mean_us".to_owned(), (times.mean() / 1e3).into());
    object.insert("min_us".to_owned(), micros(times.min()).into());
    for (name, part) in QUANTILES {
        let name = format!("p{}_us", name.trim_end_matches(" %"));
        object.insert(name, micros(times.value_at_quantile(part)).into());
    }
    object.insert("max_us".to_owned(), micros(times.max()).into());
    Value::Object(object)
}

fn of_sizes(sizes: &Histogram<u64>) -> Value {
    let at = |part| sizes.value_at_quantile(part);
    json!({
        "count": sizes.len(), "mean": sizes.mean(), "p50": at(0.5), "p99": at(0.99), "max": sizes.max(),
    })
}

fn micros(nanoseconds: u64) -> f64 {
    nanoseconds as f64 / 1e3
}

fn ms(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1e3
}
