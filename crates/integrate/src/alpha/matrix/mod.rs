//! Derivatives of the equations of a step, and their factors.
//!
//! In the unknowns ξ, Λ = h² κ λ and h μ, with the momentum equations and G z + g_t times h:
//!
//! ```text
//! ⎡ γ/β (M − h κ C) + h M_ξ − h² κ K    Gᵀ    Gᵀ − h κ C M⁻¹ Gᵀ ⎤
//! ⎢ g_ξ                                 0     0                 ⎥
//! ⎣ γ/β G + h (G z)_ξ                   0     G M⁻¹ Gᵀ          ⎦
//! ```
//!
//! C = ∂f/∂z, K = ∂(f − Gᵀ λ)/∂ξ, M_ξ = ∂(M z)/∂ξ, g_ξ = G but for the tangent of the exponential map; the
//! last row and column belong to the stabilised form alone. All parts are kept for many steps. M and G,
//! which rotate with the bodies, are renewed when Newton's method converges too slowly, the other parts
//! when this is not enough. For h → 0 the matrix stays regular. Rows and columns are scaled by the
//! diagonals of M and of G (diag M)⁻¹ Gᵀ, so that the result does not depend on units.

mod derivatives;
mod low_rank;
mod memory;

pub(super) use derivatives::Point;

use faer::Mat;
use low_rank::{LowRankCorrection, dot};

use super::parameters::Parameters;
use crate::adaptive::Shared;
use crate::second_order::{Reading, SecondOrder};
use carom_linalg::DenseLu;

/// Change of the step up to which factors are kept.
const SAME_STEP: f64 = 1e-3;

/// Derivatives with factors and workspace.
#[derive(Debug)]
pub(super) struct StepMatrix {
    age: Age,
    /// True for the stabilised form: impulses enforce the constraints of velocities.
    pub(super) holds_velocities: bool,
    has_derivatives: bool,
    /// True from the first derivatives on. Outdated derivatives still show which components are stiff.
    is_filled: bool,
    /// Step of the factors, 0 without any; then whether they contain the constraints of velocities.
    factored: f64,
    factors_hold: bool,
    /// M, M_c, K, C: N × N.
    mass: Mat<f64>,
    carried: Mat<f64>,
    stiffness: Mat<f64>,
    damping: Mat<f64>,
    /// Gᵀ, N × m.
    reactions: Mat<f64>,
    /// g_ξ − G and (G z)_ξ, m × N; M⁻¹ Gᵀ, N × m.
    rows: Mat<f64>,
    row_rates: Mat<f64>,
    columns: Mat<f64>,
    /// C M⁻¹ Gᵀ, N × m, and G M⁻¹ Gᵀ, m × m.
    damped: Mat<f64>,
    response: Mat<f64>,
    /// 1/√M_ii, then 1/√(G (diag M)⁻¹ Gᵀ)_kk for each multiplier.
    scales: Vec<f64>,
    /// Response of each constraint to a unit of its multiplier's unknown.
    responses: Vec<f64>,
    factors: Option<DenseLu<f64>>,
    correction: LowRankCorrection,
    solution: Vec<f64>,
    work: Work,
}

/// The parts of the matrix that belong to the present step.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Age {
    /// No part.
    Kept,
    /// M and G.
    Turned,
    /// All parts.
    Fresh,
}

#[derive(Debug)]
struct Work {
    shifted: Vec<f64>,
    y: Vec<f64>,
    y_base: Vec<f64>,
    rate: Vec<f64>,
    rate_base: Vec<f64>,
    column: Vec<f64>,
    row: Vec<f64>,
    reading: Reading,
    values: Vec<f64>,
    speeds: Vec<f64>,
}

impl Default for StepMatrix {
    fn default() -> Self {
        Self::new(0, 0, 0)
    }
}

impl StepMatrix {
    /// For N velocities and m constraints among `dim` components.
    pub(super) fn new(dim: usize, n: usize, m: usize) -> Self {
        let size = n + 2 * m;
        let zeros = |n: usize| vec![0.0; n];
        Self {
            age: Age::Kept,
            holds_velocities: false,
            has_derivatives: false,
            is_filled: false,
            factored: 0.0,
            factors_hold: false,
            mass: Mat::zeros(n, n),
            carried: Mat::zeros(n, n),
            stiffness: Mat::zeros(n, n),
            damping: Mat::zeros(n, n),
            reactions: Mat::zeros(n, m),
            rows: Mat::zeros(m, n),
            row_rates: Mat::zeros(m, n),
            columns: Mat::zeros(n, m),
            damped: Mat::zeros(n, m),
            response: Mat::zeros(m, m),
            scales: vec![1.0; size],
            responses: zeros(m),
            factors: (size > 0).then(|| DenseLu::new(size)),
            correction: LowRankCorrection::none(),
            solution: zeros(size),
            work: Work {
                shifted: zeros(n),
                column: zeros(n),
                row: zeros(n),
                reading: Reading::new(n, m),
                values: zeros(m),
                speeds: zeros(m),
                y: zeros(dim),
                y_base: zeros(dim),
                rate: zeros(dim),
                rate_base: zeros(dim),
            },
        }
    }

    /// True if all parts belong to the present step.
    pub(super) fn is_fresh(&self) -> bool {
        self.age == Age::Fresh
    }

    /// Marks all parts as older than the step that begins.
    pub(super) fn start_step(&mut self) {
        self.age = Age::Kept;
        self.correction.clear();
    }

    /// Drops M and G, if they were kept, or otherwise the derivatives.
    pub(super) fn drop_oldest(&mut self) {
        self.has_derivatives &= self.age == Age::Kept && self.rows.nrows() > 0;
        self.drop_factors();
    }

    /// Drops M and G, if there are constraints, and the factors.
    pub(super) fn drop_factors(&mut self) {
        if self.rows.nrows() > 0 {
            self.factored = 0.0;
        }
    }

    /// M_ii.
    pub(super) fn mass(&self, i: usize) -> f64 {
        self.mass[(i, i)]
    }

    /// True if component i, with its stiffness alone, oscillates within a step of length h: its stiffness
    /// exceeds its mass in the equations.
    pub(super) fn is_stiff(&self, i: usize, of: &Parameters, h: f64) -> bool {
        self.is_filled && -h * h * of.share() * self.stiffness[(i, i)] > of.speed() * self.mass[(i, i)]
    }

    /// Writes the response of each constraint to units of the unknowns of its multiplier and of its
    /// impulse: diagonals of G D⁻¹ Gᵀ, with D = diag M for the impulse. A multiplier moves stiff components
    /// less, as the diagonal of the first block of the matrix (β/γ of it) shows.
    pub(super) fn responses(&self, out: &mut [[f64; 2]]) {
        let scales = &self.scales[self.mass.nrows()..];
        for ((out, of_multiplier), scale) in out.iter_mut().zip(&self.responses).zip(scales) {
            *out = [*of_multiplier, scale.powi(2).recip()];
        }
    }

    /// Largest change of ξ_i by a change of one constraint alone, whose sizes are `closure`: (M⁻¹ Gᵀ)_ik/(G
    /// M⁻¹ Gᵀ)_kk.
    pub(super) fn carried_along(&self, i: usize, closure: impl Fn(usize) -> f64) -> f64 {
        let of = |k: usize| self.columns[(i, k)].abs() * closure(k) / self.response[(k, k)];
        // A row without response gives no finite number.
        (0..self.columns.ncols()).map(of).filter(|change| change.is_finite()).fold(0.0, f64::max)
    }

    /// (M x)_i, M being symmetric.
    pub(super) fn times_mass(&self, i: usize, x: &[f64]) -> f64 {
        dot(self.mass.col_as_slice(i), x)
    }

    /// Derivatives at a point of the step, unless they are known.
    pub(super) fn prepare<E: std::error::Error + 'static>(
        &mut self,
        system: &mut dyn SecondOrder<Error = E>,
        shared: &mut Shared,
        point: Point<'_>,
        time: f64,
    ) -> Result<(), E> {
        if !self.has_derivatives {
            self.differentiate(system, shared, point, time)?;
            shared.counters.jacobians += 1;
            (self.has_derivatives, self.is_filled) = (true, true);
            (self.age, self.factored) = (Age::Fresh, 0.0);
        }
        Ok(())
    }

    /// Factors for a step of length h, unless they are known; the last evaluation was at the end of the
    /// step. Masses and directions of constraints, which rotate with the bodies, are then read again,
    /// without an evaluation. Without constraints, masses stay with the derivatives.
    pub(super) fn refresh<E: std::error::Error + 'static>(
        &mut self,
        system: &mut dyn SecondOrder<Error = E>,
        of: &Parameters,
        h: f64,
    ) -> bool {
        let m = self.rows.nrows();
        let holds_alike = m == 0 || self.factors_hold == self.holds_velocities;
        if holds_alike && (self.factored / h - 1.0).abs() <= SAME_STEP {
            return false;
        }
        if self.age == Age::Kept && m > 0 {
            self.take_masses(system);
            self.take_constraints(system);
            self.complete();
            self.age = Age::Turned;
        }
        self.factorise(of, h);
        true
    }

    /// True if the factors have a low-rank correction.
    pub(super) fn is_corrected(&self) -> bool {
        self.correction.is_active()
    }

    /// Corrects the factors for the low-rank rows that are active at the last evaluation, of a step of
    /// length h; true if other rows were active before.
    pub(super) fn update_correction<E: std::error::Error + 'static>(
        &mut self,
        system: &mut dyn SecondOrder<Error = E>,
        of: &Parameters,
        h: f64,
    ) -> bool {
        let Self { correction, factors, scales, mass, .. } = self;
        let Some(factors) = factors else { return false };
        let n = mass.nrows();
        correction.update(system, (n, scales.len()), h * h * of.share(), |row, column| {
            let right = |i: usize| if i < n { scales[i] * row[i] } else { 0.0 };
            factors.solve(right, |i, x| column[i] = scales[i] * x);
        })
    }

    /// Solves for the unknowns in their own units; `right` has the equations in the order of the module's
    /// documentation.
    pub(super) fn solve(&mut self, right: impl Fn(usize) -> f64, mut take: impl FnMut(usize, f64)) {
        let Self { scales, factors, correction, solution, .. } = self;
        let Some(factors) = factors else { return };
        factors.solve(|i| scales[i] * right(i), |i, x| solution[i] = scales[i] * x);
        if correction.is_active() {
            correction.apply(solution);
        }
        solution.iter().enumerate().for_each(|(i, x)| take(i, *x));
    }

    /// Products and scales.
    fn complete(&mut self) {
        let (n, m) = (self.mass.nrows(), self.rows.nrows());
        let Self { damping, reactions, columns, damped, response, .. } = self;
        for k in 0..m {
            let column = columns.col_as_slice(k);
            let out = damped.col_as_slice_mut(k);
            out.fill(0.0);
            for (j, x) in column.iter().enumerate() {
                out.iter_mut().zip(damping.col_as_slice(j)).for_each(|(out, c)| *out += c * x);
            }
            for l in 0..m {
                response[(l, k)] = dot(reactions.col_as_slice(l), column);
            }
        }
        for i in 0..n {
            self.scales[i] = self.mass[(i, i)].sqrt().recip();
        }
        for k in 0..m {
            let square: f64 = (0..n).map(|i| self.reactions[(i, k)].powi(2) / self.mass[(i, i)]).sum();
            let scale = square.max(f64::MIN_POSITIVE).sqrt().recip();
            self.scales[n + k] = scale;
            self.scales[n + m + k] = scale;
        }
    }

    /// Factors for steps of length h.
    fn factorise(&mut self, of: &Parameters, h: f64) {
        let Self {
            mass,
            carried,
            stiffness,
            damping,
            reactions,
            rows,
            row_rates,
            damped,
            response,
            scales,
            responses,
            factors,
            holds_velocities,
            ..
        } = self;
        let without = !*holds_velocities;
        let (n, m) = (mass.nrows(), rows.nrows());
        let (speed, share) = (of.speed(), of.share());
        let first_block = [&*mass, &*carried, &*damping, &*stiffness];
        let momentum = |[mass, carried, damping, stiffness]: [f64; 4]| {
            speed * mass + h * carried - h * share * (speed * damping + h * stiffness)
        };
        for (k, response) in responses.iter_mut().enumerate() {
            let of = |i: usize| {
                let moved = momentum(first_block.map(|matrix| matrix[(i, i)])) / speed;
                reactions[(i, k)].powi(2) / moved.max(mass[(i, i)])
            };
            *response = (0..n).map(of).sum();
        }
        // All blocks but the first.
        let entry = |i: usize, j: usize| match (i < n, i < n + m, j < n, j < n + m) {
            // Impulses that do not exist.
            _ if without && i.max(j) >= n + m => f64::from(u8::from(i == j)) / scales[i].powi(2),
            (true, _, _, true) => reactions[(i, j - n)],
            (true, _, _, _) => reactions[(i, j - n - m)] - h * share * damped[(i, j - n - m)],
            (_, true, true, _) => reactions[(j, i - n)] + rows[(i - n, j)],
            (_, true, ..) | (_, _, false, true) => 0.0,
            (_, _, true, _) => speed * reactions[(j, i - n - m)] + h * row_rates[(i - n - m, j)],
            (_, _, _, _) => response[(i - n - m, j - n - m)],
        };
        if let Some(factors) = factors {
            factors.factorise_columns(|j, out| {
                let mut rows = 0;
                if j < n {
                    let columns = first_block.map(|matrix| matrix.col_as_slice(j));
                    for i in 0..n {
                        out[i] = scales[i] * momentum(columns.map(|column| column[i])) * scales[j];
                    }
                    rows = n;
                }
                for (i, out) in out.iter_mut().enumerate().skip(rows) {
                    *out = scales[i] * entry(i, j) * scales[j];
                }
            });
        }
        (self.factored, self.factors_hold) = (h, *holds_velocities);
        self.correction.clear();
    }
}
