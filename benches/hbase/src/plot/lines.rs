//! Lines over a logarithmic axis: how something grows.

use super::{escaped, power_of_ten};
use crate::statistics::Spread;
use std::fmt::Write;

/// A line: places and values, in the order of places.
#[derive(Clone, Debug)]
pub(crate) struct Line {
    pub(crate) name: &'static str,
    pub(crate) colour: &'static str,
    pub(crate) points: Vec<(f64, Spread)>,
}

const WIDTH: f64 = 620.0;
const HEIGHT: f64 = 360.0;
const LEFT: f64 = 80.0;
const RIGHT: f64 = 24.0;
const TOP: f64 = 70.0;
const BOTTOM: f64 = 56.0;

/// Both axes logarithmic, so that what is linear rises by a decade in a decade; none if there is no value above zero.
pub(crate) fn lines(title: &str, x_axis: &str, y_axis: &str, lines: &[Line]) -> Option<String> {
    let points = || lines.iter().flat_map(|line| &line.points);
    let x = Axis::of(points().map(|(x, _)| *x), LEFT, WIDTH - RIGHT)?;
    let y = Axis::of(points().flat_map(|(_, value)| [value.min, value.max]), HEIGHT - BOTTOM, TOP)?;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" \
         font-family=\"system-ui, sans-serif\" font-size=\"12\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n\
         <text x=\"16\" y=\"24\" font-size=\"16\" font-weight=\"600\" fill=\"#222\">{}: {}</text>\n",
        escaped(title),
        escaped(y_axis)
    );
    grid(&mut svg, &x, &y, x_axis);
    for (place, line) in lines.iter().enumerate() {
        legend(&mut svg, line, 16.0 + 130.0 * place as f64);
        draw(&mut svg, line, &x, &y);
    }
    svg.push_str("</svg>\n");
    Some(svg)
}

/// From values to places: whole powers of ten, with all values between them.
struct Axis {
    least: i32,
    most: i32,
    from: f64,
    to: f64,
}

impl Axis {
    fn of(values: impl Iterator<Item = f64>, from: f64, to: f64) -> Option<Self> {
        let positive = values.filter(|value| *value > 0.0).map(f64::log10);
        let (least, most) = positive.fold(None, |ends: Option<(f64, f64)>, value| {
            let (least, most) = ends.unwrap_or((value, value));
            Some((least.min(value), most.max(value)))
        })?;
        let (least, most) = (least.floor() as i32, most.ceil() as i32);
        Some(Self { least, most: most.max(least + 1), from, to })
    }

    fn place(&self, value: f64) -> f64 {
        let decades = f64::from(self.most - self.least);
        let part = ((value.max(f64::MIN_POSITIVE).log10() - f64::from(self.least)) / decades).clamp(0.0, 1.0);
        self.from + part * (self.to - self.from)
    }

    fn decades(&self) -> impl Iterator<Item = (i32, f64)> {
        (self.least..=self.most).map(|decade| (decade, self.place(10f64.powi(decade))))
    }
}

fn grid(svg: &mut String, x: &Axis, y: &Axis, x_axis: &str) {
    for (decade, at) in x.decades() {
        let _ = writeln!(
            svg,
            "<path d=\"M{at:.1} {TOP}V{:.1}\" stroke=\"#ddd\"/>\
             <text x=\"{at:.1}\" y=\"{:.1}\" text-anchor=\"middle\" fill=\"#555\">{}</text>",
            HEIGHT - BOTTOM,
            HEIGHT - BOTTOM + 18.0,
            power_of_ten(decade)
        );
    }
    for (decade, at) in y.decades() {
        let _ = writeln!(
            svg,
            "<path d=\"M{LEFT} {at:.1}H{:.1}\" stroke=\"#ddd\"/>\
             <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\" fill=\"#555\">{}</text>",
            WIDTH - RIGHT,
            LEFT - 8.0,
            at + 4.0,
            power_of_ten(decade)
        );
    }
    let (middle, below) = ((LEFT + WIDTH - RIGHT) / 2.0, HEIGHT - 12.0);
    let text = escaped(x_axis);
    let _ = writeln!(
        svg,
        "<text x=\"{middle:.1}\" y=\"{below:.1}\" text-anchor=\"middle\" fill=\"#555\">{text}</text>"
    );
}

fn legend(svg: &mut String, line: &Line, x: f64) {
    let (colour, name) = (line.colour, escaped(line.name));
    let _ = writeln!(
        svg,
        "<circle cx=\"{:.1}\" cy=\"46\" r=\"4\" fill=\"{colour}\"/><text x=\"{:.1}\" y=\"50\" fill=\"#222\">{name}</text>",
        x + 5.0,
        x + 16.0
    );
}

fn draw(svg: &mut String, line: &Line, x: &Axis, y: &Axis) {
    let colour = line.colour;
    let places: Vec<String> = line
        .points
        .iter()
        .map(|(at, value)| format!("{:.1} {:.1}", x.place(*at), y.place(value.median)))
        .collect();
    let _ = writeln!(
        svg,
        "<path d=\"M{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\"/>",
        places.join("L")
    );
    for (at, value) in &line.points {
        let (x, least, most) = (x.place(*at), y.place(value.min), y.place(value.max));
        let _ = writeln!(
            svg,
            "<path d=\"M{x:.1} {least:.1}V{most:.1}\" stroke=\"{colour}\"/>\
             <circle cx=\"{x:.1}\" cy=\"{:.1}\" r=\"4\" fill=\"{colour}\"/>",
            y.place(value.median)
        );
    }
}

#[cfg(test)]
mod tests;
