//! Sampling points of the stress of each kind of cell.

use carom_mesh::CellShape;

/// Sampling points of a kind of cell, and the interpolation to sites: s = Σ row · samples.
#[derive(Debug, Clone)]
pub(super) struct Scheme {
    pub(super) points: Vec<[f64; 3]>,
    /// Factors of the samples at each site; `None` if the sites are the samples.
    pub(super) rows: Option<Vec<Vec<f64>>>,
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
        let rows = nodes.iter().map(|&xi| (shape.table().stress.factors)(xi)).collect();
        Self { places: nodes.to_vec(), points: Self::gauss_of(shape), rows: Some(rows) }
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
