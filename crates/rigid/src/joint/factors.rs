//! Factors of the equations of a group of joined bodies, by blocks of bodies and joints.
//!
//! The unknowns are the total impulse p and moment s of each body, and the impulse λ of each row:
//!
//! ```text
//! p − Σ ± λ d_mid = p₀ ,   s − Σ λ Aᵀ m_mid = s₀ ,   Σ ± d_end·p/m + m_end·(H D s) = g
//! ```
//!
//! with d and m of the rows, D = dW_{n+1}/ds and H the orientation half-way. A chain or a tree of bodies
//! costs in proportion to their number (decision 76, `carom_linalg::blocks`). λ is scaled so that the rows
//! have ones on the diagonal of G M⁻¹ Gᵀ.

use carom_linalg::blocks::{BlockKind, BlockLu, BlockPattern};
use nalgebra::{Matrix3, Vector3};

use super::repeated::Repeated;
use super::solver::{coupling, half_way};
use super::{Joints, RowNow};
use crate::search::Step;
use crate::stage::Stage;

/// Impulse and moment, or velocity and angular velocity, the second in the axes of the body.
pub(crate) type Pair = [Vector3<f64>; 2];

/// A block of the matrix.
#[derive(Debug, Clone, Copy)]
enum Block {
    /// Ones of a body.
    Body,
    /// The impulses of a joint on the body of an end: numbers of both in the group, and the side.
    Impulses { joint: usize, side: usize },
    /// The rates of a joint by the body of an end.
    Rates { body: usize, joint: usize, side: usize },
}

/// A joint with rows.
#[derive(Debug, Clone)]
struct OfJoint {
    joint: usize,
    /// Its rows among those of the group.
    rows: std::ops::Range<usize>,
}

/// The factors of one group.
#[derive(Debug, Clone, Default)]
pub(super) struct Factors {
    lu: BlockLu,
    blocks: Vec<Block>,
    bodies: Vec<usize>,
    joints: Vec<OfJoint>,
    /// Numbers of the rows among those of all joints.
    rows: Vec<usize>,
    scale: Vec<f64>,
    /// H D of each body.
    turned: Vec<Matrix3<f64>>,
    x: Vec<f64>,
}

impl Factors {
    /// Room for the factors of a group.
    pub(super) fn new(joints: &Joints, group: usize, repeated: &Repeated) -> Self {
        let all = joints.group_of.iter().enumerate();
        let bodies: Vec<usize> = all.filter(|(_, own)| **own == Some(group)).map(|(body, _)| body).collect();
        let n_bodies = bodies.len();
        let mut unknowns: Vec<Vec<usize>> = (0..n_bodies).map(|k| (6 * k..6 * k + 6).collect()).collect();
        let mut kinds = vec![BlockKind::Free; n_bodies];
        let mut places: Vec<[usize; 2]> = (0..n_bodies).map(|body| [body, body]).collect();
        let mut blocks = vec![Block::Body; n_bodies];
        let (mut of_joints, mut rows) = (Vec::new(), Vec::new());
        let of_group = joints.all.iter().enumerate().filter(|(_, joint)| joint.group == group);
        for (number, joint) in of_group {
            let first = rows.len();
            let own = joint.first..joint.first + joint.rows.len();
            rows.extend(own.filter(|&row| !repeated.has(row)));
            if rows.len() == first {
                continue;
            }
            let node = unknowns.len();
            unknowns.push((6 * n_bodies + first..6 * n_bodies + rows.len()).collect());
            let sides = joint.ends.each_ref().map(|end| bodies.binary_search(&end.body?).ok());
            kinds.push(BlockKind::Constraint { grounded: sides.contains(&None) });
            for (side, body) in sides.into_iter().enumerate() {
                let Some(body) = body else { continue };
                let joint = of_joints.len();
                places.extend([[body, node], [node, body]]);
                blocks.extend([Block::Impulses { joint, side }, Block::Rates { body, joint, side }]);
            }
            of_joints.push(OfJoint { joint: number, rows: first..rows.len() });
        }
        let n = 6 * n_bodies + rows.len();
        let lu = BlockLu::new(&BlockPattern { unknowns, kinds, blocks: places });
        Self {
            lu,
            blocks,
            turned: vec![Matrix3::zeros(); n_bodies],
            bodies,
            joints: of_joints,
            scale: vec![1.0; rows.len()],
            rows,
            x: vec![0.0; n],
        }
    }

    /// Factors at rows in the middle and at the end of the step.
    pub(super) fn factorise(
        &mut self,
        (middle, end): (&[RowNow], &[RowNow]),
        stages: &[Stage],
        step: &Step<'_>,
    ) {
        for (turned, &body) in self.turned.iter_mut().zip(&self.bodies) {
            *turned = half_way(&stages[body], body, step) * stages[body].d_omega;
        }
        for of in &self.joints {
            let joint = &step.joints.all[of.joint];
            for i in of.rows.clone() {
                let row = self.rows[i];
                let own = coupling((joint, &end[row]), (joint, &middle[row]), stages, step);
                self.scale[i] = 1.0 / own.abs().sqrt().max(f64::MIN_POSITIVE);
            }
        }
        let Self { lu, blocks, bodies, joints, rows, scale, turned, .. } = self;
        let sign = |side: usize| if side == 0 { 1.0 } else { -1.0 };
        lu.factorise(|number, mut out| match blocks[number] {
            Block::Body => (0..6).for_each(|k| out.row_mut(k)[k] = 1.0),
            Block::Impulses { joint, side } => {
                let of = &joints[joint];
                let body = step.joints.all[of.joint].ends[side].body.expect("a block of a body");
                for (column, i) in of.rows.clone().enumerate() {
                    let now = &middle[rows[i]];
                    let impulse = -(sign(side) * scale[i]) * now.direction;
                    let moment = -scale[i] * stages[body].rot_ib.tr_mul(&now.moments[side]);
                    (0..3).for_each(|k| out.row_mut(k)[column] = impulse[k]);
                    (0..3).for_each(|k| out.row_mut(3 + k)[column] = moment[k]);
                }
            }
            Block::Rates { body, joint, side } => {
                let mass = step.bodies[bodies[body]].mass;
                for (line, i) in joints[joint].rows.clone().enumerate() {
                    let now = &end[rows[i]];
                    let by_impulse = (sign(side) * scale[i] / mass) * now.direction;
                    let by_moment = scale[i] * turned[body].tr_mul(&now.moments[side]);
                    let out = out.row_mut(line);
                    out[..3].copy_from_slice(by_impulse.as_slice());
                    out[3..].copy_from_slice(by_moment.as_slice());
                }
            }
        });
    }

    /// Adds the impulses that give each row a rate to those of the rows; false if they are not finite.
    ///
    /// * `rate` — of each row among those of all joints
    pub(super) fn add_impulses(&mut self, rate: impl Fn(usize) -> f64, lambda: &mut [f64]) -> bool {
        let first = 6 * self.bodies.len();
        let Self { lu, rows, scale, x, .. } = self;
        let right = |i: usize| if i < first { 0.0 } else { scale[i - first] * rate(rows[i - first]) };
        lu.solve(right, |number, value| x[number] = value);
        let are_finite = x.iter().all(|x| x.is_finite());
        if are_finite {
            for ((&row, scale), x) in rows.iter().zip(&*scale).zip(&x[first..]) {
                lambda[row] += scale * x;
            }
        }
        are_finite
    }

    /// The velocities and angular velocities of all bodies by impulses and moments on some of them, with the
    /// impulses of the joints that keep the rates of all rows.
    ///
    /// * `loads` — bodies of the group with impulses and moments
    pub(super) fn respond(
        &mut self,
        loads: &[(usize, Pair)],
        stages: &[Stage],
        step: &Step<'_>,
        mut take: impl FnMut(usize, Pair),
    ) {
        let Self { lu, bodies, x, .. } = self;
        let right = |i: usize| {
            let Some(&body) = bodies.get(i / 6) else { return 0.0 };
            let own = loads.iter().filter(|(number, _)| *number == body);
            own.map(|(_, load)| load[i % 6 / 3][i % 3]).sum()
        };
        lu.solve(right, |number, value| x[number] = value);
        for (&body, x) in bodies.iter().zip(x.as_chunks::<6>().0) {
            let [impulse, moment] = [0, 3].map(|i: usize| Vector3::from_column_slice(&x[i..i + 3]));
            take(body, [impulse / step.bodies[body].mass, stages[body].d_omega * moment]);
        }
    }
}
