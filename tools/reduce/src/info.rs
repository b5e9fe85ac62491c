//! `carom-reduce info`

use std::fmt::Write as _;

use carom_cli::{Failure, Session};
use carom_reduce::places::PlacedSurface;
use carom_reduce::{AttachmentKind, Column};
use serde::Serialize;

use crate::args::InfoArgs;
use crate::made::Made;
use crate::table::{ModeTable, mode_table, mode_table_text};

#[derive(Debug, Serialize)]
struct SurfaceInfo {
    name: String,
    faces: usize,
    points: usize,
    interface_points: usize,
}

#[derive(Debug, Serialize)]
struct PlacesInfo {
    name: String,
    places: usize,
    faces: usize,
    /// `q2`, or `z2` without second moment.
    kernel: &'static str,
    /// r₀ \[m\].
    radius: f64,
    /// Distance between places \[m\].
    spacing: f64,
    /// Mean edge of the faces \[m\].
    edge: f64,
    /// Thickness of the body below \[m\].
    thickness: f64,
    /// Loads that an edge of the body cuts.
    cut_loads: usize,
}

#[derive(Debug, Serialize)]
struct MarkerInfo {
    name: String,
    kind: &'static str,
    /// In the body frame \[m\].
    position: [f64; 3],
}

#[derive(Debug, Serialize)]
struct Report {
    name: String,
    version: String,
    checksum: String,
    body_checksum: String,
    mass: f64,
    center_of_mass: [f64; 3],
    inertia: [[f64; 3]; 3],
    dofs: usize,
    interface_dofs: usize,
    fixed_interface_modes: usize,
    fixed_interface_hz: Vec<f64>,
    low_modes: usize,
    high_modes: usize,
    frequencies_hz: Vec<f64>,
    /// By how much the lowest frequencies are too high by the mesh, relative to them; empty if unknown.
    frequency_errors: Vec<f64>,
    interfaces: Vec<String>,
    surfaces: Vec<SurfaceInfo>,
    places: Vec<PlacesInfo>,
    markers: Vec<MarkerInfo>,
    held: Vec<String>,
    field_points: usize,
    /// The options of the reduction.
    options: Made,
    /// Frequencies of the free modes in the basis \[Hz\].
    free_mode_hz: Vec<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    modes: Option<ModeTable>,
}

impl PlacesInfo {
    fn new(placed: &PlacedSurface) -> Self {
        Self {
            name: placed.name.clone(),
            places: placed.places_b.len(),
            faces: placed.surface.faces.len(),
            kernel: if placed.zero_moment { "z2" } else { "q2" },
            radius: placed.radius,
            spacing: placed.spacing,
            edge: placed.edge,
            thickness: placed.thickness,
            cut_loads: placed.cut_loads.len(),
        }
    }
}

pub(crate) fn info(args: &InfoArgs, session: &Session) -> Result<(), Failure> {
    let stored = crate::open_rom(&args.rom, session)?;
    let rom = &stored.reduced;
    let report = Report {
        name: rom.name.clone(),
        version: stored.version.to_string(),
        checksum: stored.checksum.clone(),
        body_checksum: rom.body_checksum.clone(),
        mass: rom.invariants.mass,
        center_of_mass: rom.center_of_mass(),
        inertia: rom.invariants.inertia_about_center(),
        dofs: rom.n_dofs,
        interface_dofs: rom.n_interface_dofs,
        fixed_interface_modes: rom.fixed_interface_hz.len(),
        fixed_interface_hz: rom.fixed_interface_hz.clone(),
        low_modes: rom.n_low,
        high_modes: rom.omega.len() - rom.n_low,
        frequencies_hz: rom.omega.iter().map(|w| w / std::f64::consts::TAU).collect(),
        frequency_errors: rom.frequency_errors.clone(),
        interfaces: stored.options.interfaces.clone(),
        surfaces: rom
            .surfaces
            .iter()
            .map(|s| SurfaceInfo {
                name: s.name.clone(),
                faces: s.surface.faces.len(),
                points: s.surface.points.len(),
                interface_points: s.is_interface.iter().filter(|&&is| is).count(),
            })
            .collect(),
        places: rom.places.iter().map(PlacesInfo::new).collect(),
        markers: rom
            .markers
            .iter()
            .map(|marker| MarkerInfo {
                name: marker.name.clone(),
                kind: match marker.kind {
                    AttachmentKind::Rigid => "rigid",
                    AttachmentKind::Mean => "mean",
                },
                position: marker.position_b,
            })
            .collect(),
        held: rom.held.clone(),
        modes: args.modes.then(|| mode_table(rom)).flatten(),
        options: Made::new(&stored),
        free_mode_hz: rom
            .composition
            .columns
            .iter()
            .filter_map(|column| match column {
                Column::FreeMode { hz, .. } => Some(*hz),
                _ => None,
            })
            .collect(),
        field_points: rom.fields.as_ref().map_or(0, |fields| fields.points().len()),
    };
    session.print(&text(&report))?;
    if args.modes {
        session.print(&mode_table_text(rom))?;
    }
    session.print_json("carom-reduce info 1", &report)
}

/// Writing to a string cannot fail.
fn text(report: &Report) -> String {
    let mut text = String::new();
    let mut line = |key: &str, value: String| {
        let _ = writeln!(text, "{key:24} {value}");
    };
    let hz = &report.frequencies_hz;
    let range = |hz: &[f64]| match (hz.first(), hz.last()) {
        (Some(first), Some(last)) => format!("{} modes, {first:.1} to {last:.4e} Hz", hz.len()),
        _ => "none".to_owned(),
    };
    let [x, y, z] = report.center_of_mass;
    line("model", format!("{} (version {})", report.name, report.version));
    line("mass", format!("{:.9e} kg, centre ({x:.6e}, {y:.6e}, {z:.6e}) m", report.mass));
    line("full body", format!("{} dofs, {} of them interface dofs", report.dofs, report.interface_dofs));
    for (key, value) in report.options.lines() {
        line(key, value);
    }
    if report.free_mode_hz.is_empty() {
        line("fixed-interface modes", range(&report.fixed_interface_hz));
    } else {
        line("free modes", range(&report.free_mode_hz));
    }
    let frame = if report.options.is_reframed() && report.low_modes > 0 {
        ", relative to the body frame: these are not the frequencies of the free body"
    } else {
        ""
    };
    line("dynamic", range(&hz[..report.low_modes]) + frame);
    line("quasistatic", range(&hz[report.low_modes..]));
    if !report.frequency_errors.is_empty() {
        let errors: Vec<String> =
            report.frequency_errors.iter().map(|e| format!("{:.2}", 100.0 * e)).collect();
        line("errors by the mesh", format!("lowest frequencies too high by {} %", errors.join(", ")));
    }
    for surface in &report.surfaces {
        let own = format!(
            "{} faces, {} of {} points interface points",
            surface.faces, surface.interface_points, surface.points
        );
        line("surface", format!("{}: {own}", surface.name));
    }
    for places in &report.places {
        let PlacesInfo { name, places, faces, kernel, radius, edge, thickness, cut_loads, .. } = places;
        let cut =
            if *cut_loads > 0 { format!(", {cut_loads} of them cut by an edge") } else { String::new() };
        line(
            "places",
            format!(
                "{name}: {places} loads {kernel} of radius {radius:.3e} m{cut}, on {faces} faces with edges \
                 of {edge:.3e} m; thickness {thickness:.3e} m"
            ),
        );
    }
    for marker in &report.markers {
        let [x, y, z] = marker.position;
        line(
            "marker",
            format!("{}: {}, at ({x:.6e}, {y:.6e}, {z:.6e}) m in the body frame", marker.name, marker.kind),
        );
    }
    if !report.held.is_empty() {
        line("held", format!("{}: the body is grounded", report.held.join(", ")));
    }
    line("modes for pictures", format!("at {} points", report.field_points));
    text
}
