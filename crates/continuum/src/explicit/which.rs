//! Deformable or rigid: the kind and index of a body of the problem.

/// A body by its kind and its number among the bodies of this kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Which {
    Flexible(usize),
    Rigid(usize),
}

impl Which {
    /// Its number among the deformable bodies; none for a rigid one.
    pub(super) fn flexible(self) -> Option<usize> {
        match self {
            Self::Flexible(k) => Some(k),
            Self::Rigid(_) => None,
        }
    }
}
