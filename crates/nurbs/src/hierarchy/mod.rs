//! Local refinement by truncated hierarchical B-splines (THB).
//!
//! [`Multipatch::refine_near`] divides the knot spans near a place into eight each, level by level. The map
//! of the body, weights included, changes only by rounding. A [`Tree`] has the divided cells, a
//! [`HierarchicalPatch`] has a control point for each active function, and a [`Space`] numbers these over
//! all glued patches and lists the points that move each cell.
//!
//! ```
//! use carom_nurbs::{Near, solids};
//!
//! let ball = solids::ball(0.015, None)?.elements([4; 3])?;
//! let fine = ball.refine_near(&[Near::point([0.0, 0.0, 0.015], 1.0e-3, 3)])?;
//! assert!(fine.n_body_points() < 2 * ball.n_body_points());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod cells;
mod lines;
mod near;
mod numbers;
mod patch;
mod space;
mod tree;

use thiserror::Error;

use crate::topology::Topology;
use crate::{Multipatch, Patch};

pub(crate) use cells::Cells;
pub(crate) use lines::Lattice;
pub use near::{Near, Target};
pub use numbers::CellNumbers;
pub use patch::HierarchicalPatch;
pub use space::{LevelGrid, Space, UNUSED};
pub use tree::{Cell, Tree};

/// Largest level: knot spans of level 0 divided by 2¹².
pub const MAX_LEVEL: usize = 12;
/// Largest number of control points.
const MAX_POINTS: usize = 40_000_000;
/// Largest number of control points of a tensor product on the finest level, in addition to four for each
/// given point.
const MAX_TENSOR: usize = 500_000;
/// Largest number of cells that are divided in one level: a body of eight times as many is too large for
/// the following steps.
pub(crate) const MAX_CELLS: usize = 100_000;

/// Errors of a local refinement.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum HierarchyError {
    /// An invalid length.
    #[error("the radius {radius} m is not possible: it must be 0 or more")]
    Radius {
        /// The given value \[m\].
        radius: f64,
    },
    /// Too many levels.
    #[error(
        "{levels} levels are not possible: at least 1 and, with those that are there, at most {MAX_LEVEL}"
    )]
    Levels {
        /// The given value.
        levels: usize,
    },
    /// The user requested a stop.
    #[error("the local refinement was interrupted")]
    Interrupted,
    /// No cell is near.
    #[error(
        "no part of the body lies within {radius:.3e} m of ({}, {}, {}): its nearest point is {distance:.3e} \
         m away",
        tidy(at[0]), tidy(at[1]), tidy(at[2])
    )]
    Away {
        /// The place \[m\].
        at: [f64; 3],
        /// The given radius \[m\].
        radius: f64,
        /// Distance of the body \[m\].
        distance: f64,
    },
    /// The body has this refinement already.
    #[error(
        "the cells there are divided {levels} times already: levels count from the knot spans of the body \
         before local refinement; request more of them, or a larger radius"
    )]
    NothingNew {
        /// The given number of levels.
        levels: usize,
    },
    /// Glued patches are divided differently along a shared side or edge.
    #[error(
        "patch {patch} is not divided like the patches it is glued to (level {level}): divide the cells on \
         both sides of an interface alike"
    )]
    Mismatch {
        /// Number of the patch.
        patch: usize,
        /// The level at which they differ.
        level: usize,
    },
    /// Too many cells are near.
    #[error(
        "{cells} cells of level {level} are near the place, more than {MAX_CELLS} to be divided: use a \
         smaller radius or fewer levels, or divide the whole body (--subdivide) and refine less"
    )]
    TooManyCells {
        /// The level whose cells were to be divided.
        level: usize,
        /// Their number.
        cells: usize,
    },
    /// The patches do not fit the body, or their lists do not fit their cells.
    #[error("patch {patch} of the local refinement has {found} {what}, its cells need {needed}")]
    Count {
        /// Number of the patch.
        patch: usize,
        /// Name of the counted items.
        what: &'static str,
        /// The number found.
        found: usize,
        /// The number needed.
        needed: usize,
    },
    /// The body would not fit into memory.
    #[error(
        "level {level} of patch {patch} would have {points} places for control points, and all levels more \
         than {MAX_POINTS}: take fewer levels, or a smaller radius"
    )]
    TooMany {
        /// Number of the patch.
        patch: usize,
        /// The level.
        level: usize,
        /// Size of the box of functions.
        points: usize,
    },
}

/// A coordinate without rounding noise \[m\].
fn tidy(x: f64) -> f64 {
    (x * 1e9).round() / 1e9 + 0.0
}

/// A hierarchical refinement of all patches of a body.
#[derive(Debug, Clone, PartialEq)]
pub struct Hierarchy {
    /// One for each patch of the body, over the same parameters.
    pub patches: Vec<HierarchicalPatch>,
    /// Number of points of the body: active functions after gluing.
    pub n_points: usize,
}

impl Hierarchy {
    /// Takes refined patches and counts their points.
    ///
    /// # Errors
    ///
    /// [`HierarchyError::Mismatch`] if glued patches are divided differently.
    pub(crate) fn new(patches: Vec<HierarchicalPatch>, topology: &Topology) -> Result<Self, HierarchyError> {
        let mut hierarchy = Self { patches, n_points: 0 };
        hierarchy.check_size()?;
        hierarchy.n_points = Space::new(&hierarchy, topology)?.points.len();
        Ok(hierarchy)
    }

    /// Refuses boxes of functions that would not fit into memory.
    fn check_size(&self) -> Result<(), HierarchyError> {
        let mut total = 0_usize;
        for (number, patch) in self.patches.iter().enumerate() {
            for level in 1..patch.tree.n_levels() {
                let (mut low, mut high) = ([u32::MAX; 3], [0; 3]);
                for cell in patch.tree.divided(level - 1) {
                    for d in 0..3 {
                        low[d] = low[d].min(2 * cell[d]);
                        high[d] = high[d].max(2 * cell[d] + 2);
                    }
                }
                let points = (0..3)
                    .map(|d| high[d].saturating_sub(low[d]) as usize + patch.basis[d].degree())
                    .fold(1_usize, usize::saturating_mul);
                total = total.saturating_add(points);
                if total > MAX_POINTS {
                    return Err(HierarchyError::TooMany { patch: number, level, points });
                }
            }
        }
        Ok(())
    }
}

impl Multipatch {
    /// Number of control points of the body: those of its hierarchical refinement, if it has one.
    pub fn n_body_points(&self) -> usize {
        self.hierarchy.as_ref().map_or(self.n_points(), |hierarchy| hierarchy.n_points)
    }

    /// How its cells are numbered block by block.
    pub fn cell_numbers(&self) -> CellNumbers {
        CellNumbers::new(self.cells())
    }

    /// The functions of the hierarchical refinement on their cells; `None` if the body has none.
    ///
    /// # Errors
    ///
    /// [`HierarchyError::Mismatch`] if glued patches are divided differently.
    pub fn space(&self) -> Result<Option<Space>, HierarchyError> {
        let topology = self.topology();
        self.hierarchy.as_ref().map(|hierarchy| Space::new(hierarchy, &topology)).transpose()
    }

    /// The body with a refinement of its patches, as it was stored.
    ///
    /// # Errors
    ///
    /// [`HierarchyError`] if it does not fit the body.
    pub fn with_hierarchy(self, patches: Vec<HierarchicalPatch>) -> Result<Self, HierarchyError> {
        if patches.len() != self.patches.len() {
            let (found, needed) = (patches.len(), self.patches.len());
            return Err(HierarchyError::Count { patch: 0, what: "patches", found, needed });
        }
        for (number, patch) in patches.iter().enumerate() {
            let needed = patch.n_active().iter().sum();
            for (what, found) in [("control points", patch.points.len()), ("weights", patch.weights.len())] {
                if found != needed {
                    return Err(HierarchyError::Count { patch: number, what, found, needed });
                }
            }
        }
        let hierarchy = Hierarchy::new(patches, &self.topology())?;
        Ok(Self { hierarchy: Some(hierarchy), ..self })
    }

    /// Multiplies all coordinates by a factor.
    pub fn scale(&mut self, factor: f64) {
        let of_patches = self.patches.iter_mut().map(|patch| &mut patch.points);
        let of_hierarchy = self
            .hierarchy
            .iter_mut()
            .flat_map(|hierarchy| &mut hierarchy.patches)
            .map(|patch| &mut patch.points);
        for point in of_patches.chain(of_hierarchy).flatten() {
            *point = point.map(|x| factor * x);
        }
    }

    /// Glues patches that are refined hierarchically.
    ///
    /// # Errors
    ///
    /// As [`Multipatch::glue`], and [`HierarchyError::Mismatch`].
    pub fn glue_hierarchical(patches: Vec<HierarchicalPatch>) -> Result<Self, crate::GlueError> {
        let patches: Vec<HierarchicalPatch> =
            patches.into_iter().map(HierarchicalPatch::right_handed).collect();
        // All on one level, so that glued sides have the same knots.
        let finest = patches.iter().map(|patch| patch.tree.n_levels() - 1).max().unwrap_or(0);
        let places = |patch: &HierarchicalPatch| {
            let counts = patch.basis.each_ref().map(|basis| (basis.n_functions()) << finest);
            counts.into_iter().fold(1_usize, usize::saturating_mul)
        };
        let needed = patches.iter().map(places).fold(0, usize::saturating_add);
        let given: usize = patches.iter().map(|patch| patch.points.len()).sum();
        let most = MAX_TENSOR + 4 * given;
        if needed > most {
            return Err(crate::GlueError::TooFine { levels: finest, needed, most });
        }
        let tensor: Vec<Patch> = patches.iter().map(|patch| patch.tensor_product_of(finest)).collect();
        let weights: Vec<f64> = tensor.iter().map(|patch| patch.weights[0]).collect();
        let mut body = Self::glue(tensor)?;
        let mut scaled = patches;
        for ((patch, glued), old) in scaled.iter_mut().zip(&body.patches).zip(weights) {
            let factor = glued.weights[0] / old;
            patch.weights.iter_mut().for_each(|w| *w *= factor);
        }
        body.hierarchy = Some(Hierarchy::new(scaled, &body.topology())?);
        Ok(body)
    }
}
