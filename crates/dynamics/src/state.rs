//! Where bodies are and how they move, as schemes report it and as scenarios give it.

use crate::rotation;
use nalgebra::{Matrix3, Vector3};

/// Position and orientation of a body frame.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pose {
    /// r: origin of the body frame \[m\].
    pub position: Vector3<f64>,
    /// A: body axes → inertial axes.
    pub rotation: Matrix3<f64>,
}

impl Pose {
    /// x = r + A c.
    pub fn point(&self, c_b: &Vector3<f64>) -> Vector3<f64> {
        self.position + self.rotation * c_b
    }
}

/// How a scenario places a body: its source geometry is rotated about the source origin, which then lies at
/// `origin`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Placement {
    /// Where the origin of the source geometry lies \[m\].
    pub origin: [f64; 3],
    /// Unit quaternion of the rotation about that origin.
    pub quaternion: [f64; 4],
    /// Velocity of the centre of mass \[m/s\].
    pub velocity: [f64; 3],
    /// Angular velocity \[rad/s\], inertial axes.
    pub angular_velocity: [f64; 3],
}

impl Default for Placement {
    fn default() -> Self {
        Self {
            origin: [0.0; 3],
            quaternion: rotation::IDENTITY,
            velocity: [0.0; 3],
            angular_velocity: [0.0; 3],
        }
    }
}

impl Placement {
    /// A placement rotated by `degrees` about `axis` (of any length; no rotation if it is zero).
    pub fn rotated(axis: [f64; 3], degrees: f64) -> Self {
        let axis = Vector3::from(axis);
        let length = axis.norm();
        let theta = if length > 0.0 { axis * (degrees.to_radians() / length) } else { Vector3::zeros() };
        Self { quaternion: rotation::from_vector(&theta), ..Self::default() }
    }
}

/// State of one body as reported: everything a picture or a table needs.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct BodyState {
    /// Origin of the body frame, which is the centre of mass for bodies in the Buckens frame \[m\].
    pub position: [f64; 3],
    /// Unit quaternion, body axes → inertial axes.
    pub quaternion: [f64; 4],
    /// Velocity of the centre of mass \[m/s\].
    pub velocity: [f64; 3],
    /// Angular velocity of the body frame, inertial axes \[rad/s\].
    pub angular_velocity: [f64; 3],
    /// Modal coordinates of all modes, the dynamic ones first, then the quasistatic ones \[m √kg\]; of an
    /// unreduced body the displacements of all its points in body axes, three numbers each \[m\].
    pub modal: Vec<f64>,
    /// Rates of the dynamic modal coordinates \[m √kg / s\].
    pub modal_rate: Vec<f64>,
}

/// State of one contact pair as reported.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ContactState {
    /// Force on the first surface of the pair \[N\]; the second carries its opposite.
    pub force: [f64; 3],
    /// Magnitude of that force \[N\].
    pub normal_force: f64,
    /// Smallest gap of the pressure points without their quasistatic response, negative in contact \[m\];
    /// infinite while the surfaces are far apart.
    pub free_gap: f64,
    /// Faces of the pressure surface that carry pressure.
    pub pressure_faces: Vec<u32>,
    /// Mean pressure on each of them \[Pa\].
    pub pressures: Vec<f64>,
}

/// What a joint, spring or bushing transmits.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct JointState {
    /// Force on the second body, of all that the joint holds and of all that acts along it, inertial axes
    /// \[N\]; the first carries its opposite.
    pub force: [f64; 3],
    /// Torque on the second body about the first end of the joint, inertial axes \[N m\]; the first carries
    /// its opposite.
    pub torque: [f64; 3],
    /// What acts along a length or shift, and about an angle that the joint leaves free; nothing if nothing
    /// acts.
    pub actions: [Option<JointAction>; 2],
}

/// What acts along one coordinate of a joint. It is part of the force and torque of the [`JointState`].
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct JointAction {
    /// The coordinate: a length or shift \[m\], or an angle with its whole turns \[rad\].
    pub value: f64,
    /// Its rate \[m/s or rad/s\].
    pub rate: f64,
    /// Force of spring and damper in the direction of the coordinate \[N or N m\].
    pub spring: Option<f64>,
    /// Force of the stops in that direction \[N or N m\].
    pub stop: Option<f64>,
    /// Force of the motion in that direction \[N or N m\].
    pub drive: Option<f64>,
}

impl JointAction {
    /// Power of the motion on the bodies \[W\].
    pub fn power(&self) -> Option<f64> {
        self.drive.map(|force| force * self.rate)
    }
}
