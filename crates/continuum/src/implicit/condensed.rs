//! The linear system of bodies in contact by Cholesky factors of the bodies and condensed rows.
//!
//! ```text
//! ⎡ J − λ ∂D/∂u₁   −s D ⎤ ⎡ δu    ⎤   ⎡ r   ⎤
//! ⎣ s Gᵀ          s² β  ⎦ ⎣ δλ/s  ⎦ = ⎣ s ρ ⎦
//! ```
//!
//! G and β are the linearised law of a row ([`super::contact::Row`]). The tangent J of a conserving scheme is
//! not symmetric, but nearly so: its symmetric part A has a Cholesky factor, which costs a tenth of a sparse
//! LU of the whole. With A instead of J − λ ∂D/∂u₁ the system condenses to
//!
//! ```text
//! s² (Gᵀ A⁻¹ D + β) δλ/s = s ρ − s Gᵀ A⁻¹ r
//! ```
//!
//! which is the preconditioner of generalised minimal residuals with the matrix itself: a few products for a
//! solution. A is factorised once in a step, and again where the products become many; once for all if the
//! laws are linear. docs/decisions/0061-contact-of-conserving-steps.md has the times of both ways.

use std::time::Instant;

use carom_linalg::gmres::{Gmres, Operator};
use carom_linalg::{DenseLu, FactorError};
use faer::{Mat, MatMut};
use nalgebra::{Matrix3, Vector3};

use super::body::ElasticBody;
use super::contact::Contacts;

/// Residual of a linear system relative to its right-hand side: Newton's method takes as many iterations as
/// with a direct solution.
const TOLERANCE: f64 = 1e-6;

/// Most iterations, beyond which LU is faster.
const ITERATIONS: usize = 40;

/// Products beyond which the next iteration of Newton's method has new factors.
const RENEWED: usize = 8;

/// The solver with its memory.
#[derive(Default)]
pub(super) struct Condensed {
    gmres: Gmres,
    rows: Vec<LinearRow>,
    tangents: Vec<ContactTangent>,
    columns: Vec<Columns>,
    /// s² (Gᵀ A⁻¹ D + β), factorised.
    schur: DenseLu<f64>,
    matrix: Vec<f64>,
    right: Vec<f64>,
    multipliers: Vec<f64>,
    /// True if the factors are those of an earlier iteration.
    is_kept: bool,
    /// Time for Cholesky factors since the start \[s\].
    pub(super) factor_seconds: f64,
}

/// A⁻¹ D of a body: n × (rows that touch it), 8 n bytes a row.
struct Columns {
    /// Number of the row of each column.
    rows: Vec<usize>,
    values: Mat<f64>,
}

/// A row of the system: where it acts.
#[derive(Default)]
struct LinearRow {
    /// Dof, D and G; D of held dofs is zero.
    entries: Vec<(usize, f64, f64)>,
    /// Number of another row of the contact, and β.
    own: Vec<(usize, f64)>,
}

/// −λ ∂D/∂u₁ of a contact.
#[derive(Default)]
struct ContactTangent {
    /// First dof, block, weight, and which directions are held.
    points: Vec<(usize, usize, f64, [bool; 3])>,
    /// Blocks by row.
    blocks: Vec<Matrix3<f64>>,
    n_blocks: usize,
}

impl Condensed {
    /// Forgets the factors of an earlier step.
    pub(super) fn begin(&mut self, bodies: &mut [ElasticBody]) {
        self.is_kept = false;
        for body in bodies {
            body.matrices.renew_symmetric();
        }
    }

    /// Corrects displacements and multipliers; returns the number of products, `None` if the symmetric part
    /// of a body is not positive definite or the iteration does not converge: nothing is corrected then.
    ///
    /// * `offsets` — first dof of each body, and the number of all
    /// * `factor` — of the mass in the matrices of the bodies \[1/s²\]
    /// * `share` — of the corrections that is taken
    pub(super) fn correct(
        &mut self,
        bodies: &mut [ElasticBody],
        contacts: &mut Contacts,
        offsets: &[usize],
        (factor, share): (f64, f64),
    ) -> Result<Option<usize>, FactorError> {
        let scale = factor * bodies.iter().map(|body| body.work.heaviest).fold(0.0, f64::max);
        let is_kept = self.is_kept;
        let mut solved = self.solve(bodies, contacts, offsets, scale)?;
        let mut is_renewed = false;
        if solved.is_none_or(|products| products > RENEWED) {
            bodies.iter_mut().for_each(|body| is_renewed |= body.matrices.renew_symmetric());
        }
        // Factors of an earlier iteration may be too far from the matrix.
        if solved.is_none() && is_renewed && is_kept {
            solved = self.solve(bodies, contacts, offsets, scale)?;
        }
        self.is_kept = !is_renewed;
        let Some(products) = solved else { return Ok(None) };
        let right = &self.right;
        for (body, &offset) in bodies.iter_mut().zip(offsets) {
            body.move_end(share, &right[offset..]);
        }
        let mut changes = right[offsets[bodies.len()]..].iter();
        for row in contacts.active_mut() {
            for lambda in row.multipliers_mut() {
                *lambda -= share * scale * changes.next().expect("a number for each row");
            }
        }
        Ok(Some(products))
    }

    /// Solves the system with the factors that stand; returns the number of products.
    fn solve(
        &mut self,
        bodies: &mut [ElasticBody],
        contacts: &Contacts,
        offsets: &[usize],
        scale: f64,
    ) -> Result<Option<usize>, FactorError> {
        let clock = Instant::now();
        for body in &mut *bodies {
            let ElasticBody { matrices, held, .. } = body;
            if !matrices.factorise_symmetric(held)? {
                return Ok(None);
            }
        }
        self.factor_seconds += clock.elapsed().as_secs_f64();
        self.right.clear();
        bodies.iter().for_each(|body| self.right.extend(&body.work.residual));
        self.collect(bodies, contacts, offsets, scale);
        self.condense(bodies, offsets, scale);
        let Self { gmres, rows, tangents, columns, schur, right, multipliers, .. } = self;
        let mut system = System { bodies, offsets, rows, tangents, columns, schur, multipliers, scale };
        Ok(gmres.solve(&mut system, right, TOLERANCE, ITERATIONS))
    }

    /// Lists rows, and the tangents of contacts, and completes the right-hand side.
    fn collect(&mut self, bodies: &[ElasticBody], contacts: &Contacts, offsets: &[usize], scale: f64) {
        let (mut n_rows, mut n_tangents) = (0, 0);
        for pair in &contacts.pairs {
            for row in pair.rows.iter().filter(|row| row.is_active) {
                if self.tangents.len() == n_tangents {
                    self.tangents.push(ContactTangent::default());
                }
                let tangent = &mut self.tangents[n_tangents];
                n_tangents += 1;
                tangent.n_blocks = row.n_blocks();
                tangent.blocks.clear();
                tangent.blocks.extend((0..tangent.n_blocks.pow(2)).map(|k| row.tangent(k)));
                tangent.points.clear();
                pair.for_entries(row, |entry| {
                    let body = &bodies[entry.body];
                    let held = [0, 1, 2].map(|d| body.is_held[3 * entry.point as usize + d]);
                    let first = offsets[entry.body] + 3 * entry.point as usize;
                    tangent.points.push((first, entry.block, entry.weight, held));
                });
                let first = n_rows;
                for part in 0..row.n_multipliers() {
                    if self.rows.len() == n_rows {
                        self.rows.push(LinearRow::default());
                    }
                    let LinearRow { entries, own } = &mut self.rows[n_rows];
                    n_rows += 1;
                    entries.clear();
                    for &(dof, block, weight, held) in &tangent.points {
                        let [force, slope] = [row.gradient(part)[block], row.slope(part, block)];
                        for d in 0..3 {
                            let force = if held[d] { 0.0 } else { weight * force[d] };
                            entries.push((dof + d, force, weight * slope[d]));
                        }
                    }
                    own.clear();
                    let slopes = row.law_slopes(part).into_iter().take(row.n_multipliers());
                    own.extend(slopes.enumerate().map(|(k, beta)| (first + k, beta)));
                    self.right.push(scale * row.law_residual(part));
                }
            }
        }
        self.rows.truncate(n_rows);
        self.tangents.truncate(n_tangents);
    }

    /// Factorises s² (Gᵀ A⁻¹ D + β).
    fn condense(&mut self, bodies: &[ElasticBody], offsets: &[usize], scale: f64) {
        let Self { rows, schur, columns, matrix, .. } = self;
        let m = rows.len();
        matrix.clear();
        matrix.resize(m * m, 0.0);
        columns.resize_with(bodies.len(), || Columns { rows: Vec::new(), values: Mat::new() });
        for ((body, offset), columns) in bodies.iter().zip(offsets.windows(2)).zip(columns) {
            let range = offset[0]..offset[1];
            let own = |row: &LinearRow| row.entries.iter().any(|(dof, ..)| range.contains(dof));
            columns.rows.clear();
            columns.rows.extend((0..m).filter(|&j| own(&rows[j])));
            columns.values.resize_with(range.len(), columns.rows.len(), |_, _| 0.0);
            columns.values.as_mut().fill(0.0);
            if columns.rows.is_empty() {
                continue;
            }
            for (k, &j) in columns.rows.iter().enumerate() {
                for &(dof, force, _) in rows[j].entries.iter().filter(|(dof, ..)| range.contains(dof)) {
                    columns.values[(dof - range.start, k)] += force;
                }
            }
            body.matrices.solve_symmetric(columns.values.as_mut());
            for (k, &j) in columns.rows.iter().enumerate() {
                for (i, row) in rows.iter().enumerate() {
                    for &(dof, _, slope) in row.entries.iter().filter(|(dof, ..)| range.contains(dof)) {
                        matrix[i * m + j] += slope * columns.values[(dof - range.start, k)];
                    }
                }
            }
        }
        for (i, row) in rows.iter().enumerate() {
            row.own.iter().for_each(|&(j, beta)| matrix[i * m + j] += beta);
        }
        schur.set_size(m);
        schur.factorise(|i, j| scale * scale * matrix[i * m + j]);
    }
}

/// The system with its preconditioner.
struct System<'a> {
    bodies: &'a [ElasticBody],
    offsets: &'a [usize],
    rows: &'a [LinearRow],
    tangents: &'a [ContactTangent],
    columns: &'a [Columns],
    schur: &'a mut DenseLu<f64>,
    multipliers: &'a mut Vec<f64>,
    scale: f64,
}

impl System<'_> {
    /// x ← A⁻¹ x for all bodies.
    fn solve_bodies(&self, x: &mut [f64]) {
        for (body, offset) in self.bodies.iter().zip(self.offsets.windows(2)) {
            let x = &mut x[offset[0]..offset[1]];
            let n = x.len();
            body.matrices.solve_symmetric(MatMut::from_column_major_slice_mut(x, n, 1));
        }
    }
}

impl Operator for System<'_> {
    fn apply(&mut self, x: &[f64], y: &mut [f64]) {
        y.fill(0.0);
        for (body, offset) in self.bodies.iter().zip(self.offsets.windows(2)) {
            let range = offset[0]..offset[1];
            body.matrices.add_product(&x[range.clone()], &mut y[range]);
        }
        for tangent in self.tangents {
            tangent.add_product(x, y);
        }
        let n = self.offsets[self.bodies.len()];
        for (i, row) in self.rows.iter().enumerate() {
            let multiplier = self.scale * x[n + i];
            let mut sum = 0.0;
            for &(dof, force, slope) in &row.entries {
                y[dof] -= multiplier * force;
                sum += slope * x[dof];
            }
            let law: f64 = row.own.iter().map(|&(j, beta)| beta * x[n + j]).sum();
            y[n + i] = self.scale * sum + self.scale * self.scale * law;
        }
    }

    fn precondition(&mut self, x: &mut [f64]) {
        let (x, right) = x.split_at_mut(self.offsets[self.bodies.len()]);
        if self.rows.is_empty() {
            return self.solve_bodies(x);
        }
        self.solve_bodies(x);
        self.multipliers.resize(self.rows.len(), 0.0);
        let (rows, scale, multipliers) = (self.rows, self.scale, &mut *self.multipliers);
        let left = |i: usize| {
            right[i] - scale * rows[i].entries.iter().map(|&(dof, _, slope)| slope * x[dof]).sum::<f64>()
        };
        self.schur.solve(left, |i, value| multipliers[i] = value);
        for (columns, offset) in self.columns.iter().zip(self.offsets.windows(2)) {
            let x = &mut x[offset[0]..offset[1]];
            for (column, &row) in columns.values.col_iter().zip(&columns.rows) {
                let column = column.try_as_col_major().expect("columns of a matrix").as_slice();
                let multiplier = scale * multipliers[row];
                x.iter_mut().zip(column).for_each(|(x, of_unit)| *x += multiplier * of_unit);
            }
        }
        right.copy_from_slice(multipliers);
    }
}

impl ContactTangent {
    /// y += −λ ∂D/∂u₁ x.
    fn add_product(&self, x: &[f64], y: &mut [f64]) {
        let n = self.n_blocks;
        let mut moved = [Vector3::zeros(); carom_contact::step_gradient::MOST];
        for &(dof, block, weight, _) in &self.points {
            moved[block] += weight * Vector3::from_column_slice(&x[dof..dof + 3]);
        }
        for &(dof, block, weight, held) in &self.points {
            let row = &self.blocks[block * n..(block + 1) * n];
            let force: Vector3<f64> = row.iter().zip(&moved).map(|(t, x)| t * x).sum();
            (0..3).filter(|&d| !held[d]).for_each(|d| y[dof + d] -= weight * force[d]);
        }
    }
}
