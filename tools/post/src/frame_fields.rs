//! Fields of one body in one frame.

use carom_dynamics::{BodyState, Pose};
use carom_fem::DiscretisationError;
use carom_fem::internal_force::PointRule;
use carom_mesh::FaceRef;
use carom_scene::stress::rotated;
use carom_scene::{BodyGrid, Stress, StressRecovery, StressTheory, SurfaceStressRecovery};
use carom_vtk::Field;
use nalgebra::Vector3;

use crate::bodies::RunBody;

/// Fields that are written in addition to the displacement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fields {
    /// Velocity.
    pub velocity: bool,
    /// Stress tensor.
    pub stress: bool,
    /// Von Mises stress.
    pub von_mises: bool,
    /// Contact pressure on the faces of cells.
    pub contact_pressure: bool,
}

/// Points of a grid in the body frame: source coordinates less the origin of the frame.
pub(crate) fn in_body_frame(grid: &BodyGrid, frame_origin: [f64; 3]) -> Vec<Vector3<f64>> {
    grid.grid.points.iter().map(|&x| Vector3::from(x) - Vector3::from(frame_origin)).collect()
}

/// The data of a body that all frames share.
pub(crate) struct Shown<'a> {
    pub(crate) body: &'a RunBody,
    pub(crate) grid: &'a BodyGrid,
    /// Points of the grid in the body frame \[m\].
    pub(crate) points_b: Vec<Vector3<f64>>,
    /// Pose at the first frame.
    pub(crate) initial: Pose,
    /// Recovery of the stress; `None` if it is not requested or not known.
    pub(crate) stress: Option<Recovery<'a>>,
}

/// A method of stress recovery.
pub(crate) enum Recovery<'a> {
    /// From the displacement of the whole body.
    Whole(StressRecovery<'a>),
    /// From the displacement of the surface and the pressure on it.
    Surface(SurfaceStressRecovery),
}

impl<'a> Recovery<'a> {
    /// For a grid of a body; `None` if its displacement is not known, and for shells and beams, whose stress
    /// depends on rotations that a result does not have.
    ///
    /// * `theory` — that of the body in the result; it concerns bodies whose displacement is known everywhere
    pub(crate) fn new(
        grid: &'a BodyGrid,
        body: &RunBody,
        theory: &StressTheory,
    ) -> Result<Option<Self>, DiscretisationError> {
        if body.body.is_structural() {
            return Ok(None);
        }
        if body.is_whole() {
            let recovery = StressRecovery::with_theory(grid, &body.body, theory);
            return recovery.map(|recovery| Some(Self::Whole(recovery)));
        }
        if body.fields.is_none() || grid.faces.is_empty() {
            return Ok(None);
        }
        SurfaceStressRecovery::new(grid, &body.body).map(|recovery| Some(Self::Surface(recovery)))
    }

    /// The stress that the scheme has stored in a frame, and the plastic strain; none for a body whose stress
    /// follows from its displacement.
    fn stored(&self, body: &RunBody, state: &BodyState) -> Option<(Stress, Vec<f64>)> {
        let Self::Whole(recovery) = self else { return None };
        if state.point_stress.is_empty() {
            return None;
        }
        let rule = PointRule::named(&body.meta.elements).unwrap_or_default();
        let stress = recovery.stress_of_numbers(rule, &state.point_stress).ok()?;
        Some((stress, recovery.number_of_points(rule, &state.plastic_strain).ok()?))
    }

    fn stress(&self, displacement: &[[f64; 3]], pressures: impl FnOnce() -> Vec<f64>) -> Stress {
        match self {
            Self::Whole(recovery) => recovery.stress(displacement),
            Self::Surface(recovery) => recovery.stress(displacement, &pressures()),
        }
    }
}

impl Shown<'_> {
    /// Reference positions: the undeformed body in its first pose, inertial axes \[m\].
    pub(crate) fn reference(&self) -> Vec<[f64; 3]> {
        self.points_b.iter().map(|b| self.initial.point(b).into()).collect()
    }

    /// Displacement from the reference, rigid motion included, inertial axes \[m\].
    ///
    /// * `elastic` — elastic displacement of each point of the grid, body axes \[m\]
    pub(crate) fn displacement(&self, state: &BodyState, elastic: &[[f64; 3]]) -> Vec<[f64; 3]> {
        state.pose().displacements(&self.initial, &self.points_b, elastic)
    }

    /// Velocity, inertial axes \[m/s\]; quasistatic modes have no velocity of their own.
    fn velocity(&self, state: &BodyState, elastic: &[[f64; 3]]) -> Vec<[f64; 3]> {
        let rates = self.grid.at_points(&self.body.elastic_displacement(&state.modal_rate));
        state.point_velocities(&self.points_b, elastic, &rates)
    }

    /// Point and cell fields of a frame, displacement first.
    pub(crate) fn fields(
        &self,
        state: &BodyState,
        wanted: &Fields,
        pressures: &[(FaceRef, f64)],
    ) -> (Vec<Field>, Vec<Field>) {
        let at_body_points = self.body.elastic_displacement(&state.modal);
        let elastic = self.grid.at_points(&at_body_points);
        let mut points = vec![Field::tuples("displacement", &self.displacement(state, &elastic)).single()];
        if wanted.velocity {
            points.push(Field::tuples("velocity", &self.velocity(state, &elastic)).single());
        }
        if let Some(recovery) = &self.stress {
            let stored = recovery.stored(self.body, state);
            let stress = match &stored {
                Some((stress, _)) => stress.clone(),
                None => recovery.stress(&at_body_points, || self.grid.face_values(pressures)),
            };
            if let Some((_, strain)) = stored {
                points.push(Field::scalar("plastic_strain", strain).single());
            }
            if wanted.von_mises {
                points.push(Field::scalar("von_mises", stress.von_mises).single());
            }
            if wanted.stress {
                let axes = state.pose().rotation;
                let axes: [[f64; 3]; 3] = [0, 1, 2].map(|a| [0, 1, 2].map(|b| axes[(a, b)]));
                let tensor: Vec<[f64; 6]> = stress.tensor.iter().map(|s| rotated(s, &axes)).collect();
                points.push(Field::tuples("stress", &tensor).single());
            }
        }
        let cells = if wanted.contact_pressure {
            vec![Field::scalar("contact_pressure", self.grid.face_values(pressures)).single()]
        } else {
            Vec::new()
        };
        (points, cells)
    }
}
