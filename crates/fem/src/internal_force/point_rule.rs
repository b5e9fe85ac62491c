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
    /// The points of the stiffness, with one volume ratio in each hex8, wedge6 and pyramid5: these cells do
    /// not lock when the material is nearly incompressible or yields. Other kinds of cells have the points of
    /// the stiffness.
    MeanDilatation,
    /// One point in each hex8, with mean gradients and hourglass control by assumed strains. Other kinds of
    /// cells have the points of the stiffness.
    OnePoint,
}

impl Default for PointRule {
    fn default() -> Self {
        Self::Cell(QuadratureRule::Default)
    }
}

impl PointRule {
    /// Names of the rules that bodies of a scenario may have.
    pub const NAMES: [(&'static str, Self); 3] = [
        ("full", Self::Cell(QuadratureRule::Default)),
        ("mean-dilatation", Self::MeanDilatation),
        ("one-point", Self::OnePoint),
    ];

    /// The rule of that name.
    pub fn named(name: &str) -> Option<Self> {
        Self::NAMES.iter().find(|(own, _)| *own == name).map(|(_, rule)| *rule)
    }

    /// Whether the strain at a point of some cells depends on their other points.
    pub fn couples_points(self) -> bool {
        matches!(self, Self::MeanDilatation | Self::OnePoint)
    }

    /// Whether cells of this kind have one volume ratio: linear ones with several points.
    pub(crate) fn has_mean_dilatation(self, shape: CellShape) -> bool {
        self == Self::MeanDilatation && shape.order() == 1 && shape.table().linear != CellShape::Tet4
    }
}
