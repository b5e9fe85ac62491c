//! Physical stabilisation of hexahedra with one quadrature point: hourglass energy by assumed strains.
//!
//! ```text
//! h_α = û_α − H₀ X̂_α (α = 4 … 7),   x_k = F₀ ∂X/∂ξ_k,   q_αk = x_k · h_α
//! W = V ψ(F₀) + V w(q)
//! ```
//!
//! The q are coefficients of Green's strain in the axes of the cell: the part of the strain that varies over
//! the cell. They are zero for linear fields, and a rotation does not change them. Of their strains the
//! energy w keeps those of bending and torsion,
//!
//! ```text
//! linear in ξ_m:   E_kk = q_lk ξ_m,   E_ll = q_kl ξ_m,   2 E_kl = (q_kk + q_ll) ξ_m   (k, l, m cyclic)
//! bilinear:        E_kk = q_7k ξ_l ξ_m
//! w = ½ Σ_m ⅓ E : C* : E + ½ Σ_k ⅑ Y E_kk²/G_kk²
//! ```
//!
//! where C* is the modulus without stress on the planes ξ_m = const, Y Young's modulus and G the metric of
//! the undeformed cell. Transverse shear of bending and changes of volume have no part in w: a parallelepiped
//! bends as a beam does, and nothing locks. The forces are the derivatives of W, so that energy and angular
//! momentum are conserved.
//!
//! Plastic flow relaxes the modes. A law that yields has elastic modes q − q_p, which a step scales by the
//! larger reduction of two:
//!
//! ```text
//! flow of the centre:   f = |s|/|s_trial| = σ_y/(σ_y + 3 μ Δα)
//! bending alone:        w ≤ ⅜ σ_y²/Y, where the moment reaches the plastic moment of the cell
//! ```
//!
//! The first is the return of the centre, to which the points around it go as well: a cell that flows in
//! tension or compression resists bending by a viscous stress of about σ_y q̇/α̇, not by its elastic modulus.
//! The metric G of such a law has C_p of the centre, G_kl = ∂X/∂ξ_k · C_p ∂X/∂ξ_l: a cell that has been
//! stretched to twice its length bends as one that was made so. C_p is that of the accepted state. The work
//! of q_p, and the energy that a change of G releases, are dissipated.
//!
//! # Source
//!
//! Puso (2000), International Journal for Numerical Methods in Engineering 49, 1029–1064, for one point,
//! hourglass vectors in the axes of the cell and strains of bending without stress across the plane. Theirs
//! are rates in a frame that turns with the cell; these are derivatives of an energy.

use super::cell_map::{CellMap, CellPoints};
use super::chunk::lower;
use super::one_point::{CellAxes, CellMetric, N_COEFFICIENTS};
use super::point_map::{LawMap, Wanted};
use crate::constitutive::{ElasticModuli, LANES, Lanes, Law, Tensor, ZERO, each, lanes, volume_change};

/// History variables of a cell of a law with history: q_p, and the dissipated energy density.
pub(super) const N_HISTORY: usize = 13;

/// q of the four hourglass vectors along the three axes.
type Modes = [[Lanes; 3]; 4];

/// A computation with the law of a block in cells with one point.
pub(super) struct OnePoint<M>(pub(super) M);

impl<const N: usize, M: LawMap<N>> CellMap<N_COEFFICIENTS, N> for OnePoint<M> {
    fn checked_field(&self) -> Option<usize> {
        self.0.checked_field()
    }

    #[inline(always)]
    fn apply(&self, mut points: CellPoints<'_, N_COEFFICIENTS>) -> Lanes {
        let law = self.0.law();
        let Some(axes) = points.axes else { return ZERO };
        let h = points.gradient(0, 0);
        if self.0.checked_field().is_some() {
            lower(points.least, &volume_change(&h));
        }
        let frame = Frame::new(axes, &h, &points, law.is_objective());
        let n_law = law.n_history();
        let volume = points.maps[0].volume;
        let (old, new) = points.history(0);
        let (old, old_modes) = old.split_at(n_law);
        let (new, new_modes) = new.split_at_mut(n_law);
        match M::WANTED {
            Wanted::Stored => {
                let energy = law.stored_energy(&h, new);
                let elastic = minus(&frame.modes(), new_modes);
                let more = half_product(&elastic, &ModeModuli::new(axes, law, new).times(&elastic));
                lanes(|l| volume[l] * (energy[l] + more[l]))
            }
            Wanted::Hourglass => {
                let elastic = minus(&frame.modes(), new_modes);
                let more = half_product(&elastic, &ModeModuli::new(axes, law, new).times(&elastic));
                lanes(|l| volume[l] * more[l])
            }
            Wanted::Stress => {
                let mut pk1 = [ZERO; 9];
                law.stress(&h, old, new, &mut pk1);
                let returns = Returns::new(axes, law, old, new);
                let stress = returns.stress(&frame.modes(), old_modes, new_modes);
                if points.has_force {
                    let on_arms = frame.add_stress(axes, &stress, &mut pk1);
                    write(&mut points, &pk1, &on_arms);
                }
                ZERO
            }
            Wanted::Product => {
                let mut pk1 = [ZERO; 9];
                law.stress(&h, old, new, &mut pk1);
                let returns = Returns::new(axes, law, old, new);
                let modes = frame.modes();
                let stress = returns.stress(&modes, old_modes, new_modes);
                let dh = points.maps[0].gradient(&points.local[1][0]);
                let mut d_pk1 = [ZERO; 9];
                law.tangent_product(&h, &points.old[..n_law], &dh, &mut d_pk1);
                let change = frame.change(axes, &dh, &points.local[1][0]);
                let old_modes = &points.old[n_law..];
                let d_kept = law.relaxation_product(&h, &points.old[..n_law], &dh);
                let d_stress = returns.d_stress(&minus(&modes, old_modes), &change.modes, &d_kept);
                let on_arms = frame.add_change(axes, &stress, &d_stress, &change, &mut d_pk1);
                write(&mut points, &d_pk1, &on_arms);
                ZERO
            }
        }
    }
}

/// Stresses on the coefficients of the field: those of the mean gradient, and those of hourglass vectors.
#[inline(always)]
fn write(points: &mut CellPoints<'_, N_COEFFICIENTS>, pk1: &Tensor, on_arms: &[[Lanes; 3]; 4]) {
    let maps = &points.maps[0];
    let mut local = maps.stress(pk1);
    for (local, force) in local[3..].iter_mut().zip(on_arms) {
        for a in 0..3 {
            (0..LANES).for_each(|l| local[a][l] += maps.volume[l] * force[a][l]);
        }
    }
    points.local[0][0] = local;
}

/// Deformed axes x_k and hourglass vectors h_α.
struct Frame {
    axes: [[Lanes; 3]; 3],
    vectors: [[Lanes; 3]; 4],
    /// Whether the axes follow the deformation.
    is_large: bool,
}

/// Derivatives of the axes, hourglass vectors and q along a direction.
struct Change {
    axes: [[Lanes; 3]; 3],
    vectors: [[Lanes; 3]; 4],
    modes: Modes,
}

impl Frame {
    #[inline(always)]
    fn new(axes: &CellAxes, h: &Tensor, points: &CellPoints<'_, N_COEFFICIENTS>, is_large: bool) -> Self {
        let mut deformed = axes.axes;
        if is_large {
            for (deformed, axis) in deformed.iter_mut().zip(&axes.axes) {
                let more = times(h, axis);
                for a in 0..3 {
                    (0..LANES).for_each(|l| deformed[a][l] += more[a][l]);
                }
            }
        }
        Self { axes: deformed, vectors: vectors(axes, h, &points.local[0][0]), is_large }
    }

    /// q_αk = x_k · h_α.
    #[inline(always)]
    fn modes(&self) -> Modes {
        each(|m| each(|k| dot(&self.axes[k], &self.vectors[m])))
    }

    #[inline(always)]
    fn change(&self, axes: &CellAxes, dh: &Tensor, coefficients: &[[Lanes; 3]; N_COEFFICIENTS]) -> Change {
        let d_axes: [[Lanes; 3]; 3] =
            if self.is_large { each(|k| times(dh, &axes.axes[k])) } else { [[ZERO; 3]; 3] };
        let d_vectors = vectors(axes, dh, coefficients);
        let modes = each(|m| {
            each(|k| {
                let (of_axes, of_vectors) =
                    (dot(&d_axes[k], &self.vectors[m]), dot(&self.axes[k], &d_vectors[m]));
                lanes(|l| of_axes[l] + of_vectors[l])
            })
        });
        Change { axes: d_axes, vectors: d_vectors, modes }
    }

    /// Adds the derivative of w by H₀ to P, and returns that by the coefficients of the hourglass functions.
    #[inline(always)]
    fn add_stress(&self, axes: &CellAxes, stress: &Modes, pk1: &mut Tensor) -> [[Lanes; 3]; 4] {
        if self.is_large {
            add_axes(axes, stress, &self.vectors, pk1);
        }
        let on_arms: [[Lanes; 3]; 4] = each(|m| combined(&stress[m], &self.axes));
        subtract_arms(axes, &on_arms, pk1);
        on_arms
    }

    /// As [`Frame::add_stress`], for the changes along a direction.
    #[inline(always)]
    fn add_change(
        &self,
        axes: &CellAxes,
        stress: &Modes,
        d_stress: &Modes,
        change: &Change,
        d_pk1: &mut Tensor,
    ) -> [[Lanes; 3]; 4] {
        if self.is_large {
            add_axes(axes, d_stress, &self.vectors, d_pk1);
            add_axes(axes, stress, &change.vectors, d_pk1);
        }
        let on_arms: [[Lanes; 3]; 4] = each(|m| {
            let (a, b) = (combined(&d_stress[m], &self.axes), combined(&stress[m], &change.axes));
            each(|i| lanes(|l| a[i][l] + b[i][l]))
        });
        subtract_arms(axes, &on_arms, d_pk1);
        on_arms
    }
}

/// h_α = û_α − H₀ X̂_α.
#[inline(always)]
fn vectors(axes: &CellAxes, h: &Tensor, coefficients: &[[Lanes; 3]; N_COEFFICIENTS]) -> [[Lanes; 3]; 4] {
    each(|m| {
        let linear = times(h, &axes.arms[m]);
        each(|a| lanes(|l| coefficients[3 + m][a][l] - linear[a][l]))
    })
}

/// P += Σ_αk s_αk h_α ⊗ ∂X/∂ξ_k.
#[inline(always)]
fn add_axes(axes: &CellAxes, stress: &Modes, vectors: &[[Lanes; 3]; 4], pk1: &mut Tensor) {
    for (stress, vector) in stress.iter().zip(vectors) {
        let axis = combined(stress, &axes.axes);
        for a in 0..3 {
            for b in 0..3 {
                (0..LANES).for_each(|l| pk1[3 * a + b][l] += vector[a][l] * axis[b][l]);
            }
        }
    }
}

/// P −= Σ_α y_α ⊗ X̂_α.
#[inline(always)]
fn subtract_arms(axes: &CellAxes, on_arms: &[[Lanes; 3]; 4], pk1: &mut Tensor) {
    for (force, arm) in on_arms.iter().zip(&axes.arms) {
        for a in 0..3 {
            for b in 0..3 {
                (0..LANES).for_each(|l| pk1[3 * a + b][l] -= force[a][l] * arm[b][l]);
            }
        }
    }
}

/// The moduli K of the modes.
struct ModeModuli {
    elastic: ElasticModuli,
    metric: CellMetric,
}

impl ModeModuli {
    /// The moduli in a state of the law.
    #[inline(always)]
    fn new<L: Law>(axes: &CellAxes, law: &L, history: &[Lanes]) -> Self {
        let metric = law.plastic_metric(history).map_or(axes.metric, |c| axes.plastic_metric(&c));
        Self { elastic: law.elastic_moduli(), metric }
    }

    /// ∂w/∂q of elastic modes q − q_p: K (q − q_p) \[Pa m⁻²\].
    #[inline(always)]
    fn times(&self, q: &Modes) -> Modes {
        let ElasticModuli { lambda, mu } = self.elastic;
        let plane_lambda = 2.0 * lambda * mu / (lambda + 2.0 * mu);
        let young = self.elastic.young();
        let mut stress = [[ZERO; 3]; 4];
        for m in 0..3 {
            let (k, l) = ((m + 1) % 3, (m + 2) % 3);
            let [kk, ll, kl] = &self.metric.planes[m];
            for i in 0..LANES {
                let (e_k, e_l, shear) = (q[l][k][i], q[k][l][i], q[k][k][i] + q[l][l][i]);
                let (a, b, c) = (kk[i], ll[i], kl[i]);
                let trace = plane_lambda * (a * e_k + b * e_l + c * shear);
                stress[l][k][i] += (trace * a + 2.0 * mu * (a * a * e_k + c * c * e_l + a * c * shear)) / 3.0;
                stress[k][l][i] += (trace * b + 2.0 * mu * (c * c * e_k + b * b * e_l + b * c * shear)) / 3.0;
                let s_kl = trace * c + 2.0 * mu * (a * c * e_k + b * c * e_l + 0.5 * (a * b + c * c) * shear);
                stress[k][k][i] += s_kl / 3.0;
                stress[l][l][i] += s_kl / 3.0;
            }
            stress[3][m] = lanes(|i| young * self.metric.squares[m][i] * q[3][m][i] / 9.0);
        }
        stress
    }
}

/// The return of the modes of a step: relaxation by the flow of the centre, and the limit of the energy.
struct Returns {
    /// Moduli of the accepted state.
    old: ModeModuli,
    /// Moduli of the present state.
    new: ModeModuli,
    /// Part of the elastic modes that the flow of the centre leaves.
    kept: Lanes,
    /// Largest energy density.
    limit: Lanes,
}

impl Returns {
    #[inline(always)]
    fn new<L: Law>(axes: &CellAxes, law: &L, old: &[Lanes], new: &[Lanes]) -> Self {
        Self {
            old: ModeModuli::new(axes, law, old),
            new: ModeModuli::new(axes, law, new),
            kept: law.relaxation(old, new),
            limit: law.hourglass_limit(new),
        }
    }

    /// Part of the elastic modes of energy density w that the return leaves.
    #[inline(always)]
    fn factor(&self, energy: &Lanes) -> Lanes {
        lanes(|l| {
            let kept = self.kept[l];
            if kept * kept * energy[l] > self.limit[l] { (self.limit[l] / energy[l]).sqrt() } else { kept }
        })
    }

    /// ∂w/∂q after the return, with the history of the state.
    #[inline(always)]
    fn stress(&self, q: &Modes, old: &[Lanes], new: &mut [Lanes]) -> Modes {
        let elastic = minus(q, old);
        let stress = self.old.times(&elastic);
        if old.is_empty() {
            return stress;
        }
        let energy = half_product(&elastic, &stress);
        let factor = self.factor(&energy);
        for (i, (new, old)) in new.iter_mut().zip(old).enumerate().take(12) {
            *new = lanes(|l| old[l] + (1.0 - factor[l]) * elastic[i / 3][i % 3][l]);
        }
        // The work of q_p, and the energy that the change of the moduli releases.
        let later = half_product(&elastic, &self.new.times(&elastic));
        new[12] = lanes(|l| {
            let f = factor[l];
            old[12][l] + 2.0 * f * (1.0 - f) * energy[l] + f * f * (energy[l] - later[l])
        });
        stress.map(|row| row.map(|s| lanes(|l| factor[l] * s[l])))
    }

    /// The derivative of [`Returns::stress`] along changes of q and of the part that is kept.
    #[inline(always)]
    fn d_stress(&self, elastic: &Modes, d_elastic: &Modes, d_kept: &Lanes) -> Modes {
        let (stress, d_stress) = (self.old.times(elastic), self.old.times(d_elastic));
        let (energy, d_energy) = (half_product(elastic, &stress), half_product(d_elastic, &stress));
        let factor = self.factor(&energy);
        // d factor = −½ factor dw/w, dw = 2 half_product.
        let is_limited =
            lanes(|l| f64::from(u8::from(self.kept[l] * self.kept[l] * energy[l] > self.limit[l])));
        let d_factor =
            lanes(|l| if is_limited[l] > 0.0 { -factor[l] * d_energy[l] / energy[l] } else { d_kept[l] });
        each(|m| each(|k| lanes(|l| factor[l] * d_stress[m][k][l] + d_factor[l] * stress[m][k][l])))
    }
}

/// q − q_p; laws without history have no q_p.
#[inline(always)]
fn minus(q: &Modes, plastic: &[Lanes]) -> Modes {
    if plastic.is_empty() {
        return *q;
    }
    each(|m| each(|k| lanes(|l| q[m][k][l] - plastic[3 * m + k][l])))
}

/// ½ Σ q s.
#[inline(always)]
fn half_product(q: &Modes, stress: &Modes) -> Lanes {
    let mut sum = ZERO;
    for (q, s) in q.as_flattened().iter().zip(stress.as_flattened()) {
        (0..LANES).for_each(|l| sum[l] += 0.5 * q[l] * s[l]);
    }
    sum
}

#[inline(always)]
fn dot(a: &[Lanes; 3], b: &[Lanes; 3]) -> Lanes {
    lanes(|l| a[0][l] * b[0][l] + a[1][l] * b[1][l] + a[2][l] * b[2][l])
}

/// H a.
#[inline(always)]
fn times(h: &Tensor, a: &[Lanes; 3]) -> [Lanes; 3] {
    each(|i| lanes(|l| h[3 * i][l] * a[0][l] + h[3 * i + 1][l] * a[1][l] + h[3 * i + 2][l] * a[2][l]))
}

/// Σ_k s_k a_k.
#[inline(always)]
fn combined(s: &[Lanes; 3], a: &[[Lanes; 3]; 3]) -> [Lanes; 3] {
    each(|i| lanes(|l| s[0][l] * a[0][i][l] + s[1][l] * a[1][i][l] + s[2][l] * a[2][i][l]))
}
