//! Rows of a pair: a node against a face, with its multipliers.

use carom_contact::step_gradient::StepGap;
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
    /// Gap, the offset added, with its gradients.
    pub(in crate::implicit) gap: StepGap,
    /// Steps since it was active.
    pub(super) idle: u32,
    /// Changes in this step.
    pub(super) changes: u32,
    /// True if it touched at the start of the step, after rows have moved: its offset stays where it opens
    /// and closes again.
    pub(super) was_active: bool,
    /// Least gap at the start of the step with the offset \[m\]; none if the offset stays.
    pub(super) start: Option<f64>,
    /// Added to the gap of the row: the depth of the node, at the start of the step, behind the continuation
    /// of a face that it has come to from beside \[m\].
    pub(super) offset: f64,
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
    /// An open row.
    pub(super) fn new(node: u32, face: u32) -> Self {
        Self {
            node,
            face,
            xi: [0.0; 2],
            is_active: false,
            lambda: [0.0; 3],
            gap: StepGap::default(),
            idle: 0,
            changes: 0,
            was_active: false,
            start: None,
            offset: 0.0,
            spring: None,
        }
    }

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

    /// Residual of the law of a multiplier \[m\]: of hard contact the gap at the end.
    pub(in crate::implicit) fn law_residual(&self, part: usize) -> f64 {
        self.spring.as_ref().map_or(self.gap.gaps[1], |spring| spring.law_residual(part))
    }

    /// The largest error of the law of friction \[N\].
    pub(in crate::implicit) fn misfit(&self) -> f64 {
        let of = |spring: &Spring| (1..3).map(|part| spring.misfit(part).abs()).fold(0.0, f64::max);
        self.spring.as_ref().map_or(0.0, of)
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
