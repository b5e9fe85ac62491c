//! Stress in pictures of bodies in large deformation.

use carom_fem::constitutive::{ElasticLaw, ElasticModuli, LANES, Lanes, Law, Tensor, ZERO};
use carom_fem::internal_force::PointStress;
use carom_fem::stress::cauchy_of_gradient;
use carom_fem::{CellEvaluator, Discretisation, Stress, StressSites, stress};
use faer::Mat;

use crate::deformed::{affine, every_kind, every_law, internal, laws, rotation, waves};

fn sites(body: &carom_fem::Body, d: &Discretisation) -> Vec<StressSites> {
    vec![StressSites::nodes(body, d), StressSites::gauss_points(d)]
}

fn at(sites: &StressSites, d: &Discretisation, law: ElasticLaw, u: &[f64]) -> Vec<Stress> {
    sites.cauchy(d, &laws(d, law), u.as_chunks().0).unwrap()
}

fn objective() -> impl Iterator<Item = ElasticLaw> {
    every_law().into_iter().filter(Law::is_objective)
}

#[test]
fn a_rotated_body_has_zero_stress() {
    for angle in [0.1, 1.5, 3.1] {
        let turn = rotation([0.48, 0.6, 0.64], angle);
        for (name, body) in every_kind() {
            let d = Discretisation::new(&body).unwrap();
            let u = affine(&d, &turn, [5.0, 0.0, -2.0]);
            for (sites, law) in sites(&body, &d).iter().flat_map(|s| objective().map(move |law| (s, law))) {
                let found = at(sites, &d, law, &u);
                // Moduli are of the order of 1.
                let largest = found.as_flattened().iter().fold(0.0_f64, |a, x| a.max(x.abs()));
                assert!(largest < 1e-11, "{name}, {}, {angle}: {largest:e}", law.name());
            }
        }
    }
}

#[test]
fn a_stretched_and_rotated_body_has_the_rotated_stress() {
    let stretch = [[1.3, 0.0, 0.0], [0.0, 0.9, 0.0], [0.0, 0.0, 0.95]];
    let turn = rotation([0.0, 0.0, 1.0], 0.9);
    let product: [[f64; 3]; 3] =
        std::array::from_fn(|a| std::array::from_fn(|b| (0..3).map(|c| turn[a][c] * stretch[c][b]).sum()));
    for law in objective() {
        let h =
            std::array::from_fn(|a| std::array::from_fn(|b| stretch[a][b] - if a == b { 1.0 } else { 0.0 }));
        let principal = cauchy_of_gradient(&law, &h);
        // In tension along x, the largest stress is along x, and the shear stress is zero.
        assert!(principal[0] > principal[1].max(principal[2]), "{principal:?}");
        assert!(principal[3..].iter().all(|&x| x == 0.0), "{principal:?}");
        let component =
            |a: usize, b: usize| (0..3).map(|c| turn[a][c] * principal[c] * turn[b][c]).sum::<f64>();
        let expected = [
            component(0, 0),
            component(1, 1),
            component(2, 2),
            component(0, 1),
            component(1, 2),
            component(0, 2),
        ];
        for (name, body) in every_kind() {
            let d = Discretisation::new(&body).unwrap();
            let u = affine(&d, &product, [0.0; 3]);
            for sites in sites(&body, &d) {
                for found in at(&sites, &d, law, &u) {
                    for c in 0..6 {
                        let error = (found[c] - expected[c]).abs();
                        assert!(error < 1e-11, "{name}, {}: {found:?} and {expected:?}", law.name());
                    }
                }
            }
        }
    }
}

#[test]
fn small_strains_have_the_stress_of_the_linear_path() {
    for (name, body) in every_kind() {
        let d = Discretisation::new(&body).unwrap();
        let moduli = carom_fem::constitutive::ElasticModuli::of(&d.materials[0]);
        let law = ElasticLaw::named("small-strain", moduli).unwrap();
        let u = waves(&d);
        let column = Mat::from_fn(u.len(), 1, |i, _| u[i]);
        for sites in sites(&body, &d) {
            let linear = sites.stress(&d, column.as_ref());
            let scale = linear.norm_max();
            let found = at(&sites, &d, law, &u);
            for (i, x) in found.as_flattened().iter().enumerate() {
                let error = (x - linear[(i, 0)]).abs() / scale;
                assert!(error < 1e-13, "{name}, {}: {x} and {}", i / 6, linear[(i, 0)]);
            }
        }
    }
}

#[test]
fn stress_at_a_point_of_a_cell_agrees_with_that_at_the_site() {
    let (_, body) = every_kind().into_iter().find(|(name, _)| name == "quarter ring p = 2").unwrap();
    let d = Discretisation::new(&body).unwrap();
    let u = waves(&d);
    let law = objective().next().unwrap();
    let sites = StressSites::gauss_points(&d);
    let found = at(&sites, &d, law, &u);
    let mut evaluator = CellEvaluator::new(&d);
    for (site, expected) in sites.sites.iter().zip(&found) {
        let laws = [law];
        let (point, stress) =
            stress::cauchy_at_point(&laws, &mut evaluator, site.cell, site.xi, u.as_chunks().0);
        assert_eq!(point.position, site.position);
        assert_eq!(stress, *expected);
    }
}

/// A law with history: P = H − Hₚ with a permanent part Hₚ that its history holds.
#[derive(Debug, Clone, Copy)]
struct Permanent;

impl Law for Permanent {
    fn name(&self) -> &'static str {
        "permanent"
    }

    fn is_objective(&self) -> bool {
        false
    }

    fn elastic_moduli(&self) -> ElasticModuli {
        ElasticModuli { lambda: 0.0, mu: 0.5 }
    }

    fn n_history(&self) -> usize {
        9
    }

    fn stored_energy(&self, _: &Tensor, _: &[Lanes]) -> Lanes {
        ZERO
    }

    fn stress(&self, h: &Tensor, old: &[Lanes], new: &mut [Lanes], pk1: &mut Tensor) {
        // Half of the excess over the permanent part becomes permanent.
        for k in 0..9 {
            for l in 0..LANES {
                new[k][l] = 0.5 * (h[k][l] + old[k][l]);
                pk1[k][l] = h[k][l] - new[k][l];
            }
        }
    }

    fn tangent_product(&self, _: &Tensor, _: &[Lanes], dh: &Tensor, d_pk1: &mut Tensor) {
        d_pk1.iter_mut().zip(dh).for_each(|(p, h)| *p = h.map(|x| 0.5 * x));
    }
}

#[test]
fn the_stress_of_a_law_with_history_uses_the_history_of_its_points() {
    let shear = [[1.0, 0.2, 0.0], [0.2, 1.0, 0.0], [0.0, 0.0, 1.1]];
    for (name, body) in every_kind() {
        let (d, mut internal) = internal(&body);
        let laws = laws(&d, Permanent);
        let u = affine(&d, &shear, [1.0, 2.0, 3.0]);
        let (mut history, mut force) = (internal.history(&laws), vec![0.0; u.len()]);
        for expected in [0.5, 0.25] {
            let points = internal.cauchy_stress(&laws, &u, &history).unwrap();
            assert_eq!(points.values.len(), internal.n_quadrature_points());
            let stored = PointStress::new(&d, points.rule, points.values.clone()).unwrap();
            assert_eq!(stored, points);
            for sites in sites(&body, &d) {
                for found in sites.from_points(&d, &points) {
                    let exact = [0.0, 0.0, 0.1, 0.2, 0.0, 0.0].map(|h| expected * h);
                    let error = found.iter().zip(exact).fold(0.0_f64, |a, (f, e)| a.max((f - e).abs()));
                    assert!(error < 1e-12, "{name}: {found:?} and {exact:?}");
                }
            }
            internal.force(&laws, &u, &mut history, &mut force).unwrap();
            history.commit();
        }
    }
}
