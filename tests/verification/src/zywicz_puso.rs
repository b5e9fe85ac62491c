//! The rigid bars, the rod in the cube and the bumper of Zywicz and Puso (1999) in explicit steps.

use carom_post::Run;
use carom_post::curves::draw_all;
use carom_post::plot::Quantity;
use carom_report::number::significant;

use crate::{Bench, BenchError, Outcome, Row, Table};

const RIGID_BARS: &str = include_str!("../../../meshes/rigid-bars/scenario.toml");
const ROD_RIGID: &str = include_str!("../../../meshes/rod-in-cube/scenario.toml");
const ROD_EXPLICIT: &str = include_str!("../../../meshes/rod-in-cube/explicit.toml");
const BUMPER: &str = include_str!("../../../meshes/bumper-on-pole/scenario.toml");
const MESHES: [(&str, &str); 3] = [
    ("pole.inp", include_str!("../../../meshes/bumper-on-pole/pole.inp")),
    ("beam.inp", include_str!("../../../meshes/bumper-on-pole/beam.inp")),
    ("shield.inp", include_str!("../../../meshes/bumper-on-pole/shield.inp")),
];

/// The second example: velocities swap in a step.
pub(crate) fn rigid_bars(bench: &Bench<'_>) -> Result<Outcome, BenchError> {
    let found = bench.run("rigid-bars", RIGID_BARS, None)?;
    let [left, right] = [0, 1].map(|body| found.bodies[body].velocity[0]);
    let events = &found.summary.contacts[..];
    let [event] = events else {
        return Err(BenchError::Impacts { scenario: "rigid-bars".to_owned(), count: events.len() });
    };
    let ledger = &found.summary.ledger;
    let [energy, momentum, ang_momentum] = ledger.errors().map(|error| error.unwrap_or(0.0));
    let rows = vec![
        Row::new("left bar afterwards", "m/s", left, 0.0, 1e-14),
        Row::new("right bar afterwards", "m/s", right, 1.0, 1e-14),
        Row::new("impulse on the left bar", "N s", event.impulse[0], -0.5, 1e-14),
        Row::new("restitution", "", event.restitution().unwrap_or(0.0), 1.0, 1e-13),
        Row::new("duration, one step", "s", event.duration(), 0.009, 1e-12),
        Row::new("energy error", "", energy, 0.0, 1e-14),
        Row::new("momentum error", "", momentum, 0.0, 1e-14),
        Row::new("angular momentum error", "", ang_momentum, 0.0, 1e-14),
    ];
    let quantities = ["left", "right"].map(|body| Quantity::Velocity(body.to_owned()));
    let drawing = draw_all(&[bench.open("rigid-bars")?], &quantities)?;
    let caption = "Velocities of the bars: they swap within a step, as in figure 4 of the paper.";
    let pictures = vec![("rigid-bars-velocities".to_owned(), drawing, caption.to_owned())];
    Ok(Outcome { rows, pictures, ..Outcome::default() })
}

/// First impacts of the rod in the limit of small steps: time \[s\] and impulse \[N s\].
const IMPACTS: [[f64; 2]; 3] =
    [[0.010_942_753_7, 3.866_877_83e-4], [0.209_218_141, 3.769_128_37e-4], [0.236_465_870, 9.974_30e-5]];

/// The fourth example in the schemes `rigid` and `explicit`.
pub(crate) fn rod_in_cube(bench: &Bench<'_>) -> Result<Outcome, BenchError> {
    let header = vec![
        "impact",
        "exact [s]",
        "rigid [s]",
        "explicit [s]",
        "exact [N s]",
        "rigid [N s]",
        "explicit [N s]",
    ];
    let mut outcome = Outcome { table: Table { header, rows: Vec::new() }, ..Outcome::default() };
    let until = ["simulation.end_time=0.24".to_owned(), "simulation.output_every=0.002".to_owned()];
    let mut columns = Vec::new();
    for (name, text) in [("rod-in-cube", ROD_RIGID), ("rod-in-cube-explicit", ROD_EXPLICIT)] {
        let found = bench.run_with(name, text, None, &until)?;
        let [energy, momentum, ang_momentum] =
            found.summary.ledger.errors().map(|error| error.unwrap_or(0.0));
        let impacts: Vec<[f64; 2]> = found
            .summary
            .contacts
            .iter()
            .map(|event| [event.start, event.impulse.iter().map(|p| p * p).sum::<f64>().sqrt()])
            .collect();
        if impacts.len() < IMPACTS.len() {
            return Err(BenchError::Impacts { scenario: name.to_owned(), count: impacts.len() });
        }
        for (k, ([time, _], [exact, _])) in impacts.iter().zip(IMPACTS).enumerate() {
            let title = format!("{name}: time of impact {}, less the exact one", k + 1);
            let mut row = Row::shown(title, "s", time - exact);
            if let Some(allowed) = [1e-6, 1e-5].get(k) {
                (row.expected, row.tolerance) = (Some(0.0), *allowed);
            }
            outcome.rows.push(row);
        }
        outcome.rows.push(Row::new(format!("{name}: energy error"), "", energy, 0.0, 9.46e-11));
        outcome.rows.push(Row::new(format!("{name}: momentum error"), "", momentum, 0.0, 1e-12));
        outcome.rows.push(Row::new(
            format!("{name}: angular momentum error"),
            "",
            ang_momentum,
            0.0,
            2.86e-10,
        ));
        columns.push(impacts);
    }
    for (k, [time, impulse]) in IMPACTS.iter().enumerate() {
        let cell = |x: f64| significant(x, 8);
        outcome.table.rows.push(vec![
            (k + 1).to_string(),
            cell(*time),
            cell(columns[0][k][0]),
            cell(columns[1][k][0]),
            cell(*impulse),
            cell(columns[0][k][1]),
            cell(columns[1][k][1]),
        ]);
    }
    let runs = [bench.open("rod-in-cube")?, bench.open("rod-in-cube-explicit")?];
    let drawing = draw_all(&runs, &[Quantity::AngularVelocity("rod".to_owned())])?;
    let caption =
        "Angular velocity of the rod in both schemes: jumps at the impacts, free motion between them.";
    outcome.pictures.push(("rod-in-cube-velocity".to_owned(), drawing, caption.to_owned()));
    Ok(outcome)
}

/// Duration of the bumper's runs \[s\], a tenth of the paper's.
const CRASH: f64 = 0.01;

/// Stiffness of the springs in its contacts \[Pa/m\].
const SPRINGS: f64 = 2e10;

/// A run of the bumper.
struct Crash {
    cpu_per_step: f64,
    contact_share: f64,
    steps: u64,
    multipliers: Option<[f64; 3]>,
    energy: f64,
    plastic: f64,
    depth: f64,
}

fn crash(bench: &Bench<'_>, name: &str, friction: bool, springs: bool) -> Result<Crash, BenchError> {
    let mut keys =
        vec![format!("simulation.end_time={CRASH}"), format!("simulation.output_every={}", CRASH / 40.0)];
    if friction {
        keys.push("contact.0.friction=0.1".to_owned());
    }
    if springs {
        keys.push(format!("contact.0.law={{ kind = \"penalty\", stiffness = {SPRINGS:e} }}"));
    }
    let found = bench.run_with(name, BUMPER, None, &keys)?;
    let run = bench.open(name)?;
    let [plastic, depth] =
        run.ledger_columns(["D_pl", "pen_max"])?.map(|c| c.last().copied().unwrap_or(f64::NAN));
    let timing = timings(&run)?;
    let counters = run.reader().counters().map_err(carom_post::RunError::from)?;
    let count =
        |name: &str| counters.iter().find(|(own, _)| own == name).map_or(0, |(_, count)| *count) as f64;
    let active = count("contact_steps");
    let multipliers = (active > 0.0).then(|| {
        [
            count("most_multipliers"),
            count("multipliers") / active,
            count("multiplier_iterations") / count("multipliers"),
        ]
    });
    Ok(Crash {
        cpu_per_step: found.cpu_seconds / found.summary.steps as f64,
        contact_share: timing("time loop, contact") / timing("time loop"),
        steps: found.summary.steps,
        multipliers,
        energy: found.summary.ledger.energy_error,
        plastic,
        depth,
    })
}

fn timings(run: &Run) -> Result<impl Fn(&str) -> f64 + use<>, BenchError> {
    let timings = run.reader().timings().map_err(carom_post::RunError::from)?;
    Ok(move |name: &str| {
        timings.iter().find(|(own, _)| own == name).map_or(f64::NAN, |(_, seconds)| *seconds)
    })
}

/// The third example on a geometry of our own, the first tenth of its time.
pub(crate) fn bumper(bench: &Bench<'_>) -> Result<Outcome, BenchError> {
    for (name, text) in MESHES {
        bench.place(name, text)?;
    }
    let header = vec![
        "contact",
        "friction",
        "steps",
        "CPU a step [ms]",
        "contact [%]",
        "most multipliers",
        "mean multipliers",
        "iterations for each",
        "overlap [mm]",
        "plastic work [J]",
    ];
    let mut outcome = Outcome { table: Table { header, rows: Vec::new() }, ..Outcome::default() };
    for (friction, limit) in [(false, 1.03), (true, 1.13)] {
        let mut costs = Vec::new();
        for contact in ["multipliers", "springs"] {
            let name = format!("bumper-{contact}{}", if friction { "-friction" } else { "" });
            let found = crash(bench, &name, friction, contact == "springs")?;
            outcome.rows.push(Row::new(format!("{name}: energy error"), "", found.energy, 0.0, 1e-11));
            costs.push(found.cpu_per_step);
            let of = |k: usize| found.multipliers.map_or("–".to_owned(), |m| significant(m[k], 3));
            outcome.table.rows.push(vec![
                contact.to_owned(),
                if friction { "0.1" } else { "0" }.to_owned(),
                found.steps.to_string(),
                significant(1e3 * found.cpu_per_step, 3),
                significant(100.0 * found.contact_share, 3),
                of(0),
                of(1),
                of(2),
                significant(1e3 * found.depth, 2),
                significant(found.plastic, 4),
            ]);
        }
        let title = if friction { "with friction" } else { "without friction" };
        let ratio = costs[0] / costs[1];
        outcome.rows.push(Row::shown(
            format!("multipliers over springs {title}: CPU a step, {limit} in the paper"),
            "",
            ratio,
        ));
    }
    let runs = [bench.open("bumper-multipliers")?, bench.open("bumper-springs")?];
    let drawing = draw_all(&runs, &[Quantity::ContactForce])?;
    let caption = "Force between bumper and pole by multipliers and by springs, without friction.";
    outcome.pictures.push(("bumper-force".to_owned(), drawing, caption.to_owned()));
    Ok(outcome)
}
