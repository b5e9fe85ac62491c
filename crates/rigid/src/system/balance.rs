//! Energies, momenta and losses of a system.

use carom_dynamics::{Balance, BodyState};
use nalgebra::Vector3;

use super::System;
use crate::body::RigidBody;
use crate::pair::Pair;
use crate::spring::potential;
use crate::state::State;

/// Losses of energy and external impulses since the start.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Books {
    /// Lost in inelastic impacts \[J\].
    pub d_imp: f64,
    /// Lost in friction \[J\].
    pub d_fric: f64,
    /// Work of joints, an error of the time integration: the impulses of a joint act at one point in the
    /// middle of a step, where both bodies have moved by nearly the same \[J\].
    pub joint_work: f64,
    /// Work of the motions of joints \[J\].
    pub drive_work: f64,
    /// Impulse of gravity and of fixed bodies on those that move \[N s\].
    pub external_impulse: Vector3<f64>,
    /// Its moment about the inertial origin \[N m s\].
    pub external_ang_impulse: Vector3<f64>,
    /// Work of [`System::load`] \[J\].
    pub load_work: f64,
    /// Its impulse \[N s\].
    pub load_impulse: Vector3<f64>,
    /// Its moment about the inertial origin \[N m s\].
    pub load_ang_impulse: Vector3<f64>,
}

impl System {
    /// T of all bodies \[J\].
    pub fn kinetic(&self) -> f64 {
        let moving = self.bodies.iter().zip(&self.states).filter(|(body, _)| !body.fixed);
        moving.map(|(body, state)| body.kinetic(state)).sum()
    }

    /// −Σ m g·x of the bodies that move \[J\].
    pub fn gravity_potential(&self) -> f64 {
        let moving = self.bodies.iter().zip(&self.states).filter(|(body, _)| !body.fixed);
        -moving.map(|(body, state)| body.mass * self.gravity.dot(&state.position)).sum::<f64>()
    }

    /// Σ ½ k \[−g\]₊² of the dynamic gaps \[J\].
    pub fn contact_potential(&self) -> f64 {
        let of = |pair: &Pair| -> f64 {
            if pair.stiffness() == 0.0 {
                return 0.0;
            }
            pair.gaps.iter().map(|&gap| potential(pair.stiffness(), gap)).sum()
        };
        self.nearby.pairs().iter().map(|&number| of(&self.pairs[number as usize])).sum()
    }

    /// E_kin + E_con + E_pot + losses, less the work of loads and of motions, which is constant \[J\].
    pub fn energy(&self) -> f64 {
        self.kinetic()
            + self.gravity_potential()
            + self.contact_potential()
            + self.stops.energy()
            + self.stops.damping
            + self.books.d_imp
            + self.books.d_fric
            - self.books.joint_work
            - self.books.drive_work
            - self.books.load_work
    }

    /// Σ p of the bodies that move \[N s\].
    pub fn momentum(&self) -> Vector3<f64> {
        self.moving().map(|state| state.momentum).sum()
    }

    /// Σ x × p + s of the bodies that move \[N m s\].
    pub fn ang_momentum(&self) -> Vector3<f64> {
        self.moving().map(State::ang_momentum).sum()
    }

    fn moving(&self) -> impl Iterator<Item = &State> {
        self.bodies.iter().zip(&self.states).filter(|(body, _)| !body.fixed).map(|(_, state)| state)
    }

    /// The balance of docs/theory/ledger.md, eq. (87).
    pub fn balance(&self) -> Balance {
        let radius = |body: &RigidBody| (body.inertia.max() / body.mass).sqrt();
        let moving = || self.bodies.iter().zip(&self.states).filter(|(body, _)| !body.fixed);
        // A body at rest on the ground receives momentum from gravity all the time, and gives it to the
        // ground.
        let fallen = self.gravity.norm() * self.time();
        let size = |body: &RigidBody, state: &State| state.momentum.norm() + body.mass * fallen;
        let actions = &self.actions.books;
        Balance {
            time: self.time(),
            e_kin: self.kinetic(),
            e_con: self.contact_potential(),
            e_pot: self.gravity_potential() + actions.potential + self.stops.energy(),
            // The work of all loads has that of springs and dampers.
            w_ext: self.books.drive_work
                + if self.actions.is_empty() { self.books.load_work } else { actions.forces },
            d_mat: actions.damping + self.stops.damping,
            d_imp: self.books.d_imp,
            d_fric: self.books.d_fric,
            // Not −0 without joints.
            d_num: actions.numerical - self.books.joint_work,
            momentum: self.momentum().into(),
            ang_momentum: self.ang_momentum().into(),
            external_impulse: (self.books.external_impulse + self.books.load_impulse).into(),
            external_ang_impulse: (self.books.external_ang_impulse + self.books.load_ang_impulse).into(),
            mass: moving().map(|(body, _)| body.mass).sum(),
            radius: moving().map(|(body, _)| radius(body)).fold(0.0, f64::max),
            momentum_scale: moving().map(|(body, state)| size(body, state)).sum(),
            ang_momentum_scale: moving()
                .map(|(body, s)| {
                    let lever = s.position.norm() * body.mass * fallen;
                    s.position.cross(&s.momentum).norm()
                        + s.spin.norm()
                        + radius(body) * size(body, s)
                        + lever
                })
                .sum(),
            pen_max: self.deepest,
            ..Balance::default()
        }
    }

    /// Reported state of each body.
    pub fn body_states(&self) -> Vec<BodyState> {
        self.bodies.iter().zip(&self.states).map(|(body, state)| body.reported(state)).collect()
    }
}
