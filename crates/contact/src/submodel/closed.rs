//! Contact that is closed, as a formula with equations of its own sees it: how its forces answer motions of
//! the bodies.
//!
//! ```text
//! ∂f/∂x ≈ −Bᵀ (W + d)⁻¹ B    over the rows with a force
//! ```
//!
//! without what turning normals do to forces that are there.

use nalgebra::Vector3;

use super::workspace::Workspace;
use super::{QuasistaticContact, Wrench};

/// Part of Coulomb's bound from which on a span counts as sliding.
const SLIDES: f64 = 1.0 - 1e-9;

/// What a unit of a row's force is on one of its two bodies.
#[derive(Debug, Clone, Copy)]
pub struct RowForce<'a> {
    /// Number of the body.
    pub body: usize,
    /// Forces on its points in its frame.
    pub on_points: &'a [(u32, [f64; 3])],
    /// All of them together, with what acts on no point, about its origin.
    pub wrench: Wrench,
}

impl QuasistaticContact {
    /// Hands over the rows whose motion changes their force at once at the last solve, ascending: those of
    /// spans with pressure, and the tangential ones of those that stick.
    pub fn for_closed(&self, work: &Workspace, mut take: impl FnMut(usize)) {
        for s in (0..self.n_spans).filter(|&s| work.lambda[self.n_parts * s] > 0.0) {
            take(self.n_parts * s);
            if self.has_friction() && self.sticks(work, s) {
                take(self.n_parts * s + 1);
                take(self.n_parts * s + 2);
            }
        }
    }

    fn sticks(&self, work: &Workspace, span: usize) -> bool {
        let [normal, first, second] = [0, 1, 2].map(|part| work.lambda[3 * span + part]);
        first.hypot(second) < SLIDES * work.slip.friction[span] * normal
    }

    /// (W + d) of two rows of [`QuasistaticContact::for_closed`] \[m/N\], W as it was condensed last.
    pub fn closed_compliance(&self, work: &Workspace, r: usize, s: usize) -> f64 {
        let law = if r == s { self.law_compliance(r) } else { 0.0 };
        let [i, j] = [r, s].map(|row| work.condensed.position[row]);
        if i == u32::MAX || j == u32::MAX { law } else { law + work.condensed.w[(i as usize, j as usize)] }
    }

    /// What a unit of the force of a row is on its two bodies, at the positions of the last pass.
    pub fn row_forces<'a>(&self, work: &'a Workspace, row: usize) -> [RowForce<'a>; 2] {
        let parts = &work.spans.rows[row];
        let [one, two] = self.bodies_of(row);
        let of = |body: usize, on_points: &'a [(u32, [f64; 3])], other: [[f64; 3]; 2]| {
            let [force_b, moment_b] = other.map(Vector3::from);
            let mut wrench = Wrench { force_b, moment_b };
            for (point, force) in on_points {
                let force = Vector3::from(*force);
                wrench.force_b += force;
                wrench.moment_b += work.positions[body][*point as usize].cross(&force);
            }
            RowForce { body, on_points, wrench }
        };
        [of(one, &parts.first, [[0.0; 3]; 2]), of(two, &parts.second, parts.reaction)]
    }
}
