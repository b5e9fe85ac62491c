//! Memory of friction from step to step: impulses of contacts, and groups whose contacts do not return.

use std::collections::BTreeMap;

use nalgebra::Vector3;

use crate::contact::Contact;
use crate::crowd::Key;
use crate::search::Step;

/// Steps until contacts of a group may return again, at most.
const LONGEST: u64 = 64;

/// Memory of the steps before. It is part of checkpoints and snapshots.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Memory {
    /// Impulses of the contacts of the last step, by pair and slot.
    impulses: Vec<Pushed>,
    /// Groups of contacts that have not returned, by their first body.
    pauses: BTreeMap<usize, Pause>,
}

/// The impulse of a contact on the body with the point, inertial axes \[N s\].
#[derive(Debug, Clone, Copy, PartialEq)]
struct Pushed {
    contact: (Key, usize),
    impulse: Vector3<f64>,
}

/// A group that waits.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Pause {
    /// Number of the step in which it tries again.
    until: u64,
    /// Steps between the last try and this one.
    steps: u64,
}

impl Memory {
    /// Keeps the impulses of the contacts of a step; none of a few contacts, which need no start.
    pub(crate) fn keep(&mut self, contacts: &[Contact], many: usize) {
        self.impulses.clear();
        if contacts.len() < many {
            return;
        }
        let pushed = |contact: &Contact| Pushed { contact: place(contact), impulse: contact.total_impulse() };
        self.impulses.extend(contacts.iter().filter(|contact| contact.friction > 0.0).map(pushed));
        self.impulses.sort_unstable_by_key(|pushed| pushed.contact);
    }

    /// The impulses of the step before along the directions of the contacts, zero for those that are new;
    /// false, and none, if most are new.
    pub(super) fn recall(&self, contacts: &[Contact], impulses: &mut [f64]) -> bool {
        let mut known = 0;
        for (contact, of) in contacts.iter().zip(impulses.as_chunks_mut::<3>().0) {
            let found = self.impulses.binary_search_by_key(&place(contact), |pushed| pushed.contact);
            let Ok(number) = found else { continue };
            known += 1;
            *of = contact.directions.map(|direction| direction.dot(&self.impulses[number].impulse));
        }
        let are_most = 2 * known > contacts.len();
        if !are_most {
            impulses.fill(0.0);
        }
        are_most
    }

    /// False while the contacts of a group wait.
    pub(super) fn may_return(&self, contacts: &[Contact], step: &Step<'_>) -> bool {
        self.pauses.get(&first_body(contacts, step)).is_none_or(|pause| step.number >= pause.until)
    }

    /// Remembers whether a group has returned: one that has not waits for twice as many steps as before.
    pub(super) fn has_returned(&mut self, contacts: &[Contact], step: &Step<'_>, returns: bool) {
        let body = first_body(contacts, step);
        if returns {
            self.pauses.remove(&body);
            return;
        }
        let before = self.pauses.get(&body).map_or(0, |pause| pause.steps);
        let steps = (2 * before).clamp(1, LONGEST);
        self.pauses.insert(body, Pause { until: step.number + steps, steps });
    }

    /// All numbers, for checkpoints: places of contacts, their impulses, and pauses.
    pub(crate) fn to_lists(&self) -> (Vec<u64>, Vec<f64>, Vec<u64>) {
        let places = self.impulses.iter().flat_map(|pushed| {
            let ([a, b, c], slot) = pushed.contact;
            [u64::from(a), u64::from(b), u64::from(c), slot as u64]
        });
        let impulses = self.impulses.iter().flat_map(|pushed| <[f64; 3]>::from(pushed.impulse));
        let pauses = self.pauses.iter().flat_map(|(&body, pause)| [body as u64, pause.until, pause.steps]);
        (places.collect(), impulses.collect(), pauses.collect())
    }

    /// The inverse of [`Memory::to_lists`].
    pub(crate) fn from_lists(places: &[u64], impulses: &[f64], pauses: &[u64]) -> Self {
        let pushed = |(&[a, b, c, slot], &impulse): (&[u64; 4], &[f64; 3])| Pushed {
            contact: ([a as u32, b as u32, c as u32], slot as usize),
            impulse: impulse.into(),
        };
        let impulses = places.as_chunks::<4>().0.iter().zip(impulses.as_chunks::<3>().0).map(pushed);
        let pause = |&[body, until, steps]: &[u64; 3]| (body as usize, Pause { until, steps });
        Self { impulses: impulses.collect(), pauses: pauses.as_chunks::<3>().0.iter().map(pause).collect() }
    }
}

/// The place of a contact in the order of all.
fn place(contact: &Contact) -> (Key, usize) {
    (contact.key, contact.slot)
}

/// The smallest number of a body of a group that moves.
fn first_body(contacts: &[Contact], step: &Step<'_>) -> usize {
    let bodies = contacts.iter().flat_map(|contact| contact.bodies.into_iter().flatten());
    bodies.filter(|&body| !step.bodies[body].fixed).min().unwrap_or_default()
}
