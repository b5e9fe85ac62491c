//! The readers: each reads a path and returns the message of an error.

use std::path::Path;

use carom_fem::{MATERIALS, Material, plausible};
use carom_format::matrices::{read_matrix, read_nodes};
use carom_format::sid::{read_sid, reduced_of};
use carom_format::{ResultReader, Scenario, read_body, read_rom};
use carom_make::{ImportOptions, import};
use carom_progress::Silent;
use carom_solve::read_lcp;

/// Reads a file; the message if it is refused.
pub(super) type Reader = fn(&Path) -> Result<(), String>;

/// Kinds of files and their readers.
pub(super) const READERS: &[(&str, Reader)] = &[
    ("body", body),
    ("rom", rom),
    ("inp", geometry),
    ("msh", geometry),
    ("vtu", geometry),
    ("nurbs", geometry),
    ("sid", sid),
    ("mtx", matrix),
    ("nodes", nodes),
    ("scenario", scenario),
    ("lcp", lcp),
    ("result", result),
];

fn said(error: impl std::fmt::Display) -> String {
    error.to_string()
}

fn body(path: &Path) -> Result<(), String> {
    let stored = read_body(path).map_err(said)?;
    plausible::of_body(&stored.body, true).map(drop).map_err(said)
}

fn rom(path: &Path) -> Result<(), String> {
    read_rom(path).map(drop).map_err(said)
}

fn geometry(path: &Path) -> Result<(), String> {
    let steel = Material::named("steel").unwrap();
    let options = ImportOptions { materials_of_file: true, ..ImportOptions::default() };
    let imported = import(path, &options, steel).map_err(said)?;
    plausible::of_body(&imported.body, true).map(drop).map_err(said)
}

fn sid(path: &Path) -> Result<(), String> {
    let read = read_sid(path, &Silent).map_err(said)?;
    reduced_of(&read.sid, "body").map(drop).map_err(said)
}

/// A matrix and the undamaged list of its nodes.
fn matrix(path: &Path) -> Result<(), String> {
    let nodes = read_nodes(&path.with_file_name("whole.nodes.txt")).map_err(said)?;
    read_matrix(path, &nodes, None, &Silent).map(drop).map_err(said)
}

fn nodes(path: &Path) -> Result<(), String> {
    read_nodes(path).map(drop).map_err(said)
}

fn scenario(path: &Path) -> Result<(), String> {
    let known: Vec<&str> = MATERIALS.iter().map(|row| row.name).collect();
    let scenario = Scenario::read(path, &[], &known).map_err(said)?;
    // A body that was read can be written and read again.
    Scenario::parse(path, &scenario.to_toml(), &[], &known).map(drop).map_err(said)
}

fn lcp(path: &Path) -> Result<(), String> {
    read_lcp(path).map(drop).map_err(said)
}

/// Reads the whole content of a result.
fn result(path: &Path) -> Result<(), String> {
    let result = ResultReader::open(path).map_err(said)?;
    let header = result.header().map_err(said)?;
    for index in 0..result.times().map_err(said)?.len().min(20) {
        result.frame(index).map_err(said)?;
    }
    for pair in 0..header.pairs.len().min(20) {
        result.normal_forces(pair).map_err(said)?;
    }
    result.state().map_err(said)?;
    result.ledger().map_err(said)?;
    result.summary().map_err(said)?;
    result.contact_events().map_err(said)?;
    result.static_forces().map_err(said)?;
    result.notes().map_err(said)?;
    result.timings().map_err(said)?;
    result.counters().map_err(said)?;
    result.checkpoint().map(drop).map_err(said)
}
