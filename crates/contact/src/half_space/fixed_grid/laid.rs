//! What a grid has from the position in which it is laid: compliance, modes, samples.

use faer::Mat;
use nalgebra::{Matrix3, Vector3};

use super::friction::GridFriction;
use super::wandering::Wandering;
use super::{GridBody, ModesOnGrid, NEIGHBOURS, PairError, Sample};
use crate::Shape;
use crate::half_space::heights::{Resting, height_of};
use crate::half_space::pair::{Doubts, Pressed, pair_compliance};
use crate::half_space::{Directions, GridCompliance, GridPlan, PressureGrid};

/// Compliance of the pair, limits that it has met, modes on the grid, friction.
pub(super) struct OnGrid {
    /// C of normal forces.
    pub(super) matrix: Mat<f64>,
    pub(super) doubts: [Doubts; 2],
    pub(super) modes: [Option<ModesOnGrid>; 2],
    pub(super) friction: Option<GridFriction>,
    /// None of a second body whose compliance is the same everywhere.
    pub(super) wandering: Option<Wandering>,
}

/// Compliance and modes of both bodies on a grid.
///
/// * `law`, `friction` — d \[m/N\] and μ
pub(super) fn on_grid(
    plan: &GridPlan,
    grid: &PressureGrid,
    bodies: [GridBody<'_>; 2],
    (law, friction): (f64, f64),
) -> Result<OnGrid, PairError> {
    let poses = [(Matrix3::identity(), Vector3::zeros()), plan.partner];
    let pressed = [0, 1].map(|k| Pressed {
        shape: bodies[k].shape,
        below: bodies[k].below,
        rotation: poses[k].0,
        origin: poses[k].1,
    });
    let directions = if friction > 0.0 { Directions::All } else { Directions::Normal };
    let stride = if friction > 0.0 { 3 } else { 1 };
    let n = grid.len();
    let (found, doubts, placed) = match pair_compliance(pressed, grid, directions)? {
        Some(found) => (found.matrix, found.doubts, found.bodies),
        None if law > 0.0 => (Mat::zeros(stride * n, stride * n), Default::default(), [None, None]),
        None => return Err(PairError::Rigid),
    };
    let middle = grid.cells.iter().position(|cell| *cell == plan.middle).unwrap_or(0);
    let mut modes = [None, None];
    let mut rows = [None, None];
    for (k, outward) in [(0, 1.0), (1, -1.0)] {
        let (Some(values), Some(own)) = (bodies[k].values, &placed[k]) else { continue };
        let axes = grid.plane.axes * poses[k].0;
        let along = |d: usize| outward * axes.row(d).transpose();
        modes[k] = Some(modes_on_grid(own, values, &along(2), middle));
        if friction > 0.0 {
            rows[k] = Some([0, 1].map(|a| beyond_middle(own.modal_rows(values, &along(a)), middle)));
        }
    }
    let [_, second] = placed;
    let wandering = second.map(Wandering::new);
    if friction == 0.0 {
        return Ok(OnGrid { matrix: found, doubts, modes, friction: None, wandering });
    }
    let matrix = Mat::from_fn(n, n, |i, k| found[(3 * i, 3 * k)]);
    let tangents = [0, 1].map(|d| grid.plane.axes.row(d).transpose());
    let friction = Some(GridFriction::new((friction, law), found, tangents, rows));
    Ok(OnGrid { matrix, doubts, modes, friction, wandering })
}

/// Rows less that of the middle.
fn beyond_middle(mut rows: Mat<f64>, middle: usize) -> Mat<f64> {
    for k in 0..rows.ncols() {
        let center = rows[(middle, k)];
        (0..rows.nrows()).for_each(|cell| rows[(cell, k)] -= center);
    }
    rows
}

fn modes_on_grid(
    own: &GridCompliance,
    values: &Mat<f64>,
    normal: &Vector3<f64>,
    middle: usize,
) -> ModesOnGrid {
    let rows = beyond_middle(own.modal_rows(values, normal), middle);
    let of_middle = Mat::from_fn(3, values.ncols(), |a, k| {
        own.places
            .iter()
            .enumerate()
            .map(|(row, &j)| own.weights[(row, middle)] * values[(3 * j + a, k)])
            .sum()
    });
    ModesOnGrid { middle: of_middle, rows }
}

/// Samples with the heights of the first surface, the samples of each cell, and whether it lies at the rim.
pub(super) fn sampled(grid: &PressureGrid, first: &Shape) -> (Vec<Sample>, Vec<[u32; 5]>, Vec<bool>) {
    let of_cell: std::collections::BTreeMap<[i32; 2], usize> =
        grid.cells.iter().enumerate().map(|(k, cell)| (*cell, k)).collect();
    let mut places = grid.cells.clone();
    let mut number = of_cell.clone();
    let (mut stencils, mut at_rim) = (Vec::with_capacity(grid.len()), Vec::with_capacity(grid.len()));
    for (k, [i, j]) in grid.cells.iter().enumerate() {
        let mut stencil = [k as u32; 5];
        let mut is_rim = false;
        for (slot, [di, dj]) in NEIGHBOURS.iter().enumerate() {
            let cell = [i + di, j + dj];
            is_rim |= !of_cell.contains_key(&cell);
            let next = places.len();
            let found = *number.entry(cell).or_insert(next);
            if found == next {
                places.push(cell);
            }
            stencil[slot + 1] = found as u32;
        }
        stencils.push(stencil);
        at_rim.push(is_rim);
    }
    let axes = &grid.plane.axes;
    let (along, across) = (axes.row(0).transpose(), axes.row(1).transpose());
    let n = axes.row(2).transpose();
    let mut resting = Resting::new(first);
    let mut start = None;
    let samples = places.iter().map(|[i, j]| {
        let place = grid.plane.center + grid.side * (f64::from(*i) * along + f64::from(*j) * across);
        let pose = (Matrix3::identity(), Vector3::zeros());
        let found = height_of((first, &mut resting), pose, &mut start, (&place, &n), grid.side);
        let found = found.filter(|(_, normal)| normal.dot(&n) > 0.0);
        Sample {
            place,
            first: found.map(|(height, _)| height),
            second: None,
            normal: Vector3::zeros(),
            start: None,
            force: 0.0,
        }
    });
    (samples.collect(), stencils, at_rim)
}
