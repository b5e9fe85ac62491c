//! Shells in contact: the side that is touched, and the distance of its surface from the nodes.

use carom_dynamics::rotation;
use carom_fem::{Discretisation, FaceMap, Section};
use carom_mesh::{CellRef, FaceRef};
use nalgebra::Vector3;

use crate::explicit::SetupError;
use crate::explicit::problem::{BodySpec, SideSpec};

/// The faces of a set that can touch another body: of both faces of a shell the one whose normal points to
/// the middle of that body, where it is at the start. A set that names one side of a shell keeps it.
pub(super) fn touched_faces(
    discretisation: &Discretisation,
    faces: Vec<FaceRef>,
    toward: impl FnOnce() -> Result<Vector3<f64>, SetupError>,
) -> Result<Vec<FaceRef>, SetupError> {
    let is_double =
        |pair: &[FaceRef]| pair[0].cell() == pair[1].cell() && thickness(discretisation, pair[0]) > 0.0;
    if !faces.windows(2).any(is_double) {
        return Ok(faces);
    }
    let toward = toward()?;
    let faces_it = |face: FaceRef| {
        let (middle, normal) = middle_and_normal(discretisation, face);
        normal.dot(&(toward - middle)) > 0.0
    };
    let mut kept = Vec::with_capacity(faces.len() / 2);
    for cell in faces.chunk_by(|a, b| a.cell() == b.cell()) {
        match cell {
            [first, second] if thickness(discretisation, *first) > 0.0 => {
                kept.push(if faces_it(*first) { *first } else { *second });
            }
            others => kept.extend_from_slice(others),
        }
    }
    Ok(kept)
}

/// Half of the thickness of the shells at each point of a surface \[m\]; zero for solids. Where shells of
/// several thicknesses meet it is the largest.
///
/// * `points` — numbers of the points of the surface, ascending
pub(super) fn half_thickness(discretisation: &Discretisation, faces: &[FaceRef], points: &[u32]) -> Vec<f64> {
    let mut halves = vec![0.0_f64; points.len()];
    for &face in faces {
        let half = 0.5 * thickness(discretisation, face);
        if half == 0.0 {
            continue;
        }
        for id in discretisation.points_of(discretisation.basis(face.cell())) {
            if let Ok(k) = points.binary_search(&id) {
                halves[k] = halves[k].max(half);
            }
        }
    }
    halves
}

/// True if a body has beams.
pub(super) fn has_beams(discretisation: &Discretisation) -> bool {
    discretisation.blocks.iter().any(|block| matches!(block.section, Some(Section::Beam(_))))
}

/// Middle of the points of a side at the start, in inertial axes \[m\].
pub(super) fn middle(body: &BodySpec, side: &SideSpec) -> Result<Vector3<f64>, SetupError> {
    let geometry = &body.geometry;
    let made = |source| SetupError::Discretisation { body: geometry.name.clone(), source };
    let discretisation = Discretisation::new(geometry).map_err(made)?;
    let points = match side {
        SideSpec::Set(set) => geometry.points_of_set(&discretisation, set)?,
        SideSpec::Shape(_) => (0..discretisation.n_points() as u32).collect(),
    };
    let sum: Vector3<f64> = points.iter().map(|&k| Vector3::from(discretisation.points[k as usize])).sum();
    let turn = rotation::matrix(&body.placement.quaternion);
    Ok(Vector3::from(body.placement.origin) + turn * sum / points.len().max(1) as f64)
}

/// Thickness of the shell that a face belongs to, zero for solids \[m\].
fn thickness(discretisation: &Discretisation, face: FaceRef) -> f64 {
    match discretisation.blocks[face.block as usize].section {
        Some(Section::Shell(shell)) => shell.thickness,
        _ => 0.0,
    }
}

/// Mean of the corners of a shell, and the normal of one of its faces, not of unit length.
fn middle_and_normal(discretisation: &Discretisation, face: FaceRef) -> (Vector3<f64>, Vector3<f64>) {
    let CellRef { block, .. } = face.cell();
    let map = FaceMap::new(&discretisation.blocks[block as usize], face.face);
    let mut evaluator = carom_fem::CellEvaluator::new(discretisation);
    evaluator.enter(face.cell());
    let center = if map.is_triangle { [1.0 / 3.0; 2] } else { [0.5; 2] };
    let point = evaluator.at(map.at(center));
    (Vector3::from(point.position), Vector3::from(map.area(&point)))
}
