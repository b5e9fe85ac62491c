//! Stiffness and mass of every kind of cell against identities and published traces.

use carom_fem::{AssemblyError, Body, Discretisation, QuadratureRule, SystemMatrices, assemble};
use carom_mesh::CellShape;
use carom_progress::Silent;
use faer::Mat;

use crate::bodies::{block, distort, mixed, quarter_ring, spline_block};

fn matrices(body: &Body, rule: QuadratureRule) -> (Discretisation, SystemMatrices) {
    let discretisation = Discretisation::new(body).unwrap();
    let system = assemble(&discretisation, rule, &Silent).unwrap();
    (discretisation, system)
}

/// u = A x + b at the points of a body: 3n × 1.
fn linear_field(discretisation: &Discretisation, a: [[f64; 3]; 3], b: [f64; 3]) -> Mat<f64> {
    Mat::from_fn(discretisation.n_dofs(), 1, |dof, _| {
        let (x, i) = (discretisation.points[dof / 3], dof % 3);
        a[i][0] * x[0] + a[i][1] * x[1] + a[i][2] * x[2] + b[i]
    })
}

fn every_kind() -> Vec<(String, Body)> {
    let mut bodies: Vec<(String, Body)> = CellShape::SOLIDS
        .iter()
        .map(|&shape| (shape.name().to_owned(), block(shape, 3, |x| distort(x, 0.02))))
        .collect();
    bodies.push(("mixed, order 1".to_owned(), mixed(1, |x| distort(x, 0.02))));
    bodies.push(("mixed, order 2".to_owned(), mixed(2, |x| distort(x, 0.02))));
    bodies.push(("spline p = 2".to_owned(), spline_block(2, 3, |x| distort(x, 0.02))));
    bodies.push(("quarter ring p = 3".to_owned(), quarter_ring(3, 3)));
    bodies
}

#[test]
fn traces_of_the_quarter_ring_agree_with_published_ones() {
    for (p, trace_k, trace_m) in
        [(2, 1.968658718214943e13, 8741.42023428826), (3, 1.708560865745328e13, 5536.1254753034)]
    {
        let (_, system) = matrices(&quarter_ring(p, 4), QuadratureRule::Default);
        let error_k = system.stiffness.trace() / trace_k - 1.0;
        // The figure is that of M = M_s ⊗ E₃, three times the trace of M_s.
        let diagonal = |node: usize| system.mass.values[system.mass.graph.col_ptr[node]];
        let error_m = 3.0 * (0..system.mass.graph.n_nodes()).map(diagonal).sum::<f64>() / trace_m - 1.0;
        assert!(error_k.abs() < 1e-12, "p = {p}: trace K off by {error_k:.1e}");
        assert!(error_m.abs() < 1e-12, "p = {p}: trace M off by {error_m:.1e}");
    }
}

#[test]
fn rigid_motions_cause_no_forces() {
    for (name, body) in every_kind() {
        let (discretisation, system) = matrices(&body, QuadratureRule::Default);
        let scale = system.stiffness.diagonal().iter().copied().fold(0.0, f64::max);
        for k in 0..3 {
            let mut shift = [0.0; 3];
            shift[k] = 1.0;
            let mut turn = [[0.0; 3]; 3];
            turn[(k + 1) % 3][(k + 2) % 3] = -1.0;
            turn[(k + 2) % 3][(k + 1) % 3] = 1.0;
            for field in [
                linear_field(&discretisation, [[0.0; 3]; 3], shift),
                linear_field(&discretisation, turn, [0.0; 3]),
            ] {
                let force = system.stiffness.product(field.as_ref());
                let largest = (0..force.nrows()).map(|i| force[(i, 0)].abs()).fold(0.0, f64::max);
                assert!(largest < 1e-12 * scale, "{name}: {largest:e} against a stiffness of {scale:e}");
            }
        }
    }
}

#[test]
fn patch_test_constant_strain_leaves_inner_points_without_force() {
    let strain = [[1.0, 0.2, -0.4], [0.5, -0.7, 0.3], [0.1, 0.9, 0.6]];
    for (name, body) in every_kind().into_iter().take(CellShape::SOLIDS.len() + 3) {
        // Curved tet10 need the high rule: 4 points do not integrate the gradients of a curved cell exactly.
        let rule = if ["tet10", "mixed, order 2"].contains(&name.as_str()) {
            QuadratureRule::High
        } else {
            QuadratureRule::Default
        };
        let (discretisation, system) = matrices(&body, rule);
        let field = linear_field(&discretisation, strain, [0.0; 3]);
        let force = system.stiffness.product(field.as_ref());
        let scale = system.stiffness.diagonal().iter().copied().fold(0.0, f64::max);
        let mut n_inner = 0;
        for (k, x) in discretisation.points.iter().enumerate() {
            if x.iter().all(|&t| t > 1e-9 && t < 1.0 - 1e-9) {
                n_inner += 1;
                for a in 0..3 {
                    let f = force[(3 * k + a, 0)];
                    assert!(f.abs() < 1e-12 * scale, "{name}: point {k}: {f:e} against {scale:e}");
                }
            }
        }
        assert!(n_inner >= 8, "{name}: {n_inner} inner points");
    }
}

#[test]
fn strain_energy_of_a_constant_strain_is_volume_times_its_density() {
    let h = [[1.0, 0.2, -0.4], [0.5, -0.7, 0.3], [0.1, 0.9, 0.6]];
    for (name, body) in every_kind().into_iter().take(CellShape::SOLIDS.len() + 3) {
        let (discretisation, system) = matrices(&body, QuadratureRule::High);
        let field = linear_field(&discretisation, h, [0.0; 3]);
        let force = system.stiffness.product(field.as_ref());
        let energy: f64 = (0..force.nrows()).map(|i| 0.5 * force[(i, 0)] * field[(i, 0)]).sum();
        let (lambda, mu) = body.materials[0].lame();
        let trace = h[0][0] + h[1][1] + h[2][2];
        let mut density = 0.5 * lambda * trace * trace;
        for a in 0..3 {
            for b in 0..3 {
                let strain = 0.5 * (h[a][b] + h[b][a]);
                density += mu * strain * strain;
            }
        }
        // The unit cube: distortion moves inner points only.
        assert!((energy / density - 1.0).abs() < 1e-12, "{name}: {:e}", energy / density - 1.0);
    }
}

#[test]
fn mass_sums_to_density_times_volume() {
    for (name, body) in every_kind() {
        let (_, system) = matrices(&body, QuadratureRule::High);
        let graph = &system.mass.graph;
        let total: f64 = (0..graph.n_nodes())
            .flat_map(|col| {
                (graph.col_ptr[col]..graph.col_ptr[col + 1]).map(move |e| (e, e == graph.col_ptr[col]))
            })
            .map(
                |(e, is_diagonal)| {
                    if is_diagonal { system.mass.values[e] } else { 2.0 * system.mass.values[e] }
                },
            )
            .sum();
        let volume = if name.starts_with("quarter") { 0.75 * std::f64::consts::PI } else { 1.0 };
        let error = total / (7800.0 * volume) - 1.0;
        // The rational ring converges with the rule, the others are integrated exactly.
        let tolerance = if name.starts_with("quarter") { 1e-11 } else { 1e-13 };
        assert!(error.abs() < tolerance, "{name}: {error:e}");
    }
}

#[test]
fn any_number_of_threads_gives_the_same_bits() {
    for (name, body) in every_kind() {
        let discretisation = Discretisation::new(&body).unwrap();
        let with = |n| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(n).build().unwrap();
            pool.install(|| assemble(&discretisation, QuadratureRule::Default, &Silent).unwrap())
        };
        let (one, five) = (with(1), with(5));
        assert!(one.stiffness.values == five.stiffness.values, "{name}: stiffness differs");
        assert!(one.mass.values == five.mass.values, "{name}: mass differs");
    }
}

#[test]
fn an_inverted_cell_is_named_with_its_place() {
    let body = block(CellShape::Hex8, 2, |x| if x == [0.5; 3] { [1.4; 3] } else { x });
    let discretisation = Discretisation::new(&body).unwrap();
    let error = assemble(&discretisation, QuadratureRule::Default, &Silent).unwrap_err();
    assert!(matches!(error, AssemblyError::InvertedCell { .. }));
    let message = error.to_string();
    assert!(message.contains("cell 3 of block 0") && message.contains("det J = -"), "{message}");
}

#[test]
fn impossible_bodies_are_refused_by_name_and_number() {
    let refuse = |change: &dyn Fn(&mut Body)| {
        let mut body = block(CellShape::Tet4, 1, |x| x);
        change(&mut body);
        Discretisation::new(&body).unwrap_err().to_string()
    };
    let mesh = |body: &mut Body, change: &dyn Fn(&mut carom_mesh::Mesh)| match &mut body.geometry {
        carom_fem::Geometry::Mesh(mesh) => change(mesh),
        carom_fem::Geometry::Nurbs(_) => unreachable!(),
    };
    let messages = [
        (refuse(&|b| b.material_of_block.clear()), "has 1 blocks of cells, but materials for 0"),
        (refuse(&|b| b.material_of_block[0] = 3), "block 0 has material number 3, but there are 1"),
        (refuse(&|b| b.materials[0].young = -1.0), "young = -1 Pa is not possible"),
        (
            refuse(&|b| mesh(b, &|m| m.blocks[0].connectivity[2] = 99)),
            "block 0 uses point 99, but there are 8",
        ),
        (refuse(&|b| mesh(b, &|m| m.blocks[0].connectivity.truncate(7))), "the connectivity has 7 entries"),
        (refuse(&|b| mesh(b, &|m| m.blocks[0].connectivity.clear())), "has no cells"),
    ];
    for (message, expected) in messages {
        assert!(message.starts_with("body `block`") && message.contains(expected), "{message}");
    }
    let mut ring = quarter_ring(2, 1);
    let carom_fem::Geometry::Nurbs(multipatch) = &mut ring.geometry else { unreachable!() };
    multipatch.patches[0].weights[4] = 0.0;
    let message = Discretisation::new(&ring).unwrap_err().to_string();
    assert!(message.contains("patch 0: the weight of control point 4 is 0"), "{message}");
}
