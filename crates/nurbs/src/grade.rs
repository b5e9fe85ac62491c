//! Knots graded towards a point of the surface, the same throughout each set of glued directions.
//!
//! A contact is 50 times smaller than its body: spans have the finest size in a zone around the point, grow
//! by at most a given ratio per span along the surface away from it, and by the same ratio from the surface
//! into the depth.

use std::collections::BTreeMap;

use thiserror::Error;

use crate::classes::Classes;
use crate::closest::{bounding_box, distance, dot};
use crate::refine::unit_breakpoints;
use crate::spacing::{self, Line, class_knots};
use crate::topology::Topology;
use crate::{Multipatch, PatchError, Region, Side, UnknownRegion};

/// The requested size of knot spans around a point.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Grading {
    /// The point \[m\], on the surface or inside.
    pub at: [f64; 3],
    /// Spans that come closer than this to the point have the finest size \[m\].
    pub radius: f64,
    /// Largest size of these spans \[m\].
    pub finest: f64,
    /// Thickness of the layer under the surface that is filled by spans of the finest size, or, where the
    /// degree across it is 3 or more, by one span \[m\].
    pub depth: f64,
    /// Largest ratio of the sizes of two neighbours, above 1 and at most 2.
    pub growth: f64,
}

impl Grading {
    /// A zone of a radius with spans of a size around a point, two of them deep, growing by 2 away from it.
    pub fn new(at: [f64; 3], radius: f64, finest: f64) -> Self {
        Self { at, radius, finest, depth: 2.0 * finest, growth: 2.0 }
    }
}

/// Errors of grading.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum GradeError {
    /// An invalid size.
    #[error("{what} {value} is not possible: it must be {valid}")]
    Value {
        /// Name of the size.
        what: &'static str,
        /// Its value.
        value: f64,
        /// Valid range.
        valid: &'static str,
    },
    /// The zone misses the body.
    #[error(
        "the point {at:?} is {distance:.3e} m away from the body, farther than the zone of radius \
         {radius:.3e} m: its nearest point is {nearest:?}"
    )]
    Away {
        /// The given point \[m\].
        at: [f64; 3],
        /// Its distance from the body \[m\].
        distance: f64,
        /// Radius of the zone \[m\].
        radius: f64,
        /// The nearest point of the body \[m\].
        nearest: [f64; 3],
    },
    /// The body would not fit into memory.
    #[error(
        "spans of {finest:.3e} m would need {points} control points, more than {allowed}: choose larger ones"
    )]
    TooMany {
        /// The given size \[m\].
        finest: f64,
        /// Control points that would be needed, before gluing.
        points: f64,
        /// The limit.
        allowed: f64,
    },
    /// One direction alone would need too many spans.
    #[error("spans of {finest:.3e} m need more than 2000 of them along one direction: choose larger ones")]
    TooFine {
        /// The given size \[m\].
        finest: f64,
    },
    /// There is no such region.
    #[error(transparent)]
    Region(#[from] UnknownRegion),
    /// A knot could not be inserted.
    #[error(transparent)]
    Patch(#[from] PatchError),
}

/// Largest number of control points: with more, no factorisation on one machine would end.
const MAX_POINTS: f64 = 5.0e6;

impl Multipatch {
    /// Inserts knots so that the knot spans have the sizes of [`Grading`], in all patches that the zone
    /// touches and in all directions glued to these; interfaces stay conforming.
    ///
    /// Directions along the surface get the finest size within the zone; the direction into the body, where
    /// the point lies on an outer side, gets it in a layer of thickness [`Grading::depth`]. From degree 3 on
    /// one span fills that layer: the edge of a contact limits the order along the surface, the stress under
    /// it is smooth.
    ///
    /// # Errors
    ///
    /// [`GradeError`] for an invalid size, a zone that misses the body, or too many points.
    pub fn grade(&self, grading: &Grading) -> Result<Self, GradeError> {
        check(grading)?;
        let topology = self.topology();
        let classes = topology.classes(self.patches.len());
        let outer = topology.outer_sides(self.patches.len());
        let lines = self.lines(grading, &classes, &outer)?;
        self.grade_along(&topology, &classes, &lines, grading.finest)
    }

    /// Grades towards a region.
    ///
    /// A region near a point (such as `pole`) is graded around that point, with its radius. Whole sides get
    /// finest spans in a layer of two under them, growing by 2 into the depth, and keep their spans along the
    /// surface.
    ///
    /// * `finest` — largest size in the zone \[m\]
    ///
    /// # Errors
    ///
    /// [`GradeError`] as for [`Multipatch::grade`], and if there is no region of that name.
    pub fn grade_region(&self, name: &str, finest: f64) -> Result<Self, GradeError> {
        let region = self.region(name)?;
        if let Some((at, radius)) = region.spot() {
            return self.grade(&Grading::new(at, radius, finest));
        }
        check(&Grading::new([0.0; 3], 0.0, finest))?;
        let topology = self.topology();
        let classes = topology.classes(self.patches.len());
        let lines = self.depth_lines(&region, &classes, finest);
        self.grade_along(&topology, &classes, &lines, finest)
    }

    /// Inserts the knots that lines need, class by class.
    fn grade_along(
        &self,
        topology: &Topology,
        classes: &Classes,
        lines: &BTreeMap<usize, Vec<Line>>,
        finest: f64,
    ) -> Result<Self, GradeError> {
        let mut new_knots = BTreeMap::new();
        for (class, members) in classes.members() {
            let Some(lines) = lines.get(&class) else { continue };
            let (patch, direction) = members[0];
            let mut there = unit_breakpoints(&self.patches[patch].basis[direction]);
            if classes.reversed(members[0]) {
                there = there.iter().rev().map(|t| 1.0 - t).collect();
            }
            let knots = class_knots(lines, &there).ok_or(GradeError::TooFine { finest })?;
            new_knots.insert(class, knots);
        }
        let points: f64 = (0..self.patches.len())
            .map(|patch| {
                let count = |d: usize| {
                    let more = new_knots.get(&classes.class((patch, d))).map_or(0, Vec::len);
                    (self.patches[patch].basis[d].n_functions() + more) as f64
                };
                count(0) * count(1) * count(2)
            })
            .sum();
        if points > MAX_POINTS {
            return Err(GradeError::TooMany { finest, points, allowed: MAX_POINTS });
        }
        Ok(self.insert_in_classes(topology, classes, &new_knots)?)
    }

    /// Lines from the middle of each side of a region into the body, by class.
    fn depth_lines(&self, region: &Region, classes: &Classes, finest: f64) -> BTreeMap<usize, Vec<Line<'_>>> {
        let mut lines: BTreeMap<usize, Vec<Line>> = BTreeMap::new();
        for &(number, side) in &region.sides {
            let (patch, direction) = (&self.patches[number as usize], side.direction());
            let domain = patch.domain();
            let mut parameters = domain.map(|[a, b]| 0.5 * (a + b));
            parameters[direction] = domain[direction][usize::from(side.is_end())];
            let member = (number as usize, direction);
            lines.entry(classes.class(member)).or_default().push(Line {
                patch,
                direction,
                reversed: classes.reversed(member),
                parameters,
                centre: patch.point(parameters),
                radius: 2.0 * finest,
                finest,
                growth: 2.0,
            });
        }
        lines
    }

    /// The lines along which sizes are requested, by class: three for each patch that the zone touches.
    fn lines(
        &self,
        grading: &Grading,
        classes: &Classes,
        outer: &[(u32, Side)],
    ) -> Result<BTreeMap<usize, Vec<Line<'_>>>, GradeError> {
        let [low, high] = bounding_box(self.patches.iter().flat_map(|patch| &patch.points));
        let tolerance = 1e-9 * distance(low, high);
        let (nearest_patch, nearest) = self.closest(grading.at);
        if nearest.distance > grading.radius + 1e3 * tolerance {
            let Grading { at, radius, .. } = *grading;
            return Err(GradeError::Away { at, distance: nearest.distance, radius, nearest: nearest.point });
        }
        let mut lines: BTreeMap<usize, Vec<Line>> = BTreeMap::new();
        for (number, patch) in self.patches.iter().enumerate() {
            let found = if number == nearest_patch { nearest } else { patch.closest(grading.at) };
            if number != nearest_patch && found.distance > grading.radius.max(nearest.distance + tolerance) {
                continue;
            }
            let domain = patch.domain();
            let into_depth = |d: usize| {
                let [a, b] = domain[d];
                [(a, false), (b, true)].into_iter().any(|(end, last)| {
                    (found.parameters[d] - end).abs() <= 1e-9 * (b - a)
                        && outer.contains(&(number as u32, Side::of(d, last)))
                })
            };
            let depths = (0..3).filter(|&d| into_depth(d)).count();
            for direction in 0..3 {
                // On an edge of the body each direction is the depth of one side and runs along the other.
                let under = depths == 1 && into_depth(direction);
                let (radius, filled, finest) = if under {
                    let cubic = patch.basis[direction].degree() >= 3;
                    (grading.depth, grading.depth, if cubic { grading.depth } else { grading.finest })
                } else {
                    (grading.radius, 2.0 * grading.radius, grading.finest)
                };
                lines.entry(classes.class((number, direction))).or_default().push(Line {
                    patch,
                    direction,
                    reversed: classes.reversed((number, direction)),
                    parameters: found.parameters,
                    centre: if under { found.point } else { grading.at },
                    radius,
                    finest: spacing::whole_spans(filled, finest),
                    growth: grading.growth,
                });
            }
        }
        Ok(lines)
    }
}

fn check(grading: &Grading) -> Result<(), GradeError> {
    let Grading { at, radius, finest, depth, growth } = *grading;
    let positive = |x: f64| x > 0.0 && x.is_finite();
    for (what, value, valid, good) in [
        ("the finest span", finest, "a positive length in metres", positive(finest)),
        (
            "the radius of the zone",
            radius,
            "a length in metres, 0 or more",
            radius == 0.0 || positive(radius),
        ),
        ("the depth of the zone", depth, "a length in metres, 0 or more", depth == 0.0 || positive(depth)),
        ("the growth ratio", growth, "above 1 and at most 2", growth > 1.0 && growth <= 2.0),
        ("a coordinate of the point", dot(at, [1.0; 3]), "finite", at.iter().all(|x| x.is_finite())),
    ] {
        if !good {
            return Err(GradeError::Value { what, value, valid });
        }
    }
    Ok(())
}
