//! The verification report as Markdown.

use std::fmt::Write as _;

use carom_report::number::significant;

use crate::{Case, Outcome, Row, Table};

/// The report of some cases: a heading, what is done, a table and the pictures of each.
///
/// * `machine` — what it ran on
/// * `pictures` — folder of the pictures, relative to the report
pub fn markdown(cases: &[(Case, Outcome)], machine: &str, pictures: &str) -> String {
    let title = match cases {
        [(case, _)] => case.title,
        _ => "Verification report",
    };
    let mut text = format!(
        "# {title}\n\nWritten by `cargo run --release -p carom-verification` (with the names of cases and `--output` for \
         some of them); do not edit. The same runs are tests: `cargo test --release -p carom-verification -- --ignored`.\n\n",
    );
    let mut line = |words: &str| text.push_str(words);
    line(&format!(
        "Run on {machine}. Deviations are relative; where 0 is expected, they are the value itself.\n"
    ));
    for (case, outcome) in cases {
        if cases.len() > 1 {
            line(&format!("\n## {}\n", case.title));
        }
        line(&format!("\n{}\n\n", case.about));
        line("| figure | measured | expected | deviation | claim | |\n|---|---|---|---|---|---|\n");
        for row in &outcome.rows {
            line(&table_row(row));
        }
        line(&table(&outcome.table));
        for (name, _, caption) in &outcome.pictures {
            line(&format!("\n![{caption}]({pictures}/{name}.svg)\n\n{caption}\n"));
        }
        line(&format!("\n`carom-verify {}`\n", case.name));
    }
    text
}

/// A table in Markdown; nothing of one without columns.
pub fn table(table: &Table) -> String {
    let Table { header, rows } = table;
    if header.is_empty() {
        return String::new();
    }
    let mut text = format!("\n| {} |\n|---|{}\n", header.join(" | "), "---:|".repeat(header.len() - 1));
    for row in rows {
        writeln!(text, "| {} |", row.join(" | ")).expect("a string takes all");
    }
    text
}

fn table_row(row: &Row) -> String {
    let Row { what, unit, measured, expected, tolerance } = row;
    let mut text = format!("| {what} | {} {unit} |", significant(*measured, 5));
    match (expected, row.deviation()) {
        (Some(expected), Some(deviation)) => {
            let holds = if row.holds() { "holds" } else { "**missed**" };
            write!(
                text,
                " {} {unit} | {} | {} | {holds} |",
                significant(*expected, 5),
                significant(deviation, 2),
                significant(*tolerance, 2)
            )
            .expect("a string takes all");
        }
        _ => text.push_str(" | | | |"),
    }
    text.push('\n');
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missed_claim_is_said() {
        let held = Row::new("a", "N", 1.009, 1.0, 0.01);
        let missed = Row::new("b", "N", 1.011, 1.0, 0.01);
        assert!(held.holds() && table_row(&held).contains("holds"));
        assert!(!missed.holds() && table_row(&missed).contains("missed"));
        assert!(!Row::new("c", "", f64::NAN, 0.0, 1.0).holds());
        assert!(!Row::shown("d", "s", f64::NAN).holds());
    }
}
