//! The nodes of an export: material points of the interfaces, and one node for each interface as a whole.
//!
//! A user of a multibody program attaches joints and forces to nodes, which have displacements and rotations.
//! A point of a solid has no rotation; a node gets the rotation of the surface at the point. With the
//! tangents y,₁, y,₂, the unit normal ν and its change δν,
//!
//! ```text
//! ψ = ν × δν + ½ (ν · curl u) ν
//! ```
//!
//! which is ½ curl u on a surface without shear stress, averaged over the faces that meet at the point. The
//! node of a whole interface follows the mean motion of its area (RBE3): x = ∫ y dA / A, φ = ∫ u dA / A and ψ
//! = S⁻¹ ∫ d × u dA with d = y − x, S = ∫ (d·d E − d dᵀ) dA.

use std::collections::BTreeMap;

use carom_fem::{Face, FaceBasis, Quadrature, Surface};
use carom_progress::Progress;
use carom_reduce::field_modes::FieldModes;
use carom_reduce::unread::UnreadArrayError;
use carom_reduce::{Modes, NamedSurface, ReducedBody};
use faer::Mat;
use nalgebra::{Matrix3, Vector3};

use super::frames::node_of_marker;
use super::identities::skew;
use super::{SidNode, Taylor};

/// Number of nodes or faces between two reports.
pub(super) const REPORT: usize = 256;

/// The selection of nodes of an export.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SidNodes {
    /// One node for each interface: it follows the mean motion of its area.
    Sets,
    /// The nodes of [`SidNodes::Sets`], and every point of the interfaces.
    #[default]
    Interface,
    /// The nodes of [`SidNodes::Interface`], and every point at which the model keeps its modes.
    Fields,
}

/// The kind of a node of an export.
#[derive(Debug, Clone, PartialEq)]
pub enum NodeKind {
    /// A point of the body, its number counted from 1.
    Point(u32),
    /// A corner of a NURBS knot span on the surface: control points are not points of the body.
    Corner,
    /// The mean of an interface, or the marker of an attachment, by its name.
    Set(String),
}

/// A node of an export with all modes.
#[derive(Debug, Clone)]
pub struct ExportNode {
    /// Its kind.
    pub kind: NodeKind,
    /// Position in the body frame \[m\].
    pub position_b: [f64; 3],
    /// Modes, 3 × n.
    pub phi: Mat<f64>,
    /// Rotations, 3 × n; none if they are not known.
    pub psi: Option<Mat<f64>>,
    /// Geometric stiffness by unit forces and moments at the node, six n × n matrices; empty where it is not
    /// known.
    pub stiffening: Vec<Mat<f64>>,
}

impl ExportNode {
    /// The node of the file, over its first n modes.
    pub(super) fn numbered(&self, id: u64, n: usize) -> SidNode {
        let phi = Mat::from_fn(3, n, |a, k| self.phi[(a, k)]);
        let psi = Mat::from_fn(3, n, |a, k| self.psi.as_ref().map_or(0.0, |psi| psi[(a, k)]));
        let column = |k: usize| Mat::from_fn(3, 1, |a, _| phi[(a, k)]);
        SidNode {
            id,
            origin: Taylor {
                constant: Mat::from_fn(3, 1, |a, _| self.position_b[a]),
                linear: (0..n).map(column).collect(),
            },
            orientation: Taylor {
                constant: Mat::identity(3, 3),
                linear: (0..n).map(|k| skew([psi[(0, k)], psi[(1, k)], psi[(2, k)]])).collect(),
            },
            phi: self.shapes(phi, 0),
            psi: self.shapes(psi, 3),
        }
    }
}

impl ExportNode {
    /// phi or psi with its slopes ∂φ_l/∂q_k = −K_kl.
    ///
    /// * `first` — number of the matrix of the first axis
    fn shapes(&self, constant: Mat<f64>, first: usize) -> Taylor {
        let n = constant.ncols();
        let Some(k) = self.stiffening.get(first..first + 3) else { return Taylor::constant(constant) };
        let slope = |mode: usize| Mat::from_fn(3, n, |a, l| -k[a][(mode, l)]);
        Taylor { constant, linear: (0..n).map(slope).collect() }
    }
}

/// The nodes of a reduced body: points by their numbers, corners of knot spans, then interfaces, then
/// markers; none if the user stopped it.
///
/// # Errors
///
/// [`UnreadArrayError`] if the modes at all points cannot be read from the file of the model.
pub fn export_nodes(
    reduced: &ReducedBody,
    wanted: SidNodes,
    progress: &dyn Progress,
) -> Result<Option<Vec<ExportNode>>, UnreadArrayError> {
    let Some(found) = of_surfaces(reduced, wanted, progress) else { return Ok(None) };
    let OfSurfaces { points, corners, sets, of_splines } = found;
    let mut nodes: Vec<ExportNode> = Vec::new();
    if wanted != SidNodes::Sets && !of_splines {
        // The rotation of interface points without a surface, and of other points, is not known.
        let fields = reduced.fields.as_ref().filter(|_| wanted == SidNodes::Fields);
        let fields = fields.map(FieldModes::modes).transpose()?;
        let mut all: BTreeMap<u32, ExportNode> = BTreeMap::new();
        for modes in fields.into_iter().chain([&reduced.boundary]) {
            for (i, &point) in modes.points.iter().enumerate() {
                all.entry(point).or_insert_with(|| point_node(modes, i));
            }
        }
        all.extend(points.into_iter().map(|(point, turned): (u32, Turned)| (point, turned.node())));
        nodes.extend(all.into_values());
    } else {
        nodes.extend(points.into_values().map(Turned::node));
    }
    nodes.extend(corners.into_values().map(Turned::node));
    nodes.extend(sets);
    for marker in of_markers(reduced) {
        match nodes.iter_mut().find(|node| node.kind == marker.kind) {
            Some(node) => *node = marker,
            None => nodes.push(marker),
        }
    }
    Ok(Some(nodes))
}

/// The nodes of the markers. A marker that an import has made of a node is that node.
fn of_markers(reduced: &ReducedBody) -> impl Iterator<Item = ExportNode> + '_ {
    let n = reduced.omega.len();
    let known = |id: &u32| reduced.boundary.points.binary_search(&(id - 1)).is_ok();
    reduced.markers.iter().enumerate().map(move |(number, marker)| ExportNode {
        kind: match node_of_marker(&marker.name).filter(|_| reduced.body_checksum.is_empty()).filter(known) {
            Some(id) => NodeKind::Point(id),
            None => NodeKind::Set(marker.name.clone()),
        },
        position_b: marker.position_b,
        phi: marker.translation.clone(),
        psi: Some(marker.rotation.clone()),
        stiffening: reduced.stiffening.as_ref().map_or_else(Vec::new, |stiffening| {
            (0..6).map(|load| stiffening.of_marker(number, load, n)).collect()
        }),
    })
}

/// The nodes of surfaces.
#[derive(Default)]
struct OfSurfaces {
    /// Nodes of Lagrange faces, by their numbers.
    points: BTreeMap<u32, Turned>,
    /// Corners of knot spans, by their positions in nanometres.
    corners: BTreeMap<[i64; 3], Turned>,
    /// One node for each surface.
    sets: Vec<ExportNode>,
    /// True if any surface consists of splines.
    of_splines: bool,
}

fn of_surfaces(reduced: &ReducedBody, wanted: SidNodes, progress: &dyn Progress) -> Option<OfSurfaces> {
    let mut found = OfSurfaces::default();
    let n_faces: usize = reduced.surfaces.iter().map(|named| named.surface.faces.len()).sum();
    progress.begin("motion of the interfaces", n_faces as u64);
    let mut n_done = 0;
    for named in &reduced.surfaces {
        let piece = Piece::new(named, &reduced.boundary);
        let faces = &named.surface.faces;
        found.of_splines |= faces.iter().any(|face| !matches!(face.basis, FaceBasis::Lagrange(_)));
        for face in 0..faces.len() {
            if n_done % REPORT == 0 {
                progress.set(n_done as u64);
                if progress.interrupted() {
                    return None;
                }
            }
            n_done += 1;
            if wanted != SidNodes::Sets {
                piece.add_face_points(face, &mut found.points, &mut found.corners);
            }
        }
        found.sets.extend(piece.mean(&named.name));
    }
    progress.end();
    Some(found)
}

/// A point with displacements but without known rotations.
fn point_node(modes: &Modes, i: usize) -> ExportNode {
    ExportNode {
        kind: NodeKind::Point(modes.points[i] + 1),
        position_b: modes.positions_b[i],
        phi: Mat::from_fn(3, modes.values.ncols(), |a, k| modes.values[(3 * i + a, k)]),
        psi: None,
        stiffening: Vec::new(),
    }
}

/// A point of a surface with the sum of the rotations of the faces that meet there.
struct Turned {
    kind: NodeKind,
    position_b: [f64; 3],
    phi: Mat<f64>,
    psi: Mat<f64>,
    n_faces: usize,
}

impl Turned {
    fn node(self) -> ExportNode {
        let psi = faer::Scale(1.0 / self.n_faces as f64) * self.psi;
        let Self { kind, position_b, phi, .. } = self;
        ExportNode { kind, position_b, phi, psi: Some(psi), stiffening: Vec::new() }
    }
}

/// Shape functions of a face at a point, and their derivatives.
struct Shape {
    values: Vec<f64>,
    first: Vec<[f64; 2]>,
}

/// Position, tangents and modes at a point of a face.
struct At {
    position: Vector3<f64>,
    tangents: [Vector3<f64>; 2],
    /// u of each mode, and its derivatives along the two parameters.
    modes: [Vec<Vector3<f64>>; 3],
}

impl At {
    fn area(&self) -> Vector3<f64> {
        self.tangents[0].cross(&self.tangents[1])
    }

    /// The rotation of the surface in mode k; none where the surface has no normal.
    ///
    /// With the dual tangents y¹, y² the surface gradient of u is u,₁ ⊗ y¹ + u,₂ ⊗ y², the normal changes by
    /// δν = −(ν·u,₁) y¹ − (ν·u,₂) y², and ν · curl u = ν · (y¹ × u,₁ + y² × u,₂).
    fn turn(&self, k: usize) -> Option<Vector3<f64>> {
        let area = self.area();
        let normal = area.try_normalize(0.0)?;
        let dual =
            [self.tangents[1].cross(&normal), normal.cross(&self.tangents[0])].map(|y| y / area.norm());
        let slopes = [self.modes[1][k], self.modes[2][k]];
        let tilt = -dual[0] * normal.dot(&slopes[0]) - dual[1] * normal.dot(&slopes[1]);
        let spin = normal.dot(&(dual[0].cross(&slopes[0]) + dual[1].cross(&slopes[1])));
        Some(normal.cross(&tilt) + 0.5 * spin * normal)
    }
}

/// A surface with the modes at its points.
struct Piece<'a> {
    surface: &'a Surface,
    boundary: &'a Modes,
    /// Row of each point of the surface in the boundary.
    rows: Vec<usize>,
}

impl<'a> Piece<'a> {
    fn new(named: &'a NamedSurface, boundary: &'a Modes) -> Self {
        let row = |point: &u32| boundary.points.binary_search(point).expect("surfaces lie on the boundary");
        Self { surface: &named.surface, boundary, rows: named.surface.points.iter().map(row).collect() }
    }

    fn mode(&self, row: usize, k: usize) -> Vector3<f64> {
        Vector3::from_fn(|a, _| self.boundary.values[(3 * row + a, k)])
    }

    fn shape(&self, face: usize, xi: [f64; 2]) -> Shape {
        let n = self.surface.faces[face].points.len();
        let (mut values, mut first, mut second) = (vec![0.0; n], vec![[0.0; 2]; n], vec![[0.0; 3]; n]);
        self.surface.shape_into(face, xi, &mut values, &mut first, &mut second);
        Shape { values, first }
    }

    /// Position and tangents.
    fn geometry(&self, face: usize, shape: &Shape) -> (Vector3<f64>, [Vector3<f64>; 2]) {
        let (mut y, mut tangents) = (Vector3::zeros(), [Vector3::zeros(); 2]);
        for (i, &p) in self.surface.faces[face].points.iter().enumerate() {
            let x = Vector3::from(self.boundary.positions_b[self.rows[p as usize]]);
            y += shape.values[i] * x;
            (0..2).for_each(|d| tangents[d] += shape.first[i][d] * x);
        }
        (y, tangents)
    }

    fn at(&self, face: usize, xi: [f64; 2]) -> At {
        let shape = self.shape(face, xi);
        let (position, tangents) = self.geometry(face, &shape);
        let points = &self.surface.faces[face].points;
        let sum = |k: usize, weight: &dyn Fn(usize) -> f64| -> Vector3<f64> {
            points.iter().enumerate().map(|(i, &p)| weight(i) * self.mode(self.rows[p as usize], k)).sum()
        };
        let n = self.boundary.values.ncols();
        let modes = [
            (0..n).map(|k| sum(k, &|i| shape.values[i])).collect(),
            (0..n).map(|k| sum(k, &|i| shape.first[i][0])).collect(),
            (0..n).map(|k| sum(k, &|i| shape.first[i][1])).collect(),
        ];
        At { position, tangents, modes }
    }

    /// Adds the nodes of a Lagrange face to `points`, the corners of a knot span to `corners`.
    fn add_face_points(
        &self,
        face: usize,
        points: &mut BTreeMap<u32, Turned>,
        corners: &mut BTreeMap<[i64; 3], Turned>,
    ) {
        let Face { basis, points: own, .. } = &self.surface.faces[face];
        for (i, &xi) in places(basis).iter().enumerate() {
            let at = self.at(face, xi);
            let n = at.modes[0].len();
            // At the corner of a collapsed side the normal is that of the other faces.
            let turns: Option<Vec<_>> = (0..n).map(|k| at.turn(k)).collect();
            let Some(turns) = turns else { continue };
            let (kind, turned) = match basis {
                FaceBasis::Lagrange(_) => {
                    let point = self.surface.points[own[i] as usize];
                    (NodeKind::Point(point + 1), points.entry(point))
                }
                _ => {
                    let entry = corners.entry(at.position.map(|x| (x * 1e9).round() as i64).into());
                    let turned = entry.or_insert_with(|| Turned::new(NodeKind::Corner, &at));
                    turned.add(&turns);
                    continue;
                }
            };
            turned.or_insert_with(|| Turned::new(kind, &at)).add(&turns);
        }
    }

    /// The node of the mean motion of the area; none without area.
    fn mean(&self, name: &str) -> Option<ExportNode> {
        // Contribution of each point to ∫ N dA and ∫ y N dA: the modes are traversed once.
        let mut shares = vec![(0.0, Vector3::zeros()); self.rows.len()];
        let (mut area, mut first) = (0.0, Vector3::zeros());
        let mut second = Matrix3::zeros();
        for (face, Face { basis, points, .. }) in self.surface.faces.iter().enumerate() {
            let rule = rule(basis);
            for (xi, weight) in rule.points.iter().zip(&rule.weights) {
                let shape = self.shape(face, [xi[0], xi[1]]);
                let (y, tangents) = self.geometry(face, &shape);
                let weight = weight * tangents[0].cross(&tangents[1]).norm();
                area += weight;
                first += weight * y;
                second += weight * y * y.transpose();
                for (&p, value) in points.iter().zip(&shape.values) {
                    shares[p as usize].0 += weight * value;
                    shares[p as usize].1 += weight * *value * y;
                }
            }
        }
        if area.is_nan() || area <= 0.0 {
            return None;
        }
        let position = first / area;
        let about = second - area * position * position.transpose();
        let inverse = (about.trace() * Matrix3::identity() - about).try_inverse()?;
        let n = self.boundary.values.ncols();
        let (mut phi, mut psi) = (Mat::zeros(3, n), Mat::zeros(3, n));
        for k in 0..n {
            let (mut mean, mut moment) = (Vector3::zeros(), Vector3::zeros());
            for (&row, (share, arm)) in self.rows.iter().zip(&shares) {
                let u = self.mode(row, k);
                mean += *share * u / area;
                moment += (arm - *share * position).cross(&u);
            }
            let turn = inverse * moment;
            (0..3).for_each(|a| (phi[(a, k)], psi[(a, k)]) = (mean[a], turn[a]));
        }
        Some(ExportNode {
            kind: NodeKind::Set(name.to_owned()),
            position_b: position.into(),
            phi,
            psi: Some(psi),
            stiffening: Vec::new(),
        })
    }
}

impl Turned {
    fn new(kind: NodeKind, at: &At) -> Self {
        let n = at.modes[0].len();
        Self {
            kind,
            position_b: at.position.into(),
            phi: Mat::from_fn(3, n, |a, k| at.modes[0][k][a]),
            psi: Mat::zeros(3, n),
            n_faces: 0,
        }
    }

    fn add(&mut self, turns: &[Vector3<f64>]) {
        for (k, turn) in turns.iter().enumerate() {
            (0..3).for_each(|a| self.psi[(a, k)] += turn[a]);
        }
        self.n_faces += 1;
    }
}

/// Parameters of the nodes of a Lagrange face, or of the corners of a knot span.
fn places(basis: &FaceBasis) -> &'static [[f64; 2]] {
    match basis {
        FaceBasis::Lagrange(shape) => shape.reference_nodes(),
        FaceBasis::Spline { .. } | FaceBasis::Combined { .. } => {
            &[[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]]
        }
    }
}

/// A rule that integrates modes over a face.
fn rule(basis: &FaceBasis) -> Quadrature {
    match basis {
        FaceBasis::Lagrange(shape) => shape.rule(2 * shape.order()),
        FaceBasis::Spline { degrees, .. } | FaceBasis::Combined { degrees, .. } => {
            Quadrature::square(degrees[0].max(degrees[1]) + 2)
        }
    }
}
