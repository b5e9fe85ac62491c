//! The head of a report: origin of the result, end of the run, errors of the balances, warnings.

use carom_format::result::NoteLevel;
use carom_report::number::{ZERO, is_round_off, quantity};
use carom_report::{Column, Report, Table, Value};

use super::row;
use crate::{Run, RunError};

/// Origin of the result, end of the run, errors of the balances, warnings.
pub(super) fn summary(report: &mut Report, run: &Run) -> Result<(), RunError> {
    let mut facts = Vec::new();
    let mut fact = |word: &str, what: String| facts.push((word.to_owned(), what));
    if let Some(origin) = run.reader().origin()? {
        fact("date", origin.date);
        fact("command", origin.command);
    }
    fact("program", run.reader().meta("program")?.unwrap_or_default());
    let end = run.times().last().copied().unwrap_or_default();
    fact(
        "run",
        format!(
            "{}, {} frames up to {}",
            run.reader().state()?.word(),
            run.times().len(),
            run.unit_of_time()?.quantity(end, "s", 4)
        ),
    );
    fact(
        "system",
        format!(
            "{}, {}",
            counted(run.header().bodies.len(), "body", "bodies"),
            counted(run.header().pairs.len(), "contact pair", "contact pairs")
        ),
    );
    report.facts(facts);
    for note in run.reader().notes()? {
        match note.level {
            NoteLevel::Warning => report.warning(&format!("Warning: {}", note.text)),
            NoteLevel::Error => report.warning(&format!("Error: {}", note.text)),
            NoteLevel::Note => {}
        }
    }
    balance(report, run)
}

fn counted(n: usize, one: &str, many: &str) -> String {
    format!("{n} {}", if n == 1 { one } else { many })
}

/// Energies and errors of the balances.
fn balance(report: &mut Report, run: &Run) -> Result<(), RunError> {
    let Some(errors) = run.reader().summary()? else { return Ok(()) };
    let mut table = Table::new(vec![
        Column::new("quantity", "quantity", ""),
        Column::new("value", "value", ""),
        Column::new("claim", "claim", ""),
    ]);
    let claim = errors.energy_limit.zip(errors.energy_verdict());
    let claim = claim.map_or_else(String::new, |(limit, verdict)| format!("at most {limit:.0e}: {verdict}"));
    let [energy, momentum, ang_momentum] = errors.errors();
    let error = |error: Option<f64>| match error {
        None => "-".to_owned(),
        Some(error) if is_round_off(error, 1.0) => ZERO.to_owned(),
        Some(error) => quantity(error, "", 2),
    };
    for (name, value, claim) in [
        ("energy at the start", quantity(errors.energy_initial, "J", 4), ""),
        ("energy at the end", quantity(errors.energy_final, "J", 4), ""),
        ("largest relative error of the energy balance", error(energy), claim.as_str()),
        ("largest relative error of linear momentum", error(momentum), ""),
        ("largest relative error of angular momentum", error(ang_momentum), ""),
    ] {
        row(&mut table, vec![name.into(), Value::Text(value), claim.into()]);
    }
    report.table(
        table,
        "Errors relative to the largest energy and momenta of the run; - if these are zero to round-off.",
    );
    Ok(())
}
