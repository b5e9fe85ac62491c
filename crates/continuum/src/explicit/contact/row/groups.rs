//! Groups of rows that move common points or bodies: each is a problem of its own, of one block of the
//! matrix.

use super::{NONE, Response, Rows};

/// The groups of the rows of a step, in the order of their first rows.
#[derive(Default)]
pub(in crate::explicit::contact) struct Groups {
    pub(in crate::explicit::contact) rows: Lists,
    /// Slots of points, of rigid bodies that move, and of reduced bodies.
    pub(super) points: Lists,
    pub(super) bodies: Lists,
    pub(super) reduced: Lists,
    /// A slot of the same group with a smaller number, or the slot itself: points, then rigid bodies, then
    /// reduced ones.
    parents: Vec<u32>,
    /// Group of each first slot.
    numbers: Vec<u32>,
    /// Group of each row.
    of_rows: Vec<u32>,
    /// Group of each slot of one kind.
    of_each: Vec<u32>,
}

/// Lists of numbers, one for each group.
#[derive(Default)]
pub(in crate::explicit::contact) struct Lists {
    start: Vec<u32>,
    numbers: Vec<u32>,
}

impl Lists {
    /// The numbers of a group, ascending.
    pub(in crate::explicit::contact) fn of(&self, group: usize) -> &[u32] {
        &self.numbers[self.start[group] as usize..self.start[group + 1] as usize]
    }

    /// Lists the numbers of each group, ascending.
    ///
    /// * `groups` — of each number, [`NONE`] for those that belong to none
    fn fill(&mut self, n_groups: usize, groups: &[u32]) {
        self.start.clear();
        self.start.resize(n_groups + 1, 0);
        let known = || groups.iter().enumerate().filter(|(_, group)| **group != NONE);
        known().for_each(|(_, &group)| self.start[group as usize + 1] += 1);
        (0..n_groups).for_each(|group| self.start[group + 1] += self.start[group]);
        self.numbers.clear();
        self.numbers.resize(self.start[n_groups] as usize, 0);
        for (number, &group) in known() {
            let next = &mut self.start[group as usize];
            self.numbers[*next as usize] = number as u32;
            *next += 1;
        }
        // Each start is now that of the next group.
        self.start.rotate_right(1);
        self.start[0] = 0;
    }
}

impl Groups {
    /// Number of groups.
    pub(in crate::explicit::contact) fn len(&self) -> usize {
        self.rows.start.len().saturating_sub(1)
    }

    /// The group of a row.
    pub(in crate::explicit::contact) fn of_row(&self, row: usize) -> usize {
        self.of_rows[row] as usize
    }

    /// No groups.
    pub(super) fn clear(&mut self) {
        self.rows.start.clear();
    }

    /// The first slot of a group; ways to it become shorter.
    fn first(&mut self, mut slot: usize) -> usize {
        while self.parents[slot] as usize != slot {
            self.parents[slot] = self.parents[self.parents[slot] as usize];
            slot = self.parents[slot] as usize;
        }
        slot
    }

    fn join(&mut self, a: usize, b: usize) {
        let [a, b] = [a, b].map(|slot| self.first(slot));
        self.parents[a.max(b)] = a.min(b) as u32;
    }
}

impl Rows {
    /// Finds the groups of the present rows.
    pub(in crate::explicit::contact) fn divide(&mut self) {
        let mut groups = std::mem::take(&mut self.groups);
        let (n_points, n_bodies) = (self.slots.len(), self.rigid_slots.len());
        let n = n_points + n_bodies + self.reduced_slots.len();
        groups.parents.clear();
        groups.parents.extend(0..n as u32);
        for (point, slot) in self.slots.iter().enumerate() {
            if let Response::Reduced { slot, .. } = slot.response {
                groups.join(point, n_points + n_bodies + slot as usize);
            }
        }
        // The slots of a row that impulses move; a row of fixed bodies alone has none.
        let moved = |row: usize| {
            let row = &self.rows[row];
            let ends = row.rigid.iter().flatten().filter(|end| end.moves).map(|end| end.slot as usize);
            let points = self.entries(row).iter().map(|&(slot, _)| slot as usize);
            points.chain(ends.map(move |slot| n_points + slot))
        };
        for row in 0..self.rows.len() {
            let mut slots = moved(row);
            let Some(first) = slots.next() else { continue };
            slots.for_each(|slot| groups.join(first, slot));
        }
        groups.numbers.clear();
        groups.numbers.resize(n, NONE);
        groups.of_rows.clear();
        let mut n_groups = 0;
        for row in 0..self.rows.len() {
            let mut next = || {
                n_groups += 1;
                n_groups - 1
            };
            let number = match moved(row).next() {
                Some(slot) => {
                    let first = groups.first(slot);
                    if groups.numbers[first] == NONE {
                        groups.numbers[first] = next();
                    }
                    groups.numbers[first]
                }
                None => next(),
            };
            groups.of_rows.push(number);
        }
        let n_groups = n_groups as usize;
        groups.rows.fill(n_groups, &groups.of_rows);
        let ranges = [0..n_points, n_points..n_points + n_bodies, n_points + n_bodies..n];
        for (kind, range) in ranges.into_iter().enumerate() {
            groups.of_each.clear();
            for slot in range {
                let first = groups.first(slot);
                groups.of_each.push(groups.numbers[first]);
            }
            let lists = [&mut groups.points, &mut groups.bodies, &mut groups.reduced];
            lists[kind].fill(n_groups, &groups.of_each);
        }
        self.groups = groups;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_have_the_numbers_of_each_group_in_order() {
        let mut lists = Lists::default();
        for groups in [&[1, 0, NONE, 1, 2, 0][..], &[0, 2, 2][..]] {
            lists.fill(3, groups);
            for group in 0..3 {
                let own = (0..).zip(groups).filter(|(_, of)| **of == group).map(|(number, _)| number);
                assert_eq!(lists.of(group as usize), own.collect::<Vec<u32>>());
            }
        }
    }

    #[test]
    fn joined_slots_have_the_smallest_one_as_their_first() {
        let mut groups = Groups { parents: (0..9).collect(), ..Groups::default() };
        for [a, b] in [[8, 7], [3, 5], [7, 5], [1, 2], [4, 8]] {
            groups.join(a, b);
        }
        let firsts: Vec<usize> = (0..9).map(|slot| groups.first(slot)).collect();
        assert_eq!(firsts, [0, 1, 1, 3, 3, 3, 6, 3, 3]);
    }
}
