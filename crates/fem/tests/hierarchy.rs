//! Locally refined bodies: matrices, loads and surfaces agree with those of the same functions in a uniform
//! basis.

use crate::bodies::patch_body;
use carom_fem::{
    Body, Discretisation, Geometry, QuadratureRule, SystemMatrices, assemble, loads, mass_properties,
};
use carom_linalg::{BlockMatrix, NodeMatrix};
use carom_nurbs::{HierarchicalPatch, KnotVector, Multipatch, Near, Patch, solids};
use carom_progress::Silent;
use faer::Mat;

fn matrices(body: &Body) -> (Discretisation, SystemMatrices) {
    let discretisation = Discretisation::new(body).unwrap();
    let system = assemble(&discretisation, QuadratureRule::Default, &Silent).unwrap();
    (discretisation, system)
}

fn steel(multipatch: Multipatch) -> Body {
    let template = patch_body(cube(1, 1));
    let material_of_block = vec![0; multipatch.patches.len()];
    Body { geometry: Geometry::Nurbs(multipatch), material_of_block, ..template }
}

/// A cube [0,1]³ of degree p with n³ knot spans.
fn cube(p: usize, n: usize) -> Patch {
    let line = KnotVector::bernstein(1).unwrap();
    let points = (0..8).map(|i| [i % 2, i / 2 % 2, i / 4].map(f64::from)).collect();
    let patch = Patch::new([line.clone(), line.clone(), line], points, vec![1.0; 8]).unwrap();
    let body = Multipatch::glue(vec![patch]).unwrap().elevate_to(p).unwrap().elements([n; 3]).unwrap();
    body.patches[0].clone()
}

/// uᵀ K u.
fn energy(k: &BlockMatrix, u: &[[f64; 3]]) -> f64 {
    let u = Mat::from_fn(3 * u.len(), 1, |dof, _| u[dof / 3][dof % 3]);
    (u.transpose() * k.product(u.as_ref()))[(0, 0)]
}

/// Σ_a u_aᵀ M u_a.
fn motion(m: &NodeMatrix, u: &[[f64; 3]]) -> f64 {
    let u = Mat::from_fn(u.len(), 3, |i, a| u[i][a]);
    let product = m.node_product(u.as_ref());
    (0..3).map(|a| u.col(a).transpose() * product.col(a)).sum()
}

/// A field of pseudo-random values.
fn field(n: usize) -> Vec<[f64; 3]> {
    (0..n).map(|i| [0, 1, 2].map(|a| (1.3 * i as f64 + 0.7 * a as f64).sin())).collect()
}

#[test]
fn matrices_agree_with_those_in_the_basis_of_the_finest_level() {
    for (p, at) in [(1, [0.1, 0.2, 0.0]), (2, [0.1, 0.2, 0.0]), (3, [0.5, 0.5, 1.0])] {
        let whole = Multipatch::glue(vec![cube(p, 3)]).unwrap();
        let refined = whole.refine_near(&[Near::point(at, 0.05, 2)]).unwrap();
        let hierarchy = refined.hierarchy.as_ref().unwrap().patches[0].clone();
        let (discretisation, system) = matrices(&steel(refined));
        assert!(!discretisation.hanging.is_empty());
        let u = field(discretisation.n_points());
        // A single patch without collapsed sides: points are active functions in their order.
        let with_field = HierarchicalPatch { points: u.clone(), ..hierarchy.clone() };
        let fine_field = with_field.tensor_product().points;
        let fine = Multipatch::glue(vec![hierarchy.tensor_product()]).unwrap();
        let mut v = vec![[0.0; 3]; fine.n_points()];
        for (&id, value) in fine.point_ids()[0].iter().zip(&fine_field) {
            v[id as usize] = *value;
        }
        let (_, fine_system) = matrices(&steel(fine));
        let (a, b) = (energy(&system.stiffness, &u), energy(&fine_system.stiffness, &v));
        assert!((a / b - 1.0).abs() < 1e-12, "p = {p}: {a:e} {b:e}");
        let (a, b) = (motion(&system.mass, &u), motion(&fine_system.mass, &v));
        assert!((a / b - 1.0).abs() < 1e-12, "p = {p}: {a:e} {b:e}");
    }
}

fn refined_bodies() -> Vec<Body> {
    let ball = solids::ball(1.0, None).unwrap().elements([2; 3]).unwrap();
    let rod = solids::rod(1.0, 4.0, None).unwrap().elements([2; 3]).unwrap();
    vec![
        steel(ball.refine_near(&[Near::point([0.0, 0.0, 1.0], 0.05, 3)]).unwrap()),
        steel(rod.refine_near(&[Near::point([4.0, 0.5, 0.0], 0.1, 2)]).unwrap()),
    ]
}

#[test]
fn rigid_motions_cause_no_forces_and_the_mass_is_that_of_the_solid() {
    for body in refined_bodies() {
        let (discretisation, system) = matrices(&body);
        let turn = |x: &[f64; 3]| [x[1], -x[0], 0.0];
        let scale = system.stiffness.values.iter().flatten().fold(0.0, |a: f64, x| a.max(x.abs()));
        let n = discretisation.n_points() as f64;
        for motion in [vec![[1.0, 0.0, 0.5]; n as usize], discretisation.points.iter().map(turn).collect()] {
            assert!(energy(&system.stiffness, &motion).abs() < 1e-13 * scale * n);
        }
        let total = motion(&system.mass, &vec![[1.0, 0.0, 0.0]; n as usize]);
        let exact = mass_properties(&discretisation);
        // The rule of the matrices is not exact for rational cells.
        assert!((total / exact.mass - 1.0).abs() < 1e-4, "{total} {}", exact.mass);
        let volume = if body.set_names().contains(&"end".to_owned()) { 4.0 } else { 4.0 / 3.0 };
        assert!((exact.volume / (volume * std::f64::consts::PI) - 1.0).abs() < 1e-13);
    }
}

#[test]
fn a_uniform_stretch_has_the_stress_and_the_forces_of_its_loads() {
    // Under uniform tension along the rod: K u = f with u linear, on cells of all levels.
    let body = refined_bodies().pop().unwrap();
    let (discretisation, system) = matrices(&body);
    let (young, poisson) = (body.materials[0].young, body.materials[0].poisson);
    let u: Vec<[f64; 3]> = discretisation
        .points
        .iter()
        .map(|&[x, y, z]| [x, -poisson * y, -poisson * z].map(|s| 1e-3 * s))
        .collect();
    let faces = |set: &str| body.faces_of_set(set).unwrap();
    let pull = loads::traction_force(&discretisation, &faces("end"), [1e-3 * young, 0.0, 0.0]);
    let hold = loads::traction_force(&discretisation, &faces("start"), [-1e-3 * young, 0.0, 0.0]);
    let displacement = Mat::from_fn(3 * u.len(), 1, |dof, _| u[dof / 3][dof % 3]);
    let force = system.stiffness.product(displacement.as_ref());
    let size = pull.iter().flatten().fold(0.0, |a: f64, x| a.max(x.abs()));
    for (i, (p, h)) in pull.iter().zip(&hold).enumerate() {
        for a in 0..3 {
            let residual = force[(3 * i + a, 0)] - p[a] - h[a];
            // Forces on the lateral surface vanish to the accuracy of the quadrature of rational cells.
            assert!(residual.abs() < 2e-3 * size, "point {i}: {residual:e} of {size:e}");
        }
    }
    let total: f64 = pull.iter().map(|f| f[0]).sum();
    assert!((total / (1e-3 * young * std::f64::consts::PI) - 1.0).abs() < 1e-6, "{total}");
}

#[test]
fn faces_where_levels_meet_lie_on_the_sphere_and_use_points_of_the_body() {
    let body = &refined_bodies()[0];
    let discretisation = Discretisation::new(body).unwrap();
    let surface = body.surface_of_set(&discretisation, "surface").unwrap();
    surface.validate().unwrap();
    assert!(surface.points.iter().all(|&point| (point as usize) < discretisation.n_points()));
    let combined = surface
        .faces
        .iter()
        .filter(|face| matches!(face.basis, carom_fem::FaceBasis::Combined { .. }))
        .count();
    assert!(combined > 8 && combined < surface.faces.len(), "{combined} of {}", surface.faces.len());
    let positions: Vec<[f64; 3]> =
        surface.points.iter().map(|&point| discretisation.points[point as usize]).collect();
    for face in 0..surface.faces.len() {
        for xi in [[0.0, 0.0], [0.3, 0.8], [1.0, 0.5], [0.5, 0.5]] {
            let (x, [a, b]) = surface.tangents(face, xi, &positions);
            let norm = |v: [f64; 3]| v.iter().map(|c| c * c).sum::<f64>().sqrt();
            assert!((norm(x) - 1.0).abs() < 1e-14);
            let normal = [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
            let along = (0..3).map(|d| normal[d] * x[d]).sum::<f64>() / norm(normal);
            assert!((along - surface.faces[face].orientation).abs() < 1e-12);
        }
    }
    let area = carom_fem::properties::surface_area(&discretisation, &body.boundary_faces());
    assert!((area / (4.0 * std::f64::consts::PI) - 1.0).abs() < 1e-13, "{area}");
}

#[test]
fn the_inspection_accepts_a_locally_refined_body() {
    for body in refined_bodies() {
        let found = carom_fem::inspect(&body).unwrap();
        assert_eq!(
            (found.soundness.parts, found.soundness.watertight, found.soundness.unused_nodes),
            (1, true, 0)
        );
        assert_eq!(found.dofs, 3 * Discretisation::new(&body).unwrap().n_points());
        assert!(found.min_scaled_jacobian > 0.0 && found.sets.values().all(|set| set.count > 0));
    }
}
