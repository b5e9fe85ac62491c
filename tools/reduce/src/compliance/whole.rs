//! The whole body, with which the model is compared.

use carom_cli::{Category, Failure, FailureContext, Session};
use carom_contact::region::{ModalCompliance, Region};
use carom_fem::{Body, Discretisation, Material};
use carom_format::StoredRom;
use carom_reduce::comparison::ComparisonError;
use carom_reduce::{Flexibility, NamedSurface, SolverChoice};
use nalgebra::Vector3;

use super::PlaceReport;

/// Places of a region at which the model is compared with its body.
const MOST_PLACES: usize = 24;

/// The body that the model was made from, with the inverse of its stiffness.
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

    /// A sentence about the solutions so far, if it matters to the user.
    pub(super) fn note(&self) -> Option<String> {
        self.flexibility.note(&self.choice)
    }

    /// True if the body is solved by iteration.
    pub(super) fn is_iterative(&self) -> bool {
        self.flexibility.is_iterative()
    }

    /// Compliances under forces on the pressure cells with the sum 1, one for each list of forces \[m/N\].
    pub(super) fn compliances(
        &self,
        surface: &NamedSurface,
        region: &Region,
        loads: &[Vec<f64>],
        session: &Session,
    ) -> Result<Vec<f64>, Failure> {
        let forces: Vec<Vec<[f64; 3]>> = loads.iter().map(|load| region.point_forces(load)).collect();
        let points = &surface.surface.points;
        let found =
            self.flexibility.displacements_at(points, &forces, session.progress()).map_err(|source| {
                let body = self.body.name.clone();
                crate::compare::comparison_failed(ComparisonError::Solution { body, source })
            })?;
        Ok(loads.iter().zip(&found).map(|(load, u)| region.compliance(load, u)).collect())
    }

    /// Material of the cell behind the first face of a set.
    pub(super) fn material_of(&self, set: &str) -> Option<&Material> {
        let face = *self.body.faces_of_set(set).ok()?.first()?;
        let discretisation = Discretisation::new(&self.body).ok()?;
        Some(&self.body.materials[discretisation.blocks[face.block as usize].material])
    }
}

/// The largest error of the model among unit forces on cells all over the region.
pub(super) fn worst_place(
    surface: &NamedSurface,
    region: &Region,
    modal: &ModalCompliance,
    whole: &Whole,
    in_source_axes: &dyn Fn(&Vector3<f64>) -> [f64; 3],
    session: &Session,
) -> Result<PlaceReport, Failure> {
    let cells = region.sample_cells(MOST_PLACES);
    let loads: Vec<Vec<f64>> = cells.iter().map(|&cell| region.point_load(cell)).collect();
    let exact = whole.compliances(surface, region, &loads, session)?;
    let error = |k: usize| 1.0 - modal.parts(&loads[k]).iter().sum::<f64>() / exact[k];
    let worst = (0..cells.len())
        .max_by(|&a, &b| error(a).abs().total_cmp(&error(b).abs()))
        .expect("a region has a pressure cell with an area");
    Ok(PlaceReport {
        place: in_source_axes(&region.centers[cells[worst]]),
        cut_error: error(worst),
        places: cells.len(),
    })
}
