//! Where the stress of each kind of cell is sampled.

use carom_mesh::CellShape;

use crate::quadrature::{Quadrature, gauss_legendre};

/// Sampling points of a kind of cell, and how values at sites follow: s = Σ row · samples.
#[derive(Debug, Clone)]
pub(super) struct Scheme {
    pub(super) points: Vec<[f64; 3]>,
    /// `None`: the samples themselves.
    pub(super) rows: Option<Vec<Vec<f64>>>,
    /// Parameters of the sites.
    pub(super) places: Vec<[f64; 3]>,
}

impl Scheme {
    pub(super) fn samples(points: Vec<[f64; 3]>) -> Self {
        Self { places: points.clone(), points, rows: None }
    }

    /// Where the stress of a Lagrange cell is most accurate.
    pub(super) fn gauss_of(shape: CellShape) -> Vec<[f64; 3]> {
        match shape {
            CellShape::Tet4 => vec![[0.25; 3]],
            CellShape::Tet10 => Quadrature::tetrahedron_4().points,
            _ => Quadrature::cube([2; 3]).points,
        }
    }

    /// Extrapolation to the nodes of a Lagrange cell.
    pub(super) fn nodes_of(shape: CellShape) -> Self {
        let points = Self::gauss_of(shape);
        let nodes = shape.reference_nodes();
        let rows: Vec<Vec<f64>> = match shape {
            CellShape::Tet4 => vec![vec![1.0]; nodes.len()],
            CellShape::Tet10 => {
                // At sample k the barycentric coordinate k is b, the others a: linear interpolation inverts
                // that.
                let a = points[0][0];
                let b = 1.0 - 3.0 * a;
                let row = |x: &[f64; 3]| {
                    [1.0 - x[0] - x[1] - x[2], x[0], x[1], x[2]].map(|l| (l - a) / (b - a)).to_vec()
                };
                nodes.iter().map(row).collect()
            }
            _ => {
                let (x, _) = gauss_legendre(2);
                let line = |t: f64| [(x[1] - t) / (x[1] - x[0]), (t - x[0]) / (x[1] - x[0])];
                let row = |node: &[f64; 3]| {
                    let [u, v, w] = node.map(line);
                    (0..8).map(|k| u[k & 1] * v[k >> 1 & 1] * w[k >> 2]).collect()
                };
                nodes.iter().map(row).collect()
            }
        };
        Self { places: nodes.to_vec(), points, rows: Some(rows) }
    }

    /// The points i/p of a span, the first direction fastest.
    pub(super) fn lattice(degrees: [usize; 3]) -> Self {
        let [p, q, r] = degrees;
        let at = |i: usize, p: usize| i as f64 / p as f64;
        let points = (0..=r)
            .flat_map(|k| (0..=q).flat_map(move |j| (0..=p).map(move |i| [at(i, p), at(j, q), at(k, r)])))
            .collect();
        Self::samples(points)
    }
}
