//! Faces shared by cells, the boundary, and cells found by the corners of a face.

use crate::{CellRef, CellShape, FaceRef, FaceShape, Mesh};

/// Corners of a face, ascending; the fourth is `u32::MAX` for triangles.
type FaceKey = [u32; 4];

/// All faces of all solid cells, ordered by their corner nodes: two cells share a face if they use the same
/// corners. Both faces of a shell are part of the surface, whatever it is joined to.
#[derive(Debug, Clone)]
pub struct FaceTable {
    entries: Vec<(FaceKey, FaceRef)>,
    shells: Vec<FaceRef>,
}

impl FaceTable {
    /// Tabulates the faces of `mesh`.
    pub fn new(mesh: &Mesh) -> Self {
        let n_faces = mesh.blocks.iter().map(|b| b.n_cells() * b.shape.n_faces()).sum();
        let (mut entries, mut shells) = (Vec::with_capacity(n_faces), Vec::new());
        for (i_block, block) in mesh.blocks.iter().enumerate() {
            for (i_cell, nodes) in block.cells().enumerate() {
                for i_face in 0..block.shape.n_faces() {
                    let corners = corners_of_face(block.shape, nodes, i_face);
                    let face = FaceRef { block: i_block as u32, cell: i_cell as u32, face: i_face as u8 };
                    let n = block.shape.face_shape(i_face).n_corners();
                    if block.shape.is_solid() {
                        entries.push((face_key(&corners[..n]), face));
                    } else {
                        shells.push(face);
                    }
                }
            }
        }
        entries.sort_unstable();
        Self { entries, shells }
    }

    /// Faces with these corner nodes, in any order: none, one (on the boundary) or two (inside).
    pub fn find(&self, corners: &[u32]) -> impl Iterator<Item = FaceRef> + '_ {
        let key = if matches!(corners.len(), 3 | 4) { face_key(corners) } else { [u32::MAX; 4] };
        let start = self.entries.partition_point(|(k, _)| *k < key);
        self.entries[start..].iter().take_while(move |(k, _)| *k == key).map(|(_, face)| *face)
    }

    /// The face of a cell that a surface element represents: the face with its corners; of two such faces,
    /// the one with the orientation of the element. `None` if it is not the face of a cell.
    ///
    /// * `mesh` — the mesh that was tabulated
    /// * `nodes` — nodes of the surface element, its corners first
    pub fn behind(&self, mesh: &Mesh, shape: FaceShape, nodes: &[u32]) -> Option<FaceRef> {
        let corners = &nodes[..shape.n_corners()];
        let mut found = self.find(corners);
        let first = found.next()?;
        let Some(second) = found.next() else { return Some(first) };
        let same_sense = |face: FaceRef| turns_like(mesh, face, corners);
        Some(if !same_sense(first) && same_sense(second) { second } else { first })
    }

    /// Faces that only one cell uses, and those of shells, ascending.
    pub fn boundary(&self) -> Vec<FaceRef> {
        let mut faces: Vec<FaceRef> =
            self.groups().filter(|group| group.len() == 1).map(|group| group[0].1).collect();
        faces.extend_from_slice(&self.shells);
        faces.sort_unstable();
        faces
    }

    /// Pairs of cells that share a face, each pair once, smaller cell first, ascending.
    pub fn neighbours(&self) -> Vec<(CellRef, CellRef)> {
        let mut pairs: Vec<(CellRef, CellRef)> = Vec::new();
        for group in self.groups() {
            for (i, (_, a)) in group.iter().enumerate() {
                pairs.extend(group[i + 1..].iter().map(|(_, b)| (a.cell(), b.cell())));
            }
        }
        pairs.sort_unstable();
        pairs.dedup();
        pairs
    }

    /// Faces that more than two cells have: the cells overlap.
    pub fn overlapping(&self) -> Vec<FaceRef> {
        self.groups().filter(|group| group.len() > 2).map(|group| group[0].1).collect()
    }

    /// Pairs of cells that share a face and lie on the same side of it: the face has the same orientation in
    /// both.
    ///
    /// Faces with a repeated node, as in collapsed cells, are left out.
    pub fn overlaid(&self, mesh: &Mesh) -> Vec<(CellRef, CellRef)> {
        let pairs = self.groups().filter(|group| group.len() == 2);
        let sound = pairs.filter(|group| {
            let key = group[0].0;
            key.windows(2).all(|pair| pair[0] < pair[1]) && group[0].1.cell() != group[1].1.cell()
        });
        let overlaid = sound.filter(|group| {
            let (shape, nodes) = mesh.face(group[0].1);
            let corners: Vec<u32> = nodes.take(shape.n_corners()).collect();
            turns_like(mesh, group[1].1, &corners)
        });
        let mut cells: Vec<_> = overlaid.map(|group| (group[0].1.cell(), group[1].1.cell())).collect();
        cells.sort_unstable();
        cells.dedup();
        cells
    }

    /// Runs of entries with the same corners.
    fn groups(&self) -> impl Iterator<Item = &[(FaceKey, FaceRef)]> {
        self.entries.chunk_by(|a, b| a.0 == b.0)
    }
}

/// Whether a face of a cell has the orientation of these corners.
fn turns_like(mesh: &Mesh, face: FaceRef, corners: &[u32]) -> bool {
    let (_, face_nodes) = mesh.face(face);
    let (n, own): (usize, Vec<u32>) = (corners.len(), face_nodes.take(corners.len()).collect());
    (0..n).any(|shift| (0..n).all(|k| own[(k + shift) % n] == corners[k]))
}

/// Corner nodes of a face in the cell's outward order; the result is the first `n_corners` numbers.
fn corners_of_face(shape: CellShape, nodes: &[u32], i_face: usize) -> [u32; 4] {
    let mut corners = [u32::MAX; 4];
    let n = shape.face_shape(i_face).n_corners();
    for (corner, &local) in corners.iter_mut().zip(&shape.face(i_face)[..n]) {
        *corner = nodes[local as usize];
    }
    corners
}

/// The corners in ascending order, padded with `u32::MAX`.
fn face_key(corners: &[u32]) -> FaceKey {
    let mut key = [u32::MAX; 4];
    key[..corners.len()].copy_from_slice(corners);
    key.sort_unstable();
    key
}
