//! The coupling of the points of a body.

use carom_linalg::{GraphError, NodeGraph};

use crate::{Block, Cells, Discretisation, SplineCells};

/// The graph of coupled points: the points of each cell are coupled with each other.
///
/// If all knot spans of a patch are cells, a function is coupled with a box of functions around it, which
/// follows from the knots alone.
///
/// # Errors
///
/// [`GraphError`] if the points cannot be numbered.
pub fn node_graph(discretisation: &Discretisation) -> Result<NodeGraph, GraphError> {
    let couplings: Vec<Coupling> =
        discretisation.blocks.iter().map(|block| Coupling::new(discretisation, block)).collect();
    let (starts, members) = memberships(discretisation.n_points(), &couplings);
    NodeGraph::from_neighbours(discretisation.n_points(), |node, neighbours| {
        for &[block, item] in &members[starts[node]..starts[node + 1]] {
            match &couplings[block as usize] {
                Coupling::Boxes(boxes) => boxes.append(item as usize, neighbours),
                Coupling::Cells(cells) => neighbours.extend_from_slice(&cells[item as usize]),
            }
        }
    })
}

/// The coupled points of one block.
enum Coupling<'a> {
    /// All spans of a patch are cells.
    Boxes(Boxes<'a>),
    /// Points of each cell.
    Cells(Vec<Vec<u32>>),
}

impl<'a> Coupling<'a> {
    fn new(discretisation: &Discretisation, block: &'a Block) -> Self {
        if let Cells::Spline(cells) = &block.cells
            && cells.window.cells.is_none()
        {
            return Self::Boxes(Boxes::new(cells));
        }
        let points = |cell| discretisation.points_of(block.basis(cell));
        Self::Cells((0..block.n_cells()).map(points).collect())
    }

    /// Calls `visit` with each point of the block and the number of its control point or of each of its
    /// cells.
    fn for_each(&self, visit: &mut dyn FnMut(u32, usize)) {
        match self {
            Self::Boxes(boxes) => {
                boxes.cells.point_ids.iter().zip(0..).for_each(|(&id, item)| visit(id, item))
            }
            Self::Cells(cells) => {
                for (item, ids) in cells.iter().enumerate() {
                    ids.iter().for_each(|&id| visit(id, item));
                }
            }
        }
    }
}

/// For each point its occurrences (block, control point or cell), in compressed form: starts, occurrences.
fn memberships(n_points: usize, couplings: &[Coupling<'_>]) -> (Vec<usize>, Vec<[u32; 2]>) {
    let mut starts = vec![0_usize; n_points + 1];
    couplings.iter().for_each(|coupling| coupling.for_each(&mut |id, _| starts[id as usize + 1] += 1));
    for node in 0..n_points {
        starts[node + 1] += starts[node];
    }
    let mut next = starts.clone();
    let mut members = vec![[0; 2]; starts[n_points]];
    for (block, coupling) in couplings.iter().enumerate() {
        coupling.for_each(&mut |id, item| {
            members[next[id as usize]] = [block as u32, item as u32];
            next[id as usize] += 1;
        });
    }
    (starts, members)
}

/// The functions of a patch that each of its functions couples with.
struct Boxes<'a> {
    cells: &'a SplineCells,
    /// For each function of each direction the functions that share a knot span with it.
    partners: [Vec<std::ops::Range<usize>>; 3],
}

impl<'a> Boxes<'a> {
    fn new(cells: &'a SplineCells) -> Self {
        let partners = std::array::from_fn(|d| {
            let mut partners = vec![0..0_usize; cells.n_functions[d]];
            for span in &cells.lines[d] {
                let of_span = span.first..span.first + cells.degrees[d] + 1;
                for range in &mut partners[of_span.clone()] {
                    let start = if range.end == 0 { of_span.start } else { range.start.min(of_span.start) };
                    *range = start..range.end.max(of_span.end);
                }
            }
            partners
        });
        Self { cells, partners }
    }

    /// Appends the points of the functions that function number `item` of the patch couples with.
    fn append(&self, item: usize, neighbours: &mut Vec<u32>) {
        let [n_x, n_y, _] = self.cells.n_functions;
        let place = [item % n_x, item / n_x % n_y, item / (n_x * n_y)];
        let [x, y, z] = std::array::from_fn(|d| self.partners[d][place[d]].clone());
        if x.is_empty() {
            return;
        }
        for k in z {
            for j in y.clone() {
                let row = n_x * (j + n_y * k);
                neighbours.extend_from_slice(&self.cells.point_ids[row + x.start..row + x.end]);
            }
        }
    }
}
