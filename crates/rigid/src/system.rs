//! Bodies and pairs with their states.

mod balance;
mod error;
mod report;

use carom_dynamics::{Placement, Pose};
use nalgebra::Vector3;

use crate::action::Actions;
use crate::body::RigidBody;
use crate::contact::Contact;
use crate::crowd::{CrowdSpec, Crowds};
use crate::impulses::Impulses;
use crate::joint::Joints;
use crate::joint::impulse::JointImpulse;
use crate::joint::start::Displaced;
use crate::limit::{Limited, Loose};
use crate::nearby::Nearby;
use crate::pair::{Pair, PairError, PairSpec};
use crate::pressed::Pressed;
use crate::redundant::Redundant;
use crate::search;
use crate::stage::Stage;
use crate::state::State;
use crate::stop::Stops;
use crate::swept::Missed;
use crate::turn::TooFast;
pub use balance::Books;
pub use error::SystemError;
pub use report::PairReport;

/// Number of simultaneous contacts for which memory is reserved.
const FORESEEN: usize = 32;

/// A body in a step without contact.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FreeMotion {
    /// Where impulses of the step act: the place x_n + dt/2 v_n and the orientation half-way.
    pub middle: Pose,
    /// The state at the end of the step.
    pub end: State,
}

/// Bodies and pairs in motion with a fixed step.
pub struct System {
    /// The bodies.
    pub bodies: Vec<RigidBody>,
    /// g \[m/s²\].
    pub gravity: Vector3<f64>,
    /// Impulses and motion of each pair. Pairs of crowds come after the others, in places that a pair which
    /// has never touched gives up when its bodies have separated.
    pub reports: Vec<PairReport>,
    /// Losses and external impulses.
    pub books: Books,
    pub(crate) dt: f64,
    pub(crate) steps: u64,
    pub(crate) states: Vec<State>,
    pub(crate) pairs: Vec<Pair>,
    /// Pairs that may touch now.
    pub(crate) nearby: Nearby,
    /// Bodies whose motion has changed since the bounds of their pairs were computed, and true if there are
    /// any.
    pub(crate) disturbed: (Vec<bool>, bool),
    /// Largest overlap of surfaces since the start \[m\].
    pub(crate) deepest: f64,
    pub(crate) stages: Vec<Stage>,
    pub(crate) contacts: Vec<Contact>,
    pub(crate) redundant: Redundant,
    /// Contacts of the last impacts, with motions.
    pub(crate) pressed: Pressed,
    pub(crate) joints: Joints,
    pub(crate) stops: Stops,
    /// Force of each joint on its second body in the last step, and its torque about the first end, without
    /// springs and stops \[N\], \[N m\].
    pub(crate) joint_wrenches: Vec<[Vector3<f64>; 2]>,
    /// Impulse of each joint with its springs and stops, then of each spring of its own, on its second body
    /// in the last step \[N s\], \[N m s\]; empty unless they are kept.
    pub(crate) joint_impulses: Vec<JointImpulse>,
    /// Changes of the start by motions of joints.
    pub(crate) displaced: Displaced,
    pub(crate) actions: Actions,
    /// Time at which the step, or a part of it, begins \[s\].
    pub(crate) start_of_step: f64,
    pub(crate) impulses: Impulses,
    /// Σ ½ k \[−g\]₊² at the start of the step \[J\].
    pub(crate) spring_energy: f64,
    /// Smallest and largest E_kin + E_con + E_pot + losses so far \[J\].
    pub(crate) energies: [f64; 2],
    /// Contacts that had impulses, one for each point and step.
    pub(crate) n_impulses: u64,
    /// Number of divided steps.
    pub(crate) n_divided: u64,
    pub(crate) limited: Limited,
    pub(crate) loose: Loose,
}

impl System {
    /// Places the bodies.
    ///
    /// * `dt` — step \[s\]
    ///
    /// # Errors
    ///
    /// [`SystemError`] for an invalid pair, step or number of placements.
    pub fn new(
        bodies: Vec<RigidBody>,
        placements: &[Placement],
        pairs: &[PairSpec],
        gravity: Vector3<f64>,
        dt: f64,
    ) -> Result<Self, SystemError> {
        Self::with_crowds(bodies, placements, (pairs, &[]), gravity, dt)
    }

    /// Places the bodies; those of a crowd may touch each other.
    ///
    /// * `dt` — step \[s\]
    ///
    /// # Errors
    ///
    /// As [`System::new`], and for an invalid crowd or one whose bodies overlap.
    pub fn with_crowds(
        bodies: Vec<RigidBody>,
        placements: &[Placement],
        (pairs, crowds): (&[PairSpec], &[CrowdSpec]),
        gravity: Vector3<f64>,
        dt: f64,
    ) -> Result<Self, SystemError> {
        if bodies.len() != placements.len() {
            return Err(SystemError::Placements { bodies: bodies.len(), placements: placements.len() });
        }
        if !(dt.is_finite() && dt > 0.0) {
            return Err(SystemError::TimeStep(dt));
        }
        let prepared = |(number, spec)| Pair::new(number, spec, &bodies);
        let mut pairs: Vec<Pair> = pairs.iter().enumerate().map(prepared).collect::<Result<_, _>>()?;
        let states: Vec<State> = bodies.iter().zip(placements).map(|(b, p)| b.placed(p)).collect();
        for (body, state) in bodies.iter().zip(&states) {
            if !state.to_array().iter().all(|x| x.is_finite()) {
                return Err(SystemError::NotFinite { body: body.name.clone() });
            }
        }
        let [x, y, z] = gravity.into();
        if !gravity.iter().all(|g| g.is_finite()) {
            return Err(SystemError::Gravity { x, y, z });
        }
        let stages: Vec<Stage> = states.iter().map(Stage::new).collect();
        // Bodies that fall together without contact touch within 2 g dt², see `search`.
        let (n_bodies, slack) = (bodies.len(), gravity.norm() * dt * dt);
        let mut reports = vec![PairReport::default(); pairs.len()];
        let mut nearby = Nearby::new(&pairs, Crowds::new(crowds, &bodies)?, n_bodies, slack);
        nearby.restart(&bodies, (&mut pairs, &mut reports));
        nearby.update(&bodies, &states, &stages, (&mut pairs, &mut reports), true);
        let mut system = Self {
            stages,
            reports,
            bodies,
            gravity,
            books: Books::default(),
            dt,
            steps: 0,
            states,
            nearby,
            disturbed: (vec![false; n_bodies], false),
            deepest: 0.0,
            pairs,
            contacts: Vec::new(),
            redundant: Redundant::default(),
            joints: Joints::default(),
            stops: Stops::default(),
            joint_wrenches: Vec::new(),
            joint_impulses: Vec::new(),
            pressed: Pressed::default(),
            displaced: Displaced::default(),
            actions: Actions::default(),
            start_of_step: 0.0,
            impulses: Impulses::default(),
            spring_energy: 0.0,
            energies: [0.0; 2],
            n_impulses: 0,
            n_divided: 0,
            limited: Limited::default(),
            loose: Loose::default(),
        };
        system.check_overlaps()?;
        system.energies = [system.energy(); 2];
        system.reserve();
        Ok(system)
    }

    /// Checks that bodies do not overlap where they are: at the start, and where joints have moved bodies
    /// before the first step.
    ///
    /// # Errors
    ///
    /// [`PairError::Overlap`] of a pair that was given one by one, [`SystemError::Overlap`] of a crowd.
    pub fn check_overlaps(&mut self) -> Result<(), SystemError> {
        for pair in self.nearby.pairs().iter().map(|&number| number as usize) {
            if let Some(depth) = search::overlap(&mut self.pairs[pair], &self.states) {
                if self.pairs[pair].key[0] == 0 {
                    return Err(PairError::Overlap { pair, depth }.into());
                }
                let [first, second] = self.pairs[pair].bodies.map(|body| self.bodies[body].name.clone());
                return Err(SystemError::Overlap { first, second, depth });
            }
        }
        Ok(())
    }

    /// Reserves memory for as many simultaneous contacts as there are slots, up to a usual number; the
    /// lists grow if that is too little.
    fn reserve(&mut self) {
        let n = self.pairs.iter().map(|pair| pair.gaps.len()).sum::<usize>().min(FORESEEN);
        self.contacts.reserve(n);
        self.redundant.reserve(n);
        self.impulses.reserve(n, self.bodies.len());
    }

    /// Time reached: steps × dt \[s\].
    pub fn time(&self) -> f64 {
        self.steps as f64 * self.dt
    }

    /// dt \[s\].
    pub fn time_step(&self) -> f64 {
        self.dt
    }

    /// Number of steps.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// Makes the following steps of another length \[s\]. [`System::time`] is then that of nobody: it counts
    /// steps of the present length.
    ///
    /// # Panics
    ///
    /// If the length is not positive.
    pub fn set_time_step(&mut self, dt: f64) {
        assert!(dt > 0.0 && dt.is_finite(), "a step has a positive length");
        if dt != self.dt {
            self.dt = dt;
            // How long pairs cannot touch was counted in steps of the old length.
            self.pairs.iter_mut().for_each(|pair| pair.due = 0);
        }
    }

    /// Puts a body into a state.
    pub fn set_state(&mut self, body: usize, state: State) {
        self.states[body] = state;
        let load = self.stages[body].load();
        self.stages[body] = Stage::new(&state);
        self.stages[body].set_load(load, self.steps);
        self.pairs.iter_mut().for_each(|pair| pair.due = 0);
        self.nearby.restart(&self.bodies, (&mut self.pairs, &mut self.reports));
    }

    /// A force and a torque on a body in all following steps, until others are given: forces of bodies that
    /// are not of this system. Their impulses act where those of contacts do, at x_n + dt/2 v_n.
    ///
    /// * `force` — at the centre of mass, inertial axes \[N\]
    /// * `torque` — about it \[N m\]
    pub fn load(&mut self, body: usize, force: Vector3<f64>, torque: Vector3<f64>) {
        let load = [force, torque];
        if self.bodies[body].fixed || !self.stages[body].set_load(load, self.steps) {
            return;
        }
        // The bounds of its pairs held for its motion without the load.
        self.disturb(body);
    }

    /// Marks the bounds of the pairs of a body as out of date.
    pub(crate) fn disturb(&mut self, body: usize) {
        self.disturbed.0[body] = true;
        self.disturbed.1 = true;
    }

    /// Bounds of pairs hold again.
    pub(crate) fn undisturb(&mut self) {
        self.disturbed.0.fill(false);
        self.disturbed.1 = false;
    }

    /// Drops the bounds of the pairs of disturbed bodies. Those of pairs that are not near are dropped when
    /// the pairs come near.
    pub(crate) fn drop_bounds(&mut self) {
        let (disturbed, are_any) = &mut self.disturbed;
        if !std::mem::take(are_any) {
            return;
        }
        for &number in self.nearby.pairs() {
            let pair = &mut self.pairs[number as usize];
            if pair.bodies.iter().any(|&body| disturbed[body]) {
                pair.due = 0;
            }
        }
        disturbed.fill(false);
    }

    /// A body in the coming step without contact, with its load.
    ///
    /// # Errors
    ///
    /// [`TooFast`] if it turns too far in a step.
    pub fn free_motion(&self, body: usize) -> Result<FreeMotion, TooFast> {
        let (spec, state) = (&self.bodies[body], &self.states[body]);
        let mut stage = self.stages[body].clone();
        stage.predict(spec, state, &self.gravity, self.dt)?;
        stage.touched = false;
        stage.touch(state);
        let middle = Pose { position: stage.position_mid, rotation: stage.rot_mid };
        Ok(FreeMotion { middle, end: if spec.fixed { *state } else { stage.next } })
    }

    /// States of the bodies.
    pub fn states(&self) -> &[State] {
        &self.states
    }

    /// True if points touched in the last step.
    #[inline]
    pub fn has_contacts(&self) -> bool {
        !self.contacts.is_empty()
    }

    /// Numbers of the pairs that touched in the last step, in the order of its contacts; a pair may come
    /// several times.
    pub fn touching_pairs(&self) -> impl Iterator<Item = usize> + '_ {
        self.contacts.iter().filter_map(|contact| contact.pair)
    }

    /// Number of crowds.
    pub fn n_crowds(&self) -> usize {
        self.nearby.crowds.count()
    }

    /// The crowd of a pair with its bodies, that with the points first; none for a pair that was given one by
    /// one.
    pub fn crowd(&self, pair: usize) -> Option<(usize, [usize; 2])> {
        let [crowd, ..] = self.pairs[pair].key;
        (crowd > 0).then(|| (crowd as usize - 1, self.pairs[pair].bodies))
    }

    /// The bodies of a pair, that with the points first.
    pub fn bodies_of_pair(&self, pair: usize) -> [usize; 2] {
        self.pairs[pair].bodies
    }

    /// The numbers of the pairs of crowds that exist, in the order of crowds and bodies.
    pub fn crowd_pairs(&self) -> impl Iterator<Item = usize> + '_ {
        self.nearby.crowds.known()
    }

    /// The numbers of the pairs of a crowd between two bodies that exist, in both directions.
    pub fn pairs_of_crowd(&self, crowd: usize, bodies: [usize; 2]) -> impl Iterator<Item = usize> + '_ {
        self.nearby.crowds.between(crowd, bodies)
    }

    /// Calls `take` with each two bodies that may touch by their points, but not by their edges, as they have
    /// more than [`crate::MOST_EDGES`] pairs of edges: those of pairs, then those of crowds, whether or not
    /// they have met.
    pub fn for_without_edges(&self, mut take: impl FnMut([usize; 2])) {
        self.pairs.iter().filter(|pair| pair.is_without_edges).for_each(|pair| take(pair.bodies));
        self.nearby.crowds.for_without_edges(&self.bodies, take);
    }

    /// Normal law of a pair.
    pub fn law(&self, pair: usize) -> carom_contact::Law {
        self.pairs[pair].law
    }

    /// Impulses so far, one for each point and step.
    pub fn n_impulses(&self) -> u64 {
        self.n_impulses
    }

    /// Number of steps so far that were divided, as their contacts had no solution in one step.
    pub fn n_divided(&self) -> u64 {
        self.n_divided
    }

    /// Steps whose restitution was reduced because their impacts would have created energy.
    pub fn limited(&self) -> Limited {
        self.limited
    }

    /// Steps whose contacts had no solution in one step or in parts.
    pub fn loose(&self) -> Loose {
        self.loose
    }

    /// Smallest and largest energy with losses at the start of any step so far \[J\].
    pub fn energy_range(&self) -> [f64; 2] {
        self.energies
    }

    /// Contacts that no step has detected, by their pair: the deepest one of each.
    pub fn missed(&self) -> impl Iterator<Item = (usize, Missed)> {
        let pairs = self.pairs.iter().enumerate();
        pairs.filter(|(_, pair)| pair.missed.behind > 0.0).map(|(i, pair)| (i, pair.missed))
    }
}
