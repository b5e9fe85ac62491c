//! Valid files of every kind, to be damaged.

use std::path::Path;

use carom_fem::{Body, Geometry, Material};
use carom_format::matrices::{write_matrix, write_nodes};
use carom_format::sid::{SidNodes, sid_of, write_sid};
use carom_format::{CraigBamptonOptions as StoredOptions, Scenario, write_body, write_rom};
use carom_make::shape::Grade;
use carom_make::{NearPlace, Place, RefineOptions, Shape, ShapeOptions, make, refine};
use carom_mesh::{Mesh, inp, msh, vtu};
use carom_nurbs::{Multipatch, write};
use carom_progress::Silent;
use carom_reduce::matrices::entries_of;
use carom_reduce::{CraigBamptonOptions, FixedModes, craig_bampton};
use carom_simulate::{RunOptions, Users, Workshop, prepare, run};
use carom_testing::shared_data;
use carom_vtk::{Compression, Encoding, WriteOptions, write_vtu};

/// A valid file.
pub(super) struct Seed {
    /// The kind, which selects the reader.
    pub(super) kind: &'static str,
    pub(super) name: String,
    pub(super) ending: String,
    pub(super) content: Vec<u8>,
}

/// A rigid ball over a rigid plate, in a scenario with a table of each common kind.
const SCENARIO: &str = r#"
[simulation]
scheme = "rigid"
end_time = 2.0e-3
time_step = 1.0e-4
output_every = 5.0e-4
gravity = [0.0, 0.0, -9.81]

[material.mine]
density = 7800.0
young = 210e9
poisson = 0.3

[[body]]
name = "ball"
make = { shape = "ball", radius = 0.01 }
material = "mine"
position = [0.0, 0.0, 0.01001]
velocity = [0.0, 0.0, -1.0]
shape = [{ name = "outside", kind = "ball", radius = 0.01 }]

[[body]]
name = "other"
make = { shape = "ball", radius = 0.01 }
material = "steel"
position = [0.0, 0.0, -0.01]
rotation = { axis = [1.0, 0.0, 0.0], degrees = 30.0 }
shape = [{ name = "outside", kind = "ball", radius = 0.01 }]

[[contact]]
between = ["ball:outside", "other:outside"]
restitution = 0.9
"#;

/// The same scenario with a flexible ball, which is read but not run.
const FLEXIBLE: &str = r#"
[simulation]
end_time = 4.0e-5
output_every = 1.0e-5

[[body]]
name = "plate"
make = { shape = "plate", size = [0.02,0.02,5e-3], pole_radius = 2e-3, grade = {at = "pole", finest = 1e-3}}
refine = { near = [{ at = "pole", levels = 2 }] }
zone = [{ name = "back", set = "bottom", center = [0.0, 0.0, -0.0025], radius = 2e-3 }]
marker = [{ name = "tip", at = [0.0, 0.0, 0.0] }]
material = "pmma"
reduce = { interface = ["pole"], attach = { back = "rigid" }, modes = 8, split = 5.0e4 }

[[body]]
name = "part"
file = "part.inp"
units = "mm-t-s"
rigid = true
position = [0.0, 0.0, 0.01]

[[joint]]
kind = "revolute"
between = ["ground", "plate:back"]
axis = [0.0, 1.0, 0.0]

[[force]]
on = "plate:back"
force = [0.0, 0.0, 1.0]
scale = { table = [[0.0, 0.0], [1.0e-3, 1.0]] }
"#;

const PROBLEM: &str = r#"{"M": {"rows": [0, 0, 1, 1, 2], "cols": [0, 1, 0, 1, 2],
"vals": [2.0, -1.0, -1.0, 2.0, 1.0]},
"q": [-1.0, 0.5, 1.0]}"#;

/// A deck with a part, two instances, sets of all kinds, materials.
const DECK: &str = "*HEADING\n*PART, NAME=P\n*NODE, NSET=ALL\n1, 0., 0., 0.\n2, 1., 0., 0.\n3, 1., 1., \
    0.\n4, 0., 1., 0.\n\
5, 0., 0., 1.\n6, 1., 0., 1.\n7, 1., 1., 1.\n8, 0., 1., 1.\n*ELEMENT, TYPE=C3D8I, ELSET=E\n1, 1, 2, 3, 4, 5, \
6, 7, 8, 0, 0\n\
*NSET, NSET=N, GENERATE\n1, 7, 2\n*ELSET, ELSET=F\nE\n*SURFACE, NAME=TOP\nE, S2\n*SOLID SECTION, ELSET=E, \
MATERIAL=M\n*END PART\n\
*ASSEMBLY, NAME=A\n*INSTANCE, NAME=I, PART=P\n*END INSTANCE\n*INSTANCE, NAME=J, PART=P\n3., 0., 0.\n0., 0., \
0., 0., 0., 1., 90.\n\
*END INSTANCE\n*NSET, NSET=BOTH, INSTANCE=I\n1, 2\n*END ASSEMBLY\n*MATERIAL, \
NAME=M\n*DENSITY\n7.8e-9\n*ELASTIC\n210000., 0.3\n";

fn steel() -> Material {
    Material::named("steel").unwrap()
}

/// A box of a few hexahedra of second order.
fn box_of_cells() -> Body {
    let options = ShapeOptions {
        size: Some([0.02, 0.01, 0.01]),
        elements: vec![2, 1, 1],
        hex: true,
        order: Some(2),
        ..ShapeOptions::of(Shape::Box)
    };
    make(&options, "box", steel(), &Silent).unwrap()
}

/// A ball of patches, plain and with knot spans halved near its pole.
fn balls() -> [Body; 2] {
    let options = ShapeOptions {
        radius: Some(0.01),
        elements: vec![1],
        grade: vec![Grade { at: Place::Set("pole".to_owned()), finest: 4e-3, radius: None }],
        ..ShapeOptions::of(Shape::Ball)
    };
    let plain = make(&options, "ball", steel(), &Silent).unwrap();
    let near = NearPlace { at: Place::Set("pole".to_owned()), radius: None, levels: 1 };
    let fine =
        refine(&plain, &RefineOptions { near: vec![near], ..RefineOptions::default() }, &Silent).unwrap();
    [plain, fine]
}

struct Seeds<'a> {
    folder: &'a Path,
    found: Vec<Seed>,
}

impl Seeds<'_> {
    fn add(&mut self, kind: &'static str, name: &str, content: Vec<u8>) {
        let ending = Path::new(name).extension().unwrap_or_default().to_string_lossy().into_owned();
        self.found.push(Seed { kind, name: name.to_owned(), ending, content });
    }

    /// Adds a file written by a function.
    fn written(&mut self, kind: &'static str, name: &str, write: impl FnOnce(&Path)) {
        let path = self.folder.join(name);
        write(&path);
        self.add(kind, name, std::fs::read(&path).unwrap());
    }

    /// Adds the small files of a folder.
    fn folder(&mut self, kind: &'static str, folder: &Path, endings: &[&str], largest: u64) {
        let mut paths: Vec<_> =
            std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
        paths.sort();
        for path in paths {
            let has_ending =
                path.extension().is_some_and(|found| endings.iter().any(|ending| found == *ending));
            if has_ending && path.metadata().unwrap().len() <= largest {
                let name = path.file_name().unwrap().to_string_lossy().into_owned();
                self.add(kind, &name, std::fs::read(&path).unwrap());
            }
        }
    }
}

/// Valid files of every kind; `folder` is used by writers that need a path.
pub(super) fn all(folder: &Path) -> Vec<Seed> {
    let mut seeds = Seeds { folder, found: Vec::new() };
    let body = box_of_cells();
    let [plain, fine] = balls();
    for (name, body) in [("box.npz", &body), ("plain.npz", &plain), ("fine.npz", &fine)] {
        seeds.written("body", name, |path| drop(write_body(path, body).unwrap()));
    }
    meshes(&mut seeds, &body);
    nurbs(&mut seeds, &plain);
    models(&mut seeds, &body);
    for (name, text) in [("rigid.toml", SCENARIO), ("flexible.toml", FLEXIBLE)] {
        seeds.add("scenario", name, text.as_bytes().to_vec());
    }
    seeds.add("lcp", "problem.json", PROBLEM.as_bytes().to_vec());
    seeds.written("result", "result.carom", result);
    seeds.found
}

fn meshes(seeds: &mut Seeds<'_>, body: &Body) {
    let Geometry::Mesh(mesh) = &body.geometry else { unreachable!("the box is made of hexahedra") };
    let mesh: &Mesh = mesh;
    seeds.add("inp", "deck.inp", DECK.as_bytes().to_vec());
    seeds.written("inp", "box.inp", |path| inp::write(path, mesh, &[], &[], &[]).unwrap());
    seeds.written("msh", "box.msh", |path| msh::write(path, mesh).unwrap());
    let files = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../crates/mesh/tests/files");
    seeds.folder("msh", &files, &["msh"], 40_000);
    for (name, encoding, compression) in [
        ("base64.vtu", Encoding::InlineBase64, Compression::None),
        ("raw.vtu", Encoding::AppendedRaw, Compression::Lz4),
        ("packed.vtu", Encoding::AppendedRaw, Compression::Default),
    ] {
        let options = WriteOptions { encoding, compression };
        seeds.written("vtu", name, |path| write_vtu(path, &vtu::grid(mesh), options).unwrap());
    }
}

fn nurbs(seeds: &mut Seeds<'_>, body: &Body) {
    let Geometry::Nurbs(patches) = &body.geometry else { unreachable!("the ball is made of patches") };
    let patches: &Multipatch = patches;
    for (name, written) in [
        ("ball.xml", write::gismo(patches)),
        ("ball.mesh", write::mfem(patches)),
        ("ball.json", write::geomdl(patches)),
    ] {
        seeds.add("nurbs", name, written.unwrap().text.into_bytes());
    }
    let Some(data) = shared_data("nurbs") else { return };
    for sub in ["generated", "geomdl", "geopdes", "gismo", "mfem", "petiga", "splinepy"] {
        let endings = ["xml", "mesh", "txt", "json", "npz", "dat", "itd"];
        seeds.folder("nurbs", &data.join(sub), &endings, 20_000);
    }
}

fn models(seeds: &mut Seeds<'_>, body: &Body) {
    let options = CraigBamptonOptions {
        interface_sets: vec!["west".to_owned()],
        modes: FixedModes::Count(6),
        ..CraigBamptonOptions::default()
    };
    let reduced = craig_bampton(body, &options, &Silent).unwrap().reduced;
    seeds.written("rom", "box.rom", |path| {
        drop(write_rom(path, &reduced, &StoredOptions::default(), &Silent).unwrap());
    });
    let (sid, _) = sid_of(&reduced, SidNodes::Interface, Some(4), &Silent).unwrap();
    seeds.written("sid", "box.SID_FEM", |path| write_sid(path, &sid, &Silent).unwrap());
    let discretisation = carom_fem::Discretisation::new(body).unwrap();
    let system = carom_fem::assemble(&discretisation, Default::default(), &Silent).unwrap();
    let used = discretisation.point_is_used();
    let [stiffness, _] = entries_of(&system, &used);
    let nodes: Vec<(u64, [f64; 3])> = (1..).zip(discretisation.points.iter().copied()).collect();
    seeds.written("nodes", "whole.nodes.txt", |path| write_nodes(path, &nodes).unwrap());
    seeds.written("mtx", "box.K.mtx", |path| write_matrix(path, &stiffness, &Silent).unwrap());
}

/// The result of a short run.
fn result(path: &Path) {
    let folder = path.parent().unwrap();
    let scenario = Scenario::parse(Path::new("rigid.toml"), SCENARIO, &[], &["steel"]).unwrap();
    let workshop = Workshop { scenario_folder: folder, bodies: &folder.join("bodies"), users: Users::One };
    let prepared = prepare(&scenario, workshop, &Silent).unwrap();
    run(&scenario, folder, &prepared, path, RunOptions::default(), &Silent).unwrap();
}
