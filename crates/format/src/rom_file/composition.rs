//! The columns of the basis of a model with their shares, and its markers, as arrays; models before version
//! 1.2 have none.

use std::io::{self, Seek, Write};

use carom_reduce::{AttachedMarker, AttachmentKind, BoundaryDof, Column, Composition, Motion};
use faer::Mat;

use super::invariants::{read_matrix, write_matrix};
use crate::npz::{ArchiveReader, ArchiveWriter, ReadArchiveError};

const POINT: &str = "point";
const MARKER: &str = "marker";
const FIXED: &str = "fixed";
const INTERFACE: &str = "interface";
const FREE: &str = "free";
const RELIEF: &str = "relief";
const RESIDUAL_POINT: &str = "residual-point";
const RESIDUAL_MARKER: &str = "residual-marker";
const FURTHER: &str = "further";
/// Names of the kinds of attachment in files.
const KINDS: [(AttachmentKind, &str); 2] = [(AttachmentKind::Rigid, "rigid"), (AttachmentKind::Mean, "mean")];

/// Columns as lists: kind, name of set or marker, number of point or mode, axis or motion, frequency.
pub(super) fn write<W: Write + Seek>(
    archive: &mut ArchiveWriter<W>,
    composition: &Composition,
) -> io::Result<()> {
    let (mut kinds, mut names) = (Vec::new(), Vec::new());
    let (mut numbers, mut components, mut frequencies) = (Vec::new(), Vec::new(), Vec::new());
    let of_dof = |dof: &BoundaryDof, point: &'static str, marker: &'static str| match dof {
        BoundaryDof::Point { set, point: number, axis } => (point, set.clone(), *number, u32::from(*axis)),
        BoundaryDof::Marker { marker: name, motion } => (marker, name.clone(), 0, motion.index() as u32),
    };
    for column in &composition.columns {
        let mode = |kind, number: &u32| (kind, String::new(), *number, 0);
        let ((kind, name, number, component), hz) = match column {
            Column::Constraint(dof) => (of_dof(dof, POINT, MARKER), None),
            Column::Residual(dof) => (of_dof(dof, RESIDUAL_POINT, RESIDUAL_MARKER), None),
            Column::Interface { part, number, hz } => ((INTERFACE, part.clone(), *number, 0), *hz),
            Column::FixedMode { number, hz } => (mode(FIXED, number), Some(*hz)),
            Column::FreeMode { number, hz } => (mode(FREE, number), Some(*hz)),
            Column::InertiaRelief { number, hz } => (mode(RELIEF, number), Some(*hz)),
            Column::Further { number } => (mode(FURTHER, number), None),
        };
        kinds.push(kind);
        names.push(name);
        numbers.push(number);
        components.push(component);
        frequencies.push(hz.unwrap_or(0.0));
    }
    archive.texts("column_kind", &kinds)?;
    archive.texts("column_name", &names)?;
    archive.u32("column_number", &[numbers.len()], &numbers)?;
    archive.u32("column_component", &[components.len()], &components)?;
    archive.f64("column_hz", &[frequencies.len()], &frequencies)?;
    write_matrix(archive, "strain_shares", &composition.strain_shares)?;
    write_matrix(archive, "effective_mass", &composition.effective_mass)
}

pub(super) fn read(
    archive: &mut ArchiveReader,
    n_modes: usize,
    fixed_hz: &[f64],
) -> Result<Composition, ReadArchiveError> {
    if !archive.has("column_kind") {
        return Ok(Composition::default());
    }
    let kinds = archive.texts("column_kind")?;
    let n = kinds.len();
    let names = archive.texts("column_name")?;
    if names.len() != n {
        return Err(archive.unexpected("column_name", format!("{n} names"), names.len().to_string()));
    }
    let numbers = archive.u32("column_number", &[Some(n)])?;
    let components = archive.u32("column_component", &[Some(n)])?;
    // Models without frequencies have no columns that need them.
    let hz = if archive.has("column_hz") { archive.f64("column_hz", &[Some(n)])? } else { vec![0.0; n] };
    let mut columns = Vec::with_capacity(n);
    for (i, (kind, name)) in kinds.iter().zip(names).enumerate() {
        let (number, component) = (numbers[i], components[i]);
        let printed = Some(hz[i]).filter(|&hz| hz > 0.0);
        let point = |set| BoundaryDof::Point { set, point: number, axis: component as u8 };
        let marker = |marker| BoundaryDof::Marker { marker, motion: Motion::ALL[component as usize] };
        columns.push(match (kind.as_str(), component, printed, fixed_hz.get(number as usize)) {
            (POINT, 0..3, ..) => Column::Constraint(point(name)),
            (MARKER, 0..6, ..) => Column::Constraint(marker(name)),
            (RESIDUAL_POINT, 0..3, ..) => Column::Residual(point(name)),
            (RESIDUAL_MARKER, 0..6, ..) => Column::Residual(marker(name)),
            (INTERFACE, _, hz, _) => Column::Interface { part: name, number, hz },
            (FIXED, _, _, Some(&hz)) => Column::FixedMode { number, hz },
            (FREE, _, Some(hz), _) => Column::FreeMode { number, hz },
            (RELIEF, _, Some(hz), _) => Column::InertiaRelief { number, hz },
            (FURTHER, ..) => Column::Further { number },
            _ => {
                let found = format!("{kind} {number} {component} in column {i}");
                let expected = "`point` with an axis, `marker` with a motion, or a mode that there is, with \
                    its frequency";
                return Err(archive.unexpected("column_kind", expected, found));
            }
        });
    }
    // A model of another program has no columns and no shares.
    let n_modes = if n == 0 { 0 } else { n_modes };
    let n_fixed = if n == 0 { 0 } else { fixed_hz.len() };
    let n_axes = if n == 0 { 0 } else { 3 };
    Ok(Composition {
        columns,
        strain_shares: read_matrix(archive, "strain_shares", n, n_modes)?,
        effective_mass: read_matrix(archive, "effective_mass", n_axes, n_fixed)?,
    })
}

pub(super) fn write_markers<W: Write + Seek>(
    archive: &mut ArchiveWriter<W>,
    markers: &[AttachedMarker],
    n_modes: usize,
) -> io::Result<()> {
    let kind = |marker: &AttachedMarker| {
        KINDS.iter().find(|(kind, _)| *kind == marker.kind).expect("both are listed").1
    };
    let positions: Vec<f64> = markers.iter().flat_map(|marker| marker.position_b).collect();
    let stacked = |values: fn(&AttachedMarker) -> &Mat<f64>| {
        Mat::from_fn(3 * markers.len(), n_modes, |i, k| values(&markers[i / 3])[(i % 3, k)])
    };
    archive.texts("marker_name", &markers.iter().map(|marker| marker.name.as_str()).collect::<Vec<_>>())?;
    archive.texts("marker_kind", &markers.iter().map(kind).collect::<Vec<_>>())?;
    archive.f64("marker_position", &[markers.len(), 3], &positions)?;
    write_matrix(archive, "marker_translation", &stacked(|marker| &marker.translation))?;
    write_matrix(archive, "marker_rotation", &stacked(|marker| &marker.rotation))
}

pub(super) fn read_markers(
    archive: &mut ArchiveReader,
    n_modes: usize,
) -> Result<Vec<AttachedMarker>, ReadArchiveError> {
    if !archive.has("marker_name") {
        return Ok(Vec::new());
    }
    let names = archive.texts("marker_name")?;
    let n = names.len();
    let kinds = archive.texts("marker_kind")?;
    if kinds.len() != n {
        return Err(archive.unexpected("marker_kind", format!("{n} kinds"), kinds.len().to_string()));
    }
    let positions = archive.f64("marker_position", &[Some(n), Some(3)])?;
    let translation = read_matrix(archive, "marker_translation", 3 * n, n_modes)?;
    let rotation = read_matrix(archive, "marker_rotation", 3 * n, n_modes)?;
    let rows = |all: &Mat<f64>, i: usize| all.subrows(3 * i, 3).to_owned();
    let mut markers = Vec::with_capacity(n);
    for (i, name) in names.into_iter().enumerate() {
        let Some((kind, _)) = KINDS.iter().find(|(_, word)| *word == kinds[i]) else {
            return Err(archive.unexpected("marker_kind", "`rigid` or `mean`", kinds[i].clone()));
        };
        markers.push(AttachedMarker {
            name,
            kind: *kind,
            position_b: [positions[3 * i], positions[3 * i + 1], positions[3 * i + 2]],
            translation: rows(&translation, i),
            rotation: rows(&rotation, i),
        });
    }
    Ok(markers)
}
