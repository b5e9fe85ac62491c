//! One elastic body: its state, loads and supports.

mod books;
mod step;

use std::sync::Arc;

use carom_dynamics::{Placement, rotation};
use carom_fem::constitutive::{Law, SolidLaw};
use carom_fem::internal_force::{History, InternalForce, PointRule, SweepError};
use carom_fem::{Body, Discretisation, PlaceRecovery, Stress, Surface};
use nalgebra::Vector3;

use super::matrices::Matrices;
use super::{SetupError, StepError};
use crate::explicit::pressed::Pressed;
pub use books::Energies;
pub(super) use step::Inertia;

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

    /// Cauchy's stress at a place of the body, at the present state \[Pa\].
    pub(super) fn stress(&self, place: &PlaceRecovery) -> Stress {
        place.stress(&self.laws, &self.state.u, None)
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

    /// The error of a step that inverts a cell.
    pub(super) fn swept(&self, source: SweepError) -> StepError {
        StepError::Sweep { body: self.name.clone(), source }
    }

    /// Sets a₀ = M⁻¹ (f_ext − f(u₀)).
    ///
    /// # Errors
    ///
    /// [`SetupError`].
    pub(super) fn start(&mut self) -> Result<(), SetupError> {
        self.factorise_mass()?;
        let Self { internal, laws, history, state, work, .. } = self;
        let inverted =
            |source| SetupError::Start { source: StepError::Sweep { body: self.name.clone(), source } };
        internal.force(laws, &state.u, history, &mut work.internal).map_err(inverted)?;
        for (i, a) in state.a.iter_mut().enumerate() {
            *a = self.force[i] + work.weight[i] - work.internal[i];
        }
        self.matrices.solve_mass(&mut self.state.a);
        Ok(())
    }
}
