//! Smooth loads at places of a meshed surface: forces on its points.
//!
//! ```text
//! f_i = ∫ N_i s(r) (a₀ + a·(x − x_j)) n_j·dA
//! ```
//!
//! r is the distance in the tangent plane at the place x_j, and only faces that look along its normal n_j
//! take part. Where an edge of the body cuts the disc, the factors a restore the integral 1 and the first
//! moment 0.

use carom_fem::Surface;
use nalgebra::{Matrix3, Vector3};
use thiserror::Error;

use super::Kernel;
use crate::geometry::Domain;

/// Parts of a face per radius r₀: a kernel is integrated to 1e-3 by them.
const PARTS_PER_RADIUS: f64 = 8.0;

/// Fewest and most parts along an edge of a face.
const PARTS: [f64; 2] = [4.0, 64.0];

/// Deviation of the integral from 1 above which a footprint counts as cut.
const WHOLE: f64 = 5e-3;

/// Shift of the load, in r₀, that is left where the second moment is below [`LEAST_SECOND`].
const SHIFT: f64 = 5e-3;

/// Second moment along an axis, in r₀², below which a small shift is not restored; that of q2 is 1/8.
const LEAST_SECOND: f64 = 0.02;

/// Largest factors of a cut load.
const LARGEST_FACTOR: f64 = 30.0;

/// A load at a place.
#[derive(Debug, Clone, PartialEq)]
pub struct Footprint {
    /// Indices into [`Surface::points`], ascending, with the share of the force on each; they sum up to 1.
    pub shares: Vec<(u32, f64)>,
    /// Integral of the kernel over the surface; 1 for a whole footprint.
    pub integral: f64,
    /// Second moment ∫ s (x − x_j)(x − x_j)ᵀ dA \[m²\].
    pub second: Matrix3<f64>,
    /// Points of the quadrature \[m\] and their parts of the force; kept for a cut footprint alone.
    pub samples: Vec<(Vector3<f64>, f64)>,
}

/// Errors of a footprint.
#[derive(Debug, Clone, Copy, PartialEq, Error)]
pub enum FootprintError {
    /// No face within the radius looks along the normal.
    #[error(
        "no face of the surface within {radius:.3e} m of the place ({:.4e}, {:.4e}, {:.4e}) m looks along \
         its normal",
        .place[0], .place[1], .place[2]
    )]
    Empty {
        /// The place \[m\].
        place: [f64; 3],
        /// r₀ \[m\].
        radius: f64,
    },
    /// An edge leaves too little of the disc.
    #[error(
        "an edge of the body leaves {:.0} % of the load of radius {radius:.3e} m at the place ({:.4e}, \
         {:.4e}, {:.4e}) m, too little to keep its moment; move the place from the edge, or refine \
         the mesh there",
        100.0 * .integral, .place[0], .place[1], .place[2]
    )]
    Cut {
        /// The place \[m\].
        place: [f64; 3],
        /// r₀ \[m\].
        radius: f64,
        /// Integral of the kernel over the surface.
        integral: f64,
    },
}

impl Footprint {
    /// The load of a kernel at a place.
    ///
    /// * `positions` — of the points of the surface \[m\]
    /// * `place`, `normal` — of the load \[m\]; out of the body, of length 1
    /// * `radius` — r₀ \[m\]
    ///
    /// # Errors
    ///
    /// [`FootprintError`].
    pub fn new(
        surface: &Surface,
        positions: &[Vector3<f64>],
        (place, normal): (&Vector3<f64>, &Vector3<f64>),
        kernel: Kernel,
        radius: f64,
    ) -> Result<Self, FootprintError> {
        let mut rule = Rule { surface, positions, place, normal, kernel, radius, samples: Vec::new() };
        for face in 0..surface.faces.len() {
            if rule.may_touch(face) {
                rule.add(face);
            }
        }
        let samples = rule.samples;
        let (at, place): (_, [f64; 3]) = (*place, (*place).into());
        let integral: f64 = samples.iter().map(|s| s.weight).sum();
        if samples.is_empty() {
            return Err(FootprintError::Empty { place, radius });
        }
        let factors = factors(&samples).ok_or(FootprintError::Cut { place, radius, integral })?;
        let mut shares = std::collections::BTreeMap::new();
        let mut scaled = Vec::with_capacity(samples.len());
        let mut second = Matrix3::zeros();
        for sample in &samples {
            let weight = sample.weight * factors.dot(&sample.moments());
            for (&point, value) in surface.faces[sample.face].points.iter().zip(&sample.values) {
                *shares.entry(point).or_insert(0.0) += weight * value;
            }
            let apart = sample.position - at;
            second += weight * apart * apart.transpose();
            scaled.push((sample.position, weight));
        }
        if (integral - 1.0).abs() <= WHOLE {
            scaled.clear();
        }
        Ok(Self { shares: shares.into_iter().collect(), integral, second, samples: scaled })
    }

    /// True if an edge of the body cuts the disc.
    pub fn is_cut(&self) -> bool {
        !self.samples.is_empty()
    }
}

/// The loads of all places on a meshed surface.
///
/// # Errors
///
/// [`FootprintError`] names the first place without a load.
pub fn footprints(
    surface: &Surface,
    points: &[Vector3<f64>],
    (kernel, radius): (Kernel, f64),
    places: &[(Vector3<f64>, Vector3<f64>)],
) -> Result<Vec<Footprint>, FootprintError> {
    places.iter().map(|(x, n)| Footprint::new(surface, points, (x, n), kernel, radius)).collect()
}

/// (a₀, a) that restore the integral and the first moment; lengths in r₀.
fn factors(samples: &[Sample]) -> Option<Vector3<f64>> {
    let mut matrix = Matrix3::zeros();
    for sample in samples {
        let m = sample.moments();
        matrix += sample.weight * m * m.transpose();
    }
    // A whole load of z2 has no second moment by which a factor could move it, and no need to be moved.
    let shift = matrix[(0, 1)].hypot(matrix[(0, 2)]);
    if shift <= SHIFT * matrix[(0, 0)] && matrix[(1, 1)].min(matrix[(2, 2)]) < LEAST_SECOND {
        return Some(Vector3::new(1.0 / matrix[(0, 0)], 0.0, 0.0));
    }
    let factors = matrix.try_inverse()?.column(0).into_owned();
    (factors.norm() <= LARGEST_FACTOR).then_some(factors)
}

/// A quadrature point of a footprint.
struct Sample {
    face: usize,
    position: Vector3<f64>,
    /// Shape functions of the face.
    values: Vec<f64>,
    /// s n·dA.
    weight: f64,
    /// Coordinates in the tangent plane, in r₀.
    plane: [f64; 2],
}

impl Sample {
    fn moments(&self) -> Vector3<f64> {
        Vector3::new(1.0, self.plane[0], self.plane[1])
    }
}

/// The quadrature over the faces.
struct Rule<'a> {
    surface: &'a Surface,
    positions: &'a [Vector3<f64>],
    place: &'a Vector3<f64>,
    normal: &'a Vector3<f64>,
    kernel: Kernel,
    radius: f64,
    samples: Vec<Sample>,
}

impl Rule<'_> {
    /// Whether the ball around the points of a face meets the disc.
    fn may_touch(&self, face: usize) -> bool {
        let points = &self.surface.faces[face].points;
        let at = |k: &u32| self.positions[*k as usize];
        let middle = points.iter().map(at).sum::<Vector3<f64>>() / points.len() as f64;
        let size = points.iter().map(|k| (at(k) - middle).norm()).fold(0.0, f64::max);
        // Curved faces leave the ball of their nodes by less than a third of its radius.
        (middle - self.place).norm() <= 1.3 * size + 1.5 * self.radius
    }

    /// Adds three points in each part of a face.
    fn add(&mut self, face: usize) {
        let is_triangle = self.surface.faces[face].basis.is_triangle();
        let domain = if is_triangle { Domain::Triangle } else { Domain::Square };
        let n = domain.n_corners();
        let corner = |k: usize| self.position(face, domain.on_edge(k % n, 0.0));
        let longest = (0..n).map(|k| (corner(k + 1) - corner(k)).norm()).fold(0.0, f64::max);
        let parts = (PARTS_PER_RADIUS * longest / self.radius).ceil().clamp(PARTS[0], PARTS[1]);
        let (k, step) = (parts as usize, 1.0 / parts);
        for i in 0..k {
            for j in 0..if is_triangle { k - i } else { k } {
                let [u, v] = [i, j].map(|m| m as f64 * step);
                self.add_triangle(face, [u, v], step);
                if !is_triangle || i + j + 1 < k {
                    self.add_triangle(face, [u + step, v + step], -step);
                }
            }
        }
    }

    /// The triangle with a corner at ξ and legs along both parameters.
    fn add_triangle(&mut self, face: usize, xi: [f64; 2], leg: f64) {
        for [a, b] in [[1.0 / 6.0, 1.0 / 6.0], [2.0 / 3.0, 1.0 / 6.0], [1.0 / 6.0, 2.0 / 3.0]] {
            self.add_point(face, [xi[0] + leg * a, xi[1] + leg * b], leg * leg / 6.0);
        }
    }

    fn add_point(&mut self, face: usize, xi: [f64; 2], weight: f64) {
        let points = &self.surface.faces[face].points;
        let n = points.len();
        let (mut values, mut first, mut second) = (vec![0.0; n], vec![[0.0; 2]; n], vec![[0.0; 3]; n]);
        self.surface.shape_into(face, xi, &mut values, &mut first, &mut second);
        let (mut position, mut tangents) = (Vector3::zeros(), [Vector3::zeros(); 2]);
        for (i, &k) in points.iter().enumerate() {
            let x = self.positions[k as usize];
            position += values[i] * x;
            (0..2).for_each(|a| tangents[a] += first[i][a] * x);
        }
        let area = self.surface.faces[face].orientation * tangents[0].cross(&tangents[1]).dot(self.normal);
        let apart = position - self.place;
        let height = apart.dot(self.normal);
        let along = apart - height * self.normal;
        let x = along.norm() / self.radius;
        if area <= 0.0 || x >= 1.0 || height.abs() > self.radius {
            return;
        }
        let [t, s] = tangents_of(self.normal);
        let density = self.kernel.value(x) / (self.radius * self.radius);
        self.samples.push(Sample {
            face,
            position,
            values,
            weight: weight * area * density,
            plane: [along.dot(&t), along.dot(&s)].map(|a| a / self.radius),
        });
    }

    fn position(&self, face: usize, xi: [f64; 2]) -> Vector3<f64> {
        let points = &self.surface.faces[face].points;
        let n = points.len();
        let (mut values, mut first, mut second) = (vec![0.0; n], vec![[0.0; 2]; n], vec![[0.0; 3]; n]);
        self.surface.shape_into(face, xi, &mut values, &mut first, &mut second);
        points.iter().zip(&values).map(|(&k, value)| *value * self.positions[k as usize]).sum()
    }
}

/// Two unit vectors normal to a unit vector and to each other.
pub(super) fn tangents_of(normal: &Vector3<f64>) -> [Vector3<f64>; 2] {
    let axis = (0..3).min_by(|&a, &b| normal[a].abs().total_cmp(&normal[b].abs())).unwrap_or(0);
    let along = Vector3::ith(axis, 1.0);
    let first = (along - normal * normal.dot(&along)).normalize();
    [first, normal.cross(&first)]
}

#[cfg(test)]
mod tests;
