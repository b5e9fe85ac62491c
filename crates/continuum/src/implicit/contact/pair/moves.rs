//! Which faces a node has rows with, at the start of a step and within it.

use carom_contact::node_to_face::GapRow;
use nalgebra::Vector3;

use super::Pair;
use crate::implicit::contact::row::Row;

/// Distance beyond the edges of its face at which a node moves to the next one, in parameters.
const BEYOND: f64 = 1e-3;

/// Sine of the angle between two faces below which a node has one row with both.
const FOLD: f64 = 0.02;

/// The same of springs: two in a fold that is nearly flat would be twice as stiff.
const SPRING_FOLD: f64 = 0.5;

/// Depth from which on a row moves to a deeper face flush with its own, relative to the smallest face.
const DEEPER: f64 = 0.02;

impl Pair {
    /// Moves rows to the faces that their nodes are over: within a step a row keeps its face, as Newton's
    /// method needs one smooth gap.
    pub(super) fn move_rows(&mut self) {
        for row in &mut self.rows {
            (row.was_active, row.start) = (false, None);
        }
        if !self.rows.iter().any(|row| row.is_active) {
            return;
        }
        let [first, second] = &self.start;
        self.gaps.update([first, second]);
        for k in 0..self.rows.len() {
            if self.rows[k].is_active && self.rows[k].start.is_none() {
                self.move_row(k);
            }
        }
    }

    fn move_row(&mut self, k: usize) {
        let row = &self.rows[k];
        let is_off = self.has_slid_off(row);
        let of_node = || self.gaps.rows().iter().filter(|found| found.node == row.node);
        if is_off && of_node().any(|found| found.foot.face == row.face && !found.foot.beyond_rim) {
            return;
        }
        let is_better = |found: &&GapRow| {
            let foot = &found.foot;
            let is_deeper = foot.gap < row.gap.gaps[1] - row.offset - DEEPER * self.size;
            !foot.beyond_rim && (is_off || is_deeper && is_flush(&row.gap.normal, &foot.normal, FOLD))
        };
        let nearest = |a: &&GapRow, b: &&GapRow| a.foot.gap.abs().total_cmp(&b.foot.gap.abs());
        match of_node().filter(is_better).min_by(nearest).map(|found| found.foot) {
            Some(foot) => {
                let (node, lambda, spring) = (row.node, row.lambda, row.spring.clone());
                // The gap begins with that over the face that the node leaves, or above it.
                let known = row.gap.gaps[1];
                self.rows[k].open();
                if !self.is_dependent(node, &foot.normal) {
                    let at = self.close_row((node, foot.face), foot.xi, Some(known));
                    (self.rows[at].lambda, self.rows[at].spring) = (lambda, spring);
                }
            }
            // The node has slid off the rim: there is no face to move to.
            None if is_off => self.rows[k].open(),
            None => {}
        }
    }

    /// True if a row of a node along this normal would depend on those that it has, so that their multipliers
    /// would have no bound: along the normal of another row, along a combination of those on its side, as
    /// where four faces meet in a vertex, or beside three that are independent.
    pub(super) fn is_dependent(&self, node: u32, normal: &Vector3<f64>) -> bool {
        let own =
            || self.rows.iter().filter(|row| row.is_active && row.node == node).map(|row| row.gap.normal);
        own().any(|other| self.are_flush(&other, normal))
            || rest_and_rank(normal, own()).1 == 3
            || rest_and_rank(normal, own().filter(|other| other.dot(normal) > 0.0)).0 < FOLD
    }

    /// True if the foot point of a row lies beyond the edges of its face.
    fn has_slid_off(&self, row: &Row) -> bool {
        let domain = self.faces().domain(row.face);
        (0..domain.n_corners()).any(|k| domain.distance(k, row.xi) < -BEYOND)
    }

    /// True if both faces are flush for the law of this pair.
    pub(super) fn are_flush(&self, normal: &Vector3<f64>, other: &Vector3<f64>) -> bool {
        is_flush(normal, other, if self.is_hard() { FOLD } else { SPRING_FOLD })
    }
}

/// True if the angle of two faces has a sine below `fold`.
fn is_flush(normal: &Vector3<f64>, other: &Vector3<f64>, fold: f64) -> bool {
    normal.dot(other) > 0.0 && normal.cross(other).norm() < fold
}

/// Distance of a unit vector from the span of other vectors, and the dimension of this span.
fn rest_and_rank(vector: &Vector3<f64>, others: impl Iterator<Item = Vector3<f64>>) -> (f64, usize) {
    let mut span = [Vector3::zeros(); 3];
    let mut rank = 0;
    let mut rest = *vector;
    for mut other in others {
        span[..rank].iter().for_each(|known| other -= other.dot(known) * known);
        if rank < 3
            && let Some(unit) = other.try_normalize(FOLD)
        {
            rest -= rest.dot(&unit) * unit;
            span[rank] = unit;
            rank += 1;
        }
    }
    (rest.norm(), rank)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fourth_face_of_a_vertex_depends_on_the_others_and_an_opposite_wall_does_not() {
        let normal = |y: f64, z: f64| Vector3::new(1.0, y, z).normalize();
        let pit = [normal(0.03, 0.03), normal(0.03, -0.03), normal(-0.03, -0.03)];
        let fourth = normal(-0.03, 0.03);
        assert!(rest_and_rank(&fourth, pit.into_iter()).0 < 1e-12);
        assert!(rest_and_rank(&pit[1], pit[..1].iter().copied()).0 > FOLD);
        let (rest, rank) = rest_and_rank(&-pit[0], std::iter::empty());
        assert!(rest == 1.0 && rank == 0);
    }
}
