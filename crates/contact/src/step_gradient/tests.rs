use super::*;
use crate::test_surfaces::{Random, cap, plate};
use carom_mesh::FaceShape;

struct Case {
    name: &'static str,
    faces: Faces,
    face: u32,
    /// Positions of all points, and of the node, at the start and at the end of the step.
    points: [Vec<Vector3<f64>>; 2],
    places: [Vector3<f64>; 2],
}

impl Case {
    fn evaluated(&self, rule: StepRule) -> StepGap {
        let mut out = StepGap::default();
        let mut gaps = StepGaps::new(&self.faces);
        gaps.set_positions(&self.points[0], &self.points[1]);
        let node = NodeStep { places: self.places, xi: [0.4, 0.4] };
        gaps.evaluate(&self.faces, self.face, &node, rule, &mut out).unwrap();
        out
    }

    /// The places of the blocks at one end.
    fn blocks(&self, end: usize) -> Vec<Vector3<f64>> {
        let points = &self.faces.surface.faces[self.face as usize].points;
        let of_face = points.iter().map(|&k| self.points[end][k as usize]);
        std::iter::once(self.places[end]).chain(of_face).collect()
    }

    /// With one block moved at the end of the step.
    fn moved(&self, block: usize, by: Vector3<f64>) -> Self {
        let mut points = self.points.clone();
        let mut places = self.places;
        match block {
            0 => places[1] += by,
            k => points[1][self.faces.surface.faces[self.face as usize].points[k - 1] as usize] += by,
        }
        Self { name: self.name, faces: self.faces.clone(), face: self.face, points, places }
    }
}

/// Twisted and curved faces of all kinds that turn by 17 degrees, move and deform in a step, with a node
/// above and one below.
fn cases() -> Vec<Case> {
    let mut all = Vec::new();
    let mut random = Random(3);
    let bent = |x: f64, y: f64| [x, y, 0.2 * x * x - 0.3 * x * y];
    let surfaces = [
        ("tri3", plate(FaceShape::Tri3, 1, 1, bent)),
        ("quad4", plate(FaceShape::Quad4, 1, 1, |x, y| [x + 0.1 * y, y, 0.4 * x * y])),
        ("tri6", plate(FaceShape::Tri6, 1, 1, bent)),
        ("quad8", plate(FaceShape::Quad8, 1, 1, bent)),
        ("quad9", plate(FaceShape::Quad9, 1, 1, bent)),
        ("nurbs", cap(1.0, &[0.4])),
    ];
    let turn = nalgebra::Rotation3::new(Vector3::new(0.2, -0.1, 0.2));
    for (name, (surface, mut start)) in surfaces {
        start.iter_mut().for_each(|x| *x += random.vector() * 0.02);
        let faces = Faces::new(surface, &start).unwrap();
        let face = faces.n_faces() as u32 - 1;
        for height in [0.03, -0.02] {
            let mut now = faces.state_at(&start);
            let jet = faces.jet(&mut now, face, [0.37, 0.41]);
            let x = jet.y + faces.normal(&mut now, face, [0.37, 0.41], &jet) * height;
            let shift = Vector3::new(0.3, 0.1, -0.2);
            let mut moved = |x: &Vector3<f64>| turn * x + shift + random.vector() * 0.02;
            let end: Vec<_> = start.iter().map(&mut moved).collect();
            let places = [x, moved(&x)];
            let faces = faces.clone();
            all.push(Case { name, faces, face, points: [start.clone(), end], places });
        }
    }
    all
}

#[test]
fn the_work_of_the_discrete_gradient_is_the_change_of_the_gap() {
    for case in cases() {
        let found = case.evaluated(StepRule::Discrete);
        let plain = case.evaluated(StepRule::Midpoint);
        let moved = case.blocks(1).into_iter().zip(case.blocks(0)).map(|(end, start)| end - start);
        let moved: Vec<_> = moved.collect();
        let work = |rows: &[Vector3<f64>]| rows.iter().zip(&moved).map(|(d, z)| d.dot(z)).sum::<f64>();
        let change = found.gaps[1] - found.gaps[0];
        assert!((work(&found.gradient) - change).abs() < 1e-14, "{}", case.name);
        // The gradient at the middle alone misses the change by its third order.
        assert!((work(&plain.gradient) - change).abs() > 1e-6, "{}", case.name);
    }
}

#[test]
fn forces_along_the_gradient_have_no_sum_and_no_moment_in_the_middle() {
    for case in cases() {
        for rule in [StepRule::Discrete, StepRule::Midpoint] {
            let found = case.evaluated(rule);
            let middle =
                case.blocks(1).into_iter().zip(case.blocks(0)).map(|(end, start)| 0.5 * (end + start));
            let middle: Vec<_> = middle.collect();
            let sum: Vector3<f64> = found.gradient.iter().sum();
            let moment: Vector3<f64> = found.gradient.iter().zip(&middle).map(|(d, z)| z.cross(d)).sum();
            assert!(sum.norm() < 1e-14 && moment.norm() < 1e-14, "{} {rule:?}: {sum} {moment}", case.name);
        }
    }
}

#[test]
fn the_tangent_is_the_derivative_of_the_gradient_and_the_gradient_at_the_end_that_of_the_gap() {
    const STEP: f64 = 1e-6;
    for case in cases() {
        for rule in [StepRule::Discrete, StepRule::Midpoint] {
            let found = case.evaluated(rule);
            let n = found.gradient.len();
            let largest = found.tangent.iter().map(|t| t.amax()).fold(0.0, f64::max);
            for j in 0..n {
                for d in 0..3 {
                    let ends =
                        [STEP, -STEP].map(|by| case.moved(j, by * Vector3::ith(d, 1.0)).evaluated(rule));
                    let slope = (ends[0].gaps[1] - ends[1].gaps[1]) / (2.0 * STEP);
                    assert!((found.at_end[j][d] - slope).abs() < 1e-8, "{} {j}{d}", case.name);
                    for i in 0..n {
                        let difference = (ends[0].gradient[i] - ends[1].gradient[i]) / (2.0 * STEP);
                        let error = found.tangent[i * n + j].column(d) - difference;
                        assert!(error.norm() < 1e-7 * largest, "{} {rule:?}: {error}", case.name);
                    }
                }
            }
        }
    }
}

/// A step that turns face and node as one body leaves the gap as it is; its rounding makes no forces along
/// the face.
#[test]
fn a_rigid_step_has_the_gradient_of_the_gap() {
    for case in cases() {
        let turn = nalgebra::Rotation3::new(Vector3::new(0.01, 0.3, -0.02));
        let points = [case.points[0].clone(), case.points[0].iter().map(|x| turn * x).collect()];
        let places = [case.places[0], turn * case.places[0]];
        let case = Case { points, places, ..case };
        let [found, plain] = [StepRule::Discrete, StepRule::Midpoint].map(|rule| case.evaluated(rule));
        assert!((found.gaps[1] - found.gaps[0]).abs() < 1e-15, "{}", case.name);
        let pairs = found.gradient.iter().zip(&plain.gradient);
        let most = pairs.map(|(a, b)| (a - b).norm()).fold(0.0, f64::max);
        assert!(most < 1e-12, "{}: {most}", case.name);
    }
}

#[test]
fn a_node_beside_the_face_is_far() {
    let case = &cases()[2];
    let mut gaps = StepGaps::new(&case.faces);
    gaps.set_positions(&case.points[0], &case.points[1]);
    let away = Vector3::new(40.0, 0.0, 0.0);
    let node = NodeStep { places: [case.places[0] + away, case.places[1] + away], xi: [0.4, 0.4] };
    let mut out = StepGap::default();
    let found = gaps.evaluate(&case.faces, case.face, &node, StepRule::Discrete, &mut out);
    assert_eq!(found, Err(FarFromFace));
}

impl Case {
    fn slips(&self, rule: StepRule) -> [StepSlip; 2] {
        let mut out = [StepSlip::default(), StepSlip::default()];
        let mut gaps = StepGaps::new(&self.faces);
        gaps.set_positions(&self.points[0], &self.points[1]);
        let node = NodeStep { places: self.places, xi: [0.4, 0.4] };
        gaps.evaluate_slip(&self.faces, self.face, &node, rule, &mut out).unwrap();
        out
    }
}

/// The work of D of ξ_a is the slip, without sum and moment.
#[test]
fn the_work_of_the_gradients_of_the_parameters_is_the_slip() {
    for case in cases() {
        let [found, plain] = [StepRule::Discrete, StepRule::Midpoint].map(|rule| case.slips(rule));
        let (before, after) = (case.blocks(0), case.blocks(1));
        for (a, slip) in found.iter().enumerate() {
            let work = |rows: &[Vector3<f64>]| -> f64 {
                (0..rows.len()).map(|k| rows[k].dot(&(after[k] - before[k]))).sum()
            };
            let moved = slip.xi[1] - slip.xi[0];
            assert!(moved.abs() > 1e-4, "{}: {moved}", case.name);
            assert!((work(&slip.gradient) - moved).abs() < 1e-13, "{}", case.name);
            assert!((work(&plain[a].gradient) - moved).abs() > 1e-7, "{}", case.name);
            let sum: Vector3<f64> = slip.gradient.iter().sum();
            let moment: Vector3<f64> =
                (0..after.len()).map(|k| (0.5 * (before[k] + after[k])).cross(&slip.gradient[k])).sum();
            assert!(sum.norm() < 1e-13 && moment.norm() < 1e-13, "{}: {sum} {moment}", case.name);
        }
    }
}

/// Of curved faces the tangent leaves out the gap times third derivatives: 3 % of it at these heights.
#[test]
fn the_tangents_of_the_parameters_are_those_of_differences() {
    const STEP: f64 = 1e-6;
    for case in cases() {
        let tolerance = if ["tri3", "quad4"].contains(&case.name) { 1e-7 } else { 0.2 };
        for rule in [StepRule::Discrete, StepRule::Midpoint] {
            let found = case.slips(rule);
            let n = found[0].gradient.len();
            for a in 0..2 {
                let largest = found[a].tangent.iter().map(|t| t.amax()).fold(0.0, f64::max);
                for (j, d) in (0..n).flat_map(|j| (0..3).map(move |d| (j, d))) {
                    let ends = [STEP, -STEP].map(|by| case.moved(j, by * Vector3::ith(d, 1.0)).slips(rule));
                    let slope = (ends[0][a].xi[1] - ends[1][a].xi[1]) / (2.0 * STEP);
                    assert!((found[a].at_end[j][d] - slope).abs() < 1e-7, "{} {a} {j}{d}", case.name);
                    for i in 0..n {
                        let difference = (ends[0][a].gradient[i] - ends[1][a].gradient[i]) / (2.0 * STEP);
                        let error = (found[a].tangent[i * n + j].column(d) - difference).norm();
                        assert!(error < tolerance * largest, "{} {rule:?}: {error} {largest}", case.name);
                    }
                }
            }
        }
    }
}

/// The gradient of the mixed formulation has the work and the invariance of D, and differs from it by the
/// second order of the step: a quarter over half the motion.
#[test]
fn the_mixed_formulation_has_the_properties_of_the_discrete_gradient() {
    for case in cases().into_iter().filter(|case| ["tri3", "quad4"].contains(&case.name)) {
        let found = case.evaluated(StepRule::Mixed);
        let (before, after) = (case.blocks(0), case.blocks(1));
        let work: f64 = (0..after.len()).map(|k| found.gradient[k].dot(&(after[k] - before[k]))).sum();
        assert!((work - (found.gaps[1] - found.gaps[0])).abs() < 1e-13, "{}: {work}", case.name);
        let sum: Vector3<f64> = found.gradient.iter().sum();
        let moment: Vector3<f64> =
            (0..after.len()).map(|k| (0.5 * (before[k] + after[k])).cross(&found.gradient[k])).sum();
        assert!(sum.norm() < 1e-13 && moment.norm() < 1e-13, "{}: {sum} {moment}", case.name);
        let difference = |part: f64| {
            let part_of = |a: &Vector3<f64>, b: &Vector3<f64>| a + part * (b - a);
            let ends = case.points[0].iter().zip(&case.points[1]).map(|(a, b)| part_of(a, b)).collect();
            let places = [case.places[0], part_of(&case.places[0], &case.places[1])];
            let points = [case.points[0].clone(), ends];
            let part = Case { points, places, faces: case.faces.clone(), ..case };
            let [a, b] = [StepRule::Mixed, StepRule::Discrete].map(|rule| part.evaluated(rule).gradient);
            a.iter().zip(&b).map(|(a, b)| (a - b).norm()).fold(0.0, f64::max)
        };
        let [whole, half] = [difference(0.25), difference(0.125)];
        assert!(whole < 1e-13 || (3.0..5.0).contains(&(whole / half)), "{}: {whole} {half}", case.name);
    }
}
