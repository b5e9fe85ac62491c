//! Planes and spheres: surfaces of rigid bodies without faces.

use nalgebra::{Unit, Vector3};

use super::jet::Jet;
use super::{FootPoint, Site};

/// The boundary of a half-space.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Plane {
    /// Any point of the plane \[m\].
    pub origin: Vector3<f64>,
    /// Normal out of the half-space.
    pub normal: Unit<Vector3<f64>>,
}

/// The surface of a ball.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sphere {
    /// Centre \[m\].
    pub center: Vector3<f64>,
    /// Radius \[m\], positive.
    pub radius: f64,
}

impl Plane {
    /// The plane through a point with a normal of any length; `None` if the normal is zero.
    pub fn new(origin: Vector3<f64>, normal: Vector3<f64>) -> Option<Self> {
        Some(Self { origin, normal: Unit::try_new(normal, 0.0)? })
    }

    /// Gap of a point, negative behind the plane \[m\].
    #[inline]
    pub fn distance(&self, x: &Vector3<f64>) -> f64 {
        (x - self.origin).dot(&self.normal)
    }

    /// Closest point to `x`; ξ are distances along two fixed directions.
    pub fn closest(&self, x: &Vector3<f64>) -> FootPoint {
        let n = self.normal.into_inner();
        let d = x - self.origin;
        let gap = d.dot(&n);
        let t = across(&n);
        let jet = Jet { y: x - n * gap, d: t, dd: [Vector3::zeros(); 3] };
        FootPoint::new(0, [d.dot(&t[0]), d.dot(&t[1])], Site::Interior, false, gap, n, &jet)
    }
}

/// Side of a sphere that is in contact.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// The outside: a ball.
    Outside,
    /// The inside: a cavity.
    Inside,
}

impl Side {
    /// +1 outside, −1 inside.
    #[inline]
    fn sign(self) -> f64 {
        match self {
            Self::Outside => 1.0,
            Self::Inside => -1.0,
        }
    }
}

impl Sphere {
    /// Gap of a point and the normal into the free side \[m\].
    #[inline]
    pub fn distance(&self, side: Side, x: &Vector3<f64>) -> (f64, Vector3<f64>) {
        let d = x - self.center;
        let (length, sign) = (d.norm(), side.sign());
        let normal = if length > 0.0 { d * (sign / length) } else { Vector3::z() };
        (sign * (length - self.radius), normal)
    }

    /// Closest point of the outside to `x`; ξ are lengths along two tangent directions of the sphere. At the
    /// centre, where all points of the sphere are equally near, it is the point in direction z.
    pub fn closest(&self, x: &Vector3<f64>) -> FootPoint {
        self.closest_on(Side::Outside, x)
    }

    /// Closest point of the given side to `x`.
    pub fn closest_on(&self, side: Side, x: &Vector3<f64>) -> FootPoint {
        let d = x - self.center;
        let outward = d.try_normalize(1e-14 * self.radius).unwrap_or_else(Vector3::z);
        let n = outward * side.sign();
        let bend = outward * (-1.0 / self.radius);
        let y = self.center + outward * self.radius;
        let jet = Jet { y, d: across(&n), dd: [bend, Vector3::zeros(), bend] };
        let gap = side.sign() * (d.norm() - self.radius);
        FootPoint::new(0, [0.0; 2], Site::Interior, false, gap, n, &jet)
    }
}

/// Two unit vectors t₁, t₂ across a unit vector n, with t₁ × t₂ = n.
pub fn across(n: &Vector3<f64>) -> [Vector3<f64>; 2] {
    let mut axis = Vector3::zeros();
    axis[n.iamin()] = 1.0;
    let t = n.cross(&axis).normalize();
    [t, n.cross(&t)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn planes_and_spheres_satisfy_the_definition_of_a_foot_point() {
        let plane = Plane {
            origin: Vector3::new(1.0, 2.0, 3.0),
            normal: Unit::new_normalize(Vector3::new(1., 2., -2.)),
        };
        let sphere = Sphere { center: Vector3::new(0.3, -0.2, 0.1), radius: 0.7 };
        for x in [Vector3::new(0.4, 0.9, -0.3), Vector3::new(0.2, -0.1, 0.3)] {
            for foot in [plane.closest(&x), sphere.closest(&x)] {
                assert!((x - foot.position - foot.normal * foot.gap).norm() < 1e-15);
                assert!((foot.tangents[0].cross(&foot.tangents[1]) - foot.normal).norm() < 1e-15);
            }
            let k = sphere.closest(&x).principal_curvatures().unwrap();
            assert!((k[0] + 1.0 / 0.7).abs() < 1e-14 && (k[1] + 1.0 / 0.7).abs() < 1e-7);
            assert_eq!(plane.closest(&x).principal_curvatures(), Some([0.0, 0.0]));
        }
    }
}
