//! Rows of a pair: a node against a face, with its multipliers.

use carom_contact::step_gradient::{StartGap, StepGap};
use nalgebra::{Matrix3, Vector3};

use super::spring::{Sliding, Spring};

/// A node against a face.
#[derive(Debug, Clone)]
pub(in crate::implicit) struct Row {
    pub(super) node: u32,
    pub(super) face: u32,
    pub(super) xi: [f64; 2],
    /// True if it touches.
    pub(in crate::implicit) is_active: bool,
    /// Multipliers: the mean normal force of the step, and those of friction \[N\].
    pub(in crate::implicit) lambda: [f64; 3],
    /// Gap with its gradients.
    pub(in crate::implicit) gap: StepGap,
    /// Steps since it was active.
    pub(super) idle: u32,
    /// Changes in this step.
    pub(super) changes: u32,
    /// The gap at the start of the step.
    pub(super) start: StartGap,
    /// The springs of a penalty.
    pub(super) spring: Option<Spring>,
}

/// Identifies a row: pair, node, face.
pub(in crate::implicit) type RowKey = [u32; 3];

/// A point of a row: its part of the node, or of the face.
#[derive(Debug, Clone, Copy)]
pub(in crate::implicit) struct Entry {
    pub(in crate::implicit) body: usize,
    pub(in crate::implicit) point: u32,
    /// Block of the gradients.
    pub(in crate::implicit) block: usize,
    /// Factor of the block.
    pub(in crate::implicit) weight: f64,
}

impl Row {
    /// Opens the row.
    pub(super) fn open(&mut self) {
        (self.is_active, self.lambda) = (false, [0.0; 3]);
        self.changes += 1;
    }

    /// Number of 3-vectors of its gradients.
    pub(in crate::implicit) fn n_blocks(&self) -> usize {
        self.gap.gradient.len()
    }

    /// Number of its multipliers.
    pub(in crate::implicit) fn n_multipliers(&self) -> usize {
        if self.sliding().is_some() { 3 } else { 1 }
    }

    fn sliding(&self) -> Option<&Sliding> {
        self.spring.as_ref().and_then(Spring::sliding)
    }

    /// True if its multiplier keeps the gap closed.
    pub(in crate::implicit) fn is_hard(&self) -> bool {
        self.spring.is_none()
    }

    /// Its multipliers \[N\].
    pub(in crate::implicit) fn multipliers_mut(&mut self) -> &mut [f64] {
        let n = self.n_multipliers();
        &mut self.lambda[..n]
    }

    /// D: blocks of the force of a unit multiplier.
    pub(in crate::implicit) fn gradient(&self, part: usize) -> &[Vector3<f64>] {
        match (part, self.sliding()) {
            (1.., Some(sliding)) => &sliding.slips[part - 1].gradient,
            _ => &self.gap.gradient,
        }
    }

    /// Σ λ D, one block \[N\].
    pub(in crate::implicit) fn force(&self, block: usize) -> Vector3<f64> {
        let parts = 0..self.n_multipliers();
        parts.map(|part| self.lambda[part] * self.gradient(part)[block]).sum()
    }

    /// Σ λ ∂D/∂u₁, one block.
    pub(in crate::implicit) fn tangent(&self, block: usize) -> Matrix3<f64> {
        let mut sum = self.lambda[0] * self.gap.tangent[block];
        if let Some(sliding) = self.sliding() {
            for (slip, lambda) in sliding.slips.iter().zip(&self.lambda[1..]) {
                sum += *lambda * slip.tangent[block];
            }
        }
        sum
    }

    /// Residual of the law of a multiplier: the gap of hard contact at the end \[m\]; springs have the
    /// forces of their law at once.
    pub(in crate::implicit) fn law_residual(&self) -> f64 {
        if self.is_hard() { self.gap.gaps[1] } else { 0.0 }
    }

    /// G: the derivative of the law of a multiplier with respect to the places at the end.
    pub(in crate::implicit) fn slope(&self, part: usize, block: usize) -> Vector3<f64> {
        match &self.spring {
            Some(spring) => spring.slope(part, &self.gap, block),
            None => self.gap.at_end[block],
        }
    }

    /// β: its derivative with respect to the multipliers \[m/N\].
    pub(in crate::implicit) fn law_slopes(&self, part: usize) -> [f64; 3] {
        self.spring.as_ref().map_or([0.0; 3], |spring| spring.law_slopes(part))
    }

    /// The key of a row of a pair.
    pub(in crate::implicit) fn key(&self, pair: usize) -> RowKey {
        [pair as u32, self.node, self.face]
    }
}
