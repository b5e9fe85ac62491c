//! The surface of a body for the search of overlaps: undeformed, and displaced in a frame.
//!
//! [`Outline::may_reach_into`] compares the undeformed bodies with a bound of their displacements. Only if it
//! is true need [`Outline::update`] displace the points, for [`Outline::deepest_inside`].

use std::sync::Arc;

use carom_contact::broad::{Ball, distance_squared};
use carom_contact::geometry::{Faces, FacesNow};
use carom_dynamics::BodyState;
use carom_fem::{FaceBasis, Surface};
use carom_reduce::field_modes::FieldModes;
use carom_reduce::unread::UnreadArrayError;
use carom_reduce::{Modes, ReducedBody};
use nalgebra::{Matrix3, Vector3};

use crate::prepared::PreparedModel;
use crate::silhouette::{Silhouette, bounds, samples};

/// Largest displacement of a surface, over the smallest extent of its body, that need not be seen: a
/// hundredth of the depth from which bodies lie inside each other.
const STILL: f64 = 1e-4;

/// Points of a body that are sought in another, at most: evenly spread over its surface.
const POINTS: usize = 400;

/// Places along a sharp edge that are sought, as parts of it; of the edges of a body `EDGES` at most.
const ALONG: [f64; 4] = [0.125, 0.375, 0.625, 0.875];
const EDGES: usize = 200;

/// Rotation and position of a body frame.
pub(super) type Pose = (Matrix3<f64>, Vector3<f64>);

/// The surface of a body.
pub(super) struct Outline {
    faces: Faces,
    now: FacesNow,
    /// Undeformed places of its points in the body frame \[m\].
    reference: Vec<Vector3<f64>>,
    /// The same displaced.
    places: Vec<Vector3<f64>>,
    /// Faces whose corners and middles are sought in others.
    sampled: Surface,
    /// Faces and parameters of points on sharp edges.
    on_edges: Vec<(usize, [f64; 2])>,
    /// The undeformed body, and the body in the frame `updated`.
    at_rest: Shape,
    displaced: Shape,
    /// A ball around the undeformed surface in the body frame.
    pub(super) ball: Ball,
    displacements: Displacements,
    /// Displacement of a point that is sought over the largest displacement of the points of the surface, at
    /// most.
    amplification: f64,
    /// Shortest side of the undeformed box \[m\].
    pub(super) extent: f64,
    /// Frame for which `places` and `displaced` are.
    updated: Option<u64>,
    /// True as long as `places` are those of the undeformed body.
    is_undeformed: bool,
}

/// The parts of a displaced body that meet first, in the body frame.
#[derive(Clone)]
struct Shape {
    /// Places of the points that are sought in others \[m\], and a ball around them.
    sought: Vec<Vector3<f64>>,
    around_sought: Ball,
    /// The box around the points of the surface \[m\].
    bounds: [Vector3<f64>; 2],
}

impl Shape {
    fn new(sought: Vec<Vector3<f64>>, bounds: [Vector3<f64>; 2]) -> Self {
        Self { around_sought: Ball::around(&sought), sought, bounds }
    }

    /// The points that lie in the box of another body and farther than `slack` from its sides, each in the
    /// inertial frame and in that of the other body; a negative slack enlarges the box.
    fn points_within<'a>(
        &'a self,
        other: &Self,
        [from, to]: [&'a Pose; 2],
        slack: f64,
    ) -> impl Iterator<Item = [Vector3<f64>; 2]> + use<'a> {
        let inset = Vector3::repeat(slack);
        let [low, high] = [other.bounds[0] + inset, other.bounds[1] - inset];
        let seen = |x: &Vector3<f64>| {
            let x = from.0 * x + from.1;
            [x, to.0.tr_mul(&(x - to.1))]
        };
        let Ball { center, radius } = self.around_sought;
        let reach = [low.inf(&other.bounds[0]), high.sup(&other.bounds[1])];
        let is_near = distance_squared(&reach, &seen(&center)[1]) <= radius * radius;
        let sought = if is_near { self.sought.as_slice() } else { &[] };
        let is_in = move |x: &Vector3<f64>| (0..3).all(|d| low[d] < x[d] && x[d] < high[d]);
        sought.iter().map(seen).filter(move |[_, there]| is_in(there))
    }
}

/// How the points of a surface are displaced by the coordinates of their body.
enum Displacements {
    /// They are not.
    Rigid,
    /// Coordinates are displacements of the points of the body, three each.
    Nodal(Vec<u32>),
    /// Coordinates are those of modes.
    Modal {
        model: Arc<ReducedBody>,
        /// Rows of the points of the surface in the fields of the model; none if it has not all of them.
        rows: Option<Vec<usize>>,
        /// The largest displacement of each mode.
        most: Vec<f64>,
    },
}

/// Points on the sharp edges of the surface of a body.
fn on_sharp_edges(surface: &Surface, reference: &[Vector3<f64>]) -> Vec<(usize, [f64; 2])> {
    let n = surface.points.last().map_or(0, |&last| last as usize + 1);
    let mut positions = vec![[0.0; 3]; n];
    for (&point, x) in surface.points.iter().zip(reference) {
        positions[point as usize] = (*x).into();
    }
    let edges = surface.sharp_edges(surface, &positions);
    let stride = edges.len().div_ceil(EDGES).max(1);
    let along = |&[face, edge]: &[u32; 2]| {
        let basis = &surface.faces[face as usize].basis;
        let corners: &[[f64; 2]] = match basis.is_triangle() {
            true => &[[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]],
            false => &[[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]],
        };
        let edge = edge as usize;
        let (a, b) = (corners[edge], corners[(edge + 1) % corners.len()]);
        ALONG.map(|t| (face as usize, [0, 1].map(|d| (1.0 - t) * a[d] + t * b[d])))
    };
    edges.iter().step_by(stride).flat_map(along).collect()
}

impl Outline {
    /// None if the body has no surface, and for shells and beams, which enclose no volume.
    pub(super) fn new(silhouette: &Silhouette, model: &PreparedModel, origin: &Vector3<f64>) -> Option<Self> {
        if matches!(model, PreparedModel::Deformable(body) if body.is_structural()) {
            return None;
        }
        let surface = &silhouette.surface;
        let reference: Vec<Vector3<f64>> = silhouette.points.iter().map(|x| x - origin).collect();
        let bounds = bounds(&reference);
        let stride = surface.faces.len().div_ceil(POINTS / 5).max(1);
        let sampled = Surface {
            points: surface.points.clone(),
            weights: surface.weights.clone(),
            faces: surface.faces.iter().step_by(stride).cloned().collect(),
            operators: surface.operators.clone(),
        };
        let faces = Faces::new(surface.clone(), &reference).ok()?;
        if faces.n_faces() == 0 {
            return None;
        }
        let on_edges = on_sharp_edges(surface, &reference);
        let at_rest = Shape::new(sought(&sampled, &faces.surface, &on_edges, &reference), bounds);
        Some(Self {
            now: faces.state_at(&reference),
            places: reference.clone(),
            displacements: Displacements::of(surface, model),
            amplification: amplification(surface),
            on_edges,
            displaced: at_rest.clone(),
            at_rest,
            ball: Ball::around(&reference),
            extent: (bounds[1] - bounds[0]).min(),
            faces,
            reference,
            sampled,
            updated: None,
            is_undeformed: true,
        })
    }

    /// True if the displacement of every point is known.
    pub(super) fn is_known(&self) -> bool {
        !matches!(self.displacements, Displacements::Modal { rows: None, .. })
    }

    /// No point is displaced by more \[m\].
    pub(super) fn largest(&self, state: &BodyState) -> f64 {
        let q = &state.modal;
        match &self.displacements {
            Displacements::Rigid => 0.0,
            Displacements::Nodal(_) => 3.0_f64.sqrt() * q.iter().fold(0.0, |m: f64, u| m.max(u.abs())),
            Displacements::Modal { most, .. } => most.iter().zip(q).map(|(most, q)| most * q.abs()).sum(),
        }
    }

    /// True if [`Self::deepest_inside`] may find a point of this body in another one; false only if it finds
    /// none. Looks at the undeformed bodies, whose points are as far from the displaced ones as `largest`
    /// says.
    ///
    /// * `largest` — of this body and of the other one, see [`Self::largest`]
    pub(super) fn may_reach_into(
        &self,
        solid: &Self,
        poses: [&Pose; 2],
        [own, others]: [f64; 2],
        slack: f64,
    ) -> bool {
        let least = slack - self.amplification * own - others;
        self.at_rest.points_within(&solid.at_rest, poses, least).next().is_some()
    }

    /// Depth and place of the deepest point of this body inside of another, none if no one is deeper than
    /// `slack`; both bodies as displaced by [`Self::update`].
    ///
    /// * `queries` — incremented for each point for which the surface of the other body is searched
    pub(super) fn deepest_inside(
        &self,
        solid: &mut Self,
        poses: [&Pose; 2],
        slack: f64,
        queries: &mut u64,
    ) -> Option<(f64, Vector3<f64>)> {
        let mut deepest = None;
        for [x, there] in self.displaced.points_within(&solid.displaced, poses, slack) {
            *queries += 1;
            let depth = solid.faces.closest(&mut solid.now, &there).map_or(0.0, |foot| -foot.gap);
            if depth > deepest.map_or(slack, |(depth, _)| depth) {
                deepest = Some((depth, x));
            }
        }
        deepest
    }

    /// Displaces the points as in a frame.
    ///
    /// # Errors
    ///
    /// [`UnreadArrayError`] if the modes of the surface cannot be read from the file of the model.
    pub(super) fn update(&mut self, state: &BodyState, frame: u64) -> Result<(), UnreadArrayError> {
        if self.updated == Some(frame) {
            return Ok(());
        }
        if self.is_undeformed && self.largest(state) <= STILL * self.extent {
            return Ok(());
        }
        match &self.displacements {
            Displacements::Nodal(points) => {
                self.places.copy_from_slice(&self.reference);
                for (place, &k) in self.places.iter_mut().zip(points) {
                    let start = 3 * k as usize;
                    if let Some(u) = state.modal.get(start..start + 3) {
                        *place += Vector3::from_column_slice(u);
                    }
                }
            }
            Displacements::Modal { model, rows: Some(rows), .. } => {
                self.places.copy_from_slice(&self.reference);
                let values = &known(model)?.values;
                for (mode, &q) in state.modal.iter().enumerate().filter(|(_, q)| **q != 0.0) {
                    let column = values.col_as_slice(mode);
                    for (place, row) in self.places.iter_mut().zip(rows) {
                        *place += q * Vector3::from_column_slice(&column[3 * row..3 * row + 3]);
                    }
                }
            }
            Displacements::Rigid | Displacements::Modal { rows: None, .. } => return Ok(()),
        }
        (self.updated, self.is_undeformed) = (Some(frame), false);
        let places = &self.places;
        self.now.set_positions(|k| places[k]);
        let sought = sought(&self.sampled, &self.faces.surface, &self.on_edges, places);
        self.displaced = Shape::new(sought, bounds(places));
        Ok(())
    }
}

/// Places of the points of a surface that are sought in others.
///
/// * `sampled` — the faces with points
/// * `on_edges` — faces of the whole surface, and parameters
fn sought(
    sampled: &Surface,
    surface: &Surface,
    on_edges: &[(usize, [f64; 2])],
    places: &[Vector3<f64>],
) -> Vec<Vector3<f64>> {
    let places: Vec<[f64; 3]> = places.iter().map(|x| (*x).into()).collect();
    let on_edges = on_edges.iter().map(|&(face, xi)| surface.position(face, xi, &places).into());
    samples(sampled, &places).into_iter().chain(on_edges).collect()
}

/// Largest sum of the magnitudes of shape functions at points that are sought: 1 for functions that are
/// nowhere negative, those of splines and of linear faces. The largest of quadratic faces is that in the
/// middle of a serendipity face, 4 · |−1/4| + 4 · 1/2.
fn amplification(surface: &Surface) -> f64 {
    let is_quadratic = |basis: &FaceBasis| matches!(basis, FaceBasis::Lagrange(shape) if shape.n_nodes() > 4);
    if surface.faces.iter().any(|face| is_quadratic(&face.basis)) { 3.0 } else { 1.0 }
}

/// Mode values at as many points of a body as its model has.
fn known(model: &ReducedBody) -> Result<&Modes, UnreadArrayError> {
    model.fields.as_ref().map_or(Ok(&model.boundary), FieldModes::modes)
}

impl Displacements {
    fn of(surface: &Surface, model: &PreparedModel) -> Self {
        let model = match model {
            PreparedModel::Rigid(_) => return Self::Rigid,
            PreparedModel::Deformable(_) => return Self::Nodal(surface.points.clone()),
            PreparedModel::Reduced(model) => model,
        };
        let (points, most) = match &model.fields {
            Some(fields) => (fields.points(), fields.largest().into_owned()),
            None => (&model.boundary.points[..], model.boundary.largest()),
        };
        let rows = surface.points.iter().map(|point| points.binary_search(point).ok()).collect();
        Self::Modal { model: model.clone(), rows, most }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use carom_fem::{Body, Geometry, Material};
    use carom_make::{Shape as Form, ShapeOptions, make};
    use carom_progress::Silent;

    use super::*;
    use crate::discretised::Bodies;

    const SLACK: f64 = 0.1;

    /// A cube with edges of 1 m, one serendipity hexahedron, and its nodes.
    fn cube() -> (Outline, Vec<[f64; 3]>) {
        let options = ShapeOptions {
            size: Some([1.0; 3]),
            elements: vec![1],
            hex: true,
            ..ShapeOptions::of(Form::Box)
        };
        let body: Arc<Body> =
            Arc::new(make(&options, "cube", Material::named("steel").unwrap(), &Silent).unwrap());
        let Geometry::Mesh(mesh) = &body.geometry else { panic!("hexahedra were requested") };
        assert_eq!(mesh.points.len(), 20);
        let silhouette = Silhouette::of(&body, &Bodies::default()).unwrap();
        let model = PreparedModel::Deformable(Arc::clone(&body));
        (Outline::new(&silhouette, &model, &Vector3::zeros()).unwrap(), mesh.points.clone())
    }

    /// Two cubes side by side. The face of the first one at the gap is displaced along x.
    ///
    /// * `along` — displacement of a node of that face \[m\]
    ///
    /// Returns, for points of the first cube in the second one and for the other way, whether the undeformed
    /// bodies and their bounds let them lie inside, and the depth of the deepest point.
    fn beside(gap: f64, along: impl Fn(&[f64; 3]) -> f64) -> [(bool, Option<f64>); 2] {
        let ((mut first, nodes), (mut second, _)) = (cube(), cube());
        let east = nodes.iter().map(|x| x[0]).fold(f64::NEG_INFINITY, f64::max);
        let moved = |x: &[f64; 3]| if x[0] > east - 1e-9 { along(x) } else { 0.0 };
        let modal = nodes.iter().flat_map(|x| [moved(x), 0.0, 0.0]).collect();
        let state = BodyState { modal, ..BodyState::default() };
        let poses = [0.0, 1.0 + gap].map(|x| (Matrix3::identity(), Vector3::new(x, 0.0, 0.0)));
        let [one_way, other_way] = [[&poses[0], &poses[1]], [&poses[1], &poses[0]]];
        let largest = first.largest(&state);
        let may = [
            first.may_reach_into(&second, one_way, [largest, 0.0], SLACK),
            second.may_reach_into(&first, other_way, [0.0, largest], SLACK),
        ];
        first.update(&state, 1).unwrap();
        let found = [
            first.deepest_inside(&mut second, one_way, SLACK, &mut 0),
            second.deepest_inside(&mut first, other_way, SLACK, &mut 0),
        ];
        [0, 1].map(|way| (may[way], found[way].map(|(depth, _)| depth)))
    }

    /// A gap of 0.5 m, which the undeformed bodies keep and the displaced ones do not.
    #[test]
    fn points_that_are_displaced_into_a_body_are_never_left_out() {
        let mut n_found = 0;
        for k in 0..20 {
            let stretch = 0.02 + 0.05 * f64::from(k);
            for (way, (may, found)) in beside(0.5, |_| stretch).into_iter().enumerate() {
                assert_eq!(found.is_some(), stretch > 0.5 + SLACK, "{stretch} m, way {way}");
                assert!(may || found.is_none(), "{stretch} m, way {way}: {found:?} is left out");
                n_found += u32::from(found.is_some_and(|depth| (depth - (stretch - 0.5)).abs() < 1e-6));
            }
        }
        assert_eq!(n_found, 2 * 8);
        assert!(beside(0.5, |_| 0.01).iter().all(|(may, _)| !may), "nothing can overlap");
    }

    /// The middle of a serendipity face moves by three times the displacement of its nodes if corners and
    /// middles of edges move against each other.
    #[test]
    fn points_between_nodes_that_are_displaced_more_than_these_are_not_left_out() {
        let is_corner = |x: &[f64; 3]| x[1..].iter().all(|x| (x - 0.5).abs() > 0.4);
        let bulge = |x: &[f64; 3]| if is_corner(x) { -0.2 } else { 0.2 };
        let [(may, found), _] = beside(0.45, bulge);
        assert!(found.is_some_and(|depth| (depth - 0.15).abs() < 1e-6), "{found:?}");
        assert!(may);
    }
}
