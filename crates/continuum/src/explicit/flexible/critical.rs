//! The critical step of a deformable body.

use carom_fem::Discretisation;
use carom_fem::constitutive::{Law, SolidLaw};
use carom_fem::internal_force::{ElementFrequencies, SweepError, element_frequencies, largest_stretch};
use nalgebra::Vector3;

use super::{Flexible, Inner};

/// A critical step \[s\] and the displacements at which it was found \[m\].
pub(in crate::explicit) struct Bounded {
    pub(in crate::explicit) critical: f64,
    pub(in crate::explicit) u: Vec<f64>,
}

impl Flexible {
    /// The largest step for which central differences are stable, 2/ω with a bound ω of the frequencies of
    /// the elements \[s\]. Infinite without cells.
    ///
    /// Bounds that cost as much as hundreds of steps are those of the last call while no distance within a
    /// cell has changed by more than `stretch`.
    pub(in crate::explicit) fn critical_step(&mut self, stretch: f64) -> Result<f64, SweepError> {
        if let Some(known) = &self.bounded
            && largest_stretch(&self.discretisation, &known.u, &self.u) <= stretch
        {
            return Ok(known.critical);
        }
        let critical = self.evaluate_critical_step()?;
        // Bounds with viscosity depend on the velocity too.
        if self.viscosities.is_empty() && ElementFrequencies::is_costly(&self.discretisation) {
            self.bounded = Some(Bounded { critical, u: self.u.clone() });
        }
        Ok(critical)
    }

    fn evaluate_critical_step(&mut self) -> Result<f64, SweepError> {
        let speed = if self.viscosities.is_empty() { 0.0 } else { self.largest_speed() };
        let Self { inner, laws, u, history, viscosities, .. } = self;
        match inner {
            Inner::Solid(solid) => {
                let (internal, lumped) = &mut **solid;
                let frequencies = element_frequencies(internal, laws, u, history, lumped)?;
                if viscosities.is_empty() {
                    return Ok(frequencies.critical_step());
                }
                Ok(internal.viscous_critical_step(&frequencies, viscosities, speed))
            }
            Inner::Structural(turning) => Ok(turning.critical_step(u)),
        }
    }

    /// The largest velocity of a point relative to the centre of mass \[m/s\].
    fn largest_speed(&self) -> f64 {
        let total: f64 = self.mass.iter().sum();
        let velocity = |p: usize| Vector3::from_column_slice(&self.v[3 * p..3 * p + 3]);
        let mean = (0..self.mass.len()).map(|p| self.mass[p] * velocity(p)).sum::<Vector3<f64>>() / total;
        (0..self.mass.len()).map(|p| (velocity(p) - mean).norm()).fold(0.0, f64::max)
    }

    /// The largest velocity of pressure waves of its materials \[m/s\].
    pub(in crate::explicit) fn largest_wave_speed(&self) -> f64 {
        let blocks = self.discretisation.blocks.iter().zip(&self.laws);
        blocks.map(|(block, law)| wave_speed(&self.discretisation, block, law)).fold(0.0, f64::max)
    }
}

/// √((λ + 2μ)/ρ) of a block \[m/s\].
pub(super) fn wave_speed(discretisation: &Discretisation, block: &carom_fem::Block, law: &SolidLaw) -> f64 {
    (law.elastic_moduli().p_wave() / discretisation.materials[block.material].density).sqrt()
}
