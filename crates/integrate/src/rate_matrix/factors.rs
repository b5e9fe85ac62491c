//! Factors of σ E − ∂f/∂y for a real or complex σ.

use faer::c64;
use faer::traits::ComplexField;

use super::RateMatrix;
use super::parts::PartsMatrix;
use carom_linalg::DenseLu;
use carom_linalg::blocks::{BlockLu, BlockMut};

/// σ: real or complex. A complex number is two real unknowns in the matrix of parts.
pub(crate) trait Shift: ComplexField + Copy {
    /// Real numbers of it.
    const WIDTH: usize;

    /// A real number.
    fn real(x: f64) -> Self;

    /// Real and imaginary part.
    fn parts(self) -> [f64; 2];

    /// The number of these parts.
    fn of(parts: [f64; 2]) -> Self;
}

impl Shift for f64 {
    const WIDTH: usize = 1;

    fn real(x: f64) -> Self {
        x
    }

    fn parts(self) -> [f64; 2] {
        [self, 0.0]
    }

    fn of([re, _]: [f64; 2]) -> Self {
        re
    }
}

impl Shift for c64 {
    const WIDTH: usize = 2;

    fn real(x: f64) -> Self {
        c64::new(x, 0.0)
    }

    fn parts(self) -> [f64; 2] {
        [self.re, self.im]
    }

    fn of([re, im]: [f64; 2]) -> Self {
        c64::new(re, im)
    }
}

/// Factors with workspace.
#[derive(Debug)]
pub(crate) struct Factors<T: Shift> {
    whole: DenseLu<T>,
    blocks: BlockLu,
    /// Right-hand side over all components, then B r over the constraints.
    right: Vec<T>,
    /// δy of all parts and δλ.
    solution: Vec<f64>,
    shift: T,
}

impl<T: Shift> Default for Factors<T> {
    fn default() -> Self {
        Self {
            whole: DenseLu::default(),
            blocks: BlockLu::default(),
            right: Vec::new(),
            solution: Vec::new(),
            shift: T::real(0.0),
        }
    }
}

impl<T: Shift> Factors<T> {
    /// Makes room for a system of `dim` components.
    pub(crate) fn reserve(&mut self, matrix: &RateMatrix, dim: usize) {
        match matrix {
            RateMatrix::Unknown => {}
            RateMatrix::Whole(_) => self.whole.set_size(dim),
            RateMatrix::Parts(parts) => {
                let n = parts.n_components() + parts.of.structure.constraints();
                if self.solution.len() != T::WIDTH * n {
                    self.blocks = BlockLu::new(&parts.pattern(T::WIDTH));
                    self.solution = vec![0.0; T::WIDTH * n];
                }
                self.right.resize(dim + parts.of.structure.constraints(), T::real(0.0));
            }
        }
    }

    /// Factors of σ E − ∂f/∂y.
    pub(crate) fn factorise(&mut self, matrix: &RateMatrix, shift: T) {
        self.shift = shift;
        match matrix {
            RateMatrix::Unknown => {}
            RateMatrix::Whole(jacobian) => {
                let diagonal = |i: usize, j: usize| if i == j { shift } else { T::real(0.0) };
                self.whole.factorise(|i, j| diagonal(i, j) - T::real(jacobian.matrix[(i, j)]));
            }
            RateMatrix::Parts(parts) => self.blocks.factorise(|block, out| write(parts, shift, block, out)),
        }
    }

    /// Solves for one right-hand side over all components and hands the unknowns over.
    ///
    /// Integrals that follow sums of other components change with these. Other integrals change by their
    /// rate: what the change of the components does to them is left to the next iteration.
    pub(crate) fn solve(
        &mut self,
        matrix: &RateMatrix,
        right: impl Fn(usize) -> T,
        mut take: impl FnMut(usize, T),
    ) {
        let parts = match matrix {
            RateMatrix::Unknown => return,
            RateMatrix::Whole(_) => {
                self.whole.solve(right, take);
                return;
            }
            RateMatrix::Parts(parts) => parts,
        };
        let Self { blocks, right: all, solution, shift, .. } = self;
        let (n, m) = (parts.n_components(), parts.of.structure.constraints());
        let dim = all.len() - m;
        let (of_rates, of_joints) = all.split_at_mut(dim);
        of_rates.iter_mut().enumerate().for_each(|(i, out)| *out = right(i));
        parts.times_momenta(of_rates, of_joints);
        let value = |i: usize| {
            let number = i / T::WIDTH;
            let [re, im] = if number < n { of_rates[number] } else { of_joints[number - n] }.parts();
            if i.is_multiple_of(T::WIDTH) { re } else { im }
        };
        blocks.solve(value, |i, x| solution[i] = x);
        let found = |i: usize| {
            let at = T::WIDTH * i;
            T::of([solution[at], if T::WIDTH == 2 { solution[at + 1] } else { 0.0 }])
        };
        (0..n).for_each(|i| take(i, found(i)));
        for i in n..of_rates.len() {
            let (mut change, mut rest) = (T::real(0.0), of_rates[i]);
            for &of in parts.of.sum_of(i) {
                change += found(of);
                rest -= of_rates[of];
            }
            take(i, change + rest / *shift);
        }
    }
}

impl PartsMatrix {
    /// out = B r.
    fn times_momenta<T: Shift>(&self, r: &[T], out: &mut [T]) {
        out.fill(T::real(0.0));
        for (at, &(group, part)) in self.incidences.iter().enumerate() {
            let r = &r[self.of.components[part].clone()];
            for (l, k) in self.of.structure.groups[group].rows.clone().enumerate() {
                for (b, r) in self.momenta.row(at, l).iter().zip(r) {
                    out[k] += T::real(*b) * *r;
                }
            }
        }
    }
}

/// Writes a block of the system, by its number in [`PartsMatrix::pattern`].
fn write<T: Shift>(parts: &PartsMatrix, shift: T, block: usize, mut out: BlockMut<'_>) {
    let (couplings, incidences) = (parts.couplings.len(), parts.incidences.len());
    if block < couplings {
        let [part, by] = parts.couplings[block];
        for i in 0..parts.of.components[part].len() {
            let on_diagonal = |j: usize| if part == by && i == j { shift } else { T::real(0.0) };
            let row = parts.rates.row(block, i).iter().enumerate();
            write_row(&mut out, i, row.map(|(j, rate)| on_diagonal(j) - T::real(*rate)));
        }
    } else if block < couplings + incidences {
        let at = block - couplings;
        for i in 0..parts.of.components[parts.incidences[at].1].len() {
            write_row(&mut out, i, parts.reactions.row(at, i).iter().map(|x| T::real(*x)));
        }
    } else {
        let at = block - couplings - incidences;
        let group = &parts.of.structure.groups[parts.incidences[at].0];
        for l in 0..group.rows.len() {
            let row = parts.rows.row(at, l).iter().zip(parts.momenta.row(at, l));
            write_row(&mut out, l, row.map(|(a, b)| T::real(*a) + shift * T::real(*b)));
        }
    }
}

/// Writes numbers as row i, each complex one as a matrix of two rows.
fn write_row<T: Shift>(out: &mut BlockMut<'_>, i: usize, numbers: impl Iterator<Item = T>) {
    for (j, number) in numbers.enumerate() {
        let [re, im] = number.parts();
        let (row, column) = (T::WIDTH * i, T::WIDTH * j);
        out.row_mut(row)[column] = re;
        if T::WIDTH == 2 {
            out.row_mut(row)[column + 1] = -im;
            out.row_mut(row + 1)[column] = im;
            out.row_mut(row + 1)[column + 1] = re;
        }
    }
}
