//! Probes of schemes whose forces are impulses of steps: samples at the ends of steps.
//!
//! Impulses act within a step and change velocities at once, so that accelerations and forces are means since
//! the sample before:
//!
//! ```text
//! a = (v_n − v_m)/(t_n − t_m) ,     F = ((1 − θ_m) J_m + Σ J_k + θ_n J_n)/(t_n − t_m) ,   m < k < n
//! ```
//!
//! J_n is the impulse of the step that a sample at t_n belongs to, and θ_n the part of it that has acted
//! before t_n: 1 if the step ends there, about ½ in central differences, whose step goes from t_{n−1/2} to
//! t_{n+1/2}. Sums of a mean times its interval are then exact changes of velocity and exact impulses, for
//! any interval and across impacts. Where a motion is smooth, a mean is the value in the middle of its
//! interval to second order. The first sample has no interval: its means are not known.
//!
//! A scheme has a place P for each probe, and [`Probed`] evaluates it.

use nalgebra::{Matrix3, Vector3};

use crate::checkpoint::{Checkpoint, CheckpointError};
use crate::load::Axes;
use crate::observer::{Observer, ObserverError};
use crate::probe::{Probe, ProbeError, ProbePlace, ProbePlaces, ProbeQuantity, ProbeSample, ProbedStress};
use crate::state::BodyBalance;

/// Names of the entries in checkpoints.
const COUNTS: &str = "probe_counts";
const MEANS: &str = "probe_means";

/// Numbers of a probe in the second entry: the time of its last sample, and its memory.
const N_MEANS: usize = 7;

/// The motion of a point at a sample.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ProbedPoint {
    /// Position \[m\].
    pub position: Vector3<f64>,
    /// Displacement since the start \[m\].
    pub displacement: Vector3<f64>,
    /// Velocity \[m/s\].
    pub velocity: Vector3<f64>,
    /// Angular velocity of its body there; 0 of a point that has none \[rad/s\].
    pub angular_velocity: Vector3<f64>,
    /// Rotation from the axes of its body to inertial ones.
    pub rotation: Matrix3<f64>,
}

/// A scheme at the end of a step, as its probes see it.
pub trait Probed<P> {
    /// The motion of a point.
    fn point(&self, place: &P) -> ProbedPoint;

    /// Energies and momenta of a body.
    ///
    /// * `needs_elastic` — false to leave its elastic energy out, which may cost a sweep over all cells
    fn balance(&mut self, place: &P, needs_elastic: bool) -> BodyBalance;

    /// Smallest gap of a contact; infinite while it is not known \[m\].
    fn gap(&self, place: &P) -> f64;

    /// The stress at a point; none where it is not known.
    ///
    /// * `axes` — of its components
    fn stress(&mut self, place: &P, axes: Axes) -> Option<ProbedStress> {
        let _ = (place, axes);
        None
    }

    /// Force and moment in a section of a beam; none at other places \[N, N m\].
    fn section(&self, place: &P) -> Option<[Vector3<f64>; 2]> {
        let _ = place;
        None
    }

    /// Impulses of the present step: of a joint on its second body and its moment, of a contact on its first
    /// body and, as the first number of the second vector, the size of its normal impulse, of a body the
    /// impulse of all of its contacts \[N s\], \[N m s\].
    fn impulses(&self, place: &P) -> [Vector3<f64>; 2];
}

/// The time of possible samples.
#[derive(Clone, Copy)]
pub struct SampleTime<'a> {
    /// Time \[s\].
    pub time: f64,
    /// θ: the part of the impulses of the present step that has acted before.
    pub share: f64,
    /// Number of samples with the one at this time, if it is due, by the number of samples so far and the
    /// time between them \[s\].
    pub due: &'a dyn Fn(u64, f64) -> Option<u64>,
}

impl std::fmt::Debug for SampleTime<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SampleTime").field("time", &self.time).field("share", &self.share).finish()
    }
}

/// Number of samples with the one at the end of a step, if the step is the nearest one to the time of the
/// next sample. Multiples that a long step has passed have no sample.
///
/// * `count` — samples so far, from the start on
/// * `length` — of the next step \[s\]
/// * `every` — time between samples \[s\]
pub fn due_at_nearest(time: f64, length: f64, count: u64, every: f64) -> Option<u64> {
    let reached = time + 0.5 * length;
    (reached > count as f64 * every).then(|| (count + 1).max((reached / every) as u64 + 1))
}

/// The probes of a run.
#[derive(Debug)]
pub struct MeanProbes<P> {
    all: Vec<Sampled<P>>,
    /// Values of one sample.
    values: Vec<[f64; 3]>,
}

#[derive(Debug)]
struct Sampled<P> {
    probe: Probe,
    place: P,
    /// Samples so far.
    count: u64,
    /// Time of the last one \[s\].
    time: f64,
    /// Of a point its velocity and the angular velocity at the last sample; since then, the sums of
    /// [`Probed::impulses`].
    memory: [Vector3<f64>; 2],
}

impl<P> Default for MeanProbes<P> {
    fn default() -> Self {
        Self { all: Vec::new(), values: Vec::new() }
    }
}

impl<P> MeanProbes<P> {
    /// Probes with their places.
    ///
    /// * `places` — those of the system
    /// * `dt` — length of a step \[s\]
    /// * `place` — the place of a probe, by its number; it refuses a place without the stress that is wanted
    ///
    /// # Errors
    ///
    /// [`ProbeError`] names the probe that does not fit.
    pub fn new(
        probes: Vec<Probe>,
        places: ProbePlaces,
        dt: f64,
        mut place: impl FnMut(usize, &Probe) -> Result<P, ProbeError>,
    ) -> Result<Self, ProbeError> {
        let mut all = Vec::with_capacity(probes.len());
        for (number, probe) in probes.into_iter().enumerate() {
            probe.check(number, places)?;
            if let Some(every) = probe.every.filter(|&every| every < dt) {
                return Err(ProbeError::ShorterThanSteps { probe: number, every, dt });
            }
            let place = place(number, &probe)?;
            all.push(Sampled { probe, place, count: 0, time: 0.0, memory: [Vector3::zeros(); 2] });
        }
        let longest = all.iter().map(|sampled| sampled.probe.quantities.len()).max().unwrap_or(0);
        Ok(Self { all, values: vec![[0.0; 3]; longest] })
    }

    /// True without probes.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Hands over the samples that are due in the present step, and takes its impulses. Allocates nothing.
    ///
    /// # Errors
    ///
    /// The error of the observer.
    pub fn step(
        &mut self,
        source: &mut impl Probed<P>,
        at: SampleTime<'_>,
        observer: &mut dyn Observer,
    ) -> Result<(), ObserverError> {
        let Self { all, values } = self;
        for (number, sampled) in all.iter_mut().enumerate() {
            let of_step = match sampled.sums() {
                true => source.impulses(&sampled.place),
                false => [Vector3::zeros(); 2],
            };
            let count = match sampled.probe.every {
                Some(every) => (at.due)(sampled.count, every),
                None => Some(sampled.count + 1),
            };
            if let Some(count) = count {
                let values = &mut values[..sampled.probe.quantities.len()];
                sampled.write(source, at, &of_step, values);
                sampled.count = count;
                observer.probe(&ProbeSample { probe: number, time: at.time, values })?;
            }
            if sampled.sums() {
                (0..2).for_each(|i| sampled.memory[i] += of_step[i]);
            }
        }
        Ok(())
    }

    /// Adds what the next samples need to a checkpoint; nothing without probes.
    pub fn save(&self, checkpoint: &mut Checkpoint) {
        if self.is_empty() {
            return;
        }
        let counts = self.all.iter().map(|sampled| sampled.count);
        checkpoint.put_integers(COUNTS, &counts.collect::<Vec<_>>());
        let numbers = |sampled: &Sampled<P>| {
            let [first, second] = sampled.memory.map(<[f64; 3]>::from);
            [&[sampled.time], &first[..], &second[..]].concat()
        };
        checkpoint.put_reals(MEANS, &self.all.iter().flat_map(numbers).collect::<Vec<_>>());
    }

    /// Continues after the samples of a checkpoint.
    ///
    /// # Errors
    ///
    /// [`CheckpointError`] if it is of a run with other probes.
    pub fn restore(&mut self, checkpoint: &Checkpoint) -> Result<(), CheckpointError> {
        if self.is_empty() {
            return Ok(());
        }
        let (counts, expected) = (checkpoint.integers(COUNTS)?, self.all.len());
        if counts.len() != expected {
            let (name, found) = (COUNTS.to_owned(), counts.len());
            return Err(CheckpointError::Length { name, found, expected });
        }
        let numbers = checkpoint.reals_of(MEANS, N_MEANS * expected)?.as_chunks::<N_MEANS>().0;
        for (sampled, (count, numbers)) in self.all.iter_mut().zip(counts.iter().zip(numbers)) {
            (sampled.count, sampled.time) = (*count, numbers[0]);
            sampled.memory = [1, 4].map(|i: usize| Vector3::from_column_slice(&numbers[i..i + 3]));
        }
        Ok(())
    }
}

impl<P> Sampled<P> {
    /// True if its memory has sums of impulses.
    fn sums(&self) -> bool {
        match self.probe.place {
            ProbePlace::Point { .. } | ProbePlace::Points { .. } => false,
            ProbePlace::Body(_) => self.probe.quantities.contains(&ProbeQuantity::ContactForce),
            ProbePlace::Joint(_) | ProbePlace::Contact(_) | ProbePlace::ContactOfAll { .. } => true,
        }
    }

    /// Values of a sample; the next means begin there.
    fn write(
        &mut self,
        source: &mut impl Probed<P>,
        SampleTime { time, share, .. }: SampleTime<'_>,
        of_step: &[Vector3<f64>; 2],
        values: &mut [[f64; 3]],
    ) {
        let since = if self.count > 0 { time - self.time } else { 0.0 };
        self.time = time;
        match self.probe.place {
            ProbePlace::Point { axes, .. } => self.write_point(source, axes, since, values),
            ProbePlace::Points { .. } => self.write_point(source, Axes::Inertial, since, values),
            ProbePlace::Body(_) => {
                let quantities = &self.probe.quantities;
                let needs_elastic = quantities.contains(&ProbeQuantity::ElasticEnergy);
                let needs_balance = quantities.iter().any(|own| *own != ProbeQuantity::ContactForce);
                let own = match needs_balance {
                    true => source.balance(&self.place, needs_elastic),
                    false => BodyBalance::default(),
                };
                let force = mean(self.memory[0] + share * of_step[0], since);
                for (quantity, value) in quantities.iter().zip(values) {
                    *value = match quantity {
                        ProbeQuantity::KineticEnergy => [own.e_kin, 0.0, 0.0],
                        ProbeQuantity::ElasticEnergy => [own.e_el, 0.0, 0.0],
                        ProbeQuantity::PotentialEnergy => [own.e_pot, 0.0, 0.0],
                        ProbeQuantity::Momentum => own.momentum,
                        ProbeQuantity::ContactForce => force,
                        _ => own.ang_momentum,
                    };
                }
            }
            ProbePlace::Joint(_) | ProbePlace::Contact(_) | ProbePlace::ContactOfAll { .. } => {
                let means = [0, 1].map(|i| mean(self.memory[i] + share * of_step[i], since));
                for (quantity, value) in self.probe.quantities.iter().zip(values) {
                    *value = match quantity {
                        ProbeQuantity::Gap => [source.gap(&self.place), 0.0, 0.0],
                        ProbeQuantity::Torque | ProbeQuantity::NormalForce => means[1],
                        _ => means[0],
                    };
                }
            }
        }
        if self.sums() {
            self.memory = of_step.map(|impulse| -share * impulse);
        }
    }

    fn write_point(&mut self, source: &mut impl Probed<P>, axes: Axes, since: f64, values: &mut [[f64; 3]]) {
        let stress = self.probe.has_stress().then(|| source.stress(&self.place, axes)).flatten();
        let section = self.probe.has_section().then(|| source.section(&self.place)).flatten();
        let section = section.unwrap_or([Vector3::repeat(f64::INFINITY); 2]);
        let point = source.point(&self.place);
        let turned = |vector: Vector3<f64>| match axes {
            Axes::Inertial => vector,
            Axes::Body => point.rotation.tr_mul(&vector),
        };
        for (quantity, value) in self.probe.quantities.iter().zip(values) {
            *value = match quantity {
                ProbeQuantity::NormalStress | ProbeQuantity::ShearStress | ProbeQuantity::VonMises => {
                    ProbedStress::value(stress.as_ref(), *quantity)
                }
                ProbeQuantity::SectionForce => section[0].into(),
                ProbeQuantity::SectionMoment => section[1].into(),
                ProbeQuantity::Position => turned(point.position).into(),
                ProbeQuantity::Displacement => turned(point.displacement).into(),
                ProbeQuantity::Velocity => turned(point.velocity).into(),
                ProbeQuantity::AngularVelocity => turned(point.angular_velocity).into(),
                ProbeQuantity::Acceleration => mean(turned(point.velocity - self.memory[0]), since),
                _ => mean(turned(point.angular_velocity - self.memory[1]), since),
            };
        }
        self.memory = [point.velocity, point.angular_velocity];
    }
}

/// A sum over time as a mean; not known without an interval.
fn mean(sum: Vector3<f64>, since: f64) -> [f64; 3] {
    if since > 0.0 { (sum / since).into() } else { [f64::INFINITY; 3] }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_are_at_the_nearest_steps_and_long_steps_pass_some() {
        // Steps of 0.4: multiples of 1 are nearest to 0, 1.2 (as 0.8 is as near), 2.0, 2.8, 4.0.
        let steps: Vec<f64> = (0..11).map(|k| 0.4 * f64::from(k)).collect();
        let sampled = |steps: &[f64], length: f64| {
            let mut count = 0;
            let mut due =
                |time: f64| due_at_nearest(time, length, count, 1.0).inspect(|next| count = *next).is_some();
            steps.iter().copied().filter(|&time| due(time)).collect::<Vec<_>>()
        };
        let found = sampled(&steps, 0.4);
        assert_eq!(found.len(), 5);
        for (k, time) in found.iter().enumerate() {
            assert!((time - k as f64).abs() < 0.2 + 1e-12, "{found:?}");
        }
        // Steps of 2.5: one sample each, and none is made up for.
        assert_eq!(sampled(&[0.0, 2.5, 5.0], 2.5), [0.0, 2.5, 5.0]);
        assert_eq!(due_at_nearest(5.0, 0.1, 6, 1.0), None);
    }
}
