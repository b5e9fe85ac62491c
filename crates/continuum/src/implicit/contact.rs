//! Contact of elastic bodies by multipliers or springs: nodes of one surface against faces of another.
//!
//! ```text
//! M (v₁ − v₀)/h + f − Σ λ D = f_ext,   0 ≤ λ ⟂ g₁ ≥ 0
//! ```
//!
//! D is [`StepGap::gradient`]: the discrete gradient of the gap in the energy-momentum scheme, the gradient
//! in the middle of the step in the midpoint rule. Both keep momentum and angular momentum. The discrete
//! gradient does no work in a step that begins and ends with a closed gap; the work λ (g₁ − g₀) of a step in
//! which a node comes to the face, or has left it, is the jump of the energy of the step.
//!
//! Springs ([`spring`]) have a mean force of their potential, and friction.
//!
//! Which rows touch is found with the displacements, by a primal-dual active set: an open row closes where
//! its node is behind the face, and a closed one opens where its multiplier pulls.

mod pair;
mod row;
mod spring;

use super::body::ElasticBody;
use super::{Method, SetupError, StepError};
use carom_contact::Law;
pub(super) use pair::Pair;
pub(super) use row::{Entry, Row, RowKey};

/// Two surfaces that may touch.
#[derive(Debug, Clone, PartialEq)]
pub struct ContactSpec {
    /// Multipliers, or springs.
    pub law: Law,
    /// Coefficient of friction, of springs alone.
    pub friction: f64,
    /// True if the energy-momentum scheme takes the gradient of the mixed formulation instead of D, over a
    /// second surface of flat and bilinear faces of a mesh; both have the same properties.
    pub is_mixed: bool,
    /// Numbers of the bodies: nodes of the first are kept off faces of the second.
    pub bodies: [usize; 2],
    /// A set of faces of each.
    pub sets: [String; 2],
    /// Number of the pair among all contacts.
    pub number: usize,
}

/// Gap from which on a contact was open, relative to the smallest face: above the gaps of steps that end
/// where the iteration stalls.
const OPEN: f64 = 1e-6;

/// Part of the largest multiplier that a multiplier may pull with: rounding.
const PULL: f64 = 1e-9;

/// All contacts.
#[derive(Default)]
pub(super) struct Contacts {
    pub(super) pairs: Vec<Pair>,
}

impl Contacts {
    pub(super) fn new(
        bodies: &[ElasticBody],
        specs: &[ContactSpec],
        method: Method,
    ) -> Result<Self, SetupError> {
        let pairs = specs.iter().map(|spec| Pair::new(bodies, spec, method));
        Ok(Self { pairs: pairs.collect::<Result<_, _>>()? })
    }

    pub(super) fn is_empty(&self) -> bool {
        self.pairs.is_empty()
    }

    /// Number of rows that touch.
    pub(super) fn n_active(&self) -> usize {
        self.rows().filter(|(_, row)| row.is_active).count()
    }

    /// All rows with their keys.
    pub(super) fn rows(&self) -> impl Iterator<Item = (RowKey, &Row)> {
        self.pairs.iter().enumerate().flat_map(|(k, pair)| pair.rows.iter().map(move |row| (row.key(k), row)))
    }

    /// The rows that touch.
    pub(super) fn active_mut(&mut self) -> impl Iterator<Item = &mut Row> {
        self.pairs.iter_mut().flat_map(|pair| pair.rows.iter_mut().filter(|row| row.is_active))
    }

    /// Begins a step of the length h at the present state.
    pub(super) fn begin(&mut self, bodies: &[ElasticBody], h: f64) {
        self.pairs.iter_mut().for_each(|pair| pair.begin(bodies, h));
    }

    /// The rows and multipliers as they were at the start of the step.
    pub(super) fn restart(&mut self) {
        self.pairs.iter_mut().for_each(Pair::restart);
    }

    /// Evaluates the rows at the present ends; returns true if a row has opened or closed.
    ///
    /// * `may_change` — false to keep the rows that touch
    ///
    /// # Errors
    ///
    /// [`StepError::Slid`].
    pub(super) fn update(&mut self, bodies: &[ElasticBody], may_change: bool) -> Result<bool, StepError> {
        let mut has_changed = false;
        for pair in &mut self.pairs {
            has_changed |= pair.update(bodies, may_change)?;
        }
        Ok(has_changed)
    }

    /// Opens the row that pulls hardest, whatever it did before in this step; returns false if none pulls.
    pub(super) fn open_worst(&mut self) -> bool {
        let largest = self
            .rows()
            .filter(|(_, row)| row.is_active)
            .map(|(_, row)| row.lambda[0].abs())
            .fold(0.0, f64::max);
        let rows = self.pairs.iter_mut().flat_map(|pair| &mut pair.rows);
        let pulls = rows.filter(|row| row.is_active && row.lambda[0] < -PULL * largest);
        pulls.min_by(|a, b| a.lambda[0].total_cmp(&b.lambda[0])).map(Row::open).is_some()
    }

    /// Adds −Σ λ D to the residuals; returns the largest force on a point \[N\].
    pub(super) fn add_forces(&self, bodies: &mut [ElasticBody]) -> f64 {
        let mut largest = 0.0_f64;
        for pair in &self.pairs {
            for row in pair.rows.iter().filter(|row| row.is_active) {
                largest = largest.max(row.lambda[0].abs());
                pair.for_entries(row, |entry| {
                    let force = entry.weight * row.force(entry.block);
                    let residual = &mut bodies[entry.body].work.residual;
                    (0..3).for_each(|d| residual[3 * entry.point as usize + d] -= force[d]);
                });
            }
        }
        largest
    }

    /// Adds Σ λ ∇g₁ of the contacts that were open at the start of the last step to the residuals.
    pub(super) fn add_closing(&self, bodies: &mut [ElasticBody]) {
        for pair in &self.pairs {
            for row in pair.closing() {
                pair.for_entries(row, |entry| {
                    let force = row.lambda[0] * entry.weight * row.gap.at_end[entry.block];
                    let forces = &mut bodies[entry.body].work.residual;
                    (0..3).for_each(|d| forces[3 * entry.point as usize + d] += force[d]);
                });
            }
        }
    }

    /// Adds the impulses of velocities along these forces.
    ///
    /// * `scale` — factor of the forces \[s\]
    pub(super) fn add_pushes(&mut self, scale: f64) {
        self.pairs.iter_mut().for_each(|pair| pair.add_push(scale));
    }

    /// The largest gap of a row that touches, relative to the size of a face.
    pub(super) fn largest_gap(&self) -> f64 {
        let of_pair = |pair: &Pair| {
            let gaps = pair
                .rows
                .iter()
                .filter(|row| row.is_active && row.is_hard())
                .map(|row| row.gap.gaps[1].abs());
            gaps.fold(0.0, f64::max) / pair.size
        };
        self.pairs.iter().map(of_pair).fold(0.0, f64::max)
    }

    /// The largest error of a law of friction \[N\].
    pub(super) fn largest_misfit(&self) -> f64 {
        self.rows().filter(|(_, row)| row.is_active).map(|(_, row)| row.misfit()).fold(0.0, f64::max)
    }

    /// Ends a step of the length h.
    ///
    /// * `bodies` — after the step
    pub(super) fn close(&mut self, bodies: &[ElasticBody], h: f64) -> Closed {
        let mut closed = Closed { touching: self.n_active(), ..Closed::default() };
        for pair in &mut self.pairs {
            pair.close(bodies, h);
            let work = if pair.is_hard() { &mut closed.work } else { &mut closed.spring_work };
            *work += pair.work;
            closed.friction += pair.losses.friction;
        }
        closed
    }

    /// The energy of springs at present \[J\].
    pub(super) fn stored(&self) -> f64 {
        self.pairs.iter().map(|pair| pair.losses.stored).sum()
    }
}

/// The contacts of a step.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Closed {
    /// Rows that touch.
    pub(super) touching: usize,
    /// Work of multipliers, and of springs with friction \[J\].
    pub(super) work: f64,
    pub(super) spring_work: f64,
    /// Loss by friction \[J\].
    pub(super) friction: f64,
}
