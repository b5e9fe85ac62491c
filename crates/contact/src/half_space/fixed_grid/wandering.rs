//! The force along the surface by which a grid moves over the places of the second body.
//!
//! Cells are fixed to the first body. Where the second body moves by δ along the plane, its weights belong to
//! another place, and its compliance changes by −δ ∂C/∂x. The grid is laid anew after a cell of such a
//! motion; until then the change is that of
//!
//! ```text
//! −½ fᵀ (∂C/∂x) f      along both tangents, on the second body
//! ```
//!
//! (docs/theory/half-space.md, section 11.3), at the middle of the pressures. The stored energy changes by
//! the work of this force when the grid is laid anew.

use faer::Mat;
use nalgebra::Vector3;

use crate::half_space::GridCompliance;

/// Places and weights of the second body.
pub(super) struct Wandering {
    weights: Mat<f64>,
    gradients: [Mat<f64>; 2],
    far: Mat<f64>,
    /// Forces of the places, their gradients over the place of the cells, and the response to them: one
    /// number for each place, or three with friction.
    loads: [Vec<f64>; 3],
    response: Vec<f64>,
}

impl Wandering {
    pub(super) fn new(own: GridCompliance) -> Self {
        let n = own.far.nrows();
        Self {
            weights: own.weights,
            gradients: own.gradients,
            far: own.far,
            loads: std::array::from_fn(|_| vec![0.0; n]),
            response: vec![0.0; n],
        }
    }

    /// −½ fᵀ (∂C/∂x) f along both tangents \[N\].
    ///
    /// * `pressures` — normal forces
    /// * `friction` — τ of a cell on the first body
    pub(super) fn force(&mut self, pressures: &[f64], friction: impl Fn(usize) -> [f64; 2]) -> [f64; 2] {
        let Self { weights, gradients, far, loads, response } = self;
        let stride = far.nrows() / weights.nrows().max(1);
        loads.iter_mut().for_each(|load| load.fill(0.0));
        for (cell, &normal) in pressures.iter().enumerate().filter(|(_, f)| **f > 0.0) {
            // Friction on the second body is opposite.
            let [f, g] = if stride == 3 { friction(cell) } else { [0.0; 2] };
            let parts = [normal, -f, -g];
            for (load, weights) in loads.iter_mut().zip([&*weights, &gradients[0], &gradients[1]]) {
                let places = load.chunks_exact_mut(stride);
                for (load, weight) in places.zip(weights.col_as_slice(cell)) {
                    load.iter_mut().zip(parts).for_each(|(load, part)| *load += weight * part);
                }
            }
        }
        response.fill(0.0);
        for (k, load) in loads[0].iter().enumerate() {
            response.iter_mut().zip(far.col_as_slice(k)).for_each(|(u, c)| *u += c * load);
        }
        [1, 2].map(|a| -loads[a].iter().zip(response.iter()).map(|(f, u)| f * u).sum::<f64>())
    }
}

/// A force and where it acts.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Acting {
    pub(super) point: Vector3<f64>,
    pub(super) force: Vector3<f64>,
}
