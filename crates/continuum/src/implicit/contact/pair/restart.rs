//! The state of a pair between steps, as numbers of a checkpoint.

use carom_contact::step_gradient::StepGap;
use carom_dynamics::ContactTracker;
use nalgebra::Vector3;

use super::{Pair, REMEMBERED};
use crate::implicit::contact::row::Row;

/// Numbers of a row in a checkpoint.
const ROW_NUMBERS: usize = 18;

/// Numbers of a pair in a checkpoint without those of its rows and tracker.
const PAIR_NUMBERS: usize = 21;

impl Pair {
    /// True if there is a row of this node and this face.
    pub(in crate::implicit) fn has_row(&self, node: u64, face: u64) -> bool {
        (node as usize) < self.gaps.side(0).nodes.len() && (face as usize) < self.faces().n_faces()
    }

    /// The state after a step, for checkpoints: of the pair, of its rows.
    pub(in crate::implicit) fn to_numbers(&self) -> [Vec<f64>; 2] {
        let mut own = vec![self.pressed.0, self.work, self.least_gap, self.deepest, self.losses.stored];
        let vectors = [&self.force, &self.pressed.1, &self.impulse, &self.last_place, &self.normal_impulse];
        for v in vectors {
            own.extend(v.iter());
        }
        own.push(f64::from(u8::from(self.has_begun)));
        own.extend(self.tracker.to_array());
        let of_row = |row: &Row| {
            let flags = [f64::from(row.node), f64::from(row.face), f64::from(u8::from(row.is_active))];
            let [a, b, c] = row.lambda;
            let rest = [row.xi[0], row.xi[1], a, f64::from(row.idle)];
            let (traction, size) =
                row.spring.as_ref().map_or((Vector3::zeros(), 0.0), |spring| spring.traction);
            let vectors = [row.gap.normal, traction].map(<[f64; 3]>::from).into_iter().flatten();
            flags.into_iter().chain(rest).chain(vectors).chain([size, row.offset, row.gap.gaps[1], b, c])
        };
        [own, self.rows.iter().flat_map(of_row).collect()]
    }

    /// Sets the state that [`Pair::to_numbers`] gave; false if the numbers are not those of such a pair.
    pub(in crate::implicit) fn read_numbers(&mut self, own: &[f64], rows: &[f64]) -> bool {
        let (n_nodes, n_faces) = (self.gaps.side(0).nodes.len() as f64, self.faces().n_faces() as f64);
        let (rows, rest) = rows.as_chunks::<ROW_NUMBERS>();
        let fits = |row: &[f64; ROW_NUMBERS]| {
            (0.0..n_nodes).contains(&row[0])
                && (0.0..n_faces).contains(&row[1])
                && (0.0..f64::from(REMEMBERED)).contains(&row[6])
                && row[..2].iter().all(|number| number.fract() == 0.0)
        };
        let Some((own, tracker)) = own.split_at_checked(PAIR_NUMBERS) else { return false };
        let Ok(tracker) = <&[f64; ContactTracker::NUMBERS]>::try_from(tracker) else { return false };
        if !rest.is_empty() || !rows.iter().all(fits) {
            return false;
        }
        let vector = |first: usize| Vector3::from_column_slice(&own[first..first + 3]);
        (self.work, self.least_gap, self.deepest) = (own[1], own[2], own[3]);
        (self.losses.stored, self.has_begun) = (own[4], own[20] == 1.0);
        (self.force, self.pressed) = (vector(5), (own[0], vector(8)));
        (self.impulse, self.last_place, self.normal_impulse) = (vector(11), vector(14), vector(17));
        self.tracker = ContactTracker::from_array(tracker);
        let of_row = |row: &[f64; ROW_NUMBERS]| {
            let vector = |first: usize| Vector3::from_column_slice(&row[first..first + 3]);
            let spring = self.spring_of(row[0] as u32);
            Row {
                is_active: row[2] == 1.0,
                xi: [row[3], row[4]],
                lambda: [row[5], row[16], row[17]],
                idle: row[6] as u32,
                gap: StepGap { normal: vector(7), gaps: [0.0, row[15]], ..StepGap::default() },
                offset: row[14],
                spring: spring.map(|spring| spring.with_traction((vector(10), row[13]))),
                ..Row::new(row[0] as u32, row[1] as u32)
            }
        };
        self.rows = rows.iter().map(of_row).collect();
        true
    }
}
