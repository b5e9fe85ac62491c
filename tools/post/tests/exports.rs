//! Exports of a small result with a known motion.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use carom_post::export::{Cells, ExportOptions, Fields, Format, Frames, export};
use carom_post::{Run, RunError};
use carom_progress::{Progress, Silent};
use carom_testing::program::{failure, json};
use carom_testing::vtu::{UnstructuredGridPiece, array, read};
use carom_vtk::{Compression, Encoding, WriteOptions};

use crate::commands::{post, text};
use crate::result;

/// Requests a stop after some files.
struct StopsAfter(u64, AtomicU64);

impl Progress for StopsAfter {
    fn begin(&self, _name: &str, _total: u64) {}
    fn set(&self, done: u64) {
        self.1.fetch_max(done, Ordering::Relaxed);
    }
    fn note(&self, _text: &str) {}
    fn end(&self) {}
    fn interrupted(&self) -> bool {
        self.1.load(Ordering::Relaxed) >= self.0
    }
}

#[test]
fn exported_points_follow_the_motion_of_the_body() {
    let folder = tempfile::tempdir().unwrap();
    let run = Run::open(&result::write(folder.path())).unwrap();
    let write = WriteOptions { encoding: Encoding::InlineBase64, compression: Compression::None };
    let fields = Fields { velocity: true, stress: true, von_mises: true, contact_pressure: true };
    for cells in [Cells::Auto, Cells::Surface] {
        let options = ExportOptions { frames: Frames::Every(1), fields, cells, format: Format::Vtu, write };
        let out = folder.path().join(format!("{cells:?}"));
        let summary = export(&run, &out, &options, &Silent).unwrap();
        assert_eq!((summary.frames, summary.files), (3, 6));
        assert!(summary.notes.is_empty(), "{:?}", summary.notes);
        for (n, time) in result::TIMES.into_iter().enumerate() {
            check_frame(&read(&out.join(format!("result/ball_{n:04}.vtu"))), time, n == 1);
        }
    }
}

/// Every point has the position by rigid motion and modes (displacements are in single precision), every
/// velocity is the derivative, and the pressures are on the faces.
fn check_frame(piece: &UnstructuredGridPiece, time: f64, touching: bool) {
    let points = piece.points.clone().cast_into::<f64>().unwrap();
    let displacement = array(&piece.data.point, "displacement");
    let velocity = array(&piece.data.point, "velocity");
    let (position, angle, modal) = result::ball_state(time);
    let (start, _, _) = result::ball_state(0.0);
    let (s, c) = angle.sin_cos();
    for (n, point) in points.chunks_exact(3).enumerate() {
        let b = [0, 1, 2].map(|a| point[a] - start[a]);
        let u = result::elastic(b, modal);
        let [x, y, z] = [0, 1, 2].map(|a| b[a] + u[a]);
        let expected = [position[0] + c * x - s * y, position[1] + s * x + c * y, position[2] + z];
        for a in 0..3 {
            let found = point[a] + displacement[3 * n + a];
            assert!((found - expected[a]).abs() < 3e-7 * result::RADIUS, "{n}: {found} but {}", expected[a]);
        }
        // The first mode's rate is 0.1, the second is quasistatic.
        let rate = result::elastic(b, [0.1, 0.0])[2];
        let expected = [0.3 - 2e3 * (s * x + c * y), 2e3 * (c * x - s * y), rate];
        for a in 0..3 {
            let found = velocity[3 * n + a];
            assert!((found - expected[a]).abs() < 1e-5, "velocity {n}: {found} but {}", expected[a]);
        }
    }
    // Swelling and stretching are linear: σ_zz and σ_xx are the same everywhere, and rotation about z keeps
    // both.
    let stress = array(&piece.data.point, "stress");
    let [lambda, mu] = [210e9 * 0.3 / (1.3 * 0.4), 210e9 / 2.6];
    let [e1, e2] = modal.map(|q| q / result::RADIUS);
    let expected =
        [lambda * (3.0 * e2 + e1) + 2.0 * mu * e2, lambda * (3.0 * e2 + e1) + 2.0 * mu * (e1 + e2)];
    for s in stress.chunks_exact(6) {
        assert!(
            (s[0] - expected[0]).abs() < 1e-4 * 3e7 && (s[2] - expected[1]).abs() < 1e-4 * 3e7,
            "{s:?} {expected:?}"
        );
    }
    let pressure = array(&piece.data.cell, "contact_pressure");
    let largest = pressure.iter().copied().fold(0.0, f64::max);
    assert_eq!(largest > 0.5 * result::PEAK_PRESSURE, touching, "{largest}");
}

#[test]
fn export_writes_and_reports_a_series() {
    let folder = tempfile::tempdir().unwrap();
    let path = result::write(folder.path());
    let out = folder.path().join("paraview");
    let object = json(&post(&[
        "export",
        path.to_str().unwrap(),
        "-o",
        out.to_str().unwrap(),
        "--every",
        "2",
        "--json",
    ]));
    assert_eq!((&object["schema"], &object["frames"]), (&"carom-post export 1".into(), &2.into()));
    let pvd = std::fs::read_to_string(out.join("result.pvd")).unwrap();
    assert!(
        pvd.contains(r#"timestep="2.5e-5" group="" part="1" name="block" file="result/block_0001.vtu""#),
        "{pvd}"
    );
    let bytes = std::fs::read(out.join("result/ball_0000.vtu")).unwrap();
    let head = text(&bytes[..600]);
    assert!(
        head.contains(r#"Vectors="displacement""#) && head.contains(r#"RationalWeights="RationalWeights""#),
        "{head}"
    );
}

/// A body has one file that contains its mesh once: it is smaller than the frames of .vtu, and is removed if
/// the export is stopped.
#[test]
fn a_vtkhdf_file_has_all_frames_of_a_body() {
    let folder = tempfile::tempdir().unwrap();
    let path = result::write(folder.path());
    let out = folder.path().join("hdf");
    let arguments = ["export", path.to_str().unwrap(), "-o", out.to_str().unwrap(), "--format", "vtkhdf"];
    let object = json(&post(&[&arguments[..], &["--json"]].concat()));
    assert_eq!((&object["frames"], &object["files"]), (&3.into(), &2.into()));
    assert_eq!(object["paths"], serde_json::json!(["result/ball.vtkhdf", "result/block.vtkhdf"]));
    for file in ["ball", "block"] {
        let bytes = std::fs::read(out.join(format!("result/{file}.vtkhdf"))).unwrap();
        assert!(bytes.starts_with(b"\x89HDF\r\n\x1a\n"));
    }
    let run = Run::open(&path).unwrap();
    let elsewhere = folder.path().join("stopped");
    let options = ExportOptions { format: Format::Vtkhdf, ..ExportOptions::default() };
    let outcome = export(&run, &elsewhere, &options, &StopsAfter(2, AtomicU64::new(0)));
    assert!(matches!(outcome, Err(RunError::Interrupted)), "{outcome:?}");
    assert!(!elsewhere.exists());
}

/// Every file below a folder with its content.
fn contents(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut all = BTreeMap::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            all.extend(contents(&path));
        } else {
            all.insert(path.clone(), std::fs::read(&path).unwrap());
        }
    }
    all
}

#[test]
fn a_stopped_export_leaves_no_files_and_keeps_an_earlier_one() {
    let folder = tempfile::tempdir().unwrap();
    let run = Run::open(&result::write(folder.path())).unwrap();
    let out = folder.path().join("some/where");
    let stopped = |options: &ExportOptions| {
        let outcome = export(&run, &out, options, &StopsAfter(2, AtomicU64::new(0)));
        assert!(matches!(outcome, Err(RunError::Interrupted)), "{outcome:?}");
    };
    stopped(&ExportOptions::default());
    assert!(!folder.path().join("some").exists());

    export(&run, &out, &ExportOptions::default(), &Silent).unwrap();
    let whole = contents(&out);
    assert_eq!(whole.len(), 7, "{:?}", whole.keys());
    stopped(&ExportOptions { cells: Cells::Volume, ..ExportOptions::default() });
    assert!(contents(&out) == whole, "files of the earlier export are others now");
    assert_eq!(std::fs::read_dir(&out).unwrap().count(), 2, "more than the folder and the series");
}

/// A thousand frames of two bodies take seconds. The moments: as the first file is written, and later.
#[test]
#[cfg(unix)]
fn an_export_stopped_by_a_signal_has_its_exit_code_and_leaves_no_files() {
    use std::process::{Command, Stdio};
    use std::time::{Duration, Instant};

    let folder = tempfile::tempdir().unwrap();
    let times: Vec<f64> = (0..1000).map(|n| 1e-7 * f64::from(n)).collect();
    let written = result::write_frames(folder.path(), &result::ball(), &times);
    let out = folder.path().join("out");
    for (signal, code) in [("-INT", 130), ("-TERM", 143)] {
        for format in ["vtu", "vtkhdf"] {
            let mut child = Command::new(assert_cmd::cargo::cargo_bin("carom-post"))
                .args(["export", written.to_str().unwrap(), "--format", format, "-o", out.to_str().unwrap()])
                .stdout(Stdio::null())
                .stderr(Stdio::piped())
                .spawn()
                .unwrap();
            let begun = Instant::now();
            while !out.exists() {
                assert!(begun.elapsed() < Duration::from_secs(60), "no file is written");
                std::thread::sleep(Duration::from_millis(1));
            }
            let sent = Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap();
            assert!(sent.success() && child.try_wait().unwrap().is_none(), "{format}: it was done too soon");
            let message = failure(&child.wait_with_output().unwrap(), code);
            assert!(message.contains("interrupted"), "{format}: {message}");
            assert!(!out.exists(), "{format} {signal}: something is left");
        }
    }
}
