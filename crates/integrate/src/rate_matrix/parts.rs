//! The derivative of a rate by blocks of bodies and joints.
//!
//! With R = −∂f/∂λ, F = ∂f/∂y at constant λ, and the accelerations a(y, ẏ) of the constraints, which the
//! reactions keep at zero:
//!
//! ```text
//! δẏ = F δy − R δλ,     A δy + B δẏ = 0,     A = ∂a/∂y,  B = ∂a/∂ẏ
//! ```
//!
//! so that σ δy − δẏ = r is the system
//!
//! ```text
//! ⎡ σ E − F     R ⎤ ⎡ δy ⎤   ⎡  r  ⎤
//! ⎣ A + σ B     0 ⎦ ⎣ δλ ⎦ = ⎣ B r ⎦ .
//! ```
//!
//! F couples the components of a body and of those that its forces depend on; R, A and B those of a joint and
//! its bodies. B has momenta alone. Components of bodies that have no influence in common change at the same
//! time, so that a chain of any length needs as many evaluations as a short one.
//!
//! # Source
//!
//! docs/theory/time.md, section 5.2, "Newton's method with joints".

use crate::control::Tolerances;
use crate::jacobian::increment;
use crate::second_order::{Reading, SecondOrder};
use crate::structure::StateStructure;
use crate::tiles::Tiles;
use carom_linalg::blocks::{BlockKind, BlockPattern};
use carom_linalg::dense::dot;

/// Blocks of the derivative, with workspace.
#[derive(Debug, Clone)]
pub(crate) struct PartsMatrix {
    pub(super) of: StateStructure,
    /// Ordered pairs of parts, each part with itself: rates of, by components of.
    pub(super) couplings: Vec<[usize; 2]>,
    /// Groups and their parts.
    pub(super) incidences: Vec<(usize, usize)>,
    /// Incidences of each part.
    of_part: Vec<Vec<usize>>,
    /// Couplings in which the components of each part act.
    by_part: Vec<Vec<usize>>,
    /// Parts, and groups, that are changed at the same time.
    classes: Vec<Vec<usize>>,
    group_classes: Vec<Vec<usize>>,
    /// F of each coupling; R of each incidence, and the rows of A and B.
    pub(super) rates: Tiles,
    pub(super) reactions: Tiles,
    pub(super) rows: Tiles,
    pub(super) momenta: Tiles,
    work: Work,
}

#[derive(Debug, Clone)]
struct Work {
    reading: Reading,
    multipliers: Vec<f64>,
    shifted: Vec<f64>,
    /// Change of each part's component, after rounding.
    changes: Vec<f64>,
    base: Vec<f64>,
    rate: Vec<f64>,
    base_accelerations: Vec<f64>,
    accelerations: Vec<f64>,
    changed_multipliers: Vec<f64>,
    /// Momenta, a row of G and a column of M⁻¹ Gᵀ over velocities.
    column: Vec<f64>,
    row: Vec<f64>,
    reaction: Vec<f64>,
    /// A column of a tile.
    tile: Vec<f64>,
}

impl PartsMatrix {
    /// For a system of `dim` components.
    pub(super) fn new(dim: usize, of: StateStructure) -> Self {
        let structure = &of.structure;
        let n_parts = structure.parts.len();
        let (mut couplings, mut by_part) = (Vec::new(), vec![Vec::new(); n_parts]);
        for (part, near) in structure.neighbours().into_iter().enumerate() {
            for by in near {
                by_part[by].push(couplings.len());
                couplings.push([part, by]);
            }
        }
        let (mut incidences, mut of_part) = (Vec::new(), vec![Vec::new(); n_parts]);
        for (g, group) in structure.groups.iter().enumerate() {
            for &part in &group.parts {
                of_part[part].push(incidences.len());
                incidences.push((g, part));
            }
        }
        let size = |part: usize| of.components[part].len();
        let rows = |group: usize| structure.groups[group].rows.len();
        let of_incidences = || Tiles::new(incidences.iter().map(|&(g, part)| (rows(g), size(part))));
        let (n, m) = (structure.velocities(), structure.constraints());
        let zeros = |n: usize| vec![0.0; n];
        Self {
            rates: Tiles::new(couplings.iter().map(|&[part, by]| (size(part), size(by)))),
            reactions: Tiles::new(incidences.iter().map(|&(g, part)| (size(part), rows(g)))),
            rows: of_incidences(),
            momenta: of_incidences(),
            classes: structure.classes(),
            group_classes: structure.group_classes(),
            work: Work {
                reading: Reading::new(n, m),
                multipliers: zeros(m),
                shifted: zeros(dim),
                reaction: zeros(n),
                changed_multipliers: zeros(m),
                changes: zeros(n_parts),
                base: zeros(dim),
                rate: zeros(dim),
                base_accelerations: zeros(m),
                accelerations: zeros(m),
                column: zeros(n),
                row: zeros(n),
                tile: zeros((0..n_parts).map(size).max().unwrap_or(0)),
            },
            couplings,
            incidences,
            of_part,
            by_part,
            of,
        }
    }

    /// Number of components of y in all parts.
    pub(super) fn n_components(&self) -> usize {
        self.of.components.last().map_or(0, |last| last.end)
    }

    /// Evaluations of the rate for all blocks.
    pub(super) fn evaluations(&self) -> usize {
        1 + self.columns_of_classes() + self.rows_of_classes()
    }

    /// Components of the largest part of each class.
    fn columns_of_classes(&self) -> usize {
        let size = |part: &usize| self.of.components[*part].len();
        self.classes.iter().map(|class| class.iter().map(size).max().unwrap_or(0)).sum()
    }

    /// Constraints of the largest group of each class.
    fn rows_of_classes(&self) -> usize {
        let size = |group: &usize| self.of.structure.groups[*group].rows.len();
        self.group_classes.iter().map(|class| class.iter().map(size).max().unwrap_or(0)).sum()
    }

    /// All blocks at y; returns the number of evaluations.
    pub(super) fn evaluate<E: std::error::Error + 'static>(
        &mut self,
        system: &mut dyn SecondOrder<Error = E>,
        time: f64,
        y: &[f64],
        tolerances: &Tolerances,
    ) -> Result<u64, E> {
        let work = &mut self.work;
        system.rate_with(time, y, None, &mut work.base)?;
        system.read(&mut work.reading);
        work.multipliers.copy_from_slice(&work.reading.multipliers);
        system.constraint_accelerations(&work.base, &mut work.base_accelerations);
        self.take_momenta(system, y);
        for class in 0..self.group_classes.len() {
            let groups = &self.of.structure.groups;
            let most = self.group_classes[class].iter().map(|&group| groups[group].rows.len()).max();
            for l in 0..most.unwrap_or(0) {
                self.difference_by_multipliers(system, time, y, (class, l))?;
            }
        }
        for class in 0..self.classes.len() {
            let most = self.classes[class].iter().map(|&part| self.of.components[part].len()).max();
            for j in 0..most.unwrap_or(0) {
                self.difference_by_components(system, time, (y, tolerances), (class, j))?;
            }
        }
        Ok(self.evaluations() as u64)
    }

    /// B = G M⁻¹ over the momenta of y, at the last evaluation.
    fn take_momenta<E: std::error::Error + 'static>(
        &mut self,
        system: &mut dyn SecondOrder<Error = E>,
        y: &[f64],
    ) {
        let Self { of, incidences, momenta, work, .. } = self;
        let StateStructure { structure, components, .. } = of;
        let most = components.iter().map(|components| components.len()).max().unwrap_or(0);
        for j in 0..most {
            // A unit of the momentum with this number within each part.
            work.rate.fill(0.0);
            for components in components.iter().filter(|components| j < components.len()) {
                let i = components.start + j;
                work.rate[i] = f64::from(u8::from(!system.is_position(i)));
            }
            system.pull_back(y, &work.rate, &mut work.column);
            for (at, &(group, part)) in
                incidences.iter().enumerate().filter(|(_, (_, p))| j < components[*p].len())
            {
                let range = structure.parts[part].velocities.clone();
                let size = range.len();
                let rows = structure.groups[group].rows.clone();
                for (l, k) in rows.enumerate() {
                    let (row, column) = (&mut work.row[..size], &mut work.reaction[..size]);
                    system.constraint(k, part, row, column);
                    momenta.row_mut(at, l)[j] = dot(column, &work.column[range.clone()]);
                }
            }
        }
    }

    /// R by multiplier l of the groups of a class, in which the rate is linear.
    fn difference_by_multipliers<E: std::error::Error + 'static>(
        &mut self,
        system: &mut dyn SecondOrder<Error = E>,
        time: f64,
        y: &[f64],
        (class, l): (usize, usize),
    ) -> Result<(), E> {
        let Self { of, group_classes, incidences, reactions, work, .. } = self;
        let groups = &of.structure.groups;
        let change = work.multipliers.iter().fold(1.0, |most: f64, x| most.max(x.abs()));
        let changed = |group: usize| group_classes[class].contains(&group) && l < groups[group].rows.len();
        work.changed_multipliers.copy_from_slice(&work.multipliers);
        for &group in group_classes[class].iter().filter(|&&group| changed(group)) {
            work.changed_multipliers[groups[group].rows.start + l] += change;
        }
        system.rate_with(time, y, Some(&work.changed_multipliers), &mut work.rate)?;
        for (at, &(_, part)) in incidences.iter().enumerate().filter(|(_, (g, _))| changed(*g)) {
            let range = of.components[part].clone();
            let column = &mut work.tile[..range.len()];
            let changes = work.rate[range.clone()].iter().zip(&work.base[range]);
            column.iter_mut().zip(changes).for_each(|(out, (rate, base))| *out = (base - rate) / change);
            reactions.set_column(at, l, column);
        }
        Ok(())
    }

    /// F and A by component j of the parts of a class.
    fn difference_by_components<E: std::error::Error + 'static>(
        &mut self,
        system: &mut dyn SecondOrder<Error = E>,
        time: f64,
        (y, tolerances): (&[f64], &Tolerances),
        (class, j): (usize, usize),
    ) -> Result<(), E> {
        let Self { of, classes, couplings, incidences, of_part, by_part, rates, rows, work, .. } = self;
        let components = &of.components;
        let changed = || classes[class].iter().copied().filter(|&part| j < components[part].len());
        work.shifted.copy_from_slice(y);
        for part in changed() {
            let i = components[part].start + j;
            work.shifted[i] = y[i] + increment(tolerances, i, y[i].abs());
            // The change after rounding, to the last bit.
            work.changes[part] = work.shifted[i] - y[i];
        }
        system.rate_with(time, &work.shifted, Some(&work.multipliers), &mut work.rate)?;
        system.constraint_accelerations(&work.base, &mut work.accelerations);
        for part in changed() {
            let change = work.changes[part];
            for &coupling in &by_part[part] {
                let range = components[couplings[coupling][0]].clone();
                let column = &mut work.tile[..range.len()];
                let differences = work.rate[range.clone()].iter().zip(&work.base[range]);
                column
                    .iter_mut()
                    .zip(differences)
                    .for_each(|(out, (rate, base))| *out = (rate - base) / change);
                rates.set_column(coupling, j, column);
            }
            for &at in &of_part[part] {
                let group = &of.structure.groups[incidences[at].0];
                for (l, k) in group.rows.clone().enumerate() {
                    let difference = work.accelerations[k] - work.base_accelerations[k];
                    rows.row_mut(at, l)[j] = difference / change;
                }
            }
        }
        Ok(())
    }

    /// The pattern of the system, with `width` real unknowns for each number; its blocks are those of F, then
    /// R, then A + σ B.
    pub(super) fn pattern(&self, width: usize) -> BlockPattern {
        let StateStructure { structure, components, .. } = &self.of;
        let first = structure.parts.len();
        let all = |range: std::ops::Range<usize>, offset: usize| -> Vec<usize> {
            (width * (offset + range.start)..width * (offset + range.end)).collect()
        };
        let of_parts = components.iter().map(|components| all(components.clone(), 0));
        let of_groups = structure.groups.iter().map(|group| all(group.rows.clone(), self.n_components()));
        let held = |is: bool| if is { BlockKind::Held } else { BlockKind::Free };
        let kinds_of_parts = structure.parts.iter().map(|part| held(part.is_held));
        let kinds_of_groups = structure.groups.iter().map(|g| BlockKind::Constraint { grounded: g.grounded });
        let reactions = self.incidences.iter().map(|&(group, part)| [part, first + group]);
        let constraints = self.incidences.iter().map(|&(group, part)| [first + group, part]);
        BlockPattern {
            unknowns: of_parts.chain(of_groups).collect(),
            kinds: kinds_of_parts.chain(kinds_of_groups).collect(),
            blocks: self.couplings.iter().copied().chain(reactions).chain(constraints).collect(),
        }
    }
}
