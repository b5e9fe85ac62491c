//! Shape functions of the cells: values and gradients at a point of the reference cell.
//!
//! Coordinates as in [`crate::cell`]; node k has value 1 at its reference node.

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
    (shape.table().values)(xi, &mut values[..shape.n_nodes()]);
}

/// Values at x of the polynomials of a line that are one at one of the points and zero at the others.
pub fn line_values(points: &[f64], x: f64) -> Vec<f64> {
    let value = |i: usize| {
        let others = points.iter().enumerate().filter(|(k, _)| *k != i);
        others.map(|(_, other)| (x - other) / (points[i] - other)).product()
    };
    (0..points.len()).map(value).collect()
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
    (shape.table().gradients)(xi, &mut gradients[..shape.n_nodes()]);
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

#[cfg(test)]
mod tests {
    use super::*;

    const POINTS: [[f64; 3]; 3] = [[0.2, 0.3, 0.1], [0.05, 0.15, 0.7], [0.25, 0.25, 0.25]];

    #[test]
    fn shape_functions_are_one_at_their_node_and_zero_at_the_others() {
        for shape in CellShape::SOLIDS {
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
    fn values_add_up_to_one_and_gradients_to_zero() {
        for shape in CellShape::SOLIDS {
            let n = shape.n_nodes();
            let (mut values, mut gradients) = (vec![0.0; n], vec![[0.0; 3]; n]);
            for &xi in POINTS.iter().chain(shape.reference_nodes()) {
                values_into(shape, xi, &mut values);
                gradients_into(shape, xi, &mut gradients);
                assert!((values.iter().sum::<f64>() - 1.0).abs() < 1e-14, "{} at {xi:?}", shape.name());
                for d in 0..3 {
                    let sum: f64 = gradients.iter().map(|g| g[d]).sum();
                    assert!(sum.abs() < 1e-14, "{} at {xi:?}: {sum:e}", shape.name());
                }
            }
        }
    }

    #[test]
    fn gradients_are_the_derivatives_of_the_values() {
        let h = 1e-5;
        for shape in CellShape::SOLIDS {
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
    fn linear_functions_have_their_gradient_at_every_node() {
        // At the apex of a pyramid the gradients of its functions depend on the direction; the gradient of a
        // linear function does not.
        for shape in CellShape::SOLIDS {
            let mut gradients = vec![[0.0; 3]; shape.n_nodes()];
            for &xi in shape.reference_nodes() {
                gradients_into(shape, xi, &mut gradients);
                let columns = jacobian_columns(&gradients, shape.reference_nodes());
                for (i, j) in (0..9).map(|k| (k / 3, k % 3)) {
                    let unit = f64::from(u8::from(i == j));
                    assert!((columns[i][j] - unit).abs() < 1e-14, "{} at {xi:?}", shape.name());
                }
            }
        }
    }

    #[test]
    fn neighbours_of_different_kinds_have_the_same_functions_on_a_common_face() {
        for shape in CellShape::SOLIDS {
            for i_face in 0..shape.n_faces() {
                let (face, nodes) = (shape.face_shape(i_face), shape.face(i_face));
                let mut of_cell = vec![0.0; shape.n_nodes()];
                let n = face.n_nodes();
                let (mut of_face, mut first, mut second) =
                    (vec![0.0; n], vec![[0.0; 2]; n], vec![[0.0; 3]; n]);
                for eta in [[0.1, 0.2], [0.3, 0.45], [0.0, 0.7]] {
                    face.shape_into(eta, &mut of_face, &mut first, &mut second);
                    let at = |k: usize| shape.reference_nodes()[nodes[k] as usize];
                    let (o, e1, e2) = (at(0), at(1), at(face.n_corners() - 1));
                    let xi = [0, 1, 2].map(|d| o[d] + eta[0] * (e1[d] - o[d]) + eta[1] * (e2[d] - o[d]));
                    values_into(shape, xi, &mut of_cell);
                    for (k, value) in of_cell.iter().enumerate() {
                        let own = nodes.iter().position(|&node| node as usize == k);
                        let expected = own.map_or(0.0, |own| of_face[own]);
                        assert!((value - expected).abs() < 1e-14, "{} face {i_face} {k}", shape.name());
                    }
                }
            }
        }
    }

    #[test]
    fn quadratic_functions_are_reproduced_by_quadratic_cells() {
        let f = |x: [f64; 3]| 1.0 + x[0] - 2.0 * x[2] + x[0] * x[1] - 3.0 * x[2] * x[2] + x[1] * x[2];
        for shape in CellShape::SOLIDS.into_iter().filter(|s| s.order() == 2) {
            let mut n = vec![0.0; shape.n_nodes()];
            for xi in POINTS {
                values_into(shape, xi, &mut n);
                let interpolated: f64 = n.iter().zip(shape.reference_nodes()).map(|(n, x)| n * f(*x)).sum();
                assert!((interpolated - f(xi)).abs() < 1e-14, "{}", shape.name());
            }
        }
    }
}
