//! Markers of reduced bodies: points that joints and loads act on, with their motion in each mode.

use std::sync::Arc;

use carom_dynamics::{InterfacePoint, Marker, MarkerPoints, SecondOrder};
use carom_reduce::{ReducedBody, StaticModes, Stiffening};
use faer::Mat;
use nalgebra::{Matrix3, Vector3};

use crate::body::Body;

/// The marker of an attachment of a reduced body, by its name, over all modes of the body.
pub fn attached_marker(reduced: &ReducedBody, name: &str) -> Option<Marker> {
    let number = reduced.markers.iter().position(|marker| marker.name == name)?;
    let marker = &reduced.markers[number];
    let columns = |values: &Mat<f64>| {
        (0..values.ncols()).map(|k| [0, 1, 2].map(|a| values[(a, k)])).collect::<Vec<_>>()
    };
    Some(Marker {
        position_b: marker.position_b,
        displacement: columns(&marker.translation),
        rotation: columns(&marker.rotation),
        points: MarkerPoints::Attachment(number),
        second_order: None,
    })
}

/// A marker fixed to the mean of the listed points of the boundary of a reduced body, over all modes of the
/// body: displacement and rotation are those of the rigid motion that fits the points best (RBE3).
///
/// None if none of the points is a boundary point.
pub fn mean_marker(reduced: &ReducedBody, points: &[u32]) -> Option<Marker> {
    let boundary = &reduced.boundary;
    let rows: Vec<usize> =
        points.iter().filter_map(|point| boundary.points.binary_search(point).ok()).collect();
    if rows.is_empty() {
        return None;
    }
    let count = rows.len() as f64;
    let at = |row: &usize| Vector3::from(boundary.positions_b[*row]);
    let mean = rows.iter().map(at).sum::<Vector3<f64>>() / count;
    let mut spread = Matrix3::zeros();
    for row in &rows {
        let d = at(row) - mean;
        spread += d.norm_squared() * Matrix3::identity() - d * d.transpose();
    }
    // Points on a line or a single one leave a rotation undetermined: it is set to zero.
    let inverse = spread.pseudo_inverse(1e-12 * spread.norm()).unwrap_or_else(|_| Matrix3::zeros());
    let part = |&row: &usize| {
        // d × u as a matrix times u.
        let turn = inverse * (at(&row) - mean).cross_matrix();
        let forces = std::array::from_fn(|load| match load {
            0..3 => std::array::from_fn(|a| if a == load { 1.0 / count } else { 0.0 }),
            _ => std::array::from_fn(|a| turn[(load - 3, a)]),
        });
        InterfacePoint { row, forces }
    };
    let points = MarkerPoints::Interface(rows.iter().map(part).collect());
    let mut marker = Marker { position_b: mean.into(), points, ..Marker::default() };
    for k in 0..boundary.values.ncols() {
        let value = |row: usize| Vector3::from_fn(|a, _| boundary.values[(3 * row + a, k)]);
        let displacement = rows.iter().map(|&row| value(row)).sum::<Vector3<f64>>() / count;
        let moment: Vector3<f64> = rows.iter().map(|row| (at(row) - mean).cross(&value(*row))).sum();
        marker.displacement.push(displacement.into());
        marker.rotation.push((inverse * moment).into());
    }
    Some(marker)
}

impl Body {
    /// [`mean_marker`] over the modes of this body that move.
    pub fn marker(&self, points: &[u32]) -> Option<Marker> {
        mean_marker(self.reduced.as_ref()?, points).map(|marker| self.moving(marker))
    }

    /// [`attached_marker`] over the modes of this body that move.
    pub fn attached_marker(&self, name: &str) -> Option<Marker> {
        attached_marker(self.reduced.as_ref()?, name).map(|marker| self.moving(marker))
    }

    /// A marker at a point of the body frame that moves with the frame alone.
    pub fn frame_marker(&self, position_b: Vector3<f64>) -> Marker {
        self.moving(Marker { position_b: position_b.into(), ..Marker::default() })
    }

    /// A marker over all modes of the file of the body (zero where it has none) as one over the modes of this
    /// body that move.
    pub fn own_marker(&self, marker: &Marker) -> Marker {
        let Some(modes) = &self.static_modes else { return self.moving(marker.clone()) };
        let n = self.reduced.as_ref().map_or(0, |reduced| reduced.omega.len());
        let over_moving = |values: &[[f64; 3]]| {
            let rows = Mat::from_fn(3, n, |a, k| values.get(k).map_or(0.0, |value| value[a]));
            let rows = modes.rows(rows.as_ref());
            (0..self.frame.n).map(|k| [0, 1, 2].map(|a| rows[(a, k)])).collect()
        };
        self.moving(Marker {
            displacement: over_moving(&marker.displacement),
            rotation: over_moving(&marker.rotation),
            ..marker.clone()
        })
    }

    /// The modes that move, of a marker over all modes of this body; with its terms of second order where the
    /// model has them.
    fn moving(&self, mut marker: Marker) -> Marker {
        let n = self.frame.n;
        marker.displacement.resize(n, [0.0; 3]);
        marker.rotation.resize(n, [0.0; 3]);
        let stiffening = self.reduced.as_ref().and_then(|reduced| reduced.stiffening.as_ref());
        marker.second_order =
            stiffening.and_then(|stiffening| second_order(stiffening, &marker.points, n)).map(Arc::new);
        marker
    }

    /// The change of the basis of modes, if loads have static modes of their own.
    pub fn static_modes(&self) -> Option<&StaticModes> {
        self.static_modes.as_deref()
    }
}

/// K of unit forces and moments on a marker over the first n modes; none where the model does not keep it.
fn second_order(stiffening: &Stiffening, points: &MarkerPoints, n: usize) -> Option<SecondOrder> {
    let of_load = |load: usize| match points {
        MarkerPoints::Other => None,
        MarkerPoints::Attachment(number) => Some(stiffening.of_marker(*number, load, n)),
        MarkerPoints::Interface(points) => {
            stiffening.of_boundary(points.iter().map(|point| (point.row, point.forces[load])), n)
        }
    };
    let all = (0..6).map(of_load).collect::<Option<Vec<_>>>()?;
    Some(SecondOrder::new(n, all.iter().flat_map(flat).collect()))
}

/// The entries of a matrix, column by column.
fn flat(matrix: &Mat<f64>) -> Vec<f64> {
    (0..matrix.ncols()).flat_map(|j| (0..matrix.nrows()).map(move |i| (i, j))).map(|at| matrix[at]).collect()
}
