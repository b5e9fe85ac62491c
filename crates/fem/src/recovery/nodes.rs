//! Stress of one displacement field at the nodes of a mesh.

use faer::Mat;

use super::StressSites;
use crate::Discretisation;
use crate::stress::Stress;

/// Stress at the nodes of a mesh body, averaged over the cells around each node; zero at nodes without cells.
///
/// Blocks of different materials are averaged together at common nodes; [`StressSites`] keeps them apart.
///
/// * `displacement` — u of all points \[m\]
///
/// Cells of NURBS blocks are skipped: their control points do not lie on the body.
///
/// # Panics
///
/// If `displacement` is shorter than the list of points.
pub fn at_nodes(discretisation: &Discretisation, displacement: &[[f64; 3]]) -> Vec<Stress> {
    StressSites::mesh_nodes(discretisation).node_averages(discretisation, displacement)
}

impl StressSites {
    /// Stress of one field at the nodes of a mesh, averaged over all cells around each, whatever their
    /// material; zero at nodes without cells. Only for sites that are all nodes of a mesh.
    ///
    /// * `displacement` — u of all points \[m\]
    ///
    /// # Panics
    ///
    /// If `displacement` is shorter than the list of points.
    pub fn node_averages(&self, discretisation: &Discretisation, displacement: &[[f64; 3]]) -> Vec<Stress> {
        let dofs = discretisation.dofs_per_point;
        // Only the displacement dofs enter the stress of solid cells.
        let component = |dof: usize| displacement[dof / dofs].get(dof % dofs).copied().unwrap_or(0.0);
        let u = Mat::from_fn(discretisation.n_dofs(), 1, |dof, _| component(dof));
        let values = self.stress(discretisation, u.as_ref());
        self.averages_at_nodes(discretisation.n_points(), values.col_as_slice(0).as_chunks().0)
    }

    /// Averages of stresses at the sites over all sites of each node, weighted by their cells; zero at nodes
    /// without cells. Only for sites that are all nodes of a mesh.
    ///
    /// * `n_nodes` — number of nodes of the mesh
    /// * `values` — stress at each site \[Pa\]
    ///
    /// # Panics
    ///
    /// If `values` is shorter than the list of sites.
    pub fn averages_at_nodes(&self, n_nodes: usize, values: &[Stress]) -> Vec<Stress> {
        let mut averages = vec![[0.0; 6]; n_nodes];
        let mut counts = vec![0; n_nodes];
        for (i, (site, &count)) in self.sites.iter().zip(&self.counts).enumerate() {
            let Some(node) = site.node else { continue };
            counts[node as usize] += count;
            for (average, value) in averages[node as usize].iter_mut().zip(&values[i]) {
                *average += f64::from(count) * value;
            }
        }
        for (average, &count) in averages.iter_mut().zip(&counts) {
            if count > 0 {
                *average = average.map(|s| s / f64::from(count));
            }
        }
        averages
    }
}
