//! Impacts on the parts of the trials with cells that resolve the contact: their expected figures.

use carom_simulate::cpu_seconds;
use nalgebra::Vector3;

use super::drawn::{BALL, SPEED, Spot, all_drawn};
use super::{DENSITY, GAP, POISSON, YOUNG};
use crate::{Bench, BenchError, Outcome, Row, Table};

/// Cells in the contact radius.
pub(super) const CELLS: f64 = 4.0;

/// The same of a second run of the first part, for the effect of the cells.
const FEWER_CELLS: f64 = 3.0;

/// Radius of the contact zone over that of the contact.
const ZONE: f64 = 1.4;

/// Duration for the split \[s\], which serves all impacts that are not much shorter.
const DURATION: f64 = 80e-6;

/// Part of that duration from which an impact is much shorter.
const MUCH_SHORTER: f64 = 2.0 / 3.0;

/// Largest deviation of the figures that the trials compare with.
const CLAIM: f64 = 2e-3;

/// Largest difference between both numbers of cells.
const CLAIM_OF_CELLS: f64 = 5e-3;

/// Figures of an impact: force and duration.
pub(super) struct Found {
    pub(super) figures: [f64; 2],
    pub(super) dofs: usize,
    pub(super) interface: usize,
    pub(super) cpu_seconds: f64,
}

/// The scenario of an impact with `cells` in the contact radius.
fn scenario(part: &Spot, file: &str, cells: f64) -> String {
    let (finest, zone) = cells_of(part, cells);
    let split = 5.0 / if part.duration < MUCH_SHORTER * DURATION { part.duration } else { DURATION };
    let (place, normal) = (Vector3::from(part.place), Vector3::from(part.normal));
    let center = place + (BALL + GAP) * normal;
    let velocity = -SPEED * normal;
    let (axis, degrees) = part.facing();
    let of = |x: Vector3<f64>| format!("[{:e}, {:e}, {:e}]", x.x, x.y, x.z);
    format!(
        "[simulation]\nscheme = \"quasistatic\"\nend_time = {:e}\ngravity = [0.0, 0.0, 0.0]\n\
         output_every = {:e}\n[material.m]\ndensity = {DENSITY}\nyoung = {YOUNG:e}\npoisson = {POISSON}\n\
         [[body]]\nname = \"ball\"\nmaterial = \"m\"\nmake = {{ shape = \"ball\", radius = {BALL}, \
         pole_radius = {zone:e}, focus = 2.5, grade = {{ at = \"pole\", finest = {finest:e} }} }}\n\
         reduce = {{ interface = [\"pole\"], modes = 24, split = {split:e} }}\n\
         position = {}\nvelocity = {}\nrotation = {{ axis = {axis:?}, degrees = {degrees:e} }}\n\
         [[body]]\nname = \"part\"\nmaterial = \"m\"\nfile = \"{file}\"\nsize = {:e}\norder = 2\n\
         zone = [{{ name = \"spot\", set = \"surface\", center = {}, radius = {zone:e} }}]\n\
         reduce = {{ interface = [\"spot\"], up_to = {:e}, split = {split:e} }}\n\
         [[contact]]\nbetween = [\"ball:pole\", \"part:spot\"]\nlaw = {{ kind = \"penalty\" }}\n",
        1.5 * part.duration,
        part.duration / 50.0,
        of(center),
        of(velocity),
        part.size,
        of(place),
        1.25 * split,
    )
}

/// Size of the cells at the contact and radius of the zone \[m\].
fn cells_of(part: &Spot, cells: f64) -> (f64, f64) {
    let [long, short] = part.semi_axes;
    (short / cells, ZONE * long)
}

/// Name of the files of an impact, the same for all parts with this contact: so the model of the ball is made
/// once.
fn name_of(part: &Spot, cells: f64) -> String {
    let [long, short] = part.semi_axes.map(|length| (1e6 * length).round());
    format!("trials-resolved-a{cells}-{long}-{short}")
}

/// Runs an impact with `cells` in the shorter semi-axis of the contact.
pub(super) fn run(bench: &Bench<'_>, part: &Spot, cells: f64) -> Result<Found, BenchError> {
    let name = name_of(part, cells);
    let file = format!("{name}-{}.geo", part.name.replace([' ', ','], "-"));
    let (finest, zone) = cells_of(part, cells);
    bench.place(&file, part.graded(finest, zone))?;
    let started = cpu_seconds();
    let outcome = bench.run(&name, &scenario(part, &file, cells), None)?;
    // A thin plate swings back while the ball still touches it.
    let events = &outcome.summary.contacts;
    let Some(impact) = events.iter().max_by(|a, b| a.peak_force.total_cmp(&b.peak_force)) else {
        return Err(BenchError::Impacts { scenario: name, count: 0 });
    };
    let cpu_seconds = cpu_seconds() - started;
    let opened = bench.open(&name)?;
    let mut interface = 0;
    for body in &opened.header().bodies {
        interface += carom_format::read_rom(body.rom_path.as_ref())?.reduced.n_interface_dofs;
    }
    let figures = [impact.peak_force, impact.end - impact.start];
    Ok(Found { figures, dofs: Bench::dofs(&opened)?, interface, cpu_seconds })
}

/// Impacts on drawn parts.
pub(crate) fn resolved(bench: &Bench<'_>) -> Result<Outcome, BenchError> {
    let header = vec![
        "part",
        "cells in the contact radius",
        "dofs",
        "interface dofs",
        "force [N]",
        "duration [µs]",
        "CPU of the run, with the ball in the first [s]",
    ];
    let mut outcome = Outcome { table: Table { header, rows: Vec::new() }, ..Outcome::default() };
    // Models of an earlier run would hide their cost.
    let parts = all_drawn()?;
    for cells in [FEWER_CELLS, CELLS] {
        bench.clear(&name_of(&parts[0].spot, cells))?;
    }
    let mut row_of = |part: &Spot, cells: f64| {
        let found = run(bench, part, cells)?;
        outcome.table.rows.push(vec![
            part.name.to_owned(),
            format!("{cells}"),
            found.dofs.to_string(),
            found.interface.to_string(),
            format!("{:.1}", found.figures[0]),
            format!("{:.2}", 1e6 * found.figures[1]),
            format!("{:.1}", found.cpu_seconds),
        ]);
        Ok::<_, BenchError>(found.figures)
    };
    let coarse = row_of(&parts[0].spot, FEWER_CELLS)?;
    let found = parts.iter().map(|part| row_of(&part.spot, CELLS)).collect::<Result<Vec<_>, _>>()?;
    for (k, (figure, unit)) in [("force", "N"), ("duration", "s")].into_iter().enumerate() {
        let what = format!("{}: {figure} with {FEWER_CELLS} cells instead of {CELLS}", parts[0].spot.name);
        outcome.rows.push(Row::new(what, unit, coarse[k], found[0][k], CLAIM_OF_CELLS));
        for (part, found) in parts.iter().zip(&found) {
            let what = format!("{}: {figure} that the trials expect", part.spot.name);
            outcome.rows.push(Row::new(what, unit, part.expected[k], found[k], CLAIM));
        }
    }
    Ok(outcome)
}
