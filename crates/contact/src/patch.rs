//! The contact patch of a pair under pressure: its plane, Hertz' theory for its two surfaces, and Hertz'
//! pressure fitted to the pressures of its faces.
//!
//! A surface is given by points sampled on its faces ([`SampledFaces`]), so that faces of any kind, exact or
//! linear, are treated alike.

use nalgebra::{Matrix2, Matrix3, SMatrix, SVector, SymmetricEigen, Vector2, Vector3};

use crate::closed_form::{HertzEllipse, hertz_ellipse};

/// Parts of an edge at whose corners Hertz' formula is averaged over a face.
const FIT_SAMPLES: usize = 16;

/// Least ratio of the principal relative curvatures: a smaller one is noise of the fit, and the ellipse would
/// have no finite length.
const LEAST_CURVATURE_RATIO: f64 = 1e-2;

/// A face of a surface, sampled at the corners of n × n parts.
#[derive(Debug, Clone, Default)]
pub struct SampledFace {
    /// The points in inertial axes \[m\]; none if the face cannot be sampled.
    pub points: Vec<Vector3<f64>>,
    /// Numbers of the points around the face, in order.
    pub rim: Vec<usize>,
}

impl SampledFace {
    /// Normal times area, of the polygon around the face \[m²\].
    pub fn vector_area(&self) -> Vector3<f64> {
        let (points, rim) = (&self.points, &self.rim);
        let next = |k: usize| points[rim[(k + 1) % rim.len()]];
        (0..rim.len()).map(|k| 0.5 * points[rim[k]].cross(&next(k))).sum()
    }

    /// Mean of the points \[m\].
    pub fn middle(&self) -> Vector3<f64> {
        self.points.iter().sum::<Vector3<f64>>() / self.points.len().max(1) as f64
    }
}

/// A surface whose faces can be sampled.
pub trait SampledFaces {
    /// Number of faces.
    fn n_faces(&self) -> usize;

    /// A face, sampled at the corners of n × n parts.
    fn sample(&self, face: usize, n: usize) -> SampledFace;
}

/// Points of a face, a quarter of `radius` apart or nearer; none if the face is far from the centre.
fn sample_near(
    surface: &dyn SampledFaces,
    face: usize,
    center: &Vector3<f64>,
    radius: f64,
) -> Vec<Vector3<f64>> {
    let coarse = surface.sample(face, 4);
    let middle = coarse.middle();
    let size = coarse.points.iter().map(|x| (x - middle).norm()).fold(0.0, f64::max);
    if coarse.points.is_empty() || (middle - center).norm() > 1.2 * size + radius {
        return Vec::new();
    }
    let parts = (8.0 * size / radius).ceil();
    if parts <= 4.0 { coarse.points } else { surface.sample(face, parts.min(400.0) as usize).points }
}

/// The plane of a contact patch.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PatchPlane {
    /// Centre of the force \[m\].
    pub center: Vector3<f64>,
    /// Two tangents and the normal, as rows.
    pub axes: Matrix3<f64>,
}

impl PatchPlane {
    /// The plane through the centre of the force of a pressure, normal to its mean direction.
    ///
    /// * `pressures` — mean pressure on each face \[Pa\]
    pub fn of_pressure(surface: &dyn SampledFaces, pressures: &dyn Fn(usize) -> f64) -> Self {
        let (mut weight, mut center, mut normal) = (0.0, Vector3::zeros(), Vector3::zeros());
        for n in 0..surface.n_faces() {
            let pressure = pressures(n);
            let face = surface.sample(n, 2);
            if pressure > 0.0 && !face.points.is_empty() {
                let area = face.vector_area();
                let force = pressure * area.norm();
                weight += force;
                center += face.middle() * force;
                normal += area * pressure;
            }
        }
        let normal = if normal.norm() > 0.0 { normal.normalize() } else { Vector3::z() };
        // The first tangent is the inertial axis with the smallest angle to the plane.
        let axis = (0..3)
            .min_by(|&a, &b| normal[a].abs().total_cmp(&normal[b].abs()))
            .expect("there are three axes");
        let along = Vector3::ith(axis, 1.0);
        let tangent = (along - normal * normal.dot(&along)).normalize();
        let second = normal.cross(&tangent);
        let axes = Matrix3::from_rows(&[tangent.transpose(), second.transpose(), normal.transpose()]);
        Self { center: if weight > 0.0 { center / weight } else { center }, axes }
    }

    /// Coordinates in the plane, and height above it \[m\].
    pub fn coordinates(&self, x: &Vector3<f64>) -> [f64; 3] {
        (self.axes * (x - self.center)).into()
    }
}

/// A face of the patch in the coordinates of its plane.
#[derive(Debug, Clone, PartialEq)]
pub struct PatchFace {
    /// Polygon around the face \[m\].
    pub outline: Vec<[f64; 2]>,
    /// Mean of its points \[m\].
    pub middle: [f64; 2],
    /// Mean pressure \[Pa\].
    pub pressure: f64,
}

/// All faces of a surface in the coordinates of a plane.
pub fn patch_faces(
    surface: &dyn SampledFaces,
    plane: &PatchPlane,
    pressures: &dyn Fn(usize) -> f64,
) -> Vec<PatchFace> {
    let flat = |x: &Vector3<f64>| {
        let [x, y, _] = plane.coordinates(x);
        [x, y]
    };
    let faces = (0..surface.n_faces()).map(|n| {
        let face = surface.sample(n, 4);
        let outline = face.rim.iter().map(|&k| flat(&face.points[k])).collect();
        PatchFace { outline, middle: flat(&face.middle()), pressure: pressures(n) }
    });
    faces.filter(|face| !face.outline.is_empty()).collect()
}

/// Distance of the farthest corner of a loaded face from the centre of the plane \[m\].
pub fn loaded_radius(faces: &[PatchFace]) -> f64 {
    let loaded = faces.iter().filter(|face| face.pressure > 0.0);
    loaded.flat_map(|face| &face.outline).map(|p| p[0].hypot(p[1])).fold(0.0, f64::max)
}

/// Hertz' ellipse for the two surfaces of a patch, and the angle of its first axis in the plane \[rad\].
///
/// The relative curvature is fitted over twice the loaded radius. `None` where the surfaces have none in some
/// direction, as flat on flat.
///
/// * `modulus` — E* \[Pa\]
/// * `force` — normal force \[N\]
pub fn hertz_of_patch(
    surfaces: [&dyn SampledFaces; 2],
    plane: &PatchPlane,
    loaded_radius: f64,
    modulus: f64,
    force: f64,
) -> Option<(HertzEllipse, f64)> {
    // Heights are measured along the outward normal of the first surface. It curves away from the plane
    // downwards, the other upwards; the gap is their difference.
    let [first, second] = surfaces.map(|surface| curvature(surface, plane, 2.0 * loaded_radius));
    hertz_of_curvature(second? - first?, modulus, force)
}

/// Hertz' ellipse for a relative curvature, and the angle of its first axis in the plane \[rad\]. `None`
/// where the surfaces have no curvature in some direction.
///
/// * `curvature` — second derivatives of the gap over the plane \[1/m\]
/// * `modulus` — E* \[Pa\]
/// * `force` — normal force \[N\]
pub fn hertz_of_curvature(curvature: Matrix2<f64>, modulus: f64, force: f64) -> Option<(HertzEllipse, f64)> {
    let eigen = SymmetricEigen::new(curvature);
    if eigen.eigenvalues.min() < LEAST_CURVATURE_RATIO * eigen.eigenvalues.max() {
        return None;
    }
    let found = hertz_ellipse(modulus, eigen.eigenvalues.into(), force)?;
    let axis: Vector2<f64> = eigen.eigenvectors.column(0).into();
    Some((found, axis.y.atan2(axis.x)))
}

/// Second derivatives of the height of a surface over the plane near its centre \[1/m\], by least squares
/// over the points of its faces.
///
/// ```text
/// z = c₀ + c₁ x + c₂ y + ½ c₃ x² + c₄ x y + ½ c₅ y²
/// ```
///
/// `None` if the points do not determine the coefficients.
///
/// * `radius` — radius of the fit \[m\]
pub fn curvature(surface: &dyn SampledFaces, plane: &PatchPlane, radius: f64) -> Option<Matrix2<f64>> {
    let mut normal_matrix = SMatrix::<f64, 6, 6>::zeros();
    let mut right = SVector::<f64, 6>::zeros();
    for face in 0..surface.n_faces() {
        for x in sample_near(surface, face, &plane.center, radius) {
            let [x, y, z] = plane.coordinates(&x).map(|c| c / radius);
            if x.hypot(y) < 1.0 && z.abs() < 1.0 {
                let row = SVector::<f64, 6>::from([1.0, x, y, 0.5 * x * x, x * y, 0.5 * y * y]);
                normal_matrix += row * row.transpose();
                right += row * z;
            }
        }
    }
    let c = normal_matrix.cholesky()?.solve(&right) / radius;
    Some(Matrix2::new(c[3], c[4], c[4], c[5]))
}

/// Hertz' pressure p₀ √(1 − r²/a²) fitted to the pressures of the faces of a round patch.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PressureFit {
    /// Fitted p₀ \[Pa\].
    pub peak_pressure: f64,
    /// Fitted a \[m\].
    pub radius: f64,
    /// Number of faces under pressure.
    pub n_faces: usize,
}

impl PressureFit {
    /// Least squares over all faces near the patch, each by the mean of the formula over the face, weighted
    /// with its area. Neither the force nor the theory enters the fit.
    ///
    /// * `loaded_radius` — of the patch \[m\]
    pub fn new(
        surface: &dyn SampledFaces,
        plane: &PatchPlane,
        loaded_radius: f64,
        pressures: &dyn Fn(usize) -> f64,
    ) -> Self {
        let mut samples: Vec<Sample> = Vec::new();
        for n in 0..surface.n_faces() {
            let face = surface.sample(n, FIT_SAMPLES);
            let radii: Vec<f64> = face
                .points
                .iter()
                .map(|x| {
                    let [x, y, _] = plane.coordinates(x);
                    x.hypot(y)
                })
                .collect();
            if !radii.is_empty() && radii.iter().any(|&r| r < 1.5 * loaded_radius) {
                samples.push(Sample { pressure: pressures(n), area: face.vector_area().norm(), radii });
            }
        }
        let n_faces = samples.iter().filter(|sample| sample.pressure > 0.0).count();
        let (peak_pressure, radius) = least_squares(&samples, loaded_radius);
        Self { peak_pressure, radius, n_faces }
    }
}

/// A face with the distances of its points from the centre.
struct Sample {
    pressure: f64,
    area: f64,
    radii: Vec<f64>,
}

/// p₀ and a of the best fit: a by golden-section search, p₀ is linear.
fn least_squares(samples: &[Sample], loaded_radius: f64) -> (f64, f64) {
    let at = |a: f64| {
        let shape = |radii: &[f64]| {
            radii.iter().map(|r| (1.0 - (r / a).powi(2)).max(0.0).sqrt()).sum::<f64>() / radii.len() as f64
        };
        let (mut ps, mut ss, mut pp) = (0.0, 0.0, 0.0);
        for Sample { pressure: p, area, radii } in samples {
            let s = shape(radii);
            ps += area * p * s;
            ss += area * s * s;
            pp += area * p * p;
        }
        let peak = if ss > 0.0 { ps / ss } else { 0.0 };
        (pp - peak * ps, peak)
    };
    let golden = 0.5 * (5.0_f64.sqrt() - 1.0);
    let (mut low, mut high) = (0.3 * loaded_radius, 1.5 * loaded_radius);
    while high - low > 1e-7 * loaded_radius {
        let (a, b) = (high - golden * (high - low), low + golden * (high - low));
        if at(a).0 < at(b).0 { high = b } else { low = a }
    }
    let radius = 0.5 * (low + high);
    (at(radius).1, radius)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::PI;

    /// 20 × 20 square faces over [−1, 1]², lifted to a height.
    struct Sheet<F: Fn(f64, f64) -> f64>(F);

    impl<F: Fn(f64, f64) -> f64> SampledFaces for Sheet<F> {
        fn n_faces(&self) -> usize {
            400
        }

        fn sample(&self, face: usize, n: usize) -> SampledFace {
            let (x0, y0) = (-1.0 + 0.1 * (face % 20) as f64, -1.0 + 0.1 * (face / 20) as f64);
            let at = |k: usize| {
                let (i, j) = (k % (n + 1), k / (n + 1));
                let (x, y) = (x0 + 0.1 * i as f64 / n as f64, y0 + 0.1 * j as f64 / n as f64);
                Vector3::new(x, y, (self.0)(x, y))
            };
            let corner = |i: usize, j: usize| i + j * (n + 1);
            SampledFace {
                points: (0..(n + 1).pow(2)).map(at).collect(),
                rim: vec![corner(0, 0), corner(n, 0), corner(n, n), corner(0, n)],
            }
        }
    }

    const HORIZONTAL: PatchPlane = PatchPlane {
        center: Vector3::new(0.0, 0.0, 0.0),
        axes: Matrix3::new(1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0),
    };

    #[test]
    fn the_fit_recovers_a_prescribed_pressure() {
        let (peak, radius) = (3.0, 0.73);
        let sheet = Sheet(|_, _| 0.0);
        let mean = |face: usize| {
            let points = sheet.sample(face, FIT_SAMPLES).points;
            let pressure = |x: &Vector3<f64>| (1.0 - (x.norm() / radius).powi(2)).max(0.0).sqrt();
            peak * points.iter().map(pressure).sum::<f64>() / points.len() as f64
        };
        let found = PressureFit::new(&sheet, &HORIZONTAL, 0.85, &mean);
        assert!(
            (found.peak_pressure - peak).abs() < 1e-6 && (found.radius - radius).abs() < 1e-6,
            "{found:?}"
        );
        assert_eq!(found.n_faces, (0..400).filter(|&face| mean(face) > 0.0).count());
    }

    #[test]
    fn the_fit_of_a_saddle_has_its_second_derivatives() {
        let sheet = Sheet(|x, y| 0.2 * x * x - 0.1 * x * y + 0.05 * y * y);
        let found = curvature(&sheet, &HORIZONTAL, 0.5).unwrap();
        assert!((found - Matrix2::new(0.4, -0.1, -0.1, 0.1)).norm() < 1e-12, "{found}");
    }

    #[test]
    fn pressure_on_an_inclined_plane_gives_its_normal_and_centre() {
        let sheet = Sheet(|x, _| x);
        // Pressure on the four faces around (0.5, 0.3).
        let pressures = |face: usize| {
            let (i, j) = (face % 20, face / 20);
            if (14..16).contains(&i) && (12..14).contains(&j) { 2.0 } else { 0.0 }
        };
        let plane = PatchPlane::of_pressure(&sheet, &pressures);
        assert!((plane.center - Vector3::new(0.5, 0.3, 0.5)).norm() < 1e-12);
        let normal = Vector3::new(-1.0, 0.0, 1.0).normalize();
        assert!((plane.axes.row(2).transpose() - normal).norm() < 1e-12);
        assert!((plane.axes * plane.axes.transpose() - Matrix3::identity()).norm() < 1e-14);
        let faces = patch_faces(&sheet, &plane, &pressures);
        // The farthest corner is 0.1 away along y and 0.1 √2 along the slope.
        assert!((loaded_radius(&faces) - 0.1 * 3.0_f64.sqrt()).abs() < 1e-12);
    }

    /// A paraboloid of the curvatures 2 and 8 against a plane: Johnson (1985), eq. (4.30), a b = the round
    /// patch of R_e = 1/√(κ₁ κ₂) to leading order, the longer axis along the smaller curvature.
    #[test]
    fn the_major_axis_lies_along_the_smaller_curvature() {
        let (bowl, flat) = (Sheet(|x, y| -x * x - 4.0 * y * y), Sheet(|_, _| 0.0));
        let (found, angle) = hertz_of_patch([&bowl, &flat], &HORIZONTAL, 0.2, 1e9, 1e3).unwrap();
        assert!(angle.sin().abs() < 1e-9 && found.semi_axes[0] > found.semi_axes[1], "{found:?} {angle}");
        let force = 2.0 / 3.0 * PI * found.semi_axes[0] * found.semi_axes[1] * found.peak_pressure;
        assert!((force / 1e3 - 1.0).abs() < 1e-9, "{force}");
        assert!(hertz_of_patch([&flat, &flat], &HORIZONTAL, 0.2, 1e9, 1e3).is_none());
    }
}
