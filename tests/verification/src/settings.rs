//! What the choices of a user do to an impact: spans in the zone, the split.

use carom_report::{Axis, Plot, Series, Style};

use crate::impacts::{SHORT_ROD, SHORT_ROD_SPLIT, ball_on_ball, rows};
use crate::{Bench, BenchError, Outcome, Row};

/// Two balls at 0.5 m/s over spans in the contact radius.
pub(crate) fn mesh(bench: &Bench<'_>) -> Result<Outcome, BenchError> {
    let mut outcome = Outcome::default();
    let (mut spans, mut errors) = (Vec::new(), [Vec::new(), Vec::new()]);
    for (n, tolerances) in [(2.0, [0.025, 0.052]), (3.0, [0.012, 0.023]), (4.0, [0.01, 0.015])] {
        let impact = bench.impact(&format!("two-balls-a{n}"), &ball_on_ball(0.5, n), None)?;
        outcome.rows.extend(rows(&format!("spans of a/{n}"), &impact, [989.43, 102.51e-6], tolerances));
        spans.push(n);
        errors[0].push(100.0 * (impact.peak_force / 989.43 - 1.0));
        errors[1].push(100.0 * (impact.duration / 102.51e-6 - 1.0));
    }
    let [force, duration] = errors;
    let plot = Plot::new(
        "Two balls at 0.5 m/s",
        Axis::new("contact radius over span", ""),
        Axis::new("deviation", "%"),
    )
    .with(Series::line("peak force", spans.clone(), force).styled(Style::Markers))
    .with(Series::line("duration", spans, duration).styled(Style::Markers));
    let caption = "Deviation from the converged ball over the number of spans in the contact radius.";
    outcome.pictures.push(("mesh".to_owned(), plot.draw(), caption.to_owned()));
    Ok(outcome)
}

/// The short rod over the split.
pub(crate) fn split(bench: &Bench<'_>) -> Result<Outcome, BenchError> {
    let text = SHORT_ROD.scenario(0.3, 4.0 * SHORT_ROD_SPLIT);
    let mut runs = Vec::new();
    for periods in [0.0, 1.0, 2.0, 5.0, 10.0, 20.0] {
        let impact = bench.impact(&format!("split-{periods}"), &text, Some(periods / 134.3e-6))?;
        runs.push((periods, impact));
    }
    let last = &runs[runs.len() - 1].1;
    let mut outcome = Outcome::default();
    for (periods, impact) in &runs {
        let names =
            ["peak force", "speed of the ball afterwards"].map(|what| format!("f_c T_c = {periods}: {what}"));
        let measured = [impact.peak_force, impact.velocities[0][0]];
        let expected = [last.peak_force, last.velocities[0][0]];
        for ((what, unit), (x, y)) in
            names.into_iter().zip(["N", "m/s"]).zip(measured.into_iter().zip(expected))
        {
            outcome.rows.push(if *periods < 2.0 {
                Row::shown(what, unit, x)
            } else {
                Row::new(what, unit, x, y, 1e-3)
            });
        }
        outcome.rows.push(Row::shown(
            format!("f_c T_c = {periods}: CPU time of the time loop"),
            "s",
            impact.cpu_seconds,
        ));
    }
    Ok(outcome)
}
