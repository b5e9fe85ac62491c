//! From the coordinates of a body to its surface points and back: one trait for every kind of body.
//!
//! Contact uses points: their positions, velocities and forces. The map from coordinates to points depends on
//! the body: offsets for a rigid body, rows of the modes for a reduced one, nodes for an unreduced one. With
//! the matrix J(q) of the map from velocities of the coordinates to those of the points
//!
//! ```text
//! ẋ = J v,   h = Jᵀ f,   f·ẋ = h·v,   W = B J M⁻¹ Jᵀ Bᵀ   or   B C Bᵀ
//! ```
//!
//! B are rows over the points, such as the gradients of gaps, and C is the compliance of the points at rest.

/// A force on one point: its number and the force \[N\].
pub type PointForce = (u32, [f64; 3]);

/// The response of points to forces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Response {
    /// Velocities by impulses, J M⁻¹ Jᵀ \[1/kg\].
    InverseMass,
    /// Displacements by forces, without inertia: C \[m/N\].
    Compliance,
}

/// The surface points of a body as functions of its coordinates.
///
/// Vectors of points have three numbers for each point. All of them are in the frame of the coordinates: the
/// inertial frame for rigid and unreduced bodies, the frame of the body for modes.
pub trait SurfacePoints {
    /// Number of points.
    fn n_points(&self) -> usize;

    /// Number of coordinates q.
    fn n_coordinates(&self) -> usize;

    /// Number of velocities v and of generalised forces; smaller than that of coordinates if these are
    /// quaternions.
    fn n_velocities(&self) -> usize {
        self.n_coordinates()
    }

    /// Writes the positions of the points x(q) \[m\].
    fn positions_into(&self, q: &[f64], positions: &mut [f64]);

    /// Writes the velocities of the points J(q) v.
    fn velocities_into(&self, q: &[f64], v: &[f64], velocities: &mut [f64]);

    /// Adds the generalised forces J(q)ᵀ f of forces on all points.
    fn add_forces(&self, q: &[f64], forces: &[f64], generalised: &mut [f64]);

    /// Adds the generalised forces J(q)ᵀ f of forces on a few points.
    fn add_point_forces(&self, q: &[f64], forces: &[PointForce], generalised: &mut [f64]);

    /// Adds the motion of all points due to forces on a few. Returns false, and adds nothing, if the body
    /// does not have this response.
    fn add_response(&self, response: Response, q: &[f64], forces: &[PointForce], motion: &mut [f64]) -> bool;
}

/// W of two rows over the points of one body, b_i R b_jᵀ; `None` if the body does not have the response.
///
/// * `motion` — memory for three numbers a point
pub fn response_of_rows(
    points: &dyn SurfacePoints,
    response: Response,
    q: &[f64],
    [b_i, b_j]: [&[PointForce]; 2],
    motion: &mut [f64],
) -> Option<f64> {
    motion.fill(0.0);
    points.add_response(response, q, b_j, motion).then(|| along(b_i, motion))
}

/// Work of forces on a few points on the motion of all points.
pub fn along(forces: &[PointForce], motion: &[f64]) -> f64 {
    let of_point = |(point, force): &PointForce| -> f64 {
        (0..3).map(|d| force[d] * motion[3 * *point as usize + d]).sum()
    };
    forces.iter().map(of_point).sum()
}
