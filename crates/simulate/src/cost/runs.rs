//! Work of the run of a scenario, by its scheme.

use carom_cost::assembly;
use carom_cost::run::{explicit_step, frame, grid_contact, rigid_contact, rigid_search, rigid_step, tangent};
use carom_cost::{Factor, Machine, Run, Span, Work};
use carom_fem::coupling::node_graph;
use carom_fem::internal_force::{PointRule, PointStress};
use carom_fem::{Body, Discretisation};
use carom_format::scenario::model::{BodySpec, ContactSpec, MaterialLaw, Scenario, Scheme, ShapeKind};
use carom_linalg::DofSet;
use carom_reduce::cost::factor_of;

use super::floating::reduced;
use super::{FRAMES, Known};
use crate::explicit::first_step;
use crate::foresee::Course;

/// Memory of the program with the result's file \[bytes\].
const PROGRAM: u64 = 20_000_000;

/// Factor by which plastic strain lengthens a run: a cell that is compressed has smaller steps, and its law
/// costs more.
const PLASTIC: Span = Span { low: 1.0, expected: 4.0, high: 16.0 };

/// Static solutions for a contact.
const SOLUTIONS: f64 = 300.0;

/// The run of a scenario; none if a body is not known yet.
///
/// * `places` — number of places of each body
/// * `course` — of the bodies as rigid ones, for the schemes of reduced bodies
pub(crate) fn of_run(
    scenario: &Scenario,
    known: &[Known],
    places: &[f64],
    course: Option<&Course>,
    machine: &Machine,
) -> Option<Run> {
    let is_known = |known: &Known| known.geometry.is_some() || known.model.is_some();
    if !known.iter().all(is_known) {
        return None;
    }
    let mut run = match &scenario.simulation.scheme {
        Scheme::Quasistatic(settings) | Scheme::Dynamic(settings) | Scheme::Damped(settings) => {
            reduced(scenario, (known, places), settings, course, machine)
        }
        Scheme::Rigid { time_step } => rigid(scenario, *time_step),
        Scheme::Explicit { .. } => explicit(scenario, known),
        Scheme::Implicit { time_step, .. } => implicit(scenario, known, *time_step),
        Scheme::Complementarity { time_step, .. } => complementarity(scenario, known, *time_step),
        Scheme::Static { steps } => statics(scenario, known, *steps),
    };
    add_frames(scenario, known, &mut run);
    run.bytes += PROGRAM;
    Some(run)
}

/// Rigid bodies with steps of one length.
fn rigid(scenario: &Scenario, time_step: f64) -> Run {
    let mut run = Run::default();
    let moving = scenario.body.iter().filter(|spec| !spec.fixed).count() as f64;
    let steps = scenario.simulation.end_time / time_step;
    run.push("steps", Span::exact(steps), rigid_step(moving, scenario.joint.len() as f64));
    if !scenario.contact.is_empty() {
        run.unknown = "the number of closed contacts is not known".to_owned();
        let has_friction = scenario.contact.iter().any(|pair| pair.friction > 0.0);
        // Four corners of a block; bodies that lean on one another with friction need more iterations.
        let high = if has_friction { 8.0 * moving } else { 4.0 * moving };
        let closed = Span { low: 0.0, expected: 0.5 * moving, high };
        run.push("closed contacts", closed.times(steps), rigid_contact(has_friction));
        let searched: f64 = scenario.contact.iter().filter_map(|pair| searched(scenario, pair)).sum();
        if searched > 0.0 {
            // Far points cost little, and those that jump between faces much.
            run.push("points on faces", Span::within(steps, 10.0), rigid_search(searched));
        }
    }
    run
}

/// Number of points or balls of a pair whose other surface are faces; none of two shapes.
fn searched(scenario: &Scenario, pair: &ContactSpec) -> Option<f64> {
    let shapes = pair.between.each_ref().map(|end| {
        let body = scenario.body.iter().find(|spec| spec.name == end.body)?;
        body.shape.iter().find(|shape| shape.name == end.part).map(|shape| &shape.kind)
    });
    let ([Some(shape), None] | [None, Some(shape)]) = shapes else { return None };
    Some(if let ShapeKind::Points { points, .. } = shape { points.len() as f64 } else { 1.0 })
}

/// Counts over the cells of unreduced bodies.
#[derive(Default)]
struct Cells {
    /// Quadrature points times functions, and times the square of their number.
    point_functions: f64,
    pairs: f64,
    n_points: f64,
    couplings: f64,
    factor: Option<Factor>,
}

/// * `with_factor` — true to find the structure of the factors
fn cells(scenario: &Scenario, known: &[Known], with_factor: bool) -> Cells {
    let mut all = Cells::default();
    for (spec, known) in scenario.body.iter().zip(known).filter(|(spec, _)| !spec.rigid) {
        let Some(body) = &known.geometry else { continue };
        let Ok(discretisation) = Discretisation::new(body) else { continue };
        let rule = PointRule::named(spec.elements.name()).unwrap_or_default();
        for block in &discretisation.blocks {
            let points = match &block.section {
                Some(_) => 8.0,
                None => PointStress::quadrature_points(&block.cells, rule).len() as f64,
            };
            let (cells, functions) = (block.n_cells() as f64, block.n_cell_points() as f64);
            all.point_functions += cells * points * functions;
            all.pairs += cells * points * functions * functions;
        }
        all.n_points += discretisation.n_points() as f64;
        let Ok(graph) = node_graph(&discretisation) else { continue };
        all.couplings += graph.n_entries() as f64;
        if with_factor {
            let own = factor_of(&graph, DofSet::all(discretisation.n_points()));
            let before = all.factor.unwrap_or(Factor { nonzeros: 0.0, flops: 0.0 });
            all.factor =
                Some(Factor { nonzeros: before.nonzeros + own.nonzeros, flops: before.flops + own.flops });
        }
    }
    all
}

/// Unreduced bodies by central differences.
fn explicit(scenario: &Scenario, known: &[Known]) -> Run {
    let mut run = Run::default();
    let all = cells(scenario, known, false);
    let geometries: Vec<_> = known.iter().map(|known| known.geometry.clone()).collect();
    let Some(dt) = scenario.simulation.scheme.time_step().or_else(|| first_step(scenario, &geometries))
    else {
        run.unknown = "the step of the cells could not be found".to_owned();
        return run;
    };
    let steps = scenario.simulation.end_time / dt;
    let rigid = scenario.body.iter().filter(|spec| spec.rigid && !spec.fixed).count();
    run.push("rigid bodies", Span::exact(steps), rigid_step(2.0 * rigid as f64, scenario.joint.len() as f64));
    let is_plastic = scenario.material.values().any(|material| material.law == MaterialLaw::Plastic);
    let steps = if is_plastic { PLASTIC.times(steps) } else { Span::exact(steps) };
    if is_plastic {
        run.unknown = "plastic strain shortens the steps".to_owned();
    }
    run.push("steps", steps, explicit_step(all.point_functions, all.n_points));
    if !scenario.contact.is_empty() {
        run.unknown = "the number of points that touch is not known".to_owned();
        let share = Span { low: 0.0, expected: 0.3 * steps.expected, high: 3.0 * steps.high };
        run.push("contact", share, explicit_step(all.point_functions, all.n_points));
    }
    run.bytes = (800.0 * all.n_points) as u64;
    run
}

/// Unreduced bodies in implicit steps.
fn implicit(scenario: &Scenario, known: &[Known], time_step: f64) -> Run {
    let mut run = Run::default();
    let all = cells(scenario, known, true);
    let steps = scenario.simulation.end_time / time_step;
    let has_contact = !scenario.contact.is_empty();
    let iterations = Span { low: 3.0, expected: 6.0, high: if has_contact { 20.0 } else { 9.0 } };
    run.unknown = "the number of iterations of a step is not known".to_owned();
    run.push("iterations", iterations.times(steps), tangent(all.pairs) + factorised(&all));
    run.bytes = (100.0 * all.couplings + all.factor.map_or(0.0, |f| 150.0 * f.nonzeros)) as u64;
    run
}

/// The assembly and the factor with which linear unreduced bodies are solved, and the entries of that factor.
fn of_one_factor(scenario: &Scenario, known: &[Known]) -> (Run, Cells, f64) {
    let mut run = Run::default();
    let all = cells(scenario, known, true);
    run.push(
        "factorisations",
        Span::exact(1.0),
        assembly(all.point_functions, all.n_points) + factorised(&all),
    );
    let nonzeros = all.factor.map_or(0.0, |factor| factor.nonzeros);
    (run, all, nonzeros)
}

/// Unreduced linear bodies with contact as a complementarity problem.
fn complementarity(scenario: &Scenario, known: &[Known], time_step: f64) -> Run {
    let (mut run, all, nonzeros) = of_one_factor(scenario, known);
    run.push("steps", Span::exact(scenario.simulation.end_time / time_step), Work::sweeps(2e-9 * nonzeros));
    run.bytes = (100.0 * all.couplings + 20.0 * nonzeros) as u64;
    run
}

/// Equilibrium of unreduced bodies.
fn statics(scenario: &Scenario, known: &[Known], steps: usize) -> Run {
    let (mut run, all, nonzeros) = of_one_factor(scenario, known);
    let pairs = scenario.contact.len() as f64;
    run.push(
        "contacts",
        Span::within(pairs, 2.0),
        Work::sweeps(SOLUTIONS * 1e-10 * nonzeros) + Work::scalars(0.3),
    );
    run.push("load steps", Span::within(steps as f64, 2.0), grid_contact([40.0; 2], None) * 50.0);
    run.bytes = (100.0 * all.couplings + 10.0 * nonzeros) as u64;
    run
}

fn factorised(all: &Cells) -> Work {
    let Some(Factor { nonzeros, flops }) = all.factor else { return Work::default() };
    Work::products(flops / 30e9) + Work::sweeps(4e-9 * nonzeros)
}

/// Number of frames, without those at the begin and the end of contact.
pub(super) fn frames(scenario: &Scenario) -> f64 {
    match scenario.simulation.scheme.load_steps() {
        Some(steps) => steps as f64,
        None => scenario.simulation.end_time / scenario.simulation.output_every + 2.0,
    }
}

/// Frames of the result.
fn add_frames(scenario: &Scenario, known: &[Known], run: &mut Run) {
    let frames = frames(scenario);
    let contact = (scenario.output.contact_frames * scenario.contact.len()) as f64;
    let whole = |(spec, known): (&BodySpec, &Known)| -> f64 {
        let is_whole = !spec.rigid && !scenario.simulation.scheme.reduces_body(spec);
        let body = known.geometry.as_deref().filter(|_| is_whole);
        body.map_or(0.0, |body: &Body| 6.0 * body.n_points() as f64)
    };
    let values = scenario.body.iter().zip(known).map(whole).sum();
    let rows = [scenario.body.len(), scenario.joint.len(), scenario.contact.len()].map(|n| n as f64);
    run.push(FRAMES, Span { low: frames, expected: frames, high: frames + contact }, frame(rows, values));
}
