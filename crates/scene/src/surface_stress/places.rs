//! Stress at single places of a surface, from the cells that meet there alone.

use std::sync::Arc;

use carom_fem::surface::Face;
use carom_fem::{Body, Geometry, SetError, Surface};
use carom_nurbs::bezier::BezierMesh;
use nalgebra::Vector3;

use super::{Shape, SurfaceStressRecovery};
use crate::body_grid::BodyGrid;

/// The recovered stress at one place of a surface, or the mean over several, as
/// [`SurfaceStressRecovery::sampled`] has it. It is linear in the displacement and in the pressures.
#[derive(Debug, Clone)]
pub struct PlaceStressRecovery {
    /// The recovery of the cells that meet at the places.
    recovery: SurfaceStressRecovery,
    /// Their numbers in the grid, ascending.
    cells: Vec<usize>,
    /// Numbers of the places in the recovery.
    places: Vec<usize>,
}

impl PlaceStressRecovery {
    /// Numbers of the cells of the grid that meet at the places, ascending.
    pub fn cells(&self) -> &[usize] {
        &self.cells
    }

    /// Mean of the stress over the places \[Pa\]: xx, yy, zz, xy, yz, xz, axes of the body.
    ///
    /// * `displacement` — one vector per body point \[m\]; only points of the surface are used
    /// * `pressures` — pressure on each of [`Self::cells`] \[Pa\]
    ///
    /// # Panics
    ///
    /// If `displacement` is shorter than the body has points.
    pub fn stress(&self, displacement: &[[f64; 3]], pressures: &[f64]) -> [f64; 6] {
        let tensor = self.recovery.sampled(displacement, pressures).tensor;
        let mut mean = [0.0; 6];
        for &place in &self.places {
            mean.iter_mut().zip(&tensor[place]).for_each(|(sum, stress)| *sum += stress);
        }
        mean.map(|sum| sum / self.places.len().max(1) as f64)
    }
}

/// Number of the place nearest to a point; none if there is no place.
///
/// * `places` — [`SurfaceStressRecovery::sample_places`]
pub fn nearest_place(places: &[[f64; 3]], x: &Vector3<f64>) -> Option<usize> {
    let distance = |k: &usize| (Vector3::from(places[*k]) - x).norm_squared();
    (0..places.len()).min_by(|a, b| distance(a).total_cmp(&distance(b)))
}

impl SurfaceStressRecovery {
    /// The stress at some places alone: the cost of an evaluation is that of the cells which meet there.
    ///
    /// * `places` — numbers of places of [`Self::sample_places`]
    pub fn at(&self, places: &[usize]) -> PlaceStressRecovery {
        let (recovery, cells, places) = self.near(places);
        PlaceStressRecovery { recovery, cells, places }
    }

    /// Numbers of the places that lie on a set of the body, ascending: the nodes of a mesh, the lattices of
    /// the Bezier faces of a NURBS body. Nodes inside the body have no place.
    ///
    /// * `grid`, `body` — those of the recovery
    ///
    /// # Errors
    ///
    /// [`SetError`] lists the known sets.
    pub fn places_of_set(&self, grid: &BodyGrid, body: &Body, set: &str) -> Result<Vec<usize>, SetError> {
        let mut places: Vec<usize> = match (&self.shape, &body.geometry) {
            (Shape::Mesh { surface, grid_points, .. }, Geometry::Mesh(mesh)) => {
                let nodes = mesh.nodes_of_set(set);
                let nodes = nodes.map_err(|source| SetError::Mesh { body: body.name.clone(), source })?;
                let local = nodes.iter().filter_map(|node| surface.points.binary_search(node).ok());
                local.map(|point| grid_points[point] as usize).collect()
            }
            (Shape::Bezier { mesh, .. }, _) => {
                let faces = body.faces_of_set(set)?;
                let own =
                    mesh.cells.iter().zip(&grid.faces).filter(|(_, face)| faces.binary_search(face).is_ok());
                own.flat_map(|(cell, _)| cell.points.iter().map(|&point| point as usize)).collect()
            }
            _ => Vec::new(),
        };
        places.sort_unstable();
        places.dedup();
        Ok(places)
    }

    /// The same of the cells that meet at some places alone, with the numbers of these cells, ascending, and
    /// those of the places there.
    fn near(&self, places: &[usize]) -> (Self, Vec<usize>, Vec<usize>) {
        let kept = |points: &[u32]| points.iter().any(|&point| places.contains(&(point as usize)));
        let numbered = |of: &mut dyn Iterator<Item = bool>| -> Vec<usize> {
            of.enumerate().filter_map(|(number, is_kept)| is_kept.then_some(number)).collect()
        };
        let (shape, n_points, cells, places) = match &self.shape {
            Shape::Mesh { surface, positions, grid_points } => {
                let of_grid = |face: &Face| -> Vec<u32> {
                    face.points.iter().map(|&point| grid_points[point as usize]).collect()
                };
                let cells = numbered(&mut surface.faces.iter().map(|face| kept(&of_grid(face))));
                let mut faces: Vec<Face> = cells.iter().map(|&cell| surface.faces[cell].clone()).collect();
                let mut used: Vec<u32> = faces.iter().flat_map(|face| face.points.clone()).collect();
                used.sort_unstable();
                used.dedup();
                let number = |point: &u32| used.binary_search(point).expect("the points of the faces");
                for point in faces.iter_mut().flat_map(|face| &mut face.points) {
                    *point = number(point) as u32;
                }
                let of = |values: &[f64]| used.iter().map(|&point| values[point as usize]).collect();
                let part = Surface {
                    points: used.iter().map(|&point| surface.points[point as usize]).collect(),
                    weights: of(&surface.weights),
                    faces,
                    operators: surface.operators.clone(),
                };
                let own = |place: &usize| {
                    used.iter().position(|&point| grid_points[point as usize] as usize == *place)
                };
                let shape = Shape::Mesh {
                    positions: used.iter().map(|&point| positions[point as usize]).collect(),
                    grid_points: (0..used.len() as u32).collect(),
                    surface: part,
                };
                (shape, used.len(), cells, places.iter().filter_map(own).collect())
            }
            Shape::Bezier { mesh, tables } => {
                let cells = numbered(&mut mesh.cells.iter().map(|cell| kept(&cell.points)));
                let mut part = BezierMesh::clone(mesh);
                part.cells = cells.iter().map(|&cell| mesh.cells[cell].clone()).collect();
                let shape = Shape::Bezier { mesh: Arc::new(part), tables: tables.clone() };
                (shape, self.n_points, cells, places.to_vec())
            }
        };
        let materials = cells.iter().map(|&cell| self.materials[cell].clone()).collect();
        (Self { materials, shape, n_points }, cells, places)
    }
}
