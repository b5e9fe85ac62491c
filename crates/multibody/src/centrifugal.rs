//! Static response of quasistatic modes to centrifugal forces.
//!
//! A body that turns at ω (body axes) loads mode k with `½ ωᵀ (I1_k + I1_kᵀ) ω`. Dynamic modes
//! respond; quasistatic modes respond to contact alone. Their static response would have the energy
//!
//! ```text
//! E_c(ω) = ½ Σ_k (½ ωᵀ (I1_k + I1_kᵀ) ω)² / ω_k² = ½ sᵀ G s,   s = (ω₁², ω₂², ω₃², ω₁ω₂, ω₁ω₃, ω₂ω₃)
//! ```
//!
//! over all quasistatic modes.

use carom_reduce::Stiffening;
use faer::{Mat, MatRef};
use nalgebra::Vector3;

/// G: the compliance of the quasistatic modes of a body under products of angular velocities, 6 × 6.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct CentrifugalCompliance([[f64; 6]; 6]);

/// Pairs of axes in the order of s.
const PAIRS: [[usize; 2]; 6] = Stiffening::PAIRS;

/// Generalised forces on all modes, one row for each component of s: 6 × n.
pub(crate) fn centrifugal_loads(inertia_1: MatRef<'_, f64>) -> Mat<f64> {
    Mat::from_fn(6, inertia_1.nrows() / 3, |pair, k| {
        let [a, b] = PAIRS[pair];
        let sum = inertia_1[(3 * k + a, b)] + inertia_1[(3 * k + b, a)];
        if a == b { 0.5 * sum } else { sum }
    })
}

impl CentrifugalCompliance {
    /// The compliance of the modes from `first` on; none if there is none.
    ///
    /// * `loads` — of [`centrifugal_loads`], over these modes
    /// * `omega` — their circular frequencies \[rad/s\]
    pub(crate) fn new(loads: MatRef<'_, f64>, omega: &[f64], first: usize) -> Option<Self> {
        let mut g = [[0.0; 6]; 6];
        for (k, omega) in omega.iter().enumerate().skip(first) {
            for (i, row) in g.iter_mut().enumerate() {
                for (j, entry) in row.iter_mut().enumerate() {
                    *entry += loads[(i, k)] * loads[(j, k)] / (omega * omega);
                }
            }
        }
        g.iter().flatten().any(|entry| *entry != 0.0).then_some(Self(g))
    }

    /// E_c \[J\] at an angular velocity in body axes \[rad/s\].
    pub(crate) fn energy(&self, omega: &Vector3<f64>) -> f64 {
        let s = PAIRS.map(|[a, b]| omega[a] * omega[b]);
        0.5 * self
            .0
            .iter()
            .zip(s)
            .map(|(row, x)| x * row.iter().zip(s).map(|(g, y)| g * y).sum::<f64>())
            .sum::<f64>()
    }
}
