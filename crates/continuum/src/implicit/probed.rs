//! Probes of a run: the bodies and pairs at the end of a step, all of whose impulses have acted then.

use carom_dynamics::{
    BodyBalance, Observer, ObserverError, Pose, Probe, ProbeError, SampleTime, due_at_nearest,
};
use carom_fem::{PlaceRecovery, Stress};

use super::body::{ElasticBody, Energies, State};
use super::simulation::Simulation;
use super::system::Elastodynamics;
use crate::probes::{AtNodes, NodalBody, NodalPair, NodalScheme, StressOfProbes, nodal_probes};

impl Simulation {
    /// The same run with probes, which do not change it.
    ///
    /// # Errors
    ///
    /// [`ProbeError`] names the probe that does not fit the bodies.
    pub fn with_probes(self, probes: Vec<Probe>) -> Result<Self, ProbeError> {
        self.with_probes_of_stress(probes, StressOfProbes::new())
    }

    /// The same with probes of the stress.
    ///
    /// # Errors
    ///
    /// As [`Simulation::with_probes`]; [`ProbeError::NoStress`] for a probe of a stress without an entry.
    pub fn with_probes_of_stress(
        mut self,
        probes: Vec<Probe>,
        stresses: StressOfProbes,
    ) -> Result<Self, ProbeError> {
        let dt = self.settings.time_step;
        self.probes = nodal_probes(&self.system, (probes, stresses), dt)?;
        Ok(self)
    }

    /// Takes the impulses of a step, and hands over the samples that are due at its end.
    pub(super) fn sample(&mut self, observer: &mut dyn Observer) -> Result<(), ObserverError> {
        let (time, next) = (self.time, self.settings.time_step);
        let due = |count: u64, every: f64| due_at_nearest(time, next, count, every);
        let at = SampleTime { time, share: 1.0, due: &due };
        self.probes.step(&mut AtNodes(&mut self.system), at, observer)
    }
}

impl NodalScheme for Elastodynamics {
    fn n_bodies(&self) -> usize {
        self.bodies.len()
    }

    fn body(&self, number: usize) -> Option<NodalBody<'_>> {
        let ElasticBody { discretisation, state: State { u, v, .. }, .. } = &self.bodies[number];
        Some(NodalBody { points: &discretisation.points, u, v })
    }

    fn stress(&self, number: usize, place: &PlaceRecovery) -> Stress {
        self.bodies[number].stress(place)
    }

    fn wall(&self, _: usize) -> Pose {
        unreachable!("all bodies are deformable")
    }

    fn balance(&mut self, number: usize) -> BodyBalance {
        // The forces of the step were found at these displacements: no cell is inverted.
        let found = self.bodies[number].energies();
        let unknown = Energies { stored: f64::INFINITY, ..Energies::default() };
        let Energies { kinetic, stored, weight, momentum, ang_momentum } = found.unwrap_or(unknown);
        BodyBalance { e_kin: kinetic, e_el: stored, e_pot: weight, momentum, ang_momentum }
    }

    fn pairs(&self) -> impl Iterator<Item = NodalPair> + '_ {
        self.contacts.pairs.iter().map(|pair| NodalPair {
            number: pair.number,
            bodies: pair.bodies,
            impulse: pair.of_step.0,
            pressed: pair.of_step.1,
            least_gap: pair.least_gap,
        })
    }
}
