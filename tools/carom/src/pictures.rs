//! The stages after the solution: ParaView files, plots, the report.

use std::path::Path;
use std::time::Instant;

use carom_cli::{Category, Failure, FailureContext, Session};
use carom_files::create_folder;
use carom_format::scenario::model::{
    PictureCells, PictureCompression, PictureField, PictureFormat, PictureSpec,
};
use carom_post::export::{Cells, Fields, Format, Frames};
use carom_post::file::{write_drawing, write_text};
use carom_post::plot::{self, Quantity};
use carom_post::report::{self, Extras};
use carom_post::table::{self, What};
use carom_post::{ExportOptions, Run, RunError, export};
use carom_report::Link;
use carom_vtk::{Compression, WriteOptions};
use clap::ValueEnum;

use crate::folder::Layout;
use crate::phases::{Did, Done};
use crate::stamp::{Made, Stamp, identity};

/// The output of a stage.
#[derive(Default)]
pub(crate) struct Output {
    /// Files, relative to the folder.
    files: Vec<String>,
    /// Notes for the user.
    notes: Vec<String>,
}

/// The stages after the solution, with their inputs.
pub(crate) struct Pictures<'a> {
    pub(crate) layout: &'a Layout,
    pub(crate) stamp: &'a mut Stamp,
    pub(crate) run: &'a Run,
    pub(crate) session: &'a Session,
}

/// Default number of exported frames, of free motion and of contact each.
const FILM: usize = 60;

/// Number of bodies, of pressures and of joints that are plotted by default: many would fill the folder.
const DRAWN: usize = 12;

/// Identity of the inputs of the ParaView files.
pub(crate) fn export_source(result: &Path, pictures: &PictureSpec) -> Result<String, Failure> {
    let how = serde_json::to_string(pictures).expect("words and numbers are JSON");
    Ok(format!("{}, {how}", identity(result)?))
}

/// The export options of the scenario.
fn export_options(pictures: &PictureSpec) -> ExportOptions {
    let has = |field: PictureField| pictures.fields.contains(&field);
    ExportOptions {
        frames: pictures.every.map_or(Frames::Film(FILM), Frames::Every),
        fields: Fields {
            velocity: has(PictureField::Velocity),
            stress: has(PictureField::Stress),
            von_mises: has(PictureField::VonMises) || has(PictureField::Stress),
            contact_pressure: has(PictureField::ContactPressure),
        },
        cells: match pictures.cells {
            PictureCells::Surface => Cells::Surface,
            PictureCells::All => Cells::Auto,
        },
        format: match pictures.format {
            PictureFormat::Vtu => Format::Vtu,
            PictureFormat::Vtkhdf => Format::Vtkhdf,
        },
        write: WriteOptions {
            compression: match pictures.compression {
                PictureCompression::Zlib => Compression::Default,
                PictureCompression::Lz4 => Compression::Lz4,
                PictureCompression::None => Compression::None,
            },
            ..WriteOptions::default()
        },
    }
}

impl Pictures<'_> {
    /// ParaView files.
    pub(crate) fn export(&mut self, pictures: &PictureSpec) -> Result<Done, Failure> {
        let from = export_source(&self.layout.result, pictures)?;
        let (run, layout, session) = (self.run, self.layout, self.session);
        self.stage("export", &from, || {
            create_folder(&layout.paraview).or_fail(Category::Files)?;
            let written = export(run, &layout.paraview, &export_options(pictures), session.progress())
                .map_err(RunError::into_failure)?;
            let files = written.paths.iter().map(|path| format!("paraview/{path}")).collect();
            let mut notes = written.notes;
            let (shown, all) = (written.frames, run.times().len());
            if shown < all {
                notes.push(format!("export has {shown} of {all} frames (use --every 1 for all)"));
            }
            Ok(Output { files, notes })
        })
    }

    /// Plots, each as SVG and PNG.
    pub(crate) fn plots(&mut self) -> Result<Done, Failure> {
        let from = identity(&self.layout.result)?;
        let (run, layout, session) = (self.run, self.layout, self.session);
        self.stage("plots", &from, || {
            create_folder(&layout.plots).or_fail(Category::Files)?;
            let mut output = Output::default();
            for (name, quantity) in quantities(run) {
                session.check_interrupted()?;
                let drawing = match plot::draw(run, &quantity) {
                    Ok(drawing) => drawing,
                    // A pressure exists only after contact of a body with a file.
                    Err(error) if matches!(quantity, Quantity::Pressure(_)) && !error.is_io() => {
                        output.notes.push(format!("no plot of the pressure: {error}"));
                        continue;
                    }
                    Err(error) => return Err(error.into_failure()),
                };
                for ending in ["svg", "png"] {
                    let file = format!("plots/{name}.{ending}");
                    write_drawing(&layout.root.join(&file), &drawing).or_fail(Category::Files)?;
                    output.files.push(file);
                }
            }
            let n_bodies = run.header().bodies.len();
            if n_bodies > DRAWN {
                output.notes.push(format!(
                    "velocities of the first {DRAWN} of {n_bodies} bodies are plotted; carom-post plot \
                     RESULT --what velocity:BODY draws another"
                ));
            }
            Ok(output)
        })
    }

    /// The report with the phases before it, and its tables with all rows and digits.
    ///
    /// * `pictures` — the ParaView files, to which the report links
    pub(crate) fn report(
        &mut self,
        title: &str,
        pictures: &PictureSpec,
        done: &[Done],
    ) -> Result<Done, Failure> {
        let from = report_source(&self.layout.result, pictures)?;
        let (run, layout, session) = (self.run, self.layout, self.session);
        let phases = done.iter().map(Done::phase).collect();
        self.stage("report", &from, || {
            let mut files = vec!["report.html".to_owned()];
            let mut links = vec![
                link("result.carom", "the result, for carom-post and every SQLite reader"),
                link(series(pictures), "motion and fields, for ParaView"),
                link("plots/", "the plots, as SVG and PNG"),
            ];
            create_folder(&layout.tables).or_fail(Category::Files)?;
            // First, with its progress: the summary has it too.
            let stress = run.largest_stress(session.progress()).map_err(RunError::into_failure)?.clone();
            for what in listed(run) {
                let file = format!("tables/{}.csv", what.name());
                let table = table::build(run, what).map_err(RunError::into_failure)?;
                write_text(&layout.root.join(&file), &table.to_csv()).or_fail(Category::Files)?;
                links.push(link(&file, &format!("{}, all rows and digits", what.title())));
                files.push(file);
            }
            let notes = stress.sentences();
            let title = title.to_owned();
            let extras = Extras { title, phases, links, stress: Some(stress), ..Extras::default() };
            let html = report::html(run, &extras).map_err(RunError::into_failure)?;
            write_text(&layout.report, &html).or_fail(Category::Files)?;
            Ok(Output { files, notes })
        })
    }

    /// Makes a stage unless it is up to date.
    fn stage(
        &mut self,
        name: &'static str,
        from: &str,
        make: impl FnOnce() -> Result<Output, Failure>,
    ) -> Result<Done, Failure> {
        self.session.check_interrupted()?;
        if let Some(made) = self.stamp.up_to_date(name, from, &self.layout.root) {
            let mut notes = vec![format!("{name} is up to date")];
            notes.extend(made.notes.iter().cloned());
            return Ok(Done {
                name,
                did: Did::UpToDate,
                seconds: made.seconds,
                from_earlier_run: true,
                notes,
            });
        }
        self.stamp.clear(name, &self.layout.root);
        self.stamp.write(&self.layout.stamp)?;
        let started = Instant::now();
        self.session.progress().begin(name, 0);
        let made = make();
        self.session.progress().end();
        let Output { files, notes } = made?;
        let seconds = started.elapsed().as_secs_f64();
        let mut notes_of_stage = vec![format!("{name} made: {} files", files.len())];
        notes_of_stage.extend(notes.iter().cloned());
        self.stamp.stages.insert(name.to_owned(), Made { from: from.to_owned(), seconds, files, notes });
        self.stamp.write(&self.layout.stamp)?;
        Ok(Done { name, did: Did::Made, seconds, from_earlier_run: false, notes: notes_of_stage })
    }
}

/// Identity of the inputs of the report: it links to the ParaView files, whose format may change between
/// runs.
pub(crate) fn report_source(result: &Path, pictures: &PictureSpec) -> Result<String, Failure> {
    Ok(format!("{}, {}", identity(result)?, series(pictures)))
}

/// The files that ParaView opens, relative to the folder.
pub(crate) fn series(pictures: &PictureSpec) -> &'static str {
    match pictures.format {
        PictureFormat::Vtu => "paraview/result.pvd",
        PictureFormat::Vtkhdf => "paraview/result",
    }
}

fn link(path: &str, what: &str) -> Link {
    Link { path: path.to_owned(), what: what.to_owned() }
}

/// The tables with rows for a run.
fn listed(run: &Run) -> Vec<What> {
    let header = run.header();
    let is_there = |what: &What| match what {
        What::Contacts | What::ContactForce => !header.pairs.is_empty(),
        What::Joints => !header.joints.is_empty(),
        What::Probes => !header.probes.is_empty(),
        What::BodyBalance => run.reader().body_balances().is_ok_and(|balances| !balances.is_empty()),
        What::Response => run.reader().responses().is_ok_and(|responses| !responses.is_empty()),
        What::Modes => run.reader().modes().is_ok_and(|modes| !modes.is_empty()),
        What::Forces => run.reader().static_forces().is_ok_and(|forces| !forces.is_empty()),
        What::Summary | What::Timing | What::Energy | What::Momentum | What::Bodies => true,
    };
    What::value_variants().iter().copied().filter(is_there).collect()
}

/// The plots of a run, with their file names.
fn quantities(run: &Run) -> Vec<(String, Quantity)> {
    let mut all = vec![("energy".to_owned(), Quantity::Energy), ("momentum".to_owned(), Quantity::Momentum)];
    if run.header().scheme() != Some("static") {
        all.push(("steps".to_owned(), Quantity::Steps));
    }
    let pairs = &run.header().pairs;
    if !pairs.is_empty() {
        all.push(("contact-force".to_owned(), Quantity::ContactForce));
        all.push(("gap".to_owned(), Quantity::Gap));
    }
    // Contact points of rigid bodies have no pressure.
    for pair in pairs.iter().filter(|_| !run.is_rigid()).take(DRAWN) {
        all.push((format!("pressure-{}", plain(&pair.name)), Quantity::Pressure(Some(pair.name.clone()))));
    }
    for body in run.header().bodies.iter().take(DRAWN) {
        all.push((format!("velocity-{}", plain(&body.name)), Quantity::Velocity(body.name.clone())));
    }
    for (i, joint) in run.header().joints.iter().enumerate().take(DRAWN) {
        let number = i + 1;
        all.push((format!("joint-{number}-{}", plain(&joint.name)), Quantity::Joint(number.to_string())));
    }
    all
}

/// A name that is valid within a file name.
fn plain(name: &str) -> String {
    name.chars().map(|c| if c.is_alphanumeric() || "-_.".contains(c) { c } else { '-' }).collect()
}
