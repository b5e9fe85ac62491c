//! Columns of the matrices that a tile adds to.

use super::LANES;
use super::coefficients::Lanes;
use super::pairs::{Band, Line};
use super::tiles::{Plan, Tile};
use crate::{Discretisation, SplineCells};

/// The values of one column of both matrices.
#[derive(Debug)]
pub(crate) struct Column<'a> {
    /// Points of its entries, ascending, the column's own first.
    pub(crate) rows: &'a [u32],
    /// Blocks of K by rows.
    pub(crate) stiffness: &'a mut [[f64; 9]],
    /// Entries of M.
    pub(crate) mass: &'a mut [f64],
}

/// A control point of a tile: its number along ξ, and that of its row of control points.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Place {
    pub(super) x: usize,
    pub(super) row: usize,
}

/// The entry to which a pair of functions is added.
#[derive(Debug, Clone, Copy)]
pub(super) struct Target {
    column: u32,
    entry: u32,
    /// w_i w_j.
    factor: f64,
    /// Number of the source block, and its lane.
    source: [u8; 2],
    /// Whether the block is added as it is, or transposed.
    is_lower: bool,
    /// Whether both forms are added.
    is_twice: bool,
}

/// The control points of a tile and their columns.
#[derive(Debug, Default)]
pub(super) struct Window<'a> {
    /// Control points along ξ.
    n_x: usize,
    /// Rows of control points.
    n_rows: usize,
    /// Body point of each control point.
    ids: Vec<u32>,
    weights: Vec<f64>,
    /// w x, w y, w z, w of each control point.
    pub(super) homogeneous: Vec<[f64; 4]>,
    /// Column of each control point.
    slots: Vec<u32>,
    /// For each control point and row of control points: `n_x` + the entry in the column of the point at
    /// which the row's first point is or would be. 0 if the entries of the row are not consecutive.
    bases: Vec<u32>,
    /// For each row of control points, whether their numbers are consecutive.
    in_order: Vec<bool>,
    /// Points of the pile, ascending, and their columns.
    sorted_ids: Vec<u32>,
    columns: Vec<Column<'a>>,
}

impl<'a> Window<'a> {
    /// Moves the columns of a pile of tiles out of those of the body.
    pub(super) fn enter(
        &mut self,
        plan: &Plan,
        pile: &[Tile],
        cells: &SplineCells,
        lines: &[Line; 3],
        columns: &mut [Option<Column<'a>>],
    ) {
        self.sorted_ids.clear();
        for tile in pile {
            plan.for_each_point(tile, cells, lines, |k| self.sorted_ids.push(cells.point_ids[k]));
        }
        self.sorted_ids.sort_unstable();
        self.sorted_ids.dedup();
        self.columns.clear();
        let of_pile = self.sorted_ids.iter().map(|&id| columns[id as usize].take());
        self.columns.extend(of_pile.map(|column| column.expect("piles of one colour share no point")));
    }

    /// Returns the columns to the body.
    pub(super) fn leave(&mut self, columns: &mut [Option<Column<'a>>]) {
        for (&id, column) in self.sorted_ids.iter().zip(self.columns.drain(..)) {
            columns[id as usize] = Some(column);
        }
    }

    /// Finds the coordinates and entries of one tile of the pile.
    pub(super) fn prepare(
        &mut self,
        discretisation: &Discretisation,
        plan: &Plan,
        tile: &Tile,
        cells: &SplineCells,
        lines: &[Line; 3],
    ) {
        let (x, y) = (&plan.bands[tile.x], &plan.bands[tile.y]);
        self.n_x = x.n_functions;
        self.n_rows = y.n_functions * lines[2].n_functions;
        self.ids.clear();
        self.weights.clear();
        self.homogeneous.clear();
        self.slots.clear();
        plan.for_each_point(tile, cells, lines, |k| {
            let (id, w) = (cells.point_ids[k], cells.weights[k]);
            let [px, py, pz] = discretisation.points[id as usize];
            let slot = self.sorted_ids.binary_search(&id).expect("the list has the points of the pile");
            self.ids.push(id);
            self.weights.push(w);
            self.homogeneous.push([w * px, w * py, w * pz, w]);
            self.slots.push(slot as u32);
        });
        self.find_entries(x, y);
    }

    fn find_entries(&mut self, x: &Band, y: &Band) {
        self.bases.clear();
        self.bases.resize(self.ids.len() * self.n_rows, 0);
        self.in_order.clear();
        let follow = |row: &[u32]| row.windows(2).all(|pair| pair[0] + 1 == pair[1]);
        self.in_order.extend(self.ids.chunks_exact(self.n_x).map(follow));
        let n_y = y.n_functions;
        for point in 0..self.ids.len() {
            let (place_x, place_y) = (point % self.n_x, point / self.n_x % n_y);
            let (id, partners) = (self.ids[point], x.partners[place_x].clone());
            let rows = self.columns[self.slots[point] as usize].rows;
            let mut next = 0;
            for first_row in (0..self.n_rows).step_by(n_y) {
                for row in y.partners[place_y].clone().map(|j| first_row + j) {
                    let of_row = &self.ids[self.n_x * row..self.n_x * (row + 1)];
                    let last = of_row[partners.end - 1];
                    if !self.in_order[row] || last < id {
                        continue;
                    }
                    // Only points from the column's own on have entries; they are consecutive if first and
                    // last are.
                    let first = of_row[partners.start].max(id);
                    let start = partners.end - 1 - (last - first) as usize;
                    if rows.get(next) != Some(&first) {
                        next = rows.partition_point(|&other| other < first);
                    }
                    let end = next + (partners.end - start);
                    if rows.get(end - 1) == Some(&last) {
                        self.bases[point * self.n_rows + row] = (self.n_x + next - start) as u32;
                    }
                    next = end;
                }
            }
        }
    }

    /// The entry of the block K_ij.
    ///
    /// * `source` — number of the block, and its lane
    #[inline(always)]
    pub(super) fn target(&self, place_i: Place, place_j: Place, source: [usize; 2]) -> Target {
        let (i, j) = (place_i.x + self.n_x * place_i.row, place_j.x + self.n_x * place_j.row);
        let factor = self.weights[i] * self.weights[j];
        let (id_i, id_j) = (self.ids[i], self.ids[j]);
        let is_lower = id_i >= id_j;
        let (id, place, point) = if is_lower { (id_i, place_i, j) } else { (id_j, place_j, i) };
        let base = self.bases[point * self.n_rows + place.row] as usize;
        let column = self.slots[point];
        let entry = if base > 0 {
            base + place.x - self.n_x
        } else {
            let rows = self.columns[column as usize].rows;
            rows.binary_search(&id).expect("points of one cell are coupled in the graph")
        };
        // Two functions of a collapsed cell share a point: the pair (j, i) falls on the diagonal too.
        let is_twice = id_i == id_j && i != j;
        let source = source.map(|k| k as u8);
        Target { column, entry: entry as u32, factor, source, is_lower, is_twice }
    }

    /// Reads all targets in advance: the loads into the cache then overlap, while adding would wait for each
    /// of them.
    #[inline(always)]
    pub(super) fn fetch(&self, targets: &[Target]) {
        let mut sum = 0.0;
        for target in targets {
            let (column, entry) = (&self.columns[target.column as usize], target.entry as usize);
            let block = &column.stiffness[entry];
            sum += block[0] + block[8] + column.mass[entry];
        }
        std::hint::black_box(sum);
    }

    /// Adds w_i w_j times a block K_ij and M_ij.
    #[inline(always)]
    pub(super) fn add(&mut self, target: &Target, blocks: &[[Lanes; 9]; 4], masses: &Lanes) {
        let column = &mut self.columns[target.column as usize];
        let (factor, entry) = (target.factor, target.entry as usize);
        let (source, lane) = (&blocks[target.source[0] as usize & 3], target.source[1] as usize % LANES);
        let (sum, mass_sum) = (&mut column.stiffness[entry], &mut column.mass[entry]);
        *mass_sum += factor * masses[lane];
        if target.is_lower {
            for k in 0..9 {
                sum[k] += factor * source[k][lane];
            }
        }
        if !target.is_lower || target.is_twice {
            for a in 0..3 {
                for b in 0..3 {
                    sum[3 * a + b] += factor * source[3 * b + a][lane];
                }
            }
        }
        if target.is_twice {
            *mass_sum += factor * masses[lane];
        }
    }
}
