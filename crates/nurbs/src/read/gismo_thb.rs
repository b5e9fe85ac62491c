//! `THBSpline3` of a G+Smo file: knots of level 0, boxes of finer levels, coefficients of the active
//! functions.

use roxmltree::Node;

use super::ReadError;
use super::gismo_geometry::{kind, knot_vectors, numbers, only_child, place, refused};
use crate::HierarchicalPatch;
use crate::hierarchy::{MAX_LEVEL, Tree};

/// Largest number of cells in all boxes, in addition to eight for each control point of the file: a valid
/// file has fewer than one.
const MAX_CELLS: u64 = 100_000;

/// Reads a `THBSpline3`.
///
/// A box gives the lower and the upper corner of a part of Ω^l in spans of level l; it belongs to all coarser
/// levels too.
pub(super) fn patch(node: Node) -> Result<HierarchicalPatch, ReadError> {
    let basis_node = only_child(node, "Basis")?;
    if kind(basis_node) != "THBSplineBasis3" {
        return Err(refused(basis_node, kind(basis_node)));
    }
    let tensor = only_child(basis_node, "Basis")?;
    if kind(tensor) != "TensorBSplineBasis3" {
        return Err(refused(tensor, kind(tensor)));
    }
    let basis = knot_vectors(tensor)?;
    let coefs = only_child(node, "coefs")?;
    let values = numbers(coefs, "a coordinate")?;
    let mut left = MAX_CELLS + 8 * values.len() as u64 / 3;
    let n_functions = basis.iter().map(|basis| basis.n_functions() as u64).fold(1, u64::saturating_mul);
    if n_functions > left {
        let (what, expected) =
            ("functions of level 0".to_owned(), format!("at most {left}, with so few coefficients"));
        let found = usize::try_from(n_functions).unwrap_or(usize::MAX);
        return Err(ReadError::Count { place: place(tensor), what, expected, found });
    }
    let mut tree = Tree::new(basis.each_ref().map(|basis| basis.spans().len() as u32));
    for node in basis_node.children().filter(|child| child.has_tag_name("box")) {
        divide_box(node, &mut tree, &mut left)?;
    }
    let dimension = coefs.attribute("geoDim").unwrap_or("3").trim();
    if dimension != "3" {
        let what = format!("a geometry in {dimension} dimensions");
        let way_out = "bodies need three coordinates a control point (geoDim=\"3\")".to_owned();
        return Err(ReadError::Refused { place: place(coefs), what, way_out });
    }
    let (points, rest) = values.as_chunks::<3>();
    let mut patch = HierarchicalPatch { basis, tree, points: Vec::new(), weights: Vec::new() };
    let needed: usize = patch.n_active().iter().sum();
    if points.len() != needed || !rest.is_empty() {
        let expected = format!("3 for each of the {needed} active functions that the boxes make");
        let what = "coordinates".to_owned();
        return Err(ReadError::Count { place: place(coefs), what, expected, found: values.len() });
    }
    if let Some(bad) = values.iter().find(|x| !x.is_finite()) {
        let expected = "finite coordinates".to_owned();
        return Err(ReadError::Syntax { place: place(coefs), expected, found: bad.to_string() });
    }
    patch.points = points.to_vec();
    patch.weights = vec![1.0; needed];
    Ok(patch)
}

/// * `left` — number of further cells that may be divided
fn divide_box(node: Node, tree: &mut Tree, left: &mut u64) -> Result<(), ReadError> {
    let wrong = |expected: &str, found: String| ReadError::Syntax {
        place: place(node),
        expected: expected.to_owned(),
        found,
    };
    let text = node.attribute("level").unwrap_or_default().trim();
    let level: usize = text.parse().map_err(|_| wrong("a level=\"…\"", text.to_owned()))?;
    if level > MAX_LEVEL {
        return Err(wrong(&format!("a level up to {MAX_LEVEL}"), level.to_string()));
    }
    let corners = numbers(node, "a corner of a box")?;
    let lattice = tree.lattice(level);
    let corner = |n: usize, d: usize| {
        let value = corners[n];
        let fits = value.fract() == 0.0 && value >= 0.0 && value <= f64::from(lattice[d]);
        fits.then_some(value as u32)
            .ok_or_else(|| wrong(&format!("a span from 0 to {}", lattice[d]), value.to_string()))
    };
    if corners.len() != 6 {
        let (what, expected) = ("numbers of a box".to_owned(), "two corners of 3".to_owned());
        return Err(ReadError::Count { place: place(node), what, expected, found: corners.len() });
    }
    if level == 0 {
        return Ok(());
    }
    let mut ends = [[0; 2]; 3];
    for (d, [low, high]) in ends.iter_mut().enumerate() {
        (*low, *high) = (corner(d, d)?, corner(3 + d, d)?);
        if *low % 2 == 1 || *high % 2 == 1 {
            let way_out =
                "a box of a level must consist of whole spans of the level below: even numbers".to_owned();
            let what = format!("a box of level {level} from {low} to {high}");
            return Err(ReadError::Refused { place: place(node), what, way_out });
        }
    }
    let extents = ends.iter().map(|[low, high]| u64::from(high.saturating_sub(*low) / 2));
    let cells = extents.fold(1, u64::saturating_mul);
    // Cells above a divided one are divided too.
    let cost = cells.saturating_mul(level as u64);
    if cost > *left {
        return Err(wrong(
            &format!("a box of at most {left} cells, with so few coefficients"),
            cells.to_string(),
        ));
    }
    *left -= cost;
    let [u, v, w] = ends.map(|[low, high]| low / 2..high / 2);
    for k in w {
        for j in v.clone() {
            for i in u.clone() {
                tree.divide(level - 1, [i, j, k]);
            }
        }
    }
    Ok(())
}
