//! Two bodies pressed together: the plane of their contact, a grid, gaps of the exact surfaces, forces.
//!
//! Each body is rigid, an elastic half-space (a rigid body of an elastic material), or known by its response
//! to loads at places. Forces follow from
//!
//! ```text
//! 0 ≤ f ⟂ g₀ + (C₁ + C₂ + d) f ≥ 0
//! ```
//!
//! docs/theory/half-space.md, eq. (104),
//! with the gaps g₀ of the undeformed surfaces, averaged over the cells, and the compliance d of the law.

use faer::Mat;
use nalgebra::{Matrix3, Vector3};
use thiserror::Error;

use super::overlap::{MOST_SLENDER, Overlap, overlap};
use super::shear::ShearError;
use super::weights::{Fallback, Order};
use super::{ComplianceError, Directions, GridCompliance, HalfSpace, PlacedBody, PressureGrid};
use crate::patch::PatchPlane;
use crate::solver::{ActiveSet, LcpError};
use crate::{Law, Shape};

/// Gap of a loaded cell, in the depth of the overlap, that shows that the grid is too small.
const RIM: f64 = 0.25;

/// The elasticity below a surface.
#[derive(Debug, Clone, Copy)]
pub enum Below<'a> {
    /// None.
    Rigid,
    /// A half-space alone: a rigid body whose material gives way at the contact.
    HalfSpace(HalfSpace),
    /// A body known from places of its surface.
    Placed(&'a PlacedBody),
}

/// The elasticity under a surface, as [`Below`] with data of its own.
#[derive(Debug)]
pub enum Under {
    /// None.
    Rigid,
    /// A half-space alone.
    HalfSpace(HalfSpace),
    /// A body known from places of its surface.
    Places(Box<PlacedBody>),
}

impl Under {
    /// The half-space at the contact; none of a rigid body.
    pub fn half_space(&self) -> Option<HalfSpace> {
        match self {
            Self::Rigid => None,
            Self::HalfSpace(half_space) => Some(*half_space),
            Self::Places(placed) => Some(placed.half_space),
        }
    }

    /// A reference to it.
    pub fn below(&self) -> Below<'_> {
        match self {
            Self::Rigid => Below::Rigid,
            Self::HalfSpace(half_space) => Below::HalfSpace(*half_space),
            Self::Places(placed) => Below::Placed(placed),
        }
    }
}

/// A body in the frame of the contact.
#[derive(Debug, Clone, Copy)]
pub struct Pressed<'a> {
    /// Its surface, in the axes of the body. Of several planes the first one counts.
    pub shape: &'a Shape,
    /// The elastic response under the surface.
    pub below: Below<'a>,
    /// Rotation from the axes of the body to those of the contact.
    pub rotation: Matrix3<f64>,
    /// Origin of the body's axes in the frame of the contact \[m\].
    pub origin: Vector3<f64>,
}

/// Limits of the theory that a body's compliance has met; none for a half-space.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Doubts {
    /// Cells with linear weights, and why; see [`GridCompliance::linear`](super::GridCompliance::linear).
    pub linear: Option<(usize, Fallback)>,
    /// Above ½ the contact is too near to an edge of the body for its loads; see
    /// [`GridCompliance::cut_share`](super::GridCompliance::cut_share).
    pub cut_share: f64,
}

/// The compliance of two bodies on a grid.
#[derive(Debug, Clone)]
pub struct PairCompliance {
    /// C₁ + C₂ of gaps, and with tangents of slips \[m/N\].
    pub matrix: Mat<f64>,
    /// Limits that the compliances of both bodies have met.
    pub doubts: [Doubts; 2],
    /// Places and weights of each body that has them.
    pub bodies: [Option<GridCompliance>; 2],
}

/// The compliance of one body on a grid.
#[derive(Debug, Clone)]
pub struct BodyCompliance {
    /// C of the body \[m/N\].
    pub matrix: Mat<f64>,
    /// Limits that it has met.
    pub doubts: Doubts,
    /// Its places and weights; none for a half-space.
    pub placed: Option<GridCompliance>,
}

/// The forces of a contact.
#[derive(Debug, Clone)]
pub struct PressedContact {
    /// Where the bodies overlap.
    pub overlap: Overlap,
    /// The cells.
    pub grid: PressureGrid,
    /// Force on each cell, in compression \[N\].
    pub forces: Vec<f64>,
    /// Their sum \[N\].
    pub force: f64,
    /// Centre of the force in the frame of the contact \[m\].
    pub center: Vector3<f64>,
    /// Largest pressure \[Pa\].
    pub peak_pressure: f64,
    /// Area of the loaded cells \[m²\].
    pub area: f64,
    /// Limits that the compliances of both bodies have met.
    pub doubts: [Doubts; 2],
}

/// Errors of a contact.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum PairError {
    /// The surfaces are not two that look at each other.
    #[error(
        "no pair of surfaces faces each other at ({:.4e}, {:.4e}, {:.4e}) m: start nearer to the contact, \
         with its normal out of the first body",
        .place[0], .place[1], .place[2]
    )]
    NotFacing {
        /// The place \[m\].
        place: [f64; 3],
    },
    /// The gap does not grow in all directions.
    #[error(
        "the surfaces are flat or conforming along a direction (relative curvatures {:.3e} and {:.3e} 1/m, \
         of which the larger may be {MOST_SLENDER} times the smaller): the contact is a line or an area, \
         whose approach depends on the whole bodies and whose pressure peaks at its ends; crown one of the \
         surfaces, or use `compliance = \"body\"` with meshes that resolve the contact",
        .curvatures[0], .curvatures[1]
    )]
    Flat {
        /// Principal relative curvatures \[1/m\].
        curvatures: [f64; 2],
    },
    /// The contact is too large or too slender for its cells.
    #[error(
        "the contact needs {found} cells, at most {most} are possible: it is much larger than the contact \
         for which its cells were chosen; let the bodies' meshes resolve it with `compliance = \"body\"`"
    )]
    Cells {
        /// Cells needed.
        found: usize,
        /// Cells that are possible.
        most: usize,
    },
    /// The middle of a grid is not on the first surface.
    #[error(
        "the surface has no smooth place near ({:.4e}, {:.4e}, {:.4e}) m in axes of its body, where the \
         middle of a grid would be: the contact lies at an edge or in a crease; name a larger surface, or \
         use `compliance = \"body\"` with a mesh that resolves the contact",
        .place[0], .place[1], .place[2]
    )]
    OffSurface {
        /// The place \[m\].
        place: [f64; 3],
    },
    /// Pressure at the rim of the grid.
    #[error(
        "a cell with a gap of {gap:.3e} m is loaded at an overlap of {depth:.3e} m: the contact is larger \
         than its grid, because a body bends under it; let the bodies' meshes resolve it"
    )]
    Rim {
        /// Gap of the undeformed surfaces at the cell \[m\].
        gap: f64,
        /// Depth of the overlap \[m\].
        depth: f64,
    },
    /// Both bodies are rigid and the law is hard.
    #[error("two rigid bodies in hard contact have no compliance: give one of them an elastic material")]
    Rigid,
    /// The law is not one of pressure cells.
    #[error("the contact law {law:?} is not one of pressure cells with a known, positive stiffness")]
    Law {
        /// The law.
        law: Law,
    },
    /// A body has no compliance on the grid.
    #[error(transparent)]
    Compliance(#[from] ComplianceError),
    /// The complementarity problem has no solution.
    #[error(transparent)]
    Solver(#[from] LcpError),
    /// Tangential forces were not found.
    #[error(transparent)]
    Friction(#[from] ShearError),
}

impl Below<'_> {
    /// True if forces on a point cell can act on the body: always without places, otherwise where places with
    /// the normal of the cell lie around it.
    ///
    /// * `plane` — of the cell, in the axes of the body, the normal outward
    pub(super) fn can_bear(&self, plane: &PatchPlane) -> bool {
        match self {
            Below::Rigid | Below::HalfSpace(_) => true,
            Below::Placed(placed) => placed.weights_on(&[*plane], [0.0; 2], Order::Linear).is_ok(),
        }
    }

    /// The compliance of the body on cells in planes of their own; `None` if it is rigid.
    ///
    /// * `planes` — in the axes of the body, the normal outward
    ///
    /// # Errors
    ///
    /// [`ComplianceError`].
    pub fn compliance(
        &self,
        grid: &PressureGrid,
        planes: &[PatchPlane],
        directions: Directions,
    ) -> Result<Option<BodyCompliance>, ComplianceError> {
        match self {
            Below::Rigid => Ok(None),
            Below::HalfSpace(half_space) => {
                let matrix = match directions {
                    Directions::Normal => grid.normal_compliance(half_space),
                    Directions::All => grid.compliance(half_space),
                };
                Ok(Some(BodyCompliance { matrix, doubts: Doubts::default(), placed: None }))
            }
            Below::Placed(placed) => {
                let mut found = placed.on_planes(grid, planes, directions)?;
                let doubts = Doubts { linear: found.linear, cut_share: found.cut_share };
                let matrix = std::mem::replace(&mut found.matrix, Mat::new());
                Ok(Some(BodyCompliance { matrix, doubts, placed: Some(found) }))
            }
        }
    }
}

/// The compliance of the gaps, and with tangents of the slips, of two bodies on a flat grid; `None` if both
/// are rigid.
///
/// Slip is the tangential displacement of the first body less that of the second, under a traction on the
/// first. The coupling of normal and tangential displacements is the difference of those of both bodies, and
/// vanishes for equal materials.
///
/// # Errors
///
/// [`ComplianceError`].
pub fn pair_compliance(
    bodies: [Pressed<'_>; 2],
    grid: &PressureGrid,
    directions: Directions,
) -> Result<Option<PairCompliance>, ComplianceError> {
    let planes = [(0, 1.0), (1, -1.0)].map(|(k, outward): (usize, f64)| {
        let Pressed { rotation, origin, .. } = &bodies[k];
        grid.in_axes_of(rotation, origin, outward).planes()
    });
    compliance_on(bodies.map(|body| body.below), grid, [&planes[0], &planes[1]], directions)
}

/// The same on cells in planes of their own.
///
/// * `planes` — of each body in its axes, the normal outward, with the same tangents
///
/// # Errors
///
/// [`ComplianceError`].
pub fn compliance_on(
    below: [Below<'_>; 2],
    grid: &PressureGrid,
    planes: [&[PatchPlane]; 2],
    directions: Directions,
) -> Result<Option<PairCompliance>, ComplianceError> {
    if let [Below::HalfSpace(first), Below::HalfSpace(second)] = below {
        let matrix = match directions {
            Directions::Normal => {
                grid.normal_compliance_by(|means| first.normal(means) + second.normal(means))
            }
            Directions::All => {
                grid.compliance_by(|means| first.block(means) + of_second(second.block(means)))
            }
        };
        return Ok(Some(PairCompliance { matrix, doubts: Default::default(), bodies: [None, None] }));
    }
    let first = below[0].compliance(grid, planes[0], directions)?;
    let second = below[1].compliance(grid, planes[1], directions)?;
    let doubts = [&first, &second].map(|body| body.as_ref().map_or(Doubts::default(), |body| body.doubts));
    let Some(BodyCompliance { matrix: mut second, placed, .. }) = second else {
        return Ok(first.map(|first| PairCompliance {
            matrix: first.matrix,
            doubts,
            bodies: [first.placed, None],
        }));
    };
    if directions == Directions::All {
        // As `of_second` has it.
        for k in 0..second.ncols() {
            for (i, value) in second.col_as_slice_mut(k).iter_mut().enumerate() {
                if i.is_multiple_of(3) != k.is_multiple_of(3) {
                    *value *= -1.0;
                }
            }
        }
    }
    let (matrix, of_first) = match first {
        Some(first) => (first.matrix + second, first.placed),
        None => (second, None),
    };
    Ok(Some(PairCompliance { matrix, doubts, bodies: [of_first, placed] }))
}

/// Displacements of the second body of a pair by a force on a cell: tractions on it are opposite, and its
/// displacement is subtracted, so that normal and tangential parts change their sign towards each other.
fn of_second(mut block: Matrix3<f64>) -> Matrix3<f64> {
    for (normal, tangent) in [([0, 1], [1, 0]), ([0, 2], [2, 0])] {
        block[(normal[0], normal[1])] *= -1.0;
        block[(tangent[0], tangent[1])] *= -1.0;
    }
    block
}

/// The contact of two bodies in given positions, without friction; `None` if they do not overlap.
///
/// * `start` — place and normal near the contact, out of the first body, and a length as for [`overlap`]
/// * `parts` — cells on the smaller contact radius; 4 give the force to −0.05 ± 0.24 %, and many of a large
///   or slender contact are refused
///
/// # Errors
///
/// [`PairError`].
///
/// # Example
///
/// A rigid ball of steel on a rigid plate of the same steel: both are half-spaces, and Hertz' theory holds.
///
/// ```
/// use carom_contact::closed_form::HertzPair;
/// use carom_contact::geometry::Sphere;
/// use carom_contact::half_space::HalfSpace;
/// use carom_contact::half_space::pair::{Below, Pressed, press};
/// use carom_contact::{Law, Shape};
/// use nalgebra::{Matrix3, Vector3};
///
/// let (radius, approach) = (0.015, 5e-6);
/// let ball = Shape::Sphere(Sphere { center: Vector3::zeros(), radius });
/// let plate = Shape::plane(Vector3::zeros(), Vector3::z()).unwrap();
/// let body = |shape, height| Pressed {
///     shape,
///     below: Below::HalfSpace(HalfSpace::new(210e9, 0.3)),
///     rotation: Matrix3::identity(),
///     origin: height * Vector3::z(),
/// };
/// let bodies = [body(&plate, 0.0), body(&ball, radius - approach)];
///
/// let start = (Vector3::zeros(), Vector3::z(), 0.1 * radius);
/// let contact = press(bodies, start, 4.0, Law::Hard)?.unwrap();
/// let hertz = HertzPair::new([radius, f64::INFINITY], [210e9; 2], [0.3; 2]).at_approach(approach);
/// assert!((contact.force / hertz.force - 1.0).abs() < 5e-3);
/// # Ok::<(), carom_contact::half_space::pair::PairError>(())
/// ```
pub fn press(
    bodies: [Pressed<'_>; 2],
    start: (Vector3<f64>, Vector3<f64>, f64),
    parts: f64,
    law: Law,
) -> Result<Option<PressedContact>, PairError> {
    if !law.is_of_cells() {
        return Err(PairError::Law { law });
    }
    let (place, normal, size) = start;
    let overlap = overlap(bodies, place, normal, size)?;
    if overlap.depth <= 0.0 {
        return Ok(None);
    }
    let (grid, gaps) = overlap.grid(bodies, parts)?;
    let n = grid.len();
    let own = law.compliance(grid.area());
    let (matrix, doubts) = match pair_compliance(bodies, &grid, Directions::Normal)? {
        Some(found) => (found.matrix, found.doubts),
        None if own > 0.0 => (Mat::zeros(n, n), Default::default()),
        None => return Err(PairError::Rigid),
    };
    let mut solver = ActiveSet::new();
    solver.set_matrix(n, |i, k| matrix[(i, k)] + if i == k { own } else { 0.0 });
    let mut forces = vec![0.0; n];
    solver.solve(&gaps, &mut forces)?;
    let rim = (0..n).filter(|&i| forces[i] > 0.0 && gaps[i] > RIM * overlap.depth).map(|i| gaps[i]);
    if let Some(gap) = rim.reduce(f64::max) {
        return Err(PairError::Rim { gap, depth: overlap.depth });
    }
    let force: f64 = forces.iter().sum();
    let axes = overlap.plane.axes;
    let place = |i: usize| {
        let [x, y] = grid.middle(i);
        x * axes.row(0).transpose() + y * axes.row(1).transpose()
    };
    let moment: Vector3<f64> = (0..n).map(|i| forces[i] * place(i)).sum();
    let loaded = forces.iter().filter(|f| **f > 0.0).count() as f64;
    Ok(Some(PressedContact {
        center: overlap.plane.center + if force > 0.0 { moment / force } else { Vector3::zeros() },
        peak_pressure: forces.iter().fold(0.0, |a: f64, f| a.max(*f)) / grid.area(),
        area: loaded * grid.area(),
        overlap,
        grid,
        forces,
        force,
        doubts,
    }))
}

#[cfg(test)]
mod tests;
