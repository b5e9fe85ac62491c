//! Forces and torques of joints, springs and bushings: tables and plots.

use carom_dynamics::{JointAction, JointState};
use carom_report::{Axis, Column, Drawing, Plot, Series, Table, Value};
use nalgebra::Vector3;

use crate::time::{time_axis, time_column};
use crate::{Run, RunError};

/// A kind of force along a coordinate of a joint, with its word.
type Part = (&'static str, fn(&JointAction) -> Option<f64>);

/// The forces along a coordinate.
const FORCES: [Part; 4] = [
    ("spring", |action: &JointAction| action.spring),
    ("stop", |action: &JointAction| action.stop),
    ("drive", |action: &JointAction| action.drive),
    ("coupling", |action: &JointAction| action.coupling),
];

const POWER: Part = ("power", JointAction::power);

/// The two coordinates that a joint may leave free, each with its word and unit, the unit of its rate and
/// that of forces along it.
const COORDINATES: [[&str; 4]; 2] = [["length", "m", "m/s", "N"], ["angle", "rad", "rad/s", "N m"]];

/// The states of all joints over the frames.
fn courses(run: &Run) -> Result<Vec<Vec<JointState>>, RunError> {
    run.check_frames()?;
    if run.header().joints.is_empty() {
        return Err(RunError::Empty {
            what: "no joint, spring or bushing",
            hint: "add a [[joint]] to the scenario, or run it again if an earlier release made the result",
        });
    }
    (0..run.header().joints.len()).map(|n| Ok(run.reader().joint_course(n)?)).collect()
}

fn values(course: &[JointState], slot: usize, part: Part) -> Vec<Option<f64>> {
    course.iter().map(|state| state.actions[slot].as_ref().and_then(part.1)).collect()
}

/// True if such a force acts at some time.
fn has(course: &[JointState], slot: usize, part: Part) -> bool {
    course.iter().any(|state| state.actions[slot].as_ref().is_some_and(|action| part.1(action).is_some()))
}

/// One row per frame and joint: force, torque, and the forces along coordinates that occur.
pub(crate) fn table(run: &Run) -> Result<Table, RunError> {
    let courses = courses(run)?;
    let mut columns = vec![time_column(run)?, Column::new("joint", "joint", "")];
    for (key, unit) in [("force", "N"), ("torque", "N m")] {
        let of = |axis: &&str| Column::new(&format!("{key}_{axis}"), &format!("{key} {axis}"), unit);
        columns.extend(["x", "y", "z"].iter().map(of));
    }
    let state: [Part; 2] = [("", |action| Some(action.value)), ("rate", |action| Some(action.rate))];
    let mut parts: Vec<(usize, Part)> = Vec::new();
    for (slot, [word, unit, rate, force]) in COORDINATES.into_iter().enumerate() {
        let units = [(state[0], unit), (state[1], rate), (POWER, "W")];
        let forces = FORCES.map(|part| (part, force));
        for (part, unit) in units[..2].iter().chain(&forces).chain(&units[2..]).copied() {
            if courses.iter().any(|course| has(course, slot, part)) {
                let heading = format!("{word} {}", part.0);
                columns.push(Column::new(&heading.trim().replace(' ', "_"), heading.trim(), unit));
                parts.push((slot, part));
            }
        }
    }
    let mut table = Table::new(columns).named_by(2);
    for (frame, time) in run.times().iter().enumerate() {
        for (joint, course) in run.header().joints.iter().zip(&courses) {
            let Some(state) = course.get(frame) else { continue };
            let mut row = vec![Value::Number(*time), Value::Text(joint.name.clone())];
            row.extend([state.force, state.torque].concat().into_iter().map(Value::Number));
            let acting = |(slot, part): &(usize, Part)| state.actions[*slot].as_ref().and_then(part.1).into();
            row.extend(parts.iter().map(acting));
            table.push(row).expect("the row was made with the columns");
        }
    }
    Ok(table)
}

/// One row per joint: its largest force, torque and power in the frames, with their times.
pub(crate) fn peaks(run: &Run) -> Result<Table, RunError> {
    let courses = courses(run)?;
    let mut columns = vec![Column::new("joint", "joint", "")];
    for (key, unit) in [("force", "N"), ("torque", "N m"), ("drive_power", "W")] {
        let heading = key.replace('_', " ");
        columns.push(Column::new(key, &format!("largest {heading}"), unit));
        columns.push(Column { key: format!("{key}_time"), heading: "at".to_owned(), ..time_column(run)? });
    }
    let mut table = Table::new(columns);
    for (joint, course) in run.header().joints.iter().zip(&courses) {
        let norm = |vector: fn(&JointState) -> [f64; 3]| {
            course.iter().map(|state| Some(Vector3::from(vector(state)).norm())).collect::<Vec<_>>()
        };
        let power = |state: &JointState| {
            let powers = state.actions.iter().flatten().filter_map(JointAction::power);
            powers.fold(None, |sum, power| Some(sum.unwrap_or(0.0) + power))
        };
        let mut row = vec![Value::Text(joint.name.clone())];
        let powers = course.iter().map(power).collect();
        for values in [norm(|state| state.force), norm(|state| state.torque), powers] {
            let largest = largest(&values);
            row.push(largest.map(|(_, value)| value).into());
            row.push(largest.and_then(|(frame, _)| run.times().get(frame).copied()).into());
        }
        table.push(row).expect("the row was made with the columns");
    }
    Ok(table)
}

/// The value of largest magnitude, the first if there are several, and its frame.
fn largest(values: &[Option<f64>]) -> Option<(usize, f64)> {
    let all = values.iter().enumerate().filter_map(|(frame, value)| Some((frame, (*value)?)));
    all.fold(None, |best: Option<(usize, f64)>, (frame, value)| match best {
        Some((_, size)) if size.abs() >= value.abs() => best,
        _ => Some((frame, value)),
    })
}

/// Force and torque of a joint, and below them the forces along its coordinates.
///
/// * `name` — its name, or its number from 1
pub(crate) fn draw(run: &Run, name: &str) -> Result<Drawing, RunError> {
    run.check_frames()?;
    let index = run.joint_index(name)?;
    let joint = &run.header().joints[index];
    let course = run.reader().joint_course(index)?;
    let axis = time_axis(run)?;
    let time = || axis.clone();
    let times = run.times().to_vec();
    let mut drawings = Vec::new();
    for (label, unit, vectors) in [
        ("force", "N", course.iter().map(|state| state.force).collect::<Vec<_>>()),
        ("torque", "N m", course.iter().map(|state| state.torque).collect()),
    ] {
        let title = match label {
            "force" => format!("{}: force on {}", joint.name, joint.second),
            _ => format!("torque about {}", joint.first),
        };
        let mut plot = Plot::new(&title, time(), Axis::new(label, unit));
        plot.size[1] = 260.0;
        for (d, axis) in ["x", "y", "z"].into_iter().enumerate() {
            let values = vectors.iter().map(|vector| vector[d]).collect();
            plot.series.push(Series::line(axis, times.clone(), values));
        }
        drawings.push(plot.draw());
    }
    for (slot, [word, _, _, unit]) in COORDINATES.into_iter().enumerate() {
        let along = format!("along the {word}");
        let about = format!("about the {word}");
        let of = if slot == 0 { along } else { about };
        for (label, unit, parts) in [(of.as_str(), unit, &FORCES[..]), ("power of the motion", "W", &[POWER])]
        {
            let there: Vec<&Part> = parts.iter().filter(|part| has(&course, slot, **part)).collect();
            if there.is_empty() {
                continue;
            }
            let mut plot = Plot::new("", time(), Axis::new(label, unit));
            plot.size[1] = 220.0;
            for part in there {
                let values =
                    values(&course, slot, *part).into_iter().map(|v| v.unwrap_or(f64::NAN)).collect();
                plot.series.push(Series::line(part.0, times.clone(), values));
            }
            drawings.push(plot.draw());
        }
    }
    Ok(Drawing::stacked(drawings))
}
