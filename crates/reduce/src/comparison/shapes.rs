//! Pairing of the modes of body and model by their shapes.

use std::f64::consts::TAU;

use carom_linalg::NodeMatrix;
use carom_linalg::tall::gram;
use faer::linalg::solvers::Solve;
use faer::{Mat, MatRef, Side};

use super::{CLOSE, ModeMatch};
use crate::point_modes::Modes;

/// Products of the body's modes with themselves and with those of the model, over all points by the mass or
/// over some.
pub(super) struct Shapes {
    /// Aᵀ W A.
    body: Mat<f64>,
    /// Aᵀ W B.
    mixed: Mat<f64>,
    /// bᵀ W b of each mode of the model.
    model: Vec<f64>,
}

impl Shapes {
    /// * `fields` — the free modes of the model; none if it keeps none
    pub(super) fn new(
        fields: Option<&Modes>,
        shapes: MatRef<'_, f64>,
        mass: Option<&NodeMatrix>,
    ) -> Option<Self> {
        let fields = fields?;
        let squares = |values: MatRef<'_, f64>, weighted: MatRef<'_, f64>| {
            (0..values.ncols()).map(|k| values.col(k).transpose() * weighted.col(k)).collect()
        };
        if let Some(mass) = mass {
            let mut all = Mat::zeros(shapes.nrows(), fields.values.ncols());
            for (i, &point) in fields.points.iter().enumerate() {
                for k in 0..all.ncols() {
                    (0..3).for_each(|a| all[(3 * point as usize + a, k)] = fields.values[(3 * i + a, k)]);
                }
            }
            let weighted = mass.product(shapes);
            let body = gram(shapes, weighted.as_ref());
            let mixed = gram(weighted.as_ref(), all.as_ref());
            let model = squares(all.as_ref(), mass.product(all.as_ref()).as_ref());
            return Some(Self { body, mixed, model });
        }
        let rows = Mat::from_fn(fields.values.nrows(), shapes.ncols(), |i, k| {
            shapes[(3 * fields.points[i / 3] as usize + i % 3, k)]
        });
        Some(Self {
            body: gram(rows.as_ref(), rows.as_ref()),
            mixed: gram(rows.as_ref(), fields.values.as_ref()),
            model: squares(fields.values.as_ref(), fields.values.as_ref()),
        })
    }

    /// The share of each mode of the model in the space of some modes of the body.
    fn parts(&self, group: std::ops::Range<usize>) -> Vec<f64> {
        let (first, n) = (group.start, group.len());
        let own = self.body.submatrix(first, first, n, n);
        let mixed = self.mixed.subrows(first, n).to_owned();
        let Ok(factor) = own.llt(Side::Lower) else { return vec![0.0; self.model.len()] };
        let solved = factor.solve(&mixed);
        let part = |k: usize| mixed.col(k).transpose() * solved.col(k) / self.model[k];
        (0..self.model.len()).map(|k| part(k).min(1.0)).collect()
    }
}

/// Pairs the modes of body and model, space by space.
pub(super) fn matches(omega: &[f64], body_hz: &[f64], shapes: &Option<Shapes>) -> Vec<ModeMatch> {
    let hz = |mode: usize| omega[mode] / TAU;
    let mut free: Vec<usize> = (0..omega.len()).collect();
    let mut found = Vec::with_capacity(body_hz.len());
    let mut start = 0;
    while start < body_hz.len() && !free.is_empty() {
        let close = |k: &usize| body_hz[*k] - body_hz[*k - 1] < CLOSE * body_hz[*k];
        let n = 1 + (start + 1..body_hz.len()).take_while(close).count();
        let parts = shapes.as_ref().map(|shapes| shapes.parts(start..start + n));
        // Without shapes the order of the frequencies decides.
        if let Some(parts) = &parts {
            free.sort_by(|&a, &b| parts[b].total_cmp(&parts[a]).then(a.cmp(&b)));
        }
        let mut chosen: Vec<usize> = free.drain(..n.min(free.len())).collect();
        chosen.sort_unstable();
        free.sort_unstable();
        for (mode, k) in chosen.into_iter().zip(start..) {
            let mac = parts.as_ref().map(|parts| parts[mode]);
            found.push(ModeMatch { mode, model_hz: hz(mode), body_hz: body_hz[k], mac, multiplicity: n });
        }
        start += n;
    }
    found
}
