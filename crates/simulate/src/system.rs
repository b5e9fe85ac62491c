//! Bodies, loads and contacts of a scenario as a system that moves.

use std::collections::BTreeMap;

use carom_dynamics::{Axes, Loads, Placement, PointLoad, TimeFunction};
use carom_fem::{Discretisation, mass_properties};
use carom_format::result::{ResultBody, ResultPair};
use carom_format::scenario::model::{
    BodySpec, ContactSpec as PairSpec, End, ForceSpec, HighModes, Rim, Scenario,
};
use carom_multibody::{
    Body, ContactModel, ContactSpec, ContactSurface, QuasistaticContacts, RimPolicy, Shape, System,
    attached_marker, bound_loads, mean_marker, unit_loads,
};
use carom_reduce::StaticModes;
use nalgebra::{Matrix3, Vector3};

use crate::forces::acting;
use crate::joints::{Start, joints};
use crate::outcome::absolute;
use crate::references::grounded_moves;
use crate::{Prepared, PreparedBody, PreparedModel, SimulateError, material_point, static_modes};

/// A system at its start, with what the result says of it.
#[derive(Debug)]
pub struct Assembled {
    /// Bodies, loads, contacts.
    pub system: System,
    /// Where the bodies start.
    pub placements: Vec<Placement>,
    /// The bodies, for the result.
    pub bodies: Vec<ResultBody>,
    /// The contact pairs, for the result.
    pub pairs: Vec<ResultPair>,
    /// What was chosen where the scenario says nothing.
    pub notes: Vec<String>,
    /// What the user should be wary of.
    pub warnings: Vec<String>,
}

/// Puts a scenario together.
///
/// # Errors
///
/// [`SimulateError`] names the body, set or load that does not fit.
pub fn system(scenario: &Scenario, prepared: &Prepared) -> Result<Assembled, SimulateError> {
    let high_modes = scenario.simulation.scheme.row().high_modes;
    let mut bodies = Vec::new();
    for (spec, ready) in scenario.body.iter().zip(&prepared.bodies) {
        bodies.push(body(high_modes, spec, ready, None)?);
    }
    let number: BTreeMap<&str, usize> =
        scenario.body.iter().enumerate().map(|(i, spec)| (spec.name.as_str(), i)).collect();
    let mut loads = loads(scenario, prepared, &bodies, &number)?;
    let start = Start::new(scenario, prepared, &bodies, &number);
    let mut joints = joints(scenario, &start)?;
    let mut acting = acting(scenario, &start, &joints)?;
    let mut warnings = Vec::new();
    if high_modes == Some(HighModes::Quasistatic) {
        let placements: Vec<Placement> = scenario.body.iter().map(placement).collect();
        let units = unit_loads(&bodies, &placements, &joints, &acting.drives, &acting.elements, &loads);
        warnings = static_modes::give_static_modes(scenario, prepared, &units, &mut bodies)?;
        let bound = bound_loads(&units, &bodies);
        let damped = bodies.into_iter().zip(&bound);
        let damped = damped.map(|(body, bound)| body.with_damped_static_modes(bound, static_modes::DAMPING));
        bodies = damped.collect::<Result<_, _>>()?;
    }
    static_modes::refer_markers(&bodies, &mut joints, &mut acting.elements, &mut loads);
    let contacts = contact_models(scenario, prepared, &bodies, &number)?;
    let result_bodies = scenario.body.iter().zip(&prepared.bodies).zip(&bodies).map(described).collect();
    let pairs = scenario.contact.iter().enumerate();
    let pairs = pairs
        .map(|(n, pair)| {
            // One model holds all pairs; it gives the pressure to the surface with the finer spans.
            let carrier = contacts.first().map_or(0, |model| model.carrier(n)).min(1);
            ResultPair {
                name: format!("{}/{}", pair.between[0].body, pair.between[1].body),
                first: pair.between[carrier].to_string(),
                second: pair.between[1 - carrier].to_string(),
            }
        })
        .collect();
    Ok(Assembled {
        system: System::new(bodies, loads, contacts)?
            .with_joints(joints)?
            .with_drives(acting.drives)?
            .with_forces(acting.elements)?,
        placements: scenario.body.iter().map(placement).collect(),
        bodies: result_bodies,
        pairs,
        notes: acting.notes,
        warnings,
    })
}

/// A body as the scheme takes it.
///
/// * `high_modes` — how the high modes of a reduced body respond
/// * `modes` — static modes of the loads on it
pub(crate) fn body(
    high_modes: Option<HighModes>,
    spec: &BodySpec,
    ready: &PreparedBody,
    modes: Option<StaticModes>,
) -> Result<Body, SimulateError> {
    let mut body = match &ready.model {
        PreparedModel::Deformable(geometry) => {
            let known = geometry.set_names().join(", ");
            return Err(SimulateError::NoInterface { body: spec.name.clone(), known });
        }
        PreparedModel::Reduced(rom) => {
            let body = match high_modes {
                Some(HighModes::Dynamic | HighModes::Damped) => {
                    Body::with_dynamic_modes(rom.clone(), rom.omega.len())?
                }
                _ => match modes {
                    Some(modes) => Body::with_static_modes(rom, modes)?,
                    None => Body::reduced(rom.clone())?,
                },
            };
            let body = match &spec.damping {
                Some(damping) => body.with_damping(&damping.damping())?,
                None => body,
            };
            if high_modes == Some(HighModes::Damped) { body.with_critical_damping()? } else { body }
        }
        PreparedModel::Rigid(geometry) => {
            let (mass, inertia, com) = rigid_mass(spec, geometry)?;
            Body::rigid(&spec.name, mass, inertia, com)?
        }
    };
    body.name.clone_from(&spec.name);
    let held = held(ready);
    if let Some(error) = grounded_moves(spec, held) {
        return Err(error);
    }
    Ok(if spec.fixed || !held.is_empty() { body.fixed() } else { body })
}

/// Mass \[kg\], inertia about the centre of mass \[kg m²\] and centre of mass \[m\] of a rigid body in source
/// axes: as given, or those of its geometry.
pub(crate) fn rigid_mass(
    spec: &BodySpec,
    geometry: &carom_fem::Body,
) -> Result<(f64, Matrix3<f64>, Vector3<f64>), SimulateError> {
    if let Some(given) = &spec.mass_properties {
        let ([xx, yy, zz], [xy, xz, yz]) = (given.inertia, given.products);
        let inertia = Matrix3::new(xx, xy, xz, xy, yy, yz, xz, yz, zz);
        return Ok((given.mass, inertia, Vector3::from(given.center)));
    }
    let discretisation = Discretisation::new(geometry)
        .map_err(|source| SimulateError::Discretisation { body: spec.name.clone(), source })?;
    let p = mass_properties(&discretisation);
    Ok((p.mass, Matrix3::from_fn(|i, j| p.inertia[i][j]), Vector3::from(p.center_of_mass)))
}

/// Sets that the model of a body holds to its frame, which is then held in space.
fn held(ready: &PreparedBody) -> &[String] {
    match &ready.model {
        PreparedModel::Reduced(rom) => &rom.held,
        PreparedModel::Rigid(_) | PreparedModel::Deformable(_) => &[],
    }
}

pub(crate) fn placement(spec: &BodySpec) -> Placement {
    Placement {
        origin: spec.position,
        velocity: spec.velocity,
        angular_velocity: spec.angular_velocity,
        ..Placement::rotated(spec.rotation.axis, spec.rotation.degrees)
    }
}

fn described(((spec, ready), body): ((&BodySpec, &PreparedBody), &Body)) -> ResultBody {
    let modes = match &ready.model {
        PreparedModel::Reduced(rom) => [rom.omega.len(), body.frame.n],
        PreparedModel::Rigid(_) | PreparedModel::Deformable(_) => [0, 0],
    };
    ResultBody {
        name: spec.name.clone(),
        rigid: spec.rigid,
        fixed: body.fixed,
        mass: body.frame.mass,
        frame_origin: body.frame_origin.into(),
        modes,
        rom_path: absolute(&ready.rom_path),
        rom_checksum: ready.rom_checksum.clone(),
        body_path: absolute(&ready.body_path),
        body_checksum: ready.body_checksum.clone(),
    }
}

/// All pairs in one condensed problem, as they share the compliance of their bodies.
fn contact_models(
    scenario: &Scenario,
    prepared: &Prepared,
    bodies: &[Body],
    number: &BTreeMap<&str, usize>,
) -> Result<Vec<Box<dyn ContactModel>>, SimulateError> {
    if scenario.contact.is_empty() {
        return Ok(Vec::new());
    }
    let specs = scenario
        .contact
        .iter()
        .map(|pair| contact_spec(pair, prepared, number))
        .collect::<Result<Vec<_>, _>>()?;
    Ok(vec![Box::new(QuasistaticContacts::new(bodies, &specs)?)])
}

fn contact_spec(
    pair: &PairSpec,
    prepared: &Prepared,
    number: &BTreeMap<&str, usize>,
) -> Result<ContactSpec, SimulateError> {
    let index = |end: &End| number[end.body.as_str()];
    let surface = |end: &End| surface(end, &prepared.bodies[index(end)]);
    Ok(ContactSpec {
        bodies: [index(&pair.between[0]), index(&pair.between[1])],
        surfaces: [surface(&pair.between[0])?, surface(&pair.between[1])?],
        law: pair.law,
        friction: pair.friction,
        modulus: None,
        radius: None,
        rim: match pair.rim {
            Rim::Error => RimPolicy::Error,
            Rim::Warning => RimPolicy::Warning,
        },
        max_depth: None,
    })
}

fn surface(end: &End, ready: &PreparedBody) -> Result<ContactSurface, SimulateError> {
    let PreparedModel::Rigid(geometry) = &ready.model else {
        return Ok(ContactSurface::Named(end.part.clone()));
    };
    let discretisation = Discretisation::new(geometry)
        .map_err(|source| SimulateError::Discretisation { body: end.body.clone(), source })?;
    let surface = geometry.surface_of_set(&discretisation, &end.part)?;
    let positions = surface.points.iter().map(|&i| Vector3::from(discretisation.points[i as usize]));
    let positions: Vec<_> = positions.collect();
    let whole = discretisation.surface(&geometry.boundary_faces());
    let sharp_edges = surface.sharp_edges(&whole, &discretisation.points);
    let shape = Shape::faces(surface, &positions)
        .map_err(|source| SimulateError::Face { set: end.to_string(), source })?;
    Ok(ContactSurface::Of { name: end.part.clone(), shape: shape.with_sharp_edges(&sharp_edges) })
}

fn loads(
    scenario: &Scenario,
    prepared: &Prepared,
    bodies: &[Body],
    number: &BTreeMap<&str, usize>,
) -> Result<Loads, SimulateError> {
    let point_loads = scenario
        .force
        .iter()
        .map(|force| point_load(force, scenario, prepared, bodies, number))
        .collect::<Result<Vec<_>, _>>()?;
    Ok(Loads { gravity: scenario.simulation.gravity, point_loads })
}

fn point_load(
    force: &ForceSpec,
    scenario: &Scenario,
    prepared: &Prepared,
    bodies: &[Body],
    number: &BTreeMap<&str, usize>,
) -> Result<PointLoad, SimulateError> {
    let index = number[force.on.body.as_str()];
    let (spec, body) = (&scenario.body[index], &bodies[index]);
    let marker = if force.on.part.is_empty() {
        Some(body.frame_marker(body.frame.com_b()))
    } else {
        marker(&force.on.part, spec, &prepared.bodies[index], body)?
    };
    let marker = marker.ok_or_else(|| SimulateError::NoMarker {
        body: spec.name.clone(),
        part: force.on.part.clone(),
        known: known_places(spec, &prepared.bodies[index]),
    })?;
    let axes = if force.axes == "body" { Axes::Body } else { Axes::Inertial };
    let scale = match &force.scale {
        Some(scale) => scale.function()?,
        None => TimeFunction::Constant(1.0),
    };
    Ok(PointLoad { body: index, marker, force: force.force, torque: force.torque, axes, scale })
}

/// A named marker, the marker of an attachment, or the mean of an interface set. A point of a reduced body
/// moves with the modes there; its marker is over all modes of the model.
pub(crate) fn marker(
    part: &str,
    spec: &BodySpec,
    ready: &PreparedBody,
    body: &Body,
) -> Result<Option<carom_dynamics::Marker>, SimulateError> {
    use carom_format::scenario::model::Spot;
    let set = match spec.marker.iter().find(|marker| marker.name == part).map(|marker| &marker.at) {
        Some(Spot::Point(point)) => {
            if let PreparedModel::Reduced(rom) = &ready.model {
                return material_point::marker(*point, part, ready, rom, body).map(Some);
            }
            return Ok(Some(body.frame_marker(Vector3::from(*point) - body.frame_origin)));
        }
        Some(Spot::Set(set)) => set.as_str(),
        None => part,
    };
    match &ready.model {
        PreparedModel::Reduced(rom) => {
            let surface = rom.surfaces.iter().find(|surface| surface.name == set);
            let of_surface = || surface.and_then(|surface| mean_marker(rom, &surface.surface.points));
            Ok(attached_marker(rom, set).or_else(of_surface))
        }
        PreparedModel::Rigid(geometry) | PreparedModel::Deformable(geometry) => {
            let discretisation = Discretisation::new(geometry)
                .map_err(|source| SimulateError::Discretisation { body: spec.name.clone(), source })?;
            let points = geometry.points_of_set(&discretisation, set)?;
            let sum: Vector3<f64> =
                points.iter().map(|&i| Vector3::from(discretisation.points[i as usize])).sum();
            let mean = sum / points.len().max(1) as f64;
            Ok((!points.is_empty()).then(|| body.frame_marker(mean - body.frame_origin)))
        }
    }
}

pub(crate) fn known_places(spec: &BodySpec, ready: &PreparedBody) -> String {
    let mut names: Vec<String> = spec.marker.iter().map(|marker| marker.name.clone()).collect();
    match &ready.model {
        PreparedModel::Reduced(rom) => {
            names.extend(rom.markers.iter().map(|marker| marker.name.clone()));
            names.extend(rom.surfaces.iter().map(|s| s.name.clone()));
        }
        PreparedModel::Rigid(geometry) | PreparedModel::Deformable(geometry) => {
            names.extend(geometry.set_names());
        }
    }
    if names.is_empty() { "none".to_owned() } else { names.join(", ") }
}
