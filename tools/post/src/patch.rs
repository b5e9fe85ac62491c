//! The pressure over a contact patch, compared with Hertz' theory where it applies.

use carom_contact::closed_form::{HertzEllipse, contact_modulus};
use carom_contact::patch::{
    self, PatchFace, PatchPlane, SampledFace, SampledFaces, hertz_of_patch, loaded_radius, patch_faces,
};
use carom_dynamics::{ContactState, Pose};
use carom_fem::Discretisation;
use carom_format::result::StoredFrame;
use carom_format::scenario::model::ContactSpec;
use carom_mesh::FaceRef;
use carom_report::map::ellipse;
use carom_report::{Axis, Color, Drawing, Map, Plot, Series, Style};
use carom_scene::BodyGrid;
use nalgebra::{Matrix4, Vector3, Vector4};

use crate::bodies::RunBody;
use crate::grids::PlacedGrid;
use crate::{Run, RunError};

/// The faces of a set of a body, placed in space.
struct PlacedSet {
    body: RunBody,
    grid: BodyGrid,
    faces: Vec<FaceRef>,
    pose: Pose,
}

impl SampledFaces for PlacedSet {
    fn n_faces(&self) -> usize {
        self.faces.len()
    }

    fn sample(&self, face: usize, n: usize) -> SampledFace {
        let shown = self.grid.shown_face(self.faces[face]);
        let Some(cell) = self.grid.faces.iter().position(|&f| f == shown) else {
            return SampledFace::default();
        };
        let (points, rim) = self.grid.sample(cell, n);
        let origin = Vector3::from(self.body.meta.frame_origin);
        let place = |x: [f64; 3]| self.pose.point(&(Vector3::from(x) - origin));
        SampledFace { points: points.into_iter().map(place).collect(), rim }
    }
}

/// A picture of the pressure of a pair.
#[derive(Debug, Clone, PartialEq)]
pub struct PressurePicture {
    /// Map and profile.
    pub drawing: Drawing,
    /// True if Hertz' curves are drawn.
    pub has_hertz: bool,
    /// Word for the pieces of surface with one pressure each: "faces", or "cells" of a half-space grid.
    pub on: &'static str,
}

/// Draws the pressure of a pair at its largest force: a map in the tangent plane, and pressure over radius.
/// The geometry is undeformed, in the pose of that frame. Hertz' ellipse follows from the curvatures of both
/// surfaces, which are fitted over the patch, the materials, and the force of that frame. It is left out for
/// shells, which bend, and where the relative curvature of the surfaces vanishes (flat on flat).
///
/// # Errors
///
/// [`RunError::Empty`] if the pair never touches; otherwise as [`Run::load_body`].
pub fn picture(run: &Run, pair: usize) -> Result<PressurePicture, RunError> {
    let frame = strongest_frame(run, pair)?;
    let names = &run.header().pairs[pair];
    let title = format!("{} at {}", names.name, carom_report::number::quantity(frame.time, "s", 4));
    let contact = &frame.contacts[pair];
    if let Some(grid) = PlacedGrid::of(&frame, pair) {
        return Ok(drawn(&title, "cells", &grid.faces(), grid.hertz(contact.normal_force)));
    }
    let first = placed(run, &frame, &names.first)?;
    let pressures = |face: usize| pressure_on(contact, face);
    let plane = PatchPlane::of_pressure(&first, &pressures);
    let faces = patch_faces(&first, &plane, &pressures);
    let reach = loaded_radius(&faces);
    let hertz = placed(run, &frame, &names.second)
        .ok()
        .and_then(|second| hertz_of(&first, &second, &plane, reach, contact.normal_force));
    Ok(drawn(&title, "faces", &faces, hertz))
}

/// Map and profile of the pressure of faces in a plane.
fn drawn(
    title: &str,
    on: &'static str,
    faces: &[PatchFace],
    hertz: Option<(HertzEllipse, f64)>,
) -> PressurePicture {
    let reach = loaded_radius(faces);
    let drawing = Drawing::side_by_side([
        map(title, faces, reach, hertz.as_ref()),
        profile(on, faces, reach, hertz.as_ref()),
    ]);
    PressurePicture { drawing, has_hertz: hertz.is_some(), on }
}

/// Map of the pressure of a contact on a half-space grid.
pub(crate) fn map_of_grid(title: &str, grid: &PlacedGrid<'_>, force: f64) -> Drawing {
    let faces = grid.faces();
    map(title, &faces, loaded_radius(&faces), grid.hertz(force).as_ref())
}

/// The drawing of [`picture`].
///
/// # Errors
///
/// As [`picture`].
pub fn draw(run: &Run, pair: usize) -> Result<Drawing, RunError> {
    Ok(picture(run, pair)?.drawing)
}

/// Hertz' pressure fitted to a pair at its largest force.
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

/// Fits Hertz' pressure to a pair at its largest force, as [`patch::PressureFit`]; on a half-space grid that
/// of an ellipse, to the cells with more than 0.6 of the largest pressure. The radius is then √(a b).
///
/// # Errors
///
/// [`RunError::Empty`] if the pair never touches; otherwise as [`Run::load_body`].
pub fn fit(run: &Run, pair: usize) -> Result<PressureFit, RunError> {
    let frame = strongest_frame(run, pair)?;
    let contact = &frame.contacts[pair];
    if !contact.grid.cells.is_empty() {
        let Some(grid) = PlacedGrid::of(&frame, pair) else { return Err(no_pressure(run, pair, true)?) };
        let (peak_pressure, radius) =
            fit_of_cells(&grid.faces()).unwrap_or((contact.grid.peak(), contact.grid.contact_radius()));
        let (force, n_faces) = (contact.normal_force, contact.grid.cells.len());
        return Ok(PressureFit { force, peak_pressure, radius, n_faces });
    }
    let first = placed(run, &frame, &run.header().pairs[pair].first)?;
    let pressures = |face: usize| pressure_on(contact, face);
    let plane = PatchPlane::of_pressure(&first, &pressures);
    let reach = loaded_radius(&patch_faces(&first, &plane, &pressures));
    let patch::PressureFit { peak_pressure, radius, n_faces } =
        patch::PressureFit::new(&first, &plane, reach, &pressures);
    Ok(PressureFit { force: contact.normal_force, peak_pressure, radius, n_faces })
}

/// p₀ and √(a b) of p² = p₀² (1 − (x/a)² − (y/b)²) in any direction of x and y, by least squares over the
/// cells in the middle of a contact; none of too few cells.
fn fit_of_cells(cells: &[PatchFace]) -> Option<(f64, f64)> {
    let largest = cells.iter().map(|cell| cell.pressure).fold(0.0, f64::max);
    let inner = cells.iter().filter(|cell| cell.pressure > 0.6 * largest);
    let (mut matrix, mut rest, mut n) = (Matrix4::zeros(), Vector4::zeros(), 0);
    let size = cells.iter().map(|cell| cell.middle[0].hypot(cell.middle[1])).fold(0.0, f64::max);
    for cell in inner {
        let [x, y] = cell.middle.map(|x| x / size);
        let terms = Vector4::new(1.0, -x * x, -2.0 * x * y, -y * y);
        matrix += terms * terms.transpose();
        rest += (cell.pressure / largest).powi(2) * terms;
        n += 1;
    }
    let found = matrix.cholesky().filter(|_| n > 4)?.solve(&rest);
    // Of the matrix of 1/a² and 1/b², times p₀².
    let determinant = found[1] * found[3] - found[2] * found[2];
    let is_ellipse = found[0] > 0.0 && found[1] > 0.0 && determinant > 0.0;
    is_ellipse.then(|| (largest * found[0].sqrt(), size * (found[0] * found[0] / determinant).powf(0.25)))
}

/// The frame with the largest normal force of a pair.
pub(crate) fn strongest_frame(run: &Run, pair: usize) -> Result<StoredFrame, RunError> {
    let forces = &run.normal_forces()?[pair];
    let best = (0..forces.len()).max_by(|&a, &b| forces[a].total_cmp(&forces[b]));
    let Some(best) = best.filter(|&n| forces[n] > 0.0) else { return Err(no_pressure(run, pair, false)?) };
    let frame = run.reader().frame(best)?;
    let has_pressure = |c: &ContactState| !c.grid.cells.is_empty() || c.pressures.iter().any(|&p| p > 0.0);
    let has_pressure = frame.contacts.get(pair).is_some_and(has_pressure);
    if has_pressure { Ok(frame) } else { Err(no_pressure(run, pair, true)?) }
}

/// The reason why no frame has pressure; for surfaces that were never in contact the note of the run about
/// their distance.
///
/// * `has_force` — true if a frame has a force of the pair
fn no_pressure(run: &Run, pair: usize, has_force: bool) -> Result<RunError, RunError> {
    if run.header().pairs[pair].first == ContactSpec::ALL {
        let what = "no pair of surfaces: the contact is that of all surfaces, `between = [\"*\"]`";
        let hint = "name the two surfaces in `between`, or export the field `contact_pressure`";
        return Ok(RunError::Empty { what, hint });
    }
    if names_beams(run, &run.header().pairs[pair].first)? {
        let hint = "name the other surface first in `between`: the pressure is that of the first";
        return Ok(RunError::Empty { what: "no pressure on beams, which have no faces", hint });
    }
    if has_force {
        let hint = "results before version 1.8 do not keep the pressure of contact with `compliance = \
                    \"half-space\"`: run the scenario again, or plot contact-force";
        return Ok(RunError::Empty { what: "contact forces without pressures on faces", hint });
    }
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

/// True for `BODY:SET` with a set of beams.
fn names_beams(run: &Run, name: &str) -> Result<bool, RunError> {
    let Some((body, set)) = name.split_once(':') else { return Ok(false) };
    let index = run.body_index(body)?;
    if run.header().bodies[index].body_path.is_empty() {
        return Ok(false);
    }
    let loaded = run.load_body(index)?;
    Ok(loaded.body.beams_of_set(set).is_ok_and(|beams| !beams.is_empty()))
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
    let faces = loaded.body.contact_faces(Some(set)).map_err(|error| inconsistent(error.to_string()))?;
    let state = frame.bodies.get(index).ok_or_else(|| inconsistent("a frame lacks it".to_owned()))?;
    let grid = BodyGrid::surface(&loaded.body);
    Ok(PlacedSet { grid, faces, pose: state.pose(), body: loaded })
}

/// Hertz' ellipse for the materials and surfaces of two sets, and the angle of its first axis in the plane.
fn hertz_of(
    first: &PlacedSet,
    second: &PlacedSet,
    plane: &PatchPlane,
    reach: f64,
    force: f64,
) -> Option<(HertzEllipse, f64)> {
    if [first, second].iter().any(|set| set.body.body.is_structural()) {
        return None;
    }
    let material = |set: &PlacedSet| {
        let discretisation = Discretisation::new(&set.body.body).ok()?;
        // Blocks are those of the discretisation: a patch with local refinement has several.
        let block = &discretisation.blocks[set.faces.first()?.block as usize];
        let material = &discretisation.materials[block.material];
        Some((if set.body.meta.rigid { f64::INFINITY } else { material.young }, material.poisson))
    };
    let ((e1, nu1), (e2, nu2)) = (material(first)?, material(second)?);
    let modulus = contact_modulus([e1, e2], [nu1, nu2]);
    hertz_of_patch([first, second], plane, reach, modulus, force)
}

fn map(title: &str, faces: &[PatchFace], reach: f64, hertz: Option<&(HertzEllipse, f64)>) -> Drawing {
    let mut map = Map::new(title, Axis::new("x", "m"), Axis::new("y", "m"), Axis::new("pressure", "Pa"));
    // Faces far from the patch would only reduce its size in the picture.
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
fn profile(on: &str, faces: &[PatchFace], reach: f64, hertz: Option<&(HertzEllipse, f64)>) -> Drawing {
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
    let mut plot = Plot::new(&format!("Mean pressure of the {on}"), axis, Axis::new("pressure", "Pa"))
        .with(Series::line(on, radii, pressures).styled(Style::Markers));
    if let Some((found, _)) = hertz {
        let r: Vec<f64> = (0..=200).map(|n| rim * f64::from(n) / 200.0).collect();
        let p = r.iter().map(|r| found.peak_pressure * (1.0 - (r / rim).powi(2)).max(0.0).sqrt()).collect();
        plot = plot.with(Series::line("Hertz", r, p).styled(Style::Dashed).colored(Color::INK));
    }
    plot.size = [480.0, 460.0];
    plot.draw()
}
