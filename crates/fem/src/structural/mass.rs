//! Lumped masses and rotary inertias.
//!
//! ```text
//! shell:  m_a = ρ h ∫ N_a dA,   J_a = m_a max(h²/12, A/8)
//! beam:   m_a = ½ ρ A L,   J_a = ½ ρ (I₂ + I₃) L
//! ```
//!
//! J_a is the same about all axes, so that the angular momentum is J ω in every orientation. With h²/12 the
//! turn of thin shells against shear would limit the step by their thickness; with A/8, A the area of the
//! cell, it does not. That adds rotary inertia of the order of the square of the mesh size, and no mass. The
//! polar inertia of beams is exact for torsion; their rotary inertia in bending is up to twice the true one.
//!
//! # Source
//!
//! Hughes, Cohen & Haroun (1978), Nuclear Engineering and Design 46, 203–222 (the factor A/8).

use super::parts::Part;

/// Lumped mass of all points.
#[derive(Debug, Clone, PartialEq)]
pub struct StructuralMass {
    /// Mass of each point \[kg\]; zero for points without cells.
    pub mass: Vec<f64>,
    /// Rotary inertia of each point about any axis \[kg m²\].
    pub inertia: Vec<f64>,
    /// Shells whose rotary inertia is above ρ h³/12 for the sake of the step, and all shells.
    pub enlarged: [usize; 2],
    /// The largest ratio of both, 1 if there is none.
    pub largest_ratio: f64,
}

impl StructuralMass {
    pub(super) fn new(n_points: usize, parts: &[Part]) -> Self {
        let mut made = Self {
            mass: vec![0.0; n_points],
            inertia: vec![0.0; n_points],
            enlarged: [0; 2],
            largest_ratio: 1.0,
        };
        for part in parts {
            if let Part::Shells(shells) = part {
                let ratios = (0..shells.cells.len()).map(|cell| shells.inertia_ratio(cell));
                made.enlarged[0] += ratios.clone().filter(|&ratio| ratio > 1.0).count();
                made.enlarged[1] += shells.cells.len();
                made.largest_ratio = ratios.fold(made.largest_ratio, f64::max);
            }
            for (cell, nodes) in part.nodes().enumerate() {
                for (node, [mass, inertia]) in nodes.into_iter().zip(part.masses(cell)) {
                    made.mass[node as usize] += mass;
                    made.inertia[node as usize] += inertia;
                }
            }
        }
        made
    }
}
