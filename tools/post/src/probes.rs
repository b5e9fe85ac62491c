//! Samples of probes: tables and plots.

use carom_dynamics::ProbeQuantity;
use carom_format::result::ProbeCourse;
use carom_report::{Axis, Column, Drawing, Plot, Series, Table, Value};

use crate::time::{time_axis, time_column};
use crate::{Run, RunError};

fn courses(run: &Run) -> Result<Vec<ProbeCourse>, RunError> {
    if run.header().probes.is_empty() {
        return Err(RunError::Empty { what: "no probe", hint: "add a [[probe]] to the scenario" });
    }
    Ok(run.reader().probe_courses()?)
}

/// One row per sample, probe by probe: the quantities that occur, empty where a probe does not have one.
pub(crate) fn table(run: &Run) -> Result<Table, RunError> {
    let courses = courses(run)?;
    let probes = &run.header().probes;
    let occurs = |quantity: &ProbeQuantity| probes.iter().any(|probe| probe.quantities.contains(quantity));
    let quantities: Vec<ProbeQuantity> = ProbeQuantity::ALL.into_iter().filter(occurs).collect();
    let mut columns = vec![time_column(run)?, Column::new("probe", "probe", "")];
    for quantity in &quantities {
        for axis in quantity.components() {
            let heading = format!("{} {axis}", quantity.name().replace('_', " "));
            let heading = heading.trim_end();
            columns.push(Column::new(&heading.replace(' ', "_"), heading, quantity.unit()));
        }
    }
    let mut table = Table::new(columns).named_by(2);
    for (probe, course) in probes.iter().zip(&courses) {
        for (time, values) in course.times.iter().zip(&course.values) {
            let mut row = vec![Value::Number(*time), Value::Text(probe.name.clone())];
            for quantity in &quantities {
                let place = probe.quantities.iter().position(|own| own == quantity);
                let value = place.and_then(|place| values.get(place));
                let known = |k: usize| value.map(|value| value[k]).filter(|number| number.is_finite());
                row.extend((0..quantity.components().len()).map(|k| Value::from(known(k))));
            }
            table.push(row).expect("the row was made with the columns");
        }
    }
    Ok(table)
}

/// The quantities of a probe over time, one below the other.
///
/// * `name` — its name, or its number from 1
pub(crate) fn draw(run: &Run, name: &str) -> Result<Drawing, RunError> {
    let courses = courses(run)?;
    let index = run.probe_index(name)?;
    let (probe, course) = (&run.header().probes[index], &courses[index]);
    let drawing = |(k, quantity): (usize, &ProbeQuantity)| -> Result<_, RunError> {
        let title = if k == 0 { probe.name.as_str() } else { "" };
        let label = quantity.name().replace('_', " ");
        let mut plot = Plot::new(title, time_axis(run)?, Axis::new(&label, quantity.unit()));
        plot.size[1] = 240.0;
        for (d, axis) in quantity.components().iter().enumerate() {
            let value = |row: &Vec<[f64; 3]>| row[k][d];
            let values = course.values.iter().map(value).map(|x| if x.is_finite() { x } else { f64::NAN });
            plot.series.push(Series::line(axis, course.times.clone(), values.collect()));
        }
        Ok(plot.draw())
    };
    let drawings = probe.quantities.iter().enumerate().map(drawing);
    Ok(Drawing::stacked(drawings.collect::<Result<Vec<_>, _>>()?))
}
