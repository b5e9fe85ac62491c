//! Waves in a round rod: the first branch of Pochhammer's frequency equation, and the order of convergence.

use carom_continuum::explicit::{Problem, Settings, Simulation, Support};
use carom_dynamics::{ContactEvent, Frame, Observer, ObserverError};
use carom_fem::{Body, Geometry, Material};
use carom_mesh::make::{HexOptions, Solid, hexahedra};
use carom_progress::Silent;

use crate::setup::{at, deformable};

/// Radius and length of the rod \[m\]; ρ [kg/m³], E \[Pa\] and ν: bar waves of 1 m/s.
const RADIUS: f64 = 1.0;
const LENGTH: f64 = 8.0;
const POISSON: f64 = 0.3;

/// J_n(x) of order 0 or 1 by its power series; of −x² if `is_modified`. Arguments below 6 lose three digits
/// of sixteen.
fn bessel(order: i32, x: f64, is_modified: bool) -> f64 {
    let quarter = if is_modified { 1.0 } else { -1.0 } * x * x / 4.0;
    let mut term = (0.5 * x).powi(order);
    let mut sum = term;
    for k in 1..60 {
        term *= quarter / f64::from(k * (k + order));
        sum += term;
    }
    sum
}

/// x J_0(x)/J_1(x) for x² of either sign.
fn ratio(squared: f64) -> f64 {
    let (x, is_modified) = (squared.abs().sqrt(), squared < 0.0);
    x * bessel(0, x, is_modified) / bessel(1, x, is_modified)
}

/// Pochhammer's frequency equation of longitudinal waves, divided by p a J_1(p a) J_1(q a): zero on a branch.
///
/// ```text
/// 2 p/a (q² + k²) J_1(pa) J_1(qa) − (q² − k²)² J_0(pa) J_1(qa) − 4 k² p q J_1(pa) J_0(qa) = 0
/// p² = ω²/c_L² − k²,   q² = ω²/c_T² − k²
/// ```
fn frequency_equation(c: f64, k: f64) -> f64 {
    let lateral = 1.0 / (2.0 * (1.0 + POISSON));
    let longitudinal = (1.0 - POISSON) / ((1.0 + POISSON) * (1.0 - 2.0 * POISSON));
    let (p2, q2) = (k * k * (c * c / longitudinal - 1.0), k * k * (c * c / lateral - 1.0));
    let a2 = RADIUS * RADIUS;
    2.0 * (q2 + k * k) * p2 * a2
        - (q2 - k * k).powi(2) * a2 * ratio(p2 * a2)
        - 4.0 * k * k * p2 * a2 * ratio(q2 * a2)
}

/// Phase speed of the first branch at a wave number: the bar wave, slowed by the lateral motion \[m/s\].
fn phase_speed(k: f64) -> f64 {
    // Where p vanishes, above the bar wave, is a root that is none of the branch.
    let (mut low, mut high) = (0.6, 1.0 + 1e-9);
    let sign = |c: f64| frequency_equation(c, k) > 0.0;
    let at_low = sign(low);
    assert_ne!(at_low, sign(high), "one root in between");
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if sign(middle) == at_low { low = middle } else { high = middle }
    }
    0.5 * (low + high)
}

/// Rayleigh's correction of the bar wave, c = 1 − ν² k² a²/4, is the limit of long waves.
#[test]
fn the_first_branch_has_rayleighs_correction_for_long_waves() {
    for k in [0.02, 0.05] {
        let rayleigh = 1.0 - (POISSON * k * RADIUS).powi(2) / 4.0;
        assert!((phase_speed(k) - rayleigh).abs() < (k * RADIUS).powi(4), "{k}");
    }
}

/// Amplitudes of standing waves along the rod in all frames.
struct Amplitudes {
    /// Coordinate along the rod and mass of each point.
    points: Vec<[f64; 2]>,
    numbers: Vec<f64>,
    rows: Vec<(f64, Vec<f64>)>,
}

impl Observer for Amplitudes {
    fn frame(&mut self, frame: &Frame<'_>) -> Result<(), ObserverError> {
        let along = frame.bodies[0].modal.iter().step_by(3);
        let mut row = vec![0.0; self.numbers.len()];
        for (u, [x, weight]) in along.zip(&self.points) {
            for (sum, k) in row.iter_mut().zip(&self.numbers) {
                *sum += weight * u * (k * x).sin();
            }
        }
        self.rows.push((frame.time, row));
        Ok(())
    }

    fn contact_event(&mut self, _: &ContactEvent) -> Result<(), ObserverError> {
        Ok(())
    }
}

/// Angular frequency of an oscillation that begins at zero, near a guess: that of the sine that fits best
/// under Hann's window, which suppresses other modes of the same length along the rod.
fn frequency(rows: &[(f64, Vec<f64>)], which: usize, guess: f64) -> f64 {
    let end = rows.last().unwrap().0;
    let fit = |omega: f64| {
        let (mut with, mut own) = (0.0, 0.0);
        for (time, row) in rows {
            let weight = (std::f64::consts::PI * time / end).sin().powi(2);
            let sine = (omega * time).sin();
            with += weight * sine * row[which];
            own += weight * sine * sine;
        }
        with * with / own
    };
    let (mut low, mut high) = (0.94 * guess, 1.02 * guess);
    for _ in 0..60 {
        let (a, b) = (low + (high - low) / 3.0, high - (high - low) / 3.0);
        if fit(a) < fit(b) { low = a } else { high = b }
    }
    0.5 * (low + high)
}

/// The ends of a rod in motion are stopped along its axis and free across: each standing wave sin(n π x/L)
/// oscillates with its own frequency. Those of odd n begin, with amplitudes in proportion to 1/n.
fn frequencies(cells: [usize; 3], numbers: &[f64]) -> Vec<f64> {
    let options = HexOptions { elements: cells.to_vec(), ..HexOptions::default() };
    let mesh = hexahedra(Solid::Rod { radius: RADIUS, length: LENGTH }, &options).unwrap();
    let places: Vec<f64> = mesh.points.iter().map(|x| x[0]).collect();
    let body = Body {
        name: "rod".to_owned(),
        geometry: Geometry::Mesh(mesh),
        materials: vec![Material::new("material", 1.0, 1.0, POISSON).unwrap()],
        material_of_block: vec![0],
        sections: Vec::new(),
    };
    let lumped = carom_fem::LumpedMass::new(
        &carom_fem::Discretisation::new(&body).unwrap(),
        carom_fem::QuadratureRule::Default,
    );
    let masses = lumped.unwrap().points;
    let support = |set: &str| Support {
        body: 0,
        set: set.to_owned(),
        directions: [true, false, false],
        rotations: [false; 3],
        displacement: [0.0; 3],
    };
    let problem = Problem {
        bodies: vec![deformable(body, "small-strain", at([0.0; 3], [1e-3, 0.0, 0.0]))],
        supports: ["start", "end"].map(support).to_vec(),
        ..Problem::default()
    };
    let settings = Settings { output_every: 0.05, ..Settings::until(60.0) };
    let points = places.iter().zip(&masses).map(|(x, m)| [*x, *m]).collect();
    let mut kept = Amplitudes { points, numbers: numbers.to_vec(), rows: Vec::new() };
    Simulation::new(&problem, settings).unwrap().run(&mut kept, &Silent).unwrap();
    (0..numbers.len())
        .map(|which| frequency(&kept.rows, which, numbers[which] * phase_speed(numbers[which])))
        .collect()
}

/// Relative errors of the phase speeds of waves of 16, 5.3 and 3.2 radii, down to 0.86 of that of the bar, on
/// two meshes of which the second has halved cells and steps.
fn errors(coarse: [usize; 3]) -> [[f64; 3]; 2] {
    let numbers = [1.0, 3.0, 5.0].map(|n| n * std::f64::consts::PI / LENGTH);
    [coarse, coarse.map(|n| 2 * n)].map(|cells| {
        let found = frequencies(cells, &numbers);
        [0, 1, 2].map(|i| found[i] / numbers[i] / phase_speed(numbers[i]) - 1.0)
    })
}

/// The error is `a h² + b h⁴`: it falls by 4 as cells and steps are halved, but for `3 b/a h²` of the finer
/// mesh. Cells of half a radius have a tenth for that term.
#[test]
fn waves_in_a_round_rod_converge_to_pochhammers_equation() {
    let [coarse, fine] = errors([16, 2, 1]);
    println!("errors of the phase speeds: {coarse:.4?}, {fine:.4?}");
    for (coarse, fine) in coarse.iter().zip(fine) {
        let ratio = coarse / fine;
        assert!((3.4..4.2).contains(&ratio), "{ratio}: {coarse} {fine}");
        // Without the term of second order.
        assert!((4.0 * fine - coarse).abs() < 0.2 * 3.0 * fine.abs(), "{coarse} {fine}");
    }
}

#[test]
#[ignore = "1 minute: a rod of 20 000 cells"]
fn waves_in_a_round_rod_converge_with_order_two() {
    let [coarse, fine] = errors([32, 4, 2]);
    for (coarse, fine) in coarse.iter().zip(fine) {
        let order = (coarse / fine).log2();
        assert!((1.94..2.0).contains(&order), "{order}: {coarse} {fine}");
    }
}
