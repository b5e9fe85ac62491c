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
//! Plastic flow of the centre is a flow of the whole field ([`flow`]): the multiplier of the flow varies over
//! the cell as the strains do. Bending along the flow is resisted by hardening alone, bending across it by
//! the turn of the flow. The metric G of such a law has C_p of the centre, G_kl = ∂X/∂ξ_k · C_p ∂X/∂ξ_l: a
//! cell that has been stretched to twice its length bends as one that was made so. C_p is that of the
//! accepted state. The work of the plastic strains, and the energy that a change of G releases, are
//! dissipated.
//!
//! # Source
//!
//! Puso (2000), International Journal for Numerical Methods in Engineering 49, 1029–1064, for one point,
//! hourglass vectors in the axes of the cell and strains of bending without stress across the plane. Theirs
//! are rates in a frame that turns with the cell; these are derivatives of an energy.

mod flow;
mod modes;

use super::cell_map::{CellMap, CellPoints};
use super::chunk::lower;
use super::one_point::{CellAxes, N_COEFFICIENTS};
use super::point_map::{LawMap, Wanted};
use crate::constitutive::{LANES, Lanes, Law, Tensor, ZERO, each, lanes, volume_change};
use flow::{Change, Direction, N_STRAINS, Return};
use modes::{Fields, ModeModuli, Modes};

pub(super) use flow::N_HISTORY;

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
        let (old, old_fields) = old.split_at(n_law);
        let (new, new_fields) = new.split_at_mut(n_law);
        let strain = Fields::of(&frame.modes());
        // Plastic strains of the present state; laws without history have none.
        let hourglass_energy = |new: &[Lanes], new_fields: &[Lanes]| {
            let elastic = strain.minus(&new_fields[..N_STRAINS.min(new_fields.len())]);
            let twice = elastic.contraction(&ModeModuli::new(axes, law, new).stress(&elastic));
            lanes(|l| 0.5 * twice[l])
        };
        match M::WANTED {
            Wanted::Stored => {
                let (energy, more) = (law.stored_energy(&h, new), hourglass_energy(new, new_fields));
                lanes(|l| volume[l] * (energy[l] + more[l]))
            }
            Wanted::Hourglass => {
                let energy = hourglass_energy(new, new_fields);
                lanes(|l| volume[l] * energy[l])
            }
            Wanted::Stress => {
                let mut pk1 = [ZERO; 9];
                law.stress(&h, old, new, &mut pk1);
                let stress = match law.flow(old, new) {
                    None => ModeModuli::new(axes, law, old).stress(&strain),
                    Some(flow) => {
                        let direction = Direction::new(&kirchhoff(&h, &pk1)).fields(&frame.axes);
                        let of_step = Return::new(law, axes, [old, old_fields], flow, (&strain, direction));
                        of_step.stress(&ModeModuli::new(axes, law, new), new_fields)
                    }
                };
                if points.has_force {
                    let on_arms = frame.add_stress(axes, &stress.on_modes(), &mut pk1);
                    write(&mut points, &pk1, &on_arms);
                }
                ZERO
            }
            Wanted::Product => {
                let mut pk1 = [ZERO; 9];
                law.stress(&h, old, new, &mut pk1);
                let dh = points.maps[0].gradient(&points.local[1][0]);
                let mut d_pk1 = [ZERO; 9];
                law.tangent_product(&h, &points.old[..n_law], &dh, &mut d_pk1);
                let change = frame.change(axes, &dh, &points.local[1][0]);
                let d_strain = Fields::of(&change.modes);
                let (old, old_fields) = points.old.split_at(n_law);
                let moduli = ModeModuli::new(axes, law, old);
                let (stress, d_stress) = match law.flow(old, &points.new[..n_law]) {
                    None => (moduli.stress(&strain), moduli.stress(&d_strain)),
                    Some(flow) => {
                        let of_center = Direction::new(&kirchhoff(&h, &pk1));
                        let d_kirchhoff = d_kirchhoff(&h, &pk1, &dh, &d_pk1);
                        let d_direction = of_center.change(&d_kirchhoff, &frame.axes, &change.axes);
                        let direction = of_center.fields(&frame.axes);
                        let of_step = Return::new(law, axes, [old, old_fields], flow, (&strain, direction));
                        let d_flow = law.flow_product(&h, old, &dh);
                        of_step.d_stress(&Change { strain: d_strain, direction: d_direction, flow: d_flow })
                    }
                };
                let (stress, d_stress) = (stress.on_modes(), d_stress.on_modes());
                let on_arms = frame.add_change(axes, &stress, &d_stress, &change, &mut d_pk1);
                write(&mut points, &d_pk1, &on_arms);
                ZERO
            }
        }
    }
}

/// τ = P Fᵀ.
#[inline(always)]
fn kirchhoff(h: &Tensor, pk1: &Tensor) -> [[Lanes; 3]; 3] {
    each(|a| {
        each(|b| {
            lanes(|l| pk1[3 * a + b][l] + (0..3).map(|c| pk1[3 * a + c][l] * h[3 * b + c][l]).sum::<f64>())
        })
    })
}

/// dτ = dP Fᵀ + P dFᵀ.
#[inline(always)]
fn d_kirchhoff(h: &Tensor, pk1: &Tensor, dh: &Tensor, d_pk1: &Tensor) -> [[Lanes; 3]; 3] {
    let of_stress = kirchhoff(h, d_pk1);
    each(|a| {
        each(|b| {
            lanes(|l| of_stress[a][b][l] + (0..3).map(|c| pk1[3 * a + c][l] * dh[3 * b + c][l]).sum::<f64>())
        })
    })
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
struct FrameChange {
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
    fn change(
        &self,
        axes: &CellAxes,
        dh: &Tensor,
        coefficients: &[[Lanes; 3]; N_COEFFICIENTS],
    ) -> FrameChange {
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
        FrameChange { axes: d_axes, vectors: d_vectors, modes }
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
        change: &FrameChange,
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
