//! Charts: lines over the last hour, drawn on the server.

use crate::history::{History, Sample};
use crate::units;
use maud::{Markup, html};
use std::fmt::Write;

/// What a chart is wide, in units of its own.
const WIDTH: f64 = 360.0;
const HEIGHT: f64 = 100.0;
/// Lines that separate the height.
const PARTS: u32 = 2;
/// Samples that a chart shows, and what stands below it: while there are few they are not drawn into a corner.
const SPANS: [(u32, [&str; 4]); 3] = [
    (36, ["6 min", "4", "2", "now"]),
    (108, ["18 min", "12", "6", "now"]),
    (360, ["60 min", "40", "20", "now"]),
];

/// What the numbers of a chart are.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Unit {
    PerSecond,
    Microseconds,
    Bytes,
    Processors,
}

impl Unit {
    fn show(self, value: f64) -> String {
        match self {
            Self::PerSecond => units::rate(value),
            Self::Microseconds => units::latency(value),
            Self::Bytes => units::bytes(value as u64),
            Self::Processors => format!("{value:.2}"),
        }
    }

    /// By the name the script shows values as we do.
    fn name(self) -> &'static str {
        match self {
            Self::PerSecond => "rate",
            Self::Microseconds => "latency",
            Self::Bytes => "bytes",
            Self::Processors => "number",
        }
    }

    /// The least that the height of a chart stands for: where nothing happens nothing is made large.
    fn least_top(self) -> f64 {
        match self {
            Self::PerSecond => 10.0,
            Self::Microseconds => 100.0,
            Self::Bytes => 16.0 * 1024.0 * 1024.0,
            Self::Processors => 0.1,
        }
    }

    /// A round number that is no less.
    fn round_up(self, value: f64) -> f64 {
        let value = value.max(self.least_top());
        let unit = match self {
            Self::Bytes => 1024f64.powf(value.log(1024.0).floor()),
            _ => 1.0,
        };
        let power = unit * 10f64.powf((value / unit).log10().floor());
        let steps = [1.0, 1.5, 2.0, 3.0, 4.0, 6.0, 8.0, 10.0];
        steps.iter().map(|step| step * power).find(|step| *step >= value).unwrap_or(value)
    }
}

/// A line of a chart.
pub(crate) struct Line {
    pub(crate) name: &'static str,
    pub(crate) value: fn(&Sample) -> Option<f64>,
}

/// A chart of some lines. `id` is unique on its page.
pub(crate) fn chart(
    id: &str,
    title: &str,
    unit: Unit,
    lines: &[Line],
    samples: &[Sample],
    now_ms: u64,
) -> Markup {
    let values = samples.iter().flat_map(|sample| lines.iter().filter_map(|line| (line.value)(sample)));
    let most = values.filter(|value| value.is_finite()).fold(0.0, f64::max);
    let top = unit.round_up(most);
    let age = samples.first().map_or(0.0, |oldest| age(oldest, now_ms));
    let (span, times) =
        SPANS.into_iter().find(|(span, _)| age <= f64::from(*span)).unwrap_or(SPANS[SPANS.len() - 1]);
    let last = samples.last();
    let now =
        |line: &Line| last.and_then(line.value).map_or_else(|| "–".to_owned(), |value| unit.show(value));
    let said: Vec<String> = lines.iter().map(|line| format!("{} {}", line.name, now(line))).collect();
    html! {
        figure.chart id=(id) data-unit=(unit.name()) data-top=(top) data-span=(span) {
            figcaption {
                span.title { (title) }
                span.legend {
                    @for (at, line) in lines.iter().enumerate() {
                        span class={ "line line" (at) } { i {} (line.name) " " b data-line=(at) { (now(line)) } }
                    }
                }
            }
            div.plot {
                div.height aria-hidden="true" { span { (unit.show(top)) } span { (unit.show(top / 2.0)) } span { "0" } }
                svg viewBox={ "0 0 " (WIDTH) " " (HEIGHT) } preserveAspectRatio="none" role="img" tabindex="0"
                    aria-label={ (title) " of late, at most " (unit.show(most)) "; now: " (said.join(", ")) } {
                    @for part in 0..=PARTS {
                        @let y = HEIGHT / f64::from(PARTS) * f64::from(part);
                        path.grid d={ "M0 " (y) "H" (WIDTH) } {}
                    }
                    @for (at, line) in lines.iter().enumerate().rev() {
                        path class={ "data line" (at) } data-line=(at) d=(drawn(line, samples, now_ms, f64::from(span), top)) {}
                    }
                }
                div.width aria-hidden="true" { @for time in times { span { (time) } } }
            }
        }
    }
}

/// How long ago, in samples.
fn age(sample: &Sample, now_ms: u64) -> f64 {
    now_ms.saturating_sub(sample.at_ms) as f64 / History::INTERVAL.as_millis() as f64
}

/// A path through the values; it is interrupted where there is none.
fn drawn(line: &Line, samples: &[Sample], now_ms: u64, span: f64, top: f64) -> String {
    let mut path = String::new();
    let mut is_down = false;
    for sample in samples {
        let x = WIDTH - age(sample, now_ms) * WIDTH / span;
        match (line.value)(sample) {
            Some(value) if value.is_finite() && x >= 0.0 => {
                let y = HEIGHT - value.clamp(0.0, top) / top * HEIGHT;
                // A sample is what happened since the one before: one between two gaps is a short line.
                // Into a text nothing fails.
                let _ = match is_down {
                    true => write!(path, "L{x:.1} {y:.2}"),
                    false => write!(path, "M{:.1} {y:.2}L{x:.1} {y:.2}", (x - WIDTH / span).max(0.0)),
                };
                is_down = true;
            }
            _ => is_down = false,
        }
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINE: Line = Line { name: "Gets", value: |sample| sample.median_us[0].map(f64::from) };

    fn samples(values: &[Option<f32>]) -> Vec<Sample> {
        let sample = |(at, value): (u64, &Option<f32>)| Sample {
            at_ms: 10_000 * at,
            median_us: [*value, None, None, None],
            ..Sample::default()
        };
        (1..).zip(values).map(sample).collect()
    }

    #[test]
    fn a_line_has_gaps_where_there_is_nothing() {
        let samples = samples(&[Some(0.0), Some(50.0), None, Some(100.0)]);
        assert_eq!(
            drawn(&LINE, &samples, 40_000, 360.0, 100.0),
            "M356.0 100.00L357.0 100.00L358.0 50.00M359.0 0.00L360.0 0.00"
        );
    }

    #[test]
    fn what_is_no_number_or_too_old_is_not_drawn() {
        let odd = samples(&[Some(f32::NAN), Some(f32::INFINITY), None]);
        assert_eq!(drawn(&LINE, &odd, 40_000, 360.0, 100.0), "");
        assert_eq!(drawn(&LINE, &samples(&[Some(1.0)]), 10_000_000, 360.0, 100.0), "");
        let chart = chart("a", "A", Unit::Microseconds, &[LINE], &odd, 0).into_string();
        assert!(!chart.contains("NaN") && !chart.contains("inf"), "{chart}");
    }

    #[test]
    fn few_samples_fill_the_chart() {
        let of = |number: usize| {
            let samples = samples(&vec![Some(1.0); number]);
            chart("a", "A", Unit::Microseconds, &[LINE], &samples, number as u64 * 10_000).into_string()
        };
        for (number, span) in [(0, 36), (2, 36), (38, 108), (300, 360), (400, 360)] {
            assert!(of(number).contains(&format!("data-span=\"{span}\"")), "{number}");
        }
    }

    #[test]
    fn the_top_is_round() {
        let tops = [0.0, 11.0, 99.0, 1200.0].map(|value| Unit::PerSecond.round_up(value));
        assert_eq!(tops, [10.0, 15.0, 100.0, 1500.0]);
        const MIB: f64 = 1024.0 * 1024.0;
        assert_eq!(
            [20.0, 33.0, 900.0].map(|mib| Unit::Bytes.round_up(mib * MIB) / MIB),
            [20.0, 40.0, 1000.0]
        );
    }
}
