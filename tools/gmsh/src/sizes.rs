//! Sizes of elements: the largest size, sizes at curved faces, and small elements near places.

use carom_mesh::{Around, SizeNear};

use crate::gmsh::{Gmsh, GmshError};
use crate::job::{FailureKind, Job};
use crate::worker::{Failed, failed};

/// Growth of the size of elements with the distance from a place with small ones.
const GROWTH: f64 = 0.3;

/// Elements to a full circle at curved faces. Loads of contact on coarse meshes have a radius of 1.5 edges,
/// which may be 0.7 of the radius of the surface: 13.5 elements to a circle.
const PER_CIRCLE: f64 = 14.0;

/// Smallest and largest number of points in each direction at which a face is sampled for the distance.
const SAMPLES: [f64; 2] = [20.0, 300.0];

/// Sizes that a script defines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Defined {
    /// True if it sets the sizes of elements: limits, sizes at points, size fields, divisions of curves.
    pub(crate) sizes: bool,
    /// The number of the background field, if the script has one with a plain number.
    pub(crate) background: Option<i32>,
    /// True if there is a background field whose number is not plain.
    pub(crate) unknown_background: bool,
}

/// The sizes that the text of a script defines. The text of files that it includes is not read: a script that
/// includes another one counts as one that defines its sizes.
pub(crate) fn defined_in(script: &str) -> Defined {
    const WORDS: [&str; 8] = [
        "MeshSize {",
        "MeshSizeM",
        "MeshSizeFromP",
        "MeshSizeFactor",
        "Characteristic",
        "Transfinite",
        "Background",
        "Include",
    ];
    let text = without_comments(script);
    // Blanks and brackets vary: `MeshSize{1} = …`, `Background Field = 2`, `Point(1) = {0, 0, 0, h}`.
    let dense = text.replace("MeshSize{", "MeshSize {");
    let points = text.match_indices("Point").any(|(at, word)| {
        // The numbers of a physical group are those of its points.
        if text[..at].trim_end().ends_with("Physical") {
            return false;
        }
        let Some((head, body)) = text[at + word.len()..].split_once('{') else { return false };
        let own = head.trim_start().starts_with('(') && head.trim_end().ends_with('=');
        own && body.split('}').next().is_some_and(|numbers| numbers.matches(',').count() >= 3)
    });
    let field = text.rsplit_once("Background Field").map(|(_, rest)| {
        let number = rest.trim_start().trim_start_matches('=').split(';').next().unwrap_or_default();
        number.trim().parse::<i32>().ok()
    });
    Defined {
        sizes: points || WORDS.iter().any(|word| dense.contains(word)),
        background: field.flatten(),
        unknown_background: field == Some(None) || (field.is_none() && text.contains("Include")),
    }
}

fn without_comments(script: &str) -> String {
    let mut text = String::with_capacity(script.len());
    let mut rest = script;
    while let Some(at) = rest.find('/') {
        text.push_str(&rest[..at]);
        rest = &rest[at..];
        let end = if rest.starts_with("//") {
            rest.find('\n')
        } else if rest.starts_with("/*") {
            rest.find("*/").map(|end| end + 2)
        } else {
            text.push('/');
            Some(1)
        };
        rest = &rest[end.unwrap_or(rest.len())..];
    }
    text + rest
}

/// Sets the sizes of elements. A script may define its own, and --size limits them from above. Otherwise
/// elements have at most a twentieth of the part's diagonal, and there are [`PER_CIRCLE`] to a full circle at
/// curved faces. Returns the largest size, with the factor of the job; `None` if a script defines it.
pub(crate) fn set(gmsh: &Gmsh, job: &Job, script: Option<Defined>) -> Result<Option<f64>, Failed> {
    let is_free = !script.is_some_and(|defined| defined.sizes);
    let [low, high] = gmsh.bounding_box()?;
    let diagonal = distance(low, high);
    let size = job.size.or(is_free.then_some(diagonal / 20.0));
    if let Some(size) = size {
        gmsh.set_option(c"Mesh.MeshSizeMax", size)?;
        if is_free {
            gmsh.set_option(c"Mesh.MeshSizeMin", (0.1 * size).min(diagonal / 200.0))?;
        }
    }
    if is_free && (script.is_none() || gmsh.number_option(c"Mesh.MeshSizeFromCurvature")? == 0.0) {
        gmsh.set_option(c"Mesh.MeshSizeFromCurvature", PER_CIRCLE)?;
    }
    if job.factor != 1.0 {
        let own = gmsh.number_option(c"Mesh.MeshSizeFactor")?;
        gmsh.set_option(c"Mesh.MeshSizeFactor", own * job.factor)?;
    }
    Ok(size.map(|size| size * job.factor))
}

/// Makes elements small near the places of the job, after groups have their names. Returns notes.
pub(crate) fn set_near(gmsh: &Gmsh, job: &Job, script: Option<Defined>) -> Result<Vec<String>, Failed> {
    let mut notes = Vec::new();
    let mut fields = Vec::new();
    let near: Vec<SizeNear> = job.near.iter().filter_map(|text| text.parse().ok()).collect();
    for place in &near {
        fields.push(match &place.around {
            Around::Ball { centre, radius } => {
                notes.extend(misses(gmsh, *centre, *radius)?);
                near_ball(gmsh, *centre, *radius, place.size)?
            }
            Around::Set(name) => near_set(gmsh, name, place.size)?,
        });
    }
    let Some(least) = near.iter().map(|place| place.size).reduce(f64::min) else { return Ok(notes) };
    let limit = gmsh.number_option(c"Mesh.MeshSizeMin")?;
    gmsh.set_option(c"Mesh.MeshSizeMin", limit.min(0.5 * least))?;
    if let Some(script) = script {
        fields.extend(script.background);
        if script.unknown_background {
            notes.push(
                "a background field of the script is replaced by the sizes of --near: its number is not a \
                 plain one (`Background Field = 2;`), or it stands in an included file"
                    .to_owned(),
            );
        }
    }
    let all = gmsh.add_field(c"Min")?;
    gmsh.set_field_numbers(all, c"FieldsList", &fields)?;
    gmsh.set_background(all)?;
    Ok(notes)
}

/// A note if a ball does not reach the box around the part.
fn misses(gmsh: &Gmsh, centre: [f64; 3], radius: f64) -> Result<Option<String>, GmshError> {
    let [low, high] = gmsh.bounding_box()?;
    let nearest = [0, 1, 2].map(|d| centre[d].clamp(low[d], high[d]));
    let away = distance(centre, nearest);
    let [x, y, z] = centre;
    Ok((away > radius).then(|| {
        format!(
            "the place ({x}, {y}, {z}) of --near lies {away:.3e} m outside the box around the part, which \
             goes from ({:.4e}, {:.4e}, {:.4e}) to ({:.4e}, {:.4e}, {:.4e}) m: its radius {radius} m does \
             not reach the part",
            low[0], low[1], low[2], high[0], high[1], high[2]
        )
    }))
}

/// Size h within the radius of a point, growing beyond it: h + g (d − R + |d − R|)/2.
fn near_ball(gmsh: &Gmsh, centre: [f64; 3], radius: f64, size: f64) -> Result<i32, GmshError> {
    let [x, y, z] = centre.map(decimal);
    let beyond = format!("(Sqrt((x-({x}))^2+(y-({y}))^2+(z-({z}))^2)-{})", decimal(radius));
    growing(gmsh, &beyond, size)
}

/// Size h at the faces, curves or points of a group, growing with the distance from them. The distance is
/// that from sampled points; h counts within their spacing.
fn near_set(gmsh: &Gmsh, name: &str, size: f64) -> Result<i32, Failed> {
    let groups = gmsh.physical_groups()?;
    let mut known = Vec::new();
    let mut found = None;
    for group in groups {
        let own = gmsh.group_name(group)?;
        if own == name && group.0 < 3 {
            found = Some(group);
        }
        if group.0 < 3 && !own.is_empty() {
            known.push(own);
        }
    }
    let Some((dim, tag)) = found else {
        let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
        return Err(failed(
            FailureKind::Input,
            format!("there is no set `{name}` of faces, named in --near; sets of faces are {known}"),
            "name one of them, or a point with a radius, X,Y,Z:R=H",
        ));
    };
    let tags = gmsh.group_entities((dim, tag))?;
    let list = [c"PointsList", c"CurvesList", c"SurfacesList"][dim as usize];
    let extent = extent_of(gmsh, dim, &tags)?;
    let samples = (2.0 * extent / size).ceil().clamp(SAMPLES[0], SAMPLES[1]);
    let field = gmsh.add_field(c"Distance")?;
    gmsh.set_field_numbers(field, list, &tags)?;
    gmsh.set_field_number(field, gmsh.samples_of_distance(), samples)?;
    let spacing = if dim == 0 { 0.0 } else { extent / (samples - 1.0) };
    Ok(growing(gmsh, &format!("(F{field}-{})", decimal(spacing)), size)?)
}

/// The largest diagonal of the boxes around some entities \[m\].
fn extent_of(gmsh: &Gmsh, dim: i32, tags: &[i32]) -> Result<f64, GmshError> {
    let mut extent = 0.0_f64;
    for &tag in tags {
        let [low, high] = gmsh.box_around(dim, tag)?;
        extent = extent.max(distance(low, high));
    }
    Ok(extent)
}

/// The field h + g max(0, s) of an expression s.
fn growing(gmsh: &Gmsh, beyond: &str, size: f64) -> Result<i32, GmshError> {
    let field = gmsh.add_field(c"MathEval")?;
    let expression = format!("{}+{GROWTH}*0.5*({beyond}+Abs({beyond}))", decimal(size));
    gmsh.set_field_text(field, c"F", &expression)?;
    Ok(field)
}

/// A number without an exponent.
fn decimal(x: f64) -> String {
    format!("{x:.15}")
}

fn distance(a: [f64; 3], b: [f64; 3]) -> f64 {
    (0..3).map(|d| (b[d] - a[d]).powi(2)).sum::<f64>().sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scripts_without_sizes_are_recognised() {
        let free = "SetFactory(\"OpenCASCADE\");\nBox(1) = {0, 0, 0, 1, 2, 3}; // MeshSizeMax\n/* \
            Transfinite */ Point(101) = {-0.022, -0.003, 0};\nMesh.MeshSizeFromCurvature = 8; a = 1/2;\n";
        assert_eq!(defined_in(free), Defined::default());
        for own in [
            "Point(1) = {0, 0, 0, h};",
            "Mesh.MeshSizeMax = 1;",
            "MeshSize{ PointsOf{ Volume{1}; } } = 0.1;",
            "Characteristic Length {1} = 2;",
            "Transfinite Curve{:} = 4;",
            "Include \"sizes.geo\";",
        ] {
            assert!(defined_in(own).sizes, "{own}");
        }
    }

    #[test]
    fn the_background_field_of_a_script_is_found() {
        let field = defined_in("Background Field = 1; Background Field = 2 ;");
        assert!(field.sizes && field.background == Some(2) && !field.unknown_background);
        assert!(defined_in("Background Field = last;").unknown_background);
        assert!(defined_in("Include \"sizes.geo\";").unknown_background);
        // Groups of points have no sizes.
        assert!(!defined_in("Physical Point(\"corners\") = {1, 2, 3, 4};").sizes);
        assert!(defined_in("Point(1) = {0, 0, 0, 0.1};").sizes);
    }

    #[test]
    fn numbers_of_fields_have_no_exponent() {
        assert_eq!(decimal(-1.5e-6), "-0.000001500000000");
    }
}
