//! Stress of shells for results.
//!
//! A wall has three places: the surface below its middle, the mean over its thickness, and the surface above.
//! The stress of the mean is N/h. A surface has the strain there and the history of the layer next to it: for
//! elastic laws its stress is exact, and that of a law that yields is on the yield surface. After unloading
//! its residual stress is an estimate, since no layer lies on the surface.

use nalgebra::Matrix3;
use rayon::prelude::*;

use super::StructuralForce;
use super::parts::{Configuration, Part, SHEAR_FACTOR, ShellPart};
use super::plane_stress::PlaneState;
use super::shell::{ShellCell, ShellState};
use crate::constitutive::{LANES, Lanes, Law, ZERO};
use crate::internal_force::History;
use crate::stress::Stress;

/// Places of a wall: the surface below, the mean, the surface above.
pub const WALL_PLACES: usize = 3;

/// Stress and plastic strain of the shells of a body, [`WALL_PLACES`] for each, block after block, cell after
/// cell. Beams have none.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ShellStress {
    /// Cauchy stress xx, yy, zz, xy, yz, xz, the mean over the cell \[Pa\].
    pub values: Vec<Stress>,
    /// Equivalent plastic strain, the mean over the cell.
    pub plastic_strain: Vec<f64>,
}

impl StructuralForce {
    /// Cauchy stress and plastic strain of the shells, in the axes of the displacement.
    ///
    /// For output: memory for the result is allocated.
    ///
    /// * `history` — its accepted state is read; the stress is that at `u` reached from there
    ///
    /// # Panics
    ///
    /// If an argument belongs to another body.
    pub fn cauchy_stress(&self, u: &[f64], rotations: &[Matrix3<f64>], history: &History) -> ShellStress {
        self.check(u, rotations);
        let configuration = Configuration { points: &self.points, u: u.as_chunks().0, rotations };
        let mut found = ShellStress::default();
        for (block, part) in self.parts.iter().enumerate() {
            let Part::Shells(part) = part else { continue };
            let n = part.layers.len() * (1 + part.law.n_history());
            let cells = part.cells.par_iter().zip(history.accepted_group(block).par_chunks_exact(n));
            let of_cell = |(cell, history): (&ShellCell, &[Lanes])| {
                part.stress(cell, &configuration.of_shell(cell), history)
            };
            let walls: Vec<[(Stress, f64); WALL_PLACES]> = cells.map(of_cell).collect();
            for (stress, strain) in walls.into_iter().flatten() {
                found.values.push(stress);
                found.plastic_strain.push(strain);
            }
        }
        found
    }
}

impl ShellPart {
    /// Stress and plastic strain at the places of a wall.
    fn stress(
        &self,
        cell: &ShellCell,
        state: &ShellState,
        history: &[Lanes],
    ) -> [(Stress, f64); WALL_PLACES] {
        let h = self.section.thickness;
        let mut old = history.chunks_exact(1 + self.law.n_history());
        let mut new = vec![ZERO; 1 + self.law.n_history()];
        let mut at = |z: f64, old: &[Lanes]| self.at(cell, state, z, old, &mut new);
        let mut mean = ([0.0; 6], 0.0);
        for (&[z, thickness], old) in self.layers.iter().zip(old.clone()) {
            let (stress, strain) = at(z, old);
            (0..6).for_each(|k| mean.0[k] += thickness / h * stress[k]);
            mean.1 += thickness / h * strain;
        }
        let below = old.next().map(|old| at(-0.5 * h, old)).unwrap_or_default();
        let above = old.next_back().map(|old| at(0.5 * h, old)).unwrap_or_default();
        [below, mean, above]
    }

    /// The means over a cell of stress and plastic strain at a distance from the middle.
    fn at(
        &self,
        cell: &ShellCell,
        state: &ShellState,
        z: f64,
        old: &[Lanes],
        new: &mut [Lanes],
    ) -> (Stress, f64) {
        let plane = PlaneState::solve(&self.law, &state.layer(z), old, new);
        let (stress, strain) = (plane.cauchy(), self.law.plastic_strain(&new[1..]));
        let root = SHEAR_FACTOR.sqrt();
        let mut mean = (Matrix3::zeros(), 0.0);
        for l in (0..LANES).filter(|&l| cell.weights[l] > 0.0) {
            let [xx, yy, zz, xy, yz, xz] = stress.map(|s| s[l]);
            let (yz, xz) = (root * yz, root * xz);
            let own = Matrix3::new(xx, xy, xz, xy, yy, yz, xz, yz, zz);
            let axes = state.axes(l);
            let share = cell.weights[l] / cell.area();
            mean.0 += share * axes * own * axes.transpose();
            mean.1 += share * strain[l];
        }
        let entry = |a: usize, b: usize| mean.0[(a, b)];
        ([entry(0, 0), entry(1, 1), entry(2, 2), entry(0, 1), entry(1, 2), entry(0, 2)], mean.1)
    }
}

#[cfg(test)]
mod tests {
    use nalgebra::{Rotation3, Vector3};

    use super::*;
    use crate::Material;
    use crate::constitutive::{
        ElasticLaw, ElasticModuli, Hardening, Plastic, SaintVenantKirchhoff, SolidLaw,
    };
    use crate::structural::{ShellSection, StructuralBlock, StructuralCells};

    const H: f64 = 0.01;

    /// A square shell of 0.1 m, bent about y to a curvature and turned, with its rotations.
    fn bent(law: SolidLaw, curvature: f64, turn: &Matrix3<f64>) -> ShellStress {
        let points = [[-0.05, -0.05, 0.0], [0.05, -0.05, 0.0], [0.05, 0.05, 0.0], [-0.05, 0.05, 0.0]];
        let section = ShellSection::new(H, 4).unwrap();
        let cells = StructuralCells::Quadrilaterals { connectivity: vec![[0, 1, 2, 3]], section };
        let blocks = [StructuralBlock { cells, material: Material::named("steel").unwrap(), law }];
        let mut shell = StructuralForce::new(&points, &blocks).unwrap();
        let mut history = shell.history();
        let steps = 20;
        let mut found = ShellStress::default();
        for k in 1..=steps {
            let kappa = curvature * f64::from(k) / f64::from(steps);
            // Directors turn by κ x about y: the strain at z is κ z along x.
            let rotations = points.map(|x| turn * Rotation3::new(kappa * x[0] * Vector3::y()).into_inner());
            let u: Vec<f64> = points
                .iter()
                .flat_map(|x| <[f64; 3]>::from(turn * Vector3::from(*x) - Vector3::from(*x)))
                .collect();
            let (mut forces, mut moments) = ([0.0; 12], [0.0; 12]);
            shell.force(&u, &rotations, &mut history, &mut forces, &mut moments).unwrap();
            history.commit();
            found = shell.cauchy_stress(&u, &rotations, &history);
        }
        found
    }

    fn steel() -> ElasticModuli {
        ElasticModuli::of(&Material::named("steel").unwrap())
    }

    /// Bending without strain along y: σ_xx = E κ z/(1 − ν²), σ_yy = ν σ_xx, at the surfaces z = ∓h/2; the
    /// mean vanishes. The stress turns with the shell.
    #[test]
    fn a_bent_shell_has_the_stress_of_its_surfaces_in_the_axes_of_space() {
        let law = SolidLaw::Elastic(ElasticLaw::SaintVenantKirchhoff(SaintVenantKirchhoff::new(steel())));
        let turn = Rotation3::new(Vector3::new(0.3, -0.8, 1.1)).into_inner();
        let kappa = 1e-4;
        let found = bent(law, kappa, &turn);
        let (young, nu) = (steel().young(), 0.5 * steel().lambda / (steel().lambda + steel().mu));
        let size = young * kappa * 0.5 * H / (1.0 - nu * nu);
        for (place, sign) in [(0, -1.0), (1, 0.0), (2, 1.0)] {
            let own = Matrix3::from_diagonal(&Vector3::new(sign * size, sign * nu * size, 0.0));
            let expected = turn * own * turn.transpose();
            let s = found.values[place];
            let full = Matrix3::new(s[0], s[3], s[5], s[3], s[1], s[4], s[5], s[4], s[2]);
            // Strains of second order: κ h.
            assert!((full - expected).norm() < 1e-4 * size, "{place}: {full} {expected}");
            assert_eq!(found.plastic_strain[place], 0.0);
        }
    }

    /// Far beyond the yield strain both surfaces are at the yield stress 2/√3 σ_y of plane strain, and their
    /// plastic strain is 2/√3 of the logarithmic strain, ½ ln(1 ± κ h), less the elastic one.
    #[test]
    fn a_yielded_shell_has_its_surfaces_at_the_yield_stress() {
        let yield_stress = 200e6;
        let law = Plastic::new(steel(), Hardening::linear(yield_stress, 0.0).unwrap()).unwrap();
        let kappa = 4.0;
        let found = bent(SolidLaw::Plastic(law), kappa, &Matrix3::identity());
        let bound = 2.0 / 3.0_f64.sqrt();
        for (place, sign) in [(0, -1.0), (2, 1.0)] {
            let [xx, yy, zz, ..] = found.values[place];
            assert!((sign * xx / (bound * yield_stress) - 1.0).abs() < 0.01, "{place}: {xx}");
            let mises = (xx * xx - xx * yy + yy * yy).sqrt();
            // Cauchy's stress differs from Kirchhoff's by the change of volume.
            assert!((mises / yield_stress - 1.0).abs() < 1e-3 && zz.abs() < 1e-6 * yield_stress, "{mises}");
            let logarithmic = 0.5 * (1.0 + sign * kappa * H).ln().abs();
            let expected = bound * (logarithmic - yield_stress / steel().young());
            let strain = found.plastic_strain[place];
            assert!((strain / expected - 1.0).abs() < 0.03, "{place}: {strain} {expected}");
        }
        assert!(found.values[1][0].abs() < 0.03 * yield_stress, "{:?}", found.values[1]);
    }
}
