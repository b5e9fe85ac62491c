//! The length of the steps: a part of the critical step of central differences, which is updated as the
//! bodies deform.

use carom_fem::constitutive::Law;
use carom_fem::internal_force::SweepError;

use super::bodies::Bodies;
use super::deformable::Deformable;

/// Steps between two updates of the element frequencies: at first, smallest and largest number.
const FIRST: u64 = 50;
const LEAST: u64 = 10;
const MOST: u64 = 1000;

/// Relative changes of the critical step between two updates: below the first the next interval is longer,
/// above the second shorter.
const SMALL: f64 = 0.002;
const LARGE: f64 = 0.01;

/// Growth of the critical step above which the steps grow: a constant step is more accurate.
const GROWTH: f64 = 1.05;

/// Stretch of cells up to which costly bounds of frequencies are kept, relative to the distance of the steps
/// from the critical one. Moduli of large strains change by some times the strain, and frequencies by half of
/// that: a fifth of the margin of 0.1 is 2 %.
const KEPT: f64 = 0.2;

/// Chooses the length of steps.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct StepSize {
    /// Part of the critical step.
    courant: f64,
    /// The given step length \[s\].
    given: Option<f64>,
    /// The critical step at the last update \[s\].
    pub(super) critical: f64,
    /// The length of the coming step \[s\].
    pub(super) dt: f64,
    /// Steps until the next update, and between updates.
    pub(super) due: u64,
    pub(super) interval: u64,
    /// The smallest critical step so far \[s\].
    pub(super) least_critical: f64,
}

impl StepSize {
    /// The first step of bodies at their start; none if no body limits it and no length is given.
    pub(super) fn new(
        bodies: &mut Bodies,
        courant: f64,
        given: Option<f64>,
    ) -> Result<Option<Self>, (String, SweepError)> {
        let critical = critical(bodies, 0.0)?;
        let dt = given.unwrap_or(courant * critical);
        let made =
            Self { courant, given, critical, dt, due: FIRST, interval: FIRST, least_critical: critical };
        Ok(dt.is_finite().then_some(made))
    }

    /// Updates the critical step if it is due.
    pub(super) fn update(&mut self, bodies: &mut Bodies) -> Result<(), (String, SweepError)> {
        if self.due > 0 {
            self.due -= 1;
            return Ok(());
        }
        let mut whole = bodies.flexible.iter().filter_map(Deformable::whole);
        let changes = whole.any(|body| body.laws.iter().any(Law::is_objective));
        if !changes {
            self.due = MOST;
            return Ok(());
        }
        let before = self.critical;
        let part = if self.given.is_some() { self.dt / self.critical } else { self.courant };
        self.critical = critical(bodies, (KEPT * (1.0 - part)).clamp(SMALL, KEPT))?;
        self.least_critical = self.least_critical.min(self.critical);
        let change = (self.critical / before - 1.0).abs();
        // A look at the stretch of costly cells is cheap.
        let mut whole = bodies.flexible.iter().filter_map(Deformable::whole);
        let most = if whole.any(|body| body.bounded.is_some()) { FIRST } else { MOST };
        if change < SMALL {
            self.interval = (2 * self.interval).min(most);
        } else if change > LARGE {
            self.interval = (self.interval / 2).max(LEAST);
        }
        self.due = self.interval;
        if self.given.is_none() {
            let wanted = self.courant * self.critical;
            if wanted < self.dt {
                self.dt = wanted;
            } else if wanted > GROWTH * self.dt {
                self.dt *= GROWTH;
            }
        }
        Ok(())
    }

    /// True if given steps exceed the stability limit of central differences.
    pub(super) fn is_unstable(&self) -> bool {
        self.given.is_some_and(|dt| dt > self.least_critical)
    }
}

/// The critical step of all deformable bodies \[s\]; infinite without any.
///
/// * `stretch` — see [`Deformable::critical_step`]
fn critical(bodies: &mut Bodies, stretch: f64) -> Result<f64, (String, SweepError)> {
    let mut least = f64::INFINITY;
    for body in &mut bodies.flexible {
        let own = body.critical_step(stretch).map_err(|source| (body.name().to_owned(), source))?;
        least = least.min(own);
    }
    Ok(least)
}
