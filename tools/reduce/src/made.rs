//! The options of a reduction that the model file records.

use carom_fem::StressAt;
use carom_format::StoredRom;
use carom_reduce::{Column, ReducedBody};
use serde::Serialize;

/// A part of the interface that is reduced to interface modes.
#[derive(Debug, Serialize)]
pub(crate) struct InterfaceReduction {
    part: String,
    modes: usize,
    /// Rigid motions of the part among them.
    rigid: usize,
    /// Frequency of the last of the others \[Hz\].
    last_hz: Option<f64>,
}

#[derive(Debug, Serialize)]
struct StressKept {
    at: &'static str,
    places: usize,
}

/// The options of a model, with the keys of `--json`.
#[derive(Debug, Serialize)]
pub(crate) struct Made {
    /// `fixed-interface`, `residual` or `massless-boundary`; none for a model of another program.
    method: Option<&'static str>,
    interfaces: Vec<String>,
    attachments: Vec<String>,
    places: Vec<String>,
    held: Vec<String>,
    modes_asked: Option<usize>,
    up_to_hz: Option<f64>,
    split_hz: Option<f64>,
    quadrature: String,
    inertia_relief: bool,
    /// True if the model has its geometric stiffness.
    stiffening: bool,
    /// The value of `--frame`.
    frame: String,
    /// Rayleigh's factors and ratios as given by the user.
    damping: Option<String>,
    interface_reduction: Vec<InterfaceReduction>,
    stress: Option<StressKept>,
    solver: &'static str,
}

impl Made {
    pub(crate) fn new(stored: &StoredRom) -> Self {
        let (rom, options) = (&stored.reduced, &stored.options);
        let has = |word: &str| options.variant.iter().any(|given| given == word);
        let after =
            |key: &str| options.variant.iter().find_map(|given| given.strip_prefix(key)).map(str::to_owned);
        let stress = rom.stress.as_ref().map(|stress| StressKept {
            at: match stress.at {
                StressAt::Nodes => "nodes",
                StressAt::GaussPoints => "gauss",
            },
            places: stress.len(),
        });
        Self {
            method: match (has("residual"), has("massless_boundary")) {
                _ if rom.composition.columns.is_empty() => None,
                (_, true) => Some("massless-boundary"),
                (true, _) => Some("residual"),
                _ => Some("fixed-interface"),
            },
            interfaces: options.interfaces.clone(),
            attachments: options.attachments.clone(),
            places: options.places.clone(),
            held: rom.held.clone(),
            modes_asked: options.modes,
            up_to_hz: options.up_to_hz,
            split_hz: options.split_hz,
            quadrature: options.quadrature.clone(),
            inertia_relief: has("inertia_relief"),
            stiffening: rom.stiffening.is_some(),
            frame: after("frame ").unwrap_or_else(|| "buckens".to_owned()),
            damping: after("damping "),
            interface_reduction: interface_reduction(rom),
            stress,
            solver: crate::solver::way(has("iterative solution")),
        }
    }

    /// True if the body frame of the low modes is not the Buckens frame.
    pub(crate) fn is_reframed(&self) -> bool {
        self.frame != "buckens"
    }

    /// One line per option, with its name.
    pub(crate) fn lines(&self) -> Vec<(&'static str, String)> {
        let mut lines = Vec::new();
        let method = match self.method {
            None => return lines,
            Some("residual") => {
                "modes of the free body and residual attachment modes (--residual)".to_owned()
            }
            Some("massless-boundary") => {
                "modes of the free body and residual attachment modes without mass (--massless-boundary)"
                    .to_owned()
            }
            _ => "constraint modes and fixed-interface modes (Craig-Bampton)".to_owned(),
        };
        let relief = if self.inertia_relief { ", with inertia relief (--inertia-relief)" } else { "" };
        let stiffening = if self.stiffening { ", with geometric stiffness (--stiffening)" } else { "" };
        lines.push(("basis", method + relief + stiffening));
        let mut given_options = Vec::new();
        given_options.extend(self.interfaces.iter().map(|set| format!("--interface {set}")));
        given_options.extend(self.attachments.iter().map(|set| format!("--attach {set}")));
        given_options.extend(self.places.iter().map(|region| format!("--places {region}")));
        given_options.extend(self.held.iter().map(|set| format!("--fix {set}")));
        given_options.extend(self.modes_asked.map(|n| format!("--modes {n}")));
        given_options.extend(self.up_to_hz.map(|hz| format!("--up-to {hz}")));
        given_options.extend(self.split_hz.map(|hz| format!("--split {hz}")));
        given_options.extend((self.quadrature == "high").then(|| "--quadrature high".to_owned()));
        given_options.extend((self.solver == "iterative").then(|| "solved by iteration".to_owned()));
        if !given_options.is_empty() {
            lines.push(("options", given_options.join(", ")));
        }
        for part in &self.interface_reduction {
            let last = part.last_hz.map_or(String::new(), |hz| format!(", the last at {hz:.4e} Hz"));
            let text = format!(
                "{}: {} interface modes, {} of them rigid motions{last}",
                part.part, part.modes, part.rigid
            );
            lines.push(("reduced interface", text));
        }
        lines.push((
            "body frame",
            match self.frame.split_once('=') {
                Some(("nodes", nodes)) => format!("follows the nodes {nodes} (--frame nodes={nodes})"),
                Some(("marker", name)) => format!("follows `{name}` (--frame marker={name})"),
                _ => "follows the mean motion (Buckens)".to_owned(),
            },
        ));
        lines.push((
            "damping",
            match &self.damping {
                Some(damping) => format!("{damping} (α in 1/s, β in s; ratio, or Hz:ratio)"),
                None => "none".to_owned(),
            },
        ));
        lines.push((
            "stress of modes",
            match &self.stress {
                Some(stress) if stress.at == "gauss" => {
                    format!("at {} Gauss points (--stress gauss)", stress.places)
                }
                Some(stress) => {
                    format!("at {} nodes, once for each material (--stress nodes)", stress.places)
                }
                None => "none".to_owned(),
            },
        ));
        lines
    }
}

/// The parts of the interface that have interface modes.
fn interface_reduction(rom: &ReducedBody) -> Vec<InterfaceReduction> {
    let mut parts: Vec<InterfaceReduction> = Vec::new();
    for column in &rom.composition.columns {
        let Column::Interface { part, hz, .. } = column else { continue };
        if parts.last().is_none_or(|last| last.part != *part) {
            parts.push(InterfaceReduction { part: part.clone(), modes: 0, rigid: 0, last_hz: None });
        }
        let last = parts.last_mut().expect("a part was pushed if there was none");
        last.modes += 1;
        last.rigid += usize::from(hz.is_none());
        last.last_hz = hz.or(last.last_hz);
    }
    parts
}
