//! Edges of all kinds of bodies that cross edges: quadratic cells, splines, reduced bodies, shapes, and the
//! edges of one body.

use carom_contact::{Block, Law, Shape};
use carom_continuum::explicit::{AutomaticSpec, BodySpec, ContactSpec, Pressure, Problem, SideSpec, Support};
use carom_dynamics::{Placement, rotation};
use carom_fem::{Body, Geometry, Material};
use carom_mesh::CellShape;
use carom_rigid::CrowdSpec;
use nalgebra::Vector3;

use crate::automatic::members;
use crate::bodies;
use crate::edges::{LENGTH, RUBBER, SIDE, assert_books, automatic, bars, end};
use crate::mixed::reduced;
use crate::setup::{Kept, deformable, pair, run, settings};

/// Both bars of [`bars`] with other cells.
fn bars_of(make: impl Fn(&str, [f64; 3], [usize; 3]) -> Body) -> Vec<BodySpec> {
    let placements: Vec<Placement> =
        bars([0.0, 0.0, -1.0], [false; 2]).iter().map(|body| body.placement).collect();
    let upper = make("upper", [SIDE, LENGTH, SIDE], [1, 5, 1]);
    let lower = make("lower", [LENGTH, SIDE, SIDE], [5, 1, 1]);
    [upper, lower].into_iter().zip(placements).map(|(b, p)| deformable(b, "neo-hookean", p)).collect()
}

fn rubber(name: &str, body: Body) -> Body {
    let [density, young, poisson] = RUBBER;
    let materials = vec![Material::new("rubber", density, young, poisson).unwrap()];
    Body { name: name.to_owned(), materials, ..body }
}

/// The bars fly apart, and no edge came nearer than a twentieth of a cell.
fn assert_apart(name: &str, kept: &Kept) {
    let ([upper, lower], deepest) = end(kept);
    assert!(upper > lower && lower < -0.3, "{name}: {upper} {lower}");
    assert!(deepest < 0.05 * SIDE, "{name}: {deepest}");
}

/// Each edge of a quadratic cell is two chords, each knot span of degree p has p.
#[test]
fn bars_of_quadratic_cells_and_of_splines_do_not_pass_through_each_other() {
    for shape in [CellShape::Tet10, CellShape::Hex20, CellShape::Hex27, CellShape::Wedge15] {
        let make = |name: &str, size: [f64; 3], n: [usize; 3]| {
            let scaled = |x: [f64; 3]| [0, 1, 2].map(|d| size[d] * x[d]);
            rubber(name, bodies::block_of(shape, n, scaled))
        };
        let (_, kept) = run(&automatic(bars_of(make), 0.0), settings(6e-3, None));
        assert_apart(shape.name(), &kept);
        assert_books(shape.name(), &kept);
    }
    for p in [1, 2, 3] {
        let make = |name: &str, size: [f64; 3], n: [usize; 3]| {
            let scaled = |x: [f64; 3]| [0, 1, 2].map(|d| size[d] * x[d]);
            rubber(name, bodies::spline_block_of([p; 3], n, scaled))
        };
        let (_, kept) = run(&automatic(bars_of(make), 0.2), settings(9e-3, None));
        assert_apart(&format!("degree {p}"), &kept);
        assert_books(&format!("degree {p}"), &kept);
    }
}

/// A spline of degree 1 has the edges of linear cells; its nodes are elsewhere, and touch nothing here.
#[test]
fn edges_of_a_spline_of_degree_one_move_like_those_of_hexahedra() {
    let of = |is_spline: bool| {
        let make = |name: &str, size: [f64; 3], n: [usize; 3]| {
            let scaled = |x: [f64; 3]| [0, 1, 2].map(|d| size[d] * x[d]);
            rubber(
                name,
                match is_spline {
                    true => bodies::spline_block_of([1; 3], n, scaled),
                    false => bodies::block_of(CellShape::Hex8, n, scaled),
                },
            )
        };
        run(&automatic(bars_of(make), 0.0), settings(4e-3, Some(2e-5))).1
    };
    let [mesh, spline] = [false, true].map(of);
    let (a, b) = (end(&mesh).0, end(&spline).0);
    assert!(a[0] > -0.7 && (0..2).all(|k| (a[k] - b[k]).abs() < 1e-9), "{a:?} {b:?}");
}

/// The lowest edge of the reduced bar is the rim of its interface; the face across it is not known.
#[test]
fn the_rim_of_a_reduced_body_touches_edges() {
    let mut bodies = bars([0.0, 0.0, -1.0], [false; 2]);
    let whole = (*bodies[0].geometry).clone();
    bodies[0] = reduced(&whole, "bottom", 30, bodies[0].placement);
    let contacts = vec![pair(0, [0, 1], ["bottom", "top"], Law::Hard, 0.0)];
    let problem = Problem { bodies, contacts, ..Problem::default() };
    let (_, kept) = run(&problem, settings(6e-3, None));
    assert_apart("reduced", &kept);
    let [energy, momentum, ang_momentum] = crate::setup::residuals(&kept);
    let row = &kept.rows[0].balance;
    assert!(energy < 1e-11 * row.e_kin && momentum < 1e-13 * row.momentum_scale, "{energy} {momentum}");
    assert!(ang_momentum < 1e-12 * row.momentum_scale * LENGTH, "{ang_momentum}");
}

/// A block as a shape of a rigid body has the motion of the mesh of the same block.
#[test]
fn edges_of_a_block_as_a_shape_touch_like_those_of_its_mesh() {
    let bodies = || bars([0.2, 0.1, -1.0], [true, false]);
    let half = 0.5 * Vector3::new(SIDE, LENGTH, SIDE);
    let shape = SideSpec::Shape(Shape::Block(Block::new(half, half)));
    for friction in [0.0, 0.3] {
        let mesh = pair(0, [0, 1], ["bottom", "top"], Law::Hard, friction);
        let shape = ContactSpec { sides: [shape.clone(), mesh.sides[1].clone()], ..mesh.clone() };
        let ends = [mesh, shape].map(|pair| {
            let problem = Problem { bodies: bodies(), contacts: vec![pair], ..Problem::default() };
            let (_, kept) = run(&problem, settings(4e-3, None));
            assert_apart("block", &kept);
            kept
        });
        let [a, b] = ends.each_ref().map(end);
        assert!((0..2).all(|k| (a.0[k] - b.0[k]).abs() < 1e-9), "{friction}: {a:?} {b:?}");
    }
}

/// Both bars as parts of one body: pressure drives the upper one down. They move as two bodies do.
#[test]
fn edges_of_one_body_touch_like_those_of_two() {
    let mut bodies = bars([0.0; 3], [false; 2]);
    let placed: Vec<Body> = bodies
        .iter()
        .map(|body| {
            let mut placed = (*body.geometry).clone();
            let Geometry::Mesh(mesh) = &mut placed.geometry else { unreachable!() };
            let turn = rotation::matrix(&body.placement.quaternion);
            for x in &mut mesh.points {
                *x = (Vector3::from(body.placement.origin) + turn * Vector3::from(*x)).into();
            }
            placed
        })
        .collect();
    let mut one = placed[0].clone();
    let (Geometry::Mesh(mesh), Geometry::Mesh(other)) = (&mut one.geometry, &placed[1].geometry) else {
        unreachable!()
    };
    let n = mesh.points.len() as u32;
    mesh.points.extend(&other.points);
    for block in &other.blocks {
        let mut block = block.clone();
        block.connectivity.iter_mut().for_each(|node| *node += n);
        mesh.blocks.push(block);
        one.material_of_block.push(0);
    }
    let pressures = vec![Pressure { body: 0, set: "top".to_owned(), value: 4e3 }];
    let law = |body: Body| {
        let mut spec = deformable(body, "neo-hookean", Placement::default());
        let carom_continuum::explicit::BodyKind::Deformable { laws, .. } = &mut spec.kind else {
            unreachable!()
        };
        let n = spec.geometry.material_of_block.len();
        *laws = vec![laws[0].clone(); n];
        spec
    };
    bodies = placed.into_iter().map(law).collect();
    let length = settings(8e-3, Some(4e-5));
    let (_, two) = run(&Problem { pressures: pressures.clone(), ..automatic(bodies, 0.0) }, length);
    let (simulation, one) = run(&Problem { pressures, ..automatic(vec![law(one)], 0.0) }, length);
    assert!(simulation.contact_counts().multipliers > 10, "{:?}", simulation.contact_counts());
    let last = [&two, &one].map(|kept| kept.displacements.last().unwrap().concat());
    assert!(last[0].iter().zip(&last[1]).all(|(a, b)| (a - b).abs() < 1e-9));
    // The upper bar would be 4 mm lower without contact.
    assert!(one.rows.last().unwrap().balance.pen_max < 1e-4);
}

/// A wire that is pushed together at both ends bends out and lays its legs across each other.
#[test]
fn a_wire_touches_itself() {
    let section = carom_mesh::BeamSection::circle(0.002).unwrap();
    let n = 24_u32;
    // A hairpin whose legs are inclined to each other, 7 mm apart where they cross.
    let place = |k: u32| {
        let s = f64::from(k) / f64::from(n) - 0.5;
        let angle = (6.0 * s).clamp(-1.0, 1.0) * std::f64::consts::FRAC_PI_2;
        let out = (s.abs() - 1.0 / 6.0).max(0.0) * 0.2;
        let y = s.signum() * (0.02 * angle.sin().abs() - 0.6 * out);
        [0.02 * angle.cos() - out, y, 0.0035 * (6.0 * s).clamp(-1.0, 1.0)]
    };
    let points = (0..=n).map(place).collect();
    let cells = (CellShape::Line2, (0..n).flat_map(|k| [k, k + 1]).collect());
    let mut body = crate::shells::body(
        "wire",
        points,
        cells,
        carom_fem::Section::Beam(section),
        [1000.0, 1e7, 0.3],
        &[],
    );
    let Geometry::Mesh(mesh) = &mut body.geometry else { unreachable!() };
    for (name, side) in [("low", -1.0), ("high", 1.0)] {
        let is_in = |x: &[f64; 3]| side * x[2] > 0.0034 && x[0] < -0.06;
        let nodes = (0..mesh.points.len() as u32).filter(|&k| is_in(&mesh.points[k as usize])).collect();
        mesh.sets.insert(name.to_owned(), carom_mesh::Set::of_nodes(nodes));
    }
    let hold = |set: &str, z: f64| Support {
        body: 0,
        set: set.to_owned(),
        directions: [true; 3],
        rotations: [false; 3],
        displacement: [0.0, 0.0, z],
    };
    // The legs are moved through each other: by 5 mm more than there is between them.
    let supports = vec![hold("low", 0.004), hold("high", -0.004)];
    let spec = deformable(body, crate::shells::SHELL_LAW, Placement::default());
    let all = AutomaticSpec { number: 0, law: Law::Hard, friction: 0.0 };
    let problem = Problem { bodies: vec![spec], supports, automatic: vec![all], ..Problem::default() };
    let (simulation, kept) = run(&problem, settings(0.02, None));
    assert!(simulation.contact_counts().multipliers > 10, "{:?}", simulation.contact_counts());
    assert!(kept.rows.last().unwrap().balance.pen_max < 1e-4, "{:?}", kept.rows.last());
}

/// Two rigid bars under automatic contact, far beyond the sizes of their cells: edges on edges hold them.
#[test]
fn edges_of_rigid_bodies_touch_under_automatic_contact() {
    let bodies = bars([0.0, 0.0, -1.0], [true; 2]);
    let members = members(&bodies);
    // Twelve straight edges, whatever the cells.
    assert!(members.iter().all(|member| member.edges.len() == 12));
    let crowd = CrowdSpec {
        members,
        law: carom_rigid::Law::Hard,
        restitution: 1.0,
        friction: 0.0,
        apart: Vec::new(),
    };
    let problem = Problem { rigid_crowds: vec![(0, crowd)], ..automatic(bodies, 0.0) };
    let (simulation, kept) = run(&problem, settings(6e-3, Some(1e-5)));
    assert_eq!(simulation.events().len(), 1, "{:?}", simulation.events());
    let ([upper, lower], deepest) = end(&kept);
    assert!(upper > lower && lower < -0.3 && deepest < 1e-4, "{upper} {lower} {deepest}");
    assert_books("rigid", &kept);
    // Restitution 1: the impact keeps the energy.
    let [first, last] = [kept.rows.first(), kept.rows.last()].map(|row| row.unwrap().balance.e_kin);
    assert!((last - first).abs() < 1e-12 * first, "{first} {last}");
}
