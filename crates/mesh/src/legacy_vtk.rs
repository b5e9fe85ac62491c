//! VTK's legacy unstructured grids (`.vtk`) as meshes, with the sets of [`vtu`]. Surfaces (`.vtp`) are errors
//! that explain how to obtain a solid.

use std::path::{Path, PathBuf};

use carom_vtk::{ReadLegacyError, read_legacy};

use crate::Mesh;
use crate::vtu::{self, GridMeshError, Note};

/// Error from reading the mesh of a `.vtk` or `.vtp` file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReadVtkError {
    /// The file cannot be read.
    #[error(transparent)]
    File(#[from] ReadLegacyError),
    /// The grid of the file is not a mesh.
    #[error("`{path}`: {source}")]
    Mesh {
        /// The file.
        path: PathBuf,
        /// Error in the grid.
        source: GridMeshError,
    },
    /// The file holds a surface without volume.
    #[error(
        "`{path}` is a surface (VTK PolyData): it has no volume, so it cannot be a body; save it as .stl, \
         mesh its inside with a mesher such as Gmsh, and import that mesh (.msh)"
    )]
    Surface {
        /// The file.
        path: PathBuf,
    },
}

/// Reads the mesh of a legacy `.vtk` file.
///
/// # Errors
///
/// [`ReadVtkError`]: the file cannot be read, is a surface, or its grid is not a mesh of solids.
pub fn read(path: &Path) -> Result<(Mesh, Vec<Note>), ReadVtkError> {
    let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
    if ending.eq_ignore_ascii_case("vtp") {
        return Err(ReadVtkError::Surface { path: path.to_owned() });
    }
    let grid = read_legacy(path)?;
    vtu::mesh(&grid).map_err(|source| ReadVtkError::Mesh { path: path.to_owned(), source })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::CellShape;

    fn written(name: &str, content: &str) -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        std::fs::write(&path, content).unwrap();
        (folder, path)
    }

    #[test]
    fn a_legacy_grid_is_a_mesh_with_its_sets() {
        let (_folder, path) = written(
            "two.vtk",
            "# vtk DataFile Version 3.0\ntwo tetrahedra\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 5 double\n\
             0 0 0 1 0 0 0 1 0 0 0 1 1 1 1.5\nCELLS 2 10\n4 0 1 2 3\n4 1 2 3 4\nCELL_TYPES 2\n10\n10\n\
             CELL_DATA 2\nSCALARS set:left int 1\nLOOKUP_TABLE default\n1\n0\n",
        );
        let (mesh, notes) = read(&path).unwrap();
        assert!(notes.is_empty(), "{notes:?}");
        assert_eq!(mesh.points.len(), 5);
        assert!(mesh.blocks.iter().all(|block| block.shape == CellShape::Tet4));
        assert!(mesh.sets.contains_key("left"));
    }

    #[test]
    fn a_surface_is_refused_with_the_way_to_a_solid() {
        let (_folder, path) = written("skin.vtp", "");
        let message = read(&path).unwrap_err().to_string();
        assert!(message.contains("skin.vtp` is a surface") && message.contains("Gmsh"), "{message}");
        let (_folder, path) = written(
            "skin.vtk",
            "# vtk DataFile Version 3.0\nskin\nASCII\nDATASET POLYDATA\nPOINTS 0 float\n",
        );
        let message = read(&path).unwrap_err().to_string();
        assert!(message.contains("line 4") && message.contains("POLYDATA"), "{message}");
    }
}
