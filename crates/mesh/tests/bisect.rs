//! Local refinement of tetrahedra keeps geometry, sets and quality, and leaves no hanging nodes.

use std::path::PathBuf;

use carom_mesh::bisect::{NearCells, NearTarget, bisect_near};
use carom_mesh::make::{HexOptions, Solid, hexahedra};
use carom_mesh::refine::RefineError;
use carom_mesh::{Mesh, Set, msh, quality};

/// A ball of linear and of quadratic tetrahedra, with sets of cells, a curve and a point.
fn balls() -> Vec<Mesh> {
    let files = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/files"));
    ["ball_tet4_v41.msh", "ball_tet10_v41.msh"]
        .map(|name| {
            let mut mesh = msh::read(&files.join(name)).unwrap().0;
            mesh.sets.insert("skin".to_owned(), Set::of_faces(mesh.boundary_faces()));
            let top = mesh.boundary_faces().into_iter().filter(|face| mesh.middle_of_face(*face)[2] > 0.5);
            let top = Set::of_faces(top.collect());
            mesh.sets.insert("top".to_owned(), top);
            mesh
        })
        .into()
}

fn near(at: NearTarget, radius: f64, levels: usize) -> NearCells {
    NearCells { at, radius, levels }
}

/// A point of the surface near a corner node.
fn a_place(mesh: &Mesh) -> [f64; 3] {
    let nodes = mesh.nodes_of_set("skin").unwrap();
    let highest =
        nodes.iter().max_by(|&&a, &&b| mesh.points[a as usize][2].total_cmp(&mesh.points[b as usize][2]));
    mesh.points[*highest.unwrap() as usize]
}

/// Longest edges of the cells within some distance of a point.
fn longest_edge(mesh: &Mesh, at: [f64; 3], radius: f64) -> f64 {
    let distance = |a: [f64; 3], b: [f64; 3]| (0..3).map(|d| (a[d] - b[d]).powi(2)).sum::<f64>().sqrt();
    let mut longest = 0.0_f64;
    for (_, shape, nodes) in mesh.cells() {
        let x = |k: u8| mesh.points[nodes[k as usize] as usize];
        if (0..4).any(|k| distance(x(k), at) <= radius) {
            for &[a, b] in shape.table().edges {
                longest = longest.max(distance(x(a), x(b)));
            }
        }
    }
    longest
}

/// Sum of n dA over straight triangles: exact for the corners of a set of faces.
fn vector_area(mesh: &Mesh, set: &str) -> [f64; 3] {
    let mut sum = [0.0; 3];
    for &face in mesh.faces_of_set(set).unwrap() {
        let x: Vec<[f64; 3]> = mesh.face(face).1.take(3).map(|node| mesh.points[node as usize]).collect();
        let [a, b] = [1, 2].map(|k: usize| [0, 1, 2].map(|d| x[k][d] - x[0][d]));
        for d in 0..3 {
            let (e, f) = ((d + 1) % 3, (d + 2) % 3);
            sum[d] += 0.5 * (a[e] * b[f] - a[f] * b[e]);
        }
    }
    sum
}

#[test]
fn a_bisected_mesh_is_conforming_and_has_the_same_volume() {
    for mesh in balls() {
        let name = mesh.blocks[0].shape.name();
        let (at, before) = (a_place(&mesh), quality::assess(&mesh));
        for levels in 1..=4 {
            let fine = bisect_near(&mesh, &[near(NearTarget::Point(at), 0.05, levels)]).unwrap();
            assert_eq!(fine.points[..mesh.points.len()], mesh.points, "old nodes keep their numbers");
            let after = quality::assess(&fine);
            assert!(after.is_watertight() && after.parts == 1, "{name} {levels}: {after:?}");
            assert_eq!((after.unused_nodes, after.folded.len(), after.crowded_edges), (0, 0, 0), "{name}");
            assert!((fine.volume() / mesh.volume() - 1.0).abs() < 1e-12, "{name} {levels}");
            let (worst, was) = (after.min_scaled_jacobian, before.min_scaled_jacobian);
            assert!(worst > 0.2 * was, "{name} {levels}: {worst} of {was}");
            // Half the longest edge with each level.
            let longest = longest_edge(&fine, at, 0.05);
            let most = longest_edge(&mesh, at, 0.6) / f64::from(1 << levels);
            assert!(longest <= 1.02 * most, "{name} {levels}: {longest} {most}");
        }
    }
}

#[test]
fn the_shapes_of_repeated_cuts_are_bounded() {
    let mesh = balls().remove(0);
    let at = a_place(&mesh);
    let worst = |levels| {
        let fine = bisect_near(&mesh, &[near(NearTarget::Point(at), 0.0, levels)]).unwrap();
        quality::assess(&fine).min_scaled_jacobian
    };
    // The number of similar shapes is bounded: later levels repeat those of earlier ones.
    assert!((worst(8) / worst(4) - 1.0).abs() < 1e-6, "{} {}", worst(4), worst(8));
}

#[test]
fn cells_far_from_the_place_stay_as_they_are() {
    let mesh = balls().remove(1);
    let fine = bisect_near(&mesh, &[near(NearTarget::Point(a_place(&mesh)), 0.0, 2)]).unwrap();
    let at = a_place(&mesh);
    let low = |mesh: &Mesh| {
        let mut cells: Vec<Vec<u32>> = mesh
            .cells()
            .filter(|(cell, ..)| {
                let x = mesh.middle_of_cell(*cell);
                (0..3).map(|d| (x[d] - at[d]).powi(2)).sum::<f64>() > 1.0
            })
            .map(|(_, _, nodes)| {
                let mut nodes = nodes.to_vec();
                nodes.sort_unstable();
                nodes
            })
            .collect();
        cells.sort();
        cells
    };
    assert!(!low(&mesh).is_empty());
    assert_eq!(low(&mesh), low(&fine));
    assert!(fine.n_cells() < 5 * mesh.n_cells(), "{} {}", mesh.n_cells(), fine.n_cells());
}

#[test]
fn sets_are_inherited_and_refined_at_their_nodes() {
    for mesh in balls() {
        let name = mesh.blocks[0].shape.name();
        let nodes = mesh.nodes_of_set("top").unwrap();
        let fine = bisect_near(&mesh, &[near(NearTarget::Nodes(nodes), 0.0, 1)]).unwrap();
        assert_eq!(fine.sets["ball"].len(), fine.n_cells());
        assert_eq!(*fine.set("skin").unwrap(), Set::of_faces(fine.boundary_faces()), "{name}");
        let (top, was) = (fine.faces_of_set("top").unwrap(), mesh.faces_of_set("top").unwrap());
        assert!(top.len() >= 4 * was.len(), "{name}: {} of {}", top.len(), was.len());
        if name == "tet4" {
            let (sum, was) = (vector_area(&fine, "top"), vector_area(&mesh, "top"));
            assert!((0..3).all(|d| (sum[d] - was[d]).abs() < 1e-13), "{sum:?} {was:?}");
        }
        // New nodes of the rim, a circle in a plane, lie in it; quadratic cells keep its curve.
        let is_new = |node: &&u32| **node as usize >= mesh.points.len();
        let Set::Nodes(rim) = &fine.sets["rim"] else { panic!("nodes") };
        let Set::Nodes(old) = &mesh.sets["rim"] else { panic!("nodes") };
        assert!(old.iter().all(|node| rim.binary_search(node).is_ok()));
        assert!(rim.iter().any(|node| is_new(&node)), "{name}");
        for &node in rim.iter().filter(is_new) {
            assert!(fine.points[node as usize][0].abs() < 1e-6, "{name}: {:?}", fine.points[node as usize]);
            let radius = fine.points[node as usize].iter().map(|x| x * x).sum::<f64>().sqrt();
            let least = if name == "tet4" { 0.9 } else { 0.998 };
            assert!(radius > least && radius < 1.001, "{name} {radius}");
        }
        assert_eq!(fine.sets["tip"], mesh.sets["tip"]);
    }
}

#[test]
fn two_runs_give_the_same_mesh() {
    let mesh = balls().remove(1);
    let places = [near(NearTarget::Point(a_place(&mesh)), 0.1, 2)];
    assert!(bisect_near(&mesh, &places).unwrap() == bisect_near(&mesh, &places).unwrap());
}

#[test]
fn other_cells_and_impossible_numbers_are_refused() {
    let hexes = hexahedra(Solid::Box { size: [1.0; 3] }, &HexOptions::default()).unwrap();
    let error = bisect_near(&hexes, &[near(NearTarget::Point([0.0; 3]), 0.0, 1)]).unwrap_err();
    assert!(matches!(error, RefineError::NotTetrahedra { .. }));
    assert!(error.to_string().contains("only tetrahedra are bisected"), "{error}");
    let ball = balls().remove(0);
    for (radius, levels) in [(-1.0, 1), (f64::NAN, 1), (0.0, 21)] {
        let error = bisect_near(&ball, &[near(NearTarget::Point([0.0; 3]), radius, levels)]).unwrap_err();
        assert!(matches!(error, RefineError::Near { .. }), "{error}");
    }
}
