//! MFEM's numbering of the control points of a NURBS mesh: corners, edges, faces, insides.

use std::collections::HashMap;

use crate::mfem_cells::{CORNERS, FACES};

/// Positions of the corners 0 … 3 of a face in its own frame.
const FRAME: [[i64; 2]; 4] = [[0, 0], [1, 0], [1, 1], [0, 1]];

/// First numbers of the points inside edges, faces and patches.
pub(super) struct Numbering {
    /// By ascending vertex pair: first number; the points run from the lower vertex to the higher.
    edges: HashMap<[usize; 2], usize>,
    /// By ascending vertices: first number, the vertices in the frame of the first patch, points along its
    /// first axis.
    faces: HashMap<[usize; 4], (usize, [usize; 4], [usize; 2])>,
    insides: Vec<usize>,
    /// Number of all control points.
    pub(super) total: usize,
}

impl Numbering {
    /// Numbers the points of elements with known counts; `None` if the numbers are too large to be valid.
    ///
    /// * `edges` — vertex pairs in file order with their number of control points
    /// * `elements` — corner vertices, and control points of the three directions
    pub(super) fn new(
        n_vertices: usize,
        edges: &[([usize; 2], usize)],
        elements: &[([usize; 8], [usize; 3])],
    ) -> Option<Self> {
        let mut numbering =
            Self { edges: HashMap::new(), faces: HashMap::new(), insides: Vec::new(), total: n_vertices };
        for &([a, b], n) in edges {
            let key = [a.min(b), a.max(b)];
            if !numbering.edges.contains_key(&key) {
                numbering.edges.insert(key, numbering.total);
                numbering.total = numbering.total.checked_add(n - 2)?;
            }
        }
        for (vertices, counts) in elements {
            for face in FACES {
                let corners = face.map(|corner| vertices[corner]);
                let along = face_axes(face).map(|direction| counts[direction] - 2);
                let key = ascending(corners);
                if !numbering.faces.contains_key(&key) {
                    numbering.faces.insert(key, (numbering.total, corners, along));
                    numbering.total = numbering.total.checked_add(along[0].checked_mul(along[1])?)?;
                }
            }
        }
        for (_, counts) in elements {
            numbering.insides.push(numbering.total);
            let inside = counts.iter().try_fold(1usize, |product, n| product.checked_mul(n - 2))?;
            numbering.total = numbering.total.checked_add(inside)?;
        }
        Some(numbering)
    }

    /// The number of control point (i, j, k) of an element; `None` if an edge or face is not consistent.
    pub(super) fn number(
        &self,
        element: usize,
        vertices: &[usize; 8],
        counts: [usize; 3],
        ijk: [usize; 3],
    ) -> Option<usize> {
        let at_end = |d: usize| match ijk[d] {
            0 => Some(0),
            i if i == counts[d] - 1 => Some(1),
            _ => None,
        };
        let ends = [at_end(0), at_end(1), at_end(2)];
        let matches = |corner: usize| (0..3).all(|d| ends[d].is_none_or(|end| CORNERS[corner][d] == end));
        match ends.iter().flatten().count() {
            3 => (0..8).find(|&corner| matches(corner)).map(|corner| vertices[corner]),
            2 => {
                let direction = (0..3).find(|&d| ends[d].is_none())?;
                let ends_of = |end: usize| (0..8).find(|&c| matches(c) && CORNERS[c][direction] == end);
                let (a, b) = (vertices[ends_of(0)?], vertices[ends_of(1)?]);
                let first = self.edges.get(&[a.min(b), a.max(b)])?;
                let i = ijk[direction];
                Some(first + if a < b { i - 1 } else { counts[direction] - 2 - i })
            }
            1 => {
                let face = FACES.into_iter().find(|face| face.iter().all(|&corner| matches(corner)))?;
                self.on_face(face, vertices, counts, ijk)
            }
            _ => {
                let [i, j, k] = ijk.map(|i| i - 1);
                Some(self.insides[element] + i + (counts[0] - 2) * (j + (counts[1] - 2) * k))
            }
        }
    }

    fn on_face(
        &self,
        face: [usize; 4],
        vertices: &[usize; 8],
        counts: [usize; 3],
        ijk: [usize; 3],
    ) -> Option<usize> {
        let corners = face.map(|corner| vertices[corner]);
        let &(first, base, along) = self.faces.get(&ascending(corners))?;
        // Places of this element's corners 0, 1, 3 in the frame of the element that came first.
        let place =
            |corner: usize| base.iter().position(|&vertex| vertex == corners[corner]).map(|q| FRAME[q]);
        let (origin, one, three) = (place(0)?, place(1)?, place(3)?);
        let axes = face_axes(face);
        let mut there = [0; 2];
        for (axis, tip) in axes.into_iter().zip([one, three]) {
            // Steps along this axis of ours, counted from corner 0.
            let forward = CORNERS[face[0]][axis] == 0;
            let steps = if forward { ijk[axis] - 1 } else { counts[axis] - 2 - ijk[axis] };
            let base_axis = (0..2).find(|&d| tip[d] != origin[d])?;
            if along[base_axis] != counts[axis] - 2 {
                return None;
            }
            there[base_axis] =
                if tip[base_axis] > origin[base_axis] { steps } else { along[base_axis] - 1 - steps };
        }
        Some(first + there[0] + along[0] * there[1])
    }
}

/// Directions of the axes 0 → 1 and 0 → 3 of a local face.
fn face_axes(face: [usize; 4]) -> [usize; 2] {
    [face[1], face[3]].map(|corner| {
        (0..3)
            .find(|&d| CORNERS[corner][d] != CORNERS[face[0]][d])
            .expect("neighbouring corners differ in one place")
    })
}

pub(super) fn ascending(mut corners: [usize; 4]) -> [usize; 4] {
    corners.sort_unstable();
    corners
}
