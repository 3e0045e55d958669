//! Plots of a few figures beside each other, as SVG that needs nothing else.

pub(crate) mod lines;

use crate::statistics::Spread;
use std::fmt::Write;

/// Something that is compared: its name and its colour.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Series {
    pub(crate) name: &'static str,
    pub(crate) colour: &'static str,
    pub(crate) mark: Mark,
}

/// How a value is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mark {
    /// A dot at the median, on a line from the least to the most.
    Dot,
    /// A stroke.
    Stroke,
}

/// A line of a plot.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    pub(crate) label: String,
    /// For each series its value; none if there is none.
    pub(crate) values: Vec<Option<Spread>>,
}

const WIDTH: f64 = 900.0;
const LEFT: f64 = 390.0;
const RIGHT: f64 = 30.0;
const TOP: f64 = 74.0;
const ROW: f64 = 26.0;
const BOTTOM: f64 = 40.0;

/// Dots on a logarithmic axis, a line for each row; none if there is no value above zero.
pub(crate) fn dots(title: &str, axis: &str, series: &[Series], rows: &[Row]) -> Option<String> {
    let scale = Scale::of(rows)?;
    let height = TOP + ROW * rows.len() as f64 + BOTTOM;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" \
         font-family=\"system-ui, sans-serif\" font-size=\"13\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n\
         <text x=\"16\" y=\"26\" font-size=\"17\" font-weight=\"600\" fill=\"#222\">{}</text>\n",
        escaped(title)
    );
    legend(&mut svg, series);
    grid(&mut svg, &scale, height);
    for (place, row) in rows.iter().enumerate() {
        draw_row(&mut svg, &scale, series, row, TOP + ROW * (place as f64 + 0.5));
    }
    let middle = (LEFT + WIDTH - RIGHT) / 2.0;
    let below = height - 6.0;
    let axis = escaped(axis);
    let _ = writeln!(
        svg,
        "<text x=\"{middle}\" y=\"{below:.1}\" text-anchor=\"middle\" fill=\"#555\">{axis}</text>"
    );
    svg.push_str("</svg>\n");
    Some(svg)
}

/// From values to places: whole powers of ten, with all values between them.
#[derive(Debug)]
struct Scale {
    least: i32,
    most: i32,
}

impl Scale {
    fn of(rows: &[Row]) -> Option<Self> {
        let values = || rows.iter().flat_map(|row| row.values.iter().flatten());
        let positive = values().flat_map(|spread| [spread.min, spread.max]).filter(|value| *value > 0.0);
        let least = positive.clone().reduce(f64::min)?.log10().floor() as i32;
        let most = positive.reduce(f64::max)?.log10().ceil() as i32;
        Some(Self { least, most: most.max(least + 1) })
    }

    fn x(&self, value: f64) -> f64 {
        let decades = f64::from(self.most - self.least);
        let part = ((value.max(f64::MIN_POSITIVE).log10() - f64::from(self.least)) / decades).clamp(0.0, 1.0);
        LEFT + part * (WIDTH - LEFT - RIGHT)
    }
}

fn legend(svg: &mut String, series: &[Series]) {
    let mut x = 16.0;
    for Series { name, colour, mark } in series {
        draw_mark(svg, *mark, x + 6.0, 48.0, colour);
        let _ = writeln!(svg, "<text x=\"{:.1}\" y=\"52\" fill=\"#222\">{}</text>", x + 18.0, escaped(name));
        x += 40.0 + 7.5 * name.len() as f64;
    }
}

fn grid(svg: &mut String, scale: &Scale, height: f64) {
    let (top, bottom) = (TOP - 6.0, height - BOTTOM);
    for decade in scale.least..=scale.most {
        let x = scale.x(10f64.powi(decade));
        let _ = writeln!(
            svg,
            "<path d=\"M{x:.1} {top}V{bottom}\" stroke=\"#ccc\"/>\
             <text x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\" fill=\"#555\">{}</text>",
            bottom + 16.0,
            power_of_ten(decade)
        );
    }
}

fn power_of_ten(decade: i32) -> String {
    match decade {
        0.. => format!("1{}", "0".repeat(decade.unsigned_abs() as usize)),
        _ => format!("0.{}1", "0".repeat(decade.unsigned_abs() as usize - 1)),
    }
}

fn draw_row(svg: &mut String, scale: &Scale, series: &[Series], row: &Row, y: f64) {
    let label = escaped(&row.label);
    let _ = writeln!(
        svg,
        "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\" fill=\"#222\">{label}</text>\
         <path d=\"M{LEFT} {y:.1}H{:.1}\" stroke=\"#eee\"/>",
        LEFT - 10.0,
        y + 4.5,
        WIDTH - RIGHT
    );
    for (Series { colour, mark, .. }, value) in series.iter().zip(&row.values) {
        let Some(value) = value else { continue };
        if *mark == Mark::Dot {
            let (from, to) = (scale.x(value.min), scale.x(value.max));
            let _ = writeln!(
                svg,
                "<path d=\"M{from:.1} {y:.1}H{to:.1}\" stroke=\"{colour}\" stroke-width=\"2\"/>"
            );
        }
        draw_mark(svg, *mark, scale.x(value.median), y, colour);
    }
}

fn draw_mark(svg: &mut String, mark: Mark, x: f64, y: f64, colour: &str) {
    let _ = match mark {
        Mark::Dot => writeln!(svg, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"5\" fill=\"{colour}\"/>"),
        Mark::Stroke => {
            let (above, below) = (y - 9.0, y + 9.0);
            writeln!(
                svg,
                "<path d=\"M{x:.1} {above:.1}V{below:.1}\" stroke=\"{colour}\" stroke-width=\"2.5\"/>"
            )
        }
    };
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests;
