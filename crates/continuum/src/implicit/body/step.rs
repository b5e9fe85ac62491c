//! A step of a body: the search of its end, residual and tangent.

use carom_fem::constitutive::{ElasticLaw, SolidLaw};
use carom_fem::internal_force::SweepError;
use carom_linalg::sparse::SparseError;

use super::ElasticBody;
use crate::implicit::Method;
use crate::implicit::average_stress::AverageStress;

/// Sizes of the terms of a residual.
#[derive(Debug, Clone, Copy, Default)]
pub(in crate::implicit) struct Sizes {
    /// The largest force \[N\].
    pub(in crate::implicit) force: f64,
    /// The largest sum of terms of the inertia, whose difference the inertia is \[N\].
    pub(in crate::implicit) inertia: f64,
}

/// Inertia as a function of the end: M (factor (u₁ − u₀) + offset).
#[derive(Debug, Clone, Copy)]
pub(in crate::implicit) struct Inertia {
    pub(in crate::implicit) factor: f64,
    /// Factors of v₀ and a₀ in the offset.
    of_v: f64,
    of_a: f64,
}

impl Inertia {
    /// Of a step of the length h.
    pub(in crate::implicit) fn new(method: Method, h: f64) -> Self {
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
    /// The first guess: straight on.
    pub(in crate::implicit) fn predict(&mut self, h: f64) {
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
    pub(in crate::implicit) fn move_end(&mut self, share: f64, correction: &[f64]) {
        self.change.iter_mut().zip(correction).for_each(|(change, by)| *change -= share * by);
        let ends = self.end.u.iter_mut().zip(&self.state.u);
        ends.zip(&self.change).for_each(|((end, u), change)| *end = u + change);
    }

    /// Starts the search of the end from rest.
    pub(in crate::implicit) fn stay(&mut self, h: f64) {
        self.change.fill(0.0);
        self.follow_supports(h);
    }

    /// Fills the residual but for contact and held dofs.
    pub(in crate::implicit) fn residual(
        &mut self,
        method: Method,
        inertia: &Inertia,
    ) -> Result<Sizes, SweepError> {
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
    pub(in crate::implicit) fn largest_residual(&mut self) -> f64 {
        for (&dof, reaction) in self.held.iter().zip(&mut self.work.reactions) {
            *reaction = std::mem::take(&mut self.work.residual[dof as usize]);
        }
        let worse = |most: f64, r: &f64| if r.is_nan() { f64::NAN } else { most.max(r.abs()) };
        self.work.residual.iter().fold(0.0, worse)
    }

    /// Makes the matrix c M + ∂f/∂u₁ at the present end, with unit rows for held dofs.
    pub(in crate::implicit) fn assemble(
        &mut self,
        method: Method,
        inertia: &Inertia,
    ) -> Result<(), SweepError> {
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
    pub(in crate::implicit) fn correct(&mut self, share: f64) -> Result<(), SparseError> {
        self.matrices.factorise()?;
        self.matrices.solve(&mut self.work.residual)?;
        let correction = std::mem::take(&mut self.work.residual);
        self.move_end(share, &correction);
        self.work.residual = correction;
        Ok(())
    }

    /// Velocities and accelerations at the end, which becomes the present state.
    pub(in crate::implicit) fn close(&mut self, method: Method, h: f64) {
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
}
