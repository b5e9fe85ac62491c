//! The contacts of a static problem: between meshes that resolve them, or on half-space grids.

use carom_contact::half_space::pair::PairError;
use carom_contact::submodel::{BodyState, WarmState};
use carom_dynamics::ContactState;
use carom_progress::Progress;
use faer::Mat;
use nalgebra::{DVector, Matrix3, Vector3};

use super::body::StaticBody;
use super::contact::StaticContact;
use super::grids::GridContact;
use super::outcome::{ForceFrom, PairOutcome, pair_forces, pair_outcomes};
use super::problem::Problem;
use super::state::{contact_states, zone_forces};
use super::{EquilibriumError, RimPressure, SetupError};

/// Rounds in which grids follow the contact.
const ROUNDS: usize = 12;

/// The contacts of all pairs.
pub(super) enum Contacts {
    /// Zones of meshes.
    Zones(Box<StaticContact>),
    /// Half-space grids.
    Grids(Box<GridContact>),
}

/// Forces from which the next solution starts.
pub(super) enum Warm {
    Zones(Box<WarmState>),
    Grids(Vec<f64>),
}

impl Contacts {
    /// The contacts of a problem; `None` if it has none.
    pub(super) fn new(
        problem: &Problem,
        bodies: &[StaticBody],
        progress: &dyn Progress,
    ) -> Result<Option<Self>, SetupError> {
        let Some(first) = problem.contacts.first() else { return Ok(None) };
        if let Some(other) = problem.contacts.iter().find(|other| other.on_grid != first.on_grid) {
            let (grid, mesh) = if first.on_grid { (first, other) } else { (other, first) };
            let names = [grid, mesh].map(|spec| spec.names(bodies).join(", "));
            let [grid, mesh] = names;
            return Err(SetupError::MixedCompliance { grid, mesh });
        }
        if first.on_grid {
            return Ok(Some(Self::Grids(Box::new(GridContact::new(problem, bodies, progress)?))));
        }
        Ok(StaticContact::new(problem, bodies, progress)?.map(|zones| Self::Zones(Box::new(zones))))
    }

    /// Number of pairs.
    pub(super) fn len(&self) -> usize {
        match self {
            Self::Zones(zones) => zones.pairs.len(),
            Self::Grids(grids) => grids.pairs.len(),
        }
    }

    /// `BODY:SET` of both surfaces of a pair.
    pub(super) fn surfaces(&self, pair: usize) -> Option<&[String; 2]> {
        match self {
            Self::Zones(zones) => Some(&zones.pairs.get(pair)?.surfaces),
            Self::Grids(grids) => Some(&grids.pairs.get(pair)?.surfaces),
        }
    }

    /// Contact at given motions. After an error its forces are as before.
    pub(super) fn evaluate(
        &mut self,
        bodies: &[StaticBody],
        step: usize,
        part: f64,
        motion: &[Vec<f64>],
    ) -> Result<(), EquilibriumError> {
        let contact = match self {
            Self::Zones(contact) => contact,
            Self::Grids(grids) => {
                let names = |grids: &GridContact| grids.pairs[0].surfaces.clone();
                return grids.evaluate(bodies, part, motion).map_err(|source| {
                    EquilibriumError::grid(step, &names(grids), PairError::from(source).into())
                });
            }
        };
        contact.place(bodies, part, motion);
        let StaticContact { model, warm, work, sides, .. } = &mut **contact;
        let states: Vec<BodyState<'_>> = sides
            .iter()
            .map(|side| BodyState {
                rot_ib: Matrix3::identity(),
                r_ib_i: Vector3::zeros(),
                positions_b: &side.positions,
                twist: None,
            })
            .collect();
        let mut trial = warm.clone();
        model.solve(&states, &mut trial, work).map_err(|source| contact.failed(step, source))?;
        contact.warm = trial;
        Ok(())
    }

    /// The present start of solutions.
    pub(super) fn warm(&self) -> Warm {
        match self {
            Self::Zones(zones) => Warm::Zones(Box::new(zones.warm.clone())),
            Self::Grids(grids) => Warm::Grids(grids.warm()),
        }
    }

    /// Takes back an earlier start.
    pub(super) fn restore_warm(&mut self, warm: Warm) {
        match (self, warm) {
            (Self::Zones(zones), Warm::Zones(warm)) => zones.warm = *warm,
            (Self::Grids(grids), Warm::Grids(forces)) => grids.restore_warm(forces),
            _ => unreachable!("contacts do not change their kind"),
        }
    }

    /// Elastic and penalty energy of the contact \[J\].
    pub(super) fn energy(&self) -> f64 {
        match self {
            Self::Zones(zones) => zones.work.solution.energy(),
            Self::Grids(grids) => grids.energy(),
        }
    }

    /// Energy of the penalties \[J\].
    pub(super) fn penalty_energy(&self) -> f64 {
        match self {
            Self::Zones(zones) => zones.work.solution.penalty_energy(),
            Self::Grids(grids) => grids.penalty_energy(),
        }
    }

    /// Elastic energy that is not in the strain of the meshes \[J\].
    pub(super) fn local_energy(&self) -> f64 {
        match self {
            Self::Zones(_) => 0.0,
            Self::Grids(grids) => grids.local_energy(),
        }
    }

    /// Largest penetration \[m\].
    pub(super) fn penetration(&self) -> f64 {
        match self {
            Self::Zones(zones) => {
                zones.work.solution.pairs.iter().map(|pair| pair.penetration).fold(0.0, f64::max)
            }
            Self::Grids(grids) => grids.penetration(),
        }
    }

    /// Adds the work of the contact forces on a unit of each free motion \[N\].
    pub(super) fn add_work(&self, bodies: &[StaticBody], residual: &mut DVector<f64>) {
        let zones = match self {
            Self::Zones(zones) => zones,
            Self::Grids(grids) => return grids.add_work(bodies, residual),
        };
        for (r, motion) in residual.iter_mut().zip(&zones.motions) {
            if let Some(force) = zones.work.solution.force_b.get(motion.body) {
                *r += force.iter().zip(&motion.displacement).map(|(f, u)| f * u).sum::<f64>();
            }
        }
    }

    /// Sum of the pressures \[N\].
    pub(super) fn total_force(&self) -> f64 {
        match self {
            Self::Zones(zones) => zones.work.solution.lambda.iter().sum(),
            Self::Grids(grids) => grids.total_force(),
        }
    }

    /// Resistance of the contact to the free motions \[N/m\].
    pub(super) fn stiffness(&self, bodies: &[StaticBody], n: usize) -> Mat<f64> {
        match self {
            Self::Zones(zones) => {
                let found = zones.model.motion_stiffness(&zones.motions, &zones.work);
                found.unwrap_or_else(|| Mat::zeros(n, n))
            }
            Self::Grids(grids) => grids.stiffness(bodies, n),
        }
    }

    /// Smallest extent of a zone or grid that carries pressure \[m\].
    pub(super) fn size(&self) -> f64 {
        match self {
            Self::Zones(zones) => {
                let area = |k: usize| zones.model.cells(k).area.iter().sum::<f64>().sqrt();
                (0..zones.model.n_pairs()).map(area).fold(f64::INFINITY, f64::min)
            }
            Self::Grids(grids) => grids.size(),
        }
    }

    /// True if some pair has a force.
    pub(super) fn is_closed(&self) -> bool {
        match self {
            Self::Zones(zones) => zones.work.solution.in_contact(),
            Self::Grids(grids) => grids.total_force() > 0.0,
        }
    }

    /// Least gap of all pairs \[m\].
    pub(super) fn least_gap(&mut self) -> f64 {
        let StaticContact { model, work, .. } = match self {
            Self::Zones(zones) => &mut **zones,
            Self::Grids(grids) => return grids.least_gap(),
        };
        let near = work.solution.near.iter().map(|&pair| work.solution.pairs[pair as usize].min_free_gap);
        let gap = near.fold(f64::INFINITY, f64::min);
        // The least gap of the others is the time at unit speed.
        gap.min(model.least_time_apart(work, |_| 0.5, |_| 1.0))
    }

    /// Contact forces on all points of a body.
    pub(super) fn forces(&self, number: usize, body: &StaticBody) -> Vec<[f64; 3]> {
        match self {
            Self::Zones(zones) => zone_forces(number, body, zones),
            Self::Grids(grids) => {
                let mut forces = vec![[0.0; 3]; body.load.len()];
                grids.add_forces(number, body, &mut forces);
                forces
            }
        }
    }

    /// Forces of the pairs that touch a body.
    pub(super) fn pair_forces(&self, body: usize) -> Vec<ForceFrom> {
        match self {
            Self::Zones(zones) => pair_forces(zones, body),
            Self::Grids(grids) => grids.pair_forces(body),
        }
    }

    /// The pairs under the pressures of the last solve.
    pub(super) fn pair_outcomes(&self) -> Vec<PairOutcome> {
        match self {
            Self::Zones(zones) => pair_outcomes(zones),
            Self::Grids(grids) => grids.pair_outcomes(),
        }
    }

    /// The contact pairs in the result.
    pub(super) fn states(&self) -> Vec<ContactState> {
        match self {
            Self::Zones(zones) => contact_states(zones),
            Self::Grids(grids) => grids.states(),
        }
    }

    /// Evaluations of the last solve that needed the fallback of the solver.
    pub(super) fn fallbacks(&self) -> usize {
        match self {
            Self::Zones(zones) => zones.work.solution.fallbacks,
            Self::Grids(grids) => grids.fallbacks,
        }
    }

    /// Pressure at rims where the surface continues; an error unless it is only a warning.
    pub(super) fn check_rims(&self) -> Result<Vec<RimPressure>, EquilibriumError> {
        match self {
            Self::Zones(zones) => zones.check_rims(),
            Self::Grids(_) => Ok(Vec::new()),
        }
    }

    /// True if the contact was laid anew after an equilibrium, which has to be sought again.
    ///
    /// * `round` — number of equilibria of this load step so far
    pub(super) fn adapt(&mut self, step: usize, round: usize) -> Result<bool, EquilibriumError> {
        match self {
            Self::Zones(_) => Ok(false),
            Self::Grids(grids) if round < ROUNDS => grids.adapt(step),
            Self::Grids(grids) => Err(grids.unsettled(step, ROUNDS)),
        }
    }

    /// An error if the bodies touch where the contact does not look.
    pub(super) fn check_spots(&self, step: usize) -> Result<(), EquilibriumError> {
        match self {
            Self::Zones(_) => Ok(()),
            Self::Grids(grids) => grids.check_spots(step),
        }
    }

    /// Sentences about limits of the theory that the contact has met.
    pub(super) fn doubts(&self) -> Vec<String> {
        match self {
            Self::Zones(_) => Vec::new(),
            Self::Grids(grids) => grids.doubts(),
        }
    }

    /// Numbers for a restart.
    pub(super) fn memory(&self) -> Vec<f64> {
        match self {
            Self::Zones(zones) => zones.warm.to_numbers(),
            Self::Grids(grids) => grids.memory(),
        }
    }

    /// Takes back what [`Self::memory`] gave; the number of numbers that are needed if they do not fit.
    pub(super) fn restore(&mut self, numbers: &[f64]) -> Result<(), usize> {
        match self {
            Self::Zones(zones) => match zones.model.restore(numbers) {
                Some(warm) => zones.warm = warm,
                None => return Err(zones.model.cold().to_numbers().len()),
            },
            Self::Grids(grids) => {
                if !grids.restore(numbers) {
                    return Err(grids.memory().len());
                }
            }
        }
        Ok(())
    }
}
