//! The scheme `explicit`: a scenario as a problem of explicit dynamics of `carom-continuum`, and its result.

mod contacts;
mod joints;
mod laws;
mod probes;

use std::collections::BTreeMap;
use std::sync::Arc;

use carom_continuum::explicit::{
    BodyKind, BodySpec, EnlargedInertia, Load, Pressure, Problem, Settings, SetupError, Simulation, Support,
};
use carom_dynamics::{Axes, Checkpoint, Placement, TimeFunction};
use carom_fem::constitutive::{ElasticLaw, ElasticModuli, LawError, SolidLaw};
use carom_fem::internal_force::PointRule;
use carom_fem::structural::{StructuralForce, structural_blocks};
use carom_fem::{Body, Discretisation, Geometry};
use carom_format::ResultError;
use carom_format::result::ResultBody;
use carom_format::scenario::model::{
    BodySpec as SpecOfBody, ContactSolution, End, FunctionError, MaterialLaw, Scenario, Scheme,
};
use carom_mesh::Mesh;
use carom_multibody::{Body as MovingBody, BodyError as ModelError};
use carom_progress::Progress;
use carom_reduce::ReducedBody;
use carom_rigid::{BodyError, RigidBody};
use thiserror::Error;

use crate::discretised::Bodies;
use crate::error::{At, AtKey, ErrorKind, Kind};
use crate::geometry::{GeometryError, placement, rigid_mass};
use crate::outcome::{Described, RunEnd, RunSummary, described, described_pair};
use crate::prepared::{Prepared, PreparedBody, PreparedModel};
use crate::recorder::Recorder;
use crate::rigid::doubts::{Doubts, smallest_extent};
use crate::rigid::joined::Standing;
use crate::rigid::{EndError, RigidSetUpError, left_out};
use crate::run::{Run, RunError};
use crate::statics::{named, place};
use crate::system::joints::described as described_joints;
use crate::system::probes::described as described_probes;
use contacts::{Contacts, contacts};
pub(crate) use laws::{law_of, material_of, solid_law};
pub use probes::WholeProbeError;
pub(crate) use probes::{probed_stresses, problem as probe_problem, weights, with_probes};

/// Errors from setting up the scheme `explicit`.
#[derive(Debug, Error)]
pub enum ExplicitSetUpError {
    /// The law of a material excludes its constants.
    #[error("body `{body}`: {source}")]
    Law {
        /// Name of the body.
        body: String,
        /// The problem.
        source: LawError,
    },
    /// Shells and beams with the linear law.
    #[error(
        "body `{body}` has shells or beams, which turn, and the law `linear` takes rotations for strains; \
         give its material `law = \"st-venant-kirchhoff\"`"
    )]
    LinearShells {
        /// Name of the body.
        body: String,
    },
    /// Shells and beams with bulk viscosity.
    #[error("body `{body}` has shells or beams: bulk viscosity is for solids; remove `bulk_viscosity`")]
    ViscousShells {
        /// Name of the body.
        body: String,
    },
    /// The geometry of a rigid body.
    #[error(transparent)]
    Geometry(#[from] GeometryError),
    /// A rigid body with an impossible mass or inertia.
    #[error(transparent)]
    Body(#[from] BodyError),
    /// The model of a reduced body.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// The function of time of a force.
    #[error(transparent)]
    Function(#[from] FunctionError),
    /// Two rigid bodies with a penalty.
    #[error(
        "contact between {pair}: two rigid bodies touch by multipliers in the scheme `explicit`; leave out \
         `law`, make one of them deformable, or choose the scheme `rigid`, which has springs of points"
    )]
    RigidPenalty {
        /// The surfaces.
        pair: String,
    },
    /// A coefficient of restitution of a deformable body.
    #[error(
        "contact between {pair}: `restitution` is that of two rigid bodies; the waves in a deformable body \
         make its own: leave it out"
    )]
    Restitution {
        /// The surfaces.
        pair: String,
    },
    /// The end of a joint.
    #[error(transparent)]
    End(#[from] EndError),
    /// A contact of two rigid bodies that do not touch in this way.
    #[error(transparent)]
    RigidPair(#[from] RigidSetUpError),
    /// A probe.
    #[error(transparent)]
    Probe(#[from] WholeProbeError),
    /// The problem itself.
    #[error(transparent)]
    Problem(#[from] SetupError),
}

impl Kind for ExplicitSetUpError {
    fn kind(&self) -> ErrorKind {
        ErrorKind::Input
    }
}

/// Deformable and rigid bodies that move through time in explicit steps.
pub(crate) struct ExplicitRun<'a> {
    scenario: &'a Scenario,
    prepared: &'a Prepared,
    simulation: Simulation,
}

impl<'a> ExplicitRun<'a> {
    /// Assembles bodies, loads and contacts.
    ///
    /// * `courant` — part of the critical step
    /// * `time_step` — length of all steps instead \[s\]
    pub(crate) fn new(
        scenario: &'a Scenario,
        prepared: &'a Prepared,
        courant: f64,
        time_step: Option<f64>,
        contact: ContactSolution,
    ) -> Result<Self, At<ExplicitSetUpError>> {
        let problem = problem(scenario, prepared)?;
        let settings = Settings {
            end_time: scenario.simulation.end_time,
            output_every: scenario.simulation.output_every,
            courant,
            time_step,
            contact_tolerance: contact.tolerance,
            step_rule: contact.rule,
        };
        let simulation =
            Simulation::new(&problem, settings).map_err(|error| joints::placed(scenario, error))?;
        let with = |probes, stresses| simulation.with_probes_of_stress(probes, stresses);
        let simulation = with_probes(scenario, prepared, &problem, with)?;
        Ok(Self { scenario, prepared, simulation })
    }
}

impl Run for ExplicitRun<'_> {
    fn described(&mut self) -> Described {
        let bodies = self.scenario.body.iter().zip(&self.prepared.bodies).enumerate();
        let body = |(number, (spec, ready)): (usize, (&SpecOfBody, &PreparedBody))| ResultBody {
            mass: self.simulation.mass(number),
            modes: match &ready.model {
                PreparedModel::Reduced(rom) => [rom.omega.len(); 2],
                _ => [self.simulation.n_displacements(number), 0],
            },
            frame_origin: self.simulation.frame_origin(number),
            law: match &ready.model {
                PreparedModel::Deformable(_) => law_of(self.scenario, spec).name().to_owned(),
                _ => String::new(),
            },
            elements: match &ready.model {
                PreparedModel::Deformable(_) => spec.elements.name().to_owned(),
                _ => String::new(),
            },
            ..described(spec, ready)
        };
        let pairs = self.scenario.contact.iter();
        let is_rigid = |end: &End| scenario_body(self.scenario, end).is_some_and(|spec| spec.rigid);
        let pairs = pairs.map(|pair| {
            let [first, second] = pair.between.each_ref().map(ToString::to_string);
            // Pressures are those of a deformable body.
            let turned = is_rigid(&pair.between[0]) && !is_rigid(&pair.between[1]);
            described_pair(pair, if turned { [second, first] } else { [first, second] })
        });
        Described {
            bodies: bodies.map(body).collect(),
            pairs: pairs.collect(),
            joints: described_joints(self.scenario),
            probes: described_probes(self.scenario),
        }
    }

    fn resume(&mut self, checkpoint: &Checkpoint) -> Result<(), RunError> {
        Ok(self.simulation.resume(checkpoint).map_err(ResultError::from)?)
    }

    fn run(&mut self, recorder: &mut Recorder, progress: &dyn Progress) -> Result<(), RunError> {
        Ok(self.simulation.run(recorder, progress)?)
    }

    fn parts(&self) -> Vec<(&'static str, f64)> {
        let [contact, output] = self.simulation.seconds();
        vec![("time loop, contact", contact), ("time loop, output", output)]
    }

    fn end(&mut self, _is_complete: bool, overlaps: Vec<String>) -> Result<RunEnd, RunError> {
        let simulation = &self.simulation;
        let counts = simulation.contact_counts();
        let mut warnings = self.prepared.warnings.clone();
        warnings.extend(overlaps);
        warnings.extend(simulation.warnings());
        warnings.extend(self.doubts());
        let [critical, _, dt] = simulation.step_sizes();
        Ok(RunEnd {
            summary: RunSummary {
                time: simulation.time(),
                steps: simulation.n_steps(),
                integration: None,
                ledger: simulation.summary(),
                contacts: simulation.events().to_vec(),
            },
            bodies: simulation.body_states().to_vec(),
            counters: vec![
                ("steps", simulation.n_steps()),
                ("contact_steps", counts.steps),
                ("gaps", counts.gaps),
                ("multipliers", counts.multipliers),
                ("most_multipliers", counts.most_multipliers),
                ("multiplier_iterations", counts.iterations),
                ("solver_fallbacks", counts.fallbacks),
                ("rigid_sweeps", counts.sweeps),
            ],
            notes: vec![format!("steps of {dt:.3e} s; the critical step is {critical:.3e} s")],
            remarks: (0..self.scenario.body.len())
                .flat_map(|body| [self.added_mass(body), self.enlarged_inertia(body)])
                .flatten()
                .chain(self.hourglass())
                .chain(left_out(self.scenario))
                .collect(),
            warnings,
            estimates: Vec::new(),
            modes: Vec::new(),
            responses: Vec::new(),
            statics: None,
        })
    }
}

impl ExplicitRun<'_> {
    /// Sentences about contacts of rigid bodies with each other.
    fn doubts(&self) -> Vec<String> {
        let Some((system, numbers)) = self.simulation.rigid() else { return Vec::new() };
        let title = |pair: usize| {
            let [a, b] = system.bodies_of_pair(pair).map(|body| &system.bodies[body].name);
            format!("contact of `{a}` and `{b}`")
        };
        let extent = |body: usize| match &self.prepared.bodies[numbers[body]].model {
            PreparedModel::Rigid(geometry) | PreparedModel::Deformable(geometry) => smallest_extent(geometry),
            PreparedModel::Reduced(_) => None,
        };
        Doubts::of(system, title, extent).warnings().collect()
    }

    /// A sentence about the mass that a body got for the sake of the step.
    fn added_mass(&self, body: usize) -> Option<String> {
        let added = self.simulation.added_mass(body)?;
        Some(format!(
            "mass scaling: {} of {} cells of `{}` have more mass, {:.3e} kg or {:.2e} of its mass in all",
            added.cells[0],
            added.cells[1],
            self.scenario.body[body].name,
            added.masses[1],
            added.share()
        ))
    }
}

impl ExplicitRun<'_> {
    /// A sentence about the energy of hourglass control.
    fn hourglass(&self) -> Option<String> {
        let [energy, part] = self.simulation.hourglass()?;
        let percent = 100.0 * part;
        Some(format!(
            "hourglass control of cells with one point has at most {energy:.2e} J, {percent:.2} % of the \
             energy of deformation"
        ))
    }

    /// A sentence about the rotary inertia of the shells of a body.
    fn enlarged_inertia(&self, body: usize) -> Option<String> {
        let enlarged = self.simulation.enlarged_inertia(body)?;
        Some(enlarged_inertia_text(&self.scenario.body[body].name, &enlarged))
    }
}

fn enlarged_inertia_text(body: &str, enlarged: &EnlargedInertia) -> String {
    format!(
        "rotary inertia: {} of {} shells of `{body}` have the inertia of their size instead of their \
         thickness, up to {:.1} times as much, so that they do not shorten the step; bending waves of a few \
         cells are slower",
        enlarged.cells[0], enlarged.cells[1], enlarged.largest_ratio
    )
}

/// The sentence about the rotary inertia of the shells of a body before a run; none for other bodies and
/// schemes.
pub(crate) fn expected_inertia(scenario: &Scenario, spec: &SpecOfBody, body: &Body) -> Option<String> {
    let is_whole = matches!(scenario.simulation.scheme, Scheme::Explicit { .. }) && !spec.rigid;
    // Errors of the body are those of other checks.
    let discretisation = Discretisation::new(body).ok().filter(|d| is_whole && d.is_structural())?;
    let law = |block: &carom_fem::Block| {
        let moduli = ElasticModuli::of(&discretisation.materials[block.material]);
        ElasticLaw::named("saint-venant-kirchhoff", moduli).map(SolidLaw::Elastic)
    };
    let laws = discretisation.blocks.iter().map(law).collect::<Result<Vec<_>, _>>().ok()?;
    let blocks = structural_blocks(&discretisation, &laws).ok()?;
    let force = StructuralForce::new(&discretisation.points, &blocks).ok()?;
    let masses = force.masses();
    let enlarged = EnlargedInertia { cells: masses.enlarged, largest_ratio: masses.largest_ratio };
    (enlarged.cells[0] > 0).then(|| enlarged_inertia_text(&spec.name, &enlarged))
}

/// The length of the first step of the cells \[s\]; none if the problem cannot be set up.
pub(crate) fn first_step(scenario: &Scenario, geometries: &[Option<Arc<Body>>]) -> Option<f64> {
    let Scheme::Explicit { courant, time_step, contact, .. } = scenario.simulation.scheme else {
        return None;
    };
    let prepared = |(spec, body): (&SpecOfBody, &Option<Arc<Body>>)| {
        let body = Arc::clone(body.as_ref()?);
        // The modes of a model are slower than cells.
        let is_rigid = spec.rigid || scenario.simulation.scheme.reduces_body(spec);
        let model = if is_rigid { PreparedModel::Rigid(body) } else { PreparedModel::Deformable(body) };
        Some(PreparedBody::without_files(model))
    };
    // Probes change no step, and may be at places of models.
    let scenario = &Scenario { probe: Vec::new(), ..scenario.clone() };
    let bodies = scenario.body.iter().zip(geometries).map(prepared).collect::<Option<Vec<_>>>()?;
    let prepared = Prepared { bodies, ..Prepared::default() };
    let run = ExplicitRun::new(scenario, &prepared, courant, time_step, contact).ok()?;
    Some(run.simulation.step_sizes()[2])
}

fn scenario_body<'a>(scenario: &'a Scenario, end: &End) -> Option<&'a SpecOfBody> {
    scenario.body.iter().find(|spec| spec.name == end.body)
}

/// The scenario as plain data of `carom-continuum`.
pub(crate) fn problem(scenario: &Scenario, prepared: &Prepared) -> Result<Problem, At<ExplicitSetUpError>> {
    let number = |name: &str| {
        let found = scenario.body.iter().position(|spec| spec.name == name);
        found.expect("the format checks the ends of supports, loads and contacts")
    };
    let mut bodies = Vec::with_capacity(scenario.body.len());
    for (i, (spec, ready)) in scenario.body.iter().zip(&prepared.bodies).enumerate() {
        bodies.push(body(scenario, spec, ready).map_err(|error| error.at(format!("body.{i}")))?);
    }
    let Contacts { contacts, automatic, rigid_contacts, rigid_crowds } = contacts(scenario, &bodies, number)?;
    let supports = scenario.support.iter().map(|support| Support {
        body: number(&support.on.body),
        set: support.on.part.clone(),
        directions: ["x", "y", "z"].map(|axis| support.directions.iter().any(|held| held == axis)),
        rotations: ["rx", "ry", "rz"].map(|axis| support.directions.iter().any(|held| held == axis)),
        displacement: support.displacement,
    });
    let pressures = scenario.pressure.iter().map(|load| Pressure {
        body: number(&load.on.body),
        set: load.on.part.clone(),
        value: load.value,
    });
    let mut loads = Vec::with_capacity(scenario.force.len());
    for (i, load) in scenario.force.iter().enumerate() {
        let body = number(&load.on.body);
        let scale = match &load.scale {
            Some(scale) => scale
                .function()
                .map_err(|error| ExplicitSetUpError::from(error).at(format!("force.{i}.scale")))?,
            None => TimeFunction::Constant(1.0),
        };
        loads.push(Load {
            body,
            at: place(&scenario.body[body], &load.on.part),
            force: load.force,
            torque: load.torque,
            axes: if load.axes == "body" { Axes::Body } else { Axes::Inertial },
            scale,
        });
    }
    let geometries: Vec<&Body> = bodies.iter().map(|body| &*body.geometry).collect();
    let placements: Vec<Placement> = bodies.iter().map(|body| body.placement).collect();
    let standing = Standing { scenario, geometries: &geometries, placements: &placements };
    let joints = standing.joints().map_err(At::cast)?;
    Ok(Problem {
        joints,
        supports: supports.collect(),
        pressures: pressures.collect(),
        loads,
        contacts,
        automatic,
        rigid_contacts,
        rigid_crowds,
        gravity: scenario.simulation.gravity,
        smallest_step: scenario.simulation.scheme.mass_scaling(),
        bodies,
    })
}

/// A reduced body of which all modes move. Its surfaces are those of the model: the geometry has no cells.
fn reduced(spec: &SpecOfBody, rom: &Arc<ReducedBody>) -> Result<BodySpec, ExplicitSetUpError> {
    let mut body = MovingBody::with_dynamic_modes(Arc::clone(rom), rom.omega.len())?;
    if let Some(damping) = &spec.damping {
        body = body.with_damping(&damping.damping())?;
    }
    body.name.clone_from(&spec.name);
    body.fixed = spec.fixed;
    let mesh = Mesh { points: Vec::new(), blocks: Vec::new(), sets: BTreeMap::new() };
    let geometry = Body {
        name: spec.name.clone(),
        geometry: Geometry::Mesh(mesh),
        materials: rom.materials.clone(),
        material_of_block: Vec::new(),
        sections: Vec::new(),
    };
    Ok(BodySpec {
        geometry: Arc::new(geometry),
        kind: BodyKind::Reduced(Arc::new(body)),
        placement: placement(spec),
    })
}

fn body(
    scenario: &Scenario,
    spec: &SpecOfBody,
    ready: &PreparedBody,
) -> Result<BodySpec, ExplicitSetUpError> {
    if let PreparedModel::Reduced(rom) = &ready.model {
        return reduced(spec, rom);
    }
    let (geometry, is_rigid) = named(spec, ready);
    let kind = if is_rigid {
        let (mass, inertia, center) = rigid_mass(spec, &geometry, &Bodies::default())?;
        let body = RigidBody::new(&spec.name, mass, inertia, center)?;
        BodyKind::Rigid(if spec.fixed { body.fixed() } else { body })
    } else {
        let law = law_of(scenario, spec);
        if law == MaterialLaw::Linear && geometry.is_structural() {
            return Err(ExplicitSetUpError::LinearShells { body: spec.name.clone() });
        }
        let viscosity = material_of(scenario, spec).and_then(|material| material.bulk_viscosity);
        if viscosity.is_some() && geometry.is_structural() {
            return Err(ExplicitSetUpError::ViscousShells { body: spec.name.clone() });
        }
        let of_block = |&material: &usize| {
            solid_law(material_of(scenario, spec), ElasticModuli::of(&geometry.materials[material]))
        };
        let laws = geometry.material_of_block.iter().map(of_block).collect::<Result<_, _>>();
        let laws = laws.map_err(|source| ExplicitSetUpError::Law { body: spec.name.clone(), source })?;
        let rule = PointRule::named(spec.elements.name()).unwrap_or_default();
        BodyKind::Deformable { laws, rule, viscosity: viscosity.unwrap_or_default() }
    };
    Ok(BodySpec { geometry, kind, placement: placement(spec) })
}
