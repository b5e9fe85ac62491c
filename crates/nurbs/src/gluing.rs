//! Equal control points of the patches of a body: their numbers, without their coordinates.

use crate::topology::{Interface, Topology, corner_ids, side_counts, side_points};
use crate::{Patch, Side};

/// Errors of the numbers of control points.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum GluingError {
    /// The number of lists is not that of the patches.
    #[error("there are numbers for {found} patches; the body has {needed}")]
    Patches {
        /// Lists of numbers.
        found: usize,
        /// Patches.
        needed: usize,
    },
    /// A patch has a wrong number of numbers.
    #[error("patch {patch} has {needed} control points, but {found} numbers")]
    Count {
        /// Number of the patch.
        patch: usize,
        /// Numbers.
        found: usize,
        /// Control points.
        needed: usize,
    },
    /// A number is too large.
    #[error("control point {local} of patch {patch} has the number {id}; the body has {n_points} points")]
    Number {
        /// Number of the patch.
        patch: usize,
        /// Number of the point in its patch.
        local: usize,
        /// Its number in the body.
        id: u32,
        /// Points of the body.
        n_points: usize,
    },
}

/// The numbers of the control points of glued patches: points that are the same have one number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Gluing {
    /// Control points of each patch in its three directions.
    counts: Vec<[usize; 3]>,
    /// For each patch, the number of each of its control points in the glued body.
    ids: Vec<Vec<u32>>,
    /// Number of control points after gluing.
    n_points: usize,
}

impl Gluing {
    /// Checks the numbers of control points.
    ///
    /// * `ids` — for each patch the number of each of its control points, first direction fastest
    /// * `n_points` — number of control points of the body
    ///
    /// # Errors
    ///
    /// [`GluingError`] if there are too many or too few numbers, or one is too large.
    pub fn new(patches: &[Patch], ids: Vec<Vec<u32>>, n_points: usize) -> Result<Self, GluingError> {
        if ids.len() != patches.len() {
            return Err(GluingError::Patches { found: ids.len(), needed: patches.len() });
        }
        let counts: Vec<[usize; 3]> = patches.iter().map(Patch::counts).collect();
        for (patch, (ids, counts)) in ids.iter().zip(&counts).enumerate() {
            let needed = counts.iter().product();
            if ids.len() != needed {
                return Err(GluingError::Count { patch, found: ids.len(), needed });
            }
            if let Some(local) = ids.iter().position(|&id| id as usize >= n_points) {
                return Err(GluingError::Number { patch, local, id: ids[local], n_points });
            }
        }
        Ok(Self { counts, ids, n_points })
    }

    /// Numbers that are correct by construction.
    pub(crate) fn of_numbers(counts: Vec<[usize; 3]>, (ids, n_points): (Vec<Vec<u32>>, usize)) -> Self {
        Self { counts, ids, n_points }
    }

    /// The numbers of refined patches with the same relations.
    pub(crate) fn of_refined(patches: &[Patch], topology: &Topology) -> Self {
        let counts: Vec<_> = patches.iter().map(Patch::counts).collect();
        let numbers = topology.number(&counts);
        Self::of_numbers(counts, numbers)
    }

    /// Number of control points after gluing.
    pub fn n_points(&self) -> usize {
        self.n_points
    }

    /// For each patch, the number of each of its control points in the glued body.
    pub fn ids(&self) -> &[Vec<u32>] {
        &self.ids
    }

    /// Number of patches.
    pub fn n_patches(&self) -> usize {
        self.counts.len()
    }

    /// The relations between sides, edges and corners.
    pub(crate) fn topology(&self) -> Topology {
        Topology::of(&self.counts, &self.ids)
    }

    /// The glued pairs of sides.
    pub fn interfaces(&self) -> Vec<Interface> {
        self.topology().interfaces
    }

    /// The sides that make up the surface of the body, ascending; collapsed sides are not among them.
    pub fn outer_sides(&self) -> Vec<(u32, Side)> {
        self.topology().outer_sides(self.n_patches())
    }

    /// Numbers of all control points of a side, ascending.
    pub fn side_ids(&self, (patch, side): (u32, Side)) -> Vec<u32> {
        let (counts, ids) = self.of(patch);
        ascending(side_points(counts, side).into_iter().map(|local| ids[local]))
    }

    /// Numbers of the control points of the four edges of a side, ascending.
    pub(crate) fn rim(&self, (patch, side): (u32, Side)) -> Vec<u32> {
        let (counts, ids) = self.of(patch);
        let [n, m] = side_counts(counts, side);
        let of_side = side_points(counts, side).into_iter().enumerate();
        let on_rim = of_side.filter(|(k, _)| k % n == 0 || k % n == n - 1 || k / n == 0 || k / n == m - 1);
        ascending(on_rim.map(|(_, local)| ids[local]))
    }

    /// Numbers of the four corners of a side.
    pub(crate) fn corners(&self, (patch, side): (u32, Side)) -> [u32; 4] {
        let (counts, ids) = self.of(patch);
        corner_ids(counts, ids, side)
    }

    fn of(&self, patch: u32) -> ([usize; 3], &[u32]) {
        (self.counts[patch as usize], &self.ids[patch as usize])
    }
}

fn ascending(ids: impl Iterator<Item = u32>) -> Vec<u32> {
    let mut ids: Vec<u32> = ids.collect();
    ids.sort_unstable();
    ids.dedup();
    ids
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::warped;

    #[test]
    fn point_numbers_that_do_not_fit_the_patches_are_refused() {
        let patch = warped();
        let n = patch.points.len();
        let patches = [patch];
        let numbers = |n: usize| vec![(0..n as u32).collect::<Vec<_>>()];
        let gluing = Gluing::new(&patches, numbers(n), n).unwrap();
        assert_eq!((gluing.n_points(), gluing.interfaces().len(), gluing.outer_sides().len()), (n, 0, 6));
        assert_eq!(Gluing::new(&patches, Vec::new(), n), Err(GluingError::Patches { found: 0, needed: 1 }));
        assert_eq!(
            Gluing::new(&patches, numbers(n + 1), n + 1),
            Err(GluingError::Count { patch: 0, found: n + 1, needed: n })
        );
        let too_large = GluingError::Number { patch: 0, local: n - 1, id: n as u32 - 1, n_points: n - 1 };
        assert_eq!(Gluing::new(&patches, numbers(n), n - 1), Err(too_large));
    }
}
