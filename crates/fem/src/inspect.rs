//! Everything that `carom-mesh info` says of a body.

use std::collections::BTreeMap;

use carom_mesh::{CellRef, quality};

use crate::properties::{MassProperties, mass_properties, min_scaled_jacobian_of_spans, surface_area};
use crate::{Body, Discretisation, DiscretisationError, Geometry};

/// What kind a set is and how much is in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SetSummary {
    /// "nodes", "faces" or "cells".
    pub kind: &'static str,
    /// How many.
    pub count: usize,
}

/// Findings of [`inspect`].
#[derive(Debug, Clone, PartialEq)]
pub struct Inspection {
    /// "mesh" or "nurbs".
    pub kind: &'static str,
    /// Nodes that cells use, or control points after gluing.
    pub nodes: usize,
    /// Number of cells by kind; those of NURBS are "span".
    pub elements: BTreeMap<&'static str, usize>,
    /// Number of patches, 0 for a mesh.
    pub patches: usize,
    /// Degrees of each patch.
    pub degrees: Vec<[usize; 3]>,
    /// Degrees of freedom, three a node.
    pub dofs: usize,
    /// Volume, mass, centre, inertia.
    pub properties: MassProperties,
    /// Area of the surface \[m²\].
    pub surface_area: f64,
    /// Smallest scaled Jacobian: 1 for the best cells, ≤ 0 where one folds or collapses.
    pub min_scaled_jacobian: f64,
    /// Where it occurs.
    pub worst_cell: Option<CellRef>,
    /// What keeps the body from being one sound solid, in words; empty if nothing.
    pub findings: Vec<String>,
    /// The sets.
    pub sets: BTreeMap<String, SetSummary>,
}

/// Looks at everything about a body.
///
/// # Errors
///
/// [`DiscretisationError`] if it is no discretisation.
pub fn inspect(body: &Body) -> Result<Inspection, DiscretisationError> {
    let discretisation = Discretisation::new(body)?;
    let boundary = body.boundary_faces();
    let nodes = discretisation.point_is_used().iter().filter(|used| **used).count();
    let mut found = Inspection {
        kind: "nurbs",
        nodes,
        elements: BTreeMap::new(),
        patches: 0,
        degrees: Vec::new(),
        dofs: 3 * nodes,
        properties: mass_properties(&discretisation),
        surface_area: surface_area(&discretisation, &boundary),
        min_scaled_jacobian: f64::NAN,
        worst_cell: None,
        findings: Vec::new(),
        sets: BTreeMap::new(),
    };
    match &body.geometry {
        Geometry::Mesh(mesh) => {
            let quality = quality::assess(mesh);
            found.kind = "mesh";
            found.elements = mesh.cell_counts();
            found.min_scaled_jacobian = quality.min_scaled_jacobian;
            found.worst_cell = quality.worst_cell;
            found.findings = mesh_findings(&quality);
            found.sets = mesh
                .sets
                .iter()
                .map(|(name, set)| (name.clone(), SetSummary { kind: set.kind(), count: set.len() }))
                .collect();
        }
        Geometry::Nurbs(multipatch) => {
            found.elements.insert("span", discretisation.n_cells());
            found.patches = multipatch.patches.len();
            found.degrees = multipatch.patches.iter().map(carom_nurbs::Patch::degrees).collect();
            if let Some((least, cell)) = min_scaled_jacobian_of_spans(&discretisation) {
                found.min_scaled_jacobian = least;
                found.worst_cell = Some(cell);
                if least <= 0.0 {
                    found.findings.push(format!(
                        "the map collapses or folds in span {} of patch {}: scaled Jacobian {least:.3}",
                        cell.cell, cell.block
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

fn mesh_findings(quality: &quality::Quality) -> Vec<String> {
    let counts = [
        (quality.inverted.len(), "inverted cells: no computation is possible"),
        (
            quality.folded.len() - quality.inverted.len(),
            "cells folded at a node: stresses there mean nothing",
        ),
        (quality.open_edges, "open edges of the surface: it is not watertight"),
        (quality.overlapping_faces, "faces that more than two cells claim"),
        (quality.duplicate_nodes.len(), "nodes in the place of another: cells there are not joined"),
        (quality.unused_nodes, "nodes that no cell uses"),
    ];
    let mut findings: Vec<String> = counts
        .iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, what)| format!("{count} {what}"))
        .collect();
    if quality.parts > 1 {
        findings.push(format!("{} parts that share no node", quality.parts));
    }
    findings
}
