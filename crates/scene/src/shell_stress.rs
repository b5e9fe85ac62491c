//! Stress of shells at the points of a grid, from that of their walls.

use carom_fem::structural::WALL_PLACES;
use carom_fem::{Body, Geometry};

use crate::body_grid::BodyGrid;
use crate::stress::Stress;

/// The stress of a wall at the points of a grid: surface below, mean over the thickness, surface above.
#[derive(Debug, Clone, PartialEq)]
pub struct WallStress {
    /// Stress at each place of the wall.
    pub places: [Stress; WALL_PLACES],
    /// The largest von Mises stress over the places \[Pa\].
    pub von_mises: Vec<f64>,
    /// The largest equivalent plastic strain over the places.
    pub plastic_strain: Vec<f64>,
}

/// Brings the stress of shells to the points of a grid: at a node the mean over its shells. Where walls meet
/// at a fold the mean mixes the stresses of both; points of beams alone have none.
#[derive(Debug, Clone)]
pub struct ShellStressRecovery<'a> {
    grid: &'a BodyGrid,
    /// Nodes of each shell.
    shells: Vec<Vec<u32>>,
    n_points: usize,
}

impl<'a> ShellStressRecovery<'a> {
    /// For a grid and the body that it was made from. A body without shells has no stress.
    pub fn new(grid: &'a BodyGrid, body: &Body) -> Self {
        let shells = match &body.geometry {
            Geometry::Mesh(mesh) => mesh
                .cells()
                .filter(|(_, shape, _)| shape.table().dimension == 2)
                .map(|(_, _, nodes)| nodes.to_vec())
                .collect(),
            Geometry::Nurbs(_) => Vec::new(),
        };
        Self { grid, shells, n_points: body.n_points() }
    }

    /// The stress from the numbers of a result; none if the body has no shells, or the numbers are not those
    /// of its shells.
    ///
    /// * `stress` — xx, yy, zz, xy, yz, xz of each place of each shell \[Pa\]
    /// * `plastic_strain` — of the same places
    pub fn stress(&self, stress: &[f64], plastic_strain: &[f64]) -> Option<WallStress> {
        let (walls, []) = stress.as_chunks::<6>() else { return None };
        let count = WALL_PLACES * self.shells.len();
        if count == 0 || walls.len() != count || plastic_strain.len() != count {
            return None;
        }
        let at = |place: usize| {
            let values = walls[place..].iter().step_by(WALL_PLACES);
            Stress::of_tensor(self.grid.at_points(&self.averages(values)))
        };
        let places: [Stress; WALL_PLACES] = std::array::from_fn(at);
        let largest = |values: &dyn Fn(usize) -> Vec<f64>| -> Vec<f64> {
            (0..WALL_PLACES)
                .map(values)
                .reduce(|a, b| a.iter().zip(&b).map(|(a, b)| a.max(*b)).collect())
                .unwrap_or_default()
        };
        let von_mises = largest(&|place| places[place].von_mises.clone());
        let strain = largest(&|place| {
            let values: Vec<[f64; 1]> =
                plastic_strain[place..].iter().step_by(WALL_PLACES).map(|&x| [x]).collect();
            self.grid.at_points(&self.averages(values.iter())).as_flattened().to_vec()
        });
        Some(WallStress { places, von_mises, plastic_strain: strain })
    }

    /// The mean at each node over its shells.
    fn averages<'v, const D: usize>(&self, values: impl Iterator<Item = &'v [f64; D]>) -> Vec<[f64; D]> {
        let (mut sums, mut counts) = (vec![[0.0; D]; self.n_points], vec![0_u32; self.n_points]);
        for (nodes, value) in self.shells.iter().zip(values) {
            for &node in nodes {
                counts[node as usize] += 1;
                (0..D).for_each(|d| sums[node as usize][d] += value[d]);
            }
        }
        for (sum, count) in sums.iter_mut().zip(counts).filter(|(_, count)| *count > 0) {
            sum.iter_mut().for_each(|x| *x /= f64::from(count));
        }
        sums
    }
}
