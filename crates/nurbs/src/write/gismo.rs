//! G+Smo XML.

use std::fmt::{self, Write};

use super::{Format, WriteError, Written, left_out};
use crate::{HierarchicalPatch, KnotVector, Multipatch, Patch, Side};

/// Id of the first patch in a file; G+Smo numbers its own objects from 0.
const FIRST_ID: usize = 100;

/// A body as the text of a G+Smo XML file.
///
/// Contains its patches, a `MultiPatch` with all interfaces, and a named `<boundary>` for each region of
/// whole sides (the format has no parts of sides near a point). A body that is refined locally is written
/// as `THBSpline3`.
///
/// # Errors
///
/// [`WriteError::HierarchicalRational`] for a rational body that is refined locally.
pub fn gismo(body: &Multipatch) -> Result<Written, WriteError> {
    if let Some(hierarchy) = &body.hierarchy
        && hierarchy.patches.iter().flat_map(|patch| &patch.weights).any(|&w| w != 1.0)
    {
        return Err(WriteError::HierarchicalRational);
    }
    let mut text = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<xml>\n");
    let mut write = |piece: fmt::Arguments| text.write_fmt(piece).expect("strings take everything");
    write(format_args!(" <MultiPatch parDim=\"3\" id=\"0\">\n"));
    let last = FIRST_ID + body.patches.len() - 1;
    write(format_args!("  <patches type=\"id_range\">{FIRST_ID} {last}</patches>\n"));
    let interfaces = body.interfaces();
    if !interfaces.is_empty() {
        write(format_args!("  <interfaces>"));
        for interface in interfaces {
            let (first, second) = (interface.first, interface.second);
            // Direction i of the first patch becomes map[i] of the second; 1 if in the same sense.
            let (mut map, mut same) = ([0; 3], [0; 3]);
            let normal = first.1.direction();
            map[normal] = second.1.direction();
            same[normal] = u8::from(first.1.is_end() != second.1.is_end());
            for (tangent, (direction, reversed)) in first.1.tangents().into_iter().zip(interface.directions())
            {
                map[tangent] = direction;
                same[tangent] = u8::from(!reversed);
            }
            write(format_args!("{} {}", side(first), side(second)));
            let ([a, b, c], [r, s, t]) = (map, same);
            write(format_args!("  {a} {b} {c}  {r} {s} {t}\n"));
        }
        write(format_args!("  </interfaces>\n"));
    }
    for (name, region) in body.regions.iter().filter(|(_, region)| region.near.is_empty()) {
        let sides: Vec<String> = region.sides.iter().map(|&pair| side(pair)).collect();
        write(format_args!("  <boundary name=\"{}\">{}</boundary>\n", escaped(name), sides.join("  ")));
    }
    write(format_args!(" </MultiPatch>\n"));
    for (number, patch) in body.patches.iter().enumerate() {
        let id = FIRST_ID + number;
        match &body.hierarchy {
            Some(hierarchy) => write(format_args!("{}", Levels { id, patch: &hierarchy.patches[number] })),
            None => write(format_args!("{}", Geometry { id, patch })),
        }
    }
    text.push_str("</xml>\n");
    let parts: Vec<&str> = body
        .regions
        .iter()
        .filter(|(_, region)| !region.near.is_empty())
        .map(|(name, _)| name.as_str())
        .collect();
    Ok(Written { text, notes: left_out(&parts, Format::Gismo, "parts of patch sides") })
}

fn side((patch, side): (u32, Side)) -> String {
    format!("{} {}", FIRST_ID + patch as usize, side as usize + 1)
}

fn escaped(name: &str) -> String {
    name.replace('&', "&amp;").replace('<', "&lt;").replace('"', "&quot;")
}

/// One patch as XML.
struct Geometry<'a> {
    id: usize,
    patch: &'a Patch,
}

impl fmt::Display for Geometry<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rational = self.patch.weights.iter().any(|&weight| weight != 1.0);
        let kind = if rational { "TensorNurbs3" } else { "TensorBSpline3" };
        writeln!(f, " <Geometry type=\"{kind}\" id=\"{}\">", self.id)?;
        if rational {
            writeln!(f, "  <Basis type=\"TensorNurbsBasis3\">")?;
        }
        writeln!(f, "  <Basis type=\"TensorBSplineBasis3\">")?;
        write_knots(f, &self.patch.basis)?;
        writeln!(f, "  </Basis>")?;
        if rational {
            writeln!(f, "  <weights>")?;
            for weight in &self.patch.weights {
                writeln!(f, "{weight:?}")?;
            }
            writeln!(f, "  </weights>\n  </Basis>")?;
        }
        write_points(f, &self.patch.points)
    }
}

fn write_knots(f: &mut fmt::Formatter<'_>, basis: &[KnotVector; 3]) -> fmt::Result {
    for (index, basis) in basis.iter().enumerate() {
        write!(
            f,
            "   <Basis type=\"BSplineBasis\" index=\"{index}\"><KnotVector degree=\"{}\">",
            basis.degree()
        )?;
        for knot in basis.knots() {
            write!(f, "{knot:?} ")?;
        }
        writeln!(f, "</KnotVector></Basis>")?;
    }
    Ok(())
}

fn write_points(f: &mut fmt::Formatter<'_>, points: &[[f64; 3]]) -> fmt::Result {
    writeln!(f, "  <coefs geoDim=\"3\">")?;
    for [x, y, z] in points {
        writeln!(f, "{x:?} {y:?} {z:?}")?;
    }
    writeln!(f, "  </coefs>\n </Geometry>")
}

/// One patch of a body that is refined locally.
struct Levels<'a> {
    id: usize,
    patch: &'a HierarchicalPatch,
}

impl fmt::Display for Levels<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, " <Geometry type=\"THBSpline3\" id=\"{}\">", self.id)?;
        writeln!(f, "  <Basis type=\"THBSplineBasis3\">\n  <Basis type=\"TensorBSplineBasis3\">")?;
        write_knots(f, &self.patch.basis)?;
        writeln!(f, "  </Basis>")?;
        let tree = &self.patch.tree;
        for level in 1..tree.n_levels() {
            // Rows of divided cells of the level below, each a box in spans of this level.
            let cells: Vec<_> = tree.divided(level - 1).collect();
            for row in cells.chunk_by(|a, b| a[0] + 1 == b[0] && a[1..] == b[1..]) {
                let ([i, j, k], last) = (row[0], row[row.len() - 1][0]);
                let corners = [[2 * i, 2 * j, 2 * k], [2 * last + 2, 2 * j + 2, 2 * k + 2]].concat();
                let numbers: Vec<String> = corners.iter().map(u32::to_string).collect();
                writeln!(f, "   <box level=\"{level}\">{}</box>", numbers.join(" "))?;
            }
        }
        writeln!(f, "  </Basis>")?;
        write_points(f, &self.patch.points)
    }
}
