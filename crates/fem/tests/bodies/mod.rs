//! Bodies that several tests share: block meshes of every kind of cell and the quarter ring as NURBS.

use std::collections::BTreeMap;

use carom_fem::{Body, Geometry, Material};
use carom_mesh::{CellBlock, CellShape, Mesh};
use carom_nurbs::{KnotVector, Multipatch, Patch};

pub(crate) fn steel() -> Material {
    Material::named("steel").unwrap()
}

/// The six tetrahedra of a cube around its diagonal 0–6, by corners.
const TETS: [[usize; 4]; 6] =
    [[0, 1, 2, 6], [0, 2, 3, 6], [0, 3, 7, 6], [0, 7, 4, 6], [0, 4, 5, 6], [0, 5, 1, 6]];

/// The unit cube as n³ cells (or 6 n³ tetrahedra), its nodes moved by `map`. Middle nodes are mapped too:
/// curved cells.
pub(crate) fn block(shape: CellShape, n: usize, map: impl Fn([f64; 3]) -> [f64; 3]) -> Body {
    block_of(shape, [n; 3], map)
}

/// The same with a number of cells for each direction.
pub(crate) fn block_of(shape: CellShape, n: [usize; 3], map: impl Fn([f64; 3]) -> [f64; 3]) -> Body {
    let side = n.map(|n| 2 * n + 1);
    let number = |i: [usize; 3]| i[0] + side[0] * (i[1] + side[1] * i[2]);
    let hex: Vec<[usize; 3]> =
        CellShape::Hex27.reference_nodes().iter().map(|x| x.map(|t| (2.0 * t).round() as usize)).collect();
    let mut cells: Vec<Vec<usize>> = Vec::new();
    for c in 0..n[0] * n[1] * n[2] {
        let base = [2 * (c % n[0]), 2 * (c / n[0] % n[1]), 2 * (c / (n[0] * n[1]))];
        let lattice = |k: usize| -> [usize; 3] { std::array::from_fn(|d| base[d] + hex[k][d]) };
        if !shape.is_tetrahedron() {
            cells.push((0..shape.n_nodes()).map(|k| number(lattice(k))).collect());
            continue;
        }
        for corners in TETS {
            let middle = |e: &[u8; 2]| {
                let (a, b) = (lattice(corners[e[0] as usize]), lattice(corners[e[1] as usize]));
                number(std::array::from_fn(|d| (a[d] + b[d]) / 2))
            };
            let mut cell: Vec<usize> = corners.iter().map(|&k| number(lattice(k))).collect();
            if shape == CellShape::Tet10 {
                cell.extend(CellShape::Tet4.edges().iter().map(middle));
            }
            cells.push(cell);
        }
    }
    let mut new_number = BTreeMap::new();
    for &node in cells.iter().flatten() {
        new_number.insert(node, 0_u32);
    }
    for (k, value) in new_number.values_mut().enumerate() {
        *value = k as u32;
    }
    let place = |node: usize| -> [f64; 3] {
        let index = [node % side[0], node / side[0] % side[1], node / (side[0] * side[1])];
        std::array::from_fn(|d| index[d] as f64 / (side[d] - 1) as f64)
    };
    let points = new_number.keys().map(|&node| map(place(node))).collect();
    let connectivity = cells.iter().flatten().map(|node| new_number[node]).collect();
    let mesh = Mesh { points, blocks: vec![CellBlock { shape, connectivity }], sets: BTreeMap::new() };
    mesh_body(mesh)
}

/// A steel body of a mesh.
pub(crate) fn mesh_body(mesh: Mesh) -> Body {
    let material_of_block = vec![0; mesh.blocks.len()];
    Body {
        name: "block".to_owned(),
        geometry: Geometry::Mesh(mesh),
        materials: vec![steel()],
        material_of_block,
    }
}

/// Moves points inside the unit cube about, leaving its surface in place.
pub(crate) fn distort(x: [f64; 3], amount: f64) -> [f64; 3] {
    let bubble = 64.0 * x.iter().map(|t| t * (1.0 - t)).product::<f64>();
    let wave = |phase: f64| (7.3 * x[0] + 5.1 * x[1] + 3.7 * x[2] + phase).sin();
    [
        x[0] + amount * bubble * wave(0.3),
        x[1] + amount * bubble * wave(1.7),
        x[2] + amount * bubble * wave(4.1),
    ]
}

/// Knots of degree p with `n` equal spans on \[0,1\].
fn uniform(p: usize, n: usize) -> Vec<f64> {
    let inner = (1..n).map(|k| k as f64 / n as f64);
    std::iter::repeat_n(0.0, p + 1).chain(inner).chain(std::iter::repeat_n(1.0, p + 1)).collect()
}

/// Raises a patch to `degrees` and cuts every direction into `n` equal spans.
pub(crate) fn refined(patch: &Patch, degrees: [usize; 3], n: usize) -> Patch {
    let mut values: Vec<[f64; 4]> =
        patch.points.iter().zip(&patch.weights).map(|(p, &w)| [w * p[0], w * p[1], w * p[2], w]).collect();
    let mut basis = patch.basis.clone();
    for d in 0..3 {
        for step in 0..2 {
            let counts = basis.each_ref().map(KnotVector::n_functions);
            let (finer, operator) = if step == 0 {
                basis[d].elevate(degrees[d] - basis[d].degree()).unwrap()
            } else {
                basis[d].insert(&(1..n).map(|k| k as f64 / n as f64).collect::<Vec<_>>()).unwrap()
            };
            values = operator.apply(&values, counts, d);
            basis[d] = finer;
        }
    }
    let points = values.iter().map(|v| [v[0] / v[3], v[1] / v[3], v[2] / v[3]]).collect();
    Patch::new(basis, points, values.iter().map(|v| v[3]).collect()).unwrap()
}

/// A steel body of one patch.
pub(crate) fn patch_body(patch: Patch) -> Body {
    let n_points = patch.points.len();
    let multipatch = Multipatch {
        point_ids: vec![(0..n_points as u32).collect()],
        patches: vec![patch],
        n_points,
        regions: BTreeMap::new(),
        hierarchy: None,
    };
    Body {
        name: "patch".to_owned(),
        geometry: Geometry::Nurbs(multipatch),
        materials: vec![steel()],
        material_of_block: vec![0],
    }
}

/// The quarter of a ring: radii 1 and 2, height 1; u radial, v around, w along z. Degree p, n³ spans.
pub(crate) fn quarter_ring(p: usize, n: usize) -> Body {
    let line = |degree| KnotVector::new(degree, uniform(degree, 1)).unwrap();
    let (mut points, mut weights) = (Vec::new(), Vec::new());
    for z in [0.0, 1.0] {
        for (x, y, w) in [(1.0, 0.0, 1.0), (1.0, 1.0, std::f64::consts::FRAC_1_SQRT_2), (0.0, 1.0, 1.0)] {
            for r in [1.0, 2.0] {
                points.push([r * x, r * y, z]);
                weights.push(w);
            }
        }
    }
    let coarse = Patch::new([line(1), line(2), line(1)], points, weights).unwrap();
    patch_body(refined(&coarse, [p; 3], n))
}

/// The unit cube as one B-spline patch of degree p with n³ spans, its control points moved by `map`.
pub(crate) fn spline_block(p: usize, n: usize, map: impl Fn([f64; 3]) -> [f64; 3]) -> Body {
    let line = KnotVector::new(p, uniform(p, n)).unwrap();
    let greville = line.greville();
    let mut points = Vec::new();
    for &z in &greville {
        for &y in &greville {
            for &x in &greville {
                points.push(map([x, y, z]));
            }
        }
    }
    let weights = vec![1.0; points.len()];
    patch_body(Patch::new([line.clone(), line.clone(), line], points, weights).unwrap())
}

/// A steel body of glued patches.
pub(crate) fn nurbs_body(multipatch: Multipatch) -> Body {
    let material_of_block = vec![0; multipatch.patches.len()];
    Body {
        name: "solid".to_owned(),
        geometry: Geometry::Nurbs(multipatch),
        materials: vec![steel()],
        material_of_block,
    }
}

/// Numbers with two digits and an exponent, for messages.
pub(crate) fn digits(numbers: &[f64]) -> String {
    numbers.iter().map(|x| format!("{x:.1e}")).collect::<Vec<_>>().join(" ")
}
