//! Stops of coordinates that follow a motion in the scheme `rigid`.

use std::f64::consts::PI;

use carom_format::result::RunState;
use carom_simulate::ErrorKind;

use crate::fixtures::{Chain, is_refused, parse, solve};
use crate::rigid_actions::{Ran, cube_mass, framed, hinged, press, scheme, sliding};

/// A drive that stays between its stops, or just reaches them, runs as without them.
#[test]
fn a_drive_between_its_stops_runs_as_without_them() {
    for (motion, stops) in [
        ("0.1*sin(20*t)", "{ low = -0.1, high = 0.1, restitution = 0.5 }"),
        ("0.1*sin(20*t)", "{ low = -0.2 }"),
        ("0.01 + 0.02*t", "{ low = 0.01, high = 0.03 }"),
    ] {
        let text = |stops: &str| {
            scheme(1.0, 1e-3, -9.81) + &sliding(0.0, &format!("motion = \"{motion}\"\n{stops}"))
        };
        let [with, without] = [text(&format!("stops = {stops}")), text("")].map(|text| Ran::of(&text));
        assert_eq!(with.outcome.bodies, without.outcome.bodies, "{motion} {stops}");
        assert_eq!(with.column("W_ext"), without.column("W_ext"));
        assert_eq!((with.action().stop, without.action().stop), (Some(0.0), None));
        assert_eq!(with.action().drive, without.action().drive);
    }
}

/// The end of a run, at which a motion passes its stop, by the words of its error.
fn ends(text: &str, words: &[&str]) -> Chain {
    let chain = Chain::new();
    let error = chain.solve(&parse(text, &[])).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Input, "{error}");
    assert!(words.iter().all(|word| error.to_string().contains(word)), "{error}");
    chain
}

/// s = 0.2 t reaches 0.1 m after half a second, within a step. All before is in the result.
#[test]
fn a_drive_that_passes_its_stop_ends_the_run_at_that_time() {
    let action = "motion = \"0.2*t\"\nstops = { high = 0.1, restitution = 0.0 }";
    let text = (scheme(1.0, 7e-4, -9.81) + &sliding(0.0, action))
        .replace("output_every = 1.0", "output_every = 0.1");
    let words = [
        "at t = 5.0000000",
        "joint `slide`: its motion passes its stop at 1.000000e-1 m with 2.000e-1 m/s",
        "neither can give way",
        "a `stiffness`",
    ];
    let reader = ends(&text, &words).reader();
    assert_eq!(reader.state().unwrap(), RunState::Failed);
    let times = reader.times().unwrap();
    assert!(times.len() == 6 && times[5] < 0.5, "{times:?}");
}

/// A crank that swings beyond its stop between two ends of steps, at both of which it is before it.
#[test]
fn a_drive_that_passes_its_stop_within_a_step_is_found() {
    let (rate, limit) = (20.0, 0.9999_f64);
    let action = format!("motion = \"sin({rate:?}*t)\"\nstops = {{ high = {limit:?} }}");
    let passes = limit.asin() / rate;
    let dt = 0.5 * PI / rate / 7.5;
    // The last end of a step before the top, and the first one after it.
    assert!((rate * 7.0 * dt).sin() < limit && (rate * 8.0 * dt).sin() < limit);
    let text = scheme(1.0, dt, 0.0) + &hinged("", &action);
    ends(&text, &[&format!("at t = {passes:.8e}")[..14], "joint `hinge`", "its stop at 9.999000e-1 rad"]);
}

/// The angle of a motion is that of its function, whole turns included, also for its stops.
#[test]
fn stops_of_a_motion_count_its_turns() {
    let inside = |stops: &str| scheme(0.1, 1e-4, 0.0) + &hinged("", &format!("motion = \"4 + t\"\n{stops}"));
    for stops in ["{ low = 3.5, high = 4.5 }", "{ low = 3.5, high = 4.5, stiffness = 1e3 }"] {
        let ran = Ran::of(&inside(&format!("stops = {stops}")));
        let action = ran.action();
        assert!((action.value - 4.1).abs() < 1e-12 && action.stop == Some(0.0), "{action:?}");
        assert!(ran.column("E_pot") == 0.0);
    }
    is_refused(
        &inside("stops = { low = -1.0, high = 3.9 }"),
        "joint.0.motion",
        &["joint `hinge`: its motion starts at 4.0", "beyond its stop at 3.9", "a `stiffness`"],
    );
}

/// A stop with a stiffness gives way to the motion, which does the work ½ k δ² on it and ½ m v² on the cube.
#[test]
fn a_motion_works_against_a_stop_with_a_stiffness() {
    let (k, speed) = (1e5, 0.2);
    let action = format!("motion = \"{speed:?}*t\"\nstops = {{ high = 0.01, stiffness = {k:?} }}");
    let ran = Ran::of(&(framed(0.06, [1e-4; 2], 0.0) + &sliding(0.0, &action)));
    let depth = speed * 0.06 - 0.01;
    let energy = 0.5 * k * depth * depth;
    assert!((ran.column("E_pot") / energy - 1.0).abs() < 1e-9, "{}", ran.column("E_pot"));
    // The motion gives the velocity before the start.
    assert!((ran.column("W_ext") / energy - 1.0).abs() < 1e-9, "{} {}", ran.column("W_ext"), cube_mass());
    let action = ran.action();
    let [stop, drive] = [action.stop.unwrap(), action.drive.unwrap()];
    assert!((stop + k * (depth - 0.5 * speed * 1e-4)).abs() < 1e-6 * k * depth, "{action:?}");
    assert!((stop + drive).abs() < 1e-9 * drive, "{action:?}");
}

/// A crank that a motor turns draws its ram against a stop, which neither can pass.
#[test]
fn a_drive_that_moves_another_joint_against_its_stop_ends_the_run() {
    let with = |stops: &str| {
        let slide = "between = [\"ground\", \"ram:pin\"]\naxis = [1.0, 0.0, 0.0]\n";
        let text = press("scheme = \"rigid\"\ntime_step = 1.0e-4");
        text.replace(slide, &format!("name = \"slide\"\n{slide}stops = {stops}\n"))
    };
    // The ram starts at √(0.2² − 0.05²) m, and the crank, which starts at −90°, reaches u with the law of
    // cosines: 0.2² = x² + 0.05² − 2 x 0.05 cos φ.
    let x = (0.2_f64 * 0.2 - 0.05 * 0.05).sqrt() + 0.02;
    let phi = ((x * x + 0.05 * 0.05 - 0.2 * 0.2) / (0.1 * x)).acos();
    let angle = |t: f64| 40.0 * t + 0.3 * (50.0 * t).sin();
    let turned = 0.5 * PI - phi;
    let (mut low, mut high) = (0.0, 0.01);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if angle(middle) < turned { low = middle } else { high = middle }
    }
    let error = solve(&with("{ high = 0.02 }")).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Input, "{error}");
    let text = error.to_string();
    let time: f64 = text["at t = ".len()..].split(' ').next().unwrap().parse().unwrap();
    assert!(time <= low && low < time + 1e-4, "{text} {low}");
    assert!(text.contains("joint `slide`: other joints and motions hold its coordinate"), "{text}");
    assert!(text.contains("its stop at 2.000000e-2 m") && text.contains("a `stiffness`"), "{text}");
    // Stops that the ram does not reach change nothing.
    let [with, without] =
        [with("{ low = -0.11, high = 0.07 }"), press("scheme = \"rigid\"\ntime_step = 1.0e-4")]
            .map(|text| Ran::of(&text).outcome.bodies);
    assert_eq!(with, without);
}

/// A hammer that a motor turns, and a plate that does not move.
#[test]
fn a_driven_hammer_on_a_fixed_plate_ends_the_run() {
    let text = |law: &str| {
        let head = "[[body.shape]]\nname = \"head\"\nkind = \"points\"\npoints = [[0.4, 0.0, 0.0]]";
        scheme(0.06, 1e-4, 0.0)
            + &hinged(head, "motion = \"5*t\"")
            + "[[body]]\nname = \"plate\"\nmake = { shape = \"plate\", size = [1.0, 1.0, 0.1] }\n\
               material = \"steel\"\nfixed = true\nposition = [0.0, 0.0, -0.1]\n[[body.shape]]\n\
               name = \"floor\"\nkind = \"plane\"\npoint = [0.0, 0.0, 0.0]\nnormal = [0.0, 0.0, 1.0]\n\
               [[contact]]\nbetween = [\"rod:head\", \"plate:floor\"]\n"
            + law
    };
    // 0.4 sin 5 t = 0.1.
    let meets = 0.25_f64.asin() / 5.0;
    let error = solve(&text("restitution = 0.5\n")).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Input, "{error}");
    let words = error.to_string();
    let time: f64 = words["at t = ".len()..].split(' ').next().unwrap().parse().unwrap();
    assert!(time <= meets && meets < time + 1e-4, "{words} {meets}");
    let closes = words.split("closes with ").nth(1).unwrap().split(' ').next().unwrap();
    let (closes, speed): (f64, f64) = (closes.parse().unwrap(), 2.0 * (5.0 * meets).cos());
    assert!(words.contains("`rod`, `plate`: joints and motions hold the bodies of a contact"), "{words}");
    assert!((closes / speed - 1.0).abs() < 1e-3 && words.contains("point_stiffness"), "{words} {speed}");
    // The plate gives way by a spring: ½ k δ² of the motor.
    let ran = Ran::of(&text("law = { kind = \"penalty\", point_stiffness = 1e4 }\n"));
    let depth = 0.4 * (5.0_f64 * 0.06).sin() - 0.1;
    let energy = 0.5 * 1e4 * depth * depth;
    assert!((ran.column("E_con") / energy - 1.0).abs() < 1e-3, "{} {energy}", ran.column("E_con"));
    assert!((ran.column("W_ext") / energy - 1.0).abs() < 1e-3, "{} {energy}", ran.column("W_ext"));
}

/// A ram that a motor moves pushes a ball onto an anvil. It meets the ball after 0.15 s, and the ball the
/// anvil 25 ms later.
#[test]
fn a_ball_between_a_driven_ram_and_an_anvil_ends_the_run() {
    let text = |law: &str| {
        let ram = sliding(0.0, "motion = \"0.2*t\"")
            .replace("[[joint]]", &(plane("face", 0.05, 1.0) + "[[joint]]"));
        let ball = "[[body]]\nname = \"ball\"\nmake = { shape = \"ball\", radius = 0.02 }\n\
                    material = \"steel\"\nrigid = true\nposition = [0.1, 0.0, 0.0]\n\
                    [[body.shape]]\nname = \"all\"\nkind = \"ball\"\nradius = 0.02\n";
        let anvil = "[[body]]\nname = \"anvil\"\nmake = { shape = \"box\", size = [0.1, 0.1, 0.1] }\n\
                     material = \"steel\"\nfixed = true\n";
        let contact = |ends: &str| format!("[[contact]]\nbetween = [{ends}]\nrestitution = 0.0\n");
        scheme(0.18, 1e-4, 0.0)
            + &ram
            + ball
            + anvil
            + &plane("face", 0.125, -1.0)
            + &contact("\"ball:all\", \"cube:face\"")
            + &contact("\"ball:all\", \"anvil:face\"")
            + law
    };
    let error = solve(&text("")).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Input, "{error}");
    let words = error.to_string();
    let time: f64 = words["at t = ".len()..].split(' ').next().unwrap().parse().unwrap();
    assert!((time - 0.175).abs() < 2e-4, "{words}");
    assert!(
        words.contains("`cube`, `ball`, `anvil`: motions of joints press these bodies together"),
        "{words}"
    );
    assert!(words.contains("close with 2.000e-1 m/s") && !words.contains("shorten"), "{words}");
    let spring = "law = { kind = \"penalty\", point_stiffness = 1e5 }\n";
    let ran = Ran::of(&text(spring).replace("restitution = 0.0\nlaw", "law"));
    let depth = 0.2 * (0.18 - 0.175);
    assert!(
        (ran.column("E_con") / (0.5 * 1e5 * depth * depth) - 1.0).abs() < 0.05,
        "{}",
        ran.column("E_con")
    );
}

/// A ball flies to and fro between an anvil and a ram that closes: with e = 1 its speed times the clearance
/// stays the same, and the impacts pile up. The ram has used up the clearance of 30 mm after 60 ms.
#[test]
fn impacts_that_pile_up_between_a_driven_ram_and_an_anvil_end_the_run() {
    let text = |restitution: f64| {
        let ram = sliding(0.0, "motion = \"0.5*t\"")
            .replace("[[joint]]", &(plane("face", 0.05, 1.0) + "[[joint]]"));
        let ball = "[[body]]\nname = \"ball\"\nmake = { shape = \"ball\", radius = 0.01 }\n\
                    material = \"steel\"\nrigid = true\nposition = [0.075, 0.0, 0.0]\n\
                    velocity = [1.0, 0.0, 0.0]\n\
                    [[body.shape]]\nname = \"all\"\nkind = \"ball\"\nradius = 0.01\n";
        let anvil = "[[body]]\nname = \"anvil\"\nmake = { shape = \"box\", size = [0.1, 0.1, 0.1] }\n\
                     material = \"steel\"\nfixed = true\nposition = [0.1, 0.0, 0.0]\n";
        let contact =
            |ends: &str| format!("[[contact]]\nbetween = [{ends}]\nrestitution = {restitution:?}\n");
        scheme(0.1, 1e-4, 0.0)
            + &ram
            + ball
            + anvil
            + &plane("face", 0.0, -1.0)
            + &contact("\"ball:all\", \"cube:face\"")
            + &contact("\"ball:all\", \"anvil:face\"")
    };
    for restitution in [1.0, 0.9, 0.5, 0.0] {
        let ended = solve(&text(restitution)).map(|outcome| outcome.summary.time);
        let words = ended.unwrap_err().to_string();
        let time: f64 = words["at t = ".len()..].split(' ').next().unwrap().parse().unwrap();
        assert!((time - 0.06).abs() < 1e-3, "{restitution}: {words}");
        assert!(words.contains("`cube`, `ball`, `anvil`: motions of joints press"), "{restitution}: {words}");
    }
}

/// A plane across x as a shape of the body before it.
fn plane(name: &str, x: f64, normal: f64) -> String {
    format!(
        "[[body.shape]]\nname = \"{name}\"\nkind = \"plane\"\npoint = [{x:?}, 0.0, 0.0]\n\
         normal = [{normal:?}, 0.0, 0.0]\n"
    )
}
