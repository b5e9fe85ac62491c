//! The residual compliance of spread loads: what kept modes leave of the static response.

use carom_fem::{Body, Discretisation, Geometry, Material, QuadratureRule, assemble};
use carom_mesh::make::{HexOptions, Solid, hexahedra};
use carom_progress::Silent;
use carom_reduce::modes::{ModalOptions, ModesWanted};
use carom_reduce::residual::{SpreadLoad, modal_values, residual, response};
use carom_reduce::{Flexibility, Modes, RigidMotions, SolverChoice, modes};
use faer::Mat;

/// A free bar of 36 points, so that all 102 elastic modes can be computed.
fn bar() -> Body {
    let options = HexOptions { elements: vec![3, 2, 2], ..HexOptions::default() };
    let mesh = hexahedra(Solid::Box { size: [0.12, 0.02, 0.03] }, &options).unwrap();
    Body {
        name: "bar".to_owned(),
        material_of_block: vec![0; mesh.blocks.len()],
        geometry: Geometry::Mesh(mesh),
        materials: vec![Material::named("steel").unwrap()],
        sections: Vec::new(),
    }
}

fn largest(matrix: &Mat<f64>) -> f64 {
    (0..matrix.ncols())
        .flat_map(|k| (0..matrix.nrows()).map(move |i| matrix[(i, k)].abs()))
        .fold(0.0, f64::max)
}

#[test]
fn the_response_is_the_sum_of_all_modes_and_the_residual_the_rest() {
    let body = bar();
    let discretisation = Discretisation::new(&body).unwrap();
    let system = assemble(&discretisation, QuadratureRule::Default, &Silent).unwrap();
    let (points, n) = (&discretisation.points, discretisation.n_points());
    let motions = RigidMotions::left_by(points, &vec![[false; 3]; n]);
    let choice = SolverChoice::default();
    let flexibility =
        Flexibility::new(system, &vec![[true; 3]; n], points, &motions, &choice, &Silent).unwrap();
    let loads: Vec<SpreadLoad> =
        vec![vec![(0, 0.7), (1, 0.3)], vec![(17, 1.0)], vec![(30, 0.5), (31, 0.25), (35, 0.25)]];
    let whole = response(&flexibility, &loads, &Silent).unwrap();

    let wanted = ModalOptions {
        fix: Vec::new(),
        wanted: ModesWanted::Count(3 * n),
        rule: QuadratureRule::Default,
        solver: choice,
    };
    let all = modes(&body, &wanted, &Silent).unwrap();
    let elastic = all.hz.len() - 6;
    let of_points = |n_modes: usize| Modes {
        points: (0..n as u32).collect(),
        positions_b: points.clone(),
        values: all.shapes.subcols(6, n_modes).to_owned(),
    };
    let omega: Vec<f64> = all.hz[6..].iter().map(|hz| std::f64::consts::TAU * hz).collect();
    let mut before = f64::INFINITY;
    for n_modes in [0, 1, 10, 60, elastic] {
        let values = modal_values(&of_points(n_modes), &loads).unwrap();
        let rest = residual(&whole, &values, &omega[..n_modes]);
        // Each mode takes a positive semi-definite part away.
        let trace: f64 = (0..rest.nrows()).map(|i| rest[(i, i)]).sum();
        assert!(trace < before * (1.0 + 1e-12), "{n_modes}");
        before = trace;
    }
    let values = modal_values(&of_points(elastic), &loads).unwrap();
    let rest = residual(&whole, &values, &omega);
    // Modes are accurate to 1e-8 of their frequency.
    assert!(largest(&rest) < 1e-7 * largest(&whole), "{:e} {:e}", largest(&rest), largest(&whole));
    // A load on a point that the modes lack.
    assert!(modal_values(&of_points(1).at(&[0, 1]), &loads).is_none());
}
