//! Elastic frequencies of a body held by its joints, and the change of the modes' stiffness by an axial
//! force.
//!
//! The body moves with its modes, its partners in joints move as rigid bodies, grounded ones not at all. With
//! z = (v, ω, q̇) of the body and (v, ω) of the partners, rows G of the joints among them and to the ground:
//!
//! ```text
//! M z̈ + K z = Gᵀ λ,  G z = 0    ⟹    Nᵀ K N y = ω² Nᵀ M N y,  z = N y
//! ```
//!
//! An axial force N(s) (tension > 0) adds ½ ∫ N w′² ds to the energy of a mode of unit mass with lateral
//! displacement w(s). Relative to its stiffness ω²:
//!
//! ```text
//! ρ = ∫ N w′² ds / ω²  =  Σ_j N_j S_j
//! ```
//!
//! For a hinged beam ρ = N/N_Euler; for a beam that turns with Ω about its clamped end ρ = 1.19 (Ω/ω)².

use nalgebra::{DMatrix, DVector, Vector3};

use super::shape::Shape;
use crate::body::Body;
use crate::joint::JointEnd;
use crate::system::System;

/// Held modes whose stiffness is watched.
pub(super) const HELD: usize = 4;

/// ω² below this part of that of the first elastic mode of the body by itself: a motion of the mechanism.
const RIGID: f64 = 1e-6;

/// Elastic modes of a body as it is held.
#[derive(Debug, Clone, Default)]
pub(super) struct HeldModes {
    /// ω \[rad/s\], ascending.
    pub(super) omega: Vec<f64>,
    /// S_j of each mode for the stretches between sections \[1/N\].
    pub(super) stiffening: Vec<Vec<f64>>,
    /// Whether the first mode leaves the first and the last section where they are.
    pub(super) holds_end: [bool; 2],
}

/// Where the velocities of the bodies of a neighbourhood lie in z.
struct Neighbourhood {
    bodies: Vec<usize>,
    starts: Vec<usize>,
    modes: usize,
    n: usize,
}

impl HeldModes {
    /// Of body `i` at the state that was set last, joints included. None where its modes cannot be found.
    pub(super) fn new(system: &System, i: usize, shape: &Shape) -> Option<Self> {
        let body = &system.bodies()[i];
        let reduced = body.reduced.as_ref()?;
        let near = Neighbourhood::of(system, i, shape.modes().min(reduced.invariants.n_massive()));
        let (mass, stiffness) = near.matrices(system).filter(|_| near.modes > 0)?;
        let root = mass.cholesky()?.l();
        let unit = |columns: &DMatrix<f64>| root.solve_lower_triangular(columns);
        let stiffness = unit(&unit(&stiffness)?.transpose())?;
        let rows = unit(&near.rows(system).transpose())?;
        let free = null_space(rows)?;
        let pairs = (free.transpose() * stiffness * &free).symmetric_eigen();
        let least = RIGID * reduced.omega.first()?.powi(2);
        let mut order: Vec<usize> =
            (0..pairs.eigenvalues.len()).filter(|&k| pairs.eigenvalues[k] > least).collect();
        order.sort_by(|&a, &b| pairs.eigenvalues[a].total_cmp(&pairs.eigenvalues[b]));
        order.truncate(HELD);
        let mut held = Self::default();
        for (number, k) in order.into_iter().enumerate() {
            let z = root.tr_solve_lower_triangular(&(&free * pairs.eigenvectors.column(k)))?;
            let lateral = near.lateral(shape, body, &z);
            let omega = pairs.eigenvalues[k].sqrt();
            if number == 0 {
                let most = lateral.iter().map(|w| w[0].hypot(w[1])).fold(0.0, f64::max);
                let rests = |w: Option<&[f64; 2]>| w.is_some_and(|w| w[0].hypot(w[1]) < 0.05 * most);
                held.holds_end = [rests(lateral.first()), rests(lateral.last())];
            }
            held.omega.push(omega);
            held.stiffening.push(stiffening(shape, &lateral, omega));
        }
        Some(held)
    }
}

/// S_j = |w′|² Δs/ω² of the stretches between sections; the first and the last reach to the ends of the body.
fn stiffening(shape: &Shape, lateral: &[[f64; 2]], omega: f64) -> Vec<f64> {
    let last = shape.along.len().saturating_sub(2);
    let stretch = |(j, (w, s)): (usize, (&[[f64; 2]], &[f64]))| {
        let from = if j == 0 { shape.ends[0] } else { s[0] };
        let to = if j == last { shape.ends[1] } else { s[1] };
        let slope = (w[1][0] - w[0][0]).hypot(w[1][1] - w[0][1]) / (s[1] - s[0]);
        slope * slope * (to - from) / (omega * omega)
    };
    lateral.windows(2).zip(shape.along.windows(2)).enumerate().map(stretch).collect()
}

impl Neighbourhood {
    fn of(system: &System, i: usize, modes: usize) -> Self {
        let mut bodies = vec![i];
        let moves = |body: &usize| !system.bodies()[*body].fixed;
        for joint in system.joints().all() {
            let ends = joint.ends.each_ref().map(|end| end.body);
            if ends.contains(&Some(i)) {
                bodies.extend(ends.into_iter().flatten().filter(|body| *body != i).filter(moves));
            }
        }
        bodies[1..].sort_unstable();
        bodies.dedup();
        let rigid = |body: usize| if system.bodies()[body].fixed { 0 } else { 6 };
        let mut starts = Vec::new();
        let mut n = 0;
        for (k, &body) in bodies.iter().enumerate() {
            starts.push(n);
            n += rigid(body) + if k == 0 { modes } else { 0 };
        }
        Self { bodies, starts, modes, n }
    }

    /// Start of the modes of the first body.
    fn modal(&self, body: &Body) -> usize {
        if body.fixed { 0 } else { 6 }
    }

    /// M and K.
    fn matrices(&self, system: &System) -> Option<(DMatrix<f64>, DMatrix<f64>)> {
        let (mut mass, mut stiffness) = (DMatrix::zeros(self.n, self.n), DMatrix::zeros(self.n, self.n));
        for (&i, &start) in self.bodies.iter().zip(&self.starts) {
            let frame = &system.bodies()[i].frame;
            if system.bodies()[i].fixed {
                continue;
            }
            let moment = frame.first_moment.cross_matrix();
            mass.view_mut((start, start), (3, 3)).fill_diagonal(frame.mass);
            mass.view_mut((start + 3, start), (3, 3)).copy_from(&moment);
            mass.view_mut((start, start + 3), (3, 3)).copy_from(&moment.transpose());
            mass.view_mut((start + 3, start + 3), (3, 3)).copy_from(&frame.inertia);
        }
        let body = &system.bodies()[self.bodies[0]];
        let of = &body.reduced.as_ref()?.invariants;
        let modal = self.modal(body);
        for k in 0..self.modes {
            for l in 0..self.modes {
                mass[(modal + k, modal + l)] = of.mass_modal[(k, l)];
                stiffness[(modal + k, modal + l)] = of.stiffness_modal[(k, l)];
            }
            for a in 0..if body.fixed { 0 } else { 3 } {
                for (row, value) in [(a, of.coupling_t[(a, k)]), (3 + a, of.coupling_r0[(a, k)])] {
                    (mass[(row, modal + k)], mass[(modal + k, row)]) = (value, value);
                }
            }
        }
        Some((mass, stiffness))
    }

    /// Rows G of the joints among the bodies and to the ground.
    fn rows(&self, system: &System) -> DMatrix<f64> {
        let is_near = |end: &JointEnd| {
            end.body.is_none_or(|body| system.bodies()[body].fixed || self.bodies.contains(&body))
        };
        let known: Vec<_> = system.joints().rows().filter(|row| row.joint.ends.iter().all(is_near)).collect();
        let mut rows = DMatrix::zeros(known.len(), self.n);
        for (row, known) in known.iter().enumerate() {
            for (k, end) in known.joint.ends.iter().enumerate() {
                let Some(at) = end.body.and_then(|body| self.bodies.iter().position(|&b| b == body)) else {
                    continue;
                };
                let i = self.bodies[at];
                let a = &system.states().pose(i).rotation;
                let [force, torque] = [0, 1].map(|part| a.tr_mul(&known.jacobian[2 * k + part]));
                let start = self.starts[at];
                if !system.bodies()[i].fixed {
                    let arm = known.places[k].arm_b;
                    put(&mut rows, row, start, &force);
                    put(&mut rows, row, start + 3, &(arm.cross(&force) + torque));
                }
                if at == 0 {
                    let modal = self.modal(&system.bodies()[i]);
                    for mode in 0..self.modes {
                        let (phi, psi) = of_end(&system.bodies()[i], end, mode);
                        rows[(row, modal + mode)] = phi.dot(&force) + psi.dot(&torque);
                    }
                }
            }
        }
        rows
    }

    /// Displacement of each section across the longest axis in a motion z.
    fn lateral(&self, shape: &Shape, body: &Body, z: &DVector<f64>) -> Vec<[f64; 2]> {
        let modal = self.modal(body);
        let of_section = |(s, x): (usize, &Vector3<f64>)| {
            let mut u = Vector3::zeros();
            if !body.fixed {
                let (v, omega): (Vector3<f64>, Vector3<f64>) =
                    (z.fixed_rows::<3>(0).into(), z.fixed_rows::<3>(3).into());
                u += shape.axes.tr_mul(&(v + omega.cross(x)));
            }
            (0..self.modes).for_each(|k| u += z[modal + k] * shape.section(s, k));
            [u.y, u.z]
        };
        shape.sections.iter().enumerate().map(of_section).collect()
    }
}

/// φ and ψ of an end in a mode: as the marker has them, or for modes above the dynamic ones as the attachment
/// does that lies there.
fn of_end(body: &Body, end: &JointEnd, mode: usize) -> (Vector3<f64>, Vector3<f64>) {
    let marker = &end.marker;
    if let (Some(phi), Some(psi)) = (marker.displacement.get(mode), marker.rotation.get(mode)) {
        return (Vector3::from(*phi), Vector3::from(*psi));
    }
    let attached = body.reduced.iter().flat_map(|reduced| &reduced.markers);
    let at = |found: &&carom_reduce::AttachedMarker| found.position_b == marker.position_b;
    attached.into_iter().find(at).map_or((Vector3::zeros(), Vector3::zeros()), |found| {
        let column = |values: &faer::Mat<f64>| Vector3::from_fn(|a, _| values[(a, mode)]);
        (column(&found.translation), column(&found.rotation))
    })
}

fn put(rows: &mut DMatrix<f64>, row: usize, start: usize, x: &Vector3<f64>) {
    (0..3).for_each(|a| rows[(row, start + a)] = x[a]);
}

/// An orthonormal basis of all z with Cᵀ z = 0, if there are any; the columns of C may depend on each other.
fn null_space(columns: DMatrix<f64>) -> Option<DMatrix<f64>> {
    let n = columns.nrows();
    let mut columns = columns;
    columns.column_iter_mut().for_each(|mut column| {
        let size = column.norm();
        if size > 0.0 {
            column /= size;
        }
    });
    let pairs = (&columns * columns.transpose()).symmetric_eigen();
    let kept: Vec<usize> = (0..n).filter(|&k| pairs.eigenvalues[k] < 1e-9).collect();
    (!kept.is_empty()).then(|| pairs.eigenvectors.select_columns(&kept))
}
