//! The contact problem of several bodies: everything that stays the same during a run.

use super::body::ContactBody;
use super::numbers::Checksum;
use super::pair::{Pair, Pairs};
use super::unknowns::Unknowns;
use super::zone::Zone;
use super::{SetupError, Tolerances};
use crate::pressure::PressureCells;

/// The condensed contact problem of several bodies: immutable, shared by all calls.
#[derive(Debug, Clone)]
pub struct QuasistaticContact {
    /// The bodies, in the order of the states.
    pub bodies: Vec<ContactBody>,
    /// Convergence.
    pub tolerances: Tolerances,
    pub(super) pairs: Pairs,
    pub(super) unknowns: Unknowns,
    /// Checksum of the lengths of all memory: that of the warm states of this problem.
    pub(super) sizes: u64,
}

impl QuasistaticContact {
    /// Checks bodies, zones and pairs, and cuts the first zones of the pairs into pressure cells.
    ///
    /// # Errors
    ///
    /// [`SetupError`] names the body, zone or pair that does not fit.
    pub fn new(bodies: Vec<ContactBody>, zones: Vec<Zone>, pairs: &[Pair]) -> Result<Self, SetupError> {
        bodies.iter().try_for_each(ContactBody::check)?;
        let pairs = Pairs::new(&bodies, zones, pairs)?;
        let unknowns = Unknowns::new(&pairs);
        let sizes = checksum_of_sizes(&bodies, &pairs, &unknowns);
        Ok(Self { bodies, tolerances: Tolerances::default(), pairs, unknowns, sizes })
    }

    /// The same problem with surfaces that end sharply at their rims, for statics: there a body that is
    /// pushed off a surface must lose contact and not rest on a rounded rim.
    pub fn with_sharp_rims(mut self) -> Self {
        self.pairs.sharpen_rims();
        self
    }

    /// The zones.
    pub fn zones(&self) -> &[Zone] {
        self.pairs.zones()
    }

    /// Number of pairs.
    pub fn n_pairs(&self) -> usize {
        self.pairs.len()
    }

    /// Number of pressure cells of all pairs: the pressure unknowns.
    pub fn n_cells(&self) -> usize {
        self.unknowns.n_cells()
    }

    /// True if any pair has friction.
    pub fn has_friction(&self) -> bool {
        self.unknowns.has_friction()
    }

    /// Number of rows: one for each pressure cell, or with friction three.
    pub fn n_rows(&self) -> usize {
        self.unknowns.n_rows()
    }

    /// The pair with this number.
    pub fn pair(&self, pair: usize) -> &Pair {
        &self.pairs.get(pair).pair
    }

    /// Replaces μ of a pair that has friction in the next solves; its [`Pair`] keeps that of the setup.
    pub fn set_friction(&mut self, pair: usize, friction: f64) {
        let model = self.pairs.get(pair);
        if model.pair.friction > 0.0 {
            self.unknowns.set_friction(model.cell_range(), friction);
        }
    }

    /// The pressure cells of the first zone of a pair.
    pub fn cells(&self, pair: usize) -> &PressureCells {
        &self.pairs.get(pair).cells
    }

    /// The pressure cells of a pair among those of all pairs.
    pub fn cell_range(&self, pair: usize) -> std::ops::Range<usize> {
        self.pairs.get(pair).cell_range()
    }
}

/// Checksum of all numbers that lengths and indices of a warm state depend on.
fn checksum_of_sizes(bodies: &[ContactBody], pairs: &Pairs, unknowns: &Unknowns) -> u64 {
    let mut checksum = Checksum::new();
    let mut add = |n: usize| checksum.add(n as u64);
    add(unknowns.n_parts());
    add(bodies.len());
    bodies.iter().for_each(|body| add(body.n_points));
    for (k, pair) in pairs.iter().enumerate() {
        pairs.bodies(k).into_iter().for_each(&mut add);
        add(pair.cells.len());
        (0..pair.cells.len()).for_each(|cell| add(pair.feet(cell).len()));
        add(pairs.first(k).points.len());
        let second = pairs.second(k).as_faces();
        add(second.as_ref().map_or(0, |zone| zone.points.len()));
        add(second.map_or(0, |zone| zone.faces.n_faces()));
    }
    checksum.value()
}
