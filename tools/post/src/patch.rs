//! The pressure over a contact patch, beside Hertz' theory.

use carom_contact::closed_form::{HertzEllipse, contact_modulus, hertz_ellipse};
use carom_dynamics::{ContactState, Pose};
use carom_fem::Discretisation;
use carom_format::result::StoredFrame;
use carom_mesh::FaceRef;
use carom_report::map::ellipse;
use carom_report::{Axis, Color, Drawing, Map, Plot, Series, Style};
use carom_scene::BodyGrid;
use nalgebra::{Matrix2, Matrix3, SMatrix, SVector, SymmetricEigen, Vector2, Vector3};

use crate::bodies::RunBody;
use crate::frame_fields::pose;
use crate::{Run, RunError};

/// The faces of a set of a body, placed in space.
struct PlacedSet {
    body: RunBody,
    grid: BodyGrid,
    faces: Vec<FaceRef>,
    pose: Pose,
}

/// A face under pressure (or near one): its outline and middle in the plane of the patch, and its pressure.
struct PatchFace {
    outline: Vec<[f64; 2]>,
    middle: [f64; 2],
    pressure: f64,
}

/// The plane of a contact patch: centre, and two tangents with the normal as rows.
struct Plane {
    center: Vector3<f64>,
    axes: Matrix3<f64>,
}

impl Plane {
    /// Coordinates in the plane and height above it.
    fn coordinates(&self, x: &Vector3<f64>) -> [f64; 3] {
        (self.axes * (x - self.center)).into()
    }
}

/// Draws the pressure of a pair at its largest force: a map in the tangent plane, and pressure over radius.
///
/// The geometry is the undeformed one in the pose of that frame. Hertz' ellipse follows from the curvatures
/// of both surfaces there, fitted over the patch, the materials, and the force of that frame; it is left out
/// where the surfaces have no common curvature (flat on flat).
///
/// # Errors
///
/// [`RunError::Empty`] if the pair never touches; otherwise as [`Run::load_body`].
pub fn draw(run: &Run, pair: usize) -> Result<Drawing, RunError> {
    let frame = strongest_frame(run, pair)?;
    let names = &run.header().pairs[pair];
    let first = placed(run, &frame, &names.first)?;
    let contact = &frame.contacts[pair];
    let pressures = |face: usize| pressure_on(contact, face);
    let plane = plane_of(&first, &pressures);
    let faces = patch_faces(&first, &plane, &pressures);
    let reach = loaded_radius(&faces);
    let hertz = placed(run, &frame, &names.second)
        .ok()
        .and_then(|second| hertz_of(&first, &second, &plane, reach, contact.normal_force));
    let title = format!("{} at {}", names.name, carom_report::number::quantity(frame.time, "s", 4));
    Ok(Drawing::side_by_side([
        map(&title, &faces, reach, hertz.as_ref()),
        profile(&faces, reach, hertz.as_ref()),
    ]))
}

/// Hertz' pressure p₀ √(1 − r²/a²) fitted to the pressures of the faces of a round patch.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PressureFit {
    /// Normal force of the frame \[N\].
    pub force: f64,
    /// Fitted p₀ \[Pa\].
    pub peak_pressure: f64,
    /// Fitted a \[m\].
    pub radius: f64,
    /// Faces under pressure.
    pub n_faces: usize,
}

/// Fits Hertz' pressure to a pair at its largest force: least squares over all faces of the patch, each by
/// the mean of the formula over the face, weighted with its area. Neither the force nor the theory enters the
/// fit.
///
/// # Errors
///
/// [`RunError::Empty`] if the pair never touches; otherwise as [`Run::load_body`].
pub fn fit(run: &Run, pair: usize) -> Result<PressureFit, RunError> {
    let frame = strongest_frame(run, pair)?;
    let names = &run.header().pairs[pair];
    let first = placed(run, &frame, &names.first)?;
    let contact = &frame.contacts[pair];
    let pressures = |face: usize| pressure_on(contact, face);
    let plane = plane_of(&first, &pressures);
    let reach = loaded_radius(&patch_faces(&first, &plane, &pressures));
    let mut samples: Vec<(f64, f64, Vec<f64>)> = Vec::new();
    for (n, &face) in first.faces.iter().enumerate() {
        let (points, rim) = first.sample(face, FIT_SAMPLES);
        let radii: Vec<f64> = points
            .iter()
            .map(|x| {
                let [x, y, _] = plane.coordinates(x);
                x.hypot(y)
            })
            .collect();
        if !radii.is_empty() && radii.iter().any(|&r| r < 1.5 * reach) {
            samples.push((pressures(n), vector_area(&points, &rim).norm(), radii));
        }
    }
    let n_faces = samples.iter().filter(|(p, ..)| *p > 0.0).count();
    let (peak_pressure, radius) = least_squares(&samples, reach);
    Ok(PressureFit { force: contact.normal_force, peak_pressure, radius, n_faces })
}

/// Parts of an edge at whose corners Hertz' formula is averaged over a face.
const FIT_SAMPLES: usize = 16;

/// p₀ and a of the best fit; pressure, area and radii of the samples of each face. The radius by golden
/// section, p₀ is linear.
fn least_squares(samples: &[(f64, f64, Vec<f64>)], reach: f64) -> (f64, f64) {
    let at = |a: f64| {
        let shape = |radii: &[f64]| {
            radii.iter().map(|r| (1.0 - (r / a).powi(2)).max(0.0).sqrt()).sum::<f64>() / radii.len() as f64
        };
        let (mut ps, mut ss, mut pp) = (0.0, 0.0, 0.0);
        for (p, area, radii) in samples {
            let s = shape(radii);
            ps += area * p * s;
            ss += area * s * s;
            pp += area * p * p;
        }
        let peak = if ss > 0.0 { ps / ss } else { 0.0 };
        (pp - peak * ps, peak)
    };
    let golden = 0.5 * (5.0_f64.sqrt() - 1.0);
    let (mut low, mut high) = (0.3 * reach, 1.5 * reach);
    while high - low > 1e-7 * reach {
        let (a, b) = (high - golden * (high - low), low + golden * (high - low));
        if at(a).0 < at(b).0 { high = b } else { low = a }
    }
    let radius = 0.5 * (low + high);
    (at(radius).1, radius)
}

/// The frame with the largest normal force of a pair.
fn strongest_frame(run: &Run, pair: usize) -> Result<StoredFrame, RunError> {
    let none = no_contact(run, pair)?;
    let forces = run.reader().normal_forces(pair)?;
    let best = (0..forces.len()).max_by(|&a, &b| forces[a].total_cmp(&forces[b]));
    let Some(best) = best.filter(|&n| forces[n] > 0.0) else { return Err(none) };
    let frame = run.reader().frame(best)?;
    let has_pressure = frame.contacts.get(pair).is_some_and(|c| c.pressures.iter().any(|&p| p > 0.0));
    if has_pressure { Ok(frame) } else { Err(none) }
}

/// Why no frame has pressure: the run says how near the surfaces of a pair came that never touched.
fn no_contact(run: &Run, pair: usize) -> Result<RunError, RunError> {
    if run.reader().contact_events()?.iter().any(|event| event.pair == pair) {
        let hint = "write frames more often (`output.contact_frames`, `simulation.output_every`)";
        return Ok(RunError::Empty { what: "a contact between its frames alone", hint });
    }
    let pair = &run.header().pairs[pair];
    let names = [&pair.first, &pair.second].map(|surface| format!("`{surface}`"));
    let about = |text: &String| text.contains("no contact;") && names.iter().all(|name| text.contains(name));
    let texts = run.reader().notes()?.into_iter().map(|note| note.text);
    Ok(match texts.into_iter().find(about) {
        Some(text) => RunError::NoContact(text),
        None => RunError::NoContact(format!(
            "contact `{}` / `{}`: no contact in any frame",
            pair.first, pair.second
        )),
    })
}

/// Pressure on a face of the first surface of a contact, by its number in the set \[Pa\].
fn pressure_on(contact: &ContactState, face: usize) -> f64 {
    let place = contact.pressure_faces.iter().position(|&f| f as usize == face);
    place.map_or(0.0, |n| contact.pressures[n])
}

/// Loads the body of `BODY:SET` and places it.
fn placed(run: &Run, frame: &StoredFrame, name: &str) -> Result<PlacedSet, RunError> {
    let (body, set) = name.split_once(':').unwrap_or((name, ""));
    let index = run.body_index(body)?;
    let loaded = run.load_body(index)?;
    let inconsistent = |why: String| RunError::Inconsistent { body: body.to_owned(), why };
    let faces = loaded.body.faces_of_set(set).map_err(|error| inconsistent(error.to_string()))?;
    let state = frame.bodies.get(index).ok_or_else(|| inconsistent("a frame lacks it".to_owned()))?;
    let grid = BodyGrid::surface(&loaded.body);
    Ok(PlacedSet { grid, faces, pose: pose(state), body: loaded })
}

impl PlacedSet {
    /// Points of a face in inertial axes (a grid of n × n parts), and which of them go around it.
    fn sample(&self, face: FaceRef, n: usize) -> (Vec<Vector3<f64>>, Vec<usize>) {
        let Some(cell) = self.grid.faces.iter().position(|&f| f == face) else {
            return (Vec::new(), Vec::new());
        };
        let (points, rim) = self.grid.sample(cell, n);
        let origin = Vector3::from(self.body.meta.frame_origin);
        let place = |x: [f64; 3]| self.pose.point(&(Vector3::from(x) - origin));
        (points.into_iter().map(place).collect(), rim)
    }
}

impl PlacedSet {
    /// Points of a face, a quarter of `radius` apart or nearer; none if the face is far from the centre.
    fn sample_near(&self, face: FaceRef, center: &Vector3<f64>, radius: f64) -> Vec<Vector3<f64>> {
        let (points, _) = self.sample(face, 4);
        let middle = mean(&points);
        let size = points.iter().map(|x| (x - middle).norm()).fold(0.0, f64::max);
        if points.is_empty() || (middle - center).norm() > 1.2 * size + radius {
            return Vec::new();
        }
        let parts = (8.0 * size / radius).ceil();
        if parts <= 4.0 { points } else { self.sample(face, parts.min(400.0) as usize).0 }
    }
}

/// Vector area of a closed polygon: its normal times its area.
fn vector_area(points: &[Vector3<f64>], rim: &[usize]) -> Vector3<f64> {
    let next = |k: usize| points[rim[(k + 1) % rim.len()]];
    (0..rim.len()).map(|k| 0.5 * points[rim[k]].cross(&next(k))).sum()
}

fn mean(points: &[Vector3<f64>]) -> Vector3<f64> {
    points.iter().sum::<Vector3<f64>>() / points.len().max(1) as f64
}

/// Centre and plane of the force: means over the faces, weighted by it.
fn plane_of(set: &PlacedSet, pressures: &dyn Fn(usize) -> f64) -> Plane {
    let (mut weight, mut center, mut normal) = (0.0, Vector3::zeros(), Vector3::zeros());
    for (n, &face) in set.faces.iter().enumerate() {
        let pressure = pressures(n);
        let (points, rim) = set.sample(face, 2);
        if pressure > 0.0 && !points.is_empty() {
            let area = vector_area(&points, &rim);
            let force = pressure * area.norm();
            weight += force;
            center += mean(&points) * force;
            normal += area * pressure;
        }
    }
    let normal = if normal.norm() > 0.0 { normal.normalize() } else { Vector3::z() };
    // The first tangent is the inertial axis that lies best in the plane.
    let axis =
        (0..3).min_by(|&a, &b| normal[a].abs().total_cmp(&normal[b].abs())).expect("there are three axes");
    let along = Vector3::ith(axis, 1.0);
    let tangent = (along - normal * normal.dot(&along)).normalize();
    let second = normal.cross(&tangent);
    let axes = Matrix3::from_rows(&[tangent.transpose(), second.transpose(), normal.transpose()]);
    Plane { center: if weight > 0.0 { center / weight } else { center }, axes }
}

fn patch_faces(set: &PlacedSet, plane: &Plane, pressures: &dyn Fn(usize) -> f64) -> Vec<PatchFace> {
    let flat = |x: &Vector3<f64>| {
        let [x, y, _] = plane.coordinates(x);
        [x, y]
    };
    let faces = set.faces.iter().enumerate().map(|(n, &face)| {
        let (points, rim) = set.sample(face, 4);
        let outline = rim.iter().map(|&k| flat(&points[k])).collect();
        PatchFace { outline, middle: flat(&mean(&points)), pressure: pressures(n) }
    });
    faces.filter(|face| !face.outline.is_empty()).collect()
}

/// Distance of the farthest corner of a loaded face from the centre.
fn loaded_radius(faces: &[PatchFace]) -> f64 {
    let loaded = faces.iter().filter(|face| face.pressure > 0.0);
    loaded.flat_map(|face| &face.outline).map(|p| p[0].hypot(p[1])).fold(0.0, f64::max)
}

/// Hertz' ellipse for two surfaces, and the angle of its first axis in the plane.
fn hertz_of(
    first: &PlacedSet,
    second: &PlacedSet,
    plane: &Plane,
    reach: f64,
    force: f64,
) -> Option<(HertzEllipse, f64)> {
    // Heights are measured along the outward normal of the first surface: it curves away from the plane
    // downwards, the other upwards, and the gap is their difference.
    let gap = curvature(second, plane, 2.0 * reach)? - curvature(first, plane, 2.0 * reach)?;
    let eigen = SymmetricEigen::new(gap);
    let material = |set: &PlacedSet| {
        let discretisation = Discretisation::new(&set.body.body).ok()?;
        // Blocks are those of the discretisation: a patch with local refinement has several.
        let block = &discretisation.blocks[set.faces.first()?.block as usize];
        let material = &discretisation.materials[block.material];
        Some((if set.body.meta.rigid { f64::INFINITY } else { material.young }, material.poisson))
    };
    let ((e1, nu1), (e2, nu2)) = (material(first)?, material(second)?);
    let modulus = contact_modulus([e1, e2], [nu1, nu2]);
    // Curvatures below a hundredth of the other are noise of the fit: no ellipse of finite length.
    let (low, high) = (eigen.eigenvalues.min(), eigen.eigenvalues.max());
    if low < 1e-2 * high {
        return None;
    }
    let found = hertz_ellipse(modulus, eigen.eigenvalues.into(), force)?;
    let axis: Vector2<f64> = eigen.eigenvectors.column(0).into();
    Some((found, axis.y.atan2(axis.x)))
}

/// Second derivatives of the height of a surface over the plane near its centre, by least squares over the
/// points of its faces: z = c₀ + c₁ x + c₂ y + ½ c₃ x² + c₄ x y + ½ c₅ y².
fn curvature(set: &PlacedSet, plane: &Plane, radius: f64) -> Option<Matrix2<f64>> {
    let mut normal_matrix = SMatrix::<f64, 6, 6>::zeros();
    let mut right = SVector::<f64, 6>::zeros();
    for &face in &set.faces {
        for x in set.sample_near(face, &plane.center, radius) {
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

fn map(title: &str, faces: &[PatchFace], reach: f64, hertz: Option<&(HertzEllipse, f64)>) -> Drawing {
    let mut map = Map::new(title, Axis::new("x", "m"), Axis::new("y", "m"), Axis::new("pressure", "Pa"));
    // What lies far from the patch would only make it small.
    for face in faces.iter().filter(|face| face.outline.iter().any(|p| p[0].hypot(p[1]) < 1.3 * reach)) {
        map.polygons.push(face.outline.clone());
        map.values.push(face.pressure);
    }
    let half = 1.5 * reach;
    map.x.range = Some([-half, half]);
    map.y.range = Some([-half, half]);
    map.polygons.retain_mut(|polygon| {
        polygon.iter_mut().flatten().for_each(|c| *c = c.clamp(-half, half));
        true
    });
    if let Some((found, angle)) = hertz {
        let (x, y) = ellipse([0.0; 2], found.semi_axes, *angle);
        map.curves.push(Series::line("Hertz", x, y).styled(Style::Dashed).colored(Color::INK));
    }
    map.draw()
}

/// Pressure over the distance from the centre; in an ellipse over the distance relative to its rim in that
/// direction.
fn profile(faces: &[PatchFace], reach: f64, hertz: Option<&(HertzEllipse, f64)>) -> Drawing {
    let round = hertz.is_none_or(|(found, _)| (found.semi_axes[0] / found.semi_axes[1] - 1.0).abs() < 0.05);
    let distance = |[x, y]: [f64; 2]| match hertz {
        Some((found, angle)) if !round => {
            let (s, c) = angle.sin_cos();
            ((x * c + y * s) / found.semi_axes[0]).hypot((y * c - x * s) / found.semi_axes[1])
        }
        _ => x.hypot(y),
    };
    let rim = hertz.map_or(
        reach,
        |(found, _)| if round { (found.semi_axes[0] * found.semi_axes[1]).sqrt() } else { 1.0 },
    );
    let limit = 1.5 * rim.max(if round { reach } else { 1.0 });
    let shown = faces.iter().map(|face| (distance(face.middle), face.pressure)).filter(|(r, _)| *r <= limit);
    let (radii, pressures) = shown.unzip();
    let (label, unit) =
        if round { ("distance from the centre", "m") } else { ("distance relative to the rim", "") };
    let axis = Axis { range: Some([0.0, limit]), ..Axis::new(label, unit) };
    let mut plot = Plot::new("Mean pressure of each face", axis, Axis::new("pressure", "Pa"))
        .with(Series::line("faces", radii, pressures).styled(Style::Markers));
    if let Some((found, _)) = hertz {
        let r: Vec<f64> = (0..=200).map(|n| rim * f64::from(n) / 200.0).collect();
        let p = r.iter().map(|r| found.peak_pressure * (1.0 - (r / rim).powi(2)).max(0.0).sqrt()).collect();
        plot = plot.with(Series::line("Hertz", r, p).styled(Style::Dashed).colored(Color::INK));
    }
    plot.size = [480.0, 460.0];
    plot.draw()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fit_finds_the_pressure_it_was_given() {
        // Square faces of 0.1 under p₀ = 3, a = 0.73, each with the mean over its own samples.
        let (peak, radius) = (3.0, 0.73);
        let mut samples = Vec::new();
        for n in 0..400 {
            let (x, y) = (-1.0 + 0.1 * f64::from(n % 20), -1.0 + 0.1 * f64::from(n / 20));
            let radii: Vec<f64> = (0..289)
                .map(|k| (x + 0.1 * f64::from(k % 17) / 16.0).hypot(y + 0.1 * f64::from(k / 17) / 16.0))
                .collect();
            let mean =
                radii.iter().map(|r: &f64| (1.0 - (r / radius).powi(2)).max(0.0).sqrt()).sum::<f64>() / 289.0;
            samples.push((peak * mean, 0.01, radii));
        }
        let (p, a) = least_squares(&samples, 0.85);
        assert!((p - peak).abs() < 1e-6 && (a - radius).abs() < 1e-6, "{p} {a}");
    }
}
