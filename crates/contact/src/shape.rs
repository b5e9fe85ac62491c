//! Shapes in contact: one enum for all schemes.
//!
//! A [`Shape`] is immutable and given in the frame of its body. Planes, spheres, cavities and blocks have no
//! other state. The current positions of the points of [`Faces`], which may deform, are a separate
//! [`FacesNow`].

mod block;
mod edge;
mod joined;
mod parting;

pub use block::{Block, FLUSH};
pub use edge::{ALONG, Crossing, Edge, crossing, meeting, touching};
pub use joined::joined;
pub use parting::Parting;

use carom_fem::{Surface, SurfaceError};
use nalgebra::Vector3;

use crate::geometry::{Faces, FacesNow, FootPoint, Plane, Side, Sphere, Start};

/// A surface that can be touched.
#[derive(Debug, Clone, PartialEq)]
pub enum Shape {
    /// Unbounded planes with the body behind each of them: the ground, the walls of a room. A point may touch
    /// several at once.
    Planes(Vec<Plane>),
    /// The outside of a ball.
    Sphere(Sphere),
    /// The inside of a hollow ball.
    Cavity(Sphere),
    /// The outside of a rectangular block, with its edges.
    Block(Block),
    /// Faces of NURBS sides or of Lagrange cells over points.
    Faces(Box<Faces>),
}

impl Shape {
    /// Faces over points.
    ///
    /// * `reference` — reference positions of `surface.points` \[m\]
    ///
    /// # Errors
    ///
    /// [`SurfaceError`] if a face cannot be evaluated.
    pub fn faces(surface: Surface, reference: &[Vector3<f64>]) -> Result<Self, SurfaceError> {
        Ok(Self::Faces(Box::new(Faces::new(surface, reference)?)))
    }

    /// A single plane; `None` if its normal has no direction.
    pub fn plane(origin: Vector3<f64>, normal: Vector3<f64>) -> Option<Self> {
        Some(Self::Planes(vec![Plane::new(origin, normal)?]))
    }

    /// The faces, if the shape has them.
    pub fn as_faces(&self) -> Option<&Faces> {
        match self {
            Self::Faces(faces) => Some(faces),
            _ => None,
        }
    }

    /// The same shape in another frame.
    ///
    /// * `point`, `vector` — the rigid motion of places and of directions
    pub fn moved(
        &self,
        point: impl Fn(&Vector3<f64>) -> Vector3<f64>,
        vector: impl Fn(&Vector3<f64>) -> Vector3<f64>,
    ) -> Self {
        let sphere = |s: &Sphere| Sphere { center: point(&s.center), radius: s.radius };
        let plane = |p: &Plane| {
            let normal = nalgebra::Unit::new_normalize(vector(&p.normal));
            Plane { origin: point(&p.origin), normal }
        };
        match self {
            Self::Planes(planes) => Self::Planes(planes.iter().map(plane).collect()),
            Self::Sphere(s) => Self::Sphere(sphere(s)),
            Self::Cavity(s) => Self::Cavity(sphere(s)),
            Self::Block(block) => Self::Block(block.moved(&point, &vector)),
            Self::Faces(faces) => Self::Faces(Box::new(faces.moved(&point))),
        }
    }

    /// Largest number of simultaneous contacts of a point with the shape.
    #[inline]
    pub fn sheets(&self) -> usize {
        match self {
            Self::Planes(planes) => planes.len(),
            _ => 1,
        }
    }

    /// True if a point that has passed through the shape may leave on the other side.
    pub fn can_be_passed(&self) -> bool {
        !matches!(self, Self::Planes(_) | Self::Cavity(_))
    }

    /// True if the shape is a convex solid with edges and corners.
    pub fn has_edges(&self) -> bool {
        matches!(self, Self::Block(_))
    }

    /// True if faces meet at edges, where a point need not touch the nearest face.
    pub fn has_rims(&self) -> bool {
        matches!(self, Self::Block(_) | Self::Faces(_))
    }

    /// Edges of a block; other shapes have none.
    pub fn edges(&self) -> Vec<Edge> {
        match self {
            Self::Block(block) => block.edges().to_vec(),
            _ => Vec::new(),
        }
    }

    /// Radius of the ball around the origin of the frame that contains all points of contact \[m\]; infinite
    /// for planes, and for a cavity, because points outside of it are still in contact.
    pub fn radius(&self) -> f64 {
        match self {
            Self::Planes(_) | Self::Cavity(_) => f64::INFINITY,
            Self::Sphere(sphere) => sphere.center.norm() + sphere.radius,
            Self::Block(block) => block.center.norm() + block.half.norm(),
            Self::Faces(faces) => faces.reference.iter().map(|x| x.norm()).fold(0.0, f64::max),
        }
    }

    /// Smallest and largest convex curvature, of faces in their middles \[1/m\]: 1/R of a ball, 0 of a flat
    /// or hollow shape.
    pub fn convex_curvatures(&self) -> [f64; 2] {
        match self {
            Self::Planes(_) | Self::Cavity(_) | Self::Block(_) => [0.0; 2],
            Self::Sphere(sphere) => [1.0 / sphere.radius; 2],
            Self::Faces(faces) => curvatures_in_the_middles(faces),
        }
    }

    /// Gap of a point from a sheet of the shape, negative behind it, and the normal into the free side.
    /// `None` for faces, whose gaps depend on their state.
    ///
    /// * `corner` — unit vectors of the edges that meet in the point, for a corner of a block that may stand
    ///   flush on another one; zeros otherwise
    #[inline]
    pub fn distance(
        &self,
        sheet: usize,
        x: &Vector3<f64>,
        corner: &[Vector3<f64>; 3],
    ) -> Option<(f64, Vector3<f64>)> {
        Some(match self {
            Self::Planes(planes) => {
                let plane = &planes[sheet];
                (plane.distance(x), plane.normal.into_inner())
            }
            Self::Sphere(sphere) => sphere.distance(Side::Outside, x),
            Self::Cavity(sphere) => sphere.distance(Side::Inside, x),
            Self::Block(block) => block.distance(x, corner),
            Self::Faces(_) => return None,
        })
    }

    /// The closest point on a sheet of a shape without faces.
    pub fn closest(&self, sheet: usize, x: &Vector3<f64>) -> Option<FootPoint> {
        match self {
            Self::Planes(planes) => Some(planes[sheet].closest(x)),
            Self::Sphere(sphere) => Some(sphere.closest_on(Side::Outside, x)),
            Self::Cavity(sphere) => Some(sphere.closest_on(Side::Inside, x)),
            Self::Block(block) => Some(block.closest(x)),
            Self::Faces(_) => None,
        }
    }

    /// The state of faces in their reference positions; other shapes have no state.
    pub fn state_at_rest(&self) -> Option<FacesNow> {
        self.as_faces().map(Faces::state_at_rest)
    }

    /// Marks edges (face and edge) at which the faces end because the surface of the body has a kink, see
    /// [`Surface::sharp_edges`]. Pressure at other borders is pressure at the rim of a zone that is too
    /// small.
    pub fn with_sharp_edges(mut self, edges: &[[u32; 2]]) -> Self {
        if let Self::Faces(faces) = &mut self {
            for &[face, edge] in edges {
                let of_face = faces.topology.sharp.get_mut(face as usize);
                if let Some(sharp) = of_face.and_then(|of_face| of_face.get_mut(edge as usize)) {
                    *sharp = true;
                }
            }
        }
        self
    }
}

fn curvatures_in_the_middles(faces: &Faces) -> [f64; 2] {
    let mut now = faces.state_at_rest();
    let mut at_middle = |face: u32| {
        let xi = faces.domain(face).center();
        let x = faces.position(&mut now, face, xi);
        let foot = faces.project(&mut now, &x, Start { face, xi });
        // Curvature is positive towards the normal: a ball has −1/R.
        foot.principal_curvatures().map_or(0.0, |[low, _]| -low).max(0.0)
    };
    let all = (0..faces.n_faces() as u32).map(&mut at_middle);
    let [least, most] = all.fold([f64::INFINITY, 0.0], |[least, most], k| [k.min(least), k.max(most)]);
    [least.min(most), most]
}

#[cfg(test)]
mod tests;
