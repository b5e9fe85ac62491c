//! Elements of a system: their forces on bodies and modes, their energy and losses.

use nalgebra::Vector3;

use super::law::Response;
use super::{Elements, ForceElement, ForceLaw, Memory, Spring, Stops};
use crate::contact::BodyForces;
use crate::joint::{Bodies, Coordinate, JointEnd, Place, within_a_turn};
use crate::system::{Flows, System};
use crate::system_error::RateError;

/// What an element does at a state.
pub(crate) struct Action {
    /// Force and torque on each end, inertial axes.
    pub(crate) wrenches: [(Vector3<f64>, Vector3<f64>); 2],
    pub(crate) places: [Place; 2],
    energy: f64,
    loss: f64,
    /// What is left to its stops.
    gaps: [f64; 2],
    /// None for a bushing.
    pub(crate) along: Option<ElementAction>,
}

/// What an element does along its coordinate.
pub(crate) struct ElementAction {
    pub(crate) coordinate: Coordinate,
    /// u, angles with their turns \[m or rad\].
    pub(crate) value: f64,
    /// u̇ \[m/s or rad/s\].
    pub(crate) rate: f64,
    /// Q of spring and damper \[N or N m\], if there are.
    pub(crate) spring: Option<f64>,
    /// Q of stops \[N or N m\], if there are.
    pub(crate) stop: Option<f64>,
}

impl ForceElement {
    fn places(&self, state: &Bodies<'_>) -> [Place; 2] {
        self.ends.each_ref().map(|end| state.place(end))
    }

    fn act(&self, state: &Bodies<'_>, memory: &Memory) -> Action {
        let places = self.places(state);
        let [first, second] = &places;
        match &self.law {
            ForceLaw::Along { coordinate, spring, stops } => {
                let now = coordinate.at(first, second);
                let value = counted(*coordinate, now.value, memory.angle);
                let rate = now.rate(first, second);
                let Response { force, energy, loss } = spring.at(value, rate);
                let stop = stops.map_or(Response::default(), |stops| stops.at(value, rate));
                let along = Some(ElementAction {
                    coordinate: *coordinate,
                    value,
                    rate,
                    spring: (*spring != Spring::NONE).then_some(force),
                    stop: stops.map(|_| stop.force),
                });
                let force = force + stop.force;
                let [x_i, w_i, x_j, w_j] = now.jacobian.map(|g| force * g);
                let wrenches = [(x_i, w_i), (x_j, w_j)];
                let gaps = gaps_of(stops.as_ref(), value);
                Action { wrenches, places, energy: energy + stop.energy, loss: loss + stop.loss, gaps, along }
            }
            ForceLaw::Bushing(bushing) => {
                let wrench = bushing.at(first, second);
                let lever = (second.position - first.position).cross(&wrench.force);
                let wrenches = [(-wrench.force, -(wrench.torque + lever)), (wrench.force, wrench.torque)];
                Action {
                    wrenches,
                    places,
                    energy: wrench.energy,
                    loss: wrench.loss,
                    gaps: [f64::INFINITY; 2],
                    along: None,
                }
            }
        }
    }
}

fn gaps_of(stops: Option<&Stops>, value: f64) -> [f64; 2] {
    stops.map_or([f64::INFINITY; 2], |stops| stops.gaps(value))
}

/// The angle nearest to that of the last accepted state; other coordinates as they are.
fn counted(coordinate: Coordinate, value: f64, angle: f64) -> f64 {
    if coordinate.is_angle() { angle + within_a_turn(value - angle) } else { value }
}

impl Elements {
    /// Adds the forces of all elements.
    pub(crate) fn apply(&mut self, state: &Bodies<'_>, forces: &mut [BodyForces], flows: &mut Flows) {
        for ((element, memory), gaps) in self.all.iter().zip(&self.memory).zip(&mut self.gaps) {
            let action = element.act(state, memory);
            flows.damping += action.loss;
            *gaps = action.gaps;
            let from_ground = element.ends.iter().any(|end| end.body.is_none());
            for ((end, place), (force, torque)) in
                element.ends.iter().zip(&action.places).zip(action.wrenches)
            {
                let Some(body) = end.body else { continue };
                let moment = place.position.cross(&force) + torque;
                let total = &mut forces[body];
                total.force += force;
                total.moment += moment;
                add_modal(end, place, state, [&force, &torque], &mut total.modal);
                // What a held body gets from the ground is counted here, and given back with its own
                // momentum.
                if from_ground {
                    flows.impulse += force;
                    flows.ang_impulse += moment;
                }
            }
        }
    }

    /// What an element does at a state.
    pub(crate) fn action(&self, number: usize, state: &Bodies<'_>) -> Action {
        self.all[number].act(state, &self.memory[number])
    }

    /// Energy of all elements \[J\].
    pub(crate) fn energy(&self, state: &Bodies<'_>) -> f64 {
        let all = self.all.iter().zip(&self.memory);
        all.map(|(element, memory)| element.act(state, memory).energy).sum()
    }

    /// What is to be remembered of an element at a state that follows the last one by less than half a turn.
    pub(crate) fn memory_at(&self, number: usize, state: &Bodies<'_>) -> Memory {
        let ForceLaw::Along { coordinate, stops, .. } = self.all[number].law else {
            return Memory::default();
        };
        let [first, second] = self.all[number].places(state);
        let now = coordinate.at(&first, &second);
        let value = counted(coordinate, now.value, self.memory[number].angle);
        Memory {
            angle: if coordinate.is_angle() { value } else { 0.0 },
            gaps: gaps_of(stops.as_ref(), value),
        }
    }
}

/// φᵀ f + ψᵀ Jᵀ τ in body axes.
fn add_modal(
    end: &JointEnd,
    place: &Place,
    state: &Bodies<'_>,
    [force, torque]: [&Vector3<f64>; 2],
    modal: &mut [f64],
) {
    let Some(body) = end.body else { return };
    let a = &state.poses[body].rotation;
    let force_b = a.tr_mul(force);
    let torque_b = place.tangent.tr_mul(&a.tr_mul(torque));
    let shapes = end.marker.displacement.iter().zip(&end.marker.rotation);
    for (modal, (phi, psi)) in modal.iter_mut().zip(shapes) {
        *modal += Vector3::from(*phi).dot(&force_b) + Vector3::from(*psi).dot(&torque_b);
    }
}

impl System {
    /// Forces of the elements at y, for which [`System::set_state`] was called.
    pub(crate) fn apply_elements(&mut self, time: f64, y: &[f64]) {
        let (bodies, layout) = (&self.bodies[..], &self.layout);
        let (poses, kinetics) = (&self.poses[..], &self.kinetics[..]);
        let state = Bodies { bodies, layout, poses, kinetics, y, time };
        self.elements.apply(&state, &mut self.forces, &mut self.flows);
    }

    /// Energy of springs, stops and bushings at y, for which [`System::set_state`] was called \[J\].
    pub fn spring_energy(&self, y: &[f64]) -> f64 {
        self.elements.energy(&self.bodies_at(y))
    }

    pub(crate) fn bodies_at<'a>(&'a self, y: &'a [f64]) -> Bodies<'a> {
        let Self { bodies, layout, poses, kinetics, .. } = self;
        Bodies { bodies, layout, poses, kinetics, y, time: 0.0 }
    }

    /// Angles of the elements with their whole turns, for checkpoints.
    pub(crate) fn angles(&self) -> Vec<f64> {
        self.elements.memory.iter().map(|memory| memory.angle).collect()
    }

    /// Takes back what [`System::angles`] gave.
    pub(crate) fn set_angles(&mut self, angles: &[f64]) {
        self.elements.memory.iter_mut().zip(angles).for_each(|(memory, angle)| memory.angle = *angle);
    }

    /// Takes the angles and gaps of an accepted state y as those from which the next step starts.
    pub(crate) fn remember_elements(&mut self, y: &[f64]) -> Result<(), RateError> {
        if self.elements.is_empty() {
            return Ok(());
        }
        self.set_state(y)?;
        for number in 0..self.elements.all.len() {
            self.elements.memory[number] = self.elements.memory_at(number, &self.bodies_at(y));
        }
        self.elements.stored = self.spring_energy(y);
        Ok(())
    }
}
