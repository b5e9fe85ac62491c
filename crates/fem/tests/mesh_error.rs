//! The error of the strain energy that recovered stress shows, against the energy on fine meshes.

use carom_fem::loads::pressure_force;
use carom_fem::recovery::energy_errors;
use carom_fem::{Body, Discretisation, QuadratureRule, assemble, solve_static};
use carom_linalg::DofSet;
use carom_mesh::CellShape;
use carom_progress::Silent;
use faer::Mat;

use crate::bodies::{block_of, spline_block_of};

/// Bending of a bar of 6 x 1 x 1 m by pressures on the last sixth from above and on the first from below,
/// with a plane of symmetry at its start: work of the load \[J\], and the error of the energy by recovered
/// stress.
fn bent(body: &Body) -> [f64; 2] {
    let discretisation = Discretisation::new(body).unwrap();
    let system = assemble(&discretisation, QuadratureRule::Default, &Silent).unwrap();
    let is_pressed = |points: Vec<u32>| {
        let all = || points.iter().map(|&k| discretisation.points[k as usize]);
        let mean = all().map(|x| x[0]).sum::<f64>() / points.len() as f64;
        (mean > 5.0 && all().all(|x| x[2] > 1.0 - 1e-9)) || (mean < 1.0 && all().all(|x| x[2] < 1e-9))
    };
    let pressed = body.boundary_faces().into_iter();
    let pressed: Vec<_> =
        pressed.filter(|&face| is_pressed(discretisation.points_of_faces(&[face]))).collect();
    assert!(!pressed.is_empty());
    let force = pressure_force(&discretisation, &pressed, 1e6);
    // One point holds the height and needs no force for it.
    let corner = discretisation.points.iter().position(|x| x.iter().all(|t| t.abs() < 1e-9)).unwrap();
    let points = discretisation.points.iter().enumerate();
    let free = points.map(|(k, x)| [x[0] > 1e-9, x[1] > 1e-9, k != corner]);
    let free = DofSet::from_flags(free.collect());
    let u = solve_static(&system, free, &vec![[0.0; 3]; force.len()], &force, &Silent).unwrap();
    let work = u.iter().zip(&force).map(|(u, f)| (0..3).map(|a| u[a] * f[a]).sum::<f64>()).sum();
    let field = Mat::from_fn(3 * u.len(), 1, |dof, _| u[dof / 3][dof % 3]);
    [work, energy_errors(body, &discretisation, field.as_ref())[0]]
}

fn stretched([x, y, z]: [f64; 3]) -> [f64; 3] {
    [6.0 * x, y, z]
}

/// Recovered stress shows a part of the error: the whole one of fine meshes of the first order, a fifth of
/// that of one layer of quadratic cells, whose stress varies linearly over the thickness.
fn assert_shown(name: &str, error: f64, estimate: f64) {
    let share = estimate / error;
    eprintln!("{name}: error {error:.2e}, shown {estimate:.2e}, share {share:.2}");
    assert!((0.15..1.0).contains(&share), "{name}: error {error:.2e}, shown {estimate:.2e}");
}

#[test]
fn recovered_stress_shows_the_error_of_the_energy_of_each_kind_of_cell() {
    let [fine, _] = bent(&block_of(CellShape::Hex27, [24, 6, 6], stretched));
    for shape in CellShape::SOLIDS {
        let order = shape.order();
        let meshes = if order == 1 { [[6, 2, 2], [12, 4, 4]] } else { [[6, 1, 1], [12, 2, 2]] };
        for n in meshes {
            let [work, estimate] = bent(&block_of(shape, n, stretched));
            let error = fine / work - 1.0;
            assert_shown(&format!("{} {n:?}", shape.name()), error, estimate);
        }
    }
    for (p, n) in [(2, [6, 1, 1]), (2, [12, 2, 2]), (3, [6, 1, 1])] {
        let [work, estimate] = bent(&spline_block_of([p; 3], n, stretched));
        assert_shown(&format!("spline {p} {n:?}"), fine / work - 1.0, estimate);
    }
}
