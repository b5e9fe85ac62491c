//! Sampling points of the stress of each kind of cell.

use carom_mesh::CellShape;
use carom_mesh::lagrange::line_values;
use faer::Mat;

use crate::quadrature::{Quadrature, gauss_legendre};

/// Sampling points of a kind of cell, and the interpolation to sites: s = Σ row · samples.
#[derive(Debug, Clone)]
pub(super) struct Scheme {
    pub(super) points: Vec<[f64; 3]>,
    /// Factors of the samples (columns) at each site (row); `None` if the sites are the samples.
    pub(super) rows: Option<Mat<f64>>,
    /// Parameters of the sites.
    pub(super) places: Vec<[f64; 3]>,
}

impl Scheme {
    pub(super) fn samples(points: Vec<[f64; 3]>) -> Self {
        Self { places: points.clone(), points, rows: None }
    }

    /// Points at which the stress of a Lagrange cell is most accurate.
    pub(super) fn gauss_of(shape: CellShape) -> Vec<[f64; 3]> {
        (shape.table().stress.points)()
    }

    /// Extrapolation to the nodes of a Lagrange cell.
    pub(super) fn nodes_of(shape: CellShape) -> Self {
        let nodes = shape.reference_nodes();
        let rows = matrix(nodes.iter().map(|&xi| (shape.table().stress.factors)(xi)));
        Self { places: nodes.to_vec(), points: Self::gauss_of(shape), rows: Some(rows) }
    }

    /// The points i/p of a span, the first direction fastest.
    pub(super) fn lattice(degrees: [usize; 3]) -> Self {
        Self::samples(lattice_points(degrees))
    }

    /// Extrapolation from p Gauss points a direction of a span, at which stress is most accurate, to its
    /// lattice.
    pub(super) fn fitted_lattice(degrees: [usize; 3]) -> Self {
        let places = lattice_points(degrees);
        let rows = matrix(places.iter().map(|xi| {
            let factors = |d: usize| line_values(&gauss_legendre(degrees[d]).0, xi[d]);
            products([0, 1, 2].map(factors))
        }));
        Self { rows: Some(rows), places, points: Quadrature::cube(degrees).points }
    }
}

/// The matrix of some rows of one length.
pub(super) fn matrix(rows: impl Iterator<Item = Vec<f64>>) -> Mat<f64> {
    let rows: Vec<Vec<f64>> = rows.collect();
    Mat::from_fn(rows.len(), rows.first().map_or(0, Vec::len), |i, j| rows[i][j])
}

/// Factors of the values at the lattice of a span in the polynomial through them.
pub(super) fn lattice_factors(degrees: [usize; 3], xi: [f64; 3]) -> Vec<f64> {
    let factors = |d: usize| {
        let points: Vec<f64> = (0..=degrees[d]).map(|i| i as f64 / degrees[d] as f64).collect();
        line_values(&points, xi[d])
    };
    products([0, 1, 2].map(factors))
}

/// The points i/p of a span, the first direction fastest.
pub(super) fn lattice_points([p, q, r]: [usize; 3]) -> Vec<[f64; 3]> {
    let at = |i: usize, p: usize| i as f64 / p as f64;
    (0..=r)
        .flat_map(|k| (0..=q).flat_map(move |j| (0..=p).map(move |i| [at(i, p), at(j, q), at(k, r)])))
        .collect()
}

/// Products of factors of each direction, the first one fastest.
fn products([x, y, z]: [Vec<f64>; 3]) -> Vec<f64> {
    let (x, y) = (&x, &y);
    z.iter().flat_map(|c| y.iter().flat_map(move |b| x.iter().map(move |a| a * b * c))).collect()
}
