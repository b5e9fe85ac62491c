//! The cells of a body: knot spans of its patches, or cells of their local refinement.

use std::borrow::Cow;

use super::{Cell, HierarchicalPatch, Hierarchy, Lattice, Tree};
use crate::{KnotVector, Patch};

/// The cells of a body, with the same functions for whole patches and for refined ones.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cells<'a> {
    patches: &'a [Patch],
    hierarchy: Option<&'a Hierarchy>,
}

impl<'a> Cells<'a> {
    pub(crate) fn new(patches: &'a [Patch], hierarchy: Option<&'a Hierarchy>) -> Self {
        Self { patches, hierarchy }
    }

    /// Knot vectors of level 0 of a patch.
    fn level_zero(self, patch: usize) -> &'a [KnotVector; 3] {
        match self.hierarchy {
            Some(hierarchy) => &hierarchy.patches[patch].basis,
            None => &self.patches[patch].basis,
        }
    }

    /// The cells of a patch by level.
    pub(crate) fn tree(self, patch: usize) -> Cow<'a, Tree> {
        match self.hierarchy {
            Some(hierarchy) => Cow::Borrowed(&hierarchy.patches[patch].tree),
            None => {
                let spans = self.patches[patch].basis.each_ref().map(|basis| basis.spans().len() as u32);
                Cow::Owned(Tree::new(spans))
            }
        }
    }

    /// The lattice of a level of a patch.
    pub(crate) fn lattice(self, patch: usize, level: usize) -> Lattice {
        Lattice::new(self.level_zero(patch), level)
    }

    /// Parameters of a cell.
    pub(crate) fn bounds(self, patch: usize, level: usize, cell: Cell) -> [[f64; 2]; 3] {
        self.lattice(patch, level).bounds(cell)
    }

    /// All patches as refined ones, to be refined further.
    pub(crate) fn refined_patches(self) -> Vec<HierarchicalPatch> {
        match self.hierarchy {
            Some(hierarchy) => hierarchy.patches.clone(),
            None => self.patches.iter().map(HierarchicalPatch::of).collect(),
        }
    }

    /// True with a local refinement.
    pub(crate) fn are_refined(self) -> bool {
        self.hierarchy.is_some()
    }

    /// Number of patches.
    pub(crate) fn n_patches(self) -> usize {
        self.patches.len()
    }
}
