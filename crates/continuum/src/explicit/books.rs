//! The balance of energy and momenta at t_n.
//!
//! ```text
//! T_n = ½ v_{n−1/2}·M v_{n+1/2}
//! T_n − T_0 = Σ_{k<n} ½ dt̃_k f_k·(v_{k−1/2} + v_{k+1/2}) + ½ dt̃_n f_n·v_{n−1/2} − (the same at 0)
//! ```
//!
//! exactly, for each force separately. The stored energy is that of the strains at t_n. Its change differs
//! from the work of the internal forces by an error of the time integration; the ledger counts this
//! difference as D_num.

use carom_dynamics::Balance;
use nalgebra::Vector3;

use super::bodies::Bodies;
use super::contact::{Contacts, Powers};
use super::deformable::Deformable;
use super::flexible::{MaterialEnergies, Sums};
use super::reduced::Reduced;
use super::rigid::{LoadSums, RigidBodies};

/// Works and impulses of all steps before t_n.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Totals {
    pub(super) internal: f64,
    pub(super) external: f64,
    pub(super) gravity: f64,
    pub(super) hard: f64,
    pub(super) penalty: f64,
    pub(super) friction: f64,
    pub(super) viscous: f64,
    pub(super) impulse: Vector3<f64>,
    pub(super) ang_impulse: Vector3<f64>,
}

impl Totals {
    /// Numbers in [`Totals::to_array`].
    pub(super) const NUMBERS: usize = 13;

    pub(super) fn to_array(self) -> [f64; Self::NUMBERS] {
        let mut array = [0.0; Self::NUMBERS];
        let works = [
            self.internal,
            self.external,
            self.gravity,
            self.hard,
            self.penalty,
            self.friction,
            self.viscous,
        ];
        array[..7].copy_from_slice(&works);
        array[7..10].copy_from_slice(self.impulse.as_slice());
        array[10..].copy_from_slice(self.ang_impulse.as_slice());
        array
    }

    pub(super) fn from_array(array: &[f64; Self::NUMBERS]) -> Self {
        let [internal, external, gravity, hard, penalty, friction, viscous, ..] = *array;
        Self {
            internal,
            external,
            gravity,
            hard,
            penalty,
            friction,
            viscous,
            impulse: Vector3::from_column_slice(&array[7..10]),
            ang_impulse: Vector3::from_column_slice(&array[10..]),
        }
    }

    fn plus(self, other: &Self, factor: f64) -> Self {
        Self {
            internal: self.internal + factor * other.internal,
            external: self.external + factor * other.external,
            gravity: self.gravity + factor * other.gravity,
            hard: self.hard + factor * other.hard,
            penalty: self.penalty + factor * other.penalty,
            friction: self.friction + factor * other.friction,
            viscous: self.viscous + factor * other.viscous,
            impulse: self.impulse + factor * other.impulse,
            ang_impulse: self.ang_impulse + factor * other.ang_impulse,
        }
    }
}

/// The ledger of a run.
#[derive(Debug, Clone, Default)]
pub(super) struct Books {
    /// All steps before the present one.
    pub(super) before: Totals,
    /// Half works up to t_n, and whole works, of the present step.
    half: Totals,
    whole: Totals,
    /// The half works at the start, from which all works are counted.
    pub(super) first: Option<Totals>,
    /// Sums over each deformable body at t_n.
    pub(super) bodies: Vec<Sums>,
    /// Energies and potentials at the start, the reference of D_num: elastic, of gravity, of penalties.
    pub(super) start: Option<[f64; 3]>,
}

impl Books {
    /// Sums at t_n, once the velocities on both sides are known.
    ///
    /// * `dt_mean` — dt̃ \[s\]
    pub(super) fn record(&mut self, bodies: &mut Bodies, contacts: &Contacts, dt_mean: f64) {
        let gravity = bodies.gravity;
        self.bodies.clear();
        self.bodies.extend(bodies.flexible.iter_mut().map(|body| body.sums(dt_mean, &gravity)));
        let of_shapes = bodies.flexible.iter().filter_map(Deformable::reduced).map(Reduced::of_shape);
        self.before.internal -= of_shapes.sum::<f64>();
        let powers = contacts.powers(bodies, dt_mean);
        self.half = self.part(0, &powers, dt_mean, &gravity);
        self.whole = self.part(1, &powers, dt_mean, &gravity);
        for totals in [&mut self.half, &mut self.whole] {
            totals.impulse += dt_mean * contacts.from_fixed[0];
            totals.ang_impulse += dt_mean * contacts.from_fixed[1];
        }
        // Momenta at t_n are means of both sides: half of the impulse at t_n has acted.
        self.half.impulse *= 0.5;
        self.half.ang_impulse *= 0.5;
        if self.first.is_none() {
            self.first = Some(self.half);
        }
    }

    /// Half of ½ dt̃ f·v_{n−1/2}, or all of ½ dt̃ f·(v_{n−1/2} + v_{n+1/2}).
    fn part(&self, i: usize, powers: &Powers, dt_mean: f64, gravity: &Vector3<f64>) -> Totals {
        let mut totals = Totals::default();
        for sums in &self.bodies {
            totals.internal += sums.internal[i];
            totals.viscous += sums.viscous[i];
            totals.external += sums.external[i];
            let momentum = if i == 0 { sums.momentum_behind } else { 2.0 * sums.momentum };
            totals.gravity += gravity.dot(&momentum);
            totals.impulse += dt_mean * (sums.force + sums.mass * gravity);
            totals.ang_impulse += dt_mean * (sums.moment + sums.mass_moment.cross(gravity));
        }
        totals.hard = powers.hard[i];
        totals.penalty = powers.penalty[i];
        totals.friction = powers.friction[i];
        let half = 0.5 * dt_mean;
        let works = [
            &mut totals.internal,
            &mut totals.external,
            &mut totals.gravity,
            &mut totals.hard,
            &mut totals.penalty,
            &mut totals.friction,
            &mut totals.viscous,
        ];
        works.into_iter().for_each(|work| *work *= half);
        totals
    }

    /// Adds the present step to the previous ones.
    pub(super) fn close(&mut self) {
        self.before = self.before.plus(&self.whole, 1.0);
    }

    /// The balance at t_n.
    ///
    /// * `energies` — of the material of all deformable bodies
    pub(super) fn balance(
        &mut self,
        time: f64,
        bodies: &Bodies,
        contacts: &Contacts,
        energies: MaterialEnergies,
    ) -> Balance {
        let MaterialEnergies { stored, plastic, damped, hourglass } = energies;
        let all_stored = stored + hourglass[0];
        let totals = self.before.plus(&self.half, 1.0).plus(&self.first.unwrap_or_default(), -1.0);
        let gravity = bodies.gravity;
        let mut sums = Sums::default();
        let mut scales = [0.0; 2];
        let mut radius = 0.0_f64;
        for body in &self.bodies {
            let fallen = gravity.norm() * time;
            let size = body.momentum.norm() + body.mass * fallen;
            let center = body.mass_moment / body.mass;
            scales[0] += size;
            scales[1] += body.ang_momentum.norm() + center.norm() * size;
            radius = radius.max(center.norm());
            sums.kinetic += body.kinetic;
            sums.momentum += body.momentum;
            sums.ang_momentum += body.ang_momentum;
            sums.mass += body.mass;
            sums.mass_moment += body.mass_moment;
        }
        let weight = -gravity.dot(&sums.mass_moment);
        let potentials = [all_stored, weight, contacts.potential];
        let start = *self.start.get_or_insert(potentials);
        // Difference between the stored energies and the works of their forces.
        let missed = (totals.internal - (all_stored - start[0]) - plastic - damped - hourglass[1])
            - (totals.gravity + (weight - start[1]))
            - (totals.penalty + (contacts.potential - start[2]));
        let mut balance = Balance {
            time,
            e_kin: sums.kinetic,
            e_el: stored,
            e_con: contacts.potential,
            e_pot: weight,
            w_ext: totals.external,
            e_hg: hourglass[0] + hourglass[1],
            d_pl: plastic,
            d_mat: damped,
            d_visc: -totals.viscous,
            d_fric: -totals.friction,
            d_imp: -totals.hard,
            d_num: missed,
            momentum: sums.momentum.into(),
            ang_momentum: sums.ang_momentum.into(),
            external_impulse: totals.impulse.into(),
            external_ang_impulse: totals.ang_impulse.into(),
            momentum_scale: scales[0],
            ang_momentum_scale: scales[1],
            mass: sums.mass,
            radius,
            pen_max: contacts.deepest,
            ..Balance::default()
        };
        if let Some(rigid) = &bodies.rigid {
            add_rigid(&mut balance, rigid);
        }
        balance
    }
}

/// Adds the rigid bodies, as means of both sides. Contact forces of deformable bodies are loads of the rigid
/// system, but not external loads of the whole.
fn add_rigid(balance: &mut Balance, rigid: &RigidBodies) {
    let [a, b] = &rigid.balances;
    let [outer, contact] = [&rigid.outer_sums, &rigid.contact_sums];
    let half = |sums: &[LoadSums; 2]| 0.5 * (sums[0].work + sums[1].work);
    balance.e_kin += 0.5 * (a.e_kin + b.e_kin);
    balance.e_con += 0.5 * (a.e_con + b.e_con);
    balance.e_pot += 0.5 * (a.e_pot + b.e_pot);
    balance.w_ext += half(outer);
    let [penalty, friction] = [0, 1].map(|i| 0.5 * (rigid.part_works[0][i] + rigid.part_works[1][i]));
    balance.d_imp += 0.5 * (a.d_imp + b.d_imp) - (half(contact) - penalty - friction);
    balance.d_fric += 0.5 * (a.d_fric + b.d_fric) - friction;
    // The energy of the springs follows from the motion of both sides.
    balance.d_num -= penalty;
    balance.momentum_scale += 0.5 * (a.momentum_scale + b.momentum_scale);
    balance.ang_momentum_scale += 0.5 * (a.ang_momentum_scale + b.ang_momentum_scale);
    balance.mass += b.mass;
    balance.radius = balance.radius.max(b.radius);
    balance.pen_max = balance.pen_max.max(b.pen_max);
    for d in 0..3 {
        balance.momentum[d] += 0.5 * (a.momentum[d] + b.momentum[d]);
        balance.ang_momentum[d] += 0.5 * (a.ang_momentum[d] + b.ang_momentum[d]);
        let from_contact = 0.5 * (contact[0].impulse[d] + contact[1].impulse[d]);
        balance.external_impulse[d] += 0.5 * (a.external_impulse[d] + b.external_impulse[d]) - from_contact;
        let from_contact = 0.5 * (contact[0].ang_impulse[d] + contact[1].ang_impulse[d]);
        balance.external_ang_impulse[d] +=
            0.5 * (a.external_ang_impulse[d] + b.external_ang_impulse[d]) - from_contact;
    }
}
