//! Bezier form of a body that is refined locally, cell by cell: its cells form no lattice.

use std::collections::HashMap;

use super::{BezierCell, BezierMesh, own_degrees};
use crate::classes::Union;
use crate::hierarchy::{Cell, Hierarchy, LevelGrid, Space};
use crate::topology::Topology;
use crate::{Operator, Side};

/// The cells, with the operators that turn coefficients of their level into Bezier points.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Leaves {
    space: Space,
    operators: Vec<Operator>,
    cells: Vec<Leaf>,
    /// Number of each Bezier point of each cell in the mesh, and whether the cell is the first that has it.
    targets: Vec<(u32, bool)>,
}

/// A cell, or its face on a side.
#[derive(Debug, Clone, PartialEq)]
struct Leaf {
    patch: u32,
    /// Its level among those of the patch that have undivided cells.
    grid: u32,
    cell: Cell,
    side: Option<Side>,
    /// Places of its functions in the box of the grid: start and number in each direction.
    first: [usize; 3],
    sizes: [usize; 3],
    operators: [u32; 3],
}

impl Leaf {
    /// Bezier points from the coefficients at places of the box of its grid.
    fn convert<const D: usize>(
        &self,
        grid: &LevelGrid,
        operators: &[Operator],
        at: impl Fn(usize) -> [f64; D],
    ) -> Vec<[f64; D]> {
        let [n, m, o] = self.sizes;
        let mut values = Vec::with_capacity(n * m * o);
        for k in 0..o {
            for j in 0..m {
                let row = self.first[0]
                    + grid.counts[0] * (self.first[1] + j + grid.counts[1] * (self.first[2] + k));
                values.extend((row..row + n).map(&at));
            }
        }
        for d in (0..3).filter(|&d| self.sizes[d] > 1) {
            let operator = &operators[self.operators[d] as usize];
            let stride: usize = self.sizes[..d].iter().product();
            let old = std::mem::replace(&mut values, vec![[0.0; D]; n * m * o]);
            for (place, out) in values.iter_mut().enumerate() {
                let j = place / stride % self.sizes[d];
                for i in 0..self.sizes[d] {
                    let factor = operator.at(i, j);
                    let from = &old[place + i * stride - j * stride];
                    out.iter_mut().zip(from).for_each(|(x, v)| *x += factor * v);
                }
            }
        }
        values
    }
}

impl Leaves {
    /// See [`BezierMesh::field_into`].
    pub(super) fn field_into<const D: usize>(
        &self,
        values: &[[f64; D]],
        weights: &[f64],
        out: &mut [[f64; D]],
    ) {
        let mut targets = self.targets.iter();
        for leaf in &self.cells {
            let grid = &self.space.patches[leaf.patch as usize][leaf.grid as usize];
            let weighted = |place: usize| {
                let w = grid.weights[place];
                self.space.value(grid.points[place], values).map(|v| w * v)
            };
            for (value, &(target, first)) in
                leaf.convert(grid, &self.operators, weighted).into_iter().zip(&mut targets)
            {
                if first {
                    out[target as usize] = value.map(|v| v / weights[target as usize]);
                }
            }
        }
    }
}

impl BezierMesh {
    /// Adds the undivided cells of the patches, or their faces on the sides that are given.
    pub(super) fn add_leaves(
        &mut self,
        hierarchy: &Hierarchy,
        topology: &Topology,
        which: &[(u32, Option<Side>)],
    ) {
        let space = Space::new(hierarchy, topology).expect("a hierarchy is checked when it is made");
        let mut leaves = Leaves { space, operators: Vec::new(), cells: Vec::new(), targets: Vec::new() };
        let mut known: HashMap<(u32, usize, usize, u32), u32> = HashMap::new();
        for &(patch, side) in which {
            for (number, grid) in leaves.space.patches[patch as usize].iter().enumerate() {
                for &cell in &grid.cells {
                    if side.is_some_and(|side| !on_side(hierarchy, patch, grid.level, cell, side)) {
                        continue;
                    }
                    let operators = [0, 1, 2].map(|d| {
                        let key = (patch, grid.level, d, cell[d]);
                        *known.entry(key).or_insert_with(|| {
                            let span = span_of(grid, d, cell[d]);
                            leaves.operators.push(grid.basis[d].extraction_of(span));
                            leaves.operators.len() as u32 - 1
                        })
                    });
                    leaves.cells.push(leaf(grid, patch, number as u32, cell, side, operators));
                }
            }
        }
        let places = self.number_places(hierarchy, topology, &leaves);
        self.add_leaf_points(&mut leaves, &places);
        self.leaves = Some(leaves);
    }

    /// For each Bezier point of each cell a number that it shares with the same point of other cells of its
    /// level.
    fn number_places(&self, hierarchy: &Hierarchy, topology: &Topology, leaves: &Leaves) -> Vec<usize> {
        let mut numbers: HashMap<(u32, usize, [usize; 3]), usize> = HashMap::new();
        let mut places = Vec::new();
        for leaf in &leaves.cells {
            let grid = &leaves.space.patches[leaf.patch as usize][leaf.grid as usize];
            let [n, m, o] = leaf.sizes;
            for local in 0..n * m * o {
                let local = [local % n, local / n % m, local / (n * m)];
                let mut place = [0, 1, 2].map(|d| leaf.cell[d] as usize * grid.basis[d].degree() + local[d]);
                if let Some(side) = leaf.side.filter(|side| side.is_end()) {
                    place[side.direction()] += grid.basis[side.direction()].degree();
                }
                let next = numbers.len();
                places.push(*numbers.entry((leaf.patch, grid.level, place)).or_insert(next));
            }
        }
        let mut same = Union::new(numbers.len());
        let n_levels = hierarchy.patches.iter().map(|p| p.tree.n_levels()).max().unwrap_or(1);
        for level in 0..n_levels {
            let counts: Vec<[usize; 3]> = hierarchy
                .patches
                .iter()
                .map(|p| {
                    [0, 1, 2].map(|d: usize| p.tree.lattice(level)[d] as usize * p.basis[d].degree() + 1)
                })
                .collect();
            let has_cells = |patch: usize| leaves.space.patches[patch].iter().any(|grid| grid.level == level);
            let number = |(patch, index): (usize, usize)| {
                let [n, m, _] = counts[patch];
                numbers.get(&(patch as u32, level, [index % n, index / n % m, index / (n * m)])).copied()
            };
            topology.for_each_pair_of(&counts, has_cells, |a, b| {
                if let (Some(a), Some(b)) = (number(a), number(b)) {
                    same.join(a, b);
                }
            });
        }
        places.into_iter().map(|place| same.root(place)).collect()
    }

    fn add_leaf_points(&mut self, leaves: &mut Leaves, places: &[usize]) {
        let mut known: HashMap<usize, Vec<u32>> = HashMap::new();
        let mut places = places.iter();
        for leaf in &leaves.cells {
            let grid = &leaves.space.patches[leaf.patch as usize][leaf.grid as usize];
            let homogeneous = |place: usize| {
                let ([x, y, z], w) =
                    (leaves.space.value(grid.points[place], &leaves.space.points), grid.weights[place]);
                [w * x, w * y, w * z, w]
            };
            let mut points = Vec::with_capacity(leaf.sizes.iter().product());
            let converted = leaf.convert(grid, &leaves.operators, homogeneous);
            for (point, place) in converted.into_iter().zip(&mut places) {
                let target = self.merged(known.entry(*place).or_default(), point);
                leaves.targets.push(target);
                points.push(target.0);
            }
            let degrees = grid.basis.each_ref().map(crate::KnotVector::degree);
            self.cells.push(BezierCell {
                patch: leaf.patch,
                side: leaf.side,
                level: grid.level as u32,
                cell: leaf.cell,
                degrees: own_degrees(degrees, leaf.side),
                points,
            });
        }
    }
}

fn on_side(hierarchy: &Hierarchy, patch: u32, level: usize, cell: Cell, side: Side) -> bool {
    let across = side.direction();
    let n = hierarchy.patches[patch as usize].tree.lattice(level)[across];
    cell[across] == if side.is_end() { n - 1 } else { 0 }
}

/// Knot index of a span given by its number.
fn span_of(grid: &LevelGrid, direction: usize, number: u32) -> usize {
    grid.spans[direction][number as usize]
}

fn leaf(
    grid: &LevelGrid,
    patch: u32,
    number: u32,
    cell: Cell,
    side: Option<Side>,
    operators: [u32; 3],
) -> Leaf {
    let mut first =
        [0, 1, 2].map(|d| grid.basis[d].first_function(span_of(grid, d, cell[d])) - grid.first[d]);
    let mut sizes = grid.basis.each_ref().map(|basis| basis.degree() + 1);
    if let Some(side) = side {
        let across = side.direction();
        if side.is_end() {
            first[across] += sizes[across] - 1;
        }
        sizes[across] = 1;
    }
    Leaf { patch, grid: number, cell, side, first, sizes, operators }
}
