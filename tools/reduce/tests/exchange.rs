//! Models and matrices that are exported to other programs and imported again.

use std::fs;
use std::path::Path;

use crate::bar::folder_with_bar;
use crate::program::{failure, json};
use assert_cmd::Command;
use carom_format::read_rom;
use carom_testing::machine::python;
use carom_testing::numbers;
use carom_testing::program::printed;
use carom_testing::shared_data;

#[test]
fn a_model_is_preserved_in_a_sid_fem_file() {
    let folder = folder_with_bar();
    let folder = folder.path();
    let written = json(folder, "export bar.rom -o bar.SID_FEM --format sid --json");
    let sets: Vec<&str> =
        written["nodes"].as_array().unwrap().iter().map(|node| node["set"].as_str().unwrap()).collect();
    assert_eq!(sets, ["west", "east"]);
    let read = json(folder, "import bar.SID_FEM -o again.rom --json");
    // 9 points at each end, and one for each end as a whole.
    assert_eq!(read["nodes"].as_u64(), Some(20));
    let (old, new) =
        (read_rom(&folder.join("bar.rom")).unwrap(), read_rom(&folder.join("again.rom")).unwrap());
    let (old, new) = (old.reduced, new.reduced);
    for (a, b) in old.omega.iter().zip(&new.omega) {
        assert!((a / b - 1.0).abs() < 1e-14, "{a} {b}");
    }
    assert_eq!(old.invariants.inertia_1.nrows(), new.invariants.inertia_1.nrows());
    let [before, after] = [&old, &new].map(|model| model.invariants.inertia_2.all().unwrap());
    assert!((before - after).norm_max() < 1e-11);
    assert!(new.surfaces.is_empty() && new.n_low == new.omega.len());
    let few = json(folder, "export bar.rom -o few.SID_FEM --format sid --nodes sets --modes 5 --json");
    assert_eq!(few["nodes"].as_array().unwrap().len(), 2);
    let split = json(folder, "import few.SID_FEM -o few.rom --split 6000 --json");
    assert_eq!((split["nodes"].as_u64(), split["frequencies_hz"].as_array().unwrap().len()), (Some(2), 5));
    let low = numbers(&split["frequencies_hz"]).iter().filter(|&&hz| hz <= 6000.0).count();
    assert_eq!(split["low_modes"].as_u64(), Some(low as u64));
    assert!(
        failure(folder, 3, "export bar.rom -o no.SID_FEM --format sid --modes 999")
            .contains("999 modes are requested")
    );
    assert!(failure(folder, 2, "import bar.SID_FEM -o a.rom --modes 3").contains("is only for matrices"));
    assert!(failure(folder, 2, "import bar.SID_FEM -o a.rom --solver auto").contains("is only for matrices"));
    assert!(failure(folder, 5, "import no.SID_FEM -o a.rom").contains("no.SID_FEM"));
    let text = fs::read_to_string(folder.join("few.SID_FEM")).unwrap();
    fs::write(folder.join("cut.SID_FEM"), &text[..text.len() / 2]).unwrap();
    assert!(failure(folder, 3, "import cut.SID_FEM -o a.rom").contains("it was cut"));
    assert!(!folder.join("a.rom").exists() && !folder.join("no.SID_FEM").exists());
}

#[test]
fn an_export_replaces_no_file_of_another_kind() {
    let folder = folder_with_bar();
    let folder = folder.path();
    let body = fs::read(folder.join("bar.npz")).unwrap();
    for (name, content) in [("other.npz", &body[..]), ("keep.toml", b"mine"), ("keep", b"mine")] {
        fs::write(folder.join(name), content).unwrap();
        let text = failure(folder, 2, &format!("export bar.rom -o {name} --format sid"));
        let said = if name == "keep" { "is not a SID_FEM file" } else { "written as .SID_FEM or .sid" };
        assert!(text.contains(said), "{text}");
        assert_eq!(fs::read(folder.join(name)).unwrap(), content, "{name}");
    }
    let export = |line: &str| json(folder, &format!("export bar.rom --format sid --json -o {line}"));
    export("keep --force");
    let once = fs::read(folder.join("keep")).unwrap();
    assert!(once.len() > 10_000);
    // A SID_FEM file is replaced, as models are.
    fs::write(folder.join("keep"), &once[..3000]).unwrap();
    export("keep");
    assert_eq!(fs::read(folder.join("keep")).unwrap(), once);
    export("bar.sid_fem");
    export("bar.sid");
}

#[test]
fn exported_matrices_of_a_body_are_reduced_to_the_same_model() {
    let folder = folder_with_bar();
    let folder = folder.path();
    let written = json(folder, "export bar.npz -o bar --format mtx --json");
    assert_eq!(written["outputs"].as_array().unwrap().len(), 3);
    let nodes = fs::read_to_string(folder.join("bar.nodes.txt")).unwrap();
    let lines: Vec<&str> = nodes.lines().filter(|line| !line.starts_with('#')).collect();
    assert_eq!(lines.len(), 7 * 3 * 3);
    // Both ends, by their numbers in the list.
    let ends: Vec<&str> = lines
        .iter()
        .filter(|line| {
            let x: f64 = line.split(' ').nth(1).unwrap().parse().unwrap();
            !(1e-9..0.12 - 1e-9).contains(&x)
        })
        .map(|line| line.split(' ').next().unwrap())
        .collect();
    assert_eq!(ends.len(), 18);
    fs::write(folder.join("ends.txt"), ends.join("\n")).unwrap();
    let line = "import bar.K.mtx bar.M.mtx --nodes bar.nodes.txt --interface-nodes ends.txt --modes 12 -o \
        again.rom --json";
    let made = json(folder, line);
    let old = read_rom(&folder.join("bar.rom")).unwrap().reduced;
    let hz = numbers(&made["frequencies_hz"]);
    assert_eq!(hz.len(), old.omega.len());
    for (a, b) in old.omega.iter().zip(&hz) {
        assert!((a / std::f64::consts::TAU / b - 1.0).abs() < 1e-9, "{a} {b}");
    }
    let new = read_rom(&folder.join("again.rom")).unwrap().reduced;
    assert!((new.invariants.mass / old.invariants.mass - 1.0).abs() < 1e-12);
    assert!((0..3).all(|a| (new.com[a] - old.com[a]).abs() < 1e-12));
    assert_eq!(new.boundary.points, old.boundary.points);
    // The same body in forms of other programs: both triangles, a plain list, other numbers of nodes.
    let general = |name: &str, bare: bool| {
        let text = fs::read_to_string(folder.join(name)).unwrap();
        let mut lines = text.lines().skip(1);
        let sizes: Vec<&str> = lines.next().unwrap().split(' ').collect();
        let mut entries: Vec<String> = Vec::new();
        for line in lines {
            let words: Vec<&str> = line.split(' ').collect();
            entries.push(line.replace('e', "D"));
            if words[0] != words[1] {
                entries.push(format!("  {}  {}  {}", words[1], words[0], words[2]));
            }
        }
        let head = format!(
            "%%MatrixMarket matrix coordinate real general\n% both\n{} {} {}\n",
            sizes[0],
            sizes[1],
            entries.len()
        );
        (if bare { String::new() } else { head }) + &entries.join("\n")
    };
    fs::write(folder.join("K.general"), general("bar.K.mtx", false)).unwrap();
    fs::write(folder.join("M.sti"), general("bar.M.mtx", true)).unwrap();
    let renumbered = |text: &str| -> String {
        let line = |line: &str| {
            let (id, rest) = line.split_once(' ').map_or((line, ""), |(id, rest)| (id, rest));
            format!("{}, {}", 5000 - id.parse::<u64>().unwrap(), rest.replace(' ', ", "))
        };
        text.lines().filter(|line| !line.starts_with('#')).map(line).collect::<Vec<_>>().join("\n")
    };
    fs::write(folder.join("nodes.inp"), format!("*NODE\n{}", renumbered(&nodes))).unwrap();
    let numbers_of =
        ends.iter().map(|id| (5000 - id.parse::<u64>().unwrap()).to_string()).collect::<Vec<_>>();
    fs::write(folder.join("ends2.txt"), numbers_of.join(" ")).unwrap();
    let line =
        "import K.general M.sti --nodes nodes.inp --interface-nodes ends2.txt --modes 12 -o other.rom --json";
    let other = json(folder, line);
    for (a, b) in hz.iter().zip(numbers(&other["frequencies_hz"])) {
        assert!((a / b - 1.0).abs() < 1e-9, "{a} {b}");
    }
    let points = read_rom(&folder.join("other.rom")).unwrap().reduced.boundary.points;
    assert!(points.is_sorted() && points.iter().all(|&point| (4900..5000).contains(&(point + 1))));
}

/// A Matrix Market file or a node list with its numbers multiplied.
fn scaled(text: &str, skip_words: usize, factor: f64) -> String {
    let mut sizes_passed = skip_words == 1;
    let line = |line: &str| {
        if line.starts_with(['%', '#']) || !std::mem::replace(&mut sizes_passed, true) {
            return line.to_owned();
        }
        let words = line.split(' ').enumerate().map(|(i, word)| {
            if i < skip_words {
                word.to_owned()
            } else {
                format!("{:e}", factor * word.parse::<f64>().unwrap())
            }
        });
        words.collect::<Vec<_>>().join(" ")
    };
    text.lines().map(line).collect::<Vec<_>>().join("\n")
}

#[test]
fn matrices_in_mm_t_s_give_the_same_body() {
    let folder = folder_with_bar();
    let folder = folder.path();
    json(folder, "export bar.npz -o bar --format mtx --json");
    let read = |name: &str| fs::read_to_string(folder.join(name)).unwrap();
    fs::write(folder.join("mm.txt"), scaled(&read("bar.nodes.txt"), 1, 1e3)).unwrap();
    fs::write(folder.join("K.mm"), scaled(&read("bar.K.mtx"), 2, 1e-3)).unwrap();
    fs::write(folder.join("M.mm"), scaled(&read("bar.M.mtx"), 2, 1e-3)).unwrap();
    fs::write(folder.join("ends.txt"), "1 7 8 14 15 21 22\n").unwrap();
    let import = |files: &str| {
        json(folder, &format!("import {files} --interface-nodes ends.txt --modes 8 -o again.rom --json"))
    };
    let si = import("bar.K.mtx bar.M.mtx --nodes bar.nodes.txt");
    let mass = 7800.0 * 0.12 * 0.02 * 0.03;
    // A box of a × b × c: m (b² + c²) / 12.
    let expected = [[0.02, 0.03], [0.12, 0.03], [0.12, 0.02_f64]].map(|[b, c]| mass * (b * b + c * c) / 12.0);
    for (files, factor, note) in [
        ("bar.K.mtx bar.M.mtx --nodes bar.nodes.txt", 1.0, false),
        ("K.mm M.mm --nodes mm.txt --units mm-t-s", 1.0, false),
        ("bar.K.mtx bar.M.mtx --nodes mm.txt --scale 1e-3", 1.0, false),
        // Wrong units cannot be detected from the matrices.
        ("bar.K.mtx bar.M.mtx --nodes mm.txt", 1e3, true),
    ] {
        let made = import(files);
        assert!((made["mass"].as_f64().unwrap() / mass - 1.0).abs() < 1e-12, "{files}: {made}");
        for (size, edge) in numbers(&made["size"]).iter().zip([0.12, 0.02, 0.03]) {
            assert!((size / (factor * edge) - 1.0).abs() < 1e-12, "{files}: {made}");
        }
        for (axis, expected) in expected.iter().enumerate() {
            let found = made["inertia"][axis][axis].as_f64().unwrap();
            // The density of hexahedra is exact, their inertia too: the mass matrix is consistent.
            assert!((found / (factor * factor * expected) - 1.0).abs() < 1e-9, "{files}: {found} {expected}");
        }
        for (a, b) in numbers(&made["frequencies_hz"]).iter().zip(numbers(&si["frequencies_hz"])) {
            assert!((a / b - 1.0).abs() < 1e-8 || note, "{files}: {a} {b}");
        }
        let notes = made["notes"].to_string();
        assert_eq!(notes.contains("--units mm-t-s"), note, "{files}: {notes}");
    }
    let text = failure(
        folder,
        2,
        "import K.mm M.mm --nodes mm.txt --units mm-kg --interface-nodes ends.txt -o a.rom",
    );
    assert!(text.contains("LENGTH-MASS-TIME such as mm-t-s"), "{text}");
}

#[test]
fn import_names_the_program_for_files_of_other_kinds() {
    let folder = folder_with_bar();
    let folder = folder.path();
    fs::write(folder.join("part.msh"), "$MeshFormat\n4.1 0 8\n").unwrap();
    for (file, said) in
        [("part.msh", "carom-mesh import"), ("bar.npz", "is a body"), ("bar.rom", "is a model already")]
    {
        let text = failure(folder, 3, &format!("import {file} -o a.rom"));
        assert!(text.contains(said) && !text.contains("damaged"), "{text}");
    }
}

#[test]
fn an_imported_model_has_its_own_centre_of_mass() {
    let Some(data) = shared_data("sid") else { return };
    let folder = tempfile::tempdir().unwrap();
    let file = data.join("balken1m.SID_FEM");
    json(folder.path(), &format!("import {} -o beam.rom --json", file.display()));
    let info = json(folder.path(), "info beam.rom --json");
    // A beam of 1 m whose end is 5 mm away from the origin of the file.
    let center = numbers(&info["center_of_mass"]);
    assert!((0..3).all(|a| (center[a] - [0.5, -0.005, 0.0][a]).abs() < 1e-9), "{center:?}");
    // Along its axes the moment is m L² / 12, to the thickness, without products; the file has a product
    // about its origin.
    let inertia = |a: usize, b: usize| info["inertia"][a][b].as_f64().unwrap();
    assert!((inertia(1, 1) / (0.785 / 12.0) - 1.0).abs() < 1e-3, "{}", inertia(1, 1));
    assert!(inertia(0, 1).abs() < 1e-12, "{:e}", inertia(0, 1));
}

#[test]
fn matrices_of_other_bodies_are_refused() {
    let folder = folder_with_bar();
    let folder = folder.path();
    json(folder, "export bar.npz -o bar --format mtx --json");
    fs::write(folder.join("ends.txt"), "1 2 3 8 15 # corner\n").unwrap();
    let read = |name: &str| fs::read_to_string(folder.join(name)).unwrap();
    let import = |k: &str, m: &str, list: &str, ends: &str| {
        failure(folder, 3, &format!("import {k} {m} --nodes {list} --interface-nodes {ends} -o a.rom"))
    };
    let (k, nodes) = (read("bar.K.mtx"), read("bar.nodes.txt"));
    // Nodes in another order: rotations cause forces.
    let mut lines: Vec<&str> = nodes.lines().collect();
    lines.swap(1, 5);
    fs::write(folder.join("swapped.txt"), lines.join("\n")).unwrap();
    let text = import("bar.K.mtx", "bar.M.mtx", "swapped.txt", "ends.txt");
    assert!(text.contains("does not permit rigid motions"), "{text}");
    fs::write(folder.join("short.txt"), lines[..20].join("\n")).unwrap();
    let text = import("bar.K.mtx", "bar.M.mtx", "short.txt", "ends.txt");
    assert!(text.contains("189 rows") && text.contains("57 dofs"), "{text}");
    // A stiffness is not a mass.
    let text = import("bar.K.mtx", "bar.K.mtx", "bar.nodes.txt", "ends.txt");
    assert!(text.contains("is not a mass matrix of solid elements") && text.contains("of node"), "{text}");
    let text = import("bar.M.mtx", "bar.K.mtx", "bar.nodes.txt", "ends.txt");
    assert!(text.contains("give the stiffness first, then the mass"), "{text}");
    fs::write(folder.join("empty.mtx"), "").unwrap();
    let text = import("empty.mtx", "bar.M.mtx", "bar.nodes.txt", "ends.txt");
    assert!(text.contains("`empty.mtx` is empty"), "{text}");
    fs::write(folder.join("none.mtx"), "%%MatrixMarket matrix coordinate real symmetric\n189 189 0\n")
        .unwrap();
    let text = import("bar.K.mtx", "none.mtx", "bar.nodes.txt", "ends.txt");
    assert!(text.contains("`none.mtx` has no entries"), "{text}");
    fs::write(folder.join("zero.sti"), "1 1 0.0\n").unwrap();
    let text = import("zero.sti", "bar.M.mtx", "bar.nodes.txt", "ends.txt");
    assert!(text.contains("the stiffness is zero"), "{text}");
    fs::write(folder.join("far.txt"), "1 2 3 999\n").unwrap();
    let text = import("bar.K.mtx", "bar.M.mtx", "bar.nodes.txt", "far.txt");
    assert!(text.contains("far.txt`:1: node 999 is not in `bar.nodes.txt`"), "{text}");
    fs::write(folder.join("line.txt"), "1 2 3\n").unwrap();
    let text = import("bar.K.mtx", "bar.M.mtx", "bar.nodes.txt", "line.txt");
    assert!(text.contains("not on a line"), "{text}");
    for (name, change, expected) in [
        ("kind", "symmetric\n", "complex hermitian\n"),
        ("cut", "", "it was cut"),
        ("word", "189 189", "189 sheep"),
        ("range", "\n1 1 ", "\n1 1000 "),
    ] {
        let damaged = match name {
            "cut" => k.lines().take(50).collect::<Vec<_>>().join("\n"),
            _ => k.replacen(change, expected, 1),
        };
        fs::write(folder.join("damaged.mtx"), damaged).unwrap();
        let text = import("damaged.mtx", "bar.M.mtx", "bar.nodes.txt", "ends.txt");
        let printed = match name {
            "kind" => "matrix coordinate real",
            "cut" => "it was cut",
            "word" => "damaged.mtx`:2: expected numbers of rows",
            _ => "damaged.mtx`:3: expected `row column value` with rows and columns from 1 to 189",
        };
        assert!(text.contains(printed), "{name}: {text}");
    }
    fs::write(folder.join("bad.txt"), "1 0 0 zero\n").unwrap();
    assert!(
        import("bar.K.mtx", "bar.M.mtx", "bad.txt", "ends.txt")
            .contains("bad.txt`:1: expected `number x y z`")
    );
    fs::write(folder.join("twice.txt"), "1 0 0 0\n1 1 0 0\n").unwrap();
    assert!(
        import("bar.K.mtx", "bar.M.mtx", "twice.txt", "ends.txt")
            .contains("twice.txt`:2: node 1 is listed twice")
    );
    assert!(failure(folder, 2, "import bar.K.mtx bar.M.mtx -o a.rom").contains("a list of their nodes"));
    assert!(!folder.join("a.rom").exists());
}

/// The Python of `docs/files.md` that begins with this comment.
fn snippet(first_line: &str) -> String {
    let page = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/files.md")).unwrap();
    let block = page.split("```python\n").find(|block| block.starts_with(first_line));
    block.expect("the page has the snippet").split("```").next().unwrap().to_owned()
}

#[test]
fn the_python_for_stress_runs_and_stress_has_the_energy_of_the_modes() {
    let Some(python) = python("numpy") else { return };
    let folder = folder_with_bar();
    let line =
        "craig-bampton bar.npz -o bar.rom --interface west --modes 12 --stress gauss --fields full --json";
    json(folder.path(), line);
    // Every Gauss point of this mesh has the same weight: ½ ∫ σ : C⁻¹ σ dV of a mode is ½ ω².
    let check = "
volume = 0.12 * 0.02 * 0.03
assert von_mises.shape == (6 * 2 * 2 * 8,) and worst.shape == (3,)
E = rom['material_young'][rom['stress_material']]
nu = rom['material_poisson'][rom['stress_material']]
for k, omega in enumerate(rom['omega']):
    s = rom['stress_modes'][:, k].reshape(-1, 6)
    trace = s[:, :3].sum(axis=1)
    twice = ((1 + nu) * ((s[:, :3]**2).sum(axis=1) + 2 * (s[:, 3:]**2).sum(axis=1)) - nu * trace**2) / E
    assert abs(volume * twice.mean() / omega**2 - 1) < 1e-8, (k, volume * twice.mean(), omega**2)
";
    let script = snippet("# Stress of a reduced body in NumPy") + check;
    let run = |script: &str| {
        let output = Command::new(&python).args(["-c", script]).current_dir(folder.path()).output().unwrap();
        assert!(output.status.success(), "{}", printed(&output));
    };
    run(&script);
    json(
        folder.path(),
        "craig-bampton bar.npz -o bar.rom --interface west --modes 12 --stress nodes --fields surface --json",
    );
    // 63 nodes, 5 of them inside.
    run("import numpy as np\nrom = np.load('bar.rom')\nassert len(rom['stress_nodes']) == 58 == \
         len(rom['fields_points'])\nassert (np.sort(rom['stress_nodes']) == rom['fields_points']).all() and \
         str(rom['stress_at']) == 'nodes'");
    let copy = json(folder.path(), "export bar.rom -o copy.rom --json");
    assert_eq!(copy["outputs"].as_array().unwrap().len(), 1);
    let stress = |name: &str| read_rom(&folder.path().join(name)).unwrap().reduced.stress.unwrap();
    let (old, new) = (stress("bar.rom"), stress("copy.rom"));
    assert_eq!((old.values, old.positions_b, old.nodes), (new.values, new.positions_b, new.nodes));
}

#[test]
fn the_python_of_the_documentation_runs() {
    let Some(python) = python("numpy") else { return };
    let folder = folder_with_bar();
    let script = snippet("# A reduced body in NumPy")
        + "\nassert frequencies.shape == (n,) and np.all(np.diff(frequencies) >= 0)"
        // 63 nodes, 5 of them inside.
        + "\nassert displacement.shape == (58, 3)"
        + "\nassert np.allclose(full_mass, full_mass.T) and np.linalg.eigvalsh(full_mass)[0] > 0"
        + "\nassert abs(rom['mass'] - 7800 * 0.12 * 0.02 * 0.03) < 1e-9"
        + "\nassert np.allclose(rom['coupling_r0'], 0, atol=1e-9 * np.abs(rom['inertia']).max() ** 0.5)"
        + "\nassert np.allclose(tip_compliance, tip_compliance.T) and np.all(np.diag(tip_compliance) > 0)";
    let output = Command::new(python).args(["-c", &script]).current_dir(folder.path()).output().unwrap();
    assert!(output.status.success(), "{}", printed(&output));
}
