//! Glued NURBS patches and the named regions of their surface as arrays.

use std::collections::BTreeMap;
use std::io::{self, Seek, Write};

use carom_nurbs::hierarchy::{MAX_LEVEL, Tree};
use carom_nurbs::{Gluing, HierarchicalPatch, Hierarchy, KnotVector, Multipatch, Patch, Region, Side};

use super::geometry::read_points;
use super::read_indices;
use crate::npz::{ArchiveReader, ArchiveWriter, ReadArchiveError};

pub(super) fn write_multipatch<W: Write + Seek>(
    archive: &mut ArchiveWriter<W>,
    body: &Multipatch,
) -> io::Result<()> {
    archive.text("geometry", "nurbs")?;
    archive.count("n_patches", body.patches.len())?;
    archive.count("n_points", body.n_points())?;
    for (i, patch) in body.patches.iter().enumerate() {
        let degrees = patch.basis.each_ref().map(|k| k.degree() as u32);
        archive.u32(&format!("patch_{i}_degrees"), &[3], &degrees)?;
        for (direction, basis) in patch.basis.iter().enumerate() {
            let knots = basis.knots();
            archive.f64(&format!("patch_{i}_knots_{direction}"), &[knots.len()], knots)?;
        }
        archive.f64(&format!("patch_{i}_points"), &[patch.points.len(), 3], patch.points.as_flattened())?;
        archive.f64(&format!("patch_{i}_weights"), &[patch.weights.len()], &patch.weights)?;
        archive.u32(&format!("patch_{i}_point_ids"), &[body.point_ids()[i].len()], &body.point_ids()[i])?;
    }
    if let Some(hierarchy) = &body.hierarchy {
        write_hierarchy(archive, hierarchy)?;
    }
    let names: Vec<&String> = body.regions.keys().collect();
    archive.texts("region_name", &names)?;
    for (i, region) in body.regions.values().enumerate() {
        let sides: Vec<u32> = region.sides.iter().flat_map(|&(patch, side)| [patch, side as u32]).collect();
        archive.u32(&format!("region_{i}_sides"), &[region.sides.len(), 2], &sides)?;
        let near: Vec<f64> = region.near.iter().flat_map(|&([x, y, z], radius)| [x, y, z, radius]).collect();
        // The numbers of all balls in one row. Versions before 1.2 read only one ball.
        archive.f64(&format!("region_{i}_near"), &[near.len()], &near)?;
    }
    Ok(())
}

pub(super) fn read_multipatch(archive: &mut ArchiveReader) -> Result<Multipatch, ReadArchiveError> {
    let n_patches = archive.count("n_patches")?;
    let n_points = archive.count("n_points")?;
    let (mut patches, mut point_ids) = (Vec::new(), Vec::new());
    for i in 0..n_patches {
        let patch = read_patch(archive, i)?;
        let ids =
            read_indices(archive, &format!("patch_{i}_point_ids"), &[Some(patch.points.len())], n_points)?;
        patches.push(patch);
        point_ids.push(ids);
    }
    let n_ids = point_ids.iter().map(Vec::len).sum::<usize>();
    if n_points > n_ids {
        let needed = format!("at most {n_ids}, the number of control points of all patches");
        return Err(archive.unexpected("n_points", needed, n_points.to_string()));
    }
    let gluing = Gluing::new(&patches, point_ids, n_points).map_err(|e| {
        archive.unexpected("n_points", "numbers for the control points of all patches", e.to_string())
    })?;
    let mut body = Multipatch { patches, gluing, regions: BTreeMap::new(), hierarchy: None };
    for (i, name) in archive.texts("region_name")?.into_iter().enumerate() {
        let region = read_region(archive, i, n_patches)?;
        body.regions.insert(name, region);
    }
    if !archive.has("hierarchy_n_levels") {
        return Ok(body);
    }
    let patches = read_hierarchy(archive, n_patches)?;
    body.with_hierarchy(patches).map_err(|e| {
        archive.unexpected("hierarchy_n_levels", "a local refinement of the patches", e.to_string())
    })
}

/// Local refinement: for each patch its knots of level 0, the divided cells of each level, and the control
/// points of the active functions, level by level.
fn write_hierarchy<W: Write + Seek>(archive: &mut ArchiveWriter<W>, hierarchy: &Hierarchy) -> io::Result<()> {
    let levels: Vec<u32> = hierarchy.patches.iter().map(|patch| patch.tree.n_levels() as u32).collect();
    archive.u32("hierarchy_n_levels", &[levels.len()], &levels)?;
    for (i, patch) in hierarchy.patches.iter().enumerate() {
        let degrees = patch.basis.each_ref().map(|k| k.degree() as u32);
        archive.u32(&format!("hierarchy_{i}_degrees"), &[3], &degrees)?;
        for (direction, basis) in patch.basis.iter().enumerate() {
            let knots = basis.knots();
            archive.f64(&format!("hierarchy_{i}_knots_{direction}"), &[knots.len()], knots)?;
        }
        for level in 0..patch.tree.n_levels() - 1 {
            let cells: Vec<u32> = patch.tree.divided(level).flatten().collect();
            archive.u32(&format!("hierarchy_{i}_divided_{level}"), &[cells.len() / 3, 3], &cells)?;
        }
        let points = patch.points.as_flattened();
        archive.f64(&format!("hierarchy_{i}_points"), &[patch.points.len(), 3], points)?;
        archive.f64(&format!("hierarchy_{i}_weights"), &[patch.weights.len()], &patch.weights)?;
    }
    Ok(())
}

fn read_hierarchy(
    archive: &mut ArchiveReader,
    n_patches: usize,
) -> Result<Vec<HierarchicalPatch>, ReadArchiveError> {
    let levels = archive.u32("hierarchy_n_levels", &[Some(n_patches)])?;
    let mut patches = Vec::with_capacity(n_patches);
    for (i, &n_levels) in levels.iter().enumerate() {
        let basis = read_basis(archive, &format!("hierarchy_{i}"))?;
        let mut tree = Tree::new(basis.each_ref().map(|basis| basis.spans().len() as u32));
        if !(1..=MAX_LEVEL as u32 + 1).contains(&n_levels) {
            let valid = format!("1 to {} levels", MAX_LEVEL + 1);
            return Err(archive.unexpected("hierarchy_n_levels", valid, n_levels.to_string()));
        }
        for level in 0..n_levels as usize - 1 {
            let array = format!("hierarchy_{i}_divided_{level}");
            let lattice = tree.lattice(level);
            for &cell in archive.u32(&array, &[None, Some(3)])?.as_chunks::<3>().0 {
                if (0..3).any(|d| cell[d] >= lattice[d]) {
                    return Err(archive.unexpected(&array, "cells of the level", format!("{cell:?}")));
                }
                tree.divide(level, cell);
            }
        }
        let points = read_points(archive, &format!("hierarchy_{i}_points"))?;
        // A function of level 0 is active, with a point of its own, or passive, and then all cells that it
        // touches are divided.
        let degrees: usize = basis.iter().map(|basis| basis.degree() + 1).product();
        let most = points.len().saturating_add(degrees.saturating_mul(tree.divided(0).count()));
        let n_functions = basis.iter().map(KnotVector::n_functions).fold(1, usize::saturating_mul);
        if n_functions > most {
            let needed = format!("knot vectors with at most {most} functions, as there are so few points");
            return Err(archive.unexpected(
                &format!("hierarchy_{i}_knots_0"),
                needed,
                n_functions.to_string(),
            ));
        }
        let array = format!("hierarchy_{i}_weights");
        let weights = archive.f64(&array, &[Some(points.len())])?;
        if let Some(bad) = weights.iter().find(|&&w| w <= 0.0) {
            return Err(archive.unexpected(&array, "positive weights", bad.to_string()));
        }
        patches.push(HierarchicalPatch { basis, tree, points, weights });
    }
    Ok(patches)
}

/// Degrees and knots under a prefix.
fn read_basis(archive: &mut ArchiveReader, prefix: &str) -> Result<[KnotVector; 3], ReadArchiveError> {
    let degrees = archive.u32(&format!("{prefix}_degrees"), &[Some(3)])?;
    let mut basis = Vec::with_capacity(3);
    for (direction, &degree) in degrees.iter().enumerate() {
        let array = format!("{prefix}_knots_{direction}");
        let knots = archive.f64(&array, &[None])?;
        let knots = KnotVector::new(degree as usize, knots);
        basis.push(knots.map_err(|e| archive.unexpected(&array, "a knot vector", e.to_string()))?);
    }
    Ok(basis.try_into().expect("one knot vector was pushed for each direction"))
}

fn read_patch(archive: &mut ArchiveReader, i: usize) -> Result<Patch, ReadArchiveError> {
    let basis = read_basis(archive, &format!("patch_{i}"))?;
    let array = format!("patch_{i}_points");
    let points = read_points(archive, &array)?;
    let n = basis.iter().map(KnotVector::n_functions).fold(1, usize::saturating_mul);
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
    let numbers = archive.f64(&array, &[None])?;
    let (balls, rest) = numbers.as_chunks::<4>();
    if !rest.is_empty() || balls.iter().any(|ball| ball[3] <= 0.0) {
        let needed = "points, each with a radius, or nothing";
        return Err(archive.unexpected(&array, needed, format!("{numbers:?}")));
    }
    let near = balls.iter().map(|&[x, y, z, radius]| ([x, y, z], radius)).collect();
    Ok(Region { sides, near })
}
