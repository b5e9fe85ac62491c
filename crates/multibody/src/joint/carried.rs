//! How the speed ġ = G z of a row changes with the positions of the bodies while their velocities stay.
//!
//! The ends of a joint move by δx and turn by δθ. As they keep the velocities of their bodies in body axes,
//!
//! ```text
//! δġ = p_i·δx_i + s_i·δθ_i + p_j·δx_j + s_j·δθ_j + (∂ġ/∂ẋ)·δẋ + (∂ġ/∂ω)·δω_D          (inertial axes)
//! ```
//!
//! With d = x_i − x_j, w = ω_i − ω_j and axes e, h of the first and second end:
//!
//! | row | p_i = −p_j | s_i | s_j |
//! |---|---|---|---|
//! | apart | 0 | 0 | 0 |
//! | along | ω_i × e | e × (ḋ + d × ω_i) | 0 |
//! | across | 0 | e × (h × w) | h × (w × e) |
//! | length | ḋ/ℓ | 0 | 0 |
//! | angle | 0 | w × z_i | 0 |
//! | distance | (ḋ − u̇ n)/‖d‖ | 0 | 0 |
//!
//! A drive has those of its coordinate, a coupling their sum. For the angle, both axes z are parallel. The
//! second derivatives of a marker by modal coordinates are left out: Newton's method contracts with these
//! derivatives, and its solution does not depend on them.

use carom_dynamics::JointEquation;
use nalgebra::Vector3;

use super::coordinate::Coordinate;
use super::place::Place;
use super::reactions::Constraints;
use super::row::Row;
use crate::bodies::Bodies;

/// p_i, s_i, p_j, s_j.
type Gradient = [Vector3<f64>; 4];

impl Constraints {
    /// Writes ∂(G z)/∂ξ of a row in the directions of the velocities of one body.
    pub(crate) fn write_carried_rate(&self, row: usize, body: usize, bodies: &Bodies, out: &mut [f64]) {
        out.fill(0.0);
        let now = &self.now[row];
        for (number, part) in now.parts.iter().enumerate() {
            let places = &self.places[part.joint];
            let gradient = self.gradient(row, number, places);
            for end in 0..2 {
                if part.sides[end].body != Some(body) {
                    continue;
                }
                let marker = &self.joints[part.joint].ends[end].marker;
                let jacobian = [part.now.jacobian[2 * end], part.now.jacobian[2 * end + 1]];
                let by_motion = [gradient[2 * end], gradient[2 * end + 1]];
                bodies.add_carried(body, marker, &places[end], by_motion, jacobian, out);
            }
        }
    }

    fn gradient(&self, row: usize, part: usize, [first, second]: &[Place; 2]) -> Gradient {
        match self.rows[row].1 {
            Row::Kept(equation) => of_equation(equation, first, second),
            Row::Driven(_, coordinate) => of_coordinate(coordinate, first, second),
            Row::Coupled { coupling, .. } => {
                let term = &self.couplings[coupling].terms[part];
                of_coordinate(term.coordinate, first, second).map(|g| term.factor * g)
            }
        }
    }
}

fn of_equation(equation: JointEquation, first: &Place, second: &Place) -> Gradient {
    let zero = Vector3::zeros();
    match equation {
        JointEquation::Apart(_) => [zero; 4],
        JointEquation::Along(axis) => along(axis, first, second),
        JointEquation::Across(of_first, of_second) => {
            let e: Vector3<f64> = first.triad.column(of_first).into();
            let h: Vector3<f64> = second.triad.column(of_second).into();
            let w = first.omega - second.omega;
            [zero, e.cross(&h.cross(&w)), zero, h.cross(&w.cross(&e))]
        }
        JointEquation::Length(length) => {
            let rate = (first.velocity - second.velocity) / length;
            [rate, zero, -rate, zero]
        }
    }
}

fn of_coordinate(coordinate: Coordinate, first: &Place, second: &Place) -> Gradient {
    let zero = Vector3::zeros();
    match coordinate {
        Coordinate::Angle => {
            let z: Vector3<f64> = first.triad.column(2).into();
            [zero, (first.omega - second.omega).cross(&z), zero, zero]
        }
        Coordinate::Shift { .. } => along(2, first, second).map(|g| -g),
        Coordinate::Length => {
            let (d, rate) = (first.position - second.position, first.velocity - second.velocity);
            let length = d.norm().max(f64::MIN_POSITIVE);
            let normal = d / length;
            let turning = (rate - rate.dot(&normal) * normal) / length;
            [turning, zero, -turning, zero]
        }
    }
}

/// e·d with the axis e of the first end.
fn along(axis: usize, first: &Place, second: &Place) -> Gradient {
    let d = first.position - second.position;
    let rate = first.velocity - second.velocity;
    let e: Vector3<f64> = first.triad.column(axis).into();
    let p = first.omega.cross(&e);
    [p, e.cross(&(rate + d.cross(&first.omega))), -p, Vector3::zeros()]
}
