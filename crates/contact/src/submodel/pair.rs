//! Pairs of zones with their pressure cells. Made once, constant during a run.

use nalgebra::Vector3;

use super::SetupError;
use super::body::ContactBody;
use super::corners::{Corner, corners};
use super::face_sizes::face_sizes;
use super::zone::{FaceZone, Zone};
use crate::geometry::Faces;
use crate::law::Law;
use crate::pressure::PressureCells;
use carom_fem::surface::MAX_FACE_POINTS;

/// Radius of the rounding in which the second zone of a pair ends, in sizes of the smallest pressure cell of
/// the first: the distance of the points over which a gap is averaged.
const RIM_RADIUS: f64 = 0.25;

/// Two zones that may touch.
#[derive(Debug, Clone, Copy)]
pub struct Pair {
    /// Number of the zone that carries the pressure: faces, and the one with the smaller pressure cells.
    pub first: usize,
    /// Number of the zone on which its points are projected.
    pub second: usize,
    /// Normal law.
    pub law: Law,
    /// Coefficient of Coulomb friction μ ≥ 0.
    pub friction: f64,
    /// Depth \[m\] beyond which a point counts as lying behind the second zone and not as touching it;
    /// without it a quarter of the diagonal of the first zone's box.
    pub max_depth: Option<f64>,
}

/// A pair with its pressure cells.
#[derive(Debug, Clone)]
pub(super) struct PairModel {
    pub(super) pair: Pair,
    pub(super) cells: PressureCells,
    /// d = 1/(ε A) of each cell \[m/N\].
    pub(super) compliance: Vec<f64>,
    pub(super) max_depth: f64,
    /// Corners of its cells at edges.
    pub(super) corners: Vec<Corner>,
    /// √A of the faces of the second zone \[m\]; empty without faces.
    pub(super) second_sizes: Vec<f64>,
    /// Number of its first cell among those of all pairs.
    pub(super) cell_offset: usize,
    foot_offset: usize,
}

impl PairModel {
    /// Its cells among those of all pairs.
    pub(super) fn cell_range(&self) -> std::ops::Range<usize> {
        self.cell_offset..self.cell_offset + self.cells.len()
    }

    /// The foot points of one of its cells among those of all pairs.
    pub(super) fn feet(&self, cell: usize) -> std::ops::Range<usize> {
        let start = self.foot_offset + self.cells.start[cell] as usize;
        start..start + self.cells.weights(cell).len()
    }

    /// Its foot points among those of all pairs.
    pub(super) fn all_feet(&self) -> std::ops::Range<usize> {
        self.foot_offset..self.foot_offset + self.cells.n_points()
    }
}

/// All zones and pairs.
#[derive(Debug, Clone)]
pub(super) struct Pairs {
    zones: Vec<Zone>,
    pairs: Vec<PairModel>,
}

impl Pairs {
    /// Checks zones and pairs, and cuts the first zones into pressure cells.
    ///
    /// # Errors
    ///
    /// [`SetupError`] names the body, zone or pair that does not fit.
    pub(super) fn new(bodies: &[ContactBody], zones: Vec<Zone>, pairs: &[Pair]) -> Result<Self, SetupError> {
        for zone in &zones {
            let body = bodies.get(zone.body);
            let body =
                body.ok_or(SetupError::Missing { what: "body", index: zone.body, count: bodies.len() })?;
            zone.check(body.n_points)?;
        }
        let mut all = Self { zones, pairs: Vec::with_capacity(pairs.len()) };
        for pair in pairs {
            all.add(pair, bodies)?;
        }
        Ok(all)
    }

    fn add(&mut self, pair: &Pair, bodies: &[ContactBody]) -> Result<(), SetupError> {
        let faces = self.check(pair, bodies)?;
        let b = &self.zones[pair.second];
        let reference = &faces.reference;
        let first = || self.zones[pair.first].name.clone();
        let cells = PressureCells::new(faces, reference);
        if cells.max_points() > MAX_FACE_POINTS {
            return Err(SetupError::CrowdedNode { first: first(), points: cells.max_points() });
        }
        // Where it is bluntest: a sharp place elsewhere may never be touched, and is watched during the run.
        let radius = 1.0 / b.shape.convex_curvatures()[0];
        let smallest = cells.area.iter().copied().filter(|&area| area > 0.0).fold(f64::INFINITY, f64::min);
        if smallest.is_finite() && smallest.sqrt() > radius {
            let second = b.name.clone();
            return Err(SetupError::CoarseCells { first: first(), second, size: smallest.sqrt(), radius });
        }
        let low = reference.iter().fold(Vector3::repeat(f64::INFINITY), |m, x| m.inf(x));
        let high = reference.iter().fold(Vector3::repeat(f64::NEG_INFINITY), |m, x| m.sup(x));
        let model = PairModel {
            pair: *pair,
            compliance: cells.area.iter().map(|&area| pair.law.compliance(area)).collect(),
            max_depth: pair.max_depth.unwrap_or(0.25 * (high - low).norm()),
            corners: corners(faces, &cells, reference),
            second_sizes: face_sizes(b),
            cell_offset: self.n_cells(),
            foot_offset: self.n_feet(),
            cells,
        };
        let rim_radius = RIM_RADIUS * smallest.sqrt();
        if rim_radius.is_finite() {
            let zone = &mut self.zones[pair.second];
            zone.set_rim_radius(|known| if known > 0.0 { known.min(rim_radius) } else { rim_radius });
        }
        self.pairs.push(model);
        Ok(())
    }

    /// The faces of the first zone of a pair that can be set up.
    fn check(&self, pair: &Pair, bodies: &[ContactBody]) -> Result<&Faces, SetupError> {
        let zone = |index: usize| {
            self.zones.get(index).ok_or(SetupError::Missing { what: "zone", index, count: self.zones.len() })
        };
        let (a, b) = (zone(pair.first)?, zone(pair.second)?);
        let (first, second) = (a.name.clone(), b.name.clone());
        if !pair.law.is_of_cells() {
            return Err(SetupError::Law { first, second, law: pair.law });
        }
        if !(pair.friction >= 0.0 && pair.friction.is_finite()) {
            return Err(SetupError::Friction { first, second, friction: pair.friction });
        }
        let Some(faces) = a.shape.as_faces() else {
            return Err(SetupError::NoFaces { first, second });
        };
        let sheets = b.shape.sheets();
        if sheets != 1 {
            return Err(SetupError::Planes { first, second, planes: sheets });
        }
        if pair.law == Law::Hard && ![a.body, b.body].iter().any(|&body| bodies[body].is_elastic()) {
            return Err(SetupError::RigidAndHard { first, second });
        }
        Ok(faces)
    }

    /// Lets all faces end sharply at their rims.
    pub(super) fn sharpen_rims(&mut self) {
        self.zones.iter_mut().for_each(|zone| zone.set_rim_radius(|_| 0.0));
    }

    /// The zones.
    pub(super) fn zones(&self) -> &[Zone] {
        &self.zones
    }

    /// Number of pairs.
    pub(super) fn len(&self) -> usize {
        self.pairs.len()
    }

    /// A pair.
    pub(super) fn get(&self, pair: usize) -> &PairModel {
        &self.pairs[pair]
    }

    /// All pairs in their order.
    pub(super) fn iter(&self) -> impl Iterator<Item = &PairModel> {
        self.pairs.iter()
    }

    /// The first zone of a pair: faces.
    pub(super) fn first(&self, pair: usize) -> FaceZone<'_> {
        self.zones[self.pairs[pair].pair.first].as_faces().expect("checked when the pair was added")
    }

    /// The second zone of a pair.
    pub(super) fn second(&self, pair: usize) -> &Zone {
        &self.zones[self.pairs[pair].pair.second]
    }

    /// The bodies of the two zones of a pair.
    pub(super) fn bodies(&self, pair: usize) -> [usize; 2] {
        let Pair { first, second, .. } = self.pairs[pair].pair;
        [first, second].map(|zone| self.zones[zone].body)
    }

    /// Number of the pair that a cell belongs to.
    pub(super) fn pair_of(&self, cell: usize) -> usize {
        self.pairs.partition_point(|p| p.cell_offset <= cell) - 1
    }

    /// Number of pressure cells of all pairs.
    pub(super) fn n_cells(&self) -> usize {
        self.pairs.last().map_or(0, |p| p.cell_range().end)
    }

    /// Number of foot points of all pairs: one for each integration point of a cell.
    pub(super) fn n_feet(&self) -> usize {
        self.pairs.last().map_or(0, |p| p.all_feet().end)
    }
}
