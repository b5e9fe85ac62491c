//! A scenario for a part from a file: a ball hits it from above.

use std::path::Path;

use carom_cli::{Category, Failure, Session};
use carom_fem::plausible::bounds;
use carom_fem::{Body, Discretisation, Material};
use carom_make::cad::{self, CadOptions};
use carom_make::{ImportError, ImportErrorKind, ImportOptions, import_with};
use carom_mesh::SolidChoice;
use nalgebra::Vector3;

/// Radius of the ball over the least extent of the part.
const BALL: f64 = 0.2;

/// Gap at the start over the radius of the ball: it touches soon.
const GAP: f64 = 1e-3;

/// Cosine of the steepest face that counts as an upper one.
const LEVEL: f64 = 0.95;

/// A place of a surface.
struct Spot {
    place: Vector3<f64>,
    normal: Vector3<f64>,
}

/// The scenario of a steel ball that hits a steel part at its highest level place, at 1 m/s.
///
/// * `solid` — the solid of a CAD file that is the part
/// * `folder` — in which the scenario will lie: the path of the part is relative to it
/// * `name` — of the scenario
pub(crate) fn scenario(
    part: &Path,
    solid: Option<&SolidChoice>,
    folder: &Path,
    name: &str,
    session: &Session,
) -> Result<String, Failure> {
    if solid.is_none() && cad::is_cad(part) && !cad::is_script(part) {
        refuse_several(part, session)?;
    }
    let steel = Material::named("steel").expect("steel is a known material");
    let cad = CadOptions { solid: solid.cloned(), ..CadOptions::default() };
    let options = ImportOptions { cad, ..ImportOptions::default() };
    let body = import_with(part, &options, steel, session.progress()).map_err(failure)?.body;
    let [low, high] = bounds(&body).map(Vector3::from);
    let least = (high - low).min();
    let spot = upper_spot(&body, low.z, high.z)?;
    let radius = two_digits(BALL * least);
    let center = spot.place + radius * (1.0 + GAP) * spot.normal;
    let velocity = -spot.normal;
    let file = relative(part, folder);
    let solid = match solid {
        Some(SolidChoice::Number(number)) => format!("solid = {number}\n"),
        Some(SolidChoice::Name(name)) => format!("solid = {name:?}\n"),
        None => String::new(),
    };
    let list = |x: &Vector3<f64>, digits: usize| {
        let numbers: Vec<String> = x.iter().map(|x| format!("{:?}", rounded(*x, digits))).collect();
        numbers.join(", ")
    };
    Ok(format!(
        "# A steel ball hits {file} at 1 m/s. What is not given is chosen when it runs:\n\
         #\n\
         #   carom run {name}.toml                force, duration, stress, with their errors; then open\n\
         #                                      {name}/report.html, and {name}/paraview/result.pvd\n\
         #   carom check {name}.toml --explain    the choices with their reasons\n\
         #\n\
         # All quantities are in SI units.\n\
         \n\
         [[body]]\n\
         name = \"ball\"\n\
         make = {{ shape = \"ball\", radius = {radius:?} }}\n\
         material = \"steel\"                      # carom-mesh materials lists others\n\
         position = [{}]      # its centre, over the highest level place of the part\n\
         velocity = [{}]          # [m/s]\n\
         \n\
         [[body]]\n\
         name = \"part\"\n\
         file = {file:?}\n\
         {solid}\
         material = \"steel\"\n\
         \n\
         [[contact]]\n\
         between = [\"ball\", \"part\"]\n\
         law = {{ kind = \"lagrange\" }}            # no penetration beyond the elasticity of both\n",
        list(&center, 9),
        list(&velocity, 6),
    ))
}

/// Refuses a file with several solids, since the part is one body: lists them with the way to take one.
fn refuse_several(part: &Path, session: &Session) -> Result<(), Failure> {
    let solids = cad::solids(part, session.progress()).map_err(|error| failure(error.into()))?.solids;
    if solids.len() < 2 {
        return Ok(());
    }
    let listed: Vec<String> =
        solids.iter().map(|solid| format!("{} ({:.3e} m³)", solid.title(), solid.volume)).collect();
    let what = format!(
        "`{}` contains {} solids, and the part is one: {}",
        part.display(),
        solids.len(),
        listed.join(", ")
    );
    Err(Failure::new(Category::Input, what).hint(
        "take one by --solid N; others become bodies of the scenario in the same way (`solid = N` next to \
         `file`); `carom-mesh info` says where they are and where they touch",
    ))
}

fn failure(error: ImportError) -> Failure {
    let category = match error.kind() {
        ImportErrorKind::Input => Category::Input,
        ImportErrorKind::Files => Category::Files,
        ImportErrorKind::Program => Category::Other,
        ImportErrorKind::Interrupted => Category::Interrupted,
    };
    Failure::from_error(category, error)
}

/// The place of the highest faces that look upwards nearest to their middle; of a part without any the
/// highest face.
fn upper_spot(body: &Body, low: f64, high: f64) -> Result<Spot, Failure> {
    let failed = |error: carom_fem::DiscretisationError| Failure::from_error(Category::Input, error);
    let discretisation = Discretisation::new(body).map_err(failed)?;
    let surface = discretisation.surface(&body.boundary_faces());
    let positions: Vec<[f64; 3]> =
        surface.points.iter().map(|&point| discretisation.points[point as usize]).collect();
    let spots: Vec<Spot> = (0..surface.faces.len())
        .map(|face| {
            let middle = if surface.faces[face].basis.is_triangle() { [1.0 / 3.0; 2] } else { [0.5; 2] };
            let (place, [a, b]) = surface.tangents(face, middle, &positions);
            let normal = Vector3::from(a).cross(&Vector3::from(b)).normalize();
            Spot { place: place.into(), normal: surface.faces[face].orientation * normal }
        })
        .collect();
    let level: Vec<&Spot> = spots.iter().filter(|spot| spot.normal.z > LEVEL).collect();
    let all: Vec<&Spot> = if level.is_empty() { spots.iter().collect() } else { level };
    let top = all.iter().map(|spot| spot.place.z).fold(f64::NEG_INFINITY, f64::max);
    let upper: Vec<&Spot> =
        all.into_iter().filter(|spot| spot.place.z >= top - 1e-3 * (high - low)).collect();
    let middle = upper.iter().map(|spot| spot.place).sum::<Vector3<f64>>() / upper.len().max(1) as f64;
    let distance = |spot: &Spot| (spot.place - middle).norm_squared();
    let found = upper.into_iter().min_by(|a, b| distance(a).total_cmp(&distance(b)));
    let found = found.ok_or_else(|| Failure::new(Category::Input, "the part has no surface"))?;
    Ok(Spot { place: found.place, normal: found.normal })
}

/// The path of a file from a folder: as short as it can be said without going up.
fn relative(file: &Path, folder: &Path) -> String {
    let absolute = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let (file, folder) = (absolute(file), absolute(folder));
    file.strip_prefix(&folder).unwrap_or(&file).display().to_string()
}

/// A positive number with two digits.
fn two_digits(x: f64) -> f64 {
    format!("{x:.1e}").parse().unwrap_or(x)
}

/// A number with some digits behind the point, and zero without a sign.
fn rounded(x: f64, digits: usize) -> f64 {
    let x: f64 = format!("{x:.digits$}").parse().unwrap_or(x);
    if x == 0.0 { 0.0 } else { x }
}
