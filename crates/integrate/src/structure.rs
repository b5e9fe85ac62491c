//! Which velocities and constraints of a mechanical system depend on each other.

mod memory;

use std::ops::Range;

/// Velocities in *parts* (bodies), constraints in groups (joints).
///
/// A part's mass matrix and momenta depend on its own coordinates alone. Its forces, reactions included,
/// depend on its own positions and velocities and on those of parts that it is coupled with.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Structure {
    /// Velocities of each part, in ascending order without gaps.
    pub parts: Vec<Part>,
    /// Constraints, in ascending order without gaps.
    pub groups: Vec<ConstraintGroup>,
    /// Pairs of parts whose forces depend on each other.
    pub couplings: Vec<[usize; 2]>,
}

/// A part.
#[derive(Debug, Clone, PartialEq)]
pub struct Part {
    /// Its velocities.
    pub velocities: Range<usize>,
    /// True if it cannot move rigidly in all directions without its constraints.
    pub is_held: bool,
}

/// Constraints between the same parts.
#[derive(Debug, Clone, PartialEq)]
pub struct ConstraintGroup {
    /// Their numbers.
    pub rows: Range<usize>,
    /// The parts.
    pub parts: Vec<usize>,
    /// True if one side is the ground.
    pub grounded: bool,
}

/// Parts and the components of the state vector y that belong to them.
///
/// In [`Structure::couplings`] are all pairs of parts whose rates depend on each other at constant
/// multipliers, low-rank forces included.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct StateStructure {
    /// Parts, constraints and couplings.
    pub structure: Structure,
    /// Positions and momenta of each part, in ascending order from 0 without gaps. Components behind them are
    /// integrals.
    pub components: Vec<Range<usize>>,
    /// Integrals whose rate is a sum of the rates of components of parts: their numbers, with those of the
    /// components.
    pub sums: Vec<(usize, Vec<usize>)>,
}

impl StateStructure {
    /// The components whose sum an integral follows.
    pub(crate) fn sum_of(&self, integral: usize) -> &[usize] {
        self.sums.iter().find(|(number, _)| *number == integral).map_or(&[], |(_, of)| of)
    }
}

impl Structure {
    /// One part with all velocities, and all constraints in a group: nothing is known to be independent.
    pub fn whole(velocities: usize, constraints: usize) -> Self {
        let groups = if constraints > 0 {
            vec![ConstraintGroup { rows: 0..constraints, parts: vec![0], grounded: true }]
        } else {
            Vec::new()
        };
        let parts = vec![Part { velocities: 0..velocities, is_held: true }];
        Self { parts, groups, couplings: Vec::new() }
    }

    /// Number of velocities.
    pub(crate) fn velocities(&self) -> usize {
        self.parts.last().map_or(0, |part| part.velocities.end)
    }

    /// Number of constraints.
    pub(crate) fn constraints(&self) -> usize {
        self.groups.last().map_or(0, |group| group.rows.end)
    }

    /// For each part itself and those that its forces depend on, ascending.
    pub(crate) fn neighbours(&self) -> Vec<Vec<usize>> {
        let mut neighbours: Vec<Vec<usize>> = (0..self.parts.len()).map(|part| vec![part]).collect();
        for &[a, b] in &self.couplings {
            neighbours[a].push(b);
            neighbours[b].push(a);
        }
        for list in &mut neighbours {
            list.sort_unstable();
            list.dedup();
        }
        neighbours
    }

    /// The groups of each part.
    fn groups_of_parts(&self) -> Vec<Vec<usize>> {
        let mut groups_of = vec![Vec::new(); self.parts.len()];
        for (g, group) in self.groups.iter().enumerate() {
            group.parts.iter().for_each(|&part| groups_of[part].push(g));
        }
        groups_of
    }

    /// Classes of parts whose coordinates may be changed at the same time, so that each difference of a force
    /// or a constraint belongs to one of them: no two parts of a class are coupled with a third, or have a
    /// group in common.
    pub(crate) fn classes(&self) -> Vec<Vec<usize>> {
        let neighbours = self.neighbours();
        let groups_of = self.groups_of_parts();
        classes(self.parts.len(), |part| {
            let near = neighbours[part].iter().flat_map(|&other| neighbours[other].iter());
            let joined = groups_of[part].iter().flat_map(|&g| self.groups[g].parts.iter());
            near.chain(joined).copied().collect()
        })
    }

    /// Classes of groups without a part in common.
    pub(crate) fn group_classes(&self) -> Vec<Vec<usize>> {
        let groups_of = self.groups_of_parts();
        classes(self.groups.len(), |group| {
            self.groups[group].parts.iter().flat_map(|&part| groups_of[part].iter().copied()).collect()
        })
    }
}

/// Classes of n things, none of which is near another one of its class.
fn classes(n: usize, near: impl Fn(usize) -> Vec<usize>) -> Vec<Vec<usize>> {
    let mut class_of: Vec<Option<usize>> = vec![None; n];
    let mut classes: Vec<Vec<usize>> = Vec::new();
    for one in 0..n {
        let taken: Vec<usize> = near(one).into_iter().filter_map(|other| class_of[other]).collect();
        let class = (0..).find(|class| !taken.contains(class)).expect("there are endless numbers");
        if class == classes.len() {
            classes.push(Vec::new());
        }
        classes[class].push(one);
        class_of[one] = Some(class);
    }
    classes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chain_needs_three_classes_of_any_length() {
        let n = 30;
        let parts = (0..n).map(|k| Part { velocities: 6 * k..6 * k + 6, is_held: false }).collect();
        let group =
            |k: usize| ConstraintGroup { rows: 3 * k..3 * k + 3, parts: vec![k, k + 1], grounded: false };
        let structure = Structure {
            parts,
            groups: (0..n - 1).map(group).collect(),
            couplings: (0..n - 1).map(|k| [k, k + 1]).collect(),
        };
        let classes = structure.classes();
        assert_eq!(classes.len(), 3);
        let neighbours = structure.neighbours();
        for class in classes {
            let touched: Vec<usize> = class.iter().flat_map(|&part| neighbours[part].clone()).collect();
            let mut once = touched.clone();
            once.sort_unstable();
            once.dedup();
            assert_eq!(touched.len(), once.len(), "{class:?}");
        }
    }
}
