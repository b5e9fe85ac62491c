//! Footprints on flat, curved and cut surfaces.

use carom_mesh::FaceShape;

use super::*;
use crate::test_surfaces::{ball, plate};

/// Total force, and moment about the place in its tangent plane over r₀.
fn moments(
    footprint: &Footprint,
    positions: &[Vector3<f64>],
    place: &Vector3<f64>,
    radius: f64,
) -> (f64, Vector3<f64>) {
    let total = footprint.shares.iter().map(|(_, share)| share).sum();
    let moment: Vector3<f64> =
        footprint.shares.iter().map(|&(k, share)| share * (positions[k as usize] - place)).sum();
    (total, moment / radius)
}

#[test]
fn force_and_moment_are_kept_on_faces_of_every_kind() {
    let shapes = [FaceShape::Tri3, FaceShape::Tri6, FaceShape::Quad4, FaceShape::Quad8, FaceShape::Quad9];
    for shape in shapes {
        let (surface, positions) = plate(shape, 7, 6, |x, y| [1.4 * x, 1.2 * y, 0.0]);
        let loaded = LoadedSurface::new(&surface, &positions, (Kernel::Quadratic, 0.3));
        for (x, y) in [(0.7, 0.6), (0.63, 0.71), (0.05, 0.6), (0.02, 0.03)] {
            let place = Vector3::new(x, y, 0.0);
            let footprint = Footprint::new(&loaded, (&place, &Vector3::z())).unwrap();
            let (force, moment) = moments(&footprint, &positions, &place, 0.3);
            // Linear fields are exact in all bases, so the conditions hold to rounding.
            assert!((force - 1.0).abs() < 1e-12 && moment.norm() < 1e-11, "{shape:?} {x} {y}: {moment}");
            let whole = x > 0.3 && y > 0.3;
            assert_eq!(footprint.is_cut(), !whole, "{shape:?} {x} {y}: {}", footprint.integral);
        }
        // The disc at an edge through the place is cut in half.
        let place = Vector3::new(0.0, 0.6, 0.0);
        let half = Footprint::new(&loaded, (&place, &Vector3::z())).unwrap();
        assert!((half.integral - 0.5).abs() < 2e-3, "{}", half.integral);
    }
}

#[test]
fn the_area_is_projected_on_a_ball() {
    let (surface, positions) = ball(1.0, 4);
    for direction in [Vector3::z(), Vector3::new(0.3, -0.5, 0.8), Vector3::new(-1.0, 0.2, 0.1)] {
        let normal = direction.normalize();
        for kernel in [Kernel::Quadratic, Kernel::ZeroMoment] {
            let loaded = LoadedSurface::new(&surface, &positions, (kernel, 0.4));
            let load = Footprint::new(&loaded, (&normal, &normal)).unwrap();
            assert!((load.integral - 1.0).abs() < 2e-3 && !load.is_cut(), "{kernel}: {}", load.integral);
            let (force, _) = moments(&load, &positions, &normal, 0.4);
            assert!((force - 1.0).abs() < 1e-12, "{kernel}");
        }
    }
    // The far side of the ball looks away.
    let loaded = LoadedSurface::new(&surface, &positions, (Kernel::Quadratic, 0.4));
    let error = Footprint::new(&loaded, (&Vector3::z(), &-Vector3::z())).unwrap_err();
    assert!(error.to_string().contains("looks along its normal"), "{error}");
}

#[test]
fn the_second_moment_is_that_of_the_kernel() {
    let (surface, positions) = plate(FaceShape::Quad9, 5, 5, |x, y| [2.0 * x, 2.0 * y, 0.0]);
    let place = Vector3::new(0.97, 1.04, 0.0);
    for kernel in [Kernel::Quadratic, Kernel::ZeroMoment] {
        let loaded = LoadedSurface::new(&surface, &positions, (kernel, 0.5));
        let load = Footprint::new(&loaded, (&place, &Vector3::z())).unwrap();
        let second: f64 = load
            .shares
            .iter()
            .map(|&(k, share)| share * (positions[k as usize] - place).norm_squared() / 0.25)
            .sum();
        assert!((second - kernel.moments()[0]).abs() < 3e-3, "{kernel}: {second}");
    }
}

#[test]
fn a_load_that_an_edge_leaves_nothing_of_is_an_error() {
    let (surface, positions) = plate(FaceShape::Quad4, 4, 4, |x, y| [x, y, 0.0]);
    let beside = Vector3::new(-0.29, 0.5, 0.0);
    let loaded = LoadedSurface::new(&surface, &positions, (Kernel::Quadratic, 0.3));
    let error = Footprint::new(&loaded, (&beside, &Vector3::z())).unwrap_err();
    assert!(error.to_string().contains("move the place from the edge"), "{error}");
}
