//! A scenario against the row of its scheme.

use carom_contact::Law;
use carom_dynamics::ProbeQuantity;
use carom_format::scenario::model::{
    ActionSpec, Bodies, BodySource, BodySpec, End, JointKind, JointSpec, ProbePlaceSpec, Scenario, Scheme,
    TABLES, Takes,
};
use thiserror::Error;

use crate::equilibrium;
use crate::error::{At, AtKey, ErrorKind, Kind};

/// Errors from scenarios with something that their scheme does not take.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum SchemeError {
    /// A list of tables.
    #[error("the scheme `{scheme}` takes no [[{table}]] in this release")]
    Table {
        /// Name of the scheme.
        scheme: &'static str,
        /// Name of the tables.
        table: &'static str,
    },
    /// Contact without penetration.
    #[error("the scheme `{scheme}` needs `law = {{ kind = \"penalty\" }}`: {why}")]
    NeedsPenalty {
        /// Name of the scheme.
        scheme: &'static str,
        /// The reason and the way out.
        why: &'static str,
    },
    /// Friction.
    #[error("contact between {pair}: scheme `{scheme}` has no friction, {why}")]
    Friction {
        /// Name of the scheme.
        scheme: &'static str,
        /// The surfaces.
        pair: String,
        /// The reason and the way out.
        why: &'static str,
    },
    /// A quantity of motion in an equilibrium.
    #[error(
        "probe `{probe}`: nothing moves in the scheme `static`, and it has no `{quantity}`: name \
         `displacement`, `position` or `stress` of a point, `contact_force` of a body, or `force`, \
         `normal_force` or `gap` of a contact"
    )]
    ProbeMotion {
        /// Name of the probe.
        probe: String,
        /// Name of the quantity.
        quantity: &'static str,
    },
    /// An interval in an equilibrium.
    #[error(
        "probe `{probe}`: the scheme `static` has a sample at each load step: leave out `every`; \
         `simulation.steps` is the number of load steps"
    )]
    ProbeInterval {
        /// Name of the probe.
        probe: String,
    },
    /// An angular quantity at a point of a mesh.
    #[error(
        "probe `{probe}`: `{body}` is unreduced, and the points of its mesh have no `{quantity}`; leave it \
         out and probe the velocities of two points, or give the body a table `reduce` or `rigid = true`"
    )]
    ProbeTurn {
        /// Name of the probe.
        probe: String,
        /// Name of the body.
        body: String,
        /// Name of the quantity.
        quantity: &'static str,
    },
    /// Axes of an unreduced body.
    #[error(
        "probe `{probe}`: `{body}` is unreduced and has no axes that turn with it: leave out `axes`, whose \
         default is `inertial`"
    )]
    ProbeAxes {
        /// Name of the probe.
        probe: String,
        /// Name of the body.
        body: String,
    },
    /// A joint on a body that is not rigid.
    #[error(
        "joint `{joint}`: body `{body}` is {kind}; the scheme `explicit` joins rigid bodies with each other \
         and with the ground. Make `{body}` rigid (`rigid = true`), or choose the scheme `dynamic` with \
         reduced bodies"
    )]
    JointBody {
        /// Title of the joint.
        joint: String,
        /// Name of the body.
        body: String,
        /// `deformable` or `reduced`.
        kind: &'static str,
    },
    /// A joint of a kind that couples coordinates.
    #[error(
        "joint `{joint}`: the scheme `{scheme}` has no `{kind}`, as its joints are equations of positions \
         between two ends; choose the scheme `quasistatic`, `dynamic` or `damped`"
    )]
    Coupling {
        /// Name of the scheme.
        scheme: &'static str,
        /// Title of the joint.
        joint: String,
        /// Its kind.
        kind: &'static str,
    },
    /// A body that moves at the start in an equilibrium.
    #[error(
        "body `{body}` has a `{key}`, and with `start = \"equilibrium\"` all bodies are at rest: remove it"
    )]
    MovesInEquilibrium {
        /// Name of the body.
        body: String,
        /// The key.
        key: &'static str,
    },
    /// Hard stops with a damping.
    #[error(
        "joint `{joint}`: without a `stiffness` its stops are hard: their losses follow from `restitution`, \
         and `damping` belongs to a stiffness; give them a `stiffness`"
    )]
    HardStops {
        /// Title of the joint.
        joint: String,
    },
    /// A restitution of stops where they are springs.
    #[error(
        "joint `{joint}`: the stops of the scheme `{scheme}` are springs without a `restitution`; give them \
         a `damping`, or choose the scheme `rigid`"
    )]
    StopRestitution {
        /// Name of the scheme.
        scheme: &'static str,
        /// Title of the joint.
        joint: String,
    },
    /// A spring, stops or a motion of a joint.
    #[error(
        "joint `{joint}`: the scheme `{scheme}` has no `{key}` of joints, which leave their free motion to \
         the bodies; leave it out, or choose the scheme `rigid` or `dynamic`"
    )]
    JointAction {
        /// Name of the scheme.
        scheme: &'static str,
        /// Title of the joint.
        joint: String,
        /// The key.
        key: &'static str,
    },
}

impl Kind for SchemeError {
    fn kind(&self) -> ErrorKind {
        ErrorKind::Input
    }
}

/// Checks a scenario against the row of its scheme.
///
/// # Errors
///
/// [`SchemeError`] at the key of the table, law or friction that the scheme does not take.
pub(crate) fn check(scenario: &Scenario) -> Result<(), At<SchemeError>> {
    let row = scenario.simulation.scheme.row();
    let scheme = row.name;
    let mut others = TABLES.into_iter().filter(|table| !row.tables.contains(table));
    if let Some(table) = others.find(|table| is_given(scenario, table)) {
        return Err(SchemeError::Table { scheme, table }.at(format!("{table}.0")));
    }
    for (i, pair) in scenario.contact.iter().enumerate() {
        if let (Takes::No(why), Law::Hard) = (row.hard_contact, pair.law) {
            return Err(SchemeError::NeedsPenalty { scheme, why }.at(format!("contact.{i}.law")));
        }
        if let (Takes::No(why), true) = (row.friction, pair.friction > 0.0) {
            let pair = format!("{}, {}", pair.between[0], pair.between[1]);
            return Err(SchemeError::Friction { scheme, pair, why }.at(format!("contact.{i}.friction")));
        }
    }
    equilibrium::check(scenario)?;
    check_probes(scenario)?;
    match scenario.simulation.scheme {
        Scheme::Explicit { .. } => {
            check_kinds(scenario)?;
            check_actions(scenario)?;
            check_explicit_joints(scenario)
        }
        Scheme::Rigid { .. } => {
            check_kinds(scenario)?;
            check_hard_stops(scenario)
        }
        _ => check_restitution(scenario),
    }
}

/// Nothing moves in an equilibrium.
fn check_probes_at_rest(scenario: &Scenario) -> Result<(), At<SchemeError>> {
    for (i, spec) in scenario.probe.iter().enumerate() {
        let probe = spec.title();
        if let Some(quantity) = spec.what.iter().find(|quantity| !ProbeQuantity::AT_REST.contains(quantity)) {
            let quantity = quantity.name();
            return Err(SchemeError::ProbeMotion { probe, quantity }.at(format!("probe.{i}.what")));
        }
        if spec.every > 0.0 {
            return Err(SchemeError::ProbeInterval { probe }.at(format!("probe.{i}.every")));
        }
    }
    Ok(())
}

/// Points of meshes have no rotation.
fn check_probes(scenario: &Scenario) -> Result<(), At<SchemeError>> {
    let scheme = &scenario.simulation.scheme;
    if !scheme.row().has_time {
        check_probes_at_rest(scenario)?;
    }
    for (i, spec) in scenario.probe.iter().enumerate() {
        let ProbePlaceSpec::Point { on, axes, .. } = &spec.place else { continue };
        let is_unreduced = |body: &BodySpec| {
            body.name == on.body
                && scheme.row().bodies == Bodies::Whole
                && !body.rigid
                && !scheme.reduces_body(body)
        };
        if !scenario.body.iter().any(is_unreduced) {
            continue;
        }
        let (probe, body) = (spec.title(), on.body.clone());
        let known = ProbeQuantity::OF_UNREDUCED;
        if let Some(quantity) = spec.what.iter().find(|quantity| !known.contains(quantity)) {
            let quantity = quantity.name();
            return Err(SchemeError::ProbeTurn { probe, body, quantity }.at(format!("probe.{i}.what")));
        }
        if axes == "body" {
            return Err(SchemeError::ProbeAxes { probe, body }.at(format!("probe.{i}.axes")));
        }
    }
    Ok(())
}

/// Joints of rigid bodies are equations of positions between two ends.
fn check_kinds(scenario: &Scenario) -> Result<(), At<SchemeError>> {
    let scheme = scenario.simulation.scheme.row().name;
    let mut screws = scenario.joints().filter(|(_, spec)| spec.kind == JointKind::Screw);
    let screw = screws.next().map(|(i, spec)| (i, spec.title(), spec.kind.name()));
    let coupling = scenario.couplings().next().map(|(i, spec)| (i, spec.title(), spec.kind.name()));
    if let Some((i, joint, kind)) = screw.or(coupling) {
        return Err(SchemeError::Coupling { scheme, joint, kind }.at(format!("joint.{i}.kind")));
    }
    Ok(())
}

/// Joints of explicit dynamics leave their free motion alone.
fn check_actions(scenario: &Scenario) -> Result<(), At<SchemeError>> {
    let scheme = scenario.simulation.scheme.row().name;
    let acting = |(i, spec): (usize, &JointSpec)| Some((i, spec.title(), action(spec)?));
    match scenario.joints().find_map(acting) {
        Some((i, joint, key)) => {
            Err(SchemeError::JointAction { scheme, joint, key }.at(format!("joint.{i}.{key}")))
        }
        None => Ok(()),
    }
}

/// The actions of a joint with the keys under which they are.
fn actions(spec: &JointSpec) -> impl Iterator<Item = (&'static str, &ActionSpec)> {
    std::iter::once(("", &spec.action)).chain(spec.turn.as_ref().map(|turn| ("turn.", turn)))
}

/// Hard stops have no damper.
fn check_hard_stops(scenario: &Scenario) -> Result<(), At<SchemeError>> {
    for (i, spec) in scenario.joints() {
        for (key, action) in actions(spec) {
            let Some(stops) = action.stops.filter(|stops| stops.stiffness.is_none()) else { continue };
            if stops.damping > 0.0 {
                let error = SchemeError::HardStops { joint: spec.title() };
                return Err(error.at(format!("joint.{i}.{key}stops")));
            }
        }
    }
    Ok(())
}

/// Stops of the other schemes are springs.
fn check_restitution(scenario: &Scenario) -> Result<(), At<SchemeError>> {
    let scheme = scenario.simulation.scheme.row().name;
    for (i, spec) in scenario.joints() {
        let is_hard = |(_, action): &(_, &ActionSpec)| action.stops.is_some_and(|s| s.restitution.is_some());
        if let Some((key, _)) = actions(spec).find(is_hard) {
            let error = SchemeError::StopRestitution { scheme, joint: spec.title() };
            return Err(error.at(format!("joint.{i}.{key}stops.restitution")));
        }
    }
    Ok(())
}

/// Joints of explicit dynamics connect rigid bodies and the ground.
fn check_explicit_joints(scenario: &Scenario) -> Result<(), At<SchemeError>> {
    for (i, spec) in scenario.joints() {
        let joint = spec.title();
        let named = |end: &End| scenario.body.iter().find(|body| body.name == end.body);
        if let Some(body) = spec.between.iter().filter_map(named).find(|body| !body.rigid) {
            let is_reduced = body.reduce.is_some() || matches!(body.source, BodySource::Rom { .. });
            let kind = if is_reduced { "reduced" } else { "deformable" };
            let error = SchemeError::JointBody { joint, body: body.name.clone(), kind };
            return Err(error.at(format!("joint.{i}.between")));
        }
    }
    Ok(())
}

/// The key of a table of a joint that acts on its coordinate.
fn action(spec: &JointSpec) -> Option<&'static str> {
    let of = &spec.action;
    let keys = [
        ("spring", of.spring.is_some()),
        ("stops", of.stops.is_some()),
        ("motion", of.motion.is_some()),
        ("turn", spec.turn.is_some()),
    ];
    keys.into_iter().find(|(_, given)| *given).map(|(key, _)| key)
}

fn is_given(scenario: &Scenario, table: &str) -> bool {
    match table {
        "joint" => !scenario.joint.is_empty(),
        "spring" => !scenario.spring.is_empty(),
        "bushing" => !scenario.bushing.is_empty(),
        "support" => !scenario.support.is_empty(),
        "pressure" => !scenario.pressure.is_empty(),
        "force" => !scenario.force.is_empty(),
        _ => unreachable!("`{table}` is not in the list of tables"),
    }
}
