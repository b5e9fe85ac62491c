//! Contacts that others of their pair imply: a rod that lies on a plate needs those at its ends.
//!
//! Contacts of two rigid bodies with one normal n, whichever body has the surface, act at places y in a plane
//! across n. Their gaps, and the velocities of these, are functions of the place that are linear where both
//! surfaces are flat, or straight along a line. The laws that hold at the corners of the convex hull of the
//! places then hold within it. The impulses lose nothing either: one within the cone of friction at a place
//! Σ s_k y_k, with s_k ≥ 0 and Σ s_k = 1, has the force and moment of its parts s_k at the corners y_k, each
//! within its cone.

use nalgebra::{Matrix2, Vector2, Vector3};

use crate::contact::Contact;

/// Lengths that differ by rounding, over the arms of the contacts.
const ROUNDING: f64 = 1e-9;

/// Difference of normals that are the same: the nearest points of curved surfaces are known to some 1e-11 of
/// their size.
const SAME: f64 = 1e-8;

/// Solver for the contacts to keep, with its memory.
#[derive(Debug, Clone, Default)]
pub(crate) struct Redundant {
    /// Contacts that may imply others, those of two bodies next to each other.
    order: Vec<usize>,
    /// Contacts with one normal, in the order of their places.
    group: Vec<usize>,
    /// Places across the normal, by the number of the contact \[m\].
    places: Vec<Vector2<f64>>,
    hull: Vec<usize>,
    is_grouped: Vec<bool>,
    is_kept: Vec<bool>,
}

impl Redundant {
    /// Makes room for n contacts.
    pub(crate) fn reserve(&mut self, n: usize) {
        for list in [&mut self.order, &mut self.group, &mut self.hull] {
            list.reserve(2 * n);
        }
        self.places.reserve(n);
        self.is_grouped.reserve(n);
        self.is_kept.reserve(n);
    }

    /// Drops the contacts by multipliers that others imply.
    ///
    /// * `contacts` — with normals and arms
    pub(crate) fn drop(&mut self, contacts: &mut Vec<Contact>, dt: f64) {
        let n = contacts.len();
        if n < 2 {
            return;
        }
        for (list, value) in [(&mut self.is_kept, true), (&mut self.is_grouped, false)] {
            list.clear();
            list.resize(n, value);
        }
        self.places.resize(n, Vector2::zeros());
        let mut order = std::mem::take(&mut self.order);
        order.clear();
        order.extend((0..n).filter(|&k| contacts[k].pair.is_some() && contacts[k].is_multiplier()));
        order.sort_unstable_by_key(|&k| (both(&contacts[k]), k));
        for of_bodies in order.chunk_by(|&a, &b| both(&contacts[a]) == both(&contacts[b])) {
            for (k, &first) in of_bodies.iter().enumerate() {
                if !self.is_grouped[first] {
                    self.drop_group(contacts, &of_bodies[k..], dt);
                }
            }
        }
        self.order = order;
        let mut number = 0;
        contacts.retain(|_| {
            number += 1;
            self.is_kept[number - 1]
        });
    }

    /// Drops those of one normal and one law, that of the first of the candidates.
    fn drop_group(&mut self, contacts: &[Contact], candidates: &[usize], dt: f64) {
        let first = &contacts[candidates[0]];
        let [normal, s, t] = first.directions;
        self.group.clear();
        for &number in candidates {
            let contact = &contacts[number];
            let is_same = (sign(contact, first) * contact.directions[0] - normal).norm() < SAME
                && (contact.restitution, contact.friction) == (first.restitution, first.friction);
            if is_same && !self.is_grouped[number] {
                self.is_grouped[number] = true;
                self.group.push(number);
            }
        }
        if self.group.len() < 2 {
            return;
        }
        // From the same body to the places of all.
        let arm =
            |number: usize| contacts[number].arms[if sign(&contacts[number], first) > 0.0 { 0 } else { 1 }];
        for &number in &self.group {
            self.places[number] = Vector2::new(s.dot(&arm(number)), t.dot(&arm(number)));
        }
        let farthest = self.group.iter().map(|&number| arm(number).norm()).fold(0.0, f64::max);
        let length = ROUNDING * farthest;
        self.set_hull(length);
        // The law closes a part of a gap in a step, so that a gap stands for this velocity.
        let values = |number: usize| {
            let contact = &contacts[number];
            Vector3::new(normal.dot(&arm(number)), contact.gap_old, contact.lasting * dt)
        };
        if self.are_linear(values, length) {
            self.group.iter().for_each(|&number| self.is_kept[number] = false);
            self.hull.iter().for_each(|&number| self.is_kept[number] = true);
        }
    }

    /// The corners of the convex hull of the places, by the lower and then the upper chain; places that
    /// differ by less than a length are one.
    fn set_hull(&mut self, length: f64) {
        let Self { group, places, hull, .. } = self;
        let place = |number: usize| places[number];
        group.sort_unstable_by(|&i, &k| {
            let (a, b) = (place(i), place(k));
            a.x.total_cmp(&b.x).then(a.y.total_cmp(&b.y)).then(i.cmp(&k))
        });
        hull.clear();
        for forwards in [true, false] {
            let chain = hull.len();
            for k in 0..group.len() {
                let number = group[if forwards { k } else { group.len() - 1 - k }];
                while hull.len() >= chain + 2 {
                    let [a, b] = [place(hull[hull.len() - 2]), place(hull[hull.len() - 1])];
                    let (along, to) = (b - a, place(number) - a);
                    if along.perp(&to) > length * along.norm().max(to.norm()) {
                        break;
                    }
                    hull.pop();
                }
                hull.push(number);
            }
            // It begins the other chain.
            hull.pop();
        }
        let mut n = 0;
        for k in 0..hull.len() {
            if hull[..n].iter().all(|&before| (place(before) - place(hull[k])).amax() > length) {
                hull[n] = hull[k];
                n += 1;
            }
        }
        hull.truncate(n);
    }

    /// True if values are a linear function of the place in the whole group, within a length.
    fn are_linear(&self, values: impl Fn(usize) -> Vector3<f64>, length: f64) -> bool {
        let Some(&a) = self.hull.first() else { return false };
        let from = |number: usize| self.places[number] - self.places[a];
        let most = |of: &dyn Fn(usize) -> f64| {
            self.hull.iter().copied().max_by(|&i, &j| of(i).total_cmp(&of(j))).unwrap_or(a)
        };
        let b = most(&|number| from(number).norm_squared());
        let c = most(&|number| from(b).perp(&from(number)).abs());
        let (along, across) = (from(b), from(c));
        let is_line = along.perp(&across).abs() <= length * along.norm();
        let inverse = match is_line {
            true => None,
            false => Matrix2::from_columns(&[along, across]).try_inverse(),
        };
        let rise = [b, c].map(|number| values(number) - values(a));
        self.group.iter().all(|&number| {
            let x = from(number);
            let expected = match inverse {
                Some(inverse) => {
                    let parts = inverse * x;
                    parts.x * rise[0] + parts.y * rise[1]
                }
                None if along.norm() > length => x.dot(&along) / along.norm_squared() * rise[0],
                None => Vector3::zeros(),
            };
            (values(number) - values(a) - expected).amax() <= length
        })
    }
}

/// The bodies of a contact, whichever has the surface.
fn both(contact: &Contact) -> [Option<usize>; 2] {
    let [a, b] = contact.bodies;
    [a.min(b), a.max(b)]
}

/// 1 if a contact has its bodies in the same order as another one, −1 otherwise.
fn sign(contact: &Contact, other: &Contact) -> f64 {
    if contact.bodies == other.bodies { 1.0 } else { -1.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn contact(slot: usize, place: [f64; 2], gap: f64) -> Contact {
        let bodies = [Some(2), Some(1)];
        let mut contact =
            Contact { pair: Some(0), slot, bodies, gap_old: gap, restitution: 0.5, ..Contact::default() };
        contact.set_normal(Vector3::new(0.6, 0.0, 0.8));
        let [n, s, t] = contact.directions;
        let arm = place[0] * s + place[1] * t - 0.3 * n;
        contact.arms = [arm, arm + Vector3::new(0.4, 0.5, 0.6)];
        contact
    }

    fn kept(contacts: &[Contact]) -> Vec<usize> {
        let mut left = contacts.to_vec();
        Redundant::default().drop(&mut left, 1e-3);
        left.iter().map(|contact| contact.slot).collect()
    }

    #[test]
    fn a_line_keeps_its_ends_and_a_plane_its_corners() {
        let line: Vec<Contact> =
            (0..7).map(|k| contact(k, [0.1 * k as f64, 0.2 * k as f64], -1e-6 * k as f64)).collect();
        assert_eq!(kept(&line), [0, 6]);
        let mut mixed = line.clone();
        mixed.swap(0, 3);
        assert_eq!(kept(&mixed), [0, 6]);
        // One that is seen from the other body is among them.
        let turned = |contact: &Contact| {
            let mut turned = Contact { bodies: [Some(1), Some(2)], pair: Some(1), ..*contact };
            turned.set_normal(-contact.directions[0]);
            turned.arms.swap(0, 1);
            turned
        };
        let mut both_ways = line.clone();
        both_ways[0] = turned(&line[0]);
        both_ways[3] = turned(&line[3]);
        assert_eq!(kept(&both_ways), [0, 6]);
        // Twice the same place is one contact.
        assert_eq!(kept(&[line[0], line[0], line[0]]).len(), 1);
        let grid = |k: usize| [0.1 * (k % 4) as f64, 0.1 * (k / 4) as f64];
        let plane: Vec<Contact> = (0..16).map(|k| contact(k, grid(k), 1e-6 * grid(k)[0])).collect();
        assert_eq!(kept(&plane), [0, 3, 12, 15]);
    }

    #[test]
    fn contacts_with_other_gaps_heights_normals_or_laws_stay() {
        let line = |change: &dyn Fn(&mut Contact)| {
            let mut line: Vec<Contact> = (0..3).map(|k| contact(k, [0.1 * k as f64, 0.0], 0.0)).collect();
            change(&mut line[1]);
            kept(&line).len()
        };
        assert_eq!(line(&|_| ()), 2);
        assert_eq!(line(&|middle| middle.gap_old = -1e-8), 3);
        assert_eq!(line(&|middle| middle.lasting = 1e-5), 3);
        assert_eq!(line(&|middle| middle.arms[0] += 1e-8 * middle.directions[0]), 3);
        assert_eq!(line(&|middle| middle.set_normal(Vector3::z())), 3);
        assert_eq!(line(&|middle| middle.friction = 0.1), 3);
        assert_eq!(line(&|middle| middle.bodies = [Some(2), Some(3)]), 3);
    }
}
