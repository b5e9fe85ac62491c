//! VTK's numbering of the points of Lagrange and Bezier cells.
//!
//! A tensor-product cell has points (i, j, k), 0 ≤ i ≤ p, 0 ≤ j ≤ q, 0 ≤ k ≤ r. Carom numbers them
//! lexicographically, i fastest; VTK goes from corners to edges, faces and the interior. This is the order of
//! VTK 9 (file version 2.2 and later; older files exchange the last two upright edges).

/// Position in VTK's list of the point (i, j) of a quadrilateral of degrees (p, q).
///
/// Corners 00, p0, pq, 0q; edges (i,0), (p,j), (i,q), (0,j), each ascending; interior i fastest.
///
/// ```
/// // The middle of the top edge of a 2 × 2 quadrilateral comes after four corners and two edges.
/// assert_eq!(carom_vtk::order::quadrilateral_index([1, 2], [2, 2]), 6);
/// ```
pub fn quadrilateral_index([i, j]: [usize; 2], [p, q]: [usize; 2]) -> usize {
    let (end_i, end_j) = (i == p, j == q);
    match (i == 0 || end_i, j == 0 || end_j) {
        (true, true) => corner(end_i, end_j),
        (false, true) => 4 + (i - 1) + if end_j { (p - 1) + (q - 1) } else { 0 },
        (true, false) => 4 + (j - 1) + if end_i { p - 1 } else { 2 * (p - 1) + (q - 1) },
        (false, false) => 4 + 2 * (p - 1) + 2 * (q - 1) + (i - 1) + (p - 1) * (j - 1),
    }
}

/// Position in VTK's list of the point (i, j, k) of a hexahedron of degrees (p, q, r).
///
/// Corners as in [`quadrilateral_index`] at k = 0, then at k = r; edges (i,0), (p,j), (i,q), (0,j) at k = 0,
/// then at k = r; upright edges at the corners 00, p0, pq, 0q; faces i = 0, i = p (j fastest, then k), j = 0,
/// j = q (i, k), k = 0, k = r (i, j); interior i, j, k.
///
/// # Source
///
/// The order in which VTK 9 reads its cells; `tests/paraview/volume.py` measures bodies of such cells with
/// VTK itself.
pub fn hexahedron_index([i, j, k]: [usize; 3], [p, q, r]: [usize; 3]) -> usize {
    let (end_i, end_j, end_k) = (i == p, j == q, k == r);
    let (n_i, n_j, n_k) = (p.saturating_sub(1), q.saturating_sub(1), r.saturating_sub(1));
    let upper = |offset: usize, is_end: bool| if is_end { offset } else { 0 };
    let edges = 8;
    let faces = edges + 4 * (n_i + n_j + n_k);
    let interior = faces + 2 * (n_j * n_k + n_i * n_k + n_i * n_j);
    match (i == 0 || end_i, j == 0 || end_j, k == 0 || end_k) {
        (true, true, true) => corner(end_i, end_j) + upper(4, end_k),
        (false, true, true) => edges + (i - 1) + upper(n_i + n_j, end_j) + upper(2 * (n_i + n_j), end_k),
        (true, false, true) => {
            edges + (j - 1) + if end_i { n_i } else { 2 * n_i + n_j } + upper(2 * (n_i + n_j), end_k)
        }
        (true, true, false) => edges + 4 * (n_i + n_j) + corner(end_i, end_j) * n_k + (k - 1),
        (true, false, false) => faces + upper(n_j * n_k, end_i) + (j - 1) + n_j * (k - 1),
        (false, true, false) => faces + 2 * n_j * n_k + upper(n_i * n_k, end_j) + (i - 1) + n_i * (k - 1),
        (false, false, true) => {
            faces + 2 * (n_j * n_k + n_i * n_k) + upper(n_i * n_j, end_k) + (i - 1) + n_i * (j - 1)
        }
        (false, false, false) => interior + (i - 1) + n_i * ((j - 1) + n_j * (k - 1)),
    }
}

/// For each place in VTK's list of a quadrilateral, the lexicographic number i + (p+1) j of its point.
pub fn quadrilateral_order(degrees: [usize; 2]) -> Vec<usize> {
    let [p, q] = degrees;
    let mut order = vec![0; (p + 1) * (q + 1)];
    for j in 0..=q {
        for i in 0..=p {
            order[quadrilateral_index([i, j], degrees)] = i + (p + 1) * j;
        }
    }
    order
}

/// For each place in VTK's list of a hexahedron, the lexicographic number i + (p+1)(j + (q+1) k) of its
/// point.
pub fn hexahedron_order(degrees: [usize; 3]) -> Vec<usize> {
    let [p, q, r] = degrees;
    let mut order = vec![0; (p + 1) * (q + 1) * (r + 1)];
    for k in 0..=r {
        for j in 0..=q {
            for i in 0..=p {
                order[hexahedron_index([i, j, k], degrees)] = i + (p + 1) * (j + (q + 1) * k);
            }
        }
    }
    order
}

/// Number 0, 1, 2, 3 of a corner of the square: around it, starting at the origin.
fn corner(end_i: bool, end_j: bool) -> usize {
    match (end_i, end_j) {
        (false, false) => 0,
        (true, false) => 1,
        (true, true) => 2,
        (false, true) => 3,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_place_has_exactly_one_point() {
        for p in 1..=5 {
            for q in 1..=5 {
                let mut seen = quadrilateral_order([p, q]);
                seen.sort_unstable();
                assert!(seen.iter().enumerate().all(|(a, &b)| a == b), "quadrilateral {p} {q}");
                for r in 1..=5 {
                    let mut seen = hexahedron_order([p, q, r]);
                    seen.sort_unstable();
                    assert!(seen.iter().enumerate().all(|(a, &b)| a == b), "hexahedron {p} {q} {r}");
                }
            }
        }
    }

    #[test]
    fn degree_two_is_the_triquadratic_hexahedron_of_vtk() {
        // VTK_TRIQUADRATIC_HEXAHEDRON: corners, 12 edges, faces x− x+ y− y+ z− z+, centre.
        let edges = [[1, 0, 0], [2, 1, 0], [1, 2, 0], [0, 1, 0], [1, 0, 2], [2, 1, 2], [1, 2, 2], [0, 1, 2]];
        let upright = [[0, 0, 1], [2, 0, 1], [2, 2, 1], [0, 2, 1]];
        let faces = [[0, 1, 1], [2, 1, 1], [1, 0, 1], [1, 2, 1], [1, 1, 0], [1, 1, 2], [1, 1, 1]];
        for (n, point) in edges.iter().chain(&upright).chain(&faces).enumerate() {
            assert_eq!(hexahedron_index(*point, [2, 2, 2]), 8 + n, "{point:?}");
        }
    }
}
