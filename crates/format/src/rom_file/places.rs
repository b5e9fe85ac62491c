//! Surfaces with loads at places as arrays; models before version 1.4 have none.

use std::io::{self, Seek, Write};

use carom_reduce::places::{CutPair, PlacedSurface};

use super::invariants::{read_matrix, write_matrix};
use super::stiffening::n_pairs;
use super::surfaces::{read_surface, write_surface};
use crate::npz::{ArchiveReader, ArchiveWriter, ReadArchiveError};

/// Names of the kernels of loads, the positive one first.
const KERNELS: [&str; 2] = ["q2", "z2"];

pub(super) fn write<W: Write + Seek>(
    archive: &mut ArchiveWriter<W>,
    all: &[PlacedSurface],
) -> io::Result<()> {
    if all.is_empty() {
        return Ok(());
    }
    archive.texts("places_name", &all.iter().map(|places| places.name.as_str()).collect::<Vec<_>>())?;
    let kernels: Vec<_> = all.iter().map(|places| KERNELS[usize::from(places.zero_moment)]).collect();
    archive.texts("places_kernel", &kernels)?;
    let numbers: Vec<f64> = all.iter().flat_map(numbers).collect();
    archive.f64("places_numbers", &[all.len(), 6], &numbers)?;
    for (i, places) in all.iter().enumerate() {
        let name = |part: &str| format!("places_{i}_{part}");
        write_surface(archive, &format!("places_{i}"), &places.surface)?;
        archive.f64(&name("positions"), &[places.points_b.len(), 3], places.points_b.as_flattened())?;
        let n = places.places_b.len();
        archive.f64(&name("at"), &[n, 3], places.places_b.as_flattened())?;
        archive.f64(&name("normal"), &[n, 3], places.normals_b.as_flattened())?;
        write_matrix(archive, &name("response"), &places.response)?;
        write_matrix(archive, &name("modes"), &places.values)?;
        if let Some(foreshortening) = &places.foreshortening {
            write_matrix(archive, &name("foreshortening"), foreshortening)?;
        }
        let pairs: Vec<u32> = places.cuts.iter().flat_map(|cut| cut.loads).collect();
        archive.u32(&name("cut_pairs"), &[places.cuts.len(), 2], &pairs)?;
        let changes: Vec<f64> = places
            .cuts
            .iter()
            .flat_map(|cut| cut.second.as_flattened().iter().chain(&cut.first).copied().collect::<Vec<_>>())
            .collect();
        archive.f64(&name("cut_changes"), &[places.cuts.len(), 12], &changes)?;
        let loads: Vec<u32> = places.cut_loads.iter().map(|(load, _)| *load).collect();
        archive.u32(&name("cut_loads"), &[loads.len()], &loads)?;
        let seconds: Vec<f64> =
            places.cut_loads.iter().flat_map(|(_, second)| second.as_flattened().to_vec()).collect();
        archive.f64(&name("cut_moments"), &[loads.len(), 9], &seconds)?;
        if let Some(errors) = &places.mesh_errors {
            archive.f64(&name("errors"), &[errors.len()], errors)?;
        }
    }
    Ok(())
}

/// r₀, distance of places, edge, thickness, E, ν.
fn numbers(places: &PlacedSurface) -> [f64; 6] {
    let PlacedSurface { radius, spacing, edge, thickness, young, poisson, .. } = places;
    [*radius, *spacing, *edge, *thickness, *young, *poisson]
}

/// * `n_motions` — of the geometric stiffness, if the model has it
pub(super) fn read(
    archive: &mut ArchiveReader,
    n_modes: usize,
    n_motions: Option<usize>,
) -> Result<Vec<PlacedSurface>, ReadArchiveError> {
    if !archive.has("places_name") {
        return Ok(Vec::new());
    }
    let names = archive.texts("places_name")?;
    let kernels = archive.texts("places_kernel")?;
    let numbers = archive.f64("places_numbers", &[Some(names.len()), Some(6)])?;
    if kernels.len() != names.len() {
        let expected = format!("{} kernels", names.len());
        return Err(archive.unexpected("places_kernel", expected, kernels.len().to_string()));
    }
    let mut all = Vec::with_capacity(names.len());
    for (i, name) in names.into_iter().enumerate() {
        let zero_moment = match kernels[i].as_str() {
            "q2" => false,
            "z2" => true,
            other => {
                return Err(archive.unexpected("places_kernel", "`q2` or `z2`", format!("`{other}`")));
            }
        };
        let [radius, spacing, edge, thickness, young, poisson] =
            *numbers[6 * i..].first_chunk::<6>().expect("there are six numbers for each name");
        let are_possible = [radius, spacing, edge, thickness, young].iter().all(|x| *x > 0.0)
            && poisson > -1.0
            && poisson <= 0.5;
        if !are_possible {
            let found = format!("{radius} {spacing} {edge} {thickness} {young} {poisson}");
            return Err(archive.unexpected(
                "places_numbers",
                "positive lengths and elastic constants",
                found,
            ));
        }
        let part = |part: &str| format!("places_{i}_{part}");
        let surface = read_surface(archive, &format!("places_{i}"))?;
        let points_b = vectors(archive, &part("positions"), Some(surface.points.len()))?;
        let places_b = vectors(archive, &part("at"), None)?;
        let n = places_b.len();
        let normals_b = vectors(archive, &part("normal"), Some(n))?;
        let (cuts, cut_loads) = read_cuts(archive, i, n)?;
        let mesh_errors = read_errors(archive, &part("errors"), Some(n))?;
        all.push(PlacedSurface {
            name,
            surface,
            points_b,
            zero_moment,
            radius,
            spacing,
            edge,
            thickness,
            young,
            poisson,
            normals_b,
            response: read_matrix(archive, &part("response"), 3 * n, 3 * n)?,
            values: read_matrix(archive, &part("modes"), 3 * n, n_modes)?,
            foreshortening: match n_motions.filter(|_| archive.has(&part("foreshortening"))) {
                Some(motions) => {
                    Some(read_matrix(archive, &part("foreshortening"), 3 * n, n_pairs(motions))?)
                }
                None => None,
            },
            places_b,
            cuts,
            cut_loads,
            mesh_errors,
        });
    }
    Ok(all)
}

/// Errors of the modes by the mesh. Version 1.5 has them with each surface, the same with all.
///
/// * `n_modes` — at most so many
pub(super) fn read_mode_errors(
    archive: &mut ArchiveReader,
    n_modes: usize,
) -> Result<Vec<f64>, ReadArchiveError> {
    let name = if archive.has("mode_errors") { "mode_errors" } else { "places_0_mode_errors" };
    read_errors_of_modes(archive, name, n_modes)
}

/// Errors of the lowest frequencies by the mesh; models before version 1.9 have none.
///
/// * `n_modes` — at most so many
pub(super) fn read_frequency_errors(
    archive: &mut ArchiveReader,
    n_modes: usize,
) -> Result<Vec<f64>, ReadArchiveError> {
    read_errors_of_modes(archive, "frequency_errors", n_modes)
}

/// One number for each of the first modes, or none.
fn read_errors_of_modes(
    archive: &mut ArchiveReader,
    name: &str,
    n_modes: usize,
) -> Result<Vec<f64>, ReadArchiveError> {
    let errors = read_errors(archive, name, None)?.unwrap_or_default();
    if errors.len() > n_modes {
        let found = errors.len().to_string();
        return Err(archive.unexpected(name, format!("at most {n_modes} numbers"), found));
    }
    Ok(errors)
}

/// Errors by the mesh; models before version 1.5 have none.
fn read_errors(
    archive: &mut ArchiveReader,
    name: &str,
    count: Option<usize>,
) -> Result<Option<Vec<f64>>, ReadArchiveError> {
    if !archive.has(name) {
        return Ok(None);
    }
    let errors = archive.f64(name, &[count])?;
    match errors.iter().find(|error| !(**error >= 0.0 && error.is_finite())) {
        Some(error) => Err(archive.unexpected(name, "numbers of at least 0".to_owned(), error.to_string())),
        None => Ok(Some(errors)),
    }
}

fn vectors(
    archive: &mut ArchiveReader,
    name: &str,
    n: Option<usize>,
) -> Result<Vec<[f64; 3]>, ReadArchiveError> {
    Ok(archive.f64(name, &[n, Some(3)])?.as_chunks::<3>().0.to_vec())
}

/// Changes by edges, and second moments of cut loads.
type Cuts = (Vec<CutPair>, Vec<(u32, [[f64; 3]; 3])>);

/// * `n` — number of places
fn read_cuts(archive: &mut ArchiveReader, i: usize, n: usize) -> Result<Cuts, ReadArchiveError> {
    let part = |part: &str| format!("places_{i}_{part}");
    let pairs = archive.u32(&part("cut_pairs"), &[None, Some(2)])?;
    let pairs = pairs.as_chunks::<2>().0;
    let changes = archive.f64(&part("cut_changes"), &[Some(pairs.len()), Some(12)])?;
    let loads = archive.u32(&part("cut_loads"), &[None])?;
    let moments = archive.f64(&part("cut_moments"), &[Some(loads.len()), Some(9)])?;
    if let Some(load) = pairs.as_flattened().iter().chain(&loads).find(|load| **load as usize >= n) {
        return Err(archive.unexpected(&part("cut_loads"), format!("numbers below {n}"), load.to_string()));
    }
    let matrix = |m: &[f64]| std::array::from_fn(|a| std::array::from_fn(|b| m[3 * a + b]));
    let cuts = pairs.iter().zip(changes.as_chunks::<12>().0).map(|(pair, change)| CutPair {
        loads: *pair,
        second: matrix(&change[..9]),
        first: [change[9], change[10], change[11]],
    });
    let seconds = loads.iter().zip(moments.as_chunks::<9>().0).map(|(load, m)| (*load, matrix(m)));
    Ok((cuts.collect(), seconds.collect()))
}
