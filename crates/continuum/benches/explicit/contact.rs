//! The share of the contact in a step: two cubes pressed on each other.

use carom_contact::Law;
use carom_continuum::explicit::{ContactSpec, Problem, SideSpec, Support};
use carom_dynamics::Placement;
use carom_fem::internal_force::PointRule;

use crate::problems::{cube, deformable};
use crate::steps::{cpu_of_contact, cpu_of_step};

/// Speed at which the far faces approach \[m/s\].
const SPEED: f64 = 2.0;

/// Prints the time of a step with and without contact.
pub(crate) fn share() {
    println!(
        "| cubes | nodes of both faces | law | ms a step | without contact | share of the contact | µs \
         a node | multipliers | iterations a multiplier |"
    );
    println!("|---|---|---|---|---|---|---|---|---|");
    for n in [[8, 8], [16, 16], [16, 13], [32, 32]] {
        let bare = cpu_of_step(&problem(n, &[]));
        for (name, law, friction) in [
            ("multipliers", Law::Hard, 0.0),
            ("multipliers, friction 0.3", Law::Hard, 0.3),
            ("penalty", Law::per_point(1e8), 0.0),
        ] {
            let [seconds, multipliers, iterations] = cpu_of_contact(&problem(n, &[contact(law, friction)]));
            let nodes: usize = n.iter().map(|n| (n + 1) * (n + 1)).sum();
            println!(
                "| {}³ and {}³ | {nodes} | {name} | {:.3} | {:.3} | {:.0} % | {:.2} | {multipliers:.0} | \
                 {iterations:.2} |",
                n[0],
                n[1],
                1e3 * seconds,
                1e3 * bare,
                100.0 * (1.0 - bare / seconds),
                1e6 * (seconds - bare) / nodes as f64
            );
        }
    }
    println!();
}

fn contact(law: Law, friction: f64) -> ContactSpec {
    let sides = ["east", "west"].map(|set| SideSpec::Set(set.to_owned()));
    ContactSpec { number: 0, bodies: [0, 1], sides, law, friction }
}

/// Two cubes side by side, the far face of the second at rest, that of the first on its way into it.
fn problem(n: [usize; 2], contacts: &[ContactSpec]) -> Problem {
    let body = |k: usize, x: f64, speed: f64| {
        let placement =
            Placement { origin: [x, 0.0, 0.0], velocity: [speed, 0.0, 0.0], ..Placement::default() };
        deformable(cube(["left", "right"][k], n[k]), PointRule::default(), placement)
    };
    let support = |body: usize, set: &str, way: f64| Support {
        body,
        set: set.to_owned(),
        directions: [true, true, true],
        rotations: [false; 3],
        displacement: [way, 0.0, 0.0],
    };
    Problem {
        bodies: vec![body(0, -0.5, SPEED), body(1, 0.5, 0.0)],
        // The settings of all runs end after a second.
        supports: vec![support(0, "west", SPEED), support(1, "east", 0.0)],
        contacts: contacts.to_vec(),
        ..Problem::default()
    }
}
