//! The body that the patches of a file make, under the names that the file gives to its sides.

use super::{Place, ReadError};
use crate::topology::{Orientation, side_counts, side_index};
use crate::{Matched, Multipatch, Patch, Side};

/// Glues patches; what was refined to match its neighbours is added to a list.
pub(super) fn glue(patches: Vec<Patch>, matched: &mut Vec<Matched>) -> Result<Multipatch, ReadError> {
    let (body, refined) = Multipatch::glue_matching(patches)?;
    matched.extend(refined);
    Ok(body)
}

/// A glued body that knows which patches were turned to be right-handed.
pub(super) struct Glued {
    pub(super) body: Multipatch,
    turned: Vec<bool>,
}

impl Glued {
    /// Turns left-handed patches and glues all.
    pub(super) fn new(mut patches: Vec<Patch>, matched: &mut Vec<Matched>) -> Result<Self, ReadError> {
        let turned = patches.iter_mut().map(Patch::make_right_handed).collect();
        Ok(Self { body: glue(patches, matched)?, turned })
    }

    /// The side of the body that the file calls so: a turned patch has its third direction reversed.
    pub(super) fn side(&self, patch: usize, side: Side) -> (u32, Side) {
        let reversed = self.turned[patch] && side.direction() == 2;
        (patch as u32, if reversed { Side::of(2, !side.is_end()) } else { side })
    }

    /// Checks an interface that the file lists.
    ///
    /// * `directions` — if the file says so: for each tangent direction of the first side, ascending, the direction of
    ///   the second patch and whether reversed, as in [`crate::Interface::directions`], in the parameters of the file
    pub(super) fn check_interface(
        &self,
        place: Place,
        first: (usize, Side),
        second: (usize, Side),
        directions: Option<[(usize, bool); 2]>,
    ) -> Result<(), ReadError> {
        let (ours, theirs) = (self.side(first.0, first.1), self.side(second.0, second.1));
        let wrong =
            |turned| ReadError::Interface { place: place.clone(), first: ours, second: theirs, turned };
        if self.body.side_ids(ours) != self.body.side_ids(theirs) {
            return Err(wrong(false));
        }
        let Some(mut directions) = directions else { return Ok(()) };
        for (tangent, (direction, reversed)) in first.1.tangents().into_iter().zip(&mut directions) {
            *reversed ^= self.turned[first.0] && tangent == 2;
            *reversed ^= self.turned[second.0] && *direction == 2;
        }
        if self.coincide(ours, theirs, directions) { Ok(()) } else { Err(wrong(true)) }
    }

    /// Whether the points of two sides are the same ones in these directions.
    ///
    /// A side that is its own mirror image (two collapsed edges) coincides in more than one way.
    fn coincide(&self, first: (u32, Side), second: (u32, Side), directions: [(usize, bool); 2]) -> bool {
        let tangents = second.1.tangents();
        let [(a, a_reversed), (b, b_reversed)] = directions;
        let orientation = if [a, b] == tangents {
            Orientation { swapped: false, reversed: [a_reversed, b_reversed] }
        } else if [b, a] == tangents {
            Orientation { swapped: true, reversed: [b_reversed, a_reversed] }
        } else {
            return false;
        };
        let [here, there] = [first, second].map(|(patch, side)| (&self.body.patches[patch as usize], side));
        let [n, m] = side_counts(here.0.counts(), here.1);
        let counts = side_counts(there.0.counts(), there.1);
        let fits = counts == if orientation.swapped { [m, n] } else { [n, m] };
        let id = |(patch, side): (u32, Side), counts, ij| {
            self.body.point_ids[patch as usize][side_index(counts, side, ij)]
        };
        fits && (0..n * m).map(|ij| [ij % n, ij / n]).all(|ij| {
            id(first, here.0.counts(), ij) == id(second, there.0.counts(), orientation.map(ij, counts))
        })
    }
}
