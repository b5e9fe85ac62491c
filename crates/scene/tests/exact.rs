//! Grids represent the bodies exactly: positions, fields and stresses, on volumes and surfaces.

use std::f64::consts::{FRAC_1_SQRT_2, PI};

use carom_fem::stress::{rotated, von_mises};
use carom_fem::{Body, Discretisation, Geometry, Material};
use carom_mesh::make::{HexOptions, Solid, hexahedra};
use carom_mesh::{CellBlock, CellShape, FaceRef, Mesh};
use carom_nurbs::basis::bernstein_into;
use carom_nurbs::{KnotVector, Multipatch, Near, Patch};
use carom_scene::{BodyGrid, Coloring, StressRecovery, SurfaceStressRecovery, nearest_place, picture};
use carom_vtk::order::{hexahedron_order, quadrilateral_order};

/// A quarter of a tube 1 ≤ r ≤ 2, 0 ≤ z ≤ 1.5 that begins at `quarter` · 90°, degrees (1, 2, 1).
fn quarter_tube(quarter: i32) -> Patch {
    let basis = |p: usize| KnotVector::bernstein(p).unwrap();
    let (sin, cos) = (0.5 * PI * f64::from(quarter)).sin_cos();
    let arc = [[1.0, 0.0, 1.0], [1.0, 1.0, FRAC_1_SQRT_2], [0.0, 1.0, 1.0]];
    let (mut points, mut weights) = (Vec::new(), Vec::new());
    for z in [0.0, 1.5] {
        for [x, y, w] in arc {
            for r in [1.0, 2.0] {
                points.push([r * (cos * x - sin * y), r * (sin * x + cos * y), z]);
                weights.push(w);
            }
        }
    }
    Patch::new([basis(1), basis(2), basis(1)], points, weights).unwrap()
}

/// Half a tube of two glued patches, degree 3 × 4 × 3, several knot spans of uneven size.
fn half_tube() -> Body {
    let multipatch = Multipatch::glue(vec![quarter_tube(0), quarter_tube(1)]).unwrap();
    let multipatch = multipatch.elevate(2).unwrap().elements([2, 3, 2]).unwrap();
    body(Geometry::Nurbs(multipatch), 2)
}

fn body(geometry: Geometry, n_blocks: usize) -> Body {
    let steel = Material { name: "steel".to_owned(), density: 7800.0, young: 210e9, poisson: 0.3 };
    Body {
        name: "test".to_owned(),
        geometry,
        materials: vec![steel],
        material_of_block: vec![0; n_blocks],
        sections: Vec::new(),
    }
}

fn multipatch(body: &Body) -> &Multipatch {
    match &body.geometry {
        Geometry::Nurbs(multipatch) => multipatch,
        Geometry::Mesh(_) => panic!("not a NURBS body"),
    }
}

/// Control points of the glued body.
fn control_points(multipatch: &Multipatch) -> Vec<[f64; 3]> {
    let mut points = vec![[0.0; 3]; multipatch.n_points()];
    for (patch, ids) in multipatch.patches.iter().zip(multipatch.point_ids()) {
        for (point, &id) in patch.points.iter().zip(ids) {
            points[id as usize] = *point;
        }
    }
    points
}

/// A rational Bezier cell of a grid at ξ: Σ B w v / Σ B w for control values v.
fn evaluate<const D: usize>(
    grid: &carom_vtk::Grid,
    cell: usize,
    values: &[[f64; D]],
    xi: &[f64],
) -> [f64; D] {
    let start = if cell == 0 { 0 } else { grid.offsets[cell - 1] };
    let ids = &grid.connectivity[start..grid.offsets[cell]];
    let degrees: Vec<usize> = grid.degrees[cell].iter().map(|&p| usize::from(p)).collect();
    let order = match xi.len() {
        2 => quadrilateral_order([degrees[0], degrees[1]]),
        _ => hexahedron_order([degrees[0], degrees[1], degrees[2]]),
    };
    let (mut sum, mut out) = (0.0, [0.0; D]);
    for (&id, &lexicographic) in ids.iter().zip(&order) {
        let mut rest = lexicographic;
        let mut shape = grid.rational_weights[id as usize];
        for (x, p) in xi.iter().zip(&degrees) {
            let mut b = vec![0.0; p + 1];
            bernstein_into(*p, *x, &mut b);
            shape *= b[rest % (p + 1)];
            rest /= p + 1;
        }
        sum += shape;
        for (o, v) in out.iter_mut().zip(&values[id as usize]) {
            *o += shape * v;
        }
    }
    out.map(|o| o / sum)
}

#[test]
fn bezier_cells_represent_the_body_and_its_fields() {
    let body = half_tube();
    let multipatch = multipatch(&body);
    let volume = BodyGrid::volume(&body);
    assert_eq!(volume.grid.check(), Ok(()));
    // Lattices of 7 × 13 × 7 points that share a side.
    assert_eq!(volume.grid.points.len(), 2 * 7 * 13 * 7 - 7 * 7);
    let field: Vec<[f64; 3]> =
        (0..multipatch.n_points()).map(|n| [(n as f64).sin(), (2.0 * n as f64).cos(), n as f64]).collect();
    let on_grid = volume.at_points(&field);
    for (cell, reference) in volume.cells.iter().enumerate() {
        let number = reference.block as usize;
        let patch = &multipatch.patches[number];
        let own = multipatch.point_ids()[number].iter().map(|&id| field[id as usize]).collect();
        let carrier = Patch::new(patch.basis.clone(), own, patch.weights.clone()).unwrap();
        let spans = [2, 3, 2];
        let span = [reference.cell % 2, reference.cell / 2 % 3, reference.cell / 6];
        let xi = [0.3, 0.8, 0.1];
        let u: [f64; 3] = std::array::from_fn(|d| {
            let breaks = patch.basis[d].breakpoints();
            assert_eq!(breaks.len(), spans[d] + 1);
            let k = span[d] as usize;
            breaks[k] + xi[d] * (breaks[k + 1] - breaks[k])
        });
        let (x, f) = (
            evaluate(&volume.grid, cell, &volume.grid.points, &xi),
            evaluate(&volume.grid, cell, &on_grid, &xi),
        );
        let (x_patch, f_patch) = (patch.point(u), carrier.point(u));
        for a in 0..3 {
            assert!((x[a] - x_patch[a]).abs() < 1e-13, "cell {cell}: {x:?} but {x_patch:?}");
            assert!(
                (f[a] - f_patch[a]).abs() < 1e-10 * multipatch.n_points() as f64,
                "cell {cell}: {f:?} but {f_patch:?}"
            );
        }
        assert!((1.0..=2.0).contains(&x[0].hypot(x[1])), "{x:?}");
    }
}

#[test]
fn the_surface_is_closed_and_faces_outwards() {
    for (body, volume) in [(half_tube(), 0.5 * PI * 3.0 * 1.5), (hex20_block(), 6.0)] {
        let surface = BodyGrid::surface(&body);
        assert_eq!(surface.grid.check(), Ok(()));
        assert_eq!(surface.faces.len(), surface.grid.n_cells());
        let drawn = picture(&[(&surface, Coloring::Plain(carom_scene::picture::PLAIN))], true);
        // V = 1/6 Σ a·(b × c) over triangles: second order in their size.
        let enclosed: f64 = drawn
            .triangles
            .iter()
            .map(|t| {
                let [a, b, c] = t.corners;
                a[0] * (b[1] * c[2] - b[2] * c[1])
                    + a[1] * (b[2] * c[0] - b[0] * c[2])
                    + a[2] * (b[0] * c[1] - b[1] * c[0])
            })
            .sum::<f64>()
            / 6.0;
        assert!((enclosed / volume - 1.0).abs() < 2e-3, "{enclosed} but {volume}");
    }
}

/// A displacement gradient and its stress in steel.
const GRADIENT: [[f64; 3]; 3] = [[1e-4, 3e-5, -2e-5], [1e-5, -4e-5, 6e-5], [2e-5, 0.0, 2e-5]];

fn linear(x: &[f64; 3]) -> [f64; 3] {
    GRADIENT.map(|row| row[0] * x[0] + row[1] * x[1] + row[2] * x[2])
}

fn stress_of_linear() -> [f64; 6] {
    let mu = 210e9 / 2.6;
    let lambda = 210e9 * 0.3 / (1.3 * 0.4);
    let trace = 1e-4 - 4e-5 + 2e-5;
    let [a, b, c] = GRADIENT;
    let normal = [a[0], b[1], c[2]].map(|e| lambda * trace + 2.0 * mu * e);
    [normal[0], normal[1], normal[2], mu * (a[1] + b[0]), mu * (b[2] + c[1]), mu * (a[2] + c[0])]
}

/// A block 3 × 2 × 1 of two hex20 cells.
fn hex20_block() -> Body {
    let mut mesh = Mesh::default();
    let mut connectivity = Vec::new();
    for x0 in [0.0, 1.5] {
        for node in CellShape::Hex20.reference_nodes() {
            let point = [x0 + 1.5 * node[0], 2.0 * node[1], node[2]];
            let known = mesh.points.iter().position(|p| *p == point);
            let id = known.unwrap_or_else(|| {
                mesh.points.push(point);
                mesh.points.len() - 1
            });
            connectivity.push(id as u32);
        }
    }
    mesh.blocks.push(CellBlock { shape: CellShape::Hex20, connectivity });
    body(Geometry::Mesh(mesh), 1)
}

#[test]
fn a_linear_displacement_has_one_stress_everywhere() {
    let expected = stress_of_linear();
    let tube = half_tube();
    let tube_displacement: Vec<[f64; 3]> = control_points(multipatch(&tube)).iter().map(linear).collect();
    let block = hex20_block();
    let Geometry::Mesh(mesh) = &block.geometry else { unreachable!() };
    let block_displacement: Vec<[f64; 3]> = mesh.points.iter().map(linear).collect();
    for (body, displacement) in [(&tube, tube_displacement), (&block, block_displacement)] {
        for grid in [BodyGrid::volume(body), BodyGrid::surface(body)] {
            let stress = StressRecovery::new(&grid, body).unwrap().stress(&displacement);
            assert_eq!(stress.tensor.len(), grid.grid.points.len());
            for (n, tensor) in stress.tensor.iter().enumerate() {
                for (found, wanted) in tensor.iter().zip(&expected) {
                    assert!((found - wanted).abs() < 1e-6 * 3e7, "point {n}: {tensor:?} but {expected:?}");
                }
            }
            let mises = von_mises(&expected);
            assert!(stress.von_mises.iter().all(|v| (v / mises - 1.0).abs() < 1e-6));
        }
    }
}

/// u = c z (x, y, 0) is in the spline space: x and y come from (u, v), z from w alone, so its control values
/// are the products of the control points' coordinates. Its stress is linear in x and z, which the Bezier
/// cells take exactly.
#[test]
fn a_linear_stress_is_exact_between_the_lattice_points() {
    let body = half_tube();
    let grid = BodyGrid::volume(&body);
    let c = 1e-4;
    let displacement: Vec<[f64; 3]> =
        control_points(multipatch(&body)).iter().map(|x| [c * x[2] * x[0], c * x[2] * x[1], 0.0]).collect();
    let stress = StressRecovery::new(&grid, &body).unwrap().stress(&displacement);
    let (lambda, mu) = (210e9 * 0.3 / (1.3 * 0.4), 210e9 / 2.6);
    for cell in 0..grid.grid.n_cells() {
        let xi = [0.37, 0.61, 0.83];
        let x = evaluate(&grid.grid, cell, &grid.grid.points, &xi);
        let found = evaluate(&grid.grid, cell, &stress.tensor, &xi);
        let trace = 2.0 * c * x[2];
        let normal = lambda * trace + 2.0 * mu * c * x[2];
        let expected = [normal, normal, lambda * trace, 0.0, mu * c * x[1], mu * c * x[0]];
        for (f, e) in found.iter().zip(&expected) {
            assert!((f - e).abs() < 1e-10 * lambda * c, "cell {cell}: {found:?} but {expected:?}");
        }
    }
}

/// One control point moves, as under a small contact: the stress falls to zero within two knot spans.
/// Interpolation with the degree of the cell alone would be negative there.
#[test]
fn von_mises_is_nowhere_negative() {
    let body = half_tube();
    let grid = BodyGrid::volume(&body);
    let mut displacement = vec![[0.0; 3]; multipatch(&body).n_points()];
    displacement[0] = [1e-4, 0.0, 0.0];
    let stress = StressRecovery::new(&grid, &body).unwrap().stress(&displacement);
    let mises: Vec<[f64; 1]> = stress.von_mises.iter().map(|&v| [v]).collect();
    let (mut least, mut largest) = (f64::INFINITY, 0.0_f64);
    let mut of_tensor = 0.0_f64;
    for cell in 0..grid.grid.n_cells() {
        for n in 0..9 * 9 * 9 {
            let xi = [n % 9, n / 9 % 9, n / 81].map(|i| f64::from(i) / 8.0);
            let [found] = evaluate(&grid.grid, cell, &mises, &xi);
            (least, largest) = (least.min(found), largest.max(found));
            of_tensor = of_tensor.max(von_mises(&evaluate(&grid.grid, cell, &stress.tensor, &xi)));
        }
    }
    assert!(least >= 0.0, "the least is {least:e} Pa of {largest:e} Pa");
    assert!((largest / of_tensor - 1.0).abs() < 0.05, "{largest:e} Pa, by the tensor {of_tensor:e} Pa");
}

#[test]
fn contact_pressure_is_on_its_faces() {
    let body = half_tube();
    let (volume, surface) = (BodyGrid::volume(&body), BodyGrid::surface(&body));
    let loaded = FaceRef { block: 1, cell: 5, face: 1 };
    let pressures = [(loaded, 2e9), (FaceRef { face: 3, ..loaded }, 1e9)];
    let on_surface = surface.face_values(&pressures);
    let on_volume = volume.face_values(&pressures);
    for (value, face) in on_surface.iter().zip(&surface.faces) {
        assert_eq!(*value, pressures.iter().find(|(f, _)| f == face).map_or(0.0, |(_, v)| *v));
    }
    for (value, cell) in on_volume.iter().zip(&volume.cells) {
        assert_eq!(*value, if *cell == loaded.cell() { 2e9 } else { 0.0 });
    }
}

#[test]
fn von_mises_does_not_depend_on_axes() {
    assert!((von_mises(&[3e8, 0.0, 0.0, 0.0, 0.0, 0.0]) - 3e8).abs() < 1e-6);
    assert!((von_mises(&[0.0, 0.0, 0.0, 1e8, 0.0, 0.0]) - 3f64.sqrt() * 1e8).abs() < 1e-6);
    let stress = stress_of_linear();
    let (s, c) = 0.7_f64.sin_cos();
    let turned = rotated(&stress, &[[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]]);
    assert!((von_mises(&turned) / von_mises(&stress) - 1.0).abs() < 1e-14);
    assert!((turned[0] + turned[1] + turned[2] - stress[0] - stress[1] - stress[2]).abs() < 1e-6);
}

/// A bar under uniform stress that is known only at its surface: free sides, and the loaded end.
#[test]
fn stress_at_the_surface_follows_from_surface_displacements_and_pressure() {
    let splines = body(Geometry::Nurbs(solids_box().elements([2, 3, 2]).unwrap()), 1);
    let refined =
        solids_box().elements([2, 3, 2]).unwrap().refine_near(&[Near::point([2.0, 0.5, 0.5], 0.1, 2)]);
    let refined = body(Geometry::Nurbs(refined.unwrap()), 1);
    let mesh = body(Geometry::Mesh(hex_box()), 1);
    let (young, poisson, pressure) = (210e9, 0.3, 2e6);
    for body in [splines, refined, mesh] {
        let points = Discretisation::new(&body).unwrap().points;
        let strain = -pressure / young;
        let squeezed = |[x, y, z]: [f64; 3]| [strain * x, -poisson * strain * y, -poisson * strain * z];
        let displacement: Vec<[f64; 3]> = points.into_iter().map(squeezed).collect();
        let grid = BodyGrid::surface(&body);
        let at_end = |corners: Vec<[f64; 3]>| {
            corners.iter().all(|x| x[0] < 1e-12) || corners.iter().all(|x| x[0] > 2.0 - 1e-12)
        };
        let start = |cell: usize| if cell == 0 { 0 } else { grid.grid.offsets[cell - 1] };
        let corners = |cell: usize| {
            let own = &grid.grid.connectivity[start(cell)..grid.grid.offsets[cell]];
            own.iter().map(|&n| grid.grid.points[n as usize]).collect()
        };
        let pressures: Vec<f64> =
            (0..grid.cells.len()).map(|cell| if at_end(corners(cell)) { pressure } else { 0.0 }).collect();
        let recovery = SurfaceStressRecovery::new(&grid, &body).unwrap();
        let stress = recovery.stress(&displacement, &pressures);
        let sampled = recovery.sampled(&displacement, &pressures);
        assert!(sampled.error.iter().all(|error| *error < 1e-9 * pressure));
        assert!(sampled.tensor.iter().all(|tensor| (tensor[0] / pressure + 1.0).abs() < 1e-9));
        let ones = recovery.at_grid_points(&vec![1.0; sampled.error.len()]);
        assert!(ones.iter().all(|x| (x - 1.0).abs() < 1e-12));
        for (tensor, von_mises) in stress.tensor.iter().zip(&stress.von_mises) {
            assert!((tensor[0] / pressure + 1.0).abs() < 1e-9, "{tensor:?}");
            assert!(tensor[1..].iter().all(|s| s.abs() < 1e-9 * pressure), "{tensor:?}");
            assert!((von_mises / pressure - 1.0).abs() < 1e-9, "{von_mises}");
        }
    }
}

/// The stress at single places, and the mean over several, by the cells that meet there alone.
#[test]
fn stress_at_places_is_that_of_the_whole_surface() {
    let splines = Geometry::Nurbs(solids_box().elements([2, 3, 2]).unwrap());
    let refined =
        solids_box().elements([2, 3, 2]).unwrap().refine_near(&[Near::point([2.0, 0.5, 0.5], 0.1, 2)]);
    for geometry in [splines, Geometry::Nurbs(refined.unwrap()), Geometry::Mesh(hex_box())] {
        let body = body(geometry, 1);
        let points = Discretisation::new(&body).unwrap().points;
        let displaced = |[x, y, z]: [f64; 3]| [1e-4 * (x * y).sin(), 2e-4 * x * z, 1e-4 * (y - z * x).cos()];
        let displacement: Vec<[f64; 3]> = points.into_iter().map(displaced).collect();
        let grid = BodyGrid::surface(&body);
        let pressures: Vec<f64> = (0..grid.cells.len()).map(|cell| 1e6 * (cell % 5) as f64).collect();
        let recovery = SurfaceStressRecovery::new(&grid, &body).unwrap();
        let (all, places) = (recovery.sampled(&displacement, &pressures).tensor, recovery.sample_places());
        let at = |places: &[usize]| {
            let near = recovery.at(places);
            let own: Vec<f64> = near.cells().iter().map(|&cell| pressures[cell]).collect();
            assert!(near.cells().len() < grid.cells.len());
            near.stress(&displacement, &own)
        };
        for place in (0..places.len()).step_by(7) {
            assert_eq!(at(&[place]), all[place]);
        }
        // Places of a set: those on its plane.
        let sides = places.iter().enumerate().filter(|(_, x)| x[0] > 2.0 - 1e-12).map(|(place, _)| place);
        let set = if matches!(body.geometry, Geometry::Mesh(_)) { "east" } else { "patch0:east" };
        let own = recovery.places_of_set(&grid, &body, set).unwrap();
        assert_eq!(own, sides.collect::<Vec<_>>());
        let mean = |c: usize| own.iter().map(|&place| all[place][c]).sum::<f64>() / own.len() as f64;
        let found = at(&own);
        assert!((0..6).all(|c| (found[c] - mean(c)).abs() < 1e-12 * found[c].abs().max(1e6)), "{found:?}");
        let error = recovery.places_of_set(&grid, &body, "nowhere").unwrap_err().to_string();
        assert!(error.contains("nowhere"), "{error}");
        assert_eq!(nearest_place(&places, &[1.9, 0.99, 1.2].into()), nearest(&places, [2.0, 1.0, 1.0]));
    }
}

/// The place at a point.
fn nearest(places: &[[f64; 3]], x: [f64; 3]) -> Option<usize> {
    places.iter().position(|place| (0..3).all(|d| (place[d] - x[d]).abs() < 1e-9))
}

/// Mean error, mean estimate and share of places within it of the stress of a bent box, away from its loaded
/// ends, over the largest stress there: σ_xx = −E κ (y − ½), and no other stress.
fn errors_of_bending(mesh: Mesh) -> (f64, f64, f64) {
    let (young, poisson, curvature) = (210e9, 0.3, 1e-3);
    let body = body(Geometry::Mesh(mesh), 1);
    let bent = |[x, y, z]: [f64; 3]| {
        let (y, z) = (y - 0.5, z - 0.5);
        let lift = 0.5 * (x * x + poisson * (y * y - z * z));
        [-curvature * x * y, curvature * lift, curvature * poisson * y * z]
    };
    let points = Discretisation::new(&body).unwrap().points;
    let displacement: Vec<[f64; 3]> = points.into_iter().map(bent).collect();
    let grid = BodyGrid::surface(&body);
    let recovery = SurfaceStressRecovery::new(&grid, &body).unwrap();
    let (places, found) = (recovery.sample_places(), recovery.sampled(&displacement, &[]));
    let inside: Vec<usize> = (0..places.len()).filter(|&k| (places[k][0] - 1.0).abs() < 0.45).collect();
    let largest = 0.5 * young * curvature;
    let error = |k: usize| {
        let mut difference = found.tensor[k];
        difference[0] += young * curvature * (places[k][1] - 0.5);
        von_mises(&difference) / largest
    };
    let n = inside.len() as f64;
    let mean = |of: &dyn Fn(usize) -> f64| inside.iter().map(|&k| of(k)).sum::<f64>() / n;
    let within = inside.iter().filter(|&&k| error(k) <= found.error[k] / largest).count() as f64 / n;
    (mean(&error), mean(&|k| found.error[k] / largest), within)
}

#[test]
fn the_error_of_a_stress_falls_with_the_cells_and_bounds_it() {
    let mesh = |shape, n: usize| {
        let options = HexOptions { shape, elements: vec![2 * n, n, n], ..HexOptions::default() };
        hexahedra(Solid::Box { size: [2.0, 1.0, 1.0] }, &options).unwrap()
    };
    let (coarse, fine) =
        (errors_of_bending(mesh(CellShape::Hex8, 4)), errors_of_bending(mesh(CellShape::Hex8, 8)));
    assert!(coarse.0 > 1.7 * fine.0 && coarse.1 > 1.7 * fine.1, "{coarse:?} {fine:?}");
    assert!(coarse.2 > 0.9 && fine.2 > 0.9, "{coarse:?} {fine:?}");
    assert!(fine.1 < 10.0 * fine.0, "{fine:?}");
    // Cells of the second degree bend exactly.
    let exact = errors_of_bending(mesh(CellShape::Hex20, 4));
    assert!(exact.0 < 1e-9 && exact.1 < 1e-9, "{exact:?}");
}

/// A NURBS block of 2 m × 1 m × 1 m.
fn solids_box() -> Multipatch {
    carom_nurbs::solids::block([2.0, 1.0, 1.0]).unwrap()
}

/// The block of 2 × 1 × 1 m as two hexahedra of second order.
fn hex_box() -> Mesh {
    let options = HexOptions {
        shape: CellShape::Hex20,
        elements: vec![2, 1, 1],
        gradings: Vec::new(),
        pole_radius: None,
    };
    hexahedra(Solid::Box { size: [2.0, 1.0, 1.0] }, &options).unwrap()
}
