//! Memory of the gaps from one solve to the next: foot points, bounds, and the positions they belong to.

use super::super::numbers::Reader;
use super::super::pair::Pairs;
use crate::geometry::Start;

/// Memory of one pressure cell.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct CellMemory {
    /// Average gap at its last evaluation, or a bound from below if it was far away \[m\].
    pub(super) gap: f64,
    /// Bound from below on the average gap now: `gap` less all motion since \[m\].
    pub(super) slack: f64,
    /// Depth of its deepest integration point at its last evaluation, if the gap was open on the average
    /// then; else 0 \[m\].
    pub(super) overlap: f64,
    /// True if its foot points are known.
    pub(super) has_feet: bool,
}

/// Memory of a cell that was never evaluated.
const UNKNOWN: CellMemory = CellMemory { gap: 0.0, slack: f64::NEG_INFINITY, overlap: 0.0, has_feet: false };

/// Memory of the gaps of all pressure cells.
#[derive(Debug, Clone, PartialEq)]
pub(in super::super) struct GapMemory {
    /// Foot points of all integration points.
    pub(super) feet: Vec<Start>,
    pub(super) cells: Vec<CellMemory>,
    /// For each pair the positions of the first zone's points in the frame of the second body at the last
    /// pass.
    pub(super) first_positions: Vec<Vec<[f64; 3]>>,
    /// For each pair the positions of the second zone's points then.
    pub(super) second_positions: Vec<Vec<[f64; 3]>>,
}

impl GapMemory {
    /// Nothing is known: the first pass searches everywhere.
    pub(in super::super) fn new(pairs: &Pairs) -> Self {
        let zeros = |n: usize| vec![[0.0; 3]; n];
        Self {
            feet: vec![Start::default(); pairs.n_feet()],
            cells: vec![UNKNOWN; pairs.n_cells()],
            first_positions: (0..pairs.len()).map(|k| zeros(pairs.first(k).points.len())).collect(),
            second_positions: (0..pairs.len()).map(|k| zeros(n_second_points(pairs, k))).collect(),
        }
    }

    /// Copies the memory of the same pairs.
    pub(in super::super) fn copy_from(&mut self, other: &Self) {
        self.feet.copy_from_slice(&other.feet);
        self.cells.copy_from_slice(&other.cells);
        self.first_positions.clone_from(&other.first_positions);
        self.second_positions.clone_from(&other.second_positions);
    }

    /// True if the memory is one of these pairs.
    pub(in super::super) fn fits(&self, pairs: &Pairs) -> bool {
        let lengths = self.cells.len() == pairs.n_cells()
            && self.first_positions.len() == pairs.len()
            && self.second_positions.len() == pairs.len();
        let positions = |k: usize| {
            self.first_positions[k].len() == pairs.first(k).points.len()
                && self.second_positions[k].len() == n_second_points(pairs, k)
        };
        lengths && (0..pairs.len()).all(positions) && feet_fit(&self.feet, pairs)
    }

    /// True if a cell may be closed: its gap may have shrunk by more than half since it was evaluated.
    pub(in super::super) fn may_be_closed(&self, cell: usize) -> bool {
        let CellMemory { gap, slack, .. } = self.cells[cell];
        slack <= 0.5 * gap.max(0.0)
    }

    /// Requires the evaluation of a cell in the next pass.
    pub(in super::super) fn require(&mut self, cell: usize) {
        self.cells[cell].slack = f64::NEG_INFINITY;
    }

    /// Bound from below on the average gap of a cell \[m\].
    pub(in super::super) fn slack(&self, cell: usize) -> f64 {
        self.cells[cell].slack
    }

    /// Depth of the deepest integration point of a cell that is open on the average; else 0 \[m\].
    pub(in super::super) fn overlap(&self, cell: usize) -> f64 {
        self.cells[cell].overlap
    }

    /// The foot points of all integration points.
    pub(in super::super) fn feet(&self) -> &[Start] {
        &self.feet
    }

    /// Foot points and cells to the numbers of a checkpoint.
    pub(in super::super) fn write_cells(&self, out: &mut Vec<f64>) {
        write_feet(&self.feet, out);
        for CellMemory { gap, slack, overlap, has_feet } in &self.cells {
            out.extend([*gap, *slack, *overlap, f64::from(u8::from(*has_feet))]);
        }
    }

    /// The inverse of [`Self::write_cells`].
    pub(in super::super) fn read_cells(&mut self, reader: &mut Reader<'_>) {
        read_feet(&mut self.feet, reader);
        for cell in &mut self.cells {
            let [gap, slack, overlap, has_feet] = std::array::from_fn(|_| reader.next());
            *cell = CellMemory { gap, slack, overlap, has_feet: has_feet == 1.0 };
        }
    }

    /// Positions of the last pass to the numbers of a checkpoint.
    pub(in super::super) fn write_positions(&self, out: &mut Vec<f64>) {
        let positions = self.first_positions.iter().chain(&self.second_positions);
        positions.for_each(|v| v.iter().for_each(|x| out.extend(x)));
    }

    /// The inverse of [`Self::write_positions`].
    pub(in super::super) fn read_positions(&mut self, reader: &mut Reader<'_>) {
        for positions in self.first_positions.iter_mut().chain(&mut self.second_positions) {
            positions.iter_mut().for_each(|x| *x = reader.vector());
        }
    }
}

fn n_second_points(pairs: &Pairs, pair: usize) -> usize {
    pairs.second(pair).as_faces().map_or(0, |zone| zone.points.len())
}

/// True if there is a foot point for each integration point, each on a face of the second zone of its pair.
pub(in super::super) fn feet_fit(feet: &[Start], pairs: &Pairs) -> bool {
    let of_pair = |(k, pair): (usize, &super::super::pair::PairModel)| {
        let n_faces = pairs.second(k).as_faces().map_or(1, |zone| zone.faces.n_faces()) as u32;
        feet[pair.all_feet()].iter().all(|foot| foot.face < n_faces)
    };
    feet.len() == pairs.n_feet() && pairs.iter().enumerate().all(of_pair)
}

/// Appends foot points to the numbers of a checkpoint: face and parameters.
pub(in super::super) fn write_feet(feet: &[Start], out: &mut Vec<f64>) {
    feet.iter().for_each(|f| out.extend([f64::from(f.face), f.xi[0], f.xi[1]]));
}

/// The inverse of [`write_feet`].
pub(in super::super) fn read_feet(feet: &mut [Start], reader: &mut Reader<'_>) {
    for foot in feet {
        *foot = Start { face: reader.index(), xi: [reader.next(), reader.next()] };
    }
}
