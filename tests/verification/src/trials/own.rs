//! Parts that nobody prepared: a ball hits each of them at three places, and the scenario has no number but
//! those of the ball.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use carom_contact::closed_form::hertz_ellipse;
use carom_post::Run;
use carom_report::{Axis, Color, Plot, Series, Style};
use carom_simulate::cpu_seconds_of_children;
use nalgebra::Vector3;
use serde_json::Value;

use super::drawn::{BALL, SPEED};
use super::own_parts::{Expected, Hit, all_hits};
use super::{inverse_mass, modulus, resolved};
use crate::{Bench, BenchError, Outcome, Row, Table};

/// Longest wall time of a chain \[s\].
const LONGEST: f64 = 150.0;

/// Least share of forces and durations within their estimates.
const WITHIN: f64 = 0.95;

/// Accuracy that scenarios ask for where they name none.
const ACCURACY: f64 = 0.02;

/// Largest deviation of the expected figures from those of resolved cells.
const CLAIM: f64 = 2e-3;

/// Figures of an impact.
struct Found {
    /// Force \[N\] and duration \[s\].
    figures: [f64; 2],
    estimates: [f64; 2],
    /// Force by Hertz' theory with the effective mass of the rigid bodies \[N\].
    hertz: f64,
    dofs: usize,
    repeats: usize,
    cpu_seconds: f64,
    seconds: f64,
}

/// The end of an impact.
enum Ended {
    Impact(Found),
    /// The program refuses it: its error.
    Refused(String),
}

/// The scenario as a user would write it.
fn scenario(hit: &Hit, file: &str) -> String {
    let velocity = (-SPEED * Vector3::from(hit.spot.normal)).map(|v| if v == 0.0 { 0.0 } else { v });
    format!(
        "[[body]]\nname = \"ball\"\n{}\nmaterial = \"steel\"\nvelocity = [{:e}, {:e}, {:e}]\n\
         [[body]]\nname = \"part\"\nfile = \"{file}\"\nmaterial = \"steel\"\n\
         [[contact]]\nbetween = [\"ball\", \"part\"]\nlaw = {{ kind = \"lagrange\" }}\n",
        hit.striker(),
        velocity.x,
        velocity.y,
        velocity.z,
    )
}

/// Runs the chain by the program `carom`.
fn run(bench: &Bench<'_>, program: &Path, hit: &Hit) -> Result<Ended, BenchError> {
    let name = format!("own-{}", hit.spot.name.replace([' ', ','], "-"));
    let file = format!("{name}.geo");
    bench.place(&file, &hit.spot.script)?;
    bench.place(&format!("{name}.toml"), scenario(hit, &file))?;
    // Bodies and models of an earlier run would hide their cost.
    bench.clear(&name)?;
    let (started, before) = (Instant::now(), cpu_seconds_of_children());
    let folder = bench.folder.join(&name);
    let output = Command::new(program)
        .arg("run")
        .arg(bench.folder.join(format!("{name}.toml")))
        .arg("-o")
        .arg(&folder)
        .arg("--json")
        .output()
        .map_err(|source| BenchError::Read { path: program.to_owned(), source })?;
    let (seconds, cpu_seconds) = (started.elapsed().as_secs_f64(), cpu_seconds_of_children() - before);
    if !output.status.success() {
        let text = String::from_utf8_lossy(&output.stderr);
        let error = text.lines().find_map(|line| line.strip_prefix("error: ")).unwrap_or(&text);
        // Without the place in the scenario, whose folder differs.
        let error =
            error.split_once(".toml:").and_then(|(_, rest)| rest.split_once(": ")).map_or(error, |e| e.1);
        return Ok(Ended::Refused(error.trim().to_owned()));
    }
    let summary: Value = serde_json::from_slice(&output.stdout)
        .map_err(|error| BenchError::Scenario(format!("{name}: summary: {error}")))?;
    let opened = Run::open(&folder.join("result.carom"))?;
    let contacts = summary["solution"]["contacts"].as_array().map(Vec::as_slice).unwrap_or_default();
    let number = |value: &Value| value.as_f64().unwrap_or(f64::NAN);
    let force = |contact: &&Value| number(&contact["peak_force"]);
    let Some(contact) = contacts.iter().max_by(|a, b| force(a).total_cmp(&force(b))) else {
        return Err(BenchError::Impacts { scenario: name, count: 0 });
    };
    let estimate = &contact["error_estimate"];
    let repeats = String::from_utf8_lossy(&output.stderr).matches("repeated with").count();
    Ok(Ended::Impact(Found {
        figures: [number(&contact["peak_force"]), number(&contact["duration"])],
        estimates: [number(&estimate["peak_force"]), number(&estimate["duration"])],
        hertz: hertz(&opened, hit)?,
        dofs: Bench::dofs(&opened)?,
        repeats,
        cpu_seconds,
        seconds,
    }))
}

/// Force by Hertz' theory \[N\]: F = K d^(3/2), ½ m v² = ⅖ K d^(5/2).
fn hertz(run: &Run, hit: &Hit) -> Result<f64, BenchError> {
    let models = run.header().bodies.iter().map(|body| carom_format::read_rom(body.rom_path.as_ref()));
    let models = models.collect::<Result<Vec<_>, _>>()?;
    let (place, normal) = (Vector3::from(hit.spot.place), Vector3::from(hit.spot.normal));
    let inverse: f64 = [-BALL * normal, place]
        .iter()
        .zip(&models)
        .map(|(at, model)| inverse_mass(&model.reduced, at, &normal))
        .sum();
    let curvatures = hit.curvatures.map(|curvature| curvature + 1.0 / BALL);
    let Some(unit) = hertz_ellipse(modulus(), curvatures, 1.0) else { return Ok(f64::NAN) };
    let stiffness = unit.approach.powf(-1.5);
    let depth = (1.25 * SPEED * SPEED / (inverse * stiffness)).powf(0.4);
    Ok(stiffness * depth.powf(1.5))
}

/// The program of the chain, beside this one.
fn chain() -> Result<PathBuf, BenchError> {
    let program = std::env::current_exe().ok().and_then(|own| Some(own.parent()?.join("carom")));
    program.filter(|program| program.is_file()).ok_or_else(|| {
        BenchError::Scenario("the case runs the program `carom`, which is not beside this one".to_owned())
    })
}

/// A ball on parts that nobody prepared.
pub(crate) fn own_parts(bench: &Bench<'_>) -> Result<Outcome, BenchError> {
    let program = chain()?;
    let hits = all_hits()?;
    let mut ended = Vec::with_capacity(hits.len());
    for hit in &hits {
        bench.progress.note(&hit.spot.name);
        ended.push(run(bench, &program, hit)?);
    }
    let mut outcome = Outcome { table: table(&hits, &ended), ..Outcome::default() };
    outcome.rows = rows(&hits, &ended);
    let caption =
        "Largest force of a ball on parts that nobody prepared: error over the estimate of the run.";
    outcome.pictures.push(("own-parts".to_owned(), plot(&hits, &ended).draw(), caption.to_owned()));
    Ok(outcome)
}

/// Impacts with their places.
fn impacts<'a>(hits: &'a [Hit], ended: &'a [Ended]) -> impl Iterator<Item = (&'a Hit, &'a Found)> {
    hits.iter().zip(ended).filter_map(|(hit, ended)| match ended {
        Ended::Impact(found) => Some((hit, found)),
        Ended::Refused(_) => None,
    })
}

fn rows(hits: &[Hit], ended: &[Ended]) -> Vec<Row> {
    let is_right = |(hit, ended): &(&Hit, &Ended)| match (ended, &hit.expected) {
        (Ended::Refused(why), Expected::Refused(words)) => why.contains(words),
        (Ended::Refused(_), _) | (Ended::Impact(_), Expected::Refused(_)) => false,
        (Ended::Impact(_), _) => true,
    };
    let wrong = hits.iter().zip(ended).filter(|pair| !is_right(pair)).count();
    let pairs = impacts(hits, ended)
        .flat_map(|(hit, found)| errors_of(hit, found).map(f64::abs).into_iter().zip(found.estimates));
    let errors: Vec<(f64, f64)> = pairs.filter(|(error, _)| error.is_finite()).collect();
    let count = |of: fn(&&(f64, f64)) -> bool| errors.iter().filter(of).count() as f64;
    let all = errors.len().max(1) as f64;
    let longest = impacts(hits, ended).map(|(_, found)| found.seconds).fold(0.0, f64::max);
    vec![
        Row::new("places that end otherwise than expected", "", wrong as f64, 0.0, 0.0),
        Row::shown("places with expected figures", "", errors.len() as f64 / 2.0),
        Row::at_least(
            "share of forces and durations within their estimates",
            "",
            count(|(error, estimate)| error <= estimate) / all,
            WITHIN,
        ),
        Row::shown(
            "share of forces and durations within 2 %",
            "",
            count(|(error, _)| *error <= ACCURACY) / all,
        ),
        Row::new(
            "errors above 2 % where the estimate is below 2 %",
            "",
            count(|(error, estimate)| *estimate <= ACCURACY && *error > ACCURACY),
            0.0,
            0.0,
        ),
        Row::at_least("limit of the time of a chain over the longest one", "", LONGEST / longest, 1.0),
    ]
}

/// Errors of force and duration; NaN where nothing is expected.
fn errors_of(hit: &Hit, found: &Found) -> [f64; 2] {
    let expected = match hit.expected {
        Expected::Resolved(figures) => figures,
        Expected::Open | Expected::Refused(_) => [f64::NAN; 2],
    };
    [0, 1].map(|k| found.figures[k] / expected[k] - 1.0)
}

fn table(hits: &[Hit], ended: &[Ended]) -> Table {
    let header = vec![
        "part and place",
        "force [N]",
        "error [%]",
        "estimate [%]",
        "duration [µs]",
        "error [%]",
        "estimate [%]",
        "Hertz' force [%]",
        "dofs",
        "repeats",
        "CPU [s]",
        "wall [s]",
    ];
    let row = |(hit, ended): (&Hit, &Ended)| {
        let mut row = vec![hit.spot.name.clone()];
        match ended {
            Ended::Refused(why) => {
                row.push(format!("refused: {}", why.replace('\n', " ")));
                row.resize(header.len(), String::new());
            }
            Ended::Impact(found) => {
                let errors = errors_of(hit, found).map(|error| {
                    if error.is_finite() { format!("{:+.2}", 100.0 * error) } else { String::new() }
                });
                row.extend([
                    format!("{:.1}", found.figures[0]),
                    errors[0].clone(),
                    format!("{:.2}", 100.0 * found.estimates[0]),
                    format!("{:.2}", 1e6 * found.figures[1]),
                    errors[1].clone(),
                    format!("{:.2}", 100.0 * found.estimates[1]),
                    format!("{:+.1}", 100.0 * (found.hertz / found.figures[0] - 1.0)),
                    found.dofs.to_string(),
                    found.repeats.to_string(),
                    format!("{:.0}", found.cpu_seconds),
                    format!("{:.0}", found.seconds),
                ]);
            }
        }
        row
    };
    let rows = hits.iter().zip(ended).map(row).collect();
    Table { header: header.clone(), rows }
}

fn plot(hits: &[Hit], ended: &[Ended]) -> Plot {
    let plot = Plot::new(
        "A ball on parts that nobody prepared",
        Axis::new("estimate, %", "").logarithmic(),
        Axis::new("error, %", "").logarithmic(),
    );
    let of = |k: usize| -> (Vec<f64>, Vec<f64>) {
        let pairs = impacts(hits, ended);
        let pairs = pairs.map(|(hit, found)| (found.estimates[k], errors_of(hit, found)[k].abs()));
        pairs.filter(|(_, error)| error.is_finite()).map(|(x, y)| (100.0 * x, 100.0 * y)).unzip()
    };
    let (force, duration) = (of(0), of(1));
    let estimates = force.0.iter().chain(&duration.0).copied();
    let [low, high] =
        estimates.fold([f64::INFINITY, 0.0], |[low, high]: [f64; 2], x| [low.min(x), high.max(x)]);
    plot.with(Series::line("force", force.0, force.1).styled(Style::Markers))
        .with(Series::line("duration", duration.0, duration.1).styled(Style::Markers))
        .with(Series::line("error = estimate", vec![low, high], vec![low, high]).colored(Color::INK))
}

/// The same places with cells that resolve the contact.
pub(crate) fn own_parts_resolved(bench: &Bench<'_>) -> Result<Outcome, BenchError> {
    let header =
        vec!["part and place", "dofs", "interface dofs", "force [N]", "duration [µs]", "CPU of the run [s]"];
    let mut outcome = Outcome { table: Table { header, rows: Vec::new() }, ..Outcome::default() };
    for Hit { spot, expected, .. } in &all_hits()? {
        let Expected::Resolved(expected) = expected else { continue };
        bench.progress.note(&spot.name);
        let found = match resolved::run(bench, spot, resolved::CELLS) {
            Err(BenchError::Prepare(error)) => {
                outcome.rows.push(Row::at_least(format!("{}: {error}", spot.name), "", 0.0, 1.0));
                continue;
            }
            found => found?,
        };
        for (k, (figure, unit)) in [("force", "N"), ("duration", "s")].into_iter().enumerate() {
            let what = format!("{}: {figure}", spot.name);
            outcome.rows.push(Row::new(what, unit, expected[k], found.figures[k], CLAIM));
        }
        outcome.table.rows.push(vec![
            spot.name.clone(),
            found.dofs.to_string(),
            found.interface.to_string(),
            format!("{:.1}", found.figures[0]),
            format!("{:.2}", 1e6 * found.figures[1]),
            format!("{:.1}", found.cpu_seconds),
        ]);
    }
    Ok(outcome)
}
