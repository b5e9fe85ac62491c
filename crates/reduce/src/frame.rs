//! The body frame: it follows the mean motion (Buckens), three nodes, or a marker.
//!
//! Shapes of the dynamic modes are those of the Buckens frame relative to the other frame, and uncoupled
//! there:
//!
//! ```text
//! Φ' = (Φ + R C) V,   B Φ' = 0,   C = −(B R)⁻¹ B Φ
//! Ω² V = (E + Cᵀ M_R C) V Ω'²,   Vᵀ (E + Cᵀ M_R C) V = E
//! ```
//!
//! with the rigid motions R, their mass M_R = Rᵀ M R and the six motions B u of the points that the frame
//! follows. M̄_e stays E and K̄_e diagonal, C_t and C_r0 no longer vanish. Quasistatic modes stay as they
//! are: their inertia is left out, which is right only if no net momentum comes with them; the frame follows
//! the dynamic part of the motion.

use carom_linalg::DenseEigenError;
use carom_linalg::dense::{fix_signs, generalised_pairs};
use faer::{Mat, MatRef};
use nalgebra::{DMatrix, Matrix3, Matrix6, Vector3};

use crate::attachment::Attached;
use crate::dofs::dofs;

/// The choice of the body frame.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum BodyFrame {
    /// The mean motion: no net linear or angular momentum comes with the modes (linearised Tisserand frame).
    #[default]
    Buckens,
    /// Three nodes I, J, K, counted from 0: I stays in its place, J on the line I–J, K in the plane of the
    /// three.
    Nodes([u32; 3]),
    /// A marker: its six dofs, or the mean motion of its set, stay at rest.
    Marker(String),
}

/// Errors of a body frame.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum FrameChoiceError {
    /// A node does not exist.
    #[error(
        "the body frame follows node {node} (counted from 1), which does not exist or belongs to no cell; \
         nodes are 1 to {n_points}"
    )]
    NoSuchNode {
        /// From 1.
        node: u64,
        /// Number of points.
        n_points: usize,
    },
    /// Nodes on a line.
    #[error(
        "the body frame follows the nodes {nodes:?} (counted from 1), which lie on a line; choose three that \
         span a triangle"
    )]
    Line {
        /// From 1.
        nodes: [u64; 3],
    },
    /// The marker does not exist.
    #[error("the body frame follows marker `{marker}`, which the body does not have; it has {known}")]
    NoSuchMarker {
        /// Its name.
        marker: String,
        /// Names of all markers.
        known: String,
    },
    /// The marker does not hold the body.
    #[error(
        "the body frame follows marker `{marker}`, whose points do not hold the body (condition \
         {condition:.0e}); take one of a larger set"
    )]
    Loose {
        /// Its name.
        marker: String,
        /// Condition number of B R.
        condition: f64,
    },
    /// The body is held.
    #[error(
        "the body is partly held, so that its frame does not follow nodes or markers; use the Buckens frame \
         or free the body"
    )]
    Held,
    /// The uncoupling failed.
    #[error("the modes in the chosen body frame: {0}")]
    Eigen(DenseEigenError),
}

/// Largest condition number of B R, lengths scaled by the extent of the points that the frame follows.
const LARGEST_CONDITION: f64 = 1e8;

/// Least sine of the angle at node I, times |K − I|/|J − I| bounded by 1.
const LEAST_SINE: f64 = 1e-6;

/// The matrix B: six weighted sums of dofs that give the motion of a frame.
#[derive(Debug, Clone)]
pub(crate) struct Follower {
    /// Dofs (3 point + axis) with their weights, one list per row.
    pub(crate) rows: [Vec<(usize, f64)>; 6],
    /// Its name in messages.
    pub(crate) name: String,
}

impl Follower {
    /// Of three nodes.
    pub(crate) fn of_nodes(
        nodes: [u32; 3],
        points: &[[f64; 3]],
        is_used: &[bool],
    ) -> Result<Self, FrameChoiceError> {
        for node in nodes {
            if !is_used.get(node as usize).copied().unwrap_or(false) {
                return Err(FrameChoiceError::NoSuchNode {
                    node: u64::from(node) + 1,
                    n_points: points.len(),
                });
            }
        }
        let [i, j, k] = nodes.map(|node| Vector3::from(points[node as usize]));
        let (along, across) = (j - i, k - i);
        let normal = along.cross(&across);
        if normal.norm() <= LEAST_SINE * along.norm() * along.norm().max(across.norm()) {
            return Err(FrameChoiceError::Line { nodes: nodes.map(|node| u64::from(node) + 1) });
        }
        let (e1, e3) = (along.normalize(), normal.normalize());
        let e2 = e3.cross(&e1);
        let row = |node: u32, direction: Vector3<f64>| -> Vec<(usize, f64)> {
            (0..3).map(|a| (3 * node as usize + a, direction[a])).collect()
        };
        let [a, b, c] = nodes;
        Ok(Self {
            rows: [
                row(a, Vector3::x()),
                row(a, Vector3::y()),
                row(a, Vector3::z()),
                row(b, e2),
                row(b, e3),
                row(c, e3),
            ],
            name: format!("of nodes {:?}", nodes.map(|node| node + 1)),
        })
    }

    /// Of a marker: the mean motion of its set.
    pub(crate) fn of_marker(marker: &Attached) -> Self {
        let row = |k: usize| -> Vec<(usize, f64)> {
            dofs(&marker.points).into_iter().enumerate().map(|(i, dof)| (dof, marker.mean[(i, k)])).collect()
        };
        Self { rows: std::array::from_fn(row), name: marker.name.clone() }
    }

    /// Of the mean motion of an interface set.
    ///
    /// Displacement and rotation are those of the rigid motion that fits the points best (RBE3).
    pub(crate) fn of_set(
        name: &str,
        sets: &[(String, Vec<u32>)],
        points: &[[f64; 3]],
    ) -> Result<Self, FrameChoiceError> {
        let Some((_, own)) = sets.iter().find(|(set, _)| set == name) else {
            let known: Vec<String> = sets.iter().map(|(set, _)| format!("`{set}`")).collect();
            let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
            return Err(FrameChoiceError::NoSuchMarker { marker: name.to_owned(), known });
        };
        let at = |point: u32| Vector3::from(points[point as usize]);
        let count = own.len() as f64;
        let mean = own.iter().map(|&point| at(point)).sum::<Vector3<f64>>() / count;
        let mut spread = Matrix3::zeros();
        for &point in own {
            let d = at(point) - mean;
            spread += d.norm_squared() * Matrix3::identity() - d * d.transpose();
        }
        let moments = spread.symmetric_eigenvalues();
        let condition = moments.max() / moments.min();
        let loose = || FrameChoiceError::Loose { marker: name.to_owned(), condition };
        if !(condition > 0.0 && condition < LARGEST_CONDITION) {
            return Err(loose());
        }
        let inverse = spread.try_inverse().ok_or_else(loose)?;
        let mut rows: [Vec<(usize, f64)>; 6] = std::array::from_fn(|_| Vec::with_capacity(3 * own.len()));
        for &point in own {
            // θ = spread⁻¹ Σ d × u.
            let turn = inverse * (at(point) - mean).cross_matrix();
            for a in 0..3 {
                let dof = 3 * point as usize + a;
                rows[a].push((dof, 1.0 / count));
                (0..3).for_each(|b| rows[3 + b].push((dof, turn[(b, a)])));
            }
        }
        Ok(Self { rows, name: name.to_owned() })
    }

    /// B T, 6 × columns.
    pub(crate) fn rows_of(&self, basis: MatRef<'_, f64>) -> Mat<f64> {
        Mat::from_fn(6, basis.ncols(), |row, k| {
            self.rows[row].iter().map(|&(dof, weight)| weight * basis[(dof, k)]).sum()
        })
    }
}

/// Shapes of the dynamic modes in another frame.
#[derive(Debug, Clone)]
pub(crate) struct Reframed {
    /// ω' \[rad/s\].
    pub(crate) omega: Vec<f64>,
    /// V, n × n: coordinates of the Buckens modes are V q'.
    pub(crate) combination: Mat<f64>,
    /// C V, 6 × n: the rigid motion that each shape carries.
    pub(crate) rigid: Mat<f64>,
}

/// Solves for V.
///
/// * `of_rigid`, `of_modes` — B R and B Φ
/// * `rigid_mass` — M_R
/// * `omega` — of the dynamic modes in the Buckens frame
pub(crate) fn reframed(
    name: &str,
    of_rigid: &Mat<f64>,
    of_modes: &Mat<f64>,
    rigid_mass: &Mat<f64>,
    omega: &[f64],
) -> Result<Reframed, FrameChoiceError> {
    let n = omega.len();
    let square = Matrix6::from_fn(|i, j| of_rigid[(i, j)]);
    // Translations and rotations have different units: rows and columns are equilibrated before the condition
    // is computed.
    let by_row = Matrix6::from_diagonal(&nalgebra::Vector6::from_fn(|i, _| 1.0 / square.row(i).norm()));
    let scaled = by_row * square;
    let by_column = Matrix6::from_diagonal(&nalgebra::Vector6::from_fn(|j, _| 1.0 / scaled.column(j).norm()));
    let values = (scaled * by_column).singular_values();
    let condition = values.max() / values.min();
    let loose = || FrameChoiceError::Loose { marker: name.to_owned(), condition };
    if condition.is_nan() || condition > LARGEST_CONDITION {
        return Err(loose());
    }
    let inverse = square.try_inverse().ok_or_else(loose)?;
    let c = DMatrix::from_fn(6, n, |i, k| -(0..6).map(|j| inverse[(i, j)] * of_modes[(j, k)]).sum::<f64>());
    let m_r = DMatrix::from_fn(6, 6, |i, j| 0.5 * (rigid_mass[(i, j)] + rigid_mass[(j, i)]));
    let added = c.transpose() * m_r * &c;
    let mass = Mat::from_fn(n, n, |i, j| added[(i, j)] + if i == j { 1.0 } else { 0.0 });
    let stiffness = Mat::from_fn(n, n, |i, j| if i == j { omega[i].powi(2) } else { 0.0 });
    let mut pairs = generalised_pairs(stiffness.as_ref(), mass.as_ref()).map_err(FrameChoiceError::Eigen)?;
    fix_signs(pairs.vectors.as_mut());
    let rigid = Mat::from_fn(6, n, |i, k| (0..n).map(|l| c[(i, l)] * pairs.vectors[(l, k)]).sum());
    Ok(Reframed {
        omega: pairs.lambda.iter().map(|lambda| lambda.sqrt()).collect(),
        combination: pairs.vectors,
        rigid,
    })
}

/// Vᵀ D V over the dynamic modes; the entries of the other modes are unchanged.
pub(crate) fn transformed(damping: &Mat<f64>, combination: &Mat<f64>) -> Mat<f64> {
    let n = combination.nrows();
    let seen = combination.transpose() * damping.submatrix(0, 0, n, n) * combination;
    Mat::from_fn(damping.nrows(), damping.ncols(), |i, j| {
        if i.max(j) < n { 0.5 * (seen[(i, j)] + seen[(j, i)]) } else { damping[(i, j)] }
    })
}

/// Replaces the dynamic modes by Φ' = (Φ + R C) V.
///
/// * `modes` — Z, columns of T × modes
/// * `rigid` — R in the columns of T
pub(crate) fn apply(modes: &mut Mat<f64>, omega: &mut [f64], rigid: &Mat<f64>, seen: &Reframed) {
    let n = seen.omega.len();
    let shapes = modes.subcols(0, n) * &seen.combination + rigid * &seen.rigid;
    modes.subcols_mut(0, n).copy_from(&shapes);
    omega[..n].copy_from_slice(&seen.omega);
}
