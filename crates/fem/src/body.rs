//! A body as stored in a file: geometry and materials.

use carom_mesh::Mesh;
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
}
