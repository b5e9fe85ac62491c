//! Evaluations for output alone change no bit of a run.
//!
//! Bodies, contacts and the models of contact each keep what they have of the last evaluation of the run, and
//! the memory from which the next one starts. Loads, force elements and joints keep nothing from one
//! evaluation to the next.

use super::System;
use crate::system_error::RateError;

impl System {
    /// Puts the last evaluation and the memory of the contacts aside until [`System::take_back`]. Each
    /// further call before that makes the next evaluation start from this memory again. A state is to be set
    /// before anything is read.
    ///
    /// Returns true if all contacts have put theirs aside: then they need no evaluation at the end.
    pub(crate) fn put_aside(&mut self) -> bool {
        self.bodies.put_aside();
        self.contacts.put_aside()
    }

    /// Takes back what [`System::put_aside`] has put aside; nothing without it.
    ///
    /// * `again` — the state of the last evaluation, if its contacts are to be evaluated again
    ///
    /// # Errors
    ///
    /// [`RateError::Contact`].
    pub(crate) fn take_back(&mut self, again: Option<&[f64]>) -> Result<(), RateError> {
        self.bodies.take_back();
        let evaluated = again.map_or(Ok(()), |y| self.evaluate_contact_forces(y));
        self.contacts.take_back();
        evaluated
    }
}
