//! Points and strains of the cells.

use carom_mesh::CellShape;

use crate::quadrature::QuadratureRule;

/// Points at which the internal force is integrated, and the strains there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PointRule {
    /// The points of the stiffness.
    Cell(QuadratureRule),
    /// One point in the centre of each mesh cell; the default points in NURBS cells.
    ///
    /// A hex8 then has twelve zero-energy modes in addition to its rigid motions: the caller must control
    /// them.
    Centre,
    /// The points of the stiffness, with one volume ratio in each hex8, wedge6 and pyramid5: these cells do not
    /// lock when the material is nearly incompressible or yields. Other kinds of cells have the points of
    /// the stiffness.
    MeanDilatation,
    /// One point in each hex8, with mean gradients and hourglass control by assumed strains. Other kinds of cells
    /// have the points of the stiffness.
    OnePoint,
}

impl Default for PointRule {
    fn default() -> Self {
        Self::Cell(QuadratureRule::Default)
    }
}

impl PointRule {
    /// Whether cells of this kind have one volume ratio: linear ones with several points.
    pub(super) fn has_mean_dilatation(self, shape: CellShape) -> bool {
        self == Self::MeanDilatation && shape.order() == 1 && shape.table().linear != CellShape::Tet4
    }
}
