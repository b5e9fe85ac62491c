//! Surfaces for tests: an exact NURBS ball, plates and caps of every kind of face.

use std::collections::BTreeMap;

use carom_fem::{Face, FaceBasis, Surface};
use carom_mesh::FaceShape;
use nalgebra::{Matrix3, Vector3};

/// A dense row-major matrix of a knot insertion.
type Rows = Vec<Vec<f64>>;

/// Boehm's knot insertion: the factors of the old control points in the new ones.
fn insert(p: usize, knots: &mut Vec<f64>, u: f64) -> Rows {
    let n = knots.len() - p - 1;
    let k = knots.iter().rposition(|&v| v <= u).expect("u lies within the knots");
    let rows = (0..=n).map(|i| {
        let a = if i + p <= k {
            1.0
        } else if i <= k {
            (u - knots[i]) / (knots[i + p] - knots[i])
        } else {
            0.0
        };
        let mut row = vec![0.0; n];
        if i < n {
            row[i] = a;
        }
        if i > 0 {
            row[i - 1] += 1.0 - a;
        }
        row
    });
    let rows = rows.collect();
    knots.insert(k + 1, u);
    rows
}

fn multiply(a: &Rows, b: &Rows) -> Rows {
    let columns = b[0].len();
    a.iter()
        .map(|row| (0..columns).map(|j| row.iter().zip(b).map(|(x, r)| x * r[j]).sum()).collect())
        .collect()
}

/// Bezier curve of degree p cut at inner `knots`: refinement matrix, and one extraction operator a span.
pub(crate) fn refine(p: usize, inner: &[f64]) -> (Rows, Vec<Vec<f64>>) {
    let identity = |n: usize| -> Rows {
        (0..n).map(|i| (0..n).map(|j| if i == j { 1.0 } else { 0.0 }).collect()).collect()
    };
    let mut knots: Vec<f64> = [vec![0.0; p + 1], vec![1.0; p + 1]].concat();
    let mut refinement = identity(p + 1);
    for &u in inner {
        refinement = multiply(&insert(p, &mut knots, u), &refinement);
    }
    let mut extraction = identity(p + 1 + inner.len());
    for &u in inner {
        for _ in 1..p {
            extraction = multiply(&insert(p, &mut knots, u), &extraction);
        }
    }
    let operator = |e: usize| {
        (0..=p)
            .flat_map(|i| (0..=p).map(move |j| (i, j)))
            .map(|(i, j)| extraction[p * e + j][e + i])
            .collect()
    };
    let operators = (0..=inner.len()).map(operator).collect();
    (refinement, operators)
}

fn uniform(n: usize) -> Vec<f64> {
    (1..n).map(|k| k as f64 / n as f64).collect()
}

/// Homogeneous control points of Cobb's biquartic tile around −z of the unit sphere, first index along x.
fn tile() -> Vec<[f64; 4]> {
    let (q, t) = (3f64.sqrt(), 2f64.sqrt());
    let table = |i: usize, j: usize| match (i, j) {
        (0, 0) => [4. * (1. - q), 4. * (1. - q), 4. * (1. - q), 4. * (3. - q)],
        (0, 1) => [t * (q - 4.), -t, t * (q - 4.), t * (3. * q - 2.)],
        (0, 2) => [4. * (1. - 2. * q) / 3., 0., 4. * (1. - 2. * q) / 3., 4. * (5. - q) / 3.],
        (1, 1) => [(2. - 3. * q) / 2., (2. - 3. * q) / 2., -(q + 6.) / 2., (q + 6.) / 2.],
        (1, 2) => [t * (2. * q - 7.) / 3., 0., -5. * 6f64.sqrt() / 3., t * (q + 6.) / 3.],
        _ => [0., 0., 4. * (q - 5.) / 3., 4. * (5. * q - 1.) / 9.],
    };
    let scale = 4.0 * (3.0 - q);
    let point = |i: usize, j: usize| {
        let (a, b) = (i.min(4 - i), j.min(4 - j));
        let mut h = if a <= b { table(a, b) } else { table(b, a) };
        if a > b {
            h.swap(0, 1);
        }
        if i > 2 {
            h[0] = -h[0];
        }
        if j > 2 {
            h[1] = -h[1];
        }
        h.map(|x| x / scale)
    };
    (0..5).flat_map(|j| (0..5).map(move |i| point(i, j))).collect()
}

/// The whole sphere of six tiles with n × n spans each, glued.
pub(crate) fn ball(radius: f64, n: usize) -> (Surface, Vec<Vector3<f64>>) {
    let z = Vector3::z();
    let turns = [
        Matrix3::identity(),
        rotation(Vector3::x(), -z),
        rotation(Vector3::y(), -z),
        rotation(-Vector3::x(), -z),
        rotation(-Vector3::y(), -z),
        Matrix3::from_diagonal(&Vector3::new(1.0, -1.0, -1.0)),
    ];
    let mut builder = Builder::default();
    turns.iter().for_each(|turn| builder.tile(radius, turn, &uniform(n)));
    builder.finish()
}

/// The tile around −z alone, with inner knots at these parameters: a cap with a rim.
pub(crate) fn cap(radius: f64, inner: &[f64]) -> (Surface, Vec<Vector3<f64>>) {
    let mut builder = Builder::default();
    builder.tile(radius, &Matrix3::identity(), inner);
    builder.finish()
}

/// Rotation that takes −z to `to`.
fn rotation(to: Vector3<f64>, from: Vector3<f64>) -> Matrix3<f64> {
    let axis = from.cross(&to);
    nalgebra::Rotation3::from_axis_angle(&nalgebra::Unit::new_normalize(axis), std::f64::consts::FRAC_PI_2)
        .into_inner()
}

#[derive(Default)]
struct Builder {
    surface: Surface,
    positions: Vec<Vector3<f64>>,
    known: BTreeMap<[i64; 3], u32>,
}

impl Builder {
    fn point(&mut self, h: [f64; 4]) -> u32 {
        let x = Vector3::new(h[0], h[1], h[2]) / h[3];
        let key = [0, 1, 2].map(|d| (x[d] * 1e10).round() as i64);
        let (surface, positions) = (&mut self.surface, &mut self.positions);
        *self.known.entry(key).or_insert_with(|| {
            surface.points.push(positions.len() as u32);
            surface.weights.push(h[3]);
            positions.push(x);
            positions.len() as u32 - 1
        })
    }

    fn tile(&mut self, radius: f64, turn: &Matrix3<f64>, inner: &[f64]) {
        let p = 4;
        let (refinement, operators) = refine(p, inner);
        let (n, spans) = (refinement.len(), inner.len() + 1);
        let tile = tile();
        let mut ids = Vec::new();
        for (j, i) in (0..n).flat_map(|j| (0..n).map(move |i| (j, i))) {
            let mut h = [0.0; 4];
            for (b, a) in (0..=p).flat_map(|b| (0..=p).map(move |a| (b, a))) {
                let factor = refinement[i][a] * refinement[j][b];
                (0..4).for_each(|d| h[d] += factor * tile[b * (p + 1) + a][d]);
            }
            let x = turn * Vector3::new(h[0], h[1], h[2]) * radius;
            ids.push(self.point([x.x, x.y, x.z, h[3]]));
        }
        let first = self.surface.operators.len() as u32;
        self.surface.operators.extend(operators);
        for (f, e) in (0..spans).flat_map(|f| (0..spans).map(move |e| (f, e))) {
            let points = (0..=p).flat_map(|j| (0..=p).map(move |i| (j, i)));
            let points = points.map(|(j, i)| ids[(f + j) * n + e + i]).collect();
            let operators = [first + e as u32, first + f as u32];
            let basis = FaceBasis::Spline { degrees: [p, p], operators };
            self.surface.faces.push(Face { basis, points, orientation: -1.0 });
        }
    }

    fn finish(self) -> (Surface, Vec<Vector3<f64>>) {
        (self.surface, self.positions)
    }
}

/// The unit square cut into nx × ny cells of one kind (two triangles a cell) and mapped by `f`; the normal is
/// f,₁ × f,₂.
pub(crate) fn plate(
    shape: FaceShape,
    nx: usize,
    ny: usize,
    f: impl Fn(f64, f64) -> [f64; 3],
) -> (Surface, Vec<Vector3<f64>>) {
    // Nodes by half steps; only those that a face uses get a number.
    let mut ids: BTreeMap<[usize; 2], u32> = BTreeMap::new();
    let mut faces = Vec::new();
    let quad = [[0, 0], [2, 0], [2, 2], [0, 2], [1, 0], [2, 1], [1, 2], [0, 1], [1, 1]];
    let low = [[0, 0], [2, 0], [2, 2], [1, 0], [2, 1], [1, 1]];
    let high = [[0, 0], [2, 2], [0, 2], [1, 1], [1, 2], [0, 1]];
    let cells: &[&[[usize; 2]]] = match shape {
        FaceShape::Tri3 | FaceShape::Tri6 => &[&low, &high],
        _ => &[&quad],
    };
    for (j, i) in (0..ny).flat_map(|j| (0..nx).map(move |i| (j, i))) {
        for cell in cells {
            let mut number = |[a, b]: &[usize; 2]| {
                let next = ids.len() as u32;
                *ids.entry([2 * i + a, 2 * j + b]).or_insert(next)
            };
            let points = cell[..shape.n_nodes()].iter().map(&mut number).collect();
            faces.push(Face { basis: FaceBasis::Lagrange(shape), points, orientation: 1.0 });
        }
    }
    let mut positions = vec![Vector3::zeros(); ids.len()];
    for ([a, b], k) in &ids {
        let x = f(*a as f64 / (2 * nx) as f64, *b as f64 / (2 * ny) as f64);
        positions[*k as usize] = Vector3::from(x);
    }
    let points = (0..positions.len() as u32).collect();
    let surface = Surface { points, weights: vec![1.0; positions.len()], faces, operators: Vec::new() };
    (surface, positions)
}

/// One face of each kind with points that are not in a plane.
pub(crate) fn one_of_each() -> Vec<(Surface, Vec<Vector3<f64>>)> {
    let bent = |x: f64, y: f64| [x + 0.1 * y * y, y - 0.07 * x * y, 0.3 * x * y + 0.2 * x * x - 0.1 * y * y];
    let shapes = [FaceShape::Tri3, FaceShape::Tri6, FaceShape::Quad4, FaceShape::Quad8, FaceShape::Quad9];
    let mut all: Vec<_> = shapes.map(|shape| plate(shape, 1, 1, bent)).into();
    for (degrees, cut) in [([2, 3], 0.4), ([4, 1], 0.7)] {
        let operators: Vec<_> = degrees.map(|p| refine(p, &[cut]).1.swap_remove(1)).into();
        let n = (degrees[0] + 1) * (degrees[1] + 1);
        let positions = (0..n).map(|k| {
            let (i, j) = (k % (degrees[0] + 1), k / (degrees[0] + 1));
            Vector3::from(bent(i as f64 / degrees[0] as f64, j as f64 / degrees[1] as f64))
        });
        let positions = positions.collect();
        let points: Vec<u32> = (0..n as u32).collect();
        let basis = FaceBasis::Spline { degrees, operators: [0, 1] };
        let faces = vec![Face { basis, points: points.clone(), orientation: 1.0 }];
        let weights = (0..n).map(|k| 1.0 + 0.3 * (1.7 * k as f64).sin()).collect();
        all.push((Surface { points, weights, faces, operators }, positions));
    }
    all
}

/// Uniform pseudo-random numbers in \[0, 1), seeded (splitmix64).
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) as f64 / 2f64.powi(64)
    }

    pub(crate) fn symmetric(&mut self) -> f64 {
        2.0 * self.next() - 1.0
    }

    pub(crate) fn vector(&mut self) -> Vector3<f64> {
        Vector3::new(self.symmetric(), self.symmetric(), self.symmetric())
    }
}
