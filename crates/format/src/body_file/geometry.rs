//! Meshes and their sets as arrays.

use std::collections::BTreeMap;
use std::io::{self, Seek, Write};

use carom_files::coordinates::ImpossiblePoint;
use carom_mesh::{CellBlock, CellRef, CellShape, FaceRef, Mesh, Set};

use super::read_indices;
use crate::npz::{ArchiveReader, ArchiveWriter, ReadArchiveError};

pub(super) fn write_mesh<W: Write + Seek>(archive: &mut ArchiveWriter<W>, mesh: &Mesh) -> io::Result<()> {
    archive.text("geometry", "mesh")?;
    archive.f64("points", &[mesh.points.len(), 3], mesh.points.as_flattened())?;
    let shapes: Vec<&str> = mesh.blocks.iter().map(|b| b.shape.name()).collect();
    archive.texts("block_shape", &shapes)?;
    for (i, block) in mesh.blocks.iter().enumerate() {
        let n_nodes = block.shape.n_nodes();
        archive.u32(
            &format!("block_{i}_cells"),
            &[block.connectivity.len() / n_nodes, n_nodes],
            &block.connectivity,
        )?;
    }
    write_sets(archive, &mesh.sets)
}

fn write_sets<W: Write + Seek>(
    archive: &mut ArchiveWriter<W>,
    sets: &BTreeMap<String, Set>,
) -> io::Result<()> {
    let names: Vec<&String> = sets.keys().collect();
    archive.texts("set_name", &names)?;
    let kinds: Vec<&str> = sets.values().map(set_kind).collect();
    archive.texts("set_kind", &kinds)?;
    for (i, set) in sets.values().enumerate() {
        let name = format!("set_{i}");
        match set {
            Set::Nodes(nodes) => archive.u32(&name, &[nodes.len(), 1], nodes)?,
            Set::Faces(faces) => {
                let rows: Vec<u32> =
                    faces.iter().flat_map(|f| [f.block, f.cell, u32::from(f.face)]).collect();
                archive.u32(&name, &[faces.len(), 3], &rows)?;
            }
            Set::Cells(cells) => {
                let rows: Vec<u32> = cells.iter().flat_map(|c| [c.block, c.cell]).collect();
                archive.u32(&name, &[cells.len(), 2], &rows)?;
            }
        }
    }
    Ok(())
}

fn set_kind(set: &Set) -> &'static str {
    match set {
        Set::Nodes(_) => "nodes",
        Set::Faces(_) => "faces",
        Set::Cells(_) => "cells",
    }
}

pub(super) fn read_mesh(archive: &mut ArchiveReader) -> Result<Mesh, ReadArchiveError> {
    let points = read_points(archive, "points")?;
    let mut blocks = Vec::new();
    for (i, name) in archive.texts("block_shape")?.into_iter().enumerate() {
        let Some(shape) = CellShape::from_name(&name) else {
            return Err(archive.unexpected("block_shape", format!("one of {}", CellShape::names()), name));
        };
        let extents = [None, Some(shape.n_nodes())];
        let connectivity = read_indices(archive, &format!("block_{i}_cells"), &extents, points.len())?;
        blocks.push(CellBlock { shape, connectivity });
    }
    let mut mesh = Mesh { points, blocks, sets: BTreeMap::new() };
    let names = archive.texts("set_name")?;
    let kinds = archive.texts("set_kind")?;
    if names.len() != kinds.len() {
        return Err(archive.unexpected(
            "set_kind",
            format!("{} texts", names.len()),
            kinds.len().to_string(),
        ));
    }
    for (i, (name, kind)) in names.into_iter().zip(kinds).enumerate() {
        let set = read_set(archive, &mesh, &format!("set_{i}"), &kind)?;
        mesh.sets.insert(name, set);
    }
    Ok(mesh)
}

pub(super) fn read_points(
    archive: &mut ArchiveReader,
    name: &str,
) -> Result<Vec<[f64; 3]>, ReadArchiveError> {
    let points = archive.f64(name, &[None, Some(3)])?.as_chunks::<3>().0.to_vec();
    for (number, &point) in (0..).zip(&points) {
        ImpossiblePoint::check("point", number, point)
            .map_err(|bad| archive.unexpected(name, "coordinates of a body", bad.to_string()))?;
    }
    Ok(points)
}

fn read_set(
    archive: &mut ArchiveReader,
    mesh: &Mesh,
    array: &str,
    kind: &str,
) -> Result<Set, ReadArchiveError> {
    let n_cells = |block: u32| {
        mesh.blocks.get(block as usize).map_or(0, |b| (b.connectivity.len() / b.shape.n_nodes()) as u32)
    };
    let n_faces = |block: u32| mesh.blocks[block as usize].shape.n_faces() as u32;
    match kind {
        "nodes" => Ok(Set::Nodes(read_indices(archive, array, &[None, Some(1)], mesh.points.len())?)),
        "faces" => {
            let rows = archive.u32(array, &[None, Some(3)])?;
            let rows = rows.as_chunks::<3>().0;
            if let Some(bad) = rows.iter().find(|r| r[1] >= n_cells(r[0]) || r[2] >= n_faces(r[0])) {
                return Err(archive.unexpected(array, "faces of cells of the mesh", format!("{bad:?}")));
            }
            let face = |&[block, cell, face]: &[u32; 3]| FaceRef { block, cell, face: face as u8 };
            Ok(Set::Faces(rows.iter().map(face).collect()))
        }
        "cells" => {
            let rows = archive.u32(array, &[None, Some(2)])?;
            let rows = rows.as_chunks::<2>().0;
            if let Some(bad) = rows.iter().find(|r| r[1] >= n_cells(r[0])) {
                return Err(archive.unexpected(array, "cells of the mesh", format!("{bad:?}")));
            }
            Ok(Set::Cells(rows.iter().map(|&[block, cell]| CellRef { block, cell }).collect()))
        }
        other => Err(archive.unexpected("set_kind", "nodes, faces or cells", other)),
    }
}
