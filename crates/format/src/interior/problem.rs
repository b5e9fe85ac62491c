//! The problem on the interior of a body.

use std::path::Path;

use carom_files::{WriteFileError, write_atomically};
use carom_reduce::AttachmentKind;
use carom_reduce::boundary::Boundary;
use faer::Mat;

use super::{PROBLEM, VERSION};
use crate::PROGRAM;
use crate::npz::ArchiveWriter;

/// The boundary and the supports of a body, with the choices of a reduction.
#[derive(Debug, Clone, Copy)]
pub struct InteriorProblem<'a> {
    /// Name of the body.
    pub name: &'a str,
    /// Checksum of its file.
    pub body_checksum: &'a str,
    /// Positions of all points \[m\].
    pub points: &'a [[f64; 3]],
    /// True for each point that belongs to a cell.
    pub is_used: &'a [bool],
    /// Interface points, markers, held dofs.
    pub boundary: &'a Boundary,
    /// Attachments as text, `SET=rigid` or `SET=mean`, followed by `@X,Y,Z` if the position was given.
    pub attachments: &'a [String],
    /// Names of the held sets.
    pub held: &'a [String],
    /// Quadrature rule, `default` or `high`.
    pub quadrature: &'a str,
    /// Requested number of fixed-interface modes.
    pub modes: Option<usize>,
    /// Requested frequency limit of these modes \[Hz\].
    pub up_to_hz: Option<f64>,
}

impl InteriorProblem<'_> {
    /// Number of each point in the matrices, of points without cells [`u32::MAX`].
    fn numbers(&self) -> Vec<u32> {
        let mut n = 0;
        let next = |&used: &bool| {
            n += u32::from(used);
            if used { n - 1 } else { u32::MAX }
        };
        self.is_used.iter().map(next).collect()
    }

    /// The interface points in the numbers of the body, from 0.
    pub(super) fn interface(&self) -> &[u32] {
        &self.boundary.points
    }

    /// Number of points with cells.
    pub(super) fn n_used(&self) -> usize {
        self.is_used.iter().filter(|&&used| used).count()
    }
}

/// Writes a problem, atomically.
///
/// # Errors
///
/// [`WriteFileError`]
pub fn write_problem(path: &Path, problem: &InteriorProblem<'_>) -> Result<(), WriteFileError> {
    let number = problem.numbers();
    let numbered = |points: &[u32]| points.iter().map(|&p| number[p as usize]).collect::<Vec<u32>>();
    let used: Vec<u32> = (0..).zip(problem.is_used).filter(|(_, used)| **used).map(|(p, _)| p).collect();
    let boundary = problem.boundary;
    let held: Vec<u32> = boundary.held.iter().map(|dof| 3 * number[dof / 3] + (dof % 3) as u32).collect();
    write_atomically(path, |out| {
        let mut archive = ArchiveWriter::new(out, PROBLEM, VERSION)?;
        archive.text("program", PROGRAM)?;
        archive.text("name", problem.name)?;
        archive.text("body_checksum", problem.body_checksum)?;
        archive.u32("node", &[used.len()], &used)?;
        let places: Vec<f64> = used.iter().flat_map(|&p| problem.points[p as usize]).collect();
        archive.f64("points", &[used.len(), 3], &places)?;
        archive.u32("interface_node", &[boundary.points.len()], &numbered(&boundary.points))?;
        archive.u32("held_dof", &[held.len()], &held)?;
        archive.u32("pinned_node", &[boundary.pins.len()], &numbered(&boundary.pins))?;
        let names: Vec<&str> = boundary.markers.iter().map(|marker| marker.name.as_str()).collect();
        archive.texts("marker_name", &names)?;
        let rigid: Vec<bool> =
            boundary.markers.iter().map(|marker| marker.kind == AttachmentKind::Rigid).collect();
        archive.flags("marker_is_rigid", &rigid)?;
        let counts: Vec<u32> = boundary.markers.iter().map(|marker| marker.points.len() as u32).collect();
        archive.u32("marker_n_nodes", &[counts.len()], &counts)?;
        let nodes: Vec<u32> = boundary.markers.iter().flat_map(|m| numbered(&m.points)).collect();
        archive.u32("marker_node", &[nodes.len()], &nodes)?;
        let mut field = |name: &str, of: fn(&carom_reduce::attachment::Attached) -> &Mat<f64>| {
            let rows = boundary.markers.iter().flat_map(|marker| {
                let field = of(marker);
                (0..field.nrows()).flat_map(move |i| (0..6).map(move |k| field[(i, k)]))
            });
            archive.f64(name, &[3 * nodes.len(), 6], &rows.collect::<Vec<f64>>())
        };
        field("marker_rigid", |marker| &marker.rigid)?;
        field("marker_mean", |marker| &marker.mean)?;
        archive.texts("option_attach", problem.attachments)?;
        archive.texts("option_fix", problem.held)?;
        archive.text("option_quadrature", problem.quadrature)?;
        let modes: Vec<f64> = problem.modes.iter().map(|&n| n as f64).collect();
        archive.f64("option_modes", &[modes.len()], &modes)?;
        let up_to: Vec<f64> = problem.up_to_hz.into_iter().collect();
        archive.f64("option_up_to_hz", &[up_to.len()], &up_to)?;
        archive.finish().map(drop)
    })
}
