//! Elastic-plastic law of metals: von Mises' yield condition with isotropic hardening, in large deformation.

use super::hyperelastic::PLACE;
use super::{ElasticModuli, Flow, LANES, Lanes, Law, LawError, Symmetric, Tensor, lanes, volume_change};

/// Yield stress as a function of the equivalent plastic strain α.
#[derive(Debug, Clone, PartialEq)]
pub struct Hardening {
    /// Points (α, σ_y): α ascending from 0, straight lines between them \[Pa\].
    points: Vec<[f64; 2]>,
    /// dσ_y/dα beyond the last point \[Pa\].
    last_slope: f64,
    /// ∫ σ_y dα up to each point \[J/m³\].
    work: Vec<f64>,
}

impl Hardening {
    /// σ_y = `yield_stress` + `modulus` α.
    ///
    /// # Errors
    ///
    /// [`LawError::OutOfRange`] unless the yield stress is above 0 and the modulus is not below 0.
    pub fn linear(yield_stress: f64, modulus: f64) -> Result<Self, LawError> {
        if !(modulus >= 0.0 && modulus.is_finite()) {
            return Err(out_of_range("hardening", modulus, " Pa", "a finite number not below 0"));
        }
        Self::checked(vec![[0.0, yield_stress]], modulus)
    }

    /// Straight lines between points of plastic strain and yield stress, constant beyond the last one.
    ///
    /// # Errors
    ///
    /// [`LawError::OutOfRange`] unless the first strain is 0, strains ascend, and stresses are above 0 and do
    /// not fall.
    pub fn table(points: &[[f64; 2]]) -> Result<Self, LawError> {
        if points.first().map(|point| point[0]) != Some(0.0) {
            let first = points.first().map_or(f64::NAN, |point| point[0]);
            return Err(out_of_range("first plastic strain", first, "", "0, where yielding begins"));
        }
        for pair in points.windows(2) {
            if !(pair[1][0] > pair[0][0] && pair[1][0].is_finite()) {
                return Err(out_of_range("plastic strain", pair[1][0], "", "above the one before it"));
            }
            if pair[1][1] < pair[0][1] || pair[1][1].is_nan() {
                return Err(out_of_range("yield stress", pair[1][1], " Pa", "not below the one before it"));
            }
        }
        Self::checked(points.to_vec(), 0.0)
    }

    fn checked(points: Vec<[f64; 2]>, last_slope: f64) -> Result<Self, LawError> {
        if let Some(point) = points.iter().find(|point| !(point[1] > 0.0 && point[1].is_finite())) {
            return Err(out_of_range("yield stress", point[1], " Pa", "a finite number above 0"));
        }
        let mut work = vec![0.0; points.len()];
        for k in 1..points.len() {
            let (a, b) = (points[k - 1], points[k]);
            work[k] = work[k - 1] + 0.5 * (b[0] - a[0]) * (a[1] + b[1]);
        }
        Ok(Self { points, last_slope, work })
    }

    /// The line segment that contains a strain: its first point, slope, and number.
    #[inline(always)]
    fn line(&self, alpha: f64) -> ([f64; 2], f64, usize) {
        let k = self.points.partition_point(|point| point[0] <= alpha).max(1) - 1;
        let slope = match self.points.get(k + 1) {
            Some(next) => (next[1] - self.points[k][1]) / (next[0] - self.points[k][0]),
            None => self.last_slope,
        };
        (self.points[k], slope, k)
    }

    /// σ_y and dσ_y/dα at a plastic strain \[Pa\].
    #[inline(always)]
    pub fn yield_stress(&self, alpha: f64) -> (f64, f64) {
        let (point, slope, _) = self.line(alpha);
        (point[1] + slope * (alpha - point[0]), slope)
    }

    /// The plastic work ∫ σ_y dα up to a plastic strain \[J/m³\].
    #[inline(always)]
    pub fn work(&self, alpha: f64) -> f64 {
        let (point, slope, k) = self.line(alpha);
        let past = alpha - point[0];
        self.work[k] + past * (point[1] + 0.5 * slope * past)
    }
}

/// Von Mises plasticity in large deformation, F = F_e F_p with det F_p = 1.
///
/// ```text
/// b̄ = J^(−⅔) F C_p⁻¹ Fᵀ,   ψ = ½ κ (½ (J² − 1) − ln J) + ½ μ (tr b̄ − 3)
/// τ = ½ κ (J² − 1) E₃ + s,   s = μ dev b̄,   |s| ≤ √⅔ σ_y(α)
/// ```
///
/// The state of a step is the trial state of the last C_p, returned to the yield surface along s:
///
/// ```text
/// |s| = |s_trial| − 2 μ Ī Δγ = √⅔ σ_y(α + √⅔ Δγ),   Ī = ⅓ tr b̄_trial,   b̄ = s/μ + Ī' E₃ with det b̄ = 1
/// ```
///
/// The law is written in F and the history in undeformed axes: the stress of a body rotates with it to
/// round-off, however often it turns. History of a point: C_p⁻¹ − E₃ (6 numbers), α. The dissipated energy is
/// the whole plastic work ∫ σ_y dα.
///
/// # Source
///
/// Simo & Hughes (1998), *Computational Inelasticity*, section 9.3, except for the last equation: theirs
/// keeps Ī of the trial state, which lets det b̄ drift from 1.
#[derive(Debug, Clone, PartialEq)]
pub struct Plastic {
    moduli: ElasticModuli,
    hardening: Hardening,
}

/// History variables of a point.
const N_HISTORY: usize = 7;

/// A state at one point on its way to the stress.
struct Trial {
    /// det F − 1.
    change: f64,
    /// The trial deviator dev b̄, components xx, yy, zz, xy, yz, xz.
    deviator: [f64; 6],
    /// Ī − 1 of the trial state.
    mean: f64,
}

/// Result of the return to the yield surface.
struct Yielded {
    /// Δγ, zero in the elastic range.
    gamma: f64,
    /// |s| over |s_trial|.
    factor: f64,
    /// dσ_y/dα at the end.
    slope: f64,
}

impl Plastic {
    /// The law of these moduli and yield stresses.
    ///
    /// # Errors
    ///
    /// [`LawError::OutOfRange`] unless κ > 0 and μ > 0.
    pub fn new(moduli: ElasticModuli, hardening: Hardening) -> Result<Self, LawError> {
        ElasticModuli::from_bulk_shear(moduli.bulk(), moduli.mu)?;
        Ok(Self { moduli, hardening })
    }

    /// λ and μ.
    pub fn moduli(&self) -> ElasticModuli {
        self.moduli
    }

    /// The yield stress as a function of plastic strain.
    pub fn hardening(&self) -> &Hardening {
        &self.hardening
    }

    #[inline(always)]
    fn trial(h: &[f64; 9], change: f64, plastic: &[f64; 6]) -> Trial {
        // F G Fᵀ with G = C_p⁻¹ − E₃, then e = H + Hᵀ + HHᵀ + F G Fᵀ: small strains keep their digits.
        let f = |a: usize, b: usize| h[3 * a + b] + if a == b { 1.0 } else { 0.0 };
        let g = |a: usize, b: usize| plastic[PLACE[a][b]];
        let mut fg = [[0.0; 3]; 3];
        for a in 0..3 {
            for c in 0..3 {
                fg[a][c] = f(a, 0) * g(0, c) + f(a, 1) * g(1, c) + f(a, 2) * g(2, c);
            }
        }
        let e = |a: usize, b: usize| {
            let square = (0..3).map(|c| h[3 * a + c] * h[3 * b + c] + fg[a][c] * f(b, c)).sum::<f64>();
            h[3 * a + b] + h[3 * b + a] + square
        };
        let all = [e(0, 0), e(1, 1), e(2, 2), e(0, 1), e(1, 2), e(0, 2)];
        let mean = (all[0] + all[1] + all[2]) / 3.0;
        // J^(−⅔) − 1 without cancellation.
        let scale_change = (-2.0 / 3.0 * change.ln_1p()).exp_m1();
        let scale = 1.0 + scale_change;
        let deviator = std::array::from_fn(|k| scale * (all[k] - if k < 3 { mean } else { 0.0 }));
        Trial { change, deviator, mean: scale_change + scale * mean }
    }

    #[inline(always)]
    fn yielded(&self, trial: &Trial, alpha: f64) -> Yielded {
        let (mu, root) = (self.moduli.mu, (2.0_f64 / 3.0).sqrt());
        let size = mu * norm(&trial.deviator);
        let (stress, slope) = self.hardening.yield_stress(alpha);
        if size <= root * stress {
            return Yielded { gamma: 0.0, factor: 1.0, slope };
        }
        let stiffness = 2.0 * mu * (1.0 + trial.mean);
        // Newton's method on lines: exact on the last one. From the left it comes to each line once.
        let mut gamma = 0.0;
        let mut slope = slope;
        for _ in 0..self.hardening.points.len() + 4 {
            let (stress, own) = self.hardening.yield_stress(alpha + root * gamma);
            slope = own;
            let misfit = size - stiffness * gamma - root * stress;
            let step = misfit / (stiffness + 2.0 / 3.0 * slope);
            gamma = (gamma + step).max(0.0);
            if step.abs() <= 4.0 * f64::EPSILON * gamma {
                break;
            }
        }
        Yielded { gamma, factor: (size - stiffness * gamma) / size, slope }
    }

    /// s of a point at the end \[Pa\].
    #[inline(always)]
    fn deviator(&self, trial: &Trial, yielded: &Yielded) -> [f64; 6] {
        trial.deviator.map(|d| self.moduli.mu * yielded.factor * d)
    }
}

impl Law for Plastic {
    fn name(&self) -> &'static str {
        "plastic"
    }

    /// False: the flow direction rotates with the trial state, and Ī depends on it.
    fn is_symmetric(&self) -> bool {
        false
    }

    fn elastic_moduli(&self) -> ElasticModuli {
        self.moduli
    }

    #[inline(always)]
    fn flow(&self, old: &[Lanes], new: &[Lanes]) -> Option<Flow> {
        let (mut yield_stress, mut slope) = ([0.0; LANES], [0.0; LANES]);
        for l in 0..LANES {
            (yield_stress[l], slope[l]) = self.hardening.yield_stress(new[6][l]);
        }
        Some(Flow { strain: lanes(|l| new[6][l] - old[6][l]), yield_stress, slope })
    }

    #[inline(always)]
    fn flow_product(&self, h: &Tensor, old: &[Lanes], dh: &Tensor) -> Lanes {
        let change = volume_change(h);
        lanes(|l| {
            let gradient = h.map(|x| x[l]);
            let trial = Self::trial(&gradient, change[l], &plastic_of(old, l));
            let yielded = self.yielded(&trial, old[6][l]);
            if yielded.gamma <= 0.0 {
                return 0.0;
            }
            let rate = velocity_gradient(&inverse(&gradient, change[l]), &dh.map(|x| x[l]));
            let (d_trial, d_mean) = d_trial(&trial, &rate);
            (2.0_f64 / 3.0).sqrt() * self.d_gamma(&trial, &yielded, &d_trial, d_mean)
        })
    }

    /// The inverse of C_p⁻¹, whose determinant is 1.
    #[inline(always)]
    fn plastic_metric(&self, history: &[Lanes]) -> Option<Symmetric> {
        let g = |a: usize, b: usize, l: usize| history[PLACE[a][b]][l] + if a == b { 1.0 } else { 0.0 };
        let cofactor = |a: usize, b: usize| {
            let (c, d, e, f) = ((a + 1) % 3, (a + 2) % 3, (b + 1) % 3, (b + 2) % 3);
            lanes(|l| g(c, e, l) * g(d, f, l) - g(c, f, l) * g(d, e, l))
        };
        Some([(0, 0), (1, 1), (2, 2), (0, 1), (1, 2), (0, 2)].map(|(a, b)| cofactor(a, b)))
    }

    fn n_history(&self) -> usize {
        N_HISTORY
    }

    #[inline(always)]
    fn stored_energy(&self, h: &Tensor, history: &[Lanes]) -> Lanes {
        let change = volume_change(h);
        lanes(|l| {
            let trial = Self::trial(&h.map(|x| x[l]), change[l], &plastic_of(history, l));
            // tr b̄ − 3 = 3 y with det (d + (1 + y) E₃) = 1.
            let volume = 0.5 * self.moduli.bulk() * volume_energy(change[l]);
            volume + 1.5 * self.moduli.mu * unimodular(&trial.deviator)
        })
    }

    /// α, the last of the history variables.
    fn plastic_strain(&self, history: &[Lanes]) -> Lanes {
        history[6]
    }

    #[inline(always)]
    fn dissipated_energy(&self, history: &[Lanes]) -> Lanes {
        lanes(|l| self.hardening.work(history[6][l]))
    }

    #[inline(always)]
    fn stress(&self, h: &Tensor, old: &[Lanes], new: &mut [Lanes], pk1: &mut Tensor) {
        let change = volume_change(h);
        for l in 0..LANES {
            let gradient = h.map(|x| x[l]);
            let (plastic, alpha) = (plastic_of(old, l), old[6][l]);
            let trial = Self::trial(&gradient, change[l], &plastic);
            let yielded = self.yielded(&trial, alpha);
            let inverse = inverse(&gradient, change[l]);
            let s = self.deviator(&trial, &yielded);
            let stress = p_of_kirchhoff(&kirchhoff(self.moduli.bulk(), change[l], &s), &inverse);
            (0..9).for_each(|k| pk1[k][l] = stress[k]);
            let (mut next, mut strain) = (plastic, alpha);
            if yielded.gamma > 0.0 {
                strain += (2.0_f64 / 3.0).sqrt() * yielded.gamma;
                next = plastic_inverse(&trial.deviator.map(|d| yielded.factor * d), change[l], &inverse);
            }
            (0..6).for_each(|k| new[k][l] = next[k]);
            new[6][l] = strain;
        }
    }

    /// The derivative of the returned stress, in the elastic or the plastic range.
    #[inline(always)]
    fn tangent_product(&self, h: &Tensor, old: &[Lanes], dh: &Tensor, d_pk1: &mut Tensor) {
        let change = volume_change(h);
        for l in 0..LANES {
            let gradient = h.map(|x| x[l]);
            let trial = Self::trial(&gradient, change[l], &plastic_of(old, l));
            let yielded = self.yielded(&trial, old[6][l]);
            let inverse = inverse(&gradient, change[l]);
            let stress = self.d_stress(&trial, &yielded, &inverse, &dh.map(|x| x[l]));
            (0..9).for_each(|k| d_pk1[k][l] = stress[k]);
        }
    }
}

impl Plastic {
    /// The derivative of Δγ of a yielding state.
    #[inline(always)]
    fn d_gamma(&self, trial: &Trial, yielded: &Yielded, d_trial: &[f64; 6], d_mean: f64) -> f64 {
        let mu = self.moduli.mu;
        let d_size = mu * contraction(&trial.deviator, d_trial) / norm(&trial.deviator);
        let stiffness = 2.0 * mu * (1.0 + trial.mean) + 2.0 / 3.0 * yielded.slope;
        (d_size - 2.0 * mu * yielded.gamma * d_mean) / stiffness
    }

    /// dP = dτ F⁻ᵀ − τ lᵀ F⁻ᵀ with l = dF F⁻¹.
    #[inline(always)]
    fn d_stress(&self, trial: &Trial, yielded: &Yielded, inverse: &[f64; 9], dh: &[f64; 9]) -> [f64; 9] {
        let (mu, bulk) = (self.moduli.mu, self.moduli.bulk());
        let l = velocity_gradient(inverse, dh);
        let rate = l[0] + l[4] + l[8];
        let (d_trial, d_mean) = d_trial(trial, &l);
        let mut ds = d_trial.map(|d| mu * d);
        if yielded.gamma > 0.0 {
            let size = mu * norm(&trial.deviator);
            let direction = trial.deviator.map(|d| mu * d / size);
            let d_size = contraction(&direction, &ds);
            let d_radius = 2.0 / 3.0 * yielded.slope * self.d_gamma(trial, yielded, &d_trial, d_mean);
            let turned = yielded.factor;
            ds = std::array::from_fn(|k| d_radius * direction[k] + turned * (ds[k] - d_size * direction[k]));
        }
        let j = 1.0 + trial.change;
        let mut d_tau: [f64; 9] = std::array::from_fn(|k| ds[PLACE[k / 3][k % 3]]);
        [0, 4, 8].into_iter().for_each(|k| d_tau[k] += bulk * j * j * rate);
        let tau = kirchhoff(bulk, trial.change, &self.deviator(trial, yielded));
        for a in 0..3 {
            for c in 0..3 {
                d_tau[3 * a + c] -= (0..3).map(|m| tau[3 * a + m] * l[3 * c + m]).sum::<f64>();
            }
        }
        p_of_kirchhoff(&d_tau, inverse)
    }
}

/// l = dF F⁻¹.
#[inline(always)]
fn velocity_gradient(inverse: &[f64; 9], dh: &[f64; 9]) -> [f64; 9] {
    product(dh, inverse)
}

/// The derivatives of the trial deviator, d dev b̄ = dev (l b̄ + b̄ lᵀ) − ⅔ tr l dev b̄, and of Ī.
#[inline(always)]
fn d_trial(trial: &Trial, l: &[f64; 9]) -> ([f64; 6], f64) {
    let rate = l[0] + l[4] + l[8];
    let mean = 1.0 + trial.mean;
    let b: [f64; 9] =
        std::array::from_fn(|k| trial.deviator[PLACE[k / 3][k % 3]] + if k % 4 == 0 { mean } else { 0.0 });
    let lb = product(l, &b);
    let sum: [f64; 6] = symmetric(|a, c| lb[3 * a + c] + lb[3 * c + a]);
    let third = (sum[0] + sum[1] + sum[2]) / 3.0;
    let d_deviator = std::array::from_fn(|k| {
        sum[k] - if k < 3 { third } else { 0.0 } - 2.0 / 3.0 * rate * trial.deviator[k]
    });
    (d_deviator, third - 2.0 / 3.0 * rate * mean)
}

#[inline(always)]
fn plastic_of(history: &[Lanes], l: usize) -> [f64; 6] {
    std::array::from_fn(|k| history[k][l])
}

#[inline(always)]
fn symmetric(component: impl Fn(usize, usize) -> f64) -> [f64; 6] {
    [component(0, 0), component(1, 1), component(2, 2), component(0, 1), component(1, 2), component(0, 2)]
}

#[inline(always)]
fn contraction(a: &[f64; 6], b: &[f64; 6]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + 2.0 * (a[3] * b[3] + a[4] * b[4] + a[5] * b[5])
}

#[inline(always)]
fn norm(a: &[f64; 6]) -> f64 {
    contraction(a, a).sqrt()
}

/// The product A B.
#[inline(always)]
fn product(a: &[f64; 9], b: &[f64; 9]) -> [f64; 9] {
    std::array::from_fn(|k| (0..3).map(|m| a[3 * (k / 3) + m] * b[3 * m + k % 3]).sum())
}

/// F⁻¹ of F = E₃ + H with det F = 1 + `change`.
#[inline(always)]
fn inverse(h: &[f64; 9], change: f64) -> [f64; 9] {
    let f = |a: usize, b: usize| h[3 * a + b] + if a == b { 1.0 } else { 0.0 };
    let factor = 1.0 / (1.0 + change);
    std::array::from_fn(|k| {
        let (a, b) = (k / 3, k % 3);
        let (c, d, e, g) = ((b + 1) % 3, (b + 2) % 3, (a + 1) % 3, (a + 2) % 3);
        factor * (f(c, e) * f(d, g) - f(c, g) * f(d, e))
    })
}

/// τ = ½ κ (J² − 1) E₃ + s.
#[inline(always)]
fn kirchhoff(bulk: f64, change: f64, s: &[f64; 6]) -> [f64; 9] {
    let pressure = 0.5 * bulk * change * (2.0 + change);
    std::array::from_fn(|k| s[PLACE[k / 3][k % 3]] + if k % 4 == 0 { pressure } else { 0.0 })
}

/// P = τ F⁻ᵀ.
#[inline(always)]
fn p_of_kirchhoff(tau: &[f64; 9], inverse: &[f64; 9]) -> [f64; 9] {
    std::array::from_fn(|k| {
        let (a, b) = (k / 3, k % 3);
        (0..3).map(|m| tau[3 * a + m] * inverse[3 * b + m]).sum()
    })
}

/// y with det (d + (1 + y) E₃) = 1 for a deviator d of moderate size: 3y = tr b̄ − 3.
///
/// ```text
/// y ((1 + y)² + (1 + y) + 1) = q (1 + y) − det d,   q = ½ d:d
/// ```
#[inline(always)]
fn unimodular(d: &[f64; 6]) -> f64 {
    let q = 0.5 * contraction(d, d);
    let det = d[0] * (d[1] * d[2] - d[4] * d[4]) - d[3] * (d[3] * d[2] - d[4] * d[5])
        + d[5] * (d[3] * d[4] - d[1] * d[5]);
    let mut y = (q - det) / 3.0;
    for _ in 0..50 {
        let x = 1.0 + y;
        let misfit = y * (x * x + x + 1.0) - q * x + det;
        let step = misfit / (3.0 * x * x - q);
        y -= step;
        if step.abs() <= 2.0 * f64::EPSILON * y.abs() || step.is_nan() {
            break;
        }
    }
    y
}

/// ½ (J² − 1) − ln J of J = 1 + j, all digits.
#[inline(always)]
fn volume_energy(j: f64) -> f64 {
    super::neo_hookean::excess(j) + 0.5 * j * j
}

/// C_p⁻¹ − E₃ = F⁻¹ b F⁻ᵀ − E₃ of the elastic left Cauchy-Green tensor b = J^(⅔) (d + (1 + y) E₃).
#[inline(always)]
fn plastic_inverse(d: &[f64; 6], change: f64, inverse: &[f64; 9]) -> [f64; 6] {
    let scale = (2.0 / 3.0 * change.ln_1p()).exp();
    let mean = 1.0 + unimodular(d);
    let b: [f64; 9] =
        std::array::from_fn(|k| scale * (d[PLACE[k / 3][k % 3]] + if k % 4 == 0 { mean } else { 0.0 }));
    let left = product(inverse, &b);
    symmetric(|a, c| {
        let full: f64 = (0..3).map(|m| left[3 * a + m] * inverse[3 * c + m]).sum();
        full - if a == c { 1.0 } else { 0.0 }
    })
}

fn out_of_range(quantity: &'static str, value: f64, unit: &'static str, range: &'static str) -> LawError {
    LawError::OutOfRange { law: "plastic", quantity, value, unit, range }
}

#[cfg(test)]
mod tests;
