//! Elastic bodies that touch, and their step.

use std::time::Instant;

use carom_linalg::sparse::SparseError;

use super::body::{ElasticBody, Energies, Inertia};
use super::condensed::Condensed;
use super::contact::{Closed, ContactSpec, Contacts};
use super::coupled::Coupled;
use super::{Method, SetupError, StepError};

/// Residual relative to the forces below which the iteration goes on only as long as it gains.
const SMALL: f64 = 1e-9;

/// The same where it does not fall any more: the gradient of a gap is the quotient of small changes for a
/// node that hardly moves over its face, and has their rounding.
const STALLED: f64 = 1e-7;

/// Rounding of a sum of terms, relative to the largest one.
const ROUNDING: f64 = 16.0 * f64::EPSILON;

/// Largest number of iterations of Newton's method without contact, and with it.
const ITERATIONS: [usize; 2] = [20, 80];

/// Iterations after which contacts open and close only once the forces balance.
const EAGER: usize = 12;

/// Iterations without a smaller residual after which one takes half of its step.
const CIRCLE: usize = 3;

/// Elastic bodies that move through time in implicit steps.
pub struct Elastodynamics {
    pub(super) bodies: Vec<ElasticBody>,
    pub(super) method: Method,
    pub(super) contacts: Contacts,
    pub(super) coupled: Coupled,
    condensed: Condensed,
    solver: Solver,
    pub(super) counts: Counts,
    phases: Phases,
    is_persistent: bool,
}

/// The solution of the linear systems of Newton's method. Both end at the same step, to rounding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Solver {
    /// Cholesky factors of the symmetric part of the tangent of each body, the rows of contact condensed with
    /// them; this is the preconditioner of an iteration with the tangent itself. LU where it fails.
    #[default]
    Condensed,
    /// One sparse LU of bodies and multipliers.
    Coupled,
}

/// Counts of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counts {
    /// Iterations of Newton's method.
    pub iterations: u64,
    /// Symbolic analyses of the matrix of bodies in contact.
    pub analyses: u64,
    /// Systems that a sparse LU has solved.
    pub factorisations: u64,
    /// Products with the tangent of the systems that [`Solver::Condensed`] has solved.
    pub products: u64,
}

/// Wall time of the phases of Newton's method since the start \[s\].
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Phases {
    /// Contacts and residuals.
    pub residuals: f64,
    /// Tangents.
    pub matrices: f64,
    /// Cholesky factors of the bodies.
    pub factors: f64,
    /// Rows, products and solutions; a sparse LU as a whole.
    pub solutions: f64,
}

/// A step that was taken.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Step {
    /// Iterations of Newton's method.
    pub iterations: usize,
    /// Nodes that press on a face.
    pub touching: usize,
    /// The work Σ λ D·Δz of the multipliers: in the energy-momentum scheme Σ λ (g₁ − g₀), which is zero where
    /// all contacts were closed before \[J\].
    pub contact_work: f64,
    /// The work of springs and their friction: less the change of their energy and the loss by friction, up
    /// to the error of the midpoint rule \[J\].
    pub spring_work: f64,
    /// Loss by friction, never negative \[J\].
    pub friction_loss: f64,
}

/// The forces that are left over.
struct Residual {
    /// Relative to the largest force; gaps relative to the size of a face.
    relative: f64,
    /// True if it is the rounding of the inertia: a difference of terms that grow with 1/h².
    is_rounding: bool,
}

impl Elastodynamics {
    /// Bodies without contact.
    ///
    /// # Errors
    ///
    /// [`SetupError::Radius`].
    pub fn new(bodies: Vec<ElasticBody>, method: Method) -> Result<Self, SetupError> {
        if let Method::GeneralisedAlpha(radius) = method
            && !(0.0..=1.0).contains(&radius)
        {
            return Err(SetupError::Radius { radius });
        }
        let coupled = Coupled::new(&bodies);
        Ok(Self {
            bodies,
            method,
            contacts: Contacts::default(),
            coupled,
            condensed: Condensed::default(),
            solver: Solver::default(),
            counts: Counts::default(),
            phases: Phases::default(),
            is_persistent: false,
        })
    }

    /// Lets surfaces touch.
    ///
    /// # Errors
    ///
    /// [`SetupError`] if a surface does not exist, or the method takes no contact.
    pub fn with_contacts(mut self, specs: &[ContactSpec]) -> Result<Self, SetupError> {
        if let (Method::GeneralisedAlpha(_), false) = (self.method, specs.is_empty()) {
            return Err(SetupError::NoContact);
        }
        self.contacts = Contacts::new(&self.bodies, specs, self.method)?;
        Ok(self)
    }

    /// Gives the energy that a closing contact takes back to the velocities at the end of its step.
    ///
    /// ```text
    /// v ← v + s M⁻¹ Σ λ ∇g₁ ,   s v·Σ λ ∇g₁ + ½ s² Σ λ ∇g₁·M⁻¹ Σ λ ∇g₁ = −Σ λ D·Δz
    /// ```
    ///
    /// over the contacts that were open at the start of the step: nodes that have come to a face leave it
    /// with the velocity of a rebound. Momenta stay, as λ ∇g₁ has no sum and no moment (Laursen & Love 2002).
    ///
    /// # Errors
    ///
    /// [`SetupError::Mass`] if M has no factor: no step fails for it.
    pub fn with_persistency(mut self) -> Result<Self, SetupError> {
        self.bodies.iter_mut().try_for_each(ElasticBody::factorise_mass)?;
        self.is_persistent = true;
        Ok(self)
    }

    /// Chooses the solution of linear systems.
    #[must_use]
    pub fn with_solver(mut self, solver: Solver) -> Self {
        self.solver = solver;
        self
    }

    /// The bodies.
    pub fn bodies(&self) -> &[ElasticBody] {
        &self.bodies
    }

    /// The bodies, to set loads, supports and states.
    pub fn bodies_mut(&mut self) -> &mut [ElasticBody] {
        &mut self.bodies
    }

    /// Counts since the start.
    pub fn counts(&self) -> Counts {
        self.counts
    }

    /// Time of the phases since the start.
    pub fn phases(&self) -> Phases {
        Phases { factors: self.condensed.factor_seconds, ..self.phases }
    }

    /// Energies and momenta of all bodies at present.
    ///
    /// # Errors
    ///
    /// [`StepError::Sweep`] if the state has an inverted cell.
    pub fn energies(&mut self) -> Result<Energies, StepError> {
        let mut sum = Energies::default();
        for body in &mut self.bodies {
            sum += body.energies().map_err(|source| body.swept(source))?;
        }
        Ok(sum)
    }

    /// Energy of the springs of contacts with a penalty at present \[J\].
    pub fn spring_energy(&self) -> f64 {
        self.contacts.stored()
    }

    /// Finds the accelerations at the start, which generalised-α needs once before its first step.
    ///
    /// # Errors
    ///
    /// [`SetupError`].
    pub fn start(&mut self) -> Result<(), SetupError> {
        self.bodies.iter_mut().try_for_each(ElasticBody::start)
    }

    /// Moves the bodies by a step of the length h \[s\].
    ///
    /// # Errors
    ///
    /// [`StepError`]; the state is then that before the step.
    pub fn step(&mut self, h: f64) -> Result<Step, StepError> {
        self.step_unless(h, &|| false)
    }

    /// As [`Elastodynamics::step`], unless the caller stops it between two iterations.
    ///
    /// * `is_stopped` — true to stop
    ///
    /// # Errors
    ///
    /// [`StepError`], [`StepError::Interrupted`] if stopped; the state is then that before the step.
    pub fn step_unless(&mut self, h: f64, is_stopped: &dyn Fn() -> bool) -> Result<Step, StepError> {
        let inertia = Inertia::new(self.method, h);
        self.bodies.iter_mut().for_each(|body| body.predict(h));
        // In each step, so that a resumed run has the same bits.
        self.condensed.begin(&mut self.bodies);
        self.contacts.begin(&self.bodies, h);
        let found = match self.newton(h, &inertia, is_stopped) {
            // Bodies that move straight on may invert cells; from rest they may still converge.
            Err(StepError::Sweep { .. }) => {
                self.contacts.restart();
                self.contacts.begin(&self.bodies, h);
                self.bodies.iter_mut().for_each(|body| body.stay(h));
                self.newton(h, &inertia, is_stopped)
            }
            found => found,
        };
        if found.is_err() {
            self.contacts.restart();
        }
        let iterations = found?;
        let method = self.method;
        self.bodies.iter_mut().for_each(|body| body.close(method, h));
        let Closed { touching, work: mut contact_work, spring_work, friction } =
            self.contacts.close(&self.bodies, h);
        if self.is_persistent && contact_work != 0.0 {
            contact_work += self.give_back(-contact_work);
        }
        Ok(Step { iterations, touching, contact_work, spring_work, friction_loss: friction })
    }

    /// Adds an energy to the velocities along the forces of contacts that have closed; returns the change of
    /// the kinetic energy \[J\].
    fn give_back(&mut self, energy: f64) -> f64 {
        let (mut along, mut square) = (0.0, 0.0);
        for body in &mut self.bodies {
            body.work.residual.fill(0.0);
        }
        self.contacts.add_closing(&mut self.bodies);
        for body in &mut self.bodies {
            body.held.iter().for_each(|&dof| body.work.residual[dof as usize] = 0.0);
            body.end.a.copy_from_slice(&body.work.residual);
            body.matrices.solve_mass(&mut body.end.a);
            let pushed = |v: &[f64]| body.work.residual.iter().zip(v).map(|(f, v)| f * v).sum::<f64>();
            along += pushed(&body.state.v);
            square += pushed(&body.end.a);
        }
        let root = along * along + 2.0 * energy * square;
        if square <= 0.0 || root < 0.0 {
            return 0.0;
        }
        // Energy comes back by a push apart; energy that is too much is taken by the smallest push.
        let scale = if energy > 0.0 && along < 0.0 {
            (root.sqrt() - along) / square
        } else {
            2.0 * energy / (along + along.signum() * root.sqrt())
        };
        for body in &mut self.bodies {
            body.state.v.iter_mut().zip(&body.end.a).for_each(|(v, a)| *v += scale * a);
        }
        self.contacts.add_pushes(scale);
        scale * along + 0.5 * scale * scale * square
    }

    /// Iterates until the residual is rounding and no contact changes.
    fn newton(
        &mut self,
        h: f64,
        inertia: &Inertia,
        is_stopped: &dyn Fn() -> bool,
    ) -> Result<usize, StepError> {
        let (mut last, mut iterations) = (f64::INFINITY, 0);
        let most = ITERATIONS[usize::from(!self.contacts.is_empty())];
        let mut is_balanced = false;
        // The smallest residual with these contacts, and iterations since.
        let (mut best, mut since) = (f64::INFINITY, 0);
        let mut share = 1.0;
        loop {
            let may_change = is_balanced || iterations < EAGER;
            let clock = Instant::now();
            let mut has_changed = self.contacts.update(&self.bodies, may_change)?;
            let Residual { relative, is_rounding } = self.residual(inertia)?;
            self.phases.residuals += clock.elapsed().as_secs_f64();
            // NaN is not converged.
            let stalls = !self.contacts.is_empty()
                && share == 1.0
                && relative <= STALLED
                && last <= STALLED
                && relative > 0.25 * last;
            let is_small = relative <= SMALL || is_rounding || stalls;
            let gains = relative <= 0.25 * last && relative > 0.0 && iterations < most;
            if is_small && !gains && !has_changed {
                if !may_change {
                    // Balanced with these contacts: see whether they stay.
                    is_balanced = true;
                    continue;
                }
                if !self.contacts.open_worst() {
                    return Ok(iterations);
                }
                // One by one: rows that open all at once may close again in a circle.
                has_changed = true;
                self.residual(inertia)?;
            }
            is_balanced = false;
            let grows = iterations > 3 && relative > 10.0 * last && self.contacts.is_empty();
            if !relative.is_finite() || grows || iterations == most {
                return Err(StepError::NotConverged { step: h, iterations, residual: relative });
            }
            last = if has_changed { f64::INFINITY } else { relative };
            if is_stopped() {
                return Err(StepError::Interrupted);
            }
            (best, since) = if relative < 0.9 * best || has_changed { (last, 0) } else { (best, since + 1) };
            // Sticking and slipping may follow each other in a circle: half a step leads out of it.
            share = if since % CIRCLE == CIRCLE - 1 { 0.5 } else { 1.0 };
            self.correct(h, inertia, share)?;
            iterations += 1;
            self.counts.iterations += 1;
        }
    }

    fn residual(&mut self, inertia: &Inertia) -> Result<Residual, StepError> {
        let (mut force, mut terms) = (0.0_f64, 0.0_f64);
        for body in &mut self.bodies {
            let sizes = body.residual(self.method, inertia).map_err(|source| body.swept(source))?;
            force = force.max(sizes.force);
            terms = terms.max(sizes.inertia);
        }
        force = force.max(self.contacts.add_forces(&mut self.bodies));
        let worse = |most: f64, r: f64| if r.is_nan() { f64::NAN } else { most.max(r) };
        let largest = self.bodies.iter_mut().map(ElasticBody::largest_residual).fold(0.0, worse);
        let relative = if largest == 0.0 { 0.0 } else { largest / force };
        let misfit = self.contacts.largest_misfit();
        let law = self.contacts.largest_gap().max(if misfit == 0.0 { 0.0 } else { misfit / force });
        Ok(Residual { relative: relative.max(law), is_rounding: largest <= ROUNDING * terms && law <= SMALL })
    }

    /// u₁ −= J⁻¹ r, with the multipliers of the rows that touch.
    ///
    /// * `share` — of the correction that is taken
    fn correct(&mut self, h: f64, inertia: &Inertia, share: f64) -> Result<(), StepError> {
        let clock = Instant::now();
        for body in &mut self.bodies {
            body.assemble(self.method, inertia).map_err(|source| body.swept(source))?;
        }
        self.phases.matrices += clock.elapsed().as_secs_f64();
        let (clock, factors) = (Instant::now(), self.condensed.factor_seconds);
        let done = self.solve(h, inertia, share);
        self.phases.solutions += clock.elapsed().as_secs_f64() - (self.condensed.factor_seconds - factors);
        done
    }

    /// Solves the linear system of a correction, and applies it.
    fn solve(&mut self, h: f64, inertia: &Inertia, share: f64) -> Result<(), StepError> {
        if self.solver == Solver::Condensed {
            let Self { condensed, bodies, contacts, coupled, .. } = self;
            let solved = condensed.correct(bodies, contacts, coupled.offsets(), (inertia.factor, share))?;
            if let Some(products) = solved {
                self.counts.products += products as u64;
                return Ok(());
            }
        }
        self.counts.factorisations += 1;
        let singular = |source: SparseError| StepError::Tangent { step: h, source };
        if self.contacts.n_active() == 0 {
            return self.bodies.iter_mut().try_for_each(|body| body.correct(share)).map_err(singular);
        }
        let analyses = self.coupled.correct(&mut self.bodies, &mut self.contacts, inertia.factor, share);
        self.counts.analyses += analyses.map_err(singular)?;
        Ok(())
    }
}
