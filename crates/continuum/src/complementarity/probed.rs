//! Probes of a run: the bodies and pairs at the end of a step, all of whose impulses have acted then.

use carom_dynamics::{
    BodyBalance, Observer, ObserverError, Placement, Pose, Probe, ProbeError, SampleTime, due_at_nearest,
    rotation,
};
use carom_fem::{PlaceRecovery, Stress};
use nalgebra::Vector3;

use super::body::{Energies, State};
use super::setup::Wall;
use super::simulation::Simulation;
use crate::probes::{AtNodes, NodalBody, NodalPair, NodalScheme, StressOfProbes, nodal_probes};

impl Simulation {
    /// The same run with probes, which do not change it. The places of markers of walls have their origin in
    /// the centre of mass, in axes of the source geometry.
    ///
    /// # Errors
    ///
    /// [`ProbeError`] names the probe that does not fit the bodies.
    pub fn with_probes(self, probes: Vec<Probe>) -> Result<Self, ProbeError> {
        self.with_probes_of_stress(probes, StressOfProbes::new())
    }

    /// The same with probes of the stress, which is that of linear elasticity.
    ///
    /// # Errors
    ///
    /// As [`Simulation::with_probes`]; [`ProbeError::NoStress`] for a probe of a stress without an entry.
    pub fn with_probes_of_stress(
        mut self,
        probes: Vec<Probe>,
        stresses: StressOfProbes,
    ) -> Result<Self, ProbeError> {
        self.probes = nodal_probes(&self, (probes, stresses), self.settings.time_step)?;
        Ok(self)
    }

    /// Takes the impulses of a step, and hands over the samples that are due at its end.
    pub(super) fn sample(&mut self, observer: &mut dyn Observer) -> Result<(), ObserverError> {
        let (time, length) = (self.time, self.settings.time_step);
        let due = |count: u64, every: f64| due_at_nearest(time, length, count, every);
        let at = SampleTime { time, share: 1.0, due: &due };
        let mut probes = std::mem::take(&mut self.probes);
        let taken = probes.step(&mut AtNodes(self), at, observer);
        self.probes = probes;
        taken
    }
}

impl NodalScheme for Simulation {
    fn n_bodies(&self) -> usize {
        self.which.len()
    }

    fn body(&self, number: usize) -> Option<NodalBody<'_>> {
        let body = &self.system.bodies[self.which[number]?];
        let State { u, v, .. } = &body.state;
        Some(NodalBody { points: &body.discretisation.points, u, v })
    }

    fn stress(&self, number: usize, place: &PlaceRecovery) -> Stress {
        let body = self.which[number].expect("the stress is that of a deformable body");
        self.system.bodies[body].stress(place)
    }

    fn wall(&self, number: usize) -> Pose {
        let Wall { placement: Placement { origin, quaternion, .. }, center, .. } = Self::wall(self, number);
        let rotation = rotation::matrix(quaternion);
        Pose { position: Vector3::from(*origin) + rotation * center, rotation }
    }

    fn balance(&mut self, number: usize) -> BodyBalance {
        let Some(body) = self.which[number] else { return BodyBalance::default() };
        let Energies { kinetic, stored, weight, momentum, ang_momentum } =
            self.system.bodies[body].energies();
        BodyBalance {
            e_kin: kinetic,
            e_el: stored,
            e_pot: weight,
            momentum: momentum.into(),
            ang_momentum: ang_momentum.into(),
        }
    }

    fn pairs(&self) -> impl Iterator<Item = NodalPair> + '_ {
        self.system.contacts.pairs.iter().map(|pair| NodalPair {
            number: pair.number,
            bodies: pair.named,
            impulse: pair.history.of_step.0,
            pressed: pair.history.of_step.1,
            least_gap: pair.history.least_gap,
        })
    }
}
