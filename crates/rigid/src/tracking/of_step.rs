//! Contacts of a system by their numbers, with their impulses in the last step.

use nalgebra::Vector3;

use super::Contacts;
use crate::system::{PairReport, System};

/// A contact among those of a system.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ContactPlace {
    /// Pairs of two bodies, by their place.
    Pairs(usize),
    /// A crowd, by its number.
    Crowd(usize),
    /// Two bodies of a crowd, the crowd by its number.
    OfCrowd(usize, [usize; 2]),
}

impl ContactPlace {
    /// True for a crowd, which has no first body.
    pub fn is_crowd(self) -> bool {
        matches!(self, Self::Crowd(_))
    }
}

impl Contacts {
    /// The place of a contact.
    ///
    /// * `number` — one of [`Contacts::numbers`]
    ///
    /// # Panics
    ///
    /// If it is none of them.
    pub fn place(&self, number: usize) -> ContactPlace {
        let is_own = |contact: &super::OfPairs| contact.number == number;
        let crowd = || self.crowds.iter().position(|&crowd| crowd == number);
        match self.of_pairs.iter().position(is_own) {
            Some(place) => ContactPlace::Pairs(place),
            None => ContactPlace::Crowd(crowd().expect("the contact has one of the numbers")),
        }
    }

    /// The place of two bodies in a crowd; none if the contact is not a crowd.
    ///
    /// * `number` — of the contact, as for [`Contacts::place`]
    ///
    /// # Panics
    ///
    /// As [`Contacts::place`].
    pub fn place_of_two(&self, number: usize, bodies: [usize; 2]) -> Option<ContactPlace> {
        match self.place(number) {
            ContactPlace::Crowd(crowd) => Some(ContactPlace::OfCrowd(crowd, bodies)),
            _ => None,
        }
    }

    /// Impulse of a contact on its first body in the last step, 0 of a crowd, and the sum of the sizes of its
    /// normal impulses \[N s\].
    pub fn impulse_of_step(&self, system: &System, place: ContactPlace) -> (Vector3<f64>, f64) {
        let (mut impulse, mut pressed) = (Vector3::zeros(), 0.0);
        self.for_reports(system, place, |report, is_turned| {
            if !place.is_crowd() {
                impulse += if is_turned { -report.last_impulse } else { report.last_impulse };
            }
            pressed += report.last_normal_impulse.norm();
        });
        (impulse, pressed)
    }

    /// Least gap of a contact that touched in the last step, at most 0; infinite, as not known, of one that
    /// did not \[m\].
    pub fn gap_of_step(&self, system: &System, place: ContactPlace) -> f64 {
        let mut gap = f64::INFINITY;
        self.for_reports(system, place, |report, _| gap = gap.min(-report.last_depth));
        gap
    }

    /// Calls `take` with the report of each pair of a contact that touched in the last step, and with true if
    /// it has the points on the second body; those of a crowd are as they are.
    fn for_reports(&self, system: &System, place: ContactPlace, mut take: impl FnMut(&PairReport, bool)) {
        let mut report = |pair: usize, is_turned: bool| {
            let report = &system.reports[pair];
            if report.last == system.steps() && report.last > 0 {
                take(report, is_turned);
            }
        };
        match place {
            ContactPlace::Pairs(place) => {
                self.of_pairs[place].passes.iter().for_each(|&(pair, is_turned)| report(pair, is_turned));
            }
            ContactPlace::Crowd(number) => {
                let is_own = |pair: &usize| system.crowd(*pair).is_some_and(|(crowd, _)| crowd == number);
                system.crowd_pairs().filter(is_own).for_each(|pair| report(pair, false));
            }
            ContactPlace::OfCrowd(crowd, bodies) => {
                let is_turned = |pair: usize| system.pairs[pair].bodies[0] != bodies[0];
                system.pairs_of_crowd(crowd, bodies).for_each(|pair| report(pair, is_turned(pair)));
            }
        }
    }
}

impl System {
    /// Impulse of all contacts on a body in the last step \[N s\].
    pub fn contact_impulse_on(&self, body: usize) -> Vector3<f64> {
        let touched = self.pairs.iter().zip(&self.reports);
        let touched = touched.filter(|(_, report)| report.last == self.steps() && report.last > 0);
        touched.fold(Vector3::zeros(), |sum, (pair, report)| match pair.bodies {
            [first, _] if first == body => sum + report.last_impulse,
            [_, second] if second == body => sum - report.last_impulse,
            _ => sum,
        })
    }
}
