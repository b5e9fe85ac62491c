//! An iterate: the forces of all rows, and the forces on and displacements of the points that follow.

use super::body::ContactBody;
use super::numbers::Reader;
use super::row::Rows;
use super::unknowns::Unknowns;

/// λ of all rows, f = Bᵀ λ and u = U f.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Iterate {
    /// Force of each row \[N\]; of each pressure cell the normal one, then with friction two tangential ones.
    lambda: Vec<f64>,
    /// Rows with a force, ascending: most pairs are apart, and none of their rows is visited.
    loaded: Vec<u32>,
    /// Forces on the points of each body in its frame, 3n numbers \[N\].
    pub(super) force: Vec<Vec<f64>>,
    /// Displacement of the points of each body by the high modes in its frame, 3n numbers \[m\].
    pub(super) displacement: Vec<Vec<f64>>,
}

impl Iterate {
    /// Without any force.
    pub(super) fn zero(bodies: &[ContactBody], n_rows: usize) -> Self {
        let per_body = || -> Vec<Vec<f64>> { bodies.iter().map(|b| vec![0.0; 3 * b.n_points]).collect() };
        Self { lambda: vec![0.0; n_rows], loaded: Vec::new(), force: per_body(), displacement: per_body() }
    }

    /// True if the lengths are those of these bodies and rows.
    pub(super) fn fits(&self, bodies: &[ContactBody], n_rows: usize) -> bool {
        let all = |v: &[Vec<f64>]| {
            v.len() == bodies.len() && v.iter().zip(bodies).all(|(v, b)| v.len() == 3 * b.n_points)
        };
        self.lambda.len() == n_rows && all(&self.displacement) && all(&self.force)
    }

    /// The force of a row \[N\].
    pub(super) fn of_row(&self, row: usize) -> f64 {
        self.lambda[row]
    }

    /// The forces of all rows \[N\].
    pub(super) fn of_rows(&self) -> &[f64] {
        &self.lambda
    }

    /// The rows with a force and these forces \[N\], ascending.
    pub(super) fn loaded(&self) -> impl Iterator<Item = (usize, f64)> + '_ {
        self.loaded.iter().map(|&r| (r as usize, self.lambda[r as usize]))
    }

    /// Takes the force off all rows; those on the points stay.
    pub(super) fn release(&mut self) {
        self.loaded.drain(..).for_each(|r| self.lambda[r as usize] = 0.0);
    }

    /// Loads a row that has no force; rows come in ascending order.
    ///
    /// * `force` — not zero \[N\]
    pub(super) fn load(&mut self, row: usize, force: f64) {
        self.lambda[row] = force;
        self.loaded.push(row as u32);
    }

    /// Copies another iterate of the same problem.
    pub(super) fn copy_from(&mut self, other: &Self) {
        self.release();
        other.loaded.iter().for_each(|&r| self.lambda[r as usize] = other.lambda[r as usize]);
        self.loaded.extend_from_slice(&other.loaded);
        copy_all(&mut self.force, &other.force);
        copy_all(&mut self.displacement, &other.displacement);
    }

    /// Halves the distance from a base.
    pub(super) fn halve_step(&mut self, base: &Self) {
        self.loaded.extend_from_slice(&base.loaded);
        self.loaded.sort_unstable();
        self.loaded.dedup();
        let (lambda, base_lambda) = (&mut self.lambda, &base.lambda);
        self.loaded.retain(|&r| {
            lambda[r as usize] = 0.5 * (lambda[r as usize] + base_lambda[r as usize]);
            lambda[r as usize] != 0.0
        });
        self.force.iter_mut().zip(&base.force).for_each(|(x, base)| halve(x, base));
        self.displacement.iter_mut().zip(&base.displacement).for_each(|(x, base)| halve(x, base));
    }

    /// f = Σ λ_s B_s.
    pub(super) fn gather_forces(&mut self, rows: &Rows, unknowns: &Unknowns) {
        self.force.iter_mut().for_each(|f| f.fill(0.0));
        for (r, lambda) in self.loaded.iter().map(|&r| (r as usize, self.lambda[r as usize])) {
            for (part, body) in rows.get(r).parts().into_iter().zip(unknowns.bodies_of(r)) {
                let f = &mut self.force[body];
                for (k, c) in part {
                    let f = &mut f[3 * *k as usize..3 * *k as usize + 3];
                    (0..3).for_each(|d| f[d] += lambda * c[d]);
                }
            }
        }
    }

    /// u = U f.
    pub(super) fn respond(&mut self, bodies: &[ContactBody]) {
        for ((body, f), u) in bodies.iter().zip(&self.force).zip(&mut self.displacement) {
            body.respond(f, u);
        }
    }

    /// ½ f·u of all bodies \[J\].
    pub(super) fn elastic_energy(&self) -> f64 {
        let pairs = self.force.iter().flatten().zip(self.displacement.iter().flatten());
        0.5 * pairs.map(|(f, u)| f * u).sum::<f64>()
    }

    /// Largest change of a displacement since another iterate, and largest displacement \[m\].
    pub(super) fn change(&self, before: &Self) -> [f64; 2] {
        let pairs = self.displacement.iter().flatten().zip(before.displacement.iter().flatten());
        pairs.fold([0.0, 0.0], |[change, scale], (new, old)| {
            [f64::max(change, (new - old).abs()), f64::max(scale, new.abs())]
        })
    }

    /// Appends the iterate to the numbers of a checkpoint.
    pub(super) fn write(&self, out: &mut Vec<f64>) {
        out.extend(&self.lambda);
        self.displacement.iter().chain(&self.force).for_each(|v| out.extend(v));
    }

    /// Reads an iterate of the same lengths that [`Self::write`] has written.
    pub(super) fn read(&mut self, reader: &mut Reader<'_>) {
        reader.fill(&mut self.lambda);
        let is_loaded = |(_, force): &(usize, &f64)| **force != 0.0;
        self.loaded.clear();
        self.loaded.extend(self.lambda.iter().enumerate().filter(is_loaded).map(|(r, _)| r as u32));
        self.displacement.iter_mut().chain(&mut self.force).for_each(|v| reader.fill(v));
    }
}

fn halve(target: &mut [f64], base: &[f64]) {
    target.iter_mut().zip(base).for_each(|(t, b)| *t = 0.5 * (*t + *b));
}

fn copy_all(to: &mut [Vec<f64>], from: &[Vec<f64>]) {
    to.iter_mut().zip(from).for_each(|(to, from)| to.copy_from_slice(from));
}
