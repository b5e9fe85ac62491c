//! The state of a rigid body.

use nalgebra::Vector3;

/// Position, orientation and momenta of a body.
///
/// The state consists of angular momentum and a unit quaternion, not of the inertia tensor in space:
/// rotating that tensor in every step loses energy by round-off (2e-5 of it in 1e7 steps).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct State {
    /// x: centre of mass, inertial axes \[m\].
    pub position: Vector3<f64>,
    /// Rounding remainder of the position \[m\]. Without it equal steps would round in the same way each
    /// time, and so would x × p.
    pub remainder: Vector3<f64>,
    /// Unit quaternion, principal axes → inertial axes.
    pub quaternion: [f64; 4],
    /// p = m v, inertial axes \[N s\].
    pub momentum: Vector3<f64>,
    /// s = I ω: angular momentum about the centre of mass, inertial axes \[N m s\].
    pub spin: Vector3<f64>,
}

impl State {
    /// Numbers in [`State::to_array`].
    pub const NUMBERS: usize = 16;

    /// All numbers in one array, for checkpoints.
    pub fn to_array(&self) -> [f64; Self::NUMBERS] {
        let mut array = [0.0; Self::NUMBERS];
        array[..3].copy_from_slice(self.position.as_slice());
        array[3..7].copy_from_slice(&self.quaternion);
        array[7..10].copy_from_slice(self.momentum.as_slice());
        array[10..13].copy_from_slice(self.spin.as_slice());
        array[13..].copy_from_slice(self.remainder.as_slice());
        array
    }

    /// The inverse of [`State::to_array`].
    pub fn from_array(array: &[f64; Self::NUMBERS]) -> Self {
        let vector = |i: usize| Vector3::new(array[i], array[i + 1], array[i + 2]);
        Self {
            position: vector(0),
            quaternion: [array[3], array[4], array[5], array[6]],
            momentum: vector(7),
            spin: vector(10),
            remainder: vector(13),
        }
    }

    /// Moves the centre of mass and keeps the rounding remainder.
    #[inline]
    pub(crate) fn moved(&mut self, from: &Self, by: Vector3<f64>) {
        let by = by + from.remainder;
        self.position = from.position + by;
        self.remainder = by - (self.position - from.position);
    }

    /// L = x × p + s: angular momentum about the inertial origin \[N m s\].
    pub fn ang_momentum(&self) -> Vector3<f64> {
        self.position.cross(&self.momentum) + self.spin
    }
}
