use super::*;
use crate::geometry::Start;
use crate::test_surfaces::{Random, cap, plate};
use carom_mesh::FaceShape;

struct Case {
    faces: Faces,
    positions: Vec<Vector3<f64>>,
    x: Vector3<f64>,
    start: Start,
}

impl Case {
    fn foot(&self, x: &Vector3<f64>, positions: &[Vector3<f64>]) -> FootPoint {
        let mut now = self.faces.state_at(positions);
        self.faces.project(&mut now, x, self.start)
    }

    /// The dofs (x, y_1 … y_K) of the face moved by `step` along component d of a block.
    fn moved(&self, block: usize, d: usize, step: f64) -> FootPoint {
        let (mut x, mut positions) = (self.x, self.positions.clone());
        match block {
            0 => x[d] += step,
            k => {
                let point = self.faces.surface.faces[self.start.face as usize].points[k - 1];
                positions[point as usize][d] += step;
            }
        }
        self.foot(&x, &positions)
    }
}

/// A twisted bilinear patch, a biquadratic sheet and a NURBS cap, all distorted, with points above and below.
fn cases() -> Vec<Case> {
    let twisted = |x: f64, y: f64| [x + 0.1 * y, y - 0.2 * x * y, 0.5 * x * y + 0.1 * x];
    let mut all = Vec::new();
    let mut random = Random(11);
    let surfaces = [
        plate(FaceShape::Quad4, 1, 1, twisted),
        plate(FaceShape::Quad8, 1, 1, |x, y| [x, y, 0.3 * x * x - 0.4 * x * y]),
        plate(FaceShape::Tri6, 1, 1, |x, y| [x, y, 0.3 * x * x - 0.4 * x * y]),
        cap(1.0, &[0.4]),
    ];
    for (surface, mut positions) in surfaces {
        positions.iter_mut().for_each(|x| *x += random.vector() * 0.02);
        let faces = Faces::new(surface, &positions).unwrap();
        let face = faces.n_faces() as u32 - 1;
        for height in [0.2, -0.15] {
            let xi = [0.37, 0.45];
            let mut now = faces.state_at(&positions);
            let jet = faces.jet(&mut now, face, xi);
            let x = jet.y + faces.normal(&mut now, face, xi, &jet) * height;
            let (faces, positions) = (faces.clone(), positions.clone());
            all.push(Case { faces, positions, x, start: Start { face, xi } });
        }
    }
    all
}

#[test]
fn first_variations_of_gap_and_parameters_agree_with_differences() {
    let h = 1e-5;
    for case in cases() {
        let foot = case.foot(&case.x, &case.positions);
        assert_eq!(foot.site, Site::Interior);
        let variations = Variations::new(&case.faces, &foot).unwrap();
        for (block, d) in (0..variations.n_blocks()).flat_map(|b| (0..3).map(move |d| (b, d))) {
            let (plus, minus) = (case.moved(block, d, h), case.moved(block, d, -h));
            let gap = (plus.gap - minus.gap) / (2.0 * h);
            assert!((gap - variations.gap_row(block)[d]).abs() < 1e-9, "{gap}");
            for b in 0..2 {
                let xi = (plus.xi[b] - minus.xi[b]) / (2.0 * h);
                assert!((xi - variations.parameter_row(b, block)[d]).abs() < 1e-7, "{xi}");
            }
        }
    }
}

#[test]
fn the_second_variation_of_the_gap_agrees_with_differences_of_the_first() {
    let h = 1e-5;
    for case in cases() {
        let foot = case.foot(&case.x, &case.positions);
        let variations = Variations::new(&case.faces, &foot).unwrap();
        let n = variations.n_blocks();
        for (j, d) in (0..n).flat_map(|b| (0..3).map(move |d| (b, d))) {
            let rows = |step: f64| Variations::new(&case.faces, &case.moved(j, d, step)).unwrap();
            let (plus, minus) = (rows(h), rows(-h));
            for i in 0..n {
                let difference = (plus.gap_row(i) - minus.gap_row(i)) / (2.0 * h);
                let hessian = variations.gap_hessian(i, j);
                assert!((difference - hessian.column(d)).norm() < 1e-6, "{i} {j}: {difference} {hessian}");
            }
        }
    }
}

#[test]
fn the_foot_point_of_a_centre_of_curvature_is_not_unique() {
    let (surface, positions) = cap(1.0, &[]);
    let faces = Faces::new(surface, &positions).unwrap();
    let mut now = faces.state_at(&positions);
    let foot = faces.project(&mut now, &Vector3::new(0.0, 0.0, -0.3), Start { face: 0, xi: [0.4, 0.6] });
    assert!(foot.inverse().is_some() && (foot.gap + 0.7).abs() < 1e-12);
    let center = faces.project(&mut now, &Vector3::zeros(), Start { face: 0, xi: [0.4, 0.6] });
    assert!(center.inverse().is_none() && (center.gap + 1.0).abs() < 1e-12);
}
