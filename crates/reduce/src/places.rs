//! What a model keeps of a surface that contact loads at places, for contact that does not see the mesh
//! (docs/theory/half-space.md).
//!
//! The loads of places are smooth, so that a mesh resolves them whose cells are far larger than the contact.
//! The dent below them is that of a half-space, which `carom-contact` computes. Plain numbers: neither the
//! loads nor the half-space are known here.

use carom_fem::Surface;
use faer::Mat;

/// A surface with loads at places.
#[derive(Debug, Clone)]
pub struct PlacedSurface {
    /// Name by which contact refers to it: a set, or `X,Y,Z:R`.
    pub name: String,
    /// Its faces over points of the body.
    pub surface: Surface,
    /// Reference positions of `surface.points` in the body frame \[m\].
    pub points_b: Vec<[f64; 3]>,
    /// True if the loads have the kernel without second moment (z2), false for the positive one (q2).
    pub zero_moment: bool,
    /// Radius r₀ of the loads \[m\].
    pub radius: f64,
    /// Distance between places \[m\].
    pub spacing: f64,
    /// Mean edge h of the faces \[m\].
    pub edge: f64,
    /// Thickness of the body below the surface \[m\].
    pub thickness: f64,
    /// Young's modulus below the surface \[Pa\].
    pub young: f64,
    /// Poisson's ratio.
    pub poisson: f64,
    /// The places x_j in the body frame \[m\].
    pub places_b: Vec<[f64; 3]>,
    /// Their outward normals.
    pub normals_b: Vec<[f64; 3]>,
    /// A, 3 × 3 blocks: displacement read by load j under a unit force of load k, of all modes together
    /// \[m/N\].
    pub response: Mat<f64>,
    /// φ_j = ⟨s_j, φ⟩: rows 3 j + a, one column for each mode of the model.
    pub values: Mat<f64>,
    /// Displacement of second order at the loads, as [`crate::Stiffening::boundary`] at points; none of a
    /// model without geometric stiffness, and of models before version 1.10 of their files.
    pub foreshortening: Option<Mat<f64>>,
    /// Changes of the interaction of loads on a half-space by edges of the body.
    pub cuts: Vec<CutPair>,
    /// Second moments of the loads that an edge cuts, with their numbers \[m²\].
    pub cut_loads: Vec<(u32, [[f64; 3]; 3])>,
    /// Errors by the mesh, from recovered stress ([`carom_fem::recovery::energy_errors`]): the displacement
    /// of each place under its static normal load is too small by this share. None of models before version
    /// 1.5 of their files.
    pub mesh_errors: Option<Vec<f64>>,
}

/// The change of the interaction of two loads on a half-space by an edge of the body.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CutPair {
    /// Numbers of the loads, ascending.
    pub loads: [u32; 2],
    /// Change of ⟨d dᵀ/|d|³⟩ \[1/m\].
    pub second: [[f64; 3]; 3],
    /// Change of ⟨d/|d|²⟩ \[1/m\].
    pub first: [f64; 3],
}
