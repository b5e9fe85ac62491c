//! Deflections at which the mass matrix of a body loses its positive definiteness.
//!
//! In a frame that is tied to some points of a body the modes carry nearly all of its inertia. The slopes of
//! C_t and C_r by the displacement of second order ([`crate::CouplingSlopes`]) are of first order in q. The
//! kinetic energy lacks their squares, which matter where they are as large as the inertia of the frame that
//! the modes do not carry.

use crate::body::Body;
use crate::kinetics::Kinetics;

/// Deflections that are tried along each mode before the first loss is located.
const TRIED: u32 = 16;

/// Halvings that locate it.
const HALVINGS: u32 = 20;

/// Factor of a deformation that is tried where a step failed.
const BEYOND: f64 = 1.1;

/// A deflection at which the mass matrix is not positive definite.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Indefinite {
    /// The mode, from 0.
    pub mode: usize,
    /// Largest displacement of the surface \[m\].
    pub deflection: f64,
    /// Elastic energy of this deflection \[J\].
    pub energy: f64,
}

impl Body {
    /// The deflection in a single mode, up to a limit, at which the mass matrix is not positive definite: of
    /// all modes the deflection with the least elastic energy. Returns `None` if the matrix is positive
    /// definite up to the limit, and for bodies that are held or whose frame follows their mean motion.
    /// Deflections in several modes at once may reach the loss earlier.
    ///
    /// * `limit` — largest deflection that is tried \[m\]
    pub fn indefinite_within(&self, limit: f64) -> Option<Indefinite> {
        if self.fixed || self.frame.slopes.is_none() {
            return None;
        }
        let moving = (0..self.frame.n).filter(|&mode| self.amplitudes[mode] > 0.0);
        let losses = moving.flat_map(|mode| [(mode, 1.0), (mode, -1.0)]).filter_map(|(mode, sign)| {
            let deflection = self.indefinite_along(mode, sign, limit)?;
            let q = deflection / self.amplitudes[mode];
            let energy = 0.5 * self.frame.stiffness_modal[(mode, mode)] * q * q;
            Some(Indefinite { mode, deflection, energy })
        });
        losses.min_by(|a, b| a.energy.total_cmp(&b.energy))
    }

    /// Whether the mass matrix is not positive definite at a deformation that is a tenth larger than q: near
    /// there accelerations have no bound.
    pub(crate) fn is_nearly_indefinite(&self, q: &[f64]) -> bool {
        if self.fixed || self.frame.slopes.is_none() {
            return false;
        }
        let beyond: Vec<f64> = q.iter().map(|q| BEYOND * q).collect();
        !self.is_definite(&beyond, &mut Kinetics::new(self.frame.n))
    }

    fn is_definite(&self, q: &[f64], kinetics: &mut Kinetics) -> bool {
        kinetics.set_modal(&self.frame, q);
        kinetics.invert(&self.frame, q).is_ok()
    }

    /// The smallest deflection in a mode, up to a limit, at which the mass matrix is not positive definite
    /// \[m\].
    fn indefinite_along(&self, mode: usize, sign: f64, limit: f64) -> Option<f64> {
        let n = self.frame.n;
        let mut kinetics = Kinetics::new(n);
        let mut is_definite = |deflection: f64| {
            let mut q = vec![0.0; n];
            q[mode] = sign * deflection / self.amplitudes[mode];
            self.is_definite(&q, &mut kinetics)
        };
        let at = |step: u32| limit * f64::from(step) / f64::from(TRIED);
        let first = (1..=TRIED).find(|&step| !is_definite(at(step)))?;
        let (mut definite, mut lost) = (at(first - 1), at(first));
        for _ in 0..HALVINGS {
            let middle = 0.5 * (definite + lost);
            *(if is_definite(middle) { &mut definite } else { &mut lost }) = middle;
        }
        Some(lost)
    }
}
