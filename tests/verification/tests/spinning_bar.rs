//! A bar that spins freely in large rotation: the stress in the files for ParaView against the wave in the
//! bar.

use carom_post::export::{ExportOptions, Fields, export};
use carom_progress::Silent;
use carom_testing::vtu::{array, read};
use carom_verification::Bench;
use carom_vtk::{Compression, Encoding, WriteOptions};
use nalgebra::Vector3;

/// ρ = 1000 kg/m³, E = 100 kPa and L = 1 m: waves of 10 m/s.
const BAR: &str = r#"
[simulation]
scheme = "energy-momentum"
end_time = 0.8
time_step = 0.002
output_every = 0.1

[material.soft]
density = 1000.0
young = 1.0e5
poisson = 0.0
law = "st-venant-kirchhoff"

[[body]]
name = "bar"
make = { shape = "box", size = [1.0, 0.05, 0.05], elements = [40, 1, 1], hex = true, order = 1 }
material = "soft"
position = [-0.5, -0.025, -0.025]
angular_velocity = [0.0, 0.0, 1.5]
"#;

/// The bar begins to turn without the strain of its rotation. In the axes of the bar the strain ε obeys the
/// wave equation ε̈ = c² ε″ + ω² with ε = 0 at the ends, which has the period 2 L/c and in its middle
///
/// ```text
/// ε(0, t) = ½ ω² t² for c t ≤ L/2,   ½ ω² t² − ω² (t − L/2c)² up to c t = 3 L/2
/// ```
///
/// by d'Alembert: at c t = L it is ω² L²/4c² = 0.56 %, twice that of a steady rotation, and at 2 L/c zero
/// again. The closed form leaves out parts ε of it: the rotation slows down as the moment of inertia grows by
/// up to 1.6 ε, which takes up to 3.2 ε from ω²; the arms are longer by up to 0.8 ε, and the true stress is
/// larger than E ε by 1.5 ε. Together they stay within 3 ε; the dispersion of 40 cells, (π/40)²/24 = 0.03 %
/// of the period, is small beside them.
#[test]
fn the_stress_of_a_bar_that_turns_is_that_of_its_wave_in_the_axes_of_space() {
    let folder = tempfile::tempdir().unwrap();
    let bench = Bench { folder: folder.path(), progress: &Silent };
    bench.run("bar", BAR, None).unwrap();
    let options = ExportOptions {
        fields: Fields { velocity: false, stress: true, von_mises: false, contact_pressure: false },
        write: WriteOptions { encoding: Encoding::InlineBase64, compression: Compression::None },
        ..ExportOptions::default()
    };
    export(&bench.open("bar").unwrap(), &folder.path().join("out"), &options, &Silent).unwrap();
    let (omega, young, strain) = (1.5, 1e5, 0.25 * (1.5 / 10.0_f64).powi(2));
    for frame in 0..=8 {
        let piece = read(&folder.path().join(format!("out/bar/bar_{frame:04}.vtu")));
        let points = piece.points.cast_into::<f64>().unwrap();
        let (points, u) = (points.as_chunks::<3>().0, array(&piece.data.point, "displacement"));
        let now: Vec<f64> = points.as_flattened().iter().zip(&u).map(|(x, u)| x + u).collect();
        let mean = |values: &[f64], is_among: &dyn Fn(&[f64; 3]) -> bool, width: usize, d: usize| {
            let chosen = points.iter().enumerate().filter(|(_, x)| is_among(x));
            let values: Vec<f64> = chosen.map(|(k, _)| values[width * k + d]).collect();
            values.iter().sum::<f64>() / values.len() as f64
        };
        let axis = Vector3::from_fn(|d, _| mean(&now, &|x| x[0] > 0.499, 3, d)).normalize();
        let turned = axis.y.atan2(axis.x);
        let time = 0.1 * f64::from(frame);
        assert!(
            (turned - omega * time).abs() < 2.0 * strain * omega * time + 1e-12,
            "frame {frame}: {turned} rad"
        );
        let stress = array(&piece.data.point, "stress");
        let expected = if frame % 2 == 1 { young * strain } else { 0.0 };
        for (d, (a, b)) in [(0, 0), (1, 1), (2, 2), (0, 1), (1, 2), (0, 2)].into_iter().enumerate() {
            let found = mean(&stress, &|x| x[0].abs() < 0.001, 6, d);
            let error = (found - expected * axis[a] * axis[b]).abs();
            assert!(
                error < 3.0 * strain * young * strain,
                "frame {frame}, {a}{b}: {found} Pa of {expected} Pa"
            );
        }
    }
}
