//! The scheme `static` against closed forms: bars, gravity, Lamé, patch tests, Hertz; and its refusals.

use std::path::Path;

use carom_fem::{Body, Discretisation, Geometry, Material, Surface};
use carom_format::{ResultReader, read_body, write_body};
use carom_nurbs::{KnotVector, Multipatch, Patch, Region};
use carom_progress::Silent;
use carom_simulate::{ErrorKind, RunOutcome, StaticOutcome};

use crate::fixtures::{Chain, Failed, parse, supports};

/// A successful run with the content of its result.
struct Solved {
    outcome: RunOutcome,
    reader: ResultReader,
    _chain: Chain,
}

fn try_solve(text: &str) -> Result<Solved, Failed> {
    try_solve_with(text, &[])
}

/// Solves a scenario that may name bodies, which are written next to it.
fn try_solve_with(text: &str, bodies: &[(&str, &Body)]) -> Result<Solved, Failed> {
    let chain = Chain::new();
    for (name, body) in bodies {
        write_body(&chain.folder().join(name), body).unwrap();
    }
    let outcome = chain.solve(&parse(text, &[]))?;
    Ok(Solved { outcome, reader: chain.reader(), _chain: chain })
}

fn solve(text: &str) -> Solved {
    try_solve(text).unwrap_or_else(|error| panic!("{error}"))
}

fn refused(text: &str, kind: ErrorKind) -> String {
    let error = try_solve(text).err().expect("it cannot be solved");
    assert_eq!(error.kind(), kind, "{error}");
    error.to_string()
}

impl Solved {
    fn statics(&self) -> &StaticOutcome {
        self.outcome.statics.as_ref().unwrap()
    }

    /// A body and its displacements in the last frame, in its own axes.
    fn body(&self, index: usize) -> (Body, Vec<[f64; 3]>) {
        let meta = &self.reader.header().unwrap().bodies[index];
        let body = read_body(Path::new(&meta.body_path)).unwrap().body;
        let last = self.reader.frame(self.reader.times().unwrap().len() - 1).unwrap();
        let u = last.bodies[index].modal.as_chunks::<3>().0.to_vec();
        (body, u)
    }

    /// Positions and displacements on a set, at a grid of points of each face, in the axes of the body.
    fn on_set(&self, index: usize, set: &str) -> Vec<([f64; 3], [f64; 3])> {
        let (body, u) = self.body(index);
        let discretisation = Discretisation::new(&body).unwrap();
        let surface: Surface = body.surface_of_set(&discretisation, set).unwrap();
        let on = |field: &[[f64; 3]]| surface.points.iter().map(|&k| field[k as usize]).collect::<Vec<_>>();
        let (x, u) = (on(&discretisation.points), on(&u));
        let grid =
            [[0.0, 0.0], [0.3, 0.0], [1.0, 0.0], [0.0, 0.4], [0.5, 0.5], [1.0, 0.7], [0.0, 1.0], [1.0, 1.0]];
        let samples = (0..surface.faces.len()).flat_map(|face| grid.map(|xi| (face, xi)));
        samples.map(|(face, xi)| (surface.position(face, xi, &x), surface.position(face, xi, &u))).collect()
    }
}

fn norm(v: [f64; 3]) -> f64 {
    v.iter().map(|x| x * x).sum::<f64>().sqrt()
}

const STEEL: &str =
    "[simulation]\nscheme = \"static\"\n[material.m]\ndensity = 7800.0\nyoung = 210e9\npoisson = 0.3\n";

#[test]
fn a_bar_under_an_end_force_stretches_by_force_times_length_over_stiffness() {
    let held = supports("bar", &[("west", "y"), ("south", "x"), ("bottom", "z")]);
    let solved = solve(&format!(
        r#"{STEEL}
[[body]]
name = "bar"
make = {{ shape = "box", size = [1.0, 0.1, 0.05], elements = [3, 1, 1] }}
material = "m"
position = [5.0, -3.0, 2.0]
rotation = {{ axis = [0.0, 0.0, 1.0], degrees = 90.0 }}
{held}[[force]]
on = "bar:east"
force = [0.0, 1.0e5, 0.0]
"#
    ));
    let stretch = 1e5 * 1.0 / (210e9 * 0.1 * 0.05);
    for (x, u) in solved.on_set(0, "east") {
        assert!((u[0] / stretch - 1.0).abs() < 1e-10, "{u:?}");
        assert!((u[1] + 0.3 * stretch * x[1]).abs() < 1e-10 * stretch && u[2] <= 1e-10 * stretch);
    }
    let statics = solved.statics();
    let [_, pull, _] = statics.supports[0].force;
    assert!((pull + 1e5).abs() < 1e-5, "{statics:?}");
    assert!(statics.bodies[0].residual < 1e-10);
    // E = ½ F u, by Clapeyron and from the stiffness.
    let energy = solved.outcome.summary.ledger;
    assert!((energy.energy_final / (0.5 * 1e5 * stretch) - 1.0).abs() < 1e-10 && energy.energy_error < 1e-12);
}

#[test]
fn a_bar_hangs_by_its_weight() {
    // Without lateral contraction the exact displacement is ρ g (L x − x²/2)/E.
    let solved = solve(
        r#"
[simulation]
scheme = "static"
gravity = [9.81, 0.0, 0.0]
[material.m]
density = 7800.0
young = 1e9
poisson = 0.0
[[body]]
name = "bar"
make = { shape = "box", size = [2.0, 0.1, 0.1], elements = [3, 1, 1] }
material = "m"
[[support]]
on = "bar:west"
"#,
    );
    for (x, u) in solved.on_set(0, "north") {
        let exact = 7800.0 * 9.81 * (2.0 * x[0] - 0.5 * x[0] * x[0]) / 1e9;
        assert!((u[0] - exact).abs() < 1e-10 * 1.53e-4, "{x:?} {u:?} {exact}");
    }
    let weight = 7800.0 * 9.81 * 2.0 * 0.01;
    assert!((solved.statics().supports[0].force[0] / weight + 1.0).abs() < 1e-9);
}

#[test]
fn a_hollow_sphere_under_inner_pressure_needs_no_support() {
    let solve_with = |elements: usize| {
        let solved = solve(&format!(
            r#"{STEEL}
[[body]]
name = "shell"
make = {{ shape = "shell", radius = 2.0, inner_radius = 1.0, elements = [{elements}] }}
material = "m"
[[pressure]]
on = "shell:inner"
value = 1.0e8
"#
        ));
        // Lamé: u = p a³/(E (b³ − a³)) ((1 − 2ν) r + (1 + ν) b³/(2 r²)).
        let lame = |r: f64| 1e8 / (210e9 * 7.0) * (0.4 * r + 1.3 * 8.0 / (2.0 * r * r));
        let error = ["inner", "outer"].into_iter().flat_map(|set| solved.on_set(0, set)).map(|(x, u)| {
            let r = norm(x);
            let radial = x.iter().zip(&u).map(|(x, u)| x * u).sum::<f64>() / r;
            let across = norm([0, 1, 2].map(|d| u[d] - radial * x[d] / r));
            (radial / lame(r) - 1.0).abs().max(across / lame(r))
        });
        error.fold(0.0, f64::max)
    };
    let errors = [1, 2].map(solve_with);
    eprintln!("errors {errors:?}");
    assert!(errors[1] < 1e-3 && errors[1] < 0.3 * errors[0], "{errors:?}");
}

/// Two blocks on each other, the upper one loaded on its top by 1 MPa; it may be free or held in x and y.
fn stack(upper: &str, law: &str) -> String {
    let held = supports("lower", &[("bottom", "z"), ("west", "x"), ("south", "y")]);
    format!(
        r#"{STEEL}
[[body]]
name = "lower"
make = {{ shape = "box", size = [0.1, 0.1, 0.05], elements = [2, 2, 1] }}
material = "m"
[[body]]
name = "upper"
make = {{ shape = "box", size = [0.1, 0.1, 0.08], elements = [4, 4, 1] }}
material = "m"
position = [0.0, 0.0, 0.05]
{held}{upper}
[[pressure]]
on = "upper:top"
value = 1.0e6
[[contact]]
between = ["lower:top", "upper:bottom"]
law = {{ kind = "{law}" }}
"#
    )
}

#[test]
fn two_blocks_pressed_together_pass_the_patch_test() {
    // A free block expands about its own middle, so that the meshes are offset by 0.1 µm at the edges and the
    // pressure there is not uniform.
    let held = &*supports("upper", &[("west", "x"), ("south", "y")]);
    for (upper, law, uniform) in [(held, "lagrange", 1e-8), (held, "penalty", 1e-8), ("", "lagrange", 1e-3)] {
        let solved = solve(&stack(upper, law));
        let statics = solved.statics();
        let last = solved.reader.frame(1).unwrap();
        assert_eq!(last.contacts[0].pressures.len(), 16);
        for pressure in &last.contacts[0].pressures {
            assert!(
                (pressure / 1e6 - 1.0).abs() < uniform,
                "{upper} {law}: {:?}",
                last.contacts[0].pressures
            );
        }
        assert!((statics.pairs[0].normal_force / 1e4 - 1.0).abs() < 1e-10, "{statics:?}");
        let [_, _, up] = statics.supports[0].force;
        assert!((up / 1e4 - 1.0).abs() < 1e-10, "{statics:?}");
        for (index, height) in [(0, 0.05), (1, 0.08)] {
            let side: Vec<_> = solved.on_set(index, "east");
            let base = if index == 0 { 0.0 } else { solved.on_set(1, "bottom")[0].1[2] };
            let strain = -1e6 / 210e9;
            for (x, u) in side {
                assert!((u[2] - base - strain * x[2]).abs() < uniform * height * strain.abs(), "{x:?} {u:?}");
            }
        }
        // Across the load the free block is pushed by the rounding of its edges' overhang.
        assert!(statics.residual < if upper.is_empty() { 1e-9 } else { 1e-11 }, "{}", statics.residual);
    }
}

#[test]
fn free_motions_of_unsupported_bodies_are_refused() {
    let sideways = stack("", "lagrange") + "[[force]]\non = \"upper:east\"\nforce = [10.0, 0.0, 0.0]\n";
    let message = refused(&sideways, ErrorKind::Input);
    assert!(message.contains("upper") && message.contains("along (1.000, 0.000, 0.000)"), "{message}");
    let free = format!(
        "{STEEL}[[body]]\nname = \"b\"\nmake = {{ shape = \"box\", size = [1.0, 1.0, 1.0] }}\nmaterial = \
         \"m\"\n[[force]]\non = \"b:top\"\nforce = [0.0, 0.0, 2.0]\n"
    );
    let message = refused(&free, ErrorKind::Input);
    assert!(message.contains("[[support]]") && message.contains("along (0.000, 0.000, 1.000)"), "{message}");
}

const RADIUS: f64 = 0.015;

/// The quarter x, y ≥ 0 of an exact ball about the origin, except for a small part at its upper end, one
/// patch of degree 2: a box (s, t, r) inverted, D = s² + t² + (1 + r)², (x, y, z) = R (2s/D, 2t/D, 1 − 2 (1 +
/// r)/D).
///
/// Sets: `pole` (the whole surface), `west` (x = 0), `south` (y = 0). Knot spans of the size h at the lower
/// end, to `zone`, then growing by 2.
fn quarter_ball(h: f64, zone: f64) -> Body {
    const END: f64 = 12.0;
    // Coefficients of 1, x and x² in the Bernstein polynomials of degree 2 on [0, END].
    let one = [1.0, 1.0, 1.0];
    let linear = [0.0, 0.5 * END, END];
    let square = [0.0, 0.0, END * END];
    let beyond = |k: usize| 1.0 + 2.0 * linear[k] + square[k];
    let (mut points, mut weights) = (Vec::new(), Vec::new());
    for k in 0..3 {
        for j in 0..3 {
            for i in 0..3 {
                let d = square[i] + square[j] + beyond(k);
                let wz = d - 2.0 * (one[k] + linear[k]);
                points.push([2.0 * linear[i], 2.0 * linear[j], wz].map(|x| RADIUS * x / d));
                weights.push(d);
            }
        }
    }
    let line = KnotVector::new(2, vec![0.0, 0.0, 0.0, END, END, END]).unwrap();
    let mut patch = Patch::new([line.clone(), line.clone(), line], points, weights).unwrap();
    // Lengths at the pole are 2 R times parameter differences.
    let (step, zone) = (0.5 * h / RADIUS, 0.5 * zone / RADIUS);
    for direction in 0..3 {
        let (mut knots, mut at, mut size) = (Vec::new(), step, step);
        while at < 0.7 * END {
            knots.push(at);
            if direction == 2 || at >= zone * (1.0 - 1e-9) {
                size *= 2.0;
            }
            at += size;
        }
        patch = patch.insert(direction, &knots).unwrap();
    }
    let mut multipatch = Multipatch::glue(vec![patch]).unwrap();
    let side = |name: &str| multipatch.region(&format!("patch0:{name}")).unwrap();
    let pole = Region { near: vec![([0.0, 0.0, -RADIUS], 0.99 * zone * 2.0 * RADIUS)], ..side("bottom") };
    let sets = [("pole", pole), ("west", side("west")), ("south", side("south"))];
    multipatch.regions.extend(sets.map(|(name, region)| (name.to_owned(), region)));
    let materials = vec![Material { name: "m".to_owned(), density: 7780.0, young: 210e9, poisson: 0.3 }];
    Body {
        name: "ball".to_owned(),
        geometry: Geometry::Nurbs(multipatch),
        materials,
        material_of_block: vec![0],
        sections: Vec::new(),
    }
}

/// The quarter ball pressed on a rigid plane by an acceleration: inertia relief, so that the approach of the
/// centre of mass is that of the converged elastic ball.
fn pressed_ball(gravity: f64, law: &str) -> String {
    let held = supports("ball", &[("west", "x"), ("south", "y")]);
    format!(
        r#"
[simulation]
scheme = "static"
gravity = [0.0, 0.0, {}]
[[body]]
name = "ball"
body = "ball.npz"
position = [0.0, 0.0, {RADIUS}]
[[body]]
name = "plane"
make = {{ shape = "box", size = [0.02, 0.02, 0.001], elements = [1, 1, 1] }}
material = "steel"
rigid = true
fixed = true
position = [-0.001, -0.001, -0.001]
{held}[[contact]]
between = ["ball:pole", "plane:top"]
law = {{ kind = "{law}" }}
"#,
        -gravity
    )
}

/// Mass of a body, and mean displacement of the mass.
fn of_mass(body: &Body, u: &[[f64; 3]]) -> (f64, [f64; 3]) {
    let discretisation = Discretisation::new(body).unwrap();
    let system = carom_fem::assemble(&discretisation, carom_fem::QuadratureRule::Default, &Silent).unwrap();
    let weights = carom_fem::loads::gravity_force(&system.mass, [1.0, 0.0, 0.0]);
    let mass: f64 = weights.iter().map(|w| w[0]).sum();
    (mass, [0, 1, 2].map(|d| weights.iter().zip(u).map(|(w, u)| w[0] * u[d]).sum::<f64>() / mass))
}

/// Hertz' force of a ball on a rigid plane at the approach d.
fn hertz(d: f64) -> f64 {
    4.0 / 3.0 * 210e9 / 0.91 * RADIUS.sqrt() * d.powf(1.5)
}

#[test]
fn a_ball_on_a_rigid_plane_responds_as_the_converged_elastic_ball() {
    // F(d) = F_Hertz(d) (1 + 1.00 a/R) at a/R = 0.1, a² = R d. Pressure cells of a/4 have an error of 0.6 %.
    let d = 0.01 * RADIUS;
    let (contact_radius, force) = (0.1 * RADIUS, 1.1 * hertz(d));
    let ball = quarter_ball(0.25 * contact_radius, 1.25 * contact_radius);
    let (mass, _) = of_mass(&ball, &[]);
    let solved = try_solve_with(&pressed_ball(0.25 * force / mass, "lagrange"), &[("ball.npz", &ball)]);
    let solved = solved.unwrap_or_else(|error| panic!("{error}"));
    let statics = solved.statics();
    let (body, u) = solved.body(0);
    let (_, centre) = of_mass(&body, &u);
    let found = 4.0 * statics.pairs[0].normal_force;
    assert!((found / force - 1.0).abs() < 1e-10, "the weight is carried: {found} N of {force} N");
    let expected = 1.1 * hertz(-centre[2]);
    eprintln!(
        "{} dofs, approach {:.5e} m, force {:+.2} %",
        3 * u.len(),
        -centre[2],
        100.0 * (found / expected - 1.0)
    );
    assert!((found / expected - 1.0).abs() < 0.01, "{found} N, {expected} N at this approach");
    assert!(solved.outcome.summary.ledger.energy_error < 1e-9);
}

/// Two equal quarter balls, the upper one pressed down by its weight, the lower one held at its lower end.
fn ball_on_ball(gravity: f64) -> String {
    let held = supports("upper", &[("west", "x"), ("south", "y")])
        + &supports("lower", &[("west", "y"), ("south", "x"), ("patch0:top", "z")]);
    format!(
        r#"
[simulation]
scheme = "static"
gravity = [0.0, 0.0, {}]
[[body]]
name = "upper"
body = "ball.npz"
position = [0.0, 0.0, {RADIUS}]
[[body]]
name = "lower"
body = "ball.npz"
position = [0.0, 0.0, -{RADIUS}]
rotation = {{ axis = [1.0, 1.0, 0.0], degrees = 180.0 }}
{held}[[contact]]
between = ["upper:pole", "lower:pole"]
law = {{ kind = "lagrange" }}
"#,
        -gravity
    )
}

#[test]
fn two_pressed_balls_agree_with_hertz() {
    // The contact radius at a given force is Hertz' to 0.1 % for any support of the balls: a³ = 3 F R_e/(4
    // E*).
    let contact_radius: f64 = 0.05 * RADIUS;
    let modulus = 210e9 / (2.0 * 0.91);
    let force = 4.0 * modulus * contact_radius.powi(3) / (3.0 * 0.5 * RADIUS);
    let ball = quarter_ball(0.25 * contact_radius, 1.25 * contact_radius);
    let (mass, _) = of_mass(&ball, &[]);
    let solved = try_solve_with(&ball_on_ball(0.25 * force / mass), &[("ball.npz", &ball)]);
    let solved = solved.unwrap_or_else(|error| panic!("{error}"));
    let statics = solved.statics();
    // The sum of the pressures is larger by the effect of the slopes of the faces, at most (a/2R)².
    assert!((4.0 * statics.pairs[0].force[2].abs() / force - 1.0).abs() < 1e-10, "{statics:?}");
    let held: f64 = statics.supports.iter().map(|support| support.force[2]).sum();
    let weight = 2.0 * 0.25 * force;
    assert!(
        (held / weight - 1.0).abs() < 1e-9,
        "the lower ball's support carries both weights: {held} N of {weight} N"
    );
    // Pressure in the centres of the pressure cells against Hertz' semi-ellipsoid.
    let contact = &solved.reader.frame(1).unwrap().contacts[0];
    let discretisation = Discretisation::new(&ball).unwrap();
    let surface = ball.surface_of_set(&discretisation, "pole").unwrap();
    let points: Vec<_> = surface.points.iter().map(|&k| discretisation.points[k as usize]).collect();
    let peak = 1.5 * force / (std::f64::consts::PI * contact_radius.powi(2));
    let (mut square, mut second_moment, mut sum) = (0.0, 0.0, 0.0);
    for face in 0..surface.faces.len() {
        let place = contact.pressure_faces.iter().position(|&f| f as usize == face);
        let pressure = place.map_or(0.0, |k| contact.pressures[k]);
        // Means over the face of Hertz' pressure and of the square of the radius.
        let (mut hertz, mut radius_2, n) = (0.0, 0.0, 20);
        for (i, j) in (0..n).flat_map(|i| (0..n).map(move |j| (i, j))) {
            let xi = [(f64::from(i) + 0.5) / f64::from(n), (f64::from(j) + 0.5) / f64::from(n)];
            let x = surface.position(face, xi, &points);
            let r2 = x[0] * x[0] + x[1] * x[1];
            hertz += peak * (1.0 - r2 / contact_radius.powi(2)).max(0.0).sqrt();
            radius_2 += r2;
        }
        let cells = f64::from(n * n);
        square += (pressure - hertz / cells).powi(2);
        second_moment += pressure * radius_2 / cells;
        sum += pressure;
    }
    let count = contact.pressures.len() as f64;
    let rms = (square / count).sqrt() / peak;
    // ∫ p r² dA = 2/5 a² F; the pressure cells have equal areas.
    let found = (2.5 * second_moment / sum).sqrt();
    eprintln!(
        "rms pressure error {:.3} of the peak, radius {:+.2} %",
        rms,
        100.0 * (found / contact_radius - 1.0)
    );
    assert!(rms < 0.05, "{rms}");
    assert!((found / contact_radius - 1.0).abs() < 0.02, "{found} {contact_radius}");
    assert!(
        (statics.pairs[0].peak_pressure / peak - 1.0).abs() < 0.03,
        "{} {peak}",
        statics.pairs[0].peak_pressure
    );
}

#[test]
fn pressure_at_the_rim_of_a_zone_is_refused() {
    let contact_radius = 0.1 * RADIUS;
    let ball = quarter_ball(0.25 * contact_radius, 0.75 * contact_radius);
    let (mass, _) = of_mass(&ball, &[]);
    let scenario = pressed_ball(0.25 * 1.1 * hertz(0.01 * RADIUS) / mass, "penalty");
    let error = try_solve_with(&scenario, &[("ball.npz", &ball)]).err().expect("the zone is too small");
    let message = error.to_string();
    assert_eq!(error.kind(), ErrorKind::Input, "{message}");
    assert!(message.contains("ball:pole") && message.contains("cell"), "{message}");
    let warned = try_solve_with(&(scenario + "rim = \"warning\"\n"), &[("ball.npz", &ball)]);
    let warnings = warned.map(|solved| solved.outcome.warnings).unwrap_or_default();
    assert!(warnings.iter().any(|warning| warning.contains("reaches the rim")), "{warnings:?}");
}

/// A block under a rigid plate that `load` moves or presses.
fn pressed_block(load: &str) -> String {
    let held = supports("block", &[("bottom", "z"), ("west", "x"), ("south", "y")]);
    format!(
        r#"{STEEL}
steps = 2
[material.m]
density = 7800.0
young = 210e9
poisson = 0.3
[[body]]
name = "block"
make = {{ shape = "box", size = [0.1, 0.1, 0.05], elements = [2, 2, 1] }}
material = "m"
[[body]]
name = "plate"
make = {{ shape = "box", size = [0.2, 0.2, 0.01], elements = [1, 1, 1] }}
material = "m"
rigid = true
position = [-0.05, -0.05, 0.05]
[[body.marker]]
name = "middle"
at = [0.1, 0.1, 0.005]
{held}[[contact]]
between = ["block:top", "plate:bottom"]
law = {{ kind = "lagrange" }}
{load}
"#
    )
    .replace(&format!("{STEEL}\nsteps"), "[simulation]\nscheme = \"static\"\nsteps")
}

#[test]
fn a_moved_or_pressed_rigid_plate_strains_a_block_uniformly() {
    let area_modulus = 0.01 * 210e9 / 0.05;
    let moved =
        solve(&pressed_block("[[support]]\non = \"plate:top\"\ndisplacement = [0.0, 0.0, -1.0e-5]\n"));
    let statics = moved.statics();
    assert!((statics.pairs[0].normal_force / (area_modulus * 1e-5) - 1.0).abs() < 1e-9, "{statics:?}");
    assert_eq!(moved.reader.times().unwrap(), [0.0, 0.5, 1.0]);
    let half = &moved.reader.frame(1).unwrap();
    assert!((half.contacts[0].normal_force / (area_modulus * 0.5e-5) - 1.0).abs() < 1e-9);
    assert!((half.bodies[1].position[2] - (0.05 - 0.5e-5)).abs() < 1e-15, "{:?}", half.bodies[1]);
    // Free to move in all directions; the marker lies above the middle of the block.
    let load = "[[force]]\non = \"plate:middle\"\nforce = [0.0, 0.0, -1.0e5]\n";
    let pressed = solve(&pressed_block(load));
    let plate = &pressed.reader.frame(2).unwrap().bodies[1];
    assert!((pressed.statics().pairs[0].normal_force / 1e5 - 1.0).abs() < 1e-10, "{:?}", pressed.statics());
    // The block widens away from its held sides, so that the load is off its middle by 0.7 µm and the plate
    // tilts by 2e-9.
    let sunk = 1e5 / area_modulus;
    assert!((plate.position[2] - 0.05 + sunk).abs() < 1e-3 * sunk, "{plate:?}");
}
