//! One patch in Bezier form: the control points of all its spans, shared between neighbours.

use carom_nurbs::{LineOperator, Patch};

/// The Bezier control points of a patch, p·spans + 1 in each direction, u fastest.
///
/// Any field over the control points of the patch, such as the geometry itself, becomes Bezier values by knot insertion
/// in homogeneous space and division by the Bezier weights: the field stays exactly the same function.
#[derive(Debug, Clone)]
pub(crate) struct PatchLattice {
    /// Degrees of the three directions.
    pub(crate) degrees: [usize; 3],
    /// Numbers of nonempty spans.
    pub(crate) spans: [usize; 3],
    /// Weights of the lattice points.
    pub(crate) weights: Vec<f64>,
    control_counts: [usize; 3],
    control_weights: Vec<f64>,
    operators: [LineOperator; 3],
}

impl PatchLattice {
    pub(crate) fn new(patch: &Patch) -> Self {
        let operators = patch.basis.each_ref().map(|basis| basis.to_bezier());
        let spans = patch.basis.each_ref().map(|basis| basis.spans().len());
        let mut lattice = Self {
            degrees: patch.degrees(),
            spans,
            weights: Vec::new(),
            control_counts: patch.counts(),
            control_weights: patch.weights.clone(),
            operators,
        };
        let ones = vec![[1.0]; lattice.control_weights.len()];
        lattice.weights = lattice.homogeneous(&ones).into_iter().map(|[w]| w).collect();
        lattice
    }

    /// Numbers of lattice points.
    pub(crate) fn counts(&self) -> [usize; 3] {
        std::array::from_fn(|d| self.degrees[d] * self.spans[d] + 1)
    }

    /// w v at the lattice points for values v at the control points.
    pub(crate) fn homogeneous<const D: usize>(&self, values: &[[f64; D]]) -> Vec<[f64; D]> {
        let mut current: Vec<[f64; D]> =
            values.iter().zip(&self.control_weights).map(|(v, w)| v.map(|x| x * w)).collect();
        let mut counts = self.control_counts;
        for (direction, operator) in self.operators.iter().enumerate() {
            current = operator.apply(&current, counts, direction);
            counts[direction] = operator.n_out();
        }
        current
    }

    /// v at the lattice points: Bezier control values of the same function.
    pub(crate) fn rational<const D: usize>(&self, values: &[[f64; D]]) -> Vec<[f64; D]> {
        let mut lattice = self.homogeneous(values);
        for (value, weight) in lattice.iter_mut().zip(&self.weights) {
            *value = value.map(|x| x / weight);
        }
        lattice
    }

    /// Number of cells, one a span.
    pub(crate) fn n_cells(&self) -> usize {
        self.spans.iter().product()
    }

    /// Span of a cell; cells are numbered u fastest, then v, then w.
    pub(crate) fn span_of_cell(&self, cell: usize) -> [usize; 3] {
        let [nu, nv, _] = self.spans;
        [cell % nu, cell / nu % nv, cell / (nu * nv)]
    }

    /// Lattice points of a cell, (p+1)(q+1)(r+1) of them, i fastest.
    pub(crate) fn cell_points(&self, cell: usize) -> impl Iterator<Item = usize> + use<> {
        let [p, q, r] = self.degrees;
        let [a, b, c] = self.span_of_cell(cell);
        let [nu, nv, _] = self.counts();
        let first = a * p + nu * (b * q + nv * c * r);
        (0..=r)
            .flat_map(move |k| (0..=q).flat_map(move |j| (0..=p).map(move |i| first + i + nu * (j + nv * k))))
    }

    /// Whether a lattice point lies on a side of the patch.
    pub(crate) fn on_side(&self, index: usize) -> bool {
        let [nu, nv, nw] = self.counts();
        let at = [index % nu, index / nu % nv, index / (nu * nv)];
        (0..3).any(|d| at[d] == 0 || at[d] == [nu, nv, nw][d] - 1)
    }
}
