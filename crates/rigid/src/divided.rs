//! Steps whose contacts have no solution, in parts.

use crate::step_error::Unsolved;
use crate::system::System;

/// Parts of a step that are tried, one after the other.
const PARTS: [u32; 3] = [2, 4, 8];

impl System {
    /// The step that could not be taken, in equal parts; energy and momenta are as exact as in one. If that
    /// fails too, the system is as it was.
    ///
    /// This may happen where bodies overlap deeply, as those of edges that have crossed: contacts then face
    /// each other.
    #[cold]
    pub(crate) fn advance_in_parts(&mut self, why: Unsolved) -> Result<(), Unsolved> {
        let (dt, steps) = (self.dt, self.steps);
        let (states, reports, books) = (self.states.clone(), self.reports.clone(), self.books);
        let memory: Vec<_> = self.pairs.iter().map(|pair| (pair.gaps.clone(), pair.held.clone())).collect();
        let (spring_energy, energies, n_impulses) = (self.spring_energy, self.energies, self.n_impulses);
        let (limited, deepest) = (self.limited, self.deepest);
        for parts in PARTS {
            self.dt = dt / f64::from(parts);
            let taken = (0..parts).try_for_each(|_| {
                // Each part is one of the same step, and looks at all pairs.
                self.steps = steps;
                self.pairs.iter_mut().for_each(|pair| pair.due = 0);
                self.stages.iter_mut().for_each(|stage| stage.touched = false);
                self.advance()
            });
            self.dt = dt;
            self.pairs.iter_mut().for_each(|pair| pair.due = 0);
            if taken.is_ok() {
                self.n_divided += 1;
                // All parts are one step.
                self.limited.steps = self.limited.steps.min(limited.steps + 1);
                return Ok(());
            }
            self.steps = steps;
            self.states.clone_from(&states);
            self.reports.clone_from(&reports);
            self.books = books;
            (self.spring_energy, self.energies, self.n_impulses) = (spring_energy, energies, n_impulses);
            (self.limited, self.deepest) = (limited, deepest);
            for (pair, (gaps, held)) in self.pairs.iter_mut().zip(&memory) {
                pair.gaps.clone_from(gaps);
                pair.held.clone_from(held);
            }
            // The last search may have been where the bodies no longer are.
            self.nearby.restart(&self.pairs);
        }
        self.stages.iter_mut().for_each(|stage| stage.touched = false);
        Err(why)
    }
}
