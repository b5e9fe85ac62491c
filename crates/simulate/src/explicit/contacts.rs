//! The contacts of a scenario for explicit dynamics: pairs with a deformable body, automatic contact, and
//! pairs of rigid bodies.

use std::collections::BTreeSet;

use carom_contact::closed_form::contact_modulus;
use carom_contact::edge_to_edge::EdgesOf;
use carom_contact::{Edge, Law, Shape};
use carom_continuum::explicit::{AutomaticSpec, BodyKind, BodySpec, ContactSpec, RigidContactSpec, SideSpec};
use carom_fem::{Body, Discretisation};
use carom_format::scenario::model::{ContactSpec as SpecOfContact, End, Scenario};
use carom_mesh::FaceRef;
use carom_rigid::{Ball, CrowdSpec, MemberSpec};
use nalgebra::Vector3;

use super::ExplicitSetUpError;
use crate::error::{At, AtKey};
use crate::rigid::{RigidSetUpError, Role, pair as rigid_pair, shape_role, shape_surface, wrong_role};

/// Pairs of bodies that a remark names.
const MOST_NAMED: usize = 10;

/// The contacts of a problem.
#[derive(Default)]
pub(super) struct Contacts {
    pub(super) contacts: Vec<ContactSpec>,
    pub(super) automatic: Vec<AutomaticSpec>,
    pub(super) rigid_contacts: Vec<RigidContactSpec>,
    pub(super) rigid_crowds: Vec<(usize, CrowdSpec)>,
}

/// * `number` — of a body by its name
pub(super) fn contacts(
    scenario: &Scenario,
    bodies: &[BodySpec],
    number: impl Fn(&str) -> usize,
) -> Result<Contacts, At<ExplicitSetUpError>> {
    let mut made = Contacts::default();
    for (i, contact) in scenario.contact.iter().enumerate() {
        let ends = (!contact.is_automatic()).then(|| contact.between.each_ref().map(|end| number(&end.body)));
        let added = match ends {
            None => made.add_automatic(i, contact, bodies, joined(scenario, &number)),
            Some(ends) if ends.iter().all(|&end| scenario.body[end].rigid) => {
                made.add_rigid(i, scenario, bodies, contact, ends)
            }
            Some(ends) => made.add(i, scenario, bodies, contact, ends),
        };
        added.map_err(|error| error.at(format!("contact.{i}.between")))?;
    }
    Ok(made)
}

impl Contacts {
    /// A pair with a deformable body.
    fn add(
        &mut self,
        number: usize,
        scenario: &Scenario,
        bodies: &[BodySpec],
        contact: &SpecOfContact,
        ends: [usize; 2],
    ) -> Result<(), ExplicitSetUpError> {
        if contact.restitution.is_some() {
            return Err(ExplicitSetUpError::Restitution { pair: names(contact) });
        }
        let side = |k: usize| side(scenario, ends[k], &contact.between[k]);
        let law = contact.law.with_modulus(modulus(ends.map(|end| &bodies[end])));
        self.contacts.push(ContactSpec {
            number,
            bodies: ends,
            sides: [side(0)?, side(1)?],
            law,
            friction: contact.friction,
        });
        Ok(())
    }

    /// Two rigid bodies. If both have points and flat faces, the points of each touch the other.
    fn add_rigid(
        &mut self,
        number: usize,
        scenario: &Scenario,
        bodies: &[BodySpec],
        contact: &SpecOfContact,
        ends: [usize; 2],
    ) -> Result<(), ExplicitSetUpError> {
        if contact.law != Law::Hard {
            return Err(ExplicitSetUpError::RigidPenalty { pair: names(contact) });
        }
        let geometries: Vec<&Body> = bodies.iter().map(|body| &*body.geometry).collect();
        let [a, b] = contact.between.clone();
        let turned = SpecOfContact { between: [b, a], ..contact.clone() };
        let one_way = |contact: &SpecOfContact, ends, earlier: &[&SpecOfContact]| {
            rigid_pair(scenario, &geometries, contact, ends, earlier)
        };
        let forward = one_way(contact, ends, &[]);
        let back = one_way(&turned, [ends[1], ends[0]], &[contact]);
        let pairs = match (forward, back) {
            (Ok(mut forward), Ok(back)) => {
                // Blocks have their own edges.
                for (side, edges) in forward.edges.iter_mut().enumerate() {
                    let (body, end) = (ends[side], &contact.between[side]);
                    let is_set = scenario.body[body].shape.iter().all(|shape| shape.name != end.part);
                    if is_set {
                        *edges = edges_of(geometries[body], Some(&end.part));
                    }
                }
                let is_dual = [&forward, &back].iter().all(|pair| {
                    matches!(pair.shape, Shape::Block(_) | Shape::Faces(_))
                        && pair.points.iter().all(|ball| ball.radius == 0.0)
                });
                if is_dual { vec![forward, back] } else { vec![forward] }
            }
            (Ok(only), Err(_)) | (Err(_), Ok(only)) => vec![only],
            (Err(error), Err(_)) => return Err(error.into()),
        };
        self.rigid_contacts.push(RigidContactSpec { number, bodies: ends, pairs });
        Ok(())
    }

    /// The outer surfaces of all bodies; two rigid bodies touch by multipliers, each with its nodes on the
    /// faces of the other.
    ///
    /// * `apart` — bodies that do not touch each other
    fn add_automatic(
        &mut self,
        number: usize,
        contact: &SpecOfContact,
        bodies: &[BodySpec],
        apart: Vec<[usize; 2]>,
    ) -> Result<(), ExplicitSetUpError> {
        let deformable = bodies.iter().filter(|body| matches!(body.kind, BodyKind::Deformable { .. }));
        // The stiffest of all pairs: a penalty of materials is that of the hardest one.
        let young = |body: &&BodySpec| body.geometry.materials.first().map_or(0.0, |material| material.young);
        let hardest = deformable.max_by(|a, b| young(a).total_cmp(&young(b)));
        let law = hardest.map_or(contact.law, |body| contact.law.with_modulus(modulus([body, body])));
        self.automatic.push(AutomaticSpec { number, law, friction: contact.friction });
        let mut members = Vec::new();
        for (k, body) in bodies.iter().enumerate().filter(|(_, body)| matches!(body.kind, BodyKind::Rigid(_)))
        {
            let (points, edges, shape) = whole(&body.geometry)?;
            members.push(MemberSpec { body: k, points, edges, shape });
        }
        if members.len() > 1 {
            let (restitution, friction) = (contact.restitution.unwrap_or(1.0), contact.friction);
            self.rigid_crowds.push((number, CrowdSpec { members, restitution, friction, apart }));
        }
        Ok(())
    }
}

/// The bodies that do not touch each other in a contact of all bodies, as a joint connects them directly.
fn joined(scenario: &Scenario, number: impl Fn(&str) -> usize) -> Vec<[usize; 2]> {
    let joints = scenario.joints().map(|(_, joint)| joint).filter(|joint| joint.excludes_contact());
    let ends = joints.map(|joint| joint.between.each_ref().map(|end| end.body.as_str()));
    let between_bodies = ends.filter(|ends| !ends.contains(&"ground"));
    between_bodies.map(|ends| ends.map(&number)).collect()
}

/// A sentence about the bodies that a contact of all bodies leaves out; none if there are none.
pub(crate) fn left_out(scenario: &Scenario) -> Option<String> {
    if !scenario.contact.iter().any(SpecOfContact::is_automatic) {
        return None;
    }
    let number = |name: &str| scenario.body.iter().position(|spec| spec.name == name).unwrap_or_default();
    let mut pairs: Vec<[usize; 2]> = Vec::new();
    for [a, b] in joined(scenario, number) {
        let pair = [a.min(b), a.max(b)];
        if !pairs.contains(&pair) {
            pairs.push(pair);
        }
    }
    let named = |&[a, b]: &[usize; 2]| format!("`{}` and `{}`", scenario.body[a].name, scenario.body[b].name);
    let list: Vec<String> = pairs.iter().take(MOST_NAMED).map(named).collect();
    let others = match pairs.len() - list.len() {
        0 => String::new(),
        n => format!(", and {n} further pairs"),
    };
    (!pairs.is_empty()).then(|| {
        format!(
            "`between = [\"*\"]` leaves out contact of bodies that a joint connects: {}{others}",
            list.join(", ")
        )
    })
}

fn names(contact: &SpecOfContact) -> String {
    format!("{}, {}", contact.between[0], contact.between[1])
}

/// One side of a pair with a deformable body: a shape of a rigid body, or a set.
fn side(scenario: &Scenario, body: usize, end: &End) -> Result<SideSpec, ExplicitSetUpError> {
    let Some(shape) = scenario.body[body].shape.iter().find(|shape| shape.name == end.part) else {
        return Ok(SideSpec::Set(end.part.clone()));
    };
    if let Some(error) = shape_role(end, shape, Role::Surface) {
        return Err(RigidSetUpError::from(error).into());
    }
    let surface =
        shape_surface(shape).ok_or_else(|| RigidSetUpError::from(wrong_role(end, Role::Surface)))?;
    Ok(SideSpec::Shape(surface))
}

/// The sharp edges of a rigid body at the faces of a set, or at all faces; none if its surface is not known.
fn edges_of(body: &Body, set: Option<&str>) -> Vec<Edge> {
    let Ok(discretisation) = Discretisation::new(body) else { return Vec::new() };
    let faces = body.boundary_faces();
    let surface = discretisation.surface(&faces);
    let places: Vec<Vector3<f64>> =
        surface.points.iter().map(|&k| Vector3::from(discretisation.points[k as usize])).collect();
    let wanted: Option<BTreeSet<FaceRef>> =
        set.map(|set| body.faces_of_set(set).unwrap_or_default().into_iter().collect());
    let of = EdgesOf { surface: &surface, reference: &places, halves: &[], rims: &[], body: 0 };
    of.find_straight(|face| wanted.as_ref().is_none_or(|wanted| wanted.contains(&faces[face])))
}

/// The nodes, edges and faces of the whole surface of a body.
fn whole(body: &Body) -> Result<(Vec<Ball>, Vec<Edge>, Shape), ExplicitSetUpError> {
    let discretisation = Discretisation::new(body).map_err(|source| {
        carom_continuum::explicit::SetupError::Discretisation { body: body.name.clone(), source }
    })?;
    let surface = discretisation.surface(&body.boundary_faces());
    let places: Vec<Vector3<f64>> =
        surface.points.iter().map(|&k| Vector3::from(discretisation.points[k as usize])).collect();
    let edges = edges_of(body, None);
    let points = crate::rigid::surface_points(body, &surface, &places);
    let shape = Shape::faces(surface, &places)
        .map_err(|source| carom_continuum::explicit::SetupError::Surface { pair: "*".to_owned(), source })?;
    Ok((points, edges, shape))
}

/// E* of the materials of a pair; a rigid body has an infinite modulus \[Pa\].
fn modulus(pair: [&BodySpec; 2]) -> f64 {
    let constants = pair.map(|body| match (&body.kind, body.geometry.materials.first()) {
        (BodyKind::Deformable { .. } | BodyKind::Reduced(_), Some(material)) => {
            (material.young, material.poisson)
        }
        _ => (f64::INFINITY, 0.0),
    });
    contact_modulus(constants.map(|(young, _)| young), constants.map(|(_, poisson)| poisson))
}
