//! Maps from displacement gradients to stresses at the quadrature points.

use crate::constitutive::{Lanes, Law, Tangent, Tensor, ZERO};

/// A map at a batch of quadrature points from the gradients of N displacement fields to a stress and a
/// density.
///
/// The internal force is the map of one field to the stress of a law. The product with the tangent has two
/// fields: the state and the direction. A scheme that conserves energy implements a map of the states at both
/// ends of its step.
pub trait PointMap<const N: usize>: Sync {
    /// The field whose deformation gradient must have det F > 0, if any.
    fn checked_field(&self) -> Option<usize>;

    /// Fills the stress, and returns the density that is integrated over the body.
    ///
    /// * `gradients` — ∂u/∂X of each field
    /// * `old` — history variables of the last accepted state
    /// * `new` — history variables of the present state: read, or written by a map that determines them
    /// * `pk1` — zero at entry; receives the stress whose divergence is the force \[Pa\]
    fn apply(&self, gradients: &[Tensor; N], old: &[Lanes], new: &mut [Lanes], pk1: &mut Tensor) -> Lanes;
}

/// The derivative of a [`PointMap`] with respect to one of its fields, for the assembled tangent.
pub trait PointTangent<const N: usize>: Sync {
    /// The field whose deformation gradient must have det F > 0, if any.
    fn checked_field(&self) -> Option<usize>;

    /// Fills ∂P_ab/∂F_cd.
    fn apply(&self, gradients: &[Tensor; N], old: &[Lanes], tangent: &mut Tangent);
}

/// Numbers that a sweep computes with a law.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wanted {
    /// The internal force, and the new history.
    Stress,
    /// The stored energy.
    Stored,
    /// The product of the tangent with the second field.
    Product,
    /// The stored energy of the hourglass modes alone.
    Hourglass,
}

/// A map of a law, which cells with strains that depend on all their points apply in their own way.
pub(super) trait LawMap<const N: usize>: PointMap<N> {
    /// Result of the map.
    const WANTED: Wanted;
    /// The law.
    type Law: Law;
    /// The law of the block.
    fn law(&self) -> &Self::Law;
}

/// The tangent of a law.
pub(super) struct OfLaw<'l, L>(pub(super) &'l L);

impl<L: Law> PointTangent<1> for OfLaw<'_, L> {
    fn checked_field(&self) -> Option<usize> {
        checked(self.0)
    }

    #[inline(always)]
    fn apply(&self, [h]: &[Tensor; 1], old: &[Lanes], tangent: &mut Tangent) {
        self.0.tangent(h, old, tangent);
    }
}

fn checked<L: Law>(law: &L) -> Option<usize> {
    law.is_objective().then_some(0)
}

/// The stress of a law.
pub(super) struct Stress<'l, L>(pub(super) &'l L);

impl<L: Law> PointMap<1> for Stress<'_, L> {
    fn checked_field(&self) -> Option<usize> {
        checked(self.0)
    }

    #[inline(always)]
    fn apply(&self, [h]: &[Tensor; 1], old: &[Lanes], new: &mut [Lanes], pk1: &mut Tensor) -> Lanes {
        self.0.stress(h, old, new, pk1);
        ZERO
    }
}

impl<L: Law> LawMap<1> for Stress<'_, L> {
    const WANTED: Wanted = Wanted::Stress;
    type Law = L;

    #[inline(always)]
    fn law(&self) -> &L {
        self.0
    }
}

/// The stored energy of a law.
pub(super) struct Stored<'l, L>(pub(super) &'l L);

impl<L: Law> PointMap<1> for Stored<'_, L> {
    fn checked_field(&self) -> Option<usize> {
        checked(self.0)
    }

    #[inline(always)]
    fn apply(&self, [h]: &[Tensor; 1], _: &[Lanes], new: &mut [Lanes], _: &mut Tensor) -> Lanes {
        self.0.stored_energy(h, new)
    }
}

impl<L: Law> LawMap<1> for Stored<'_, L> {
    const WANTED: Wanted = Wanted::Stored;
    type Law = L;

    #[inline(always)]
    fn law(&self) -> &L {
        self.0
    }
}

/// The stored energy of hourglass modes: none in cells that are computed point by point.
pub(super) struct Hourglass<'l, L>(pub(super) &'l L);

impl<L: Law> PointMap<1> for Hourglass<'_, L> {
    fn checked_field(&self) -> Option<usize> {
        None
    }

    #[inline(always)]
    fn apply(&self, _: &[Tensor; 1], _: &[Lanes], _: &mut [Lanes], _: &mut Tensor) -> Lanes {
        ZERO
    }
}

impl<L: Law> LawMap<1> for Hourglass<'_, L> {
    const WANTED: Wanted = Wanted::Hourglass;
    type Law = L;

    #[inline(always)]
    fn law(&self) -> &L {
        self.0
    }
}

/// The dissipated energy of a law.
pub(super) struct Dissipated<'l, L>(pub(super) &'l L);

impl<L: Law> PointMap<0> for Dissipated<'_, L> {
    fn checked_field(&self) -> Option<usize> {
        None
    }

    #[inline(always)]
    fn apply(&self, _: &[Tensor; 0], _: &[Lanes], new: &mut [Lanes], _: &mut Tensor) -> Lanes {
        self.0.dissipated_energy(new)
    }
}

/// The derivative of the stress of a law at the first field along the second.
pub(super) struct Product<'l, L>(pub(super) &'l L);

impl<L: Law> PointMap<2> for Product<'_, L> {
    fn checked_field(&self) -> Option<usize> {
        checked(self.0)
    }

    #[inline(always)]
    fn apply(&self, [h, dh]: &[Tensor; 2], old: &[Lanes], _: &mut [Lanes], pk1: &mut Tensor) -> Lanes {
        self.0.tangent_product(h, old, dh, pk1);
        ZERO
    }
}

impl<L: Law> LawMap<2> for Product<'_, L> {
    const WANTED: Wanted = Wanted::Product;
    type Law = L;

    #[inline(always)]
    fn law(&self) -> &L {
        self.0
    }
}
