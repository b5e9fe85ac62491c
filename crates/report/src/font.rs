//! The built-in font: widths for the layout, outlines for PNG.

use std::sync::OnceLock;

use ttf_parser::{Face, OutlineBuilder};

/// Font families for SVG viewers: the built-in one first, then families of about the same width.
pub(crate) const FAMILY: &str = "'DejaVu Sans Condensed', Helvetica, Arial, sans-serif";

fn face(bold: bool) -> &'static Face<'static> {
    static REGULAR: OnceLock<Face<'static>> = OnceLock::new();
    static BOLD: OnceLock<Face<'static>> = OnceLock::new();
    let parse =
        |bytes: &'static [u8]| Face::parse(bytes, 0).expect("the built-in font is a valid TrueType file");
    if bold {
        BOLD.get_or_init(|| parse(include_bytes!("../assets/DejaVuSansCondensed-Bold.ttf")))
    } else {
        REGULAR.get_or_init(|| parse(include_bytes!("../assets/DejaVuSansCondensed.ttf")))
    }
}

/// Width of a text \[px\] at this size.
pub(crate) fn width(text: &str, size: f64, bold: bool) -> f64 {
    let face = face(bold);
    let units: u32 = text.chars().map(|c| u32::from(advance(face, c))).sum();
    f64::from(units) * size / f64::from(face.units_per_em())
}

/// The glyph of a character; a missing character is drawn as a box, glyph 0.
fn glyph(face: &Face<'_>, c: char) -> ttf_parser::GlyphId {
    face.glyph_index(c).unwrap_or(ttf_parser::GlyphId(0))
}

fn advance(face: &Face<'_>, c: char) -> u16 {
    face.glyph_hor_advance(glyph(face, c)).unwrap_or(0)
}

/// Receives the outlines of a text: points \[px\] from the start of its base line, y upwards.
pub(crate) trait Outline {
    /// Starts a closed curve.
    fn move_to(&mut self, p: [f64; 2]);
    /// Straight line.
    fn line_to(&mut self, p: [f64; 2]);
    /// Quadratic curve with one control point.
    fn quad_to(&mut self, c: [f64; 2], p: [f64; 2]);
    /// Closes the curve.
    fn close(&mut self);
}

/// Draws the outlines of a text.
pub(crate) fn outline(text: &str, size: f64, bold: bool, to: &mut dyn Outline) {
    let face = face(bold);
    let scale = size / f64::from(face.units_per_em());
    let mut pen = 0.0;
    for c in text.chars() {
        face.outline_glyph(glyph(face, c), &mut Shifted { to, pen, scale });
        pen += f64::from(advance(face, c)) * scale;
    }
}

struct Shifted<'a> {
    to: &'a mut dyn Outline,
    pen: f64,
    scale: f64,
}

impl Shifted<'_> {
    fn at(&self, x: f32, y: f32) -> [f64; 2] {
        [self.pen + f64::from(x) * self.scale, f64::from(y) * self.scale]
    }
}

impl OutlineBuilder for Shifted<'_> {
    fn move_to(&mut self, x: f32, y: f32) {
        self.to.move_to(self.at(x, y));
    }

    fn line_to(&mut self, x: f32, y: f32) {
        self.to.line_to(self.at(x, y));
    }

    fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
        self.to.quad_to(self.at(x1, y1), self.at(x, y));
    }

    fn curve_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
        // TrueType outlines are quadratic; a cubic curve cannot occur in the built-in font.
        let middle = self.at(0.5 * (x1 + x2), 0.5 * (y1 + y2));
        self.to.quad_to(middle, self.at(x, y));
    }

    fn close(&mut self) {
        self.to.close();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_font_contains_the_symbols_of_engineering() {
        for c in "AZaz09 µΩαβνρσωτΔ²³⁻¹₀₁√≤≥≈·×−–°±∞→".chars() {
            for bold in [false, true] {
                assert!(face(bold).glyph_index(c).is_some(), "{c} bold {bold}");
            }
        }
        assert!(width("mm", 10.0, false) > width("ll", 10.0, false));
    }
}
