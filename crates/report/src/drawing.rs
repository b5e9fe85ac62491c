//! A list of shapes and texts: the output of every plot, and the input of the SVG and PNG writers.

use crate::{Color, RasterError};

/// Alignment of a text relative to its point.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Anchor {
    /// The text begins there.
    #[default]
    Start,
    /// The text is centred there.
    Middle,
    /// The text ends there.
    End,
}

/// A line's colour, width and dashes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stroke {
    /// Colour.
    pub color: Color,
    /// Width \[px\].
    pub width: f64,
    /// Lengths of dash and gap \[px\]; `None` is a solid line.
    pub dash: Option<[f64; 2]>,
}

impl Stroke {
    /// A solid line.
    pub fn solid(color: Color, width: f64) -> Self {
        Self { color, width, dash: None }
    }
}

/// A text on one line.
#[derive(Debug, Clone, PartialEq)]
pub struct Text {
    /// The characters.
    pub text: String,
    /// Point of the base line at which the `anchor` of the text lies \[px\].
    pub at: [f64; 2],
    /// Size of the letters \[px\].
    pub size: f64,
    /// Bold face.
    pub bold: bool,
    /// Which part of the text is at `at`.
    pub anchor: Anchor,
    /// True if it runs upwards instead of to the right.
    pub upwards: bool,
    /// Colour.
    pub color: Color,
}

impl Text {
    /// A plain text of this size that begins at a point.
    pub fn new(text: impl Into<String>, at: [f64; 2], size: f64) -> Self {
        let (bold, anchor, upwards, color) = (false, Anchor::Start, false, Color::INK);
        Self { text: text.into(), at, size, bold, anchor, upwards, color }
    }

    /// The same with another anchor.
    pub fn anchored(self, anchor: Anchor) -> Self {
        Self { anchor, ..self }
    }
}

/// One shape, text or picture.
#[derive(Debug, Clone, PartialEq)]
pub enum Item {
    /// A polygon or a chain of lines.
    Path {
        /// Corners \[px\].
        points: Vec<[f64; 2]>,
        /// True if the last corner joins the first.
        closed: bool,
        /// Colour inside.
        fill: Option<Color>,
        /// The line.
        stroke: Option<Stroke>,
    },
    /// A text.
    Text(Text),
    /// A picture, drawn without smoothing with `scale` pixels of the drawing per pixel.
    Image {
        /// Upper left corner \[px\].
        at: [f64; 2],
        /// Columns and rows.
        size: [usize; 2],
        /// Red, green, blue, row after row from the top.
        rgb: Vec<u8>,
        /// Size of a pixel in the drawing \[px\].
        scale: f64,
    },
}

/// Shapes on white paper, drawn one over the other. Pixels are CSS pixels (96 to the inch), y downwards.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Drawing {
    /// Width and height \[px\].
    pub size: [f64; 2],
    /// The items, drawn in this order.
    pub items: Vec<Item>,
}

impl Drawing {
    /// Empty paper.
    pub fn new(size: [f64; 2]) -> Self {
        Self { size, items: Vec::new() }
    }

    /// Adds a chain of lines.
    pub fn line(&mut self, points: Vec<[f64; 2]>, stroke: Stroke) {
        self.items.push(Item::Path { points, closed: false, fill: None, stroke: Some(stroke) });
    }

    /// Adds a polygon.
    pub fn polygon(&mut self, points: Vec<[f64; 2]>, fill: Option<Color>, stroke: Option<Stroke>) {
        self.items.push(Item::Path { points, closed: true, fill, stroke });
    }

    /// Adds a rectangle from the corner `at`.
    pub fn rectangle(&mut self, at: [f64; 2], size: [f64; 2], fill: Option<Color>, stroke: Option<Stroke>) {
        let ([x, y], [w, h]) = (at, size);
        self.polygon(vec![[x, y], [x + w, y], [x + w, y + h], [x, y + h]], fill, stroke);
    }

    /// Adds a text.
    pub fn text(&mut self, text: Text) {
        self.items.push(Item::Text(text));
    }

    /// Adds another drawing with its upper left corner at `at`.
    pub fn place(&mut self, other: Drawing, at: [f64; 2]) {
        let shift = |p: &mut [f64; 2]| {
            p[0] += at[0];
            p[1] += at[1];
        };
        self.items.extend(other.items.into_iter().map(|mut item| {
            match &mut item {
                Item::Path { points, .. } => points.iter_mut().for_each(shift),
                Item::Text(text) => shift(&mut text.at),
                Item::Image { at, .. } => shift(at),
            }
            item
        }));
    }

    /// Several drawings, one under the other, as wide as the widest.
    pub fn stacked(drawings: impl IntoIterator<Item = Drawing>) -> Self {
        let mut all = Self::default();
        for drawing in drawings {
            let [width, height] = drawing.size;
            let top = all.size[1];
            all.place(drawing, [0.0, top]);
            all.size = [all.size[0].max(width), top + height];
        }
        all
    }

    /// Several drawings side by side, as high as the highest.
    pub fn side_by_side(drawings: impl IntoIterator<Item = Drawing>) -> Self {
        let mut all = Self::default();
        for drawing in drawings {
            let [width, height] = drawing.size;
            let left = all.size[0];
            all.place(drawing, [left, 0.0]);
            all.size = [left + width, all.size[1].max(height)];
        }
        all
    }

    /// The drawing as an SVG document, with texts as text elements.
    pub fn to_svg(&self) -> String {
        crate::svg::to_svg(self)
    }

    /// The drawing as a PNG file with `scale` pixels per CSS pixel (2 is sharp in print and on dense
    /// screens).
    ///
    /// # Errors
    ///
    /// [`RasterError`] if the picture would be empty or too large for memory.
    pub fn to_png(&self, scale: f64) -> Result<Vec<u8>, RasterError> {
        crate::raster::to_png(self, scale)
    }
}
