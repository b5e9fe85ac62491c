//! Energies and momenta of single bodies against the ledger and closed forms.

use crate::probes::hinged;
use carom_dynamics::{
    BodyBalance, ContactEvent, Frame, Loads, Observer, ObserverError, Placement, ProbeQuantity, ProbeSample,
};
use carom_integrate::{IntegratorKind, Method};
use carom_multibody::{Body, Probe, ProbePlace, Settings, Simulation, System};
use carom_progress::Silent;
use nalgebra::{Matrix3, Vector3};

/// Energies and momenta of the bodies add up to those of the ledger, with the energy of a spring, in frames
/// and as samples of probes on whole bodies.
#[test]
fn energies_and_momenta_of_bodies_add_up_to_the_ledger() {
    #[derive(Default)]
    struct Sums {
        largest: [f64; 2],
        frames: usize,
        samples: Vec<Vec<[f64; 3]>>,
        last: Vec<BodyBalance>,
    }
    impl Observer for Sums {
        fn frame(&mut self, frame: &Frame<'_>) -> Result<(), ObserverError> {
            let balance = &frame.ledger.balance;
            self.last = frame.bodies.iter().map(|body| body.balance.unwrap()).collect();
            let energy: f64 = self.last.iter().map(|body| body.e_kin + body.e_el).sum();
            let known = balance.e_kin + balance.e_el;
            let of = |vector: fn(&BodyBalance) -> [f64; 3]| {
                self.last.iter().map(|body| Vector3::from(vector(body))).sum::<Vector3<f64>>()
            };
            let momentum = of(|body| body.momentum) - Vector3::from(balance.momentum);
            let spin = of(|body| body.ang_momentum) - Vector3::from(balance.ang_momentum);
            let sizes = [balance.momentum_scale, balance.ang_momentum_scale].map(|size| size.max(1.0));
            let [e, p] = &mut self.largest;
            *e = e.max((energy - known).abs() / known.max(1e-300));
            *p = p.max(momentum.norm() / sizes[0]).max(spin.norm() / sizes[1]);
            self.frames += 1;
            Ok(())
        }
        fn contact_event(&mut self, _: &ContactEvent) -> Result<(), ObserverError> {
            Ok(())
        }
        fn probe(&mut self, sample: &ProbeSample<'_>) -> Result<(), ObserverError> {
            self.samples.push(sample.values.to_vec());
            Ok(())
        }
    }
    let (simulation, _) = hinged(IntegratorKind::RungeKutta(Method::Dop853));
    let probes = (0..simulation.system.bodies().len())
        .map(|body| Probe {
            place: ProbePlace::Body(body),
            quantities: ProbeQuantity::OF_BODIES.to_vec(),
            every: None,
        })
        .collect();
    let mut simulation = simulation.with_probes(probes).unwrap();
    let mut sums = Sums::default();
    simulation.run(&mut sums, &Silent).unwrap();
    assert!(sums.frames > 1 && sums.largest.iter().all(|error| *error < 1e-14), "{:?}", sums.largest);
    let n = sums.last.len();
    for (body, samples) in sums.last.iter().zip(&sums.samples[sums.samples.len() - n..]) {
        let numbers = [body.e_kin, body.e_el, body.e_pot];
        assert_eq!([samples[0][0], samples[1][0], samples[2][0]], numbers);
        assert_eq!([samples[3], samples[4]], [body.momentum, body.ang_momentum]);
    }
    // The closed form of one rigid body: ½ m v² + ½ ω·I ω, m g z.
    let (mass, g) = (2.0, 9.81);
    let body = Body::rigid("block", mass, Matrix3::from_diagonal_element(0.03), Vector3::zeros()).unwrap();
    let loads = Loads { gravity: [0.0, 0.0, -g], ..Loads::default() };
    let system = System::new(vec![body], loads, Vec::new()).unwrap();
    let start = Placement {
        origin: [1.0, 2.0, 3.0],
        velocity: [1.0, 0.0, 2.0],
        angular_velocity: [0.0, 4.0, 0.0],
        ..Placement::default()
    };
    let mut simulation = Simulation::new(system, &[start], Settings::until(0.5)).unwrap();
    let mut sums = Sums::default();
    simulation.run(&mut sums, &Silent).unwrap();
    let (z, v) = (3.0 + 1.0 - 0.125 * g, 2.0 - 0.5 * g);
    let found = sums.last[0];
    let kinetic = 0.5 * mass * (1.0 + v * v) + 0.5 * 0.03 * 16.0;
    assert!((found.e_kin / kinetic - 1.0).abs() < 1e-9, "{found:?} {kinetic}");
    assert!((found.e_pot / (mass * g * z) - 1.0).abs() < 1e-9, "{found:?}");
    let spin = Vector3::new(1.5, 2.0, z).cross(&Vector3::new(mass, 0.0, mass * v)) + 0.12 * Vector3::y();
    let off: Vector3<f64> = Vector3::from(found.ang_momentum) - spin;
    assert!(off.norm() < 1e-8, "{found:?} {spin}");
}
