//! Work of the run of reduced and rigid bodies in floating frames.

use std::collections::BTreeMap;

use carom_cost::run::{closed_cell_contact, evaluation, grid_contact, open_cell_contact};
use carom_cost::{Machine, Run, Span, Work};
use carom_fem::Discretisation;
use carom_format::scenario::model::{
    BodySpec, ContactSpec, End, Integrator, Scenario, Scheme, TimeIntegration,
};

use super::held::time_of_held;
use super::reductions::{Zone, extent, zone};
use super::runs::frames;
use super::{FRAME_STATES, Known};
use crate::foresee::Course;

/// Faces of a pair that are near each other, at most.
const MOST_FACES: f64 = 400.0;

/// Interface dofs of a body whose geometry is not known.
const ZONE_DOFS: f64 = 400.0;

/// Steps of an impact of reduced bodies at the default tolerance.
const STEPS_OF_IMPACT: f64 = 480.0;

/// Steps of a contact that lasts, in impacts, at most.
const LASTING: f64 = 40.0;

/// Memory of the program over that of the grids of contact: grids replace each other, and the heap keeps some
/// of the room of those before.
const KEPT_BY_HEAP: f64 = 1.5;

/// Factor by which joints between bodies whose static modes follow at once shorten explicit steps: expected,
/// and at most. A joint on the residual compliance of its bodies, which is that of the modes left out,
/// vibrates with the mass of the modes that are kept. That of a ball on a rod has 305 kHz where the dynamic
/// modes end at 16 kHz, and steps of a quarter of the length (`double-pendulums/scenario`).
const JOINED: [f64; 2] = [2.0, 8.0];

/// Why explicit steps of bodies in joints are a range.
const JOINED_WHY: &str = "joints with the static modes of bodies may vibrate faster than the dynamic \
                          modes, and need shorter steps";

/// Evaluations for an explicit step of the fifth order, with those of rejected steps.
const EVALUATIONS: f64 = 7.2;

/// The run of bodies in floating frames.
///
/// * `places` — number of places of each body
/// * `course` — of the bodies as rigid ones
pub(super) fn reduced(
    scenario: &Scenario,
    (known, places): (&[Known], &[f64]),
    settings: &TimeIntegration,
    course: Option<&Course>,
    machine: &Machine,
) -> Run {
    let mut run = Run::default();
    let end = scenario.simulation.end_time;
    let all_move = !matches!(scenario.simulation.scheme, Scheme::Quasistatic(_));
    let of_bodies: Vec<(f64, f64)> =
        scenario.body.iter().zip(known).map(|(spec, known)| modes(spec, known, all_move)).collect();
    let modes: Vec<f64> = of_bodies.iter().map(|(modes, _)| *modes).collect();
    let highest = of_bodies.iter().map(|(_, hz)| *hz).fold(0.0, f64::max);
    let one = evaluation(&modes, scenario.joint.len());
    let per_step = evaluations(settings.integrator, modes.iter().fold(0.0, |a, b| f64::max(a, *b)));
    let is_explicit = matches!(
        settings.integrator,
        Integrator::Dop853 | Integrator::DormandPrince5 | Integrator::Exponential
    );
    // Steps without contact; none where contact alone limits them.
    let flight = match (settings.time_step, is_explicit && highest > 0.0, course) {
        (Some(dt), ..) => Some(Span::exact(end / dt)),
        (None, true, _) => {
            let steps = 10.0 * highest * end;
            let is_exponential = settings.integrator == Integrator::Exponential;
            let is_joined = !all_move && !is_exponential && holds_static_modes(scenario, known);
            if is_joined {
                run.unknown = JOINED_WHY.to_owned();
            }
            let [expected, high] = if is_joined { JOINED } else { [1.0; 2] };
            Some(Span { low: steps, expected: expected * steps, high: high * steps })
        }
        // Rigid bodies alone: the run itself.
        (None, false, Some(_)) if highest == 0.0 => None,
        (None, false, _) => {
            run.unknown = "the error control chooses the steps of the motion".to_owned();
            Some(Span { low: 30.0, expected: 1000.0, high: 30_000.0 })
        }
    };
    let flight = flight.map(|steps| steps.times(per_step));
    // Forces of joints and energies of a frame are those of an evaluation between steps.
    run.push(FRAME_STATES, Span::exact(frames(scenario)), one);
    // On grids a pair of rigid bodies costs as much as in the run of the rigid bodies.
    let is_on_grid = scenario.contact.iter().all(ContactSpec::is_on_grid);
    let course_on_grid = course.filter(|_| is_on_grid);
    let of_reference = |seconds: f64| seconds / machine.scalars;
    let of_closed = course_on_grid.and_then(Course::of_closed).map(of_reference);
    let of_flight = course_on_grid.and_then(Course::of_flight).map(|each| Work::scalars(of_reference(each)));
    let contacts = contacts(scenario, known, places, of_closed);
    let far: Work = contacts.iter().map(|[open, _]| *open).sum();
    let Some(course) = course.filter(|_| !scenario.contact.is_empty()) else {
        let flight = flight.unwrap_or(Span::exact(0.0));
        run.push("evaluations", flight, one + far);
        if !scenario.contact.is_empty() {
            unknown_contact(scenario, &contacts, (flight, one, far), &mut run);
        }
        return run;
    };
    run.bytes += (KEPT_BY_HEAP * course.bytes as f64) as u64;
    if course.part < 1.0 {
        run.unknown = format!(
            "how often and how long bodies touch is not known after {:.0} % of the time",
            100.0 * course.part
        );
    }
    // Steps of one length do not depend on contact. Modes allow no longer steps in contact than in flight.
    let is_even = settings.time_step.is_some();
    let least = flight.map_or(0.0, |flight| if is_even || is_explicit { flight.expected / end } else { 0.0 });
    let counted = |count: f64, time: f64| {
        course.to_the_end(if is_even { least * time } else { count.max(least * time) })
    };
    let longer: Vec<f64> = scenario
        .contact
        .iter()
        .enumerate()
        .map(|(n, pair)| longer_contact(time_of_held(scenario, known, pair), n, course, end))
        .collect();
    let of_longest = longer.iter().copied().fold(1.0, f64::max);
    let in_touch = (of_longest * course.in_touch).min(course.part * end);
    let in_flight = match flight {
        Some(flight) => flight.times(1.0 - in_touch / (course.part * end)),
        None => course.to_the_end(course.in_flight),
    };
    run.push("evaluations", in_flight, of_flight.unwrap_or(far) + one);
    run.push("evaluations in contact", counted(of_longest * course.in_contact, in_touch), one + far);
    for (pair, [_, work]) in contacts.iter().enumerate() {
        let closed = counted(longer[pair] * course.closed[pair], longer[pair] * course.touching[pair]);
        run.push("closed contacts", closed, *work);
        let in_frames = longer[pair] * course.touching[pair] / (course.part * end) * frames(scenario);
        run.push(FRAME_STATES, Span::exact(in_frames), *work);
    }
    run
}

/// True if a joint holds a body of which some modes are static.
fn holds_static_modes(scenario: &Scenario, known: &[Known]) -> bool {
    let is_held = |spec: &BodySpec| {
        let mut ends = scenario.joints().flat_map(|(_, joint)| &joint.between);
        ends.any(|end| end.body == spec.name)
    };
    let has_static = |spec: &BodySpec, known: &Known| match &known.model {
        Some(model) => model.n_low < model.omega.len(),
        None => spec.reduce.is_some(),
    };
    let mut bodies = scenario.body.iter().zip(known);
    bodies.any(|(spec, known)| !spec.rigid && is_held(spec) && has_static(spec, known))
}

/// Factor by which a pair touches longer than its bodies as rigid ones do: each of its contacts takes the
/// time of a held body in addition, within that of the run.
fn longer_contact(of_held: Option<f64>, pair: usize, course: &Course, end: f64) -> f64 {
    let touching = course.touching[pair];
    let further = of_held.map_or(0.0, |of_held| of_held * course.begun[pair] as f64);
    if touching > 0.0 { (touching + further).min(course.part * end).max(touching) / touching } else { 1.0 }
}

/// Contact of which no run of the bodies as rigid ones has shown anything.
///
/// * `flight`, `one`, `far` — evaluations without contact, and the work of one without and with open pairs
fn unknown_contact(
    scenario: &Scenario,
    contacts: &[[Work; 2]],
    (flight, one, far): (Span, Work, Work),
    run: &mut Run,
) {
    let n_pairs = scenario.contact.len() as f64;
    let impacts = Span { low: 0.0, expected: n_pairs, high: 4.0 * n_pairs };
    run.unknown = "the number and the length of contacts are not known".to_owned();
    let evaluations = impacts.times(STEPS_OF_IMPACT * EVALUATIONS);
    let near: Work = contacts.iter().map(|[_, closed]| *closed).sum();
    let all_but_one = (n_pairs - 1.0) / n_pairs;
    run.push("evaluations in contact", evaluations, one + near * (1.0 / n_pairs) + far * all_but_one);
    // A contact that lasts is closed in all steps, which become short where it moves over cells.
    let held = if can_last(scenario) { LASTING * n_pairs * STEPS_OF_IMPACT * EVALUATIONS } else { 0.0 };
    run.push(
        "evaluations in lasting contact",
        Span { high: held.max(flight.high), ..Span::exact(0.0) },
        near,
    );
}

/// True if something presses bodies together: joints, forces or gravity.
fn can_last(scenario: &Scenario) -> bool {
    let has_gravity = scenario.simulation.gravity.iter().any(|g| *g != 0.0);
    has_gravity || !scenario.joint.is_empty() || !scenario.force.is_empty()
}

/// Number of dynamic modes of a body, and the highest frequency of them \[Hz\].
fn modes(spec: &BodySpec, known: &Known, all_move: bool) -> (f64, f64) {
    if spec.rigid {
        return (0.0, 0.0);
    }
    if let Some(model) = &known.model {
        let n = if all_move { model.omega.len() } else { model.n_low };
        let highest = n.checked_sub(1).map_or(0.0, |last| model.omega[last] / std::f64::consts::TAU);
        return (n as f64, highest);
    }
    let (Some(body), Some(reduce)) = (&known.geometry, &spec.reduce) else { return (0.0, 0.0) };
    let Ok(discretisation) = Discretisation::new(body) else { return (0.0, 0.0) };
    let extent = extent(body, &discretisation);
    let kept = reduce.modes.map(|n| n as f64);
    let limit = reduce.up_to.unwrap_or_else(|| extent.frequency_of(kept.unwrap_or(24.0)));
    let highest = reduce.split.map_or(limit, |split| split.min(limit));
    let below = extent.modes_below(highest).min(kept.unwrap_or(f64::INFINITY));
    (below.floor(), highest)
}

/// Evaluations of the equations of motion in a step.
///
/// * `modes` — of the body with the most
fn evaluations(integrator: Integrator, modes: f64) -> f64 {
    match integrator {
        Integrator::Dop853 => 13.0,
        Integrator::DormandPrince5 | Integrator::Exponential => EVALUATIONS,
        Integrator::GeneralisedAlpha { .. } => 6.6,
        Integrator::Radau5 => 7.3 + 2.4 * modes.sqrt(),
        Integrator::Bdf2 | Integrator::Midpoint => 4.7 + 1.7 * modes.sqrt(),
    }
}

/// Work of each contact in an evaluation: open, closed.
///
/// * `of_rigid` — seconds on the reference machine of a closed pair of rigid bodies, where they are known
fn contacts(scenario: &Scenario, known: &[Known], places: &[f64], of_rigid: Option<f64>) -> Vec<[Work; 2]> {
    // Many pairs share a zone.
    let mut zones: BTreeMap<(usize, String), Option<Zone>> = BTreeMap::new();
    let number = |end: &End| scenario.body.iter().position(|spec| spec.name == end.body);
    let mut of_pair = |pair: &ContactSpec| {
        if pair.is_on_grid() {
            let places = pair.between.each_ref().map(|end| number(end).map_or(0.0, |body| places[body]));
            return [Work::default(), grid_contact(places, of_rigid)];
        }
        let (mut faces, mut dofs) = (MOST_FACES, [ZONE_DOFS; 2]);
        for (end, dofs) in pair.between.iter().zip(&mut dofs) {
            let Some(body) = number(end) else { continue };
            let found = || zone(known[body].geometry.as_deref()?, &end.part);
            let own = *zones.entry((body, end.part.clone())).or_insert_with(found);
            faces = own.map_or(faces, |own| own.faces.min(faces));
            *dofs = own.map_or(*dofs, |own| own.dofs);
            if scenario.body[body].rigid {
                *dofs = 0.0;
            }
        }
        [open_cell_contact(faces), closed_cell_contact(dofs)]
    };
    scenario.contact.iter().map(&mut of_pair).collect()
}
