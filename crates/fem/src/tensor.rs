//! Stiffness and mass of the cells of a NURBS patch by sum factorisation.
//!
//! B-splines of three variables are products, so that the sums over the (p+1)³ points of a cell are done
//! direction by direction: first in ξ for all pairs of functions along a row of cells, then in η over some
//! rows, then in ζ. Sums for pairs that several cells share are combined at each stage. See [`coefficients`]
//! for the integrands, [`contraction`] for the use of the symmetry of K, [`tiles`] for the groups of cells,
//! `docs/assembly.md` for the cost.
//!
//! The sums have a fixed order for any number of threads: tiles that share a point have different colours,
//! and the colours are added one after the other.

mod coefficients;
mod contraction;
mod pairs;
mod tiles;
mod window;

use carom_progress::Progress;
use pulp::{Arch, Simd, WithSimd};
use rayon::prelude::*;

pub(crate) use window::Column;

use crate::kernel::Inverted;
use crate::quadrature::{QuadratureRule, spline_points};
use crate::{Discretisation, SplineCells};
use coefficients::{Lanes, Map, Moduli, ROW};
use contraction::{ROW_X, ROW_Y, ROW_Z, Step};
use pairs::Line;
use tiles::{Plan, Tile};
use window::{Place, Target, Window};

/// Pairs of functions, or points, that are computed side by side.
const LANES: usize = 4;
/// Bytes of rows that the contraction in η reads repeatedly: a part of the second-level cache.
const BYTES_OF_ROWS: usize = 192 << 10;

/// Reasons for an unfinished patch.
pub(crate) enum Stopped {
    /// A cell has det J ≤ 0; cells before it may have it too.
    Inverted(usize, Inverted),
    /// The user stopped the assembly.
    Interrupted,
}

/// Adds stiffness and mass of all cells of a patch.
///
/// * `columns` — of all points of the body
/// * `n_done` — cells done, counted on and reported
pub(crate) fn add_patch(
    discretisation: &Discretisation,
    i_block: usize,
    cells: &SplineCells,
    rule: QuadratureRule,
    columns: &mut [Option<Column<'_>>],
    n_done: &mut u64,
    progress: &dyn Progress,
) -> Result<(), Stopped> {
    let material = &discretisation.materials[discretisation.blocks[i_block].material];
    let (lambda, mu) = material.lame();
    let moduli = Moduli { sum: lambda + mu, difference: lambda - mu, shear: mu, density: material.density };
    let (lines, plan) = lines_and_plan(cells, rule, columns.len());
    let patch = Patch { plan: &plan, lines: &lines, moduli };
    let arch = Arch::new();
    let mut workers: Vec<Worker> = (0..rayon::current_num_threads()).map(|_| Worker::default()).collect();
    for colour in &plan.colours {
        for round in colour.chunks(workers.len()) {
            if progress.interrupted() {
                return Err(Stopped::Interrupted);
            }
            let workers = &mut workers[..round.len()];
            for (worker, &i_pile) in workers.iter_mut().zip(round) {
                worker.window.enter(&plan, plan.tiles_of(i_pile), cells, &lines, columns);
            }
            workers.par_iter_mut().zip(round).for_each(|(worker, &i_pile)| {
                worker.n_cells = 0;
                for tile in plan.tiles_of(i_pile) {
                    worker.window.prepare(discretisation, &plan, tile, cells, &lines);
                    arch.dispatch(AddTile { worker, patch: &patch, tile });
                    if worker.inverted.is_some() {
                        return;
                    }
                }
            });
            for worker in workers {
                worker.window.leave(columns);
                if let Some((cell, inverted)) = worker.inverted {
                    return Err(Stopped::Inverted(cell, inverted));
                }
                *n_done += worker.n_cells as u64;
            }
            progress.set(*n_done);
        }
    }
    Ok(())
}

fn lines_and_plan(cells: &SplineCells, rule: QuadratureRule, n_points: usize) -> ([Line; 3], Plan) {
    let lines: [Line; 3] = std::array::from_fn(|d| {
        Line::new(cells.degrees[d], &cells.lines[d], spline_points(cells.degrees[d], rule))
    });
    let bytes_of_row = lines[1].n_points * lines[2].n_points * ROW_X * size_of::<Lanes>();
    let plan = Plan::new(cells, &lines, BYTES_OF_ROWS / bytes_of_row, n_points);
    (lines, plan)
}

/// Multiplications and additions of the contractions for one patch.
pub(crate) fn contraction_operations(cells: &SplineCells, rule: QuadratureRule, n_points: usize) -> usize {
    let (lines, plan) = lines_and_plan(cells, rule, n_points);
    let [x, y, z] = &lines;
    let of_tile = |tile: &Tile| {
        let (pairs_x, pairs_y) = (&plan.bands[tile.x], &plan.bands[tile.y]);
        let in_x = pairs_x.n_spans * x.n_pairs * x.n_points * pairs_y.n_spans * y.n_points * z.n_points;
        let in_y = pairs_x.pairs.len() * pairs_y.n_spans * y.n_pairs * y.n_points * z.n_points;
        let in_z = pairs_x.pairs.len() * pairs_y.pairs.len() * z.n_pairs * z.n_points;
        contraction::OPERATIONS_X * in_x + contraction::OPERATIONS_Y * in_y + contraction::OPERATIONS_Z * in_z
    };
    plan.tiles.iter().map(of_tile).sum()
}

/// Data that all tiles of a patch share.
struct Patch<'a> {
    plan: &'a Plan,
    lines: &'a [Line; 3],
    moduli: Moduli,
}

/// Work space for one tile at a time.
#[derive(Default)]
struct Worker<'a> {
    window: Window<'a>,
    n_cells: usize,
    inverted: Option<(usize, Inverted)>,
    /// Homogeneous coordinates after the sum in ζ: value and slope, Gauss point after Gauss point.
    planes: Vec<[[f64; 4]; 2]>,
    /// The same after the sum in η: value and slopes along η and ζ at one pair of Gauss points.
    line: Vec<[[f64; 4]; 3]>,
    /// Coefficients of the points of a row of cells.
    rows: Vec<[f64; ROW]>,
    /// After the contraction in ξ: pair by pair for each row of cells and Gauss point in η and ζ.
    after_x: Vec<[f64; ROW_X]>,
    /// The same for `LANES` pairs.
    lanes: Vec<[Lanes; ROW_X]>,
    /// After the contraction in η.
    after_y: Vec<[Lanes; ROW_Y]>,
    steps: Vec<Step>,
    /// The entries of the blocks of some pairs, and the start of the targets of each pair in ζ.
    targets: Vec<Target>,
    starts: Vec<usize>,
}

/// One tile, computed with the widest vectors that the processor has.
struct AddTile<'w, 'a> {
    worker: &'w mut Worker<'a>,
    patch: &'w Patch<'w>,
    tile: &'w Tile,
}

impl WithSimd for AddTile<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let Self { worker, patch, tile } = self;
        worker.add_tile(patch, tile);
    }
}

impl Worker<'_> {
    #[inline(always)]
    fn add_tile(&mut self, patch: &Patch<'_>, tile: &Tile) {
        let (x, y) = (&patch.plan.bands[tile.x], &patch.plan.bands[tile.y]);
        self.n_cells += x.n_spans * y.n_spans;
        self.sum_in_z(patch, tile);
        let [line_x, line_y, line_z] = patch.lines;
        let n_lines = y.n_spans * line_y.n_points * line_z.n_points;
        self.after_x.clear();
        self.after_x.resize(n_lines * x.pairs.len(), [0.0; ROW_X]);
        for i_line in 0..n_lines {
            self.sum_in_y(patch, tile, i_line);
            if let Err(inverted) = self.coefficients(patch, tile, i_line) {
                self.inverted = Some(inverted);
                return;
            }
            let sums = &mut self.after_x[x.pairs.len() * i_line..x.pairs.len() * (i_line + 1)];
            for (span, rows) in self.rows.chunks_exact(line_x.n_points).take(x.n_spans).enumerate() {
                let of_span = &x.of_span[line_x.n_pairs * span..line_x.n_pairs * (span + 1)];
                for (pair, &place) in of_span.iter().enumerate() {
                    contraction::contract_x(
                        rows,
                        line_x.products(x.first_span + span, pair),
                        &mut sums[place],
                    );
                }
            }
        }
        for first_pair in (0..x.pairs.len()).step_by(LANES) {
            self.contract(patch, tile, first_pair);
        }
    }

    /// Sums the homogeneous coordinates of all control points over ζ.
    #[inline(always)]
    fn sum_in_z(&mut self, patch: &Patch<'_>, tile: &Tile) {
        let line_z = &patch.lines[2];
        let n_plane = self.window.homogeneous.len() / line_z.n_functions;
        self.planes.clear();
        self.planes.resize(line_z.n_points * n_plane, [[0.0; 4]; 2]);
        for (point, plane) in self.planes.chunks_exact_mut(n_plane).enumerate() {
            let functions = line_z.functions(tile.z, point);
            for (function, points) in functions.iter().zip(self.window.homogeneous.chunks_exact(n_plane)) {
                for (sum, x) in plane.iter_mut().zip(points) {
                    for c in 0..4 {
                        sum[0][c] += function[0] * x[c];
                        sum[1][c] += function[1] * x[c];
                    }
                }
            }
        }
    }

    /// Sums them over η at one pair of Gauss points.
    #[inline(always)]
    fn sum_in_y(&mut self, patch: &Patch<'_>, tile: &Tile, i_line: usize) {
        let (x, y) = (&patch.plan.bands[tile.x], &patch.plan.bands[tile.y]);
        let (row, [k_y, k_z]) = patch.place_of_line(i_line);
        let (line_y, span) = (&patch.lines[1], y.first_span + row);
        let n_x = x.n_functions;
        self.line.clear();
        self.line.resize(n_x, [[0.0; 4]; 3]);
        let first = y.n_functions * k_z + line_y.first(span) - y.first;
        let planes = self.planes[n_x * first..].chunks_exact(n_x);
        for (function, points) in line_y.functions(span, k_y).iter().zip(planes) {
            for (sum, x) in self.line.iter_mut().zip(points) {
                for c in 0..4 {
                    sum[0][c] += function[0] * x[0][c];
                    sum[1][c] += function[1] * x[0][c];
                    sum[2][c] += function[0] * x[1][c];
                }
            }
        }
    }

    /// Coefficients at the points of a row of cells at one pair of Gauss points.
    #[inline(always)]
    fn coefficients(
        &mut self,
        patch: &Patch<'_>,
        tile: &Tile,
        i_line: usize,
    ) -> Result<(), (usize, Inverted)> {
        let x = &patch.plan.bands[tile.x];
        let (row, [k_y, k_z]) = patch.place_of_line(i_line);
        let [line_x, line_y, line_z] = patch.lines;
        let weight = line_y.weights[k_y] * line_z.weights[k_z];
        let n_points = x.n_spans * line_x.n_points;
        self.rows.resize(n_points.next_multiple_of(LANES), [0.0; ROW]);
        let mut by_lane = [[0.0; LANES]; ROW];
        let (rows, _) = self.rows.as_chunks_mut::<LANES>();
        for (first, rows) in (0..n_points).step_by(LANES).zip(rows) {
            let mut homogeneous = [[[0.0; LANES]; 4]; 4];
            let mut weights = [0.0; LANES];
            for lane in 0..LANES {
                // Lanes beyond the end repeat the last point.
                let point = (first + lane).min(n_points - 1);
                let (span, k_x) = (x.first_span + point / line_x.n_points, point % line_x.n_points);
                weights[lane] = weight * line_x.weights[k_x];
                let points = &self.line[line_x.first(span) - x.first..];
                for (function, sums) in line_x.functions(span, k_x).iter().zip(points) {
                    for c in 0..4 {
                        homogeneous[0][c][lane] += function[0] * sums[0][c];
                        homogeneous[1][c][lane] += function[1] * sums[0][c];
                        homogeneous[2][c][lane] += function[0] * sums[1][c];
                        homogeneous[3][c][lane] += function[0] * sums[2][c];
                    }
                }
            }
            let map = Map::new(&homogeneous);
            // A NaN is rejected too.
            if let Some(lane) = (0..LANES).find(|&l| !(map.det[l] > 0.0 && map.det[l].is_finite())) {
                let point = (first + lane).min(n_points - 1);
                let xi = [line_x.points[point % line_x.n_points], line_y.points[k_y], line_z.points[k_z]];
                let position = map.position.map(|x| x[lane]);
                let cell = patch.plan.first_cells[tile.rows + row] + point / line_x.n_points;
                return Err((cell, Inverted { position, xi, det: map.det[lane] }));
            }
            map.coefficients(weights, &patch.moduli, &mut by_lane);
            contraction::separate(&by_lane, rows);
        }
        Ok(())
    }

    /// Contracts `LANES` pairs of functions in ξ in the other directions, and adds the results.
    #[inline(always)]
    fn contract(&mut self, patch: &Patch<'_>, tile: &Tile, first_pair: usize) {
        let (x, y) = (&patch.plan.bands[tile.x], &patch.plan.bands[tile.y]);
        let (line_y, line_z) = (&patch.lines[1], &patch.lines[2]);
        let n_x = x.pairs.len();
        let last_pair = (first_pair + LANES).min(n_x);
        self.lanes.resize(self.after_x.len() / n_x, [[0.0; LANES]; ROW_X]);
        for (line, out) in self.after_x.chunks_exact(n_x).zip(&mut self.lanes) {
            contraction::interleave(std::array::from_fn(|l| &line[(first_pair + l).min(last_pair - 1)]), out);
        }
        self.after_y.resize(line_z.n_points, [[0.0; LANES]; ROW_Y]);
        let mut terms = [[0.0; LANES]; ROW_Z];
        for (i_pair, &pair_y) in y.pairs.iter().enumerate() {
            self.steps.clear();
            for &(row, pair) in y.parts(i_pair) {
                for (k, &products) in line_y.products(y.first_span + row, pair).iter().enumerate() {
                    self.steps.push(((row * line_y.n_points + k) * line_z.n_points, products));
                }
            }
            for (k, out) in self.after_y.iter_mut().enumerate() {
                contraction::contract_y(&self.lanes, &self.steps, k, out);
            }
            self.find_targets(&x.pairs[first_pair..last_pair], pair_y, y.n_functions, line_z.n_functions);
            self.window.fetch(&self.targets);
            let mut blocks = [[[0.0; LANES]; 9]; 4];
            for (i_pair_z, starts) in self.starts.windows(2).enumerate() {
                contraction::contract_z(&self.after_y, line_z.products(tile.z, i_pair_z), &mut terms);
                for (exchanged, block) in blocks.iter_mut().enumerate() {
                    contraction::block(&terms, exchanged, block);
                }
                for target in &self.targets[starts[0]..starts[1]] {
                    self.window.add(target, &blocks, contraction::mass(&terms));
                }
            }
        }
    }

    /// The entries of all pairs of functions from some pairs in ξ, one in η and any in ζ.
    #[inline(always)]
    fn find_targets(&mut self, pairs_x: &[(usize, usize)], pair_y: (usize, usize), n_y: usize, n_z: usize) {
        self.targets.clear();
        self.starts.clear();
        for pair_z in pairs::half_pairs(n_z) {
            self.starts.push(self.targets.len());
            let (equal_y, equal_z) = (pair_y.0 == pair_y.1, pair_z.0 == pair_z.1);
            for exchanged in [3, 0, 1, 2] {
                let ((i_y, j_y), (i_z, j_z)) = (ordered(1, exchanged, pair_y), ordered(2, exchanged, pair_z));
                for (lane, &pair_x) in pairs_x.iter().enumerate() {
                    if is_distinct(exchanged, [pair_x.0 == pair_x.1, equal_y, equal_z]) {
                        let (i_x, j_x) = ordered(0, exchanged, pair_x);
                        let i = Place { x: i_x, row: i_y + n_y * i_z };
                        let j = Place { x: j_x, row: j_y + n_y * j_z };
                        self.targets.push(self.window.target(i, j, [exchanged, lane]));
                    }
                }
            }
        }
        self.starts.push(self.targets.len());
    }
}

/// The pair (i, j) of direction d, exchanged if d is the given direction.
#[inline(always)]
fn ordered(d: usize, exchanged: usize, pair: (usize, usize)) -> (usize, usize) {
    if d == exchanged { (pair.1, pair.0) } else { pair }
}

impl Patch<'_> {
    /// Row of cells of a line of points in a tile, and its Gauss points in η and ζ.
    #[inline(always)]
    fn place_of_line(&self, i_line: usize) -> (usize, [usize; 2]) {
        let [n_y, n_z] = [self.lines[1].n_points, self.lines[2].n_points];
        (i_line / (n_y * n_z), [i_line / n_z % n_y, i_line % n_z])
    }
}

/// Whether exchanging i and j in a direction (3: none) gives a new pair of functions, different from those of
/// other exchanges in either order.
///
/// * `equal` — directions in which i and j are the same function
#[inline(always)]
fn is_distinct(exchanged: usize, equal: [bool; 3]) -> bool {
    match exchanged {
        0 => equal == [false; 3] || equal == [false, true, false] || equal == [false, false, true],
        1 => equal == [false; 3] || equal == [true, false, false],
        2 => equal == [false; 3],
        _ => true,
    }
}
