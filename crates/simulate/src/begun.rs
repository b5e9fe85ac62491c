//! The scenario of a run that is to be continued: what it left open keeps the values that were chosen when
//! the run began.

use std::path::Path;

use carom_fem::MATERIALS;
use carom_format::ResultReader;
use carom_format::scenario::model::{BodySource, BodySpec, Compliance, End, Scenario};

/// The scenario of a result with the end of another one, if both agree in all that the other one does not
/// leave open; none otherwise, or if the result cannot be read.
///
/// A run with a later end would be foreseen anew, and meet other models than those it began with.
pub fn as_begun(scenario: &Scenario, result: &Path) -> Option<Scenario> {
    let header = ResultReader::open(result).ok()?.header().ok()?;
    // Files of tables are in the folder of the scenario.
    let path = Path::new(&header.scenario_folder).join(result.file_name()?);
    let known: Vec<&str> = MATERIALS.iter().map(|row| row.name).collect();
    let begun = Scenario::parse(&path, &header.scenario, &[], &known).ok()?;
    let adopted = adopted(scenario, &begun)?;
    (adopted != *scenario).then_some(adopted)
}

/// `scenario` with the values of `begun` that it leaves open, if they agree in everything else.
fn adopted(scenario: &Scenario, begun: &Scenario) -> Option<Scenario> {
    if scenario.body.len() != begun.body.len() || scenario.contact.len() != begun.contact.len() {
        return None;
    }
    let mut adopted = scenario.clone();
    if adopted.simulation.has_open_end {
        adopted.simulation.end_at(begun.simulation.end_time);
    }
    for (body, was) in adopted.body.iter_mut().zip(&begun.body) {
        adopt_body(body, was);
    }
    for (pair, was) in adopted.contact.iter_mut().zip(&begun.contact) {
        if matches!(pair.compliance, None | Some(Compliance::Auto)) {
            pair.compliance = was.compliance;
        }
        for (end, was) in pair.between.iter_mut().zip(&was.between) {
            adopt_end(end, was);
        }
    }
    let mut comparable = adopted.clone();
    let simulation = &mut comparable.simulation;
    simulation.end_time = begun.simulation.end_time;
    simulation.output_every = begun.simulation.output_every;
    simulation.checkpoint_every = begun.simulation.checkpoint_every;
    let text = |scenario: &Scenario| scenario.without_pictures().to_toml();
    (text(&comparable) == text(begun)).then_some(adopted)
}

fn adopt_body(body: &mut BodySpec, was: &BodySpec) {
    if let (BodySource::Make { make }, BodySource::Make { make: was }) = (&mut body.source, &was.source)
        && make.elements.is_empty()
    {
        make.elements.clone_from(&was.elements);
    }
    if let (BodySource::Import(import), BodySource::Import(was)) = (&mut body.source, &was.source) {
        import.size = import.size.or(was.size);
    }
    let Some(was) = &was.reduce else { return };
    let Some(reduce) = &mut body.reduce else {
        body.reduce = Some(was.clone());
        return;
    };
    if was.places.starts_with(&reduce.places) {
        reduce.places.clone_from(&was.places);
    }
    if reduce.modes.is_none() && reduce.up_to.is_none() {
        reduce.up_to = was.up_to;
    }
}

/// A whole body, or a set, has become a region of it.
fn adopt_end(end: &mut End, was: &End) {
    let set = was.part.split_once('@').map_or("", |(set, _)| set);
    if end.body == was.body && (end.part.is_empty() || end.part == set) {
        end.part.clone_from(&was.part);
    }
}
