//! Columns of the compliance of a body in a step, between the points of its contact surfaces.

use faer::Mat;
use nalgebra::{Matrix3, Vector3};

/// Columns solved for at once.
const GROUP: usize = 32;

/// Motions of contact points in a step by unit forces on their dofs; found when they are first needed, and
/// kept as long as the factor stands.
pub(super) struct Compliance {
    n_points: usize,
    /// Contact points, ascending.
    points: Vec<u32>,
    /// Place of each point of the body among the contact points.
    place: Vec<u32>,
    /// Column of each dof of the contact points; `NONE` if it is unknown.
    column: Vec<u32>,
    /// Motions of all contact points, 3 each, column by column \[m/N\].
    values: Vec<f64>,
}

const NONE: u32 = u32::MAX;

impl Compliance {
    pub(super) fn new(n_points: usize) -> Self {
        Self {
            n_points,
            points: Vec::new(),
            place: vec![NONE; n_points],
            column: Vec::new(),
            values: Vec::new(),
        }
    }

    /// Makes points contact points.
    pub(super) fn include(&mut self, points: &[u32]) {
        self.points.extend_from_slice(points);
        self.points.sort_unstable();
        self.points.dedup();
        (0..).zip(&self.points).for_each(|(at, &point)| self.place[point as usize] = at);
        self.forget();
    }

    /// Forgets all columns.
    pub(super) fn forget(&mut self) {
        self.column.clear();
        self.column.resize(3 * self.points.len(), NONE);
        self.values.clear();
    }

    fn number(&self, dof: u32) -> usize {
        3 * self.place[dof as usize / 3] as usize + dof as usize % 3
    }

    /// Adds the columns of dofs that are not known yet.
    ///
    /// * `respond` — turns forces on all dofs of the body into motions, column by column
    pub(super) fn add(&mut self, dofs: &[u32], respond: impl Fn(&mut Mat<f64>)) {
        let is_missing = |dof: &u32| self.column[self.number(*dof)] == NONE;
        if !dofs.iter().any(is_missing) {
            return;
        }
        let missing: Vec<u32> = dofs.iter().copied().filter(is_missing).collect();
        let length = 3 * self.points.len();
        for group in missing.chunks(GROUP) {
            let mut columns = Mat::zeros(3 * self.n_points, group.len());
            (0..).zip(group).for_each(|(j, &dof)| columns[(dof as usize, j)] = 1.0);
            respond(&mut columns);
            for (j, &dof) in group.iter().enumerate() {
                let number = self.number(dof);
                self.column[number] = (self.values.len() / length) as u32;
                let column = columns.col_as_slice(j);
                for &point in &self.points {
                    let first = 3 * point as usize;
                    self.values.extend_from_slice(&column[first..first + 3]);
                }
            }
        }
    }

    /// The motion of a point by a force on another one, whose dofs with a force have columns.
    pub(super) fn motion(&self, of: u32, by: u32, force: &Vector3<f64>) -> Vector3<f64> {
        let length = 3 * self.points.len();
        let mut block = Matrix3::zeros();
        for d in (0..3).filter(|&d| force[d] != 0.0) {
            let column = self.column[self.number(3 * by + d as u32)] as usize;
            let first = column * length + 3 * self.place[of as usize] as usize;
            block.set_column(d, &Vector3::from_column_slice(&self.values[first..first + 3]));
        }
        block * force
    }
}
