//! The loaded patch of a pair, and the size of the faces on either side of it: how well meshes resolve a
//! contact.

use super::pair::PairModel;
use crate::geometry::Start;

/// The loaded patch of a pair at the last solve.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Patch {
    /// Sum of the pressures \[N\].
    pub force: f64,
    /// Contact radius a \[m\]: that of Hertz' pressure with the same force and the same ∫ p² dA.
    pub radius: f64,
    /// √A of the cells that carry the pressure, mean by force \[m\].
    pub first_size: f64,
    /// √A of the faces that they meet, mean by force \[m\]; none where the second surface has no faces.
    pub second_size: Option<f64>,
    /// True if every cell of the surface carries pressure: two surfaces that fit each other, whose patch is
    /// given by their outline.
    pub is_full: bool,
}

/// See [`super::QuasistaticContact::patch`].
///
/// * `lambda` — normal forces of the cells of all pairs \[N\]
/// * `feet` — foot points of all pairs
pub(super) fn patch(model: &PairModel, lambda: &[f64], feet: &[Start]) -> Option<Patch> {
    let (mut force, mut square, mut size, mut second_size) = (0.0, 0.0, 0.0, 0.0);
    let (mut n_loaded, mut n_cells) = (0, 0);
    for (cell, &area) in model.cells.area.iter().enumerate().filter(|(_, area)| **area > 0.0) {
        n_cells += 1;
        let lambda = lambda[model.cell_offset + cell];
        if lambda > 0.0 {
            n_loaded += 1;
            force += lambda;
            square += lambda * lambda / area;
            size += lambda * area.sqrt();
            // Any integration point serves: its face is the one that the cell meets, or a neighbour.
            let foot = feet[model.feet(cell).start];
            second_size += lambda * model.second_sizes.get(foot.face as usize).copied().unwrap_or(0.0);
        }
    }
    (force > 0.0).then(|| Patch {
        force,
        radius: (9.0 / (8.0 * std::f64::consts::PI) * force * force / square).sqrt(),
        first_size: size / force,
        second_size: (!model.second_sizes.is_empty()).then_some(second_size / force),
        is_full: n_loaded == n_cells,
    })
}
