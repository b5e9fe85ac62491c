//! Rows as derivatives of their gaps, and their effect on momenta.

use super::*;

/// Nodes around a surface, within reach or not.
fn around(random: &mut Random, n: usize) -> Vec<Vector3<f64>> {
    (0..n).map(|_| random.vector().component_mul(&Vector3::new(1.1, 1.1, 0.3))).collect()
}

/// A row as one force on every point, the nodes first.
fn gradient(contact: &NodeToFace, row: &GapRow, counts: [usize; 2]) -> [Vec<Vector3<f64>>; 2] {
    let mut forces = counts.map(|n| vec![Vector3::zeros(); n]);
    contact.add_force(row, 1.0, &mut forces);
    forces
}

/// The row of the same node nearest to a known foot point.
fn same_row<'a>(rows: &'a [GapRow], row: &GapRow) -> &'a GapRow {
    let distance = |other: &&GapRow| (other.foot.position - row.foot.position).norm();
    let of_node = rows.iter().filter(|other| other.node == row.node);
    of_node.min_by(|a, b| distance(a).total_cmp(&distance(b))).expect("the node still has a row")
}

#[test]
fn rows_are_the_derivatives_of_their_gaps() {
    let mut random = Random(4);
    let mut surfaces = sheets();
    surfaces.push(floor_and_wall());
    surfaces.push(boundary([-0.5, -0.4, -0.2], [0.5, 0.4, 0.1]));
    for surface in surfaces {
        let (side, positions) = faced(surface);
        let nodes = around(&mut random, 40);
        let mut contact = NodeToFace::new([cloud(nodes.len()), side], LIMITS, Passes::Single).unwrap();
        let rows = contact.update([&nodes, &positions]).to_vec();
        assert!(rows.len() >= 4, "{}", rows.len());
        let way: [Vec<Vector3<f64>>; 2] =
            [nodes.len(), positions.len()].map(|n| (0..n).map(|_| random.vector()).collect());
        let expected: Vec<f64> = rows.iter().map(|row| contact.rate(row, [&way[0], &way[1]])).collect();
        let h = 1e-7;
        let mut moved = |t: f64| {
            let place = |x: &[Vector3<f64>], v: &[Vector3<f64>]| -> Vec<Vector3<f64>> {
                x.iter().zip(v).map(|(x, v)| x + v * t).collect()
            };
            let (nodes, positions) = (place(&nodes, &way[0]), place(&positions, &way[1]));
            contact.update([&nodes, &positions]).to_vec()
        };
        let (minus, plus) = (moved(-h), moved(h));
        for (row, expected) in rows.iter().zip(expected) {
            let difference = (same_row(&plus, row).foot.gap - same_row(&minus, row).foot.gap) / (2.0 * h);
            assert!((difference - expected).abs() < 1e-7, "{row:?}: {difference} {expected}");
        }
    }
}

#[test]
fn rows_have_zero_resultant_and_moment() {
    let mut random = Random(14);
    let mut surfaces = sheets();
    surfaces.push(floor_and_wall());
    surfaces.push(boundary([-0.5, -0.4, -0.2], [0.5, 0.4, 0.1]));
    for surface in surfaces {
        let (side, positions) = faced(surface);
        let nodes = around(&mut random, 30);
        let counts = [nodes.len(), positions.len()];
        let mut contact = NodeToFace::new([cloud(counts[0]), side], LIMITS, Passes::Single).unwrap();
        let rows = contact.update([&nodes, &positions]).to_vec();
        for row in &rows {
            let forces = gradient(&contact, row, counts);
            let all = || forces[0].iter().zip(&nodes).chain(forces[1].iter().zip(&positions));
            let force: Vector3<f64> = all().map(|(f, _)| f).sum();
            let moment: Vector3<f64> = all().map(|(f, x)| x.cross(f)).sum();
            assert!(force.norm() < 1e-13 && moment.norm() < 1e-11, "{row:?}: {force} {moment}");
        }
    }
}

#[test]
fn second_variations_are_the_derivatives_of_the_gradients() {
    let mut random = Random(23);
    let mut kinds = [0; 3];
    let mut surfaces = sheets();
    surfaces.push(floor_and_wall());
    surfaces.push(boundary([-0.5, -0.4, -0.2], [0.5, 0.4, 0.1]));
    for surface in surfaces {
        let (side, positions) = faced(surface);
        let nodes = around(&mut random, 40);
        let counts = [nodes.len(), positions.len()];
        let mut contact = NodeToFace::new([cloud(counts[0]), side], LIMITS, Passes::Single).unwrap();
        let rows = contact.update([&nodes, &positions]).to_vec();
        let way: [Vec<Vector3<f64>>; 2] = counts.map(|n| (0..n).map(|_| random.vector()).collect());
        // D²g of each row along the path, by points.
        let mut expected: Vec<Option<Vec<Vector3<f64>>>> = Vec::new();
        for row in &rows {
            let along = contact.variations(row).map(|variations| {
                let points = contact.faced_points(row).0;
                let moved = |block: usize| match block {
                    0 => way[0][row.node as usize],
                    k => way[1][points[k - 1] as usize],
                };
                let n = variations.n_blocks();
                (0..n)
                    .map(|i| (0..n).map(|j| variations.gap_hessian(i, j) * moved(j)).sum::<Vector3<f64>>())
                    .collect()
            });
            expected.push(along);
        }
        let base = contact.clone();
        let h = 2e-6;
        let mut moved = |t: f64| {
            let place = |k: usize, x: &[Vector3<f64>]| -> Vec<Vector3<f64>> {
                x.iter().zip(&way[k]).map(|(x, v)| x + v * t).collect()
            };
            let (nodes, positions) = (place(0, &nodes), place(1, &positions));
            let rows = contact.update([&nodes, &positions]).to_vec();
            (contact.clone(), rows)
        };
        let [minus, plus] = [moved(-h), moved(h)];
        for (row, expected) in rows.iter().zip(expected) {
            let Some(expected) = expected else { continue };
            let points = base.faced_points(row).0.to_vec();
            let ends = [&minus, &plus].map(|(contact, rows)| {
                let forces = gradient(contact, same_row(rows, row), counts);
                let of_points: Vec<_> = points.iter().map(|&k| forces[1][k as usize]).collect();
                [vec![forces[0][row.node as usize]], of_points].concat()
            });
            let scale = expected.iter().map(|v| v.norm()).fold(1.0, f64::max);
            for (block, expected) in expected.iter().enumerate() {
                let difference = (ends[1][block] - ends[0][block]) / (2.0 * h);
                assert!((difference - expected).norm() < 1e-5 * scale, "{row:?}: {difference} {expected}");
            }
            kinds[match row.foot.site {
                crate::geometry::Site::Interior => 0,
                crate::geometry::Site::Edge(_) => 1,
                crate::geometry::Site::Corner(_) => 2,
            }] += 1;
        }
    }
    assert!(kinds.iter().all(|n| *n >= 2), "inside, edges, corners: {kinds:?}");
}

/// Two blocks with different meshes on a common plane: constant pressure on both is in the range of the rows
/// of both passes, and not of a single pass.
#[test]
fn two_passes_transmit_constant_pressure_between_unlike_meshes() {
    let flat = |n: usize, m: usize, up: f64| {
        let (mut surface, positions) = plate(FaceShape::Quad4, n, m, |x, y| [x, y, 0.0]);
        surface.faces.iter_mut().for_each(|face| face.orientation = up);
        let numbers: Vec<u32> = (0..positions.len() as u32).collect();
        let shape = Shape::faces(surface, &positions).unwrap();
        (ContactSide { shape, nodes: Nodes::of_points(&numbers) }, positions)
    };
    // Nodal forces of a unit pressure on a regular mesh of the unit square.
    let of_pressure = |n: usize, m: usize, positions: &[Vector3<f64>]| -> Vec<f64> {
        let part = |x: f64| if (1e-9..1.0 - 1e-9).contains(&x) { 1.0 } else { 0.5 };
        positions.iter().map(|x| part(x.x) * part(x.y) / (n * m) as f64).collect()
    };
    let ([n, m], [p, q]) = ([3, 4], [5, 3]);
    let ((upper, above), (lower, below)) = (flat(n, m, -1.0), flat(p, q, 1.0));
    let wanted: Vec<f64> = [of_pressure(n, m, &above), of_pressure(p, q, &below)].concat();
    let mut misfit = Vec::new();
    for passes in [Passes::Single, Passes::Dual] {
        let mut contact = NodeToFace::new([upper.clone(), lower.clone()], LIMITS, passes).unwrap();
        let rows = contact.update([&above, &below]).to_vec();
        assert_eq!(rows.len(), if passes == Passes::Single { above.len() } else { wanted.len() });
        assert!(rows.iter().all(|row| row.foot.gap.abs() < 1e-15 && row.foot.normal.z.abs() > 1.0 - 1e-15));
        let mut matrix = nalgebra::DMatrix::zeros(wanted.len(), rows.len());
        for (k, row) in rows.iter().enumerate() {
            let forces = gradient(&contact, row, [above.len(), below.len()]);
            // The force on the upper block acts upwards, that on the lower one downwards.
            let all = forces[0].iter().map(|f| f.z).chain(forces[1].iter().map(|f| -f.z));
            all.enumerate().for_each(|(i, f)| matrix[(i, k)] = f);
        }
        let wanted = nalgebra::DVector::from_vec(wanted.clone());
        let lambda = matrix.clone().svd(true, true).solve(&wanted, 1e-12).unwrap();
        misfit.push((&matrix * lambda - &wanted).amax() / wanted.amax());
    }
    assert!(misfit[0] > 0.02 && misfit[1] < 1e-12, "{misfit:?}");
}
