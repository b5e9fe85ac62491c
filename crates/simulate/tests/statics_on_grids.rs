//! The scheme `static` with contact on half-space grids: coarse whole bodies, whose dents are not the mesh's.

use carom_contact::closed_form::HertzPair;
use carom_format::ResultReader;
use carom_simulate::{ErrorKind, RunOptions, RunOutcome};

use crate::fixtures::{Chain, Impatient, REPLACE, RESUME, parse};

const RADIUS: f64 = 0.015;

/// E* of steel on something rigid.
const MODULUS: f64 = 210e9 / 0.91;

struct Solved {
    outcome: RunOutcome,
    reader: ResultReader,
    _chain: Chain,
}

fn solve(text: &str) -> Solved {
    let chain = Chain::new();
    let outcome = chain.solve(&parse(text, &[])).unwrap_or_else(|error| panic!("{error}"));
    Solved { outcome, reader: chain.reader(), _chain: chain }
}

impl Solved {
    /// Height of the frame of a rigid body above its start in the last frame \[m\].
    fn moved(&self, body: usize) -> f64 {
        let last = self.reader.times().unwrap().len() - 1;
        let z = |frame: usize| self.reader.frame(frame).unwrap().bodies[body].position[2];
        z(last) - z(0)
    }
}

const MATERIALS: &str = r#"
[material.stiff]
density = 7800.0
young = 1e16
poisson = 0.3
[material.iron]
density = 7800.0
young = 210e9
poisson = 0.3
"#;

/// A plate of a material that does not give way, pressed on an elastic ball by a force, and the fixed plate
/// below the ball. All bodies touch as whole ones. Two parts of the ball's equator are held along it, where
/// the symmetric solution has no force.
fn between_plates(force: f64) -> String {
    format!(
        r#"
[simulation]
scheme = "static"
steps = 2
{MATERIALS}
[[body]]
name = "ball"
make = {{ shape = "ball", radius = {RADIUS}, elements = [4] }}
material = "iron"
zone = [
    {{ name = "at-x", set = "surface", center = [{RADIUS}, 0.0, 0.0], radius = 0.004 }},
    {{ name = "at-y", set = "surface", center = [0.0, {RADIUS}, 0.0], radius = 0.004 }},
]
[[body]]
name = "below"
make = {{ shape = "box", size = [0.02, 0.02, 0.004] }}
material = "stiff"
rigid = true
fixed = true
position = [-0.009, -0.0095, {}]
[[body]]
name = "above"
make = {{ shape = "box", size = [0.02, 0.02, 0.004] }}
material = "stiff"
rigid = true
position = [-0.009, -0.0095, {RADIUS}]
[[body.marker]]
name = "middle"
at = [0.009, 0.0095, 0.002]
[[support]]
on = "ball:at-x"
directions = ["y"]
[[support]]
on = "ball:at-y"
directions = ["x"]
[[support]]
on = "above:top"
directions = ["x", "y"]
[[support]]
on = "above:bottom"
directions = ["x", "y"]
[[force]]
on = "above:middle"
force = [0.0, 0.0, {}]
[[contact]]
between = ["ball", "below"]
law = {{ kind = "lagrange" }}
[[contact]]
between = ["ball", "above"]
law = {{ kind = "lagrange" }}
"#,
        -RADIUS - 0.004,
        -force
    )
}

/// The approach of the two plates is twice Hertz' less 0.46 F/(E* R): each force moves its pole by 0.23
/// F/(E* R) less towards the far pole than Hertz has it (docs/quasistatic.md, section 3), under inertia
/// relief, which cancels between both. With a contact radius of 0.05 R the correction is 1.5 %.
#[test]
fn a_ball_between_two_plates_is_two_contacts_of_one_elastic_ball() {
    let contact = 0.05 * RADIUS;
    let force = 4.0 / 3.0 * MODULUS * contact.powi(3) / RADIUS;
    let solved = solve(&between_plates(force));
    let statics = solved.outcome.statics.as_ref().unwrap();
    println!("{:?} {:?}", statics.pairs, solved.outcome.warnings);
    for pair in &statics.pairs {
        assert!((pair.normal_force / force - 1.0).abs() < 1e-9, "{pair:?}");
    }
    let hertz = HertzPair::new([RADIUS, f64::INFINITY], [210e9, f64::INFINITY], [0.3; 2]).at_force(force);
    let expected = 2.0 * hertz.approach - 0.46 * force / (MODULUS * RADIUS);
    let found = -solved.moved(2);
    println!("approach {found:.5e} of {expected:.5e}: {:+.3} %", 100.0 * (found / expected - 1.0));
    assert!((found / expected - 1.0).abs() < 5e-3);
    for pair in &statics.pairs {
        assert!((pair.peak_pressure / hertz.peak_pressure - 1.0).abs() < 0.01, "{pair:?}");
    }
    assert!(solved.outcome.summary.ledger.energy_error < 1e-9, "{:?}", solved.outcome.summary.ledger);
    let frame = solved.reader.frame(2).unwrap();
    for contact in &frame.contacts {
        let radius = contact.grid.contact_radius();
        assert!((radius / hertz.contact_radius - 1.0).abs() < 0.01, "{radius}");
        // The plane of the grid belongs to a plate, 4 mm thick.
        let z = contact.grid.center[2];
        assert!(contact.grid.body > 0 && (z.abs() < 1e-7 || (z - 0.004).abs() < 1e-7), "{z}");
    }
}

/// A run that is stopped between load steps and continued ends with the same bits.
#[test]
fn statics_on_grids_continue_from_a_load_step() {
    let scenario = parse(&between_plates(100.0), &["simulation.steps=4"]);
    let [whole, parts] = [Chain::new(), Chain::new()];
    let bodies = whole.prepare(&scenario).unwrap();
    let expected = whole.run(&scenario, &bodies, RunOptions::default()).unwrap();
    // Stopped as soon as a load step has a frame, wherever in the next one that is.
    let stopped = (20..4000).step_by(20).find_map(|asked| {
        let patience = Impatient::after(asked);
        parts.run_until(&scenario, &bodies, REPLACE, &patience).err()?;
        let frames = ResultReader::open(&parts.result()).ok()?.times().unwrap().len();
        (frames > 1).then_some(frames)
    });
    assert!(stopped.is_some_and(|frames| frames < 5), "{stopped:?}");
    let found = parts.run(&scenario, &bodies, RESUME).unwrap();
    assert_eq!(found.statics, expected.statics);
    let last = |chain: &Chain| chain.reader().frame(4).unwrap().bodies;
    assert_eq!(last(&parts), last(&whole));
}

/// meshes/hertz-static/coarse.toml has cells of 1.4 mm at a contact radius of 0.365 mm, and names whole
/// bodies: the approach is that of the resolved mesh, 8.63 µm.
#[test]
fn a_coarse_block_under_a_rigid_ball_is_the_resolved_one() {
    let solved = solve(include_str!("../../../meshes/hertz-static/coarse.toml"));
    let statics = solved.outcome.statics.as_ref().unwrap();
    let approach = -solved.moved(1);
    println!("{approach:.4e} {:?} {:?}", statics.pairs, solved.outcome.warnings);
    assert!((approach / 8.63e-6 - 1.0).abs() < 0.01, "{approach}");
    assert!((statics.pairs[0].peak_pressure / 3.578e9 - 1.0).abs() < 0.01, "{:?}", statics.pairs);
    assert!((statics.pairs[0].normal_force / 1000.0 - 1.0).abs() < 1e-9);
}

/// A ball on the middle of a thin plate, two edges of which are held: bending and dent. Cells as long as the
/// plate is thick have the approach of cells of half of it.
#[test]
fn a_thin_plate_bends_and_dents_under_a_ball() {
    let approach = |elements: [usize; 3]| {
        let solved = solve(&format!(
            r#"
[simulation]
scheme = "static"
{MATERIALS}
[[body]]
name = "plate"
make = {{ shape = "plate", size = [0.060, 0.060, 0.004], elements = {elements:?} }}
material = "iron"
[[body]]
name = "ball"
make = {{ shape = "ball", radius = {RADIUS} }}
material = "stiff"
rigid = true
position = [0.0, 0.0, 0.017]
[[body.marker]]
name = "middle"
at = [0.0, 0.0, 0.0]
[[support]]
on = "plate:west"
[[support]]
on = "plate:east"
[[support]]
on = "ball:surface"
directions = ["x", "y"]
[[force]]
on = "ball:middle"
force = [0.0, 0.0, -500.0]
[[contact]]
between = ["plate", "ball"]
"#
        ));
        println!("{elements:?} {:.4e} {:?}", -solved.moved(1), solved.outcome.warnings);
        -solved.moved(1)
    };
    let [coarse, fine] = [[16, 16, 1], [30, 30, 2]].map(approach);
    // Cells of h on the thickness T bend 0.018 (h/T)² too little (docs/theory/half-space.md, section 11.9);
    // 0.002 is of the cells of the contact.
    let estimate = 0.018 * (3.75f64 / 4.0).powi(2) + 0.002;
    assert!((coarse / fine - 1.0).abs() < estimate, "{coarse} {fine}");
}

#[test]
fn contacts_that_cannot_have_a_grid_are_refused_by_name() {
    let text = between_plates(100.0);
    let failed = |text: &str| {
        let chain = Chain::new();
        let error = chain.solve(&parse(text, &[])).expect_err("it cannot be solved");
        (error.kind(), error.to_string())
    };
    let mixed = text.replacen("[\"ball\", \"below\"]", "[\"ball:surface\", \"below:top\"]", 1);
    let (kind, error) = failed(&mixed);
    assert!(kind == ErrorKind::Input && error.contains("all contacts of a static problem"), "{error}");
    let flat = text.replacen("[\"ball\", \"below\"]", "[\"above\", \"below\"]", 1);
    let (_, error) = failed(&flat);
    assert!(error.contains("on a half-space grid") && error.contains("flat"), "{error}");
}
