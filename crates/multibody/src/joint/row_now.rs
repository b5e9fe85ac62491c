//! A row of a joint at a state: value, derivatives and known part of the second rate.

use nalgebra::Vector3;

use super::place::Place;

/// A row at a state.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct RowNow {
    /// g, in metres or as the cosine of an angle.
    pub(crate) value: f64,
    /// ∂ġ/∂ẋ_i, ∂ġ/∂ω_i, ∂ġ/∂ẋ_j, ∂ġ/∂ω_j, inertial axes.
    pub(crate) jacobian: [Vector3<f64>; 4],
    /// g̈ without the accelerations of the ends.
    pub(crate) bias: f64,
}

impl RowNow {
    /// G z.
    pub(crate) fn rate(&self, first: &Place, second: &Place) -> f64 {
        let [x_i, w_i, x_j, w_j] = &self.jacobian;
        x_i.dot(&first.velocity) + w_i.dot(&first.omega) + x_j.dot(&second.velocity) + w_j.dot(&second.omega)
    }

    /// The row times a factor.
    pub(crate) fn times(self, factor: f64) -> Self {
        let jacobian = self.jacobian.map(|g| factor * g);
        Self { value: factor * self.value, jacobian, bias: factor * self.bias }
    }

    /// g̈ for a₀ = ω̇ = q̈ = 0 of both bodies.
    pub(crate) fn known(&self, first: &Place, second: &Place) -> f64 {
        let [x_i, w_i, x_j, w_j] = &self.jacobian;
        self.bias
            + x_i.dot(&first.bias)
            + w_i.dot(&first.ang_bias)
            + x_j.dot(&second.bias)
            + w_j.dot(&second.ang_bias)
    }
}

/// The row e·d with the axis e of the first end: the shift of the ends along it.
pub(super) fn along(axis: usize, first: &Place, second: &Place) -> RowNow {
    let d = first.position - second.position;
    let d_rate = first.velocity - second.velocity;
    let e: Vector3<f64> = first.triad.column(axis).into();
    let e_rate = first.omega.cross(&e);
    RowNow {
        value: e.dot(&d),
        jacobian: [e, e.cross(&d), -e, Vector3::zeros()],
        bias: 2.0 * e_rate.dot(&d_rate) + first.omega.cross(&e_rate).dot(&d),
    }
}
