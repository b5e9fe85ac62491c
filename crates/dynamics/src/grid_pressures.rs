//! Pressures of a contact on a half-space grid, as a result keeps them.

/// Pressures on equal cells in the plane of a contact, squares but for slender contacts. The plane is fixed
/// to one of the two bodies.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct GridPressures {
    /// Number of the body to which the plane is fixed.
    pub body: usize,
    /// Middle of cell (0, 0) in body axes, moved with the deformation of the body at the contact \[m\].
    pub center: [f64; 3],
    /// Two tangents of the plane and its normal out of the body, in body axes.
    pub axes: [[f64; 3]; 3],
    /// Sides of a cell along both tangents \[m\].
    pub sides: [f64; 2],
    /// Second derivatives xx, xy, yy of the gap between the undeformed surfaces over the plane \[1/m\].
    pub curvature: [f64; 3],
    /// Contact modulus E* of both materials \[Pa\].
    pub modulus: f64,
    /// Poisson's ratios of the body to which the plane is fixed and of the other; none of a rigid body
    /// without a material.
    pub poisson: [Option<f64>; 2],
    /// Cells with pressure. The list is empty while there is no force, and for a contact without a grid.
    pub cells: Vec<GridCell>,
}

/// A cell of a contact with its pressure.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct GridCell {
    /// Column and row, along both tangents.
    pub index: [i32; 2],
    /// Height of the undeformed surface over the plane at the middle of the cell \[m\].
    pub height: f64,
    /// Mean pressure, positive in compression \[Pa\].
    pub pressure: f64,
    /// Friction on the body of the plane along both tangents, per area \[Pa\].
    pub traction: [f64; 2],
}

impl GridPressures {
    /// Area of a cell \[m²\].
    pub fn area(&self) -> f64 {
        self.sides[0] * self.sides[1]
    }

    /// Largest pressure of a cell \[Pa\]; 0 without cells.
    pub fn peak(&self) -> f64 {
        self.cells.iter().fold(0.0, |most: f64, cell| most.max(cell.pressure))
    }

    /// Contact radius \[m\]; 0 without cells. An ellipse has √(a b).
    ///
    /// ```text
    /// ∫ p dA = ⅔ π a² p₀ ,   ∫ p² dA = ½ π a² p₀²   →   a² = 9/(8π) (∫ p dA)²/∫ p² dA
    /// ```
    pub fn contact_radius(&self) -> f64 {
        let (sum, squares) = self.cells.iter().fold((0.0, 0.0), |(sum, squares), cell| {
            (sum + cell.pressure, squares + cell.pressure * cell.pressure)
        });
        if squares == 0.0 {
            return 0.0;
        }
        (9.0 / (8.0 * std::f64::consts::PI) * sum * sum * self.area() / squares).sqrt()
    }

    /// Mean place of the normal forces in coordinates along both tangents \[m\]; not a number without cells.
    pub fn middle(&self) -> [f64; 2] {
        let total: f64 = self.cells.iter().map(|cell| cell.pressure).sum();
        [0, 1].map(|d| {
            let moment = self.cells.iter().map(|cell| cell.pressure * f64::from(cell.index[d]));
            self.sides[d] * moment.sum::<f64>() / total
        })
    }

    /// A point in body axes from its coordinates along both tangents and the normal \[m\].
    pub fn point_b(&self, [x, y, z]: [f64; 3]) -> [f64; 3] {
        let [t, s, n] = self.axes;
        std::array::from_fn(|a| self.center[a] + x * t[a] + y * s[a] + z * n[a])
    }

    /// Centre of the normal force in body axes \[m\]; not a number without cells.
    pub fn force_center_b(&self) -> [f64; 3] {
        let [x, y] = self.middle();
        self.point_b([x, y, 0.0])
    }

    /// True if friction acts on some cell.
    pub fn has_friction(&self) -> bool {
        self.cells.iter().any(|cell| cell.traction != [0.0; 2])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Hertz' pressure on fine cells has its radius and its peak.
    #[test]
    fn the_radius_of_hertz_pressure_is_found() {
        // Cells of an ellipse, twice as long along the second tangent.
        let (side, radius) = (0.02, 0.7);
        let mut grid = GridPressures { sides: [side, 2.0 * side], ..GridPressures::default() };
        for (i, j) in (-40..=40).flat_map(|i| (-40..=40).map(move |j| (i, j))) {
            let r = side * f64::from(i).hypot(f64::from(j));
            if r < radius {
                let pressure = 3.0 * (1.0 - (r / radius).powi(2)).sqrt();
                grid.cells.push(GridCell { index: [i, j], pressure, ..GridCell::default() });
            }
        }
        let mean = radius * 2f64.sqrt();
        assert!((grid.contact_radius() / mean - 1.0).abs() < 2e-3, "{}", grid.contact_radius());
        assert_eq!(grid.peak(), 3.0);
        assert_eq!(GridPressures::default().contact_radius(), 0.0);
    }
}
