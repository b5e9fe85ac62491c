//! One impact of the same two bodies in six schemes of elastic bodies, and of rigid ones.

use carom_post::curves::draw_all;
use carom_post::plot::Quantity;
use carom_report::number::significant;

use crate::{Bench, BenchError, Outcome, Row, Table};

const REDUCED: &str = include_str!("../../../meshes/sphere-on-rod/soft.toml");
const WHOLE: &str = include_str!("../../../meshes/sphere-on-rod/soft-whole.toml");

/// Cells of whole bodies at the contact \[m\], a coarser mesh than that of the two ways.
const CELL: f64 = 1.6e-3;

/// End of the runs: the ball has left, and the wave is on its way back \[s\].
const END: f64 = 1.4e-3;

/// Length of implicit steps: 100 in the contact \[s\].
const STEP: f64 = 1e-5;

/// Length of the steps of reduced bodies with the inertia of all modes: with a step of its own choice it
/// would follow each bounce of each pressure cell \[s\].
const DYNAMIC_STEP: f64 = 2e-6;

/// The bodies as rigid ones: the ball on the end of a block with the mass of the rod.
fn rigid() -> String {
    format!(
        "[simulation]\nscheme = \"rigid\"\nend_time = {END:e}\ntime_step = {STEP:e}\n\
         output_every = {STEP:e}\n[material.soft]\ndensity = 1200.0\nyoung = 100e6\npoisson = 0.45\n\
         [[body]]\nname = \"ball\"\nmake = {{ shape = \"ball\", radius = 0.015 }}\nmaterial = \"soft\"\n\
         position = [0.41502, 0.0, 0.0]\nvelocity = [-1.0, 0.0, 0.0]\n\
         [[body.shape]]\nname = \"outside\"\nkind = \"ball\"\nradius = 0.015\n\
         [[body]]\nname = \"rod\"\nmake = {{ shape = \"rod\", radius = 0.01, length = 0.4 }}\n\
         material = \"soft\"\n\
         [[body.shape]]\nname = \"end\"\nkind = \"plane\"\n\
         point = [0.4, 0.0, 0.0]\nnormal = [1.0, 0.0, 0.0]\n\
         [[contact]]\nbetween = [\"ball:outside\", \"rod:end\"]\n"
    )
}

/// A scheme with the settings that it needs.
struct Way {
    name: &'static str,
    bodies: &'static str,
    text: String,
    keys: Vec<String>,
}

fn ways() -> Vec<Way> {
    let end = format!("simulation.end_time={END:e}");
    let whole = WHOLE
        .replace("finest = 8.0e-4", &format!("finest = {CELL:e}"))
        .replace("elements = [60, 2, 2]", "elements = [40, 2, 2]");
    let scheme = |name: &str| format!("simulation.scheme=\"{name}\"");
    let step = || format!("simulation.time_step={STEP:e}");
    let way = |name, bodies, text: &str, mut keys: Vec<String>| {
        keys.push(end.clone());
        Way { name, bodies, text: text.to_owned(), keys }
    };
    vec![
        way("quasistatic-penalty", "reduced", REDUCED, vec![]),
        way("quasistatic-hard", "reduced", REDUCED, vec!["contact.0.law={ kind = \"lagrange\" }".to_owned()]),
        way(
            "dynamic",
            "reduced",
            REDUCED,
            vec![
                scheme("dynamic"),
                "simulation.integrator=\"generalised-alpha\"".to_owned(),
                format!("simulation.time_step={DYNAMIC_STEP:e}"),
            ],
        ),
        way("explicit", "whole", &whole, vec![]),
        way("energy-momentum", "whole", &whole, vec![scheme("energy-momentum"), step()]),
        way("complementarity", "whole", &whole, vec![scheme("complementarity"), step()]),
        way("rigid", "rigid", &rigid(), vec![]),
    ]
}

/// Largest force, duration, impulse and relative velocity afterwards.
#[derive(Debug, Clone, Copy, Default)]
struct Figures {
    force: f64,
    duration: f64,
    impulse: f64,
    restitution: f64,
}

/// A ball of soft plastic on the end of a rod of the same material.
pub(crate) fn six_ways(bench: &Bench<'_>) -> Result<Outcome, BenchError> {
    let table = Table {
        header: vec![
            "scheme",
            "bodies",
            "dofs",
            "steps",
            "peak force [N]",
            "duration [ms]",
            "impulse [N s]",
            "ball afterwards [m/s]",
            "restitution",
            "energy lost in the contact",
            "error of the energy",
            "CPU [s]",
        ],
        rows: Vec::new(),
    };
    let mut outcome = Outcome { table, ..Outcome::default() };
    let (mut runs, mut figures) = (Vec::new(), Vec::new());
    for Way { name, bodies, text, keys } in ways() {
        let file = format!("six-ways-{name}");
        let found = bench.run_with(&file, &text, None, &keys)?;
        let run = bench.open(&file)?;
        // A scheme may separate bodies for a step: the events of one impact count together.
        let events = &found.summary.contacts[..];
        let (Some(first), Some(last)) = (events.first(), events.last()) else {
            return Err(BenchError::Impacts { scenario: file, count: 0 });
        };
        let force = events.iter().map(|event| event.peak_force).fold(0.0, f64::max);
        let impulse: f64 = events.iter().map(|event| event.impulse[0]).sum();
        let [ball, rod] = [0, 1].map(|body| found.bodies[body].velocity[0]);
        let [kinetic, impact] = run.ledger_columns(["E_kin", "D_imp"])?;
        let lost = impact.last().copied().unwrap_or(f64::NAN) / kinetic[0];
        let [energy, momentum, _] = found.summary.ledger.errors().map(|error| error.unwrap_or(0.0));
        outcome.rows.push(Row::new(format!("{name}: error of the momentum"), "", momentum, 0.0, 1e-11));
        figures.push(Figures { force, duration: last.end - first.start, impulse, restitution: ball - rod });
        let is_rigid = name == "rigid";
        outcome.table.rows.push(vec![
            name.to_owned(),
            bodies.to_owned(),
            Bench::dofs(&run)?.to_string(),
            found.summary.steps.to_string(),
            if is_rigid { "–".to_owned() } else { significant(force, 4) },
            if is_rigid { "0".to_owned() } else { significant(1e3 * (last.end - first.start), 4) },
            significant(impulse, 4),
            significant(ball, 4),
            significant(ball - rod, 4),
            significant(lost, 2),
            significant(energy, 2),
            significant(found.cpu_seconds, 3),
        ]);
        if !is_rigid {
            runs.push(run);
        }
    }
    // Reduced bodies against the first way, whole ones against explicit steps on the same mesh.
    // Bounces of single points have a part in peaks and durations, not in the impulse.
    for (k, of, name, [peaks, means]) in [
        (1, 0, "quasistatic-hard over quasistatic-penalty", [0.01; 2]),
        (2, 0, "dynamic over quasistatic-penalty", [0.05, 0.02]),
        (4, 3, "energy-momentum over explicit", [0.05, 0.02]),
        (5, 3, "complementarity over explicit", [0.05, 0.02]),
        (3, 0, "explicit over quasistatic-penalty", [0.1; 2]),
    ] {
        let [own, other] = [figures[k], figures[of]];
        for (what, ratio, claim) in [
            ("peak force", own.force / other.force, peaks),
            ("duration", own.duration / other.duration, peaks),
            ("impulse", own.impulse / other.impulse, means),
            ("velocities apart", own.restitution / other.restitution, means),
        ] {
            outcome.rows.push(Row::new(format!("{name}: {what}"), "", ratio, 1.0, claim));
        }
    }
    let caption = "The force in all schemes, in the order of the table.".to_owned();
    let drawing = draw_all(&runs, &[Quantity::ContactForce])?;
    outcome.pictures.push(("six-ways-force".to_owned(), drawing, caption));
    Ok(outcome)
}
