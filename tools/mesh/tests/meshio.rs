//! Files of `carom-mesh convert` as meshio reads them.

use std::process::Command;

use assert_cmd::cargo::CommandCargoExt;
use carom_testing::machine::python;

/// Points, cells and sets of a box of 2 × 2 × 2 cells of second order, whose volume is in no set of the body.
const CHECK: &str = r#"
import sys
import meshio
for path in sys.argv[1:]:
    mesh = meshio.read(path)
    cells = {}
    for block in mesh.cells:
        cells[block.type] = cells.get(block.type, 0) + len(block.data)
    assert cells["hexahedron20"] == 8, (path, cells)
    assert abs(mesh.points.max(axis=0) - [0.1, 0.2, 0.3]).max() < 1e-15, path
    if path.endswith(".msh"):
        assert {"bottom", "top", "volume"} <= set(mesh.field_data), mesh.field_data
    else:
        assert "set:top" in mesh.cell_data, mesh.cell_data.keys()
print("read", len(sys.argv) - 1)
"#;

#[test]
fn meshio_reads_converted_files() {
    let Some(python) = python("meshio") else { return };
    let folder = tempfile::tempdir().unwrap();
    let run = |arguments: &[&str]| {
        let mut command = Command::cargo_bin("carom-mesh").unwrap();
        let output = command.args(arguments).current_dir(folder.path()).output().unwrap();
        assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    };
    let size = ["make", "box", "--size", "0.1,0.2,0.3", "--hex", "--order", "2", "--elements", "2,2,2"];
    run(&[&size[..], &["--material", "steel", "-o", "box.npz"]].concat());
    run(&["convert", "box.npz", "-o", "box.msh"]);
    run(&["convert", "box.npz", "-o", "box.vtu"]);
    let output = Command::new(python)
        .args(["-c", CHECK, "box.msh", "box.vtu"])
        .current_dir(folder.path())
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(String::from_utf8_lossy(&output.stdout).contains("read 2"));
}
