//! Lists as values of keys: counts, texts, vectors, pairs of numbers.

use std::ops::Range;

use toml::de::DeValue;

use super::decode::{Interval, Table, Value};

/// A text and its place.
type PlacedText = (String, Range<usize>);

impl Table<'_> {
    /// One count for all directions, or one for each.
    pub(super) fn counts(&self, key: &'static str) -> Option<Vec<usize>> {
        let value = self.value(key)?;
        match value.get_ref() {
            DeValue::Array(list) if !list.is_empty() => {
                Some(list.iter().filter_map(|item| self.count_in(key, item, 1)).collect())
            }
            DeValue::Array(_) => {
                self.wrong_type(key, value, "a whole number or a list of them");
                None
            }
            _ => self.count_in(key, value, 1).map(|n| vec![n]),
        }
    }

    /// A list of texts, each with its place.
    pub(super) fn texts(&self, key: &'static str) -> Option<Vec<PlacedText>> {
        let value = self.value(key)?;
        let DeValue::Array(list) = value.get_ref() else {
            self.wrong_type(key, value, "a list of texts");
            return None;
        };
        let mut texts = Vec::with_capacity(list.len());
        for item in list.iter() {
            match item.get_ref() {
                DeValue::String(text) => texts.push((text.clone().into_owned(), item.span())),
                _ => self.wrong_type(key, item, "a list of texts"),
            }
        }
        Some(texts)
    }

    /// A list of pairs of texts, each text with its place.
    pub(super) fn text_pairs(&self, key: &'static str) -> Option<Vec<[PlacedText; 2]>> {
        const EXPECTED: &str = "a list of pairs of texts";
        let value = self.value(key)?;
        let DeValue::Array(list) = value.get_ref() else {
            self.wrong_type(key, value, EXPECTED);
            return None;
        };
        let text = |item: &Value<'_>| match item.get_ref() {
            DeValue::String(text) => Some((text.clone().into_owned(), item.span())),
            _ => None,
        };
        let mut pairs = Vec::with_capacity(list.len());
        for item in list.iter() {
            let pair = match item.get_ref() {
                DeValue::Array(pair) => pair.iter().filter_map(|item| text(&item)).collect(),
                _ => Vec::new(),
            };
            match <[_; 2]>::try_from(pair) {
                Ok(pair) => pairs.push(pair),
                Err(_) => self.wrong_type(key, item, EXPECTED),
            }
        }
        Some(pairs)
    }

    pub(super) fn vector(&self, key: &'static str) -> Option<[f64; 3]> {
        let value = self.value(key)?;
        let DeValue::Array(list) = value.get_ref() else {
            self.wrong_type(key, value, "a list of three numbers");
            return None;
        };
        if list.len() != 3 {
            self.wrong_type(key, value, "a list of three numbers");
            return None;
        }
        let numbers: Vec<f64> = list.iter().filter_map(|i| self.number_in(key, i, Interval::Any)).collect();
        (numbers.len() == 3).then(|| [numbers[0], numbers[1], numbers[2]])
    }

    /// A list of vectors.
    pub(super) fn vectors(&self, key: &'static str) -> Option<Vec<[f64; 3]>> {
        const EXPECTED: &str = "a list of points, three numbers each";
        let value = self.value(key)?;
        let DeValue::Array(list) = value.get_ref() else {
            self.wrong_type(key, value, EXPECTED);
            return None;
        };
        let mut vectors = Vec::with_capacity(list.len());
        for item in list.iter() {
            match item.get_ref() {
                DeValue::Array(three) if three.len() == 3 => {
                    let numbers: Vec<f64> =
                        three.iter().filter_map(|i| self.number_in(key, i, Interval::Any)).collect();
                    vectors.extend(<[f64; 3]>::try_from(numbers));
                }
                _ => self.wrong_type(key, item, EXPECTED),
            }
        }
        (vectors.len() == list.len()).then_some(vectors)
    }

    /// Two numbers.
    pub(super) fn two_numbers(&self, key: &'static str, interval: Interval) -> Option<[f64; 2]> {
        const EXPECTED: &str = "a list of two numbers";
        let value = self.value(key)?;
        match value.get_ref() {
            DeValue::Array(list) if list.len() == 2 => {
                let numbers: Vec<f64> =
                    list.iter().filter_map(|i| self.number_in(key, i, interval)).collect();
                <[f64; 2]>::try_from(numbers).ok()
            }
            _ => {
                self.wrong_type(key, value, EXPECTED);
                None
            }
        }
    }

    /// A list of numbers.
    pub(super) fn numbers(&self, key: &'static str) -> Option<Vec<f64>> {
        let value = self.value(key)?;
        let DeValue::Array(list) = value.get_ref() else {
            self.wrong_type(key, value, "a list of numbers");
            return None;
        };
        let numbers: Vec<f64> = list.iter().filter_map(|i| self.number_in(key, i, Interval::Any)).collect();
        (numbers.len() == list.len()).then_some(numbers)
    }

    /// A list of pairs of numbers.
    pub(super) fn pairs(&self, key: &'static str, interval: Interval) -> Option<Vec<[f64; 2]>> {
        const EXPECTED: &str = "a number or a list of pairs of numbers";
        let value = self.value(key)?;
        let DeValue::Array(list) = value.get_ref() else {
            self.wrong_type(key, value, EXPECTED);
            return None;
        };
        let mut pairs = Vec::with_capacity(list.len());
        for item in list.iter() {
            match item.get_ref() {
                DeValue::Array(pair) if pair.len() == 2 => {
                    let numbers: Vec<f64> =
                        pair.iter().filter_map(|i| self.number_in(key, i, interval)).collect();
                    pairs.extend(<[f64; 2]>::try_from(numbers));
                }
                _ => self.wrong_type(key, item, EXPECTED),
            }
        }
        (pairs.len() == list.len()).then_some(pairs)
    }
}
