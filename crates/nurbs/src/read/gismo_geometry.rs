//! One geometry of a G+Smo file: knot vectors, coefficients, weights.

use roxmltree::Node;

use super::base64_values::{Base64Error, decode};
use super::solid::Solid;
use super::{Place, ReadError};
use crate::{KnotVector, Patch};

/// Line of a node in the file.
pub(super) fn place(node: Node) -> Place {
    Place::Line(line(node))
}

fn line(node: Node) -> usize {
    node.document().text_pos_at(node.range().start).row as usize
}

/// The type attribute, or the name of the element.
pub(super) fn kind<'a>(node: Node<'a, '_>) -> &'a str {
    node.attribute("type").unwrap_or_else(|| node.tag_name().name())
}

/// Reads a `TensorBSpline3` or `TensorNurbs3`.
///
/// * `number` — zero-based number of the patch, for messages
pub(super) fn patch(node: Node, number: usize) -> Result<Patch, ReadError> {
    let basis = match kind(node) {
        "TensorBSpline3" => only_child(node, "Basis")?,
        "TensorNurbs3" => {
            let rational = only_child(node, "Basis")?;
            only_child(rational, "Basis")?
        }
        other => return Err(refused(node, other)),
    };
    if kind(basis) != "TensorBSplineBasis3" {
        return Err(refused(basis, kind(basis)));
    }
    let basis = knot_vectors(basis)?;
    let coefs = only_child(node, "coefs")?;
    let dimension = coefs.attribute("geoDim").unwrap_or("3").trim();
    if dimension != "3" {
        let what = format!("a geometry in {dimension} dimensions");
        let way_out = "bodies need three coordinates a control point (geoDim=\"3\")".to_owned();
        return Err(ReadError::Refused { place: place(coefs), what, way_out });
    }
    let mut solid = Solid::new(place(node), number, basis);
    let weights = match kind(node) {
        "TensorNurbs3" => Some(only_child(only_child(node, "Basis")?, "weights")?),
        _ => None,
    };
    let n_points = solid.n_points();
    let list = |node: Node, what: &str, one: &str, per_point: usize| {
        let values = numbers(node, one)?;
        if n_points.and_then(|n| n.checked_mul(per_point)) == Some(values.len()) {
            return Ok(values);
        }
        let [n, m, l] = solid.counts();
        let expected =
            format!("{per_point} for each of the {n} x {m} x {l} control points that the knot vectors make");
        Err(ReadError::Count { place: place(node), what: what.to_owned(), expected, found: values.len() })
    };
    let values = list(coefs, "coordinates", "a coordinate", 3)?;
    let weights = weights.map(|node| list(node, "weights", "a weight", 1)).transpose()?;
    for (i, &point) in values.as_chunks::<3>().0.iter().enumerate() {
        solid.push_cartesian(point, weights.as_ref().map_or(1.0, |weights| weights[i]));
    }
    solid.patch()
}

/// The error of a geometry that is not a solid of tensor-product splines.
pub(super) fn refused(node: Node, what: &str) -> ReadError {
    let way_out = if what.contains("Basis") {
        "it is a basis without control points, and bodies are solids: TensorBSpline3, TensorNurbs3 or a \
         MultiPatch of them"
    } else if what.ends_with('2') || what.ends_with('1') || what.contains("Curve") {
        "it is a curve or a surface, and bodies are solids: TensorBSpline3, TensorNurbs3 or a MultiPatch of \
         them"
    } else if what.contains("HBSpline") {
        "of hierarchical splines THBSpline3 can be read, truncated and in three dimensions"
    } else {
        "bodies are solids: TensorBSpline3, TensorNurbs3 or a MultiPatch of them"
    };
    ReadError::Refused { place: place(node), what: format!("`{what}`"), way_out: way_out.to_owned() }
}

pub(super) fn only_child<'a, 'input>(
    node: Node<'a, 'input>,
    name: &str,
) -> Result<Node<'a, 'input>, ReadError> {
    let mut children = node.children().filter(|child| child.has_tag_name(name));
    match (children.next(), children.next()) {
        (Some(child), None) => Ok(child),
        (first, _) => Err(ReadError::Count {
            place: place(node),
            what: format!("<{name}> in <{}>", node.tag_name().name()),
            expected: "one".to_owned(),
            found: if first.is_some() { 2 } else { 0 },
        }),
    }
}

pub(super) fn knot_vectors(basis: Node) -> Result<[KnotVector; 3], ReadError> {
    let mut found: [Option<KnotVector>; 3] = [None, None, None];
    let directions = basis.children().filter(|child| child.has_tag_name("Basis"));
    for (nth, node) in directions.enumerate() {
        let knots = only_child(node, "KnotVector")?;
        let index = match node.attribute("index") {
            Some(text) => text.trim().parse().ok().filter(|&i: &usize| i < 3),
            None => Some(nth).filter(|&i| i < 3),
        };
        let Some(index) = index else {
            let found = node.attribute("index").unwrap_or("a fourth direction").to_owned();
            return Err(ReadError::Syntax {
                place: place(node),
                expected: "index 0, 1 or 2".to_owned(),
                found,
            });
        };
        let degree = knots.attribute("degree").unwrap_or_default().trim();
        let Ok(degree) = degree.parse() else {
            let (expected, found) = ("a degree=\"…\"".to_owned(), degree.to_owned());
            return Err(ReadError::Syntax { place: place(knots), expected, found });
        };
        let values = numbers(knots, "a knot")?;
        let knot_vector = KnotVector::new(degree, values)
            .map_err(|source| ReadError::Knots { place: place(knots), source })?;
        found[index] = Some(knot_vector);
    }
    match found {
        [Some(u), Some(v), Some(w)] => Ok([u, v, w]),
        _ => Err(ReadError::Count {
            place: place(basis),
            what: "knot vectors".to_owned(),
            expected: "3, with index 0, 1 and 2,".to_owned(),
            found: found.iter().flatten().count(),
        }),
    }
}

/// The numbers in an element, as text or Base64 of little-endian values.
pub(super) fn numbers(node: Node, expected: &str) -> Result<Vec<f64>, ReadError> {
    let texts = node.children().filter(Node::is_text).filter_map(|child| Some((line(child), child.text()?)));
    let format = node.attribute("format").unwrap_or("ASCII").trim().to_ascii_lowercase();
    if format == "ascii" {
        let mut values = Vec::new();
        for (start, text) in texts {
            for (number, row) in text.split('\n').enumerate() {
                let number = |word: &str| {
                    word.parse().map_err(|_| ReadError::Syntax {
                        place: Place::Line(start + number),
                        expected: expected.to_owned(),
                        found: word.to_owned(),
                    })
                };
                for word in row.split_whitespace() {
                    values.push(number(word)?);
                }
            }
        }
        return Ok(values);
    }
    let unreadable = |message: &str| ReadError::Syntax {
        place: place(node),
        expected: format!("{expected} in {message}"),
        found: format!("format=\"{}\"", node.attribute("format").unwrap_or_default()),
    };
    let text: String = texts.map(|(_, text)| text).collect();
    decode(format.strip_prefix("b64").unwrap_or(""), &text).map_err(|error| match error {
        Base64Error::Text(error) => unreadable(&format!("Base64 ({error})")),
        Base64Error::Type | Base64Error::Torn => {
            unreadable("ASCII, B64Float64, B64Float32 or B64Int/Uint with 8, 16, 32 or 64 bits, whole values")
        }
    })
}
