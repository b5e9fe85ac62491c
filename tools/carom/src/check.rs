//! `carom check`: validates a scenario and reports the steps that `carom run` would execute.

use std::path::Path;

use carom_cli::{Failure, Session};
use carom_cost::Span;
use carom_format::Scenario;
use carom_report::{Column, Table, Value as CellValue};
use carom_simulate::{
    Choice, CostOfBody, CostOfRun, Costs, Standing as BodyStanding, Survey, SurveyedBody, choice_sentences,
    survey,
};
use carom_solve::{failed, read_scenario};
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::args::{ChainArgs, CheckArgs};
use crate::folder::Layout;
use crate::pictures::{export_source, report_source};
use crate::solution::{self, Standing};
use crate::stamp::{self, Stamp, identity};

/// The JSON object of `carom check`.
#[derive(Serialize)]
struct Checked<'a> {
    scenario: &'a Path,
    valid: bool,
    problems: Vec<String>,
    /// Properties that are known only after meshing.
    not_checked: &'a [String],
    /// Warnings about implausible values.
    warnings: &'a [String],
    /// Values that a run would choose because the scenario leaves them open.
    choices: &'a [Choice],
    /// Properties of the model that a run would report too.
    remarks: &'a [String],
    folder: &'a Path,
    bodies: Vec<Body>,
    stages: Vec<Stage>,
    /// Size of the result in bytes, of schemes whose bodies are unreduced and move through time.
    #[serde(skip_serializing_if = "Option::is_none")]
    result_bytes: Option<u64>,
    #[serde(skip)]
    result_size: Option<String>,
    /// Time and memory of models and run on this machine, with one thread.
    #[serde(skip_serializing_if = "Option::is_none")]
    costs: Option<Value>,
    #[serde(skip)]
    cost_text: Option<String>,
}

#[derive(Serialize)]
struct Body {
    name: String,
    body: &'static str,
    model: &'static str,
    sets: Option<Vec<String>>,
}

#[derive(Serialize)]
struct Stage {
    name: &'static str,
    would: String,
}

/// Validates a scenario and reports the steps of a run; writes nothing.
pub(crate) fn check(
    CheckArgs { explain, chain: args }: &CheckArgs,
    session: &Session,
) -> Result<(), Failure> {
    let layout = Layout::of(args);
    let changes = args.overrides()?;
    let given = read_scenario(&args.scenario, &changes)?;
    // A run that was repeated is up to date with its changes.
    let origin = stamp::origin(&given, &args.scenario);
    let repeated = Stamp::read(&layout.stamp)?.repeated_of(&origin);
    let overrides = [changes, repeated.changes()].concat();
    let scenario = read_scenario(&args.scenario, &overrides)?;
    let workshop = layout.workshop(&args.scenario);
    let survey = survey(&scenario, workshop, session.progress());
    let scenario = survey.completed.clone().unwrap_or(scenario);
    let stages = stages(args, &scenario, &survey, &layout)?;
    survey.warnings.iter().for_each(|warning| session.warn(warning));
    let problems: Vec<Failure> =
        survey.problems.into_iter().map(|problem| failed(&args.scenario, &overrides, problem)).collect();
    let checked = Checked {
        scenario: &args.scenario,
        valid: problems.is_empty(),
        problems: problems.iter().map(ToString::to_string).collect(),
        not_checked: &survey.not_checked,
        warnings: &survey.warnings,
        choices: &survey.choices,
        remarks: &survey.remarks,
        folder: &layout.root,
        bodies: survey.bodies.iter().map(body).collect(),
        stages,
        result_bytes: survey.result_size.map(|size| size.file),
        result_size: survey.result_size.map(|size| size.text()),
        cost_text: survey.costs.as_ref().map(Costs::text),
        costs: survey.costs.as_ref().map(costs),
    };
    if checked.valid {
        session.print(&text(&checked))?;
        if *explain {
            let known = match checked.not_checked.is_empty() {
                true => "all values",
                false => "the values that are known before meshing",
            };
            let scenario = scenario.to_toml();
            session.print(&format!("\nthe scenario with {known}:\n\n{}", scenario.trim_end()))?;
        }
    }
    session.print_json("carom check 1", &checked)?;
    refuse(problems)?;
    if args.strict { session.refuse_warnings() } else { Ok(()) }
}

/// All problems as one failure, in the category of the first.
fn refuse(problems: Vec<Failure>) -> Result<(), Failure> {
    let list: Vec<String> = problems.iter().map(|problem| format!("- {problem}")).collect();
    let mut found = problems.into_iter();
    match (found.next(), list.len()) {
        (None, _) => Ok(()),
        (Some(only), 1) => Err(only),
        (Some(first), n) => {
            Err(Failure::new(first.category(), format!("{n} problems:\n{}", list.join("\n"))))
        }
    }
}

fn body(surveyed: &SurveyedBody) -> Body {
    Body {
        name: surveyed.name.clone(),
        body: word(surveyed.body),
        model: word(surveyed.model),
        sets: surveyed.sets.clone(),
    }
}

fn word(standing: BodyStanding) -> &'static str {
    match standing {
        BodyStanding::NotNeeded => "not needed",
        BodyStanding::Given => "given",
        BodyStanding::UpToDate => "up to date",
        BodyStanding::ToMake => "to be made",
    }
}

/// The steps after the bodies.
fn stages(
    args: &ChainArgs,
    scenario: &Scenario,
    survey: &Survey,
    layout: &Layout,
) -> Result<Vec<Stage>, Failure> {
    let stamp = Stamp::read(&layout.stamp)?;
    let solution = solution(args, scenario, survey, layout, &stamp)?;
    let is_solved = solution == "up to date";
    let mut stages = vec![Stage { name: "solution", would: solution }];
    for name in ["export", "plots", "report"] {
        let up_to_date = is_solved && {
            let from = match name {
                "export" => export_source(&layout.result, &scenario.output.pictures())?,
                "report" => report_source(&layout.result, &scenario.output.pictures())?,
                _ => identity(&layout.result)?,
            };
            stamp.up_to_date(name, &from, &layout.root).is_some()
        };
        let would = if up_to_date { "up to date" } else { "to be made" };
        stages.push(Stage { name, would: would.to_owned() });
    }
    Ok(stages)
}

fn solution(
    args: &ChainArgs,
    scenario: &Scenario,
    survey: &Survey,
    layout: &Layout,
    stamp: &Stamp,
) -> Result<String, Failure> {
    if !layout.result.exists() {
        return Ok("to be made".to_owned());
    }
    // A missing checksum means that a body or model will be made: then nothing is up to date.
    let checksums: Vec<[String; 2]> = survey
        .bodies
        .iter()
        .map(|body| {
            [&body.body_checksum, &body.rom_checksum].map(|c| c.clone().unwrap_or("to be made".to_owned()))
        })
        .collect();
    let standing = match solution::standing(&layout.result, scenario, Some(&checksums)) {
        Ok(_) | Err(_) if args.force => Standing::Other("--force replaces it"),
        Ok(standing) => standing,
        Err(error) => return Err(solution::unreadable(error)),
    };
    solution::refuse_foreign(&standing, layout, stamp, args.force)?;
    Ok(match standing {
        Standing::Missing => "to be made".to_owned(),
        Standing::UpToDate => "up to date".to_owned(),
        Standing::Stopped(time) => format!("to be continued from t = {time:.6e} s"),
        Standing::Other(why) => format!("to be made again: {why}"),
    })
}

/// The object `costs`.
fn costs(costs: &Costs) -> Value {
    let span = |span: &Span| json!({ "low": span.low, "expected": span.expected, "high": span.high });
    let body = |of: &CostOfBody| {
        let [interface, modes, places] = of.columns;
        let phases: Map<String, Value> = of.phases.iter().map(|(k, s)| ((*k).to_owned(), json!(s))).collect();
        json!({
            "name": of.name, "dofs": of.dofs, "interface_dofs": interface, "modes": modes, "places": places,
            "factor_nonzeros": of.factor[0], "factor_flops": of.factor[1], "cpu_seconds": span(&of.seconds),
            "cpu_seconds_of_repeat": of.of_repeat, "phases": phases,
            "memory_bytes": of.bytes, "file_bytes": of.file_bytes,
        })
    };
    let run = |of: &CostOfRun| {
        let piece = |(name, count, each): &(&str, Span, f64)| {
            let count = span(count);
            json!({ "name": name, "count": count, "cpu_seconds_each": each })
        };
        json!({
            "cpu_seconds": span(&of.seconds), "work": of.pieces.iter().map(piece).collect::<Vec<_>>(),
            "memory_bytes": of.bytes, "unknown": of.unknown,
        })
    };
    json!({
        "bodies": costs.bodies.iter().map(body).collect::<Vec<_>>(),
        "run": costs.run.as_ref().map(run),
        "cpu_seconds": costs.seconds().as_ref().map(span),
        "memory_bytes": costs.bytes(),
        "machine": {
            "products": costs.machine.products, "sweeps": costs.machine.sweeps,
            "scalars": costs.machine.scalars,
        },
    })
}

fn text(checked: &Checked<'_>) -> String {
    let mut table = Table::new(vec![
        Column::new("what", "", ""),
        Column::new("of", "", ""),
        Column::new("would", "", ""),
    ]);
    let mut push = |what: &str, of: &str, would: &str| {
        let row = [what, of, would].map(|text| CellValue::Text(text.to_owned())).to_vec();
        table.push(row).expect("the row was made with the columns");
    };
    for body in &checked.bodies {
        push("body", &body.name, body.body);
        push("model", &body.name, body.model);
    }
    for stage in &checked.stages {
        push(stage.name, "", &stage.would);
    }
    let scenario = checked.scenario.display();
    let verdict = if checked.not_checked.is_empty() {
        format!("{scenario} is valid")
    } else {
        let list: Vec<String> = checked.not_checked.iter().map(|what| format!("- {what}")).collect();
        format!("{scenario}: no error was found; not checked:\n{}", list.join("\n"))
    };
    let mut out = format!("{verdict}\n\n{}\n", table.to_text().trim());
    for body in &checked.bodies {
        let sets = body.sets.as_ref().map_or_else(
            || "known once Gmsh has meshed it".to_owned(),
            |sets| if sets.is_empty() { "none".to_owned() } else { sets.join(", ") },
        );
        out.push_str(&format!("\nsets of {}: {sets}", body.name));
    }
    if !checked.choices.is_empty() {
        out.push_str("\n\nchosen, as the scenario leaves it open:");
        out.extend(choice_sentences(checked.choices).iter().map(|sentence| format!("\n- {sentence}")));
    }
    for remark in checked.remarks {
        out.push_str(&format!("\n\n{remark}"));
    }
    for text in [&checked.result_size, &checked.cost_text].into_iter().flatten() {
        out.push_str(&format!("\n\n{text}"));
    }
    out.push_str(&format!("\n\ncarom run {} -o {}", checked.scenario.display(), checked.folder.display()));
    out
}
