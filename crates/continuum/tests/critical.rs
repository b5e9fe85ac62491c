//! The critical step of cells with many points, whose bounds are evaluated only as the cells change.

use carom_continuum::explicit::{Problem, Simulation};
use carom_dynamics::Placement;
use carom_fem::constitutive::{ElasticLaw, ElasticModuli, SolidLaw};
use carom_fem::internal_force::{InternalForce, PointRule, element_frequencies};
use carom_fem::{Discretisation, LumpedMass, Material, QuadratureRule};
use carom_progress::Silent;

use crate::bodies;
use crate::motion::Saved;
use crate::setup::{Kept, run, settings, with_law};

/// A quarter of a ring that turns so fast that it is stretched by several hundredths, and swings.
fn ring(p: usize, spin: f64) -> Problem {
    let mut body = bodies::quarter_ring(p, 2);
    body.materials = vec![Material::new("rubber", 1000.0, 1e6, 0.4).unwrap()];
    let law = ElasticLaw::named("neo-hookean", ElasticModuli::of(&body.materials[0])).unwrap();
    let placement = Placement { angular_velocity: [0.0, 0.0, spin], ..Placement::default() };
    Problem { bodies: vec![with_law(body, SolidLaw::Elastic(law), placement)], ..Problem::default() }
}

/// The bound that is evaluated anew at each frame is never below the steps.
#[test]
fn kept_bounds_stay_stable() {
    for p in [2, 4] {
        for spin in [1.0, 12.0] {
            let problem = ring(p, spin);
            let (simulation, kept) = run(&problem, settings(2.0, None));
            let body = &problem.bodies[0].geometry;
            let d = Discretisation::new(body).unwrap();
            let law = [ElasticLaw::named("neo-hookean", ElasticModuli::of(&body.materials[0])).unwrap()];
            let mut internal = InternalForce::new(&d, PointRule::default()).unwrap();
            let mass = LumpedMass::new(&d, QuadratureRule::Default).unwrap();
            let history = internal.history(&law);
            let [_, _, dt] = simulation.step_sizes();
            let critical = |u: &Vec<Vec<f64>>| {
                element_frequencies(&mut internal, &law, &u[0], &history, &mass).unwrap().critical_step()
            };
            let frames = kept.displacements.iter().step_by(10);
            let steps: Vec<f64> = frames.map(critical).collect();
            let [least, most] = [f64::min, f64::max].map(|pick| steps.iter().copied().reduce(pick).unwrap());
            println!(
                "p = {p}, {spin} rad/s: {} steps of {dt:.3e} s, critical {least:.3e} s to {most:.3e} s",
                simulation.n_steps()
            );
            assert!(dt < least, "{dt} {least}");
            assert!(spin < 2.0 || most > 1.01 * least, "it swings: {least} {most}");
        }
    }
}

/// Bounds and the state at which they were found are part of a checkpoint.
#[test]
fn a_resumed_run_keeps_the_bounds() {
    let problem = ring(2, 12.0);
    let (_, whole) = run(&problem, settings(0.6, None));
    let mut saved = Saved::default();
    Simulation::new(&problem, settings(0.6, None)).unwrap().run(&mut saved, &Silent).unwrap();
    let mut second = Simulation::new(&problem, settings(0.6, None)).unwrap();
    second.resume(&saved.checkpoint.unwrap()).unwrap();
    let mut rest = Kept::default();
    second.run(&mut rest, &Silent).unwrap();
    assert!(rest.rows.len() < whole.rows.len());
    assert_eq!(rest.displacements.last(), whole.displacements.last());
}
