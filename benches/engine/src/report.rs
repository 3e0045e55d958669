//! From measurements to a table.

use crate::settings::Settings;
use crate::workload::Measured;
use std::collections::BTreeMap;
use std::fmt::Write;

/// A measurement as a line that [`Results::add`] reads.
pub(crate) fn to_line(row: &Measured) -> String {
    let amplification = |value: Option<f64>| value.map_or("-".to_owned(), |value| value.to_string());
    format!(
        "{} {} {} {} {} {} {}",
        row.name,
        row.threads,
        row.operations,
        row.wall.as_nanos(),
        row.cpu.as_nanos(),
        amplification(row.write_amplification),
        amplification(row.space_amplification)
    )
}

#[derive(Clone, Copy, Debug)]
struct Numbers {
    /// Operations a second.
    rate: f64,
    /// CPU per operation, in microseconds.
    cpu: f64,
    write_amplification: Option<f64>,
    space_amplification: Option<f64>,
}

/// All measurements: by row and threads, then by engine.
#[derive(Debug, Default)]
pub(crate) struct Results {
    order: Vec<(String, usize)>,
    numbers: BTreeMap<((String, usize), String), Vec<Numbers>>,
}

impl Results {
    /// Takes the lines that a process printed about one engine.
    pub(crate) fn add(&mut self, engine: &str, lines: &str) -> Result<(), String> {
        for line in lines.lines() {
            let (row, numbers) = parse(line).ok_or_else(|| format!("not a measurement: {line}"))?;
            if !self.order.contains(&row) {
                self.order.push(row.clone());
            }
            self.numbers.entry((row, engine.to_owned())).or_default().push(numbers);
        }
        Ok(())
    }

    /// Medians, and ratios of the first engine to each other one (above 1: the first is better).
    pub(crate) fn table(&self, settings: &Settings) -> String {
        let mut out = String::new();
        let (first, others) = settings.engines.split_first().map_or(("", &[][..]), |(f, o)| (f.as_str(), o));
        let _ = write!(out, "| workload | threads |");
        for engine in &settings.engines {
            let _ = write!(out, " {engine}: thousand/s (CPU us, write amp., space amp.) |");
        }
        for engine in others {
            let _ = write!(out, " {first} / {engine} |");
        }
        let _ = write!(out, "\n|---|---|{}", "---|".repeat(settings.engines.len() + others.len()));
        for row in &self.order {
            let _ = write!(out, "\n| {} | {} |", row.0, row.1);
            let rate = |engine: &str| Some(self.median(row, engine)?.rate);
            for engine in &settings.engines {
                let _ = write!(out, " {} |", self.median(row, engine).map_or(String::new(), show));
            }
            for engine in others {
                let ratio = rate(first).zip(rate(engine)).map(|(mine, other)| mine / other);
                let _ = write!(out, " {} |", ratio.map_or(String::new(), |ratio| format!("{ratio:.2}")));
            }
        }
        out
    }

    fn median(&self, row: &(String, usize), engine: &str) -> Option<Numbers> {
        let mut all = self.numbers.get(&(row.clone(), engine.to_owned()))?.clone();
        all.sort_by(|a, b| a.rate.total_cmp(&b.rate));
        all.get(all.len() / 2).copied()
    }
}

fn show(numbers: Numbers) -> String {
    let mut out = format!("{:.0} ({:.2}", numbers.rate / 1000.0, numbers.cpu);
    for amplification in [numbers.write_amplification, numbers.space_amplification].into_iter().flatten() {
        let _ = write!(out, ", {amplification:.2}");
    }
    out + ")"
}

fn parse(line: &str) -> Option<((String, usize), Numbers)> {
    let fields: Vec<&str> = line.split(' ').collect();
    let [name, threads, operations, wall, cpu, write_amplification, space_amplification] = fields[..] else {
        return None;
    };
    let operations: f64 = operations.parse().ok()?;
    let (wall, cpu): (f64, f64) = (wall.parse().ok()?, cpu.parse().ok()?);
    let numbers = Numbers {
        rate: operations / (wall / 1e9),
        cpu: cpu / 1e3 / operations,
        write_amplification: write_amplification.parse().ok(),
        space_amplification: space_amplification.parse().ok(),
    };
    Some(((name.to_owned(), threads.parse().ok()?), numbers))
}
