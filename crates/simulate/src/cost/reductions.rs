//! Work of the reduced models of a scenario.

use std::collections::BTreeSet;

use carom_contact::geometry::Faces;
use carom_continuum::half_space::expected_places;
use carom_cost::{Extent, FACTOR, Machine, Places, Reduction, Span};
use carom_fem::plausible::bounds;
use carom_fem::{Body, CellEvaluator, Cells, Discretisation};
use carom_format::scenario::model::{BodySpec, ReduceSpec};
use carom_mesh::{CellRef, FaceRef};
use carom_reduce::cost::reduction_cost;
use nalgebra::Vector3;

use super::CostOfBody;
use crate::reduction::{places, reduction};

/// The cost of the model of a body; none if it cannot be made.
pub(crate) fn of_body(spec: &BodySpec, body: &Body, machine: &Machine) -> Option<CostOfBody> {
    let reduce = spec.reduce.as_ref()?;
    let counted = counted(body, reduce)?;
    let phases = counted.phases().map(|phase| (phase.name, machine.seconds(phase.work)));
    let seconds = phases.iter().map(|(_, seconds)| seconds).sum();
    Some(CostOfBody {
        name: spec.name.clone(),
        dofs: counted.n_dofs,
        factor: [counted.factor.nonzeros, counted.factor.flops],
        columns: [counted.n_interface, counted.n_modes, counted.places.count],
        phases: phases.to_vec(),
        seconds: Span::within(seconds, FACTOR),
        of_repeat: None,
        bytes: counted.bytes(),
        file_bytes: counted.file_bytes(),
    })
}

/// The work of a reduction.
fn counted(body: &Body, reduce: &ReduceSpec) -> Option<Reduction> {
    let regions = places(reduce).ok()?;
    let counts = regions.iter().map(|region| expected_places(body, region)).collect::<Result<Vec<_>, _>>();
    let of_places =
        Places { regions: regions.len(), count: counts.ok()?.iter().sum(), alone: reduce.is_bare() };
    let modes = |discretisation: &Discretisation, hz: f64| extent(body, discretisation).modes_below(hz);
    reduction_cost(body, &reduction(reduce, ""), of_places, modes).ok()
}

/// Size and wave speeds of a body, of its first material.
pub(super) fn extent(body: &Body, discretisation: &Discretisation) -> Extent {
    let material = &discretisation.materials[discretisation.blocks[0].material];
    let (lambda, mu) = material.lame();
    let [low, high] = bounds(body).map(Vector3::from);
    let surface = discretisation.surface(&body.boundary_faces());
    let position = |&point: &u32| Vector3::from(discretisation.points[point as usize]);
    let points: Vec<Vector3<f64>> = surface.points.iter().map(position).collect();
    let mut area = 0.0;
    if let Ok(faces) = Faces::new(surface, &points) {
        // Polygons of the corners of each face: some per cent are of no importance here.
        let mut now = faces.state_at_rest();
        for face in 0..faces.n_faces() as u32 {
            let domain = faces.domain(face);
            let corners: Vec<Vector3<f64>> =
                (0..domain.n_corners()).map(|k| faces.position(&mut now, face, domain.corner(k))).collect();
            let around = corners.iter().zip(corners.iter().cycle().skip(1));
            let own: Vector3<f64> = around.map(|(a, b)| 0.5 * a.cross(b)).sum();
            area += own.norm();
        }
    }
    Extent {
        volume: volume(discretisation),
        surface: area,
        length: (high - low).amax(),
        waves: [lambda + 2.0 * mu, mu].map(|modulus| (modulus / material.density).sqrt()),
    }
}

/// The volume of a body by one point of each cell \[m³\]: its mass properties cost as much as an assembly.
pub(super) fn volume(discretisation: &Discretisation) -> f64 {
    let mut evaluator = CellEvaluator::new(discretisation);
    let mut all = 0.0;
    for (number, block) in discretisation.blocks.iter().enumerate() {
        // The middle and the volume of the reference cell.
        let (middle, size) = match &block.cells {
            Cells::Lagrange { shape, .. } => {
                let nodes = shape.reference_nodes();
                let sum = |a: usize| nodes.iter().map(|node| node[a]).sum::<f64>();
                (std::array::from_fn(|a| sum(a) / nodes.len() as f64), shape.reference_volume())
            }
            Cells::Spline(_) => ([0.5; 3], 1.0),
        };
        for cell in 0..block.n_cells() as u32 {
            evaluator.enter(CellRef { block: number as u32, cell });
            all += size * evaluator.at(middle).det.abs();
        }
    }
    all
}

/// A part of a surface that can touch.
#[derive(Debug, Clone, Copy)]
pub(super) struct Zone {
    /// Number of its faces.
    pub(super) faces: f64,
    /// Number of dofs of its points.
    pub(super) dofs: f64,
}

/// A set of a body, or its whole surface; none without faces.
pub(super) fn zone(body: &Body, set: &str) -> Option<Zone> {
    let faces: BTreeSet<FaceRef> = match set {
        "" => body.boundary_faces().into_iter().collect(),
        set => body.faces_of_set(set).ok()?.into_iter().collect(),
    };
    let faces: Vec<FaceRef> = faces.into_iter().collect();
    let points = Discretisation::new(body).ok()?.surface(&faces).points.len();
    Some(Zone { faces: faces.len() as f64, dofs: 3.0 * points as f64 }).filter(|zone| zone.faces > 0.0)
}
