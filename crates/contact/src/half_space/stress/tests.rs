use super::*;
use crate::patch::PatchPlane;
use nalgebra::{Matrix3, Vector3};

/// Stress by a point force (normal in compression, along x), by Johnson (1985), eqs. (3.20) and (3.77), with
/// the factor 2 in σ_xy without which σ_xx and σ_xy are not those of one tensor in turned axes.
fn of_point([x, y, z]: [f64; 3], [normal, along]: [f64; 2], nu: f64) -> HalfSpaceStress {
    let r = (x * x + y * y + z * z).sqrt();
    let (rr, r5, rest) = (x * x + y * y, r.powi(5), 1.0 - 2.0 * nu);
    let (p, q) = (normal / (2.0 * PI), along / (2.0 * PI));
    let plane = |a: f64, b: f64| {
        rest / rr * ((1.0 - z / r) * (a * a - b * b) / rr + z * b * b / r.powi(3)) - 3.0 * z * a * a / r5
    };
    let rz = r + z;
    let shear = |a: f64| {
        // a² is x² for σ_xx, y² for σ_yy.
        -3.0 * x * a * a / r5
            + rest
                * (x / r.powi(3) - if a == x { 3.0 } else { 1.0 } * x / (r * rz * rz)
                    + x * a * a / (r.powi(3) * rz * rz)
                    + 2.0 * x * a * a / (r * r * rz.powi(3)))
    };
    let xy = rest / rr * (2.0 * (1.0 - z / r) * x * y / rr - x * y * z / r.powi(3)) - 3.0 * x * y * z / r5;
    let xy_q = -3.0 * x * x * y / r5
        + rest
            * (-y / (r * rz * rz)
                + x * x * y / (r.powi(3) * rz * rz)
                + 2.0 * x * x * y / (r * r * rz.powi(3)));
    [
        p * plane(x, y) + q * shear(x),
        p * plane(y, x) + q * shear(y),
        (-3.0 * p * z.powi(3) - 3.0 * q * x * z * z) / r5,
        p * xy + q * xy_q,
        (-3.0 * p * y * z * z - 3.0 * q * x * y * z) / r5,
        (-3.0 * p * x * z * z - 3.0 * q * x * x * z) / r5,
    ]
}

/// A rectangle is the integral of point forces: Gauss points on 24 × 24 parts.
#[test]
fn a_rectangle_is_the_integral_of_point_forces() {
    let (sides, nu) = ([0.7, 0.4], 0.28);
    for at in [[0.1, -0.07, 0.3], [0.9, 0.5, 0.2], [-0.6, 0.1, 0.05], [0.2, -0.9, 1.5]] {
        for loads in [[1.0, 0.0], [0.0, 1.0]] {
            let found = rectangle_stress(at, sides, [loads[0], loads[1], 0.0], nu);
            let mut sum = [0.0; 6];
            const N: usize = 40;
            let gauss = 0.5 / 3f64.sqrt();
            for i in 0..N {
                for j in 0..N {
                    for (a, b) in [(-gauss, -gauss), (gauss, -gauss), (-gauss, gauss), (gauss, gauss)] {
                        let u = sides[0] * ((i as f64 + 0.5 + a) / N as f64 - 0.5);
                        let v = sides[1] * ((j as f64 + 0.5 + b) / N as f64 - 0.5);
                        let weight = sides[0] * sides[1] / (4 * N * N) as f64;
                        let own = of_point([at[0] - u, at[1] - v, at[2]], loads.map(|f| weight * f), nu);
                        sum.iter_mut().zip(own).for_each(|(sum, own)| *sum += own);
                    }
                }
            }
            for (c, (a, b)) in found.iter().zip(sum).enumerate() {
                assert!((a - b).abs() < 1e-6, "{at:?} {loads:?} component {c}: {a} instead of {b}");
            }
        }
    }
}

/// A traction along y is one along x in turned axes.
#[test]
fn a_turn_of_axes_turns_the_stress() {
    let [xx, yy, zz, xy, yz, xz] = rectangle_stress([0.3, 0.1, 0.2], [0.7, 0.4], [0.5, 2.0, 0.0], 0.3);
    // x' = y, y' = −x.
    let turned = rectangle_stress([0.1, -0.3, 0.2], [0.4, 0.7], [0.5, 0.0, -2.0], 0.3);
    let expected = [yy, xx, zz, -xy, -xz, yz];
    for (a, b) in turned.iter().zip(expected) {
        assert!((a - b).abs() < 1e-14, "{turned:?} {expected:?}");
    }
}

/// Below the middle of a large square the surface carries the loads; the resultant of a deep plane is the
/// force.
#[test]
fn the_stress_is_in_equilibrium_with_the_loads() {
    let stress = rectangle_stress([0.01, 0.02, 0.0], [1.0, 0.8], [3.0, 0.5, -0.25], 0.3);
    assert!((stress[2] + 3.0).abs() < 1e-14, "{stress:?}");
    assert!((stress[5] + 0.5).abs() < 1e-14 && (stress[4] - 0.25).abs() < 1e-14, "{stress:?}");
    assert_eq!(rectangle_stress([0.7, 0.1, 0.0], [1.0, 0.8], [3.0, 0.0, 0.0], 0.3)[2].abs(), 0.0);
    // ∫ σ_zz, ∫ σ_xz and ∫ σ_yz over the plane z = 0.6, by x = tan(π u/2) in both directions.
    let (mut sum, n) = ([0.0; 3], 400);
    for i in 0..n {
        for j in 0..n {
            let at = [i, j].map(|k| 0.5 * PI * ((2 * k + 1) as f64 / n as f64 - 1.0));
            let weight: f64 = at.iter().map(|a| PI / n as f64 / a.cos().powi(2)).product();
            let stress =
                rectangle_stress([at[0].tan(), at[1].tan(), 0.6], [1.0, 0.8], [3.0, 0.5, -0.25], 0.3);
            [2, 5, 4].iter().enumerate().for_each(|(k, &c)| sum[k] += weight * stress[c]);
        }
    }
    for (found, load) in sum.iter().zip([3.0, 0.5, -0.25]) {
        assert!((found / (-0.8 * load) - 1.0).abs() < 1e-2, "{sum:?}");
    }
}

/// The stress has no body force, and its Laplacian is that of an elastic field: ∇²(σ_xx + σ_yy + σ_zz) = 0.
#[test]
fn the_stress_is_divergence_free_and_its_trace_harmonic() {
    let (at, h) = ([0.35, -0.2, 0.3], 1e-3);
    let stress = |at: [f64; 3]| rectangle_stress(at, [0.7, 0.5], [1.0, 0.7, -0.4], 0.3);
    let moved = |d: usize, s: f64| {
        let mut next = at;
        next[d] += s * h;
        stress(next)
    };
    let derivative = |c: usize, d: usize| (moved(d, 1.0)[c] - moved(d, -1.0)[c]) / (2.0 * h);
    for row in [[0, 3, 5], [3, 1, 4], [5, 4, 2]] {
        let divergence: f64 = row.iter().enumerate().map(|(d, &c)| derivative(c, d)).sum();
        assert!(divergence.abs() < 1e-4, "{divergence}");
    }
    let trace = |s: HalfSpaceStress| s[0] + s[1] + s[2];
    let laplacian: f64 =
        (0..3).map(|d| trace(moved(d, 1.0)) + trace(moved(d, -1.0)) - 2.0 * trace(stress(at))).sum();
    assert!(laplacian.abs() / (h * h) < 1e-3, "{laplacian}");
}

fn hertz_grid(cells: f64, friction: f64) -> (PressureGrid, Vec<[f64; 3]>) {
    let plane = PatchPlane { center: Vector3::zeros(), axes: Matrix3::identity() };
    let grid = PressureGrid::disc(plane, 1.0 / cells, 1.1);
    // The mean of the pressure over a cell.
    let pressure = |cell: usize| {
        let [x, y] = grid.middle(cell);
        let n = 16;
        let part = |k: usize| grid.side * ((k as f64 + 0.5) / n as f64 - 0.5);
        let at = |k: usize| {
            let r = (x + part(k % n)).hypot(y + part(k / n));
            (1.0 - r * r).max(0.0).sqrt()
        };
        (0..n * n).map(at).sum::<f64>() / (n * n) as f64
    };
    let loads = (0..grid.len()).map(|cell| [pressure(cell), friction * pressure(cell), 0.0]).collect();
    (grid, loads)
}

/// Hertz on the axis, Johnson (1985), eq. (3.45):
///
/// ```text
/// σ_r/p₀ = −(1 + ν) [1 − (z/a) atan(a/z)] + ½ (1 + z²/a²)⁻¹ ,     σ_z/p₀ = −(1 + z²/a²)⁻¹
/// ```
#[test]
fn hertz_pressure_has_its_stress_on_the_axis() {
    // The stress at the depth of one cell sees its edges, with an error of 0.7 % of p₀: fine cells.
    let (grid, loads) = hertz_grid(12.0, 0.0);
    let loaded = LoadedGrid { grid: &grid, loads: &loads, poisson: 0.3, beside: [0.0; 6] };
    for z in [0.2, 0.48, 1.0, 2.0] {
        let [xx, yy, zz, xy, yz, xz] = loaded.stress([0.0, 0.0, z]);
        let of_z = 1.0 / (1.0 + z * z);
        let radial = -1.3 * (1.0 - z * (1.0 / z).atan()) + 0.5 * of_z;
        assert!((zz + of_z).abs() < 2e-3, "σ_z at {z}: {zz} instead of {}", -of_z);
        assert!((xx - radial).abs() < 2e-3 && (yy - radial).abs() < 2e-3, "σ_r at {z}: {xx}, {radial}");
        assert!(xy.abs() + yz.abs() + xz.abs() < 1e-12);
    }
    // Johnson (1985), section 4.2: 0.31 p₀ at 0.48 a for ν = 0.3. Cells of a/5, as those of a run, have means
    // of the pressure, with an error of the second order.
    let largest = [5.0, 10.0].map(|cells| {
        let (grid, loads) = hertz_grid(cells, 0.0);
        LoadedGrid { grid: &grid, loads: &loads, poisson: 0.3, beside: [0.0; 6] }.largest().unwrap()
    });
    println!("{largest:?}");
    let [coarse, fine] = largest.map(|found| 1.0 - found.shear / 0.310_02);
    assert!((0.0..0.003).contains(&fine) && (3.5..4.5).contains(&(coarse / fine)), "{coarse} {fine}");
    for found in largest {
        assert!((found.depth / 0.481 - 1.0).abs() < 0.03, "{found:?}");
        // On the axis von Mises' stress is twice the shear stress.
        assert!((found.von_mises / (2.0 * found.shear) - 1.0).abs() < 1e-3, "{found:?}");
        assert!(found.place.iter().all(|x| x.abs() < 0.05), "{found:?}");
    }
}

/// On the axis a pressure of all sides in the plane adds to both radial stresses: von Mises' stress there is
/// |σ_z − σ_r − b|, with the extreme of Johnson, eq. (3.45), at another depth.
#[test]
fn a_stress_beside_that_of_the_loads_adds_to_it() {
    let (grid, loads) = hertz_grid(12.0, 0.0);
    let beside = [0.2, 0.2, 0.0, 0.0, 0.0, 0.0];
    let loaded = LoadedGrid { grid: &grid, loads: &loads, poisson: 0.3, beside };
    let on_axis = |z: f64| {
        let of_z = 1.0 / (1.0 + z * z);
        -1.3 * (1.0 - z * (1.0 / z).atan()) + 1.5 * of_z + 0.2
    };
    let expected = (1..200).map(|k| 0.01 * f64::from(k)).max_by(|a, b| on_axis(*a).total_cmp(&on_axis(*b)));
    let (depth, found) = (expected.unwrap(), loaded.largest().unwrap());
    assert!((found.von_mises / on_axis(depth) - 1.0).abs() < 4e-3, "{found:?}, {depth}");
    assert!((found.depth - depth).abs() < 0.05, "{found:?}, {depth}");
}

/// Sliding with μ = 0.5: the largest stress is at the surface (Johnson, section 7.1: from μ = 0.3 on). Far
/// away the stress is that of a point force.
#[test]
fn friction_moves_the_largest_stress_to_the_surface() {
    let (grid, loads) = hertz_grid(6.0, 0.5);
    let loaded = LoadedGrid { grid: &grid, loads: &loads, poisson: 0.3, beside: [0.0; 6] };
    let largest = loaded.largest().unwrap();
    assert!(largest.depth == 0.0 && largest.von_mises > 0.62, "{largest:?}");
    let force = 2.0 * PI / 3.0;
    let at = [6.0, 3.0, 5.0];
    let (near, point) = (loaded.stress(at), of_point(at, [force, 0.5 * force], 0.3));
    let size = point.iter().fold(0.0, |m: f64, s| m.max(s.abs()));
    for (a, b) in near.iter().zip(point) {
        assert!((a - b).abs() < 0.02 * size, "{near:?} {point:?}");
    }
    assert_eq!(LoadedGrid { loads: &[], ..loaded }.largest(), None);
}
