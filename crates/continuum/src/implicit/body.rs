//! One elastic body: its state, and its forces and tangent in a step.

use std::sync::Arc;

use carom_dynamics::{BodyMotion, BodyState, Placement, rotation};
use carom_fem::constitutive::{ElasticLaw, Law, SolidLaw};
use carom_fem::internal_force::{History, InternalForce, PointRule, SweepError};
use carom_fem::{Body, Discretisation, Surface};
use carom_linalg::sparse::SparseError;
use nalgebra::Vector3;

use super::average_stress::AverageStress;
use super::matrices::Matrices;
use super::{Method, SetupError};
use crate::explicit::pressed::Pressed;
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

/// An elastic body that moves through time in implicit steps.
pub struct ElasticBody {
    pub(super) name: String,
    geometry: Arc<Body>,
    pub(super) discretisation: Discretisation,
    laws: Vec<SolidLaw>,
    internal: InternalForce,
    history: History,
    pub(super) matrices: Matrices,
    /// Forces on the points in a step \[N\].
    pub(super) force: Vec<f64>,
    /// Pressures that follow its faces.
    pressures: Vec<Pressed>,
    pub(super) held: Vec<u32>,
    /// Whether each dof is among them.
    pub(super) is_held: Vec<bool>,
    /// Velocity of each held dof \[m/s\].
    driven: Vec<f64>,
    placement: Placement,
    pub(super) state: State,
    /// The end of the step, while it is sought.
    pub(super) end: State,
    /// u₁ − u₀: velocities follow from it with the digits that u₁ loses far from the start.
    change: Vec<f64>,
    pub(super) work: Work,
}

/// Displacements, velocities, accelerations.
#[derive(Debug, Clone)]
pub(super) struct State {
    pub(super) u: Vec<f64>,
    pub(super) v: Vec<f64>,
    /// Of generalised-α alone.
    pub(super) a: Vec<f64>,
}

/// Memory of a step.
pub(super) struct Work {
    pub(super) residual: Vec<f64>,
    /// The internal force, and the inertia and loads that it is compared with \[N\].
    internal: Vec<f64>,
    inertia: Vec<f64>,
    /// Argument of the product with the mass.
    scaled: Vec<f64>,
    weight: Vec<f64>,
    /// Forces and pressures in the step \[N\].
    load: Vec<f64>,
    /// Mass of each point: a row of M \[kg\].
    pub(super) mass: Vec<f64>,
    /// Force of the support on each held dof \[N\].
    reactions: Vec<f64>,
    /// Largest mass of a point \[kg\].
    pub(super) heaviest: f64,
}

/// Sizes of the terms of a residual.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Sizes {
    /// The largest force \[N\].
    pub(super) force: f64,
    /// The largest sum of terms of the inertia, whose difference the inertia is \[N\].
    pub(super) inertia: f64,
}

/// Inertia as a function of the end: M (factor (u₁ − u₀) + offset).
#[derive(Debug, Clone, Copy)]
pub(super) struct Inertia {
    pub(super) factor: f64,
    /// Factors of v₀ and a₀ in the offset.
    of_v: f64,
    of_a: f64,
}

impl Inertia {
    /// Of a step of the length h.
    pub(super) fn new(method: Method, h: f64) -> Self {
        match method {
            Method::EnergyMomentum | Method::Midpoint => {
                Self { factor: 2.0 / (h * h), of_v: -2.0 / h, of_a: 0.0 }
            }
            Method::GeneralisedAlpha(radius) => {
                let [alpha_m, _, beta, _] = Method::alpha(radius);
                let scale = 1.0 - alpha_m;
                Self {
                    factor: scale / (beta * h * h),
                    of_v: -scale / (beta * h),
                    of_a: alpha_m - scale * (0.5 - beta) / beta,
                }
            }
        }
    }
}

impl ElasticBody {
    /// The body at its start, undeformed, in a rigid motion.
    ///
    /// * `laws` — one for each block of cells
    ///
    /// # Errors
    ///
    /// [`SetupError`].
    pub fn new(body: &Arc<Body>, placement: &Placement, laws: &[SolidLaw]) -> Result<Self, SetupError> {
        if let Some(law) = laws.iter().find(|law| law.n_history() > 0) {
            return Err(SetupError::NotElastic { law: law.name().to_owned() });
        }
        let mut discretisation = Discretisation::new(body)?;
        let (turn, origin) = (rotation::matrix(&placement.quaternion), Vector3::from(placement.origin));
        for x in &mut discretisation.points {
            *x = (origin + turn * Vector3::from(*x)).into();
        }
        let internal = InternalForce::new(&discretisation, PointRule::default())?;
        let matrices = Matrices::new(&discretisation, &internal)?;
        let n = discretisation.n_dofs();
        let state = State { u: vec![0.0; n], v: vec![0.0; n], a: vec![0.0; n] };
        let zeros = || vec![0.0; n];
        let mut made = Self {
            name: body.name.clone(),
            geometry: body.clone(),
            history: internal.history(laws),
            laws: laws.to_vec(),
            internal,
            matrices,
            force: zeros(),
            pressures: Vec::new(),
            held: Vec::new(),
            is_held: vec![false; n],
            driven: Vec::new(),
            placement: *placement,
            end: state.clone(),
            change: zeros(),
            state,
            work: Work {
                residual: zeros(),
                internal: zeros(),
                inertia: zeros(),
                scaled: zeros(),
                weight: zeros(),
                load: zeros(),
                mass: Vec::new(),
                reactions: Vec::new(),
                heaviest: 0.0,
            },
            discretisation,
        };
        made.set_velocities(placement);
        Ok(made)
    }

    /// v + ω × (x − centre of mass).
    fn set_velocities(&mut self, placement: &Placement) {
        let ones = vec![1.0; self.state.u.len()];
        let mut mass = vec![0.0; ones.len()];
        self.matrices.add_mass_product(1.0, &ones, &mut mass);
        let points = || self.discretisation.points.iter().zip(mass.iter().step_by(3));
        let total: f64 = points().map(|(_, m)| m).sum();
        self.work.heaviest = points().map(|(_, m)| m.abs()).fold(0.0, f64::max);
        self.work.mass = points().map(|(_, m)| *m).collect();
        let center = points().map(|(x, m)| *m * Vector3::from(*x)).sum::<Vector3<f64>>() / total;
        let (velocity, omega) =
            (Vector3::from(placement.velocity), Vector3::from(placement.angular_velocity));
        for (v, x) in self.state.v.as_chunks_mut().0.iter_mut().zip(&self.discretisation.points) {
            *v = (velocity + omega.cross(&(Vector3::from(*x) - center))).into();
        }
    }

    /// Holds dofs in space: 3 · point + direction.
    pub fn hold(&mut self, dofs: &[u32]) {
        self.drive(dofs, &vec![0.0; dofs.len()]);
    }

    /// Moves dofs at constant velocities \[m/s\].
    pub(super) fn drive(&mut self, dofs: &[u32], velocities: &[f64]) {
        self.matrices.discard();
        self.held = dofs.to_vec();
        self.is_held.fill(false);
        dofs.iter().for_each(|&dof| self.is_held[dof as usize] = true);
        self.driven = velocities.to_vec();
        self.work.reactions = vec![0.0; dofs.len()];
        for (&dof, &velocity) in dofs.iter().zip(velocities) {
            self.state.v[dof as usize] = velocity;
        }
    }

    /// Sets the acceleration of gravity \[m/s²\].
    pub fn set_gravity(&mut self, gravity: [f64; 3]) {
        let field: Vec<f64> = (0..self.state.u.len()).map(|dof| gravity[dof % 3]).collect();
        self.work.weight.fill(0.0);
        self.matrices.add_mass_product(1.0, &field, &mut self.work.weight);
    }

    /// Sets the forces on the points in the coming steps \[N\]; they do not follow the body.
    ///
    /// # Panics
    ///
    /// If their number is not that of the dofs.
    pub fn set_force(&mut self, force: &[f64]) {
        self.force.copy_from_slice(force);
    }

    /// Sets pressures on the deformed faces in the middle of each step.
    pub(super) fn press(&mut self, pressures: Vec<Pressed>) {
        self.pressures = pressures;
    }

    /// True if pressures act on it.
    pub(super) fn is_pressed(&self) -> bool {
        !self.pressures.is_empty()
    }

    /// The place of a point in the middle of the step that is sought \[m\].
    fn middle(discretisation: &Discretisation, [before, after]: [&[f64]; 2], point: u32) -> Vector3<f64> {
        let first = 3 * point as usize;
        let at = |u: &[f64]| Vector3::from_column_slice(&u[first..first + 3]);
        Vector3::from(discretisation.points[point as usize]) + 0.5 * (at(before) + at(after))
    }

    /// The faces of a set.
    pub(super) fn surface(&self, set: &str) -> Result<Surface, SetupError> {
        Ok(self.geometry.surface_of_set(&self.discretisation, set)?)
    }

    /// The place of a point with these displacements \[m\].
    pub(super) fn place(&self, u: &[f64], point: u32) -> Vector3<f64> {
        let first = 3 * point as usize;
        Vector3::from(self.discretisation.points[point as usize])
            + Vector3::from_column_slice(&u[first..first + 3])
    }

    /// The undeformed body in inertial axes.
    pub fn discretisation(&self) -> &Discretisation {
        &self.discretisation
    }

    /// Displacements \[m\].
    pub fn displacements(&self) -> &[f64] {
        &self.state.u
    }

    /// Velocities \[m/s\].
    pub fn velocities(&self) -> &[f64] {
        &self.state.v
    }

    /// Sets displacements and velocities.
    ///
    /// # Panics
    ///
    /// If their number is not that of the dofs.
    pub fn set_state(&mut self, u: &[f64], v: &[f64]) {
        self.state.u.copy_from_slice(u);
        self.state.v.copy_from_slice(v);
    }

    /// Factorises the mass with the present supports.
    ///
    /// # Errors
    ///
    /// [`SetupError::Mass`].
    pub(super) fn factorise_mass(&mut self) -> Result<(), SetupError> {
        let wrong = |source| SetupError::Mass { body: self.name.clone(), source };
        self.matrices.factorise_mass(&self.held).map_err(wrong)
    }

    /// Sets a₀ = M⁻¹ (f_ext − f(u₀)).
    ///
    /// # Errors
    ///
    /// [`SetupError`].
    pub(super) fn start(&mut self) -> Result<(), SetupError> {
        self.factorise_mass()?;
        let Self { internal, laws, history, state, work, .. } = self;
        let inverted = |source: SweepError| SetupError::Start { source: source.into() };
        internal.force(laws, &state.u, history, &mut work.internal).map_err(inverted)?;
        for (i, a) in state.a.iter_mut().enumerate() {
            *a = self.force[i] + work.weight[i] - work.internal[i];
        }
        self.matrices.solve_mass(&mut self.state.a);
        Ok(())
    }

    /// The first guess: straight on.
    pub(super) fn predict(&mut self, h: f64) {
        self.change.iter_mut().zip(&self.state.v).for_each(|(change, v)| *change = h * v);
        self.follow_supports(h);
    }

    fn follow_supports(&mut self, h: f64) {
        for (&dof, velocity) in self.held.iter().zip(&self.driven) {
            self.change[dof as usize] = h * velocity;
        }
        self.move_end(0.0, &[]);
    }

    /// u₁ ← u₁ − s δ.
    pub(super) fn move_end(&mut self, share: f64, correction: &[f64]) {
        self.change.iter_mut().zip(correction).for_each(|(change, by)| *change -= share * by);
        let ends = self.end.u.iter_mut().zip(&self.state.u);
        ends.zip(&self.change).for_each(|((end, u), change)| *end = u + change);
    }

    /// Starts the search of the end from rest.
    pub(super) fn stay(&mut self, h: f64) {
        self.change.fill(0.0);
        self.follow_supports(h);
    }

    /// Fills the residual but for contact and held dofs.
    pub(super) fn residual(&mut self, method: Method, inertia: &Inertia) -> Result<Sizes, SweepError> {
        let Self { internal, laws, history, state, end, work, matrices, discretisation, .. } = self;
        let fields = [&state.u[..], &end.u[..]];
        work.load.copy_from_slice(&self.force);
        for pressed in &self.pressures {
            pressed.add_forces(|point| Self::middle(discretisation, fields, point), &mut work.load);
        }
        let map = |law| AverageStress { law, method };
        internal.sweep(laws, map, fields, history, Some(&mut work.internal))?;
        let mut sizes = Sizes::default();
        for (i, scaled) in work.scaled.iter_mut().enumerate() {
            let change = self.change[i];
            let [of_v, of_a] = [inertia.of_v * state.v[i], inertia.of_a * state.a[i]];
            *scaled = inertia.factor * change + of_v + of_a;
            let terms = inertia.factor * change.abs() + of_v.abs() + of_a.abs();
            sizes.inertia = sizes.inertia.max(terms * work.heaviest);
        }
        work.inertia.fill(0.0);
        matrices.add_mass_product(1.0, &work.scaled, &mut work.inertia);
        for (i, residual) in work.residual.iter_mut().enumerate() {
            let load = work.load[i] + work.weight[i];
            let largest = work.internal[i].abs().max(work.inertia[i].abs()).max(load.abs());
            sizes.force = sizes.force.max(largest);
            *residual = work.inertia[i] + work.internal[i] - load;
        }
        Ok(sizes)
    }

    /// Takes the residuals of held dofs as forces of the supports; returns the largest of the others, NaN if
    /// one is.
    pub(super) fn largest_residual(&mut self) -> f64 {
        for (&dof, reaction) in self.held.iter().zip(&mut self.work.reactions) {
            *reaction = std::mem::take(&mut self.work.residual[dof as usize]);
        }
        let worse = |most: f64, r: &f64| if r.is_nan() { f64::NAN } else { most.max(r.abs()) };
        self.work.residual.iter().fold(0.0, worse)
    }

    /// Makes the matrix c M + ∂f/∂u₁ at the present end, with unit rows for held dofs.
    pub(super) fn assemble(&mut self, method: Method, inertia: &Inertia) -> Result<(), SweepError> {
        let Self { internal, laws, history, state, end, matrices, held, discretisation, .. } = self;
        if matrices.is_made(inertia.factor) {
            return Ok(());
        }
        matrices.discard();
        let is_linear = self.pressures.is_empty()
            && laws.iter().all(|law| matches!(law, SolidLaw::Elastic(ElasticLaw::SmallStrain(_))));
        let fields = [&state.u[..], &end.u[..]];
        let map = |law| AverageStress { law, method };
        matrices.assembly.assemble_map(internal, laws, map, fields, history, &mut matrices.jacobian)?;
        for pressed in &self.pressures {
            let middle = |point| Self::middle(discretisation, fields, point);
            // The middle moves by half of the end.
            pressed.for_slopes(middle, |i, j, slope| matrices.add_block([i, j], &(-0.5 * slope)));
        }
        matrices.complete(inertia.factor, held, is_linear);
        Ok(())
    }

    /// u₁ −= s J⁻¹ r, without contact.
    pub(super) fn correct(&mut self, share: f64) -> Result<(), SparseError> {
        self.matrices.factorise()?;
        self.matrices.solve(&mut self.work.residual)?;
        let correction = std::mem::take(&mut self.work.residual);
        self.move_end(share, &correction);
        self.work.residual = correction;
        Ok(())
    }

    /// Velocities and accelerations at the end, which becomes the present state.
    pub(super) fn close(&mut self, method: Method, h: f64) {
        let Self { state, end, change, .. } = self;
        match method {
            Method::EnergyMomentum | Method::Midpoint => {
                for i in 0..state.u.len() {
                    end.v[i] = 2.0 / h * change[i] - state.v[i];
                }
            }
            Method::GeneralisedAlpha(radius) => {
                let [_, _, beta, gamma] = Method::alpha(radius);
                for i in 0..state.u.len() {
                    let moved = change[i] - h * state.v[i];
                    end.a[i] = (moved / (h * h) - (0.5 - beta) * state.a[i]) / beta;
                    end.v[i] = state.v[i] + h * ((1.0 - gamma) * state.a[i] + gamma * end.a[i]);
                }
            }
        }
        std::mem::swap(state, end);
    }

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
    pub(super) fn exchange(&self) -> Exchange {
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
        sum.inertial = work.inertia.iter().zip(moved).map(|(f, u)| f * u).sum();
        sum
    }

    /// The points at present, or at the start of the step that was just taken.
    fn points(&self, is_before: bool) -> PointMotion<'_> {
        let State { u, v, .. } = if is_before { &self.end } else { &self.state };
        PointMotion { mass: &self.work.mass, points: &self.discretisation.points, u, v }
    }

    /// Mass \[kg\] and its centre \[m\].
    pub(super) fn mass(&self) -> (f64, Vector3<f64>) {
        self.points(false).center()
    }

    /// Mean motion at a place: at present, or at the start of the step that was just taken.
    pub(super) fn motion(&self, place: &Vector3<f64>, is_before: bool) -> BodyMotion {
        self.points(is_before).at(place, self.held.is_empty())
    }

    /// The mean turn if a law of the body takes rotations for strains; else zero \[rad\].
    pub(super) fn doubtful_turn(&self) -> f64 {
        if self.laws.iter().all(Law::is_objective) {
            return 0.0;
        }
        mean_turn(&self.work.mass, &self.discretisation.points, &self.state.u)
    }

    /// The present state for pictures and tables.
    pub(super) fn reported(&self) -> BodyState {
        self.points(false).reported(&self.placement)
    }
}

/// Works and forces of outer loads and supports in a step.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Exchange {
    /// Work of loads without gravity, and of supports \[J\].
    pub(super) external: f64,
    /// Work of the internal forces \[J\].
    pub(super) internal: f64,
    /// Work against the inertia \[J\]: the change of the kinetic energy but for generalised-α.
    pub(super) inertial: f64,
    /// Sum of the outer forces with gravity \[N\], and its moment about the origin \[N m\].
    pub(super) force: Vector3<f64>,
    pub(super) moment: Vector3<f64>,
}
