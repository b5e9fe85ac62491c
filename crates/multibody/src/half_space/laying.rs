//! Where the grid of a contact is laid, and when it is laid anew.
//!
//! Its cells have a fifth of the smaller radius of the largest contact that is expected of an impact at the
//! present speed. Bodies that overlap by more lie or roll on each other: their cells have an eighth of the
//! radius of the present contact, because its force changes as the rim passes over the cells.

use std::sync::Arc;

use carom_contact::closed_form::{HertzEllipse, hertz_ellipse};
use carom_contact::half_space::GridPlan;
use carom_contact::half_space::nearest::{Approach, Nearest};
use carom_contact::half_space::overlap::{Overlap, overlap, principal};
use carom_contact::half_space::pair::{PairError, Pressed};
use carom_contact::half_space::surface_lattice::touching;
use carom_contact::patch::PatchPlane;
use nalgebra::{Matrix3, Vector3};

use super::pair::{Far, Last, Memory, Side};
use crate::contact::HertzNumbers;

/// Cells on the contact radius: the force at a given approach is right to −0.04 ± 0.1 %.
const PARTS: f64 = 5.0;

/// Height of the rim of a grid over its middle, in depths of the overlap. A circle of contact lies below
/// ½; the rest is for cells beside the deepest point, and for ellipses.
const HEIGHT: f64 = 0.9;

/// The same of a contact that lasts: its force changes by 0.03 % as it passes over the cells.
const LASTING_PARTS: f64 = 8.0;

/// Height of the rim of its grid: two cells more than the contact has.
const LASTING_HEIGHT: f64 = 0.8;

/// Shift of the middle of a cell from the deepest point along both tangents, in sides: in the middle of a
/// symmetric grid whole rings of cells close at once, and the force at a given approach errs by 0.4 %.
const OFF: f64 = 0.25;

/// Gap below which a grid is laid, in radii of the surfaces.
const NEAR: f64 = 0.05;

/// The same within a step, at whose end it may be laid.
const NEAR_IN_STEP: f64 = 0.5 * NEAR;

/// Length within which the gap is like a paraboloid, in radii of the surfaces.
const SIZE: f64 = 0.05;

/// Least depth for which a grid is laid, in radii of the surfaces.
const LEAST_DEPTH: f64 = 1e-7;

/// Depth of a second spot, in heights of the grid, that may be overlooked: its force is below a thousandth of
/// the force of the contact.
const LEAST_SPOT: f64 = 0.01;

/// Gap, in heights of the grid, below which a grid stays: a cell's mean gap is that of its deepest point and
/// 0.007 heights.
const CLEAR: f64 = 0.02;

/// Ratio of the expected depths after which a grid without forces gets other cells.
const OTHER: f64 = 1.5;

/// Accuracy of the least gap in a search, in radii of the surfaces.
const FINE: f64 = 0.005;

/// Ratio of the principal values of outlines after which a grid gets another one.
const OTHER_OUTLINE: f64 = 3.0;

/// Ratio of curvatures from which on the cells of a grid are as slender as the contact: squares would be
/// more than twice as many as on a circle.
const SLENDER: f64 = 4.0;

/// Speed of rolling below which a grid has no direction of its own \[m/s\].
const SLOW: f64 = 1e-6;

/// Part of a gap that a search finds, beyond which it is not less.
const SURE: f64 = 0.88;

/// The outcome of a search.
#[expect(clippy::large_enum_variant, reason = "it lives for a statement, and a box would allocate in a step")]
pub(super) enum Found {
    /// A grid for the contact, and the gap of the surfaces \[m\]; 0 if they overlap.
    Near { plan: GridPlan, gap: f64 },
    /// The bodies are far apart: a lower bound of the gap \[m\], and about the nearest point in axes of the
    /// first body.
    Far { gap: f64, place: Option<Vector3<f64>> },
}

/// The bodies of a pair in a position, between which a grid is to be laid.
pub(super) struct Laying<'a> {
    pub(super) sides: &'a [Arc<Side>; 2],
    pub(super) rotation: Matrix3<f64>,
    /// Origin of the second body, moved with the modal displacement of both surfaces.
    pub(super) origin: Vector3<f64>,
    /// Angular velocity of the second body less that of the first, axes of the first \[rad/s\].
    pub(super) turning: Vector3<f64>,
    pub(super) hertz: HertzNumbers,
    pub(super) mass: f64,
}

/// How a grid lies in its plane.
struct Outlined {
    axes: Matrix3<f64>,
    /// See [`GridPlan::curvature`].
    curvature: [f64; 3],
    /// See [`GridPlan::outline`].
    outline: [f64; 3],
    side: f64,
    stretch: f64,
}

impl Laying<'_> {
    /// Cells on the radius of a contact that has wandered, below which it gets smaller ones.
    pub(super) const FEWEST_PARTS: f64 = 0.75 * LASTING_PARTS;

    /// Motion along the plane, in sides of a cell, after which the nearest point is looked for again.
    pub(super) const MOVED: f64 = 0.25;

    /// Motion since the gap was evaluated, in gaps, up to which bodies that are apart have a gap in any case:
    /// none has shrunk by more than a third of the least one.
    pub(super) const APART: f64 = 0.25;

    /// The same of the end of a step, at which the gap is evaluated beyond it.
    pub(super) const SETTLED: f64 = 0.1;

    /// Gap above which no grid is laid at the end of a step \[m\].
    pub(super) fn near_gap(&self) -> f64 {
        NEAR * self.hertz.radius
    }

    /// Factor of the height of a grid that turns out to be too small.
    pub(super) const GROWTH: f64 = 1.5;

    /// A grid if the bodies are near each other.
    ///
    /// * `is_end` — of a step: otherwise a grid is laid where the step could not do without
    /// * `speed` — at which the gap at a point of the first surface with its normal closes \[m/s\]
    pub(super) fn lay(
        &self,
        memory: &Memory,
        is_end: bool,
        speed: impl Fn(&Vector3<f64>, &Vector3<f64>) -> f64,
    ) -> Result<Found, PairError> {
        let near = if is_end { NEAR } else { NEAR_IN_STEP } * self.hertz.radius;
        let at_edge = self.at_edge(memory).is_some();
        let is_far = |bound: f64| {
            let known = memory.far.map_or(f64::INFINITY, |far| far.at.gap);
            // Surfaces that are nearest at an edge have no grid yet; the end of the step looks again.
            let least = if at_edge && !is_end { 0.0 } else { near.min((1.0 - Self::APART) * known) };
            bound > least
        };
        if let Some(bound) = self.bound(memory).filter(|bound| is_far(*bound)) {
            return Ok(Found::Far { gap: bound, place: None });
        }
        self.search(speed)
    }

    /// The same bound, if it is so large that no grid need be laid before the end of the step.
    pub(super) fn bound_in_step(&self, memory: &Memory) -> Option<f64> {
        self.bound(memory).filter(|bound| *bound > NEAR_IN_STEP * self.hertz.radius)
    }

    /// Lower bound of the gap by the balls around both surfaces, and by the motion since the last search
    /// \[m\].
    pub(super) fn bound(&self, memory: &Memory) -> Option<f64> {
        let [first, second] = self.sides.each_ref().map(|side| side.hull);
        let by_balls = first.gap(&second, &self.rotation, &self.origin);
        let by_motion = memory.far.map(|Far { at, .. }| at.gap - self.way_from((at.rotation, at.origin)));
        by_balls.into_iter().chain(by_motion).reduce(f64::max)
    }

    /// True if a search would find nothing new: the bodies are far apart as before, or the grid of the memory
    /// lies where they come nearest, for an impact of this speed.
    pub(super) fn is_known(&self, memory: &Memory, last: &Last) -> bool {
        let Some(plan) = &memory.plan else {
            let stays = |far: Far| self.way_from((far.at.rotation, far.at.origin)) < Self::APART * far.at.gap;
            return self.at_edge(memory).is_some_and(stays)
                || self.bound(memory).is_some_and(|bound| bound > NEAR * self.hertz.radius);
        };
        // A cell is open when its mean gap is, while its deepest point may still be closed: cells of another
        // size would close again.
        if last.gap < CLEAR * plan.height {
            return true;
        }
        let (moved, turned) = self.sides[1].hull.motion(&plan.partner, &(self.rotation, self.origin));
        if self.way_from(plan.partner) < Self::APART * last.gap {
            return true;
        }
        let n = plan.plane.axes.row(2).transpose();
        let along = (moved - moved.dot(&n) * n).norm();
        let away = moved.dot(&n).abs() > NEAR * self.hertz.radius;
        let depth = self.expected(last.closing, principal(plan.curvature));
        let ratio = depth * HEIGHT / plan.height;
        let fits =
            ratio < OTHER && (ratio > 1.0 / OTHER || plan.height <= HEIGHT * LEAST_DEPTH * self.hertz.radius);
        along + turned < Self::MOVED * plan.side && !away && fits
    }

    /// The last search if it found the surfaces nearest at an edge of one of them, the only ones that it
    /// finds nearer than this without a grid.
    fn at_edge(&self, memory: &Memory) -> Option<Far> {
        memory.far.filter(|far| far.at.gap <= SURE * NEAR * self.hertz.radius)
    }

    /// By how much any gap has shrunk at most since another position \[m\].
    pub(super) fn way_from(&self, pose: (Matrix3<f64>, Vector3<f64>)) -> f64 {
        let (moved, turned) = self.sides[1].hull.motion(&pose, &(self.rotation, self.origin));
        moved.norm() + turned
    }

    fn shapes(&self) -> [&carom_contact::Shape; 2] {
        self.sides.each_ref().map(|side| &side.shape)
    }

    /// As [`Self::lay`], by a search over the surfaces.
    ///
    /// Surfaces that are nearest at the edge of one of them, as a tooth of a gear before it comes into mesh,
    /// have no grid while they are apart.
    pub(super) fn search(
        &self,
        speed: impl Fn(&Vector3<f64>, &Vector3<f64>) -> f64,
    ) -> Result<Found, PairError> {
        let radius = self.hertz.radius;
        let mut approach = Approach::new(self.shapes(), self.rotation, self.origin);
        let Some(found) = approach.nearest(FINE * radius) else {
            return Ok(Found::Far { gap: f64::INFINITY, place: None });
        };
        if found.gap > NEAR * radius {
            return Ok(Found::Far { gap: SURE * found.gap, place: Some(found.place) });
        }
        match self.near(&found, speed) {
            Err(error @ (PairError::NotFacing { .. } | PairError::OffSurface { .. })) => {
                let Nearest { place, gap, .. } = approach.settled(found, SIZE * radius);
                if gap > LEAST_DEPTH * radius {
                    Ok(Found::Far { gap: SURE * gap, place: Some(place) })
                } else {
                    Err(error)
                }
            }
            found => found,
        }
    }

    /// A grid at a place where the bodies are near each other.
    fn near(
        &self,
        nearest: &Nearest,
        speed: impl Fn(&Vector3<f64>, &Vector3<f64>) -> f64,
    ) -> Result<Found, PairError> {
        let radius = self.hertz.radius;
        let overlap = self.overlap(nearest.place, nearest.normal, SIZE * radius)?;
        let [low, high] = overlap.curvatures;
        let normal = overlap.plane.axes.row(2).transpose();
        // Bodies that part come back at a like speed, if they do.
        let closing = speed(&overlap.plane.center, &normal).abs();
        let expected = self.expected(closing, [low, high]).max(LEAST_DEPTH * radius);
        let (depth, parts, height) = if overlap.depth > expected {
            (overlap.depth, LASTING_PARTS, LASTING_HEIGHT)
        } else {
            (expected.max(1.3 * overlap.depth), PARTS, HEIGHT)
        };
        let cells = self.outlined(&overlap, closing, depth, parts);
        let Outlined { axes, curvature, outline, side, stretch } = cells;
        let off = OFF * side * (axes.row(0) + stretch * axes.row(1)).transpose();
        let plane = PatchPlane { center: overlap.plane.center + off, axes };
        let plan = GridPlan {
            plane: touching(&self.sides[0].shape, &plane, side * stretch)?,
            side,
            stretch,
            curvature,
            outline,
            height: height * depth,
            middle: [0; 2],
            partner: (self.rotation, self.origin),
            hollow: overlap.hollow,
            way: 0.0,
        };
        Ok(Found::Near { plan, gap: (-overlap.depth).max(0.0) })
    }

    /// The overlap of both bodies near a place.
    fn overlap(&self, place: Vector3<f64>, normal: Vector3<f64>, size: f64) -> Result<Overlap, PairError> {
        let poses = [(Matrix3::identity(), Vector3::zeros()), (self.rotation, self.origin)];
        let bodies = [0, 1].map(|k| Pressed {
            shape: &self.sides[k].shape,
            below: self.sides[k].under.below(),
            rotation: poses[k].0,
            origin: poses[k].1,
        });
        overlap(bodies, place, normal, size)
    }

    /// The overlap where the contact is now; `None` beside an edge, within the contact radius of it.
    ///
    /// * `plane` — of a cell in the middle of the contact
    /// * `radius` — of the contact \[m\]
    pub(super) fn overlap_at(&self, plane: &PatchPlane, radius: f64) -> Result<Option<Overlap>, PairError> {
        let (place, normal) = (plane.center, plane.axes.row(2).transpose());
        match self.overlap(place, normal, radius.min(SIZE * self.hertz.radius)) {
            Ok(found) => Ok(Some(found)),
            Err(PairError::NotFacing { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// True if a grid that is laid for this overlap would have another outline than the plan.
    pub(super) fn has_other_outline(&self, plan: &GridPlan, overlap: &Overlap) -> bool {
        let [old, new] =
            [plan.outline, self.outlined(overlap, 0.0, plan.height, PARTS).outline].map(principal);
        (0..2).any(|k| !(1.0 / OTHER_OUTLINE..OTHER_OUTLINE).contains(&(new[k] / old[k])))
    }

    /// The axes of a grid and the outline of its cells.
    ///
    /// The base row lies along the way of the contact over the first body where it rolls: surfaces that roll
    /// on each other with the angular velocity ω move their contact by (ω × n)/κ. The cells of a slender
    /// contact lie along its axes, and divide each of them alike.
    ///
    /// * `depth` — of the contact for which it is laid
    fn outlined(&self, overlap: &Overlap, closing: f64, depth: f64, parts: f64) -> Outlined {
        let [low, high] = overlap.curvatures;
        if let Some(unit) = self.slender([low, high]) {
            // Semi-axes grow with the root of the approach.
            let scale = (depth / unit.approach).sqrt();
            let [b, a] = unit.semi_axes.map(|axis| scale * axis);
            let (axes, curvature) = overlap.along(&overlap.steepest());
            let outline = [depth / (a * a), 0.0, depth / (b * b)];
            return Outlined { axes, curvature, outline, side: a / parts, stretch: b / a };
        }
        let way = self.turning.cross(&overlap.plane.axes.row(2).transpose());
        let (axes, curvature) = if way.norm() * self.hertz.radius > closing.max(SLOW) {
            overlap.along(&way)
        } else {
            (overlap.plane.axes, overlap.second)
        };
        Outlined { axes, curvature, outline: curvature, side: (depth / high).sqrt() / parts, stretch: 1.0 }
    }

    /// Hertz' ellipse under 1 N of a slender contact; none of others.
    fn slender(&self, [low, high]: [f64; 2]) -> Option<HertzEllipse> {
        if high <= SLENDER * low {
            return None;
        }
        hertz_ellipse(self.hertz.modulus, [low, high], 1.0)
    }

    /// Depth of an impact by Hertz \[m\]: d = (5 m* v²/(4 K))^⅖ with F = K d^(3/2), and K = (4/3) E* R_e^½
    /// with R_e = (κ₁ κ₂)^−½ but for slender contacts.
    fn expected(&self, speed: f64, [low, high]: [f64; 2]) -> f64 {
        let stiffness = match self.slender([low, high]) {
            Some(unit) => unit.approach.powf(-1.5),
            None => 4.0 / 3.0 * self.hertz.modulus * (low * high).powf(-0.25),
        };
        let energy = if self.mass.is_finite() { self.mass * speed * speed } else { 0.0 };
        (1.25 * energy / stiffness).powf(0.4)
    }

    /// A second place at which the bodies overlap, farther from the contact than its grid reaches: place,
    /// depth \[m\] and distance \[m\].
    ///
    /// * `center` — of the contact
    pub(super) fn second_spot(
        &self,
        plan: &GridPlan,
        center: &Vector3<f64>,
    ) -> Option<(Vector3<f64>, f64, f64)> {
        let [low, _] = principal(plan.curvature);
        // The overlap of undeformed surfaces is larger than the contact: its rim lies as high as its depth.
        let reach = 2.0 * (2.0 * plan.height / (HEIGHT * low)).sqrt();
        let mut approach = Approach::new(self.shapes(), self.rotation, self.origin);
        let (place, depth) = approach.deepest_elsewhere(center, reach, LEAST_SPOT * plan.height)?;
        Some((place, depth, (place - center).norm()))
    }
}
