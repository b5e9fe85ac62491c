//! How the contact resists given motions of the points: what statics needs to find rigid motions that
//! supports leave free.

use faer::linalg::solvers::Solve;
use faer::{Mat, Side};

use super::condense::{add_response, apply};
use super::{QuasistaticContact, Workspace};

/// A motion of the points of one body, in its frame.
#[derive(Debug, Clone, PartialEq)]
pub struct PointMotion {
    /// Number of the body.
    pub body: usize,
    /// Displacement of its points by a unit of the motion, 3n numbers.
    pub displacement: Vec<f64>,
}

impl QuasistaticContact {
    /// Stiffness of the contact of the last solve against motions of the bodies, without that of turning
    /// normals.
    ///
    /// ```text
    /// H = (B R)ᵀ (W + d)⁻¹ (B R)    over the spans with pressure
    /// ```
    ///
    /// * `motions` — R, one column each
    ///
    /// Returns H, n × n for n motions, symmetric and positive semi-definite: minus the derivative of the
    /// forces Rᵀ f on the points by the motions. `None` if W is singular, which several pressures on one
    /// point bring about.
    pub fn motion_stiffness(&self, motions: &[PointMotion], work: &Workspace) -> Option<Mat<f64>> {
        let active: Vec<usize> = (0..self.n_spans).filter(|&s| work.solution.lambda[s] > 0.0).collect();
        let (n, m) = (active.len(), motions.len());
        if n == 0 {
            return Some(Mat::zeros(m, m));
        }
        let moved = |s: usize, motion: &PointMotion| {
            let row = self.n_parts * s;
            let ([one, two], row) = (self.bodies_of(row), &work.spans.rows[row]);
            let along =
                |part, body| if body == motion.body { apply(part, &motion.displacement) } else { 0.0 };
            along(&row.first, one) + along(&row.second, two)
        };
        let closing = Mat::from_fn(n, m, |s, k| moved(active[s], &motions[k]));
        let compliance = self.active_compliance(&active, work);
        let factor = compliance.llt(Side::Lower).ok()?;
        let forces = factor.solve(&closing);
        let h = closing.transpose() * &forces;
        Some(Mat::from_fn(m, m, |i, j| 0.5 * (h[(i, j)] + h[(j, i)])))
    }

    /// W + d of the given spans with the rows of the last pass.
    fn active_compliance(&self, active: &[usize], work: &Workspace) -> Mat<f64> {
        let mut w = Mat::zeros(active.len(), active.len());
        let mut responses: Vec<Vec<f64>> =
            self.bodies.iter().map(|body| vec![0.0; 3 * body.n_points]).collect();
        for (t, &span_t) in active.iter().enumerate() {
            let r_t = self.n_parts * span_t;
            let (bodies_t, row_t) = (self.bodies_of(r_t), &work.spans.rows[r_t]);
            bodies_t.iter().for_each(|&body| responses[body].fill(0.0));
            for (part, body) in [&row_t.first, &row_t.second].into_iter().zip(bodies_t) {
                if let Some(compliance) = &self.bodies[body].compliance {
                    part.iter().for_each(|(k, c)| add_response(compliance, *k, c, &mut responses[body]));
                }
            }
            for (s, &span_s) in active.iter().enumerate().skip(t) {
                let r_s = self.n_parts * span_s;
                let (bodies_s, row_s) = (self.bodies_of(r_s), &work.spans.rows[r_s]);
                for (part, body) in [&row_s.first, &row_s.second].into_iter().zip(bodies_s) {
                    if bodies_t.contains(&body) {
                        w[(s, t)] += apply(part, &responses[body]);
                    }
                }
                w[(t, s)] = w[(s, t)];
            }
            w[(t, t)] += self.law_compliance(r_t);
        }
        w
    }
}
