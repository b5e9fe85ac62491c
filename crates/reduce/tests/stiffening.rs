//! The displacement of second order of a body beside its geometric stiffness under unit loads.

use carom_fem::{Discretisation, QuadratureRule};
use carom_progress::Silent;
use carom_reduce::comparison::{rigid_sets, whole_body};
use carom_reduce::{
    CraigBamptonOptions, Fields, FixedModes, SolverChoice, Stiffening, Variant, craig_bampton,
};
use faer::Mat;

use crate::bodies::steel_box;

/// By reciprocity the geometric stiffness of any force f is `fᵀ w`: of the weight `∫ w dm`, of the forces
/// M (e × R) `∫ R × w dm`.
#[test]
fn forces_do_the_work_of_their_geometric_stiffness_on_the_displacement_of_second_order() {
    let body = steel_box([0.3, 0.02, 0.03], [6, 2, 2]);
    let options = CraigBamptonOptions {
        interface_sets: vec!["east".to_owned()],
        held: vec!["west".to_owned()],
        modes: FixedModes::Count(6),
        split: Some(3e3),
        fields: Fields::Full,
        variant: Variant { stiffening: true, ..Variant::default() },
        ..CraigBamptonOptions::default()
    };
    let model = craig_bampton(&body, &options, &Silent).unwrap().reduced;
    let stiffening = model.stiffening.as_ref().unwrap();
    let discretisation = Discretisation::new(&body).unwrap();
    let (flexibility, _) = whole_body(
        &body,
        &discretisation,
        &options.held,
        &rigid_sets(&model),
        QuadratureRule::Default,
        &SolverChoice::default(),
        &Silent,
    )
    .unwrap();
    let points: Vec<_> = (0..discretisation.n_points() as u32).map(|point| vec![(point, 1.0)]).collect();
    let fields = model.fields.as_ref().unwrap().modes().unwrap();
    let w = stiffening.foreshortening_of(&discretisation, &flexibility, fields, &points, &Silent).unwrap();
    let loads = Mat::from_fn(w.nrows(), 6, |dof, load| {
        let (point, axis) = (&discretisation.points[dof / 3], dof % 3);
        let r: [f64; 3] = std::array::from_fn(|a| point[a] - model.com[a]);
        match load {
            0..3 => f64::from(u8::from(axis == load)),
            // Component `axis` of e × R.
            _ if axis == (load - 3 + 1) % 3 => -r[(load - 3 + 2) % 3],
            _ if axis == (load - 3 + 2) % 3 => r[(load - 3 + 1) % 3],
            _ => 0.0,
        }
    });
    let work = loads.transpose() * flexibility.system.mass.product(w.as_ref());
    let matrices: Vec<&Mat<f64>> = stiffening.weight.iter().chain(&stiffening.turning).collect();
    assert_eq!(matrices.len(), 6);
    for (load, k) in matrices.into_iter().enumerate() {
        for (pair, [i, j]) in Stiffening::pairs(stiffening.basis.ncols()).enumerate() {
            let (found, expected) = (work[(load, pair)], k[(i, j)]);
            assert!((found - expected).abs() < 1e-8 * k.norm_max(), "{load} {i} {j}: {found} {expected}");
        }
    }
    let kept = stiffening.boundary.as_ref().unwrap();
    for (i, &point) in model.boundary.points.iter().enumerate() {
        for (a, pair) in (0..3).flat_map(|a| (0..kept.ncols()).map(move |pair| (a, pair))) {
            let (found, expected) = (kept[(3 * i + a, pair)], w[(3 * point as usize + a, pair)]);
            assert!((found - expected).abs() < 1e-9 * w.norm_max(), "{point}: {found} {expected}");
        }
    }
}
