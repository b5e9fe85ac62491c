//! Probes of the stress of unreduced bodies against closed forms, in all schemes: waves, large strains,
//! plastic flow, bending and thick walls, inside of the bodies and at their surface.

use carom_format::result::ProbeCourse;
use carom_progress::Silent;
use carom_simulate::{RunOptions, survey};

use crate::fixtures::{Chain, Impatient, RESUME, is_refused, parse};

const TWO_BARS: &str = include_str!("../../../meshes/two-bars/scenario.toml");

fn courses(text: &str) -> Vec<ProbeCourse> {
    let chain = Chain::new();
    chain.solve(&parse(text, &[])).unwrap_or_else(|error| panic!("{error}"));
    chain.reader().probe_courses().unwrap()
}

fn probe(name: &str, place: &str) -> String {
    format!("[[probe]]\nname = \"{name}\"\n{place}\nwhat = [\"stress\"]\n")
}

/// xx, yy, zz, xy, yz, xz of a sample, and the von Mises stress.
fn sample(values: &[[f64; 3]]) -> ([f64; 6], f64) {
    let [[xx, yy, zz], [xy, yz, xz], [von_mises, ..]] = values[..] else { panic!("{values:?}") };
    ([xx, yy, zz, xy, yz, xz], von_mises)
}

/// Means of the components over the samples in an interval of time.
fn mean(course: &ProbeCourse, [from, to]: [f64; 2]) -> [f64; 6] {
    let (mut sum, mut count) = ([0.0; 6], 0.0);
    for (time, values) in course.times.iter().zip(&course.values) {
        if (from..=to).contains(time) {
            let stress = sample(values).0;
            (0..6).for_each(|c| sum[c] += stress[c]);
            count += 1.0;
        }
    }
    assert!(count > 5.0, "{count}");
    sum.map(|sum| sum / count)
}

/// σ = −ρ c v/2 behind the front of the wave of two equal bars that meet at v, before the wave that the free
/// end reflects; nothing before the front. Also in bars along y.
#[test]
fn the_wave_of_an_impact_has_the_stress_of_its_impedance() {
    let turn = |text: &str| {
        text.replace("position = [-25.01, 0.0, 0.0]", "position = [0.0, -25.01, 0.0]\nROTATION")
            .replace("position = [25.0, 0.0, 0.0]", "position = [0.0, 25.0, 0.0]\nROTATION")
            .replace("velocity = [1.0, 0.0, 0.0]", "velocity = [0.0, 1.0, 0.0]")
            .replace("ROTATION", "rotation = { axis = [0.0, 0.0, 1.0], degrees = 90.0 }")
    };
    let probes = probe("inside", "on = \"right\"\nat = [25.3, 0.4, 0.7]")
        + &probe("side", "on = \"right\"\nat = [25.0, 1.0, 0.5]");
    let expected = -0.01 * 100.0 * 0.5;
    for scheme in ["explicit", "energy-momentum", "midpoint", "complementarity"] {
        let text = TWO_BARS.replace("scheme = \"explicit\"", &format!("scheme = \"{scheme}\""));
        let upright = turn(&text);
        assert_eq!(upright.matches("degrees").count(), 2);
        for (text, along) in [(&text, 0), (&upright, 1)] {
            for course in courses(&format!("{text}{probes}")) {
                let plateau = mean(&course, [0.35, 0.7]);
                println!("{scheme}: {plateau:?}");
                assert!((plateau[along] / expected - 1.0).abs() < 0.01, "{scheme}: {plateau:?}");
                let rest = (0..6).filter(|c| *c != along).map(|c| plateau[c].abs());
                assert!(rest.fold(0.0, f64::max) < 1e-3 * expected.abs(), "{scheme}: {plateau:?}");
                let before = mean(&course, [0.0, 0.18]);
                assert!(before[along].abs() < 0.01 * expected.abs(), "{scheme}: {before:?}");
            }
        }
    }
}

/// The same wave in a reduced bar, by its modes, inside and at its side.
#[test]
fn the_wave_in_a_reduced_bar_has_the_stress_of_its_impedance() {
    let (left, right) = TWO_BARS.split_once("name = \"right\"").unwrap();
    let model = "name = \"right\"\nreduce = { interface = [\"west\"], modes = 150, fields = \"full\" }";
    let probes = probe("inside", "on = \"right\"\nat = [25.3, 0.4, 0.7]")
        + &probe("side", "on = \"right\"\nat = [25.0, 1.0, 0.5]\naxes = \"body\"");
    // The highest modes limit the step.
    let left = left.replace("time_step = 0.009", "time_step = 0.004");
    let text = format!("{left}{model}{right}{probes}");
    for course in courses(&text) {
        let plateau = mean(&course, [0.35, 0.7]);
        println!("{plateau:?}");
        assert!((plateau[0] / -0.5 - 1.0).abs() < 0.02, "{plateau:?}");
        let rest = plateau[1..].iter().fold(0.0_f64, |most, s| most.max(s.abs()));
        assert!(rest < 0.01, "{plateau:?}");
        let before = mean(&course, [0.0, 0.18]);
        assert!(before[0].abs() < 0.02, "{before:?}");
    }
    let outside = text.replace("[25.3, 0.4, 0.7]", "[25.3, 0.4, 2.0]");
    is_refused(&outside, "probe.0.at", &["1.000e0 m from the surface", "outside of it"]);
    let section = text.replacen("what = [\"stress\"]", "what = [\"section_force\"]", 1);
    is_refused(&section, "probe.0.what", &["`right`", "it is reduced", "leave out `wall`"]);
}

/// A cube pulled along x by a part of its length, free across, with probes inside, at a face and on a set.
fn pulled(law: &str, elements: &str, (stretch, end_time): (f64, f64)) -> String {
    let support = |set: &str, axis: &str, more: &str| {
        format!("[[support]]\non = \"cube:{set}\"\ndirections = [\"{axis}\"]\n{more}")
    };
    let moved = format!("displacement = [{:?}, 0.0, 0.0]\n", 0.1 * stretch);
    [
        format!(
            "[simulation]\nscheme = \"explicit\"\nend_time = {end_time:?}\noutput_every = 0.1\n[material.m]\n\
             density = 1000.0\nyoung = 1.0e7\npoisson = 0.3\n"
        ),
        format!("{law}\n[[body]]\nname = \"cube\"\nmaterial = \"m\"\nelements = \"{elements}\"\n"),
        "make = { shape = \"box\", size = [0.1, 0.1, 0.1], elements = [2, 2, 2], hex = true, order = 1 }\n"
            .to_owned(),
        support("west", "x", ""),
        support("south", "y", ""),
        support("bottom", "z", ""),
        support("east", "x", &moved),
        probe("inside", "on = \"cube\"\nat = [0.02, 0.07, 0.06]"),
        probe("face", "on = \"cube\"\nat = [0.05, 0.1, 0.03]"),
        probe("set", "on = \"cube:top\""),
    ]
    .concat()
}

/// Uniaxial stress in large strains: of St. Venant and Kirchhoff's law σ = E E₁₁ λ/(1 − 2 ν E₁₁), and in
/// small strains σ = E ε. The bar is pulled at 0.04 m/s, of waves of 100 m/s.
#[test]
fn a_stretched_body_has_the_cauchy_stress_of_its_law() {
    let stretch = 0.2_f64;
    let green = 0.5 * ((1.0 + stretch).powi(2) - 1.0);
    let saint_venant = 1e7 * green * (1.0 + stretch) / (1.0 - 0.6 * green);
    for (law, expected) in [("linear", 1e7 * stretch), ("st-venant-kirchhoff", saint_venant)] {
        for elements in ["full", "mean-dilatation", "one-point"] {
            for course in courses(&pulled(&format!("law = \"{law}\""), elements, (stretch, 0.5))) {
                let (stress, von_mises) = sample(course.values.last().unwrap());
                println!("{law} {elements}: {stress:?}, expected {expected}");
                assert!((stress[0] / expected - 1.0).abs() < 0.01, "{law} {elements}: {stress:?} {expected}");
                let rest = stress[1..].iter().fold(0.0_f64, |most, s| most.max(s.abs()));
                assert!(rest < 0.01 * expected, "{law} {elements}: {stress:?}");
                assert!((von_mises / expected - 1.0).abs() < 0.015, "{von_mises}");
            }
        }
    }
}

/// Plastic flow: Kirchhoff's stress is that of the hardening curve at the plastic strain ln λ − τ/E, and
/// Cauchy's is smaller by the change of volume. Elastic strains are small, as the plastic flow of the law
/// keeps their volume to first order alone. The pull begins at once at 5 mm/s, a wave of ρ c v = 0.5 kPa.
#[test]
fn a_yielded_body_has_the_stress_of_its_hardening_curve() {
    let (young, yielded, modulus, stretch) = (1e7, 2e4, 2e5, 0.1_f64);
    let plastic = (young * stretch.ln_1p() - yielded) / (young + modulus);
    let tau = yielded + modulus * plastic;
    let expected = tau / (0.4 * tau / young).exp();
    let law = format!("law = \"plastic\"\nyield_stress = {yielded:?}\nhardening = {modulus:?}");
    for elements in ["full", "mean-dilatation", "one-point"] {
        for course in courses(&pulled(&law, elements, (stretch, 2.0))) {
            let (stress, von_mises) = sample(course.values.last().unwrap());
            println!("{elements}: {stress:?} {von_mises}, expected {expected}");
            assert!((stress[0] / expected - 1.0).abs() < 0.02, "{elements}: {stress:?} {expected}");
            // Von Mises stress does not exceed the yield stress, whatever still vibrates.
            assert!((von_mises / expected - 1.0).abs() < 0.005, "{elements}: {von_mises} {expected}");
        }
    }
}

/// A cantilever under a force at its end in the scheme `static`.
fn cantilever(make: &str, steps: usize) -> String {
    format!(
        "[simulation]\nscheme = \"static\"\nend_time = 1.0\nsteps = {steps}\n\
         [[body]]\nname = \"beam\"\nmaterial = \"steel\"\n\
         rotation = {{ axis = [0.0, 0.0, 1.0], degrees = 90.0 }}\n\
         make = {{ shape = \"box\", size = [0.4, 0.02, 0.02], elements = [16, 2, 2]{make} }}\n\
         [[support]]\non = \"beam:west\"\n[[force]]\non = \"beam:east\"\nforce = [0.0, 0.0, -100.0]\n"
    )
}

/// σ = M z/I through the height, linear and zero in the neutral axis, along the beam, which lies along y.
#[test]
fn a_cantilever_has_the_bending_stress_of_its_height() {
    let heights = [0.0, 0.003, 0.007, 0.01, 0.014, 0.02];
    let at = |z: f64| probe(&format!("{z}"), &format!("on = \"beam\"\nat = [0.21, 0.01, {z:?}]"));
    let probes: String = heights.map(at).concat();
    let moment = 100.0 * (0.4 - 0.21);
    let inertia = 0.02_f64.powi(4) / 12.0;
    let largest = moment * 0.01 / inertia;
    for make in ["", ", hex = true, order = 2"] {
        let courses = courses(&format!("{}{probes}", cantilever(make, 2)));
        for (course, z) in courses.iter().zip(heights) {
            assert_eq!(course.times, [0.0, 0.5, 1.0]);
            for (step, values) in course.values.iter().enumerate() {
                let (stress, von_mises) = sample(values);
                let expected = 0.5 * step as f64 * moment * (z - 0.01) / inertia;
                println!("{make} {z} {step}: {stress:?} {expected}");
                assert!((stress[1] - expected).abs() < 5e-3 * largest, "{make} {z}: {stress:?} {expected}");
                let rest = [0, 2, 3, 5].map(|c: usize| stress[c].abs()).into_iter().fold(0.0, f64::max);
                assert!(rest < 1e-2 * largest, "{make} {z}: {stress:?}");
                // Parabolic shear over the height.
                let shear = 0.5 * step as f64 * 1.5 * 100.0 / 0.0004 * (1.0 - (100.0 * z - 1.0).powi(2));
                let of_both = (expected * expected + 3.0 * shear * shear).sqrt();
                assert!((von_mises - of_both).abs() < 2e-2 * largest, "{make} {z}: {von_mises} {of_both}");
            }
        }
    }
}

/// Lamé's thick cylinder in plane strain under inner pressure: radial stress p a²/(b² − a²) (1 − b²/r²) and
/// hoop stress with the other sign, ν times their sum along the axis, inside of the wall.
#[test]
fn a_thick_tube_has_lames_stress_in_its_wall() {
    let (a, b, pressure) = (0.05_f64, 0.1_f64, 1e8);
    let factor = pressure * a * a / (b * b - a * a);
    let radii = [0.055, 0.0625, 0.07, 0.0875, 0.096];
    let (cos, sin) = (0.6, 0.8);
    let make = "make = { shape = \"tube\", radius = 0.1, inner_radius = 0.05, length = 0.04, elements = ";
    let text = |mesh: &str| {
        let at = |r: f64| {
            let place = format!("on = \"tube\"\nat = [0.013, {:?}, {:?}]", r * cos, r * sin);
            probe(&format!("{r}"), &place)
        };
        format!(
            "[simulation]\nscheme = \"static\"\n[[body]]\nname = \"tube\"\nmaterial = \"steel\"\n\
             {make}{mesh} }}\n\
             [[support]]\non = \"tube:start\"\ndirections = [\"x\"]\n\
             [[support]]\non = \"tube:end\"\ndirections = [\"x\"]\n\
             [[pressure]]\non = \"tube:inner\"\nvalue = {pressure:?}\n{}",
            radii.map(at).concat()
        )
    };
    let error = |mesh: &str| {
        let mut worst = 0.0_f64;
        for (course, r) in courses(&text(mesh)).iter().zip(radii) {
            let (stress, _) = sample(course.values.last().unwrap());
            let [xx, yy, zz, xy, yz, xz] = stress;
            let radial = cos * cos * yy + sin * sin * zz + 2.0 * cos * sin * yz;
            let hoop = sin * sin * yy + cos * cos * zz - 2.0 * cos * sin * yz;
            let shear = cos * sin * (zz - yy) + (cos * cos - sin * sin) * yz;
            let of = |sign: f64| factor * (1.0 + sign * b * b / (r * r));
            println!("{mesh} {r}: {radial} {hoop} {xx}, expected {} {}", of(-1.0), of(1.0));
            let errors = [radial - of(-1.0), hoop - of(1.0), shear, xy, xz];
            worst = errors.iter().fold(worst, |most, error| most.max(error.abs() / pressure));
            let along = 0.3 * (of(-1.0) + of(1.0));
            worst = worst.max((xx - along).abs() / pressure);
        }
        worst
    };
    // Of the second order in the size of the cells; the second radius lies on a face of two of them.
    for more in ["", ", hex = true, order = 2"] {
        let errors = ["[1, 4, 4]", "[1, 8, 8]"].map(|mesh| error(&format!("{mesh}{more}")));
        println!("{more} {errors:?}");
        assert!(errors[1] < 0.012 && errors[1] < 0.35 * errors[0], "{more} {errors:?}");
    }
}

/// A displacement, a contact and a whole body in statics, beside its forces.
#[test]
fn statics_have_samples_at_each_load_step() {
    let place = "on = \"beam:east\"\nwhat = [\"displacement\", \"position\"]\n";
    let text = format!("{}[[probe]]\n{place}[[probe]]\non = \"beam\"\nat = [0.4, 0.01, 0.01]\n", {
        cantilever(", hex = true, order = 2", 4)
    });
    let courses = courses(&text);
    let deflection = 100.0 * 0.4_f64.powi(3) / (3.0 * 210e9 * 0.02_f64.powi(4) / 12.0);
    for (step, values) in courses[0].values.iter().enumerate() {
        let down = values[0][2];
        assert!((down + 0.25 * step as f64 * deflection).abs() < 0.01 * deflection, "{step}: {down}");
        let rest = courses[0].values[0][1][2] + down - values[1][2];
        assert!(rest.abs() < 1e-15, "{rest}");
        // A point alone has its displacement unless more is named.
        assert_eq!(courses[1].values[step].len(), 1);
        assert!((courses[1].values[step][0][2] - down).abs() < 1e-3 * deflection);
    }
    // Continued from a load step.
    let [whole, parts] = [Chain::new(), Chain::new()];
    let scenario = parse(&text, &[]);
    let bodies = whole.prepare(&scenario).unwrap();
    whole.run(&scenario, &bodies, RunOptions::default()).unwrap_or_else(|error| panic!("{error}"));
    parts.run_until(&scenario, &bodies, RunOptions::default(), &Impatient::after(2)).unwrap_err();
    parts.run(&scenario, &bodies, RESUME).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(whole.reader().probe_courses().unwrap(), parts.reader().probe_courses().unwrap());
}

/// Two blocks pressed on each other: the force of the contact, and the pressure as the stress below it.
#[test]
fn a_contact_in_statics_has_its_force_and_the_body_its_pressure() {
    let block = |name: &str, z: f64| {
        format!(
            "[[body]]\nname = \"{name}\"\nmaterial = \"steel\"\nposition = [0.0, 0.0, {z:?}]\n\
             make = {{ shape = \"box\", size = [0.1, 0.1, 0.05], elements = [2, 2, 2] }}\n"
        )
    };
    let held = |on: &str, axis: &str| format!("[[support]]\non = \"{on}\"\ndirections = [\"{axis}\"]\n");
    let text = [
        "[simulation]\nscheme = \"static\"\n".to_owned(),
        block("lower", 0.0),
        block("upper", 0.05),
        held("lower:bottom", "z"),
        held("lower:west", "x"),
        held("lower:south", "y"),
        held("upper:west", "x"),
        held("upper:south", "y"),
        "[[pressure]]\non = \"upper:top\"\nvalue = 1.0e6\n\
         [[contact]]\nbetween = [\"lower:top\", \"upper:bottom\"]\nlaw = { kind = \"lagrange\" }\n\
         [[probe]]\ncontact = \"lower/upper\"\n[[probe]]\non = \"upper\"\n"
            .to_owned(),
        probe("in", "on = \"lower\"\nat = [0.03, 0.02, 0.04]"),
    ]
    .concat();
    let courses = courses(&text);
    let [force, normal, gap] = courses[0].values.last().unwrap()[..] else { panic!() };
    assert!(
        (force[2] + 1e4).abs() < 1.0 && (normal[0] - 1e4).abs() < 1.0 && gap[0] < 0.0,
        "{force:?} {gap:?}"
    );
    let [on_upper] = courses[1].values.last().unwrap()[..] else { panic!() };
    assert!((on_upper[2] - 1e4).abs() < 1.0, "{on_upper:?}");
    let (stress, _) = sample(courses[2].values.last().unwrap());
    assert!((stress[2] + 1e6).abs() < 1e3 && stress[0].abs().max(stress[1].abs()) < 1e3, "{stress:?}");
}

#[test]
fn stress_probes_that_do_not_fit_are_refused_by_name() {
    let outside = probe("out", "on = \"left\"\nat = [51.0, 0.25, 0.5]");
    let with = |probe: &str| format!("{TWO_BARS}{probe}");
    is_refused(&with(&outside), "probe.0.at", &["lies 1.000e0 m outside", "[50.000000, 0.250000, 0.500000]"]);
    is_refused(&with(&probe("set", "on = \"left:tip\"")), "probe.0.on", &["tip"]);
    let wave = with(&probe("wave", "on = \"left\"\nat = [5.0, 0.25, 0.5]"))
        .replace("scheme = \"explicit\"", "scheme = \"complementarity\"")
        .replace("poisson = 0.0", "poisson = 0.0\nlaw = \"scalar-wave\"");
    is_refused(&wave, "probe.0.what", &["probe `wave`", "`scalar-wave` has no stress", "leave out `stress`"]);
    let statics = cantilever("", 1);
    let motion = format!("{statics}[[probe]]\non = \"beam:east\"\nwhat = [\"velocity\"]\n");
    is_refused(&motion, "probe.0.what", &["nothing moves in the scheme `static`", "`velocity`", "`stress`"]);
    let every = format!("{statics}[[probe]]\non = \"beam:east\"\nevery = 0.1\n");
    is_refused(&every, "probe.0.every", &["a sample at each load step", "leave out `every`"]);
    let below = format!("{statics}{}", probe("below", "on = \"beam\"\nat = [0.1, 0.01, -0.01]"));
    is_refused(&below, "probe.0.at", &["lies 1.000e-2 m outside", "[0.100000, 0.010000, 0.000000]"]);
    for (text, key) in [(with(&outside), "probe.0.at"), (wave, "probe.0.what"), (below, "probe.0.at")] {
        let problems = survey(&parse(&text, &[]), Chain::new().workshop(), &Silent).problems;
        let keys: Vec<_> = problems.iter().map(|problem| problem.key()).collect();
        assert_eq!(keys, [Some(key)], "{problems:?}");
    }
}
