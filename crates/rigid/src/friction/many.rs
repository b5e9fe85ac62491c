//! Friction of many contacts: Newton's method for the function of Alart and Curnier, each step by blocks of
//! bodies, joints and contacts.
//!
//! With the mobility m of a contact without joints, in units of velocities:
//!
//! ```text
//! a = m r_N − u_N ,   b = m r_T − u_T ,   F = m r − (max(0, a), projection of b on the disc μ max(0, a)) = 0
//! ```
//!
//! A step has the linear laws A Δr + B Δu = −F of all contacts. Velocities are linear in the problem, so that
//! a shorter step needs no other solution.
//!
//! # Source
//!
//! Alart & Curnier (1991), Comput. Methods Appl. Mech. Engng. 92, 353–375.

use carom_contact::solver::{FRICTION_ACCEPTED, friction_residual};
use nalgebra::{Matrix2, Matrix3, Vector2, Vector3};

use super::{CONE, Friction};
use crate::contact::{Contact, Rows};
use crate::law::{LinearLaw, NormalLaw};
use crate::search::Step;
use crate::stage::Stage;

/// The shortest part of a Newton step that is tried.
const SHORTEST: f64 = 1.0 / 64.0;

/// Newton steps of a linear problem: at first, on each part of a path, and at the end.
const FIRST: usize = 6;
const ON_PATH: usize = 20;
const LAST: usize = 40;

/// Compliance γ of all contacts relative to their mobility: without it, contacts that repeat each other, as
/// the hinges and feet of a chain that lies on the floor, leave the impulses open.
const COMPLIANCE: f64 = 1e-6;

/// Solutions with this compliance, at most.
const CENTERS: usize = 20;

/// Larger ones along a path.
const PATH: [f64; 12] = [1.0, 0.3, 0.1, 0.03, 0.01, 3e-3, 1e-3, 3e-4, 1e-4, 3e-5, 1e-5, 3e-6];

/// Residual at which the next part of a path begins, relative to that at the start of a part.
const NEAR: f64 = 1e-3;

/// Residual above the wanted one at which it is enough that the last step has not halved it.
const NEARLY: f64 = 100.0;

/// Memory of Newton's method.
#[derive(Default)]
pub(super) struct Newton {
    laws: Vec<LinearLaw>,
    normals: Vec<NormalLaw>,
    friction: Vec<f64>,
    /// Largest velocity without impulses \[m/s\].
    size: f64,
    changes: Vec<[f64; 2]>,
    /// Impulses, and velocities with the laws of the normals.
    r: Vec<f64>,
    u: Vec<f64>,
    trial: [Vec<f64>; 2],
    start: [Vec<f64>; 2],
    /// Steps of this problem along which |F| did not fall.
    failed: usize,
    /// γ, and r₀.
    compliance: f64,
    center: Vec<f64>,
}

impl Friction {
    /// Impulses and expected velocities of the linear problem at the present ones; false if it is not solved.
    pub(super) fn cone_by_blocks(
        &mut self,
        contacts: &[Contact],
        rows: &mut Rows,
        stages: &[Stage],
        step: &Step<'_>,
    ) -> bool {
        if !rows.set_blocks(stages, step) {
            return false;
        }
        self.newton.begin(contacts, rows, step);
        let is_solved = self.newton.solve(rows, stages, step);
        self.r.clone_from(&self.newton.r);
        self.newton.expect(&mut self.expected);
        is_solved
    }
}

impl Newton {
    /// The linear problem at the present impulses and velocities.
    fn begin(&mut self, contacts: &[Contact], rows: &Rows, step: &Step<'_>) {
        self.r.clone_from(&rows.impulse);
        self.u.clone_from(&rows.after);
        self.normals.clear();
        self.friction.clear();
        for (i, contact) in contacts.iter().enumerate() {
            let law = NormalLaw::at(contact, rows.before[3 * i], rows.after[3 * i], step.dt);
            self.u[3 * i] += law.offset + law.compliance * self.r[3 * i];
            self.normals.push(law);
            self.friction.push(contact.friction);
        }
        if self.r.iter().all(|r| *r == 0.0) {
            self.size = self.u.iter().fold(0.0, |m: f64, u| m.max(u.abs()));
        }
    }

    /// The velocities that the linear problem predicts.
    fn expect(&self, expected: &mut Vec<f64>) {
        expected.clone_from(&self.u);
        for (i, law) in self.normals.iter().enumerate() {
            expected[3 * i] -= law.offset + law.compliance * self.r[3 * i];
        }
    }

    /// Solves the linear problem; false if the method does not converge.
    ///
    /// Contacts have a compliance γ in addition, with velocities γ m (r − r₀). From each solution the next
    /// one begins with r₀ = r (proximal points), until the velocities of γ are none beside the others.
    fn solve(&mut self, rows: &mut Rows, stages: &[Stage], step: &Step<'_>) -> bool {
        let small = FRICTION_ACCEPTED * self.size;
        self.start[0].clone_from(&self.r);
        self.start[1].clone_from(&self.u);
        self.failed = 0;
        self.center.clear();
        self.center.resize(self.r.len(), 0.0);
        self.compliance = COMPLIANCE;
        let mut is_solved =
            self.iterate(FIRST, small, rows, stages, step) || self.follow_path(small, rows, stages, step);
        for _ in 0..CENTERS {
            self.compliance = 0.0;
            if !is_solved || self.residual(rows) <= CONE * self.size {
                return is_solved;
            }
            self.compliance = COMPLIANCE;
            self.center.clone_from(&self.r);
            is_solved = self.iterate(LAST, small, rows, stages, step);
        }
        false
    }

    /// The same from the first guess, by compliances from a large one to the small one. Newton's method
    /// alone moves the border of the contacts that slip by about one neighbour in each step; a compliance γ
    /// moves it by 1/√γ neighbours.
    fn follow_path(&mut self, small: f64, rows: &mut Rows, stages: &[Stage], step: &Step<'_>) -> bool {
        self.r.clone_from(&self.start[0]);
        self.u.clone_from(&self.start[1]);
        for compliance in PATH {
            self.compliance = compliance;
            self.center.clone_from(&self.r);
            let near = NEAR * self.residual(rows);
            self.iterate(ON_PATH, near, rows, stages, step);
        }
        self.compliance = COMPLIANCE;
        self.iterate(LAST, small, rows, stages, step)
    }

    /// Newton's method with the present compliance of all contacts; false if it does not converge.
    fn iterate(
        &mut self,
        steps: usize,
        small: f64,
        rows: &mut Rows,
        stages: &[Stage],
        step: &Step<'_>,
    ) -> bool {
        let mut last = f64::INFINITY;
        for _ in 0..=steps {
            let residual = self.residual(rows);
            if residual <= small || (residual <= NEARLY * small && residual >= 0.5 * last) {
                return true;
            }
            last = residual;
            let norm = self.differentiate(rows);
            if !rows.change_by_laws(&self.laws, stages, step, &mut self.changes) {
                return false;
            }
            self.go(norm, rows);
        }
        false
    }

    /// Goes along the changes, as far as |F| falls. Where it does not, the whole way and the shortest one
    /// take turns, so that no step is repeated.
    fn go(&mut self, norm: f64, rows: &Rows) {
        let mut length = 1.0;
        while self.try_length(length, rows) >= (1.0 - 0.1 * length) * norm {
            if length > SHORTEST {
                length *= 0.5;
                continue;
            }
            self.failed += 1;
            if !self.failed.is_multiple_of(2) {
                self.try_length(1.0, rows);
            }
            break;
        }
        std::mem::swap(&mut self.r, &mut self.trial[0]);
        std::mem::swap(&mut self.u, &mut self.trial[1]);
    }

    /// A part of the changes into `trial`; returns |F|.
    fn try_length(&mut self, length: f64, rows: &Rows) -> f64 {
        let [mut r, mut u] = std::mem::take(&mut self.trial);
        r.clear();
        u.clear();
        for (i, [by, velocity]) in self.changes.iter().enumerate() {
            let compliance = if i % 3 == 0 { self.normals[i / 3].compliance } else { 0.0 };
            r.push(self.r[i] + length * by);
            u.push(self.u[i] + length * (velocity + compliance * by));
        }
        let of = |c: usize| self.at(c, [&r, &u], rows).value.norm_squared();
        let square: f64 = (0..self.friction.len()).map(of).sum();
        self.trial = [r, u];
        square.sqrt()
    }

    /// The laws of a step from the present point; returns |F|.
    fn differentiate(&mut self, rows: &Rows) -> f64 {
        self.laws.clear();
        let mut square = 0.0;
        for c in 0..self.friction.len() {
            let now = self.at(c, [&self.r, &self.u], rows);
            square += now.value.norm_squared();
            let of_all = self.compliance * now.mobility;
            self.laws.push(now.law([self.normals[c].compliance + of_all, of_all, of_all]));
        }
        square.sqrt()
    }

    /// The residual of the natural map, in units of velocities.
    fn residual(&mut self, rows: &Rows) -> f64 {
        let [r, u] = &mut self.trial;
        r.clear();
        r.extend(self.r.iter().enumerate().map(|(i, r)| rows.free_mobility(i / 3) * r));
        u.clear();
        let yields = r.iter().zip(&self.center).enumerate();
        let yields = yields.map(|(i, (r, center))| r - rows.free_mobility(i / 3) * center);
        u.extend(self.u.iter().zip(yields).map(|(u, r)| u + self.compliance * r));
        friction_residual(&self.friction, 3, r, u)
    }

    /// A contact at impulses and velocities.
    fn at(&self, c: usize, [r, u]: [&[f64]; 2], rows: &Rows) -> AtContact {
        let mobility = rows.free_mobility(c);
        let r = mobility * Vector3::from_column_slice(&r[3 * c..3 * c + 3]);
        let center = mobility * Vector3::from_column_slice(&self.center[3 * c..3 * c + 3]);
        let u = Vector3::from_column_slice(&u[3 * c..3 * c + 3]) + self.compliance * (r - center);
        AtContact::new(mobility, r, u, self.friction[c])
    }
}

/// The function of Alart and Curnier of one contact.
struct AtContact {
    mobility: f64,
    friction: f64,
    /// μ a, and b.
    disc: f64,
    b: Vector2<f64>,
    /// F.
    value: Vector3<f64>,
    phase: Phase,
}

#[derive(Clone, Copy, PartialEq)]
enum Phase {
    Open,
    Sticks,
    Slips,
}

impl AtContact {
    /// * `r`, `u` — impulses times the mobility, and velocities
    fn new(mobility: f64, r: Vector3<f64>, u: Vector3<f64>, friction: f64) -> Self {
        let a = r - u;
        let (b, disc) = (Vector2::new(a.y, a.z), friction * a.x);
        let (phase, value) = if a.x < 0.0 {
            (Phase::Open, r)
        } else if b.norm() <= disc {
            (Phase::Sticks, u)
        } else {
            let limit = disc / b.norm() * b;
            (Phase::Slips, Vector3::new(u.x, r.y - limit.x, r.z - limit.y))
        };
        Self { mobility, friction, disc, b, value, phase }
    }

    /// An element of its generalised Jacobian, with compliances of the rows: A Δr + B Δu = −F.
    fn law(&self, compliance: [f64; 3]) -> LinearLaw {
        let (mut by_impulse, mut by_velocity) = (Matrix3::zeros(), Matrix3::zeros());
        match self.phase {
            Phase::Open => by_impulse = self.mobility * Matrix3::identity(),
            Phase::Sticks => by_velocity = Matrix3::identity(),
            Phase::Slips => {
                // dF_T = m dr_T − μ n da − (μ a/|b|)(E − n nᵀ) db
                let n = self.b.normalize();
                let across = self.disc / self.b.norm() * (Matrix2::identity() - n * n.transpose());
                let along = self.friction * n;
                by_velocity[(0, 0)] = 1.0;
                by_velocity.fixed_view_mut::<2, 1>(1, 0).copy_from(&along);
                by_velocity.fixed_view_mut::<2, 2>(1, 1).copy_from(&across);
                by_impulse.fixed_view_mut::<2, 1>(1, 0).copy_from(&(-self.mobility * along));
                let turned = self.mobility * (Matrix2::identity() - across);
                by_impulse.fixed_view_mut::<2, 2>(1, 1).copy_from(&turned);
            }
        }
        by_impulse += by_velocity * Matrix3::from_diagonal(&compliance.into());
        LinearLaw { by_impulse, by_velocity, value: -self.value }
    }
}
