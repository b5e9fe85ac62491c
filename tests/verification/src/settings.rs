//! The effect of settings on an impact: knot spans in the zone, its size, modes, penalty, split.

use carom_report::{Axis, Plot, Series, Style};

use crate::impacts::{SHORT_ROD, SHORT_ROD_SPLIT, TwoBalls, rows};
use crate::{Bench, BenchError, Impact, Outcome, Row};

/// Two balls at 0.5 m/s, varying the knot spans in the contact radius.
pub(crate) fn mesh(bench: &Bench<'_>) -> Result<Outcome, BenchError> {
    let mut outcome = Outcome::default();
    let (mut spans, mut errors) = (Vec::new(), [Vec::new(), Vec::new()]);
    for (n, tolerances) in [(2.0, [0.025, 0.052]), (3.0, [0.012, 0.023]), (4.0, [0.01, 0.015])] {
        let balls = TwoBalls { spans: n, ..TwoBalls::at(0.5) };
        // The finest set-up is that of the case of three speeds; its models are reused.
        let name = if n < 4.0 { format!("two-balls-a{n}") } else { "two-balls-0.5".to_owned() };
        let impact = bench.impact(&name, &balls.scenario(), None)?;
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

/// Knot spans in the contact radius of the cases below, which compare runs among each other.
const SPANS: f64 = 3.0;

/// Two balls at 0.5 m/s, varying the size of the contact zone, whose control points are the interface.
pub(crate) fn interface(bench: &Bench<'_>) -> Result<Outcome, BenchError> {
    let run = |zone: f64| {
        let balls = TwoBalls { spans: SPANS, fine: 2.0, zone, ..TwoBalls::at(0.5) };
        bench.impact(&format!("zone-{zone}"), &balls.scenario(), None)
    };
    let widest = run(2.0)?;
    let mut outcome = Outcome::default();
    for zone in [1.25, 1.5] {
        let impact = run(zone)?;
        let expected = [widest.peak_force, widest.duration];
        outcome.rows.extend(rows(&format!("zone of {zone} a"), &impact, expected, [1e-3, 1e-3]));
    }
    outcome.rows.extend(shown("zone of 2 a", &widest));
    Ok(outcome)
}

/// Two balls at 0.5 m/s, varying the number of fixed-interface modes.
pub(crate) fn modes(bench: &Bench<'_>) -> Result<Outcome, BenchError> {
    let run = |modes: usize| {
        let balls = TwoBalls { spans: SPANS, modes, ..TwoBalls::at(0.5) };
        bench.impact(&format!("modes-{modes}"), &balls.scenario(), None)
    };
    let most = run(48)?;
    let mut outcome = Outcome::default();
    for n in [6, 12, 24] {
        let impact = run(n)?;
        let expected = [most.peak_force, most.duration];
        outcome.rows.extend(rows(&format!("{n} modes"), &impact, expected, [1e-3, 1e-3]));
    }
    outcome.rows.extend(shown("48 modes", &most));
    Ok(outcome)
}

/// Two balls at 0.5 m/s, varying the stiffness of the penalty, eps = alpha E*/h.
pub(crate) fn penalty(bench: &Bench<'_>) -> Result<Outcome, BenchError> {
    let run = |law: &str| {
        let balls = TwoBalls { spans: SPANS, law: law.to_owned(), ..TwoBalls::at(0.5) };
        bench.impact("penalty", &balls.scenario(), None)
    };
    let hard = run("{ kind = \"lagrange\" }")?;
    let mut outcome = Outcome::default();
    let (mut factors, mut losses, mut expected) = (Vec::new(), Vec::new(), Vec::new());
    for alpha in [10.0, 30.0, 100.0, 300.0] {
        let law = format!("{{ kind = \"penalty\", factor = {alpha:?} }}");
        let impact = run(&law)?;
        let loss = 0.25 * 0.72 / (SPANS * alpha);
        let force = hard.peak_force * (1.0 - loss);
        outcome.rows.push(Row::new(
            format!("alpha = {alpha}: peak force"),
            "N",
            impact.peak_force,
            force,
            loss / 3.0,
        ));
        factors.push(alpha);
        losses.push(100.0 * (1.0 - impact.peak_force / hard.peak_force));
        expected.push(100.0 * loss);
    }
    outcome.rows.extend(shown("no penetration", &hard));
    let plot = Plot::new(
        "Two balls at 0.5 m/s",
        Axis::new("alpha", "").logarithmic(),
        Axis::new("loss of peak force, %", "").logarithmic(),
    )
    .with(Series::line("measured", factors.clone(), losses).styled(Style::Markers))
    .with(Series::line("0.18 (h/a)/alpha", factors, expected).styled(Style::Dashed));
    let caption = "What a penalty loses of the peak force, beside the estimate for spans of a/3.";
    outcome.pictures.push(("penalty".to_owned(), plot.draw(), caption.to_owned()));
    Ok(outcome)
}

fn shown(name: &str, impact: &Impact) -> [Row; 2] {
    [
        Row::shown(format!("{name}: peak force"), "N", impact.peak_force),
        Row::shown(format!("{name}: duration"), "s", impact.duration),
    ]
}

/// The short rod, varying the split.
pub(crate) fn split(bench: &Bench<'_>) -> Result<Outcome, BenchError> {
    let text = SHORT_ROD.scenario(0.3, 2.0 * SHORT_ROD_SPLIT);
    let mut runs = Vec::new();
    for periods in [0.0, 1.0, 2.0, 5.0, 10.0] {
        let impact = bench.impact("split", &text, Some(periods / 134.3e-6))?;
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
