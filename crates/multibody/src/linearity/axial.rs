//! The axial force along a body from the loads on it and its inertia.
//!
//! The part of the body beyond a cut at s is in equilibrium with the loads F on it, its inertia and the axial
//! force N(s), tension > 0:
//!
//! ```text
//! N(s) = Σ_{s' > s} F − ∫_{s' > s} (ā − |ω⊥|² s') dm,    ā = Σ F / m
//! ```
//!
//! with s from the centre of mass, F along the longest axis, and the part ω⊥ of the angular velocity across
//! it. Gravity is no load here: it accelerates every part alike. A grounded body is held at its ends, and
//! there the support takes the remaining force. The mass lies along the axis with the density that is linear
//! in s and has the body's mass and centre.

use nalgebra::Vector3;

use super::shape::Shape;
use crate::body::Body;

/// Cuts of a body, the mass beyond each, and the axial force there.
#[derive(Debug, Clone)]
pub(super) struct Axial {
    /// Places of the cuts \[m\].
    cuts: Vec<f64>,
    /// Mass beyond each \[kg\] and its first moment about the centre of mass \[kg m\].
    beyond: Vec<[f64; 2]>,
    mass: f64,
    ends: [f64; 2],
    /// Which ends the ground holds; none of a free body.
    holds: Option<[bool; 2]>,
    /// N at each cut \[N\].
    pub(super) force: Vec<f64>,
    sum: f64,
}

impl Axial {
    /// Of a body cut in the middle between its sections; `holds_end` says where a grounded one is held.
    pub(super) fn new(body: &Body, shape: &Shape, holds_end: [bool; 2]) -> Self {
        let mass = body.frame.mass;
        let cuts: Vec<f64> = shape.along.windows(2).map(|s| 0.5 * (s[0] + s[1])).collect();
        let [lo, hi] = shape.ends;
        let (length, middle) = (hi - lo, 0.5 * (lo + hi));
        // ρ(s) = m/L (1 + c (s − middle)) with its centre at s = 0; c at most 2/L, where it falls to zero at
        // one end.
        let slope = (-12.0 * middle / (length * length)).clamp(-2.0 / length, 2.0 / length);
        let density = |s: f64| mass / length * (1.0 + slope * (s - middle));
        // Simpson's rule is exact for both integrals.
        let integral = |from: f64, f: &dyn Fn(f64) -> f64| {
            (hi - from) / 6.0 * (f(from) + 4.0 * f(0.5 * (from + hi)) + f(hi))
        };
        let beyond = |&cut: &f64| [integral(cut, &density), integral(cut, &|s| s * density(s))];
        Self {
            beyond: cuts.iter().map(beyond).collect(),
            force: vec![0.0; cuts.len()],
            cuts,
            mass,
            ends: shape.ends,
            holds: body.fixed.then_some(if holds_end == [false; 2] { [true, false] } else { holds_end }),
            sum: 0.0,
        }
    }

    /// No loads.
    pub(super) fn clear(&mut self) {
        self.force.fill(0.0);
        self.sum = 0.0;
    }

    /// Adds a load along the axis at s \[N\], with its reaction at the ground.
    pub(super) fn add(&mut self, s: f64, load: f64) {
        self.put(s, load);
        self.hold(s, load);
    }

    /// Adds the reaction of the ground to a load at s: a bar held at both ends shares the load as a uniform
    /// bar.
    fn hold(&mut self, s: f64, load: f64) {
        let [lo, hi] = self.ends;
        match self.holds {
            None => {}
            Some([true, true]) => {
                let share = ((s - lo) / (hi - lo)).clamp(0.0, 1.0);
                self.put(hi, -share * load);
                self.put(lo, (share - 1.0) * load);
            }
            Some([_, true]) => self.put(hi, -load),
            Some(_) => self.put(lo, -load),
        }
    }

    fn put(&mut self, s: f64, load: f64) {
        self.sum += load;
        let beyond = self.force.iter_mut().zip(&self.cuts).filter(|(_, cut)| **cut < s);
        beyond.for_each(|(force, _)| *force += load);
    }

    /// Takes inertia in, |ω⊥|² of a free body \[rad²/s²\], and the weight of a grounded one by the gravity
    /// along the axis \[m/s²\].
    pub(super) fn balance(&mut self, turning: f64, gravity: f64) {
        if self.holds.is_some() {
            let weight = self.mass * gravity;
            self.hold(0.0, weight);
            self.spread(weight, 0.0);
        } else {
            self.spread(-self.sum, turning);
        }
    }

    /// A load that is spread over the mass, and the centrifugal force: ∫ (F/m + Ω² s) dm.
    fn spread(&mut self, load: f64, turning: f64) {
        for (force, [mass, moment]) in self.force.iter_mut().zip(&self.beyond) {
            *force += turning * moment + load * mass / self.mass;
        }
    }
}

/// Where a point of the body frame lies along the longest axis, from the centre of mass \[m\].
pub(super) fn place(shape: &Shape, point_b: &Vector3<f64>) -> f64 {
    shape.axes.column(0).dot(&(point_b - shape.center_b))
}
