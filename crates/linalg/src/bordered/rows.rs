//! A border in the order of the definite part, for groups of columns: coupled nodes lie close together, and
//! no column goes through the order of the mesh.

use faer::MatRef;

use super::Border;
use crate::lanes::{LANES, NOTHING, Row, Square, ZERO, add_product, gram};
use crate::solve::gather;

/// Rows and columns of a border.
#[derive(Debug)]
pub(super) struct BorderRows {
    /// Nodes in the order of the factor, those of the pins behind them; none where the definite part has no
    /// order.
    pub(super) order: Option<Vec<u32>>,
    /// Dof of each row.
    pub(super) dofs: Vec<u32>,
    /// Number of rows of the factor: those of the pins follow.
    n_definite: usize,
    /// Row of each dof of the pins.
    pins: Vec<usize>,
    /// [K_p, Wᵀ]: the rows of the definite part are B.
    coupling: Vec<Vec<Row>>,
    /// A⁻¹ B, zero in the rows of the pins.
    response: Vec<Vec<Row>>,
}

impl BorderRows {
    /// * `order` — nodes of the factor in its order
    /// * `coupling`, `response` — rows in the order of the mesh
    pub(super) fn new(
        border: &Border,
        order: Option<&[u32]>,
        coupling: MatRef<'_, f64>,
        response: MatRef<'_, f64>,
    ) -> Self {
        let order = order.map(|nodes| [nodes, &border.pin_nodes].concat());
        let dofs: Vec<u32> = match &order {
            Some(nodes) => nodes.iter().flat_map(|node| 3 * node..3 * node + 3).collect(),
            None => (0..coupling.nrows() as u32).collect(),
        };
        let n_definite = dofs.len() - if order.is_some() { 3 * border.pin_nodes.len() } else { 0 };
        let is_pin = |row: &usize| border.pins.contains(&(dofs[*row] as usize));
        let pins = match &order {
            // Both lists of pins have the order of their nodes.
            Some(_) => (n_definite..dofs.len()).filter(is_pin).collect(),
            None => border.pins.clone(),
        };
        let groups = |columns: MatRef<'_, f64>| -> Vec<Vec<Row>> {
            let first = (0..columns.ncols()).step_by(LANES);
            first.map(|k| gather(columns.subcols(k, LANES.min(columns.ncols() - k)), &dofs)).collect()
        };
        let (coupling, response) = (groups(coupling), groups(response));
        Self { order, n_definite, pins, coupling, response, dofs }
    }

    /// Takes the forces on the pins out of a group, pins × columns.
    pub(super) fn pins(&self, x: &mut [Row]) -> Vec<Row> {
        let of_pins = self.pins.iter().map(|&row| x[row]).collect();
        x[self.n_definite..].fill(ZERO);
        of_pins
    }

    /// The rows of a group that belong to the definite part.
    pub(super) fn definite<'a>(&self, x: &'a mut [Row]) -> &'a mut [Row] {
        &mut x[..self.n_definite]
    }

    /// [K_p, Wᵀ]ᵀ X.
    pub(super) fn along(&self, x: &[Row]) -> Vec<Square> {
        gram(&self.coupling, x)
    }

    /// X ← X − A⁻¹ B z, and u_p.
    ///
    /// * `z` — u_p and λ, columns of the group
    pub(super) fn subtract(&self, x: &mut [Row], z: MatRef<'_, f64>) {
        let row = |i: usize| -> Row {
            std::array::from_fn(|lane| if lane < z.ncols() { z[(i, lane)] } else { 0.0 })
        };
        let mut coefficients = vec![NOTHING; self.response.len()];
        for i in 0..z.nrows() {
            coefficients[i / LANES][i % LANES] = row(i);
        }
        add_product(x, -1.0, &self.response, &coefficients);
        for (i, &pin) in self.pins.iter().enumerate() {
            x[pin] = row(i);
        }
    }
}
