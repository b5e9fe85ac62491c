//! The whole body beside its model.

use carom_cli::{Category, Failure, FailureContext, Session};
use carom_contact::region::{ModalCompliance, Region};
use carom_fem::{Body, Discretisation, Material};
use carom_format::StoredRom;
use carom_reduce::comparison::ComparisonError;
use carom_reduce::{Flexibility, NamedSurface, SolverChoice};
use faer::Mat;
use nalgebra::Vector3;

use super::PlaceReport;

/// Places of a region at which the model is compared with its body.
const MOST_PLACES: usize = 24;

/// The body that the model was made from, its stiffness inverted.
pub(super) struct Whole {
    body: Body,
    flexibility: Flexibility,
    choice: SolverChoice,
}

impl Whole {
    pub(super) fn new(
        body: Body,
        rom: &StoredRom,
        choice: SolverChoice,
        session: &Session,
    ) -> Result<Self, Failure> {
        let discretisation = Discretisation::new(&body).or_fail(Category::Input)?;
        let rule = crate::compare::rule_of(rom);
        let (flexibility, _) = carom_reduce::comparison::whole_body(
            &body,
            &discretisation,
            &rom.reduced.held,
            &carom_reduce::comparison::rigid_sets(&rom.reduced),
            rule,
            &choice,
            session.progress(),
        )
        .map_err(crate::compare::comparison_failed)?;
        Ok(Self { body, flexibility, choice })
    }

    /// What the user should know of how it was solved so far: a sentence.
    pub(super) fn told(&self) -> Option<String> {
        self.flexibility.told(&self.choice)
    }

    /// True without a factor.
    pub(super) fn is_iterative(&self) -> bool {
        self.flexibility.is_iterative()
    }

    /// Compliances under span forces with the sum 1, one for each.
    pub(super) fn compliances(
        &self,
        surface: &NamedSurface,
        region: &Region,
        loads: &[Vec<f64>],
        session: &Session,
    ) -> Result<Vec<f64>, Failure> {
        let n_dofs = self.flexibility.system.stiffness.n_dofs();
        let mut x = Mat::zeros(n_dofs, loads.len());
        let points = &surface.surface.points;
        for (k, load) in loads.iter().enumerate() {
            for (&point, f) in points.iter().zip(region.point_forces(load)) {
                (0..3).for_each(|a| x[(3 * point as usize + a, k)] = f[a]);
            }
        }
        self.flexibility.respond(x.as_mut(), session.progress()).map_err(|source| {
            crate::compare::comparison_failed(ComparisonError::Solution {
                body: self.body.name.clone(),
                source,
            })
        })?;
        let displacement = |k: usize| -> Vec<[f64; 3]> {
            points.iter().map(|&p| [0, 1, 2].map(|a| x[(3 * p as usize + a, k)])).collect()
        };
        let work =
            |k: usize| loads[k].iter().zip(region.indentation(&displacement(k))).map(|(l, w)| l * w).sum();
        Ok((0..loads.len()).map(work).collect())
    }

    /// Material of the cell behind the first face of a set.
    pub(super) fn material_of(&self, set: &str) -> Option<&Material> {
        let face = *self.body.faces_of_set(set).ok()?.first()?;
        let discretisation = Discretisation::new(&self.body).ok()?;
        Some(&self.body.materials[discretisation.blocks[face.block as usize].material])
    }
}

/// Point loads all over the region: where does the model lack most of the body's compliance?
pub(super) fn worst_place(
    surface: &NamedSurface,
    region: &Region,
    modal: &ModalCompliance,
    whole: &Whole,
    own_axes: &dyn Fn(&Vector3<f64>) -> [f64; 3],
    session: &Session,
) -> Result<PlaceReport, Failure> {
    let loaded: Vec<usize> = (0..region.n_spans()).filter(|&s| region.spans.area[s] > 0.0).collect();
    let step = loaded.len().div_ceil(MOST_PLACES);
    let places: Vec<usize> = loaded.into_iter().step_by(step).collect();
    let loads: Vec<Vec<f64>> = places.iter().map(|&s| region.point_load(s)).collect();
    let exact = whole.compliances(surface, region, &loads, session)?;
    let error = |k: usize| 1.0 - modal.parts(&loads[k]).iter().sum::<f64>() / exact[k];
    let worst = (0..places.len())
        .max_by(|&a, &b| error(a).abs().total_cmp(&error(b).abs()))
        .expect("a region has a span with area");
    Ok(PlaceReport {
        place: own_axes(&region.centers[places[worst]]),
        cut_error: error(worst),
        places: places.len(),
    })
}
