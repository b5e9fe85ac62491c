//! A scalar over polygons in a plane: the pressure of a contact patch, seen along its normal.

use crate::drawing::{Anchor, Drawing, Stroke, Text};
use crate::panel::{self, CAPTION, LABEL, Panel, Ruler};
use crate::plot::{Series, draw_series};
use crate::{Axis, Color, Ramp};

/// Coloured polygons in a plane with equal scales on both axes, a colour bar, and curves drawn over them.
#[derive(Debug, Clone, PartialEq)]
pub struct Map {
    /// Title above the map.
    pub title: String,
    /// Horizontal axis.
    pub x: Axis,
    /// Vertical axis.
    pub y: Axis,
    /// The quantity that the colours show. The ramp covers its range, or by default the range of the data,
    /// extended to zero for non-negative data.
    pub quantity: Axis,
    /// Colours.
    pub ramp: Ramp,
    /// Corners of each polygon, in the units of the axes.
    pub polygons: Vec<Vec<[f64; 2]>>,
    /// Value of each polygon.
    pub values: Vec<f64>,
    /// Curves over the polygons, such as the rim of Hertz' ellipse.
    pub curves: Vec<Series>,
    /// Width and height \[px\]; the area of the map shrinks within it to keep its scales equal.
    pub size: [f64; 2],
}

/// Width of the colour bar, and of the bar with its labels \[px\].
const BAR: f64 = 16.0;
const BAR_SPACE: f64 = 110.0;

impl Map {
    /// An empty map of 560 × 460 pixels.
    pub fn new(title: &str, x: Axis, y: Axis, quantity: Axis) -> Self {
        Self {
            title: title.to_owned(),
            x,
            y,
            quantity,
            ramp: Ramp::Heat,
            polygons: Vec::new(),
            values: Vec::new(),
            curves: Vec::new(),
            size: [560.0, 460.0],
        }
    }

    /// Draws the map.
    pub fn draw(&self) -> Drawing {
        let panel = self.panel();
        let mut bar_axis = self.quantity.clone();
        bar_axis.range = Some(self.value_range());
        let bar = Ruler::new(&bar_axis, self.value_range());

        let mut drawing = Drawing::new(self.size);
        panel.draw_grid(&mut drawing);
        self.draw_polygons(&mut drawing, &panel, &bar);
        for (n, curve) in self.curves.iter().enumerate() {
            draw_series(&mut drawing, &panel, curve, curve.color.unwrap_or(Color::of_series(n)));
        }
        panel.draw_frame(&mut drawing);
        panel::draw_title(&mut drawing, &self.title, panel.area());
        self.draw_bar(&mut drawing, &panel, bar);
        self.draw_legend(&mut drawing, &panel);
        drawing
    }

    fn value_range(&self) -> [f64; 2] {
        let [low, high] = panel::data_range(&self.quantity, self.values.iter().copied(), 0.0);
        if self.quantity.range.is_none() && low > 0.0 { [0.0, high] } else { [low, high] }
    }

    /// The panel: both axes have the same number of pixels per unit.
    fn panel(&self) -> Panel {
        let points = || self.polygons.iter().flatten().copied();
        let curve =
            |n: usize| self.curves.iter().flat_map(move |c| if n == 0 { &c.x } else { &c.y }).copied();
        let range = |axis: &Axis, n: usize| {
            let [low, high] = panel::data_range(axis, points().map(|p| p[n]).chain(curve(n)), 0.0);
            let pad = if axis.range.is_some() { 0.0 } else { 0.04 * (high - low) };
            [low - pad, high + pad]
        };
        let (x_range, y_range) = (range(&self.x, 0), range(&self.y, 1));
        let y = Ruler::new(&self.y, y_range);
        let [width, height] = self.size;
        let [left, below] = panel::margins(&y, height - 90.0);
        let top = if self.title.is_empty() { 14.0 } else { 34.0 };
        let legend = (LABEL + 6.0) * self.curves.iter().filter(|c| !c.label.is_empty()).count() as f64;
        let room = [width - left - BAR_SPACE, height - top - below - legend];
        let scale = (room[0] / (x_range[1] - x_range[0])).min(room[1] / (y_range[1] - y_range[0]));
        let corner = [left + scale * (x_range[1] - x_range[0]), top + scale * (y_range[1] - y_range[0])];
        Panel::new(Ruler::new(&self.x, x_range), y, [left, top], corner)
    }

    fn draw_polygons(&self, drawing: &mut Drawing, panel: &Panel, bar: &Ruler) {
        for (polygon, value) in self.polygons.iter().zip(&self.values) {
            let corners: Vec<[f64; 2]> = polygon.iter().map(|p| panel.place(p[0], p[1])).collect();
            if corners.as_flattened().iter().all(|c| c.is_finite()) {
                let color = self.ramp.at((value - bar.low) / (bar.high - bar.low));
                drawing.polygon(corners, Some(color), Some(Stroke::solid(Color([170, 170, 170]), 0.4)));
            }
        }
    }

    fn draw_bar(&self, drawing: &mut Drawing, panel: &Panel, mut bar: Ruler) {
        let [_, top, right, bottom] = panel.area();
        let left = right + 16.0;
        bar.pixels = [bottom, top];
        let steps = 96;
        let height = (bottom - top) / f64::from(steps);
        for n in 0..steps {
            let color = self.ramp.at((f64::from(n) + 0.5) / f64::from(steps));
            // Half a pixel of overlap, so that no seam shows between the steps.
            let y = bottom - height * f64::from(n + 1);
            drawing.rectangle([left, y - 0.5], [BAR, height + 0.5], Some(color), None);
        }
        drawing.rectangle([left, top], [BAR, bottom - top], None, Some(Stroke::solid(Color::INK, 1.0)));
        let ticks = bar.ticks(panel::tick_count(bottom - top, 45.0));
        for (&value, label) in ticks.major.iter().zip(&ticks.labels) {
            let y = bar.pixel(value);
            drawing.line(vec![[left + BAR, y], [left + BAR + 4.0, y]], Stroke::solid(Color::INK, 1.0));
            drawing.text(Text::new(label, [left + BAR + 7.0, y + 0.36 * LABEL], LABEL));
        }
        let at = [left + BAR + panel::widest(&ticks) + 14.0 + CAPTION, 0.5 * (top + bottom)];
        let caption = Text::new(&bar.shown.caption, at, CAPTION).anchored(Anchor::Middle);
        drawing.text(Text { upwards: true, ..caption });
    }

    /// Names of the curves, below the map.
    fn draw_legend(&self, drawing: &mut Drawing, panel: &Panel) {
        let [left, _, _, bottom] = panel.area();
        let first = bottom + 2.0 * LABEL + CAPTION + 20.0;
        let named = self.curves.iter().enumerate().filter(|(_, c)| !c.label.is_empty());
        for (row, (n, curve)) in named.enumerate() {
            let y = first + (LABEL + 6.0) * row as f64;
            let color = curve.color.unwrap_or(Color::of_series(n));
            let dash = (curve.style == crate::Style::Dashed).then_some([6.0, 4.0]);
            drawing.line(vec![[left, y - 4.0], [left + 26.0, y - 4.0]], Stroke { color, width: 1.8, dash });
            drawing.text(Text::new(&curve.label, [left + 34.0, y], LABEL));
        }
    }
}

/// Points of an ellipse with semi-axes `a` and `b` along directions turned by `angle` \[rad\] from the axes,
/// closed.
pub fn ellipse(center: [f64; 2], [a, b]: [f64; 2], angle: f64) -> (Vec<f64>, Vec<f64>) {
    let (sin, cos) = angle.sin_cos();
    (0..=120)
        .map(|n| {
            let (s, c) = (std::f64::consts::TAU * f64::from(n) / 120.0).sin_cos();
            (center[0] + a * c * cos - b * s * sin, center[1] + a * c * sin + b * s * cos)
        })
        .unzip()
}
