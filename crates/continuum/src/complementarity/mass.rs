//! The mass matrix of a body: consistent, lumped, or without the points of contact surfaces.
//!
//! ```text
//! M_r = D P M P D,   D = diag(1 + s(x_i)),   s a quadratic polynomial
//! aᵀ M_r b = aᵀ M b   for all a, b of 1, x, y, z
//! ```
//!
//! P drops the points of the contact surfaces: without inertia they are in static equilibrium, and no node
//! hits a wall with a momentum of its own. The ten coefficients of s keep mass, centre and inertia of the
//! body. M_r stays positive semi-definite, because it is a congruence of P M P.
//!
//! # Source
//!
//! Khenous, Laborde & Renard (2008), Eur. J. Mech. A 27, section 4: mass redistribution with the same ten
//! conditions; they change all entries by the least sum of squares, which need not leave M_r semi-definite.

use carom_fem::lumped_mass::LumpedMass;
use carom_fem::{Discretisation, QuadratureRule};
use carom_linalg::NodeMatrix;
use nalgebra::{SMatrix, SVector};

use super::matrices::node_product;
use super::{MassKind, SetupError};

/// Coefficients of s, and conditions.
const N: usize = 10;

/// Pairs (k, l) of 1, x, y, z with k ≤ l.
const PAIRS: [[usize; 2]; N] =
    [[0, 0], [0, 1], [0, 2], [0, 3], [1, 1], [1, 2], [1, 3], [2, 2], [2, 3], [3, 3]];

/// Iterations of Newton's method for s.
const ITERATIONS: usize = 30;

/// Error of the ten moments relative to the mass in units of the size of the body.
const CLOSE: f64 = 1e-12;

/// Singular values of Newton's matrix relative to the largest that count as zero.
const FLAT: f64 = 1e-10;

/// The mass matrix of a kind, from the consistent one.
///
/// * `on_contact` — true for points of contact surfaces
pub(super) fn of_kind(
    kind: MassKind,
    consistent: NodeMatrix,
    (body, discretisation): (&str, &Discretisation),
    on_contact: &[bool],
) -> Result<NodeMatrix, SetupError> {
    match kind {
        MassKind::Consistent => Ok(consistent),
        MassKind::Lumped => {
            let lumped = LumpedMass::new(discretisation, QuadratureRule::Default)
                .map_err(|source| SetupError::Assembly { body: body.to_owned(), source })?;
            let mut mass = NodeMatrix::zeros(consistent.graph);
            for (point, m) in lumped.points.iter().enumerate() {
                let diagonal = mass.graph.column(point).0;
                mass.values[diagonal] = *m;
            }
            Ok(mass)
        }
        MassKind::Redistributed => redistributed(consistent, &discretisation.points, on_contact)
            .map_err(|why| SetupError::NoRedistribution { body: body.to_owned(), why }),
    }
}

/// M_r, or the reason why there is none.
fn redistributed(
    mut mass: NodeMatrix,
    points: &[[f64; 3]],
    on_contact: &[bool],
) -> Result<NodeMatrix, &'static str> {
    if !on_contact.contains(&true) {
        return Ok(mass);
    }
    let linear = linear_functions(&mass, points);
    let wanted = moments(&mass, &linear);
    drop_points(&mut mass, on_contact);
    let quadratic: Vec<[f64; N]> = linear.iter().map(|a| PAIRS.map(|[k, l]| a[k] * a[l])).collect();
    let mut s = SVector::<f64, N>::zeros();
    let mut factors = vec![1.0; points.len()];
    for _ in 0..ITERATIONS {
        for (factor, phi) in factors.iter_mut().zip(&quadratic) {
            *factor = 1.0 + (0..N).map(|m| s[m] * phi[m]).sum::<f64>();
        }
        let weighted = weighted_products(&mass, &linear, &factors);
        let mut missing = wanted;
        let mut slope = SMatrix::<f64, N, N>::zeros();
        for (row, [k, l]) in PAIRS.into_iter().enumerate() {
            for (point, a) in linear.iter().enumerate() {
                missing[row] -= factors[point] * a[k] * weighted[l][point];
                let change = a[k] * weighted[l][point] + a[l] * weighted[k][point];
                (0..N).for_each(|m| slope[(row, m)] += quadratic[point][m] * change);
            }
        }
        if missing.amax() <= CLOSE * wanted[0] {
            if (0..).zip(&factors).any(|(point, f): (usize, _)| !on_contact[point] && *f <= 0.0) {
                return Err("as other points would get a negative mass");
            }
            scale(&mut mass, &factors);
            return Ok(mass);
        }
        // Layers of one cell have y² = const at all points, so that s is not unique: the least one.
        let svd = slope.svd(true, true);
        let smallest = FLAT * svd.singular_values.max();
        s += svd.solve(&missing, smallest).map_err(|_| "as the other points lie in a plane")?;
    }
    Err("as the other points are too few, lie in a plane, or have too little mass")
}

/// 1, x, y, z at the points, from the centre of mass and relative to the radius of gyration.
fn linear_functions(mass: &NodeMatrix, points: &[[f64; 3]]) -> Vec<[f64; 4]> {
    let (ones, mut row_sums) = (vec![1.0; points.len()], vec![0.0; points.len()]);
    node_product(mass, &ones, &mut row_sums);
    let total: f64 = row_sums.iter().sum();
    let mean = |of: &dyn Fn(&[f64; 3]) -> f64| {
        row_sums.iter().zip(points).map(|(m, x)| m * of(x)).sum::<f64>() / total
    };
    let center = [0, 1, 2].map(|d| mean(&|x| x[d]));
    let radius = mean(&|x| (0..3).map(|d| (x[d] - center[d]) * (x[d] - center[d])).sum()).sqrt();
    let of_point = |x: &[f64; 3]| {
        let [x, y, z] = [0, 1, 2].map(|d| (x[d] - center[d]) / radius);
        [1.0, x, y, z]
    };
    points.iter().map(of_point).collect()
}

/// M D a of the four linear functions a, each times D.
fn weighted_products(mass: &NodeMatrix, linear: &[[f64; 4]], factors: &[f64]) -> [Vec<f64>; 4] {
    [0, 1, 2, 3].map(|k| {
        let scaled: Vec<f64> = linear.iter().zip(factors).map(|(a, f)| f * a[k]).collect();
        let mut product = vec![0.0; scaled.len()];
        node_product(mass, &scaled, &mut product);
        product
    })
}

/// aᵀ M b of all pairs.
fn moments(mass: &NodeMatrix, linear: &[[f64; 4]]) -> SVector<f64, N> {
    let products = weighted_products(mass, linear, &vec![1.0; linear.len()]);
    let moment = |[k, l]: [usize; 2]| linear.iter().zip(&products[l]).map(|(a, p)| a[k] * p).sum::<f64>();
    SVector::from(PAIRS.map(moment))
}

fn for_entries(mass: &mut NodeMatrix, mut change: impl FnMut(usize, usize, &mut f64)) {
    let graph = mass.graph.clone();
    for column in 0..graph.n_nodes() {
        let (first, rows) = graph.column(column);
        for (&row, value) in rows.iter().zip(&mut mass.values[first..]) {
            change(row as usize, column, value);
        }
    }
}

fn drop_points(mass: &mut NodeMatrix, dropped: &[bool]) {
    for_entries(mass, |row, column, value| {
        if dropped[row] || dropped[column] {
            *value = 0.0;
        }
    });
}

fn scale(mass: &mut NodeMatrix, factors: &[f64]) {
    for_entries(mass, |row, column, value| *value *= factors[row] * factors[column]);
}
