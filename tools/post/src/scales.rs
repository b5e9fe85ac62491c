//! Natural scales of energies, momenta and velocities, by which round-off is recognised.

use carom_format::result::StoredFrame;

use crate::{Run, RunError};

/// Sizes of energies and momenta in a run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct BalanceScales {
    /// The largest energy of any kind, or work, or loss \[J\].
    pub(crate) energy: f64,
    /// Momentum of the moving bodies if all of them moved in one direction with the largest kinetic energy;
    /// at least the largest momentum \[N s\].
    pub(crate) momentum: f64,
    /// Angular momentum of that momentum at the largest distance from the origin; at least the largest
    /// angular momentum \[N m s\].
    pub(crate) ang_momentum: f64,
}

impl BalanceScales {
    pub(crate) fn of(run: &Run) -> Result<Self, RunError> {
        let largest = |columns: &[Vec<f64>]| {
            columns.iter().flatten().filter(|x| x.is_finite()).fold(0.0, |m: f64, x| m.max(x.abs()))
        };
        let energies = run.ledger_columns([
            "E_kin", "E_el", "E_con", "E_pot", "W_ext", "D_mat", "D_fric", "D_imp", "D_num", "E_hg", "D_pl",
            "D_visc", "D_con",
        ])?;
        let energy = largest(&energies);
        let bodies = run.header().bodies.iter().filter(|body| !body.fixed);
        let mass: f64 = bodies.map(|body| body.mass).sum();
        let kinetic = largest(&energies[..1]);
        let momentum =
            largest(&run.ledger_columns(["P_x", "P_y", "P_z"])?).max((2.0 * mass * kinetic).sqrt());
        let ang_momentum = largest(&run.ledger_columns(["L_x", "L_y", "L_z"])?).max(momentum * reach(run)?);
        Ok(Self { energy, momentum, ang_momentum })
    }
}

/// The largest distance of a body from the origin at the start and the end \[m\].
fn reach(run: &Run) -> Result<f64, RunError> {
    let last = run.times().len().saturating_sub(1);
    let mut reach = 0.0_f64;
    for frame in [0, last] {
        let frame = run.reader().frame(frame)?;
        reach = frame.bodies.iter().map(|body| size(body.position)).fold(reach, f64::max);
    }
    Ok(reach)
}

/// Natural scales of velocities and angular velocities in some frames \[m/s, rad/s\]: the largest of any
/// body, or the other scale times (or over) the distance of the bodies from the origin. A ball in free flight
/// rotates only by round-off, and a top translates only by round-off.
pub(crate) fn speeds(frames: &[StoredFrame]) -> [f64; 2] {
    let bodies = || frames.iter().flat_map(|frame| &frame.bodies);
    let largest = |sizes: &mut dyn Iterator<Item = f64>| sizes.filter(|x| x.is_finite()).fold(0.0, f64::max);
    let speed = largest(&mut bodies().map(|body| size(body.velocity)));
    let rate = largest(&mut bodies().map(|body| size(body.angular_velocity)));
    let reach = largest(&mut bodies().map(|body| size(body.position)));
    if reach == 0.0 { [speed, rate] } else { [speed.max(rate * reach), rate.max(speed / reach)] }
}

pub(crate) fn size(vector: [f64; 3]) -> f64 {
    vector.iter().map(|x| x * x).sum::<f64>().sqrt()
}

#[cfg(test)]
mod tests {
    use carom_dynamics::BodyState;

    use super::*;

    #[test]
    fn a_rotation_by_round_off_does_not_determine_the_scale_of_a_flying_ball() {
        let body = |velocity: f64, rate: f64| BodyState {
            position: [0.1, 0.0, 0.0],
            velocity: [velocity, 0.0, 0.0],
            angular_velocity: [0.0, rate, 0.0],
            ..BodyState::default()
        };
        let frame =
            |body| StoredFrame { index: 0, time: 0.0, steps: 0, bodies: vec![body], contacts: Vec::new() };
        let [speed, rate] = speeds(&[frame(body(0.3, 1e-15))]);
        assert!((speed - 0.3).abs() < 1e-15 && (rate - 3.0).abs() < 1e-12, "{speed} {rate}");
        let [speed, rate] = speeds(&[frame(body(1e-17, 40.0))]);
        assert!((speed - 4.0).abs() < 1e-12 && rate == 40.0, "{speed} {rate}");
    }
}
