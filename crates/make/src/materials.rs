//! Materials of parts of a mesh: physical volumes of Gmsh, element sets of Abaqus.

use carom_fem::{Body, Geometry, Material};
use carom_mesh::{Mesh, Set};
use thiserror::Error;

/// Errors of assigning a material to a set.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum SetMaterialError {
    /// The body has no such set of cells.
    #[error(
        "material `{material}`: the body has no set of cells `{set}`{}; {}",
        match kind { Some(kind) => format!(" (that set is one of {kind})"), None => String::new() },
        if known.is_empty() {
            "it has none at all: put the cells into physical volumes or element sets".to_owned()
        } else {
            format!("its sets of cells are {known}")
        }
    )]
    NoCells {
        /// Name of the material.
        material: String,
        /// The named set.
        set: String,
        /// The content of the set, if there is one.
        kind: Option<&'static str>,
        /// All sets of cells.
        known: String,
    },
    /// The set contains a part of a block of cells.
    #[error(
        "material `{material}`: `{set}` contains {part} of the {all} cells of a block, but all cells of a \
         block have the same material: in Gmsh put every cell into one physical volume, in Abaqus give each \
         part a \
         section"
    )]
    Part {
        /// Name of the material.
        material: String,
        /// The named set.
        set: String,
        /// Number of cells of the block in the set.
        part: usize,
        /// Number of cells of the block.
        all: usize,
    },
}

/// Assigns materials to the cells of sets, one after the other; unused materials are removed.
///
/// * `materials` — set and material
///
/// # Errors
///
/// [`SetMaterialError`]; the body may have some of the materials then.
pub fn set_materials(body: &mut Body, materials: &[(String, Material)]) -> Result<(), SetMaterialError> {
    if materials.is_empty() {
        return Ok(());
    }
    for (set, material) in materials {
        let blocks = match &body.geometry {
            Geometry::Mesh(mesh) => blocks_of_set(mesh, set, &material.name)?,
            Geometry::Nurbs(_) => return Err(no_cells(&material.name, set, None, String::new())),
        };
        let number = body.materials.len();
        body.materials.push(material.clone());
        blocks.into_iter().for_each(|block| body.material_of_block[block] = number);
    }
    // Equal materials are merged.
    let mut kept: Vec<Material> = Vec::new();
    for of_block in &mut body.material_of_block {
        let material = &body.materials[*of_block];
        *of_block = kept.iter().position(|known| known == material).unwrap_or_else(|| {
            kept.push(material.clone());
            kept.len() - 1
        });
    }
    body.materials = kept;
    Ok(())
}

fn no_cells(material: &str, set: &str, kind: Option<&'static str>, known: String) -> SetMaterialError {
    SetMaterialError::NoCells { material: material.to_owned(), set: set.to_owned(), kind, known }
}

/// The blocks in a set.
fn blocks_of_set(mesh: &Mesh, set: &str, material: &str) -> Result<Vec<usize>, SetMaterialError> {
    let Some(Set::Cells(cells)) = mesh.sets.get(set) else {
        let known: Vec<String> = mesh
            .sets
            .iter()
            .filter(|(_, set)| matches!(set, Set::Cells(_)))
            .map(|(name, _)| format!("`{name}`"))
            .collect();
        let kind = mesh.sets.get(set).map(Set::kind);
        return Err(no_cells(material, set, kind, known.join(", ")));
    };
    let mut held = vec![0; mesh.blocks.len()];
    cells.iter().for_each(|cell| held[cell.block as usize] += 1);
    let mut blocks = Vec::new();
    for (block, &part) in held.iter().enumerate().filter(|(_, part)| **part > 0) {
        let all = mesh.blocks[block].n_cells();
        if part < all {
            let (material, set) = (material.to_owned(), set.to_owned());
            return Err(SetMaterialError::Part { material, set, part, all });
        }
        blocks.push(block);
    }
    Ok(blocks)
}
