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
//! last row and column belong to the stabilised form alone. All parts are kept for many steps. M and G, and
//! M_ξ and (G z)_ξ where the system knows them, rotate with the bodies and are renewed when Newton's method
//! converges too slowly, the other parts when this is not enough. For h → 0 the matrix stays regular. Rows
//! and columns are scaled by the diagonals of M and of G (diag M)⁻¹ Gᵀ, so that the result does not depend on
//! units.
//!
//! All parts are stored by the blocks of [`crate::Structure`] (`places`): M and M_ξ have one of each body, C
//! and K one of each pair of coupled bodies, G one of each joint and body on it. Products and factors cost in
//! proportion to the number of blocks; the factors are those of [`carom_linalg::blocks`], of the whole matrix
//! or, without C M⁻¹ Gᵀ, of a smaller one (`elimination`).

mod blocks;
mod derivatives;
mod elimination;
mod factors;
mod low_rank;
mod memory;
mod places;

pub(super) use derivatives::Point;

use elimination::Elimination;
use low_rank::LowRankCorrection;
use places::Places;

use super::parameters::Parameters;
use crate::adaptive::Shared;
use crate::second_order::{Reading, SecondOrder};
use crate::structure::Structure;
use crate::tiles::Tiles;
use carom_linalg::dense::dot;

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
    /// Numbers of velocities and constraints.
    sizes: (usize, usize),
    places: Places,
    /// M and M_c of each part; K and C of each coupling.
    mass: Tiles,
    carried: Tiles,
    stiffness: Tiles,
    damping: Tiles,
    /// G, g_ξ − G, (G z)_ξ and (M⁻¹ Gᵀ)ᵀ of each incidence: a row for each constraint.
    reactions: Tiles,
    rows: Tiles,
    row_rates: Tiles,
    columns: Tiles,
    /// C M⁻¹ Gᵀ and G M⁻¹ Gᵀ; whether the first is not zero.
    damped: Tiles,
    response: Tiles,
    is_damped: bool,
    /// γ/β G + h (G z)_ξ of each incidence, for the step of the factors.
    speeds: Tiles,
    /// 1/√M_ii, then 1/√(G (diag M)⁻¹ Gᵀ)_kk for each multiplier.
    scales: Vec<f64>,
    /// Response of each constraint to a unit of its multiplier's unknown.
    responses: Vec<f64>,
    factors: Elimination,
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
    changes: Vec<f64>,
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
        Self::new(0, Structure::default())
    }
}

impl StepMatrix {
    /// For velocities and constraints of this structure, among `dim` components.
    pub(super) fn new(dim: usize, structure: Structure) -> Self {
        let (n, m) = (structure.velocities(), structure.constraints());
        let size = n + 2 * m;
        let places = Places::new(structure);
        let zeros = |n: usize| vec![0.0; n];
        let part = |part: usize| places.structure.parts[part].velocities.len();
        let group = |group: usize| places.structure.groups[group].rows.len();
        let of_parts = || Tiles::new((0..places.structure.parts.len()).map(|a| (part(a), part(a))));
        let of_couplings = || Tiles::new(places.couplings.iter().map(|&[a, b]| (part(a), part(b))));
        let of_incidences = || Tiles::new(places.incidences.iter().map(|&(g, a)| (group(g), part(a))));
        Self {
            age: Age::Kept,
            holds_velocities: false,
            has_derivatives: false,
            is_filled: false,
            factored: 0.0,
            factors_hold: false,
            sizes: (n, m),
            mass: of_parts(),
            carried: of_parts(),
            stiffness: of_couplings(),
            damping: of_couplings(),
            reactions: of_incidences(),
            rows: of_incidences(),
            row_rates: of_incidences(),
            columns: of_incidences(),
            damped: Tiles::new(places.damped.iter().map(|&(a, g)| (part(a), group(g)))),
            response: Tiles::new(places.responses.iter().map(|&(g, other)| (group(g), group(other)))),
            is_damped: false,
            speeds: of_incidences(),
            scales: vec![1.0; size],
            responses: zeros(m),
            factors: Elimination::default(),
            correction: LowRankCorrection::none(),
            solution: zeros(size),
            work: Work {
                shifted: zeros(n),
                changes: zeros(n),
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
            places,
        }
    }

    /// Numbers of velocities and constraints.
    pub(super) fn sizes(&self) -> (usize, usize) {
        self.sizes
    }

    /// Velocities of the largest part.
    pub(super) fn largest_part(&self) -> usize {
        self.places.structure.parts.iter().map(|part| part.velocities.len()).max().unwrap_or(0)
    }

    /// Evaluations of the rate for all derivatives: two for each coordinate of a class of parts.
    pub(super) fn evaluations(&self) -> usize {
        let size = |part: &usize| self.places.structure.parts[*part].velocities.len();
        let of_class = |class: &Vec<usize>| class.iter().map(size).max().unwrap_or(0);
        2 * self.places.classes.iter().map(of_class).sum::<usize>()
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
        self.has_derivatives &= self.age == Age::Kept && self.sizes.1 > 0;
        self.drop_factors();
    }

    /// Drops M and G, if there are constraints, and the factors.
    pub(super) fn drop_factors(&mut self) {
        if self.sizes.1 > 0 {
            self.factored = 0.0;
        }
    }

    /// Tile and row of M of a velocity.
    fn mass_row(&self, i: usize) -> &[f64] {
        let part = self.places.part_of[i];
        self.mass.row(part, i - self.places.structure.parts[part].velocities.start)
    }

    /// M_ii.
    pub(super) fn mass(&self, i: usize) -> f64 {
        self.mass_row(i)[self.within(i)]
    }

    /// Number of a velocity within its part.
    fn within(&self, i: usize) -> usize {
        i - self.places.structure.parts[self.places.part_of[i]].velocities.start
    }

    /// True if component i, with its stiffness alone, oscillates within a step of length h: its stiffness
    /// exceeds its mass in the equations.
    pub(super) fn is_stiff(&self, i: usize, of: &Parameters, h: f64) -> bool {
        let stiffness = || {
            let within = self.within(i);
            self.stiffness.row(self.places.own[self.places.part_of[i]], within)[within]
        };
        self.is_filled && -h * h * of.share() * stiffness() > of.speed() * self.mass(i)
    }

    /// Writes the response of each constraint to units of the unknowns of its multiplier and of its
    /// impulse: diagonals of G D⁻¹ Gᵀ, with D = diag M for the impulse. A multiplier moves stiff components
    /// less, as the diagonal of the first block of the matrix (β/γ of it) shows.
    pub(super) fn responses(&self, out: &mut [[f64; 2]]) {
        let scales = &self.scales[self.sizes.0..];
        for ((out, of_multiplier), scale) in out.iter_mut().zip(&self.responses).zip(scales) {
            *out = [*of_multiplier, scale.powi(2).recip()];
        }
    }

    /// Writes the change of each unknown (ξ, h² κ λ, h μ) where all constraints, whose terms are `sizes`,
    /// are off by these at once, in directions that seem random. Constraints that nearly depend on each
    /// other change unknowns far more than one of them alone.
    pub(in crate::alpha) fn carried_along(&mut self, sizes: impl Fn(usize) -> f64, out: &mut [f64]) {
        let (n, m) = self.sizes;
        out.fill(0.0);
        if m == 0 {
            return;
        }
        let sign = |k: usize| if (k.wrapping_mul(0x9e37_79b9) >> 7) & 1 == 0 { 1.0 } else { -1.0 };
        let off = |i: usize| if (n..n + m).contains(&i) { sign(i - n) * sizes(i - n) } else { 0.0 };
        // Singular factors give no finite number.
        let changes = out.iter_mut().zip(self.solve(off));
        changes.for_each(|(out, x)| *out = if x.is_finite() { x.abs() } else { 0.0 });
    }

    /// (M x)_i, M being symmetric.
    pub(super) fn times_mass(&self, i: usize, x: &[f64]) -> f64 {
        let part = self.places.part_of[i];
        dot(self.mass_row(i), &x[self.places.structure.parts[part].velocities.clone()])
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
}

#[cfg(test)]
mod tests;
