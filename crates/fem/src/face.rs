//! Faces of cells: their parameters in the cell, their outward direction, and surfaces made of them.

use std::collections::{BTreeMap, HashMap};

use carom_mesh::{CellRef, FaceRef};
use carom_nurbs::Side;

use crate::basis::SplineCells;
use crate::evaluator::{CellEvaluator, CellPoint};
use crate::quadrature::Quadrature;
use crate::{Block, Cells, Discretisation, Face, FaceBasis, Surface};

/// The affine map from the parameters of a face (unit triangle or square) to those of its cell.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FaceMap {
    /// Cell parameters at the face's origin.
    pub origin: [f64; 3],
    /// Their change along the two face parameters.
    pub along: [[f64; 3]; 2],
    /// Whether the face is a triangle.
    pub is_triangle: bool,
    /// +1 if ∂x/∂ξ₁ × ∂x/∂ξ₂ points out of a right-handed cell, −1 if into it.
    pub orientation: f64,
}

impl FaceMap {
    /// The map of face number `face` of the cells of a block.
    ///
    /// # Panics
    ///
    /// If the cells have no such face.
    pub fn new(block: &Block, face: u8) -> Self {
        match &block.cells {
            Cells::Lagrange { shape, .. } => {
                let nodes = shape.reference_nodes();
                let face_shape = shape.face_shape(face as usize);
                let corners = &shape.face(face as usize)[..face_shape.n_corners()];
                let at = |k: usize| nodes[corners[k] as usize];
                let (origin, first, last) = (at(0), at(1), at(corners.len() - 1));
                let along = [first, last].map(|end| std::array::from_fn(|d| end[d] - origin[d]));
                // Face nodes turn counter-clockwise seen from outside, see `carom_mesh::cell`.
                Self { origin, along, is_triangle: face_shape.is_triangle(), orientation: 1.0 }
            }
            Cells::Spline(_) => {
                let side = Side::ALL[face as usize];
                let mut origin = [0.0; 3];
                origin[side.direction()] = if side.is_end() { 1.0 } else { 0.0 };
                let [first, second] = side.tangents();
                let mut along = [[0.0; 3]; 2];
                along[0][first] = 1.0;
                along[1][second] = 1.0;
                // e_first × e_second = ± e_direction.
                let turns_right = (first + 1) % 3 == second;
                let orientation = if turns_right == side.is_end() { 1.0 } else { -1.0 };
                Self { origin, along, is_triangle: false, orientation }
            }
        }
    }

    /// Cell parameters of the point η of the face.
    pub fn at(&self, eta: [f64; 2]) -> [f64; 3] {
        std::array::from_fn(|d| self.origin[d] + eta[0] * self.along[0][d] + eta[1] * self.along[1][d])
    }

    /// Outward vector area n dA / dη at a point of a cell that lies on the face \[m²\].
    pub fn area(&self, point: &CellPoint) -> [f64; 3] {
        let [a, b]: [[f64; 3]; 2] = self
            .along
            .map(|along| std::array::from_fn(|i| (0..3).map(|d| point.jacobian[i][d] * along[d]).sum()));
        [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
            .map(|x| self.orientation * x)
    }

    /// A rule on the face with n points a direction.
    pub fn rule(&self, n: usize) -> Quadrature {
        if self.is_triangle { Quadrature::triangle(n) } else { Quadrature::square(n) }
    }
}

/// Points per direction that integrate loads on a face of this block exactly (NURBS: to rounding on smooth
/// geometry).
pub(crate) fn load_points(block: &Block) -> usize {
    match &block.cells {
        Cells::Lagrange { shape, .. } => 2 * shape.order(),
        Cells::Spline(cells) => cells.degrees.iter().max().map_or(1, |p| p + 2),
    }
}

/// Calls `visit(evaluator, vector area times weight, position)` at the quadrature points of every face.
///
/// * `n_points` — points per direction by block
pub(crate) fn integrate_faces(
    discretisation: &Discretisation,
    faces: &[FaceRef],
    n_points: impl Fn(&Block) -> usize,
    mut visit: impl FnMut(&CellEvaluator<'_>, [f64; 3], [f64; 3]),
) {
    let mut evaluator = CellEvaluator::new(discretisation);
    let mut rules: HashMap<(u32, u8), (FaceMap, Quadrature)> = HashMap::new();
    for face in faces {
        let block = &discretisation.blocks[face.block as usize];
        let (map, rule) = rules.entry((face.block, face.face)).or_insert_with(|| {
            let map = FaceMap::new(block, face.face);
            (map, map.rule(n_points(block)))
        });
        evaluator.enter(CellRef { block: face.block, cell: face.cell });
        for (eta, weight) in rule.points.iter().zip(&rule.weights) {
            let point = evaluator.at(map.at([eta[0], eta[1]]));
            visit(&evaluator, map.area(&point).map(|x| weight * x), point.position);
        }
    }
}

impl Discretisation {
    /// The surface that consists of these faces, with the bases of their cells' sides, oriented out of the
    /// cells.
    ///
    /// # Panics
    ///
    /// If a face does not exist: check with [`Discretisation::has_face`].
    pub fn surface(&self, faces: &[FaceRef]) -> Surface {
        let mut operators = OperatorTable::default();
        let mut made: Vec<Face> = Vec::with_capacity(faces.len());
        for face in faces {
            let block = &self.blocks[face.block as usize];
            let orientation = FaceMap::new(block, face.face).orientation;
            let (basis, points) = match &block.cells {
                Cells::Lagrange { shape, connectivity } => {
                    let nodes = &connectivity[shape.n_nodes() * face.cell as usize..];
                    let points = shape.face(face.face as usize).iter().map(|&k| nodes[k as usize]).collect();
                    (FaceBasis::Lagrange(shape.face_shape(face.face as usize)), points)
                }
                Cells::Spline(cells) => {
                    let (basis, points) = spline_face(cells, face, &mut operators);
                    self.without_hanging(basis, points, &mut operators, || spline_face_weights(cells, face))
                }
            };
            made.push(Face { basis, points, orientation });
        }
        let mut points: Vec<u32> = made.iter().flat_map(|face| face.points.iter().copied()).collect();
        points.sort_unstable();
        points.dedup();
        for face in &mut made {
            for point in &mut face.points {
                *point = points.binary_search(point).expect("the list holds the points of every face") as u32;
            }
        }
        let weights = points.iter().map(|&point| self.weights[point as usize]).collect();
        Surface { points, weights, faces: made, operators: operators.list }
    }

    /// A face over points of the body alone: the functions of hanging points become parts of those that they
    /// follow.
    ///
    /// ```text
    /// N_i = Σ_k c_ki (w_k / w_i) N_k    over the functions k of the level, c_ki = 1 for i itself
    /// ```
    ///
    /// * `weights` — w_k of the functions
    fn without_hanging(
        &self,
        basis: FaceBasis,
        points: Vec<u32>,
        operators: &mut OperatorTable,
        weights: impl FnOnce() -> Vec<f64>,
    ) -> (FaceBasis, Vec<u32>) {
        let n_points = self.n_points() as u32;
        let FaceBasis::Spline { degrees, operators: lines } = &basis else { return (basis, points) };
        if points.iter().all(|&id| id < n_points) {
            return (basis, points);
        }
        let [p, q] = *degrees;
        let n_bezier = (p + 1) * (q + 1);
        let mut functions: BTreeMap<u32, Vec<f64>> = BTreeMap::new();
        for (k, (&id, weight)) in points.iter().zip(weights()).enumerate() {
            let (c1, c2) = (&operators.list[lines[0] as usize], &operators.list[lines[1] as usize]);
            let (row1, row2) = (&c1[(k % (p + 1)) * (p + 1)..], &c2[(k / (p + 1)) * (q + 1)..]);
            let itself = [(id, 1.0)];
            let row: &[(u32, f64)] = match id.checked_sub(n_points) {
                None => &itself,
                Some(hanging) => &self.hanging[hanging as usize],
            };
            for &(point, factor) in row {
                let scale = factor * weight / self.weights[point as usize];
                let function = functions.entry(point).or_insert_with(|| vec![0.0; n_bezier]);
                for (place, sum) in function.iter_mut().enumerate() {
                    *sum += scale * row1[place % (p + 1)] * row2[place / (p + 1)];
                }
            }
        }
        // Functions that vanish on the face do not belong to it.
        functions.retain(|_, function| function.iter().any(|&c| c != 0.0));
        let points: Vec<u32> = functions.keys().copied().collect();
        let operator = operators.number(&functions.into_values().flatten().collect::<Vec<_>>());
        (FaceBasis::Combined { degrees: [p, q], n_points: points.len(), operator }, points)
    }

    /// All points whose functions are nonzero on the faces, ascending.
    ///
    /// # Panics
    ///
    /// If a face does not exist: check with [`Discretisation::has_face`].
    pub fn points_of_faces(&self, faces: &[FaceRef]) -> Vec<u32> {
        self.surface(faces).points
    }
}

/// Different operators found so far, identified by their bits.
#[derive(Default)]
struct OperatorTable {
    list: Vec<Vec<f64>>,
    number: HashMap<Vec<u64>, u32>,
}

impl OperatorTable {
    fn number(&mut self, coefficients: &[f64]) -> u32 {
        let key = coefficients.iter().map(|c| c.to_bits()).collect();
        *self.number.entry(key).or_insert_with(|| {
            self.list.push(coefficients.to_vec());
            (self.list.len() - 1) as u32
        })
    }
}

/// Places in the lattice of the functions of a side of a span, the first tangent direction running fastest.
fn face_places(cells: &SplineCells, face: &FaceRef) -> Vec<usize> {
    let side = Side::ALL[face.face as usize];
    let span = cells.span_of_cell(face.cell as usize);
    let [first, second] = side.tangents();
    let line = |d: usize| &cells.lines[d][span[d]];
    let mut index: [usize; 3] = std::array::from_fn(|d| line(d).first);
    if side.is_end() {
        index[side.direction()] += cells.degrees[side.direction()];
    }
    let start = index;
    let mut places = Vec::with_capacity((cells.degrees[first] + 1) * (cells.degrees[second] + 1));
    for j in 0..=cells.degrees[second] {
        for i in 0..=cells.degrees[first] {
            index[first] = start[first] + i;
            index[second] = start[second] + j;
            places.push(index[0] + cells.n_functions[0] * (index[1] + cells.n_functions[1] * index[2]));
        }
    }
    places
}

/// Weights of the functions of a side of a span.
fn spline_face_weights(cells: &SplineCells, face: &FaceRef) -> Vec<f64> {
    face_places(cells, face).into_iter().map(|place| cells.weights[place]).collect()
}

/// Basis and points of a side of a span.
fn spline_face(cells: &SplineCells, face: &FaceRef, operators: &mut OperatorTable) -> (FaceBasis, Vec<u32>) {
    let [first, second] = Side::ALL[face.face as usize].tangents();
    let span = cells.span_of_cell(face.cell as usize);
    let line = |d: usize| &cells.lines[d][span[d]];
    let points = face_places(cells, face).into_iter().map(|place| cells.point_ids[place]).collect();
    let basis = FaceBasis::Spline {
        degrees: [cells.degrees[first], cells.degrees[second]],
        operators: [first, second].map(|d| operators.number(&line(d).operator.coefficients)),
    };
    (basis, points)
}
