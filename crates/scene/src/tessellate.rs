//! Curved faces as flat triangles, for pictures.

use carom_vtk::order::quadrilateral_order;
use carom_vtk::{CellType, Grid};

/// A face divided into triangles: points with values, triangles over them, and the chain of points around the
/// face.
#[derive(Debug, Clone, Default)]
pub(crate) struct Tessellation {
    /// Position and value of each point.
    pub(crate) points: Vec<([f64; 3], f64)>,
    /// Normal of each point, of any length; empty if those of the triangles are to be used.
    pub(crate) normals: Vec<[f64; 3]>,
    pub(crate) triangles: Vec<[usize; 3]>,
    pub(crate) rim: Vec<usize>,
}

/// Cuts a face of a surface grid into n × n parts (two triangles each, or one in a triangle's corner).
///
/// * `values` — a scalar at the points of the grid (control values in Bezier cells), or none
///
/// Cells that are not faces give no triangles.
pub(crate) fn tessellate(grid: &Grid, cell: usize, values: Option<&[f64]>, n: usize) -> Tessellation {
    let start = if cell == 0 { 0 } else { grid.offsets[cell - 1] };
    let ids = &grid.connectivity[start..grid.offsets[cell]];
    let kind = grid.types[cell];
    let degrees = grid.degrees[cell].map(usize::from);
    let mut shape = vec![0.0; ids.len()];
    let mut at = |xi: [f64; 2]| {
        face_functions(kind, degrees, xi, &mut shape);
        let weight = |id: u32| grid.rational_weights.get(id as usize).copied().unwrap_or(1.0);
        let (mut sum, mut position, mut value) = (0.0, [0.0; 3], 0.0);
        for (&id, &s) in ids.iter().zip(&shape) {
            let s = s * if kind == CellType::BezierQuadrilateral { weight(id) } else { 1.0 };
            sum += s;
            value += values.map_or(0.0, |v| s * v[id as usize]);
            for (p, x) in position.iter_mut().zip(grid.points[id as usize]) {
                *p += s * x;
            }
        }
        (position.map(|p| p / sum), value / sum)
    };
    match kind {
        CellType::Triangle | CellType::QuadraticTriangle => triangle(n, &mut at),
        CellType::Quad
        | CellType::QuadraticQuad
        | CellType::BiquadraticQuad
        | CellType::BezierQuadrilateral => square(n, &mut at),
        _ => Tessellation::default(),
    }
}

fn square(n: usize, at: &mut dyn FnMut([f64; 2]) -> ([f64; 3], f64)) -> Tessellation {
    let mut out = Tessellation::default();
    let place = |i: usize, j: usize| i + (n + 1) * j;
    for j in 0..=n {
        for i in 0..=n {
            out.points.push(at([i as f64 / n as f64, j as f64 / n as f64]));
        }
    }
    for j in 0..n {
        for i in 0..n {
            let [a, b, c, d] = [place(i, j), place(i + 1, j), place(i + 1, j + 1), place(i, j + 1)];
            out.triangles.extend([[a, b, c], [a, c, d]]);
        }
    }
    out.rim.extend((0..n).map(|i| place(i, 0)));
    out.rim.extend((0..n).map(|j| place(n, j)));
    out.rim.extend((0..n).map(|i| place(n - i, n)));
    out.rim.extend((0..n).map(|j| place(0, n - j)));
    out
}

fn triangle(n: usize, at: &mut dyn FnMut([f64; 2]) -> ([f64; 3], f64)) -> Tessellation {
    let mut out = Tessellation::default();
    // Row j has n + 1 − j points.
    let place = |i: usize, j: usize| j * (n + 1) - j * j.saturating_sub(1) / 2 + i;
    for j in 0..=n {
        for i in 0..=n - j {
            out.points.push(at([i as f64 / n as f64, j as f64 / n as f64]));
        }
    }
    for j in 0..n {
        for i in 0..n - j {
            out.triangles.push([place(i, j), place(i + 1, j), place(i, j + 1)]);
            if i + j + 1 < n {
                out.triangles.push([place(i + 1, j), place(i + 1, j + 1), place(i, j + 1)]);
            }
        }
    }
    out.rim.extend((0..n).map(|i| place(i, 0)));
    out.rim.extend((0..n).map(|k| place(n - k, k)));
    out.rim.extend((0..n).map(|j| place(0, n - j)));
    out
}

/// Shape functions of a face in VTK's point order; Bernstein polynomials without weights for Bezier faces.
fn face_functions(kind: CellType, degrees: [usize; 3], [x, y]: [f64; 2], out: &mut [f64]) {
    let z = 1.0 - x - y;
    let corners = [(1.0 - x) * (1.0 - y), x * (1.0 - y), x * y, (1.0 - x) * y];
    match kind {
        CellType::Triangle => out.copy_from_slice(&[z, x, y]),
        CellType::QuadraticTriangle => {
            let quadratic = |a: f64| a * (2.0 * a - 1.0);
            out.copy_from_slice(&[
                quadratic(z),
                quadratic(x),
                quadratic(y),
                4.0 * z * x,
                4.0 * x * y,
                4.0 * y * z,
            ]);
        }
        CellType::Quad => out.copy_from_slice(&corners),
        CellType::QuadraticQuad => {
            let edges = [
                4.0 * x * (1.0 - x) * (1.0 - y),
                4.0 * x * y * (1.0 - y),
                4.0 * x * (1.0 - x) * y,
                4.0 * (1.0 - x) * y * (1.0 - y),
            ];
            for c in 0..4 {
                out[c] = corners[c] - 0.5 * (edges[c] + edges[(c + 3) % 4]);
                out[4 + c] = edges[c];
            }
        }
        CellType::BiquadraticQuad => {
            let line = |t: f64| [(1.0 - t) * (1.0 - 2.0 * t), 4.0 * t * (1.0 - t), t * (2.0 * t - 1.0)];
            tensor(&line(x), &line(y), [2, 2], out);
        }
        CellType::BezierQuadrilateral => {
            let (mut u, mut v) = (vec![0.0; degrees[0] + 1], vec![0.0; degrees[1] + 1]);
            carom_nurbs::basis::bernstein_into(degrees[0], x, &mut u);
            carom_nurbs::basis::bernstein_into(degrees[1], y, &mut v);
            tensor(&u, &v, [degrees[0], degrees[1]], out);
        }
        _ => out.fill(0.0),
    }
}

/// Products of functions of two directions, in VTK's order.
fn tensor(u: &[f64], v: &[f64], degrees: [usize; 2], out: &mut [f64]) {
    for (value, n) in out.iter_mut().zip(quadrilateral_order(degrees)) {
        *value = u[n % u.len()] * v[n / u.len()];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shape_functions_are_one_at_their_point_and_sum_to_one() {
        let square = [
            [0.0, 0.0],
            [1.0, 0.0],
            [1.0, 1.0],
            [0.0, 1.0],
            [0.5, 0.0],
            [1.0, 0.5],
            [0.5, 1.0],
            [0.0, 0.5],
            [0.5, 0.5],
        ];
        let triangle = [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [0.5, 0.0], [0.5, 0.5], [0.0, 0.5]];
        let cases: [(CellType, &[[f64; 2]]); 5] = [
            (CellType::Triangle, &triangle[..3]),
            (CellType::QuadraticTriangle, &triangle),
            (CellType::Quad, &square[..4]),
            (CellType::QuadraticQuad, &square[..8]),
            (CellType::BiquadraticQuad, &square),
        ];
        for (kind, points) in cases {
            let mut shape = vec![0.0; points.len()];
            for (n, &point) in points.iter().enumerate() {
                face_functions(kind, [0; 3], point, &mut shape);
                for (m, s) in shape.iter().enumerate() {
                    assert!((s - f64::from(u8::from(m == n))).abs() < 1e-15, "{kind:?} {n} {m}: {s}");
                }
            }
            face_functions(kind, [0; 3], [0.3, 0.2], &mut shape);
            assert!((shape.iter().sum::<f64>() - 1.0).abs() < 1e-15);
        }
    }

    #[test]
    fn triangles_cover_the_face_once() {
        for n in 1..6 {
            for tessellation in
                [triangle(n, &mut |x| ([x[0], x[1], 0.0], 0.0)), square(n, &mut |x| ([x[0], x[1], 0.0], 0.0))]
            {
                let area: f64 = tessellation
                    .triangles
                    .iter()
                    .map(|t| {
                        let [a, b, c] = t.map(|k| tessellation.points[k].0);
                        0.5 * ((b[0] - a[0]) * (c[1] - a[1]) - (c[0] - a[0]) * (b[1] - a[1]))
                    })
                    .sum();
                let corners = tessellation.rim.len() / n;
                assert!((area - if corners == 3 { 0.5 } else { 1.0 }).abs() < 1e-14, "{n}: {area}");
            }
        }
    }
}
