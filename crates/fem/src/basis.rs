//! The basis of one cell: one type for Lagrange shapes and Bezier-extracted NURBS.

use carom_mesh::{CellShape, lagrange};
use carom_nurbs::basis::{MAX_DEGREE, bernstein_derivatives_into};
use carom_nurbs::{Operator, Side};

/// Work space of one row of one-dimensional functions.
type Row = [f64; MAX_DEGREE + 1];

/// One nonempty knot span of one direction of a patch.
#[derive(Debug, Clone, PartialEq)]
pub struct LineSpan {
    /// Number of the first of the p+1 functions that are nonzero on the span.
    pub first: usize,
    /// Knots at its ends.
    pub interval: [f64; 2],
    /// Extraction operator C: N_i = Σ_j C_ij b_j(ξ), ξ in \[0,1\].
    pub operator: Operator,
}

/// The cells of a NURBS patch: its nonempty knot spans, the first direction running fastest.
#[derive(Debug, Clone, PartialEq)]
pub struct SplineCells {
    /// Degrees of the three directions.
    pub degrees: [usize; 3],
    /// Control points in each direction.
    pub n_functions: [usize; 3],
    /// Spans of each direction.
    pub lines: [Vec<LineSpan>; 3],
    /// Body point of each control point, first direction fastest; it may be a hanging one, see
    /// [`crate::Discretisation`].
    pub point_ids: Vec<u32>,
    /// Weight of each control point.
    pub weights: Vec<f64>,
    /// Position of the knot spans in the patch, and the selection of those that are cells.
    pub window: Box<Window>,
}

/// The part of a patch that a block of cells covers: all of it, or the cells of one level of a local
/// refinement.
#[derive(Debug, Clone, PartialEq)]
pub struct Window {
    /// Number of the first span of `lines` among the spans of the patch (of that level) in each direction.
    pub first: [usize; 3],
    /// Spans of the patch (of that level) in each direction.
    pub n_spans: [usize; 3],
    /// The spans that are cells, counted in the window; `None` for all.
    pub cells: Option<Vec<[u32; 3]>>,
}

impl SplineCells {
    /// Number of cells.
    pub fn n_cells(&self) -> usize {
        match &self.window.cells {
            Some(cells) => cells.len(),
            None => self.lines.iter().map(Vec::len).product(),
        }
    }

    /// Number of functions of a cell, Π(p_d + 1).
    pub fn n_cell_points(&self) -> usize {
        self.degrees.iter().map(|p| p + 1).product()
    }

    /// Spans in the three directions of cell number `cell`.
    pub fn span_of_cell(&self, cell: usize) -> [usize; 3] {
        if let Some(cells) = &self.window.cells {
            return cells[cell].map(|i| i as usize);
        }
        let [n_u, n_v, _] = [self.lines[0].len(), self.lines[1].len(), self.lines[2].len()];
        [cell % n_u, cell / n_u % n_v, cell / (n_u * n_v)]
    }

    /// Whether a cell lies on a side of the patch.
    pub fn is_on_side(&self, cell: usize, side: Side) -> bool {
        let d = side.direction();
        let span = self.window.first[d] + self.span_of_cell(cell)[d];
        span == if side.is_end() { self.window.n_spans[d] - 1 } else { 0 }
    }

    /// Calls `visit(local row start, patch row start)` for every run of p₀+1 consecutive control points of a
    /// cell.
    fn for_each_row(&self, span: [usize; 3], mut visit: impl FnMut(usize, usize)) {
        let [first_u, first_v, first_w] = std::array::from_fn(|d| self.lines[d][span[d]].first);
        let (n_u, n_v) = (self.n_functions[0], self.n_functions[1]);
        let [p, q, r] = self.degrees;
        for k in 0..=r {
            for j in 0..=q {
                let local = (p + 1) * (j + (q + 1) * k);
                visit(local, first_u + n_u * (first_v + j + n_v * (first_w + k)));
            }
        }
    }
}

/// One-dimensional functions of the three directions at a point: values and derivatives with respect to ξ_d.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Lines<'a> {
    pub(crate) values: [&'a [f64]; 3],
    pub(crate) slopes: [&'a [f64]; 3],
}

/// The basis of one cell.
#[derive(Debug, Clone, Copy)]
pub enum CellBasis<'a> {
    /// Lagrange functions of a mesh cell.
    Lagrange {
        /// Kind of the cell.
        shape: CellShape,
        /// Its nodes.
        nodes: &'a [u32],
    },
    /// Rational functions of a knot span.
    Spline {
        /// Cells of the patch.
        cells: &'a SplineCells,
        /// Span in each direction.
        span: [usize; 3],
    },
}

impl CellBasis<'_> {
    /// Number of functions, which is also that of points.
    pub fn n_points(&self) -> usize {
        match self {
            Self::Lagrange { nodes, .. } => nodes.len(),
            Self::Spline { cells, .. } => cells.n_cell_points(),
        }
    }

    /// Body points of the functions, in their order; hanging ones have numbers from n_points on.
    ///
    /// * `ids` — n_points numbers, overwritten
    pub fn point_ids_into(&self, ids: &mut [u32]) {
        match self {
            Self::Lagrange { nodes, .. } => ids.copy_from_slice(nodes),
            Self::Spline { cells, span } => {
                let run = cells.degrees[0] + 1;
                cells.for_each_row(*span, |local, patch| {
                    ids[local..local + run].copy_from_slice(&cells.point_ids[patch..patch + run]);
                });
            }
        }
    }

    /// Values R_i(ξ) and derivatives ∂R_i/∂ξ_d of the functions, with respect to the parameters of the
    /// reference cell.
    ///
    /// ```text
    /// NURBS: R_i = w_i B_i / W,  W = Σ w_j B_j,  B = N(ξ₁) ⊗ N(ξ₂) ⊗ N(ξ₃),  N = C b
    /// ```
    ///
    /// * `values`, each of `gradients` — n_points numbers, overwritten
    pub fn eval(&self, xi: [f64; 3], values: &mut [f64], gradients: [&mut [f64]; 3]) {
        match *self {
            Self::Lagrange { shape, .. } => eval_lagrange(shape, xi, values, gradients),
            Self::Spline { cells, span } => {
                let mut lines = [[[0.0; MAX_DEGREE + 1]; 2]; 3];
                for d in 0..3 {
                    eval_line(&cells.lines[d][span[d]].operator, xi[d], &mut lines[d]);
                }
                let lines = Lines {
                    values: std::array::from_fn(|d| &lines[d][0][..=cells.degrees[d]]),
                    slopes: std::array::from_fn(|d| &lines[d][1][..=cells.degrees[d]]),
                };
                eval_rational(cells, span, lines, values, gradients);
            }
        }
    }
}

/// Shape functions of a mesh cell with their derivatives sorted by direction.
pub(crate) fn eval_lagrange(shape: CellShape, xi: [f64; 3], values: &mut [f64], gradients: [&mut [f64]; 3]) {
    let mut by_node = [[0.0; 3]; CellShape::MAX_NODES];
    lagrange::values_into(shape, xi, values);
    lagrange::gradients_into(shape, xi, &mut by_node);
    let [gx, gy, gz] = gradients;
    for k in 0..shape.n_nodes() {
        [gx[k], gy[k], gz[k]] = by_node[k];
    }
}

/// Extracted functions of one direction: `line[0]` values, `line[1]` derivatives with respect to ξ.
pub(crate) fn eval_line(operator: &Operator, xi: f64, line: &mut [Row; 2]) {
    let size = operator.size;
    let (mut b, mut db, mut ddb): (Row, Row, Row) =
        ([0.0; MAX_DEGREE + 1], [0.0; MAX_DEGREE + 1], [0.0; MAX_DEGREE + 1]);
    bernstein_derivatives_into(size - 1, xi, &mut b[..size], &mut db[..size], &mut ddb[..size]);
    operator.apply_into(&b[..size], &mut line[0][..size]);
    operator.apply_into(&db[..size], &mut line[1][..size]);
}

/// Rational tensor-product functions from one-dimensional ones, see [`CellBasis::eval`].
pub(crate) fn eval_rational(
    cells: &SplineCells,
    span: [usize; 3],
    lines: Lines<'_>,
    values: &mut [f64],
    gradients: [&mut [f64]; 3],
) {
    let [gx, gy, gz] = gradients;
    let run = cells.degrees[0] + 1;
    let [first_u, first_v, first_w] = std::array::from_fn(|d| cells.lines[d][span[d]].first);
    let (n_u, d_u) = (&lines.values[0][..run], &lines.slopes[0][..run]);
    let rows = values.chunks_exact_mut(run).zip(gx.chunks_exact_mut(run));
    let mut rows = rows.zip(gy.chunks_exact_mut(run).zip(gz.chunks_exact_mut(run)));
    for (k, (&w, &dw)) in lines.values[2].iter().zip(lines.slopes[2]).enumerate() {
        for (j, (&v, &dv)) in lines.values[1].iter().zip(lines.slopes[1]).enumerate() {
            let patch = first_u + cells.n_functions[0] * (first_v + j + cells.n_functions[1] * (first_w + k));
            let weights = &cells.weights[patch..patch + run];
            let Some(((value, x), (y, z))) = rows.next() else { return };
            let (v_w, dv_w, v_dw) = (v * w, dv * w, v * dw);
            for i in 0..run {
                let n = weights[i] * n_u[i];
                value[i] = n * v_w;
                x[i] = weights[i] * d_u[i] * v_w;
                y[i] = n * dv_w;
                z[i] = n * v_dw;
            }
        }
    }
    let scale = 1.0 / sum(values);
    for value in values.iter_mut() {
        *value *= scale;
    }
    for gradient in [gx, gy, gz] {
        let slope = scale * sum(gradient);
        for (g, r) in gradient.iter_mut().zip(values.iter()) {
            *g = *g * scale - slope * r;
        }
    }
}

/// Sum of a row in eight interleaved partial sums, so that it vectorises.
fn sum(row: &[f64]) -> f64 {
    let mut lanes = [0.0; 8];
    let chunks = row.chunks_exact(8);
    let rest: f64 = chunks.remainder().iter().sum();
    for chunk in chunks {
        for lane in 0..8 {
            lanes[lane] += chunk[lane];
        }
    }
    lanes.iter().sum::<f64>() + rest
}
