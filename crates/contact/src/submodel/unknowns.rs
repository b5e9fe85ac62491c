//! Numbering of the unknowns: pressure cells of all pairs and their rows, with the numbers of their laws.

use super::pair::Pairs;

/// Bodies and law of each pressure cell in the condensed problem, and the numbering of the rows.
///
/// The rows of cell s are p s (normal) and, with friction, the two that follow (tangential), with p parts.
#[derive(Debug, Clone)]
pub(super) struct Unknowns {
    /// The bodies of the two zones of each cell.
    bodies: Vec<[usize; 2]>,
    /// d = 1/(ε A) of each cell \[m/N\].
    compliance: Vec<f64>,
    /// μ of each cell.
    friction: Vec<f64>,
    /// Rows of a cell: its normal one, and two tangential ones if any pair has friction.
    n_parts: usize,
}

impl Unknowns {
    /// Those of all cells of all pairs.
    pub(super) fn new(pairs: &Pairs) -> Self {
        let has_friction = pairs.iter().any(|model| model.pair.friction > 0.0);
        let (mut bodies, mut compliance, mut friction) = (Vec::new(), Vec::new(), Vec::new());
        for (k, model) in pairs.iter().enumerate() {
            let n = model.cells.len();
            bodies.extend(std::iter::repeat_n(pairs.bodies(k), n));
            compliance.extend(&model.compliance);
            friction.extend(std::iter::repeat_n(model.pair.friction, n));
        }
        Self { bodies, compliance, friction, n_parts: if has_friction { 3 } else { 1 } }
    }

    /// Number of pressure cells.
    pub(super) fn n_cells(&self) -> usize {
        self.bodies.len()
    }

    /// Number of rows.
    pub(super) fn n_rows(&self) -> usize {
        self.n_parts * self.bodies.len()
    }

    /// Number of rows of a cell.
    pub(super) fn n_parts(&self) -> usize {
        self.n_parts
    }

    /// True if any pair has friction.
    pub(super) fn has_friction(&self) -> bool {
        self.n_parts > 1
    }

    /// The normal row of a cell.
    pub(super) fn normal(&self, cell: usize) -> usize {
        self.n_parts * cell
    }

    /// The cell of a row, and its part: 0 is normal, 1 and 2 are tangential.
    pub(super) fn place_of(&self, row: usize) -> (usize, usize) {
        (row / self.n_parts, row % self.n_parts)
    }

    /// Bodies of the first and the second zone of a row's pair.
    pub(super) fn bodies_of(&self, row: usize) -> [usize; 2] {
        self.bodies[row / self.n_parts]
    }

    /// d of the cell of a row \[m/N\]: the law has the same compliance for tangential and normal forces.
    pub(super) fn law_compliance(&self, row: usize) -> f64 {
        self.compliance[row / self.n_parts]
    }

    /// Replaces μ of some cells, of a problem with friction.
    pub(super) fn set_friction(&mut self, cells: std::ops::Range<usize>, friction: f64) {
        self.friction[cells].fill(friction);
    }

    /// μ of a cell.
    pub(super) fn friction(&self, cell: usize) -> f64 {
        self.friction[cell]
    }
}
