//! Small oscillations and harmonic response about the equilibrium of a run: tables and plots.

use carom_format::result::StoredResponse;
use carom_report::{Axis, Column, Drawing, Plot, Series, Table, Value};

use crate::table::push;
use crate::{Run, RunError};

/// One row for each mode: frequency, damping ratio, effective masses, shares of the bodies.
pub(crate) fn modes(run: &Run) -> Result<Table, RunError> {
    let modes = run.reader().modes()?;
    if modes.is_empty() {
        return Err(RunError::Empty {
            what: "no oscillations about an equilibrium",
            hint: "run the scenario with `start = \"equilibrium\"` in [simulation]",
        });
    }
    let mut columns = vec![Column::new("mode", "mode", ""), Column::new("frequency", "frequency", "Hz")];
    columns.push(Column::new("damping_ratio", "damping ratio", ""));
    let heaviest = modes.iter().flat_map(|mode| mode.effective_mass).fold(0.0, f64::max);
    let mass =
        |axis: &str| Column::new(&format!("mass_{axis}"), &format!("mass {axis}"), "kg").scaled(heaviest);
    columns.extend(["x", "y", "z"].map(mass));
    let share = |body: &carom_format::result::ResultBody| {
        Column::new(&format!("share_{}", body.name), &format!("share of {}", body.name), "").scaled(1.0)
    };
    columns.extend(run.header().bodies.iter().map(share));
    columns.push(Column::new("motion", "largest motion", ""));
    let mut table = Table::new(columns).named_by(1);
    for (number, mode) in modes.into_iter().enumerate() {
        let mut row: Vec<Value> = vec![Value::Text((number + 1).to_string()), mode.frequency.into()];
        row.push(mode.damping_ratio.into());
        row.extend(mode.effective_mass.map(Value::Number));
        row.extend(mode.shares.into_iter().map(Value::Number));
        row.push(Value::Text(mode.motion));
        push(&mut table, row);
    }
    Ok(table)
}

/// The response of all probes on points.
fn responses(run: &Run) -> Result<Vec<StoredResponse>, RunError> {
    let found = run.reader().responses()?;
    if found.is_empty() {
        return Err(RunError::Empty {
            what: "no harmonic response",
            hint: "add `[response]` to the scenario, with `start = \"equilibrium\"` in [simulation]",
        });
    }
    Ok(found)
}

/// Amplitude and phase along the three axes \[m, degrees\].
fn polar(response: &StoredResponse) -> ([f64; 3], [f64; 3]) {
    let of = |axis: usize| (response.real[axis], response.imaginary[axis]);
    let amplitudes = [0, 1, 2].map(|axis| of(axis).0.hypot(of(axis).1));
    let phases = [0, 1, 2].map(|axis| of(axis).1.atan2(of(axis).0).to_degrees());
    (amplitudes, phases)
}

fn name(run: &Run, probe: usize) -> String {
    run.header().probes.get(probe).map_or_else(String::new, |probe| probe.name.clone())
}

/// One row for each probe and frequency: amplitudes and phases.
pub(crate) fn table(run: &Run) -> Result<Table, RunError> {
    let found = responses(run)?;
    let largest =
        found.iter().flat_map(|response| polar(response).0).filter(|a| a.is_finite()).fold(0.0, f64::max);
    let mut columns = vec![Column::new("frequency", "frequency", "Hz"), Column::new("probe", "probe", "")];
    for axis in ["x", "y", "z"] {
        let heading = format!("amplitude {axis}");
        columns.push(Column::new(&format!("amplitude_{axis}"), &heading, "m").scaled(largest));
    }
    for axis in ["x", "y", "z"] {
        columns.push(Column::new(&format!("phase_{axis}"), &format!("phase {axis}"), "°").scaled(1.0));
    }
    let mut table = Table::new(columns).named_by(2);
    for response in &found {
        let (amplitudes, phases) = polar(response);
        let mut row: Vec<Value> = vec![response.frequency.into(), Value::Text(name(run, response.probe))];
        row.extend(amplitudes.map(Value::Number));
        row.extend(phases.map(Value::Number));
        push(&mut table, row);
    }
    Ok(table)
}

/// Amplitude and phase of a probe over the frequencies.
///
/// * `wanted` — its name, or its number from 1
pub(crate) fn draw(run: &Run, wanted: &str) -> Result<Drawing, RunError> {
    let found = responses(run)?;
    let index = run.probe_index(wanted)?;
    let own: Vec<&StoredResponse> = found.iter().filter(|response| response.probe == index).collect();
    if own.is_empty() {
        return Err(RunError::Empty {
            what: "no harmonic response of this probe",
            hint: "the response is that of probes on points, `on = \"BODY:MARKER\"`",
        });
    }
    let frequencies: Vec<f64> = own.iter().map(|response| response.frequency).collect();
    let axis = || Axis::new("frequency", "Hz").logarithmic();
    let mut amplitude = Plot::new(&name(run, index), axis(), Axis::new("amplitude", "m").logarithmic());
    let mut phase = Plot::new("", axis(), Axis::new("phase", "°"));
    phase.size[1] = 220.0;
    let largest =
        own.iter().flat_map(|response| polar(response).0).filter(|a| a.is_finite()).fold(0.0, f64::max);
    for (k, label) in ["x", "y", "z"].into_iter().enumerate() {
        let values: Vec<(f64, f64)> =
            own.iter().map(|response| polar(response)).map(|(a, p)| (a[k], p[k])).collect();
        // A direction in which nothing moves is rounding.
        if values.iter().all(|(amplitude, _)| *amplitude <= 1e-9 * largest) {
            continue;
        }
        let finite = |x: f64| if x.is_finite() && x > 0.0 { x } else { f64::NAN };
        let amplitudes = values.iter().map(|value| finite(value.0)).collect();
        amplitude.series.push(Series::line(label, frequencies.clone(), amplitudes));
        let phases = values.iter().map(|value| value.1).collect();
        phase.series.push(Series::line(label, frequencies.clone(), phases));
    }
    Ok(Drawing::stacked(vec![amplitude.draw(), phase.draw()]))
}
