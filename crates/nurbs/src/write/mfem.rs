//! MFEM NURBS meshes in patches form.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::{Format, WriteError, Written, left_out, quoted, refuse_hierarchical};
use crate::mfem_cells::{CORNERS, FACES, SIDES};
use crate::{Multipatch, Side};

/// A body as the text of an MFEM NURBS mesh.
///
/// Each patch has its own list of Cartesian control points (`controlpoints_cartesian`), so that reading
/// gives the same bits; the homogeneous form would lose them in a product and a quotient. Regions of whole
/// sides become boundary attributes: one for each set of faces that belong to the same regions, numbered
/// from 1, the last one for faces without a region. A comment and a note list the regions of each
/// attribute, as this format has no names.
///
/// # Errors
///
/// [`WriteError`] for bodies that this format cannot represent: it identifies edges and faces by the
/// vertices at their corners, so that coinciding corners and rings of two patches are not possible.
pub fn mfem(body: &Multipatch) -> Result<Written, WriteError> {
    refuse_hierarchical(body, Format::Mfem)?;
    let vertices = Vertices::of(body)?;
    let edges = edges(body, &vertices)?;
    check_faces(body, &vertices)?;
    let attributes = Attributes::of(body);
    let mut text = String::from("MFEM NURBS mesh v1.0\n\n");
    let mut write = |piece: std::fmt::Arguments| text.write_fmt(piece).expect("strings take everything");
    for (number, names) in &attributes.names {
        let names = names.join(", ").replace(['\n', '\r'], " ");
        write(format_args!("# boundary attribute {number}: {names}\n"));
    }
    write(format_args!("\ndimension\n3\n\nelements\n{}\n", body.patches.len()));
    for corners in &vertices.of_patch {
        write(format_args!("1 5 {}\n", list(corners)));
    }
    write(format_args!("\nboundary\n{}\n", attributes.of_side.len()));
    for (&(patch, side), attribute) in &attributes.of_side {
        write(format_args!("{attribute} 3 {}\n", list(&vertices.of_face(patch as usize, side))));
    }
    write(format_args!("\nedges\n{}\n", edges.len()));
    for edge in edges.values() {
        write(format_args!("{} {} {}\n", edge.knot_vector, edge.ends[0], edge.ends[1]));
    }
    write(format_args!("\nvertices\n{}\n\npatches\n", vertices.n));
    for patch in &body.patches {
        write(format_args!("\nknotvectors\n3\n"));
        for basis in &patch.basis {
            write(format_args!("{} {}", basis.degree(), basis.n_functions()));
            basis.knots().iter().for_each(|knot| write(format_args!(" {knot:?}")));
            write(format_args!("\n"));
        }
        write(format_args!("\ndimension\n3\n\ncontrolpoints_cartesian\n"));
        for ([x, y, z], weight) in patch.points.iter().zip(&patch.weights) {
            write(format_args!("{x:?} {y:?} {z:?} {weight:?}\n"));
        }
    }
    Ok(Written { text, notes: attributes.notes(body) })
}

fn list(numbers: &[usize]) -> String {
    numbers.iter().map(usize::to_string).collect::<Vec<_>>().join(" ")
}

/// The corners of the patches, numbered by their first appearance.
struct Vertices {
    /// In MFEM's order of the corners of a cell.
    of_patch: Vec<[usize; 8]>,
    n: usize,
}

impl Vertices {
    fn of(body: &Multipatch) -> Result<Self, WriteError> {
        let mut numbers: BTreeMap<u32, usize> = BTreeMap::new();
        let mut of_patch = Vec::with_capacity(body.patches.len());
        for (number, (patch, ids)) in body.patches.iter().zip(body.point_ids()).enumerate() {
            let counts = patch.counts();
            let corners = CORNERS.map(|corner| {
                let id = ids[patch.index([0, 1, 2].map(|d| corner[d] * (counts[d] - 1)))];
                let next = numbers.len();
                *numbers.entry(id).or_insert(next)
            });
            let mut distinct = corners;
            distinct.sort_unstable();
            if distinct.windows(2).any(|pair| pair[0] == pair[1]) {
                return Err(WriteError::CollapsedCorners { patch: number });
            }
            of_patch.push(corners);
        }
        Ok(Self { of_patch, n: numbers.len() })
    }

    fn of_face(&self, patch: usize, side: Side) -> [usize; 4] {
        let face = SIDES.iter().position(|&other| other == side).expect("all six sides are listed");
        FACES[face].map(|corner| self.of_patch[patch][corner])
    }
}

/// An edge of one or more patches.
struct Edge {
    /// Number of its knot vector.
    knot_vector: usize,
    /// Vertices in the sense of the knot vector.
    ends: [usize; 2],
    /// Its control points from the lower vertex to the higher.
    points: Vec<u32>,
    patch: usize,
}

/// The edges of all patches by their vertices, ascending.
fn edges(body: &Multipatch, vertices: &Vertices) -> Result<BTreeMap<[usize; 2], Edge>, WriteError> {
    let classes = body.topology().classes(body.patches.len());
    let mut numbers: BTreeMap<usize, usize> = BTreeMap::new();
    let mut edges: BTreeMap<[usize; 2], Edge> = BTreeMap::new();
    for (number, patch) in body.patches.iter().enumerate() {
        for direction in 0..3 {
            let next = numbers.len();
            let knot_vector = *numbers.entry(classes.class((number, direction))).or_insert(next);
            for a in (0..8).filter(|&corner| CORNERS[corner][direction] == 0) {
                let mut end = CORNERS[a];
                end[direction] = 1;
                let b = CORNERS.iter().position(|&corner| corner == end).expect("a box has all its corners");
                let [from, to] = [a, b].map(|corner| vertices.of_patch[number][corner]);
                let counts = patch.counts();
                let mut ijk = [0, 1, 2].map(|d| CORNERS[a][d] * (counts[d] - 1));
                let mut points = Vec::with_capacity(counts[direction]);
                for i in 0..counts[direction] {
                    ijk[direction] = i;
                    points.push(body.point_ids()[number][patch.index(ijk)]);
                }
                if from > to {
                    points.reverse();
                }
                let ends = if classes.reversed((number, direction)) { [to, from] } else { [from, to] };
                let known = edges.entry([from.min(to), from.max(to)]).or_insert_with(|| Edge {
                    knot_vector,
                    ends,
                    points: points.clone(),
                    patch: number,
                });
                if known.points != points {
                    let (what, first, second) = ("edges", known.patch, number);
                    return Err(WriteError::SharedCorners { what, first, second });
                }
            }
        }
    }
    Ok(edges)
}

/// Faces with the same corners must be the same.
fn check_faces(body: &Multipatch, vertices: &Vertices) -> Result<(), WriteError> {
    let mut known: BTreeMap<[usize; 4], (usize, Vec<u32>)> = BTreeMap::new();
    for patch in 0..body.patches.len() {
        for side in Side::ALL {
            let mut corners = vertices.of_face(patch, side);
            corners.sort_unstable();
            let points = body.side_ids((patch as u32, side));
            let (first, same) = known.entry(corners).or_insert_with(|| (patch, points.clone()));
            if *same != points {
                return Err(WriteError::SharedCorners { what: "faces", first: *first, second: patch });
            }
        }
    }
    Ok(())
}

/// Boundary attributes: one for each combination of regions.
struct Attributes<'a> {
    /// The outer sides with their attributes, from 1.
    of_side: BTreeMap<(u32, Side), usize>,
    /// The regions of each attribute, by its number.
    names: BTreeMap<usize, Vec<&'a str>>,
}

impl<'a> Attributes<'a> {
    fn of(body: &'a Multipatch) -> Self {
        let outer = body.outer_sides();
        let mut regions: BTreeMap<(u32, Side), Vec<&str>> = BTreeMap::new();
        for (name, region) in body.regions.iter().filter(|(_, region)| region.near.is_empty()) {
            for side in &region.sides {
                let names = regions.entry(*side).or_default();
                if names.last() != Some(&name.as_str()) {
                    names.push(name);
                }
            }
        }
        let mut sets: Vec<&Vec<&str>> = Vec::new();
        for of_side in outer.iter().filter_map(|side| regions.get(side)) {
            if !sets.contains(&of_side) {
                sets.push(of_side);
            }
        }
        // A set that was read from attribute N keeps its number and thereby its name.
        let numbered = |set: &[&str]| match set {
            [name] => name.strip_prefix("boundary")?.parse().ok().filter(|&n: &usize| n > 0 && n < 1_000_000),
            _ => None,
        };
        let mut names: BTreeMap<usize, Vec<&str>> =
            sets.iter().filter_map(|set| Some((numbered(set)?, (*set).clone()))).collect();
        for set in sets.into_iter().filter(|set| numbered(set).is_none()) {
            let free = (1..).find(|n| !names.contains_key(n)).expect("numbers do not end");
            names.insert(free, set.clone());
        }
        let rest = (1..).find(|n| !names.contains_key(n)).expect("numbers do not end");
        let attribute = |side: &(u32, Side)| {
            let of_side = regions.get(side);
            names.iter().find(|(_, names)| of_side == Some(names)).map_or(rest, |(&number, _)| number)
        };
        let of_side = outer.iter().map(|side| (*side, attribute(side))).collect();
        Self { of_side, names }
    }

    fn notes(&self, body: &Multipatch) -> Vec<String> {
        let mut notes = Vec::new();
        if !self.names.is_empty() {
            let said: Vec<String> =
                self.names.iter().map(|(number, names)| format!("{number} is {}", quoted(names))).collect();
            notes.push(format!(
                "{} has boundary attributes instead of names: {}",
                Format::Mfem,
                said.join(", ")
            ));
        }
        let held = |name: &str| self.names.values().any(|names| names.contains(&name));
        let lost: Vec<&str> = body.regions.keys().map(String::as_str).filter(|name| !held(name)).collect();
        notes.extend(left_out(&lost, Format::Mfem, "parts of patch sides, or sides inside the body"));
        notes
    }
}
