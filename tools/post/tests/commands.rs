//! The commands of `carom-post` on a small result with a known motion.

use crate::result;
use std::path::Path;
use std::process::Output;

use assert_cmd::Command;
use carom_dynamics::ContactEvent;
use carom_format::result::{RunOrigin, keep_origin};
use carom_post::report::{Extras, html, path_from};
use carom_post::{Run, plot};
use carom_testing::program::{failure, json, printed};

pub(crate) fn post(arguments: &[&str]) -> Output {
    Command::cargo_bin("carom-post").unwrap().args(arguments).output().unwrap()
}

pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn every_plot_is_drawn() {
    let folder = tempfile::tempdir().unwrap();
    let path = result::write(folder.path());
    for what in [
        "energy",
        "momentum",
        "contact-force",
        "gap",
        "pressure",
        "pressure:ball/block",
        "position:ball",
        "velocity:ball",
        "angular-velocity:block",
        "joint:axle",
        "joint:2",
        "probe:pole",
        "probe:2",
    ] {
        for (ending, magic) in [("svg", &b"<svg "[..]), ("png", &b"\x89PNG"[..])] {
            let file = folder.path().join(format!("plot.{ending}"));
            let run = post(&["plot", path.to_str().unwrap(), "-o", file.to_str().unwrap(), "--what", what]);
            assert!(run.status.success(), "{what}: {}", printed(&run));
            assert!(std::fs::read(&file).unwrap().starts_with(magic), "{what}.{ending}");
        }
    }
    if let Some(keep) = std::env::var_os("CAROM_KEEP_PICTURES") {
        let run = Run::open(&path).unwrap();
        let drawing = plot::draw(&run, &plot::Quantity::Pressure(None)).unwrap();
        std::fs::write(Path::new(&keep).join("pressure.png"), drawing.to_png(2.0).unwrap()).unwrap();
        std::fs::write(Path::new(&keep).join("report.html"), html(&run, &Extras::default()).unwrap())
            .unwrap();
    }
}

/// The frames are at 0, 10 and 25 µs. A direction may begin with a minus sign.
#[test]
fn a_picture_shows_the_nearest_frame() {
    let folder = tempfile::tempdir().unwrap();
    let path = result::write(folder.path());
    let file = folder.path().join("bodies.svg");
    let [path, out] = [path.to_str().unwrap(), file.to_str().unwrap()];
    for (flags, times) in [
        (&["--time", "1.2e-5", "--view", "-1,0,1"][..], &["t = 10"][..]),
        (&["--time", "0,1e-5,1,1.1e-5"], &["t = 0", "t = 10", "t = 25"]),
        (&[], &["t = 25"]),
    ] {
        let object = json(&post(&[&["picture", path, "-o", out, "--json"], flags].concat()));
        assert_eq!(object["schema"], "carom-post picture 1");
        let svg = std::fs::read_to_string(&file).unwrap();
        assert!([times, &["ball", "block"]].concat().iter().all(|text| svg.contains(text)), "{flags:?}");
    }
}

#[test]
fn tables_are_text_csv_or_json() {
    let folder = tempfile::tempdir().unwrap();
    let path = result::write(folder.path());
    let path = path.to_str().unwrap();
    let object = json(&post(&["table", path, "--what", "contacts", "--json"]));
    assert_eq!(object["rows"][0]["pair"], "ball/block");
    assert_eq!(object["rows"][0]["peak_force"], result::FORCE);
    let force = text(&post(&["table", path, "--what", "contact-force", "--csv"]).stdout);
    assert_eq!(force.lines().nth(2), Some("1e-5,2250.0"), "{force}");
    let bodies = text(&post(&["table", path, "--what", "bodies"]).stdout);
    assert!(bodies.contains("body") && bodies.contains("block"), "{bodies}");
    let joints = text(&post(&["table", path, "--what", "joints", "--csv"]).stdout);
    let head = "time [s],joint,force_x [N],force_y [N],force_z [N],torque_x [N m],torque_y [N m],torque_z [N \
        m],length [m],length_rate [m/s],\
                length_spring [N],angle [rad],angle_rate [rad/s],angle_drive [N m],angle_power [W]";
    assert_eq!(joints.lines().next(), Some(head), "{joints}");
    let axle = "1e-5,axle,6.0,0.0,8.0,0.0,-1.0,0.0,,,,2000.0,2000.0,-1.0,-2000.0";
    assert_eq!(joints.lines().nth(3), Some(axle), "{joints}");
    let probes = text(&post(&["table", path, "--what", "probes", "--csv"]).stdout);
    let head = "time [s],probe,velocity_x [m/s],velocity_y [m/s],velocity_z [m/s],normal_force [N],gap [m]";
    assert_eq!(probes.lines().next(), Some(head), "{probes}");
    assert_eq!(probes.lines().nth(1), Some("0.0,pole,,,,,"), "{probes}");
    assert_eq!(probes.lines().nth(2), Some("5e-6,pole,0.3,0.0,-1.0,,"), "{probes}");
    assert_eq!(probes.lines().nth(7), Some("0.0,ball/block,,,,0.0,"), "{probes}");
    assert_eq!(probes.lines().nth(8), Some("1e-5,ball/block,,,,2250.0,-1e-6"), "{probes}");
    let of_bodies = text(&post(&["table", path, "--what", "body-balance", "--csv"]).stdout);
    let head = "time [s],body,E_kin [J],E_el [J],E_pot [J],P_x [N s],P_y [N s],P_z [N s],L_x [N m s],L_y [N \
        m s],L_z [N m s]";
    assert_eq!(of_bodies.lines().next(), Some(head), "{of_bodies}");
    assert_eq!(of_bodies.lines().nth(2), Some("1e-5,ball,0.004,0.0,0.0,0.033,0.0,0.0,0.0,0.0,0.0"));
    let modes = text(&post(&["table", path, "--what", "modes", "--csv"]).stdout);
    let first = "1,0.5,0.02,0.1,0.0,0.02,1.0,0.0,\"body `ball` turns about [0.00, 1.00, 0.00]\"";
    assert_eq!(modes.lines().nth(1), Some(first), "{modes}");
    assert!(modes.lines().nth(2).unwrap().starts_with("2,7.0,,0.1"), "{modes}");
    let response = text(&post(&["table", path, "--what", "response", "--csv"]).stdout);
    let head = "frequency [Hz],probe,amplitude_x [m],amplitude_y [m],amplitude_z [m],phase_x [°],\
        phase_y [°],phase_z [°]";
    assert_eq!(response.lines().next(), Some(head), "{response}");
    assert_eq!(response.lines().nth(2), Some("2.0,pole,4e-6,0.0,0.0,-90.0,0.0,0.0"), "{response}");
    let svg = folder.path().join("response.svg");
    let plotted = post(&["plot", path, "-o", svg.to_str().unwrap(), "--what", "response:pole"]);
    assert!(plotted.status.success(), "{plotted:?}");
    assert!(std::fs::read_to_string(&svg).unwrap().contains("amplitude"));
    let timing = text(&post(&["table", path, "--what", "timing", "--csv"]).stdout);
    assert_eq!(timing, "name,value,unit\nintegration,0.5,s\nsteps,20.0,\n");
    let summary = text(&post(&["table", path, "--what", "summary", "--csv"]).stdout);
    assert!(summary.contains("\nend_time,2.5e-5,s\n") && summary.contains("\nsteps,20.0,\n"), "{summary}");
    assert!(summary.contains("\nimpacts,1.0,\n") && summary.contains("\nenergy_initial,"), "{summary}");
    let energy = post(&["table", path, "--what", "energy", "--csv", "--json"]);
    assert_eq!(energy.status.code(), Some(2));
    // The largest impact of the pair by the figures of its row among the contacts.
    let value = |name: &str| {
        let row = summary.lines().find_map(|line| line.strip_prefix(&format!("{name}.ball/block,")));
        row.unwrap_or_else(|| panic!("no {name}: {summary}")).to_owned()
    };
    let contacts = text(&post(&["table", path, "--what", "contacts", "--csv"]).stdout);
    let head: Vec<&str> = contacts.lines().next().unwrap().split(',').collect();
    let row: Vec<&str> = contacts.lines().nth(1).unwrap().split(',').collect();
    for (name, unit) in [("peak_force", "N"), ("impulse", "N s"), ("duration", "s"), ("max_approach", "m")] {
        let column = head.iter().position(|column| *column == format!("{name} [{unit}]")).unwrap();
        assert_eq!(value(name), format!("{},{unit}", row[column]));
    }
    assert_eq!(value("impacts"), "1.0,");
    assert!(summary.contains("\ncomplete,1.0,\n") && summary.contains("\nwarnings,"), "{summary}");
    // In a file the table is the same, and the result is not one to write to.
    let file = folder.path().join("summary.csv");
    let write = |file: &str| post(&["table", path, "--what", "summary", "--csv", "-o", file]);
    let written = write(file.to_str().unwrap());
    assert_eq!(text(&written.stdout).trim(), file.to_str().unwrap(), "{}", printed(&written));
    assert_eq!(std::fs::read_to_string(&file).unwrap(), summary);
    let refused = write(path);
    assert_eq!(refused.status.code(), Some(2), "{}", printed(&refused));
}

/// Curves of two results, named by their folders, and of several quantities with one axis; a quantity without
/// that axis, and a set of a reduced body, are refused.
#[test]
fn curves_of_two_results_are_drawn_in_one_plot() {
    let folders = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
    let [first, second] = folders.each_ref().map(|folder| result::write(folder.path()));
    let paths = [first.to_str().unwrap(), second.to_str().unwrap()];
    let file = folders[0].path().join("plot.svg");
    let draw = |what: &[&str]| {
        let whats = what.iter().flat_map(|what| ["--what", *what]);
        let words = ["plot", paths[0], paths[1], "-o", file.to_str().unwrap(), "--force"];
        post(&words.into_iter().chain(whats).collect::<Vec<_>>())
    };
    let drawn = draw(&["velocity:ball", "velocity:block"]);
    assert!(drawn.status.success(), "{}", printed(&drawn));
    let svg = std::fs::read_to_string(&file).unwrap();
    for folder in &folders {
        let name = folder.path().file_name().unwrap().to_str().unwrap();
        assert!(
            svg.contains(&format!("{name}: ball x")) && svg.contains(&format!("{name}: block z")),
            "{svg}"
        );
    }
    for (what, words) in [
        (&["velocity:ball", "position:ball"][..], "no axis in common"),
        (&["energy"], "one at a time"),
        (&["velocity:ball:nowhere"], "nowhere"),
        (&["velocity:ball:pole:w"], "x, y or z"),
        (&["displacement:ball"], "displacement:BODY:SET"),
    ] {
        let refused = draw(what);
        assert!(!refused.status.success() && printed(&refused).contains(words), "{}", printed(&refused));
    }
}

#[test]
fn the_report_is_one_file_with_everything_in_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = result::write(folder.path());
    let file = folder.path().join("report.html");
    let run = post(&["report", path.to_str().unwrap(), "-o", file.to_str().unwrap()]);
    assert!(run.status.success(), "{}", printed(&run));
    let html = std::fs::read_to_string(&file).unwrap();
    for part in ["Impacts", "ball/block", "pressure", "integration", "end_time = 2.5e-5", "<svg", "Hertz"] {
        assert!(html.contains(part), "no {part}");
    }
    // Largest force and torque of the axle and the power of its motion, in the second frame.
    let axle = &html[html.find(">axle<").expect("the joint is named")..];
    let row: Vec<&str> = axle.split("</td>").take(7).collect();
    // N, N m and W by their magnitude, times in microseconds.
    for (cell, figure) in row[1..].iter().zip(["10.00", "10.0000", "1.000", "10.0000", "−2.000", "10.0000"])
    {
        assert!(cell.ends_with(&format!(">{figure}")), "{row:?}");
    }
    assert!(html.contains("kW") && html.contains("µs"), "{html}");
}

/// Of 469 impacts of a pair the text lists the first, the largest and the last; the data have all.
#[test]
fn text_lists_three_of_many_impacts_and_data_all() {
    let folder = tempfile::tempdir().unwrap();
    let impact = |n: u32| ContactEvent {
        start: 5e-8 * f64::from(n),
        end: 5e-8 * f64::from(n) + 2e-8,
        peak_force: if n == 123 { 999.9 } else { 100.0 + f64::from(n) },
        impulse: [0.0, 0.0, 1e-5],
        ..ContactEvent::default()
    };
    let events: Vec<ContactEvent> = (0..469).map(impact).collect();
    let path = result::write_events(folder.path(), &result::ball(), &events);
    let path = path.to_str().unwrap();
    let table = text(&post(&["table", path]).stdout);
    let rows: Vec<&str> = table.lines().filter(|line| line.starts_with("ball/block ")).collect();
    for (role, force) in [("first", "100.0"), ("largest", "999.9"), ("last", "568.0")] {
        let found = rows.iter().any(|row| row.contains(&format!(" {role} ")) && row.contains(force));
        assert!(found, "no {role}:\n{table}");
    }
    assert!(table.contains("ball/block: 469 impacts") && table.lines().count() < 40, "{table}");
    assert_eq!(text(&post(&["table", path, "--csv"]).stdout).lines().count(), 470);
    assert_eq!(json(&post(&["table", path, "--json"]))["rows"].as_array().unwrap().len(), 469);
    let html = html(&Run::open(Path::new(path)).unwrap(), &Extras::default()).unwrap();
    let parts = html.matches("<td>largest</td>").count();
    assert!((1..=3).contains(&parts) && html.contains("469 impacts"), "{parts}");
    assert_eq!(html.matches("<td>ball/block</td>").count(), 3 * parts);
}

/// Lines of a terminal, for every table.
#[test]
fn tables_in_text_fit_a_terminal() {
    let folder = tempfile::tempdir().unwrap();
    let path = result::write(folder.path());
    for what in [
        "summary",
        "timing",
        "contacts",
        "bodies",
        "body-balance",
        "modes",
        "response",
        "energy",
        "momentum",
        "contact-force",
        "joints",
        "forces",
        "probes",
    ] {
        let table = text(&post(&["table", path.to_str().unwrap(), "--what", what]).stdout);
        let widest = table.lines().map(|line| line.chars().count()).max().unwrap_or(0);
        assert!(widest <= 100, "{what}: {widest}\n{table}");
    }
    // Nothing turns about x and y, and the momentum does not change.
    let bodies = text(&post(&["table", path.to_str().unwrap(), "--what", "bodies"]).stdout);
    assert!(bodies.contains("[mm/s]") && bodies.contains("300.0"), "{bodies}");
    let momentum = text(&post(&["table", path.to_str().unwrap(), "--what", "momentum"]).stdout);
    assert!(momentum.contains("[µs]") && momentum.contains("33.00"), "{momentum}");
}

/// In a run of 25 µs times, durations and axes are in µs; only wall times are in seconds.
#[test]
fn a_report_has_one_unit_of_time_and_no_round_off() {
    let folder = tempfile::tempdir().unwrap();
    let run = Run::open(&result::write(folder.path())).unwrap();
    let html = html(&run, &Extras::default()).unwrap();
    let units = |text: &str| html.matches(text).count();
    assert!(units("[µs]") > 5, "{}", units("[µs]"));
    assert_eq!((units("[ms]"), units("[ns]"), units("[s]")), (0, 0, units("wall time [s]")));
    // The momentum of the fixture is constant, and no body turns but about z.
    assert!(html.contains("residual: zero<"), "a residual of zero is drawn");
    assert!(html.contains("Velocity of ball") && html.contains("Angular velocity of ball"));
    assert!(!html.contains("Velocity of block"), "the block is fixed");
}

/// A report contains program, date and command, and links to the files; the same result gives the same
/// report.
#[test]
fn a_report_contains_the_origin_of_its_result() {
    let folder = tempfile::tempdir().unwrap();
    let path = result::write(folder.path());
    let own = "# mine <own> & \"quoted\"\n[simulation]\nend_time = 25e-6   # as I like it\n";
    let origin = RunOrigin {
        command: "carom-solve 'my case.toml' -o result.carom".to_owned(),
        date: "2026-11-23 18:00 UTC".to_owned(),
        scenario: own.to_owned(),
    };
    keep_origin(&path, &origin).unwrap();
    let page = |name: &str| {
        let file = folder.path().join(name);
        let made = post(&["report", path.to_str().unwrap(), "-o", file.to_str().unwrap()]);
        assert!(made.status.success(), "{}", printed(&made));
        std::fs::read_to_string(&file).unwrap()
    };
    let html = page("report.html");
    for part in [
        "<td>2026-11-23 18:00 UTC</td>",
        "<td>carom-solve 'my case.toml' -o result.carom</td>",
        "<th>program</th><td>carom ",
        "<a href=\"./result.carom\">",
        "# mine &lt;own&gt; &amp; &quot;quoted&quot;\n[simulation]\nend_time = 25e-6   # as I like it\n",
        "end_time = 2.5e-5",
        "largest force of ball/block, t = 10.00 µs",
    ] {
        assert!(html.contains(part), "no {part}");
    }
    let picture = &html[html.find(">Bodies<").unwrap()..html.find(">Contact<").unwrap()];
    assert_eq!(
        picture.matches("data:image/png;base64,").count(),
        2,
        "a picture of the start and one of the impact"
    );
    assert_eq!(html, page("again.html"));
}

#[test]
fn the_links_of_a_report_are_valid_in_any_folder() {
    let from = |report: &str, file: &str| path_from(Path::new(report), Path::new(file));
    assert_eq!(from("/a/b/report.html", "/a/b/c/r.carom"), "c/r.carom");
    assert_eq!(from("/a/b/report.html", "/a/r.carom"), "/a/r.carom");
    assert_eq!(from("report.html", "r.carom"), "r.carom");
}

#[test]
fn an_unknown_joint_or_probe_is_reported_with_the_known_ones() {
    let folder = tempfile::tempdir().unwrap();
    let path = result::write(folder.path());
    let file = folder.path().join("plot.svg");
    let plot =
        |what: &str| post(&["plot", path.to_str().unwrap(), "-o", file.to_str().unwrap(), "--what", what]);
    for (what, code, says) in [
        ("joint:shaft", 2, "no joint `shaft`; it has `axle`, `spring ball:pole block:top`"),
        ("joint:3", 2, "no joint `3`"),
        ("joint", 2, "joint:NAME"),
        ("probe:shaft", 2, "no probe `shaft`; it has `pole`, `ball/block`"),
        ("probe", 2, "probe:NAME"),
    ] {
        let run = plot(what);
        assert_eq!(run.status.code(), Some(code), "{what}: {}", printed(&run));
        assert!(printed(&run).contains(says), "{what}: {}", printed(&run));
    }
}

#[test]
fn pressure_of_a_locally_refined_body_agrees_with_hertz() {
    let folder = tempfile::tempdir().unwrap();
    let path = result::write_with(folder.path(), &result::refined_ball());
    let file = folder.path().join("pressure.svg");
    let arguments = ["plot", path.to_str().unwrap(), "--what", "pressure", "-o", file.to_str().unwrap()];
    let run = post(&arguments);
    assert!(run.status.success(), "{}", printed(&run));
    assert!(std::fs::read_to_string(&file).unwrap().contains("Hertz"));
}

#[test]
fn the_command_hertz_gives_the_published_figures() {
    // docs/theory/closed-forms.md, section 10.1: two steel balls R 15 mm, rho 7780, at 0.5 m/s, and one on a
    // rigid plane at 0.2 m/s.
    for (arguments, figures) in [
        (
            vec!["--density", "7780", "--velocity", "0.5"],
            [979.36, 103.29e-6, 17.548e-6, 0.36278e-3, 3.5531e9],
        ),
        (
            vec![
                "--radius",
                "0.015,inf",
                "--young",
                "210e9,inf",
                "--mass",
                "0.10999,inf",
                "--velocity",
                "0.2",
            ],
            [749.29, 108.01e-6, 7.3394e-6, 0.33180e-3, 3.2497e9],
        ),
    ] {
        let object = json(&post(&[&["hertz", "--json"][..], &arguments[..]].concat()));
        for (key, figure) in
            ["peak_force", "duration", "max_approach", "contact_radius", "peak_pressure"].iter().zip(figures)
        {
            let found = object[key].as_f64().unwrap();
            assert!((found / figure - 1.0).abs() < 1e-4, "{key}: {found} but {figure}");
        }
    }
}

#[test]
fn errors_have_a_message_and_the_right_exit_code() {
    let folder = tempfile::tempdir().unwrap();
    let path = result::write(folder.path());
    let path = path.to_str().unwrap();
    let out = folder.path().join("out.svg");
    let out = out.to_str().unwrap();
    let junk = folder.path().join("junk.carom");
    std::fs::write(&junk, "this is no database").unwrap();
    let cases: [(&[&str], i32, &str); 12] = [
        (&["plot", "/nowhere/result.carom", "-o", out], 5, "no result"),
        (&["plot", junk.to_str().unwrap(), "-o", out], 3, "junk.carom"),
        (&["plot", path, "-o", out, "--what", "position:bal"], 2, "`ball`, `block`"),
        (&["plot", path, "-o", out, "--what", "pressure:x"], 2, "`ball/block`"),
        (&["picture", path, "-o", out, "--view", "0,0,0"], 2, "three numbers"),
        (&["picture", path, "-o", out, "--time", "nan"], 2, "finite"),
        (&["plot", path, "-o", out, "--what", "enery"], 2, "energy"),
        (&["plot", path, "-o", "plot.gif"], 2, ".svg or .png"),
        (&["report", path, "-o", "/nowhere/report.html"], 5, "/nowhere/report.html"),
        (&["export", path, "-o", out, "--format", "hdf5"], 2, "vtkhdf"),
        (&["hertz", "--radius", "inf", "--velocity", "1"], 2, "two planes"),
        (&["hertz", "--velocity", "-1"], 2, "above 0"),
    ];
    for (arguments, code, part) in cases {
        let message = failure(&post(arguments), code);
        assert!(message.contains(part), "{arguments:?}: {message}");
        assert!(!Path::new(out).exists(), "{arguments:?} left a file");
    }
    if Path::new("/dev/full").exists() {
        let message = failure(&post(&["report", path, "-o", "/dev/full"]), 5);
        assert!(message.contains("/dev/full") && message.contains("space left"), "{message}");
    } else {
        println!("skipped: this system has no /dev/full");
    }
}

#[test]
fn missing_and_changed_bodies_are_reported() {
    let folder = tempfile::tempdir().unwrap();
    let path = result::write(folder.path());
    let out = folder.path().join("paraview");
    let export = || post(&["export", path.to_str().unwrap(), "-o", out.to_str().unwrap()]);
    // A body that was moved to `bodies` in the folder of the result is found.
    std::fs::create_dir(folder.path().join("bodies")).unwrap();
    std::fs::rename(folder.path().join("ball.npz"), folder.path().join("bodies/ball.npz")).unwrap();
    assert!(export().status.success());
    // Another body with its name is refused.
    std::fs::copy(folder.path().join("block.npz"), folder.path().join("bodies/ball.npz")).unwrap();
    let changed = failure(&export(), 3);
    assert!(changed.contains("has changed"), "{changed}");
    std::fs::remove_file(folder.path().join("bodies/ball.npz")).unwrap();
    let gone = failure(&export(), 5);
    assert!(gone.contains("ball.npz"), "{gone}");
    // The report is written without the body, with a note.
    let file = folder.path().join("report.html");
    assert!(post(&["report", path.to_str().unwrap(), "-o", file.to_str().unwrap()]).status.success());
    assert!(std::fs::read_to_string(&file).unwrap().contains("No picture of the pressure"));
}

#[test]
fn a_wrong_ending_of_a_picture_is_a_usage_error() {
    let folder = tempfile::tempdir().unwrap();
    let result = result::write(folder.path());
    let before = std::fs::read(&result).unwrap();
    let name = result.to_str().unwrap();
    let pdf = folder.path().join("p.pdf");
    let output = post(&["plot", name, "-o", pdf.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(2), "{}", text(&output.stderr));
    for command in ["plot", "report"] {
        let output = post(&[command, name, "-o", name]);
        assert_eq!(output.status.code(), Some(2), "{}", text(&output.stderr));
        assert!(text(&output.stderr).contains("is the input"), "{}", text(&output.stderr));
    }
    assert_eq!(std::fs::read(&result).unwrap(), before);
}
