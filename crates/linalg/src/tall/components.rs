//! Products of the components of dof vectors: all pairs in one pass over the vectors.

use carom_progress::Progress;
use faer::{Mat, MatRef};
use pulp::Arch;
use rayon::prelude::*;

use super::{AddGram, DEPTH, MAX_PIECES, PIECE_ROWS, pack, padded};
use crate::NodeMatrix;
use crate::lanes::{LANES, Row, ZERO, add};
use crate::multiply::Packed;

/// Pairs of components, in the order of [`ComponentProducts::pairs`].
const PAIRS: [[usize; 2]; 6] = [[0, 0], [0, 1], [0, 2], [1, 1], [1, 2], [2, 2]];

/// Rows of eight numbers that the sums of all pieces may take together: 128 MB.
const MOST_SUMS: usize = 1 << 21;

/// Products of the three components of the columns of a basis, weighted by a matrix M_s between points; row
/// 3 i + a of the basis belongs to component a of point i.
#[derive(Debug, Clone)]
pub struct ComponentProducts {
    /// φ_aᵀ M_s φ_b for (a, b) = (0,0), (0,1), (0,2), (1,1), (1,2), (2,2).
    pub pairs: [Mat<f64>; 6],
    /// Sᵀ M_s φ_b of a matrix S with a row for each point.
    pub scalars: [Mat<f64>; 3],
}

impl ComponentProducts {
    /// The products; `None` if the user stopped it.
    ///
    /// * `mass` — M_s, n × n
    /// * `basis` — 3n × any number of columns
    /// * `scalars` — S, n × any number of columns
    ///
    /// # Panics
    ///
    /// If numbers of rows do not agree.
    pub fn new(
        mass: &NodeMatrix,
        basis: MatRef<'_, f64>,
        scalars: MatRef<'_, f64>,
        progress: &dyn Progress,
    ) -> Option<Self> {
        let n_points = mass.n_nodes();
        assert!(basis.nrows() == 3 * n_points && scalars.nrows() == n_points, "three rows for each point");
        progress.begin("mass integrals", 2);
        let weighted = mass.product_in_groups(basis);
        progress.set(1);
        if progress.interrupted() {
            return None;
        }
        let operands = Operands { weighted: &weighted, basis, scalars };
        let shape = operands.shape();
        // The number of pieces depends on sizes alone, and with it the order of all sums.
        let most = MAX_PIECES.min(MOST_SUMS / shape.length().max(1)).max(2);
        let rows = PIECE_ROWS.max(n_points.div_ceil(most));
        let parts: Vec<Vec<Row>> = (0..n_points.div_ceil(rows))
            .into_par_iter()
            .map(|piece| {
                let mut sums = vec![ZERO; shape.length()];
                operands.add_piece(piece * rows..n_points.min((piece + 1) * rows), &mut sums);
                sums
            })
            .collect();
        let mut sums = vec![ZERO; shape.length()];
        for part in parts {
            sums.iter_mut().zip(&part).for_each(|(sum, part)| add::<f64>(sum, part));
        }
        progress.end();
        Some(shape.products(&sums))
    }
}

/// Matrices that are multiplied.
struct Operands<'a> {
    /// M_s φ, eight columns side by side.
    weighted: &'a [Vec<Row>],
    basis: MatRef<'a, f64>,
    scalars: MatRef<'a, f64>,
}

/// Where the sums are: (M_s φ_b)ᵀ φ_a of all pairs in tiles of eight rows, then (M_s φ_b)ᵀ S.
#[derive(Clone, Copy)]
struct SumShape {
    columns: usize,
    scalars: usize,
}

impl SumShape {
    fn tiles(self) -> usize {
        self.columns.div_ceil(LANES)
    }

    /// Rows of eight numbers of the products of one pair of components.
    fn pair(self) -> usize {
        self.tiles() * padded(self.columns)
    }

    /// Rows of eight numbers of the products of S with one component.
    fn scalar(self) -> usize {
        self.tiles() * padded(self.scalars)
    }

    fn length(self) -> usize {
        PAIRS.len() * self.pair() + 3 * self.scalar()
    }

    fn products(self, sums: &[Row]) -> ComponentProducts {
        let (of_pairs, of_scalars) = sums.split_at(PAIRS.len() * self.pair());
        let (width, scalar_width) = (padded(self.columns), padded(self.scalars));
        let pair = |k: usize| {
            let sums = &of_pairs[k * self.pair()..];
            let is_symmetric = PAIRS[k][0] == PAIRS[k][1];
            Mat::from_fn(self.columns, self.columns, |a, b| {
                let (a, b) = if is_symmetric { (a.min(b), a.max(b)) } else { (a, b) };
                sums[b / LANES * width + a][b % LANES]
            })
        };
        let scalar = |k: usize| {
            let sums = &of_scalars[k * self.scalar()..];
            Mat::from_fn(self.scalars, self.columns, |s, b| sums[b / LANES * scalar_width + s][b % LANES])
        };
        ComponentProducts { pairs: std::array::from_fn(pair), scalars: std::array::from_fn(scalar) }
    }
}

impl Operands<'_> {
    fn shape(&self) -> SumShape {
        SumShape { columns: self.basis.ncols(), scalars: self.scalars.ncols() }
    }

    /// Adds the products of some points to the sums.
    fn add_piece(&self, points: std::ops::Range<usize>, sums: &mut [Row]) {
        let (arch, shape) = (Arch::new(), self.shape());
        let (of_pairs, of_scalars) = sums.split_at_mut(PAIRS.len() * shape.pair());
        let (mut left, mut right) = ([const { Vec::new() }; 3], [const { Vec::new() }; 3]);
        let mut of_points = Vec::new();
        for start in points.clone().step_by(DEPTH) {
            let depth = DEPTH.min(points.end - start);
            for component in 0..3 {
                left[component].clear();
                for group in self.weighted {
                    left[component].extend(group[3 * start + component..].iter().step_by(3).take(depth));
                }
                let rows = self.basis.subrows(3 * start + component, 3 * depth - 2);
                pack(rows, 3, &mut right[component]);
            }
            pack(self.scalars.subrows(start, depth), 1, &mut of_points);
            let add = |b: usize, right: &[Packed], columns: usize, is_lower: bool, sums: &mut [Row]| {
                let (left, n_columns) = (&left[b][..], padded(columns));
                arch.dispatch(AddGram { left, right, depth, first: 0, n_columns, is_lower, sums });
            };
            for ([a, b], sums) in PAIRS.iter().zip(of_pairs.chunks_exact_mut(shape.pair().max(1))) {
                add(*b, &right[*a], shape.columns, a == b, sums);
            }
            for (b, sums) in of_scalars.chunks_exact_mut(shape.scalar().max(1)).enumerate() {
                add(b, &of_points, shape.scalars, false, sums);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use carom_progress::Silent;

    use super::*;
    use crate::NodeGraph;

    #[test]
    fn products_of_components_agree_with_plain_ones() {
        // Several pieces, the last of them short; a block of columns that is not full.
        let (n, columns) = (9001, 19);
        let edges: Vec<[u32; 2]> = (1..n as u32).map(|i| [i - 1, i]).collect();
        let mut mass = NodeMatrix::zeros(Arc::new(NodeGraph::from_cells(n, &edges).unwrap()));
        mass.values.iter_mut().enumerate().for_each(|(k, x)| *x = 2.0 + (k % 5) as f64);
        let basis = Mat::from_fn(3 * n, columns, |i, j| ((i + 1) as f64 * (j + 2) as f64 * 0.37).sin());
        let s = Mat::from_fn(n, 4, |i, j| ((i + 7 * j) as f64).cos());
        let component = |c: usize| Mat::from_fn(n, columns, |i, j| basis[(3 * i + c, j)]);
        let weighted: [Mat<f64>; 3] = std::array::from_fn(|c| mass.node_product(component(c).as_ref()));
        let of = |columns| ComponentProducts::new(&mass, basis.subcols(0, columns), s.as_ref(), &Silent);
        let found = of(columns).unwrap();
        for ([a, b], found) in PAIRS.iter().zip(&found.pairs) {
            assert!((found - component(*a).transpose() * &weighted[*b]).norm_max() < 1e-8, "{a} {b}");
        }
        for (found, weighted) in found.scalars.iter().zip(&weighted) {
            assert!((found - s.transpose() * weighted).norm_max() < 1e-8);
        }
        let none = of(0).unwrap();
        assert_eq!((none.pairs[1].ncols(), none.scalars[2].nrows()), (0, 4));
    }
}
