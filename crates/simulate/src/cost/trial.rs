//! A run for a moment, which shows what a whole run takes.

use std::path::Path;
use std::time::Duration;

use carom_cost::Span;
use carom_format::ResultReader;
use carom_format::scenario::model::{BodySpec, MaterialLaw, Scenario, Scheme};
use carom_progress::Silent;

use super::shown;
use crate::cpu_limit::CpuLimit;
use crate::error::ErrorKind;
use crate::implicit::MOST_MULTIPLIERS;
use crate::prepared::Prepared;
use crate::resume::RunOptions;
use crate::rigid::{CONTACT_IMPULSES, MISSED_CONTACTS};
use crate::solve;

/// CPU time after which a trial with the steps of the run ends.
const OF_START: Duration = Duration::from_millis(300);

/// The same with longer steps to the end of the run.
const OF_WHOLE: Duration = Duration::from_secs(2);

/// CPU time of the longer of two moments of a run with uneven steps \[s\]: least, and most.
const OF_UNEVEN: [f64; 2] = [3.0, 10.0];

/// CPU time of the shorter one, as a part of that.
const PART_OF_LONGER: f64 = 0.5;

/// Part of the time of a run that shows how often bodies touch in it.
const ENOUGH: f64 = 0.05;

/// Steps of a trial over the whole time.
const STEPS: f64 = 200.0;

/// CPU time of a trial that is long enough for the clock \[s\].
const LONG_ENOUGH: f64 = 0.3;

/// Factor between the steps of two trials over the whole time.
const MORE_STEPS: f64 = 5.0;

/// Factor by which steps that are not seen in a trial may cost more or less than those of it.
const UNSEEN: f64 = 2.0;

/// Factor by which steps of bodies that lean on each other with friction may cost more than those before, for
/// each of them; at least that of [`UNSEEN`] twice, and at most. A heap of 300 balls took 0.02 s a step as it
/// fell, and some seconds as it settled.
const LEANING: f64 = 0.1;
const MOST_LEANING: f64 = 30.0;

/// Factor by which steps of plastic cells that are compressed become shorter.
const SHORTENED: f64 = 4.0;

/// Why the cost of plastic bodies in contact is a range.
const PLASTIC: &str = "plastic strain may shorten the steps of compressed cells";

/// The time loop of a whole run by a trial.
pub(crate) struct Trial {
    /// CPU seconds, without frames.
    pub(crate) seconds: Span,
    /// Why they are a range, a sentence; empty if they are not.
    pub(crate) unknown: String,
}

impl Trial {
    fn known(seconds: f64) -> Self {
        Self { seconds: Span::exact(seconds), unknown: String::new() }
    }
}

/// The cost of a run by a trial of it; none if the trial fails.
///
/// Rigid bodies run to their end in longer steps: about as much touches in them as in the run. Steps in which
/// points pass through surfaces show too little of it. In runs without contact, and in explicit steps of
/// elastic bodies, which search for contact in flight too, the first moment of the run is taken for all of
/// it; of plastic bodies, with shorter steps later. Other runs with contact are tried by [`of_uneven_start`].
///
/// * `touches` — true if bodies in a floating frame, here rigid ones, are known to touch early
/// * `worth` — CPU time that an uneven run is worth, within limits \[s\]
pub(crate) fn of_run(scenario: &Scenario, prepared: &Prepared, touches: bool, worth: f64) -> Option<Trial> {
    let uneven = |touches: bool| of_uneven_start(scenario, prepared, touches, worth);
    let has_contact = !scenario.contact.is_empty();
    match scenario.simulation.scheme {
        Scheme::Rigid { time_step } => of_longer_steps(scenario, prepared, time_step)
            .or_else(|| if has_contact { uneven(false) } else { None }),
        Scheme::Explicit { .. } if !is_plastic(scenario) => of_start(scenario, prepared).map(Trial::known),
        Scheme::Explicit { .. } if !has_contact => {
            of_start(scenario, prepared).map(|seconds| crushed(seconds, shortening(scenario)))
        }
        Scheme::Explicit { .. } => uneven(true),
        _ if has_contact => uneven(touches),
        _ => of_start(scenario, prepared).map(Trial::known),
    }
}

/// A run of plastic bodies without contact by its first moment, in which no cell is compressed yet.
fn crushed(seconds: f64, shortening: f64) -> Trial {
    let seconds =
        Span { low: seconds, expected: shortening * seconds, high: SHORTENED * shortening * seconds };
    Trial { seconds, unknown: if shortening > 1.0 { PLASTIC.to_owned() } else { String::new() } }
}

/// Factor by which a run of plastic bodies that stop takes longer than its first moment shows.
///
/// Taylor's theory gives the strain e of a bar of density ρ and yield stress Y that stops at a wall with v,
/// by which cells, and so the steps, become shorter. Rims of the end are compressed more, and plastic cells
/// cost more than elastic ones, so that the factor counts twice: a bar with e = 0.64 took 7.7 times as long
/// as its first moment showed (meshes/taylor-bar), 1/(1 − e)² = 7.6.
///
/// ```text
/// e²/(1 − e) = ρ v²/Y
/// ```
///
/// Source: Taylor (1948), Proc. R. Soc. A 194, 289–299.
fn shortening(scenario: &Scenario) -> f64 {
    let of_body = |body: &BodySpec| {
        let material = scenario.material.get(body.material.as_deref()?)?;
        let square: f64 = body.velocity.iter().map(|v| v * v).sum();
        let ratio = material.density * square / material.yield_stress?;
        let e = 0.5 * ((ratio * ratio + 4.0 * ratio).sqrt() - ratio);
        Some((1.0 - e).powi(-2))
    };
    scenario.body.iter().filter_map(of_body).fold(1.0, f64::max)
}

fn is_plastic(scenario: &Scenario) -> bool {
    scenario.material.values().any(|material| material.law == MaterialLaw::Plastic)
}

/// True if a trial can show the cost of a run.
pub(crate) fn is_of_use(scenario: &Scenario) -> bool {
    !matches!(scenario.simulation.scheme, Scheme::Complementarity { .. } | Scheme::Static { .. })
}

/// Rigid bodies: the run itself if it is short, else the larger one of what its begin and a run to the end in
/// longer steps show.
///
/// Contacts that come later are in the longer steps alone. These may cost less than those of the run, as
/// loaded contacts take other numbers of iterations in them.
fn of_longer_steps(scenario: &Scenario, prepared: &Prepared, time_step: f64) -> Option<Trial> {
    let begin = Moment::of(scenario.clone(), prepared, OF_WHOLE)?;
    if begin.part == 1.0 {
        return Some(Trial::known(begin.seconds));
    }
    let of_begin = begin.seconds / begin.part;
    let wanted = scenario.simulation.end_time / time_step;
    let mut steps = STEPS.min(wanted);
    let mut found = None;
    loop {
        let mut coarse = scenario.clone();
        coarse.simulation.scheme = Scheme::Rigid { time_step: scenario.simulation.end_time / steps };
        let Some(moment) = Moment::of(coarse, prepared, OF_WHOLE) else { break };
        if moment.part < 1.0 {
            if found.is_none() && moment.touches {
                return Some(of_leaning(of_begin, &moment, wanted / steps, scenario));
            }
            // A trial before was shorter and reached the end.
            break;
        }
        found = (moment.missed == 0).then_some(moment.seconds * wanted / steps);
        if found.is_some() && moment.seconds > LONG_ENOUGH || steps == wanted {
            break;
        }
        steps = (MORE_STEPS * steps).min(wanted);
    }
    Some(Trial::known(found.unwrap_or(0.0).max(of_begin)))
}

/// Rigid bodies in contact of which longer steps show the time until bodies lean on each other alone.
///
/// * `of_begin` — the cost by the begin of the run \[s\]
/// * `more_steps` — of the run over those of the trial
fn of_leaning(of_begin: f64, moment: &Moment, more_steps: f64, scenario: &Scenario) -> Trial {
    let expected = of_begin.max(moment.seconds / moment.part * more_steps);
    let has_friction = scenario.contact.iter().any(|pair| pair.friction > 0.0);
    let moving = scenario.body.iter().filter(|spec| !spec.fixed).count() as f64;
    let growth = if has_friction { (LEANING * moving).min(MOST_LEANING) } else { 1.0 };
    let growth = growth.max(UNSEEN * UNSEEN);
    let unknown = format!(
        "only the first {:.0} % of the time were tried, and steps cost more the more bodies lean on each \
         other",
        100.0 * moment.part
    );
    Trial { seconds: Span { low: of_begin, expected, high: growth * expected }, unknown }
}

fn of_start(scenario: &Scenario, prepared: &Prepared) -> Option<f64> {
    Moment::of(scenario.clone(), prepared, OF_START).map(|Moment { seconds, part, .. }| seconds / part)
}

/// The cost of a run whose steps cost more in contact than before it, by a short and a longer moment from its
/// begin: a step of the rest costs between a step before and a step after the end of the short one.
///
/// The geometric mean of both is right within a factor of two where these differ by less than a factor of
/// four. Where nothing touches in the moments, later steps may cost more.
///
/// * `touches` — true if bodies are known to touch in it
/// * `worth` — CPU time that the longer moment may take, within [`OF_UNEVEN`] \[s\]
fn of_uneven_start(scenario: &Scenario, prepared: &Prepared, touches: bool, worth: f64) -> Option<Trial> {
    let [least, most] = OF_UNEVEN;
    let longest = worth.clamp(least, most);
    let moment = |seconds: f64| Moment::of(scenario.clone(), prepared, Duration::from_secs_f64(seconds));
    let short = moment(PART_OF_LONGER * longest);
    let long = moment(longest)?;
    if long.part == 1.0 {
        return Some(Trial::known(long.seconds));
    }
    // Rates of the work, of which the whole run has a share of 1.
    let mean = long.seconds / long.shown;
    let rates = match short {
        Some(short) if short.shown < long.shown => {
            let later = (long.seconds - short.seconds) / (long.shown - short.shown);
            let first = short.seconds / short.shown;
            // A dear begin, as of contacts that settle, does not come again.
            if first > later { [later, mean] } else { [first, later] }
        }
        _ => [mean; 2],
    };
    let [low, high] = rates;
    let to_the_end = |rate: f64| long.seconds + (1.0 - long.shown) * rate;
    let seconds =
        Span { low: to_the_end(low), expected: to_the_end((low * high).sqrt()), high: to_the_end(high) };
    if !(touches || long.touches) {
        let unknown = format!(
            "nothing touches in the first {:.1} % of the time, and steps in contact cost more",
            100.0 * long.part
        );
        let high = UNSEEN * UNSEEN * seconds.high;
        return Some(Trial { seconds: Span { high, ..seconds }, unknown });
    }
    if matches!(scenario.simulation.scheme, Scheme::Explicit { .. }) && is_plastic(scenario) {
        let seconds = Span { high: SHORTENED * seconds.high, ..seconds };
        return Some(Trial { seconds, unknown: PLASTIC.to_owned() });
    }
    if seconds.high <= UNSEEN * seconds.expected && long.part > ENOUGH {
        return Some(Trial::known(seconds.expected));
    }
    if long.part <= ENOUGH {
        let unknown = format!("only the first {:.1} % of the time were tried", 100.0 * long.part);
        return Some(Trial { seconds: Span { high: UNSEEN * seconds.high, ..seconds }, unknown });
    }
    let unknown = format!("steps cost more and more in the first {:.1} % of the time", 100.0 * long.part);
    Some(Trial { seconds, unknown })
}

/// A run until the time is over.
struct Moment {
    /// CPU time of its loop \[s\].
    seconds: f64,
    /// Part of the simulated time that it reached.
    part: f64,
    /// Share of the work of the run that is expected until then.
    shown: f64,
    /// Contacts that all steps missed.
    missed: u64,
    /// True if bodies are known to have touched: rigid ones, and those in implicit steps.
    touches: bool,
}

impl Moment {
    /// Runs a scenario without frames and probes; none if it fails before the time is over.
    fn of(mut scenario: Scenario, prepared: &Prepared, budget: Duration) -> Option<Self> {
        let end = scenario.simulation.end_time;
        scenario.simulation.output_every = end;
        scenario.probe.clear();
        let folder = tempfile::tempdir().ok()?;
        let path = folder.path().join("trial.carom");
        let watch = CpuLimit::new(&Silent, budget);
        let ran = solve::run(&scenario, Path::new(""), prepared, &path, RunOptions::default(), &watch);
        let is_whole = ran.is_ok();
        if ran.is_err_and(|error| error.kind() != ErrorKind::Interrupted) {
            return None;
        }
        let result = ResultReader::open(&path).ok()?;
        let part = if is_whole { 1.0 } else { result.checkpoint().ok()??.time / end };
        let (_, seconds) = result.timings().ok()?.into_iter().find(|(name, _)| name == "time loop, cpu")?;
        let counters = result.counters().ok()?;
        let count = |of: &str| counters.iter().find(|(name, _)| name == of).map_or(0, |(_, count)| *count);
        let touches = [CONTACT_IMPULSES, MOST_MULTIPLIERS].iter().any(|of| count(of) > 0);
        let shown = shown(&scenario, part);
        (part > 0.0).then_some(Self { seconds, part, shown, missed: count(MISSED_CONTACTS), touches })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Taylor's strain solves his equation, and a body at rest has steps of one length.
    #[test]
    fn steps_of_plastic_bodies_become_shorter_with_their_speed() {
        let text = include_str!("../../../../meshes/taylor-bar/scenario.toml");
        let at = |v: f64| {
            let text = text.replace("-227.0", &format!("{v:.1}"));
            shortening(&Scenario::parse(Path::new("bar.toml"), &text, &[], &[]).unwrap())
        };
        assert_eq!(at(0.0), 1.0);
        let e = 1.0 - at(-227.0).sqrt().recip();
        let ratio = 8930.0 * 227.0 * 227.0 / 400e6;
        assert!((e * e / (1.0 - e) / ratio - 1.0).abs() < 1e-12, "{e}");
        assert!(at(10.0) < 1.1 && at(100.0) > at(50.0));
    }
}
