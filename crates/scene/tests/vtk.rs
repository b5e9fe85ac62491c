//! Exported bodies in VTK: exact volumes through its own cells. Needs a Python with VTK or ParaView's
//! `pvpython`.

use std::path::Path;
use std::process::Command;

use carom_fem::{Body, Geometry, Material};
use carom_nurbs::{Multipatch, solids};
use carom_scene::BodyGrid;
use carom_testing::machine::python;
use carom_vtk::{Compression, Encoding, Field, WriteOptions, write_vtu};

fn body(multipatch: Multipatch) -> Body {
    let steel = Material { name: "steel".to_owned(), density: 7800.0, young: 210e9, poisson: 0.3 };
    let material_of_block = vec![0; multipatch.patches.len()];
    Body {
        name: "ball".to_owned(),
        geometry: Geometry::Nurbs(multipatch),
        materials: vec![steel],
        material_of_block,
        sections: Vec::new(),
    }
}

/// The number behind `"key": ` in a line of JSON.
fn number(line: &str, key: &str) -> f64 {
    let start =
        line.find(&format!("\"{key}\": ")).unwrap_or_else(|| panic!("no {key} in {line}")) + key.len() + 4;
    let end = line[start..].find([',', '}']).expect("a JSON object ends") + start;
    line[start..end].trim().parse().unwrap_or_else(|e| panic!("{key} in {line}: {e}"))
}

#[test]
fn exported_balls_have_their_exact_volume_in_vtk() {
    let Some(python) = python("vtk") else { return };
    let folder = tempfile::tempdir().unwrap();
    let radius = 0.015;
    let ball = solids::ball(radius, None).unwrap();
    let refined = ball.elements([2, 2, 2]).unwrap();
    let cases = [
        ("plain", ball, WriteOptions::default()),
        (
            "refined",
            refined.clone(),
            WriteOptions { encoding: Encoding::AppendedRaw, compression: Compression::Lz4 },
        ),
        (
            "base64",
            refined,
            WriteOptions { encoding: Encoding::InlineBase64, compression: Compression::None },
        ),
    ];
    let mut files = Vec::new();
    for (name, multipatch, options) in cases {
        let mut grid = BodyGrid::volume(&body(multipatch)).grid;
        let displacement: Vec<[f64; 3]> = grid.points.iter().map(|x| x.map(|c| 0.1 * c)).collect();
        grid.point_fields.push(Field::tuples("displacement", &displacement).single());
        let path = folder.path().join(format!("{name}.vtu"));
        write_vtu(&path, &grid, options).unwrap();
        files.push(path);
    }
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/paraview/volume.py");
    let output = Command::new(&python).arg(script).args(&files).output().expect("the interpreter starts");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
    let volume = 4.0 / 3.0 * std::f64::consts::PI * radius * radius * radius;
    let lines: Vec<&str> = text.lines().filter(|line| line.contains("\"volume\"")).collect();
    assert_eq!(lines.len(), files.len(), "{text}");
    for line in lines {
        let error = number(line, "volume") / volume - 1.0;
        eprintln!("{line}: relative error of the volume {error:.1e}");
        assert!(error.abs() < 1e-9, "volume off by {error:.1e}: {line}");
        for key in ["min_radius", "max_radius"] {
            assert!((number(line, key) / radius - 1.0).abs() < 1e-12, "{key} in {line}");
        }
    }
}
