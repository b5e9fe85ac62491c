//! Where the blocks of the matrix of a step belong.

use std::ops::Range;

use carom_linalg::blocks::{BlockKind, BlockPattern};

use crate::structure::Structure;

/// A block of the matrix of a step, and the number of its tile.
#[derive(Debug, Clone, Copy)]
pub(super) enum Block {
    /// Forces of one part by coordinates of another: number of the coupling.
    Parts(usize),
    /// Multipliers in the equations of a part: number of the incidence.
    Reaction(usize),
    /// Multipliers and impulses in the equations of a part: number of its tile of C M⁻¹ Gᵀ, and number of the
    /// incidence if the group acts on this part.
    ReactionOfBoth(usize, Option<usize>),
    /// Constraints of positions by coordinates of a part: number of the incidence.
    Constraint(usize),
    /// Constraints of positions and velocities by coordinates of a part: number of the incidence.
    ConstraintOfBoth(usize),
    /// Constraints of velocities by impulses on the same part: number of the tile of G M⁻¹ Gᵀ.
    Response(usize),
    /// The same in a block that multipliers of positions share.
    ResponseOfBoth(usize),
}

/// Places of all tiles.
#[derive(Debug, Clone, Default)]
pub(super) struct Places {
    pub(super) structure: Structure,
    /// Ordered pairs of coupled parts, each part with itself: (forces of, coordinates of).
    pub(super) couplings: Vec<[usize; 2]>,
    /// Number of the coupling of each part with itself.
    pub(super) own: Vec<usize>,
    /// Groups and their parts.
    pub(super) incidences: Vec<(usize, usize)>,
    /// Incidences of each part, and of each group.
    pub(super) of_part: Vec<Vec<usize>>,
    pub(super) of_group: Vec<Vec<usize>>,
    /// Tiles of C M⁻¹ Gᵀ: part and group; the products C (M⁻¹ Gᵀ) in each, by coupling and incidence.
    pub(super) damped: Vec<(usize, usize)>,
    pub(super) damped_sums: Vec<Vec<(usize, usize)>>,
    /// Tiles of G M⁻¹ Gᵀ: two groups; the products in each by their incidences.
    pub(super) responses: Vec<(usize, usize)>,
    pub(super) response_sums: Vec<Vec<(usize, usize)>>,
    /// Classes of parts that are changed at the same time.
    pub(super) classes: Vec<Vec<usize>>,
    /// Part of each velocity.
    pub(super) part_of: Vec<usize>,
}

impl Places {
    pub(super) fn new(structure: Structure) -> Self {
        let (n_parts, n_groups) = (structure.parts.len(), structure.groups.len());
        let neighbours = structure.neighbours();
        let mut places = Self {
            classes: structure.classes(),
            own: vec![0; n_parts],
            of_part: vec![Vec::new(); n_parts],
            of_group: vec![Vec::new(); n_groups],
            ..Self::default()
        };
        let mut coupling_of = std::collections::BTreeMap::new();
        for (part, near) in neighbours.iter().enumerate() {
            for &other in near {
                if other == part {
                    places.own[part] = places.couplings.len();
                }
                coupling_of.insert([part, other], places.couplings.len());
                places.couplings.push([part, other]);
            }
            places.part_of.extend(structure.parts[part].velocities.clone().map(|_| part));
        }
        for (g, group) in structure.groups.iter().enumerate() {
            for &part in &group.parts {
                places.of_part[part].push(places.incidences.len());
                places.of_group[g].push(places.incidences.len());
                places.incidences.push((g, part));
            }
        }
        for g in 0..n_groups {
            let own = places.of_group[g].iter().map(|&at| (places.incidences[at].1, at));
            let mut sums = std::collections::BTreeMap::<usize, Vec<(usize, usize)>>::new();
            let mut products = std::collections::BTreeMap::<usize, Vec<(usize, usize)>>::new();
            for (part, at) in own {
                for &other in &neighbours[part] {
                    sums.entry(other).or_default().push((coupling_of[&[other, part]], at));
                }
                for &other in &places.of_part[part] {
                    products.entry(places.incidences[other].0).or_default().push((at, other));
                }
            }
            for (part, sum) in sums {
                places.damped.push((part, g));
                places.damped_sums.push(sum);
            }
            for (other, product) in products {
                places.responses.push((g, other));
                places.response_sums.push(product);
            }
        }
        places.structure = structure;
        places
    }

    /// Rows and velocities of an incidence.
    pub(super) fn spans(&self, incidence: usize) -> (Range<usize>, Range<usize>) {
        let (group, part) = self.incidences[incidence];
        (self.structure.groups[group].rows.clone(), self.structure.parts[part].velocities.clone())
    }

    /// The pattern of the whole matrix for N velocities and m constraints, and its blocks.
    pub(super) fn whole(&self, n: usize, m: usize) -> (BlockPattern, Vec<Block>) {
        let both = |rows: Range<usize>| rows.clone().chain(rows.start + m..rows.end + m);
        let mut pattern = self.nodes(|rows| both(rows).map(|k| n + k).collect());
        let mut blocks = self.blocks_of_parts(&mut pattern);
        let first = self.structure.parts.len();
        for (k, &(part, group)) in self.damped.iter().enumerate() {
            let incidence = self.of_group[group].iter().copied().find(|&at| self.incidences[at].1 == part);
            pattern.blocks.push([part, first + group]);
            blocks.push(Block::ReactionOfBoth(k, incidence));
        }
        for (k, &(group, part)) in self.incidences.iter().enumerate() {
            pattern.blocks.push([first + group, part]);
            blocks.push(Block::ConstraintOfBoth(k));
        }
        for (k, &(group, other)) in self.responses.iter().enumerate() {
            pattern.blocks.push([first + group, first + other]);
            blocks.push(Block::ResponseOfBoth(k));
        }
        (pattern, blocks)
    }

    /// The pattern of the equations of motion and positions, with one multiplier for each of m constraints.
    pub(super) fn motion(&self, n: usize) -> (BlockPattern, Vec<Block>) {
        let mut pattern = self.nodes(|rows| rows.map(|k| n + k).collect());
        let mut blocks = self.blocks_of_parts(&mut pattern);
        let first = self.structure.parts.len();
        for (k, &(group, part)) in self.incidences.iter().enumerate() {
            pattern.blocks.extend([[part, first + group], [first + group, part]]);
            blocks.extend([Block::Reaction(k), Block::Constraint(k)]);
        }
        (pattern, blocks)
    }

    /// The pattern of the equations of impulses. Their matrix is positive definite.
    pub(super) fn impulses(&self) -> (BlockPattern, Vec<Block>) {
        let groups = &self.structure.groups;
        let pattern = BlockPattern {
            unknowns: groups.iter().map(|group| group.rows.clone().collect()).collect(),
            kinds: vec![BlockKind::Free; groups.len()],
            blocks: self.responses.iter().map(|&(group, other)| [group, other]).collect(),
        };
        (pattern, (0..self.responses.len()).map(Block::Response).collect())
    }

    /// The parts, then the groups with the unknowns `of_group` of their rows, without blocks.
    fn nodes(&self, of_group: impl Fn(Range<usize>) -> Vec<usize>) -> BlockPattern {
        let Structure { parts, groups, .. } = &self.structure;
        let mut unknowns: Vec<Vec<usize>> =
            parts.iter().map(|part| part.velocities.clone().collect()).collect();
        unknowns.extend(groups.iter().map(|group| of_group(group.rows.clone())));
        let of_part = |held: bool| if held { BlockKind::Held } else { BlockKind::Free };
        let mut kinds: Vec<_> = parts.iter().map(|part| of_part(part.is_held)).collect();
        kinds.extend(groups.iter().map(|group| BlockKind::Constraint { grounded: group.grounded }));
        BlockPattern { unknowns, kinds, blocks: Vec::new() }
    }

    /// Adds the blocks of coupled parts to a pattern.
    fn blocks_of_parts(&self, pattern: &mut BlockPattern) -> Vec<Block> {
        pattern.blocks.extend(&self.couplings);
        (0..self.couplings.len()).map(Block::Parts).collect()
    }
}
