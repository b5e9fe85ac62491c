//! Stress of the modes of reduced bodies.

use crate::bodies::{nurbs, steel, steel_box};
use carom_fem::{Body, Discretisation, Geometry, StressAt, StressSites};
use carom_mesh::CellShape;
use carom_mesh::make::{HexOptions, Solid, hexahedra};
use carom_nurbs::solids;
use carom_progress::Silent;
use carom_reduce::statics::Statics;
use carom_reduce::stress_modes::StressModesError;
use carom_reduce::{CraigBamptonOptions, Fields, FixedModes, ReducedBody, StressModes, craig_bampton};
use faer::Mat;

fn model(body: &Body, sets: &[&str], fields: Fields) -> ReducedBody {
    let options = CraigBamptonOptions {
        interface_sets: sets.iter().map(|&s| s.to_owned()).collect(),
        modes: FixedModes::Count(8),
        fields,
        ..Default::default()
    };
    craig_bampton(body, &options, &Silent).unwrap().reduced
}

#[test]
fn stress_of_a_reduced_body_agrees_with_its_displacement() {
    let rod = nurbs("rod", solids::rod(0.01, 0.05, None).unwrap());
    for (body, set) in
        [(steel_box([0.1, 0.02, 0.03], [4, 2, 2]), "west".to_owned()), (rod, "start".to_owned())]
    {
        let model = model(&body, &[&set], Fields::Full);
        let discretisation = Discretisation::new(&body).unwrap();
        let fields = model.fields.as_ref().unwrap().modes().unwrap();
        let q: Vec<f64> = (0..model.omega.len()).map(|k| (k as f64).sin() * 1e-7).collect();
        let u = &fields.values * Mat::from_fn(q.len(), 1, |k, _| q[k]);
        for at in [StressAt::Nodes, StressAt::GaussPoints] {
            let modes = StressModes::new(
                model.fields.as_ref().map(|fields| fields.modes().unwrap()),
                model.com,
                &body,
                at,
                false,
                &Silent,
            )
            .unwrap();
            let sites = match at {
                StressAt::Nodes => StressSites::nodes(&body, &discretisation),
                StressAt::GaussPoints => StressSites::gauss_points(&discretisation),
            };
            let direct = sites.stress(&discretisation, u.as_ref());
            let found = modes.stress(&q);
            assert_eq!((found.len(), modes.nodes.is_some()), (sites.len(), sites.sites[0].node.is_some()));
            for (i, stress) in found.iter().enumerate() {
                for c in 0..6 {
                    let error = (stress[c] - direct[(6 * i + c, 0)]).abs();
                    assert!(error < 1e-11 * direct.norm_max(), "{error:e} of {:e}", direct.norm_max());
                }
            }
        }
    }
}

/// Opposite forces on the ends of a bar without lateral contraction: the static response to loads on the
/// interface is exact, and so is the stress, F/A along the bar and zero otherwise.
#[test]
fn the_stress_of_a_bar_in_tension_is_force_over_area() {
    let size = [0.12, 0.02, 0.03];
    for shape in [CellShape::Hex8, CellShape::Hex20, CellShape::Hex27] {
        let options = HexOptions { shape, elements: vec![4, 2, 2], ..HexOptions::default() };
        let mesh = hexahedra(Solid::Box { size }, &options).unwrap();
        let mut body = Body {
            name: "bar".to_owned(),
            material_of_block: vec![0; mesh.blocks.len()],
            geometry: Geometry::Mesh(mesh),
            materials: vec![steel()],
            sections: Vec::new(),
        };
        body.materials[0].poisson = 0.0;
        let model = model(&body, &["west", "east"], Fields::Full);
        let discretisation = Discretisation::new(&body).unwrap();
        let force = 1e4;
        let mut load = vec![[0.0; 3]; discretisation.n_points()];
        for (set, sign) in [("west", -1.0), ("east", 1.0)] {
            let faces = body.faces_of_set(set).unwrap();
            let own = carom_fem::loads::total_force(&discretisation, &faces, [sign * force, 0.0, 0.0]);
            load.iter_mut().zip(own).for_each(|(sum, f)| (0..3).for_each(|a| sum[a] += f[a]));
        }
        let points = &model.boundary.points;
        let statics = Statics::new(&model).unwrap();
        let rows = statics.rows_of(points).unwrap();
        let on_interface: Vec<[f64; 3]> = points.iter().map(|&p| load[p as usize]).collect();
        let q: Vec<f64> = (statics.modal_force(&rows, &on_interface).iter().zip(&model.omega))
            .map(|(f, omega)| f / (omega * omega))
            .collect();
        let expected = force / (size[1] * size[2]);
        for at in [StressAt::Nodes, StressAt::GaussPoints] {
            for surface in [false, true] {
                let modes = StressModes::new(
                    model.fields.as_ref().map(|fields| fields.modes().unwrap()),
                    model.com,
                    &body,
                    at,
                    surface,
                    &Silent,
                )
                .unwrap();
                for stress in modes.stress(&q) {
                    for (c, s) in stress.iter().enumerate() {
                        let wanted = if c == 0 { expected } else { 0.0 };
                        assert!((s - wanted).abs() < 1e-7 * expected, "{shape:?} {at:?}: {stress:?}");
                    }
                }
            }
        }
    }
}

#[test]
fn stress_needs_the_modes_at_every_point() {
    let body = steel_box([0.1, 0.02, 0.03], [6, 3, 3]);
    let model = model(&body, &["west"], Fields::Surface);
    let error = StressModes::new(
        model.fields.as_ref().map(|fields| fields.modes().unwrap()),
        model.com,
        &body,
        StressAt::Nodes,
        true,
        &Silent,
    )
    .unwrap_err();
    assert!(matches!(error, StressModesError::Fields { .. }), "{error}");
    assert!(error.to_string().contains("full fields"));
}
