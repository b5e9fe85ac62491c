//! Straight two-node beams in large displacement and rotation.
//!
//! ```text
//! Λ_a = R_a Λ_0,   exp Ψ = Λ₁ᵀ Λ₂,   Λ_m = Λ₁ exp(Ψ/2)
//! Γ = Λ_mᵀ (x₂ − x₁)/L − e₁,   K = Ψ/L,   U = ½ L (Γ·C_Γ Γ + K·C_K K)
//! ```
//!
//! Axial strain and shear Γ, twist and curvature K of the section half-way, Λ_0 the axes of the beam. With
//! exp(Ψ/2), half of the relative rotation, strains do not change under a rotation of the whole beam, and
//! forces are derivatives of an energy: their sum and their moment vanish in every configuration.
//!
//! One point would lock in bending no more, but miss the deflection within the beam: MacNeal's flexibility is
//! added to that of shear, 1/(κ G A)* = 1/(κ G A) + L²/(12 E I). A cantilever is then exact at its nodes.
//!
//! # Source
//!
//! Simo (1985), Comput. Methods Appl. Mech. Engrg 49, 55–70 (strains); Crisfield & Jelenić (1999), Proc. R.
//! Soc. Lond. A 455, 1125–1147 (relative rotations); MacNeal (1978), Computers & Structures 8, 175–183.

use nalgebra::{Matrix3, Vector3};

use crate::Material;
use carom_mesh::section::BeamSection;

/// The largest relative rotation of the ends of a beam \[rad\].
pub(super) const MOST_BENT: f64 = 2.5;

/// A beam at its start.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct BeamCell {
    pub(super) length: f64,
    /// Λ_0: columns e₁, e₂, e₃.
    axes: Matrix3<f64>,
    /// E A, (κ G A)* along e₂ and e₃ \[N\].
    normal_stiffness: Vector3<f64>,
    /// G J, E I₂, E I₃ \[N m²\].
    bending_stiffness: Vector3<f64>,
}

/// A beam at a state: its strains, and the arms of its forces.
pub(super) struct BeamState {
    /// x₂ − x₁.
    span: Vector3<f64>,
    /// Λ₁ and Λ_m.
    first: Matrix3<f64>,
    middle: Matrix3<f64>,
    /// Ψ.
    turn: Vector3<f64>,
    /// Γ and K.
    strain: [Vector3<f64>; 2],
}

impl BeamCell {
    pub(super) fn new(ends: [Vector3<f64>; 2], section: &BeamSection, material: &Material) -> Option<Self> {
        let along = ends[1] - ends[0];
        let length = along.norm();
        if !(length > 0.0 && length.is_finite()) {
            return None;
        }
        let e1 = along / length;
        let normal = |v: Vector3<f64>| v - e1 * e1.dot(&v);
        let given = Vector3::from(section.axis);
        let least = if e1.x.abs() < 0.6 { Vector3::x() } else { Vector3::y() };
        let e2 = if normal(given).norm() > 1e-6 * given.norm() { normal(given) } else { normal(least) };
        let e2 = e2.normalize();
        let (_, shear) = material.lame();
        let [i2, i3] = section.inertia;
        // A shear force along e₂ bends about e₃.
        let shear_stiffness = |area: f64, inertia: f64| {
            1.0 / (1.0 / (shear * area) + length * length / (12.0 * material.young * inertia))
        };
        Some(Self {
            length,
            axes: Matrix3::from_columns(&[e1, e2, e1.cross(&e2)]),
            normal_stiffness: Vector3::new(
                material.young * section.area,
                shear_stiffness(section.shear_area[0], i3),
                shear_stiffness(section.shear_area[1], i2),
            ),
            bending_stiffness: Vector3::new(
                shear * section.torsion,
                material.young * i2,
                material.young * i3,
            ),
        })
    }

    /// Strains at the state of both ends.
    ///
    /// * `places` — x₁, x₂
    /// * `rotations` — R₁, R₂
    #[inline]
    pub(super) fn state(&self, places: [Vector3<f64>; 2], rotations: [&Matrix3<f64>; 2]) -> BeamState {
        let [first, second] = rotations.map(|rotation| rotation * self.axes);
        let turn = rotation_vector(&(first.transpose() * second));
        let middle = first * rotation_of(&(0.5 * turn));
        let span = places[1] - places[0];
        let stretch = middle.transpose() * span / self.length - Vector3::x();
        BeamState { span, first, middle, turn, strain: [stretch, turn / self.length] }
    }

    /// N = C_Γ Γ and M = C_K K \[N, N m\].
    #[inline]
    pub(super) fn resultants(&self, state: &BeamState) -> [Vector3<f64>; 2] {
        let [stretch, curvature] = &state.strain;
        [self.normal_stiffness.component_mul(stretch), self.bending_stiffness.component_mul(curvature)]
    }

    /// U \[J\].
    pub(super) fn energy(&self, state: &BeamState) -> f64 {
        let [n, m] = self.resultants(state);
        0.5 * self.length * (n.dot(&state.strain[0]) + m.dot(&state.strain[1]))
    }

    /// Stiffnesses of the six strains, in the order of [`BeamState::forces`].
    pub(super) fn stiffness(&self) -> [Vector3<f64>; 2] {
        [self.normal_stiffness, self.bending_stiffness]
    }
}

impl BeamState {
    /// |Ψ| \[rad\].
    pub(super) fn angle(&self) -> f64 {
        self.turn.norm()
    }

    /// Forces and moments on both ends, linear in the resultants: derivatives of L (N·Γ + M·K) at constant N
    /// and M.
    #[inline]
    pub(super) fn forces(&self, [n, m]: [Vector3<f64>; 2]) -> [[Vector3<f64>; 2]; 2] {
        let force = self.middle * n;
        // The rotation of the section half-way is that of end 1 and G times that of end 2 relative to it.
        let moment = force.cross(&self.span);
        let local = self.first.transpose() * moment;
        let angle = self.turn.norm();
        let quarter = if angle < 1e-3 { 0.25 + angle * angle / 192.0 } else { (0.25 * angle).tan() / angle };
        let shared = 0.5 * (local + quarter * self.turn.cross(&local));
        let square = if angle < 1e-2 {
            1.0 / 12.0 + angle * angle * (1.0 / 720.0 + angle * angle / 30240.0)
        } else {
            (1.0 - 0.5 * angle / (0.5 * angle).tan()) / (angle * angle)
        };
        let across = self.turn.cross(&m);
        let bending = m + 0.5 * across + square * self.turn.cross(&across);
        let second = self.first * (shared + bending);
        [[-force, moment - second], [force, second]]
    }
}

/// Ψ of a rotation by less than half a turn.
#[inline]
fn rotation_vector(matrix: &Matrix3<f64>) -> Vector3<f64> {
    let axis = 0.5
        * Vector3::new(
            matrix[(2, 1)] - matrix[(1, 2)],
            matrix[(0, 2)] - matrix[(2, 0)],
            matrix[(1, 0)] - matrix[(0, 1)],
        );
    let sine = axis.norm();
    let angle = sine.atan2(0.5 * (matrix.trace() - 1.0));
    // arcsin(s)/s ≈ 1 + s²/6.
    if angle < 1e-4 { axis * (1.0 + sine * sine / 6.0) } else { axis * (angle / sine) }
}

/// exp of a rotation vector.
#[inline]
fn rotation_of(vector: &Vector3<f64>) -> Matrix3<f64> {
    let square = vector.norm_squared();
    let angle = square.sqrt();
    let (a, b) = if angle < 1e-3 {
        (1.0 - square / 6.0, 0.5 - square / 24.0)
    } else {
        (angle.sin() / angle, 2.0 * (0.5 * angle).sin().powi(2) / square)
    };
    let skew = vector.cross_matrix();
    Matrix3::identity() + a * skew + b * skew * skew
}
