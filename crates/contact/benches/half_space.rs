//! Microseconds of a contact on a half-space grid: laying the grid, an evaluation on it, the short cut.
//!
//! ```text
//! cargo bench -p carom-contact --bench half_space
//! ```
//!
//! A ball of 15 mm on a plate at an overlap of 6 µm: cells of a quarter of the contact radius, of which some
//! 50 are loaded. The plate is a half-space, or has some 50 places under the contact whose response is that
//! of a half-space; the ball is a sphere, or has the faces of a mesh of hexahedra. The overlap changes by a
//! hundredth from evaluation to evaluation, as from stage to stage of a step.

use std::hint::black_box;

use carom_contact::geometry::Sphere;
use carom_contact::half_space::pair::Below;
use carom_contact::half_space::{
    FixedGrid, GridAnchor, GridBody, GridPlan, HalfSpace, Kernel, Loads, PlacedBody, Position, ShortCut,
    SmallContact, SurfaceMeans,
};
use carom_contact::patch::PatchPlane;
use carom_contact::{Law, Shape};
use carom_fem::{Discretisation, Geometry, Material};
use carom_mesh::CellShape;
use carom_mesh::make::{HexOptions, Solid, hexahedra};
use criterion::{Criterion, criterion_group, criterion_main};
use faer::Mat;
use nalgebra::{Matrix3, Vector3};

const RADIUS: f64 = 0.015;
const DEPTH: f64 = 6e-6;
const STEEL: HalfSpace = HalfSpace { shear: 210e9 / 2.6, poisson: 0.3 };

fn plan() -> GridPlan {
    let side = (DEPTH * RADIUS).sqrt() / 4.0;
    GridPlan {
        plane: PatchPlane { center: 0.25 * side * Vector3::new(1.0, 1.0, 0.0), axes: Matrix3::identity() },
        side,
        stretch: 1.0,
        curvature: [1.0 / RADIUS, 0.0, 1.0 / RADIUS],
        outline: [1.0 / RADIUS, 0.0, 1.0 / RADIUS],
        height: 0.6 * DEPTH,
        middle: [0, 0],
        partner: (Matrix3::identity(), RADIUS * Vector3::z()),
        hollow: 0.0,
        way: 0.0,
    }
}

/// Places 1 mm apart whose response is that of a half-space to their loads.
fn placed() -> PlacedBody {
    let loads = Loads { kernel: Kernel::Quadratic, radius: 1e-3, spacing: 1e-3 };
    let cells = (-4i32..=4).flat_map(|j| (-4i32..=4).map(move |i| [f64::from(i), f64::from(j)]));
    let positions: Vec<_> = cells
        .map(|[i, j]| 1e-3 * Vector3::new(i + 0.5 * (j % 2.0), 0.75f64.sqrt() * j, 0.0))
        .filter(|x| x.norm() < 4e-3)
        .collect();
    let n = positions.len();
    let block = |j: usize, k: usize| {
        let apart: Vector3<f64> = positions[j] - positions[k];
        let d = apart.norm();
        let e = if d > 0.0 { apart / d } else { Vector3::x() };
        let table = loads.kernel.table().at(d / loads.radius);
        let [half, turned] = [table.inverse, table.second].map(|mean| 0.5 * mean / loads.radius);
        let double = [e.x * e.x - e.y * e.y, 2.0 * e.x * e.y];
        let second = [half + turned * double[0], turned * double[1], half - turned * double[0]];
        let first = [e.x, e.y].map(|e| e * table.first / loads.radius);
        // Rows of the response: x, y, and the outward normal z, against the inward one of the block.
        let block = STEEL.block(&SurfaceMeans { second, first });
        let order = [(1, 1.0), (2, 1.0), (0, -1.0)];
        Matrix3::from_fn(|a, b| order[a].1 * order[b].1 * block[(order[a].0, order[b].0)])
    };
    let response = Mat::from_fn(3 * n, 3 * n, |i, k| block(i / 3, k / 3)[(i % 3, k % 3)]);
    PlacedBody::new(loads, STEEL, positions.clone(), vec![Vector3::z(); n], response).expect("sizes fit")
}

/// The faces of a ball of quadratic hexahedra.
fn faces() -> Shape {
    let shape = CellShape::from_name("hex20").expect("a known name");
    let options = HexOptions { shape, elements: vec![4, 2], ..HexOptions::default() };
    let mesh = hexahedra(Solid::Ball { radius: RADIUS }, &options).expect("a solid");
    let body = carom_fem::Body {
        name: "body".to_owned(),
        material_of_block: vec![0; mesh.blocks.len()],
        geometry: Geometry::Mesh(mesh),
        materials: vec![Material::named("steel").expect("a known name")],
        sections: Vec::new(),
    };
    let discretisation = Discretisation::new(&body).expect("a mesh");
    let surface = discretisation.surface(&body.boundary_faces());
    let points: Vec<_> =
        surface.points.iter().map(|&k| Vector3::from(discretisation.points[k as usize])).collect();
    Shape::faces(surface, &points).expect("faces of a mesh")
}

fn grids(c: &mut Criterion) {
    let plane = Shape::plane(Vector3::zeros(), Vector3::z()).expect("a normal");
    let sphere = Shape::Sphere(Sphere { center: Vector3::zeros(), radius: RADIUS });
    let placed = placed();
    let ball = faces();
    let half_space =
        |shape| GridBody { shape, below: Below::HalfSpace(STEEL), values: None, foreshortening: None };
    let on_places =
        |shape| GridBody { shape, below: Below::Placed(&placed), values: None, foreshortening: None };
    let cases = [
        ("half-space, sphere", [half_space(&plane), half_space(&sphere)]),
        ("places, sphere", [on_places(&plane), half_space(&sphere)]),
        ("places, faces", [on_places(&plane), half_space(&ball)]),
    ];
    let anchor =
        GridAnchor { is_set: true, origin: (RADIUS - DEPTH) * Vector3::z(), ..GridAnchor::default() };
    for ((name, bodies), friction) in cases.into_iter().flat_map(|case| [(case, 0.0), (case, 0.3)]) {
        let name = if friction > 0.0 { format!("{name}, friction") } else { name.to_owned() };
        let lay = || FixedGrid::new(plan(), bodies, Law::Hard, friction).expect("a grid");
        c.bench_function(&format!("laying: {name}"), |b| b.iter(|| black_box(lay())));
        let mut grid = lay();
        // Where the apex of a mesh lies is known to the error of its faces.
        let mut depth = 0.0;
        let mut sign = 1.0;
        let mut evaluate = |grid: &mut FixedGrid| {
            depth += sign * 0.01 * DEPTH;
            if !(0.0..0.2 * DEPTH).contains(&depth) {
                sign = -sign;
            }
            let origin = (RADIUS - DEPTH + depth) * Vector3::z();
            let origin = origin + 0.2 * DEPTH * friction * Vector3::x();
            let position = Position { rotation: Matrix3::identity(), origin, modal: [&[], &[]] };
            grid.evaluate(bodies[1].shape, black_box(&position), &anchor).expect("a solution");
        };
        evaluate(&mut grid);
        println!("{name}: {} cells, {} of them loaded", grid.grid.len(), grid.sums.n_loaded);
        c.bench_function(&format!("evaluation: {name}"), |b| b.iter(|| evaluate(&mut grid)));
    }
}

fn short_cut(c: &mut Criterion) {
    let loads = Loads { kernel: Kernel::ZeroMoment, radius: 4e-3, spacing: 4e-3 };
    let response = 1.4 / (STEEL.contact_modulus() * loads.radius);
    let body = SmallContact { loads, half_space: STEEL, curvature: 1.0 / RADIUS, response };
    let contact = ShortCut { bodies: vec![body; 2], relative_curvature: 2.0 / RADIUS };
    c.bench_function("short cut", |b| {
        b.iter(|| contact.at_approach(black_box(DEPTH)).expect("a small contact"));
    });
}

criterion_group!(benches, grids, short_cut);
criterion_main!(benches);
