//! Knots along one direction from requested physical sizes of its spans.

use crate::Patch;
use crate::closest::{distance, dot};
use crate::integrate::gauss_legendre;

/// Largest number of spans of one direction.
const MAX_SPANS: f64 = 2.0e3;
/// Step of the count of spans, as a fraction of a span.
const STEP: f64 = 1.0 / 16.0;
/// Fraction of a span below which no further knot is inserted.
const SLACK: f64 = 0.02;

/// The line through the point of the zone along one direction of one patch, in the sense of its class.
pub(crate) struct Line<'a> {
    pub(crate) patch: &'a Patch,
    pub(crate) direction: usize,
    pub(crate) reversed: bool,
    pub(crate) parameters: [f64; 3],
    pub(crate) centre: [f64; 3],
    pub(crate) radius: f64,
    /// Size of the spans in the zone; whole spans fill it.
    pub(crate) finest: f64,
    pub(crate) growth: f64,
}

impl Line<'_> {
    /// Distance from the centre and speed |dx/dt| at the class parameter t in \[0,1\].
    fn at(&self, t: f64) -> (f64, f64) {
        let [a, b] = self.patch.basis[self.direction].domain();
        let mut u = self.parameters;
        u[self.direction] = if self.reversed { b - t * (b - a) } else { a + t * (b - a) };
        let map = self.patch.derivatives(u);
        let tangent = map.first[self.direction];
        (distance(map.point, self.centre), dot(tangent, tangent).sqrt() * (b - a))
    }

    /// Requested number of spans per unit of t at t.
    ///
    /// Outside the zone the size is h = h₁ + ln(r) d at distance d with h₁ = r f ln(r)/(r−1): spans that hold
    /// ∫ ds/h = 1 are then r f, r² f, … long. Without a zone the first one is f.
    fn density(&self, t: f64) -> f64 {
        let (distance, speed) = self.at(t);
        let rate = self.growth.ln();
        let first = self.finest * rate / (self.growth - 1.0);
        let size = if self.radius == 0.0 {
            first + rate * distance
        } else if distance <= self.radius {
            self.finest
        } else {
            self.growth * first + rate * (distance - self.radius)
        };
        speed / size
    }

    /// Signed distance to the rim of the zone.
    fn beyond(&self, t: f64) -> f64 {
        self.at(t).0 - self.radius
    }
}

/// Largest request of all lines.
fn density(lines: &[Line], t: f64) -> f64 {
    lines.iter().map(|line| line.density(t)).fold(0.0, f64::max)
}

/// The largest size up to `finest` that divides a length into whole spans.
pub(crate) fn whole_spans(length: f64, finest: f64) -> f64 {
    if length > 0.0 { length / (length / finest - SLACK).ceil().max(1.0) } else { finest }
}

/// New knots on \[0,1\] for the lines of one class with the breakpoints it has.
///
/// `None` if there would be more than [`MAX_SPANS`].
pub(crate) fn class_knots(lines: &[Line], there: &[f64]) -> Option<Vec<f64>> {
    let mut knots = Vec::new();
    for pair in there.windows(2) {
        // Between two anchors the density is smooth.
        let mut anchors = vec![pair[0]];
        for rim in rims(lines, pair[0], pair[1])? {
            // A rim too close to an existing knot, or to another rim, would leave a sliver.
            let spans = |from, to| Some(Table::new(lines, from, to)?.total());
            if spans(anchors[anchors.len() - 1], rim)? > 0.3 && spans(rim, pair[1])? > 0.3 {
                anchors.push(rim);
                knots.push(rim);
            }
        }
        anchors.push(pair[1]);
        for ends in anchors.windows(2) {
            let table = Table::new(lines, ends[0], ends[1])?;
            let n = (table.total() - SLACK).ceil().max(1.0);
            knots.extend((1..n as usize).map(|i| table.place(lines, table.total() * i as f64 / n)));
        }
    }
    Some(balance(lines, there, knots))
}

/// Parameters strictly between two knots where a line crosses the rim of its zone, ascending.
fn rims(lines: &[Line], from: f64, to: f64) -> Option<Vec<f64>> {
    let steps = Table::new(lines, from, to)?.at;
    let mut rims = Vec::new();
    for line in lines.iter().filter(|line| line.radius > 0.0) {
        for pair in steps.windows(2) {
            let (mut low, mut high) = (pair[0], pair[1]);
            let inside = line.beyond(low) < 0.0;
            if inside == (line.beyond(high) < 0.0) {
                continue;
            }
            loop {
                let middle = 0.5 * (low + high);
                if middle <= low || middle >= high {
                    break;
                }
                if (line.beyond(middle) < 0.0) == inside { low = middle } else { high = middle }
            }
            rims.push(high);
        }
    }
    rims.sort_by(f64::total_cmp);
    rims.retain(|&t| t > from && t < to);
    Some(rims)
}

/// Running integral of the density over one span: parameters and number of spans up to them.
struct Table {
    at: Vec<f64>,
    spans: Vec<f64>,
    rule: Vec<(f64, f64)>,
}

impl Table {
    fn new(lines: &[Line], from: f64, to: f64) -> Option<Self> {
        let rule = gauss_legendre(4);
        let mut table = Self { at: vec![from], spans: vec![0.0], rule };
        let (mut t, mut total) = (from, 0.0);
        while t < to {
            // The size changes by less than the length of a span within it, so a fraction of a span is a
            // safe step.
            let step = (STEP / density(lines, t).max(1e-300)).min((to - from) * STEP);
            let next = if t + 1.5 * step >= to { to } else { t + step };
            total += table.integral(lines, t, next);
            if total.is_nan() || total > MAX_SPANS {
                return None;
            }
            t = if next > t { next } else { to };
            table.at.push(t);
            table.spans.push(total);
        }
        Some(table)
    }

    fn integral(&self, lines: &[Line], from: f64, to: f64) -> f64 {
        let width = to - from;
        self.rule.iter().map(|&(x, weight)| weight * width * density(lines, from + x * width)).sum()
    }

    fn total(&self) -> f64 {
        self.spans[self.spans.len() - 1]
    }

    /// The parameter up to which there is a given number of spans.
    fn place(&self, lines: &[Line], spans: f64) -> f64 {
        let i = (self.spans.partition_point(|&n| n <= spans).max(1) - 1).min(self.at.len() - 2);
        let (low, high) = (self.at[i], self.at[i + 1]);
        let share = (spans - self.spans[i]) / (self.spans[i + 1] - self.spans[i]);
        let mut t = low + share * (high - low);
        for _ in 0..4 {
            let excess = self.spans[i] + self.integral(lines, low, t) - spans;
            t = (t - excess / density(lines, t)).clamp(low, high);
        }
        t
    }
}

/// Halves spans until no neighbour is longer than the growth ratio allows; returns the new knots, ascending.
fn balance(lines: &[Line], there: &[f64], new: Vec<f64>) -> Vec<f64> {
    let rule = gauss_legendre(4);
    let length = |a: f64, b: f64| {
        let along = |line: &Line| -> f64 {
            rule.iter().map(|&(x, weight)| weight * (b - a) * line.at(a + x * (b - a)).1).sum()
        };
        lines.iter().map(along).fold(0.0, f64::max)
    };
    let growth = lines.iter().map(|line| line.growth).fold(f64::INFINITY, f64::min);
    let mut all: Vec<f64> = there.iter().chain(&new).copied().collect();
    all.sort_by(f64::total_cmp);
    let mut lengths: Vec<f64> = all.windows(2).map(|pair| length(pair[0], pair[1])).collect();
    let mut halvings = 0;
    let mut i = 0;
    while i + 1 < lengths.len() && halvings < 1000 {
        let ratio = lengths[i + 1] / lengths[i];
        // The ratio may be exceeded by a tenth, so that whole spans fit between the existing knots.
        let long = if ratio > 1.1 * growth {
            i + 1
        } else if ratio < 1.0 / (1.1 * growth) {
            i
        } else {
            i += 1;
            continue;
        };
        let middle = 0.5 * (all[long] + all[long + 1]);
        all.insert(long + 1, middle);
        lengths.splice(long..=long, [length(all[long], middle), length(middle, all[long + 2])]);
        halvings += 1;
        i = i.saturating_sub(1);
    }
    all.retain(|t| !there.contains(t));
    all
}
