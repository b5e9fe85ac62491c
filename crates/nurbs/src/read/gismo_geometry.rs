//! One geometry of a G+Smo file: knot vectors, coefficients, weights.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use roxmltree::Node;

use super::ReadError;
use crate::{KnotVector, Patch};

/// Line of a node in the file.
pub(super) fn line(node: Node) -> usize {
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
        return Err(ReadError::Refused { line: line(coefs), what, way_out });
    }
    let values: Vec<f64> = numbers(coefs, "a coordinate")?;
    let n_points: usize = basis.iter().map(KnotVector::n_functions).product();
    if values.len() != 3 * n_points {
        return Err(ReadError::Count {
            line: line(coefs),
            what: "coordinates".to_owned(),
            expected: format!("3 for each of the {n_points} control points that the knot vectors make"),
            found: values.len(),
        });
    }
    let points = values.chunks_exact(3).map(|p| [p[0], p[1], p[2]]).collect();
    let weights = if kind(node) == "TensorNurbs3" {
        numbers(only_child(only_child(node, "Basis")?, "weights")?, "a weight")?
    } else {
        vec![1.0; n_points]
    };
    Patch::new(basis, points, weights).map_err(|source| ReadError::Patch {
        line: line(node),
        patch: number,
        source,
    })
}

/// That a geometry is no solid of tensor-product splines.
pub(super) fn refused(node: Node, what: &str) -> ReadError {
    let way_out = if what.contains("THB") || what.contains("HBSpline") {
        "hierarchical splines are not supported: export the body as TensorBSpline3 or TensorNurbs3"
    } else if what.ends_with('2') || what.ends_with('1') || what.contains("Curve") {
        "it is a curve or a surface, and bodies are solids: TensorBSpline3, TensorNurbs3 or a MultiPatch of them"
    } else {
        "bodies are solids: TensorBSpline3, TensorNurbs3 or a MultiPatch of them"
    };
    ReadError::Refused { line: line(node), what: format!("`{what}`"), way_out: way_out.to_owned() }
}

fn only_child<'a, 'input>(node: Node<'a, 'input>, name: &str) -> Result<Node<'a, 'input>, ReadError> {
    let mut children = node.children().filter(|child| child.has_tag_name(name));
    match (children.next(), children.next()) {
        (Some(child), None) => Ok(child),
        (first, _) => Err(ReadError::Count {
            line: line(node),
            what: format!("<{name}> in <{}>", node.tag_name().name()),
            expected: "one".to_owned(),
            found: if first.is_some() { 2 } else { 0 },
        }),
    }
}

fn knot_vectors(basis: Node) -> Result<[KnotVector; 3], ReadError> {
    let mut found: [Option<KnotVector>; 3] = [None, None, None];
    let directions = basis.children().filter(|child| child.has_tag_name("Basis"));
    for (place, node) in directions.enumerate() {
        let knots = only_child(node, "KnotVector")?;
        let index = match node.attribute("index") {
            Some(text) => text.trim().parse().ok().filter(|&i: &usize| i < 3),
            None => Some(place).filter(|&i| i < 3),
        };
        let Some(index) = index else {
            let found = node.attribute("index").unwrap_or("a fourth direction").to_owned();
            return Err(ReadError::Syntax {
                line: line(node),
                expected: "index 0, 1 or 2".to_owned(),
                found,
            });
        };
        let degree = knots.attribute("degree").unwrap_or_default().trim();
        let Ok(degree) = degree.parse() else {
            let (expected, found) = ("a degree=\"…\"".to_owned(), degree.to_owned());
            return Err(ReadError::Syntax { line: line(knots), expected, found });
        };
        let values = numbers(knots, "a knot")?;
        let knot_vector = KnotVector::new(degree, values)
            .map_err(|source| ReadError::Knots { line: line(knots), source })?;
        found[index] = Some(knot_vector);
    }
    match found {
        [Some(u), Some(v), Some(w)] => Ok([u, v, w]),
        _ => Err(ReadError::Count {
            line: line(basis),
            what: "knot vectors".to_owned(),
            expected: "3, with index 0, 1 and 2,".to_owned(),
            found: found.iter().flatten().count(),
        }),
    }
}

/// The numbers in an element, as text or Base64 of little-endian values.
pub(super) fn numbers(node: Node, expected: &str) -> Result<Vec<f64>, ReadError> {
    let text: String = node.children().filter(Node::is_text).filter_map(|child| child.text()).collect();
    let format = node.attribute("format").unwrap_or("ASCII");
    if format.eq_ignore_ascii_case("ascii") {
        let number = |word: &str| {
            word.parse().map_err(|_| ReadError::Syntax {
                line: line(node),
                expected: expected.to_owned(),
                found: word.to_owned(),
            })
        };
        return text.split_whitespace().map(number).collect();
    }
    let unreadable = |message: &str| ReadError::Syntax {
        line: line(node),
        expected: format!("{expected} in {message}"),
        found: format!("format=\"{format}\""),
    };
    let compact: String = text.split_whitespace().collect();
    let bytes = STANDARD.decode(compact).map_err(|error| unreadable(&format!("Base64 ({error})")))?;
    decode(format, &bytes).ok_or_else(|| {
        unreadable("ASCII, B64Float64, B64Float32 or B64Int/Uint with 16, 32 or 64 bits, whole values")
    })
}

/// Little-endian values of a named type; `None` for an unknown type or a torn value.
fn decode(format: &str, bytes: &[u8]) -> Option<Vec<f64>> {
    fn all<const N: usize>(bytes: &[u8], value: impl Fn([u8; N]) -> f64) -> Option<Vec<f64>> {
        let chunks = bytes.chunks_exact(N);
        let whole = chunks.remainder().is_empty();
        let values = chunks.map(|chunk| value(chunk.try_into().expect("chunks of N bytes"))).collect();
        whole.then_some(values)
    }
    match format.to_ascii_lowercase().as_str() {
        "b64float64" => all(bytes, f64::from_le_bytes),
        "b64float32" => all(bytes, |b| f32::from_le_bytes(b).into()),
        "b64int16" => all(bytes, |b| i16::from_le_bytes(b).into()),
        "b64int32" => all(bytes, |b| i32::from_le_bytes(b).into()),
        "b64int64" => all(bytes, |b| i64::from_le_bytes(b) as f64),
        "b64uint16" => all(bytes, |b| u16::from_le_bytes(b).into()),
        "b64uint32" => all(bytes, |b| u32::from_le_bytes(b).into()),
        "b64uint64" => all(bytes, |b| u64::from_le_bytes(b) as f64),
        _ => None,
    }
}
