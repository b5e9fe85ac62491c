//! Sizes of a run, from which absolute tolerances and step limits are made.
//!
//! No tolerance is relative to a state component: positions and momenta depend on where the origin lies and
//! how fast the observer moves, errors do not. All follow from one length u and one speed v:
//!
//! | component | tolerance |
//! |---|---|
//! | r | ε u |
//! | quaternion | ε u / ρ, ρ the radius of gyration |
//! | q_k | ε u / max φ_k: a local mode has a tiny mass, so one number for all would let micrometres through |
//! | P | ε m v |
//! | L | ε m ρ v |
//! | p_k | ε v / max φ_k, ε max(v, ω_k u) / max φ_k for modes above the split |
//!
//! (p_k per unit of modal mass; ε min(10 v, ω_k u) at most for static modes.) Modes above the split move only
//! in schemes of other programs, for comparison. An error of u at their frequency is an error of ω_k u in
//! speed; the bouncing of a light node faster than the resolved motion need not be followed in its speed.
//!
//! v is the largest speed at the start, seen from the common centre of mass if nothing is held (or
//! the speed by gravity over a body's size, of drives, or by springs on the mass of all bodies); u is
//! the depth d = v T_c / 2.94 of an impact at that speed by Hertz, or the size of the smallest body where
//! nothing can touch.

use crate::layout::{Layout, vector};
use crate::system::System;
use carom_dynamics::BodyMotion;
use carom_integrate::Tolerances;
use nalgebra::Vector3;

/// Length and speed that matter in a run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scales {
    /// u \[m\].
    pub length: f64,
    /// v \[m/s\].
    pub speed: f64,
}

impl Scales {
    /// Scales of a system at its initial state, for which [`System::set_state`] was called; `duration` is
    /// that of the run.
    pub fn new(system: &System, duration: f64) -> Self {
        let radius = |i: usize| system.bodies()[i].frame.gyration_radius();
        let g = system.loads().gravity().norm();
        let drift = common_velocity(system);
        let mut speed = 0.0_f64;
        let mut smallest = f64::INFINITY;
        for (i, body) in system.bodies().iter().enumerate() {
            smallest = smallest.min(radius(i));
            if body.fixed {
                continue;
            }
            let velocities = system.states().velocities(i);
            let velocity = system.states().pose(i).rotation * velocities.v - drift;
            speed = speed.max(velocity.norm() + velocities.omega.norm() * radius(i));
            speed = speed.max((g * radius(i)).sqrt());
        }
        for load in &system.loads().point_loads {
            let body = &system.bodies()[load.body];
            let energy =
                Vector3::from(load.force).norm() * radius(load.body) + Vector3::from(load.torque).norm();
            let energy = energy * load.scale.peak(duration);
            speed = speed.max((energy / body.frame.mass).sqrt());
        }
        if smallest.is_infinite() {
            smallest = 1.0;
        }
        speed = speed.max(system.joints().drive_speed(duration, smallest));
        let moving: f64 = system.bodies().iter().filter(|body| !body.fixed).map(|body| body.frame.mass).sum();
        if moving > 0.0 {
            speed = speed.max((2.0 * system.elements().stored_energy().abs() / moving).sqrt());
        }
        if speed == 0.0 {
            // Nothing moves and nothing pulls: any figure does.
            speed = smallest / duration;
        }
        let depth = (0..system.pairs())
            .map(|pair| speed * pulse(system, pair, speed) / 2.943_275_2)
            .fold(smallest, f64::min);
        Self { length: depth, speed }
    }

    /// Energy that matters in a run: that of the heaviest body at the speed \[J\].
    pub(crate) fn energy(&self, system: &System) -> f64 {
        system.bodies().iter().map(|body| body.frame.mass).fold(0.0, f64::max) * self.speed.powi(2)
    }

    /// Absolute tolerances of all components for an accuracy ε; integrals are not controlled.
    pub fn tolerances(&self, system: &System, accuracy: f64) -> Tolerances {
        let layout: &Layout = system.layout();
        let mut absolute = vec![f64::INFINITY; layout.dim()];
        let (u, v) = (accuracy * self.length, accuracy * self.speed);
        for (i, body) in system.bodies().iter().enumerate() {
            let (mass, radius, n) = (body.frame.mass, body.frame.gyration_radius(), body.frame.n);
            for (k, amplitude) in body.amplitudes.iter().enumerate() {
                // The loss of static modes is booked, so that they are followed more closely than other modes
                // above the split.
                let most = if body.static_modes().is_some() { 10.0 * v } else { f64::INFINITY };
                let speed = v.max((body.high_frequency(k) * u).min(most));
                absolute[layout.modal(i) + k] = u / amplitude;
                absolute[layout.modal_momentum(i) + k] = speed / amplitude * body.frame.mass_modal[(k, k)];
            }
            debug_assert_eq!(body.amplitudes.len(), n);
            if body.fixed {
                continue;
            }
            let position = layout.position(i);
            absolute[position..position + 3].fill(u);
            absolute[position + 3..position + 7].fill(u / radius);
            let momentum = layout.momentum(i);
            absolute[momentum..momentum + 3].fill(mass * v);
            absolute[momentum + 3..momentum + 6].fill(mass * radius * v);
        }
        Tolerances { relative: 0.0, absolute, newton: None }
    }
}

/// Velocity of the centre of mass of all bodies, zero if one is held: errors do not depend on how fast the
/// observer moves.
fn common_velocity(system: &System) -> Vector3<f64> {
    if system.bodies().iter().any(|body| body.fixed) {
        return Vector3::zeros();
    }
    let (mut mass, mut momentum) = (0.0, Vector3::zeros());
    for (i, body) in system.bodies().iter().enumerate() {
        mass += body.frame.mass;
        momentum += system.states().pose(i).rotation * system.states().velocities(i).v * body.frame.mass;
    }
    if mass > 0.0 { momentum / mass } else { momentum }
}

/// Duration of an impact of a pair at a speed, by Hertz \[s\].
pub(crate) fn pulse(system: &System, pair: usize, speed: f64) -> f64 {
    let inverse: f64 = system
        .pair_bodies(pair)
        .iter()
        .filter(|&&i| !system.bodies()[i].fixed)
        .map(|&i| 1.0 / system.bodies()[i].frame.mass)
        .sum();
    if inverse > 0.0 { system.contacts().hertz(pair).duration(1.0 / inverse, speed) } else { f64::INFINITY }
}

/// Mean motion of both bodies of a pair at a point.
pub(crate) fn pair_motion(system: &System, pair: usize, point: &Vector3<f64>, y: &[f64]) -> [BodyMotion; 2] {
    system.pair_bodies(pair).map(|i| {
        let pose = system.states().pose(i);
        let (v, omega) = system.states().mean_motion(i);
        let omega = pose.rotation * omega;
        let velocity = pose.rotation * v + omega.cross(&(point - pose.position));
        let momentum = (!system.bodies()[i].fixed).then(|| vector(y, system.layout().momentum(i)));
        BodyMotion { velocity, omega, momentum }
    })
}

/// Error of the gap of two bodies by rounding of their positions, at the last evaluation \[m\].
pub(crate) fn gap_rounding(system: &System, pair: usize) -> f64 {
    let reach = system.contacts().reach(pair);
    let bodies = system.pair_bodies(pair);
    let far = [0, 1].map(|side: usize| system.states().pose(bodies[side]).position.norm() + reach[side]);
    64.0 * f64::EPSILON * far[0].max(far[1])
}

/// No point of one body's surface approaches the other's faster than this (rigid motion) \[m/s\].
pub(crate) fn speed_bound(system: &System, pair: usize) -> f64 {
    let bodies = system.pair_bodies(pair);
    let reach = system.contacts().reach(pair);
    let velocity = |i: usize| system.states().pose(i).rotation * system.states().mean_motion(i).0;
    let turning: f64 =
        (0..2).map(|side| system.states().mean_motion(bodies[side]).1.norm() * reach[side]).sum();
    (velocity(bodies[0]) - velocity(bodies[1])).norm() + turning
}

/// Impulse on the first surface of a pair since the start, and its part from friction \[N s\].
pub(crate) fn pair_impulses(system: &System, pair: usize, y: &[f64]) -> [Vector3<f64>; 2] {
    system.contacts().slots().impulses(pair, system.layout(), y)
}
