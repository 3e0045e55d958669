//! Lines over axes, as SVG that takes its colours from the page.

use std::fmt::Write;

const WIDTH: f64 = 760.0;
const HEIGHT: f64 = 300.0;
const LEFT: f64 = 72.0;
const RIGHT: f64 = 16.0;
const TOP: f64 = 14.0;
const BOTTOM: f64 = 44.0;
/// Points of a line from which on they are not marked one by one.
const MOST_MARKS: usize = 120;

/// An axis, and the values that are marked on it.
#[derive(Debug, Clone)]
pub(super) struct Axis {
    label: &'static str,
    from: f64,
    to: f64,
    logarithmic: bool,
    marks: Vec<(f64, String)>,
}

impl Axis {
    /// From 0 to what is needed, with round marks.
    pub(super) fn linear(label: &'static str, most: f64, told: impl Fn(f64) -> String) -> Self {
        let most = if most > 0.0 { most } else { 1.0 };
        let step = round_step(most / 5.0);
        let count = (most / step).ceil().max(1.0);
        let marks = (0..=count as u32).map(|number| f64::from(number) * step).map(|at| (at, told(at)));
        Self { label, from: 0.0, to: count * step, logarithmic: false, marks: marks.collect() }
    }

    /// By powers of ten, from the one below to the one above.
    pub(super) fn logarithmic(
        label: &'static str,
        least: f64,
        most: f64,
        told: impl Fn(f64) -> String,
    ) -> Self {
        let least = if least > 0.0 { least } else { 1.0 };
        let from = least.log10().floor();
        let to = most.max(least).log10().ceil().max(from + 1.0);
        let marks = (from as i32..=to as i32).map(|power| 10f64.powi(power)).map(|at| (at, told(at)));
        Self { label, from, to, logarithmic: true, marks: marks.collect() }
    }

    /// From 0 to the last of these marks.
    pub(super) fn marked(label: &'static str, marks: Vec<(f64, String)>) -> Self {
        let to = marks.last().map_or(1.0, |(at, _)| *at).max(1e-9);
        Self { label, from: 0.0, to, logarithmic: false, marks }
    }

    /// Where a value is, from 0 to 1.
    fn place(&self, value: f64) -> f64 {
        let value = if self.logarithmic { value.max(1e-300).log10() } else { value };
        ((value - self.from) / (self.to - self.from)).clamp(0.0, 1.0)
    }
}

/// 1, 2 or 5 times a power of ten, not below `least`.
fn round_step(least: f64) -> f64 {
    let power = 10f64.powf(least.log10().floor());
    let steps = [1.0, 2.0, 5.0, 10.0];
    steps.iter().map(|step| step * power).find(|step| *step >= least * 0.999_999).unwrap_or(10.0 * power)
}

/// A line, and what is told of each of its points.
#[derive(Debug, Clone)]
pub(super) struct Line {
    pub(super) name: String,
    pub(super) points: Vec<(f64, f64)>,
}

/// Draws lines. What each point means, `told` says.
pub(super) fn draw(
    title: &str,
    x: &Axis,
    y: &Axis,
    lines: &[Line],
    told: impl Fn(&Line, f64, f64) -> String,
) -> String {
    let mut svg = String::new();
    let title = escaped(title);
    let _ = write!(
        svg,
        "<figure><figcaption>{title}</figcaption>\n\
         <svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-label=\"{title}\">\n"
    );
    axes(&mut svg, x, y);
    for (number, line) in lines.iter().enumerate() {
        draw_line(&mut svg, x, y, number, line, &told);
    }
    svg.push_str("</svg>\n");
    if lines.len() > 1 || lines.iter().any(|line| !line.name.is_empty()) {
        legend(&mut svg, lines);
    }
    svg.push_str("</figure>\n");
    svg
}

fn horizontal(x: &Axis, value: f64) -> f64 {
    LEFT + x.place(value) * (WIDTH - LEFT - RIGHT)
}

fn vertical(y: &Axis, value: f64) -> f64 {
    HEIGHT - BOTTOM - y.place(value) * (HEIGHT - TOP - BOTTOM)
}

fn axes(svg: &mut String, x: &Axis, y: &Axis) {
    let (right, bottom) = (WIDTH - RIGHT, HEIGHT - BOTTOM);
    for (value, label) in &y.marks {
        let at = vertical(y, *value);
        let _ = writeln!(
            svg,
            "<line class=\"grid\" x1=\"{LEFT}\" x2=\"{right}\" y1=\"{at:.1}\" y2=\"{at:.1}\"/>\
             <text class=\"mark\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
            LEFT - 8.0,
            at + 4.0,
            escaped(label)
        );
    }
    for (value, label) in &x.marks {
        let at = horizontal(x, *value);
        let _ = writeln!(
            svg,
            "<line class=\"grid\" x1=\"{at:.1}\" x2=\"{at:.1}\" y1=\"{TOP}\" y2=\"{bottom}\"/>\
             <text class=\"mark\" x=\"{at:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
            bottom + 17.0,
            escaped(label)
        );
    }
    let _ = writeln!(
        svg,
        "<text class=\"axis\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>\
         <text class=\"axis\" transform=\"translate(14 {:.1}) rotate(-90)\" text-anchor=\"middle\">{}</text>",
        f64::midpoint(LEFT, right),
        HEIGHT - 6.0,
        escaped(x.label),
        f64::midpoint(TOP, bottom),
        escaped(y.label)
    );
}

fn draw_line(
    svg: &mut String,
    x: &Axis,
    y: &Axis,
    number: usize,
    line: &Line,
    told: impl Fn(&Line, f64, f64) -> String,
) {
    let points: Vec<String> = line
        .points
        .iter()
        .map(|(at, value)| format!("{:.1},{:.1}", horizontal(x, *at), vertical(y, *value)))
        .collect();
    let class = number % COLOURS;
    let _ = writeln!(svg, "<polyline class=\"line c{class}\" points=\"{}\"/>", points.join(" "));
    if line.points.len() > MOST_MARKS {
        return;
    }
    for (at, value) in &line.points {
        let _ = writeln!(
            svg,
            "<circle class=\"dot c{class}\" cx=\"{:.1}\" cy=\"{:.1}\" r=\"2.5\"><title>{}</title></circle>",
            horizontal(x, *at),
            vertical(y, *value),
            escaped(&told(line, *at, *value))
        );
    }
}

fn legend(svg: &mut String, lines: &[Line]) {
    svg.push_str("<ul class=\"legend\">");
    for (number, line) in lines.iter().enumerate() {
        let class = number % COLOURS;
        let _ = write!(svg, "<li><span class=\"swatch c{class}\"></span>{}</li>", escaped(&line.name));
    }
    svg.push_str("</ul>\n");
}

/// Colours that the page has, `c0` and so on.
pub(super) const COLOURS: usize = 5;

/// Text as it may stand in HTML and SVG, in attributes as well.
pub(super) fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            other => escaped.push(other),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_have_round_marks_around_their_values() {
        let axis = Axis::linear("x", 873.0, |at| format!("{at}"));
        assert_eq!(
            axis.marks.iter().map(|(at, _)| *at).collect::<Vec<_>>(),
            [0.0, 200.0, 400.0, 600.0, 800.0, 1000.0]
        );
        assert!((axis.place(500.0) - 0.5).abs() < 1e-9);
        let axis = Axis::logarithmic("y", 35.0, 7000.0, |at| format!("{at}"));
        assert_eq!(axis.marks.iter().map(|(at, _)| *at).collect::<Vec<_>>(), [10.0, 100.0, 1000.0, 10000.0]);
        assert!((axis.place(1000.0) - 2.0 / 3.0).abs() < 1e-9);
        // Nothing to show is shown, too.
        assert!(Axis::linear("x", 0.0, |at| format!("{at}")).to > 0.0);
        let flat = Axis::logarithmic("y", 0.0, 0.0, |at| format!("{at}"));
        assert!(flat.place(f64::MAX) <= 1.0 && flat.place(-1.0) >= 0.0);
    }

    #[test]
    fn text_cannot_leave_its_place() {
        let line = Line { name: "<b>\"&".to_owned(), points: vec![(1.0, 2.0)] };
        let axis = || Axis::linear("x", 3.0, |at| format!("{at}"));
        let svg = draw("t<i>", &axis(), &axis(), &[line], |_, _, _| "</title>".to_owned());
        for text in ["t&lt;i&gt;", "&lt;b&gt;&quot;&amp;", "<title>&lt;/title&gt;</title>"] {
            assert!(svg.contains(text), "{svg}");
        }
    }
}
