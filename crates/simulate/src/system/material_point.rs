//! Markers of reduced bodies at points of their surface without an attachment.
//!
//! The motion of the point is that of the modes, by the shape functions of the face it lies on; its rotation
//! ψ is that of the face, with tangents t_α, their duals g^α in its plane, its normal n, and the derivatives
//! u,_α of the displacement:
//!
//! ```text
//! ψ = n × δn + ½ n (n · Σ g^α × u,_α),   δn = −Σ (n · u,_α) g^α
//! ```
//!
//! which is ½ curl u where no stress acts on the surface, and ω for u = ω × x. The local
//! deformation by a force at such a point is in no mode of the model: the point is stiffer than that of the
//! body, by its local compliance.

use std::collections::BTreeMap;

use carom_contact::geometry::Faces;
use carom_dynamics::Marker;
use carom_fem::{Body as Geometry, Discretisation, Surface};
use carom_multibody::Body;
use carom_reduce::field_modes::FieldModes;
use carom_reduce::{Modes, ReducedBody};
use nalgebra::Vector3;

use super::body_of_model::{BodyOfModelError, body_of_model};
use super::error::AssembleError;
use crate::prepared::PreparedBody;

/// Distance from the surface, over the size of the body, up to which a point counts as lying on it.
const NEAR: f64 = 1e-3;

/// The marker at a point of source coordinates, over all modes of the model.
///
/// # Errors
///
/// [`AssembleError::PointOfReduced`] where the model does not know how the point moves, with `part`, the name
/// of the marker.
pub(crate) fn marker(
    point: [f64; 3],
    part: &str,
    ready: &PreparedBody,
    rom: &ReducedBody,
    body: &Body,
) -> Result<Marker, AssembleError> {
    let refuse =
        |why: String| AssembleError::PointOfReduced { body: body.name.clone(), part: part.to_owned(), why };
    let geometry = body_of_model(ready).map_err(|error| match error {
        BodyOfModelError::Read(error) => error.into(),
        other => refuse(other.to_string()),
    })?;
    let spot = Spot::nearest(&geometry, &Vector3::from(point))
        .ok_or_else(|| refuse("the body has no surface".to_owned()))?;
    let (distance, near) = (spot.distance, NEAR * spot.size);
    if distance > near {
        // Rounded to micrometres, without a sign of zero.
        let [x, y, z] = <[f64; 3]>::from(spot.position).map(|x| (1e6 * x).round() / 1e6 + 0.0);
        let why = format!(
            "it lies {distance:.3e} m from the surface of the body, and the model contains the motion of \
             the surface alone; the nearest point of the surface is [{x:.6}, {y:.6}, {z:.6}]"
        );
        return Err(refuse(why));
    }
    let lacking =
        || refuse("the model keeps no mode values there (it was reduced without fields)".to_owned());
    let rows = spot.rows(rom).ok_or_else(lacking)?;
    let mut marker = Marker { position_b: (spot.position - body.frame_origin).into(), ..Marker::default() };
    // A point of an interface needs no other modes.
    let fields = rom.fields.as_ref().filter(|_| rows.values().any(|(on_boundary, _)| !on_boundary));
    let fields = fields.map(FieldModes::modes).transpose()?;
    for mode in 0..rom.omega.len() {
        let (displacement, rotation) = spot.motion([Some(&rom.boundary), fields], &rows, mode);
        marker.displacement.push(displacement.into());
        marker.rotation.push(rotation.into());
    }
    Ok(marker)
}

/// A point of the surface of a body.
struct Spot {
    surface: Surface,
    face: usize,
    xi: [f64; 2],
    /// Source coordinates \[m\].
    position: Vector3<f64>,
    tangents: [Vector3<f64>; 2],
    /// Distance from the given point \[m\].
    distance: f64,
    /// Largest distance of a point of the surface from its first one \[m\].
    size: f64,
}

/// The row of a point among the mode values: true for the boundary points, false for the fields; its number.
type Row = (bool, usize);

impl Spot {
    /// None if the body has no surface that can be evaluated.
    fn nearest(geometry: &Geometry, x: &Vector3<f64>) -> Option<Self> {
        let discretisation = Discretisation::new(geometry).ok()?;
        let surface = discretisation.surface(&geometry.boundary_faces());
        let at = |&k: &u32| Vector3::from(discretisation.points[k as usize]);
        let positions: Vec<Vector3<f64>> = surface.points.iter().map(at).collect();
        let faces = Faces::new(surface.clone(), &positions).ok()?;
        let mut now = faces.state_at(&positions);
        let foot = faces.closest(&mut now, x)?;
        let first = positions.first()?;
        let size = positions.iter().map(|point| (point - first).norm()).fold(0.0, f64::max);
        Some(Self {
            surface,
            face: foot.face as usize,
            xi: foot.xi,
            position: foot.position,
            tangents: foot.tangents,
            distance: (foot.position - x).norm(),
            size,
        })
    }

    /// Rows of the points of the face; none if the model lacks one of them.
    fn rows(&self, rom: &ReducedBody) -> Option<BTreeMap<u32, Row>> {
        let points = self.surface.faces[self.face].points.iter();
        let row = |&local: &u32| {
            let point = self.surface.points[local as usize];
            let on_boundary = rom.boundary.points.binary_search(&point).ok().map(|row| (true, row));
            let in_fields =
                || rom.fields.as_ref()?.points().binary_search(&point).ok().map(|row| (false, row));
            Some((local, on_boundary.or_else(in_fields)?))
        };
        points.map(row).collect()
    }

    /// Displacement and rotation in a mode.
    ///
    /// * `[boundary, fields]` — mode values at the boundary points, and at the others if one is needed
    fn motion(
        &self,
        [boundary, fields]: [Option<&Modes>; 2],
        rows: &BTreeMap<u32, Row>,
        mode: usize,
    ) -> (Vector3<f64>, Vector3<f64>) {
        let mut field = vec![[0.0; 3]; self.surface.points.len()];
        for (&local, &(on_boundary, row)) in rows {
            let Some(modes) = (if on_boundary { boundary } else { fields }) else { continue };
            field[local as usize] = [0, 1, 2].map(|axis| modes.values[(3 * row + axis, mode)]);
        }
        let (u, u_a) = self.surface.tangents(self.face, self.xi, &field);
        (Vector3::from(u), rotation(&self.tangents, &u_a.map(Vector3::from)))
    }
}

/// ψ of a face from its tangents and the derivatives of the displacement.
fn rotation(tangents: &[Vector3<f64>; 2], derivatives: &[Vector3<f64>; 2]) -> Vector3<f64> {
    let [t1, t2] = tangents;
    let area = t1.cross(t2);
    let square = area.norm_squared();
    let n = area / square.sqrt();
    let duals = [t2.cross(&area) / square, area.cross(t1) / square];
    let mut tilt = Vector3::zeros();
    let mut spin = Vector3::zeros();
    for (dual, derivative) in duals.iter().zip(derivatives) {
        tilt -= n.dot(derivative) * dual;
        spin += dual.cross(derivative);
    }
    n.cross(&tilt) + 0.5 * n.dot(&spin) * n
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rotation_of_a_rigid_motion_is_recovered() {
        let tangents = [Vector3::new(0.3, -0.1, 0.2), Vector3::new(0.1, 0.4, -0.5)];
        let omega = Vector3::new(0.7, -1.1, 0.4);
        let derivatives = tangents.map(|t| omega.cross(&t));
        assert!((rotation(&tangents, &derivatives) - omega).norm() < 1e-15);
        // In-plane stretching and a translation along the tangents cause no rotation.
        let stretch = tangents.map(|t| 0.3 * t);
        assert!(rotation(&tangents, &stretch).norm() < 1e-16);
    }
}
