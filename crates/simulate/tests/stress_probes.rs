//! Probes of the stress: closed forms of a loaded bar, axes, continued runs, files that are missing.

use carom_format::result::ProbeCourse;
use carom_progress::Silent;
use carom_simulate::{ErrorKind, RunOptions, survey};
use carom_testing::scenarios::PLATE_ON_BLOCK;
use nalgebra::Vector3;

use crate::fixtures::{Chain, Impatient, RESUME, is_refused, parse};

/// Length, width and height of the bar \[m\].
const SIZE: [f64; 3] = [0.2, 0.02, 0.01];

/// A clamped bar in equilibrium under a force at its end, axes of the bar; turned in space.
fn bar(make: &str, force: [f64; 3], probes: &str) -> String {
    format!(
        "[simulation]\nend_time = 0.0\nstart = \"equilibrium\"\n\
         [[body]]\nname = \"bar\"\nmaterial = \"steel\"\n\
         make = {{ shape = \"box\", size = {SIZE:?}, elements = [10, 2, 2]{make} }}\n\
         rotation = {{ axis = [1.0, 2.0, -0.5], degrees = 70.0 }}\n\
         reduce = {{ attach = {{ west = \"rigid\", east = \"rigid\" }}, modes = 10 }}\n\
         [[body.marker]]\nname = \"below\"\nat = [0.1, 0.01, 0.0]\n\
         [[joint]]\nkind = \"fixed\"\nbetween = [\"ground\", \"bar:west\"]\naxis = [1.0, 0.0, 0.0]\n\
         [[force]]\non = \"bar:east\"\nforce = {force:?}\naxes = \"body\"\n{probes}"
    )
}

fn probe(name: &str, place: &str, axes: &str) -> String {
    format!("[[probe]]\nname = \"{name}\"\n{place}\nwhat = [\"stress\"]\naxes = \"{axes}\"\n")
}

/// xx, yy, zz, xy, yz, xz of the first sample, and the von Mises stress.
fn first(course: &ProbeCourse) -> ([f64; 6], f64) {
    let [normal, shear, [von_mises, ..]] = course.values[0][..3] else { panic!("{course:?}") };
    let [[xx, yy, zz], [xy, yz, xz]] = [normal, shear];
    ([xx, yy, zz, xy, yz, xz], von_mises)
}

/// σ = F/A of the axial force and ∓M (h/2)/I of the other one, half-way along the bar; the faces above and
/// below bear no stress.
#[test]
fn a_loaded_bar_has_the_stress_of_its_beam() {
    let [length, width, height] = SIZE;
    let (axial, across) = (500.0, 10.0);
    let tension = axial / (width * height);
    let bending = across * 0.5 * length * 0.5 * height / (width * height.powi(3) / 12.0);
    let probes = [
        probe("above", "on = \"bar\"\nat = [0.1, 0.01, 0.01]", "body"),
        probe("below", "on = \"bar:below\"", "body"),
        probe("turned", "on = \"bar:below\"", "inertial"),
        probe("face", "on = \"bar:east\"", "body"),
    ];
    for make in ["", ", hex = true, order = 2"] {
        let text = bar(make, [axial, 0.0, across], &probes.concat());
        assert_eq!(checked(&text), []);
        let (chain, scenario) = (Chain::new(), parse(&text, &[]));
        let outcome = chain.solve(&scenario).unwrap_or_else(|failed| panic!("{failed}"));
        let courses = chain.reader().probe_courses().unwrap();
        let [above, below, turned, face] = &courses[..] else { panic!("{courses:?}") };
        for (course, expected) in [(above, tension - bending), (below, tension + bending)] {
            let (stress, von_mises) = first(course);
            println!("{make}: {stress:?} {von_mises}, expected {expected}");
            // The cells of the mesh are five times as long as wide.
            assert!((stress[0] - expected).abs() < 5e-3 * bending, "{make}: {stress:?}, {expected}");
            assert!(stress[1..].iter().all(|s| s.abs() < 1e-2 * bending), "{make}: {stress:?}");
            assert!((von_mises - expected.abs()).abs() < 1e-2 * bending, "{make}: {von_mises}, {expected}");
        }
        // In inertial axes: along the axis e of the turned bar e·σ e, and the same invariants.
        let ([(own, own_von_mises), (other, other_von_mises)], axis) =
            ([below, turned].map(first), axis_of_bar());
        let [xx, yy, zz, xy, yz, xz] = other;
        let full = [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]];
        let along: f64 = (0..3).map(|a| (0..3).map(|b| axis[a] * full[a][b] * axis[b]).sum::<f64>()).sum();
        assert!((along / own[0] - 1.0).abs() < 1e-6, "{along} {own:?}");
        assert!((xx + yy + zz - own[0] - own[1] - own[2]).abs() < 1e-9 * own[0].abs());
        assert!((other_von_mises / own_von_mises - 1.0).abs() < 1e-12 && (xx / own[0] - 1.0).abs() > 0.1);
        // The end is pulled: the stress by the surface does not contain this load, and its mean is not F/A.
        assert!((first(face).0[0] - tension).abs() > 0.1 * tension);
        let warnings = outcome.warnings.join("\n");
        assert!(warnings.contains("probe `face`: its place lies on `east`, where a force"), "{warnings}");
        assert_eq!(warnings.matches("its place lies on").count(), 1, "{warnings}");
    }
}

/// Inside of a reduced body whose model keeps all points the stress is linear in the height, and zero in the
/// neutral axis but for the tension; a point moves with those above and below it.
#[test]
fn a_reduced_bar_has_the_stress_of_its_beam_inside() {
    let [length, width, height] = SIZE;
    let (axial, across) = (500.0, 10.0);
    let tension = axial / (width * height);
    let inertia = width * height.powi(3) / 12.0;
    let heights = [0.0, 0.002, 0.005, 0.0075, 0.01];
    let at = |z: f64| {
        let place = format!("on = \"bar\"\nat = [0.1, 0.013, {z:?}]");
        probe(&format!("{z}"), &place, "body").replace("[\"stress\"]", "[\"stress\", \"position\"]")
    };
    let probes = heights.map(at).concat() + &probe("turned", "on = \"bar:within\"", "inertial");
    for make in ["", ", hex = true, order = 2"] {
        let marker = "[[body.marker]]\nname = \"within\"\nat = [0.1, 0.013, 0.002]\n[[joint]]";
        let text = bar(make, [axial, 0.0, across], &probes)
            .replace("modes = 10 }", "modes = 10, fields = \"full\" }")
            .replace("[[joint]]", marker);
        assert_eq!(checked(&text), []);
        let chain = Chain::new();
        let outcome = chain.solve(&parse(&text, &[])).unwrap_or_else(|failed| panic!("{failed}"));
        assert!(!outcome.warnings.join("\n").contains("its place lies on"), "{:?}", outcome.warnings);
        let courses = chain.reader().probe_courses().unwrap();
        for (course, z) in courses.iter().zip(heights) {
            let ([xx, rest @ ..], von_mises) = first(course);
            let expected = tension - across * 0.5 * length * (z - 0.5 * height) / inertia;
            println!("{make} {z}: {xx} {rest:?}, expected {expected}");
            let largest = across * 0.25 * length * height / inertia;
            assert!((xx - expected).abs() < 5e-3 * largest, "{make} {z}: {xx} {expected}");
            assert!((von_mises - expected.abs()).abs() < 2e-2 * largest, "{make} {z}: {von_mises}");
            let normal = rest[..2].iter().fold(0.0_f64, |most, s| most.max(s.abs()));
            assert!(normal < 1e-2 * largest, "{make} {z}: {rest:?}");
        }
        // The neutral axis lies between both surfaces, but for half of the lateral contraction across.
        let [below, middle, above] = [0, 2, 4].map(|k| Vector3::from(courses[k].values[0][3]));
        let off = (middle - 0.5 * (below + above)).norm();
        assert!(off < 2e-8, "{below:?} {middle:?} {above:?}");
        assert!(((above - below).norm() - height).abs() < 1e-7, "{below:?} {above:?}");
        // It has moved by the deflection, a multiple of this.
        let deflection = across * length.powi(3) / (3.0 * 210e9 * inertia) * 5.0 / 16.0;
        assert!(deflection > 1e-5);
        // The same place by its marker, in inertial axes.
        let [own, other] = [1, 5].map(|k| first(&courses[k]));
        assert!((own.1 / other.1 - 1.0).abs() < 1e-12 && (own.0[0] / other.0[0] - 1.0).abs() > 0.1);
    }
}

#[test]
fn a_stress_probe_inside_without_the_points_of_the_model_has_its_distance_and_a_way_out() {
    let inside = probe("in", "on = \"bar\"\nat = [0.1, 0.01, 0.004]", "body");
    let words = [
        "4.000e-3 m from the surface",
        "inside of it",
        "[0.100000, 0.010000, 0.000000]",
        "`fields = \"full\"`",
    ];
    let text = bar("", [500.0, 0.0, 0.0], &inside);
    is_refused(&text, "probe.0.at", &words);
    let [(key, found)] = &checked(&text)[..] else { panic!("{:?}", checked(&text)) };
    assert!(key == "probe.0.at" && words.iter().all(|word| found.contains(word)), "{key} {found}");
    // Outside no model helps.
    let outside = probe("out", "on = \"bar\"\nat = [0.1, 0.01, 0.014]", "body");
    let text =
        bar("", [500.0, 0.0, 0.0], &outside).replace("modes = 10 }", "modes = 10, fields = \"full\" }");
    let words = ["4.000e-3 m from the surface", "outside of it", "[0.100000, 0.010000, 0.010000]"];
    is_refused(&text, "probe.0.at", &words);
    let [(key, found)] = &checked(&text)[..] else { panic!("{:?}", checked(&text)) };
    assert!(key == "probe.0.at" && words.iter().all(|word| found.contains(word)), "{key} {found}");
}

/// The x axis of the bar after its rotation, Rodrigues' formula.
fn axis_of_bar() -> [f64; 3] {
    let size = (1.0_f64 + 4.0 + 0.25).sqrt();
    let [x, y, z] = [1.0, 2.0, -0.5].map(|c| c / size);
    let (sin, cos) = 70.0_f64.to_radians().sin_cos();
    [cos + (1.0 - cos) * x * x, sin * z + (1.0 - cos) * x * y, -sin * y + (1.0 - cos) * x * z]
}

/// Four faces meet in the middle of the block: the stress across the surface is the mean of their pressures,
/// and there is no shear on it.
#[test]
fn the_normal_stress_of_a_face_is_its_contact_pressure() {
    let probe = "[[probe]]\non = \"block\"\nat = [0.01, 0.01, 0.01]\nwhat = [\"stress\"]\naxes = \"body\"\n\
                 every = 1.0e-6\n";
    let text = format!("{PLATE_ON_BLOCK}{probe}");
    let hex = "body.block.make={ shape = \"box\", size = [0.02, 0.02, 0.01], elements = [2, 2, 1], \
               hex = true, order = 2 }";
    for keys in [&["simulation.scheme=\"dynamic\""][..], &["simulation.scheme=\"quasistatic\"", hex]] {
        let chain = Chain::new();
        chain.solve(&parse(&text, keys)).unwrap_or_else(|failed| panic!("{failed}"));
        let reader = chain.reader();
        let courses = reader.probe_courses().unwrap();
        let mut pressed = 0;
        for (index, frame_time) in reader.times().unwrap().into_iter().enumerate() {
            let sample = courses[0].times.iter().position(|time| (time - frame_time).abs() < 1e-12);
            let Some(sample) = sample else { continue };
            let contact = &reader.frame(index).unwrap().contacts[0];
            let mean = contact.pressures.iter().sum::<f64>() / 4.0;
            let [normal, shear, [von_mises, ..]] = courses[0].values[sample][..] else { panic!() };
            let ([_, _, zz], [_, yz, xz]) = (normal, shear);
            let scale = mean.max(von_mises).max(1.0);
            assert!((zz + mean).abs() < 1e-9 * scale, "{frame_time}: {zz} {mean}");
            assert!(yz.abs().max(xz.abs()) < 1e-9 * scale, "{frame_time}: {yz} {xz}");
            pressed += usize::from(mean > 1e6);
        }
        assert!(pressed > 0, "{pressed}");
    }
}

/// A block of hexahedra that a rigid ball hits on a half-space grid, with probes under the ball, in the
/// corner below, and at steps.
const ON_A_GRID: &str = r#"
[simulation]
end_time = 8.0e-5
output_every = 4.0e-6
checkpoint_every = 2
[[body]]
name = "ball"
make = { shape = "ball", radius = 0.01 }
material = "steel"
rigid = true
position = [0.0, 0.0, 0.010005]
velocity = [0.0, 0.0, -0.5]
[[body]]
name = "block"
make = { shape = "box", size = [0.03, 0.03, 0.01], elements = [3, 3, 2], hex = true }
material = "steel"
position = [-0.015, -0.015, -0.01]
reduce = { places = ["0.015,0.015,0.01:0.002"], modes = 8 }
[[contact]]
between = ["block:0.015,0.015,0.01:0.002", "ball"]
law = { kind = "lagrange" }
compliance = "half-space"
"#;

const UNDER_AND_BELOW: &str = r#"
[[probe]]
name = "under"
on = "block"
at = [0.01, 0.01, 0.01]
what = ["stress"]
every = 1.0e-6
[[probe]]
name = "below"
on = "block"
at = [0.0, 0.0, 0.0]
what = ["von_mises", "displacement"]
every = 1.0e-6
[[probe]]
name = "steps"
on = "block"
at = [0.0, 0.0, 0.0]
what = ["shear_stress"]
[[probe]]
contact = "1"
every = 1.0e-6
"#;

#[test]
fn stress_probes_change_no_bit_of_a_run_and_a_continued_run_has_their_samples() {
    let with = parse(&format!("{ON_A_GRID}{UNDER_AND_BELOW}"), &[]);
    let without = parse(ON_A_GRID, &[]);
    let [whole, parts, none] = [Chain::new(), Chain::new(), Chain::new()];
    let bodies = whole.prepare(&with).unwrap();
    whole.run(&with, &bodies, RunOptions::default()).unwrap();
    none.run(&without, &bodies, RunOptions::default()).unwrap();
    parts.run_until(&with, &bodies, RunOptions::default(), &Impatient::after(21)).unwrap_err();
    let stopped = parts.reader().probe_courses().unwrap();
    parts.run(&with, &bodies, RESUME).unwrap();
    let [whole, parts, none] = [whole, parts, none].map(|chain| chain.reader());
    let samples = whole.probe_courses().unwrap();
    assert!(stopped[0].times.len() > 3 && stopped[0].times.len() < samples[0].times.len());
    assert_eq!(samples, parts.probe_courses().unwrap());
    assert_eq!(whole.times().unwrap(), none.times().unwrap());
    for index in 0..whole.times().unwrap().len() {
        assert_eq!(whole.frame(index).unwrap(), none.frame(index).unwrap());
    }
    // Within the loads of the contact the stress is that of smooth loads, and not known.
    let [under, below, _, contact] = &samples[..] else { panic!() };
    let mut loaded = 0;
    for ((under, below), contact) in under.values.iter().zip(&below.values).zip(&contact.values) {
        let has_force = contact[1][0] > 0.0;
        assert!(under.iter().all(|value| value[0].is_finite() != has_force), "{under:?} {contact:?}");
        assert!(below[0][0].is_finite(), "{below:?}");
        loaded += usize::from(has_force);
    }
    assert!(loaded > 10 && loaded < contact.values.len(), "{loaded}");
    assert!(below.values.iter().any(|values| values[0][0] > 1e4));
}

/// A run without such a probe needs the model of a body alone; one with it opens the mesh.
#[test]
fn a_stress_probe_without_the_body_file_names_the_file_and_the_way_out() {
    let made = Chain::new();
    let bar = bar("", [500.0, 0.0, 0.0], "");
    made.prepare(&parse(&bar, &[])).unwrap();
    let rom = made.bodies().join("bar.rom");
    let from = bar.find("make = ").unwrap();
    let to = bar.find("rotation = ").unwrap();
    let rest = &bar[to..];
    let reduce = rest.find("reduce = ").unwrap();
    let end = reduce + rest[reduce..].find('\n').unwrap() + 1;
    let of_model = |probe: &str| {
        let markers = rest[end..].replace("[[body.marker]]\nname = \"below\"\nat = [0.1, 0.01, 0.0]\n", "");
        let start = bar[..from].replace("material = \"steel\"\n", "");
        format!("{start}rom = {rom:?}\n{}{markers}{probe}", &rest[..reduce])
    };
    let at_end = |what: &str| of_model(&format!("[[probe]]\non = \"bar:east\"\nwhat = [{what}]\n"));
    Chain::new().solve(&parse(&at_end("\"stress\""), &[])).unwrap_or_else(|failed| panic!("{failed}"));
    let body = made.bodies().join("bar.npz");
    std::fs::rename(&body, made.bodies().join("elsewhere.npz")).unwrap();
    Chain::new().solve(&parse(&at_end("\"displacement\""), &[])).unwrap_or_else(|failed| panic!("{failed}"));
    let place = body.display().to_string();
    let missing = ["probe `bar:east`", "needs the mesh of the body", &place, "put it there"];
    is_refused(&at_end("\"stress\""), "probe.0.what", &missing);
    // A check finds it before the run, once for the body, and nothing where no stress is wanted.
    let [(key, text)] = &checked(&at_end("\"stress\", \"displacement\""))[..] else { panic!("one error") };
    assert_eq!(key, "probe.0.what");
    assert!(missing.iter().all(|word| text.contains(word)), "{text}");
    assert_eq!(checked(&at_end("\"displacement\"")), []);
    // Another body in its place.
    let other = Chain::new();
    other.prepare(&parse(&bar.replace("0.01]", "0.012]"), &[])).unwrap();
    std::fs::copy(other.bodies().join("bar.npz"), &body).unwrap();
    is_refused(&at_end("\"von_mises\""), "probe.0.what", &["known by its checksum", &place]);
    assert!(checked(&at_end("\"von_mises\""))[0].1.contains("known by its checksum"));
    // It changes after the bodies were prepared.
    let chain = Chain::new();
    let scenario = parse(&bar, &["probe=[{ on = \"bar:below\", what = [\"von_mises\"] }]"]);
    let bodies = chain.prepare(&scenario).unwrap();
    std::fs::copy(&body, chain.bodies().join("bar.npz")).unwrap();
    let error = chain.run(&scenario, &bodies, RunOptions::default()).unwrap_err();
    assert_eq!((error.kind(), error.key()), (ErrorKind::Input, Some("probe.0.what")), "{error}");
    assert!(error.to_string().contains("its checksum is another one"), "{error}");
}

/// The errors that a check finds, with their keys.
fn checked(text: &str) -> Vec<(String, String)> {
    let problems = survey(&parse(text, &[]), Chain::new().workshop(), &Silent).problems;
    problems.iter().map(|p| (p.key().unwrap_or("").to_owned(), p.to_string())).collect()
}

/// Shells have two surfaces and no solid between them; the scheme would have to reduce them too.
#[test]
fn a_stress_probe_on_shells_is_refused_by_its_name_with_a_way_out() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../meshes/plate-hit/plate.inp");
    let plate = format!(
        "[simulation]\nend_time = 1.0e-6\n[[body]]\nname = \"plate\"\nfile = \"{file}\"\n\
         material = \"steel\"\nreduce = {{ interface = [\"edge\"], modes = 6 }}\n"
    );
    let probe = "[[probe]]\nname = \"middle\"\non = \"plate\"\nat = [0.0, 0.0, 0.0]\nwhat = [\"stress\"]\n";
    let [(of_body, reduction), (of_probe, stress)] = &checked(&format!("{plate}{probe}"))[..] else {
        panic!("{:?}", checked(&format!("{plate}{probe}")))
    };
    assert_eq!((of_body.as_str(), of_probe.as_str()), ("body.0", "probe.0.what"));
    let words =
        ["probe `middle`", "body `plate`", "shells or beams", "leave out `stress`", "carom-post export"];
    assert!(words.iter().all(|word| stress.contains(word)), "{stress}");
    let words = ["body `plate`", "shells or beams", "the scheme `explicit`", "solid cells"];
    assert!(words.iter().all(|word| reduction.contains(word)), "{reduction}");
    // The run has the same error of the body as the check.
    is_refused(&plate, "body.0", &words);
    assert_eq!(checked(&plate).len(), 1);
}
