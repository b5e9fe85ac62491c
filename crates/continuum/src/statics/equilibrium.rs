//! The search for equilibrium: an inner problem of contact for given rigid motions, and an outer one for the
//! motions that supports leave free.
//!
//! ```text
//! Π(a) = E(a) − s Fᵀ a → min,    E(a) = elastic and penalty energy of the contact at the motions a
//! ∂Π/∂a = −r,   r = s F + Rᵀ f_c(a)          (envelope theorem)
//! ∂r/∂a ≈ −H,   H = (B R)ᵀ (W + d)⁻¹ (B R)   over the pressure cells with a force
//! ```
//!
//! F = Rᵀ f are the loads on the motions, s the applied part of the load. The method is Newton's with a trust
//! region. Without contact H is zero: the bodies move along their loads in growing steps until they touch.

use carom_progress::Progress;
use nalgebra::{DVector, Vector3};

use super::body::StaticBody;
use super::contacts::Contacts;
use super::trust_region::Model;
use super::{EquilibriumError, NotHeld, RimPressure};

/// Unbalanced forces relative to all forces that count as zero.
const TOLERANCE: f64 = 1e-12;
/// The same limit if rounding prevents a smaller residual.
const STAGNATED: f64 = 1e-8;
/// Forces in directions without resistance, relative to all forces, that count as zero. A plate that tilts by
/// 1e-8 on its support would slide down by that part of its load; statics of small displacements does not
/// describe this.
const UNRESISTED: f64 = 1e-6;
/// Loads of a body without contact, relative to their size, that count as self-equilibrated.
const SELF_EQUILIBRATED: f64 = 1e-6;
/// Largest sliding of a body in a direction without resistance until it is held, in sizes of a zone.
const SLIDES: f64 = 1.0;
const MAX_ITERATIONS: usize = 300;

/// The equilibrium of the bodies.
#[derive(Debug, Clone, Default)]
pub(super) struct Balanced {
    /// Coordinates of the free motions of each body \[m\].
    pub(super) motion: Vec<Vec<f64>>,
    /// Evaluations of the contact.
    pub(super) evaluations: u64,
    /// Largest unbalanced force on a motion, relative to all forces.
    pub(super) residual: f64,
    /// Pressure at rims of zones, where it is not an error.
    pub(super) rims: Vec<RimPressure>,
}

/// The contact at given motions.
struct Evaluated {
    merit: f64,
    /// r \[N\].
    residual: DVector<f64>,
}

/// A static problem at one load step.
pub(super) struct Search<'a> {
    pub(super) bodies: &'a [StaticBody],
    pub(super) contact: &'a mut Contacts,
    pub(super) step: usize,
    /// Part of the load that is applied.
    pub(super) part: f64,
    pub(super) evaluations: u64,
}

/// Errors for loads on free motions of bodies without contact.
///
/// * `touched` — for each body whether a contact may hold it
pub(super) fn check_held(bodies: &[StaticBody], touched: impl Fn(usize) -> bool) -> Result<(), NotHeld> {
    for (_, body) in bodies.iter().enumerate().filter(|(number, _)| !touched(*number)) {
        let work = &body.work;
        let force = work.iter().fold(0.0, |a: f64, f| a.max(f.abs()));
        if force > SELF_EQUILIBRATED * body.load_size {
            return Err(NotHeld { body: body.name.clone(), motion: body.motions.words(work), force });
        }
    }
    Ok(())
}

impl Search<'_> {
    /// Finds the motions, starting from given ones.
    pub(super) fn run(
        &mut self,
        start: &[Vec<f64>],
        progress: &dyn Progress,
    ) -> Result<Balanced, EquilibriumError> {
        let mut a = DVector::from_iterator(start.iter().map(Vec::len).sum(), start.iter().flatten().copied());
        let mut now = self.evaluate(&a)?;
        if a.is_empty() {
            return Ok(self.balanced(&a, &now.residual, 0.0));
        }
        let size = self.contact.size();
        let mut radius = 1e-4 * size;
        let mut best = (f64::INFINITY, 0);
        let mut sliding = Sliding::default();
        for iteration in 0..MAX_ITERATIONS {
            if progress.interrupted() {
                return Err(EquilibriumError::Interrupted);
            }
            let scale = self.scale();
            let stiffness = self.contact.stiffness(self.bodies, a.len());
            let model = Model::new(stiffness, &now.residual, UNRESISTED * scale);
            let left = model.residual.amax();
            progress
                .note(&format!("equilibrium to {:.0e} of the forces", left / scale.max(f64::MIN_POSITIVE)));
            if left < 0.5 * best.0 {
                best = (left, iteration);
            }
            let stalled = iteration >= best.1 + 6 && best.0 <= STAGNATED * scale && left <= 2.0 * best.0;
            if left <= TOLERANCE * scale || stalled {
                return Ok(self.balanced(&a, &now.residual, scale));
            }
            let reach = self.longest_step(size);
            let touching = self.contact.is_closed();
            let before = a.clone();
            let moved = self.try_steps(&mut a, &mut now, &model, &mut radius, reach);
            if touching {
                sliding.add(&model.unresisted, (&a - before).amax());
            }
            if !moved && left <= STAGNATED * scale {
                return Ok(self.balanced(&a, &now.residual, scale));
            }
            // A body that slid and then tipped over an edge is reported as sliding.
            if sliding.travel > if moved { SLIDES * size } else { 0.1 * size } {
                return Err(self.not_held(&sliding.force).into());
            }
            if !moved {
                return Err(self.not_converged(iteration, &now.residual, scale));
            }
            self.check_travel(&a)?;
        }
        Err(self.not_converged(MAX_ITERATIONS, &now.residual, self.scale()))
    }

    /// Accepts the first step that lowers the energy or the unbalanced forces; false if none does.
    fn try_steps(
        &mut self,
        a: &mut DVector<f64>,
        now: &mut Evaluated,
        model: &Model,
        radius: &mut f64,
        reach: f64,
    ) -> bool {
        *radius = radius.min(reach);
        for _ in 0..40 {
            let (step, limited) = model.step(*radius);
            let kept = self.contact.warm();
            let trial = &*a + &step;
            if let Ok(next) = self.evaluate(&trial) {
                let noise = 1e-13 * (now.merit.abs() + next.merit.abs());
                let lower = next.merit <= now.merit - 1e-4 * model.promise(&step) + noise;
                // The step does not change a force without resistance; such a force must not hide the effect
                // of the step.
                if lower || model.left_of(&next.residual) < 0.9 * model.left_of(&now.residual) {
                    if limited {
                        *radius = (4.0 * *radius).min(reach);
                    }
                    (*a, *now) = (trial, next);
                    return true;
                }
            }
            self.contact.restore_warm(kept);
            *radius = 0.25 * step.amax();
            if *radius <= f64::EPSILON * reach {
                break;
            }
        }
        // The last trial left its own solution; the solution of the accepted motions is needed.
        if let Ok(same) = self.evaluate(a) {
            *now = same;
        }
        false
    }

    /// Contact, energy and unbalanced forces at given motions. After an error the state of the contact is as
    /// before.
    fn evaluate(&mut self, a: &DVector<f64>) -> Result<Evaluated, EquilibriumError> {
        self.evaluations += 1;
        let motion = self.by_body(a);
        self.contact.evaluate(self.bodies, self.step, self.part, &motion)?;
        let loads: Vec<f64> = self.bodies.iter().flat_map(|b| b.work.iter().map(|f| self.part * f)).collect();
        let loads = DVector::from_vec(loads);
        let mut residual = loads.clone();
        self.contact.add_work(self.bodies, &mut residual);
        Ok(Evaluated { merit: self.contact.energy() - loads.dot(a), residual })
    }

    /// Size of the forces: loads and pressures \[N\].
    fn scale(&self) -> f64 {
        let loads: f64 = self.bodies.iter().map(|body| body.load_size).sum();
        self.part * loads + self.contact.total_force()
    }

    /// Largest step: a tenth of a zone, or half of the smallest gap if nothing touches.
    fn longest_step(&mut self, size: f64) -> f64 {
        let gap = self.contact.least_gap();
        let free = if self.contact.is_closed() || !gap.is_finite() { 0.0 } else { 0.5 * gap };
        free.max(0.1 * size)
    }

    /// Error for bodies that moved farther than the largest extent.
    fn check_travel(&self, a: &DVector<f64>) -> Result<(), NotHeld> {
        let points = || self.bodies.iter().flat_map(|b| &b.discretisation.points).map(|&x| Vector3::from(x));
        let low = points().fold(Vector3::repeat(f64::INFINITY), |m, x| m.inf(&x));
        let high = points().fold(Vector3::repeat(f64::NEG_INFINITY), |m, x| m.sup(&x));
        let far = 2.0 * (high - low).norm();
        if a.amax() > far { Err(self.not_held(a)) } else { Ok(()) }
    }

    /// Error that names the body with the largest of the given motions, or forces on them, as not held.
    fn not_held(&self, by: &DVector<f64>) -> NotHeld {
        let (body, motion) = self.worst(by);
        let force = body.work.iter().zip(&motion).map(|(f, m)| f * m).sum::<f64>() * self.part;
        let length = motion.iter().map(|m| m * m).sum::<f64>().sqrt();
        NotHeld {
            body: body.name.clone(),
            motion: body.motions.words(&motion),
            force: force.abs() / length.max(f64::MIN_POSITIVE),
        }
    }

    /// The body with the largest entry of a vector over all free motions, and its part.
    fn worst(&self, vector: &DVector<f64>) -> (&StaticBody, Vec<f64>) {
        let largest = |v: &Vec<f64>| v.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
        let parts = self.bodies.iter().zip(self.by_body(vector));
        parts
            .max_by(|a, b| largest(&a.1).total_cmp(&largest(&b.1)))
            .expect("there is a body with a free motion")
    }

    fn by_body(&self, a: &DVector<f64>) -> Vec<Vec<f64>> {
        let mut rest = a.as_slice();
        let mut take = |body: &StaticBody| {
            let (own, others) = rest.split_at(body.motions.len());
            rest = others;
            own.to_vec()
        };
        self.bodies.iter().map(&mut take).collect()
    }

    fn balanced(&self, a: &DVector<f64>, residual: &DVector<f64>, scale: f64) -> Balanced {
        let residual = if scale > 0.0 && !residual.is_empty() { residual.amax() / scale } else { 0.0 };
        Balanced { motion: self.by_body(a), evaluations: self.evaluations, residual, rims: Vec::new() }
    }

    fn not_converged(&self, iterations: usize, residual: &DVector<f64>, scale: f64) -> EquilibriumError {
        let (body, force) = self.worst(residual);
        EquilibriumError::NotConverged {
            step: self.step,
            iterations,
            residual: force.iter().fold(0.0, |m: f64, f| m.max(f.abs())),
            scale,
            body: body.name.clone(),
            motion: body.motions.words(&force),
        }
    }
}

/// Sliding of bodies in a direction without resistance.
struct Sliding {
    travel: f64,
    /// The force at the beginning of the sliding.
    force: DVector<f64>,
}

impl Default for Sliding {
    fn default() -> Self {
        Self { travel: 0.0, force: DVector::zeros(0) }
    }
}

impl Sliding {
    fn add(&mut self, force: &DVector<f64>, travel: f64) {
        if force.amax() == 0.0 {
            return;
        }
        if self.travel == 0.0 {
            self.force = force.clone();
        }
        self.travel += travel;
    }
}
