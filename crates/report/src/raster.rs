//! Drawings as PNG.

use thiserror::Error;
use tiny_skia::{
    FillRule, IntSize, LineCap, LineJoin, Paint, Path, PathBuilder, Pixmap, PixmapPaint,
    Stroke as SkiaStroke, StrokeDash, Transform,
};

use crate::drawing::{Anchor, Item, Stroke, Text};
use crate::font::{self, Outline};
use crate::{Color, Drawing};

/// Errors of rasterising a drawing.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum RasterError {
    /// Width or height is not between 1 and 20 000 pixels.
    #[error(
        "a picture of {width} × {height} pixels cannot be drawn; both must be 1 to 20000: change its size or \
         scale"
    )]
    Size {
        /// Columns.
        width: f64,
        /// Rows.
        height: f64,
    },
    /// The PNG encoder failed.
    #[error("the PNG encoder failed: {message}; write SVG instead")]
    Encoding {
        /// Its message.
        message: String,
    },
}

/// See [`Drawing::to_png`].
pub(crate) fn to_png(drawing: &Drawing, scale: f64) -> Result<Vec<u8>, RasterError> {
    let [width, height] = drawing.size.map(|n| (n * scale).ceil());
    let fits = |n: f64| (1.0..=20_000.0).contains(&n);
    if !fits(width) || !fits(height) {
        return Err(RasterError::Size { width, height });
    }
    let mut pixmap = Pixmap::new(width as u32, height as u32).ok_or(RasterError::Size { width, height })?;
    pixmap.fill(skia_color(Color::WHITE));
    let transform = Transform::from_scale(scale as f32, scale as f32);
    for item in &drawing.items {
        match item {
            Item::Path { points, closed, fill, stroke } => {
                if let Some(path) = polygon(points, *closed) {
                    draw_path(&mut pixmap, &path, *fill, stroke.as_ref(), transform);
                }
            }
            Item::Text(text) => draw_text(&mut pixmap, text, transform),
            Item::Image { at, size, rgb, scale } => {
                draw_image(&mut pixmap, *at, *size, rgb, *scale, transform)
            }
        }
    }
    pixmap.encode_png().map_err(|error| RasterError::Encoding { message: error.to_string() })
}

/// Pixels (red, green, blue) as a PNG file.
pub(crate) fn encode_png(size: [usize; 2], rgb: &[u8]) -> Result<Vec<u8>, RasterError> {
    let pixmap =
        pixmap_of(size, rgb).ok_or(RasterError::Size { width: size[0] as f64, height: size[1] as f64 })?;
    pixmap.encode_png().map_err(|error| RasterError::Encoding { message: error.to_string() })
}

fn pixmap_of(size: [usize; 2], rgb: &[u8]) -> Option<Pixmap> {
    let rgba = rgb.chunks_exact(3).flat_map(|c| [c[0], c[1], c[2], 255]).collect();
    let size = IntSize::from_wh(u32::try_from(size[0]).ok()?, u32::try_from(size[1]).ok()?)?;
    Pixmap::from_vec(rgba, size)
}

fn polygon(points: &[[f64; 2]], closed: bool) -> Option<Path> {
    let mut builder = PathBuilder::new();
    let (first, rest) = points.split_first()?;
    builder.move_to(first[0] as f32, first[1] as f32);
    for point in rest {
        builder.line_to(point[0] as f32, point[1] as f32);
    }
    if closed {
        builder.close();
    }
    builder.finish()
}

fn draw_path(
    pixmap: &mut Pixmap,
    path: &Path,
    fill: Option<Color>,
    stroke: Option<&Stroke>,
    transform: Transform,
) {
    if let Some(color) = fill {
        pixmap.fill_path(path, &paint(color), FillRule::Winding, transform, None);
    }
    if let Some(stroke) = stroke {
        let dash = stroke.dash.and_then(|[a, b]| StrokeDash::new(vec![a as f32, b as f32], 0.0));
        let style = SkiaStroke {
            width: stroke.width as f32,
            line_cap: LineCap::Butt,
            line_join: LineJoin::Round,
            dash,
            ..SkiaStroke::default()
        };
        pixmap.stroke_path(path, &paint(stroke.color), &style, transform, None);
    }
}

fn draw_text(pixmap: &mut Pixmap, text: &Text, transform: Transform) {
    let shift = match text.anchor {
        Anchor::Start => 0.0,
        Anchor::Middle => 0.5,
        Anchor::End => 1.0,
    };
    let start = -shift * font::width(&text.text, text.size, text.bold);
    let mut letters = Letters { builder: PathBuilder::new(), start, at: text.at, upwards: text.upwards };
    font::outline(&text.text, text.size, text.bold, &mut letters);
    if let Some(path) = letters.builder.finish() {
        pixmap.fill_path(&path, &paint(text.color), FillRule::Winding, transform, None);
    }
}

/// Converts the outlines of letters to coordinates of the drawing.
struct Letters {
    builder: PathBuilder,
    start: f64,
    at: [f64; 2],
    upwards: bool,
}

impl Letters {
    fn place(&self, [x, y]: [f64; 2]) -> (f32, f32) {
        let along = x + self.start;
        let [right, down] = if self.upwards { [-y, -along] } else { [along, -y] };
        ((self.at[0] + right) as f32, (self.at[1] + down) as f32)
    }
}

impl Outline for Letters {
    fn move_to(&mut self, p: [f64; 2]) {
        let (x, y) = self.place(p);
        self.builder.move_to(x, y);
    }

    fn line_to(&mut self, p: [f64; 2]) {
        let (x, y) = self.place(p);
        self.builder.line_to(x, y);
    }

    fn quad_to(&mut self, c: [f64; 2], p: [f64; 2]) {
        let ((x1, y1), (x, y)) = (self.place(c), self.place(p));
        self.builder.quad_to(x1, y1, x, y);
    }

    fn close(&mut self) {
        self.builder.close();
    }
}

fn draw_image(
    pixmap: &mut Pixmap,
    at: [f64; 2],
    size: [usize; 2],
    rgb: &[u8],
    scale: f64,
    transform: Transform,
) {
    // An image with an inconsistent number of pixels is not drawn.
    let Some(image) = pixmap_of(size, rgb) else { return };
    let place = transform.pre_translate(at[0] as f32, at[1] as f32).pre_scale(scale as f32, scale as f32);
    let quality = PixmapPaint { quality: tiny_skia::FilterQuality::Bilinear, ..PixmapPaint::default() };
    pixmap.draw_pixmap(0, 0, image.as_ref(), &quality, place, None);
}

fn paint(color: Color) -> Paint<'static> {
    let mut paint = Paint::default();
    paint.set_color(skia_color(color));
    paint.anti_alias = true;
    paint
}

fn skia_color(Color([r, g, b]): Color) -> tiny_skia::Color {
    tiny_skia::Color::from_rgba8(r, g, b, 255)
}
