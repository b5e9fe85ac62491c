//! One body of a static problem.

use std::sync::Arc;

use carom_dynamics::rotation;
use carom_fem::{Body, Discretisation, QuadratureRule, SystemMatrices, assemble};
use carom_linalg::FactorError;
use carom_progress::Progress;
use carom_reduce::{Flexibility, RigidMotions, SolverChoice};
use nalgebra::{DMatrix, DVector, Matrix3, Vector3};

use super::SetupError;
use super::loads::{Loaded, Loads};
use super::problem::Problem;
use super::supports::Held;

/// A body with its points in inertial axes, so that supports and loads need no rotation.
pub(super) struct StaticBody {
    pub(super) name: String,
    pub(super) body: Arc<Body>,
    pub(super) discretisation: Discretisation,
    /// Rotation from body to inertial axes, and position of the source origin.
    pub(super) rotation: Matrix3<f64>,
    pub(super) quaternion: [f64; 4],
    pub(super) origin: Vector3<f64>,
    pub(super) held: Held,
    /// Loads at the points under the full load \[N\].
    pub(super) load: Vec<[f64; 3]>,
    /// Loads on places of a rigid body: their sum \[N\].
    place_load: Vector3<f64>,
    /// Work of all loads on each free motion, Rᵀ f, and their size Σ |f| \[N\].
    pub(super) work: Vec<f64>,
    pub(super) load_size: f64,
    /// The free rigid motions, each with 1 m at the farthest point.
    pub(super) motions: RigidMotions,
    /// Stiffness; `None` for a rigid body.
    pub(super) elastic: Option<Flexibility>,
    /// Displacement of the points by the full load and the supports, without free motions and contact \[m\].
    pub(super) response: Vec<[f64; 3]>,
    /// Translation of the source origin and rotation that the supports of a rigid body prescribe \[m\],
    /// \[rad\].
    prescribed: (Vector3<f64>, Vector3<f64>),
}

impl StaticBody {
    /// The body of this number with its supports and loads, its stiffness factorised.
    pub(super) fn new(problem: &Problem, number: usize, progress: &dyn Progress) -> Result<Self, SetupError> {
        let spec = &problem.bodies[number];
        let (body, rigid) = (spec.geometry.clone(), spec.is_rigid);
        let name = body.name.clone();
        if spec.is_fixed && !rigid {
            return Err(SetupError::Fixed { body: name, known: body.set_names().join(", ") });
        }
        let mut discretisation = Discretisation::new(&body)
            .map_err(|source| SetupError::Discretisation { body: name.clone(), source })?;
        let quaternion = spec.placement.quaternion;
        let (turn, origin) = (rotation::matrix(&quaternion), Vector3::from(spec.placement.origin));
        for x in &mut discretisation.points {
            *x = (origin + turn * Vector3::from(*x)).into();
        }
        let mut held = Held::new(&body, number, &discretisation, &problem.supports)?;
        if spec.is_fixed {
            held.flags.fill([true; 3]);
        }
        let mut motions = RigidMotions::left_by(&discretisation.points, &held.flags);
        motions.normalise(&discretisation.points);
        let system = if rigid { None } else { Some(assembled(&name, &discretisation, progress)?) };
        let loaded = Loaded { number, body: &body, discretisation: &discretisation, rotation: turn, origin };
        let loads = Loads::new(problem, &loaded, system.as_ref())?;
        let work = (0..motions.len()).map(|k| work_on(&motions, k, &discretisation.points, &loads)).collect();
        let size = |f: &[f64; 3]| Vector3::from(*f).norm();
        let load_size = loads.at_points.iter().map(size).sum::<f64>()
            + loads.at_places.iter().map(|(_, f, _)| size(f)).sum::<f64>();
        let mut made = Self {
            name,
            body,
            rotation: turn,
            quaternion,
            origin,
            held,
            place_load: loads.at_places.iter().map(|(_, f, _)| Vector3::from(*f)).sum(),
            load: loads.at_points,
            work,
            load_size,
            motions,
            elastic: None,
            response: Vec::new(),
            prescribed: (Vector3::zeros(), Vector3::zeros()),
            discretisation,
        };
        match system {
            Some(system) => made.factorise(system, progress)?,
            None => made.move_rigidly()?,
        }
        Ok(made)
    }

    fn factorise(&mut self, system: SystemMatrices, progress: &dyn Progress) -> Result<(), SetupError> {
        let points = &self.discretisation.points;
        let free = self.held.free(&self.discretisation.point_is_used());
        let failed = |source: FactorError| SetupError::factor(&self.name, source);
        let choice = SolverChoice::default();
        let elastic =
            Flexibility::new(system, &free, points, &self.motions, &choice, progress).map_err(failed)?;
        let reaction = elastic.forces(&self.held.values);
        let net = |(f, r): (&[f64; 3], &[f64; 3])| [0, 1, 2].map(|d| f[d] - r[d]);
        let force: Vec<[f64; 3]> = self.load.iter().zip(&reaction).map(net).collect();
        let mut response = elastic.displacement(&force, progress).map_err(|error| failed(error.into()))?;
        for (u, held) in response.iter_mut().zip(&self.held.values) {
            (0..3).for_each(|d| u[d] += held[d]);
        }
        self.response = response;
        self.elastic = Some(elastic);
        Ok(())
    }

    /// A sentence about a solution that was found without a factor.
    pub(super) fn printed(&self) -> Option<String> {
        let printed = self.elastic.as_ref()?.note(&SolverChoice::default())?;
        Some(format!("body `{}`: {printed}", self.name))
    }

    /// Applies the rigid motion that supports prescribe.
    fn move_rigidly(&mut self) -> Result<(), SetupError> {
        let points = &self.discretisation.points;
        let mut all = RigidMotions::left_by(points, &vec![[false; 3]; points.len()]);
        all.normalise(points);
        let dofs: Vec<usize> =
            (0..3 * points.len()).filter(|dof| self.held.flags[dof / 3][dof % 3]).collect();
        let wanted =
            DVector::from_iterator(dofs.len(), dofs.iter().map(|dof| self.held.values[dof / 3][dof % 3]));
        self.response = vec![[0.0; 3]; points.len()];
        if wanted.amax() == 0.0 {
            return Ok(());
        }
        let rows =
            DMatrix::from_fn(dofs.len(), all.len(), |i, k| all.at(k, &points[dofs[i] / 3])[dofs[i] % 3]);
        let found =
            rows.clone().svd(true, true).solve(&wanted, 1e-10).unwrap_or_else(|_| DVector::zeros(all.len()));
        let misfit = (&rows * &found - &wanted).amax();
        if misfit > 1e-9 * wanted.amax() {
            return Err(SetupError::StrainsRigid { body: self.name.clone(), misfit });
        }
        self.response = points.iter().map(|x| all.combined(found.as_slice(), x).0.into()).collect();
        self.prescribed = all.combined(found.as_slice(), &self.origin.into());
        Ok(())
    }

    /// Translation of the source origin and rotation of a rigid body.
    pub(super) fn rigid_motion(&self, part: f64, motion: &[f64]) -> (Vector3<f64>, Vector3<f64>) {
        let (t, theta) = self.motions.combined(motion, &self.origin.into());
        (t + self.prescribed.0 * part, theta + self.prescribed.1 * part)
    }

    /// Sum of all loads \[N\].
    pub(super) fn total_load(&self) -> Vector3<f64> {
        self.load.iter().map(|&f| Vector3::from(f)).sum::<Vector3<f64>>() + self.place_load
    }

    /// Mass \[kg\].
    pub(super) fn mass(&self) -> f64 {
        carom_fem::mass_properties(&self.discretisation).mass
    }

    /// Displacement of a point without contact: s times the response, and the free motions.
    pub(super) fn moved(&self, point: usize, part: f64, motion: &[f64]) -> Vector3<f64> {
        let x = &self.discretisation.points[point];
        Vector3::from(self.response[point]) * part + self.motions.combined(motion, x).0
    }
}

fn assembled(
    body: &str,
    discretisation: &Discretisation,
    progress: &dyn Progress,
) -> Result<SystemMatrices, SetupError> {
    assemble(discretisation, QuadratureRule::Default, progress)
        .map_err(|source| SetupError::assembly(body, source))
}

/// The work of loads on a unit of motion k \[N\].
fn work_on(motions: &RigidMotions, k: usize, points: &[[f64; 3]], loads: &Loads) -> f64 {
    let mut sum = 0.0;
    for (x, f) in points.iter().zip(&loads.at_points).filter(|(_, f)| **f != [0.0; 3]) {
        sum += motions.at(k, x).dot(&Vector3::from(*f));
    }
    let mut unit = vec![0.0; motions.len()];
    unit[k] = 1.0;
    for (x, f, torque) in &loads.at_places {
        let (t, theta) = motions.combined(&unit, x);
        sum += t.dot(&Vector3::from(*f)) + theta.dot(&Vector3::from(*torque));
    }
    sum
}
