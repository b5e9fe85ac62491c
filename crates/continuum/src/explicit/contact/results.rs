//! Pressures, powers and depths of the contacts of a step, for results and books.

use carom_dynamics::SurfacePressures;
use nalgebra::Vector3;

use super::Contacts;
use crate::explicit::bodies::Bodies;

/// Powers of the contact forces on deformable bodies at t_n: f·v_{n−1/2} and f·(v_{n−1/2} + v_{n+1/2}) \[W\].
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(in crate::explicit) struct Powers {
    pub(in crate::explicit) hard: [f64; 2],
    pub(in crate::explicit) penalty: [f64; 2],
    pub(in crate::explicit) friction: [f64; 2],
}

impl Contacts {
    /// Faces that carry pressure and their mean pressures at t_n, of the side of a pair in results, and of
    /// all deformable bodies of an automatic contact.
    ///
    /// * `number` — of the pair in the list
    pub(in crate::explicit) fn pressures(&self, number: usize, dt_mean: f64) -> Vec<SurfacePressures> {
        self.pairs[number].pressures(|visit| {
            for (rows, is_penalty) in [(&self.pressed, true), (&self.rows, false)] {
                let own = rows.rows.iter().enumerate().filter(|(_, row)| row.pair as usize == number);
                for (k, row) in own {
                    let force = self.normal_force(k, dt_mean, is_penalty);
                    // Weights of the face are negative.
                    rows.for_sides(row, |body, point, weight, is_node| {
                        visit(body, point, if is_node { weight * force } else { -weight * force });
                    });
                }
            }
        })
    }

    /// The force of a row along its normal at t_n \[N\].
    pub(super) fn normal_force(&self, row: usize, dt_mean: f64, is_penalty: bool) -> f64 {
        match is_penalty {
            true => self.forces[row],
            false => self.impulses.get(row).map_or(0.0, |impulse| impulse / dt_mean),
        }
    }

    /// Powers at t_n, once all velocities are known.
    pub(in crate::explicit) fn powers(&self, bodies: &Bodies, dt_mean: f64) -> Powers {
        let mut powers = Powers::default();
        for (rows, friction, is_penalty) in
            [(&self.pressed, &self.dragged, true), (&self.rows, &self.friction, false)]
        {
            for (k, row) in rows.rows.iter().enumerate() {
                let normal_force = self.normal_force(k, dt_mean, is_penalty);
                if normal_force <= 0.0 {
                    continue;
                }
                let mut relative = [Vector3::zeros(); 2];
                rows.for_points(row, |body, point, weight| {
                    let [behind, ahead] = bodies.flexible[body].velocities(point);
                    relative[0] += weight * behind;
                    relative[1] += weight * (behind + ahead);
                });
                let normal = if is_penalty { &mut powers.penalty } else { &mut powers.hard };
                (0..2).for_each(|i| normal[i] += normal_force * row.normal.dot(&relative[i]));
                rows.for_friction(
                    row,
                    &friction.force(k),
                    |body, point| bodies.flexible[body].place(point),
                    |body, point, force| {
                        let [behind, ahead] = bodies.flexible[body].velocities(point);
                        powers.friction[0] += force.dot(&behind);
                        powers.friction[1] += force.dot(&(behind + ahead));
                    },
                );
            }
        }
        powers
    }

    pub(super) fn note_depth(&mut self) {
        for row in self.rows.rows.iter().chain(&self.pressed.rows) {
            let pair = &mut self.pairs[row.pair as usize];
            pair.deepest = pair.deepest.max(-row.gap_now);
            pair.least_gap = pair.least_gap.min(row.gap_now);
            self.deepest = self.deepest.max(-row.gap_now);
        }
    }

    /// Names of the bodies of a group of rows.
    pub(super) fn names(&self, bodies: &Bodies, group: usize) -> String {
        let mut names: Vec<&str> = Vec::new();
        for &row in self.rows.groups.rows.of(group) {
            let row = &self.rows.rows[row as usize];
            self.rows.for_points(row, |body, _, _| names.push(bodies.flexible[body].name()));
            for end in row.rigid.iter().flatten() {
                if let Some(rigid) = &bodies.rigid {
                    names.push(&rigid.system.bodies[self.rows.rigid_body(end)].name);
                }
            }
        }
        names.sort_unstable();
        names.dedup();
        names.join(", ")
    }
}
