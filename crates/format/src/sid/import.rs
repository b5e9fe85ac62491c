//! From a SID_FEM file to a reduced body without geometry.
//!
//! The skew parts of Gr in the file are replaced by those of C_r, and the skew parts of the slopes of C_r are
//! those of the modes: then the equations of motion follow from one kinetic energy, and energy and both
//! momenta are first integrals.
//!
//! ```text
//! I1_k = ½ ∂J/∂q_k + ½ ε C_r0,k,   I2_kl = −sym Oe₁(k, l) + ½ ε ∫ φ_k × φ_l dm,   (ε c)_ab = ε_abc c_c
//! ```
//!
//! The slopes of Oe are those of the inertia if tr I2_kl = 2 M_kl. Otherwise they include the geometric
//! stiffness of centrifugal stress, which acts as a part of the inertia (docs/theory/stiffening.md, eq.
//! (125)). Slopes of phi and psi, of Ct, and the symmetric ones of C_r are that of forces at nodes and of
//! accelerations of the frame (`frames`).

use carom_linalg::DenseEigenError;
use carom_linalg::dense::{fix_signs, generalised_pairs};
use carom_reduce::{Invariants, Modes, PairIntegrals, ReducedBody};
use faer::{Mat, MatRef};
use thiserror::Error;

use super::frames::frames;
use super::{CENTRIFUGAL_COLUMNS, INERTIA_ROWS, Sid};

/// Deviation from 0 or 1, relative, at which modes count as mass-normalised and uncoupled.
const UNCOUPLED: f64 = 1e-9;

/// Deviation from tr I2_kl = 2 M_kl, relative, at which slopes of Oe count as those of the inertia; symmetric
/// slopes of C_r below this part of the modal mass are rounding.
pub(super) const PURE_INERTIA: f64 = 1e-6;

/// Errors of making a reduced body from a SID_FEM file.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum SidImportError {
    /// A node cannot be a point.
    #[error("node {id} of the SID_FEM file: nodes must have numbers from 1 to {max}; renumber \
        it", max = u32::MAX)]
    NodeNumber {
        /// Number of the node.
        id: u64,
    },
    /// A mode has no stiffness or no mass.
    #[error(
        "the modes of the SID_FEM file have no positive stiffness and mass ({source}): rigid modes are not \
         part of a flexible body's modes; export the elastic modes alone"
    )]
    NoStiffness {
        /// The cause.
        source: DenseEigenError,
    },
    /// A mode has no stiffness.
    #[error(
        "mode {mode} of the SID_FEM file has the stiffness {stiffness:e}, which must be above 0: rigid modes \
         are not part of a flexible body's modes; export only the elastic modes"
    )]
    Stiffness {
        /// From 1.
        mode: usize,
        /// ω² \[1/s²\].
        stiffness: f64,
    },
}

/// A reduced body with notes about its import.
#[derive(Debug, Clone)]
pub struct Imported {
    /// The body: all modes are dynamic, its points are the nodes (numbered from 0), and it has no surfaces.
    pub reduced: ReducedBody,
    /// Notes about omitted or changed content, a sentence each.
    pub notes: Vec<String>,
}

/// The reduced body of a SID_FEM file.
///
/// * `name` — of the body
///
/// # Errors
///
/// [`SidImportError`]
pub fn reduced_of(sid: &Sid, name: &str) -> Result<Imported, SidImportError> {
    let n = sid.n_modes();
    let mut notes = Vec::new();
    let mut invariants = invariants(sid, &mut notes);
    let mut nodes: Vec<_> = sid.nodes.iter().collect();
    nodes.sort_by_key(|node| node.id);
    let point = |id: u64| match u32::try_from(id) {
        Ok(id) if id > 0 => Ok(id - 1),
        _ => Err(SidImportError::NodeNumber { id }),
    };
    let mut boundary = Modes {
        points: nodes.iter().map(|node| point(node.id)).collect::<Result<_, _>>()?,
        positions_b: nodes.iter().map(|node| [0, 1, 2].map(|a| node.origin.constant[(a, 0)])).collect(),
        values: Mat::from_fn(3 * nodes.len(), n, |row, k| nodes[row / 3].phi.constant[(row % 3, k)]),
    };
    let mut frames = frames(sid, &nodes, &mut notes);
    if !is_uncoupled(&invariants) {
        let combination = combination(&invariants)?;
        invariants = combined(&invariants, combination.as_ref());
        boundary.values = &boundary.values * &combination;
        frames.combine(&combination);
        notes.push(
            "the modes were coupled or not mass-normalised: uncoupled combinations with unit mass are used"
                .to_owned(),
        );
    }
    let omega: Vec<f64> = (0..n).map(|k| invariants.stiffness_modal[(k, k)].max(0.0).sqrt()).collect();
    if let Some(k) = omega.iter().position(|&omega| omega <= 0.0) {
        return Err(SidImportError::Stiffness { mode: k + 1, stiffness: invariants.stiffness_modal[(k, k)] });
    }
    if sid.reference_force.largest() > 0.0 {
        notes.push("forces of a stressed reference state (ksigma) are left out".to_owned());
    }
    if frames.stiffening.as_ref().is_some_and(|of| !(of.weight.is_empty() && of.turning.is_empty())) {
        notes.push(
            "the slopes of Ct and the symmetric slopes of Cr are taken as the geometric stiffness of the \
             weight and of accelerations of the frame"
                .to_owned(),
        );
    }
    let reduced = ReducedBody {
        name: name.to_owned(),
        body_checksum: String::new(),
        materials: Vec::new(),
        com: [0.0; 3],
        invariants,
        n_low: n,
        mode_errors: Vec::new(),
        frequency_errors: Vec::new(),
        omega,
        fixed_interface_hz: Vec::new(),
        n_interface_dofs: 0,
        composition: Default::default(),
        markers: frames.markers,
        held: Vec::new(),
        n_dofs: 3 * boundary.points.len(),
        surfaces: Vec::new(),
        places: Vec::new(),
        fields: Some(boundary.clone().into()),
        stress: None,
        stiffening: frames.stiffening,
        boundary,
    };
    Ok(Imported { reduced, notes })
}

/// ½ ε_abc c_c.
fn half_skew(a: usize, b: usize, c: impl Fn(usize) -> f64) -> f64 {
    match (3 + b - a) % 3 {
        1 => 0.5 * c((a + 2) % 3),
        2 => -0.5 * c((a + 1) % 3),
        _ => 0.0,
    }
}

/// Index of a pair of components in six packed entries.
fn place(pairs: &[(usize, usize); 6], a: usize, b: usize) -> usize {
    pairs.iter().position(|&pair| pair == (a.min(b), a.max(b))).expect("all pairs are listed")
}

fn invariants(sid: &Sid, notes: &mut Vec<String>) -> Invariants {
    let n = sid.n_modes();
    let cr = |l: usize, k: usize, a: usize| sid.coupling_r.slope(l, k, a);
    let r1 = Mat::from_fn(3 * n, n, |row, k| 0.5 * (cr(row / 3, k, row % 3) - cr(k, row / 3, row % 3)));
    let modal = sid.mass_modal.constant.norm_max();
    let second = second_order(sid);
    let trace_error = (0..n)
        .flat_map(|k| (0..n).map(move |l| (k, l)))
        .map(|(k, l)| {
            let trace: f64 = (0..3).map(|a| second(k, l, a, a)).sum();
            (trace - 2.0 * sid.mass_modal.constant[(k, l)]).abs()
        })
        .fold(0.0, f64::max);
    if sid.centrifugal.linear.iter().all(|slope| slope.norm_max() == 0.0) {
        notes.push("Oe has no slopes: the inertia is of first order in the modal coordinates".to_owned());
    } else if trace_error > PURE_INERTIA * modal {
        notes.push(
            "the slopes of Oe are not those of the inertia alone: what they have in addition is taken as the \
             geometric stiffness of centrifugal stress"
                .to_owned(),
        );
    }
    let inertia = |row: usize| sid.inertia.constant[(row, 0)];
    Invariants {
        mass: sid.mass,
        first_moment: [0, 1, 2].map(|a| sid.md_cm.constant[(a, 0)]),
        inertia: [0, 1, 2].map(|a| [0, 1, 2].map(|b| inertia(place(&INERTIA_ROWS, a, b)))),
        coupling_t: Mat::from_fn(3, n, |a, k| sid.coupling_t.constant[(k, a)]),
        coupling_r0: Mat::from_fn(3, n, |a, k| sid.coupling_r.constant[(k, a)]),
        inertia_1: Mat::from_fn(3 * n, 3, |row, b| {
            let (k, a) = (row / 3, row % 3);
            0.5 * sid.inertia.slope(k, place(&INERTIA_ROWS, a, b), 0)
                + half_skew(a, b, |c| sid.coupling_r.constant[(k, c)])
        }),
        inertia_2: Mat::from_fn(3 * n, 3 * n, |row, column| {
            let (k, a, l, b) = (row / 3, row % 3, column / 3, column % 3);
            second(k, l, a, b) + half_skew(a, b, |c| r1[(3 * k + c, l)])
        })
        .into(),
        coupling_r1: r1.into(),
        mass_modal: symmetrised(&sid.mass_modal.constant),
        stiffness_modal: symmetrised(&sid.stiffness_modal.constant),
        damping_modal: damping(sid),
    }
}

/// D̄_e, none if the file has zeros.
fn damping(sid: &Sid) -> Option<Mat<f64>> {
    (sid.damping_modal.largest() > 0.0).then(|| symmetrised(&sid.damping_modal.constant))
}

/// The symmetric part of I2_kl by the slopes of Oe.
fn second_order(sid: &Sid) -> impl Fn(usize, usize, usize, usize) -> f64 + '_ {
    |k, l, a, b| {
        let column = place(&CENTRIFUGAL_COLUMNS, a, b);
        let part = if a == b { -0.5 } else { -0.25 };
        part * (sid.centrifugal.slope(l, k, column) + sid.centrifugal.slope(k, l, column))
    }
}

fn symmetrised(matrix: &Mat<f64>) -> Mat<f64> {
    carom_linalg::dense::symmetrised(matrix.as_ref())
}

/// True if M is the identity and K diagonal and ascending.
fn is_uncoupled(invariants: &Invariants) -> bool {
    let (m, k) = (&invariants.mass_modal, &invariants.stiffness_modal);
    let n = m.nrows();
    let scale = |i: usize, j: usize| (k[(i, i)] * k[(j, j)]).abs().sqrt();
    let pairs = |i: usize| (0..n).map(move |j| (i, j));
    (0..n).flat_map(pairs).all(|(i, j)| match i == j {
        true => (m[(i, i)] - 1.0).abs() <= UNCOUPLED,
        false => m[(i, j)].abs() <= UNCOUPLED && k[(i, j)].abs() <= UNCOUPLED * scale(i, j),
    }) && (1..n).all(|i| k[(i - 1, i - 1)] <= k[(i, i)])
}

/// Z with Zᵀ M Z = E and Zᵀ K Z diagonal.
fn combination(invariants: &Invariants) -> Result<Mat<f64>, SidImportError> {
    let n = invariants.mass_modal.nrows();
    if let Some(k) = (0..n).find(|&k| invariants.stiffness_modal[(k, k)] <= 0.0) {
        return Err(SidImportError::Stiffness { mode: k + 1, stiffness: invariants.stiffness_modal[(k, k)] });
    }
    let pairs = generalised_pairs(invariants.stiffness_modal.as_ref(), invariants.mass_modal.as_ref())
        .map_err(|source| SidImportError::NoStiffness { source })?;
    let mut vectors = pairs.vectors;
    fix_signs(vectors.as_mut());
    Ok(vectors)
}

/// The constants of the modes Φ Z.
fn combined(old: &Invariants, z: MatRef<'_, f64>) -> Invariants {
    let n = z.nrows();
    // Z ⊗ E₃: rows and columns 3 k + a.
    let blocks = Mat::from_fn(3 * n, 3 * n, |i, j| if i % 3 == j % 3 { z[(i / 3, j / 3)] } else { 0.0 });
    let congruent = |matrix: &Mat<f64>| z.transpose() * matrix * z;
    let diagonal = congruent(&old.stiffness_modal);
    let known = |pairs: &PairIntegrals| pairs.all().expect("imported integrals are in memory").clone();
    Invariants {
        mass: old.mass,
        first_moment: old.first_moment,
        inertia: old.inertia,
        coupling_t: &old.coupling_t * z,
        coupling_r0: &old.coupling_r0 * z,
        coupling_r1: (blocks.transpose() * known(&old.coupling_r1) * z).into(),
        inertia_1: blocks.transpose() * &old.inertia_1,
        inertia_2: (blocks.transpose() * known(&old.inertia_2) * &blocks).into(),
        mass_modal: Mat::identity(n, n),
        stiffness_modal: Mat::from_fn(n, n, |i, j| if i == j { diagonal[(i, i)] } else { 0.0 }),
        damping_modal: old.damping_modal.as_ref().map(congruent),
    }
}
