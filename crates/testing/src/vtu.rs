//! Reads .vtu files by `vtkio`, which shares no code with our writer.

use std::path::Path;

use vtkio::model::{Attribute, DataSet, Piece};

/// Result of [`read`]: points, cells and arrays of a grid.
pub use vtkio::model::UnstructuredGridPiece;

/// The first piece of an unstructured grid; our files have one.
///
/// # Panics
///
/// If the file cannot be read or has other content.
pub fn read(path: &Path) -> UnstructuredGridPiece {
    let vtk = vtkio::Vtk::import(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let DataSet::UnstructuredGrid { mut pieces, .. } = vtk.data else { panic!("not an unstructured grid") };
    match pieces.remove(0) {
        Piece::Inline(piece) => *piece,
        other => panic!("not an inline piece: {other:?}"),
    }
}

/// The values of a named array among those of the points or cells, one tuple after another.
///
/// # Panics
///
/// If there is no array of this name.
pub fn array(attributes: &[Attribute], name: &str) -> Vec<f64> {
    let found = attributes.iter().find_map(|a| match a {
        Attribute::DataArray(array) if array.name == name => array.data.clone().cast_into::<f64>(),
        _ => None,
    });
    found.unwrap_or_else(|| panic!("no array {name}"))
}
