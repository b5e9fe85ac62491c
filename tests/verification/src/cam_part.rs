//! A cam from a CAD program compared with its original spline, and the effect of second-order faces on the
//! force.

use std::f64::consts::TAU;
use std::fmt::Write as _;

use carom_report::{Axis, Plot, Series};

use crate::cam::{CAM_BODY, Follower, slow};
use crate::{Bench, BenchError, Outcome, Row};

/// The follower on the meshed part.
const PART: &str = include_str!("../../../meshes/cam/cad.toml");
const PART_MESH: &[u8] = include_bytes!("../../../meshes/cam/cam.msh");

/// Time of a frame \[s\].
const STEP: f64 = 1e-4;

/// Numbers of faces around rings, each face longer than the next by a half.
const RINGS: [usize; 3] = [24, 36, 54];

/// The part compared with the closed form and the exact cam, and rings of long faces compared with the
/// expectation from their shape.
pub(crate) fn cam_part(bench: &Bench<'_>) -> Result<Outcome, BenchError> {
    bench.place("cam.xml", CAM_BODY)?;
    bench.place("cam.msh", PART_MESH)?;
    let mut outcome = Outcome::default();
    let follower = Follower::new(20.0);
    let (exact, _) = forces(bench, "cam-exact", &slow())?;
    let (part, energy_error) = forces(bench, "cam-part", PART)?;
    let closed: Vec<f64> = (0..exact.len()).map(|i| follower.closed_form(i as f64 * STEP)).collect();
    let scale = settled(&closed).fold(0.0, f64::max);
    let away = |found: &[f64], expected: &[f64]| -> Vec<f64> {
        found.iter().zip(expected).map(|(found, expected)| (found - expected) / scale).collect()
    };
    let row = |what: &str, measured, tolerance| Row::new(what, "", measured, 0.0, tolerance);
    let beside = away(&part, &exact);
    let what = "part: largest deviation of the force from the closed form, over the largest force";
    outcome.rows.push(row(what, largest(&away(&part, &closed)), 0.03));
    let what = "part: largest deviation of the force from that on the exact cam, over the largest force";
    outcome.rows.push(row(what, largest(&beside), 0.005));
    outcome.rows.push(row("part: error of the energy", energy_error, 1e-6));
    let times: Vec<f64> = (0..exact.len()).map(|i| 1e3 * i as f64 * STEP).collect();
    let mut plot = Plot::new(
        "Force less that on the exact cam",
        Axis::new("time", "ms"),
        Axis::new("of the largest force", "%"),
    );
    let percent = |values: &[f64]| values.iter().map(|x| 1e2 * x).collect::<Vec<f64>>();
    let (smooth, _) = follower.with_hertz(STEP, 0.16, &|_| 0.0);
    for n in RINGS {
        let name = format!("cam-ring-{n}");
        bench.place(&format!("{name}.inp"), ring(n))?;
        let (found, _) = forces(bench, &name, &with_ring(&name))?;
        let (bumpy, _) = follower.with_hertz(STEP, 0.16, &|a| bump(n, a));
        let expected = largest(&away(&bumpy.forces, &smooth.forces));
        let found = away(&found, &exact);
        let length = 1e3 * 0.198 / n as f64;
        let what = format!(
            "{n} faces of {length:.1} mm: largest deviation from the exact cam, over the largest force"
        );
        outcome.rows.push(Row::new(what, "", largest(&found), expected, 0.25));
        if n == RINGS[0] {
            plot =
                plot.with(Series::line(&format!("faces of {length:.1} mm"), times.clone(), percent(&found)));
        }
    }
    plot = plot.with(Series::line("CAD part, triangles of 3 mm", times, percent(&beside)));
    let caption = "Force of cams of faces of second order on their follower, less that of the exact cam.";
    outcome.pictures.push(("cam-part".to_owned(), plot.draw(), caption.to_owned()));
    Ok(outcome)
}

/// Force on the follower along its way in each frame, and the error of the energy.
fn forces(bench: &Bench<'_>, name: &str, text: &str) -> Result<(Vec<f64>, f64), BenchError> {
    let run = bench.run(name, text, None)?;
    let frames = bench.open(name)?.frames()?;
    let along = frames.iter().map(|frame| frame.contacts[0].force[1]).collect();
    Ok((along, run.summary.ledger.energy_error))
}

/// The values from 20 ms on, with the preload applied.
fn settled(values: &[f64]) -> impl Iterator<Item = f64> + '_ {
    values.iter().skip((0.02 / STEP).round() as usize + 1).copied()
}

/// Largest magnitude; not a number if a value is not a number or there are none.
fn largest(values: &[f64]) -> f64 {
    let larger = |most: f64, value: f64| if value.abs() <= most { most } else { value.abs() };
    settled(values).fold(None, |most, value| Some(larger(most.unwrap_or(0.0), value))).unwrap_or(f64::NAN)
}

/// The scenario of the part with a rigid ring in its place.
fn with_ring(name: &str) -> String {
    let lines = PART.lines().map(|line| {
        if line.starts_with("reduce = { interface = [\"flank\"]") {
            "rigid = true\n\n[[body.marker]]\nname = \"bore\"\nat = [0.0, 0.0, 0.0]".to_owned()
        } else {
            line.replace("cam.msh", &format!("{name}.inp"))
        }
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// Outward deviation of the parabola through three points of the profile, for n faces around and a rotation
/// of the cam by a.
///
/// ```text
/// δ = n · (Σ N_i(ξ) p(a_i) − p(a)),   a_i = a_0, a_0 + h/2, a_0 + h,   ξ = 2 (a − a_0)/h − 1,   h = 2π/n
/// ```
fn bump(n: usize, a: f64) -> f64 {
    let h = TAU / n as f64;
    let first = (a / h).floor() * h;
    let xi = 2.0 * (a - first) / h - 1.0;
    let shape = [0.5 * xi * (xi - 1.0), 1.0 - xi * xi, 0.5 * xi * (xi + 1.0)];
    let [[x, y], normal] = Follower::profile(a);
    let through = [0.0, 0.5, 1.0].map(|part| Follower::profile(first + part * h)[0]);
    let at = |i: usize| (0..3).map(|k| shape[k] * through[k][i]).sum::<f64>();
    normal[0] * (at(0) - x) + normal[1] * (at(1) - y)
}

/// A ring of n bricks of second order between a bore and the profile, all nodes of the set `flank` on it, as
/// an Abaqus file.
fn ring(n: usize) -> String {
    let mut text = String::from("*NODE\n");
    // Eight nodes where bricks meet: inside, outside and between them at both heights, inside and outside
    // between those; four at the middles.
    let number = |i: usize, place: usize| 8 * (i % (2 * n)) + place + 1;
    for i in 0..2 * n {
        let a = TAU * i as f64 / (2 * n) as f64;
        let [outer, _] = Follower::profile(a);
        let inner = [-0.012 * a.sin(), 0.012 * a.cos()];
        let mut node = |place: usize, [x, y]: [f64; 2], z: f64| {
            let _ = writeln!(text, "{}, {x:e}, {y:e}, {z:e}", number(i, place));
        };
        for (level, z) in [(0, -0.006), (1, 0.006)] {
            node(3 * level, inner, z);
            node(3 * level + 1, outer, z);
            if i % 2 == 0 {
                node(3 * level + 2, [0, 1].map(|k| 0.5 * (inner[k] + outer[k])), z);
            }
        }
        if i % 2 == 0 {
            node(6, inner, 0.0);
            node(7, outer, 0.0);
        }
    }
    text.push_str("*ELEMENT, TYPE=C3D20, ELSET=\"ring\"\n");
    for k in 0..n {
        let (i, m, j) = (2 * k, 2 * k + 1, 2 * k + 2);
        let face = |level: usize| {
            let of = |at, part| number(at, 3 * level + part);
            ([of(i, 0), of(i, 1), of(j, 1), of(j, 0)], [of(i, 2), of(m, 1), of(j, 2), of(m, 0)])
        };
        let ((low, low_middles), (high, high_middles)) = (face(0), face(1));
        let between = [number(i, 6), number(i, 7), number(j, 7), number(j, 6)];
        let nodes = [low, high, low_middles, high_middles, between].concat();
        let list = |nodes: &[usize]| nodes.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
        let _ = writeln!(text, "{}, {},\n{}", k + 1, list(&nodes[..12]), list(&nodes[12..]));
    }
    text.push_str("*SURFACE, NAME=\"flank\", TYPE=ELEMENT\n");
    for k in 0..n {
        let _ = writeln!(text, "{}, S4", k + 1);
    }
    text
}
