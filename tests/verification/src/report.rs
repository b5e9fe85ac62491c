//! The verification report as Markdown.

use std::fmt::Write as _;

use carom_report::number::significant;

use crate::{Case, Outcome, Row, Table};

/// Text before the sections of a report.
const PREFACE: &str = "Written by `cargo run --release -p carom-verification`, with the names of cases and \
    `--output` for the sections of \
                       these alone; do not edit. The same runs are tests: `cargo test --release -p \
                       carom-verification -- --ignored`. \
                       Deviations are relative; where 0 is expected, they are the value itself.";

/// Text that identifies a report.
const MARK: &str = "Written by `cargo run --release -p carom-verification`";

/// The sections of a report by their titles, one for each case.
#[derive(Debug, Clone, Default)]
pub struct Report {
    sections: Vec<(String, String)>,
}

impl Report {
    /// The sections of an existing report; none for another text.
    pub fn parse(text: &str) -> Option<Self> {
        if text.is_empty() {
            return Some(Self::default());
        }
        let (title, rest) = text.strip_prefix("# ")?.split_once('\n')?;
        if !rest.trim_start().starts_with(MARK) {
            return None;
        }
        let own = |(title, body): (&str, &str)| (title.to_owned(), body.trim().to_owned());
        let sections: Vec<_> =
            rest.split("\n## ").skip(1).filter_map(|section| section.split_once('\n')).map(own).collect();
        if !sections.is_empty() {
            return Some(Self { sections });
        }
        // A report of one case has only the heading of the report; the case follows its preface.
        let body = rest.trim_start().split_once("\n\n").map(|(_, body)| own((title, body)));
        Some(Self { sections: body.into_iter().collect() })
    }

    /// Writes the section of a case, in place of an earlier one.
    ///
    /// * `machine` — description of the machine
    /// * `pictures` — folder of the pictures, relative to the report
    pub fn put(&mut self, case: &Case, outcome: &Outcome, machine: &str, pictures: &str) {
        let body = section(case, outcome, machine, pictures);
        match self.sections.iter_mut().find(|(title, _)| title == case.title) {
            Some((_, old)) => *old = body,
            None => self.sections.push((case.title.to_owned(), body)),
        }
    }

    /// The report with its sections in the order of `cases`; sections without a case are dropped.
    pub fn to_markdown(&self, cases: &[Case]) -> String {
        let of = |case: &Case| self.sections.iter().find(|(title, _)| title == case.title);
        let sections: Vec<_> = cases.iter().filter_map(of).collect();
        if let [(title, body)] = &sections[..] {
            return format!("# {title}\n\n{PREFACE}\n\n{body}\n");
        }
        let mut text = format!("# Verification report\n\n{PREFACE}\n");
        for (title, body) in sections {
            writeln!(text, "\n## {title}\n\n{body}").expect("a string takes all");
        }
        text
    }
}

/// Description, table and pictures of a case.
fn section(case: &Case, outcome: &Outcome, machine: &str, pictures: &str) -> String {
    let mut text = format!("{}\n\n", case.about);
    text.push_str("| figure | measured | expected | deviation | claim | |\n|---|---|---|---|---|---|\n");
    text.extend(outcome.rows.iter().map(table_row));
    text.push_str(&table(&outcome.table));
    for (name, _, caption) in &outcome.pictures {
        write!(text, "\n![{caption}]({pictures}/{name}.svg)\n\n{caption}\n").expect("a string takes all");
    }
    write!(text, "\n`carom-verify {}`, run on {machine}.", case.name).expect("a string takes all");
    text
}

/// A table in Markdown; empty for one without columns.
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
    let Row { what, unit, measured, expected, tolerance, is_bound } = row;
    let mut text = format!("| {what} | {} {unit} |", significant(*measured, 5));
    match (expected, row.deviation()) {
        (Some(expected), Some(deviation)) => {
            let claim = if *is_bound { "at least".to_owned() } else { significant(*tolerance, 2) };
            let holds = if row.holds() { "holds" } else { "**missed**" };
            write!(
                text,
                " {} {unit} | {} | {claim} | {holds} |",
                significant(*expected, 5),
                significant(deviation, 2)
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

    fn case(name: &'static str, title: &'static str) -> Case {
        Case { name, title, about: "What is done.", run: |_| Ok(Outcome::default()) }
    }

    fn found(measured: f64) -> Outcome {
        Outcome { rows: vec![Row::new("force", "N", measured, 1.0, 0.01)], ..Outcome::default() }
    }

    /// Sections written one by one in any order give the report of all cases; a new section replaces only the
    /// old one.
    #[test]
    fn sections_are_replaced_one_by_one() {
        let cases = [case("one", "First"), case("two", "Second"), case("three", "Third")];
        let mut all = Report::default();
        for (k, case) in cases.iter().enumerate() {
            all.put(case, &found(1.0 + k as f64), "a machine", "pictures");
        }
        let whole = all.to_markdown(&cases);
        assert_eq!(Report::parse(&whole).unwrap().to_markdown(&cases), whole);
        assert!(PREFACE.starts_with(MARK) && Report::parse("# Notes\n\nMine.\n").is_none());

        let mut text = String::new();
        for k in [2, 0, 1] {
            let mut report = Report::parse(&text).unwrap();
            report.put(&cases[k], &found(1.0 + k as f64), "a machine", "pictures");
            text = report.to_markdown(&cases);
        }
        assert_eq!(text, whole);

        let mut report = Report::parse(&text).unwrap();
        report.put(&cases[1], &found(7.0), "another", "pictures");
        let changed = report.to_markdown(&cases);
        let differs: Vec<&str> = changed.lines().filter(|line| !whole.contains(line)).collect();
        assert_eq!(differs.len(), 2, "{differs:?}");
        assert!(differs[0].contains("7.0000 N") && differs[1].contains("another"), "{differs:?}");
    }

    #[test]
    fn a_missed_claim_is_reported() {
        let held = Row::new("a", "N", 1.009, 1.0, 0.01);
        let missed = Row::new("b", "N", 1.011, 1.0, 0.01);
        assert!(held.holds() && table_row(&held).contains("holds"));
        assert!(!missed.holds() && table_row(&missed).contains("missed"));
        assert!(!Row::new("c", "", f64::NAN, 0.0, 1.0).holds());
        assert!(!Row::shown("d", "s", f64::NAN).holds());
    }
}
