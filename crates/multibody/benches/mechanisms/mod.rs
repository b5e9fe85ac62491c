//! Chains, trees and rings of equal bodies on spherical joints under gravity.

use carom_dynamics::{Loads, Placement, rotation};
use carom_multibody::{Body, Joint, JointEnd, JointKind, Settings, Simulation, System};
use nalgebra::{Matrix3, UnitQuaternion, Vector3};

/// Graph of the joints.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    /// Each body hangs on the one before, the first on the ground; all lie in a line at the start.
    Chain,
    /// Two bodies hang on each; the first hangs on the ground.
    Tree,
    /// A regular polygon in a vertical plane that hangs on the ground at one corner.
    Ring,
}

impl Shape {
    /// All shapes.
    pub(crate) const ALL: [Self; 3] = [Self::Chain, Self::Tree, Self::Ring];

    /// Name in tables.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Chain => "chain",
            Self::Tree => "tree",
            Self::Ring => "ring",
        }
    }
}

/// n bodies at rest that begin to swing. The ends of a body are points of a lattice
/// (`tests/lattice`).
pub(crate) fn mechanism(shape: Shape, body: &Body, n: usize, settings: Settings) -> Simulation {
    let marker = |points: &[u32]| body.marker(points).expect("points of the lattice");
    let ends = [marker(&[0, 1, 2, 9, 10, 11]), marker(&[6, 7, 8, 15, 16, 17])];
    let [start, stop] = ends.each_ref().map(|end| Vector3::from(end.position_b));
    let length = (stop - start).norm();
    let edge = |angle: f64| length * Vector3::new(angle.cos(), 0.0, angle.sin());
    let end =
        |body, which: usize| JointEnd { body, marker: ends[which].clone(), triad_b: Matrix3::identity() };
    let joint = |name: usize, ends| Joint { name: format!("{name}"), kind: JointKind::Spherical, ends };
    let mut joints = vec![joint(0, [end(None, 0), end(Some(0), 0)])];
    let mut corners = vec![Vector3::zeros(); n];
    let mut angles = vec![0.0; n];
    for k in 0..n {
        angles[k] = match shape {
            Shape::Ring => std::f64::consts::TAU * k as f64 / n as f64,
            Shape::Chain | Shape::Tree => 0.0,
        };
        if k == 0 {
            continue;
        }
        let before = if shape == Shape::Tree { (k - 1) / 2 } else { k - 1 };
        corners[k] = corners[before] + edge(angles[before]);
        joints.push(joint(k, [end(Some(before), 1), end(Some(k), 0)]));
    }
    if shape == Shape::Ring {
        joints.push(joint(n, [end(Some(n - 1), 1), end(Some(0), 0)]));
    }
    // The marker of the ground is that of the first body's start, at the place of an undeformed body there.
    let place = |k: usize| {
        let turn = UnitQuaternion::rotation_between(&(stop - start), &edge(angles[k]));
        let turn = turn.unwrap_or_else(|| UnitQuaternion::from_axis_angle(&Vector3::y_axis(), 3.2));
        let quaternion = [turn.w, turn.i, turn.j, turn.k];
        let origin = start + corners[k] - rotation::matrix(&quaternion) * start;
        Placement { origin: origin.into(), quaternion, ..Placement::default() }
    };
    let places: Vec<_> = (0..n).map(place).collect();
    let loads = Loads { gravity: [0.0, 0.0, -9.81], ..Loads::default() };
    let system = System::new(vec![body.clone(); n], loads, Vec::new()).expect("bodies without pairs");
    let system = system.with_joints(joints).expect("joints between neighbours");
    Simulation::new(system, &places, settings).expect("a mechanism that is closed")
}
