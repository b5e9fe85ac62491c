//! The Bezier form represents the same body, with shared points and rational fields.

use carom_nurbs::basis::bernstein_into;
use carom_nurbs::{BezierMesh, Multipatch, solids};

fn bodies() -> Vec<Multipatch> {
    let ball = solids::ball(0.015, None).unwrap().elements([2, 1, 3]).unwrap();
    let rod = solids::rod(0.01, 0.1, None).unwrap().with_degree(2).unwrap().elements([2, 3, 4]).unwrap();
    let torus = solids::torus(1.0, 0.3).unwrap();
    vec![ball, rod, torus]
}

/// The place of a cell at parameters in \[0,1\], and a field's value there.
fn evaluate(mesh: &BezierMesh, cell: usize, x: [f64; 3], field: &[[f64; 2]]) -> ([f64; 3], [f64; 2]) {
    let cell = &mesh.cells[cell];
    let mut b = [[0.0; 13]; 3];
    for d in 0..3 {
        bernstein_into(cell.degrees[d], x[d], &mut b[d]);
    }
    let [n, m, _] = cell.degrees.map(|p| p + 1);
    let (mut sum, mut value, mut total) = ([0.0; 3], [0.0; 2], 0.0);
    for (place, &point) in cell.points.iter().enumerate() {
        let point = point as usize;
        let weight = b[0][place % n] * b[1][place / n % m] * b[2][place / (n * m)] * mesh.weights[point];
        total += weight;
        for d in 0..3 {
            sum[d] += weight * mesh.points[point][d];
        }
        for d in 0..2 {
            value[d] += weight * field[point][d];
        }
    }
    (sum.map(|s| s / total), value.map(|v| v / total))
}

#[test]
fn cells_are_the_knot_spans_of_the_patches_and_carry_their_fields() {
    for body in bodies() {
        let control: Vec<[f64; 2]> =
            (0..body.n_points()).map(|i| [(i as f64 * 0.7).sin(), (i as f64 * 1.9).cos()]).collect();
        for mesh in [body.bezier(), body.bezier_surface()] {
            let mut field = vec![[f64::NAN; 2]; mesh.points.len()];
            mesh.field_into(&control, &mut field);
            for (number, cell) in mesh.cells.iter().enumerate() {
                let patch = &body.patches[cell.patch as usize];
                let x = [0.2, 0.7, if cell.side.is_some() { 0.0 } else { 0.4 }];
                let (place, value) = evaluate(&mesh, number, x, &field);
                // The same point in the patch.
                let mut u = [0.0; 3];
                let directions = cell.side.map_or(vec![0, 1, 2], |side| side.tangents().to_vec());
                if let Some(side) = cell.side {
                    u[side.direction()] = patch.domain()[side.direction()][usize::from(side.is_end())];
                }
                for (d, t) in directions.into_iter().zip(x) {
                    let breaks = patch.basis[d].breakpoints();
                    let span = cell.cell[d] as usize;
                    u[d] = breaks[span] + t * (breaks[span + 1] - breaks[span]);
                }
                let expected = patch.point(u);
                assert!((0..3).all(|d| (place[d] - expected[d]).abs() < 1e-14), "{place:?} {expected:?}");
                // The field is the third coordinate of a patch whose points are its values.
                let mut with_field = patch.clone();
                for (point, &id) in with_field.points.iter_mut().zip(&body.point_ids()[cell.patch as usize]) {
                    *point = [control[id as usize][0], control[id as usize][1], 0.0];
                }
                let expected = with_field.point(u);
                assert!((0..2).all(|d| (value[d] - expected[d]).abs() < 1e-13), "{value:?} {expected:?}");
            }
        }
    }
}

/// A refined ball and a body whose refinement crosses seams.
fn refined() -> Vec<Multipatch> {
    use carom_nurbs::Near;
    let ball = solids::ball(1.0, None).unwrap().elements([2; 3]).unwrap();
    let rod = solids::rod(1.0, 4.0, None).unwrap().elements([2; 3]).unwrap();
    vec![
        ball.refine_near(&[Near::point([0.0, 0.0, 1.0], 0.05, 3)]).unwrap(),
        rod.refine_near(&[Near::point([4.0, 0.5, 0.0], 0.1, 2)]).unwrap(),
    ]
}

#[test]
fn cells_of_a_locally_refined_body_carry_its_fields() {
    for body in refined() {
        let space = body.space().unwrap().unwrap();
        let control: Vec<[f64; 2]> =
            (0..space.points.len()).map(|i| [(i as f64 * 0.7).sin(), (i as f64 * 1.9).cos()]).collect();
        for mesh in [body.bezier(), body.bezier_surface()] {
            let mut field = vec![[f64::NAN; 2]; mesh.points.len()];
            mesh.field_into(&control, &mut field);
            for (number, cell) in mesh.cells.iter().enumerate() {
                let patch = &body.patches[cell.patch as usize];
                let x = [0.2, 0.7, if cell.side.is_some() { 0.0 } else { 0.4 }];
                let (place, value) = evaluate(&mesh, number, x, &field);
                let mut u = [0.0; 3];
                let directions = cell.side.map_or(vec![0, 1, 2], |side| side.tangents().to_vec());
                if let Some(side) = cell.side {
                    u[side.direction()] = patch.domain()[side.direction()][usize::from(side.is_end())];
                }
                for (d, t) in directions.into_iter().zip(x) {
                    let breaks = patch.basis[d].breakpoints();
                    let at = (f64::from(cell.cell[d]) + t) / f64::from(1 << cell.level);
                    let span = at as usize;
                    u[d] = breaks[span] + (at - span as f64) * (breaks[span + 1] - breaks[span]);
                }
                let expected = patch.point(u);
                assert!((0..3).all(|d| (place[d] - expected[d]).abs() < 1e-13), "{place:?} {expected:?}");
                let mut expected = [0.0; 2];
                for (point, r) in space.functions_at(cell.patch as usize, u) {
                    (0..2).for_each(|d| expected[d] += r * control[point as usize][d]);
                }
                assert!((0..2).all(|d| (value[d] - expected[d]).abs() < 1e-13), "{value:?} {expected:?}");
            }
        }
    }
}

#[test]
fn rows_represent_the_same_operator_and_sum_to_one() {
    for body in bodies() {
        let control: Vec<[f64; 1]> = (0..body.n_points()).map(|i| [(i as f64 * 0.37).sin()]).collect();
        for mesh in [body.bezier(), body.bezier_surface()] {
            let mut field = vec![[f64::NAN]; mesh.points.len()];
            mesh.field_into(&control, &mut field);
            for (row, value) in mesh.rows().iter().zip(&field) {
                let sum: f64 = row.iter().map(|&(id, factor)| factor * control[id as usize][0]).sum();
                assert!((sum - value[0]).abs() < 1e-13);
                assert!((row.iter().map(|entry| entry.1).sum::<f64>() - 1.0).abs() < 1e-13);
            }
        }
    }
}

#[test]
fn points_are_shared_between_cells_and_patches() {
    // With one knot span in a patch, the Bezier points are the control points.
    let ball = solids::ball(1.0, None).unwrap();
    let mesh = ball.bezier();
    assert_eq!((mesh.points.len(), mesh.cells.len()), (517, 7));
    assert!(mesh.cells.iter().all(|cell| cell.points.len() == 125 && cell.degrees == [4; 3]));
    let surface = ball.bezier_surface();
    // Euler: six quartic tiles on a sphere, 8 corners + 12 edges × 3 + 6 × 9.
    assert_eq!((surface.points.len(), surface.cells.len()), (98, 6));
    assert!(surface.points.iter().zip(&surface.weights).all(|(_, &w)| w > 0.6));
}
