//! `carom-reduce compliance`

mod impact;
mod plot;
mod text;
mod whole;

use std::f64::consts::TAU;
use std::path::Path;

use carom_cli::{Category, Failure, FailureContext, Session, check_ending, keep_input};
use carom_contact::region::loads::{TestLoad, typical_load};
use carom_contact::region::split::{Split, cumulative_shares, splits};
use carom_contact::region::{ModalCompliance, Region, half_space_under_hertz, half_space_under_square};
use carom_fem::Material;
use carom_files::write_atomically;
use carom_reduce::free::free_body;
use carom_reduce::{NamedSurface, ReducedBody};
use carom_report::number::quantity;
use nalgebra::Vector3;
use serde::Serialize;

use crate::args::ComplianceArgs;
use impact::ImpactReport;
use whole::{Whole, worst_place};

#[derive(Debug, Serialize)]
struct Report {
    split_hz: Option<f64>,
    modes: usize,
    dynamic_modes: usize,
    regions: Vec<RegionReport>,
    /// Solver of the body: `direct` or `iterative`.
    solver: Option<&'static str>,
    notes: Vec<String>,
}

/// A contact region and its compliance in the modes.
#[derive(Debug, Serialize)]
struct RegionReport {
    name: String,
    faces: usize,
    /// Number of pressure cells: the faces of the surface or, if these are linear, the surroundings of its
    /// nodes.
    spans: usize,
    complete: bool,
    middle: [f64; 3],
    normal: [f64; 3],
    span_size: f64,
    reach: f64,
    curvatures: [f64; 2],
    /// Smallest eigenvalue of W over the largest, diagonal scaled to 1.
    smallest_eigenvalue: Option<f64>,
    loads: Vec<LoadReport>,
    /// Largest error over places of the region, against the body.
    worst_place: Option<PlaceReport>,
    impact: Option<ImpactReport>,
    splits: Vec<SplitReport>,
    spectrum: Spectrum,
}

/// The compliance under a unit force on one pressure cell (radius 0) or under Hertz' pressure.
#[derive(Debug, Serialize)]
struct LoadReport {
    radius: f64,
    loaded_spans: usize,
    /// All modes [m/N].
    compliance: f64,
    low: f64,
    high: f64,
    high_share: f64,
    /// Compliance of the whole body [m/N], and the relative error of the model.
    body: Option<f64>,
    cut_error: Option<f64>,
    half_space: Option<f64>,
}

#[derive(Debug, Serialize)]
struct PlaceReport {
    place: [f64; 3],
    cut_error: f64,
    places: usize,
}

/// The consequences of a split in an impact.
#[derive(Debug, Serialize)]
struct SplitReport {
    split_hz: f64,
    periods: f64,
    dynamic_modes: usize,
    high_share: f64,
    /// 1/(2 f_c T)²: error of the static part of a mode at the split.
    mode_error: Option<f64>,
    /// Sum over the static modes of their errors with their parts, of the compliance of this body.
    expected_error: f64,
    is_own: bool,
}

/// Share of the compliance in the modes up to each frequency.
#[derive(Debug, Serialize)]
struct Spectrum {
    hz: Vec<f64>,
    point_share: Vec<f64>,
    patch_share: Vec<f64>,
    patch_radius: f64,
}

impl RegionReport {
    /// Fewest pressure cells in the contact radius of a resolved contact.
    const RESOLVED: f64 = 2.0;

    /// Smallest distance from the middle to the rim, in contact radii.
    const ROOM: f64 = 1.25;

    /// Notes if the pressure cells are too coarse, or the region too small, for the impact.
    fn notes(&self) -> Vec<String> {
        let Some(impact) = &self.impact else { return Vec::new() };
        let (name, radius) = (&self.name, impact.contact_radius);
        let lengths = |x: f64| quantity(x, "m", 3);
        let mut notes = Vec::new();
        if radius < Self::RESOLVED * self.span_size {
            notes.push(format!(
                "`{name}`: the contact radius is {} and the size of the pressure cells {}: this impact is \
                 not resolved, and the splits below belong to a coarser pressure; refine `{name}` to cells \
                 of {} (a quarter of the radius) for an error of 1 % in the force",
                lengths(radius),
                lengths(self.span_size),
                lengths(0.25 * radius)
            ));
        }
        if Self::ROOM * radius > self.reach {
            notes.push(format!(
                "`{name}`: the contact radius is {}, but the rim is {} from the middle: the region is too \
                 small for this impact; it should reach {}",
                lengths(radius),
                lengths(self.reach),
                lengths(Self::ROOM * radius)
            ));
        }
        notes
    }
}

pub(crate) fn compliance(args: &ComplianceArgs, session: &Session) -> Result<(), Failure> {
    if let Some(output) = &args.output.output {
        check_ending(
            output,
            "pictures",
            &["svg", "png"],
            "the table goes to standard output, with --json as data",
        )?;
        keep_input(&args.rom, output)?;
    }
    let (rom, whole) = match &args.body {
        Some(path) => {
            let (rom, body) = crate::compare::open_pair(&args.rom, path, session)?;
            let whole = Whole::new(body.body, &rom, args.solver.choice(), session)?;
            (rom, Some(whole))
        }
        None if args.solver.is_given() => {
            return Err(Failure::new(Category::Usage, "--solver needs a body, and only a model is given")
                .hint("name the body file of the model, or leave the flag out"));
        }
        None => (crate::open_rom(&args.rom, session)?, None),
    };
    // The compliance is that of the free body, for every frame of the model.
    let free = free_body(&rom.reduced).map_err(|error| Failure::from_error(Category::Input, error))?;
    let surfaces = wanted_surfaces(&free, args)?;
    let regions = surfaces
        .into_iter()
        .map(|surface| region_report(&free, surface, whole.as_ref(), args, session))
        .collect::<Result<Vec<_>, _>>()?;
    let coarse = regions.iter().flat_map(RegionReport::notes);
    let notes: Vec<String> = whole.as_ref().and_then(Whole::note).into_iter().chain(coarse).collect();
    notes.iter().for_each(|note| session.note(note));
    let reduced = &rom.reduced;
    let report = Report {
        split_hz: rom.options.split_hz,
        modes: reduced.omega.len(),
        dynamic_modes: reduced.n_low,
        regions,
        solver: whole.as_ref().map(|whole| crate::solver::way(whole.is_iterative())),
        notes,
    };
    if let Some(output) = &args.output.output {
        write_plot(output, &plot::draw(&report))?;
    }
    session.print(&text::text(&report))?;
    session.print_json("carom-reduce compliance 1", &report)
}

fn write_plot(path: &Path, drawing: &carom_report::Drawing) -> Result<(), Failure> {
    let bytes = match path.extension().and_then(|e| e.to_str()) {
        Some(ending) if ending.eq_ignore_ascii_case("png") => drawing.to_png(2.0).or_fail(Category::Other)?,
        _ => drawing.to_svg().into_bytes(),
    };
    write_atomically(path, |out| std::io::Write::write_all(out, &bytes)).or_fail(Category::Files)
}

/// The surfaces named by flags, or all.
fn wanted_surfaces<'a>(
    model: &'a ReducedBody,
    args: &ComplianceArgs,
) -> Result<Vec<&'a NamedSurface>, Failure> {
    let known: Vec<String> = model.surfaces.iter().map(|s| format!("`{}`", s.name)).collect();
    if known.is_empty() {
        return Err(Failure::new(Category::Input, "the model has no surfaces, so no contact region")
            .hint("reduce with --interface and the name of a set of faces"));
    }
    if args.surface.is_empty() {
        return Ok(model.surfaces.iter().collect());
    }
    let find = |name: &String| {
        model.surfaces.iter().find(|surface| surface.name == *name).ok_or_else(|| {
            Failure::new(Category::Input, format!("the model has no surface `{name}`"))
                .hint(format!("it has {}", known.join(", ")))
        })
    };
    args.surface.iter().map(find).collect()
}

fn region_report(
    model: &ReducedBody,
    surface: &NamedSurface,
    whole: Option<&Whole>,
    args: &ComplianceArgs,
    session: &Session,
) -> Result<RegionReport, Failure> {
    let fail = |what: &str| Failure::new(Category::Input, format!("surface `{}`: {what}", surface.name));
    let boundary = &model.boundary;
    let at = boundary.at(&surface.surface.points);
    if at.points != surface.surface.points {
        return Err(fail("it has points that the model does not keep"));
    }
    let region =
        Region::new(surface.surface.clone(), &at.positions_b).map_err(|error| fail(&error.to_string()))?;
    let middle = region.middle().ok_or_else(|| fail("it has no area"))?;
    let modal = ModalCompliance::new(&region, at.values.as_ref(), &model.omega);

    let material = match (&model.materials[..], whole) {
        ([only], _) => Some(only),
        (_, Some(whole)) => whole.material_of(&surface.name),
        _ => None,
    };
    let impact = impact_in_the_middle(model, material, &region, middle, args)?;
    let contact_radius = impact.as_ref().map(|impact| impact.contact_radius);
    let modulus = material.map(|m| m.young / (1.0 - m.poisson.powi(2)));
    let radii = region.test_radii(middle, contact_radius);
    let loads = region.test_loads(&modal, model.n_low, middle, &radii);
    let typical = typical_load(&loads, contact_radius);
    let complete = surface.is_interface.iter().all(|&inside| inside);
    if !complete {
        session.warn(&format!(
            "`{}` has points that are not interface points: its compliance is incomplete",
            surface.name
        ));
    }
    let splits =
        impact.as_ref().map_or(Vec::new(), |i| split_reports(model, &loads[typical].parts, i.duration));
    let in_source_axes = |x: &Vector3<f64>| [0, 1, 2].map(|a| x[a] + model.com[a]);
    Ok(RegionReport {
        name: surface.name.clone(),
        faces: surface.surface.faces.len(),
        spans: region.n_cells(),
        complete,
        middle: in_source_axes(&region.centers[middle]),
        normal: region.normals[middle].into(),
        span_size: region.cell_size(middle),
        reach: region.reach(middle),
        curvatures: region.convex_curvatures(middle),
        smallest_eigenvalue: modal.smallest_eigenvalue(),
        worst_place: whole
            .map(|whole| worst_place(surface, &region, &modal, whole, &in_source_axes, session))
            .transpose()?,
        spectrum: Spectrum {
            hz: model.omega.iter().map(|omega| omega / TAU).collect(),
            point_share: cumulative_shares(&loads[0].parts),
            patch_share: cumulative_shares(&loads[typical].parts),
            patch_radius: loads[typical].radius,
        },
        loads: load_reports(surface, &region, &loads, (whole, session), middle, modulus)?,
        impact,
        splits,
    })
}

/// The impact of the flags in the middle of a region; none without a velocity.
fn impact_in_the_middle(
    model: &ReducedBody,
    material: Option<&Material>,
    region: &Region,
    middle: usize,
    args: &ComplianceArgs,
) -> Result<Option<ImpactReport>, Failure> {
    let Some(velocity) = args.velocity else { return Ok(None) };
    let (place, normal) = (&region.centers[middle], &region.normals[middle]);
    let curvatures = region.convex_curvatures(middle);
    impact::estimate(model, material, place, normal, curvatures, velocity, args).map(Some)
}

/// The compliance of the model under each load, with that of the half-space and of the body where known.
fn load_reports(
    surface: &NamedSurface,
    region: &Region,
    loads: &[TestLoad],
    (whole, session): (Option<&Whole>, &Session),
    middle: usize,
    modulus: Option<f64>,
) -> Result<Vec<LoadReport>, Failure> {
    let mut reports: Vec<LoadReport> = loads
        .iter()
        .map(|load| LoadReport {
            radius: load.radius,
            loaded_spans: load.forces.iter().filter(|&&f| f > 0.0).count(),
            compliance: load.compliance(),
            low: load.low,
            high: load.high,
            high_share: load.high / load.compliance(),
            body: None,
            cut_error: None,
            half_space: modulus.map(|modulus| match load.radius {
                0.0 => half_space_under_square(modulus, region.cell_size(middle)),
                radius => half_space_under_hertz(modulus, radius),
            }),
        })
        .collect();
    if let Some(whole) = whole {
        let forces: Vec<Vec<f64>> = loads.iter().map(|load| load.forces.clone()).collect();
        for (report, body) in reports.iter_mut().zip(whole.compliances(surface, region, &forces, session)?) {
            report.body = Some(body);
            report.cut_error = Some(1.0 - report.compliance / body);
        }
    }
    Ok(reports)
}

/// The splits with their keys.
fn split_reports(model: &ReducedBody, parts: &[f64], duration: f64) -> Vec<SplitReport> {
    let of = |split: Split| SplitReport {
        split_hz: split.hz,
        periods: split.periods,
        dynamic_modes: split.n_dynamic,
        high_share: split.high_share,
        mode_error: split.mode_error,
        expected_error: split.expected_error,
        is_own: split.is_own,
    };
    splits(&model.omega, parts, model.n_low, duration).into_iter().map(of).collect()
}
