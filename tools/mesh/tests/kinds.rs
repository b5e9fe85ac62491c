//! A mesh of a hexahedron, two wedges, a pyramid and a tetrahedron, made by Gmsh: import and conversion to
//! files of other programs.

use std::path::Path;
use std::process::Command;

use carom_testing::machine::python;
use tempfile::TempDir;

use crate::program::{fails, json, path};

/// A mesh of all families of cells, of first or second order.
fn kinds(order: usize) -> String {
    let files = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../crates/mesh/tests/files");
    files.join(format!("kinds{order}_v41.msh")).to_str().unwrap().to_owned()
}

#[test]
fn wedges_and_pyramids_are_converted_to_every_mesh_format_and_back() {
    let dir = TempDir::new().unwrap();
    for (order, names) in
        [(1, ["hex8", "pyramid5", "tet4", "wedge6"]), (2, ["hex20", "pyramid13", "tet10", "wedge15"])]
    {
        let body = path(&dir, "kinds.npz");
        json(&["import", &kinds(order), "-o", &body]);
        let before = json(&["info", &body]);
        let elements: Vec<&String> = before["elements"].as_object().unwrap().keys().collect();
        assert_eq!(elements, names);
        assert_eq!(before["findings"].as_array().unwrap().len(), 0, "{before}");
        for ending in ["msh", "inp", "vtu"] {
            let (file, again) = (path(&dir, &format!("kinds.{ending}")), path(&dir, "again.npz"));
            json(&["convert", &body, "-o", &file]);
            json(&["import", &file, "-o", &again]);
            let after = json(&["info", &again]);
            for key in ["elements", "nodes"] {
                assert_eq!(before[key], after[key], "{ending}: {key}");
            }
            assert_eq!(before["sets"]["skin part"], after["sets"]["skin part"], "{ending}");
            for key in ["volume", "surface_area", "min_scaled_jacobian"] {
                let ratio = after[key].as_f64().unwrap() / before[key].as_f64().unwrap();
                assert!((ratio - 1.0).abs() < 1e-12, "{ending}: {key} {ratio}");
            }
        }
        let message = fails(&["refine", &body, "--subdivide", "2", "-o", &path(&dir, "fine.npz")], 3);
        assert!(message.contains(names[1]) && message.contains("smaller cells"), "{message}");
    }
}

/// Volumes of the cells by VTK and by meshio.
const CHECK: &str = r#"
import sys
import meshio
import vtk
from vtk.util.numpy_support import vtk_to_numpy
for path, order, volume in zip(sys.argv[1::3], sys.argv[2::3], sys.argv[3::3]):
    reader = vtk.vtkXMLUnstructuredGridReader()
    reader.SetFileName(path)
    reader.Update()
    grid = reader.GetOutput()
    assert grid.GetNumberOfCells() == 9, path
    sizes = vtk.vtkCellSizeFilter()
    sizes.SetInputData(grid)
    sizes.Update()
    found = vtk_to_numpy(sizes.GetOutput().GetCellData().GetArray("Volume"))[:5]
    assert (found > 0).all(), found
    # VTK cuts cells into tetrahedra, which is exact where faces are plane alone.
    assert abs(found.sum() / float(volume) - 1.0) < 0.03, (path, found.sum(), volume)
    # meshio 5.3 knows wedge15 by name and number, but raises KeyError for its dimension.
    if order == "1":
        types = {block.type: len(block.data) for block in meshio.read(path).cells if block.dim == 3}
        assert types == {"hexahedron": 1, "pyramid": 1, "tetra": 1, "wedge": 2}, types
    # Middle nodes lie between their corners as VTK counts the edges.
    for i in range(5 if order == "2" else 0):
        cell = grid.GetCell(i)
        for e in range(cell.GetNumberOfEdges()):
            a, b, m = (grid.GetPoint(cell.GetEdge(e).GetPointId(k)) for k in range(3))
            assert max(abs(2 * m[d] - a[d] - b[d]) for d in range(3)) < 1e-14, (i, e)
print("read", len(sys.argv) // 3)
"#;

#[test]
fn vtk_and_meshio_read_wedges_and_pyramids() {
    let Some(python) = python("meshio, vtk") else { return };
    let dir = TempDir::new().unwrap();
    let mut arguments = vec!["-c".to_owned(), CHECK.to_owned()];
    for order in [1, 2] {
        let (body, file) = (path(&dir, "kinds.npz"), path(&dir, &format!("kinds{order}.vtu")));
        json(&["import", &kinds(order), "-o", &body]);
        json(&["convert", &body, "-o", &file]);
        let volume = json(&["info", &body])["volume"].as_f64().unwrap();
        arguments.extend([file, order.to_string(), volume.to_string()]);
    }
    let output = Command::new(python).args(&arguments).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(String::from_utf8_lossy(&output.stdout).contains("read 2"));
}
