//! Smooth loads at places of a meshed surface: forces on its points.
//!
//! ```text
//! f_i = ∫ N_i s(r) (a₀ + a·(x − x_j)) n_j·dA
//! ```
//!
//! r is the distance in the tangent plane at the place x_j, and only faces that look along its normal n_j
//! take part. Where an edge of the body cuts the disc, the factors a restore the integral 1 and the first
//! moment 0.

use std::cell::OnceCell;

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
    /// The load at a place.
    ///
    /// * `place`, `normal` — of the load \[m\]; out of the body, of length 1
    ///
    /// # Errors
    ///
    /// [`FootprintError`].
    pub fn new(
        surface: &LoadedSurface<'_>,
        (place, normal): (&Vector3<f64>, &Vector3<f64>),
    ) -> Result<Self, FootprintError> {
        let samples = surface.samples(place, normal);
        let (at, place): (_, [f64; 3]) = (*place, (*place).into());
        let integral: f64 = samples.iter().map(|s| s.weight).sum();
        if samples.is_empty() {
            return Err(FootprintError::Empty { place, radius: surface.radius });
        }
        let factors =
            factors(&samples).ok_or(FootprintError::Cut { place, radius: surface.radius, integral })?;
        let mut shares = std::collections::BTreeMap::new();
        let mut scaled = Vec::with_capacity(samples.len());
        let mut second = Matrix3::zeros();
        for sample in &samples {
            let weight = sample.weight * factors.dot(&sample.moments());
            for (&point, value) in surface.surface.faces[sample.face].points.iter().zip(sample.values) {
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
struct Sample<'a> {
    face: usize,
    position: Vector3<f64>,
    /// Shape functions of the face.
    values: &'a [f64],
    /// s n·dA.
    weight: f64,
    /// Coordinates in the tangent plane, in r₀.
    plane: [f64; 2],
}

impl Sample<'_> {
    fn moments(&self) -> Vector3<f64> {
        Vector3::new(1.0, self.plane[0], self.plane[1])
    }
}

/// A surface on which loads of one kernel and radius lie, with the quadrature of its faces.
///
/// The loads of neighbouring places share faces, so that the points of a face are evaluated once.
pub struct LoadedSurface<'a> {
    surface: &'a Surface,
    positions: &'a [Vector3<f64>],
    kernel: Kernel,
    radius: f64,
    /// Middle and radius of a ball around the points of each face \[m\].
    balls: Vec<(Vector3<f64>, f64)>,
    /// Evaluated when a load first needs the face.
    rules: Vec<OnceCell<FaceRule>>,
}

/// Quadrature points of a face.
struct FaceRule {
    /// Shape functions, point by point.
    values: Vec<f64>,
    /// Positions \[m\] and dA, out of the body \[m²\].
    points: Vec<(Vector3<f64>, Vector3<f64>)>,
}

impl<'a> LoadedSurface<'a> {
    /// * `positions` — of the points of the surface \[m\]
    /// * `radius` — r₀ \[m\]
    pub fn new(surface: &'a Surface, positions: &'a [Vector3<f64>], (kernel, radius): (Kernel, f64)) -> Self {
        let ball = |points: &[u32]| {
            let at = |k: &u32| positions[*k as usize];
            let middle = points.iter().map(at).sum::<Vector3<f64>>() / points.len() as f64;
            (middle, points.iter().map(|k| (at(k) - middle).norm()).fold(0.0, f64::max))
        };
        let balls = surface.faces.iter().map(|face| ball(&face.points)).collect();
        let rules = surface.faces.iter().map(|_| OnceCell::new()).collect();
        Self { surface, positions, kernel, radius, balls, rules }
    }

    /// The points under a load.
    fn samples(&self, place: &Vector3<f64>, normal: &Vector3<f64>) -> Vec<Sample<'_>> {
        let [t, s] = tangents_of(normal);
        let mut samples = Vec::new();
        for (face, (middle, size)) in self.balls.iter().enumerate() {
            // Curved faces leave the ball of their nodes by less than a third of its radius.
            if (middle - place).norm() > 1.3 * size + 1.5 * self.radius {
                continue;
            }
            let rule = self.rules[face].get_or_init(|| self.rule(face));
            let n = self.surface.faces[face].points.len();
            for (&(position, area), values) in rule.points.iter().zip(rule.values.chunks_exact(n)) {
                let area = area.dot(normal);
                let apart = position - place;
                let height = apart.dot(normal);
                let along = apart - height * normal;
                let x = along.norm() / self.radius;
                if area <= 0.0 || x >= 1.0 || height.abs() > self.radius {
                    continue;
                }
                let density = self.kernel.value(x) / (self.radius * self.radius);
                let plane = [along.dot(&t), along.dot(&s)].map(|a| a / self.radius);
                samples.push(Sample { face, position, values, weight: area * density, plane });
            }
        }
        samples
    }

    /// Three points in each part of a face.
    fn rule(&self, face: usize) -> FaceRule {
        let is_triangle = self.surface.faces[face].basis.is_triangle();
        let domain = if is_triangle { Domain::Triangle } else { Domain::Square };
        let n = domain.n_corners();
        let mut evaluator = FaceEvaluator::new(self, face);
        let corners: Vec<Vector3<f64>> = (0..n).map(|k| evaluator.at(domain.on_edge(k, 0.0)).0).collect();
        let longest = (0..n).map(|k| (corners[(k + 1) % n] - corners[k]).norm()).fold(0.0, f64::max);
        let parts = (PARTS_PER_RADIUS * longest / self.radius).ceil().clamp(PARTS[0], PARTS[1]);
        let (k, step) = (parts as usize, 1.0 / parts);
        let mut rule = FaceRule { values: Vec::new(), points: Vec::new() };
        // The triangle with a corner at ξ and legs along both parameters.
        let mut add = |xi: [f64; 2], leg: f64| {
            for [a, b] in [[1.0 / 6.0, 1.0 / 6.0], [2.0 / 3.0, 1.0 / 6.0], [1.0 / 6.0, 2.0 / 3.0]] {
                let (position, area) = evaluator.at([xi[0] + leg * a, xi[1] + leg * b]);
                rule.points.push((position, leg * leg / 6.0 * area));
                rule.values.extend_from_slice(&evaluator.values);
            }
        };
        for i in 0..k {
            for j in 0..if is_triangle { k - i } else { k } {
                let [u, v] = [i, j].map(|m| m as f64 * step);
                add([u, v], step);
                if !is_triangle || i + j + 1 < k {
                    add([u + step, v + step], -step);
                }
            }
        }
        rule
    }
}

/// Shape functions of a face at one point after the other.
struct FaceEvaluator<'a> {
    surface: &'a LoadedSurface<'a>,
    face: usize,
    values: Vec<f64>,
    first: Vec<[f64; 2]>,
    second: Vec<[f64; 3]>,
}

impl<'a> FaceEvaluator<'a> {
    fn new(surface: &'a LoadedSurface<'a>, face: usize) -> Self {
        let n = surface.surface.faces[face].points.len();
        Self { surface, face, values: vec![0.0; n], first: vec![[0.0; 2]; n], second: vec![[0.0; 3]; n] }
    }

    /// Position \[m\] and product of the tangents out of the body \[m²\].
    fn at(&mut self, xi: [f64; 2]) -> (Vector3<f64>, Vector3<f64>) {
        let LoadedSurface { surface, positions, .. } = self.surface;
        surface.shape_into(self.face, xi, &mut self.values, &mut self.first, &mut self.second);
        let (mut position, mut tangents) = (Vector3::zeros(), [Vector3::zeros(); 2]);
        for (i, &k) in surface.faces[self.face].points.iter().enumerate() {
            let x = positions[k as usize];
            position += self.values[i] * x;
            (0..2).for_each(|a| tangents[a] += self.first[i][a] * x);
        }
        (position, surface.faces[self.face].orientation * tangents[0].cross(&tangents[1]))
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
