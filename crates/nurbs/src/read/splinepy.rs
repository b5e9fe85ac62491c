//! JSON files of splinepy, and the splines that its JSON files and archives hold.

use serde::Deserialize;

use super::base64_values::{Base64Error, decode};
use super::contents::Contents;
use super::json::{Numbers, from_text, required};
use super::solid::{Solid, bases, no_solid};
use super::{Place, ReadError};
use crate::{KnotVector, Patch};

#[derive(Deserialize)]
struct Root {
    #[serde(rename = "NumberOfSplines")]
    number_of_splines: Option<usize>,
    #[serde(rename = "Base64Encoding")]
    base64_encoding: Option<bool>,
    #[serde(rename = "SplineList")]
    spline_list: Vec<Entry>,
}

#[derive(Deserialize)]
struct Entry {
    #[serde(rename = "SplineType")]
    spline_type: Option<String>,
    para_dim: Option<usize>,
    dim: Option<usize>,
    degrees: Option<Vec<usize>>,
    knot_vectors: Option<Vec<Vec<f64>>>,
    control_points: Option<Numbers>,
    weights: Option<Numbers>,
}

/// Reads the text of a splinepy JSON file: all its splines.
///
/// # Errors
///
/// [`ReadError`] with the line or entry; curves, surfaces and splines in the plane are refused.
pub(super) fn parse(text: &str) -> Result<Contents, ReadError> {
    let root: Root = from_text(text)?;
    if let Some(n) = root.number_of_splines.filter(|&n| n != root.spline_list.len()) {
        let (place, what) = (Place::Entry("SplineList".to_owned()), "splines".to_owned());
        let (expected, found) = (format!("{n} (`NumberOfSplines`)"), root.spline_list.len());
        return Err(ReadError::Count { place, what, expected, found });
    }
    let encoded = root.base64_encoding.unwrap_or(false);
    let mut patches = Vec::new();
    for (number, entry) in root.spline_list.into_iter().enumerate() {
        patches.push(spline(entry, number, encoded)?.patch(number)?);
    }
    Ok(Contents::of(patches))
}

fn spline(entry: Entry, number: usize, encoded: bool) -> Result<Spline, ReadError> {
    let prefix = format!("SplineList[{number}].");
    let name = |key: &str| format!("{prefix}{key}");
    let kind = required(entry.spline_type, &name("SplineType"))?;
    if !["Bezier", "RationalBezier", "BSpline", "NURBS"].contains(&kind.as_str()) {
        let way_out = "known types are Bezier, RationalBezier, BSpline and NURBS".to_owned();
        return Err(ReadError::Refused {
            place: Place::Entry(name("SplineType")),
            what: format!("a `{kind}`"),
            way_out,
        });
    }
    for (key, dimension, what) in
        [("para_dim", entry.para_dim, "parameters"), ("dim", entry.dim, "coordinates")]
    {
        if let Some(d) = dimension.filter(|&d| d != 3) {
            return Err(no_solid(Place::Entry(name(key)), format!("a `{kind}` with {d} {what}")));
        }
    }
    let needs_weights = kind == "NURBS" || kind == "RationalBezier";
    let weights =
        if needs_weights { Some(required(entry.weights, &name("weights"))?) } else { entry.weights };
    let is_bezier = kind == "Bezier" || kind == "RationalBezier";
    let knot_vectors =
        if is_bezier { None } else { Some(required(entry.knot_vectors, &name("knot_vectors"))?) };
    let numbers = |numbers, key: &str, width| values(numbers, encoded, &name(key), width);
    Ok(Spline {
        degrees: required(entry.degrees, &name("degrees"))?,
        knot_vectors,
        points: numbers(required(entry.control_points, &name("control_points"))?, "control_points", 3)?,
        weights: weights.map(|weights| numbers(weights, "weights", 1)).transpose()?,
        prefix,
    })
}

/// The numbers of an entry, decoded if they are Base64.
///
/// * `width` — numbers in each row
fn values(numbers: Numbers, encoded: bool, entry: &str, width: usize) -> Result<Vec<f64>, ReadError> {
    let wrong = |expected: &str, found: &str| ReadError::Syntax {
        place: Place::Entry(entry.to_owned()),
        expected: expected.to_owned(),
        found: found.to_owned(),
    };
    match (numbers, encoded) {
        (Numbers::Values(values, found), _) if found == Some(width) || (found.is_none() && width == 1) => {
            Ok(values)
        }
        (Numbers::Values(_, Some(found)), _) => {
            Err(wrong(&format!("rows of {width}"), &format!("rows of {found}")))
        }
        (Numbers::Values(..), _) => Err(wrong(&format!("rows of {width}"), "a list of numbers")),
        (Numbers::Encoded(text), true) => decode("float64", &text).map_err(|error| match error {
            Base64Error::Text(error) => wrong("Base64", &error.to_string()),
            Base64Error::Torn | Base64Error::Type => {
                wrong("whole doubles in Base64", "a part of one at the end")
            }
        }),
        (Numbers::Encoded(_), false) => Err(wrong("a list of numbers", "a text, without Base64Encoding")),
    }
}

/// A spline as splinepy stores it.
pub(super) struct Spline {
    /// Prefix of the name of each entry, for messages.
    pub(super) prefix: String,
    pub(super) degrees: Vec<usize>,
    /// None for the Bezier types: one span on \[0,1\].
    pub(super) knot_vectors: Option<Vec<Vec<f64>>>,
    /// Cartesian, x y z of a point together, the first parameter fastest.
    pub(super) points: Vec<f64>,
    pub(super) weights: Option<Vec<f64>>,
}

impl Spline {
    pub(super) fn patch(self, number: usize) -> Result<Patch, ReadError> {
        let Self { prefix, degrees, knot_vectors, points, weights } = self;
        let place = |key: &str| Place::Entry(format!("{prefix}{key}"));
        let degrees: [usize; 3] = degrees.try_into().map_err(|degrees: Vec<usize>| {
            no_solid(place("degrees"), format!("a spline with {} parameters", degrees.len()))
        })?;
        let basis = match knot_vectors {
            None => {
                let [u, v, w] = degrees.map(|degree| {
                    let knots = |source| ReadError::Knots { place: place("degrees"), source };
                    KnotVector::bernstein(degree).map_err(knots)
                });
                [u?, v?, w?]
            }
            Some(knot_vectors) => {
                let [u, v, w]: [Vec<f64>; 3] = knot_vectors.try_into().map_err(|list: Vec<_>| {
                    let (what, expected) = ("knot vectors".to_owned(), "3".to_owned());
                    ReadError::Count { place: place("knot_vectors"), what, expected, found: list.len() }
                })?;
                let at = |d: usize| place(&format!("knot_vectors[{d}]"));
                bases([(degrees[0], u, at(0)), (degrees[1], v, at(1)), (degrees[2], w, at(2))])?
            }
        };
        let mut solid =
            Solid::new(Place::Entry(prefix.trim_end_matches(['.', '_']).to_owned()), number, basis);
        let weights = weights.unwrap_or_else(|| vec![1.0; points.len() / 3]);
        let n_points = solid.n_points();
        for (key, what, per_point, found) in
            [("control_points", "coordinates", 3, points.len()), ("weights", "weights", 1, weights.len())]
        {
            if n_points.and_then(|n| n.checked_mul(per_point)) != Some(found) {
                let [n, m, l] = solid.counts();
                let expected = format!("{per_point} for each of the {n} x {m} x {l} control points");
                return Err(ReadError::Count { place: place(key), what: what.to_owned(), expected, found });
            }
        }
        for (&point, weight) in points.as_chunks::<3>().0.iter().zip(weights) {
            solid.push_cartesian(point, weight);
        }
        solid.patch()
    }
}
