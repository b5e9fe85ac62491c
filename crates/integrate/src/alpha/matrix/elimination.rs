//! Elimination of the unknowns of a step, together or one kind after the other.
//!
//! Multipliers and impulses act along the same rows. Where no force changes with the velocities that the
//! impulses change, C M⁻¹ Gᵀ = 0, the sum σ of their unknowns in place of Λ makes the matrix a block
//! triangle:
//!
//! ```text
//! ⎡ P    Gᵀ ⎤ ⎡ ξ ⎤   ⎡ r₁ ⎤
//! ⎣ g_ξ  0  ⎦ ⎣ σ ⎦ = ⎣ r₂ ⎦ ,     G M⁻¹ Gᵀ h μ = r₃ − (γ/β G + h (G z)_ξ) ξ ,     Λ = σ − h μ
//! ```
//!
//! with P of the first block of the matrix. A joint has half the unknowns in the first system, and joints on
//! the same body do not couple there but through it. The index-3 form has the first system alone, with any C.

use carom_linalg::blocks::{BlockLu, BlockMut, BlockPattern};
use carom_linalg::dense::dot;

use super::places::{Block, Places};
use crate::tiles::Tiles;

/// Factors of the matrix of a step.
#[derive(Debug, Default)]
pub(super) struct Elimination {
    is_divided: bool,
    has_impulses: bool,
    /// Made where a matrix first needs them.
    whole: Option<Factors>,
    motion: Option<Factors>,
    impulses: Option<Factors>,
    /// Right-hand sides of the impulses.
    right: Vec<f64>,
}

/// Factors of a matrix, and what each of its blocks is.
#[derive(Debug)]
struct Factors {
    lu: BlockLu,
    blocks: Vec<Block>,
}

impl Factors {
    fn new((pattern, blocks): (BlockPattern, Vec<Block>)) -> Self {
        Self { lu: BlockLu::new(&pattern), blocks }
    }

    fn factorise(&mut self, write: &impl Fn(Block, BlockMut<'_>)) {
        let Self { lu, blocks } = self;
        lu.factorise(|number, out| write(blocks[number], out));
    }
}

/// The equations besides their factors.
#[derive(Debug, Clone, Copy)]
pub(super) struct Equations<'a> {
    pub(super) places: &'a Places,
    /// Scales of all unknowns and equations.
    pub(super) scales: &'a [f64],
    /// γ/β G + h (G z)_ξ of each incidence.
    pub(super) speeds: &'a Tiles,
}

impl Elimination {
    /// Factorises the matrix whose blocks `write` writes.
    ///
    /// * `has_impulses` — whether there are equations of velocities
    /// * `is_damped` — whether impulses change forces
    pub(super) fn factorise(
        &mut self,
        places: &Places,
        has_impulses: bool,
        is_damped: bool,
        write: impl Fn(Block, BlockMut<'_>),
    ) {
        let (n, m) = (places.structure.velocities(), places.structure.constraints());
        self.has_impulses = has_impulses && m > 0;
        self.is_divided = !(self.has_impulses && is_damped);
        if !self.is_divided {
            self.whole.get_or_insert_with(|| Factors::new(places.whole(n, m))).factorise(&write);
            return;
        }
        self.motion.get_or_insert_with(|| Factors::new(places.motion(n))).factorise(&write);
        if self.has_impulses {
            self.impulses.get_or_insert_with(|| Factors::new(places.impulses())).factorise(&write);
            self.right.resize(m, 0.0);
        }
    }

    /// True if multipliers and impulses are eliminated one kind after the other.
    #[cfg(test)]
    pub(super) fn is_divided(&self) -> bool {
        self.is_divided
    }

    /// Writes the unknowns for the right-hand side `right` of all equations to `out`, both in their own
    /// units.
    pub(super) fn solve(&mut self, of: Equations<'_>, right: impl Fn(usize) -> f64, out: &mut [f64]) {
        let Equations { places, scales, speeds } = of;
        let first = if self.is_divided { &mut self.motion } else { &mut self.whole };
        let Some(first) = first else { return };
        first.lu.solve(|i| scales[i] * right(i), |i, x| out[i] = scales[i] * x);
        if !self.is_divided {
            return;
        }
        let (n, m) = (places.structure.velocities(), places.structure.constraints());
        let (of_motion, of_impulses) = out.split_at_mut(n + m);
        let (increment, multipliers) = of_motion.split_at_mut(n);
        let Some(impulses) = self.impulses.as_mut().filter(|_| self.has_impulses) else {
            of_impulses.fill(0.0);
            return;
        };
        let scales = &scales[n + m..];
        for (group, incidences) in places.structure.groups.iter().zip(&places.of_group) {
            for (l, k) in group.rows.clone().enumerate() {
                let mut speed = right(n + m + k);
                for &at in incidences {
                    let part = &places.structure.parts[places.incidences[at].1];
                    speed -= dot(speeds.row(at, l), &increment[part.velocities.clone()]);
                }
                self.right[k] = scales[k] * speed;
            }
        }
        let right = &self.right;
        impulses.lu.solve(|k| right[k], |k, x| of_impulses[k] = scales[k] * x);
        multipliers.iter_mut().zip(of_impulses).for_each(|(sum, impulse)| *sum -= *impulse);
    }
}
