//! Tables of a result.

use carom_format::result::StoredBalance;
use carom_report::{Column, Table, Value};
use clap::ValueEnum;

use crate::impacts::{self, IMPACTS};
use crate::scales::{self, BalanceScales};
use crate::time::time_column;
use crate::{Run, RunError, joints, probes, response, totals};

/// The content of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum What {
    /// Single figures with their units: the largest impact of each pair and its error estimates, the stress
    /// below it, energies, errors of the balances, cost, warnings.
    Summary,
    /// Seconds of all phases, and counters of the run.
    Timing,
    /// Energies and residuals over time.
    Energy,
    /// Momenta and residuals over time.
    Momentum,
    /// One row per impact.
    Contacts,
    /// State of the bodies at the end.
    Bodies,
    /// Energies and momenta of the bodies over time.
    BodyBalance,
    /// Small oscillations about the equilibrium in which the run starts.
    Modes,
    /// Harmonic response about that equilibrium over the frequencies.
    Response,
    /// Forces of all contact pairs over time; on half-space grids also peak pressure and contact radius.
    ContactForce,
    /// Loads, contact forces and support forces on the bodies of a static run.
    Forces,
    /// Forces and torques of joints, springs and bushings over time.
    Joints,
    /// Samples of probes, at times of their own.
    Probes,
}

impl What {
    /// Its word on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Summary => "summary",
            Self::Timing => "timing",
            Self::Energy => "energy",
            Self::Momentum => "momentum",
            Self::Contacts => "contacts",
            Self::Bodies => "bodies",
            Self::BodyBalance => "body-balance",
            Self::Modes => "modes",
            Self::Response => "response",
            Self::ContactForce => "contact-force",
            Self::Forces => "forces",
            Self::Joints => "joints",
            Self::Probes => "probes",
        }
    }
}

impl What {
    /// A title that describes its rows.
    pub fn title(self) -> &'static str {
        match self {
            Self::Summary => "summary",
            Self::Timing => "seconds and counters",
            Self::Energy => "energies over time",
            Self::Momentum => "momenta over time",
            Self::Contacts => "impacts",
            Self::Bodies => "bodies at the end",
            Self::BodyBalance => "energies and momenta of the bodies over time",
            Self::Modes => "oscillations about the equilibrium",
            Self::Response => "harmonic response over the frequencies",
            Self::ContactForce => "contact forces over time",
            Self::Forces => "forces in equilibrium",
            Self::Joints => "forces and torques of joints over time",
            Self::Probes => "samples of probes",
        }
    }
}

/// Builds the complete table.
///
/// # Errors
///
/// [`RunError`] if the result cannot be read or has no frame.
pub fn build(run: &Run, what: What) -> Result<Table, RunError> {
    match what {
        What::Summary => totals::summary(run),
        What::Timing => totals::timing(run),
        What::Energy => energy(run),
        What::Momentum => momentum(run),
        What::Contacts => impacts::all(run),
        What::Bodies => bodies(run),
        What::BodyBalance => body_balance(run),
        What::Modes => response::modes(run),
        What::Response => response::table(run),
        What::ContactForce => contact_force(run),
        What::Forces => forces(run),
        What::Joints => joints::table(run),
        What::Probes => probes::table(run),
    }
}

/// A table as text. Of many impacts of a pair only the first, the largest and the last are listed, and a
/// sentence says so.
///
/// # Errors
///
/// As [`build`].
pub fn text(run: &Run, what: What) -> Result<String, RunError> {
    if what != What::Contacts {
        return Ok(build(run, what)?.to_text());
    }
    let (table, notes) = impacts::table(run, IMPACTS)?;
    let notes: String = notes.iter().map(|note| format!("{note} (--csv and --json list all)\n")).collect();
    Ok(table.to_text() + &notes)
}

/// A table of numbers over time from columns of equal length.
fn over_time(columns: Vec<Column>, values: &[Vec<f64>]) -> Table {
    let mut table = Table::new(columns);
    for n in 0..values.first().map_or(0, Vec::len) {
        push(&mut table, values.iter().map(|column| column.get(n).copied().into()).collect());
    }
    table
}

/// Adds a row that was made for the table.
pub(crate) fn push(table: &mut Table, row: Vec<Value>) {
    table.push(row).expect("the row was made with the columns");
}

fn energy(run: &Run) -> Result<Table, RunError> {
    let names = [
        "time", "E_kin", "E_el", "E_con", "E_pot", "W_ext", "D_mat", "D_fric", "D_imp", "D_num", "R_E",
        "E_hg", "D_pl", "D_visc", "D_con",
    ];
    let values = run.ledger_columns(names)?;
    let headings = [
        "time",
        "kinetic",
        "elastic",
        "contact",
        "potential",
        "external work",
        "damped",
        "friction",
        "impact loss",
        "numerical loss",
        "residual",
        "hourglass",
        "plastic work",
        "viscosity",
        "contact loss",
    ];
    let scale = BalanceScales::of(run)?.energy;
    let of_energy = |(key, heading): (&&str, &str)| Column::new(key, heading, "J").scaled(scale);
    let mut columns = vec![time_column(run)?];
    columns.extend(names.iter().zip(headings).skip(1).map(of_energy));
    Ok(over_time(columns, &values))
}

fn momentum(run: &Run) -> Result<Table, RunError> {
    let names = [
        "time", "P_x", "P_y", "P_z", "L_x", "L_y", "L_z", "R_P_x", "R_P_y", "R_P_z", "R_L_x", "R_L_y",
        "R_L_z",
    ];
    let values = run.ledger_columns(names)?;
    let scales = BalanceScales::of(run)?;
    let of_momentum = |name: &&str| {
        let is_linear = name.contains('P');
        let (unit, scale) = if is_linear { ("N s", scales.momentum) } else { ("N m s", scales.ang_momentum) };
        Column::new(name, name, unit).scaled(scale)
    };
    let mut columns = vec![time_column(run)?];
    columns.extend(names.iter().skip(1).map(of_momentum));
    Ok(over_time(columns, &values))
}

/// State of the bodies in the last frame.
pub(crate) fn bodies(run: &Run) -> Result<Table, RunError> {
    run.check_frames()?;
    let last = run.reader().frame(run.times().len() - 1)?;
    let frames = [run.reader().frame(0)?, last];
    let [speed, rate] = scales::speeds(&frames);
    let reach = frames.iter().flat_map(|frame| &frame.bodies).map(|body| scales::size(body.position));
    let reach = reach.fold(0.0, f64::max);
    let mut columns = vec![Column::new("name", "body", ""), Column::new("mass", "mass", "kg")];
    for (key, heading, unit, scale) in [
        ("position", "position", "m", reach),
        ("velocity", "velocity", "m/s", speed),
        ("angular_velocity", "angular velocity", "rad/s", rate),
    ] {
        for axis in ["x", "y", "z"] {
            let column = Column::new(&format!("{key}_{axis}"), &format!("{heading} {axis}"), unit);
            columns.push(column.scaled(scale));
        }
    }
    let mut table = Table::new(columns);
    let [_, last] = frames;
    for (body, state) in run.header().bodies.iter().zip(&last.bodies) {
        let numbers = [state.position, state.velocity, state.angular_velocity].concat();
        let mut row = vec![Value::Text(body.name.clone()), body.mass.into()];
        row.extend(numbers.into_iter().map(Value::Number));
        push(&mut table, row);
    }
    Ok(table)
}

/// One row for each frame and body: energies and momenta.
fn body_balance(run: &Run) -> Result<Table, RunError> {
    run.check_frames()?;
    let balances = run.reader().body_balances()?;
    if balances.is_empty() {
        return Err(RunError::Empty {
            what: "no energies of single bodies",
            hint: "the schemes quasistatic, dynamic and damped have them; run the scenario again if an \
                   earlier release made the result",
        });
    }
    let scales = BalanceScales::of(run)?;
    let mut columns = vec![time_column(run)?, Column::new("body", "body", "")];
    for (key, heading) in [("E_kin", "kinetic"), ("E_el", "elastic"), ("E_pot", "potential")] {
        columns.push(Column::new(key, heading, "J").scaled(scales.energy));
    }
    for (key, unit, scale) in [("P", "N s", scales.momentum), ("L", "N m s", scales.ang_momentum)] {
        let of =
            |axis: &str| Column::new(&format!("{key}_{axis}"), &format!("{key}_{axis}"), unit).scaled(scale);
        columns.extend(["x", "y", "z"].map(of));
    }
    let mut table = Table::new(columns).named_by(2);
    for StoredBalance { frame, body, balance } in balances {
        let name = run.header().bodies.get(body).map_or_else(String::new, |body| body.name.clone());
        let mut row: Vec<Value> = vec![run.times().get(frame).copied().into(), Value::Text(name)];
        row.extend([balance.e_kin, balance.e_el, balance.e_pot].map(Value::Number));
        row.extend(
            [balance.momentum, balance.ang_momentum].as_flattened().iter().copied().map(Value::Number),
        );
        push(&mut table, row);
    }
    Ok(table)
}

fn contact_force(run: &Run) -> Result<Table, RunError> {
    let mut columns = vec![time_column(run)?];
    let mut values = vec![run.times().to_vec()];
    for (n, (pair, forces)) in run.header().pairs.iter().zip(run.normal_forces()?).enumerate() {
        columns.push(Column::new(&pair.name, &pair.name, "N"));
        values.push(forces.clone());
        let grids = run.reader().grid_course(n)?;
        if !grids.is_empty() {
            let [mut peak, mut radius] = [vec![0.0; run.times().len()], vec![0.0; run.times().len()]];
            for (frame, grid) in grids.iter().filter(|(frame, _)| *frame < run.times().len()) {
                (peak[*frame], radius[*frame]) = (grid.peak(), grid.contact_radius());
            }
            let column = |of: &str, unit| {
                let key = format!("{}_{}", pair.name, of.replace(' ', "_"));
                Column::new(&key, &format!("{} {of}", pair.name), unit)
            };
            columns.extend([column("peak pressure", "Pa"), column("contact radius", "m")]);
            values.extend([peak, radius]);
        }
    }
    Ok(over_time(columns, &values))
}

/// One row per force on a body in equilibrium, load step by load step.
pub(crate) fn forces(run: &Run) -> Result<Table, RunError> {
    let mut columns = vec![Column::new("time", "load", ""), Column::new("body", "body", "")];
    columns.extend([Column::new("kind", "kind", ""), Column::new("by", "by", "")]);
    let forces = run.reader().static_forces()?;
    let largest = forces.iter().flat_map(|force| force.force).fold(0.0, |m: f64, f| m.max(f.abs()));
    let component =
        |axis| Column::new(&format!("force_{axis}"), &format!("force {axis}"), "N").scaled(largest);
    columns.extend(["x", "y", "z"].map(component));
    let mut table = Table::new(columns).named_by(4);
    for force in forces {
        let body = run.header().bodies.get(force.body).map_or_else(String::new, |body| body.name.clone());
        let mut row: Vec<Value> = vec![run.times().get(force.frame).copied().into(), Value::Text(body)];
        row.extend([force.kind.word().into(), Value::Text(force.name)]);
        row.extend(force.force.map(Value::Number));
        push(&mut table, row);
    }
    Ok(table)
}
