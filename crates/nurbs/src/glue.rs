//! Gluing patches to a body by the places of their control points.

use std::collections::{HashMap, VecDeque};

use thiserror::Error;

use crate::classes::{Union, number_classes};
use crate::closest::{bounding_box, distance};
use crate::facing::check_overlaid;
use crate::matching::{Matched, match_bases};
use crate::topology::side_points;
use crate::touching::Touching;
use crate::{Gluing, Interface, Multipatch, Patch, PatchError, Side};

/// Two control points are equal if they are closer than this fraction of the body's diameter.
const SAME_POINT: f64 = 1e-8;
/// Largest difference of the knots (on \[0,1\]) and of the weights of glued sides.
const SAME_BASIS: f64 = 1e-8;
/// Sides closer than this fraction of the body's diameter touch.
const TOUCHING: f64 = 1e-6;

/// Errors of gluing patches to a body.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum GlueError {
    /// There is no patch.
    #[error("a body needs at least one patch")]
    Empty,
    /// A patch without volume.
    #[error("patch {patch} has no volume: check its control points and their order")]
    Flat {
        /// Zero-based number of the patch.
        patch: usize,
    },
    /// Two sides bound the same surface but have no common refinement.
    #[error(
        "patch{}:{} and patch{}:{} lie on each other but run through their common surface differently, with \
         other parameters, weights, or coordinates of fewer than 8 digits: no knots and degrees make their \
         control points match; draw one of the two sides with the other",
        first.0, first.1.name(), second.0, second.1.name()
    )]
    NotMatching {
        /// Patch and side.
        first: (u32, Side),
        /// Patch and side that touches it.
        second: (u32, Side),
    },
    /// Patches that are refined locally by too many levels.
    #[error(
        "the patches are refined locally by {levels} levels, with {needed} control points if they were \
         refined everywhere, more than {most}: write the file with fewer levels"
    )]
    TooFine {
        /// Levels above the coarsest.
        levels: usize,
        /// Control points of the tensor products on the finest level.
        needed: usize,
        /// Largest possible number.
        most: usize,
    },
    /// A side lies on a part of another.
    #[error(
        "patch{}:{} lies on a part of patch{}:{}: whole sides must be glued to each other; split patch {} \
         along the edges of patch{}:{}",
        part.0, part.1.name(), whole.0, whole.1.name(), whole.0, part.0, part.1.name()
    )]
    Hanging {
        /// Patch and side that is the smaller one.
        part: (u32, Side),
        /// Patch and side on which it lies.
        whole: (u32, Side),
    },
    /// Two sides lie on each other in part.
    #[error(
        "patch{}:{} and patch{}:{} lie on each other in part: whole sides must be glued to each other; split \
         both patches where the other one ends",
        first.0, first.1.name(), second.0, second.1.name()
    )]
    Overlapping {
        /// Patch and side.
        first: (u32, Side),
        /// Patch and side that touches it.
        second: (u32, Side),
    },
    /// Three sides are the same surface: patches overlap.
    #[error(
        "patch{}:{}, patch{}:{} and patch{}:{} are the same surface, so that two of the patches fill the \
         same space: remove one of them",
        sides[0].0, sides[0].1.name(), sides[1].0, sides[1].1.name(), sides[2].0, sides[2].1.name()
    )]
    Crowded {
        /// Patch and side of each.
        sides: [(u32, Side); 3],
    },
    /// Two glued patches lie on the same side of their interface.
    #[error(
        "patch{}:{} and patch{}:{} are the same surface, and both patches lie on the same side of it, so \
         that they fill the same space: remove one of them, or correct its control points",
        first.0, first.1.name(), second.0, second.1.name()
    )]
    Overlaid {
        /// Patch and side.
        first: (u32, Side),
        /// Patch and side glued to it.
        second: (u32, Side),
    },
    /// Two sides have the same control points but different degrees or knots: they are different surfaces.
    #[error(
        "patch{}:{} and patch{}:{} have the same control points but different knots or degrees: \
         give both sides the same knot vectors",
        first.0, first.1.name(), second.0, second.1.name()
    )]
    Knots {
        /// Patch and side.
        first: (u32, Side),
        /// Patch and side glued to it.
        second: (u32, Side),
    },
    /// The knots of neighbours cannot be united.
    #[error("patches cannot be refined so that they match: {0}")]
    Matching(#[from] PatchError),
    /// The weights of two glued patches are not multiples of each other on shared points.
    #[error(
        "patches {first} and {second} share control points, but with weights that are not proportional \
         ({ratio} instead of {expected} at point {point:?}): correct the weights of one of them"
    )]
    Weights {
        /// Patch number.
        first: usize,
        /// Number of the patch glued to it.
        second: usize,
        /// Ratio of the weights at the point.
        ratio: f64,
        /// Ratio at another shared point.
        expected: f64,
        /// The control point \[m\].
        point: [f64; 3],
    },
    /// The local refinements on both sides of an interface differ.
    #[error(transparent)]
    Hierarchy(#[from] crate::HierarchyError),
}

impl Patch {
    /// Reverses the third direction of a left-handed patch, so that det J > 0.
    ///
    /// Returns true if that was necessary; `bottom` and `top` are then exchanged.
    pub fn make_right_handed(&mut self) -> bool {
        let degrees = self.degrees();
        let left = self.moments(degrees.into_iter().max().unwrap_or(1) + 1).volume < 0.0;
        if left {
            *self = self.reversed(2);
        }
        left
    }
}

impl Multipatch {
    /// Glues patches where their sides, edges and corners coincide.
    ///
    /// Left-handed patches are reversed ([`Patch::make_right_handed`]). Control points on the surfaces of
    /// the patches that coincide become one, also on collapsed edges and in a patch that closes on itself.
    /// The weights of each patch are multiplied by a factor if they must agree with those of its
    /// neighbours. Sides and edges that are the same surface or curve with different knots or degrees get
    /// the knots and degrees of both; [`Multipatch::glue_matching`] returns which.
    ///
    /// Neighbouring control points of one patch may coincide too (a sharp corner drawn by a double point):
    /// the map is singular there, and merging them keeps strains finite. Refinement separates such points
    /// again; it keeps the gluing of sides, edges, corners, and collapsed sides and edges.
    ///
    /// # Errors
    ///
    /// [`GlueError`] if there is no patch, a patch has no volume, or sides touch without matching.
    pub fn glue(patches: Vec<Patch>) -> Result<Self, GlueError> {
        Ok(Self::glue_matching(patches)?.0)
    }

    /// The same, with the patches that were refined to match their neighbours; their map is unchanged.
    ///
    /// # Errors
    ///
    /// As of [`Multipatch::glue`].
    pub fn glue_matching(mut patches: Vec<Patch>) -> Result<(Self, Vec<Matched>), GlueError> {
        if patches.is_empty() {
            return Err(GlueError::Empty);
        }
        for (number, patch) in patches.iter_mut().enumerate() {
            patch.make_right_handed();
            let [low, high] = bounding_box(patch.points.iter());
            let volume = patch.moments(2).volume;
            if volume.is_nan() || volume <= 1e-12 * distance(low, high).powi(3) {
                return Err(GlueError::Flat { patch: number });
            }
        }
        let [low, high] = bounding_box(patches.iter().flat_map(|patch| &patch.points));
        let diameter = distance(low, high);
        let mut gluing = merge(&patches, SAME_POINT * diameter);
        let matched = match_bases(&mut patches, gluing.ids(), SAME_POINT * diameter)?;
        if !matched.is_empty() {
            gluing = merge(&patches, SAME_POINT * diameter);
        }
        let topology = gluing.topology();
        for interface in &topology.interfaces {
            check_knots(&patches, interface)?;
        }
        scale_weights(&mut patches, &gluing)?;
        let outer = topology.outer_sides(patches.len());
        check_crowded(&gluing, &topology.interfaces, &outer)?;
        check_overlaid(&patches, &topology.interfaces)?;
        Touching::new(&patches, TOUCHING * diameter).check(&outer)?;
        Ok((Self { patches, gluing, regions: Default::default(), hierarchy: None }, matched))
    }
}

/// Refuses outer sides that have the same points as an interface.
fn check_crowded(gluing: &Gluing, interfaces: &[Interface], outer: &[(u32, Side)]) -> Result<(), GlueError> {
    let inside: HashMap<Vec<u32>, &Interface> =
        interfaces.iter().map(|interface| (gluing.side_ids(interface.first), interface)).collect();
    match outer.iter().find_map(|&side| Some((side, inside.get(&gluing.side_ids(side))?))) {
        Some((side, interface)) => {
            Err(GlueError::Crowded { sides: [interface.first, interface.second, side] })
        }
        None => Ok(()),
    }
}

/// Numbers the control points so that points on sides that are closer than the tolerance have one number.
fn merge(patches: &[Patch], tolerance: f64) -> Gluing {
    let mut starts = vec![0];
    for patch in patches {
        starts.push(starts[starts.len() - 1] + patch.points.len());
    }
    let mut same = Union::new(starts[patches.len()]);
    // Cells four tolerances wide: a neighbour is in the cell or, near its faces, in an adjacent one.
    let cell_of = |point: [f64; 3], shift: [f64; 3]| {
        [0, 1, 2].map(|d| ((point[d] + shift[d] * tolerance) / (4.0 * tolerance)).floor() as i64)
    };
    let mut cells: HashMap<[i64; 3], Vec<(usize, [f64; 3])>> = HashMap::new();
    for (number, patch) in patches.iter().enumerate() {
        let mut on_sides: Vec<usize> =
            Side::ALL.into_iter().flat_map(|side| side_points(patch.counts(), side)).collect();
        on_sides.sort_unstable();
        on_sides.dedup();
        for local in on_sides {
            let (point, global) = (patch.points[local], starts[number] + local);
            let mut looked_at: Vec<[i64; 3]> = Vec::with_capacity(8);
            for corner in 0..8 {
                let shift = [0, 1, 2].map(|d| if corner >> d & 1 == 1 { 1.0 } else { -1.0 });
                let cell = cell_of(point, shift);
                if looked_at.contains(&cell) {
                    continue;
                }
                looked_at.push(cell);
                for &(other, place) in cells.get(&cell).into_iter().flatten() {
                    if distance(point, place) <= tolerance {
                        same.join(global, other);
                    }
                }
            }
            cells.entry(cell_of(point, [0.0; 3])).or_default().push((global, point));
        }
    }
    let counts = patches.iter().map(Patch::counts).collect();
    Gluing::of_numbers(counts, number_classes(&mut same, &starts))
}

/// The knots along two glued sides must be the same once mapped to \[0,1\].
fn check_knots(patches: &[Patch], interface: &Interface) -> Result<(), GlueError> {
    let (first, second) = (interface.first, interface.second);
    for (tangent, (direction, reversed)) in first.1.tangents().into_iter().zip(interface.directions()) {
        let other = &patches[second.0 as usize].basis[direction];
        let other = if reversed { other.reversed() } else { other.clone() };
        if !patches[first.0 as usize].basis[tangent].matches(&other, SAME_BASIS) {
            return Err(GlueError::Knots { first, second });
        }
    }
    Ok(())
}

/// Multiplies the weights of each patch by a factor such that shared points have one weight.
///
/// Points that a patch merges within itself (collapsed edges) may keep different weights.
fn scale_weights(patches: &mut [Patch], gluing: &Gluing) -> Result<(), GlueError> {
    let ids = gluing.ids();
    let mut owners: Vec<Vec<(usize, usize)>> = vec![Vec::new(); gluing.n_points()];
    for (patch, patch_ids) in ids.iter().enumerate() {
        for (local, &id) in patch_ids.iter().enumerate() {
            owners[id as usize].push((patch, local));
        }
    }
    // A point that one patch contains twice does not define a ratio.
    for list in &mut owners {
        if list.windows(2).any(|pair| pair[0].0 == pair[1].0) {
            list.clear();
        }
    }
    let mut done = vec![false; patches.len()];
    for seed in 0..patches.len() {
        if done[seed] {
            continue;
        }
        done[seed] = true;
        let mut queue = VecDeque::from([seed]);
        while let Some(first) = queue.pop_front() {
            for (local, &id) in ids[first].iter().enumerate() {
                for &(second, there) in &owners[id as usize] {
                    let ratio = patches[first].weights[local] / patches[second].weights[there];
                    if !done[second] {
                        done[second] = true;
                        queue.push_back(second);
                        if (ratio - 1.0).abs() > 1e-14 {
                            patches[second].weights.iter_mut().for_each(|w| *w *= ratio);
                        }
                    } else if (ratio - 1.0).abs() > SAME_BASIS {
                        let point = patches[first].points[local];
                        return Err(GlueError::Weights { first, second, ratio, expected: 1.0, point });
                    }
                }
            }
        }
    }
    Ok(())
}
