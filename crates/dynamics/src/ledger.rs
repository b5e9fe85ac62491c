//! The balance of a run (docs/theory/ledger.md, eq. (87)): energy and momenta, and their residuals.

use crate::checkpoint::{Checkpoint, CheckpointError};

/// The terms of the balance at one time: energies, momenta, and integrals since the start.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Balance {
    /// Time \[s\].
    pub time: f64,
    /// Kinetic energy \[J\].
    pub e_kin: f64,
    /// Elastic energy, including quasistatic modes \[J\].
    pub e_el: f64,
    /// Potential of the contact penalty, 0 for multipliers \[J\].
    pub e_con: f64,
    /// Potential of gravity and of conservative joint springs \[J\].
    pub e_pot: f64,
    /// Work of loads without potential and of driven constraints since the start \[J\].
    pub w_ext: f64,
    /// Energy lost in damping since the start, ≥ 0 \[J\].
    pub d_mat: f64,
    /// Energy lost in friction since the start, ≥ 0 \[J\].
    pub d_fric: f64,
    /// Energy lost in inelastic closure since the start, ≥ 0 \[J\].
    pub d_imp: f64,
    /// Recorded algorithmic loss since the start \[J\].
    pub d_num: f64,
    /// Linear momentum of the moving bodies \[N s\].
    pub momentum: [f64; 3],
    /// Their angular momentum about the inertial origin \[N m s\].
    pub ang_momentum: [f64; 3],
    /// Impulse of loads and ground reactions since the start \[N s\].
    pub external_impulse: [f64; 3],
    /// Angular impulse of loads and ground reactions about the inertial origin since the start \[N m s\].
    pub external_ang_impulse: [f64; 3],
    /// Sum over bodies of |P|, including the momentum from gravity for bodies that may rest: the reference
    /// for errors, since the total may be zero \[N s\].
    pub momentum_scale: f64,
    /// Sum over bodies of |r × P|, of the angular momentum about the body frame, and of |P| times the radius
    /// of gyration \[N m s\].
    pub ang_momentum_scale: f64,
    /// Mass of the moving bodies \[kg\] and the largest of their radii of gyration \[m\]: with an energy they
    /// give the momentum below which numbers are round-off.
    pub mass: f64,
    /// See [`Balance::mass`] \[m\].
    pub radius: f64,
    /// Largest penetration permitted by the contact law, ≥ 0 \[m\].
    pub pen_max: f64,
    /// Residual of the quasistatic contact problem, relative to its forces.
    pub f_res: f64,
    /// Energy of hourglass control: stored in hourglass modes and dissipated by them \[J\].
    pub e_hg: f64,
    /// Work dissipated by plastic flow, ≥ 0 \[J\].
    pub d_pl: f64,
    /// Work dissipated by bulk viscosity, ≥ 0 \[J\].
    pub d_visc: f64,
    /// Energy that penalties took away since the start: the negative work of their forces less the change of
    /// [`Balance::e_con`] \[J\].
    pub d_con: f64,
}

impl Balance {
    /// Length of [`Balance::to_array`].
    pub const NUMBERS: usize = 32;

    /// All numbers in one array, for checkpoints.
    pub fn to_array(&self) -> [f64; Self::NUMBERS] {
        let mut array = [0.0; Self::NUMBERS];
        let scalars = [
            self.time,
            self.e_kin,
            self.e_el,
            self.e_con,
            self.e_pot,
            self.w_ext,
            self.d_mat,
            self.d_fric,
            self.d_imp,
            self.d_num,
            self.momentum_scale,
            self.ang_momentum_scale,
            self.pen_max,
            self.f_res,
        ];
        array[..14].copy_from_slice(&scalars);
        array[14..17].copy_from_slice(&self.momentum);
        array[17..20].copy_from_slice(&self.ang_momentum);
        array[20..23].copy_from_slice(&self.external_impulse);
        array[23..26].copy_from_slice(&self.external_ang_impulse);
        array[26..28].copy_from_slice(&[self.mass, self.radius]);
        array[28..].copy_from_slice(&[self.e_hg, self.d_pl, self.d_visc, self.d_con]);
        array
    }

    /// The inverse of [`Balance::to_array`].
    pub fn from_array(array: &[f64; Self::NUMBERS]) -> Self {
        let vector = |start: usize| [array[start], array[start + 1], array[start + 2]];
        let [
            time,
            e_kin,
            e_el,
            e_con,
            e_pot,
            w_ext,
            d_mat,
            d_fric,
            d_imp,
            d_num,
            momentum_scale,
            ang_momentum_scale,
            pen_max,
            f_res,
            ..,
        ] = *array;
        Self {
            time,
            e_kin,
            e_el,
            e_con,
            e_pot,
            w_ext,
            d_mat,
            d_fric,
            d_imp,
            d_num,
            momentum_scale,
            ang_momentum_scale,
            pen_max,
            f_res,
            momentum: vector(14),
            ang_momentum: vector(17),
            external_impulse: vector(20),
            external_ang_impulse: vector(23),
            mass: array[26],
            radius: array[27],
            e_hg: array[28],
            d_pl: array[29],
            d_visc: array[30],
            d_con: array[31],
        }
    }

    fn energy(&self) -> f64 {
        self.e_kin + self.e_el + self.e_hg + self.e_con + self.e_pot
    }

    fn lost(&self) -> f64 {
        self.d_mat + self.d_pl + self.d_visc + self.d_fric + self.d_imp + self.d_con + self.d_num
    }

    fn residual(&self) -> f64 {
        self.energy() - self.w_ext + self.lost()
    }
}

/// One row of the ledger: a [`Balance`] with its residuals.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct LedgerRow {
    /// The terms reported by the scheme.
    pub balance: Balance,
    /// R_E: energy that appeared (> 0) or vanished (< 0) since the start \[J\].
    pub r_e: f64,
    /// R_P: change of momentum without an external impulse \[N s\].
    pub r_p: [f64; 3],
    /// R_L: change of angular momentum without an external angular impulse \[N m s\].
    pub r_l: [f64; 3],
}

impl LedgerRow {
    /// Number of columns.
    pub const N_COLUMNS: usize = 35;

    /// Names of the columns, in the order of [`LedgerRow::values`]. New ones are added at the end.
    pub const COLUMNS: [&'static str; Self::N_COLUMNS] = [
        "time", "E_kin", "E_el", "E_con", "E_pot", "W_ext", "D_mat", "D_fric", "D_imp", "D_num", "R_E",
        "P_x", "P_y", "P_z", "L_x", "L_y", "L_z", "R_P_x", "R_P_y", "R_P_z", "R_L_x", "R_L_y", "R_L_z",
        "J_x", "J_y", "J_z", "H_x", "H_y", "H_z", "pen_max", "f_res", "E_hg", "D_pl", "D_visc", "D_con",
    ];

    /// The numbers of the row; J and H are the external impulse and angular impulse.
    pub fn values(&self) -> [f64; Self::N_COLUMNS] {
        let b = &self.balance;
        let ([px, py, pz], [lx, ly, lz]) = (b.momentum, b.ang_momentum);
        let ([rpx, rpy, rpz], [rlx, rly, rlz]) = (self.r_p, self.r_l);
        let ([jx, jy, jz], [hx, hy, hz]) = (b.external_impulse, b.external_ang_impulse);
        [
            b.time, b.e_kin, b.e_el, b.e_con, b.e_pot, b.w_ext, b.d_mat, b.d_fric, b.d_imp, b.d_num,
            self.r_e, px, py, pz, lx, ly, lz, rpx, rpy, rpz, rlx, rly, rlz, jx, jy, jz, hx, hy, hz,
            b.pen_max, b.f_res, b.e_hg, b.d_pl, b.d_visc, b.d_con,
        ]
    }
}

/// Errors of a run, relative to its largest energies and momenta.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct LedgerSummary {
    /// E_kin + E_el + E_con + E_pot at the start \[J\].
    pub energy_initial: f64,
    /// The same at the end \[J\].
    pub energy_final: f64,
    /// Largest |R_E| relative to the largest exchanged energy so far: E_kin + E_el + E_con, the change of
    /// E_pot, the work of loads and drives, or the losses; at least a millionth of |E_pot|, whose rounding is
    /// the only change of a system at rest.
    pub energy_error: f64,
    /// Largest |R_P| relative to the largest sum of |P| of the bodies.
    pub momentum_error: f64,
    /// Largest |R_L| relative to the largest sum of the bodies' angular momenta.
    pub ang_momentum_error: f64,
    /// True for energy, momentum or angular momentum that is only round-off in the run: a relative error is
    /// then undefined, and the error is set to 0.
    pub no_reference: [bool; 3],
    /// The claimed limit of `energy_error`; none if the run has no claim.
    pub energy_limit: Option<f64>,
}

impl LedgerSummary {
    /// True if the claim on the energy balance is met; NaN does not meet it. None without a claim.
    pub fn energy_is_met(&self) -> Option<bool> {
        self.energy_limit.map(|limit| self.energy_error <= limit)
    }

    /// The claim on the energy in words: "met", or "not met"; none without a claim.
    pub fn energy_verdict(&self) -> Option<&'static str> {
        self.energy_is_met().map(|is_met| if is_met { "met" } else { "not met" })
    }

    /// Relative errors of energy, momentum and angular momentum; none without a reference.
    pub fn errors(&self) -> [Option<f64>; 3] {
        let errors = [self.energy_error, self.momentum_error, self.ang_momentum_error];
        std::array::from_fn(|i| (!self.no_reference[i]).then_some(errors[i]))
    }
}

/// Fraction of √(2 m E) below which a momentum is round-off.
const NO_MOMENTUM: f64 = 1e-10;

/// Fraction of the potential that counts as exchanged in a system at rest.
const AT_REST: f64 = 1e-6;

/// Computes the rows of the ledger from balances, and stores the extremes. Plain data: a copy of it continues
/// a run.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Ledger {
    /// The first balance, the reference of the residuals.
    pub initial: Option<Balance>,
    /// The latest balance.
    pub latest: Balance,
    /// Largest |R_E|, |R_P|, |R_L| so far.
    pub residuals: [f64; 3],
    /// Largest exchanged energy (see [`LedgerSummary::energy_error`]), sum of |P|, sum of the bodies' angular
    /// momenta so far.
    pub scales: [f64; 3],
}

impl Ledger {
    /// The residuals of a balance relative to the first one, without recording it.
    pub fn row(&self, balance: Balance) -> LedgerRow {
        let initial = self.initial.unwrap_or(balance);
        LedgerRow {
            balance,
            r_e: balance.residual() - initial.residual(),
            r_p: residual(
                (balance.momentum, initial.momentum),
                (balance.external_impulse, initial.external_impulse),
            ),
            r_l: residual(
                (balance.ang_momentum, initial.ang_momentum),
                (balance.external_ang_impulse, initial.external_ang_impulse),
            ),
        }
    }

    /// Records a balance; the first one is the reference of the residuals.
    pub fn record(&mut self, balance: Balance) -> LedgerRow {
        self.initial.get_or_insert(balance);
        let row = self.row(balance);
        self.latest = balance;
        let sizes = [row.r_e.abs(), norm(row.r_p), norm(row.r_l)];
        let fallen = (balance.e_pot - self.initial.map_or(0.0, |b| b.e_pot)).abs();
        let scales = [
            (balance.e_kin + balance.e_el + balance.e_hg + balance.e_con)
                .max(fallen)
                .max(balance.w_ext.abs())
                .max(balance.lost())
                .max(AT_REST * balance.e_pot.abs()),
            balance.momentum_scale,
            balance.ang_momentum_scale,
        ];
        for i in 0..3 {
            // NaN must be visible.
            self.residuals[i] = if sizes[i].is_nan() { f64::NAN } else { self.residuals[i].max(sizes[i]) };
            self.scales[i] = self.scales[i].max(scales[i]);
        }
        row
    }

    /// Stores the ledger in a checkpoint.
    pub fn save(&self, checkpoint: &mut Checkpoint) {
        checkpoint.put_reals("ledger_initial", &self.initial.unwrap_or_default().to_array());
        checkpoint.put_reals("ledger_latest", &self.latest.to_array());
        checkpoint.put_reals("ledger_extremes", &[self.residuals, self.scales].concat());
    }

    /// Restores the ledger that [`Ledger::save`] has stored.
    ///
    /// # Errors
    ///
    /// [`CheckpointError`] if it is missing or incomplete.
    pub fn restore(&mut self, checkpoint: &Checkpoint) -> Result<(), CheckpointError> {
        let balance = |name| -> Result<Balance, CheckpointError> {
            let values = checkpoint.reals(name)?;
            // Checkpoints before result version 1.6 lack the last number, those before 1.5 the last four.
            let is_known = [0, 1, 4].iter().any(|missing| values.len() + missing == Balance::NUMBERS);
            if !is_known {
                checkpoint.reals_of(name, Balance::NUMBERS)?;
            }
            let mut array = [0.0; Balance::NUMBERS];
            array.iter_mut().zip(values).for_each(|(to, from)| *to = *from);
            Ok(Balance::from_array(&array))
        };
        self.initial = Some(balance("ledger_initial")?);
        self.latest = balance("ledger_latest")?;
        let extremes = checkpoint.reals_of("ledger_extremes", 6)?;
        self.residuals.copy_from_slice(&extremes[..3]);
        self.scales.copy_from_slice(&extremes[3..]);
        Ok(())
    }

    /// Relative errors so far.
    pub fn summary(&self) -> LedgerSummary {
        let momentum = (2.0 * self.latest.mass * self.scales[0]).sqrt();
        let floors = [0.0, NO_MOMENTUM * momentum, NO_MOMENTUM * momentum * self.latest.radius];
        // Written so that NaN is visible.
        let no_reference = std::array::from_fn(|i| {
            self.scales[i] <= floors[i] && self.residuals[i] <= if i == 0 { 0.0 } else { floors[i] }
        });
        let relative = |i: usize| {
            if no_reference[i] || self.residuals[i] == 0.0 { 0.0 } else { self.residuals[i] / self.scales[i] }
        };
        LedgerSummary {
            no_reference,
            energy_initial: self.initial.map_or(0.0, |b| b.energy()),
            energy_final: self.latest.energy(),
            energy_error: relative(0),
            momentum_error: relative(1),
            ang_momentum_error: relative(2),
            energy_limit: None,
        }
    }
}

fn residual((now, then): ([f64; 3], [f64; 3]), (in_now, in_then): ([f64; 3], [f64; 3])) -> [f64; 3] {
    std::array::from_fn(|i| (now[i] - then[i]) - (in_now[i] - in_then[i]))
}

fn norm(a: [f64; 3]) -> f64 {
    a.iter().map(|a| a * a).sum::<f64>().sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_balanced_ledger_has_zero_residual() {
        let mut ledger = Ledger::default();
        ledger.record(Balance { e_kin: 2.0, e_pot: 1.0, momentum: [1.0, 0.0, 0.0], ..Balance::default() });
        let row = ledger.record(Balance {
            e_kin: 1.5,
            e_el: 0.75,
            e_pot: 0.5,
            w_ext: 0.5,
            d_fric: 0.75,
            momentum: [1.0, 0.25, 0.0],
            external_impulse: [0.0, 0.25, 0.0],
            ..Balance::default()
        });
        assert_eq!((row.r_e, row.r_p), (0.0, [0.0; 3]));
        assert_eq!(ledger.summary().energy_error, 0.0);
    }

    #[test]
    fn lost_energy_shows_relative_to_the_largest_energy() {
        let mut ledger = Ledger::default();
        ledger.record(Balance { e_kin: 4.0, ..Balance::default() });
        let row = ledger.record(Balance { e_kin: 3.0, ..Balance::default() });
        assert_eq!(row.r_e, -1.0);
        assert_eq!(ledger.summary().energy_error, 0.25);
    }

    #[test]
    fn rounding_of_the_potential_of_a_system_at_rest_is_not_an_error() {
        let mut ledger = Ledger::default();
        ledger.record(Balance { e_pot: 14.4, ..Balance::default() });
        ledger.record(Balance { e_pot: 14.4 + 2e-15, e_kin: 2e-31, ..Balance::default() });
        assert!(ledger.summary().energy_error < 1e-9, "{:?}", ledger.summary());
        // The energy scale of a fall is its whole potential energy.
        ledger.record(Balance { e_pot: 12.4, e_kin: 1.0, ..Balance::default() });
        assert_eq!(ledger.summary().energy_error, 0.5);
    }

    /// The linear momentum of a ring that spins about its centre is round-off and has no relative error.
    #[test]
    fn an_error_relative_to_a_momentum_of_round_off_is_undefined() {
        let mut ledger = Ledger::default();
        let spins = Balance {
            e_kin: 2.0,
            mass: 1.0,
            radius: 0.5,
            momentum: [3e-17, 0.0, 0.0],
            momentum_scale: 3e-17,
            ang_momentum_scale: 1.0,
            ..Balance::default()
        };
        ledger.record(spins);
        ledger.record(Balance { momentum: [2.4e-16, 0.0, 0.0], ..spins });
        let summary = ledger.summary();
        assert_eq!((summary.momentum_error, summary.errors()), (0.0, [Some(0.0), None, Some(0.0)]));
        // A momentum that develops later has a visible error.
        ledger.record(Balance { momentum: [1e-3, 0.0, 0.0], momentum_scale: 1e-3, ..spins });
        assert_eq!(ledger.summary().errors()[1], Some(1.0 - 3e-14));
        let nothing = Ledger::default().summary();
        assert_eq!(nothing.errors(), [None; 3]);
    }

    /// A machine whose drive works against a damper stores little energy and transmits much.
    #[test]
    fn work_and_losses_count_in_the_energy_scale() {
        let mut ledger = Ledger::default();
        ledger.record(Balance { e_kin: 1e-3, ..Balance::default() });
        ledger.record(Balance { e_kin: 1e-3, w_ext: 8.0, d_mat: 7.0, ..Balance::default() });
        let error = ledger.summary().energy_error;
        assert!((error - 1.0 / 8.0).abs() < 1e-15, "{error}");
    }

    #[test]
    fn a_claim_is_met_or_not_met_and_nan_does_not_meet_it() {
        let claim = |energy_error, energy_limit| LedgerSummary {
            energy_error,
            energy_limit,
            ..LedgerSummary::default()
        };
        assert_eq!(claim(1e-7, Some(1e-6)).energy_verdict(), Some("met"));
        assert_eq!(claim(0.25, Some(1e-6)).energy_verdict(), Some("not met"));
        assert_eq!(claim(f64::NAN, Some(1e-6)).energy_verdict(), Some("not met"));
        assert_eq!(claim(0.25, None).energy_verdict(), None);
    }

    #[test]
    fn columns_and_values_agree() {
        let row = LedgerRow { r_e: 5.0, ..LedgerRow::default() };
        let column = LedgerRow::COLUMNS.iter().position(|&name| name == "R_E");
        assert_eq!(column.map(|i| row.values()[i]), Some(5.0));
    }
}
