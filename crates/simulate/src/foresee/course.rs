//! How often and how long bodies touch, for the cost of a run: most of its evaluations are those in contact.

use std::sync::Arc;
use std::time::Duration;

use carom_cost::Span;
use carom_dynamics::Ignore;
use carom_fem::Body;
use carom_format::scenario::model::{BodySource, Integrator, Scenario, TimeIntegration};
use carom_multibody::Simulation;
use carom_progress::Silent;

use super::rigid_run::{as_rigid, prepared};
use crate::cpu_limit::CpuLimit;
use crate::geometry::radius_of_ball;
use crate::reduced::of_time_loop;
use crate::system::{Assembled, system};

/// Evaluations of the equations of motion in a run of the bodies as rigid ones, with the tolerance and the
/// steps of the scenario.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Course {
    /// Evaluations while no bodies touch.
    pub(crate) in_flight: f64,
    /// Evaluations while some touch.
    pub(crate) in_contact: f64,
    /// Evaluations while each pair touches.
    pub(crate) closed: Vec<f64>,
    /// Time for which each pair touches \[s\].
    pub(crate) touching: Vec<f64>,
    /// Time that the run reached, over its end.
    pub(crate) part: f64,
}

/// Factor by which counts may be wrong that are known for a part of the time only.
const UNEVEN: f64 = 5.0;

impl Course {
    /// A count up to the time that was reached, over the whole run.
    pub(crate) fn to_the_end(&self, count: f64) -> Span {
        if self.part == 1.0 {
            return Span::exact(count);
        }
        let expected = count / self.part;
        Span { low: count, expected, high: UNEVEN * expected }
    }
}

/// Runs the bodies as rigid ones to the end of a scenario, or until the time is over; none if a body has no
/// geometry, or a run is not possible.
///
/// * `budget` — CPU time of the time loop
pub(crate) fn course(
    scenario: &Scenario,
    geometries: &[Option<Arc<Body>>],
    steps: &TimeIntegration,
    budget: Duration,
) -> Option<Course> {
    let integrator = match steps.integrator {
        // Rigid bodies have no modes for it.
        Integrator::Exponential => Integrator::DormandPrince5,
        other => other,
    };
    let steps = TimeIntegration { integrator, ..*steps };
    let mut rigid = as_rigid(scenario, steps);
    for body in &mut rigid.body {
        // A ball of flat faces touches as the ball that it approximates: its edges would cut the steps.
        if let (Some(_), BodySource::Make { make }) = (radius_of_ball(body), &mut body.source) {
            make.hex = false;
        }
    }
    let prepared = prepared(scenario, geometries).ok()?;
    let Assembled { system, placements, .. } = system(&rigid, &prepared).ok()?;
    let settings = of_time_loop(&rigid, &steps).ok()?;
    let mut simulation = Simulation::started(system, &placements, settings, &Silent).ok()?;
    let n_pairs = scenario.contact.len();
    let mut course = Course {
        in_flight: 0.0,
        in_contact: 0.0,
        closed: vec![0.0; n_pairs],
        touching: vec![0.0; n_pairs],
        part: 0.0,
    };
    let (mut time, mut evaluations) = (0.0, 0);
    let mut touching: Vec<usize> = simulation.touching().collect();
    let mut count = |simulation: &Simulation| {
        let now = simulation.counters().evaluations;
        let of_step = (now - evaluations) as f64;
        // Steps end where a contact begins or ends.
        *(if touching.is_empty() { &mut course.in_flight } else { &mut course.in_contact }) += of_step;
        for &pair in &touching {
            course.closed[pair] += of_step;
            course.touching[pair] += simulation.time() - time;
        }
        (time, evaluations) = (simulation.time(), now);
        touching.clear();
        touching.extend(simulation.touching());
        false
    };
    // An error or the end of the CPU time: what was seen until then is all that is known.
    let ended = simulation.advance(&mut Ignore, &CpuLimit::new(&Silent, budget), &mut count);
    course.part = if ended.is_ok() { 1.0 } else { simulation.time() / settings.end_time };
    (course.part > 0.0).then_some(course)
}
