//! Knot insertion, degree elevation and reversal of patches and whole bodies: the map is unchanged.

use std::collections::BTreeMap;

use crate::classes::Classes;
use crate::topology::Topology;
use crate::{Gluing, KnotError, KnotVector, LineOperator, Multipatch, Patch, PatchError};

impl Patch {
    /// The patch in a finer basis of one direction; the operator acts on homogeneous coordinates.
    ///
    /// * `basis`, `operator` — a pair as [`KnotVector::insert`] and [`KnotVector::elevate`] return it
    pub fn in_basis(&self, direction: usize, basis: KnotVector, operator: &LineOperator) -> Self {
        let homogeneous: Vec<[f64; 4]> =
            self.points.iter().zip(&self.weights).map(|(&[x, y, z], &w)| [w * x, w * y, w * z, w]).collect();
        let finer = operator.apply(&homogeneous, self.counts(), direction);
        let mut bases = self.basis.clone();
        bases[direction] = basis;
        Self {
            basis: bases,
            points: finer.iter().map(|&[x, y, z, w]| [x / w, y / w, z / w]).collect(),
            weights: finer.iter().map(|h| h[3]).collect(),
        }
    }

    /// Inserts knots in one direction.
    ///
    /// # Errors
    ///
    /// [`PatchError::Knots`] if a knot lies outside or would occur more than p times.
    pub fn insert(&self, direction: usize, knots: &[f64]) -> Result<Self, PatchError> {
        let named = |source: KnotError| PatchError::Knots { direction, source };
        let (basis, operator) = self.basis[direction].insert(knots).map_err(named)?;
        Ok(self.in_basis(direction, basis, &operator))
    }

    /// Raises the degree of one direction by k and keeps the continuity.
    ///
    /// # Errors
    ///
    /// [`PatchError::Knots`] if the degree would be too high.
    pub fn elevate(&self, direction: usize, k: usize) -> Result<Self, PatchError> {
        let named = |source: KnotError| PatchError::Knots { direction, source };
        let (basis, operator) = self.basis[direction].elevate(k).map_err(named)?;
        Ok(self.in_basis(direction, basis, &operator))
    }

    /// Cuts the patch in two at a parameter of one direction; both parts keep their parameters.
    ///
    /// # Errors
    ///
    /// [`PatchError::Knots`] if the parameter lies outside the open domain.
    pub fn split(&self, direction: usize, at: f64) -> Result<[Self; 2], PatchError> {
        let named = |source: KnotError| PatchError::Knots { direction, source };
        let line = &self.basis[direction];
        let p = line.degree();
        let there = line.knots().iter().filter(|&&u| u == at).count();
        // At a knot of multiplicity p there is a control point; an end of the domain, p + 1 of them, is
        // refused by insertion.
        let missing = vec![at; if there > p { 1 } else { p - there }];
        let cut = self.insert(direction, &missing)?;
        let knots = cut.basis[direction].knots();
        let first = knots.partition_point(|&u| u < at);
        let end = vec![at; p + 1];
        let below = KnotVector::new(p, [&knots[..first], &end].concat()).map_err(named)?;
        let above = KnotVector::new(p, [&end, &knots[first + p..]].concat()).map_err(named)?;
        let n_below = below.n_functions();
        Ok([cut.part(direction, 0, below), cut.part(direction, n_below - 1, above)])
    }

    /// The control points from one position on along a direction, in their own basis.
    fn part(&self, direction: usize, from: usize, basis: KnotVector) -> Self {
        let mut counts = self.counts();
        counts[direction] = basis.n_functions();
        let mut bases = self.basis.clone();
        bases[direction] = basis;
        let index = |m: usize| {
            let mut ijk = [m % counts[0], m / counts[0] % counts[1], m / (counts[0] * counts[1])];
            ijk[direction] += from;
            self.index(ijk)
        };
        let n = counts.into_iter().product();
        Self {
            basis: bases,
            points: (0..n).map(|m| self.points[index(m)]).collect(),
            weights: (0..n).map(|m| self.weights[index(m)]).collect(),
        }
    }

    /// The same solid with one direction reversed: the sign of det J changes.
    pub fn reversed(&self, direction: usize) -> Self {
        let counts = self.counts();
        let mut basis = self.basis.clone();
        basis[direction] = basis[direction].reversed();
        let mirror = |index: usize| {
            let mut ijk = [index % counts[0], index / counts[0] % counts[1], index / (counts[0] * counts[1])];
            ijk[direction] = counts[direction] - 1 - ijk[direction];
            self.index(ijk)
        };
        Self {
            basis,
            points: (0..self.points.len()).map(|i| self.points[mirror(i)]).collect(),
            weights: (0..self.weights.len()).map(|i| self.weights[mirror(i)]).collect(),
        }
    }
}

impl Multipatch {
    /// Divides every nonempty span of every direction into n equal spans (in parameters).
    ///
    /// # Errors
    ///
    /// [`PatchError`] if knots become too dense to be distinguished.
    pub fn subdivide(&self, n: usize) -> Result<Self, PatchError> {
        self.divide_spans(|_, _| n)
    }

    /// At least n_u × n_v × n_w spans in every patch; see [`Multipatch::elements_by`].
    ///
    /// # Errors
    ///
    /// [`PatchError`] if knots become too dense to be distinguished.
    pub fn elements(&self, n: [usize; 3]) -> Result<Self, PatchError> {
        self.elements_by(|_, direction| n[direction])
    }

    /// At least the given number of spans in each direction of each patch; existing spans are divided
    /// equally.
    ///
    /// Directions that are glued to each other get the largest of their numbers.
    ///
    /// * `wish` — number of spans for (patch, direction)
    ///
    /// # Errors
    ///
    /// [`PatchError`] if knots become too dense to be distinguished.
    pub fn elements_by(&self, wish: impl Fn(usize, usize) -> usize) -> Result<Self, PatchError> {
        self.divide_spans(|patch, direction| {
            let there = self.patches[patch].basis[direction].breakpoints().len() - 1;
            wish(patch, direction).div_ceil(there)
        })
    }

    /// Raises all degrees by k; the continuity inside the patches is unchanged.
    ///
    /// # Errors
    ///
    /// [`PatchError::Knots`] if a degree would be too high.
    pub fn elevate(&self, k: usize) -> Result<Self, PatchError> {
        let degrees = |patch: &Patch| patch.degrees().map(|p| p + k);
        self.raise(degrees)
    }

    /// k-refinement: raises all degrees by k, then divides every span into n equal ones.
    ///
    /// In this order the new knots have multiplicity 1, and the functions p + k − 1 continuous derivatives
    /// there: each direction has p + k + n functions a patch without inner knots. In the other order
    /// (`subdivide`, then `elevate`) the degree rises at the continuity of the lower one, p − 1, with p + k +
    /// 1 + (n − 1)(k + 1) functions.
    ///
    /// # Errors
    ///
    /// [`PatchError`] if a degree would be too high or knots too dense.
    ///
    /// # Source
    ///
    /// Hughes, Cottrell & Bazilevs (2005), Computer Methods in Applied Mechanics and Engineering 194,
    /// section 2.
    pub fn k_refine(&self, k: usize, n: usize) -> Result<Self, PatchError> {
        self.elevate(k)?.subdivide(n)
    }

    /// Raises all degrees that are lower to p.
    ///
    /// # Errors
    ///
    /// [`PatchError::Knots`] if p is too high.
    pub fn elevate_to(&self, p: usize) -> Result<Self, PatchError> {
        let degrees = |patch: &Patch| patch.degrees().map(|degree| degree.max(p));
        self.raise(degrees)
    }

    fn raise(&self, degrees: impl Fn(&Patch) -> [usize; 3]) -> Result<Self, PatchError> {
        self.only_whole_patches()?;
        let topology = self.topology();
        let mut patches = self.patches.clone();
        for patch in &mut patches {
            let wanted = degrees(patch);
            for d in 0..3 {
                if wanted[d] > patch.basis[d].degree() {
                    *patch = patch.elevate(d, wanted[d] - patch.basis[d].degree())?;
                }
            }
        }
        Ok(self.refined(patches, &topology))
    }

    /// Divides each span of (patch, direction) into the largest number of parts that is requested in its
    /// class.
    fn divide_spans(&self, wish: impl Fn(usize, usize) -> usize) -> Result<Self, PatchError> {
        let topology = self.topology();
        let classes = topology.classes(self.patches.len());
        let mut new_knots = BTreeMap::new();
        for (class, members) in classes.members() {
            let parts =
                members.iter().map(|&(patch, direction)| wish(patch, direction)).max().unwrap_or(1).max(1);
            let (patch, direction) = members[0];
            let breaks = unit_breakpoints(&self.patches[patch].basis[direction]);
            let reversed = classes.reversed(members[0]);
            let mut knots = Vec::new();
            for pair in breaks.windows(2) {
                for i in 1..parts {
                    let t = pair[0] + (pair[1] - pair[0]) * i as f64 / parts as f64;
                    knots.push(if reversed { 1.0 - t } else { t });
                }
            }
            new_knots.insert(class, knots);
        }
        self.insert_in_classes(&topology, &classes, &new_knots)
    }

    /// Inserts knots in one direction of a patch and in all that are glued to it.
    ///
    /// * `knots` — parameters of this patch
    ///
    /// # Errors
    ///
    /// [`PatchError::Knots`] if a knot lies outside or would occur more than p times.
    pub fn insert(&self, patch: usize, direction: usize, knots: &[f64]) -> Result<Self, PatchError> {
        let topology = self.topology();
        let classes = topology.classes(self.patches.len());
        let [a, b] = self.patches[patch].basis[direction].domain();
        let reversed = classes.reversed((patch, direction));
        let unit = knots.iter().map(|&u| (u - a) / (b - a)).map(|t| if reversed { 1.0 - t } else { t });
        let new_knots = BTreeMap::from([(classes.class((patch, direction)), unit.collect())]);
        self.insert_in_classes(&topology, &classes, &new_knots)
    }

    /// Inserts knots given on \[0,1\] in the sense of each class of glued directions.
    pub(crate) fn insert_in_classes(
        &self,
        topology: &Topology,
        classes: &Classes,
        new_knots: &BTreeMap<usize, Vec<f64>>,
    ) -> Result<Self, PatchError> {
        self.only_whole_patches()?;
        let mut patches = self.patches.clone();
        for (number, patch) in patches.iter_mut().enumerate() {
            for d in 0..3 {
                let Some(unit) = new_knots.get(&classes.class((number, d))) else { continue };
                let [a, b] = patch.basis[d].domain();
                let reversed = classes.reversed((number, d));
                let place = |&t: &f64| if reversed { b - t * (b - a) } else { a + t * (b - a) };
                let mut knots: Vec<f64> = unit.iter().map(place).collect();
                if classes.is_symmetric((number, d)) {
                    knots.extend(unit.iter().map(|t| a + b - place(t)));
                }
                knots.sort_by(f64::total_cmp);
                knots.dedup_by(|x, y| (*x - *y).abs() <= 1e-14 * (b - a));
                if !knots.is_empty() {
                    *patch = patch.insert(d, &knots)?;
                }
            }
        }
        Ok(self.refined(patches, topology))
    }

    /// Knots and degrees of whole patches cannot change under a local refinement.
    fn only_whole_patches(&self) -> Result<(), PatchError> {
        if self.hierarchy.is_some() { Err(PatchError::Hierarchical) } else { Ok(()) }
    }

    /// The body with refined patches, numbered again from its gluing.
    pub(crate) fn refined(&self, patches: Vec<Patch>, topology: &Topology) -> Self {
        let gluing = Gluing::of_refined(&patches, topology);
        Self { patches, gluing, regions: self.regions.clone(), hierarchy: None }
    }
}

/// Distinct knots mapped to \[0,1\].
pub(crate) fn unit_breakpoints(basis: &KnotVector) -> Vec<f64> {
    let [a, b] = basis.domain();
    basis.breakpoints().iter().map(|&u| (u - a) / (b - a)).collect()
}

#[cfg(test)]
mod tests {
    use crate::testing::warped;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn refining_a_rational_patch_leaves_the_map_unchanged(
            direction in 0usize..3,
            at in prop::collection::vec(0.01f64..0.99, 0..6),
            k in 0usize..3,
            x in prop::array::uniform3(0.0f64..=1.0),
        ) {
            let patch = warped();
            let [a, b] = patch.domain()[direction];
            let knots: Vec<f64> = at.iter().map(|t| a + t * (b - a)).collect();
            let finer = patch.insert(direction, &knots).unwrap().elevate((direction + 1) % 3, k).unwrap();
            let domain = patch.domain();
            let u = [0, 1, 2].map(|d| domain[d][0] + x[d] * (domain[d][1] - domain[d][0]));
            let (old, new) = (patch.derivatives(u), finer.derivatives(u));
            for c in 0..3 {
                prop_assert!((old.point[c] - new.point[c]).abs() < 1e-13);
                for d in 0..3 {
                    prop_assert!((old.first[d][c] - new.first[d][c]).abs() < 1e-10);
                }
            }
        }

        #[test]
        fn a_reversed_patch_is_the_same_solid(
            direction in 0usize..3,
            x in prop::array::uniform3(0.0f64..=1.0),
        ) {
            let patch = warped();
            let reversed = patch.reversed(direction);
            let domain = patch.domain();
            let u = [0, 1, 2].map(|d| domain[d][0] + x[d] * (domain[d][1] - domain[d][0]));
            let mut v = u;
            v[direction] = patch.domain()[direction][0] + patch.domain()[direction][1] - u[direction];
            let (p, q) = (patch.point(u), reversed.point(v));
            prop_assert!((0..3).all(|c| (p[c] - q[c]).abs() < 1e-13));
            prop_assert!(patch.derivatives(u).jacobian() * reversed.derivatives(v).jacobian() < 0.0);
            prop_assert_eq!(reversed.reversed(direction).points, patch.points);
        }
    }
}
