//! MFEM's element form of two boxes that share a face in every way: each control point is written at the
//! place that MFEM's numbering gives it in the first element; the reader must also find it from the second
//! one.

use crate::boxes;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use carom_nurbs::{Multipatch, Patch, read};

/// Corners of a hexahedron: the ends of the three directions.
const CORNERS: [[usize; 3]; 8] =
    [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [0, 0, 1], [1, 0, 1], [1, 1, 1], [0, 1, 1]];
/// Local faces; the first axis of a face leads to its second corner, the second axis to its fourth.
const FACES: [[usize; 4]; 6] =
    [[3, 2, 1, 0], [0, 1, 5, 4], [1, 2, 6, 5], [2, 3, 7, 6], [3, 0, 4, 7], [4, 5, 6, 7]];

/// Control point (i, j, k) counted from the corner `from` along the axes that lead to the corners `to`, in
/// that order.
fn point_from(patch: &Patch, from: usize, to: &[usize], steps: &[usize]) -> usize {
    let counts = patch.counts();
    let mut ijk = [0, 1, 2].map(|d| CORNERS[from][d] * (counts[d] - 1));
    for (&corner, &step) in to.iter().zip(steps) {
        let d = (0..3).find(|&d| CORNERS[corner][d] != CORNERS[from][d]).unwrap();
        ijk[d] = if CORNERS[from][d] == 0 { step } else { counts[d] - 1 - step };
    }
    patch.index(ijk)
}

fn axis(a: usize, b: usize) -> usize {
    (0..3).find(|&d| CORNERS[a][d] != CORNERS[b][d]).unwrap()
}

/// The text of the element form.
///
/// * `vertex` — number of the vertex that appears as the n-th
fn element_form(body: &Multipatch, vertex: impl Fn(usize) -> usize) -> String {
    // Corner ids in the order of their first appearance, and the vertices of each element.
    let corner_id =
        |p: usize, corner: usize| body.point_ids()[p][point_from(&body.patches[p], corner, &[], &[])];
    let mut seen: Vec<u32> = Vec::new();
    for p in 0..body.patches.len() {
        (0..8).map(|corner| corner_id(p, corner)).for_each(|id| {
            if !seen.contains(&id) {
                seen.push(id)
            }
        });
    }
    let vertex_of =
        |p: usize, corner: usize| vertex(seen.iter().position(|&id| id == corner_id(p, corner)).unwrap());
    let mut points: Vec<([f64; 3], f64)> = vec![([0.0; 3], 0.0); seen.len()];
    let (mut edges, mut knots) = (String::new(), String::new());
    let (mut known_edges, mut known_faces) = (BTreeSet::new(), BTreeSet::new());
    for (p, patch) in body.patches.iter().enumerate() {
        for corner in 0..8 {
            let at = point_from(patch, corner, &[], &[]);
            points[vertex_of(p, corner)] = (patch.points[at], patch.weights[at]);
        }
        for d in 0..3 {
            let basis = &patch.basis[d];
            let list: String = basis.knots().iter().map(|u| format!(" {u:?}")).collect();
            writeln!(knots, "{} {}{list}", basis.degree(), basis.n_functions()).unwrap();
        }
        for a in 0..8 {
            for b in (a + 1..8).filter(|&b| (0..3).filter(|&d| CORNERS[a][d] != CORNERS[b][d]).count() == 1) {
                let (d, ends) = (axis(a, b), [vertex_of(p, a), vertex_of(p, b)]);
                if known_edges.insert([ends[0].min(ends[1]), ends[0].max(ends[1])]) {
                    // The knot vector of this patch in this direction.
                    let ends = if CORNERS[a][d] == 0 { ends } else { [ends[1], ends[0]] };
                    writeln!(edges, "{} {} {}", 3 * p + d, ends[0], ends[1]).unwrap();
                    let [low, high] = if vertex_of(p, a) < vertex_of(p, b) { [a, b] } else { [b, a] };
                    for i in 1..patch.counts()[d] - 1 {
                        let at = point_from(patch, low, &[high], &[i]);
                        points.push((patch.points[at], patch.weights[at]));
                    }
                }
            }
        }
    }
    for (p, patch) in body.patches.iter().enumerate() {
        for face in FACES {
            let mut key = face.map(|corner| vertex_of(p, corner));
            key.sort_unstable();
            if known_faces.insert(key) {
                let [n, m] = [axis(face[0], face[1]), axis(face[0], face[3])].map(|d| patch.counts()[d]);
                for (j, i) in (1..m - 1).flat_map(|j| (1..n - 1).map(move |i| (j, i))) {
                    let at = point_from(patch, face[0], &[face[1], face[3]], &[i, j]);
                    points.push((patch.points[at], patch.weights[at]));
                }
            }
        }
    }
    for patch in &body.patches {
        let [n, m, l] = patch.counts();
        for (k, j, i) in
            (1..l - 1).flat_map(|k| (1..m - 1).flat_map(move |j| (1..n - 1).map(move |i| (k, j, i))))
        {
            let at = patch.index([i, j, k]);
            points.push((patch.points[at], patch.weights[at]));
        }
    }
    let mut text = format!("MFEM NURBS mesh v1.0\n\ndimension\n3\n\nelements\n{}\n", body.patches.len());
    for p in 0..body.patches.len() {
        let corners: String = (0..8).map(|corner| format!(" {}", vertex_of(p, corner))).collect();
        writeln!(text, "1 5{corners}").unwrap();
    }
    write!(text, "\nboundary\n0\n\nedges\n{}\n{edges}\n", known_edges.len()).unwrap();
    write!(text, "vertices\n{}\n\nknotvectors\n{}\n{knots}\n", seen.len(), 3 * body.patches.len()).unwrap();
    text += "weights\n";
    points.iter().for_each(|(_, weight)| writeln!(text, "{weight:?}").unwrap());
    text += "\nFiniteElementSpace\nFiniteElementCollection: NURBS2\nVDim: 3\nOrdering: 1\n";
    points.iter().for_each(|([x, y, z], _)| writeln!(text, "{x:?} {y:?} {z:?}").unwrap());
    text
}

#[test]
fn points_of_a_shared_face_are_found_in_all_orientations() {
    let mut orientations = BTreeMap::new();
    for (patches, _) in boxes::pairs() {
        let mut patches = patches.to_vec();
        // The patches are rational without symmetry; shared points have one weight.
        for patch in &mut patches {
            for (point, weight) in patch.points.iter().zip(&mut patch.weights) {
                let [x, y, z] = *point;
                *weight = 1.0 + 0.1 * x * (2.0 - x) + 0.2 * y + 0.05 * z * y;
            }
        }
        let body = Multipatch::glue(patches).unwrap();
        let n_vertices = 12;
        let orders: [&dyn Fn(usize) -> usize; 3] =
            [&|n| n, &|n| n_vertices - 1 - n, &|n| (5 * n + 3) % n_vertices];
        for order in orders {
            let again = read::bytes(element_form(&body, order).as_bytes()).unwrap();
            assert!(again.point_ids() == body.point_ids());
            for (found, patch) in again.patches.iter().zip(&body.patches) {
                assert!(found.points == patch.points && found.weights == patch.weights);
                // Knots of a shared edge come from the first element and are equal to the reversed ones
                // within rounding.
                assert!((0..3).all(|d| found.basis[d].matches(&patch.basis[d], 1e-15)));
            }
        }
        let interface = body.interfaces()[0];
        *orientations.entry(format!("{interface:?}")).or_insert(0) += 1;
    }
    assert!(orientations.len() >= 24, "{}", orientations.len());
}
