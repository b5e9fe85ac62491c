//! Choice of the cells that are divided: those near a place, on both sides of every interface.

use carom_progress::{Progress, Silent};

use super::tree::{Cell, Tree};
use super::{Cells, Hierarchy, HierarchyError, MAX_CELLS, MAX_LEVEL};
use crate::closest::{bounding_box, distance};
use crate::topology::Topology;
use crate::{Multipatch, Patch, Side};

/// The place near which cells are divided.
#[derive(Debug, Clone, PartialEq)]
pub enum Target {
    /// A point \[m\].
    Point([f64; 3]),
    /// Sides of patches, by patch number.
    Sides(Vec<(u32, Side)>),
}

/// Place and depth of a refinement.
#[derive(Debug, Clone, PartialEq)]
pub struct Near {
    /// The place.
    pub target: Target,
    /// Distance within which all cells get the finest level \[m\]; 0 for the cells that touch the place.
    pub radius: f64,
    /// Number of halvings.
    pub levels: usize,
}

impl Near {
    /// Around a point.
    pub fn point(at: [f64; 3], radius: f64, levels: usize) -> Self {
        Self { target: Target::Point(at), radius, levels }
    }
}

/// The steps of a refinement, counted and reported.
struct Steps<'a> {
    progress: &'a dyn Progress,
    done: u64,
}

impl Steps<'_> {
    /// Counts one more step; an error if the user requested a stop.
    fn next(&mut self) -> Result<(), HierarchyError> {
        self.done += 1;
        self.progress.set(self.done);
        if self.progress.interrupted() { Err(HierarchyError::Interrupted) } else { Ok(()) }
    }
}

impl Multipatch {
    /// Divides the cells near places, graded: each level reaches (p+1)/2 of its cells farther than the finer
    /// one, so that all functions that are nonzero within the radius are of the finest level, and levels of
    /// neighbours differ by one.
    ///
    /// The map does not change. A body with a local refinement is refined further: the levels count from
    /// its knot spans, and divided cells stay divided.
    ///
    /// # Errors
    ///
    /// [`HierarchyError`] for an invalid number, if no cell is near, or if the body would be too large.
    pub fn refine_near(&self, places: &[Near]) -> Result<Self, HierarchyError> {
        self.refine_near_reporting(places, &Silent)
    }

    /// As [`Multipatch::refine_near`], reporting progress: level by level of each place, then the control
    /// points.
    ///
    /// # Errors
    ///
    /// As [`Multipatch::refine_near`]; [`HierarchyError::Interrupted`] if the user requested a stop.
    pub fn refine_near_reporting(
        &self,
        places: &[Near],
        progress: &dyn Progress,
    ) -> Result<Self, HierarchyError> {
        let total = places.iter().map(|near| near.levels).sum::<usize>() + self.patches.len() + 1;
        progress.begin("refining locally", total as u64);
        let refined = self.refine_near_by_steps(places, Steps { progress, done: 0 });
        progress.end();
        refined
    }

    fn refine_near_by_steps(&self, places: &[Near], mut steps: Steps<'_>) -> Result<Self, HierarchyError> {
        let topology = self.topology();
        let patches = self.cells().refined_patches();
        let mut refining = Refining {
            patches: &self.patches,
            cells: self.cells(),
            topology: &topology,
            trees: patches.iter().map(|patch| patch.tree.clone()).collect(),
        };
        for near in places {
            refining.divide_near(near, &mut steps)?;
        }
        let mut refined = Vec::with_capacity(patches.len());
        for (patch, tree) in patches.iter().zip(refining.trees) {
            refined.push(patch.refined(tree));
            steps.next()?;
        }
        let hierarchy = Hierarchy::new(refined, &topology)?;
        steps.next()?;
        Ok(Self { hierarchy: Some(hierarchy), ..self.clone() })
    }
}

/// The cells of a body while they are divided.
struct Refining<'a> {
    patches: &'a [Patch],
    /// The cells before.
    cells: Cells<'a>,
    topology: &'a Topology,
    /// The cells of each patch now.
    trees: Vec<Tree>,
}

impl Refining<'_> {
    /// Divides the cells near a place, level by level.
    fn divide_near(&mut self, near: &Near, steps: &mut Steps<'_>) -> Result<(), HierarchyError> {
        self.check(near)?;
        let before = self.trees.clone();
        for level in 0..near.levels {
            let marked = self.cells_near(near, level, steps.progress);
            if marked.len() > MAX_CELLS {
                return Err(HierarchyError::TooManyCells { level, cells: marked.len() });
            }
            for (patch, cell) in marked {
                self.trees[patch].divide(level, cell);
            }
            self.close();
            steps.next()?;
        }
        if self.trees == before {
            return Err(HierarchyError::NothingNew { levels: near.levels });
        }
        Ok(())
    }

    fn check(&self, near: &Near) -> Result<(), HierarchyError> {
        if !(near.radius >= 0.0 && near.radius.is_finite()) {
            return Err(HierarchyError::Radius { radius: near.radius });
        }
        if near.levels == 0 || near.levels > MAX_LEVEL {
            return Err(HierarchyError::Levels { levels: near.levels });
        }
        let Target::Point(at) = near.target else { return Ok(()) };
        let distance =
            self.patches.iter().map(|patch| patch.closest(at).distance).fold(f64::INFINITY, f64::min);
        let [low, high] = bounding_box(self.patches.iter().flat_map(|patch| &patch.points));
        // A point given with six digits lies on the surface.
        if distance > near.radius + 1e-5 * crate::closest::distance(low, high) {
            return Err(HierarchyError::Away { at, radius: near.radius, distance });
        }
        Ok(())
    }

    /// The undivided cells of a level that are to be divided; incomplete after the user has requested a
    /// stop.
    fn cells_near(&self, near: &Near, level: usize, progress: &dyn Progress) -> Vec<(usize, Cell)> {
        let mut marked = Vec::new();
        for (number, patch) in self.patches.iter().enumerate() {
            let lattice = self.cells.lattice(number, level);
            for cell in self.trees[number].leaves(level) {
                if progress.interrupted() {
                    return marked;
                }
                let bounds = lattice.bounds(cell);
                let samples = Samples::new(patch, bounds);
                let margin = patch.degrees().map(|p| p.div_ceil(2) as f64);
                let reach = near.radius + (0..3).map(|d| margin[d] * samples.lengths[d]).fold(0.0, f64::max);
                let is_near = match &near.target {
                    Target::Point(at) => samples.is_within(patch, bounds, *at, reach),
                    Target::Sides(sides) => {
                        sides.iter().any(|&side| self.is_near_side(number, &samples, side, reach))
                    }
                };
                if is_near {
                    marked.push((number, cell));
                }
            }
        }
        marked
    }

    /// True if a corner or the middle of a cell is nearer to a side than `reach`.
    fn is_near_side(&self, number: usize, samples: &Samples, side: (u32, Side), reach: f64) -> bool {
        let other = &self.patches[side.0 as usize];
        let mut bounds = other.domain();
        let across = side.1.direction();
        let end = bounds[across][usize::from(side.1.is_end())];
        if number == side.0 as usize {
            // Along the lines of its own patch: no search is needed, and zero on the side itself.
            return samples.places.iter().any(|&(u, x)| {
                let mut foot = u;
                foot[across] = end;
                distance(other.point(foot), x) <= reach
            });
        }
        bounds[across] = [end, end];
        let [low, high] = bounding_box(
            crate::topology::side_points(other.counts(), side.1).iter().map(|&i| &other.points[i]),
        );
        samples.places.iter().any(|&(_, x)| {
            let outside = [0, 1, 2].map(|d| (low[d] - x[d]).max(x[d] - high[d]).max(0.0));
            distance(outside, [0.0; 3]) <= reach && other.closest_in(bounds, x).distance <= reach
        })
    }

    /// Divides more cells until glued patches agree and neighbours differ by one level at most.
    fn close(&mut self) {
        let Self { topology, trees, .. } = self;
        let mut changed = true;
        while changed {
            changed = false;
            let n_levels = trees.iter().map(Tree::n_levels).max().unwrap_or(1);
            for level in (0..n_levels.saturating_sub(1)).rev() {
                changed |= across_interfaces(topology, trees, level);
                for tree in trees.iter_mut() {
                    changed |= balance(tree, level);
                }
            }
        }
    }
}

/// Divides the cells of a level that touch a divided one through an interface, an edge or a corner that
/// patches share.
fn across_interfaces(topology: &Topology, trees: &mut [Tree], level: usize) -> bool {
    let counts: Vec<[usize; 3]> = trees.iter().map(|tree| tree.lattice(level).map(|n| n as usize)).collect();
    let cell = |patch: usize, index: usize| {
        let [n, m, _] = counts[patch];
        [index % n, index / n % m, index / (n * m)].map(|i| i as u32)
    };
    let mut missing = Vec::new();
    topology.for_each_pair(&counts, |(p, a), (q, b)| {
        let (a, b) = (cell(p, a), cell(q, b));
        match (trees[p].is_divided(level, a), trees[q].is_divided(level, b)) {
            (true, false) => missing.push((q, b)),
            (false, true) => missing.push((p, a)),
            _ => {}
        }
    });
    let mut changed = false;
    for (patch, cell) in missing {
        changed |= trees[patch].divide(level, cell);
    }
    changed
}

/// Divides parents so that every neighbour of a divided cell of the level exists.
fn balance(tree: &mut Tree, level: usize) -> bool {
    if level == 0 {
        return false;
    }
    let lattice = tree.lattice(level);
    let mut missing = Vec::new();
    for cell in tree.divided(level) {
        for n in 0..27 {
            let shift = [n % 3, n / 3 % 3, n / 9];
            let neighbour = [0, 1, 2].map(|d: usize| (cell[d] + shift[d]).wrapping_sub(1));
            if (0..3).all(|d| neighbour[d] < lattice[d]) && !tree.exists(level, neighbour) {
                missing.push(neighbour.map(|i| i / 2));
            }
        }
    }
    let mut changed = false;
    for parent in missing {
        changed |= tree.divide(level - 1, parent);
    }
    changed
}

/// Places of a cell: corners, and the middles between them.
struct Samples {
    /// Parameters and point of 27 places, the first direction fastest; the 14th is the middle.
    places: Vec<([f64; 3], [f64; 3])>,
    /// Length of the cell in each direction through its middle \[m\].
    lengths: [f64; 3],
    /// Distance from the middle within which the cell lies, with a tenth to spare \[m\].
    size: f64,
}

impl Samples {
    fn new(patch: &Patch, bounds: [[f64; 2]; 3]) -> Self {
        let place = |n: usize| {
            let at = [n % 3, n / 3 % 3, n / 9];
            let u = [0, 1, 2].map(|d: usize| {
                let [a, b] = bounds[d];
                a + (b - a) * at[d] as f64 / 2.0
            });
            (u, patch.point(u))
        };
        let places: Vec<_> = (0..27).map(place).collect();
        let middle = places[13].1;
        let chord =
            |stride: usize| distance(places[13 - stride].1, middle) + distance(places[13 + stride].1, middle);
        let size = 1.1 * places.iter().map(|(_, x)| distance(*x, middle)).fold(0.0, f64::max);
        Self { lengths: [chord(1), chord(3), chord(9)], size, places }
    }

    fn is_within(&self, patch: &Patch, bounds: [[f64; 2]; 3], at: [f64; 3], reach: f64) -> bool {
        if distance(self.places[13].1, at) > reach + self.size {
            return false;
        }
        self.places.iter().any(|(_, x)| distance(*x, at) <= reach)
            || patch.closest_in(bounds, at).distance <= reach
    }
}
