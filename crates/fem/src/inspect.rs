//! The properties of a body in the output of `carom-mesh info`.

use std::collections::BTreeMap;

use carom_mesh::quality::without_negative_zero;
use carom_mesh::{CellRef, quality};
use carom_nurbs::Multipatch;

use crate::properties::{MassProperties, mass_properties, min_scaled_jacobian_of_spans, surface_area};
use crate::soundness::{Soundness, soundness};
use crate::{Body, Discretisation, DiscretisationError, Geometry};

/// The kind of a set and the number of its members.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SetSummary {
    /// "nodes", "faces" or "cells".
    pub kind: &'static str,
    /// Number of members.
    pub count: usize,
}

/// Findings of [`inspect`].
#[derive(Debug, Clone, PartialEq)]
pub struct Inspection {
    /// "mesh" or "nurbs".
    pub kind: &'static str,
    /// Nodes that cells use, or control points after gluing.
    pub nodes: usize,
    /// Number of cells by kind; cells of NURBS bodies are called "span".
    pub elements: BTreeMap<&'static str, usize>,
    /// Number of cells of each level of a local refinement, the knot spans first; empty if there is none.
    pub levels: Vec<usize>,
    /// Number of patches, 0 for a mesh.
    pub patches: usize,
    /// Degrees of each patch.
    pub degrees: Vec<[usize; 3]>,
    /// Degrees of freedom: three a node, six a node of shells and beams.
    pub dofs: usize,
    /// Volume, mass, centre, inertia.
    pub properties: MassProperties,
    /// Area of the surface \[m²\].
    pub surface_area: f64,
    /// Smallest scaled Jacobian: 1 for the best cells, ≤ 0 for a folded or collapsed cell.
    pub min_scaled_jacobian: f64,
    /// Cell with the smallest scaled Jacobian.
    pub worst_cell: Option<CellRef>,
    /// Connection of its cells.
    pub soundness: Soundness,
    /// Defects of the body in words; empty if it is one watertight solid.
    pub findings: Vec<String>,
    /// Sets of the body.
    pub sets: BTreeMap<String, SetSummary>,
}

/// Determines all properties of a body.
///
/// # Errors
///
/// [`DiscretisationError`] if the body has no valid discretisation.
pub fn inspect(body: &Body) -> Result<Inspection, DiscretisationError> {
    let discretisation = Discretisation::new(body)?;
    let boundary = body.boundary_faces();
    let nodes = discretisation.point_is_used().iter().filter(|used| **used).count();
    let quality = match &body.geometry {
        Geometry::Mesh(mesh) => Some(quality::assess(mesh)),
        Geometry::Nurbs(_) => None,
    };
    let worst = quality.as_ref().and_then(|q| Some((q.min_scaled_jacobian, q.worst_cell?)));
    let soundness = soundness(body, &discretisation, quality);
    let mut found = Inspection {
        kind: "nurbs",
        nodes,
        elements: BTreeMap::new(),
        levels: Vec::new(),
        patches: 0,
        degrees: Vec::new(),
        dofs: discretisation.dofs_per_point * nodes,
        properties: mass_properties(&discretisation),
        surface_area: surface_area(&discretisation, &boundary),
        min_scaled_jacobian: worst.map_or(f64::NAN, |(value, _)| value),
        worst_cell: worst.map(|(_, cell)| cell),
        findings: soundness.findings(),
        soundness,
        sets: BTreeMap::new(),
    };
    match &body.geometry {
        Geometry::Mesh(mesh) => {
            found.kind = "mesh";
            found.elements = mesh.cell_counts();
            found.sets = mesh
                .sets
                .iter()
                .map(|(name, set)| (name.clone(), SetSummary { kind: set.kind(), count: set.len() }))
                .collect();
        }
        Geometry::Nurbs(multipatch) => {
            found.elements.insert("span", discretisation.n_cells());
            found.levels = cells_by_level(multipatch);
            found.patches = multipatch.patches.len();
            found.degrees = multipatch.patches.iter().map(carom_nurbs::Patch::degrees).collect();
            if let Some((least, cell)) = min_scaled_jacobian_of_spans(&discretisation) {
                found.min_scaled_jacobian = least;
                found.worst_cell = Some(cell);
                if least <= 0.0 {
                    found.findings.push(format!(
                        "the map collapses or folds in span {} of patch {}: scaled Jacobian {:.3}",
                        cell.cell,
                        cell.block,
                        without_negative_zero(least)
                    ));
                }
            }
            found.sets = multipatch
                .regions
                .iter()
                .map(|(name, region)| {
                    let count = multipatch.faces(region).len();
                    (name.clone(), SetSummary { kind: "faces", count })
                })
                .collect();
        }
    }
    Ok(found)
}

/// Undivided cells of each level, of all patches; none if the body is not refined locally.
fn cells_by_level(body: &Multipatch) -> Vec<usize> {
    let Some(hierarchy) = &body.hierarchy else { return Vec::new() };
    let trees = || hierarchy.patches.iter().map(|patch| &patch.tree);
    let n_levels = trees().map(carom_nurbs::hierarchy::Tree::n_levels).max().unwrap_or(0);
    (0..n_levels).map(|level| trees().map(|tree| tree.leaves(level).len()).sum()).collect()
}
