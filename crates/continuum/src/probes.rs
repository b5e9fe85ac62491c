//! Probes of unreduced bodies: points of their meshes, and the schemes whose bodies are points alone.
//!
//! Samples and means are those of [`carom_dynamics::mean_probes`]. `Nodes` is a material point; schemes with
//! [`NodalScheme`] have all of their quantities from it, explicit dynamics has places of its own for rigid
//! and reduced bodies (`explicit::probed`).

use std::collections::BTreeMap;

use carom_dynamics::{
    Axes, BodyBalance, MeanProbes, Pose, Probe, ProbeError, ProbePlace, ProbePlaces, Probed, ProbedPoint,
    ProbedStress,
};
use carom_fem::stress::von_mises;
use carom_fem::structural::WallRecovery;
use carom_fem::{PlaceRecovery, Stress};
use carom_mesh::CellRef;
use nalgebra::{Matrix3, Vector3};

/// The stress at the places of probes on unreduced bodies, by the number of the probe. Places and
/// displacements have inertial axes.
pub type StressOfProbes = BTreeMap<usize, PlaceStress>;

/// The stress at a place, or the forces of a section.
#[derive(Debug, Clone)]
pub enum PlaceStress {
    /// Of a solid.
    Solid(PlaceRecovery),
    /// Of the wall of a shell.
    Wall(WallRecovery),
    /// Of a beam: the cell, and the place along it over its length.
    Section(CellRef, f64),
    /// Of a reduced body by a unit of each of its modes, in its axes.
    Modes(Vec<Stress>),
}

impl PlaceStress {
    /// Points of the body whose displacements it depends on, of a solid.
    fn points(&self) -> Vec<u32> {
        match self {
            Self::Solid(place) => place.points(),
            Self::Wall(_) | Self::Section(..) | Self::Modes(_) => Vec::new(),
        }
    }
}

/// A material point of a body, or the mean of several: points of its mesh with weights whose sum is 1.
#[derive(Debug, Clone)]
pub(crate) struct Nodes {
    weights: Vec<(u32, f64)>,
    /// The stress there, of a probe of it.
    pub(crate) stress: Option<PlaceStress>,
}

impl Nodes {
    /// Points of a body.
    ///
    /// * `number`, `body` — those of the probe and of its body
    /// * `n_points` — of the body
    /// * `stresses` — those of all probes; that of this one is taken out
    ///
    /// # Errors
    ///
    /// [`ProbeError::WrongPoint`] if the body does not have them, [`ProbeError::NoStress`] if the probe has a
    /// stress that is not among them.
    pub(crate) fn new(
        (number, probe, body): (usize, &Probe, usize),
        weights: &[(u32, f64)],
        n_points: usize,
        stresses: &mut StressOfProbes,
    ) -> Result<Self, ProbeError> {
        let is_of_body = |point: u32| (point as usize) < n_points;
        let stress = stresses.remove(&number);
        let is_section = matches!(stress, Some(PlaceStress::Section(..)));
        if probe.has_section() && !is_section {
            return Err(ProbeError::NoSection { probe: number });
        }
        let is_of_modes = matches!(stress, Some(PlaceStress::Modes(_)));
        if probe.has_stress() && (stress.is_none() || is_section || is_of_modes) {
            return Err(ProbeError::NoStress { probe: number });
        }
        let mut needed = stress.iter().flat_map(PlaceStress::points);
        let fits = !weights.is_empty() && weights.iter().all(|(point, _)| is_of_body(*point));
        match fits && needed.all(is_of_body) {
            true => Ok(Self { weights: weights.to_vec(), stress }),
            false => Err(ProbeError::WrongPoint { probe: number, body }),
        }
    }

    /// The weighted mean of vectors of the points.
    pub(crate) fn mean(&self, of: impl Fn(u32) -> Vector3<f64>) -> Vector3<f64> {
        self.weights.iter().map(|&(point, weight)| weight * of(point)).sum()
    }

    /// The same of three numbers a point.
    pub(crate) fn mean_of(&self, values: &[f64]) -> Vector3<f64> {
        self.mean(|point| Vector3::from_column_slice(&values[3 * point as usize..3 * point as usize + 3]))
    }

    /// The point in motion; its axes are inertial.
    ///
    /// * `points` — places at rest of the points of the body \[m\]
    /// * `u` — displacements \[m\]
    /// * `velocity` — of the point \[m/s\]
    pub(crate) fn moved(&self, points: &[[f64; 3]], u: &[f64], velocity: Vector3<f64>) -> ProbedPoint {
        let displacement = self.mean_of(u);
        ProbedPoint {
            position: self.mean(|point| points[point as usize].into()) + displacement,
            displacement,
            velocity,
            angular_velocity: Vector3::zeros(),
            rotation: Matrix3::identity(),
        }
    }
}

/// The place of a probe in a scheme whose bodies are points, or walls at rest.
#[derive(Debug, Clone)]
pub(crate) enum NodalPlace {
    /// A body, by its number in the problem.
    Body(usize),
    /// A point of a deformable body, by its number in the problem.
    Nodes(usize, Nodes),
    /// A point of a wall: its position \[m\], and the rotation of the wall.
    Wall(Pose),
    /// A contact, by its number.
    Contact(usize),
}

/// A deformable body at the end of a step.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NodalBody<'a> {
    /// Places at rest \[m\].
    pub(crate) points: &'a [[f64; 3]],
    /// Displacements \[m\] and velocities \[m/s\].
    pub(crate) u: &'a [f64],
    pub(crate) v: &'a [f64],
}

/// A pair of surfaces in the step that was just taken.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NodalPair {
    /// Number among all contacts.
    pub(crate) number: usize,
    /// Numbers of the bodies in the problem, in the order of the scenario.
    pub(crate) bodies: [usize; 2],
    /// Impulse on the first body \[N s\].
    pub(crate) impulse: Vector3<f64>,
    /// Σ ∫ λ dt \[N s\].
    pub(crate) pressed: f64,
    /// Smallest gap at the end of the step; infinite if it is not known \[m\].
    pub(crate) least_gap: f64,
}

/// A scheme whose bodies are points, or walls at rest, after a step.
pub(crate) trait NodalScheme {
    /// Number of bodies.
    fn n_bodies(&self) -> usize;

    /// A deformable body; none for a wall.
    fn body(&self, number: usize) -> Option<NodalBody<'_>>;

    /// The stress at a place of a deformable body \[Pa\].
    fn stress(&self, number: usize, place: &PlaceRecovery) -> Stress;

    /// Pose of a wall: its centre of mass, with the axes of its source geometry.
    fn wall(&self, number: usize) -> Pose;

    /// Energies and momenta of a body; 0 of a wall.
    fn balance(&mut self, number: usize) -> BodyBalance;

    /// The pairs.
    fn pairs(&self) -> impl Iterator<Item = NodalPair> + '_;
}

/// Refuses a probe of the stress at a place without one.
pub(crate) fn no_stress(number: usize, probe: &Probe) -> Result<(), ProbeError> {
    match (probe.has_stress(), probe.has_section()) {
        (true, _) => Err(ProbeError::NoStress { probe: number }),
        (_, true) => Err(ProbeError::NoSection { probe: number }),
        _ => Ok(()),
    }
}

/// The values of a stress.
pub(crate) fn probed_stress(stress: &Stress) -> ProbedStress {
    let [xx, yy, zz, xy, yz, xz] = *stress;
    ProbedStress { normal: [xx, yy, zz], shear: [xy, yz, xz], von_mises: von_mises(stress) }
}

/// The probes of a scheme.
///
/// * `stresses` — at the places of probes on deformable bodies
/// * `dt` — length of a step \[s\]
///
/// # Errors
///
/// [`ProbeError`] names the probe that does not fit.
pub(crate) fn nodal_probes(
    scheme: &impl NodalScheme,
    (probes, mut stresses): (Vec<Probe>, StressOfProbes),
    dt: f64,
) -> Result<MeanProbes<NodalPlace>, ProbeError> {
    let contacts = scheme.pairs().map(|pair| pair.number + 1).max().unwrap_or(0);
    let places = ProbePlaces { bodies: scheme.n_bodies(), joints: 0, contacts };
    MeanProbes::new(probes, places, dt, |number, probe| {
        Ok(match &probe.place {
            ProbePlace::Body(body) => NodalPlace::Body(*body),
            ProbePlace::Points { body, weights } => {
                let n = scheme.body(*body).map_or(0, |body| body.points.len());
                let own = (number, probe, *body);
                NodalPlace::Nodes(*body, Nodes::new(own, weights, n, &mut stresses)?)
            }
            ProbePlace::Point { body, marker, .. } => {
                if scheme.body(*body).is_some() {
                    return Err(ProbeError::WrongPoint { probe: number, body: *body });
                }
                no_stress(number, probe)?;
                let wall = scheme.wall(*body);
                let position = wall.point(&marker.position_b.into());
                NodalPlace::Wall(Pose { position, ..wall })
            }
            ProbePlace::Contact(contact) => NodalPlace::Contact(*contact),
            ProbePlace::ContactOfAll { contact: index, .. } => {
                let kind = "contacts of all bodies";
                return Err(ProbeError::NoPlace { probe: number, kind, index: *index, count: 0 });
            }
            ProbePlace::Joint(index) => {
                return Err(ProbeError::NoPlace { probe: number, kind: "joints", index: *index, count: 0 });
            }
        })
    })
}

/// A scheme as its probes see it.
pub(crate) struct AtNodes<'a, S>(pub(crate) &'a mut S);

impl<S: NodalScheme> Probed<NodalPlace> for AtNodes<'_, S> {
    fn point(&self, place: &NodalPlace) -> ProbedPoint {
        match place {
            NodalPlace::Nodes(number, nodes) => {
                let body = self.0.body(*number).expect("points are those of a deformable body");
                nodes.moved(body.points, body.u, nodes.mean_of(body.v))
            }
            NodalPlace::Wall(Pose { position, rotation }) => ProbedPoint {
                position: *position,
                displacement: Vector3::zeros(),
                velocity: Vector3::zeros(),
                angular_velocity: Vector3::zeros(),
                rotation: *rotation,
            },
            _ => unreachable!("a probe at a point has one"),
        }
    }

    fn stress(&mut self, place: &NodalPlace, _: Axes) -> Option<ProbedStress> {
        let NodalPlace::Nodes(number, Nodes { stress, .. }) = place else { return None };
        let Some(PlaceStress::Solid(place)) = stress else { return None };
        Some(probed_stress(&self.0.stress(*number, place)))
    }

    fn balance(&mut self, place: &NodalPlace, _: bool) -> BodyBalance {
        match place {
            NodalPlace::Body(number) => self.0.balance(*number),
            _ => BodyBalance::default(),
        }
    }

    fn gap(&self, place: &NodalPlace) -> f64 {
        let NodalPlace::Contact(number) = *place else { return f64::INFINITY };
        let own = self.0.pairs().filter(|pair| pair.number == number);
        own.map(|pair| pair.least_gap).fold(f64::INFINITY, f64::min)
    }

    fn impulses(&self, place: &NodalPlace) -> [Vector3<f64>; 2] {
        let (mut impulse, mut pressed) = (Vector3::zeros(), 0.0);
        for pair in self.0.pairs() {
            match *place {
                NodalPlace::Contact(number) if pair.number == number => {
                    impulse += pair.impulse;
                    pressed += pair.pressed;
                }
                NodalPlace::Body(number) if pair.bodies[0] == number => impulse += pair.impulse,
                NodalPlace::Body(number) if pair.bodies[1] == number => impulse -= pair.impulse,
                _ => {}
            }
        }
        [impulse, Vector3::new(pressed, 0.0, 0.0)]
    }
}
