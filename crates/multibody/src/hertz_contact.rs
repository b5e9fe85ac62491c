//! Two spheres, or a sphere and a plane, with Hertz' law prescribed, THEORY (4.10).
//!
//! The reference that resolved contact is measured against, and the cheapest contact there is. The potential is
//! V = 8/15 E* √R_e d^(5/2), d the approach; no modes take part.

use crate::contact::{BodyMotion, ContactFailure, ContactPair, HertzNumbers, Reaction};
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

impl ContactPair for HertzContact {
    fn bodies(&self) -> [usize; 2] {
        self.bodies
    }

    fn reach(&self) -> [f64; 2] {
        let other = match self.other {
            HertzShape::Sphere { center_b, radius } => center_b.norm() + radius,
            // A plane has no farthest point; the first body's reach bounds where they can touch.
            HertzShape::Plane { point_b, .. } => point_b.norm() + self.radius,
        };
        [self.center_b.norm() + self.radius, other]
    }

    fn hertz(&self) -> HertzNumbers {
        let radius = match self.other {
            HertzShape::Sphere { radius, .. } => self.radius * radius / (self.radius + radius),
            HertzShape::Plane { .. } => self.radius,
        };
        HertzNumbers { modulus: self.modulus, radius }
    }

    fn evaluate(
        &mut self,
        motion: [BodyMotion<'_>; 2],
        reaction: &mut Reaction,
    ) -> Result<(), ContactFailure> {
        reaction.clear();
        let center = motion[0].pose.point(&self.center_b);
        let (normal, gap) = match self.other {
            HertzShape::Sphere { center_b, radius } => {
                let d = center - motion[1].pose.point(&center_b);
                (d.normalize(), d.norm() - self.radius - radius)
            }
            HertzShape::Plane { point_b, normal_b } => {
                let normal = motion[1].pose.rotation * normal_b;
                (normal, (center - motion[1].pose.point(&point_b)).dot(&normal) - self.radius)
            }
        };
        reaction.free_gap = gap;
        reaction.normal = normal;
        reaction.point = center - (self.radius + 0.5 * gap) * normal;
        if gap < 0.0 {
            let HertzNumbers { modulus, radius } = self.hertz();
            let force = 4.0 / 3.0 * modulus * radius.sqrt() * (-gap).powf(1.5);
            reaction.normal_force = force;
            // The potential counts as elastic energy: Hertz' law stands for the deformation of both bodies.
            reaction.elastic_energy = 0.4 * force * -gap;
            let point = reaction.point;
            reaction.add_force(&point, &(force * normal));
        }
        Ok(())
    }
}
