//! Loads that do not depend on contact: gravity, forces and torques at markers.

use std::sync::Arc;

use nalgebra::Vector3;

use crate::time_function::TimeFunction;

/// Axes in which a vector is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Axes {
    /// Fixed in space: the load keeps its direction.
    #[default]
    Inertial,
    /// Fixed to the body: the load follows its rotation.
    Body,
}

/// A material point of a body, or the mean of several, at which loads act.
///
/// ```text
/// c = R + φ q − ½ qᵀ K q ,     ϑ = ψ q − ½ qᵀ K q            (six matrices K, none in linear theory)
/// ```
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Marker {
    /// Reference position in the body frame \[m\].
    pub position_b: [f64; 3],
    /// φ: displacement of the marker for each dynamic mode.
    pub displacement: Vec<[f64; 3]>,
    /// ψ: rotation of the marker for each dynamic mode \[rad per unit\].
    pub rotation: Vec<[f64; 3]>,
    /// The points of its model that it moves with.
    pub points: MarkerPoints,
    /// K, its displacement of second order; none in linear theory.
    pub second_order: Option<Arc<SecondOrder>>,
}

/// Points of a model that a marker moves with, as far as the model may keep their displacement of second
/// order.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum MarkerPoints {
    /// No such points: the marker is a point of the frame, or it lies off the interface.
    #[default]
    Other,
    /// The points of the attachment of this number.
    Attachment(usize),
    /// Points of the interface.
    Interface(Arc<[InterfacePoint]>),
}

/// The part of one point of the interface in a marker.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct InterfacePoint {
    /// Number of the point in the boundary of its model.
    pub row: usize,
    /// Force on the point of a unit force along x, y, z on the marker, and of a unit moment about x, y, z
    /// \[1, 1/m\]. With the displacement u of the point, `forces · u` is its part of the displacement and
    /// the rotation of the marker.
    pub forces: [[f64; 3]; 6],
}

/// The displacement and rotation of a marker of second order in the modal coordinates: a rod that bends
/// becomes shorter.
///
/// K_a is the geometric stiffness of the body under a unit force (a below 3) or moment on the marker
/// (docs/theory/stiffening.md, eq. (126)), symmetric.
#[derive(Debug, Clone, PartialEq)]
pub struct SecondOrder {
    /// Number of modal coordinates.
    n: usize,
    /// K_a, one after the other, each n × n.
    values: Vec<f64>,
}

impl SecondOrder {
    /// Six symmetric n × n matrices, one after the other.
    ///
    /// # Panics
    ///
    /// If there are not 6 n² numbers.
    pub fn new(n: usize, values: Vec<f64>) -> Self {
        assert_eq!(values.len(), 6 * n * n, "six n × n matrices");
        Self { n, values }
    }

    /// (K q)_k: translations, rotations.
    fn times(&self, k: usize, q: &[f64]) -> [Vector3<f64>; 2] {
        let n = self.n;
        let row = |a: usize| -> f64 {
            self.values[(a * n + k) * n..][..n].iter().zip(q).map(|(value, q)| value * q).sum()
        };
        [Vector3::from_fn(|a, _| row(a)), Vector3::from_fn(|a, _| row(3 + a))]
    }

    /// qᵀ K q: translation, rotation.
    pub fn square(&self, q: &[f64]) -> [Vector3<f64>; 2] {
        q.iter().enumerate().fold([Vector3::zeros(); 2], |[c, turn], (k, q_k)| {
            let [along, about] = self.times(k, q);
            [c + *q_k * along, turn + *q_k * about]
        })
    }
}

impl Marker {
    /// Displacement and rotation of the marker for a unit of the rate of mode k at a deformation,
    /// `∂c/∂q_k = φ_k − (K q)_k` and the same of ψ.
    pub fn shape(&self, k: usize, q: &[f64]) -> [Vector3<f64>; 2] {
        let linear = [Vector3::from(self.displacement[k]), Vector3::from(self.rotation[k])];
        match &self.second_order {
            None => linear,
            Some(second) => {
                let [along, about] = second.times(k, q);
                [linear[0] - along, linear[1] - about]
            }
        }
    }
}

/// A force and torque at a marker, with a fixed direction and a factor that depends on time.
#[derive(Debug, Clone, PartialEq)]
pub struct PointLoad {
    /// Index of the body.
    pub body: usize,
    /// The marker at which it acts.
    pub marker: Marker,
    /// Force \[N\].
    pub force: [f64; 3],
    /// Torque \[N m\].
    pub torque: [f64; 3],
    /// Axes of both.
    pub axes: Axes,
    /// Factor of both.
    pub scale: TimeFunction,
}

/// All loads of a system.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Loads {
    /// Acceleration of gravity g, inertial axes \[m/s²\].
    pub gravity: [f64; 3],
    /// Forces and torques.
    pub point_loads: Vec<PointLoad>,
}

impl Loads {
    /// g as a vector.
    pub fn gravity(&self) -> Vector3<f64> {
        Vector3::from(self.gravity)
    }
}
