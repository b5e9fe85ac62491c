//! The stress below a contact: that of the half-space and that of the bending of the body.

use carom_format::Scenario;
use carom_post::{Run, below};
use carom_progress::Silent;
use carom_simulate::{RunOptions, Users, Workshop, prepare, run};

const LENGTH: f64 = 0.2;
const HEIGHT: f64 = 0.01;

/// A beam between two clamps, turned about the vertical, and a ball that a slowly growing force presses on
/// its middle.
const SCENARIO: &str = r#"
[simulation]
scheme = "quasistatic"
end_time = 2.6e-3
output_every = 2.0e-4
relative_tolerance = 1.0e-4
[[body]]
name = "beam"
make = { shape = "box", size = [0.2, 0.01, 0.01], elements = [24, 3, 3], degree = 2 }
material = "steel"
rotation = { axis = [0.0, 0.0, 1.0], degrees = 30.0 }
reduce = { fix = ["west", "east"], places = ["0.1,0.005,0.01:0.008"], modes = 14 }
damping = 0.1
[[body]]
name = "ball"
make = { shape = "ball", radius = 0.01, elements = [4] }
material = "steel"
rigid = true
position = [0.0841025403784439, 0.0543301270189222, 0.02]
[[body.marker]]
name = "middle"
at = [0.0, 0.0, 0.0]
[[force]]
on = "ball:middle"
force = [0.0, 0.0, -500.0]
scale = "smoothstep(t/2e-3)"
[[contact]]
between = ["ball:surface", "beam:top"]
law = { kind = "lagrange" }
compliance = "half-space"
"#;

/// M = F L/8 in the middle of a clamped beam, and σ = 6 M/h³ in its outermost fibres, which are compressed at
/// the load. The half-space alone is Hertz', σ ≈ 0.62 p₀.
#[test]
fn the_modes_of_a_clamped_beam_have_the_stress_of_its_bending() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("scenario.toml");
    let scenario = Scenario::parse(&path, SCENARIO, &[], &["steel"]).unwrap();
    let workshop =
        Workshop { scenario_folder: folder.path(), bodies: &folder.path().join("bodies"), users: Users::One };
    let prepared = prepare(&scenario, workshop, &Silent).unwrap();
    let result = folder.path().join("result.carom");
    run(&scenario, folder.path(), &prepared, &result, RunOptions::default(), &Silent).unwrap();
    let run = Run::open(&result).unwrap();
    let force = run.reader().normal_forces(0).unwrap().into_iter().fold(0.0, f64::max);
    let found = below::stresses(&run, 0).unwrap();
    println!("{force} N, {found:?}");
    let of = |name: &str| found.iter().find(|stress| stress.body == name).unwrap();
    assert!((force / 500.0 - 1.0).abs() < 0.05, "{force}");
    assert!(of("ball").of_modes.is_none());

    let bending = -6.0 * force * LENGTH / 8.0 / HEIGHT.powi(3);
    let [xx, yy, zz, xy, yz, xz] = of("beam").of_modes.unwrap();
    let mean = 0.5 * (xx + yy);
    let radius = (0.25 * (xx - yy).powi(2) + xy * xy).sqrt();
    let [along, across] = [mean - radius, mean + radius];
    // Loads within 8 mm of the middle, 5.3 mm from it on average, take up to F 5.3 mm/2 of the moment F 25
    // mm.
    let ratio = along / bending;
    assert!((0.89..1.01).contains(&ratio), "{along} Pa, beam theory {bending} Pa");
    // It acts along the beam, in the axes of the grid, which are fixed to it.
    let frame = run.times().len() - 1;
    let grid = &run.reader().frame(frame).unwrap().contacts[0].grid;
    assert_eq!(grid.body, 0);
    let [t, s, _] = grid.axes.map(|axis| axis[0]);
    for (found, expected) in [(xx, t * t), (yy, s * s), (xy, t * s)] {
        assert!((found - expected * along).abs() < 0.01 * along.abs(), "{found} {expected}");
    }
    assert!(across.abs() < 0.15 * bending.abs(), "{across}");
    assert!([zz, yz, xz].iter().all(|s| s.abs() < 1e-6 * bending.abs()), "{zz} {yz} {xz}");
}
