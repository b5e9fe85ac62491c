//! Groups of bodies that touch each other: the contacts of a group are one problem, independent of all
//! others.

use crate::body::RigidBody;
use crate::contact::Contact;
use crate::joint::Joints;

/// The group of each body; fixed bodies belong to none.
#[derive(Default)]
pub(crate) struct Groups {
    /// A body of the same group with a smaller number, or the body itself.
    parents: Vec<usize>,
}

impl Groups {
    /// Makes room for n bodies.
    pub(crate) fn reserve(&mut self, n: usize) {
        self.parents.reserve(n);
    }

    /// Puts the contacts of a group next to each other, groups in the order of their first bodies, contacts
    /// of a group in the order of pairs and slots.
    pub(crate) fn sort(&mut self, contacts: &mut [Contact], bodies: &[RigidBody], joints: &Joints) {
        self.parents.clear();
        self.parents.extend(0..bodies.len());
        for contact in &*contacts {
            if let [Some(a), Some(b)] = moving(contact, bodies) {
                let [a, b] = [a, b].map(|body| self.first(body));
                self.parents[a.max(b)] = a.min(b);
            }
        }
        for joint in &joints.all {
            if let [Some(a), Some(b)] = joint.ends.map(|end| end.body.filter(|&body| !bodies[body].fixed)) {
                let [a, b] = [a, b].map(|body| self.first(body));
                self.parents[a.max(b)] = a.min(b);
            }
        }
        contacts.sort_unstable_by_key(|c| (self.of_moving(c, bodies), c.key, c.pair, c.slot));
    }

    /// The first body of the group of a contact, by the last [`Groups::sort`].
    pub(crate) fn of_moving(&self, contact: &Contact, bodies: &[RigidBody]) -> usize {
        let moving = moving(contact, bodies).into_iter().flatten().next();
        self.first(moving.expect("one of the bodies of a contact moves"))
    }

    fn first(&self, mut body: usize) -> usize {
        while self.parents[body] != body {
            body = self.parents[body];
        }
        body
    }
}

/// The bodies of a contact that move.
fn moving(contact: &Contact, bodies: &[RigidBody]) -> [Option<usize>; 2] {
    contact.bodies.map(|body| body.filter(|&body| !bodies[body].fixed))
}

#[cfg(test)]
mod tests {
    use nalgebra::{Matrix3, Vector3};

    use super::*;

    #[test]
    fn contacts_with_the_ground_do_not_join_groups_and_chains_do() {
        let body = RigidBody::new("b", 1.0, Matrix3::identity(), Vector3::zeros()).unwrap();
        let mut bodies = vec![body; 6];
        bodies[3] = bodies[3].clone().fixed();
        let touching = [[0, 3], [1, 3], [5, 2], [4, 2], [4, 0], [3, 1]];
        let mut contacts: Vec<Contact> = (0..touching.len())
            .map(|pair| Contact { pair: Some(pair), bodies: touching[pair].map(Some), ..Contact::default() })
            .collect();
        let mut groups = Groups::default();
        groups.sort(&mut contacts, &bodies, &Joints::default());
        let sorted: Vec<_> =
            contacts.iter().map(|c| (groups.of_moving(c, &bodies), c.pair.unwrap())).collect();
        assert_eq!(sorted, [(0, 0), (0, 2), (0, 3), (0, 4), (1, 1), (1, 5)]);
    }
}
