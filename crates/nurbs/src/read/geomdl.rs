//! JSON files of geomdl (NURBS-Python).

use serde::Deserialize;

use super::contents::Contents;
use super::json::{Numbers, from_text, required};
use super::solid::{Solid, bases, no_solid};
use super::{Place, ReadError};
use crate::Patch;

#[derive(Deserialize)]
struct Root {
    shape: Shape,
}

#[derive(Deserialize)]
struct Shape {
    #[serde(rename = "type")]
    kind: Option<String>,
    count: Option<usize>,
    data: Option<Vec<Volume>>,
}

#[derive(Deserialize)]
struct Volume {
    dimension: Option<usize>,
    rational: Option<bool>,
    degree_u: Option<usize>,
    degree_v: Option<usize>,
    degree_w: Option<usize>,
    knotvector_u: Option<Vec<f64>>,
    knotvector_v: Option<Vec<f64>>,
    knotvector_w: Option<Vec<f64>>,
    size_u: Option<usize>,
    size_v: Option<usize>,
    size_w: Option<usize>,
    control_points: Option<ControlPoints>,
}

#[derive(Deserialize)]
struct ControlPoints {
    points: Option<Numbers>,
    weights: Option<Vec<f64>>,
}

/// Reads the text of a geomdl JSON file: all volumes in it.
///
/// Control points are Cartesian, the second parameter fastest: number v + n_v (u + n_u w).
///
/// # Errors
///
/// [`ReadError`] with the line or entry; curves and surfaces are refused by their name.
pub(super) fn parse(text: &str) -> Result<Contents, ReadError> {
    let Root { shape } = from_text(text)?;
    let kind = required(shape.kind, "shape.type")?;
    if kind != "volume" {
        return Err(no_solid(Place::Entry("shape.type".to_owned()), format!("a geomdl `{kind}`")));
    }
    let volumes = required(shape.data, "shape.data")?;
    if let Some(count) = shape.count.filter(|&count| count != volumes.len()) {
        let (place, what) = (Place::Entry("shape.data".to_owned()), "volumes".to_owned());
        let expected = format!("{count} (`shape.count`)");
        return Err(ReadError::Count { place, what, expected, found: volumes.len() });
    }
    let patches = volumes.into_iter().enumerate().map(|(number, volume)| patch(volume, number));
    Ok(Contents::of(patches.collect::<Result<_, _>>()?))
}

fn patch(volume: Volume, number: usize) -> Result<Patch, ReadError> {
    let name = |entry: &str| format!("shape.data[{number}].{entry}");
    let place = |entry: &str| Place::Entry(name(entry));
    if let Some(dimension) = volume.dimension.filter(|&d| d != 3) {
        return Err(no_solid(place("dimension"), format!("a volume in {dimension} dimensions")));
    }
    let direction = |degree, knots, letter: char| -> Result<_, ReadError> {
        let knot_vector = format!("knotvector_{letter}");
        let degree = required(degree, &name(&format!("degree_{letter}")))?;
        Ok((degree, required(knots, &name(&knot_vector))?, place(&knot_vector)))
    };
    let knots = [
        direction(volume.degree_u, volume.knotvector_u, 'u')?,
        direction(volume.degree_v, volume.knotvector_v, 'v')?,
        direction(volume.degree_w, volume.knotvector_w, 'w')?,
    ];
    let mut solid = Solid::new(Place::Entry(format!("shape.data[{number}]")), number, bases(knots)?);
    let counts = solid.counts();
    for (d, size) in [volume.size_u, volume.size_v, volume.size_w].into_iter().enumerate() {
        let entry = ["size_u", "size_v", "size_w"][d];
        let found = required(size, &name(entry))?;
        if found != counts[d] {
            let (what, expected) =
                ("control points".to_owned(), format!("{} (by the knot vector)", counts[d]));
            return Err(ReadError::Count { place: place(entry), what, expected, found });
        }
    }
    let control_points = required(volume.control_points, &name("control_points"))?;
    let Numbers::Values(points, Some(3)) = required(control_points.points, &name("control_points.points"))?
    else {
        let (expected, found) = ("a list of [x, y, z]".to_owned(), "something else".to_owned());
        return Err(ReadError::Syntax { place: place("control_points.points"), expected, found });
    };
    let points = points.as_chunks::<3>().0;
    let weights = match (control_points.weights, volume.rational) {
        // As in geomdl itself: splines that are not rational have no weights.
        (_, Some(false)) | (None, None) => vec![1.0; points.len()],
        (weights, _) => required(weights, &name("control_points.weights"))?,
    };
    for (entry, what, found) in [
        ("control_points.points", "control points", points.len()),
        ("control_points.weights", "weights", weights.len()),
    ] {
        if solid.n_points() != Some(found) {
            let expected = format!("{} x {} x {}", counts[0], counts[1], counts[2]);
            return Err(ReadError::Count { place: place(entry), what: what.to_owned(), expected, found });
        }
    }
    let [n_u, n_v, n_w] = counts;
    for (k, j, i) in (0..n_w).flat_map(|k| (0..n_v).flat_map(move |j| (0..n_u).map(move |i| (k, j, i)))) {
        let place = j + n_v * (i + n_u * k);
        solid.push_cartesian(points[place], weights[place]);
    }
    solid.patch()
}
