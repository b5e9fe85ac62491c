//! Tables of a scenario, read key by key: types and ranges are checked, and unknown keys are reported.

use std::cell::{Cell, RefCell};
use std::ops::Range;
use std::path::PathBuf;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::problem::{Problem, ProblemKind, Sources};
use super::suggest::nearest;

/// Valid range of a number.
#[derive(Debug, Clone, Copy)]
pub(super) enum Interval {
    Any,
    Positive,
    NotNegative,
    Poisson,
    Tolerance,
    Share,
    Accuracy,
}

impl Interval {
    fn holds(self, value: f64) -> bool {
        value.is_finite()
            && match self {
                Self::Any => true,
                Self::Positive => value > 0.0,
                Self::NotNegative => value >= 0.0,
                Self::Poisson => value > -1.0 && value < 0.5,
                Self::Tolerance => (1.0e-12..1.0).contains(&value),
                Self::Share => (0.0..=1.0).contains(&value),
                Self::Accuracy => (1.0e-4..=0.5).contains(&value),
            }
    }

    fn words(self) -> &'static str {
        match self {
            Self::Any => "a finite number",
            Self::Positive => "a finite number above 0",
            Self::NotNegative => "a finite number, 0 or above",
            Self::Poisson => "between -1 and 0.5, both excluded",
            // A step cannot be more precise than its rounding: below, a run would not end.
            Self::Tolerance => "at least 1e-12 and below 1",
            Self::Share => "from 0 to 1",
            Self::Accuracy => "a relative error from 1e-4 to 0.5",
        }
    }
}

/// All problems found so far, with their positions, so that they are reported in the order of the file.
pub(super) struct Problems {
    sources: Sources,
    found: RefCell<Vec<(usize, Problem)>>,
}

impl Problems {
    pub(super) fn new(sources: Sources) -> Self {
        Self { sources, found: RefCell::new(Vec::new()) }
    }

    pub(super) fn add(&self, span: &Range<usize>, context: &str, kind: ProblemKind) {
        let problem = Problem { place: self.sources.place(span), context: context.to_owned(), kind };
        self.found.borrow_mut().push((span.start, problem));
    }

    /// The problems in the order of the file.
    pub(super) fn into_sorted(self) -> Vec<Problem> {
        let mut found = self.found.into_inner();
        found.sort_by_key(|(start, _)| *start);
        found.into_iter().map(|(_, problem)| problem).collect()
    }
}

/// A table that is being read.
pub(super) struct Table<'a> {
    problems: &'a Problems,
    table: &'a DeTable<'a>,
    pub(super) span: Range<usize>,
    pub(super) context: String,
    known: RefCell<Vec<&'static str>>,
    any_key: Cell<bool>,
}

/// A value with its place.
pub(super) type Value<'a> = &'a Spanned<DeValue<'a>>;

impl<'a> Table<'a> {
    pub(super) fn new(
        problems: &'a Problems,
        table: &'a DeTable<'a>,
        span: Range<usize>,
        context: String,
    ) -> Self {
        Self { problems, table, span, context, known: RefCell::default(), any_key: Cell::new(false) }
    }

    /// The value of a key, which is known from now on.
    pub(super) fn value(&self, key: &'static str) -> Option<Value<'a>> {
        let mut known = self.known.borrow_mut();
        if !known.contains(&key) {
            known.push(key);
        }
        self.table.get(key)
    }

    /// A path of the scenario, relative to its folder.
    pub(super) fn resolve(&self, path: &str) -> PathBuf {
        self.problems.sources.folder().join(path)
    }

    pub(super) fn has(&self, key: &str) -> bool {
        self.table.contains_key(key)
    }

    /// Place of a key's value, of the table itself if it is not there.
    pub(super) fn span_of(&self, key: &str) -> Range<usize> {
        self.table.get(key).map_or(self.span.clone(), Spanned::span)
    }

    pub(super) fn problem(&self, span: &Range<usize>, kind: ProblemKind) {
        self.problems.add(span, &self.context, kind);
    }

    pub(super) fn conflict(&self, key: &str, text: impl Into<String>) {
        self.problem(&self.span_of(key), ProblemKind::Conflict(text.into()));
    }

    pub(super) fn missing(&self, key: &str, why: &'static str) {
        self.problem(&self.span, ProblemKind::Missing { key: key.to_owned(), why });
    }

    pub(super) fn wrong_type(&self, key: &str, value: Value<'a>, expected: &'static str) {
        let found = describe(value.get_ref());
        self.problem(&value.span(), ProblemKind::WrongType { key: key.to_owned(), expected, found });
    }

    pub(super) fn number(&self, key: &'static str, interval: Interval) -> Option<f64> {
        let value = self.value(key)?;
        self.number_in(key, value, interval)
    }

    pub(super) fn number_in(&self, key: &str, value: Value<'a>, interval: Interval) -> Option<f64> {
        let Some(number) = as_number(value.get_ref()) else {
            self.wrong_type(key, value, "a number");
            return None;
        };
        if interval.holds(number) {
            return Some(number);
        }
        let range = interval.words();
        self.problem(&value.span(), ProblemKind::OutOfRange { key: key.to_owned(), found: number, range });
        None
    }

    pub(super) fn count(&self, key: &'static str, least: usize) -> Option<usize> {
        let value = self.value(key)?;
        self.count_in(key, value, least)
    }

    pub(super) fn count_in(&self, key: &str, value: Value<'a>, least: usize) -> Option<usize> {
        let DeValue::Integer(integer) = value.get_ref() else {
            self.wrong_type(key, value, "a whole number");
            return None;
        };
        let number = i64::from_str_radix(integer.as_str(), integer.radix()).unwrap_or(i64::MAX);
        // More of anything than this is a mistake, and would not fit into memory.
        if number >= least as i64 && number <= 1_000_000_000 {
            return Some(number as usize);
        }
        let range = ["a whole number from 0 to 1e9", "a whole number from 1 to 1e9"][least.min(1)];
        let kind = ProblemKind::OutOfRange { key: key.to_owned(), found: number as f64, range };
        self.problem(&value.span(), kind);
        None
    }

    pub(super) fn flag(&self, key: &'static str) -> Option<bool> {
        let value = self.value(key)?;
        match value.get_ref() {
            DeValue::Boolean(flag) => Some(*flag),
            _ => {
                self.wrong_type(key, value, "true or false");
                None
            }
        }
    }

    pub(super) fn text(&self, key: &'static str) -> Option<String> {
        let value = self.value(key)?;
        match value.get_ref() {
            DeValue::String(text) if !text.trim().is_empty() => Some(text.clone().into_owned()),
            DeValue::String(_) => {
                let kind = ProblemKind::WrongType {
                    key: key.to_owned(),
                    expected: "a text",
                    found: "empty".to_owned(),
                };
                self.problem(&value.span(), kind);
                None
            }
            _ => {
                self.wrong_type(key, value, "a text");
                None
            }
        }
    }

    /// One of several words.
    pub(super) fn choice<T: Copy>(&self, key: &'static str, choices: &[(&'static str, T)]) -> Option<T> {
        let word = self.text(key)?;
        if let Some((_, choice)) = choices.iter().find(|(name, _)| *name == word) {
            return Some(*choice);
        }
        let names: Vec<&str> = choices.iter().map(|(name, _)| *name).collect();
        let suggestion = nearest(&word, names.iter().copied());
        let kind = ProblemKind::UnknownChoice {
            key: key.to_owned(),
            found: word,
            suggestion,
            choices: list_of(&names),
        };
        self.problem(&self.span_of(key), kind);
        None
    }

    /// A table within this one.
    pub(super) fn table(&self, key: &'static str) -> Option<Table<'a>> {
        let value = self.value(key)?;
        match value.get_ref() {
            DeValue::Table(table) => {
                let context =
                    [self.context.as_str(), key].join(if self.context.is_empty() { "" } else { ": " });
                Some(Table::new(self.problems, table, value.span(), context))
            }
            _ => {
                self.wrong_type(key, value, "a table");
                None
            }
        }
    }

    /// A list of tables, `[[body]]` or `zone = [{…}, {…}]`; each is known by its `name` or its number.
    pub(super) fn tables(&self, key: &'static str) -> Vec<Table<'a>> {
        let Some(value) = self.value(key) else { return Vec::new() };
        let DeValue::Array(list) = value.get_ref() else {
            self.wrong_type(key, value, "a list of tables, each headed by [[…]]");
            return Vec::new();
        };
        let mut tables = Vec::with_capacity(list.len());
        for (i, item) in list.iter().enumerate() {
            let DeValue::Table(table) = item.get_ref() else {
                self.wrong_type(key, item, "a list of tables");
                continue;
            };
            let name = match table.get("name").map(Spanned::get_ref) {
                Some(DeValue::String(name)) => format!("{key} `{name}`"),
                _ => format!("{key} {}", i + 1),
            };
            let context = if self.context.is_empty() { name } else { format!("{}: {name}", self.context) };
            tables.push(Table::new(self.problems, table, item.span(), context));
        }
        tables
    }

    /// A table, or a list of tables.
    pub(super) fn one_or_more(&self, key: &'static str) -> Vec<Table<'a>> {
        match self.table.get(key).map(Spanned::get_ref) {
            Some(DeValue::Array(_)) => self.tables(key),
            _ => self.table(key).into_iter().collect(),
        }
    }

    /// All entries of a table whose keys are names that the user chose.
    pub(super) fn entries(&self) -> Vec<(String, Value<'a>)> {
        self.any_key.set(true);
        let mut entries: Vec<_> =
            self.table.iter().map(|(k, v)| (k.get_ref().clone().into_owned(), v)).collect();
        entries.sort_by(|a, b| a.0.cmp(&b.0));
        entries
    }

    /// The same table seen as one of the entries of its parent.
    pub(super) fn entry(&self, name: &str, value: Value<'a>) -> Option<Table<'a>> {
        let context = format!("{} `{name}`", self.context);
        match value.get_ref() {
            DeValue::Table(table) => Some(Table::new(self.problems, table, value.span(), context)),
            _ => {
                self.wrong_type(name, value, "a table");
                None
            }
        }
    }

    /// Reports the keys that were not read.
    pub(super) fn finish(self) {
        self.finish_beside(&[]);
    }

    /// As [`Table::finish`], where keys of other tables may have been put by mistake.
    ///
    /// * `homes` — such a key, and where it belongs
    pub(super) fn finish_beside(self, homes: &[(&str, &'static str)]) {
        if self.any_key.get() {
            return;
        }
        let known = self.known.borrow();
        for key in self.table.keys() {
            let name = key.get_ref().as_ref();
            if known.contains(&name) {
                continue;
            }
            let suggestion = nearest(name, known.iter().copied());
            let known = list_of(&known);
            let home = homes.iter().find(|(key, _)| *key == name).map(|(_, home)| *home);
            let key_name = name.to_owned();
            self.problem(&key.span(), ProblemKind::UnknownKey { key: key_name, home, suggestion, known });
        }
    }
}

/// `a`, `b`, `c`
pub(super) fn list_of(names: &[impl AsRef<str>]) -> String {
    if names.is_empty() {
        return "none".to_owned();
    }
    names.iter().map(|name| format!("`{}`", name.as_ref())).collect::<Vec<_>>().join(", ")
}

fn as_number(value: &DeValue<'_>) -> Option<f64> {
    match value {
        DeValue::Integer(integer) => {
            i64::from_str_radix(integer.as_str(), integer.radix()).ok().map(|v| v as f64)
        }
        DeValue::Float(float) => float.as_str().parse().ok(),
        _ => None,
    }
}

fn describe(value: &DeValue<'_>) -> String {
    match value {
        DeValue::String(text) => format!("the text \"{text}\""),
        DeValue::Integer(integer) => integer.to_string(),
        DeValue::Float(float) => float.to_string(),
        DeValue::Boolean(flag) => flag.to_string(),
        DeValue::Datetime(_) => "a date".to_owned(),
        DeValue::Array(list) => format!("a list of {}", list.len()),
        DeValue::Table(_) => "a table".to_owned(),
    }
}
