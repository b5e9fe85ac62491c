//! `carom-reduce compliance`

mod impact;
mod plot;
mod text;
mod whole;

use std::f64::consts::TAU;
use std::path::Path;

use carom_cli::{Category, Failure, FailureContext, Session, check_ending, keep_input};
use carom_contact::region::{
    ModalCompliance, Region, half_space_under_hertz, half_space_under_square, static_mode_error,
};
use carom_files::write_atomically;
use carom_reduce::free::FreeShapes;
use carom_reduce::{NamedSurface, ReducedBody};
use carom_report::number::quantity;
use faer::Mat;
use nalgebra::Vector3;
use serde::Serialize;

use crate::args::ComplianceArgs;
use impact::Impact;
use whole::{Whole, worst_place};

/// Products of split and duration that are tabled; 5 is the default for contact, 2 the least.
const PERIODS: [f64; 5] = [0.0, 1.0, 2.0, 5.0, 10.0];

#[derive(Debug, Serialize)]
struct Report {
    split_hz: Option<f64>,
    modes: usize,
    dynamic_modes: usize,
    regions: Vec<RegionReport>,
    /// How the body was solved: `direct` by a factor, `iterative` without one.
    solver: Option<&'static str>,
    notes: Vec<String>,
}

/// A region and what the modes do there.
#[derive(Debug, Serialize)]
struct RegionReport {
    name: String,
    faces: usize,
    /// Pieces of the surface that carry a pressure each: its faces, or of linear ones the surroundings of its
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
    impact: Option<Impact>,
    splits: Vec<SplitReport>,
    spectrum: Spectrum,
}

/// The compliance under a force of 1 N on one span (radius 0) or under Hertz' pressure.
#[derive(Debug, Serialize)]
struct LoadReport {
    radius: f64,
    loaded_spans: usize,
    /// All modes [m/N].
    compliance: f64,
    low: f64,
    high: f64,
    high_share: f64,
    /// The whole body [m/N], and what the model lacks of it.
    body: Option<f64>,
    cut_error: Option<f64>,
    half_space: Option<f64>,
    #[serde(skip)]
    parts: Vec<f64>,
    #[serde(skip)]
    forces: Vec<f64>,
}

#[derive(Debug, Serialize)]
struct PlaceReport {
    place: [f64; 3],
    cut_error: f64,
    places: usize,
}

/// What a split would do in an impact.
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

/// How much of the compliance lies in the modes up to each frequency.
#[derive(Debug, Serialize)]
struct Spectrum {
    hz: Vec<f64>,
    point_share: Vec<f64>,
    patch_share: Vec<f64>,
    patch_radius: f64,
}

impl RegionReport {
    /// Spans to the contact radius below which a contact is not resolved.
    const RESOLVED: f64 = 2.0;

    /// Contact radii to the rim that pressure and its surroundings need.
    const ROOM: f64 = 1.25;

    /// What is wrong with spans or size of the region for the impact.
    fn notes(&self) -> Vec<String> {
        let Some(impact) = &self.impact else { return Vec::new() };
        let (name, radius) = (&self.name, impact.contact_radius);
        let lengths = |x: f64| quantity(x, "m", 3);
        let mut notes = Vec::new();
        if radius < Self::RESOLVED * self.span_size {
            notes.push(format!(
                "`{name}`: the contact radius is {}, its spans are {} large: this impact is not resolved, \
                 and the splits below are those of a coarser pressure; refine `{name}` to spans of {} for 1 \
                 % of the force (a quarter of the radius)",
                lengths(radius),
                lengths(self.span_size),
                lengths(0.25 * radius)
            ));
        }
        if Self::ROOM * radius > self.reach {
            notes.push(format!(
                "`{name}`: the contact radius is {}, but from the middle it is {} to the rim: the region is \
                 too small for this impact; it should reach {}",
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
            return Err(Failure::new(
                Category::Usage,
                "--solver belongs to a body, and only a model is given",
            )
            .hint("name the body behind the model, or leave the flag out"));
        }
        None => (crate::open_rom(&args.rom, session)?, None),
    };
    // Compliance is that of the free body, whatever the frame of the model follows.
    let shapes =
        FreeShapes::new(&rom.reduced).map_err(|error| Failure::from_error(Category::Input, error))?;
    let free = ReducedBody {
        omega: shapes.omega.to_vec(),
        boundary: shapes.boundary.into_owned(),
        ..rom.reduced.clone()
    };
    let surfaces = wanted_surfaces(&free, args)?;
    let regions = surfaces
        .into_iter()
        .map(|surface| region_report(&free, surface, whole.as_ref(), args, session))
        .collect::<Result<Vec<_>, _>>()?;
    let coarse = regions.iter().flat_map(RegionReport::notes);
    let notes: Vec<String> = whole.as_ref().and_then(Whole::told).into_iter().chain(coarse).collect();
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

/// The surfaces asked for, or all.
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
    let rows: Option<Vec<usize>> =
        surface.surface.points.iter().map(|point| boundary.points.binary_search(point).ok()).collect();
    let rows = rows.ok_or_else(|| fail("it has points that the model does not keep"))?;
    let positions: Vec<[f64; 3]> = rows.iter().map(|&row| boundary.positions_b[row]).collect();
    let region =
        Region::new(surface.surface.clone(), &positions).map_err(|error| fail(&error.to_string()))?;
    let middle = region.middle().ok_or_else(|| fail("it has no area"))?;
    let modes =
        Mat::from_fn(3 * rows.len(), model.omega.len(), |i, k| boundary.values[(3 * rows[i / 3] + i % 3, k)]);
    let modal = ModalCompliance::new(&region, modes.as_ref(), &model.omega);

    let material = match (&model.materials[..], whole) {
        ([only], _) => Some(only),
        (_, Some(whole)) => whole.material_of(&surface.name),
        _ => None,
    };
    let curvatures = region.convex_curvatures(middle);
    let impact = match args.velocity {
        Some(velocity) => Some(impact::estimate(
            model,
            material,
            &region.centers[middle],
            &region.normals[middle],
            curvatures,
            velocity,
            args,
        )?),
        None => None,
    };
    let radii = radii(region.span_size(middle), region.reach(middle), impact.as_ref());
    let modulus = material.map(|m| m.young / (1.0 - m.poisson.powi(2)));
    let loads = load_reports(model, surface, &region, &modal, (whole, session), middle, &radii, modulus)?;
    let complete = surface.is_interface.iter().all(|&inside| inside);
    if !complete {
        session.warn(&format!(
            "`{}` has points that are no interface points: its compliance is not complete",
            surface.name
        ));
    }
    // The pressure of the impact, else the largest that lies near the middle, else the point.
    let typical = impact
        .as_ref()
        .and_then(|i| {
            loads.iter().rposition(|l| l.radius > 0.0 && l.radius <= i.contact_radius * (1.0 + 1e-9))
        })
        .unwrap_or_else(|| usize::from(loads.len() > 1) * (1 + loads.len()) / 2);
    let splits = impact.as_ref().map_or(Vec::new(), |i| splits(model, &loads[typical].parts, i.duration));
    let own_axes = |x: &Vector3<f64>| [0, 1, 2].map(|a| x[a] + model.com[a]);
    Ok(RegionReport {
        name: surface.name.clone(),
        faces: surface.surface.faces.len(),
        spans: region.n_spans(),
        complete,
        middle: own_axes(&region.centers[middle]),
        normal: region.normals[middle].into(),
        span_size: region.span_size(middle),
        reach: region.reach(middle),
        curvatures,
        smallest_eigenvalue: smallest_eigenvalue(&modal),
        worst_place: whole
            .map(|whole| worst_place(surface, &region, &modal, whole, &own_axes, session))
            .transpose()?,
        spectrum: Spectrum {
            hz: model.omega.iter().map(|omega| omega / TAU).collect(),
            point_share: cumulated(&loads[0].parts),
            patch_share: cumulated(&loads[typical].parts),
            patch_radius: loads[typical].radius,
        },
        loads,
        impact,
        splits,
    })
}

/// Radii of the pressures: multiples of the span size up to the reach of the region, and that of the impact.
fn radii(span: f64, reach: f64, impact: Option<&Impact>) -> Vec<f64> {
    let mut radii: Vec<f64> =
        (0..6).map(|k| span * f64::from(1 << k)).take_while(|&radius| radius < 0.99 * reach).collect();
    radii.push(reach.max(span));
    radii.extend(impact.map(|i| i.contact_radius));
    radii.sort_by(f64::total_cmp);
    radii
}

fn load_reports(
    model: &ReducedBody,
    surface: &NamedSurface,
    region: &Region,
    modal: &ModalCompliance,
    (whole, session): (Option<&Whole>, &Session),
    middle: usize,
    radii: &[f64],
    modulus: Option<f64>,
) -> Result<Vec<LoadReport>, Failure> {
    let point = (0.0, region.point_load(middle));
    let patches = radii.iter().filter_map(|&radius| Some((radius, region.hertz_load(middle, radius)?)));
    let mut reports: Vec<LoadReport> = std::iter::once(point)
        .chain(patches)
        .map(|(radius, forces)| {
            let parts = modal.parts(&forces);
            let (low, high) = (parts[..model.n_low].iter().sum(), parts[model.n_low..].iter().sum::<f64>());
            let compliance: f64 = low + high;
            LoadReport {
                radius,
                loaded_spans: forces.iter().filter(|&&f| f > 0.0).count(),
                compliance,
                low,
                high,
                high_share: high / compliance,
                body: None,
                cut_error: None,
                half_space: modulus.map(|modulus| match radius {
                    0.0 => half_space_under_square(modulus, region.span_size(middle)),
                    _ => half_space_under_hertz(modulus, radius),
                }),
                parts,
                forces,
            }
        })
        .collect();
    if let Some(whole) = whole {
        let loads: Vec<Vec<f64>> = reports.iter().map(|report| report.forces.clone()).collect();
        for (report, body) in reports.iter_mut().zip(whole.compliances(surface, region, &loads, session)?) {
            report.body = Some(body);
            report.cut_error = Some(1.0 - report.compliance / body);
        }
    }
    Ok(reports)
}

/// Splits that were tabled and the model's own, ascending.
fn splits(model: &ReducedBody, parts: &[f64], duration: f64) -> Vec<SplitReport> {
    let total: f64 = parts.iter().sum();
    let hz = |k: usize| model.omega[k] / TAU;
    let report = |split_hz: f64, n_low: usize, is_own: bool| {
        let high = &parts[n_low..];
        let errors = high
            .iter()
            .enumerate()
            .map(|(k, part)| part * static_mode_error(hz(n_low + k), duration).min(1.0));
        SplitReport {
            split_hz,
            periods: split_hz * duration,
            dynamic_modes: n_low,
            high_share: high.iter().sum::<f64>() / total,
            mode_error: (split_hz > 0.0).then(|| static_mode_error(split_hz, duration)),
            expected_error: errors.sum::<f64>() / total,
            is_own,
        }
    };
    let below = |split: f64| (0..parts.len()).take_while(|&k| hz(k) <= split).count();
    let mut found: Vec<SplitReport> = PERIODS
        .iter()
        .map(|periods| periods / duration)
        .map(|split| report(split, below(split), false))
        .collect();
    // Between the last dynamic and the first static mode any split is the model's.
    let own = model.n_low.checked_sub(1).map_or(0.0, hz);
    found.push(report(own, model.n_low, true));
    found.sort_by(|a, b| a.split_hz.total_cmp(&b.split_hz));
    found
}

fn cumulated(parts: &[f64]) -> Vec<f64> {
    let total: f64 = parts.iter().sum();
    let mut sum = 0.0;
    parts
        .iter()
        .map(|part| {
            sum += part;
            sum / total
        })
        .collect()
}

/// Of W of all modes with its diagonal scaled to 1.
fn smallest_eigenvalue(modal: &ModalCompliance) -> Option<f64> {
    let w = modal.matrix(0..modal.omega.len());
    let scale: Vec<f64> = (0..w.nrows()).map(|i| w[(i, i)].sqrt()).collect();
    if scale.iter().any(|&s| s <= 0.0) {
        return None;
    }
    let scaled = Mat::from_fn(w.nrows(), w.nrows(), |i, j| w[(i, j)] / (scale[i] * scale[j]));
    let pairs = carom_linalg::dense::symmetric_pairs(scaled.as_ref()).ok()?;
    Some(pairs.lambda.first()? / pairs.lambda.last()?)
}
