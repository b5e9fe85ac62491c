//! The compliance of a body whose response is known: an elastic layer on a rigid, smooth base.
//!
//! Its surface answers a pressure of the wave number k by 2/(E* k) L(kT) with L(w) = (cosh 2w − 1)/(sinh 2w +
//! 2w), the half-space by 2/(E* k) (Johnson, *Contact Mechanics*, section 5.8). So the response to the loads
//! is a Hankel integral, and the contact of a paraboloid can be solved with the layer's own compliance.

use carom_mesh::FaceShape;
use std::f64::consts::PI;

use super::*;
use crate::half_space::LoadedSurface;
use crate::half_space::bessel::bessel;
use crate::patch::PatchPlane;
use crate::solver::ActiveSet;
use crate::test_surfaces::plate;

const STEEL: HalfSpace = HalfSpace { shear: 210e9 / 2.6, poisson: 0.3 };
const THICKNESS: f64 = 0.01;

fn layer_factor(w: f64) -> f64 {
    if w > 20.0 { 1.0 } else { ((2.0 * w).cosh() - 1.0) / ((2.0 * w).sinh() + 2.0 * w) }
}

/// ∫ g(k) J₀(kd) dk over k in 1/T, up to `largest`, d in T, tabulated over d.
struct Radial {
    values: Vec<f64>,
}

impl Radial {
    const STEP: f64 = 1.0 / 24.0;

    fn new(largest: f64, farthest: f64, g: impl Fn(f64) -> f64) -> Self {
        let n = 400;
        let step = largest / f64::from(n);
        let wave: Vec<(f64, f64)> = (0..=n)
            .map(|i| {
                let k = (step * f64::from(i)).max(1e-9);
                let simpson = if i == 0 || i == n { 1.0 } else { [2.0, 4.0][i as usize % 2] };
                (k, simpson * step / 3.0 * g(k))
            })
            .collect();
        let at = |m: usize| wave.iter().map(|(k, w)| w * bessel(k * Self::STEP * m as f64)[0]).sum();
        Self { values: (0..(farthest / Self::STEP) as usize + 4).map(at).collect() }
    }

    /// Cubic interpolation; the function is even.
    fn at(&self, d: f64) -> f64 {
        let x = d / Self::STEP;
        let (i, t) = (x as usize, x.fract());
        let value = |k: isize| self.values[(i as isize + k).unsigned_abs()];
        -t * (t - 1.0) * (t - 2.0) / 6.0 * value(-1) + (t + 1.0) * (t - 1.0) * (t - 2.0) / 2.0 * value(0)
            - (t + 1.0) * t * (t - 2.0) / 2.0 * value(1)
            + (t + 1.0) * t * (t - 1.0) / 6.0 * value(2)
    }
}

/// Places on a hexagonal lattice around the origin.
fn layer_places(spacing: f64, rings: i32) -> Vec<Vector3<f64>> {
    let lattice = (-rings..=rings).flat_map(|i| (-rings..=rings).map(move |j| (f64::from(i), f64::from(j))));
    lattice
        .map(|(i, j)| spacing * Vector3::new(i + 0.5 * j, 0.75f64.sqrt() * j, 0.0))
        .filter(|x| x.norm() < spacing * (f64::from(rings) + 0.1))
        .collect()
}

/// A layer with places on a hexagonal lattice around the origin.
fn layer(kernel: Kernel, radius: f64, spacing: f64, rings: i32) -> PlacedBody {
    let positions = layer_places(spacing, rings);
    let (ratio, unit) = (radius / THICKNESS, 1.0 / (PI * STEEL.contact_modulus() * THICKNESS));
    let farthest = 2.0 * f64::from(rings + 1) * spacing / THICKNESS;
    // ŝ has fallen to 1e-4 at k r₀ = 30.
    let response =
        Radial::new(30.0 / ratio, farthest, |k| kernel.transform(k * ratio).powi(2) * layer_factor(k));
    let n = positions.len();
    let matrix = Mat::from_fn(3 * n, 3 * n, |i, k| {
        let d = (positions[i / 3] - positions[k / 3]).norm() / THICKNESS;
        if i % 3 == 2 && k % 3 == 2 { unit * response.at(d) } else { 0.0 }
    });
    let loads = Loads { kernel, radius, spacing };
    PlacedBody::new(loads, STEEL, positions, vec![Vector3::z(); n], matrix).unwrap()
}

fn grid_at(center: Vector3<f64>, side: f64, radius: f64) -> PressureGrid {
    PressureGrid::disc(PatchPlane { center, axes: Matrix3::identity() }, side, radius)
}

/// The layer's own compliance: Love's, and the rest by a Hankel integral that decays with e^(−2kT).
fn exact(grid: &PressureGrid, farthest: f64) -> Mat<f64> {
    let (h, unit) = (grid.side / THICKNESS, 1.0 / (PI * STEEL.contact_modulus() * THICKNESS));
    // The mean over both cells reduces waves by 1 − k²h²/12.
    let rest =
        Radial::new(16.0, farthest / THICKNESS, |k| (layer_factor(k) - 1.0) * (1.0 - k * k * h * h / 12.0));
    let mut matrix = grid.normal_compliance(&STEEL);
    for i in 0..grid.len() {
        for k in 0..grid.len() {
            let (x, y) = (grid.middle(i), grid.middle(k));
            let d = (x[0] - y[0]).hypot(x[1] - y[1]) / THICKNESS;
            matrix[(i, k)] += unit * rest.at(d);
        }
    }
    matrix
}

fn forces(matrix: &Mat<f64>, gap: &[f64]) -> Vec<f64> {
    let mut solver = ActiveSet::new();
    solver.set_matrix(gap.len(), |i, k| matrix[(i, k)]);
    let mut force = vec![0.0; gap.len()];
    solver.solve(gap, &mut force).unwrap();
    force
}

/// Errors of the force on a layer in %, and of its pressure, for a contact of `part` thicknesses.
fn layer_errors(body: &PlacedBody, part: f64) -> [f64; 3] {
    let a = part * THICKNESS;
    let grid = grid_at(Vector3::new(0.07, 0.11, 0.0) * THICKNESS, a / 5.0, 1.15 * a);
    let compliance = body.on_grid(&grid, Directions::Normal).unwrap();
    let reference = exact(&grid, 2.4 * a);
    let paraboloid = |x: [f64; 2]| 0.5 * (x[0] * x[0] + x[1] * x[1] - a * a) / 0.3;
    let gap: Vec<f64> = (0..grid.len()).map(|cell| grid.averaged(cell, paraboloid)).collect();
    let (split, own) = (forces(&compliance.matrix, &gap), forces(&reference, &gap));
    let half = forces(&grid.normal_compliance(&STEEL), &gap);
    let [f, g, alone] = [&split, &own, &half].map(|f| f.iter().sum::<f64>());
    let largest = own.iter().fold(0.0, |a: f64, b| a.max(*b));
    let pressure = (0..grid.len()).map(|i| (split[i] - own[i]).abs() / largest).fold(0.0, f64::max);
    [f / g - 1.0, pressure, alone / g - 1.0].map(|e| 100.0 * e)
}

#[test]
fn a_paraboloid_on_a_layer_has_the_force_of_the_layer_at_any_size() {
    // A prototype without common code: the convolution with z2 at r₀ = T/2 is within 0.03 % of the approach
    // up to a = 1.4 T, the pressure within 0.5 %. F ~ d^(3/2), so 0.05 % of the force. Places add the error
    // of the weights, which are exact for quadratic fields of an even response: of fourth order in their
    // distance.
    let errors = [(0.5, 6), (0.25, 12)].map(|(spacing, rings)| {
        let body = layer(Kernel::ZeroMoment, 0.5 * THICKNESS, spacing * THICKNESS, rings);
        [0.1, 0.5, 1.4].map(|part| layer_errors(&body, part))
    });
    for (part, k) in [0.1, 0.5, 1.4].into_iter().zip(0..) {
        let [coarse, fine] = [errors[0][k], errors[1][k]];
        let limit = (16.0 * fine[0] - coarse[0]) / 15.0;
        println!(
            "a = {part} T: force {:+.4} % and {:+.4} % (limit {limit:+.4} %), pressure {:.3} % and {:.3} %, \
             half-space alone {:+.1} %",
            coarse[0], fine[0], coarse[1], fine[1], fine[2]
        );
        assert!(limit.abs() < 0.05 && fine[1] < 0.5, "a = {part} T: {errors:?}");
        assert!(k == 2 || (coarse[0] / fine[0] - 16.0).abs() < 9.0, "a = {part} T: {errors:?}");
    }
}

/// Smallest eigenvalue of G − cᵀ H c scaled to unit diagonal: that of the compliance of a body which does not
/// deform beyond its surface, A = 0. The response of any body, A ≥ 0, adds to it.
///
/// * `size` — radius of the patch in r₀, with cells of r₀/2 beside the middle between places
fn least_of_stiffest(kernel: Kernel, spacing: f64, order: Order, size: f64) -> f64 {
    let radius = 0.01;
    let rings = ((size + 4.0) / spacing).ceil() as i32;
    let lattice = layer_places(spacing * radius, rings);
    let n = lattice.len();
    let loads = Loads { kernel, radius, spacing: spacing * radius };
    let body =
        PlacedBody::new(loads, STEEL, lattice, vec![Vector3::z(); n], Mat::zeros(3 * n, 3 * n)).unwrap();
    let grid = grid_at(Vector3::new(0.13, 0.21, 0.0) * radius, 0.5 * radius, size * radius);
    let matrix = body.with_weights(&grid, Directions::Normal, order).unwrap().matrix;
    let scaled = Mat::from_fn(grid.len(), grid.len(), |i, k| {
        matrix[(i, k)] / (matrix[(i, i)] * matrix[(k, k)]).sqrt()
    });
    scaled.self_adjoint_eigenvalues(faer::Side::Lower).unwrap()[0]
}

/// The numerical proof of definiteness for loads at places (docs/theory/half-space.md, section 11.1).
#[test]
fn the_dent_alone_is_definite_whatever_the_body() {
    let cases = [
        ("q2, quadratic weights", Kernel::Quadratic, 1.0, Order::Quadratic),
        ("q2, linear weights", Kernel::Quadratic, 1.0, Order::Linear),
        ("z2, quadratic weights", Kernel::ZeroMoment, 0.5, Order::Quadratic),
    ];
    for (name, kernel, spacing, order) in cases {
        let found = [1.5, 3.0, 6.0].map(|size| least_of_stiffest(kernel, spacing, order, size));
        println!("{name}: {:.1e}, {:.1e}, {:.1e}", found[0], found[1], found[2]);
        assert!(found.iter().all(|least| *least > 0.0), "{name}: {found:?}");
    }
}

#[test]
fn the_compliance_is_symmetric_and_definite_for_both_kernels() {
    for (kernel, order) in [
        (Kernel::Quadratic, Order::Quadratic),
        (Kernel::Quadratic, Order::Linear),
        (Kernel::ZeroMoment, Order::Quadratic),
    ] {
        let radius = 0.5 * THICKNESS;
        let body = layer(kernel, radius, radius, 7);
        // Cells of r₀/2 over a patch of 3 r₀ and of 8 r₀ across.
        for size in [1.5, 4.0] {
            let grid = grid_at(Vector3::new(1e-4, 2e-4, 0.0), 0.5 * radius, size * radius);
            let found = body.with_weights(&grid, Directions::Normal, order).unwrap();
            let n = grid.len();
            println!("{kernel} {order:?} {size}: pivot {:.2e}, {:?}", found.pivot, found.linear);
            assert!(found.pivot > 1e-4, "{kernel} {order:?} {size}: {}", found.pivot);
            assert!((0..n * n).all(|m| found.matrix[(m / n, m % n)] == found.matrix[(m % n, m / n)]));
        }
    }
}

#[test]
fn the_wandering_force_is_the_slope_of_the_energy() {
    let body = layer(Kernel::Quadratic, 0.5 * THICKNESS, 0.5 * THICKNESS, 5);
    let side = 0.1 * THICKNESS;
    let start = Vector3::new(0.13, -0.21, 0.0) * THICKNESS;
    let found = |shift: [f64; 2]| {
        let center = start + Vector3::new(shift[0], shift[1], 0.0);
        let grid = grid_at(center, side, 0.4 * THICKNESS);
        body.with_weights(&grid, Directions::Normal, Order::Quadratic).unwrap()
    };
    let here = found([0.0; 2]);
    let n = here.matrix.nrows();
    let force: Vec<f64> = (0..n).map(|i| 10.0 + (1.3 * i as f64).sin()).collect();
    let energy = |c: &GridCompliance| {
        let product = |i: usize| (0..n).map(|k| c.matrix[(i, k)] * force[k]).sum::<f64>();
        0.5 * (0..n).map(|i| force[i] * product(i)).sum::<f64>()
    };
    let step = 1e-4 * THICKNESS;
    let along = here.wandering_force(&force);
    for a in 0..2 {
        let moved = |s: f64| energy(&found(std::array::from_fn(|d| if d == a { s } else { 0.0 })));
        let slope = (moved(step) - moved(-step)) / (2.0 * step);
        // Central differences: the energy carries 1e-15 of itself over a step of 1e-4 T.
        assert!((along[a] + slope).abs() < 1e-4 * along[0].hypot(along[1]), "{along:?} {slope}");
    }
}

/// A half-space's own response to the loads of its places makes the far part vanish.
#[test]
fn a_half_space_is_a_half_space() {
    let body = layer(Kernel::Quadratic, 0.5 * THICKNESS, 0.5 * THICKNESS, 4);
    let n = body.positions.len();
    let grid = grid_at(Vector3::zeros(), 0.1 * THICKNESS, 0.5 * THICKNESS);
    let mut response = Mat::zeros(3 * n, 3 * n);
    for (j, k) in (0..n * n).map(|m| (m / n, m % n)) {
        let block = body.half_space_block(j, k);
        (0..9).for_each(|m| response[(3 * j + m / 3, 3 * k + m % 3)] = block[(m / 3, m % 3)]);
    }
    let own = PlacedBody { response, ..body };
    for directions in [Directions::Normal, Directions::All] {
        let found = own.on_grid(&grid, directions).unwrap();
        let expected = match directions {
            Directions::Normal => grid.normal_compliance(&STEEL),
            Directions::All => grid.compliance(&STEEL),
        };
        let n = expected.nrows();
        let error = (0..n * n).map(|m| (found.matrix[(m / n, m % n)] - expected[(m / n, m % n)]).abs());
        assert!(error.fold(0.0, f64::max) < 1e-12 * expected[(0, 0)], "{directions:?}");
    }
}

#[test]
fn the_half_space_part_of_a_cut_load_is_that_of_its_points() {
    let (surface, positions) = plate(FaceShape::Quad4, 10, 10, |x, y| [x, y, 0.0]);
    let radius = 0.3;
    let places = [Vector3::new(0.1, 0.5, 0.0), Vector3::new(0.5, 0.45, 0.0), Vector3::new(0.12, 0.5, 0.0)];
    let normals = [Vector3::z(); 3];
    let loaded = LoadedSurface::new(&surface, &positions, (Kernel::Quadratic, radius));
    let loads: Vec<_> = places.iter().map(|x| Footprint::new(&loaded, (x, &Vector3::z())).unwrap()).collect();
    let shape = Loads { kernel: Kernel::Quadratic, radius, spacing: radius };
    let mut body =
        PlacedBody::new(shape, STEEL, places.to_vec(), normals.to_vec(), Mat::zeros(9, 9)).unwrap();
    body.cut_by(&loads);
    // The same loads on a square lattice with the edge between two rows: midpoints, whose sum of 1/r has the
    // integral's value with 3.9002649 in the place of 1/0 (punctured trapezoidal rule).
    let step = radius / 32.0;
    let lattice = |place: &Vector3<f64>| {
        let n = (place.x + radius) / step;
        let all = (0..n as i32).flat_map(|i| (-40..40).map(move |j| (f64::from(i), f64::from(j))));
        let at = all.map(|(i, j)| Vector3::new((i + 0.5) * step, 0.5 + (j + 0.5) * step, 0.0));
        let mut points: Vec<(Vector3<f64>, f64)> = at
            .map(|x| (x, Kernel::Quadratic.value((x - place).norm() / radius) * (step / radius).powi(2)))
            .filter(|(_, w)| *w > 0.0)
            .collect();
        // a₀ + a₁ x restores force and moment.
        let moment = |p: i32| points.iter().map(|(x, w)| w * ((x.x - place.x) / radius).powi(p)).sum::<f64>();
        let m = [0, 1, 2].map(moment);
        let det = m[0] * m[2] - m[1] * m[1];
        let factors = [m[2] / det, -m[1] / det];
        points.iter_mut().for_each(|(x, w)| *w *= factors[0] + factors[1] * (x.x - place.x) / radius);
        points
    };
    let summed = |j: usize, k: usize| {
        let [a, b] = [j, k].map(|m| lattice(&places[m]));
        let one = |(x, f): &(Vector3<f64>, f64)| -> f64 {
            let term = |(y, g): &(Vector3<f64>, f64)| {
                let d = (x - y).norm() / step;
                f * g * if d < 0.5 { 3.900_264_92 } else { 1.0 / d }
            };
            b.iter().map(term).sum()
        };
        a.iter().map(one).sum::<f64>() / step
    };
    for (j, k) in [(0, 0), (0, 2), (2, 2), (2, 0)] {
        let (found, expected) = (body.means(j, k).1.inverse(), summed(j, k));
        println!("{j} {k}: {found} {expected}");
        // The raster leaves terms of fourth order in 1/10 and the jump at the edge.
        assert!((found / expected - 1.0).abs() < 5e-3, "{j} {k}: {found} {expected}");
    }
    // A whole load far from the edge keeps the table.
    let alone = 0.76654 / radius * PI;
    assert!((body.means(1, 1).1.inverse() / alone - 1.0).abs() < 1e-5);
}

#[test]
fn a_response_of_the_wrong_size_is_an_error() {
    let places = vec![Vector3::zeros(); 2];
    let loads = Loads { kernel: Kernel::Quadratic, radius: 1.0, spacing: 1.0 };
    let error = PlacedBody::new(loads, STEEL, places.clone(), places, Mat::zeros(5, 6)).unwrap_err();
    assert_eq!(error.to_string(), "2 places need a response of 6 rows, not of 5 × 6");
}

#[test]
fn quadratic_fields_are_read_exactly_beside_an_edge() {
    // Faces of nine nodes carry quadratic fields, so that the reading of a load is exact to its quadrature.
    let (surface, positions) = plate(FaceShape::Quad9, 8, 8, |x, y| [x, y, 0.0]);
    let loads = Loads { kernel: Kernel::Quadratic, radius: 0.25, spacing: 0.25 };
    let places: Vec<_> = (0..20)
        .map(|k| {
            let (i, j) = (f64::from(k % 4), f64::from(k / 4));
            (Vector3::new(0.06 + 0.21 * i, 0.1 + 0.2 * j + 0.03 * i, 0.0), Vector3::z())
        })
        .collect();
    let loaded = LoadedSurface::new(&surface, &positions, (loads.kernel, loads.radius));
    let footprints: Vec<_> = places.iter().map(|(x, n)| Footprint::new(&loaded, (x, n)).unwrap()).collect();
    assert!(footprints.iter().any(Footprint::is_cut));
    let (x, n): (Vec<_>, Vec<_>) = places.into_iter().unzip();
    let size = 3 * x.len();
    let mut body = PlacedBody::new(loads, STEEL, x, n, Mat::zeros(size, size)).unwrap();
    body.cut_by(&footprints);
    let grid = grid_at(Vector3::new(0.1, 0.5, 0.0), 0.02, 0.05);
    let found = body.with_weights(&grid, Directions::Normal, Order::Quadratic).unwrap();
    assert_eq!(found.linear, None);
    assert!(found.cut_share > 0.5, "{}", found.cut_share);
    let field = |x: f64, y: f64| 1.0 + 2.0 * x - y + 3.0 * x * x - x * y + 0.5 * y * y;
    let read = |j: usize| -> f64 {
        let value =
            |&(k, share): &(u32, f64)| share * field(positions[k as usize].x, positions[k as usize].y);
        footprints[j].shares.iter().map(value).sum()
    };
    for cell in 0..grid.len() {
        let [x, y] = grid.middle(cell);
        let sum: f64 =
            found.places.iter().enumerate().map(|(row, &j)| found.weights[(row, cell)] * read(j)).sum();
        // The mean over the cell adds h²/24 times the Laplacian, 7.
        let exact = field(0.1 + x, 0.5 + y) + 7.0 / 24.0 * grid.side * grid.side;
        // Whole loads have the kernel's second moment instead of that of their quadrature, 1e-3 r₀²/8.
        assert!((sum - exact).abs() < 3e-4, "{cell}: {sum} {exact}");
    }
}

#[test]
fn a_mode_that_is_a_linear_field_is_read_exactly() {
    let radius = 0.5 * THICKNESS;
    let body = layer(Kernel::Quadratic, radius, radius, 5);
    let grid = grid_at(Vector3::zeros(), 0.1 * THICKNESS, 0.4 * THICKNESS);
    let found = body.on_grid(&grid, Directions::Normal).unwrap();
    assert_eq!(found.cut_share, 0.0);
    // u_z = 2 + x − 3y, and a motion along the surface.
    let n = body.positions.len();
    let values = Mat::from_fn(3 * n, 2, |i, k| match (i % 3, k) {
        (2, 0) => 2.0 + body.positions[i / 3].x - 3.0 * body.positions[i / 3].y,
        (0, 1) => 1.0,
        _ => 0.0,
    });
    let of_cells = found.modal_values(&values);
    for cell in 0..grid.len() {
        let [x, y] = grid.middle(cell);
        let z = 3 * cell + 2;
        assert!((of_cells[(z, 0)] - 2.0 - x + 3.0 * y).abs() < 1e-9 && of_cells[(z, 1)] == 0.0);
        assert!((of_cells[(z - 2, 1)] - 1.0).abs() < 1e-9 && of_cells[(z - 2, 0)] == 0.0);
    }
}
