//! The functions of a hierarchical body on its cells: the points that move a cell, and hanging points
//! between levels.

use std::collections::{BTreeMap, HashMap};

use super::lines::n_functions;
use super::patch::{Levels, Status};
use super::tree::Cell;
use super::{Hierarchy, HierarchyError};
use crate::KnotVector;
use crate::basis::MAX_DEGREE;
use crate::classes::Union;
use crate::topology::Topology;

/// Number of a place in a [`LevelGrid`] that no undivided cell of the level uses.
pub const UNUSED: u32 = u32::MAX;

/// A value for each of some functions (i, j, k) of a level.
type ByFunction<T> = HashMap<[usize; 3], T>;

/// A control point and its weight.
type Control = ([f64; 3], f64);

/// The undivided cells of one level of one patch, with the functions of that level on them.
///
/// On each cell the map and all fields are rational tensor products of this level; their coefficients are
/// points of the body, or *hanging*: fixed convex combinations of points of the body ([`Space::hanging`]).
#[derive(Debug, Clone, PartialEq)]
pub struct LevelGrid {
    /// The level, 0 for the knot spans of the patch.
    pub level: usize,
    /// Knot vectors of the level over the whole patch.
    pub basis: [KnotVector; 3],
    /// Knot index of each nonempty span of each direction.
    pub spans: [Vec<usize>; 3],
    /// The undivided cells, the first direction fastest.
    pub cells: Vec<Cell>,
    /// First function of the box of functions that the cells use, in each direction.
    pub first: [usize; 3],
    /// Size of that box.
    pub counts: [usize; 3],
    /// For each function of the box, the first direction fastest: a point of the body, a hanging point
    /// (n_points and above), or [`UNUSED`].
    pub points: Vec<u32>,
    /// Weight of each of them.
    pub weights: Vec<f64>,
}

impl LevelGrid {
    /// Place of function (i, j, k) of the level in the box.
    pub(crate) fn place(&self, ijk: [usize; 3]) -> usize {
        let [i, j, k] = [0, 1, 2].map(|d| ijk[d] - self.first[d]);
        i + self.counts[0] * (j + self.counts[1] * k)
    }

    /// Knot indices of the spans of the undivided cell of this level that holds the parameters.
    fn cell_at(&self, u: [f64; 3]) -> Option<[usize; 3]> {
        let spans = [0, 1, 2].map(|d| self.basis[d].span_of(u[d]));
        let ordinal = |d: usize| {
            let knots = &self.basis[d].knots()[self.basis[d].degree()..=spans[d]];
            knots.windows(2).filter(|pair| pair[0] < pair[1]).count() as u32
        };
        let key = |[i, j, k]: Cell| [k, j, i];
        let cell = key([0, 1, 2].map(ordinal));
        self.cells.binary_search_by_key(&cell, |&c| key(c)).is_ok().then_some(spans)
    }

    /// Function of the level in place `place` of the box.
    fn function(&self, place: usize) -> [usize; 3] {
        let [n, m, _] = self.counts;
        [self.first[0] + place % n, self.first[1] + place / n % m, self.first[2] + place / (n * m)]
    }
}

/// The truncated hierarchical basis of a body, its patches glued.
#[derive(Debug, Clone, PartialEq)]
pub struct Space {
    /// For each patch its levels that have undivided cells, coarse to fine.
    pub patches: Vec<Vec<LevelGrid>>,
    /// Points of the body: active functions after gluing.
    pub points: Vec<[f64; 3]>,
    /// Weight of each of them.
    pub weights: Vec<f64>,
    /// Points n_points, n_points + 1, …: each a convex combination Σ c_i P_i of points of the body,
    /// ascending.
    pub hanging: Vec<Vec<(u32, f64)>>,
}

impl Space {
    /// The value of a field at hanging points from its values at the points of the body, appended to these.
    pub fn with_hanging<const D: usize>(&self, values: &[[f64; D]]) -> Vec<[f64; D]> {
        let mut all = values[..self.points.len()].to_vec();
        all.extend(self.hanging.iter().map(|row| combination(row, values)));
        all
    }

    /// The functions that are nonzero at parameters of a patch, with their values: point of the body and R_i
    /// > 0, ascending.
    ///
    /// For preparations and tests; assembly evaluates level by level.
    pub fn functions_at(&self, patch: usize, u: [f64; 3]) -> Vec<(u32, f64)> {
        let Some((grid, spans)) = self.patches[patch].iter().find_map(|grid| Some((grid, grid.cell_at(u)?)))
        else {
            return Vec::new();
        };
        let mut line = [[0.0; MAX_DEGREE + 1]; 3];
        for d in 0..3 {
            grid.basis[d].basis_into(spans[d], u[d], &mut line[d]);
        }
        let first = [0, 1, 2].map(|d| grid.basis[d].first_function(spans[d]));
        let sizes = grid.basis.each_ref().map(|basis| basis.degree() + 1);
        let n_points = self.points.len() as u32;
        let mut values: BTreeMap<u32, f64> = BTreeMap::new();
        for n in 0..sizes.iter().product() {
            let local = [n % sizes[0], n / sizes[0] % sizes[1], n / (sizes[0] * sizes[1])];
            let place = grid.place([0, 1, 2].map(|d| first[d] + local[d]));
            let value = (0..3).map(|d| line[d][local[d]]).product::<f64>() * grid.weights[place];
            match grid.points[place].checked_sub(n_points) {
                None => *values.entry(grid.points[place]).or_default() += value,
                Some(hanging) => {
                    for &(point, factor) in &self.hanging[hanging as usize] {
                        *values.entry(point).or_default() += factor * value;
                    }
                }
            }
        }
        let total: f64 = values.values().sum();
        values.into_iter().filter(|&(_, value)| value != 0.0).map(|(point, v)| (point, v / total)).collect()
    }

    /// Value of a field at point `point` of the body or at a hanging one.
    pub(crate) fn value<const D: usize>(&self, point: u32, values: &[[f64; D]]) -> [f64; D] {
        match (point as usize).checked_sub(self.points.len()) {
            None => values[point as usize],
            Some(hanging) => combination(&self.hanging[hanging], values),
        }
    }

    /// Numbers the functions of a hierarchy.
    ///
    /// # Errors
    ///
    /// [`HierarchyError::Mismatch`] if glued patches are divided differently along shared sides and edges.
    pub(crate) fn new(hierarchy: &Hierarchy, topology: &Topology) -> Result<Self, HierarchyError> {
        let levels: Vec<Levels> =
            hierarchy.patches.iter().map(|p| Levels::of(&p.basis, p.tree.n_levels())).collect();
        let mut grids: Vec<Vec<LevelGrid>> = Vec::with_capacity(levels.len());
        for (patch, levels) in hierarchy.patches.iter().zip(&levels) {
            let of_level = |level| grid(levels, level, patch.tree.leaves(level));
            grids.push((0..patch.tree.n_levels()).filter_map(of_level).collect());
        }
        let mut numbering = Numbering::new(hierarchy, &levels, &grids);
        numbering.glue(hierarchy, &grids, topology)?;
        numbering.finish(hierarchy, &levels, grids)
    }
}

/// Σ c_i v_i.
fn combination<const D: usize>(row: &[(u32, f64)], values: &[[f64; D]]) -> [f64; D] {
    let mut sum = [0.0; D];
    for &(point, factor) in row {
        for (s, v) in sum.iter_mut().zip(values[point as usize]) {
            *s += factor * v;
        }
    }
    sum
}

/// The box of functions of some cells; `None` without cells. Places that they use get number 0, the others
/// [`UNUSED`].
fn grid(levels: &Levels, level: usize, cells: Vec<Cell>) -> Option<LevelGrid> {
    let first_cell = *cells.first()?;
    let (mut low, mut high) = (first_cell, first_cell);
    for cell in &cells {
        for d in 0..3 {
            low[d] = low[d].min(cell[d]);
            high[d] = high[d].max(cell[d]);
        }
    }
    let range = |d: usize| {
        let line = &levels.lines[d][level];
        line.functions(low[d]).start..line.functions(high[d]).end
    };
    let first = [0, 1, 2].map(|d| range(d).start);
    let counts = [0, 1, 2].map(|d| range(d).len());
    let n = counts.iter().product();
    let basis = levels.basis(level).map(Clone::clone);
    let mut grid = LevelGrid {
        level,
        basis,
        spans: levels.lines.each_ref().map(|lines| lines[level].spans.clone()),
        cells,
        first,
        counts,
        points: vec![UNUSED; n],
        weights: vec![1.0; n],
    };
    for cell in grid.cells.clone() {
        levels.for_each_function(level, cell, |ijk| {
            let place = grid.place(ijk);
            grid.points[place] = 0;
        });
    }
    Some(grid)
}

/// The used places of all grids, joined where patches are glued.
struct Numbering {
    /// First node of each grid of each patch; a node is a place of a box.
    starts: Vec<Vec<usize>>,
    same: Union,
    status: Vec<Option<Status>>,
    /// For each patch, level and active function its control point and weight.
    control: Vec<Vec<ByFunction<Control>>>,
}

impl Numbering {
    fn new(hierarchy: &Hierarchy, levels: &[Levels], grids: &[Vec<LevelGrid>]) -> Self {
        let (mut starts, mut n) = (Vec::with_capacity(grids.len()), 0);
        for grids in grids {
            let mut of_patch = Vec::with_capacity(grids.len());
            for grid in grids {
                of_patch.push(n);
                n += grid.points.len();
            }
            starts.push(of_patch);
        }
        let mut status = vec![None; n];
        let mut control = Vec::with_capacity(grids.len());
        for (number, (patch, levels)) in hierarchy.patches.iter().zip(levels).enumerate() {
            let mut given = patch.points.iter().zip(&patch.weights);
            let mut of_patch = vec![HashMap::new(); patch.tree.n_levels()];
            for (level, of_level) in of_patch.iter_mut().enumerate() {
                for ijk in levels.active(&patch.tree, level) {
                    if let Some((&point, &weight)) = given.next() {
                        of_level.insert(ijk, (point, weight));
                    }
                }
            }
            for (grid, &start) in grids[number].iter().zip(&starts[number]) {
                for place in (0..grid.points.len()).filter(|&place| grid.points[place] != UNUSED) {
                    let is_active = of_patch[grid.level].contains_key(&grid.function(place));
                    status[start + place] = Some(if is_active { Status::Active } else { Status::Outside });
                }
            }
            control.push(of_patch);
        }
        Self { starts, same: Union::new(n), status, control }
    }

    /// Joins the shared points of glued patches, level by level.
    fn glue(
        &mut self,
        hierarchy: &Hierarchy,
        grids: &[Vec<LevelGrid>],
        topology: &Topology,
    ) -> Result<(), HierarchyError> {
        let n_levels = hierarchy.patches.iter().map(|p| p.tree.n_levels()).max().unwrap_or(1);
        for level in 0..n_levels {
            let counts: Vec<[usize; 3]> = hierarchy
                .patches
                .iter()
                .map(|patch| patch.basis.each_ref().map(|basis| n_functions(basis, level)))
                .collect();
            let node = |patch: usize, index: usize| {
                let which = grids[patch].iter().position(|grid| grid.level == level)?;
                let grid = &grids[patch][which];
                let [n, m, _] = counts[patch];
                let ijk = [index % n, index / n % m, index / (n * m)];
                let inside =
                    (0..3).all(|d| ijk[d] >= grid.first[d] && ijk[d] < grid.first[d] + grid.counts[d]);
                let place = inside.then(|| grid.place(ijk)).filter(|&place| grid.points[place] != UNUSED)?;
                Some(self.starts[patch][which] + place)
            };
            let (mut pairs, mut alone) = (Vec::new(), None);
            topology.for_each_pair(&counts, |(p, a), (q, b)| match (node(p, a), node(q, b)) {
                (Some(a), Some(b)) => pairs.push((a, b)),
                (None, None) => {}
                (Some(_), None) => alone = Some(q),
                (None, Some(_)) => alone = Some(p),
            });
            if let Some(patch) = alone {
                return Err(HierarchyError::Mismatch { patch, level });
            }
            for (a, b) in pairs {
                self.same.join(a, b);
            }
        }
        Ok(())
    }

    /// Gives active functions their numbers and hanging ones their rows.
    fn finish(
        mut self,
        hierarchy: &Hierarchy,
        levels: &[Levels],
        mut grids: Vec<Vec<LevelGrid>>,
    ) -> Result<Space, HierarchyError> {
        let mut number_of = vec![UNUSED; self.status.len()];
        let (mut points, mut weights) = (Vec::new(), Vec::new());
        let mut numbers: Vec<Vec<ByFunction<(u32, f64)>>> = Vec::with_capacity(grids.len());
        for (patch, grids) in grids.iter_mut().enumerate() {
            let mut of_patch = vec![HashMap::new(); hierarchy.patches[patch].tree.n_levels()];
            for (grid, &start) in grids.iter_mut().zip(&self.starts[patch]) {
                for place in 0..grid.points.len() {
                    if self.status[start + place] != Some(Status::Active) {
                        continue;
                    }
                    let root = self.same.root(start + place);
                    if self.status[root] != Some(Status::Active) {
                        return Err(HierarchyError::Mismatch { patch, level: grid.level });
                    }
                    let ijk = grid.function(place);
                    let (point, weight) = self.control[patch][grid.level][&ijk];
                    if number_of[root] == UNUSED {
                        number_of[root] = points.len() as u32;
                        points.push(point);
                        weights.push(weight);
                    }
                    grid.points[place] = number_of[root];
                    grid.weights[place] = weight;
                    of_patch[grid.level].insert(ijk, (number_of[root], weight));
                }
            }
            numbers.push(of_patch);
        }
        let mut space = Space { patches: Vec::new(), points, weights, hanging: Vec::new() };
        for (patch, grids) in grids.iter_mut().enumerate() {
            let mut rows = Rows::new(&levels[patch], std::mem::take(&mut numbers[patch]));
            for (grid, &start) in grids.iter_mut().zip(&self.starts[patch]) {
                for place in 0..grid.points.len() {
                    if self.status[start + place] != Some(Status::Outside) {
                        continue;
                    }
                    let row = rows.row(grid.level, grid.function(place));
                    let weight: f64 = row.iter().map(|(_, w)| w).sum();
                    let root = self.same.root(start + place);
                    if self.status[root] != Some(Status::Outside) || weight <= 0.0 {
                        return Err(HierarchyError::Mismatch { patch, level: grid.level });
                    }
                    if number_of[root] == UNUSED {
                        number_of[root] = (space.points.len() + space.hanging.len()) as u32;
                        space.hanging.push(row.iter().map(|&(point, w)| (point, w / weight)).collect());
                    }
                    grid.points[place] = number_of[root];
                    grid.weights[place] = weight;
                }
            }
        }
        space.patches = grids;
        Ok(space)
    }
}

/// Functions of a patch as weighted sums of points of the body: coefficient = Σ w_i P_i.
struct Rows<'a> {
    levels: &'a Levels,
    active: Vec<ByFunction<(u32, f64)>>,
    known: Vec<ByFunction<Vec<(u32, f64)>>>,
}

impl<'a> Rows<'a> {
    fn new(levels: &'a Levels, active: Vec<ByFunction<(u32, f64)>>) -> Self {
        let known = vec![HashMap::new(); active.len()];
        Self { levels, active, known }
    }

    fn row(&mut self, level: usize, ijk: [usize; 3]) -> Vec<(u32, f64)> {
        if let Some(&active) = self.active[level].get(&ijk) {
            return vec![active];
        }
        if let Some(row) = self.known[level].get(&ijk) {
            return row.clone();
        }
        let mut sum: Vec<(u32, f64)> = Vec::new();
        if level > 0 {
            let mut parents = Vec::new();
            self.levels.for_each_parent(level, ijk, |parent, t| parents.push((parent, t)));
            for (parent, t) in parents {
                sum.extend(self.row(level - 1, parent).into_iter().map(|(point, w)| (point, t * w)));
            }
            sum.sort_unstable_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
            sum.dedup_by(|next, kept| {
                let same = next.0 == kept.0;
                kept.1 += if same { next.1 } else { 0.0 };
                same
            });
        }
        self.known[level].insert(ijk, sum.clone());
        sum
    }
}
