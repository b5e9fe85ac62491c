//! Pairs on half-space grids as a contact model.

use carom_dynamics::{ContactState, ErrorEstimate};
use nalgebra::Vector3;

use super::doubts::Worst;
use super::estimate::Estimate;
use super::laying::{Found, Laying};
use super::neighbours::Neighbours;
use super::pair::{Apart, Far, Last, Memory, Pair, Scope, SpotError};
use super::settled::Settled;
use super::setup::{HalfSpaceSetupError, HalfSpaceSpec, build};
use super::touched::Touched;
use crate::body::Body;
use crate::contact::{
    BodyForces, ContactFailure, ContactModel, ContactSums, HertzNumbers, LoadedPatch, Motion, Reaction,
};
use crate::tangential::Tangential;

/// Local error of the integrator in a step, relative to the tolerance of the run: hundreds of cells close and
/// open one by one in an impact, each with an error of a step. Two balls without dynamic modes miss the
/// tolerance by 4 % with twice this share.
const INTEGRATOR_SHARE: f64 = 5e-4;

/// Growth of a force after which a second contact spot is looked for.
const LOOK_AGAIN: f64 = 1.3;

/// Pairs of bodies in contact on half-space grids.
#[derive(Debug)]
pub struct HalfSpaceContacts {
    pairs: Vec<Pair>,
    /// Largest force of each pair at which a second spot was looked for \[N\].
    looked_at: Vec<f64>,
    /// See [`ContactModel::seek_forces_alone`].
    seeks_forces_alone: bool,
    neighbours: Neighbours,
    settled: Settled,
    /// True if the last evaluation has left out settled pairs.
    skips_settled: bool,
    /// Energy that friction has taken from the pairs that the list of neighbours leaves out \[J\].
    loss_left_out: f64,
}

/// The contact of a pair on a half-space grid was not solved.
#[derive(Debug, thiserror::Error)]
#[error("contact `{first}` / `{second}` on a half-space grid: {source}")]
struct HalfSpaceFailure {
    first: String,
    second: String,
    source: SpotError,
}

impl HalfSpaceContacts {
    /// Pairs of surfaces of the bodies of a system.
    ///
    /// # Errors
    ///
    /// [`HalfSpaceSetupError`] says which pair does not fit, and why.
    pub fn new(bodies: &[Body], specs: &[HalfSpaceSpec]) -> Result<Self, HalfSpaceSetupError> {
        let pairs = build(bodies, specs)?;
        let looked_at = vec![0.0; pairs.len()];
        let neighbours = Neighbours::new(&pairs, bodies.len());
        let settled = Settled::new(pairs.len(), bodies.len());
        Ok(Self {
            pairs,
            looked_at,
            seeks_forces_alone: false,
            neighbours,
            settled,
            skips_settled: false,
            loss_left_out: 0.0,
        })
    }

    /// Number of cells of a pair's grid at the last evaluation; 0 while the bodies are far apart.
    pub fn cells(&self, pair: usize) -> usize {
        self.pairs[pair].last_grid().map_or(0, |grid| grid.grid.len())
    }

    /// Sums the friction loss of the pairs that a new list of neighbours leaves out: their evaluations do
    /// not add it. Settled pairs have none, as pairs with friction are not settled.
    fn sum_loss_left_out(&mut self) {
        let losses = self.neighbours.left_out().map(|number| self.pairs[number].memory.anchor.loss);
        self.loss_left_out = losses.fold(0.0, |sum, loss| sum + loss);
    }
}

impl ContactModel for HalfSpaceContacts {
    fn pairs(&self) -> usize {
        self.pairs.len()
    }

    fn bodies(&self, pair: usize) -> [usize; 2] {
        self.pairs[pair].bodies()
    }

    fn surface_name(&self, pair: usize, side: usize) -> String {
        let names = self.pairs[pair].ordered(|side| side.name.clone());
        names[side].clone()
    }

    fn reach(&self, pair: usize) -> [f64; 2] {
        self.pairs[pair].ordered(|side| side.hull.reach)
    }

    fn hertz(&self, pair: usize) -> HertzNumbers {
        self.pairs[pair].hertz
    }

    fn evaluate(
        &mut self,
        motion: &Motion<'_>,
        forces: &mut [BodyForces],
        reactions: &mut [Reaction],
    ) -> Result<ContactSums, ContactFailure> {
        let mut sums = ContactSums::default();
        if self.neighbours.place(motion) {
            reactions.fill(Reaction::NONE);
            self.settled.forget();
        }
        if !self.seeks_forces_alone {
            self.settled.forget();
        }
        if !self.neighbours.look_at_all() {
            sums.friction_loss = self.loss_left_out;
        }
        self.skips_settled = self.neighbours.are_listed() && self.settled.place(motion);
        for &number in looked_at(self.skips_settled, &self.settled, &self.neighbours) {
            let (pair, reaction) = (&mut self.pairs[number as usize], &mut reactions[number as usize]);
            let own;
            (*reaction, own) = if self.seeks_forces_alone {
                evaluated_force(pair, motion, forces)?
            } else {
                evaluated(pair, motion, forces, false)?
            };
            sums.elastic_energy += own.elastic_energy;
            sums.contact_energy += own.contact_energy;
            sums.friction_loss += own.friction_loss;
        }
        Ok(sums)
    }

    fn evaluate_pair(
        &mut self,
        pair: usize,
        motion: &Motion<'_>,
        forces: &mut [BodyForces],
        reactions: &mut [Reaction],
    ) -> Result<(), ContactFailure> {
        if self.settled.others().binary_search(&(pair as u32)).is_err() {
            self.settled.forget();
        }
        (reactions[pair], _) = evaluated(&mut self.pairs[pair], motion, forces, false)?;
        Ok(())
    }

    fn seek_forces_alone(&mut self, alone: bool) {
        self.seeks_forces_alone = alone;
    }

    fn complete(
        &mut self,
        motion: &Motion<'_>,
        forces: &mut [BodyForces],
        reactions: &mut [Reaction],
        all: bool,
    ) -> Result<(), ContactFailure> {
        if self.skips_settled && (all || self.settled.is_spent()) {
            self.evaluate_settled(motion, forces, reactions)?;
        }
        for &number in looked_at(self.skips_settled, &self.settled, &self.neighbours) {
            let (pair, reaction) = (&mut self.pairs[number as usize], &mut reactions[number as usize]);
            if let Scope::ForceAlone { is_settled } = pair.scope
                && (all || !is_settled)
            {
                (*reaction, _) = evaluated(pair, motion, forces, true)?;
            }
        }
        Ok(())
    }

    fn stiffens(&self, pair: usize, body: usize) -> bool {
        self.pairs[pair].sides.iter().any(|side| side.body == body && side.foreshortening.is_some())
    }

    fn friction(&self, pair: usize) -> f64 {
        self.pairs[pair].friction
    }

    fn hold(&mut self, pair: usize, tangential: Tangential) {
        self.pairs[pair].tangential = tangential;
    }

    fn follow(&mut self, pair: usize) {
        let Pair { friction, memory, next, last, .. } = &mut self.pairs[pair];
        if *friction > 0.0 && last.is_some() {
            memory.anchor.follow(next, None);
        }
    }

    fn clear_friction_loss(&mut self) {
        self.pairs.iter_mut().for_each(|pair| pair.memory.anchor.loss = 0.0);
        self.loss_left_out = 0.0;
    }

    fn accept(&mut self, reactions: &mut [Reaction]) {
        for &number in looked_at(self.skips_settled, &self.settled, &self.neighbours) {
            self.pairs[number as usize].accept(&mut self.looked_at[number as usize]);
        }
        let Self { pairs, neighbours, settled, .. } = self;
        if neighbours.accept() {
            settled.forget();
            self.neighbours.left_out().for_each(|number| reactions[number] = Reaction::NONE);
            self.sum_loss_left_out();
        } else if neighbours.are_listed() && !neighbours.look_at_all() && settled.is_spent() {
            settled.renew(pairs, reactions, neighbours.near());
        }
        self.settled.end_step();
    }

    fn near(&self) -> Option<&[u32]> {
        let near = || looked_at(self.skips_settled, &self.settled, &self.neighbours);
        self.neighbours.are_listed().then(near)
    }

    fn clearance(&self, pair: usize) -> f64 {
        if self.neighbours.are_listed() { self.neighbours.clearance(pair) } else { f64::INFINITY }
    }

    fn time_apart(&mut self, motion: &dyn Fn(usize) -> (Vector3<f64>, f64)) -> f64 {
        self.neighbours.time_apart(|body| motion(body).0.norm())
    }

    fn time_settled(&self, motion: &dyn Fn(usize) -> (Vector3<f64>, f64)) -> f64 {
        self.settled.time(|body| {
            let (velocity, turning) = motion(body);
            (velocity.norm(), turning)
        })
    }

    fn evaluate_settled(
        &mut self,
        motion: &Motion<'_>,
        forces: &mut [BodyForces],
        reactions: &mut [Reaction],
    ) -> Result<(), ContactFailure> {
        if !self.settled.is_set() {
            return Ok(());
        }
        let mut others = self.settled.others().iter().peekable();
        for &number in self.neighbours.near() {
            if others.next_if_eq(&&number).is_none() {
                let (pair, reaction) = (&mut self.pairs[number as usize], &mut reactions[number as usize]);
                (*reaction, _) = evaluated_force(pair, motion, forces)?;
            }
        }
        self.settled.forget();
        self.skips_settled = false;
        Ok(())
    }

    fn report(&self, pair: usize, state: &mut ContactState) {
        self.pairs[pair].report(&mut state.grid);
    }

    fn patch(&self, pair: usize) -> Option<LoadedPatch> {
        let grid = self.pairs[pair].last_grid().filter(|grid| grid.sums.force > 0.0)?;
        Some(LoadedPatch { radius: grid.grid.contact_radius(&grid.forces), sizes: [None; 2], is_full: false })
    }

    fn integrator_share(&self) -> f64 {
        INTEGRATOR_SHARE
    }

    fn error_estimate(&self, pair: usize, duration: f64) -> Option<ErrorEstimate> {
        self.pairs[pair].error_estimate(duration)
    }

    fn touched(&self, pair: usize) -> Option<Touched> {
        self.pairs[pair].touched()
    }

    fn bytes(&self) -> usize {
        self.pairs.iter().map(|pair| pair.grids.bytes()).sum()
    }

    fn doubts(&self) -> Vec<String> {
        self.pairs.iter().flat_map(Pair::doubts).collect()
    }

    fn memory(&self) -> Vec<f64> {
        let mut numbers = Vec::new();
        for (pair, looked_at) in self.pairs.iter().zip(&self.looked_at) {
            numbers.push(*looked_at);
            numbers.extend(pair.worst.to_array());
            numbers.extend(pair.estimate.to_array());
            pair.memory.write(&mut numbers);
        }
        self.neighbours.write(&mut numbers);
        numbers
    }

    fn restore(&mut self, memory: &[f64]) -> bool {
        let mut rest = memory;
        for (pair, looked_at) in self.pairs.iter_mut().zip(&mut self.looked_at) {
            let Some((first, tail)) = rest.split_first() else { return false };
            let Some((worst, tail)) = tail.split_first_chunk::<{ Worst::NUMBERS }>() else { return false };
            let Some((estimate, tail)) = tail.split_first_chunk::<{ Estimate::NUMBERS }>() else {
                return false;
            };
            let Some((read, tail)) = Memory::read(tail) else { return false };
            pair.worst = Worst::from_array(worst);
            pair.estimate = Estimate::from_array(estimate);
            (*looked_at, pair.memory, pair.last, pair.failure, rest) = (*first, read, None, None, tail);
        }
        self.settled.forget();
        self.skips_settled = false;
        let fits = self.neighbours.restore(rest);
        self.sum_loss_left_out();
        fits
    }
}

/// Numbers of the pairs that an evaluation looks at, ascending.
fn looked_at<'a>(skips_settled: bool, settled: &'a Settled, neighbours: &'a Neighbours) -> &'a [u32] {
    if skips_settled { settled.others() } else { neighbours.near() }
}

/// The force of a pair, and its gap where that cannot be left out.
fn evaluated_force(
    pair: &mut Pair,
    motion: &Motion<'_>,
    forces: &mut [BodyForces],
) -> Result<(Reaction, ContactSums), ContactFailure> {
    match pair.evaluate_force(motion) {
        Some(found) => Ok(found),
        None => evaluated(pair, motion, forces, false),
    }
}

/// An evaluation of a pair.
fn evaluated(
    pair: &mut Pair,
    motion: &Motion<'_>,
    forces: &mut [BodyForces],
    is_end: bool,
) -> Result<(Reaction, ContactSums), ContactFailure> {
    pair.evaluate(motion, forces, is_end).map_err(|source| {
        let [first, second] = pair.ordered(|side| side.name.clone());
        HalfSpaceFailure { first, second, source }.into()
    })
}

impl Pair {
    /// Takes the last evaluation as the end of a step: the grid follows the contact.
    fn accept(&mut self, looked_at: &mut f64) {
        let Some(last) = self.last else { return };
        self.anchor(&last);
        if self.scope != Scope::GapAndForce {
            return;
        }
        if let Err(error) = self.follow(&last, looked_at) {
            // A pair that is apart may come so near again that its grid can be laid.
            self.failure = Some(error);
        }
        let Last { rotation, origin, gap, plan, .. } = last;
        let is_open = gap > 0.0 && plan.is_some() && plan == self.memory.plan;
        self.memory.open = is_open.then_some(Apart { rotation, origin, gap });
    }

    /// Friction is counted from here.
    fn anchor(&mut self, last: &Last) {
        if self.friction == 0.0 {
            return;
        }
        let Self { memory, next, grids, .. } = self;
        let grid = last.plan.as_ref().and_then(|plan| grids.found(plan));
        memory.anchor.follow(next, grid);
    }

    fn follow(&mut self, last: &Last, looked_at: &mut f64) -> Result<(), SpotError> {
        let is_loaded = self.last_grid().is_some_and(|grid| grid.sums.force > 0.0);
        if !is_loaded {
            *looked_at = 0.0;
            self.memory.forces.clear();
            if last.closing > 0.0 {
                self.worst.approach(self.hertz.duration(self.mass, last.closing));
            }
            return self.follow_apart(last);
        }
        self.note_touch(last);
        self.estimate();
        let Some(grid) = self.last_grid() else { return Ok(()) };
        let (plan, force, at_edge) = (grid.plan, grid.sums.force, grid.sums.at_edge);
        let middle = grid.middle_of_forces();
        let n_cells = grid.grid.len();
        let mut forces = std::mem::take(&mut self.memory.forces);
        if let Some(grid) = self.last_grid() {
            forces.clone_from(&grid.forces);
        }
        (self.memory.forces, self.memory.plan) = (forces, Some(plan));
        if at_edge {
            return Err(SpotError::Edge);
        }
        if let Some(grid) = self.grids.found(&plan) {
            self.worst.observe(grid)?;
        }
        if force > LOOK_AGAIN * *looked_at {
            let center = self.last_grid().map_or(plan.plane.center, |grid| grid.middle_plane().center);
            if let Some((place, depth, apart)) = self.at(last).second_spot(&plan, &center) {
                return Err(SpotError::SecondSpot { place: place.into(), depth, apart });
            }
            *looked_at = force;
        }
        self.move_grid(last, &plan, n_cells, middle)
    }

    /// A grid without forces lies where the bodies come nearest.
    fn follow_apart(&mut self, last: &Last) -> Result<(), SpotError> {
        if self.at(last).is_known(&self.memory, last) {
            self.note_far(last);
            return Ok(());
        }
        let found = self.at(last).search(|_, _| last.closing)?;
        match &found {
            Found::Near { plan, gap } => self.note_near(last, &plan.plane.center, *gap),
            Found::Far { gap, place: Some(place) } => self.note_near(last, place, *gap),
            Found::Far { place: None, .. } => (),
        }
        match found {
            Found::Near { plan: new, .. } => {
                self.memory.plan = Some(new);
                self.memory.far = None;
            }
            Found::Far { gap, place } => {
                let on_second = |x: Vector3<f64>| last.rotation.transpose() * (x - last.origin);
                let near =
                    |x: Vector3<f64>| [self.sides[0].place_near(&x), self.sides[1].place_near(&on_second(x))];
                let Last { rotation, origin, .. } = *last;
                let at = Apart { rotation, origin, gap };
                self.memory.plan = None;
                self.memory.far = Some(Far { at, places: place.map_or([0; 2], near) });
            }
        }
        Ok(())
    }

    pub(super) fn at(&self, last: &Last) -> Laying<'_> {
        self.laying(last.rotation, last.origin, last.turning)
    }
}
