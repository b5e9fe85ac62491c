//! Runs beyond linear theory report the figure that exceeds its limit; runs within it report nothing.

use carom_simulate::RunOutcome;

use crate::fixtures::solve;

/// The figure in the warning about `what`, if there is one.
fn figure(outcome: &RunOutcome, what: &str) -> Option<f64> {
    let text = outcome.warnings.iter().find(|text| text.contains(what))?;
    let rest = text.split(what).nth(1).unwrap();
    Some(rest.trim_start().split(',').next().unwrap().parse().unwrap())
}

const DEFLECTION: &str = "deflection over length";
const ROTATION: &str = "rotation against its frame [rad]";
const RATE: &str = "angular rate over its first frequency as it is held";
const AXIAL: &str = "axial force over buckling load";

/// The beam of the Princeton experiment, 508 x 12.7 x 3.175 mm of aluminium 7075, clamped, with a load at its
/// end that comes on in `rise` seconds.
fn princeton(force: &str) -> String {
    format!(
        "[simulation]\nscheme = \"dynamic\"\nend_time = 0.5\nintegrator = \"generalised-alpha\"\n\
         spectral_radius = 0.8\nrelative_tolerance = 1.0e-4\noutput_every = 0.01\n[material.al7075]\ndensity \
         = 2810.0\nyoung = 71.7e9\npoisson = 0.33\n[[body]]\nname = \"beam\"\nmake = \
         {{ shape = \"box\", size = [0.508, 0.0127, 0.003175], degree = 3, elements = [12, 1, 1] }}\n\
         material = \"al7075\"\nreduce = {{ fix = [\"west\"], attach = {{ east = \"rigid\" }}, modes = 8 }}\n\
         [[force]]\non = \"beam:east\"\nforce = {force}\nscale = \"0.5*(1-cos(pi*min(t, 0.4)/0.4))\"\n"
    )
}

/// The elastica gives 200.7 mm, linear theory 240.1 mm.
#[test]
fn a_beam_that_bends_by_half_its_length_is_reported() {
    let outcome = solve(&princeton("[0.0, 0.0, -13.345]")).unwrap();
    let deflection = figure(&outcome, DEFLECTION).unwrap();
    assert!((deflection / (0.2401 / 0.508) - 1.0).abs() < 0.03, "{deflection}");
    // The end of a cantilever turns by 3/2 δ/L.
    let rotation = figure(&outcome, ROTATION).unwrap();
    assert!((rotation / (1.5 * deflection) - 1.0).abs() < 0.03, "{rotation}");
    let text = outcome.warnings.iter().find(|text| text.contains(DEFLECTION)).unwrap();
    assert!(
        text.contains("body `beam`") && text.contains("limit 1.00e-1") && text.contains("5 or more bodies"),
        "{text}"
    );
}

/// 15 mm of 508 mm in the stiff direction: the error of linear theory is a thousandth.
#[test]
fn a_beam_that_bends_little_is_not_reported() {
    let outcome = solve(&princeton("[0.0, -13.345, 0.0]")).unwrap();
    assert!(outcome.warnings.is_empty(), "{:#?}", outcome.warnings);
}

/// One turn of a flexible slider-crank from the stretched position.
pub(crate) const SLIDER_CRANK: &str = r#"
[simulation]
scheme = "dynamic"
integrator = "generalised-alpha"
relative_tolerance = 1.0e-4
end_time = 0.045
output_every = 1.0e-3

[material.rod]
density = 7870.0
young = 200e9
poisson = 0.3

[[body]]
name = "crank"
make = { shape = "rod", radius = 0.01, length = 0.15 }
material = "rod"
rigid = true

[[body]]
name = "rod"
make = { shape = "rod", radius = 0.003, length = 0.3, elements = [20, 1, 1] }
material = "rod"
reduce = { attach = { start = "rigid", end = "rigid" }, modes = 8 }
position = [0.15, 0.0, 0.0]

[[body]]
name = "slider"
make = { shape = "plate", size = [0.02, 0.02, 0.02] }
material = "rod"
rigid = true
mass_properties = { mass = 0.033375, inertia = [1.0e-6, 1.0e-6, 1.0e-6] }
position = [0.45, 0.0, 0.0]

[[body.marker]]
name = "pin"
at = [0.0, 0.0, 0.0]

[[joint]]
kind = "revolute"
between = ["ground", "crank:start"]
axis = [0.0, 1.0, 0.0]
motion = "150*t"

[[joint]]
kind = "revolute"
between = ["crank:end", "rod:start"]
axis = [0.0, 1.0, 0.0]

[[joint]]
kind = "revolute"
between = ["rod:end", "slider:pin"]
axis = [0.0, 1.0, 0.0]

[[joint]]
kind = "prismatic"
between = ["ground", "slider:pin"]
axis = [1.0, 0.0, 0.0]
"#;

/// Modes without the axial force deflect by 21 % too much.
#[test]
fn a_rod_stiffened_by_its_axial_force_is_reported() {
    let outcome = solve(SLIDER_CRANK).unwrap();
    let rho = figure(&outcome, AXIAL).unwrap();
    assert!(rho > 0.18 && rho < 0.27, "{rho}");
    assert!(outcome.warnings.iter().all(|text| text.starts_with("body `rod`")), "{:#?}", outcome.warnings);
    // At a tenth of the speed the forces are a hundredth of these and ρ is some 0.3 %.
    let slow = SLIDER_CRANK.replace("150*t", "15*t");
    let outcome = solve(&slow).unwrap();
    assert!(outcome.warnings.is_empty(), "{:#?}", outcome.warnings);
}

/// The beam of Wu and Haug (the same EI/ρA and length, first clamped frequency 2.91 rad/s) on a hub that is
/// spun up to `rate`.
fn spin_up(rate: f64, end: f64) -> String {
    format!(
        "[simulation]\nscheme = \"dynamic\"\nintegrator = \"generalised-alpha\"\nrelative_tolerance = \
         1.0e-4\nend_time = {end:?}\noutput_every = 0.1\n[material.beam]\ndensity = 2766.67\nyoung = \
         6.8952e10\npoisson = 0.3\n[[body]]\nname = \"beam\"\nmake = \
         {{ shape = \"box\", size = [8.0, 0.03676, 0.05], degree = 3, elements = [16, 1, 1] }}\nmaterial = \
         \"beam\"\nreduce = {{ attach = {{ west = \"rigid\", east = \"rigid\" }}, modes = 8 }}\n[[joint]]\n\
         kind = \"revolute\"\nbetween = [\"ground\", \"beam:west\"]\naxis = [0.0, 0.0, 1.0]\nmotion = \
         \"{rate:?}*(t*t/30 + 15/(4*pi*pi)*(cos(2*pi*t/15)-1))\"\n"
    )
}

/// The beam is clamped by the hub, although its modes are those of a free beam: 2.91 rad/s and not 18.5.
#[test]
fn a_beam_that_turns_near_its_first_frequency_is_reported() {
    // The rate stays at 1 rad/s at the end, which the average over a radian period follows.
    let outcome = solve(&spin_up(1.0, 15.0)).unwrap();
    let rate = figure(&outcome, RATE).unwrap();
    assert!((rate / (1.0 / 2.91) - 1.0).abs() < 0.03, "{rate}");
    // The axial force at that rate changes the stiffness by 1.19 of its square.
    let rho = figure(&outcome, AXIAL).unwrap();
    assert!((rho / (1.19 * rate * rate) - 1.0).abs() < 0.1, "{rho} {rate}");
    let outcome = solve(&spin_up(0.2, 15.0)).unwrap();
    assert!(outcome.warnings.is_empty(), "{:#?}", outcome.warnings);
}

/// The case of Wu and Haug, 4 rad/s.
#[test]
fn a_beam_that_turns_above_its_first_frequency_is_reported() {
    let outcome = solve(&spin_up(4.0, 15.0)).unwrap();
    let rate = figure(&outcome, RATE).unwrap();
    assert!((rate / (4.0 / 2.91) - 1.0).abs() < 0.03, "{rate}");
    assert!(outcome.warnings.iter().all(|text| text.starts_with("body `beam`")), "{:#?}", outcome.warnings);
}
