//! The linear system of bodies in contact: their matrices, and a row and a column for each multiplier.
//!
//! ```text
//! ⎡ J − λ ∂D/∂u₁   −s D ⎤ ⎡ δu    ⎤   ⎡ r   ⎤
//! ⎣ s Gᵀ          s² β  ⎦ ⎣ δλ/s  ⎦ = ⎣ s ρ ⎦
//! ```
//!
//! with G = ∇g₁, β = 0 and ρ = g₁ of hard contact; springs have G, β and ρ of their laws.
//! s is a stiffness of the size of J, so that pivots are compared in one unit. The pattern has room for rows
//! that are open: the symbolic analysis is repeated only where a node comes to a face that it has not touched
//! in the last steps.

use carom_linalg::sparse::{CsMat, SparseError, SparseLu, TriMat};
use faer::MatMut;

use super::body::ElasticBody;
use super::contact::{Contacts, Entry, Row, RowKey};

/// Multipliers for which each row has room: of the normal, and of friction.
const PARTS: usize = 3;

/// The matrix of all bodies and multipliers.
pub(super) struct Coupled {
    /// First dof of each body, and the number of all.
    offsets: Vec<usize>,
    system: Option<System>,
    right: Vec<f64>,
}

struct System {
    keys: Vec<RowKey>,
    matrix: CsMat<f64>,
    /// Entry of the matrix of each entry of the matrix of a body.
    places: Vec<Vec<usize>>,
    lu: SparseLu,
}

impl Coupled {
    pub(super) fn new(bodies: &[ElasticBody]) -> Self {
        let mut offsets = vec![0];
        offsets.extend(bodies.iter().scan(0, |sum, body| {
            *sum += body.work.residual.len();
            Some(*sum)
        }));
        Self { offsets, system: None, right: Vec::new() }
    }

    /// First dof of each body, and the number of all.
    pub(super) fn offsets(&self) -> &[usize] {
        &self.offsets
    }

    /// Corrects displacements and multipliers; returns the number of symbolic analyses.
    ///
    /// * `factor` — of the mass in the matrices of the bodies \[1/s²\]
    /// * `share` — of the corrections that is taken
    pub(super) fn correct(
        &mut self,
        bodies: &mut [ElasticBody],
        contacts: &mut Contacts,
        factor: f64,
        share: f64,
    ) -> Result<u64, SparseError> {
        // Each row has room for the multipliers of its friction.
        let is_known = |key: &RowKey| self.system.as_ref().is_some_and(|system| system.keys.contains(key));
        let mut analyses = 0;
        if !contacts.rows().filter(|(_, row)| row.is_active).all(|(key, _)| is_known(&key)) {
            let keys = contacts.rows().map(|(key, _)| key).collect();
            self.system = Some(self.analysed(bodies, contacts, keys)?);
            analyses = 1;
        }
        let Self { offsets, system: Some(system), right } = self else { return Ok(analyses) };
        let n = offsets[bodies.len()];
        let scale = factor * bodies.iter().map(|body| body.work.heaviest).fold(0.0, f64::max);
        system.fill(bodies, contacts, offsets, scale);
        system.lu.factorise(&system.matrix.view())?;
        right.clear();
        bodies.iter().for_each(|body| right.extend(&body.work.residual));
        right.resize(n + PARTS * system.keys.len(), 0.0);
        for (key, row) in contacts.rows().filter(|(_, row)| row.is_active) {
            let at = n + PARTS * system.place(&key);
            (0..row.n_multipliers()).for_each(|part| right[at + part] = scale * row.law_residual(part));
        }
        let size = right.len();
        system.lu.solve_in_place(MatMut::from_column_major_slice_mut(right, size, 1))?;
        for (body, &offset) in bodies.iter_mut().zip(&*offsets) {
            body.move_end(share, &right[offset..]);
        }
        for (k, pair) in contacts.pairs.iter_mut().enumerate() {
            for row in pair.rows.iter_mut().filter(|row| row.is_active) {
                let at = n + PARTS * system.place(&row.key(k));
                for (lambda, change) in row.multipliers_mut().iter_mut().zip(&right[at..]) {
                    *lambda -= share * scale * change;
                }
            }
        }
        Ok(analyses)
    }

    /// Rows of the pattern, for checkpoints: the order of elimination follows from them.
    pub(super) fn keys(&self) -> &[RowKey] {
        self.system.as_ref().map_or(&[], |system| &system.keys)
    }

    /// Makes the pattern of these rows.
    pub(super) fn restore(
        &mut self,
        bodies: &[ElasticBody],
        contacts: &Contacts,
        keys: Vec<RowKey>,
    ) -> Result<(), SparseError> {
        self.system = if keys.is_empty() { None } else { Some(self.analysed(bodies, contacts, keys)?) };
        Ok(())
    }

    /// The pattern of the bodies and of some rows.
    fn analysed(
        &self,
        bodies: &[ElasticBody],
        contacts: &Contacts,
        keys: Vec<RowKey>,
    ) -> Result<System, SparseError> {
        let n = self.offsets[bodies.len()];
        let size = n + PARTS * keys.len();
        let mut entries = TriMat::new((size, size));
        for (body, &offset) in bodies.iter().zip(&self.offsets) {
            for (row, columns) in body.matrices.jacobian.outer_iterator().enumerate() {
                columns
                    .indices()
                    .iter()
                    .for_each(|&column| entries.add_triplet(offset + row, offset + column, 1.0));
            }
        }
        let mut dofs = Vec::new();
        for (first, &[pair, node, face]) in (n..).step_by(PARTS).zip(&keys) {
            let numbers = first..first + PARTS;
            dofs.clear();
            contacts.pairs[pair as usize].for_entries_of(node, face, |entry| {
                let first = self.offsets[entry.body] + 3 * entry.point as usize;
                dofs.extend(first..first + 3);
            });
            for &i in &dofs {
                dofs.iter().for_each(|&j| entries.add_triplet(i, j, 1.0));
                for number in numbers.clone() {
                    entries.add_triplet(i, number, 1.0);
                    entries.add_triplet(number, i, 1.0);
                }
            }
            for i in numbers.clone() {
                numbers.clone().for_each(|j| entries.add_triplet(i, j, 1.0));
            }
        }
        let matrix: CsMat<f64> = entries.to_csr();
        let place =
            |row: usize, column: usize| matrix.nnz_index(row, column).expect("an entry of the pattern").0;
        let places = bodies.iter().zip(&self.offsets).map(|(body, &offset)| {
            let rows = body.matrices.jacobian.outer_iterator().enumerate();
            let all = rows.flat_map(|(row, columns)| {
                columns
                    .indices()
                    .iter()
                    .map(|&column| place(offset + row, offset + column))
                    .collect::<Vec<_>>()
            });
            all.collect()
        });
        let places = places.collect();
        let lu = SparseLu::analyse(&matrix.view())?;
        Ok(System { keys, matrix, places, lu })
    }
}

impl System {
    /// Place of a row among the keys.
    fn place(&self, key: &RowKey) -> usize {
        self.keys.iter().position(|known| known == key).expect("a row of the pattern")
    }

    /// Fills the matrix at the present ends.
    fn fill(&mut self, bodies: &[ElasticBody], contacts: &Contacts, offsets: &[usize], scale: f64) {
        let n = offsets[bodies.len()];
        self.matrix.data_mut().fill(0.0);
        for (body, places) in bodies.iter().zip(&self.places) {
            let data = self.matrix.data_mut();
            for (&place, &value) in places.iter().zip(body.matrices.jacobian.data()) {
                data[place] = value;
            }
        }
        let mut is_active = vec![false; PARTS * self.keys.len()];
        let mut all = Vec::new();
        for (k, pair) in contacts.pairs.iter().enumerate() {
            for row in pair.rows.iter().filter(|row| row.is_active) {
                let at = PARTS * self.place(&row.key(k));
                all.clear();
                pair.for_entries(row, |entry| all.push(entry));
                for part in 0..row.n_multipliers() {
                    is_active[at + part] = true;
                    self.fill_multiplier(row, part, &all, (bodies, offsets), (n + at, scale));
                }
                let blocks = row.n_blocks();
                for a in &all {
                    let first = offsets[a.body] + 3 * a.point as usize;
                    for d in (0..3).filter(|&d| !is_held(bodies, a, d)) {
                        for b in &all {
                            let column = offsets[b.body] + 3 * b.point as usize;
                            let tangent = row.tangent(a.block * blocks + b.block);
                            let factor = -a.weight * b.weight;
                            (0..3).for_each(|e| self.add(first + d, column + e, factor * tangent[(d, e)]));
                        }
                    }
                }
            }
        }
        for (k, _) in is_active.iter().enumerate().filter(|(_, active)| !**active) {
            self.add(n + k, n + k, 1.0);
        }
    }

    /// Row and column of a multiplier; `at` is the place of the first one of its row.
    fn fill_multiplier(
        &mut self,
        row: &Row,
        part: usize,
        entries: &[Entry],
        (bodies, offsets): (&[ElasticBody], &[usize]),
        (at, scale): (usize, f64),
    ) {
        for a in entries {
            let first = offsets[a.body] + 3 * a.point as usize;
            let (slope, force) = (row.slope(part, a.block), row.gradient(part)[a.block]);
            for d in 0..3 {
                self.add(at + part, first + d, scale * a.weight * slope[d]);
                if !is_held(bodies, a, d) {
                    self.add(first + d, at + part, -scale * a.weight * force[d]);
                }
            }
        }
        for (k, beta) in row.law_slopes(part).into_iter().enumerate() {
            self.add(at + part, at + k, scale * scale * beta);
        }
    }

    fn add(&mut self, row: usize, column: usize, value: f64) {
        let place = self.matrix.nnz_index(row, column).expect("an entry of the pattern").0;
        self.matrix.data_mut()[place] += value;
    }
}

fn is_held(bodies: &[ElasticBody], entry: &Entry, d: usize) -> bool {
    bodies[entry.body].is_held[3 * entry.point as usize + d]
}
