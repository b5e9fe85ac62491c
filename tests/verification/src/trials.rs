//! Impacts on parts whose meshes are far coarser than the contact, over shapes, kinds of cells and their
//! sizes (docs/theory/half-space.md).

mod drawn;
mod own;
mod own_parts;
mod parts;
mod resolved;

use carom_contact::closed_form::{HertzPair, contact_modulus};
use carom_dynamics::ErrorEstimate;
use carom_report::{Axis, Color, Plot, Series, Style};
use carom_simulate::cpu_seconds;
use nalgebra::{Matrix3, Vector3};

use crate::bench::Bench;
use crate::{BenchError, Outcome, Row, Table};

pub(crate) use own::{own_parts, own_parts_resolved};
use parts::{Part, PartMesh, all_parts};
pub(crate) use resolved::resolved;

/// Density of steel \[kg/m³\].
const DENSITY: f64 = 7800.0;

/// Young's modulus \[Pa\].
const YOUNG: f64 = 210e9;

/// Poisson's ratio.
const POISSON: f64 = 0.3;

/// Gap at the start \[m\].
const GAP: f64 = 2e-6;

/// Duration of a run over the expected one of the impact.
const RUN: f64 = 1.9;

/// Largest error of force and duration of cells of the second degree, splines among them.
const CLAIM: f64 = 0.01;

/// The same of linear and bilinear cells.
const CLAIM_LINEAR: f64 = 0.02;

/// Figures of an impact.
#[derive(Debug, Clone, Copy)]
struct Found {
    force: f64,
    duration: f64,
    /// Largest force by Hertz' theory with the effective mass of the rigid bodies \[N\].
    hertz: f64,
    /// Contact radius of the largest force by Hertz' theory \[m\].
    radius: f64,
    /// Mean edge of the faces where the bodies meet \[m\].
    edge: f64,
    dofs: usize,
    estimate: ErrorEstimate,
    energy_error: f64,
    /// CPU time of the whole chain but for Gmsh \[s\].
    cpu_seconds: f64,
}

/// A mesh of a part with its figures and their errors.
struct Trial<'a> {
    part: &'a Part,
    mesh: &'a PartMesh,
    found: Found,
    /// Errors of force and duration.
    errors: [f64; 2],
}

/// A mesh on which the program refuses the contact.
struct Refusal<'a> {
    part: &'a Part,
    mesh: &'a PartMesh,
    why: String,
}

/// The scenario of an impact of a ball on a part; of two equal parts if the part is a ball.
fn scenario(part: &Part, mesh: &PartMesh) -> String {
    let (place, normal) = (Vector3::from(part.place), Vector3::from(part.normal));
    let hertz =
        HertzPair { modulus: modulus(), radius: part.ball_radius }.impact(part.ball_mass(), part.speed);
    let end = RUN * hertz.duration + GAP / part.speed;
    let center = place + (part.ball_radius + GAP) * normal;
    let velocity = -part.speed * normal;
    let ball = match part.is_pair {
        true => mesh.source.clone(),
        false => format!("make = {{ shape = \"ball\", radius = {} }}", part.ball_radius),
    };
    let of = |x: Vector3<f64>| format!("[{:e}, {:e}, {:e}]", x.x, x.y, x.z);
    format!(
        "[simulation]\nscheme = \"quasistatic\"\nend_time = {end:e}\ngravity = [0.0, 0.0, 0.0]\n\
         output_every = {:e}\n[material.m]\ndensity = {}\nyoung = {YOUNG:e}\npoisson = {POISSON}\n\
         [[body]]\nname = \"ball\"\nmaterial = \"m\"\n{ball}\nposition = {}\nvelocity = {}\n\
         [[body]]\nname = \"part\"\nmaterial = \"m\"\n{}\n\
         [[contact]]\nbetween = [\"ball\", \"part\"]\nlaw = {{ kind = \"lagrange\" }}\n",
        end / 50.0,
        part.density,
        of(center),
        of(velocity),
        mesh.source,
    )
}

/// Modulus of contact of two bodies of the material \[Pa\].
fn modulus() -> f64 {
    contact_modulus([YOUNG; 2], [POISSON; 2])
}

/// Runs an impact.
fn run(bench: &Bench<'_>, part: &Part, mesh: &PartMesh) -> Result<Found, BenchError> {
    let name = format!("trial-{}-{}", part.name, mesh.name()).replace([' ', '/', '.'], "-");
    mesh.place(bench)?;
    bench.clear(&name)?;
    let started = cpu_seconds();
    let outcome = bench.run(&name, &scenario(part, mesh), None)?;
    let cpu_seconds = cpu_seconds() - started;
    let Some(event) = outcome.summary.contacts.first().filter(|event| !event.open) else {
        return Err(BenchError::Impacts { scenario: name, count: outcome.summary.contacts.len() });
    };
    let opened = bench.open(&name)?;
    let models = opened.header().bodies.iter().map(|body| carom_format::read_rom(body.rom_path.as_ref()));
    let models = models.collect::<Result<Vec<_>, _>>()?;
    let inverse: f64 = models
        .iter()
        .zip([Vector3::from(part.place) - part.ball_center(), Vector3::from(part.place)])
        .map(|(model, at)| inverse_mass(&model.reduced, &at, &Vector3::from(part.normal)))
        .sum();
    let radius = 1.0 / (1.0 / part.ball_radius + part.curvature);
    let hertz = HertzPair { modulus: modulus(), radius };
    let estimate = outcome.error_estimates.first().copied().flatten();
    Ok(Found {
        force: event.peak_force,
        duration: event.end - event.start,
        hertz: hertz.impact(1.0 / inverse, part.speed).peak.force,
        radius: hertz.at_force(event.peak_force).contact_radius,
        edge: models[1].reduced.places.first().map_or(f64::NAN, |places| places.edge),
        dofs: Bench::dofs(&opened)?,
        estimate: estimate.unwrap_or(ErrorEstimate::UNKNOWN),
        energy_error: outcome.summary.ledger.energy_error,
        cpu_seconds,
    })
}

/// 1/m of a rigid body at a point of its surface in a direction, 1/m + (r × n)·J⁻¹(r × n) \[1/kg\].
fn inverse_mass(reduced: &carom_reduce::ReducedBody, at: &Vector3<f64>, normal: &Vector3<f64>) -> f64 {
    let arm = (at - Vector3::from(reduced.com)).cross(normal);
    let inertia = Matrix3::from(reduced.invariants.inertia);
    let turn = inertia.try_inverse().map_or(0.0, |inverse| arm.dot(&(inverse * arm)));
    1.0 / reduced.invariants.mass + turn
}

/// Impacts over parts and meshes.
pub(crate) fn trials(bench: &Bench<'_>) -> Result<Outcome, BenchError> {
    let parts = all_parts()?;
    let (mut trials, mut refusals) = (Vec::new(), Vec::new());
    for part in &parts {
        for mesh in &part.meshes {
            let found = match run(bench, part, mesh) {
                Err(BenchError::Prepare(error)) => {
                    refusals.push(Refusal { part, mesh, why: error.to_string() });
                    continue;
                }
                found => found?,
            };
            let of = part.expected;
            let errors = [found.force / of[0] - 1.0, found.duration / of[1] - 1.0];
            trials.push(Trial { part, mesh, found, errors });
        }
    }
    let mut outcome = Outcome { table: table(&trials, &refusals), ..Outcome::default() };
    outcome.rows = rows(&parts, &trials);
    for part in &parts {
        let refused = refusals.iter().filter(|refusal| std::ptr::eq(refusal.part, part)).count();
        let share = 1.0 - refused as f64 / part.meshes.len() as f64;
        outcome.rows.push(Row::at_least(
            format!("{}: share of meshes that are taken", part.name),
            "",
            share,
            0.7,
        ));
    }
    let caption = "Error of the largest force over the contact radius in edges of the mesh, and that of \
                   Hertz' theory with the effective mass of the rigid bodies.";
    outcome.pictures.push(("trials".to_owned(), plot(&trials).draw(), caption.to_owned()));
    Ok(outcome)
}

fn table(trials: &[Trial<'_>], refusals: &[Refusal<'_>]) -> Table {
    let header = vec![
        "part",
        "cells",
        "dofs",
        "edge [mm]",
        "a/edge",
        "force [N]",
        "error [%]",
        "estimate [%]",
        "duration [µs]",
        "error [%]",
        "estimate [%]",
        "Hertz' force [%]",
        "CPU of the whole run [s]",
    ];
    let row = |Trial { part, mesh, found, errors }: &Trial<'_>| {
        vec![
            part.name.clone(),
            mesh.cells.to_owned(),
            found.dofs.to_string(),
            format!("{:.2}", 1e3 * found.edge),
            format!("{:.3}", found.radius / found.edge),
            format!("{:.1}", found.force),
            format!("{:+.2}", 100.0 * errors[0]),
            format!("{:.2}", 100.0 * found.estimate.force),
            format!("{:.2}", 1e6 * found.duration),
            format!("{:+.2}", 100.0 * errors[1]),
            format!("{:.2}", 100.0 * found.estimate.duration),
            format!("{:+.1}", 100.0 * (found.hertz / (found.force / (1.0 + errors[0])) - 1.0)),
            format!("{:.1}", found.cpu_seconds),
        ]
    };
    let refused = |Refusal { part, mesh, why }: &Refusal<'_>| {
        let mut row = vec![String::new(); header.len()];
        row[..2].clone_from_slice(&[part.name.clone(), format!("{}, {}", mesh.cells, mesh.size)]);
        row[5] = format!("refused: {why}");
        row
    };
    let rows = trials.iter().map(row).chain(refusals.iter().map(refused)).collect();
    Table { header: header.clone(), rows }
}

fn rows(parts: &[Part], trials: &[Trial<'_>]) -> Vec<Row> {
    let mut rows = Vec::new();
    for part in parts {
        for (is_linear, kind, claim) in
            [(false, "second degree and splines", CLAIM), (true, "linear and bilinear", CLAIM_LINEAR)]
        {
            let own = || {
                let of_part = move |trial: &&Trial<'_>| {
                    std::ptr::eq(trial.part, part) && trial.mesh.is_linear() == is_linear
                };
                trials.iter().filter(of_part)
            };
            if own().next().is_none() {
                continue;
            }
            for (k, figure) in ["force", "duration"].into_iter().enumerate() {
                let worst = own().map(|trial| trial.errors[k].abs()).fold(0.0, f64::max);
                rows.push(Row::new(
                    format!("{}: largest error of the {figure}, cells of {kind}", part.name),
                    "",
                    worst,
                    0.0,
                    part.claim.unwrap_or(claim),
                ));
            }
        }
    }
    let pairs = trials.iter().flat_map(|trial| {
        [(trial.errors[0], trial.found.estimate.force), (trial.errors[1], trial.found.estimate.duration)]
    });
    let within: Vec<bool> = pairs.map(|(error, estimate)| error.abs() <= estimate).collect();
    let share = within.iter().filter(|within| **within).count() as f64 / within.len() as f64;
    rows.push(Row::at_least("share of forces and durations within their estimates", "", share, 0.95));
    let energy = trials.iter().map(|trial| trial.found.energy_error).fold(0.0, f64::max);
    rows.push(Row::new("largest error of the energy", "", energy, 0.0, 1e-5));
    rows
}

fn plot(trials: &[Trial<'_>]) -> Plot {
    let mut plot = Plot::new(
        "Largest force of impacts on coarse meshes",
        Axis::new("contact radius over edge", "").logarithmic(),
        Axis::new("error, %", "").logarithmic(),
    );
    let mut kinds: Vec<&str> = Vec::new();
    for trial in trials {
        if !kinds.contains(&trial.mesh.cells) {
            kinds.push(trial.mesh.cells);
        }
    }
    let size = |trial: &&Trial<'_>| trial.found.radius / trial.found.edge;
    for kind in kinds {
        let own = trials.iter().filter(|trial| trial.mesh.cells == kind);
        let (x, y) = own.map(|trial| (size(&trial), 100.0 * trial.errors[0].abs())).unzip();
        plot = plot.with(Series::line(kind, x, y).styled(Style::Markers));
    }
    let hertz = trials.iter().map(|trial| {
        (size(&trial), 100.0 * (trial.found.hertz * (1.0 + trial.errors[0]) / trial.found.force - 1.0).abs())
    });
    let (x, y) = hertz.unzip();
    plot.with(Series::line("Hertz, rigid bodies", x, y).styled(Style::Markers).colored(Color::INK))
}
