//! Tables of the impacts of a run: complete for programs, abridged for people.

use carom_dynamics::{ContactEvent, condensed};
use carom_report::{Column, Table, Value};

use crate::scales::size;
use crate::{Run, RunError};

/// Number of impacts of a pair up to which all are shown; of more, the first, the largest and the last are.
pub(crate) const IMPACTS: usize = 5;

/// The name of a pair.
pub(crate) fn pair_name(run: &Run, pair: usize) -> String {
    run.header().pairs.get(pair).map_or_else(|| pair.to_string(), |pair| pair.name.clone())
}

/// The name of the surfaces of an event.
pub(crate) fn event_name(run: &Run, event: &ContactEvent) -> String {
    let header = run.header();
    let pairs: Vec<&str> = header.pairs.iter().map(|pair| &*pair.name).collect();
    let bodies: Vec<&str> = header.bodies.iter().map(|body| &*body.name).collect();
    event.name(&pairs, &bodies)
}

/// One row per impact, with the keys of `carom-solve --json`.
pub(crate) fn all(run: &Run) -> Result<Table, RunError> {
    let events = run.reader().contact_events()?;
    let mut table = Table::new(columns(run, &events)?);
    for event in &events {
        let row = [vec![Value::Text(event_name(run, event))], figures(event)].concat();
        table.push(row).expect("the row was made with the columns");
    }
    Ok(table)
}

/// The abridged table, and a sentence for each pair with omitted impacts.
pub(crate) fn table(run: &Run, most: usize) -> Result<(Table, Vec<String>), RunError> {
    let events = run.reader().contact_events()?;
    let pairs = condensed(&events, most);
    let has_roles = pairs.iter().any(|pair| pair.shown.len() < pair.count);
    let mut columns = columns(run, &events)?;
    if has_roles {
        columns.insert(1, Column::new("role", "", ""));
    }
    let mut table = Table::new(columns).named_by(if has_roles { 2 } else { 1 });
    let mut notes = Vec::new();
    for pair in &pairs {
        for impact in &pair.shown {
            let event = &events[impact.event];
            let mut row = vec![Value::Text(event_name(run, event))];
            row.extend(has_roles.then(|| impact.role.into()));
            row.extend(figures(event));
            table.push(row).expect("the row was made with the columns");
        }
        if pair.shown.len() < pair.count {
            let own = || events.iter().filter(|event| (event.pair, event.bodies) == (pair.pair, pair.bodies));
            let name = own().next().map_or_else(String::new, |event| event_name(run, event));
            let largest = if own().any(|event| event.impulsive) {
                "the one with the largest impulse"
            } else {
                "the one with the largest force"
            };
            notes.push(format!(
                "{name}: {} impacts, of which the first, {largest} and the last are listed",
                pair.count
            ));
        }
    }
    Ok((table, notes))
}

/// All columns; the name of the pair is the first.
fn columns(run: &Run, events: &[ContactEvent]) -> Result<Vec<Column>, RunError> {
    let time = run.unit_of_time()?;
    let column = Column::new;
    let fastest = events
        .iter()
        .flat_map(|e| {
            [e.velocity_before.abs(), e.velocity_after.abs(), size(e.slip_before), size(e.slip_after)]
        })
        .fold(0.0, f64::max);
    let velocity = |key: &str, heading: &str| Column::new(key, heading, "m/s").scaled(fastest);
    Ok(vec![
        column("pair", "pair", ""),
        column("start", "start", "s").digits(6).prefixed(time),
        column("end", "end", "s").digits(6).prefixed(time),
        column("duration", "duration", "s").prefixed(time),
        column("peak_force", "peak force", "N"),
        column("peak_time", "at", "s").digits(6).prefixed(time),
        column("mean_force", "mean force", "N"),
        column("impulse", "impulse", "N s"),
        column("max_approach", "max approach", "m"),
        velocity("velocity_before", "before"),
        velocity("velocity_after", "after"),
        column("restitution", "restitution", ""),
        velocity("slip_speed_before", "slip before"),
        velocity("slip_speed_after", "slip after"),
        column("vibration_energy", "vibration", "J"),
        column("sub_impacts", "touches", ""),
    ])
}

fn figures(event: &ContactEvent) -> Vec<Value> {
    let known = |number: Option<f64>| number.map_or(Value::Lacking("-"), Value::Number);
    vec![
        event.start.into(),
        if event.open { Value::Lacking("lasting") } else { event.end.into() },
        event.duration().into(),
        known(event.peak().map(|(force, _)| force)),
        known(event.peak().map(|(_, time)| time)),
        known(event.mean_force()),
        event.impulse_size().into(),
        event.max_approach.into(),
        event.velocity_before.into(),
        event.velocity_after.into(),
        known(event.restitution()),
        size(event.slip_before).into(),
        size(event.slip_after).into(),
        event.vibration_energy.into(),
        Value::Integer(i64::from(event.sub_impacts)),
    ]
}
