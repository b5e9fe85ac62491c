//! Two spheres, or a sphere and a plane, with Hertz' law prescribed, docs/theory/closed-forms.md, eq. (88).
//!
//! The reference that resolved contact is measured against, and the cheapest contact there is. The potential
//! is V = 8/15 E* √R_e d^(5/2), d the approach; no modes take part.

use crate::contact::{BodyForces, ContactFailure, ContactModel, ContactSums, HertzNumbers, Motion, Reaction};
use nalgebra::Vector3;

/// Shape of one side.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum HertzShape {
    /// A sphere: centre in the body frame and radius \[m\].
    Sphere {
        /// Centre in the body frame \[m\].
        center_b: Vector3<f64>,
        /// Radius \[m\].
        radius: f64,
    },
    /// A plane: a point of it and its outward unit normal, body frame.
    Plane {
        /// A point of it \[m\].
        point_b: Vector3<f64>,
        /// Unit normal out of the body.
        normal_b: Vector3<f64>,
    },
}

/// A sphere (first body) against a sphere or plane (second body).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HertzContact {
    /// Indices of the bodies.
    pub bodies: [usize; 2],
    /// Centre of the first sphere in its body frame \[m\].
    pub center_b: Vector3<f64>,
    /// Its radius \[m\].
    pub radius: f64,
    /// The other side.
    pub other: HertzShape,
    /// E* \[Pa\].
    pub modulus: f64,
}

impl ContactModel for HertzContact {
    fn pairs(&self) -> usize {
        1
    }

    fn bodies(&self, _pair: usize) -> [usize; 2] {
        self.bodies
    }

    fn reach(&self, _pair: usize) -> [f64; 2] {
        let other = match self.other {
            HertzShape::Sphere { center_b, radius } => center_b.norm() + radius,
            // A plane has no farthest point; the first body's reach bounds where they can touch.
            HertzShape::Plane { point_b, .. } => point_b.norm() + self.radius,
        };
        [self.center_b.norm() + self.radius, other]
    }

    fn hertz(&self, _pair: usize) -> HertzNumbers {
        let radius = match self.other {
            HertzShape::Sphere { radius, .. } => self.radius * radius / (self.radius + radius),
            HertzShape::Plane { .. } => self.radius,
        };
        HertzNumbers { modulus: self.modulus, radius, foundation: None }
    }

    fn evaluate(
        &mut self,
        motion: &Motion<'_>,
        forces: &mut [BodyForces],
        reactions: &mut [Reaction],
    ) -> Result<ContactSums, ContactFailure> {
        let [one, two] = self.bodies;
        let center = motion.pose(one).point(&self.center_b);
        let other = motion.pose(two);
        let (normal, gap) = match self.other {
            HertzShape::Sphere { center_b, radius } => {
                let d = center - other.point(&center_b);
                (d.try_normalize(0.0).unwrap_or_else(Vector3::z), d.norm() - self.radius - radius)
            }
            HertzShape::Plane { point_b, normal_b } => {
                let normal = other.rotation * normal_b;
                (normal, (center - other.point(&point_b)).dot(&normal) - self.radius)
            }
        };
        let point = center - (self.radius + 0.5 * gap) * normal;
        let mut reaction = Reaction { free_gap: gap, point, ..Reaction::NONE };
        let [first, second] = [one, two].map(|body| velocity(motion, body, &point));
        reaction.gap_rate = Some((first - second).dot(&normal));
        let mut sums = ContactSums::default();
        if gap < 0.0 {
            let HertzNumbers { modulus, radius, .. } = self.hertz(0);
            reaction.normal_force = 4.0 / 3.0 * modulus * radius.sqrt() * (-gap).powf(1.5);
            reaction.force = reaction.normal_force * normal;
            // The potential counts as elastic energy: Hertz' law stands for the deformation of both bodies.
            sums.elastic_energy = 0.4 * reaction.normal_force * -gap;
            forces[one].add_force(&point, &reaction.force);
            forces[two].add_force(&point, &-reaction.force);
        }
        reactions[0] = reaction;
        Ok(sums)
    }
}

/// Velocity of the rigid motion of a body at a spatial point.
pub(crate) fn velocity(motion: &Motion<'_>, body: usize, point: &Vector3<f64>) -> Vector3<f64> {
    let (pose, velocities) = (motion.pose(body), motion.velocities(body));
    pose.rotation * velocities.v + (pose.rotation * velocities.omega).cross(&(point - pose.position))
}
