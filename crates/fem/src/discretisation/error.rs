//! Errors from making a discretisation.

use carom_mesh::SectionError;
use carom_nurbs::HierarchyError;
use carom_nurbs::basis::MAX_DEGREE;
use thiserror::Error;

use crate::material::MaterialError;

/// Errors from making the discretisation of a body.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum DiscretisationError {
    /// The body has no cells.
    #[error("body `{body}` has no cells")]
    Empty {
        /// Name of the body.
        body: String,
    },
    /// The materials do not cover the blocks.
    #[error("body `{body}` has {n_blocks} blocks of cells, but materials for {n_given}; give one each")]
    MaterialCount {
        /// Name of the body.
        body: String,
        /// Number of blocks or patches.
        n_blocks: usize,
        /// Length of the list of materials by block.
        n_given: usize,
    },
    /// A block refers to a material that the body does not have.
    #[error(
        "body `{body}`: block {block} has material number {material}, but there are {n_materials} (counted \
         from 0)"
    )]
    NoSuchMaterial {
        /// Name of the body.
        body: String,
        /// Number of the block.
        block: usize,
        /// The number given.
        material: usize,
        /// Number of materials.
        n_materials: usize,
    },
    /// The constants of a material are invalid.
    #[error("body `{body}`: {source}")]
    Material {
        /// Name of the body.
        body: String,
        /// The quantity out of range.
        source: MaterialError,
    },
    /// A cell or patch refers to a point that does not exist.
    #[error("body `{body}`: block {block} uses point {point}, but there are {n_points} (counted from 0)")]
    NoSuchPoint {
        /// Name of the body.
        body: String,
        /// Number of the block or patch.
        block: usize,
        /// The number given.
        point: u32,
        /// Number of points.
        n_points: usize,
    },
    /// The length of a list is inconsistent with the others.
    #[error("body `{body}`: block {block}: {list} has {found} entries, not {expected}")]
    Length {
        /// Name of the body.
        body: String,
        /// Number of the block or patch.
        block: usize,
        /// Name of the list.
        list: &'static str,
        /// Length of the list.
        found: usize,
        /// Required length (for the connectivity of a mesh: a multiple of it).
        expected: usize,
    },
    /// The degree of a patch is not supported.
    #[error(
        "body `{body}`: patch {patch}: direction {direction} has degree {degree}; degrees from 1 to \
         {MAX_DEGREE} are possible"
    )]
    Degree {
        /// Name of the body.
        body: String,
        /// Number of the patch.
        patch: usize,
        /// 0, 1 or 2.
        direction: usize,
        /// Its degree.
        degree: usize,
    },
    /// A weight is not positive.
    #[error(
        "body `{body}`: patch {patch}: the weight of control point {point} is {weight}; it must be above 0"
    )]
    Weight {
        /// Name of the body.
        body: String,
        /// Number of the patch.
        patch: usize,
        /// Number of the control point in the patch.
        point: usize,
        /// The weight.
        weight: f64,
    },
    /// A block has no section, or one of another kind.
    #[error(
        "body `{body}`: block {block} of {shape} cells has no section of its kind: shells need a thickness, \
         beams a cross-section, solids neither; give it in the file (*SHELL SECTION, *BEAM SECTION) or by \
         `thickness`"
    )]
    Section {
        /// Name of the body.
        body: String,
        /// Number of the block.
        block: usize,
        /// Kind of its cells.
        shape: &'static str,
    },
    /// A section with an impossible number.
    #[error("body `{body}`: block {block}: {source}")]
    ImpossibleSection {
        /// Name of the body.
        body: String,
        /// Number of the block.
        block: usize,
        /// The number.
        source: SectionError,
    },
    /// The body has solids in addition to shells or beams.
    #[error(
        "body `{body}` has solid cells and shells or beams: their points have different freedoms, and no \
         scheme joins them within a body yet; make two bodies"
    )]
    Mixed {
        /// Name of the body.
        body: String,
    },
    /// The local refinement of the body is inconsistent.
    #[error("body `{body}`: {source}")]
    Hierarchy {
        /// Name of the body.
        body: String,
        /// The inconsistency.
        source: HierarchyError,
    },
}
