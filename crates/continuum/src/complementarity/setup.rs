//! Bodies, walls and pairs of surfaces from the tables of a problem.

use carom_contact::solver::LcpMethod;
use carom_contact::{Law, Shape};
use carom_dynamics::{Placement, rotation};
use carom_fem::constitutive::Law as _;
use nalgebra::Vector3;

use super::body::LinearBody;
use super::contact::{Pair, PairSpec, Side};
use super::mass::of_kind;
use super::{BodyOptions, MassKind, Settings, SetupError};
use crate::explicit::{BodyKind, BodySpec, ContactSpec, Problem, SideSpec};

/// True if the body is a wall: rigid and fixed.
pub(super) fn is_wall(spec: &BodySpec) -> Result<bool, SetupError> {
    let body = || spec.geometry.name.clone();
    match &spec.kind {
        BodyKind::Rigid(rigid) if rigid.fixed => Ok(true),
        BodyKind::Rigid(_) | BodyKind::Reduced(_) => Err(SetupError::Moves { body: body() }),
        BodyKind::Deformable { laws, viscosity, .. } => {
            if spec.geometry.is_structural() {
                return Err(SetupError::Structural { body: body() });
            }
            if *viscosity != [0.0; 2] {
                return Err(SetupError::Viscosity { body: body() });
            }
            match laws.iter().find(|law| law.is_objective() || law.n_history() > 0) {
                Some(law) => Err(SetupError::NotLinear { body: body(), law: law.name() }),
                None => Ok(false),
            }
        }
    }
}

/// A body at rest.
pub(super) struct Wall {
    pub(super) placement: Placement,
    /// Mass \[kg\], and its centre in source coordinates \[m\].
    pub(super) mass: f64,
    pub(super) center: Vector3<f64>,
}

impl Wall {
    /// The wall of a table.
    pub(super) fn new(spec: &BodySpec) -> Self {
        let (mass, center) = match &spec.kind {
            BodyKind::Rigid(rigid) => (rigid.mass, rigid.com),
            _ => (0.0, Vector3::zeros()),
        };
        Self { placement: spec.placement, mass, center }
    }
}

/// The body of a table, with its mass matrix.
pub(super) fn linear_body(
    problem: &Problem,
    number: usize,
    spec: &BodySpec,
    options: &BodyOptions,
    kind: MassKind,
) -> Result<LinearBody, SetupError> {
    let geometry = &spec.geometry;
    let mut touches = false;
    let mut body = LinearBody::new(geometry, &spec.placement, options, |consistent, discretisation| {
        let mut on_contact = vec![false; discretisation.n_points()];
        for contact in &problem.contacts {
            for (_, side) in contact.bodies.iter().zip(&contact.sides).filter(|(body, _)| **body == number) {
                let SideSpec::Set(set) = side else { continue };
                let surface = geometry.surface_of_set(discretisation, set)?;
                surface.points.iter().for_each(|&point| on_contact[point as usize] = true);
                touches = true;
            }
        }
        of_kind(kind, consistent, (&geometry.name, discretisation), &on_contact)
    })?;
    if touches && kind == MassKind::Redistributed {
        body.average_contact();
    }
    Ok(body)
}

/// A pair of surfaces, a wall second.
///
/// * `bodies`, `which` — the deformable bodies, and their numbers among them by those of the problem
pub(super) fn pair(
    problem: &Problem,
    spec: &ContactSpec,
    (bodies, which): (&[LinearBody], &[Option<usize>]),
    settings: &Settings,
) -> Result<Pair, SetupError> {
    let part = |k: usize| match &spec.sides[k] {
        SideSpec::Set(set) => format!(":{set}"),
        SideSpec::Shape(_) => String::new(),
    };
    let name = |k: usize| format!("`{}{}`", problem.bodies[spec.bodies[k]].geometry.name, part(k));
    let pair = format!("{} and {}", name(0), name(1));
    if spec.law != Law::Hard {
        return Err(SetupError::Penalty { pair });
    }
    if let Some(method) = settings.method.filter(|method| *method != LcpMethod::GaussSeidel)
        && spec.friction > 0.0
    {
        return Err(SetupError::FrictionMethod { pair, method });
    }
    let numbers = spec.bodies.map(|body| which[body]);
    if spec.bodies[0] == spec.bodies[1] || numbers == [None, None] {
        return Err(SetupError::NotTwoBodies { pair });
    }
    let side = |k: usize| -> Result<Side, SetupError> {
        Ok(match (numbers[k], &spec.sides[k]) {
            (Some(body), SideSpec::Set(set)) => Side::Moving { body, set: set.clone() },
            (_, side) => Side::Wall(Box::new(wall(&problem.bodies[spec.bodies[k]], side)?)),
        })
    };
    let is_turned = numbers[0].is_none();
    let sides = if is_turned { [side(1)?, side(0)?] } else { [side(0)?, side(1)?] };
    // Twice the way of a step at the speeds of the start, and at that of a free fall.
    let speed = |k: usize| Vector3::from(problem.bodies[spec.bodies[k]].placement.velocity).norm();
    let fall = Vector3::from(problem.gravity).norm() * settings.end_time;
    let reach = 2.0 * settings.time_step * (speed(0) + speed(1) + fall);
    Pair::new(
        bodies,
        PairSpec {
            sides,
            number: spec.number,
            named: spec.bodies,
            name: pair,
            reach,
            friction: spec.friction,
        },
        is_turned,
    )
}

/// The surface of a wall in inertial axes.
fn wall(spec: &BodySpec, side: &SideSpec) -> Result<Shape, SetupError> {
    let (turn, origin) = (rotation::matrix(&spec.placement.quaternion), Vector3::from(spec.placement.origin));
    let shape = match side {
        SideSpec::Shape(shape) => shape.clone(),
        SideSpec::Set(set) => {
            let body = &spec.geometry;
            let discretisation = carom_fem::Discretisation::new(body)
                .map_err(|source| SetupError::Discretisation { body: body.name.clone(), source })?;
            let surface = body.surface_of_set(&discretisation, set)?;
            let places: Vec<Vector3<f64>> =
                surface.points.iter().map(|&k| discretisation.points[k as usize].into()).collect();
            Shape::faces(surface, &places).map_err(|source| SetupError::Surface {
                body: body.name.clone(),
                set: set.clone(),
                source,
            })?
        }
    };
    Ok(shape.moved(|x| origin + turn * x, |v| turn * v))
}
