//! Energies, momenta and works of a body, and its mean motion.

use carom_dynamics::{BodyMotion, BodyState};
use carom_fem::constitutive::Law;
use carom_fem::internal_force::SweepError;
use nalgebra::Vector3;

use super::{ElasticBody, State};
use crate::mean_turn::mean_turn;
use crate::point_motion::PointMotion;

/// Energies and momenta of bodies.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Energies {
    /// ½ vᵀ M v \[J\].
    pub kinetic: f64,
    /// ∫ ψ dV \[J\].
    pub stored: f64,
    /// −m g·x̄ \[J\].
    pub weight: f64,
    /// Σ M v \[N s\].
    pub momentum: [f64; 3],
    /// Σ x × M v about the inertial origin \[N m s\].
    pub ang_momentum: [f64; 3],
}

impl Energies {
    /// E_kin + E_el + E_pot \[J\].
    pub fn total(&self) -> f64 {
        self.kinetic + self.stored + self.weight
    }
}

impl std::ops::AddAssign for Energies {
    fn add_assign(&mut self, other: Self) {
        self.kinetic += other.kinetic;
        self.stored += other.stored;
        self.weight += other.weight;
        for d in 0..3 {
            self.momentum[d] += other.momentum[d];
            self.ang_momentum[d] += other.ang_momentum[d];
        }
    }
}

impl ElasticBody {
    /// Energies and momenta of the present state.
    ///
    /// # Errors
    ///
    /// [`SweepError`] if the state has an inverted cell.
    pub fn energies(&mut self) -> Result<Energies, SweepError> {
        let Self { internal, laws, history, state, work, matrices, .. } = self;
        let stored = internal.stored_energy(laws, &state.u, history)?;
        work.inertia.fill(0.0);
        matrices.add_mass_product(1.0, &state.v, &mut work.inertia);
        let kinetic = 0.5 * work.inertia.iter().zip(&state.v).map(|(p, v)| p * v).sum::<f64>();
        let (mut momentum, mut ang_momentum, mut weight) = (Vector3::zeros(), Vector3::zeros(), 0.0);
        for (k, x) in self.discretisation.points.iter().enumerate() {
            let at = |values: &[f64]| Vector3::from_column_slice(&values[3 * k..3 * k + 3]);
            let (x, p) = (Vector3::from(*x) + at(&state.u), at(&work.inertia));
            momentum += p;
            ang_momentum += x.cross(&p);
            weight -= at(&work.weight).dot(&x);
        }
        Ok(Energies { kinetic, stored, weight, momentum: momentum.into(), ang_momentum: ang_momentum.into() })
    }

    /// Works and forces of the step that was just taken, with its ends in `end` and `state`.
    pub(in crate::implicit) fn exchange(&self) -> Exchange {
        let Self { state, end, work, .. } = self;
        let mut sum = Exchange::default();
        let mut act = |dof: usize, force: f64, is_weight: bool| {
            let (point, d) = (dof / 3, dof % 3);
            let middle = Vector3::from_fn(|i, _| {
                let k = 3 * point + i;
                self.discretisation.points[point][i] + 0.5 * (state.u[k] + end.u[k])
            });
            let vector = Vector3::ith(d, force);
            sum.force += vector;
            sum.moment += middle.cross(&vector);
            if !is_weight {
                sum.external += force * (state.u[dof] - end.u[dof]);
            }
        };
        for dof in 0..state.u.len() {
            if work.load[dof] != 0.0 {
                act(dof, work.load[dof], false);
            }
            if work.weight[dof] != 0.0 {
                act(dof, work.weight[dof], true);
            }
        }
        for (&dof, &reaction) in self.held.iter().zip(&work.reactions) {
            act(dof as usize, reaction, false);
        }
        let moved = state.u.iter().zip(&end.u).map(|(after, before)| after - before);
        sum.internal = work.internal.iter().zip(moved.clone()).map(|(f, u)| f * u).sum();
        let accelerations = state.a.as_chunks::<3>().0.iter().zip(end.a.as_chunks().0).zip(&work.mass);
        for ((after, before), mass) in accelerations {
            sum.lag += *mass * (Vector3::from(*after) - Vector3::from(*before));
        }
        sum.inertial = work.inertia.iter().zip(moved).map(|(f, u)| f * u).sum();
        sum
    }

    /// The points at present, or at the start of the step that was just taken.
    fn points(&self, is_before: bool) -> PointMotion<'_> {
        let State { u, v, .. } = if is_before { &self.end } else { &self.state };
        PointMotion { mass: &self.work.mass, points: &self.discretisation.points, u, v }
    }

    /// Mass \[kg\] and its centre \[m\].
    pub(in crate::implicit) fn mass(&self) -> (f64, Vector3<f64>) {
        self.points(false).center()
    }

    /// Mean motion at a place: at present, or at the start of the step that was just taken.
    pub(in crate::implicit) fn motion(&self, place: &Vector3<f64>, is_before: bool) -> BodyMotion {
        self.points(is_before).at(place, self.held.is_empty())
    }

    /// The mean turn if a law of the body takes rotations for strains; else zero \[rad\].
    pub(in crate::implicit) fn doubtful_turn(&self) -> f64 {
        if self.laws.iter().all(Law::is_objective) {
            return 0.0;
        }
        mean_turn(&self.work.mass, &self.discretisation.points, &self.state.u)
    }

    /// The present state for pictures and tables.
    pub(in crate::implicit) fn reported(&self) -> BodyState {
        self.points(false).reported(&self.placement)
    }
}

/// Works and forces of outer loads and supports in a step.
#[derive(Debug, Clone, Copy, Default)]
pub(in crate::implicit) struct Exchange {
    /// Work of loads without gravity, and of supports \[J\].
    pub(in crate::implicit) external: f64,
    /// Work of the internal forces \[J\].
    pub(in crate::implicit) internal: f64,
    /// Work against the inertia \[J\]: the change of the kinetic energy but for generalised-α.
    pub(in crate::implicit) inertial: f64,
    /// Σ M (a₁ − a₀) of generalised-α \[N\].
    pub(in crate::implicit) lag: Vector3<f64>,
    /// Sum of the outer forces with gravity \[N\], and its moment about the origin \[N m\].
    pub(in crate::implicit) force: Vector3<f64>,
    pub(in crate::implicit) moment: Vector3<f64>,
}
