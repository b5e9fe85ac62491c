//! Rigid and deformable bodies in one run.

use carom_contact::Law;
use carom_continuum::explicit::Problem;
use carom_dynamics::Placement;

use crate::setup::{at, block, deformable, pair, residuals, rigid, run, settings};

/// A rigid block hits a deformable brick off its centre: both bodies use the same time levels.
#[test]
fn an_off_centre_impact_conserves_the_angular_momentum() {
    let steel = [7800.0, 2e9, 0.3];
    let hammer = block("hammer", [0.03, 0.02, 0.05], [2, 2, 2], steel);
    let brick = block("brick", [0.1, 0.06, 0.04], [6, 4, 3], [1000.0, 1e7, 0.3]);
    let placement = Placement {
        origin: [0.065, 0.035, 0.0405],
        velocity: [0.7, -0.2, -5.0],
        angular_velocity: [20.0, 10.0, -30.0],
        ..Placement::default()
    };
    let problem = Problem {
        bodies: vec![rigid(hammer, placement), deformable(brick, "neo-hookean", at([0.0; 3], [0.0; 3]))],
        contacts: vec![pair(0, [0, 1], ["bottom", "top"], Law::Hard, 0.0)],
        ..Problem::default()
    };
    let (simulation, kept) = run(&problem, settings(4e-3, None));
    let row = &kept.rows[0].balance;
    let [energy, momentum, ang_momentum] = residuals(&kept);
    assert!(simulation.contact_counts().multipliers > 50, "{:?}", simulation.contact_counts());
    assert!(energy < 1e-12 * row.e_kin, "{energy} {}", row.e_kin);
    assert!(momentum < 1e-13 * row.momentum_scale, "{momentum}");
    assert!(ang_momentum < 1e-13 * row.ang_momentum_scale, "{ang_momentum} {}", row.ang_momentum_scale);
    let last = &kept.rows.last().unwrap().balance;
    assert!(last.d_imp >= -1e-3 * row.e_kin && last.d_imp < 0.1 * row.e_kin, "{}", last.d_imp / row.e_kin);
    // The brick moves and spins.
    assert!(kept.velocities.last().unwrap()[1][2] < -0.5);
}
