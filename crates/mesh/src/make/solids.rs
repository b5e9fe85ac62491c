//! The blocks of each solid.

use std::f64::consts::{FRAC_PI_2, FRAC_PI_4};

use carom_files::coordinates;

use super::layout::{Block, Layout};
use super::{MakeError, Solid};

/// Corners of the inner cube or square as a part of the radius. At 0.6 the cells inside and outside of it
/// have similar sizes.
const CORE: f64 = 0.6;

/// tan(π/4 (2t − 1)), from −1 to 1: directions (·, 1) divide a right angle evenly.
fn slope(t: f64) -> f64 {
    (FRAC_PI_4 * (2.0 * t - 1.0)).tan()
}

/// (1 − s) a + s b.
fn between(s: f64, a: f64, b: f64) -> f64 {
    (1.0 - s) * a + s * b
}

impl Solid {
    /// Name of the solid in messages.
    pub fn name(self) -> &'static str {
        match self {
            Self::Ball { .. } => "ball",
            Self::Shell { .. } => "shell",
            Self::Rod { .. } => "rod",
            Self::Tube { .. } => "tube",
            Self::Box { .. } => "box",
            Self::Plate { .. } => "plate",
            Self::Torus { .. } => "torus",
        }
    }

    /// Numbers of cells that give a coarse but usable mesh.
    pub fn default_elements(self) -> Vec<usize> {
        // Number of cells along a length for which they are about as long as wide.
        let along = |length: f64, size: f64| ((length / size).round() as usize).clamp(1, 1000);
        match self {
            Self::Ball { .. } => vec![6, 4],
            Self::Shell { radius, inner_radius } => {
                vec![8, along(radius - inner_radius, 0.2 * radius).max(2)]
            }
            Self::Rod { radius, length } => vec![along(length, radius).max(2), 4, 2],
            Self::Tube { radius, inner_radius, length } => {
                vec![along(length, 0.4 * radius), 4, along(radius - inner_radius, 0.4 * radius).max(2)]
            }
            Self::Box { size } | Self::Plate { size } => {
                let longest = size.into_iter().fold(0.0, f64::max);
                size.map(|edge| along(edge, longest / 10.0).max(2)).to_vec()
            }
            Self::Torus { radius, tube_radius } => {
                vec![along(FRAC_PI_2 * radius, 0.5 * tube_radius).max(4), 4, 2]
            }
        }
    }

    /// The zones called poles: name, set of which it is a part, middle.
    pub fn poles(self) -> Vec<(&'static str, &'static str, [f64; 3])> {
        match self {
            Self::Ball { radius } => vec![("pole", "surface", [0.0, 0.0, radius])],
            Self::Shell { radius, .. } => vec![("pole", "outer", [0.0, 0.0, radius])],
            Self::Rod { length, .. } => {
                vec![("start_pole", "start", [0.0; 3]), ("end_pole", "end", [length, 0.0, 0.0])]
            }
            Self::Plate { size } => vec![("pole", "top", [0.0, 0.0, 0.5 * size[2]])],
            Self::Tube { .. } | Self::Box { .. } | Self::Torus { .. } => vec![],
        }
    }

    /// Default radius of the poles \[m\].
    pub fn default_pole_radius(self) -> f64 {
        match self {
            Self::Ball { radius }
            | Self::Shell { radius, .. }
            | Self::Rod { radius, .. }
            | Self::Tube { radius, .. }
            | Self::Torus { radius, .. } => 0.1 * radius,
            Self::Box { size } | Self::Plate { size } => 0.1 * size[0].min(size[1]),
        }
    }

    /// Checks the sizes.
    pub(super) fn check(self) -> Result<(), MakeError> {
        let solid = self.name();
        let wrong = |what, value, valid| Err(MakeError::Size { solid, what, value, valid });
        let positive = |what, value: f64| {
            if coordinates::is_length(value) {
                return Ok(());
            }
            wrong(what, value, coordinates::LENGTHS.to_owned())
        };
        let smaller = |what, value: f64, than: f64| {
            if value > 0.0 && value < than {
                return Ok(());
            }
            wrong(what, value, format!("above 0 and below the radius {than}"))
        };
        match self {
            Self::Ball { radius } => positive("radius", radius),
            Self::Shell { radius, inner_radius } => {
                positive("radius", radius)?;
                smaller("inner radius", inner_radius, radius)
            }
            Self::Rod { radius, length } => {
                positive("radius", radius)?;
                positive("length", length)
            }
            Self::Tube { radius, inner_radius, length } => {
                positive("radius", radius)?;
                smaller("inner radius", inner_radius, radius)?;
                positive("length", length)
            }
            Self::Box { size } | Self::Plate { size } => {
                size.into_iter().try_for_each(|edge| positive("size", edge))
            }
            Self::Torus { radius, tube_radius } => {
                positive("radius", radius)?;
                smaller("tube radius", tube_radius, radius)
            }
        }
    }

    /// Numbers of cells by direction.
    pub(super) fn elements(self, given: &[usize]) -> Result<Vec<usize>, MakeError> {
        let directions = match self {
            Self::Ball { .. } => "an edge of the inner cube, the radius outside of it",
            Self::Shell { .. } => "a quarter of a great circle, the wall",
            Self::Rod { .. } => {
                "the axis, a quarter of the circumference, the radius outside of the inner square"
            }
            Self::Tube { .. } => "the axis, a quarter of the circumference, the wall",
            Self::Box { .. } | Self::Plate { .. } => "x, y, z",
            Self::Torus { .. } => {
                "a quarter of the ring, a quarter of the section's circumference, its radius"
            }
        };
        let default = self.default_elements();
        let n = default.len();
        match given {
            [] => Ok(default),
            [all] if *all > 0 => Ok(vec![*all; n]),
            _ if given.len() == n && given.iter().all(|count| *count > 0) => Ok(given.to_vec()),
            _ => Err(MakeError::Elements { solid: self.name(), given: given.to_vec(), n, directions }),
        }
    }

    /// The blocks.
    ///
    /// * `n` — checked numbers of cells by direction
    pub(super) fn layout(self, n: &[usize]) -> Layout {
        match self {
            Self::Ball { radius } => ball(radius, n),
            Self::Shell { radius, inner_radius } => shell(radius, inner_radius, n),
            Self::Rod { radius, length } => rod(radius, length, n),
            Self::Tube { radius, inner_radius, length } => tube(radius, inner_radius, length, n),
            Self::Box { size } => cuboid([0.0; 3], size, n),
            Self::Plate { size } => cuboid(size.map(|edge| -0.5 * edge), size, n),
            Self::Torus { radius, tube_radius } => torus(radius, tube_radius, n),
        }
    }
}

/// The six directions from the centre of a cube: axes of the first two parameters and of the third, and the
/// sign of the third. The order makes the block right-handed while every parameter line runs along +x, +y or
/// +z.
const OUTWARD: [([usize; 3], f64); 6] = [
    ([1, 2, 0], 1.0),
    ([2, 1, 0], -1.0),
    ([2, 0, 1], 1.0),
    ([0, 2, 1], -1.0),
    ([0, 1, 2], 1.0),
    ([1, 0, 2], -1.0),
];

/// Six blocks over the faces of a cube. `depth(ray, s)` is the distance from the centre plane at s ∈ \[0,1\],
/// given the length of (slope, slope, 1). Lines 0, 1, 2 run along the axes, line 3 outward.
fn six_blocks(
    sides: [Option<&'static str>; 2],
    depth: impl Fn(f64, f64) -> f64 + Copy + 'static,
) -> impl Iterator<Item = Block> {
    OUTWARD.into_iter().map(move |(axes, sign)| {
        let [inner, outer] = sides;
        Block::new([axes[0], axes[1], 3], [None, None, None, None, inner, outer], move |[u, v, s]| {
            let (a, b) = (slope(u), slope(v));
            let depth = depth((1.0 + a * a + b * b).sqrt(), s);
            let mut x = [0.0; 3];
            x[axes[0]] = depth * a;
            x[axes[1]] = depth * b;
            x[axes[2]] = depth * sign;
            x
        })
    })
}

/// A cube of half-edge c around the centre and six blocks from its faces to the sphere, along rays.
fn ball(radius: f64, n: &[usize]) -> Layout {
    let c = CORE * radius / 3.0f64.sqrt();
    let core = Block::new([0, 1, 2], [None; 6], move |xi| xi.map(|t| c * slope(t)));
    let outer = six_blocks([None, Some("surface")], move |ray, s| between(s, c, radius / ray));
    Layout { blocks: [core].into_iter().chain(outer).collect(), n_uniform: vec![n[0], n[0], n[0], n[1]] }
}

fn shell(radius: f64, inner: f64, n: &[usize]) -> Layout {
    let blocks = six_blocks([Some("inner"), Some("outer")], move |ray, s| between(s, inner, radius) / ray);
    Layout { blocks: blocks.collect(), n_uniform: vec![n[0], n[0], n[0], n[1]] }
}

/// A piece of a disc in coordinates (a, b): right-handed map of two parameters, their lines (0 along a, 1
/// along b, 2 outward), and which of the two parameters ends on the circle, if one does.
struct DiscPiece {
    lines: [usize; 2],
    outer: Option<usize>,
    map: fn(radius: f64, t: [f64; 2]) -> [f64; 2],
}

/// Distance and offset of a point of the sector around an axis, at s outward and t across.
fn sector(radius: f64, s: f64, t: f64) -> [f64; 2] {
    let c = CORE * radius / 2.0f64.sqrt();
    let (sin, cos) = (FRAC_PI_4 * (2.0 * t - 1.0)).sin_cos();
    [between(s, c, radius * cos), between(s, c * slope(t), radius * sin)]
}

/// A square and four sectors around it.
fn disc() -> [DiscPiece; 5] {
    [
        DiscPiece {
            lines: [0, 1],
            outer: None,
            map: |radius, t| t.map(|t| CORE * radius / 2.0f64.sqrt() * slope(t)),
        },
        DiscPiece { lines: [2, 1], outer: Some(0), map: |radius, [s, t]| sector(radius, s, t) },
        DiscPiece {
            lines: [1, 2],
            outer: Some(1),
            map: |radius, [t, s]| {
                let [out, across] = sector(radius, s, t);
                [-out, across]
            },
        },
        DiscPiece {
            lines: [0, 2],
            outer: Some(1),
            map: |radius, [t, s]| {
                let [out, across] = sector(radius, s, t);
                [across, out]
            },
        },
        DiscPiece {
            lines: [2, 0],
            outer: Some(0),
            map: |radius, [s, t]| {
                let [out, across] = sector(radius, s, t);
                [across, -out]
            },
        },
    ]
}

/// A piece of a disc swept along a first parameter with the line `along`; the disc's lines are 0, 1, 2.
fn swept(
    piece: &DiscPiece,
    along: usize,
    ends: [Option<&'static str>; 2],
    side: &'static str,
    place: impl Fn(f64, [f64; 2]) -> [f64; 3] + 'static,
    radius: f64,
) -> Block {
    let mut sides = [ends[0], ends[1], None, None, None, None];
    if let Some(parameter) = piece.outer {
        sides[3 + 2 * parameter] = Some(side);
    }
    let map = piece.map;
    Block::new([along, piece.lines[0], piece.lines[1]], sides, move |[t, u, v]| place(t, map(radius, [u, v])))
}

fn rod(radius: f64, length: f64, n: &[usize]) -> Layout {
    let ends = [Some("start"), Some("end")];
    let block =
        |piece: &DiscPiece| swept(piece, 3, ends, "side", move |t, [y, z]| [length * t, y, z], radius);
    Layout { blocks: disc().iter().map(block).collect(), n_uniform: vec![n[1], n[1], n[2], n[0]] }
}

fn torus(radius: f64, tube_radius: f64, n: &[usize]) -> Layout {
    let mut blocks = Vec::new();
    for quarter in 0..4 {
        for piece in &disc() {
            // The section's (a, b) are (z, outward): with the angle first this is right-handed.
            let place = move |t: f64, [z, out]: [f64; 2]| {
                let (sin, cos) = (FRAC_PI_2 * (quarter as f64 + t)).sin_cos();
                [(radius + out) * cos, (radius + out) * sin, z]
            };
            blocks.push(swept(piece, 3 + quarter, [None; 2], "surface", place, tube_radius));
        }
    }
    Layout { blocks, n_uniform: vec![n[1], n[1], n[2], n[0], n[0], n[0], n[0]] }
}

fn tube(radius: f64, inner: f64, length: f64, n: &[usize]) -> Layout {
    let sides = [Some("start"), Some("end"), Some("inner"), Some("outer"), None, None];
    let block = |quarter: usize| {
        Block::new([0, 1, 2 + quarter], sides, move |[t, s, turn]| {
            let (sin, cos) = (FRAC_PI_2 * (quarter as f64 + turn)).sin_cos();
            let r = between(s, inner, radius);
            [length * t, r * cos, r * sin]
        })
    };
    Layout { blocks: (0..4).map(block).collect(), n_uniform: vec![n[0], n[2], n[1], n[1], n[1], n[1]] }
}

fn cuboid(corner: [f64; 3], size: [f64; 3], n: &[usize]) -> Layout {
    let sides = ["west", "east", "south", "north", "bottom", "top"].map(Some);
    let block = Block::new([0, 1, 2], sides, move |xi| [0, 1, 2].map(|d| corner[d] + size[d] * xi[d]));
    Layout { blocks: vec![block], n_uniform: n.to_vec() }
}
