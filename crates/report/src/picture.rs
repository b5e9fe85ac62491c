//! Shaded pictures of the surface of a body.

use crate::drawing::{Anchor, Drawing, Item, Stroke, Text};
use crate::names::{self, NO_NAME, Name, Regions};
use crate::panel::{self, CAPTION, LABEL, Ruler};
use crate::zbuffer::{Vertex, ZBuffer};
use crate::{Axis, Color, Ramp, font, number};

/// The colouring of a triangle.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Paint {
    /// One colour: a material or a set.
    Solid(Color),
    /// Values of the picture's scalar at the corners.
    Scalar([f64; 3]),
}

/// A triangle of the surface.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Triangle {
    /// Corners \[m\].
    pub corners: [[f64; 3]; 3],
    /// Normals at the corners, of any length and either sense, for smooth shading; `None` shades flat.
    pub normals: Option<[[f64; 3]; 3]>,
    /// Colour.
    pub paint: Paint,
}

/// An orthographic picture of triangles and edges.
#[derive(Debug, Clone, PartialEq)]
pub struct Picture {
    /// Title above the picture.
    pub title: String,
    /// Surface.
    pub triangles: Vec<Triangle>,
    /// Faint lines on the surface, such as the borders of elements: colours shine through.
    pub edges: Vec<[[f64; 3]; 2]>,
    /// Dark lines, such as sharp edges and the borders of sets.
    pub outlines: Vec<[[f64; 3]; 2]>,
    /// Points with names, drawn as circles on top of everything else, such as points of contact.
    pub marks: Vec<([f64; 3], String)>,
    /// Names of colours.
    pub legend: Vec<(String, Color)>,
    /// Names of triangles, written on them or next to the body.
    pub names: Vec<Name>,
    /// The quantity of [`Paint::Scalar`] with its range; `None` draws no colour bar.
    pub scalar: Option<Axis>,
    /// Colours of the scalar.
    pub ramp: Ramp,
    /// Direction from the body to the camera.
    pub view: [f64; 3],
    /// Width and height \[px\].
    pub size: [f64; 2],
    /// Pixels of the image per pixel of the drawing: 2 is sharp in print.
    pub resolution: f64,
}

/// Space above, below and at the sides of the body \[px\].
const MARGIN: f64 = 30.0;

impl Default for Picture {
    fn default() -> Self {
        Self {
            title: String::new(),
            triangles: Vec::new(),
            edges: Vec::new(),
            outlines: Vec::new(),
            marks: Vec::new(),
            legend: Vec::new(),
            names: Vec::new(),
            scalar: None,
            ramp: Ramp::Even,
            view: [-1.0, -1.3, 0.8],
            size: [720.0, 520.0],
            resolution: 2.0,
        }
    }
}

/// Projection of points onto the paper.
struct Camera {
    right: [f64; 3],
    up: [f64; 3],
    towards: [f64; 3],
    /// Pixels of the drawing per metre.
    scale: f64,
    /// Point of the drawing for (0, 0) of the projected coordinates.
    origin: [f64; 2],
    /// Extent of the depths \[m\].
    depth: f64,
}

impl Picture {
    /// Draws the picture.
    pub fn draw(&self) -> Drawing {
        self.draw_with_names().0
    }

    /// Draws the picture, and returns for each of [`Picture::names`] whether it is written in full: a face
    /// may be hidden or too small.
    pub fn draw_with_names(&self) -> (Drawing, Vec<bool>) {
        let mut camera = self.camera(0.0);
        let mut regions = self.regions(&camera);
        if !names::all_fit(&regions, &self.names) {
            camera = self.camera(names::column(&self.names));
            regions = self.regions(&camera);
        }
        let mut drawing = self.draw_body(&camera);
        let written = names::draw(&mut drawing, &regions, &self.names);
        (drawing, written)
    }

    /// The name that each pixel of the drawing shows.
    fn regions(&self, camera: &Camera) -> Regions {
        let [width, height] = self.size.map(|n| n.round().clamp(1.0, 8000.0) as usize);
        if self.names.is_empty() {
            return Regions { width, height, names: Vec::new() };
        }
        let mut name_of = vec![NO_NAME; self.triangles.len()];
        for (n, name) in self.names.iter().enumerate() {
            for &triangle in &name.triangles {
                name_of[triangle] = n as u32;
            }
        }
        let mut buffer = ZBuffer::new([width, height]);
        for (triangle, &name) in self.triangles.iter().zip(&name_of) {
            let corners = triangle.corners.map(|x| {
                let (at, depth) = camera.place(x);
                Vertex { at: at.map(|p| ZBuffer::samples() * p), depth, values: [] }
            });
            let [_, r, g, b] = name.to_be_bytes();
            buffer.triangle(&corners, |[]| Color([r, g, b]));
        }
        // White stands for paper and faces without a name: all bits are set.
        let number = |[r, g, b]: [u8; 3]| match u32::from_be_bytes([0, r, g, b]) {
            0xff_ffff => NO_NAME,
            n => n,
        };
        let names = buffer.middles().map(number).collect();
        Regions { width, height, names }
    }

    /// The body with title, legend, colour bar and axes.
    fn draw_body(&self, camera: &Camera) -> Drawing {
        let mut drawing = Drawing::new(self.size);
        let pixels = self.size.map(|n| (n * self.resolution).round().clamp(1.0, 8000.0) as usize);
        let mut buffer = ZBuffer::new(pixels);
        let factor = pixels[0] as f64 / self.size[0] * ZBuffer::samples();
        let range = self.scalar_range();
        for triangle in &self.triangles {
            self.draw_triangle(&mut buffer, camera, factor, triangle, range);
        }
        let faint = self.edges.iter().map(|edge| (edge, 80));
        for (edge, strength) in faint.chain(self.outlines.iter().map(|edge| (edge, 215))) {
            // Lines are raised by a fraction of the body's size, so that their face does not hide them.
            let [a, b] = edge.map(|x| {
                let ([u, v], depth) = camera.place(x);
                ([factor * u, factor * v], depth + 2e-3 * camera.depth)
            });
            buffer.line(a, b, strength);
        }
        let rgb = buffer.pixels();
        drawing.items.push(Item::Image {
            at: [0.0; 2],
            size: pixels,
            rgb,
            scale: self.size[0] / pixels[0] as f64,
        });
        panel::draw_title(&mut drawing, &self.title, [0.0, 30.0, self.size[0], 0.0]);
        self.draw_legend(&mut drawing);
        self.draw_scalar_bar(&mut drawing, range);
        camera.draw_scale_and_axes(&mut drawing);
        self.draw_marks(&mut drawing, camera);
        drawing
    }

    /// A circle around each mark, with a white rim that is visible on any colour, and its name next to it.
    fn draw_marks(&self, drawing: &mut Drawing, camera: &Camera) {
        for (place, name) in self.marks.iter().filter(|(place, _)| place.iter().all(|x| x.is_finite())) {
            let ([x, y], _) = camera.place(*place);
            let circle: Vec<[f64; 2]> = (0..24)
                .map(|n| std::f64::consts::TAU * f64::from(n) / 24.0)
                .map(|angle| [x + 9.0 * angle.cos(), y + 9.0 * angle.sin()])
                .collect();
            for stroke in [Stroke::solid(Color::WHITE, 4.0), Stroke::solid(Color::INK, 1.6)] {
                drawing.polygon(circle.clone(), None, Some(stroke));
            }
            let end = x + 16.0 + font::width(name, LABEL, false) > drawing.size[0];
            let (at, anchor) = if end { (x - 14.0, Anchor::End) } else { (x + 14.0, Anchor::Start) };
            drawing.text(Text::new(name, [at, y + 0.36 * LABEL], LABEL).anchored(anchor));
        }
    }

    fn scalar_range(&self) -> [f64; 2] {
        let values = self.triangles.iter().flat_map(|t| match t.paint {
            Paint::Scalar(values) => values.to_vec(),
            Paint::Solid(_) => Vec::new(),
        });
        panel::data_range(self.scalar.as_ref().unwrap_or(&Axis::default()), values, 0.0)
    }

    /// A view of the whole body, with space for a column of names at each side.
    fn camera(&self, column: f64) -> Camera {
        let towards = unit(self.view).unwrap_or([0.0, -1.0, 0.0]);
        // z points up, unless it is the view direction.
        let upwards = if towards[2].abs() > 0.99 { [0.0, 1.0, 0.0] } else { [0.0, 0.0, 1.0] };
        let right = unit(cross(upwards, towards)).expect("the two directions are not parallel");
        let up = cross(towards, right);
        let corners = self.triangles.iter().flat_map(|t| t.corners);
        let points: Vec<[f64; 3]> =
            corners.chain(self.edges.iter().chain(&self.outlines).flatten().copied()).collect();
        let span = |axis: [f64; 3]| {
            let along = points.iter().map(|&x| dot(axis, x)).filter(|d| d.is_finite());
            let (low, high) =
                along.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), d| (l.min(d), h.max(d)));
            if low <= high { [low, high] } else { [0.0, 1.0] }
        };
        let (x, y, z) = (span(right), span(up), span(towards));
        let side = if self.scalar.is_some() { 120.0 } else { 0.0 };
        let room = [self.size[0] - 2.0 * (MARGIN + column) - side, self.size[1] - 2.0 * MARGIN - 40.0]
            .map(|r| r.max(10.0));
        let extent = (x[1] - x[0]).max(y[1] - y[0]).max(1e-300);
        let scale = (room[0] / (x[1] - x[0])).min(room[1] / (y[1] - y[0])).min(room[0].max(room[1]) / extent);
        let origin = [
            MARGIN + column + 0.5 * room[0] - scale * 0.5 * (x[0] + x[1]),
            MARGIN + 10.0 + 0.5 * room[1] + scale * 0.5 * (y[0] + y[1]),
        ];
        Camera { right, up, towards, scale, origin, depth: (z[1] - z[0]).max(extent) }
    }

    fn draw_triangle(
        &self,
        buffer: &mut ZBuffer,
        camera: &Camera,
        factor: f64,
        triangle: &Triangle,
        range: [f64; 2],
    ) {
        let [a, b, c] = triangle.corners;
        let flat = cross(minus(b, a), minus(c, a));
        let normals = triangle.normals.unwrap_or([flat; 3]);
        let vertices = std::array::from_fn(|n| {
            let ([u, v], depth) = camera.place(triangle.corners[n]);
            let [x, y, z] = normals[n];
            let value = match triangle.paint {
                Paint::Scalar(values) => values[n],
                Paint::Solid(_) => 0.0,
            };
            Vertex { at: [factor * u, factor * v], depth, values: [x, y, z, value] }
        });
        buffer.triangle(&vertices, |[x, y, z, value]| {
            let base = match triangle.paint {
                Paint::Solid(color) => color,
                Paint::Scalar(_) => self.ramp.at((value - range[0]) / (range[1] - range[0])),
            };
            base.shaded(camera.brightness([*x, *y, *z]))
        });
    }

    fn draw_legend(&self, drawing: &mut Drawing) {
        for (n, (name, color)) in self.legend.iter().enumerate() {
            let y = 40.0 + (LABEL + 7.0) * n as f64;
            drawing.rectangle([14.0, y], [14.0, LABEL], Some(*color), Some(Stroke::solid(Color::GREY, 0.8)));
            drawing.text(Text::new(name, [34.0, y + 0.86 * LABEL], LABEL));
        }
    }

    fn draw_scalar_bar(&self, drawing: &mut Drawing, range: [f64; 2]) {
        let Some(axis) = &self.scalar else { return };
        let mut bar = Ruler::new(axis, range);
        let (left, top, bottom) = (self.size[0] - 100.0, 60.0, self.size[1] - 90.0);
        bar.pixels = [bottom, top];
        let steps = 96;
        let height = (bottom - top) / f64::from(steps);
        for n in 0..steps {
            let color = self.ramp.at((f64::from(n) + 0.5) / f64::from(steps));
            let y = bottom - height * f64::from(n + 1);
            drawing.rectangle([left, y - 0.5], [16.0, height + 0.5], Some(color), None);
        }
        drawing.rectangle([left, top], [16.0, bottom - top], None, Some(Stroke::solid(Color::INK, 1.0)));
        let ticks = bar.ticks(panel::tick_count(bottom - top, 45.0));
        for (&value, label) in ticks.major.iter().zip(&ticks.labels) {
            drawing.text(Text::new(label, [left + 22.0, bar.pixel(value) + 0.36 * LABEL], LABEL));
        }
        let at = [self.size[0] - 14.0, top - 16.0];
        drawing.text(Text::new(&bar.shown.caption, at, CAPTION).anchored(Anchor::End));
    }
}

impl Camera {
    /// Point of the drawing, and depth \[m\], of a point of the body.
    fn place(&self, x: [f64; 3]) -> ([f64; 2], f64) {
        let (u, v) = (dot(self.right, x), dot(self.up, x));
        ([self.origin[0] + self.scale * u, self.origin[1] - self.scale * v], dot(self.towards, x))
    }

    /// Brightness under light from the upper left behind the camera; a normal that points away is reversed.
    fn brightness(&self, normal: [f64; 3]) -> f64 {
        let Some(normal) = unit(normal) else { return 1.0 };
        let facing = [self.right, self.up, self.towards].map(|axis| dot(axis, normal));
        let sense = if facing[2] < 0.0 { -1.0 } else { 1.0 };
        let light = [-0.45, 0.55, 0.70];
        let diffuse = (sense * dot(facing, light)).max(0.0);
        // Brightness is rounded to invisible steps: uniform areas make small files.
        ((0.55 + 0.55 * diffuse) * 96.0).round() / 96.0
    }

    /// A bar of a round length and the directions of the axes, at the lower edge.
    fn draw_scale_and_axes(&self, drawing: &mut Drawing) {
        let bottom = drawing.size[1] - 20.0;
        let longest = 150.0 / self.scale;
        let power = 10f64.powf(longest.log10().floor());
        let length = [5.0, 2.0, 1.0].map(|n| n * power).into_iter().find(|&l| l <= longest).unwrap_or(power);
        let (left, pixels) = (90.0, length * self.scale);
        let ink = Stroke::solid(Color::INK, 1.4);
        drawing.line(vec![[left, bottom], [left + pixels, bottom]], ink);
        for x in [left, left + pixels] {
            drawing.line(vec![[x, bottom - 4.0], [x, bottom + 4.0]], ink);
        }
        let words = Text::new(number::quantity(length, "m", 1), [left + 0.5 * pixels, bottom - 7.0], LABEL);
        drawing.text(words.anchored(Anchor::Middle));
        let center = [42.0, bottom - 16.0];
        for (axis, name) in ["x", "y", "z"].iter().enumerate() {
            let tip = [self.right[axis], -self.up[axis]].map(|d| 26.0 * d);
            // An axis along the view direction has no visible length.
            if tip[0].hypot(tip[1]) > 3.0 {
                drawing.line(vec![center, [center[0] + tip[0], center[1] + tip[1]]], ink);
                let at = [center[0] + 1.3 * tip[0], center[1] + 1.3 * tip[1] + 0.3 * LABEL];
                drawing.text(Text::new(*name, at, LABEL).anchored(Anchor::Middle));
            }
        }
    }
}

fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

fn minus(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

/// The vector at length one, unless it is zero or not finite.
fn unit(a: [f64; 3]) -> Option<[f64; 3]> {
    let norm = dot(a, a).sqrt();
    (norm > 0.0 && norm.is_finite()).then(|| a.map(|x| x / norm))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_picture_and_one_of_invalid_numbers_are_valid_files() {
        for triangles in [
            Vec::new(),
            vec![Triangle {
                corners: [[f64::NAN; 3]; 3],
                normals: None,
                paint: Paint::Scalar([f64::NAN; 3]),
            }],
        ] {
            let picture = Picture {
                triangles,
                scalar: Some(Axis::new("p", "Pa")),
                size: [80.0, 60.0],
                ..Picture::default()
            };
            let drawing = picture.draw();
            assert!(drawing.to_png(1.0).is_ok() && !drawing.to_svg().contains("NaN"));
        }
    }

    #[test]
    fn a_mark_is_drawn_with_circle_and_name_within_the_picture() {
        let corner = |x: f64| [[x, 0.0, 0.0], [x + 1.0, 0.0, 0.0], [x, 0.0, 1.0]];
        let triangle = Triangle { corners: corner(0.0), normals: None, paint: Paint::Solid(Color::GREY) };
        let marks = vec![([1.0, 0.0, 0.0], "touch".to_owned()), ([f64::NAN; 3], "nowhere".to_owned())];
        let size = [120.0, 150.0];
        let drawing =
            Picture { triangles: vec![triangle], marks, size, view: [0.0, -1.0, 0.0], ..Picture::default() }
                .draw();
        let svg = drawing.to_svg();
        assert!(svg.contains(">touch<") && !svg.contains("nowhere") && !svg.contains("NaN"), "{svg}");
        let words = drawing.items.iter().filter_map(|item| match item {
            Item::Text(text) if text.text == "touch" => Some(text.anchor),
            _ => None,
        });
        // At the right edge the name is on the left.
        assert_eq!(words.collect::<Vec<_>>(), [Anchor::End]);
    }

    #[test]
    fn the_side_towards_the_light_is_brighter() {
        let picture = Picture { view: [0.0, -1.0, 0.0], ..Picture::default() };
        let camera = picture.camera(0.0);
        let (left_up, right_down) =
            (camera.brightness([-1.0, -1.0, 1.0]), camera.brightness([1.0, -1.0, -1.0]));
        assert!(left_up > 0.9 && right_down < 0.75, "{left_up} {right_down}");
        // The sense of a normal does not matter.
        assert_eq!(camera.brightness([1.0, 1.0, -1.0]), left_up);
    }
}
