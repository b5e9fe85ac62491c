//! The scripted bodies of the gallery agree with the definitions in their scripts.

use std::f64::consts::PI;

use carom_nurbs::Multipatch;
use carom_nurbs::read::bytes;

const CAM: &str = include_str!("../../../meshes/cam/cam.xml");
const BRACKET: &str = include_str!("../../../meshes/bracket/bracket.xml");

fn read(text: &str, n_patches: usize) -> Multipatch {
    let multipatch = bytes(text.as_bytes()).unwrap();
    assert_eq!(multipatch.patches.len(), n_patches);
    multipatch
}

#[test]
fn the_profile_of_the_cam_lies_a_radius_inside_of_the_path_of_the_ball() {
    let (lift, distance, radius) = (3e-3, 0.035, 5e-3);
    let cam = read(CAM, 4);
    // The path, the middle of the ball over the angle of the cam.
    let path = |a: f64| {
        let rho = distance + 0.5 * lift * (1.0 - (2.0 * a).cos());
        [-rho * a.sin(), rho * a.cos()]
    };
    let mut worst = 0.0_f64;
    for i in 0..100 {
        let x = cam.patches[i % 4].point([1.0, f64::from(i as u32) / 99.0, 0.3]);
        assert!((x[2] + 0.0024).abs() < 1e-15, "{x:?}: the cam is 12 mm wide, everywhere");
        // The nearest place of the path, by halving an interval about the place at the same polar angle.
        let away = |a: f64| (path(a)[0] - x[0]).hypot(path(a)[1] - x[1]);
        let middle = (-x[0]).atan2(x[1]);
        let (mut low, mut high) = (middle - 0.2, middle + 0.2);
        for _ in 0..100 {
            let (left, right) = (low + (high - low) / 3.0, high - (high - low) / 3.0);
            if away(left) < away(right) {
                high = right;
            } else {
                low = left;
            }
        }
        worst = worst.max((away(low) - radius).abs());
    }
    // Splines of degree 5 through 32 points of a curve of 30 mm radius.
    assert!(worst < 2e-9, "{worst:e} m");
}

#[test]
fn the_cam_is_smooth_where_its_patches_meet() {
    let cam = read(CAM, 4);
    for (i, patch) in cam.patches.iter().enumerate() {
        let h = 1e-4;
        let next = &cam.patches[(i + 1) % 4];
        let at = |u: f64| patch.point([1.0, u, 0.0]);
        let beyond = |u: f64| next.point([1.0, u, 0.0]);
        for a in 0..2 {
            assert!((at(1.0)[a] - beyond(0.0)[a]).abs() < 1e-15, "patch {i} ends where the next begins");
            let second = [
                at(1.0)[a] - 2.0 * at(1.0 - h)[a] + at(1.0 - 2.0 * h)[a],
                beyond(2.0 * h)[a] - 2.0 * beyond(h)[a] + beyond(0.0)[a],
            ]
            .map(|x| x / (h * h));
            // Curvature is continuous: both are about 0.05 m over u², and differ by their slope over 2 h.
            assert!((second[0] - second[1]).abs() < 1e-3 * second[0].hypot(0.05), "patch {i}: {second:?}");
        }
    }
}

#[test]
fn the_bracket_is_two_legs_and_a_quarter_of_a_ring() {
    let bracket = read(BRACKET, 3);
    // Gauss points in every knot span: Jacobians of the bend are smooth, and its volume is exact to 1e-9 with
    // four of them.
    let (places, weights) = (
        [0.069_431_844_202_973_71, 0.330_009_478_207_571_9],
        [0.173_927_422_568_726_9, 0.326_072_577_431_273_1],
    );
    let rule: Vec<(f64, f64)> = (0..4)
        .map(|i| if i < 2 { (places[i], weights[i]) } else { (1.0 - places[3 - i], weights[3 - i]) })
        .collect();
    let mut volume = 0.0;
    for patch in &bracket.patches {
        let n = 40;
        for i in 0..n {
            for (u, of_u) in &rule {
                for (v, of_v) in &rule {
                    for (w, of_w) in &rule {
                        let at = [(f64::from(i) + u) / f64::from(n), *v, *w];
                        volume += of_u * of_v * of_w / f64::from(n) * patch.derivatives(at).jacobian();
                    }
                }
            }
        }
    }
    let expected = 0.04 * (0.005 * (0.05 + 0.04) + PI / 4.0 * (0.01_f64.powi(2) - 0.005_f64.powi(2)));
    assert!((volume / expected - 1.0).abs() < 1e-9, "{volume} {expected}");
}

/// A turn of an involute by an angle about its axis moves it by that angle times the base radius along its
/// normals: so the flanks of the elastic gears are measured.
#[test]
fn flanks_of_the_elastic_gears_are_involutes_with_crown_and_relief() {
    const PINION: &str = include_str!("../../../meshes/gears/elastic_pinion.xml");
    const WHEEL: &str = include_str!("../../../meshes/gears/elastic_wheel.xml");
    let (module, pressure) = (2.0, 20.0_f64.to_radians());
    let relieved = 0.45 * PI * module * pressure.cos();
    for (text, teeth, crown) in [(PINION, 20.0, 0.0), (WHEEL, 30.0, 1.0 / 2000.0)] {
        // Of each tooth the flanks, the foot, the rim, and the rim below the gap.
        let gear = read(text, 4 * teeth as usize);
        let base = 0.5 * module * teeth * pressure.cos();
        let last = (((0.5 * teeth + 1.0) * module / base).powi(2) - 1.0).sqrt();
        let mut worst = 0.0_f64;
        for (v, w) in (0..=40).flat_map(|i| (0..=20).map(move |k| (f64::from(i) / 40.0, f64::from(k) / 20.0)))
        {
            let [x, y, z] = gear.patches[0].point([0.0, v, w]);
            let roll = ((x * x + y * y) / (base * base) - 1.0).sqrt();
            let exact = PI / (2.0 * teeth) + pressure.tan() - pressure - (roll - roll.atan());
            let removed = (exact - y.atan2(x)) * base;
            let relief = 0.01 * (1.0 - (last - roll) * base / relieved).max(0.0).powi(3);
            worst = worst.max((removed - relief - 0.5 * crown * z * z).abs());
        }
        println!("{teeth} teeth: {worst:e} mm");
        // Cubic splines with seven spans: 0.17 µm next to the foot of the pinion, where the involute turns
        // within 2 mm, 0.06 µm elsewhere.
        assert!(worst < 2e-4, "{worst:e} mm");
    }
}
