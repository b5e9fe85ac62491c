//! Markers of reduced bodies at points without an attachment.
//!
//! The motion of a point inside is that of the modes by the shape functions of its cell, and its rotation is
//! ½ curl u. The motion of a point of the surface is that of the modes, by the shape functions of the face it
//! lies on; its rotation ψ is that of the face, with tangents t_α, their duals g^α in its plane, its normal
//! n, and the derivatives u,_α of the displacement:
//!
//! ```text
//! ψ = n × δn + ½ n (n · Σ g^α × u,_α),   δn = −Σ (n · u,_α) g^α
//! ```
//!
//! which is ½ curl u where no stress acts on the surface, and ω for u = ω × x. The local
//! deformation by a force at such a point is in no mode of the model: the point is stiffer than that of the
//! body, by its local compliance. Loads act on the surface alone.

use std::collections::BTreeMap;

use carom_contact::geometry::Faces;
use carom_dynamics::{InterfacePoint, Marker, MarkerPoints};
use carom_fem::{Body as Geometry, CellEvaluator, Discretisation, MaterialPoint, Surface, material_point};
use carom_multibody::Body;
use carom_reduce::field_modes::FieldModes;
use carom_reduce::{Modes, ReducedBody};
use nalgebra::{Matrix3, Vector3};

use super::body_of_model::{BodyOfModelError, body_of_model};
use super::error::AssembleError;
use crate::prepared::PreparedBody;

/// Distance from the surface, over the size of the body, up to which a point counts as lying on it.
const NEAR: f64 = 1e-3;

/// The part of a body in which a point may lie.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Within {
    /// Its surface.
    Surface,
    /// The whole body.
    Body,
}

/// Where a point lies that is not on the surface of a body.
#[derive(Debug, Clone)]
pub(super) struct Off {
    /// The nearest point of the surface, source coordinates \[m\].
    nearest: [f64; 3],
    /// Its distance \[m\].
    distance: f64,
    /// The point in the cell that contains it; none outside of the body.
    pub(super) inside: Option<MaterialPoint>,
}

impl Off {
    /// Where a point lies; none on the surface, and of a body without one.
    pub(super) fn of(geometry: &Geometry, discretisation: &Discretisation, point: [f64; 3]) -> Option<Self> {
        Self::of_spot(Spot::nearest(geometry, &Vector3::from(point))?, geometry, discretisation, point)
    }

    fn of_spot(
        spot: Spot,
        geometry: &Geometry,
        discretisation: &Discretisation,
        point: [f64; 3],
    ) -> Option<Self> {
        if spot.distance <= NEAR * spot.size {
            return None;
        }
        let found = material_point(geometry, discretisation, point);
        let inside = found.filter(|found| found.distance <= NEAR * spot.size);
        Some(Self { nearest: spot.position.into(), distance: spot.distance, inside })
    }

    /// Why a model does not know the motion there, with a way out, after "and".
    ///
    /// * `within` — where the point may lie
    pub(super) fn why(&self, within: Within) -> String {
        // Rounded to micrometres, without a sign of zero.
        let [x, y, z] = self.nearest.map(|x| (1e6 * x).round() / 1e6 + 0.0);
        let nearest = format!("the nearest point of the surface is [{x:.6}, {y:.6}, {z:.6}]");
        let from = format!("it lies {:.3e} m from the surface of the body", self.distance);
        match (within, &self.inside) {
            (Within::Surface, _) => {
                format!("{from}, and the model contains the motion of the surface alone; {nearest}")
            }
            (Within::Body, None) => format!("{from}, outside of it; {nearest}"),
            (Within::Body, Some(_)) => format!(
                "{from}, inside of it, where the model keeps no motion; {nearest}; write `fields = \"full\"` \
                 in the table `reduce` of the body, or reduce it with `carom-reduce ... --fields full`"
            ),
        }
    }
}

/// The row of a point among the mode values of a model; none if the model lacks it.
pub(super) fn row_of(rom: &ReducedBody, point: u32) -> Option<Row> {
    let on_boundary = rom.boundary.points.binary_search(&point).ok().map(|row| (true, row));
    let in_fields = || rom.fields.as_ref()?.points().binary_search(&point).ok().map(|row| (false, row));
    on_boundary.or_else(in_fields)
}

/// The marker at a point of source coordinates, over all modes of the model.
///
/// * `within` — where the point may lie
///
/// # Errors
///
/// [`AssembleError::PointOfReduced`] where the model does not know how the point moves, with `part`, the name
/// of the marker.
pub(crate) fn marker(
    (point, within): ([f64; 3], Within),
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
    if spot.distance > NEAR * spot.size {
        let discretisation = Discretisation::new(&geometry).map_err(|source| refuse(format!("{source}")))?;
        let off = Off::of_spot(spot, &geometry, &discretisation, point).expect("it is off the surface");
        let inside = off.inside.as_ref().filter(|_| within == Within::Body);
        let made = inside.map(|inside| marker_inside(&discretisation, inside, rom, body)).transpose()?;
        return made.flatten().ok_or_else(|| refuse(off.why(within)));
    }
    let lacking =
        || refuse("the model keeps no mode values there (it was reduced without fields)".to_owned());
    let rows = spot.rows(rom).ok_or_else(lacking)?;
    let position_b = (spot.position - body.frame_origin).into();
    let mut marker = Marker { position_b, points: spot.marker_points(&rows), ..Marker::default() };
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

/// The marker at a point inside of a body; none if the model lacks a point of its cell.
fn marker_inside(
    discretisation: &Discretisation,
    inside: &MaterialPoint,
    rom: &ReducedBody,
    body: &Body,
) -> Result<Option<Marker>, AssembleError> {
    let mut evaluator = CellEvaluator::new(discretisation);
    evaluator.enter(inside.cell);
    let point = evaluator.at(inside.xi);
    evaluator.physical_gradients(&point);
    let mut slopes: BTreeMap<u32, [f64; 4]> = BTreeMap::new();
    for (function, point, factor) in evaluator.terms() {
        let to = slopes.entry(point).or_default();
        (0..3).for_each(|d| to[d] += factor * evaluator.physical()[d][function]);
        to[3] += factor * evaluator.values()[function];
    }
    let rows: Option<Vec<(Row, [f64; 4])>> =
        slopes.into_iter().map(|(point, slopes)| Some((row_of(rom, point)?, slopes))).collect();
    let Some(rows) = rows else { return Ok(None) };
    let fields = rom.fields.as_ref().filter(|_| rows.iter().any(|((on_boundary, _), _)| !on_boundary));
    let fields = fields.map(FieldModes::modes).transpose()?;
    let place = Vector3::from(inside.position) - body.frame_origin;
    let mut marker = Marker { position_b: place.into(), ..Marker::default() };
    for mode in 0..rom.omega.len() {
        let (mut displacement, mut h) = (Vector3::zeros(), Matrix3::zeros());
        for &((on_boundary, row), [x, y, z, value]) in &rows {
            let Some(modes) = (if on_boundary { Some(&rom.boundary) } else { fields }) else { continue };
            let u = Vector3::from_fn(|axis, _| modes.values[(3 * row + axis, mode)]);
            displacement += value * u;
            h += u * Vector3::new(x, y, z).transpose();
        }
        let curl = Vector3::new(h[(2, 1)] - h[(1, 2)], h[(0, 2)] - h[(2, 0)], h[(1, 0)] - h[(0, 1)]);
        marker.displacement.push(displacement.into());
        marker.rotation.push((0.5 * curl).into());
    }
    Ok(Some(marker))
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
pub(super) type Row = (bool, usize);

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
            Some((local, row_of(rom, point)?))
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
        self.motion_in(&field)
    }

    /// Displacement and rotation in a displacement of all points of the surface.
    fn motion_in(&self, field: &[[f64; 3]]) -> (Vector3<f64>, Vector3<f64>) {
        let (u, u_a) = self.surface.tangents(self.face, self.xi, field);
        (Vector3::from(u), rotation(&self.tangents, &u_a.map(Vector3::from)))
    }

    /// The points of the face as those of a marker, if all of them belong to the interface.
    fn marker_points(&self, rows: &BTreeMap<u32, Row>) -> MarkerPoints {
        if rows.values().any(|(on_boundary, _)| !on_boundary) {
            return MarkerPoints::Other;
        }
        let mut field = vec![[0.0; 3]; self.surface.points.len()];
        let mut part = |(&local, &(_, row)): (&u32, &Row)| {
            let mut forces = [[0.0; 3]; 6];
            for axis in 0..3 {
                field[local as usize][axis] = 1.0;
                let (u, turn) = self.motion_in(&field);
                (0..3).for_each(|a| (forces[a][axis], forces[3 + a][axis]) = (u[a], turn[a]));
                field[local as usize][axis] = 0.0;
            }
            InterfacePoint { row, forces }
        };
        MarkerPoints::Interface(rows.iter().map(&mut part).collect())
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
