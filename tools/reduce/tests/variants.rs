//! Flags of `carom-reduce` beyond the plain reduction.

use std::path::Path;

use crate::program::{failure, json, run};
use carom_fem::{Body, Geometry, Material};
use carom_format::{read_rom, write_body};
use carom_mesh::make::{HexOptions, Solid, hexahedra};
use carom_testing::numbers;
use carom_testing::program::printed;

fn folder_with_bar() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let options = HexOptions { elements: vec![6, 2, 2], ..HexOptions::default() };
    let mesh = hexahedra(Solid::Box { size: [0.1, 0.02, 0.03] }, &options).unwrap();
    let material_of_block = vec![0; mesh.blocks.len()];
    let body = Body {
        name: "bar".to_owned(),
        geometry: Geometry::Mesh(mesh),
        materials: vec![Material::new("steel", 7800.0, 210e9, 0.3).unwrap()],
        material_of_block,
        sections: Vec::new(),
    };
    write_body(&folder.path().join("bar.npz"), &body).unwrap();
    folder
}

/// The report of a reduction of the bar with further flags.
fn made(folder: &Path, flags: &str) -> serde_json::Value {
    let flags = if flags.is_empty() { String::new() } else { format!(" {flags}") };
    json(
        folder,
        &format!(
            "craig-bampton bar.npz -o bar.rom --interface west --interface east --modes 12 --json{flags}"
        ),
    )
}

#[test]
fn every_option_is_applied_and_recorded() {
    let folder = folder_with_bar();
    let plain = numbers(&made(folder.path(), "")["frequencies_hz"]);
    let rom = || read_rom(&folder.path().join("bar.rom")).unwrap();
    assert!(rom().options.variant.is_empty());
    for (flags, words, n_modes) in [
        ("--inertia-relief", "inertia_relief", plain.len() + 6),
        ("--residual", "residual", 54 + 12),
        ("--massless-boundary", "massless_boundary", 54 + 12),
        ("--stiffening", "stiffening", plain.len()),
        ("--interface-modes east=10", "interface_modes east=10", plain.len() - 17),
        ("--interface-modes east=1Hz", "interface_modes east=1Hz", plain.len() - 21),
        ("--frame nodes=1,7,8", "frame nodes=1,7,8", plain.len()),
        ("--frame marker=west", "frame marker=west", plain.len()),
        ("--rayleigh 10,1e-6 --damping-ratio 0.01", "damping rayleigh=10,0.000001 ratio=0.01", plain.len()),
        ("--damping-ratio 100:0.01,1e4:0.02", "damping rayleigh=0,0 ratio=100:0.01,10000:0.02", plain.len()),
    ] {
        let report = made(folder.path(), flags);
        let model = rom();
        assert_eq!(model.options.variant, [words], "{flags}");
        assert_eq!(model.reduced.omega.len(), n_modes, "{flags}");
        assert_eq!(model.reduced.invariants.damping_modal.is_some(), words.starts_with("damping"), "{flags}");
        let hz = numbers(&report["frequencies_hz"]);
        // Frequencies are those of the free body in any frame; further modes lower them, interface modes
        // raise them.
        for k in 0..4 {
            let change = hz[k] / plain[k] - 1.0;
            let limit = if flags.contains("interface-modes") { 0.2 } else { 1e-2 };
            assert!(change.abs() < limit, "{flags}: {change:e}");
            assert!(!flags.contains("frame") || change.abs() < 1e-9, "{flags}: {change:e}");
        }
        json(folder.path(), "info bar.rom --json");
    }
    let notes = made(folder.path(), "--interface-modes east=10")["notes"].to_string();
    assert!(
        notes.contains("local compliance is lost") && notes.contains("27 interface dofs reduced to 10"),
        "{notes}"
    );
}

#[test]
fn info_lists_all_options_of_a_model() {
    let folder = folder_with_bar();
    let printed = |flags: &str| {
        made(folder.path(), flags);
        let text = String::from_utf8(run(folder.path(), "info bar.rom --modes").stdout).unwrap();
        (text, json(folder.path(), "info bar.rom --json")["options"].clone())
    };
    let (text, options) = printed("");
    assert!(
        text.contains("(Craig-Bampton)") && text.contains("--interface west, --interface east, --modes 12"),
        "{text}"
    );
    assert!(
        text.contains("mean motion (Buckens)")
            && text.contains("54 constraint modes, 12 fixed-interface modes"),
        "{text}"
    );
    assert_eq!(
        (options["method"].as_str(), options["modes_asked"].as_u64()),
        (Some("fixed-interface"), Some(12))
    );
    for (flags, expected, key, value) in [
        ("--inertia-relief", "with inertia relief", "inertia_relief", "true"),
        (
            "--inertia-relief",
            "12 fixed-interface modes, 6 inertia-relief modes",
            "method",
            "\"fixed-interface\"",
        ),
        ("--residual", "54 residual attachment modes, 12 free modes", "method", "\"residual\""),
        ("--massless-boundary", "residual attachment modes without mass", "method", "\"massless-boundary\""),
        (
            "--interface-modes east=10",
            "east: 10 interface modes, 6 of them rigid motions",
            "interface_reduction",
            "\"modes\":10",
        ),
        (
            "--interface-modes east=10",
            "interface mode 10 of east, ",
            "interface_reduction",
            "\"part\":\"east\"",
        ),
        ("--frame nodes=1,7,8", "not the frequencies of the free body", "frame", "nodes=1,7,8"),
        (
            "--rayleigh 10,1e-6 --damping-ratio 0.01",
            "rayleigh=10,0.000001 ratio=0.01",
            "damping",
            "ratio=0.01",
        ),
        ("--stress nodes", "(--stress nodes)", "stress", "\"at\":\"nodes\""),
        ("--split 9000 --quadrature high", "--split 9000, --quadrature high", "split_hz", "9000"),
    ] {
        let (text, options) = printed(flags);
        assert!(text.contains(expected), "{flags}: {text}");
        assert!(options[key].to_string().contains(value), "{flags}: {options}");
    }
    let line = "craig-bampton bar.npz -o held.rom --attach east=mean --fix west --modes 5 --json";
    json(folder.path(), line);
    let text = String::from_utf8(run(folder.path(), "info held.rom").stdout).unwrap();
    assert!(text.contains("--attach east=mean, --fix west, --modes 5"), "{text}");
}

#[test]
fn too_large_damping_is_refused_and_overcritical_damping_is_reported() {
    let folder = folder_with_bar();
    let line = "craig-bampton bar.npz -o bar.rom --interface west --modes 8";
    let text = failure(folder.path(), 3, &format!("{line} --rayleigh 1,1e300"));
    assert!(text.contains("which is too large") && text.contains("smaller"), "{text}");
    assert!(!folder.path().join("bar.rom").exists());
    let report = json(folder.path(), &format!("{line} --json --damping-ratio 100"));
    let low = report["low_modes"].as_u64().unwrap();
    let notes = report["notes"].to_string();
    assert!(
        notes.contains(&format!("{low} of {low} dynamic modes")) && notes.contains("1.000e2 times"),
        "{notes}"
    );
    let notes = json(folder.path(), &format!("{line} --json --damping-ratio 0.05"))["notes"].to_string();
    assert!(!notes.contains("critical"), "{notes}");
}

#[test]
fn repeated_names_count_once() {
    let folder = folder_with_bar();
    let twice =
        "craig-bampton bar.npz -o bar.rom --interface west --interface west --fix east --fix east --modes 4";
    let output = run(folder.path(), twice);
    let text = printed(&output);
    assert!(output.status.success() && text.contains("--interface west is given more than once"), "{text}");
    assert!(text.contains("--fix east is given more than once"), "{text}");
    let info = json(folder.path(), "info bar.rom --json");
    assert_eq!(info["surfaces"].as_array().unwrap().len(), 1);
    assert_eq!(info["interfaces"].as_array().unwrap().len(), 1);
    assert_eq!(info["held"].as_array().unwrap().len(), 1);
}

#[test]
fn a_changed_number_of_interface_modes_is_reported_with_the_reason() {
    let folder = folder_with_bar();
    for (n, expected) in [
        (0, "reduced to 6, not to 0: its 6 rigid motions"),
        (3, "not to 3"),
        (99, "27, not to 99: it has no more"),
    ] {
        let notes = made(folder.path(), &format!("--interface-modes east={n}"))["notes"].to_string();
        assert!(notes.contains(expected), "{notes}");
    }
    let notes = made(folder.path(), "--interface-modes east=10")["notes"].to_string();
    assert!(!notes.contains("not to"), "{notes}");
}

#[test]
fn a_reduction_without_a_factor_says_so() {
    let folder = folder_with_bar();
    let plain = made(folder.path(), "");
    assert_eq!(plain["solver"], "direct");
    let report = made(folder.path(), "--solver iterative");
    assert_eq!(report["solver"], "iterative");
    let notes = report["notes"].to_string();
    assert!(notes.contains("solved without a factor (as chosen)") && notes.contains("iterations"), "{notes}");
    for (a, b) in numbers(&plain["frequencies_hz"]).iter().zip(numbers(&report["frequencies_hz"])) {
        assert!((a / b - 1.0).abs() < 1e-8, "{a} {b} Hz");
    }
    let info = json(folder.path(), "info bar.rom --json");
    assert_eq!(info["options"]["solver"], "iterative");
    made(folder.path(), "--solver direct");
    let line = "craig-bampton bar.npz -o bar.rom --interface west --solver fast";
    let refused = failure(folder.path(), 2, line);
    assert!(refused.contains("auto"), "{refused}");
}

#[test]
fn impossible_choices_are_refused_before_any_work() {
    let folder = folder_with_bar();
    let refused = |code, flags: &str| {
        let line = format!("craig-bampton bar.npz -o bar.rom --interface west {flags}");
        let text = failure(folder.path(), code, &line);
        assert!(!folder.path().join("bar.rom").exists());
        text
    };
    for (flags, expected) in [
        ("--massless-boundary --frame nodes=1,2,3", "Buckens"),
        ("--massless-boundary --residual", "cannot be used with"),
        ("--residual --inertia-relief", "leave inertia relief out"),
        ("--residual --interface-modes west=6", "leave one of the two out"),
        ("--frame chord", "nodes=I,J,K"),
        ("--frame nodes=1,2", "nodes=I,J,K"),
        ("--rayleigh 1", "A,B"),
        ("--rayleigh -1,0", "0 or above"),
        ("--damping-ratio -0.1", "damping ratio"),
        ("--damping-ratio 200:0.1,100:0.1", "ascend"),
        ("--interface-modes west", "SET=N"),
        ("--reduce-interface many", "2e4Hz"),
    ] {
        let text = refused(2, flags);
        assert!(text.contains(expected), "{flags}: {text}");
    }
    for (flags, expected) in [
        ("--interface-modes wset=6", "`wset`"),
        ("--frame nodes=1,2,3", "line"),
        ("--frame nodes=1,2,99999", "99999"),
        ("--frame marker=left", "`left`"),
        ("--massless-boundary --split 1e9", "lower the split"),
    ] {
        let text = refused(3, flags);
        assert!(text.contains(expected), "{flags}: {text}");
    }
}

#[test]
fn matrices_accept_the_same_options_and_sid_files_none() {
    let folder = folder_with_bar();
    json(folder.path(), "export bar.npz -o bar --format mtx --json");
    std::fs::write(folder.path().join("nodes.txt"), "1 7 8 15 22\n").unwrap();
    let line = "import bar.K.mtx bar.M.mtx --nodes bar.nodes.txt --interface-nodes nodes.txt -o m.rom \
        --modes 10 --json";
    let report = json(folder.path(), &format!("{line} --residual --frame nodes=1,7,8 --damping-ratio 0.02"));
    assert_eq!(report["low_modes"].as_u64(), Some(10));
    let stored = read_rom(&folder.path().join("m.rom")).unwrap();
    assert_eq!(stored.options.variant[..2], ["residual", "frame nodes=1,7,8"]);
    let text = failure(folder.path(), 3, &format!("{line} --frame nodes=1,7,4711").replace(" --json", ""));
    assert!(text.contains("4711"), "{text}");
    let text = failure(folder.path(), 3, &format!("{line} --stiffening").replace(" --json", ""));
    assert!(text.contains("only matrices are given"), "{text}");
    json(folder.path(), "export m.rom -o m.SID_FEM --format sid --modes 10 --json");
    let again = json(folder.path(), "import m.SID_FEM -o again.rom --json");
    assert_eq!(again["low_modes"].as_u64(), Some(10));
    let damping =
        read_rom(&folder.path().join("again.rom")).unwrap().reduced.invariants.damping_modal.unwrap();
    let original = stored.reduced.invariants.damping_modal.unwrap();
    for i in 0..10 {
        for j in 0..10 {
            assert!((damping[(i, j)] - original[(i, j)]).abs() < 1e-9 * original.norm_max());
        }
    }
    let text = failure(folder.path(), 2, "import m.SID_FEM -o again.rom --inertia-relief");
    assert!(text.contains("--inertia-relief is only for matrices"), "{text}");
    json(folder.path(), &format!("{line} --massless-boundary"));
    let text = failure(folder.path(), 3, "export m.rom -o n.SID_FEM --format sid --modes 20");
    assert!(text.contains("massless"), "{text}");
}
