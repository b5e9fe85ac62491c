//! Grids over time as VTKHDF files: points and cells once, fields of each time.
//!
//! The layout is that of *UnstructuredGrid* in VTKHDF 2.0 with a group *Steps*, whose offsets give all times
//! the same points and cells. Rational weights and degrees of Bezier cells are fields marked by the attribute
//! *Attribute*, which VTK 9.4 and newer read.

use std::io::{self, Seek, Write};

use crate::grid::check_fields;
use crate::hdf5::{Attribute, Chunked, File, attribute, packed};
use crate::{Compression, Field, Grid, GridError, Values};

/// Compressed fields of one time. Compression needs most of the time and can be done for many times in
/// parallel.
#[derive(Debug)]
pub struct PackedFrame {
    points: Vec<PackedField>,
    cells: Vec<PackedField>,
}

#[derive(Debug)]
struct PackedField {
    name: String,
    /// Its role in VTK.
    role: Option<&'static str>,
    /// The dataset without any chunk.
    empty: Chunked,
    chunk: Vec<u8>,
}

/// Level of deflate for LZ4: files with LZ4 need a plug-in, so that the fastest level of deflate is used
/// instead.
fn level(compression: Compression) -> Option<u32> {
    match compression {
        Compression::None => None,
        Compression::Lz4 => Some(1),
        Compression::Zlib(level) => Some(level.clamp(1, 9)),
        Compression::Default => Some(4),
    }
}

/// Compresses the fields of one time over a grid.
///
/// # Errors
///
/// [`GridError`] if a field does not fit the grid.
pub fn pack_frame(
    grid: &Grid,
    point_fields: &[Field],
    cell_fields: &[Field],
    compression: Compression,
) -> Result<PackedFrame, GridError> {
    check_fields(point_fields, "points", grid.points.len())?;
    check_fields(cell_fields, "cells", grid.n_cells())?;
    let packed = |fields: &[Field]| pack(fields, level(compression));
    Ok(PackedFrame { points: packed(point_fields), cells: packed(cell_fields) })
}

fn pack(fields: &[Field], level: Option<u32>) -> Vec<PackedField> {
    let mut taken = Vec::new();
    let mut role = |n: usize| {
        let role = [(1, "Scalars"), (3, "Vectors"), (6, "Tensors")].into_iter().find(|(of, _)| *of == n)?.1;
        // The first field of its kind is the active one.
        let is_first = !taken.contains(&role);
        taken.push(role);
        is_first.then_some(role)
    };
    let one = |field: &Field| PackedField {
        name: field.name.clone(),
        role: role(field.n_components),
        empty: Chunked::new(&field.values, field.n_components, level),
        chunk: packed(&field.values, level),
    };
    fields.iter().map(one).collect()
}

/// A field over all times.
#[derive(Debug)]
struct Series {
    name: String,
    role: Option<&'static str>,
    data: Chunked,
}

/// Writes a VTKHDF file, one time after the other.
#[derive(Debug)]
pub struct VtkHdfWriter<W> {
    file: File<W>,
    grid: Grid,
    points: Vec<Series>,
    cells: Vec<Series>,
    times: Vec<f64>,
}

impl<W: Write + Seek> VtkHdfWriter<W> {
    /// Begins a file at the start of `out`.
    ///
    /// * `grid` — points, cells, weights and degrees; its fields are left out
    ///
    /// # Errors
    ///
    /// An error of `out`, or of the kind `InvalidInput` with the [`GridError`].
    pub fn new(out: W, grid: &Grid) -> io::Result<Self> {
        grid.check().map_err(|error| io::Error::new(io::ErrorKind::InvalidInput, error))?;
        let grid = Grid { point_fields: Vec::new(), cell_fields: Vec::new(), ..grid.clone() };
        Ok(Self { file: File::new(out)?, grid, points: Vec::new(), cells: Vec::new(), times: Vec::new() })
    }

    /// Appends a time \[s\] with its fields, which must be the same at all times.
    ///
    /// # Errors
    ///
    /// An error of `out`, or of the kind `InvalidInput` if the fields differ from the earlier ones.
    pub fn push(&mut self, time: f64, frame: &PackedFrame) -> io::Result<()> {
        for (all, new) in [(&mut self.points, &frame.points), (&mut self.cells, &frame.cells)] {
            if self.times.is_empty() {
                all.extend(new.iter().map(|field| Series {
                    name: field.name.clone(),
                    role: field.role,
                    data: field.empty.clone(),
                }));
            }
            if !all.iter().map(|series| &series.name).eq(new.iter().map(|field| &field.name)) {
                return Err(io::Error::new(io::ErrorKind::InvalidInput, "fields differ between times"));
            }
            for (series, field) in all.iter_mut().zip(new) {
                series.data.push(&mut self.file, &field.chunk)?;
            }
        }
        self.times.push(time);
        Ok(())
    }

    /// Writes the grid and all headers.
    ///
    /// # Errors
    ///
    /// An error of `out`.
    pub fn finish(mut self) -> io::Result<()> {
        let file = &mut self.file;
        let (grid, n_times) = (&self.grid, self.times.len());
        let (n_points, n_cells) = (grid.points.len(), grid.n_cells());
        let mut links = Vec::new();
        let counts = [
            ("NumberOfPoints", n_points),
            ("NumberOfCells", n_cells),
            ("NumberOfConnectivityIds", grid.connectivity.len()),
        ];
        for (name, count) in counts {
            links.push((name, file.dataset(&Values::I64(vec![count as i64]), &[1], Vec::new())?));
        }
        let points = Values::F64(grid.points.as_flattened().to_vec());
        links.push(("Points", file.dataset(&points, &[n_points, 3], Vec::new())?));
        let connectivity = Values::I64(grid.connectivity.iter().map(|&n| i64::from(n)).collect());
        links.push(("Connectivity", file.dataset(&connectivity, &[connectivity.len()], Vec::new())?));
        let ends = grid.offsets.iter().map(|&n| n as i64);
        let offsets = Values::I64(std::iter::once(0).chain(ends).collect());
        links.push(("Offsets", file.dataset(&offsets, &[n_cells + 1], Vec::new())?));
        let types = Values::U8(grid.types.iter().map(|&kind| kind as u8).collect());
        links.push(("Types", file.dataset(&types, &[n_cells], Vec::new())?));

        let weights = (!grid.rational_weights.is_empty())
            .then(|| ("RationalWeights", Values::F64(grid.rational_weights.clone()), vec![n_points]));
        let has_degrees = grid.types.iter().any(|kind| kind.n_degrees() > 0) && !grid.degrees.is_empty();
        let degrees = has_degrees.then(|| {
            let numbers = grid.degrees.as_flattened().iter().map(|&p| f64::from(p)).collect();
            ("HigherOrderDegrees", Values::F64(numbers), vec![n_cells, 3])
        });
        let (data, point_offsets) = members(file, self.points, weights, n_points, n_times)?;
        links.push(("PointData", data));
        let (data, cell_offsets) = members(file, self.cells, degrees, n_cells, n_times)?;
        links.push(("CellData", data));

        let mut steps = vec![("Values", file.dataset(&Values::F64(self.times), &[n_times], Vec::new())?)];
        let (zeros, ones) = (Values::I64(vec![0; n_times]), Values::I64(vec![1; n_times]));
        for name in ["PartOffsets", "PointOffsets"] {
            steps.push((name, file.dataset(&zeros, &[n_times], Vec::new())?));
        }
        steps.push(("NumberOfParts", file.dataset(&ones, &[n_times], Vec::new())?));
        for name in ["CellOffsets", "ConnectivityIdOffsets"] {
            steps.push((name, file.dataset(&zeros, &[n_times, 1], Vec::new())?));
        }
        steps.extend([("PointDataOffsets", point_offsets), ("CellDataOffsets", cell_offsets)]);
        let count = attribute("NSteps", Attribute::Number(n_times as i64));
        links.push(("Steps", file.group(&steps, vec![count])?));

        let head = vec![
            attribute("Version", Attribute::Numbers(&[2, 0])),
            attribute("Type", Attribute::Text("UnstructuredGrid")),
        ];
        let vtkhdf = file.group(&links, head)?;
        let root = self.file.group(&[("VTKHDF", vtkhdf)], Vec::new())?;
        self.file.finish(root)
    }
}

/// Writes the fields over points or cells; returns the addresses of their group and of that of their offsets.
///
/// * `fixed` — a constant field, with its role as name, and its shape
fn members<W: Write + Seek>(
    file: &mut File<W>,
    series: Vec<Series>,
    fixed: Option<(&'static str, Values, Vec<usize>)>,
    n_rows: usize,
    n_times: usize,
) -> io::Result<(u64, u64)> {
    let names: Vec<String> = series.iter().map(|series| series.name.replace('/', "_")).collect();
    let (mut data, mut offsets) = (Vec::new(), Vec::new());
    for (series, name) in series.into_iter().zip(&names) {
        let role = series.role.map(|role| attribute("Attribute", Attribute::Text(role)));
        data.push((name.as_str(), series.data.finish(file, role.into_iter().collect())?));
        let starts = Values::I64((0..n_times).map(|time| (time * n_rows) as i64).collect());
        offsets.push((name.as_str(), file.dataset(&starts, &[n_times], Vec::new())?));
    }
    if let Some((name, values, shape)) = fixed {
        let role = attribute("Attribute", Attribute::Text(name));
        data.push((name, file.dataset(&values, &shape, vec![role])?));
        offsets.push((name, file.dataset(&Values::I64(vec![0; n_times]), &[n_times], Vec::new())?));
    }
    Ok((file.group(&data, Vec::new())?, file.group(&offsets, Vec::new())?))
}
