//! A solid chosen by name and sizes, and the number of elements along its natural directions.

use super::capsule::wanted_spans;
use super::{SolidError, ball, block, capsule, ellipsoid, octant, plate, rod, shell, torus, tube};
use crate::Multipatch;

/// A solid and its sizes \[m\]; regions are those of the maker of the same name.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Solid {
    /// [`ball`]. Elements along: an edge of the inner cube, the radius outside of it.
    Ball {
        /// R.
        radius: f64,
    },
    /// [`octant`]. Elements along: a quarter of a great circle, the radius.
    Octant {
        /// R.
        radius: f64,
    },
    /// [`ellipsoid`]. Elements along: an edge of the inner cube, the radius outside of it.
    Ellipsoid {
        /// Half lengths along x, y, z.
        semi_axes: [f64; 3],
    },
    /// [`shell`]. Elements along: a quarter of a great circle, the wall.
    Shell {
        /// Outer radius.
        radius: f64,
        /// Inner radius.
        inner_radius: f64,
    },
    /// [`rod`]. Elements along: the axis, a quarter of the circumference, the radius outside of the inner
    /// square.
    Rod {
        /// R.
        radius: f64,
        /// L.
        length: f64,
    },
    /// [`capsule`]. Elements along: the cylinder's axis, a quarter of the circumference (half of them along x
    /// in each half of the inner cube), the radius outside of the inner square.
    Capsule {
        /// R.
        radius: f64,
        /// L from tip to tip.
        length: f64,
    },
    /// [`tube`]. Elements along: the axis, a quarter of the circumference, the wall.
    Tube {
        /// Outer radius.
        radius: f64,
        /// Inner radius.
        inner_radius: f64,
        /// L.
        length: f64,
    },
    /// [`block`]. Elements along: x, y, z.
    Box {
        /// A, B, C.
        size: [f64; 3],
    },
    /// [`plate`]. Elements along: x, y, z.
    Plate {
        /// A, B and the thickness C.
        size: [f64; 3],
    },
    /// [`torus`]. Elements along: a quarter of the ring, a quarter of the section's circumference, the
    /// section's radius outside of the inner square.
    Torus {
        /// Radius of the ring's centre line.
        radius: f64,
        /// Radius of its section.
        tube_radius: f64,
    },
}

impl Solid {
    /// Its name in messages.
    pub fn name(self) -> &'static str {
        match self {
            Self::Ball { .. } => "ball",
            Self::Octant { .. } => "octant",
            Self::Ellipsoid { .. } => "ellipsoid",
            Self::Shell { .. } => "shell",
            Self::Rod { .. } => "rod",
            Self::Capsule { .. } => "capsule",
            Self::Tube { .. } => "tube",
            Self::Box { .. } => "box",
            Self::Plate { .. } => "plate",
            Self::Torus { .. } => "torus",
        }
    }

    /// Makes the solid in the lowest degree that is exact.
    ///
    /// * `pole_radius` — of the regions called pole, where the solid has any; `None` for a tenth of the
    ///   radius
    ///
    /// # Errors
    ///
    /// [`SolidError::Size`] for invalid sizes.
    pub fn make(self, pole_radius: Option<f64>) -> Result<Multipatch, SolidError> {
        match self {
            Self::Ball { radius } => ball(radius, pole_radius),
            Self::Octant { radius } => octant(radius, pole_radius),
            Self::Ellipsoid { semi_axes } => ellipsoid(semi_axes, pole_radius),
            Self::Shell { radius, inner_radius } => shell(radius, inner_radius, pole_radius),
            Self::Rod { radius, length } => rod(radius, length, pole_radius),
            Self::Capsule { radius, length } => capsule(radius, length, pole_radius),
            Self::Tube { radius, inner_radius, length } => tube(radius, inner_radius, length),
            Self::Box { size } => block(size),
            Self::Plate { size } => plate(size, pole_radius),
            Self::Torus { radius, tube_radius } => torus(radius, tube_radius),
        }
    }

    /// The directions in which elements are counted, in words.
    fn directions(self) -> (usize, &'static str) {
        match self {
            Self::Octant { .. } => (2, "a quarter of a great circle, the radius"),
            Self::Ball { .. } | Self::Ellipsoid { .. } => {
                (2, "an edge of the inner cube, the radius outside of it")
            }
            Self::Shell { .. } => (2, "a quarter of a great circle, the wall"),
            Self::Rod { .. } | Self::Capsule { .. } => {
                (3, "the axis, a quarter of the circumference, the radius outside of the inner square")
            }
            Self::Tube { .. } => (3, "the axis, a quarter of the circumference, the wall"),
            Self::Box { .. } | Self::Plate { .. } => (3, "x, y, z"),
            Self::Torus { .. } => {
                (3, "a quarter of the ring, a quarter of the section's circumference, its radius")
            }
        }
    }

    /// Divides a body that [`Solid::make`] made: at least n elements in each of the solid's directions.
    ///
    /// * `n` — one number for each direction in the order of the solid, or one for all
    ///
    /// # Errors
    ///
    /// [`SolidError::Elements`] if the numbers do not fit the solid.
    pub fn with_elements(self, body: &Multipatch, n: &[usize]) -> Result<Multipatch, SolidError> {
        let (needed, directions) = self.directions();
        let fits = (n.len() == 1 || n.len() == needed) && n.iter().all(|&count| count > 0);
        if !fits {
            let (solid, given) = (self.name(), n.to_vec());
            return Err(SolidError::Elements { solid, given, needed, directions });
        }
        let n: Vec<usize> = (0..needed).map(|i| n[i % n.len()]).collect();
        let wish = |patch: usize, direction: usize| match (self, direction) {
            (Self::Box { .. } | Self::Plate { .. }, d) => n[d],
            (Self::Capsule { .. }, d) => wanted_spans(patch, d, &n),
            (Self::Ball { .. } | Self::Ellipsoid { .. }, 2) if patch > 0 => n[1],
            (Self::Shell { .. } | Self::Octant { .. }, 2) => n[1],
            (Self::Ball { .. } | Self::Ellipsoid { .. } | Self::Shell { .. } | Self::Octant { .. }, _)
            | (_, 2) => n[0],
            (Self::Rod { .. } | Self::Torus { .. }, 1) if patch.is_multiple_of(5) => n[1],
            (_, 0) => n[1],
            _ => n[2],
        };
        Ok(body.elements_by(wish)?)
    }
}
