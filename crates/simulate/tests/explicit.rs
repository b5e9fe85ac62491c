//! The scheme `explicit` from scenario to result: the two bars of Zywicz and Puso (1999), and its refusals.

use carom_simulate::{ErrorKind, ExpectedSize, survey};

use crate::fixtures::{Chain, REPLACE, parse, read, solve, solve_with};

const TAYLOR_BAR: &str = include_str!("../../../meshes/taylor-bar/scenario.toml");

const TWO_BARS: &str = include_str!("../../../meshes/two-bars/scenario.toml");
const RIGID_BARS: &str = include_str!("../../../meshes/rigid-bars/scenario.toml");
const ROD_IN_CUBE: &str = include_str!("../../../meshes/rod-in-cube/explicit.toml");

/// The figures agree with docs/theory/whole-bodies.md, section 8.2.
#[test]
fn two_bars_exchange_their_velocities() {
    let outcome = solve(TWO_BARS).unwrap_or_else(|error| panic!("{error}"));
    let [left, right] = [0, 1].map(|body| outcome.bodies[body].velocity[0]);
    assert!((left - 0.00704).abs() < 2e-4 && (right - 0.99296).abs() < 2e-4, "{left} {right}");
    let contact = &outcome.summary.contacts[0];
    assert!((contact.start - 0.01).abs() < 0.01 && (contact.end - 1.01).abs() < 0.02, "{contact:?}");
    let errors = outcome.summary.ledger.errors();
    assert!(errors[0].unwrap() < 1e-13 && errors[1].unwrap() < 1e-13, "{errors:?}");
    // The density is that of the paper.
    let [warning] = &outcome.warnings[..] else { panic!("{:?}", outcome.warnings) };
    assert!(warning.contains("density"), "{warning}");
}

/// A run with a rigid bar and a law of large deformation; the step follows from the critical step.
#[test]
fn a_rigid_bar_hits_a_deformable_one() {
    let text = TWO_BARS.replacen("material = \"soft\"", "material = \"soft\"\nrigid = true", 1);
    let text =
        text.replace("time_step = 0.009              # the waves pass a cell in 0.01 s\n", "courant = 0.8\n");
    let text = text.replace("poisson = 0.0 ", "law = \"neo-hookean\"\npoisson = 0.0 ");
    let outcome = solve(&text).unwrap_or_else(|error| panic!("{error}"));
    // A rigid bar hits a deformable one of the same mass: v = exp(−2 t/T) until the reflected wave returns
    // after T = 1 s; then the bars separate with exp(−2).
    let left = outcome.bodies[0].velocity[0];
    assert!((left - (-2.0_f64).exp()).abs() < 0.02, "{left}");
    let errors = outcome.summary.ledger.errors();
    assert!(errors[0].unwrap() < 1e-12 && errors[1].unwrap() < 1e-12, "{errors:?}");
}

/// A bar with a table `reduce` has modes, and touches the other one in the same way.
#[test]
fn a_reduced_bar_and_an_unreduced_one_exchange_their_velocities() {
    let reduced = "material = \"soft\"\nreduce = { interface = [\"east\"], modes = 60 }";
    let text = TWO_BARS.replacen("material = \"soft\"", reduced, 1);
    let text =
        text.replace("time_step = 0.009              # the waves pass a cell in 0.01 s\n", "courant = 0.8\n");
    let outcome = solve(&text).unwrap_or_else(|error| panic!("{error}"));
    let [left, right] = [0, 1].map(|body| outcome.bodies[body].velocity[0]);
    assert!(left.abs() < 0.03 && (right - 1.0).abs() < 0.03, "{left} {right}");
    let errors = outcome.summary.ledger.errors();
    assert!(errors[0].unwrap() < 1e-12 && errors[1].unwrap() < 1e-12, "{errors:?}");
    let all = text.replace("[\"left:east\", \"right:west\"]", "[\"*\"]");
    let refused = solve(&all).expect_err("all surfaces").to_string();
    assert!(refused.contains("`left` is reduced") && refused.contains("name the surfaces"), "{refused}");
}

#[test]
fn warnings_and_refusals_name_a_remedy() {
    let long = solve_with(TWO_BARS, &["simulation.time_step=0.02"]).expect_err("unstable steps");
    assert_eq!(long.kind(), ErrorKind::Convergence);
    assert!(long.to_string().contains("unstable") && long.to_string().contains("time_step"), "{long}");
    let both = TWO_BARS.replace("material = \"soft\"\n", "material = \"soft\"\nrigid = true\n");
    let soft = format!("{both}law = {{ kind = \"penalty\", stiffness = 1e3 }}\n");
    let refused = [
        (soft, "two rigid bodies touch by multipliers"),
        (format!("{TWO_BARS}restitution = 0.5\n"), "`restitution` is that of two rigid bodies"),
        (TWO_BARS.replace("\"left:east\"", "\"left:nowhere\""), "nowhere"),
    ];
    for (text, words) in refused {
        let error = solve(&text).expect_err(words);
        assert_eq!(error.kind(), ErrorKind::Input);
        assert!(error.to_string().contains(words), "{error}");
    }
    let all = TWO_BARS.replace("[\"left:east\", \"right:west\"]", "[\"*\", \"left:east\"]");
    assert!(read(&all, &[]).expect_err("`*` comes alone").contains("comes alone"));
    let twice = TWO_BARS.to_owned() + "[[contact]]\nbetween = [\"*\"]\n";
    assert!(read(&twice, &[]).expect_err("all surfaces, and some again").contains("paired already"));
    let text = TWO_BARS.replace("[\"left:east\", \"right:west\"]", "[\"*\"]");
    let text = text.replace("scheme = \"explicit\"", "scheme = \"midpoint\"");
    let error = read(&text, &[]).expect_err("a scheme without it");
    assert!(
        error.contains("belongs to the schemes") && error.contains("`midpoint` needs two ends"),
        "{error}"
    );
}

/// Eight contacts, of which four repeat the others: one impact, as in the scheme `rigid`, whichever bar comes
/// first in the contact.
#[test]
fn rigid_bars_swap_their_velocities() {
    let named = "[\"left:east\", \"right:west\"]";
    for between in [named, "[\"right:west\", \"left:east\"]", "[\"*\"]"] {
        let text = RIGID_BARS.replace(named, between);
        let run = |scheme: &str| {
            let chain = Chain::new();
            let scenario = parse(&text, &[&format!("simulation.scheme=\"{scheme}\"")]);
            let outcome = chain.solve(&scenario).unwrap_or_else(|error| panic!("{error}"));
            let reader = chain.reader();
            let pair = reader.header().unwrap().pairs[0].clone();
            let frames = 0..reader.times().unwrap().len();
            let forces: Vec<[f64; 3]> =
                frames.map(|frame| reader.frame(frame).unwrap().contacts[0].force).collect();
            (outcome, pair, forces)
        };
        let (explicit, pair, forces) = run("explicit");
        let [left, right] = [0, 1].map(|body| explicit.bodies[body].velocity[0]);
        assert!(left.abs() < 1e-13 && (right - 1.0).abs() < 1e-13, "{left} {right}");
        let [event] = &explicit.summary.contacts[..] else { panic!("{:?}", explicit.summary.contacts) };
        assert!(event.pair == 0 && event.impulsive, "{event:?}");
        assert!((event.restitution().unwrap() - 1.0).abs() < 1e-12, "{event:?}");
        if between == "[\"*\"]" {
            assert!((event.impulse[0] + 0.5).abs() < 1e-13 && event.bodies == Some([0, 1]), "{event:?}");
            continue;
        }
        let (rigid, pair_of_rigid, forces_of_rigid) = run("rigid");
        let [other] = &rigid.summary.contacts[..] else { panic!("{:?}", rigid.summary.contacts) };
        assert_eq!((&pair.name, &pair.first, &pair.second), {
            (&pair_of_rigid.name, &pair_of_rigid.first, &pair_of_rigid.second)
        });
        for d in 0..3 {
            assert!((event.impulse[d] - other.impulse[d]).abs() < 1e-13, "{event:?} {other:?}");
            assert!((event.normal[d] - other.normal[d]).abs() < 1e-13, "{event:?} {other:?}");
        }
        assert!((other.restitution().unwrap() - 1.0).abs() < 1e-12, "{other:?}");
        // A frame of either scheme has the impulse over 9 ms: of the step, or since the last frame.
        let largest = |forces: &[[f64; 3]]| {
            forces.iter().map(|force| force[0]).max_by(|a, b| a.abs().total_cmp(&b.abs())).unwrap()
        };
        let [own, other] = [largest(&forces), largest(&forces_of_rigid)];
        assert!((own / other - 1.0).abs() < 1e-12 && own.abs() > 55.0, "{own} {other}");
    }
    // With a restitution of 0.5 the bars keep half of their relative velocity.
    let outcome =
        solve(&format!("{RIGID_BARS}restitution = 0.5\n")).unwrap_or_else(|error| panic!("{error}"));
    let [left, right] = [0, 1].map(|body| outcome.bodies[body].velocity[0]);
    assert!((left - 0.25).abs() < 1e-12 && (right - 0.75).abs() < 1e-12, "{left} {right}");
}

/// The first impact of the exact motion: 0.0109427537 s, 3.86687783e-4 N s.
#[test]
fn the_rod_in_the_cube_has_the_first_impact_of_the_exact_motion() {
    let outcome = solve_with(ROD_IN_CUBE, &["simulation.end_time=0.02", "simulation.output_every=0.002"]);
    let outcome = outcome.unwrap_or_else(|error| panic!("{error}"));
    let event = &outcome.summary.contacts[0];
    let impulse = event.impulse.iter().map(|p| p * p).sum::<f64>().sqrt();
    assert!((event.start - 0.0109427537).abs() < 1.1e-6, "{event:?}");
    assert!((impulse / 3.86687783e-4 - 1.0).abs() < 1e-4, "{impulse}");
}

/// Looser multipliers, found by the steps of the paper, give the same motion within the tolerance.
#[test]
fn two_bars_with_the_tolerance_and_the_steps_of_the_paper() {
    for steps in ["proportioned", "first-bound"] {
        let keys =
            ["simulation.contact_tolerance=1e-3".to_owned(), format!("simulation.contact_steps=\"{steps}\"")];
        let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
        let outcome = solve_with(TWO_BARS, &keys).unwrap_or_else(|error| panic!("{error}"));
        let [left, right] = [0, 1].map(|body| outcome.bodies[body].velocity[0]);
        // Gaps of 1.4e-3 m move a bar of 1 s of contact by as much.
        assert!((left - 0.00704).abs() < 5e-3 && (right - 0.99296).abs() < 5e-3, "{steps}: {left} {right}");
        let errors = outcome.summary.ledger.errors();
        assert!(errors[0].unwrap() < 1e-13, "{errors:?}");
    }
}

/// A deformable bar falls on a plane, a shape of a body held in space.
#[test]
fn a_shape_of_a_rigid_body_is_touched() {
    let wall = r#"position = [25.0, 0.0, 0.0]
rigid = true
fixed = true

[[body.shape]]
name = "wall"
kind = "plane"
point = [0.0, 0.0, 0.0]
normal = [-1.0, 0.0, 0.0]"#;
    let text = TWO_BARS.replace("position = [25.0, 0.0, 0.0]", wall);
    let text = text.replace("\"right:west\"", "\"right:wall\"");
    assert_ne!(text, TWO_BARS);
    let outcome = solve(&text).unwrap_or_else(|error| panic!("{error}"));
    // The wave returns after 1 s and the bar leaves with its velocity, less the loss of one cell.
    let velocity = outcome.bodies[0].velocity[0];
    assert!(velocity < -0.95 && velocity > -1.0, "{velocity}");
}

/// The result of two bodies of 7442 points each has the size that is known before the run. Frames in single
/// precision have half the size, without velocities a quarter; the run is the same.
#[test]
fn the_size_of_a_result_is_known_before_the_run() {
    let text = TWO_BARS
        .replace("elements = [50, 1, 1]", "elements = [60, 60, 1]")
        .replace("end_time = 1.5", "end_time = 0.018")
        .replace("time_step = 0.009 ", "time_step = 1e-4 ")
        .replace("output_every = 0.009", "output_every = 4e-4");
    let mut ends = Vec::new();
    for keys in [
        &[][..],
        &["output.precision=\"single\""],
        &["output.precision=\"single\"", "output.frame_fields=[\"displacement\"]"],
    ] {
        let (chain, scenario) = (Chain::new(), parse(&text, keys));
        let surveyed = survey(&scenario, chain.workshop(), &carom_progress::Silent)
            .result_size
            .expect("both bodies are known");
        let prepared = chain.prepare(&scenario).unwrap_or_else(|error| panic!("{error}"));
        let expected = ExpectedSize::of_prepared(&scenario, &prepared).expect("a scheme of whole bodies");
        assert_eq!(surveyed, expected);
        let outcome = chain.run(&scenario, &prepared, REPLACE).unwrap_or_else(|error| panic!("{error}"));
        let found = std::fs::metadata(chain.result()).unwrap().len();
        assert!((found as f64 / expected.file as f64 - 1.0).abs() < 0.03, "{keys:?}: {found}, {expected:?}");
        assert_eq!(chain.reader().times().unwrap().len() as u64, expected.frames);
        ends.push((outcome.bodies, chain.reader().frame(45).unwrap().bodies, expected.frame));
    }
    let [(plain, stored, frame), (single, stored_single, half), (_, stored_bare, quarter)] = &ends[..] else {
        panic!("three runs")
    };
    assert_eq!(plain, single);
    assert_eq!(plain, stored);
    assert!((*frame as f64 / *half as f64 - 2.0).abs() < 0.02, "{frame} {half}");
    assert!((*half as f64 / *quarter as f64 - 2.0).abs() < 0.02, "{half} {quarter}");
    for (whole, packed) in stored.iter().zip(stored_single) {
        // 6e-8 of the deviation from the mean.
        let size = whole.modal.iter().fold(0.0_f64, |most, u| most.max(u.abs()));
        assert!(whole.modal.iter().zip(&packed.modal).all(|(a, b)| (a - b).abs() < 1.2e-7 * size));
    }
    assert!(stored_bare.iter().all(|body| body.modal_rate.is_empty()));
}

/// Plastic solids have stresses in frames and history in checkpoints, shells rotations and history in
/// checkpoints: the file has the size that was reported before the run, within 3 %.
#[test]
fn the_size_before_the_run_counts_stress_history_and_rotations() {
    let taylor = ["simulation.end_time=2e-6", "simulation.output_every=2e-7"];
    let plate = ["simulation.end_time=2e-5", "simulation.output_every=2e-6"];
    for (text, keys) in [(TAYLOR_BAR.to_owned(), taylor), (plate_hit(), plate)] {
        let (chain, scenario) = (Chain::new(), parse(&text, &keys));
        let prepared = chain.prepare(&scenario).unwrap_or_else(|error| panic!("{error}"));
        let expected = ExpectedSize::of_prepared(&scenario, &prepared).expect("a scheme of whole bodies");
        chain.run(&scenario, &prepared, REPLACE).unwrap_or_else(|error| panic!("{error}"));
        let found = std::fs::metadata(chain.result()).unwrap().len();
        assert!((found as f64 / expected.file as f64 - 1.0).abs() < 0.03, "{found}, {expected:?}");
    }
}

/// The summary tells which mass was added, and the result keeps it as a note.
#[test]
fn mass_scaling_is_reported() {
    let text = TWO_BARS.replace("time_step = 0.009 ", "mass_scaling = 0.01 ").replace("1.5", "0.1");
    let outcome = solve(&text).unwrap_or_else(|error| panic!("{error}"));
    assert!(outcome.remarks.iter().any(|text| text.contains("50 of 50 cells of `left` have more mass")));
    assert!(outcome.warnings.iter().any(|text| text.contains("lower `simulation.mass_scaling`")));
    assert_eq!(outcome.summary.steps, 10);
}

/// The gallery's plate of shells, read from its .inp file.
fn plate_hit() -> String {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../meshes/plate-hit/plate.inp");
    let text = include_str!("../../../meshes/plate-hit/scenario.toml");
    text.replace("file = \"plate.inp\"", &format!("file = \"{file}\""))
}

/// A ball half a millimetre above the surface of a plate of shells touches it after 50 µs at 10 m/s; the
/// nodes are half of the thickness below.
#[test]
fn a_ball_touches_a_plate_of_shells_at_half_of_its_thickness() {
    let outcome = solve_with(&plate_hit(), &["simulation.end_time=4.0e-4"]).unwrap_or_else(|e| panic!("{e}"));
    assert!(outcome.warnings.is_empty(), "{:?}", outcome.warnings);
    let contact = &outcome.summary.contacts[0];
    assert!((contact.start - 5e-5).abs() < 3e-6, "{contact:?}");
    assert!(outcome.bodies[1].velocity[2] > -9.9, "{:?}", outcome.bodies[1].velocity);
    let errors = outcome.summary.ledger.errors();
    assert!(errors.iter().all(|error| error.is_none_or(|error| error < 1e-11)), "{errors:?}");
}

/// The plate yields under the ball: its result has the plastic strain and the stress of its walls, on the
/// yield surface at most, and the rotations of its points. The summary has the rotary inertia of its shells.
#[test]
fn a_plate_of_shells_yields_under_a_ball() {
    let law = "law = \"plastic\"\nyield_stress = 20.0e6\nhardening = 0.0";
    let text = plate_hit().replace("law = \"st-venant-kirchhoff\"", law);
    let (chain, scenario) = (Chain::new(), parse(&text, &["simulation.end_time=6.0e-4"]));
    let prepared = chain.prepare(&scenario).unwrap_or_else(|error| panic!("{error}"));
    let outcome = chain.run(&scenario, &prepared, REPLACE).unwrap_or_else(|error| panic!("{error}"));
    let errors = outcome.summary.ledger.errors();
    assert!(errors.iter().all(|error| error.is_none_or(|error| error < 1e-11)), "{errors:?}");
    let remark = outcome.remarks.iter().find(|remark| remark.contains("rotary inertia"));
    // Cells of area A and thickness h: A/8 over h²/12.
    assert!(
        remark.is_some_and(|remark| remark.contains("576 of 576 shells of `plate`")),
        "{:?}",
        outcome.remarks
    );
    // A survey has the same sentence before the run.
    assert_eq!(
        survey(&scenario, chain.workshop(), &carom_progress::Silent).remarks,
        [remark.unwrap().clone()]
    );
    let reader = chain.reader();
    let last = reader.times().unwrap().len() - 1;
    let plate = &reader.frame(last).unwrap().bodies[0];
    assert_eq!([plate.point_stress.len(), plate.plastic_strain.len()], [18 * 576, 3 * 576]);
    assert_eq!(plate.point_rotations.len(), 3 * 625);
    let most = |values: &[f64]| values.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
    assert!(most(&plate.plastic_strain) > 1e-4, "{}", most(&plate.plastic_strain));
    assert!(most(&plate.point_rotations) > 1e-3, "{}", most(&plate.point_rotations));
    let mises = plate.point_stress.as_chunks::<6>().0.iter().map(carom_fem::stress::von_mises);
    let largest = mises.fold(0.0, f64::max);
    assert!((0.9..1.01).contains(&(largest / 20.0e6)), "{largest}");
}

/// Statics and reduction have no shells: they say so, with the name of the body.
#[test]
fn shells_are_refused_by_name_where_they_have_no_meaning() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../meshes/plate-hit/plate.inp");
    let plate = format!("[[body]]\nname = \"plate\"\nfile = \"{file}\"\nmaterial = \"steel\"\n");
    let support = "[[support]]\non = \"plate:edge\"\ndirections = [\"x\", \"y\", \"z\"]\n";
    let force = "[[force]]\non = \"plate:sheet\"\nforce = [0.0, 0.0, 1.0]\n";
    let statics = format!("[simulation]\nscheme = \"static\"\n{plate}{support}{force}");
    let modes = "reduce = { interface = [\"edge\"], modes = 24 }\n";
    let reduced = format!("[simulation]\nend_time = 1e-3\n{plate}{modes}");
    let explicit = format!("[simulation]\nscheme = \"explicit\"\nend_time = 1e-3\n{plate}{modes}");
    for text in [statics, reduced, explicit] {
        let error = solve(&text).expect_err("shells").to_string();
        assert!(error.contains("`plate`") && error.contains("solid"), "{error}");
    }
}

#[test]
fn the_linear_law_is_refused_for_shells() {
    let linear = plate_hit().replace("law = \"st-venant-kirchhoff\"", "");
    let error = solve(&linear).expect_err("a linear law of shells").to_string();
    assert!(error.contains("body `plate` has shells or beams") && error.contains("st-venant"), "{error}");
}

/// Taylor's bar at its end.
struct TaylorBar {
    /// Length, and radius at the wall \[mm\].
    length: f64,
    radius: f64,
    /// Energy of hourglass control over that of the deformation \[%\].
    hourglass: f64,
}

fn taylor_bar(overrides: &[&str]) -> TaylorBar {
    let outcome = solve_with(TAYLOR_BAR, overrides).unwrap_or_else(|error| panic!("{error}"));
    let errors = outcome.summary.ledger.errors();
    assert!(errors[0].unwrap() < 1e-12 && errors[1].unwrap() < 1e-12, "{errors:?}");
    let moved = outcome.bodies[0].modal.as_chunks::<3>().0;
    let shortened = moved.iter().map(|u| u[0]).fold(0.0, f64::min);
    // The rim moves along the radius.
    let widened = moved.iter().map(|u| u[1].hypot(u[2])).fold(0.0, f64::max);
    let remark = outcome.remarks.iter().find(|remark| remark.contains("hourglass control"));
    let percent = remark.and_then(|remark| remark.split(", ").nth(1)?.split(' ').next()?.parse().ok());
    let (length, radius) = (32.4 + 1e3 * shortened, 3.2 + 1e3 * widened);
    let hourglass = percent.unwrap_or(0.0);
    println!("{overrides:?}: {length:.2} mm, {radius:.2} mm, hourglass control {hourglass:.2} %: {remark:?}");
    TaylorBar { length, radius, hourglass }
}

/// Computed radii at the wall are 7.12 mm (Simo 1992), 7.11 mm (Zienkiewicz et al. 1998) and 7.22 mm (Foulk
/// et al. 2021, converged), the length is 21.43 mm (Carina.jl, benchmark/tet15-p1/taylor, which names these
/// radii too). Cells of 2 mm, in place of 1 mm, are too coarse for the radius: 5 % of the length and 10 % of
/// the radius are allowed. Cells of half the size have half the energy of hourglass control, which is below
/// 1 % with those of 1 mm.
#[test]
fn taylors_bar_of_coarse_cells_has_about_the_published_shape() {
    let coarse = "body.0.make.elements=[18, 2, 2]";
    let TaylorBar { length, radius, .. } = taylor_bar(&[coarse]);
    assert!((length / 21.45 - 1.0).abs() < 0.05 && (radius / 7.1 - 1.0).abs() < 0.1, "{length} {radius}");
    let TaylorBar { length, radius, hourglass } = taylor_bar(&[coarse, "body.0.elements=one-point"]);
    assert!((length / 21.45 - 1.0).abs() < 0.05 && (radius / 7.1 - 1.0).abs() < 0.1, "{length} {radius}");
    assert!(hourglass > 0.0 && hourglass < 2.0, "{hourglass}");
}

/// The length is 21.43 mm, to 1 %; the radius lies between 7.05 and 7.25 mm, as the published ones are 1.6 %
/// apart. Hourglass control has less than 1 % of the energy of deformation.
#[test]
#[ignore = "3 minutes"]
fn taylors_bar_has_the_published_shape() {
    for elements in ["mean-dilatation", "one-point"] {
        let bar = taylor_bar(&[&format!("body.0.elements={elements}")]);
        let TaylorBar { length, radius, hourglass } = bar;
        assert!(
            (length / 21.43 - 1.0).abs() < 0.01 && (7.05..7.25).contains(&radius),
            "{elements}: {length} {radius}"
        );
        assert!(hourglass < 1.0, "{elements}: {hourglass}");
    }
}

/// Hourglass control has less than 1 % of the energy of deformation with cells of 1 mm, and half of it with
/// cells of two thirds of that.
#[test]
#[ignore = "6 minutes"]
fn taylors_bar_has_less_energy_in_hourglass_control_with_finer_cells() {
    let [coarse, fine] = ["[36, 4, 3]", "[54, 6, 5]"].map(|cells| {
        let bar = taylor_bar(&[&format!("body.0.make.elements={cells}"), "body.0.elements=one-point"]);
        assert!((bar.length / 21.43 - 1.0).abs() < 0.01 && (7.05..7.25).contains(&bar.radius));
        bar.hourglass
    });
    assert!(coarse < 1.0 && fine < 0.6 * coarse, "{coarse} {fine}");
}

/// Cells that bend are reported: a cantilever with one cell over its height has its energy in hourglass
/// modes.
#[test]
fn hourglass_energy_above_a_hundredth_is_reported_with_a_remedy() {
    let text = "[simulation]\nscheme = \"explicit\"\nend_time = 2e-4\n\
        [[body]]\nname = \"beam\"\nmaterial = \"steel\"\nelements = \"one-point\"\n\
        make = { shape = \"box\", size = [0.1, 0.01, 0.01], elements = [10, 1, 1], hex = true, order = 1 }\n\
        [[support]]\non = \"beam:west\"\ndirections = [\"x\", \"y\", \"z\"]\n\
        [[force]]\non = \"beam:east\"\nforce = [0.0, 0.0, 100.0]\n";
    let outcome = solve(text).unwrap_or_else(|error| panic!("{error}"));
    let warning = outcome.warnings.iter().find(|warning| warning.contains("hourglass"));
    assert!(warning.is_some_and(|w| w.contains("mean-dilatation")), "{:?}", outcome.warnings);
    assert!(outcome.summary.ledger.errors()[0].unwrap() < 1e-12);
}

/// A contact may name sets of beams: the chain of the gallery with its links and plate in pairs.
#[test]
fn beams_are_named_in_contacts() {
    let text = include_str!("../../../meshes/chain/scenario.toml");
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../meshes/");
    let text = text.replace("\"link.inp\"", &format!("\"{folder}chain/link.inp\""));
    let text = text.replace("../plate-hit", &format!("{folder}plate-hit"));
    let pairs = "between = [\"link 2:ring\", \"plate:sheet\"]\nfriction = 0.2\n\n[[contact]]\n\
        between = [\"link 1:ring\", \"link 2:ring\"]";
    let text = text.replace("between = [\"*\"]", pairs);
    let outcome =
        solve_with(&text, &["simulation.end_time=5.0e-4"]).unwrap_or_else(|error| panic!("{error}"));
    let errors = outcome.summary.ledger.errors();
    assert!(errors.iter().all(|error| error.is_none_or(|error| error < 1e-11)), "{errors:?}");
    let names = text.replace("link 2:ring\", \"plate:sheet", "link 2:rings\", \"plate:sheet");
    let error = solve(&names).expect_err("no such set").to_string();
    assert!(error.contains("rings") && error.contains("ring"), "{error}");
}
