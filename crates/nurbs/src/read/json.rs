//! Common parts of the JSON formats: their recognition, and lists of numbers.

use std::fmt;

use serde::Deserialize;
use serde::de::{self, Deserializer, IgnoredAny, SeqAccess, Visitor};

use super::contents::Contents;
use super::{Place, ReadError, geomdl, splinepy};

/// Reads the text of a JSON file of geomdl or splinepy.
pub(super) fn parse(text: &str) -> Result<Contents, ReadError> {
    #[derive(Deserialize)]
    struct Root {
        shape: Option<IgnoredAny>,
        #[serde(rename = "SplineList")]
        spline_list: Option<IgnoredAny>,
    }
    let root: Root = from_text(text)?;
    match (root.shape, root.spline_list) {
        (Some(_), _) => geomdl::parse(text),
        (None, Some(_)) => splinepy::parse(text),
        (None, None) => Err(ReadError::Refused {
            place: Place::Line(1),
            what: "a JSON file with neither `shape` (geomdl) nor `SplineList` (splinepy)".to_owned(),
            way_out: "export the body as one of these, or in another format".to_owned(),
        }),
    }
}

/// The value of a text; errors name line and column.
pub(super) fn from_text<'a, T: Deserialize<'a>>(text: &'a str) -> Result<T, ReadError> {
    serde_json::from_str(text).map_err(|error| ReadError::Json { message: error.to_string() })
}

/// The value of an entry that must be there.
pub(super) fn required<T>(value: Option<T>, entry: &str) -> Result<T, ReadError> {
    value.ok_or_else(|| ReadError::Count {
        place: Place::Entry(entry.to_owned()),
        what: "values".to_owned(),
        expected: "one".to_owned(),
        found: 0,
    })
}

/// A list of numbers, or of lists of as many numbers each, or a text that encodes them.
pub(super) enum Numbers {
    /// Numbers row by row, and how many a row has; `None` for a plain list.
    Values(Vec<f64>, Option<usize>),
    /// A text.
    Encoded(String),
}

impl<'de> Deserialize<'de> for Numbers {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(NumbersVisitor)
    }
}

struct NumbersVisitor;

impl<'de> Visitor<'de> for NumbersVisitor {
    type Value = Numbers;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a list of numbers, or of lists of numbers")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Numbers, E> {
        Ok(Numbers::Encoded(text.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Numbers, A::Error> {
        let (mut values, mut width, mut plain) = (Vec::new(), None, false);
        while let Some(element) = list.next_element::<Element>()? {
            match element {
                Element::Number(value) => {
                    plain = true;
                    values.push(value);
                }
                Element::Row(row) => {
                    if width.is_some_and(|width| width != row.len()) {
                        return Err(de::Error::invalid_length(row.len(), &"rows of one length"));
                    }
                    width = Some(row.len());
                    values.extend(row);
                }
            }
            if plain && width.is_some() {
                return Err(de::Error::custom("numbers and lists of numbers are mixed"));
            }
        }
        Ok(Numbers::Values(values, width))
    }
}

enum Element {
    Number(f64),
    Row(Vec<f64>),
}

impl<'de> Deserialize<'de> for Element {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct ElementVisitor;
        impl<'de> Visitor<'de> for ElementVisitor {
            type Value = Element;

            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("a number or a list of numbers")
            }

            fn visit_f64<E>(self, value: f64) -> Result<Element, E> {
                Ok(Element::Number(value))
            }

            fn visit_i64<E>(self, value: i64) -> Result<Element, E> {
                Ok(Element::Number(value as f64))
            }

            fn visit_u64<E>(self, value: u64) -> Result<Element, E> {
                Ok(Element::Number(value as f64))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Element, A::Error> {
                let mut row = Vec::new();
                while let Some(value) = list.next_element()? {
                    row.push(value);
                }
                Ok(Element::Row(row))
            }
        }
        deserializer.deserialize_any(ElementVisitor)
    }
}
