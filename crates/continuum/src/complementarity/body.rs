//! One linear body: its matrices, state and step.

use std::sync::Arc;

use carom_dynamics::{BodyMotion, BodyState, Placement, rotation};
use carom_fem::constitutive::{SolidLaw, linear_laws};
use carom_fem::{Body, Discretisation, PlaceRecovery, Stress, Surface, SystemMatrices};
use carom_linalg::{BlockMatrix, Cholesky, DofSet, FactorError, NodeMatrix, Symbolic};
use carom_progress::Silent;
use faer::MatMut;
use nalgebra::Vector3;

use super::compliance::Compliance;
use super::matrices::{mass_product, node_product, quadratic, stiffness_product};
use super::{BodyOptions, SetupError, Stiffness};
use crate::mean_turn::mean_turn;
use crate::point_motion::PointMotion;

/// A linear body that moves through time.
pub(super) struct LinearBody {
    pub(super) name: String,
    geometry: Arc<Body>,
    pub(super) discretisation: Discretisation,
    /// Laws of the blocks, for the stress.
    laws: Vec<SolidLaw>,
    stiffness: BlockMatrix,
    pub(super) mass: NodeMatrix,
    /// β of C = β K \[s\].
    damping: f64,
    placement: Placement,
    pub(super) held: Vec<u32>,
    /// Velocity of each held dof \[m/s\].
    driven: Vec<f64>,
    weight: Vec<f64>,
    /// Sum of each row of the mass \[kg\].
    row_mass: Vec<f64>,
    /// True for points without mass.
    massless: Vec<bool>,
    pub(super) state: State,
    /// The start of the step that was just taken.
    before: State,
    /// Change of the displacements in the step, of the prediction without contact and with it \[m\].
    free: Vec<f64>,
    pub(super) moved: Vec<f64>,
    /// Mean load of the step without gravity and contact \[N\].
    pub(super) load: Vec<f64>,
    /// Contact forces at the end of the step, and their mean in it \[N\].
    pub(super) pressing: Vec<f64>,
    contact: Vec<f64>,
    /// Share of the forces at the end in the mean: one half where contact points have no mass.
    share: f64,
    /// Force of the support on each held dof \[N\].
    reactions: Vec<f64>,
    factor: Option<Factor>,
    symbolic: Option<Symbolic>,
    scratch: [Vec<f64>; 2],
    pub(super) compliance: Compliance,
}

/// Displacements, velocities, and K u.
#[derive(Debug, Clone)]
pub(super) struct State {
    pub(super) u: Vec<f64>,
    pub(super) v: Vec<f64>,
    ku: Vec<f64>,
    /// Contact forces at this time, of bodies whose contact points have no mass \[N\].
    pub(super) pressed: Vec<f64>,
}

/// The factor of K + s M for one step size.
struct Factor {
    h: f64,
    cholesky: Cholesky,
    /// ½ + β/h, by which the equation of a step is divided.
    divisor: f64,
}

/// Works and forces in a step.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Exchange {
    /// Work of loads without gravity, and of supports \[J\].
    pub(super) external: f64,
    /// Work of contact \[J\].
    pub(super) contact: f64,
    /// Loss by damping, ≥ 0 \[J\].
    pub(super) damped: f64,
    /// Loads, gravity and supports \[N\], and their moment about the origin \[N m\].
    pub(super) force: Vector3<f64>,
    pub(super) moment: Vector3<f64>,
    /// Moment of contact; of all bodies without that of walls \[N m\].
    pub(super) pressed: Vector3<f64>,
}

/// Energies and momenta.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Energies {
    pub(super) kinetic: f64,
    pub(super) stored: f64,
    pub(super) weight: f64,
    pub(super) momentum: Vector3<f64>,
    pub(super) ang_momentum: Vector3<f64>,
}

impl LinearBody {
    /// The body at its start, undeformed, in a rigid motion.
    ///
    /// * `make_mass` — the mass matrix from the consistent one
    pub(super) fn new(
        body: &Arc<Body>,
        placement: &Placement,
        options: &BodyOptions,
        make_mass: impl FnOnce(NodeMatrix, &Discretisation) -> Result<NodeMatrix, SetupError>,
    ) -> Result<Self, SetupError> {
        if options.stiffness == Stiffness::ScalarWave && placement.angular_velocity != [0.0; 3] {
            return Err(SetupError::ScalarTurns { body: body.name.clone() });
        }
        let mut discretisation = Discretisation::new(body)
            .map_err(|source| SetupError::Discretisation { body: body.name.clone(), source })?;
        let (turn, origin) = (rotation::matrix(&placement.quaternion), Vector3::from(placement.origin));
        for x in &mut discretisation.points {
            *x = (origin + turn * Vector3::from(*x)).into();
        }
        let SystemMatrices { stiffness, mass } =
            super::matrices::assembled(body, &discretisation, options.stiffness)?;
        let mass = make_mass(mass, &discretisation)?;
        let (n_points, n) = (discretisation.n_points(), discretisation.n_dofs());
        let mut row_mass = vec![0.0; n_points];
        node_product(&mass, &vec![1.0; n_points], &mut row_mass);
        let massless = mass_of_points(&mass).into_iter().map(|m| m == 0.0).collect();
        let zeros = || vec![0.0; n];
        let state = State { u: zeros(), v: zeros(), ku: zeros(), pressed: zeros() };
        let mut made = Self {
            name: body.name.clone(),
            geometry: body.clone(),
            laws: linear_laws(&discretisation),
            stiffness,
            mass,
            damping: options.damping,
            placement: *placement,
            held: Vec::new(),
            driven: Vec::new(),
            weight: zeros(),
            row_mass,
            massless,
            before: state.clone(),
            state,
            free: zeros(),
            moved: zeros(),
            load: zeros(),
            pressing: zeros(),
            contact: zeros(),
            share: 1.0,
            reactions: Vec::new(),
            factor: None,
            symbolic: None,
            scratch: [zeros(), zeros()],
            compliance: Compliance::new(n_points),
            discretisation,
        };
        made.set_velocities();
        Ok(made)
    }

    /// v + ω × (x − centre of mass).
    fn set_velocities(&mut self) {
        let Placement { velocity, angular_velocity, .. } = self.placement;
        let (velocity, omega) = (Vector3::from(velocity), Vector3::from(angular_velocity));
        let (_, center) = self.points(false).center();
        for (v, x) in self.state.v.as_chunks_mut().0.iter_mut().zip(&self.discretisation.points) {
            *v = (velocity + omega.cross(&(Vector3::from(*x) - center))).into();
        }
    }

    /// Moves dofs at constant velocities \[m/s\].
    pub(super) fn drive(&mut self, dofs: Vec<u32>, velocities: Vec<f64>) {
        for (&dof, &velocity) in dofs.iter().zip(&velocities) {
            self.state.v[dof as usize] = velocity;
        }
        self.reactions = vec![0.0; dofs.len()];
        (self.held, self.driven) = (dofs, velocities);
    }

    /// Makes forces of contact points act with their mean over a step: the points have no mass.
    pub(super) fn average_contact(&mut self) {
        self.share = 0.5;
    }

    /// The part of the forces at the end in the mean of a step.
    pub(super) fn share(&self) -> f64 {
        self.share
    }

    /// Sets the acceleration of gravity \[m/s²\].
    pub(super) fn set_gravity(&mut self, gravity: [f64; 3]) {
        for (weight, mass) in self.weight.as_chunks_mut::<3>().0.iter_mut().zip(&self.row_mass) {
            *weight = gravity.map(|g| g * mass);
        }
    }

    /// The faces of a set.
    pub(super) fn surface(&self, set: &str) -> Result<Surface, SetupError> {
        Ok(self.geometry.surface_of_set(&self.discretisation, set)?)
    }

    /// The present place of a point \[m\].
    pub(super) fn place(&self, point: u32) -> Vector3<f64> {
        let first = 3 * point as usize;
        Vector3::from(self.discretisation.points[point as usize])
            + Vector3::from_column_slice(&self.state.u[first..first + 3])
    }

    /// Factorises the matrix of a step of the length h, if that of the last one does not serve.
    ///
    /// ```text
    /// (½ + β/h) K + 2/h² M = (½ + β/h) (K + s M)
    /// ```
    pub(super) fn prepare(&mut self, h: f64) -> Result<(), FactorError> {
        if self.factor.as_ref().is_some_and(|factor| factor.h == h) {
            return Ok(());
        }
        let divisor = 0.5 + self.damping / h;
        let shift = 2.0 / (h * h * divisor);
        let symbolic = match (self.factor.take(), self.symbolic.take()) {
            (Some(factor), _) => factor.cholesky.into_symbolic(),
            (None, Some(symbolic)) => symbolic,
            (None, None) => {
                let held: Vec<usize> = self.held.iter().map(|&dof| dof as usize).collect();
                let free = DofSet::all(self.discretisation.n_points()).without_dofs(&held);
                Symbolic::new(&self.stiffness.graph, free)?
            }
        };
        let cholesky =
            Cholesky::with_symbolic(symbolic, &self.stiffness, Some((&self.mass, shift)), &Silent)?;
        self.factor = Some(Factor { h, cholesky, divisor });
        self.compliance.forget();
        Ok(())
    }

    /// The change of the displacements in a step of the length h without the contact forces of its end.
    ///
    /// ```text
    /// (½ + β/h) (K + s M) w = f − K u₀ + (2/h) M v₀
    /// ```
    pub(super) fn predict(&mut self, h: f64) {
        let Self { state, free, moved, load, weight, mass, scratch: [product, inertia], factor, .. } = self;
        let Some(Factor { cholesky, divisor, .. }) = factor else { unreachable!("a step is prepared") };
        mass_product(mass, &state.v, inertia);
        for i in 0..free.len() {
            free[i] = load[i] + weight[i] + 0.5 * state.pressed[i] - state.ku[i] + 2.0 / h * inertia[i];
            free[i] /= *divisor;
        }
        if self.driven.iter().any(|velocity| *velocity != 0.0) {
            let shift = 2.0 / (h * h * *divisor);
            moved.fill(0.0);
            for (&dof, velocity) in self.held.iter().zip(&self.driven) {
                moved[dof as usize] = h * velocity;
            }
            stiffness_product(&self.stiffness, moved, product);
            mass_product(mass, moved, inertia);
            for i in 0..free.len() {
                free[i] -= product[i] + shift * inertia[i];
            }
        }
        solve(cholesky, free);
        for (&dof, velocity) in self.held.iter().zip(&self.driven) {
            free[dof as usize] = h * velocity;
        }
        moved.copy_from_slice(free);
    }

    /// The predicted motion of a point in the step, without contact \[m\].
    pub(super) fn free_motion(&self, point: u32) -> Vector3<f64> {
        let first = 3 * point as usize;
        Vector3::from_column_slice(&self.free[first..first + 3])
    }

    /// The motion of a point in the step \[m\].
    pub(super) fn motion_of(&self, point: u32) -> Vector3<f64> {
        let first = 3 * point as usize;
        Vector3::from_column_slice(&self.moved[first..first + 3])
    }

    /// Makes the columns of the compliance for dofs.
    ///
    /// * `dofs` — sorted
    pub(super) fn answer(&mut self, dofs: &[u32]) {
        let Some(Factor { cholesky, divisor, .. }) = &self.factor else { unreachable!("a step is prepared") };
        self.compliance.add(dofs, |columns| {
            cholesky.solve_in_place(columns.as_mut());
            columns.col_iter_mut().for_each(|column| column.iter_mut().for_each(|x| *x /= *divisor));
        });
    }

    /// Adds the response to the contact forces of the end of the step.
    pub(super) fn respond(&mut self) {
        let Self { free, moved, pressing, share, scratch: [response, _], factor, .. } = self;
        let Some(Factor { cholesky, divisor, .. }) = factor else { unreachable!("a step is prepared") };
        response.iter_mut().zip(&*pressing).for_each(|(r, f)| *r = *share * f / *divisor);
        solve(cholesky, response);
        for i in 0..moved.len() {
            moved[i] = free[i] + response[i];
        }
    }

    /// Ends the step.
    pub(super) fn close(&mut self, h: f64) {
        std::mem::swap(&mut self.state, &mut self.before);
        let Self { state, before, moved, massless, contact, pressing, share, .. } = self;
        for i in 0..moved.len() {
            contact[i] = *share * pressing[i] + 0.5 * before.pressed[i];
            state.pressed[i] = if *share < 1.0 { pressing[i] } else { 0.0 };
            state.u[i] = before.u[i] + moved[i];
            // The velocity of a point without mass has no influence.
            let mean = moved[i] / h;
            state.v[i] = if massless[i / 3] { mean } else { 2.0 * mean - before.v[i] };
        }
        stiffness_product(&self.stiffness, &state.u, &mut state.ku);
    }

    /// Works and forces of the step that was just taken.
    pub(super) fn exchange(&mut self, h: f64) -> Exchange {
        let mut sum = Exchange::default();
        self.find_reactions(h, &mut sum);
        let arm = self.mean_arm();
        let Self { moved, load, weight, contact, held, reactions, discretisation, .. } = self;
        for (i, moved) in moved.iter().enumerate() {
            sum.external += load[i] * moved;
            sum.contact += contact[i] * moved;
        }
        let mut act = |dof: usize, force: f64| {
            let vector = Vector3::ith(dof % 3, force);
            sum.force += vector;
            sum.moment += (Vector3::from(discretisation.points[dof / 3]) + arm).cross(&vector);
        };
        for i in 0..moved.len() {
            let force = load[i] + weight[i];
            if force != 0.0 {
                act(i, force);
            }
        }
        for (&dof, &reaction) in held.iter().zip(&*reactions) {
            act(dof as usize, reaction);
        }
        for (x, force) in discretisation.points.iter().zip(contact.as_chunks::<3>().0) {
            if *force != [0.0; 3] {
                sum.pressed += (Vector3::from(*x) + arm).cross(&Vector3::from(*force));
            }
        }
        for (&dof, &reaction) in held.iter().zip(&*reactions) {
            sum.external += reaction * moved[dof as usize];
        }
        sum
    }

    /// Forces of supports, and the loss by damping (β/h) w·K w.
    fn find_reactions(&mut self, h: f64, sum: &mut Exchange) {
        let rate = self.damping / h;
        let Self { state, before, moved, mass, scratch: [forces, products], .. } = self;
        if rate > 0.0 {
            forces
                .iter_mut()
                .zip(state.ku.iter().zip(&before.ku))
                .for_each(|(f, (end, start))| *f = end - start);
            sum.damped += rate * quadratic(moved, forces);
        }
        if self.held.is_empty() {
            return;
        }
        for i in 0..moved.len() {
            forces[i] = (state.v[i] - before.v[i]) / h;
        }
        mass_product(mass, forces, products);
        for (&dof, reaction) in self.held.iter().zip(&mut self.reactions) {
            let i = dof as usize;
            *reaction =
                products[i] + 0.5 * (before.ku[i] + state.ku[i]) + rate * (state.ku[i] - before.ku[i])
                    - self.load[i]
                    - self.weight[i]
                    - self.contact[i];
        }
    }

    /// Mean displacement in the middle of the step that was just taken: the place of the undeformed body,
    /// about which linear theory takes moments.
    pub(super) fn mean_arm(&self) -> Vector3<f64> {
        0.5 * (self.mean_displacement(&self.state.u) + self.mean_displacement(&self.before.u))
    }

    fn mean_displacement(&self, u: &[f64]) -> Vector3<f64> {
        let points = u.as_chunks::<3>().0.iter().zip(&self.row_mass);
        let total: f64 = self.row_mass.iter().sum();
        points.map(|(u, m)| Vector3::from(*u) * *m).sum::<Vector3<f64>>() / total
    }

    /// Stress at a place of the body, at the present state \[Pa\].
    pub(super) fn stress(&self, place: &PlaceRecovery) -> Stress {
        place.stress(&self.laws, &self.state.u, None)
    }

    /// Energies and momenta; moments about the origin with the undeformed body at its present place.
    pub(super) fn energies(&mut self) -> Energies {
        let arm = self.mean_displacement(&self.state.u);
        let Self { state, mass, weight, scratch: [momenta, _], discretisation, .. } = self;
        mass_product(mass, &state.v, momenta);
        let mut out = Energies {
            kinetic: 0.5 * dot(momenta, &state.v),
            stored: 0.5 * quadratic(&state.u, &state.ku),
            ..Energies::default()
        };
        for (k, x) in discretisation.points.iter().enumerate() {
            let at = |values: &[f64]| Vector3::from_column_slice(&values[3 * k..3 * k + 3]);
            let (x, p) = (Vector3::from(*x), at(momenta));
            out.momentum += p;
            out.ang_momentum += (x + arm).cross(&p);
            out.weight -= at(weight).dot(&(x + at(&state.u)));
        }
        out
    }

    fn points(&self, is_before: bool) -> PointMotion<'_> {
        let State { u, v, .. } = if is_before { &self.before } else { &self.state };
        PointMotion { mass: &self.row_mass, points: &self.discretisation.points, u, v }
    }

    /// Mass \[kg\] and its centre \[m\].
    pub(super) fn center(&self) -> (f64, Vector3<f64>) {
        self.points(false).center()
    }

    /// Mean motion at a place: at present, or at the start of the step that was just taken.
    pub(super) fn motion(&self, place: &Vector3<f64>, is_before: bool) -> BodyMotion {
        self.points(is_before).at(place, self.held.is_empty())
    }

    /// The mean turn \[rad\].
    pub(super) fn turn(&self) -> f64 {
        mean_turn(&self.row_mass, &self.discretisation.points, &self.state.u)
    }

    /// The present state for pictures and tables.
    pub(super) fn reported(&self) -> BodyState {
        self.points(false).reported(&self.placement)
    }

    /// Sets the state of a checkpoint, whose K u follows from it.
    pub(super) fn restored(&mut self) {
        let State { u, ku, .. } = &mut self.state;
        stiffness_product(&self.stiffness, u, ku);
    }
}

/// The diagonal of a mass matrix.
fn mass_of_points(mass: &NodeMatrix) -> Vec<f64> {
    (0..mass.graph.n_nodes()).map(|point| mass.values[mass.graph.column(point).0]).collect()
}

fn solve(cholesky: &Cholesky, x: &mut [f64]) {
    let n = x.len();
    cholesky.solve_in_place(MatMut::from_column_major_slice_mut(x, n, 1));
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
