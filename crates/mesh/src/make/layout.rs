//! Blocks of hexahedra that share parameter lines, and their mesh.

use std::collections::BTreeMap;

use super::MakeError;
use super::line::{Focus, subdivide};
use crate::gluing::PointGrid;
use crate::sets::distance;
use crate::{CellBlock, CellShape, FaceRef, Mesh, Set};

/// Right-handed, one-to-one map from \[0,1\]³ to space.
type BlockMap = Box<dyn Fn([f64; 3]) -> [f64; 3]>;

/// Largest number of nodes of a mesh; bounds the memory.
const MAX_NODES: f64 = 5.0e7;

/// One block: its map, the line that subdivides each of its directions, the set of each of its faces.
pub(super) struct Block {
    pub(super) map: BlockMap,
    pub(super) lines: [usize; 3],
    /// Faces x−, x+, y−, y+, z−, z+ of the parameters; `None` inside the body.
    pub(super) sides: [Option<&'static str>; 6],
}

impl Block {
    pub(super) fn new(
        lines: [usize; 3],
        sides: [Option<&'static str>; 6],
        map: impl Fn([f64; 3]) -> [f64; 3] + 'static,
    ) -> Self {
        Self { map: Box::new(map), lines, sides }
    }
}

/// Blocks with common faces on which lines coincide and have the same direction.
pub(super) struct Layout {
    pub(super) blocks: Vec<Block>,
    /// Number of cells along each line in places without grading.
    pub(super) n_uniform: Vec<usize>,
}

/// Small cells around a point.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Grading {
    /// Middle of the small cells \[m\]; the nearest point of the body is used.
    pub point: [f64; 3],
    /// Size of the cells there \[m\].
    pub finest: f64,
    /// Distance from the point within which cells have this size \[m\].
    pub zone_radius: f64,
    /// Largest ratio of the sizes of neighbouring cells: above 1, at most 2.
    pub growth: f64,
}

impl Layout {
    /// The mesh of hexahedra of kind `shape`, graded towards the given points, with a set for each named
    /// side.
    pub(super) fn mesh(&self, shape: CellShape, gradings: &[Grading]) -> Result<Mesh, MakeError> {
        let lines = self.lines(gradings)?;
        let cells: Vec<[usize; 3]> =
            self.blocks.iter().map(|block| block.lines.map(|line| lines[line].len() - 1)).collect();
        let order = shape.order();
        let n_nodes: f64 =
            cells.iter().map(|n| n.iter().map(|n| (order * n + 1) as f64).product::<f64>()).sum();
        if n_nodes > MAX_NODES {
            return Err(MakeError::TooManyNodes { count: n_nodes, most: MAX_NODES });
        }
        let mut assembly = Assembly::new(self.shortest(&lines, order));
        let mut sides: BTreeMap<&'static str, Vec<FaceRef>> = BTreeMap::new();
        for (block, n) in self.blocks.iter().zip(&cells) {
            let before = assembly.connectivity.len() / shape.n_nodes();
            let nodes = assembly.place_nodes(block, &lines, shape, *n);
            assembly.place_cells(shape, *n, &nodes);
            collect_sides(block, *n, before, &mut sides);
        }
        let blocks = vec![CellBlock { shape, connectivity: assembly.connectivity }];
        let sets = sides.into_iter().map(|(name, faces)| (name.to_owned(), Set::of_faces(faces))).collect();
        Ok(Mesh { points: assembly.points, blocks, sets })
    }

    /// The points of every line.
    fn lines(&self, gradings: &[Grading]) -> Result<Vec<Vec<f64>>, MakeError> {
        let mut foci: Vec<Vec<Focus>> = vec![Vec::new(); self.n_uniform.len()];
        for grading in gradings {
            for (block, xi) in self.near(grading) {
                for (direction, &line) in block.lines.iter().enumerate() {
                    let scale = stretch(block, xi, direction);
                    foci[line].push(Focus {
                        at: xi[direction],
                        finest: grading.finest / scale,
                        zone: grading.zone_radius / scale,
                        growth: grading.growth,
                    });
                }
            }
        }
        self.n_uniform.iter().zip(&foci).map(|(&n, foci)| subdivide(n, foci)).collect()
    }

    /// The blocks within reach of the zone of a grading, with the parameters of their points nearest to its
    /// middle.
    fn near(&self, grading: &Grading) -> Vec<(&Block, [f64; 3])> {
        let nearest: Vec<_> = self.blocks.iter().map(|block| nearest(block, grading.point)).collect();
        let least = nearest.iter().map(|(away, _)| *away).fold(f64::INFINITY, f64::min);
        // A point on a common face belongs to both of its blocks, even if the zone has no extent.
        let reach = least + grading.zone_radius.max(0.5 * grading.finest);
        let reached = self.blocks.iter().zip(nearest).filter(|(_, (away, _))| *away <= reach);
        reached.map(|(block, (_, xi))| (block, xi)).collect()
    }

    /// The shortest distance between neighbouring nodes, estimated at the corners of every cell row \[m\].
    fn shortest(&self, lines: &[Vec<f64>], order: usize) -> f64 {
        let mut shortest = f64::INFINITY;
        for block in &self.blocks {
            for direction in 0..3 {
                let smallest = lines[block.lines[direction]]
                    .windows(2)
                    .map(|t| t[1] - t[0])
                    .fold(f64::INFINITY, f64::min);
                for corner in (0..8).map(|k| [k & 1, k >> 1 & 1, k >> 2].map(f64::from)) {
                    shortest = shortest.min(smallest * stretch(block, corner, direction) / order as f64);
                }
            }
        }
        shortest
    }
}

/// Distance of a block from `x` and the parameters of its nearest point: the best point of a grid, then of
/// successively smaller grids.
fn nearest(block: &Block, x: [f64; 3]) -> (f64, [f64; 3]) {
    const STEPS: i32 = 8;
    let (mut centre, mut half_width, mut least) = ([0.5; 3], 0.5, f64::INFINITY);
    while half_width > 1e-14 {
        let around = centre;
        for index in 0..(STEPS + 1).pow(3) {
            let ijk = [index % (STEPS + 1), index / (STEPS + 1) % (STEPS + 1), index / (STEPS + 1).pow(2)];
            let at = |d: usize| {
                let offset = 2.0 * f64::from(ijk[d]) / f64::from(STEPS) - 1.0;
                (around[d] + half_width * offset).clamp(0.0, 1.0)
            };
            let xi = [at(0), at(1), at(2)];
            let away = distance((block.map)(xi), x);
            if away < least {
                (least, centre) = (away, xi);
            }
        }
        // Twice the spacing of the grid: the nearest point of a curved block may lie beyond the next grid
        // point.
        half_width *= 4.0 / f64::from(STEPS);
    }
    (
        least,
        centre.map(|t| {
            if t < 1e-12 {
                0.0
            } else if t > 1.0 - 1e-12 {
                1.0
            } else {
                t
            }
        }),
    )
}

/// |∂x/∂ξ| of one direction \[m\], by a one-sided difference into the block.
fn stretch(block: &Block, xi: [f64; 3], direction: usize) -> f64 {
    let h = if xi[direction] > 0.5 { -1e-4 } else { 1e-4 };
    let mut other = xi;
    other[direction] += h;
    distance((block.map)(xi), (block.map)(other)) / h.abs()
}

/// Nodes and cells of a mesh under construction.
struct Assembly {
    points: Vec<[f64; 3]>,
    connectivity: Vec<u32>,
    /// Nodes on the faces of blocks.
    rim: PointGrid,
}

/// Marks lattice points without a node (face centres and middles of serendipity cells).
const NO_NODE: u32 = u32::MAX;

impl Assembly {
    fn new(shortest: f64) -> Self {
        // Positions of neighbouring blocks on a common face are equal up to rounding errors.
        Self { points: Vec::new(), connectivity: Vec::new(), rim: PointGrid::new(1e-4 * shortest) }
    }

    /// Nodes of the lattice of a block with `order` steps a cell, first direction fastest.
    fn place_nodes(
        &mut self,
        block: &Block,
        lines: &[Vec<f64>],
        shape: CellShape,
        n: [usize; 3],
    ) -> Vec<u32> {
        let order = shape.order();
        let size = n.map(|n| order * n + 1);
        let parameter = |direction: usize, i: usize| {
            let line = &lines[block.lines[direction]];
            let (cell, half) = (i / order, i % order);
            if half == 0 { line[cell] } else { 0.5 * (line[cell] + line[cell + 1]) }
        };
        // Serendipity cells have no nodes in the middles of faces and of the cell.
        let has_node = |odd: usize| {
            let halves = |node: &[f64; 3]| node.iter().filter(|t| **t == 0.5).count();
            shape.reference_nodes().iter().any(|node| halves(node) == odd)
        };
        let has_node = [0, 1, 2, 3].map(has_node);
        let mut nodes = Vec::with_capacity(size.iter().product());
        for k in 0..size[2] {
            for j in 0..size[1] {
                for i in 0..size[0] {
                    let ijk = [i, j, k];
                    let odd = ijk.iter().filter(|i| *i % order != 0).count();
                    if !has_node[odd] {
                        nodes.push(NO_NODE);
                        continue;
                    }
                    let x = (block.map)([parameter(0, i), parameter(1, j), parameter(2, k)]);
                    let on_rim = (0..3).any(|d| ijk[d] == 0 || ijk[d] == size[d] - 1);
                    nodes.push(self.node_at(x, on_rim));
                }
            }
        }
        nodes
    }

    fn node_at(&mut self, x: [f64; 3], on_rim: bool) -> u32 {
        if on_rim && let Some(node) = self.rim.find(x) {
            return node;
        }
        let node = self.points.len() as u32;
        self.points.push(x);
        if on_rim {
            self.rim.insert(node, x);
        }
        node
    }

    fn place_cells(&mut self, shape: CellShape, n: [usize; 3], nodes: &[u32]) {
        let order = shape.order();
        let size = n.map(|n| order * n + 1);
        let offsets: Vec<usize> = shape
            .reference_nodes()
            .iter()
            .map(|xi| {
                let [i, j, k] = xi.map(|t| (t * order as f64) as usize);
                i + size[0] * (j + size[1] * k)
            })
            .collect();
        for k in 0..n[2] {
            for j in 0..n[1] {
                for i in 0..n[0] {
                    let first = order * (i + size[0] * (j + size[1] * k));
                    self.connectivity.extend(offsets.iter().map(|offset| nodes[first + offset]));
                }
            }
        }
    }
}

/// Adds the cell faces on the named sides of a block, whose first cell has number `before`.
fn collect_sides(
    block: &Block,
    n: [usize; 3],
    before: usize,
    sides: &mut BTreeMap<&'static str, Vec<FaceRef>>,
) {
    for (face, name) in block.sides.iter().enumerate() {
        let Some(name) = name else { continue };
        let (direction, end) = (face / 2, face % 2);
        let layer = if end == 0 { 0 } else { n[direction] - 1 };
        let faces = sides.entry(name).or_default();
        for cell in 0..n[0] * n[1] * n[2] {
            let ijk = [cell % n[0], cell / n[0] % n[1], cell / (n[0] * n[1])];
            if ijk[direction] == layer {
                faces.push(FaceRef { block: 0, cell: (before + cell) as u32, face: face as u8 });
            }
        }
    }
}
