//! Attachments: rigid sets and means of sets with a marker, alone and mixed, against dense algebra.

use crate::condensed::{Condensed, Spec, at_set, box_body, condensed, mean};
use carom_fem::{Body, Geometry};
use carom_linalg::DofSet;
use carom_linalg::dense::generalised_pairs;
use carom_reduce::AttachmentKind::{Mean, Rigid};
use carom_reduce::attachment::Attached;
use carom_reduce::rigid::rigid_modes;
use faer::Mat;
use faer::linalg::solvers::Qr;

/// Points on the top of the box, away from its ends.
fn pads(body: &Body) -> Vec<u32> {
    let Geometry::Mesh(mesh) = &body.geometry else { unreachable!("it is a mesh") };
    let is_pad = |p: &[f64; 3]| p[2] > 0.0299 && p[0] > 0.03 && p[0] < 0.07;
    (0..mesh.points.len() as u32).filter(|&i| is_pad(&mesh.points[i as usize])).collect()
}

fn cases() -> Vec<(&'static str, Spec)> {
    let pads = pads(&box_body());
    vec![
        ("two rigid sets", Spec::attached(&[("west", Rigid), ("east", Rigid)])),
        ("rigid and mean", Spec::attached(&[("west", Rigid), ("east", Mean)])),
        ("two means alone", Spec::attached(&[("west", Mean), ("east", Mean)])),
        ("points, rigid and mean", Spec::attached(&[("west", Rigid), ("east", Mean)]).with_points(&pads)),
        ("two points and a mean", Spec::attached(&[("east", Mean)]).with_points(&pads[..2])),
        ("held, mean", Spec::attached(&[("east", Mean)]).holding("west")),
    ]
}

#[test]
fn means_and_rigid_sets_move_with_their_markers() {
    for (case, spec) in cases() {
        let it = condensed(&box_body(), &spec, 12);
        let n = it.condensation.n_interface;
        let basis = it.condensation.basis.as_ref();
        for (first, marker) in it.interface.boundary.markers() {
            let unit = Mat::from_fn(6, basis.ncols(), |i, k| if k == first + i { 1.0 } else { 0.0 });
            // Rotations are measured as displacements at the rim of the set.
            let scale = |k: usize| if k < 3 { 1.0 } else { marker.extent };
            let of_mean = mean(marker, basis);
            for j in 0..basis.ncols() {
                let largest = at_set(marker, basis.subcols(j, 1)).norm_max().max(f64::MIN_POSITIVE);
                for i in 0..6 {
                    let error = scale(i) * (of_mean[(i, j)] - unit[(i, j)]).abs() / largest;
                    assert!(
                        error < 1e-10 || (j >= n && largest < 1e-12),
                        "{case}, {}: row {i}, column {j} misses by {error:.1e}",
                        marker.name
                    );
                }
            }
            if marker.kind == Rigid {
                let field = at_set(marker, basis);
                assert!((field - &marker.rigid * &unit).norm_max() < 1e-13, "{case}");
            }
        }
    }
}

#[test]
fn constraint_modes_reproduce_rigid_motions() {
    for (case, spec) in cases().into_iter().filter(|(_, spec)| spec.held.is_empty()) {
        let it = condensed(&box_body(), &spec, 6);
        assert!(it.rigid_error < 1e-9, "{case}: {:e}", it.rigid_error);
        let n = it.condensation.n_interface;
        let r = rigid_modes(&it.discretisation.points, [0.0; 3]);
        // Boundary dofs of a rigid motion, from the motion itself.
        let mut z = Mat::zeros(n, 6);
        for (i, &point) in it.interface.boundary.points.iter().enumerate() {
            for a in 0..3 {
                (0..6).for_each(|k| z[(3 * i + a, k)] = r[(3 * point as usize + a, k)]);
            }
        }
        for (first, marker) in it.interface.boundary.markers() {
            let of_mean = mean(marker, r.as_ref());
            z.subrows_mut(first, 6).copy_from(&of_mean);
            // The mean of a rigid motion is the motion of the marker: t + θ × c and θ.
            let at_marker = rigid_modes(&[marker.center], [0.0; 3]);
            for k in 0..6 {
                for i in 0..3 {
                    assert!((of_mean[(i, k)] - at_marker[(i, k)]).abs() < 1e-12);
                    let turn = if k == 3 + i { 1.0 } else { 0.0 };
                    assert!((of_mean[(3 + i, k)] - turn).abs() < 1e-11);
                }
            }
        }
        let error = (it.condensation.basis.subcols(0, n) * &z - &r).norm_max();
        assert!(error < 1e-12, "{case}: {error:e}");
        let strain = (it.condensation.stiffness.submatrix(0, 0, n, n) * &z).norm_max();
        assert!(strain < 1e-10 * it.condensation.stiffness.norm_max(), "{case}: {strain:e}");
    }
}

#[test]
fn condensed_stiffness_is_the_projection_and_block_diagonal() {
    for (case, spec) in cases() {
        let it = condensed(&box_body(), &spec, 12);
        let basis = &it.condensation.basis;
        let projected = basis.transpose() * it.system.stiffness.product(basis.as_ref());
        let scale = |i: usize| projected[(i, i)].sqrt();
        for j in 0..projected.ncols() {
            for i in 0..projected.nrows() {
                let error =
                    (projected[(i, j)] - it.condensation.stiffness[(i, j)]).abs() / (scale(i) * scale(j));
                assert!(error < 1e-9, "{case}: entry {i}, {j} of the stiffness is off by {error:.1e}");
            }
        }
    }
}

/// All ω² of the interior by dense algebra: a basis of ker W on the interior dofs from a QR factorisation.
fn dense_lambda(it: &Condensed) -> Vec<f64> {
    let boundary = &it.interface.boundary;
    let interior = boundary.interior(&DofSet::all(it.discretisation.n_points())).to_vec();
    let means: Vec<&Attached> = boundary.markers.iter().filter(|marker| marker.kind == Mean).collect();
    let w = Mat::from_fn(interior.len(), 6 * means.len(), |i, j| {
        let (marker, k) = (means[j / 6], j % 6);
        let point = marker.points.binary_search(&((interior[i] / 3) as u32));
        let scale = if k < 3 { 1.0 } else { marker.extent };
        point.map_or(0.0, |p| scale * marker.mean[(3 * p + interior[i] % 3, k)])
    });
    let free = interior.len() - w.ncols();
    let basis = if w.ncols() == 0 {
        Mat::identity(interior.len(), interior.len())
    } else {
        Qr::new(w.as_ref()).compute_Q().subcols(w.ncols(), free).to_owned()
    };
    let n_dofs = it.discretisation.n_dofs();
    let mut field = Mat::zeros(n_dofs, free);
    for (i, &dof) in interior.iter().enumerate() {
        (0..free).for_each(|k| field[(dof, k)] = basis[(i, k)]);
    }
    let k = field.transpose() * it.system.stiffness.product(field.as_ref());
    let m = field.transpose() * it.system.mass.product(field.as_ref());
    generalised_pairs(k.as_ref(), m.as_ref()).unwrap().lambda
}

#[test]
fn fixed_interface_frequencies_agree_with_dense_algebra() {
    for (case, spec) in cases() {
        // 30 modes go through Lanczos and the inertia count, 200 through the dense solution.
        for n_modes in [30, 100] {
            let it = condensed(&box_body(), &spec, n_modes);
            let exact = dense_lambda(&it);
            for (k, &lambda) in it.condensation.fixed_lambda.iter().enumerate() {
                let error = (lambda / exact[k] - 1.0).abs();
                assert!(error < 1e-8, "{case}, mode {k}: {lambda:e} instead of {:e}, {error:.1e}", exact[k]);
            }
        }
    }
}
