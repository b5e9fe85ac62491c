//! The stiffness of stops that the scenario does not give.
//!
//! ```text
//! k = m (v/d)²
//! ```
//!
//! A mass m of speed v then goes d beyond the stop. m is the mass, or inertia about the axis, of the two
//! bodies against each other, v their speed at the start with the gain by gravity on the way s to the stop, d
//! a thousandth of the way between the stops:
//!
//! ```text
//! shift   1/m = Σ 1/m_i                     v² = (Σ |v_i|)² + 2 g s
//! angle   1/m = Σ 1/J_i,  J = m (ρ² + a²)   v² = (Σ |ω_i| + |v_i|/√(ρ² + a²))² + 2 g s (Σ m_i a_i)/m
//! ```
//!
//! with ρ the radius of gyration and a the distance of the centre of mass from the end of the joint. If
//! motions, forces or springs move the bodies, their speed is unknown.

use carom_format::scenario::model::{ActionSpec, Scenario, StopSpec};
use carom_multibody::{Coordinate, Joint};
use nalgebra::Vector3;

use super::joints::Start;

/// d over the way between the stops.
const SHARE: f64 = 1e-3;

/// A stiffness \[N/m or N m/rad\] that was chosen, for speed v \[m/s or rad/s\] and depth d \[m or rad\].
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Chosen {
    pub(crate) stiffness: f64,
    pub(crate) speed: f64,
    pub(crate) depth: f64,
}

/// The stiffness of stops between bodies that fall or fly against them; none if their speed is unknown.
pub(crate) fn stiffness(
    start: &Start<'_>,
    joint: &Joint,
    coordinate: Coordinate,
    stops: &StopSpec,
) -> Option<Chosen> {
    if is_driven(start.scenario()) {
        return None;
    }
    let is_angle = coordinate.is_angle();
    let [low, high] = [stops.low, stops.high].map(|limit| limit.map(f64::abs));
    let way = low.into_iter().chain(high).fold(0.0, f64::max);
    let range = match (stops.low, stops.high) {
        (Some(low), Some(high)) => high - low,
        _ => way,
    };
    let g = Vector3::from(start.scenario().simulation.gravity).norm();
    let (mut inverse, mut speed, mut moment) = (0.0, 0.0, 0.0);
    for end in &joint.ends {
        let Some(falling) = end.body.and_then(|body| start.falling(body, &end.marker)) else { continue };
        let arm = falling.gyration.hypot(falling.arm);
        let inertia = falling.mass * arm * arm;
        inverse += 1.0 / if is_angle { inertia } else { falling.mass };
        speed += if is_angle { falling.turning + falling.speed / arm } else { falling.speed };
        moment += falling.mass * falling.arm;
    }
    let gained = if is_angle { 2.0 * g * way * moment * inverse } else { 2.0 * g * way };
    let speed = (speed * speed + gained).sqrt();
    let depth = SHARE * range;
    let stiffness = (speed / depth).powi(2) / inverse;
    (stiffness > 0.0 && stiffness.is_finite()).then_some(Chosen { stiffness, speed, depth })
}

/// True if something other than gravity moves bodies.
fn is_driven(scenario: &Scenario) -> bool {
    let acts = |action: &ActionSpec| action.motion.is_some() || action.spring.is_some();
    !scenario.force.is_empty()
        || !scenario.spring.is_empty()
        || !scenario.bushing.is_empty()
        || scenario.joints().any(|(_, joint)| acts(&joint.action) || joint.turn.as_ref().is_some_and(acts))
}
