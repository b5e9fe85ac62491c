//! Bodies that several tests share: block meshes of every kind of cell and the quarter ring as NURBS.

use std::collections::BTreeMap;

use carom_fem::{Body, Geometry, Material};
use carom_mesh::{CellBlock, CellShape, Mesh};
use carom_nurbs::{Gluing, KnotVector, Multipatch, Patch};

pub(crate) fn steel() -> Material {
    Material::named("steel").unwrap()
}

/// The six tetrahedra of a cube around its diagonal 0–6, by corners.
const TETS: [[usize; 4]; 6] =
    [[0, 1, 2, 6], [0, 2, 3, 6], [0, 3, 7, 6], [0, 7, 4, 6], [0, 4, 5, 6], [0, 5, 1, 6]];

/// The unit cube as n³ cells (or 6 n³ tetrahedra or pyramids, 2 n³ wedges), its nodes moved by `map`. Middle
/// nodes are mapped too: curved cells.
pub(crate) fn block(shape: CellShape, n: usize, map: impl Fn([f64; 3]) -> [f64; 3]) -> Body {
    block_of(shape, [n; 3], map)
}

/// The unit cube with a number of cells for each direction.
pub(crate) fn block_of(shape: CellShape, n: [usize; 3], map: impl Fn([f64; 3]) -> [f64; 3]) -> Body {
    let parts = parts_of_cube(shape);
    let cells = cubes(n).flat_map(|base| parts.iter().map(move |part| (shape, moved(part, base)))).collect();
    lattice_body(n, cells, map)
}

/// The unit cube as 3×3×3 cubes of hexahedra; the middle column is a cube of two wedges, one of pyramids and
/// tetrahedra around its centre, and one of two wedges again. All kinds share faces.
pub(crate) fn mixed(order: usize, map: impl Fn([f64; 3]) -> [f64; 3]) -> Body {
    let kind = |linear: CellShape| {
        let mut kinds = CellShape::SOLIDS.into_iter().filter(|s| s.table().linear == linear);
        kinds.find(|shape| shape.order() == order).unwrap()
    };
    let mut cells = Vec::new();
    for base in cubes([3; 3]) {
        let mut add = |linear: CellShape, part: &[[usize; 3]]| cells.push((kind(linear), moved(part, base)));
        match [base[0] / 2, base[1] / 2, base[2] / 2] {
            [1, 1, 1] => {
                for part in parts_of_cube(CellShape::Pyramid5) {
                    // The faces to the wedges are cut along the diagonal 0-2, as the wedges are.
                    let is_cut = (1..4).all(|k| part[k][2] == part[0][2]);
                    if is_cut {
                        let at_start = |k: usize| part[k][0] == part[k][1];
                        let first = if at_start(0) { 0 } else { 1 };
                        for other in [1, 3] {
                            let (a, b, c) = (first, (first + other) % 4, (first + 2) % 4);
                            let corners = if other == 1 { [a, b, c, 4] } else { [a, c, b, 4] };
                            add(CellShape::Tet4, &corners.map(|k| part[k]));
                        }
                    } else {
                        add(CellShape::Pyramid5, &part);
                    }
                }
            }
            [1, 1, _] => {
                parts_of_cube(CellShape::Wedge6).iter().for_each(|part| add(CellShape::Wedge6, part))
            }
            _ => parts_of_cube(CellShape::Hex8).iter().for_each(|part| add(CellShape::Hex8, part)),
        }
    }
    lattice_body([3; 3], cells, map)
}

/// First corners of n₁ n₂ n₃ cubes, in half edges.
fn cubes(n: [usize; 3]) -> impl Iterator<Item = [usize; 3]> {
    (0..n[0] * n[1] * n[2]).map(move |c| [2 * (c % n[0]), 2 * (c / n[0] % n[1]), 2 * (c / (n[0] * n[1]))])
}

fn moved(part: &[[usize; 3]], base: [usize; 3]) -> Vec<[usize; 3]> {
    part.iter().map(|corner| std::array::from_fn(|d| base[d] + corner[d])).collect()
}

/// Corners of the cells of the family of `shape` that a cube of edge 2 is cut into.
fn parts_of_cube(shape: CellShape) -> Vec<Vec<[usize; 3]>> {
    let hexahedron = CellShape::Hex8;
    let corner = |k: usize| hexahedron.reference_nodes()[k].map(|t| 2 * t as usize);
    match shape.table().linear {
        CellShape::Tet4 => TETS.iter().map(|tet| tet.map(corner).to_vec()).collect(),
        CellShape::Wedge6 => {
            [[0, 1, 2, 4, 5, 6], [0, 2, 3, 4, 6, 7]].iter().map(|w| w.map(corner).to_vec()).collect()
        }
        CellShape::Pyramid5 => {
            let pyramid = |face: usize| {
                let base = hexahedron.face(face).iter().rev().map(|&k| corner(k as usize));
                base.chain([[1; 3]]).collect()
            };
            (0..6).map(pyramid).collect()
        }
        _ => vec![(0..8).map(corner).collect()],
    }
}

/// A body of cells whose corners are given in half edges of a lattice of n cubes over the unit cube.
fn lattice_body(
    n: [usize; 3],
    cells: Vec<(CellShape, Vec<[usize; 3]>)>,
    map: impl Fn([f64; 3]) -> [f64; 3],
) -> Body {
    // Nodes lie in quarters of an edge.
    let side = n.map(|n| 4 * n + 1);
    let number = |i: [usize; 3]| i[0] + side[0] * (i[1] + side[1] * i[2]);
    let mut blocks: BTreeMap<CellShape, Vec<usize>> = BTreeMap::new();
    for (shape, corners) in &cells {
        let mut values = vec![0.0; corners.len()];
        for &xi in shape.reference_nodes() {
            carom_mesh::lagrange::values_into(shape.table().linear, xi, &mut values);
            let at = |d: usize| -> f64 { corners.iter().zip(&values).map(|(c, v)| c[d] as f64 * v).sum() };
            let node = number(std::array::from_fn(|d| (2.0 * at(d)).round() as usize));
            blocks.entry(*shape).or_default().push(node);
        }
    }
    let mut new_number = BTreeMap::new();
    for &node in blocks.values().flatten() {
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
    let blocks = blocks.into_iter().map(|(shape, nodes)| CellBlock {
        shape,
        connectivity: nodes.iter().map(|node| new_number[node]).collect(),
    });
    mesh_body(Mesh { points, blocks: blocks.collect(), sets: BTreeMap::new() })
}

/// A steel body of a mesh.
pub(crate) fn mesh_body(mesh: Mesh) -> Body {
    let material_of_block = vec![0; mesh.blocks.len()];
    Body {
        name: "block".to_owned(),
        geometry: Geometry::Mesh(mesh),
        materials: vec![steel()],
        material_of_block,
        sections: Vec::new(),
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

/// Knots of degree p with `n` equal knot spans on \[0,1\].
fn uniform(p: usize, n: usize) -> Vec<f64> {
    let inner = (1..n).map(|k| k as f64 / n as f64);
    std::iter::repeat_n(0.0, p + 1).chain(inner).chain(std::iter::repeat_n(1.0, p + 1)).collect()
}

/// Raises a patch to `degrees` and divides every direction into `n` equal knot spans.
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
    let patches = vec![patch];
    let multipatch = Multipatch {
        gluing: Gluing::new(&patches, vec![(0..n_points as u32).collect()], n_points).unwrap(),
        patches,
        regions: BTreeMap::new(),
        hierarchy: None,
    };
    Body {
        name: "patch".to_owned(),
        geometry: Geometry::Nurbs(multipatch),
        materials: vec![steel()],
        material_of_block: vec![0],
        sections: Vec::new(),
    }
}

/// The quarter of a ring: radii 1 and 2, height 1; u radial, v around, w along z. Degree p, n³ knot spans.
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

/// The unit cube as one B-spline patch of degree p with n³ knot spans, its control points moved by `map`.
pub(crate) fn spline_block(p: usize, n: usize, map: impl Fn([f64; 3]) -> [f64; 3]) -> Body {
    spline_block_of([p; 3], [n; 3], map)
}

/// The unit cube as one B-spline patch with a degree and a number of knot spans for each direction.
pub(crate) fn spline_block_of(p: [usize; 3], n: [usize; 3], map: impl Fn([f64; 3]) -> [f64; 3]) -> Body {
    let lines = [0, 1, 2].map(|d| KnotVector::new(p[d], uniform(p[d], n[d])).unwrap());
    let [along_x, along_y, along_z] = lines.each_ref().map(KnotVector::greville);
    let mut points = Vec::new();
    for &z in &along_z {
        for &y in &along_y {
            for &x in &along_x {
                points.push(map([x, y, z]));
            }
        }
    }
    let weights = vec![1.0; points.len()];
    patch_body(Patch::new(lines, points, weights).unwrap())
}

/// A steel body of glued patches.
pub(crate) fn nurbs_body(multipatch: Multipatch) -> Body {
    let material_of_block = vec![0; multipatch.patches.len()];
    Body {
        name: "solid".to_owned(),
        geometry: Geometry::Nurbs(multipatch),
        materials: vec![steel()],
        material_of_block,
        sections: Vec::new(),
    }
}

/// Numbers with two digits and an exponent, for messages.
pub(crate) fn digits(numbers: &[f64]) -> String {
    numbers.iter().map(|x| format!("{x:.1e}")).collect::<Vec<_>>().join(" ")
}
