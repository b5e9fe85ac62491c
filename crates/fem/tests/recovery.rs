//! Stress of many fields at nodes and Gauss points: patch tests, direct evaluation, materials side by side.

use crate::bodies::{block, distort, mixed, nurbs_body, quarter_ring, spline_block};
use carom_fem::constitutive::{ElasticLaw, ElasticModuli, Hardening, Plastic, SolidLaw};
use carom_fem::internal_force::{InternalForce, PointRule, PointStress};
use carom_fem::recovery::PointFit;
use carom_fem::stress::{at_point, cauchy_of_gradient, of_gradient, rotated, von_mises};
use carom_fem::{
    Body, CellEvaluator, Cells, Discretisation, Geometry, Material, PlaceRecovery, Stress, StressAt,
    StressSite, StressSites, material_point,
};
use carom_mesh::{CellBlock, CellRef, CellShape};
use carom_nurbs::Near;
use carom_nurbs::solids;
use faer::Mat;
use nalgebra::{Rotation3, Vector3};

const H: [[f64; 3]; 3] = [[1.0, 0.2, -0.4], [0.5, -0.7, 0.3], [0.1, 0.9, 0.6]];

fn linear(points: &[[f64; 3]]) -> Mat<f64> {
    Mat::from_fn(3 * points.len(), 1, |dof, _| {
        let x = points[dof / 3];
        1e-3 * (0..3).map(|d| H[dof % 3][d] * x[d]).sum::<f64>()
    })
}

/// A block whose left half is steel and whose right half is aluminium.
fn two_materials(shape: CellShape) -> Body {
    let mut body = block(shape, 2, |x| distort(x, 0.02));
    let Geometry::Mesh(mesh) = &mut body.geometry else { unreachable!() };
    let cells: Vec<u32> = mesh.blocks[0].connectivity.clone();
    let n = shape.n_nodes();
    let is_left = |cell: &[u32]| {
        let mean: f64 = cell.iter().map(|&k| mesh.points[k as usize][0]).sum::<f64>() / n as f64;
        mean < 0.5
    };
    let (left, right): (Vec<&[u32]>, Vec<&[u32]>) = cells.chunks_exact(n).partition(|cell| is_left(cell));
    mesh.blocks = [left, right].map(|cells| CellBlock { shape, connectivity: cells.concat() }).to_vec();
    body.materials.push(Material::named("aluminium").unwrap());
    body.material_of_block = vec![0, 1];
    body
}

fn every_body() -> Vec<(String, Body)> {
    let mut all: Vec<(String, Body)> = CellShape::SOLIDS
        .iter()
        .map(|&shape| (shape.name().to_owned(), block(shape, 2, |x| distort(x, 0.03))))
        .collect();
    all.extend(
        CellShape::SOLIDS.iter().map(|&shape| (format!("{} of two", shape.name()), two_materials(shape))),
    );
    all.push(("mixed, order 1".to_owned(), mixed(1, |x| distort(x, 0.03))));
    all.push(("mixed, order 2".to_owned(), mixed(2, |x| distort(x, 0.03))));
    all.push(("spline".to_owned(), spline_block(2, 3, |x| distort(x, 0.02))));
    all.push(("ring".to_owned(), quarter_ring(3, 2)));
    let ball = solids::ball(1.0, None).unwrap().elements([2; 3]).unwrap();
    all.push(("ball".to_owned(), nurbs_body(ball.clone())));
    all.push((
        "refined ball".to_owned(),
        nurbs_body(ball.refine_near(&[Near::point([0.0, 0.0, 1.0], 0.05, 2)]).unwrap()),
    ));
    all
}

fn both(body: &Body, discretisation: &Discretisation) -> [StressSites; 2] {
    [StressSites::nodes(body, discretisation), StressSites::gauss_points(discretisation)]
}

#[test]
fn a_linear_displacement_has_the_stress_of_each_material_everywhere() {
    for (name, body) in every_body() {
        let discretisation = Discretisation::new(&body).unwrap();
        let u = linear(&discretisation.points);
        for sites in both(&body, &discretisation) {
            let found = sites.stress(&discretisation, u.as_ref());
            for (i, site) in sites.sites.iter().enumerate() {
                let material = &discretisation.materials[site.material as usize];
                let expected = of_gradient(material, &H.map(|row| row.map(|h| 1e-3 * h)));
                if sites.n_cells(i) == 0 {
                    continue;
                }
                for c in 0..6 {
                    let error = (found[(6 * i + c, 0)] - expected[c]).abs() / von_mises(&expected);
                    assert!(error < 1e-9, "{name}, {:?}: {error:e} at {:?}", sites.at, site.position);
                }
            }
        }
    }
}

#[test]
fn the_stress_at_gauss_points_is_linear_in_the_modes() {
    for (name, body) in every_body() {
        let discretisation = Discretisation::new(&body).unwrap();
        let n = discretisation.n_dofs();
        // The number of fields exceeds a batch.
        let modes = Mat::from_fn(n, 37, |i, k| ((i * (k + 2)) as f64 * 0.37 + k as f64).sin() * 1e-6);
        let q: Vec<f64> = (0..37).map(|k| (k as f64 * 1.3).cos()).collect();
        let sites = StressSites::gauss_points(&discretisation);
        let of_modes = sites.stress(&discretisation, modes.as_ref());
        let sum: Vec<[f64; 3]> = (0..n / 3)
            .map(|i| [0, 1, 2].map(|a| (0..37).map(|k| modes[(3 * i + a, k)] * q[k]).sum()))
            .collect();
        let mut evaluator = CellEvaluator::new(&discretisation);
        let (mut worst, mut largest) = (0.0_f64, 0.0_f64);
        for (i, site) in sites.sites.iter().enumerate() {
            let (point, direct) = at_point(&discretisation, &mut evaluator, site.cell, site.xi, &sum);
            assert_eq!(point.position, site.position);
            for c in 0..6 {
                let added: f64 = (0..37).map(|k| of_modes[(6 * i + c, k)] * q[k]).sum();
                worst = worst.max((added - direct[c]).abs());
                largest = largest.max(direct[c].abs());
            }
        }
        assert!(worst < 1e-12 * largest, "{name}: {:e}", worst / largest);
    }
}

#[test]
fn each_material_has_its_own_site_at_a_common_node() {
    for shape in CellShape::SOLIDS {
        let body = two_materials(shape);
        let discretisation = Discretisation::new(&body).unwrap();
        let sites = StressSites::nodes(&body, &discretisation);
        let mut materials = vec![Vec::new(); discretisation.n_points()];
        for site in &sites.sites {
            materials[site.node.unwrap() as usize].push(site.material);
        }
        for (x, own) in discretisation.points.iter().zip(&materials) {
            let expected: &[u32] = match x[0] {
                x if (x - 0.5).abs() < 0.1 && own.len() == 2 => &[0, 1],
                x if x < 0.5 => &[0],
                _ => &[1],
            };
            assert_eq!(own, expected, "{shape:?} at {x:?}");
        }
        let double = materials.iter().filter(|own| own.len() == 2).count();
        // Quadrilaterals without a middle node have 21, others of second order 25.
        let on_plane = match shape {
            _ if shape.order() == 1 => 9,
            CellShape::Hex20 | CellShape::Wedge15 | CellShape::Pyramid13 => 21,
            _ => 25,
        };
        assert_eq!(double, on_plane, "{shape:?}");
    }
}

#[test]
fn sites_of_the_surface_are_a_subset_with_the_same_stress() {
    for (name, body) in every_body() {
        let discretisation = Discretisation::new(&body).unwrap();
        let n = discretisation.n_dofs();
        let u = Mat::from_fn(n, 2, |i, k| ((i * (k + 2)) as f64 * 0.71).sin());
        for all in both(&body, &discretisation) {
            let stress = all.stress(&discretisation, u.as_ref());
            let some = all.clone().on_surface(&body);
            let on_surface = some.stress(&discretisation, u.as_ref());
            assert!(!some.is_empty() && some.len() <= all.len(), "{name}");
            let mut next = 0;
            for (i, site) in some.sites.iter().enumerate() {
                next += all.sites[next..].iter().position(|other| other == site).unwrap();
                for (c, k) in (0..6).flat_map(|c| (0..2).map(move |k| (c, k))) {
                    assert_eq!(on_surface[(6 * i + c, k)], stress[(6 * next + c, k)], "{name} {site:?}");
                }
                next += 1;
            }
            if all.at == StressAt::Nodes
                && body.materials.len() == 1
                && matches!(body.geometry, Geometry::Mesh(_))
            {
                let surface = discretisation.surface(&body.boundary_faces()).points;
                let mut nodes: Vec<u32> = some.sites.iter().map(|site| site.node.unwrap()).collect();
                nodes.sort_unstable();
                assert_eq!(nodes, surface, "{name}");
            }
        }
    }
}

#[test]
fn results_are_the_same_bits_for_any_number_of_threads() {
    let body = block(CellShape::Tet10, 2, |x| distort(x, 0.03));
    let discretisation = Discretisation::new(&body).unwrap();
    let u = Mat::from_fn(discretisation.n_dofs(), 100, |i, k| ((i * (k + 2)) as f64 * 0.71).sin());
    let sites = StressSites::nodes(&body, &discretisation);
    let with = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| sites.stress(&discretisation, u.as_ref()))
    };
    assert_eq!(with(1), with(3));
}

/// The solid cell that contains a point, with its parameters.
fn place(body: &Body, discretisation: &Discretisation, x: [f64; 3]) -> (CellRef, [f64; 3]) {
    let found = material_point(body, discretisation, x).unwrap();
    (found.cell, found.xi)
}

fn laws(discretisation: &Discretisation, name: &str) -> Vec<SolidLaw> {
    let law = |block: &carom_fem::Block| {
        let moduli = ElasticModuli::of(&discretisation.materials[block.material]);
        SolidLaw::Elastic(ElasticLaw::named(name, moduli).unwrap())
    };
    discretisation.blocks.iter().map(law).collect()
}

/// A uniform stress is that of each place: in cells, on faces that they share, at corners and on sets.
#[test]
fn a_linear_displacement_has_its_stress_at_every_place() {
    let rules = [PointRule::default(), PointRule::MeanDilatation, PointRule::OnePoint];
    for (name, body) in every_body().into_iter().filter(|(name, _)| !name.contains("of two")) {
        let discretisation = Discretisation::new(&body).unwrap();
        let u: Vec<f64> = linear(&discretisation.points).col_as_slice(0).to_vec();
        let laws = laws(&discretisation, "small-strain");
        let expected = of_gradient(&discretisation.materials[0], &H.map(|row| row.map(|h| 1e-3 * h)));
        let middle = [0.41, 0.33, 0.27];
        let places = [middle, [0.0, 0.0, 1.0], [0.7, 0.7, 0.05], [0.9, 0.1, 0.3]];
        for rule in rules {
            let of = (&body, &discretisation);
            let mut all: Vec<PlaceRecovery> = places
                .iter()
                .map(|&x| PlaceRecovery::at(of, (rule, &laws), place(&body, &discretisation, x)))
                .collect();
            for set in body.set_names().into_iter().take(2) {
                all.extend(PlaceRecovery::of_set(of, (rule, &laws), &set).unwrap());
            }
            for recovery in &all {
                let found = recovery.stress(&laws, &u, None);
                let error = (0..6).map(|c| (found[c] - expected[c]).abs()).fold(0.0, f64::max);
                assert!(error < 1e-8 * von_mises(&expected), "{name} {rule:?}: {error:e}");
            }
        }
        // A turned body with turned displacements has the turned stress.
        let turn = Rotation3::new(Vector3::new(0.4, -0.7, 0.2)).into_inner();
        let rows = [0, 1, 2].map(|a| [0, 1, 2].map(|b| turn[(a, b)]));
        let u: Vec<f64> =
            u.as_chunks::<3>().0.iter().flat_map(|u| <[f64; 3]>::from(turn * Vector3::from(*u))).collect();
        let of = (&body, &discretisation);
        let recovery = PlaceRecovery::at(of, (rules[0], &laws), place(&body, &discretisation, middle));
        let (found, expected) = (recovery.turned(&turn).stress(&laws, &u, None), rotated(&expected, &rows));
        let error = (0..6).map(|c| (found[c] - expected[c]).abs()).fold(0.0, f64::max);
        assert!(error < 1e-8 * von_mises(&expected), "{name}: {error:e}");
    }
}

/// At a node the stress is that of the site of the node, for every law and every kind of cell.
#[test]
fn the_stress_at_a_node_is_the_mean_of_its_cells() {
    for (name, body) in every_body() {
        let Geometry::Mesh(_) = body.geometry else { continue };
        let discretisation = Discretisation::new(&body).unwrap();
        let n = discretisation.n_dofs();
        let u: Vec<f64> = (0..n).map(|i| 2e-3 * (i as f64 * 0.71).sin()).collect();
        let vectors = u.as_chunks::<3>().0;
        let sites = StressSites::nodes(&body, &discretisation);
        for law in ["small-strain", "neo-hookean"] {
            let laws = laws(&discretisation, law);
            for rule in [PointRule::default(), PointRule::MeanDilatation, PointRule::OnePoint] {
                let is_large = law != "small-strain";
                let all = sites.stress_by_rule(&discretisation, vectors, rule, is_large, |cell, h| {
                    cauchy_of_gradient(&laws[cell.block as usize], h)
                });
                let largest = all.iter().map(von_mises).fold(0.0, f64::max);
                for (site, expected) in sites.sites.iter().zip(&all).step_by(7) {
                    let of = (&body, &discretisation);
                    let recovery = PlaceRecovery::at(of, (rule, &laws), (site.cell, site.xi));
                    let found = recovery.stress(&laws, &u, None);
                    let error = (0..6).map(|c| (found[c] - expected[c]).abs()).fold(0.0, f64::max);
                    assert!(error < 1e-9 * largest, "{name} {law} {rule:?}: {error:e}");
                }
            }
        }
    }
}

/// After yielding the stress is that of the points of the scheme, fitted to the nodes.
#[test]
fn a_yielded_body_has_the_stress_of_its_own_points() {
    for (name, body) in every_body() {
        let Geometry::Mesh(_) = body.geometry else { continue };
        let discretisation = Discretisation::new(&body).unwrap();
        let plastic = |block: &carom_fem::Block| {
            let moduli = ElasticModuli::of(&discretisation.materials[block.material]);
            SolidLaw::Plastic(Plastic::new(moduli, Hardening::linear(200e6, 1e9).unwrap()).unwrap())
        };
        let laws: Vec<SolidLaw> = discretisation.blocks.iter().map(plastic).collect();
        let n = discretisation.n_dofs();
        for rule in [PointRule::default(), PointRule::MeanDilatation, PointRule::OnePoint] {
            let mut internal = InternalForce::new(&discretisation, rule).unwrap();
            let mut history = internal.history(&laws);
            let (mut u, mut force) = (vec![0.0; n], vec![0.0; n]);
            for factor in [1.0, 2.0, 1.5] {
                u = (0..n).map(|i| factor * 2e-3 * (i as f64 * 0.71).sin()).collect();
                internal.force(&laws, &u, &mut history, &mut force).unwrap();
                history.commit();
            }
            let strains = internal.plastic_strain(&laws, &history);
            assert!(strains.iter().any(|strain| *strain > 1e-3), "{name}");
            let points = internal.cauchy_stress(&laws, &u, &history).unwrap();
            let sites = StressSites::nodes(&body, &discretisation);
            // Sites of cells are means of the fits at the nodes themselves.
            let all = fitted(&discretisation, &sites, &points);
            let largest = all.iter().map(von_mises).fold(0.0, f64::max);
            for (site, expected) in sites.sites.iter().zip(&all).step_by(5) {
                let of = (&body, &discretisation);
                let recovery = PlaceRecovery::at(of, (rule, &laws), (site.cell, site.xi));
                let found = recovery.with_history(&internal).stress(&laws, &u, Some(&history));
                let error = (0..6).map(|c| (found[c] - expected[c]).abs()).fold(0.0, f64::max);
                assert!(error < 1e-9 * largest, "{name} {rule:?}: {error:e} of {largest:e}");
            }
        }
    }
}

/// The means over the cells at each site of the fits through their quadrature points.
fn fitted(discretisation: &Discretisation, sites: &StressSites, points: &PointStress) -> Vec<Stress> {
    let at = |site: &StressSite| {
        let (mut sum, mut count) = ([0.0; 6], 0.0);
        for (i_block, block) in discretisation.blocks.iter().enumerate() {
            let Cells::Lagrange { shape, connectivity } = &block.cells else { continue };
            if block.material as u32 != site.material {
                continue;
            }
            let fit = PointFit::new(&block.cells, points.rule);
            for (cell, nodes) in connectivity.chunks_exact(shape.n_nodes()).enumerate() {
                let Some(local) = nodes.iter().position(|node| Some(*node) == site.node) else { continue };
                let cell = CellRef { block: i_block as u32, cell: cell as u32 };
                let row = fit.row(shape.reference_nodes()[local]);
                let own = PointFit::sum(&row, points.of_cell(cell));
                (0..6).for_each(|c| sum[c] += own[c]);
                count += 1.0;
            }
        }
        sum.map(|sum| sum / count)
    };
    sites.sites.iter().map(at).collect()
}
