//! Synthetic flexible bodies: points with masses joined by linear springs, with all that the nodal formulas
//! of docs/theory/floating-frame.md, eq. (29) need. Independent of the finite elements of this project.

#![allow(unreachable_pub, reason = "short declarations in a program of tests")]

use carom_multibody::Body;
use carom_reduce::{Invariants, Modes, NamedSurface, ReducedBody};
use faer::Mat;
use nalgebra::{DMatrix, DVector, Matrix3, Vector3};
use std::sync::Arc;

/// Deterministic numbers in [−1, 1] (a linear congruence is enough to break symmetries).
pub struct Numbers(pub u64);

impl Numbers {
    pub fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }
    pub fn vector(&mut self) -> Vector3<f64> {
        Vector3::new(self.next(), self.next(), self.next())
    }
}

/// A body of N points: scalar mass matrix, positions with the centre of mass in the origin, stiffness.
pub struct Lattice {
    pub mass: DMatrix<f64>,
    pub positions: Vec<Vector3<f64>>,
    pub stiffness: DMatrix<f64>,
}

impl Lattice {
    /// A distorted 3 × 3 × 2 grid of pitch `size`, total mass `mass`, springs to all neighbours within two
    /// pitches, lowest frequencies of about `omega` rad/s.
    pub fn new(size: f64, mass: f64, omega: f64) -> Self {
        let mut numbers = Numbers(7);
        let mut positions = Vec::new();
        for (i, j, k) in (0..18).map(|p| (p % 3, p / 3 % 3, p / 9)) {
            let grid = Vector3::new(f64::from(i), 0.8 * f64::from(j), 1.2 * f64::from(k));
            positions.push(size * (grid + 0.15 * numbers.vector()));
        }
        let n = positions.len();
        // A consistent mass matrix couples points: diagonally dominant with positive entries.
        let mut m = DMatrix::zeros(n, n);
        for i in 0..n {
            m[(i, i)] = 1.0 + 0.3 * numbers.next();
            for j in 0..i {
                m[(i, j)] = 0.02 * (1.0 + numbers.next());
                m[(j, i)] = m[(i, j)];
            }
        }
        m *= mass / m.sum();
        let mut stiffness = DMatrix::zeros(3 * n, 3 * n);
        let k = mass / n as f64 * omega * omega;
        for i in 0..n {
            for j in 0..i {
                let d: Vector3<f64> = positions[i] - positions[j];
                if d.norm() < 2.0 * size {
                    let e = d.normalize();
                    let block = k * (1.0 + 0.3 * numbers.next()) * e * e.transpose();
                    for (a, b, sign) in [(i, i, 1.0), (j, j, 1.0), (i, j, -1.0), (j, i, -1.0)] {
                        let mut view = stiffness.view_mut((3 * a, 3 * b), (3, 3));
                        view += sign * block;
                    }
                }
            }
        }
        let com: Vector3<f64> = (0..n).map(|j| m.column(j).sum() * positions[j]).sum::<Vector3<f64>>() / mass;
        positions.iter_mut().for_each(|x| *x -= com);
        Self { mass: m, positions, stiffness }
    }

    pub fn points(&self) -> usize {
        self.positions.len()
    }

    /// M_f = M_s ⊗ E₃.
    pub fn full_mass(&self) -> DMatrix<f64> {
        self.mass.kronecker(&DMatrix::identity(3, 3))
    }

    /// All elastic modes, mass-normalised, by frequency.
    pub fn modes(&self) -> (Vec<f64>, DMatrix<f64>) {
        let factor = self.full_mass().cholesky().unwrap();
        let inverse = factor.l().try_inverse().unwrap();
        let standard = &inverse * &self.stiffness * inverse.transpose();
        let eigen = (0.5 * (&standard + standard.transpose())).symmetric_eigen();
        let mut order: Vec<usize> = (0..eigen.eigenvalues.len()).collect();
        order.sort_by(|&a, &b| eigen.eigenvalues[a].total_cmp(&eigen.eigenvalues[b]));
        let (rigid, elastic) = order.split_at(6);
        assert!(
            eigen.eigenvalues[rigid[5]].abs() < 1e-9 * eigen.eigenvalues[elastic[0]],
            "the springs leave six rigid modes: {:?}",
            order.iter().take(9).map(|&i| eigen.eigenvalues[i]).collect::<Vec<_>>()
        );
        let omega = elastic.iter().map(|&i| eigen.eigenvalues[i].sqrt()).collect();
        let columns: Vec<DVector<f64>> =
            elastic.iter().map(|&i| inverse.transpose() * eigen.eigenvectors.column(i)).collect();
        (omega, DMatrix::from_columns(&columns))
    }

    pub fn shape(&self, phi: &DMatrix<f64>, point: usize, mode: usize) -> Vector3<f64> {
        Vector3::new(phi[(3 * point, mode)], phi[(3 * point + 1, mode)], phi[(3 * point + 2, mode)])
    }

    /// docs/theory/floating-frame.md, eq. (29) by plain double sums.
    pub fn invariants(&self, phi: &DMatrix<f64>) -> Invariants {
        let (n, points) = (phi.ncols(), self.points());
        let m = &self.mass;
        let moment = |a: &dyn Fn(usize) -> Vector3<f64>, b: &dyn Fn(usize) -> Vector3<f64>| {
            let mut sum = Matrix3::zeros();
            for i in 0..points {
                let weighted: Vector3<f64> = (0..points).map(|j| m[(i, j)] * b(j)).sum();
                sum -= a(i).cross_matrix() * weighted.cross_matrix();
            }
            sum
        };
        let cross = |a: &dyn Fn(usize) -> Vector3<f64>, b: &dyn Fn(usize) -> Vector3<f64>| {
            let mut sum = Vector3::zeros();
            for i in 0..points {
                let weighted: Vector3<f64> = (0..points).map(|j| m[(i, j)] * b(j)).sum();
                sum += a(i).cross(&weighted);
            }
            sum
        };
        let x = |i: usize| self.positions[i];
        let f = |k: usize| move |i: usize| self.shape(phi, i, k);
        let total = |field: &dyn Fn(usize) -> Vector3<f64>| -> Vector3<f64> {
            (0..points).map(|j| m.column(j).sum() * field(j)).sum()
        };
        let i0 = moment(&x, &x);
        let reduce = |matrix: DMatrix<f64>| {
            let r = phi.transpose() * matrix * phi;
            Mat::from_fn(n, n, |i, j| 0.5 * (r[(i, j)] + r[(j, i)]))
        };
        Invariants {
            mass: m.sum(),
            first_moment: total(&x).into(),
            inertia: std::array::from_fn(|a| std::array::from_fn(|b| i0[(a, b)])),
            coupling_t: Mat::from_fn(3, n, |a, k| total(&f(k))[a]),
            coupling_r0: Mat::from_fn(3, n, |a, k| cross(&x, &f(k))[a]),
            coupling_r1: Mat::from_fn(3 * n, n, |row, k| cross(&f(row / 3), &f(k))[row % 3]).into(),
            inertia_1: Mat::from_fn(3 * n, 3, |row, b| moment(&x, &f(row / 3))[(row % 3, b)]),
            inertia_2: Mat::from_fn(3 * n, 3 * n, |row, col| {
                moment(&f(row / 3), &f(col / 3))[(row % 3, col % 3)]
            })
            .into(),
            mass_modal: reduce(self.full_mass()),
            stiffness_modal: reduce(self.stiffness.clone()),
            damping_modal: None,
        }
    }

    /// The body reduced to its `n` lowest elastic modes, of which `n_low` are dynamic.
    pub fn reduced(&self, n: usize, n_low: usize) -> ReducedBody {
        let (omega, phi) = self.modes();
        let phi = phi.columns(0, n).into_owned();
        let points: Vec<u32> = (0..self.points() as u32).collect();
        ReducedBody {
            name: "lattice".into(),
            body_checksum: String::new(),
            materials: Vec::new(),
            com: [0.0; 3],
            invariants: self.invariants(&phi),
            omega: omega[..n].to_vec(),
            n_low,
            mode_errors: Vec::new(),
            frequency_errors: Vec::new(),
            fixed_interface_hz: Vec::new(),
            n_interface_dofs: 0,
            composition: Default::default(),
            markers: Vec::new(),
            held: Vec::new(),
            n_dofs: 3 * self.points(),
            surfaces: Vec::<NamedSurface>::new(),
            places: Vec::new(),
            boundary: Modes {
                positions_b: self.positions.iter().map(|&x| x.into()).collect(),
                values: Mat::from_fn(3 * self.points(), n, |i, j| phi[(i, j)]),
                points,
            },
            fields: None,
            stress: None,
            stiffening: None,
        }
    }

    pub fn body(&self, n_low: usize) -> Body {
        Body::reduced(Arc::new(self.reduced(n_low, n_low))).unwrap()
    }
}
