//! Rigid bodies: mass, principal moments of inertia, and the directions of the principal axes in the source
//! geometry.

use carom_dynamics::{BodyState, Placement, rotation};
use nalgebra::{Matrix3, Rotation3, UnitQuaternion, Vector3};
use thiserror::Error;

use crate::state::State;

/// A rigid body in its principal axes; its frame has its origin in the centre of mass.
#[derive(Debug, Clone, PartialEq)]
pub struct RigidBody {
    /// Name, as shown to the user.
    pub name: String,
    /// m \[kg\].
    pub mass: f64,
    /// J₁, J₂, J₃: principal moments of inertia about the centre of mass \[kg m²\].
    pub inertia: Vector3<f64>,
    /// Unit quaternion, principal axes → axes of the source geometry.
    pub axes: [f64; 4],
    /// Centre of mass in source coordinates \[m\].
    pub com: Vector3<f64>,
    /// True if the body is held in space.
    pub fixed: bool,
}

/// Invalid mass or inertia.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum BodyError {
    /// The mass is not positive.
    #[error("body `{body}`: its mass is {mass} kg; it must be positive and finite")]
    Mass {
        /// Name of the body.
        body: String,
        /// The given mass \[kg\].
        mass: f64,
    },
    /// A number of the inertia tensor or of the centre of mass is not finite.
    #[error("body `{body}`: its inertia or centre of mass is not finite")]
    NotFinite {
        /// Name of the body.
        body: String,
    },
    /// The tensor is not symmetric.
    #[error("body `{body}`: its inertia tensor is not symmetric: entries differ by {difference:e} kg m²")]
    Asymmetric {
        /// Name of the body.
        body: String,
        /// Largest difference of entries that should agree.
        difference: f64,
    },
    /// A principal moment is not positive.
    #[error(
        "body `{body}`: its principal moments of inertia are {:e}, {:e} and {:e} kg m²; all must be positive \
         (a line of masses has none about itself: give it the moment of its cross-section)",
        moments[0], moments[1], moments[2]
    )]
    Moments {
        /// Name of the body.
        body: String,
        /// The principal moments \[kg m²\].
        moments: [f64; 3],
    },
    /// The largest moment exceeds the sum of the others.
    #[error(
        "body `{body}`: its principal moments of inertia are {:e}, {:e} and {:e} kg m²; no body has one \
         above the sum of the other two",
        moments[0], moments[1], moments[2]
    )]
    Triangle {
        /// Name of the body.
        body: String,
        /// The principal moments \[kg m²\].
        moments: [f64; 3],
    },
}

/// Relative excess of the largest moment over the sum of the others that is accepted, as rounded numbers of
/// flat bodies have it.
const TRIANGLE_SLACK: f64 = 1e-6;

impl RigidBody {
    /// √((J₁ + J₂ + J₃)/2m) \[m\].
    pub(crate) fn gyration_radius(&self) -> f64 {
        (0.5 * self.inertia.sum() / self.mass).sqrt()
    }

    /// A body from its mass \[kg\], its inertia tensor about the centre of mass in source axes \[kg m²\] and
    /// its centre of mass in source coordinates \[m\].
    ///
    /// # Errors
    ///
    /// [`BodyError`] if the numbers are not those of a body.
    pub fn new(
        name: impl Into<String>,
        mass: f64,
        inertia: Matrix3<f64>,
        com: Vector3<f64>,
    ) -> Result<Self, BodyError> {
        let body = name.into();
        if !(mass.is_finite() && mass > 0.0) {
            return Err(BodyError::Mass { body, mass });
        }
        if !inertia.iter().chain(com.iter()).all(|x| x.is_finite()) {
            return Err(BodyError::NotFinite { body });
        }
        let difference = (inertia - inertia.transpose()).amax();
        if difference > 1e-9 * inertia.amax() {
            return Err(BodyError::Asymmetric { body, difference });
        }
        let (moments, axes) = principal_axes(&(0.5 * (inertia + inertia.transpose())));
        let sorted: [f64; 3] = moments.into();
        if moments.min() <= 0.0 {
            return Err(BodyError::Moments { body, moments: sorted });
        }
        if 2.0 * moments.max() > moments.sum() * (1.0 + TRIANGLE_SLACK) {
            return Err(BodyError::Triangle { body, moments: sorted });
        }
        Ok(Self { name: body, mass, inertia: moments, axes, com, fixed: false })
    }

    /// The same body held in space.
    #[must_use]
    pub fn fixed(self) -> Self {
        Self { fixed: true, ..self }
    }

    /// A point or vector of the source geometry in the body frame: principal axes, origin in the centre of
    /// mass.
    pub fn point_b(&self, source: &Vector3<f64>) -> Vector3<f64> {
        self.vector_b(&(source - self.com))
    }

    /// A direction of the source geometry in principal axes.
    pub fn vector_b(&self, source: &Vector3<f64>) -> Vector3<f64> {
        rotation::matrix(&self.axes).tr_mul(source)
    }

    /// The state of a placement; velocities of a fixed body are ignored.
    ///
    /// ```text
    /// x = origin + A com,   p = m v,   s = A J Aᵀ ω
    /// ```
    pub fn placed(&self, placement: &Placement) -> State {
        let mut source = placement.quaternion;
        rotation::normalise(&mut source);
        let mut quaternion = rotation::product(&source, &self.axes);
        rotation::normalise(&mut quaternion);
        let position = Vector3::from(placement.origin) + rotation::matrix(&source) * self.com;
        let moves = if self.fixed { 0.0 } else { 1.0 };
        let rot_ib = rotation::matrix(&quaternion);
        let omega_b = rot_ib.tr_mul(&Vector3::from(placement.angular_velocity));
        State {
            position,
            remainder: Vector3::zeros(),
            quaternion,
            momentum: moves * self.mass * Vector3::from(placement.velocity),
            spin: moves * (rot_ib * self.inertia.component_mul(&omega_b)),
        }
    }

    /// The reported state of a body: its frame has the axes of the source geometry.
    pub fn reported(&self, state: &State) -> BodyState {
        let [w, x, y, z] = self.axes;
        BodyState {
            position: state.position.into(),
            quaternion: rotation::product(&state.quaternion, &[w, -x, -y, -z]),
            velocity: (state.momentum / self.mass).into(),
            angular_velocity: self.angular_velocity(state).into(),
            ..BodyState::default()
        }
    }

    /// ω = A J⁻¹ Aᵀ s, inertial axes \[rad/s\].
    pub fn angular_velocity(&self, state: &State) -> Vector3<f64> {
        let rot_ib = rotation::matrix(&state.quaternion);
        rot_ib * rot_ib.tr_mul(&state.spin).component_div(&self.inertia)
    }

    /// T = p·p/2m + ½ s·A J⁻¹ Aᵀ s \[J\].
    pub fn kinetic(&self, state: &State) -> f64 {
        let spin_b = rotation::matrix(&state.quaternion).tr_mul(&state.spin);
        0.5 * state.momentum.norm_squared() / self.mass
            + 0.5 * spin_b.dot(&spin_b.component_div(&self.inertia))
    }
}

/// Eigenvalues of a symmetric tensor and the quaternion of its axes; a diagonal tensor keeps its own.
fn principal_axes(inertia: &Matrix3<f64>) -> (Vector3<f64>, [f64; 4]) {
    let diagonal = inertia.diagonal();
    if (inertia - Matrix3::from_diagonal(&diagonal)).amax() == 0.0 {
        return (diagonal, rotation::IDENTITY);
    }
    let eigen = inertia.symmetric_eigen();
    let mut axes = eigen.eigenvectors;
    if axes.determinant() < 0.0 {
        let turned = -axes.column(2);
        axes.set_column(2, &turned);
    }
    let q = UnitQuaternion::from_rotation_matrix(&Rotation3::from_matrix_unchecked(axes));
    // The moments about the axes of the quaternion, so that both agree to round-off.
    let quaternion = [q.w, q.i, q.j, q.k];
    let a = rotation::matrix(&quaternion);
    ((a.transpose() * inertia * a).diagonal(), quaternion)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn principal_axes_and_moments_reproduce_the_tensor() {
        let turn = rotation::matrix(&rotation::from_vector(&Vector3::new(0.4, -1.1, 0.7)));
        let moments = Vector3::new(2.0, 3.0, 4.5);
        let tensor = turn * Matrix3::from_diagonal(&moments) * turn.transpose();
        let body = RigidBody::new("b", 1.0, tensor, Vector3::zeros()).unwrap();
        let axes = rotation::matrix(&body.axes);
        let back = axes * Matrix3::from_diagonal(&body.inertia) * axes.transpose();
        assert!((back - tensor).amax() < 1e-14, "{back}");
    }

    #[test]
    fn a_placement_is_reported_unchanged() {
        let tensor = Matrix3::new(3.0, 0.2, -0.1, 0.2, 2.5, 0.3, -0.1, 0.3, 2.0);
        let body = RigidBody::new("b", 2.0, tensor, Vector3::new(0.1, 0.2, 0.3)).unwrap();
        let placement = Placement {
            origin: [1.0, 2.0, 3.0],
            velocity: [0.5, -0.5, 0.25],
            angular_velocity: [1.0, 2.0, -3.0],
            ..Placement::rotated([1.0, 1.0, 0.0], 50.0)
        };
        let state = body.placed(&placement);
        let reported = body.reported(&state);
        let close = |a: &[f64], b: &[f64]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-14);
        assert!(close(&reported.quaternion, &placement.quaternion), "{reported:?}");
        assert!(close(&reported.velocity, &placement.velocity));
        assert!(close(&reported.angular_velocity, &placement.angular_velocity));
        // T = ½ m v² + ½ ω·I ω in source axes.
        let omega = rotation::matrix(&placement.quaternion).tr_mul(&Vector3::new(1.0, 2.0, -3.0));
        let kinetic = 0.5 * 2.0 * 0.5625 + 0.5 * omega.dot(&(tensor * omega));
        assert!((body.kinetic(&state) - kinetic).abs() < 1e-13);
    }

    #[test]
    fn impossible_bodies_are_refused() {
        let of = |mass: f64, moments: [f64; 3]| {
            let inertia = Matrix3::from_diagonal(&moments.into());
            RigidBody::new("b", mass, inertia, Vector3::zeros()).unwrap_err().to_string()
        };
        assert!(of(0.0, [1.0; 3]).contains("mass is 0 kg"));
        assert!(of(f64::NAN, [1.0; 3]).contains("must be positive and finite"));
        assert!(of(1.0, [0.0, 1.0, 1.0]).contains("cross-section"));
        assert!(of(1.0, [1.0, 1.0, 2.1]).contains("sum of the other two"));
        assert!(of(1.0, [f64::INFINITY, 1.0, 1.0]).contains("not finite"));
        let lopsided = Matrix3::new(2.0, 0.1, 0.0, 0.2, 2.0, 0.0, 0.0, 0.0, 2.0);
        let error = RigidBody::new("b", 1.0, lopsided, Vector3::zeros()).unwrap_err();
        assert!(error.to_string().contains("not symmetric"));
    }
}
