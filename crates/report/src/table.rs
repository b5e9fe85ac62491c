//! Tables: aligned text, CSV, JSON, HTML.

use serde_json::json;
use thiserror::Error;

use crate::html::escape;
use crate::{font, number};

/// One column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column {
    /// Key in JSON: lower case with underscores.
    pub key: String,
    /// Heading.
    pub heading: String,
    /// SI unit of its numbers; empty for texts and plain numbers.
    pub unit: String,
    /// Significant digits shown (CSV and JSON have all).
    pub digits: usize,
}

impl Column {
    /// A column of numbers with five significant digits, or of texts.
    pub fn new(key: &str, heading: &str, unit: &str) -> Self {
        Self { key: key.to_owned(), heading: heading.to_owned(), unit: unit.to_owned(), digits: 5 }
    }

    /// The same with another number of significant digits.
    pub fn digits(self, digits: usize) -> Self {
        Self { digits, ..self }
    }

    fn title(&self) -> String {
        if self.unit.is_empty() { self.heading.clone() } else { format!("{} [{}]", self.heading, self.unit) }
    }
}

/// One entry.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// Nothing to say.
    Empty,
    /// No number, and the word for it, which CSV and JSON leave out.
    Lacking(&'static str),
    /// Words.
    Text(String),
    /// A count.
    Integer(i64),
    /// A number in the unit of its column.
    Number(f64),
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<f64> for Value {
    fn from(number: f64) -> Self {
        Self::Number(number)
    }
}

impl From<Option<f64>> for Value {
    fn from(number: Option<f64>) -> Self {
        number.map_or(Self::Empty, Self::Number)
    }
}

/// A row that does not fit its table.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("a row of {found} entries does not fit a table of {needed} columns")]
pub struct RowError {
    /// Entries of the row.
    pub found: usize,
    /// Columns of the table.
    pub needed: usize,
}

/// Rows of values under columns.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Table {
    /// Columns.
    pub columns: Vec<Column>,
    rows: Vec<Vec<Value>>,
}

impl Table {
    /// A table without rows.
    pub fn new(columns: Vec<Column>) -> Self {
        Self { columns, rows: Vec::new() }
    }

    /// Adds a row.
    ///
    /// # Errors
    ///
    /// [`RowError`] if it has not one entry for each column.
    pub fn push(&mut self, row: Vec<Value>) -> Result<(), RowError> {
        if row.len() != self.columns.len() {
            return Err(RowError { found: row.len(), needed: self.columns.len() });
        }
        self.rows.push(row);
        Ok(())
    }

    /// The rows.
    pub fn rows(&self) -> &[Vec<Value>] {
        &self.rows
    }

    /// Columns aligned with blanks, for a terminal.
    pub fn to_text(&self) -> String {
        let titles = self.columns.iter().map(Column::title).collect();
        let body = self.rows.iter().map(|row| self.shown(row, number::significant));
        let lines: Vec<Vec<String>> = std::iter::once(titles).chain(body).collect();
        let width = |c: usize| lines.iter().map(|line| line[c].chars().count()).max().unwrap_or(0);
        let widths: Vec<usize> = (0..self.columns.len()).map(width).collect();
        let mut text = String::new();
        for line in &lines {
            let cells: Vec<String> = (0..line.len())
                .map(|c| {
                    let (cell, w) = (&line[c], widths[c]);
                    if self.is_text(c) { format!("{cell:<w$}") } else { format!("{cell:>w$}") }
                })
                .collect();
            text += cells.join("  ").trim_end();
            text.push('\n');
        }
        text
    }

    /// Comma-separated values with all digits; the first line has keys and units: `time [s]`.
    pub fn to_csv(&self) -> String {
        let head =
            |c: &Column| if c.unit.is_empty() { c.key.clone() } else { format!("{} [{}]", c.key, c.unit) };
        let cell = |value: &Value| match value {
            Value::Empty | Value::Lacking(_) => String::new(),
            Value::Text(text) => quoted(text),
            Value::Integer(n) => n.to_string(),
            Value::Number(x) => format!("{x:?}"),
        };
        let mut csv = self.columns.iter().map(|c| quoted(&head(c))).collect::<Vec<_>>().join(",") + "\n";
        for row in &self.rows {
            csv += &(row.iter().map(cell).collect::<Vec<_>>().join(",") + "\n");
        }
        csv
    }

    /// An array of one object a row, by key; numbers that are not finite become null.
    pub fn to_json(&self) -> serde_json::Value {
        let cell = |value: &Value| match value {
            Value::Empty | Value::Lacking(_) => serde_json::Value::Null,
            Value::Text(text) => json!(text),
            Value::Integer(n) => json!(n),
            Value::Number(x) => json!(x),
        };
        let object = |row: &Vec<Value>| {
            let pairs = self.columns.iter().zip(row).map(|(column, value)| (column.key.clone(), cell(value)));
            serde_json::Value::Object(pairs.collect())
        };
        serde_json::Value::Array(self.rows.iter().map(object).collect())
    }

    /// An HTML table.
    pub fn to_html(&self) -> String {
        let class = |c: usize| if self.is_text(c) { "" } else { " class=\"number\"" };
        let line = |cells: Vec<String>, tag: &str| {
            let cells: String = cells
                .iter()
                .enumerate()
                .map(|(c, cell)| format!("<{tag}{}>{}</{tag}>", class(c), escape(cell)))
                .collect();
            format!("<tr>{cells}</tr>\n")
        };
        let head = line(self.columns.iter().map(Column::title).collect(), "th");
        let body: String = self.rows.iter().map(|row| line(self.shown(row, number::pretty), "td")).collect();
        format!("<table>\n<thead>{head}</thead>\n<tbody>\n{body}</tbody>\n</table>\n")
    }

    fn shown(&self, row: &[Value], format: fn(f64, usize) -> String) -> Vec<String> {
        let cell = |(value, column): (&Value, &Column)| match value {
            Value::Empty => "–".to_owned(),
            Value::Lacking(word) => (*word).to_owned(),
            Value::Text(text) => text.clone(),
            Value::Integer(n) => n.to_string(),
            Value::Number(x) => format(*x, column.digits),
        };
        row.iter().zip(&self.columns).map(cell).collect()
    }

    fn is_text(&self, column: usize) -> bool {
        self.rows.iter().any(|row| matches!(row[column], Value::Text(_)))
    }

    /// Width that the text form takes in the built-in font \[px\], for callers that lay tables into drawings.
    pub fn text_width(&self, size: f64) -> f64 {
        self.to_text().lines().map(|line| font::width(line, size, false)).fold(0.0, f64::max)
    }
}

/// A CSV field, quoted if it has to be (RFC 4180).
fn quoted(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn contacts() -> Table {
        let columns =
            vec![Column::new("pair", "pair", ""), Column::new("peak_force", "peak force", "N").digits(4)];
        let mut table = Table::new(columns);
        table.push(vec!["ball/rod, end".into(), 776.063_412_5.into()]).unwrap();
        table.push(vec!["rod <b>".into(), Value::Empty]).unwrap();
        table
    }

    #[test]
    fn text_is_aligned() {
        assert_eq!(
            contacts().to_text(),
            "pair           peak force [N]\nball/rod, end           776.1\nrod <b>                     –\n"
        );
    }

    #[test]
    fn csv_and_json_keep_all_digits() {
        assert_eq!(contacts().to_csv(), "pair,peak_force [N]\n\"ball/rod, end\",776.0634125\nrod <b>,\n");
        assert_eq!(contacts().to_json()[0]["peak_force"], 776.063_412_5);
        assert!(contacts().to_json()[1]["peak_force"].is_null());
    }

    #[test]
    fn a_word_in_place_of_a_number_is_for_people_alone() {
        let mut table = contacts();
        table.push(vec!["a".into(), Value::Lacking("lasting")]).unwrap();
        assert!(table.to_text().ends_with("\na                     lasting\n"), "{}", table.to_text());
        assert!(table.to_csv().ends_with("\na,\n") && table.to_json()[2]["peak_force"].is_null());
    }

    #[test]
    fn html_is_escaped() {
        assert!(contacts().to_html().contains("<td>rod &lt;b&gt;</td>"));
    }

    #[test]
    fn a_short_row_is_refused() {
        let error = contacts().push(vec![Value::Empty]).unwrap_err();
        assert_eq!(error.to_string(), "a row of 1 entries does not fit a table of 2 columns");
    }
}
