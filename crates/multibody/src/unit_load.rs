//! Unit loads: the directions in which joints, springs and forces load a body, as generalised forces on all
//! of its modes.
//!
//! | element or load | action on the markers of its ends |
//! |---|---|
//! | spherical, distance | forces in all directions |
//! | revolute, universal | forces, torques across z |
//! | fixed | forces, torques |
//! | prismatic | forces across z, torques |
//! | cylindrical | forces and torques across z |
//! | planar | force along z, torques across z |
//! | drive, coupling, spring or stop of an angle, of a shift | torque about z, force along z |
//! | spring or drive of a length | forces |
//! | bushing | forces and torques where it has stiffness or damping |
//! | applied force, torque | its direction; all three where the body turns under it |
//! | gravity | its direction, on a body whose frame is held (it bends no free body) |
//!
//! z is the third axis of the triad of the end, fixed to its body.

use carom_dynamics::{Axes, Loads, Marker, Placement, PointLoad, rotation};
use nalgebra::{Matrix3, Vector3};

use crate::body::Body;
use crate::force::{Bushing, ForceElement, ForceLaw};
use crate::joint::{Coordinate, Coupling, Drive, Joint, JointEnd, JointKind};

/// A unit of a load on one body.
#[derive(Debug, Clone, PartialEq)]
pub struct UnitLoad {
    /// Name of the element or load for a message: "joint `hinge`".
    pub name: String,
    /// Generalised force on each mode of the body.
    pub modal: Vec<f64>,
    /// Acceleration of the rigid body at the load and along it; 0 for a body that is held \[1/kg or 1/(kg
    /// m²)\].
    pub mobility: f64,
    /// For a load of a joint that holds it, the body at the other end (none for the ground); none for other
    /// loads.
    pub held_by: Option<Option<usize>>,
}

/// Forces and torques along axes of a triad: which of the three.
#[derive(Debug, Clone, Copy)]
struct Directions {
    forces: [bool; 3],
    torques: [bool; 3],
}

const ALL: [bool; 3] = [true; 3];
const NONE: [bool; 3] = [false; 3];
const ACROSS: [bool; 3] = [true, true, false];
const ALONG: [bool; 3] = [false, false, true];

impl Directions {
    fn of_joint(kind: JointKind) -> Self {
        let [forces, torques] = match kind {
            JointKind::Spherical | JointKind::Distance { .. } => [ALL, NONE],
            JointKind::Revolute | JointKind::Universal => [ALL, ACROSS],
            JointKind::Fixed => [ALL, ALL],
            JointKind::Prismatic => [ACROSS, ALL],
            JointKind::Cylindrical => [ACROSS, ACROSS],
            JointKind::Planar => [ALONG, ACROSS],
        };
        Self { forces, torques }
    }

    fn of_coordinate(coordinate: Coordinate) -> Self {
        let [forces, torques] = match coordinate {
            Coordinate::Angle => [NONE, ALONG],
            Coordinate::Shift { .. } => [ALONG, NONE],
            Coordinate::Length => [ALL, NONE],
        };
        Self { forces, torques }
    }

    fn of_bushing(bushing: &Bushing) -> Self {
        // Its axes are those of its first end: the second turns against them.
        let any = |a: &[f64; 3], b: &[f64; 3]| [a.iter().chain(b).any(|x| *x != 0.0); 3];
        Self {
            forces: any(&bushing.stiffness, &bushing.damping),
            torques: any(&bushing.ang_stiffness, &bushing.ang_damping),
        }
    }
}

/// Unit loads by body, in the order in which they were found.
#[derive(Debug)]
struct Found<'a> {
    bodies: &'a [Body],
    by_body: Vec<Vec<UnitLoad>>,
}

/// All unit loads on each body.
///
/// Markers of joints, elements and loads are over *all* modes of the files of their bodies.
///
/// * `placements` — where the bodies start
pub fn unit_loads(
    bodies: &[Body],
    placements: &[Placement],
    joints: &[Joint],
    couplings: &[Coupling],
    drives: &[Drive],
    elements: &[ForceElement],
    loads: &Loads,
) -> Vec<Vec<UnitLoad>> {
    let mut found = Found { bodies, by_body: vec![Vec::new(); bodies.len()] };
    for joint in joints {
        let name = format!("joint `{}`", joint.name);
        found.add_ends(&name, &joint.ends, Directions::of_joint(joint.kind), true);
    }
    for coupling in couplings {
        let name = format!("coupling `{}`", coupling.name);
        for term in &coupling.terms {
            let ends = &joints[term.joint].ends;
            found.add_ends(&name, ends, Directions::of_coordinate(term.coordinate), true);
        }
    }
    for drive in drives {
        let joint = &joints[drive.joint];
        let name = format!("motion of joint `{}`", joint.name);
        found.add_ends(&name, &joint.ends, Directions::of_coordinate(drive.coordinate), true);
    }
    for element in elements {
        let (what, directions) = match &element.law {
            ForceLaw::Along { coordinate, .. } => ("spring", Directions::of_coordinate(*coordinate)),
            ForceLaw::Bushing(bushing) => ("bushing", Directions::of_bushing(bushing)),
        };
        found.add_ends(&format!("{what} `{}`", element.name), &element.ends, directions, false);
    }
    for load in &loads.point_loads {
        found.add_load(load, &rotation::matrix(&placements[load.body].quaternion));
    }
    for (body, placement) in placements.iter().enumerate() {
        let g_b = rotation::matrix(&placement.quaternion).tr_mul(&loads.gravity());
        found.add_gravity(body, &g_b);
    }
    found.by_body
}

/// Numbers of the unit loads of each body whose static modes a joint binds: a joint to the ground or to a
/// body without static modes. The inertia of other static modes would vibrate by itself.
pub fn bound_loads(units: &[Vec<UnitLoad>], bodies: &[Body]) -> Vec<Vec<usize>> {
    let is_stiff = |body: usize| bodies[body].static_modes().is_none();
    let is_bound = |unit: &UnitLoad| unit.held_by.is_some_and(|other| other.is_none_or(is_stiff));
    let of_body = |units: &Vec<UnitLoad>| {
        let bound = units.iter().enumerate().filter(|(_, unit)| is_bound(unit));
        bound.map(|(number, _)| number).collect()
    };
    units.iter().map(of_body).collect()
}

impl Found<'_> {
    /// Unit loads along the axes of both ends.
    ///
    /// * `holds` — whether equations of a joint hold these directions
    fn add_ends(&mut self, name: &str, ends: &[JointEnd; 2], which: Directions, holds: bool) {
        for (side, end) in ends.iter().enumerate() {
            let Some(body) = end.body else { continue };
            let held_by = holds.then_some(ends[1 - side].body);
            for (is_torque, along) in [(false, which.forces), (true, which.torques)] {
                for axis in (0..3).filter(|&axis| along[axis]) {
                    let direction = end.triad_b.column(axis).into();
                    self.add(body, name, &end.marker, &direction, is_torque, held_by);
                }
            }
        }
    }

    /// A unit force or torque at a marker, along a direction in body axes.
    fn add(
        &mut self,
        body: usize,
        name: &str,
        marker: &Marker,
        direction: &Vector3<f64>,
        is_torque: bool,
        held_by: Option<Option<usize>>,
    ) {
        let Body { frame, fixed, .. } = &self.bodies[body];
        let arm = Vector3::from(marker.position_b) - frame.com_b();
        let moment = if is_torque { *direction } else { arm.cross(direction) };
        let turned = frame.inertia_com().try_inverse().map_or(0.0, |inverse| moment.dot(&(inverse * moment)));
        let mobility = match (fixed, is_torque) {
            (true, _) => 0.0,
            (false, true) => turned,
            (false, false) => 1.0 / frame.mass + turned,
        };
        let values = if is_torque { &marker.rotation } else { &marker.displacement };
        let modal = values.iter().map(|value| Vector3::from(*value).dot(direction)).collect();
        self.by_body[body].push(UnitLoad { name: name.to_owned(), modal, mobility, held_by });
    }

    fn add_load(&mut self, load: &PointLoad, rot_ib: &Matrix3<f64>) {
        let body = load.body;
        let turns = load.axes == Axes::Inertial && !self.bodies[body].fixed;
        for (vector, is_torque) in [(load.force, false), (load.torque, true)] {
            let vector = Vector3::from(vector);
            let Some(direction) = vector.try_normalize(0.0) else { continue };
            let directions = match load.axes {
                _ if turns => vec![Vector3::x(), Vector3::y(), Vector3::z()],
                Axes::Inertial => vec![rot_ib.tr_mul(&direction)],
                Axes::Body => vec![direction],
            };
            for direction in directions {
                self.add(body, "an applied force", &load.marker, &direction, is_torque, None);
            }
        }
    }

    /// C_tᵀ g of a body that is held; free vibrations have no momentum, so that gravity does not reach them.
    fn add_gravity(&mut self, body: usize, g_b: &Vector3<f64>) {
        let of = &self.bodies[body];
        let Some(reduced) = of.reduced.as_ref().filter(|_| of.fixed && g_b.norm() > 0.0) else { return };
        let coupling = &reduced.invariants.coupling_t;
        let modal: Vec<f64> =
            (0..coupling.ncols()).map(|k| (0..3).map(|a| coupling[(a, k)] * g_b[a]).sum()).collect();
        // For a body in the Buckens frame, whose frame is held in space, this is round-off.
        let size = modal.iter().map(|x| x * x).sum::<f64>().sqrt();
        if size > 1e-8 * g_b.norm() * reduced.invariants.mass.sqrt() {
            self.by_body[body].push(UnitLoad {
                name: "gravity".to_owned(),
                modal,
                mobility: 0.0,
                held_by: None,
            });
        }
    }
}
