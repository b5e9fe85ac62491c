//! Pressure points: one constant pressure on every face (knot span) of a surface, with the gap averaged over it.
//!
//! ```text
//! g_s = Σ_g w_g g(x_g),   w_g = |J_ref| weight_g / A_s,   λ_s = total force on the span,   Σ_g w_g = 1
//! ```
//!
//! One unknown per span keeps the condensed compliance positive definite and the pressure free of oscillations
//! (QUASISTATIC section 1); the force of a span is spread over its points with the weights of its average, so that it
//! is the derivative of the potential.

use nalgebra::Vector3;

use crate::geometry::bezier::MAX_POINTS;
use crate::geometry::{Domain, Faces};

/// The spans of a surface with their integration points.
#[derive(Debug, Clone, PartialEq)]
pub struct Spans {
    /// Area of each span in the reference configuration \[m²\].
    pub area: Vec<f64>,
    /// True if the span has an edge on the rim of the surface.
    pub at_rim: Vec<bool>,
    /// First integration point of each span, and their number at the end.
    pub start: Vec<u32>,
    /// w_g of each integration point.
    pub weights: Vec<f64>,
    /// First entry of each span in `values`, and their number at the end.
    values_start: Vec<u32>,
    /// Shape values of a span's points, integration point after integration point.
    values: Vec<f64>,
    /// Derivatives of the shape functions in the middle of the span, for its normal.
    slopes: Vec<[f64; 2]>,
    /// First entry of each span in `slopes`.
    slopes_start: Vec<u32>,
}

/// Abscissae and weights of Gauss' rule with four points on \[0,1\], exact to degree 7.
const GAUSS: [[f64; 2]; 4] = [
    [0.069_431_844_202_973_71, 0.173_927_422_568_726_93],
    [0.330_009_478_207_571_87, 0.326_072_577_431_273_07],
    [0.669_990_521_792_428_1, 0.326_072_577_431_273_07],
    [0.930_568_155_797_026_3, 0.173_927_422_568_726_93],
];

/// Dunavant's rule with twelve points on the triangle, exact to degree 6: area coordinates and weights (sum ½).
const TRIANGLE: [([f64; 3], f64); 3] = [
    ([0.501_426_509_658_179, 0.249_286_745_170_910, 0.249_286_745_170_911], 0.058_393_137_863_189),
    ([0.873_821_971_016_996, 0.063_089_014_491_502, 0.063_089_014_491_502], 0.025_422_453_185_103),
    ([0.053_145_049_844_817, 0.310_352_451_033_784, 0.636_502_499_121_399], 0.041_425_537_809_187),
];

/// Points and weights of the rule of a domain; the weights sum up to its area.
fn rule(domain: Domain) -> Vec<([f64; 2], f64)> {
    match domain {
        Domain::Square => {
            GAUSS.iter().flat_map(|b| GAUSS.iter().map(move |a| ([a[0], b[0]], a[1] * b[1]))).collect()
        }
        Domain::Triangle => TRIANGLE
            .iter()
            .flat_map(|&([a, b, c], w)| {
                let turns = [[a, b], [b, c], [c, a]].map(|xi| (xi, w));
                let mirrored = [[b, a], [c, b], [a, c]].map(|xi| (xi, w));
                // Two equal coordinates have three different permutations only.
                let both = if (b - c).abs() < 1e-10 { vec![turns] } else { vec![turns, mirrored] };
                both.concat()
            })
            .collect(),
    }
}

impl Spans {
    /// The spans of a surface whose points have these reference positions.
    ///
    /// Faces of no area (collapsed ones) get equal weights and the area zero.
    pub fn new(faces: &Faces, reference: &[Vector3<f64>]) -> Self {
        let mut spans = Self {
            area: Vec::new(),
            at_rim: Vec::new(),
            start: vec![0],
            weights: Vec::new(),
            values_start: vec![0],
            values: Vec::new(),
            slopes: Vec::new(),
            slopes_start: vec![0],
        };
        (0..faces.n_faces() as u32).for_each(|face| spans.add(faces, reference, face));
        spans
    }

    fn add(&mut self, faces: &Faces, reference: &[Vector3<f64>], face: u32) {
        let domain = faces.domain(face);
        let points = &faces.surface.faces[face as usize].points;
        let n = points.len();
        let (mut r, mut r_a, mut r_ab) = ([0.0; MAX_POINTS], [[0.0; 2]; MAX_POINTS], [[0.0; 3]; MAX_POINTS]);
        let first = self.weights.len();
        for (xi, weight) in rule(domain) {
            faces.surface.shape_into(face as usize, xi, &mut r, &mut r_a, &mut r_ab);
            let tangent = |a: usize| -> Vector3<f64> {
                points.iter().zip(&r_a).map(|(&k, d)| reference[k as usize] * d[a]).sum()
            };
            self.weights.push(weight * tangent(0).cross(&tangent(1)).norm());
            self.values.extend_from_slice(&r[..n]);
        }
        let area: f64 = self.weights[first..].iter().sum();
        let count = (self.weights.len() - first) as f64;
        self.weights[first..].iter_mut().for_each(|w| *w = if area > 0.0 { *w / area } else { 1.0 / count });
        self.area.push(area);
        self.at_rim.push(faces.topology.at_rim(face, domain));
        self.start.push(self.weights.len() as u32);
        self.values_start.push(self.values.len() as u32);
        faces.surface.shape_into(face as usize, domain.center(), &mut r, &mut r_a, &mut r_ab);
        self.slopes.extend_from_slice(&r_a[..n]);
        self.slopes_start.push(self.slopes.len() as u32);
    }

    /// Number of spans.
    pub fn len(&self) -> usize {
        self.area.len()
    }

    /// True without any span.
    pub fn is_empty(&self) -> bool {
        self.area.is_empty()
    }

    /// Number of integration points of all spans.
    pub fn n_points(&self) -> usize {
        self.weights.len()
    }

    /// Weights of the integration points of a span.
    pub fn weights(&self, span: usize) -> &[f64] {
        &self.weights[self.start[span] as usize..self.start[span + 1] as usize]
    }

    /// Shape values of a span's points, integration point after integration point.
    pub fn values(&self, span: usize) -> &[f64] {
        &self.values[self.values_start[span] as usize..self.values_start[span + 1] as usize]
    }

    /// Derivatives of the shape functions in the middle of a span.
    pub fn slopes(&self, span: usize) -> &[[f64; 2]] {
        &self.slopes[self.slopes_start[span] as usize..self.slopes_start[span + 1] as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_surfaces::{ball, plate};
    use carom_mesh::FaceShape;

    #[test]
    fn the_rules_are_exact_to_their_degree() {
        for (domain, degree) in [(Domain::Square, 7), (Domain::Triangle, 6)] {
            for (a, b) in (0..=degree).flat_map(|a| (0..=degree - a).map(move |b| (a, b))) {
                let sum: f64 = rule(domain).iter().map(|(xi, w)| w * xi[0].powi(a) * xi[1].powi(b)).sum();
                let factorial = |n: i32| (1..=n).map(f64::from).product::<f64>();
                let exact = match domain {
                    Domain::Square => 1.0 / f64::from((a + 1) * (b + 1)),
                    Domain::Triangle => factorial(a) * factorial(b) / factorial(a + b + 2),
                };
                assert!((sum - exact).abs() < 2e-15, "{domain:?} {a} {b}: {sum} {exact}");
            }
        }
    }

    #[test]
    fn areas_sum_up_to_that_of_the_ball_and_weights_to_one() {
        let (surface, positions) = ball(0.015, 6);
        let faces = Faces::new(surface, &positions).unwrap();
        let spans = Spans::new(&faces, &positions);
        let exact = 4.0 * std::f64::consts::PI * 0.015f64.powi(2);
        let area: f64 = spans.area.iter().sum();
        assert!((area / exact - 1.0).abs() < 1e-8, "{}", area / exact - 1.0);
        for s in 0..spans.len() {
            assert!((spans.weights(s).iter().sum::<f64>() - 1.0).abs() < 1e-14 && !spans.at_rim[s]);
        }
    }

    #[test]
    fn spans_with_an_edge_on_the_border_of_a_plate_are_at_its_rim() {
        for (shape, at_rim) in [(FaceShape::Quad4, 12), (FaceShape::Tri6, 14)] {
            let (surface, positions) = plate(shape, 4, 4, |x, y| [x, y, 0.0]);
            let faces = Faces::new(surface, &positions).unwrap();
            let spans = Spans::new(&faces, &positions);
            assert_eq!(spans.at_rim.iter().filter(|&&rim| rim).count(), at_rim);
            assert!((spans.area.iter().sum::<f64>() - 1.0).abs() < 1e-14);
        }
    }
}
