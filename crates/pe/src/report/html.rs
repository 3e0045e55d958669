//! The report as a page that needs nothing else: figures, plots, and the tables that they are drawn from.

use super::plot::{Axis, Line, draw, escaped};
use super::{QUANTILES, Report, Sample};
use crate::units;
use hdrhistogram::Histogram;
use std::fmt::Write;

/// Light and dark, as the reader's system has it.
const STYLE: &str = include_str!("page.css");
/// Nines of the plot by percentage: 90 %, 99 % and so on, as far as there are enough operations.
const MOST_NINES: u32 = 5;
/// Points of that plot between one nine and the next.
const POINTS_OF_NINE: u32 = 8;

impl Report {
    /// The report as a page.
    pub fn to_html(&self) -> String {
        let title = format!("{} on table {}", self.options.command.name, self.options.table());
        let mut page = format!(
            "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<main>\n<h1>{title}</h1>\n",
            title = escaped(&title)
        );
        self.figures(&mut page);
        page.push_str(&self.throughput());
        page.push_str(&self.latency_over_time());
        page.push_str(&self.latency_by_part());
        self.latency_rows(&mut page);
        self.sample_rows(&mut page);
        let _ = write!(page, "<h2>The report</h2>\n<pre>{}</pre>\n", escaped(&self.to_string()));
        if let Some(error) = &self.error {
            let _ = writeln!(page, "<p class=\"error\">Ended early: {}</p>", escaped(&error.to_string()));
        }
        page.push_str("</main>\n</body>\n</html>\n");
        page
    }

    fn figures(&self, page: &mut String) {
        let all = self.total.together();
        let cpu = u64::try_from(self.cpu_of_operation().as_nanos()).unwrap_or(u64::MAX);
        let rate = self.options.rate.map_or("closed loop".to_owned(), |rate| {
            format!("open loop, {} a second", units::digits(rate.per_second))
        });
        let figures = [
            (
                "operations a second",
                units::count(self.per_second(self.total.operations).round() as u64),
                rate,
            ),
            ("operations", units::count(self.total.operations), format!("{:.1} s", self.took.as_secs_f64())),
            ("half of them in", units::time(all.value_at_quantile(0.5)), "50 %".to_owned()),
            ("99 of 100 in", units::time(all.value_at_quantile(0.99)), "99 %".to_owned()),
            ("the slowest", units::time(if all.is_empty() { 0 } else { all.max() }), "100 %".to_owned()),
            ("processor time of one", units::time(cpu), "of this client".to_owned()),
        ];
        page.push_str("<dl class=\"figures\">\n");
        for (name, value, remark) in figures {
            let _ = writeln!(
                page,
                "<div><dt>{name}</dt><dd>{}<small>{}</small></dd></div>",
                escaped(&value),
                escaped(&remark)
            );
        }
        page.push_str("</dl>\n");
        if let Some(late) = self.lateness() {
            let _ = writeln!(
                page,
                "<p class=\"error\">{}: the latencies here leave them out.</p>",
                escaped(&late)
            );
        }
    }

    fn time_axis(&self) -> Axis {
        let end = self.samples.iter().last().map_or(1.0, |sample| sample.at + sample.seconds);
        Axis::linear("seconds", end, plain)
    }

    fn throughput(&self) -> String {
        let points: Vec<(f64, f64)> =
            self.samples.iter().map(|sample| (middle(sample), sample.per_second)).collect();
        let most = points.iter().map(|(_, rate)| *rate).fold(0.0, f64::max);
        let y = Axis::linear("operations a second", most, |rate| units::count(rate as u64));
        let line = Line { name: String::new(), points };
        draw("Throughput", &self.time_axis(), &y, &[line], |_, at, rate| {
            format!("{} a second at {at:.1} s", units::count(rate as u64))
        })
    }

    fn latency_over_time(&self) -> String {
        let line = |name: &str, place: usize| Line {
            name: name.to_owned(),
            points: self
                .samples
                .iter()
                .filter(|sample| sample.latencies[3] > 0)
                .map(|sample| (middle(sample), sample.latencies[place] as f64))
                .collect(),
        };
        let lines = [line("50 %", 0), line("99 %", 1), line("99.9 %", 2), line("slowest", 3)];
        let y = latency_axis(lines.iter().flat_map(|line| line.points.iter().map(|(_, value)| *value)));
        draw("Latency over time", &self.time_axis(), &y, &lines, |line, at, value| {
            format!("{}: {} at {at:.1} s", line.name, units::time(value as u64))
        })
    }

    /// The latency within which each part of the operations was done: the nearer to all of them, the wider.
    fn latency_by_part(&self) -> String {
        let most = self.latencies().map(|operation| operation.from_due.len()).max().unwrap_or(0);
        let nines = (most as f64).log10().ceil().clamp(1.0, f64::from(MOST_NINES)) as u32;
        let mut lines = Vec::new();
        for operation in self.latencies() {
            lines.push(Line { name: operation.name.to_owned(), points: by_part(operation.from_due, nines) });
            if let Some(from_begin) = operation.from_begin {
                let name = format!("{}, from when it was sent", operation.name);
                lines.push(Line { name, points: by_part(from_begin, nines) });
            }
        }
        let marks = (0..=nines).map(|nine| (f64::from(nine), percentage(f64::from(nine)))).collect();
        let y = latency_axis(lines.iter().flat_map(|line| line.points.iter().map(|(_, value)| *value)));
        let x = Axis::marked("part of the operations", marks);
        draw("Latency by part of the operations", &x, &y, &lines, |line, at, value| {
            format!("{}: {} in {}", line.name, percentage(at), units::time(value as u64))
        })
    }

    fn latency_rows(&self, page: &mut String) {
        page.push_str("<h2>Latencies</h2>\n<div class=\"wide\"><table>\n<tr><th>operation</th><th>count</th><th>mean</th>");
        QUANTILES.iter().for_each(|(name, _)| {
            let _ = write!(page, "<th>{name}</th>");
        });
        page.push_str("<th>slowest</th></tr>\n");
        for operation in self.latencies() {
            latency_row(page, operation.name, operation.from_due);
            if let Some(from_begin) = operation.from_begin {
                latency_row(page, &format!("{}, from when it was sent", operation.name), from_begin);
            }
        }
        page.push_str("</table></div>\n");
    }

    fn sample_rows(&self, page: &mut String) {
        page.push_str(
            "<details><summary>Second by second</summary>\n<div class=\"wide\"><table>\n<tr><th>from (s)</th>\
             <th>operations</th><th>a second</th><th>50 %</th><th>99 %</th><th>99.9 %</th><th>slowest</th></tr>\n",
        );
        for sample in self.samples.iter() {
            let _ = write!(
                page,
                "<tr><td>{:.1}</td><td>{}</td><td>{}</td>",
                sample.at,
                units::count(sample.operations),
                units::count(sample.per_second as u64)
            );
            sample.latencies.iter().for_each(|latency| {
                let _ = write!(page, "<td>{}</td>", units::time(*latency));
            });
            page.push_str("</tr>\n");
        }
        page.push_str("</table></div></details>\n");
    }
}

fn latency_row(page: &mut String, name: &str, times: &Histogram<u64>) {
    let _ = write!(
        page,
        "<tr><td>{}</td><td>{}</td><td>{}</td>",
        escaped(name),
        units::count(times.len()),
        units::time(times.mean() as u64)
    );
    for (_, part) in QUANTILES {
        let _ = write!(page, "<td>{}</td>", units::time(times.value_at_quantile(part)));
    }
    let _ = writeln!(page, "<td>{}</td></tr>", units::time(times.max()));
}

fn middle(sample: &Sample) -> f64 {
    sample.at + sample.seconds / 2.0
}

fn latency_axis(values: impl Iterator<Item = f64>) -> Axis {
    let (mut least, mut most) = (f64::INFINITY, 0.0f64);
    for value in values {
        (least, most) = (least.min(value), most.max(value));
    }
    let least = if least.is_finite() { least } else { 1000.0 };
    Axis::logarithmic("latency", least, most, |at| {
        let time = units::time(at as u64);
        time.replace(".00", "").replace(".0 ", " ")
    })
}

/// Latencies of parts of the operations: at `n` of those of all but one of 10^n.
fn by_part(times: &Histogram<u64>, nines: u32) -> Vec<(f64, f64)> {
    (0..=nines * POINTS_OF_NINE)
        .map(|point| f64::from(point) / f64::from(POINTS_OF_NINE))
        .map(|at| (at, times.value_at_quantile(1.0 - 10f64.powf(-at)) as f64))
        .collect()
}

fn percentage(nines: f64) -> String {
    let percent = 100.0 - 100.0 * 10f64.powf(-nines);
    let digits = (nines.ceil() as usize).saturating_sub(if nines.fract() == 0.0 { 2 } else { 1 });
    format!("{percent:.digits$} %")
}

fn plain(value: f64) -> String {
    if value.fract() == 0.0 { format!("{value:.0}") } else { format!("{value:.2}") }
}
