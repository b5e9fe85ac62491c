//! The cells of a block with their forces.

use carom_mesh::CellRef;
use carom_mesh::quadrature::gauss_legendre;
use nalgebra::{Matrix3, Vector3};
use rayon::prelude::*;

use super::beam::{BeamCell, BeamState, MOST_BENT};
use super::directors::{Corners, directors};
use super::frequencies::{Room, of_beam, of_shell};
use super::plane_stress::{LayerStrain, PlaneState};
use super::shell::{ShellCell, ShellState};
use super::{StructuralBlock, StructuralCells, StructuralError};
use crate::Material;
use crate::constitutive::{LANES, Lanes, Law, SolidLaw, lanes};
use crate::internal_force::SweepError;
use carom_mesh::section::{BeamSection, ShellSection};

/// Factor of the transverse shear stiffness of a homogeneous wall.
pub(super) const SHEAR_FACTOR: f64 = 5.0 / 6.0;

/// Cells that one task computes.
const CELLS_PER_TASK: usize = 64;

/// Force and moment on a node.
pub(super) type NodeForces = [Vector3<f64>; 2];

/// Places and rotations of all points.
#[derive(Clone, Copy)]
pub(super) struct Configuration<'a> {
    pub(super) points: &'a [Vector3<f64>],
    pub(super) u: &'a [[f64; 3]],
    pub(super) rotations: &'a [Matrix3<f64>],
}

/// The result of a sweep.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sweep {
    Forces,
    Energy,
}

/// A block.
#[derive(Debug, Clone)]
pub(super) enum Part {
    Shells(ShellPart),
    Beams(BeamPart),
}

/// Shells of one wall and law.
#[derive(Debug, Clone)]
pub(super) struct ShellPart {
    pub(super) cells: Vec<ShellCell>,
    pub(super) law: SolidLaw,
    material: Material,
    pub(super) section: ShellSection,
    /// Distance from the middle and thickness of each layer \[m\].
    pub(super) layers: Vec<[f64; 2]>,
    results: Vec<Outcome<4>>,
}

/// Beams of one section.
#[derive(Debug, Clone)]
pub(super) struct BeamPart {
    cells: Vec<(BeamCell, [u32; 2])>,
    material: Material,
    section: BeamSection,
    results: Vec<Outcome<2>>,
}

/// The sweep over one cell.
#[derive(Debug, Clone, Copy)]
struct Outcome<const N: usize> {
    forces: [NodeForces; N],
    energy: f64,
    /// The smallest det F of a shell; the relative rotation of the ends of a beam.
    measure: f64,
}

impl<const N: usize> Outcome<N> {
    const NONE: Self = Self { forces: [[Vector3::new(0.0, 0.0, 0.0); 2]; N], energy: 0.0, measure: 1.0 };
}

/// Checks and prepares all blocks. Directors are means over all shells of the body.
pub(super) fn parts(
    points: &[Vector3<f64>],
    blocks: &[StructuralBlock],
) -> Result<Vec<Part>, StructuralError> {
    let corners_of = |block: &StructuralBlock| -> Vec<Corners> {
        match &block.cells {
            StructuralCells::Triangles { connectivity, .. } => {
                connectivity.iter().map(|&[a, b, c]| Corners { nodes: [a, b, c, c], n: 3 }).collect()
            }
            StructuralCells::Quadrilaterals { connectivity, .. } => {
                connectivity.iter().map(|&nodes| Corners { nodes, n: 4 }).collect()
            }
            StructuralCells::Beams { .. } => Vec::new(),
        }
    };
    for (i_block, block) in blocks.iter().enumerate() {
        check(points.len(), i_block, block)?;
    }
    let corners: Vec<Corners> = blocks.iter().flat_map(corners_of).collect();
    let directors = directors(points, &corners);
    let mut shells = corners.into_iter().zip(directors);
    let mut parts = Vec::with_capacity(blocks.len());
    for (i_block, block) in blocks.iter().enumerate() {
        let (material, law) = (block.material.clone(), block.law.clone());
        parts.push(match &block.cells {
            StructuralCells::Triangles { section, .. } | StructuralCells::Quadrilaterals { section, .. } => {
                let own = shells.by_ref().take(block.n_cells());
                let made = own.enumerate().map(|(cell, (corners, directors))| {
                    let made = ShellCell::new(points, &corners, directors);
                    made.ok_or(StructuralError::Flat { block: i_block, cell })
                });
                let cells = made.collect::<Result<Vec<_>, _>>()?;
                let (places, weights) = gauss_legendre(section.n_layers);
                let layer = |(z, w): (&f64, &f64)| [(z - 0.5) * section.thickness, w * section.thickness];
                let layers = places.iter().zip(&weights).map(layer).collect();
                let results = vec![Outcome::NONE; cells.len()];
                Part::Shells(ShellPart { cells, law, material, section: *section, layers, results })
            }
            StructuralCells::Beams { connectivity, section } => {
                let made = connectivity.iter().enumerate().map(|(cell, &nodes)| {
                    let ends = nodes.map(|node| points[node as usize]);
                    let made = BeamCell::new(ends, section, &material);
                    made.map(|beam| (beam, nodes)).ok_or(StructuralError::Flat { block: i_block, cell })
                });
                let cells = made.collect::<Result<Vec<_>, _>>()?;
                let results = vec![Outcome::NONE; cells.len()];
                Part::Beams(BeamPart { cells, material, section: *section, results })
            }
        });
    }
    Ok(parts)
}

/// Checks section, law and nodes of a block.
fn check(n_points: usize, block: usize, given: &StructuralBlock) -> Result<(), StructuralError> {
    let law = given.law.name();
    let checked = match &given.cells {
        StructuralCells::Triangles { section, .. } | StructuralCells::Quadrilaterals { section, .. } => {
            if !given.law.is_objective() {
                return Err(StructuralError::LawOfShells { block, law });
            }
            ShellSection::new(section.thickness, section.n_layers).map(|_| ())
        }
        StructuralCells::Beams { section, .. } => {
            if !matches!(given.law, SolidLaw::Elastic(_)) || !given.law.is_objective() {
                return Err(StructuralError::LawOfBeams { block, law });
            }
            section.check()
        }
    };
    checked.map_err(|source| StructuralError::Section { block, source })?;
    let missing = |nodes: &[u32]| nodes.iter().copied().find(|&node| node as usize >= n_points);
    let found = match &given.cells {
        StructuralCells::Triangles { connectivity, .. } => first(connectivity, |nodes| missing(nodes)),
        StructuralCells::Quadrilaterals { connectivity, .. } => first(connectivity, |nodes| missing(nodes)),
        StructuralCells::Beams { connectivity, .. } => first(connectivity, |nodes| missing(nodes)),
    };
    match found {
        Some((cell, node)) => Err(StructuralError::NoSuchPoint { block, cell, node, n_points }),
        None => Ok(()),
    }
}

fn first<const N: usize>(
    cells: &[[u32; N]],
    missing: impl Fn(&[u32]) -> Option<u32>,
) -> Option<(usize, u32)> {
    cells.iter().enumerate().find_map(|(cell, nodes)| Some((cell, missing(nodes)?)))
}

impl StructuralBlock {
    /// Number of cells.
    pub fn n_cells(&self) -> usize {
        match &self.cells {
            StructuralCells::Triangles { connectivity, .. } => connectivity.len(),
            StructuralCells::Quadrilaterals { connectivity, .. } => connectivity.len(),
            StructuralCells::Beams { connectivity, .. } => connectivity.len(),
        }
    }
}

impl BeamPart {
    /// A beam with the force and the moment half-way, in the axes of the section there.
    pub(super) fn resultants(
        &self,
        cell: usize,
        configuration: &Configuration<'_>,
    ) -> (&BeamCell, [Vector3<f64>; 2]) {
        let (beam, nodes) = &self.cells[cell];
        (beam, beam.resultants(&configuration.of_beam(beam, nodes)))
    }
}

impl Part {
    /// Nodes of each cell.
    pub(super) fn nodes(&self) -> Box<dyn Iterator<Item = Vec<u32>> + '_> {
        match self {
            Self::Shells(part) => Box::new(part.cells.iter().map(|cell| cell.nodes[..cell.n].to_vec())),
            Self::Beams(part) => Box::new(part.cells.iter().map(|(_, nodes)| nodes.to_vec())),
        }
    }

    /// Mass and rotary inertia of the nodes of a cell \[kg, kg m²\]; zero beyond them.
    pub(super) fn masses(&self, cell: usize) -> [[f64; 2]; 4] {
        match self {
            Self::Shells(part) => part.masses(cell),
            Self::Beams(part) => {
                let half = 0.5 * part.material.density * part.cells[cell].0.length;
                let [i2, i3] = part.section.inertia;
                let mass = [half * part.section.area, half * (i2 + i3)];
                [mass, mass, [0.0; 2], [0.0; 2]]
            }
        }
    }

    /// Computes all cells.
    pub(super) fn sweep(
        &mut self,
        configuration: &Configuration<'_>,
        old: &[Lanes],
        new: &mut [Lanes],
        sweep: Sweep,
    ) {
        match self {
            Self::Shells(part) => part.sweep(configuration, old, new, sweep),
            Self::Beams(part) => {
                let BeamPart { cells, results, .. } = part;
                results.par_iter_mut().zip(cells).with_min_len(CELLS_PER_TASK).for_each(
                    |(result, (cell, nodes))| {
                        let state = configuration.of_beam(cell, nodes);
                        result.measure = state.angle();
                        match sweep {
                            Sweep::Forces => result.forces = state.forces(cell.resultants(&state)),
                            Sweep::Energy => result.energy = cell.energy(&state),
                        }
                    },
                );
            }
        }
    }

    /// Force and moment of a cell on one of its nodes.
    #[inline]
    pub(super) fn on_node(&self, cell: usize, local: usize) -> &NodeForces {
        match self {
            Self::Shells(part) => &part.results[cell].forces[local],
            Self::Beams(part) => &part.results[cell].forces[local],
        }
    }

    /// Stored energy of the last sweep \[J\].
    pub(super) fn energy(&self) -> f64 {
        match self {
            Self::Shells(part) => part.results.iter().map(|result| result.energy).sum(),
            Self::Beams(part) => part.results.iter().map(|result| result.energy).sum(),
        }
    }

    /// Dissipated energy of a state \[J\].
    pub(super) fn dissipated(&self, history: &[Lanes]) -> f64 {
        let Self::Shells(part) = self else { return 0.0 };
        let n = 1 + part.law.n_history();
        let of_cell = |(cell, history): (&ShellCell, &[Lanes])| -> f64 {
            let of_layer = |([_, thickness], history): (&[f64; 2], &[Lanes])| -> f64 {
                let density = part.law.dissipated_energy(&history[1..]);
                (0..LANES).map(|l| cell.weights[l] * thickness * density[l]).sum()
            };
            part.layers.iter().zip(history.chunks_exact(n)).map(of_layer).sum()
        };
        part.cells.iter().zip(history.chunks_exact(n * part.layers.len())).map(of_cell).sum()
    }

    /// Reports the worst cell of the last sweep. Numbers that are not finite count as such.
    pub(super) fn check(&self, block: u32) -> Result<(), SweepError> {
        let reference = |cell: usize| CellRef { block, cell: cell as u32 };
        match self {
            Self::Shells(part) => {
                match part.results.iter().position(|result| result.measure.is_nan() || result.measure <= 0.0)
                {
                    Some(cell) => {
                        Err(SweepError::Inverted { cell: reference(cell), det: part.results[cell].measure })
                    }
                    None => Ok(()),
                }
            }
            Self::Beams(part) => match part
                .results
                .iter()
                .position(|result| result.measure.is_nan() || result.measure >= MOST_BENT)
            {
                Some(cell) => {
                    Err(SweepError::Bent { cell: reference(cell), angle: part.results[cell].measure })
                }
                None => Ok(()),
            },
        }
    }

    /// The largest bound of the frequencies of the cells, zero without cells \[rad/s\].
    pub(super) fn largest_frequency(&self, configuration: &Configuration<'_>) -> f64 {
        let largest = |a: f64, b: f64| if b.is_nan() { f64::INFINITY } else { a.max(b) };
        match self {
            Self::Shells(part) => {
                let n = part.cells.first().map_or(4, |cell| cell.n);
                let of_cell = |room: &mut Room, (i, cell): (usize, &ShellCell)| {
                    let state = configuration.of_shell(cell);
                    let wall = (part.section.thickness, SHEAR_FACTOR);
                    of_shell(room, cell, &state, wall, &part.material, &part.masses(i)[..cell.n])
                };
                let cells = part.cells.par_iter().enumerate().with_min_len(CELLS_PER_TASK);
                cells.map_init(|| Room::new(n), of_cell).reduce(|| 0.0, largest)
            }
            Self::Beams(part) => {
                let of_cell = |room: &mut Room, (i, (cell, nodes)): (usize, &(BeamCell, [u32; 2]))| {
                    let state = configuration.of_beam(cell, nodes);
                    of_beam(room, cell, &state, &self.masses(i)[..2])
                };
                let cells = part.cells.par_iter().enumerate().with_min_len(CELLS_PER_TASK);
                cells.map_init(|| Room::new(2), of_cell).reduce(|| 0.0, largest)
            }
        }
    }
}

impl ShellPart {
    fn masses(&self, cell: usize) -> [[f64; 2]; 4] {
        let (h, ratio, cell) = (self.section.thickness, self.inertia_ratio(cell), &self.cells[cell]);
        let arm = ratio * h * h / 12.0;
        cell.areas.map(|area| {
            let mass = self.material.density * h * area;
            [mass, mass * arm]
        })
    }

    /// The rotary inertia of a cell relative to that of its wall: max(h²/12, A/8) over h²/12.
    pub(super) fn inertia_ratio(&self, cell: usize) -> f64 {
        let h = self.section.thickness;
        (self.cells[cell].area() / 8.0 / (h * h / 12.0)).max(1.0)
    }

    fn sweep(&mut self, configuration: &Configuration<'_>, old: &[Lanes], new: &mut [Lanes], sweep: Sweep) {
        let Self { cells, law, layers, results, .. } = self;
        let n = layers.len() * (1 + law.n_history());
        let histories = old.par_chunks_exact(n).zip(new.par_chunks_exact_mut(n));
        let all = results.par_iter_mut().zip(cells).zip(histories).with_min_len(CELLS_PER_TASK);
        all.for_each(|((result, cell), (old, new))| {
            let state = configuration.of_shell(cell);
            of_shell_cell(cell, &state, law, layers, (old, new), sweep, result);
        });
    }
}

/// Sums the layers of a cell.
fn of_shell_cell(
    cell: &ShellCell,
    state: &ShellState,
    law: &SolidLaw,
    layers: &[[f64; 2]],
    (old, new): (&[Lanes], &mut [Lanes]),
    sweep: Sweep,
    result: &mut Outcome<4>,
) {
    let n = old.len() / layers.len();
    let root = SHEAR_FACTOR.sqrt();
    let mut resultants = [[0.0; 8]; LANES];
    (result.energy, result.measure) = (0.0, f64::INFINITY);
    let histories = old.chunks_exact(n).zip(new.chunks_exact_mut(n));
    for (&[z, thickness], (old, new)) in layers.iter().zip(histories) {
        let plane = PlaneState::solve(law, &state.layer(z), old, new);
        for change in plane.volume_change() {
            let det = 1.0 + change;
            result.measure = if det.is_nan() { det } else { result.measure.min(det) };
            if result.measure.is_nan() {
                return;
            }
        }
        if sweep == Sweep::Energy {
            let density = law.stored_energy(&plane.h, &new[1..]);
            result.energy += (0..LANES).map(|l| cell.weights[l] * thickness * density[l]).sum::<f64>();
            continue;
        }
        let stress = plane.pk2();
        for l in 0..LANES {
            let factor = cell.weights[l] * thickness;
            for k in 0..3 {
                resultants[l][k] += factor * stress[k][l];
                resultants[l][3 + k] += factor * z * stress[k][l];
            }
            resultants[l][6] += factor * root * stress[3][l];
            resultants[l][7] += factor * root * stress[4][l];
        }
    }
    if sweep == Sweep::Forces {
        result.forces = cell.forces(state, &resultants);
    }
}

impl ShellState {
    /// The strain of a layer at distance z from the middle, with the shear of the factor ⅚.
    #[inline]
    pub(super) fn layer(&self, z: f64) -> LayerStrain {
        let root = SHEAR_FACTOR.sqrt();
        let strain = |k: usize, l: usize| self.strains[l][k];
        [
            lanes(|l| strain(0, l) + z * strain(3, l)),
            lanes(|l| strain(1, l) + z * strain(4, l)),
            lanes(|l| strain(2, l) + z * strain(5, l)),
            lanes(|l| root * strain(6, l)),
            lanes(|l| root * strain(7, l)),
        ]
    }
}

impl Configuration<'_> {
    #[inline]
    pub(super) fn of_shell(&self, cell: &ShellCell) -> ShellState {
        let ids = cell.nodes.map(|node| node as usize);
        let u = ids.map(|id| Vector3::from(self.u[id]));
        let places = std::array::from_fn(|a| self.points[ids[a]] + u[a]);
        cell.state(&u, &places, &ids.map(|id| &self.rotations[id]))
    }

    #[inline]
    fn of_beam(&self, cell: &BeamCell, nodes: &[u32; 2]) -> BeamState {
        let ids = nodes.map(|node| node as usize);
        let places = ids.map(|id| self.points[id] + Vector3::from(self.u[id]));
        cell.state(places, ids.map(|id| &self.rotations[id]))
    }
}
