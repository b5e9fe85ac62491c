//! How often and how long bodies touch, for the cost of a run: most of its evaluations are those in contact.

use std::sync::Arc;
use std::time::Duration;

use carom_cost::{Span, cpu_seconds};
use carom_dynamics::Ignore;
use carom_fem::Body;
use carom_format::scenario::model::{BodySource, Integrator, Scenario, TimeIntegration};
use carom_multibody::Simulation;
use carom_progress::Silent;

use super::rigid_run::{as_rigid, prepared};
use crate::cost::shown;
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
    /// Time for which each pair touches, and for which some do \[s\].
    pub(crate) touching: Vec<f64>,
    pub(crate) in_touch: f64,
    /// How often each pair began to touch.
    pub(crate) begun: Vec<usize>,
    /// CPU time while no bodies touch, and while some do \[s\].
    pub(crate) seconds: [f64; 2],
    /// Memory of the grids of contact \[bytes\].
    pub(crate) bytes: usize,
    /// Time that the run reached, over its end.
    pub(crate) part: f64,
    /// Share of the work of the run that is expected until then.
    pub(crate) shown: f64,
}

/// Factor by which the counts of the rest of a run may be wrong, of which a part is known only.
const UNEVEN: f64 = 5.0;

impl Course {
    /// A count up to the time that was reached, over the whole run.
    ///
    /// The counts of the rest are known up to a factor.
    pub(crate) fn to_the_end(&self, count: f64) -> Span {
        if self.part == 1.0 {
            return Span::exact(count);
        }
        let expected = count / self.shown;
        let rest = expected - count;
        Span { low: count + rest / UNEVEN, expected, high: count + UNEVEN * rest }
    }
}

/// CPU time of the course from which on it shows the cost of an evaluation \[s\]: the clock has ticks of
/// 10 ms.
const LONG_ENOUGH: f64 = 0.2;

impl Course {
    fn new(n_pairs: usize) -> Self {
        Self {
            in_flight: 0.0,
            in_contact: 0.0,
            closed: vec![0.0; n_pairs],
            touching: vec![0.0; n_pairs],
            in_touch: 0.0,
            begun: vec![0; n_pairs],
            seconds: [0.0; 2],
            bytes: 0,
            part: 0.0,
            shown: 0.0,
        }
    }

    /// CPU seconds of an evaluation in flight \[s\]; none where the flight was too short to show them.
    pub(crate) fn of_flight(&self) -> Option<f64> {
        let [seconds, _] = self.seconds;
        (seconds > LONG_ENOUGH && self.in_flight > 0.0).then(|| seconds / self.in_flight)
    }

    /// CPU seconds of a closed pair in an evaluation \[s\]; none where the contact was too short for them.
    pub(crate) fn of_closed(&self) -> Option<f64> {
        let [_, seconds] = self.seconds;
        let closed: f64 = self.closed.iter().sum();
        (seconds > LONG_ENOUGH && closed > 0.0).then(|| seconds / closed)
    }
}

/// Runs the bodies as rigid ones to the end of a scenario, or until the time is over; none if a body has no
/// geometry, or a run is not possible.
///
/// * `further` — CPU time for which the run goes on, by its course so far; none to end it
pub(crate) fn course(
    scenario: &Scenario,
    geometries: &[Option<Arc<Body>>],
    steps: &TimeIntegration,
    further: &dyn Fn(&Course) -> Option<Duration>,
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
    let mut course = Course::new(scenario.contact.len());
    let mut counting = Counting { touching: simulation.touching().collect(), ..Counting::default() };
    counting.touching.iter().for_each(|&pair| course.begun[pair] += 1);
    while let Some(budget) = further(&course) {
        counting.since = cpu_seconds();
        let limit = CpuLimit::new(&Silent, budget);
        let ended = simulation.advance(&mut Ignore, &limit, &mut |simulation| {
            counting.count(&mut course, simulation);
            false
        });
        counting.time_of(&mut course);
        course.bytes = course.bytes.max(simulation.bytes_of_contact());
        // After an error, what was seen until then is all that is known.
        course.part = if ended.is_ok() { 1.0 } else { simulation.time() / settings.end_time };
        course.shown = shown(scenario, course.part);
        if ended.is_ok() || !limit.is_over() {
            break;
        }
    }
    (course.part > 0.0).then_some(course)
}

/// The state at the end of the last step.
#[derive(Default)]
struct Counting {
    time: f64,
    evaluations: u64,
    touching: Vec<usize>,
    /// CPU time at which the bodies last began or ceased to touch \[s\].
    since: f64,
}

impl Counting {
    /// Takes in a step: steps end where a contact begins or ends.
    fn count(&mut self, course: &mut Course, simulation: &Simulation) {
        let now = simulation.counters().evaluations;
        let (of_step, duration) = ((now - self.evaluations) as f64, simulation.time() - self.time);
        if self.touching.is_empty() {
            course.in_flight += of_step;
        } else {
            course.in_contact += of_step;
            course.in_touch += duration;
        }
        for &pair in &self.touching {
            course.closed[pair] += of_step;
            course.touching[pair] += duration;
        }
        (self.time, self.evaluations) = (simulation.time(), now);
        if self.touching.is_empty() != simulation.touching().next().is_none() {
            self.time_of(course);
        }
        for pair in simulation.touching().filter(|pair| !self.touching.contains(pair)) {
            course.begun[pair] += 1;
        }
        self.touching.clear();
        self.touching.extend(simulation.touching());
    }

    /// Books the CPU time since the bodies last began or ceased to touch.
    fn time_of(&mut self, course: &mut Course) {
        let now = cpu_seconds();
        course.seconds[usize::from(!self.touching.is_empty())] += now - self.since;
        self.since = now;
    }
}
