//! Inconsistent input is refused, doubtful results are reported, distant surfaces are not evaluated.

use super::*;

fn ball_on_plane(law: Law, elastic: bool) -> (QuasistaticContact, Vec<Vec<f64>>) {
    let (surface, points) = steel_cap();
    let compliance = elastic.then(|| smooth_compliance(&points, &mut Random(1)));
    problem(vec![faced(0, "ball:pole", (surface, points), compliance), rigid(1, contact_plane())], law)
}

fn solve(
    model: &QuasistaticContact,
    positions: &[Vec<f64>],
    shift: Vector3<f64>,
) -> Result<Solution, SolveError> {
    let mut work = model.workspace();
    let states = [
        at(&positions[0], shift, Matrix3::identity()),
        at(&positions[1], Vector3::zeros(), Matrix3::identity()),
    ];
    model.solve(&states, &mut model.cold(), &mut work)?;
    Ok(work.solution)
}

fn down(depth: f64) -> Vector3<f64> {
    Vector3::new(0.0, 0.0, -depth)
}

#[test]
fn pressure_on_the_rim_of_the_zone_is_reported_with_its_cell_and_share() {
    // A patch of 0.4 mm, its rim 1.3 um above the plane when its middle touches.
    let shape = |x: f64, y: f64| {
        let (x, y) = (4e-4 * (x - 0.5), 4e-4 * (y - 0.5));
        [x, y, (x * x + y * y) / 0.03]
    };
    let (mut surface, points) = plate(FaceShape::Quad9, 7, 7, shape);
    surface.faces.iter_mut().for_each(|f| f.orientation = -1.0);
    let compliance = smooth_compliance(&points, &mut Random(1));
    let patch = faced(0, "ball:pole", (surface, points), Some(compliance));
    let (model, positions) = problem(vec![patch, rigid(1, contact_plane())], Law::Hard);
    let light = solve(&model, &positions, down(3e-7)).unwrap();
    assert!(light.in_contact() && light.pairs[0].rim.is_none());
    let heavy = solve(&model, &positions, down(1e-5)).unwrap();
    let rim = heavy.pairs[0].rim.unwrap();
    assert!(rim.zone == WhichZone::First && model.cells(0).at_rim[rim.cell], "{rim:?}");
    assert!(rim.share > 0.1 && rim.share < 0.9, "{rim:?}");
}

#[test]
fn two_rigid_bodies_touch_by_the_penalty_alone() {
    let law = Law::per_area(1e15);
    let (model, positions) = ball_on_plane(law, false);
    let depth = 1e-5;
    let out = solve(&model, &positions, down(depth)).unwrap();
    // Volume of the cap that is cut off, times ε; cells on its edge count with their average only.
    let volume = std::f64::consts::PI * depth * depth * (0.015 - depth / 3.0);
    let ratio = out.pairs[0].force / (1e15 * volume);
    assert!((ratio - 1.0).abs() < 0.05, "{ratio}");
    assert!(out.passes <= 3 && out.elastic_energy == vec![0.0; 2] && out.penalty_energy() > 0.0);
    // The plane takes the opposite force at the same place.
    assert!((out.wrench[0].force_b + out.wrench[1].force_b).norm() < 1e-12 * out.pairs[0].force);
    let moment = out.wrench[0].moment_b + down(depth).cross(&out.wrench[0].force_b) + out.wrench[1].moment_b;
    assert!(moment.norm() < 1e-14 * out.pairs[0].force);
    assert!(out.pairs[0].center_i.xy().norm() < 1e-8);
}

#[test]
fn bodies_far_apart_are_not_in_contact_and_their_gap_is_bounded() {
    let (model, positions) = two_curved_bodies(Law::Hard);
    for height in [1e-3, 0.1, 5.0] {
        let out = solve(&model, &positions, down(-height)).unwrap();
        let gap = out.pairs[0].min_free_gap;
        assert!(!out.in_contact() && out.passes == 1);
        // The pole of the cap is not over the pole of the sheet, so that the gap is a little more than the
        // height.
        assert!(gap > 0.4 * height && gap < height + 2e-6, "{height}: {gap}");
    }
}

#[test]
fn a_body_behind_or_outside_the_surface_does_not_touch_it() {
    let (model, positions) = two_curved_bodies(Law::Hard);
    for shift in [down(0.02), Vector3::new(0.05, 0.0, -1e-5), Vector3::new(0.012, 0.0, -1e-3)] {
        let out = solve(&model, &positions, shift).unwrap();
        assert!(!out.in_contact(), "{shift:?}: {:?}", out.pairs[0]);
    }
}

#[test]
fn force_on_points_without_complete_compliance_is_counted() {
    let (surface, points) = steel_cap();
    let compliance = smooth_compliance(&points, &mut Random(1));
    let (body, mut zone, x) = faced(0, "ball:pole", (surface, points.clone()), Some(compliance));
    zone.is_interface.iter_mut().zip(&points).for_each(|(inside, x)| *inside = x.x > 0.0);
    let (model, positions) = problem(vec![(body, zone, x), rigid(1, contact_plane())], Law::Hard);
    let out = solve(&model, &positions, down(5e-6)).unwrap();
    assert!(out.off_interface[0] > 0.3 && out.off_interface[0] < 0.7, "{}", out.off_interface[0]);
}

#[test]
fn impossible_setups_are_refused_with_a_reason() {
    let (surface, points) = cap(1.0, &[0.5]);
    let part = || faced(0, "cap", (surface.clone(), points.clone()), None);
    let plane = || rigid(1, contact_plane());
    let build = |parts: Vec<(ContactBody, Zone, Vec<f64>)>, first: usize, second: usize, law| {
        let (bodies, zones): (Vec<_>, Vec<_>) = parts.into_iter().map(|(b, z, _)| (b, z)).unzip();
        let pairs = [Pair { first, second, law, friction: 0.0, max_depth: None }];
        QuasistaticContact::new(bodies, zones, &pairs).map(|_| ()).unwrap_err().to_string()
    };
    let soft = Law::of_materials(100.0, 1e11);
    assert!(build(vec![part(), plane()], 1, 0, soft).contains("first zone must have faces"));
    assert!(build(vec![part(), plane()], 0, 1, Law::Hard).contains("both bodies are rigid"));
    assert!(build(vec![part(), plane()], 0, 2, soft).contains("zone 2 does not exist; there are 2"));
    let room = Shape::Planes(vec![Plane { origin: Vector3::zeros(), normal: Vector3::z_axis() }; 6]);
    assert!(build(vec![part(), rigid(1, room)], 0, 1, soft).contains("has 6 planes, where one is possible"));
    let bad = Law::of_materials(0.0, 1e11);
    assert!(build(vec![part(), plane()], 0, 1, bad).contains("positive, finite numbers"));
    let mut skew = part();
    skew.0.compliance = Some(Mat::from_fn(3 * points.len(), 3 * points.len(), |i, j| (i + 2 * j) as f64));
    assert!(build(vec![skew, plane()], 0, 1, soft).contains("must be symmetric"));
    let missing = Zone::of_faces(0, "cap", surface.clone(), &[1, 2, 3], &[[0.0; 3]; 3], &[]);
    assert!(missing.unwrap_err().to_string().contains("needs point 0"));
}

#[test]
fn inconsistent_states_are_refused() {
    let (model, positions) = ball_on_plane(Law::Hard, true);
    let (other, _) = two_curved_bodies(Law::Hard);
    let mut work = model.workspace();
    let good = || at(&positions[0], Vector3::zeros(), Matrix3::identity());
    let flat = || at(&positions[1], Vector3::zeros(), Matrix3::identity());
    let mut fails = |states: &[BodyState<'_>], warm: &mut WarmState| {
        model.solve(states, warm, &mut work).unwrap_err().to_string()
    };
    assert!(fails(&[good()], &mut model.cold()).contains("states of body 0 have 1 entries, 2 are needed"));
    assert!(fails(&[flat(), flat()], &mut model.cold()).contains("positions of body 0 have 0"));
    let lost = at(&positions[0], Vector3::new(f64::NAN, 0.0, 0.0), Matrix3::identity());
    assert!(fails(&[lost, flat()], &mut model.cold()).contains("body 0 is not finite"));
    assert!(fails(&[good(), flat()], &mut other.cold()).contains("another contact problem"));
}

#[test]
fn too_few_passes_are_an_error_with_the_worst_cell_and_the_history() {
    let (mut model, positions) = ball_on_plane(Law::Hard, true);
    model.tolerances.max_passes = 1;
    match solve(&model, &positions, down(5e-6)) {
        Err(SolveError::NotConverged { passes: 1, history, scale, .. }) => {
            assert!(history.len() == 1 && scale > 1e-7);
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_ball_between_the_integration_points_is_reported_with_its_depth() {
    // One flat cell of 1 mm over a ball of 1.2 mm, whose pole is higher than the cell by the depth.
    let (size, radius) = (1e-3, 1.2e-3);
    let (mut surface, points) =
        plate(FaceShape::Quad9, 1, 1, |x, y| [size * (x - 0.5), size * (y - 0.5), 0.0]);
    surface.faces[0].orientation = -1.0;
    let law = Law::per_area(1e15);
    let parts = vec![faced(0, "plate", (surface, points), None), rigid(1, contact_sphere(radius))];
    let (model, positions) = problem(parts, law);
    // The nearest of Gauss' four by four points to the middle.
    let inner = 2.0 * ((0.5 - 0.330_009_478_207_571_87) * size).powi(2);
    // The parabola's mean over the square is size²/(12 radius) = 0.0694 mm high.
    for (depth, closed) in [(0.01e-3, false), (0.03e-3, false), (0.06e-3, false), (0.08e-3, true)] {
        let out = solve(&model, &positions, Vector3::new(0.0, 0.0, radius - depth)).unwrap();
        assert_eq!(out.in_contact(), closed, "{depth}");
        let inside = radius - (inner + (radius - depth).powi(2)).sqrt();
        let expected = if closed { 0.0 } else { inside.max(0.0) };
        let found = out.pairs[0].overlap;
        assert!((found.map_or(0.0, |o| o.depth) - expected).abs() < 1e-12, "{depth}: {found:?}");
        assert!(found.is_none_or(|o| (o.size / size - 1.0).abs() < 1e-12));
    }
}

#[test]
fn a_surface_sharper_than_the_pressure_cells_is_refused() {
    let flat = |x: f64, y: f64| [1e-3 * x, 1e-3 * y, 0.0];
    let law = Law::per_area(1e15);
    let pairs = [Pair { first: 0, second: 1, law, friction: 0.0, max_depth: None }];
    for (radius, refused) in [(0.4e-3, true), (0.6e-3, false)] {
        let (body, zone, _) = faced(0, "plate", plate(FaceShape::Quad9, 2, 2, flat), None);
        let (second, sphere, _) = rigid(1, contact_sphere(radius));
        let model = QuasistaticContact::new(vec![body, second], vec![zone, sphere], &pairs);
        assert_eq!(model.is_err(), refused);
        if let Err(error) = model {
            let message = error.to_string();
            let parts = ["`plate`", "5.000e-4", "4.000e-4", "refine"];
            assert!(parts.iter().all(|part| message.contains(part)), "{message}");
        }
    }
    // Contact is accepted on the flat part of a surface whose end is sharper than the cells of 0.5 mm.
    let rolled = |x: f64, y: f64| {
        let x = 4e-4 * (x - 0.5);
        [x, 2e-3 * y, -3e3 * x.max(0.0).powi(2)]
    };
    let (body, zone, _) = faced(0, "plate", plate(FaceShape::Quad9, 2, 2, flat), None);
    let (second, table, _) = faced(1, "table", plate(FaceShape::Quad9, 2, 2, rolled), None);
    let [blunt, sharp] = table.shape.convex_curvatures();
    assert!(blunt < 1e-6 && sharp > 1.0 / 5e-4, "{blunt} {sharp}");
    assert!(QuasistaticContact::new(vec![body, second], vec![zone, table], &pairs).is_ok());
}
