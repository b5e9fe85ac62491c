//! A grid as it is laid in one position of the bodies: its cells on both surfaces, compliance, modes.

use std::collections::{BTreeMap, BTreeSet};

use faer::Mat;
use nalgebra::{Matrix3, Vector3};

use super::friction::GridFriction;
use super::modes::ModesOnGrid;
use super::wandering::Wandering;
use super::{GridBody, NEIGHBOURS, PairError, Sample};
use crate::half_space::heights::{Resting, height_of};
use crate::half_space::pair::{Doubts, compliance_on};
use crate::half_space::surface_lattice::{Node, lattice};
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
        let own = placed[k].as_ref()?;
        ModesOnGrid::new(own, &bodies[k])
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
    /// The cells that can carry.
    pub(super) cells: Vec<[i32; 2]>,
    /// Of all cells, then of the neighbours of those at the rim.
    pub(super) samples: Vec<Sample>,
    /// Samples of each cell: its middle and those of its neighbours.
    pub(super) stencils: Vec<[u32; 5]>,
    /// True for cells beside which the grid ends though the surfaces go on.
    pub(super) at_rim: Vec<bool>,
    /// Planes of the cells in the axes of both bodies.
    pub(super) planes: [Vec<PatchPlane>; 2],
    /// Working memory of the second surface.
    pub(super) resting: Resting,
}

/// A cell of the lattice as it is laid.
struct Laid {
    sample: Sample,
    /// In the axes of both bodies.
    planes: [PatchPlane; 2],
    carries: bool,
}

/// The cells of a grid on both surfaces.
///
/// Cells beyond an edge of the first surface are left out: they are open in any position. So are those
/// without a second surface over them if a body has no loads near by on which their forces could act, as
/// where the outline of a grid goes on beyond the end of a face.
pub(super) fn sampled(plan: &GridPlan, grid: &PressureGrid, bodies: [GridBody<'_>; 2]) -> Sampled {
    let wanted: BTreeSet<[i32; 2]> = grid.cells.iter().copied().collect();
    let beside = grid.cells.iter().flat_map(around);
    let mut outside = BTreeSet::new();
    let outside = beside.filter(|cell| !wanted.contains(cell) && outside.insert(*cell));
    let places: Vec<[i32; 2]> = grid.cells.iter().copied().chain(outside).collect();
    let nodes = lattice(bodies[0].shape, &grid.plane, grid.sides(), &places);
    let mut resting = Resting::new(bodies[1].shape);
    // Each search starts from the foot point of the sample before.
    let mut start = None;
    let mut lay = |(cell, node): (&[i32; 2], &Node)| {
        let (place, outward) = (node.plane.center, node.plane.axes.row(2).transpose());
        let second = (bodies[1].shape, &mut resting);
        let found = height_of(second, plan.partner, (&mut start, None), (&place, &outward), grid.side);
        let at_start = start.and_then(|start| resting.jet(bodies[1].shape, start));
        // A surface that looks the same way is the far side of the second body.
        let found = found.filter(|(_, normal)| normal.dot(&outward) < 0.0);
        let planes = [node.plane, on_second(&node.plane, found, plan.partner)];
        let is_on_first = node.is_on_surface;
        let can_bear = || bodies.iter().zip(&planes).all(|(body, plane)| body.below.can_bear(plane));
        // A grid is known by the cell in its middle.
        let carries = *cell == [0, plan.middle[1]] || is_on_first && (found.is_some() || can_bear());
        let (normal, second) = (Vector3::zeros(), None);
        let sample =
            Sample { place, outward, is_on_first, cell: 0, second, normal, start, at_start, force: 0.0 };
        Laid { sample, planes, carries }
    };
    let laid: Vec<Laid> = places.iter().zip(&nodes).map(&mut lay).collect();
    let of_place: BTreeMap<[i32; 2], &Laid> = places.iter().copied().zip(&laid).collect();
    let cells: Vec<[i32; 2]> = grid.cells.iter().copied().filter(|cell| of_place[cell].carries).collect();
    let mut number: BTreeMap<[i32; 2], u32> = cells.iter().copied().zip(0..).collect();
    let of_cell = |cell: &[i32; 2], k: u32| Sample { cell: k, ..of_place[cell].sample };
    let mut samples: Vec<Sample> = cells.iter().zip(0..).map(|(cell, k)| of_cell(cell, k)).collect();
    let mut stencils = Vec::with_capacity(cells.len());
    for (k, cell) in (0..).zip(&cells) {
        let mut stencil = [k; 5];
        for (slot, neighbour) in stencil[1..].iter_mut().zip(around(cell)) {
            let next = samples.len() as u32;
            *slot = *number.entry(neighbour).or_insert(next);
            if *slot == next {
                samples.push(of_cell(&neighbour, k));
            }
        }
        stencils.push(stencil);
    }
    let ends = |cell: [i32; 2]| {
        let laid = of_place[&cell];
        laid.sample.is_on_first && !(wanted.contains(&cell) && laid.carries)
    };
    let at_rim = cells.iter().map(|cell| around(cell).any(ends)).collect();
    let planes = [0, 1].map(|k| cells.iter().map(|cell| of_place[cell].planes[k]).collect());
    Sampled { cells, samples, stencils, at_rim, planes, resting }
}

/// The neighbours of a cell.
fn around([i, j]: &[i32; 2]) -> impl Iterator<Item = [i32; 2]> + use<> {
    let (i, j) = (*i, *j);
    NEIGHBOURS.iter().map(move |[di, dj]| [i + di, j + dj])
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
    let (height, normal) = found.unwrap_or((0.0, -n));
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
