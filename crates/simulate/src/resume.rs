//! A result is continued by the run that began it, and by no other.

use std::path::Path;

use carom_format::ResultReader;
use carom_format::result::{ResultBody, RunHeader};
use carom_format::scenario::model::Scenario;

use crate::SimulateError;

/// Refuses to continue a result with another scenario or other bodies: what comes out would be of neither. The end
/// time may differ, and must lie beyond what the result has reached, and so may the time between frames, which follows from
/// it where it is not given.
///
/// * `header` — what the run that is to continue it would write
///
/// # Errors
///
/// [`SimulateError::Resume`] with what differs.
pub(crate) fn same_run(path: &Path, header: &RunHeader, scenario: &Scenario) -> Result<(), SimulateError> {
    let refuse = |why: String| Err(SimulateError::Resume { path: path.to_owned(), why });
    let reader = ResultReader::open(path)?;
    let begun = reader.header()?;
    if let Some((was, is)) = first_difference(&begun.scenario, &header.scenario) {
        return refuse(format!("it was begun with {was}, and the scenario has {is} now"));
    }
    let files = |body: &ResultBody| [body.body_checksum.clone(), body.rom_checksum.clone()];
    let changed = begun.bodies.iter().zip(&header.bodies).find(|(was, is)| files(was) != files(is));
    if let Some((body, _)) = changed {
        return refuse(format!("the body `{}` or its model has changed since it was begun", body.name));
    }
    let end = scenario.simulation.end_time;
    match reader.checkpoint()? {
        Some(checkpoint) if checkpoint.time >= end => {
            refuse(format!("it has reached {:e} s, and the end time is {end:e} s", checkpoint.time))
        }
        _ => Ok(()),
    }
}

/// The first lines in which two scenarios differ but for the end time and what follows from it; "nothing there" where one is shorter.
fn first_difference(was: &str, is: &str) -> Option<(String, String)> {
    let lines = |text: &str| -> Vec<String> {
        let free = |line: &&str| !["end_time = ", "output_every = "].iter().any(|key| line.starts_with(key));
        let lines = text.lines().filter(free);
        lines.map(|line| format!("`{line}`")).collect()
    };
    let (was, is) = (lines(was), lines(is));
    let line = |of: &[String], at: usize| of.get(at).cloned().unwrap_or("nothing there".to_owned());
    let at = (0..was.len().max(is.len())).find(|&at| was.get(at) != is.get(at))?;
    Some((line(&was, at), line(&is, at)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_time_alone_may_differ() {
        assert_eq!(first_difference("end_time = 1.0\na = 1", "end_time = 2.0\na = 1"), None);
        let (was, is) = first_difference("a = 1\nb = 2", "a = 1\nb = 3").unwrap();
        assert_eq!((was.as_str(), is.as_str()), ("`b = 2`", "`b = 3`"));
        assert_eq!(first_difference("a = 1", "").unwrap().1, "nothing there");
    }
}
