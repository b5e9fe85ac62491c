//! Factors of the equations of joined bodies and their contacts, by blocks of bodies, joints and contacts.
//!
//! The unknowns are the total impulse p and moment s of each body, the impulse λ of each row of a joint, and
//! the impulses r of each contact:
//!
//! ```text
//! p − Σ ± λ d_mid − Σ ± r d = p₀ ,   s − Σ λ Aᵀ m_mid − Σ r m_b = s₀ ,
//! Σ ± d_end·p/m + m_end·(H D s) = g ,   A r + B u = f ,   u = Σ ± d·p/m + m_b·(D s)
//! ```
//!
//! with d and m of the rows, D = dW_{n+1}/ds and H the orientation half-way; A, B and f are those of a
//! [`LinearLaw`]. A chain or a tree of bodies costs in proportion to their number (decision 76,
//! `carom_linalg::blocks`). λ is scaled so that the rows have ones on the diagonal of G M⁻¹ Gᵀ, r by the
//! mobility of the bodies without joints.
//!
//! Contacts may repeat each other, as the four feet of a block: each law yields by [`YIELD`] of the mobility,
//! so that the equations stay regular. Repeated solutions from where the last one ended have the limit
//! without it.

use carom_linalg::blocks::{BlockKind, BlockLu, BlockPattern};
use nalgebra::{Matrix3, Vector3};

use super::repeated::Repeated;
use super::solver::{coupling, half_way};
use super::{Joints, RowNow};
use crate::contact::Row;
use crate::law::LinearLaw;
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
    /// The impulses of a contact on the body of a side.
    Pushes { contact: usize, side: usize },
    /// The velocities of a contact by the body of a side, in its law.
    Velocities { contact: usize, side: usize },
    /// The impulses of a contact in its law.
    Law(usize),
}

/// Compliance that each contact has in addition, relative to its mobility.
const YIELD: f64 = 1e-9;

/// The bodies, joints and contacts of a matrix.
pub(crate) struct Parts<'a> {
    /// Bodies that move, ascending.
    pub(crate) bodies: Vec<usize>,
    /// Joints of these bodies.
    pub(crate) joints: Vec<usize>,
    /// Bodies of each contact that move.
    pub(crate) contacts: &'a [[Option<usize>; 2]],
    /// Directions of a contact.
    pub(crate) per_contact: usize,
}

/// The contacts of a matrix: their rows, one after the other, and the law of each.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Touching<'a> {
    pub(crate) rows: &'a [Row],
    pub(crate) laws: &'a [LinearLaw],
    /// Mean mobility of the rows of each contact without joints \[1/kg\].
    pub(crate) mobility: &'a [f64],
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
pub(crate) struct Factors {
    lu: BlockLu,
    blocks: Vec<Block>,
    bodies: Vec<usize>,
    joints: Vec<OfJoint>,
    /// Numbers of the rows among those of all joints.
    rows: Vec<usize>,
    scale: Vec<f64>,
    per_contact: usize,
    /// H D of each body.
    turned: Vec<Matrix3<f64>>,
    x: Vec<f64>,
}

impl Factors {
    /// Room for the factors of a group of joints.
    pub(super) fn of_group(joints: &Joints, group: usize, repeated: &Repeated) -> Self {
        let bodies = joints.group_of.iter().enumerate().filter(|(_, own)| **own == Some(group));
        let of_group = joints.all.iter().enumerate().filter(|(_, joint)| joint.group == group);
        let parts = Parts {
            bodies: bodies.map(|(body, _)| body).collect(),
            joints: of_group.map(|(number, _)| number).collect(),
            contacts: &[],
            per_contact: 1,
        };
        Self::new(joints, parts, repeated)
    }

    /// Room for the factors of bodies with joints and contacts.
    pub(crate) fn new(joints: &Joints, parts: Parts<'_>, repeated: &Repeated) -> Self {
        let Parts { bodies, joints: numbers, contacts, per_contact } = parts;
        let n_bodies = bodies.len();
        let mut unknowns: Vec<Vec<usize>> = (0..n_bodies).map(|k| (6 * k..6 * k + 6).collect()).collect();
        let mut kinds = vec![BlockKind::Free; n_bodies];
        let mut places: Vec<[usize; 2]> = (0..n_bodies).map(|body| [body, body]).collect();
        let mut blocks = vec![Block::Body; n_bodies];
        let (mut of_joints, mut rows) = (Vec::new(), Vec::new());
        let place_of = |body: Option<usize>| bodies.binary_search(&body?).ok();
        for number in numbers {
            let (joint, first) = (&joints.all[number], rows.len());
            let own = joint.first..joint.first + joint.rows.len();
            rows.extend(own.filter(|&row| !repeated.has(row)));
            if rows.len() == first {
                continue;
            }
            let node = unknowns.len();
            unknowns.push((6 * n_bodies + first..6 * n_bodies + rows.len()).collect());
            let sides = joint.ends.each_ref().map(|end| place_of(end.body));
            kinds.push(BlockKind::Constraint { grounded: sides.contains(&None) });
            for (side, body) in sides.into_iter().enumerate() {
                let Some(body) = body else { continue };
                let joint = of_joints.len();
                places.extend([[body, node], [node, body]]);
                blocks.extend([Block::Impulses { joint, side }, Block::Rates { body, joint, side }]);
            }
            of_joints.push(OfJoint { joint: number, rows: first..rows.len() });
        }
        let mut n = 6 * n_bodies + rows.len();
        for (contact, sides) in contacts.iter().enumerate() {
            let node = unknowns.len();
            unknowns.push((n..n + per_contact).collect());
            n += per_contact;
            kinds.push(BlockKind::Constraint { grounded: sides.contains(&None) });
            places.push([node, node]);
            blocks.push(Block::Law(contact));
            for (side, body) in sides.iter().enumerate() {
                let Some(body) = place_of(*body) else { continue };
                places.extend([[body, node], [node, body]]);
                blocks.extend([Block::Pushes { contact, side }, Block::Velocities { contact, side }]);
            }
        }
        let lu = BlockLu::new(&BlockPattern { unknowns, kinds, blocks: places });
        Self {
            lu,
            blocks,
            turned: vec![Matrix3::zeros(); n_bodies],
            bodies,
            joints: of_joints,
            scale: vec![1.0; rows.len()],
            rows,
            per_contact,
            x: vec![0.0; n],
        }
    }

    /// Factors at rows of joints in the middle and at the end of the step.
    pub(crate) fn factorise(
        &mut self,
        (middle, end): (&[RowNow], &[RowNow]),
        touching: Touching<'_>,
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
        let Self { lu, blocks, bodies, joints, rows, scale, turned, per_contact: per, .. } = self;
        let sign = |side: usize| if side == 0 { 1.0 } else { -1.0 };
        let rows_of = |contact: usize| &touching.rows[contact * *per..(contact + 1) * *per];
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
            Block::Pushes { contact, side } => {
                let size = touching.scale(contact);
                for (column, row) in rows_of(contact).iter().enumerate() {
                    let impulse = -(sign(side) * size) * row.direction;
                    let moment = -size * row.moments_b[side];
                    (0..3).for_each(|k| out.row_mut(k)[column] = impulse[k]);
                    (0..3).for_each(|k| out.row_mut(3 + k)[column] = moment[k]);
                }
            }
            Block::Velocities { contact, side } => {
                let (size, law) = (touching.scale(contact), &touching.laws[contact]);
                for (column, row) in rows_of(contact).iter().enumerate() {
                    let [by_impulse, by_moment] = row.by_body(side, stages, step);
                    for line in 0..*per {
                        let factor = size * law.by_velocity[(line, column)];
                        let out = out.row_mut(line);
                        (0..3).for_each(|k| out[k] += factor * by_impulse[k]);
                        (0..3).for_each(|k| out[3 + k] += factor * by_moment[k]);
                    }
                }
            }
            Block::Law(contact) => {
                let (mobility, law) = (touching.mobility[contact], &touching.laws[contact]);
                let by_impulse = law.by_impulse / mobility + YIELD * law.by_velocity;
                for line in 0..*per {
                    let out = out.row_mut(line).iter_mut().enumerate();
                    out.for_each(|(column, out)| *out = by_impulse[(line, column)]);
                }
            }
        });
    }

    /// The changes of impulses and velocities of all contacts by their laws, with the rates of all joints
    /// kept; false if they are not finite.
    ///
    /// * `change` — impulse and velocity of each row of a contact
    pub(crate) fn change(
        &mut self,
        touching: Touching<'_>,
        stages: &[Stage],
        step: &Step<'_>,
        change: &mut Vec<[f64; 2]>,
    ) -> bool {
        let Self { lu, bodies, rows, x, per_contact: per, .. } = self;
        let first = 6 * bodies.len() + rows.len();
        let right = |i: usize| {
            let Some(row) = i.checked_sub(first) else { return 0.0 };
            touching.scale(row / *per) * touching.laws[row / *per].value[row % *per]
        };
        lu.solve(right, |number, value| x[number] = value);
        change.clear();
        for (number, row) in touching.rows.iter().enumerate() {
            let of = |side: usize| {
                let Some(k) = row.bodies[side].and_then(|body| bodies.binary_search(&body).ok()) else {
                    return 0.0;
                };
                let [by_impulse, by_moment] = row.by_body(side, stages, step);
                let [p, s] = [0, 3].map(|i: usize| Vector3::from_column_slice(&x[6 * k + i..6 * k + i + 3]));
                by_impulse.dot(&p) + by_moment.dot(&s)
            };
            change.push([touching.scale(number / *per) * x[first + number], of(0) + of(1)]);
        }
        x.iter().all(|x| x.is_finite())
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

impl Touching<'_> {
    /// The unit of the impulses of a contact, for which its mobility is 1.
    fn scale(&self, contact: usize) -> f64 {
        1.0 / self.mobility[contact].sqrt()
    }
}
