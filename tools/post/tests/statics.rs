//! Pictures of an unreduced body: the result of a static run with a known, linear displacement.

use std::path::Path;

use carom_dynamics::{Balance, BodyState, Frame, Ledger, Observer, rotation};
use carom_fem::{Body, Geometry, Material, Section};
use carom_format::result::{ForceKind, ResultBody, RunHeader, RunState, StaticForce};
use carom_format::{ResultWriter, write_body};
use carom_mesh::{CellBlock, CellShape, Mesh, ShellSection};
use carom_post::export::{ExportOptions, Fields, export};
use carom_post::report::{Extras, html};
use carom_post::{Run, table};
use carom_progress::Silent;
use carom_testing::vtu::{array, read};
use carom_vtk::{Compression, Encoding, WriteOptions};
use nalgebra::Vector3;

/// Stretch along x in the axes of the body.
const STRAIN: f64 = 1e-3;

/// A bar of one hexahedron that lies along y after a quarter turn about z, stretched without lateral
/// contraction.
fn write(folder: &Path) -> std::path::PathBuf {
    write_displaced(folder, "", |x| [STRAIN * x[0], 0.0, 0.0])
}

/// The bar with a displacement in its axes, and the name of its law.
fn write_displaced(folder: &Path, law: &str, u: impl Fn(&[f64; 3]) -> [f64; 3]) -> std::path::PathBuf {
    let points = CellShape::Hex8.reference_nodes().iter().map(|x| [2.0 * x[0], x[1], x[2]]).collect();
    let mut mesh = Mesh { points, ..Mesh::default() };
    mesh.blocks.push(CellBlock { shape: CellShape::Hex8, connectivity: (0..8).collect() });
    let material = Material { name: "soft".to_owned(), density: 1.0, young: 1e6, poisson: 0.0 };
    let modal = mesh.points.iter().flat_map(u).collect();
    let body = Body {
        name: "bar".to_owned(),
        geometry: Geometry::Mesh(mesh),
        materials: vec![material],
        material_of_block: vec![0],
        sections: Vec::new(),
    };
    let path = folder.join("bar.npz");
    let checksum = write_body(&path, &body).unwrap();
    let header = RunHeader {
        bodies: vec![ResultBody {
            name: "bar".to_owned(),
            modes: [24, 0],
            body_path: path.to_str().unwrap().to_owned(),
            body_checksum: checksum,
            law: law.to_owned(),
            ..ResultBody::default()
        }],
        ..RunHeader::default()
    };
    let result = folder.join("static.carom");
    let mut writer = ResultWriter::create(&result, &header, 0, false).unwrap();
    let quaternion = rotation::from_vector(&(Vector3::z() * std::f64::consts::FRAC_PI_2));
    let rest =
        BodyState { position: [1.0, 2.0, 3.0], quaternion, modal: vec![0.0; 24], ..BodyState::default() };
    let mut ledger = Ledger::default();
    for (time, state) in [(0.0, rest.clone()), (1.0, BodyState { modal, ..rest })] {
        let row = ledger.record(Balance { time, ..Balance::default() });
        let bodies = [state];
        writer
            .frame(&Frame { time, steps: 0, bodies: &bodies, contacts: &[], joints: &[], ledger: &row })
            .unwrap();
    }
    let kinds = [(ForceKind::Load, "", 1e3), (ForceKind::Support, "bar:west", -1e3)];
    let forces = kinds.map(|(kind, name, f)| StaticForce {
        frame: 1,
        body: 0,
        kind,
        name: name.to_owned(),
        force: [0.0, f, 0.0],
    });
    writer.static_forces(&forces).unwrap();
    writer.finish(RunState::Done, &ledger.summary(), &[], &[]).unwrap();
    result
}

#[test]
fn an_unreduced_body_is_shown_with_its_displacement_and_stress() {
    let folder = tempfile::tempdir().unwrap();
    let run = Run::open(&write(folder.path())).unwrap();
    let options = ExportOptions {
        fields: Fields { velocity: false, stress: true, von_mises: true, contact_pressure: false },
        write: WriteOptions { encoding: Encoding::InlineBase64, compression: Compression::None },
        ..ExportOptions::default()
    };
    let summary = export(&run, &folder.path().join("out"), &options, &Silent).unwrap();
    assert!(summary.notes.is_empty() && summary.frames == 2, "{summary:?}");
    let piece = read(&folder.path().join("out/static/bar_0001.vtu"));
    let points = piece.points.clone().cast_into::<f64>().unwrap();
    let moved = array(&piece.data.point, "displacement");
    let (stress, von_mises) = (array(&piece.data.point, "stress"), array(&piece.data.point, "von_mises"));
    for (k, x) in points.as_chunks::<3>().0.iter().enumerate() {
        // The bar lies along y from y = 2 and stretches along y: σ_yy = E ε.
        let expected = [0.0, STRAIN * (x[1] - 2.0), 0.0];
        for d in 0..3 {
            assert!((moved[3 * k + d] - expected[d]).abs() < 1e-9, "{x:?} {:?}", &moved[3 * k..3 * k + 3]);
        }
        assert!((stress[6 * k + 1] / 1e3 - 1.0).abs() < 1e-5 && (von_mises[k] / 1e3 - 1.0).abs() < 1e-5);
    }
}

/// A shell of one cell, turned by a quarter about z: the stress of its surfaces, the largest von Mises stress
/// and plastic strain of its wall, and the rotation of its points in the axes of space.
#[test]
fn a_shell_is_shown_with_the_stress_of_its_wall_and_its_rotations() {
    let folder = tempfile::tempdir().unwrap();
    let points = CellShape::Quad4.reference_nodes().to_vec();
    let mut mesh = Mesh { points, ..Mesh::default() };
    mesh.blocks.push(CellBlock { shape: CellShape::Quad4, connectivity: (0..4).collect() });
    let body = Body {
        name: "sheet".to_owned(),
        geometry: Geometry::Mesh(mesh),
        materials: vec![Material { name: "soft".to_owned(), density: 1.0, young: 1e6, poisson: 0.0 }],
        material_of_block: vec![0],
        sections: vec![Some(Section::Shell(ShellSection::new(0.01, 3).unwrap()))],
    };
    let path = folder.path().join("sheet.npz");
    let body_checksum = write_body(&path, &body).unwrap();
    let header = RunHeader {
        bodies: vec![ResultBody {
            name: "sheet".to_owned(),
            modes: [12, 0],
            body_path: path.to_str().unwrap().to_owned(),
            body_checksum,
            law: "plastic".to_owned(),
            ..ResultBody::default()
        }],
        ..RunHeader::default()
    };
    let result = folder.path().join("sheet.carom");
    let mut writer = ResultWriter::create(&result, &header, 0, false).unwrap();
    // Bending along the first axis of the body, more on the side below.
    let along = |s: f64| [s, 0.0, 0.0, 0.0, 0.0, 0.0];
    let state = BodyState {
        quaternion: rotation::from_vector(&(Vector3::z() * std::f64::consts::FRAC_PI_2)),
        modal: vec![0.0; 12],
        point_stress: [along(-3e3), along(-1e3), along(1e3)].concat(),
        plastic_strain: vec![0.25, 0.0, 0.125],
        point_rotations: [0.5, 0.0, 0.0].repeat(4),
        ..BodyState::default()
    };
    let mut ledger = Ledger::default();
    let row = ledger.record(Balance::default());
    let frame = Frame { time: 0.0, steps: 0, bodies: &[state], contacts: &[], joints: &[], ledger: &row };
    writer.frame(&frame).unwrap();
    writer.finish(RunState::Done, &ledger.summary(), &[], &[]).unwrap();
    let options = ExportOptions {
        fields: Fields { velocity: false, stress: true, von_mises: true, contact_pressure: false },
        write: WriteOptions { encoding: Encoding::InlineBase64, compression: Compression::None },
        ..ExportOptions::default()
    };
    export(&Run::open(&result).unwrap(), &folder.path().join("out"), &options, &Silent).unwrap();
    let piece = read(&folder.path().join("out/sheet/sheet_0000.vtu"));
    let near = |name: &str, k: usize, expected: f64| {
        let found = array(&piece.data.point, name)[k];
        assert!((found - expected).abs() < 1e-5 * (1.0 + expected.abs()), "{name}: {found} {expected}");
    };
    // The first axis of the body lies along y.
    near("stress_bottom", 1, -3e3);
    near("stress", 1, -1e3);
    near("stress_top", 1, 1e3);
    near("stress_top", 0, 0.0);
    near("von_mises", 0, 3e3);
    near("plastic_strain", 0, 0.25);
    near("rotation", 0, 0.0);
    near("rotation", 1, 0.5);
}

/// Stresses xx, yy, zz, xy, yz, xz and von Mises stresses at the points of the second frame.
fn stresses(law: &str, u: impl Fn(&[f64; 3]) -> [f64; 3]) -> (Vec<[f64; 6]>, Vec<f64>) {
    let folder = tempfile::tempdir().unwrap();
    let run = Run::open(&write_displaced(folder.path(), law, u)).unwrap();
    let options = ExportOptions {
        fields: Fields { velocity: false, stress: true, von_mises: true, contact_pressure: false },
        write: WriteOptions { encoding: Encoding::InlineBase64, compression: Compression::None },
        ..ExportOptions::default()
    };
    export(&run, &folder.path().join("out"), &options, &Silent).unwrap();
    let piece = read(&folder.path().join("out/static/bar_0001.vtu"));
    let stress = array(&piece.data.point, "stress");
    (stress.as_chunks().0.to_vec(), array(&piece.data.point, "von_mises"))
}

#[test]
fn the_law_in_the_header_determines_the_stress() {
    // A stretch by 1.5 along the bar, then a rotation of 1 rad about z.
    let (sin, cos) = 1.0_f64.sin_cos();
    let turned = |x: [f64; 3]| [cos * x[0] - sin * x[1], sin * x[0] + cos * x[1], x[2]];
    let moved = |stretch: f64| {
        move |x: &[f64; 3]| {
            let y = turned([stretch * x[0], x[1], x[2]]);
            [y[0] - x[0], y[1] - x[1], y[2] - x[2]]
        }
    };
    let (_, mises) = stresses("saint-venant-kirchhoff", moved(1.0));
    // Young's modulus is 1e6 Pa; fields have single precision.
    assert!(mises.iter().all(|s| *s < 1e-6), "{mises:?}");
    let (_, mises) = stresses("", moved(1.0));
    assert!(mises.iter().all(|s| *s > 1e5), "{mises:?}");
    // Without lateral contraction (ν = 0): σ = E s ½ (s² − 1) along the bar, at 1 rad from its axis in the
    // frame of the body, which lies a quarter turn further in space.
    let (tensors, mises) = stresses("saint-venant-kirchhoff", moved(1.5));
    let pull = 1e6 * 1.5 * 0.5 * (1.5_f64.powi(2) - 1.0);
    let along = [-sin, cos, 0.0];
    let places = [(0, 0), (1, 1), (2, 2), (0, 1), (1, 2), (0, 2)];
    for (tensor, mises) in tensors.iter().zip(mises) {
        for (found, (a, b)) in tensor.iter().zip(places) {
            assert!((found - pull * along[a] * along[b]).abs() < 1e-6 * pull, "{tensor:?}");
        }
        assert!((mises / pull - 1.0).abs() < 1e-6, "{mises}");
    }
}

#[test]
fn a_static_run_is_reported_by_its_forces() {
    let folder = tempfile::tempdir().unwrap();
    let run = Run::open(&write(folder.path())).unwrap();
    let forces = table::build(&run, table::What::Forces).unwrap();
    assert_eq!(forces.rows().len(), 2);
    assert!(forces.to_text().contains("bar:west"), "{}", forces.to_text());
    let page = html(&run, &Extras::default()).unwrap();
    assert!(page.contains("Equilibrium") && !page.contains("Impacts"));
}
