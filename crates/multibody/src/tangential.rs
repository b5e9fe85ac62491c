//! How a pair of contacts takes tangential forces: by its law, or as the search for an equilibrium needs it.

/// How a pair with friction takes tangential forces.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Tangential {
    /// By Coulomb's law with its coefficient.
    #[default]
    Coulomb,
    /// Closed cells stick, whatever force that takes.
    Stuck,
    /// It takes none.
    Free,
}

impl Tangential {
    /// Coefficient of a pair.
    ///
    /// * `own` — that of its law; without friction all are zero
    /// * `stuck` — one with which cells stick
    pub(crate) fn coefficient(self, own: f64, stuck: f64) -> f64 {
        match self {
            Self::Stuck if own > 0.0 => own.max(stuck),
            Self::Stuck | Self::Free => 0.0,
            Self::Coulomb => own,
        }
    }
}
