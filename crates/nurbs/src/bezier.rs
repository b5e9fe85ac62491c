//! Bezier form of a body for export: each knot span is a rational Bezier cell, with points shared between
//! cells and patches.
//!
//! ParaView draws rational Bezier cells exactly; nothing is tessellated. Geometry is converted once, fields
//! at each output time by [`BezierMesh::field_into`], direction by direction: the full operator of a graded
//! ball would have 10⁸ entries, its three factors a few hundred.

mod leaves;

use std::collections::HashMap;

use self::leaves::Leaves;
use crate::hierarchy::{Cell, Tree};
use crate::topology::side_index;
use crate::{LineOperator, Multipatch, Patch, Side};

/// A rational Bezier volume or surface.
#[derive(Debug, Clone, PartialEq)]
pub struct BezierCell {
    /// Patch number.
    pub patch: u32,
    /// The side that a surface cell lies on.
    pub side: Option<Side>,
    /// Level of the cell, or of the volume cell that a surface cell bounds; 0 unless the body is refined
    /// locally.
    pub level: u32,
    /// That cell: number of its span in each direction, counted over the nonempty spans of its level.
    pub cell: Cell,
    /// Degrees along its own directions: three of a volume; two of a surface, and 0.
    pub degrees: [usize; 3],
    /// Numbers of its control points in [`BezierMesh::points`], the first direction fastest.
    pub points: Vec<u32>,
}

/// A body, or its surface, as rational Bezier cells with shared control points.
#[derive(Debug, Clone, PartialEq)]
pub struct BezierMesh {
    /// Cartesian Bezier control points \[m\].
    pub points: Vec<[f64; 3]>,
    /// Their weights.
    pub weights: Vec<f64>,
    /// The cells, patch by patch, side by side.
    pub cells: Vec<BezierCell>,
    blocks: Vec<Block>,
    /// The cells one by one, if the body is refined locally; then there are no blocks.
    leaves: Option<Leaves>,
}

/// A patch, or a side of a patch: a grid of control points with the operators to Bezier form.
#[derive(Debug, Clone, PartialEq)]
struct Block {
    /// Numbers of its control points in the body, and their weights.
    ids: Vec<u32>,
    weights: Vec<f64>,
    counts: [usize; 3],
    /// One for each direction of a grid with more than one point.
    operators: Vec<(usize, LineOperator)>,
    /// Number of each point of the Bezier grid in the mesh, and true if this block is the first with the
    /// point.
    targets: Vec<(u32, bool)>,
}

impl Block {
    fn of(patch: &Patch, ids: &[u32], side: Option<Side>) -> Self {
        let mut counts = patch.counts();
        let directions: Vec<usize> = side.map_or(vec![0, 1, 2], |side| side.tangents().to_vec());
        let operators = directions.iter().map(|&d| (d, patch.basis[d].to_bezier())).collect();
        let locals: Vec<usize> = match side {
            None => (0..ids.len()).collect(),
            Some(side) => {
                let [n, m] = side.tangents().map(|d| counts[d]);
                (0..n * m).map(|ij| side_index(counts, side, [ij % n, ij / n])).collect()
            }
        };
        if let Some(side) = side {
            counts[side.direction()] = 1;
        }
        Self {
            ids: locals.iter().map(|&i| ids[i]).collect(),
            weights: locals.iter().map(|&i| patch.weights[i]).collect(),
            counts,
            operators,
            targets: Vec::new(),
        }
    }

    /// Homogeneous control values to homogeneous Bezier values.
    fn convert<const D: usize>(&self, mut values: Vec<[f64; D]>) -> Vec<[f64; D]> {
        let mut counts = self.counts;
        for (direction, operator) in &self.operators {
            values = operator.apply(&values, counts, *direction);
            counts[*direction] = operator.n_out();
        }
        values
    }

    fn bezier_counts(&self) -> [usize; 3] {
        let mut counts = self.counts;
        for (direction, operator) in &self.operators {
            counts[*direction] = operator.n_out();
        }
        counts
    }

    /// The grid of points (i, j, k) from the number of the cell in each direction.
    fn cell_points(&self, cell: [usize; 3], degrees: [usize; 3]) -> Vec<u32> {
        let [n, m, _] = self.bezier_counts();
        let first = [0, 1, 2].map(|d| cell[d] * degrees[d]);
        let mut points = Vec::with_capacity(degrees.iter().map(|p| p + 1).product());
        for k in 0..=degrees[2] {
            for j in 0..=degrees[1] {
                for i in 0..=degrees[0] {
                    let place = first[0] + i + n * (first[1] + j + m * (first[2] + k));
                    points.push(self.targets[place].0);
                }
            }
        }
        points
    }
}

impl Multipatch {
    /// All spans as rational Bezier hexahedra.
    pub fn bezier(&self) -> BezierMesh {
        let blocks: Vec<_> = (0..self.patches.len() as u32).map(|patch| (patch, None)).collect();
        self.bezier_of(&blocks)
    }

    /// The surface of the body as rational Bezier quadrilaterals: much smaller, and the same picture.
    ///
    /// The normal of a cell, first × second direction, points out of the body on sides at the end of u and w
    /// and at the beginning of v, into it on the others.
    pub fn bezier_surface(&self) -> BezierMesh {
        let blocks: Vec<_> =
            self.outer_sides().into_iter().map(|(patch, side)| (patch, Some(side))).collect();
        self.bezier_of(&blocks)
    }

    fn bezier_of(&self, which: &[(u32, Option<Side>)]) -> BezierMesh {
        let counts: Vec<[usize; 3]> = self
            .patches
            .iter()
            .map(|patch| [0, 1, 2].map(|d: usize| patch.basis[d].spans().len() * patch.degrees()[d] + 1))
            .collect();
        let (ids, _) = self.topology().number(&counts);
        let mut mesh =
            BezierMesh { points: vec![], weights: vec![], cells: vec![], blocks: vec![], leaves: None };
        if let Some(hierarchy) = &self.hierarchy {
            mesh.add_leaves(hierarchy, &self.topology(), which);
            return mesh;
        }
        let mut known: HashMap<u32, Vec<u32>> = HashMap::new();
        for &(number, side) in which {
            let patch = &self.patches[number as usize];
            let mut block = Block::of(patch, &self.point_ids()[number as usize], side);
            let counts = counts[number as usize];
            let places: Vec<u32> = match side {
                None => ids[number as usize].clone(),
                Some(side) => {
                    let [n, m] = side.tangents().map(|d| counts[d]);
                    let local = |ij: usize| side_index(counts, side, [ij % n, ij / n]);
                    (0..n * m).map(|ij| ids[number as usize][local(ij)]).collect()
                }
            };
            mesh.add_points(patch, &mut block, side, &places, &mut known);
            mesh.add_cells(patch, &block, number, side);
            mesh.blocks.push(block);
        }
        mesh
    }
}

/// Degrees of a cell along its own directions.
fn own_degrees(degrees: [usize; 3], side: Option<Side>) -> [usize; 3] {
    side.map_or(degrees, |side| {
        let [a, b] = side.tangents();
        [degrees[a], degrees[b], 0]
    })
}

impl BezierMesh {
    /// Converts the geometry of a block, and merges its points with the earlier ones.
    fn add_points(
        &mut self,
        patch: &Patch,
        block: &mut Block,
        side: Option<Side>,
        places: &[u32],
        known: &mut HashMap<u32, Vec<u32>>,
    ) {
        let local = Block::of(patch, &(0..patch.points.len() as u32).collect::<Vec<_>>(), side).ids;
        let homogeneous = local.iter().map(|&i| {
            let ([x, y, z], w) = (patch.points[i as usize], patch.weights[i as usize]);
            [w * x, w * y, w * z, w]
        });
        let bezier = block.convert(homogeneous.collect());
        for (&place, point) in places.iter().zip(bezier) {
            block.targets.push(self.merged(known.entry(place).or_default(), point));
        }
    }

    /// Number of a Bezier point, and whether it is new.
    ///
    /// * `candidates` — points in the same place: on collapsed edges they may differ in weight, and VTK has
    ///   one weight for each point
    /// * `point` — (w x, w y, w z, w)
    fn merged(&mut self, candidates: &mut Vec<u32>, [x, y, z, w]: [f64; 4]) -> (u32, bool) {
        let same = |&&number: &&u32| (self.weights[number as usize] / w - 1.0).abs() < 1e-9;
        if let Some(&number) = candidates.iter().find(same) {
            return (number, false);
        }
        let number = self.points.len() as u32;
        self.points.push([x / w, y / w, z / w]);
        self.weights.push(w);
        candidates.push(number);
        (number, true)
    }

    fn add_cells(&mut self, patch: &Patch, block: &Block, number: u32, side: Option<Side>) {
        let tree = Tree::new(patch.basis.each_ref().map(|basis| basis.spans().len() as u32));
        let mut degrees = patch.degrees();
        let cells: Vec<Cell> = match side {
            None => tree.cells(0),
            Some(side) => {
                degrees[side.direction()] = 0;
                tree.faces(side).into_iter().map(|(_, cell)| cell).collect()
            }
        };
        for cell in cells {
            // A block of a side has a single layer across it.
            let mut place = cell.map(|i| i as usize);
            if let Some(side) = side {
                place[side.direction()] = 0;
            }
            self.cells.push(BezierCell {
                patch: number,
                side,
                level: 0,
                cell,
                degrees: own_degrees(degrees, side),
                points: block.cell_points(place, degrees),
            });
        }
    }

    /// Converts a field given by its values at the control points of the body.
    ///
    /// ```text
    /// V_b = Σ_a T_ba w_a V_a / Σ_a T_ba w_a,   T = T_u ⊗ T_v ⊗ T_w
    /// ```
    ///
    /// * `values` — one for each control point of the body (glued)
    /// * `out` — one for each Bezier point, overwritten
    ///
    /// # Panics
    ///
    /// If `values` has fewer entries than the body has points, or `out` not as many as the mesh.
    pub fn field_into<const D: usize>(&self, values: &[[f64; D]], out: &mut [[f64; D]]) {
        assert_eq!(out.len(), self.points.len(), "one value a Bezier point");
        if let Some(leaves) = &self.leaves {
            leaves.field_into(values, &self.weights, out);
        }
        for block in &self.blocks {
            let weighted =
                block.ids.iter().zip(&block.weights).map(|(&id, w)| values[id as usize].map(|v| w * v));
            let bezier = block.convert(weighted.collect());
            for (&(target, first), value) in block.targets.iter().zip(bezier) {
                if first {
                    out[target as usize] = value.map(|v| v / self.weights[target as usize]);
                }
            }
        }
    }

    /// Row b of the operator of [`BezierMesh::field_into`] for each Bezier point: (control point, factor),
    /// ascending.
    ///
    /// For small bodies without local refinement, and for single points; the module's documentation gives
    /// the reason why the operator is not stored.
    pub fn rows(&self) -> Vec<Vec<(u32, f64)>> {
        let mut rows = vec![Vec::new(); self.points.len()];
        for block in &self.blocks {
            let counts = block.bezier_counts();
            let mut by_direction: [Vec<Vec<(usize, f64)>>; 3] = [0, 1, 2].map(|d| {
                let one = LineOperator::identity(block.counts[d]);
                let operator = block.operators.iter().find(|(e, _)| *e == d).map_or(&one, |(_, op)| op);
                (0..operator.n_out()).map(|i| operator.row(i).collect()).collect()
            });
            by_direction.iter_mut().flatten().for_each(|row| row.retain(|&(_, value)| value != 0.0));
            for (place, &(target, first)) in block.targets.iter().enumerate().filter(|(_, (_, first))| *first)
            {
                debug_assert!(first);
                let ijk = [place % counts[0], place / counts[0] % counts[1], place / (counts[0] * counts[1])];
                let row: &mut Vec<(u32, f64)> = &mut rows[target as usize];
                for &(k, c) in &by_direction[2][ijk[2]] {
                    for &(j, b) in &by_direction[1][ijk[1]] {
                        for &(i, a) in &by_direction[0][ijk[0]] {
                            let local = i + block.counts[0] * (j + block.counts[1] * k);
                            let factor = a * b * c * block.weights[local] / self.weights[target as usize];
                            row.push((block.ids[local], factor));
                        }
                    }
                }
                row.sort_by_key(|entry| entry.0);
                row.dedup_by(|next, kept| {
                    let same = next.0 == kept.0;
                    kept.1 += if same { next.1 } else { 0.0 };
                    same
                });
            }
        }
        rows
    }
}
