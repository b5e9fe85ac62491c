//! Constitutive laws for large deformation: stored energy, stress and tangent at batches of points.
//!
//! A law maps the displacement gradient H = ∂u/∂X, hence the deformation gradient F = E₃ + H, to the energy
//! ψ per undeformed volume, the first Piola-Kirchhoff stress P and the tangent A = ∂P/∂F:
//!
//! ```text
//! P = ∂ψ/∂F,   A_abcd = ∂P_ab/∂F_cd,   force per undeformed area with normal N: P N
//! ```
//!
//! Laws read H and not F, because 1 + 10⁻⁶ would lose digits of small strains. They do not depend on density,
//! time or scheme. A law without history that is a function of Green's strain implements [`Hyperelastic`] and
//! so is a [`Law`]. A law with history implements [`Law`]: it has [`Law::n_history`] numbers at each point,
//! reads those of the last accepted state and writes those of the present one; the scheme accepts them
//! ([`crate::internal_force::History::commit`]).
//!
//! Points are evaluated in batches of [`LANES`], stored as arrays of numbers side by side, so that plain
//! loops become vector instructions. [`verify`] measures for any law whether stress, tangent and energy
//! belong together, and whether a rotation of the body changes them as it must.
//!
//! ```
//! use carom_fem::constitutive::{ElasticModuli, NeoHookean, verify};
//!
//! let moduli = ElasticModuli::from_young_poisson(5.0e6, 0.45)?;
//! let report = verify(&NeoHookean::new(moduli)?, &moduli);
//! assert!(report.stress_error.unwrap() < 1e-7);
//! assert!(report.rotated_energy_error < 1e-12);
//! # Ok::<(), carom_fem::constitutive::LawError>(())
//! ```

mod elastic;
mod hyperelastic;
mod moduli;
mod neo_hookean;
mod plastic;
mod saint_venant;
mod small_strain;
mod solid;
mod verification;

pub use elastic::ElasticLaw;
pub use hyperelastic::{Hyperelastic, PLACE, Symmetric, green_strain};
pub use moduli::{ElasticModuli, LawError};
pub use neo_hookean::NeoHookean;
pub use plastic::{Hardening, Plastic};
pub use saint_venant::SaintVenantKirchhoff;
pub use small_strain::SmallStrain;
pub use solid::{SolidLaw, linear_laws};
pub use verification::{Verification, verify};

/// Points of a batch.
pub const LANES: usize = 4;

/// One number at each point of a batch.
pub type Lanes = [f64; LANES];

/// A 3×3 tensor at each point of a batch, component ab in entry 3a + b.
pub type Tensor = [Lanes; 9];

/// ∂P_ab/∂F_cd at each point of a batch, in entry `[3a + b][3c + d]`.
pub type Tangent = [Tensor; 9];

/// Zeros.
pub const ZERO: Lanes = [0.0; LANES];

/// A number for each lane.
#[inline(always)]
pub fn lanes(f: impl FnMut(usize) -> f64) -> Lanes {
    each(f)
}

/// An array of values by their places, for kernels: `std::array::from_fn` calls its function through
/// wrappers, which the compiler leaves outside of a kernel, compiled without its wide vectors.
#[inline(always)]
pub(crate) fn each<const N: usize, T: Copy + Default>(mut f: impl FnMut(usize) -> T) -> [T; N] {
    let mut out = [T::default(); N];
    for k in 0..N {
        out[k] = f(k);
    }
    out
}

/// Plastic flow of a batch of points in a step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Flow {
    /// The equivalent plastic strain Δα of the step, ≥ 0.
    pub strain: Lanes,
    /// The yield stress σ_y at its end \[Pa\].
    pub yield_stress: Lanes,
    /// dσ_y/dα there \[Pa\].
    pub slope: Lanes,
}

/// A constitutive law of a solid.
///
/// All functions work on a batch of points; `history` has [`Law::n_history`] entries.
pub trait Law: Sync {
    /// The name in scenarios and messages.
    fn name(&self) -> &'static str;

    /// Whether the law is objective: under a rotation of the body ψ(QF) = ψ(F), P(QF) = Q P(F).
    ///
    /// Objective laws are for large deformation: sweeps then report cells with det F ≤ 0.
    fn is_objective(&self) -> bool {
        true
    }

    /// Whether A_abcd = A_cdab.
    fn is_symmetric(&self) -> bool {
        true
    }

    /// The moduli of small strains of the undeformed material.
    fn elastic_moduli(&self) -> ElasticModuli;

    /// The plastic flow of a step; none for a law that does not yield.
    ///
    /// * `old`, `new` — history variables before and after the step
    fn flow(&self, _old: &[Lanes], _new: &[Lanes]) -> Option<Flow> {
        None
    }

    /// The directional derivative of the plastic strain of [`Law::flow`].
    ///
    /// * `old` — history variables of the last accepted state
    fn flow_product(&self, _h: &Tensor, _old: &[Lanes], _dh: &Tensor) -> Lanes {
        ZERO
    }

    /// The right Cauchy-Green tensor C_p of the plastic deformation of a state; none if the law does not
    /// flow.
    fn plastic_metric(&self, _history: &[Lanes]) -> Option<Symmetric> {
        None
    }

    /// Number of history variables at each point.
    fn n_history(&self) -> usize {
        0
    }

    /// Writes the history variables of the undeformed state.
    fn initial_history(&self, history: &mut [f64]) {
        history.fill(0.0);
    }

    /// The stored energy per undeformed volume of a state \[J/m³\].
    ///
    /// * `h` — H = F − E₃
    /// * `history` — the history variables of the same state
    fn stored_energy(&self, h: &Tensor, history: &[Lanes]) -> Lanes;

    /// The dissipated energy per undeformed volume up to a state, which is never negative and never decreases
    /// \[J/m³\].
    fn dissipated_energy(&self, _history: &[Lanes]) -> Lanes {
        ZERO
    }

    /// The equivalent plastic strain of a state; zero for a law that does not yield.
    fn plastic_strain(&self, _history: &[Lanes]) -> Lanes {
        ZERO
    }

    /// The first Piola-Kirchhoff stress P \[Pa\].
    ///
    /// * `old` — history variables of the last accepted state
    /// * `new` — receives those of this state
    fn stress(&self, h: &Tensor, old: &[Lanes], new: &mut [Lanes], pk1: &mut Tensor);

    /// The directional derivative of the stress, dP = A : dF \[Pa\].
    fn tangent_product(&self, h: &Tensor, old: &[Lanes], dh: &Tensor, d_pk1: &mut Tensor);

    /// The tangent A = ∂P/∂F \[Pa\].
    #[inline(always)]
    fn tangent(&self, h: &Tensor, old: &[Lanes], tangent: &mut Tangent) {
        for cd in 0..9 {
            let (mut dh, mut column) = ([ZERO; 9], [ZERO; 9]);
            dh[cd] = [1.0; LANES];
            self.tangent_product(h, old, &dh, &mut column);
            for ab in 0..9 {
                tangent[ab][cd] = column[ab];
            }
        }
    }
}

/// The product A B.
#[inline(always)]
pub(crate) fn product(a: &Tensor, b: &Tensor) -> Tensor {
    each(|k| {
        let (i, j) = (k / 3, k % 3);
        lanes(|l| a[3 * i][l] * b[j][l] + a[3 * i + 1][l] * b[3 + j][l] + a[3 * i + 2][l] * b[6 + j][l])
    })
}

/// det F − 1 of F = E₃ + H, without cancellation: tr H + the sum of its principal minors + det H.
#[inline(always)]
pub fn volume_change(h: &Tensor) -> Lanes {
    lanes(|l| {
        let m = |k: usize| h[k][l];
        let trace = m(0) + m(4) + m(8);
        let minors = (m(0) * m(4) - m(1) * m(3)) + (m(4) * m(8) - m(5) * m(7)) + (m(0) * m(8) - m(2) * m(6));
        let det = m(0) * (m(4) * m(8) - m(5) * m(7)) - m(1) * (m(3) * m(8) - m(5) * m(6))
            + m(2) * (m(3) * m(7) - m(4) * m(6));
        trace + minors + det
    })
}

/// Cauchy's stress σ = P Fᵀ / det F, components xx, yy, zz, xy, yz, xz \[Pa\].
pub fn cauchy_stress(h: &Tensor, pk1: &Tensor) -> Symmetric {
    let change = volume_change(h);
    let component = |a: usize, b: usize| {
        lanes(|l| {
            let product: f64 = (0..3).map(|c| pk1[3 * a + c][l] * h[3 * b + c][l]).sum();
            (pk1[3 * a + b][l] + product) / (1.0 + change[l])
        })
    };
    // P Fᵀ is symmetric; the mean of both triangles halves the rounding.
    let mean = |a: usize, b: usize| {
        let (upper, lower) = (component(a, b), component(b, a));
        lanes(|l| 0.5 * (upper[l] + lower[l]))
    };
    [mean(0, 0), mean(1, 1), mean(2, 2), mean(0, 1), mean(1, 2), mean(0, 2)]
}
