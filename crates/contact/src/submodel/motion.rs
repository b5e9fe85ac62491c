//! Stiffness of the contact against motions of the points: statics uses it to find rigid motions that
//! supports leave free.

use faer::linalg::solvers::Solve;
use faer::{Mat, Side};

use super::body::ContactBody;
use super::row::{Rows, along};
use super::unknowns::Unknowns;

/// A motion of the points of one body, in its frame.
#[derive(Debug, Clone, PartialEq)]
pub struct PointMotion {
    /// Number of the body.
    pub body: usize,
    /// Displacement of its points by a unit of the motion, 3n numbers.
    pub displacement: Vec<f64>,
}

/// See [`super::QuasistaticContact::motion_stiffness`].
///
/// * `loaded` — cells with pressure
pub(super) fn motion_stiffness(
    (bodies, unknowns): (&[ContactBody], &Unknowns),
    rows: &Rows,
    loaded: &[usize],
    motions: &[PointMotion],
) -> Option<Mat<f64>> {
    let (n, m) = (loaded.len(), motions.len());
    if n == 0 {
        return Some(Mat::zeros(m, m));
    }
    let moved = |cell: usize, motion: &PointMotion| {
        let ([one, two], row) = (unknowns.bodies_of(unknowns.normal(cell)), rows.normal(cell));
        let part = |part, body| if body == motion.body { along(part, &motion.displacement) } else { 0.0 };
        part(&row.first, one) + part(&row.second, two)
    };
    let closing = Mat::from_fn(n, m, |s, k| moved(loaded[s], &motions[k]));
    let factor = loaded_compliance(bodies, unknowns, rows, loaded).llt(Side::Lower).ok()?;
    let forces = factor.solve(&closing);
    let h = closing.transpose() * &forces;
    Some(Mat::from_fn(m, m, |i, j| 0.5 * (h[(i, j)] + h[(j, i)])))
}

/// W + d of the loaded cells with the rows of the last pass \[m/N\].
fn loaded_compliance(bodies: &[ContactBody], unknowns: &Unknowns, rows: &Rows, loaded: &[usize]) -> Mat<f64> {
    let mut w = Mat::zeros(loaded.len(), loaded.len());
    let mut responses: Vec<Vec<f64>> = bodies.iter().map(|body| vec![0.0; 3 * body.n_points]).collect();
    for (t, &cell_t) in loaded.iter().enumerate() {
        let r_t = unknowns.normal(cell_t);
        let bodies_t = unknowns.bodies_of(r_t);
        bodies_t.iter().for_each(|&body| responses[body].fill(0.0));
        for (part, body) in rows.normal(cell_t).parts().into_iter().zip(bodies_t) {
            bodies[body].add_response(part, &mut responses[body]);
        }
        for (s, &cell_s) in loaded.iter().enumerate().skip(t) {
            let bodies_s = unknowns.bodies_of(unknowns.normal(cell_s));
            for (part, body) in rows.normal(cell_s).parts().into_iter().zip(bodies_s) {
                if bodies_t.contains(&body) {
                    w[(s, t)] += along(part, &responses[body]);
                }
            }
            w[(t, s)] = w[(s, t)];
        }
        w[(t, t)] += unknowns.law_compliance(r_t);
    }
    w
}
