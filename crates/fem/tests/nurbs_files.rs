//! Real NURBS files: volumes, and stiffness of bodies whose patches collapse or close on themselves.

use carom_fem::{Body, Discretisation, QuadratureRule, assemble, mass_properties};
use carom_progress::Silent;
use carom_testing::shared_data;
use faer::Mat;

use crate::bodies::nurbs_body;

/// Every file of the reference data that can be read, with its expected volume and centroid.
fn for_each_file(mut check: impl FnMut(&str, Body, f64, [f64; 3])) {
    let Some(list) = shared_data("nurbs/expected.jsonl") else { return };
    let mut n_checked = 0;
    for line in std::fs::read_to_string(&list).unwrap().lines() {
        let expected: serde_json::Value = serde_json::from_str(line).unwrap();
        let (Some(file), Some(volume)) = (expected["file"].as_str(), expected["volume_abs"].as_f64()) else {
            continue;
        };
        let folders = ["generated", "gismo", "mfem", "splinepy"];
        let path =
            folders.iter().map(|folder| list.with_file_name(folder).join(file)).find(|path| path.exists());
        let Some(path) = path.filter(|path| path.extension().is_some_and(|e| e == "xml" || e == "mesh"))
        else {
            continue;
        };
        let multipatch = match carom_nurbs::read::file(&path) {
            Ok(multipatch) => multipatch,
            Err(error) => {
                eprintln!("{file}: not read: {error}");
                continue;
            }
        };
        let centroid = std::array::from_fn(|d| expected["centroid"][d].as_f64().unwrap());
        check(file, nurbs_body(multipatch), volume, centroid);
        n_checked += 1;
    }
    assert!(n_checked >= 10, "only {n_checked} files were read");
}

#[test]
fn volumes_and_centres_of_real_files_agree_with_the_reference() {
    for_each_file(|file, body, volume, centroid| {
        let found = mass_properties(&Discretisation::new(&body).unwrap());
        let shift = (0..3).map(|d| (found.center_of_mass[d] - centroid[d]).abs()).fold(0.0, f64::max);
        let error = found.volume / volume - 1.0;
        eprintln!("{file}: volume {error:.1e}, centre {shift:.1e}");
        // The reference integrates with a fixed number of points: 1e-13, on degenerate patches less.
        assert!(
            error.abs() < 1e-12 && shift < 1e-12 * (1.0 + volume.cbrt()),
            "{file}: {error:.1e}, {shift:.1e}"
        );
    });
}

#[test]
fn rigid_motions_of_collapsed_and_closed_patches_cause_no_forces() {
    for_each_file(|file, body, _, _| {
        let discretisation = Discretisation::new(&body).unwrap();
        let system = assemble(&discretisation, QuadratureRule::Default, &Silent).unwrap();
        let scale = system.stiffness.diagonal().into_iter().fold(0.0, f64::max);
        let size = discretisation.points.iter().flatten().fold(0.0_f64, |m, x| m.max(x.abs()));
        for axis in 0..3 {
            let (b, c) = ((axis + 1) % 3, (axis + 2) % 3);
            let motion = Mat::from_fn(discretisation.n_dofs(), 2, |dof, column| {
                let (x, i) = (discretisation.points[dof / 3], dof % 3);
                match column {
                    0 => f64::from(u8::from(i == axis)),
                    _ if i == b => -x[c] / size,
                    _ if i == c => x[b] / size,
                    _ => 0.0,
                }
            });
            let force = system.stiffness.product(motion.as_ref());
            let largest =
                (0..force.nrows()).map(|i| force[(i, 0)].abs().max(force[(i, 1)].abs())).fold(0.0, f64::max);
            assert!(largest < 1e-12 * scale, "{file}: {largest:e} against {scale:e}");
        }
    });
}
