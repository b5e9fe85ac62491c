//! The table of schemes: a row with the properties of each.

use carom_contact::Law;

/// Bodies that a scheme takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bodies {
    /// Flexible bodies as reduced models, and rigid bodies.
    Reduced,
    /// Rigid bodies alone.
    Rigid,
    /// Flexible bodies unreduced, and rigid bodies.
    Whole,
}

/// How the high modes of reduced bodies respond.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HighModes {
    /// Without inertia.
    Quasistatic,
    /// As all other modes.
    Dynamic,
    /// With inertia and critical damping.
    Damped,
}

/// Whether a scheme takes something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Takes {
    /// It does.
    Yes,
    /// It does not, for this reason and with this way out, as the end of a sentence.
    No(&'static str),
}

/// The properties of a scheme.
#[derive(Debug)]
pub struct SchemeRow {
    /// Name in scenarios.
    pub name: &'static str,
    /// Bodies.
    pub bodies: Bodies,
    /// True if bodies of a scheme of unreduced ones are reduced where they have a table `reduce`, or a model
    /// as source.
    pub takes_models: bool,
    /// High modes of reduced bodies; none of schemes without them.
    pub high_modes: Option<HighModes>,
    /// True if bodies move through time; false if a run looks for an equilibrium.
    pub has_time: bool,
    /// True if points touch surfaces, false if surfaces touch with pressures.
    pub points_touch: bool,
    /// Contact law if the scenario gives none.
    pub default_law: Law,
    /// Contact without penetration.
    pub hard_contact: Takes,
    /// Contact with friction.
    pub friction: Takes,
    /// True if two rigid bodies touch by points on a surface, without a stiffness.
    pub rigid_pairs_touch: bool,
    /// True if rigid bodies may have shapes that other bodies touch.
    pub has_shapes: bool,
    /// True if `between = ["*"]` stands for the outer surfaces of all bodies.
    pub has_automatic_contact: bool,
    /// True if two bodies whose contact is named touch by that one alone where `between = ["*"]` is given
    /// too; false if `*` is the only contact.
    pub named_replace_automatic: bool,
    /// True if impacts of rigid bodies have a coefficient of restitution.
    pub has_restitution: bool,
    /// True if materials may have a law of large deformation.
    pub has_laws: bool,
    /// True if materials may have the scalar wave equation in place of elasticity.
    pub has_scalar_wave: bool,
    /// True if bodies may have elements other than those with all points of the stiffness.
    pub has_elements: bool,
    /// Lists of tables in addition to `body` and `contact`.
    pub tables: &'static [&'static str],
    /// Keys of `[simulation]` in addition to those of all schemes.
    pub keys: &'static [&'static str],
    /// The way of the scheme, for messages about keys that it does not have.
    pub way: &'static str,
}

/// Keys of `[simulation]` that some schemes have and others do not.
pub(in crate::scenario) const KEYS: [&str; 15] = [
    "integrator",
    "spectral_radius",
    "constraints",
    "relative_tolerance",
    "time_step",
    "maximum_step",
    "steps",
    "courant",
    "mass_scaling",
    "contact_tolerance",
    "contact_steps",
    "persistency",
    "contact_gradient",
    "mass",
    "contact_method",
];

/// The integrator of the scheme `rigid`, which scenarios with all defaults name.
pub(in crate::scenario) const ENERGY_MOMENTUM: &str = "energy-momentum";

/// Lists of tables that some schemes take and others do not.
pub const TABLES: [&str; 6] = ["joint", "spring", "bushing", "support", "pressure", "force"];

pub(super) const ROW_QUASISTATIC: SchemeRow = SchemeRow {
    name: "quasistatic",
    bodies: Bodies::Reduced,
    takes_models: true,
    high_modes: Some(HighModes::Quasistatic),
    has_time: true,
    points_touch: false,
    default_law: Law::penalty(carom_contact::law::DEFAULT_ALPHA),
    hard_contact: Takes::Yes,
    friction: Takes::Yes,
    rigid_pairs_touch: false,
    has_shapes: false,
    has_automatic_contact: false,
    named_replace_automatic: false,
    has_restitution: false,
    has_laws: false,
    has_scalar_wave: false,
    has_elements: false,
    tables: &["joint", "spring", "bushing", "force"],
    keys: &[
        "integrator",
        "spectral_radius",
        "constraints",
        "relative_tolerance",
        "time_step",
        "maximum_step",
    ],
    way: "integrates in time",
};

pub(super) const DYNAMIC: SchemeRow = SchemeRow {
    name: "dynamic",
    high_modes: Some(HighModes::Dynamic),
    hard_contact: Takes::No(
        "all modes move, and none is left that responds to a pressure at once; `quasistatic` has contact \
         without a penalty",
    ),
    ..ROW_QUASISTATIC
};

pub(super) const DAMPED: SchemeRow =
    SchemeRow { name: "damped", high_modes: Some(HighModes::Damped), ..DYNAMIC };

pub(super) const STATIC: SchemeRow = SchemeRow {
    name: "static",
    bodies: Bodies::Whole,
    takes_models: false,
    high_modes: None,
    has_time: false,
    friction: Takes::No(
        "as sticking would depend on the order in which the loads came on; set `friction = 0`, or choose \
         the scheme `quasistatic`, which has time",
    ),
    tables: &["support", "pressure", "force"],
    keys: &["steps"],
    way: "applies the load in `steps`",
    ..ROW_QUASISTATIC
};

pub(super) const RIGID: SchemeRow = SchemeRow {
    name: "rigid",
    bodies: Bodies::Rigid,
    takes_models: false,
    high_modes: None,
    points_touch: true,
    rigid_pairs_touch: true,
    has_shapes: true,
    has_automatic_contact: true,
    named_replace_automatic: true,
    default_law: Law::Hard,
    has_restitution: true,
    tables: &["joint", "spring", "force"],
    keys: &["time_step"],
    way: "has an integrator of its own, with steps of one length, `time_step`",
    ..ROW_QUASISTATIC
};

pub(super) const EXPLICIT: SchemeRow = SchemeRow {
    name: "explicit",
    bodies: Bodies::Whole,
    high_modes: None,
    rigid_pairs_touch: true,
    has_shapes: true,
    has_automatic_contact: true,
    default_law: Law::Hard,
    has_restitution: true,
    has_laws: true,
    has_elements: true,
    tables: &["joint", "support", "pressure", "force"],
    keys: &["courant", "time_step", "mass_scaling", "contact_tolerance", "contact_steps"],
    way: "has steps of a part of the critical step of its cells, `courant`",
    ..ROW_QUASISTATIC
};

pub(super) const CONSERVING: SchemeRow = SchemeRow {
    name: "energy-momentum",
    bodies: Bodies::Whole,
    takes_models: false,
    high_modes: None,
    default_law: Law::Hard,
    has_laws: true,
    tables: &["support", "pressure", "force"],
    keys: &["time_step", "persistency", "contact_gradient"],
    way: "has implicit steps of one length, `time_step`, of a method of its own",
    ..ROW_QUASISTATIC
};

pub(super) const MIDPOINT: SchemeRow =
    SchemeRow { name: "midpoint", keys: &["time_step", "persistency", "spectral_radius"], ..CONSERVING };

pub(super) const COMPLEMENTARITY: SchemeRow = SchemeRow {
    name: "complementarity",
    has_laws: false,
    has_shapes: true,
    has_scalar_wave: true,
    tables: &["support", "force"],
    keys: &["time_step", "mass", "contact_method"],
    ..CONSERVING
};

/// All schemes.
pub static SCHEMES: [SchemeRow; 9] =
    [ROW_QUASISTATIC, DYNAMIC, DAMPED, STATIC, RIGID, EXPLICIT, CONSERVING, MIDPOINT, COMPLEMENTARITY];

impl SchemeRow {
    /// True if a contact may name a body without a surface: reduced bodies meet where a run of the rigid
    /// bodies foresees it, bodies in statics where they come nearest.
    pub fn bodies_touch_whole(&self) -> bool {
        self.high_modes.is_some() || !self.has_time
    }

    /// Names of the schemes that have a key of `[simulation]`, as a list for messages.
    pub(in crate::scenario) fn with_key(key: &str) -> String {
        Self::names(|row| row.keys.contains(&key))
    }

    /// Names of the schemes with a property, as a list for messages.
    pub(in crate::scenario) fn names(has: impl Fn(&Self) -> bool) -> String {
        let named = SCHEMES.iter().filter(|row| has(row)).map(|row| format!("`{}`", row.name));
        named.collect::<Vec<_>>().join(", ")
    }
}
