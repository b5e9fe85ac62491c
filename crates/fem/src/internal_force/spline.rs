//! NURBS cells: gradients and forces direction by direction.
//!
//! With weights w and B-splines N, derivatives of a field at the Gauss points of a cell are sums over ξ, then
//! η, then ζ of w_i u_i N_i(ξ) N_j(η) N_k(ζ), for values and slopes; forces use the transposed sums in the
//! reverse order.

use carom_nurbs::basis::MAX_DEGREE;

use super::PointRule;
use super::maps::{Local, PointMaps, inverse};
use super::shape::{Mapped, Shape, Sizes, Stages};
use crate::SplineCells;
use crate::basis::eval_line;
use crate::constitutive::{LANES, Lanes, ZERO, each, lanes};
use crate::evaluator::determinant;
use crate::quadrature::{QuadratureRule, gauss_legendre, spline_points};

/// Number of functions of a cell from which its tangent is summed direction by direction.
///
/// The sums by direction need 16 000 multiplications instead of 13 000 for degree 1, and 120 000 instead of
/// 330 000 for degree 2.
const FUNCTIONS_BY_LINES: usize = 27;

/// The functions of a patch at the Gauss points of its spans.
#[derive(Debug, Clone)]
pub(super) struct SplineShape {
    /// Functions of a span in each direction.
    n: [usize; 3],
    /// Gauss points of a span in each direction.
    q: [usize; 3],
    /// Gauss points and weights in \[0,1\].
    points: [Vec<f64>; 3],
    weights: [Vec<f64>; 3],
    /// Value and slope: span after span, point after point.
    functions: [Vec<[f64; 2]>; 3],
    /// The spans of each cell.
    spans: Vec<[u32; 3]>,
    /// Whether the tangent is summed direction by direction.
    by_lines: bool,
}

impl SplineShape {
    pub(super) fn new(cells: &SplineCells, rule: PointRule) -> Self {
        let rule = match rule {
            PointRule::Cell(rule) => rule,
            _ => QuadratureRule::Default,
        };
        let n = cells.degrees.map(|p| p + 1);
        let q = cells.degrees.map(|p| spline_points(p, rule));
        let rules = q.map(gauss_legendre);
        let functions = std::array::from_fn(|d| {
            let mut functions = Vec::with_capacity(cells.lines[d].len() * n[d] * q[d]);
            for span in &cells.lines[d] {
                for &xi in &rules[d].0 {
                    let mut line = [[0.0; MAX_DEGREE + 1]; 2];
                    eval_line(&span.operator, xi, &mut line);
                    functions.extend((0..n[d]).map(|i| [line[0][i], line[1][i]]));
                }
            }
            functions
        });
        let spans = (0..cells.n_cells()).map(|cell| cells.span_of_cell(cell).map(|k| k as u32)).collect();
        let weights = std::array::from_fn(|d| rules[d].1.clone());
        let by_lines = n.iter().product::<usize>() >= FUNCTIONS_BY_LINES;
        Self { n, q, points: rules.map(|rule| rule.0), weights, functions, spans, by_lines }
    }

    /// Place of a Gauss point in the three directions.
    #[inline(always)]
    fn place(&self, point: usize) -> [usize; 3] {
        [point % self.q[0], point / self.q[0] % self.q[1], point / (self.q[0] * self.q[1])]
    }
}

impl Shape<4> for SplineShape {
    fn n_nodes(&self) -> usize {
        self.n.iter().product()
    }

    fn n_points(&self) -> usize {
        self.q.iter().product()
    }

    fn xi(&self, point: usize) -> [f64; 3] {
        let place = self.place(point);
        std::array::from_fn(|d| self.points[d][place[d]])
    }

    #[inline(always)]
    fn sizes(&self) -> Option<Sizes> {
        self.by_lines.then_some(Sizes { n: self.n, q: self.q })
    }

    fn stages(&self) -> Stages {
        let ([_, n_y, n_z], [q_x, q_y, _]) = (self.n, self.q);
        Stages {
            lines: std::array::from_fn(|d| vec![[ZERO; 2]; self.n[d] * self.q[d]]),
            after_x: vec![[[ZERO; 3]; 2]; q_x * n_y * n_z],
            after_y: vec![[[ZERO; 3]; 3]; q_x * q_y * n_z],
        }
    }

    #[inline(always)]
    fn enter(&self, cells: &[u32; LANES], stages: &mut Stages) {
        let spans = cells.map(|cell| self.spans[cell as usize]);
        for d in 0..3 {
            let size = self.n[d] * self.q[d];
            for l in 0..LANES {
                let start = size * spans[l][d] as usize;
                for (line, function) in stages.lines[d].iter_mut().zip(&self.functions[d][start..]) {
                    line[0][l] = function[0];
                    line[1][l] = function[1];
                }
            }
        }
    }

    #[inline(always)]
    fn gradients(&self, nodal: &[[Lanes; 3]], local: &mut [Local<4>], stages: &mut Stages) {
        let ([n_x, n_y, n_z], [q_x, q_y, _]) = (self.n, self.q);
        let Stages { lines: [x, y, z], after_x, after_y } = stages;
        for (row, out) in nodal.chunks_exact(n_x).zip(after_x.chunks_exact_mut(q_x)) {
            for (line, out) in x.chunks_exact(n_x).zip(out) {
                let mut sums = [[ZERO; 3]; 2];
                for (function, u) in line.iter().zip(row) {
                    add(&mut sums[0], &function[0], u);
                    add(&mut sums[1], &function[1], u);
                }
                *out = sums;
            }
        }
        for k in 0..n_z {
            for (r, line) in y.chunks_exact(n_y).enumerate() {
                for s in 0..q_x {
                    let mut sums = [[ZERO; 3]; 3];
                    for (j, function) in line.iter().enumerate() {
                        let from = &after_x[s + q_x * (j + n_y * k)];
                        add(&mut sums[0], &function[0], &from[0]);
                        add(&mut sums[1], &function[0], &from[1]);
                        add(&mut sums[2], &function[1], &from[0]);
                    }
                    after_y[s + q_x * (r + q_y * k)] = sums;
                }
            }
        }
        let plane = q_x * q_y;
        for (line, out) in z.chunks_exact(n_z).zip(local.chunks_exact_mut(plane)) {
            for (place, out) in out.iter_mut().enumerate() {
                let mut sums = [[ZERO; 3]; 4];
                for (k, function) in line.iter().enumerate() {
                    let from = &after_y[place + plane * k];
                    add(&mut sums[0], &function[0], &from[0]);
                    add(&mut sums[1], &function[0], &from[1]);
                    add(&mut sums[2], &function[0], &from[2]);
                    add(&mut sums[3], &function[1], &from[0]);
                }
                *out = sums;
            }
        }
    }

    #[inline(always)]
    fn forces(&self, local: &[Local<4>], nodal: &mut [[Lanes; 3]], stages: &mut Stages) {
        let ([n_x, n_y, n_z], [q_x, q_y, q_z]) = (self.n, self.q);
        let Stages { lines: [x, y, z], after_x, after_y } = stages;
        let plane = q_x * q_y;
        for k in 0..n_z {
            for (place, out) in after_y[plane * k..plane * (k + 1)].iter_mut().enumerate() {
                let mut sums = [[ZERO; 3]; 3];
                for t in 0..q_z {
                    let (function, from) = (&z[k + n_z * t], &local[place + plane * t]);
                    add(&mut sums[0], &function[0], &from[0]);
                    add(&mut sums[0], &function[1], &from[3]);
                    add(&mut sums[1], &function[0], &from[1]);
                    add(&mut sums[2], &function[0], &from[2]);
                }
                *out = sums;
            }
        }
        for k in 0..n_z {
            for j in 0..n_y {
                for s in 0..q_x {
                    let mut sums = [[ZERO; 3]; 2];
                    for r in 0..q_y {
                        let (function, from) = (&y[j + n_y * r], &after_y[s + q_x * (r + q_y * k)]);
                        add(&mut sums[0], &function[0], &from[0]);
                        add(&mut sums[0], &function[1], &from[2]);
                        add(&mut sums[1], &function[0], &from[1]);
                    }
                    after_x[s + q_x * (j + n_y * k)] = sums;
                }
            }
        }
        for (row, from) in nodal.chunks_exact_mut(n_x).zip(after_x.chunks_exact(q_x)) {
            for (i, out) in row.iter_mut().enumerate() {
                let mut sums = [ZERO; 3];
                for (s, from) in from.iter().enumerate() {
                    let function = &x[i + n_x * s];
                    add(&mut sums, &function[0], &from[0]);
                    add(&mut sums, &function[1], &from[1]);
                }
                *out = sums;
            }
        }
    }

    #[inline(always)]
    fn functions(&self, point: usize, maps: &PointMaps<4>, stages: &Stages, out: &mut [[Lanes; 3]]) {
        let [n_x, n_y, n_z] = self.n;
        let [s, r, t] = self.place(point);
        let [x, y, z] = &stages.lines;
        for k in 0..n_z {
            let w = &z[k + n_z * t];
            for j in 0..n_y {
                let v = &y[j + n_y * r];
                for i in 0..n_x {
                    let u = &x[i + n_x * s];
                    let of = |a: usize, b: usize, c: usize| lanes(|l| u[a][l] * v[b][l] * w[c][l]);
                    let parts = [of(0, 0, 0), of(1, 0, 0), of(0, 1, 0), of(0, 0, 1)];
                    out[i + n_x * (j + n_y * k)] = each(|b| {
                        lanes(|l| (0..4).map(|alpha| parts[alpha][l] * maps.slopes[alpha][b][l]).sum())
                    });
                }
            }
        }
    }

    /// ∂R_i/∂X_b = w_i Σ_α slopes_αb N_i^α with R_i = w_i N_i / W, W = Σ w_i N_i.
    fn map(&self, point: usize, coordinates: &Local<4>, ones: &Local<4>) -> Mapped<4> {
        let [s, r, t] = self.place(point);
        let weight = self.weights[0][s] * self.weights[1][r] * self.weights[2][t];
        let mut slopes = [[ZERO; 3]; 4];
        let mut det = ZERO;
        for l in 0..LANES {
            let total = ones[0][0][l];
            let position: [f64; 3] = std::array::from_fn(|a| coordinates[0][a][l] / total);
            let jacobian: [[f64; 3]; 3] = std::array::from_fn(|a| {
                std::array::from_fn(|d| (coordinates[d + 1][a][l] - position[a] * ones[d + 1][0][l]) / total)
            });
            det[l] = determinant(&jacobian);
            let inverse = inverse(&jacobian, det[l]);
            for b in 0..3 {
                for d in 0..3 {
                    slopes[d + 1][b][l] = inverse[d][b] / total;
                    slopes[0][b][l] -= inverse[d][b] * ones[d + 1][0][l] / (total * total);
                }
            }
        }
        Mapped { maps: PointMaps { slopes, volume: lanes(|l| weight * det[l]) }, det }
    }
}

#[inline(always)]
fn add(sums: &mut [Lanes; 3], factor: &Lanes, from: &[Lanes; 3]) {
    for a in 0..3 {
        for l in 0..LANES {
            sums[a][l] += factor[l] * from[a][l];
        }
    }
}
