//! Curves over an axis.

use crate::drawing::{Anchor, Drawing, Stroke, Text};
use crate::panel::{self, LABEL, Panel, Ruler};
use crate::{Color, Prefix, font, number};

/// Linear or logarithmic.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Scale {
    /// Equal steps are equal differences.
    #[default]
    Linear,
    /// Equal steps are equal ratios; values that are not positive are left out.
    Logarithmic,
}

/// An axis of a plot.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Axis {
    /// Name of the quantity.
    pub label: String,
    /// Its SI unit without prefix (`s`, `N`, `kg m²/s`), empty for plain numbers; the axis chooses the
    /// prefix.
    pub unit: String,
    /// Linear or logarithmic.
    pub scale: Scale,
    /// Lower and upper end; `None` uses the range of the data.
    pub range: Option<[f64; 2]>,
    /// Prefix of the unit; `None` chooses it from the range.
    pub prefix: Option<Prefix>,
}

impl Axis {
    /// A linear axis over the range of the data.
    pub fn new(label: &str, unit: &str) -> Self {
        Self { label: label.to_owned(), unit: unit.to_owned(), ..Self::default() }
    }

    /// The same with this prefix of its unit.
    pub fn prefixed(self, prefix: Prefix) -> Self {
        Self { prefix: Some(prefix), ..self }
    }

    /// The same, logarithmic.
    pub fn logarithmic(self) -> Self {
        Self { scale: Scale::Logarithmic, ..self }
    }
}

/// How a series is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Style {
    /// Solid line.
    #[default]
    Line,
    /// Dashed line: references, closed forms.
    Dashed,
    /// Points only.
    Markers,
    /// Points joined by a line.
    LineMarkers,
}

/// Points of a curve, with a name.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Series {
    /// Name in the legend; an empty one has no entry.
    pub label: String,
    /// Abscissae.
    pub x: Vec<f64>,
    /// Ordinates; a value that is not finite breaks the line.
    pub y: Vec<f64>,
    /// Line or points.
    pub style: Style,
    /// Colour; `None` uses the next colour of the series.
    pub color: Option<Color>,
}

impl Series {
    /// A solid line.
    pub fn line(label: &str, x: Vec<f64>, y: Vec<f64>) -> Self {
        Self { label: label.to_owned(), x, y, ..Self::default() }
    }

    /// The same in another style.
    pub fn styled(self, style: Style) -> Self {
        Self { style, ..self }
    }

    /// The same in this colour.
    pub fn colored(self, color: Color) -> Self {
        Self { color: Some(color), ..self }
    }
}

/// Several series over common axes.
#[derive(Debug, Clone, PartialEq)]
pub struct Plot {
    /// Title above the plot.
    pub title: String,
    /// Horizontal axis.
    pub x: Axis,
    /// Vertical axis.
    pub y: Axis,
    /// Curves, drawn in this order.
    pub series: Vec<Series>,
    /// Width and height \[px\].
    pub size: [f64; 2],
    /// Natural scale of the ordinates: if all of them are round-off relative to it, a sentence replaces the
    /// curves.
    pub scale: Option<f64>,
}

impl Plot {
    /// An empty plot of 640 × 380 pixels.
    pub fn new(title: &str, x: Axis, y: Axis) -> Self {
        Self { title: title.to_owned(), x, y, series: Vec::new(), size: [640.0, 380.0], scale: None }
    }

    /// The same with one more series.
    pub fn with(mut self, series: Series) -> Self {
        self.series.push(series);
        self
    }

    /// The same with a natural scale of the ordinates.
    pub fn scaled(self, scale: f64) -> Self {
        Self { scale: Some(scale), ..self }
    }

    /// Draws the plot.
    pub fn draw(&self) -> Drawing {
        if let Some(words) = self.is_zero() {
            return self.draw_words(&words);
        }
        let xs = self.series.iter().flat_map(|s| s.x.iter().copied());
        let ys = self.series.iter().flat_map(|s| s.y.iter().copied());
        let x = Ruler::new(&self.x, panel::data_range(&self.x, xs, 0.0));
        let y = Ruler::new(&self.y, panel::data_range(&self.y, ys, 0.05));
        let [width, height] = self.size;
        let top = if self.title.is_empty() { 14.0 } else { 34.0 };
        let [left, below] = panel::margins(&y, height - 80.0);
        let panel = Panel::new(x, y, [left, top], [width - 22.0, height - below]);

        let legend = self.legend(&panel);
        let mut drawing = Drawing::new([width, height.max(legend.as_ref().map_or(0.0, Legend::end))]);
        panel.draw_grid(&mut drawing);
        // Points lie over lines: a reference curve must not hide them.
        for markers in [false, true] {
            for (n, series) in
                self.series.iter().enumerate().filter(|(_, s)| (s.style == Style::Markers) == markers)
            {
                draw_series(&mut drawing, &panel, series, self.color(n));
            }
        }
        panel.draw_frame(&mut drawing);
        panel::draw_title(&mut drawing, &self.title, panel.area());
        if let Some(legend) = legend {
            legend.draw(&mut drawing);
        }
        drawing
    }

    /// A sentence if all ordinates are zero up to round-off; none otherwise.
    fn is_zero(&self) -> Option<String> {
        let scale = self.scale?;
        let largest = self.series.iter().flat_map(|s| &s.y).fold(0.0, |m: f64, y| m.max(y.abs()));
        let is_round_off = |y: &f64| number::is_round_off(*y, scale);
        if !self.series.iter().flat_map(|s| &s.y).all(is_round_off) {
            return None;
        }
        let what = &self.y.label;
        Some(match largest {
            0.0 => format!("{what}: zero"),
            _ => {
                let size = format!("{} {}", number::pretty(largest, 1), self.y.unit);
                format!("{what}: zero up to round-off (at most {})", size.trim_end())
            }
        })
    }

    /// A sentence instead of the curves.
    fn draw_words(&self, words: &str) -> Drawing {
        let top = if self.title.is_empty() { 6.0 } else { 34.0 };
        let [width, height] = [self.size[0], ROW + 16.0];
        let mut drawing = Drawing::new([width, top + height + 6.0]);
        let area = [14.0, top, width - 22.0, top + height];
        let frame = Stroke::solid(Color::PALE, 1.0);
        drawing.rectangle([area[0], top], [area[2] - area[0], height], None, Some(frame));
        let at = [0.5 * (area[0] + area[2]), top + 0.5 * height + 0.36 * LABEL];
        drawing.text(Text::new(words, at, LABEL).anchored(Anchor::Middle));
        panel::draw_title(&mut drawing, &self.title, area);
        drawing
    }

    /// Colour of the n-th series: its own, or the next of those without.
    fn color(&self, n: usize) -> Color {
        let before = self.series[..n].iter().filter(|s| s.color.is_none()).count();
        self.series[n].color.unwrap_or(Color::of_series(before))
    }

    /// The legend, inside the plot where it hides nothing, otherwise below the plot; none without labels.
    fn legend(&self, panel: &Panel) -> Option<Legend<'_>> {
        let entries: Vec<(&Series, Color)> = (0..self.series.len())
            .filter(|&n| !self.series[n].label.is_empty())
            .map(|n| (&self.series[n], self.color(n)))
            .collect();
        let widest = entries.iter().map(|(s, _)| font::width(&s.label, LABEL, false)).fold(0.0, f64::max);
        let size = [widest + SAMPLE + 22.0, ROW * entries.len() as f64 + 8.0];
        let place = self.empty_corner(panel, size).unwrap_or([panel.area()[0], self.size[1]]);
        (!entries.is_empty()).then_some(Legend { entries, place, size })
    }

    /// The corner, or middle of an edge, of the area in which a box of this size hides no data, if there is
    /// one.
    fn empty_corner(&self, panel: &Panel, [w, h]: [f64; 2]) -> Option<[f64; 2]> {
        let [left, top, right, bottom] = panel.area();
        let gap = 8.0;
        let columns = [right - gap - w, left + gap, 0.5 * (left + right - w)];
        let rows = [top + gap, bottom - gap - h];
        let hides = |[x, y]: [f64; 2]| {
            let covers =
                |p: [f64; 2]| p[0] > x - 4.0 && p[0] < x + w + 4.0 && p[1] > y - 4.0 && p[1] < y + h + 4.0;
            self.series.iter().any(|s| points_along(panel, s).any(covers))
        };
        let mut places = rows.iter().flat_map(|&y| columns.iter().map(move |&x| [x, y]));
        places.find(|&place| !hides(place))
    }
}

/// Width of the sample of a line in a legend, and height of its rows.
const SAMPLE: f64 = 26.0;
const ROW: f64 = LABEL + 6.0;

/// Labels of series with a sample of each.
struct Legend<'a> {
    entries: Vec<(&'a Series, Color)>,
    /// Its left upper corner.
    place: [f64; 2],
    size: [f64; 2],
}

impl Legend<'_> {
    /// Its lower end, with a gap.
    fn end(&self) -> f64 {
        self.place[1] + self.size[1] + 8.0
    }

    fn draw(self, drawing: &mut Drawing) {
        let [x, y] = self.place;
        drawing.rectangle([x, y], self.size, Some(Color::WHITE), Some(Stroke::solid(Color::PALE, 1.0)));
        for (n, (series, color)) in self.entries.into_iter().enumerate() {
            let middle = y + 4.0 + ROW * (n as f64 + 0.5);
            let ends = [[x + 8.0, middle], [x + 8.0 + SAMPLE, middle]];
            draw_sample(drawing, ends, series.style, color);
            drawing.text(Text::new(&series.label, [x + SAMPLE + 14.0, middle + 0.36 * LABEL], LABEL));
        }
    }
}

/// Pixels along a series, lines filled up to a few pixels apart.
fn points_along<'a>(panel: &'a Panel, series: &'a Series) -> impl Iterator<Item = [f64; 2]> + 'a {
    let place = |n: usize| panel.place(series.x[n], series.y[n]);
    let count = series.x.len().min(series.y.len());
    (0..count).flat_map(move |n| {
        let end = place(n);
        let start = if n > 0 && series.style != Style::Markers { place(n - 1) } else { end };
        let length = (end[0] - start[0]).hypot(end[1] - start[1]);
        let parts = if length.is_finite() { (length / 6.0) as usize + 1 } else { 0 };
        (1..=parts).map(move |k| {
            let t = k as f64 / parts as f64;
            [start[0] + t * (end[0] - start[0]), start[1] + t * (end[1] - start[1])]
        })
    })
}

/// Draws one series into a panel, cut at its edges.
pub(crate) fn draw_series(drawing: &mut Drawing, panel: &Panel, series: &Series, color: Color) {
    let points: Vec<[f64; 2]> = series.x.iter().zip(&series.y).map(|(&x, &y)| panel.place(x, y)).collect();
    if series.style != Style::Markers {
        let stroke = line_stroke(series.style, color);
        for run in points.split(|p| !p[0].is_finite() || !p[1].is_finite()) {
            for piece in clipped(&thinned(run), panel.area()) {
                drawing.line(piece, stroke);
            }
        }
    }
    if matches!(series.style, Style::Markers | Style::LineMarkers) {
        let [left, top, right, bottom] = panel.area();
        let inside = |p: &&[f64; 2]| {
            p[0] >= left - 0.5 && p[0] <= right + 0.5 && p[1] >= top - 0.5 && p[1] <= bottom + 0.5
        };
        for &point in points.iter().filter(inside) {
            draw_marker(drawing, point, color);
        }
    }
}

fn draw_sample(drawing: &mut Drawing, ends: [[f64; 2]; 2], style: Style, color: Color) {
    if style != Style::Markers {
        drawing.line(ends.to_vec(), line_stroke(style, color));
    }
    if matches!(style, Style::Markers | Style::LineMarkers) {
        draw_marker(drawing, [0.5 * (ends[0][0] + ends[1][0]), ends[0][1]], color);
    }
}

fn line_stroke(style: Style, color: Color) -> Stroke {
    let dash = (style == Style::Dashed).then_some([6.0, 4.0]);
    Stroke { color, width: 1.8, dash }
}

/// A disc, as a polygon of twelve corners.
fn draw_marker(drawing: &mut Drawing, [x, y]: [f64; 2], color: Color) {
    let corner = |n: i32| {
        let angle = std::f64::consts::TAU * f64::from(n) / 12.0;
        [x + 2.8 * angle.cos(), y + 2.8 * angle.sin()]
    };
    drawing.polygon((0..12).map(corner).collect(), Some(color), None);
}

/// At most four points in each column of pixels (first, lowest, highest, last): the same picture from fewer
/// points.
fn thinned(points: &[[f64; 2]]) -> Vec<[f64; 2]> {
    if points.len() < 2000 {
        return points.to_vec();
    }
    let column = |p: &[f64; 2]| (2.0 * p[0]).floor();
    let mut kept = Vec::new();
    for run in points.chunk_by(|a, b| column(a) == column(b)) {
        let by_y = |a: &usize, b: &usize| run[*a][1].total_cmp(&run[*b][1]);
        let ends = [0, run.len() - 1];
        let extremes = [(0..run.len()).min_by(by_y), (0..run.len()).max_by(by_y)];
        let mut picks: Vec<usize> = ends.into_iter().chain(extremes.into_iter().flatten()).collect();
        picks.sort_unstable();
        picks.dedup();
        kept.extend(picks.into_iter().map(|n| run[n]));
    }
    kept
}

/// The pieces of a chain of lines inside a rectangle (left, top, right, bottom).
fn clipped(points: &[[f64; 2]], area: [f64; 4]) -> Vec<Vec<[f64; 2]>> {
    let mut pieces: Vec<Vec<[f64; 2]>> = Vec::new();
    for pair in points.windows(2) {
        let Some([a, b]) = clip_segment([pair[0], pair[1]], area) else { continue };
        match pieces.last_mut() {
            Some(piece) if piece.last() == Some(&a) => piece.push(b),
            _ => pieces.push(vec![a, b]),
        }
    }
    pieces
}

/// The part of a segment inside a rectangle: Liang & Barsky (1984), ACM Trans. Graph. 3(1), 1–22.
fn clip_segment([a, b]: [[f64; 2]; 2], [left, top, right, bottom]: [f64; 4]) -> Option<[[f64; 2]; 2]> {
    let d = [b[0] - a[0], b[1] - a[1]];
    let (mut enter, mut leave) = (0.0_f64, 1.0_f64);
    for (p, q) in [(-d[0], a[0] - left), (d[0], right - a[0]), (-d[1], a[1] - top), (d[1], bottom - a[1])] {
        if p == 0.0 {
            if q < 0.0 {
                return None;
            }
        } else if p < 0.0 {
            enter = enter.max(q / p);
        } else {
            leave = leave.min(q / p);
        }
    }
    // Unclipped ends are unchanged, so that consecutive pieces join exactly.
    let at = |t: f64| [a[0] + t * d[0], a[1] + t * d[1]];
    let start = if enter == 0.0 { a } else { at(enter) };
    let end = if leave == 1.0 { b } else { at(leave) };
    (enter <= leave).then_some([start, end])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_clipped_at_the_frame() {
        let area = [0.0, 0.0, 10.0, 10.0];
        assert_eq!(clip_segment([[-5.0, 5.0], [15.0, 5.0]], area), Some([[0.0, 5.0], [10.0, 5.0]]));
        assert_eq!(clip_segment([[-5.0, -1.0], [15.0, -1.0]], area), None);
        let chain = [[1.0, 1.0], [2.0, 2.0], [20.0, 2.0], [20.0, 3.0], [2.0, 3.0]];
        assert_eq!(clipped(&chain, area).len(), 2);
    }

    #[test]
    fn thinning_keeps_peaks() {
        let points: Vec<[f64; 2]> =
            (0..100_000).map(|n| [n as f64 / 1000.0, if n == 54_321 { 99.0 } else { 0.0 }]).collect();
        let thin = thinned(&points);
        assert!(thin.len() < 1000 && thin.contains(&points[54_321]), "{}", thin.len());
        assert_eq!((thin[0], thin[thin.len() - 1]), (points[0], points[99_999]));
    }

    #[test]
    fn a_legend_that_would_hide_a_curve_is_drawn_below_the_plot() {
        let plot = |x: Vec<f64>, y: Vec<f64>| {
            Plot::new("", Axis::new("x", ""), Axis::new("y", "")).with(Series::line("a curve", x, y))
        };
        let few = plot(vec![0.0, 1.0], vec![0.0, 1.0]);
        assert_eq!(few.draw().size, few.size, "the corners next to a diagonal are empty");
        let x: Vec<f64> = (0..200).map(f64::from).collect();
        let y = x.iter().map(|x| (x % 2.0) * 2.0 - 1.0).collect();
        let full = plot(x, y);
        let drawing = full.draw();
        assert!(drawing.size[1] > full.size[1] + ROW, "{:?}", drawing.size);
    }

    #[test]
    fn round_off_is_not_drawn_as_data() {
        let residual = |y: Vec<f64>| {
            let plot = Plot::new("", Axis::new("time", "s"), Axis::new("residual", "N s")).scaled(0.07);
            plot.with(Series::line("", vec![0.0, 1.0], y)).draw()
        };
        let noise = residual(vec![0.0, 3.2e-17]);
        assert!(
            noise.to_svg().contains("residual: zero up to round-off (at most 3·10⁻¹⁷ N s)"),
            "{}",
            noise.to_svg()
        );
        assert!(noise.size[1] < 60.0, "its size is that of a plot");
        assert!(residual(vec![0.0; 2]).to_svg().contains("residual: zero<"));
        let small = residual(vec![0.0, 1e-9]);
        assert!(!small.to_svg().contains("round-off") && small.size[1] == 380.0);
        // Data with NaN are drawn.
        assert!(!residual(vec![0.0, f64::NAN]).to_svg().contains("zero"));
    }

    #[test]
    fn a_plot_of_invalid_numbers_is_valid() {
        let broken =
            Series::line("F", vec![0.0, 1.0, 2.0, f64::NAN], vec![1.0, f64::NAN, f64::INFINITY, 2.0]);
        let svg = Plot::new("t", Axis::new("x", "s"), Axis::new("y", "N")).with(broken).draw().to_svg();
        assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
        let empty = Plot::new("t", Axis::new("x", "s").logarithmic(), Axis::new("y", "N")).draw().to_svg();
        assert!(!empty.contains("NaN"));
    }
}
