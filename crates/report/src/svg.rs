//! Drawings as SVG.

use std::fmt::Write as _;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use crate::Drawing;
use crate::drawing::{Anchor, Item, Stroke, Text};
use crate::font::FAMILY;
use crate::html::escape;
use crate::raster::encode_png;

/// See [`Drawing::to_svg`].
pub(crate) fn to_svg(drawing: &Drawing) -> String {
    let [width, height] = drawing.size.map(number);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 \
         {width} {height}\" font-family=\"{FAMILY}\">\n<rect width=\"{width}\" height=\"{height}\" \
         fill=\"#ffffff\"/>\n"
    );
    for item in &drawing.items {
        match item {
            Item::Path { points, closed, fill, stroke } => {
                svg += "<path d=\"";
                path(&mut svg, points, *closed);
                let fill = fill.map_or("none".to_owned(), |c| c.hex());
                svg += &format!(
                    "\" fill=\"{fill}\"{}/>\n",
                    stroke.as_ref().map_or(String::new(), stroke_attributes)
                );
            }
            Item::Text(text) => text_element(&mut svg, text),
            Item::Image { at, size, rgb, scale } => image_element(&mut svg, *at, *size, rgb, *scale),
        }
    }
    svg += "</svg>\n";
    svg
}

fn path(svg: &mut String, points: &[[f64; 2]], closed: bool) {
    for (n, point) in points.iter().enumerate() {
        let command = if n == 0 { "M" } else { "L" };
        write!(svg, "{command}{} {}", number(point[0]), number(point[1])).expect("a string takes all text");
    }
    if closed {
        svg.push('Z');
    }
}

fn stroke_attributes(stroke: &Stroke) -> String {
    let dash = stroke
        .dash
        .map_or(String::new(), |[a, b]| format!(" stroke-dasharray=\"{} {}\"", number(a), number(b)));
    let (color, width) = (stroke.color.hex(), number(stroke.width));
    format!(" stroke=\"{color}\" stroke-width=\"{width}\" stroke-linejoin=\"round\"{dash}")
}

fn text_element(svg: &mut String, text: &Text) {
    let [x, y] = text.at.map(number);
    let anchor = match text.anchor {
        Anchor::Start => "",
        Anchor::Middle => " text-anchor=\"middle\"",
        Anchor::End => " text-anchor=\"end\"",
    };
    let bold = if text.bold { " font-weight=\"bold\"" } else { "" };
    let turn = if text.upwards { format!(" transform=\"rotate(-90 {x} {y})\"") } else { String::new() };
    let (size, color, words) = (number(text.size), text.color.hex(), escape(&text.text));
    writeln!(
        svg,
        "<text x=\"{x}\" y=\"{y}\" font-size=\"{size}\" fill=\"{color}\"{anchor}{bold}{turn}>{words}</text>"
    )
    .expect("a string takes all text");
}

fn image_element(svg: &mut String, at: [f64; 2], size: [usize; 2], rgb: &[u8], scale: f64) {
    // An image with an inconsistent number of pixels is not drawn.
    let Ok(png) = encode_png(size, rgb) else { return };
    let [x, y] = at.map(number);
    let [width, height] = size.map(|n| number(n as f64 * scale));
    writeln!(
        svg,
        "<image x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" \
         href=\"data:image/png;base64,{}\"/>",
        STANDARD.encode(png)
    )
    .expect("a string takes all text");
}

/// A length with two decimals, without trailing zeros.
fn number(x: f64) -> String {
    let text = format!("{x:.2}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".to_owned() } else { text.to_owned() }
}
