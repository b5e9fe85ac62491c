//! Geometric stiffness by forces of contact: columns that are pressed on their end faces beside closed forms
//! and Galerkin's method, and impacts of rods that bend.

use std::f64::consts::{PI, TAU};

use nalgebra::{SMatrix, SVector};

use crate::fixtures::{Chain, parse};

pub(crate) const LENGTH: f64 = 0.4;
pub(crate) const RADIUS: f64 = 0.005;
pub(crate) const YOUNG: f64 = 210e9;
pub(crate) const DENSITY: f64 = 7800.0;

/// E I \[N m²\].
pub(crate) fn bending() -> f64 {
    YOUNG * PI * RADIUS.powi(4) / 4.0
}

/// A rod in equilibrium whose end a rigid partner touches that is guided along the rod and pressed with a
/// force. Without Poisson's ratio a clamp is that of a beam.
///
/// * `across` — elements over the radius of the rod
fn pressed(force: f64, across: usize, reduce: &str, partner: &str, rest: &str) -> String {
    format!(
        r#"
[simulation]
start = "equilibrium"
end_time = 0.0
[material.m]
density = {DENSITY:?}
young = {YOUNG:?}
poisson = 0.0
[[body]]
name = "rod"
material = "m"
reduce = {{ {reduce}, modes = 12, stiffening = true }}
[body.make]
shape = "rod"
radius = {RADIUS:?}
length = {LENGTH:?}
degree = 3
elements = [16, {across}, {across}]
[[body]]
name = "ram"
material = "m"
rigid = true
{partner}
[[joint]]
kind = "prismatic"
between = ["ground", "ram:guide"]
axis = [1.0, 0.0, 0.0]
[[force]]
on = "ram:guide"
force = [{:?}, 0.0, 0.0]
{rest}"#,
        -force
    )
}

/// ω² of the lowest oscillation, negative beyond buckling \[1/s²\]. A run below buckling has no warning.
fn square(text: &str) -> f64 {
    let chain = Chain::new();
    let outcome = chain.solve(&parse(text, &[])).unwrap_or_else(|failed| panic!("{failed}"));
    let hz = chain.reader().modes().unwrap()[0].frequency;
    assert!(hz < 0.0 || outcome.warnings.is_empty(), "{:?}", outcome.warnings);
    (TAU * hz) * (TAU * hz.abs())
}

/// A plate presses on the whole end face of a rod on a pin: the face keeps its direction and slides. The rod
/// bends like a quarter of a sine, so that `ω² = ω₀² (1 − P/P_cr)`, `P_cr = π² E I/(4 L²)`. Springs of the
/// contact that give way to the turn of the face by 2/κ lower ω₀² and P_cr by this part alike, and
/// `ω₀² P/P_cr` not at all.
#[test]
fn a_column_that_a_plate_presses_loses_its_stiffness_up_to_buckling() {
    let plate = format!(
        "make = {{ shape = \"box\", size = [0.02, 0.04, 0.04] }}\nposition = [{LENGTH:?}, -0.02, -0.02]\n\
         [[body.marker]]\nname = \"guide\"\nat = [0.0, 0.02, 0.02]"
    );
    let rest = "[[joint]]\nkind = \"revolute\"\nbetween = [\"ground\", \"rod:start\"]\naxis = [0.0, 1.0, \
                0.0]\n[[contact]]\nbetween = [\"rod:end\", \"ram:west\"]\nlaw = { kind = \"penalty\", \
                stiffness = 1e13 }\ncompliance = \"body\"\n";
    let reduce = "attach = { start = \"mean\" }, interface = [\"end\"]";
    let buckling = PI * PI * bending() / (4.0 * LENGTH * LENGTH);
    let free = (PI / (2.0 * LENGTH)).powi(4) * bending() / (DENSITY * PI * RADIUS * RADIUS);
    let under = |part: f64| square(&pressed(part * buckling, 1, reduce, &plate, rest));
    let light = under(0.02);
    for part in [0.3, 0.6] {
        let (change, expected) = ((light - under(part)) / free, part - 0.02);
        println!("{part}: {change} {expected}");
        assert!((change / expected - 1.0).abs() < 5e-3, "{part}: {change} {expected}");
    }
    assert!(under(1.0) < 0.0);
}

/// ω² of a beam that is clamped at its start and pinned at its end under the force P, in units of E I/L² for
/// P and E I/(ρ A L⁴) for ω². A ball of radius R presses on the middle of its end face, which rolls on it:
/// the way of the ball by a deflection w is `R w′²/2 − ½ ∫ w′² dx`, w′ at the end.
fn on_a_ball(force: f64, radius: f64) -> f64 {
    const N: usize = 6;
    let (mut mass, mut stiffness) = (SMatrix::<f64, N, N>::zeros(), SMatrix::<f64, N, N>::zeros());
    // Polynomials x^k (1 − x), k from 2 on.
    let shape = |x: f64| {
        let terms = |k: usize| {
            let n = i32::try_from(k + 2).unwrap();
            let p = f64::from(n);
            [
                x.powi(n) - x.powi(n + 1),
                p * x.powi(n - 1) - (p + 1.0) * x.powi(n),
                p * (p - 1.0) * x.powi(n - 2) - (p + 1.0) * p * x.powi(n - 1),
            ]
        };
        [0, 1, 2].map(|of: usize| SVector::<f64, N>::from_fn(|k, _| terms(k)[of]))
    };
    let n = 2000;
    for i in 0..n {
        let [w, slope, bend] = shape((f64::from(i) + 0.5) / f64::from(n));
        let dx = 1.0 / f64::from(n);
        mass += dx * w * w.transpose();
        stiffness += dx * (bend * bend.transpose() - force * slope * slope.transpose());
    }
    let [_, slope, _] = shape(1.0);
    stiffness += force * radius / LENGTH * slope * slope.transpose();
    let root = mass.cholesky().unwrap().l();
    let half = root.solve_lower_triangular(&stiffness).unwrap();
    root.solve_lower_triangular(&half.transpose()).unwrap().symmetric_eigenvalues().min()
}

/// Contact on a half-space grid with friction that holds the end of the rod, up to 0.6 of its buckling load
/// of 20.19 E I/L².
#[test]
#[ignore = "1 min: friction on a half-space grid, in each iteration towards an equilibrium"]
fn a_clamped_rod_that_a_ball_presses_has_the_frequency_of_its_beam() {
    let (radius, reduce) = (0.004, "fix = [\"start\"], places = [\"end\"]");
    // The ball begins in the rod, by more than the lightest force presses it in.
    let ball = format!(
        "make = {{ shape = \"ball\", radius = {radius:?} }}\nposition = [{:?}, 0.0, 0.0]\n\
         [[body.marker]]\nname = \"guide\"\nat = [0.0, 0.0, 0.0]",
        LENGTH + radius - 1e-6
    );
    let contact = "[[contact]]\nbetween = [\"rod:end\", \"ram:surface\"]\ncompliance = \"half-space\"\n\
                   friction = 0.5\n";
    let unit = bending() / (LENGTH * LENGTH);
    let under = |force: f64| square(&pressed(force * unit, 3, reduce, &ball, contact));
    let light = under(0.2);
    assert!((on_a_ball(0.0, 0.0) / 237.72 - 1.0).abs() < 1e-4);
    for force in [6.0, 12.0] {
        let (ratio, expected) = (under(force) / light, on_a_ball(force, radius) / on_a_ball(0.2, radius));
        println!("{force}: {ratio} {expected}");
        assert!((ratio - expected).abs() < 5e-3, "{force}: {ratio} {expected}");
    }
}

/// Runs an impact on the end of a free rod that bends, and checks energy and both momenta.
fn keeps_energy_and_momenta(reduce: &str, rest: &str) {
    let text = format!(
        r#"
[simulation]
end_time = 1.5e-3
relative_tolerance = 1e-8
[material.m]
density = {DENSITY:?}
young = {YOUNG:?}
poisson = 0.3
[[body]]
name = "rod"
material = "m"
make = {{ shape = "rod", radius = {RADIUS:?}, length = {LENGTH:?}, degree = 3, elements = [16, 3, 3] }}
reduce = {{ {reduce}, modes = 8, stiffening = true }}
{rest}"#
    );
    let chain = Chain::new();
    let outcome = chain.solve(&parse(&text, &[])).unwrap_or_else(|failed| panic!("{failed}"));
    let ledger = &outcome.summary.ledger;
    println!("{ledger:?}");
    assert!(!chain.reader().contact_events().unwrap().is_empty());
    assert!(ledger.energy_error < 2e-8, "{ledger:?}");
    assert!(ledger.momentum_error < 1e-12 && ledger.ang_momentum_error < 1e-12, "{ledger:?}");
}

#[test]
fn a_flat_impact_of_a_bent_rod_keeps_energy_and_momenta() {
    let rest = format!(
        r#"
velocity = [2.0, 0.0, 0.0]
[[body]]
name = "wall"
material = "m"
rigid = true
make = {{ shape = "box", size = [0.02, 0.04, 0.04] }}
position = [{:?}, -0.02, -0.02]
[[contact]]
between = ["rod:end", "wall:west"]
compliance = "body"
rim = "warning"
[[force]]
on = "rod:end"
force = [0.0, 0.0, 300.0]
scale = "exp(-((t-1e-4)/3e-5)^2)"
"#,
        LENGTH + 6e-4
    );
    keeps_energy_and_momenta("interface = [\"end\"], split = 5e3", &rest);
}

#[test]
fn a_ball_that_hits_a_turning_rod_beside_its_axis_keeps_energy_and_momenta() {
    let rest = format!(
        r#"
angular_velocity = [0.0, 3.0, 0.0]
[[body]]
name = "ball"
material = "m"
rigid = true
make = {{ shape = "ball", radius = 0.01 }}
position = [{:?}, 0.0, 0.001]
velocity = [-5.0, 0.0, 0.0]
[[contact]]
between = ["rod:end", "ball:surface"]
compliance = "half-space"
"#,
        LENGTH + 0.01 + 1e-5
    );
    keeps_energy_and_momenta("places = [\"end\"]", &rest);
}
