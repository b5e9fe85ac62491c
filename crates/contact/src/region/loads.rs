//! Test loads on a region, and the compliance of a model under them.

use super::{ModalCompliance, Region};

/// A load on a region with the compliance of a model under it.
#[derive(Debug, Clone, PartialEq)]
pub struct TestLoad {
    /// Radius of Hertz' pressure; 0 for a unit force on one pressure cell \[m\].
    pub radius: f64,
    /// Force on each pressure cell, with the sum 1.
    pub forces: Vec<f64>,
    /// Compliance of each mode \[m/N\].
    pub parts: Vec<f64>,
    /// Compliance of the dynamic modes \[m/N\].
    pub low: f64,
    /// Compliance of the quasistatic modes \[m/N\].
    pub high: f64,
}

impl TestLoad {
    fn new(radius: f64, forces: Vec<f64>, modal: &ModalCompliance, n_low: usize) -> Self {
        let parts = modal.parts(&forces);
        let (low, high) = (parts[..n_low].iter().sum(), parts[n_low..].iter().sum::<f64>());
        Self { radius, forces, parts, low, high }
    }

    /// Compliance of all modes \[m/N\].
    pub fn compliance(&self) -> f64 {
        self.low + self.high
    }
}

impl Region {
    /// Radii of the pressures that a compliance is tabled for: multiples of the cell size up to the reach of
    /// the region, the reach itself, and the contact radius of an impact, ascending \[m\].
    pub fn test_radii(&self, cell: usize, contact_radius: Option<f64>) -> Vec<f64> {
        let (size, reach) = (self.cell_size(cell), self.reach(cell));
        let mut radii: Vec<f64> =
            (0..6).map(|k| size * f64::from(1 << k)).take_while(|&radius| radius < 0.99 * reach).collect();
        radii.push(reach.max(size));
        radii.extend(contact_radius);
        radii.sort_by(f64::total_cmp);
        radii
    }

    /// A unit force on a pressure cell, then Hertz' pressures of the given radii about it; radii without an
    /// integration point are left out.
    ///
    /// * `n_low` — number of dynamic modes
    pub fn test_loads(
        &self,
        modal: &ModalCompliance,
        n_low: usize,
        cell: usize,
        radii: &[f64],
    ) -> Vec<TestLoad> {
        let point = (0.0, self.point_load(cell));
        let patches = radii.iter().filter_map(|&radius| Some((radius, self.hertz_load(cell, radius)?)));
        std::iter::once(point)
            .chain(patches)
            .map(|(radius, forces)| TestLoad::new(radius, forces, modal, n_low))
            .collect()
    }

    /// Compliance of a body that answers forces with the sum 1 by a displacement of the points of the surface
    /// \[m/N\]: the mean indentation, weighted by the forces.
    pub fn compliance(&self, forces: &[f64], displacement: &[[f64; 3]]) -> f64 {
        forces.iter().zip(self.indentation(displacement)).map(|(l, w)| l * w).sum()
    }

    /// At most `n_places` pressure cells with an area, evenly spread over the list of cells.
    pub fn sample_cells(&self, n_places: usize) -> Vec<usize> {
        let loaded: Vec<usize> = (0..self.n_cells()).filter(|&s| self.cells.area[s] > 0.0).collect();
        let step = loaded.len().div_ceil(n_places).max(1);
        loaded.into_iter().step_by(step).collect()
    }
}

/// The index of the load that represents an impact: the largest pressure within the contact radius, otherwise
/// one of medium radius, otherwise the unit force.
pub fn typical_load(loads: &[TestLoad], contact_radius: Option<f64>) -> usize {
    contact_radius
        .and_then(|a| loads.iter().rposition(|l| l.radius > 0.0 && l.radius <= a * (1.0 + 1e-9)))
        .unwrap_or_else(|| usize::from(loads.len() > 1) * (1 + loads.len()) / 2)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_surfaces::plate;
    use carom_mesh::FaceShape;
    use faer::Mat;

    fn region() -> Region {
        let (surface, positions) = plate(FaceShape::Quad9, 5, 5, |x, y| [x, y, 0.0]);
        let positions: Vec<[f64; 3]> = positions.iter().map(|&x| x.into()).collect();
        Region::new(surface, &positions).unwrap()
    }

    /// Two modes that move the whole plate by −b z: each contributes b²/ω² to the compliance under a load of
    /// sum 1.
    fn uniform(region: &Region) -> ModalCompliance {
        let b = [3.0, 1.0];
        let modal = Mat::from_fn(region.n_cells(), 2, |_, k| b[k]);
        ModalCompliance { modal, omega: vec![2.0, 4.0] }
    }

    #[test]
    fn the_compliance_of_a_rigid_translation_is_the_same_under_every_load() {
        let region = region();
        let middle = region.middle().unwrap();
        let radii = region.test_radii(middle, Some(0.3));
        assert!(radii.is_sorted() && radii.contains(&0.3));
        let loads = region.test_loads(&uniform(&region), 1, middle, &radii);
        assert_eq!(loads.len(), radii.len() + 1);
        for load in &loads {
            assert!((load.low - 2.25).abs() < 1e-12 && (load.high - 0.0625).abs() < 1e-12);
        }
        assert_eq!(loads[typical_load(&loads, Some(0.3))].radius, 0.3);
    }

    #[test]
    fn the_compliance_of_a_displacement_is_its_weighted_indentation() {
        let region = region();
        let n_points = region.point_forces(&region.point_load(0)).len();
        let displacement = vec![[0.7, 0.0, -0.25]; n_points];
        let load = region.hertz_load(region.middle().unwrap(), 0.4).unwrap();
        assert!((region.compliance(&load, &displacement) - 0.25).abs() < 1e-14);
    }

    #[test]
    fn load_places_are_few_and_spread_over_the_zone() {
        assert_eq!(region().sample_cells(6), [0, 5, 10, 15, 20]);
        assert_eq!(region().sample_cells(100).len(), 25);
    }
}
