//! Position of two sides of different patches with a common rim: both patches lie on one side of them, or
//! there is a gap between them.

use std::fmt;

use crate::closest::{bounding_box, distance};
use crate::topology::side_points;
use crate::{Derivatives, GlueError, Interface, Multipatch, Patch, Side};

/// Parameters at which sides are compared.
const PLACES: [[f64; 2]; 5] = [[0.48, 0.53], [0.21, 0.27], [0.77, 0.29], [0.24, 0.74], [0.79, 0.81]];
/// Sine of the angle between a side and the lines that leave it, below which the patch is singular there.
const SINGULAR: f64 = 1e-6;
/// Sides with common corners alone count as one surface if their distance is below this fraction of their
/// size.
const NEAR: f64 = 0.1;

/// Two sides of the surface of a body that were perhaps meant to be glued.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NearSides {
    /// Patch and side.
    pub first: (u32, Side),
    /// Patch and side with the same corners.
    pub second: (u32, Side),
    /// Largest distance found between them \[m\].
    pub distance: f64,
}

impl fmt::Display for NearSides {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { first, second, distance } = self;
        write!(
            f,
            "patch{}:{} and patch{}:{} have the same corners but lie {distance:.1e} m apart: if they are to \
             be one surface, draw one of them with the other; else there is a cavity between them",
            first.0,
            first.1.name(),
            second.0,
            second.1.name()
        )
    }
}

impl Patch {
    /// Derivatives of the map on a side, at parameters of its two directions mapped to \[0,1\].
    fn on_side(&self, side: Side, at: [f64; 2]) -> Derivatives {
        self.derivatives(self.side_parameters(side, at))
    }
}

/// Refuses glued patches that lie on the same side of their interface.
pub(crate) fn check_overlaid(patches: &[Patch], interfaces: &[Interface]) -> Result<(), GlueError> {
    let is_overlaid = |interface: &&Interface| {
        PLACES.iter().find_map(|&at| same_side(patches, interface, at)).unwrap_or(false)
    };
    match interfaces.iter().find(is_overlaid) {
        Some(&Interface { first, second, .. }) => Err(GlueError::Overlaid { first, second }),
        None => Ok(()),
    }
}

/// True if the lines that leave both patches through a point of their interface have the same direction;
/// `None` if one of them is singular.
fn same_side(patches: &[Patch], interface: &Interface, at: [f64; 2]) -> Option<bool> {
    let (first, second) = (interface.first, interface.second);
    let mut there = [0.0; 2];
    for ((direction, reversed), t) in interface.directions().into_iter().zip(at) {
        let place = usize::from(second.1.tangents()[1] == direction);
        there[place] = if reversed { 1.0 - t } else { t };
    }
    let here = patches[first.0 as usize].on_side(first.1, at);
    let there = patches[second.0 as usize].on_side(second.1, there);
    let [a, b] = first.1.tangents().map(|d| here.first[d]);
    let leaving = |x: &Derivatives, side: Side| {
        let along = x.first[side.direction()];
        let det = Derivatives { first: [a, b, along], ..Derivatives::default() }.jacobian();
        let sine = det / (norm(a) * norm(b) * norm(along));
        (sine.abs() > SINGULAR).then_some((sine > 0.0) == side.is_end())
    };
    Some(leaving(&here, first.1)? == leaving(&there, second.1)?)
}

impl Multipatch {
    /// Pairs of outer sides of different patches that have the same corners but do not coincide: all their
    /// edges are shared, or they are near each other. There is a cavity between them, or they should have
    /// been glued and do not match.
    pub fn near_sides(&self) -> Vec<NearSides> {
        let Self { patches, gluing, .. } = self;
        let corners = |&side: &(u32, Side)| {
            let mut corners = gluing.corners(side);
            corners.sort_unstable();
            corners
        };
        let mut sides: Vec<_> = gluing.outer_sides().into_iter().map(|side| (corners(&side), side)).collect();
        sides.retain(|(corners, _)| corners.windows(2).all(|pair| pair[0] < pair[1]));
        sides.sort_by_key(|(corners, side)| (*corners, side.0, side.1 as u8));
        let mut found = Vec::new();
        for group in sides.chunk_by(|a, b| a.0 == b.0) {
            for (n, &(_, first)) in group.iter().enumerate() {
                for &(_, second) in group[n + 1..].iter().filter(|(_, second)| second.0 != first.0) {
                    let distance = largest_distance(patches, first, second);
                    if gluing.rim(first) == gluing.rim(second) || distance < NEAR * size(patches, first) {
                        found.push(NearSides { first, second, distance });
                    }
                }
            }
        }
        found
    }
}

fn largest_distance(patches: &[Patch], first: (u32, Side), second: (u32, Side)) -> f64 {
    let (patch, other) = (&patches[first.0 as usize], &patches[second.0 as usize]);
    let mut bounds = other.domain();
    let end = bounds[second.1.direction()][usize::from(second.1.is_end())];
    bounds[second.1.direction()] = [end, end];
    let of = |&at: &[f64; 2]| other.closest_in(bounds, patch.side_point(first.1, at)).distance;
    PLACES.iter().map(of).fold(0.0, f64::max)
}

fn size(patches: &[Patch], (number, side): (u32, Side)) -> f64 {
    let patch = &patches[number as usize];
    let points = side_points(patch.counts(), side);
    let [low, high] = bounding_box(points.iter().map(|&local| &patch.points[local]));
    distance(low, high)
}

fn norm(a: [f64; 3]) -> f64 {
    distance(a, [0.0; 3])
}
