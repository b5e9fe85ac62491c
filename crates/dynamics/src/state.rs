//! Positions and motions of bodies: states reported by schemes, and placements given by scenarios.

use crate::{GridPressures, rotation};
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

    /// Displacement of points of a flexible body from their reference positions, rigid motion included,
    /// inertial axes \[m\].
    ///
    /// ```text
    /// u = r + A (b + u_e) − r₀ − A₀ b
    /// ```
    ///
    /// * `reference` — the pose r₀, A₀ in which the undeformed body is the reference
    /// * `points_b` — b, reference positions in body axes \[m\]
    /// * `elastic_b` — u_e of each point, body axes \[m\]
    pub fn displacements(
        &self,
        reference: &Self,
        points_b: &[Vector3<f64>],
        elastic_b: &[[f64; 3]],
    ) -> Vec<[f64; 3]> {
        let shift = self.position - reference.position;
        let turn = self.rotation - reference.rotation;
        let one = |(b, u): (&Vector3<f64>, &[f64; 3])| {
            (shift + turn * b + self.rotation * Vector3::from(*u)).into()
        };
        points_b.iter().zip(elastic_b).map(one).collect()
    }
}

/// Placement of a body in a scenario: its source geometry is rotated about the source origin, which then lies
/// at `origin`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Placement {
    /// Position of the source origin \[m\].
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

/// Reported state of one body, with all data for pictures and tables.
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
    /// Modal coordinates of all modes, the dynamic ones first, then the quasistatic ones \[m √kg\]; for an
    /// unreduced body the displacements of all its points in body axes, three numbers each \[m\].
    pub modal: Vec<f64>,
    /// Rates of the dynamic modal coordinates \[m √kg / s\].
    pub modal_rate: Vec<f64>,
    /// Cauchy stress at the quadrature points of a body whose law has history, and at three places of the
    /// wall of each shell (surface below, mean, surface above): xx, yy, zz, xy, yz, xz of each, body axes;
    /// empty for other bodies \[Pa\].
    pub point_stress: Vec<f64>,
    /// Equivalent plastic strain at these places.
    pub plastic_strain: Vec<f64>,
    /// Rotation vectors of the points of shells and beams, three numbers each, body axes; empty for other
    /// bodies \[rad\].
    pub point_rotations: Vec<f64>,
    /// Energies and momenta; none of schemes that balance all bodies together.
    pub balance: Option<BodyBalance>,
}

impl BodyState {
    /// Pose of the body frame.
    pub fn pose(&self) -> Pose {
        Pose { position: Vector3::from(self.position), rotation: rotation::matrix(&self.quaternion) }
    }

    /// Velocity of points of a flexible body, inertial axes \[m/s\].
    ///
    /// ```text
    /// v + ω × A (b + u_e) + A u̇_e
    /// ```
    ///
    /// * `points_b` — b, reference positions in body axes \[m\]
    /// * `elastic_b`, `rates_b` — u_e and u̇_e of each point, body axes \[m\], \[m/s\]
    pub fn point_velocities(
        &self,
        points_b: &[Vector3<f64>],
        elastic_b: &[[f64; 3]],
        rates_b: &[[f64; 3]],
    ) -> Vec<[f64; 3]> {
        let rotation = self.pose().rotation;
        let (v, omega) = (Vector3::from(self.velocity), Vector3::from(self.angular_velocity));
        let one = |((b, u), rate): ((&Vector3<f64>, &[f64; 3]), &[f64; 3])| {
            let arm = rotation * (b + Vector3::from(*u));
            (v + omega.cross(&arm) + rotation * Vector3::from(*rate)).into()
        };
        points_b.iter().zip(elastic_b).zip(rates_b).map(one).collect()
    }
}

/// Reported state of one contact pair.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ContactState {
    /// Force on the first surface of the pair \[N\]; the force on the second is opposite.
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
    /// Pressures of a contact of all bodies, body by body; empty for a pair of named surfaces.
    pub surfaces: Vec<SurfacePressures>,
    /// Pressures of a contact on a half-space grid.
    pub grid: GridPressures,
}

impl ContactState {
    /// Contacts up to which a result has a state of each in each frame; of more contacts those that are not
    /// far apart have one.
    pub const FEW: usize = 64;

    /// Surfaces that are far apart.
    pub fn far() -> Self {
        Self { free_gap: f64::INFINITY, ..Self::default() }
    }

    /// True for surfaces that are far apart.
    pub fn is_far(&self) -> bool {
        self.free_gap == f64::INFINITY && self.normal_force == 0.0 && *self == Self::far()
    }
}

/// Pressures on the outer surface of a body.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SurfacePressures {
    /// Number of the body.
    pub body: usize,
    /// Faces that carry pressure, by their numbers among the outer faces of the body; a shell has one face.
    pub faces: Vec<u32>,
    /// Mean pressure on each of them, for a shell of both sides together \[Pa\].
    pub pressures: Vec<f64>,
}

/// Energies and momenta of one body. Those of all bodies, with the energies of springs and of the response to
/// contact, add up to the [`Balance`](crate::Balance).
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct BodyBalance {
    /// Kinetic energy \[J\].
    pub e_kin: f64,
    /// Elastic energy of the modes that move \[J\].
    pub e_el: f64,
    /// Potential of gravity \[J\].
    pub e_pot: f64,
    /// Linear momentum; 0 of a body that is held \[N s\].
    pub momentum: [f64; 3],
    /// Angular momentum about the inertial origin; 0 of a body that is held \[N m s\].
    pub ang_momentum: [f64; 3],
}

/// Force and torque of a joint, spring or bushing.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct JointState {
    /// Force on the second body, from constraints, couplings, springs, stops and drives, inertial axes \[N\];
    /// the force on the first is opposite.
    pub force: [f64; 3],
    /// Torque on the second body about the first end of the joint, inertial axes \[N m\]; the torque on the
    /// first is opposite.
    pub torque: [f64; 3],
    /// Forces along a length or displacement, and torques about an angle that the joint leaves free; none if
    /// nothing acts.
    pub actions: [Option<JointAction>; 2],
}

/// Forces along one coordinate of a joint. They are part of the force and torque in the [`JointState`].
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct JointAction {
    /// The coordinate: a length or displacement \[m\], or an angle including full turns \[rad\].
    pub value: f64,
    /// Its rate \[m/s or rad/s\].
    pub rate: f64,
    /// Force of spring and damper in the direction of the coordinate \[N or N m\].
    pub spring: Option<f64>,
    /// Force of the stops in that direction \[N or N m\].
    pub stop: Option<f64>,
    /// Force of the drive in that direction \[N or N m\].
    pub drive: Option<f64>,
    /// Force of couplings with other coordinates in that direction \[N or N m\].
    pub coupling: Option<f64>,
}

impl JointAction {
    /// Power of the drive on the bodies \[W\].
    pub fn power(&self) -> Option<f64> {
        self.drive.map(|force| force * self.rate)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A state at time t of a body that translates, spins about a fixed axis and stretches linearly in time.
    fn at(t: f64) -> (BodyState, Vec<[f64; 3]>) {
        let (velocity, omega) = ([0.3, -0.2, 0.5], Vector3::new(0.4, -0.9, 0.2));
        let state = BodyState {
            position: velocity.map(|v| v * t),
            quaternion: rotation::from_vector(&(omega * t)),
            velocity,
            angular_velocity: omega.into(),
            ..BodyState::default()
        };
        (state, vec![[0.1 * t, 0.0, -0.2 * t], [0.0, 0.05 * t, 0.0]])
    }

    #[test]
    fn velocities_are_time_derivatives_of_displacements() {
        let points = [Vector3::new(1.0, 0.0, 0.5), Vector3::new(-0.3, 0.8, 0.1)];
        let reference = at(0.0).0.pose();
        let displacements = |t: f64| {
            let (state, elastic) = at(t);
            state.pose().displacements(&reference, &points, &elastic)
        };
        let (state, elastic) = at(0.7);
        let rates = [[0.1, 0.0, -0.2], [0.0, 0.05, 0.0]];
        let found = state.point_velocities(&points, &elastic, &rates);
        let h = 1e-5;
        let (after, before) = (displacements(0.7 + h), displacements(0.7 - h));
        for k in 0..2 {
            for a in 0..3 {
                let rate = (after[k][a] - before[k][a]) / (2.0 * h);
                assert!((found[k][a] - rate).abs() < 1e-9, "{} {rate}", found[k][a]);
            }
        }
        assert_eq!(displacements(0.0), [[0.0; 3]; 2]);
    }
}
