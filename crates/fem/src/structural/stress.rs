//! Stress of shells for results.
//!
//! A wall has three places: the surface below its middle, the mean over its thickness, and the surface above.
//! The stress of the mean is N/h. A surface has the strain there and the history of the layer next to it: for
//! elastic laws its stress is exact, and that of a law that yields is on the yield surface. After unloading
//! its residual stress is an estimate, since no layer lies on the surface.

use std::collections::{BTreeMap, BTreeSet};

use carom_mesh::{CellRef, lagrange};
use nalgebra::{Matrix3, Vector3};
use rayon::prelude::*;

use super::StructuralForce;
use super::parts::{Configuration, Part, SHEAR_FACTOR, ShellPart};
use super::plane_stress::PlaneState;
use super::shell::{ShellCell, ShellState};
use crate::constitutive::{LANES, Lanes, Law, ZERO};
use crate::internal_force::History;
use crate::stress::Stress;
use crate::{Cells, Discretisation};

/// Places of a wall: the surface below, the mean, the surface above.
pub const WALL_PLACES: usize = 3;

/// Largest number of variables of a layer: its thickness and the history of its law.
const MOST_HISTORY: usize = 16;

/// The stress at one point of a shell, at one place of its wall: at the nodes of the shell the mean over all
/// shells there, between them by its shape functions. At a fold it mixes the stresses of both sides.
#[derive(Debug, Clone, PartialEq)]
pub struct WallRecovery {
    /// Shells with the weights of their means.
    shells: Vec<(CellRef, f64)>,
    /// One of [`WALL_PLACES`].
    place: usize,
}

impl WallRecovery {
    /// The stress at a point.
    ///
    /// * `cell`, `xi` — the shell that contains the point, and its parameters there
    /// * `place` — one of [`WALL_PLACES`]
    ///
    /// # Panics
    ///
    /// If the body has no such cell.
    pub fn at(discretisation: &Discretisation, (cell, xi): (CellRef, [f64; 3]), place: usize) -> Self {
        let Cells::Lagrange { shape, connectivity } = &discretisation.blocks[cell.block as usize].cells
        else {
            panic!("shells are cells of a mesh")
        };
        let n = shape.n_nodes();
        let mut values = vec![0.0; n];
        lagrange::values_into(*shape, xi, &mut values);
        let nodes = &connectivity[n * cell.cell as usize..][..n];
        Self::of_nodes(discretisation, &nodes.iter().copied().zip(values).collect(), place)
    }

    /// The mean of the stress over nodes. None if no shell has one of them.
    pub fn of_set(discretisation: &Discretisation, nodes: &[u32], place: usize) -> Option<Self> {
        let has_shell = shells(discretisation).flat_map(|(_, nodes)| nodes).copied().collect::<BTreeSet<_>>();
        let own: Vec<u32> = nodes.iter().copied().filter(|node| has_shell.contains(node)).collect();
        let weight = 1.0 / own.len() as f64;
        let weights = own.iter().map(|&node| (node, weight)).collect();
        (!own.is_empty()).then(|| Self::of_nodes(discretisation, &weights, place))
    }

    fn of_nodes(discretisation: &Discretisation, weights: &BTreeMap<u32, f64>, place: usize) -> Self {
        let mut counts: BTreeMap<u32, f64> = BTreeMap::new();
        for node in shells(discretisation).flat_map(|(_, nodes)| nodes) {
            *counts.entry(*node).or_default() += 1.0;
        }
        let weight = |node: &u32| weights.get(node).map_or(0.0, |weight| weight / counts[node]);
        let of_cell = |(cell, nodes): (CellRef, &[u32])| (cell, nodes.iter().map(weight).sum::<f64>());
        let shells = shells(discretisation).map(of_cell).filter(|(_, weight)| *weight != 0.0).collect();
        Self { shells, place }
    }
}

/// The shells of a body with their nodes.
fn shells(discretisation: &Discretisation) -> impl Iterator<Item = (CellRef, &[u32])> {
    discretisation.blocks.iter().enumerate().flat_map(|(block, own)| {
        let cells = match &own.cells {
            Cells::Lagrange { shape, connectivity } if shape.table().dimension == 2 => {
                connectivity.chunks_exact(shape.n_nodes())
            }
            _ => [].chunks_exact(1),
        };
        cells
            .enumerate()
            .map(move |(cell, nodes)| (CellRef { block: block as u32, cell: cell as u32 }, nodes))
    })
}

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

impl StructuralForce {
    /// Cauchy's stress at a place of a wall, in the axes of the displacement \[Pa\]. Allocates nothing.
    ///
    /// * `history` — its accepted state is read
    ///
    /// # Panics
    ///
    /// If an argument belongs to another body.
    pub fn wall_stress(
        &self,
        place: &WallRecovery,
        (u, rotations): (&[f64], &[Matrix3<f64>]),
        history: &History,
    ) -> Stress {
        let configuration = Configuration { points: &self.points, u: u.as_chunks().0, rotations };
        let mut sum = [0.0; 6];
        for &(CellRef { block, cell }, weight) in &place.shells {
            let Part::Shells(part) = &self.parts[block as usize] else { continue };
            let n = part.layers.len() * (1 + part.law.n_history());
            let own = &history.accepted_group(block as usize)[n * cell as usize..][..n];
            let cell = &part.cells[cell as usize];
            let (stress, _) = part.stress_in(cell, &configuration.of_shell(cell), own, place.place);
            (0..6).for_each(|k| sum[k] += weight * stress[k]);
        }
        sum
    }

    /// Force and moment in a section of a beam, on the side of its second end, in the axes of the section:
    /// normal force and shear forces along e₂ and e₃ \[N\]; torque and bending moments about e₂ and e₃
    /// \[N m\]. None for other cells.
    ///
    /// ```text
    /// M(s) = M(L/2) − (s − L/2) e₁ × N
    /// ```
    ///
    /// * `s` — place along the beam over its length, from 0 to 1
    ///
    /// # Panics
    ///
    /// If an argument belongs to another body.
    pub fn section_forces(
        &self,
        (cell, s): (CellRef, f64),
        (u, rotations): (&[f64], &[Matrix3<f64>]),
    ) -> Option<[Vector3<f64>; 2]> {
        let configuration = Configuration { points: &self.points, u: u.as_chunks().0, rotations };
        let Part::Beams(part) = &self.parts[cell.block as usize] else { return None };
        let (beam, [force, middle]) = part.resultants(cell.cell as usize, &configuration);
        let arm = (s - 0.5) * beam.length;
        Some([force, middle - arm * Vector3::x().cross(&force)])
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
        std::array::from_fn(|place| self.stress_in(cell, state, history, place))
    }

    /// Stress and plastic strain at one of the places of a wall. Allocates nothing.
    fn stress_in(
        &self,
        cell: &ShellCell,
        state: &ShellState,
        history: &[Lanes],
        place: usize,
    ) -> (Stress, f64) {
        let (h, n) = (self.section.thickness, 1 + self.law.n_history());
        let mut old = history.chunks_exact(n);
        let mut new = [ZERO; MOST_HISTORY];
        assert!(n <= MOST_HISTORY, "no law has more variables");
        let mut at = |z: f64, old: &[Lanes]| self.at(cell, state, z, old, &mut new[..n]);
        match place {
            0 => old.next().map(|old| at(-0.5 * h, old)).unwrap_or_default(),
            1 => {
                let mut mean = ([0.0; 6], 0.0);
                for (&[z, thickness], old) in self.layers.iter().zip(old) {
                    let (stress, strain) = at(z, old);
                    (0..6).for_each(|k| mean.0[k] += thickness / h * stress[k]);
                    mean.1 += thickness / h * strain;
                }
                mean
            }
            _ => old.next_back().map(|old| at(0.5 * h, old)).unwrap_or_default(),
        }
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
    use nalgebra::Rotation3;

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
