//! A body as stored in a file: geometry and materials.

use carom_mesh::{Mesh, Section};
use carom_nurbs::Multipatch;

pub use crate::material::Material;

/// The geometry of the source, without tessellation or approximation.
#[derive(Debug, Clone, PartialEq)]
pub enum Geometry {
    /// A finite-element mesh.
    Mesh(Mesh),
    /// Glued NURBS patches.
    Nurbs(Multipatch),
}

/// A body: geometry with a material for each block of cells (mesh) or patch (NURBS).
#[derive(Debug, Clone, PartialEq)]
pub struct Body {
    /// Name, as shown to the user.
    pub name: String,
    /// Points, cells and sets.
    pub geometry: Geometry,
    /// Materials of the body.
    pub materials: Vec<Material>,
    /// Index into `materials` for each block or patch.
    pub material_of_block: Vec<usize>,
    /// Section of each block, for shells and beams; empty for solids.
    pub sections: Vec<Option<Section>>,
}

impl Body {
    /// The section of a block, if it has one.
    pub fn section(&self, block: usize) -> Option<Section> {
        self.sections.get(block).copied().flatten()
    }

    /// True if the body has shells or beams.
    pub fn is_structural(&self) -> bool {
        match &self.geometry {
            Geometry::Mesh(mesh) => mesh.blocks.iter().any(|block| !block.shape.is_solid()),
            Geometry::Nurbs(_) => false,
        }
    }

    /// True if the body has beams, which have no faces.
    pub fn has_beams(&self) -> bool {
        match &self.geometry {
            Geometry::Mesh(mesh) => mesh.blocks.iter().any(|block| block.shape.table().dimension == 1),
            Geometry::Nurbs(_) => false,
        }
    }
}
