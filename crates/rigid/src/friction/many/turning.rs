//! The path by its length, around its turns.
//!
//! Unknowns are X = (m r, u)/size of all rows, and s = ln τ. The path F(X, s) = 0 has the tangent t with
//! F_X t_X + F_s t_s = 0. A step goes along it by a length h, and Newton's method returns to the path at a
//! right angle to it:
//!
//! ```text
//! F_X ΔX + F_s Δs = −F ,     t_X·ΔX + σ² t_s Δs = 0
//! ```
//!
//! Both equations have the same matrix F_X, with F and F_s on the right side. Where the path turns back, τ
//! grows for a while.

use super::{CONE, Path, Point, ROUNDING};
use crate::contact::Rows;
use crate::search::Step;
use crate::stage::Stage;
use nalgebra::Vector3;

/// Matrices of one path.
pub(super) const MATRICES: usize = 300;

/// Steps of Newton's method to the path, and to its first point.
const RETURNS: usize = 8;
const TO_THE_FIRST: usize = 30;

/// σ, the weight of s.
const WEIGHT: f64 = 0.3;

/// h of the first step, and the shortest.
const FIRST_LENGTH: f64 = 0.3;
const SHORTEST: f64 = 1e-5;

/// A step that fails is repeated with this part of its length.
const SHORTENED: f64 = 0.4;

/// Points of the path have |F| below this part of τ. Nearer ones cost little; from points farther away the
/// path was lost to another one that leads back to its beginning.
const NEAR: f64 = 3e-3;

/// Least cosine of the angle between two tangents.
const STRAIGHT: f64 = 0.8;

/// Largest change of s in a step.
const LARGEST: f64 = 4.0;

/// Growth of s from where a path returns to its beginning.
const BEYOND: f64 = 1.0;

/// Relative change of τ for F_s.
const DIFFERENCE: f64 = 1e-4;

/// Memory of a path.
#[derive(Debug, Default)]
pub(super) struct Turning {
    /// X by s.
    along: Vec<[f64; 2]>,
    tangent: Tangent,
    /// −F_s of each contact \[m/s\].
    by_s: Vec<Vector3<f64>>,
}

/// A unit vector along the path.
#[derive(Debug, Default)]
struct Tangent {
    x: Vec<[f64; 2]>,
    s: f64,
    is_known: bool,
}

impl Path {
    /// Goes along the path from τ and the present point to the solution; false if it does not get there.
    pub(super) fn trace(&mut self, tau: f64, rows: &mut Rows, stages: &[Stage], step: &Step<'_>) -> bool {
        let (mut s, mut level, mut length) = (tau.ln(), tau.ln(), FIRST_LENGTH);
        let beyond = s + BEYOND;
        let (mut returns, mut last) = (0, f64::INFINITY);
        self.turning.tangent.is_known = false;
        for _ in 0..self.matrices {
            let norm = self.norm(&self.now, s.exp(), rows);
            let is_near = norm <= NEAR * s.exp() + ROUNDING;
            let is_known = self.turning.tangent.is_known;
            let fails = !is_near && returns > 0 && (norm > 0.9 * last || returns >= RETURNS);
            if is_known && fails {
                length *= SHORTENED;
                if length < SHORTEST {
                    return false;
                }
                s = self.step_along(length, level, rows);
                (returns, last) = (0, f64::INFINITY);
                continue;
            }
            if is_near && is_known {
                let residual = self.residual(rows);
                self.remember_nearest(residual);
                if residual <= CONE * self.size {
                    return true;
                }
            }
            if (!is_known && returns > TO_THE_FIRST) || !self.linearise(s.exp(), rows, stages, step) {
                return false;
            }
            if is_near {
                if self.turning.cosine() < STRAIGHT && length > SHORTEST {
                    length *= SHORTENED;
                } else {
                    if is_known {
                        length *= growth(returns, self.turning.tangent.s);
                    }
                    self.turning.tangent.set(&self.turning.along);
                    length = length.min(LARGEST / self.turning.tangent.s.abs().max(f64::MIN_POSITIVE));
                    self.level.clone_from(&self.now);
                    level = s;
                }
                if level > beyond {
                    return false;
                }
                s = self.step_along(length, level, rows);
                (returns, last) = (0, f64::INFINITY);
            } else {
                s += self.step_back(rows);
                (returns, last) = (returns + 1, norm);
            }
        }
        false
    }

    /// Newton's step and the derivative of X by s at τ, in units of X; false if they are not finite.
    fn linearise(&mut self, tau: f64, rows: &mut Rows, stages: &[Stage], step: &Step<'_>) -> bool {
        self.turning.by_s.clear();
        self.laws.clear();
        for c in 0..self.friction.len() {
            let here = self.at(c, &self.now, tau, rows);
            let there = self.at(c, &self.now, (1.0 + DIFFERENCE) * tau, rows);
            self.turning.by_s.push((-self.size / DIFFERENCE) * (there.value - here.value));
            self.laws.push(here.law(self.size, self.normals[c].compliance));
        }
        if !rows.change_by_laws(&self.laws, stages, step, &mut self.changes) {
            return false;
        }
        for (law, value) in self.laws.iter_mut().zip(&self.turning.by_s) {
            law.value = *value;
        }
        if !rows.change_by_values(&self.laws, stages, step, &mut self.turning.along) {
            return false;
        }
        for (i, both) in self.changes.iter_mut().zip(&mut self.turning.along).enumerate() {
            let compliance = if i % 3 == 0 { self.normals[i / 3].compliance } else { 0.0 };
            for [r, u] in [both.0, both.1] {
                *u = (*u + compliance * *r) / self.size;
                *r *= rows.free_mobility(i / 3) / self.size;
            }
        }
        true
    }

    /// Goes along the tangent from the last point of the path; returns s.
    fn step_along(&mut self, length: f64, level: f64, rows: &Rows) -> f64 {
        let Self { now, level: from, turning, size, .. } = self;
        now.clone_from(from);
        now.add(&turning.tangent.x, length * *size, rows);
        level + length * turning.tangent.s
    }

    /// Newton's step to the path, at a right angle to the tangent; at the same s to its first point. Returns
    /// the change of s.
    fn step_back(&mut self, rows: &Rows) -> f64 {
        let Self { now, turning: Turning { along, tangent, .. }, changes, size, .. } = self;
        let by_s = WEIGHT * WEIGHT * tangent.s + dot(&tangent.x, along);
        let change = if tangent.is_known { -dot(&tangent.x, changes) / by_s } else { 0.0 };
        let change = change.clamp(-1.0, 1.0);
        now.add(changes, *size, rows);
        now.add(along, change * *size, rows);
        change
    }
}

impl Turning {
    /// Cosine of the angle between the tangents of this point and of the one before; 1 of the first point.
    fn cosine(&self) -> f64 {
        let Self { along, tangent, .. } = self;
        if !tangent.is_known {
            return 1.0;
        }
        let length = (dot(along, along) + WEIGHT * WEIGHT).sqrt();
        ((dot(along, &tangent.x) + WEIGHT * WEIGHT * tangent.s) / length).abs()
    }
}

impl Tangent {
    /// The tangent of a point, in the direction of the one before, the first towards smaller τ.
    ///
    /// * `along` — X by s
    fn set(&mut self, along: &[[f64; 2]]) {
        let length = (dot(along, along) + WEIGHT * WEIGHT).sqrt();
        let goes_on = self.is_known && dot(along, &self.x) + WEIGHT * WEIGHT * self.s > 0.0;
        let factor = if goes_on { 1.0 } else { -1.0 } / length;
        self.x.clear();
        self.x.extend(along.iter().map(|[r, u]| [factor * r, factor * u]));
        (self.s, self.is_known) = (factor, true);
    }
}

impl Point {
    /// Adds a multiple of X, whose unit of velocities is part of the factor.
    fn add(&mut self, x: &[[f64; 2]], factor: f64, rows: &Rows) {
        for (i, [r, u]) in x.iter().enumerate() {
            self.r[i] += factor / rows.free_mobility(i / 3) * r;
            self.u[i] += factor * u;
        }
    }
}

/// Factor of the length after a number of steps back to the path. A path that goes straight to its end has
/// long steps.
fn growth(returns: usize, s: f64) -> f64 {
    let is_straight = WEIGHT * s < -0.9;
    match returns {
        0 | 1 => 2.0,
        2 => 1.5,
        _ if is_straight => 1.5,
        3 => 1.0,
        _ => 0.7,
    }
}

fn dot(a: &[[f64; 2]], b: &[[f64; 2]]) -> f64 {
    a.iter().zip(b).map(|([a, b], [c, d])| a * c + b * d).sum()
}
