//! The reduced body: all data of a flexible body that the solver uses.

use carom_fem::{Material, Surface};

use crate::attachment::AttachedMarker;
use crate::column::Composition;
use crate::field_modes::FieldModes;
use crate::invariants::Invariants;
use crate::places::PlacedSurface;
use crate::point_modes::Modes;
use crate::stiffening::Stiffening;
use crate::stress_modes::StressModes;

/// A named surface of the reduced body.
#[derive(Debug, Clone)]
pub struct NamedSurface {
    /// Name of the set.
    pub name: String,
    /// Its faces over body points.
    pub surface: Surface,
    /// True for each of `surface.points` that is an interface point, so that its compliance is complete.
    pub is_interface: Vec<bool>,
    /// Face and edge numbers of the sharp edges of the body at the rim of the set, [`Surface::sharp_edges`].
    pub sharp_edges: Vec<[u32; 2]>,
}

/// A Craig-Bampton reduced body after the second eigenproblem, in the Buckens frame.
///
/// The body frame has its origin in the centre of mass and the axes of the source geometry; `com` is the
/// centre of mass in source coordinates. Modes are ordered by frequency, mass-normalised, free of rigid
/// motion; the first `n_low` are dynamic, the others quasistatic.
#[derive(Debug, Clone)]
pub struct ReducedBody {
    /// Name, as shown to the user.
    pub name: String,
    /// Checksum (SHA-256, hexadecimal) of its body file.
    pub body_checksum: String,
    /// Materials of the body.
    pub materials: Vec<Material>,
    /// Origin of the body frame in source coordinates \[m\]: the centre of mass; for an imported model the
    /// origin of its file.
    pub com: [f64; 3],
    /// Constants of the floating frame over all modes.
    pub invariants: Invariants,
    /// Circular frequencies ω of all modes, ascending \[rad/s\].
    pub omega: Vec<f64>,
    /// Number of low (dynamic) modes.
    pub n_low: usize,
    /// Errors of the first modes by the mesh, from recovered stress
    /// ([`carom_fem::recovery::energy_errors`]): ω² is too large by this share. Of the low modes, or of all;
    /// empty where no mesh is known, and of models before version 1.6 of their files without places.
    pub mode_errors: Vec<f64>,
    /// Errors of the lowest frequencies by the mesh ([`crate::frequency_error`]): ω is too large by this
    /// share. Empty of a large body, of imported models and of models before version 1.9 of their files.
    pub frequency_errors: Vec<f64>,
    /// Frequencies of the fixed-interface normal modes in the basis \[Hz\].
    pub fixed_interface_hz: Vec<f64>,
    /// Number of interface dofs.
    pub n_interface_dofs: usize,
    /// The columns of the basis and their shares in the modes.
    pub composition: Composition,
    /// Markers of the attachments.
    pub markers: Vec<AttachedMarker>,
    /// Sets that are held to the body frame. Such a body is grounded: its modes are those of the held body,
    /// and its frame does not move. Empty for a free body.
    pub held: Vec<String>,
    /// Number of dofs of the full body.
    pub n_dofs: usize,
    /// Surfaces of the interface sets.
    pub surfaces: Vec<NamedSurface>,
    /// Surfaces with loads at places, for contact that does not see the mesh.
    pub places: Vec<PlacedSurface>,
    /// Mode values at every interface point, which includes the points of `surfaces`.
    pub boundary: Modes,
    /// Mode values at all points (or all surface points) of the body, for pictures and stress.
    pub fields: Option<FieldModes>,
    /// Stress of the modes, if it was requested.
    pub stress: Option<StressModes>,
    /// Geometric stiffness, if it was requested.
    pub stiffening: Option<Stiffening>,
}

impl ReducedBody {
    /// Frequency of the last dynamic mode \[Hz\].
    pub fn last_dynamic_hz(&self) -> Option<f64> {
        self.n_low.checked_sub(1).map(|k| self.omega[k] / std::f64::consts::TAU)
    }

    /// Centre of mass in source coordinates \[m\].
    pub fn center_of_mass(&self) -> [f64; 3] {
        let center_b = self.invariants.center_b();
        [0, 1, 2].map(|a| self.com[a] + center_b[a])
    }
}
