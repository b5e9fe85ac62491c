//! The points of a row with their weights.

use carom_fem::surface::MAX_FACE_POINTS;
use nalgebra::Vector3;

use crate::explicit::contact::row::balance;

/// Points and weights of a node or a foot point.
pub(super) struct Few {
    n: usize,
    points: [u32; MAX_FACE_POINTS],
    weights: [f64; MAX_FACE_POINTS],
}

impl Default for Few {
    fn default() -> Self {
        Self { n: 0, points: [0; MAX_FACE_POINTS], weights: [0.0; MAX_FACE_POINTS] }
    }
}

impl Few {
    pub(super) fn iter(&self) -> impl Iterator<Item = (u32, f64)> + '_ {
        self.points[..self.n].iter().copied().zip(self.weights[..self.n].iter().copied())
    }

    /// The first point; none on a shape without faces.
    pub(super) fn first(&self) -> Option<u32> {
        self.points[..self.n].first().copied()
    }

    /// Weights without a moment, see [`balance`]; those of the face's side are negative.
    pub(super) fn balance(
        &mut self,
        normal: &Vector3<f64>,
        place: &Vector3<f64>,
        at: impl Fn(u32) -> Vector3<f64>,
    ) {
        let mut places = [Vector3::zeros(); MAX_FACE_POINTS];
        for (x, &point) in places.iter_mut().zip(&self.points[..self.n]) {
            *x = at(point);
        }
        let weights = &mut self.weights[..self.n];
        weights.iter_mut().for_each(|weight| *weight = -*weight);
        balance(normal, place, &places[..self.n], weights);
        weights.iter_mut().for_each(|weight| *weight = -*weight);
    }
}

/// The points of a row.
#[derive(Default)]
pub(super) struct Around {
    pub(super) node: Few,
    pub(super) faced: Few,
}

impl Around {
    pub(super) fn add(&mut self, is_node: bool, point: u32, weight: f64) {
        let list = if is_node { &mut self.node } else { &mut self.faced };
        (list.points[list.n], list.weights[list.n]) = (point, weight);
        list.n += 1;
    }
}
