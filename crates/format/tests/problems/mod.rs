//! Small bodies and models that the tests of this crate share.

use std::collections::BTreeMap;

use carom_fem::{Body, Face, FaceBasis, Geometry, Material, Surface};
use carom_format::CraigBamptonOptions;
use carom_mesh::{
    BeamSection, CellBlock, CellRef, CellShape, FaceRef, FaceShape, Mesh, Section, Set, ShellSection,
};
use carom_nurbs::{Gluing, KnotVector, Multipatch, Near, Patch, Region, Side};
use carom_reduce::places::{CutPair, PlacedSurface};
use carom_reduce::{
    AttachedMarker, AttachmentKind, BoundaryDof, Column, Composition, Invariants, Modes, Motion,
    NamedSurface, ReducedBody, Stiffening,
};
use faer::Mat;

pub(crate) fn steel() -> Material {
    Material { name: "steel".to_owned(), density: 7800.0, young: 210e9, poisson: 0.3 }
}

/// A unit cube as one hexahedron, with a set of each kind.
pub(crate) fn cube_mesh() -> Body {
    let corner = |i: usize| [[0.0, 1.0, 1.0, 0.0][i % 4], [0.0, 0.0, 1.0, 1.0][i % 4], (i / 4) as f64];
    let sets = BTreeMap::from([
        ("nodes at x = 0".to_owned(), Set::Nodes(vec![0, 3, 4, 7])),
        ("Deckfläche/äußen".to_owned(), Set::Faces(vec![FaceRef { block: 0, cell: 0, face: 5 }])),
        ("all".to_owned(), Set::Cells(vec![CellRef { block: 0, cell: 0 }])),
        ("none".to_owned(), Set::Nodes(vec![])),
    ]);
    let blocks = vec![CellBlock { shape: CellShape::Hex8, connectivity: (0..8).collect() }];
    Body {
        name: "cube".to_owned(),
        geometry: Geometry::Mesh(Mesh { points: (0..8).map(corner).collect(), blocks, sets }),
        materials: vec![steel()],
        material_of_block: vec![0],
        sections: Vec::new(),
    }
}

/// A quadrilateral, a triangle and a beam from their common corner.
pub(crate) fn shells_and_beams() -> Body {
    let points = vec![
        [0.0, 0.0, 0.0],
        [1.0, 0.0, 0.0],
        [1.0, 1.0, 0.25],
        [0.0, 1.0, 0.0],
        [2.0, 0.5, 0.0],
        [0.0, 0.0, 2.0],
    ];
    let blocks = vec![
        CellBlock { shape: CellShape::Quad4, connectivity: vec![0, 1, 2, 3] },
        CellBlock { shape: CellShape::Tri3, connectivity: vec![1, 4, 2] },
        CellBlock { shape: CellShape::Line2, connectivity: vec![0, 5] },
    ];
    let faces = vec![FaceRef { block: 0, cell: 0, face: 1 }, FaceRef { block: 1, cell: 0, face: 0 }];
    let sets = BTreeMap::from([("skin".to_owned(), Set::of_faces(faces))]);
    let wall = |thickness, n_layers| Some(Section::Shell(ShellSection { thickness, n_layers }));
    let beam = BeamSection::rectangle([0.1, 0.2], [0.0, 1.0, 0.0]).unwrap();
    Body {
        name: "frame".to_owned(),
        geometry: Geometry::Mesh(Mesh { points, blocks, sets }),
        materials: vec![steel()],
        material_of_block: vec![0, 0, 0],
        sections: vec![wall(0.01, 5), wall(0.02, 2), Some(Section::Beam(beam))],
    }
}

/// A wedge and a pyramid of first order that share a quadrilateral, with sets of faces of both kinds.
pub(crate) fn wedge_and_pyramid() -> Body {
    let mut points = CellShape::Wedge6.reference_nodes().to_vec();
    points.push([0.5, -1.0, 0.5]);
    let face = |block: u32, face: u8| FaceRef { block, cell: 0, face };
    let sets = BTreeMap::from([
        ("triangles".to_owned(), Set::Faces(vec![face(0, 0), face(0, 1), face(1, 4)])),
        ("quadrilaterals".to_owned(), Set::Faces(vec![face(0, 3), face(0, 4)])),
    ]);
    let blocks = vec![
        CellBlock { shape: CellShape::Wedge6, connectivity: (0..6).collect() },
        CellBlock { shape: CellShape::Pyramid5, connectivity: vec![0, 1, 4, 3, 6] },
    ];
    Body {
        name: "wedge and pyramid".to_owned(),
        geometry: Geometry::Mesh(Mesh { points, blocks, sets }),
        materials: vec![steel()],
        material_of_block: vec![0, 0],
        sections: Vec::new(),
    }
}

/// Two unit cubes side by side in x, degree 1, glued at x = 1.
pub(crate) fn two_patches() -> Body {
    let basis = || KnotVector::new(1, vec![0.0, 0.0, 1.0, 1.0]).unwrap();
    let patch = |x0: f64| Patch {
        basis: [basis(), basis(), basis()],
        points: (0..8).map(|i| [x0 + (i % 2) as f64, (i / 2 % 2) as f64, (i / 4) as f64]).collect(),
        weights: vec![1.0, 0.5, 1.0, 0.25, 1.0, 1.0, 1.0, 2.0],
    };
    let regions = BTreeMap::from([
        ("west".to_owned(), Region { sides: vec![(0, Side::West)], near: Vec::new() }),
        ("spot".to_owned(), Region { sides: vec![(1, Side::East)], near: vec![([2.0, 0.5, 0.5], 0.1)] }),
    ]);
    let patches = vec![patch(0.0), patch(1.0)];
    let ids = vec![vec![0, 1, 2, 3, 4, 5, 6, 7], vec![1, 8, 3, 9, 5, 10, 7, 11]];
    let patches =
        Multipatch { gluing: Gluing::new(&patches, ids, 12).unwrap(), patches, regions, hierarchy: None };
    Body {
        name: "beam".to_owned(),
        geometry: Geometry::Nurbs(patches),
        materials: vec![
            steel(),
            Material { name: "rubber".to_owned(), density: 1e3, young: 1e6, poisson: 0.49 },
        ],
        material_of_block: vec![0, 1],
        sections: Vec::new(),
    }
}

/// The two cubes, refined locally near a place of the second.
pub(crate) fn refined_locally() -> Body {
    let mut body = two_patches();
    let Geometry::Nurbs(patches) = &body.geometry else { unreachable!("it is made of patches") };
    body.geometry = Geometry::Nurbs(patches.refine_near(&[Near::point([2.0, 0.5, 0.5], 0.1, 2)]).unwrap());
    body
}

/// The locally refined cubes with a region that lies in two balls.
pub(crate) fn parts_of_parts() -> Body {
    let mut body = two_patches();
    let Geometry::Nurbs(patches) = &mut body.geometry else { unreachable!("it is made of patches") };
    let mut part = patches.region("spot").unwrap();
    part.near.push(([2.0, 0.4, 0.5], 0.05));
    patches.regions.insert("part".to_owned(), part);
    body
}

/// A model of three modes with one face of each kind; its numbers are arbitrary and all different.
pub(crate) fn model() -> (ReducedBody, CraigBamptonOptions) {
    let n = 3;
    let numbers = |rows: usize, columns: usize, seed: f64| {
        Mat::from_fn(rows, columns, |i, j| seed + 0.1 * i as f64 + 10.0 * j as f64 + 1.0 / 3.0)
    };
    let omega = [1.0e3, 1.0e4, 1.0e5];
    let invariants = Invariants {
        mass: 2.0,
        first_moment: [0.0, 1e-20, -0.0],
        inertia: [[1.0, 0.1, 0.2], [0.1, 2.0, 0.3], [0.2, 0.3, 3.0]],
        // The value is small enough that the mass matrix is positive definite.
        coupling_t: Mat::from_fn(3, n, |i, k| 1e-3 * numbers(3, n, 1.0)[(i, k)]),
        coupling_r0: Mat::from_fn(3, n, |i, k| 1e-3 * numbers(3, n, 2.0)[(i, k)]),
        coupling_r1: numbers(3 * n, n, 3.0).into(),
        inertia_1: numbers(3 * n, 3, 4.0),
        inertia_2: numbers(3 * n, 3 * n, 5.0).into(),
        mass_modal: Mat::identity(n, n),
        stiffness_modal: Mat::from_fn(n, n, |i, k| if i == k { omega[i] * omega[i] } else { 0.0 }),
        damping_modal: Some(numbers(n, n, 8.0)),
    };
    let surface = Surface {
        points: vec![1, 4, 5, 9],
        weights: vec![1.0, 0.5, 1.0, 1.0],
        faces: vec![
            Face { basis: FaceBasis::Lagrange(FaceShape::Tri3), points: vec![0, 1, 2], orientation: 1.0 },
            Face {
                basis: FaceBasis::Spline { degrees: [1, 1], operators: [0, 1] },
                points: vec![0, 1, 2, 3],
                orientation: -1.0,
            },
        ],
        operators: vec![vec![1.0, 0.0, 0.0, 1.0], vec![1.0, 0.5, 0.0, 0.5]],
    };
    let modes = |points: Vec<u32>| Modes {
        positions_b: points.iter().map(|&p| [f64::from(p), 0.0, -1.0]).collect(),
        values: numbers(3 * points.len(), n, 7.0),
        points,
    };
    let places = PlacedSurface {
        name: "spot".to_owned(),
        surface: surface.clone(),
        points_b: (0..4).map(|k| [f64::from(k), 0.5, -0.25]).collect(),
        zero_moment: true,
        radius: 0.01,
        spacing: 0.02,
        edge: 0.03,
        thickness: 0.04,
        young: 2e11,
        poisson: 0.25,
        places_b: vec![[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]],
        normals_b: vec![[0.0, 0.0, 1.0], [0.0, 1.0, 0.0]],
        response: numbers(6, 6, 9.0),
        values: numbers(6, n, 10.0),
        cuts: vec![CutPair {
            loads: [0, 1],
            second: [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0]],
            first: [10.0, 11.0, 12.0],
        }],
        cut_loads: vec![(1, [[0.1, 0.2, 0.3], [0.4, 0.5, 0.6], [0.7, 0.8, 0.9]])],
        foreshortening: Some(numbers(6, 3, 11.0)),
        mesh_errors: Some(vec![0.5, 0.25]),
    };
    let hub = BoundaryDof::Marker { marker: "hub".to_owned(), motion: Motion::Rotation(2) };
    let reduced = ReducedBody {
        name: "model".to_owned(),
        body_checksum: "0123".repeat(16),
        materials: vec![steel()],
        com: [0.1, 0.2, 0.3],
        invariants,
        omega: omega.to_vec(),
        n_low: 1,
        mode_errors: (0..n).map(|k| k as f64).collect(),
        frequency_errors: (0..n.min(2)).map(|k| 0.5 * k as f64).collect(),
        fixed_interface_hz: vec![150.0, 1600.0],
        n_interface_dofs: 12,
        composition: Composition {
            columns: vec![
                Column::Constraint(BoundaryDof::Point { set: "spot".to_owned(), point: 4, axis: 1 }),
                Column::Constraint(hub.clone()),
                Column::FixedMode { number: 1, hz: 1600.0 },
                Column::Interface { part: "spot".to_owned(), number: 0, hz: None },
                Column::Interface { part: "spot".to_owned(), number: 6, hz: Some(4711.5) },
                Column::Residual(hub),
                Column::FreeMode { number: 2, hz: 333.25 },
                Column::InertiaRelief { number: 5, hz: 0.1 },
            ],
            strain_shares: numbers(8, n, 3.0),
            effective_mass: numbers(3, 2, 4.0),
        },
        markers: vec![AttachedMarker {
            name: "hub".to_owned(),
            kind: AttachmentKind::Mean,
            position_b: [0.5, -0.25, 1e-3],
            translation: numbers(3, n, 5.0),
            rotation: numbers(3, n, 6.0),
        }],
        held: vec!["foot".to_owned()],
        n_dofs: 30,
        places: vec![places],
        surfaces: vec![NamedSurface {
            name: "spot".to_owned(),
            surface,
            is_interface: vec![true, true, false, true],
            sharp_edges: vec![[0, 1], [0, 3]],
        }],
        boundary: modes(vec![1, 4, 5, 9]),
        fields: Some(modes((0..10).collect()).into()),
        stress: None,
        stiffening: Some(Stiffening {
            basis: numbers(n, 2, 7.0),
            products: (0..6).map(|k| numbers(2, 2, 20.0 + f64::from(k))).collect(),
            weight: (0..3).map(|k| numbers(2, 2, 14.0 + f64::from(k))).collect(),
            markers: (0..6).map(|k| numbers(2, 2, 8.0 + f64::from(k))).collect(),
            turning: (0..3).map(|k| numbers(2, 2, 26.0 + f64::from(k))).collect(),
            boundary: Some(numbers(12, 3, 15.0)),
        }),
    };
    let options = CraigBamptonOptions {
        interfaces: vec!["spot".to_owned()],
        places: vec!["spot".to_owned(), "1,2,3:4".to_owned()],
        modes: Some(2),
        split_hz: Some(5e4),
        quadrature: "default".to_owned(),
        ..CraigBamptonOptions::default()
    };
    (reduced, options)
}

/// Equality of models, bit for bit.
pub(crate) fn assert_same_model(a: &ReducedBody, b: &ReducedBody) {
    // Debug output contains all digits that distinguish two doubles, and the sign of zero.
    assert_eq!(format!("{a:?}"), format!("{b:?}"));
}
