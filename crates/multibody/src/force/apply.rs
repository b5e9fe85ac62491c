//! Elements of a system: their forces on bodies and modes, their energy and losses.

use nalgebra::Vector3;

use super::law::Response;
use super::{ForceElement, ForceElements, ForceLaw, Memory, Spring, Stops};
use crate::applied::AppliedForces;
use crate::bodies::BodiesAt;
use crate::joint::{Coordinate, JointEnd, Place};

/// Forces, energy and loss of an element at a state.
pub(crate) struct Action {
    /// Force and torque on each end, inertial axes.
    pub(crate) wrenches: [(Vector3<f64>, Vector3<f64>); 2],
    pub(crate) places: [Place; 2],
    energy: f64,
    loss: f64,
    /// Distances from its stops.
    gaps: [f64; 2],
    /// None for a bushing.
    pub(crate) along: Option<ElementAction>,
}

/// Action of an element along its coordinate.
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
    fn places(&self, at: BodiesAt<'_>) -> [Place; 2] {
        self.ends.each_ref().map(|end| Place::of(end, at))
    }

    fn act(&self, at: BodiesAt<'_>, memory: &Memory) -> Action {
        let places = self.places(at);
        let [first, second] = &places;
        match &self.law {
            ForceLaw::Along { coordinate, spring, stops } => {
                let now = coordinate.at(first, second);
                let value = coordinate.counted(now.value, memory.angle);
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

impl ForceElements {
    /// Bodies that an element connects.
    pub(crate) fn couplings(&self) -> impl Iterator<Item = [usize; 2]> {
        self.all.iter().filter_map(|element| match element.ends.each_ref().map(|end| end.body) {
            [Some(a), Some(b)] => Some([a, b]),
            _ => None,
        })
    }

    /// Adds the forces of all elements.
    pub(crate) fn apply(&mut self, at: BodiesAt<'_>, applied: &mut AppliedForces) {
        let AppliedForces { on_bodies, flows } = applied;
        for ((element, memory), gaps) in self.all.iter().zip(&self.memory).zip(&mut self.gaps) {
            let action = element.act(at, memory);
            flows.damping += action.loss;
            *gaps = action.gaps;
            let from_ground = element.ends.iter().any(|end| end.body.is_none());
            for ((end, place), (force, torque)) in
                element.ends.iter().zip(&action.places).zip(action.wrenches)
            {
                let Some(body) = end.body else { continue };
                let moment = place.position.cross(&force) + torque;
                let total = &mut on_bodies[body];
                total.force += force;
                total.moment += moment;
                add_modal(end, place, at, [&force, &torque], &mut total.modal);
                if from_ground {
                    flows.add_from_ground(&force, &moment);
                }
            }
        }
    }

    /// Calls `visit` with each element and its action at a state.
    pub(crate) fn for_actions(&self, at: BodiesAt<'_>, mut visit: impl FnMut(&ForceElement, &Action)) {
        for (element, memory) in self.all.iter().zip(&self.memory) {
            visit(element, &element.act(at, memory));
        }
    }

    /// Calls `visit` with the point and the force of each element on a body.
    pub(crate) fn for_forces_on(
        &self,
        body: usize,
        at: BodiesAt<'_>,
        visit: &mut dyn FnMut(&Vector3<f64>, &Vector3<f64>),
    ) {
        for (element, memory) in self.all.iter().zip(&self.memory) {
            if element.ends.iter().any(|end| end.body == Some(body)) {
                let action = element.act(at, memory);
                for k in (0..2).filter(|&k| element.ends[k].body == Some(body)) {
                    visit(&action.places[k].position, &action.wrenches[k].0);
                }
            }
        }
    }

    /// Energy of springs, stops and bushings at a state \[J\].
    pub(crate) fn energy(&self, at: BodiesAt<'_>) -> f64 {
        let all = self.all.iter().zip(&self.memory);
        all.map(|(element, memory)| element.act(at, memory).energy).sum()
    }

    /// Takes the angles and gaps of an accepted state as those from which the next step starts.
    pub(crate) fn remember(&mut self, at: BodiesAt<'_>) {
        for number in 0..self.all.len() {
            self.memory[number] = self.memory_at(number, at);
        }
        self.stored = self.energy(at);
    }

    /// The memory of an element at a state that follows the last one by less than half a turn.
    pub(super) fn memory_at(&self, number: usize, at: BodiesAt<'_>) -> Memory {
        let ForceLaw::Along { coordinate, stops, .. } = self.all[number].law else {
            return Memory::default();
        };
        let [first, second] = self.all[number].places(at);
        let now = coordinate.at(&first, &second);
        let value = coordinate.counted(now.value, self.memory[number].angle);
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
    at: BodiesAt<'_>,
    [force, torque]: [&Vector3<f64>; 2],
    modal: &mut [f64],
) {
    let Some(body) = end.body else { return };
    let a = &at.pose(body).rotation;
    let force_b = a.tr_mul(force);
    let torque_b = place.tangent.tr_mul(&a.tr_mul(torque));
    for (mode, modal) in modal.iter_mut().enumerate() {
        let [phi, psi] = end.marker.shape(mode, at.modal(body));
        *modal += phi.dot(&force_b) + psi.dot(&torque_b);
    }
}
