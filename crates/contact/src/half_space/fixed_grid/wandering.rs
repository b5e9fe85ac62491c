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

use nalgebra::Vector3;

use crate::half_space::GridCompliance;

/// Places and weights of the second body.
pub(super) struct Wandering {
    own: GridCompliance,
    /// Forces of the places, their gradients over the place of the cells, and the response to them: three
    /// numbers for each place in the axes of the body.
    loads: [Vec<f64>; 3],
    response: Vec<f64>,
}

impl Wandering {
    pub(super) fn new(own: GridCompliance) -> Self {
        let n = own.far.nrows();
        Self { own, loads: std::array::from_fn(|_| vec![0.0; n]), response: vec![0.0; n] }
    }

    /// −½ fᵀ (∂C/∂x) f along both tangents \[N\].
    ///
    /// * `pressures` — normal forces
    /// * `friction` — τ of a cell on the first body
    pub(super) fn force(&mut self, pressures: &[f64], friction: impl Fn(usize) -> [f64; 2]) -> [f64; 2] {
        let Self { own: GridCompliance { weights, gradients, frames, far, .. }, loads, response } = self;
        loads.iter_mut().for_each(|load| load.fill(0.0));
        for (cell, &normal) in pressures.iter().enumerate().filter(|(_, f)| **f > 0.0) {
            // Friction on the second body is opposite.
            let [f, g] = friction(cell);
            let along = frames[cell].transpose() * Vector3::new(normal, -f, -g);
            for (load, weights) in loads.iter_mut().zip([&*weights, &gradients[0], &gradients[1]]) {
                for (load, weight) in load.as_chunks_mut::<3>().0.iter_mut().zip(weights.col_as_slice(cell)) {
                    (0..3).for_each(|a| load[a] += weight * along[a]);
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
