//! The balance of energy and momenta at t_n.
//!
//! ```text
//! T_n = ½ v_{n−1/2}·M ((1 − 2θ) v_{n−1/2} + 2θ v_{n+1/2}),   θ = ½ dt_{n−1}/dt̃_n
//! T_n − T_0 = Σ_{k<n} ½ dt̃_k f_k·(v_{k−1/2} + v_{k+1/2}) + θ dt̃_n f_n·v_{n−1/2} − (the same at 0)
//! ```
//!
//! exactly, for each force separately. θ is the part of the time between both velocities that lies before
//! t_n: ½ in constant steps. Momenta at t_n are weighted in the same way. The stored energy is that of the
//! strains at t_n. Its change differs from the work of the internal forces by an error of the time
//! integration; the ledger counts this difference as D_num, for the springs of penalties as D_con.

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
    /// Works up to t_n, and whole works, of the present step.
    half: Totals,
    whole: Totals,
    /// The works up to t_0 at the start, from which all works are counted.
    pub(super) first: Option<Totals>,
    /// Sums over each deformable body at t_n.
    pub(super) bodies: Vec<Sums>,
    /// Energies and potentials at the start, the reference of D_num: elastic, of gravity, of penalties.
    pub(super) start: Option<[f64; 3]>,
    /// θ of the present step.
    pub(super) share: f64,
}

/// θ: the part of the time from t_{n−1/2} to t_{n+1/2} that lies before t_n.
///
/// * `lengths` — dt_{n−1} and dt_n \[s\]
pub(super) fn share([behind, ahead]: [f64; 2]) -> f64 {
    behind / (behind + ahead)
}

impl Books {
    /// Sums at t_n, once the velocities on both sides are known.
    ///
    /// * `lengths` — dt_{n−1} and dt_n \[s\]
    pub(super) fn record(&mut self, bodies: &mut Bodies, contacts: &Contacts, lengths: [f64; 2]) {
        let gravity = bodies.gravity;
        let dt_mean = 0.5 * (lengths[0] + lengths[1]);
        self.share = share(lengths);
        let level = (dt_mean, self.share);
        self.bodies.clear();
        self.bodies.extend(bodies.flexible.iter_mut().map(|body| body.sums(level, &gravity)));
        let of_shapes = bodies.flexible.iter().filter_map(Deformable::reduced).map(Reduced::of_shape);
        self.before.internal -= of_shapes.sum::<f64>();
        let powers = contacts.powers(bodies, dt_mean);
        self.half = self.part(0, &powers, dt_mean, &gravity);
        self.whole = self.part(1, &powers, dt_mean, &gravity);
        for totals in [&mut self.half, &mut self.whole] {
            totals.impulse += dt_mean * contacts.from_fixed[0];
            totals.ang_impulse += dt_mean * contacts.from_fixed[1];
        }
        // Momenta at t_n are between those of both sides: a part of the impulse at t_n has acted.
        self.half.impulse *= self.share;
        self.half.ang_impulse *= self.share;
        if self.first.is_none() {
            self.first = Some(self.half);
        }
    }

    /// θ dt̃ f·v_{n−1/2}, or ½ dt̃ f·(v_{n−1/2} + v_{n+1/2}).
    fn part(&self, i: usize, powers: &Powers, dt_mean: f64, gravity: &Vector3<f64>) -> Totals {
        let mut totals = Totals::default();
        for sums in &self.bodies {
            totals.internal += sums.internal[i];
            totals.viscous += sums.viscous[i];
            totals.external += sums.external[i];
            totals.gravity += gravity.dot(&sums.momenta[i]);
            totals.impulse += dt_mean * (sums.force + sums.mass * gravity);
            totals.ang_impulse += dt_mean * (sums.moment + sums.mass_moment.cross(gravity));
        }
        totals.hard = powers.hard[i];
        totals.penalty = powers.penalty[i];
        totals.friction = powers.friction[i];
        let time = dt_mean * if i == 0 { self.share } else { 0.5 };
        let works = [
            &mut totals.internal,
            &mut totals.external,
            &mut totals.gravity,
            &mut totals.hard,
            &mut totals.penalty,
            &mut totals.friction,
            &mut totals.viscous,
        ];
        works.into_iter().for_each(|work| *work *= time);
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
        // Differences between the stored energies and the works of their forces.
        let missed = (totals.internal - (all_stored - start[0]) - plastic - damped - hourglass[1])
            - (totals.gravity + (weight - start[1]));
        let missed_in_contact = -(totals.penalty + (contacts.potential - start[2]));
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
            d_con: missed_in_contact,
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
            add_rigid(&mut balance, rigid, self.share);
        }
        balance
    }
}

/// Adds the rigid bodies, between the times t_{n−1/2} and t_{n+1/2} of their states. Contact forces of
/// deformable bodies are loads of the rigid system, but not external loads of the whole.
///
/// * `share` — θ of the present step
fn add_rigid(balance: &mut Balance, rigid: &RigidBodies, share: f64) {
    let [a, b] = &rigid.balances;
    let [outer, contact] = [&rigid.outer_sums, &rigid.contact_sums];
    let mean = |a: f64, b: f64| (1.0 - share) * a + share * b;
    let half = |sums: &[LoadSums; 2]| mean(sums[0].work, sums[1].work);
    balance.e_kin += mean(a.e_kin, b.e_kin);
    balance.e_con += mean(a.e_con, b.e_con);
    balance.e_pot += mean(a.e_pot, b.e_pot);
    balance.w_ext += half(outer);
    let [penalty, friction] = [0, 1].map(|i| mean(rigid.part_works[0][i], rigid.part_works[1][i]));
    balance.d_imp += mean(a.d_imp, b.d_imp) - (half(contact) - penalty - friction);
    balance.d_fric += mean(a.d_fric, b.d_fric) - friction;
    balance.d_num += mean(a.d_num, b.d_num);
    // The energy of the springs follows from the motion of both sides.
    balance.d_con -= penalty;
    balance.momentum_scale += mean(a.momentum_scale, b.momentum_scale);
    balance.ang_momentum_scale += mean(a.ang_momentum_scale, b.ang_momentum_scale);
    balance.mass += b.mass;
    balance.radius = balance.radius.max(b.radius);
    balance.pen_max = balance.pen_max.max(b.pen_max);
    for d in 0..3 {
        balance.momentum[d] += mean(a.momentum[d], b.momentum[d]);
        balance.ang_momentum[d] += mean(a.ang_momentum[d], b.ang_momentum[d]);
        let from_contact = mean(contact[0].impulse[d], contact[1].impulse[d]);
        balance.external_impulse[d] += mean(a.external_impulse[d], b.external_impulse[d]) - from_contact;
        let from_contact = mean(contact[0].ang_impulse[d], contact[1].ang_impulse[d]);
        balance.external_ang_impulse[d] +=
            mean(a.external_ang_impulse[d], b.external_ang_impulse[d]) - from_contact;
    }
}
