//! Restitution is reduced where impacts with friction would create energy.
//!
//! Newton's restitution prescribes velocities along the normals. If friction stops or reverses the slip
//! within the impact, or if contacts couple through their bodies, the corresponding impulses may do
//! positive work. The same contacts without restitution lose energy,
//!
//! ```text
//! T_{n+1} − T_free = Σ r·u₊ − ½ Σ r·M r ≤ 0   with u₊_N r_N = 0, u₊_T·r_T ≤ 0
//! ```
//!
//! Between both, r = r₀ + s (r₁ − r₀), there is a largest s that creates no energy: the work is a parabola
//! in s but for the rotation within the step. Coulomb's cones are convex and contain r. A contact that
//! sticks in both solutions sticks, and a velocity along a normal is at least s times that of the
//! restitution. Impulses of springs belong to their gaps, which is not true for a mean of two impulses:
//! where springs touch too, the problem is solved again with the restitution s e.
//!
//! Contacts with a restitution below one come to rest. Changes within a step, such as the end of a slip,
//! may then do a work below the energy that the loads give in a step; this is tolerated.
//!
//! # Source
//!
//! The paradox: Kane & Levinson (1985), *Dynamics: Theory and Applications*, section 5.8. Impulses between
//! the inelastic and the elastic solution, for a single contact: Chatterjee & Ruina (1998), J. Appl. Mech.
//! 65, 939–951.

use crate::contact::{Contact, Rows};
use crate::impulses::Laws;
use crate::search::Step;
use crate::stage::Stage;
use crate::step_error::Unsolved;

/// Steps whose restitution was reduced.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Limited {
    /// Their number.
    pub steps: u64,
    /// Smallest factor of a restitution, 1 for none.
    pub least_factor: f64,
}

impl Default for Limited {
    fn default() -> Self {
        Self { steps: 0, least_factor: 1.0 }
    }
}

impl Limited {
    /// The sum with one more step.
    pub(crate) fn with(self, factor: f64) -> Self {
        Self { steps: self.steps + 1, least_factor: self.least_factor.min(factor) }
    }
}

/// Steps of many contacts with friction that have no solution, and take the nearest point to one.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Loose {
    /// Their number.
    pub steps: u64,
    /// Largest error of the laws of a contact, relative to the largest velocity of the contacts.
    pub most: f64,
}

impl Loose {
    /// The warning of a run; none if each step has had a solution.
    ///
    /// * `steps` — all steps of the run
    pub fn warning(&self, steps: u64) -> Option<String> {
        (self.steps > 0).then(|| {
            format!(
                "in {} of {steps} steps the contacts of many bodies had no solution: the laws of contact and \
                 friction have errors of up to {:.1e} of the largest velocity; shorten \
                 simulation.time_step",
                self.steps, self.most
            )
        })
    }

    /// The sum with one more step.
    pub(crate) fn with(self, missed: f64) -> Self {
        Self { steps: self.steps + u64::from(missed > 0.0), most: self.most.max(missed) }
    }
}

/// Work that counts as round-off, relative to the largest term of each row.
const ROUND_OFF: f64 = 1e-13;

/// Largest number of evaluations of the work between both solutions; then the tolerance of s, and of the
/// work relative to that at s = 1.
const EVALUATIONS: usize = 60;
const CLOSE: f64 = 1e-10;

/// Memory of the reduction.
#[derive(Default)]
pub(crate) struct Limit {
    reduced: Vec<Contact>,
    from: Vec<f64>,
    to: Vec<f64>,
}

impl Limit {
    /// Makes room for n contacts.
    pub(crate) fn reserve(&mut self, n: usize) {
        self.reduced.reserve(n);
        self.from.reserve(3 * n);
        self.to.reserve(3 * n);
    }

    /// Reduces the restitution of solved contacts if they create energy; returns its factor.
    pub(crate) fn apply(
        &mut self,
        contacts: &mut [Contact],
        laws: &mut Laws,
        stages: &mut [Stage],
        step: &Step<'_>,
    ) -> Result<f64, Unsolved> {
        if !may_create(contacts) {
            return Ok(1.0);
        }
        let work = created(contacts, &laws.rows);
        let rests = contacts.iter().any(|contact| contact.rests);
        if work <= if rests { laws.rows.work_of_loads(step) } else { 0.0 } {
            return Ok(1.0);
        }
        let per_contact = laws.rows.per_contact;
        self.to.clear();
        self.to.extend_from_slice(&laws.rows.impulse);
        self.reduced.clear();
        for (i, contact) in contacts.iter().enumerate() {
            let lasting = -laws.rows.before[i * per_contact];
            self.reduced.push(Contact { lasting, rising: 0.0, ..*contact });
        }
        match self.reduce(work, contacts, laws, stages, step) {
            Ok(factor) => {
                contacts.copy_from_slice(&self.reduced);
                Ok(factor)
            }
            Err(why) if !laws.is_last_resort => {
                laws.has_left_out = true;
                Err(why)
            }
            // A solution that creates energy, which the ledger shows, is better than none.
            Err(_) => {
                laws.solve(contacts, per_contact == 3, stages, step)?;
                Ok(1.0)
            }
        }
    }

    /// The same, starting with the inelastic solution.
    fn reduce(
        &mut self,
        work: f64,
        contacts: &[Contact],
        laws: &mut Laws,
        stages: &mut [Stage],
        step: &Step<'_>,
    ) -> Result<f64, Unsolved> {
        self.set_restitution(0.0, contacts);
        laws.solve(&mut self.reduced, laws.rows.per_contact == 3, stages, step)?;
        self.from.clear();
        self.from.extend_from_slice(&laws.rows.impulse);
        self.largest(work, contacts, laws, stages, step)
    }

    /// The largest s that creates no energy, 0 if there is none; the rows keep its solution.
    fn largest(
        &mut self,
        at_one: f64,
        contacts: &[Contact],
        laws: &mut Laws,
        stages: &mut [Stage],
        step: &Step<'_>,
    ) -> Result<f64, Unsolved> {
        let (mut low, mut high) = ((0.0, created(&self.reduced, &laws.rows)), (1.0, at_one));
        let mut last_was_low = None;
        for _ in 0..EVALUATIONS {
            // Illinois rule: an end that stays twice has half its weight.
            let s = (low.0 * high.1 - high.0 * low.1) / (high.1 - low.1);
            if low.1 >= -CLOSE * at_one || high.0 - low.0 <= CLOSE || !(low.0..=high.0).contains(&s) {
                break;
            }
            self.set(s, contacts, laws, stages, step)?;
            let work = created(&self.reduced, &laws.rows);
            let is_low = work <= 0.0;
            let again = last_was_low == Some(is_low);
            last_was_low = Some(is_low);
            if is_low {
                low = (s, work);
                high.1 *= if again { 0.5 } else { 1.0 };
            } else {
                high = (s, work);
                low.1 *= if again { 0.5 } else { 1.0 };
            }
        }
        self.set(low.0, contacts, laws, stages, step)?;
        Ok(low.0)
    }

    /// Impulses at s, and the velocities that result.
    fn set(
        &mut self,
        s: f64,
        contacts: &[Contact],
        laws: &mut Laws,
        stages: &mut [Stage],
        step: &Step<'_>,
    ) -> Result<(), Unsolved> {
        self.set_restitution(s, contacts);
        if !contacts.iter().all(Contact::is_multiplier) {
            let has_friction = laws.rows.per_contact == 3;
            return laws.solve(&mut self.reduced, has_friction, stages, step);
        }
        let rows = &mut laws.rows;
        for (impulse, (from, to)) in rows.impulse.iter_mut().zip(self.from.iter().zip(&self.to)) {
            *impulse = from + s * (to - from);
        }
        rows.evaluate(stages, step)
    }

    /// Multiplies the restitution by s.
    fn set_restitution(&mut self, s: f64, contacts: &[Contact]) {
        for (reduced, contact) in self.reduced.iter_mut().zip(contacts) {
            reduced.restitution = s * contact.restitution;
        }
    }
}

/// False if contacts cannot do positive work: multipliers without friction and of one restitution, and
/// springs.
fn may_create(contacts: &[Contact]) -> bool {
    let mut multipliers = contacts.iter().filter(|contact| contact.is_multiplier());
    let Some(first) = multipliers.next() else { return false };
    contacts.iter().any(|contact| contact.friction > 0.0)
        || multipliers.any(|contact| contact.restitution != first.restitution)
}

/// Work of multipliers and friction, beyond round-off and beyond the work that lifts contacts from below
/// the surface \[J\].
fn created(contacts: &[Contact], rows: &Rows) -> f64 {
    let per = rows.per_contact;
    let mut created = 0.0;
    for (i, contact) in contacts.iter().enumerate() {
        for row in i * per..(i + 1) * per {
            let (r, before, after) = (rows.impulse[row], rows.before[row], rows.after[row]);
            if row > i * per || contact.is_multiplier() {
                created += 0.5 * r * (before + after) - ROUND_OFF * (r * before).abs().max((r * after).abs());
            }
        }
        if contact.is_multiplier() {
            created -= 0.5 * (1.0 - contact.restitution) * contact.rising * rows.impulse[i * per];
        }
    }
    created
}
