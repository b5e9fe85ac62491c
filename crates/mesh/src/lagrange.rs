//! Shape functions of the cells: values and gradients at a point of the reference cell.
//!
//! Coordinates as in [`crate::cell`]: unit simplex and \[0,1\]³, node k has value 1 at its reference node.

use crate::CellShape;

/// Values N_k(ξ) of the shape functions.
///
/// * `xi` — point in the reference cell
/// * `values` — receives one number a node; at least `shape.n_nodes()` long
///
/// # Panics
///
/// If `values` is too short.
pub fn values_into(shape: CellShape, xi: [f64; 3], values: &mut [f64]) {
    match shape {
        CellShape::Tet4 => values[..4].copy_from_slice(&barycentric(xi)),
        CellShape::Tet10 => {
            let l = barycentric(xi);
            for k in 0..4 {
                values[k] = l[k] * (2.0 * l[k] - 1.0);
            }
            for (k, &[a, b]) in shape.edges().iter().enumerate() {
                values[4 + k] = 4.0 * l[a as usize] * l[b as usize];
            }
        }
        CellShape::Hex8 | CellShape::Hex27 => {
            let basis = xi.map(|t| line_values(shape.order(), t));
            for (k, node) in shape.reference_nodes().iter().enumerate() {
                let [i, j, l] = line_indices(node);
                values[k] = basis[0][i] * basis[1][j] * basis[2][l];
            }
        }
        CellShape::Hex20 => {
            for (k, node) in shape.reference_nodes().iter().enumerate() {
                values[k] = serendipity(node, xi).0;
            }
        }
    }
}

/// Gradients ∂N_k/∂ξ of the shape functions with respect to the reference coordinates.
///
/// * `xi` — point in the reference cell
/// * `gradients` — receives three numbers a node; at least `shape.n_nodes()` long
///
/// # Panics
///
/// If `gradients` is too short.
pub fn gradients_into(shape: CellShape, xi: [f64; 3], gradients: &mut [[f64; 3]]) {
    match shape {
        CellShape::Tet4 => gradients[..4].copy_from_slice(&GRAD_BARYCENTRIC),
        CellShape::Tet10 => {
            let l = barycentric(xi);
            for k in 0..4 {
                gradients[k] = GRAD_BARYCENTRIC[k].map(|g| (4.0 * l[k] - 1.0) * g);
            }
            for (k, &[a, b]) in shape.edges().iter().enumerate() {
                let (a, b) = (a as usize, b as usize);
                for d in 0..3 {
                    gradients[4 + k][d] =
                        4.0 * (l[a] * GRAD_BARYCENTRIC[b][d] + l[b] * GRAD_BARYCENTRIC[a][d]);
                }
            }
        }
        CellShape::Hex8 | CellShape::Hex27 => {
            let basis = xi.map(|t| line_values(shape.order(), t));
            let slope = xi.map(|t| line_slopes(shape.order(), t));
            for (k, node) in shape.reference_nodes().iter().enumerate() {
                let [i, j, l] = line_indices(node);
                gradients[k] = [
                    slope[0][i] * basis[1][j] * basis[2][l],
                    basis[0][i] * slope[1][j] * basis[2][l],
                    basis[0][i] * basis[1][j] * slope[2][l],
                ];
            }
        }
        CellShape::Hex20 => {
            for (k, node) in shape.reference_nodes().iter().enumerate() {
                gradients[k] = serendipity(node, xi).1;
            }
        }
    }
}

/// Jacobian J = ∂x/∂ξ of a cell: `columns[j]` is ∂x/∂ξ_j, from the gradients at one point and the node
/// coordinates.
pub fn jacobian_columns(gradients: &[[f64; 3]], nodes: &[[f64; 3]]) -> [[f64; 3]; 3] {
    let mut columns = [[0.0; 3]; 3];
    for (gradient, x) in gradients.iter().zip(nodes) {
        for j in 0..3 {
            for i in 0..3 {
                columns[j][i] += gradient[j] * x[i];
            }
        }
    }
    columns
}

/// Determinant of the matrix with these columns.
pub fn determinant(columns: &[[f64; 3]; 3]) -> f64 {
    let [a, b, c] = columns;
    a[0] * (b[1] * c[2] - b[2] * c[1])
        + a[1] * (b[2] * c[0] - b[0] * c[2])
        + a[2] * (b[0] * c[1] - b[1] * c[0])
}

/// Gradients of the barycentric coordinates of the unit simplex.
const GRAD_BARYCENTRIC: [[f64; 3]; 4] =
    [[-1.0, -1.0, -1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];

/// Barycentric coordinates of a point of the unit simplex.
fn barycentric(xi: [f64; 3]) -> [f64; 4] {
    [1.0 - xi[0] - xi[1] - xi[2], xi[0], xi[1], xi[2]]
}

/// Lagrange polynomials on \[0,1\] with nodes 0, 1 (and ½, numbered last).
fn line_values(order: usize, t: f64) -> [f64; 3] {
    if order == 1 {
        [1.0 - t, t, 0.0]
    } else {
        [(1.0 - t) * (1.0 - 2.0 * t), t * (2.0 * t - 1.0), 4.0 * t * (1.0 - t)]
    }
}

/// Derivatives of [`line_values`].
fn line_slopes(order: usize, t: f64) -> [f64; 3] {
    if order == 1 { [-1.0, 1.0, 0.0] } else { [4.0 * t - 3.0, 4.0 * t - 1.0, 4.0 - 8.0 * t] }
}

/// Numbers of the one-dimensional polynomials whose product belongs to a node: 0 → 0, 1 → 1, ½ → 2.
fn line_indices(node: &[f64; 3]) -> [usize; 3] {
    node.map(|t| if t == 0.5 { 2 } else { t as usize })
}

/// Value and gradient of the serendipity function of `node`, in r = 2ξ − 1 ∈ \[−1,1\]³ with node signs s = 2
/// node − 1:
///
/// ```text
/// corner:          N = ⅛ Π(1 + s_i r_i) (Σ s_i r_i − 2)
/// edge along r_m:  N = ¼ (1 − r_m²) Π_{i≠m}(1 + s_i r_i)
/// ```
fn serendipity(node: &[f64; 3], xi: [f64; 3]) -> (f64, [f64; 3]) {
    let r = xi.map(|t| 2.0 * t - 1.0);
    let s = node.map(|t| 2.0 * t - 1.0);
    let f = [1.0 + s[0] * r[0], 1.0 + s[1] * r[1], 1.0 + s[2] * r[2]];
    let mut gradient = [0.0; 3];
    let others = [[1, 2], [0, 2], [0, 1]];
    if let Some(m) = (0..3).find(|&i| node[i] == 0.5) {
        let [a, b] = others[m];
        let bubble = 1.0 - r[m] * r[m];
        gradient[m] = -0.25 * 2.0 * r[m] * f[a] * f[b];
        gradient[a] = 0.25 * bubble * s[a] * f[b];
        gradient[b] = 0.25 * bubble * f[a] * s[b];
        // ∂r/∂ξ = 2
        return (0.25 * bubble * f[a] * f[b], gradient.map(|g| 2.0 * g));
    }
    let sum = s[0] * r[0] + s[1] * r[1] + s[2] * r[2] - 2.0;
    for i in 0..3 {
        let [a, b] = others[i];
        gradient[i] = 2.0 * 0.125 * s[i] * f[a] * f[b] * (sum + f[i]);
    }
    (0.125 * f[0] * f[1] * f[2] * sum, gradient)
}

#[cfg(test)]
mod tests {
    use super::*;

    const POINTS: [[f64; 3]; 3] = [[0.2, 0.3, 0.1], [0.05, 0.15, 0.7], [0.25, 0.25, 0.25]];

    #[test]
    fn shape_functions_are_one_at_their_node_and_zero_at_the_others() {
        for shape in CellShape::ALL {
            let mut n = vec![0.0; shape.n_nodes()];
            for (a, &xi) in shape.reference_nodes().iter().enumerate() {
                values_into(shape, xi, &mut n);
                for (b, value) in n.iter().enumerate() {
                    assert_eq!(
                        *value,
                        f64::from(u8::from(a == b)),
                        "{} function {b} at node {a}",
                        shape.name()
                    );
                }
            }
        }
    }

    #[test]
    fn gradients_are_the_derivatives_of_the_values() {
        let h = 1e-5;
        for shape in CellShape::ALL {
            let n = shape.n_nodes();
            let (mut plus, mut minus, mut gradients) = (vec![0.0; n], vec![0.0; n], vec![[0.0; 3]; n]);
            for xi in POINTS {
                gradients_into(shape, xi, &mut gradients);
                for d in 0..3 {
                    let (mut a, mut b) = (xi, xi);
                    a[d] += h;
                    b[d] -= h;
                    values_into(shape, a, &mut plus);
                    values_into(shape, b, &mut minus);
                    for k in 0..n {
                        let difference = (plus[k] - minus[k]) / (2.0 * h);
                        // Central differences of at most cubic functions: error h² f'''/6 and rounding
                        // 1e-16/h.
                        assert!((difference - gradients[k][d]).abs() < 2e-9, "{} node {k}", shape.name());
                    }
                }
            }
        }
    }

    #[test]
    fn quadratic_functions_are_reproduced_by_quadratic_cells() {
        let f = |x: [f64; 3]| 1.0 + x[0] - 2.0 * x[2] + x[0] * x[1] - 3.0 * x[2] * x[2] + x[1] * x[2];
        for shape in CellShape::ALL.into_iter().filter(|s| s.order() == 2) {
            let mut n = vec![0.0; shape.n_nodes()];
            for xi in POINTS {
                values_into(shape, xi, &mut n);
                let interpolated: f64 = n.iter().zip(shape.reference_nodes()).map(|(n, x)| n * f(*x)).sum();
                assert!((interpolated - f(xi)).abs() < 1e-14, "{}", shape.name());
            }
        }
    }
}
