//! Node to face: rows of gaps of nodes against faces, for schemes of unreduced bodies.
//!
//! A row is a local minimum of the distance from a node to a surface. A node in a concave edge has two rows.
//! The closest point of a node beyond the rim of a surface is on the rim. The gap of a node is continuous
//! where it crosses an edge. On every row
//!
//! ```text
//! x − y = g n,   dg = n·(dx − Σ_K N_K dy_K),   x = Σ_m w_m x_m
//! ```
//!
//! so that the forces λ dg/dx on both surfaces have a zero sum and a zero moment. Second variations are
//! computed on request ([`NodeToFace::variations`]).
//!
//! Path to read: [`Nodes`] and [`ContactSide`] are the input, [`NodeToFace::update`] makes the [`GapRow`]s of
//! a configuration. `candidates` is the search, `feet` selects the foot points of a node that are contacts.
//!
//! # Source
//!
//! Row and variations: Franke, Hesch & Betsch (2013) and Puso & Zywicz (1998) with the signs of
//! [`Variations`]; which nodes touch several faces: Zywicz & Puso (1999).

mod body_boxes;
mod candidates;
mod earlier;
mod excluded;
mod feet;
mod nodes;
mod sheets;

use carom_fem::surface::MAX_FACE_POINTS;
use nalgebra::Vector3;
use thiserror::Error;

use crate::geometry::foot::Variations;
use crate::geometry::{Faces, FacesNow, FootPoint, LocalFoot};
use crate::shape::Shape;
use candidates::Candidates;
use earlier::Earlier;
use excluded::Excluded;
use feet::Feet;
use sheets::Sheets;

pub use nodes::Nodes;

/// One of two surfaces that may touch.
#[derive(Debug, Clone)]
pub struct ContactSide {
    /// The surface; a shape without faces rests in the frame of the positions.
    pub shape: Shape,
    /// Nodes on the surface; empty if only the other side's nodes are tested.
    pub nodes: Nodes,
}

/// Limits that select the rows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Limits {
    /// Gap up to which a node has a row \[m\], above 0.
    pub reach: f64,
    /// Depth up to which a node has penetrated the surface \[m\], above 0.
    pub depth: f64,
}

/// The sides whose nodes are tested against the other side's faces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Passes {
    /// The nodes of the first side against the second.
    Single,
    /// The nodes of each side against the other: two flat surfaces of different meshes transmit constant
    /// pressure.
    Dual,
}

/// Errors from setting up rows.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum NodeToFaceError {
    /// A limit is not a positive number.
    #[error("the {name} of contact is {value}; it must be a positive number of metres")]
    Limit {
        /// `reach` or `depth`.
        name: &'static str,
        /// Its value.
        value: f64,
    },
    /// A side whose nodes are tested has no nodes.
    #[error("side {side} of a contact has no nodes, which its pass needs")]
    NoNodes {
        /// Number of the side, from 1.
        side: usize,
    },
    /// A surface that is to touch itself has no faces.
    #[error("a surface that touches itself needs faces")]
    NoFaces,
    /// A node refers to a point that its surface does not have.
    #[error("a node of side {side} of a contact needs point {point}; the surface has {count}")]
    NoPoint {
        /// Number of the side, from 1.
        side: usize,
        /// Number of the point.
        point: u32,
        /// Number of points of the surface.
        count: usize,
    },
}

/// The gap of one node at one place of the other surface.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GapRow {
    /// The side of the node, 0 or 1.
    pub side: usize,
    /// Number of the node on its side.
    pub node: u32,
    /// Gap, face, parameters, normal, tangents, metric and curvature.
    pub foot: FootPoint,
    /// True if the foot point lies on the continuation of its face beyond a concave edge.
    pub is_continued: bool,
    /// First entry in the lists of points and values, and the number of them.
    first: u32,
    n_points: u32,
}

/// Rows of gaps of nodes against faces, with the state of their search.
///
/// The rows depend on the present positions alone; the state only saves time.
#[derive(Debug, Clone)]
pub struct NodeToFace {
    sides: [ContactSide; 2],
    limits: Limits,
    passes: Vec<Pass>,
    rows: Vec<GapRow>,
    points: Vec<u32>,
    values: Vec<f64>,
}

/// The nodes of one side against the other.
#[derive(Debug, Clone)]
struct Pass {
    /// The side with the nodes.
    side: usize,
    /// Positions of the nodes \[m\].
    places: Vec<Vector3<f64>>,
    /// State of the faces and their search; none for a shape without faces.
    faced: Option<(FacesNow, Candidates)>,
    /// Faces of the same surface that nodes never touch; none between two surfaces.
    excluded: Option<Excluded>,
    /// Memory for the faces near a node.
    near: Vec<u32>,
    feet: Feet,
    /// Nodes and faces in an earlier configuration.
    places_before: Vec<Vector3<f64>>,
    earlier: Earlier,
}

/// Rows of a node for which memory is reserved.
const FORESEEN: usize = 3;

impl NodeToFace {
    /// Rows between two sides; none yet.
    ///
    /// # Errors
    ///
    /// [`NodeToFaceError`] if limits are not positive or nodes are missing.
    pub fn new(sides: [ContactSide; 2], limits: Limits, passes: Passes) -> Result<Self, NodeToFaceError> {
        for (name, value) in [("reach", limits.reach), ("depth", limits.depth)] {
            if !(value > 0.0 && value.is_finite()) {
                return Err(NodeToFaceError::Limit { name, value });
            }
        }
        let with_nodes: &[usize] = match passes {
            Passes::Single => &[0],
            Passes::Dual => &[0, 1],
        };
        for &side in with_nodes {
            check_nodes(side, &sides[side])?;
        }
        let passes: Vec<Pass> =
            with_nodes.iter().map(|&side| Pass::new(side, &sides[side], &sides[1 - side], limits)).collect();
        let n: usize = passes.iter().map(|pass| FORESEEN * pass.places.len()).sum();
        let most_points = sides.iter().filter_map(|side| side.shape.as_faces()).map(most_points).max();
        let room = n * most_points.unwrap_or(0);
        Ok(Self {
            sides,
            limits,
            passes,
            rows: Vec::with_capacity(n),
            points: Vec::with_capacity(room),
            values: Vec::with_capacity(room),
        })
    }

    /// Rows between the nodes of a surface and the faces of the same surface, which is that of one or several
    /// bodies. Both sides of a row have the points of this surface: positions are given twice.
    ///
    /// A node has no row with faces of its own body that contain it or share a point with such a face, that
    /// lie behind it at rest within twice the depth of the limits, or that it does not face.
    ///
    /// Faces whose points have a distance to their surface are sheets: they touch with both sides, and their
    /// gaps are those of the faces themselves. A node keeps the side on which it was in the earlier
    /// configuration. It has no row with faces of its own sheet whose surfaces reach its own at rest.
    ///
    /// * `bodies` — number of the body of each face
    /// * `halves` — distance of the surface of sheets from each point, 0 for solids; empty without sheets
    ///   \[m\]
    ///
    /// # Errors
    ///
    /// [`NodeToFaceError`] if limits are not positive, or nodes or faces are missing.
    pub fn within(
        side: ContactSide,
        bodies: &[u32],
        halves: &[f64],
        limits: Limits,
    ) -> Result<Self, NodeToFaceError> {
        let faces = side.shape.as_faces().ok_or(NodeToFaceError::NoFaces)?;
        let excluded = Excluded::new(&side, faces, bodies, Sheets::new(faces, halves), &limits);
        let faced = ContactSide { shape: side.shape.clone(), nodes: Nodes::default() };
        let mut made = Self::new([side, faced], limits, Passes::Single)?;
        made.passes.iter_mut().for_each(|pass| pass.excluded = Some(excluded.clone()));
        Ok(made)
    }

    /// Leaves out the contacts between some bodies of a surface that touches itself: another method finds
    /// them.
    ///
    /// * `apart` — true for these bodies, by their numbers
    pub fn leave_out(&mut self, apart: &[bool]) {
        let excluded = self.passes.iter_mut().filter_map(|pass| pass.excluded.as_mut());
        excluded.for_each(|excluded| excluded.leave_out(apart));
    }

    /// Makes the rows of a configuration, by side and node ascending.
    ///
    /// * `positions` — of the points of each side, in one frame \[m\]; a shape without faces rests in it
    ///
    /// # Panics
    ///
    /// If there are fewer positions than points.
    pub fn update(&mut self, positions: [&[Vector3<f64>]; 2]) -> &[GapRow] {
        self.make_all(None, positions)
    }

    /// Makes the rows of a configuration, and those of faces that nodes have come through since an earlier
    /// one. Where a node has come through a face flush with its edge, the nearest face is the one across the
    /// edge, along which the node has slid.
    ///
    /// * `before` — positions of the earlier configuration \[m\]
    ///
    /// # Panics
    ///
    /// If there are fewer positions than points.
    pub fn update_from(
        &mut self,
        before: [&[Vector3<f64>]; 2],
        positions: [&[Vector3<f64>]; 2],
    ) -> &[GapRow] {
        self.make_all(Some(before), positions)
    }

    fn make_all(
        &mut self,
        before: Option<[&[Vector3<f64>]; 2]>,
        positions: [&[Vector3<f64>]; 2],
    ) -> &[GapRow] {
        self.rows.clear();
        self.points.clear();
        self.values.clear();
        for number in 0..self.passes.len() {
            let pass = &mut self.passes[number];
            if let Some(before) = before {
                pass.place_before(&self.sides, before);
            }
            if let Some(excluded) = &mut pass.excluded {
                let faced = 1 - pass.side;
                excluded.boxes.place(before.map(|before| before[faced]), positions[faced]);
            }
            self.make_rows(number, positions, before.is_some());
        }
        &self.rows
    }

    fn make_rows(&mut self, number: usize, positions: [&[Vector3<f64>]; 2], has_before: bool) {
        let pass = &mut self.passes[number];
        let (side, faced) = (pass.side, &self.sides[1 - pass.side]);
        self.sides[side].nodes.places_into(positions[side], &mut pass.places);
        if let (Some((now, candidates)), Some(faces)) = (&mut pass.faced, faced.shape.as_faces()) {
            now.set_positions(|k| positions[1 - side][k]);
            candidates.update(faces, now, &pass.places);
        }
        for (node, x) in (0..).zip(&pass.places) {
            match (&mut pass.faced, faced.shape.as_faces()) {
                (Some((now, candidates)), Some(faces)) => {
                    let excluded = pass.excluded.as_ref();
                    pass.near.clear();
                    match excluded {
                        Some(excluded) => {
                            let before = if has_before { &pass.places_before[node] } else { x };
                            let way = ([before.inf(x), before.sup(x)], self.limits.reach);
                            excluded.touchable(node, way, candidates.of(node), &mut pass.near);
                        }
                        None => pass.near.extend_from_slice(candidates.of(node)),
                    }
                    if pass.near.is_empty() {
                        continue;
                    }
                    let is_sheet = |face: u32| excluded.is_some_and(|e| e.sheets.has(face));
                    pass.feet.on_faces((faces, now), is_sheet, &pass.near, x, &self.limits);
                    // A face that the node does not face hides no other.
                    let drop_averted = |now: &mut FacesNow, found: &mut Vec<LocalFoot>| {
                        if let Some(excluded) = excluded {
                            excluded.drop_averted(node, faces, now, found);
                        }
                    };
                    drop_averted(now, &mut pass.feet.found);
                    pass.feet.select(&self.limits);
                    if has_before {
                        let (way, found) = ([&pass.places_before[node], x], &mut pass.feet.found);
                        pass.earlier.keep_sides(faces, way[0], found, is_sheet);
                        pass.near.retain(|&face| !is_sheet(face));
                        pass.earlier.add_entered((faces, &mut *now), &pass.near, way, &self.limits, found);
                        drop_averted(now, found);
                    }
                }
                _ => pass.feet.on_shape(&faced.shape, x, &self.limits),
            }
            for found in &pass.feet.found {
                let first = self.points.len() as u32;
                if let Some(faces) = faced.shape.as_faces() {
                    add_values(faces, &found.foot, &mut self.points, &mut self.values);
                }
                self.rows.push(GapRow {
                    side,
                    node: node as u32,
                    foot: found.foot,
                    is_continued: found.is_continued,
                    first,
                    n_points: self.points.len() as u32 - first,
                });
            }
        }
    }

    /// A side, 0 or 1.
    pub fn side(&self, side: usize) -> &ContactSide {
        &self.sides[side]
    }

    /// The rows of the last configuration.
    pub fn rows(&self) -> &[GapRow] {
        &self.rows
    }

    /// Points of the other surface that move the foot point of a row, and their shape values N_K; empty if
    /// the surface has no faces.
    pub fn faced_points(&self, row: &GapRow) -> (&[u32], &[f64]) {
        let range = row.first as usize..(row.first + row.n_points) as usize;
        (&self.points[range.clone()], &self.values[range])
    }

    /// The gradient of the gap of a row: calls `take` with side, point and weight c, ∂g/∂x_point = c n.
    pub fn for_gradient(&self, row: &GapRow, mut take: impl FnMut(usize, u32, f64)) {
        let (points, weights) = self.sides[row.side].nodes.of(row.node as usize);
        points.iter().zip(weights).for_each(|(&point, &weight)| take(row.side, point, weight));
        let (points, values) = self.faced_points(row);
        points.iter().zip(values).for_each(|(&point, &value)| take(1 - row.side, point, -value));
    }

    /// Rate of the gap of a row for velocities of the points of both sides \[m/s\].
    pub fn rate(&self, row: &GapRow, velocities: [&[Vector3<f64>]; 2]) -> f64 {
        let mut relative = Vector3::zeros();
        self.for_gradient(row, |side, point, c| relative += velocities[side][point as usize] * c);
        relative.dot(&row.foot.normal)
    }

    /// Adds λ ∂g/∂x of a row to the forces on the points of both sides \[N\].
    pub fn add_force(&self, row: &GapRow, lambda: f64, forces: &mut [Vec<Vector3<f64>>; 2]) {
        let force = row.foot.normal * lambda;
        self.for_gradient(row, |side, point, c| forces[side][point as usize] += force * c);
    }

    /// First and second variations of a row for the dofs (node, y_K), K as in [`NodeToFace::faced_points`].
    ///
    /// `None` if the other surface has no faces, or if the second variation does not exist: on an edge
    /// itself, and where the foot point is not unique.
    pub fn variations(&self, row: &GapRow) -> Option<Variations> {
        Variations::new(self.sides[1 - row.side].shape.as_faces()?, &row.foot)
    }

    /// Number of updates of the boxes of faces, in all passes.
    pub fn searches(&self) -> u64 {
        self.passes.iter().filter_map(|pass| pass.faced.as_ref()).map(|(_, c)| c.searches()).sum()
    }
}

impl Pass {
    fn new(side: usize, own: &ContactSide, faced: &ContactSide, limits: Limits) -> Self {
        let n = own.nodes.len();
        let search = |faces: &Faces| (faces.state_at_rest(), Candidates::new(faces, n, &limits));
        Self {
            side,
            places: vec![Vector3::zeros(); n],
            faced: faced.shape.as_faces().map(search),
            excluded: None,
            near: Vec::new(),
            feet: Feet::default(),
            places_before: vec![Vector3::zeros(); n],
            earlier: Earlier::default(),
        }
    }

    /// Sets the earlier configuration.
    fn place_before(&mut self, sides: &[ContactSide; 2], before: [&[Vector3<f64>]; 2]) {
        sides[self.side].nodes.places_into(before[self.side], &mut self.places_before);
        if let Some(faces) = sides[1 - self.side].shape.as_faces() {
            self.earlier.place(faces, before[1 - self.side]);
        }
    }
}

fn check_nodes(side: usize, of: &ContactSide) -> Result<(), NodeToFaceError> {
    if of.nodes.is_empty() {
        return Err(NodeToFaceError::NoNodes { side: side + 1 });
    }
    let Some(faces) = of.shape.as_faces() else { return Ok(()) };
    let count = faces.n_points();
    match of.nodes.largest_point().filter(|&point| point as usize >= count) {
        Some(point) => Err(NodeToFaceError::NoPoint { side: side + 1, point, count }),
        None => Ok(()),
    }
}

fn most_points(faces: &Faces) -> usize {
    faces.surface.faces.iter().map(|face| face.points.len()).max().unwrap_or(0)
}

fn add_values(faces: &Faces, foot: &FootPoint, points: &mut Vec<u32>, values: &mut Vec<f64>) {
    let (mut r, mut r_a, mut r_ab) =
        ([0.0; MAX_FACE_POINTS], [[0.0; 2]; MAX_FACE_POINTS], [[0.0; 3]; MAX_FACE_POINTS]);
    faces.surface.shape_into(foot.face as usize, foot.xi, &mut r, &mut r_a, &mut r_ab);
    let own = &faces.surface.faces[foot.face as usize].points;
    points.extend_from_slice(own);
    values.extend_from_slice(&r[..own.len()]);
}

#[cfg(test)]
mod tests;
