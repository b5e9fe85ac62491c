//! The contacts of a scenario for explicit dynamics: pairs with a deformable body, automatic contact, and
//! pairs of rigid bodies.

use carom_contact::closed_form::contact_modulus;
use carom_contact::{Law, Shape};
use carom_continuum::explicit::{AutomaticSpec, BodyKind, BodySpec, ContactSpec, RigidContactSpec, SideSpec};
use carom_fem::Body;
use carom_format::scenario::model::{ContactSpec as SpecOfContact, End, Scenario};
use carom_rigid::CrowdSpec;

use super::ExplicitSetUpError;
use crate::error::{At, AtKey};
use crate::rigid::{
    RigidSetUpError, Role, edges_of, joined, pair as rigid_pair, shape_role, shape_surface, whole, wrong_role,
};

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
            members.push(whole(k, &body.geometry, Law::Hard)?);
        }
        if members.len() > 1 {
            let (restitution, friction) = (contact.restitution.unwrap_or(1.0), contact.friction);
            let crowd = CrowdSpec { members, law: Law::Hard, restitution, friction, apart };
            self.rigid_crowds.push((number, crowd));
        }
        Ok(())
    }
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
