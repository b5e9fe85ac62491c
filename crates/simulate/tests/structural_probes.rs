//! Probes of the stress in walls of shells, and of the forces in sections of beams, against a cantilever that
//! is loaded slowly.

use std::fmt::Write;

use carom_format::result::ProbeCourse;
use carom_progress::Silent;
use carom_simulate::survey;

use crate::fixtures::{Chain, is_refused, parse, solve};

/// Length, width and thickness of the strip \[m\], and the force across it at its end \[N\].
const STRIP: [f64; 3] = [0.1, 0.02, 0.002];
const FORCE: f64 = 2.0;

/// A strip of ten shells along x, or ten beams along x of a section with its axis 2 along z, clamped in
/// `west` and loaded at `east`, with the sets `all` and `middle`.
fn mesh(is_shell: bool) -> String {
    let rows = if is_shell { 3 } else { 1 };
    let mut text = String::from("*NODE\n");
    for row in 0..rows {
        for k in 0..11 {
            let (x, y) = (0.01 * f64::from(k), 0.01 * f64::from(row));
            writeln!(text, "{}, {x}, {y}, 0", 11 * row + k + 1).unwrap();
        }
    }
    let ends = if is_shell { "S4" } else { "B31" };
    writeln!(text, "*ELEMENT, TYPE={ends}, ELSET=all").unwrap();
    let cells = (0..rows.max(2) - 1).flat_map(|row| (0..10).map(move |k| 11 * row + k + 1));
    for (number, first) in cells.enumerate() {
        match is_shell {
            true => writeln!(text, "{}, {first}, {}, {}, {}", number + 1, first + 1, first + 12, first + 11),
            false => writeln!(text, "{}, {first}, {}", number + 1, first + 1),
        }
        .unwrap();
    }
    for (name, k) in [("west", 1), ("middle", 6), ("east", 11)] {
        writeln!(text, "*NSET, NSET={name}").unwrap();
        (0..rows).for_each(|row| writeln!(text, "{}", 11 * row + k).unwrap());
    }
    let section = match is_shell {
        true => "*SHELL SECTION, ELSET=all, MATERIAL=m\n0.002, 5\n",
        false => "*BEAM SECTION, ELSET=all, MATERIAL=m, SECTION=RECT\n0.002, 0.004\n0, 0, 1\n",
    };
    text + section + "*MATERIAL, NAME=m\n*ELASTIC\n2.1e11, 0.0\n*DENSITY\n7800\n"
}

/// The strip under a force that grows within many of its periods of 6 ms, then stays.
fn scenario(probes: &str) -> String {
    format!(
        "[simulation]\nscheme = \"explicit\"\nend_time = 0.06\noutput_every = 0.06\n\
         [material.m]\ndensity = 7800.0\nyoung = 2.1e11\npoisson = 0.0\nlaw = \"st-venant-kirchhoff\"\n\
         [[body]]\nname = \"strip\"\nfile = \"strip.inp\"\nmaterial = \"m\"\n\
         rotation = {{ axis = [0.0, 0.0, 1.0], degrees = 90.0 }}\n\
         [[support]]\non = \"strip:west\"\ndirections = [\"x\", \"y\", \"z\", \"rx\", \"ry\", \"rz\"]\n\
         [[force]]\non = \"strip:east\"\nforce = [0.0, 0.0, -{FORCE:?}]\n\
         scale = \"smoothstep(t/0.05)\"\n{probes}"
    )
}

fn run(is_shell: bool, probes: &str) -> Vec<ProbeCourse> {
    let chain = Chain::new();
    std::fs::write(chain.folder().join("strip.inp"), mesh(is_shell)).unwrap();
    chain.solve(&parse(&scenario(probes), &[])).unwrap_or_else(|error| panic!("{error}"));
    chain.reader().probe_courses().unwrap()
}

/// The mean of a component after the force has grown.
fn mean(course: &ProbeCourse, quantity: usize, component: usize) -> f64 {
    let samples = course.times.iter().zip(&course.values).filter(|(time, _)| **time > 0.05);
    let all: Vec<f64> = samples.map(|(_, values)| values[quantity][component]).collect();
    all.iter().sum::<f64>() / all.len() as f64
}

/// σ = ±6 M/(w t²) at the surfaces of a plate, M = F (L − x), and 0 in the mean over the thickness; the strip
/// lies along y after its rotation.
#[test]
fn a_bent_plate_has_the_stress_of_its_surfaces() {
    let [length, width, thickness] = STRIP;
    let probe = |name: &str, place: &str, wall: &str| {
        format!(
            "[[probe]]\nname = \"{name}\"\n{place}\nwhat = [\"stress\"]\nwall = \"{wall}\"\nevery = 1e-4\n"
        )
    };
    let probes = [
        probe("above", "on = \"strip\"\nat = [0.043, 0.012, 0.0]", "top"),
        probe("within", "on = \"strip\"\nat = [0.043, 0.012, 0.0]", "middle"),
        probe("below", "on = \"strip\"\nat = [0.043, 0.012, 0.0]", "bottom"),
        probe("set", "on = \"strip:middle\"", "top"),
    ];
    let courses = run(true, &probes.concat());
    let expected = |x: f64| 6.0 * FORCE * (length - x) / (width * thickness * thickness);
    for (course, size) in courses.iter().zip([expected(0.043), 0.0, -expected(0.043), expected(0.05)]) {
        let stress: Vec<f64> =
            (0..6).map(|c| if c < 3 { mean(course, 0, c) } else { mean(course, 1, c - 3) }).collect();
        println!("{stress:?}, expected {size}");
        let largest = expected(0.043);
        assert!((stress[1] - size).abs() < 0.01 * largest, "{stress:?} {size}");
        let rest = [0, 2, 3, 5].map(|c: usize| stress[c].abs()).into_iter().fold(0.0, f64::max);
        assert!(rest < 0.01 * largest, "{stress:?}");
        assert!((mean(course, 2, 0) - size.abs()).abs() < 0.05 * largest);
    }
}

/// The shear force F and the bending moment F (L − x) of a cantilever, at nodes and between them.
#[test]
fn a_cantilever_of_beams_has_the_forces_of_its_sections() {
    let probe = |x: f64| {
        format!(
            "[[probe]]\nname = \"{x}\"\non = \"strip\"\nat = [{x:?}, 0.0, 0.0]\n\
             what = [\"section_force\", \"section_moment\"]\nevery = 1e-4\n"
        )
    };
    let places = [0.012, 0.04, 0.0555, 0.093];
    let courses = run(false, &places.map(probe).concat());
    for (course, x) in courses.iter().zip(places) {
        let [force, moment] = [0, 1].map(|quantity| [0, 1, 2].map(|c| mean(course, quantity, c)));
        println!("{x}: {force:?} {moment:?}");
        // The second axis of the section is z, the third −y of the mesh.
        assert!((force[1] + FORCE).abs() < 0.01 * FORCE, "{x}: {force:?}");
        assert!(force[0].abs().max(force[2].abs()) < 0.02 * FORCE, "{x}: {force:?}");
        let expected = -FORCE * (STRIP[0] - x);
        assert!((moment[2] - expected).abs() < 0.01 * FORCE * STRIP[0], "{x}: {moment:?} {expected}");
        assert!(moment[0].abs().max(moment[1].abs()) < 1e-3 * FORCE * STRIP[0], "{x}: {moment:?}");
    }
}

#[test]
fn probes_of_shells_and_beams_that_do_not_fit_are_refused_by_name() {
    let at = "on = \"strip\"\nat = [0.043, 0.0, 0.0]\n";
    let section = "what = [\"section_force\"]\n";
    for (is_shell, probe, key, words) in [
        (true, format!("{at}what = [\"stress\"]\n"), "what", ["`wall = \"top\"`", "`section_force`"]),
        (true, format!("{at}{section}"), "at", ["on a shell", "name `stress` with `wall`"]),
        (false, format!("{at}what = [\"stress\"]\nwall = \"top\"\n"), "at", ["on a beam", "no wall"]),
        (false, format!("on = \"strip:middle\"\n{section}"), "on", ["no single section", "a marker there"]),
        (
            true,
            "on = \"strip\"\nat = [0.043, 0.01, 0.02]\nwhat = [\"stress\"]\nwall = \"top\"\n".into(),
            "at",
            ["2.000e-2 m outside", "[0.043000, 0.010000, 0.000000]"],
        ),
    ] {
        let chain = Chain::new();
        std::fs::write(chain.folder().join("strip.inp"), mesh(is_shell)).unwrap();
        let scenario = parse(&scenario(&format!("[[probe]]\n{probe}")), &[]);
        let error = chain.solve(&scenario).expect_err(words[0]);
        let text = error.to_string();
        assert_eq!(error.key(), Some(&*format!("probe.0.{key}")), "{text}");
        assert!(words.iter().all(|word| text.contains(word)), "{text}");
        let problems = survey(&scenario, chain.workshop(), &Silent).problems;
        let keys: Vec<_> = problems.iter().map(|problem| problem.key().map(str::to_owned)).collect();
        assert_eq!(keys, [Some(format!("probe.0.{key}"))], "{problems:?}");
    }
    // Solids have no walls and no sections.
    let solid = "[simulation]\nscheme = \"static\"\n[[body]]\nname = \"bar\"\nmaterial = \"steel\"\n\
                 make = { shape = \"box\", size = [0.1, 0.02, 0.02], elements = [2, 1, 1] }\n\
                 [[support]]\non = \"bar:west\"\n[[probe]]\non = \"bar:east\"\n";
    is_refused(
        &format!("{solid}what = [\"stress\"]\nwall = \"top\"\n"),
        "probe.0.what",
        &["leave out `wall`"],
    );
    let of_motion = solve(&format!("{solid}{section}")).unwrap_err().to_string();
    assert!(of_motion.contains("it has no `section_force`"), "{of_motion}");
}
