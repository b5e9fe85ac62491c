//! Closed contacts in the equations of a step: few beside the velocities, so that factors without them serve
//! while they come and go.
//!
//! With J of [`super::StepMatrix`] without contact, B the rows of the closed contacts and S what they give
//! way by without inertia,
//!
//! ```text
//! (J + h² κ Bᵀ S⁻¹ B)⁻¹ r = x − X y,    x = J⁻¹ r,    X = J⁻¹ Bᵀ,    (S/(h² κ) + B X) y = B x
//! ```
//!
//! What contacts meet is that compliance: of S, and of all that moves with inertia over the step. Rows and
//! columns X serve through the iterations of a step, until contacts close or open.

use faer::Mat;

use crate::factor::Lu;
use crate::second_order::SecondOrder;

/// The contacts that are closed.
#[derive(Debug)]
pub(super) struct Contacts {
    /// Closed contacts, and those found at an evaluation.
    closed: Vec<usize>,
    found: Vec<usize>,
    /// Bᵀ, N × r, and X, all unknowns × r: room for more than there are.
    rows: Mat<f64>,
    columns: Mat<f64>,
    /// S/(h² κ) + B X of the closed ones.
    factors: Option<Lu<f64>>,
    /// B x, then y.
    forces: Vec<f64>,
}

impl Contacts {
    pub(super) fn none() -> Self {
        Self {
            closed: Vec::new(),
            found: Vec::new(),
            rows: Mat::new(),
            columns: Mat::new(),
            factors: None,
            forces: Vec::new(),
        }
    }

    /// Forgets rows and columns: they are of another step, or of other factors.
    pub(super) fn forget(&mut self) {
        self.closed.clear();
    }

    pub(super) fn any(&self) -> bool {
        !self.closed.is_empty()
    }

    /// Takes the contacts that are closed now, at the last evaluation; true if others were before.
    ///
    /// * `n`, `size` — numbers of velocities and of all unknowns
    /// * `share` — h² κ
    /// * `solve` — turns a row into its column X
    pub(super) fn take<E: std::error::Error + 'static>(
        &mut self,
        system: &mut dyn SecondOrder<Error = E>,
        (n, size): (usize, usize),
        share: f64,
        mut solve: impl FnMut(&[f64], &mut [f64]),
    ) -> bool {
        self.found.clear();
        let found = &mut self.found;
        system.for_closed(&mut |contact| found.push(contact));
        if self.found == self.closed {
            return false;
        }
        self.closed.clone_from(&self.found);
        let r = self.closed.len();
        grow(&mut self.rows, n, r);
        grow(&mut self.columns, size, r);
        for (k, contact) in self.closed.iter().enumerate() {
            let row = self.rows.col_as_slice_mut(k);
            system.closed_row(*contact, row);
            solve(row, self.columns.col_as_slice_mut(k));
        }
        self.factorise(system, share);
        true
    }

    fn factorise<E: std::error::Error + 'static>(&mut self, system: &dyn SecondOrder<Error = E>, share: f64) {
        let r = self.closed.len();
        if r == 0 {
            return;
        }
        if self.forces.len() < r {
            let room = r + r / 2;
            self.factors = Some(Lu::new(room));
            self.forces = vec![0.0; room];
        }
        let Self { rows, columns, closed, factors, .. } = self;
        let entry = |i: usize, j: usize| {
            let compliance = system.closed_compliance(closed[i], closed[j]) / share;
            compliance + dot(rows.col_as_slice(i), columns.col_as_slice(j))
        };
        if let Some(factors) = factors {
            factors.set_size(r);
            factors.factorise(entry);
        }
    }

    /// Takes X y off a solution x without contact.
    pub(super) fn correct(&mut self, x: &mut [f64]) {
        let Self { rows, columns, closed, factors, forces, .. } = self;
        let Some(factors) = factors else { return };
        for (k, force) in forces[..closed.len()].iter_mut().enumerate() {
            *force = dot(rows.col_as_slice(k), x);
        }
        let mut solved = |i: usize, y: f64| {
            let column = columns.col_as_slice(i);
            x.iter_mut().zip(column).for_each(|(x, column)| *x -= y * column);
        };
        factors.solve(|i| forces[i], &mut solved);
    }
}

/// Room for that many columns.
fn grow(matrix: &mut Mat<f64>, rows: usize, columns: usize) {
    if matrix.nrows() != rows || matrix.ncols() < columns {
        *matrix = Mat::zeros(rows, columns + columns / 2);
    }
}

/// Over the shorter of two.
pub(super) fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
