//! Friction in the static equilibrium.
//!
//! With Coulomb friction an equilibrium depends on the way to it. This way is the shortest one: from the
//! places of the bodies the loads come on at once.
//!
//! 1. *Stick.* Cells stick on the tangential compliance of their law and their bodies, from where the bodies
//!    are placed, or from the last iterate at which their pair was open. The search is that without friction;
//!    the tangential forces show which friction is wanted.
//! 2. *Slip.* Coulomb's law by one implicit step from the same places, as in a step of a run: cells above
//!    `μ λ` slip until the rest of the mechanism takes what they give up. Newton's method with the whole
//!    derivative, which is not symmetric. A contact that slides with nothing to stop it has no equilibrium.
//! 3. *Oscillate.* For small oscillations all closed cells of a contact stick: cells that slip while a load
//!    grows stick as soon as it turns. A contact that slides as a whole does not hold.

use carom_progress::Progress;
use nalgebra::DVector;

use super::describe::describe;
use super::tangent::Tangent;
use super::{BALANCED, EquilibriumError, Forces, MAX_ITERATIONS, REACH, longest_of, tangent_of_forces};
use crate::system::System;
use crate::tangential::Tangential;

/// Part of Coulomb's bound, summed over the cells, from which on a contact slides as a whole.
const SLIDES: f64 = 1.0 - 1e-6;

/// Halvings of a step.
const MAX_HALVINGS: usize = 12;

/// Friction of a contact in an equilibrium.
#[derive(Debug, Clone, PartialEq)]
pub struct ContactFriction {
    /// Number of the pair.
    pub pair: usize,
    /// Names of its surfaces.
    pub between: [String; 2],
    /// Bound μ N of its friction \[N\].
    pub bound: f64,
    /// Its friction over the bound.
    pub share: f64,
    /// The friction over the bound with which it would stick where the bodies are placed. Where that is below
    /// 1, as of a contact that twists, the sum of the sizes of the tangential forces of all cells.
    pub wanted: f64,
    /// True if all of its cells slide.
    pub slides: bool,
}

impl System {
    /// Starts a search with contacts that stick from the state y on.
    ///
    /// # Errors
    ///
    /// [`EquilibriumError::State`].
    pub(super) fn stick(&mut self, y: &[f64]) -> Result<(), EquilibriumError> {
        self.contacts_mut().hold_all(Tangential::Stuck);
        self.forces_at_rest(y)?;
        self.contacts_mut().follow(true);
        Ok(())
    }

    /// From an equilibrium with contacts that stick to the one by Coulomb's law: moves y, and adds the
    /// iterations.
    ///
    /// # Errors
    ///
    /// [`EquilibriumError::Slides`] if a contact slides away.
    pub(super) fn slip(
        &mut self,
        y: &mut Vec<f64>,
        iterations: &mut usize,
        progress: &dyn Progress,
    ) -> Result<(Forces, Vec<ContactFriction>), EquilibriumError> {
        self.forces_at_rest(y)?;
        let mut friction = self.friction_of_contacts();
        // Slip counts on from here with the forces of sticking: the same step, on grids that stay.
        self.accept_contacts(y)?;
        self.contacts_mut().hold_all(Tangential::Coulomb);
        let mut forces = self.forces_at_rest(y)?;
        loop {
            forces = self.newton(y, forces, iterations, progress)?;
            if forces.relative > BALANCED[1] {
                let tangent = Tangent::at(self, y, &forces.multipliers, 1.0, progress)?;
                let motion = DVector::from_vec(tangent_of_forces(&tangent, &forces));
                return Err(self.slides_away(&friction, &motion));
            }
            self.forces_at_rest(y)?;
            self.accept_contacts(y)?;
            // Grids that follow their contact change its forces a little.
            forces = self.forces_at_rest(y)?;
            if forces.relative <= BALANCED[1] {
                break;
            }
        }
        for (of, now) in friction.iter_mut().zip(self.friction_of_contacts()) {
            let wanted = of.wanted;
            *of = ContactFriction { wanted, ..now };
        }
        self.contacts_mut().clear_friction_loss();
        Ok((forces, friction))
    }

    /// Newton's method with the whole derivative until the forces are balanced, or no longer reduced.
    fn newton(
        &mut self,
        y: &mut Vec<f64>,
        mut forces: Forces,
        iterations: &mut usize,
        progress: &dyn Progress,
    ) -> Result<Forces, EquilibriumError> {
        while forces.relative > BALANCED[0] && *iterations < MAX_ITERATIONS {
            let tangent = Tangent::at(self, y, &forces.multipliers, 1.0, progress)?;
            let Some(next) = self.slipped(y, &tangent, &forces, progress)? else { break };
            *iterations += 1;
            let ends = next.relative <= BALANCED[1] && next.relative > 0.5 * forces.relative;
            forces = next;
            if ends {
                break;
            }
        }
        Ok(forces)
    }

    /// A step of Newton's method with the whole derivative; none if no part of it reduces the forces.
    fn slipped(
        &mut self,
        y: &mut Vec<f64>,
        tangent: &Tangent,
        forces: &Forces,
        progress: &dyn Progress,
    ) -> Result<Option<Forces>, EquilibriumError> {
        let along = tangent.motions.tr_mul(&DVector::from_column_slice(&forces.left));
        let Some(solved) = tangent.derivative.clone().lu().solve(&along) else { return Ok(None) };
        let mut step = &tangent.motions * solved;
        if !step.iter().all(|x| x.is_finite()) {
            return Ok(None);
        }
        let size = self.size_of_bodies().max(self.joints().size());
        let units: Vec<f64> = (0..step.len()).map(|k| self.unit_of(k, size)).collect();
        let longest = longest_of(&step, &units);
        if longest > REACH {
            step *= REACH / longest;
        }
        for _ in 0..MAX_HALVINGS {
            if progress.interrupted() {
                return Err(EquilibriumError::Interrupted("equilibrium was sought"));
            }
            let mut next = y.clone();
            if let Ok(found) = self.moved_by(&mut next, step.as_slice())
                && found.relative < forces.relative
            {
                *y = next;
                return Ok(Some(found));
            }
            step *= 0.5;
        }
        Ok(None)
    }

    /// Friction of all contacts with friction that press at the last evaluation.
    pub(super) fn friction_of_contacts(&self) -> Vec<ContactFriction> {
        let contacts = self.contacts();
        let pressed = (0..contacts.pairs()).filter(|&pair| contacts.friction(pair) > 0.0);
        pressed
            .map(|pair| {
                let reaction = contacts.reaction(pair);
                let bound = contacts.friction(pair) * reaction.normal_force;
                let of_bound = |force: f64| if bound > 0.0 { force / bound } else { 0.0 };
                let share = of_bound(reaction.friction.unwrap_or_default().norm());
                let all = of_bound(reaction.tangential_force);
                ContactFriction {
                    pair,
                    between: contacts.surface_names(pair),
                    bound,
                    share,
                    wanted: if share > 1.0 { share } else { all },
                    slides: all >= SLIDES,
                }
            })
            .collect()
    }

    /// Contacts take tangential forces from the next evaluation on as in small oscillations.
    pub(super) fn hold_by_friction(&mut self, friction: &[ContactFriction]) {
        for contact in friction {
            let held = if contact.slides { Tangential::Free } else { Tangential::Stuck };
            self.contacts_mut().hold(contact.pair, held);
        }
    }

    /// The contact that wants most friction, as an error.
    fn slides_away(&self, friction: &[ContactFriction], motion: &DVector<f64>) -> EquilibriumError {
        let most = friction.iter().max_by(|a, b| a.wanted.total_cmp(&b.wanted));
        let most = most.expect("a search with friction has a contact with friction");
        let [first, second] = most.between.clone();
        let (bound, wanted) = (most.bound, most.wanted);
        EquilibriumError::Slides { first, second, wanted, bound, motion: describe(self, motion) }
    }
}
