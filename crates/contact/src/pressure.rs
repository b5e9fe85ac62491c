//! Pressure points: one constant pressure on each cell of a surface, with the gap averaged over the cell.
//!
//! ```text
//! g_s = Σ_g w_g g(x_g),   w_g = |J_ref| weight_g / A_s,   λ_s = total force on the cell,   Σ_g w_g = 1
//! ```
//!
//! The cells are the faces (knot spans) of the surface. One unknown per cell keeps the condensed compliance
//! positive definite and the pressure free of oscillations (docs/quasistatic.md, section 1); the force of a
//! cell is spread over its points with the weights of its average, so that it is the derivative of the
//! potential.
//!
//! On a surface of linear faces alone (tet4, hex8, splines of degree 1) pressures on faces that alternate in
//! sign give no force on any node, and the compliance would be singular. There the cells are those of the
//! dual mesh: around each node the corners of its faces, cut at their middles.

use std::collections::BTreeMap;

use carom_fem::FaceBasis;
use carom_mesh::FaceShape;
use nalgebra::Vector3;

use crate::geometry::{Domain, Faces};
use carom_fem::surface::MAX_FACE_POINTS;

/// The face or point that a pressure cell belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cell {
    /// A face: the cell of that number.
    Face(u32),
    /// A point of the surface: the dual cell around it.
    Point(u32),
}

/// The pressure cells of a surface with their integration points.
#[derive(Debug, Clone, PartialEq)]
pub struct PressureCells {
    /// Face or point of each cell.
    pub cell: Vec<Cell>,
    /// Area of each cell in the reference configuration \[m²\].
    pub area: Vec<f64>,
    /// True if the cell has an edge at which the zone was cut out of the surface of the body: pressure there
    /// is incomplete.
    pub at_rim: Vec<bool>,
    /// First integration point of each cell, and their number at the end.
    pub start: Vec<u32>,
    /// w_g of each integration point.
    pub weights: Vec<f64>,
    /// First entry of each cell in `points` and `slopes`, and their number at the end.
    points_start: Vec<u32>,
    /// Points of the surface that move a cell.
    points: Vec<u32>,
    /// Derivatives of their shape functions in the middle of the cell (of a dual cell near its node), for its
    /// normal.
    slopes: Vec<[f64; 2]>,
    /// +1 if the product of the tangents by `slopes` points out of the body.
    orientation: Vec<f64>,
    /// First entry of each cell in `values`, and their number at the end.
    values_start: Vec<u32>,
    /// Shape values of a cell's points, integration point after integration point.
    values: Vec<f64>,
    /// Averages of these values over each cell, for each entry of `points`.
    means: Vec<f64>,
}

/// Abscissae and weights of Gauss' rule with four points on \[0,1\], exact to degree 7.
const GAUSS: [[f64; 2]; 4] = [
    [0.069_431_844_202_973_71, 0.173_927_422_568_726_93],
    [0.330_009_478_207_571_87, 0.326_072_577_431_273_07],
    [0.669_990_521_792_428_1, 0.326_072_577_431_273_07],
    [0.930_568_155_797_026_3, 0.173_927_422_568_726_93],
];

/// Dunavant's rule with twelve points on the triangle, exact to degree 6: area coordinates and weights (sum
/// ½).
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

/// A piece of a face with integration points: where, and weight in parameters.
type Piece = (u32, Vec<([f64; 2], f64)>);

impl PressureCells {
    /// The cells of a surface whose points have these reference positions.
    ///
    /// PressureCells of no area (collapsed faces) get equal weights and the area zero.
    pub fn new(faces: &Faces, reference: &[Vector3<f64>]) -> Self {
        let mut cells = Self {
            cell: Vec::new(),
            area: Vec::new(),
            at_rim: Vec::new(),
            start: vec![0],
            weights: Vec::new(),
            points_start: vec![0],
            points: Vec::new(),
            slopes: Vec::new(),
            orientation: Vec::new(),
            values_start: vec![0],
            values: Vec::new(),
            means: Vec::new(),
        };
        let n_faces = faces.n_faces() as u32;
        if (0..n_faces).all(|face| is_linear(faces, face)) {
            for (point, (rim, pieces)) in dual_cells(faces) {
                cells.add(faces, reference, Cell::Point(point), rim, &pieces);
            }
        } else {
            for face in 0..n_faces {
                let domain = faces.domain(face);
                let rim = faces.topology.at_cut(face, domain);
                cells.add(faces, reference, Cell::Face(face), rim, &[(face, rule(domain))]);
            }
        }
        cells
    }

    fn add(&mut self, faces: &Faces, reference: &[Vector3<f64>], cell: Cell, at_rim: bool, pieces: &[Piece]) {
        let mut points: Vec<u32> = Vec::new();
        for (face, _) in pieces {
            for k in &faces.surface.faces[*face as usize].points {
                if !points.contains(k) {
                    points.push(*k);
                }
            }
        }
        let (mut r, mut r_a, mut r_ab) =
            ([0.0; MAX_FACE_POINTS], [[0.0; 2]; MAX_FACE_POINTS], [[0.0; 3]; MAX_FACE_POINTS]);
        let first = self.weights.len();
        for (face, rule) in pieces {
            let own = &faces.surface.faces[*face as usize].points;
            for (xi, weight) in rule {
                faces.surface.shape_into(*face as usize, *xi, &mut r, &mut r_a, &mut r_ab);
                let tangent = |a: usize| -> Vector3<f64> {
                    own.iter().zip(&r_a).map(|(&k, d)| reference[k as usize] * d[a]).sum()
                };
                self.weights.push(weight * tangent(0).cross(&tangent(1)).norm());
                self.values
                    .extend(points.iter().map(|k| own.iter().position(|o| o == k).map_or(0.0, |i| r[i])));
            }
        }
        let area: f64 = self.weights[first..].iter().sum();
        let count = (self.weights.len() - first) as f64;
        self.weights[first..].iter_mut().for_each(|w| *w = if area > 0.0 { *w / area } else { 1.0 / count });
        let (face, rule) = &pieces[0];
        let middle = if pieces.len() == 1 { faces.domain(*face).center() } else { rule[0].0 };
        faces.surface.shape_into(*face as usize, middle, &mut r, &mut r_a, &mut r_ab);
        let own = &faces.surface.faces[*face as usize].points;
        let slope = |k: &u32| own.iter().position(|o| o == k).map_or([0.0; 2], |i| r_a[i]);
        self.slopes.extend(points.iter().map(slope));
        let values = &self.values[*self.values_start.last().expect("it starts with 0") as usize..];
        let weights = &self.weights[first..];
        let n = points.len();
        let mean = |k: usize| weights.iter().zip(values.chunks_exact(n)).map(|(w, r)| w * r[k]).sum::<f64>();
        self.means.extend((0..n).map(mean));
        self.points.extend(points);
        self.cell.push(cell);
        self.area.push(area);
        self.at_rim.push(at_rim);
        self.orientation.push(faces.orientation(*face));
        self.start.push(self.weights.len() as u32);
        self.points_start.push(self.points.len() as u32);
        self.values_start.push(self.values.len() as u32);
    }

    /// Number of cells.
    pub fn len(&self) -> usize {
        self.area.len()
    }

    /// True without any cell.
    pub fn is_empty(&self) -> bool {
        self.area.is_empty()
    }

    /// Number of integration points of all cells.
    pub fn n_points(&self) -> usize {
        self.weights.len()
    }

    /// Weights of the integration points of a cell.
    pub fn weights(&self, cell: usize) -> &[f64] {
        &self.weights[self.start[cell] as usize..self.start[cell + 1] as usize]
    }

    /// Points of the surface that move a cell.
    pub fn points(&self, cell: usize) -> &[u32] {
        &self.points[self.points_start[cell] as usize..self.points_start[cell + 1] as usize]
    }

    /// Shape values of a cell's points, integration point after integration point.
    pub fn values(&self, cell: usize) -> &[f64] {
        &self.values[self.values_start[cell] as usize..self.values_start[cell + 1] as usize]
    }

    /// Averages of the shape functions of [`Self::points`] over a cell: their sum is 1.
    pub fn means(&self, cell: usize) -> &[f64] {
        &self.means[self.points_start[cell] as usize..self.points_start[cell + 1] as usize]
    }

    /// Mean position of a cell for positions of the points of the surface.
    pub fn center(&self, cell: usize, positions: impl Fn(u32) -> Vector3<f64>) -> Vector3<f64> {
        let range = self.points_start[cell] as usize..self.points_start[cell + 1] as usize;
        self.points[range.clone()].iter().zip(&self.means[range]).map(|(&k, m)| positions(k) * *m).sum()
    }

    /// Outward normal (not of unit length) in the middle of a cell for positions of the points of the
    /// surface.
    pub fn normal(&self, cell: usize, positions: &[Vector3<f64>]) -> Vector3<f64> {
        let range = self.points_start[cell] as usize..self.points_start[cell + 1] as usize;
        let tangent = |a: usize| -> Vector3<f64> {
            self.points[range.clone()]
                .iter()
                .zip(&self.slopes[range.clone()])
                .map(|(&k, d)| positions[k as usize] * d[a])
                .sum()
        };
        tangent(0).cross(&tangent(1)) * self.orientation[cell]
    }

    /// Largest number of points that move a cell.
    pub fn max_points(&self) -> usize {
        (0..self.len()).map(|cell| self.points(cell).len()).max().unwrap_or(0)
    }
}

/// True for faces whose points are their corners.
fn is_linear(faces: &Faces, face: u32) -> bool {
    match &faces.surface.faces[face as usize].basis {
        FaceBasis::Lagrange(shape) => matches!(shape, FaceShape::Tri3 | FaceShape::Quad4),
        FaceBasis::Spline { degrees, .. } | FaceBasis::Combined { degrees, .. } => *degrees == [1, 1],
    }
}

/// For each point of a surface of linear faces whether it is on the rim, and the corners of the faces around
/// it.
fn dual_cells(faces: &Faces) -> BTreeMap<u32, (bool, Vec<Piece>)> {
    let mut cells: BTreeMap<u32, (bool, Vec<Piece>)> = BTreeMap::new();
    for face in 0..faces.n_faces() as u32 {
        let own = &faces.surface.faces[face as usize];
        let points = &own.points;
        let domain = faces.domain(face);
        for corner in 0..domain.n_corners() {
            // Control points of splines run row by row, nodes around the face.
            let place = match &own.basis {
                FaceBasis::Lagrange(_) => corner,
                FaceBasis::Spline { .. } => [0, 1, 3, 2][corner],
                FaceBasis::Combined { operator, .. } => {
                    // A corner that hangs goes to the first of the points that it follows most.
                    let factor =
                        |i: usize| faces.surface.operators[*operator as usize][4 * i + [0, 1, 3, 2][corner]];
                    (0..points.len()).rev().max_by(|&a, &b| factor(a).total_cmp(&factor(b))).unwrap_or(0)
                }
            };
            let rim = faces.topology.corner_on_cut(face, corner as u8, |f| faces.domain(f));
            let cell = cells.entry(points[place]).or_default();
            cell.0 |= rim;
            cell.1.push((face, corner_rule(domain, corner)));
        }
    }
    cells
}

/// Two by two Gauss points on the part of a face next to a corner: corner, middles of its edges, centre.
fn corner_rule(domain: Domain, corner: usize) -> Vec<([f64; 2], f64)> {
    let n = domain.n_corners();
    let at = [
        domain.corner(corner),
        domain.on_edge(corner, 0.5),
        domain.center(),
        domain.on_edge((corner + n - 1) % n, 0.5),
    ];
    let gauss = [0.5 - 0.5 / 3f64.sqrt(), 0.5 + 0.5 / 3f64.sqrt()];
    let point = |s: f64, t: f64| {
        let n = [(1.0 - s) * (1.0 - t), s * (1.0 - t), s * t, (1.0 - s) * t];
        let d_s = [t - 1.0, 1.0 - t, t, -t];
        let d_t = [s - 1.0, -s, s, 1.0 - s];
        let sum = |w: [f64; 4], d: usize| (0..4).map(|k| w[k] * at[k][d]).sum::<f64>();
        let det = sum(d_s, 0) * sum(d_t, 1) - sum(d_s, 1) * sum(d_t, 0);
        ([sum(n, 0), sum(n, 1)], 0.25 * det.abs())
    };
    gauss.iter().flat_map(|&t| gauss.iter().map(move |&s| (s, t))).map(|(s, t)| point(s, t)).collect()
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
    fn cell_areas_sum_up_to_the_area_of_the_ball_and_weights_to_one() {
        let (surface, positions) = ball(0.015, 6);
        let faces = Faces::new(surface, &positions).unwrap();
        let cells = PressureCells::new(&faces, &positions);
        let exact = 4.0 * std::f64::consts::PI * 0.015f64.powi(2);
        let area: f64 = cells.area.iter().sum();
        assert!((area / exact - 1.0).abs() < 1e-8, "{}", area / exact - 1.0);
        for s in 0..cells.len() {
            assert!((cells.weights(s).iter().sum::<f64>() - 1.0).abs() < 1e-14 && !cells.at_rim[s]);
        }
    }

    #[test]
    fn linear_faces_have_one_pressure_per_node_on_the_dual_mesh() {
        for shape in [FaceShape::Tri3, FaceShape::Quad4] {
            let (surface, positions) = plate(shape, 3, 3, |x, y| [3.0 * x + 0.2 * y, 3.0 * y, 0.0]);
            let faces = Faces::new(surface, &positions).unwrap();
            let cells = PressureCells::new(&faces, &positions);
            assert_eq!(cells.len(), 16);
            assert!((cells.area.iter().sum::<f64>() - 9.0).abs() < 1e-13);
            for s in 0..16 {
                let Cell::Point(k) = cells.cell[s] else { panic!("{:?}", cells.cell[s]) };
                let inner = !cells.at_rim[s];
                // The cell around an inner node of this grid is a cell of the grid, with the node in its
                // middle.
                let n = cells.points(s).len();
                let mean: Vector3<f64> = cells
                    .weights(s)
                    .iter()
                    .zip(cells.values(s).chunks_exact(n))
                    .flat_map(|(w, r)| cells.points(s).iter().zip(r).map(move |(&k, r)| (k, w * r)))
                    .map(|(k, w)| positions[k as usize] * w)
                    .sum();
                if inner {
                    assert!((cells.area[s] - 1.0).abs() < 1e-14);
                    assert!((mean - positions[k as usize]).norm() < 1e-14);
                }
                assert!(cells.normal(s, &positions).z > 0.0);
            }
            assert_eq!(cells.at_rim.iter().filter(|&&rim| !rim).count(), 4);
        }
    }

    #[test]
    fn edges_of_the_body_are_not_at_the_rim_of_a_zone() {
        let (surface, positions) = plate(FaceShape::Quad8, 4, 4, |x, y| [x, y, 0.0]);
        let mut faces = Faces::new(surface, &positions).unwrap();
        // Edge 3 of each face at x = 0.
        (0..16).filter(|f| f % 4 == 0).for_each(|f| faces.topology.sharp[f][3] = true);
        let at_rim = PressureCells::new(&faces, &positions).at_rim;
        assert_eq!(at_rim.iter().filter(|&&rim| rim).count(), 10);
        assert!(!at_rim[4] && !at_rim[8] && at_rim[0], "{at_rim:?}");
    }

    #[test]
    fn cells_with_an_edge_on_the_border_of_a_plate_are_at_its_rim() {
        for (shape, at_rim) in [(FaceShape::Quad8, 12), (FaceShape::Tri6, 14)] {
            let (surface, positions) = plate(shape, 4, 4, |x, y| [x, y, 0.0]);
            let faces = Faces::new(surface, &positions).unwrap();
            let cells = PressureCells::new(&faces, &positions);
            assert_eq!(cells.at_rim.iter().filter(|&&rim| rim).count(), at_rim);
            assert!((cells.area.iter().sum::<f64>() - 1.0).abs() < 1e-14);
        }
    }
}
