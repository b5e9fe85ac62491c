//! Where each quantity lies in the state vector y.
//!
//! ```text
//! y = ( r, b, q, P, L, p  of body 0;  … of body 1;  …;   J, H, W_ext, D_mat;
//!       impulse and impulse of friction of a pair;  … )
//! ```
//!
//! The impulses are those of all pairs, or of those that had a force (`pair_slots`). The last part are
//! integrals along the way. The integrator's own quadrature computes them, and they do not influence its
//! steps. A body whose frame is held does not use its P and L as momenta: they collect the
//! impulse and the angular impulse that it passes to the ground.

use nalgebra::Vector3;

/// Offsets of the state vector.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layout {
    /// Start of each body.
    offsets: Vec<usize>,
    /// Dynamic modes of each body.
    modes: Vec<usize>,
    /// Start of the integrals.
    integrals: usize,
    /// Length of y.
    dim: usize,
}

/// Integrals in addition to those of the pairs: impulse (3), angular impulse (3), work, damping.
const INTEGRALS: usize = 8;

/// Integrals of a pair: impulse (3), its part from friction (3).
pub(crate) const PAIR_INTEGRALS: usize = 6;

impl Layout {
    /// For bodies with these numbers of dynamic modes, and the impulses of this number of contact pairs.
    pub fn new(modes: Vec<usize>, slots: usize) -> Self {
        let mut next = 0;
        let offsets = modes
            .iter()
            .map(|n| {
                let start = next;
                next += 13 + 2 * n;
                start
            })
            .collect();
        Self { offsets, modes, integrals: next, dim: next + INTEGRALS + PAIR_INTEGRALS * slots }
    }

    /// Length of y.
    pub fn dim(&self) -> usize {
        self.dim
    }

    /// Number of bodies.
    pub fn bodies(&self) -> usize {
        self.modes.len()
    }

    /// Dynamic modes of a body.
    pub fn modes(&self, body: usize) -> usize {
        self.modes[body]
    }

    /// Positions and momenta of a body.
    pub(crate) fn components(&self, body: usize) -> std::ops::Range<usize> {
        self.offsets[body]..self.offsets[body] + 13 + 2 * self.modes[body]
    }

    /// Start of r.
    pub fn position(&self, body: usize) -> usize {
        self.offsets[body]
    }

    /// Start of b.
    pub fn quaternion(&self, body: usize) -> usize {
        self.offsets[body] + 3
    }

    /// Start of q.
    pub fn modal(&self, body: usize) -> usize {
        self.offsets[body] + 7
    }

    /// Start of P.
    pub fn momentum(&self, body: usize) -> usize {
        self.offsets[body] + 7 + self.modes[body]
    }

    /// Start of L.
    pub fn ang_momentum(&self, body: usize) -> usize {
        self.momentum(body) + 3
    }

    /// Start of p.
    pub fn modal_momentum(&self, body: usize) -> usize {
        self.momentum(body) + 6
    }

    /// Start of J, the impulse of loads on the bodies that move.
    pub fn external_impulse(&self) -> usize {
        self.integrals
    }

    /// Start of H, their angular impulse about the inertial origin.
    pub fn external_ang_impulse(&self) -> usize {
        self.integrals + 3
    }

    /// W_ext.
    pub fn work(&self) -> usize {
        self.integrals + 6
    }

    /// D_mat.
    pub fn damping(&self) -> usize {
        self.integrals + 7
    }

    /// The impulse on the first surface of a pair, and the part of it that is from friction.
    pub(crate) fn pair_slot(&self, slot: usize) -> std::ops::Range<usize> {
        let start = self.integrals + INTEGRALS + PAIR_INTEGRALS * slot;
        start..start + PAIR_INTEGRALS
    }

    /// The impulses of pairs in the first slots.
    pub(crate) fn pair_integrals(&self, slots: usize) -> std::ops::Range<usize> {
        let start = self.integrals + INTEGRALS;
        start..start + PAIR_INTEGRALS * slots
    }

    /// True for components of r, b and q.
    pub fn is_position(&self, component: usize) -> bool {
        let body = self.offsets.partition_point(|&start| start <= component);
        body > 0 && component < self.momentum(body - 1)
    }

    /// First component that is an integral only.
    pub fn first_integral(&self) -> usize {
        self.integrals
    }
}

/// Three numbers of y as a vector.
pub(crate) fn vector(y: &[f64], start: usize) -> Vector3<f64> {
    Vector3::new(y[start], y[start + 1], y[start + 2])
}

/// Writes a vector into y.
pub(crate) fn put(y: &mut [f64], start: usize, value: &Vector3<f64>) {
    y[start..start + 3].copy_from_slice(value.as_slice());
}

/// Adds a vector to three numbers of y.
pub(crate) fn add(y: &mut [f64], start: usize, value: &Vector3<f64>) {
    for (y, value) in y[start..start + 3].iter_mut().zip(value.as_slice()) {
        *y += value;
    }
}

/// The quaternion of a body in y.
pub(crate) fn quaternion(y: &[f64], start: usize) -> [f64; 4] {
    [y[start], y[start + 1], y[start + 2], y[start + 3]]
}
