//! Bodies and runs shared by the tests of explicit dynamics.

use std::sync::Arc;

use carom_contact::Law;
use carom_continuum::explicit::{BodyKind, BodySpec, ContactSpec, Problem, Settings, SideSpec, Simulation};
use carom_dynamics::{
    Checkpoint, ContactEvent, Frame, JointState, LedgerRow, Observer, ObserverError, Placement,
};
use carom_fem::constitutive::{ElasticLaw, ElasticModuli, SolidLaw};
use carom_fem::internal_force::PointRule;
use carom_fem::{Body, Discretisation, Geometry, Material, mass_properties};
use carom_mesh::make::{HexOptions, Solid, hexahedra};
use carom_progress::Silent;
use carom_rigid::RigidBody;
use nalgebra::{Matrix3, Vector3};

/// A box from the origin along +x, +y, +z with its material: density, Young's modulus, Poisson's ratio.
pub(crate) fn block(name: &str, size: [f64; 3], cells: [usize; 3], material: [f64; 3]) -> Body {
    let options = HexOptions { elements: cells.to_vec(), ..HexOptions::default() };
    let mut mesh = hexahedra(Solid::Box { size }, &options).unwrap();
    let least = (0..3).map(|d| mesh.points.iter().map(|x| x[d]).fold(f64::INFINITY, f64::min));
    let least: Vec<f64> = least.collect();
    for x in &mut mesh.points {
        (0..3).for_each(|d| x[d] -= least[d]);
    }
    let [density, young, poisson] = material;
    Body {
        name: name.to_owned(),
        geometry: Geometry::Mesh(mesh),
        materials: vec![Material::new("material", density, young, poisson).unwrap()],
        material_of_block: vec![0],
        sections: Vec::new(),
    }
}

/// The body with one elastic law.
pub(crate) fn deformable(body: Body, law: &str, placement: Placement) -> BodySpec {
    let moduli = ElasticModuli::of(&body.materials[0]);
    let law = SolidLaw::Elastic(ElasticLaw::named(law, moduli).unwrap());
    with_law(body, law, placement)
}

/// Any law with points, strains and bulk viscosity.
pub(crate) fn solid(
    body: Body,
    law: SolidLaw,
    (rule, viscosity): (PointRule, [f64; 2]),
    placement: Placement,
) -> BodySpec {
    let kind = BodyKind::Deformable { laws: vec![law], rule, viscosity };
    BodySpec { geometry: Arc::new(body), kind, placement }
}

pub(crate) fn with_law(body: Body, law: SolidLaw, placement: Placement) -> BodySpec {
    let kind = BodyKind::Deformable { laws: vec![law], rule: PointRule::default(), viscosity: [0.0; 2] };
    BodySpec { geometry: Arc::new(body), kind, placement }
}

/// The body as a rigid one.
pub(crate) fn rigid(body: Body, placement: Placement) -> BodySpec {
    let mass = mass_properties(&Discretisation::new(&body).unwrap());
    let inertia = Matrix3::from_fn(|i, j| mass.inertia[i][j]);
    let rigid = RigidBody::new(&body.name, mass.mass, inertia, mass.center_of_mass.into()).unwrap();
    BodySpec { geometry: Arc::new(body), kind: BodyKind::Rigid(rigid), placement }
}

pub(crate) fn at(origin: [f64; 3], velocity: [f64; 3]) -> Placement {
    Placement { origin, velocity, ..Placement::default() }
}

/// Contact of two sets.
pub(crate) fn pair(
    number: usize,
    bodies: [usize; 2],
    sets: [&str; 2],
    law: Law,
    friction: f64,
) -> ContactSpec {
    let sides = sets.map(|set| SideSpec::Set(set.to_owned()));
    ContactSpec { number, bodies, sides, law, friction }
}

/// Records the rows and checkpoints that a run passes to its observer.
#[derive(Default)]
pub(crate) struct Kept {
    pub(crate) rows: Vec<LedgerRow>,
    pub(crate) velocities: Vec<Vec<[f64; 3]>>,
    pub(crate) forces: Vec<Vec<[f64; 3]>>,
    pub(crate) displacements: Vec<Vec<Vec<f64>>>,
    pub(crate) pressures: Vec<Vec<Vec<f64>>>,
    pub(crate) joints: Vec<Vec<JointState>>,
}

impl Observer for Kept {
    fn frame(&mut self, frame: &Frame<'_>) -> Result<(), ObserverError> {
        self.rows.push(*frame.ledger);
        self.velocities.push(frame.bodies.iter().map(|body| body.velocity).collect());
        self.forces.push(frame.contacts.iter().map(|contact| contact.force).collect());
        self.pressures.push(frame.contacts.iter().map(|contact| contact.pressures.clone()).collect());
        self.joints.push(frame.joints.to_vec());
        self.displacements.push(frame.bodies.iter().map(|body| body.modal.clone()).collect());
        Ok(())
    }

    fn contact_event(&mut self, _: &ContactEvent) -> Result<(), ObserverError> {
        Ok(())
    }
}

/// Keeps the last checkpoint up to a number of steps, and asks for the one after it.
pub(crate) struct Last {
    pub(crate) found: Option<Checkpoint>,
    steps: u64,
}

impl Last {
    pub(crate) fn at(steps: u64) -> Self {
        Self { found: None, steps }
    }
}

impl Observer for Last {
    fn frame(&mut self, _: &Frame<'_>) -> Result<(), ObserverError> {
        Ok(())
    }

    fn contact_event(&mut self, _: &ContactEvent) -> Result<(), ObserverError> {
        Ok(())
    }

    fn wants_checkpoint(&mut self, steps: u64) -> bool {
        steps == self.steps
    }

    fn checkpoint(&mut self, checkpoint: &Checkpoint) -> Result<(), ObserverError> {
        if checkpoint.steps <= self.steps {
            self.found = Some(checkpoint.clone());
        }
        Ok(())
    }
}

pub(crate) fn settings(end_time: f64, time_step: Option<f64>) -> Settings {
    Settings { time_step, ..Settings::until(end_time) }
}

pub(crate) fn run(problem: &Problem, settings: Settings) -> (Simulation, Kept) {
    let mut simulation = Simulation::new(problem, settings).unwrap();
    let mut kept = Kept::default();
    simulation.run(&mut kept, &Silent).unwrap();
    (simulation, kept)
}

/// Largest |R_E|, |R_P| and |R_L| of all frames.
pub(crate) fn residuals(kept: &Kept) -> [f64; 3] {
    let size = |v: [f64; 3]| Vector3::from(v).norm();
    kept.rows
        .iter()
        .fold([0.0; 3], |[e, p, l], row| [row.r_e.abs().max(e), size(row.r_p).max(p), size(row.r_l).max(l)])
}
