//! Frames of schemes of unreduced bodies: each time has one, the end of the run too, whether or not a frame
//! is due there.

use crate::fixtures::{Chain, RESUME, parse};

const TWO_BARS: &str = include_str!("../../../meshes/two-bars/scenario.toml");

/// Times of all frames \[s\].
fn times(chain: &Chain) -> Vec<f64> {
    let reader = chain.reader();
    let n = reader.frame_steps().unwrap().len();
    (0..n).map(|index| reader.frame(index).unwrap().time).collect()
}

fn has(found: &[f64], expected: &[f64]) {
    let is_near = |(a, b): (&f64, &f64)| (a - b).abs() < 1e-9;
    assert!(
        found.len() == expected.len() && found.iter().zip(expected).all(is_near),
        "{found:?} {expected:?}"
    );
}

/// The end at the time of a frame, between two of them, and a run that goes on from its end.
#[test]
fn a_run_has_one_frame_at_each_time() {
    for scheme in ["energy-momentum", "midpoint", "complementarity"] {
        let text = TWO_BARS.replace("scheme = \"explicit\"", &format!("scheme = \"{scheme}\""));
        let until = |end: &str| {
            let end = format!("simulation.end_time={end}");
            parse(&text, &[&end, "simulation.time_step=0.01", "simulation.output_every=0.04"])
        };
        let chain = Chain::new();
        chain.solve(&until("0.12")).unwrap_or_else(|error| panic!("{scheme}: {error}"));
        has(&times(&chain), &[0.0, 0.04, 0.08, 0.12]);
        chain.solve_with(&until("0.18"), RESUME).unwrap_or_else(|error| panic!("{scheme}: {error}"));
        has(&times(&chain), &[0.0, 0.04, 0.08, 0.12, 0.16, 0.18]);
    }
}
