//! Named parts of the surface and the faces that belong to them.

use thiserror::Error;

use crate::closest::{bounding_box, distance};
use crate::hierarchy::Cell;
use crate::topology::side_index;
use crate::{Multipatch, Region, Side};

/// One face: a cell's part of a side of a patch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PatchFace {
    /// Patch number.
    pub patch: u32,
    /// Level of the cell that the face belongs to; 0 unless the body is refined locally.
    pub level: u32,
    /// That cell: number of its span in each direction, counted over the nonempty spans of its level.
    pub cell: Cell,
    /// Side of the patch on which the face lies.
    pub side: Side,
}

/// An unknown name of a region.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("the body has no region `{name}`; it has {known}")]
pub struct UnknownRegion {
    /// The given name.
    pub name: String,
    /// The known names, with the pattern of the implicit ones.
    pub known: String,
}

impl Multipatch {
    /// The region of a name: one of [`Multipatch::regions`], or a side such as `patch2:west`.
    ///
    /// # Errors
    ///
    /// [`UnknownRegion`] with all known names.
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
                Ok(Region { sides: vec![side], near: Vec::new() })
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

    /// The faces of a region: spans of its sides; with `near`, those that reach into each of its balls.
    ///
    /// Sides inside the body (glued to another) give faces too. The faces are in the order of the sides,
    /// the first direction of a side fastest.
    pub fn faces(&self, region: &Region) -> Vec<PatchFace> {
        let mut faces = Vec::new();
        for &(patch, side) in &region.sides {
            if patch as usize >= self.patches.len() {
                continue;
            }
            let mut all = self.cells().tree(patch as usize).faces(side);
            faces.extend(
                all.drain(..)
                    .map(|(level, cell)| PatchFace { patch, level: level as u32, cell, side })
                    .filter(|&face| {
                        region.near.iter().all(|&(centre, radius)| self.reaches(face, centre, radius))
                    }),
            );
        }
        faces
    }

    /// Parameters of the cell that a face belongs to; in the direction across the face both are those of its
    /// side.
    pub fn face_bounds(&self, face: PatchFace) -> [[f64; 2]; 3] {
        let mut bounds = self.cells().bounds(face.patch as usize, face.level as usize, face.cell);
        let across = face.side.direction();
        let end = bounds[across][usize::from(face.side.is_end())];
        bounds[across] = [end, end];
        bounds
    }

    /// Middle of a face and its four corners \[m\].
    pub fn face_places(&self, face: PatchFace) -> [[f64; 3]; 5] {
        let (bounds, [first, second]) = (self.face_bounds(face), face.side.tangents());
        [[0.5, 0.5], [0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]].map(|[s, t]| {
            let mut u = bounds.map(|[low, _]| low);
            for (d, x) in [(first, s), (second, t)] {
                u[d] = bounds[d][0] + x * (bounds[d][1] - bounds[d][0]);
            }
            self.patches[face.patch as usize].point(u)
        })
    }

    /// Corners of a box around a face: that of the control points that move it \[m\].
    fn face_box(&self, face: PatchFace) -> [[f64; 3]; 2] {
        let patch = &self.patches[face.patch as usize];
        let middle = self.face_bounds(face).map(|[low, high]| 0.5 * (low + high));
        let spans = patch.span_of(middle);
        let (counts, degrees) = (patch.counts(), patch.degrees());
        let [first, second] = face.side.tangents();
        let begin = [first, second].map(|d| patch.basis[d].first_function(spans[d]));
        let of_face = (0..=degrees[second]).flat_map(|j| (0..=degrees[first]).map(move |i| [i, j]));
        let points = of_face.map(|[i, j]| side_index(counts, face.side, [begin[0] + i, begin[1] + j]));
        bounding_box(points.map(|point| &patch.points[point]))
    }

    /// True if a face is closer to a point than the radius; touching the ball from outside does not count.
    fn reaches(&self, face: PatchFace, centre: [f64; 3], radius: f64) -> bool {
        let inside = radius * (1.0 - 1e-6);
        let [low, high] = self.face_box(face);
        let in_box = [0, 1, 2].map(|d| centre[d].clamp(low[d], high[d]));
        if distance(in_box, centre) >= inside {
            return false;
        }
        let places = self.face_places(face);
        let nearest = places.iter().map(|&x| distance(x, centre)).fold(f64::INFINITY, f64::min);
        let size = places[1..].iter().map(|&x| distance(x, places[0])).fold(0.0, f64::max);
        if nearest < inside {
            return true;
        }
        // The distance of a face from its corners is less than its size.
        if nearest > inside + 3.0 * size && size > 0.0 {
            return false;
        }
        let patch = &self.patches[face.patch as usize];
        patch.closest_in(self.face_bounds(face), centre).distance < inside
    }
}
