//! A patch in the truncated hierarchical basis: its cells and one control point for each active function.

use std::cell::RefCell;
use std::collections::HashMap;

use super::lines::LevelLine;
use super::tree::{Cell, Tree};
use crate::{KnotVector, Patch};

/// Homogeneous control point (w x, w y, w z, w).
type Homogeneous = [f64; 4];

/// A patch with divided cells.
///
/// A function of level l is active if its support lies in Ω^l and not in Ω^{l+1}. The map is
///
/// ```text
/// x = Σ w_i T_i P_i / Σ w_i T_i,   T_i the truncated function of the active function i
/// ```
///
/// Control points are stored level by level, within a level with the first direction fastest.
///
/// # Source
///
/// Giannelli, Jüttler, Speleers (2012), Comput. Aided Geom. Design 29, 485–498.
#[derive(Debug, Clone, PartialEq)]
pub struct HierarchicalPatch {
    /// Knot vectors of level 0.
    pub basis: [KnotVector; 3],
    /// The cells.
    pub tree: Tree,
    /// Cartesian control point of each active function \[m\].
    pub points: Vec<[f64; 3]>,
    /// Weight of each active function, positive.
    pub weights: Vec<f64>,
}

/// The state of a function of a level.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Status {
    /// In the hierarchical basis.
    Active,
    /// Its support is completely divided: finer functions replace it.
    Passive,
    /// Its support leaves Ω^l: coarser functions replace it.
    Outside,
}

/// The levels of a patch with the bases of its directions.
#[derive(Debug, Clone)]
pub(crate) struct Levels {
    pub(crate) lines: [Vec<LevelLine>; 3],
}

impl Levels {
    pub(crate) fn of(basis: &[KnotVector; 3], n_levels: usize) -> Self {
        Self { lines: basis.each_ref().map(|basis| LevelLine::levels(basis, n_levels)) }
    }

    pub(crate) fn basis(&self, level: usize) -> [&KnotVector; 3] {
        self.lines.each_ref().map(|lines| &lines[level].basis)
    }

    pub(crate) fn counts(&self, level: usize) -> [usize; 3] {
        self.basis(level).map(KnotVector::n_functions)
    }

    /// The state of function (i, j, k) of a level.
    pub(crate) fn status(&self, tree: &Tree, level: usize, ijk: [usize; 3]) -> Status {
        let [u, v, w] = [0, 1, 2].map(|d| self.lines[d][level].support[ijk[d]].clone());
        let mut all_divided = true;
        for k in w {
            for j in v.clone() {
                for i in u.clone() {
                    if !tree.exists(level, [i, j, k]) {
                        return Status::Outside;
                    }
                    all_divided = all_divided && tree.is_divided(level, [i, j, k]);
                }
            }
        }
        if all_divided { Status::Passive } else { Status::Active }
    }

    /// The functions of the next level whose sum is function (i, j, k), with their factors t > 0.
    pub(crate) fn for_each_parent(
        &self,
        level: usize,
        ijk: [usize; 3],
        mut visit: impl FnMut([usize; 3], f64),
    ) {
        let row = |d: usize| {
            let operator = self.lines[d][level].two_scale.as_ref();
            operator.expect("levels above 0 have one").row(ijk[d]).filter(|&(_, t)| t != 0.0)
        };
        for (k, c) in row(2) {
            for (j, b) in row(1) {
                for (i, a) in row(0) {
                    visit([i, j, k], a * b * c);
                }
            }
        }
    }

    /// The active functions of a level, the first direction fastest.
    pub(crate) fn active(&self, tree: &Tree, level: usize) -> Vec<[usize; 3]> {
        let mut touched: Vec<[usize; 3]> = Vec::new();
        if level == 0 {
            let [n, m, o] = self.counts(0);
            touched.extend((0..n * m * o).map(|i| [i % n, i / n % m, i / (n * m)]));
        } else {
            for cell in tree.leaves(level) {
                self.for_each_function(level, cell, |ijk| touched.push(ijk));
            }
            touched.sort_unstable_by_key(|&[i, j, k]| [k, j, i]);
            touched.dedup();
        }
        touched.retain(|&ijk| self.status(tree, level, ijk) == Status::Active);
        touched
    }

    /// Functions of a level that are nonzero on a cell, the first direction fastest.
    pub(crate) fn for_each_function(&self, level: usize, cell: Cell, mut visit: impl FnMut([usize; 3])) {
        let [u, v, w] = [0, 1, 2].map(|d| self.lines[d][level].functions(cell[d]));
        for k in w {
            for j in v.clone() {
                for i in u.clone() {
                    visit([i, j, k]);
                }
            }
        }
    }
}

impl HierarchicalPatch {
    /// A patch of undivided cells: the same functions, the same map.
    pub fn of(patch: &Patch) -> Self {
        let spans = patch.basis.each_ref().map(|basis| basis.spans().len() as u32);
        Self {
            basis: patch.basis.clone(),
            tree: Tree::new(spans),
            points: patch.points.clone(),
            weights: patch.weights.clone(),
        }
    }

    /// Number of active functions of each level.
    pub fn n_active(&self) -> Vec<usize> {
        let levels = Levels::of(&self.basis, self.tree.n_levels());
        (0..self.tree.n_levels()).map(|level| levels.active(&self.tree, level).len()).collect()
    }

    /// The same map in the basis of a tree that divides more cells.
    ///
    /// The coefficient of a new function of level l is that of the map written in level l, since truncation
    /// keeps the coefficients of coarser levels: convex combinations, no equations to solve.
    pub fn refined(&self, tree: Tree) -> Self {
        let levels = Levels::of(&self.basis, tree.n_levels());
        let old = Coefficients::new(self, &levels);
        let mut refined = Self { basis: self.basis.clone(), tree, points: Vec::new(), weights: Vec::new() };
        for level in 0..refined.tree.n_levels() {
            for ijk in levels.active(&refined.tree, level) {
                let [x, y, z, w] = old.at(level, ijk);
                refined.points.push([x / w, y / w, z / w]);
                refined.weights.push(w);
            }
        }
        refined
    }

    /// The same solid with det J > 0: the third direction reversed if need be.
    pub(super) fn right_handed(self) -> Self {
        let degree = self.basis.iter().map(KnotVector::degree).max().unwrap_or(1);
        if self.tensor_product().moments(degree + 1).volume >= 0.0 { self } else { self.reversed() }
    }

    /// The same solid with the third direction run through backwards.
    fn reversed(&self) -> Self {
        let levels = Levels::of(&self.basis, self.tree.n_levels());
        let mut tree = Tree::new(self.tree.lattice(0));
        for level in 0..self.tree.n_levels() {
            let n = self.tree.lattice(level)[2];
            for [i, j, k] in self.tree.divided(level) {
                tree.divide(level, [i, j, n - 1 - k]);
            }
        }
        let [u, v, w] = &self.basis;
        let mut reversed =
            Self { basis: [u.clone(), v.clone(), w.reversed()], tree, points: vec![], weights: vec![] };
        let mut first = 0;
        for level in 0..self.tree.n_levels() {
            let functions = levels.active(&self.tree, level);
            let n = levels.counts(level)[2];
            let mut order: Vec<usize> = (0..functions.len()).collect();
            order.sort_unstable_by_key(|&f| {
                let [i, j, k] = functions[f];
                [n - 1 - k, j, i]
            });
            for f in order {
                reversed.points.push(self.points[first + f]);
                reversed.weights.push(self.weights[first + f]);
            }
            first += functions.len();
        }
        reversed
    }

    /// The same map as a tensor-product patch of the finest level.
    pub fn tensor_product(&self) -> Patch {
        self.tensor_product_of(self.tree.n_levels() - 1)
    }

    /// The same map as a tensor-product patch of a level that is at least as fine as all of its cells.
    pub(super) fn tensor_product_of(&self, level: usize) -> Patch {
        let levels = Levels::of(&self.basis, level + 1);
        let old = Coefficients::new(self, &levels);
        let [n, m, o] = levels.counts(level);
        let all: Vec<Homogeneous> =
            (0..n * m * o).map(|i| old.at(level, [i % n, i / n % m, i / (n * m)])).collect();
        Patch {
            basis: levels.basis(level).map(Clone::clone),
            points: all.iter().map(|&[x, y, z, w]| [x / w, y / w, z / w]).collect(),
            weights: all.iter().map(|h| h[3]).collect(),
        }
    }
}

/// Coefficients of the map of a hierarchical patch, written in the basis of any level.
struct Coefficients<'a> {
    levels: &'a Levels,
    /// For each level: those of active functions, and of others once they were requested.
    known: RefCell<Vec<HashMap<[usize; 3], Homogeneous>>>,
}

impl<'a> Coefficients<'a> {
    fn new(patch: &HierarchicalPatch, levels: &'a Levels) -> Self {
        let n_levels = levels.lines[0].len();
        let mut known = vec![HashMap::new(); n_levels];
        let mut given = patch.points.iter().zip(&patch.weights);
        for (level, known) in known.iter_mut().enumerate().take(patch.tree.n_levels()) {
            for ijk in levels.active(&patch.tree, level) {
                if let Some((&[x, y, z], &w)) = given.next() {
                    known.insert(ijk, [w * x, w * y, w * z, w]);
                }
            }
        }
        Self { levels, known: RefCell::new(known) }
    }

    /// Σ t C^{l−1}, down to functions that are active.
    ///
    /// A function of level 0 that is not active is replaced by finer ones wherever it is nonzero: only
    /// functions that are replaced too request it.
    fn at(&self, level: usize, ijk: [usize; 3]) -> Homogeneous {
        if let Some(&known) = self.known.borrow()[level].get(&ijk) {
            return known;
        }
        let mut sum = [0.0; 4];
        if level > 0 {
            self.levels.for_each_parent(level, ijk, |parent, t| {
                let value = self.at(level - 1, parent);
                (0..4).for_each(|d| sum[d] += t * value[d]);
            });
        }
        self.known.borrow_mut()[level].insert(ijk, sum);
        sum
    }
}
