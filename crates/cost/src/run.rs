//! Cost of a run: how often each piece of its work is done, and how long one takes.

use crate::machine::{Machine, Work};

/// A number that may be known only up to a range.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Span {
    /// Least value that is to be expected.
    pub low: f64,
    /// Most probable value.
    pub expected: f64,
    /// Largest value that is to be expected.
    pub high: f64,
}

impl Span {
    /// A number that is known.
    pub const fn exact(value: f64) -> Self {
        Self { low: value, expected: value, high: value }
    }

    /// A number that is known up to a factor.
    pub fn within(value: f64, factor: f64) -> Self {
        Self { low: value / factor, expected: value, high: value * factor }
    }

    /// The sum of two numbers.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self {
            low: self.low + other.low,
            expected: self.expected + other.expected,
            high: self.high + other.high,
        }
    }

    /// A multiple.
    #[must_use]
    pub fn times(self, factor: f64) -> Self {
        Self { low: self.low * factor, expected: self.expected * factor, high: self.high * factor }
    }
}

/// A piece of work of a run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Piece {
    /// Its name.
    pub name: &'static str,
    /// How often it is done.
    pub count: Span,
    /// The work of doing it once.
    pub each: Work,
}

/// A run.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Run {
    /// Its work.
    pub pieces: Vec<Piece>,
    /// Memory, in addition to that of the program \[bytes\].
    pub bytes: u64,
    /// Why numbers of steps are known as ranges only, a sentence; empty where they are known.
    pub unknown: String,
}

impl Run {
    /// Adds work.
    pub fn push(&mut self, name: &'static str, count: Span, each: Work) {
        self.pieces.push(Piece { name, count, each });
    }

    /// Seconds on a machine by the numbers of steps alone.
    pub fn seconds(&self, machine: &Machine) -> Span {
        let one = |piece: &Piece| piece.count.times(machine.seconds(piece.each));
        self.pieces.iter().map(one).fold(Span::exact(0.0), Span::plus)
    }
}

// Seconds on the reference machine.

/// An evaluation of the equations of motion: a body, a mode, a pair of modes, a joint.
const BODY: f64 = 1.3e-6;
const MODE: f64 = 0.12e-6;
const MODES: f64 = 3.0e-9;
const JOINT: f64 = 2.5e-6;
/// Contact on a half-space grid in an evaluation, and a place of a body.
const GRID: f64 = 60e-6;
const GRID_PLACE: f64 = 1.4e-6;
/// Contact on pressure cells in an evaluation: a pair of interface dofs of the zones while it is closed, in
/// addition one whose entry of the compliance does not fit into the cache, a face while it is open.
const INTERFACE: f64 = 0.3e-9;
const INTERFACE_SWEPT: f64 = 0.7e-9;
const FACE_IN_FLIGHT: f64 = 0.15e-6;
/// Numbers in the cache of a core: 1 MB.
const CACHED: f64 = 131_072.0;
/// A step of rigid bodies: a body, a joint, a closed contact of shapes, one with friction, and one of faces.
const RIGID_BODY: f64 = 0.15e-6;
const RIGID_JOINT: f64 = 2e-6;
const RIGID_CONTACT: f64 = 12e-6;
const RIGID_FRICTION: f64 = 30e-6;
const RIGID_SEARCH: f64 = 60e-6;
/// An explicit step: a quadrature point and function of a cell, a point of the body.
const POINT_FUNCTION: f64 = 18e-9;
const POINT: f64 = 100e-9;
/// An iteration of an implicit step: a pair of functions of a cell and quadrature point.
const TANGENT: f64 = 40e-9;
/// A frame, and the rows in it of a body (its state and its balance), of a joint and of a contact; a value of
/// an unreduced body.
const FRAME: f64 = 10e-6;
const FRAME_BODY: f64 = 3e-6;
const FRAME_JOINT: f64 = 1e-6;
const FRAME_CONTACT: f64 = 2e-6;
const VALUE: f64 = 60e-9;

/// Work of one evaluation of the equations of motion of reduced and rigid bodies without contact.
///
/// * `modes` — number of dynamic modes of each body
pub fn evaluation(modes: &[f64], n_joints: usize) -> Work {
    let of_body = |m: &f64| Work::scalars(BODY + MODE * m) + Work::products(MODES * m * m);
    modes.iter().map(of_body).sum::<Work>() + Work::scalars(JOINT * n_joints as f64)
}

/// Work of one evaluation of a closed contact on a half-space grid.
///
/// * `places` — of both bodies
/// * `of_rigid` — seconds of a pair of rigid bodies on the reference machine, where they are known: the
///   search for places on exact faces takes most of them
pub fn grid_contact(places: [f64; 2], of_rigid: Option<f64>) -> Work {
    Work::scalars(of_rigid.unwrap_or(GRID) + GRID_PLACE * places.iter().sum::<f64>())
}

/// Work of one evaluation of an open contact on pressure cells of a mesh.
///
/// * `faces` — of the smaller zone
pub fn open_cell_contact(faces: f64) -> Work {
    Work::scalars(FACE_IN_FLIGHT * faces)
}

/// Work of one evaluation of a closed contact on pressure cells of a mesh: products with the compliance of
/// both zones.
///
/// * `interface` — dofs of the zone of each body, 0 of a rigid one
pub fn closed_cell_contact(interface: [f64; 2]) -> Work {
    let entries: f64 = interface.iter().map(|dofs| dofs * dofs).sum();
    Work::scalars(INTERFACE * entries) + Work::sweeps(INTERFACE_SWEPT * (entries - CACHED).max(0.0))
}

/// Work of one step of rigid bodies without contact.
pub fn rigid_step(bodies: f64, joints: f64) -> Work {
    Work::scalars(RIGID_BODY * bodies + RIGID_JOINT * joints)
}

/// Work of a closed contact in a step of rigid bodies.
pub fn rigid_contact(has_friction: bool) -> Work {
    Work::scalars(if has_friction { RIGID_FRICTION } else { RIGID_CONTACT })
}

/// Work of the search for the closest point of exact faces in a step of rigid bodies.
///
/// * `points` — points or balls of the other surface
pub fn rigid_search(points: f64) -> Work {
    Work::scalars(RIGID_SEARCH * points)
}

/// Work of one explicit step of unreduced bodies.
///
/// * `point_functions` — sum over the cells of quadrature points times functions
pub fn explicit_step(point_functions: f64, points: f64) -> Work {
    Work::scalars(POINT_FUNCTION * point_functions + POINT * points)
}

/// Work of the tangent of unreduced bodies in an iteration of an implicit step, without its factor.
///
/// * `pairs` — sum over the cells of quadrature points times squared numbers of functions
pub fn tangent(pairs: f64) -> Work {
    Work::scalars(TANGENT * pairs)
}

/// Work of a frame of a result: its rows are gathered and written.
///
/// * `rows` — number of bodies, joints and contacts
/// * `values` — displacements and velocities of unreduced bodies
pub fn frame([bodies, joints, contacts]: [f64; 3], values: f64) -> Work {
    let rows = FRAME_BODY * bodies + FRAME_JOINT * joints + FRAME_CONTACT * contacts;
    Work::scalars(FRAME + rows + VALUE * values)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_add_up_bound_by_bound() {
        let sum = Span::exact(2.0).plus(Span::within(4.0, 2.0)).times(3.0);
        assert_eq!(sum, Span { low: 12.0, expected: 18.0, high: 30.0 });
        let mut run = Run::default();
        run.push("steps", Span::within(10.0, 2.0), Work::scalars(0.5));
        run.push("frames", Span::exact(4.0), Work::scalars(0.25));
        let seconds = run.seconds(&Machine::REFERENCE);
        assert_eq!(seconds, Span { low: 3.5, expected: 6.0, high: 11.0 });
    }
}
