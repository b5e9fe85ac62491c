//! Straight edges for curved tetrahedra that are folded or nearly so.

use std::collections::HashMap;

use crate::quality::ScaledJacobian;
use crate::{CellRef, CellShape, Mesh};

/// Steps in which the middle node of an edge moves to the chord.
const STEPS: u8 = 4;

/// Report of [`straighten`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Straightened {
    /// Number of edges whose middle node was moved.
    pub edges: usize,
    /// Largest distance by which a node was moved \[m\].
    pub farthest: f64,
}

/// Moves the middle nodes of edges towards the middles of their chords, in quarters of the way, where
/// quadratic tetrahedra have a scaled Jacobian below `least`.
///
/// A tetrahedron with straight edges is valid if its corners have the right order, so that no tetrahedron
/// stays folded. The surface is less curved at the edges that are moved. Cells that straight edges do not
/// improve to `least` are left alone unless they are folded. Cells of other kinds stay as they are.
///
/// Returns `None` if no node was moved.
pub fn straighten(mesh: &mut Mesh, least: f64) -> Option<Straightened> {
    let measure = ScaledJacobian::new(CellShape::Tet10);
    let cells: Vec<CellRef> =
        mesh.cells().filter(|(_, shape, _)| *shape == CellShape::Tet10).map(|(cell, ..)| cell).collect();
    let edges = CellShape::Tet10.table().edges;
    let given = mesh.points.clone();
    // Cells at each middle node, and the quarters of the way that it has gone.
    let mut around: HashMap<u32, Vec<usize>> = HashMap::new();
    for (i, &cell) in cells.iter().enumerate() {
        for &node in &mesh.cell(cell).1[4..] {
            around.entry(node).or_default().push(i);
        }
    }
    let mut gone: HashMap<u32, u8> = HashMap::new();
    let mut candidates: Vec<usize> = (0..cells.len()).collect();
    while !candidates.is_empty() {
        let mut moved = Vec::new();
        for &i in &candidates {
            let nodes = mesh.cell(cells[i]).1;
            let x: Vec<[f64; 3]> = nodes.iter().map(|&node| mesh.points[node as usize]).collect();
            let now = measure.of_cell(&x);
            let straight = measure.of_cell(&with_straight_edges(&x));
            if now >= least || straight <= now || (now > 0.0 && straight < least) {
                continue;
            }
            for (k, &[a, b]) in edges.iter().enumerate() {
                let (node, chord) = (nodes[4 + k], middle(x[a as usize], x[b as usize]));
                let way = gone.get(&node).copied().unwrap_or(0);
                if way < STEPS && x[4 + k] != chord {
                    moved.push((node, chord));
                }
            }
        }
        moved.sort_unstable_by_key(|(node, _)| *node);
        moved.dedup_by_key(|(node, _)| *node);
        candidates.clear();
        for (node, chord) in moved {
            let way = gone.entry(node).or_insert(0);
            *way += 1;
            let part = f64::from(*way) / f64::from(STEPS);
            let from = given[node as usize];
            mesh.points[node as usize] = [0, 1, 2].map(|d| from[d] + part * (chord[d] - from[d]));
            candidates.extend(&around[&node]);
        }
        candidates.sort_unstable();
        candidates.dedup();
    }
    let distance = |node: &u32| crate::sets::distance(given[*node as usize], mesh.points[*node as usize]);
    let farthest = gone.keys().map(distance).fold(0.0, f64::max);
    (!gone.is_empty()).then_some(Straightened { edges: gone.len(), farthest })
}

/// The nodes of a quadratic tetrahedron with the middle nodes on the chords.
fn with_straight_edges(nodes: &[[f64; 3]]) -> Vec<[f64; 3]> {
    let edges = CellShape::Tet10.table().edges;
    let middles = edges.iter().map(|&[a, b]| middle(nodes[a as usize], nodes[b as usize]));
    nodes[..4].iter().copied().chain(middles).collect()
}

fn middle(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [0, 1, 2].map(|d| 0.5 * (a[d] + b[d]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::quality::assess;
    use crate::{CellBlock, quality};

    /// Two tetrahedra at a face; the middle node of one edge of the first is moved by `shift` along x.
    fn two_tetrahedra(shift: f64) -> Mesh {
        let corners = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 1.0, 1.0]];
        let mut points: Vec<[f64; 3]> = corners.to_vec();
        let mut number: HashMap<[u32; 2], u32> = HashMap::new();
        let mut connectivity = Vec::new();
        for cell in [[0, 1, 2, 3], [1, 4, 2, 3]] {
            connectivity.extend(cell);
            for &[a, b] in CellShape::Tet10.table().edges {
                let mut edge = [cell[a as usize], cell[b as usize]];
                edge.sort_unstable();
                let node = *number.entry(edge).or_insert_with(|| {
                    points.push(middle(corners[edge[0] as usize], corners[edge[1] as usize]));
                    points.len() as u32 - 1
                });
                connectivity.push(node);
            }
        }
        points[number[&[0, 1]] as usize][0] += shift;
        let blocks = vec![CellBlock { shape: CellShape::Tet10, connectivity }];
        Mesh { points, blocks, ..Mesh::default() }
    }

    #[test]
    fn folded_cells_become_valid_and_only_their_edges_move() {
        let mut mesh = two_tetrahedra(-0.3);
        let given = mesh.clone();
        assert_eq!(assess(&mesh).folded.len(), 1);
        let report = straighten(&mut mesh, quality::SLIVER).unwrap();
        assert_eq!(report.edges, 1);
        let after = assess(&mesh);
        assert!(after.folded.is_empty() && after.min_scaled_jacobian >= quality::SLIVER);
        // A node at 0.2 + 0.3 t with t in quarters: valid from 0.25 on.
        assert!((report.farthest - 0.075).abs() < 1e-15, "{report:?}");
        let differing: Vec<usize> =
            (0..mesh.points.len()).filter(|&i| mesh.points[i] != given.points[i]).collect();
        assert_eq!(differing.len(), 1);
    }

    #[test]
    fn sound_meshes_and_flat_slivers_are_left_alone() {
        let mut mesh = two_tetrahedra(0.1);
        let given = mesh.clone();
        assert_eq!(straighten(&mut mesh, quality::SLIVER), None);
        // A sliver with straight edges stays as it is.
        mesh.points.iter_mut().for_each(|x| x[2] *= 1e-4);
        let flat = mesh.clone();
        assert_eq!(straighten(&mut mesh, quality::SLIVER), None);
        assert!(mesh == flat && mesh != given);
    }
}
