//! Changes of a scenario with which a run is repeated, so that the errors that it estimates fall below the
//! accuracy that the scenario wants.

use carom_dynamics::{ErrorEstimate, ErrorParts, RELATIVE_TOLERANCE};
use carom_format::scenario::model::{BodySource, BodySpec, Compliance, MakeSpec, Scenario};
use carom_make::cad;
use carom_mesh::SizeNear;

/// Estimate over the wanted error above which a run is repeated by itself: it is an upper bound, in most
/// cases several times the true error.
pub const FAR: f64 = 1.5;

/// Factor of the numbers of elements along each direction.
const FINER: f64 = 1.5;

/// Most degrees of freedom of a body that a run makes by itself: it takes about a minute.
const MOST_DOFS: f64 = 6e4;

/// Least and largest factor of the frequency up to which modes are kept.
const MORE_MODES: [f64; 2] = [1.25, 3.0];

/// Share of the wanted error above which a part is made smaller: meshes with the contact on them, modes,
/// time.
const SHARES: [f64; 3] = [0.5, 0.25, 0.25];

/// Changes of a scenario, with their reason.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Refinement {
    /// Values as `--set` takes them; none if nothing can be changed.
    pub overrides: Vec<String>,
    /// The parts of the error that are too large, a sentence.
    pub reason: String,
    /// Largest estimate over the wanted error.
    pub excess: f64,
    /// Keys of values that the scenario gives, which would have to change: `body.ball.make.elements`.
    pub given: Vec<String>,
}

/// The mesh of a body in a run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MeshNow {
    /// Mean edge of the faces that touch \[m\].
    pub edge: f64,
    /// Degrees of freedom.
    pub dofs: usize,
}

impl MeshNow {
    /// True if finer cells would make it larger than a run may make it by itself.
    fn is_large(self) -> bool {
        Self::is_large_with(self.dofs)
    }

    /// The same of a mesh with so many degrees of freedom.
    pub(crate) fn is_large_with(dofs: usize) -> bool {
        dofs as f64 * FINER.powi(3) > MOST_DOFS
    }
}

/// The numbers of elements of a finer mesh.
pub(crate) fn finer_elements(elements: &[usize]) -> Vec<usize> {
    elements.iter().map(|n| (FINER * *n as f64).ceil() as usize).collect()
}

/// The changes that errors above the wanted ones ask for; none if all are below.
///
/// * `given` — the scenario without any choices
/// * `completed` — the scenario of the run
/// * `estimates` — one for each contact
/// * `mesh` — that of a body, by its number
/// * `of_given` — true if values that the scenario gives may be changed, and meshes may become large
pub fn refinement(
    given: &Scenario,
    completed: &Scenario,
    estimates: &[Option<ErrorEstimate>],
    mesh: impl Fn(usize) -> Option<MeshNow>,
    of_given: bool,
) -> Option<Refinement> {
    let wanted = given.simulation.wanted();
    let mut found = Refinement::default();
    let mut changes = vec![Change::default(); given.body.len()];
    let mut time = false;
    let mut reasons = Vec::new();
    for ((pair, resolved), estimate) in given.contact.iter().zip(&completed.contact).zip(estimates) {
        let Some(ErrorEstimate { force, parts: Some(parts), .. }) = estimate else { continue };
        // Meshes that resolve a contact are the user's, and so are the numbers that go with them.
        let is_own = !of_given && resolved.compliance == Some(Compliance::Body);
        // An impact within a period of the modes without inertia has a warning of its own.
        if *force <= wanted || is_own || parts.modes > 1.0 {
            continue;
        }
        let ErrorParts { contact, modes, mesh: of_mesh, time: of_time } = *parts;
        let too_large = [contact + of_mesh, modes, of_time].map(|part| part / wanted);
        found.excess = found.excess.max(force / wanted);
        let bodies =
            pair.between.each_ref().map(|end| given.body.iter().position(|body| body.name == end.body));
        // It is not known which of the two meshes errs: both become finer, or none.
        let is_large = !of_given && bodies.into_iter().flatten().filter_map(&mesh).any(MeshNow::is_large);
        for i in bodies.into_iter().flatten() {
            changes[i].mesh |= too_large[0] > SHARES[0];
            changes[i].is_large |= is_large;
            if too_large[1] > SHARES[1] {
                changes[i].modes = changes[i].modes.max((too_large[1] / SHARES[1]).sqrt());
            }
        }
        time |= too_large[2] > SHARES[2];
        let [first, second] = pair.between.each_ref().map(|end| &end.body);
        let (name, part) = parts.largest();
        reasons.push(format!(
            "the force between {first} and {second} may err by {:.1} %, more than the accuracy of {:.1} %; \
             of this {name} has {:.1} %",
            100.0 * force,
            100.0 * wanted,
            100.0 * part
        ));
    }
    if reasons.is_empty() {
        return None;
    }
    found.reason = reasons.join("; ");
    for (i, change) in changes.iter().enumerate().filter(|(i, _)| !given.body[*i].rigid) {
        let key = key_of(&given.body[i], i);
        if change.mesh {
            let edge = mesh(i).filter(|_| !change.is_large).map(|mesh| mesh.edge);
            let may_change = of_given || !change.is_large;
            found.push(finer((&given.body[i], &completed.body[i]), &key, edge, [of_given, may_change]));
        }
        if change.modes > 0.0 {
            found.push(more_modes(&given.body[i], &completed.body[i], &key, change.modes, of_given));
            let split = completed.body[i].reduce.as_ref().and_then(|reduce| reduce.split);
            if let Some(hz) = split.filter(|_| of_given) {
                let factor = change.modes.clamp(MORE_MODES[0], MORE_MODES[1]);
                found.push(Ok(format!("{key}.reduce.split={:.1e}", hz * factor)));
            }
        }
    }
    if time {
        found.push(smaller_steps(given, of_given));
    }
    Some(found)
}

/// The override for smaller steps, or the key that stands in its way.
fn smaller_steps(given: &Scenario, of_given: bool) -> Result<String, String> {
    let integration = given.simulation.scheme.integration();
    if let Some(step) = integration.and_then(|settings| settings.time_step) {
        let key = "simulation.time_step";
        return if of_given { Ok(format!("{key}={:.1e}", 0.5 * step)) } else { Err(key.to_owned()) };
    }
    let tolerance =
        integration.and_then(|settings| settings.relative_tolerance).unwrap_or(RELATIVE_TOLERANCE);
    let key = "simulation.relative_tolerance";
    // A scenario that gives the default leaves it open.
    let is_open = tolerance == RELATIVE_TOLERANCE;
    if is_open || of_given { Ok(format!("{key}={:.1e}", 0.1 * tolerance)) } else { Err(key.to_owned()) }
}

/// Changes of a body.
#[derive(Debug, Clone, Copy, Default)]
struct Change {
    mesh: bool,
    /// True if a finer mesh, of it or of a body that it touches, would become large.
    is_large: bool,
    /// Factor of the frequency; 0 for none.
    modes: f64,
}

impl Refinement {
    /// Takes in an override, or the key of a given value.
    fn push(&mut self, change: Result<String, String>) {
        match change {
            Ok(text) => self.overrides.push(text),
            Err(key) => self.given.push(key),
        }
    }
}

/// The path of a body: its name, or its number where a name cannot stand in a path.
fn key_of(spec: &BodySpec, number: usize) -> String {
    let is_plain = |name: &str| !name.contains(['.', '=']) && name.trim() == name;
    let name = if is_plain(&spec.name) { spec.name.clone() } else { number.to_string() };
    format!("body.{name}")
}

/// The override for a finer mesh of a body, or the key that stands in its way.
///
/// * `edge` — mean edge of the faces that touch \[m\]
/// * `of_given`, `may_change` — whether given and whether chosen values may change
fn finer(
    (given, completed): (&BodySpec, &BodySpec),
    key: &str,
    edge: Option<f64>,
    [of_given, may_change]: [bool; 2],
) -> Result<String, String> {
    let of_chosen = |is_chosen: bool| of_given || (is_chosen && may_change);
    match (&given.source, &completed.source) {
        (BodySource::Make { make: MakeSpec { elements: own, .. } }, BodySource::Make { make })
            if of_chosen(own.is_empty()) && !make.elements.is_empty() =>
        {
            Ok(format!("{key}.make.elements={:?}", finer_elements(&make.elements)))
        }
        (BodySource::Make { .. }, _) => Err(format!("{key}.make.elements")),
        (BodySource::Import(import), _) if !import.near.is_empty() => {
            // The size of all cells does not change those near the given places.
            let places = import.near.iter().filter_map(|near| near.parse::<SizeNear>().ok());
            let rounded = |size: f64| format!("{size:.2e}").parse().unwrap_or(size);
            let finer = places.map(|near| SizeNear { size: rounded(near.size / FINER), ..near }.to_string());
            let finer: Vec<String> = finer.collect();
            if of_given { Ok(format!("{key}.near={finer:?}")) } else { Err(format!("{key}.near")) }
        }
        (BodySource::Import(import), BodySource::Import(now)) if cad::is_cad(import.file.as_ref()) => {
            match now.size.or(edge) {
                Some(size) if of_chosen(import.size.is_none()) => {
                    Ok(format!("{key}.size={:.2e}", size / FINER))
                }
                _ => Err(format!("{key}.size")),
            }
        }
        _ => Err(format!("{key}.refine.subdivide")),
    }
}

/// The override for more modes of a body, or the key that stands in its way.
fn more_modes(
    given: &BodySpec,
    completed: &BodySpec,
    key: &str,
    factor: f64,
    of_given: bool,
) -> Result<String, String> {
    let factor = factor.clamp(MORE_MODES[0], MORE_MODES[1]);
    let up_to = |spec: &BodySpec| spec.reduce.as_ref().and_then(|reduce| reduce.up_to);
    let count = given.reduce.as_ref().and_then(|reduce| reduce.modes);
    match (up_to(completed), count) {
        (Some(hz), None) if of_given || up_to(given).is_none() => {
            Ok(format!("{key}.reduce.up_to={:.1e}", hz * factor))
        }
        (_, Some(count)) if of_given => {
            let more = (count as f64 * factor).ceil();
            Ok(format!("{key}.reduce.modes={more}"))
        }
        (_, Some(_)) => Err(format!("{key}.reduce.modes")),
        _ => Err(format!("{key}.reduce.up_to")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scenario(text: &str) -> Scenario {
        Scenario::parse("s.toml".as_ref(), text, &[], &["steel"]).unwrap()
    }

    fn text(of_part: &str) -> String {
        format!(
            "[[body]]\nname = \"ball\"\nmaterial = \"steel\"\n\
             make = {{ shape = \"ball\", radius = 0.01, elements = [4, 2] }}\nvelocity = [0.0, 0.0, -1.0]\n\
             [[body]]\nname = \"part\"\nmaterial = \"steel\"\n{of_part}\n\
             [[contact]]\nbetween = [\"ball\", \"part\"]\n"
        )
    }

    fn estimate(contact: f64, modes: f64, mesh: f64, time: f64) -> ErrorEstimate {
        let parts = ErrorParts { contact, modes, mesh, time };
        ErrorEstimate { force: parts.sum(), impulse: parts.sum(), duration: parts.sum(), parts: Some(parts) }
    }

    #[test]
    fn each_part_of_the_error_changes_the_numbers_that_it_comes_from() {
        let given = scenario(&text("file = \"part.step\""));
        let completed = scenario(&text("file = \"part.step\"\nreduce = { up_to = 2.0e4 }"));
        let of = |estimate, of_given| {
            let mesh = |i| (i == 1).then_some(MeshNow { edge: 6e-3, dofs: 10_000 });
            refinement(&given, &completed, &[Some(estimate)], mesh, of_given)
        };
        assert_eq!(of(estimate(0.002, 0.003, 0.01, 0.001), false), None);
        let mesh = of(estimate(0.002, 0.0, 0.03, 0.0), false).unwrap();
        assert_eq!(mesh.overrides, ["body.part.size=4.00e-3"]);
        assert_eq!(mesh.given, ["body.ball.make.elements"]);
        assert!((mesh.excess - 1.6).abs() < 1e-12 && mesh.excess > FAR);
        assert!(mesh.reason.contains("may err by 3.2 %") && mesh.reason.contains("mesh has 3.0 %"));
        let near = scenario(&text("file = \"part.step\"\nnear = [\"0,0,0.01:0.002=6e-4\", \"top=0.003\"]"));
        let at_places = |of_given| {
            refinement(&near, &near, &[Some(estimate(0.002, 0.0, 0.03, 0.0))], |_| None, of_given).unwrap()
        };
        assert!(at_places(false).given.contains(&"body.part.near".to_owned()));
        let finer = "body.part.near=[\"0,0,0.01:0.002=0.0004\", \"top=0.002\"]".to_owned();
        assert!(at_places(true).overrides.contains(&finer));
        let all = of(estimate(0.002, 0.02, 0.03, 0.02), true).unwrap();
        let expected = [
            "body.ball.make.elements=[6, 3]",
            "body.part.size=4.00e-3",
            "body.part.reduce.up_to=4.0e4",
            "simulation.relative_tolerance=1.0e-7",
        ];
        assert_eq!(all.overrides, expected);
        assert_eq!(all.given, ["body.ball.reduce.up_to"]);
        // Steps: an open tolerance, a given one, and steps of one length.
        let steps = |keys: &str, of_given| {
            let text = format!("[simulation]\nend_time = 1e-4\n{keys}\n{}", text("file = \"part.step\""));
            let given = scenario(&text);
            refinement(&given, &given, &[Some(estimate(0.0, 0.0, 0.0, 0.03))], |_| None, of_given).unwrap()
        };
        assert_eq!(steps("", false).overrides, ["simulation.relative_tolerance=1.0e-7"]);
        assert_eq!(steps("relative_tolerance = 1e-5", false).given, ["simulation.relative_tolerance"]);
        assert_eq!(
            steps("relative_tolerance = 1e-5", true).overrides,
            ["simulation.relative_tolerance=1.0e-6"]
        );
        assert_eq!(steps("time_step = 1e-7", false).given, ["simulation.time_step"]);
        assert_eq!(steps("time_step = 1e-7", true).overrides, ["simulation.time_step=5.0e-8"]);
        // A mesh that would become large is left to the user; the next one is finer than the last one.
        let sized = scenario(&text("file = \"part.step\"\nsize = 4e-3\nreduce = { up_to = 2.0e4 }"));
        for (dofs, changes) in [(15_000, vec!["body.part.size=2.67e-3"]), (20_000, vec![])] {
            let mesh = |i| (i == 1).then_some(MeshNow { edge: 2e-3, dofs });
            let estimates = [Some(estimate(0.002, 0.0, 0.03, 0.0))];
            let found = refinement(&given, &sized, &estimates, mesh, false).unwrap();
            assert_eq!(found.overrides, changes, "{dofs}");
            assert!(found.given.contains(&"body.ball.make.elements".to_owned()));
            assert_eq!(found.given.contains(&"body.part.size".to_owned()), changes.is_empty());
        }
        // The overrides can be read.
        let overrides: Vec<_> = all.overrides.into_iter().map(Into::into).collect();
        let again = Scenario::parse("s.toml".as_ref(), &text("file = \"part.step\""), &overrides, &["steel"]);
        assert_eq!(again.unwrap().body[1].reduce.as_ref().unwrap().up_to, Some(4e4));
    }
}
