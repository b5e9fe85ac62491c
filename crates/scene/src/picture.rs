//! Pictures of bodies.

use std::collections::HashMap;

use carom_report::{Axis, Color, Paint, Picture, Triangle};

use crate::BodyGrid;
use crate::tessellate::tessellate;

/// What colours a body.
#[derive(Debug, Clone, Copy)]
pub enum Coloring<'a> {
    /// One colour.
    Plain(Color),
    /// A number for each grid cell chooses one of the named colours; numbers without one are grey.
    Cells {
        /// Which colour each cell has.
        groups: &'a [usize],
        /// Names and colours.
        names: &'a [(String, Color)],
    },
    /// A scalar at the points of the grid (control values for Bezier cells).
    Points {
        /// One number a grid point.
        values: &'a [f64],
        /// What it is, with its range if it is fixed.
        quantity: &'a Axis,
    },
}

/// Grey of surfaces without a name.
pub const PLAIN: Color = Color([176, 186, 200]);

/// Draws the surface of bodies, from any number of surface grids.
///
/// * `bodies` — surface grids ([`BodyGrid::surface`]) with their colours; move `grid.points` to show them displaced
/// * `edges` — whether borders of cells are drawn
///
/// The picture has no title and the usual view: set its fields before drawing it.
pub fn picture(bodies: &[(&BodyGrid, Coloring<'_>)], edges: bool) -> Picture {
    let mut picture = Picture::default();
    let n_cells: usize = bodies.iter().map(|(body, _)| body.grid.n_cells()).sum();
    for (body, coloring) in bodies {
        match coloring {
            Coloring::Plain(_) => {}
            Coloring::Cells { names, .. } => {
                for name in
                    names.iter().filter(|name| !picture.legend.contains(name)).cloned().collect::<Vec<_>>()
                {
                    picture.legend.push(name);
                }
            }
            Coloring::Points { quantity, .. } => picture.scalar = Some((*quantity).clone()),
        }
        add_body(&mut picture, body, *coloring, edges, n_cells);
    }
    picture
}

/// Parts of a curved cell's edge: fewer where there are many cells, which are then small in the picture.
fn parts(degree: usize, n_cells: usize) -> usize {
    match (degree, n_cells) {
        (0 | 1, 2000..) => 1,
        (0 | 1, _) => 2,
        (_, 20_000..) => 2,
        (_, 1000..) => 4,
        (_, 100..) => 8,
        _ => 16,
    }
}

fn add_body(picture: &mut Picture, body: &BodyGrid, coloring: Coloring<'_>, edges: bool, n_cells: usize) {
    let grid = &body.grid;
    let values = match coloring {
        Coloring::Points { values, .. } => Some(values),
        _ => None,
    };
    // Quadratic faces of meshes have no degrees of their own.
    let degree = |cell: usize| match grid.types[cell].n_points() {
        Some(3 | 4) => 1,
        Some(_) => 2,
        None => usize::from(grid.degrees[cell][0].max(grid.degrees[cell][1])),
    };
    let tessellations: Vec<_> = (0..grid.n_cells())
        .map(|cell| tessellate(grid, cell, values, parts(degree(cell), n_cells)))
        .collect();
    let normals = smooth_normals(&tessellations);
    for (cell, tessellation) in tessellations.iter().enumerate() {
        for triangle in &tessellation.triangles {
            let corners = triangle.map(|k| tessellation.points[k].0);
            let paint = match coloring {
                Coloring::Plain(color) => Paint::Solid(color),
                Coloring::Cells { groups, names } => Paint::Solid(
                    groups.get(cell).and_then(|&g| names.get(g)).map_or(PLAIN, |(_, color)| *color),
                ),
                Coloring::Points { .. } => Paint::Scalar(triangle.map(|k| tessellation.points[k].1)),
            };
            let normal = |k: usize| smoothed(&normals, corners[k], flat_normal(corners));
            picture.triangles.push(Triangle { corners, normals: Some([0, 1, 2].map(normal)), paint });
        }
        if edges {
            let rim = &tessellation.rim;
            let ends = |k: usize| [rim[k], rim[(k + 1) % rim.len()]].map(|p| tessellation.points[p].0);
            picture.edges.extend((0..rim.len()).map(ends));
        }
    }
}

/// Bits of a position, to find the same point in several faces (they are evaluated alike only to rounding, so the last
/// bits are left out).
fn key(x: [f64; 3]) -> [u32; 3] {
    x.map(|c| (c as f32 + 0.0).to_bits() & !0xf)
}

/// Sums of triangle normals (weighted by area) by position.
fn smooth_normals(tessellations: &[crate::tessellate::Tessellation]) -> HashMap<[u32; 3], Vec<[f64; 3]>> {
    let mut normals: HashMap<[u32; 3], Vec<[f64; 3]>> = HashMap::new();
    for tessellation in tessellations {
        for triangle in &tessellation.triangles {
            let corners = triangle.map(|k| tessellation.points[k].0);
            for corner in corners {
                normals.entry(key(corner)).or_default().push(flat_normal(corners));
            }
        }
    }
    normals
}

/// Mean of the normals at a point that differ from the triangle's own by less than 30°: sharp edges stay sharp.
fn smoothed(normals: &HashMap<[u32; 3], Vec<[f64; 3]>>, at: [f64; 3], own: [f64; 3]) -> [f64; 3] {
    let dot = |a: [f64; 3], b: [f64; 3]| a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    let mut sum = own;
    for &normal in normals.get(&key(at)).map_or(&[][..], Vec::as_slice) {
        if dot(own, normal) > 0.866 * (dot(own, own) * dot(normal, normal)).sqrt() {
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
