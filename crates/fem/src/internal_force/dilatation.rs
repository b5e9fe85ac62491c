//! Cells with mean dilatation: the cure for volumetric locking of linear cells.
//!
//! ```text
//! F̄ = α F,   α = (θ/J)^(1/3),   θ = ∫ J dV / ∫ dV,   W = ∫ ψ(F̄) dV
//! δW = ∫ P : δF dV,   P = α P̄ + (T/θ − t/J) cof F,   t = ⅓ P̄:F̄,   T = ∫ t dV / ∫ dV
//! ```
//!
//! All points of a cell have the volume ratio θ. Forces are derivatives of the energy W, and the tangent is
//! that of the forces. A law of small strains has the linear form, H̄ = H + ⅓ (ē − tr H) E₃ with ē the mean
//! of tr H: the method B̄.
//!
//! # Source
//!
//! Nagtegaal, Parks & Rice (1974), Computer Methods in Applied Mechanics and Engineering 4, 153–177; Simo,
//! Taylor & Pister (1985), the same journal 51, 177–208, whose pressure and dilatation, constant in a cell,
//! give this F̄.

use super::cell_map::{CellMap, CellPoints};
use super::chunk::lower;
use super::point_map::{LawMap, Wanted};
use crate::constitutive::{LANES, Lanes, Law, Tensor, ZERO, each, lanes, volume_change};

/// A computation with the law of a block in cells of mean dilatation.
pub(super) struct MeanDilatation<M>(pub(super) M);

impl<const A: usize, const N: usize, M: LawMap<N>> CellMap<A, N> for MeanDilatation<M> {
    fn checked_field(&self) -> Option<usize> {
        self.0.checked_field()
    }

    #[inline(always)]
    fn apply(&self, mut points: CellPoints<'_, A>) -> Lanes {
        let law = self.0.law();
        let is_large = law.is_objective();
        let means = volumes(&mut points, N, is_large);
        let energy = stresses(&mut points, law, M::WANTED, &means, is_large);
        if points.has_force {
            match (M::WANTED, is_large) {
                (Wanted::Product, true) => change_of_forces(&mut points, &means),
                (Wanted::Product, false) => {
                    linear_forces(&mut points, |memory| (memory.d_stress, memory.d_mean))
                }
                (_, true) => forces(&mut points, &means),
                (_, false) => linear_forces(&mut points, |memory| (memory.stress, memory.mean)),
            }
        }
        energy
    }
}

/// Means over a cell: ∫ dV, θ − 1 and its derivative.
struct Means {
    volume: Lanes,
    change: Lanes,
    d_change: Lanes,
}

/// Stores the gradients of all points and their changes of volume, and returns their means.
#[inline(always)]
fn volumes<const A: usize>(points: &mut CellPoints<'_, A>, n_fields: usize, is_large: bool) -> Means {
    let mut means = Means { volume: ZERO, change: ZERO, d_change: ZERO };
    for point in 0..points.maps.len() {
        let gradient = points.gradient(0, point);
        let change = if is_large { volume_change(&gradient) } else { trace(&gradient) };
        if is_large {
            lower(points.least, &change);
        }
        let weight = &points.maps[point].volume;
        for l in 0..LANES {
            means.volume[l] += weight[l];
            means.change[l] += weight[l] * change[l];
        }
        let d_gradient = if n_fields > 1 { points.gradient(1, point) } else { [ZERO; 9] };
        let memory = &mut points.memory[point];
        (memory.gradient, memory.change) = (gradient, change);
        if n_fields > 1 {
            memory.d_gradient = d_gradient;
            memory.d_change =
                if is_large { contraction(&cofactor(&gradient), &d_gradient) } else { trace(&d_gradient) };
            for l in 0..LANES {
                means.d_change[l] += weight[l] * memory.d_change[l];
            }
        }
    }
    for l in 0..LANES {
        // Lanes without a cell have no volume.
        if means.volume[l] == 0.0 {
            means.volume[l] = 1.0;
        }
        means.change[l] /= means.volume[l];
        means.d_change[l] /= means.volume[l];
    }
    means
}

/// Stores P̄ and t of all points, their derivatives if wanted, and returns the energy of each cell.
#[inline(always)]
fn stresses<const A: usize, L: Law>(
    points: &mut CellPoints<'_, A>,
    law: &L,
    wanted: Wanted,
    means: &Means,
    is_large: bool,
) -> Lanes {
    let mut energy = ZERO;
    for point in 0..points.maps.len() {
        let memory = points.memory[point];
        let (scale, gradient) = modified(&memory.gradient, &memory.change, means, is_large);
        let (old, new) = points.history(point);
        if wanted == Wanted::Stored {
            let density = law.stored_energy(&gradient, new);
            let weight = &points.maps[point].volume;
            (0..LANES).for_each(|l| energy[l] += weight[l] * density[l]);
            continue;
        }
        let mut stress = [ZERO; 9];
        law.stress(&gradient, old, new, &mut stress);
        let mean = third_of(&stress, &gradient, is_large);
        let (mut d_stress, mut d_mean) = ([ZERO; 9], ZERO);
        if wanted == Wanted::Product {
            let d_gradient = d_modified(&memory, &scale, means, is_large);
            law.tangent_product(&gradient, old, &d_gradient, &mut d_stress);
            d_mean = third_of(&d_stress, &gradient, is_large);
            if is_large {
                let more = contraction(&stress, &d_gradient);
                (0..LANES).for_each(|l| d_mean[l] += more[l] / 3.0);
            }
        }
        let memory = &mut points.memory[point];
        (memory.scale, memory.stress, memory.mean) = (scale, stress, mean);
        (memory.d_stress, memory.d_mean) = (d_stress, d_mean);
    }
    energy
}

/// α − 1 and H̄ of H; in the linear form H̄ alone.
#[inline(always)]
pub(crate) fn modified_gradient(h: &Tensor, mean_change: &Lanes, is_large: bool) -> Tensor {
    let change = if is_large { volume_change(h) } else { trace(h) };
    let means = Means { volume: [1.0; LANES], change: *mean_change, d_change: ZERO };
    modified(h, &change, &means, is_large).1
}

/// det F − 1, or tr H in the linear form.
#[inline(always)]
pub(crate) fn change_of(h: &Tensor, is_large: bool) -> Lanes {
    if is_large { volume_change(h) } else { trace(h) }
}

#[inline(always)]
fn modified(h: &Tensor, change: &Lanes, means: &Means, is_large: bool) -> (Lanes, Tensor) {
    if !is_large {
        let third = lanes(|l| (means.change[l] - change[l]) / 3.0);
        return (ZERO, plus_identity(*h, &third));
    }
    // θ/J − 1.
    let ratio = lanes(|l| (means.change[l] - change[l]) / (1.0 + change[l]));
    let scale = cube_root_change(&ratio);
    let scaled = h.map(|x| lanes(|l| (1.0 + scale[l]) * x[l]));
    (scale, plus_identity(scaled, &scale))
}

/// The derivative of H̄.
#[inline(always)]
fn d_modified(memory: &super::cell_map::PointMemory, scale: &Lanes, means: &Means, is_large: bool) -> Tensor {
    if !is_large {
        let third = lanes(|l| (means.d_change[l] - memory.d_change[l]) / 3.0);
        return plus_identity(memory.d_gradient, &third);
    }
    let factor = d_scale(memory, scale, means);
    let (h, dh) = (&memory.gradient, &memory.d_gradient);
    let sum = each(|k| lanes(|l| (1.0 + scale[l]) * dh[k][l] + factor[l] * h[k][l]));
    plus_identity(sum, &factor)
}

/// δα = ⅓ α (δθ/θ − δJ/J).
#[inline(always)]
fn d_scale(memory: &super::cell_map::PointMemory, scale: &Lanes, means: &Means) -> Lanes {
    lanes(|l| {
        let rates =
            means.d_change[l] / (1.0 + means.change[l]) - memory.d_change[l] / (1.0 + memory.change[l]);
        (1.0 + scale[l]) * rates / 3.0
    })
}

/// P of all points.
#[inline(always)]
fn forces<const A: usize>(points: &mut CellPoints<'_, A>, means: &Means) {
    let mean = mean_of(points, means, |memory| memory.mean);
    for point in 0..points.maps.len() {
        let memory = &points.memory[point];
        let excess = lanes(|l| mean[l] / (1.0 + means.change[l]) - memory.mean[l] / (1.0 + memory.change[l]));
        let cofactor = cofactor(&memory.gradient);
        let pk1: Tensor =
            each(|k| lanes(|l| (1.0 + memory.scale[l]) * memory.stress[k][l] + excess[l] * cofactor[k][l]));
        points.local[0][point] = points.maps[point].stress(&pk1);
    }
}

/// δP of all points.
#[inline(always)]
fn change_of_forces<const A: usize>(points: &mut CellPoints<'_, A>, means: &Means) {
    let mean = mean_of(points, means, |memory| memory.mean);
    let d_mean = mean_of(points, means, |memory| memory.d_mean);
    for point in 0..points.maps.len() {
        let memory = &points.memory[point];
        let factor = d_scale(memory, &memory.scale, means);
        let (mut excess, mut d_excess) = (ZERO, ZERO);
        for l in 0..LANES {
            let (theta, j) = (1.0 + means.change[l], 1.0 + memory.change[l]);
            excess[l] = mean[l] / theta - memory.mean[l] / j;
            d_excess[l] = (d_mean[l] - mean[l] * means.d_change[l] / theta) / theta
                - (memory.d_mean[l] - memory.mean[l] * memory.d_change[l] / j) / j;
        }
        let cofactor = cofactor(&memory.gradient);
        let d_cofactor = d_cofactor(&memory.gradient, &memory.d_gradient);
        let pk1: Tensor = each(|k| {
            lanes(|l| {
                factor[l] * memory.stress[k][l]
                    + (1.0 + memory.scale[l]) * memory.d_stress[k][l]
                    + excess[l] * d_cofactor[k][l]
                    + d_excess[l] * cofactor[k][l]
            })
        });
        points.local[0][point] = points.maps[point].stress(&pk1);
    }
}

/// P = P̄ + (T − t) E₃ of all points, in the linear form.
#[inline(always)]
fn linear_forces<const A: usize>(
    points: &mut CellPoints<'_, A>,
    of: impl Fn(&super::cell_map::PointMemory) -> (Tensor, Lanes),
) {
    let (mut mean, mut volume) = (ZERO, ZERO);
    for (memory, maps) in points.memory.iter().zip(points.maps) {
        let own = of(memory).1;
        for l in 0..LANES {
            mean[l] += maps.volume[l] * own[l];
            volume[l] += maps.volume[l];
        }
    }
    let mean = lanes(|l| if volume[l] > 0.0 { mean[l] / volume[l] } else { 0.0 });
    for point in 0..points.maps.len() {
        let (stress, own) = of(&points.memory[point]);
        let pk1 = plus_identity(stress, &lanes(|l| mean[l] - own[l]));
        points.local[0][point] = points.maps[point].stress(&pk1);
    }
}

/// The mean of a number over a cell.
#[inline(always)]
fn mean_of<const A: usize>(
    points: &CellPoints<'_, A>,
    means: &Means,
    of: impl Fn(&super::cell_map::PointMemory) -> Lanes,
) -> Lanes {
    let mut sum = ZERO;
    for (memory, maps) in points.memory.iter().zip(points.maps) {
        let own = of(memory);
        (0..LANES).for_each(|l| sum[l] += maps.volume[l] * own[l]);
    }
    lanes(|l| sum[l] / means.volume[l])
}

/// ⅓ P:F, or ⅓ tr P in the linear form.
#[inline(always)]
fn third_of(stress: &Tensor, h: &Tensor, is_large: bool) -> Lanes {
    let trace = trace(stress);
    let more = if is_large { contraction(stress, h) } else { ZERO };
    lanes(|l| (trace[l] + more[l]) / 3.0)
}

#[inline(always)]
fn trace(h: &Tensor) -> Lanes {
    lanes(|l| h[0][l] + h[4][l] + h[8][l])
}

#[inline(always)]
pub(super) fn contraction(a: &Tensor, b: &Tensor) -> Lanes {
    let mut sum = ZERO;
    for k in 0..9 {
        (0..LANES).for_each(|l| sum[l] += a[k][l] * b[k][l]);
    }
    sum
}

/// H + s E₃.
#[inline(always)]
fn plus_identity(mut h: Tensor, s: &Lanes) -> Tensor {
    for a in 0..3 {
        (0..LANES).for_each(|l| h[4 * a][l] += s[l]);
    }
    h
}

/// The four components of F whose minor is entry ab of cof F.
#[inline(always)]
fn minor(k: usize) -> [usize; 4] {
    let (a, b) = (k / 3, k % 3);
    let (c, d, e, f) = ((a + 1) % 3, (a + 2) % 3, (b + 1) % 3, (b + 2) % 3);
    [3 * c + e, 3 * d + f, 3 * c + f, 3 * d + e]
}

/// cof F = ∂J/∂F of F = E₃ + H.
#[inline(always)]
pub(super) fn cofactor(h: &Tensor) -> Tensor {
    let f = plus_identity(*h, &[1.0; LANES]);
    each(|k| {
        let [p, q, r, s] = minor(k);
        lanes(|l| f[p][l] * f[q][l] - f[r][l] * f[s][l])
    })
}

#[inline(always)]
fn d_cofactor(h: &Tensor, dh: &Tensor) -> Tensor {
    let f = plus_identity(*h, &[1.0; LANES]);
    each(|k| {
        let [p, q, r, s] = minor(k);
        lanes(|l| dh[p][l] * f[q][l] + f[p][l] * dh[q][l] - dh[r][l] * f[s][l] - f[r][l] * dh[s][l])
    })
}

/// (1 + δ)^(1/3) − 1 to all digits, also of small δ: four steps of Halley's method from a value with the
/// right behaviour near 0, then two of Newton's method for the difference from 1.
#[inline(always)]
fn cube_root_change(ratio: &Lanes) -> Lanes {
    lanes(|l| {
        let x = 1.0 + ratio[l];
        let mut root = 1.0 + ratio[l] / (3.0 + ratio[l]);
        for _ in 0..4 {
            let cube = root * root * root;
            root *= (cube + 2.0 * x) / (2.0 * cube + x);
        }
        let mut change = root - 1.0;
        for _ in 0..2 {
            let misfit = change * (3.0 + change * (3.0 + change)) - ratio[l];
            change -= misfit / (3.0 * (1.0 + change) * (1.0 + change));
        }
        change
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cube_root_has_all_digits_near_one_and_far_from_it() {
        for ratio in [-0.98, -0.5, -1e-3, -1e-12, 0.0, 1e-15, 1e-9, 1e-4, 0.1, 1.0, 30.0, 999.0] {
            let [found, ..] = cube_root_change(&[ratio; LANES]);
            let exact = (ratio.ln_1p() / 3.0).exp_m1();
            assert!((found - exact).abs() <= 4e-16 * exact.abs().max(1e-300), "{ratio}: {found}, {exact}");
        }
    }
}
