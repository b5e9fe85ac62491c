//! The table of modes: the columns of the basis T, and their shares in the modes of the model.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use carom_reduce::{BoundaryDof, Column, Composition, ReducedBody};
use serde::Serialize;

#[derive(Debug, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
enum ColumnInfo {
    Point { node: u64, set: String, axis: &'static str },
    Marker { marker: String, motion: String },
    Interface { set: String, number: u32, hz: Option<f64>, rigid: bool },
    FixedInterface { number: u32, hz: f64, effective_mass: [f64; 3] },
    Free { number: u32, hz: f64 },
    ResidualPoint { node: u64, set: String, axis: &'static str },
    ResidualMarker { marker: String, motion: String },
    InertiaRelief { number: u32, hz: f64 },
    Further { number: u32 },
}

#[derive(Debug, Serialize)]
struct ModeInfo {
    mode: usize,
    hz: f64,
    dynamic: bool,
    /// Share of each group in the strain energy.
    strain_energy: BTreeMap<String, f64>,
    /// Number of the column with the largest share, from 1, and its share.
    largest_column: usize,
    largest_share: f64,
}

/// The table, with the keys of `--json`.
#[derive(Debug, Serialize)]
pub(crate) struct ModeTable {
    columns: Vec<ColumnInfo>,
    rigid_motions_taken_out: usize,
    held: Vec<String>,
    modes: Vec<ModeInfo>,
}

/// The table of a model; `None` for a model that does not record its basis.
pub(crate) fn mode_table(rom: &ReducedBody) -> Option<ModeTable> {
    let composition = &rom.composition;
    if composition.columns.is_empty() {
        return None;
    }
    let groups = composition.groups();
    let columns = composition.columns.iter().map(|column| column_info(composition, column));
    let mode = |k: usize| {
        let shares = composition.strain_shares.col(k);
        let largest = (0..shares.nrows()).fold(0, |best, i| if shares[i] > shares[best] { i } else { best });
        ModeInfo {
            mode: k + 1,
            hz: rom.omega[k] / std::f64::consts::TAU,
            dynamic: k < rom.n_low,
            strain_energy: groups.iter().map(|g| (*g).to_owned()).zip(composition.group_shares(k)).collect(),
            largest_column: largest + 1,
            largest_share: shares[largest],
        }
    };
    Some(ModeTable {
        columns: columns.collect(),
        rigid_motions_taken_out: if rom.held.is_empty() { 6 } else { 0 },
        held: rom.held.clone(),
        modes: (0..rom.omega.len()).map(mode).collect(),
    })
}

fn column_info(composition: &Composition, column: &Column) -> ColumnInfo {
    let axis_name = |axis: u8| ["x", "y", "z"][usize::from(axis).min(2)];
    match column.clone() {
        Column::Constraint(BoundaryDof::Point { set, point, axis }) => {
            ColumnInfo::Point { node: u64::from(point) + 1, set, axis: axis_name(axis) }
        }
        Column::Constraint(BoundaryDof::Marker { marker, motion }) => {
            ColumnInfo::Marker { marker, motion: motion.to_string() }
        }
        Column::Residual(BoundaryDof::Point { set, point, axis }) => {
            ColumnInfo::ResidualPoint { node: u64::from(point) + 1, set, axis: axis_name(axis) }
        }
        Column::Residual(BoundaryDof::Marker { marker, motion }) => {
            ColumnInfo::ResidualMarker { marker, motion: motion.to_string() }
        }
        Column::Interface { part, number, hz } => {
            ColumnInfo::Interface { set: part, number: number + 1, hz, rigid: hz.is_none() }
        }
        Column::FixedMode { number, hz } => ColumnInfo::FixedInterface {
            number: number + 1,
            hz,
            effective_mass: [0, 1, 2].map(|a| composition.effective_mass[(a, number as usize)]),
        },
        Column::FreeMode { number, hz } => ColumnInfo::Free { number: number + 1, hz },
        Column::InertiaRelief { number, hz } => ColumnInfo::InertiaRelief { number: number + 1, hz },
        Column::Further { number } => ColumnInfo::Further { number: number + 1 },
    }
}

/// The kinds of columns in their order, each with the number of its columns.
fn kinds(columns: &[Column]) -> String {
    let mut counts: Vec<(&str, usize)> = Vec::new();
    for column in columns {
        match counts.iter_mut().find(|(kind, _)| *kind == column.kind()) {
            Some((_, count)) => *count += 1,
            None => counts.push((column.kind(), 1)),
        }
    }
    counts.into_iter().map(|(kind, count)| format!("{count} {kind}")).collect::<Vec<_>>().join(", ")
}

/// The table as text. Writing to a string cannot fail.
pub(crate) fn mode_table_text(rom: &ReducedBody) -> String {
    let Some(table) = mode_table(rom) else {
        return "the model does not say what its modes are made of: it was imported, or made before version \
            1.2\n"
            .to_owned();
    };
    let mut text = String::new();
    let _ = writeln!(text, "columns of the basis: {}", kinds(&rom.composition.columns));
    for (i, (info, column)) in table.columns.iter().zip(&rom.composition.columns).enumerate() {
        let _ = write!(text, "{:6}  ", i + 1);
        let _ = match info {
            ColumnInfo::FixedInterface { number, hz, effective_mass } => {
                let [x, y, z] = effective_mass.map(|m| 100.0 * m / rom.invariants.mass);
                writeln!(
                    text,
                    "fixed-interface mode {number}, {hz:.2} Hz; effective mass {x:.1} % x, {y:.1} % y, \
                     {z:.1} % z"
                )
            }
            ColumnInfo::Point { .. } | ColumnInfo::Marker { .. } => {
                writeln!(text, "constraint mode: {column}")
            }
            _ => writeln!(text, "{column}"),
        };
    }
    let _ = match table.held.as_slice() {
        [] => {
            writeln!(
                text,
                "removed: 6 rigid motions, those of the body frame (three translations, three rotations)"
            )
        }
        held => writeln!(text, "removed: nothing, the body is held at {}", held.join(", ")),
    };
    let groups = rom.composition.groups();
    let _ = writeln!(text, "modes of the model, with the share of each group in the strain energy [%]");
    let _ = write!(text, "{:>6} {:>12}  {:11}", "mode", "Hz", "");
    let widths: Vec<usize> = groups.iter().map(|group| group.chars().count().max(6)).collect();
    for (group, width) in groups.iter().zip(&widths) {
        let _ = write!(text, " {group:>width$}");
    }
    let _ = writeln!(text, "  most in");
    for mode in &table.modes {
        let kind = if mode.dynamic { "dynamic" } else { "quasistatic" };
        let _ = write!(text, "{:6} {:12.2}  {kind:11}", mode.mode, mode.hz);
        for (group, width) in groups.iter().zip(&widths) {
            let _ = write!(text, " {:>width$.1}", 100.0 * mode.strain_energy[*group]);
        }
        let column = &rom.composition.columns[mode.largest_column - 1];
        let _ = writeln!(text, "  {column} ({:.0} %)", 100.0 * mode.largest_share);
    }
    text
}
