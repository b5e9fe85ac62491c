//! MFEM NURBS meshes: element form and patches form.

use std::collections::{BTreeMap, HashMap};

use super::contents::{Contents, ListedInterface};
use super::mfem_numbering::{Numbering, ascending};
use super::solid::Solid;
use super::tokens::Tokens;
use super::{Note, Place, ReadError};
use crate::mfem_cells::{CORNERS, FACES, SIDES};
use crate::{KnotVector, Patch, Side};

/// The topology that both forms share.
struct Mesh {
    elements: Vec<[usize; 8]>,
    /// Attribute and corner vertices of the faces that the file names.
    boundary: Vec<(i64, [usize; 4])>,
    /// Number of the knot vector and the two vertices, and the line.
    edges: Vec<(usize, [usize; 2], Place)>,
    n_vertices: usize,
}

/// Reads the text of an MFEM NURBS mesh.
///
/// The boundary faces of attribute n become the region `boundaryn`. Faces that elements share by their
/// vertices must coincide; faces that coincide without sharing vertices are glued too.
///
/// # Errors
///
/// [`ReadError`] with the line; meshes of dimension 1 and 2, NC-patch meshes and meshes without NURBS are
/// refused.
pub(super) fn parse(text: &str) -> Result<Contents, ReadError> {
    let mut tokens = Tokens::new(text);
    header(&mut tokens)?;
    let mesh = topology(&mut tokens)?;
    let start = tokens.place();
    let patches = match tokens.word("`knotvectors` or `patches`")? {
        "patches" => patches_form(&mut tokens, mesh.elements.len())?,
        "knotvectors" => element_form(&mut tokens, &mesh, &start)?,
        _ => return Err(tokens.unexpected("`knotvectors` or `patches`")),
    };
    // MFEM ends a mesh that is part of a longer file by a special word.
    if tokens.peek() == Some("mfem_mesh_end") {
        tokens.keyword("mfem_mesh_end")?;
    }
    tokens.end("the last control point")?;
    let sides = sides(&mesh);
    let mut contents = Contents::of(patches);
    for glued in sides.values() {
        for &second in &glued[1..] {
            let (place, first) = (start.clone(), glued[0]);
            contents.interfaces.push(ListedInterface { place, first, second, directions: None });
        }
    }
    for &(attribute, corners) in &mesh.boundary {
        match sides.get(&ascending(corners)).map(Vec::as_slice) {
            Some(&[side, ..]) => contents.boundaries.push((format!("boundary{attribute}"), side)),
            _ => contents.notes.push(Note::LooseBoundary { attribute, vertices: corners }),
        }
    }
    Ok(contents)
}

fn header(tokens: &mut Tokens) -> Result<(), ReadError> {
    let place = tokens.place();
    let refused = |what: &str, way_out: &str| ReadError::Refused {
        place: place.clone(),
        what: what.to_owned(),
        way_out: way_out.to_owned(),
    };
    tokens.keyword("MFEM")?;
    match tokens.word("`NURBS mesh`")? {
        "NURBS" => {}
        _ => {
            return Err(refused(
                "an MFEM mesh without NURBS",
                "export it as a Gmsh .msh or .vtu file and import that",
            ));
        }
    }
    if tokens.peek() == Some("NC-patch") {
        return Err(refused(
            "an NC-patch mesh (patches refined without matching)",
            "refine uniformly in MFEM so that patches match, and save it as `MFEM NURBS mesh v1.0`",
        ));
    }
    tokens.keyword("mesh")?;
    match tokens.word("the version v1.0 or v1.1")? {
        "v1.0" | "v1.1" => {}
        other => {
            return Err(refused(
                &format!("version `{other}`"),
                "save the mesh as `MFEM NURBS mesh v1.0` or v1.1",
            ));
        }
    }
    tokens.keyword("dimension")?;
    match tokens.number::<usize>("the dimension 3")? {
        3 => Ok(()),
        d => Err(refused(&format!("a NURBS mesh of dimension {d}"), "bodies are solids, of dimension 3")),
    }
}

fn topology(tokens: &mut Tokens) -> Result<Mesh, ReadError> {
    tokens.keyword("elements")?;
    let mut elements = Vec::new();
    for _ in 0..tokens.number::<usize>("the number of elements")? {
        let _attribute: i64 = tokens.number("the attribute of an element")?;
        if tokens.number::<usize>("5, a hexahedron")? != 5 {
            return Err(tokens.unexpected("5, a hexahedron"));
        }
        elements.push(vertices(tokens)?);
    }
    tokens.keyword("boundary")?;
    let mut boundary = Vec::new();
    for _ in 0..tokens.number::<usize>("the number of boundary faces")? {
        let attribute = tokens.number("the attribute of a boundary face")?;
        if tokens.number::<usize>("3, a quadrilateral")? != 3 {
            return Err(tokens.unexpected("3, a quadrilateral"));
        }
        boundary.push((attribute, vertices(tokens)?));
    }
    tokens.keyword("edges")?;
    let mut edges = Vec::new();
    for _ in 0..tokens.number::<usize>("the number of edges")? {
        let place = tokens.place();
        edges.push((tokens.number("the number of a knot vector")?, vertices(tokens)?, place));
    }
    tokens.keyword("vertices")?;
    let n_vertices = tokens.number("the number of vertices")?;
    let used = elements.iter().flatten().chain(edges.iter().flat_map(|(_, ends, _)| ends));
    if let Some(vertex) = used.into_iter().find(|&&vertex| vertex >= n_vertices) {
        let expected = format!("more vertices than the number {vertex} of one that is used");
        return Err(ReadError::Syntax { place: tokens.place(), expected, found: n_vertices.to_string() });
    }
    Ok(Mesh { elements, boundary, edges, n_vertices })
}

fn vertices<const N: usize>(tokens: &mut Tokens) -> Result<[usize; N], ReadError> {
    let mut all = [0; N];
    for vertex in &mut all {
        *vertex = tokens.number("the number of a vertex")?;
    }
    Ok(all)
}

/// One line `degree n knot_0 … knot_{n+p}`.
fn knot_vector(tokens: &mut Tokens) -> Result<KnotVector, ReadError> {
    let place = tokens.place();
    let degree: usize = tokens.number("the degree of a knot vector")?;
    let n: usize = tokens.number("the number of control points of a knot vector")?;
    let mut knots = Vec::new();
    for _ in 0..n.saturating_add(degree).saturating_add(1) {
        knots.push(tokens.number("a knot")?);
    }
    KnotVector::new(degree, knots).map_err(|source| ReadError::Knots { place, source })
}

fn patches_form(tokens: &mut Tokens, n_patches: usize) -> Result<Vec<Patch>, ReadError> {
    let mut patches = Vec::new();
    for number in 0..n_patches {
        let place = tokens.place();
        tokens.keyword("knotvectors")?;
        if tokens.number::<usize>("3 knot vectors")? != 3 {
            return Err(tokens.unexpected("3 knot vectors"));
        }
        let basis = [knot_vector(tokens)?, knot_vector(tokens)?, knot_vector(tokens)?];
        tokens.keyword("dimension")?;
        if tokens.number::<usize>("the dimension 3")? != 3 {
            return Err(tokens.unexpected("the dimension 3"));
        }
        let homogeneous = match tokens.word("`controlpoints` or `controlpoints_cartesian`")? {
            "controlpoints" | "controlpoints_homogeneous" => true,
            "controlpoints_cartesian" => false,
            _ => return Err(tokens.unexpected("`controlpoints` or `controlpoints_cartesian`")),
        };
        let mut solid = Solid::new(place, number, basis);
        for _ in 0..solid.n_points().unwrap_or(usize::MAX) {
            let mut row = [0.0; 4];
            for value in &mut row {
                *value = tokens.number("a coordinate or weight of a control point")?;
            }
            let [x, y, z, w]: [f64; 4] = row;
            if homogeneous {
                solid.push_homogeneous([x, y, z], w);
            } else {
                solid.push_cartesian([x, y, z], w);
            }
        }
        patches.push(solid.patch()?);
    }
    Ok(patches)
}

fn element_form(tokens: &mut Tokens, mesh: &Mesh, start: &Place) -> Result<Vec<Patch>, ReadError> {
    let mut knot_vectors = Vec::new();
    for _ in 0..tokens.number::<usize>("the number of knot vectors")? {
        knot_vectors.push(knot_vector(tokens)?);
    }
    if tokens.peek() == Some("spacing") {
        skip_spacing(tokens)?;
    }
    let bases = bases(mesh, &knot_vectors, start)?;
    let counts: Vec<[usize; 3]> =
        bases.iter().map(|basis| [0, 1, 2].map(|d: usize| basis[d].n_functions())).collect();
    let edges: Vec<_> =
        mesh.edges.iter().map(|&(knots, ends, _)| (ends, knot_vectors[knots].n_functions())).collect();
    let elements: Vec<_> = mesh.elements.iter().copied().zip(counts.iter().copied()).collect();
    let inconsistent = || ReadError::Syntax {
        place: start.clone(),
        expected: "knot vectors with the same number of control points on all edges that are glued"
            .to_owned(),
        found: "different numbers".to_owned(),
    };
    let numbering = Numbering::new(mesh.n_vertices, &edges, &elements).ok_or_else(inconsistent)?;
    if let Some(section @ ("periodic" | "mesh_elements")) = tokens.peek() {
        let way_out = "bodies are whole and not periodic: save the mesh without it".to_owned();
        return Err(ReadError::Refused {
            place: tokens.place(),
            what: format!("a section `{section}`"),
            way_out,
        });
    }
    tokens.keyword("weights")?;
    let mut weights = Vec::new();
    for _ in 0..numbering.total {
        weights.push(tokens.number("a weight")?);
    }
    let points = control_points(tokens, numbering.total)?;
    let mut patches = Vec::new();
    for (number, (basis, [n, m, l])) in bases.into_iter().zip(counts).enumerate() {
        let ids: Option<Vec<usize>> = (0..n * m * l)
            .map(|i| [i % n, i / n % m, i / (n * m)])
            .map(|ijk| numbering.number(number, &mesh.elements[number], [n, m, l], ijk))
            .map(|id| id.filter(|&id| id < numbering.total))
            .collect();
        let ids = ids.ok_or_else(inconsistent)?;
        let patch_points = ids.iter().map(|&id| points[id]).collect();
        let patch = Patch::new(basis, patch_points, ids.iter().map(|&id| weights[id]).collect());
        patches.push(patch.map_err(|source| ReadError::Patch {
            place: start.clone(),
            patch: number,
            source,
        })?);
    }
    Ok(patches)
}

/// `spacing M`, then M times `knotvector type #int #real ints… reals…`: only steers refinement in MFEM.
fn skip_spacing(tokens: &mut Tokens) -> Result<(), ReadError> {
    tokens.keyword("spacing")?;
    for _ in 0..tokens.number::<usize>("the number of spacing functions")? {
        let _knot_vector: usize = tokens.number("a knot vector")?;
        let _kind: i64 = tokens.number("a type of spacing")?;
        let integers: usize = tokens.number("a number of integers")?;
        let reals: usize = tokens.number("a number of reals")?;
        for _ in 0..integers.saturating_add(reals) {
            let _: f64 = tokens.number("a parameter of a spacing function")?;
        }
    }
    Ok(())
}

/// The knot vectors of each element, from those of its edges, in the sense of its directions.
fn bases(mesh: &Mesh, knot_vectors: &[KnotVector], start: &Place) -> Result<Vec<[KnotVector; 3]>, ReadError> {
    let mut of_edge: HashMap<[usize; 2], (usize, bool)> = HashMap::new();
    for &(knots, [a, b], ref place) in &mesh.edges {
        if knots >= knot_vectors.len() {
            let expected = format!("the number of one of the {} knot vectors", knot_vectors.len());
            return Err(ReadError::Syntax { place: place.clone(), expected, found: knots.to_string() });
        }
        of_edge.insert([a.min(b), a.max(b)], (knots, a > b));
    }
    let edge = |a: usize, b: usize| {
        let missing = || ReadError::Syntax {
            place: start.clone(),
            expected: format!("an edge between the vertices {a} and {b} in the list of edges"),
            found: "none".to_owned(),
        };
        let &(knots, downwards) = of_edge.get(&[a.min(b), a.max(b)]).ok_or_else(missing)?;
        let basis = &knot_vectors[knots];
        Ok::<_, ReadError>(if (a > b) != downwards { basis.reversed() } else { basis.clone() })
    };
    let mut bases = Vec::with_capacity(mesh.elements.len());
    for (number, vertices) in mesh.elements.iter().enumerate() {
        let direction = |d: usize| -> Result<KnotVector, ReadError> {
            let mut found: Option<KnotVector> = None;
            for a in (0..8).filter(|&corner| CORNERS[corner][d] == 0) {
                let is_opposite = |b: &usize| (0..3).all(|e| (CORNERS[a][e] != CORNERS[*b][e]) == (e == d));
                let b = (0..8).find(is_opposite).expect("a box has four edges in each direction");
                let basis = edge(vertices[a], vertices[b])?;
                match &found {
                    Some(first) if !first.matches(&basis, 1e-10) => {
                        return Err(ReadError::Syntax {
                            place: start.clone(),
                            expected: format!("one knot vector for the parallel edges of element {number}"),
                            found: "different ones".to_owned(),
                        });
                    }
                    Some(_) => {}
                    None => found = Some(basis),
                }
            }
            Ok(found.expect("four edges were looked at"))
        };
        bases.push([direction(0)?, direction(1)?, direction(2)?]);
    }
    Ok(bases)
}

/// The coordinates of all control points; MFEM puts the space in a frame where degrees differ (collection
/// `NURBS`).
fn control_points(tokens: &mut Tokens, total: usize) -> Result<Vec<[f64; 3]>, ReadError> {
    let framed = tokens.peek() == Some("MFEM");
    if framed {
        tokens.keyword("MFEM")?;
    }
    tokens.keyword("FiniteElementSpace")?;
    if framed {
        tokens.keyword("v1.0")?;
    }
    tokens.keyword("FiniteElementCollection:")?;
    if !tokens.word("`NURBS`")?.starts_with("NURBS") {
        return Err(tokens.unexpected("the collection `NURBS` with or without a degree"));
    }
    tokens.keyword("VDim:")?;
    if tokens.number::<usize>("3 coordinates")? != 3 {
        return Err(tokens.unexpected("3 coordinates"));
    }
    tokens.keyword("Ordering:")?;
    let ordering: usize = tokens.number("the ordering 0 or 1")?;
    if ordering > 1 {
        return Err(tokens.unexpected("the ordering 0 or 1"));
    }
    if framed {
        ["End:", "MFEM", "FiniteElementSpace", "v1.0"]
            .into_iter()
            .try_for_each(|word| tokens.keyword(word))?;
    }
    let mut values = Vec::new();
    for _ in 0..total.saturating_mul(3) {
        values.push(tokens.number("a coordinate of a control point")?);
    }
    let at = |i: usize, d: usize| values[if ordering == 1 { 3 * i + d } else { i + d * total }];
    Ok((0..total).map(|i| [at(i, 0), at(i, 1), at(i, 2)]).collect())
}

/// Patches and sides by the vertices of their faces in ascending order: two for a face inside the body.
fn sides(mesh: &Mesh) -> BTreeMap<[usize; 4], Vec<(usize, Side)>> {
    let mut sides: BTreeMap<[usize; 4], Vec<(usize, Side)>> = BTreeMap::new();
    for (number, vertices) in mesh.elements.iter().enumerate() {
        for (face, side) in FACES.into_iter().zip(SIDES) {
            sides.entry(ascending(face.map(|corner| vertices[corner]))).or_default().push((number, side));
        }
    }
    sides
}
