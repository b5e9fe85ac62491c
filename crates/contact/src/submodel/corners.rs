//! Corners of pressure cells at edges of a surface: they reach into the other body while the average gap of
//! their cell is still open.

use std::collections::BTreeMap;

use carom_fem::surface::MAX_FACE_POINTS;
use nalgebra::Vector3;

use crate::geometry::Faces;
use crate::pressure::{Cell, PressureCells};

/// Cosine of the angle between two faces from which on they meet in an edge.
const EDGE: f64 = 0.9;

/// A corner of a pressure cell at an edge of the body, where the zone ends or continues.
#[derive(Debug, Clone)]
pub(super) struct Corner {
    pub(super) cell: usize,
    /// Reference position in the frame of the body \[m\].
    pub(super) place: Vector3<f64>,
    /// Distance from the farthest integration point of the cell \[m\]: the gap here is not lower than the
    /// average by more.
    pub(super) reach: f64,
    /// Shape values of the points of the cell.
    pub(super) values: Vec<f64>,
    /// The integration point of the cell nearest to it.
    pub(super) nearest: usize,
}

/// The corners of the cells of a zone in its reference position.
pub(super) fn corners(faces: &Faces, cells: &PressureCells, reference: &[Vector3<f64>]) -> Vec<Corner> {
    let mut of_cells: Vec<(usize, u32, usize)> = Vec::new();
    let of_points = corners_of_points(faces);
    for (cell, origin) in cells.cell.iter().enumerate().filter(|(cell, _)| cells.area[*cell] > 0.0) {
        match *origin {
            Cell::Face(face) => {
                of_cells.extend((0..faces.domain(face).n_corners()).map(|corner| (cell, face, corner)));
            }
            Cell::Point(point) => {
                of_cells.extend(of_points.get(&point).map(|&(face, corner)| (cell, face, corner)));
            }
        }
    }
    let exposed =
        |(_, face, corner): &(usize, u32, usize)| is_exposed(faces, reference, *face, *corner as u8);
    of_cells.into_iter().filter(exposed).map(|at| corner_of(faces, cells, reference, at)).collect()
}

/// For the points that lie at corners of faces one of these corners, of the first such face.
fn corners_of_points(faces: &Faces) -> BTreeMap<u32, (u32, usize)> {
    let mut of_points = BTreeMap::new();
    for face in 0..faces.n_faces() as u32 {
        let domain = faces.domain(face);
        for corner in 0..domain.n_corners() {
            let values = shape(faces, face, domain.corner(corner)).0;
            let own = faces.surface.faces[face as usize].points.iter();
            let there = own.zip(&values).find(|(_, value)| (*value - 1.0).abs() < 1e-12);
            if let Some((&point, _)) = there {
                of_points.entry(point).or_insert((face, corner));
            }
        }
    }
    of_points
}

fn corner_of(
    faces: &Faces,
    cells: &PressureCells,
    reference: &[Vector3<f64>],
    (cell, face, corner): (usize, u32, usize),
) -> Corner {
    let xi = faces.domain(face).corner(corner);
    let (own, shape) = (&faces.surface.faces[face as usize].points, shape(faces, face, xi).0);
    let points = cells.points(cell);
    let value = |k: &u32| own.iter().position(|o| o == k).map_or(0.0, |i| shape[i]);
    let place = position(faces, reference, face, xi);
    let distance = |values: &[f64]| {
        let x: Vector3<f64> = points.iter().zip(values).map(|(&k, r)| reference[k as usize] * *r).sum();
        (x - place).norm()
    };
    let all = || cells.values(cell).chunks_exact(points.len()).map(distance);
    let nearest = all().enumerate().min_by(|a, b| a.1.total_cmp(&b.1)).map_or(0, |(g, _)| g);
    let values = points.iter().map(value).collect();
    Corner { cell, place, reach: all().fold(0.0, f64::max), values, nearest }
}

/// True where the zone ends as the surface of the body turns, and where the faces around a corner have
/// different normals. Where the zone was cut out of a smooth surface pressure is an error in any case.
fn is_exposed(faces: &Faces, reference: &[Vector3<f64>], face: u32, corner: u8) -> bool {
    let domain = |face: u32| faces.domain(face);
    if faces.topology.corner_on_sharp(face, corner, domain) {
        return true;
    }
    let normal = |face: u32, corner: u8| {
        let slopes = shape(faces, face, domain(face).corner(usize::from(corner))).1;
        let points = &faces.surface.faces[face as usize].points;
        let tangent = |a: usize| -> Vector3<f64> {
            points.iter().zip(&slopes).map(|(&k, d)| reference[k as usize] * d[a]).sum()
        };
        // At the pole of a collapsed face there is none.
        (tangent(0).cross(&tangent(1)) * faces.orientation(face)).try_normalize(0.0)
    };
    let Some(own) = normal(face, corner) else { return false };
    let mut around = faces.topology.around(face, corner).iter();
    around.any(|&(f, c)| normal(f, c).is_some_and(|other| own.dot(&other) < EDGE))
}

type ValuesAndSlopes = ([f64; MAX_FACE_POINTS], [[f64; 2]; MAX_FACE_POINTS]);

/// Shape values and slopes of a face.
fn shape(faces: &Faces, face: u32, xi: [f64; 2]) -> ValuesAndSlopes {
    let (mut r, mut r_a, mut r_ab) =
        ([0.0; MAX_FACE_POINTS], [[0.0; 2]; MAX_FACE_POINTS], [[0.0; 3]; MAX_FACE_POINTS]);
    faces.surface.shape_into(face as usize, xi, &mut r, &mut r_a, &mut r_ab);
    (r, r_a)
}

fn position(faces: &Faces, reference: &[Vector3<f64>], face: u32, xi: [f64; 2]) -> Vector3<f64> {
    let points = &faces.surface.faces[face as usize].points;
    points.iter().zip(&shape(faces, face, xi).0).map(|(&k, r)| reference[k as usize] * *r).sum()
}
