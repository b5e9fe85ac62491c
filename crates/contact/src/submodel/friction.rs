//! Friction: the tangential rows of a pressure cell, and their slip since the last accepted state.
//!
//! Within a step from an accepted state (index n) the slip of a cell is the motion of its mean position over
//! the material points that were its foot points then,
//!
//! ```text
//! s_a = t_a · [ (x̄ − Σ_g w_g y(ξ_g,n)) − (x̄ − Σ_g w_g y(ξ_g,n))_n ],    a = 1, 2
//! ```
//!
//! in the frame of the second body, with orthonormal tangents t_a; with the law's own compliance d and the
//! tangential force τ,
//!
//! ```text
//! σ = s + d (τ − τ_n),    |τ| ≤ μ λ,    σ = 0 if |τ| < μ λ,    τ = −μ λ σ/|σ| otherwise.
//! ```
//!
//! That is Coulomb's law by one implicit step from the accepted state (docs/theory/contact.md, eq. (57)):
//! exact while the direction of slip stays, so that an integrator of high order sees a smooth right-hand
//! side. The force acts at the mean position of the cell on both bodies: both momenta are kept.

mod memory;

use nalgebra::Vector3;

use super::gaps::{GapMemory, Gaps, PairGeometry};
use super::pair::{PairModel, Pairs};
use super::row::Row;
use super::unknowns::Unknowns;
use crate::geometry::Start;
pub(super) use memory::FrictionMemory;

/// Part of Coulomb's bound from which on a cell counts as sliding.
const SLIDES: f64 = 1.0 - 1e-9;

/// A tangent follows the normal while the normal is this far from its axis (cosine), so that components of
/// forces mean the same from pass to pass; beyond it the tangents turn to another axis.
const NEAR_AXIS: f64 = 0.8;

/// Tangential motion of all pressure cells at the present pass.
pub(super) struct Friction {
    /// Orthonormal tangents in the frame of the second body.
    tangents: Vec<[Vector3<f64>; 2]>,
    /// Mean position less that of the present foot points, in that frame.
    offset: Vec<Vector3<f64>>,
    /// s_a since the last accepted state.
    slip: Vec<[f64; 2]>,
    /// τ_n along the present tangents.
    before: Vec<[f64; 2]>,
    /// σ_a of the last linearised problem.
    sliding: Vec<[f64; 2]>,
    /// μ now: zero for cells without an anchor, and for those not evaluated in the pass.
    coefficient: Vec<f64>,
}

impl Friction {
    /// Room for n cells.
    pub(super) fn new(n: usize) -> Self {
        Self {
            tangents: vec![[Vector3::zeros(); 2]; n],
            offset: vec![Vector3::zeros(); n],
            slip: vec![[0.0; 2]; n],
            before: vec![[0.0; 2]; n],
            sliding: vec![[0.0; 2]; n],
            coefficient: vec![0.0; n],
        }
    }

    /// Evaluates the tangential rows and the slip of a cell whose gap has just been evaluated.
    ///
    /// * `normal` — mean normal at its foot points, of any length
    pub(super) fn evaluate(
        &mut self,
        (k, cell): (usize, usize),
        (pairs, unknowns): (&Pairs, &Unknowns),
        normal: &Vector3<f64>,
        (gaps, geometry): (&GapMemory, &mut PairGeometry),
        (memory, rows): (&mut FrictionMemory, &mut [Row]),
    ) {
        let (pair, first) = (pairs.get(k), pairs.first(k));
        let s = pair.cell_offset + cell;
        rows.iter_mut().for_each(Row::clear);
        self.coefficient[s] = 0.0;
        let mu = unknowns.friction(s);
        let Some(normal) = normal.try_normalize(0.0).filter(|_| mu > 0.0) else { return };
        let tangents = tangents(&normal, &mut memory.anchors[s].axis);
        let middle = geometry.center(pair, cell);
        let rot_12 = geometry.rot_12();
        for (row, tangent) in rows.iter_mut().zip(tangents) {
            let along = rot_12 * tangent;
            let points = pair.cells.points(cell).iter().zip(pair.cells.means(cell));
            row.first.extend(points.map(|(&i, mean)| (first.points[i as usize], (along * *mean).into())));
        }
        let [offset, moved] = match pairs.second(k).as_faces() {
            None => {
                for (row, tangent) in rows.iter_mut().zip(tangents) {
                    row.reaction = [-tangent, -middle.cross(&tangent)].map(Into::into);
                }
                [middle; 2]
            }
            Some(zone) => {
                let (feet, weights) = (&gaps.feet()[pair.feet(cell)], pair.cells.weights(cell));
                let mut mean = |feet: &[Start]| geometry.mean_foot(&zone, feet, weights);
                let [now, then] = [mean(feet), mean(&memory.feet[pair.feet(cell)])];
                for (row, tangent) in rows.iter_mut().zip(&tangents) {
                    geometry.spread(&zone, (feet, weights), tangent, &mut row.second);
                    // The foot points lie beside the mean position by their gaps, whose mean alone is zero.
                    row.reaction = [[0.0; 3], (-(middle - now).cross(tangent)).into()];
                }
                [middle - now, middle - then]
            }
        };
        (self.tangents[s], self.offset[s]) = (tangents, offset);
        let anchor = &memory.anchors[s];
        if anchor.is_set {
            self.coefficient[s] = mu;
            self.slip[s] = tangents.map(|t| t.dot(&(moved - Vector3::from(anchor.offset))));
            self.before[s] = carried(&Vector3::from(anchor.force), &tangents);
            // σ without a force now: that of an open cell.
            let d = pair.compliance[cell];
            self.sliding[s] = std::array::from_fn(|a| self.slip[s][a] - d * self.before[s][a]);
        }
    }

    /// Marks a cell as not evaluated in this pass: it has no friction.
    pub(super) fn skip(&mut self, cell: usize) {
        self.coefficient[cell] = 0.0;
    }

    /// μ of a cell now.
    pub(super) fn coefficient(&self, cell: usize) -> f64 {
        self.coefficient[cell]
    }

    /// Slip of a cell without any force, along tangent a: s_a − d τ_n,a \[m\].
    pub(super) fn opening(&self, cell: usize, a: usize, law_compliance: f64) -> f64 {
        if self.coefficient[cell] > 0.0 {
            self.slip[cell][a] - law_compliance * self.before[cell][a]
        } else {
            0.0
        }
    }

    /// Takes over σ_a of a linearised problem.
    pub(super) fn set_sliding(&mut self, cell: usize, a: usize, sliding: f64) {
        self.sliding[cell][a] = sliding;
    }

    /// True if the tangential force of a cell is below Coulomb's bound.
    ///
    /// * `lambda` — normal and tangential forces of all cells
    pub(super) fn sticks(&self, cell: usize, lambda: &[f64]) -> bool {
        let [normal, first, second] = [0, 1, 2].map(|part| lambda[3 * cell + part]);
        first.hypot(second) < SLIDES * self.coefficient[cell] * normal
    }

    /// Energy lost since the last accepted state, the trapezoidal rule of −τ·dσ \[J\].
    ///
    /// * `cells` — those of all pairs that were evaluated
    pub(super) fn loss(&self, lambda: &[f64], cells: impl Iterator<Item = usize>) -> f64 {
        let of_cell = |s: usize| -> f64 {
            let (before, sliding) = (&self.before[s], &self.sliding[s]);
            (0..2).map(|a| -0.5 * (before[a] + lambda[3 * s + 1 + a]) * sliding[a]).sum()
        };
        cells.filter(|&s| self.coefficient[s] > 0.0).map(of_cell).sum()
    }

    /// Accepts the state of the last solve: the next slip starts here.
    ///
    /// * `loss` — energy lost by friction until now \[J\]
    pub(super) fn accept(
        &self,
        memory: &mut FrictionMemory,
        gaps: (&Gaps, &GapMemory),
        (pairs, unknowns): (&Pairs, &Unknowns),
        (lambda, loss): (&[f64], f64),
    ) {
        memory.loss = loss;
        memory.release();
        for pair in gaps.0.near().iter().map(|&k| pairs.get(k as usize)) {
            let feet = pair.all_feet();
            memory.feet[feet.clone()].copy_from_slice(&gaps.1.feet()[feet]);
            for s in pair.cell_range() {
                if gaps.0.is_evaluated(s) && unknowns.friction(s) > 0.0 {
                    let [first, second] = self.tangents[s];
                    let force = first * lambda[3 * s + 1] + second * lambda[3 * s + 2];
                    memory.set(s, force.into(), self.offset[s].into());
                }
            }
        }
    }

    /// Moves the anchors of the cells of one pair that were evaluated to the state of the last solve; those
    /// of other cells stay. The pair has no forces there.
    pub(super) fn follow(&self, memory: &mut FrictionMemory, gaps: (&Gaps, &GapMemory), pair: &PairModel) {
        let cells = pair.cells.len();
        for (cell, s) in (0..cells).zip(pair.cell_range()).filter(|(_, s)| gaps.0.is_evaluated(*s)) {
            let feet = pair.feet(cell);
            memory.feet[feet.clone()].copy_from_slice(&gaps.1.feet()[feet]);
            memory.add(s, self.offset[s].into());
        }
    }
}

/// Two unit vectors across a normal, of which the first lies in the plane of the normal and the axis.
fn tangents(normal: &Vector3<f64>, axis: &mut u8) -> [Vector3<f64>; 2] {
    if normal[usize::from(*axis)].abs() > NEAR_AXIS {
        *axis = normal.iamin() as u8;
    }
    let along = normal[usize::from(*axis)];
    let first = (Vector3::ith(usize::from(*axis), 1.0) - normal * along).normalize();
    [first, normal.cross(&first)]
}

/// Components of a tangential force along tangents that have turned a little; its size stays.
fn carried(force: &Vector3<f64>, tangents: &[Vector3<f64>; 2]) -> [f64; 2] {
    let along = tangents.map(|t| t.dot(force));
    let length = along[0].hypot(along[1]);
    if length > 0.0 { along.map(|a| a * force.norm() / length) } else { [0.0; 2] }
}
