//! The end of a run as data, for the result and for the caller.

use std::collections::BTreeMap;
use std::path::Path;

use carom_continuum::statics::{BodyForces, PairOutcome};
use carom_dynamics::{BodyState, ContactEvent, ErrorEstimate, LedgerSummary};
use carom_format::result::{
    ResultBody, ResultJoint, ResultPair, ResultProbe, StaticForce, StoredMode, StoredResponse,
};
use carom_format::scenario::model::{BodySpec, ContactSpec, Scenario};
use carom_integrate::Counters;

use crate::prepared::{Prepared, PreparedBody};
use crate::system::probes::described as described_probes;

/// Sizes of a run, errors of its balance, and its impacts.
#[derive(Debug, Clone, PartialEq)]
pub struct RunSummary {
    /// Time reached \[s\].
    pub time: f64,
    /// Steps accepted; of a static run, load steps.
    pub steps: u64,
    /// Counters of the time integration, of schemes with a choice of integrators.
    pub integration: Option<Counters>,
    /// Errors of the balance.
    pub ledger: LedgerSummary,
    /// All impacts, in the order in which they ended.
    pub contacts: Vec<ContactEvent>,
}

/// The equilibrium of a static run under the full load.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct StaticOutcome {
    /// Forces on each body.
    pub bodies: Vec<BodyForces>,
    /// Forces of the supports of deformable bodies.
    pub supports: Vec<SupportOutcome>,
    /// All forces on all bodies, as the result keeps them.
    pub forces: Vec<StaticForce>,
    /// The contact pairs.
    pub pairs: Vec<PairOutcome>,
    /// Largest unbalanced force on a free rigid motion, relative to all forces.
    pub residual: f64,
}

/// Force of a support, inertial axes.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SupportOutcome {
    /// `BODY:SET`.
    pub on: String,
    /// Force on the body \[N\].
    pub force: [f64; 3],
}

/// Bodies, pairs and joints as the header of a result has them.
#[derive(Default)]
pub(crate) struct Described {
    pub(crate) bodies: Vec<ResultBody>,
    pub(crate) pairs: Vec<ResultPair>,
    pub(crate) joints: Vec<ResultJoint>,
    pub(crate) probes: Vec<ResultProbe>,
}

/// Names of timings.
pub(crate) struct Phases {
    /// The set-up, if it is part of the cost of the run.
    pub(crate) set_up: Option<&'static str>,
    /// The run.
    pub(crate) run: &'static str,
    /// CPU time of both.
    pub(crate) cpu: &'static str,
}

/// The end of a run.
pub(crate) struct RunEnd {
    pub(crate) summary: RunSummary,
    /// The bodies, if the run is complete.
    pub(crate) bodies: Vec<BodyState>,
    /// Counters of the scheme, as the result keeps them.
    pub(crate) counters: Vec<(&'static str, u64)>,
    /// Choices that the set-up made where the scenario leaves them open.
    pub(crate) notes: Vec<String>,
    pub(crate) remarks: Vec<String>,
    pub(crate) warnings: Vec<String>,
    pub(crate) statics: Option<StaticOutcome>,
    /// Errors that are to be expected of the largest impact of each pair.
    pub(crate) estimates: Vec<Option<ErrorEstimate>>,
    /// Small oscillations about the equilibrium in which the run starts.
    pub(crate) modes: Vec<StoredMode>,
    /// Harmonic response about it.
    pub(crate) responses: Vec<StoredResponse>,
}

impl RunEnd {
    /// The end of a run without choices of the set-up.
    pub(crate) fn new(
        summary: RunSummary,
        bodies: &[BodyState],
        counters: Vec<(&'static str, u64)>,
        warnings: Vec<String>,
    ) -> Self {
        Self {
            summary,
            bodies: bodies.to_vec(),
            counters,
            notes: Vec::new(),
            remarks: Vec::new(),
            warnings,
            statics: None,
            estimates: Vec::new(),
            modes: Vec::new(),
            responses: Vec::new(),
        }
    }
}

/// Unreduced bodies, their contact pairs and the probes.
///
/// * `figures` — mass, law and model of a body, from its number, its table and the rest
pub(crate) fn described_whole(
    scenario: &Scenario,
    prepared: &Prepared,
    figures: impl Fn(usize, (&BodySpec, &PreparedBody), ResultBody) -> ResultBody,
) -> Described {
    let bodies = scenario.body.iter().zip(&prepared.bodies).enumerate();
    let bodies = bodies.map(|(number, (spec, ready))| figures(number, (spec, ready), described(spec, ready)));
    let pairs = scenario.contact.iter();
    let pairs = pairs.map(|pair| described_pair(pair, pair.between.each_ref().map(ToString::to_string)));
    Described {
        bodies: bodies.collect(),
        pairs: pairs.collect(),
        probes: described_probes(scenario),
        ..Described::default()
    }
}

/// A body for the header of a result, rigid or unreduced, but for its mass and the figures of its model.
pub(crate) fn described(spec: &BodySpec, ready: &PreparedBody) -> ResultBody {
    ResultBody {
        name: spec.name.clone(),
        rigid: spec.rigid,
        fixed: spec.fixed,
        mass: 0.0,
        frame_origin: [0.0; 3],
        modes: [0, 0],
        rom_path: absolute(&ready.rom_path),
        rom_checksum: ready.rom_checksum.clone(),
        body_path: absolute(&ready.body_path),
        body_checksum: ready.body_checksum.clone(),
        law: String::new(),
        elements: String::new(),
    }
}

/// A contact pair for the header of a result; [`named`] gives it a name of its own.
///
/// * `surfaces` — the surface that carries the pressures, and the other one
pub(crate) fn described_pair(spec: &ContactSpec, surfaces: [String; 2]) -> ResultPair {
    let [first, second] = surfaces;
    ResultPair { name: spec.title(), first, second }
}

/// All pairs of a scenario, those of the same two bodies with the names of their surfaces.
pub(crate) fn named(mut pairs: Vec<ResultPair>, scenario: &Scenario) -> Vec<ResultPair> {
    let ends = scenario.contact.iter().zip(names_of_ends(scenario));
    for (pair, (_, ends)) in pairs.iter_mut().zip(ends).filter(|(_, (spec, _))| !spec.is_automatic()) {
        pair.name = ends.join("/");
    }
    pairs
}

/// Names of the two ends of each contact: its bodies, or its surfaces where several contacts have the same
/// two bodies.
pub(crate) fn names_of_ends(scenario: &Scenario) -> Vec<[String; 2]> {
    let bodies = |pair: &ContactSpec| pair.between.each_ref().map(|end| end.body.clone());
    let mut counts = BTreeMap::<[String; 2], usize>::new();
    scenario.contact.iter().for_each(|pair| *counts.entry(bodies(pair)).or_default() += 1);
    let names = |pair: &ContactSpec| {
        let own = bodies(pair);
        if counts[&own] > 1 { pair.between.each_ref().map(ToString::to_string) } else { own }
    };
    scenario.contact.iter().map(names).collect()
}

/// An absolute path as text; nothing for an empty one.
pub(crate) fn absolute(path: &Path) -> String {
    if path.as_os_str().is_empty() {
        return String::new();
    }
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned()).display().to_string()
}

/// The warning of an energy balance that exceeds the limit that the run claims.
pub(crate) fn unbalanced(ledger: &LedgerSummary, remedy: &str) -> Option<String> {
    let limit = ledger.energy_limit.filter(|_| ledger.energy_is_met() == Some(false))?;
    let error = ledger.energy_error;
    Some(format!(
        "the energy balance is not met: it is off by {error:.1e} of the energy, more than the tolerance of \
         {limit:.0e}: {remedy}"
    ))
}
