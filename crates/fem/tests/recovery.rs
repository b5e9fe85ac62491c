//! Stress of many fields at nodes and Gauss points: patch tests, direct evaluation, materials side by side.

use crate::bodies::{block, distort, mixed, nurbs_body, quarter_ring, spline_block};
use carom_fem::stress::{at_point, of_gradient, von_mises};
use carom_fem::{Body, CellEvaluator, Discretisation, Geometry, Material, StressAt, StressSites};
use carom_mesh::{CellBlock, CellShape};
use carom_nurbs::Near;
use carom_nurbs::solids;
use faer::Mat;

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
