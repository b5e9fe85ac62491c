//! The scheme `rigid` from a scenario to its result: gallery, meshes and NURBS as surfaces, resuming,
//! refusals.

use carom_simulate::RunOptions;

use crate::fixtures::{Chain, Impatient, RESUME, parse, read, solve, solve_with};

const ROD: &str = include_str!("../../../meshes/rod-in-cube/scenario.toml");
const SHELL: &str = include_str!("../../../meshes/ball-in-shell/scenario.toml");

#[test]
fn the_rod_in_the_cube_of_the_gallery_meets_its_first_impacts() {
    let outcome = solve_with(ROD, &["simulation.end_time=0.25"]).unwrap();
    let ledger = &outcome.summary.ledger;
    assert!(ledger.energy_error < 1e-12 && ledger.ang_momentum_error < 1e-12, "{ledger:?}");
    let found: Vec<[f64; 2]> =
        outcome.summary.contacts.iter().map(|event| [event.start, event.impulse_size()]).collect();
    // Independently computed; at a step of 1e-6 s the first two impacts are met within a step.
    for ([t, impulse], [t_exact, exact]) in
        found.iter().zip([[0.0109427537, 3.86687783e-4], [0.209218141, 3.76912837e-4]])
    {
        assert!((t - t_exact).abs() < 1e-5 && (impulse / exact - 1.0).abs() < 2e-3, "{t} {impulse}");
    }
    assert!(outcome.summary.contacts.iter().all(|event| event.restitution().is_some()));
    assert!((4..=6).contains(&found.len()), "{found:?}");
}

#[test]
fn the_ball_in_the_shell_of_the_gallery_conserves_energy_and_angular_momentum() {
    let outcome = solve(SHELL).unwrap();
    let ledger = &outcome.summary.ledger;
    assert!(ledger.energy_error < 1e-12 && ledger.ang_momentum_error < 1e-12, "{ledger:?}");
    assert!((ledger.energy_initial - 0.137).abs() < 1e-15);
    assert_eq!(outcome.summary.contacts.len(), 1);
}

#[test]
fn the_cradle_of_the_gallery_passes_the_velocity_on() {
    let outcome = solve(include_str!("../../../meshes/cradle/scenario.toml")).unwrap();
    let speeds: Vec<f64> = outcome.bodies.iter().map(|body| body.velocity[0]).collect();
    assert!(speeds[..4].iter().all(|v| v.abs() < 1e-12) && (speeds[4] - 1.0).abs() < 1e-12, "{speeds:?}");
    assert_eq!(outcome.summary.contacts.len(), 4);
}

#[test]
fn the_tippe_top_of_the_gallery_turns_over() {
    let outcome = solve(include_str!("../../../meshes/tippe-top/scenario.toml")).unwrap();
    let [w, x, y, z] = outcome.bodies[0].quaternion;
    let up = w * w - x * x - y * y + z * z;
    assert!(up < -0.95, "{up}");
    assert!(outcome.summary.ledger.energy_error < 1e-9, "{:?}", outcome.summary.ledger);
}

#[test]
fn the_gas_of_the_gallery_conserves_energy_and_momenta() {
    let outcome =
        solve_with(include_str!("../../../meshes/gas-in-box/scenario.toml"), &["simulation.end_time=5.0"])
            .unwrap();
    let ledger = &outcome.summary.ledger;
    assert!(ledger.energy_error < 1e-12, "{ledger:?}");
    assert!(ledger.momentum_error < 1e-12 && ledger.ang_momentum_error < 1e-12, "{ledger:?}");
    assert!(outcome.summary.contacts.len() > 80, "{}", outcome.summary.contacts.len());
}

#[test]
fn the_stack_of_the_gallery_stays_at_rest() {
    let outcome =
        solve_with(include_str!("../../../meshes/stack/scenario.toml"), &["simulation.end_time=1.0"])
            .unwrap();
    for (body, z) in outcome.bodies.iter().zip([0.1, 0.3, 0.5]) {
        let [x, y, height] = body.position;
        assert!(x.abs().max(y.abs()).max((height - z).abs()) < 1e-10, "{body:?}");
        assert!(body.velocity.iter().chain(&body.angular_velocity).all(|v| v.abs() < 1e-9), "{body:?}");
    }
}

/// The inner side of the shell as NURBS in place of the shape: both are the same sphere.
#[test]
fn a_shell_of_nurbs_acts_as_the_cavity_does() {
    let ends = |part: &str, law: &str| {
        let text = SHELL.replace("\"shell:inside\"", &format!("\"shell:{part}\""));
        let from = text.find("law = ").unwrap();
        solve_with(&format!("{}{law}", &text[..from]), &["simulation.end_time=30.0"]).unwrap()
    };
    for law in ["law = { kind = \"penalty\", point_stiffness = 1.0e4 }", "restitution = 0.5\nfriction = 0.1"]
    {
        let (nurbs, cavity) = (ends("inner", law), ends("inside", law));
        for (a, b) in nurbs.bodies.iter().zip(&cavity.bodies) {
            let apart =
                |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            let both = [apart(&a.position, &b.position), apart(&a.angular_velocity, &b.angular_velocity)];
            // Foot points are accurate to some 1e-10 of the radius, and the motion does not amplify errors
            // much.
            assert!(both[0] < 1e-7 && both[1] < 1e-7, "{law}: {both:?}");
        }
        assert!(nurbs.summary.ledger.energy_error < 1e-11, "{law}: {:?}", nurbs.summary.ledger);
    }
}

/// Six plates of hexahedra around the rod in place of the cavity block.
#[test]
fn walls_of_faces_act_as_the_cavity_block_does() {
    let rod = &ROD[..ROD.find("[[body]]\nname = \"cube\"").unwrap()];
    let solve = |walls: &str| {
        let settings = ["simulation.end_time=0.23", "simulation.time_step=1e-5"];
        solve_with(&format!("{rod}{walls}"), &settings).unwrap().bodies[0].position
    };
    let room = "[[body]]\nname = \"cube\"\nmake = { shape = \"plate\", size = [2.0, 2.0, 2.0] }\nmaterial = \
        \"steel\"\n\
                fixed = true\n[[body.shape]]\nname = \"walls\"\nkind = \"room\"\nsize = [2.0, 2.0, 2.0]\n\
                [[contact]]\nbetween = [\"rod:nodes\", \"cube:walls\"]\n";
    let mut faces = String::new();
    for (axis, sides) in [["east", "west"], ["north", "south"], ["top", "bottom"]].into_iter().enumerate() {
        for (side, sign) in sides.into_iter().zip([-1.0, 1.0]) {
            let (mut size, mut position) = ([2.2; 3], [0.0; 3]);
            (size[axis], position[axis]) = (0.1, 1.05 * sign);
            faces += &format!(
                "[[body]]\nname = \"{side}\"\nmake = \
                 {{ shape = \"plate\", size = {size:?}, hex = true, elements = [3, 3, 3] }}\nmaterial = \
                 \"steel\"\nfixed = true\nposition = {position:?}\n[[contact]]\nbetween = [\"rod:nodes\", \
                 \"{side}:{side}\"]\n"
            );
        }
    }
    let (a, b) = (solve(room), solve(&faces));
    assert!(a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-9), "{a:?} {b:?}");
}

/// T = ½ m v² + ½ ω·I ω of an exact ball and of a brick of hexahedra, against the closed forms of their
/// masses and moments.
#[test]
fn mass_and_inertia_of_nurbs_and_meshes_are_exact() {
    let energy = |make: &str| {
        let text = format!(
            "[simulation]\nscheme = \"rigid\"\nend_time = 1.0\ntime_step = 0.5\n[[body]]\nname = \"one\"\n\
             make = {make}\nmaterial = \"steel\"\nvelocity = [0.3, 0.0, 0.0]\nangular_velocity = [0.0, 0.0, \
             2.0]\n"
        );
        solve(&text).unwrap().summary.ledger.energy_initial
    };
    let kinetic = |volume: f64, gyration: f64| 7800.0 * volume * 0.5 * (0.3 * 0.3 + gyration * 4.0);
    let ball = kinetic(4.0 / 3.0 * std::f64::consts::PI * 0.1_f64.powi(3), 0.4 * 0.1 * 0.1);
    let error = energy("{ shape = \"ball\", radius = 0.1 }") / ball - 1.0;
    assert!(error.abs() < 1e-13, "{error:.1e}");
    let brick = kinetic(0.2 * 0.1 * 0.06, (0.2 * 0.2 + 0.1 * 0.1) / 12.0);
    let error = energy("{ shape = \"plate\", size = [0.2, 0.1, 0.06], hex = true, order = 1 }") / brick - 1.0;
    assert!(error.abs() < 1e-13, "{error:.1e}");
}

/// The given mass of a rigid body in the quasistatic scheme.
#[test]
fn the_quasistatic_scheme_uses_a_given_mass() {
    let text = "[simulation]\nend_time = 1e-3\n[[body]]\nname = \"ball\"\nmake = \
        { shape = \"ball\", radius = 0.1 }\n\
                material = \"steel\"\nrigid = true\nvelocity = [2.0, 0.0, 0.0]\n\
                mass_properties = { mass = 3.0, inertia = [0.1, 0.1, 0.1] }\n";
    let outcome = solve(text).unwrap();
    assert!((outcome.summary.ledger.energy_initial - 6.0).abs() < 1e-14);
}

#[test]
fn a_resumed_run_continues_bit_for_bit() {
    let short = parse(SHELL, &["simulation.end_time=20.0"]);
    let chain = resumed(SHELL, 60.0);
    let refused = chain.solve_with(&short, RESUME);
    assert!(refused.unwrap_err().to_string().contains("it has reached"));
    assert_eq!(chain.reader().times().unwrap().len(), 121);
}

/// A run that is interrupted after some 4000 of its steps and continued, which must have the bits of a run
/// without interruption.
fn resumed(text: &str, end_time: f64) -> Chain {
    let end = format!("simulation.end_time={end_time:?}");
    let scenario = parse(text, &[&end, "simulation.checkpoint_every=700"]);
    let chain = Chain::new();
    let bodies = chain.prepare(&scenario).unwrap();
    let stopped = chain.run_until(&scenario, &bodies, RunOptions::default(), &Impatient::after(4095));
    assert!(stopped.is_err());
    let resumed = chain.solve_with(&scenario, RESUME).unwrap();
    let straight = Chain::new().solve(&scenario).unwrap();
    assert_eq!(resumed.bodies, straight.bodies);
    assert_eq!(resumed.summary.contacts, straight.summary.contacts);
    chain
}

/// A mesh of hexahedra falls on a held NURBS plate: sets replace shapes, masses follow from the
/// geometry.
const BRICK: &str = r#"
[simulation]
scheme = "rigid"
end_time = 0.4
time_step = 1.0e-4
gravity = [0.0, 0.0, -9.81]

[[body]]
name = "plate"
make = { shape = "plate", size = [1.0, 1.0, 0.1] }
material = "steel"
fixed = true

[[body]]
name = "brick"
make = { shape = "plate", size = [0.2, 0.1, 0.06], hex = true, order = 1 }
material = "steel"
position = [0.0, 0.0, 0.2]

[[contact]]
between = ["brick:bottom", "plate:top"]
"#;

#[test]
fn a_brick_of_a_mesh_bounces_on_a_nurbs_plate() {
    let outcome = solve(BRICK).unwrap();
    let ledger = &outcome.summary.ledger;
    assert!(ledger.energy_error < 1e-11 && ledger.momentum_error < 1e-11, "{ledger:?}");
    // A fall of 0.12 m: contact after √(2 h/g) = 0.1564 s with 1.5344 m/s, and again after twice that time.
    let first = &outcome.summary.contacts[0];
    assert!((first.start - 0.15641).abs() < 3e-4, "{first:?}");
    assert!(
        (first.velocity_before + 1.5344).abs() < 3e-3 && (first.restitution().unwrap() - 1.0).abs() < 1e-9
    );
    let mass = 7800.0 * 0.2 * 0.1 * 0.06;
    assert!((first.impulse_size() / (2.0 * mass * 1.5344) - 1.0).abs() < 3e-3, "{first:?}");
}

#[test]
fn invalid_scenarios_of_rigid_bodies_are_refused() {
    let printed = |from: &str, to: &str| match read(&ROD.replace(from, to), &[]) {
        Err(message) => message,
        Ok(scenario) => Chain::new().solve(&scenario).unwrap_err().to_string(),
    };
    for (from, to, message) in [
        ("time_step = 1.0e-6", "", "the scheme has steps of one length"),
        (
            "[\"rod:nodes\", \"cube:walls\"]",
            "[\"cube:walls\", \"rod:nodes\"]",
            "the first body touches with points",
        ),
        ("kind = \"room\"", "kind = \"hall\"", "`room`"),
        ("7.0e-6, inertia", "-7.0e-6, inertia", "above 0"),
        ("[1.1666666666666667e-8, 6.3e-7, 6.3e-7]", "[9e-6, 6.3e-7, 6.3e-7]", "sum of the other two"),
        ("\"cube:walls\"]\n", "\"cube:walls\"]\nrestitution = 1.5\n", "from 0 to 1"),
        ("\"cube:walls\"]\n", "\"cube:walls\"]\nlaw = { kind = \"penalty\" }\n", "stiffness of each point"),
        ("scheme = \"rigid\"", "scheme = \"static\"", "rigid bodies of the schemes `rigid`, `explicit`"),
        ("time_step = 1.0e-6", "time_step = 50.0", "has no step of 50 s"),
        ("time_step = 1.0e-6", "time_step = 1.0e-6\nintegrator = \"radau5\"", "an integrator of its own"),
        ("time_step = 1.0e-6", "time_step = 1.0e-6\nmaximum_step = 1.0", "steps of one length, `time_step`"),
        ("\"cube:walls\"]", "\"cube:wall\"]", "no shape and no set `wall`; its shapes: walls; its sets: "),
        (
            "\"cube:walls\"]\n",
            "\"cube:walls\"]\nlaw = { kind = \"penalty\", stiffness = 1e4 }\n",
            "have a `point_stiffness`, in N/m",
        ),
        (
            "\"cube:walls\"]\n",
            "\"cube:walls\"]\nlaw = { kind = \"penalty\", point_stiffness = 1e3 }\nrestitution = 0.5\n",
            "`restitution` belongs to",
        ),
        ("\"cube:walls\"]\n", "\"cube:walls\"]\nfriction = -0.1\n", "0 or above"),
        (
            "velocity = [50.0, 2.0, 0.0]",
            "position = [0.75, 0.0, 0.0]",
            "up to 2.500e-1 m inside each other at the start",
        ),
        ("velocity = [50.0, 2.0, 0.0]", "rigid = false", "takes rigid bodies alone"),
        (
            "velocity = [50.0, 2.0, 0.0]",
            "reduce = { modes = 20 }",
            "a rigid body is not reduced: remove `reduce`",
        ),
        (
            "make = { shape = \"plate\", size = [2.0, 2.0, 2.0] }\nmaterial = \"steel\"",
            "rom = \"cube.rom\"",
            "no reduced-order model",
        ),
        (
            "{ mass = 7.0e-6, inertia = [1.1666666666666667e-8, 6.3e-7, 6.3e-7] }",
            "{ mass = 7.0e-6 }",
            "Ixx, Iyy, Izz",
        ),
        (
            "[1.1666666666666667e-8, 6.3e-7, 6.3e-7]",
            "[0.0, 6.3e-7, 6.3e-7]",
            "moments of inertia are above 0",
        ),
        (
            "kind = \"room\"\nsize = [2.0, 2.0, 2.0]",
            "kind = \"room\"\nsize = [2.0, 0.0, 2.0]",
            "three lengths above 0",
        ),
        ("kind = \"room\"\nsize = [2.0, 2.0, 2.0]", "kind = \"room\"\nradius = 2.0", "size"),
        ("kind = \"room\"", "kind = \"points\"", "points"),
        (
            "[[contact]]",
            "[[body]]\nname = \"a\"\nmake = { shape = \"ball\", radius = 1.0 }\nmaterial = \"steel\"\nfixed \
             = true\n[[body]]\nname = \"b\"\nmake = { shape = \"ball\", radius = 1.0 }\nmaterial = \
             \"steel\"\nfixed = true\nposition = [9.0, 0.0, 0.0]\n[[contact]]\nbetween = [\"a:surface\", \
             \"b:surface\"]\n[[contact]]",
            "`a` and `b` are both fixed",
        ),
        (
            "[[contact]]",
            "[[joint]]\nkind = \"spherical\"\nbetween = [\"ground\", \"rod:tip\"]\n[[contact]]",
            "no marker or interface set `tip`",
        ),
        ("[[contact]]", "[[bushing]]\nbetween = [\"ground\", \"rod:top\"]\n[[contact]]", "bushing"),
    ] {
        let text = printed(from, to);
        assert!(text.contains(message), "{to}: {text}");
    }
}

/// A frame holds the mean force since the previous frame: the sum of force times interval is the impulse for
/// any output times.
#[test]
fn the_forces_of_the_frames_add_up_to_the_impulse() {
    let chain = Chain::new();
    let outcome = chain.solve(&parse(BRICK, &["simulation.output_every=0.0123"])).unwrap();
    let reader = chain.reader();
    let (times, forces) = (reader.times().unwrap(), reader.normal_forces(0).unwrap());
    let sum: f64 = (1..times.len()).map(|i| forces[i] * (times[i] - times[i - 1])).sum();
    let impulse: f64 = outcome.summary.contacts.iter().map(|event| event.impulse_size()).sum();
    assert!(impulse > 1.0 && (sum / impulse - 1.0).abs() < 1e-9, "{sum} {impulse}");
}

#[test]
fn passing_through_and_deep_penetration_are_warnings() {
    let text = "[simulation]\nscheme = \"rigid\"\nend_time = 0.1\ntime_step = 1e-3\n\
                [[body]]\nname = \"a\"\nmake = { shape = \"ball\", radius = 0.1 }\nmaterial = \"steel\"\n\
                position = [-0.55, 0.0, 0.0]\nvelocity = [1000.0, 0.0, 0.0]\n\
                [[body.shape]]\nname = \"o\"\nkind = \"ball\"\nradius = 0.1\n\
                [[body]]\nname = \"b\"\nmake = { shape = \"ball\", radius = 0.1 }\nmaterial = \"steel\"\n\
                [[body.shape]]\nname = \"o\"\nkind = \"ball\"\nradius = 0.1\n\
                [[contact]]\nbetween = [\"a:o\", \"b:o\"]\n";
    let warnings = solve(text).unwrap().warnings;
    assert_eq!(warnings.len(), 1, "{warnings:?}");
    assert!(warnings[0].starts_with("contact 1, a:o, b:o: a point passed through"), "{warnings:?}");
    assert!(solve_with(text, &["simulation.time_step=1e-4"]).unwrap().warnings.is_empty());
    // Springs that deflect by 0.1 m.
    let soft = format!("{text}law = {{ kind = \"penalty\", point_stiffness = 1e9 }}\n");
    let warnings = solve_with(&soft, &["simulation.time_step=1e-5"]).unwrap().warnings;
    assert!(warnings.len() == 1 && warnings[0].contains("raise the point_stiffness"), "{warnings:?}");
}

/// The potential changes only by rounding.
#[test]
fn a_block_at_rest_on_an_incline_gives_no_warning() {
    let text = "[simulation]\nscheme = \"rigid\"\nend_time = 0.5\ntime_step = 1e-3\n\
                gravity = [3.3552176060248105, 0.0, -9.218384609909762]\n\
                [[body]]\nname = \"b\"\nmake = { shape = \"plate\", size = [0.2, 0.2, 0.1] }\nmaterial = \
                \"steel\"\n\
                position = [0.0, 0.0, 0.05]\n[[body.shape]]\nname = \"o\"\nkind = \"block\"\nsize = [0.2, \
                0.2, 0.1]\n\
                [[body]]\nname = \"t\"\nmake = { shape = \"plate\", size = [1.0, 1.0, 0.05] }\nmaterial = \
                \"steel\"\n\
                fixed = true\n[[body.shape]]\nname = \"top\"\nkind = \"plane\"\nnormal = [0.0, 0.0, 1.0]\n\
                [[contact]]\nbetween = [\"b:o\", \"t:top\"]\nrestitution = 0.0\nfriction = 0.5\n";
    let outcome = solve(text).unwrap();
    assert!(outcome.warnings.is_empty(), "{:?}", outcome.warnings);
    assert!(outcome.summary.ledger.energy_error < 1e-9, "{:?}", outcome.summary.ledger);
    assert!(outcome.bodies[0].position[0].abs() < 1e-12, "{:?}", outcome.bodies[0]);
}

/// The gas of the gallery with its contacts named pair by pair, and as one of all bodies.
#[test]
fn a_contact_of_all_bodies_is_that_of_each_two() {
    let text = include_str!("../../../meshes/gas-in-box/scenario.toml");
    let (bodies, _) = text.split_at(text.find("[[contact]]").unwrap());
    let all = format!("{bodies}\n[[contact]]\nbetween = [\"*\"]\n");
    let end = ["simulation.end_time=2.0"];
    let [named, all] = [text, &all].map(|text| solve_with(text, &end).unwrap());
    assert_eq!(named.summary.contacts.len(), all.summary.contacts.len());
    assert!(all.summary.contacts.len() > 20 && all.summary.ledger.energy_error < 1e-12);
    for (a, b) in named.summary.contacts.iter().zip(&all.summary.contacts) {
        assert!((a.start - b.start).abs() < 1e-9 && b.bodies.is_some() && b.pair == 0, "{a:?} {b:?}");
        assert!((a.impulse_size() / b.impulse_size() - 1.0).abs() < 1e-6, "{a:?} {b:?}");
    }
    for (a, b) in named.bodies.iter().zip(&all.bodies) {
        let apart = (0..3).map(|k| (a.position[k] - b.position[k]).abs()).fold(0.0, f64::max);
        assert!(apart < 1e-6, "{apart}");
    }
}

#[test]
fn a_contact_of_all_bodies_is_resumed_and_refuses_others_beside_it() {
    let text = include_str!("../../../meshes/gas-in-box/scenario.toml");
    let (bodies, _) = text.split_at(text.find("[[contact]]").unwrap());
    let with = |contacts: &str| format!("{bodies}\n{contacts}");
    let all = "[[contact]]\nbetween = [\"*\"]\n";
    resumed(&with(all), 1.0);
    let twice = read(&with(&format!("{all}{all}")), &[]).expect_err("all bodies twice");
    assert!(twice.contains("paired already"), "{twice}");
    resumed(&with(&format!("{all}law = {{ kind = \"penalty\", point_stiffness = 1e6 }}\n")), 1.0);
}
