//! Gaps of the pressure cells and their gradients at the present displacement.
//!
//! One pass calls [`Gaps::place`], for each near pair [`Gaps::follow`], and for each cell that may be closed
//! [`Gaps::evaluate`]. All memory from one solve to the next is in [`GapMemory`].

mod apart;
mod memory;
mod overlap;
mod pair_geometry;
mod scatter;

use nalgebra::Vector3;

use super::BodyState;
use super::body::ContactBody;
use super::pair::Pairs;
use super::row::Row;
use apart::Apart;
use memory::CellMemory;

pub(super) use memory::{GapMemory, feet_fit, read_feet, write_feet};
pub(super) use pair_geometry::PairGeometry;

/// Relative motion from which on foot points are searched anew instead of followed, in sizes of the cell.
const SEARCH_ANEW: f64 = 0.5;

/// Gaps of the present pass, and the geometry they follow from.
pub(super) struct Gaps {
    /// Positions of the points of each body in its frame.
    positions: Vec<Vec<Vector3<f64>>>,
    pairs: Vec<PairGeometry>,
    apart: Apart,
    /// Average gap of each cell; of those not evaluated the last one known, infinite for a pair that is left
    /// out.
    gap: Vec<f64>,
    /// True for cells whose gap and row are those of the present displacement.
    is_evaluated: Vec<bool>,
    /// True if a foot point lies beyond the second zone where it was cut.
    beyond_rim: Vec<bool>,
    /// True if a foot point lies on a face at which the second zone was cut.
    near_second_rim: Vec<bool>,
}

impl Gaps {
    /// Room for the gaps of all pairs.
    pub(super) fn new(bodies: &[ContactBody], pairs: &Pairs) -> Self {
        let n = pairs.n_cells();
        Self {
            positions: bodies.iter().map(|b| vec![Vector3::zeros(); b.n_points]).collect(),
            pairs: (0..pairs.len()).map(|k| PairGeometry::new(pairs, k)).collect(),
            apart: Apart::new(bodies.len(), pairs),
            gap: vec![f64::INFINITY; n],
            is_evaluated: vec![false; n],
            beyond_rim: vec![false; n],
            near_second_rim: vec![false; n],
        }
    }

    /// Sets the positions of all points and the relative pose of each pair that is not left out; the first
    /// step of a pass.
    ///
    /// * `displacement` — of the points of each body by the high modes, 3n numbers \[m\]
    /// * `needed` — pairs that are not left out wherever they are
    pub(super) fn place(
        &mut self,
        states: &[BodyState<'_>],
        displacement: &[Vec<f64>],
        pairs: &Pairs,
        needed: impl Iterator<Item = usize>,
    ) {
        for ((state, u), positions) in states.iter().zip(displacement).zip(&mut self.positions) {
            for (k, x) in positions.iter_mut().enumerate() {
                *x = Vector3::from_fn(|d, _| state.positions_b[3 * k + d] + u[3 * k + d]);
            }
        }
        self.apart.sort_out(states, &self.positions, pairs, needed);
        for &k in self.apart.left() {
            let cells = pairs.get(k as usize).cell_range();
            self.gap[cells.clone()].fill(f64::INFINITY);
            self.is_evaluated[cells].fill(false);
        }
        for k in self.apart.near().iter().map(|&k| k as usize) {
            let first = pairs.first(k);
            let states = pairs.bodies(k).map(|body| &states[body]);
            self.pairs[k].place(&first, states, &self.positions[first.body]);
        }
    }

    /// Numbers of the pairs that this pass evaluates, ascending.
    pub(super) fn near(&self) -> &[u32] {
        self.apart.near()
    }

    /// Pairs that the last pass has evaluated and the present one leaves out.
    pub(super) fn left(&self) -> &[u32] {
        self.apart.left()
    }

    /// Cells of the pairs that this pass evaluates, ascending.
    pub(super) fn near_cells<'a>(&'a self, pairs: &'a Pairs) -> impl Iterator<Item = usize> + 'a {
        self.near().iter().flat_map(|&k| pairs.get(k as usize).cell_range())
    }

    /// True if this pass leaves a pair out, as its bodies are apart.
    pub(super) fn is_apart(&self, pair: usize) -> bool {
        self.apart.is_apart(pair)
    }

    /// See [`super::QuasistaticContact::clearance`].
    pub(super) fn clearance(&self, pair: usize, pairs: &Pairs) -> f64 {
        self.apart.gap(pair, pairs)
    }

    /// See [`super::QuasistaticContact::least_time_apart`].
    pub(super) fn least_time_apart(
        &mut self,
        pairs: &Pairs,
        speed: impl Fn(usize) -> f64,
        closing: impl Fn(usize) -> f64,
    ) -> f64 {
        self.apart.least_time(pairs, speed, closing)
    }

    /// Moves the faces of the second zone of a pair, and takes the motion of both zones off the bounds of the
    /// gaps.
    pub(super) fn follow(&mut self, k: usize, pairs: &Pairs, memory: &mut GapMemory) {
        let (pair, geometry) = (pairs.get(k), &mut self.pairs[k]);
        let second = pairs.second(k).as_faces().map_or(0.0, |zone| {
            geometry.follow_second(&zone, &self.positions[zone.body], &mut memory.second_positions[k])
        });
        geometry.follow_first(&mut memory.first_positions[k]);
        for (cell, memory) in memory.cells[pair.cell_range()].iter_mut().enumerate() {
            let first = geometry.moved(pair, cell);
            memory.slack -= first + second;
            if first + second > SEARCH_ANEW * pair.cells.area[cell].sqrt() {
                memory.has_feet = false;
            }
        }
    }

    /// Evaluates the gap and the row of one cell of a pair, and returns the mean normal (of any length) at
    /// its foot points.
    ///
    /// Returns none for a cell so far away that only a bound on its gap was found.
    pub(super) fn evaluate(
        &mut self,
        (k, cell): (usize, usize),
        pairs: &Pairs,
        memory: &mut GapMemory,
        row: &mut Row,
    ) -> Option<Vector3<f64>> {
        let (pair, zone) = (pairs.get(k), pairs.second(k));
        let s = pair.cell_offset + cell;
        let geometry = &mut self.pairs[k];
        let has_feet = memory.cells[s].has_feet;
        let far = zone.as_faces().filter(|_| !has_feet).and_then(|z| geometry.far_away(pair, cell, &z));
        if let Some(gap) = far {
            memory.cells[s] = CellMemory { gap, slack: gap, overlap: 0.0, has_feet: false };
            self.skip(s, memory);
            return None;
        }
        let sums = geometry.average(pair, cell, zone, (&mut memory.feet[pair.feet(cell)], has_feet));
        let (mut gap, mut slack) = (sums.gap, sums.gap);
        // A cell that lies behind the zone, or faces away from it, does not touch it; but it may turn round.
        let facing = || geometry.outward(pair, cell).dot(&sums.normal);
        if gap < -pair.max_depth || gap < 0.0 && facing() >= 0.0 {
            (gap, slack) = (-gap, 0.0);
        }
        let overlap = if gap > 0.0 && sums.deepest > 0.0 && facing() < 0.0 { sums.deepest } else { 0.0 };
        memory.cells[s] = CellMemory { gap, slack, overlap, has_feet: true };
        (self.gap[s], self.is_evaluated[s]) = (gap, true);
        (self.beyond_rim[s], self.near_second_rim[s]) = (sums.beyond_rim, sums.near_second_rim);
        geometry.write_row((pair.cells.points(cell), &pairs.first(k)), zone, &sums, row);
        Some(sums.normal)
    }

    /// Marks a cell as not evaluated in this pass.
    pub(super) fn skip(&mut self, cell: usize, memory: &GapMemory) {
        (self.gap[cell], self.is_evaluated[cell]) = (memory.cells[cell].gap, false);
    }

    /// Average gap of each cell \[m\].
    pub(super) fn all(&self) -> &[f64] {
        &self.gap
    }

    /// Average gap of a cell \[m\], if it was evaluated in this pass.
    pub(super) fn known(&self, cell: usize) -> Option<f64> {
        self.is_evaluated[cell].then_some(self.gap[cell])
    }

    /// True if the cell was evaluated in this pass.
    pub(super) fn is_evaluated(&self, cell: usize) -> bool {
        self.is_evaluated[cell]
    }

    /// Positions of the points of a body in its frame.
    pub(super) fn positions(&self, body: usize) -> &[Vector3<f64>] {
        &self.positions[body]
    }

    /// The geometry of a pair.
    pub(super) fn geometry_mut(&mut self, pair: usize) -> &mut PairGeometry {
        &mut self.pairs[pair]
    }

    /// True if a foot point of a cell lies at the rim of the second zone: beyond it, or with `near` on a face
    /// there.
    pub(super) fn at_second_rim(&self, cell: usize, near: bool) -> bool {
        self.beyond_rim[cell] || near && self.near_second_rim[cell]
    }
}
