//! Plastic flow of the hourglass modes in a step.
//!
//! The flow of a point of the cell has the multiplier and the direction
//!
//! ```text
//! Δγ(ξ) = Δγ₀ + Σ_m Δγ_m ξ_m + Σ_k Δγ_k ξ_l ξ_m ≥ 0,   N = s₀/|s₀|
//! ```
//!
//! with Δγ₀ and the stress deviator s₀ of the centre. For each field, with strains E of the trial state,
//! stresses S = C E, N_kl = x_k · N x_l and the multipliers γ of all steps,
//!
//! ```text
//! N : C (E − Δγ N) = ⅔ σ_y' (γ + Δγ),   |Δγ| ≤ Δγ₀          along the flow: the hardening
//! E_e = f (E − Δγ N) + (1 − f) E_h,   f = σ_y/(σ_y + 3 μ Δα)    across the flow: the turn of N
//! ```
//!
//! where E_h is the part along N that the hardening holds. f is |s|/|s_trial| of the centre, by which the
//! return reduces deviators across the flow. The bound on Δγ keeps the multiplier from falling below zero at
//! the surface of the cell. Whatever the flow of the centre, w is at most ⅜ σ_y²/E.

use super::modes::{Fields, ModeModuli, N_FIELDS};
use crate::constitutive::{ElasticModuli, Flow, LANES, Lanes, Law, ZERO, each, lanes};
use crate::internal_force::one_point::CellAxes;

/// History variables of a cell of a law with history: plastic strains of the fields, their multipliers γ, and
/// the dissipated energy density.
pub(in crate::internal_force) const N_HISTORY: usize = N_STRAINS + N_FIELDS + 1;

/// Numbers of the strains.
pub(super) const N_STRAINS: usize = 12;

/// The trial state of a step.
pub(super) struct Return<'a> {
    moduli: ModeModuli,
    elastic: ElasticModuli,
    flow: Flow,
    /// Elastic strains of the trial state.
    trial: Fields,
    /// N_kl \[m²\].
    direction: Fields,
    /// History variables of the fields in the accepted state.
    old: &'a [Lanes],
}

/// The state of the fields after the flow of the centre, before the limit of the energy.
struct Flowed {
    /// Stresses of the trial state and of N.
    trial: Fields,
    direction: Fields,
    /// N : C N of each field, and the same with the hardening.
    moduli: [Lanes; N_FIELDS],
    stiffness: [Lanes; N_FIELDS],
    /// Δγ without and with its bound.
    free: [Lanes; N_FIELDS],
    multipliers: [Lanes; N_FIELDS],
    /// The part of E along N, and that of E_h.
    along: [Lanes; N_FIELDS],
    held: [Lanes; N_FIELDS],
    /// f, and g of E_e = f E + g N.
    kept: Lanes,
    factors: [Lanes; N_FIELDS],
    strain: Fields,
    stress: Fields,
    energy: Lanes,
}

/// Changes of the trial state along a direction.
pub(super) struct Change {
    pub(super) strain: Fields,
    pub(super) direction: Fields,
    /// Of Δα.
    pub(super) flow: Lanes,
}

impl<'a> Return<'a> {
    /// * `old` — history variables of the accepted state: of the law, and of the fields
    /// * `strain` — of the modes, and the direction N_kl
    #[inline(always)]
    pub(super) fn new<L: Law>(
        law: &L,
        axes: &CellAxes,
        [old_law, old]: [&'a [Lanes]; 2],
        flow: Flow,
        (strain, direction): (&Fields, Fields),
    ) -> Self {
        let moduli = ModeModuli::new(axes, law, old_law);
        let trial = strain.minus(&old[..N_STRAINS]);
        Self { moduli, elastic: law.elastic_moduli(), flow, trial, direction, old }
    }

    /// ⅔ dσ_y/dα.
    #[inline(always)]
    fn hardening(&self, i: usize) -> f64 {
        2.0 / 3.0 * self.flow.slope[i]
    }

    /// f.
    #[inline(always)]
    fn kept(&self) -> Lanes {
        let Flow { strain, yield_stress, .. } = &self.flow;
        lanes(|i| yield_stress[i] / (yield_stress[i] + 3.0 * self.elastic.mu * strain[i]))
    }

    /// ⅜ σ_y²/E: bending reaches the plastic moment of the cell.
    #[inline(always)]
    fn limit(&self) -> Lanes {
        lanes(|i| 0.375 * self.flow.yield_stress[i] * self.flow.yield_stress[i] / self.elastic.young())
    }

    #[inline(always)]
    fn flowed(&self) -> Flowed {
        let (trial, direction) = (self.moduli.stress(&self.trial), self.moduli.stress(&self.direction));
        let known = |field: usize| &self.old[N_STRAINS + field];
        let moduli = self.direction.products(&direction);
        let stiffness: [Lanes; N_FIELDS] = each(|n| lanes(|i| moduli[n][i] + self.hardening(i)));
        let pressed = self.direction.products(&trial);
        let ratio = |a: f64, b: f64| if b > 0.0 { a / b } else { 0.0 };
        let free: [Lanes; N_FIELDS] =
            each(|n| lanes(|i| ratio(pressed[n][i] - self.hardening(i) * known(n)[i], stiffness[n][i])));
        let largest = lanes(|i| 1.5_f64.sqrt() * self.flow.strain[i]);
        let multipliers: [Lanes; N_FIELDS] = each(|n| lanes(|i| free[n][i].min(largest[i]).max(-largest[i])));
        let along: [Lanes; N_FIELDS] = each(|n| lanes(|i| ratio(pressed[n][i], moduli[n][i])));
        let held: [Lanes; N_FIELDS] =
            each(|n| lanes(|i| ratio(self.hardening(i) * (along[n][i] + known(n)[i]), stiffness[n][i])));
        let kept = self.kept();
        let factors: [Lanes; N_FIELDS] =
            each(|n| lanes(|i| (1.0 - kept[i]) * held[n][i] - kept[i] * multipliers[n][i]));
        let sum = |a: &Fields, b: &Fields| {
            a.combined(b, |n, trial, direction, i| kept[i] * trial + factors[n][i] * direction)
        };
        let (strain, stress) = (sum(&self.trial, &self.direction), sum(&trial, &direction));
        let twice = strain.contraction(&stress);
        Flowed {
            trial,
            direction,
            moduli,
            stiffness,
            free,
            multipliers,
            along,
            held,
            kept,
            factors,
            strain,
            stress,
            energy: lanes(|i| 0.5 * twice[i]),
        }
    }

    /// Part of the strains that the limit of the energy leaves.
    #[inline(always)]
    fn limited(&self, energy: &Lanes) -> Lanes {
        let limit = self.limit();
        lanes(|i| if energy[i] > limit[i] { (limit[i] / energy[i]).sqrt() } else { 1.0 })
    }

    /// The stresses after the return; writes the history.
    ///
    /// * `moduli` — of the present state
    #[inline(always)]
    pub(super) fn stress(&self, moduli: &ModeModuli, new: &mut [Lanes]) -> Fields {
        let flowed = self.flowed();
        let part = self.limited(&flowed.energy);
        let (strain, stress) = (flowed.strain.scaled(&part), flowed.stress.scaled(&part));
        let plastic = self.trial.combined(&strain, |_, trial, strain, _| trial - strain);
        let more = plastic.linear.as_flattened().iter().chain(&plastic.bilinear);
        for ((new, old), more) in new.iter_mut().zip(self.old).zip(more) {
            *new = lanes(|i| old[i] + more[i]);
        }
        for n in 0..N_FIELDS {
            let old = &self.old[N_STRAINS + n];
            new[N_STRAINS + n] = lanes(|i| old[i] + flowed.multipliers[n][i]);
        }
        // The work of the plastic strains, and the energy that the change of the moduli releases.
        let work = plastic.contraction(&stress);
        let (before, after) = (strain.contraction(&stress), strain.contraction(&moduli.stress(&strain)));
        let last = N_HISTORY - 1;
        new[last] = lanes(|i| self.old[last][i] + work[i] + 0.5 * (before[i] - after[i]));
        stress
    }

    /// The stresses after the return, and their derivative.
    #[inline(always)]
    pub(super) fn d_stress(&self, change: &Change) -> (Fields, Fields) {
        let flowed = self.flowed();
        let mu = self.elastic.mu;
        let Flow { strain: flow, yield_stress, slope } = &self.flow;
        let (d_trial, d_direction) =
            (self.moduli.stress(&change.strain), self.moduli.stress(&change.direction));
        let by_strain = self.direction.products(&d_trial);
        let by_direction = change.direction.products(&flowed.trial);
        let d_moduli = change.direction.products(&flowed.direction);
        let d_kept = lanes(|i| {
            let total = yield_stress[i] + 3.0 * mu * flow[i];
            3.0 * mu * (slope[i] * flow[i] - yield_stress[i]) / (total * total) * change.flow[i]
        });
        let d_factors: [Lanes; N_FIELDS] = each(|n| {
            lanes(|i| {
                let d_pressed = by_strain[n][i] + by_direction[n][i];
                let (modulus, d_modulus) = (flowed.moduli[n][i], 2.0 * d_moduli[n][i]);
                let (stiffness, multiplier) = (flowed.stiffness[n][i], flowed.multipliers[n][i]);
                if modulus <= 0.0 {
                    return 0.0;
                }
                let d_multiplier = if flowed.free[n][i] == multiplier {
                    (d_pressed - multiplier * d_modulus) / stiffness
                } else {
                    1.5_f64.sqrt() * change.flow[i] * multiplier.signum()
                };
                let d_along = (d_pressed - flowed.along[n][i] * d_modulus) / modulus;
                let held = flowed.held[n][i];
                let d_held = (self.hardening(i) * d_along - held * d_modulus) / stiffness;
                let kept = flowed.kept[i];
                (1.0 - kept) * d_held - kept * d_multiplier - d_kept[i] * (held + multiplier)
            })
        });
        let factors = &flowed.factors;
        let sum = |first: [&Fields; 2], second: [&Fields; 2]| {
            let fixed =
                first[0].combined(first[1], |_, own, d_own, i| d_kept[i] * own + flowed.kept[i] * d_own);
            let turned = second[0]
                .combined(second[1], |n, own, d_own, i| d_factors[n][i] * own + factors[n][i] * d_own);
            fixed.combined(&turned, |_, a, b, _| a + b)
        };
        let d_stress = sum([&flowed.trial, &d_trial], [&flowed.direction, &d_direction]);
        // dw = E : dS, as the moduli are symmetric.
        let d_energy = flowed.strain.contraction(&d_stress);
        let (part, limit) = (self.limited(&flowed.energy), self.limit());
        let d_part = lanes(|i| {
            if flowed.energy[i] <= limit[i] {
                return 0.0;
            }
            let d_limit = 2.0 * slope[i] * change.flow[i] / yield_stress[i];
            0.5 * part[i] * (d_limit - d_energy[i] / flowed.energy[i])
        });
        let stress = flowed.stress.scaled(&part);
        (stress, flowed.stress.combined(&d_stress, |_, own, d_own, i| d_part[i] * own + part[i] * d_own))
    }
}

/// The direction N of the flow of the centre in inertial axes, and its size |s₀|.
pub(super) struct Direction {
    unit: [[Lanes; 3]; 3],
    size: Lanes,
}

impl Direction {
    /// * `kirchhoff` — τ = P Fᵀ of the centre \[Pa\]
    #[inline(always)]
    pub(super) fn new(kirchhoff: &[[Lanes; 3]; 3]) -> Self {
        let unit = deviator(kirchhoff);
        let mut squares = ZERO;
        for entry in unit.as_flattened() {
            (0..LANES).for_each(|i| squares[i] += entry[i] * entry[i]);
        }
        let size = lanes(|i| squares[i].sqrt());
        let unit = each(|a| each(|b| lanes(|i| if size[i] > 0.0 { unit[a][b][i] / size[i] } else { 0.0 })));
        Self { unit, size }
    }

    /// Strains x_k · N x_l of each field.
    #[inline(always)]
    pub(super) fn fields(&self, axes: &[[Lanes; 3]; 3]) -> Fields {
        between(&self.unit, axes, axes)
    }

    /// Changes of the strains by those of τ and of the axes.
    #[inline(always)]
    pub(super) fn change(
        &self,
        d_kirchhoff: &[[Lanes; 3]; 3],
        axes: &[[Lanes; 3]; 3],
        d_axes: &[[Lanes; 3]; 3],
    ) -> Fields {
        let d_deviator = deviator(d_kirchhoff);
        let mut longer = ZERO;
        for (n, d) in self.unit.as_flattened().iter().zip(d_deviator.as_flattened()) {
            (0..LANES).for_each(|i| longer[i] += n[i] * d[i]);
        }
        let d_unit = each(|a| {
            each(|b| {
                lanes(|i| match self.size[i] > 0.0 {
                    true => (d_deviator[a][b][i] - longer[i] * self.unit[a][b][i]) / self.size[i],
                    false => 0.0,
                })
            })
        });
        let turned = between(&d_unit, axes, axes);
        let (left, right) = (between(&self.unit, d_axes, axes), between(&self.unit, axes, d_axes));
        let moved = left.combined(&right, |_, a, b, _| a + b);
        turned.combined(&moved, |_, a, b, _| a + b)
    }
}

/// The fields of a_k · N b_l.
#[inline(always)]
fn between(n: &[[Lanes; 3]; 3], left: &[[Lanes; 3]; 3], right: &[[Lanes; 3]; 3]) -> Fields {
    let turned: [[Lanes; 3]; 3] =
        each(|l| each(|a| lanes(|i| (0..3).map(|b| n[a][b][i] * right[l][b][i]).sum::<f64>())));
    Fields::of_tensor(|k, l| lanes(|i| (0..3).map(|a| left[k][a][i] * turned[l][a][i]).sum::<f64>()))
}

#[inline(always)]
fn deviator(tensor: &[[Lanes; 3]; 3]) -> [[Lanes; 3]; 3] {
    let mean = lanes(|i| (tensor[0][0][i] + tensor[1][1][i] + tensor[2][2][i]) / 3.0);
    each(|a| each(|b| lanes(|i| tensor[a][b][i] - if a == b { mean[i] } else { 0.0 })))
}
