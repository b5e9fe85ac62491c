//! Small oscillations about an equilibrium: frequencies, damping ratios, participation of the bodies.
//!
//! ```text
//! Zᵀ K Z v = ω² v ,   ξ = Z v ,   ξᵀ M ξ = 1
//! share of body b = ξ_bᵀ M_b ξ_b ,     effective mass along a = (ξᵀ M r_a)²
//! ```
//!
//! r_a moves all free bodies by one unit along the inertial axis a. With D = Vᵀ Zᵀ D Z V over these modes the
//! damped oscillations are the eigenvalues of
//!
//! ```text
//! ⎡  0    E ⎤          μ = −ζ ω ± i ω √(1 − ζ²)
//! ⎣ −Ω²  −D ⎦
//! ```

use nalgebra::{DMatrix, DVector};

use super::describe::describe;
use super::tangent::Tangent;
use crate::system::System;

/// Largest coupling d_ij²/(d_ii d_jj) of modes by damping at which each has its own damping ratio.
const UNCOUPLED: f64 = 1e-6;

/// Damping below which there is none, relative to ω.
const UNDAMPED: f64 = 1e-9;

/// A small oscillation about an equilibrium.
#[derive(Debug, Clone, PartialEq)]
pub struct EquilibriumMode {
    /// ω/2π without damping \[Hz\]; −|ω|/2π of a motion that grows as exp(|ω| t).
    pub frequency: f64,
    /// ζ; none where damping couples modes of which some do not oscillate.
    pub damping_ratio: Option<f64>,
    /// The motion in words: the body that moves most, and how.
    pub motion: String,
    /// Effective mass along the inertial axes \[kg\].
    pub effective_mass: [f64; 3],
    /// Share of each body in the kinetic energy.
    pub shares: Vec<f64>,
}

/// The modes of a tangent, in ascending order.
///
/// * `damping` — Zᵀ D Z \[1/s\]
pub(super) fn modes(system: &mut System, tangent: &Tangent, damping: &DMatrix<f64>) -> Vec<EquilibriumMode> {
    let pairs = tangent.stiffness.clone().symmetric_eigen();
    let mut order: Vec<usize> = (0..tangent.freedoms()).collect();
    order.sort_by(|&a, &b| pairs.eigenvalues[a].total_cmp(&pairs.eigenvalues[b]));
    let vectors = pairs.eigenvectors.select_columns(&order);
    let squares: Vec<f64> = order.iter().map(|&k| pairs.eigenvalues[k]).collect();
    let damping = vectors.tr_mul(&(damping * &vectors));
    let ratios = damping_ratios(&squares, &damping);
    let (mass, _) = system.masses_and_rows();
    let parts = system.states().parts();
    let rigid = DMatrix::from_fn(mass.nrows(), 3, |row, axis| {
        let of = |part: &carom_integrate::Part| !part.is_held && row == part.velocities.start + axis;
        f64::from(u8::from(parts.iter().any(of)))
    });
    let shapes = &tangent.motions * &vectors;
    let all = shapes.column_iter().zip(squares.iter().zip(ratios));
    all.map(|(shape, (square, damping_ratio))| {
        let shape: DVector<f64> = shape.into_owned();
        let momenta = &mass * &shape;
        let share = |part: &carom_integrate::Part| {
            part.velocities.clone().map(|k| shape[k] * momenta[k]).sum::<f64>()
        };
        EquilibriumMode {
            frequency: square.abs().sqrt().copysign(*square) / std::f64::consts::TAU,
            damping_ratio,
            motion: describe(system, &shape),
            effective_mass: [0, 1, 2].map(|axis| rigid.column(axis).dot(&momenta).powi(2)),
            shares: parts.iter().map(share).collect(),
        }
    })
    .collect()
}

/// ζ of each mode, for ω² in ascending order and the damping over the modes.
fn damping_ratios(squares: &[f64], damping: &DMatrix<f64>) -> Vec<Option<f64>> {
    let n = squares.len();
    let own: Vec<f64> = (0..n).map(|k| damping[(k, k)] / (2.0 * squares[k].abs().sqrt())).collect();
    let scale = (0..n).map(|k| damping[(k, k)].abs()).fold(0.0, f64::max);
    let is_coupled = |(i, j): (usize, usize)| {
        let product = (damping[(i, i)] * damping[(j, j)]).abs().max((UNDAMPED * scale).powi(2));
        i != j && damping[(i, j)].powi(2) > UNCOUPLED * product
    };
    let mut all = (0..n).flat_map(|i| (0..n).map(move |j| (i, j)));
    if scale == 0.0 || !all.any(is_coupled) {
        return own.into_iter().map(|ratio| Some(if ratio.abs() < UNDAMPED { 0.0 } else { ratio })).collect();
    }
    let mut system = DMatrix::zeros(2 * n, 2 * n);
    for k in 0..n {
        system[(k, n + k)] = 1.0;
        system[(n + k, k)] = -squares[k];
    }
    system.view_mut((n, n), (n, n)).copy_from(&(-damping));
    let mut found: Vec<_> = system.complex_eigenvalues().iter().filter(|mu| mu.im > 0.0).copied().collect();
    if found.len() < n {
        return vec![None; n];
    }
    found.sort_by(|a, b| a.norm().total_cmp(&b.norm()));
    found.into_iter().map(|mu| Some(-mu.re / mu.norm())).collect()
}
