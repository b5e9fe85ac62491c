//! Pictures of an unreduced body: the result of a static run with a known, linear displacement.

use std::path::Path;

use carom_dynamics::{Balance, BodyState, Frame, Ledger, Observer, rotation};
use carom_fem::{Body, Geometry, Material};
use carom_format::result::{ForceKind, ResultBody, RunHeader, RunState, StaticForce};
use carom_format::{ResultWriter, write_body};
use carom_mesh::{CellBlock, CellShape, Mesh};
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
    let points = CellShape::Hex8.reference_nodes().iter().map(|x| [2.0 * x[0], x[1], x[2]]).collect();
    let mut mesh = Mesh { points, ..Mesh::default() };
    mesh.blocks.push(CellBlock { shape: CellShape::Hex8, connectivity: (0..8).collect() });
    let material = Material { name: "soft".to_owned(), density: 1.0, young: 1e6, poisson: 0.0 };
    let modal = mesh.points.iter().flat_map(|x| [STRAIN * x[0], 0.0, 0.0]).collect();
    let body = Body {
        name: "bar".to_owned(),
        geometry: Geometry::Mesh(mesh),
        materials: vec![material],
        material_of_block: vec![0],
    };
    let path = folder.join("bar.npz");
    let checksum = write_body(&path, &body).unwrap();
    let header = RunHeader {
        bodies: vec![ResultBody {
            name: "bar".to_owned(),
            modes: [24, 0],
            body_path: path.to_str().unwrap().to_owned(),
            body_checksum: checksum,
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
        // The bar lies along y from y = 2, and stretches that way: σ_yy = E ε.
        let expected = [0.0, STRAIN * (x[1] - 2.0), 0.0];
        for d in 0..3 {
            assert!((moved[3 * k + d] - expected[d]).abs() < 1e-9, "{x:?} {:?}", &moved[3 * k..3 * k + 3]);
        }
        assert!((stress[6 * k + 1] / 1e3 - 1.0).abs() < 1e-5 && (von_mises[k] / 1e3 - 1.0).abs() < 1e-5);
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
