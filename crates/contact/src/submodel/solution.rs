//! The result of a solve: pressures, forces, energies, gaps, and signs that the model does not hold.

use nalgebra::{Matrix3, Vector3};

use super::QuasistaticContact;

/// Force and moment of all contacts on a body, in its frame, about its origin.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Wrench {
    /// Force \[N\].
    pub force_b: Vector3<f64>,
    /// Moment \[N m\], with the lever arms of the deformed surface.
    pub moment_b: Vector3<f64>,
}

/// One of the two zones of a pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WhichZone {
    /// The one that carries the pressure points.
    First,
    /// The one on which they are projected.
    Second,
}

/// Pressure where the model does not hold: at the rim of a zone.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RimPressure {
    /// Zone whose rim is reached.
    pub zone: WhichZone,
    /// Pressure cell of the first zone with the largest force of those concerned.
    pub cell: usize,
    /// Part of the pair's force that all of them carry, 0 to 1.
    pub share: f64,
}

/// Overlap of the surfaces without a force: a point of a cell is inside the other body while the
/// gap of the cell is open on the average. The cell is then too large for the curvature of the other surface.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Overlap {
    /// Pressure cell of the first zone.
    pub cell: usize,
    /// Depth of its deepest integration point, or of that corner \[m\].
    pub depth: f64,
    /// √A of the cell \[m\].
    pub size: f64,
    /// Reference position of that corner, or of the middle of the cell, in the frame of its body \[m\].
    pub place: Vector3<f64>,
    /// True if it is a corner of the cell at an edge of the surface that lies inside.
    pub is_corner: bool,
}

impl Overlap {
    /// Depth over the size of the cell.
    pub fn ratio(&self) -> f64 {
        self.depth / self.size
    }
}

/// Sums over one pair.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct PairSolution {
    /// Σ λ \[N\].
    pub force: f64,
    /// Force on the second body, friction included, inertial components \[N\]; the first has the opposite.
    pub force_i: Vector3<f64>,
    /// Centre of the force: middles of the cells weighted by their forces, inertial components \[m\];
    /// without force the middle of the nearest cell.
    pub center_i: Vector3<f64>,
    /// Largest λ/A \[Pa\].
    pub peak_pressure: f64,
    /// Number of cells with pressure.
    pub n_active: usize,
    /// Area of these cells in the reference configuration \[m²\].
    pub active_area: f64,
    /// Smallest gap without displacement by high modes \[m\], negative in contact.
    ///
    /// Exact to first order in the displacement. For cells so far away that they were not evaluated, a bound
    /// from below that is at least half of their gap, or their distance from the box of the second zone.
    /// Infinite if the bodies are apart: [`super::QuasistaticContact::clearance`] gives a bound then.
    pub min_free_gap: f64,
    /// True if the bodies are so far apart that no cell was looked at.
    pub is_apart: bool,
    /// Pressure cell with this gap.
    pub nearest_cell: usize,
    /// Its rate \[m/s\], negative while approaching; 0 if velocities were not given, or the cell was not
    /// evaluated.
    pub gap_rate: f64,
    /// Deepest average penetration of a cell that the law leaves \[m\], ≥ 0.
    pub penetration: f64,
    /// Energy of the penalty \[J\], 0 if hard; with friction that of its tangential springs too.
    pub penalty_energy: f64,
    /// Friction force on the second body, inertial components \[N\].
    pub friction_i: Vector3<f64>,
    /// Sum of the sizes of the tangential forces of all cells \[N\], at most μ times the force.
    pub tangential_force: f64,
    /// Pressure on the rim of a zone, the worse of the two.
    pub rim: Option<RimPressure>,
    /// Overlap without force, that of the largest part of its cell.
    pub overlap: Option<Overlap>,
}

impl PairSolution {
    /// Sums over a pair whose bodies are apart.
    pub(super) const APART: Self = Self {
        force: 0.0,
        force_i: Vector3::new(0.0, 0.0, 0.0),
        center_i: Vector3::new(0.0, 0.0, 0.0),
        peak_pressure: 0.0,
        n_active: 0,
        active_area: 0.0,
        min_free_gap: f64::INFINITY,
        is_apart: true,
        nearest_cell: 0,
        gap_rate: 0.0,
        penetration: 0.0,
        penalty_energy: 0.0,
        friction_i: Vector3::new(0.0, 0.0, 0.0),
        tangential_force: 0.0,
        rim: None,
        overlap: None,
    };
}

/// Result of a solve.
#[derive(Debug, Clone, PartialEq)]
pub struct Solution {
    /// Force on each cell, all pairs \[N\]; pressure is λ over [`crate::pressure::PressureCells::area`].
    pub lambda: Vec<f64>,
    /// Average gap of each cell in the deformed state \[m\]; for cells not evaluated the last one known,
    /// infinite if their bodies are apart.
    pub gap: Vec<f64>,
    /// Forces on the points of each body in its frame, 3n numbers \[N\].
    pub force_b: Vec<Vec<f64>>,
    /// Displacement of the points of each body by the high modes in its frame, 3n numbers \[m\].
    pub displacement_b: Vec<Vec<f64>>,
    /// Sum of the forces on each body.
    pub wrench: Vec<Wrench>,
    /// Elastic energy ½ f·u of the high modes of each body \[J\].
    pub elastic_energy: Vec<f64>,
    /// Part of the force on each body that acts on points whose compliance is not complete, 0 to 1.
    pub off_interface: Vec<f64>,
    /// Numbers of the pairs that the solve has evaluated, ascending: all but those with bodies apart.
    pub near: Vec<u32>,
    /// Sums over each pair.
    pub pairs: Vec<PairSolution>,
    /// Energy lost by friction since the first accepted state \[J\].
    pub friction_loss: f64,
    /// Passes over the geometry.
    pub passes: usize,
    /// Times that W was condensed anew.
    pub condensations: usize,
    /// Complementarity problems for which active sets failed and Lemke's algorithm was used; with friction
    /// those for which Newton's method failed and the chain of all methods was used.
    pub fallbacks: usize,
    /// Steps that the line search cut.
    pub cuts: usize,
    /// True if the iteration ended because round-off allowed no more.
    pub stagnated: bool,
    /// Estimated error of the displacement relative to its largest entry.
    pub error: f64,
}

impl Solution {
    pub(super) fn new(model: &QuasistaticContact) -> Self {
        let per_body = || model.bodies.iter().map(|b| vec![0.0; 3 * b.n_points]).collect();
        let n_bodies = model.bodies.len();
        Self {
            lambda: vec![0.0; model.n_cells()],
            gap: vec![f64::INFINITY; model.n_cells()],
            force_b: per_body(),
            displacement_b: per_body(),
            wrench: vec![Wrench::default(); n_bodies],
            elastic_energy: vec![0.0; n_bodies],
            off_interface: vec![0.0; n_bodies],
            near: Vec::with_capacity(model.n_pairs()),
            pairs: vec![PairSolution::APART; model.n_pairs()],
            friction_loss: 0.0,
            passes: 0,
            condensations: 0,
            fallbacks: 0,
            cuts: 0,
            stagnated: false,
            error: 0.0,
        }
    }

    /// Elastic energy of the high modes of all bodies and energy of the penalties \[J\].
    pub fn energy(&self) -> f64 {
        self.elastic_energy.iter().sum::<f64>() + self.penalty_energy()
    }

    /// Energy of the penalties of all pairs \[J\].
    pub fn penalty_energy(&self) -> f64 {
        self.near_pairs().map(|p| p.penalty_energy).sum()
    }

    /// True if any cell carries pressure.
    pub fn in_contact(&self) -> bool {
        self.near_pairs().any(|p| p.n_active > 0)
    }

    /// Sums over the pairs that the solve has evaluated.
    fn near_pairs(&self) -> impl Iterator<Item = &PairSolution> {
        self.near.iter().map(|&k| &self.pairs[k as usize])
    }

    /// Force on a point of a body in inertial components \[N\]; `rot_ib` is the rotation of the body's state.
    pub fn point_force_i(&self, body: usize, point: usize, rot_ib: &Matrix3<f64>) -> Vector3<f64> {
        rot_ib * Vector3::from_column_slice(&self.force_b[body][3 * point..3 * point + 3])
    }
}
