//! Fields of one body in one frame.

use carom_dynamics::{BodyState, Pose};
use carom_fem::DiscretisationError;
use carom_fem::internal_force::PointRule;
use carom_fem::stress::rotated;
use carom_mesh::FaceRef;
use carom_scene::{
    BodyGrid, ShellStressRecovery, Stress, StressRecovery, StressTheory, SurfaceStressRecovery, WallStress,
};
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
    /// From the stress of the walls of shells that the scheme has stored.
    Shells(ShellStressRecovery<'a>),
}

impl<'a> Recovery<'a> {
    /// For a grid of a body; `None` if its displacement is not known.
    ///
    /// * `theory` — that of the body in the result; it concerns bodies whose displacement is known everywhere
    pub(crate) fn new(
        grid: &'a BodyGrid,
        body: &RunBody,
        theory: &StressTheory,
    ) -> Result<Option<Self>, DiscretisationError> {
        if body.body.is_structural() {
            return Ok(Some(Self::Shells(ShellStressRecovery::new(grid, &body.body))));
        }
        if body.is_whole() {
            let recovery = StressRecovery::with_theory(grid, &body.body, theory);
            let rule = PointRule::named(&body.meta.elements).unwrap_or_default();
            return recovery.map(|recovery| Some(Self::Whole(recovery.with_elements(rule))));
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

    /// The stress from the displacement; none for shells, whose stress is stored.
    fn stress(&self, displacement: &[[f64; 3]], pressures: impl FnOnce() -> Vec<f64>) -> Option<Stress> {
        match self {
            Self::Whole(recovery) => Some(recovery.stress(displacement)),
            Self::Surface(recovery) => Some(recovery.stress(displacement, &pressures())),
            Self::Shells(_) => None,
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

    /// Rotation vectors of the points of shells and beams, inertial axes \[rad\]; zero for points without
    /// them.
    fn rotations(&self, state: &BodyState) -> Vec<[f64; 3]> {
        let axes = state.pose().rotation;
        let mut at_body_points = vec![[0.0; 3]; self.body.n_points()];
        for (to, from) in at_body_points.iter_mut().zip(state.point_rotations.as_chunks::<3>().0) {
            *to = (axes * Vector3::from(*from)).into();
        }
        self.grid.at_points(&at_body_points)
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
        if !state.point_rotations.is_empty() {
            points.push(Field::tuples("rotation", &self.rotations(state)).single());
        }
        match &self.stress {
            Some(Recovery::Shells(recovery)) => {
                let walls = recovery.stress(&state.point_stress, &state.plastic_strain);
                points.extend(walls.into_iter().flat_map(|walls| wall_fields(walls, state, wanted)));
            }
            Some(recovery) => {
                let stored = recovery.stored(self.body, state);
                let (stress, strain) = match stored {
                    Some((stress, strain)) => (Some(stress), Some(strain)),
                    None => (recovery.stress(&at_body_points, || self.grid.face_values(pressures)), None),
                };
                points.extend(strain.map(|strain| Field::scalar("plastic_strain", strain).single()));
                if let Some(stress) = stress {
                    if wanted.von_mises {
                        points.push(Field::scalar("von_mises", stress.von_mises).single());
                    }
                    if wanted.stress {
                        points.push(Field::tuples("stress", &in_space(&stress.tensor, state)).single());
                    }
                }
            }
            None => {}
        }
        let cells = if wanted.contact_pressure {
            vec![Field::scalar("contact_pressure", self.grid.face_values(pressures)).single()]
        } else {
            Vec::new()
        };
        (points, cells)
    }
}

/// Fields of the stress of shells: plastic strain and von Mises stress have their largest values over the
/// wall.
fn wall_fields(walls: WallStress, state: &BodyState, wanted: &Fields) -> Vec<Field> {
    let mut fields = vec![Field::scalar("plastic_strain", walls.plastic_strain).single()];
    if wanted.von_mises {
        fields.push(Field::scalar("von_mises", walls.von_mises).single());
    }
    if wanted.stress {
        let names = ["stress_bottom", "stress", "stress_top"];
        fields.extend(
            names
                .iter()
                .zip(&walls.places)
                .map(|(name, stress)| Field::tuples(name, &in_space(&stress.tensor, state)).single()),
        );
    }
    fields
}

/// Stresses in body axes, turned to inertial axes.
fn in_space(tensors: &[[f64; 6]], state: &BodyState) -> Vec<[f64; 6]> {
    let axes = state.pose().rotation;
    let axes: [[f64; 3]; 3] = [0, 1, 2].map(|a| [0, 1, 2].map(|b| axes[(a, b)]));
    tensors.iter().map(|s| rotated(s, &axes)).collect()
}
