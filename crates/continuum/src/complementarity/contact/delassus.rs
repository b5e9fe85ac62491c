//! The compliance between the components of the rows in a step.

use carom_contact::solver::{Dense, LcpError};
use nalgebra::Vector3;

use super::row::{Entry, Row};
use crate::complementarity::body::LinearBody;

/// W of the rows that may have a force.
#[derive(Default)]
pub(super) struct Delassus {
    pub(super) matrix: Dense,
    /// Lower triangle of W, row by row.
    triangle: Vec<f64>,
    /// Points of the rows, by body and number, and the place of each entry among them.
    points: Vec<(usize, u32)>,
    place: Vec<u32>,
    /// Motions of these points by each component of each row, one after the other \[m/N\].
    responses: Vec<Vector3<f64>>,
}

/// Rows with `dim` components each, 1 or 3.
pub(super) struct Pressed<'a> {
    pub(super) rows: &'a [Row],
    pub(super) entries: &'a [Entry],
    pub(super) candidates: &'a [u32],
    pub(super) dim: usize,
}

impl<'a> Pressed<'a> {
    fn candidates(&self) -> impl Iterator<Item = &'a Row> {
        let rows = self.rows;
        self.candidates.iter().map(|&k| &rows[k as usize])
    }
}

impl Delassus {
    /// W of the candidates, whose dofs have columns.
    pub(super) fn fill(&mut self, bodies: &[LinearBody], pressed: &Pressed<'_>) -> Result<(), LcpError> {
        self.find_responses(bodies, pressed);
        let Self { matrix, triangle, points, place, responses } = self;
        let (length, dim) = (points.len(), pressed.dim);
        triangle.clear();
        for (i, row) in pressed.candidates().enumerate() {
            for (of, axis) in row.axes(dim).enumerate() {
                for by in 0..=dim * i + of {
                    let moved = &responses[by * length..(by + 1) * length];
                    let weighted = |at: usize| moved[place[at] as usize] * pressed.entries[at].c;
                    let sum: Vector3<f64> = row.entries.clone().map(weighted).sum();
                    triangle.push(axis.dot(&sum));
                }
            }
        }
        matrix.fill(dim * pressed.candidates.len(), |i, j| {
            let (i, j) = (i.max(j), i.min(j));
            triangle[i * (i + 1) / 2 + j]
        })
    }

    /// Motions of all points of the candidates by a unit of each component of each of them.
    fn find_responses(&mut self, bodies: &[LinearBody], pressed: &Pressed<'_>) {
        let Self { points, place, responses, .. } = self;
        let entries = pressed.entries;
        points.clear();
        for row in pressed.candidates() {
            points.extend(entries[row.entries.clone()].iter().map(|e| (e.body, e.point)));
        }
        points.sort_unstable();
        points.dedup();
        place.resize(entries.len(), 0);
        responses.clear();
        for row in pressed.candidates() {
            for at in row.entries.clone() {
                let by = (entries[at].body, entries[at].point);
                place[at] = points.binary_search(&by).expect("a point of a candidate") as u32;
            }
            for axis in row.axes(pressed.dim) {
                let start = responses.len();
                responses.resize(start + points.len(), Vector3::zeros());
                for by in entries[row.entries.clone()].iter().filter(|by| by.c != 0.0) {
                    let body = &bodies[by.body];
                    let force = axis * (by.c * body.share());
                    let of_body = points.iter().zip(&mut responses[start..]);
                    for ((_, point), moved) in of_body.filter(|((number, _), _)| *number == by.body) {
                        *moved += body.compliance.motion(*point, by.point, &force);
                    }
                }
            }
        }
    }
}
