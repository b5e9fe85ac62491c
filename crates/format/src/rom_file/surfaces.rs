//! Surfaces and the values of modes at points as arrays.

use std::io::{self, Seek, Write};

use carom_fem::{Face, FaceBasis, Surface};
use carom_mesh::FaceShape;
use carom_reduce::{Modes, NamedSurface};

use super::invariants::{read_matrix, write_matrix};
use crate::npz::{ArchiveReader, ArchiveWriter, ReadArchiveError};

const SPLINE: &str = "spline";
/// Bézier operators of knot spans whose functions are not tensor products: degrees, number of functions,
/// operator.
const COMBINED: &str = "combined";

pub(super) fn write_modes<W: Write + Seek>(
    archive: &mut ArchiveWriter<W>,
    prefix: &str,
    modes: &Modes,
) -> io::Result<()> {
    archive.u32(&format!("{prefix}_points"), &[modes.points.len()], &modes.points)?;
    let positions = modes.positions_b.as_flattened();
    archive.f64(&format!("{prefix}_positions"), &[modes.positions_b.len(), 3], positions)?;
    write_matrix(archive, &format!("{prefix}_modes"), &modes.values)
}

pub(super) fn read_modes(
    archive: &mut ArchiveReader,
    prefix: &str,
    n_modes: usize,
) -> Result<Modes, ReadArchiveError> {
    let (points, positions_b) = read_points(archive, prefix)?;
    let values = read_matrix(archive, &format!("{prefix}_modes"), 3 * points.len(), n_modes)?;
    Ok(Modes { points, positions_b, values })
}

/// Numbers and positions of the points of modes.
pub(super) fn read_points(
    archive: &mut ArchiveReader,
    prefix: &str,
) -> Result<(Vec<u32>, Vec<[f64; 3]>), ReadArchiveError> {
    let array = format!("{prefix}_points");
    let points = archive.u32(&array, &[None])?;
    if !points.is_sorted_by(|a, b| a < b) {
        return Err(archive.unexpected(&array, "ascending numbers", "others"));
    }
    let positions = archive.f64(&format!("{prefix}_positions"), &[Some(points.len()), Some(3)])?;
    Ok((points, positions.as_chunks::<3>().0.to_vec()))
}

pub(super) fn write_surfaces<W: Write + Seek>(
    archive: &mut ArchiveWriter<W>,
    surfaces: &[NamedSurface],
) -> io::Result<()> {
    let names: Vec<&str> = surfaces.iter().map(|s| s.name.as_str()).collect();
    archive.texts("surface_name", &names)?;
    for (i, named) in surfaces.iter().enumerate() {
        write_surface(archive, &format!("surface_{i}"), &named.surface)?;
        archive.flags(&format!("surface_{i}_is_interface"), &named.is_interface)?;
        let edges = &named.sharp_edges;
        archive.u32(&format!("surface_{i}_sharp_edges"), &[edges.len(), 2], edges.as_flattened())?;
    }
    Ok(())
}

/// Faces as lists: kind, degrees and operators (zero for Lagrange faces), points with offsets, orientation.
pub(super) fn write_surface<W: Write + Seek>(
    archive: &mut ArchiveWriter<W>,
    prefix: &str,
    surface: &Surface,
) -> io::Result<()> {
    archive.u32(&format!("{prefix}_points"), &[surface.points.len()], &surface.points)?;
    archive.f64(&format!("{prefix}_weights"), &[surface.weights.len()], &surface.weights)?;
    let n = surface.faces.len();
    let mut kinds = Vec::with_capacity(n);
    let mut splines = Vec::with_capacity(4 * n);
    let mut offsets = vec![0_u32];
    let mut points = Vec::new();
    for face in &surface.faces {
        match &face.basis {
            FaceBasis::Lagrange(shape) => {
                kinds.push(shape.name());
                splines.extend([0; 4]);
            }
            FaceBasis::Spline { degrees, operators } => {
                kinds.push(SPLINE);
                splines.extend([degrees[0] as u32, degrees[1] as u32, operators[0], operators[1]]);
            }
            FaceBasis::Combined { degrees, n_points, operator } => {
                kinds.push(COMBINED);
                splines.extend([degrees[0] as u32, degrees[1] as u32, *n_points as u32, *operator]);
            }
        }
        points.extend(&face.points);
        offsets.push(points.len() as u32);
    }
    archive.texts(&format!("{prefix}_face_kind"), &kinds)?;
    archive.u32(&format!("{prefix}_face_spline"), &[n, 4], &splines)?;
    archive.u32(&format!("{prefix}_face_offsets"), &[n + 1], &offsets)?;
    archive.u32(&format!("{prefix}_face_points"), &[points.len()], &points)?;
    let orientation: Vec<f64> = surface.faces.iter().map(|f| f.orientation).collect();
    archive.f64(&format!("{prefix}_face_orientation"), &[n], &orientation)?;
    let lengths: Vec<u32> = surface.operators.iter().map(|o| o.len() as u32).collect();
    archive.u32(&format!("{prefix}_operator_lengths"), &[lengths.len()], &lengths)?;
    let operators: Vec<f64> = surface.operators.concat();
    archive.f64(&format!("{prefix}_operators"), &[operators.len()], &operators)
}

pub(super) fn read_surfaces(
    archive: &mut ArchiveReader,
    boundary_points: &[u32],
) -> Result<Vec<NamedSurface>, ReadArchiveError> {
    let mut surfaces = Vec::new();
    for (i, name) in archive.texts("surface_name")?.into_iter().enumerate() {
        let surface = read_surface(archive, &format!("surface_{i}"))?;
        let is_interface = archive.flags(&format!("surface_{i}_is_interface"), Some(surface.points.len()))?;
        let sharp_edges =
            read_sharp_edges(archive, &format!("surface_{i}_sharp_edges"), surface.faces.len())?;
        if let Some(point) = surface.points.iter().find(|p| boundary_points.binary_search(p).is_err()) {
            let array = format!("surface_{i}_points");
            return Err(archive.unexpected(&array, "points that `boundary_points` lists", point.to_string()));
        }
        surfaces.push(NamedSurface { name, surface, is_interface, sharp_edges });
    }
    Ok(surfaces)
}

/// Sharp edges; a model of version 1.0 has none.
fn read_sharp_edges(
    archive: &mut ArchiveReader,
    array: &str,
    n_faces: usize,
) -> Result<Vec<[u32; 2]>, ReadArchiveError> {
    if !archive.has(array) {
        return Ok(Vec::new());
    }
    let edges = archive.u32(array, &[None, Some(2)])?.as_chunks::<2>().0.to_vec();
    match edges.iter().find(|[face, edge]| *face as usize >= n_faces || *edge > 3) {
        Some(edge) => {
            Err(archive.unexpected(array, format!("edges 0 to 3 of {n_faces} faces"), format!("{edge:?}")))
        }
        None => Ok(edges),
    }
}

pub(super) fn read_surface(archive: &mut ArchiveReader, prefix: &str) -> Result<Surface, ReadArchiveError> {
    let points = archive.u32(&format!("{prefix}_points"), &[None])?;
    let weights = archive.f64(&format!("{prefix}_weights"), &[Some(points.len())])?;
    let operators = read_operators(archive, prefix)?;
    let kinds = archive.texts(&format!("{prefix}_face_kind"))?;
    let n = kinds.len();
    let splines = archive.u32(&format!("{prefix}_face_spline"), &[Some(n), Some(4)])?;
    let offsets_array = format!("{prefix}_face_offsets");
    let offsets = archive.u32(&offsets_array, &[Some(n + 1)])?;
    let face_points =
        crate::body_file::read_indices(archive, &format!("{prefix}_face_points"), &[None], points.len())?;
    let orientation = archive.f64(&format!("{prefix}_face_orientation"), &[Some(n)])?;
    let mut faces = Vec::with_capacity(n);
    for i in 0..n {
        let basis = face_basis(archive, prefix, &kinds[i], &splines[4 * i..4 * i + 4], &operators)?;
        let (start, end) = (offsets[i] as usize, offsets[i + 1] as usize);
        let n_points = basis.n_points();
        let Some(own) = face_points.get(start..end).filter(|own| own.len() == n_points) else {
            return Err(archive.unexpected(
                &offsets_array,
                format!("{n_points} points for face {i}"),
                "others",
            ));
        };
        faces.push(Face { basis, points: own.to_vec(), orientation: orientation[i] });
    }
    Ok(Surface { points, weights, faces, operators })
}

fn read_operators(archive: &mut ArchiveReader, prefix: &str) -> Result<Vec<Vec<f64>>, ReadArchiveError> {
    let lengths = archive.u32(&format!("{prefix}_operator_lengths"), &[None])?;
    let total = lengths.iter().map(|&n| n as usize).sum();
    let mut rest = archive.f64(&format!("{prefix}_operators"), &[Some(total)])?;
    let mut operators = Vec::with_capacity(lengths.len());
    for length in lengths {
        let tail = rest.split_off(length as usize);
        operators.push(std::mem::replace(&mut rest, tail));
    }
    Ok(operators)
}

fn face_basis(
    archive: &ArchiveReader,
    prefix: &str,
    kind: &str,
    spline: &[u32],
    operators: &[Vec<f64>],
) -> Result<FaceBasis, ReadArchiveError> {
    if let Some(shape) = FaceShape::from_name(kind) {
        return Ok(FaceBasis::Lagrange(shape));
    }
    let degrees = [spline[0] as usize, spline[1] as usize];
    if kind == COMBINED {
        let (n_points, operator) = (spline[2] as usize, spline[3]);
        let length = operators.get(operator as usize).map(Vec::len);
        let needed = n_points.checked_mul((degrees[0] + 1) * (degrees[1] + 1));
        if length.is_none() || length != needed {
            let array = format!("{prefix}_face_spline");
            return Err(archive.unexpected(&array, "an operator of the degrees", format!("{spline:?}")));
        }
        return Ok(FaceBasis::Combined { degrees, n_points, operator });
    }
    if kind != SPLINE {
        return Err(archive.unexpected(&format!("{prefix}_face_kind"), "a kind of face", kind));
    }
    let fits = |direction: usize| {
        let length = operators.get(spline[2 + direction] as usize).map(Vec::len);
        length == (degrees[direction] + 1).checked_pow(2)
    };
    if !fits(0) || !fits(1) {
        return Err(archive.unexpected(
            &format!("{prefix}_face_spline"),
            "operators of the degrees",
            format!("{spline:?}"),
        ));
    }
    Ok(FaceBasis::Spline { degrees, operators: [spline[2], spline[3]] })
}
