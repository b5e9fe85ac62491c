//! The content of a file about a body, and the body made from it.

use super::{Note, Place, ReadError};
use crate::topology::{Orientation, side_counts, side_index};
use crate::{HierarchicalPatch, Multipatch, Patch, Side};

/// The content that a reader finds in a file, with the numbers of patches and sides in the file.
pub(super) struct Contents {
    /// In the order of the file, right- or left-handed.
    pub(super) patches: Vec<Patch>,
    /// The same patches with their local refinement; empty without one.
    pub(super) hierarchical: Vec<HierarchicalPatch>,
    /// Interfaces that the file lists, for a check.
    pub(super) interfaces: Vec<ListedInterface>,
    /// Names of boundaries, each with a patch and a side.
    pub(super) boundaries: Vec<(String, (usize, Side))>,
    /// Notes for the user.
    pub(super) notes: Vec<Note>,
}

/// An interface as a file lists it.
pub(super) struct ListedInterface {
    /// Place in the file.
    pub(super) place: Place,
    /// Patch and side.
    pub(super) first: (usize, Side),
    /// Patch and side.
    pub(super) second: (usize, Side),
    /// If the file says so: for each tangent direction of the first side, ascending, the direction of the
    /// second patch and whether reversed, as in [`crate::Interface::directions`].
    pub(super) directions: Option<[(usize, bool); 2]>,
}

impl Contents {
    /// Patches without further information in the file.
    pub(super) fn of(patches: Vec<Patch>) -> Self {
        Self {
            patches,
            hierarchical: Vec::new(),
            interfaces: Vec::new(),
            boundaries: Vec::new(),
            notes: Vec::new(),
        }
    }

    /// Reverses left-handed patches, glues all, checks the interfaces and names the boundaries.
    ///
    /// Returns also notes for the user, for instance about patches that were refined to match their
    /// neighbours.
    pub(super) fn body(self) -> Result<(Multipatch, Vec<Note>), ReadError> {
        let Self { mut patches, hierarchical, interfaces, boundaries, mut notes } = self;
        let turned = patches.iter_mut().map(Patch::make_right_handed).collect();
        let (body, matched) = if hierarchical.is_empty() {
            Multipatch::glue_matching(patches)?
        } else {
            (Multipatch::glue_hierarchical(hierarchical)?, Vec::new())
        };
        notes.extend(matched.into_iter().map(Note::Matched));
        let mut glued = Glued { body, turned };
        interfaces.into_iter().try_for_each(|interface| glued.check(interface))?;
        for (name, side) in boundaries {
            let side = glued.side(side);
            glued.body.regions.entry(name).or_default().sides.push(side);
        }
        Ok((glued.body, notes))
    }
}

/// A glued body with a list of the patches that were reversed to be right-handed.
struct Glued {
    body: Multipatch,
    turned: Vec<bool>,
}

impl Glued {
    /// The side of the body with this name in the file: a reversed patch has its third direction reversed.
    fn side(&self, (patch, side): (usize, Side)) -> (u32, Side) {
        let reversed = self.turned[patch] && side.direction() == 2;
        (patch as u32, if reversed { Side::of(2, !side.is_end()) } else { side })
    }

    fn check(&self, interface: ListedInterface) -> Result<(), ReadError> {
        let ListedInterface { place, first, second, directions } = interface;
        let (ours, theirs) = (self.side(first), self.side(second));
        let wrong = |turned| ReadError::Interface { place, first: ours, second: theirs, turned };
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

    /// True if the points of two sides are the same in these directions.
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
            self.body.point_ids()[patch as usize][side_index(counts, side, ij)]
        };
        fits && (0..n * m).map(|ij| [ij % n, ij / n]).all(|ij| {
            id(first, here.0.counts(), ij) == id(second, there.0.counts(), orientation.map(ij, counts))
        })
    }
}
