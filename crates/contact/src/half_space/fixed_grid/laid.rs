//! A grid as it is laid in one position of the bodies: its cells on both surfaces, compliance, modes.

use std::collections::BTreeMap;

use faer::Mat;
use nalgebra::{Matrix3, Vector3};

use super::friction::GridFriction;
use super::modes::ModesOnGrid;
use super::wandering::Wandering;
use super::{GridBody, NEIGHBOURS, PairError, Sample};
use crate::half_space::heights::{Resting, height_of};
use crate::half_space::pair::{Doubts, compliance_on};
use crate::half_space::surface_lattice::lattice;
use crate::half_space::{Directions, GridPlan, PressureGrid};
use crate::patch::PatchPlane;

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
/// * `planes` — of the cells, in the axes of both bodies
/// * `law`, `friction` — d \[m/N\] and μ
pub(super) fn on_grid(
    grid: &PressureGrid,
    planes: &[Vec<PatchPlane>; 2],
    bodies: [GridBody<'_>; 2],
    (law, friction): (f64, f64),
) -> Result<OnGrid, PairError> {
    let directions = if friction > 0.0 { Directions::All } else { Directions::Normal };
    let stride = if friction > 0.0 { 3 } else { 1 };
    let n = grid.len();
    let below = bodies.map(|body| body.below);
    let (found, doubts, placed) = match compliance_on(below, grid, [&planes[0], &planes[1]], directions)? {
        Some(found) => (found.matrix, found.doubts, found.bodies),
        None if law > 0.0 => (Mat::zeros(stride * n, stride * n), Default::default(), [None, None]),
        None => return Err(PairError::Rigid),
    };
    let modes = [0, 1].map(|k| {
        let (own, values) = placed[k].as_ref().zip(bodies[k].values)?;
        Some(ModesOnGrid::new(own, values))
    });
    let [_, second] = placed;
    let wandering = second.map(Wandering::new);
    if friction == 0.0 {
        return Ok(OnGrid { matrix: found, doubts, modes, friction: None, wandering });
    }
    let matrix = Mat::from_fn(n, n, |i, k| found[(3 * i, 3 * k)]);
    let tangents = planes[0].iter().map(|plane| [0, 1].map(|d| plane.axes.row(d).transpose()));
    let friction = Some(GridFriction::new((friction, law), found, tangents.collect()));
    Ok(OnGrid { matrix, doubts, modes, friction, wandering })
}

/// Cells of a grid on both surfaces.
pub(super) struct Sampled {
    /// Of all cells, then of the neighbours of those at the rim.
    pub(super) samples: Vec<Sample>,
    /// Samples of each cell: its middle and those of its neighbours.
    pub(super) stencils: Vec<[u32; 5]>,
    /// True for cells with a neighbour outside of the grid.
    pub(super) at_rim: Vec<bool>,
    /// Planes of the cells in the axes of both bodies.
    pub(super) planes: [Vec<PatchPlane>; 2],
    /// Working memory of the second surface.
    pub(super) resting: Resting,
}

/// The cells of a grid on both surfaces.
pub(super) fn sampled(plan: &GridPlan, grid: &PressureGrid, bodies: [GridBody<'_>; 2]) -> Sampled {
    let of_cell: BTreeMap<[i32; 2], usize> =
        grid.cells.iter().enumerate().map(|(k, cell)| (*cell, k)).collect();
    let mut places = grid.cells.clone();
    let mut owners: Vec<u32> = (0..grid.len() as u32).collect();
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
                owners.push(k as u32);
            }
            stencil[slot + 1] = found as u32;
        }
        stencils.push(stencil);
        at_rim.push(is_rim);
    }
    let nodes = lattice(bodies[0].shape, &grid.plane, grid.sides(), &places);
    let mut resting = Resting::new(bodies[1].shape);
    // Each search starts from the foot point of the sample before.
    let mut start = None;
    let (mut samples, mut planes) = (Vec::with_capacity(nodes.len()), [Vec::new(), Vec::new()]);
    for (node, cell) in nodes.iter().zip(owners) {
        let (place, outward) = (node.plane.center, node.plane.axes.row(2).transpose());
        let second = (bodies[1].shape, &mut resting);
        let found = height_of(second, plan.partner, &mut start, (&place, &outward), grid.side);
        if samples.len() < grid.len() {
            planes[0].push(node.plane);
            planes[1].push(on_second(&node.plane, found, plan.partner));
        }
        samples.push(Sample {
            place,
            outward,
            is_on_first: node.is_on_surface,
            cell,
            second: None,
            normal: Vector3::zeros(),
            start,
            force: 0.0,
        });
    }
    Sampled { samples, stencils, at_rim, planes, resting }
}

/// The plane of a cell that touches the second surface, in the axes of its body; that of the cell where the
/// surface is not found.
///
/// * `found` — height over the cell and normal there
fn on_second(
    plane: &PatchPlane,
    found: Option<(f64, Vector3<f64>)>,
    (rotation, origin): (Matrix3<f64>, Vector3<f64>),
) -> PatchPlane {
    let [first, second, n] = [0, 1, 2].map(|d| plane.axes.row(d).transpose());
    let (height, normal) = found.filter(|(_, m)| m.dot(&n) < 0.0).unwrap_or((0.0, -n));
    let center = plane.center + height * n;
    let first = (first - first.dot(&normal) * normal).normalize();
    // Both bodies have the same tangents: normal, first and second are left-handed.
    let second = {
        let other = first.cross(&normal);
        if other.dot(&second) > 0.0 { other } else { -other }
    };
    let axes = Matrix3::from_rows(&[first.transpose(), second.transpose(), normal.transpose()]);
    PatchPlane { center: rotation.transpose() * (center - origin), axes: axes * rotation }
}
