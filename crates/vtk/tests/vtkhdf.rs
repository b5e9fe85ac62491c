//! VTKHDF files are read by VTK and h5py, both based on the C library of HDF5.

use std::path::Path;
use std::process::Command;

use carom_testing::machine::python;
use carom_vtk::{CellType, Compression, Field, Grid, VtkHdfWriter, pack_frame};

/// A quarter of a ring, 1 ≤ r ≤ 2, as one rational Bezier quadrilateral of degrees 1 and 2, beside a
/// triangle.
fn grid() -> Grid {
    let weight = 0.5_f64.sqrt();
    let mut grid = Grid {
        points: vec![
            [1.0, 0.0, 0.0],
            [2.0, 0.0, 0.0],
            [0.0, 2.0, 0.0],
            [0.0, 1.0, 0.0],
            [2.0, 2.0, 0.0],
            [1.0, 1.0, 0.0],
        ],
        rational_weights: vec![1.0, 1.0, 1.0, 1.0, weight, weight],
        ..Grid::default()
    };
    grid.push_cell(CellType::BezierQuadrilateral, [1, 2, 0], 0..6);
    grid.push_cell(CellType::Triangle, [0; 3], [0, 1, 2]);
    grid
}

fn fields(grid: &Grid, time: usize) -> (Vec<Field>, Vec<Field>) {
    let moved: Vec<[f64; 3]> = (0..grid.points.len()).map(|n| [time as f64, n as f64, -1.5]).collect();
    let scalar = (0..grid.points.len()).map(|n| (100 * time + n) as f64).collect();
    let pressure = (0..grid.n_cells()).map(|n| (10 * time + n) as f64).collect();
    (
        vec![Field::tuples("displacement", &moved).single(), Field::scalar("von_mises", scalar).single()],
        vec![Field::scalar("contact_pressure", pressure)],
    )
}

fn write(path: &Path, n_times: usize, compression: Compression) {
    let grid = grid();
    carom_files::write_atomically(path, |out| {
        let mut writer = VtkHdfWriter::new(out, &grid)?;
        for time in 0..n_times {
            let (points, cells) = fields(&grid, time);
            let frame = pack_frame(&grid, &points, &cells, compression).unwrap();
            writer.push(0.25 * time as f64, &frame)?;
        }
        writer.finish()
    })
    .unwrap();
}

/// Reads each file by VTK, all times, and checks what [`fields`] wrote; the middle of the Bezier cell lies on
/// its circle.
const CHECK: &str = r#"
import sys
import vtk
from vtk.util.numpy_support import vtk_to_numpy
for path, n in zip(sys.argv[1::2], map(int, sys.argv[2::2])):
    reader = vtk.vtkHDFReader()
    assert reader.CanReadFile(path), path
    reader.SetFileName(path)
    reader.UpdateInformation()
    assert reader.GetNumberOfSteps() == n, reader.GetNumberOfSteps()
    times = reader.GetOutputInformation(0).Get(vtk.vtkStreamingDemandDrivenPipeline.TIME_STEPS())
    assert times == tuple(0.25 * k for k in range(n)), times
    for k in {0, 1, n // 2, n - 1}:
        reader.SetStep(k)
        reader.Update()
        grid = reader.GetOutput()
        assert (grid.GetNumberOfPoints(), grid.GetNumberOfCells()) == (6, 2)
        assert (grid.GetCellType(0), grid.GetCellType(1)) == (77, 5)
        moved = vtk_to_numpy(grid.GetPointData().GetVectors())
        assert (moved == [[k, i, -1.5] for i in range(6)]).all(), (k, moved)
        assert grid.GetPointData().GetScalars().GetName() == "von_mises"
        stress = vtk_to_numpy(grid.GetPointData().GetArray("von_mises"))
        assert (stress == [100 * k + i for i in range(6)]).all()
        assert (vtk_to_numpy(grid.GetCellData().GetArray("contact_pressure")) == [10 * k, 10 * k + 1]).all()
        x, weights, part = [0.0, 0.0, 0.0], [0.0] * 6, vtk.reference(0)
        grid.GetCell(0).EvaluateLocation(part, [0.3, 0.5, 0.0], x, weights)
        radius = (x[0] ** 2 + x[1] ** 2) ** 0.5
        assert abs(radius - 1.3) < 1e-14, radius
print("read", len(sys.argv) // 2)
"#;

#[test]
fn vtk_reads_every_time_with_rational_cells() {
    let Some(python) = python("vtk") else { return };
    let folder = tempfile::tempdir().unwrap();
    // 64 chunks fill a leaf of the index, 4097 need a third level.
    let cases = [
        (3, Compression::Default),
        (3, Compression::None),
        (64, Compression::Lz4),
        (65, Compression::Default),
        (4097, Compression::Zlib(9)),
    ];
    let mut command = Command::new(python);
    command.args(["-c", CHECK]);
    for (number, (n_times, compression)) in cases.into_iter().enumerate() {
        let path = folder.path().join(format!("{number}.vtkhdf"));
        write(&path, n_times, compression);
        command.arg(path).arg(n_times.to_string());
    }
    let output = command.output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.success() && String::from_utf8_lossy(&output.stdout).contains("read 5"),
        "{errors}"
    );
    assert!(!errors.contains("ERR"), "{errors}");
}

#[test]
fn fields_must_agree_with_those_of_the_first_time() {
    let grid = grid();
    let mut writer = VtkHdfWriter::new(std::io::Cursor::new(Vec::new()), &grid).unwrap();
    let (points, cells) = fields(&grid, 0);
    let pack = |points: &[Field]| pack_frame(&grid, points, &cells, Compression::Default);
    writer.push(0.0, &pack(&points).unwrap()).unwrap();
    assert!(writer.push(1.0, &pack(&points[..1]).unwrap()).is_err());
    let short = [Field::scalar("von_mises", vec![0.0; 5])];
    assert!(pack(&short).unwrap_err().to_string().contains("6 points"));
}
