//! Glued NURBS patches and the named regions of their surface as arrays.

use std::collections::BTreeMap;
use std::io::{self, Seek, Write};

use carom_nurbs::{KnotVector, Multipatch, Patch, Region, Side};

use super::geometry::read_points;
use super::read_indices;
use crate::npz::{ArchiveReader, ArchiveWriter, ReadArchiveError};

pub(super) fn write_multipatch<W: Write + Seek>(
    archive: &mut ArchiveWriter<W>,
    body: &Multipatch,
) -> io::Result<()> {
    archive.text("geometry", "nurbs")?;
    archive.count("n_patches", body.patches.len())?;
    archive.count("n_points", body.n_points)?;
    for (i, patch) in body.patches.iter().enumerate() {
        let degrees = patch.basis.each_ref().map(|k| k.degree() as u32);
        archive.u32(&format!("patch_{i}_degrees"), &[3], &degrees)?;
        for (direction, basis) in patch.basis.iter().enumerate() {
            let knots = basis.knots();
            archive.f64(&format!("patch_{i}_knots_{direction}"), &[knots.len()], knots)?;
        }
        archive.f64(&format!("patch_{i}_points"), &[patch.points.len(), 3], patch.points.as_flattened())?;
        archive.f64(&format!("patch_{i}_weights"), &[patch.weights.len()], &patch.weights)?;
        archive.u32(&format!("patch_{i}_point_ids"), &[body.point_ids[i].len()], &body.point_ids[i])?;
    }
    let names: Vec<&String> = body.regions.keys().collect();
    archive.texts("region_name", &names)?;
    for (i, region) in body.regions.values().enumerate() {
        let sides: Vec<u32> = region.sides.iter().flat_map(|&(patch, side)| [patch, side as u32]).collect();
        archive.u32(&format!("region_{i}_sides"), &[region.sides.len(), 2], &sides)?;
        let near: Vec<f64> = region.near.iter().flat_map(|&([x, y, z], radius)| [x, y, z, radius]).collect();
        archive.f64(&format!("region_{i}_near"), &[near.len()], &near)?;
    }
    Ok(())
}

pub(super) fn read_multipatch(archive: &mut ArchiveReader) -> Result<Multipatch, ReadArchiveError> {
    let n_patches = archive.count("n_patches")?;
    let n_points = archive.count("n_points")?;
    let mut body = Multipatch {
        patches: Vec::new(),
        point_ids: Vec::new(),
        n_points,
        regions: BTreeMap::new(),
        hierarchy: None,
    };
    for i in 0..n_patches {
        let patch = read_patch(archive, i)?;
        let ids =
            read_indices(archive, &format!("patch_{i}_point_ids"), &[Some(patch.points.len())], n_points)?;
        body.patches.push(patch);
        body.point_ids.push(ids);
    }
    for (i, name) in archive.texts("region_name")?.into_iter().enumerate() {
        let region = read_region(archive, i, n_patches)?;
        body.regions.insert(name, region);
    }
    Ok(body)
}

fn read_patch(archive: &mut ArchiveReader, i: usize) -> Result<Patch, ReadArchiveError> {
    let degrees = archive.u32(&format!("patch_{i}_degrees"), &[Some(3)])?;
    let mut basis = Vec::with_capacity(3);
    for (direction, &degree) in degrees.iter().enumerate() {
        let array = format!("patch_{i}_knots_{direction}");
        let knots = archive.f64(&array, &[None])?;
        let knots = KnotVector::new(degree as usize, knots);
        basis.push(knots.map_err(|e| archive.unexpected(&array, "a knot vector", e.to_string()))?);
    }
    let basis: [KnotVector; 3] = basis.try_into().expect("one knot vector was pushed for each direction");
    let array = format!("patch_{i}_points");
    let points = read_points(archive, &array)?;
    let n: usize = basis.iter().map(KnotVector::n_functions).product();
    if points.len() != n {
        let needed = format!("{n} control points as the knot vectors say");
        return Err(archive.unexpected(&array, needed, points.len().to_string()));
    }
    let array = format!("patch_{i}_weights");
    let weights = archive.f64(&array, &[Some(n)])?;
    match weights.iter().find(|&&w| w <= 0.0) {
        Some(bad) => Err(archive.unexpected(&array, "positive weights", bad.to_string())),
        None => Ok(Patch { basis, points, weights }),
    }
}

fn read_region(archive: &mut ArchiveReader, i: usize, n_patches: usize) -> Result<Region, ReadArchiveError> {
    let array = format!("region_{i}_sides");
    let rows = archive.u32(&array, &[None, Some(2)])?;
    let mut sides = Vec::with_capacity(rows.len() / 2);
    for &[patch, side] in rows.as_chunks::<2>().0 {
        match Side::ALL.get(side as usize) {
            Some(&side) if (patch as usize) < n_patches => sides.push((patch, side)),
            _ => return Err(archive.unexpected(&array, "sides of patches", format!("[{patch}, {side}]"))),
        }
    }
    let array = format!("region_{i}_near");
    let near = match archive.f64(&array, &[None])?.as_slice() {
        [] => None,
        &[x, y, z, radius] if radius > 0.0 => Some(([x, y, z], radius)),
        other => {
            return Err(archive.unexpected(&array, "nothing, or a point and a radius", format!("{other:?}")));
        }
    };
    Ok(Region { sides, near })
}
