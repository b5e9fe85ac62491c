//! Contact of the implicit schemes: momenta, energy and its jumps, gaps.

use std::sync::Arc;

use carom_continuum::implicit::{ContactSpec, ElasticBody, Elastodynamics, Energies, Method, Step};
use carom_dynamics::Placement;
use carom_fem::Body;
use carom_fem::constitutive::{ElasticLaw, ElasticModuli, SolidLaw};
use nalgebra::Vector3;

use crate::setup::block;

const RUBBER: [f64; 3] = [1000.0, 1e5, 0.3];

fn elastic(body: &Body, placement: &Placement) -> ElasticBody {
    let law = ElasticLaw::named("neo-hookean", ElasticModuli::of(&body.materials[0])).unwrap();
    ElasticBody::new(&Arc::new(body.clone()), placement, &[SolidLaw::Elastic(law)]).unwrap()
}

/// A small block flies onto a large one, off its centre and turning; the meshes do not match.
fn collision(method: Method) -> Elastodynamics {
    let large = block("large", [0.4, 0.4, 0.1], [4, 4, 2], RUBBER);
    let small = block("small", [0.15, 0.15, 0.1], [2, 2, 2], RUBBER);
    let below = elastic(&large, &Placement::default());
    let flight = Placement {
        origin: [0.06, 0.17, 0.101],
        velocity: [0.4, 0.1, -1.5],
        angular_velocity: [0.3, -0.5, 2.0],
        ..Placement::default()
    };
    let above = elastic(&small, &flight);
    let contact = ContactSpec { bodies: [1, 0], sets: ["bottom".to_owned(), "top".to_owned()] };
    Elastodynamics::new(vec![below, above], method).unwrap().with_contacts(&[contact]).unwrap()
}

struct Run {
    start: Energies,
    /// After each step.
    steps: Vec<(Step, Energies)>,
}

fn run(system: &mut Elastodynamics, h: f64, steps: usize) -> Run {
    let start = system.energies().unwrap();
    let taken = (0..steps).map(|_| (system.step(h).unwrap(), system.energies().unwrap()));
    Run { start, steps: taken.collect() }
}

impl Run {
    /// Largest changes of momentum and angular momentum, relative to those of the small block.
    fn momenta(&self) -> [f64; 2] {
        let drift = |of: fn(&Energies) -> [f64; 3]| {
            let size = Vector3::from(of(&self.start)).norm();
            let change = |now: &Energies| (Vector3::from(of(now)) - Vector3::from(of(&self.start))).norm();
            self.steps.iter().map(|(_, now)| change(now) / size).fold(0.0, f64::max)
        };
        [drift(|e| e.momentum), drift(|e| e.ang_momentum)]
    }

    /// Largest error of the balance of a step, relative to the energy at the start.
    fn balance(&self) -> f64 {
        let mut before = self.start.total();
        let mut most = 0.0_f64;
        for (step, now) in &self.steps {
            most = most.max((now.total() - before - step.contact_work).abs() / self.start.total());
            before = now.total();
        }
        most
    }
}

#[test]
fn an_impact_keeps_momenta_and_the_work_of_contact_is_the_change_of_energy() {
    let mut system = collision(Method::EnergyMomentum);
    let run = run(&mut system, 1e-3, 60);
    let touching = run.steps.iter().filter(|(step, _)| step.touching > 0).count();
    assert!((10..50).contains(&touching), "{touching} steps in contact");
    assert_eq!(run.steps.last().unwrap().0.touching, 0, "the blocks separate");
    let [momentum, ang_momentum] = run.momenta();
    assert!(momentum < 1e-12 && ang_momentum < 1e-12, "{momentum} {ang_momentum}");
    assert!(run.balance() < 1e-12, "{}", run.balance());
    // The work of the impact has turned the small block round.
    let up = system.bodies()[1].velocities().as_chunks::<3>().0.iter().map(|v| v[2]).sum::<f64>();
    assert!(up > 0.0, "{up}");
}

#[test]
fn the_midpoint_rule_keeps_momenta_and_not_the_energy() {
    let mut system = collision(Method::Midpoint);
    let run = run(&mut system, 1e-3, 60);
    let [momentum, ang_momentum] = run.momenta();
    assert!(momentum < 1e-12 && ang_momentum < 1e-12, "{momentum} {ang_momentum}");
    assert!(run.balance() > 1e-6, "{}", run.balance());
}
