//! Tables: aligned text and HTML for people, CSV and JSON with all digits for programs.

use serde_json::json;
use thiserror::Error;

use crate::html::escape;
use crate::layout::{Sheet, breakable};
use crate::{Prefix, font, number};

/// One column.
#[derive(Debug, Clone, PartialEq)]
pub struct Column {
    /// Key in JSON: lower case with underscores.
    pub key: String,
    /// Heading.
    pub heading: String,
    /// SI unit of its numbers; empty for texts and plain numbers.
    pub unit: String,
    /// Number of significant digits in text and HTML (CSV and JSON have all).
    pub digits: usize,
    /// Prefix of the unit in text and HTML; by default the prefix for the largest number of all columns of
    /// this unit.
    pub prefix: Option<Prefix>,
    /// Natural scale of its numbers: in text and HTML numbers that are round-off relative to it are shown as
    /// 0.
    pub scale: f64,
}

impl Column {
    /// A column of numbers with four significant digits, or of texts.
    pub fn new(key: &str, heading: &str, unit: &str) -> Self {
        let [key, heading, unit] = [key, heading, unit].map(str::to_owned);
        Self { key, heading, unit, digits: 4, prefix: None, scale: 0.0 }
    }

    /// The same with another number of significant digits.
    pub fn digits(self, digits: usize) -> Self {
        Self { digits, ..self }
    }

    /// The same with this prefix.
    pub fn prefixed(self, prefix: Prefix) -> Self {
        Self { prefix: Some(prefix), ..self }
    }

    /// The same with a natural scale.
    pub fn scaled(self, scale: f64) -> Self {
        Self { scale, ..self }
    }
}

/// One entry.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// An empty cell.
    Empty,
    /// A word instead of a number, which CSV and JSON leave out.
    Lacking(&'static str),
    /// A text.
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
    /// Number of leading columns that name a row: if a table is too wide for its page, each part of it begins
    /// with them.
    pub n_names: usize,
    rows: Vec<Vec<Value>>,
}

/// Characters on a line of a terminal.
pub const LINE: usize = 100;

/// Width of a report, size of the letters of its tables and space between columns \[px\]: those of a window
/// of 900 px. Print is smaller in proportion.
pub(crate) const PAGE: f64 = 860.0;
pub(crate) const LETTERS: f64 = 14.4;
pub(crate) const PADDING: f64 = 14.0;

impl Table {
    /// A table without rows.
    pub fn new(columns: Vec<Column>) -> Self {
        Self { columns, n_names: 1, rows: Vec::new() }
    }

    /// The same with this number of columns that name a row.
    pub fn named_by(self, n_names: usize) -> Self {
        Self { n_names, ..self }
    }

    /// Adds a row.
    ///
    /// # Errors
    ///
    /// [`RowError`] unless it has one entry for each column.
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

    /// Columns aligned with blanks, for a terminal: lines have at most 100 characters; a wider table is
    /// divided.
    pub fn to_text(&self) -> String {
        self.sheet(number::significant).to_text(LINE)
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

    /// An array with one object per row; numbers that are not finite become null.
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

    /// An HTML table, or several below each other where one would be wider than the page.
    pub fn to_html(&self) -> String {
        self.to_html_with("")
    }

    /// The same with a caption below the last one.
    pub(crate) fn to_html_with(&self, caption: &str) -> String {
        let sheet = self.sheet(number::pretty);
        let parts = sheet.divided_on_page(PAGE, LETTERS, PADDING);
        let mut html = String::new();
        for (n, columns) in parts.iter().enumerate() {
            let is_last = n + 1 == parts.len();
            let caption = if caption.is_empty() || !is_last {
                String::new()
            } else {
                format!("<caption>{}</caption>\n", escape(caption))
            };
            html += &format!("<table>\n{caption}{}</table>\n", html_rows(&sheet, columns));
        }
        html
    }

    /// The cells as text.
    fn sheet(&self, format: fn(f64, usize) -> String) -> Sheet {
        let prefixes = self.prefixes();
        let cell = |c: usize, value: &Value| match value {
            Value::Empty => "–".to_owned(),
            Value::Lacking(word) => (*word).to_owned(),
            Value::Text(text) => text.clone(),
            Value::Integer(n) => n.to_string(),
            Value::Number(x) if number::is_round_off(*x, self.columns[c].scale) => "0".to_owned(),
            Value::Number(x) => format(prefixes[c].number(*x), self.columns[c].digits),
        };
        let unit = |(column, prefix): (&Column, &Prefix)| match column.unit.as_str() {
            "" => String::new(),
            unit => format!("[{}]", prefix.unit(unit)),
        };
        Sheet {
            heads: self.columns.iter().map(|column| column.heading.clone()).collect(),
            units: self.columns.iter().zip(&prefixes).map(unit).collect(),
            rows: self
                .rows
                .iter()
                .map(|row| row.iter().enumerate().map(|(c, value)| cell(c, value)).collect())
                .collect(),
            is_text: (0..self.columns.len()).map(|c| self.is_text(c)).collect(),
            names: self.n_names,
        }
    }

    /// Prefix of each column: its own, or the prefix for the largest number of all columns with its unit, so
    /// that they are comparable.
    fn prefixes(&self) -> Vec<Prefix> {
        let largest = |unit: &str| {
            let of_unit = |row: &Vec<Value>| {
                let numbers = self.columns.iter().zip(row).filter_map(|(column, value)| match value {
                    Value::Number(x) if number::is_round_off(*x, column.scale) => None,
                    Value::Number(x) if column.unit == unit && x.is_finite() => Some(x.abs()),
                    _ => None,
                });
                numbers.fold(0.0, f64::max)
            };
            self.rows.iter().map(of_unit).fold(0.0, f64::max)
        };
        let of = |column: &Column| match (&column.prefix, column.unit.as_str()) {
            (Some(prefix), _) => *prefix,
            (None, "") => Prefix::NONE,
            (None, unit) => Prefix::of(largest(unit), unit),
        };
        self.columns.iter().map(of).collect()
    }

    fn is_text(&self, column: usize) -> bool {
        self.rows.iter().any(|row| matches!(row[column], Value::Text(_)))
    }

    /// Width of the text form in the built-in font \[px\], for tables in drawings.
    pub fn text_width(&self, size: f64) -> f64 {
        self.to_text().lines().map(|line| font::width(line, size, false)).fold(0.0, f64::max)
    }
}

/// Head and body of an HTML table of some columns.
fn html_rows(sheet: &Sheet, columns: &[usize]) -> String {
    let class = |c: usize| if sheet.is_text[c] { "" } else { " class=\"number\"" };
    let line = |cells: &dyn Fn(usize) -> String, tag: &str| {
        let cells: String =
            columns.iter().map(|&c| format!("<{tag}{}>{}</{tag}>", class(c), cells(c))).collect();
        format!("<tr>{cells}</tr>\n")
    };
    let head = line(
        &|c| {
            // A unit stays on one line.
            let unit = sheet.units[c].replace(' ', "\u{a0}");
            escape(format!("{} {unit}", sheet.heads[c]).trim())
        },
        "th",
    );
    let words = |text: &str| {
        let words = breakable(text)
            .into_iter()
            .map(|pieces| pieces.iter().map(|piece| escape(piece)).collect::<Vec<_>>().join("<wbr>"));
        words.collect::<Vec<_>>().join(" ")
    };
    let body: String = sheet
        .rows
        .iter()
        .map(|row| line(&|c| if sheet.is_text[c] { words(&row[c]) } else { escape(&row[c]) }, "td"))
        .collect();
    format!("<thead>{head}</thead>\n<tbody>\n{body}</tbody>\n")
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
    fn columns_of_a_unit_share_the_prefix_of_the_largest_number() {
        let columns = vec![
            Column::new("start", "start", "s"),
            Column::new("duration", "duration", "s"),
            Column::new("force", "force", "N"),
        ];
        let mut table = Table::new(columns);
        table.push(vec![1.516.into(), 1.343e-4.into(), 188_123.4.into()]).unwrap();
        assert_eq!(
            table.to_text(),
            "start [s]  duration [s]  force [kN]\n    1.516      1.343e-4       188.1\n"
        );
        table.columns[0].prefix = Some(Prefix::of_times(1.6, Some(1.343e-4)));
        table.columns[1].prefix = table.columns[0].prefix;
        assert_eq!(
            table.to_text(),
            "start [ms]  duration [ms]  force [kN]\n      1516         0.1343       188.1\n"
        );
        assert!(table.to_csv().ends_with("\n1.516,0.0001343,188123.4\n"), "{}", table.to_csv());
    }

    #[test]
    fn round_off_is_shown_as_zero() {
        let columns = vec![Column::new("x", "x", "m/s").scaled(0.5), Column::new("y", "y", "")];
        let mut table = Table::new(columns);
        table.push(vec![3e-17.into(), 3e-17.into()]).unwrap();
        table.push(vec![f64::NAN.into(), 1e-9.into()]).unwrap();
        assert_eq!(table.to_text().lines().nth(1), Some("      0  3.000e-17"));
        assert_eq!(table.to_text().lines().nth(2), Some("    NaN   1.000e-9"));
        assert!(table.to_csv().contains("3e-17,3e-17"));
    }

    /// Sixteen columns and a name of 150 letters: lines of at most 100 letters, each with the name of its
    /// row.
    #[test]
    fn a_table_that_is_too_wide_is_divided() {
        let name = |letters: usize| Value::Text("n".repeat(letters));
        let mut columns = vec![Column::new("pair", "pair", "")];
        columns
            .extend((0..15).map(|n| Column::new(&format!("c{n}"), &format!("velocity before {n}"), "m/s")));
        let mut table = Table::new(columns);
        for letters in [7, 150] {
            let mut row = vec![name(letters)];
            row.extend((0..15).map(|n| Value::Number(1.234_567_8 + f64::from(n))));
            table.push(row).unwrap();
        }
        let text = table.to_text();
        let widest = text.lines().map(|line| line.chars().count()).max();
        assert!(widest <= Some(LINE), "{text}");
        assert!(widest > Some(LINE - 15), "the page is not used:\n{text}");
        assert_eq!(text.matches("\nnnnnnnn ").count(), text.matches("pair").count(), "{text}");
        assert!((0..15).all(|n| text.contains(&format!("{:.2}", 1.234_567_8 + f64::from(n)))), "{text}");
        let html = table.to_html_with("all of it");
        assert_eq!(html.matches("<th>pair</th>").count(), html.matches("<table>").count());
        assert!(html.matches("<table>").count() > 1 && html.matches("all of it").count() == 1, "{html}");
        assert!(html.contains("nn<wbr>nn") && !html.contains(&"n".repeat(30)), "{html}");
    }

    #[test]
    fn csv_and_json_keep_all_digits() {
        assert_eq!(contacts().to_csv(), "pair,peak_force [N]\n\"ball/rod, end\",776.0634125\nrod <b>,\n");
        assert_eq!(contacts().to_json()[0]["peak_force"], 776.063_412_5);
        assert!(contacts().to_json()[1]["peak_force"].is_null());
    }

    #[test]
    fn a_word_in_place_of_a_number_appears_only_in_text() {
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
