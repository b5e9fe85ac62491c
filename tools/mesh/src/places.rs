//! Where sets lie: `info --faces` and `info --at`.

use std::collections::BTreeMap;
use std::fmt::Write;

use carom_cli::{Category, Failure, FailureContext};
use carom_fem::{Body, Discretisation, SetPlace, SurfacePoint, plausible, set_places, surface_at};
use serde::Serialize;

use crate::args::InfoArgs;

/// The part of the JSON object of `info` that --faces and --at add.
#[derive(Serialize)]
pub(crate) struct Places {
    /// Sets with faces, with --faces.
    #[serde(skip_serializing_if = "Option::is_none")]
    faces: Option<BTreeMap<String, Faces>>,
    /// The closest point of the surface, with --at.
    #[serde(skip_serializing_if = "Option::is_none")]
    at: Option<At>,
}

#[derive(Serialize)]
struct Faces {
    /// [m²]
    area: f64,
    /// [m]
    center: [f64; 3],
    /// Mean of the outward normal: shorter than 1 for curved faces.
    normal: [f64; 3],
}

impl From<SetPlace> for Faces {
    fn from(place: SetPlace) -> Self {
        Self { area: place.area, center: place.center, normal: place.normal.map(without_rounding) }
    }
}

#[derive(Serialize)]
struct At {
    /// The given point [m].
    given: [f64; 3],
    /// The closest point of the surface [m].
    point: [f64; 3],
    /// [m]
    distance: f64,
    /// Outward, of unit length.
    normal: [f64; 3],
    sets: Vec<String>,
}

impl Places {
    /// The places that `--faces` and `--at` report; none of `--at` for a body without faces.
    pub(crate) fn of(args: &InfoArgs, body: &Body) -> Result<Self, Failure> {
        if !args.faces && args.at.is_none() {
            return Ok(Self { faces: None, at: None });
        }
        let discretisation = &Discretisation::new(body).or_fail(Category::Input)?;
        let faces = args.faces.then(|| {
            set_places(body, discretisation).into_iter().map(|(name, place)| (name, place.into())).collect()
        });
        let at = args.at.and_then(|given| {
            let SurfacePoint { point, distance, normal, sets } = surface_at(body, discretisation, given)?;
            Some(At { given, point, distance, normal: normal.map(without_rounding), sets })
        });
        Ok(Self { faces, at })
    }

    /// The lines of the report.
    pub(crate) fn text(&self) -> String {
        let mut out = String::new();
        for (name, faces) in self.faces.iter().flatten() {
            let _ = writeln!(
                out,
                "faces            {name}: {:.6e} m², centre {} m, mean normal {}",
                faces.area,
                vector(faces.center),
                direction(faces.normal)
            );
        }
        if let Some(at) = &self.at {
            let sets = if at.sets.is_empty() { "none".to_owned() } else { at.sets.join(", ") };
            let _ = writeln!(out, "at               {} m, given {} m", vector(at.point), vector(at.given));
            let _ = writeln!(out, "distance         {:.3e} m from the surface", at.distance);
            let _ = writeln!(out, "normal           {}", direction(at.normal));
            let _ = writeln!(out, "sets there       {sets}");
        }
        out
    }
}

/// Zero instead of a component that is rounding error.
fn without_rounding(x: f64) -> f64 {
    if x.abs() < 1e-12 { 0.0 } else { x }
}

fn vector(x: [f64; 3]) -> String {
    x.map(|x| plausible::plain((x * 1e9).round() / 1e9)).join(", ")
}

fn direction(x: [f64; 3]) -> String {
    x.map(|x| format!("{x:.3}")).join(", ")
}
