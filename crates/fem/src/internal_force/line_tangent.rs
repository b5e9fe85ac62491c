//! Element tangents of NURBS cells, direction by direction.
//!
//! ```text
//! K_ij,ac = w_i w_j Σ_q Σ_αβ N_i^α D_αa,βc N_j^β,   D_αa,βc = Σ_bd slopes_αb A_abcd slopes_βd dV
//! ```
//!
//! with the products of three B-splines N and their derivatives N^α. The points are summed along ζ for all
//! pairs of functions of ζ, then along η, then along ξ: some (p+1)⁷ operations a cell instead of (p+1)⁹.

use super::maps::PointMaps;
use super::pairs::Pairs;
use super::shape::{Line, Sizes, Stages};
use crate::constitutive::{LANES, Lanes, Tangent, ZERO, lanes};

/// The numbers of components a and c, in entry 3a + c.
type Block = [Lanes; 9];

/// Memory for the tangents of a batch of NURBS cells.
#[derive(Debug, Clone, Default)]
pub(super) struct LineTangent {
    /// D at the points of a line in ζ: entry 4α + β.
    line: Vec<[Block; 16]>,
    /// After the sum over ζ, entry 3α + β with value, ξ, η: pair in ζ, then place in ξ, then in η.
    after_z: Vec<[Block; 9]>,
    /// After the sum over η, entry 2α + β with value, ξ: pair in η, then place in ξ.
    after_y: Vec<[Block; 4]>,
}

/// Pairs of functions of ζ; only those with i ≥ j for symmetric tangents.
fn pairs_of_z(sizes: Sizes, pairs: Pairs) -> impl Iterator<Item = (usize, usize)> {
    let n = sizes.n[2];
    (0..n).flat_map(move |j| (pairs.first(j)..n).map(move |i| (i, j)))
}

impl LineTangent {
    /// Allocates memory for a kind of cells.
    pub(super) fn resize(&mut self, sizes: Sizes, pairs: Pairs) {
        let Sizes { n, q } = sizes;
        self.line.resize(q[2], [[ZERO; 9]; 16]);
        self.after_z.resize(pairs_of_z(sizes, pairs).count() * q[0] * q[1], [[ZERO; 9]; 9]);
        self.after_y.resize(n[1] * n[1] * q[0], [[ZERO; 9]; 4]);
    }

    /// Fills D at a point of the present line.
    ///
    /// * `t` — place of the point in ζ
    #[inline(always)]
    pub(super) fn set_point<const A: usize>(&mut self, t: usize, tangent: &Tangent, maps: &PointMaps<A>) {
        for beta in 0..A {
            let slope = &maps.slopes[beta];
            // Σ_d A_abcd slopes_βd dV.
            let right: [[Lanes; 3]; 9] = std::array::from_fn(|ab| {
                std::array::from_fn(|c| {
                    let row = &tangent[ab];
                    lanes(|l| {
                        let sum = row[3 * c][l] * slope[0][l]
                            + row[3 * c + 1][l] * slope[1][l]
                            + row[3 * c + 2][l] * slope[2][l];
                        maps.volume[l] * sum
                    })
                })
            });
            for alpha in 0..A {
                let slope = &maps.slopes[alpha];
                self.line[t][4 * alpha + beta] = std::array::from_fn(|ac| {
                    let (a, c) = (ac / 3, ac % 3);
                    lanes(|l| {
                        slope[0][l] * right[3 * a][c][l]
                            + slope[1][l] * right[3 * a + 1][c][l]
                            + slope[2][l] * right[3 * a + 2][c][l]
                    })
                });
            }
        }
    }

    /// Sums the present line over ζ.
    ///
    /// * `place` — number of the line: place in η + points in η · place in ξ
    #[inline(always)]
    pub(super) fn sum_line(&mut self, sizes: Sizes, pairs: Pairs, place: usize, stages: &Stages) {
        let (n, n_lines) = (sizes.n[2], sizes.q[0] * sizes.q[1]);
        let z = &stages.lines[2];
        for (pair, (i, j)) in pairs_of_z(sizes, pairs).enumerate() {
            let out = &mut self.after_z[n_lines * pair + place];
            for alpha in 0..3 {
                for beta in 0..3 {
                    let mut sum = [ZERO; 9];
                    for (t, from) in self.line.iter().enumerate() {
                        let (left, right) = (&z[i + n * t], &z[j + n * t]);
                        add_types(&mut sum, left, right, [alpha, beta], |a, b| &from[4 * a + b]);
                    }
                    out[3 * alpha + beta] = sum;
                }
            }
        }
    }

    /// Sums all lines over η and ξ, and fills the blocks of the pairs of functions of the cells.
    ///
    /// * `weights` — of the functions, none if all are 1
    #[inline(always)]
    pub(super) fn sum_plane(
        &mut self,
        sizes: Sizes,
        pairs: Pairs,
        stages: &Stages,
        weights: &[Lanes],
        out: &mut [Block],
    ) {
        let Sizes { n: [n_x, n_y, n_z], q: [q_x, q_y, _] } = sizes;
        let n = n_x * n_y * n_z;
        let [x, y, _] = &stages.lines;
        for (pair, (k_i, k_j)) in pairs_of_z(sizes, pairs).enumerate() {
            let planes = &self.after_z[q_x * q_y * pair..q_x * q_y * (pair + 1)];
            sum_in_y(planes, y, [n_y, q_x, q_y], &mut self.after_y);
            for j_y in 0..n_y {
                for i_y in 0..n_y {
                    let (row, column) = (n_x * (i_y + n_y * k_i), n_x * (j_y + n_y * k_j));
                    let lines = &self.after_y[q_x * (i_y + n_y * j_y)..][..q_x];
                    for j in column..column + n_x {
                        for i in row.max(pairs.first(j))..row + n_x {
                            let mut sum = sum_in_x(lines, x, n_x, [i - row, j - column]);
                            if !weights.is_empty() {
                                let factor = lanes(|l| weights[i][l] * weights[j][l]);
                                sum = sum.map(|s| lanes(|l| s[l] * factor[l]));
                            }
                            out[pairs.place(n, i, j)] = sum;
                        }
                    }
                }
            }
        }
    }
}

/// Sums over η for all pairs of functions of η.
///
/// * `n_y`, `q_x`, `q_y` — functions of η, points of ξ and η
#[inline(always)]
fn sum_in_y(planes: &[[Block; 9]], y: &[Line], [n_y, q_x, q_y]: [usize; 3], out: &mut [[Block; 4]]) {
    for j in 0..n_y {
        for i in 0..n_y {
            for (line, out) in planes.chunks_exact(q_y).zip(&mut out[q_x * (i + n_y * j)..][..q_x]) {
                for alpha in 0..2 {
                    for beta in 0..2 {
                        let mut sum = [ZERO; 9];
                        for (r, from) in line.iter().enumerate() {
                            let (left, right) = (&y[i + n_y * r], &y[j + n_y * r]);
                            add_types(&mut sum, left, right, [alpha, beta], |a, b| {
                                // The slope in η is the last of three entries.
                                &from[3 * a.min(2) + b.min(2)]
                            });
                        }
                        out[2 * alpha + beta] = sum;
                    }
                }
            }
        }
    }
}

/// The sum over ξ for one pair of functions.
#[inline(always)]
fn sum_in_x(lines: &[[Block; 4]], x: &[Line], n_x: usize, [i, j]: [usize; 2]) -> Block {
    let mut sum = [ZERO; 9];
    for (s, from) in lines.iter().enumerate() {
        let (left, right) = (&x[i + n_x * s], &x[j + n_x * s]);
        add_types(&mut sum, left, right, [0, 0], |a, b| &from[2 * a.min(1) + b.min(1)]);
    }
    sum
}

/// Adds the products of values and slopes of two functions with the numbers that belong to them.
///
/// * `left`, `right` — value and slope of the functions i and j
/// * `types` — α and β of the sum; a slope of this direction is summed to α = 0, and likewise to β = 0
/// * `from` — the numbers of α and β, 3 for the slope of this direction
#[inline(always)]
fn add_types<'a>(
    sum: &mut Block,
    left: &Line,
    right: &Line,
    [alpha, beta]: [usize; 2],
    from: impl Fn(usize, usize) -> &'a Block,
) {
    let mut add = |a: usize, b: usize, left: &Lanes, right: &Lanes| {
        let factor = lanes(|l| left[l] * right[l]);
        let from = from(a, b);
        for ac in 0..9 {
            for l in 0..LANES {
                sum[ac][l] += factor[l] * from[ac][l];
            }
        }
    };
    add(alpha, beta, &left[0], &right[0]);
    if alpha == 0 {
        add(3, beta, &left[1], &right[0]);
    }
    if beta == 0 {
        add(alpha, 3, &left[0], &right[1]);
    }
    if alpha == 0 && beta == 0 {
        add(3, 3, &left[1], &right[1]);
    }
}
