//! The grids of a pair that were laid last, so that an evaluation finds its own again.

use carom_contact::Law;
use carom_contact::half_space::pair::PairError;
use carom_contact::half_space::{FixedGrid, GridBody, GridPlan};

/// Grids that are kept: that of the last accepted state, and two larger ones.
const KEPT: usize = 3;

/// The grids of a pair, the last used first. They change nothing but the time of an evaluation.
#[derive(Debug, Default)]
pub(super) struct Grids(Vec<FixedGrid>);

impl Grids {
    /// The grid of a plan, laid if it is not among the last ones.
    pub(super) fn of(
        &mut self,
        plan: &GridPlan,
        bodies: [GridBody<'_>; 2],
        (law, friction): (Law, f64),
    ) -> Result<&mut FixedGrid, PairError> {
        match self.0.iter().position(|grid| grid.plan == *plan) {
            Some(found) => self.0[..=found].rotate_right(1),
            None => {
                self.0.truncate(KEPT - 1);
                self.0.insert(0, FixedGrid::new(*plan, bodies, law, friction)?);
            }
        }
        Ok(&mut self.0[0])
    }

    /// Memory of the grids \[bytes\].
    pub(super) fn bytes(&self) -> usize {
        self.0.iter().map(FixedGrid::bytes).sum()
    }

    /// The grid of a plan if it is kept.
    pub(super) fn found(&self, plan: &GridPlan) -> Option<&FixedGrid> {
        self.0.iter().find(|grid| grid.plan == *plan)
    }
}
