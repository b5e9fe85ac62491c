//! Bodies for which motions leave no room: a ball that flies to and fro between a driven ram and an anvil
//! meets one of them after the other, in shorter and shorter intervals, until the ram has used up the
//! clearance.
//!
//! Each impact has a solution by itself, and the problem of impulses never shows that there is no room. The
//! contacts of the step and those of the last impacts do, all at the end of the motion without contact:
//!
//! ```text
//! w ≥ 0 ,     M w = 0 ,     w·u < 0 ,     w·g < 0
//! ```
//!
//! The overlap −w·g of all gaps together does not depend on the place of the body between.

use crate::contact::Contact;
use crate::impulses::Laws;
use crate::pair::Pair;
use crate::search::{self, Step};
use crate::stage::Stage;
use crate::step_error::Unsolved;

/// Overlap relative to the sizes of the bodies that is not one of places in joints.
const DEEP: f64 = 1e-3;

/// Steps in which the motion closes as much as the overlap that is not one of the steps.
const LATE: f64 = 4.0;

/// Cosine below which two normals of a body oppose each other.
const OPPOSED: f64 = -0.5;

/// The hard contacts with impulses in the last step that had some.
#[derive(Debug, Clone, Default)]
pub(crate) struct Pressed {
    last: Vec<Contact>,
    /// Those and the ones of the step.
    all: Vec<Contact>,
}

impl Pressed {
    /// Checks that motions leave room for the bodies between contacts.
    ///
    /// * `contacts` — of the step, with their arms
    ///
    /// # Errors
    ///
    /// [`Unsolved::Squeezed`] if they do not.
    pub(crate) fn check(
        &mut self,
        contacts: &[Contact],
        pairs: &mut [Pair],
        stages: &mut [Stage],
        step: &Step<'_>,
        laws: &mut Laws,
    ) -> Result<(), Unsolved> {
        if step.joints.is_empty() {
            return Ok(());
        }
        let Self { last, all } = self;
        all.clear();
        all.extend(contacts.iter().filter(|contact| is_hard(contact)));
        if !all.iter().any(is_deep) {
            return Ok(());
        }
        let n_now = all.len();
        for contact in last.iter() {
            let Some(number) = contact.pair.filter(|&number| number < pairs.len()) else { continue };
            let is_there =
                all[..n_now].iter().any(|now| (now.pair, now.slot) == (contact.pair, contact.slot));
            if is_there || pairs[number].key != contact.key {
                continue;
            }
            let gap_new = search::gap_at_end(&mut pairs[number], contact, stages);
            pairs[number].bodies.into_iter().for_each(|body| stages[body].touch(&step.states[body]));
            all.push(Contact { gap_new, ..*contact });
        }
        search::set_arms(pairs, stages, step, &mut all[n_now..]);
        let may_lack_room = all.iter().filter(|contact| is_deep(contact)).any(|deep| {
            all.iter()
                .any(|other| opposed(deep, other, step) && is_beyond(deep, deep.gap_new + other.gap_new))
        });
        if !may_lack_room {
            return Ok(());
        }
        match laws.squeezed(all, stages, step)? {
            Some(found) if found.depth > LATE * step.dt * found.speed => Err(found.into()),
            _ => Ok(()),
        }
    }

    /// Takes the contacts of a step, if it had impulses.
    pub(crate) fn keep(&mut self, contacts: &[Contact]) {
        let pressed = || contacts.iter().filter(|contact| is_hard(contact) && contact.impulse[0] > 0.0);
        if pressed().next().is_some() {
            self.last.clear();
            self.last.extend(pressed());
        }
    }
}

fn is_hard(contact: &Contact) -> bool {
    contact.pair.is_some() && contact.is_multiplier()
}

fn is_deep(contact: &Contact) -> bool {
    is_beyond(contact, 2.0 * contact.gap_new)
}

/// True if a gap is an overlap that is not one of places in joints.
fn is_beyond(contact: &Contact, gap: f64) -> bool {
    -gap > DEEP * contact.arms.iter().map(|arm| arm.norm()).fold(f64::INFINITY, f64::min)
}

/// True for contacts of different pairs that press on a body from opposite sides.
fn opposed(a: &Contact, b: &Contact, step: &Step<'_>) -> bool {
    let sides = [(0, 0, 1.0), (0, 1, -1.0), (1, 0, -1.0), (1, 1, 1.0)];
    a.pair != b.pair
        && sides.into_iter().any(|(of_a, of_b, sign)| {
            let is_between = |body: usize| !step.bodies[body].fixed;
            a.bodies[of_a] == b.bodies[of_b]
                && a.bodies[of_a].is_some_and(is_between)
                && sign * a.directions[0].dot(&b.directions[0]) < OPPOSED
        })
}
