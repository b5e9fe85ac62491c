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

use super::drawn::{BALL, SPEED, Spot};
use super::own_parts::{Expected, Hit, all_hits};
use super::{GAP, inverse_mass, modulus};
use crate::{Bench, BenchError, Outcome, Row, Table};

/// Longest wall time of a chain \[s\].
const LONGEST: f64 = 150.0;

/// Duration of an impact by Hertz' theory over depth and speed.
const HERTZ_DURATION: f64 = 2.943_275_2;

/// Least share of forces and durations within their estimates.
const WITHIN: f64 = 0.95;

/// Accuracy that scenarios ask for where they name none.
const ACCURACY: f64 = 0.02;

/// Figures of an impact.
struct Found {
    /// Force \[N\] and duration \[s\].
    figures: [f64; 2],
    estimates: [f64; 2],
    /// Those of Hertz' theory with the effective mass of the rigid bodies.
    hertz: [f64; 2],
    dofs: usize,
    repeats: usize,
    cpu_seconds: f64,
    seconds: f64,
}

/// What became of an impact.
enum Ended {
    Impact(Found),
    /// The program refuses it: its error.
    Refused(String),
}

/// The scenario as a user would write it.
fn scenario(hit: &Hit, file: &str) -> String {
    let center = hit.ball.unwrap_or_else(|| {
        (Vector3::from(hit.spot.place) + (BALL + GAP) * Vector3::from(hit.spot.normal)).into()
    });
    let velocity = (-SPEED * Vector3::from(hit.spot.normal)).map(|v| if v == 0.0 { 0.0 } else { v });
    let of = |x: [f64; 3]| format!("[{:e}, {:e}, {:e}]", x[0], x[1], x[2]);
    format!(
        "[[body]]\nname = \"ball\"\nmake = {}\nmaterial = \"steel\"\nposition = {}\nvelocity = {}\n\
         [[body]]\nname = \"part\"\nfile = \"{file}\"\nmaterial = \"steel\"\n\
         [[contact]]\nbetween = [\"ball\", \"part\"]\nlaw = {{ kind = \"lagrange\" }}\n",
        hit.make(),
        of(center),
        of(velocity.into()),
    )
}

/// Cost of a chain, kept beside its folder: a chain that is up to date has that of the run that made it.
#[derive(Clone, Copy)]
struct Cost {
    cpu_seconds: f64,
    seconds: f64,
    repeats: usize,
}

impl Cost {
    /// * `new` — of this call
    /// * `summary` — its JSON object
    fn kept(bench: &Bench<'_>, name: &str, new: Self, summary: &Value) -> Result<Self, BenchError> {
        let file = format!("{name}.cost.json");
        let path = bench.folder.join(&file);
        let known = std::fs::read_to_string(&path).ok();
        let known = known.and_then(|text| serde_json::from_str::<[f64; 3]>(&text).ok());
        let phases = summary["phases"].as_array().map(Vec::as_slice).unwrap_or_default();
        match known {
            Some([cpu_seconds, seconds, repeats]) if phases.iter().all(|phase| phase["did"] != "made") => {
                Ok(Self { cpu_seconds, seconds, repeats: repeats as usize })
            }
            _ => {
                bench.place(&file, format!("[{}, {}, {}]", new.cpu_seconds, new.seconds, new.repeats))?;
                Ok(new)
            }
        }
    }
}

/// Runs the chain by the program `carom`.
fn run(bench: &Bench<'_>, program: &Path, hit: &Hit) -> Result<Ended, BenchError> {
    let name = format!("own-{}", hit.spot.name.replace([' ', ','], "-"));
    let file = format!("{name}.geo");
    for (file, text) in
        [(file.clone(), hit.spot.script.clone()), (format!("{name}.toml"), scenario(hit, &file))]
    {
        // The chain sees by their times whether files have changed.
        if std::fs::read_to_string(bench.folder.join(&file)).ok().as_ref() != Some(&text) {
            bench.place(&file, text)?;
        }
    }
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
    let Cost { cpu_seconds, seconds, repeats } =
        Cost::kept(bench, &name, Cost { cpu_seconds, seconds, repeats }, &summary)?;
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

/// Force \[N\] and duration \[s\] by Hertz' theory: F = K d^(3/2), ½ m v² = ⅖ K d^(5/2).
fn hertz(run: &Run, hit: &Hit) -> Result<[f64; 2], BenchError> {
    let models = run.header().bodies.iter().map(|body| carom_format::read_rom(body.rom_path.as_ref()));
    let models = models.collect::<Result<Vec<_>, _>>()?;
    let (place, normal) = (Vector3::from(hit.spot.place), Vector3::from(hit.spot.normal));
    let inverse: f64 = [-BALL * normal, place]
        .iter()
        .zip(&models)
        .map(|(at, model)| inverse_mass(&model.reduced, at, &normal))
        .sum();
    let curvatures = hit.curvatures.map(|curvature| curvature + 1.0 / BALL);
    let Some(unit) = hertz_ellipse(modulus(), curvatures, 1.0) else { return Ok([f64::NAN; 2]) };
    let stiffness = unit.approach.powf(-1.5);
    let depth = (1.25 * SPEED * SPEED / (inverse * stiffness)).powf(0.4);
    Ok([stiffness * depth.powf(1.5), HERTZ_DURATION * depth / SPEED])
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
        bench.progress.note(hit.spot.name);
        ended.push(run(bench, &program, hit)?);
    }
    let mut outcome = Outcome { table: table(&hits, &ended), ..Outcome::default() };
    let mut errors: Vec<(f64, f64)> = Vec::new();
    let mut of_impact = Vec::new();
    let mut longest: f64 = 0.0;
    for (hit, ended) in hits.iter().zip(&ended) {
        let is_right = match (ended, &hit.expected) {
            (Ended::Refused(why), Expected::Refused(words)) => why.contains(words),
            (Ended::Impact(_), Expected::Refused(_)) => false,
            (Ended::Impact(found), _) => {
                let own = errors_of(hit, found);
                let pairs = own.into_iter().zip(found.estimates).filter(|(error, _)| error.is_finite());
                pairs.for_each(|(error, estimate)| errors.push((error.abs(), estimate)));
                of_impact.push((own, found));
                longest = longest.max(found.seconds);
                true
            }
            (Ended::Refused(_), _) => false,
        };
        if !is_right {
            outcome.rows.push(Row::at_least(format!("{}: ends as expected", hit.spot.name), "", 0.0, 1.0));
        }
    }
    let share = |count: usize| count as f64 / errors.len().max(1) as f64;
    let within = errors.iter().filter(|(error, estimate)| error <= estimate).count();
    let accurate = errors.iter().filter(|(error, _)| *error <= ACCURACY).count();
    let sure = errors.iter().filter(|(error, estimate)| *estimate <= ACCURACY && *error > ACCURACY).count();
    outcome.rows.extend([
        Row::shown("impacts with an expected force", "", errors.len() as f64 / 2.0),
        Row::at_least("share of forces and durations within their estimates", "", share(within), WITHIN),
        Row::shown("share of forces and durations within 2 %", "", share(accurate)),
        Row::new("errors above 2 % where the estimate is below 2 %", "", sure as f64, 0.0, 0.0),
        Row::at_least("longest chain, its limit over its wall time", "", LONGEST / longest, 1.0),
    ]);
    let caption =
        "Largest force of a ball on parts that nobody prepared: error over the estimate of the run.";
    outcome.pictures.push(("own-parts".to_owned(), plot(&of_impact).draw(), caption.to_owned()));
    Ok(outcome)
}

/// Errors of force and duration; NaN where nothing is expected.
fn errors_of(hit: &Hit, found: &Found) -> [f64; 2] {
    let expected = match hit.expected {
        Expected::Resolved(figures) => figures,
        Expected::Hertz => found.hertz,
        Expected::Open | Expected::Refused(_) => [f64::NAN; 2],
    };
    [0, 1].map(|k| found.figures[k] / expected[k] - 1.0)
}

fn table(hits: &[Hit], ended: &[Ended]) -> Table {
    let header = vec![
        "part and place",
        "beside",
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
        let mut row = vec![hit.spot.name.to_owned(), hit.expected.name().to_owned()];
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
                    format!("{:+.1}", 100.0 * (found.hertz[0] / found.figures[0] - 1.0)),
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

fn plot(impacts: &[([f64; 2], &Found)]) -> Plot {
    let plot = Plot::new(
        "A ball on parts that nobody prepared",
        Axis::new("estimate, %", "").logarithmic(),
        Axis::new("error, %", "").logarithmic(),
    );
    let of = |k: usize| -> (Vec<f64>, Vec<f64>) {
        let pairs = impacts.iter().map(|(errors, found)| (found.estimates[k], errors[k].abs()));
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

impl Spot {
    /// A place on a part of a script of the gallery.
    ///
    /// * `size` — of the cells of a resolved impact away from the place \[m\]
    pub(super) fn of(name: &'static str, script: &str, place: [f64; 3], normal: [f64; 3], size: f64) -> Self {
        Self { name, script: script.to_owned(), place, normal, size }
    }
}
