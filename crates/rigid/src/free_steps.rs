//! Number of steps in which a pair cannot touch.

use crate::pair::Pair;
use crate::search::Step;
use crate::stage::Stage;

/// State of a pair after the motion without contact: the smallest gap, and the largest distance of a point
/// from the centre of mass of the body with the surface \[m\].
#[derive(Debug, Clone, Copy)]
pub(crate) struct Clearance {
    pub(crate) gap: f64,
    pub(crate) distance: f64,
}

/// Bound of the speed with which the points of a pair approach its surface.
///
/// Seen from the centre of mass of the body with the surface, a point moves by less than V t + g t²/2,
/// where V is the relative velocity of the centres plus the largest velocity by its own rotation. The
/// surface moves under the point by less than Ω times its distance d + V t + g t²/2. Rotational energies do
/// not change in free motion, so that V and Ω hold until an impulse acts.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Motion {
    speed: f64,
    turning: f64,
    gravity: f64,
}

impl Motion {
    pub(crate) fn new(pair: &Pair, stages: &[Stage], step: &Step<'_>) -> Self {
        let [a, b] = pair.bodies;
        let [twice_a, twice_b] = [a, b].map(|i| stages[i].omega_old.dot(&stages[i].spin_b));
        let falls = step.bodies[a].fixed != step.bodies[b].fixed;
        Self {
            speed: (stages[a].velocity - stages[b].velocity).norm() + (twice_a * pair.mobility).sqrt(),
            turning: (twice_b / step.bodies[b].inertia.min()).sqrt(),
            gravity: if falls { step.gravity.norm() } else { 0.0 },
        }
    }

    /// Largest approach within a time of points with this distance from the centre \[m\].
    pub(crate) fn reach(&self, time: f64, distance: f64) -> f64 {
        let moved = time * (self.speed + 0.5 * self.gravity * time);
        moved + self.turning * time * (distance + moved)
    }
}

/// Number of following steps in which no point of a pair can touch.
pub(crate) fn free_steps(pair: &Pair, stages: &[Stage], step: &Step<'_>, clearance: Clearance) -> u64 {
    let motion = Motion::new(pair, stages, step);
    let closes = |t: f64| motion.reach(t, clearance.distance);
    let gap = 0.999 * clearance.gap;
    let mut t = gap / (motion.speed + motion.turning * clearance.distance + f64::MIN_POSITIVE);
    if motion.gravity > 0.0 {
        t = t.min((2.0 * gap / motion.gravity).sqrt());
    }
    // Pairs that never meet are checked again after this time.
    t = t.min(1e6 * step.dt);
    while closes(t) > gap {
        t *= 0.7;
        if t < 0.5 * step.dt {
            return 0;
        }
    }
    (t / step.dt).floor() as u64
}
