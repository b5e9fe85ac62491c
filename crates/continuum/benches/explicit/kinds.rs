//! Steps of single bodies: kinds of elements, growth, threads.

use carom_fem::internal_force::{InternalForce, PointRule, element_frequencies};
use carom_fem::{Body, Discretisation, LumpedMass, QuadratureRule};
use carom_mesh::CellShape;
use carom_testing::clock::timed;

use crate::bodies;
use crate::cost::Cost;
use crate::machine::Machine;
use crate::problems::{cube, deformable, spinning};
use crate::steps::{cpu_of_step, displacements, wall_of_step};
use carom_continuum::explicit::BodyKind;

/// Prints elements per second of each kind, with the shares of what the machine can do.
pub(crate) fn kinds(machine: &Machine) {
    let mesh = |shape, n| bodies::block(shape, n, |x| bodies::distort(x, 0.01));
    let default = PointRule::default();
    let cases: Vec<(&str, Body, PointRule)> = vec![
        ("hex8", mesh(CellShape::Hex8, 36), default),
        ("hex8, mean dilatation", mesh(CellShape::Hex8, 36), PointRule::MeanDilatation),
        ("hex8, one point", mesh(CellShape::Hex8, 36), PointRule::OnePoint),
        ("tet4", mesh(CellShape::Tet4, 24), default),
        ("tet10", mesh(CellShape::Tet10, 12), default),
        ("wedge6", mesh(CellShape::Wedge6, 28), default),
        ("hex20", mesh(CellShape::Hex20, 14), default),
        ("hex27", mesh(CellShape::Hex27, 14), default),
        ("NURBS p = 2", bodies::quarter_ring(2, 16), default),
        ("NURBS p = 3", bodies::quarter_ring(3, 12), default),
        ("NURBS p = 4", bodies::quarter_ring(4, 9), default),
    ];
    println!(
        "| element | elements | dof | µs a step and element | 1e6 elements a second | 1e6 points a second | \
         GFLOP/s | of the peak | GB/s | of the triad | of the bound | critical step, in steps |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|---|");
    for (name, body, rule) in cases {
        let discretisation = Discretisation::new(&body).expect("the body is sound");
        let internal = InternalForce::new(&discretisation, rule).expect("the cells are sound");
        let n_quadrature = internal.n_quadrature_points();
        let cost = Cost::of(&body, n_quadrature);
        let critical = critical(&discretisation, internal, &body, rule);
        let seconds = cpu_of_step(&spinning(body, rule));
        println!(
            "| {name} | {} | {} | {:.3} | {:.2} | {:.1} | {} | {:.0} |",
            cost.n_cells,
            cost.n_dofs,
            1e6 * seconds / cost.n_cells as f64,
            1e-6 * cost.n_cells as f64 / seconds,
            1e-6 * n_quadrature as f64 / seconds,
            // The loops over points that are coupled in a cell are not counted.
            if rule == default { shares(&cost, seconds, machine) } else { "| | | | ".to_owned() },
            critical / seconds,
        );
    }
    println!();
}

/// Rates with their shares of those of the machine, and the larger share.
fn shares(cost: &Cost, seconds: f64, machine: &Machine) -> String {
    let rates = [cost.operations / seconds, cost.bytes / seconds];
    let shares = [rates[0] / machine.operations, rates[1] / machine.bytes];
    format!(
        "{:.1} | {:.0} % | {:.1} | {:.0} % | {:.0} %",
        1e-9 * rates[0],
        100.0 * shares[0],
        1e-9 * rates[1],
        100.0 * shares[1],
        100.0 * shares[0].max(shares[1])
    )
}

/// CPU seconds of the element frequencies.
fn critical(d: &Discretisation, mut internal: InternalForce, body: &Body, rule: PointRule) -> f64 {
    let spec = deformable(body.clone(), rule, carom_dynamics::Placement::default());
    let BodyKind::Deformable { laws, .. } = spec.kind else { return 0.0 };
    let mass = LumpedMass::new(d, QuadratureRule::Default).expect("the cells are sound");
    let history = internal.history(&laws);
    let u = vec![0.0; d.n_dofs()];
    let mut turn = || {
        timed(|| element_frequencies(&mut internal, &laws, &u, &history, &mass).expect("no cell is inverted"))
            .1
            .cpu
    };
    turn().min(turn())
}

/// Prints the time of a step of cubes of hex8 from 1e3 to 1e6 elements.
pub(crate) fn growth() {
    println!("| hex8 | dof | ms a step | µs a step and element | 1e6 elements a second |");
    println!("|---|---|---|---|---|");
    for n in [10, 22, 46, 100] {
        let seconds = cpu_of_step(&spinning(cube("cube", n), PointRule::default()));
        let n_cells = (n * n * n) as f64;
        println!(
            "| {n_cells} | {} | {:.3} | {:.3} | {:.2} |",
            3 * (n + 1_usize).pow(3),
            1e3 * seconds,
            1e6 * seconds / n_cells,
            1e-6 * n_cells / seconds
        );
    }
    println!();
}

/// Prints the time of a step on the wall with one and two threads, and compares the bits of runs.
pub(crate) fn threads() {
    const N: usize = 46;
    const STEPS: u64 = 20;
    let problem = spinning(cube("cube", N), PointRule::default());
    let [one, two] = [1, 2].map(|n| crate::pool(n).install(|| wall_of_step(&problem)));
    let runs = [1, 2, 8].map(|n| crate::pool(n).install(|| displacements(&problem, STEPS)));
    let same = runs.iter().all(|run| run.iter().zip(&runs[0]).all(|(a, b)| a.to_bits() == b.to_bits()));
    println!(
        "hex8, {} elements: {:.3} ms a step on the wall with one thread, {:.3} with two ({:.2} times)",
        N.pow(3),
        1e3 * one,
        1e3 * two,
        one / two
    );
    println!(
        "{STEPS} steps with 1, 2 and 8 threads: the displacements have {} bits\n",
        if same { "the same" } else { "DIFFERENT" }
    );
    assert!(same, "sums have a fixed order");
}

/// Prints the CPU seconds of a step of the cube of `in_calculix.py`.
pub(crate) fn beside_calculix(n: usize) {
    for (name, rule) in [("C3D8", PointRule::default()), ("C3D8R", PointRule::OnePoint)] {
        let seconds = cpu_of_step(&spinning(cube("cube", n), rule));
        println!("{n}³ {name}: {:.3} µs a step and element", 1e6 * seconds / n.pow(3) as f64);
    }
}
