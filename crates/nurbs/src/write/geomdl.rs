//! geomdl JSON.

use serde::Serialize;

use super::{Format, WriteError, Written, left_out, refuse_hierarchical};
use crate::{Multipatch, Patch};

#[derive(Serialize)]
struct Root<'a> {
    shape: Shape<'a>,
}

#[derive(Serialize)]
struct Shape<'a> {
    #[serde(rename = "type")]
    kind: &'static str,
    count: usize,
    data: Vec<Volume<'a>>,
}

#[derive(Serialize)]
struct Volume<'a> {
    #[serde(rename = "type")]
    kind: &'static str,
    rational: bool,
    dimension: usize,
    degree_u: usize,
    degree_v: usize,
    degree_w: usize,
    knotvector_u: &'a [f64],
    knotvector_v: &'a [f64],
    knotvector_w: &'a [f64],
    size_u: usize,
    size_v: usize,
    size_w: usize,
    control_points: ControlPoints,
    /// Steps at which geomdl evaluates a volume to show it.
    delta: [f64; 3],
}

#[derive(Serialize)]
struct ControlPoints {
    points: Vec<[f64; 3]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    weights: Option<Vec<f64>>,
}

/// A body as the text of a geomdl JSON file: a list of volumes.
///
/// This format has no interfaces and regions. When the file is read, patches are glued again where they
/// match.
///
/// # Errors
///
/// [`WriteError::Hierarchical`] for a body that is refined locally.
pub fn geomdl(body: &Multipatch) -> Result<Written, WriteError> {
    refuse_hierarchical(body, Format::Geomdl)?;
    let data: Vec<Volume> = body.patches.iter().map(volume).collect();
    let root = Root { shape: Shape { kind: "volume", count: data.len(), data } };
    let mut text = serde_json::to_string_pretty(&root).expect("numbers and names are always JSON");
    text.push('\n');
    let names: Vec<&str> = body.regions.keys().map(String::as_str).collect();
    Ok(Written { text, notes: left_out(&names, Format::Geomdl, "sets") })
}

fn volume(patch: &Patch) -> Volume<'_> {
    let [degree_u, degree_v, degree_w] = patch.degrees();
    let [size_u, size_v, size_w] = patch.counts();
    // geomdl numbers v fastest, then u, then w.
    let order: Vec<usize> = (0..size_w)
        .flat_map(|k| (0..size_u).flat_map(move |i| (0..size_v).map(move |j| patch.index([i, j, k]))))
        .collect();
    let rational = patch.weights.iter().any(|&weight| weight != 1.0);
    Volume {
        kind: "spline",
        rational,
        dimension: 3,
        degree_u,
        degree_v,
        degree_w,
        knotvector_u: patch.basis[0].knots(),
        knotvector_v: patch.basis[1].knots(),
        knotvector_w: patch.basis[2].knots(),
        size_u,
        size_v,
        size_w,
        control_points: ControlPoints {
            points: order.iter().map(|&place| patch.points[place]).collect(),
            weights: rational.then(|| order.iter().map(|&place| patch.weights[place]).collect()),
        },
        delta: [0.1; 3],
    }
}
