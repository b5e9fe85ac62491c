//! Scenarios: TOML files that describe a run.
//!
//! A document is read key by key with the place of each key: every problem names its line, all problems are
//! reported at once, and an unknown key gets a suggestion. The outcome is the [`Scenario`] with all defaults
//! filled in; [`Scenario::to_toml`] writes it as a file again, which the result of a run keeps.
//!
//! # Example
//!
//! A scenario is read with all defaults filled in; every problem names its line.
//!
//! ```
//! use std::path::Path;
//!
//! use carom_format::Scenario;
//!
//! let text = r#"
//! [simulation]
//! scheme = "static"
//! time_step = 1.0e-3
//!
//! [[body]]
//! name = "bar"
//! make = { shape = "box", size = [1.0, 0.1, 0.1] }
//! material = "steel"
//! "#;
//! let error = Scenario::parse(Path::new("bar.toml"), text, &[], &["steel"]).unwrap_err();
//! assert!(error.to_string().starts_with("bar.toml:4: simulation: `time_step` belongs to the scheme"));
//!
//! let without_key = text.replace("time_step = 1.0e-3", "");
//! let scenario = Scenario::parse(Path::new("bar.toml"), &without_key, &[], &["steel"])?;
//! assert_eq!(scenario.simulation.scheme.load_steps(), Some(1));
//! # Ok::<(), carom_format::ScenarioError>(())
//! ```

mod attach;
mod body;
mod couplings;
mod csv;
mod damping;
mod decode;
mod functions;
mod homes;
mod joints;
mod lists;
pub mod model;
mod output;
mod overrides;
mod parameters;
mod patterns;
mod probes;
pub mod problem;
mod reduce;
mod references;
mod response;
mod scheme;
mod sections;
mod shape;
mod source;
pub mod suggest;
mod table_file;
mod variant;

use std::path::{Path, PathBuf};

use toml::de::DeTable;

use decode::{Problems, Table};
pub use model::Scenario;
pub use overrides::Override;
pub use parameters::{ParametersError, read_parameters};
use problem::Sources;
pub use problem::{Place, Problem, ProblemKind, ScenarioError};

/// Longest scenario \[byte\]: every value is stored with its place, which needs many times the memory of its
/// text.
const LONGEST: u64 = 8 << 20;

fn too_long(size: u64) -> std::io::Error {
    let what = format!("it has {size} bytes, and a scenario has at most {LONGEST}: is it the right file?");
    std::io::Error::new(std::io::ErrorKind::InvalidData, what)
}

impl Scenario {
    /// Reads a scenario file.
    ///
    /// * `overrides` — changes, of `--set` or of [`read_parameters`]; a later one replaces an earlier one
    /// * `known_materials` — names of materials that need no definition
    ///
    /// # Errors
    ///
    /// [`ScenarioError`] with all problems of the file.
    pub fn read(
        path: &Path,
        overrides: &[Override],
        known_materials: &[&str],
    ) -> Result<Self, ScenarioError> {
        let text = carom_files::input::open(path)
            .and_then(|file| match file.metadata()?.len() {
                size if size > LONGEST => Err(too_long(size)),
                _ => carom_files::input::read(path),
            })
            .and_then(|bytes| String::from_utf8(bytes).map_err(|e| not_a_text(&e)));
        let text = text.map_err(|source| ScenarioError::Io { path: path.to_owned(), source })?;
        Self::parse(path, &text, overrides, known_materials)
    }

    /// Reads the text of a scenario; `path` is its name in messages.
    ///
    /// # Errors
    ///
    /// [`ScenarioError`]
    pub fn parse(
        path: &Path,
        text: &str,
        overrides: &[Override],
        known_materials: &[&str],
    ) -> Result<Self, ScenarioError> {
        let mut sources = Sources::new(path, text);
        let document = DeTable::parse(text).map_err(|error| ScenarioError::Syntax {
            place: sources.place(&error.span().unwrap_or(0..0)),
            message: error.message().to_owned(),
        })?;
        let mut document = document.into_inner();
        let placed = placed(&mut sources, overrides);
        let mut refused = Vec::new();
        for (text, shifted, offset) in &placed {
            if let Err(kind) = overrides::apply(&mut document, text, shifted, *offset) {
                refused.push((*offset, kind));
            }
        }
        let problems = Problems::new(sources);
        for (offset, kind) in refused {
            problems.add(&(offset..offset), "", kind);
        }
        let scenario = read_document(&problems, &document, known_materials);
        let problems = problems.into_sorted();
        match scenario {
            Some(scenario) if problems.is_empty() => Ok(scenario),
            _ => Err(ScenarioError::Invalid(problems)),
        }
    }

    /// The place of a key of the scenario, for problems that show only with the bodies.
    ///
    /// * `overrides` — as for [`Scenario::read`]
    /// * `key` — keys joined by dots, elements of lists by their numbers from 0: `body.1.reduce.interface`;
    ///   if it is not written, the place is that of its table
    ///
    /// `None` if the file can no longer be read, or has no part of the path.
    pub fn place_of(path: &Path, overrides: &[Override], key: &str) -> Option<Place> {
        let text = carom_files::input::read_text(path).ok()?;
        let mut sources = Sources::new(path, &text);
        let mut document = DeTable::parse(&text).ok()?.into_inner();
        let placed = placed(&mut sources, overrides);
        for (text, shifted, offset) in &placed {
            // Invalid overrides were reported when the scenario was read.
            let _ = overrides::apply(&mut document, text, shifted, *offset);
        }
        overrides::span_of(&document, key).map(|span| sources.place(&span))
    }

    /// The scenario as a file with all defaults written out; reading it gives the same scenario.
    pub fn to_toml(&self) -> String {
        toml::to_string(self).expect("a scenario is made of tables, lists, texts and finite numbers")
    }

    /// The scenario without the options of pictures, on which the result does not depend.
    pub fn without_pictures(&self) -> Self {
        let output = model::OutputSpec { pictures: None, ..self.output.clone() };
        Self { output, ..self.clone() }
    }

    /// Points at which models keep their modes for the pictures of this scenario: `full` or `surface`.
    pub fn fields_of_models(&self) -> &'static str {
        self.output.fields_of_models()
    }

    /// A path of the scenario, relative to the folder in which the scenario lies.
    pub fn resolve(folder: &Path, path: &str) -> PathBuf {
        folder.join(path)
    }
}

/// Each override, the same shifted to its place among the sources, and that place.
fn placed<'a>(sources: &mut Sources, overrides: &'a [Override]) -> Vec<(&'a str, String, usize)> {
    let place = |change: &'a Override| {
        let offset = sources.add_override(change);
        (&*change.text, overrides::shifted(&change.text, offset), offset)
    };
    overrides.iter().map(place).collect()
}

fn not_a_text(error: &std::string::FromUtf8Error) -> std::io::Error {
    let why = format!("it is not a text file ({})", error.utf8_error());
    std::io::Error::new(std::io::ErrorKind::InvalidData, why)
}

fn read_document(problems: &Problems, document: &DeTable<'_>, known_materials: &[&str]) -> Option<Scenario> {
    let root = Table::new(problems, document, 0..0, String::new());
    let has_contact = root.has("contact");
    // Joints, springs and forces may act at any time, so that the contact does not tell where a run may end.
    let is_free = !["joint", "spring", "bushing", "force"].iter().any(|name| root.has(name));
    let may_end_open = has_contact && is_free;
    if !root.has("simulation") && !may_end_open {
        root.missing("simulation", "a scenario needs a table [simulation] with an `end_time`");
    }
    let without_keys = DeTable::new();
    let table = match root.has("simulation") {
        true => root.table("simulation"),
        false => may_end_open.then(|| Table::new(problems, &without_keys, 0..0, "simulation".to_owned())),
    };
    let simulation = table.map(|table| scheme::simulation(table, has_contact, may_end_open));
    let output = root.table("output").map(output::output).unwrap_or_default();
    let scheme = simulation.as_ref().map_or(&model::SCHEMES[0], |simulation| simulation.scheme.row());
    let end_time = simulation.as_ref().map_or(1.0, |simulation| simulation.end_time);
    let run = functions::Run { has_time: scheme.has_time, end_time };
    let mut material = std::collections::BTreeMap::new();
    let mut materials: Vec<String> = known_materials.iter().map(|&name| name.to_owned()).collect();
    if let Some(table) = root.table("material") {
        for (name, value) in table.entries() {
            materials.push(name.clone());
            if let Some(spec) = table.entry(&name, value).and_then(|table| sections::material(table, scheme))
            {
                material.insert(name, spec);
            }
        }
    }
    if !root.has("body") {
        root.missing("body", "a scenario needs at least one [[body]]");
    }
    let body: Vec<_> = root
        .tables("body")
        .into_iter()
        .map(|table| {
            let spans = [table.span_of("material"), table.span_of("name")];
            (body::body(table, scheme), spans)
        })
        .collect();
    let read: Vec<_> =
        root.tables("contact").into_iter().filter_map(|table| sections::contact(table, scheme)).collect();
    let mut joint = couplings::joints(root.tables("joint"), run);
    let spring: Vec<_> = root.tables("spring").into_iter().filter_map(joints::spring).collect();
    let bushing: Vec<_> = root.tables("bushing").into_iter().filter_map(joints::bushing).collect();
    let support: Vec<_> = root.tables("support").into_iter().filter_map(sections::support).collect();
    let force: Vec<_> =
        root.tables("force").into_iter().filter_map(|table| sections::force(table, run)).collect();
    let pressure: Vec<_> = root.tables("pressure").into_iter().filter_map(sections::pressure).collect();
    let probe: Vec<_> =
        root.tables("probe").into_iter().filter_map(|table| probes::probe(table, scheme)).collect();
    let in_equilibrium = simulation.as_ref().is_some_and(|simulation| simulation.in_equilibrium);
    let response = root.table("response").and_then(|table| response::response(table, in_equilibrium));
    root.finish();

    let bodies = body.iter().filter_map(|(body, _)| body.as_ref()).collect();
    let known = patterns::Known { bodies, joints: &joint.joints, scheme };
    let contact = patterns::expanded(problems, read, &known);
    references::check_materials(problems, &body, &materials);
    references::check_names(problems, &body);
    references::check_models(problems, &body, &contact, scheme);
    let mut bodies: Vec<model::BodySpec> = body.into_iter().filter_map(|(body, _)| body).collect();
    let fields = output.fields_of_models();
    for reduce in bodies.iter_mut().filter_map(|body| body.reduce.as_mut()) {
        if reduce.fields.is_empty() {
            fields.clone_into(&mut reduce.fields);
        }
    }
    let of_contact =
        if scheme.bodies_touch_whole() { references::Parts::SetOrBody } else { references::Parts::Set };
    references::check_ends(problems, &bodies, &contact, of_contact);
    references::check_pairs(problems, &contact, scheme);
    references::check_ends(problems, &bodies, &joint.joints, references::Parts::Place);
    joint.check(problems);
    references::check_ends(problems, &bodies, &spring, references::Parts::Place);
    references::check_ends(problems, &bodies, &bushing, references::Parts::Place);
    references::check_ends(problems, &bodies, &support, references::Parts::Set);
    references::check_ends(problems, &bodies, &force, references::Parts::Either);
    references::check_ends(problems, &bodies, &pressure, references::Parts::Set);
    probes::check_bodies(problems, &bodies, &probe);
    references::check_ends(problems, &bodies, response.as_slice(), references::Parts::Point);
    let joints = joint.joints.iter().map(|r| (r.spec.name.as_ref(), r.span(), &r.context[..]));
    let couplings = joint.couplings.iter().map(|c| (c.spec.name.as_ref(), c.span.clone(), &c.context[..]));
    let springs = spring.iter().map(|r| (r.spec.name.as_ref(), r.span(), &r.context[..]));
    let bushings = bushing.iter().map(|r| (r.spec.name.as_ref(), r.span(), &r.context[..]));
    references::check_joint_names(problems, joints.chain(couplings).chain(springs).chain(bushings));
    let scenario = Scenario {
        simulation: simulation?,
        output,
        material,
        body: bodies,
        joint: joint.tables(),
        spring: spring.into_iter().map(|r| r.spec).collect(),
        bushing: bushing.into_iter().map(|r| r.spec).collect(),
        contact: contact.into_iter().map(|r| r.spec).collect(),
        support: support.into_iter().map(|r| r.spec).collect(),
        force: force.into_iter().map(|r| r.spec).collect(),
        pressure: pressure.into_iter().map(|r| r.spec).collect(),
        probe: probe.iter().map(|placed| placed.referring.spec.clone()).collect(),
        response: response.map(|r| r.spec),
    };
    probes::check(problems, &probe, &scenario);
    Some(scenario)
}
