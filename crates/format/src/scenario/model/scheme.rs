//! Schemes with their settings.

use super::scheme_row::{
    Bodies, COMPLEMENTARITY, CONSERVING, DAMPED, DYNAMIC, ENERGY_MOMENTUM, EXPLICIT, MIDPOINT, RIGID,
    ROW_QUASISTATIC, STATIC, SchemeRow,
};
use super::{BodySource, BodySpec};
use carom_contact::solver::{LcpMethod, StepRule};
use serde::Serialize;

/// How bodies move and meet, with the settings of the scheme.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Scheme {
    /// Floating frame; high modes answer contact quasistatically.
    Quasistatic(TimeIntegration),
    /// Floating frame; all modes dynamic.
    Dynamic(TimeIntegration),
    /// Floating frame; high modes critically damped.
    Damped(TimeIntegration),
    /// Equilibrium of supports, loads and contact.
    Static {
        /// Equal parts in which loads and prescribed displacements are applied.
        steps: usize,
    },
    /// Energy-momentum rigid bodies.
    Rigid {
        /// Length of all steps \[s\].
        time_step: f64,
    },
    /// Unreduced bodies in large deformation by central differences.
    Explicit {
        /// Part of the critical step of the cells that a step takes.
        courant: f64,
        /// Length of all steps instead \[s\].
        time_step: Option<f64>,
        /// Smallest step of the undeformed bodies, for which cells get more mass \[s\].
        mass_scaling: Option<f64>,
        /// How exactly multipliers of contact are found.
        contact: ContactSolution,
    },
    /// Unreduced bodies in large deformation by implicit steps.
    Implicit {
        /// The average of the stress over a step.
        method: StepMethod,
        /// Length of a step; steps without a solution are halved \[s\].
        time_step: f64,
        /// True if the energy that a closing contact takes is given back to the velocities.
        persistency: bool,
        /// The direction of contact forces.
        gradient: ContactGradient,
    },
    /// Unreduced linear bodies by the implicit midpoint rule, contact as a complementarity problem.
    Complementarity {
        /// Length of all steps \[s\].
        time_step: f64,
        /// The mass matrix of the bodies.
        mass: MassForm,
        /// Method for the complementarity problems; the first that solves a problem if none is given.
        method: Option<LcpMethod>,
    },
}

/// The mass matrix of unreduced bodies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum MassForm {
    /// Of the shape functions.
    #[default]
    Consistent,
    /// One mass a point.
    Lumped,
    /// Points of contact surfaces give their mass to the others.
    Redistributed,
}

impl MassForm {
    /// Names in scenarios.
    pub const NAMES: [(&'static str, Self); 3] =
        [("consistent", Self::Consistent), ("lumped", Self::Lumped), ("redistributed", Self::Redistributed)];

    /// Its name in scenarios.
    pub fn name(self) -> &'static str {
        Self::NAMES[self as usize].0
    }
}

/// Names of the methods for complementarity problems in scenarios.
pub(in crate::scenario) const METHODS: [(&str, Option<LcpMethod>); 5] = [
    ("auto", None),
    ("lemke", Some(LcpMethod::Lemke)),
    ("active-set", Some(LcpMethod::ActiveSet)),
    ("cg", Some(LcpMethod::ConjugateGradients)),
    ("pgs", Some(LcpMethod::GaussSeidel)),
];

/// How implicit steps of unreduced bodies average the stress.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum StepMethod {
    /// By the discrete gradient of the stored energy, which is kept.
    EnergyMomentum,
    /// The stress in the middle of the step.
    Midpoint,
    /// Generalised-alpha, which damps high frequencies.
    GeneralisedAlpha {
        /// Spectral radius at infinite frequency, 0 to 1.
        spectral_radius: f64,
    },
}

/// The gradient of the gap that contact forces of energy-momentum steps follow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ContactGradient {
    /// The discrete gradient of the gap itself, over all kinds of faces.
    #[default]
    Gap,
    /// The gradient of the mixed formulation of Franke, Hesch and Betsch, over faces of up to four points.
    Mixed,
}

impl ContactGradient {
    /// Names in scenarios.
    pub const NAMES: [(&'static str, Self); 2] = [("gap", Self::Gap), ("mixed", Self::Mixed)];

    /// Its name in scenarios.
    pub fn name(self) -> &'static str {
        Self::NAMES[self as usize].0
    }
}

/// How exactly, and by which steps, multipliers of contact are found.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct ContactSolution {
    /// Allowed error of a gap relative to the thickness or the diagonal of its face; 0 for round-off.
    pub tolerance: f64,
    /// Rule of the steps of conjugate gradients.
    pub rule: StepRule,
}

impl ContactSolution {
    /// Names of the rules in scenarios.
    pub const RULES: [(&'static str, StepRule); 2] =
        [("proportioned", StepRule::Proportioned), ("first-bound", StepRule::FirstBound)];

    /// Name of the rule in scenarios.
    pub fn rule_name(&self) -> Option<&'static str> {
        Self::RULES.iter().find(|(_, rule)| *rule == self.rule).map(|(name, _)| *name)
    }
}

/// The part of the critical step that the scheme `explicit` takes unless the scenario says otherwise.
pub const COURANT: f64 = 0.9;

impl Scheme {
    /// Its row of the table.
    pub fn row(&self) -> &'static SchemeRow {
        match self {
            Self::Quasistatic(_) => &ROW_QUASISTATIC,
            Self::Dynamic(_) => &DYNAMIC,
            Self::Damped(_) => &DAMPED,
            Self::Static { .. } => &STATIC,
            Self::Rigid { .. } => &RIGID,
            Self::Explicit { .. } => &EXPLICIT,
            Self::Implicit { method: StepMethod::EnergyMomentum, .. } => &CONSERVING,
            Self::Implicit { .. } => &MIDPOINT,
            Self::Complementarity { .. } => &COMPLEMENTARITY,
        }
    }

    /// The settings of the time integration, for schemes with a choice of integrators.
    pub fn integration(&self) -> Option<&TimeIntegration> {
        match self {
            Self::Quasistatic(settings) | Self::Dynamic(settings) | Self::Damped(settings) => Some(settings),
            Self::Static { .. }
            | Self::Rigid { .. }
            | Self::Explicit { .. }
            | Self::Implicit { .. }
            | Self::Complementarity { .. } => None,
        }
    }

    /// True if all flexible bodies are reduced.
    pub fn reduces(&self) -> bool {
        self.row().bodies == Bodies::Reduced
    }

    /// True if this body is reduced.
    pub fn reduces_body(&self, body: &BodySpec) -> bool {
        let has_model = body.reduce.is_some() || matches!(body.source, BodySource::Rom { .. });
        !body.rigid && (self.reduces() || self.row().takes_models && has_model)
    }

    /// True if flexible bodies must not lie inside each other at the start: an equilibrium may begin so, as
    /// its displacements can part the bodies.
    pub fn starts_apart(&self) -> bool {
        self.row().has_time && self.row().bodies != Bodies::Rigid
    }

    /// Name of the integrator, of schemes that move bodies through time.
    pub fn integrator_name(&self) -> Option<&'static str> {
        match self {
            Self::Rigid { .. } => Some(ENERGY_MOMENTUM),
            other => Some(other.integration()?.integrator.name()),
        }
    }

    /// Number of load steps, of schemes that look for an equilibrium.
    pub fn load_steps(&self) -> Option<usize> {
        match self {
            Self::Static { steps } => Some(*steps),
            _ => None,
        }
    }

    /// Part of the critical step, of schemes whose steps follow it.
    pub fn courant(&self) -> Option<f64> {
        match self {
            Self::Explicit { courant, .. } => Some(*courant),
            _ => None,
        }
    }

    /// Smallest step for which cells get more mass, of schemes whose steps follow the cells \[s\].
    pub fn mass_scaling(&self) -> Option<f64> {
        match self {
            Self::Explicit { mass_scaling, .. } => *mass_scaling,
            _ => None,
        }
    }

    /// True if closing contacts give their energy back, of schemes with a choice.
    pub fn persistency(&self) -> Option<bool> {
        match self {
            Self::Implicit { persistency, .. } => Some(*persistency),
            _ => None,
        }
    }

    /// Spectral radius of generalised-alpha, of schemes that have it by this key alone.
    pub fn spectral_radius(&self) -> Option<f64> {
        match self {
            Self::Implicit { method: StepMethod::GeneralisedAlpha { spectral_radius }, .. } => {
                Some(*spectral_radius)
            }
            _ => None,
        }
    }

    /// The direction of contact forces, of schemes with a choice.
    pub fn contact_gradient(&self) -> Option<ContactGradient> {
        match self {
            Self::Implicit { method: StepMethod::EnergyMomentum, gradient, .. } => Some(*gradient),
            _ => None,
        }
    }

    /// The mass matrix of the bodies, of schemes with a choice.
    pub fn mass_form(&self) -> Option<MassForm> {
        match self {
            Self::Complementarity { mass, .. } => Some(*mass),
            _ => None,
        }
    }

    /// Name of the method for complementarity problems, of schemes with a choice.
    pub fn contact_method(&self) -> Option<&'static str> {
        match self {
            Self::Complementarity { method, .. } => {
                METHODS.iter().find(|(_, known)| known == method).map(|(name, _)| *name)
            }
            _ => None,
        }
    }

    /// How multipliers are found, of schemes with a choice.
    pub fn contact_solution(&self) -> Option<&ContactSolution> {
        match self {
            Self::Explicit { contact, .. } => Some(contact),
            _ => None,
        }
    }

    /// The length of all steps, if it is fixed \[s\].
    pub fn time_step(&self) -> Option<f64> {
        match self {
            Self::Rigid { time_step }
            | Self::Implicit { time_step, .. }
            | Self::Complementarity { time_step, .. } => Some(*time_step),
            Self::Explicit { time_step, .. } => *time_step,
            other => other.integration()?.time_step,
        }
    }
}

/// Settings of a time integration.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TimeIntegration {
    /// Integrator.
    pub integrator: Integrator,
    /// Relative tolerance of the error control; none with a fixed step.
    pub relative_tolerance: Option<f64>,
    /// Fixed step instead of error control \[s\].
    pub time_step: Option<f64>,
    /// Largest step of the error control \[s\].
    pub maximum_step: Option<f64>,
}

/// Time integrator.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Integrator {
    /// Explicit Runge-Kutta of order 8 with error control.
    Dop853,
    /// Explicit Runge-Kutta of order 5(4) with error control.
    DormandPrince5,
    /// Exponential Runge-Kutta of order 4, whose steps in flight are longer than the periods of modes.
    Exponential,
    /// Implicit Runge-Kutta of order 5.
    Radau5,
    /// Backward differences of order 2.
    Bdf2,
    /// Implicit midpoint rule.
    Midpoint,
    /// Generalised-alpha.
    GeneralisedAlpha {
        /// Spectral radius at infinite frequency, 0 to 1.
        spectral_radius: f64,
        /// How joints enter the equations.
        constraints: JointForm,
    },
}

impl Integrator {
    /// Name in scenarios.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Dop853 => "dop853",
            Self::DormandPrince5 => "dormand-prince5",
            Self::Exponential => "exponential",
            Self::Radau5 => "radau5",
            Self::Bdf2 => "bdf2",
            Self::Midpoint => "midpoint",
            Self::GeneralisedAlpha { .. } => "generalised-alpha",
        }
    }
}

/// How joints enter the equations of generalised-alpha.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum JointForm {
    /// Positions satisfy the joints.
    Index3,
    /// Positions and velocities satisfy the joints.
    Stabilised,
}
