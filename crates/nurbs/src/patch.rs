//! One trivariate NURBS patch.

use carom_files::coordinates::{ImpossiblePoint, LARGEST};
use thiserror::Error;

use crate::basis::MAX_DEGREE;
use crate::{KnotError, KnotVector};

/// Errors of a patch.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum PatchError {
    /// The number of control points or weights is not the product of the numbers of functions.
    #[error("{found} {what} given, but the knot vectors need {} x {} x \
        {}", counts[0], counts[1], counts[2])]
    Count {
        /// "control points" or "weights".
        what: &'static str,
        /// Number given.
        found: usize,
        /// Functions of the three directions.
        counts: [usize; 3],
    },
    /// A coordinate is NaN or too large; control points are counted from zero.
    #[error(transparent)]
    Point(#[from] ImpossiblePoint),
    /// A weight is not a positive finite number.
    #[error("weight {weight:e} of control point {index} must be positive, from 1e-60 to 1e60")]
    Weight {
        /// Zero-based number of the control point.
        index: usize,
        /// Its weight.
        weight: f64,
    },
    /// The body is refined locally.
    #[error(
        "the body is refined locally (hierarchical B-splines): its degrees and knots can no longer change; \
         elevate, divide and grade first, refine near places last"
    )]
    Hierarchical,
    /// A knot vector of a refined patch would be invalid.
    #[error("direction {direction}: {source}")]
    Knots {
        /// 0 = u, 1 = v, 2 = w.
        direction: usize,
        /// The error.
        source: KnotError,
    },
}

/// A trivariate NURBS: x(u,v,w) = Σ N_i w_i P_i / Σ N_i w_i.
///
/// Control points are numbered u fastest, then v, then w.
#[derive(Debug, Clone, PartialEq)]
pub struct Patch {
    /// Knot vectors of the three directions u, v, w.
    pub basis: [KnotVector; 3],
    /// Cartesian control points \[m\].
    pub points: Vec<[f64; 3]>,
    /// Weights, one for each control point, positive.
    pub weights: Vec<f64>,
}

/// A point of a patch with the derivatives of the map.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Derivatives {
    /// x \[m\].
    pub point: [f64; 3],
    /// ∂x/∂u, ∂x/∂v, ∂x/∂w.
    pub first: [[f64; 3]; 3],
    /// ∂²x in the order uu, vv, ww, uv, uw, vw.
    pub second: [[f64; 3]; 6],
}

impl Derivatives {
    /// det(∂x/∂u, ∂x/∂v, ∂x/∂w).
    pub fn jacobian(&self) -> f64 {
        let [a, b, c] = self.first;
        a[0] * (b[1] * c[2] - b[2] * c[1])
            + a[1] * (b[2] * c[0] - b[0] * c[2])
            + a[2] * (b[0] * c[1] - b[1] * c[0])
    }
}

/// Pairs of directions in the order of [`Derivatives::second`].
const PAIRS: [(usize, usize); 6] = [(0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)];

impl Patch {
    /// Checks a patch.
    ///
    /// # Errors
    ///
    /// [`PatchError`] if the counts do not fit, a coordinate is not finite or a weight not positive.
    pub fn new(basis: [KnotVector; 3], points: Vec<[f64; 3]>, weights: Vec<f64>) -> Result<Self, PatchError> {
        let counts = [basis[0].n_functions(), basis[1].n_functions(), basis[2].n_functions()];
        for (what, found) in [("control points", points.len()), ("weights", weights.len())] {
            if counts[0].checked_mul(counts[1]).and_then(|n| n.checked_mul(counts[2])) != Some(found) {
                return Err(PatchError::Count { what, found, counts });
            }
        }
        for (index, &point) in points.iter().enumerate() {
            ImpossiblePoint::check("control point", index as u64, point)?;
        }
        for (index, &weight) in weights.iter().enumerate() {
            if !(weight > 1.0 / LARGEST && weight < LARGEST) {
                return Err(PatchError::Weight { index, weight });
            }
        }
        Ok(Self { basis, points, weights })
    }

    /// Degrees of the three directions.
    pub fn degrees(&self) -> [usize; 3] {
        [self.basis[0].degree(), self.basis[1].degree(), self.basis[2].degree()]
    }

    /// Numbers of control points of the three directions.
    pub fn counts(&self) -> [usize; 3] {
        [self.basis[0].n_functions(), self.basis[1].n_functions(), self.basis[2].n_functions()]
    }

    /// Number of the control point (i, j, k): i + n_u (j + n_v k).
    pub fn index(&self, ijk: [usize; 3]) -> usize {
        ijk[0] + self.basis[0].n_functions() * (ijk[1] + self.basis[1].n_functions() * ijk[2])
    }

    /// First and last parameter of each direction.
    pub fn domain(&self) -> [[f64; 2]; 3] {
        [self.basis[0].domain(), self.basis[1].domain(), self.basis[2].domain()]
    }

    /// The nonempty span of each direction that holds the parameters.
    pub fn span_of(&self, u: [f64; 3]) -> [usize; 3] {
        [self.basis[0].span_of(u[0]), self.basis[1].span_of(u[1]), self.basis[2].span_of(u[2])]
    }

    /// Numbers of the (p+1)(q+1)(r+1) control points that move a span, u fastest.
    ///
    /// * `spans` — knot index of a nonempty span in each direction; `out` — cleared and filled
    pub fn span_points_into(&self, spans: [usize; 3], out: &mut Vec<u32>) {
        out.clear();
        let first = [0, 1, 2].map(|d| self.basis[d].first_function(spans[d]));
        let degrees = self.degrees();
        for k in 0..=degrees[2] {
            for j in 0..=degrees[1] {
                let start = self.index([first[0], first[1] + j, first[2] + k]);
                out.extend((start..=start + degrees[0]).map(|i| i as u32));
            }
        }
    }

    /// x(u,v,w) \[m\].
    pub fn point(&self, u: [f64; 3]) -> [f64; 3] {
        let spans = self.span_of(u);
        let mut n = [[0.0; MAX_DEGREE + 1]; 3];
        for d in 0..3 {
            self.basis[d].basis_into(spans[d], u[d], &mut n[d]);
        }
        let mut sum = [0.0; 4];
        self.for_each_point(spans, |index, [i, j, k]| {
            let weight = n[0][i] * n[1][j] * n[2][k] * self.weights[index];
            sum[3] += weight;
            for (x, coordinate) in sum.iter_mut().zip(self.points[index]) {
                *x += weight * coordinate;
            }
        });
        [sum[0] / sum[3], sum[1] / sum[3], sum[2] / sum[3]]
    }

    /// The map with its first two derivatives at parameters in the domain.
    pub fn derivatives(&self, u: [f64; 3]) -> Derivatives {
        self.derivatives_on(self.span_of(u), u)
    }

    /// The same on a given span: one-sided at its ends.
    ///
    /// ```text
    /// A = Σ N w P,  W = Σ N w:
    /// x = A/W,  x_i = (A_i − W_i x)/W,  x_ij = (A_ij − W_i x_j − W_j x_i − W_ij x)/W
    /// ```
    pub fn derivatives_on(&self, spans: [usize; 3], u: [f64; 3]) -> Derivatives {
        // n[d][m]: derivative of order m of the functions of direction d.
        let mut n = [[[0.0; MAX_DEGREE + 1]; 3]; 3];
        for d in 0..3 {
            let [values, first, second] = &mut n[d];
            self.basis[d].derivatives_into(spans[d], u[d], values, first, second);
        }
        let mut a = [[0.0; 4]; 10];
        self.for_each_point(spans, |index, ijk| {
            let weight = self.weights[index];
            let [x, y, z] = self.points[index];
            let homogeneous = [weight * x, weight * y, weight * z, weight];
            for (sum, orders) in a.iter_mut().zip(ORDERS) {
                let factor = n[0][orders[0]][ijk[0]] * n[1][orders[1]][ijk[1]] * n[2][orders[2]][ijk[2]];
                for c in 0..4 {
                    sum[c] += factor * homogeneous[c];
                }
            }
        });
        divide(&a)
    }

    fn for_each_point(&self, spans: [usize; 3], mut visit: impl FnMut(usize, [usize; 3])) {
        let first = [0, 1, 2].map(|d| self.basis[d].first_function(spans[d]));
        let degrees = self.degrees();
        for k in 0..=degrees[2] {
            for j in 0..=degrees[1] {
                let start = self.index([first[0], first[1] + j, first[2] + k]);
                for i in 0..=degrees[0] {
                    visit(start + i, [i, j, k]);
                }
            }
        }
    }
}

/// Orders of differentiation: value, u, v, w, then [`PAIRS`].
const ORDERS: [[usize; 3]; 10] = [
    [0, 0, 0],
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
    [2, 0, 0],
    [0, 2, 0],
    [0, 0, 2],
    [1, 1, 0],
    [1, 0, 1],
    [0, 1, 1],
];

/// Quotient rule for homogeneous sums in the order of [`ORDERS`].
fn divide(a: &[[f64; 4]; 10]) -> Derivatives {
    let w = a[0][3];
    let mut out = Derivatives::default();
    for c in 0..3 {
        let x = a[0][c] / w;
        out.point[c] = x;
        for d in 0..3 {
            out.first[d][c] = (a[1 + d][c] - a[1 + d][3] * x) / w;
        }
        for (m, (i, j)) in PAIRS.into_iter().enumerate() {
            let mixed = a[1 + i][3] * out.first[j][c] + a[1 + j][3] * out.first[i][c];
            out.second[m][c] = (a[4 + m][c] - mixed - a[4 + m][3] * x) / w;
        }
    }
    out
}

/// A side of the parameter box of a patch; the discriminant is the local face number of its cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Side {
    /// u at its minimum.
    West = 0,
    /// u at its maximum.
    East = 1,
    /// v at its minimum.
    South = 2,
    /// v at its maximum.
    North = 3,
    /// w at its minimum.
    Bottom = 4,
    /// w at its maximum.
    Top = 5,
}

impl Side {
    /// All sides in the order of their local face numbers.
    pub const ALL: [Self; 6] = [Self::West, Self::East, Self::South, Self::North, Self::Bottom, Self::Top];

    /// Name as it appears in set names: `patch2:west`.
    pub fn name(self) -> &'static str {
        ["west", "east", "south", "north", "bottom", "top"][self as usize]
    }

    /// Direction that is constant on the side: 0 = u, 1 = v, 2 = w.
    pub fn direction(self) -> usize {
        self as usize / 2
    }

    /// True if the side is at the last parameter of its direction.
    pub fn is_end(self) -> bool {
        self as usize % 2 == 1
    }

    /// The two directions that run along the side, in ascending order.
    pub fn tangents(self) -> [usize; 2] {
        [[1, 2], [0, 2], [0, 1]][self.direction()]
    }

    /// The side with this constant direction (0, 1, 2) at its first or last parameter.
    pub fn of(direction: usize, end: bool) -> Self {
        Self::ALL[2 * direction + usize::from(end)]
    }

    /// The side of a name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|side| side.name() == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::warped;

    #[test]
    fn derivatives_of_the_map_are_limits_of_differences() {
        let patch = warped();
        let h = 1e-5;
        for u in [[0.2, -0.3, 0.3], [0.7, 1.1, 2.0], [0.41, 0.6, 0.6]] {
            let at = patch.derivatives(u);
            for c in 0..3 {
                assert!((at.point[c] - patch.point(u)[c]).abs() < 1e-14);
            }
            for (m, (i, j)) in PAIRS.into_iter().enumerate() {
                let shifted = |sign: f64| {
                    let mut v = u;
                    v[i] += sign * h;
                    patch.derivatives(v)
                };
                let (plus, minus) = (shifted(1.0), shifted(-1.0));
                for c in 0..3 {
                    let first = (plus.point[c] - minus.point[c]) / (2.0 * h);
                    assert!((first - at.first[i][c]).abs() < 1e-8, "x_{i} at {u:?}");
                    let second = (plus.first[j][c] - minus.first[j][c]) / (2.0 * h);
                    assert!((second - at.second[m][c]).abs() < 1e-7, "x_{i}{j} at {u:?}");
                }
            }
        }
    }

    #[test]
    fn the_error_of_an_inconsistent_patch_gives_its_numbers() {
        let patch = warped();
        let fewer = patch.points[1..].to_vec();
        let message = Patch::new(patch.basis.clone(), fewer, patch.weights.clone()).unwrap_err().to_string();
        assert!(message.contains("71 control points") && message.contains("4 x 6 x 3"), "{message}");
        let mut weights = patch.weights.clone();
        weights[5] = 0.0;
        let message = Patch::new(patch.basis.clone(), patch.points.clone(), weights).unwrap_err().to_string();
        assert!(message.contains("control point 5"), "{message}");
    }
}
