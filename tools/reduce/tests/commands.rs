//! The commands of `carom-reduce`: output, files, errors.

use std::collections::BTreeMap;
use std::path::Path;

use crate::program::{failure, json, run};
use carom_fem::{Body, Geometry, Material};
use carom_files::write_atomically;
use carom_format::npz::{ArchiveWriter, Version};
use carom_format::write_body;
use carom_mesh::{CellBlock, CellShape, Mesh, Set};
use carom_testing::program::{self, printed};
use carom_testing::{json_file, numbers, shared_data};

const STEEL: (f64, f64, f64) = (7800.0, 210e9, 0.3);

/// A box of n × 2 × 2 linear hexahedra, 1 m × 0.2 m × 0.2 m, with the node sets `start` and `end`.
fn beam(path: &Path) {
    let (nx, n) = (8_u32, 2_u32);
    let id = |i: u32, j: u32, k: u32| i + (nx + 1) * (j + (n + 1) * k);
    let mut points = Vec::new();
    let mut cells = Vec::new();
    for k in 0..=n {
        for j in 0..=n {
            for i in 0..=nx {
                points.push([f64::from(i) / 8.0, 0.1 * f64::from(j), 0.1 * f64::from(k)]);
                if i < nx && j < n && k < n {
                    cells.extend([id(i, j, k), id(i + 1, j, k), id(i + 1, j + 1, k), id(i, j + 1, k)]);
                    let k = k + 1;
                    cells.extend([id(i, j, k), id(i + 1, j, k), id(i + 1, j + 1, k), id(i, j + 1, k)]);
                }
            }
        }
    }
    let at = |x: f64| {
        let nodes = (0..points.len() as u32).filter(|&p| (points[p as usize][0] - x).abs() < 1e-9).collect();
        Set::Nodes(nodes)
    };
    let sets = BTreeMap::from([("start".to_owned(), at(0.0)), ("end".to_owned(), at(1.0))]);
    let blocks = vec![CellBlock { shape: CellShape::Hex8, connectivity: cells }];
    let (density, young, poisson) = STEEL;
    let body = Body {
        name: "beam".to_owned(),
        geometry: Geometry::Mesh(Mesh { points, blocks, sets }),
        materials: vec![Material::new("steel", density, young, poisson).unwrap()],
        material_of_block: vec![0],
        sections: Vec::new(),
    };
    write_body(path, &body).unwrap();
}

fn folder_with_beam() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    beam(&folder.path().join("beam.npz"));
    folder
}

#[test]
fn lines_of_progress_name_the_body_where_there_is_no_terminal() {
    let folder = folder_with_beam();
    for line in [
        "modes beam.npz --count 60",
        "craig-bampton beam.npz -o beam.rom --interface start --modes 60",
        "compare beam.rom beam.npz",
    ] {
        let mut command = assert_cmd::Command::cargo_bin("carom-reduce").unwrap();
        command.current_dir(folder.path()).args(line.split(' ')).args(["--json", "-j", "1"]);
        let ran = command.env("CAROM_PROGRESS_SECONDS", "0.001").output().unwrap();
        // Standard output contains only the object.
        program::json(&ran);
        let lines = program::progress(&ran);
        assert!(lines.iter().any(|line| line.starts_with("beam: ")), "{line}: {lines:#?}");
    }
}

#[test]
fn a_free_body_has_six_rigid_modes_and_a_held_one_none() {
    let folder = folder_with_beam();
    let free = json(folder.path(), "modes beam.npz --count 10 --json -o modes.vtu");
    assert_eq!(free["schema"], "carom-reduce modes 1");
    let hz = numbers(&free["frequencies_hz"]);
    assert_eq!(hz.len(), 10);
    assert!(hz[5] < 1e-2 && hz[6] > 100.0, "{hz:?}");
    // The section is square: bending modes come in pairs.
    assert!((hz[7] / hz[6] - 1.0).abs() < 1e-9, "{hz:?}");
    assert_eq!(free["dofs"].as_u64(), Some(3 * 9 * 3 * 3));
    for phase in ["assembly", "factorisation", "eigen"] {
        assert!(free["seconds"][phase].as_f64().unwrap() >= 0.0, "{phase}");
    }
    let shapes = std::fs::read(folder.path().join("modes.vtu")).unwrap();
    assert!(String::from_utf8_lossy(&shapes).contains("mode 07 "));
    let held = json(folder.path(), "modes beam.npz --fix start --fix end --up-to 3000 --json");
    let held = numbers(&held["frequencies_hz"]);
    assert!(held[0] > 100.0 && held.iter().all(|&hz| hz <= 3000.0), "{held:?}");
}

#[test]
fn a_model_has_all_documented_keys_and_keeps_the_frequencies() {
    let folder = folder_with_beam();
    let line =
        "craig-bampton beam.npz -o beam.rom --interface start --interface end --modes 20 --split 3000 --json";
    let made = json(folder.path(), line);
    assert_eq!(made["interface_dofs"].as_u64(), Some(2 * 27));
    assert_eq!(made["fixed_interface_modes"].as_u64(), Some(20));
    let (low, high) = (made["low_modes"].as_u64().unwrap(), made["high_modes"].as_u64().unwrap());
    let hz = numbers(&made["frequencies_hz"]);
    // All interface dofs and fixed-interface modes, less the six rigid modes.
    assert_eq!(low + high, 54 + 20 - 6);
    assert_eq!(hz.len() as u64, low + high);
    assert_eq!(hz.iter().filter(|&&hz| hz <= 3000.0).count() as u64, low);
    for phase in ["assembly", "factorisation", "constraint_modes", "eigen", "projection", "places", "total"] {
        assert!(made["seconds"][phase].as_f64().unwrap() >= 0.0, "{phase}");
    }
    assert!(made["peak_memory_bytes"].is_u64() || made["peak_memory_bytes"].is_null());

    let info = json(folder.path(), "info beam.rom --json");
    assert_eq!(info["checksum"], made["checksum"]);
    let mass = 0.04 * STEEL.0;
    assert!((info["mass"].as_f64().unwrap() / mass - 1.0).abs() < 1e-12);
    assert!((numbers(&info["center_of_mass"])[0] - 0.5).abs() < 1e-12);

    let compared = json(folder.path(), "compare beam.rom beam.npz --count 6 --json");
    // A reduced body is stiffer than the full one, never softer.
    for error in numbers(&compared["relative_errors"]) {
        assert!((-1e-9..1e-2).contains(&error), "{error}");
    }
    assert_eq!(compared["is_good"], true);
    assert_eq!(compared["statics"].as_array().unwrap().len(), 12);
    assert!(compared["modes"].as_array().unwrap().iter().all(|m| m["mac"].as_f64().unwrap() > 0.999));
}

#[test]
fn a_poor_model_fails_a_check_with_a_verdict() {
    let folder = folder_with_beam();
    json(folder.path(), "craig-bampton beam.npz -o beam.rom --interface start --modes 6 --split 5000 --json");
    let compared = json(folder.path(), "compare beam.rom beam.npz --tolerance 0.05 --json");
    assert_eq!(compared["is_good"], false, "{compared}");
    let trusted = compared["trusted_hz"].as_f64().unwrap();
    let hz = numbers(&compared["body_hz"]);
    assert!(trusted > 0.0 && hz.contains(&trusted) && trusted < hz[11], "{compared}");
    let printed = run(folder.path(), "compare beam.rom beam.npz --tolerance 0.05");
    let text = String::from_utf8_lossy(&printed.stdout).into_owned();
    assert!(printed.status.success() && text.contains("the model is not reliable above"), "{text}");
    assert!(text.contains("use a lower split"), "{text}");
    let checked = run(folder.path(), "compare beam.rom beam.npz --tolerance 0.05 --check");
    let text = carom_testing::program::printed(&checked);
    assert!(checked.status.code() == Some(1) && text.contains("the model is not reliable above"), "{text}");
    let table = String::from_utf8(checked.stdout).unwrap();
    assert!(
        table.contains("model in Hz") && table.contains("energy error"),
        "the table is there too: {table}"
    );
    failure(folder.path(), 2, "compare beam.rom beam.npz --tolerance 2");
}

#[test]
fn rigid_attachments_have_a_static_response_and_sets_without_one_are_reported() {
    let folder = folder_with_beam();
    let at = folder.path();
    run(at, "craig-bampton beam.npz -o a.rom --attach start=rigid --attach end=mean --modes 20");
    let report = json(at, "compare a.rom beam.npz --json");
    let statics = report["statics"].as_array().unwrap();
    assert_eq!(statics.len(), 12);
    assert!(statics.iter().any(|load| load["set"] == "start"));
    assert!(statics.iter().all(|load| load["displacement_error"].as_f64().unwrap() < 1e-2), "{report}");
    assert_eq!(report["rigid_sets"][0], "start");
    for place in ["", "@0.3,0.01,-0.02"] {
        run(
            at,
            &format!("craig-bampton beam.npz -o held.rom --attach end=rigid{place} --fix start --modes 8"),
        );
        let report = json(at, "compare held.rom beam.npz --json");
        assert_eq!(report["statics"].as_array().unwrap().len(), 6);
        // Constraint modes give the exact response to loads on the rigid set of a held body, for any place of
        // its marker.
        for load in report["statics"].as_array().unwrap() {
            assert!(load["displacement_error"].as_f64().unwrap() < 1e-9, "{load}");
        }
    }
    std::fs::write(at.join("two.txt"), "1 2\n").unwrap();
    run(at, "craig-bampton beam.npz -o c.rom --interface-nodes two.txt --attach end=mean --modes 12");
    let report = json(at, "compare c.rom beam.npz --json");
    let untested = report["statics_untested"].to_string();
    assert!(untested.contains("2 listed interface nodes") && untested.contains("a moment"), "{untested}");
    assert!(report["verdict"].to_string().contains("Not tested in statics: 2 listed"), "{report}");
}

#[test]
fn the_verdict_reports_the_error_of_the_energy() {
    let folder = folder_with_beam();
    let at = folder.path();
    run(at, "craig-bampton beam.npz -o a.rom --interface start --modes 6");
    let report = json(at, "compare a.rom beam.npz --count 1 --json");
    let statics = report["statics"].as_array().unwrap();
    let worst = statics.iter().map(|load| load["energy_error"].as_f64().unwrap()).fold(0.0, f64::max);
    let verdict = report["verdict"].as_str().unwrap();
    assert_eq!(
        worst > 0.01,
        verdict.contains("The elastic energy of the static response is up to"),
        "{worst} {verdict}"
    );
    assert!(worst > 0.01, "{worst}");
    run(at, "craig-bampton beam.npz -o r.rom --attach start=rigid --attach end=rigid --modes 20 --split 1e5");
    let checked = run(at, "compare r.rom beam.npz --tolerance 1e-4 --check");
    let text = printed(&checked);
    assert!(text.contains("--attach SET=mean adds no stiffness"), "{text}");
    assert!(String::from_utf8_lossy(&checked.stdout).contains("stiffen the body"), "{text}");
}

#[test]
fn a_model_is_exported() {
    let folder = folder_with_beam();
    let made = run(folder.path(), "craig-bampton beam.npz -o beam.rom --interface start -q");
    assert!(made.status.success(), "{}", printed(&made));
    json(folder.path(), "export beam.rom -o copy.npz --json");
    let info = |name: &str| json(folder.path(), &format!("info {name} --json"));
    assert_eq!(info("beam.rom")["checksum"], info("copy.npz")["checksum"]);
    for command in ["export beam.rom -o beam.xyz", "craig-bampton beam.npz -o a.xyz --interface start"] {
        let text = failure(folder.path(), 2, command);
        assert!(text.contains("models are written as .rom or .npz"), "{text}");
    }
    let written = json(folder.path(), "export beam.rom -o beam --format mtx --json");
    assert_eq!(written["outputs"].as_array().unwrap().len(), 2);
    let text = std::fs::read_to_string(folder.path().join("beam.M.mtx")).unwrap();
    assert!(text.starts_with("%%MatrixMarket matrix array real general"));
}

#[test]
fn interface_nodes_are_counted_from_one() {
    let folder = folder_with_beam();
    let nodes = folder.path().join("nodes.txt");
    let line = "craig-bampton beam.npz -o beam.rom --interface-nodes nodes.txt --json";
    std::fs::write(&nodes, "# four corners\n1 9\n19, 81\n").unwrap();
    assert_eq!(json(folder.path(), line)["interface_dofs"].as_u64(), Some(12));
    std::fs::write(&nodes, "1 2\n0\n").unwrap();
    let text = failure(folder.path(), 3, line);
    assert!(text.contains("nodes.txt`:2: `0` is not a node number"), "{text}");
    std::fs::write(&nodes, "1 9 82\n").unwrap();
    assert!(failure(folder.path(), 3, line).contains("82"));
}

#[test]
fn bad_inputs_are_reported_with_a_hint() {
    let folder = folder_with_beam();
    let text = failure(folder.path(), 3, "craig-bampton beam.npz -o a.rom");
    assert!(text.contains("no interface") && text.contains("start"), "{text}");
    let text = failure(folder.path(), 3, "craig-bampton beam.npz -o a.rom --interface strat");
    assert!(text.contains("`strat`") && text.contains("start"), "{text}");
    let text = failure(folder.path(), 3, "modes beam.npz --fix nothing");
    assert!(text.contains("`nothing`"), "{text}");
    let text = failure(folder.path(), 3, "craig-bampton beam.npz -o a.rom --interface start --modes 3");
    assert!(text.contains("at least 6"), "{text}");
    assert!(!folder.path().join("a.rom").exists(), "no model is left");
    for line in [
        "craig-bampton beam.npz",
        "modes beam.npz --count 0",
        "modes beam.npz --up-to -1",
        "info",
        "craig-bampton beam.npz -o a.rom --attach start=glue",
        "craig-bampton beam.npz -o a.rom --attach start=rigid@1,2",
    ] {
        failure(folder.path(), 2, line);
    }
    failure(folder.path(), 5, "modes nothing.npz");
    failure(folder.path(), 5, "craig-bampton beam.npz -o nowhere/a.rom --interface start");
    if Path::new("/dev/full").exists() {
        failure(folder.path(), 5, "craig-bampton beam.npz -o /dev/full --interface start");
    } else {
        println!("skipped: this system has no /dev/full");
    }
}

#[test]
fn a_model_of_another_version_or_body_is_refused() {
    let folder = folder_with_beam();
    write_atomically(&folder.path().join("new.rom"), |out| {
        ArchiveWriter::new(out, "carom-rom", Version { major: 2, minor: 1 })?.finish().map(|_| ())
    })
    .unwrap();
    let text = failure(folder.path(), 3, "info new.rom");
    assert!(text.contains("version 2.1") && text.contains("up to 1.x"), "{text}");
    let text = failure(folder.path(), 3, "info beam.npz");
    assert!(text.contains("`carom-body`; a `carom-rom` is required here"), "{text}");
    let made = run(folder.path(), "craig-bampton beam.npz -o beam.rom --interface start -q");
    assert!(made.status.success(), "{}", printed(&made));
    write_body(&folder.path().join("other.npz"), &{
        let mut body = carom_format::read_body(&folder.path().join("beam.npz")).unwrap().body;
        body.materials[0].density = 1000.0;
        body
    })
    .unwrap();
    let text = failure(folder.path(), 3, "compare beam.rom other.npz");
    assert!(text.contains("checksums") && text.contains("was not made from"), "{text}");
}

#[test]
fn a_body_of_two_parts_is_reported_and_not_reduced() {
    let folder = folder_with_beam();
    let at = folder.path();
    let mut body = carom_format::read_body(&at.join("beam.npz")).unwrap().body;
    let Geometry::Mesh(mesh) = &mut body.geometry else { panic!("the beam is a mesh") };
    let n = mesh.points.len() as u32;
    mesh.points.extend(mesh.points.clone().iter().map(|x| [x[0], x[1] + 1.0, x[2]]));
    let more: Vec<u32> = mesh.blocks[0].connectivity.iter().map(|p| p + n).collect();
    mesh.blocks[0].connectivity.extend(more);
    write_body(&at.join("two.npz"), &body).unwrap();
    let report = json(at, "modes two.npz --count 14 --json");
    assert_eq!((report["rigid_modes"].as_u64(), report["parts"].as_u64()), (Some(12), Some(2)));
    let text = printed(&run(at, "modes two.npz --count 14"));
    assert!(text.contains("2 parts without a common node: 12 of its modes are rigid motions"), "{text}");
    for flags in ["--interface start", "--attach end=rigid", "--interface start --attach end=mean"] {
        let text = failure(at, 3, &format!("craig-bampton two.npz -o two.rom {flags}"));
        assert!(
            text.contains("2 parts without a common node") && text.contains("make a body of each"),
            "{text}"
        );
    }
}

#[test]
fn sets_are_held_in_single_directions() {
    let folder = folder_with_beam();
    let at = folder.path();
    let report = json(at, "modes beam.npz --fix start=x --count 8 --json");
    assert_eq!(report["rigid_modes"].as_u64(), Some(3));
    json(at, "craig-bampton beam.npz -o a.rom --interface end --fix start=x --fix start=yz --modes 4 --json");
    let whole = json(at, "craig-bampton beam.npz -o b.rom --interface end --fix start --modes 4 --json");
    let info = json(at, "info a.rom --json");
    assert_eq!(info["held"][1], "start=yz");
    assert_eq!(numbers(&info["frequencies_hz"]), numbers(&whole["frequencies_hz"]));
    assert!(json(at, "compare a.rom beam.npz --count 2 --json")["statics"].as_array().is_some());
    let text = failure(at, 3, "craig-bampton beam.npz -o c.rom --interface end --fix start=x");
    assert!(text.contains("leaves 3 of 6 rigid motions") && text.contains("SET=xz"), "{text}");
    assert!(failure(at, 3, "modes beam.npz --fix start=q").contains("`start=q`"));
}

#[test]
fn points_without_cells_have_no_dofs() {
    let folder = folder_with_beam();
    let path = folder.path().join("beam.npz");
    let mut body = carom_format::read_body(&path).unwrap().body;
    let Geometry::Mesh(mesh) = &mut body.geometry else { panic!("the beam is a mesh") };
    let dofs = 3 * mesh.points.len();
    mesh.points.push([9.0, 9.0, 9.0]);
    write_body(&path, &body).unwrap();
    assert_eq!(json(folder.path(), "modes beam.npz --count 8 --json")["dofs"], dofs);
    assert_eq!(json(folder.path(), "craig-bampton beam.npz --interface start -o b.rom --json")["dofs"], dofs);
}

#[test]
fn a_wrong_ending_of_the_output_is_refused_before_the_reduction() {
    let folder = folder_with_beam();
    let before = std::fs::read(folder.path().join("beam.npz")).unwrap();
    let message = failure(folder.path(), 2, "craig-bampton beam.npz --interface start -o beam.npz");
    assert!(message.contains("is the input"), "{message}");
    assert_eq!(std::fs::read(folder.path().join("beam.npz")).unwrap(), before);
    let message = failure(folder.path(), 2, "modes beam.npz -o shapes.png");
    assert!(message.contains(".vtu"), "{message}");
}

#[test]
fn frequencies_of_a_reference_mesh_agree_with_the_reference() {
    let Some(meshes) = shared_data("meshes") else { return };
    let folder = tempfile::tempdir().unwrap();
    let reference = json_file(&meshes.join("reference.json"));
    let (mesh, _) = carom_mesh::msh::read(&meshes.join("gear_hex8.msh")).unwrap();
    let n_blocks = mesh.blocks.len();
    let body = Body {
        name: "gear".to_owned(),
        geometry: Geometry::Mesh(mesh),
        materials: vec![Material::new("steel", STEEL.0, STEEL.1, STEEL.2).unwrap()],
        material_of_block: vec![0; n_blocks],
        sections: Vec::new(),
    };
    write_body(&folder.path().join("gear.npz"), &body).unwrap();
    let found = numbers(&json(folder.path(), "modes gear.npz --count 18 --json")["frequencies_hz"]);
    let expected = numbers(&reference["gear_hex8.msh"]["free_free"]["hz"]);
    for (found, expected) in found[6..].iter().zip(&expected) {
        assert!((found / expected - 1.0).abs() < 1e-6, "{found} for {expected}");
    }
}

#[test]
fn a_mesh_of_all_families_of_cells_has_modes() {
    let files = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../crates/mesh/tests/files");
    let folder = tempfile::tempdir().unwrap();
    for order in [1, 2] {
        let (mesh, _) = carom_mesh::msh::read(&files.join(format!("kinds{order}_v41.msh"))).unwrap();
        let body = Body {
            name: "kinds".to_owned(),
            material_of_block: vec![0; mesh.blocks.len()],
            geometry: Geometry::Mesh(mesh),
            materials: vec![Material::new("steel", STEEL.0, STEEL.1, STEEL.2).unwrap()],
            sections: Vec::new(),
        };
        write_body(&folder.path().join("kinds.npz"), &body).unwrap();
        let hz = numbers(&json(folder.path(), "modes kinds.npz --count 8 --json")["frequencies_hz"]);
        // A steel part of 2 m by 3 m: a few hundred hertz; six rigid motions before.
        assert!(hz[..6].iter().all(|rigid| rigid.abs() < 1e-3 * hz[6]), "{hz:?}");
        assert!(hz[6] > 50.0 && hz[6] < 2000.0, "{hz:?}");
        let output = run(folder.path(), "modes kinds.npz --count 8 -o shapes.vtu");
        assert!(output.status.success() && folder.path().join("shapes.vtu").exists(), "{output:?}");
    }
}

#[test]
fn the_table_of_modes_describes_every_column() {
    let folder = folder_with_beam();
    let at = folder.path();
    let made = "craig-bampton beam.npz -o a.rom --attach start=rigid --attach end=mean --modes 8 -v";
    let details = printed(&run(at, made));
    assert!(details.contains("constraint mode: marker end about z"), "{details}");
    let report = json(at, "info a.rom --modes --json");
    let table = &report["modes"];
    let columns = table["columns"].as_array().unwrap();
    assert_eq!(columns.len(), 12 + 8);
    assert_eq!(columns[5]["kind"], "marker");
    assert_eq!(
        (columns[5]["marker"].as_str(), columns[5]["motion"].as_str()),
        (Some("start"), Some("about z"))
    );
    assert_eq!(
        (columns[12]["kind"].as_str(), columns[12]["number"].as_u64()),
        (Some("fixed-interface"), Some(1))
    );
    assert_eq!(columns[12]["hz"], report["fixed_interface_hz"][0]);
    assert_eq!(table["rigid_motions_taken_out"], 6);
    let modes = table["modes"].as_array().unwrap();
    assert_eq!(modes.len(), 12 + 8 - 6);
    for mode in modes {
        let sum: f64 = mode["strain_energy"].as_object().unwrap().values().map(|x| x.as_f64().unwrap()).sum();
        assert!((sum - 1.0).abs() < 1e-9, "{mode}");
    }
    assert_eq!(report["markers"][1]["kind"], "mean");
    assert_eq!(report["markers"][1]["name"], "end");
    let text = String::from_utf8(run(at, "info a.rom --modes").stdout).unwrap();
    assert!(
        text.contains("removed: 6 rigid motions") && text.contains("marker                   start"),
        "{text}"
    );

    run(at, "craig-bampton beam.npz -o held.rom --interface end --fix start --modes 3");
    let report = json(at, "info held.rom --modes --json");
    assert_eq!(report["held"][0], "start");
    assert_eq!(report["modes"]["rigid_motions_taken_out"], 0);
    assert_eq!(report["modes"]["columns"][0]["kind"], "point");
    assert_eq!(report["modes"]["modes"].as_array().unwrap().len(), 27 + 3);
    // A node of the held set is at rest, the body's lowest frequencies are those of the held body.
    let held = numbers(&json(at, "modes beam.npz --fix start --count 2 --json")["frequencies_hz"]);
    let model = numbers(&report["frequencies_hz"]);
    assert!((model[0] / held[0] - 1.0).abs() < 1e-3, "{} {}", model[0], held[0]);

    let text = failure(at, 3, "craig-bampton beam.npz -o b.rom --attach start=rigid --interface start");
    assert!(text.contains("attached set `start`") && text.contains("interface set `start`"), "{text}");
    let exported = "export a.rom -o a.SID_FEM --format sid --nodes sets";
    run(at, exported);
    let sid = std::fs::read_to_string(at.join("a.SID_FEM")).unwrap();
    assert_eq!(sid.matches("new node").count(), 2, "a node for each marker");
}
