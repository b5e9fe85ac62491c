//! The frame of a plot: axes that map data to pixels, ticks, grid and captions.

use crate::drawing::{Anchor, Drawing, Stroke, Text};
use crate::ticks::{self, Shown, Ticks};
use crate::{Axis, Color, Scale, font};

/// Sizes of letters \[px\].
pub(crate) const TITLE: f64 = 14.0;
pub(crate) const CAPTION: f64 = 13.0;
pub(crate) const LABEL: f64 = 12.0;

/// One axis with its range in the data's unit.
#[derive(Debug, Clone)]
pub(crate) struct Ruler {
    pub(crate) low: f64,
    pub(crate) high: f64,
    pub(crate) logarithmic: bool,
    pub(crate) shown: Shown,
    /// Pixels at `low` and `high`.
    pub(crate) pixels: [f64; 2],
}

impl Ruler {
    /// An axis over `range` (low < high). Its pixels are set once the margins are known.
    pub(crate) fn new(axis: &Axis, [low, high]: [f64; 2]) -> Self {
        let logarithmic = axis.scale == Scale::Logarithmic;
        let shown = if logarithmic {
            let unit = if axis.unit.is_empty() { String::new() } else { format!(" [{}]", axis.unit) };
            Shown { offset: 0.0, factor: 1.0, caption: format!("{}{unit}", axis.label) }
        } else {
            ticks::shown(&axis.label, &axis.unit, [low, high], axis.prefix)
        };
        Self { low, high, logarithmic, shown, pixels: [0.0, 1.0] }
    }

    /// Pixel of a value; not finite for values that the axis cannot show.
    pub(crate) fn pixel(&self, value: f64) -> f64 {
        let part = if self.logarithmic {
            (value / self.low).ln() / (self.high / self.low).ln()
        } else {
            (value - self.low) / (self.high - self.low)
        };
        self.pixels[0] + part * (self.pixels[1] - self.pixels[0])
    }

    /// Ticks, in the data's unit (labels in the shown one).
    pub(crate) fn ticks(&self, target: usize) -> Ticks {
        if self.logarithmic {
            return ticks::logarithmic(self.low, self.high, target);
        }
        let Shown { offset, factor, .. } = self.shown;
        let mut ticks = ticks::linear((self.low - offset) * factor, (self.high - offset) * factor, target);
        for place in ticks.major.iter_mut().chain(&mut ticks.minor) {
            *place = *place / factor + offset;
        }
        ticks
    }
}

/// The area of a plot between two axes.
#[derive(Debug, Clone)]
pub(crate) struct Panel {
    pub(crate) x: Ruler,
    pub(crate) y: Ruler,
    x_ticks: Ticks,
    y_ticks: Ticks,
}

/// Widest label of an axis \[px\].
pub(crate) fn widest(ticks: &Ticks) -> f64 {
    ticks.labels.iter().map(|l| font::width(l, LABEL, false)).fold(0.0, f64::max)
}

/// Space that a panel needs outside of its area: on the left and below \[px\].
pub(crate) fn margins(y: &Ruler, height: f64) -> [f64; 2] {
    [widest(&y.ticks(tick_count(height, 45.0))) + 12.0 + CAPTION + 14.0, LABEL + CAPTION + 26.0]
}

/// Number of ticks that fit at `spacing` pixels each.
pub(crate) fn tick_count(pixels: f64, spacing: f64) -> usize {
    ((pixels / spacing) as usize).clamp(2, 10)
}

impl Panel {
    /// Places two axes in the rectangle from `[left, top]` to `[right, bottom]`.
    pub(crate) fn new(mut x: Ruler, mut y: Ruler, [left, top]: [f64; 2], [right, bottom]: [f64; 2]) -> Self {
        // A drawing too small for its margins still has an area.
        let (right, bottom) = (right.max(left + 10.0), bottom.max(top + 10.0));
        x.pixels = [left, right];
        y.pixels = [bottom, top];
        let x_ticks = x.ticks(tick_count(right - left, 80.0));
        let y_ticks = y.ticks(tick_count(bottom - top, 45.0));
        Self { x, y, x_ticks, y_ticks }
    }

    /// Point of the drawing for a data point.
    pub(crate) fn place(&self, x: f64, y: f64) -> [f64; 2] {
        [self.x.pixel(x), self.y.pixel(y)]
    }

    /// Left, top, right and bottom of the area \[px\].
    pub(crate) fn area(&self) -> [f64; 4] {
        [self.x.pixels[0], self.y.pixels[1], self.x.pixels[1], self.y.pixels[0]]
    }

    /// Lines across the area at the labelled ticks, to be drawn below the data.
    pub(crate) fn draw_grid(&self, drawing: &mut Drawing) {
        let [left, top, right, bottom] = self.area();
        let stroke = Stroke::solid(Color::PALE, 0.8);
        for x in self.x_ticks.major.iter().map(|&x| self.x.pixel(x)) {
            drawing.line(vec![[x, top], [x, bottom]], stroke);
        }
        for y in self.y_ticks.major.iter().map(|&y| self.y.pixel(y)) {
            drawing.line(vec![[left, y], [right, y]], stroke);
        }
    }

    /// The frame, ticks, labels and captions.
    pub(crate) fn draw_frame(&self, drawing: &mut Drawing) {
        let [left, top, right, bottom] = self.area();
        let ink = Stroke::solid(Color::INK, 1.0);
        for (ticks, length) in [(&self.x_ticks.major, 5.0), (&self.x_ticks.minor, 2.5)] {
            for x in ticks.iter().map(|&x| self.x.pixel(x)) {
                drawing.line(vec![[x, bottom], [x, bottom - length]], ink);
            }
        }
        for (ticks, length) in [(&self.y_ticks.major, 5.0), (&self.y_ticks.minor, 2.5)] {
            for y in ticks.iter().map(|&y| self.y.pixel(y)) {
                drawing.line(vec![[left, y], [left + length, y]], ink);
            }
        }
        drawing.rectangle([left, top], [right - left, bottom - top], None, Some(ink));
        for (&x, label) in self.x_ticks.major.iter().zip(&self.x_ticks.labels) {
            let at = [self.x.pixel(x), bottom + LABEL + 5.0];
            drawing.text(Text::new(label, at, LABEL).anchored(Anchor::Middle));
        }
        for (&y, label) in self.y_ticks.major.iter().zip(&self.y_ticks.labels) {
            let at = [left - 6.0, self.y.pixel(y) + 0.36 * LABEL];
            drawing.text(Text::new(label, at, LABEL).anchored(Anchor::End));
        }
        self.draw_captions(drawing);
    }

    fn draw_captions(&self, drawing: &mut Drawing) {
        let [left, top, right, bottom] = self.area();
        let below = [0.5 * (left + right), bottom + LABEL + CAPTION + 14.0];
        drawing.text(Text::new(&self.x.shown.caption, below, CAPTION).anchored(Anchor::Middle));
        let beside = [left - widest(&self.y_ticks) - 16.0, 0.5 * (top + bottom)];
        let caption = Text::new(&self.y.shown.caption, beside, CAPTION).anchored(Anchor::Middle);
        drawing.text(Text { upwards: true, ..caption });
    }
}

/// A title centred above an area.
pub(crate) fn draw_title(drawing: &mut Drawing, title: &str, [left, top, right, _]: [f64; 4]) {
    let text = Text::new(title, [0.5 * (left + right), top - 10.0], TITLE).anchored(Anchor::Middle);
    drawing.text(Text { bold: true, ..text });
}

/// Range of an axis: the range of some numbers, widened by a margin. Values that the axis cannot show (NaN,
/// infinity, or not positive on a logarithmic axis) are ignored.
pub(crate) fn data_range(axis: &Axis, values: impl Iterator<Item = f64>, margin: f64) -> [f64; 2] {
    if let Some([low, high]) = axis.range.filter(|[low, high]| low < high) {
        return [low, high];
    }
    let logarithmic = axis.scale == Scale::Logarithmic;
    let counts = |v: &f64| v.is_finite() && (!logarithmic || *v > 0.0);
    let (mut low, mut high) =
        values.filter(counts).fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| (l.min(v), h.max(v)));
    if low > high {
        return if logarithmic { [0.1, 10.0] } else { [0.0, 1.0] };
    }
    if logarithmic {
        let factor = (high / low).powf(margin).max(1.2);
        return [low / factor, high * factor];
    }
    // Differences below the rounding error do not count as a range.
    if high - low <= 1e-14 * high.abs().max(low.abs()) {
        let spread = if high == 0.0 { 1.0 } else { 0.5 * high.abs() };
        return [low - spread, high + spread];
    }
    if margin > 0.0 {
        let pad = margin * (high - low);
        // A curve that starts near zero is shown with its zero.
        low = if low >= 0.0 && low < 0.3 * high { 0.0 } else { low - pad };
        high = if high <= 0.0 && high > 0.3 * low { 0.0 } else { high + pad };
    }
    [low, high]
}
