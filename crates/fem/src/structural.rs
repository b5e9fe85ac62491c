//! Shells and beams in large displacement and rotation: internal forces and moments, lumped masses, bounds of
//! the frequencies.
//!
//! The points of these elements have a displacement u and a rotation R. [`StructuralForce`] maps both to
//! forces and moments; it is to shells and beams what [`InternalForce`](crate::internal_force::InternalForce)
//! is to solids, with the same laws and the same [`History`]. Forces of an element have neither a sum nor a
//! moment, in any configuration and for any law; those of elastic laws are derivatives of an energy
//! (docs/decisions/0046).
//!
//! Path to read: `shell` and `beam` are the elements; `plane_stress` is the state of a layer of a shell,
//! `directors` the normals at the nodes; [`carom_mesh::section`] has thickness and cross-sections; `mass`
//! and `frequencies` are for explicit schemes.
//!
//! ```
//! use carom_fem::constitutive::{ElasticLaw, ElasticModuli, SaintVenantKirchhoff, SolidLaw};
//! use carom_fem::structural::{ShellSection, StructuralBlock, StructuralCells, StructuralForce};
//! use carom_fem::Material;
//! use nalgebra::{Matrix3, Rotation3, Vector3};
//!
//! // A square of 1 m in the plane z = 0, 10 mm thick.
//! let points = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]];
//! let section = ShellSection::new(0.01, 2)?;
//! let material = Material::named("steel")?;
//! let law = ElasticLaw::SaintVenantKirchhoff(SaintVenantKirchhoff::new(ElasticModuli::of(&material)));
//! let cells = StructuralCells::Quadrilaterals { connectivity: vec![[0, 1, 2, 3]], section };
//! let blocks = [StructuralBlock { cells, material, law: SolidLaw::Elastic(law) }];
//! let mut shell = StructuralForce::new(&points, &blocks)?;
//! assert!((shell.masses().mass.iter().sum::<f64>() - 78.0).abs() < 1e-12);
//!
//! // A turn by a radian about x: no force.
//! let turn = Rotation3::new(Vector3::x()).into_inner();
//! let u: Vec<f64> =
//!     points.iter().flat_map(|x| <[f64; 3]>::from(turn * Vector3::from(*x) - Vector3::from(*x))).collect();
//! let (mut history, mut forces, mut moments) = (shell.history(), [0.0; 12], [0.0; 12]);
//! shell.force(&u, &[turn; 4], &mut history, &mut forces, &mut moments)?;
//! assert!(forces.iter().chain(&moments).all(|f| f.abs() < 1e-4), "of a modulus of 210e9");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod beam;
mod directors;
mod error;
mod frequencies;
mod mass;
mod parts;
mod plane_stress;
mod shell;
mod stress;

use nalgebra::{Matrix3, Vector3};
use rayon::prelude::*;

use crate::constitutive::{Law, SolidLaw};
use crate::internal_force::{History, SweepError};
use crate::{Block, Cells, Discretisation, Material};
use parts::{Configuration, Part, Sweep};

pub use carom_mesh::section::{BeamSection, Section, SectionError, ShellSection};
pub use error::StructuralError;
pub use mass::StructuralMass;
pub use stress::{ShellStress, WALL_PLACES, WallRecovery};

/// Points that one task sums.
const POINTS_PER_TASK: usize = 1024;

/// Cells of one kind with their section.
#[derive(Debug, Clone, PartialEq)]
pub enum StructuralCells {
    /// Shells of three nodes.
    Triangles {
        /// Nodes of each cell.
        connectivity: Vec<[u32; 3]>,
        /// Their wall.
        section: ShellSection,
    },
    /// Shells of four nodes.
    Quadrilaterals {
        /// Nodes of each cell.
        connectivity: Vec<[u32; 4]>,
        /// Their wall.
        section: ShellSection,
    },
    /// Beams of two nodes.
    Beams {
        /// Nodes of each cell.
        connectivity: Vec<[u32; 2]>,
        /// Their cross-section.
        section: BeamSection,
    },
}

/// Cells of one kind, section, material and law.
#[derive(Debug, Clone, PartialEq)]
pub struct StructuralBlock {
    /// The cells.
    pub cells: StructuralCells,
    /// Density and moduli; those of the law must be the same.
    pub material: Material,
    /// The law of the layers of a shell. Beams are elastic with the moduli of the material.
    pub law: SolidLaw,
}

/// The blocks of a body of shells and beams.
///
/// * `laws` — one for each block
///
/// # Errors
///
/// [`StructuralError::Solid`] if a block has no section.
pub fn structural_blocks(
    discretisation: &Discretisation,
    laws: &[SolidLaw],
) -> Result<Vec<StructuralBlock>, StructuralError> {
    let of_block = |(i_block, (block, law)): (usize, (&Block, &SolidLaw))| {
        let solid = StructuralError::Solid { block: i_block };
        let Cells::Lagrange { connectivity, .. } = &block.cells else { return Err(solid) };
        let n_nodes = block.n_cell_points();
        let cells = match block.section.ok_or(solid)? {
            Section::Shell(section) if n_nodes == 3 => {
                StructuralCells::Triangles { connectivity: connectivity.as_chunks().0.to_vec(), section }
            }
            Section::Shell(section) => {
                StructuralCells::Quadrilaterals { connectivity: connectivity.as_chunks().0.to_vec(), section }
            }
            Section::Beam(section) => {
                StructuralCells::Beams { connectivity: connectivity.as_chunks().0.to_vec(), section }
            }
        };
        let material = discretisation.materials[block.material].clone();
        Ok(StructuralBlock { cells, material, law: law.clone() })
    };
    discretisation.blocks.iter().zip(laws).enumerate().map(of_block).collect()
}

/// The shells and beams of a body, prepared for internal forces.
#[derive(Debug, Clone)]
pub struct StructuralForce {
    points: Vec<Vector3<f64>>,
    parts: Vec<Part>,
    masses: StructuralMass,
    /// For each point the forces on it: block, cell, node of the cell.
    starts: Vec<usize>,
    slots: Vec<[u32; 3]>,
}

impl StructuralForce {
    /// Prepares the cells.
    ///
    /// * `points` — X of all points \[m\]
    ///
    /// # Errors
    ///
    /// [`StructuralError`] names the block with the section, law or cell that is not possible.
    pub fn new(points: &[[f64; 3]], blocks: &[StructuralBlock]) -> Result<Self, StructuralError> {
        let points: Vec<Vector3<f64>> = points.iter().map(|x| Vector3::from(*x)).collect();
        let parts = parts::parts(&points, blocks)?;
        let masses = StructuralMass::new(points.len(), &parts);
        let mut starts = vec![0; points.len() + 1];
        let slots_of = |(block, part): (usize, &Part)| {
            let of_cell = move |(cell, nodes): (usize, Vec<u32>)| {
                let slot =
                    move |(local, node): (usize, u32)| (node, [block as u32, cell as u32, local as u32]);
                nodes.into_iter().enumerate().map(slot).collect::<Vec<_>>()
            };
            part.nodes().enumerate().flat_map(of_cell).collect::<Vec<_>>()
        };
        let mut slots: Vec<(u32, [u32; 3])> = parts.iter().enumerate().flat_map(slots_of).collect();
        slots.sort_by_key(|(node, _)| *node);
        slots.iter().for_each(|(node, _)| starts[*node as usize + 1] += 1);
        for k in 0..points.len() {
            starts[k + 1] += starts[k];
        }
        Ok(Self { points, parts, masses, starts, slots: slots.into_iter().map(|(_, slot)| slot).collect() })
    }

    /// Lumped masses and rotary inertias.
    pub fn masses(&self) -> &StructuralMass {
        &self.masses
    }

    /// X of all points \[m\].
    pub fn points(&self) -> &[Vector3<f64>] {
        &self.points
    }

    /// Number of points.
    pub fn n_points(&self) -> usize {
        self.points.len()
    }

    /// The history of the undeformed body: for each layer of each point the thickness stretch less 1 and the
    /// variables of the law.
    pub fn history(&self) -> History {
        History::of_groups(self.parts.iter().map(|part| match part {
            Part::Shells(part) => {
                let mut initial = vec![0.0; 1 + part.law.n_history()];
                part.law.initial_history(&mut initial[1..]);
                (part.layers.len() * part.cells.len(), initial)
            }
            Part::Beams(_) => (0, Vec::new()),
        }))
    }

    /// Internal forces \[N\] and moments \[N m\] on all points, about the points, in inertial axes.
    ///
    /// * `u` — displacements, three numbers a point \[m\]
    /// * `rotations` — R of each point
    /// * `history` — read as the last accepted state, written as the present one
    ///
    /// # Errors
    ///
    /// [`SweepError`] if a layer is inverted or a beam bent beyond its range.
    ///
    /// # Panics
    ///
    /// If an argument belongs to another body.
    pub fn force(
        &mut self,
        u: &[f64],
        rotations: &[Matrix3<f64>],
        history: &mut History,
        forces: &mut [f64],
        moments: &mut [f64],
    ) -> Result<(), SweepError> {
        self.check(u, rotations);
        assert_eq!([forces.len(), moments.len()], [u.len(); 2], "three numbers a point");
        let configuration = Configuration { points: &self.points, u: u.as_chunks().0, rotations };
        for (block, part) in self.parts.iter_mut().enumerate() {
            let (old, new) = history.group(block);
            part.sweep(&configuration, old, new, Sweep::Forces);
        }
        self.check_cells()?;
        let Self { parts, starts, slots, .. } = self;
        let fill = |first: usize, forces: &mut [[f64; 3]], moments: &mut [[f64; 3]]| {
            for (id, (force, moment)) in (first..).zip(forces.iter_mut().zip(moments)) {
                (*force, *moment) = ([0.0; 3], [0.0; 3]);
                for &[block, cell, local] in &slots[starts[id]..starts[id + 1]] {
                    let [f, m] = parts[block as usize].on_node(cell as usize, local as usize);
                    for d in 0..3 {
                        force[d] += f[d];
                        moment[d] += m[d];
                    }
                }
            }
        };
        let forces = forces.as_chunks_mut().0.par_chunks_mut(POINTS_PER_TASK);
        let moments = moments.as_chunks_mut().0.par_chunks_mut(POINTS_PER_TASK);
        forces.zip(moments).enumerate().for_each(|(i, (f, m))| fill(i * POINTS_PER_TASK, f, m));
        Ok(())
    }

    /// The stored energy \[J\] of a state that follows the accepted one.
    ///
    /// # Errors
    ///
    /// As [`StructuralForce::force`].
    pub fn stored_energy(
        &mut self,
        u: &[f64],
        rotations: &[Matrix3<f64>],
        history: &mut History,
    ) -> Result<f64, SweepError> {
        self.check(u, rotations);
        let configuration = Configuration { points: &self.points, u: u.as_chunks().0, rotations };
        for (block, part) in self.parts.iter_mut().enumerate() {
            let (old, new) = history.group(block);
            part.sweep(&configuration, old, new, Sweep::Energy);
        }
        self.check_cells()?;
        Ok(self.parts.iter().map(Part::energy).sum())
    }

    /// The dissipated energy up to the accepted state \[J\].
    pub fn dissipated_energy(&self, history: &mut History) -> f64 {
        let of_part = |(block, part): (usize, &Part)| {
            let (old, _) = history.group(block);
            part.dissipated(old)
        };
        self.parts.iter().enumerate().map(of_part).sum()
    }

    /// A step below which central differences of the linearised body are stable, 2/ω with the largest of the
    /// frequencies of the elements \[s\]. Infinite without cells.
    pub fn critical_step(&self, u: &[f64], rotations: &[Matrix3<f64>]) -> f64 {
        self.check(u, rotations);
        let configuration = Configuration { points: &self.points, u: u.as_chunks().0, rotations };
        2.0 / self.parts.iter().map(|part| part.largest_frequency(&configuration)).fold(0.0, f64::max)
    }

    fn check(&self, u: &[f64], rotations: &[Matrix3<f64>]) {
        assert_eq!(u.len(), 3 * self.points.len(), "three displacements a point");
        assert_eq!(rotations.len(), self.points.len(), "one rotation a point");
    }

    fn check_cells(&self) -> Result<(), SweepError> {
        self.parts.iter().enumerate().try_for_each(|(block, part)| part.check(block as u32))
    }
}
