//! State of the iteration between two passes.

/// Change by one step, and largest displacement \[m\].
#[derive(Clone, Copy)]
pub(super) struct Change {
    pub(super) change: f64,
    pub(super) scale: f64,
}

/// Energy of an iterate: ½ f·u and penalties, and violations of hard gaps weighted by a force.
#[derive(Clone, Copy)]
pub(super) struct Merit {
    pub(super) smooth: f64,
    pub(super) violation: f64,
    pub(super) hard_weight: f64,
    /// Change of the energy by an error of all gaps by a unit \[J/m\].
    pub(super) slope: f64,
}

impl Merit {
    pub(super) fn value(&self) -> f64 {
        self.smooth + self.hard_weight * self.violation
    }
}

/// State of the iteration between two passes.
pub(super) struct Progress {
    pub(super) change: Option<Change>,
    /// Merit at the start of the last step, and the linearised problem's energy at its end.
    pub(super) base: Option<(Merit, f64)>,
    /// Part of the last step that was made.
    pub(super) part: f64,
    /// Part of the steps that is made with friction.
    pub(super) relaxation: f64,
    pub(super) hard_weight: f64,
    /// Number of condensations in this solve.
    pub(super) n_condensations: usize,
    /// Rounding error of positions, and thus of gaps \[m\].
    pub(super) rounding: f64,
}

impl Progress {
    /// Before the first pass.
    ///
    /// * `rounding` — rounding error of positions \[m\]
    pub(super) fn new(rounding: f64) -> Self {
        Self {
            change: None,
            base: None,
            part: 1.0,
            relaxation: 1.0,
            hard_weight: 0.0,
            n_condensations: 0,
            rounding,
        }
    }
}
