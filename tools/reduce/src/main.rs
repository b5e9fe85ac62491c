//! `carom-reduce`: makes, compares and exchanges reduced-order models.
//!
//! ```text
//! carom-reduce modes ball.npz --count 18
//! carom-reduce craig-bampton ball.npz -o ball.rom --interface pole --modes 24 --split 5e4
//! carom-reduce info ball.rom --modes
//! carom-reduce compare ball.rom ball.npz
//! carom-reduce compliance ball.rom ball.npz --velocity 0.3
//! carom-reduce export ball.rom -o ball.SID_FEM --format sid
//! carom-reduce import ball.SID_FEM -o other.rom
//! ```

#![allow(rustdoc::broken_intra_doc_links, reason = "doc comments are help texts, in which [m] is a unit")]

mod after_help;
mod args;
mod compare;
mod compliance;
mod condense;
mod export;
mod import;
mod info;
mod interior;
mod made;
mod shapes;
mod solver;
mod stress;
mod table;
mod variant;

use std::path::Path;
use std::process::ExitCode;

use carom_cli::{Category, Failure, Session, check_ending, main_with};
use carom_continuum::half_space::{PlaceSpec, PlacedModelError, reduced_with_places};
use carom_fem::{Body, QuadratureRule};
use carom_format::{StoredBody, StoredRom, read_body, read_rom};
use carom_linalg::EigenError;
use carom_progress::Part;
use carom_reduce::{
    CraigBampton, CraigBamptonOptions, ModalAnalysis, ModalOptions, ModesError, ReduceError, modes,
};

use args::{Args, Command, QuadratureName};

fn main() -> ExitCode {
    main_with(Args::run_args, run)
}

fn run(args: &Args, session: &Session) -> Result<(), Failure> {
    match &args.command {
        Command::Modes(args) => shapes::modes(args, session),
        Command::CraigBampton(args) => condense::craig_bampton(args, session),
        Command::Info(args) => info::info(args, session),
        Command::Export(args) => export::export(args, session),
        Command::Import(args) => import::import(args, session),
        Command::Compare(args) => compare::compare(args, session),
        Command::Compliance(args) => compliance::compliance(args, session),
    }
}

/// Checks the ending of a model file.
fn model_name(path: &Path) -> Result<(), Failure> {
    let other_way = "carom-reduce export --format mtx writes the matrices of a model";
    check_ending(path, "reduced-order models", &["rom", "npz"], other_way)
}

/// Reads a body file.
fn open_body(path: &Path) -> Result<StoredBody, Failure> {
    read_body(path).map_err(|error| {
        let category = if error.is_io() { Category::Files } else { Category::Input };
        Failure::from_error(category, error)
    })
}

/// Reads a model file.
fn open_rom(path: &Path, session: &Session) -> Result<StoredRom, Failure> {
    session.progress().begin("reading the model", 0);
    let stored = read_rom(path).map_err(|error| {
        let category = if error.is_io() { Category::Files } else { Category::Input };
        Failure::from_error(category, error)
    })?;
    session.progress().end();
    session.check_interrupted()?;
    Ok(stored)
}

fn rule(name: QuadratureName) -> QuadratureRule {
    match name {
        QuadratureName::Default => QuadratureRule::Default,
        QuadratureName::High => QuadratureRule::High,
    }
}

/// Modes of a body.
fn modes_of(body: &Body, options: &ModalOptions, session: &Session) -> Result<ModalAnalysis, Failure> {
    let found = modes(body, options, &Part::new(session.progress(), &body.name)).map_err(|error| {
        let category = match &error {
            ModesError::Eigen { source, .. } => eigen_category(source),
            _ => Category::Input,
        };
        Failure::from_error(category, error)
    })?;
    found.notes.iter().for_each(|note| session.note(note));
    Ok(found)
}

/// A reduction of a body with loads at places.
fn reduce_with_places(
    body: &Body,
    options: &CraigBamptonOptions,
    places: &[PlaceSpec],
    session: &Session,
) -> Result<CraigBampton, Failure> {
    let progress = Part::new(session.progress(), &body.name);
    reduced_with_places(body, options, places, &progress).map_err(|error| match error {
        PlacedModelError::Reduce(error) => reduction_failed(error),
        error => Failure::from_error(Category::Input, error),
    })
}

fn reduction_failed(error: ReduceError) -> Failure {
    let category = if error.is_convergence() { Category::Convergence } else { Category::Input };
    Failure::from_error(category, error)
}

/// Missing eigenpairs are an error of convergence, unless too many were requested.
fn eigen_category(error: &EigenError) -> Category {
    if error.is_convergence() { Category::Convergence } else { Category::Input }
}
