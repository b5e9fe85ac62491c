//! One elastic body and its step.

use carom_dynamics::{Placement, rotation};
use carom_fem::constitutive::{Law, SolidLaw};
use carom_fem::internal_force::{History, InternalForce, PointRule};
use carom_fem::{Body, Discretisation};
use carom_linalg::sparse::SparseError;
use nalgebra::Vector3;

use super::average_stress::AverageStress;
use super::matrices::Matrices;
use super::{Method, SetupError, StepError};

/// Residual relative to the forces below which the iteration goes on only as long as it gains.
const SMALL: f64 = 1e-9;

/// Rounding of a sum of terms, relative to the largest one.
const ROUNDING: f64 = 16.0 * f64::EPSILON;

/// Largest number of iterations of Newton's method.
const ITERATIONS: usize = 20;

/// Energies and momenta of a body.
#[derive(Debug, Clone, Copy, PartialEq)]
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

/// An elastic body that moves through time in implicit steps.
pub struct Elastodynamics {
    discretisation: Discretisation,
    laws: Vec<SolidLaw>,
    method: Method,
    internal: InternalForce,
    history: History,
    matrices: Matrices,
    gravity: Vector3<f64>,
    /// Constant nodal forces \[N\].
    force: Vec<f64>,
    held: Vec<u32>,
    state: State,
    /// The end of the step, while it is sought.
    end: State,
    work: Work,
}

/// Displacements, velocities, accelerations.
#[derive(Debug, Clone)]
struct State {
    u: Vec<f64>,
    v: Vec<f64>,
    /// Of generalised-α alone.
    a: Vec<f64>,
}

/// Memory of a step.
struct Work {
    residual: Vec<f64>,
    /// The internal force, and the inertia and loads that it is compared with \[N\].
    internal: Vec<f64>,
    inertia: Vec<f64>,
    /// Argument of the product with the mass.
    scaled: Vec<f64>,
    weight: Vec<f64>,
    /// Largest mass of a point \[kg\].
    heaviest: f64,
}

/// The forces that are left over.
struct Residual {
    /// Relative to the largest force.
    relative: f64,
    /// True if it is the rounding of the inertia: a difference of terms that grow with 1/h².
    is_rounding: bool,
}

/// Inertia as a function of the end: M (factor (u₁ − u₀) + offset).
struct Inertia {
    factor: f64,
    /// Factors of v₀ and a₀ in the offset.
    of_v: f64,
    of_a: f64,
}

impl Elastodynamics {
    /// The body at its start, undeformed, in a rigid motion.
    ///
    /// * `laws` — one for each block of cells
    ///
    /// # Errors
    ///
    /// [`SetupError`].
    pub fn new(
        body: &Body,
        placement: &Placement,
        laws: &[SolidLaw],
        method: Method,
    ) -> Result<Self, SetupError> {
        if let Some(law) = laws.iter().find(|law| law.n_history() > 0) {
            return Err(SetupError::NotElastic { law: law.name().to_owned() });
        }
        if let Method::GeneralisedAlpha(radius) = method
            && !(0.0..=1.0).contains(&radius)
        {
            return Err(SetupError::Radius { radius });
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
            history: internal.history(laws),
            laws: laws.to_vec(),
            method,
            internal,
            matrices,
            gravity: Vector3::zeros(),
            force: zeros(),
            held: Vec::new(),
            end: state.clone(),
            state,
            work: Work {
                residual: zeros(),
                internal: zeros(),
                inertia: zeros(),
                scaled: zeros(),
                weight: zeros(),
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
        let center = points().map(|(x, m)| *m * Vector3::from(*x)).sum::<Vector3<f64>>() / total;
        let (velocity, omega) =
            (Vector3::from(placement.velocity), Vector3::from(placement.angular_velocity));
        for (v, x) in self.state.v.as_chunks_mut().0.iter_mut().zip(&self.discretisation.points) {
            *v = (velocity + omega.cross(&(Vector3::from(*x) - center))).into();
        }
    }

    /// Holds dofs in space: 3 · point + direction.
    pub fn hold(&mut self, dofs: &[u32]) {
        self.held = dofs.to_vec();
        for &dof in dofs {
            self.state.v[dof as usize] = 0.0;
        }
    }

    /// Sets the acceleration of gravity \[m/s²\].
    pub fn set_gravity(&mut self, gravity: [f64; 3]) {
        self.gravity = gravity.into();
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

    /// Sets a₀ = M⁻¹ (f_ext − f(u₀)), which generalised-α needs once before its first step.
    ///
    /// # Errors
    ///
    /// [`StepError`].
    pub fn start(&mut self) -> Result<(), StepError> {
        self.matrices.factorise_mass(&self.held).map_err(|source| tangent_error(0.0, source))?;
        let Self { internal, laws, history, state, work, .. } = self;
        internal.force(laws, &state.u, history, &mut work.internal)?;
        for (i, a) in state.a.iter_mut().enumerate() {
            *a = self.force[i] + work.weight[i] - work.internal[i];
        }
        self.held.iter().for_each(|&dof| self.state.a[dof as usize] = 0.0);
        self.matrices.solve(&mut self.state.a).map_err(|source| tangent_error(0.0, source))
    }

    /// Moves the body by a step of the length h \[s\]; returns the iterations of Newton's method.
    ///
    /// # Errors
    ///
    /// [`StepError`]; the state is then that before the step.
    pub fn step(&mut self, h: f64) -> Result<usize, StepError> {
        let inertia = self.inertia(h);
        self.predict(h);
        let iterations = match self.newton(h, &inertia) {
            // A body that moves straight on may invert cells; from rest it may still converge.
            Err(StepError::Sweep(_)) => {
                self.end.u.copy_from_slice(&self.state.u);
                self.newton(h, &inertia)?
            }
            found => found?,
        };
        self.close(h);
        Ok(iterations)
    }

    fn inertia(&self, h: f64) -> Inertia {
        match self.method {
            Method::EnergyMomentum | Method::Midpoint => {
                Inertia { factor: 2.0 / (h * h), of_v: -2.0 / h, of_a: 0.0 }
            }
            Method::GeneralisedAlpha(radius) => {
                let [alpha_m, _, beta, _] = Method::alpha(radius);
                let scale = 1.0 - alpha_m;
                Inertia {
                    factor: scale / (beta * h * h),
                    of_v: -scale / (beta * h),
                    of_a: alpha_m - scale * (0.5 - beta) / beta,
                }
            }
        }
    }

    /// The first guess: straight on.
    fn predict(&mut self, h: f64) {
        for ((end, u), v) in self.end.u.iter_mut().zip(&self.state.u).zip(&self.state.v) {
            *end = u + h * v;
        }
        self.held.iter().for_each(|&dof| self.end.u[dof as usize] = self.state.u[dof as usize]);
    }

    /// Iterates until the residual is rounding.
    fn newton(&mut self, h: f64, inertia: &Inertia) -> Result<usize, StepError> {
        let (mut last, mut iterations) = (f64::INFINITY, 0);
        loop {
            let Residual { relative, is_rounding } = self.residual(inertia)?;
            // NaN is not converged.
            let is_small = relative <= SMALL || is_rounding;
            let gains = relative <= 0.25 * last && relative > 0.0 && iterations < ITERATIONS;
            if is_small && !gains {
                return Ok(iterations);
            }
            let has_failed = !relative.is_finite() || (iterations > 3 && relative > 10.0 * last);
            if has_failed || iterations == ITERATIONS {
                return Err(StepError::NotConverged { step: h, iterations, residual: relative });
            }
            last = relative;
            self.correct(h, inertia)?;
            iterations += 1;
        }
    }

    /// Fills the residual.
    fn residual(&mut self, inertia: &Inertia) -> Result<Residual, StepError> {
        let Self { internal, laws, method, history, state, end, work, matrices, .. } = self;
        let method = *method;
        let fields = [&state.u[..], &end.u[..]];
        let map = |law| AverageStress { law, method };
        internal.sweep(laws, map, fields, history, Some(&mut work.internal))?;
        let mut terms = 0.0_f64;
        for (i, scaled) in work.scaled.iter_mut().enumerate() {
            let (before, after) = (state.u[i], end.u[i]);
            let [of_v, of_a] = [inertia.of_v * state.v[i], inertia.of_a * state.a[i]];
            *scaled = inertia.factor * (after - before) + of_v + of_a;
            terms = terms.max(inertia.factor * (after.abs() + before.abs()) + of_v.abs() + of_a.abs());
        }
        work.inertia.fill(0.0);
        matrices.add_mass_product(1.0, &work.scaled, &mut work.inertia);
        let mut size = 0.0_f64;
        for (i, residual) in work.residual.iter_mut().enumerate() {
            let load = self.force[i] + work.weight[i];
            size = size.max(work.internal[i].abs()).max(work.inertia[i].abs()).max(load.abs());
            *residual = work.inertia[i] + work.internal[i] - load;
        }
        self.held.iter().for_each(|&dof| work.residual[dof as usize] = 0.0);
        let worse = |most: f64, r: &f64| if r.is_nan() { f64::NAN } else { most.max(r.abs()) };
        let largest = work.residual.iter().fold(0.0, worse);
        Ok(Residual {
            relative: if largest == 0.0 { 0.0 } else { largest / size },
            is_rounding: largest <= ROUNDING * work.heaviest * terms,
        })
    }

    /// u₁ −= J⁻¹ r.
    fn correct(&mut self, h: f64, inertia: &Inertia) -> Result<(), StepError> {
        let Self { internal, laws, method, history, state, end, work, matrices, held, .. } = self;
        let method = *method;
        let fields = [&state.u[..], &end.u[..]];
        let map = |law| AverageStress { law, method };
        matrices.assembly.assemble_map(internal, laws, map, fields, history, &mut matrices.jacobian)?;
        matrices.factorise(inertia.factor, held).map_err(|source| tangent_error(h, source))?;
        matrices.solve(&mut work.residual).map_err(|source| tangent_error(h, source))?;
        end.u.iter_mut().zip(&work.residual).for_each(|(u, change)| *u -= change);
        Ok(())
    }

    /// Velocities and accelerations at the end, which becomes the present state.
    fn close(&mut self, h: f64) {
        let Self { state, end, .. } = self;
        match self.method {
            Method::EnergyMomentum | Method::Midpoint => {
                for i in 0..state.u.len() {
                    end.v[i] = 2.0 / h * (end.u[i] - state.u[i]) - state.v[i];
                }
            }
            Method::GeneralisedAlpha(radius) => {
                let [_, _, beta, gamma] = Method::alpha(radius);
                for i in 0..state.u.len() {
                    let moved = end.u[i] - state.u[i] - h * state.v[i];
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
    /// [`StepError::Sweep`] if the state has an inverted cell.
    pub fn energies(&mut self) -> Result<Energies, StepError> {
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
}

fn tangent_error(step: f64, source: SparseError) -> StepError {
    StepError::Tangent { step, source }
}
