//! The quasistatic submodel inside the rate (docs/theory/contact.md, section 4.5): high modes answer contact
//! without inertia.
//!
//! Each evaluation gives `carom_contact::submodel` the poses and the surface points displaced by the low
//! modes; it returns forces on the points. They are the derivatives of one potential at fixed high modes
//! (envelope theorem, docs/theory/contact.md, eq. (54)), so that energy is kept; forces on two bodies share
//! their lines of action, so that both momenta are.
//!
//! [`ContactSpec`] says what may touch; [`QuasistaticContacts`] is the [`ContactModel`] made of it.

mod aside;
mod setup;
mod spec;
mod zones;

pub use spec::{ContactSetupError, ContactSpec, ContactSurface};

use crate::body::Body;
use crate::contact::{
    BodyForces, ContactFailure, ContactModel, ContactSums, HertzNumbers, LoadedPatch, Motion, Overlap,
    Reaction, Rim, RimPolicy,
};
use crate::modal_points::ModalPoints;
use crate::tangential::Tangential;
use aside::Aside;
use carom_contact::assembly::Carrier;
use carom_contact::points::SurfacePoints;
use carom_contact::submodel::{
    self, BodyState, Patch, QuasistaticContact, RowForce, SolveError, Twist, WarmState, WhichZone, Workspace,
};
use carom_dynamics::{ContactState, Pose};
use nalgebra::Vector3;

/// The quasistatic problem was not solved.
#[derive(Debug, thiserror::Error)]
#[error("quasistatic contact{between}: {source}")]
pub struct ContactSolveError {
    /// " at `zone` on `zone`", or nothing if no pair is to blame.
    pub between: String,
    /// Why.
    pub source: SolveError,
}

/// Pairs of surfaces whose bodies answer by their high modes.
pub struct QuasistaticContacts {
    model: QuasistaticContact,
    warm: WarmState,
    work: Workspace,
    sides: Vec<Side>,
    pairs: Vec<PairSetup>,
    fallbacks: u64,
    /// Pairs whose reactions the last evaluation has written.
    written: Vec<u32>,
    /// None before the first evaluation for output.
    aside: Option<Box<Aside>>,
}

/// A body that takes part in contact.
struct Side {
    /// Index in the system.
    body: usize,
    points: ModalPoints,
    /// Coordinates of the modes at the last evaluation.
    modal: Vec<f64>,
    /// Positions and velocities of the points in the body frame.
    positions: Vec<f64>,
    rates: Vec<f64>,
    /// Largest reach of its surfaces \[m\].
    reach: f64,
    /// Velocity \[m/s\] and angular speed \[rad/s\] in [`ContactModel::time_apart`].
    motion: (Vector3<f64>, f64),
}

/// A pair as the caller named it.
#[derive(Debug, Clone)]
struct PairSetup {
    /// Bodies in the caller's order.
    bodies: [usize; 2],
    /// The surface that carries the pressure.
    carrier: Carrier,
    reach: [f64; 2],
    hertz: HertzNumbers,
    rim: RimPolicy,
}

/// Coefficient of contacts that stick: slopes up to 89.4°.
const STUCK: f64 = 100.0;

/// Most bodies whose states fit on the stack.
const STACK_BODIES: usize = 16;

impl QuasistaticContacts {
    /// Pairs of surfaces of the bodies of a system.
    ///
    /// # Errors
    ///
    /// [`ContactSetupError`] says which pair does not fit, and why.
    pub fn new(bodies: &[Body], specs: &[ContactSpec]) -> Result<Self, ContactSetupError> {
        setup::build(bodies, specs)
    }

    /// The condensed problem.
    pub fn model(&self) -> &QuasistaticContact {
        &self.model
    }

    /// Positions and velocities of all points.
    fn move_points(&mut self, motion: &Motion<'_>) {
        for Side { body, points, modal, positions, rates, .. } in &mut self.sides {
            let q = motion.modal(*body);
            modal.copy_from_slice(q);
            points.positions_into(q, positions);
            points.velocities_into(q, &motion.velocities(*body).modal, rates);
        }
    }

    /// Solves for the present positions of the points.
    fn solve(&mut self, motion: &Motion<'_>) -> Result<(), ContactFailure> {
        let (model, warm, work, sides) = (&self.model, &mut self.warm, &mut self.work, &self.sides);
        let full = |index: usize| {
            let side = &sides[index.min(sides.len() - 1)];
            let (pose, velocities) = (motion.pose(side.body), motion.velocities(side.body));
            let twist = Twist { v_ib_b: velocities.v, omega_ib_b: velocities.omega, rates_b: &side.rates };
            BodyState {
                rot_ib: pose.rotation,
                r_ib_i: pose.position,
                positions_b: &side.positions,
                twist: Some(twist),
            }
        };
        let solved = if sides.len() <= STACK_BODIES {
            let states: [BodyState<'_>; STACK_BODIES] = std::array::from_fn(full);
            model.solve(&states[..sides.len()], warm, work)
        } else {
            let states: Vec<BodyState<'_>> = (0..sides.len()).map(full).collect();
            model.solve(&states, warm, work)
        };
        solved.map_err(|source| {
            // The memory of a failed solve is of no use.
            *warm = model.cold();
            let pair = match source {
                SolveError::NotConverged { pair, .. } | SolveError::NoDescent { pair, .. } => Some(pair),
                _ => None,
            };
            let name = |zone: usize| model.zones()[zone].name.clone();
            let zones = pair.map(|pair| model.pair(pair)).map(|pair| [name(pair.first), name(pair.second)]);
            ContactSolveError {
                between: zones.map_or_else(String::new, |[a, b]| format!(" at `{a}` on `{b}`")),
                source,
            }
            .into()
        })
    }

    /// Forces on the bodies and their modes.
    fn add_forces(&self, motion: &Motion<'_>, forces: &mut [BodyForces]) {
        let solution = &self.work.solution;
        for (s, side) in self.sides.iter().enumerate() {
            let target = &mut forces[side.body];
            target.add_wrench(motion.pose(side.body), &solution.wrench[s]);
            side.points.add_forces(motion.modal(side.body), &solution.force_b[s], &mut target.modal);
        }
    }

    fn reaction(&self, pair: usize) -> Reaction {
        let (setup, solution) = (&self.pairs[pair], &self.work.solution);
        let sums = &solution.pairs[pair];
        let cells = self.model.cell_range(pair);
        let pressed = cells.filter(|&s| solution.lambda[s] > 0.0);
        let penetration = pressed.fold(0.0, |most: f64, s| most.max(-solution.gap[s]));
        // The model gives the force on the surface that does not carry the pressure.
        let sign = setup.carrier.sign();
        Reaction {
            force: sign * sums.force_i,
            friction: (self.model.pair(pair).friction > 0.0).then(|| sign * sums.friction_i),
            tangential_force: sums.tangential_force,
            normal_force: sums.force,
            free_gap: sums.min_free_gap,
            gap_rate: (sums.gap_rate != 0.0).then_some(sums.gap_rate),
            point: sums.center_i,
            // The diagonal of a square cell.
            point_error: (0.5 * self.model.cells(pair).area[sums.nearest_cell]).sqrt(),
            penetration,
            rim: sums.rim.map(|rim| Rim {
                side: setup.carrier.turned(usize::from(rim.zone == WhichZone::Second)),
                face: rim.cell,
                share: rim.share,
            }),
            overlap: sums.overlap.map(named),
            loaded_cells: Some(sums.n_active),
        }
    }
}

/// An overlap as the time loop knows it: pressure cells are the faces of the surface that carries the
/// pressure.
fn named(overlap: submodel::Overlap) -> Overlap {
    let submodel::Overlap { cell, depth, size, place, is_corner } = overlap;
    Overlap { face: cell, depth, size, place: place.into(), is_corner }
}

impl ContactModel for QuasistaticContacts {
    fn pairs(&self) -> usize {
        self.pairs.len()
    }

    fn bodies(&self, pair: usize) -> [usize; 2] {
        self.pairs[pair].bodies
    }

    fn surface_name(&self, pair: usize, side: usize) -> String {
        let zones = self.model.pair(pair);
        let zone = self.pairs[pair].carrier.ordered([zones.first, zones.second])[side];
        self.model.zones()[zone].name.clone()
    }

    fn reach(&self, pair: usize) -> [f64; 2] {
        self.pairs[pair].reach
    }

    fn hertz(&self, pair: usize) -> HertzNumbers {
        self.pairs[pair].hertz
    }

    fn carrier(&self, pair: usize) -> usize {
        self.pairs[pair].carrier.index()
    }

    fn rim_policy(&self, pair: usize) -> RimPolicy {
        self.pairs[pair].rim
    }

    fn set_accuracy(&mut self, relative: f64) {
        self.model.tolerances.relative = relative;
    }

    fn evaluate(
        &mut self,
        motion: &Motion<'_>,
        forces: &mut [BodyForces],
        reactions: &mut [Reaction],
    ) -> Result<ContactSums, ContactFailure> {
        self.move_points(motion);
        self.solve(motion)?;
        self.add_forces(motion, forces);
        for &pair in &self.written {
            reactions[pair as usize] = Reaction::NONE;
        }
        self.written.clear();
        self.written.extend(&self.work.solution.near);
        for &pair in &self.written {
            reactions[pair as usize] = self.reaction(pair as usize);
        }
        let solution = &self.work.solution;
        self.fallbacks += solution.fallbacks as u64;
        Ok(ContactSums {
            elastic_energy: solution.elastic_energy.iter().sum(),
            contact_energy: solution.penalty_energy(),
            friction_loss: solution.friction_loss,
            residual: solution.error,
            off_interface: solution.off_interface.iter().copied().fold(0.0, f64::max),
            fallbacks: self.fallbacks,
        })
    }

    fn near(&self) -> Option<&[u32]> {
        Some(&self.work.solution.near)
    }

    fn clearance(&self, pair: usize) -> f64 {
        self.model.clearance(pair, &self.work)
    }

    fn time_apart(&mut self, motion: &dyn Fn(usize) -> (Vector3<f64>, f64)) -> f64 {
        let mut mean = Vector3::zeros();
        for side in &mut self.sides {
            side.motion = motion(side.body);
            mean += side.motion.0;
        }
        mean /= self.sides.len().max(1) as f64;
        let (model, sides) = (&self.model, &self.sides);
        let speed = |s: usize| {
            let (velocity, turning) = sides[s].motion;
            (velocity - mean).norm() + turning * sides[s].reach
        };
        let closing = |pair: usize| {
            let zones = model.pair(pair);
            let [a, b] = [zones.first, zones.second].map(|zone| &sides[model.zones()[zone].body]);
            (a.motion.0 - b.motion.0).norm() + a.motion.1 * a.reach + b.motion.1 * b.reach
        };
        model.least_time_apart(&mut self.work, speed, closing)
    }

    fn rows(&self) -> Option<usize> {
        Some(self.model.n_rows())
    }

    fn for_closed(&self, take: &mut dyn FnMut(usize)) {
        self.model.for_closed(&self.work, take);
    }

    fn closed_compliance(&self, row: usize, other: usize) -> f64 {
        self.model.closed_compliance(&self.work, row, other)
    }

    fn add_row(&self, row: usize, poses: &[Pose], forces: &mut [BodyForces]) {
        for RowForce { body, on_points, wrench } in self.model.row_forces(&self.work, row) {
            let side = &self.sides[body];
            let target = &mut forces[side.body];
            target.add_wrench(&poses[side.body], &wrench);
            side.points.add_point_forces(&side.modal, on_points, &mut target.modal);
        }
    }

    fn stiffens(&self, _pair: usize, body: usize) -> bool {
        self.sides.iter().any(|side| side.body == body && side.points.stiffen())
    }

    fn friction(&self, pair: usize) -> f64 {
        self.model.pair(pair).friction
    }

    fn hold(&mut self, pair: usize, tangential: Tangential) {
        let own = self.friction(pair);
        self.model.set_friction(pair, tangential.coefficient(own, STUCK));
    }

    fn follow(&mut self, pair: usize) {
        self.model.follow(pair, &mut self.warm, &self.work);
    }

    fn clear_friction_loss(&mut self) {
        self.warm.clear_friction_loss();
    }

    fn put_aside(&mut self, reactions: &[Reaction]) -> bool {
        self.keep_aside(reactions);
        true
    }

    fn take_back(&mut self, reactions: &mut [Reaction]) {
        self.take_back_kept(reactions);
    }

    fn accept(&mut self, reactions: &mut [Reaction]) {
        self.model.accept(&mut self.warm, &self.work);
        for pair in self.written.iter().map(|&pair| pair as usize) {
            let reaction = &mut reactions[pair];
            let Some(corner) = self.model.corner_overlap(pair, &self.warm, &mut self.work) else { continue };
            let corner = named(corner);
            if reaction.overlap.is_none_or(|deepest| corner.ratio() > deepest.ratio()) {
                reaction.overlap = Some(corner);
            }
        }
    }

    fn report(&self, pair: usize, state: &mut ContactState) {
        let area = &self.model.cells(pair).area;
        for (face, s) in self.model.cell_range(pair).enumerate() {
            let lambda = self.work.solution.lambda[s];
            if lambda > 0.0 {
                state.pressure_faces.push(face as u32);
                state.pressures.push(lambda / area[face]);
            }
        }
    }

    fn patch(&self, pair: usize) -> Option<LoadedPatch> {
        let Patch { radius, first_size, second_size, is_full, .. } =
            self.model.patch(pair, &self.warm, &self.work)?;
        let sizes = self.pairs[pair].carrier.ordered([Some(first_size), second_size]);
        Some(LoadedPatch { radius, sizes, is_full })
    }

    fn add_quasistatic(&self, body: usize, modal: &mut [f64]) {
        if let Some(s) = self.sides.iter().position(|side| side.body == body) {
            self.sides[s].points.add_quasistatic(&self.work.solution.force_b[s], modal);
        }
    }

    fn for_modal_forces(&self, body: usize, take: &mut dyn FnMut(usize, f64)) {
        if let Some(s) = self.sides.iter().position(|side| side.body == body) {
            self.sides[s].points.for_modal_forces(0, &self.work.solution.force_b[s], take);
        }
    }

    fn memory(&self) -> Vec<f64> {
        let mut numbers = self.warm.to_numbers();
        numbers.push(self.fallbacks as f64);
        numbers
    }

    fn restore(&mut self, memory: &[f64]) -> bool {
        let Some((fallbacks, numbers)) = memory.split_last() else { return false };
        self.fallbacks = *fallbacks as u64;
        let restored = self.model.restore(numbers);
        let fits = restored.is_some();
        self.warm = restored.unwrap_or_else(|| self.model.cold());
        fits
    }
}

impl std::fmt::Debug for QuasistaticContacts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("QuasistaticContacts").field("pairs", &self.pairs).finish_non_exhaustive()
    }
}
