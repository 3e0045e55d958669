//! The report as text.

use super::{QUANTILES, Report};
use crate::options::Origin;
use crate::schema::Prepared;
use crate::units;
use hdrhistogram::Histogram;
use std::fmt::{Display, Formatter, Result, Write};
use std::time::Duration;

impl Display for Report {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        self.head(f)?;
        self.latency_table(f)?;
        self.tail(f)
    }
}

impl Report {
    fn head(&self, f: &mut Formatter<'_>) -> Result {
        let (options, total) = (&self.options, &self.total);
        let made = match self.prepared {
            Prepared::WasThere => "",
            Prepared::Created => ", which was created",
            Prepared::Recreated => ", which was dropped and created anew",
        };
        let plural = |count: u32, word: &str| format!("{count} {word}{}", if count == 1 { "" } else { "s" });
        writeln!(f, "{} on table {}{made}", options.command.name, options.table())?;
        write!(f, "{}, ", plural(options.clients, "client"))?;
        write!(f, "{}, ", plural(self.connections, "connection"))?;
        write!(f, "{}, seed {}", plural(self.workers, "thread"), self.seed)?;
        match options.pace() {
            Some(rate) => {
                let gaps = if rate.poisson { ", at random" } else { "" };
                writeln!(f, "; open loop of {} a second{gaps}", units::digits(rate.per_second))?;
            }
            None => writeln!(f, "; closed loop")?,
        }
        writeln!(f)?;
        writeln!(
            f,
            "{} operations in {}: {} a second",
            units::count(total.operations),
            units::time(u64::try_from(self.took.as_nanos()).unwrap_or(u64::MAX)),
            units::count(self.per_second(total.operations).round() as u64)
        )?;
        writeln!(
            f,
            "{} rows, {} a second; {} of cells, {} a second",
            units::count(total.rows),
            units::count(self.per_second(total.rows).round() as u64),
            units::bytes(total.bytes as f64),
            units::bytes(self.per_second(total.bytes))
        )?;
        match self.lateness() {
            Some(late) => writeln!(f, "{late}: the latencies below leave them out"),
            None => Ok(()),
        }
    }

    fn latency_table(&self, f: &mut Formatter<'_>) -> Result {
        let mut rows: Vec<(String, &Histogram<u64>)> = Vec::new();
        for operation in self.latencies() {
            rows.push((operation.name.to_owned(), operation.from_due));
            if let Some(from_begin) = operation.from_begin {
                rows.push((format!("{} *", operation.name), from_begin));
            }
        }
        if rows.is_empty() {
            return Ok(());
        }
        let width = rows.iter().map(|(name, _)| name.len()).max().unwrap_or(0).max("latency (µs)".len() - 1);
        let mut line = format!("\n{:<width$} {:>9} {:>9}", "latency (µs)", "count", "mean");
        for (name, _) in QUANTILES {
            let _ = write!(line, " {name:>8}");
        }
        writeln!(f, "{line} {:>9}", "slowest")?;
        for (name, histogram) in &rows {
            write!(f, "{name:<width$} {:>9} {:>9}", histogram.len(), micros(histogram.mean()))?;
            for (_, part) in QUANTILES {
                write!(f, " {:>8}", micros(histogram.value_at_quantile(part) as f64))?;
            }
            writeln!(f, " {:>9}", micros(histogram.max() as f64))?;
        }
        if rows.iter().any(|(name, _)| name.ends_with(" *")) {
            writeln!(
                f,
                "Latencies count from when an operation was due; those with * from when it was sent."
            )?;
        }
        Ok(())
    }

    fn tail(&self, f: &mut Formatter<'_>) -> Result {
        let total = &self.total;
        writeln!(f)?;
        if let Some(sizes) = total.value_sizes.as_ref().filter(|sizes| !sizes.is_empty()) {
            writeln!(
                f,
                "Value sizes: mean {}, 50 % up to {}, 99 % up to {}, longest {} bytes, of {}",
                units::digits(sizes.mean()),
                sizes.value_at_quantile(0.5),
                sizes.value_at_quantile(0.99),
                sizes.max(),
                units::count(sizes.len())
            )?;
        }
        if let Some(threshold) = self.options.latency_threshold {
            writeln!(f, "Operations of {threshold:?} or more: {}", units::count(total.over_threshold))?;
        }
        if self.options.replicas > 1 {
            writeln!(f, "Rows from replicas: {}", units::count(total.stale))?;
        }
        if total.missing > 0 {
            writeln!(f, "Rows that are not there: {}", units::count(total.missing))?;
        }
        self.client_times(f)?;
        writeln!(
            f,
            "Processor time of this process: {:.2} s, {} an operation",
            self.cpu.as_secs_f64(),
            units::time(u64::try_from(self.cpu_of_operation().as_nanos()).unwrap_or(u64::MAX))
        )?;
        for name in self.options.ignored() {
            writeln!(f, "--{name} has no effect{}", effect(name))?;
        }
        if self.interrupted {
            writeln!(f, "Interrupted before its end")?;
        }
        Ok(())
    }

    /// As PerformanceEvaluation tells them.
    fn client_times(&self, f: &mut Formatter<'_>) -> Result {
        let times = || self.clients.iter().map(|(_, took)| *took);
        let (Some(least), Some(most)) = (times().min(), times().max()) else { return Ok(()) };
        let mean = times().sum::<Duration>() / u32::try_from(self.clients.len()).unwrap_or(u32::MAX).max(1);
        let [least, most, mean] = [least, most, mean].map(|time| time.as_millis());
        writeln!(f, "Times of clients: shortest {least} ms, longest {most} ms, mean {mean} ms")
    }
}

fn micros(nanoseconds: f64) -> String {
    units::digits(nanoseconds / 1e3)
}

fn effect(name: &str) -> &'static str {
    let known = crate::options::OPTIONS.iter().find(|option| option.name == name);
    match known {
        Some(option) if option.origin == Origin::Hbase && option.remark.contains("as in HBase") => {
            ", as in HBase"
        }
        Some(option) if option.remark.contains("always so") => ": it is always so",
        _ => "",
    }
}
