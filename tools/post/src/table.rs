//! Tables of a result.

use carom_report::{Column, Table, Value};
use clap::ValueEnum;

use crate::{Run, RunError, joints};

/// What a table lists.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum What {
    /// Energies and residuals over time.
    Energy,
    /// Momenta and residuals over time.
    Momentum,
    /// One row an impact.
    Contacts,
    /// State of the bodies at the end.
    Bodies,
    /// Forces of all contact pairs over time.
    ContactForce,
    /// Loads, contact and support forces on the bodies of a static run.
    Forces,
    /// Forces and torques of joints, springs and bushings over time.
    Joints,
}

impl What {
    /// Its word on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Energy => "energy",
            Self::Momentum => "momentum",
            Self::Contacts => "contacts",
            Self::Bodies => "bodies",
            Self::ContactForce => "contact-force",
            Self::Forces => "forces",
            Self::Joints => "joints",
        }
    }
}

/// Builds a table.
///
/// # Errors
///
/// [`RunError`] if the result cannot be read or has no frame.
pub fn build(run: &Run, what: What) -> Result<Table, RunError> {
    match what {
        What::Energy => energy(run),
        What::Momentum => momentum(run),
        What::Contacts => contacts(run),
        What::Bodies => bodies(run),
        What::ContactForce => contact_force(run),
        What::Forces => forces(run),
        What::Joints => joints::table(run),
    }
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
fn push(table: &mut Table, row: Vec<Value>) {
    table.push(row).expect("the row was made with the columns");
}

fn energy(run: &Run) -> Result<Table, RunError> {
    let names =
        ["time", "E_kin", "E_el", "E_con", "E_pot", "W_ext", "D_mat", "D_fric", "D_imp", "D_num", "R_E"];
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
    ];
    let columns = names.iter().zip(headings).enumerate();
    let columns = columns
        .map(|(n, (key, heading))| Column::new(key, heading, if n == 0 { "s" } else { "J" }))
        .collect();
    Ok(over_time(columns, &values))
}

fn momentum(run: &Run) -> Result<Table, RunError> {
    let names = [
        "time", "P_x", "P_y", "P_z", "L_x", "L_y", "L_z", "R_P_x", "R_P_y", "R_P_z", "R_L_x", "R_L_y",
        "R_L_z",
    ];
    let values = run.ledger_columns(names)?;
    let unit = |name: &str| match name {
        "time" => "s",
        name if name.contains('P') => "N s",
        _ => "N m s",
    };
    Ok(over_time(names.iter().map(|name| Column::new(name, name, unit(name))).collect(), &values))
}

fn size(vector: [f64; 3]) -> f64 {
    vector.iter().map(|x| x * x).sum::<f64>().sqrt()
}

/// One row an impact, with the keys of `carom-solve --json`.
pub(crate) fn contacts(run: &Run) -> Result<Table, RunError> {
    let column = Column::new;
    let mut table = Table::new(vec![
        column("pair", "pair", ""),
        column("start", "start", "s").digits(7),
        column("end", "end", "s").digits(7),
        column("duration", "duration", "s"),
        column("peak_force", "peak force", "N"),
        column("peak_time", "at", "s").digits(7),
        column("mean_force", "mean force", "N"),
        column("impulse", "impulse", "N s"),
        column("max_approach", "max approach", "m"),
        column("velocity_before", "before", "m/s"),
        column("velocity_after", "after", "m/s"),
        column("restitution", "restitution", ""),
        column("slip_speed_before", "slip before", "m/s"),
        column("slip_speed_after", "slip after", "m/s"),
        column("vibration_energy", "vibration", "J"),
        column("sub_impacts", "touches", ""),
    ]);
    for event in run.reader().contact_events()? {
        let pair =
            run.header().pairs.get(event.pair).map_or_else(|| event.pair.to_string(), |p| p.name.clone());
        push(
            &mut table,
            vec![
                Value::Text(pair),
                event.start.into(),
                if event.open { Value::Lacking("lasting") } else { event.end.into() },
                event.duration().into(),
                event.peak().map_or(Value::Lacking("-"), |(force, _)| force.into()),
                event.peak().map_or(Value::Lacking("-"), |(_, time)| time.into()),
                event.mean_force().map_or(Value::Lacking("-"), Value::Number),
                event.impulse_size().into(),
                event.max_approach.into(),
                event.velocity_before.into(),
                event.velocity_after.into(),
                event.restitution().map_or(Value::Lacking("-"), Value::Number),
                size(event.slip_before).into(),
                size(event.slip_after).into(),
                event.vibration_energy.into(),
                Value::Integer(i64::from(event.sub_impacts)),
            ],
        );
    }
    Ok(table)
}

/// State of the bodies in the last frame.
pub(crate) fn bodies(run: &Run) -> Result<Table, RunError> {
    run.check_frames()?;
    let mut columns = vec![Column::new("name", "body", ""), Column::new("mass", "mass", "kg")];
    for (key, heading, unit) in [
        ("position", "position", "m"),
        ("velocity", "velocity", "m/s"),
        ("angular_velocity", "angular velocity", "rad/s"),
    ] {
        for axis in ["x", "y", "z"] {
            columns.push(Column::new(&format!("{key}_{axis}"), &format!("{heading} {axis}"), unit));
        }
    }
    let mut table = Table::new(columns);
    let last = run.reader().frame(run.times().len() - 1)?;
    for (body, state) in run.header().bodies.iter().zip(&last.bodies) {
        let numbers = [state.position, state.velocity, state.angular_velocity].concat();
        let mut row = vec![Value::Text(body.name.clone()), body.mass.into()];
        row.extend(numbers.into_iter().map(Value::Number));
        push(&mut table, row);
    }
    Ok(table)
}

fn contact_force(run: &Run) -> Result<Table, RunError> {
    let mut columns = vec![Column::new("time", "time", "s").digits(7)];
    let mut values = vec![run.times().to_vec()];
    for (n, pair) in run.header().pairs.iter().enumerate() {
        columns.push(Column::new(&pair.name, &pair.name, "N"));
        values.push(run.reader().normal_forces(n)?);
    }
    Ok(over_time(columns, &values))
}

/// One row a force on a body in equilibrium, load step by load step.
pub(crate) fn forces(run: &Run) -> Result<Table, RunError> {
    let mut columns = vec![Column::new("time", "load", ""), Column::new("body", "body", "")];
    columns.extend([Column::new("kind", "kind", ""), Column::new("by", "by", "")]);
    columns.extend(
        ["x", "y", "z"].map(|axis| Column::new(&format!("force_{axis}"), &format!("force {axis}"), "N")),
    );
    let mut table = Table::new(columns);
    for force in run.reader().static_forces()? {
        let body = run.header().bodies.get(force.body).map_or_else(String::new, |body| body.name.clone());
        let mut row: Vec<Value> = vec![run.times().get(force.frame).copied().into(), Value::Text(body)];
        row.extend([force.kind.word().into(), Value::Text(force.name)]);
        row.extend(force.force.map(Value::Number));
        push(&mut table, row);
    }
    Ok(table)
}
