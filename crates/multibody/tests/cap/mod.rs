//! A ball whose cap about +z is as compliant as a smoothed half-space: quadratic faces on the sphere, a
//! compliance that is a positive definite kernel, and low modes from a lattice.

#![allow(unreachable_pub, reason = "short declarations in a program of tests")]

use crate::lattice::Lattice;
use carom_fem::surface::{Face, FaceBasis};
use carom_fem::{Material, Surface};
use carom_mesh::FaceShape;
use carom_reduce::{Modes, NamedSurface, ReducedBody};
use faer::Mat;
use nalgebra::{DMatrix, Vector3};

pub const RADIUS: f64 = 0.015;
pub const DENSITY: f64 = 7780.0;

pub struct Cap {
    positions: Vec<Vector3<f64>>,
    surface: Surface,
    /// Eigenpairs of the kernel: compliances (descending) and vectors.
    kernel: (Vec<f64>, DMatrix<f64>),
    /// Length over which the kernel is smoothed \[m\].
    smooth: f64,
    low: usize,
}

/// Boussinesq: u = (1 − ν²) F / (π E r), smoothed to 1/√(r² + δ²), which is a positive definite kernel.
fn half_space(between: &Vector3<f64>, smooth: f64) -> f64 {
    let (young, poisson) = (210e9, 0.3);
    let factor = (1.0 - poisson * poisson) / (std::f64::consts::PI * young);
    factor / (between.norm_squared() + smooth * smooth).sqrt()
}

impl Cap {
    /// `faces` × `faces` faces over ± `half_width`, `low` dynamic modes.
    pub fn new(faces: usize, half_width: f64, low: usize) -> Self {
        let side = 2 * faces + 1;
        let spacing = half_width / faces as f64;
        let coordinate = |i: usize| (i as f64 - faces as f64) * spacing;
        let positions: Vec<Vector3<f64>> = (0..side * side)
            .map(|k| {
                let (x, y) = (coordinate(k % side), coordinate(k / side));
                Vector3::new(x, y, (RADIUS * RADIUS - x * x - y * y).sqrt())
            })
            .collect();
        let at = |i: usize, j: usize| (j * side + i) as u32;
        let face = |i: usize, j: usize| {
            let (i, j) = (2 * i, 2 * j);
            // Corners, middles of the edges, centre.
            let order = [(0, 0), (2, 0), (2, 2), (0, 2), (1, 0), (2, 1), (1, 2), (0, 1), (1, 1)]
                .map(|(a, b)| at(i + a, j + b));
            Face { basis: FaceBasis::Lagrange(FaceShape::Quad9), points: order.to_vec(), orientation: 1.0 }
        };
        let surface = Surface {
            points: (0..positions.len() as u32).collect(),
            weights: vec![1.0; positions.len()],
            faces: (0..faces * faces).map(|k| face(k % faces, k / faces)).collect(),
            operators: Vec::new(),
        };
        Self::with_half_space(positions, surface, spacing, low)
    }

    /// The ball with biquadratic B-spline faces, as zones of NURBS bodies have: (`faces` + 2)² points over ±
    /// `half_width` on the paraboloid of the ball.
    #[allow(dead_code, reason = "used by a benchmark")]
    pub fn splines(faces: usize, half_width: f64, low: usize) -> Self {
        let (n, h) = (faces, 2.0 * half_width / faces as f64);
        let side = n + 2;
        let knot = |i: usize| (i as f64 - 0.5 * n as f64) * h;
        // Control point i of x is the mean of its two inner knots, that of x² their product.
        let inner = |i: usize| [knot(i.saturating_sub(1)), knot(i.min(n))];
        let positions: Vec<Vector3<f64>> = (0..side * side)
            .map(|k| {
                let [x, y] = [inner(k % side), inner(k / side)];
                let height = RADIUS - 0.5 * (x[0] * x[1] + y[0] * y[1]) / RADIUS;
                Vector3::new(0.5 * (x[0] + x[1]), 0.5 * (y[0] + y[1]), height)
            })
            .collect();
        let first = vec![1.0, 0.0, 0.0, 0.0, 1.0, 0.5, 0.0, 0.0, 0.5];
        let inside = vec![0.5, 0.0, 0.0, 0.5, 1.0, 0.5, 0.0, 0.0, 0.5];
        let last = vec![0.5, 0.0, 0.0, 0.5, 1.0, 0.0, 0.0, 0.0, 1.0];
        let operator = |e: usize| if e == 0 { 0 } else { 1 + u32::from(e == n - 1) };
        let face = |e: usize, f: usize| Face {
            basis: FaceBasis::Spline { degrees: [2, 2], operators: [operator(e), operator(f)] },
            points: (0..9).map(|k| ((f + k / 3) * side + e + k % 3) as u32).collect(),
            orientation: 1.0,
        };
        let surface = Surface {
            points: (0..positions.len() as u32).collect(),
            weights: vec![1.0; positions.len()],
            faces: (0..n * n).map(|k| face(k % n, k / n)).collect(),
            operators: vec![first, inside, last],
        };
        Self::with_half_space(positions, surface, h, low)
    }

    fn with_half_space(positions: Vec<Vector3<f64>>, surface: Surface, spacing: f64, low: usize) -> Self {
        let smooth = 0.45 * spacing;
        let n = positions.len();
        let kernel = DMatrix::from_fn(n, n, |i, j| half_space(&(positions[i] - positions[j]), smooth));
        let eigen = kernel.symmetric_eigen();
        let mut order: Vec<usize> = (0..n).collect();
        order.sort_by(|&a, &b| eigen.eigenvalues[b].total_cmp(&eigen.eigenvalues[a]));
        assert!(order.iter().all(|&i| eigen.eigenvalues[i] > 0.0));
        let values = order.iter().map(|&i| eigen.eigenvalues[i]).collect();
        let columns: Vec<_> = order.iter().map(|&i| eigen.eigenvectors.column(i).into_owned()).collect();
        Self { positions, surface, kernel: (values, DMatrix::from_columns(&columns)), smooth, low }
    }

    /// Displacement of one point by a unit force on another, along it \[m/N\].
    #[allow(dead_code, reason = "used by one test")]
    pub fn kernel_between(&self, a: &[f64; 3], b: &[f64; 3]) -> f64 {
        half_space(&(Vector3::from(*a) - Vector3::from(*b)), self.smooth)
    }

    pub fn reduced(&self) -> ReducedBody {
        let mass = DENSITY * 4.0 / 3.0 * std::f64::consts::PI * RADIUS.powi(3);
        let lattice = Lattice::new(0.8 * RADIUS, mass, 1e5);
        let mut body = lattice.reduced(self.low, self.low);
        let inertia = 0.4 * mass * RADIUS * RADIUS;
        if self.low == 0 {
            body.invariants.inertia =
                std::array::from_fn(|a| std::array::from_fn(|b| if a == b { inertia } else { 0.0 }));
        }
        let (values, vectors) = &self.kernel;
        let (n, low) = (self.positions.len(), self.low);
        // Each eigenvector of the kernel gives a mode in each of three directions; low modes displace the cap
        // smoothly.
        let amplitude = 1.0 / mass.sqrt();
        let entry = |row: usize, k: usize| {
            let (point, a) = (row / 3, row % 3);
            if k < low {
                let x = self.positions[point] / RADIUS;
                return amplitude * [0.3 * x.y, -0.2 + 0.4 * x.x, 1.0 - 0.5 * k as f64][a];
            }
            let (mode, direction) = ((k - low) / 3, (k - low) % 3);
            if a == direction { vectors[(point, mode)] } else { 0.0 }
        };
        body.name = "ball".into();
        body.materials =
            vec![Material { name: "steel".into(), density: DENSITY, young: 210e9, poisson: 0.3 }];
        body.omega.truncate(low);
        body.omega.extend(values.iter().flat_map(|value| [1.0 / value.sqrt(); 3]));
        body.n_low = low;
        body.boundary = Modes {
            points: self.surface.points.clone(),
            positions_b: self.positions.iter().map(|&x| x.into()).collect(),
            values: Mat::from_fn(3 * n, low + 3 * n, entry),
        };
        body.surfaces = vec![NamedSurface {
            name: "pole".into(),
            surface: self.surface.clone(),
            is_interface: vec![true; n],
            sharp_edges: Vec::new(),
        }];
        body
    }
}
