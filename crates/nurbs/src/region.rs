//! Named parts of the surface and the faces that belong to them.

use thiserror::Error;

use crate::closest::{bounding_box, distance};
use crate::topology::side_points;
use crate::{Multipatch, Region, Side};

/// One face: a span of a side of a patch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PatchFace {
    /// Patch number.
    pub patch: u32,
    /// Knot index of the span in each direction, of the cell that the face belongs to.
    pub spans: [usize; 3],
    /// Side of the patch on which the face lies.
    pub side: Side,
}

/// A name that no region bears.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("the body has no region `{name}`; it has {known}")]
pub struct UnknownRegion {
    /// The name asked for.
    pub name: String,
    /// The names there are, with the pattern of the implicit ones.
    pub known: String,
}

impl Multipatch {
    /// The region of a name: one of [`Multipatch::regions`], or a side such as `patch2:west`.
    ///
    /// # Errors
    ///
    /// [`UnknownRegion`] with all names there are.
    pub fn region(&self, name: &str) -> Result<Region, UnknownRegion> {
        if let Some(region) = self.regions.get(name) {
            return Ok(region.clone());
        }
        let side =
            name.strip_prefix("patch").and_then(|rest| rest.split_once(':')).and_then(|(patch, side)| {
                let patch: u32 = patch.parse().ok()?;
                Some((patch, Side::parse(side)?))
            });
        match side {
            Some(side) if (side.0 as usize) < self.patches.len() => {
                Ok(Region { sides: vec![side], near: None })
            }
            _ => Err(UnknownRegion { name: name.to_owned(), known: self.known_regions() }),
        }
    }

    fn known_regions(&self) -> String {
        let mut known: Vec<String> = self.regions.keys().map(|name| format!("`{name}`")).collect();
        let sides = "west|east|south|north|bottom|top";
        known.push(match self.patches.len() {
            1 => format!("the sides `patch0:{sides}`"),
            n => format!("the sides `patch0:{sides}` to `patch{}:{sides}`", n - 1),
        });
        known.join(", ")
    }

    /// The faces of a region: spans of its sides; with `near`, those that reach into that ball.
    ///
    /// Sides that lie inside the body (glued to another) give faces too: a region names what it wants.
    /// The order is that of the sides, the first direction of a side fastest.
    pub fn faces(&self, region: &Region) -> Vec<PatchFace> {
        let mut faces = Vec::new();
        for &(patch, side) in &region.sides {
            let Some(body) = self.patches.get(patch as usize) else { continue };
            let spans = [0, 1, 2].map(|d| body.basis[d].spans());
            let [first, second] = side.tangents();
            let across = &spans[side.direction()];
            let mut cell = [across[if side.is_end() { across.len() - 1 } else { 0 }]; 3];
            for &j in &spans[second] {
                for &i in &spans[first] {
                    cell[first] = i;
                    cell[second] = j;
                    let face = PatchFace { patch, spans: cell, side };
                    if region.near.is_none_or(|(centre, radius)| self.reaches(face, centre, radius)) {
                        faces.push(face);
                    }
                }
            }
        }
        faces
    }

    /// Numbers in the body of all control points of a side, ascending.
    pub fn side_ids(&self, (patch, side): (u32, Side)) -> Vec<u32> {
        let counts = self.patches[patch as usize].counts();
        let mut ids: Vec<u32> = side_points(counts, side)
            .into_iter()
            .map(|local| self.point_ids[patch as usize][local])
            .collect();
        ids.sort_unstable();
        ids.dedup();
        ids
    }

    /// Numbers in the body of the control points that move a face, ascending: all functions nonzero on it.
    pub fn face_points(&self, face: PatchFace) -> Vec<u32> {
        let mut ids: Vec<u32> = self
            .face_indices(face)
            .into_iter()
            .map(|local| self.point_ids[face.patch as usize][local as usize])
            .collect();
        ids.sort_unstable();
        ids.dedup();
        ids
    }

    /// Control points of the patch on the face, (p+1)(q+1) of them, the first direction of the side fastest.
    pub fn face_indices(&self, face: PatchFace) -> Vec<u32> {
        let patch = &self.patches[face.patch as usize];
        let [first, second] = face.side.tangents();
        let start = [0, 1, 2].map(|d| patch.basis[d].first_function(face.spans[d]));
        let mut ijk = start;
        if face.side.is_end() {
            ijk[face.side.direction()] = patch.counts()[face.side.direction()] - 1;
        }
        let mut indices = Vec::new();
        for j in 0..=patch.basis[second].degree() {
            for i in 0..=patch.basis[first].degree() {
                ijk[first] = start[first] + i;
                ijk[second] = start[second] + j;
                indices.push(patch.index(ijk) as u32);
            }
        }
        indices
    }

    /// Whether a face comes closer to a point than the radius; touching the ball from outside does not count.
    fn reaches(&self, face: PatchFace, centre: [f64; 3], radius: f64) -> bool {
        let patch = &self.patches[face.patch as usize];
        let inside = radius * (1.0 - 1e-6);
        let hull = self.face_indices(face);
        let [low, high] = bounding_box(hull.iter().map(|&i| &patch.points[i as usize]));
        let nearest = [0, 1, 2].map(|d| centre[d].clamp(low[d], high[d]));
        if distance(nearest, centre) >= inside {
            return false;
        }
        let mut bounds = [0, 1, 2].map(|d| {
            let knots = patch.basis[d].knots();
            [knots[face.spans[d]], knots[face.spans[d] + 1]]
        });
        let across = face.side.direction();
        let end = bounds[across][usize::from(face.side.is_end())];
        bounds[across] = [end, end];
        patch.closest_in(bounds, centre).distance < inside
    }
}
