//! Bodies under loads as a system of ordinary differential equations in momenta (decision 2).
//!
//! ```text
//! ṙ = A v         ḃ = ½ b ⊗ (0, ω)       q̇                     from (Aᵀ P, Aᵀ (L − r × P), p) = M(q) (v, ω, q̇)
//! Ṗ = Σ f         L̇ = Σ x × f + τ        ṗ = ∂T/∂q − K̄ q − D q̇ + Σ φᵀ Aᵀ f + ψᵀ Aᵀ τ
//! ```

use crate::body::Body;
use crate::contact::{BodyForces, ContactModel, ContactSums, Reaction};
use crate::floating_frame::FloatingFrame;
use crate::force::{Elements, apply_point_load};
use crate::joint::{Accelerations, Constraints};
use crate::kinetics::Kinetics;
use crate::layout::{Layout, put, quaternion, vector};
use crate::second_order::Directions;
use crate::system_error::{RateError, SystemError};
use carom_dynamics::{Loads, Placement, PointLoad, Pose, rotation};
use carom_integrate::{Ode, SecondOrder};
use nalgebra::Vector3;

/// Bodies, loads, contact pairs and workspace.
#[derive(Debug)]
pub struct System {
    /// The bodies.
    pub bodies: Vec<Body>,
    /// Gravity, forces and torques.
    pub loads: Loads,
    /// Surfaces that may touch. Pairs are numbered through all models.
    pub contacts: Vec<Box<dyn ContactModel>>,
    /// Joints and what they hold.
    pub(crate) constraints: Constraints,
    /// Springs, stops and bushings.
    pub(crate) elements: Elements,
    /// Where velocities lie in increments.
    pub(crate) directions: Directions,
    /// Accelerations under the forces that are applied.
    pub(crate) free: Vec<Accelerations>,
    /// Generalised forces on the modes of one body.
    free_forces: Vec<f64>,
    /// Where each quantity lies in y.
    pub layout: Layout,
    /// What the pairs did at the last evaluation.
    pub(crate) reactions: Vec<Reaction>,
    /// Model and number within it of each pair.
    pub(crate) pair_of: Vec<(usize, usize)>,
    /// Energies of contact at the last evaluation.
    pub(crate) contact_sums: ContactSums,
    pub(crate) contact_forces: Vec<BodyForces>,
    /// Those of a unit of one row.
    pub(crate) row_forces: Vec<BodyForces>,
    /// True while forces are wanted without those of contacts that tell of their rows.
    pub(crate) leaves_out_contacts: bool,
    /// Pose of each body at the last evaluation.
    pub(crate) poses: Vec<Pose>,
    /// Mass matrix and velocities of each body at the last evaluation.
    pub(crate) kinetics: Vec<Kinetics>,
    pub(crate) forces: Vec<BodyForces>,
    /// Rates of J, H, W_ext, D_mat.
    pub(crate) flows: Flows,
}

/// Rates of the integrals.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Flows {
    pub(crate) impulse: Vector3<f64>,
    pub(crate) ang_impulse: Vector3<f64>,
    pub(crate) work: f64,
    pub(crate) damping: f64,
}

impl System {
    /// A system of bodies under loads, with contact between some.
    ///
    /// # Errors
    ///
    /// [`SystemError`] if a load or a pair does not fit the bodies.
    pub fn new(
        bodies: Vec<Body>,
        loads: Loads,
        contacts: Vec<Box<dyn ContactModel>>,
    ) -> Result<Self, SystemError> {
        let models = contacts.iter().enumerate();
        let pair_of: Vec<_> = models.flat_map(|(m, model)| (0..model.pairs()).map(move |k| (m, k))).collect();
        for (pair, &(model, local)) in pair_of.iter().enumerate() {
            let [a, b] = contacts[model].bodies(local);
            if a == b || a.max(b) >= bodies.len() {
                return Err(SystemError::Pair { pair, bodies: [a, b], count: bodies.len() });
            }
        }
        for (load, PointLoad { body, marker, .. }) in loads.point_loads.iter().enumerate() {
            let count = bodies.len();
            let of = bodies.get(*body).ok_or(SystemError::NoSuchBody { load, body: *body, bodies: count })?;
            for found in [marker.displacement.len(), marker.rotation.len()] {
                if found != of.frame.n {
                    let expected = of.frame.n;
                    return Err(SystemError::Marker { load, body: of.name.clone(), found, expected });
                }
            }
        }
        let modes: Vec<usize> = bodies.iter().map(|body| body.frame.n).collect();
        let pose = Pose { position: Vector3::zeros(), rotation: nalgebra::Matrix3::identity() };
        let forces: Vec<_> = modes.iter().map(|&n| BodyForces::none(n)).collect();
        let free = |&n: &usize| Accelerations {
            translation: Vector3::zeros(),
            rotation: Vector3::zeros(),
            modal: vec![0.0; n],
        };
        let layout = Layout::new(modes.clone(), pair_of.len());
        Ok(Self {
            constraints: Constraints::default(),
            directions: Directions::new(&bodies, &layout),
            elements: Elements::default(),
            free: modes.iter().map(free).collect(),
            free_forces: vec![0.0; modes.iter().copied().max().unwrap_or(0)],
            poses: vec![pose; bodies.len()],
            kinetics: modes.iter().map(|&n| Kinetics::new(n)).collect(),
            contact_forces: forces.clone(),
            row_forces: forces.clone(),
            leaves_out_contacts: false,
            forces,
            reactions: vec![Reaction::NONE; pair_of.len()],
            layout,
            contact_sums: ContactSums::default(),
            pair_of,
            contacts,
            bodies,
            loads,
            flows: Flows::default(),
        })
    }

    /// State vector of bodies placed undeformed.
    ///
    /// # Errors
    ///
    /// [`SystemError::Placements`].
    pub fn initial_state(&self, placements: &[Placement]) -> Result<Vec<f64>, SystemError> {
        if placements.len() != self.bodies.len() {
            return Err(SystemError::Placements { placements: placements.len(), bodies: self.bodies.len() });
        }
        let layout = &self.layout;
        let mut y = vec![0.0; layout.dim()];
        for (i, (body, placement)) in self.bodies.iter().zip(placements).enumerate() {
            let state = body.placed(placement);
            let n = body.frame.n;
            put(&mut y, layout.position(i), &state.position);
            y[layout.quaternion(i)..layout.quaternion(i) + 4].copy_from_slice(&state.quaternion);
            y[layout.modal(i)..layout.modal(i) + n].copy_from_slice(&state.modal);
            if !body.fixed {
                put(&mut y, layout.momentum(i), &state.momentum);
                put(&mut y, layout.ang_momentum(i), &state.ang_momentum);
                y[layout.modal_momentum(i)..layout.modal_momentum(i) + n]
                    .copy_from_slice(&state.modal_momentum);
            }
        }
        Ok(y)
    }

    /// Poses, mass matrices and velocities at y.
    ///
    /// # Errors
    ///
    /// [`RateError::Mass`].
    pub fn set_state(&mut self, y: &[f64]) -> Result<(), RateError> {
        let layout = &self.layout;
        for (i, body) in self.bodies.iter().enumerate() {
            let n = body.frame.n;
            let position = vector(y, layout.position(i));
            let a = rotation::matrix(&quaternion(y, layout.quaternion(i)));
            self.poses[i] = Pose { position, rotation: a };
            let q = &y[layout.modal(i)..layout.modal(i) + n];
            let p = &y[layout.modal_momentum(i)..layout.modal_momentum(i) + n];
            let kinetics = &mut self.kinetics[i];
            kinetics.set_modal(&body.frame, q);
            if body.fixed {
                kinetics.solve_fixed(&body.frame, p);
                continue;
            }
            let momentum = vector(y, layout.momentum(i));
            let spin = vector(y, layout.ang_momentum(i)) - position.cross(&momentum);
            kinetics
                .factorise(&body.frame, q)
                .map_err(|source| RateError::Mass { body: body.name.clone(), source })?;
            kinetics.solve_free(&body.frame, &a.tr_mul(&momentum), &a.tr_mul(&spin), p);
        }
        Ok(())
    }

    /// Angular velocity of a body frame in its own axes, at the state that was set last \[rad/s\].
    pub fn angular_velocity_b(&self, body: usize) -> Vector3<f64> {
        self.kinetics[body].velocities.omega
    }

    /// Gravity, forces and torques, and what they and damping do to the integrals.
    fn apply_loads(&mut self, time: f64, y: &[f64]) {
        self.flows = Flows::default();
        let g = self.loads.gravity();
        for (i, body) in self.bodies.iter().enumerate() {
            let forces = &mut self.forces[i];
            let pose = &self.poses[i];
            if body.fixed {
                forces.force = Vector3::zeros();
                forces.moment = Vector3::zeros();
            } else {
                forces.force = body.frame.mass * g;
                let moment_of_mass =
                    body.frame.mass * pose.position + pose.rotation * self.kinetics[i].first_moment;
                forces.moment = moment_of_mass.cross(&g);
                self.flows.impulse += forces.force;
                self.flows.ang_impulse += forces.moment;
            }
            let g_b = pose.rotation.tr_mul(&g);
            let q = &y[self.layout.modal(i)..self.layout.modal(i) + body.frame.n];
            let rates = &self.kinetics[i].velocities.modal;
            let FloatingFrame { coupling_t, stiffness_modal, damping_modal, .. } = &body.frame;
            for k in 0..body.frame.n {
                let ct = vector(coupling_t, 3 * k);
                let elastic = stiffness_modal.row_times(k, q);
                let damping = damping_modal.as_ref().map_or(0.0, |damping| damping.row_times(k, rates));
                forces.modal[k] = ct.dot(&g_b) - elastic - damping;
                self.flows.damping += damping * rates[k];
            }
        }
        for load in &self.loads.point_loads {
            let body = &self.bodies[load.body];
            apply_point_load(
                load,
                load.scale.at(time).value,
                body,
                &self.poses[load.body],
                &y[self.layout.modal(load.body)..],
                &self.kinetics[load.body],
                &mut self.forces[load.body],
                &mut self.flows,
            );
        }
    }

    /// The first time after `time` at which a load or a drive has a kink, as far as that is known.
    pub(crate) fn next_kink(&self, time: f64) -> f64 {
        let scales = self.loads.point_loads.iter().map(|load| &load.scale);
        let courses = self.constraints.drives.iter().map(|drive| &drive.course);
        scales.chain(courses).map(|function| function.next_kink(time)).fold(f64::INFINITY, f64::min)
    }

    /// Number of contact pairs.
    pub fn pairs(&self) -> usize {
        self.pair_of.len()
    }

    /// Indices of the two bodies of a pair.
    pub fn pair_bodies(&self, pair: usize) -> [usize; 2] {
        let (model, local) = self.pair_of[pair];
        self.contacts[model].bodies(local)
    }

    /// All forces but the reactions of the joints, at y.
    pub(crate) fn apply_forces(&mut self, time: f64, y: &[f64]) -> Result<(), RateError> {
        self.set_state(y)?;
        self.evaluate_contacts(y)?;
        self.apply_known(time, y);
        Ok(())
    }

    /// Forces of loads, elements and contact, which follow from the state alone.
    fn apply_known(&mut self, time: f64, y: &[f64]) {
        self.apply_loads(time, y);
        self.apply_elements(time, y);
        self.apply_contacts();
    }

    /// Finds the multipliers of the joints by their accelerations.
    fn solve_joints(&mut self, time: f64, y: &[f64]) -> Result<(), RateError> {
        self.factorise_joints(time, y)?;
        self.set_free_accelerations();
        self.constraints.react(&self.free);
        Ok(())
    }

    /// Adds the reactions −Gᵀ λ of the joints to the forces on the bodies.
    pub(crate) fn apply_reactions(&mut self) {
        let flows = &mut self.flows;
        flows.work += self.constraints.drive_power();
        // What a held body gets from the ground is counted here, and given back with its own momentum.
        self.constraints.apply(&mut self.forces, |force, moment| {
            flows.impulse += force;
            flows.ang_impulse += moment;
        });
    }

    /// Forces on the bodies, those of the joints last, at y, for which [`System::set_state`] and
    /// [`System::evaluate_contacts`] were called.
    pub(crate) fn apply_all(&mut self, time: f64, y: &[f64]) -> Result<(), RateError> {
        self.apply_known(time, y);
        if !self.constraints.is_empty() {
            self.solve_joints(time, y)?;
            self.apply_reactions();
        }
        Ok(())
    }

    /// (a₀, ω̇, q̈) = M⁻¹ (h − h_ω) of each body under the forces that are applied, THEORY (1.1).
    pub(crate) fn set_free_accelerations(&mut self) {
        let all = self.bodies.iter().zip(&mut self.kinetics).zip(&self.poses).zip(&self.forces);
        for ((((body, kinetics), pose), forces), free) in all.zip(&mut self.free) {
            let modal = &mut self.free_forces[..body.frame.n];
            if body.fixed {
                Kinetics::apply_inverse_modal_mass(&body.frame, &forces.modal, &mut free.modal);
                continue;
            }
            let (translation, rotation) = kinetics.quadratic_forces(&body.frame, modal);
            modal.iter_mut().zip(&forces.modal).for_each(|(h, force)| *h = force - *h);
            let force = pose.rotation.tr_mul(&forces.force) - translation;
            let moment = forces.moment - pose.position.cross(&forces.force);
            let moment = pose.rotation.tr_mul(&moment) - rotation;
            (free.translation, free.rotation) =
                kinetics.apply_inverse_mass(&body.frame, &force, &moment, modal, &mut free.modal);
        }
    }

    /// ẏ from velocities and forces.
    pub(crate) fn write_rates(&mut self, y: &[f64], rate: &mut [f64]) {
        let layout = &self.layout;
        for (i, body) in self.bodies.iter().enumerate() {
            let n = body.frame.n;
            let kinetics = &mut self.kinetics[i];
            let velocities = &kinetics.velocities;
            put(rate, layout.position(i), &(self.poses[i].rotation * velocities.v));
            let b = layout.quaternion(i);
            rate[b..b + 4].copy_from_slice(&rotation::rate(&quaternion(y, b), &velocities.omega));
            rate[layout.modal(i)..layout.modal(i) + n].copy_from_slice(&velocities.modal);
            put(rate, layout.momentum(i), &self.forces[i].force);
            put(rate, layout.ang_momentum(i), &self.forces[i].moment);
            let p = &mut rate[layout.modal_momentum(i)..layout.modal_momentum(i) + n];
            p.copy_from_slice(&self.forces[i].modal);
            kinetics.add_kinetic_force(&body.frame, p);
        }
        put(rate, layout.external_impulse(), &self.flows.impulse);
        put(rate, layout.external_ang_impulse(), &self.flows.ang_impulse);
        rate[layout.work()] = self.flows.work;
        rate[layout.damping()] = self.flows.damping;
        for (pair, reaction) in self.reactions.iter().enumerate() {
            put(rate, layout.pair_impulse(pair), &reaction.force);
            put(rate, layout.friction_impulse(pair), &reaction.friction.unwrap_or_default());
        }
    }
}

impl Ode for System {
    type Error = RateError;

    fn dim(&self) -> usize {
        self.layout.dim()
    }

    /// All but impulses, work and damping.
    fn coupled(&self) -> usize {
        self.layout.first_integral()
    }

    fn rate(&mut self, time: f64, y: &[f64], rate: &mut [f64]) -> Result<(), RateError> {
        self.set_state(y)?;
        self.evaluate_contacts(y)?;
        self.apply_all(time, y)?;
        self.write_rates(y, rate);
        Ok(())
    }

    fn second_order(&mut self) -> Option<&mut dyn SecondOrder<Error = RateError>> {
        Some(self)
    }
}
