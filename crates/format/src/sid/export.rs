//! From a reduced body to a SID_FEM file.

use std::f64::consts::TAU;

use carom_progress::Progress;
use carom_reduce::unread::UnreadArrayError;
use carom_reduce::{Invariants, ReducedBody, Stiffening};
use faer::Mat;
use thiserror::Error;

use super::nodes::{ExportNode, NodeKind, REPORT, SidNodes, export_nodes};
use super::{CENTRIFUGAL_COLUMNS, INERTIA_ROWS, MOST_MODES, Sid, SidNode, Taylor};

/// Errors of writing a model as SID_FEM.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum SidExportError {
    /// Modes without mass.
    #[error(
        "{wanted} modes are requested for the SID_FEM file, but only the first {n_massive} have mass: the \
         boundary of this model is massless"
    )]
    Massless {
        /// Requested number of modes.
        wanted: usize,
        /// Number of modes with mass.
        n_massive: usize,
    },
    /// Arrays of the modes cannot be read from the file of the model.
    #[error(transparent)]
    Unread(#[from] UnreadArrayError),
    /// The user stopped the operation.
    #[error("stopped before the SID_FEM file was written")]
    Interrupted,
    /// The requested number of modes is 0, or exceeds the model or the limit of the format.
    #[error(
        "{wanted} modes are requested for the SID_FEM file; the model has {n_modes}, and a file has 1 to \
         {MOST_MODES}"
    )]
    Modes {
        /// Requested number of modes.
        wanted: usize,
        /// Number of modes of the model.
        n_modes: usize,
    },
}

/// The content of a SID_FEM file of a reduced body, and the kinds of its nodes.
///
/// The body frame is that of the model: its origin is the centre of mass. Second-order terms of the inertia
/// are in the slopes of Oe and Cr; De is the damping of the model; stress modes are left out. Geometric
/// stiffness by the angular velocity is in the slopes of Oe, that by the weight of a held body and by the
/// acceleration of its support in the slopes of Ct and Cr, and that by forces on an attachment in the slopes
/// of phi and psi of its node.
///
/// * `nodes` — selection of the nodes
/// * `n_modes` — number of the lowest modes that are written; `None` for all
///
/// # Errors
///
/// [`SidExportError`]
pub fn sid_of(
    reduced: &ReducedBody,
    nodes: SidNodes,
    n_modes: Option<usize>,
    progress: &dyn Progress,
) -> Result<(Sid, Vec<(u64, NodeKind)>), SidExportError> {
    let all = reduced.omega.len();
    let n = n_modes.unwrap_or(all);
    if n == 0 || n > all || n > MOST_MODES {
        return Err(SidExportError::Modes { wanted: n, n_modes: all });
    }
    let n_massive = reduced.invariants.n_massive();
    if n > n_massive {
        return Err(SidExportError::Massless { wanted: n, n_massive });
    }
    let found = export_nodes(reduced, nodes, progress)?.ok_or(SidExportError::Interrupted)?;
    let ids = numbers(&found);
    let named = ids.iter().copied().zip(found.iter().map(|node| node.kind.clone())).collect();
    let [x, y, z] = reduced.com;
    let label = |k: usize| format!("Eigen Mode {:4} : {:12.3} Hz", k + 1, reduced.omega[k] / TAU);
    let Invariants { mass, first_moment, inertia, .. } = reduced.invariants;
    let constants = &reduced.invariants;
    let i1 = |k: usize, a: usize, b: usize| constants.inertia_1[(3 * k + a, b)];
    let stressed = reduced.stiffening.as_ref().map(|stiffening| stiffening.of_inertia(n));
    let inertia_2 = constants.inertia_2.leading(3 * n, 3 * n)?;
    let i2 = |k: usize, l: usize, a: usize, b: usize| {
        let of_stress = stressed.as_ref().map_or(0.0, |part| part[(3 * k + a, 3 * l + b)]);
        inertia_2[(3 * k + a, 3 * l + b)] + of_stress
    };
    let coupling_r1 = constants.coupling_r1.leading(3 * n, n)?;
    let r1 = |l: usize, k: usize, a: usize| coupling_r1[(3 * l + a, k)];
    let of = |of: fn(&Stiffening) -> &[Mat<f64>]| -> Vec<Mat<f64>> {
        let over_modes = |stiffening: &Stiffening| {
            of(stiffening).iter().map(|k| stiffening.over_modes(k, n)).collect::<Vec<_>>()
        };
        reduced.stiffening.as_ref().map_or_else(Vec::new, over_modes)
    };
    let [weight, turning] = [of(|stiffening| &stiffening.weight), of(|stiffening| &stiffening.turning)];
    let sid = Sid {
        comment: format!(
            "carom; frame in the centre of mass, which lies at {x:.9e} {y:.9e} {z:.9e} of the geometry"
        ),
        name: reduced.name.replace(['\n', '\r'], " "),
        mass,
        mode_labels: (0..n).map(label).collect(),
        nodes: numbered(&found, &ids, n, progress).ok_or(SidExportError::Interrupted)?,
        md_cm: Taylor {
            constant: Mat::from_fn(3, 1, |a, _| first_moment[a]),
            linear: (0..n).map(|k| Mat::from_fn(3, 1, |a, _| constants.coupling_t[(a, k)])).collect(),
        },
        inertia: Taylor {
            constant: Mat::from_fn(6, 1, |row, _| inertia[INERTIA_ROWS[row].0][INERTIA_ROWS[row].1]),
            linear: (0..n)
                .map(|k| {
                    Mat::from_fn(6, 1, |row, _| {
                        let (a, b) = INERTIA_ROWS[row];
                        i1(k, a, b) + i1(k, b, a)
                    })
                })
                .collect(),
        },
        coupling_t: Taylor {
            constant: Mat::from_fn(n, 3, |k, a| constants.coupling_t[(a, k)]),
            linear: slopes(&weight),
        },
        coupling_r: Taylor {
            constant: Mat::from_fn(n, 3, |k, a| constants.coupling_r0[(a, k)]),
            linear: with_slopes((0..n).map(|l| Mat::from_fn(n, 3, |k, a| r1(l, k, a))).collect(), &turning),
        },
        mass_modal: Taylor::constant(leading(&constants.mass_modal, n)),
        gyroscopic_r: Taylor::constant(Mat::from_fn(3, 3 * n, |a, column| {
            2.0 * i1(column % n, a, column / n)
        })),
        gyroscopic_e: Taylor::constant(Mat::from_fn(n, 3 * n, |i, column| {
            2.0 * r1(column % n, i, column / n)
        })),
        centrifugal: Taylor {
            constant: Mat::from_fn(n, 6, |k, column| packed(column, |a, b| i1(k, a, b))),
            linear: (0..n)
                .map(|l| Mat::from_fn(n, 6, |k, column| packed(column, |a, b| i2(k, l, a, b))))
                .collect(),
        },
        reference_force: Taylor::zeros(n, 1),
        stiffness_modal: Taylor::constant(leading(&constants.stiffness_modal, n)),
        damping_modal: constants
            .damping_modal
            .as_ref()
            .map_or_else(|| Taylor::zeros(n, n), |damping| Taylor::constant(leading(damping, n))),
    };
    Ok((sid, named))
}

/// The nodes of the file, over its first n modes; none if the user stopped it.
fn numbered(found: &[ExportNode], ids: &[u64], n: usize, progress: &dyn Progress) -> Option<Vec<SidNode>> {
    progress.begin("expanding the nodes", found.len() as u64);
    let mut nodes = Vec::with_capacity(found.len());
    for (i, (node, &id)) in found.iter().zip(ids).enumerate() {
        if i % REPORT == 0 {
            progress.set(i as u64);
            if progress.interrupted() {
                return None;
            }
        }
        nodes.push(node.numbered(id, n));
    }
    progress.end();
    Some(nodes)
}

/// Slopes of Ct or Cr, −K_a of each axis; none without K.
fn slopes(k: &[Mat<f64>]) -> Vec<Mat<f64>> {
    let [x, ..] = k else { return Vec::new() };
    let n = x.nrows();
    (0..n).map(|l| Mat::from_fn(n, 3, |row, a| -k[a][(row, l)])).collect()
}

/// Slopes with those of K.
fn with_slopes(own: Vec<Mat<f64>>, k: &[Mat<f64>]) -> Vec<Mat<f64>> {
    let added = slopes(k);
    if added.is_empty() { own } else { own.iter().zip(&added).map(|(a, b)| a + b).collect() }
}

/// The coefficient of a product ω_a ω_b in −ωᵀ A ω.
fn packed(column: usize, entry: impl Fn(usize, usize) -> f64) -> f64 {
    let (a, b) = CENTRIFUGAL_COLUMNS[column];
    if a == b { -entry(a, a) } else { -(entry(a, b) + entry(b, a)) }
}

fn leading(matrix: &Mat<f64>, n: usize) -> Mat<f64> {
    matrix.submatrix(0, 0, n, n).to_owned()
}

/// Points keep their numbers, counted from 1; all others follow the largest.
fn numbers(nodes: &[ExportNode]) -> Vec<u64> {
    let point = |node: &ExportNode| match node.kind {
        NodeKind::Point(number) => Some(u64::from(number)),
        _ => None,
    };
    let mut last = nodes.iter().filter_map(point).max().unwrap_or(0);
    nodes
        .iter()
        .map(|node| {
            point(node).unwrap_or_else(|| {
                last += 1;
                last
            })
        })
        .collect()
}
