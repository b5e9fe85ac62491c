//! `--set key.path=value`: values of the command line, or of a file of parameters, that replace those of the
//! scenario.

use std::borrow::Cow;
use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::problem::{Place, ProblemKind};

/// A value that replaces one of the scenario.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Override {
    /// The change as `key.path=value`.
    pub text: String,
    /// Its place: problems of the value are reported there.
    pub place: Place,
}

/// A `--set` of the command line.
impl From<String> for Override {
    fn from(text: String) -> Self {
        Self { place: Place::Override(text.clone()), text }
    }
}

impl From<&str> for Override {
    fn from(text: &str) -> Self {
        text.to_owned().into()
    }
}

/// Puts a value at a path of the document.
///
/// A path is made of keys joined by dots. An element of a list is named by its number from 0, a table in a
/// list also by its `name`: `body.ball.velocity.2`, `contact.0.friction`. A value is written as in the file;
/// a bare word is a text.
///
/// * `shifted` — the value from [`shifted`]
/// * `offset` — start of the new value among the sources, so that its problems are placed at the command
///   line
pub(super) fn apply<'d>(
    document: &mut DeTable<'d>,
    text: &'d str,
    shifted: &'d str,
    offset: usize,
) -> Result<(), ProblemKind> {
    let nowhere = |why: &str| ProblemKind::Path { path: text.to_owned(), why: why.to_owned() };
    let (path, _) = text.split_once('=').ok_or_else(|| nowhere("it must have the form key.path=value"))?;
    let keys: Vec<&str> = path.trim().split('.').map(str::trim).collect();
    if keys.iter().any(|key| key.is_empty()) {
        return Err(nowhere("a key of it is empty"));
    }
    let value = parse_value(shifted, offset);
    let (last, path) = keys.split_last().expect("splitting a text gives at least one part");
    let span = offset..offset + text.len();
    let mut table = document;
    let mut rest = path;
    while let [key, tail @ ..] = rest {
        let entry = entry(table, key, &span);
        match (entry.get_mut(), tail) {
            (DeValue::Table(inner), _) => (table, rest) = (inner, tail),
            (DeValue::Array(list), [element, tail @ ..]) => {
                let (n, position) = (list.len(), position(list.iter().map(Spanned::get_ref), element));
                let found = position.and_then(|at| list.get_mut(at)).map(Spanned::get_mut);
                let Some(DeValue::Table(inner)) = found else {
                    return Err(nowhere(&format!(
                        "`{key}` has {n} elements, and none is called `{element}` or has that number"
                    )));
                };
                (table, rest) = (inner, tail);
            }
            (DeValue::Array(list), []) => {
                let element = last.parse().ok().and_then(|at: usize| list.get_mut(at));
                let no_element = || {
                    nowhere(&format!("`{key}` is a list: name an element, `{key}.NAME.{last}` or `{key}.0`"))
                };
                *element.ok_or_else(no_element)? = value;
                return Ok(());
            }
            _ => return Err(nowhere(&format!("`{key}` is not a table"))),
        }
    }
    table.insert(Spanned::new(span, Cow::Borrowed(*last)), value);
    Ok(())
}

/// The place of the longest part of a path that the document has.
pub(super) fn span_of(document: &DeTable<'_>, path: &str) -> Option<Range<usize>> {
    let mut keys = path.split('.');
    let mut value = document.get(keys.next()?)?;
    for key in keys {
        let inner = match value.get_ref() {
            DeValue::Table(table) => table.get(key),
            DeValue::Array(list) => key.parse().ok().and_then(|at: usize| list.get(at)),
            _ => None,
        };
        match inner {
            Some(inner) => value = inner,
            None => break,
        }
    }
    Some(value.span())
}

/// The table or list of a key, made if it is not there.
fn entry<'t, 'd>(table: &'t mut DeTable<'d>, key: &str, span: &Range<usize>) -> &'t mut Spanned<DeValue<'d>> {
    if !table.contains_key(key) {
        let name = Spanned::new(span.clone(), Cow::Owned(key.to_owned()));
        table.insert(name, Spanned::new(span.clone(), DeValue::Table(DeTable::new())));
    }
    table.get_mut(key).expect("it was inserted above")
}

fn position<'t, 'd: 't>(elements: impl Iterator<Item = &'t DeValue<'d>>, word: &str) -> Option<usize> {
    let named = |value: &DeValue<'d>| match value {
        DeValue::Table(table) => {
            matches!(table.get("name").map(Spanned::get_ref), Some(DeValue::String(name)) if name == word)
        }
        _ => false,
    };
    elements.into_iter().position(named).or_else(|| word.parse().ok())
}

/// The value of an override as a small document whose positions lie behind the file.
pub(super) fn shifted(text: &str, offset: usize) -> String {
    let value = text.split_once('=').map_or("", |(_, value)| value.trim());
    format!("{}v={value}", " ".repeat(offset))
}

fn parse_value(shifted: &str, offset: usize) -> Spanned<DeValue<'_>> {
    match DeTable::parse(shifted) {
        Ok(mut table) => table.get_mut().remove("v").expect("the document defines it"),
        Err(_) => {
            let word = &shifted[offset + "v=".len()..];
            Spanned::new(offset..shifted.len(), DeValue::String(Cow::Borrowed(word)))
        }
    }
}
