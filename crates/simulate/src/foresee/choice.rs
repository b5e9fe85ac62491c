//! The compliance of a pair, with the reason for it.

use std::sync::Arc;

use carom_fem::Body;
use carom_format::scenario::model::{Compliance, ContactSpec, End, Scenario};

use super::chosen::Choice;
use super::region::edge_there;
use super::rigid_run::Outlook;
use super::{ForesightError, body_of, end_has, has_places};
use crate::parts::Parts;

/// Contact radius in edges of the faces from which on the mesh resolves a contact: the force then errs by
/// some 2 % or less.
const RESOLVED: f64 = 4.0;

/// The same below which `compliance = "body"` is refused.
const LEAST: f64 = 3.0;

/// The compliance of a pair.
#[derive(Debug, Clone)]
pub(super) struct Decision {
    pub(super) compliance: Compliance,
    /// True if the scenario left it open, and a grid would do as well.
    pub(super) is_free: bool,
    why: Why,
}

/// The reason.
#[derive(Debug, Clone)]
enum Why {
    /// The scenario says so.
    Given,
    /// The mesh of a surface over the expected contact radius \[m\], in edges.
    Resolution { surface: String, radius: f64, edge: f64 },
    /// No body has an interface there.
    NoInterface { radius: Option<f64> },
    /// A contact that a grid cannot have.
    NotOnGrid(String),
    /// The bodies have places.
    Places,
    /// Other contacts of the scenario are on grids.
    Joined,
}

impl Decision {
    /// The choice with its reason; none if the scenario made it.
    pub(super) fn reason(&self, pair: &ContactSpec) -> Option<Choice> {
        let name = match self.compliance {
            Compliance::HalfSpace => "half-space",
            _ => "body",
        };
        let reason = match &self.why {
            Why::Given | Why::NotOnGrid(_) => return None,
            Why::Places => "its bodies have places there".to_owned(),
            Why::Joined => "other contacts of the scenario have it, and all have one kind".to_owned(),
            Why::Resolution { surface, radius, edge } => format!(
                "the expected contact radius of {radius:.3e} m is {:.2} edges of `{surface}`, and a mesh \
                 resolves a contact from {RESOLVED} on",
                radius / edge
            ),
            Why::NoInterface { radius: Some(radius) } => {
                format!("it names no interfaces; the expected contact radius is {radius:.3e} m")
            }
            Why::NoInterface { radius: None } => {
                "it names no interfaces; as rigid bodies they do not touch".to_owned()
            }
        };
        Some(Choice {
            of: format!("contact {}", title(pair)),
            key: "compliance",
            value: format!("{name:?}"),
            reason,
        })
    }

    /// Takes the compliance of the other contacts.
    pub(super) fn join_grids(&mut self) {
        (self.compliance, self.why) = (Compliance::HalfSpace, Why::Joined);
    }

    /// A doubt about the choice.
    pub(super) fn warning(&self, pair: &ContactSpec) -> Option<String> {
        let Why::NotOnGrid(why) = &self.why else { return None };
        Some(format!(
            "contact {} has the compliance of the bodies' meshes, whatever they resolve: {why}",
            title(pair)
        ))
    }
}

/// Both bodies of a pair.
fn title(pair: &ContactSpec) -> String {
    pair.between.each_ref().map(ToString::to_string).join(" / ")
}

/// Decides on a pair.
///
/// * `is_open` — true if the scenario leaves something open
///
/// # Errors
///
/// [`ForesightError`] if nothing is possible, or a mesh does not resolve a contact that is to use its
/// compliance.
pub(super) fn decide(
    scenario: &Scenario,
    number: usize,
    is_open: bool,
    outlook: &Outlook,
    geometries: &[Option<Arc<Body>>],
    parts: &[Parts<'_>],
) -> Result<Decision, ForesightError> {
    let pair = &scenario.contact[number];
    let has_interface = |end: &End| {
        body_of(scenario, end).is_none_or(|(i, spec)| end_has(spec, &parts[i], end, Compliance::Body))
    };
    let lacking = pair.between.iter().find(|end| !has_interface(end));
    let given = pair.compliance.filter(|compliance| *compliance != Compliance::Auto);
    match given {
        Some(Compliance::Body) if lacking.is_none() => return of_mesh(scenario, pair, outlook, geometries),
        Some(Compliance::Body) => {
            return Ok(Decision { compliance: Compliance::Body, is_free: false, why: Why::Given });
        }
        Some(compliance) if !is_open => return Ok(Decision { compliance, is_free: false, why: Why::Given }),
        None if !is_open => {
            return Ok(Decision { compliance: Compliance::Body, is_free: false, why: Why::Given });
        }
        _ => (),
    }
    if given.is_none() && has_places(scenario, pair, parts) {
        return Ok(Decision { compliance: Compliance::HalfSpace, is_free: true, why: Why::Places });
    }
    // Where bodies met before the trouble there is a place; without one the user has to name it.
    let Some(touched) = outlook.touched.filter(|t| t.radius > 0.0 || outlook.trouble.is_none()) else {
        let why = outlook.trouble.clone().unwrap_or("they never come near each other".to_owned());
        let unprepared = pair.between.iter().find(|end| {
            let of = body_of(scenario, end).filter(|(_, spec)| !spec.rigid);
            of.is_some_and(|(i, spec)| !end_has(spec, &parts[i], end, Compliance::HalfSpace))
        });
        // A compliance that the scenario asks for is not replaced.
        let lacking = if given == Some(Compliance::HalfSpace) { unprepared.or(lacking) } else { lacking };
        return match lacking {
            Some(end) => {
                let of_rigid = |end: &End| body_of(scenario, end).is_some_and(|(_, spec)| spec.rigid);
                let is_rigid = pair.between.iter().all(of_rigid);
                Err(ForesightError::Unknown { pair: between(pair), body: end.body.clone(), is_rigid, why })
            }
            None => Ok(Decision { compliance: Compliance::Body, is_free: false, why: Why::NotOnGrid(why) }),
        };
    };
    let radius = Some(touched.radius).filter(|radius| *radius > 0.0);
    let on_grid = |why| Ok(Decision { compliance: Compliance::HalfSpace, is_free: true, why });
    if given == Some(Compliance::HalfSpace) {
        return on_grid(Why::NoInterface { radius });
    }
    let (Some(radius), None) = (radius, lacking) else { return on_grid(Why::NoInterface { radius }) };
    match coarsest(scenario, pair, outlook, geometries)? {
        Some((surface, edge)) if radius >= RESOLVED * edge => Ok(Decision {
            compliance: Compliance::Body,
            is_free: true,
            why: Why::Resolution { surface, radius, edge },
        }),
        Some((surface, edge)) => on_grid(Why::Resolution { surface, radius, edge }),
        None => on_grid(Why::NoInterface { radius: Some(radius) }),
    }
}

/// A pair that is to have the compliance of the meshes.
fn of_mesh(
    scenario: &Scenario,
    pair: &ContactSpec,
    outlook: &Outlook,
    geometries: &[Option<Arc<Body>>],
) -> Result<Decision, ForesightError> {
    let decision = Decision { compliance: Compliance::Body, is_free: false, why: Why::Given };
    let Some(radius) = outlook.radius() else { return Ok(decision) };
    match coarsest(scenario, pair, outlook, geometries)? {
        Some((surface, edge)) if radius < LEAST * edge => Err(ForesightError::Coarse {
            pair: between(pair),
            surface,
            radius,
            edge,
            ratio: radius / edge,
            least: LEAST,
        }),
        _ => Ok(decision),
    }
}

/// The surface of a deformable body with the longest edges in a pair, and these \[m\].
fn coarsest(
    scenario: &Scenario,
    pair: &ContactSpec,
    outlook: &Outlook,
    geometries: &[Option<Arc<Body>>],
) -> Result<Option<(String, f64)>, ForesightError> {
    let mut worst: Option<(String, f64)> = None;
    for (side, end) in pair.between.iter().enumerate() {
        let Some((i, _)) = body_of(scenario, end).filter(|(_, spec)| !spec.rigid) else { continue };
        let Some(body) = &geometries[i] else { continue };
        let edge = edge_there(end, side, outlook, body)?;
        if worst.as_ref().is_none_or(|(_, longest)| edge > *longest) {
            worst = Some((end.to_string(), edge));
        }
    }
    Ok(worst)
}

/// The ends of a pair, for errors.
fn between(pair: &ContactSpec) -> String {
    format!("{}, {}", pair.between[0], pair.between[1])
}
