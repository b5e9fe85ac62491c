//! Condensed bodies with attachments, and all quantities that they were made from.

use crate::bodies::steel_box;
use carom_fem::{Body, Discretisation, QuadratureRule, SystemMatrices, assemble};
use carom_linalg::{DofSet, Wanted};
use carom_progress::Silent;
use carom_reduce::attachment::Attached;
use carom_reduce::condensation::{Condensation, constraint_modes};
use carom_reduce::interface::{Interface, InterfaceSpec};
use carom_reduce::solver::{Interior, Operator, SolverChoice};
use carom_reduce::{Attachment, AttachmentKind, CraigBamptonOptions, FixedModes};
use faer::{Mat, MatRef};

/// An interface that is not yet located on a body.
#[derive(Default)]
pub(crate) struct Spec {
    pub(crate) sets: Vec<String>,
    pub(crate) points: Vec<u32>,
    pub(crate) attachments: Vec<Attachment>,
    pub(crate) held: Vec<String>,
}

impl Spec {
    pub(crate) fn attached(ties: &[(&str, AttachmentKind)]) -> Self {
        Self {
            attachments: ties
                .iter()
                .map(|&(set, kind)| Attachment { set: set.to_owned(), kind, at: None })
                .collect(),
            ..Self::default()
        }
    }

    pub(crate) fn with_points(self, points: &[u32]) -> Self {
        Self { points: points.to_vec(), ..self }
    }

    pub(crate) fn holding(self, set: &str) -> Self {
        Self { held: vec![set.to_owned()], ..self }
    }

    pub(crate) fn options(&self, modes: FixedModes) -> CraigBamptonOptions {
        CraigBamptonOptions {
            interface_sets: self.sets.clone(),
            interface_points: self.points.clone(),
            attachments: self.attachments.clone(),
            held: self.held.clone(),
            modes,
            ..CraigBamptonOptions::default()
        }
    }
}

/// A condensed body with all quantities that it was made from.
pub(crate) struct Condensed {
    pub(crate) discretisation: Discretisation,
    pub(crate) system: SystemMatrices,
    pub(crate) interface: Interface,
    pub(crate) condensation: Condensation,
    pub(crate) rigid_error: f64,
}

pub(crate) fn condensed(body: &Body, spec: &Spec, n_modes: usize) -> Condensed {
    let discretisation = Discretisation::new(body).unwrap();
    let system = assemble(&discretisation, QuadratureRule::Default, &Silent).unwrap();
    let parts = InterfaceSpec {
        sets: &spec.sets,
        points: &spec.points,
        attachments: &spec.attachments,
        held: &spec.held,
    };
    let interface = Interface::new(body, &discretisation, parts).unwrap();
    let used = DofSet::all(discretisation.n_points());
    let operator = Operator { k: &system.stiffness, shifted_mass: None, points: &discretisation.points };
    let space = interface.boundary.space(&used);
    let interior = Interior::new(operator, space, &SolverChoice::default(), 0, &Silent).unwrap();
    let constraint = constraint_modes(
        &system,
        &interior,
        &interface.boundary,
        &discretisation.points,
        &discretisation.point_is_used(),
        &Silent,
    )
    .unwrap();
    let rigid_error = constraint.rigid_error;
    let condensation =
        Condensation::new(&system, interior, constraint, Wanted::Count(n_modes), &Silent).unwrap();
    Condensed { discretisation, system, interface, condensation, rigid_error }
}

impl Condensed {
    pub(crate) fn marker(&self, name: &str) -> (usize, &Attached) {
        self.interface.boundary.markers().find(|(_, marker)| marker.name == name).unwrap()
    }
}

/// The rows of a field at the points of an attached set.
pub(crate) fn at_set(marker: &Attached, field: MatRef<'_, f64>) -> Mat<f64> {
    Mat::from_fn(3 * marker.points.len(), field.ncols(), |i, k| {
        field[(3 * marker.points[i / 3] as usize + i % 3, k)]
    })
}

/// W u.
pub(crate) fn mean(marker: &Attached, field: MatRef<'_, f64>) -> Mat<f64> {
    marker.mean.transpose() * at_set(marker, field)
}

pub(crate) fn box_body() -> Body {
    steel_box([0.1, 0.02, 0.03], [8, 2, 3])
}
