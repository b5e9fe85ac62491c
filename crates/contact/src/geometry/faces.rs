//! A surface of faces prepared for contact, and its state.

use std::sync::OnceLock;

use carom_fem::{Surface, SurfaceError};
use nalgebra::Vector3;

use super::Domain;
use super::bezier::{self, BezierKind, Homogeneous};
use super::jet::{self, Jet};
use super::topology::Topology;
use crate::broad::{Bounds, NOTHING, Tree, union};

/// An immutable surface of faces: Bezier layout, neighbours, a tree over the faces.
#[derive(Debug, Clone)]
pub struct Faces {
    /// The faces over points.
    pub surface: Surface,
    /// Neighbours and rim.
    pub topology: Topology,
    /// Radius ρ of the fillet at the rim of the surface \[m\], see [`FootPoint`](super::FootPoint); 0 by
    /// default.
    pub rim_radius: f64,
    /// Reference positions of the points of the surface \[m\].
    pub reference: Vec<Vector3<f64>>,
    kinds: Vec<BezierKind>,
    /// True for faces whose weights are all 1.
    polynomial: Vec<bool>,
    /// First Bezier point of each face, and their number at the end.
    start: Vec<u32>,
    pub(crate) tree: Tree,
    /// The state in the reference positions, once someone has asked for it.
    at_rest: OnceLock<FacesNow>,
}

/// The state of a surface: current positions of its faces in one frame.
///
/// The Bezier points of a face are computed at their first use after a change of the positions.
#[derive(Debug, Clone)]
pub struct FacesNow {
    positions: Vec<Vector3<f64>>,
    bezier: Vec<Homogeneous>,
    current: Vec<bool>,
    /// Lower and upper corners of the boxes of the tree, valid if `boxed`.
    pub(super) boxes: Vec<Bounds>,
    pub(super) boxed: bool,
}

/// Surfaces are equal if they have the same faces in the same reference positions.
impl PartialEq for Faces {
    fn eq(&self, other: &Self) -> bool {
        self.surface == other.surface
            && self.reference == other.reference
            && self.topology.sharp == other.topology.sharp
            && self.rim_radius == other.rim_radius
    }
}

impl Faces {
    /// Prepares a surface.
    ///
    /// * `reference` — reference positions of its points, by which faces are grouped for the search \[m\]
    ///
    /// # Errors
    ///
    /// [`SurfaceError`] if a face cannot be evaluated.
    pub fn new(surface: Surface, reference: &[Vector3<f64>]) -> Result<Self, SurfaceError> {
        surface.validate()?;
        let topology = Topology::new(&surface);
        let kinds: Vec<_> = surface.faces.iter().map(|f| BezierKind::of(&f.basis)).collect();
        let unit = |f: &carom_fem::Face| f.points.iter().all(|&k| surface.weights[k as usize] == 1.0);
        let polynomial = surface.faces.iter().map(unit).collect();
        let mut start = vec![0];
        start.extend(kinds.iter().scan(0, |sum, kind| {
            *sum += kind.n_points() as u32;
            Some(*sum)
        }));
        let tree = tree_over(&surface, reference);
        let reference = reference.to_vec();
        let at_rest = OnceLock::new();
        Ok(Self { surface, topology, rim_radius: 0.0, reference, kinds, polynomial, start, tree, at_rest })
    }

    /// The same faces with their reference positions in another frame.
    pub fn moved(&self, point: impl Fn(&Vector3<f64>) -> Vector3<f64>) -> Self {
        let reference: Vec<_> = self.reference.iter().map(point).collect();
        let tree = tree_over(&self.surface, &reference);
        Self { reference, tree, at_rest: OnceLock::new(), ..self.clone() }
    }

    /// Number of faces.
    pub fn n_faces(&self) -> usize {
        self.kinds.len()
    }

    /// Number of points.
    pub fn n_points(&self) -> usize {
        self.surface.points.len()
    }

    /// Bezier layout of a face.
    pub fn kind(&self, face: u32) -> BezierKind {
        self.kinds[face as usize]
    }

    /// True if all weights of a face are 1.
    pub fn is_polynomial(&self, face: u32) -> bool {
        self.polynomial[face as usize]
    }

    /// True for a face whose points are its corners alone.
    pub(crate) fn is_linear(&self, face: u32) -> bool {
        self.kind(face).n_points() == self.domain(face).n_corners()
    }

    /// Parameter domain of a face.
    pub fn domain(&self, face: u32) -> Domain {
        self.kinds[face as usize].domain()
    }

    /// +1 if y,₁ × y,₂ points out of the body.
    pub fn orientation(&self, face: u32) -> f64 {
        self.surface.faces[face as usize].orientation
    }

    /// A state with all points at the origin; [`FacesNow::set_positions`] moves them.
    pub fn state(&self) -> FacesNow {
        FacesNow {
            positions: vec![Vector3::zeros(); self.n_points()],
            bezier: vec![[0.0; 4]; self.start[self.n_faces()] as usize],
            current: vec![false; self.n_faces()],
            boxes: vec![NOTHING; self.tree.n_nodes()],
            boxed: false,
        }
    }

    /// The state in the reference positions: a copy with all faces and boxes.
    pub fn state_at_rest(&self) -> FacesNow {
        self.at_rest().clone()
    }

    fn at_rest(&self) -> &FacesNow {
        self.at_rest.get_or_init(|| {
            let mut state = self.state_at(&self.reference);
            self.refit(&mut state);
            state
        })
    }

    /// Position and derivatives of a face at ξ in the reference positions. Beyond its domain the polynomials
    /// of the face go on.
    pub fn jet_at_rest(&self, face: u32, xi: [f64; 2]) -> Jet {
        let f = face as usize;
        let bezier = &self.at_rest().bezier[self.start[f] as usize..self.start[f + 1] as usize];
        jet::jet(self.kind(face), self.is_polynomial(face), bezier, xi)
    }

    /// A state with the points at these positions.
    pub fn state_at(&self, positions: &[Vector3<f64>]) -> FacesNow {
        let mut state = self.state();
        state.set_positions(|k| positions[k]);
        state
    }

    /// Homogeneous Bezier points of a face in its current position.
    pub fn bezier<'a>(&self, now: &'a mut FacesNow, face: u32) -> &'a [Homogeneous] {
        let f = face as usize;
        let range = self.start[f] as usize..self.start[f + 1] as usize;
        if !now.current[f] {
            let out = &mut now.bezier[range.clone()];
            bezier::from_points(&self.surface, &self.surface.faces[f], &now.positions, out);
            now.current[f] = true;
        }
        &now.bezier[range]
    }

    /// Position and derivatives of a face at ξ.
    pub fn jet(&self, now: &mut FacesNow, face: u32, xi: [f64; 2]) -> Jet {
        jet::jet(self.kind(face), self.is_polynomial(face), self.bezier(now, face), xi)
    }

    /// Position of a face at ξ.
    pub fn position(&self, now: &mut FacesNow, face: u32, xi: [f64; 2]) -> Vector3<f64> {
        jet::position(self.kinds[face as usize], self.bezier(now, face), xi)
    }

    /// Updates the boxes of the tree to the positions.
    pub(super) fn refit(&self, now: &mut FacesNow) {
        if now.boxed {
            return;
        }
        let mut boxes = std::mem::take(&mut now.boxes);
        self.tree.refit(&mut boxes, |face| enclose(self.bezier(now, face)));
        (now.boxes, now.boxed) = (boxes, true);
    }

    /// The boxes of the nodes of the tree in the current position.
    pub(crate) fn fit_boxes(&self, now: &mut FacesNow, boxes: &mut Vec<Bounds>) {
        boxes.resize(self.tree.n_nodes(), NOTHING);
        self.tree.refit(boxes, |face| enclose(self.bezier(now, face)));
    }

    /// Box around the control points of a face in its current position.
    pub(crate) fn box_of(&self, now: &mut FacesNow, face: u32) -> Bounds {
        enclose(self.bezier(now, face))
    }

    /// Largest motion of the box of a face if no point of the surface moves by more than 1: the largest sum
    /// of the magnitudes of the factors of a Bezier point; 1 for linear faces and splines.
    pub fn growth(&self) -> f64 {
        let mut positions = vec![Vector3::zeros(); self.n_points()];
        let mut out = [[0.0; 4]; bezier::MAX_POINTS];
        let mut largest = 1.0f64;
        for (face, kind) in self.surface.faces.iter().zip(&self.kinds) {
            let mut sums = [0.0; bezier::MAX_POINTS];
            for &k in &face.points {
                positions[k as usize] = Vector3::x();
                bezier::from_points(&self.surface, face, &positions, &mut out[..kind.n_points()]);
                positions[k as usize] = Vector3::zeros();
                sums.iter_mut().zip(&out[..kind.n_points()]).for_each(|(sum, q)| *sum += (q[0] / q[3]).abs());
            }
            largest = sums.iter().copied().fold(largest, f64::max);
        }
        largest
    }

    /// Box around the whole surface in its current position; empty (inverted) for a surface without faces.
    pub fn bounds(&self, now: &mut FacesNow) -> Bounds {
        self.refit(now);
        now.boxes.first().copied().unwrap_or(NOTHING)
    }
}

/// Groups the faces by the means of their points.
fn tree_over(surface: &Surface, reference: &[Vector3<f64>]) -> Tree {
    let center = |f: &carom_fem::Face| {
        let sum: Vector3<f64> = f.points.iter().map(|&k| reference[k as usize]).sum();
        sum / f.points.len() as f64
    };
    let centers: Vec<Vector3<f64>> = surface.faces.iter().map(center).collect();
    Tree::new(&centers)
}

/// Box around control points; for positive weights it encloses the face.
pub(super) fn enclose(points: &[Homogeneous]) -> Bounds {
    points.iter().map(|q| Vector3::new(q[0], q[1], q[2]) / q[3]).fold(NOTHING, |b, x| union(&b, &[x, x]))
}

impl FacesNow {
    /// Moves the points; `position` gives the position of each.
    pub fn set_positions(&mut self, position: impl Fn(usize) -> Vector3<f64>) {
        for (k, x) in self.positions.iter_mut().enumerate() {
            *x = position(k);
        }
        self.current.fill(false);
        self.boxed = false;
    }

    /// Current positions of the points of the surface.
    pub fn positions(&self) -> &[Vector3<f64>] {
        &self.positions
    }
}
