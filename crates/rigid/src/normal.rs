//! Impulses along the normals, multipliers and springs in one problem: an inelastic phase finds the
//! multipliers that touch, an elastic one the impulses.
//!
//! ```text
//! inelastic:  0 ≤ g_{n+1}(λ) − min(g_n, 0) ⟂ λ ≥ 0          multipliers that stay open leave
//! elastic:    0 ≤ u₊ + e u₋ ⟂ λ ≥ 0   and   λ = dt F(g_{n+1})
//! ```
//!
//! With e = 1 no energy is lost: Σ λ (u₋ + u₊)/2 = 0 for multipliers and −ΔU for springs
//! (docs/theory/rigid.md, section 6.3). A multiplier whose gap was negative at the start need not open
//! within one step, but must not close further. u₊ depends on λ through the rotation, and F on the gap, so
//! that the elastic phase is Newton's method: each of its linear complementarity problems gives the
//! contacts with impulses, for which the equations are then solved to round-off.
//!
//! # Source
//!
//! Zywicz & Puso (1999), section 4.2, eqs. (58) to (60); springs: `spring`.

mod many;

use carom_contact::solver::{Dense, LcpError, LcpSolver};

use crate::contact::{Contact, Rows};
use crate::elimination;
use crate::law::{LinearLaw, NormalLaw};
use crate::search::Step;
use crate::stage::Stage;
use crate::step_error::Unsolved;

const MAX_ITERATIONS: usize = 60;

/// Iterations that refine the impulses of a problem with friction to round-off; one or two are enough.
const POLISH: usize = 4;

/// Change of a tangential velocity, relative to the largest, with which the refinement breaks the laws of
/// friction. These hold to 1e-7.
const SLIPS: f64 = 1e-6;

/// Velocities that count as round-off, relative to the largest; the same for impulses of springs against
/// those of their gaps.
const ROUND_OFF: f64 = 4.0 * f64::EPSILON;

/// The same limit where the iteration stagnates above round-off.
const SMALL: f64 = 1e-12;

/// Relative change of a gap that counts as zero, for contacts without an impulse that repeat others.
const STAYS: f64 = 1e-9;

/// The same for contacts with a restitution below one, whose loss is in the ledger.
const BOOKED: f64 = 1e-6;

/// Relative residual at which a linear problem counts as solved: where contacts repeat each other the last
/// digits converge slowly, and the equations of the active ones are solved to round-off afterwards.
const NEARLY: f64 = 1e-8;

/// Memory of the solution.
#[derive(Default)]
pub(crate) struct Normal {
    lcp: LcpSolver,
    matrix: Dense,
    scale: Vec<f64>,
    compliance: Vec<f64>,
    q: Vec<f64>,
    z: Vec<f64>,
    small: Vec<f64>,
    change: Vec<f64>,
    active: Vec<usize>,
    columns: Vec<usize>,
    next: Vec<usize>,
    laws: Vec<LinearLaw>,
    changes: Vec<[f64; 2]>,
    /// Velocities and normal impulses of a solution with friction before it is refined.
    solved: Vec<f64>,
    rough: Vec<f64>,
}

impl Normal {
    /// Makes room for n contacts.
    pub(crate) fn reserve(&mut self, n: usize) {
        for list in [&mut self.scale, &mut self.compliance, &mut self.q, &mut self.z, &mut self.change] {
            list.reserve(n);
        }
        self.small.reserve(n * n);
        self.active.reserve(n);
        self.columns.reserve(n);
        // The first solution allocates the memory of the solver: this one is known.
        self.z.resize(n, 0.0);
        self.q.resize(n, -1.0);
        let known = self.matrix.fill(n, |i, j| f64::from(u8::from(i == j)));
        let solved = known.and_then(|()| self.lcp.solve(&self.matrix, &self.q, &mut self.z, None));
        debug_assert!(solved.is_ok(), "z = 1 solves z - 1 = 0");
    }

    /// Removes the multipliers that do not touch. `rows` are normals, evaluated without impulses.
    pub(crate) fn inelastic_phase(&mut self, contacts: &mut Vec<Contact>, rows: &Rows, step: &Step<'_>) {
        let n = contacts.len();
        let closes = |contact: &Contact| !contact.is_multiplier() || contact.gap_new < contact.gap_old;
        if n == 1 {
            contacts.retain(closes);
            return;
        }
        self.linearise(contacts, rows, step);
        let mut largest = 0.0_f64;
        for (q, contact) in self.q.iter_mut().zip(&*contacts).filter(|(_, contact)| contact.is_multiplier()) {
            *q = 2.0 / step.dt * (contact.gap_new - contact.gap_old);
            largest = largest.max(q.abs());
        }
        if self.lcp(rows, Part::Symmetric).is_err() {
            // Contacts that face each other may contradict each other.
            contacts.retain(closes);
            return;
        }
        let mut number = 0;
        let (z, q) = (&self.z, &self.q);
        contacts.retain(|contact| {
            let i = number;
            number += 1;
            let opens: f64 = q[i] + (0..n).map(|j| rows.normal_mobility(i, j) * z[j]).sum::<f64>();
            !contact.is_multiplier() || z[i] > 0.0 || opens <= STAYS * largest
        });
    }

    /// Impulses of all contacts by their laws, without friction.
    pub(crate) fn elastic_phase(
        &mut self,
        contacts: &[Contact],
        rows: &mut Rows,
        stages: &mut [Stage],
        step: &Step<'_>,
    ) -> Result<(), Unsolved> {
        if rows.by_blocks {
            return self.elastic_by_blocks(contacts, rows, stages, step);
        }
        let scale = Scale::new(contacts, rows, stages);
        let mut last = f64::INFINITY;
        let mut part = Part::Symmetric;
        for _ in 0..MAX_ITERATIONS {
            rows.set_mobility(stages, step);
            self.linearise(contacts, rows, step);
            self.lcp(rows, part)?;
            self.active.clear();
            self.active.extend((0..contacts.len()).filter(|&i| self.z[i] > 0.0));
            self.refine(rows);
            self.apply(rows, stages, step)?;
            let missed = scale.missed(contacts, rows, step, |_| true);
            if missed.relative() <= ROUND_OFF || (missed.relative() >= 0.5 * last && missed.is_small()) {
                return Ok(());
            }
            if missed.relative() >= 0.5 * last {
                part = Part::Whole;
            }
            last = missed.relative();
        }
        Err(Unsolved::Impulses { contacts: contacts.len(), missed: last })
    }

    /// Refines the normal impulses of a problem with friction to round-off for fixed tangential impulses,
    /// so that the energy is as exact as without friction. Contacts without impulse stay without. Where many
    /// contacts repeat each other, rounding may ask for normal impulses that set sticking contacts in motion:
    /// then the impulses stay as they are.
    pub(crate) fn polish(
        &mut self,
        contacts: &[Contact],
        rows: &mut Rows,
        stages: &mut [Stage],
        step: &Step<'_>,
    ) -> Result<(), Unsolved> {
        let scale = Scale::new(contacts, rows, stages);
        let mut last = f64::INFINITY;
        self.solved.clone_from(&rows.after);
        for _ in 0..POLISH {
            let per = rows.per_contact;
            self.z.clear();
            self.z.extend(rows.impulse.iter().step_by(per));
            let missed = scale.missed(contacts, rows, step, |i| self.z[i] > 0.0);
            if missed.relative() <= ROUND_OFF || missed.relative() >= 0.5 * last {
                break;
            }
            last = missed.relative();
            self.rough.clone_from(&self.z);
            if rows.by_blocks {
                if !self.refine_by_blocks(contacts, rows, stages, step) {
                    break;
                }
            } else {
                rows.set_mobility(stages, step);
                self.linearise(contacts, rows, step);
                self.active.clear();
                self.active.extend((0..contacts.len()).filter(|&i| self.z[i] > 0.0));
                self.refine(rows);
            }
            self.apply(rows, stages, step)?;
            let changes = rows.after.iter().zip(&self.solved).map(|(new, old)| (new - old).abs());
            let slips = changes.enumerate().filter(|(row, _)| row % per > 0).map(|(_, slip)| slip);
            if slips.fold(0.0, f64::max) > SLIPS * scale.speed {
                self.z.clone_from(&self.rough);
                self.apply(rows, stages, step)?;
                break;
            }
        }
        Ok(())
    }

    /// C of each contact, and q with u₊ + C r + b = (M + C) r + q at the present velocities.
    fn linearise(&mut self, contacts: &[Contact], rows: &Rows, step: &Step<'_>) {
        self.compliance.clear();
        self.q.clear();
        let (n, per) = (contacts.len(), rows.per_contact);
        for (i, contact) in contacts.iter().enumerate() {
            let (before, after) = (rows.before[i * per], rows.after[i * per]);
            let law = NormalLaw::at(contact, before, after, step.dt);
            let linear: f64 = (0..n).map(|j| rows.normal_mobility(i, j) * rows.impulse[j * per]).sum();
            self.compliance.push(law.compliance);
            self.q.push(after + law.offset - linear);
        }
    }

    /// Impulses z, and the velocities that result.
    fn apply(&self, rows: &mut Rows, stages: &mut [Stage], step: &Step<'_>) -> Result<(), Unsolved> {
        let per = rows.per_contact;
        for (i, z) in self.z.iter().enumerate() {
            rows.impulse[i * per] = *z;
        }
        rows.evaluate(stages, step)
    }

    /// z ≥ 0, (M + C) z + q ≥ 0 with product 0, scaled to ones on the diagonal.
    fn lcp(&mut self, rows: &Rows, part: Part) -> Result<(), Unsolved> {
        let n = self.q.len();
        let (c, q) = (&self.compliance, &self.q);
        self.z.clear();
        if n == 1 {
            self.z.push((-q[0] / (rows.normal_mobility(0, 0) + c[0])).max(0.0));
            return Ok(());
        }
        self.z.resize(n, 0.0);
        self.scale.clear();
        self.scale.extend((0..n).map(|i| 1.0 / (rows.normal_mobility(i, i) + c[i]).sqrt()));
        let s = &self.scale;
        let of_part = |i: usize, j: usize| match part {
            Part::Symmetric => 0.5 * (rows.normal_mobility(i, j) + rows.normal_mobility(j, i)),
            Part::Whole => rows.normal_mobility(i, j),
        };
        self.matrix.fill(n, |i, j| if i == j { 1.0 } else { s[i] * s[j] * of_part(i, j) })?;
        let size = q.iter().zip(s).fold(0.0, |m: f64, (q, s)| m.max((q * s).abs()));
        if size == 0.0 {
            return Ok(());
        }
        self.small.clear();
        self.small.extend(q.iter().zip(s).map(|(q, s)| q * s / size));
        match self.lcp.solve(&self.matrix, &self.small, &mut self.z, None) {
            Err(LcpError::Unsolved { residual, .. }) if residual <= NEARLY => {}
            other => drop(other?),
        }
        self.z.iter_mut().zip(s).for_each(|(z, s)| *z *= s * size);
        Ok(())
    }

    /// Solves (M + C)_aa z_a + q_a = 0 of the active contacts to round-off, with the unsymmetric M;
    /// impulses that would pull are not changed.
    fn refine(&mut self, rows: &Rows) {
        let (active, z, c) = (&self.active, &self.z, &self.compliance);
        let entry = |i: usize, j: usize| rows.normal_mobility(i, j) + if i == j { c[i] } else { 0.0 };
        self.small.clear();
        self.small.extend(active.iter().flat_map(|&i| active.iter().map(move |&j| entry(i, j))));
        self.change.clear();
        let missing = |i: usize| -self.q[i] - active.iter().map(|&j| entry(i, j) * z[j]).sum::<f64>();
        self.change.extend(active.iter().map(|&i| missing(i)));
        elimination::solve(&mut self.small, &mut self.change, &mut self.columns);
        for (k, &i) in self.active.iter().enumerate() {
            let refined = self.z[i] + self.change[k];
            if refined > 0.0 {
                self.z[i] = refined;
            }
        }
    }
}

/// Part of the mobility in a linear problem. Rotation within the step makes the mobility unsymmetric;
/// problems with its symmetric part are convex, and nearly always have the same contacts without impulses.
#[derive(Debug, Clone, Copy)]
enum Part {
    Symmetric,
    Whole,
}

/// Scales of the velocities and impulses of a step.
struct Scale {
    /// Largest speed of the rows at the start: at the end all may be zero \[m/s\].
    speed: f64,
    /// Largest sum of the speeds of both bodies at a contact, of which its velocities are the difference
    /// \[m/s\].
    rounded: f64,
}

/// Errors of the contact laws.
#[derive(Debug, Clone, Copy)]
struct Missed {
    /// Velocities of multipliers, relative to the speed of the rows.
    velocity: f64,
    /// The same for contacts whose losses are not in the ledger, relative to the speeds of the bodies.
    rounded: f64,
    /// Impulses of springs beyond rounding, relative to the largest.
    spring: f64,
}

impl Missed {
    fn relative(&self) -> f64 {
        self.velocity.max(self.spring)
    }

    /// True for errors near round-off that iteration does not reduce. Feet of one body that return from
    /// different depths contradict each other; the linear problem neglects a part of this, and the ledger
    /// contains its work.
    fn is_small(&self) -> bool {
        self.rounded.max(self.spring) <= SMALL && self.velocity <= BOOKED
    }
}

impl Scale {
    fn new(contacts: &[Contact], rows: &Rows, stages: &[Stage]) -> Self {
        let speed = rows.speed();
        let rounded = contacts.iter().fold(speed, |m: f64, contact| m.max(contact.speed(stages)));
        Self { speed, rounded }
    }

    /// Errors of the laws of some contacts.
    fn missed(
        &self,
        contacts: &[Contact],
        rows: &Rows,
        step: &Step<'_>,
        counts: impl Fn(usize) -> bool,
    ) -> Missed {
        let per = rows.per_contact;
        let (mut velocity, mut spring, mut largest) = ([0.0_f64; 2], 0.0_f64, f64::MIN_POSITIVE);
        for (i, contact) in contacts.iter().enumerate().filter(|(i, _)| counts(*i)) {
            let (before, after) = (rows.before[i * per], rows.after[i * per]);
            let impulse = rows.impulse[i * per];
            largest = largest.max(impulse);
            if contact.is_multiplier() {
                let opening = after + NormalLaw::at(contact, before, after, step.dt).offset;
                let missed = if impulse > 0.0 { opening.abs() } else { -opening };
                let of = usize::from(contact.restitution < 1.0);
                velocity[of] = velocity[of].max(missed);
                continue;
            }
            let (f, _) = contact.spring_force(before, after, step.dt);
            largest = largest.max(step.dt * f);
            // Rounded velocities make rounded gaps, and springs turn these into impulses.
            let way = contact.gap_old.abs() + step.dt * self.rounded;
            let noise = 8.0 * f64::EPSILON * step.dt * contact.stiffness * way;
            spring = spring.max((impulse - step.dt * f).abs() - noise);
        }
        let [kept, booked] = velocity;
        let relative = |velocity: f64, speed: f64| velocity / speed.max(f64::MIN_POSITIVE);
        Missed {
            velocity: relative(kept.max(booked), self.speed),
            rounded: relative(kept, self.rounded),
            spring: spring / largest,
        }
    }
}
