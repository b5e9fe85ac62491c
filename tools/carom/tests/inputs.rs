//! Invalid inputs: each gives a clear message with the right exit code, and leaves no files.

use crate::program;
use std::path::{Path, PathBuf};

use crate::program::{Place, SMALL};
use carom_files::write_atomically;
use carom_format::npz::{ArchiveWriter, Version};

/// A change of the small scenario, the exit code, and words that the message must contain.
struct Bad {
    from: &'static str,
    to: &'static str,
    code: i32,
    says: &'static [&'static str],
}

const BAD: &[Bad] = &[
    Bad {
        from: "end_time",
        to: "end_tiem",
        code: 3,
        says: &["bad.toml:3", "end_tiem", "did you mean `end_time`"],
    },
    Bad {
        from: "radius = 0.01,",
        to: "raduis = 0.01,",
        code: 3,
        says: &["bad.toml:8", "did you mean `radius`"],
    },
    Bad {
        from: "\"ball:pole\"",
        to: "\"ball:pool\"",
        code: 3,
        says: &["bad.toml:23", "ball", "pool", "pole"],
    },
    Bad { from: "[\"pole\"]", to: "[\"pool\"]", code: 3, says: &["bad.toml:19", "plate", "pool", "pole"] },
    Bad {
        from: "\"plate:pole\", \"ball:pole\"]",
        to: "\"plate:top\", \"ball:pole\"]\ncompliance = \"body\"",
        code: 3,
        says: &["bad.toml:23", "plate", "top", "interface"],
    },
    Bad { from: "\"plate:pole\"", to: "\"table:pole\"", code: 3, says: &["table", "plate"] },
    Bad {
        from: "shape = \"ball\", radius = 0.01,",
        to: "shape = \"ball\", radius = 0.01, length = 0.1,",
        code: 3,
        says: &["a ball has no `length`"],
    },
    Bad { from: "modes = 8", to: "modes = 5", code: 3, says: &["bad.toml:19", "5 fixed-interface modes"] },
    Bad {
        from: "reduce = { interface = [\"pole\"], modes = 8, split = 5.0e4 }",
        to: "rigid = true",
        code: 3,
        says: &["bad.toml:23", "both bodies are rigid"],
    },
    Bad {
        from: "[[contact]]",
        to: "[[force]]\non = \"plate:top\"\nforce = [0.0, 0.0, 1.0]\n\n[[contact]]",
        code: 3,
        says: &["bad.toml:23", "plate", "top", "pole"],
    },
    Bad {
        from: "at = \"pole\", finest",
        to: "at = \"pola\", finest",
        code: 3,
        says: &["bad.toml:17", "pola", "pole"],
    },
    Bad {
        from: "[simulation]",
        to: "[simulation]\nrelative_tolerance = 1e-20",
        code: 3,
        says: &["bad.toml:3", "relative_tolerance", "1e-12"],
    },
    Bad {
        from: "[simulation]",
        to: "[simulation]\nscheme = \"complementary\"",
        code: 3,
        says: &["bad.toml:3", "complementarity", "quasistatic"],
    },
    Bad { from: "[simulation]", to: "[simulation", code: 3, says: &["bad.toml:2"] },
    Bad {
        from: "\"plate:pole\", \"ball:pole\"]",
        to: "\"plate:pole\", \"ball:pole\"]\nfriction = -0.3",
        code: 3,
        says: &["bad.toml:24", "friction"],
    },
    Bad { from: "name = \"plate\"", to: "name = \"../plate\"", code: 3, says: &["../plate", "bad.toml:16"] },
    Bad {
        from: "shape = \"plate\"",
        to: "shape = \"plait\"",
        code: 3,
        says: &["bad.toml:17", "plait", "plate"],
    },
    Bad {
        from: "shape = \"ball\", radius = 0.01,",
        to: "shape = \"ball\",",
        code: 3,
        says: &["bad.toml:8", "ball", "radius"],
    },
];

#[test]
fn invalid_scenarios_are_reported_before_anything_is_reduced() {
    let place = Place::new();
    for bad in BAD {
        let text = SMALL.replacen(bad.from, bad.to, 1);
        assert_ne!(text, SMALL, "`{}` is not in the scenario", bad.from);
        place.write("bad.toml", &text);
        for command in ["check", "run"] {
            let message = place.fails(&[command, "bad.toml", "-o", "out"], bad.code);
            for word in bad.says {
                assert!(message.contains(word), "{command} `{}`: no `{word}` in: {message}", bad.to);
            }
        }
        assert!(!place.path().join("out/bodies/plate.rom").exists(), "`{}`: something was reduced", bad.to);
    }
}

#[test]
fn a_problem_with_a_change_of_the_command_line_is_placed_there() {
    let place = Place::new();
    place.write("small.toml", SMALL);
    let set = "body.plate.reduce.interface=[\"pool\"]";
    let message = place.fails(&["check", "small.toml", "--set", set], 3);
    assert!(message.contains(&format!("--set {set}: body `plate`")), "{message}");
}

#[test]
fn check_reports_all_problems_and_writes_nothing() {
    let place = Place::new();
    let text = SMALL.replace("\"ball:pole\"", "\"ball:pool\"").replace("[\"pole\"]", "[\"poole\"]");
    place.write("bad.toml", &text);
    let message = place.fails(&["check", "bad.toml"], 3);
    assert!(message.contains("pool") && message.contains("poole"), "{message}");
    let output = place.command(&["check", "bad.toml", "--json"]).output().unwrap();
    let object: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(3));
    assert_eq!(object["valid"], false);
    assert!(object["problems"].as_array().unwrap().len() >= 2, "{object:#}");
    assert_eq!(std::fs::read_dir(place.path()).unwrap().count(), 1, "check has written something");
}

/// The small scenario with another source for the plate.
fn with_source(source: &str) -> String {
    let make = SMALL.lines().find(|line| line.contains("\"plate\", size")).unwrap();
    SMALL.replace(make, source)
}

fn gallery(file: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../meshes").join(file)
}

#[test]
fn a_truncated_mesh_is_reported_with_its_file() {
    let place = Place::new();
    let mesh = std::fs::read(gallery("ball-on-conrod/conrod.msh")).unwrap();
    std::fs::write(place.path().join("cut.msh"), &mesh[..mesh.len() / 2]).unwrap();
    place.write("bad.toml", &with_source("file = \"cut.msh\""));
    for command in ["check", "run"] {
        let message = place.fails(&[command, "bad.toml", "-o", "out"], 3);
        assert!(message.contains("cut.msh") && message.contains("plate"), "{message}");
    }
}

#[test]
fn an_inverted_cell_is_reported_before_anything_is_reduced() {
    let place = Place::new();
    // One tetrahedron with two nodes exchanged.
    let text = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 \
        1\n$EndNodes\n\
                $Elements\n1\n1 4 2 1 1 1 3 2 4\n$EndElements\n";
    place.write("inverted.msh", text);
    place.write("bad.toml", &with_source("file = \"inverted.msh\""));
    for command in ["check", "run"] {
        let message = place.fails(&[command, "bad.toml", "-o", "out"], 3);
        assert!(message.contains("inverted.msh") && message.contains("1 of 1 cells"), "{message}");
    }
}

#[test]
fn a_binary_scenario_is_invalid_not_unreadable() {
    let place = Place::new();
    std::fs::write(place.path().join("bad.toml"), [b'[', 0xff, 0xfe]).unwrap();
    let message = place.fails(&["check", "bad.toml"], 3);
    assert!(message.contains("bad.toml") && message.contains("not a text file"), "{message}");
}

#[test]
fn a_missing_body_file_is_reported_with_its_body() {
    let place = Place::new();
    for source in ["file = \"none.msh\"", "file = \"none.xml\"", "body = \"none.npz\"", "rom = \"none.rom\""]
    {
        let mut text = with_source(source);
        if source.starts_with("rom") {
            text = text.replace("material = \"pmma\"\n", "").replace("reduce = ", "# reduce = ");
        }
        place.write("bad.toml", &text);
        for command in ["check", "run"] {
            let message = place.fails(&[command, "bad.toml", "-o", "out"], 5);
            assert!(message.contains("none."), "{source}: {message}");
        }
    }
    assert!(place.fails(&["run", "no.toml"], 5).contains("no.toml"));
}

#[test]
fn a_model_of_a_newer_release_is_refused() {
    let place = Place::new();
    write_atomically(&place.path().join("new.rom"), |out| {
        let mut archive = ArchiveWriter::new(out, "carom-rom", Version { major: 2, minor: 0 })?;
        archive.text("program", "carom 9.9.9")?;
        archive.finish().map(|_| ())
    })
    .unwrap();
    let text = with_source("rom = \"new.rom\"").replace("material = \"pmma\"\n", "");
    place.write("bad.toml", &text.replace("reduce = ", "# reduce = "));
    for command in ["check", "run"] {
        let message = place.fails(&[command, "bad.toml", "-o", "out"], 3);
        assert!(message.contains("version 2.0") && message.contains("carom 9.9.9"), "{message}");
    }
}

#[test]
fn folders_without_write_access_are_reported() {
    let place = Place::new();
    place.write("small.toml", SMALL);
    place.write("file", "mine");
    let mut folders = vec!["file", "file/below"];
    // Tests may run as root, with all permissions: a device is not a folder for root either.
    if Path::new("/dev/full").exists() {
        folders.extend(["/dev/full", "/dev/full/below"]);
    }
    for folder in folders {
        let message = place.fails(&["run", "small.toml", "-o", folder], 5);
        assert!(message.contains(folder), "{message}");
        let name = format!("{folder}/new");
        place.fails(&["new", &name], 5);
    }
    assert_eq!(std::fs::read_to_string(place.path().join("file")).unwrap(), "mine");
    assert!(place.fails(&["new", "nowhere/at/all"], 5).contains("nowhere/at"));
}

#[test]
fn a_report_that_cannot_be_replaced_is_reported_and_made_later() {
    let place = Place::new();
    place.write("small.toml", SMALL);
    place.json(&["run", "small.toml", "-o", "out"]);
    // A folder where the report should be cannot be replaced by a file.
    std::fs::remove_file(place.path().join("out/report.html")).unwrap();
    std::fs::create_dir_all(place.path().join("out/report.html/inside")).unwrap();
    let message = place.fails(&["run", "small.toml", "-o", "out", "-q"], 5);
    assert!(message.contains("report.html"), "{message}");
    let left: Vec<String> = std::fs::read_dir(place.path().join("out"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .filter(|name| name.contains("part") || name.contains("tmp"))
        .collect();
    assert!(left.is_empty(), "{left:?}");
    // After the remedy, only the missing work is done.
    std::fs::remove_dir_all(place.path().join("out/report.html")).unwrap();
    let summary = place.json(&["run", "small.toml", "-o", "out"]);
    assert_eq!(
        [program::did(&summary, "solution"), program::did(&summary, "report")],
        ["up-to-date", "made"]
    );
}

#[test]
fn the_command_new_does_not_replace_files() {
    let place = Place::new();
    place.write("drop.toml", "mine");
    let message = place.fails(&["new", "drop"], 2);
    assert!(message.contains("drop.toml") && message.contains("exists"), "{message}");
    assert_eq!(std::fs::read_to_string(place.path().join("drop.toml")).unwrap(), "mine");
    place.fails(&["new", ".."], 2);
    place.fails(&["new"], 2);
}

#[test]
fn the_doctor_reports_this_machine() {
    let place = Place::new();
    let found = place.json(&["doctor", "-j", "1"]);
    assert_eq!(found["threads"]["used"], 1);
    assert_eq!(found["folders"][0]["writable"], true);
    let programs = found["programs"].as_array().unwrap();
    assert!(programs.iter().any(|program| program["name"] == "carom-gmsh"), "{found:#}");
    for program in programs {
        assert!(!program["purpose"].as_str().unwrap().is_empty(), "{program:#}");
        assert!(!program["how_to_get"].as_str().unwrap().is_empty(), "{program:#}");
    }
    assert_eq!(std::fs::read_dir(place.path()).unwrap().count(), 0, "the doctor left something behind");
}

/// Runs `carom` with a limit of `blocks` of 512 bytes on the size of files: it then gets the error of a
/// full disk, at any place.
#[cfg(unix)]
fn with_little_room(place: &Place, blocks: usize) -> std::process::Output {
    let carom = place.command(&["run", "small.toml", "-o", "out"]);
    // The limit raises a signal unless that is ignored, and then an error.
    let script = format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$0\" \"$@\"");
    let mut shell = std::process::Command::new("sh");
    shell.args(["-c", &script]).arg(carom.get_program()).args(carom.get_args());
    shell.current_dir(place.path()).output().unwrap()
}

#[test]
#[cfg(unix)]
fn a_full_disk_leaves_no_incomplete_file() {
    let place = Place::new();
    place.write("small.toml", SMALL);
    // The limits stop first the archives of bodies and models; later, when these exist, the result and the
    // files for ParaView.
    let mut failed = starved(&place, &[8, 100, 400]);
    place.ok(&["run", "small.toml", "-o", "out"]);
    for kept in ["out/result.carom", "out/report.html"] {
        std::fs::remove_file(place.path().join(kept)).unwrap();
    }
    std::fs::remove_dir_all(place.path().join("out/paraview")).unwrap();
    failed.extend(starved(&place, &[16, 60, 200]));
    println!("{failed:#?}");
    for what in ["ball.npz", "plate.rom", "result.carom"] {
        assert!(failed.iter().any(|line| line.contains(what)), "{what} is missing in {failed:#?}");
    }
    // After the remedy, the remaining work is done.
    place.ok(&["run", "small.toml", "-o", "out"]);
}

/// The messages of `carom run` with each of these limits, if it fails. It must fail with exit code 5 and
/// leave no half-written file.
#[cfg(unix)]
fn starved(place: &Place, limits: &[usize]) -> std::collections::BTreeSet<String> {
    let mut failed = std::collections::BTreeSet::new();
    for &blocks in limits {
        let output = with_little_room(place, blocks);
        let said = carom_testing::program::printed(&output);
        if output.status.success() {
            continue;
        }
        assert_eq!(output.status.code(), Some(5), "{blocks}: {said}");
        failed.extend(said.lines().filter(|line| line.starts_with("error: ")).map(str::to_owned));
        for folder in ["out", "out/bodies", "out/paraview", "out/plots"] {
            let entries = std::fs::read_dir(place.path().join(folder)).into_iter().flatten();
            let names = entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned());
            let parts: Vec<_> = names.filter(|name| name.contains(".part") || name.contains("tmp")).collect();
            assert!(parts.is_empty(), "{blocks}: {parts:?}");
        }
    }
    failed
}

#[test]
fn a_missing_mesh_is_named_with_its_body_and_line() {
    let place = Place::new();
    let make = SMALL.lines().find(|line| line.contains("\"ball\", radius")).unwrap();
    place.write("lost.toml", &SMALL.replace(make, "file = \"gone.msh\""));
    for command in ["check", "run"] {
        let errors = place.fails(&[command, "lost.toml"], 5);
        for said in ["lost.toml:8", "body `ball`", "gone.msh", "relative to the folder of the scenario"] {
            assert!(errors.contains(said), "{command}: {said}: {errors}");
        }
    }
}

#[test]
fn implausible_figures_are_reported_with_the_range_and_a_remedy() {
    let place = Place::new();
    let material =
        "[material.plastic]\ndensity = 1180.0\nyoung = 3.2\npoisson = 0.37\n\n[[body]]\nname = \"ball\"";
    let text = SMALL
        .replacen("[[body]]\nname = \"ball\"", material, 1)
        .replace("\"pmma\"", "\"plastic\"")
        .replace("end_time", "time_step = 1e-30\nend_time")
        .replace(
            "velocity = [0.0, 0.0, -1.0]",
            "velocity = [0.0, 0.0, -1.0]\nangular_velocity = [0.0, 0.0, 1e9]",
        );
    place.write("odd.toml", &text);
    let checked = place.json(&["check", "odd.toml"]);
    let warnings: Vec<&str> =
        checked["warnings"].as_array().unwrap().iter().map(|warning| warning.as_str().unwrap()).collect();
    for said in [
        ["speed of sound", "3.2 GPa are 3.2e9"],
        ["number of steps is 4e25", "years"],
        ["speed of its rim", "rad/s"],
    ] {
        assert!(
            warnings.iter().any(|warning| said.iter().all(|part| warning.contains(part))),
            "{said:?}: {warnings:#?}"
        );
    }
    assert!(checked["valid"].as_bool().unwrap());
    let printed = carom_testing::program::printed(&place.ok(&["check", "odd.toml"]));
    assert!(printed.contains("warning: material `plastic`"), "{printed}");
    // The unchanged scenario gives no such warnings.
    place.write("usual.toml", SMALL);
    assert!(place.json(&["check", "usual.toml"])["warnings"].as_array().unwrap().is_empty());
}

#[cfg(unix)]
#[test]
fn pipes_and_devices_are_refused_without_waiting() {
    let place = Place::new();
    let pipe = place.path().join("pipe.toml");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    for input in ["pipe.toml", "/dev/zero"] {
        let errors = place.fails(&["check", input], 5);
        assert!(errors.contains("device, pipe or socket"), "{errors}");
    }
}
