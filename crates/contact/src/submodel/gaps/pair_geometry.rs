//! The present geometry of one pair, in the frame of its second body.

use carom_fem::surface::MAX_FACE_POINTS;
use nalgebra::{Matrix3, Vector3};

use super::super::BodyState;
use super::super::pair::{PairModel, Pairs};
use super::super::row::{OnPoints, Row};
use super::super::zone::{FaceZone, Zone};
use super::scatter::Scatter;
use crate::geometry::{FacesNow, FootPoint, Start};

/// Position of a point of a cell, and Σ w N_i n.
type PlaceAndShare = (Vector3<f64>, Vector3<f64>);

/// The points of the first zone and the faces of the second one, both in the frame of the second body.
pub(in super::super) struct PairGeometry {
    /// Faces of the second zone; none for other shapes.
    pub(super) second: Option<FacesNow>,
    /// Rotation and translation from the first body's frame to the second's.
    rot_21: Matrix3<f64>,
    r_21: Vector3<f64>,
    /// Points of the first zone.
    pub(super) first_in_2: Vec<Vector3<f64>>,
    /// Distance of each of them from its place at the last pass.
    moved: Vec<f64>,
    /// Of the points of the present cell: position, and Σ w N_i n.
    own: Vec<PlaceAndShare>,
    scatter: Scatter,
}

/// Sums over the integration points of a cell, in the frame of the second body.
pub(super) struct Sums {
    pub(super) gap: f64,
    /// Mean normal.
    pub(super) normal: Vector3<f64>,
    /// −Σ w n and −Σ w y × n.
    reaction: [Vector3<f64>; 2],
    /// Depth of the deepest integration point that lies in front of the zone, 0 if none is inside.
    pub(super) deepest: f64,
    pub(super) beyond_rim: bool,
    pub(super) near_second_rim: bool,
}

impl PairGeometry {
    /// For a pair by its number.
    pub(super) fn new(pairs: &Pairs, k: usize) -> Self {
        let n_first = pairs.first(k).points.len();
        let second = pairs.second(k).as_faces();
        Self {
            scatter: Scatter::new(second.as_ref().map_or(0, |zone| zone.points.len())),
            second: second.map(|zone| zone.faces.state()),
            rot_21: Matrix3::identity(),
            r_21: Vector3::zeros(),
            first_in_2: vec![Vector3::zeros(); n_first],
            moved: vec![0.0; n_first],
            own: Vec::with_capacity(MAX_FACE_POINTS),
        }
    }

    /// Takes the relative pose of the bodies and the positions of the first zone's points.
    ///
    /// * `positions` — of the points of the first body in its frame
    pub(super) fn place(
        &mut self,
        first: &FaceZone<'_>,
        [one, two]: [&BodyState<'_>; 2],
        positions: &[Vector3<f64>],
    ) {
        self.rot_21 = two.rot_ib.transpose() * one.rot_ib;
        self.r_21 = two.rot_ib.transpose() * (one.r_ib_i - two.r_ib_i);
        for (x, &k) in self.first_in_2.iter_mut().zip(first.points) {
            *x = self.rot_21 * positions[k as usize] + self.r_21;
        }
    }

    /// Moves the faces of the second zone; returns the largest motion of their points \[m\].
    ///
    /// * `positions` — of the points of the second body in its frame
    /// * `last` — of the zone's points at the last pass, becomes those of this one
    pub(super) fn follow_second(
        &mut self,
        zone: &FaceZone<'_>,
        positions: &[Vector3<f64>],
        last: &mut [[f64; 3]],
    ) -> f64 {
        let mut largest = 0.0f64;
        for (last, &point) in last.iter_mut().zip(zone.points) {
            let x = positions[point as usize];
            largest = largest.max((x - Vector3::from(*last)).norm());
            *last = x.into();
        }
        let now = self.second.as_mut().expect("a zone of faces has a state");
        let place = |i: usize| positions[zone.points[i] as usize];
        if (0..zone.points.len()).any(|i| now.positions()[i] != place(i)) {
            now.set_positions(place);
        }
        largest
    }

    /// Finds how far the points of the first zone have moved since the last pass.
    ///
    /// * `last` — their positions at the last pass, become those of this one
    pub(super) fn follow_first(&mut self, last: &mut [[f64; 3]]) {
        for ((last, x), moved) in last.iter_mut().zip(&self.first_in_2).zip(&mut self.moved) {
            *moved = (x - Vector3::from(*last)).norm();
            *last = (*x).into();
        }
    }

    /// Largest motion of a point of a cell since the last pass \[m\].
    pub(super) fn moved(&self, pair: &PairModel, cell: usize) -> f64 {
        pair.cells.points(cell).iter().map(|&i| self.moved[i as usize]).fold(0.0, f64::max)
    }

    /// A bound from below on the gap of a cell that is several of its own sizes away from the box of the
    /// second zone; none for nearer cells.
    pub(super) fn far_away(&mut self, pair: &PairModel, cell: usize, zone: &FaceZone<'_>) -> Option<f64> {
        let points = pair.cells.points(cell);
        let x = |&i: &u32| self.first_in_2[i as usize];
        let center: Vector3<f64> = points.iter().map(x).sum::<Vector3<f64>>() / points.len() as f64;
        let radius = points.iter().map(|i| (x(i) - center).norm()).fold(0.0, f64::max);
        let now = self.second.as_mut().expect("a zone of faces has a state");
        let bounds = zone.faces.bounds(now);
        let outside = (bounds[0] - center).sup(&(center - bounds[1])).sup(&Vector3::zeros());
        // Rounded rims stand out by their radius; points beside and below them are nearer by another radius.
        let distance = outside.norm() - radius - 2.0 * zone.faces.rim_radius;
        (distance > 4.0 * radius).then_some(distance)
    }

    /// Averages over a cell, with the foot points of its integration points.
    ///
    /// * `feet` — foot points at the last evaluation, become those of this one; with `has_feet` they are
    ///   followed
    pub(super) fn average(
        &mut self,
        pair: &PairModel,
        cell: usize,
        zone: &Zone,
        (feet, has_feet): (&mut [Start], bool),
    ) -> Sums {
        let Self { second, first_in_2, own, scatter, .. } = self;
        let Some(zone) = zone.as_faces() else {
            let foot = |_, x: &Vector3<f64>| zone.shape.closest(0, x).expect("it has no faces");
            return average(pair, cell, (first_in_2, own), foot);
        };
        let (faces, now) = (zone.faces, second.as_mut().expect("a zone of faces has a state"));
        let mut last: Option<Start> = None;
        let mut near_rim = false;
        let mut sums = average(pair, cell, (first_in_2, own), |(g, w), x| {
            let start = if has_feet { Some(feet[g]) } else { last };
            let foot = match start {
                Some(start) => faces.project(now, x, start),
                None => faces.closest(now, x).expect("a zone with cells or feet has faces"),
            };
            feet[g] = Start { face: foot.face, xi: foot.xi };
            last = Some(feet[g]);
            near_rim |= faces.topology.at_cut(foot.face, faces.domain(foot.face));
            scatter.spread(faces, now, feet[g], foot.push() * -w);
            if foot.lever != Vector3::zeros() {
                scatter.spread_turn(faces, &foot, w);
            }
            foot
        });
        sums.near_second_rim = near_rim;
        scatter.place_on_points(faces);
        sums
    }

    /// Turns the sums over a cell into its row, in the frames of the two bodies.
    pub(super) fn write_row(
        &mut self,
        (points, first): (&[u32], &FaceZone<'_>),
        second: &Zone,
        sums: &Sums,
        row: &mut Row,
    ) {
        let rot_12 = self.rot_21.transpose();
        row.first.clear();
        for (&i, (_, share)) in points.iter().zip(&self.own) {
            row.first.push((first.points[i as usize], (rot_12 * share).into()));
        }
        row.second.clear();
        row.reaction = [[0.0; 3]; 2];
        match second.as_faces() {
            Some(zone) => self.scatter.drain_into(&mut row.second, zone.points),
            None => row.reaction = sums.reaction.map(Into::into),
        }
    }

    /// Outward normal (of any length) of a cell.
    pub(super) fn outward(&self, pair: &PairModel, cell: usize) -> Vector3<f64> {
        pair.cells.normal(cell, &self.first_in_2)
    }

    /// Mean position of a cell.
    pub(in super::super) fn center(&self, pair: &PairModel, cell: usize) -> Vector3<f64> {
        pair.cells.center(cell, |i| self.first_in_2[i as usize])
    }

    /// Rotation from the second body's frame to the first's.
    pub(in super::super) fn rot_12(&self) -> Matrix3<f64> {
        self.rot_21.transpose()
    }

    /// Σ w_g y(ξ_g) over points of the second zone.
    pub(in super::super) fn mean_foot(
        &mut self,
        zone: &FaceZone<'_>,
        feet: &[Start],
        weights: &[f64],
    ) -> Vector3<f64> {
        let now = self.second.as_mut().expect("a zone of faces has a state");
        let places = feet.iter().zip(weights);
        places.map(|(foot, w)| zone.faces.position(now, foot.face, foot.xi) * *w).sum()
    }

    /// Spreads −w_g v at points of the second zone over the points of its body, into a row.
    pub(in super::super) fn spread(
        &mut self,
        zone: &FaceZone<'_>,
        (feet, weights): (&[Start], &[f64]),
        v: &Vector3<f64>,
        row: &mut OnPoints,
    ) {
        let now = self.second.as_mut().expect("a zone of faces has a state");
        for (foot, w) in feet.iter().zip(weights) {
            self.scatter.spread(zone.faces, now, *foot, v * -w);
        }
        self.scatter.place_on_points(zone.faces);
        self.scatter.drain_into(row, zone.points);
    }
}

/// Averages over a cell, and Σ w N_i n of its points in `own`, with the foot points that `project` finds for
/// integration point (number and weight) and position.
fn average(
    pair: &PairModel,
    cell: usize,
    (first_in_2, own): (&[Vector3<f64>], &mut Vec<PlaceAndShare>),
    mut project: impl FnMut((usize, f64), &Vector3<f64>) -> FootPoint,
) -> Sums {
    let points = pair.cells.points(cell);
    let n = points.len();
    let mut sums = Sums {
        gap: 0.0,
        normal: Vector3::zeros(),
        reaction: [Vector3::zeros(); 2],
        deepest: 0.0,
        beyond_rim: false,
        near_second_rim: false,
    };
    own.clear();
    own.extend(points.iter().map(|&i| (first_in_2[i as usize], Vector3::zeros())));
    for (g, (&w, values)) in
        pair.cells.weights(cell).iter().zip(pair.cells.values(cell).chunks_exact(n)).enumerate()
    {
        let mut x = Vector3::zeros();
        own.iter().zip(values).for_each(|((position, _), r)| x += position * *r);
        let foot = project((g, w), &x);
        let weighted = foot.push() * w;
        sums.gap += w * foot.gap;
        sums.normal += foot.normal * w;
        sums.reaction[0] -= weighted;
        sums.reaction[1] -= foot.position.cross(&weighted);
        if !foot.beyond_rim && -foot.gap <= pair.max_depth {
            sums.deepest = sums.deepest.max(-foot.gap);
        }
        sums.beyond_rim |= foot.beyond_rim;
        own.iter_mut().zip(values).for_each(|((_, share), r)| *share += weighted * *r);
    }
    sums
}
