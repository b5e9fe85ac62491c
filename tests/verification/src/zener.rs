//! A ball on plates that take its energy away as bending waves.

use std::f64::consts::PI;

use carom_contact::closed_form::{HertzPair, contact_modulus};
use carom_simulate::cpu_seconds;

use crate::{Bench, BenchError, Outcome, Row, Table};

/// Scenarios of the gallery with the thickness of the plate \[m\].
const PLATES: [(f64, &str); 2] = [
    (0.003, include_str!("../../../meshes/zener-plates/scenario.toml")),
    (0.004, include_str!("../../../meshes/zener-plates/thick.toml")),
];

/// Radius of the ball \[m\] and its speed \[m/s\].
const RADIUS: f64 = 0.005;
const SPEED: f64 = 0.3;

/// Steel.
const DENSITY: f64 = 7800.0;
const YOUNG: f64 = 210e9;
const POISSON: f64 = 0.3;

/// Steps of a unit of Zener's time.
const STEPS: f64 = 1e4;

/// Largest error of force, duration and restitution. The theory has a thin plate without end.
const CLAIM: f64 = 0.03;

/// Zener's impact: σ″ + (1 + λ d/dτ) σ^(3/2) = 0.
struct Zener {
    /// λ, the mobility of the plate over that of the impact.
    lambda: f64,
    /// Largest force \[N\].
    force: f64,
    /// \[s\]
    duration: f64,
    /// Speed of the ball afterwards over that before.
    restitution: f64,
}

/// The impact on an infinite thin plate, whose velocity under the force is F/(8 √(D ρ h)), by steps of Runge
/// and Kutta.
///
/// * `thickness` — h \[m\]
fn zener(thickness: f64) -> Zener {
    let mass = DENSITY * 4.0 / 3.0 * PI * RADIUS.powi(3);
    let pair = HertzPair { modulus: contact_modulus([YOUNG; 2], [POISSON; 2]), radius: RADIUS };
    let stiffness = pair.at_approach(1.0).force;
    let bending = YOUNG * thickness.powi(3) / (12.0 * (1.0 - POISSON * POISSON));
    let mobility = 1.0 / (8.0 * (bending * DENSITY * thickness).sqrt());
    let unit = (mass / (stiffness * SPEED.sqrt())).powf(0.4);
    let lambda = mobility * mass / unit;
    // Approach σ and speed w of the ball: σ′ = w − λ σ^(3/2), w′ = −σ^(3/2).
    let rate = |[s, _]: [f64; 2], w: f64| {
        let force = s.max(0.0).powf(1.5);
        [w - lambda * force, -force]
    };
    let (h, mut y, mut steps, mut largest) = (1.0 / STEPS, [0.0, 1.0], 0.0, 0.0_f64);
    loop {
        let at = |k: [f64; 2], part: f64| [y[0] + part * h * k[0], y[1] + part * h * k[1]];
        let of = |y: [f64; 2]| rate(y, y[1]);
        let a = of(y);
        let b = of(at(a, 0.5));
        let c = of(at(b, 0.5));
        let d = of(at(c, 1.0));
        let next = [0, 1].map(|k| y[k] + h / 6.0 * (a[k] + 2.0 * b[k] + 2.0 * c[k] + d[k]));
        steps += 1.0;
        if next[0] <= 0.0 {
            return Zener {
                lambda,
                force: largest * mass * SPEED / unit,
                duration: steps * h * unit,
                restitution: -next[1],
            };
        }
        largest = largest.max(next[0].powf(1.5));
        y = next;
    }
}

/// A ball on two plates.
pub(crate) fn plates(bench: &Bench<'_>) -> Result<Outcome, BenchError> {
    let header = vec![
        "thickness [mm]",
        "λ",
        "force [N]",
        "Zener's [N]",
        "estimate [%]",
        "duration [µs]",
        "Zener's [µs]",
        "restitution of the ball",
        "Zener's",
        "energy error",
        "dofs",
        "CPU of the whole run [s]",
    ];
    let mut outcome = Outcome { table: Table { header, rows: Vec::new() }, ..Outcome::default() };
    for (thickness, text) in PLATES {
        let name = format!("zener-{}-mm", 1e3 * thickness);
        bench.clear(&name)?;
        let started = cpu_seconds();
        let ended = bench.run(&name, text, None)?;
        let cpu_seconds = cpu_seconds() - started;
        let Some(event) = ended.summary.contacts.first().filter(|event| !event.open) else {
            return Err(BenchError::Impacts { scenario: name, count: ended.summary.contacts.len() });
        };
        let theory = zener(thickness);
        let found = [event.peak_force, event.end - event.start, event.own_after[0].abs() / SPEED];
        let expected = [theory.force, theory.duration, theory.restitution];
        let plate = format!("plate of {} mm", 1e3 * thickness);
        for (k, (figure, unit)) in
            [("force", "N"), ("duration", "s"), ("restitution of the ball", "")].into_iter().enumerate()
        {
            outcome.rows.push(Row::new(format!("{plate}: {figure}"), unit, found[k], expected[k], CLAIM));
        }
        let estimate = ended.error_estimates.first().copied().flatten();
        outcome.table.rows.push(vec![
            format!("{}", 1e3 * thickness),
            format!("{:.3}", theory.lambda),
            format!("{:.2}", found[0]),
            format!("{:.2}", expected[0]),
            estimate.map_or_else(String::new, |estimate| format!("{:.2}", 100.0 * estimate.force)),
            format!("{:.2}", 1e6 * found[1]),
            format!("{:.2}", 1e6 * expected[1]),
            format!("{:.4}", found[2]),
            format!("{:.4}", expected[2]),
            format!("{:.1e}", ended.summary.ledger.energy_error),
            Bench::dofs(&bench.open(&name)?)?.to_string(),
            format!("{cpu_seconds:.1}"),
        ]);
    }
    Ok(outcome)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zeners_figures_are_found() {
        // Published restitution at these λ.
        for (thickness, lambda, restitution) in [(0.003, 0.340, 0.568), (0.004, 0.191, 0.725)] {
            let found = zener(thickness);
            assert!((found.lambda - lambda).abs() < 5e-4, "{}", found.lambda);
            assert!((found.restitution - restitution).abs() < 1e-3, "{}", found.restitution);
        }
    }
}
