//! Operations and bytes of an explicit step, counted from the loops.

use carom_fem::{Body, Cells, Discretisation, Geometry};

/// Operations of the law of St. Venant and Kirchhoff at a point: strain, second and first stress, and det F.
const LAW: f64 = 48.0 + 18.0 + 54.0 + 17.0;

/// Bytes of a point of the body in a step, every array read or written once; a write reads the line first.
/// Forces of groups: u, the copy of the group, its force, numbers (24 + 48 + 72 + 24). Force, velocity and
/// position: f_int written, v, f_ext and inverse masses read, v written, u and v read, u written. Balance:
/// mass, both velocities, both forces, x and u.
const POINT: f64 = 168.0 + 48.0 + 96.0 + 24.0 + 48.0 + 72.0 + 152.0;

/// Operations of a point of the body: the velocity and the sums of the balance.
const POINT_OPERATIONS: f64 = 15.0 + 6.0 + 90.0;

/// Lower bounds of the operations and of the memory traffic of a step.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cost {
    pub(crate) n_cells: usize,
    pub(crate) n_dofs: usize,
    /// Operations and bytes of the body in a step.
    pub(crate) operations: f64,
    pub(crate) bytes: f64,
}

impl Cost {
    /// The cost of a body of one kind of cells.
    pub(crate) fn of(body: &Body, n_quadrature: usize) -> Self {
        let discretisation = Discretisation::new(body).expect("the body is sound");
        let n_cells = discretisation.n_cells();
        let n_cell_points = discretisation.blocks[0].n_cell_points();
        let (nodes, points) = (n_cell_points as f64, (n_quadrature / n_cells) as f64);
        let degree = match (&discretisation.blocks[0].cells, &body.geometry) {
            (Cells::Spline(cells), Geometry::Nurbs(_)) => Some(cells.degrees[0]),
            _ => None,
        };
        let [operations, bytes] = match degree {
            // Both directions of the sums: value and slope by x, three by y, four by z, of three components.
            Some(p) => {
                let m = (p + 1) as f64;
                [108.0 * m.powi(4) + (63.0 + 69.0 + LAW + 12.0) * points, 104.0 * points + 12.0 * nodes]
            }
            None => [(36.0 * nodes + 45.0 + 54.0 + LAW) * points, 80.0 * points + 4.0 * nodes],
        };
        let (n_cells_f, n_points) = (n_cells as f64, discretisation.n_points() as f64);
        Self {
            n_cells,
            n_dofs: discretisation.n_dofs(),
            operations: n_cells_f * operations + n_points * POINT_OPERATIONS,
            bytes: n_cells_f * bytes + n_points * POINT,
        }
    }
}
