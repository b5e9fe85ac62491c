//! Structures as numbers, for a restart.

use std::ops::Range;

use super::{ConstraintGroup, Part, StateStructure, Structure};

impl Structure {
    /// Appends numbers of parts, groups and couplings; size of each part and whether it is held; for each
    /// group its rows, the ground, the number of its parts and these; the couplings.
    pub(crate) fn write(&self, memory: &mut Vec<f64>) {
        let Self { parts, groups, couplings } = self;
        memory.extend([parts.len(), groups.len(), couplings.len()].map(|count| count as f64));
        for Part { velocities, is_held } in parts {
            memory.extend([velocities.len() as f64, f64::from(u8::from(*is_held))]);
        }
        for ConstraintGroup { rows, parts, grounded } in groups {
            memory.extend([rows.len() as f64, f64::from(u8::from(*grounded)), parts.len() as f64]);
            memory.extend(parts.iter().map(|&part| part as f64));
        }
        memory.extend(couplings.iter().flatten().map(|&part| part as f64));
    }

    /// Reads a structure back from the front of `memory`; none if the numbers are not one. No count is larger
    /// than `most`.
    pub(crate) fn read(memory: &mut &[f64], most: usize) -> Option<Self> {
        let mut structure = Self::default();
        let mut next = |most: usize| next(memory, most);
        let [n_parts, n_groups, n_couplings] = [next(most)?, next(most)?, next(most * most)?];
        let (mut velocities, mut rows) = (0, 0);
        for _ in 0..n_parts {
            let velocities = range(&mut velocities, next(most)?);
            structure.parts.push(Part { velocities, is_held: next(1)? == 1 });
        }
        let last = n_parts.saturating_sub(1);
        for _ in 0..n_groups {
            let rows = range(&mut rows, next(most)?);
            let (grounded, count) = (next(1)? == 1, next(n_parts)?);
            let parts = (0..count).map(|_| next(last)).collect::<Option<_>>()?;
            structure.groups.push(ConstraintGroup { rows, parts, grounded });
        }
        for _ in 0..n_couplings {
            structure.couplings.push([next(last)?, next(last)?]);
        }
        (velocities.max(rows) <= most).then_some(structure)
    }
}

impl StateStructure {
    /// Appends the structure, the number of components of each part, and the sums.
    pub(crate) fn write(&self, memory: &mut Vec<f64>) {
        self.structure.write(memory);
        memory.extend(self.components.iter().map(|components| components.len() as f64));
        memory.push(self.sums.len() as f64);
        for (integral, of) in &self.sums {
            memory.extend([*integral as f64, of.len() as f64]);
            memory.extend(of.iter().map(|&component| component as f64));
        }
    }

    /// Reads one of `dim` components back from the front of `memory`; none if the numbers are not one.
    pub(crate) fn read(memory: &mut &[f64], dim: usize) -> Option<Self> {
        let structure = Structure::read(memory, dim)?;
        let mut next = |most: usize| next(memory, most);
        let mut end = 0;
        let components = structure.parts.iter().map(|_| Some(range(&mut end, next(dim)?)));
        let components = components.collect::<Option<Vec<_>>>()?;
        let count = next(dim)?;
        let (last, last_part) = (dim.saturating_sub(1), end.saturating_sub(1));
        let mut sums = Vec::new();
        for _ in 0..count {
            let (integral, count) = (next(last)?, next(dim)?);
            sums.push((integral, (0..count).map(|_| next(last_part)).collect::<Option<_>>()?));
        }
        (end <= dim).then_some(Self { structure, components, sums })
    }
}

/// The next number, a count from 0 to `most`.
fn next(memory: &mut &[f64], most: usize) -> Option<usize> {
    let (&number, rest) = memory.split_first()?;
    *memory = rest;
    (0.0..=most as f64).contains(&number).then_some(number as usize)
}

/// The next range of this length.
fn range(end: &mut usize, length: usize) -> Range<usize> {
    let start = *end;
    *end += length;
    start..*end
}
