//! Weights by which forces on cells are spread over places, and displacements read from them: moving least
//! squares.
//!
//! ```text
//! c_j(x) = w(|x_j − x|/(b s)) p(x_j − x)ᵀ M⁻¹ b ,     M = Σ_j w p pᵀ ,     w = (1 − ρ²)²
//! ```
//!
//! with p = (1, x, y, x², xy, y²) the weights fulfil
//!
//! ```text
//! Σ c = 1 ,     Σ c (x_j − x) = 0 ,     Σ c [(x_j − x)(x_j − x)ᵀ + M_j] = h²/12 · 1
//! ```
//!
//! with the distance s between places, the second moments M_j of the loads, ⟨r²⟩/2 · 1 if whole, and the side
//! h of a square cell. So force and moment of the cell are kept, and its second moment is its own.

use nalgebra::{SMatrix, SVector};
use thiserror::Error;

use super::Loads;

/// Radius of the weight function of quadratic weights, in distances between places.
const QUADRATIC_REACH: f64 = 2.6;

/// The same of linear weights.
const LINEAR_REACH: f64 = 2.1;

/// Largest error of a condition, lengths in distances between places.
pub const ACCEPTED: f64 = 1e-9;

/// Order of the polynomials that weights reproduce.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Order {
    /// Conditions on c, its first and its second moments.
    #[default]
    Quadratic,
    /// Conditions on c and its first moments.
    Linear,
}

/// Why linear weights were used instead of quadratic ones.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Fallback {
    /// The quadratic conditions need six places.
    Few {
        /// Places with weight.
        found: usize,
    },
    /// The places lie such that the conditions are not met.
    Conditions {
        /// Largest error of a condition, lengths in distances between places.
        error: f64,
    },
    /// With quadratic weights the compliance is not positive definite.
    Indefinite {
        /// Its smallest pivot, scaled to unit diagonal.
        pivot: f64,
    },
}

/// Errors of the weights.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum WeightsError {
    /// Neither quadratic nor linear conditions can be met.
    #[error(
        "the contact at ({:.4e}, {:.4e}) m in its plane has {found} places within {reach:.3e} m that do not \
         span a triangle around it; lay places {spacing:.3e} m apart over this part of the surface",
        .position[0], .position[1]
    )]
    Unsupported {
        /// The point in the plane of the contact \[m\].
        position: [f64; 2],
        /// Places with weight.
        found: usize,
        /// Radius of the weight function \[m\].
        reach: f64,
        /// Distance between places \[m\].
        spacing: f64,
    },
}

/// The weights at a point, with their gradients.
#[derive(Debug, Clone, PartialEq)]
pub struct PointWeights {
    /// Places with weight, ascending.
    pub places: Vec<usize>,
    /// c of each.
    pub values: Vec<f64>,
    /// ∂c/∂x of each, over the coordinates of the point \[1/m\].
    pub gradients: Vec<[f64; 2]>,
    /// Why they are linear though quadratic weights were wanted.
    pub fallback: Option<Fallback>,
}

/// Places in the plane of a contact.
#[derive(Debug, Clone, PartialEq)]
pub struct PlanePlaces {
    /// Coordinates of the places in the plane \[m\].
    pub coordinates: Vec<[f64; 2]>,
    /// Factor of the weight function of each place, in [0, 1]; 0 for places that look in another direction.
    pub facing: Vec<f64>,
    /// Second moments M_j of the loads, xx, xy and yy \[m²\].
    pub seconds: Vec<[f64; 3]>,
    /// Their loads.
    pub loads: Loads,
}

impl PlanePlaces {
    /// The weights of a rectangular cell, quadratic where possible.
    ///
    /// * `x` — middle of the cell in the plane \[m\]
    /// * `sides` — of the cell along both axes of the plane \[m\]; 0 for a point
    ///
    /// # Errors
    ///
    /// [`WeightsError`] if even linear weights are impossible.
    pub fn weights(&self, x: [f64; 2], sides: [f64; 2], order: Order) -> Result<PointWeights, WeightsError> {
        let mut fallback = None;
        if order == Order::Quadratic {
            match self.fitted::<6>(x, sides, QUADRATIC_REACH) {
                Ok(weights) => return Ok(weights),
                Err(reason) => fallback = Some(reason),
            }
        }
        match self.fitted::<3>(x, sides, LINEAR_REACH) {
            Ok(weights) => Ok(PointWeights { fallback, ..weights }),
            Err(_) => {
                let reach = LINEAR_REACH * self.loads.spacing;
                let found = self.near(x, reach).count();
                Err(WeightsError::Unsupported { position: x, found, reach, spacing: self.loads.spacing })
            }
        }
    }

    /// Places within a distance, with their numbers.
    fn near(&self, x: [f64; 2], reach: f64) -> impl Iterator<Item = (usize, [f64; 2])> {
        let places = self.coordinates.iter().enumerate().filter(|(j, _)| self.facing[*j] > 0.0);
        let apart = move |y: &[f64; 2]| [y[0] - x[0], y[1] - x[1]];
        places.map(move |(j, y)| (j, apart(y))).filter(move |(_, d)| d[0].hypot(d[1]) < reach)
    }

    /// Weights with N conditions.
    fn fitted<const N: usize>(
        &self,
        x: [f64; 2],
        sides: [f64; 2],
        reach: f64,
    ) -> Result<PointWeights, Fallback> {
        let near: Vec<(usize, [f64; 2])> = self
            .near(x, reach * self.loads.spacing)
            .map(|(j, d)| (j, d.map(|a| a / self.loads.spacing)))
            .collect();
        if near.len() < N {
            return Err(Fallback::Few { found: near.len() });
        }
        // w and p with their gradients over the point x, which is minus that over d.
        let unit = self.loads.spacing.powi(2).recip();
        let second = |j: usize| self.seconds[j].map(|m| m * unit);
        let sample = |&(j, d): &(usize, [f64; 2])| Sample::new(d, second(j), (reach, self.facing[j]));
        let samples: Vec<Sample<N>> = near.iter().map(sample).collect();
        let mut matrix = SMatrix::<f64, N, N>::zeros();
        let mut slopes = [matrix; 2];
        for s in &samples {
            matrix += s.weight * s.basis * s.basis.transpose();
            for (a, slope) in slopes.iter_mut().enumerate() {
                let mixed = s.weight * s.slopes[a] * s.basis.transpose();
                *slope += s.weight_slopes[a] * s.basis * s.basis.transpose() + mixed + mixed.transpose();
            }
        }
        let [along, across] = sides.map(|side| side * side / 12.0 * unit);
        let aim = SVector::<f64, N>::from_fn(|i, _| [1.0, 0.0, 0.0, along, 0.0, across][i]);
        let lost = Fallback::Conditions { error: f64::INFINITY };
        let factor = matrix.cholesky().ok_or(lost)?;
        let multipliers = factor.solve(&aim);
        let changes = slopes.map(|slope| -factor.solve(&(slope * multipliers)));
        let mut weights = PointWeights {
            places: near.iter().map(|(j, _)| *j).collect(),
            values: Vec::with_capacity(near.len()),
            gradients: Vec::with_capacity(near.len()),
            fallback: None,
        };
        let mut moments = -aim;
        for s in &samples {
            let value = s.weight * s.basis.dot(&multipliers);
            moments += value * s.basis;
            weights.values.push(value);
            weights.gradients.push([0, 1].map(|a| {
                let slope = s.weight_slopes[a] * s.basis.dot(&multipliers)
                    + s.weight * (s.slopes[a].dot(&multipliers) + s.basis.dot(&changes[a]));
                slope / self.loads.spacing
            }));
        }
        let error = moments.amax();
        if error <= ACCEPTED { Ok(weights) } else { Err(Fallback::Conditions { error }) }
    }
}

/// A place as it enters the fit: w, p and their gradients over the point.
struct Sample<const N: usize> {
    weight: f64,
    weight_slopes: [f64; 2],
    basis: SVector<f64, N>,
    slopes: [SVector<f64, N>; 2],
}

impl<const N: usize> Sample<N> {
    /// * `d` — from the point to the place, in distances between places
    /// * `second` — second moments of its load in the square of this unit
    /// * `facing` — factor of its weight
    fn new(d: [f64; 2], second: [f64; 3], (reach, facing): (f64, f64)) -> Self {
        let [x, y] = d;
        let rest = 1.0 - (x * x + y * y) / (reach * reach);
        let basis = [1.0, x, y, x * x + second[0], x * y + second[1], y * y + second[2]];
        let slopes = [[0.0, -1.0, 0.0, -2.0 * x, -y, 0.0], [0.0, 0.0, -1.0, 0.0, -x, -2.0 * y]];
        Self {
            weight: facing * rest * rest,
            weight_slopes: d.map(|a| 4.0 * facing * rest * a / (reach * reach)),
            basis: SVector::from_fn(|i, _| basis[i]),
            slopes: slopes.map(|slope| SVector::from_fn(|i, _| slope[i])),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::half_space::Kernel;

    /// A hexagonal lattice with a small deterministic disorder.
    fn places(kernel: Kernel) -> PlanePlaces {
        let mut coordinates = Vec::new();
        for i in -6i32..=6 {
            for j in -6i32..=6 {
                let (a, b) = (f64::from(i), f64::from(j));
                let disorder = [0.1 * (7.0 * a + 3.0 * b).sin(), 0.1 * (5.0 * b - 2.0 * a).cos()];
                coordinates.push([a + 0.5 * b + disorder[0], 0.75f64.sqrt() * b + disorder[1]]);
            }
        }
        let loads = Loads { kernel, radius: 1.2, spacing: 1.0 };
        let n = coordinates.len();
        PlanePlaces { facing: vec![1.0; n], coordinates, seconds: vec![loads.second(); n], loads }
    }

    #[test]
    fn force_moment_and_second_moment_are_kept() {
        for kernel in [Kernel::Quadratic, Kernel::ZeroMoment] {
            let places = places(kernel);
            for x in [[0.0, 0.0], [0.31, -0.77], [1.4, 1.3]] {
                let weights = places.weights(x, [0.0; 2], Order::Quadratic).unwrap();
                assert_eq!(weights.fallback, None);
                // A quadratic field has the mean f + ⟨r²⟩/4 Δf over a load; combined, its value at the point.
                let plain = |[x, y]: [f64; 2]| 3.0 + x - 2.0 * y + x * x + 0.5 * x * y - y * y;
                let curved = |[x, y]: [f64; 2]| 3.0 * x * x + y * y;
                let check = |f: &dyn Fn([f64; 2]) -> f64, laplacian: f64| {
                    let widened = 1.44 * kernel.moments()[0] / 4.0 * laplacian;
                    let mean = |j: usize| f(places.coordinates[j]) + widened;
                    let sum: f64 =
                        weights.places.iter().zip(&weights.values).map(|(&j, c)| c * mean(j)).sum();
                    assert!((sum - f(x)).abs() < 1e-8, "{kernel} {x:?}: {sum} {}", f(x));
                };
                check(&plain, 0.0);
                check(&curved, 8.0);
            }
        }
    }

    #[test]
    fn gradients_are_those_of_the_weights() {
        let places = places(Kernel::Quadratic);
        let step = 1e-6;
        for order in [Order::Quadratic, Order::Linear] {
            for x in [[0.2, 0.1], [-1.3, 0.9]] {
                let here = places.weights(x, [0.3; 2], order).unwrap();
                let dense = |x: [f64; 2]| {
                    let weights = places.weights(x, [0.3; 2], order).unwrap();
                    let mut all = vec![0.0; places.coordinates.len()];
                    weights.places.iter().zip(&weights.values).for_each(|(&j, c)| all[j] = *c);
                    all
                };
                for a in 0..2 {
                    let moved = |s: f64| dense(std::array::from_fn(|d| if d == a { x[d] + s } else { x[d] }));
                    let (ahead, back) = (moved(step), moved(-step));
                    for (&j, gradient) in here.places.iter().zip(&here.gradients) {
                        let difference = (ahead[j] - back[j]) / (2.0 * step);
                        assert!((gradient[a] - difference).abs() < 1e-7, "{order:?} {x:?} {j}");
                    }
                }
            }
        }
    }

    #[test]
    fn few_places_give_linear_weights_and_say_so() {
        let square = vec![[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]];
        let few = PlanePlaces {
            facing: vec![1.0; 4],
            coordinates: square,
            seconds: vec![[0.125, 0.0, 0.125]; 4],
            loads: Loads { kernel: Kernel::Quadratic, radius: 1.0, spacing: 1.0 },
        };
        let weights = few.weights([0.4, 0.3], [0.0; 2], Order::Quadratic).unwrap();
        assert_eq!(weights.fallback, Some(Fallback::Few { found: 4 }));
        assert!((weights.values.iter().sum::<f64>() - 1.0).abs() < 1e-12);
        let line = PlanePlaces {
            facing: vec![1.0; 9],
            seconds: vec![[0.125, 0.0, 0.125]; 9],
            coordinates: (0..9).map(|k| [0.3 * f64::from(k), 0.0]).collect(),
            ..few.clone()
        };
        let error = line.weights([1.0, 0.0], [0.0; 2], Order::Quadratic).unwrap_err();
        assert!(error.to_string().contains("do not span a triangle"), "{error}");
        // Places that look elsewhere have no weight.
        let hidden = PlanePlaces { facing: vec![0.0; 4], ..few };
        assert!(hidden.weights([0.4, 0.3], [0.0; 2], Order::Linear).is_err());
    }
}
