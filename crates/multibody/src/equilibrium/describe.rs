//! Motions of a system in words: the body that moves most, and how.

use nalgebra::{DVector, Vector3};

use crate::system::System;

/// The body with the largest part in a motion ξ, and its translation, rotation or mode.
pub(crate) fn describe(system: &System, motion: &DVector<f64>) -> String {
    let states = system.states();
    let mut largest = (0.0, String::new());
    for (i, (part, body)) in states.parts().iter().zip(system.bodies()).enumerate() {
        let own = &motion.as_slice()[part.velocities.clone()];
        let (rigid, modal) = own.split_at(if body.fixed { 0 } else { 6 });
        if let [v @ .., _, _, _] = rigid {
            let v = Vector3::from_column_slice(v);
            let omega = states.pose(i).rotation * Vector3::from_column_slice(&rigid[3..]);
            let turning = omega.norm() * states.gyration_radius(i);
            let name = &body.name;
            if v.norm() > largest.0 {
                largest = (v.norm(), format!("body `{name}` moves along {}", direction(&v)));
            }
            if turning > largest.0 {
                largest = (turning, format!("body `{name}` turns about {}", direction(&omega)));
            }
        }
        for (k, (q, amplitude)) in modal.iter().zip(&body.amplitudes).enumerate() {
            let displacement = (q * amplitude).abs();
            if displacement > largest.0 {
                largest = (displacement, format!("body `{}` deforms in its mode {}", body.name, k + 1));
            }
        }
    }
    largest.1
}

fn direction(vector: &Vector3<f64>) -> String {
    let unit = vector.normalize();
    // The larger part points along a positive axis.
    let unit = if unit[unit.iamax()] < 0.0 { -unit } else { unit };
    // No −0.00.
    let rounded = unit.map(|x| if x.abs() < 0.005 { 0.0 } else { x });
    format!("[{:.2}, {:.2}, {:.2}]", rounded.x, rounded.y, rounded.z)
}
