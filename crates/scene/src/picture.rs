//! Pictures of bodies.

use std::cmp::Ordering;
use std::collections::HashMap;

use carom_report::{Axis, Color, Name, Paint, Picture, Triangle};

use crate::BodyGrid;
use crate::tessellate::{Tessellation, tessellate};
use crate::tube::Tubes;

/// The colouring of a body.
#[derive(Debug, Clone, Copy)]
pub enum Coloring<'a> {
    /// One colour.
    Plain(Color),
    /// A number for each grid cell selects one of the named colours; other numbers are grey. The names are
    /// written on their faces.
    Cells {
        /// Number of the colour of each cell.
        groups: &'a [usize],
        /// Names and colours.
        names: &'a [(String, Color)],
    },
    /// A scalar at the points of the grid (control values for Bezier cells).
    Points {
        /// One number per grid point.
        values: &'a [f64],
        /// The quantity, with its range if it is fixed.
        quantity: &'a Axis,
    },
}

/// Grey of surfaces without a name.
pub const PLAIN: Color = Color([176, 186, 200]);

/// Draws the surface of bodies, from any number of surface grids. Beams are tubes of their radius around a
/// dark line, which shows where the tube is too thin.
///
/// * `bodies` — surface grids ([`BodyGrid::surface`]) with their colours; move `grid.points` to show them
///   displaced
/// * `edges` — true to draw lines: sharp edges and borders of colours dark, borders of cells faint and only
///   if they are not too many
///
/// The picture has no title and the default view: set its fields before drawing it.
pub fn picture(bodies: &[(&BodyGrid, Coloring<'_>)], edges: bool) -> Picture {
    let mut picture = Picture::default();
    let n_cells: usize = bodies.iter().map(|(body, _)| body.grid.n_cells()).sum();
    for (body, coloring) in bodies {
        match coloring {
            Coloring::Plain(_) => {}
            Coloring::Cells { names, .. } => {
                let name = |(text, color): &(String, Color)| Name {
                    text: text.clone(),
                    color: *color,
                    triangles: Vec::new(),
                };
                picture.names.extend(names.iter().map(name));
            }
            Coloring::Points { quantity, .. } => picture.scalar = Some((*quantity).clone()),
        }
        add_body(&mut picture, body, *coloring, edges, n_cells);
    }
    picture
}

/// Number of parts of a curved cell's edge: fewer for many cells, which are small in the picture.
fn parts(degree: usize, n_cells: usize) -> usize {
    match (degree, n_cells) {
        (0 | 1, 2000..) => 1,
        (0 | 1, _) => 2,
        (_, 20_000..) => 2,
        (_, 1000..) => 4,
        (_, 100..) => 8,
        (_, 30..) => 16,
        _ => 32,
    }
}

/// Number of sides of the tube of a beam.
fn sides(n_cells: usize) -> usize {
    if n_cells < 2000 { 16 } else { 8 }
}

fn add_body(picture: &mut Picture, body: &BodyGrid, coloring: Coloring<'_>, edges: bool, n_cells: usize) {
    let grid = &body.grid;
    let values = match coloring {
        Coloring::Points { values, .. } => Some(values),
        _ => None,
    };
    // Quadratic faces of meshes have no entry for degrees.
    let degree = |cell: usize| match grid.types[cell].n_points() {
        Some(3 | 4) => 1,
        Some(_) => 2,
        None => usize::from(grid.degrees[cell][0].max(grid.degrees[cell][1])),
    };
    let tubes = Tubes::new(body);
    let n_lines = body.radii.len();
    let faces = (0..grid.n_cells() - n_lines)
        .map(|cell| tessellate(grid, cell, values, parts(degree(cell), n_cells)));
    let lines = (0..n_lines).map(|beam| tubes.tessellate(beam, values, sides(n_cells)));
    let tessellations: Vec<_> = faces.chain(lines).collect();
    picture.outlines.extend((0..n_lines).map(|beam| tubes.axis(beam)));
    let normals = smooth_normals(&tessellations);
    let first_name = match coloring {
        Coloring::Cells { names, .. } => picture.names.len() - names.len(),
        _ => 0,
    };
    for (cell, tessellation) in tessellations.iter().enumerate() {
        if let Coloring::Cells { groups, names } = coloring
            && let Some(&group) = groups.get(cell).filter(|group| **group < names.len())
        {
            let first = picture.triangles.len();
            picture.names[first_name + group].triangles.extend(first..first + tessellation.triangles.len());
        }
        for triangle in &tessellation.triangles {
            let corners = triangle.map(|k| tessellation.points[k].0);
            let paint = match coloring {
                Coloring::Plain(color) => Paint::Solid(color),
                Coloring::Cells { groups, names } => Paint::Solid(
                    groups.get(cell).and_then(|&g| names.get(g)).map_or(PLAIN, |(_, color)| *color),
                ),
                Coloring::Points { .. } => Paint::Scalar(triangle.map(|k| tessellation.points[k].1)),
            };
            let normal = |k: usize| match tessellation.normals.get(triangle[k]) {
                Some(normal) => *normal,
                None => smoothed(&normals, corners[k], flat_normal(corners)),
            };
            picture.triangles.push(Triangle { corners, normals: Some([0, 1, 2].map(normal)), paint });
        }
    }
    if edges {
        let group = |cell: usize| match coloring {
            Coloring::Cells { groups, .. } => groups.get(cell).copied().unwrap_or(usize::MAX),
            _ => 0,
        };
        add_lines(picture, &tessellations, group, n_cells <= MANY_CELLS);
    }
}

/// Number of cells above which their borders would cover the faces.
const MANY_CELLS: usize = 8000;

/// A piece of the border of a cell.
struct BorderPiece {
    ends: [[f64; 3]; 2],
    cell: usize,
    normal: [f64; 3],
}

/// Draws the borders of cells: dark where the colour changes, where the surface bends by more than 30° or
/// ends; faint elsewhere.
fn add_lines(
    picture: &mut Picture,
    tessellations: &[Tessellation],
    group: impl Fn(usize) -> usize,
    faint: bool,
) {
    let points = || tessellations.iter().flat_map(|t| t.points.iter().map(|(x, _)| x));
    let extent = points().flatten().fold(0.0_f64, |m, c| m.max(c.abs()));
    // Both cells evaluate a point of their border up to rounding: the odd offset keeps round numbers away
    // from the bounds of the small boxes that identify points.
    let box_of = |x: [f64; 3]| x.map(|c| (c / (1e-6 * extent.max(1e-300)) + 0.2718).round() as i64);
    let mut pieces: HashMap<[[i64; 3]; 2], Vec<BorderPiece>> = HashMap::new();
    for (cell, tessellation) in tessellations.iter().enumerate() {
        let rim = &tessellation.rim;
        let mut normals: HashMap<usize, [f64; 3]> = HashMap::new();
        for triangle in &tessellation.triangles {
            let normal = flat_normal(triangle.map(|k| tessellation.points[k].0));
            for &k in triangle {
                let sum = normals.entry(k).or_default();
                *sum = [0, 1, 2].map(|d| sum[d] + normal[d]);
            }
        }
        for (k, &start) in rim.iter().enumerate() {
            let end = rim[(k + 1) % rim.len()];
            let ends = [start, end].map(|p| tessellation.points[p].0);
            let mut key = ends.map(box_of);
            key.sort_unstable();
            let [a, b] = [start, end].map(|p| normals.get(&p).copied().unwrap_or_default());
            let normal = [0, 1, 2].map(|d| a[d] + b[d]);
            pieces.entry(key).or_default().push(BorderPiece { ends, cell, normal });
        }
    }
    // In the order of the cells, so that the same body gives the same file.
    let mut pieces: Vec<Vec<BorderPiece>> = pieces.into_values().collect();
    pieces.sort_by(|a, b| {
        (a[0].cell, a[0].ends).partial_cmp(&(b[0].cell, b[0].ends)).unwrap_or(Ordering::Equal)
    });
    for shared in pieces {
        let ends = shared[0].ends;
        let is_plain = match &shared[..] {
            [a, b] => group(a.cell) == group(b.cell) && is_smooth(a.normal, b.normal),
            _ => false,
        };
        if !is_plain {
            picture.outlines.push(ends);
        } else if faint {
            picture.edges.push(ends);
        }
    }
}

/// True if two normals differ by less than 30°.
fn is_smooth(a: [f64; 3], b: [f64; 3]) -> bool {
    let dot = |a: [f64; 3], b: [f64; 3]| a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    dot(a, b) > 0.866 * (dot(a, a) * dot(b, b)).sqrt()
}

/// Bits of a position, to find the same point in several faces; the last bits are left out because of
/// rounding.
fn key(x: [f64; 3]) -> [u32; 3] {
    x.map(|c| (c as f32 + 0.0).to_bits() & !0xf)
}

/// Sums of triangle normals (weighted by area) by position.
fn smooth_normals(tessellations: &[Tessellation]) -> HashMap<[u32; 3], Vec<[f64; 3]>> {
    let mut normals: HashMap<[u32; 3], Vec<[f64; 3]>> = HashMap::new();
    for tessellation in tessellations.iter().filter(|tessellation| tessellation.normals.is_empty()) {
        for triangle in &tessellation.triangles {
            let corners = triangle.map(|k| tessellation.points[k].0);
            for corner in corners {
                normals.entry(key(corner)).or_default().push(flat_normal(corners));
            }
        }
    }
    normals
}

/// Mean of the normals at a point that differ from the normal of the triangle by less than 30°, so that sharp
/// edges remain sharp.
fn smoothed(normals: &HashMap<[u32; 3], Vec<[f64; 3]>>, at: [f64; 3], own: [f64; 3]) -> [f64; 3] {
    let mut sum = own;
    for &normal in normals.get(&key(at)).map_or(&[][..], Vec::as_slice) {
        if is_smooth(own, normal) {
            sum = [0, 1, 2].map(|a| sum[a] + normal[a]);
        }
    }
    sum
}

/// Normal of a triangle, twice its area long.
fn flat_normal([a, b, c]: [[f64; 3]; 3]) -> [f64; 3] {
    let (u, v) = ([0, 1, 2].map(|d| b[d] - a[d]), [0, 1, 2].map(|d| c[d] - a[d]));
    [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]]
}
