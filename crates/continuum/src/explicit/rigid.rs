//! The rigid bodies of a run: the system of `carom-rigid`, with forces from deformable bodies as loads.
//!
//! A step of that system goes from t_{n−1/2} to t_{n+1/2}, and its impulses act at x_{n−1/2} + ½ dt̃
//! v_{n−1/2}: the position at t_n in central differences. The system itself solves pairs of rigid bodies in
//! two phases, after the forces of deformable bodies are known.

use carom_dynamics::{Axes, Balance, BodyMotion, BodyState, JointState, Pose, rotation};
use carom_rigid::{Contacts, CrowdSpec, FreeMotion, JointSpec, PairSpec, RigidBody, Snapshot, State, System};
use nalgebra::{Matrix3, Vector3};

use super::joint_means::JointMeans;
use super::problem::{BodyKind, Problem};
use super::rigid_loads::{RigidLoad, loads};
use super::which::Which;
use super::{SetupError, StepError};

/// The rigid bodies.
pub(super) struct RigidBodies {
    pub(super) system: System,
    /// Number of each body in the problem.
    pub(super) numbers: Vec<usize>,
    /// Their contacts with each other.
    pub(super) contacts: Contacts,
    loads: Vec<RigidLoad>,
    /// The coming step without contact.
    motions: Vec<FreeMotion>,
    /// Poses at t_{n+1} without contact, axes of [`RigidBody`].
    pub(super) ahead: Vec<Pose>,
    /// Forces of loads, and of contacts with deformable bodies: force and torque about the centre of mass
    /// \[N\], \[N m\].
    outer: Vec<[Vector3<f64>; 2]>,
    pub(super) contact: Vec<[Vector3<f64>; 2]>,
    /// Parts of the contact forces: of penalties, and of friction.
    parts: [Vec<[Vector3<f64>; 2]>; 2],
    /// Balances at t_{n−1/2} and t_{n+1/2}.
    pub(super) balances: [Balance; 2],
    /// States at t_0, and at t_{n−1/2}.
    pub(super) at_start: Vec<State>,
    pub(super) behind: Vec<State>,
    /// Works and impulses of loads, and of contacts with deformable bodies, up to t_{n−1/2} and t_{n+1/2}.
    pub(super) outer_sums: [LoadSums; 2],
    pub(super) contact_sums: [LoadSums; 2],
    /// Works of penalties and of friction, parts of those of contacts, up to both times \[J\].
    pub(super) part_works: [[f64; 2]; 2],
    /// Joints with equations that repeat those of others at the start, and how many.
    pub(super) repeated: Vec<(String, usize)>,
    pub(super) joint_means: JointMeans,
    trial: Trial,
}

/// Balances, and sums over loads and contacts, of [`RigidBodies`].
type AllSums = ([Balance; 2], [LoadSums; 2], [LoadSums; 2], [[f64; 2]; 2]);

/// A step that can be taken back.
#[derive(Default)]
struct Trial {
    system: Snapshot,
    sums: AllSums,
    /// Ends of the step without impacts of rigid bodies.
    expected: Vec<(usize, State)>,
    /// Velocities that these impacts add.
    pushed: Vec<[Vector3<f64>; 2]>,
}

/// The origin of a contact force on a rigid body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Origin {
    /// A multiplier.
    Hard,
    /// The spring of a penalty.
    Penalty,
    /// Friction.
    Friction,
}

/// Works and impulses of forces on rigid bodies.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct LoadSums {
    pub(super) work: f64,
    pub(super) impulse: Vector3<f64>,
    pub(super) ang_impulse: Vector3<f64>,
}

impl RigidBodies {
    /// The rigid bodies of a problem at their start positions.
    pub(super) fn new(problem: &Problem, which: &[Which]) -> Result<Self, SetupError> {
        let (mut bodies, mut placements, mut numbers) = (Vec::new(), Vec::new(), Vec::new());
        for (number, spec) in problem.bodies.iter().enumerate() {
            if let BodyKind::Rigid(body) = &spec.kind {
                bodies.push(body.clone());
                placements.push(spec.placement);
                numbers.push(number);
            }
        }
        let own = |number: usize| match which[number] {
            Which::Rigid(k) => k,
            Which::Flexible(_) => unreachable!("pairs of rigid bodies have rigid bodies"),
        };
        let (mut contacts, mut specs) = (Contacts::default(), Vec::new());
        for spec in &problem.rigid_contacts {
            contacts.add_pairs(spec.number, spec.bodies[0], spec.pairs.iter().map(|pair| pair.bodies));
            let renumbered = |pair: &PairSpec| PairSpec { bodies: pair.bodies.map(own), ..pair.clone() };
            specs.extend(spec.pairs.iter().map(renumbered));
        }
        let gravity = Vector3::from(problem.gravity);
        let mut crowd_specs: Vec<CrowdSpec> = Vec::new();
        for (number, crowd) in &problem.rigid_crowds {
            contacts.add_crowd(*number);
            let mut crowd = crowd.clone();
            crowd.members.iter_mut().for_each(|member| member.body = own(member.body));
            crowd.apart.iter_mut().for_each(|pair| *pair = pair.map(own));
            crowd_specs.push(crowd);
        }
        let mut system = System::with_crowds(bodies, &placements, (&specs, &crowd_specs), gravity, 1.0)?;
        let mut joints = Vec::new();
        for joint in &problem.joints {
            let mut joint: JointSpec = joint.clone();
            for body in joint.ends.iter_mut().filter_map(|end| end.body.as_mut()) {
                match which.get(*body) {
                    Some(Which::Rigid(k)) => *body = *k,
                    _ => {
                        let name = problem.bodies.get(*body).map(|body| body.geometry.name.clone());
                        let (joint, body) = (joint.name.clone(), name.unwrap_or_default());
                        return Err(SetupError::JointOnDeformable { joint, body });
                    }
                }
            }
            joints.push(joint);
        }
        if !joints.is_empty() {
            system.join(&joints)?;
        }
        let loads = loads(problem, which, &system)?;
        let n = system.bodies.len();
        let balance = system.balance();
        let repeated = system.repeated_equations().into_iter().map(|(joint, n)| (joint.to_owned(), n));
        Ok(Self {
            repeated: repeated.collect(),
            joint_means: JointMeans::new(&mut system),
            at_start: system.states().to_vec(),
            behind: system.states().to_vec(),
            numbers,
            contacts,
            loads,
            motions: Vec::with_capacity(n),
            ahead: Vec::with_capacity(n),
            outer: vec![[Vector3::zeros(); 2]; n],
            contact: vec![[Vector3::zeros(); 2]; n],
            parts: [0, 1].map(|_| vec![[Vector3::zeros(); 2]; n]),
            part_works: [[0.0; 2]; 2],
            trial: Trial { pushed: vec![[Vector3::zeros(); 2]; n], ..Trial::default() },
            balances: [balance; 2],
            outer_sums: [LoadSums::default(); 2],
            contact_sums: [LoadSums::default(); 2],
            system,
        })
    }

    /// Sets the states at t_{−1/2}: half a step back, with momenta before the impulses of gravity and loads.
    pub(super) fn start(&mut self, dt: f64, gravity: &Vector3<f64>) -> Result<(), SetupError> {
        let half = 0.5 * dt;
        self.load(0.0);
        for k in 0..self.system.bodies.len() {
            let (body, mut state) = (&self.system.bodies[k], self.system.states()[k]);
            if body.fixed {
                continue;
            }
            let [force, torque] = self.outer[k];
            state.momentum -= half * (body.mass * gravity + force);
            state.spin -= half * torque;
            state.position -= half * state.momentum / body.mass;
            let omega_b = rotation::matrix(&state.quaternion).tr_mul(&body.angular_velocity(&state));
            let back = rotation::from_vector(&(-half * omega_b));
            state.quaternion = rotation::product(&state.quaternion, &back);
            rotation::normalise(&mut state.quaternion);
            self.system.set_state(k, state);
        }
        self.system.close_joints()?;
        self.balances = [self.system.balance(); 2];
        Ok(())
    }

    /// Sets the loads at a time; contact forces are zero.
    pub(super) fn load(&mut self, time: f64) {
        self.outer.fill([Vector3::zeros(); 2]);
        self.contact.fill([Vector3::zeros(); 2]);
        self.parts.iter_mut().for_each(|forces| forces.fill([Vector3::zeros(); 2]));
        for load in &self.loads {
            let turn = rotation::matrix(&self.system.states()[load.body].quaternion);
            let scale = load.scale.at(time).value;
            let turned = |v: Vector3<f64>| scale * if load.axes == Axes::Body { turn * v } else { v };
            let (force, arm) = (turned(load.force), turn * load.place_b);
            let sum = &mut self.outer[load.body];
            sum[0] += force;
            sum[1] += turned(load.torque) + arm.cross(&force);
        }
        for (k, [force, torque]) in self.outer.iter().enumerate() {
            self.system.load(k, *force, *torque);
        }
    }

    /// Predicts the step without contact, and the motion from its end to t_{n+1}.
    pub(super) fn predict(&mut self, time: f64, dt_mean: f64, dt: f64) -> Result<(), StepError> {
        self.system.set_time_step(dt_mean);
        self.motions.clear();
        self.ahead.clear();
        for (k, body) in self.system.bodies.iter().enumerate() {
            let motion = self.system.free_motion(k).map_err(|source| StepError::TooFast {
                time,
                body: body.name.clone(),
                source,
            })?;
            self.motions.push(motion);
            self.ahead.push(if body.fixed { motion.middle } else { pose_after(body, &motion.end, 0.5 * dt) });
        }
        Ok(())
    }

    /// Pose of a body by its state.
    pub(super) fn pose(&self, body: usize) -> Pose {
        let state = &self.system.states()[body];
        Pose { position: state.position, rotation: rotation::matrix(&state.quaternion) }
    }

    /// Pose at t_n of a body.
    pub(super) fn now(&self, body: usize) -> &Pose {
        &self.motions[body].middle
    }

    /// Velocity at t_{n+1/2} without contact of a place of a body \[m/s\].
    pub(super) fn velocity_ahead(&self, body: usize, place: &Vector3<f64>) -> Vector3<f64> {
        let (spec, motion) = (&self.system.bodies[body], &self.motions[body]);
        if spec.fixed {
            return Vector3::zeros();
        }
        let omega = spec.angular_velocity(&motion.end);
        motion.end.momentum / spec.mass + omega.cross(&(place - motion.middle.position))
    }

    /// Inverse mass and inverse inertia in inertial axes at t_n; zero for a fixed body.
    pub(super) fn mobility(&self, body: usize) -> (f64, Matrix3<f64>) {
        let spec = &self.system.bodies[body];
        if spec.fixed {
            return (0.0, Matrix3::zeros());
        }
        let turn = self.motions[body].middle.rotation;
        let inverse = Matrix3::from_diagonal(&spec.inertia.map(|j| 1.0 / j));
        (1.0 / spec.mass, turn * inverse * turn.transpose())
    }

    /// Adds a contact force at an arm from the centre of mass at t_n.
    pub(super) fn push(&mut self, body: usize, force: &Vector3<f64>, arm: &Vector3<f64>, origin: Origin) {
        let [penalty, friction] = &mut self.parts;
        let part = match origin {
            Origin::Hard => None,
            Origin::Penalty => Some(&mut penalty[body]),
            Origin::Friction => Some(&mut friction[body]),
        };
        for sum in std::iter::once(&mut self.contact[body]).chain(part) {
            sum[0] += force;
            sum[1] += arm.cross(force);
        }
    }

    /// True if pairs of rigid bodies may move bodies that touch deformable ones in the same step.
    pub(super) fn has_pairs(&self) -> bool {
        self.system.has_pairs()
    }

    /// A step that can be taken back, and the velocities that impacts of rigid bodies add to their bodies in
    /// it.
    ///
    /// * `bodies` — those whose velocities are asked for
    /// * `is_first` — false after [`RigidBodies::take_back`]
    pub(super) fn try_step(
        &mut self,
        bodies: impl Iterator<Item = usize>,
        is_first: bool,
    ) -> Result<(), StepError> {
        self.set_loads();
        self.trial.expected.clear();
        for body in bodies {
            // Bodies that turn too far are an error of the step itself.
            let end = self.system.free_motion(body).map(|motion| motion.end);
            self.trial.expected.extend(end.ok().map(|end| (body, end)));
        }
        if is_first {
            self.system.snapshot_into(&mut self.trial.system);
            self.trial.sums = (self.balances, self.outer_sums, self.contact_sums, self.part_works);
        }
        self.step()?;
        self.trial.pushed.fill([Vector3::zeros(); 2]);
        for (body, expected) in &self.trial.expected {
            let (spec, state) = (&self.system.bodies[*body], &self.system.states()[*body]);
            if !spec.fixed {
                let linear = (state.momentum - expected.momentum) / spec.mass;
                let angular = spec.angular_velocity(state) - spec.angular_velocity(expected);
                self.trial.pushed[*body] = [linear, angular];
            }
        }
        Ok(())
    }

    /// Velocity and angular velocity that impacts of rigid bodies add to a body in the step that was tried.
    pub(super) fn pushed(&self, body: usize) -> &[Vector3<f64>; 2] {
        &self.trial.pushed[body]
    }

    /// Takes the step back.
    pub(super) fn take_back(&mut self) {
        self.system.go_back(&self.trial.system);
        (self.balances, self.outer_sums, self.contact_sums, self.part_works) = self.trial.sums;
    }

    fn set_loads(&mut self) {
        for (k, (outer, contact)) in self.outer.iter().zip(&self.contact).enumerate() {
            self.system.load(k, outer[0] + contact[0], outer[1] + contact[1]);
        }
    }

    /// Completes the step of all rigid bodies with the accumulated contact forces.
    pub(super) fn step(&mut self) -> Result<(), StepError> {
        self.set_loads();
        self.behind.copy_from_slice(self.system.states());
        self.system.step()?;
        self.balances = [self.balances[1], self.system.balance()];
        self.outer_sums[0] = self.outer_sums[1];
        self.contact_sums[0] = self.contact_sums[1];
        self.part_works[0] = self.part_works[1];
        let dt = self.system.time_step();
        for (k, body) in self.system.bodies.iter().enumerate().filter(|(_, body)| !body.fixed) {
            let (behind, ahead) = (&self.behind[k], &self.system.states()[k]);
            let velocity = 0.5 * (behind.momentum + ahead.momentum) / body.mass;
            let omega_b =
                |s: &State| rotation::matrix(&s.quaternion).tr_mul(&s.spin).component_div(&body.inertia);
            let (turn, omega_b) =
                (rotation::matrix(&behind.quaternion), 0.5 * (omega_b(behind) + omega_b(ahead)));
            let place = self.motions[k].middle.position;
            let work = |[force, torque]: [Vector3<f64>; 2]| {
                dt * (force.dot(&velocity) + turn.tr_mul(&torque).dot(&omega_b))
            };
            for (sum, forces) in self.part_works[1].iter_mut().zip(&self.parts) {
                *sum += work(forces[k]);
            }
            for (sums, [force, torque]) in
                [(&mut self.outer_sums[1], self.outer[k]), (&mut self.contact_sums[1], self.contact[k])]
            {
                sums.work += work([force, torque]);
                sums.impulse += dt * force;
                sums.ang_impulse += dt * (place.cross(&force) + torque);
            }
        }
        Ok(())
    }

    /// The motion at t_{n−1/2}, seen from a place.
    pub(super) fn motion(&self, body: usize, place: &Vector3<f64>) -> BodyMotion {
        let (spec, state) = (&self.system.bodies[body], &self.behind[body]);
        let omega = spec.angular_velocity(state);
        let velocity = state.momentum / spec.mass + omega.cross(&(place - state.position));
        BodyMotion { velocity, omega, momentum: (!spec.fixed).then_some(state.momentum) }
    }

    /// Mean forces of joints in a frame at t_n.
    ///
    /// * `share` — θ of [`super::books`]
    pub(super) fn joint_states(&mut self, time: f64, share: f64) -> Vec<JointState> {
        self.joint_means.hand_over(&self.system, time, share)
    }

    /// The state of a body at t_n, in the part θ of the step, but for its momenta.
    ///
    /// * `share` — θ of [`super::books`]
    pub(super) fn placed(&self, body: usize, share: f64) -> State {
        let (behind, ahead) = (&self.behind[body], &self.system.states()[body]);
        let way = share * self.system.time_step() * behind.momentum / self.system.bodies[body].mass;
        let mut quaternion =
            std::array::from_fn(|i| (1.0 - share) * behind.quaternion[i] + share * ahead.quaternion[i]);
        rotation::normalise(&mut quaternion);
        State { position: behind.position + way, quaternion, ..*ahead }
    }

    /// Reported state at t_n: the pose, and the velocity between those before and after.
    ///
    /// * `share` — θ of [`super::books`]
    pub(super) fn reported(&self, share: f64) -> Vec<BodyState> {
        let each = self.system.bodies.iter().enumerate().map(|(k, body)| {
            let behind = body.reported(&self.behind[k]);
            let ahead = body.reported(&self.system.states()[k]);
            let mean =
                |a: [f64; 3], b: [f64; 3]| std::array::from_fn(|d| (1.0 - share) * a[d] + share * b[d]);
            BodyState {
                velocity: mean(behind.velocity, ahead.velocity),
                angular_velocity: mean(behind.angular_velocity, ahead.angular_velocity),
                ..body.reported(&self.placed(k, share))
            }
        });
        each.collect()
    }
}

/// The pose of a body after a time of free motion.
fn pose_after(body: &RigidBody, state: &State, time: f64) -> Pose {
    let omega_b = rotation::matrix(&state.quaternion).tr_mul(&state.spin).component_div(&body.inertia);
    let mut quaternion = rotation::product(&state.quaternion, &rotation::from_vector(&(time * omega_b)));
    rotation::normalise(&mut quaternion);
    Pose {
        position: state.position + time * state.momentum / body.mass,
        rotation: rotation::matrix(&quaternion),
    }
}
