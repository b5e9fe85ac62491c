//! Stress of a displaced body at the points of its grid.

use carom_fem::stress::von_mises;
use carom_fem::{Body, Discretisation, Geometry, StressSites};

use crate::body_grid::{BodyGrid, Source};
use crate::spline_stress::SplineRecovery;

/// Cauchy stress at the points of a grid, in the axes of the source geometry. For Bezier cells these are
/// control values of the field, like the points themselves.
#[derive(Debug, Clone, PartialEq)]
pub struct Stress {
    /// xx, yy, zz, xy, yz, xz \[Pa\], VTK's order.
    pub tensor: Vec<[f64; 6]>,
    /// Von Mises stress \[Pa\], never negative, also between points.
    pub von_mises: Vec<f64>,
}

/// Rotates a stress to other axes: R σ Rᵀ, where `rotation` maps components in the old axes to the new ones.
pub fn rotated(stress: &[f64; 6], rotation: &[[f64; 3]; 3]) -> [f64; 6] {
    let [xx, yy, zz, xy, yz, xz] = *stress;
    let full = [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]];
    let entry = |a: usize, b: usize| -> f64 {
        (0..3).map(|c| (0..3).map(|d| rotation[a][c] * full[c][d] * rotation[b][d]).sum::<f64>()).sum()
    };
    [entry(0, 0), entry(1, 1), entry(2, 2), entry(0, 1), entry(1, 2), entry(0, 2)]
}

/// Stress recovery of a body at the points of a grid, frame by frame: data that do not depend on the
/// displacement are computed once.
///
/// Meshes: averages at the nodes, [`StressSites::node_averages`]. NURBS: evaluated in every cell at the
/// lattice i/p of its Bezier form, averaged over the cells that meet there, and converted to control values
/// that interpolate these averages. The field is continuous; the jumps that averaging removed are of the
/// order of the discretisation error.
#[derive(Debug, Clone)]
pub struct StressRecovery<'a> {
    grid: &'a BodyGrid,
    discretisation: Discretisation,
    sites: StressSites,
    spline: Option<SplineRecovery>,
}

impl<'a> StressRecovery<'a> {
    /// Prepares the recovery for a grid and the body that it was made from.
    ///
    /// # Errors
    ///
    /// [`carom_fem::DiscretisationError`] if the body cannot be discretised.
    pub fn new(grid: &'a BodyGrid, body: &Body) -> Result<Self, carom_fem::DiscretisationError> {
        let spline = match &body.geometry {
            Geometry::Nurbs(multipatch) => Some(SplineRecovery::new(grid, multipatch, body)),
            Geometry::Mesh(_) => None,
        };
        let discretisation = Discretisation::new(body)?;
        Ok(Self { grid, sites: StressSites::mesh_nodes(&discretisation), discretisation, spline })
    }

    /// Stress under a small displacement of the body's points (nodes, control points), in the body's axes.
    ///
    /// * `displacement` — one vector per body point \[m\]
    ///
    /// # Panics
    ///
    /// If `displacement` is shorter than the body has points.
    pub fn stress(&self, displacement: &[[f64; 3]]) -> Stress {
        // Zero displacement is frequent: rigid bodies, and flexible bodies before the first contact.
        if displacement.iter().flatten().all(|&u| u == 0.0) {
            let n = self.grid.grid.points.len();
            return Stress { tensor: vec![[0.0; 6]; n], von_mises: vec![0.0; n] };
        }
        match (&self.spline, &self.grid.source) {
            (Some(spline), _) => spline.stress(displacement, self.grid.grid.points.len()),
            (None, Source::Nodes(nodes)) => {
                let all = self.sites.node_averages(&self.discretisation, displacement);
                let tensor: Vec<[f64; 6]> = nodes.iter().map(|&node| all[node as usize]).collect();
                let von_mises = tensor.iter().map(von_mises).collect();
                Stress { tensor, von_mises }
            }
            (None, Source::Bezier(_)) => unreachable!("only NURBS bodies have Bezier grids"),
        }
    }
}
